/* mixed.c - regression with effects that vary by group, docs/math.md, section 30:
 *     y_j = a_j' theta + x_j' u_g + noise of precision tau,  u_g ~ N(0, L^-1),
 * where a are all inputs, x those of them whose effects vary, and u_g is how group g deviates from
 * the mean of all groups, which theta has. The posterior is q(theta) q(L) q(tau) prod_g q(u_g |
 * theta): a group's effects follow theta, so that intervals of theta are as wide as they must be.
 *
 * Of a group with the rows A, X, y, at P = E[L] + E[tau] X'X and C = P^-1, V = E[tau] (I - E[tau] X C
 * X'): theta has [A'V y, -A'V A/2], L [1/2, -E[u u']/2], tau [n/2, -E|e|^2/2]. All of it follows from
 * the sums G of z z', z = (a, y - a' E[theta]), of a group, and those of its errors about its effects. */
#include "base/columns.h"
#include "base/err.h"
#include "base/rows.h"
#include "base/text.h"
#include "expfam/expfam.h"
#include "expfam/gaussian.h"
#include "model/kind.h"
#include "model/linreg_par.h"
#include "model/linreg_targets.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const double LN_2PI = 1.83787706640934548356, SQRT2 = 1.41421356237309504880;

typedef struct spec {
    int32_t        D, n, p; /* inputs, coefficients, those of them that vary              */
    const int32_t *vary;    /* p: which, ascending; 0 is the intercept where there is one */
    const int32_t *nth;     /* n + 1: of each among these, of the target too; -1: none    */
} spec;

/* The textbook parameters of a posterior, in the order of the layout. */
typedef struct parts {
    const double *m, *P;   /* n, packed: theta                    */
    const double *nu, *Wi; /* 1, packed: L, degrees of freedom and W^-1 */
    const double *a, *b;   /* tau                                 */
} parts;

static parts split(int32_t n, int32_t p, const double *par)
{
    parts q = {.m = par, .P = par + n};

    q.nu = q.P + mb_svec_len_(n);
    q.Wi = q.nu + 1;
    q.a = q.Wi + mb_svec_len_(p);
    q.b = q.a + 1;
    return q;
}

/* 1 when coefficient i, of the intercept first, varies. */
static int varies(const mb_sizes *s, int32_t i)
{
    return i < s->intercept || (s->columns && s->columns->of[i - s->intercept].varying);
}

static int32_t count_varying(const mb_sizes *s)
{
    int32_t p = 0;

    for (int32_t i = 0; i < mb_linreg_coefficients_(s); i++)
        p += varies(s, i);
    return p;
}

static parts parts_of(const mb_sizes *s, const double *par)
{
    return split(mb_linreg_coefficients_(s), count_varying(s), par);
}

/* ---- the model ---- */

/* At one phi, and of one group. Matrices are full with the row stride of their columns; of G, V and
 * Q the lower triangle. */
typedef struct work {
    const spec *q;
    double     *m, *Sigma; /* n, n x n: of theta                              */
    double     *EL;        /* p x p                                           */
    double      tau, ln_tau, ln_L;
    double      nu, a, b;
    double     *z;         /* n + 1: a row (a, y - a'm)                       */
    double     *G, *V;     /* n + 1 squared: of a group; sums of all groups   */
    double     *C, *H, *K; /* p x p, p x (n + 1) twice: chol(P), then P^-1    */
    double     *R, *U;     /* p x p twice: E[u u'] of a group, of all groups  */
    double     *T;         /* n + 1                                           */
    double      groups, rows, error;
    double     *rest;
} work;

static size_t size_of(const mb_layout *l, int32_t n, int32_t p)
{
    const size_t N = (size_t)n + 1, P = (size_t)p;

    return 3 * N + N * N * 3 + 4 * P * P + 2 * P * N + l->scratch + 2 * N * N + l->len;
}

static void carve(const mb_model *m, double *scratch, work *w)
{
    const spec  *q = m->spec;
    const size_t N = (size_t)q->n + 1, P = (size_t)q->p;

    *w = (work){.q = q, .m = scratch};
    w->z = w->m + N;
    w->T = w->z + N;
    w->Sigma = w->T + N;
    w->G = w->Sigma + N * N;
    w->V = w->G + N * N;
    w->EL = w->V + N * N;
    w->C = w->EL + P * P;
    w->R = w->C + P * P;
    w->U = w->R + P * P;
    w->H = w->U + P * P;
    w->K = w->H + P * N;
    w->rest = w->K + P * N;
}

