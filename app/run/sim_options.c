/* sim_options.c - the table of options, and the command line. */
#include "algo/nodes.h"
#include "base/opt.h"
#include "base/run_rows.h"
#include "base/text.h"
#include "model/kind.h"
#include "run/fit_update.h"
#include "run/option_rows.h"
#include "run/sweep.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define AT(field) offsetof(sim_opt, field)

/* Rows that say which columns there are, in which form. */
#define READ_BY(by, ...)                                                                           \
    {                                                                                              \
        .group = SIM_ROWS, .commands = by, .opt = __VA_ARGS__                                      \
    }
#define READ(...)         READ_BY(SIM_EVERY | SIM_PRIVATE, __VA_ARGS__)
#define READ_CHOSEN(...)  READ_BY(OFTEN(SIM_EVERY) | SIM_PRIVATE, __VA_ARGS__)
#define READ_MISSING(...) READ_BY(OFTEN(SIM_EVERY), __VA_ARGS__)
#define READ_KINDS(...)                                                                            \
    {                                                                                              \
        .group = SIM_ROWS, .commands = SIM_EVERY, .models = SIM_MIXED, .opt = __VA_ARGS__          \
    }

/* An option that reads otherwise in a command has a row of its own there. */
static const sim_row rows[] = {
    SHOW(ROWS, OFTEN(SIM_SIM | SIM_UP) | SIM_PRIVATE, "data", MB_OPT_INPUT, AT(data), NULL, 0, 0,
         "FILE|FILE,FILE,..|DIR", "", "", "X",
         "the rows, in CSV, NPY or NPZ (FILE.npz:ARRAY), - for standard input; columns without "
         "another meaning are the features. Of several files, or a folder, each is a node called "
         "by its name"),
    SHOW(ROWS, OFTEN(SIM_FIT) | SIM_PRIVATE, "data", MB_OPT_INPUT, AT(data), NULL, 0, 0,
         "FILE|FILE,FILE,..|DIR", "", "", "X",
         "the rows, in CSV, NPY or NPZ (FILE.npz:ARRAY), - for standard input; of several files, "
         "or a folder, all rows; columns other than label and weight are the features; under "
         "mpirun also FILE-%r.npy, a file for each process, whose number from 0 is %r"),
    SHOW(ROWS, OFTEN(SIM_PLAN), "data", MB_OPT_INPUT, AT(data), NULL, 0, 0, "FILE|FILE,FILE,..|DIR",
         "", "", "X",
         "the rows, if they exist already; without it rows of the given shape are sampled"),
    SHOW(ROWS, OFTEN(SIM_GENESIS), "data", MB_OPT_INPUT, AT(data), NULL, 0, 0,
         "FILE|FILE,FILE,..|DIR", "", "", "X",
         "a sample of the rows, in CSV, NPY or NPZ (FILE.npz:ARRAY), - for standard input; it "
         "alone is read, and no row of it is written"),
    ROW(ROWS, OFTEN(SIM_SIM | SIM_PLAN | SIM_UP) | SIM_PRIVATE, "node-column", MB_OPT_TEXT,
        AT(node_column), NULL, 0, 0, "NAME", "", "", "",
        "column with the node that owns the row; without it --deal distributes the rows"),
    ROW(ROWS, SIM_FIT | SIM_GENESIS, "node-column", MB_OPT_TEXT, AT(node_column), NULL, 0, 0,
        "NAME", "", "", "", "column with the node that owns the row, which is not used here"),
    ROW(ROWS, SIM_SIM | SIM_UP | SIM_PRIVATE, MB_ROW_DEAL_(AT(deal), "random")),
    ROW(ROWS, OFTEN(SIM_SIM | SIM_FIT) | SIM_EVERY, "label-column", MB_OPT_TEXT, AT(label_column),
        NULL, 0, 0, "NAME", "", "", "y",
        "column with the true class, for evaluation only: it never reaches inference"),
    ROW(ROWS, OFTEN(SIM_FIT) | SIM_EVERY | SIM_FOLLOW, "weight-column", MB_OPT_TEXT,
        AT(weight_column), NULL, 0, 0, "NAME", "", "", "sample_weight",
        "column with row weights >= 0 (2 counts as the row twice); without it every row counts "
        "once"),
    ROW_OF(
        GROUPED, ROWS, SIM_EVERY, "group-column", MB_OPT_TEXT, AT(read.group_column), NULL, 0, 0,
        "NAME", "", "math 23", "",
        "column with the group of the row, such as a patient who was measured several times: its "
        "rows follow each other, lie at one node, are of one component and have one weight"),
    ROW_OF(GROUPED, ROWS, SIM_EVERY, "group-file", MB_OPT_INPUT, AT(read.group_file), NULL, 0, 0,
           "FILE", "", "math 23", "",
           "CSV or NPY of one column: the group of every row, beside rows without such a column"),
    ROW_OF(GROUPED, ROWS, SIM_EVERY, "time-column", MB_OPT_TEXT, AT(read.time_column), NULL, 0, 0,
           "NAME", "", "math 34", "",
           "column with the time of the row, a number or a text such as 2026-01-31, which may not "
           "go back within a group; it is not a feature"),
    ROWS_CHOSEN(READ_CHOSEN, sim_opt, read),
    ROWS_FORM(READ, sim_opt, read),
    ROWS_MISSING(READ_MISSING, sim_opt, read),
    ROWS_KINDS(READ_KINDS, sim_opt, read),
    ROW_OF(REGRESSION, MODEL, OFTEN(SIM_FIT | SIM_SIM | SIM_UP) | SIM_PLAN | SIM_GENESIS,
           MB_ROW_FORMULA_(AT(formula))),
    ROW_OF(REGRESSION, MODEL, SIM_FIT | SIM_SIM | SIM_UP | SIM_PLAN | SIM_GENESIS,
           MB_ROW_CODING_(AT(coding))),
    ROW_OF(TARGETS, MODEL, SIM_EVERY, "family", MB_OPT_CHOICE, AT(family), "auto", 0, 0,
           "auto|binomial|poisson|multinomial", "", "", "",
           "of glm, as R calls them, in place of --glm.link: binomial is logistic; auto: what that "
           "option says"),
    ROW_OF(TARGETS, ROWS, SIM_EVERY, "target-levels", MB_OPT_TEXT, AT(read.levels), NULL, 0, 0,
           "A,B,..", "", "", "",
           "the words of a target of two words (glm logistic), or of several (glm multinomial), in "
           "their order: coefficients are of each but the first; without it the order of the "
           "alphabet"),
    ROW(ROWS, SIM_SIM | SIM_PLAN | SIM_UP | SIM_PRIVATE, "node-file", MB_OPT_INPUT,
        AT(read.node_file), NULL, 0, 0, "FILE", "", "", "",
        "CSV or NPY of one column: the node of every row, beside rows without a node column"),
    ROW(ROWS, SIM_EVERY, "label-file", MB_OPT_INPUT, AT(read.label_file), NULL, 0, 0, "FILE", "",
        "", "y", "CSV or NPY of one column: the true class of every row, for evaluation only"),
    ROW(NETWORK, OFTEN(SIM_SIM | SIM_PLAN | SIM_UP) | SIM_PRIVATE, "network", MB_OPT_INPUT,
        AT(network), NULL, 0, 0, "FILE.csv|FILE.graphml", "", "", "",
        "edge list, columns i,j, or GraphML: node ids as in the data; without it that of "
        "--topology; up to 10 nodes need neither: each is linked to all others"),
    ROW(NETWORK, OFTEN(SIM_SIM | SIM_PLAN | SIM_UP) | SIM_PRIVATE, "topology", MB_OPT_TEXT,
        AT(topology), NULL, 0, 0, "NAME:KEY=VALUE,..", "", "", "",
        "a network to generate instead of --network: see `meshbayes help graph`"),
    ROW(NETWORK, SIM_SIM | SIM_PLAN, "weights", MB_OPT_INPUT, AT(weights), "metropolis", 0, 0,
        "nearest|metropolis|laplacian|file:FILE.csv", "", "eq. (23), (47)", "",
        "combination weights; nearest is the paper's rule (biased: its columns do not sum to 1)"),
    SHOW(NETWORK, SIM_SIM | SIM_UP, "positions", MB_OPT_INPUT, AT(positions), NULL, 0, 0,
         "FILE.csv|FILE.graphml", "", "", "",
         "columns node,x,y, or node data x and y, for the picture of the network"),
    ROW(MODEL, OFTEN(SIM_EVERY) | SIM_FOLLOW | SIM_PRIVATE, "model", MB_OPT_TEXT, AT(model),
        MB_KIND_DEFAULT, 0, 0, "NAME", "", "section IV", "",
        "the kind of model, one of those listed below"),
    ROW(MODEL, OFTEN(SIM_SIM | SIM_PLAN) | SIM_PRIVATE, "algorithm", MB_OPT_TEXT, AT(algorithm),
        NULL, 0, 0, "NAME[,NAME..]", "", "", "",
        "cvb (central VB) or one listed below; a list runs each on the same data and "
        "initialisation; without it edge, or what the page of the model says"),
    ROW_OF(
        LATENT, MODEL, OFTEN(SIM_SIM | SIM_FIT | SIM_PLAN), "init", MB_OPT_INPUT, AT(init),
        "kmeans", 0, 0, MB_INIT_DRAWN_ "|responsibilities:FILE|centres:FILE|posterior:FILE.json",
        "", "", "init_params",
        "centres by k-means++, moved by k-means (Lloyd's iteration) or as drawn, or "
        "farthest-first, or any rows (random-from-data), or from one Gaussian with the moments of "
        "all rows, inside --bounds, moved by ten steps of sums, the best of four, which shows no "
        "row (ranges); random responsibilities (nodes draw "
        "their own, which fails on a network); "
        "or a file; posterior: one step from an earlier posterior on columns of the same names"),
    ROW_OF(
        LATENT, MODEL, OFTEN(SIM_GENESIS), "init", MB_OPT_INPUT, AT(init), "kmeans", 0, 0,
        "kmeans|kmeans++|farthest|centres:FILE", "", "", "init_params",
        "the centres: by k-means++ and k-means (Lloyd's iteration), the best of 10 attempts; as "
        "drawn by k-means++ or farthest-first; or from a file. kmeans++ and farthest hold K rows "
        "of the sample"),
    ROW_OF(LATENT, MODEL, OFTEN(SIM_UP), "init", MB_OPT_INPUT, AT(init), "kmeans", 0, 0,
           "kmeans|kmeans++|farthest|ranges|centres:FILE", "", "", "init_params",
           "with --genesis init, the initialisation, as in sim; any but kmeans implies --genesis "
           "init"),
    ROW(MODEL, SIM_UP | SIM_PRIVATE, "bounds", MB_OPT_INPUT, AT(bounds), NULL, 0, 0, "FILE.csv", "",
        "math 7", "",
        "column,low,high for every column, known without the rows, none of which is outside: nodes "
        "make their genesis of exact sums within them, which show no row and are masked where "
        "--mask says so; with --algorithm sum; with --privacy rows are clipped to it"),
    ROW(MODEL, SIM_SIM | SIM_PLAN | SIM_PRIVATE, "bounds", MB_OPT_INPUT, AT(bounds), NULL, 0, 0,
        "FILE.csv", "", "math 13", "",
        "column,low,high for every column, known without the rows, none of which is outside: nodes "
        "do not learn the least and largest values, and with --init ranges exchange sums alone; "
        "with --privacy rows are clipped to it"),
    ROW(PRIVACY, OFTEN(SIM_FIT) | SIM_PRIVATE, "privacy", MB_OPT_TEXT, AT(privacy), NULL, 0, 0,
        "epsilon=E,delta=D", "", "math 32", "",
        "of linreg: sums with noise, so that the answer says almost the same whatever one of the "
        "rows is, and intervals that know the noise; needs --bounds"),
    ROW(PRIVACY, SIM_SIM | SIM_PRIVATE, "privacy", MB_OPT_TEXT, AT(privacy), NULL, 0, 0,
        "epsilon=E,delta=D[,colluders=T]", "", "math 32", "",
        "of linreg, with --algorithm sum --sum.mask simulated: as fit, by one pass over the tree "
        "to which each node adds a part of the noise, enough without what T of them know "
        "(without it half of the nodes); needs --bounds"),
    ROW(PRIVACY, OFTEN(SIM_UP) | SIM_PRIVATE, "privacy", MB_OPT_TEXT, AT(privacy), NULL, 0, 0,
        "epsilon=E,delta=D[,colluders=T]", "", "math 32", "",
        "of linreg, of processes with --algorithm sum: as fit, each node adds a part of the noise "
        "to masked sums, once, and the release is booked before it begins; needs --bounds"),
    ROW(PRIVACY, SIM_GENESIS, "privacy", MB_OPT_TEXT, AT(privacy), NULL, 0, 0,
        "epsilon=E,delta=D[,colluders=T]", "", "math 32", "",
        "of genesis ranges, for linreg: nodes release masked sums with noise once, as sim, and "
        "each books its own in a ledger"),
    ROW(PRIVACY, SIM_PLAN | SIM_PRIVATE, "privacy", MB_OPT_TEXT, AT(privacy), NULL, 0, 0,
        "epsilon=E,delta=D[,colluders=T]", "", "math 32", "",
        "in place of a run: how far a private release of fit, or of sim on this network, of "
        "--rows-per-node rows of --features inputs would be from the truth, before it costs "
        "anything"),
    ROW(PRIVACY, OFTEN(SIM_FIT) | SIM_PRIVATE, "bounds", MB_OPT_INPUT, AT(bounds), NULL, 0, 0,
        "FILE.csv", "", "", "",
        "column,low,high for every column: what is known without the rows, which are clipped to "
        "it"),
    SHOW(PRIVACY, SIM_FIT | SIM_SIM | SIM_UP | SIM_PRIVATE, "ledger", MB_OPT_TEXT, AT(ledger), NULL,
         0, 0, "FILE.json", "", "", "",
         "where every release of these data is booked before it is made; without it "
         "DATA.ledger.json"),
    SHOW(PRIVACY, SIM_FIT | SIM_SIM | SIM_UP | SIM_PRIVATE, "privacy.budget", MB_OPT_AUTO,
         AT(budget), "auto", 1e-6, 100, NULL, "", "", "",
         "the epsilon that all releases of these data may cost together, at the delta of this one; "
         "beyond it a release is refused; auto: that of the ledger, at first this epsilon"),
    ROW_OF(DRAWN, MODEL, OFTEN(SIM_FIT) | SIM_SIM | SIM_PLAN | SIM_UP | SIM_FOLLOW,
           MB_ROW_N_INIT_(AT(n_init_given))),
    ROW_OF(
        LATENT, MODEL, SIM_SIM | SIM_FIT, "prune", MB_OPT_CHOICE, AT(prune), "auto", 0, 0,
        "auto|off|on", "", "", "",
        "central VB merges components with less than one row, and pairs that cost little to merge, "
        "where the lower bound does not fall; auto: with --n-components auto"),
    ROW(MODEL, SIM_SIM, "accelerate", MB_OPT_CHOICE, AT(accelerate), "auto", 0, 0, "auto|off", "",
        "math 27", "",
        "auto: central VB that kl_cvb compares with takes extrapolated steps; --algorithm never "
        "does"),
    ROW(MODEL, SIM_FIT, MB_ROW_ACCELERATE_(AT(accelerate))),
    ROW(ROWS, SIM_SIM | SIM_FIT, MB_ROW_STANDARDIZE_(AT(standardize))),
    ROW(ROWS, SIM_SIM | SIM_FIT | SIM_PLAN, MB_ROW_PRECISION_(AT(precision))),
    ROW(ENDS, SIM_SIM, MB_ROW_ON_DOMAIN_(AT(on_domain))),
    ROW(ENDS, OFTEN(SIM_SIM | SIM_PLAN), "rounds", MB_OPT_INT, AT(rounds), "20000",
        MB_RANGE_ROUNDS_, NULL, "rounds", "", "max_iter", "at most this many rounds"),
    ROW(ENDS, OFTEN(SIM_FIT) | SIM_FOLLOW, "rounds", MB_OPT_INT, AT(rounds), "5000",
        MB_RANGE_ROUNDS_, NULL, "rounds", "", "max_iter", "at most this many rounds"),
    ROW(ENDS, OFTEN(SIM_SIM | SIM_PLAN), "tol", MB_OPT_REAL, AT(tol), "3e-7", MB_RANGE_TOL_, NULL,
        "posterior standard deviations", "", "tol",
        "stop when no node is farther from its target, messages from all neighbours have arrived "
        "since, and one centralised step confirms it; 0 never stops early"),
    ROW(ENDS, OFTEN(SIM_FIT) | SIM_FOLLOW, MB_ROW_TOL_(AT(tol))),
    ROW(ENDS, SIM_FIT, MB_ROW_STOP_(AT(stop))),
    ROW(ENDS, OFTEN(SIM_UP), "tol", MB_OPT_REAL, AT(tol), "3e-7", 1e-300, 1, NULL,
        "posterior standard deviations", "", "tol",
        "a node is at rest when it is no farther from its target"),
    SHOW(ENDS, SIM_SIM | SIM_FIT, "require-settled", MB_OPT_FLAG, AT(require_settled), NULL, 0, 0,
         NULL, "", "", "",
         "end with status 4 unless every algorithm of the run has settled; results are written "
         "anyway"),
    ROW(MODEL, OFTEN(SIM_EVERY) | SIM_FOLLOW | SIM_PRIVATE, MB_ROW_SEED_(AT(seed))),
    SHOW(ENDS, OFTEN(SIM_SIM), "runs", MB_OPT_INT, AT(runs), "1", 1, 10000, NULL, "runs", "", "",
         "repeat the run with seeds --seed, --seed + 1, ..: each deals the rows, draws a network "
         "that is generated, the initialisation and the faults. The folder is that of the first "
         "run, with runs.csv, bands.csv (quartiles by round) and reach.csv (cost to come close to "
         "central VB)"),
    SHOW(ENDS, OFTEN(SIM_FIT) | SIM_SIM | SIM_PLAN | SIM_FOLLOW | SIM_PRIVATE,
         MB_ROW_THREADS_(AT(threads))),
    ROW(NETWORK, OFTEN(SIM_SIM) | SIM_PLAN, "loss", MB_OPT_AUTO, AT(loss), "0", 0, 0.999, "file",
        "probability", "", "",
        "a link is down for a round, in both directions; file: each link by itself, by the column "
        "loss (or prob, 1 - loss) of the --network file"),
    ROW(NETWORK, SIM_SIM | SIM_PLAN, MB_ROW_LOSS_DIRECTED_(AT(loss_directed))),
    ROW(NETWORK, SIM_SIM | SIM_PLAN, MB_ROW_SILENT_(AT(silent))),
    ROW(NETWORK, SIM_SIM | SIM_PLAN, MB_ROW_DELAY_(AT(delay))),
    ROW(NETWORK, OFTEN(SIM_SIM) | SIM_PLAN, MB_ROW_SEND_(AT(send))),
    SHOW(OUTPUT, OFTEN(SIM_SIM), "trace", MB_OPT_OUTPUT, AT(trace), NULL, 0, 0, "FILE.csv", "", "",
         "", "write the metrics of every round, those of --metrics; without that all"),
    SHOW(OUTPUT, SIM_FIT, "trace", MB_OPT_OUTPUT, AT(trace), NULL, 0, 0, "FILE.csv", "", "", "",
         "write bound and lower_bound_sklearn of every round, nats, data units; a folder --out has "
         "them in any case"),
    SHOW(OUTPUT, OFTEN(SIM_SIM), "metrics", MB_OPT_TEXT, AT(metrics), NULL, 0, 0, "all|NAME,..", "",
         "", "",
         "metrics of every round: all, or names from the list of meshbayes help sim all; without "
         "it with a folder "
         "--out, what the report plots, in every round to 64 and in 32 to 64 of each doubling "
         "after it"),
    SHOW(OUTPUT, OFTEN(SIM_SIM | SIM_FIT) | SIM_FOLLOW | SIM_PRIVATE, "out", MB_OPT_OUTPUT, AT(out),
         NULL, 0, 0, "DIR|FILE.json|FILE.npz", "", "", "",
         "folder for config, trace, posteriors, summary and report.html; FILE.json: the posterior "
         "only; FILE.npz: its arrays, for numpy.load; without it nothing is written"),
    SHOW(OUTPUT, OFTEN(SIM_GENESIS), "out", MB_OPT_OUTPUT, AT(out), NULL, 0, 0, "FILE.json", "", "",
         "", "the genesis, for `meshbayes up --genesis FILE.json` at every node"),
    SHOW(OUTPUT, OFTEN(SIM_UP) | SIM_PRIVATE, "out", MB_OPT_OUTPUT, AT(out), NULL, 0, 0, "DIR", "",
         "", "",
         "folder for config, trace, events, posterior and status of every node, summary and "
         "report.html"),
    SHOW(OUTPUT, SIM_SIM, "node", MB_OPT_TEXT, AT(node), NULL, 0, 0, "ID", "", "", "",
         "posterior.json holds this node's posterior; without it the mean of all nodes"),
    SHOW(OUTPUT, SIM_SIM, "dump-phi", MB_OPT_OUTPUT, AT(dump_phi), NULL, 0, 0, "FILE.npy", "",
         "eq. (45)", "",
         "natural parameters of every node, float64, shape (dumps, nodes, P), data units"),
    SHOW(OUTPUT, SIM_SIM, "dump-messages", MB_OPT_OUTPUT, AT(dump_messages), NULL, 0, 0, "FILE.npy",
         "", "", "",
         "the newest message that each node has from each neighbour, as it is sent: what a curious "
         "neighbour sees, shape (dumps, directed links, numbers), by receiver, then sender; one "
         "process, no checkpoints"),
    SHOW(OUTPUT, SIM_SIM, "dump-at", MB_OPT_TEXT, AT(dump_at), NULL, 0, 0, "1,2,10,..", "rounds",
         "", "", "rounds to dump, ascending; without it the last"),
    SHOW(OUTPUT, SIM_SIM, "phi-order", MB_OPT_CHOICE, AT(phi_order), "paper", 0, 0, "paper", "",
         "eq. (45)", "", "order of the dumped entries"),
    SHOW(LONG_RUNS, OFTEN(SIM_SIM), "checkpoint", MB_OPT_TEXT, AT(checkpoint), NULL, 0, 0, "DIR",
         "", "", "", "save checkpoints of the run in this folder, of which the newest two remain"),
    SHOW(LONG_RUNS, OFTEN(SIM_FIT), "checkpoint", MB_OPT_TEXT, AT(checkpoint), NULL, 0, 0, "DIR",
         "", "", "",
         "save in this folder what is done: the newest two checkpoints of the current run, and the "
         "result of each initialisation, move, merge and number of components that is complete"),
    SHOW(LONG_RUNS, SIM_SIM, "every", MB_OPT_INT, AT(every), "100", 1, 1e9, NULL, "rounds", "", "",
         "rounds between checkpoints; there is one more at the end"),
    SHOW(LONG_RUNS, OFTEN(SIM_SIM | SIM_FIT), "resume", MB_OPT_TEXT, AT(resume), NULL, 0, 0, "DIR",
         "", "", "",
         "resume the run from its newest intact checkpoint, with the same options, on any number "
         "of processes: results are bit-identical to those of a run without interruption"),
    SHOW(OUTPUT, SIM_SIM, "write-genesis", MB_OPT_OUTPUT, AT(write_genesis), NULL, 0, 0,
         "FILE.json", "", "", "",
         "write model, units, prior and the centres that the run began with: the genesis of a "
         "mesh, whose nodes then begin where this run did (meshbayes help genesis)"),
    SHOW(OUTPUT, OFTEN(SIM_SIM | SIM_FIT), "json", MB_OPT_FLAG, AT(json), NULL, 0, 0, NULL, "", "",
         "", "print the summary as JSON instead of a table"),
    SHOW(OUTPUT, OFTEN(SIM_UP) | SIM_PRIVATE, "json", MB_OPT_FLAG, AT(json), NULL, 0, 0, NULL, "",
         "", "", "print the summary as JSON instead of a table"),
    SHOW(OUTPUT, OFTEN(SIM_PLAN) | SIM_PRIVATE, "json", MB_OPT_FLAG, AT(json), NULL, 0, 0, NULL, "",
         "", "", "print the plan as JSON instead of a table"),
    ROWS_END};

