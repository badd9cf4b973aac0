/* fa.c - factor analysis, docs/math.md, section 36:
 *     x_d = w_0d + w_d' h + noise of precision tau_d,  h ~ N(0, I) of q factors,
 *     tau_d ~ Gamma(a0, b0),  w_0d | tau_d ~ N(0, 1/(lambda0 tau_d)),
 *     w_dk | tau_d, alpha_k ~ N(0, 1/(alpha_k tau_d)),  alpha_k ~ Gamma(c0, c0).
 * Each column is a regression on z = (1, h): row j adds [1/2, svec(-E[y y']/2)], y = (z, x_d), to every
 * column d that has a value. alpha_k, the relevance of factor k, fades what explains nothing. With
 * isotropic noise, that of probabilistic PCA, all columns have one tau.
 *
 * phi and what a rotation of h makes of it mean nearly the same, and steps along that valley are tiny.
 * The canonical form goes there at once: phi holds the sums of E[z z'] of all rows, so that h gets the
 * mean 0 and the variance I over the rows, and the sum of E[tau w w'] becomes diagonal. */
#include "base/err.h"
#include "base/gaps.h"
#include "base/rows.h"
#include "base/straighten.h"
#include "base/text.h"
#include "expfam/expfam.h"
#include "expfam/normal_gamma.h"
#include "model/entries.h"
#include "model/export.h"
#include "model/kind.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const double LN_2PI = 1.83787706640934548356, SQRT_HALF = 0.70710678118654752440;

/* Of w_0 and tau in columns of mean 0 and standard deviation 1, and of alpha. */
static const double precision0 = 1e-6, shape0 = 0.5, rate0 = 1e-4, relevance0 = 1e-6;

/* The words of --noise, and its place among the choices. */
enum { DIAGONAL, ISOTROPIC };
enum { NOISE_CHOICE };

/* Of column d phi has svec(-Lambda_d/2) and -k_d/sqrt 2 from number d each + 1 on, par m_d and
 * Lambda_d from d each + 2 on. Those of a noise precision are around those of its column, or of
 * all. */
typedef struct spec {
    int32_t D, q;   /* columns, factors                                        */
    int32_t shared; /* 1: all columns have one noise precision                 */
    int32_t noises; /* noise precisions: members of the first block            */
    size_t  p;      /* q + 1                                                   */
    size_t  each;   /* numbers from one column to the next, in phi and in par  */
    size_t  member; /* numbers of a member of the first block                  */
} spec;

/* Where the parameters of the relevances begin. */
static size_t relevances(const spec *q)
{
    return (size_t)q->noises * q->member;
}

static int32_t is_isotropic(const mb_sizes *s)
{
    return s->choice[NOISE_CHOICE] == ISOTROPIC;
}

static spec spec_of(const mb_sizes *s)
{
    const size_t p = (size_t)s->factors + 1, own = p + mb_svec_len_((int32_t)p);
    spec         q = {.D = s->D, .q = s->factors, .noises = s->D, .p = p, .each = own + 2};

    q.member = q.each;
    if (is_isotropic(s)) {
        q.shared = q.noises = 1;
        q.each = own;
        q.member = (size_t)s->D * own + 2;
    }
    return q;
}

/* The place of column d's shape in phi and in par, where E[ln tau] is in mu. */
static size_t shape_at(const spec *q, int32_t d)
{
    return q->shared ? 0 : (size_t)d * q->each;
}

/* That of what belongs to tau in phi, where E[tau] is in mu. */
static size_t tau_at(const spec *q, int32_t d)
{
    return shape_at(q, d) + q->member - 1;
}

/* That of -k_d/sqrt 2 in phi, where -sqrt 2 E[tau w] is in mu. */
static size_t cross_at(const spec *q, int32_t d)
{
    return (size_t)d * q->each + 1 + mb_svec_len_((int32_t)q->p);
}

/* ---- the local step ---- */

/* What is expected of a column: E[ln tau], E[tau], E[tau w] (p), E[tau w w'] (p x p). */
typedef struct column {
    double  ln_tau, tau;
    double *v, *W;
} column;

/* Precision of h: its Cholesky factor, its inverse, ln of its determinant. */
typedef struct latent {
    double *L, *C, ln_det;
} latent;

typedef struct work {
    const spec *q;
    column     *of;        /* D                                                          */
    latent      all, some; /* of a row that has all values, and of one that has not      */
    double     *b, *h, *x; /* q, q, D: P E[h], E[h], a row                               */
    double     *S, *G; /* p x p: sums of w E[z z'] of rows with all values, D x p x p: of others */
    double     *X, *square; /* D x p, D: of w x z and of w x^2                           */
    double     *rest;       /* (p + 1)^2, and the scratch of the family                   */
} work;

/* Of predictive densities: what is added up is at 2 HALF points. */
enum { HALF = 64 };

static size_t densities_of(const spec *q)
{
    const size_t D = (size_t)q->D, n = (size_t)q->q, all = q->p + 1;

    return D * (all * all + 7) + 1 + (HALF + 4) * n + n * n + all + 2 * (all * all + 1);
}

static size_t scratch_of(const spec *q, const mb_layout *l)
{
    const size_t D = (size_t)q->D, n = (size_t)q->q, p = q->p, all = p + 1;
    const size_t columns = D * (sizeof(column) / sizeof(double) + 1);

    return columns + D * (2 * p + 2 * p * p + 2) + 4 * n * n + 2 * n + p * p /* carve */ +
           4 * l->len + l->scratch + 2 * all * all + 5 * n * n + 4 * p * p + p +
           5 * n /* others */ + densities_of(q);
}

static double *take(double **from, size_t n)
{
    double *at = *from;

    *from += n;
    return at;
}

static void carve(const spec *q, double *scratch, work *w)
{
    const size_t D = (size_t)q->D, n = (size_t)q->q, p = q->p;

    *w = (work){.q = q};
    w->of = (column *)(void *)take(&scratch, D * (sizeof(column) / sizeof(double)));
    for (size_t d = 0; d < D; d++)
        w->of[d] = (column){.v = take(&scratch, p), .W = take(&scratch, p * p)};
    w->all.L = take(&scratch, n * n);
    w->all.C = take(&scratch, n * n);
    w->some.L = take(&scratch, n * n);
    w->some.C = take(&scratch, n * n);
    w->b = take(&scratch, n);
    w->h = take(&scratch, n);
    w->x = take(&scratch, D);
    w->S = take(&scratch, p * p);
    w->G = take(&scratch, D * p * p);
    w->X = take(&scratch, D * p);
    w->square = take(&scratch, D);
    w->rest = scratch;
}

/* What phi expects of column d; mu is that of all columns, or of this one. */
static void read_column(const spec *q, const double *mu, int32_t d, column *c)
{
    const int32_t at = q->shared ? d : 0;

    c->ln_tau = mu[0];
    c->tau = mu[q->member - 1];
    for (size_t i = 0; i < q->p; i++)
        c->v[i] = -SQRT_HALF * mu[cross_at(q, at) + i];
    mb_unsvec_(mu + (size_t)at * q->each + 1, (int32_t)q->p, c->W);
}

/* What phi expects of all columns. Returns the first one that is outside its domain; D: none is. */
static int32_t expect(const mb_model *m, const double *phi, work *w)
{
    const spec     *q = w->q;
    const mb_block *k = m->layout.block;
    double         *mu = w->rest, *room = mu + q->member;

    for (int32_t d = 0; d < q->D; d++) {
        if (d < q->noises && k->family->moments(k->dim, phi + shape_at(q, d), mu, NULL, room) < 0)
            return d;
        read_column(q, mu, d, &w->of[d]);
    }
    return q->D;
}

/* P = I + the sum of E[tau w w'] of the columns that have a value in x (NULL: all), factorised. -1:
 * it is not positive definite. */
