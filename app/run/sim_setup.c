/* sim_setup.c - the network, its rows and the case, with their checks. */
#include "base/pool.h"
#include "base/text.h"
#include "data/data.h"
#include "model/kind.h"
#include "network/graph.h"
#include "network/network.h"
#include "run/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int central_alone(const sim_args *args)
{
    return args->nchoice == 1 && args->choice[0].cvb;
}

/* Blocks of rows for the nodes, without the names that every process would have of all. */
static mb_status deal_blocks(sim_job *job, int32_t N, sim_rows *rows, mb_arena *scratch_arena,
                             mb_err *err)
{
    mb_data     *data = &rows->data;
    const size_t many = (size_t)N + 1;
    int64_t     *first;

    MB_NEW(first, job->a, many, err);
    MB_TRY(mb_data_deal_blocks(scratch_arena, data, N, err));
    memcpy(first, data->first, many * sizeof *first);
    data->first = first;
    data->node_id = NULL;
    return MB_OK;
}

static mb_status give_blocks(sim_job *job, int32_t N, sim_rows *rows, mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_new(1 << 16);
    mb_status st;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    st = deal_blocks(job, N, rows, scratch_arena, err);
    mb_arena_free(scratch_arena);
    return st;
}

static mb_status deal(sim_job *job, const sim_network *network, sim_rows *rows, mb_err *err)
{
    const mb_network *net = &network->net;
    const sim_opt    *o = &rows->args->opt;
    mb_data          *data = &rows->data;

    if (data->N) /* a topology has the data's nodes */
        return o->network ? mb_data_regroup(job->a, data, net->n, net->id, err) : MB_OK;
    return o->deal == SIM_BLOCKS || net->n == 1
               ? give_blocks(job, net->n, rows, err)
               : mb_data_deal(job->a, data, net->n, (uint64_t)o->seed, err);
}

mb_status sim_rows_deal(sim_job *job, const sim_network *network, sim_rows *rows, mb_err *err)
{
    sim_design_lift(rows);
    MB_TRY(deal(job, network, rows, err));
    return sim_design_lay(job, rows, err);
}

static mb_status draw(sim_job *job, sim_network *network, const char *text,
                      const mb_network_opt *how, mb_err *err)
{
    const int32_t  N = network->rows->data.N;
    const sim_opt *o = &network->args->opt;
    int32_t        n;

    MB_TRY(mb_topology_size(text, &n, err));
    if (N && N != n && network->rows->data.nfiles > 1 && !o->node_column)
        MB_FAIL(err, MB_E_ARG,
                "--topology: %s has %d nodes, --data has %d files; expected one each", text, n, N);
    if (N && N != n)
        MB_FAIL(err, MB_E_ARG, "--topology: %s has %d nodes, column \"%s\" of %s has %d", text, n,
                o->node_column, o->data, N);
    return mb_network_draw(job->a, text, (uint64_t)o->seed, how, &network->net, err);
}

/* Sites that each have a file, and no network: each is linked to all others. 1: so it is. */
static mb_status only_files(sim_job *job, const sim_rows *rows, int *linked, mb_err *err)
{
    const mb_data *data = &rows->data;
    const sim_opt *o = &rows->args->opt;

    *linked = data->nfiles > 1 && !o->node_column && !o->read.node_file && !o->network &&
              !o->topology && !central_alone(rows->args);
    if (!*linked)
        return MB_OK;
    if (data->N > SIM_COMPLETE)
        MB_FAIL(err, MB_E_ARG,
                "no network for the %d nodes of --data: give --network FILE.csv or --topology "
                "NAME:n=%d,..",
                data->N, data->N);
    sim_note(job, "no network is given: each of the %d nodes is linked to all others", data->N);
    return MB_OK;
}