const sim_row *sim_rows_shared(void)
{
    return rows;
}

const char *sim_option_text(const mb_opt *o, const void *obj, char number[64])
{
    return mb_opt_value(o, obj, number);
}

int sim_option_given(const mb_opt *o, const void *obj)
{
    mb_opt alone[2] = {*o};
    char   now[64], before[64];
    union {
        double      real;
        int64_t     integer;
        int32_t     choice;
        const char *text;
    } value = {0};

    alone[0].at = 0;
    return mb_opt_defaults(alone, &value, NULL) >= 0 &&
           strcmp(sim_option_text(o, obj, now), sim_option_text(alone, &value, before)) != 0;
}

/* The first row of an option in a table; NULL: it has none. */
static const sim_row *row_of(const sim_row *table, const char *name)
{
    while (table->opt.name && strcmp(table->opt.name, name) != 0)
        table++;
    return table->opt.name ? table : NULL;
}

const mb_opt *sim_option(const char *name)
{
    return &row_of(rows, name)->opt;
}

int sim_option_is_output(const sim_command *command, const char *name)
{
    const sim_row *row = row_of(rows, name), *own = command->more;

    row = row || !own ? row : row_of(own, name);
    return row && row->presents;
}

int32_t sim_components(const sim_args *args)
{
    mb_sizes size;

    mb_kind_sizes(args->kind, args->model_opt, 1, NULL, &size);
    return size.K;
}

