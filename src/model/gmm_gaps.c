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

/* r of the block of rows with gaps: log densities. */
static mb_status densities(const mb_model *m, const double *phi, mb_estep_ *g,
                           const mb_patterns_ *p, int predictive, mb_err *err)
{
    for (int32_t k = 0; k < g->K; k++) {
        double   *r = g->r + (size_t)k * (size_t)g->block;
        mb_split_ q;

        MB_TRY(mb_gaps_component_(m, phi, k, g, &q, err));
        for (int32_t at = 0; at < p->n; at++) {
            MB_TRY(mb_gaps_factor_(g, k, p, at, &q, err));
            density(g, k, &q, predictive);
        }
        for (int32_t l = g->rows; l % MB_LANES_MAX; l++)
            r[l] = r[g->rows - 1];
    }
    return MB_OK;
}

/* r and lnz of the block; resp: given. With q of its rows' groups, when q->ready says so. */
static mb_status respond(const mb_model *m, const double *phi, mb_estep_ *g, mb_groups_ *q,
                         const double *resp, mb_patterns_ *p, int predictive, double *total,
                         mb_err *err)
{
    mb_patterns_find_(g, p);
    if (resp && !(q && q->again))
        MB_TRY(mb_gmm_given_(g, resp, err));
    else if (!(q && q->again))
        MB_TRY(densities(m, phi, g, p, predictive, err));
    if (q)
        return mb_gmm_share_(q, g, resp != NULL, total, err);
    return resp ? MB_OK : mb_gmm_normalise_(g, total, err);
}

/* The next block; 0: there is none. */
static int fill(mb_estep_ *g, const mb_rows *rows, mb_groups_ *q, int empty, int64_t *next)
{
    if (q)
        return mb_gmm_fill_groups_(q, g, rows);
    *next = mb_gmm_fill_gaps_(g, rows, empty, *next);
    return g->rows > 0;
}

/* The sums of the block, in g->S. */
static mb_status moments(const mb_model *m, const double *phi, mb_estep_ *g, const mb_patterns_ *p,
                         mb_err *err)
{
    const size_t n = (size_t)g->D + 1;

    for (int32_t k = 0; k < g->K; k++) {
        const double *r = g->r + (size_t)k * (size_t)g->block;
        mb_split_     q;

        MB_TRY(mb_gaps_component_(m, phi, k, g, &q, err));
        for (int32_t at = 0; at < p->n; at++) {
            MB_TRY(mb_gaps_factor_(g, k, p, at, &q, err));
            mb_split_solve_(g, &q);
            mb_split_complete_(g, &q);
            mb_split_gather_(g, &q, r, r, g->S + (size_t)k * n * n);
        }
    }
    return MB_OK;
}

mb_status mb_gaps_absorb_(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                          mb_groups_ *q, const double *resp, double *s, double *total, mb_err *err)
{
    const size_t n = (size_t)g->D + 1;
    mb_patterns_ p;

    for (size_t e = 0; e < (size_t)g->K * n * n; e++)
        g->S[e] = 0;
    for (int64_t next = 0; fill(g, rows, q, 0, &next);) {
        MB_TRY(respond(m, phi, g, q, resp, &p, 0, total, err));
        if (!q || q->ready)
            MB_TRY(moments(m, phi, g, &p, err));
    }
    for (int32_t k = 0; k < g->K; k++) {
        const double *S = g->S + (size_t)k * n * n;

        g->h[k] = S[0];
        mb_gmm_gather_(m, k, S, g->tmp, s);
    }
    mb_weights_add_(m, q ? q->count : g->h, s);
    return MB_OK;
}

mb_status mb_gaps_predict_(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                           mb_groups_ *q, mb_want want, double *out, mb_err *err)
{
    mb_patterns_ p;
    double       total = 0;

    for (int64_t next = 0; fill(g, rows, q, 1, &next);) {
        MB_TRY(respond(m, phi, g, q, NULL, &p, want == MB_WANT_LOGPDF, &total, err));
        if (!q || q->ready)
            mb_gmm_answer_(g, want, out);
    }
    return MB_OK;
}
