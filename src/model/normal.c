/* normal.c - one Gaussian component with a matrix, of its own or shared by all: its numbers, and rows
 * drawn from it. */
#include "base/tied.h"
#include "expfam/normal_wishart.h"
#include "expfam/tied_wishart.h"
#include "model/gmm_step.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>

static const mb_block *normals(const mb_model *m)
{
    return &m->layout.block[MB_GMM_NORMALS_];
}

static int is_tied(const mb_model *m)
{
    return MB_TIED_(1) && normals(m)->family == &mb_tied_wishart;
}

/* src/model/normal.c: what follows works for components that share a precision, too
 * (mb_tied_wishart), which are parts of one slice. Columns of the rows. */
static int32_t columns_of(const mb_model *m)
{
    return is_tied(m) ? mb_tw_columns_(normals(m)->dim) : normals(m)->dim;
}

/* chol(W^-1) in the first D x D of L moves down and to the right of sqrt(beta) [1; m]. */
static mb_status tied(int32_t dim, const double *phi, int32_t k, double *L)
{
    const size_t d = (size_t)mb_tw_columns_(dim), n = d + 1;
    double       root;

    MB_TRY(mb_tw_factor_(dim, phi, L));
    root = sqrt(mb_tw_beta_(dim, phi, k));
    for (size_t i = d; i-- > 0;)
        for (size_t j = i + 1; j-- > 0;)
            L[(i + 1) * n + j + 1] = L[i * d + j];
    for (size_t i = 1; i < n; i++)
        L[i * n] = -1.41421356237309504880 * phi[(size_t)k * n + i] / root;
    L[0] = root;
    return MB_OK;
}

mb_status mb_gmm_normal_(const mb_model *m, const double *phi, int32_t k, double *L, double *nu,
                         mb_err *err)
{
    const mb_block *b = normals(m);
    const double   *own = phi + (is_tied(m) ? b->off : mb_gmm_at_(&m->layout, k));

    if ((is_tied(m) ? tied(b->dim, own, k, L) : mb_nw_factor_(b->dim, own, L)) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (%s) is outside its domain", k,
                b->family->name);
    *nu = is_tied(m) ? mb_tw_nu_(b->dim, own) : mb_nw_nu_(b->dim, own);
    return MB_OK;
}

void mb_gmm_gather_(const mb_model *m, int32_t k, const double *S, double *v, double *s)
{
    const int32_t D = columns_of(m);
    const size_t  n = (size_t)D + 1;
    double       *to;

    if (!is_tied(m)) {
        mb_gmm_natural_(D + 1, S[0], S, v, s + mb_gmm_at_(&m->layout, k));
        return;
    }
    to = s + normals(m)->off + (size_t)k * n;
    to[0] -= 0.5 * S[0];
    for (size_t i = 1; i < n; i++)
        to[i] -= 0.70710678118654752440 * S[i * n];
    to = s + normals(m)->off + mb_tw_shared_(normals(m)->dim);
    for (size_t i = 1, e = 1; i < n; i++)
        for (size_t j = 1; j <= i; j++, e++)
            to[e] -= (i == j ? 0.5 : 0.70710678118654752440) * S[i * n + j];
    to[0] += 0.5 * S[0];
}

void mb_gmm_finish_(mb_pass_ *w, double *s)
{
    mb_estep_   *g = &w->g;
    const size_t n = (size_t)g->D + 1;

    for (int32_t k = 0; k < g->K; k++) {
        const double *S = g->S + (size_t)k * n * n;

        g->h[k] = S[0];
        mb_gmm_gather_(w->m, k, S, g->tmp, s);
    }
    if (!mb_mixture_grouped_(w->m))
        mb_weights_add_(w->m, g->h, s);
}

static mb_gmm_par_ par_of(const mb_model *m, const double *par, int32_t k)
{
    const mb_block *b = normals(m);
    const double   *own = par + mb_gmm_at_(&m->layout, k);

    if (!is_tied(m))
        return (mb_gmm_par_){own[0], own[1], own + 2, own + 2 + b->dim};
    own = par + b->off + (size_t)k * mb_tw_part_(b->dim);
    par += b->off + mb_tw_shared_(b->dim);
    return (mb_gmm_par_){par[0], own[0], own + 1, par + 1};
}