static int factorise(const work *w, const double *x, latent *to)
{
    const size_t n = (size_t)w->q->q, p = w->q->p;
    double      *inverse = w->rest;

    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l <= i; l++) {
            double sum = i == l;

            for (int32_t d = 0; d < w->q->D; d++)
                if (!x || !isnan(x[d]))
                    sum += w->of[d].W[(i + 1) * p + l + 1];
            to->L[i * n + l] = sum;
        }
    if (mb_chol_(to->L, w->q->q) != 0)
        return -1;
    to->ln_det = 2 * mb_log_product_(to->L, n + 1, w->q->q);
    mb_chol_inverse_(to->L, w->q->q, inverse);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l <= i; l++) {
            double sum = 0;

            for (size_t k = i; k < n; k++)
                sum += inverse[k * n + i] * inverse[k * n + l];
            to->C[i * n + l] = to->C[l * n + i] = sum;
        }
    return 0;
}

static mb_status set_up(const mb_model *m, const double *phi, double *scratch, work *w, mb_err *err)
{
    const spec *q = m->spec;
    int32_t     outside;

    carve(q, scratch, w);
    outside = expect(m, phi, w);
    if (outside < q->D)
        MB_FAIL(err, MB_E_DOMAIN, "column %" PRId32 ": its parameters are outside their domain",
                outside);
    for (size_t e = relevances(q); e < m->layout.len; e++)
        if (!((e - relevances(q)) % 2 ? phi[e] < 0 : phi[e] > -1))
            MB_FAIL(err, MB_E_DOMAIN, "block 1 (%s) is outside its domain",
                    m->layout.block[1].family->name);
    if (factorise(w, NULL, &w->all) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "the precision of the factors is not positive definite");
    return MB_OK;
}

/* q(h) of a row whose precision is in `of`: its mean into w->h. Returns ln Z. */
static double infer(work *w, const latent *of, const double *x)
{
    const size_t n = (size_t)w->q->q, p = w->q->p;
    double       twice = -of->ln_det;

    memset(w->b, 0, n * sizeof *w->b);
    for (int32_t d = 0; d < w->q->D; d++) {
        const column *c = &w->of[d];

        if (of == &w->some && isnan(x[d]))
            continue;
        twice += c->ln_tau - LN_2PI - c->tau * x[d] * x[d] + 2 * c->v[0] * x[d] - c->W[0];
        for (size_t k = 0; k < n; k++)
            w->b[k] += c->v[k + 1] * x[d] - c->W[(k + 1) * p];
    }
    for (size_t k = 0; k < n; k++) {
        w->h[k] = 0;
        for (size_t l = 0; l < n; l++)
            w->h[k] += of->C[k * n + l] * w->b[l];
        twice += w->h[k] * w->b[k];
    }
    return 0.5 * twice;
}

/* S += v E[z z'], the lower triangle; of the variance of h only where it is given. */
static void add_latent(const work *w, double v, const double *C, double *S)
{
    const size_t n = (size_t)w->q->q, p = w->q->p;

    S[0] += v;
    for (size_t k = 0; k < n; k++) {
        double *row = S + (k + 1) * p;

        row[0] += v * w->h[k];
        for (size_t l = 0; l <= k; l++)
            row[l + 1] += v * (w->h[k] * w->h[l] + (C ? C[k * n + l] : 0));
    }
}

static void add_row(work *w, double v, const latent *of, const double *x)
{
    const size_t n = (size_t)w->q->q, p = w->q->p;

    if (of == &w->all)
        add_latent(w, v, NULL, w->S);
    for (int32_t d = 0; d < w->q->D; d++) {
        double *to = w->X + (size_t)d * p;

        if (of == &w->some && isnan(x[d]))
            continue;
        if (of == &w->some)
            add_latent(w, v, of->C, w->G + (size_t)d * p * p);
        to[0] += v * x[d];
        for (size_t k = 0; k < n; k++)
            to[k + 1] += v * x[d] * w->h[k];
        w->square[d] += v * x[d] * x[d];
    }
}

/* 1: no value is there. */
static int count_gaps(const mb_rows *rows, const double *x)
{
    int32_t gaps = 0;

    for (int32_t d = 0; rows->gaps && d < rows->d; d++)
        gaps += isnan(x[d]) != 0;
    return gaps;
}

/* q(h) of row j, of which *of is the precision; NULL: it has no value. *ln_z: its ln Z. */
static mb_status read_row(work *w, const mb_rows *rows, int64_t j, const double **x,
                          const latent **of, double *ln_z, mb_err *err)
{
    int gaps;

    *x = mb_rows_row(rows, j, w->x);
    gaps = count_gaps(rows, *x);
    *of = gaps == rows->d ? NULL : gaps ? &w->some : &w->all;
    *ln_z = 0;
    if (gaps == rows->d) {
        memset(w->h, 0, (size_t)w->q->q * sizeof *w->h);
        return MB_OK;
    }
    if (gaps && factorise(w, *x, &w->some) != 0)
        *ln_z = (double)NAN;
    else
        *ln_z = infer(w, *of, *x);
    if (!isfinite(*ln_z))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its expected log density is %g; its values must be finite and "
                "not absurdly large",
                j, *ln_z);
    return MB_OK;
}

/* s += the sums in natural form. */
static void add_stats(const work *w, double *s)
{
    const size_t n = (size_t)w->q->q, p = w->q->p;

    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l <= k; l++)
            w->S[(k + 1) * p + l + 1] += w->S[0] * w->all.C[k * n + l];
    for (size_t d = 0; d < (size_t)w->q->D; d++) {
        const double *G = w->G + d * p * p;
        double       *to = s + d * w->q->each + 1;

        s[shape_at(w->q, (int32_t)d)] += 0.5 * (w->S[0] + G[0]);
        for (size_t i = 0; i < p; i++)
            for (size_t l = 0; l <= i; l++)
                *to++ -= (i == l ? 0.5 : SQRT_HALF) * (w->S[i * p + l] + G[i * p + l]);
        for (size_t i = 0; i < p; i++)
            *to++ -= SQRT_HALF * w->X[d * p + i];
        s[tau_at(w->q, (int32_t)d)] -= 0.5 * w->square[d];
    }
}

static mb_status check_shape(const spec *q, const mb_rows *rows, mb_err *err)
{
    if (rows->n > 0 && rows->d != q->D)
        MB_FAIL(err, MB_E_SHAPE, "rows: got %" PRId32 " columns; expected %" PRId32, rows->d, q->D);
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    const spec   *q = m->spec;
    const size_t  D = (size_t)q->D, p = q->p;
    const double *x;
    const latent *of;
    double        total = 0, ln_z;
    work          w;

    MB_TRY(check_shape(q, rows, err));
    MB_TRY(set_up(m, phi, scratch, &w, err));
    memset(w.S, 0, (p * p + D * (p * p + p + 1)) * sizeof *w.S);
    for (int64_t j = 0; j < rows->n; j++) {
        const double v = rows->w ? rows->w[j] : 1;

        if (!(v >= 0))
            MB_FAIL(err, MB_E_ARG, "row %" PRId64 ": got weight %g; expected 0 or more", j, v);
        if (!(v > 0))
            continue;
        MB_TRY(read_row(&w, rows, j, &x, &of, &ln_z, err));
        if (of)
            add_row(&w, v, of, x);
        total += v * ln_z;
    }
    add_stats(&w, s);
    if (logz)
        *logz += total;
    return MB_OK;
}

/* ---- where a run begins ---- */

/* Loadings of size 1 or so, as sure as of START rows, and so little noise that h fits the columns: with
 * more of it a weak factor fades before it is found. */
static void noise(const spec *q, mb_rng *rng, double *phi)
{
    enum { START = 100 };
    const double variance = 0.01;
    double      *relevance = phi + relevances(q);

    for (int32_t k = 0; k < q->noises; k++)
        phi[shape_at(q, k)] = -0.5, phi[tau_at(q, k)] = 0;
    for (int32_t d = 0; d < q->D; d++) {
        double *to = phi + (size_t)d * q->each + 1, corner = variance * START;

        phi[shape_at(q, d)] += 0.5 * (START + (double)q->p);
        for (size_t i = 0; i < q->p; i++)
            for (size_t l = 0; l <= i; l++)
                *to++ = i == l ? -0.5 * START : 0;
        *to++ = 0; /* w_0 */
        for (size_t i = 1; i < q->p; i++) {
            const double w = mb_rng_normal(rng);

            *to++ = -SQRT_HALF * START * w;
            corner += START * w * w;
        }
        phi[tau_at(q, d)] -= 0.5 * corner;
    }
    for (int32_t k = 0; k < q->q; k++) {
        relevance[2 * k] = 0.5 * q->D;
        relevance[2 * k + 1] = -0.5 * q->D - 0.5;
    }
}