/* The expectations under phi. */
static mb_status set_up(const mb_model *m, const double *phi, double *scratch, work *w, mb_err *err)
{
    const mb_block *k = m->layout.block;
    double         *L, *I, *mu;
    size_t          n;
    mb_status       st;

    carve(m, scratch, w);
    n = (size_t)w->q->n;
    L = w->rest;
    I = L + n * n;
    mu = I + n * n;
    st = mb_gaussian_factor_(w->q->n, phi + k[0].off, L, w->m);
    if (st == MB_OK)
        st = k[1].family->moments(k[1].dim, phi + k[1].off, mu, NULL, mu + k[1].len);
    if (st == MB_OK)
        st = k[2].family->moments(k[2].dim, phi + k[2].off, w->T, NULL, NULL);
    if (st < 0)
        MB_FAIL(err, st, "the parameters of the posterior are outside their domain");
    mb_chol_inverse_(L, w->q->n, I);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t l = i; l < n; l++)
                sum += I[l * n + i] * I[l * n + j];
            w->Sigma[i * n + j] = w->Sigma[j * n + i] = sum;
        }
    w->ln_L = mu[0];
    mb_unsvec_(mu + 1, w->q->p, w->EL);
    w->ln_tau = w->T[0];
    w->tau = w->T[1];
    w->nu = 2 * phi[k[1].off] + w->q->p + 1;
    w->a = phi[k[2].off] + 1;
    w->b = -phi[k[2].off + 1];
    return MB_OK;
}

/* z = (a, y - a'm) of row j; without a target, of the prior mean 0. */
static mb_status read_row(work *w, const mb_rows *rows, int64_t j, mb_err *err)
{
    const int32_t one = w->q->n - w->q->D, D = w->q->D;
    const double *x = mb_rows_row(rows, j, w->T);
    double        fitted = one ? w->m[0] : 0;

    w->z[0] = 1;
    for (int32_t d = 0; d < D; d++) {
        w->z[one + d] = x[d];
        fitted += x[d] * w->m[one + d];
    }
    w->z[w->q->n] = rows->d > D ? x[D] - fitted : 0;
    if (!isfinite(fitted) || (rows->d > D && isinf(x[D])))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": what is expected of it is %g and its target is %g; its values "
                "must be finite and not absurdly large",
                j, fitted, rows->d > D ? x[D] : 0.0);
    return MB_OK;
}

/* G of rows first .. end - 1. */
static mb_status sum_rows(work *w, const mb_rows *rows, int64_t first, int64_t end, mb_err *err)
{
    const size_t N = (size_t)w->q->n + 1;

    memset(w->G, 0, N * N * sizeof *w->G);
    for (int64_t j = first; j < end; j++) {
        MB_TRY(read_row(w, rows, j, err));
        if (!isfinite(w->z[N - 1]))
            MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": got target %g; expected a finite number",
                    j, mb_rows_at(rows, j, w->q->D));
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k <= i; k++)
                w->G[i * N + k] += w->z[i] * w->z[k];
    }
    return MB_OK;
}

static double lower(const double *G, size_t N, size_t i, size_t k)
{
    return i > k ? G[i * N + k] : G[k * N + i];
}

/* H = chol(P)^-1 E[tau] X'(A, r), K = C E[tau] X'(A, r), and C = P^-1. Returns ln |P|; NaN: P is not
 * positive definite. */
static double solve(work *w)
{
    const size_t N = (size_t)w->q->n + 1, p = (size_t)w->q->p;
    double      *L = w->R, ln = 0;

    for (size_t i = 0; i < p; i++) {
        for (size_t l = 0; l <= i; l++)
            L[i * p + l] = w->EL[i * p + l] +
                           w->tau * lower(w->G, N, (size_t)w->q->vary[i], (size_t)w->q->vary[l]);
        for (size_t k = 0; k < N; k++)
            w->H[i * N + k] = w->tau * lower(w->G, N, (size_t)w->q->vary[i], k);
    }
    if (mb_chol_(L, w->q->p) != 0)
        return (double)NAN;
    for (size_t i = 0; i < p; i++) {
        for (size_t l = 0; l < i; l++)
            for (size_t k = 0; k < N; k++)
                w->H[i * N + k] -= L[i * p + l] * w->H[l * N + k];
        for (size_t k = 0; k < N; k++)
            w->H[i * N + k] /= L[i * p + i];
        ln += 2 * log(L[i * p + i]);
    }
    memcpy(w->K, w->H, p * N * sizeof *w->K);
    for (size_t i = p; i-- > 0;) {
        for (size_t l = i + 1; l < p; l++)
            for (size_t k = 0; k < N; k++)
                w->K[i * N + k] -= L[l * p + i] * w->K[l * N + k];
        for (size_t k = 0; k < N; k++)
            w->K[i * N + k] /= L[i * p + i];
    }
    return ln;
}

/* The lower triangle of the inverse of what w->R is the Cholesky factor of, into out (p x p), which
 * w->R may be; by way of `by`. */
static void invert(const work *w, double *by, double *out)
{
    const size_t p = (size_t)w->q->p;

    mb_chol_inverse_(w->R, w->q->p, by);
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l <= i; l++) {
            double sum = 0;

            for (size_t k = i; k < p; k++)
                sum += by[k * p + i] * by[k * p + l];
            out[i * p + l] = sum;
        }
}