int32_t sim_inputs(const sim_rows *of)
{
    mb_sizes size;

    mb_kind_sizes(of->args->kind, of->args->model_opt, of->data.d, NULL, &size);
    return size.D;
}

int sim_rows_pick(const sim_row *from, int commands, sim_group group, mb_opt *table)
{
    int n = 0;

    for (; from && from->opt.name; from++)
        if (from->commands & commands && (group == SIM_GROUPS || from->group == group))
            table[n++] = from->opt;
    table[n] = (mb_opt){.name = NULL};
    return n;
}

void sim_choices(char *choices, size_t cap, const char *name)
{
    const size_t at = strlen(choices);

    snprintf(choices + at, cap - at, "%s%s", at ? "|" : "", name);
}

mb_status sim_choose(const char *option, const char *choices, const char **list, int32_t *index,
                     mb_err *err)
{
    const mb_opt o = {.name = option, .kind = MB_OPT_CHOICE, .choices = choices};
    const size_t len = strcspn(*list, ",");
    char         value[64];

    snprintf(value, sizeof value, "%.*s", (int)len, *list);
    *list = (*list)[len] ? *list + len + 1 : NULL;
    return mb_opt_set(&o, value, index, err);
}

static mb_status check_foreign(const sim_args *args, const mb_opt *o, const void *obj,
                               const mb_kind *owner, mb_err *err)
{
    if (sim_option_given(o, obj))
        MB_FAIL(err, MB_E_ARG, "--%s belongs to --model %s, not to --model %s", o->name,
                owner->name, args->kind->name);
    return MB_OK;
}