static void phi0(const mb_model *m, const mb_units *run, const double *centres, mb_rng *rng,
                 double *phi)
{
    (void)run, (void)centres;
    noise(m->spec, rng, phi);
}

/* At the prior there is no factor, and none would ever be found. */
static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    mb_rng rng = mb_rng_at(0, 0, 0, 0);

    (void)resp;
    noise(m->spec, &rng, scratch);
    return stats(m, scratch, rows, s, NULL, scratch + m->layout.len, err);
}

/* ---- relevance ---- */

/* The entry of w_k^2 of column d. */
static size_t own(const spec *q, int32_t d, int32_t k)
{
    return (size_t)d * q->each + 1 + mb_packed_at_(k + 1, k + 1);
}

/* As that of linreg, with the sum over all columns; docs/math.md, section 20. */
static void prior_at(const mb_model *m, const double *mu, double *out, double *A)
{
    const spec   *q = m->spec;
    const double *hyper = m->prior + relevances(q);
    double       *to = out + relevances(q);

    memcpy(out, m->prior, m->layout.len * sizeof *out);
    *A = m->A_prior;
    for (int32_t k = 0; k < q->q; k++, hyper += 2, to += 2) {
        const double before = (hyper[0] + 1) / -hyper[1];
        double       sum = 0, after;

        for (int32_t d = 0; d < q->D; d++)
            sum += mu[own(q, d, k)];
        to[0] += 0.5 * q->D;
        to[1] -= 0.5 * sum;
        after = (to[0] + 1) / -to[1];
        for (int32_t d = 0; d < q->D; d++)
            out[own(q, d, k)] -= 0.5 * (after - before);
        *A += 0.5 * (q->D * log(before) - after * sum);
    }
}

/* ---- the canonical form ---- */

/* E[alpha] goes no further than what most_alpha says; a factor whose relevance is beyond DEAD of it is dead. */
static const double DEAD = 0.7;

/* How phi is turned: h' = T (h - c), of the live factors; the dead remain, after them. */
typedef struct turn {
    const spec *q;
    int32_t     r;         /* live factors                                      */
    int         gaps;      /* 1: columns have values in different rows */
    int32_t    *at;        /* q: these, then the dead                           */
    int32_t    *from, *to; /* q: which live factor an eigenvector becomes, and back */
    double     *alpha;     /* q: E[alpha]                                       */
    double      most;      /* it goes no further                                */
    double     *c;         /* q: mean of h over the rows                        */
    double     *S;         /* p x p: sum of E[z z'], mean over the columns      */
    double     *R, *B, *V; /* r x r: (h - c) = R h whitened, the sum of E[tau w w'], eigenvectors */
    double     *T, *U;     /* q x q: h' from h, w' from w: U = T^-1, transposed */
    double     *G, *A, *F; /* p x p                                            */
    double     *cross;     /* p                                                */
    double     *out;
} turn;

static void carve_turn(const mb_model *m, double *rest, turn *t)
{
    const spec  *q = m->spec;
    const size_t n = (size_t)q->q, p = q->p;

    *t = (turn){.q = q};
    t->at = (int32_t *)(void *)take(&rest, n);
    t->from = (int32_t *)(void *)take(&rest, n);
    t->to = (int32_t *)(void *)take(&rest, n);
    t->alpha = take(&rest, n);
    t->c = take(&rest, n);
    t->R = take(&rest, n * n);
    t->B = take(&rest, n * n);
    t->V = take(&rest, n * n);
    t->T = take(&rest, n * n);
    t->U = take(&rest, n * n);
    t->S = take(&rest, p * p);
    t->G = take(&rest, p * p);
    t->A = take(&rest, p * p);
    t->F = take(&rest, p * p);
    t->cross = take(&rest, p);
    t->out = take(&rest, m->layout.len);
}

/* A := the sums of z z' of a column, without the relevances; cross (p), where it is given, those of z x. */
static void sums_of(const turn *t, const double *phi, double *A, double *cross)
{
    const size_t p = t->q->p;

    phi++;
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l <= i; l++, phi++)
            A[i * p + l] = A[l * p + i] =
                i == l ? -2 * *phi - (i ? t->alpha[i - 1] : 0) : *phi / -SQRT_HALF;
    for (size_t i = 0; cross && i < p; i++)
        cross[i] = phi[i];
}

/* From loadings near 0 a step makes those of a factor 1/(1 + E[alpha]/rows) times the largest eigenvalue
 * that the columns' correlations have without it. VB keeps factors whose eigenvalue is above 1 + 2.91 a +
 * a^2, a^2 = D/rows ([Nakajima13], by its approximation). So at this E[alpha] what rows do not support
 * fades, and a factor that nodes lost while they did not agree returns. Beyond it alpha says nothing
 * more, and nodes would have very different numbers. LEAST: many rows, whose noise would hardly fade. */
static double most_alpha(int32_t D, double rows)
{
    const double LEAST = 0.4, a = sqrt(D / rows);

    return fmax(LEAST, a * (2.91 + a)) * rows;
}

/* S, alpha, and which factors live. 0: phi is no posterior of rows. */
static int look(turn *t, const double *phi)
{
    const size_t  n = (size_t)t->q->q, p = t->q->p;
    const double *hyper = phi + relevances(t->q);
    int32_t       dead = 0;

    for (size_t k = 0; k < n; k++, hyper += 2) {
        if (!(hyper[0] > -1 && hyper[1] < 0))
            return 0;
        t->alpha[k] = (hyper[0] + 1) / -hyper[1];
    }
    memset(t->S, 0, p * p * sizeof *t->S);
    for (int32_t d = 0; d < t->q->D; d++) {
        sums_of(t, phi + (size_t)d * t->q->each, t->A, NULL);
        for (size_t e = 0; e < p * p; e++)
            t->S[e] += t->A[e] / t->q->D;
        t->gaps |= fabs(t->A[0] * (d + 1) / t->q->D - t->S[0]) > 1e-9 * t->S[0];
    }
    t->most = most_alpha(t->q->D, t->S[0]);
    for (size_t k = 0; k < n; k++)
        if (t->alpha[k] < DEAD * t->most)
            t->at[t->r++] = (int32_t)k;
    for (size_t k = 0; k < n; k++)
        if (!(t->alpha[k] < DEAD * t->most))
            t->at[t->r + dead++] = (int32_t)k;
    return t->S[0] > 0;
}

/* The place of the sum over z of live factors i and l. */
static double live(const turn *t, const double *A, int32_t i, int32_t l)
{
    return A[((size_t)t->at[i] + 1) * t->q->p + (size_t)t->at[l] + 1];
}

/* R R', the covariance of h over the rows; with gaps no column has all of them, and R and c are those of
 * no change: then only turning h is sure to raise the bound. */
static void look_at_rows(turn *t)
{
    const size_t r = (size_t)t->r, p = t->q->p;

    for (int32_t k = 0; k < t->q->q; k++)
        t->c[k] = t->gaps ? 0 : t->S[(size_t)(k + 1) * p] / t->S[0];
    for (size_t i = 0; i < r; i++)
        for (size_t l = 0; l < r; l++)
            t->R[i * r + l] = t->gaps ? i == l
                                      : live(t, t->S, (int32_t)i, (int32_t)l) / t->S[0] -
                                            t->c[t->at[i]] * t->c[t->at[l]];
}

/* R, and the eigenvectors V of R' B R. 0: there are none. */
static int diagonalise(turn *t, const work *w)
{
    const size_t r = (size_t)t->r;
    double      *M = t->T, *value = t->F;

    look_at_rows(t);
    for (size_t i = 0; i < r; i++)
        for (size_t l = 0; l < r; l++) {
            t->B[i * r + l] = 0;
            for (int32_t d = 0; d < t->q->D; d++)
                t->B[i * r + l] += live(t, w->of[d].W, (int32_t)i, (int32_t)l);
        }
    if (!r)
        return 1;
    if (mb_chol_(t->R, t->r) != 0)
        return 0;
    for (size_t i = 0; i < r; i++) /* U := B R, for now */
        for (size_t l = 0; l < r; l++) {
            t->U[i * r + l] = 0;
            for (size_t k = l; k < r; k++)
                t->U[i * r + l] += t->B[i * r + k] * t->R[k * r + l];
        }
    for (size_t i = 0; i < r; i++)
        for (size_t l = 0; l < r; l++) {
            M[i * r + l] = 0;
            for (size_t k = i; k < r; k++)
                M[i * r + l] += t->R[k * r + i] * t->U[k * r + l];
        }
    return mb_eig_sym_(M, t->r, value, t->V) == MB_OK;
}