/* R := E[u u'] = C + u u' + K Sigma K', u the last column of K; chol(P) is in R before. */
static void second_moments(work *w)
{
    const size_t n = (size_t)w->q->n, N = n + 1, p = (size_t)w->q->p;

    invert(w, w->C, w->R);
    for (size_t i = 0; i < p; i++) {
        const double *row = w->K + i * N;

        for (size_t k = 0; k < n; k++) {
            w->T[k] = 0;
            for (size_t l = 0; l < n; l++)
                w->T[k] += w->Sigma[k * n + l] * row[l];
        }
        w->T[n] = row[n];
        for (size_t l = 0; l <= i; l++)
            for (size_t k = 0; k < N; k++)
                w->R[i * p + l] += w->T[k] * w->K[l * N + k];
    }
}

/* The last row of G becomes that of the errors e = r - X u about the group's own effects, of which V r
 * is E[tau] e. */
static mb_status sum_errors(work *w, const mb_rows *rows, int64_t first, int64_t end, mb_err *err)
{
    const size_t n = (size_t)w->q->n, N = n + 1;
    double      *to = w->G + n * N;

    memset(to, 0, N * sizeof *to);
    for (int64_t j = first; j < end; j++) {
        MB_TRY(read_row(w, rows, j, err));
        for (int32_t l = 0; l < w->q->p; l++)
            w->z[n] -= w->K[(size_t)l * N + n] * w->z[w->q->vary[l]];
        for (size_t k = 0; k < N; k++)
            to[k] += w->z[n] * w->z[k];
    }
    return MB_OK;
}

/* (A, r)'V (A, r) at i, k <= i, of a group: E[L] K of what varies, E[tau] A'e and E[tau] e'e + u'E[L] u
 * of r. Differences would be lost where effects of groups are large beside the noise. */
static double middle(const work *w, size_t i, size_t k)
{
    const size_t  n = (size_t)w->q->n, N = n + 1, p = (size_t)w->q->p;
    const int32_t at = w->q->nth[k] < 0 ? w->q->nth[i] : w->q->nth[k];
    const size_t  other = w->q->nth[k] < 0 ? k : i;
    double        sum = at < 0 ? w->tau * w->G[i * N + k] : 0;

    for (size_t l = 0; l < p; l++)
        if (at >= 0)
            sum += w->EL[(size_t)at * p + l] * w->K[l * N + other];
        else if (i < n)
            sum -= w->H[l * N + i] * w->H[l * N + k];
        else if (k == n)
            for (size_t h = 0; h < p; h++)
                sum += w->K[l * N + n] * w->EL[l * p + h] * w->K[h * N + n];
    return sum;
}

/* Adds a group of `rows` rows with weight v, solved, of which ln is ln |P|; *logz += v ln Z. */
static int add_group(work *w, double v, double rows, double ln, double *logz)
{
    const size_t n = (size_t)w->q->n, N = n + 1, p = (size_t)w->q->p;
    double       square = 0, effects = 0;

    if (!isfinite(ln))
        return 0;
    second_moments(w);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k <= i; k++) {
            const double V = middle(w, i, k);

            w->V[i * N + k] += v * V;
            square += i < n ? (i == k ? 1 : 2) * V * w->Sigma[i * n + k] : k == n ? V : 0;
        }
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l <= i; l++) {
            w->U[i * p + l] += v * w->R[i * p + l];
            effects += (i == l ? 1 : 2) * w->EL[i * p + l] * w->R[i * p + l];
        }
    w->groups += v;
    w->rows += v * rows;
    w->error += v * (square + w->q->p - effects) / w->tau;
    *logz += v * 0.5 * (rows * (w->ln_tau - LN_2PI) + w->ln_L - ln - square);
    return isfinite(square) && isfinite(effects);
}

/* s += the sums of all groups in natural form. */
static void add_stats(const mb_model *m, const work *w, double *s)
{
    const mb_block *k = m->layout.block;
    const size_t    n = (size_t)w->q->n, N = n + 1, p = (size_t)w->q->p;
    double         *theta = s + k[0].off, *to = theta + n;

    for (size_t i = 0; i < n; i++) {
        theta[i] += w->V[n * N + i];
        for (size_t j = 0; j < n; j++)
            theta[i] += lower(w->V, N, i, j) * w->m[j];
        for (size_t j = 0; j <= i; j++)
            *to++ -= (i == j ? 0.5 : 1 / SQRT2) * w->V[i * N + j];
    }
    to = s + k[1].off;
    *to++ += 0.5 * w->groups;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++)
            *to++ -= (i == j ? 0.5 : 1 / SQRT2) * w->U[i * p + j];
    s[k[2].off] += 0.5 * w->rows;
    s[k[2].off + 1] -= 0.5 * fmax(w->error, 0);
}

