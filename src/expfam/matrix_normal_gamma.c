/* matrix_normal_gamma.c - T targets with the same inputs: tau_t ~ Gamma(a, rate b_t),
 * w_t | tau_t ~ N(m_t, (tau_t Lambda)^-1), independent, with p coefficients each.
 *
 * The targets share a and Lambda, which are there once: phi = [a-1+p/2, svec(-Lambda/2), and for
 * each target -k_t/sqrt 2, -c_t/2], k_t = Lambda m_t, c_t = 2b_t + m_t' Lambda m_t. It belongs to
 * u = [sum of ln tau_t, svec(sum of tau_t w_t w_t'), and -sqrt 2 tau_t w_t, tau_t], so that
 *     A = -T/2 ln |Lambda| + sum of (ln Gamma(a) - a ln b_t),
 * and what is there of one target is the normal-gamma of its matrix M_t = [Lambda, k_t; k_t', c_t].
 */
#include "expfam/matrix_normal_gamma.h"
#include "expfam/matrix_form.h"
#include "expfam/normal_gamma.h"
#include "num/num.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SQRT2 = 1.41421356237309504880;

/* The factors of the targets' matrices; any a. */
static mb_status factor(int32_t dim, const double *phi, double *C, double *last)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    const double       *k = phi + s.head;

    MB_TRY(mb_mf_factor_(s.p - 1, phi, C));
    for (int32_t t = 0; t < s.T; t++, k += s.tail, last += s.tail) {
        double rest = -2 * k[s.p];

        for (int32_t i = 0; i < s.p; i++)
            last[i] = -SQRT2 * k[i];
        mb_chol_forward_(C, s.p, last);
        for (int32_t i = 0; i < s.p; i++)
            rest -= last[i] * last[i];
        if (!(rest > 0) || !isfinite(rest))
            return MB_E_DOMAIN;
        last[s.p] = sqrt(rest);
    }
    return MB_OK;
}

mb_status mb_mng_factor_(int32_t dim, const double *phi, double *C, double *last)
{
    return mb_ng_a_(mb_mng_of_(dim).p, phi) > 0 ? factor(dim, phi, C, last) : MB_E_DOMAIN;
}

void mb_mng_solve_(const mb_mng_sizes_ *s, const double *C, double *last)
{
    for (int32_t t = 0; t < s->T; t++, last += s->tail) {
        mb_chol_backward_(C, s->p, last);
        last[s->p] *= 0.5 * last[s->p];
    }
}

/* E[tau w w'] = Lambda^-1 + a/b m m' of each target. */
static void fill_moments(const mb_mng_sizes_ *s, double a, const double *mean, double *scratch,
                         double *mu)
{
    double *square = mu + 1, *to = mu + s->head;

    mb_mf_mean_(s->p - 1, scratch, 1, 1, 1, mu);
    for (size_t e = 1; e < s->head; e++)
        mu[e] *= s->T;
    mu[0] = 0;
    for (int32_t t = 0; t < s->T; t++, mean += s->tail, square = mu + 1) {
        const double b = mean[s->p], tau = a / b;

        mu[0] += mb_digamma_(a) - log(b);
        for (int32_t i = 0; i < s->p; i++) {
            for (int32_t j = 0; j < i; j++)
                *square++ += SQRT2 * tau * mean[i] * mean[j];
            *square++ += tau * mean[i] * mean[i];
            *to++ = -SQRT2 * tau * mean[i];
        }
        *to++ = tau;
    }
}

/* A without ln Gamma(a) of the targets. */
static double scale_part(const mb_mng_sizes_ *s, double a, const double *C, const double *mean)
{
    double A = -s->T * mb_log_product_(C, (size_t)s->p + 1, s->p);

    for (int32_t t = 0; t < s->T; t++)
        A -= a * log(mean[(size_t)t * s->tail + (size_t)s->p]);
    return A;
}

/* As that of the normal-gamma of each target. */
static mb_status improper(int32_t dim, const double *prior, double *A, double *scratch)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    double             *mean = scratch + mb_mf_scratch_(s.p);

    MB_TRY(mb_ng_prior_shape_(prior));
    MB_TRY(factor(dim, prior, scratch, mean));
    mb_mng_solve_(&s, scratch, mean);
    *A = scale_part(&s, mb_ng_a_(s.p, prior), scratch, mean);
    return MB_OK;
}