/* Which eigenvector takes the place of which live factor: those that are most alike, pair by pair, so
 * that h turns as little as it must. V gets them in this order, with the signs that they had. */
static void keep_places(turn *t)
{
    const size_t r = (size_t)t->r;
    double      *placed = t->B;

    for (size_t i = 0; i < r; i++)
        t->from[i] = t->to[i] = -1;
    for (size_t pairs = 0; pairs < r; pairs++) {
        double most = 0;
        size_t at = 0, of = 0;

        for (size_t e = 0; e < r * r; e++) {
            double sum = 0; /* entry e of R V */

            for (size_t k = 0; k <= e / r; k++)
                sum += t->R[e / r * r + k] * t->V[k * r + e % r];
            if (t->to[e / r] < 0 && t->from[e % r] < 0 && fabs(sum) >= fabs(most)) {
                most = sum;
                at = e / r;
                of = e % r;
            }
        }
        t->to[at] = (int32_t)of;
        t->from[of] = (int32_t)at;
        for (size_t k = 0; k < r; k++)
            placed[k * r + at] = most < 0 ? -t->V[k * r + of] : t->V[k * r + of];
    }
    memcpy(t->V, placed, r * r * sizeof *placed);
}

/* T and U, of the eigenvectors as V has them: factor i takes the place of live factor i. */
static void turn_of(turn *t)
{
    const size_t n = (size_t)t->q->q, r = (size_t)t->r;
    double      *row = t->F;

    memset(t->T, 0, n * n * sizeof *t->T);
    memset(t->U, 0, n * n * sizeof *t->U);
    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)t->at[i];

        if (i >= r) {
            t->T[at * n + at] = t->U[at * n + at] = 1;
            t->c[at] = 0;
            continue;
        }
        for (size_t l = 0; l < r; l++) {
            row[l] = t->V[l * r + i];
            for (size_t k = 0; k <= l; k++)
                t->U[(size_t)t->at[l] * n + at] += t->R[l * r + k] * t->V[k * r + i];
        }
        mb_chol_backward_(t->R, t->r, row);
        for (size_t l = 0; l < r; l++)
            t->T[at * n + (size_t)t->at[l]] = row[l];
    }
}

/* G of z' = G z = (1, T (h - c)). */
static void matrix_of(const turn *t)
{
    const size_t n = (size_t)t->q->q, p = t->q->p;

    memset(t->G, 0, p * p * sizeof *t->G);
    t->G[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            t->G[(i + 1) * p + k + 1] = t->T[i * n + k];
            t->G[(i + 1) * p] -= t->T[i * n + k] * t->c[k];
        }
}

/* E[alpha] where it and the loadings suit each other, which steps reach slowly where a factor fades. Over
 * `rows` the squares of the means of D loadings go as (rows + alpha)^-2, their variances as (rows +
 * alpha)^-1; `sum`, the sum of E[tau w^2], is that at alpha0. */
static double suit(double shape, double D, double rows, double alpha0, double sum, double most)
{
    const double least = rows + alpha0, mean = fmax(sum - D / least, 0) * least * least;
    double       low = -70, high = log(shape / relevance0);

    for (int i = 0; i < 64; i++) {
        const double middle = 0.5 * (low + high), alpha = exp(middle), all = rows + alpha;

        if (alpha * (relevance0 + 0.5 * (mean / all + D) / all) < shape)
            low = middle;
        else
            high = middle;
    }
    return fmin(exp(high), most);
}

/* The relevances that suit B' = U' B U into t->out. */
static void turn_relevances(turn *t, const work *w, const double *phi)
{
    const size_t n = (size_t)t->q->q, p = t->q->p;
    double      *hyper = t->out + relevances(t->q);

    for (size_t i = 0; i < n; i++, hyper += 2) {
        double sum = 0;

        for (int32_t d = 0; d < t->q->D; d++)
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++)
                    sum += t->U[k * n + i] * w->of[d].W[(k + 1) * p + l + 1] * t->U[l * n + i];
        hyper[0] = phi[relevances(t->q) + 2 * i];
        hyper[1] =
            -(hyper[0] + 1) / suit(hyper[0] + 1, t->q->D, t->S[0], t->alpha[i], sum, t->most);
    }
}

/* A := G A G', by way of F. */
static void sandwich(const turn *t)
{
    const size_t p = t->q->p;

    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l < p; l++) {
            t->F[i * p + l] = 0;
            for (size_t k = 0; k < p; k++)
                t->F[i * p + l] += t->G[i * p + k] * t->A[k * p + l];
        }
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l <= i; l++) {
            t->A[i * p + l] = 0;
            for (size_t k = 0; k < p; k++)
                t->A[i * p + l] += t->F[i * p + k] * t->G[l * p + k];
        }
}

/* Column d of phi into t->out, whose relevances are there already. */
static void turn_column(const turn *t, const double *phi, int32_t d)
{
    const size_t  p = t->q->p, at = (size_t)d * t->q->each;
    const double *hyper = t->out + relevances(t->q);
    double       *to = t->out + at + 1;

    sums_of(t, phi + at, t->A, t->cross);
    sandwich(t);
    t->out[shape_at(t->q, d)] = phi[shape_at(t->q, d)];
    t->out[tau_at(t->q, d)] = phi[tau_at(t->q, d)];
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l <= i; l++)
            *to++ = i == l ? -0.5 * (t->A[i * p + l] +
                                     (i ? (hyper[2 * i - 2] + 1) / -hyper[2 * i - 1] : 0))
                           : -SQRT_HALF * t->A[i * p + l];
    for (size_t i = 0; i < p; i++, to++) {
        *to = 0;
        for (size_t k = 0; k < p; k++)
            *to += t->G[i * p + k] * t->cross[k];
    }
}

/* All columns by G into phi. 0: one of them would be outside, and phi is as it was. */
static int turn_columns(const mb_model *m, const turn *t, double *room, double *phi)
{
    const mb_block *k = m->layout.block;

    matrix_of(t);
    for (int32_t d = 0; d < t->q->D; d++)
        turn_column(t, phi, d);
    for (int32_t d = 0; d < t->q->noises; d++)
        if (k->family->moments(k->dim, t->out + shape_at(t->q, d), NULL, NULL, room) < 0)
            return 0;
    memcpy(phi, t->out, m->layout.len * sizeof *phi);
    return 1;
}

/* What is expected of the columns, and the sums of phi. 0: phi is outside. */
static int begin_turn(const mb_model *m, const double *phi, double *scratch, work *w, turn *t)
{
    const spec *q = m->spec;

    carve(q, scratch, w);
    carve_turn(m, w->rest + 2 * (q->p + 1) * (q->p + 1) + q->member + m->layout.scratch, t);
    return expect(m, phi, w) == q->D && look(t, phi);
}

static void straighten(const mb_model *m, double *phi, double *scratch)
{
    work w;
    turn t;

    if (!begin_turn(m, phi, scratch, &w, &t) || !diagonalise(&t, &w))
        return;
    keep_places(&t);
    turn_of(&t);
    turn_relevances(&t, &w, phi);
    (void)turn_columns(m, &t, w.rest, phi);
}

/* The sum of E[tau w_k^2]. */
static double size_of(const work *w, int32_t k)
{
    double sum = 0;

    for (int32_t d = 0; d < w->q->D; d++)
        sum += w->of[d].W[(size_t)(k + 1) * (w->q->p + 1)];
    return sum;
}

/* -1 where the largest loading of factor k, in units of the noise, is negative, else 1. */
static double sign_of(const work *w, int32_t k)
{
    double most = 0;

    for (int32_t d = 0; d < w->q->D; d++) {
        const double x = w->of[d].v[k + 1] / sqrt(w->of[d].tau);

        most = fabs(x) > fabs(most) ? x : most;
    }
    return most < 0 ? -1 : 1;
}