/* s += the statistics of all rows at what w expects, *logz += w ln Z of the groups. */
static mb_status gather(const mb_model *m, work *w, const mb_rows *rows, double *s, double *logz,
                        mb_err *err)
{
    double v, ln;

    memset(w->V, 0, (size_t)(w->q->n + 1) * (size_t)(w->q->n + 1) * sizeof *w->V);
    memset(w->U, 0, (size_t)w->q->p * (size_t)w->q->p * sizeof *w->U);
    for (int64_t g = 0; g < mb_rows_groups(rows); g++) {
        const int64_t first = mb_rows_group(rows, g), end = mb_rows_group(rows, g + 1);

        MB_TRY(mb_rows_group_weight(rows, g, &v, err));
        if (!(v > 0))
            continue;
        MB_TRY(sum_rows(w, rows, first, end, err));
        ln = solve(w);
        MB_TRY(sum_errors(w, rows, first, end, err));
        if (!add_group(w, v, (double)(end - first), ln, logz))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": the sums of its group are not finite; its values must not be "
                    "absurdly large",
                    first);
    }
    add_stats(m, w, s);
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    double total = 0;
    work   w;

    MB_TRY(mb_check_target_rows_(((const spec *)m->spec)->D, rows, 1, err));
    MB_TRY(set_up(m, phi, scratch, &w, err));
    MB_TRY(gather(m, &w, rows, s, &total, err));
    if (logz)
        *logz += total;
    return MB_OK;
}

/* At a theta that is the prior's mean and certain, E[L] = I and E[tau] = 1: columns of a run are
 * about that large, and at the prior, whose noise is small, the first steps go too far. */
static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    double total = 0;
    work   w;

    (void)resp; /* no component */
    MB_TRY(mb_check_target_rows_(((const spec *)m->spec)->D, rows, 1, err));
    MB_TRY(set_up(m, m->prior, scratch, &w, err));
    memset(w.Sigma, 0, (size_t)w.q->n * (size_t)w.q->n * sizeof *w.Sigma);
    memset(w.EL, 0, (size_t)w.q->p * (size_t)w.q->p * sizeof *w.EL);
    for (int32_t i = 0; i < w.q->p; i++)
        w.EL[i * w.q->p + i] = 1;
    w.tau = 1;
    return gather(m, &w, rows, s, &total, err);
}

/* Degrees of freedom of what follows L. One is that of the mean over groups, as in the posterior of a
 * normal-Wishart; q(L) does not know that, and where it has no more its own are taken. */
static double freedom(double nu, int32_t p)
{
    return nu > p ? nu - p : nu - p + 1;
}

/* Square of the scale of Student's t over the variance at E[L]: of scatter over its degrees of freedom,
 * where E[L]^-1 has p - 1 more. */
static double widening(double nu, int32_t p)
{
    return 1 + (p - 1) / freedom(nu, p);
}

/* ---- prediction ---- */

/* Before any row of a group u = 0, K = 0 and C = E[L]^-1. */
static mb_status new_group(work *w, mb_err *err)
{
    const size_t N = (size_t)w->q->n + 1, p = (size_t)w->q->p;

    memset(w->G, 0, N * N * sizeof *w->G);
    if (!isfinite(solve(w)))
        MB_FAIL(err, MB_E_DOMAIN, "the precision of the effects is not positive definite");
    invert(w, w->U, w->C);
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l < i; l++)
            w->C[l * p + i] = w->C[i * p + l];
    return MB_OK;
}

/* What is known of a row z: C x (in w->R), x'C x, and g, by which its mean follows theta (in w->T). */
static double look(work *w)
{
    const size_t n = (size_t)w->q->n, N = n + 1, p = (size_t)w->q->p;
    double       spread = 0;

    memcpy(w->T, w->z, N * sizeof *w->T);
    for (size_t i = 0; i < p; i++) {
        const double x = w->z[w->q->vary[i]];

        w->R[i] = 0;
        for (size_t l = 0; l < p; l++)
            w->R[i] += w->C[i * p + l] * w->z[w->q->vary[l]];
        spread += w->R[i] * x;
        for (size_t k = 0; k < N; k++)
            w->T[k] -= x * w->K[i * N + k];
    }
    return spread;
}

/* The row becomes known: look() has seen it. */
static void learn(work *w, double spread)
{
    const size_t N = (size_t)w->q->n + 1, p = (size_t)w->q->p;
    const double f = w->tau / (1 + w->tau * spread);

    for (size_t i = 0; i < p; i++) {
        for (size_t l = 0; l < p; l++)
            w->C[i * p + l] -= f * w->R[i] * w->R[l];
        for (size_t k = 0; k < N; k++)
            w->K[i * N + k] += f * w->R[i] * w->T[k];
    }
}

/* A row's Student t. */
typedef struct place {
    double location, scale2, dof;
} place;

/* The mean and the scale of a row are those of a'theta + x'u + noise, of that variance; the degrees of
 * freedom are Satterthwaite's of what follows L and what follows tau (2a). seen: 1 when the row itself
 * is among those that are known, and does not count. */
