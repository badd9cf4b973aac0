/* anneal.c - an initialisation from a search over hard assignments: rows change their components one
 * at a time, drawn by how much the lower bound gains, at a temperature that falls (docs/math.md,
 * section 13). */
#include "base/rows.h"
#include "expfam/expfam.h"
#include "fit/fit.h"
#include "model/components.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum {
    SWEEPS = 20,   /* at falling temperatures, and as many at 0 at most */
    PLACES = 5000, /* rows x components at most                         */
};
static const double bulk = 1.2e5;      /* numbers of components that a sweep reads at most */
static const double hot = 2, cold = 1; /* nats: the first temperature and the last */

/* Units, a row or a group each, with one component each. C: the numbers of a component in all blocks
 * but that of the weights, or where components share some of them (shared 1) all of those blocks. */
typedef struct anneal {
    const mb_model *m;
    const mb_rows  *rows;
    const mb_block *weights;
    mb_layout       one;     /* of these C numbers                                              */
    int32_t         shared;  /* 1: there is one such vector, in which component k has a part    */
    size_t          part;    /* doubles of a part; 0 without                                    */
    int64_t         n;       /* units                                                           */
    double         *t;       /* n x C: statistics of a unit in component 0                      */
    double         *count;   /* n: what it adds to the weight of its component                  */
    int32_t        *z;       /* n: its component                                                */
    double         *filled;  /* K: the sum of count                                             */
    double         *phi;     /* K x C, or C: natural parameters                                 */
    double         *A;       /* as many: log partition functions                                */
    int64_t        *version; /* K: changes of a component so far                                */
    double         *gain;    /* n x K: what the bound has from a unit in a component, without
                                the weights, at `seen`                                          */
    int64_t        *seen;    /* n x K: the version of the component at which gain was computed  */
    double         *x;       /* C: scratch                                                      */
    double         *all;     /* L: scratch                                                      */
    double         *par;     /* L: scratch                                                      */
    double         *p;       /* K: scratch                                                      */
    double         *scratch; /* mb_local_scratch(m)                                             */
} anneal;

int mb_anneal_can_(const mb_case *c)
{
    const mb_layout *l = &c->model.layout;
    double           read = (double)c->rows[0].n * (double)l->len;

    for (int32_t b = 0; b < l->nblock; b++)
        read *= l->block[b].family->parts ? c->model.K : 1;
    return mb_move_can_(c) && !c->model.ops->more_latent && c->rows[0].n * c->model.K <= PLACES &&
           read <= bulk;
}

/* The blocks but that of the weights, of one component. 0: what they hold belongs neither to one
 * component nor, in a single block, to parts. */
static int lay_out(anneal *s)
{
    const mb_layout *l = &s->m->layout;

    s->one.scratch = l->scratch;
    for (int32_t b = 0; b < l->nblock; b++) {
        mb_block    *own = &s->one.block[s->one.nblock];
        size_t       at;
        const size_t len = mb_block_components(l, &l->block[b], s->m->K, &at);

        if (&l->block[b] == s->weights)
            continue;
        *own = l->block[b];
        s->shared = own->family->parts != NULL;
        if (!len || own->square || (s->shared && l->nblock > 2))
            return 0;
        s->part = s->shared ? len : 0;
        own->count = 1;
        own->off = s->one.len;
        s->one.len += own->len;
        s->one.nblock++;
    }
    return 1;
}

/* The C numbers of component k in a message. */
static void fetch(const anneal *s, const double *message, int32_t k, double *out)
{
    const mb_layout *l = &s->m->layout;

    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *own = &l->block[b];

        if (own == s->weights)
            continue;
        memcpy(out, message + own->off + (s->shared ? 0 : (size_t)k * own->len),
               own->len * sizeof *out);
        out += own->len;
    }
}

/* x += sign times the statistics of unit j in component k. */
static void add(const anneal *s, int64_t j, int32_t k, double sign, double *x)
{
    const double *t = s->t + (size_t)j * s->one.len;

    for (size_t e = 0; e < s->part; e++)
        x[(size_t)k * s->part + e] += sign * t[e];
    for (size_t e = (size_t)s->m->K * s->part; e < s->one.len; e++)
        x[e] += sign * t[e];
}

static double *phi_of(const anneal *s, int32_t k)
{
    return s->phi + (s->shared ? 0 : (size_t)k * s->one.len);
}

/* The log partition function; NaN outside Omega. */
static double log_partition(const anneal *s, const double *x)
{
    double A;

    return mb_moments(&s->one, x, NULL, &A, s->scratch, NULL) < 0 ? (double)NAN : A;
}

/* What the bound has from unit j in component k, nats, up to a number that is the same for all k; NaN:
 * rounding has led outside Omega. */