/* Factors by their size, with their signs. */
static void canonical(const mb_model *m, double *phi, double *scratch)
{
    const size_t  n = (size_t)((const spec *)m->spec)->q;
    const double *hyper = phi + relevances(m->spec);
    double       *to;
    work          w;
    turn          t;

    straighten(m, phi, scratch);
    if (!begin_turn(m, phi, scratch, &w, &t))
        return;
    memset(t.T, 0, n * n * sizeof *t.T);
    memset(t.c, 0, n * sizeof *t.c);
    to = t.out + relevances(m->spec);
    for (int32_t i = 0; i < t.q->q; i++) {
        int32_t k = i;

        t.at[i] = i;
        for (; k > 0 && size_of(&w, t.at[k]) > size_of(&w, t.at[k - 1]); k--) {
            const int32_t swap = t.at[k];

            t.at[k] = t.at[k - 1];
            t.at[k - 1] = swap;
        }
    }
    for (size_t i = 0; i < n; i++, to += 2) {
        t.T[i * n + (size_t)t.at[i]] = sign_of(&w, t.at[i]);
        memcpy(to, hyper + 2 * t.at[i], 2 * sizeof *to);
    }
    (void)turn_columns(m, &t, w.rest, phi);
}

/* ---- predictions ---- */

/* The exact predictive density of a row is an integral over h of a product of Student's t. It is added
 * up at points that lie evenly under a normal distribution, a little wider than q(h). */
typedef struct density {
    double *L, *a, *b;      /* D: factor of M ((p + 1)^2), shape, rate                      */
    double *ln;             /* D + 1: of each column's constants; of as many columns' ones  */
    double *tau;            /* D: a/b                                                       */
    double *spread, *own;   /* D: of the last joint, how wide a column is, and its square    */
    double *u;              /* D: how much a column says of h, 1 where tau were E[tau]       */
    double *points;         /* HALF x q                                                     */
    double *P, *h, *at, *y; /* q x q, q, q, p + 1                                            */
    double *slope, *middle; /* q: that of the widths at the middle, which joint has besides  */
} density;

/* Points of a lattice in (0, 1)^q that fills it evenly for any q, as standard normal numbers. */
static void fill_points(int32_t q, double *points)
{
    double g = 1.5, step = 1, whole;

    for (int i = 0; i < 60; i++)
        g = pow(1 + g, 1.0 / (q + 1));
    for (int32_t k = 0; k < q; k++) {
        step /= g;
        for (int i = 0; i < HALF; i++)
            points[i * q + k] =
                mb_student_quantile((double)INFINITY, modf(0.5 + (i + 1) * step, &whole));
    }
}

/* What a posterior of one noise precision says of column d alone, a normal-gamma, into phi of it; par
 * is that of all columns. -1: it is outside its domain. */
static int alone(const spec *q, const double *par, int32_t d, double *room, double *phi)
{
    memcpy(room, par, 2 * sizeof *room);
    memcpy(room + 2, par + 2 + (size_t)d * q->each, q->each * sizeof *room);
    return mb_normal_gamma_latent.from_par((int32_t)q->p, room, phi) < 0 ? -1 : 0;
}

/* ln of what stands before the powers, of any number of columns with one precision, which are one
 * more at a time. */
static void constants_of_all(const spec *q, density *g)
{
    g->ln[0] = 0;
    for (int32_t n = 0; n < q->D; n++)
        g->ln[n + 1] =
            g->ln[n] + mb_lgamma_half_(g->a[0] + 0.5 * n) - 0.5 * (LN_2PI + log(g->b[0]));
}

/* What g needs, from scratch. Returns what is left of it. */
static double *carve_density(const spec *q, double *scratch, density *g)
{
    const size_t D = (size_t)q->D, n = (size_t)q->q, all = q->p + 1;

    *g = (density){.L = take(&scratch, D * all * all),
                   .a = take(&scratch, D),
                   .b = take(&scratch, D),
                   .ln = take(&scratch, D + 1),
                   .tau = take(&scratch, D),
                   .spread = take(&scratch, D),
                   .own = take(&scratch, D),
                   .u = take(&scratch, D),
                   .points = take(&scratch, HALF * n),
                   .P = take(&scratch, n * n),
                   .h = take(&scratch, n),
                   .at = take(&scratch, n),
                   .slope = take(&scratch, n),
                   .middle = take(&scratch, n),
                   .y = take(&scratch, all)};
    return scratch;
}

static mb_status set_up_density(const mb_model *m, const double *phi, work *w, density *g,
                                mb_err *err)
{
    const spec     *q = m->spec;
    const mb_block *k = m->layout.block;
    const size_t    D = (size_t)q->D, all = q->p + 1;
    double         *par = w->rest;
    double         *one = carve_density(q, par + q->member + m->layout.scratch, g);
    double         *room = one + all * all + 1;

    if (q->shared && k->family->to_par(k->dim, phi, par, par + q->member) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "the parameters of the columns are outside their domain");
    for (size_t d = 0; d < D; d++) {
        const double *own_phi = q->shared ? one : phi + d * q->each;

        if ((q->shared && alone(q, par, (int32_t)d, room, one) < 0) ||
            mb_ng_factor_((int32_t)q->p, own_phi, g->L + d * all * all) < 0)
            MB_FAIL(err, MB_E_DOMAIN, "column %zu: its parameters are outside their domain", d);
        g->a[d] = mb_ng_a_((int32_t)q->p, own_phi);
        g->b[d] = mb_ng_b_((int32_t)q->p, g->L + d * all * all);
        g->ln[d] = mb_lgamma_half_(g->a[d]) - 0.5 * (LN_2PI + log(g->b[d]));
        g->tau[d] = g->a[d] / g->b[d];
    }
    if (q->shared)
        constants_of_all(q, g);
    fill_points(q->q, g->points);
    return MB_OK;
}

/* ln p(x, h) of the columns that have a value. */
static double joint(const spec *q, density *g, const double *x, const double *h)
{
    const size_t all = q->p + 1;
    double       sum = 0, square = 0;
    int32_t      seen = 0;

    for (int32_t k = 0; k < q->q; k++)
        sum -= 0.5 * (h[k] * h[k] + LN_2PI);
    for (size_t d = 0; d < (size_t)q->D; d++) {
        double spread = 1;

        if (isnan(x[d]))
            continue;
        g->y[0] = 1;
        memcpy(g->y + 1, h, (size_t)q->q * sizeof *h);
        g->y[q->p] = x[d];
        mb_chol_forward_(g->L + d * all * all, (int32_t)all, g->y);
        for (size_t i = 0; i < q->p; i++)
            spread += g->y[i] * g->y[i];
        g->spread[d] = spread;
        g->own[d] = g->y[q->p] / spread * g->y[q->p];
        sum -= 0.5 * log(spread);
        if (!q->shared)
            sum += g->ln[d] - (g->a[d] + 0.5) * log1p(g->own[d]);
        square += g->own[d];
        seen++;
    }
    return q->shared ? sum + g->ln[seen] - (g->a[0] + 0.5 * seen) * log1p(square) : sum;
}

/* The slope of joint by the width of column d, which grows with h: spread = 1 + z' V z, z = (1, h). */
static void add_slope(const work *w, density *g, int32_t d, double much)
{
    const column *c = &w->of[d];
    const size_t  p = w->q->p;

    for (size_t i = 1; i < p; i++)
        for (size_t l = 0; l < p; l++)
            g->slope[i - 1] +=
                much * (c->W[i * p + l] - c->v[i] / c->tau * c->v[l]) * (l ? g->h[l - 1] : 1);
}

/* The weights of columns with which a normal distribution has the slope of joint at h: a column far off,
 * whose noise is not known for sure, says less of h than E[tau] has it. */
static void weigh(const work *w, density *g, const double *x, const double *h)
{
    const spec *q = w->q;
    double      square = 0;
    int32_t     seen = 0;

    (void)joint(q, g, x, h);
    for (int32_t d = 0; d < q->D; d++) {
        square += isnan(x[d]) ? 0 : g->own[d];
        seen += !isnan(x[d]);
    }
    for (int32_t k = 0; k < q->q; k++)
        g->slope[k] *= 0.5;
    for (int32_t d = 0; d < q->D; d++)
        if (!isnan(x[d])) {
            const double much =
                (g->a[d] + 0.5 * (q->shared ? seen : 1)) / (1 + (q->shared ? square : g->own[d]));

            g->u[d] = much / g->a[d] / g->spread[d];
            add_slope(w, g, d, (much * g->own[d] - 0.5) / g->spread[d]);
        }
}

