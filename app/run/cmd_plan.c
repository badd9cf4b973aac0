/* cmd_plan.c - `meshbayes plan`: what a run would send, compute and store, and how long it would
 * take. */
#include "data/data.h"
#include "model/kind.h"
#include "network/graph.h"
#include "run/plan.h"

#include <math.h>

#define AT(field) offsetof(plan, opt.field)

static const mb_opt options[] = {
    {"rows-per-node", MB_OPT_INT, AT(rows_per_node), "100", 1, 1e12, NULL, "rows", "", "",
     "rows of each node, when there is no --data"},
    {"features", MB_OPT_INT, AT(features), "2", 1, 10000, NULL, "columns", "", "",
     "columns of the rows, when there is no --data"},
    {"measure", MB_OPT_REAL, AT(measure), "0.2", 0, 3600, NULL, "seconds", "", "",
     "how long rounds of each algorithm are timed, at least one; initialisation is timed once"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* Largest trial run: rows times (columns + components), about 100 MB; and rows times columns times
 * components, so that k-means takes about half a second. */
static const double MOST = 4e6, MOST_WORK = 2e7;
/* Of two clouds, standard deviations. They overlap so that k-means takes about as many steps as for
 * rows that were measured: for most data sets 10 to 50. */
static const double APART = 2;

static mb_status count_nodes(sim_job *job, const sim_args *args, int32_t *nodes, mb_err *err)
{
    const mb_network_opt links = {.links_only = 1, .skip_own = 1};
    mb_network           net = {.n = 1};

    if (args->opt.network)
        MB_TRY(mb_network_read(job->a, args->opt.network, &links, &net, err));
    else if (args->opt.topology)
        MB_TRY(mb_topology_size(args->opt.topology, &net.n, err));
    *nodes = net.n;
    return MB_OK;
}

/* Row r belongs to cloud r mod K; column d is shifted in one cloud in K. */
static mb_status draw_rows(sim_job *job, const sim_args *args, int64_t n, int32_t D, sim_rows *rows,
                           mb_err *err)
{
    const int64_t K = sim_components(args), clouds = K ? K : 2;
    const double  shift = APART / sqrt(2 * fmax(1, (double)D / (double)clouds));
    mb_rng        rng = mb_rng_at((uint64_t)args->opt.seed, MB_STREAM_DATA, 0, 0);

    *rows = (sim_rows){.args = args};
    MB_NEW(rows->mapped, job->a, 1, err);
    rows->data.n = n;
    rows->data.d = D;
    MB_NEW(rows->data.x, job->a, (size_t)n * (size_t)D, err);
    MB_NEW(rows->data.file_row, job->a, n, err);
    for (int64_t r = 0; r < n; r++) {
        rows->data.file_row[r] = r;
        for (int32_t d = 0; d < D; d++)
            rows->data.x[r * D + d] = mb_rng_normal(&rng) + (d % clouds == r % clouds ? shift : 0);
    }
    return mb_data_number_columns(job->a, D, &rows->data.name, err);
}

/* Columns that are explained. */
static int32_t targets(const sim_args *args)
{
    mb_sizes size;

    args->kind->sizes(args->model_opt, 1, &size);
    return mb_kind_targets(args->kind, &size);
}

/* Rows of the planned shape, or those of --data. */
static mb_status data(plan *p, const sim_args *args, sim_rows *rows, mb_err *err)
{
    const int32_t D = (int32_t)p->opt.features + targets(args);
    const int64_t K = sim_components(args);
    int32_t       nodes;
    double        per_node;

    if (args->opt.data) {
        MB_TRY(sim_rows_read(p->job, args, rows, err));
        p->rows = (double)rows->data.n;
        p->measured = rows->data.n;
        return MB_OK;
    }
    MB_TRY(count_nodes(p->job, args, &nodes, err));
    p->rows = (double)p->opt.rows_per_node * nodes;
    per_node = fmin(MOST / (double)(D + K), MOST_WORK / fmax(1, (double)D * (double)K)) / nodes;
    per_node = fmin(fmax(1, per_node), (double)p->opt.rows_per_node);
    p->measured = (int64_t)per_node * nodes;
    if (p->measured < K && p->rows >= (double)K)
        p->measured = K;
    return draw_rows(p->job, args, p->measured, D, rows, err);
}

static mb_status estimate(plan *p, sim_result *r, int *failures, mb_err *err)
{
    const sim_case *cs = p->cs;

    for (int32_t k = 0; k < cs->args->nchoice; k++) {
        MB_TRY(plan_measure(p, k, &r[k], err));
        *failures += p->cost[k].failed;
    }
    MB_TRY(sim_start_sent(cs, &p->sent, err));
    p->sent.bytes += (cs->n_init - 1) * cs->drawn->sent.bytes; /* of the trial: one */
    if (cs->args->opt.json)
        MB_TRY(plan_json(p, err));
    else
        plan_print(p);
    return plan_check_memory(p, sim_free_memory(), err);
}

static int make(sim *s, mb_err *err)
{
    plan *p = s->args.own;
    int   failures = 0;

    p->job = &s->job;
    p->cs = &s->cs;
    if (data(p, &s->args, &s->rows, err) < 0 || sim_setup(s, err) < 0 ||
        sim_results_begin(s, err) < 0)
        return app_fail("plan", err, 1);
    if (estimate(p, s->results.r, &failures, err) < 0)
        return app_fail("plan", err, 0);
    return failures ? APP_FAILED : APP_DONE;
}

static const sim_command command = {
    .name = "plan", .bit = SIM_PLAN, .more = options, .size = sizeof(plan), .run = make};

static int run(int argc, char **argv)
{
    return sim_main(&command, argc, argv);
}

static void help(FILE *out)
{
    mb_opt table[SIM_MAX_OPTIONS];

    app_print_options(out, "The shape", options);
    sim_pick(SIM_PLAN, SIM_GROUPS, table);
    app_print_options(out, "As in sim", table);
    sim_print_kinds(out);
}

const app_command app_cmd_plan = {
    .name = "plan",
    .summary = "bytes, memory and time of a run, before it",
    .usage = "meshbayes plan --topology T --rows-per-node N "
             "--features D --n-components K ..",
    .run = run,
    .text =
        "\nPredicts what `meshbayes sim` with the same options would send, compute and store, and "
        "about how long it would take on this machine. It needs no data: the number of rows per "
        "node and of columns suffices. Each algorithm runs briefly on rows of that shape.\n"
        "\nTimes are estimates. The initialisation is timed once, and rounds of each algorithm for "
        "--measure seconds, or until it settles: a run is the initialisation and the rounds until "
        "it settles, which a shorter trial forecasts from the rate at which its nodes come to "
        "rest. What all --rounds would cost stands below the table. How many steps k-means "
        "takes depends on the rows: given --data they are counted on all of them, otherwise on "
        "rows that are drawn, from overlapping clusters, and the plan also says how long the "
        "largest number of steps would take.\n"
        "\nExample\n"
        "  meshbayes plan --topology geometric:n=200,side=7,radius=0.8 --rows-per-node 1000 \\\n"
        "      --features 10 --n-components 5 --algorithm cvb,dsvb,edge --rounds 2000\n"
        "\nOn radios or modems the bytes decide, on one machine the time. The bytes of a message "
        "grow with components times features squared, not with rows. A round on real nodes takes "
        "the larger of a node's share of the work and the delay of a message.\n"
        "\nIf a run would not fit into the free memory of this machine, the plan ends with status "
        "1.\n",
    .help = help};