static double gain_of(const anneal *s, int64_t j, int32_t k)
{
    const int32_t own = s->z[j];

    if (s->shared && k == own)
        return *s->A;
    memcpy(s->x, phi_of(s, k), s->one.len * sizeof *s->x);
    if (s->shared || k == own)
        add(s, j, own, -1, s->x);
    if (s->shared || k != own)
        add(s, j, k, 1, s->x);
    if (s->shared)
        return log_partition(s, s->x);
    return k == own ? s->A[k] - log_partition(s, s->x) : log_partition(s, s->x) - s->A[k];
}

/* The rows of unit j are `from` .. the number returned - 1. */
static int64_t rows_of(const anneal *s, int64_t j, int64_t *from)
{
    *from = s->rows->first ? s->rows->first[j] : j;
    return s->rows->first ? s->rows->first[j + 1] : j + 1;
}

/* Statistics of each unit, as if it were in component 0. */
static mb_status statistics(anneal *s, double *resp, mb_err *err)
{
    const mb_rows *rows = s->rows;

    for (int64_t j = 0; j < s->n; j++) {
        int64_t       from;
        const int64_t end = rows_of(s, j, &from), span[] = {0, end - from};
        mb_rows       unit = mb_rows_part(rows, from, end - from);

        unit.first = rows->first ? span : NULL;
        unit.ngroup = rows->first ? 1 : 0;
        memset(s->all, 0, s->m->layout.len * sizeof *s->all);
        MB_TRY(s->m->ops->seed_stats(s->m, &unit, resp, s->all, s->scratch, err));
        s->count[j] = s->all[s->weights->off];
        fetch(s, s->all, 0, s->t + (size_t)j * s->one.len);
    }
    return MB_OK;
}

/* Natural parameters and log partition functions from the assignment, without the rounding of the
 * changes before. MB_E_DOMAIN outside Omega. */
static mb_status sum(anneal *s)
{
    const int32_t K = s->m->K;

    memset(s->filled, 0, (size_t)K * sizeof *s->filled);
    for (int32_t k = 0; k < K; k++)
        fetch(s, s->m->prior, k, phi_of(s, k));
    for (int64_t j = 0; j < s->n; j++) {
        add(s, j, s->z[j], 1, phi_of(s, s->z[j]));
        s->filled[s->z[j]] += s->count[j];
    }
    for (int32_t k = 0; k < (s->shared ? 1 : K); k++) {
        s->A[k] = log_partition(s, phi_of(s, k));
        if (isnan(s->A[k]))
            return MB_E_DOMAIN;
    }
    return MB_OK;
}

/* p: E[pi_k] of the weights without unit j, the probability that it is in component k. */
static void shares(const anneal *s, int64_t j)
{
    const mb_block *w = s->weights;

    s->filled[s->z[j]] -= s->count[j];
    memcpy(s->all, s->m->prior + w->off, w->len * sizeof *s->all);
    w->family->weights->add(w->dim, s->filled, s->all);
    s->filled[s->z[j]] += s->count[j];
    if (w->family->to_par(w->dim, s->all, s->par, s->scratch) == MB_OK)
        mb_shares(w->family, w->dim, s->par, s->p);
}

/* p: ln of the probability of each component for unit j, up to a constant; returns the largest. */
static double look(anneal *s, int64_t j)
{
    const int32_t K = s->m->K;
    double        top = -(double)INFINITY;

    shares(s, j);
    for (int32_t k = 0; k < K; k++) {
        double  *gain = s->gain + j * K + k;
        int64_t *seen = s->seen + j * K + k, now = s->version[s->shared ? 0 : k];

        if (*seen != now)
            *gain = gain_of(s, j, k);
        *seen = now;
        s->p[k] = s->count[j] * log(s->p[k]) + *gain;
        if (!(s->p[k] > -(double)INFINITY)) /* NaN, too */
            s->p[k] = -(double)INFINITY;
        top = s->p[k] > top ? s->p[k] : top;
    }
    return top;
}

/* Gives unit j to component `to`. */
static void move(anneal *s, int64_t j, int32_t to)
{
    const int32_t from = s->z[j], both[] = {from, to};

    add(s, j, from, -1, phi_of(s, from));
    add(s, j, to, 1, phi_of(s, to));
    s->filled[from] -= s->count[j];
    s->filled[to] += s->count[j];
    s->z[j] = to;
    for (int i = 0; i < (s->shared ? 1 : 2); i++) {
        const int32_t k = s->shared ? 0 : both[i];

        s->A[k] = log_partition(s, phi_of(s, k));
        s->version[k]++;
    }
}

