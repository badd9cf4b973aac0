/* sim_setup.c - the network, its rows, and checks of both. */
#include "base/pool.h"
#include "base/text.h"
#include "data/data.h"
#include "network/graph.h"
#include "network/network.h"
#include "run/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int central_alone(const sim *s)
{
    return s->args.nchoice == 1 && s->args.choice[0].cvb;
}

/* Blocks of rows for the nodes, without the names that every process would have of all. */
static mb_status deal_blocks(sim *s, mb_arena *draft, mb_err *err)
{
    mb_data     *data = &s->rows.data;
    const size_t many = (size_t)s->network.net.n + 1;
    int64_t     *first;

    MB_NEW(first, s->job.a, many, err);
    MB_TRY(mb_data_deal_blocks(draft, data, s->network.net.n, err));
    memcpy(first, data->first, many * sizeof *first);
    data->first = first;
    data->node_id = NULL;
    return MB_OK;
}

static mb_status give_blocks(sim *s, mb_err *err)
{
    mb_arena *draft = mb_arena_new(1 << 16);
    mb_status st;

    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    st = deal_blocks(s, draft, err);
    mb_arena_free(draft);
    return st;
}

/* Regroups or deals the rows to the nodes of the network. */
static mb_status give_rows(sim *s, mb_err *err)
{
    const mb_network *net = &s->network.net;
    mb_data          *data = &s->rows.data;

    if (data->N) /* a topology has the data's nodes */
        return s->args.opt.network ? mb_data_regroup(s->job.a, data, net->n, net->id, err) : MB_OK;
    return s->args.opt.deal == SIM_BLOCKS || net->n == 1
               ? give_blocks(s, err)
               : mb_data_deal(s->job.a, data, net->n, (uint64_t)s->args.opt.seed, err);
}

static mb_status draw(sim *s, const char *text, const mb_network_opt *how, mb_err *err)
{
    const int32_t N = s->rows.data.N;
    int32_t       n;

    MB_TRY(mb_topology_size(text, &n, err));
    if (N && N != n && s->rows.data.nfiles > 1 && !s->args.opt.node_column)
        MB_FAIL(err, MB_E_ARG,
                "--topology: %s has %d nodes, --data has %d files; expected one each", text, n, N);
    if (N && N != n)
        MB_FAIL(err, MB_E_ARG, "--topology: %s has %d nodes, column \"%s\" of %s has %d", text, n,
                s->args.opt.node_column, s->args.opt.data, N);
    return mb_network_draw(s->job.a, text, (uint64_t)s->args.opt.seed, how, &s->network.net, err);
}

/* Sites that each have a file, and no network: each is linked to all others. 1: so it is. */
static mb_status only_files(sim *s, int *linked, mb_err *err)
{
    const mb_data *data = &s->rows.data;

    *linked = data->nfiles > 1 && !s->args.opt.node_column && !s->args.opt.read.node_file &&
              !s->args.opt.network && !s->args.opt.topology && !central_alone(s);
    if (!*linked)
        return MB_OK;
    if (data->N > SIM_COMPLETE)
        MB_FAIL(err, MB_E_ARG,
                "no network for the %d nodes of --data: give --network FILE.csv or --topology "
                "NAME:n=%d,..",
                data->N, data->N);
    sim_note(s, "no network is given: each of the %d nodes is linked to all others", data->N);
    return MB_OK;
}

static mb_status make(sim *s, int linked, mb_err *err)
{
    const mb_data       *data = &s->rows.data;
    const mb_network_opt how = {.weights = s->args.opt.weights,
                                .positions = s->args.opt.positions,
                                .skip_own = 1,
                                .id = data->node_id,
                                .nid = data->N,
                                .delivery = isnan(s->args.opt.loss) ? MB_DELIVERY_NEEDED
                                                                    : MB_DELIVERY_UNUSED};
    char                 everyone[32];

    if (how.delivery && !s->args.opt.network)
        MB_FAIL(err, MB_E_ARG,
                "--loss: file needs --network FILE with a column prob or loss for each link");
    snprintf(everyone, sizeof everyone, "complete:n=%d", data->N ? data->N : 1);
    if (s->args.opt.network)
        return mb_network_read(s->job.a, s->args.opt.network, &how, &s->network.net, err);
    if (s->args.opt.topology || linked || central_alone(s))
        return draw(s, s->args.opt.topology ? s->args.opt.topology : everyone, &how, err);
    MB_FAIL(err, MB_E_ARG, "no network: give --network FILE.csv or --topology NAME:..");
}

