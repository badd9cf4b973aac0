/* answer.c - what one machine with the rows of a part of the network would answer, what its nodes
 * say, and ellipses of both. */
#include "core/over_nodes.h"
#include "inside.h"
#include "mesh/genesis.h"
#include "model/model.h"

#include <string.h>

enum { STEPS = 5000 /* of central VB */ };
static const double STILL = 1e-13; /* relative change at which central VB ends    */
static const double SAME = 1e-9;   /* of two bounds: one optimum, perhaps in another order */

/* |x - y|/|y| of n numbers. */
static double apart(size_t n, const double *x, const double *y)
{
    double away = 0, size = 0;

    for (size_t l = 0; l < n; l++) {
        away += (x[l] - y[l]) * (x[l] - y[l]);
        size += y[l] * y[l];
    }
    return sqrt(away / size);
}

/* One centralised step: after (L) and the bound at phi, nats, data units. */
static mb_status step(const mb_case *c, const double *phi, double *after, double *bound,
                      double *scratch, mb_err *err)
{
    MB_TRY(mb_local_step(&c->model, &c->rows[0], 1, phi, after, bound, NULL, scratch, err));
    *bound -= c->weight_total * c->run.log_jacobian - c->gaps.jacobian;
    return MB_OK;
}

mb_status web_piece_solve(web *w, web_piece *p, double *phi, mb_err *err)
{
    const size_t L = p->central.model.layout.len;
    double      *after, *scratch, moved = 1;

    MB_NEW(after, w->part_arena, L, err);
    MB_NEW(scratch, w->part_arena, mb_local_scratch(&p->central.model), err);
    for (int k = 0; k < STEPS && moved > STILL; k++) {
        const mb_status st = step(&p->central, phi, after, &p->bound_one, scratch, err);

        if (st == MB_E_DOMAIN)
            return MB_OK;
        MB_TRY(st);
        moved = apart(L, after, phi);
        memcpy(phi, after, L * sizeof *phi);
    }
    p->answer = phi;
    return MB_OK;
}

/* The rows of the nodes of one part, one after the other. */
static mb_status gather(web *w, const mb_rows *rows, int32_t which, mb_table *out, mb_err *err)
{
    const int32_t n = w->net.n;
    int64_t      *first;
    double       *x;

    MB_NEW(first, w->part_arena, n + 1, err);
    for (int32_t i = 0; i < n; i++)
        first[i + 1] = first[i] + (w->part[i] == which ? rows[i].n : 0);
    MB_NEW(x, w->part_arena, first[n] * w->d + 1, err);
    *out = (mb_table){.rows = {.x = x, .n = first[n], .d = w->d, .ld = (size_t)w->d},
                      .column = w->column,
                      .N = n,
                      .first = first};
    for (int32_t i = 0; i < n; i++)
        for (int64_t j = 0; w->part[i] == which && j < rows[i].n; j++)
            for (int32_t d = 0; d < w->d; d++)
                *x++ = mb_rows_at(&rows[i], j, d);
    return MB_OK;
}

mb_status web_piece_make(web *w, const mb_genesis *g, const mb_rows *rows, int32_t which,
                         web_piece *out, mb_err *err)
{
    mb_arena      *a = w->part_arena;
    mb_case_given  given = {.run = &g->run, .prior_par = g->prior_par};
    mb_case_opt    how = {.given = &given};
    const mb_start start = {.how = MB_INIT_CENTRES, .centres = g->start};
    mb_model      *model;
    double        *phi;

    MB_NEW(model, a, 1, err);
    MB_NEW(phi, a, g->len, err);
    MB_NEW(out->mean, a, g->len, err);
    MB_TRY(mb_genesis_model(a, g, model, err));
    given.model = model;
    MB_TRY(gather(w, rows, which, &out->table, err));
    MB_TRY(mb_case_make(a, &w->place, &out->table, &mb_kind_gmm, &w->gmm, &how, &out->nodes, err));
    MB_TRY(mb_case_central(a, &out->nodes, NULL, 1, &out->central, err));
    MB_TRY(mb_case_seed(&out->central, &start, 0, phi, g->len, err));
    return web_piece_solve(w, out, phi, err);
}

mb_status web_piece_from(web *w, web_piece *p, const double *from, mb_err *err)
{
    web_piece other = *p;
    double   *phi;

    other.answer = NULL;
    MB_NEW(phi, w->part_arena, p->central.model.layout.len, err);
    memcpy(phi, from, p->central.model.layout.len * sizeof *phi);
    MB_TRY(web_piece_solve(w, &other, phi, err));
    if (other.answer && (!p->answer || other.bound_one >= p->bound_one - SAME * fabs(p->bound_one)))
        *p = other;
    return MB_OK;
}

/* The mean of the nodes of a part, how far they are from it, and each from the answer. */
static void mean(web *w, web_piece *p, int32_t which)
{
    const size_t L = p->central.model.layout.len;

    memset(p->mean, 0, L * sizeof *p->mean);
    p->count = 0;
    p->apart = 0;
    for (int32_t i = 0; i < w->net.n; i++) {
        if (w->part[i] != which || !w->phi[i])
            continue;
        p->count++;
        for (size_t l = 0; l < L; l++)
            p->mean[l] += (w->phi[i][l] - p->mean[l]) / p->count;
    }
    for (int32_t i = 0; i < w->net.n; i++) {
        if (w->part[i] != which || !w->phi[i])
            continue;
        p->apart = fmax(p->apart, apart(L, w->phi[i], p->mean));
        if (p->answer)
            w->distance[i] = apart(L, w->phi[i], p->answer);
    }
}

mb_status web_piece_see(web *w, web_piece *p, int32_t which, mb_err *err)
{
    const size_t L = p->central.model.layout.len;
    double      *after, *scratch;
    mb_status    st;

    mean(w, p, which);
    p->bound = p->moved = (double)NAN;
    if (!p->count)
        return MB_OK;
    MB_NEW(after, w->look_arena, L, err);
    MB_NEW(scratch, w->look_arena, mb_local_scratch(&p->central.model), err);
    st = step(&p->central, p->mean, after, &p->bound, scratch, err);
    if (st == MB_E_DOMAIN)
        return MB_OK;
    MB_TRY(st);
    p->moved = mb_moved_(L, p->mean, after);
    return MB_OK;
}

/* The array of this name. */
static const double *named(const mb_array *of, int32_t count, const char *name)
{
    for (int32_t k = 0; k < count; k++)
        if (!strcmp(of[k].name, name))
            return of[k].x;
    return NULL;
}

mb_status web_ellipses(web *w, const mb_posterior *p, int32_t x, int32_t y, double *out,
                       mb_err *err)
{
    const int32_t K = (int32_t)w->gmm.n_components, D = w->d;
    const double *weight, *mean, *cov;
    mb_array     *of;
    int32_t       count;

    for (int32_t k = 0; k < K * WEB_ELLIPSE; k++)
        out[k] = (double)NAN;
    if (!p)
        return MB_OK;
    MB_TRY(mb_kind_arrays(w->look_arena, p->kind, &p->size, p->par, &of, &count, err));
    weight = named(of, count, "weights");
    mean = named(of, count, "means");
    cov = named(of, count, "covariances");
    for (int32_t k = 0; k < K; k++, mean += D, cov += D * D) {
        const double ellipse[WEB_ELLIPSE] = {weight[k],      mean[x],        mean[y],
                                             cov[x * D + x], cov[x * D + y], cov[y * D + y]};

        memcpy(out + k * WEB_ELLIPSE, ellipse, sizeof ellipse);
    }
    return MB_OK;
}
