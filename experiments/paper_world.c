/* paper_world.c - a network with rows, over the stages of the library, for one unit. */
#include "network/network.h"
#include "paper_run.h"

#include <string.h>

const paper_network paper_net50 = {"geometric:n=50,side=3.5,radius=0.8", 247};
/* Without leaves: with a node of degree 1 dVB-ADMM fails where the paper reports that it does
 * not. */
const paper_network paper_net20 = {"geometric:n=20,side=2.2,radius=0.72", 1382};
const paper_network paper_net10 = {"geometric:n=10,side=2.2,radius=0.9", 960};

static mb_status begin(paper_unit *u, const paper_network *from, int32_t D, paper_world **out,
                       paper_truth *t, mb_err *err)
{
    const mb_network_opt links = {.links_only = 1};
    paper_world         *w;

    MB_NEW(w, u->a, 1, err);
    *out = u->world = w;
    *t = (paper_truth){0};
    w->u = u;
    w->D = D;
    MB_TRY(mb_network_draw(u->a, from->text, (uint64_t)from->seed, &links, &w->net[0], err));
    MB_TRY(paper_network_given(u, &w->net[0], err));
    w->N = w->net[0].n;
    MB_NEW(w->first, u->a, w->N + 1, err);
    return MB_OK;
}

/* Room for the rows that w->first says. */
static mb_status make_room(paper_world *w, paper_truth *t, mb_err *err)
{
    w->n = w->first[w->N];
    MB_NEW(w->x, w->u->a, w->n * w->D, err);
    MB_NEW(t->label, w->u->a, w->n, err);
    return MB_OK;
}

/* --shuffle-labels: every row gets another row's class. An algorithm that looks at classes is found
 * out: its posteriors change. */
static mb_status shuffle(const paper_world *w, paper_truth *t, mb_err *err)
{
    mb_rng   rng = mb_rng_at((uint64_t)w->u->seed, MB_STREAM_DEAL, 1, 7);
    int64_t *order;
    int32_t *label;

    if (!w->u->set->shuffle)
        return MB_OK;
    MB_NEW(order, w->u->a, w->n, err);
    MB_NEW(label, w->u->a, w->n, err);
    mb_random_order(&rng, w->n, order);
    for (int64_t r = 0; r < w->n; r++)
        label[r] = t->label[order[r]];
    t->label = label;
    return MB_OK;
}

/* The run units of the protocols that follow the paper: the data's own. */
static void own_units(const mb_sizes *s, mb_units *run)
{
    (void)s;
    for (int32_t d = 0; d < run->d; d++) {
        run->origin[d] = 0;
        run->scale[d] = 1;
    }
    run->log_jacobian = 0;
}

/* `ours`: the defaults of the program with --prior weak. Else the data's own units and the prior that the first
 * author used, because the paper says only "non-informative". */
static mb_status make_kind(const paper_world *w, mb_kind **kind, mb_gmm_kind *opt, mb_err *err)
{
    MB_NEW(*kind, w->u->a, 1, err);
    **kind = mb_kind_gmm;
    MB_TRY(mb_opt_defaults(mb_kind_gmm.opts, opt, err));
    opt->n_components = w->K;
    opt->prior = w->u->protocol == PAPER_OURS ? "weak" : "paper";
    if (w->u->protocol == PAPER_OURS)
        return MB_OK;
    (*kind)->units = own_units;
    return MB_OK;
}

static mb_status make_cases(paper_world *w, mb_err *err)
{
    static const mb_network_opt weights[PAPER_RULES] = {
        [MB_NEAREST] = {.weights = "nearest"}, [MB_METROPOLIS] = {.weights = NULL}};
    mb_arena      *a = w->u->a;
    const mb_table table = {.rows = {.x = w->x, .n = w->n, .d = w->D, .ld = (size_t)w->D},
                            .first = w->first};
    mb_gmm_kind    opt = {0};
    mb_kind       *kind;

    MB_TRY(make_kind(w, &kind, &opt, err));
    for (int k = 0; k < PAPER_RULES; k++) {
        w->net[k] = w->net[0];
        MB_TRY(mb_network_weigh(a, &weights[k], &w->net[k], err));
        MB_TRY(mb_network_describe(&w->net[k], err));
        MB_TRY(mb_place_make(a, &w->net[k], NULL, &w->place[k], err));
        MB_TRY(mb_case_make(a, &w->place[k], &table, kind, &opt, NULL, &w->nodes[k], err));
    }
    MB_TRY(mb_case_central(a, &w->nodes[0], NULL, 1, &w->central, err));
    w->central.model = w->nodes[0].model; /* sums row by row, not those of mb_model_parallel */
    return MB_OK;
}