/* Refuses options of another model, and an initialisation for a model that needs none. */
static mb_status check_kinds(const sim_args *args, mb_err *err)
{
    const mb_kind *const *list = mb_kind_list();
    const mb_kind        *mine = args->kind;

    for (int k = 0; list[k] && k < SIM_MAX_KINDS; k++) {
        for (const mb_opt *o = list[k]->opts; list[k] != mine && o && o->name; o++)
            if (!mine->opts || !mb_opt_find(mine->opts, o->name))
                MB_TRY(check_foreign(args, o, args->kind_opt[k], list[k], err));
        if (mb_kind_has_components(mine) || !mb_kind_has_components(list[k]))
            continue;
        MB_TRY(check_foreign(args, sim_option("init"), &args->opt, list[k], err));
        if (!mine->phi0)
            MB_TRY(check_foreign(args, sim_option("n-init"), &args->opt, list[k], err));
    }
    return MB_OK;
}

static mb_status choose_unit(const sim_args *args, void *model_opt, mb_err *err)
{
    const mb_kind *kind = args->kind;
    const char    *file = args->opt.read.group_file;
    mb_sizes       size;

    if (mb_kind_needs_groups(kind))
        return MB_OK;
    if ((file || args->opt.read.group_column) && kind->groups)
        return mb_opt_assign(kind->opts, model_opt, kind->groups, err);
    if (file || args->opt.read.group_column)
        MB_FAIL(err, MB_E_NOSUP, "--group-%s: model %s knows no groups of rows",
                file ? "file" : "column", kind->name);
    mb_kind_sizes(kind, model_opt, 1, NULL, &size);
    if (!mb_kind_grouped(kind, &size))
        return MB_OK;
    MB_FAIL(err, MB_E_ARG, "--group-column is missing, or --group-file: the group of each row");
}

