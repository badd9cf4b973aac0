/* toys.h - two small kinds of models that need what no kind of the library does: states with
 * transitions between them, and a latent factor whose sign is free. Include it after fits.h. */
#ifndef MB_TEST_TOYS_H
#define MB_TEST_TOYS_H

#include "fits.h"
#include "model/kind.h"
#include "model/model.h"

/* ---- Pairs of successive counts: state z ~ pi, then z' ~ A[z], each with its own rate ---- */

enum { PAIR_STATES_MAX = 4 };

/* E[ln p(x | state k)] but ln x!. mu: of the whole layout. */
static inline double pairs_density(const mb_model *m, const double *mu, int32_t k, double x)
{
    const double *rate = mu + m->layout.block[2].off + 2 * k;

    return x * rate[0] - rate[1];
}

/* Adds the statistics of one row of weight w whose pair of states has the log weights ln, up to a
 * constant; returns the logarithm of their sum. */
static inline double pairs_add(const mb_model *m, const double *ln, const double *xy, double w,
                               double *s)
{
    const int32_t n = m->K;
    double       *A = s + m->layout.block[1].off, *rate = s + m->layout.block[2].off;
    double        most = ln[0], sum = 0;

    for (int32_t e = 1; e < n * n; e++)
        most = fmax(most, ln[e]);
    for (int32_t e = 0; e < n * n; e++)
        sum += exp(ln[e] - most);
    for (int32_t e = 0; e < n * n; e++) {
        const double  r = w * exp(ln[e] - most) / sum;
        const int32_t state[2] = {e / n, e % n};

        s[state[0]] += r;
        A[e] += r;
        for (int t = 0; t < 2; t++) {
            rate[2 * state[t]] += r * xy[t];
            rate[2 * state[t] + 1] -= r;
        }
    }
    return most + log(sum);
}

static inline mb_status pairs_stats(const mb_model *m, const double *phi, const mb_rows *rows,
                                    double *s, double *logz, double *scratch, mb_err *e)
{
    const double *mu = scratch, *A = scratch + m->layout.block[1].off;
    const int32_t n = m->K;

    MB_TRY(mb_moments(&m->layout, phi, scratch, NULL, scratch + m->layout.len, e));
    for (int64_t j = 0; j < rows->n; j++) {
        const double xy[2] = {mb_rows_at(rows, j, 0), mb_rows_at(rows, j, 1)};
        const double w = rows->w ? rows->w[j] : 1;
        double       ln[PAIR_STATES_MAX * PAIR_STATES_MAX], z;

        for (int32_t k = 0; k < n * n; k++)
            ln[k] = mu[k / n] + A[k] + pairs_density(m, mu, k / n, xy[0]) +
                    pairs_density(m, mu, k % n, xy[1]);
        z = pairs_add(m, ln, xy, w, s);
        if (logz)
            *logz += w * (z - lgamma(xy[0] + 1) - lgamma(xy[1] + 1));
    }
    return MB_OK;
}

static const mb_model_ops pairs_ops = {.name = "pairs", .stats = pairs_stats};

/* Dirichlet, square Dirichlet, and a gamma for each state. */
static inline mb_status pairs_model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *e)
{
    const int32_t n = s->K;
    double       *par;

    *out = (mb_model){.ops = &pairs_ops, .K = n};
    MB_TRY(mb_layout_add(&out->layout, &mb_dirichlet, n, 1, e));
    MB_TRY(mb_layout_add_square(&out->layout, &mb_dirichlet, n, e));
    MB_TRY(mb_layout_add(&out->layout, &mb_gamma, 1, n, e));
    out->scratch = out->layout.len + out->layout.scratch;
    MB_NEW(par, a, out->layout.len, e);
    for (size_t l = 0; l < out->layout.len; l++)
        par[l] = l < out->layout.block[2].off ? 0.5 : 1; /* every rate ~ Gamma(1, 1) */
    for (int32_t k = 0; k < n; k++)
        par[n + k * n + k] = 2; /* states tend to stay */
    return mb_model_prior(a, par, out, e);
}

/* Rates as if each state had ten rows at its centre. */
static inline void pairs_phi0(const mb_model *m, const mb_units *run, const double *at, mb_rng *rng,
                              double *phi)
{
    double *rate = phi + m->layout.block[2].off;

    (void)run, (void)rng;
    memcpy(phi, m->prior, m->layout.len * sizeof *phi);
    for (int32_t k = 0; k < m->K; k++) {
        rate[2 * k] += 10 * (at[2 * k] + at[2 * k + 1]);
        rate[2 * k + 1] -= 20;
    }
}

static inline int32_t pairs_fields(const mb_sizes *s, mb_field *out)
{
    const size_t n = (size_t)s->K;

    out[0] = (mb_field){.key = "initial", .ndim = 1, .shape = {s->K}, .bounded = 1, .step = 1};
    out[1] = (mb_field){
        .key = "transitions", .ndim = 2, .shape = {s->K, s->K}, .bounded = 1, .at = n, .step = n};
    out[2] = (mb_field){
        .key = "shape", .ndim = 1, .shape = {s->K}, .bounded = 1, .at = n + n * n, .step = 2};
    out[3] = out[2];
    out[3].key = "rate", out[3].at++;
    return 4;
}