static place locate(const work *w, double spread, int seen, double noise)
{
    const size_t n = (size_t)w->q->n, p = (size_t)w->q->p;
    const double rest = seen ? 1 - w->tau * spread : 1, dof = freedom(w->nu, w->q->p);
    const double error = w->T[n] / rest; /* of the row's residual about u */
    double       of_theta = 0, of_L = 0, of_tau;
    place        at;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            of_theta += w->T[i] * w->T[k] * w->Sigma[i * n + k];
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < p; k++)
            of_L += w->R[i] * w->R[k] * w->EL[i * p + k];
    of_theta /= rest * rest;
    of_L /= rest * rest;
    of_tau = fmax(spread / rest - of_L, 0) + noise;
    of_L *= widening(w->nu, w->q->p);
    at.location = w->z[n] - error;
    at.scale2 = of_theta + of_L + of_tau;
    at.dof = at.scale2 * at.scale2 / (of_L * of_L / dof + of_tau * of_tau / (2 * w->a));
    return at;
}

static void answer(mb_want want, place at, double fitted, double y, double *out)
{
    const double h = 0.5 * at.dof, r = y - fitted - at.location;

    if (want == MB_WANT_LOGPDF) {
        *out = mb_lgamma_half_(h) - 0.5 * (LN_2PI + log(h * at.scale2)) -
               (h + 0.5) * log1p(r / at.scale2 * r / at.dof);
        return;
    }
    out[0] = fitted + at.location;
    if (want == MB_WANT_MEAN_VAR)
        out[1] = at.dof > 2   ? at.scale2 * at.dof / (at.dof - 2)
                 : at.dof > 1 ? (double)INFINITY
                              : (double)NAN;
    else if (want == MB_WANT_INTERVAL) {
        out[1] = sqrt(at.scale2);
        out[2] = at.dof;
    }
}

/* 1 when the row has a target. */
static int has_target(const work *w, const mb_rows *rows)
{
    return rows->d > w->q->D && !isnan(w->z[w->q->n]);
}

/* Learns the rows of a group that have a target. */
static mb_status learn_group(work *w, const mb_rows *rows, int64_t first, int64_t end, mb_err *err)
{
    for (int64_t j = first; rows->d > w->q->D && j < end; j++) {
        MB_TRY(read_row(w, rows, j, err));
        if (has_target(w, rows))
            learn(w, look(w));
    }
    return MB_OK;
}

static mb_status predict_group(work *w, const mb_rows *rows, int64_t first, int64_t end,
                               mb_want want, double *out, mb_err *err)
{
    const int32_t D = w->q->D, one = w->q->n - D;
    const int     density = want == MB_WANT_LOGPDF;

    MB_TRY(new_group(w, err));
    if (!density)
        MB_TRY(learn_group(w, rows, first, end, err));
    for (int64_t j = first; j < end; j++, out += mb_linreg_width_(want)) {
        double fitted = one ? w->m[0] : 0, spread;
        int    seen;

        MB_TRY(read_row(w, rows, j, err));
        seen = !density && has_target(w, rows);
        if (!density && !seen)
            w->z[w->q->n] = 0;
        for (int32_t i = 0; i < D; i++)
            fitted += w->z[one + i] * w->m[one + i];
        spread = look(w);
        answer(want, locate(w, spread, seen, w->b / w->a), fitted,
               density ? mb_rows_at(rows, j, D) : 0, out);
        if (!isfinite(*out))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": its prediction is %g; its values must be finite and not "
                    "absurdly large",
                    j, *out);
        if (density)
            learn(w, spread);
    }
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const int64_t width = (int64_t)mb_linreg_width_(want);
    work          w;

    if (!width)
        MB_FAIL(err, MB_E_NOSUP,
                "a mixed regression has no components: it predicts densities, means with "
                "variances, and intervals only");
    MB_TRY(mb_check_target_rows_(((const spec *)m->spec)->D, rows, want == MB_WANT_LOGPDF, err));
    MB_TRY(set_up(m, phi, scratch, &w, err));
    for (int64_t g = 0; g < mb_rows_groups(rows); g++)
        MB_TRY(predict_group(&w, rows, mb_rows_group(rows, g), mb_rows_group(rows, g + 1), want,
                             out + width * mb_rows_group(rows, g), err));
    return MB_OK;
}

/* An effect in a group is what is expected of a row in which it counts alone, without noise. */
static mb_status effects(const mb_model *m, const double *phi, const mb_rows *rows, double *out,
                         double *scratch, mb_err *err)
{
    work w;

    MB_TRY(mb_check_target_rows_(((const spec *)m->spec)->D, rows, 1, err));
    MB_TRY(set_up(m, phi, scratch, &w, err));
    for (int64_t g = 0; g < mb_rows_groups(rows); g++) {
        MB_TRY(new_group(&w, err));
        MB_TRY(learn_group(&w, rows, mb_rows_group(rows, g), mb_rows_group(rows, g + 1), err));
        for (int32_t i = 0; i < w.q->p; i++, out += 3) {
            memset(w.z, 0, ((size_t)w.q->n + 1) * sizeof *w.z);
            w.z[w.q->vary[i]] = 1;
            answer(MB_WANT_INTERVAL, locate(&w, look(&w), 0, 0), w.m[w.q->vary[i]], 0, out);
        }
    }
    return MB_OK;
}