static mb_status make(sim_job *job, sim_network *network, int linked, mb_err *err)
{
    const sim_opt       *o = &network->args->opt;
    const mb_data       *data = &network->rows->data;
    const mb_network_opt how = {.weights = o->weights,
                                .positions = o->positions,
                                .skip_own = 1,
                                .id = data->node_id,
                                .nid = data->N,
                                .delivery =
                                    isnan(o->loss) ? MB_DELIVERY_NEEDED : MB_DELIVERY_UNUSED};
    char                 everyone[32];

    if (how.delivery && !o->network)
        MB_FAIL(err, MB_E_ARG,
                "--loss: file needs --network FILE with a column prob or loss for each link");
    snprintf(everyone, sizeof everyone, "complete:n=%d", data->N ? data->N : 1);
    if (o->network)
        return mb_network_read(job->a, o->network, &how, &network->net, err);
    if (o->topology || linked || central_alone(network->args))
        return draw(job, network, o->topology ? o->topology : everyone, &how, err);
    MB_FAIL(err, MB_E_ARG, "no network: give --network FILE.csv or --topology NAME:..");
}

/* 1: process 0 alone has links, weights, positions and names. All have them in `fit`, where each has
 * the one node, with chances of each link, and with rows that name the nodes of a file. */
static int is_apart(const sim_job *job, const sim_rows *rows)
{
    return job->ranks.size > 1 && !rows->args->command->fit && !isnan(rows->args->opt.loss) &&
           !(rows->args->opt.network && rows->data.N);
}

/* What the other processes know of the network: its size and facts, names if rows have them. */
static mb_status tell(sim_job *job, sim_network *network, mb_err *err)
{
    mb_network *net = &network->net;
    struct {
        mb_graph_stats facts;
        int32_t        n;
    } known = {net->facts, net->n};

    MB_TRY(ranks_share(&job->ranks, 0, &known, sizeof known, err));
    if (job->ranks.rank)
        *net = (mb_network){.n = known.n, .facts = known.facts, .id = network->rows->data.node_id};
    return MB_OK;
}

static mb_status check_utf8(const sim_args *args, const char *what, const char *const *text,
                            int32_t n, mb_err *err)
{
    for (int32_t k = 0; k < n; k++)
        for (const char *c = text[k]; *c; c += mb_utf8(c))
            if (!mb_utf8(c))
                MB_FAIL(err, MB_E_FORMAT, "%s: the name of %s %d is not UTF-8; expected UTF-8",
                        args->opt.data, what, k + 1);
    return MB_OK;
}

/* Names must be UTF-8: they go to JSON files at the end. */
static mb_status names(const sim_rows *rows, mb_err *err)
{
    const mb_data *d = &rows->data;

    MB_TRY(check_utf8(rows->args, "column", d->name, d->d, err));
    return check_utf8(rows->args, "label", d->label_name, d->nlabel, err);
}

/* Refuses methods that need a ring or every message where there is none, or messages are lost. */
static mb_status check_methods(const sim_network *network, mb_err *err)
{
    const mb_graph *g = &network->net.g;
    const int32_t   off = g->ptr ? mb_graph_ring(g, NULL) : -1;

    for (const sim_choice *c = network->args->choice;
         c < network->args->choice + network->args->nchoice; c++) {
        if (!c->cvb && c->algo->needs & MB_NEEDS_EVERY_MSG && mb_faults_any(&network->faults))
            MB_FAIL(err, MB_E_ARG,
                    "--algorithm: %s needs every message (one lost or late message leaves it "
                    "agreeing on a wrong answer for good), but the network has loss, silence or "
                    "delay; use edge",
                    c->name);
        if (!c->cvb && network->args->opt.send == MB_SEND_CHANGES &&
            !(c->algo->bears & MB_BEARS_CHANGES))
            MB_FAIL(err, MB_E_ARG,
                    "--send: %s needs whole messages, in every round; expected all, or edge alone "
                    "(and cvb) with changes",
                    c->name);
        if (!c->cvb && c->algo->needs & MB_NEEDS_RING && off >= 0)
            MB_FAIL(err, MB_E_ARG,
                    "--algorithm: %s carries its estimate round a cyclic path and needs a ring, "
                    "but node \"%s\" has %lld neighbours; expected networks where each has two; "
                    "use edge",
                    c->name, network->net.id[off], (long long)(g->ptr[off + 1] - g->ptr[off]));
    }
    return MB_OK;
}