/* Both columns have the mean and the variance of the rate, and no covariance. */
static inline double pairs_component(const mb_sizes *s, const double *par, int32_t k, int32_t x,
                                     int32_t y)
{
    const double *gamma = par + s->K + s->K * s->K + 2 * k;

    return y < 0 || x == y ? gamma[0] / gamma[1] : 0;
}

static const mb_opt pairs_opts[] = {
    {"n-components", MB_OPT_INT, 0, "3", 1, PAIR_STATES_MAX, NULL, "", "", "", "states"},
    {.name = NULL}};
static const mb_kind kind_pairs = {.name = "pairs",
                                   .title = "pairs of successive states",
                                   .opts = pairs_opts,
                                   .opt_size = sizeof(int64_t),
                                   .units = mb_units_of_data,
                                   .model = pairs_model,
                                   .phi0 = pairs_phi0,
                                   .fields = pairs_fields,
                                   .component = pairs_component};

/* ---- One factor: y_d = w_d h + noise, h and the noise N(0, 1), w_d ~ N(0, 1) a priori ---- */

/* E[w] and E[w^2] of loading d. 0: outside Omega. */
static inline int factor_loading(const double *phi, int32_t d, double *mean, double *square)
{
    const double P = -2 * phi[2 * d + 1];

    *mean = phi[2 * d] / P;
    *square = *mean * *mean + 1 / P;
    return P > 0 && isfinite(P) && isfinite(phi[2 * d]);
}

static inline mb_status factor_stats(const mb_model *m, const double *phi, const mb_rows *rows,
                                     double *s, double *logz, double *scratch, mb_err *e)
{
    const double ln_2pi = 1.83787706640934548356;
    const size_t D = m->layout.len / 2;
    double      *mean = scratch, P = 1;

    for (size_t d = 0; d < D; d++) {
        double square;

        if (!factor_loading(phi, (int32_t)d, &mean[d], &square))
            MB_FAIL(e, MB_E_DOMAIN, "a loading is outside its domain");
        P += square;
    }
    for (int64_t j = 0; j < rows->n; j++) {
        double h = 0, yy = 0;

        for (size_t d = 0; d < D; d++) {
            const double y = mb_rows_at(rows, j, (int32_t)d);

            h += mean[d] * y / P;
            yy += y * y;
        }
        for (size_t d = 0; d < D; d++) {
            s[2 * d] += h * mb_rows_at(rows, j, (int32_t)d);
            s[2 * d + 1] -= (h * h + 1 / P) / 2;
        }
        if (logz)
            *logz -= ((double)D * ln_2pi + yy + log(P) - P * h * h) / 2;
    }
    return MB_OK;
}

/* The largest loading is positive. */
static inline void factor_canonical(const mb_model *m, double *phi, double *scratch)
{
    double most = 0;

    (void)scratch;
    for (size_t d = 0; d < m->layout.len / 2; d++) {
        const double mean = phi[2 * d] / (-2 * phi[2 * d + 1]);

        most = fabs(mean) > fabs(most) ? mean : most;
    }
    for (size_t d = 0; most < 0 && d < m->layout.len / 2; d++)
        phi[2 * d] = -phi[2 * d];
}

static const mb_model_ops factor_ops = {
    .name = "factor", .stats = factor_stats, .canonical = factor_canonical};

static inline mb_status factor_model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *e)
{
    double *par;

    *out = (mb_model){.ops = &factor_ops, .scratch = (size_t)s->D};
    MB_TRY(mb_layout_add(&out->layout, &mb_gaussian_origin, 1, s->D, e));
    MB_NEW(par, a, out->layout.len, e);
    for (int32_t d = 0; d < s->D; d++)
        par[2 * d + 1] = 1;
    return mb_model_prior(a, par, out, e);
}

/* Loadings of size 1 or so, as sure as of ten rows. */
static inline void factor_phi0(const mb_model *m, const mb_units *run, const double *at,
                               mb_rng *rng, double *phi)
{
    (void)run;
    assert_null(at);
    for (size_t d = 0; d < m->layout.len / 2; d++) {
        phi[2 * d] = 10 * mb_rng_normal(rng);
        phi[2 * d + 1] = -5;
    }
}

static inline int32_t factor_fields(const mb_sizes *s, mb_field *out)
{
    out[0] = (mb_field){.key = "loadings", .ndim = 1, .shape = {s->D}, .step = 2};
    out[1] = out[0];
    out[1].key = "precisions", out[1].at = 1, out[1].bounded = 1;
    return 2;
}

static const mb_kind kind_factor = {.name = "factor",
                                    .title = "one factor",
                                    .units = mb_units_of_data,
                                    .model = factor_model,
                                    .phi0 = factor_phi0,
                                    .fields = factor_fields};

#endif
