/* cmd_plan.c - `meshbayes plan`: bytes, work, memory and time of a run, before it is made. */
#include "sim/plan.h"

#include <string.h>

static const char *const taken[] = {
    "data",      "node-column", "label-column",  "weight-column", "network", "topology", "weights",
    "model",     "algorithm",   "init",          "n-init",        "rounds",  "seed",     "threads",
    "precision", "loss",        "loss-directed", "silent",        "delay",   "json",     NULL};

enum { OPTIONS = 32 };
#define AT(field) offsetof(plan_opt, field)

static const mb_opt options[] = {
    {"rows-per-node", MB_OPT_INT, AT(rows_per_node), "100", 1, 1e12, NULL, "rows", "", "",
     "rows of each node, when there is no --data"},
    {"features", MB_OPT_INT, AT(features), "2", 1, 10000, NULL, "columns", "", "",
     "columns of the rows, when there is no --data"},
    {"measure", MB_OPT_REAL, AT(measure), "0.2", 0, 3600, NULL, "seconds", "", "",
     "how long each algorithm is timed; at least one round is"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const mb_opt words[] = {
    {"data", MB_OPT_INPUT, offsetof(sim_opt, data), NULL, 0, 0, "FILE.csv|FILE.npy", "", "", "X",
     "the rows, if they are there; without it, rows of the given shape are drawn"},
    {"json", MB_OPT_FLAG, offsetof(sim_opt, json), NULL, 0, 0, NULL, "", "", "",
     "print the plan as JSON instead of a table"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* The command's own options live behind the simulator's: s->own. */
static mb_status parse(sim *s, int argc, char **argv, mb_err *err)
{
    plan   *p;
    mb_opt *table;

    MB_NEW(p, s->a, 1, err);
    MB_NEW(table, s->a, OPTIONS + 1, err);
    sim_pick(taken, words, table, OPTIONS);
    s->asked.table = table;
    s->own = p;
    p->s = s;
    return sim_parse(s, &(app_group){options, &p->opt}, argc, argv, err);
}

static int make(sim *s, sim_result *r, mb_err *err)
{
    plan *p = s->own;
    int   failures = 0;

    if (plan_data(p, err) < 0 || sim_setup(s, err) < 0)
        return app_fail("plan", err, 1);
    for (int32_t k = 0; k < s->asked.nchoice; k++) {
        if (plan_measure(p, k, &r[k], err) < 0)
            return app_fail("plan", err, 0);
        failures += p->cost[k].failed;
    }
    if (sim_start_sent(s, &s->begin.sent, err) < 0)
        return app_fail("plan", err, 0);
    if (!s->opt.json)
        plan_print(p);
    else if (plan_json(p, err) < 0)
        return app_fail("plan", err, 0);
    if (plan_check_memory(p, plan_free_memory(), err) < 0)
        return app_fail("plan", err, 0);
    return failures ? APP_FAILED : APP_DONE;
}

static const sim_command command = {.name = "plan", .parse = parse, .run = make};

static int run(int argc, char **argv)
{
    return sim_main(&command, argc, argv);
}

static void help(FILE *out)
{
    mb_opt table[OPTIONS + 1];

    app_print_help(
        out,
        "\nPredicts what `meshbayes sim` with the same options would send, compute and store, and "
        "about how long it would take on this machine. It needs no data: the number of rows per "
        "node and of columns suffices. Each algorithm runs briefly on rows of that shape.\n"
        "\nExample\n"
        "  meshbayes plan --topology geometric:n=200,side=7,radius=0.8 --rows-per-node 1000 \\\n"
        "      --features 10 --n-components 5 --algorithm cvb,dsvb,edge --rounds 2000\n"
        "\nOn radios or modems the bytes decide, on one machine the time. The bytes of a message "
        "grow with components times features squared, not with rows. A round on real nodes takes "
        "the larger of a node's share of the work and the delay of a message.\n"
        "\nIf a run would not fit into the free memory of this machine, the plan ends with status "
        "1.\n");
    sim_pick(taken, words, table, OPTIONS);
    app_print_options(out, "The shape", options);
    app_print_options(out, "As in sim", table);
    sim_print_kinds(out);
}

const app_command app_cmd_plan = {.name = "plan",
                                  .summary = "bytes, memory and time of a run, before it",
                                  .usage = "meshbayes plan --topology T --rows-per-node N "
                                           "--features D --n-components K ..",
                                  .run = run,
                                  .help = help};
