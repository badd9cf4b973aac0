/* sim_setup.c - everything a run stands on: data, network, common origin and scale, units. */
#include "sim/sim_model.h"

#include <math.h>
#include <string.h>

static int only_cvb(const sim *s)
{
    return s->nchoice == 1 && s->choice[0].cvb;
}

/* Gives the rows to `count` nodes with these ids (sorted): regrouped, or dealt at random. */
static mb_status give_rows(sim *s, int32_t count, const char *const *id, mb_err *err)
{
    if (s->data.N)
        return mb_data_regroup(s->a, &s->data, count, id, err);
    MB_TRY(s->opt.deal == SIM_BLOCKS
               ? mb_data_deal_blocks(s->a, &s->data, count, err)
               : mb_data_deal(s->a, &s->data, count, (uint64_t)s->opt.seed, err));
    if (id)
        memcpy(s->data.node_id, id, (size_t)count * sizeof *id);
    return MB_OK;
}

static mb_status network_of_file(sim *s, mb_err *err)
{
    const mb_network_opt links = {
        .links_only = 1, .skip_own = 1, .id = s->data.node_id, .nid = s->data.N};

    MB_TRY(mb_network_read(s->a, s->opt.network, &links, &s->net, err));
    return give_rows(s, s->net.n, s->net.id, err);
}

static mb_status network_of_text(sim *s, const char *text, mb_err *err)
{
    const mb_network_opt links = {.links_only = 1, .id = s->data.node_id, .nid = s->data.N};
    int32_t              n;

    MB_TRY(mb_topology_size(text, &n, err));
    if (s->data.N && s->data.N != n)
        MB_FAIL(err, MB_E_ARG, "--topology: %s has %d nodes, column \"%s\" of %s has %d", text, n,
                s->opt.node_column, s->opt.data, s->data.N);
    MB_TRY(mb_network_draw(s->a, text, (uint64_t)s->opt.seed, &links, &s->net, err));
    return s->data.N ? MB_OK : give_rows(s, n, NULL, err);
}

/* Runs `step` with memory that it has for itself. */
static mb_status in_draft(sim    *s, mb_status (*step)(sim *s, mb_arena *draft, mb_err *err),
                          mb_err *err)
{
    mb_arena *draft = mb_arena_new(1 << 16);
    mb_status st;

    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    st = step(s, draft, err);
    mb_arena_free(draft);
    return st;
}

static mb_status network(sim *s, mb_err *err)
{
    char everyone[32];

    if (s->opt.network)
        MB_TRY(network_of_file(s, err));
    else if (s->opt.topology)
        MB_TRY(network_of_text(s, s->opt.topology, err));
    else if (only_cvb(s)) {
        snprintf(everyone, sizeof everyone, "complete:n=%d", s->data.N ? s->data.N : 1);
        MB_TRY(network_of_text(s, everyone, err));
    } else
        MB_FAIL(err, MB_E_ARG, "no network: give --network FILE.csv or --topology NAME:..");
    MB_TRY(mb_network_check(&s->net, err));
    return mb_network_arrange(s->a, &(mb_network_opt){.positions = s->opt.positions}, &s->net, err);
}

static mb_status weights(sim *s, mb_err *err)
{
    const mb_network_opt how = {.weights = s->opt.weights};

    MB_TRY(mb_network_weigh(s->a, &how, &s->net, err));
    if (s->net.warning)
        sim_warn(s, "%s", s->net.warning);
    return mb_network_describe(&s->net, err);
}

/* The agreed origin and scale, and the ones the run computes in. */
static mb_status by_flood(sim *s, mb_arena *draft, mb_err *err)
{
    MB_TRY(mb_agree_hops(draft, &s->mesh.tp, &s->hops, &s->start_sent, err));
    return mb_agree_scale(draft, &s->mesh.tp, s->rows_data, s->data.d, s->origin, s->scale,
                          s->constant, &s->start_sent, err);
}