static mb_status moments(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    const double        a = mb_ng_a_(s.p, phi);
    double             *mean = scratch + mb_mf_scratch_(s.p);

    MB_TRY(mb_mng_factor_(dim, phi, scratch, mean));
    mb_mng_solve_(&s, scratch, mean);
    if (A)
        *A = s.T * mb_lgamma_(a) + scale_part(&s, a, scratch, mean);
    if (mu)
        fill_moments(&s, a, mean, scratch, mu);
    return MB_OK;
}

static mb_status margin(int32_t dim, const double *prior, double *eps, double *scratch)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    double             *one = scratch + mb_mf_scratch_(s.p), part;

    MB_TRY(mb_ng_prior_shape_(prior));
    MB_TRY(factor(dim, prior, scratch, one));
    *eps = mb_ng_margin_(s.p, prior);
    for (int32_t t = 0; t < s.T; t++) {
        mb_mng_one_(&s, prior, t, one);
        MB_TRY(mb_mf_margin_(s.p, one, &part, scratch));
        *eps = fmin(*eps, part);
    }
    return MB_OK;
}

/* ---- textbook parameters: a, b (T), m (T x p), lower triangle of Lambda ---- */

/* Lambda is not factorised here: one that is not positive definite is found by moments. */
static mb_status from_par(int32_t dim, const double *par, double *phi)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    const double       *m = par + 1 + s.T, *Lambda = m + (size_t)s.T * (size_t)s.p;
    double             *v = phi + 1;

    phi[0] = par[0] - 1 + s.p / 2.0;
    for (int32_t i = 0; i < s.p; i++)
        for (int32_t j = 0; j <= i; j++)
            *v++ = (i == j ? -0.5 : -1 / SQRT2) * Lambda[mb_packed_at_(i, j)];
    for (int32_t t = 0; t < s.T; t++, m += s.p) {
        double corner = 2 * par[1 + t];

        if (mb_ng_prior_shape_(phi) < 0 || !(par[1 + t] > 0))
            return MB_E_DOMAIN;
        for (int32_t i = 0; i < s.p; i++) {
            double sum = 0;

            for (int32_t j = 0; j < s.p; j++)
                sum += Lambda[mb_packed_at_(i, j)] * m[j];
            *v++ = -sum / SQRT2;
            corner += m[i] * sum;
        }
        *v++ = -0.5 * corner;
    }
    for (size_t e = 0; e < mb_mng_len_(dim); e++)
        if (!isfinite(phi[e]))
            return MB_E_DOMAIN;
    return MB_OK;
}

static mb_status to_par(int32_t dim, const double *phi, double *par, double *scratch)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    double             *mean = scratch + mb_mf_scratch_(s.p), *m = par + 1 + s.T;
    double             *Lambda = m + (size_t)s.T * (size_t)s.p;
    const double       *v = phi + 1;

    MB_TRY(mb_mng_factor_(dim, phi, scratch, mean));
    mb_mng_solve_(&s, scratch, mean);
    par[0] = mb_ng_a_(s.p, phi);
    for (int32_t t = 0; t < s.T; t++, mean += s.tail, m += s.p) {
        par[1 + t] = mean[s.p];
        memcpy(m, mean, (size_t)s.p * sizeof *m);
    }
    for (int32_t i = 0; i < s.p; i++)
        for (int32_t j = 0; j <= i; j++)
            *Lambda++ = (i == j ? -2 : -SQRT2) * *v++;
    return MB_OK;
}

/* As the normal-gamma of each target (normal_gamma.c): the targets' columns follow the inputs'. */
static void move_par(int32_t dim, const double *origin, const double *scale, double *par)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    const int32_t       inputs = s.p - 1;
    double             *m = par + 1 + s.T;

    for (int32_t t = 0; t < s.T; t++, m += s.p) {
        const double unit = scale[inputs + t];

        par[1 + t] *= unit * unit;
        m[0] = origin[inputs + t] + unit * m[0];
        for (int32_t j = 1; j < s.p; j++) {
            m[j] *= unit / scale[j - 1];
            m[0] -= origin[j - 1] * m[j];
        }
    }
    mb_mf_move_(inputs, 0, origin, scale, m);
}

static void move_par_origin(int32_t dim, const double *origin, const double *scale, double *par)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    double             *m = par + 1 + s.T;

    (void)origin;
    for (int32_t t = 0; t < s.T; t++) {
        par[1 + t] *= scale[s.p + t] * scale[s.p + t];
        for (int32_t i = 0; i < s.p; i++)
            *m++ *= scale[s.p + t] / scale[i];
    }
    mb_mf_scale_(s.p, scale, m);
}

