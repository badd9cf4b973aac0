/* sim_options.c - the options of `meshbayes sim`, in one list, and how the command line is read. */
#include "sim/sim.h"

#include <math.h>
#include <stdarg.h>
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
    {"model", MB_OPT_CHOICE, AT(model), "gmm", 0, 0, "gmm|linreg", "", "section IV", "",
     "gmm: Bayesian mixture of Gaussians with full covariances; linreg: Bayesian linear "
     "regression"},
    {"target-column", MB_OPT_TEXT, AT(target_column), NULL, 0, 0, "NAME", "", "", "y",
     "linreg: the column to explain by the others; of an NPY file the last"},
    {"intercept", MB_OPT_CHOICE, AT(intercept), "on", 0, 0, "off|on", "", "", "fit_intercept",
     "linreg: a constant besides the inputs"},
    {"n-components", MB_OPT_INT, AT(n_components), "2", 1, 10000, NULL, "components", "",
     "n_components", "number of mixture components K"},
    {"prior", MB_OPT_CHOICE, AT(prior), "default", 0, 0, "default|paper", "", "", "",
     "paper: alpha0 = beta0 = 1e-5, mu0 = 1e-5, nu0 = D + 1, w0inv = 1e-5; single options win"},
    {"prior.alpha0", MB_OPT_AUTO, AT(alpha0), "auto", 1e-300, 1e12, NULL, "", "App. A",
     "weight_concentration_prior", "Dirichlet concentration of each component; auto = 1/K"},
    {"prior.beta0", MB_OPT_AUTO, AT(beta0), "auto", 1e-300, 1e12, NULL, "", "App. A",
     "mean_precision_prior", "strength of the prior mean, in rows; auto = 1"},
    {"prior.mu0", MB_OPT_TEXT, AT(mu0), NULL, 0, 0, "A,B,..", "data units", "App. A", "mean_prior",
     "prior mean: one number or D; without it the agreed origin"},
    {"prior.nu0", MB_OPT_AUTO, AT(nu0), "auto", 0, 1e12, NULL, "", "App. A",
     "degrees_of_freedom_prior", "degrees of freedom, above D - 1; auto = D + 2"},
    {"prior.w0inv", MB_OPT_TEXT, AT(w0inv), NULL, 0, 0, "A[,B,..]", "data units squared", "App. A",
     "covariance_prior",
     "W0^-1: one number (times the identity) or D*D; without it diag(agreed scale^2)"},
    {"prior.a0", MB_OPT_AUTO, AT(a0), "auto", 1e-300, 1e12, NULL, "", "math 10", "alpha_1",
     "linreg: shape of the noise precision's gamma; auto = 0.5"},
    {"prior.b0", MB_OPT_AUTO, AT(b0), "auto", 1e-300, 1e300, NULL, "data units squared", "math 10",
     "alpha_2", "linreg: its rate; auto = 1e-4 of the target's agreed scale squared"},
    {"prior.m0", MB_OPT_TEXT, AT(m0), NULL, 0, 0, "A[,B,..]", "data units", "math 10", "",
     "linreg: prior mean of intercept and coefficients; without it flat at the agreed origin"},
    {"prior.lambda0", MB_OPT_TEXT, AT(lambda0), NULL, 0, 0, "A[,B,..]", "data units", "math 10", "",
     "linreg: their prior precision, in units of the noise's: one number (times the identity) or "
     "p*p; "
     "without it 1e-4 in the agreed scale"},
    {"algorithm", MB_OPT_TEXT, AT(algorithm), "edge", 0, 0, "NAME[,NAME..]", "", "", "",
     "cvb, noncoop, nsg, dsvb, admm, flow, edge, average, incremental; a list runs each on the "
     "same data and start"},
    {"init", MB_OPT_INPUT, AT(init), "kmeans", 0, 0,
     "kmeans|farthest|random|responsibilities:FILE|centres:FILE", "", "", "init_params",
     "the common start; random is each node's own, to see it fail"},
    {"n-init", MB_OPT_INT, AT(n_init), "1", 1, 10000, NULL, "starts", "", "n_init",
     "number of starts; the one with the best lower bound summed over the network is kept"},
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
     "kl_truth, kl_cvb, bound, disagreement, accuracy, nmi, ari, bytes, frames, frozen, projected, "
     "lower_bound_sklearn"},
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

