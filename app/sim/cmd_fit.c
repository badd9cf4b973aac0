/* cmd_fit.c - `meshbayes fit`: central VB on one machine; `sim` with one node. */
#include "sim/fit.h"

static const char *const taken[] = {"data",   "label-column", "weight-column", "model",
                                    "init",   "n-init",       "standardize",   "precision",
                                    "rounds", "tol",          "seed",          "threads",
                                    "trace",  "out",          "json",          NULL};

enum { OPTIONS = 32 };
#define AT(field) offsetof(sim_opt, field)

/* Where there is no network, the words are others. */
static const mb_opt own[] = {
    {"init", MB_OPT_INPUT, AT(init), "kmeans", 0, 0,
     "kmeans|farthest|random|responsibilities:FILE|centres:FILE", "", "", "init_params",
     "the initialisation: centres by k-means++ or farthest-first, random responsibilities, or a "
     "file"},
    {"n-init", MB_OPT_INT, AT(n_init), "1", 1, 10000, NULL, "starts", "", "n_init",
     "number of initialisations; the one with the best lower bound is used"},
    {"standardize", MB_OPT_CHOICE, AT(standardize), "on", 0, 0, "off|on", "", "", "",
     "compute in columns brought to a common origin and scale (undone in every output); off: to "
     "the origin alone"},
    {"rounds", MB_OPT_INT, AT(rounds), "1000", 1, 1e9, NULL, "rounds", "", "max_iter",
     "at most this many steps; round 1 is the M-step of the initialisation, so scikit-learn's "
     "iteration r is "
     "round r + 1"},
    {"tol", MB_OPT_REAL, AT(tol), "3e-7", 0, 1, NULL, "posterior standard deviations", "", "tol",
     "stop when a round moves the posterior by no more, twice in a row; 0 never stops early"},
    {"threads", MB_OPT_INT, AT(threads), "0", 0, 4096, NULL, "threads", "", "n_jobs",
     "0: as many as pay: one for a step of less than about 1 ms; the bits do not depend on it"},
    {"trace", MB_OPT_OUTPUT, AT(trace), NULL, 0, 0, "FILE.csv", "", "", "",
     "write bound and lower_bound_sklearn of every round, nats, data units"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_status parse(sim *s, int argc, char **argv, mb_err *err)
{
    mb_opt *table;

    MB_NEW(table, s->a, OPTIONS + 1, err);
    sim_pick(taken, own, table, OPTIONS);
    s->asked.table = table;
    MB_TRY(sim_parse_central(s, argc, argv, err));
    MB_TRY(sim_need_data(s, err));
    if (s->opt.trace)
        s->asked.metrics = 1u << MB_M_BOUND | 1u << MB_M_BOUND_SKLEARN;
    return MB_OK;
}

static const sim_command command = {
    .name = "fit", .parse = parse, .print = fit_print, .fit = sim_fit};

static int run(int argc, char **argv)
{
    return sim_main(&command, argc, argv);
}

static void help(FILE *out)
{
    mb_opt table[OPTIONS + 1];

    app_print_help(
        out,
        "\nFits a model to the rows of one file on this machine: variational Bayes on all rows at "
        "once, the reference for networks of nodes. Every round is one E-step and one M-step; the "
        "lower bound never decreases. Ends when it has settled (--tol) or after --rounds.\n"
        "\nExample\n"
        "  meshbayes fit --data rows.csv --n-components 3 --n-init 5 --out posterior.json\n"
        "\nMore components than the data need do no harm: a small --prior.alpha0 lets the weights "
        "of those that are not needed go to zero.\n"
        "\nThe trace has two lower bounds, in nats: \"bound\" at the parameters with which a "
        "round begins its E-step, and \"lower_bound_sklearn\" after the M-step that follows, "
        "whose increments are those of lower_bound_ in scikit-learn (its constant differs). At "
        "the end both agree.\n"
        "\nSIGINT (Ctrl-C) and SIGTERM end the fit after the current round, with its posterior; "
        "status 130 or 143. A second signal ends it at once.\n");
    sim_pick(taken, own, table, OPTIONS);
    app_print_options(out, "Options", table);
    sim_print_kinds(out);
}

const app_command app_cmd_fit = {.name = "fit",
                                 .summary = "fit a model to one file on this machine",
                                 .usage = "meshbayes fit --data FILE --n-components K [options]",
                                 .run = run,
                                 .help = help};
