/* gmm_draw.c - rows of the predictive distribution of components with a matrix. */
#include "model/gmm_step.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>

/* scratch: K factors of W^-1, D x D, then the running sums of alpha, K. */
static mb_status prepare(const mb_model *m, const double *par, double *scratch, mb_err *err)
{
    const int32_t D = mb_gmm_wide_(m), K = m->K;
    const size_t  each = (size_t)D * (size_t)D;
    double       *sum = scratch + (size_t)K * each, total = 0;

    (void)mb_weights_of_(m->layout.block->family, K, par, sum); /* looked at one by one */
    for (int32_t k = 0; k < K; k++) {
        const mb_gmm_par_ p = mb_gmm_par_of_(m, par, k);

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
    const int32_t D = mb_gmm_wide_(m), K = m->K;
    const double *sum = scratch + (size_t)K * (size_t)D * (size_t)D, *C;
    const double  draw = mb_rng_uniform(rng) * sum[K - 1];
    int32_t       k = 0;
    mb_gmm_par_   p;
    double        size, u;

    while (k < K - 1 && draw >= sum[k])
        k++;
    p = mb_gmm_par_of_(m, par, k);
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
    const size_t width = 1 + (size_t)mb_gmm_wide_(m);

    MB_TRY(prepare(m, par, scratch, err));
    for (int64_t j = 0; j < n; j++, out += width) {
        mb_rng rng = mb_rng_at(seed, MB_STREAM_SAMPLE, 0, (uint64_t)(first + j));

        draw_row(m, par, relative, scratch, &rng, out);
        for (size_t i = 1; i < width; i++)
            if (!isfinite(out[i]))
                MB_FAIL(err, MB_E_NUMERIC,
                        "row %" PRId64
                        " exceeds the range of double: component %d has %g degrees of "
                        "freedom",
                        first + j, (int)out[0],
                        mb_gmm_par_of_(m, par, (int32_t)out[0]).nu + 2 - (double)width);
    }
    return MB_OK;
}