/* Where the points of a row lie: their middle, and the Cholesky factor of their precision. */
static int aim(const work *w, density *g, const double *x, double narrow)
{
    const size_t n = (size_t)w->q->q;

    for (size_t i = 0; i < n; i++) {
        g->h[i] = g->slope[i];
        for (size_t l = 0; l <= i; l++)
            g->P[i * n + l] = i == l;
    }
    for (size_t d = 0; d < (size_t)w->q->D; d++) {
        const column *c = &w->of[d];

        for (size_t i = 0; !isnan(x[d]) && i < n; i++) {
            const double m = narrow * g->u[d] * c->v[i + 1];

            g->h[i] += m * (x[d] - c->v[0] / c->tau);
            for (size_t l = 0; l <= i; l++)
                g->P[i * n + l] += m * c->v[l + 1] / c->tau;
        }
    }
    if (mb_chol_(g->P, (int32_t)n) != 0)
        return 0;
    mb_chol_forward_(g->P, (int32_t)n, g->h);
    mb_chol_backward_(g->P, (int32_t)n, g->h);
    return 1;
}

/* ln p(x, h) at E[w], with the precisions u E[tau], which joint is near, up to a constant. */
static double near(const work *w, const density *g, const double *x, const double *h)
{
    double twice = 0;

    for (int32_t k = 0; k < w->q->q; k++)
        twice -= h[k] * (h[k] - 2 * g->slope[k]);
    for (int32_t d = 0; d < w->q->D; d++) {
        const column *c = &w->of[d];
        double        gap = c->tau * x[d] - c->v[0];

        for (int32_t k = 0; !isnan(x[d]) && k < w->q->q; k++)
            gap -= c->v[k + 1] * h[k];
        twice -= isnan(x[d]) ? 0 : g->u[d] * gap / c->tau * gap;
    }
    return 0.5 * twice;
}

/* ln p(x | data): the integral of what joint is near, which is known, times the ratio of both sums. */
static double log_density(const work *w, density *g, const double *x)
{
    enum { STEPS = 12 };
    const double  narrow = 0.65;
    const int32_t q = w->q->q;
    double        ln[2 * HALF], like[2 * HALF], known;

    memset(g->slope, 0, (size_t)q * sizeof *g->slope);
    for (int32_t d = 0; d < w->q->D; d++)
        g->u[d] = 1;
    for (int i = 0; i <= STEPS; i++) {
        if (!aim(w, g, x, 1))
            return (double)NAN;
        if (i < STEPS)
            weigh(w, g, x, g->h);
    }
    known = near(w, g, x, g->h) + 0.5 * q * LN_2PI - mb_log_product_(g->P, (size_t)q + 1, q);
    memcpy(g->middle, g->h, (size_t)q * sizeof *g->h);
    if (!aim(w, g, x, narrow))
        return (double)NAN;
    for (int i = 0; i < 2 * HALF; i++) {
        const double *e = g->points + (i / 2) * q;
        double        square = 0;

        for (int32_t k = 0; k < q; k++) {
            g->at[k] = i % 2 ? -e[k] : e[k];
            square += e[k] * e[k];
        }
        mb_chol_backward_(g->P, q, g->at);
        for (int32_t k = 0; k < q; k++)
            g->at[k] += g->middle[k];
        ln[i] = joint(w->q, g, x, g->at) + 0.5 * square;
        like[i] = near(w, g, x, g->at) + 0.5 * square;
    }
    return known + mb_logsumexp_(ln, 2 * HALF) - mb_logsumexp_(like, 2 * HALF);
}

/* Numbers that are said of a row; 0: the model has no such. */
static size_t width(const spec *q, mb_want want)
{
    return want == MB_WANT_LOGPDF   ? 1
           : want == MB_WANT_SCORES ? (size_t)q->q
           : want == MB_WANT_FILLED ? (size_t)q->D
                                    : 0;
}

/* What is said of row x, of which w has q(h). */
static void answer(work *w, density *g, mb_want want, const double *x, double *out)
{
    if (want == MB_WANT_LOGPDF)
        *out = log_density(w, g, x);
    else if (want == MB_WANT_SCORES)
        memcpy(out, w->h, (size_t)w->q->q * sizeof *out);
    else
        for (int32_t d = 0; d < w->q->D; d++) {
            const column *c = &w->of[d];

            out[d] = c->v[0] / c->tau;
            for (int32_t k = 0; k < w->q->q; k++)
                out[d] += c->v[k + 1] / c->tau * w->h[k];
            if (!isnan(x[d]))
                out[d] = x[d];
        }
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const spec   *q = m->spec;
    const size_t  each = width(q, want);
    const double *x;
    const latent *of;
    double        ln_z;
    density       g = {.L = NULL};
    work          w;

    if (!each)
        MB_FAIL(err, MB_E_NOSUP,
                "factor analysis has no components and no targets: it predicts densities, scores "
                "of the factors and values that are missing only");
    MB_TRY(check_shape(q, rows, err));
    MB_TRY(set_up(m, phi, scratch, &w, err));
    if (want == MB_WANT_LOGPDF)
        MB_TRY(set_up_density(m, phi, &w, &g, err));
    for (int64_t j = 0; j < rows->n; j++, out += each) {
        MB_TRY(read_row(&w, rows, j, &x, &of, &ln_z, err));
        if (of || want != MB_WANT_LOGPDF)
            answer(&w, &g, want, x, out);
        else
            *out = 0;
        if (!isfinite(*out))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64
                    ": its density is %g; its values must be finite and not absurdly "
                    "large",
                    j, *out);
    }
    return MB_OK;
}

/* Each row has loadings of its own, drawn from the posterior, and its own h. */
static mb_status sample(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err)
{
    const spec     *q = m->spec;
    const mb_block *k = m->layout.block;
    const size_t    all = q->shared ? (size_t)q->D * q->p : q->p; /* coefficients of a member */
    double         *h = scratch, *theta = h + q->q, *room = theta + all + 1;

    for (int64_t j = 0; j < n; j++) {
        mb_rng rng = mb_rng_at(seed, MB_STREAM_SAMPLE, 0, (uint64_t)(first + j));

        *out++ = 0; /* there are no components */
        for (int32_t i = 0; i < q->q; i++)
            h[i] = mb_rng_normal(&rng);
        for (int32_t d = 0; d < q->D; d++, out++) {
            const double *of = q->shared ? theta + (size_t)d * q->p : theta;

            if (d < q->noises &&
                k->family->draw(k->dim, par + shape_at(q, d), &rng, theta, room) < 0)
                MB_FAIL(err, MB_E_DOMAIN, "column %" PRId32 ": no parameters can be drawn", d);
            *out = of[0] + sqrt(theta[all]) * mb_rng_normal(&rng);
            for (int32_t i = 0; i < q->q; i++)
                *out += of[i + 1] * h[i];
        }
    }
    return MB_OK;
}

/* Of a column those of 1, x and x^2, the first and the last of all columns where they have one
 * noise precision; what has a factor in it is of any size. */
static void entries(const mb_model *m, mb_entry *out)
{
    const spec *q = m->spec;

    for (int32_t d = 0; d < q->D; d++) {
        mb_entry like = mb_entry_rows_(0.5, 0, 0);

        like.least = 1;
        like.column[0] = d;
        out[shape_at(q, d)] = like;
        like.factor = -0.5;
        out[(size_t)d * q->each + 1] = like;
        out[tau_at(q, d)] = mb_entry_product_(like, d, d);
        like.factor = -SQRT_HALF;
        out[cross_at(q, d)] = mb_entry_product_(like, d, -1);
    }
    if (q->shared) {
        out[0].column[0] = out[q->member - 1].column[0] = out[q->member - 1].column[1] = 0;
        out[0].columns = out[q->member - 1].columns = q->D;
    }
    for (int32_t k = 0; k < 2 * q->q; k++) /* rows add nothing to relevances */
        out[relevances(q) + (size_t)k].least = out[relevances(q) + (size_t)k].most = 0;
}

