/* still.c - which nodes still move: distances to their targets in posterior standard deviations. */
#include "observe/still.h"
#include "core/turn.h"

#include <float.h>
#include <math.h>
#include <string.h>

mb_status mb_still_new_(mb_arena *a, const mb_problem *p, double tol, mb_still_ *out, mb_err *err)
{
    const mb_layout *l = &p->model->layout;
    const size_t     rows = (size_t)p->part->n_local;

    *out = (mb_still_){.tol = tol, .cycle = 1, .taken = -1, .ld = l->len + 1};
    if (p->algo && p->algo->cycle)
        out->cycle = p->algo->cycle(p->opt);
    MB_NEW(out->node, a, rows, err);
    MB_NEW(out->phi, a, rows * out->ld, err);
    MB_NEW(out->heard, a, 2 * (size_t)p->part->g.ptr[rows] + 1, err);
    MB_NEW(out->mu, a, 3 * l->len, err);
    MB_NEW(out->scratch, a, l->scratch + 1, err);
    for (size_t i = 0; i < rows; i++)
        out->node[i].low = (double)INFINITY;
    return MB_OK;
}

static int64_t events_so_far(const mb_state *s, int32_t i)
{
    return s->frozen[i] + s->projected[i];
}

void mb_still_copy_(mb_still_ *w, const mb_problem *p, const mb_state *s)
{
    for (int32_t i = 0; i < p->part->n_local; i++) {
        memcpy(w->phi + (size_t)i * w->ld, s->phi + (size_t)i * s->ld,
               (w->ld - 1) * sizeof *w->phi);
        w->node[i].events = events_so_far(s, i);
    }
    w->taken = s->t;
}

/* The part of the way to its target that node i goes in a round. */
static double step_of(const mb_problem *p, const mb_state *s, int32_t i)
{
    const mb_node nd = {.layout = &p->model->layout,
                        .opt = p->opt,
                        .t = s->t,
                        .deg = p->part->deg[i],
                        .memo = s->memo ? s->memo + (size_t)i * (size_t)s->nmemo : NULL};

    return p->algo && p->algo->step ? p->algo->step(&nd) : 1;
}

/* <a - b, mu(a) - mu(b)>: the symmetrised KL divergence between two members of the family, the square
 * of their distance in posterior standard deviations, all blocks at once. What rounding makes negative
 * counts by its size. Infinite outside Omega and where anything is not finite. */
static double divergence(const mb_still_ *w, const mb_layout *l, const double *a, const double *b)
{
    double sum = 0;

    if (memcmp(a, b, l->len * sizeof *a) == 0)
        return 0;
    if (mb_moments(l, a, w->mu, NULL, w->scratch, NULL) < 0 ||
        mb_moments(l, b, w->mu + l->len, NULL, w->scratch, NULL) < 0)
        return (double)INFINITY;
    for (size_t e = 0; e < l->len; e++)
        sum += (a[e] - b[e]) * (w->mu[e] - w->mu[l->len + e]);
    return isfinite(sum) ? fabs(sum) : (double)INFINITY;
}

/* What is left of d where everything but rounding has come to its end: other last digits of phi, ten
 * times over for what sums over rows and neighbours add. */
static double noise(const mb_still_ *w, const mb_problem *p, const mb_state *s, int32_t i)
{
    const double     digits = 4 * DBL_EPSILON, sums = 10;
    const mb_layout *l = &p->model->layout;
    const double    *phi = s->phi + (size_t)i * s->ld;
    double          *other = w->mu + 2 * l->len;
    uint32_t         bits = 1;

    for (size_t e = 0; e < l->len; e++) {
        bits = bits * 1664525u + 1013904223u; /* signs without a pattern, the same ones always */
        other[e] = phi[e] * (bits >> 31 ? 1 + digits : 1 - digits);
    }
    return sums * sqrt(divergence(w, l, phi, other)) / step_of(p, s, i);
}

static int is_held(const mb_problem *p, const mb_state *s, int32_t i)
{
    return p->algo && mb_is_held_(p, s->t, i);
}

/* d = sqrt(<dphi, dmu>)/step: how far phi is from its target, in posterior standard deviations;
 * infinite for a node that froze or was projected in this round. */
static double distance(const mb_still_ *w, const mb_problem *p, const mb_state *s, int32_t i)
{
    if (s->outside[i] || events_so_far(s, i) != w->node[i].events)
        return (double)INFINITY;
    if (is_held(p, s, i))
        return 0;
    return sqrt(divergence(w, &p->model->layout, s->phi + (size_t)i * s->ld,
                           w->phi + (size_t)i * w->ld)) /
           step_of(p, s, i);
}

/* One busy node is enough, and who was busy probably still is. */
static void find_busy(mb_still_ *w, const mb_problem *p, const mb_state *s)
{
    const int32_t n = p->part->n_local;

    for (int32_t k = 0; k < n; k++) {
        const int32_t i = (w->suspect + k) % n;

        if (!(distance(w, p, s, i) > w->tol))
            continue;
        w->suspect = i;
        w->node[i].busy = s->t;
        return;
    }
}

/* A busy node that rounding can explain, and that has come no closer for long, will not. */
static void measure(mb_still_ *w, const mb_problem *p, const mb_state *s, int32_t i)
{
    mb_still_node_ *node = &w->node[i];
    const double    d = distance(w, p, s, i);

    if (is_held(p, s, i)) {
        w->open = 1; /* not known in this round */
        return;
    }
    if (d < node->low) {
        node->low = d;
        node->since = s->t;
    }
    if (!(d > w->tol))
        return;
    node->busy = s->t;
    w->suspect = i;
    w->level = fmax(w->level, d);
    w->open |= s->t - node->since < MB_STILL_PATIENCE_ * w->cycle || !(d <= noise(w, p, s, i));
}

void mb_still_examine_(mb_still_ *w, const mb_problem *p, const mb_state *s)
{
    const int32_t n = p->part->n_local;
    const int     all = s->t % MB_STILL_SAMPLE_ == 0;

    w->level = 0;
    w->open = !all;
    if (w->taken != s->t - 1) { /* nothing to compare with */
        for (int32_t i = 0; i < n; i++)
            w->node[i].busy = s->t;
        w->open = 1;
    } else if (all)
        for (int32_t i = 0; i < n; i++)
            measure(w, p, s, i);
    else
        find_busy(w, p, s);
}

void mb_still_forget_(mb_still_ *w, const mb_problem *p)
{
    memset(w->heard, 0, 2 * (size_t)p->part->g.ptr[p->part->n_local] * sizeof *w->heard);
}

void mb_still_hear_(mb_still_ *w, const mb_problem *p, const mb_state *s)
{
    for (int64_t e = 0; e < p->part->g.ptr[p->part->n_local]; e++) {
        const int32_t sent = (int32_t)(s->t - s->mail.age[e]);
        int32_t      *newest = w->heard + 2 * e;

        if (!s->mail.fresh[e] || sent <= newest[0])
            continue;
        newest[1] = newest[0];
        newest[0] = sent;
    }
}

int64_t mb_still_busy_(const mb_still_ *w, const mb_problem *p)
{
    int64_t last = 0;

    for (int32_t i = 0; i < p->part->n_local; i++)
        last = w->node[i].busy > last ? w->node[i].busy : last;
    return last;
}

int64_t mb_still_heard_(const mb_still_ *w, const mb_problem *p)
{
    int64_t first = INT64_MAX;

    for (int64_t e = 0; e < p->part->g.ptr[p->part->n_local]; e++)
        first = w->heard[2 * e + 1] < first ? w->heard[2 * e + 1] : first;
    return first;
}
