/* paper_world.c - a network with rows, as the simulator sets it up, for one unit. */
#include "paper_run.h"

#include <string.h>

const paper_network paper_net50 = {"geometric:n=50,side=3.5,radius=0.8", 247};
/* Without leaves: a node of degree 1 makes dVB-ADMM fail where the paper reports that it does not. */
const paper_network paper_net20 = {"geometric:n=20,side=2.2,radius=0.72", 1382};
const paper_network paper_net10 = {"geometric:n=10,side=2.2,radius=0.9", 960};

static mb_status network(paper_world *w, const paper_network *net, mb_err *err)
{
    MB_TRY(mb_topology_make(w->u->a, net->text, (uint64_t)net->seed, &w->top, err));
    w->N = w->top.g.n;
    return paper_network_given(w->u, w->N, &w->top.g, err);
}

static mb_status synthetic(paper_world *w, const data_problem *p, paper_truth *t, mb_err *err)
{
    MB_NEW(w->first, w->u->a, w->N + 1, err);
    for (int32_t i = 0; i < w->N; i++)
        w->first[i + 1] = w->first[i] + data_problem_rows(p, i);
    w->n = w->first[w->N];
    w->D = 2;
    MB_NEW(w->x, w->u->a, 2 * w->n, err);
    MB_NEW(t->label, w->u->a, w->n, err);
    for (int32_t i = 0; i < w->N; i++)
        data_problem_draw(p, i, w->x + 2 * w->first[i], t->label + w->first[i]);
    t->nclass = 3;
    return MB_OK;
}

/* --shuffle-labels: every row gets another one's class. Who looks at classes before he judges is
 * found out: his posteriors change. */
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

mb_status paper_world_synthetic(paper_unit *u, const data_problem *p, const paper_network *net,
                                paper_world *w, paper_truth *t, mb_err *err)
{
    *w = (paper_world){.u = u};
    *t = (paper_truth){0};
    MB_TRY(network(w, net, err));
    MB_TRY(synthetic(w, p, t, err));
    return shuffle(w, t, err);
}

mb_status paper_world_rows(paper_unit *u, const double *x, const int32_t *label, int64_t n,
                           int32_t D, const int64_t *order, const paper_network *net,
                           paper_world *w, paper_truth *t, mb_err *err)
{
    *w = (paper_world){.u = u, .D = D};
    *t = (paper_truth){0};
    MB_TRY(network(w, net, err));
    w->n = n - n % w->N;
    MB_NEW(w->first, u->a, w->N + 1, err);
    MB_NEW(w->x, u->a, w->n * D, err);
    MB_NEW(t->label, u->a, w->n, err);
    for (int32_t i = 0; i <= w->N; i++)
        w->first[i] = w->n / w->N * i;
    for (int64_t r = 0; r < w->n; r++) {
        memcpy(w->x + r * D, x + order[r] * D, (size_t)D * sizeof *x);
        t->label[r] = label[order[r]];
        t->nclass = t->label[r] >= t->nclass ? t->label[r] + 1 : t->nclass;
    }
    return shuffle(w, t, err);
}

static mb_rows view(const paper_world *w, const double *x, int32_t first, int32_t last)
{
    return (mb_rows){.x = x + w->first[first] * w->D,
                     .n = w->first[last] - w->first[first],
                     .d = w->D,
                     .ld = (size_t)w->D};
}

static mb_status views(const paper_world *w, const double *x, mb_rows **out, mb_err *err)
{
    MB_NEW(*out, w->u->a, w->N, err);
    for (int32_t i = 0; i < w->N; i++)
        (*out)[i] = view(w, x, i, i + 1);
    return MB_OK;
}

static mb_status links(paper_world *w, mb_err *err)
{
    mb_arena      *a = w->u->a;
    mb_graph_stats s;

    for (int rule = MB_NEAREST; rule <= MB_METROPOLIS; rule++) {
        MB_TRY(mb_weights_make(a, &w->top.g, (mb_rule)rule, &w->w[rule], err));
        MB_TRY(mb_graph_describe(a, &w->top.g, &w->w[rule], &s, err));
        w->lambda2[rule] = s.lambda2;
        MB_TRY(mb_part_whole(a, &w->top.g, &w->w[rule], &w->part[rule], err));
        MB_TRY(mb_transport_none(a, &w->part[rule], &w->none[rule], err));
    }
    MB_TRY(mb_graph_from_edges(a, 1, 0, NULL, &w->alone, err));
    MB_TRY(mb_weights_make(a, &w->alone, MB_METROPOLIS, &w->alone_w, err));
    MB_TRY(mb_part_whole(a, &w->alone, &w->alone_w, &w->one, err));
    return mb_transport_none(a, &w->one, &w->none_one, err);
}