static const mb_model_ops ops = {.name = "mixed",
                                 .stats = stats,
                                 .seed_stats = seed_stats,
                                 .overshoots = 1,
                                 .predict = predict,
                                 .effects = effects};

/* ---- the prior ---- */

/* Of theta, of L and of tau, in columns of mean 0 and standard deviation 1, the target too. With p + 1
 * degrees of freedom all correlations of two effects are equally likely. */
static const double precision0 = 1e-6, scatter0 = 0.01, shape0 = 0.5, rate0 = 1e-4;

static void default_par(const mb_sizes *s, double nu0, double w0, double *par)
{
    const int32_t n = mb_linreg_coefficients_(s), p = count_varying(s);

    memset(par, 0, (size_t)n * sizeof *par);
    par += n;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++)
            *par++ = precision0 * (i == j);
    *par++ = isnan(nu0) ? p + 1 : nu0;
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j <= i; j++)
            *par++ = (isnan(w0) ? scatter0 : w0) * (i == j);
    *par++ = shape0;
    *par = rate0;
}

static mb_status check(const mb_sizes *s, mb_err *err)
{
    const int32_t p = count_varying(s);

    MB_TRY(mb_check_inputs_(s->D, s->intercept, err));
    if (p < 1)
        MB_FAIL(err, MB_E_ARG,
                "no effect varies by group; expected an intercept, or inputs named by "
                "--mixed.varying");
    if (p >= MB_PICKS_MAX)
        MB_FAIL(err, MB_E_ARG, "%" PRId32 " effects vary by group; expected at most %d", p,
                MB_PICKS_MAX - 1);
    return MB_OK;
}

/* The three factors: of theta over all columns, of L over those that vary, of tau over the target. */
static mb_status add_blocks(mb_arena *a, const mb_sizes *s, spec *q, mb_layout *l, mb_err *err)
{
    int32_t *vary, *nth, *pick, *target, picks = 0;

    MB_NEW(vary, a, q->p, err);
    MB_NEW(nth, a, (size_t)q->n + 1, err);
    MB_NEW(pick, a, (size_t)q->p + 1, err);
    MB_NEW(target, a, 1, err);
    q->vary = vary;
    q->nth = nth;
    nth[q->n] = -1;
    *target = s->D;
    for (int32_t i = 0; i < q->n; i++) {
        nth[i] = varies(s, i) ? (int32_t)(vary - q->vary) : -1;
        if (nth[i] < 0)
            continue;
        *vary++ = i;
        if (i >= s->intercept)
            pick[picks++] = i - s->intercept;
    }
    pick[picks++] = s->D;
    MB_TRY(mb_layout_add(l, s->intercept ? &mb_gaussian_target : &mb_gaussian_target_origin, q->n,
                         1, err));
    MB_TRY(mb_layout_add_picked(l, s->intercept ? &mb_effects : &mb_effects_origin, q->p, pick,
                                picks, err));
    return mb_layout_add_product(l, &mb_gamma_noise, 1, 1, target, 1, err);
}

/* Without its prior. */
static mb_status begin(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    spec *q;

    MB_TRY(check(s, err));
    MB_NEW(q, a, 1, err);
    *q = (spec){.D = s->D, .n = mb_linreg_coefficients_(s), .p = count_varying(s)};
    *out = (mb_model){.ops = &ops, .spec = q};
    MB_TRY(add_blocks(a, s, q, &out->layout, err));
    out->scratch = size_of(&out->layout, q->n, q->p);
    return MB_OK;
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    double *par;

    MB_TRY(begin(a, s, out, err));
    MB_NEW(par, a, out->layout.len, err);
    default_par(s, (double)NAN, (double)NAN, par);
    return mb_model_prior(a, par, out, err);
}

#define AT(field) offsetof(mb_mixed_kind, field)

#define PRIORS "empirical|posterior:FILE.json"