/* ---- the paper's order: a-1+p/2, -Lambda/2 (p*p), and -k_t/2, -c_t/2 of each target ---- */

static size_t paper_len(int32_t dim)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);

    return 1 + (size_t)s.p * (size_t)s.p + (size_t)s.T * s.tail;
}

/* -M_t/2 (n x n) of one target, where it belongs in out. */
static void place(const mb_mng_sizes_ *s, int32_t t, const double *M, double *out)
{
    const size_t p = (size_t)s->p, n = s->tail;

    for (size_t i = 0; t == 0 && i < p; i++)
        for (size_t j = 0; j < p; j++)
            out[1 + i * p + j] = M[(i > j ? i : j) * n + (i > j ? j : i)];
    memcpy(out + 1 + p * p + (size_t)t * n, M + p * n, n * sizeof *out);
}

static void to_paper(int32_t dim, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    const size_t        inputs = (size_t)s.p - 1;
    double             *M = scratch, *one = scratch + mb_mf_scratch_(s.p), *o = M + s.tail * s.tail;
    double             *unit = o + s.p;

    out[0] = phi[0];
    for (int32_t t = 0; t < s.T; t++) {
        mb_mng_one_(&s, phi, t, one);
        mb_unsvec_(one + 1, s.p + 1, M);
        if (origin) {
            memcpy(o, origin, inputs * sizeof *o);
            memcpy(unit, scale, inputs * sizeof *unit);
            o[inputs] = origin[inputs + (size_t)t];
            unit[inputs] = scale[inputs + (size_t)t];
            mb_mf_move_(s.p, s.tail, o, unit, M);
        }
        place(&s, t, M, out);
    }
}

static void to_paper_origin(int32_t dim, const double *phi, const double *origin,
                            const double *scale, double *out, double *scratch)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    const size_t        p = (size_t)s.p;
    double             *M = scratch, *one = scratch + mb_mf_scratch_(s.p);

    (void)origin;
    out[0] = phi[0];
    for (int32_t t = 0; t < s.T; t++) {
        mb_mng_one_(&s, phi, t, one);
        mb_unsvec_(one + 1, s.p + 1, M);
        for (size_t i = 0; scale && i <= p; i++)
            for (size_t j = 0; j <= p; j++)
                M[i * s.tail + j] *=
                    scale[i < p ? i : p + (size_t)t] * scale[j < p ? j : p + (size_t)t];
        place(&s, t, M, out);
    }
}

/* ---- draws: coefficients (T x p), variances of the noise (T) ---- */

static size_t draw_len(int32_t dim)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);

    return (size_t)s.T * s.tail;
}

static mb_status draw(int32_t dim, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    const double       *m = par + 1 + s.T;
    double             *noise = out + (size_t)s.T * (size_t)s.p;

    if (!(par[0] > 0) || mb_chol_packed_(m + (size_t)s.T * (size_t)s.p, s.p, scratch) != 0)
        return MB_E_DOMAIN;
    for (int32_t t = 0; t < s.T; t++, m += s.p, out += s.p) {
        double ln_tau;

        if (!(par[1 + t] > 0))
            return MB_E_DOMAIN;
        ln_tau = mb_draw_ln_gamma_(rng, par[0]) - log(par[1 + t]);
        for (int32_t i = 0; i < s.p; i++)
            out[i] = mb_rng_normal(rng) * exp(-0.5 * ln_tau);
        mb_chol_backward_(scratch, s.p, out);
        for (int32_t i = 0; i < s.p; i++)
            out[i] += m[i];
        noise[t] = exp(-ln_tau);
    }
    return MB_OK;
}

/* The members that do not depend on whether there is an intercept. */
#define COMMON                                                                                     \
    .len = mb_mng_len_, .scratch = mb_mng_scratch_, .moments = moments,                            \
    .project = mb_mng_project_, .improper = improper, .margin = margin, .from_par = from_par,      \
    .to_par = to_par, .paper_len = paper_len, .draw_len = draw_len, .draw = draw

const mb_family mb_matrix_normal_gamma = {
    .name = "matrix-normal-gamma.1",
    COMMON,
    .move_par = move_par,
    .to_paper = to_paper,
};

const mb_family mb_matrix_normal_gamma_origin = {
    .name = "matrix-normal-gamma-origin.1",
    COMMON,
    .move_par = move_par_origin,
    .to_paper = to_paper_origin,
};
