/* sim_setup.c - everything a run stands on: data, network, and the rows at its nodes. */
#include "sim/sim.h"

#include <string.h>

static int only_cvb(const sim *s)
{
    return s->asked.nchoice == 1 && s->asked.choice[0].cvb;
}

/* Gives the rows to the nodes of the network: regrouped, or dealt. */
static mb_status give_rows(sim *s, mb_err *err)
{
    const mb_network *net = &s->world.net;
    mb_data          *data = &s->rows.data;

    if (data->N)
        return mb_data_regroup(s->a, data, net->n, net->id, err);
    return s->opt.deal == SIM_BLOCKS ? mb_data_deal_blocks(s->a, data, net->n, err)
                                     : mb_data_deal(s->a, data, net->n, (uint64_t)s->opt.seed, err);
}

static mb_status network_of_file(sim *s, mb_err *err)
{
    const mb_network_opt links = {
        .links_only = 1, .skip_own = 1, .id = s->rows.data.node_id, .nid = s->rows.data.N};

    MB_TRY(mb_network_read(s->a, s->opt.network, &links, &s->world.net, err));
    return give_rows(s, err);
}

static mb_status network_of_text(sim *s, const char *text, mb_err *err)
{
    const mb_data       *data = &s->rows.data;
    const mb_network_opt links = {.links_only = 1, .id = data->node_id, .nid = data->N};
    int32_t              n;

    MB_TRY(mb_topology_size(text, &n, err));
    if (data->N && data->N != n)
        MB_FAIL(err, MB_E_ARG, "--topology: %s has %d nodes, column \"%s\" of %s has %d", text, n,
                s->opt.node_column, s->opt.data, data->N);
    MB_TRY(mb_network_draw(s->a, text, (uint64_t)s->opt.seed, &links, &s->world.net, err));
    return data->N ? MB_OK : give_rows(s, err);
}

static mb_status network(sim *s, mb_err *err)
{
    const mb_network_opt how = {.positions = s->opt.positions};
    char                 everyone[32];

    if (s->opt.network)
        MB_TRY(network_of_file(s, err));
    else if (s->opt.topology)
        MB_TRY(network_of_text(s, s->opt.topology, err));
    else if (only_cvb(s)) {
        snprintf(everyone, sizeof everyone, "complete:n=%d", s->rows.data.N ? s->rows.data.N : 1);
        MB_TRY(network_of_text(s, everyone, err));
    } else
        MB_FAIL(err, MB_E_ARG, "no network: give --network FILE.csv or --topology NAME:..");
    MB_TRY(mb_network_check(&s->world.net, err));
    return mb_network_arrange(s->a, &how, &s->world.net, err);
}

static mb_status weights(sim *s, mb_err *err)
{
    const mb_network_opt how = {.weights = s->opt.weights};

    MB_TRY(mb_network_weigh(s->a, &how, &s->world.net, err));
    if (s->world.net.warning)
        sim_warn(s, "%s", s->world.net.warning);
    return mb_network_describe(&s->world.net, err);
}

static void mention_empty(sim *s)
{
    const mb_data *data = &s->rows.data;
    int32_t        empty = 0, first = -1;

    for (int32_t i = 0; i < data->N; i++)
        if (data->first[i] == data->first[i + 1]) {
            empty++;
            first = first < 0 ? i : first;
        }
    if (empty)
        sim_warn(s, "%d node%s without rows (the first is \"%s\"): they only pass messages on",
                 empty, empty > 1 ? "s" : "", s->world.net.id[first]);
}

/* A method that needs a ring is refused where there is none: the line names a node in the way. */
static mb_status check_ring(const sim *s, mb_err *err)
{
    const mb_graph *g = &s->world.net.g;
    const int32_t   off = mb_graph_ring(g, NULL);

    for (int32_t k = 0; k < s->asked.nchoice && off >= 0; k++)
        if (!s->asked.choice[k].cvb && s->asked.choice[k].algo->needs & MB_NEEDS_RING) {
            MB_FAIL(
                err, MB_E_ARG,
                "--algorithm: %s carries its estimate round a cyclic path and needs a ring, but "
                "node \"%s\" has %lld neighbours, accepted: networks where each has two; use edge",
                s->asked.choice[k].name, s->world.net.id[off],
                (long long)(g->ptr[off + 1] - g->ptr[off]));
        }
    return MB_OK;
}