static const mb_opt options[] = {
    {"target-column", MB_OPT_TEXT, AT(target_column), NULL, 0, 0, "NAME", "", "", "y",
     "the column to explain by the others; without it the last of an NPY file"},
    {"mixed.varying", MB_OPT_TEXT, AT(varying), NULL, 0, 0, "NAME[,NAME,..]", "", "math 30", "",
     "inputs whose effect varies by group (--group-column), as the intercept does by itself; the "
     "effects of the others are common to all groups. On a network a node with one group shows its "
     "neighbours, in effect, the effects of that group"},
    {"intercept", MB_OPT_CHOICE, AT(intercept), "on", 0, 0, "off|on", "", "", "fit_intercept",
     "a constant besides the inputs, which varies by group"},
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, PRIORS, "", "math 30", "",
     "empirical: weak in columns of mean 0 and variance 1; posterior: an earlier posterior. Single "
     "options override the first"},
    {"prior.a0", MB_OPT_AUTO, AT(a0), "auto", 1e-300, 1e12, NULL, "", "math 30", "",
     "shape of the noise precision's gamma; auto = 0.5"},
    {"prior.b0", MB_OPT_AUTO, AT(b0), "auto", 1e-300, 1e300, NULL, "data units squared", "math 30",
     "", "its rate; auto = 1e-4 of the target's variance"},
    {"prior.m0", MB_OPT_TEXT, AT(m0), NULL, 0, 0, "A[,B,..]", "data units", "math 30", "",
     "prior mean of intercept and coefficients; without it 0 at the mean of the rows"},
    {"prior.lambda0", MB_OPT_TEXT, AT(lambda0), NULL, 0, 0, "A[,B,..]", "data units", "math 30", "",
     "their prior precision: one number (times the identity) or p*p; without it 1e-6 in columns of "
     "mean 0 and variance 1"},
    {"prior.nu0", MB_OPT_AUTO, AT(nu0), "auto", 1e-300, 1e12, NULL, "", "math 30", "",
     "degrees of freedom of the precision of the effects of groups, above their number - 1; auto = "
     "their number + 1, fewer widen intervals over few groups"},
    {"prior.w0", MB_OPT_AUTO, AT(w0), "auto", 1e-300, 1e300, NULL, "", "math 30", "",
     "its W0^-1, times the identity, in columns of mean 0 and variance 1, the target too; auto = "
     "0.01"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_coefficient_prior_ coefficients(const mb_mixed_kind *o)
{
    return (mb_coefficient_prior_){o->m0, o->lambda0, o->m0_at, o->lambda0_at};
}

static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_mixed_kind        *o = opt;
    const mb_coefficient_prior_ prior = coefficients(o);

    return mb_coefficient_numbers_(&prior, 1, columns - 1 + o->intercept,
                                   offsetof(mb_mixed_kind, m0_at),
                                   offsetof(mb_mixed_kind, lambda0_at), out);
}

/* What is given in data units. */
static mb_status given(mb_arena *a, const mb_mixed_kind *o, const mb_sizes *s, double *par,
                       mb_err *err)
{
    const mb_coefficient_prior_ prior = coefficients(o);
    const parts                 q = parts_of(s, par);

    if (!isnan(o->a0))
        par[q.a - par] = o->a0;
    if (!isnan(o->b0))
        par[q.b - par] = o->b0;
    MB_TRY(mb_check_positive_("a0", *q.a, err));
    MB_TRY(mb_check_positive_("b0", *q.b, err));
    return mb_coefficient_prior_given_(a, &prior, s->D + 1, 1, mb_linreg_coefficients_(s), par,
                                       err);
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_mixed_kind *own = opt;
    const mb_layout     *l = &out->model.layout;
    mb_sizes             s;
    mb_units             u;
    int32_t              which;

    mb_kind_sizes(&mb_kind_mixed, opt, seen->d, seen->kinds, &s);
    MB_TRY(mb_prior_word_(own->prior, PRIORS, &which, err));
    MB_TRY(begin(a, &s, &out->model, err));
    if (own->nu0 <= count_varying(&s) - 1)
        MB_FAIL_OPTION(err, "nu0", MB_E_ARG, "nu0 = %g; it must be above %" PRId32, own->nu0,
                       count_varying(&s) - 1);
    MB_TRY(mb_prior_units_(a, own->intercept, seen, &u, err));
    MB_NEW(out->par, a, l->len, err);
    default_par(&s, own->nu0, own->w0, out->par);
    mb_move_par(l, u.origin, u.scale, out->par);
    MB_TRY(given(a, own, &s, out->par, err));
    return mb_prior_of_data_(a, run, out, err);
}

/* ---- what is known of the parameters ---- */

/* The scales of Student's t of the coefficients and its degrees of freedom. Where groups say all of
 * theirs, a coefficient that varies has those of L, and the scale of L's mean is too small. */
static mb_status scales_of(mb_arena *a, const mb_sizes *s, const double *par, double *scale,
                           double *dof, mb_err *err)
{
    const int32_t n = mb_linreg_coefficients_(s), p = count_varying(s);
    const parts   q = parts_of(s, par);
    double       *scratch;

    MB_NEW(scratch, a, 2 * (size_t)n * (size_t)n, err);
    if (mb_coefficient_scales_(n, q.P, scale, scratch) != 0 || !(*q.nu > p - 1))
        MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of a mixed regression");
    for (int32_t i = 0; dof && i < n; i++) {
        dof[i] = varies(s, i) ? freedom(*q.nu, p) : 2 * *q.a;
        if (varies(s, i))
            scale[i] *= sqrt(widening(*q.nu, p));
    }
    return MB_OK;
}