/* The paper's own initialisation, the prior at every component, is a fixed point of VB: what can be
 * run is k-means++ with centres that the network draws by itself. */
static mb_status ready(paper_world *w, int32_t K, int32_t attempt, mb_err *err)
{
    w->K = K;
    w->attempt = attempt;
    w->start = (mb_start){.seed = (uint64_t)w->u->seed, .drawn = &w->drawn};
    MB_NEW(w->drawn.centres, w->u->a, K * w->D, err);
    if (w->u->protocol == PAPER_PUBLISHED) {
        MB_NEW(w->resp, w->u->a, w->n * K, err);
        MB_NEW(w->spare, w->u->a, w->n * K, err);
        w->start.how = MB_INIT_RESPONSIBILITIES;
        w->start.resp = w->resp;
    }
    return make_cases(w, err);
}

mb_status paper_world_synthetic(paper_unit *u, const data_problem *p, const paper_network *net,
                                paper_world **out, paper_truth *t, mb_err *err)
{
    paper_world *w;

    MB_TRY(begin(u, net, 2, out, t, err));
    w = *out;
    for (int32_t i = 0; i < w->N; i++)
        w->first[i + 1] = w->first[i] + data_problem_rows(p, i);
    MB_TRY(make_room(w, t, err));
    for (int32_t i = 0; i < w->N; i++)
        data_problem_draw(p, i, w->x + 2 * w->first[i], t->label + w->first[i]);
    t->nclass = 3;
    MB_TRY(shuffle(w, t, err));
    return ready(w, 3, 0, err);
}

mb_status paper_world_rows(paper_unit *u, const paper_rows_of *from, const paper_network *net,
                           int32_t K, int32_t attempt, paper_world **out, paper_truth *t,
                           mb_err *err)
{
    const int32_t  D = from->D;
    const int64_t *order = from->order;
    mb_rng         rng = mb_rng_at((uint64_t)u->seed, MB_STREAM_DEAL, 0, 0);
    paper_world   *w;
    int64_t       *own;

    MB_TRY(begin(u, net, D, out, t, err));
    w = *out;
    if (!order) {
        MB_NEW(own, u->a, from->n, err);
        mb_random_order(&rng, from->n, own);
        order = own;
    }
    for (int32_t i = 0; i <= w->N; i++)
        w->first[i] = from->n / w->N * i;
    MB_TRY(make_room(w, t, err));
    for (int64_t r = 0; r < w->n; r++) {
        memcpy(w->x + r * D, from->x + order[r] * D, (size_t)D * sizeof *w->x);
        t->label[r] = from->label[order[r]];
        t->nclass = t->label[r] >= t->nclass ? t->label[r] + 1 : t->nclass;
    }
    MB_TRY(shuffle(w, t, err));
    return ready(w, K, attempt, err);
}

/* Closed form: the truth is a responsibility of 1. */
mb_status paper_truth_ready(const paper_world *w, paper_truth *t, mb_err *err)
{
    const size_t len = w->central.model.layout.len;
    mb_start     known = {.how = MB_INIT_RESPONSIBILITIES};
    double      *resp;

    MB_NEW(resp, w->u->a, w->n * w->K, err);
    MB_NEW(t->phi, w->u->a, len, err);
    for (int64_t r = 0; r < w->n; r++)
        resp[r * w->K + t->label[r]] = 1;
    known.resp = resp;
    return mb_case_seed(&w->central, &known, 0, t->phi, len, err);
}

void paper_world_close(paper_world *w)
{
    for (int32_t k = 0; w && k < w->count; k++)
        mb_session_close(&w->result[k].s);
    for (int k = 0; w && k < PAPER_RULES; k++)
        mb_place_close(&w->place[k]);
}