/* --family, R's word, says the link of glm. */
static mb_status choose_family(const sim_args *args, void *kind_opt, mb_err *err)
{
    static const char *const words[] = {NULL, "logistic", "poisson", "multinomial"};
    const mb_opt            *link = mb_opt_find(args->kind->opts, "glm.link");
    const char              *word = words[args->opt.family];
    const char              *given = app_option_value(args->argc, args->argv, "glm.link"), *of_file;
    char                     text[64];

    if (!word)
        return MB_OK;
    if (!link)
        MB_FAIL(err, MB_E_ARG, "--family belongs to --model glm, not to --model %s",
                args->kind->name);
    of_file = args->update ? sim_option_text(link, args->update->opt, text) : word;
    if (strcmp(of_file, word) != 0)
        MB_FAIL(err, MB_E_ARG, "--family: its link is %s; expected %s, that of %s", word, of_file,
                args->update->file);
    if (given) {
        MB_TRY(mb_opt_set(link, given, kind_opt, err));
        if (strcmp(sim_option_text(link, kind_opt, text), word) != 0)
            MB_FAIL(err, MB_E_ARG, "--glm.link: got %s; expected %s, as --family says", given,
                    word);
    }
    return mb_opt_set(link, word, kind_opt, err);
}

static mb_status choose_kind(sim_args *args, mb_err *err)
{
    const mb_kind *const *list = mb_kind_list();
    char                  accepted[256] = "";
    const mb_opt          o = {.name = "model", .kind = MB_OPT_CHOICE, .choices = accepted};
    int32_t               at;

    for (int k = 0; list[k] && k < SIM_MAX_KINDS; k++)
        sim_choices(accepted, sizeof accepted, list[k]->name);
    MB_TRY(mb_opt_set(&o, args->opt.model, &at, err));
    args->kind = list[at];
    args->model_opt = args->kind_opt[at];
    MB_TRY(check_kinds(args, err));
    MB_TRY(choose_family(args, args->kind_opt[at], err));
    return choose_unit(args, args->kind_opt[at], err);
}