/* Expected covariance of two effects; NaN: there is none. */
static double covariance(const parts *q, int32_t p, int32_t i, int32_t j)
{
    const double over = *q->nu - p - 1;

    return over > 0 ? q->Wi[mb_packed_at_(i, j)] / over : (double)NAN;
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const int32_t p = count_varying(s);
    const parts   q = parts_of(s, par);

    MB_TRY(scales_of(a, s, par, out, NULL, err));
    out += mb_linreg_coefficients_(s);
    for (int32_t i = 0; i < p; i++)
        *out++ = sqrt(covariance(&q, p, i, i));
    *out = *q.a > 1 ? *q.b / (*q.a - 1) : (double)NAN;
    return MB_OK;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  D = s->D, n = mb_linreg_coefficients_(s), p = count_varying(s);
    const int32_t  none = !s->intercept;
    const size_t   first = (size_t)s->intercept, P = (size_t)n, nu = P + mb_svec_len_(n);
    const size_t   a = nu + 1 + mb_svec_len_(p), sd = (size_t)n;
    const mb_field all[] = {
        {.key = "intercept", .optional = 1, .absent = none},
        {.key = "coef", 1, {D}, .at = first, .step = 1},
        {.key = "precision", 2, {n, n}, 1, .at = P},
        {.key = "group_degrees_of_freedom", .bounded = 1, .above = p - 1, .at = nu},
        {.key = "group_scatter", 2, {p, p}, 1, .at = nu + 1},
        {.key = "shape", .bounded = 1, .at = a},
        {.key = "rate", .bounded = 1, .at = a + 1},
        {.key = "intercept_sd", .derived = 1, .optional = 1, .absent = none},
        {.key = "coef_sd", 1, {D}, .derived = 1, .at = first, .step = 1},
        {.key = "group_sd", 1, {p}, .derived = 1, .at = sd, .step = 1},
        {.key = "noise_variance", .derived = 1, .at = sd + (size_t)p}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  p = count_varying(s);
    const size_t   n = (size_t)mb_linreg_coefficients_(s);
    const mb_field all[] = {
        {.key = "intercept", .optional = 1, .absent = !s->intercept},
        {.key = "coef", 1, {s->D}, .at = (size_t)s->intercept, .step = 1},
        {.key = "group_covariance", 2, {p, p}, 1, .at = n, .over = MB_OVER_VARYING},
        {.key = "noise_precision", .at = n + mb_svec_len_(p)}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Middle and spread of the target from the regression at those of the inputs. */
static void own_units(const mb_sizes *s, const double *par, mb_units *u)
{
    const parts q = parts_of(s, par);

    mb_coefficient_units_(s, q.P, 2 * *q.a, u);
    u->log_jacobian = 0;
    mb_target_own_units_(s, 0, q.m, *q.b / *q.a, u);
}

/* ---- tables for people ---- */

static mb_status compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    double *sd;

    (void)other;
    MB_NEW(sd, a, mb_linreg_coefficients_(&p->size), err);
    MB_TRY(scales_of(a, &p->size, p->par, sd, NULL, err));
    return mb_coefficients_compare_(a, p, p->par, q->par, sd, out, err);
}

/* "noise: sd 0.3; groups: sd (intercept) 2, dose 0.4, 20 degrees of freedom". */
static mb_status note(mb_arena *a, const mb_posterior *p, const char **out, mb_err *err)
{
    const mb_sizes *s = &p->size;
    const parts     q = parts_of(s, p->par);
    int32_t         k = 0;

    *out = mb_text(a, err, "noise: sd %#.3g; groups: sd", sqrt(*q.b / *q.a));
    for (int32_t i = 0; *out && i < mb_linreg_coefficients_(s); i++)
        if (varies(s, i)) {
            *out = mb_text(a, err, "%s%s %.60s %#.3g", *out, k ? "," : "",
                           i < s->intercept ? "(intercept)" : p->column[i - s->intercept],
                           sqrt(covariance(&q, count_varying(s), k, k)));
            k++;
        }
    if (*out)
        *out = mb_text(a, err, "%s, %.6g degrees of freedom", *out, *q.nu);
    return *out ? MB_OK : MB_E_NOMEM;
}

static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const int32_t n = mb_linreg_coefficients_(&p->size);
    double       *sd, *half, *dof;

    MB_NEW(sd, a, n, err);
    MB_NEW(half, a, n, err);
    MB_NEW(dof, a, n, err);
    MB_TRY(scales_of(a, &p->size, p->par, sd, dof, err));
    for (int32_t i = 0; i < n; i++) {
        half[i] = sd[i] * mb_student_quantile(dof[i], 0.975);
        sd[i] *= dof[i] > 2 ? sqrt(dof[i] / (dof[i] - 2)) : (double)NAN;
    }
    MB_TRY(mb_coefficients_(a, p, p->par, half, 1, out, err));
    out->sd = sd;
    return note(a, p, &out->note, err);
}

const mb_kind mb_kind_mixed = {.name = "mixed",
                               .title = "regression with effects that vary by group",
                               .estimator = "HierarchicalRegression",
                               .groups = "always",
                               .targets = 1,
                               .opts = options,
                               .opt_size = sizeof(mb_mixed_kind),
                               .numbers = numbers,
                               .units = mb_target_units_,
                               .prior = prior,
                               .model = model,
                               .fields = fields,
                               .derive = derive,
                               .drawn = drawn,
                               .own_units = own_units,
                               .compare = MB_TABLE_(compare),
                               .summary = MB_TABLE_(summarise)};
