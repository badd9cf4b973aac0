/* gmm_gaps.c - rows with gaps in a mixture of Gaussians with covariance matrices (docs/math.md,
 * section 19).
 *
 * Rows of a block with the same pattern of gaps share a factor (kernel/gaps.h). */
#include "kernel/gaps.h"
#include "model/gmm_step.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;

/* In the lower triangle of C, whose rows are `ld` apart: C C'. From the last number on nothing is
 * overwritten that is still needed. */
static void square(int32_t D, size_t ld, double *C)
{
    for (size_t i = (size_t)D; i-- > 0;)
        for (size_t j = i + 1; j-- > 0;) {
            double sum = 0;

            for (size_t t = 0; t <= j; t++)
                sum += C[i * ld + t] * C[j * ld + t];
            C[i * ld + j] = sum;
        }
}

mb_status mb_gaps_component_(const mb_model *m, const double *phi, int32_t k, const mb_estep_ *g,
                             mb_split_ *q, mb_err *err)
{
    const size_t d = (size_t)g->D, n = d + 1;
    double      *L = g->tmp + g->K, *mean = g->m + (size_t)k * d, nu;

    MB_TRY(mb_gmm_normal_(m, phi, k, L, &nu, err));
    for (size_t i = 1; i < n; i++)
        mean[i - 1] = L[i * n] / L[0];
    square(g->D, n, L + n + 1);
    *q = (mb_split_){.A = g->acc,
                     .order = (int32_t *)(void *)(g->acc + d * d),
                     .y = g->wide,
                     .m = mean,
                     .nu = nu};
    return MB_OK;
}

mb_status mb_gaps_factor_(const mb_estep_ *g, int32_t k, const mb_patterns_ *p, int32_t at,
                          mb_split_ *q, mb_err *err)
{
    const size_t n = (size_t)g->D + 1;

    mb_split_arrange_(g, p, at, g->tmp + g->K + n + 1, n, q);
    if (mb_chol_(q->A, g->D) != 0)
        MB_FAIL(err, MB_E_NUMERIC,
                "component %" PRId32
                ": its covariance is too near to a singular one for row %" PRId64
                ", which has gaps",
                k, mb_estep_row_(g, *q->row));
    return MB_OK;
}

double mb_gaps_volume_(const mb_estep_ *g, const mb_split_ *q)
{
    double sum = 0;

    for (int32_t i = q->there; i < g->D; i++)
        sum += log(q->A[(size_t)i * ((size_t)g->D + 1)]);
    return sum;
}

/* What the missing columns add to c: ln |A_mm|, and in the E-step |m|/2 (ln 2 pi - ln nu), in the
 * predictive density the constants of Student's t with as many columns less. */
static double constant(const mb_estep_ *g, int32_t k, const mb_split_ *q, int predictive)
{
    const int32_t gone = g->D - q->there;
    const double  h = 0.5 * (q->nu + 1);
    double        sum = mb_gaps_volume_(g, q);

    if (!predictive)
        return sum + 0.5 * gone * (LN_2PI - log(q->nu));
    for (int32_t d = 1; d <= gone; d++)
        sum -= mb_lgamma_half_(h - 0.5 * d);
    return sum + 0.5 * gone * (LN_PI - log(g->g[k]));
}

/* r of component k for the rows of a pattern. */
static void density(const mb_estep_ *g, int32_t k, mb_split_ *q, int predictive)
{
    const double c = g->c[k] + constant(g, k, q, predictive);
    const double h = 0.5 * (q->nu + 1 - (g->D - q->there));
    double      *r = g->r + (size_t)k * (size_t)g->block;

    mb_split_solve_(g, q);
    for (int32_t l = 0; l < q->rows; l++) {
        const double far = mb_split_distance_(g, q, l);

        r[q->row[l]] = predictive ? c - h * log1p(g->g[k] * far) : c - 0.5 * q->nu * far;
    }
}

void mb_gaps_clear_(mb_pass_ *w)
{
    const size_t n = (size_t)w->g.D + 1;

    for (size_t e = 0; e < (size_t)w->g.K * n * n; e++)
        w->g.S[e] = 0;
}

mb_status mb_gaps_look_(mb_pass_ *w, mb_err *err)
{
    (void)err;
    if (w->gaps)
        mb_patterns_find_(&w->g, &w->patterns);
    return MB_OK;
}

mb_status mb_gaps_density_(mb_pass_ *w, mb_err *err)
{
    mb_estep_ *g = &w->g;

    for (int32_t k = 0; k < g->K; k++) {
        double   *r = g->r + (size_t)k * (size_t)g->block;
        mb_split_ q;

        MB_TRY(mb_gaps_component_(w->m, w->phi, k, g, &q, err));
        for (int32_t at = 0; at < w->patterns.n; at++) {
            MB_TRY(mb_gaps_factor_(g, k, &w->patterns, at, &q, err));
            density(g, k, &q, w->predictive);
        }
        for (int32_t l = g->rows; l % MB_LANES_MAX; l++)
            r[l] = r[g->rows - 1];
    }
    return MB_OK;
}

mb_status mb_gaps_gather_(mb_pass_ *w, mb_err *err)
{
    mb_estep_   *g = &w->g;
    const size_t n = (size_t)g->D + 1;

    for (int32_t k = 0; k < g->K; k++) {
        const double *r = g->r + (size_t)k * (size_t)g->block;
        mb_split_     q;

        MB_TRY(mb_gaps_component_(w->m, w->phi, k, g, &q, err));
        for (int32_t at = 0; at < w->patterns.n; at++) {
            MB_TRY(mb_gaps_factor_(g, k, &w->patterns, at, &q, err));
            mb_split_solve_(g, &q);
            mb_split_complete_(g, &q);
            mb_split_gather_(g, &q, r, r, g->S + (size_t)k * n * n);
        }
    }
    return MB_OK;
}