/* The names in a list that may have the papers' names, dSVB and nsg-dVB, or be "all": those that any
 * network can run. */
static mb_status algorithm_names(sim_job *job, const sim_args *args, const sim_choice *all,
                                 const char **list, mb_err *err)
{
    const int   every = *list && !strcmp(*list, "all");
    const char *out = NULL, *at = every ? NULL : *list;

    for (int k = 0; every && all[k].algo; k++)
        if (!(all[k].algo->needs & MB_NEEDS_RING))
            out = mb_text(job->a, err, "%s%s%s", out ? out : "", out ? "," : "", all[k].name);
    while (at) {
        const size_t n = strcspn(at, ",");
        const char  *name = mb_text(job->a, err, "%.*s", (int)n, at);

        for (int k = 1; name && all[k].algo; k++)
            if (!strcasecmp(name, all[k].name) ||
                (all[k].algo->label && !strcasecmp(name, all[k].algo->label)))
                name = all[k].name;
        out = name ? mb_text(job->a, err, "%s%s%s", out ? out : "", out ? "," : "", name) : NULL;
        if (!out)
            return MB_E_NOMEM;
        at = at[n] ? at + n + 1 : NULL;
    }
    *list = out;
    return out || !args->opt.algorithm ? MB_OK : MB_E_NOMEM;
}