static const mb_model_ops ops = {.name = "fa",
                                 .more_latent = 1,
                                 .stats = stats,
                                 .seed_stats = seed_stats,
                                 .prior_at = prior_at,
                                 .straighten = MB_STRAIGHTEN_(1) ? straighten : NULL,
                                 .canonical = canonical,
                                 .predict = predict,
                                 .sample = MB_TABLE_(sample),
                                 .entries = MB_ENTRIES_(entries)};

/* ---- the prior ---- */

/* In columns of mean 0 and standard deviation 1. */
static void default_par(const spec *q, double a0, double b0, double *par)
{
    for (int32_t d = 0; d < q->D; d++) {
        double *to = par + (size_t)d * q->each + 2;

        par[shape_at(q, d)] = a0;
        par[shape_at(q, d) + 1] = b0;
        for (size_t i = 0; i < q->p; i++)
            *to++ = 0;
        for (size_t i = 0; i < q->p; i++)
            for (size_t l = 0; l <= i; l++)
                *to++ = i != l ? 0 : i ? 1 : precision0;
    }
    for (int32_t k = 0; k < 2 * q->q; k++)
        par[relevances(q) + (size_t)k] = relevance0;
}

static mb_status check(const mb_sizes *s, mb_err *err)
{
    if (s->factors < 1 || s->factors > MB_FACTORS_MAX)
        MB_FAIL_OPTION(err, "n-components", MB_E_ARG,
                       "n-components: got %" PRId32 " factors; expected 1 to %d", s->factors,
                       MB_FACTORS_MAX);
    return mb_check_sizes_(1, s->D, err);
}

/* Without its prior. */
static mb_status begin(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    spec    *q;
    int32_t *which;

    MB_TRY(check(s, err));
    MB_NEW(q, a, 1, err);
    MB_NEW(which, a, s->D, err);
    *q = spec_of(s);
    for (int32_t d = 0; d < s->D; d++)
        which[d] = d;
    *out = (mb_model){.ops = &ops, .spec = q};
    if (q->shared)
        MB_TRY(mb_layout_add(&out->layout, &mb_normal_gamma_shared,
                             (int32_t)q->p + MB_TARGETS_STEP * (q->D - 1), 1, err));
    else
        MB_TRY(mb_layout_add_product(&out->layout, &mb_normal_gamma_latent, (int32_t)q->p, q->D,
                                     which, 1, err));
    MB_TRY(mb_layout_add_product(&out->layout, &mb_gamma, 1, q->q, NULL, 1, err));
    out->scratch = scratch_of(q, &out->layout);
    return MB_OK;
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    double *par;

    MB_TRY(begin(a, s, out, err));
    MB_NEW(par, a, out->layout.len, err);
    default_par(out->spec, shape0, rate0, par);
    return mb_model_prior(a, par, out, err);
}

#define AT(field) offsetof(mb_fa_kind, field)

#define PRIORS "empirical"