static mb_status find_node(sim *s, mb_err *err)
{
    for (int32_t i = 0; s->opt.node && i < s->world.net.n; i++)
        if (!strcmp(s->world.net.id[i], s->opt.node)) {
            s->asked.node = i;
            return MB_OK;
        }
    if (!s->opt.node)
        return MB_OK;
    MB_FAIL(err, MB_E_ARG, "--node: \"%s\" is not a node of the network", s->opt.node);
}

/* Metrics that the data do not allow are left out. */
static void limit_metrics(sim *s)
{
    const mb_data *data = &s->rows.data;
    const int32_t  K = sim_components(s);

    if (!data->label)
        s->asked.metrics &= ~(uint32_t)SIM_JUDGED;
    if (!(s->asked.metrics & 1u << MB_M_KL_TRUTH) ||
        (data->label && s->asked.kind->latent && data->nlabel <= K))
        return;
    s->asked.metrics &= ~(1u << MB_M_KL_TRUTH);
    if (data->label && s->asked.kind->latent)
        sim_warn(s, "kl_truth is left out: %d classes for %d components", data->nlabel, K);
}

static mb_status check(sim *s, mb_err *err)
{
    s->world.faults = (mb_faults){.loss = s->opt.loss,
                                  .loss_directed = s->opt.loss_directed,
                                  .silent = s->opt.silent,
                                  .delay = s->opt.delay,
                                  .seed = (uint64_t)s->opt.seed};
    for (int32_t k = 0; k < s->asked.nchoice && mb_faults_any(&s->world.faults); k++)
        if (!s->asked.choice[k].cvb && s->asked.choice[k].algo->needs & MB_NEEDS_EVERY_MSG)
            MB_FAIL(err, MB_E_ARG,
                    "--algorithm: %s needs every message (one lost or late message leaves it "
                    "agreeing on a wrong answer for good), but the network has loss, silence or "
                    "delay; use edge",
                    s->asked.choice[k].name);
    MB_TRY(find_node(s, err));
    MB_TRY(check_ring(s, err));
    limit_metrics(s);
    return sim_start_check(s, err);
}

/* A label that is taken for a feature would reach inference unnoticed. */
static void mention_label(sim *s)
{
    static const char *const usual[] = {"label", "class", "target", "y"};

    for (int32_t d = 0; d < sim_inputs(s); d++)
        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            if (!strcmp(s->rows.data.name[d], usual[k]))
                sim_warn(s,
                         "column \"%s\" is used as a feature; if it is the true class, say "
                         "--label-column %s",
                         usual[k], usual[k]);
}

/* Rows in blocks need no moving, and a NPY file has only features. */
static int stays_in_file(const sim *s)
{
    const char *dot = strrchr(s->opt.data, '.');

    return s->opt.deal == SIM_BLOCKS && dot && !strcmp(dot, ".npy") && !s->opt.node_column &&
           !s->opt.label_column && !s->opt.weight_column;
}

/* Rows of other kinds are read whole. */
static mb_status map_rows(sim *s, mb_err *err)
{
    const mb_data_opt no_columns = {NULL, NULL, NULL};
    sim_rows         *rows = &s->rows;
    mb_status         st = mb_npy_map(s->opt.data, &rows->mapped, err);

    if (st == MB_E_NOSUP) {
        sim_warn(s, "%s; they are read whole", err->msg);
        return mb_data_read(s->a, s->opt.data, &no_columns, &rows->data, err);
    }
    MB_TRY(st);
    rows->data.n = rows->mapped.n;
    rows->data.d = rows->mapped.d;
    rows->data.x = (double *)(uintptr_t)rows->mapped.x; /* nobody writes to rows */
    return mb_data_number_columns(s->a, rows->data.d, &rows->data.name, err);
}