/* kind: NULL: it is not known yet. */
static mb_status choose_algorithms(sim_job *job, sim_args *args, const mb_kind *kind,
                                   const sim_choice *all, mb_err *err)
{
    sim_args   *to = args;
    const char *list;
    char        accepted[512] = "";

    if (!args->opt.algorithm)
        args->opt.algorithm = mb_network_algo_(kind);
    list = args->opt.algorithm;
    MB_NEW(args->choice, job->a, SIM_MAX_ALGOS, err);
    MB_TRY(algorithm_names(job, args, all, &list, err));
    for (int k = 0; all[k].algo; k++)
        sim_choices(accepted, sizeof accepted, all[k].name);
    while (list) {
        int32_t at;

        MB_TRY(sim_choose("algorithm", accepted, &list, &at, err));
        for (int32_t c = 0; c < to->nchoice; c++)
            if (!strcmp(to->choice[c].name, all[at].name))
                MB_FAIL(err, MB_E_ARG, "--algorithm: %s is named twice", all[at].name);
        to->choice[to->nchoice++] = all[at];
    }
    return MB_OK;
}

/* Memory for a struct of options, and its group. */
static mb_status add_group(sim_job *job, const mb_opt *table, size_t size, int other,
                           app_group *group, int *n, void **options, mb_err *err)
{
    char *room;

    MB_NEW(room, job->a, size, err);
    *options = room;
    if (table)
        group[(*n)++] = (app_group){.table = table, .obj = room, .other = other};
    return MB_OK;
}