static mb_status find_node(sim_network *network, mb_err *err)
{
    for (int32_t i = 0; network->args->opt.node && network->net.id && i < network->net.n; i++)
        if (!strcmp(network->net.id[i], network->args->opt.node)) {
            network->node = i;
            return MB_OK;
        }
    if (!network->args->opt.node || !network->net.id)
        return MB_OK;
    MB_FAIL(err, MB_E_ARG, "--node: \"%s\" is not a node of the network", network->args->opt.node);
}

/* What only a process with the whole network can say. */
static mb_status check_network(sim_network *network, mb_err *err)
{
    MB_TRY(check_utf8(network->args, "node", network->net.id, network->net.id ? network->net.n : 0,
                      err));
    MB_TRY(check_methods(network, err));
    return find_node(network, err);
}

/* The network itself, in every process that needs it. */
static mb_status link_nodes(sim_job *job, sim_network *network, mb_err *err)
{
    const int apart = is_apart(job, network->rows);
    mb_status st;
    int       linked;

    MB_TRY(only_files(job, network->rows, &linked, err));
    st = apart && job->ranks.rank ? MB_OK : make(job, network, linked, err);
    if (apart)
        st = ranks_agree(&job->ranks, st, err);
    MB_TRY(st);
    if (apart)
        MB_TRY(tell(job, network, err));
    if (network->net.warning)
        sim_warn(job, "%s", network->net.warning);
    if (network->net.note)
        sim_note(job, "%s", network->net.note);
    return MB_OK;
}

mb_status sim_network_make(sim_job *job, const sim_rows *rows, sim_network *out, mb_err *err)
{
    const sim_opt *o = &rows->args->opt;

    *out = (sim_network){.args = rows->args, .rows = rows};
    MB_TRY(link_nodes(job, out, err));
    out->faults = (mb_faults){.loss = isnan(o->loss) ? 0 : o->loss,
                              .delivery = out->net.delivery,
                              .graph = &out->net.g,
                              .loss_directed = o->loss_directed,
                              .silent = o->silent,
                              .delay = o->delay,
                              .seed = (uint64_t)o->seed};
    MB_TRY(ranks_agree(&job->ranks, check_network(out, err), err));
    return ranks_share(&job->ranks, 0, &out->node, sizeof out->node, err);
}

/* Of the metrics of a folder, those that take a run of their own are dropped where rows stay in their
 * file. */
static void limit_defaults(sim_case *cs)
{
    if (cs->args->sampled && cs->rows->mapped->base)
        cs->metrics &= ~(1u << MB_M_KL_TRUTH | 1u << MB_M_KL_CVB);
}

/* Drops the metrics that the data do not allow. */
static void limit_metrics(sim_job *job, sim_case *cs)
{
    const mb_data *data = &cs->rows->data;
    const int32_t  K = sim_components(cs->args);

    if (!data->label)
        cs->metrics &= ~(uint32_t)SIM_JUDGED;
    if (!(cs->metrics & 1u << MB_M_KL_TRUTH) ||
        (data->label && mb_kind_has_components(cs->args->kind) && data->nlabel <= K))
        return;
    cs->metrics &= ~(1u << MB_M_KL_TRUTH);
    if (data->label && mb_kind_has_components(cs->args->kind) && !cs->args->sampled)
        sim_warn(job, "kl_truth is left out: %d classes for %d components", data->nlabel, K);
}

/* Linux: memory that is available without swapping. */
double sim_free_memory(void)
{
    FILE  *f = fopen("/proc/meminfo", "r");
    char   line[128];
    double kilobytes = 0;

    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "MemAvailable:", 13))
            kilobytes = strtod(line + 13, NULL);
    if (f)
        fclose(f);
    return 1024 * kilobytes;
}

/* Bytes that this process may still allocate; 0: not known. */
static double room(void)
{
    const double  left = sim_free_memory();
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return left;
    return left > 0 && left < (double)limit.rlim_cur ? left : (double)limit.rlim_cur;
}