mb_status sim_data(sim *s, mb_err *err)
{
    const mb_data_opt columns = {s->opt.node_column, s->opt.label_column, s->opt.weight_column};

    if (stays_in_file(s))
        MB_TRY(map_rows(s, err));
    else
        MB_TRY(mb_data_read(s->a, s->opt.data, &columns, &s->rows.data, err));
    return sim_target_last(s, err);
}

static mb_status check_utf8(const sim *s, const char *what, const char *const *text, int32_t n,
                            mb_err *err)
{
    for (int32_t k = 0; k < n; k++)
        for (const char *c = text[k]; *c; c += mb_utf8(c))
            if (!mb_utf8(c))
                MB_FAIL(err, MB_E_FORMAT, "%s: the name of %s %d is not UTF-8, accepted: UTF-8",
                        s->opt.data, what, k + 1);
    return MB_OK;
}

/* Names go to JSON files at the end: too late to find that they cannot. */
static mb_status names(const sim *s, mb_err *err)
{
    const mb_data *d = &s->rows.data;

    MB_TRY(check_utf8(s, "column", d->name, d->d, err));
    MB_TRY(check_utf8(s, "label", d->label_name, d->nlabel, err));
    return check_utf8(s, "node", s->world.net.id, s->world.net.n, err);
}

/* What the data look like at a first glance. */
static mb_status mention(sim *s, mb_err *err)
{
    mb_arena *draft = mb_arena_new(1 << 16);
    mb_status st;

    mention_empty(s);
    mention_label(s);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    st = sim_mention_ids(s, draft, err);
    mb_arena_free(draft);
    return st;
}

static void rest(void *mapped)
{
    mb_npy_rest(mapped);
}

static void make_table(sim *s)
{
    s->rows.label = s->rows.data.label;
    s->rows.table = mb_table_of(&s->rows.data, s->opt.data);
    s->rows.table.id = NULL; /* nodes are those of the network, in its order */
    s->rows.table.last_is_target = 1;
    s->rows.table.rest = rest;
    s->rows.table.rest_self = &s->rows.mapped;
}

mb_status sim_ground(sim *s, mb_err *err)
{
    MB_TRY(network(s, err));
    MB_TRY(names(s, err));
    MB_TRY(sim_check_size(s, err));
    MB_TRY(weights(s, err));
    MB_TRY(check(s, err));
    MB_TRY(mention(s, err));
    make_table(s);
    return MB_OK;
}

void sim_mention_constant(sim *s)
{
    const mb_units *u = &s->world.fit.nodes.agreed;

    for (int32_t d = 0; d < u->d; d++)
        if (u->constant[d])
            sim_warn(s, "column \"%s\" is constant (%.9g): its scale is taken as 1",
                     s->rows.data.name[d], u->origin[d]);
}

mb_case_opt sim_case_opt(const sim *s)
{
    return (mb_case_opt){.raw = !s->opt.standardize, .precision = (mb_precision)s->opt.precision};
}

mb_status sim_setup(sim *s, mb_err *err)
{
    const int32_t     threads = (int32_t)s->opt.threads;
    const mb_case_opt how = sim_case_opt(s);
    mb_fit           *fit = &s->world.fit;

    MB_TRY(sim_ground(s, err));
    MB_TRY(mb_place_make(s->a, &s->world.net, s->ranks.comm, &fit->place, err));
    MB_TRY(sim_rows_ready(s, err));
    MB_TRY(mb_case_make(s->a, &fit->place, &s->rows.table, s->asked.kind, s->asked.model_opt, &how,
                        &fit->nodes, err));
    sim_mention_constant(s);
    return mb_pool_open(s->a, threads ? threads : s->ranks.threads, &fit->pool, err);
}

mb_status sim_central(sim *s, mb_err *err)
{
    sim_world *w = &s->world;

    if (w->fit.central.nodes)
        return MB_OK;
    if (s->rows.mapped.base && s->ranks.size > 1)
        MB_TRY(mb_npy_check(s->opt.data, &s->rows.mapped, 0, s->rows.data.n, err));
    return mb_case_central(s->a, &w->fit.nodes, w->fit.pool, (int32_t)s->opt.threads,
                           &w->fit.central, err);
}