double mb_gmm_ln_ratio_(int32_t D, double h)
{
    double sum = 0;

    for (int32_t d = 1; d <= D; d++)
        sum += mb_lgamma_half_(h - 0.5 * d);
    return sum;
}

/* ---- rows of the predictive distribution ---- */

/* scratch: K factors of W^-1, D x D, then the running sums of alpha, K. */
static mb_status prepare(const mb_model *m, const double *par, double *scratch, mb_err *err)
{
    const int32_t D = columns_of(m), K = m->K;
    const size_t  each = (size_t)D * (size_t)D;
    double       *sum = scratch + (size_t)K * each, total = 0;

    (void)mb_weights_of_(m->layout.block->family, K, par, sum); /* looked at one by one */
    for (int32_t k = 0; k < K; k++) {
        const mb_gmm_par_ p = par_of(m, par, k);

        if (sum[k] < 0 || !(p.nu > D - 1) || !(p.beta > 0) ||
            mb_chol_packed_(p.w_inverse, D, scratch + (size_t)k * each) != 0)
            MB_FAIL(err, MB_E_DOMAIN,
                    "component %" PRId32 " of the posterior is outside its domain", k);
        sum[k] = total += sum[k];
    }
    return MB_OK;
}

/* The component first, with probability alpha_k / sum alpha; then Student-t with df = nu + 1 - D:
 * m + C z sqrt((u + beta) / (u beta chi2)), chi2 with df degrees of freedom and u the precision of
 * the row relative to its component's. out: 1 + D. */
static void draw_row(const mb_model *m, const double *par, mb_gmm_relative_ relative,
                     const double *scratch, mb_rng *rng, double *out)
{
    const int32_t D = columns_of(m), K = m->K;
    const double *sum = scratch + (size_t)K * (size_t)D * (size_t)D, *C;
    const double  draw = mb_rng_uniform(rng) * sum[K - 1];
    int32_t       k = 0;
    mb_gmm_par_   p;
    double        size, u;

    while (k < K - 1 && draw >= sum[k])
        k++;
    p = par_of(m, par, k);
    C = scratch + (size_t)k * (size_t)D * (size_t)D;
    u = relative ? relative(m, par, k, rng) : 1;
    size = sqrt((u + p.beta) / (u * p.beta)) / mb_draw_chi_(rng, p.nu + 1 - D);
    *out++ = k;
    for (int32_t i = 0; i < D; i++)
        out[i] = size * mb_rng_normal(rng);
    for (int32_t i = D - 1; i >= 0; i--) { /* from the last: row i needs z_0 .. z_i */
        double x = p.m[i];

        for (int32_t j = 0; j <= i; j++)
            x += C[i * D + j] * out[j];
        out[i] = x;
    }
}

mb_status mb_gmm_draw_(const mb_model *m, const double *par, mb_gmm_relative_ relative,
                       uint64_t seed, int64_t first, int64_t n, double *out, double *scratch,
                       mb_err *err)
{
    const size_t width = 1 + (size_t)columns_of(m);

    MB_TRY(prepare(m, par, scratch, err));
    for (int64_t j = 0; j < n; j++, out += width) {
        mb_rng rng = mb_rng_at(seed, MB_STREAM_SAMPLE, 0, (uint64_t)(first + j));

        draw_row(m, par, relative, scratch, &rng, out);
        for (size_t i = 1; i < width; i++)
            if (!isfinite(out[i]))
                MB_FAIL(
                    err, MB_E_NUMERIC,
                    "row %" PRId64 " exceeds the range of double: component %d has %g degrees of "
                    "freedom",
                    first + j, (int)out[0], par_of(m, par, (int32_t)out[0]).nu + 2 - (double)width);
    }
    return MB_OK;
}

mb_status mb_gmm_sample_(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                         int64_t n, double *out, double *scratch, mb_err *err)
{
    return mb_gmm_draw_(m, par, NULL, seed, first, n, out, scratch, err);
}
