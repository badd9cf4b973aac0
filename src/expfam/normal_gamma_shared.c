/* normal_gamma_shared.c - D targets with one precision of their noise: tau ~ Gamma(a, rate b),
 * w_d | tau ~ N(m_d, (tau Lambda_d)^-1), with p coefficients and a Lambda of its own each.
 *
 * It is the normal-gamma of D p coefficients whose Lambda has the blocks Lambda_d: phi = [a-1+D
 * p/2, svec(-Lambda_d/2) and -k_d/sqrt 2 for each d, -c/2] with k_d = Lambda_d m_d and c = 2b +
 * sum_d m_d' Lambda_d m_d; it belongs to u = [ln tau, svec(tau w_d w_d') and -sqrt 2 tau w_d for
 * each d, tau], so that A = -1/2 sum_d ln |Lambda_d| - a ln b + ln Gamma(a). */
#include "base/accelerate.h"
#include "expfam/matrix_form.h"
#include "meshbayes/extend.h"
#include "num/num.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SQRT_2 = 1.41421356237309504880, SQRT_HALF = 0.70710678118654752440;

typedef struct sizes {
    int32_t p, D;
    size_t  square, each, last; /* numbers of Lambda_d, of a target; the place of -c/2 */
} sizes;

static sizes sizes_of(int32_t dim)
{
    const int32_t p = dim % MB_TARGETS_STEP, D = 1 + dim / MB_TARGETS_STEP;
    const size_t  square = mb_svec_len_(p), each = square + (size_t)p;

    return (sizes){p, D, square, each, 1 + (size_t)D * each};
}

static size_t len(int32_t dim)
{
    return sizes_of(dim).last + 1;
}

/* A target's matrices and message, the means and corners of all, and phi as it was. */
static size_t scratch_of(int32_t dim)
{
    const sizes s = sizes_of(dim);

    return mb_mf_scratch_(s.p) + mb_mf_len_(s.p) + (size_t)s.D * (size_t)(s.p + 1) + len(dim);
}

static double shape(const sizes *s, const double *phi)
{
    return phi[0] + 1 - s->D * (s->p / 2.0);
}

/* C := chol(Lambda_d - eps I), l := C^-1 k_d. 0: it has no such factor. */
static int factor(const sizes *s, const double *phi, int32_t d, double eps, double *C, double *l)
{
    const size_t  p = (size_t)s->p;
    const double *v = phi + 1 + (size_t)d * s->each;

    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < i; j++)
            C[i * p + j] = -SQRT_2 * *v++;
        C[i * p + i] = -2 * *v++ - eps;
    }
    if (mb_chol_(C, s->p) != 0)
        return 0;
    for (size_t i = 0; i < p; i++)
        l[i] = -SQRT_2 * v[i];
    mb_chol_forward_(C, s->p, l);
    return 1;
}