/* 1: process 0 alone has links, weights, positions and names. All have them in `fit`, where each has
 * the one node, with chances of each link, and with rows that name the nodes of a file. */
static int is_apart(const sim *s)
{
    return s->job.ranks.size > 1 && !s->args.command->fit && !isnan(s->args.opt.loss) &&
           !(s->args.opt.network && s->rows.data.N);
}

/* What the other processes know of the network: its size and facts, names if rows have them. */
static mb_status tell(sim *s, mb_err *err)
{
    mb_network *net = &s->network.net;
    struct {
        mb_graph_stats facts;
        int32_t        n;
    } known = {net->facts, net->n};

    MB_TRY(ranks_share(&s->job.ranks, 0, &known, sizeof known, err));
    if (s->job.ranks.rank)
        *net = (mb_network){.n = known.n, .facts = known.facts, .id = s->rows.data.node_id};
    return MB_OK;
}

static mb_status network(sim *s, mb_err *err)
{
    const int apart = is_apart(s);
    mb_status st;
    int       linked;

    MB_TRY(only_files(s, &linked, err));
    st = apart && s->job.ranks.rank ? MB_OK : make(s, linked, err);
    if (apart)
        st = ranks_agree(&s->job.ranks, st, err);
    MB_TRY(st);
    if (apart)
        MB_TRY(tell(s, err));
    if (s->network.net.warning)
        sim_warn(s, "%s", s->network.net.warning);
    if (s->network.net.note)
        sim_note(s, "%s", s->network.net.note);
    return give_rows(s, err);
}

static mb_status check_utf8(const sim *s, const char *what, const char *const *text, int32_t n,
                            mb_err *err)
{
    for (int32_t k = 0; k < n; k++)
        for (const char *c = text[k]; *c; c += mb_utf8(c))
            if (!mb_utf8(c))
                MB_FAIL(err, MB_E_FORMAT, "%s: the name of %s %d is not UTF-8; expected UTF-8",
                        s->args.opt.data, what, k + 1);
    return MB_OK;
}

/* Names must be UTF-8: they go to JSON files at the end. */
static mb_status names(const sim *s, mb_err *err)
{
    const mb_data *d = &s->rows.data;

    MB_TRY(check_utf8(s, "column", d->name, d->d, err));
    return check_utf8(s, "label", d->label_name, d->nlabel, err);
}

/* Refuses methods that need a ring or every message where there is none, or messages are lost. */
static mb_status check_methods(const sim *s, mb_err *err)
{
    const mb_graph *g = &s->network.net.g;
    const int32_t   off = g->ptr ? mb_graph_ring(g, NULL) : -1;

    for (const sim_choice *c = s->args.choice; c < s->args.choice + s->args.nchoice; c++) {
        if (!c->cvb && c->algo->needs & MB_NEEDS_EVERY_MSG && mb_faults_any(&s->network.faults))
            MB_FAIL(err, MB_E_ARG,
                    "--algorithm: %s needs every message (one lost or late message leaves it "
                    "agreeing on a wrong answer for good), but the network has loss, silence or "
                    "delay; use edge",
                    c->name);
        if (!c->cvb && c->algo->needs & MB_NEEDS_RING && off >= 0)
            MB_FAIL(err, MB_E_ARG,
                    "--algorithm: %s carries its estimate round a cyclic path and needs a ring, "
                    "but node \"%s\" has %lld neighbours; expected networks where each has two; "
                    "use edge",
                    c->name, s->network.net.id[off], (long long)(g->ptr[off + 1] - g->ptr[off]));
    }
    return MB_OK;
}

static mb_status find_node(sim *s, mb_err *err)
{
    for (int32_t i = 0; s->args.opt.node && s->network.net.id && i < s->network.net.n; i++)
        if (!strcmp(s->network.net.id[i], s->args.opt.node)) {
            s->network.node = i;
            return MB_OK;
        }
    if (!s->args.opt.node || !s->network.net.id)
        return MB_OK;
    MB_FAIL(err, MB_E_ARG, "--node: \"%s\" is not a node of the network", s->args.opt.node);
}

/* What only a process with the whole network can say. */
static mb_status check_network(sim *s, mb_err *err)
{
    MB_TRY(check_utf8(s, "node", s->network.net.id, s->network.net.id ? s->network.net.n : 0, err));
    MB_TRY(check_methods(s, err));
    return find_node(s, err);
}

/* Of the metrics of a folder, those that take a run of their own are dropped where rows stay in their
 * file. */