void sim_warn(sim *s, const char *fmt, ...)
{
    char    line[512];
    va_list ap;
    char   *copy;

    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (!s->ranks.rank)
        app_warn(s->command->name, "%s", line);
    copy = mb_alloc(s->a, strlen(line) + 1, 1);
    if (!copy || s->nwarning == SIM_MAX_WARNINGS)
        return;
    memcpy(copy, line, strlen(line) + 1);
    s->warning[s->nwarning++] = copy;
}

mb_status sim_numbers(mb_arena *a, const char *option, const char *text, double **out,
                      int32_t *count, mb_err *err)
{
    size_t  len = strlen(text);
    char   *copy;
    int32_t n = 0;

    MB_NEW(copy, a, len + 1, err);
    memcpy(copy, text, len + 1);
    for (size_t c = 0; c <= len; c++)
        n += text[c] == ',' || !text[c];
    MB_NEW(*out, a, n, err);
    for (int32_t k = 0; k < n; k++) {
        char *comma = strchr(copy, ',');

        if (comma)
            *comma = 0;
        if (mb_parse_double(copy, &(*out)[k]))
            MB_FAIL(err, MB_E_ARG, "--%s: entry %d, \"%s\", is not a finite number", option, k + 1,
                    copy);
        copy = comma ? comma + 1 : copy;
    }
    *count = n;
    return MB_OK;
}

mb_status sim_options_new(mb_arena *a, const mb_algo *algo, void **out, mb_err *err)
{
    *out = mb_alloc(a, 1, algo->opt_size);
    if (!*out)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the options of %s", algo->name);
    return MB_OK;
}

/* The program's options and those of every algorithm in the list. */
int sim_groups(sim *s, app_group *group, int max)
{
    int                   n = 0;
    const mb_algo *const *list = mb_algo_list();

    group[n++] = (app_group){s->table, &s->opt};
    for (int k = 0; list[k] && n < max; k++)
        if (list[k]->opts)
            group[n++] = (app_group){list[k]->opts, s->choice[k].opt};
    return n;
}

static mb_status choose(sim *s, const sim_choice *all, const char *name, mb_err *err)
{
    for (int32_t c = 0; c < s->nchoice; c++)
        if (!strcmp(s->choice[c].name, name))
            MB_FAIL(err, MB_E_ARG, "--algorithm: %s is named twice", name);
    if (!strcmp(name, "cvb")) {
        s->choice[s->nchoice++] = (sim_choice){"cvb", &mb_algo_noncoop, NULL, 1};
        return MB_OK;
    }
    for (int k = 0; all[k].algo; k++)
        if (!strcmp(all[k].name, name)) {
            s->choice[s->nchoice++] = all[k];
            return MB_OK;
        }
    MB_FAIL(
        err, MB_E_ARG,
        "--algorithm: \"%s\" is not known, accepted: cvb, noncoop, nsg, dsvb, admm, flow, edge, "
        "average, incremental",
        name);
}

/* s->choice first holds every algorithm (for its options), then the chosen ones in order. */
static mb_status choices(sim *s, mb_err *err)
{
    sim_choice all[SIM_MAX_ALGOS + 1];
    size_t     len = strlen(s->opt.algorithm);
    char      *name;

    memcpy(all, s->choice, sizeof s->choice);
    memset(&all[SIM_MAX_ALGOS], 0, sizeof all[0]);
    memset(s->choice, 0, sizeof s->choice);
    s->nchoice = 0;
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

mb_status sim_need_data(const sim *s, mb_err *err)
{
    if (!s->opt.data)
        MB_FAIL(err, MB_E_ARG, "--data is missing: the CSV or NPY file with the rows");
    return MB_OK;
}

mb_status sim_parse(sim *s, const app_group *more, int argc, char **argv, mb_err *err)
{
    app_group             group[SIM_MAX_ALGOS + 1];
    const mb_algo *const *list = mb_algo_list();
    int                   n;

    for (int k = 0; list[k] && k < SIM_MAX_ALGOS; k++) {
        s->choice[k] = (sim_choice){list[k]->name, list[k], NULL, 0};
        MB_TRY(sim_options_new(s->a, list[k], &s->choice[k].opt, err));
    }
    n = sim_groups(s, group, SIM_MAX_ALGOS);
    if (more)
        group[n++] = *more;
    MB_TRY(mb_opt_defaults(sim_options, &s->opt, err));
    MB_TRY(app_parse(argc, argv, group, n, NULL, 0, NULL, err));
    if (s->opt.network && s->opt.topology)
        MB_FAIL(err, MB_E_ARG, "--network and --topology exclude each other");
    return choices(s, err);
}