/* The agreed origin and scale: runs of the protocol `ours` compute in them, the others in the data's
 * own units, which the paper uses. */
static mb_status units(paper_world *w, mb_err *err)
{
    mb_arena  *a = w->u->a;
    mb_traffic sent = {0};
    uint8_t   *constant;
    double    *x;

    MB_NEW(w->origin, a, w->D, err);
    MB_NEW(w->scale, a, w->D, err);
    MB_NEW(constant, a, w->D, err);
    MB_NEW(x, a, w->n * w->D, err);
    MB_TRY(views(w, w->x, &w->raw, err));
    MB_TRY(mb_agree_hops(a, &w->none[MB_METROPOLIS], &w->hops, &sent, err));
    MB_TRY(mb_agree_scale(a, &w->none[MB_METROPOLIS], w->raw, w->D, w->origin, w->scale, constant,
                          &sent, err));
    for (int64_t r = 0; r < w->n; r++)
        for (int32_t d = 0; d < w->D; d++) {
            const int64_t k = r * w->D + d;

            x[k] = w->u->protocol == PAPER_OURS ? (w->x[k] - w->origin[d]) / w->scale[d] : w->x[k];
        }
    MB_TRY(views(w, x, &w->rows, err));
    w->all = view(w, x, 0, w->N);
    return MB_OK;
}

/* `ours`: the defaults of the program. Else what the first author used, because the paper says only
 * "non-informative": alpha0 = beta0 = 1e-5, mu0 = 1e-5, nu0 = D + 1, W0^-1 = 1e-5 I. */
static mb_status model(paper_world *w, mb_err *err)
{
    const double tiny = 1e-5;
    const size_t D = (size_t)w->D;
    mb_gmm_opt   o = mb_gmm_defaults(w->K, w->D);
    double      *mu0, *w0inv;

    if (w->u->protocol == PAPER_OURS)
        return mb_gmm_new(w->u->a, &o, &w->model, err);
    MB_NEW(mu0, w->u->a, D, err);
    MB_NEW(w0inv, w->u->a, D * D, err);
    for (size_t d = 0; d < D; d++) {
        mu0[d] = tiny;
        w0inv[d * D + d] = tiny;
    }
    o.alpha0 = o.beta0 = tiny;
    o.nu0 = w->D + 1;
    o.mu0 = mu0;
    o.w0inv = w0inv;
    return mb_gmm_new(w->u->a, &o, &w->model, err);
}

/* The paper's own start, the prior at every component, is a fixed point of VB: what can be run is
 * this, k-means++ centres drawn by the network itself. */
static mb_status common_start(paper_world *w, int32_t attempt, mb_err *err)
{
    mb_traffic sent = {0};
    int32_t    repeated;
    double    *centres;

    MB_NEW(centres, w->u->a, w->K * w->D, err);
    MB_TRY(mb_draw_centres(w->u->a, &w->none[MB_METROPOLIS], w->raw, w->origin, w->scale, MB_KMEANS,
                           w->K, (uint64_t)w->u->seed, attempt, centres, &repeated, &sent, err));
    for (int32_t i = 0; i < w->N; i++)
        mb_nearest_resp(&w->raw[i], w->origin, w->scale, w->K, centres,
                        w->resp + w->first[i] * w->K);
    return MB_OK;
}

mb_status paper_world_ready(paper_world *w, int32_t K, int32_t attempt, mb_err *err)
{
    w->K = K;
    MB_NEW(w->resp, w->u->a, w->n * K, err);
    MB_TRY(links(w, err));
    MB_TRY(units(w, err));
    MB_TRY(model(w, err));
    return w->u->protocol == PAPER_PUBLISHED ? MB_OK : common_start(w, attempt, err);
}

/* Closed form: the truth is a responsibility of 1, eq. (46)'s reference. */
mb_status paper_truth_ready(const paper_world *w, paper_truth *t, mb_err *err)
{
    double *resp, *scratch;

    MB_NEW(resp, w->u->a, w->n * w->K, err);
    MB_NEW(scratch, w->u->a, mb_local_scratch(&w->model), err);
    MB_NEW(t->phi, w->u->a, w->model.layout.len, err);
    for (int64_t r = 0; r < w->n; r++)
        resp[r * w->K + t->label[r]] = 1;
    return mb_seed_step(&w->model, &w->all, 1, resp, t->phi, scratch, err);
}

int64_t paper_rounds_of(const paper_unit *u)
{
    return u->set->quick ? u->row->plan.quick : u->row->plan.rounds;
}