static mb_status agree(sim *s, mb_err *err)
{
    const int32_t D = s->data.d;

    MB_NEW(s->origin, s->a, D, err);
    MB_NEW(s->scale, s->a, D, err);
    MB_NEW(s->run_origin, s->a, D, err);
    MB_NEW(s->run_scale, s->a, D, err);
    MB_NEW(s->constant, s->a, D, err);
    MB_TRY(in_draft(s, by_flood, err));
    MB_TRY(sim_check_scales(s, err));
    for (int32_t d = 0; d < D; d++) {
        if (s->constant[d])
            sim_warn(s, "column \"%s\" is constant (%.9g): its scale is taken as 1",
                     s->data.name[d], s->origin[d]);
        /* Without it beta m m' of columns far from 0 leaves no digits for what moves. */
        s->run_origin[d] = s->origin[d];
        s->run_scale[d] = s->opt.standardize ? s->scale[d] : 1;
        s->log_jacobian += log(s->run_scale[d]);
    }
    return MB_OK;
}

/* Which process computes which nodes: few links between them where METIS is there. */
static mb_status split(sim *s, mb_arena *draft, mb_err *err)
{
    int32_t  *owner;
    mb_status st;

    MB_NEW(owner, draft, s->net.g.n, err);
    st = mb_split_metis(draft, &s->net.g, s->ranks.size, owner, err);
    if (st == MB_E_NOSUP)
        mb_split_blocks(s->net.g.n, s->ranks.size, owner);
    else
        MB_TRY(st);
    return mb_part_share(s->a, &s->net.g, &s->net.w, owner, s->ranks.rank, &s->mesh.part, err);
}

static mb_status shares(sim *s, mb_err *err)
{
    if (s->ranks.size == 1)
        return mb_part_whole(s->a, &s->net.g, &s->net.w, &s->mesh.part, err);
    if (s->net.g.n < s->ranks.size)
        MB_FAIL(err, MB_E_ARG, "%d processes for a network of %d nodes, accepted: 1 to %d",
                s->ranks.size, s->net.g.n, s->net.g.n);
    return in_draft(s, split, err);
}

static mb_status one_node(sim *s, mb_err *err)
{
    mb_graph   *g;
    mb_weights *w;

    MB_NEW(g, s->a, 1, err);
    MB_NEW(w, s->a, 1, err);
    MB_TRY(mb_graph_from_edges(s->a, 1, 0, NULL, g, err));
    MB_TRY(mb_weights_make(s->a, g, MB_METROPOLIS, w, err));
    MB_TRY(mb_part_whole(s->a, g, w, &s->one.part, err));
    return mb_transport_none(s->a, &s->one.part, &s->one.tp, err);
}

static void mention_empty(sim *s)
{
    int32_t empty = 0, first = -1;

    for (int32_t i = 0; i < s->data.N; i++)
        if (s->data.first[i] == s->data.first[i + 1]) {
            empty++;
            first = first < 0 ? i : first;
        }
    if (empty)
        sim_warn(s, "%d node%s without rows (the first is \"%s\"): they only pass messages on",
                 empty, empty > 1 ? "s" : "", s->data.node_id[first]);
}

/* A method that needs a ring is refused where there is none: the line names a node in the way. */
static mb_status check_ring(const sim *s, mb_err *err)
{
    const int32_t off = mb_graph_ring(&s->net.g, NULL);

    for (int32_t k = 0; k < s->nchoice && off >= 0; k++)
        if (!s->choice[k].cvb && s->choice[k].algo->needs & MB_NEEDS_RING) {
            MB_FAIL(
                err, MB_E_ARG,
                "--algorithm: %s carries its estimate round a cyclic path and needs a ring, but "
                "node \"%s\" has %d neighbours, accepted: networks where each has two; use edge",
                s->choice[k].name, s->data.node_id[off], s->mesh.part.deg[off]);
        }
    return MB_OK;
}