static void limit_defaults(sim *s)
{
    if (s->args.sampled && s->rows.mapped.base)
        s->cs.metrics &= ~(1u << MB_M_KL_TRUTH | 1u << MB_M_KL_CVB);
}

/* Drops the metrics that the data do not allow. */
static void limit_metrics(sim *s)
{
    const mb_data *data = &s->rows.data;
    const int32_t  K = sim_components(s);

    if (!data->label)
        s->cs.metrics &= ~(uint32_t)SIM_JUDGED;
    if (!(s->cs.metrics & 1u << MB_M_KL_TRUTH) ||
        (data->label && s->args.kind->latent && data->nlabel <= K))
        return;
    s->cs.metrics &= ~(1u << MB_M_KL_TRUTH);
    if (data->label && s->args.kind->latent && !s->args.sampled)
        sim_warn(s, "kl_truth is left out: %d classes for %d components", data->nlabel, K);
}

static mb_status check(sim *s, mb_err *err)
{
    s->network.faults = (mb_faults){.loss = isnan(s->args.opt.loss) ? 0 : s->args.opt.loss,
                                    .delivery = s->network.net.delivery,
                                    .graph = &s->network.net.g,
                                    .loss_directed = s->args.opt.loss_directed,
                                    .silent = s->args.opt.silent,
                                    .delay = s->args.opt.delay,
                                    .seed = (uint64_t)s->args.opt.seed};
    MB_TRY(ranks_agree(&s->job.ranks, check_network(s, err), err));
    MB_TRY(ranks_share(&s->job.ranks, 0, &s->network.node, sizeof s->network.node, err));
    s->cs.metrics = s->args.metrics;
    limit_metrics(s);
    limit_defaults(s);
    return sim_start_check(s, err);
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
static mb_status check_size(const sim *s, mb_err *err)
{
    enum { COPIES = 2 /* every node's estimate before and after a step */ };
    const mb_kind *kind = s->args.kind;
    const double   D = sim_inputs(s), K = kind->latent ? sim_components(s) : 1;
    const double   nodes = central_alone(s) ? 1 : (double)s->network.net.n / s->job.ranks.size;
    const double   need = 8 * (D * D + COPIES * nodes * K * D * (D + 1) / 2), have = room();
    char           many[48] = "", apart[32] = "";

    if (!(have > 0) || need <= have)
        return MB_OK;
    if (kind->latent)
        snprintf(many, sizeof many, " and K = %.0f components", K);
    if (nodes > 1)
        snprintf(apart, sizeof apart, " at %.0f nodes", nodes);
    MB_FAIL(err, MB_E_NOMEM,
            "model %s with D = %.0f features%s needs %.3g GB for matrices of D x D numbers%s, and "
            "%.3g GB can be had here; expected fewer features (meshbayes data pca makes some)%s, "
            "or more memory",
            kind->name, D, many, 1e-9 * need, apart, 1e-9 * have,
            kind->latent ? " or components" : "");
}

mb_status sim_ground(sim *s, mb_err *err)
{
    MB_TRY(network(s, err));
    MB_TRY(names(s, err));
    MB_TRY(check_size(s, err));
    MB_TRY(check(s, err));
    MB_TRY(sim_check_data(s, err));
    return sim_table(s, err);
}

mb_case_opt sim_case_opt(const sim *s)
{
    return (mb_case_opt){.raw = !s->args.opt.standardize,
                         .precision = (mb_precision)s->args.opt.precision,
                         .prior = s->cs.prior};
}

mb_status sim_setup(sim *s, mb_err *err)
{
    const int32_t threads = (int32_t)s->args.opt.threads;
    mb_case_opt   how;
    mb_fit       *fit = s->cs.fit;

    MB_TRY(sim_ground(s, err));
    how = sim_case_opt(s); /* the network's checks read a former answer */
    MB_TRY(mb_place_share(s->job.a, &s->network.net, s->job.ranks.comm, &fit->stages->place, err));
    MB_TRY(sim_rows_ready(s, err));
    MB_TRY(mb_case_make(s->job.a, &fit->stages->place, &s->cs.table, s->args.kind,
                        s->args.model_opt, &how, &fit->stages->nodes, err));
    sim_check_case(s);
    return mb_pool_open(s->job.a, threads ? threads : s->job.ranks.threads, &fit->stages->pool,
                        err);
}

mb_status sim_central(sim *s, mb_err *err)
{
    mb_fit_stages *stages = s->cs.fit->stages;

    if (stages->central.nodes)
        return MB_OK;
    return mb_case_central(s->job.a, &stages->nodes, stages->pool, (int32_t)s->args.opt.threads,
                           &stages->central, err);
}