/* Draws the component of each unit at temperature T; T = 0: the best. *moved: how many changed it. */
static mb_status sweep(anneal *s, mb_rng *rng, double T, int64_t *moved)
{
    *moved = 0;
    MB_TRY(sum(s));
    for (int64_t j = 0; j < s->n; j++) {
        int32_t to = s->z[j];
        double  top;

        if (!(s->count[j] > 0))
            continue;
        top = look(s, j);
        for (int32_t k = 0; !(T > 0) && k < s->m->K; k++)
            to = s->p[k] > s->p[to] ? k : to;
        for (int32_t k = 0; T > 0 && k < s->m->K; k++)
            s->p[k] = exp((s->p[k] - top) / T);
        to = T > 0 ? mb_draw_one_(rng, s->p, s->m->K) : to;
        if (to < 0 || to == s->z[j])
            continue;
        move(s, j, to);
        (*moved)++;
    }
    return MB_OK;
}

static mb_status search(anneal *s, mb_rng *rng)
{
    int64_t moved = 1;

    for (int64_t j = 0; j < s->n; j++)
        s->z[j] = (int32_t)mb_rng_below(rng, (uint64_t)s->m->K);
    for (int32_t k = 0; k < s->m->K; k++)
        s->version[k] = 1;
    for (int32_t i = 0; i < 2 * SWEEPS && moved; i++) {
        const double T = i < SWEEPS ? hot * pow(cold / hot, i / (SWEEPS - 1.0)) : 0;

        MB_TRY(sweep(s, rng, T, &moved));
        moved += i < SWEEPS;
    }
    return MB_OK;
}

static mb_status room(anneal *s, mb_arena *a, mb_err *err)
{
    const size_t n = (size_t)s->n, K = (size_t)s->m->K, C = s->one.len, L = s->m->layout.len;

    MB_NEW(s->t, a, n * C, err);
    MB_NEW(s->count, a, n, err);
    MB_NEW(s->z, a, n, err);
    MB_NEW(s->filled, a, K, err);
    MB_NEW(s->phi, a, s->shared ? C : K * C, err);
    MB_NEW(s->A, a, K, err);
    MB_NEW(s->version, a, K, err);
    MB_NEW(s->gain, a, n * K, err);
    MB_NEW(s->seen, a, n * K, err);
    MB_NEW(s->x, a, C, err);
    MB_NEW(s->all, a, L, err);
    MB_NEW(s->par, a, L, err);
    MB_NEW(s->p, a, K, err);
    MB_NEW(s->scratch, a, mb_local_scratch(s->m), err);
    return MB_OK;
}

/* resp (n rows x K): those of component 0 until now, then of the components of the units. */
static void assign(const anneal *s, double *resp)
{
    const int32_t K = s->m->K;

    for (int64_t j = 0, from; j < s->n; j++)
        for (int64_t end = rows_of(s, j, &from); from < end; from++) {
            resp[from * K] = 0;
            resp[from * K + s->z[j]] = 1;
        }
}

/* Responsibilities of all rows. */
static const double *next(void *self, int64_t n)
{
    (void)n;
    return self;
}

static mb_status anneal_seed(const mb_case *c, mb_arena *scratch_arena, uint64_t seed,
                             int32_t attempt, double *phi_star, mb_err *err)
{
    const mb_rows *rows = &c->rows[0];
    const int32_t  K = c->model.K;
    mb_rng         rng = mb_rng_at(seed, MB_STREAM_MOVE, 0, (uint64_t)attempt);
    double        *resp;
    anneal         s = {.m = &c->model,
                        .rows = rows,
                        .weights = mb_parts_weights_(&c->model),
                        .n = rows->first ? rows->ngroup : rows->n};

    if (!lay_out(&s))
        return MB_QUIET;
    MB_TRY(room(&s, scratch_arena, err));
    MB_NEW(resp, scratch_arena, (size_t)rows->n * (size_t)K, err);
    for (int64_t j = 0; j < rows->n; j++)
        resp[j * K] = 1;
    MB_TRY(statistics(&s, resp, err));
    MB_TRY(search(&s, &rng));
    assign(&s, resp);
    return mb_seed_sum_(c, 0, &(mb_given_){rows->n, next, resp}, scratch_arena, phi_star, s.scratch,
                        err);
}

mb_status mb_anneal_seed_(const mb_case *c, uint64_t seed, int32_t attempt, double *phi_star,
                          mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_new(1 << 16);
    mb_status st;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the initialisation");
    st = anneal_seed(c, scratch_arena, seed, attempt, phi_star, err);
    mb_arena_free(scratch_arena);
    return st == MB_E_DOMAIN ? MB_QUIET : st;
}