/* "auto" is 1 in a network, where every initialisation costs messages. */
static mb_status count_starts(sim_args *args, mb_err *err)
{
    const double given = args->opt.n_init_given;

    args->opt.n_init = isnan(given) ? (args->command->fit ? 0 : 1) : (int64_t)given;
    if (!isnan(given) && floor(given) < given)
        MB_FAIL(err, MB_E_ARG,
                "--n-init: got \"%g\", which is not a whole number; expected auto or whole numbers "
                "1 to 10000",
                given);
    return MB_OK;
}

/* The model that the words ask for, before they are parsed: models may have options of one name that
 * accept other values. NULL: none that is known. */
static const mb_kind *kind_named(int argc, char **argv)
{
    const char *name = app_option_value(argc, argv, "model");

    return mb_kind_find(name ? name : sim_option("model")->def);
}

/* The options that the command takes, and the defaults of all. */
static mb_status take_options(sim_job *job, sim_args *args, mb_err *err)
{
    mb_opt *table;

    MB_NEW(table, job->a, SIM_MAX_OPTIONS, err);
    sim_rows_pick(rows, SIM_SIM, SIM_GROUPS, table);
    MB_TRY(mb_opt_defaults(table, &args->opt, err));
    sim_rows_pick(rows, args->command->bit, SIM_GROUPS, table);
    args->table = table;
    if (!args->command->more)
        return MB_OK;
    MB_NEW(table, job->a, SIM_MAX_OPTIONS, err);
    sim_rows_pick(args->command->more, args->command->bit, SIM_GROUPS, table);
    args->more = table;
    return MB_OK;
}

mb_status sim_parse(sim_job *job, sim_args *args, int argc, char **argv, mb_err *err)
{
    const mb_kind *const *kind = mb_kind_list();
    const mb_algo *const *algo = mb_algo_list();
    const mb_kind        *mine = kind_named(argc, argv);
    app_group             group[SIM_MAX_GROUPS];
    sim_choice            all[SIM_MAX_ALGOS + 1] = {{"cvb", &mb_algo_noncoop, NULL, 1}};
    int                   n = 1, central;

    MB_TRY(take_options(job, args, err));
    group[0] = (app_group){.table = args->table, .obj = &args->opt};
    group[n++] = (app_group){.table = sweep_options,
                             .obj = &args->opt,
                             .alone = 1}; /* sweep_take sets the models' own */
    central = !mb_opt_find(args->table, "algorithm");
    if (central)
        args->opt.algorithm = args->command->algorithm ? args->command->algorithm : all[0].name;
    for (int k = 0; kind[k] && k < SIM_MAX_KINDS; k++)
        MB_TRY(add_group(job, kind[k]->opts, kind[k]->opt_size, mine && kind[k] != mine, group, &n,
                         &args->kind_opt[k], err));
    for (int k = 0; algo[k] && k + 1 < SIM_MAX_ALGOS; k++) {
        all[k + 1] = (sim_choice){algo[k]->name, algo[k], NULL, 0};
        if (!central)
            MB_TRY(add_group(job, algo[k]->opts, algo[k]->opt_size, 0, group, &n, &all[k + 1].opt,
                             err));
    }
    MB_TRY(add_group(job, args->more, args->command->size, 0, group, &n, &args->own, err));
    MB_TRY(app_parse(argc, argv, group, n, NULL, 0, NULL, err));
    job->out = args->opt.out;
    if (args->opt.init && !strcmp(args->opt.init, "k-means++")) /* scikit-learn's word */
        args->opt.init = "kmeans++";
    if (args->opt.network && args->opt.topology)
        MB_FAIL(err, MB_E_ARG, "--network and --topology exclude each other");
    MB_TRY(sweep_take(job, args, mine, err));
    MB_TRY(count_starts(args, err));
    MB_TRY(choose_algorithms(job, args, mine, all, err));
    MB_TRY(choose_kind(args, err));
    MB_TRY(sweep_check(args, err));
    return args->command->check ? args->command->check(job, args, err) : MB_OK;
}