static mb_status check(sim *s, mb_err *err)
{
    s->faults = (mb_faults){.loss = s->opt.loss,
                            .loss_directed = s->opt.loss_directed,
                            .silent = s->opt.silent,
                            .delay = s->opt.delay,
                            .seed = (uint64_t)s->opt.seed};
    for (int32_t k = 0; k < s->nchoice && mb_faults_any(&s->faults); k++)
        if (!s->choice[k].cvb && s->choice[k].algo->needs & MB_NEEDS_EVERY_MSG)
            MB_FAIL(err, MB_E_ARG,
                    "--algorithm: %s needs every message (one lost or late message leaves it "
                    "agreeing on a wrong answer for good), but the network has loss, silence or "
                    "delay; use edge",
                    s->choice[k].name);
    for (int32_t i = 0; s->opt.node; i++) {
        if (i == s->data.N)
            MB_FAIL(err, MB_E_ARG, "--node: \"%s\" is not a node of the network", s->opt.node);
        if (!strcmp(s->data.node_id[i], s->opt.node))
            break;
    }
    if (s->opt.precision == SIM_FLOAT32 && !s->opt.standardize)
        MB_FAIL(err, MB_E_ARG,
                "--precision: float32 holds columns at the common origin and scale only, accepted: "
                "float64 with --standardize off");
    MB_TRY(check_ring(s, err));
    return sim_start_check(s, err);
}

/* A label that is taken for a feature would reach inference unnoticed. */
static void mention_label(sim *s)
{
    static const char *const usual[] = {"label", "class", "target", "y"};

    for (int32_t d = 0; d < sim_inputs(s); d++)
        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            if (!strcmp(s->data.name[d], usual[k]))
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
    mb_status         st = mb_npy_map(s->opt.data, &s->mapped, err);

    if (st == MB_E_NOSUP) {
        sim_warn(s, "%s; they are read whole", err->msg);
        return mb_data_read(s->a, s->opt.data, &no_columns, &s->data, err);
    }
    MB_TRY(st);
    s->data.n = s->mapped.n;
    s->data.d = s->mapped.d;
    s->data.x = (double *)(uintptr_t)s->mapped.x; /* nobody writes to rows */
    return mb_data_number_columns(s->a, s->data.d, &s->data.name, err);
}

mb_status sim_data(sim *s, mb_err *err)
{
    const mb_data_opt columns = {s->opt.node_column, s->opt.label_column, s->opt.weight_column};

    MB_TRY(sim_model_check(s, err));
    if (stays_in_file(s))
        MB_TRY(map_rows(s, err));
    else
        MB_TRY(mb_data_read(s->a, s->opt.data, &columns, &s->data, err));
    return sim_model_of(s)->columns ? sim_model_of(s)->columns(s, err) : MB_OK;
}

/* Names go to JSON files at the end: too late to find that they can not. */
static mb_status names(const sim *s, mb_err *err)
{
    const mb_data *d = &s->data;

    MB_TRY(app_json_texts_check(s->opt.data, "column", d->name, d->d, err));
    MB_TRY(app_json_texts_check(s->opt.data, "label", d->label_name, d->nlabel, err));
    return app_json_texts_check(s->opt.data, "node", d->node_id, d->N, err);
}

mb_status sim_setup(sim *s, mb_err *err)
{
    const int32_t threads = (int32_t)s->opt.threads;

    MB_TRY(network(s, err));
    MB_TRY(names(s, err));
    MB_TRY(sim_check_size(s, err));
    MB_TRY(weights(s, err));
    MB_TRY(shares(s, err));
    MB_TRY(mb_comm_link(s->a, s->ranks.comm, &s->mesh.part, &s->mesh.tp, err));
    MB_TRY(one_node(s, err));
    MB_TRY(check(s, err));
    mention_empty(s);
    mention_label(s);
    MB_TRY(in_draft(s, sim_mention_ids, err));
    MB_TRY(sim_views(s, err));
    MB_TRY(agree(s, err));
    if (sim_model_of(s)->units)
        sim_model_of(s)->units(s);
    MB_TRY(sim_run_units(s, err));
    MB_TRY(sim_model_of(s)->prior(s, err));
    MB_TRY(mb_pool_open(s->a, threads ? threads : s->ranks.threads, &s->pool, err));
    return mb_model_parallel(s->a, &s->model, s->pool, threads, &s->whole, err);
}