/* MB_E_NOMEM when the matrices of the model alone do not fit into this machine. */
static mb_status check_size(const sim_job *job, const sim_network *network, mb_err *err)
{
    enum { COPIES = 2 /* every node's estimate before and after a step */ };
    const mb_kind *kind = network->args->kind;
    const double   D = sim_inputs(network->rows),
                 K = mb_kind_has_components(kind) ? sim_components(network->args) : 1;
    const double nodes =
        central_alone(network->args) ? 1 : (double)network->net.n / job->ranks.size;
    const double need = 8 * (D * D + COPIES * nodes * K * D * (D + 1) / 2), have = room();
    char         many[48] = "", apart[32] = "";

    if (!(have > 0) || need <= have)
        return MB_OK;
    if (mb_kind_has_components(kind))
        snprintf(many, sizeof many, " and K = %.0f components", K);
    if (nodes > 1)
        snprintf(apart, sizeof apart, " at %.0f nodes", nodes);
    MB_FAIL(err, MB_E_NOMEM,
            "model %s with D = %.0f features%s needs %.3g GB for matrices of D x D numbers%s, and "
            "%.3g GB can be had here; expected fewer features (meshbayes data pca makes some)%s, "
            "or more memory",
            kind->name, D, many, 1e-9 * need, apart, 1e-9 * have,
            mb_kind_has_components(kind) ? " or components" : "");
}

mb_status sim_case_empty(sim_job *job, const sim_network *network, sim_case *out, mb_err *err)
{
    *out = (sim_case){.args = network->args,
                      .rows = network->rows,
                      .network = network,
                      .hash = network->rows->data.hash,
                      .n_init = network->args->opt.n_init,
                      .metrics = network->args->metrics};
    MB_NEW(out->drawn, job->a, 1, err);
    MB_NEW(out->fit, job->a, 1, err);
    MB_NEW(out->fit->stages, job->a, 1, err);
    return MB_OK;
}

mb_status sim_case_begin(sim_job *job, const sim_network *network, sim_case *out, mb_err *err)
{
    MB_TRY(sim_case_empty(job, network, out, err));
    MB_TRY(names(out->rows, err));
    MB_TRY(check_size(job, network, err));
    limit_metrics(job, out);
    limit_defaults(out);
    MB_TRY(sim_start_check(job, out, err));
    MB_TRY(sim_check_data(job, network, err));
    MB_TRY(sim_table(job, out, err));
    return sim_hash(job, out, err);
}

mb_case_opt sim_case_opt(const sim_case *cs)
{
    int32_t masked = 0;

    for (int32_t k = 0; k < cs->args->nchoice; k++)
        masked |= sim_is_masked(&cs->args->choice[k]);
    return (mb_case_opt){.raw = !cs->args->opt.standardize,
                         .precision = (mb_precision)cs->args->opt.precision,
                         .prior = cs->prior,
                         .bounds = cs->bounds.d ? &cs->bounds : NULL,
                         .masked = masked,
                         .mask_seed = (uint64_t)cs->args->opt.seed};
}

/* The same with the stages of its fit, but for the session. */
static mb_status make_case(sim_job *job, const sim_network *network, sim_case *out, mb_err *err)
{
    const sim_args *args = network->args;
    const int32_t   threads = (int32_t)args->opt.threads;
    mb_fit_stages  *stages;
    mb_case_opt     how;

    MB_TRY(sim_case_begin(job, network, out, err));
    how = sim_case_opt(out);
    stages = out->fit->stages;
    MB_TRY(mb_place_share(job->a, &network->net, job->ranks.comm, &stages->place, err));
    MB_TRY(sim_rows_ready(job, out, err));
    MB_TRY(mb_case_make(job->a, &stages->place, &out->table, args->kind, args->model_opt, &how,
                        &stages->nodes, err));
    sim_check_case(job, out);
    return mb_pool_open(job->a, threads ? threads : job->ranks.threads, &stages->pool, err);
}

mb_status sim_setup(sim *s, mb_err *err)
{
    sim_job *job = &s->job;

    MB_TRY(sim_network_make(job, &s->rows, &s->network, err));
    MB_TRY(sim_rows_deal(job, &s->network, &s->rows, err));
    return (s->args.command->fit ? sim_case_begin : make_case)(job, &s->network, &s->cs, err);
}

mb_status sim_central(sim_job *job, const sim_case *cs, mb_err *err)
{
    mb_fit_stages *stages = cs->fit->stages;

    if (stages->central.nodes)
        return MB_OK;
    return mb_case_central(job->a, &stages->nodes, stages->pool, (int32_t)cs->args->opt.threads,
                           &stages->central, err);
}
