/* gmm_sample.c - rows from the predictive distribution of a mixture. */
#include "model/gmm_kernel.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>

/* Textbook parameters of one component, and the factor of its W^-1. */
typedef struct normal {
    double        nu, beta;
    const double *m; /* D     */
    double       *C; /* D x D */
} normal;

static normal component(const mb_model *m, const double *par, int32_t k, double *scratch)
{
    const size_t  D = (size_t)m->layout.block[MB_GMM_NORMALS].dim;
    const double *p = par + mb_gmm_at_(&m->layout, k);

    return (normal){p[0], p[1], p + 2, scratch + (size_t)k * D * D};
}

/* scratch: K factors of D x D, then the running sums of alpha, K. */
static mb_status prepare(const mb_model *m, const double *par, double *scratch, mb_err *err)
{
    const int32_t D = m->layout.block[MB_GMM_NORMALS].dim, K = m->K;
    double       *sum = scratch + (size_t)K * (size_t)D * (size_t)D, total = 0;

    for (int32_t k = 0; k < K; k++) {
        const normal  c = component(m, par, k, scratch);
        const double *tril = c.m + D, alpha = par[m->layout.block[MB_GMM_WEIGHTS].off + (size_t)k];

        for (int32_t i = 0; i < D; i++)
            for (int32_t j = 0; j <= i; j++)
                c.C[i * D + j] = *tril++;
        if (!(alpha > 0) || !(c.nu > D - 1) || !(c.beta > 0) || mb_chol_(c.C, D) != 0)
            MB_FAIL(err, MB_E_DOMAIN,
                    "component %" PRId32 " of the posterior is outside its domain", k);
        sum[k] = total += alpha;
    }
    return MB_OK;
}

/* The component first, with probability alpha_k / sum alpha; then Student-t with df = nu + 1 - D:
 * m + C z sqrt((1 + beta) / (beta chi2)), chi2 with df degrees of freedom. out: 1 + D. */
static void draw_row(const mb_model *m, const double *par, double *scratch, mb_rng *rng,
                     double *out)
{
    const int32_t D = m->layout.block[MB_GMM_NORMALS].dim, K = m->K;
    const double *sum = scratch + (size_t)K * (size_t)D * (size_t)D;
    const double  u = mb_rng_uniform(rng) * sum[K - 1];
    int32_t       k = 0;
    double        size;
    normal        c;

    while (k < K - 1 && u >= sum[k])
        k++;
    c = component(m, par, k, scratch);
    size = sqrt((1 + c.beta) / c.beta) / mb_draw_chi_(rng, c.nu + 1 - D);
    for (int32_t i = 0; i < D; i++)
        out[1 + i] = size * mb_rng_normal(rng);
    for (int32_t i = D - 1; i >= 0; i--) { /* from below: row i needs z_0 .. z_i */
        double x = c.m[i];

        for (int32_t j = 0; j <= i; j++)
            x += c.C[i * D + j] * out[1 + j];
        out[1 + i] = x;
    }
    out[0] = k;
}

mb_status mb_gmm_sample_(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                         int64_t n, double *out, double *scratch, mb_err *err)
{
    const size_t width = 1 + (size_t)m->layout.block[MB_GMM_NORMALS].dim;

    MB_TRY(prepare(m, par, scratch, err));
    for (int64_t j = 0; j < n; j++, out += width) {
        mb_rng rng = mb_rng_at(seed, MB_STREAM_SAMPLE, 0, (uint64_t)(first + j));

        draw_row(m, par, scratch, &rng, out);
        for (size_t i = 1; i < width; i++)
            if (!isfinite(out[i]))
                MB_FAIL(err, MB_E_NUMERIC,
                        "row %" PRId64
                        " is too far out for a double: component %d has %g degrees of "
                        "freedom",
                        first + j, (int)out[0],
                        par[mb_gmm_at_(&m->layout, (int32_t)out[0])] + 2 - (double)width);
    }
    return MB_OK;
}
