/* sim_options.c - the options of `meshbayes sim`, in one list, and how the command line is read. */
#include "sim/sim.h"

#include <string.h>

#define AT(field) offsetof(sim_opt, field)

const mb_opt sim_options[] = {
    {"data", MB_OPT_INPUT, AT(data), NULL, 0, 0, "FILE.csv|FILE.npy", "", "", "X",
     "the rows; columns other than node, label and weight are the features"},
    {"node-column", MB_OPT_TEXT, AT(node_column), NULL, 0, 0, "NAME", "", "", "",
     "column with the node that owns the row; without it rows are dealt at random by the seed"},
    {"deal", MB_OPT_CHOICE, AT(deal), "random", 0, 0, "random|blocks", "", "", "",
     "rows without a node column: dealt at random by the seed, or cut into blocks in their order; "
     "with blocks the rows of a NPY file stay in it, so memory holds one process's share"},
    {"label-column", MB_OPT_TEXT, AT(label_column), NULL, 0, 0, "NAME", "", "", "y",
     "column with the true class, for evaluation only: it never reaches inference"},
    {"weight-column", MB_OPT_TEXT, AT(weight_column), NULL, 0, 0, "NAME", "", "", "sample_weight",
     "column with row weights >= 0 (2 counts as the row twice)"},
    {"network", MB_OPT_INPUT, AT(network), NULL, 0, 0, "FILE.csv|FILE.graphml", "", "", "",
     "edge list, columns i,j, or GraphML: node ids as in the data"},
    {"topology", MB_OPT_TEXT, AT(topology), NULL, 0, 0, "NAME:KEY=VALUE,..", "", "", "",
     "a network to draw instead: see `meshbayes help graph`"},
    {"weights", MB_OPT_INPUT, AT(weights), "metropolis", 0, 0,
     "nearest|metropolis|laplacian|file:FILE.csv", "", "eq. (23), (47)", "",
     "combination weights; nearest is the paper's rule (biased: its columns do not sum to 1)"},
    {"positions", MB_OPT_INPUT, AT(positions), NULL, 0, 0, "FILE.csv|FILE.graphml", "", "", "",
     "columns node,x,y, or node data x and y, for the picture of the network"},
    {"model", MB_OPT_TEXT, AT(model), "gmm", 0, 0, "NAME", "", "section IV", "",
     "the kind of model; the names and the options of each are listed below"},
    {"algorithm", MB_OPT_TEXT, AT(algorithm), "edge", 0, 0, "NAME[,NAME..]", "", "", "",
     "cvb (central VB) or an algorithm listed below; a list runs each on the same data and "
     "initialisation"},
    {"init", MB_OPT_INPUT, AT(init), "kmeans", 0, 0,
     "kmeans|farthest|random|responsibilities:FILE|centres:FILE", "", "", "init_params",
     "the common initialisation; random: each node its own, which shows how that fails"},
    {"n-init", MB_OPT_INT, AT(n_init), "1", 1, 10000, NULL, "starts", "", "n_init",
     "number of initialisations; the one with the best lower bound, summed over the network, is "
     "used"},
    {"standardize", MB_OPT_CHOICE, AT(standardize), "on", 0, 0, "off|on", "", "", "",
     "compute in columns brought to the agreed origin and scale (undone in every output); off: to "
     "the origin alone"},
    {"precision", MB_OPT_CHOICE, AT(precision), "float64", 0, 0, "float64|float32", "", "", "",
     "of the rows while they are computed with; float32: half the memory, each number rounded by "
     "at "
     "most 3e-8 of its column's range; sums are double"},
    {"on-domain", MB_OPT_CHOICE, AT(on_domain), "freeze", 0, 0, "freeze|project|stop", "",
     "eq. (38b)", "",
     "a node outside the domain keeps its last step, is projected, or ends the run"},
    {"rounds", MB_OPT_INT, AT(rounds), "1000", 1, 1e9, NULL, "rounds", "", "max_iter",
     "at most this many rounds"},
    {"tol", MB_OPT_REAL, AT(tol), "3e-7", 0, 1, NULL, "posterior standard deviations", "", "tol",
     "stop when no node is farther from its target, every neighbour has been heard since, and one "
     "centralised step confirms it; 0 never stops early"},
    {"seed", MB_OPT_INT, AT(seed), "0", 0, 9007199254740992.0, NULL, "", "", "random_state",
     "same seed, same bits, for any number of threads"},
    {"threads", MB_OPT_INT, AT(threads), "0", 0, 4096, NULL, "threads", "", "n_jobs",
     "0: as many as pay: one when a round is less than about 1 ms of work"},
    {"loss", MB_OPT_REAL, AT(loss), "0", 0, 0.999, NULL, "probability", "", "",
     "a link is down for a round, in both directions"},
    {"loss-directed", MB_OPT_REAL, AT(loss_directed), "0", 0, 0.999, NULL, "probability", "", "",
     "a message is lost, each direction by itself"},
    {"silent", MB_OPT_REAL, AT(silent), "0", 0, 0.999, NULL, "probability", "", "",
     "a node sends nothing in a round (it still hears)"},
    {"delay", MB_OPT_INT, AT(delay), "0", 0, 1000, NULL, "rounds", "", "",
     "a message arrives 0 to this many rounds late"},
    {"trace", MB_OPT_OUTPUT, AT(trace), NULL, 0, 0, "FILE.csv", "", "", "",
     "write the metrics of every round (all of them unless --metrics says)"},
    {"metrics", MB_OPT_TEXT, AT(metrics), NULL, 0, 0, "all|NAME,..", "", "", "",
     "metrics of every round: all, or names of those that are listed below"},
    {"out", MB_OPT_OUTPUT, AT(out), NULL, 0, 0, "DIR|FILE.json", "", "", "",
     "folder for config, trace, posteriors, summary and report.html; FILE.json: the posterior "
     "only"},
    {"node", MB_OPT_TEXT, AT(node), NULL, 0, 0, "ID", "", "", "",
     "posterior.json holds this node's posterior instead of the network mean"},
    {"dump-phi", MB_OPT_OUTPUT, AT(dump_phi), NULL, 0, 0, "FILE.npy", "", "eq. (45)", "",
     "natural parameters of every node, float64, shape (dumps, nodes, P), data units"},
    {"dump-at", MB_OPT_TEXT, AT(dump_at), NULL, 0, 0, "1,2,10,..", "rounds", "", "",
     "rounds to dump, ascending; without it the last"},
    {"phi-order", MB_OPT_CHOICE, AT(phi_order), "paper", 0, 0, "paper", "", "eq. (45)", "",
     "order of the dumped entries"},
    {"checkpoint", MB_OPT_TEXT, AT(checkpoint), NULL, 0, 0, "DIR", "", "", "",
     "keep the run in this folder, to go on after a crash: its newest two checkpoints"},
    {"every", MB_OPT_INT, AT(every), "100", 1, 1e9, NULL, "rounds", "", "",
     "make a checkpoint after so many rounds, and at the end"},
    {"resume", MB_OPT_TEXT, AT(resume), NULL, 0, 0, "DIR", "", "", "",
     "go on from the newest checkpoint that is whole, with the same options and on any number of "
     "processes: the same bits as without the interruption"},
    {"json", MB_OPT_FLAG, AT(json), NULL, 0, 0, NULL, "", "", "",
     "print the summary as JSON instead of a table"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* "a, b or c" of the names that next() gives, as mb_opt_accepts writes choices. */
static void join(char *text, size_t cap, const char *name, int first, int last)
{
    const size_t at = strlen(text);

    snprintf(text + at, cap - at, "%s%s", first ? "" : last ? " or " : ", ", name);
}

mb_status sim_need_data(const sim *s, mb_err *err)
{
    if (!s->opt.data)
        MB_FAIL(err, MB_E_ARG, "--data is missing: the CSV or NPY file with the rows");
    return MB_OK;
}

static mb_status options_new(mb_arena *a, const char *name, size_t size, void **out, mb_err *err)
{
    *out = mb_alloc(a, 1, size);
    if (!*out)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the options of %s", name);
    return MB_OK;
}

/* The command's options and those of every kind. */
static mb_status kind_groups(sim *s, app_group *group, int *n, mb_err *err)
{
    const mb_kind *const *list = mb_kind_list();

    group[(*n)++] = (app_group){s->asked.table, &s->opt};
    for (int k = 0; list[k] && k < SIM_MAX_KINDS; k++) {
        MB_TRY(options_new(s->a, list[k]->name, list[k]->opt_size, &s->asked.kind_opt[k], err));
        if (list[k]->opts)
            group[(*n)++] = (app_group){list[k]->opts, s->asked.kind_opt[k]};
    }
    return MB_OK;
}

/* An option of another model was given. */
static mb_status check_kinds(const sim *s, mb_err *err)
{
    const mb_kind *const *list = mb_kind_list();
    const mb_kind        *mine = s->asked.kind;

    for (int k = 0; list[k] && k < SIM_MAX_KINDS; k++)
        for (const mb_opt *o = list[k]->opts; list[k] != mine && o && o->name; o++)
            if (sim_option_given(o, s->asked.kind_opt[k]))
                MB_FAIL(err, MB_E_ARG, "--%s belongs to --model %s, not to --model %s", o->name,
                        list[k]->name, mine->name);
    for (int k = 0; list[k] && !mine->latent; k++)
        for (const mb_opt *o = sim_options; list[k]->latent && o->name; o++)
            if ((!strcmp(o->name, "init") || !strcmp(o->name, "n-init")) &&
                sim_option_given(o, &s->opt))
                MB_FAIL(err, MB_E_ARG, "--%s belongs to --model %s, not to --model %s", o->name,
                        list[k]->name, mine->name);
    return MB_OK;
}

static mb_status choose_kind(sim *s, mb_err *err)
{
    const mb_kind *const *list = mb_kind_list();
    char                  accepted[256] = "";

    s->asked.kind = mb_kind_find(s->opt.model);
    for (int k = 0; list[k] && k < SIM_MAX_KINDS; k++) {
        join(accepted, sizeof accepted, list[k]->name, !k, !list[k + 1]);
        if (list[k] == s->asked.kind)
            s->asked.model_opt = s->asked.kind_opt[k];
    }
    if (!s->asked.kind)
        MB_FAIL(err, MB_E_ARG, "--model: \"%s\" is not known, accepted: %s", s->opt.model,
                accepted);
    return check_kinds(s, err);
}

int32_t sim_components(const sim *s)
{
    mb_sizes size;

    s->asked.kind->sizes(s->asked.model_opt, 1, &size);
    return size.K;
}

static mb_status choose(sim *s, const sim_choice *all, const char *name, mb_err *err)
{
    sim_asked *asked = &s->asked;
    char       accepted[256] = "cvb";

    for (int32_t c = 0; c < asked->nchoice; c++)
        if (!strcmp(asked->choice[c].name, name))
            MB_FAIL(err, MB_E_ARG, "--algorithm: %s is named twice", name);
    if (!strcmp(name, "cvb")) {
        asked->choice[asked->nchoice++] = (sim_choice){"cvb", &mb_algo_noncoop, NULL, 1};
        return MB_OK;
    }
    for (int k = 0; all[k].algo; k++) {
        join(accepted, sizeof accepted, all[k].name, 0, 0);
        if (strcmp(all[k].name, name) != 0)
            continue;
        asked->choice[asked->nchoice++] = all[k];
        return MB_OK;
    }
    MB_FAIL(err, MB_E_ARG, "--algorithm: \"%s\" is not known, accepted: %s", name, accepted);
}

static mb_status choices(sim *s, const sim_choice *all, mb_err *err)
{
    size_t len = strlen(s->opt.algorithm);
    char  *name;

    MB_NEW(name, s->a, len + 1, err);
    memcpy(name, s->opt.algorithm, len + 1);
    while (name) {
        char *comma = strchr(name, ',');

        if (comma)
            *comma = 0;
        MB_TRY(choose(s, all, name, err));
        name = comma ? comma + 1 : NULL;
    }
    return MB_OK;
}

void sim_pick(const char *const *name, const mb_opt *words, mb_opt *table, int max)
{
    int n = 0;

    for (; name[n] && n < max; n++) {
        const mb_opt *o = words ? mb_opt_find(words, name[n]) : NULL;

        table[n] = o ? *o : *mb_opt_find(sim_options, name[n]);
    }
    memset(&table[n], 0, sizeof table[n]);
}

mb_status sim_parse(sim *s, const app_group *more, int argc, char **argv, mb_err *err)
{
    app_group             group[SIM_MAX_GROUPS];
    sim_choice            all[SIM_MAX_ALGOS + 1] = {{0}};
    const mb_algo *const *list = mb_algo_list();
    int                   n = 0;

    MB_TRY(mb_opt_defaults(sim_options, &s->opt, err));
    MB_TRY(kind_groups(s, group, &n, err));
    for (int k = 0; list[k] && k < SIM_MAX_ALGOS; k++) {
        all[k] = (sim_choice){list[k]->name, list[k], NULL, 0};
        MB_TRY(options_new(s->a, list[k]->name, list[k]->opt_size, &all[k].opt, err));
        if (list[k]->opts)
            group[n++] = (app_group){list[k]->opts, all[k].opt};
    }
    if (more)
        group[n++] = *more;
    MB_TRY(app_parse(argc, argv, group, n, NULL, 0, NULL, err));
    if (s->opt.network && s->opt.topology)
        MB_FAIL(err, MB_E_ARG, "--network and --topology exclude each other");
    MB_TRY(choices(s, all, err));
    return choose_kind(s, err);
}

mb_status sim_parse_central(sim *s, int argc, char **argv, mb_err *err)
{
    app_group group[SIM_MAX_GROUPS];
    int       n = 0;

    MB_TRY(mb_opt_defaults(sim_options, &s->opt, err));
    MB_TRY(kind_groups(s, group, &n, err));
    MB_TRY(app_parse(argc, argv, group, n, NULL, 0, NULL, err));
    s->asked.choice[0] = (sim_choice){"cvb", &mb_algo_noncoop, NULL, 1};
    s->asked.nchoice = 1;
    return choose_kind(s, err);
}

void sim_print_kinds(FILE *out)
{
    for (const mb_kind *const *k = mb_kind_list(); *k; k++) {
        char heading[128];

        snprintf(heading, sizeof heading, "--model %s: %s", (*k)->name, (*k)->title);
        app_print_options(out, heading, (*k)->opts);
    }
}

void sim_print_algorithms(FILE *out)
{
    for (const mb_algo *const *a = mb_algo_list(); *a; a++) {
        char heading[160];

        snprintf(heading, sizeof heading, "--algorithm %s: %s", (*a)->name, (*a)->title);
        app_print_options(out, heading, (*a)->opts);
    }
}