static double square_of(int32_t n, const double *x)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* 1 when M - eps I is positive definite, M = [Lambda_d on the diagonal, k_d; k_d', c]. */
static int is_inside(const sizes *s, double eps, const double *phi, double *scratch)
{
    double *l = scratch + (size_t)s->p * (size_t)s->p, left = -2 * phi[s->last] - eps;

    for (int32_t d = 0; d < s->D; d++) {
        if (!factor(s, phi, d, eps, scratch, l))
            return 0;
        left -= square_of(s->p, l);
    }
    return left > 0 && isfinite(left);
}

/* Where a call keeps the means of all targets, D x p. */
static double *means_in(const sizes *s, double *scratch)
{
    return scratch + mb_mf_scratch_(s->p) + mb_mf_len_(s->p);
}

/* b, and the means of all targets into the scratch; inverse (as phi, or NULL) gets
 * svec(Lambda_d^-1), *ln_det is 1/2 sum_d ln |Lambda_d|. -1: phi is outside. */
static double solve(const sizes *s, const double *phi, double *inverse, double *ln_det,
                    double *scratch)
{
    double *m = means_in(s, scratch), twice = -2 * phi[s->last];

    *ln_det = 0;
    for (int32_t d = 0; d < s->D; d++, m += s->p) {
        if (!factor(s, phi, d, 0, scratch, m))
            return -1;
        twice -= square_of(s->p, m);
        mb_chol_backward_(scratch, s->p, m);
        *ln_det += mb_log_product_(scratch, (size_t)s->p + 1, s->p);
        if (inverse)
            mb_mf_mean_(s->p - 1, scratch, 1, 1, 1, inverse + (size_t)d * s->each);
    }
    return shape(s, phi) > 0 && isfinite(phi[0]) && twice > 0 && isfinite(twice) ? 0.5 * twice : -1;
}

static mb_status moments(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    const sizes   s = sizes_of(dim);
    double        ln_det;
    const double  a = shape(&s, phi), b = solve(&s, phi, mu, &ln_det, scratch), tau = a / b;
    const double *m = means_in(&s, scratch);
    double       *to = mu ? mu + 1 : NULL;

    if (!(b > 0))
        return MB_E_DOMAIN;
    if (A)
        *A = mb_lgamma_(a) - a * log(b) - ln_det;
    if (!mu)
        return MB_OK;
    mu[0] = mb_digamma_(a) - log(b);
    mu[s.last] = tau;
    for (int32_t d = 0; d < s.D; d++, m += s.p) {
        for (int32_t i = 0; i < s.p; i++)
            for (int32_t j = 0; j <= i; j++)
                *to++ += (i == j ? 1 : SQRT_2) * tau * m[i] * m[j];
        for (int32_t i = 0; i < s.p; i++)
            *to++ = -SQRT_2 * tau * m[i];
    }
    return MB_OK;
}

/* ---- the nearest member ---- */

/* M is positive semidefinite where c is a sum of c_d with [Lambda_d, k_d; k_d', c_d] so, whose
 * nearest members are known. z is the mean of the c_d that costs least, price what one of them
 * costs. */
typedef struct split {
    double sum, *c; /* what the c_d add up to at no cost; D */
    double z, price;
} split;

/* Target d at its nearest, with c_d at `corner`. Returns c_d. */
static mb_status nearest(const sizes *s, const double *from, int32_t d, double eps, double *phi,
                         double *corner, double *scratch)
{
    const size_t at = 1 + (size_t)d * s->each;
    double      *one = scratch + mb_mf_scratch_(s->p), dist2;

    one[0] = 0;
    memcpy(one + 1, from + at, s->each * sizeof *one);
    one[1 + s->each] = -0.5 * *corner;
    MB_TRY(mb_mf_project_(s->p, -(double)INFINITY, eps, one, &dist2, scratch));
    memcpy(phi + at, one + 1, s->each * sizeof *one);
    *corner = -2 * one[1 + s->each];
    return MB_OK;
}

static double mean_of(const sizes *s, const split *t)
{
    double sum = 0;

    for (int32_t d = 0; d < s->D; d++)
        sum += t->c[d];
    return sum / s->D;
}

/* A round of the alternating directions of multipliers, each target once. *change: squared. */
static mb_status agree(const sizes *s, const double *from, double eps, double *phi, split *t,
                       double *change, double *scratch)
{
    const double before = mean_of(s, t), z = t->z, price = t->price;
    double       mean;

    *change = 0;
    for (int32_t d = 0; d < s->D; d++) {
        const double c = t->c[d];

        t->c[d] += z - before - price;
        MB_TRY(nearest(s, from, d, eps, phi, &t->c[d], scratch));
        *change += (t->c[d] - c) * (t->c[d] - c);
    }
    mean = mean_of(s, t);
    t->z = (t->sum + price + mean) / (s->D + 1);
    t->price += mean - t->z;
    *change += (t->z - z) * (t->z - z) + (t->price - price) * (t->price - price);
    return MB_OK;
}

/* Adds to all eigenvalues what rounding has left them below eps. */
static void lift(const sizes *s, double eps, double size, double *phi, double *scratch)
{
    for (double by = 4 * DBL_EPSILON * size; !is_inside(s, eps, phi, scratch); by *= 2) {
        for (int32_t d = 0; d < s->D; d++)
            for (int32_t i = 0; i < s->p; i++)
                phi[1 + (size_t)d * s->each + mb_packed_at_(i, i)] -= 0.5 * by;
        phi[s->last] -= 0.5 * by;
    }
}

static mb_status project_all(const sizes *s, const double *from, double eps, double *phi,
                             double *scratch)
{
    enum { ROUNDS = 20000 };
    const double shared = (s->D - 1) * eps; /* each c_d has an eps of its own, and c has one */
    split        t = {.sum = shared - 2 * from[s->last], .c = means_in(s, scratch)};
    double       size = eps * eps, change = 1;

    for (size_t e = 1; e <= s->last; e++)
        size += from[e] * from[e];
    t.z = t.sum / s->D;
    for (int32_t d = 0; d < s->D; d++)
        t.c[d] = t.z;
    for (int i = 0; i < ROUNDS && change > size * 1e-31; i++)
        MB_TRY(agree(s, from, eps, phi, &t, &change, scratch));
    phi[s->last] = -0.5 * (mean_of(s, &t) * s->D - shared);
    lift(s, eps, sqrt(size), phi, scratch);
    return MB_OK;
}

static mb_status project(int32_t dim, double eps, double *phi, double *dist2, double *scratch)
{
    const sizes  s = sizes_of(dim);
    const double all = s.D * (double)s.p, low = all / 2 - 1 + fmax(eps, 4 * all * DBL_EPSILON);
    double      *before = means_in(&s, scratch) + (size_t)s.D * (size_t)(s.p + 1);

    *dist2 = 0;
    for (size_t e = 0; e <= s.last; e++)
        if (!isfinite(phi[e]))
            return MB_E_NUMERIC;
    memcpy(before, phi, len(dim) * sizeof *before);
    phi[0] = fmax(phi[0], low);
    if (!is_inside(&s, eps, phi, scratch))
        MB_TRY(project_all(&s, before, eps, phi, scratch));
    for (size_t e = 0; e <= s.last; e++)
        *dist2 += (phi[e] - before[e]) * (phi[e] - before[e]);
    return MB_OK;
}

/* By the smallest eigenvalue of M, which halvings find. */
static mb_status margin(int32_t dim, const double *prior, double *eps, double *scratch)
{
    enum { HALVINGS = 100 };
    const sizes s = sizes_of(dim);
    double      ln_det, low = 0, high = -2 * prior[s.last];

    if (!(solve(&s, prior, NULL, &ln_det, scratch) > 0))
        return MB_E_DOMAIN;
    for (int i = 0; i < HALVINGS; i++) {
        const double mid = 0.5 * (low + high);

        if (is_inside(&s, mid, prior, scratch))
            low = mid;
        else
            high = mid;
    }
    *eps = MB_MF_MARGIN * fmin(low, shape(&s, prior));
    return *eps > 0 ? MB_OK : MB_E_DOMAIN;
}

/* ---- textbook parameters: a, b, and m (p) and the lower triangle of Lambda of each target ---- */

/* Lambda is not factorised here: one that is not positive definite is found by moments. */
static mb_status from_par(int32_t dim, const double *par, double *phi)
{
    const sizes s = sizes_of(dim);
    double     *to = phi + 1, corner = 2 * par[1];

    if (!(par[0] > 0) || !(par[1] > 0))
        return MB_E_DOMAIN;
    phi[0] = par[0] - 1 + s.D * (s.p / 2.0);
    for (int32_t d = 0; d < s.D; d++) {
        const double *m = par + 2 + (size_t)d * s.each, *Lambda = m + s.p;

        for (int32_t i = 0; i < s.p; i++)
            for (int32_t j = 0; j <= i; j++)
                *to++ = (i == j ? -0.5 : -SQRT_HALF) * Lambda[mb_packed_at_(i, j)];
        for (int32_t i = 0; i < s.p; i++) {
            double sum = 0;

            for (int32_t j = 0; j < s.p; j++)
                sum += Lambda[mb_packed_at_(i, j)] * m[j];
            *to++ = -SQRT_HALF * sum;
            corner += m[i] * sum;
        }
    }
    *to = -0.5 * corner;
    for (size_t e = 0; e <= s.last; e++)
        if (!isfinite(phi[e]))
            return MB_E_DOMAIN;
    return MB_OK;
}

static mb_status to_par(int32_t dim, const double *phi, double *par, double *scratch)
{
    const sizes   s = sizes_of(dim);
    const double *m = means_in(&s, scratch), *v = phi + 1;
    double       *to = par + 2, ln_det;

    par[0] = shape(&s, phi);
    par[1] = solve(&s, phi, NULL, &ln_det, scratch);
    if (!(par[1] > 0))
        return MB_E_DOMAIN;
    for (int32_t d = 0; d < s.D; d++, m += s.p, v += s.p) {
        memcpy(to, m, (size_t)s.p * sizeof *to);
        to += s.p;
        for (int32_t i = 0; i < s.p; i++)
            for (int32_t j = 0; j <= i; j++)
                *to++ = (i == j ? -2 : -SQRT_2) * *v++;
    }
    return MB_OK;
}

/* [ln a, ln b/a, and m and the factor of Lambda of each target]. */
static mb_status to_free(int32_t dim, const double *phi, double *free, double *scratch)
{
    const sizes  s = sizes_of(dim);
    const size_t p = (size_t)s.p;

    MB_TRY(to_par(dim, phi, free, scratch));
    free[1] = log(free[1] / free[0]);
    free[0] = log(free[0]);
    for (int32_t d = 0; d < s.D; d++) {
        double *C = free + 2 + (size_t)d * s.each + p;

        if (!factor(&s, phi, d, 0, scratch, scratch + p * p))
            return MB_E_DOMAIN;
        for (size_t i = 0; i < p; i++)
            C = mb_log_row_(scratch + i * p, (int32_t)i, 1, C);
    }
    return MB_OK;
}

static void from_free(int32_t dim, const double *prior, double *free)
{
    const sizes s = sizes_of(dim);

    free[0] = fmax(exp(free[0]), shape(&s, prior));
    free[1] = free[0] * exp(free[1]);
    for (int32_t d = 0; d < s.D; d++)
        mb_exp_rows_(free + 2 + (size_t)d * s.each + s.p, s.p, 1);
}

/* ---- other units ---- */

/* One precision has one unit: the scale of the first column is that of all. */
static void move_par(int32_t dim, const double *origin, const double *scale, double *par)
{
    const sizes s = sizes_of(dim);

    par[1] *= scale[0] * scale[0];
    for (int32_t d = 0; d < s.D; d++) {
        double *m = par + 2 + (size_t)d * s.each;

        for (int32_t i = 0; i < s.p; i++)
            m[i] *= scale[0];
        m[0] += origin[d];
    }
}

/* phi itself: k becomes o Lambda e_0 + s k, c becomes s^2 c + sum_d (2 o s k_0 + o^2 Lambda_00). */
static void to_paper(int32_t dim, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    const sizes s = sizes_of(dim);

    (void)scratch;
    memcpy(out, phi, len(dim) * sizeof *out);
    if (!origin)
        return;
    out[s.last] *= scale[0] * scale[0];
    for (int32_t d = 0; d < s.D; d++) {
        const size_t  at = 1 + (size_t)d * s.each;
        const double *Lambda = phi + at, *k = Lambda + s.square;
        double       *to = out + at + s.square;

        to[0] = SQRT_2 * origin[d] * Lambda[0] + scale[0] * k[0];
        for (int32_t i = 1; i < s.p; i++)
            to[i] = origin[d] * Lambda[mb_packed_at_(i, 0)] + scale[0] * k[i];
        out[s.last] += origin[d] * (origin[d] * Lambda[0] + SQRT_2 * scale[0] * k[0]);
    }
}

/* ---- draws: coefficients (D x p), variance of the noise ---- */

static size_t draw_len(int32_t dim)
{
    const sizes s = sizes_of(dim);

    return (size_t)s.D * (size_t)s.p + 1;
}

static mb_status draw(int32_t dim, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const sizes s = sizes_of(dim);
    double      ln_tau;

    if (!(par[0] > 0) || !(par[1] > 0))
        return MB_E_DOMAIN;
    ln_tau = mb_draw_ln_gamma_(rng, par[0]) - log(par[1]);
    for (int32_t d = 0; d < s.D; d++, out += s.p) {
        const double *m = par + 2 + (size_t)d * s.each;

        if (mb_chol_packed_(m + s.p, s.p, scratch) != 0)
            return MB_E_DOMAIN;
        for (int32_t i = 0; i < s.p; i++)
            out[i] = mb_rng_normal(rng) * exp(-0.5 * ln_tau);
        mb_chol_backward_(scratch, s.p, out);
        for (int32_t i = 0; i < s.p; i++)
            out[i] += m[i];
    }
    *out = exp(-ln_tau);
    return MB_OK;
}

const mb_family mb_normal_gamma_shared = {
    .name = "normal-gamma-shared.1",
    .len = len,
    .scratch = scratch_of,
    .moments = moments,
    .project = project,
    .margin = margin,
    .from_par = from_par,
    .to_par = to_par,
    .to_free = MB_ACCELERATE_(1) ? to_free : NULL,
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL,
    .move_par = move_par,
    .paper_len = len,
    .to_paper = to_paper,
    .draw_len = draw_len,
    .draw = draw,
};