static const mb_opt options[] = {
    {"n-components", MB_OPT_INT, AT(n_components), "2", 1, MB_FACTORS_MAX, NULL, "factors",
     "math 36", "n_components",
     "number of factors, at most: those that explain nothing fade, so more than there are do no "
     "harm but to the time"},
    {"noise", MB_OPT_CHOICE, AT(noise), "diagonal", 0, 0, "diagonal|isotropic", "", "math 36", "",
     "diagonal: each column has a noise variance; isotropic: one for all, for columns in the same "
     "unit (probabilistic PCA)"},
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, PRIORS, "", "math 36", "",
     "empirical: weak in columns of mean 0 and variance 1 (isotropic: 1 on average). An earlier "
     "posterior cannot be one: the "
     "relevances and the loadings depend on each other"},
    {"prior.a0", MB_OPT_AUTO, AT(a0), "auto", 1e-300, 1e12, NULL, "", "math 36", "",
     "shape of the gamma of each noise precision; auto = 0.5"},
    {"prior.b0", MB_OPT_AUTO, AT(b0), "auto", 1e-300, 1e300, NULL, "", "math 36", "",
     "its rate, in columns of variance 1; auto = 1e-4"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* One noise precision has one unit: the root of the mean variance, that of constant columns being 0. */
static void join_scales(int32_t D, const double *sd, double *scale)
{
    double sum = 0;

    for (int32_t d = 0; d < D; d++)
        sum += sd[d] / D * sd[d];
    for (int32_t d = 0; d < D; d++)
        scale[d] = sum > 0 && isfinite(sum) ? sqrt(sum) : scale[0];
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_fa_kind *own_opt = opt;
    const mb_layout  *l = &out->model.layout;
    double           *run_par;
    mb_sizes          s;
    mb_units          u;
    int32_t           which;

    mb_kind_sizes(&mb_kind_fa, opt, seen->d, seen->kinds, &s);
    MB_TRY(mb_prior_word_(own_opt->prior, PRIORS, &which, err));
    MB_TRY(begin(a, &s, &out->model, err));
    MB_TRY(mb_prior_units_(a, 1, seen, &u, err));
    if (is_isotropic(&s))
        join_scales(s.D, seen->sd, u.scale);
    MB_NEW(out->par, a, l->len, err);
    MB_NEW(run_par, a, l->len, err);
    default_par(out->model.spec, mb_automatic_(own_opt->a0, shape0),
                mb_automatic_(own_opt->b0, rate0), out->par);
    MB_TRY(mb_check_positive_("a0", out->par[0], err));
    MB_TRY(mb_check_positive_("b0", out->par[1], err));
    memcpy(run_par, out->par, l->len * sizeof *run_par);
    mb_move_par(l, u.origin, u.scale, out->par);
    MB_TRY(mb_par_to_units_(a, l, &u, run, run_par, err));
    if (mb_model_prior(a, run_par, &out->model, err) < 0)
        MB_FAIL(err, MB_E_ARG, "the prior cannot be held in double precision in these columns");
    return MB_OK;
}

/* ---- what is known of the parameters ---- */

/* Of column d: [m (p), the lower triangle of its precision]. */
static const double *of_column(const spec *q, const double *par, int32_t d)
{
    return par + (size_t)d * q->each + 2;
}

/* b/a: what the noise's variance is taken for. */
static double noise_of(const spec *q, const double *par, int32_t d)
{
    return par[shape_at(q, d) + 1] / par[shape_at(q, d)];
}

static double loading(const spec *q, const double *par, int32_t k, int32_t d)
{
    return of_column(q, par, d)[1 + k];
}

/* Of the variance of a column that has no gaps: what the factors and the noise explain. */
static double variance_of(const spec *q, const double *par, int32_t d)
{
    double sum = noise_of(q, par, d);

    for (int32_t k = 0; k < q->q; k++)
        sum += pow(loading(q, par, k, d), 2);
    return sum;
}

/* The share of factor k of the variances, mean over the columns. */
static double share_of(const spec *q, const double *par, int32_t k)
{
    double sum = 0;

    for (int32_t d = 0; d < q->D; d++)
        sum += pow(loading(q, par, k, d), 2) / variance_of(q, par, d);
    return sum / q->D;
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const spec q = spec_of(s);

    (void)a, (void)err;
    for (int32_t d = 0; d < q.noises; d++) {
        const double *gamma = par + shape_at(&q, d);

        *out++ = gamma[0] > 1 ? gamma[1] / (gamma[0] - 1) : (double)NAN;
    }
    for (int32_t k = 0; k < q.q; k++)
        *out++ = share_of(&q, par, k);
    for (int32_t k = 0; k < q.q; k++)
        *out++ = par[relevances(&q) + 2 * (size_t)k] / par[relevances(&q) + 2 * (size_t)k + 1];
    return MB_OK;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const spec     q = spec_of(s);
    const int32_t  D = q.D, n = q.q, p = (int32_t)q.p, of_noise = !q.shared;
    const size_t   more = relevances(&q);
    const mb_field all[] = {
        {.key = "means", 1, {D}, .at = 2, .step = q.each},
        {.key = "loadings", 2, {n, D}, .at = 3, .step = 1, .inner = q.each},
        {.key = "precision", 3, {D, p, p}, 1, .at = 2 + q.p, .step = q.each},
        {.key = "shape", of_noise, {D}, .bounded = 1, .at = 0, .step = q.each},
        {.key = "rate", of_noise, {D}, .bounded = 1, .at = 1, .step = q.each},
        {.key = "relevance_shape", 1, {n}, .bounded = 1, .at = more, .step = 2},
        {.key = "relevance_rate", 1, {n}, .bounded = 1, .at = more + 1, .step = 2},
        {.key = "noise_variance", of_noise, {D}, .derived = 1, .step = 1},
        {.key = "variance_share", 1, {n}, .derived = 1, .at = (size_t)q.noises, .step = 1},
        {.key = "relevance_mean", 1, {n}, .derived = 1, .at = (size_t)(q.noises + n), .step = 1}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const spec     q = spec_of(s);
    const size_t   D = (size_t)q.D, each = q.shared ? q.p : q.p + 1;
    const mb_field all[] = {
        {.key = "mean", 1, {q.D}, .step = each},
        {.key = "loading", 2, {q.q, q.D}, .at = 1, .step = 1, .inner = each, .by_factor = 1},
        {.key = "noise_variance", !q.shared, {q.D}, .at = q.shared ? D * each : q.p, .step = each},
        {.key = "relevance",
         1,
         {q.q},
         .at = D * each + (size_t)q.shared,
         .step = 1,
         .by_factor = 1}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void own_units(const mb_sizes *s, const double *par, mb_units *u)
{
    const spec q = spec_of(s);

    u->log_jacobian = 0;
    for (int32_t d = 0; d < q.D; d++) {
        u->origin[d] = of_column(&q, par, d)[0];
        u->scale[d] = sqrt(variance_of(&q, par, d));
    }
    if (q.shared)
        join_scales(q.D, u->scale, u->scale);
    for (int32_t d = 0; d < q.D; d++)
        u->log_jacobian += log(u->scale[d]);
}

/* ---- tables for people ---- */

/* Standard deviations of all loadings, factor by factor: b/a (Lambda^-1)_kk. */
static mb_status scales_of(mb_arena *a, const spec *q, const double *par, double *out, mb_err *err)
{
    double *scratch, *scale;

    MB_NEW(scratch, a, 2 * q->p * q->p, err);
    MB_NEW(scale, a, q->p, err);
    for (int32_t d = 0; d < q->D; d++) {
        if (mb_coefficient_scales_((int32_t)q->p, of_column(q, par, d) + q->p, scale, scratch) != 0)
            MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of factor analysis");
        for (int32_t k = 0; k < q->q; k++)
            out[k * q->D + d] = scale[k + 1] * sqrt(noise_of(q, par, d));
    }
    return MB_OK;
}

static mb_status compare(mb_arena *a, const mb_posterior *p, const mb_posterior *r,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed column_of[] = {{"loading", 's', 18, 18},
                                          {"mean", 'g', 18, 6},
                                          {"other_mean", 'g', 18, 6},
                                          {"distance_in_scales", 'g', 18, 6}};
    const spec             q = spec_of(&p->size);
    const char           **label;
    double                *x, *scale;

    (void)other;
    *out = (mb_listing){.rows = q.q * q.D, .columns = 4, .column = column_of};
    MB_NEW(x, a, 4 * (size_t)out->rows, err);
    MB_NEW(scale, a, out->rows, err);
    MB_NEW(label, a, out->rows, err);
    MB_TRY(scales_of(a, &q, p->par, scale, err));
    out->x = x;
    out->label = label;
    for (int32_t e = 0; e < out->rows; e++, x += 4) {
        const int32_t k = e / q.D, d = e % q.D;

        label[e] = mb_text(a, err, "%d: %s", (int)k + 1, p->column[d]);
        if (!label[e])
            return MB_E_NOMEM;
        x[1] = loading(&q, p->par, k, d);
        x[2] = loading(&q, r->par, k, d);
        x[3] = fabs(x[1] - x[2]) / scale[e];
    }
    return MB_OK;
}

/* "3 factors explain 70 % of the variance of a column, on average" or "2 of 6 factors ..": those that
 * have not faded. */
static mb_status note(mb_arena *a, const mb_posterior *p, const char **out, mb_err *err)
{
    const spec   q = spec_of(&p->size);
    const double least = 1e-3;
    double       all = 0;
    int32_t      count = 0;

    for (int32_t k = 0; k < q.q; k++) {
        count += share_of(&q, p->par, k) > least;
        all += share_of(&q, p->par, k);
    }
    *out = mb_text(a, err,
                   "%d of %d factor%s explain%s %.3g %% of the variance of a column, on "
                   "average, the rest is noise",
                   (int)count, (int)q.q, q.q == 1 ? "" : "s", count == 1 ? "s" : "", 100 * all);
    return *out ? MB_OK : MB_E_NOMEM;
}

static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const spec   q = spec_of(&p->size);
    const char **label;
    double      *mean, *sd, *rest;

    MB_NEW(label, a, q.q, err);
    MB_NEW(rest, a, q.D, err);
    MB_NEW(mean, a, (size_t)q.q * (size_t)q.D, err);
    MB_NEW(sd, a, (size_t)q.q * (size_t)q.D, err);
    MB_TRY(scales_of(a, &q, p->par, sd, err));
    for (int32_t k = 0; k < q.q; k++) {
        label[k] = mb_text(a, err, "%d (%.1f %%)", (int)k + 1, 100 * share_of(&q, p->par, k));
        if (!label[k])
            return MB_E_NOMEM;
        for (int32_t d = 0; d < q.D; d++)
            mean[k * q.D + d] = loading(&q, p->par, k, d);
    }
    for (int32_t d = 0; d < q.D; d++)
        rest[d] = sqrt(noise_of(&q, p->par, d));
    *out = (mb_summary){.part = "factor",
                        .rows = q.q,
                        .columns = q.D,
                        .label = label,
                        .name = p->column,
                        .mean = mean,
                        .sd = sd,
                        .rest = rest};
    return note(a, p, &out->note, err);
}

/* ---- scikit-learn's attributes ---- */

static mb_status sklearn_attributes(mb_arena *a, const mb_posterior *p, const mb_run_info *run,
                                    mb_array **out, int32_t *count, mb_err *err)
{
    const spec     q = spec_of(&p->size);
    double        *mean, *noise_variance, *components;
    mb_attributes_ t;

    MB_TRY(mb_attributes_begin_(a, p, run, &t, err));
    MB_NEW(mean, a, q.D, err);
    MB_NEW(noise_variance, a, q.D, err);
    MB_NEW(components, a, (size_t)q.q * (size_t)q.D, err);
    for (int32_t d = 0; d < q.D; d++) {
        mean[d] = of_column(&q, p->par, d)[0];
        noise_variance[d] = noise_of(&q, p->par, d);
        for (int32_t k = 0; k < q.q; k++)
            components[k * q.D + d] = loading(&q, p->par, k, d);
    }
    mb_attribute_array_(&t, "components_",
                        &(mb_array){.ndim = 2, .shape = {q.q, q.D}, .x = components});
    mb_attribute_array_(&t, "noise_variance_",
                        &(mb_array){.ndim = 1, .shape = {q.D}, .x = noise_variance});
    mb_attribute_array_(&t, "mean_", &(mb_array){.ndim = 1, .shape = {q.D}, .x = mean});
    *out = t.list;
    *count = t.n;
    return MB_OK;
}

static const char *const words[] = {"diagonal", "isotropic", NULL};
static const mb_choice   choices[] = {{"noise", "noise", words}, {NULL, NULL, NULL}};

const mb_kind mb_kind_fa = {.name = "fa",
                            .title = "factor analysis",
                            .estimator = "BayesianFactorAnalysis",
                            .factors = 1,
                            .gaps = MB_GAPS_(1),
                            .opts = options,
                            .opt_size = sizeof(mb_fa_kind),
                            .choices = choices,
                            .one_scale = is_isotropic,
                            .prior = prior,
                            .model = model,
                            .phi0 = phi0,
                            .fields = fields,
                            .derive = derive,
                            .drawn = drawn,
                            .own_units = own_units,
                            .compare = MB_TABLE_(compare),
                            .summary = MB_TABLE_(summarise),
                            .sklearn = MB_EXPORT_(sklearn_attributes)};
