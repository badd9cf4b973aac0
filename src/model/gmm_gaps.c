/* gmm_gaps.c - rows with gaps in a mixture of Gaussians with covariance matrices (docs/math.md,
 * section 17).
 *
 * W^-1 with its rows and columns in the order (there, missing) has the factor [A_oo, 0; A_mo, A_mm].
 * With y = A_oo^-1 (x_o - m_o) the squared distance in W, smallest over x_m, is |y|^2, at
 * x_m = m_m + A_mo y, and (W_mm)^-1 = A_mm A_mm'. Rows of a block with the same pattern of gaps share a
 * factor. */
#include "model/gmm_gaps.h"
#include "expfam/normal_wishart.h"
#include "model/gmm_step.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;

/* The rows of a block by their patterns: those of pattern p are row[first[p]] .. row[first[p + 1] - 1]. */
typedef struct patterns {
    int32_t n;
    int32_t row[MB_BLOCK_MAX], first[MB_BLOCK_MAX + 1];
} patterns;

/* One pattern of gaps and one component. */
typedef struct split {
    int32_t        rows;  /* with this pattern                                            */
    const int32_t *row;   /* rows: where in the block                                     */
    int32_t        there; /* columns that have a value                                    */
    int32_t       *order; /* D: these, then the missing ones                              */
    double        *A;     /* D x D: the factor, lower triangle                            */
    double        *y;     /* D x block: of each row y, below it the x_m that are expected */
    const double  *m;     /* D: mean                                                      */
    double         nu;    /* degrees of freedom                                           */
} split;

static int is_gap(const mb_estep_ *g, int32_t column, int32_t l)
{
    return isnan(g->z[column * g->block + l]);
}

static int alike(const mb_estep_ *g, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < g->D; i++)
        if (is_gap(g, i, a) != is_gap(g, i, b))
            return 0;
    return 1;
}

/* Sorts the rows by pattern, in the order of each pattern's first row. */
static void find(const mb_estep_ *g, patterns *p)
{
    static const uint64_t prime = 0x100000001b3; /* FNV */
    uint64_t              hash[MB_BLOCK_MAX] = {0};
    uint8_t               done[MB_BLOCK_MAX] = {0};
    int32_t               at = 0;

    for (int32_t i = 0; i < g->D; i++)
        for (int32_t l = 0; l < g->rows; l++)
            hash[l] = (hash[l] ^ (uint64_t)(1 + is_gap(g, i, l))) * prime;
    p->n = 0;
    for (int32_t l = 0; l < g->rows; l++) {
        if (done[l])
            continue;
        p->first[p->n++] = at;
        for (int32_t j = l; j < g->rows; j++)
            if (!done[j] && hash[j] == hash[l] && alike(g, j, l)) {
                done[j] = 1;
                p->row[at++] = j;
            }
    }
    p->first[p->n] = at;
}

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

/* m and W^-1 (from g->tmp + K + D + 2 on, D + 1 numbers a row) of component k. What is summed is in s
 * already, so there is room in acc, and rows in single precision have been widened. */
static mb_status component(const mb_model *m, const double *phi, int32_t k, const mb_estep_ *g,
                           split *q, mb_err *err)
{
    const size_t d = (size_t)g->D, n = d + 1;
    double      *L = g->tmp + g->K, *mean = g->m + (size_t)k * d;

    if (mb_nw_factor_(g->D, phi + mb_gmm_at_(&m->layout, k), L) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (normal-wishart.1) is outside its domain",
                k);
    for (size_t i = 1; i < n; i++)
        mean[i - 1] = L[i * n] / L[0];
    square(g->D, n, L + n + 1);
    *q = (split){.A = g->acc,
                 .order = (int32_t *)(void *)(g->acc + d * d),
                 .y = g->wide,
                 .m = mean,
                 .nu = mb_nw_nu_(g->D, phi + mb_gmm_at_(&m->layout, k))};
    return MB_OK;
}

/* The columns of pattern p and the factor of component k. */
static mb_status factor(const mb_estep_ *g, int32_t k, const patterns *p, int32_t at, split *q,
                        mb_err *err)
{
    const size_t  d = (size_t)g->D, n = d + 1;
    const double *S = g->tmp + g->K + n + 1;
    int32_t       end = 0;

    q->row = p->row + p->first[at];
    q->rows = p->first[at + 1] - p->first[at];
    for (int gap = 0; gap <= 1; gap++) {
        for (int32_t i = 0; i < g->D; i++)
            if (is_gap(g, i, *q->row) == gap)
                q->order[end++] = i;
        q->there = gap ? q->there : end;
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            const size_t a = (size_t)q->order[i], b = (size_t)q->order[j];

            q->A[i * d + j] = a > b ? S[a * n + b] : S[b * n + a];
        }
    if (mb_chol_(q->A, g->D) != 0)
        MB_FAIL(err, MB_E_NUMERIC,
                "component %" PRId32
                ": its covariance is too near to a singular one for row %" PRId64
                ", which has gaps",
                k, g->row[*q->row]);
    return MB_OK;
}

/* y of the columns that are there: each row is a lane. */
static void solve(const mb_estep_ *g, split *q)
{
    const size_t d = (size_t)g->D, B = (size_t)g->block;

    for (int32_t i = 0; i < q->there; i++) {
        double *restrict y = q->y + (size_t)i * B;
        const double *x = g->z + (size_t)q->order[i] * B;

        for (int32_t l = 0; l < q->rows; l++)
            y[l] = x[q->row[l]] - q->m[q->order[i]];
        for (int32_t j = 0; j < i; j++) {
            const double  f = q->A[(size_t)i * d + (size_t)j];
            const double *of = q->y + (size_t)j * B;

            for (int32_t l = 0; l < q->rows; l++)
                y[l] -= f * of[l];
        }
        for (int32_t l = 0; l < q->rows; l++)
            y[l] /= q->A[(size_t)i * (d + 1)];
    }
}

/* Then: the x_m that are expected below them, and the values instead of y. */
static void complete(const mb_estep_ *g, split *q)
{
    const size_t d = (size_t)g->D, B = (size_t)g->block;

    for (int32_t i = q->there; i < g->D; i++) {
        double *restrict x = q->y + (size_t)i * B;

        for (int32_t l = 0; l < q->rows; l++)
            x[l] = q->m[q->order[i]];
        for (int32_t j = 0; j < q->there; j++)
            for (int32_t l = 0; l < q->rows; l++)
                x[l] += q->A[(size_t)i * d + (size_t)j] * q->y[(size_t)j * B + (size_t)l];
    }
    for (int32_t i = 0; i < q->there; i++)
        for (int32_t l = 0; l < q->rows; l++)
            q->y[(size_t)i * B + (size_t)l] = g->z[(size_t)q->order[i] * B + (size_t)q->row[l]];
}

/* What the missing columns add to c: ln |A_mm|, and in the E-step |m|/2 (ln 2 pi - ln nu), in the
 * predictive density the constants of Student's t with as many columns less. */
static double constant(const mb_estep_ *g, int32_t k, const split *q, int predictive)
{
    const int32_t gone = g->D - q->there;
    const double  h = 0.5 * (q->nu + 1);
    double        sum = 0;

    for (int32_t i = q->there; i < g->D; i++)
        sum += log(q->A[(size_t)i * ((size_t)g->D + 1)]);
    if (!predictive)
        return sum + 0.5 * gone * (LN_2PI - log(q->nu));
    for (int32_t d = 1; d <= gone; d++)
        sum -= mb_lgamma_half_(h - 0.5 * d);
    return sum + 0.5 * gone * (LN_PI - log(g->g[k]));
}

/* r of component k for the rows of a pattern. */
static void density(const mb_estep_ *g, int32_t k, split *q, int predictive)
{
    const double c = g->c[k] + constant(g, k, q, predictive);
    const double h = 0.5 * (q->nu + 1 - (g->D - q->there));
    double      *r = g->r + (size_t)k * (size_t)g->block;

    solve(g, q);
    for (int32_t l = 0; l < q->rows; l++) {
        double far = 0;

        for (int32_t i = 0; i < q->there; i++)
            far += q->y[i * g->block + l] * q->y[i * g->block + l];
        r[q->row[l]] = predictive ? c - h * log1p(g->g[k] * far) : c - 0.5 * q->nu * far;
    }
}

/* r and lnz of the block of rows with gaps. */
static mb_status respond(const mb_model *m, const double *phi, mb_estep_ *g, const patterns *p,
                         int predictive, double *total, mb_err *err)
{
    for (int32_t k = 0; k < g->K; k++) {
        double *r = g->r + (size_t)k * (size_t)g->block;
        split   q;

        MB_TRY(component(m, phi, k, g, &q, err));
        for (int32_t at = 0; at < p->n; at++) {
            MB_TRY(factor(g, k, p, at, &q, err));
            density(g, k, &q, predictive);
        }
        for (int32_t l = g->rows; l % MB_LANES_MAX; l++)
            r[l] = r[g->rows - 1];
    }
    return mb_gmm_normalise_(g, total, err);
}

/* sum of a b, in an order of its own. */
static double dot(int32_t n, const double *a, const double *b)
{
    enum { LANES = 4 };
    double  sum[LANES] = {0};
    int32_t l = 0;

    for (; l + LANES <= n; l += LANES)
        for (int32_t u = 0; u < LANES; u++)
            sum[u] += a[l + u] * b[l + u];
    for (; l < n; l++)
        sum[0] += a[l] * b[l];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* S (D + 1 rows, lower triangle) += sum of r z z', and of r A_mm A_mm'/nu where both are missing. */
static void gather(const mb_estep_ *g, const split *q, const double *r, double *S)
{
    const size_t d = (size_t)g->D, n = d + 1, B = (size_t)g->block;
    double       w[MB_BLOCK_MAX], rx[MB_BLOCK_MAX], weight = 0;

    for (int32_t l = 0; l < q->rows; l++)
        weight += w[l] = r[q->row[l]];
    S[0] += weight;
    for (int32_t i = 0; i < g->D && weight > 0; i++) {
        const size_t a = (size_t)q->order[i] + 1;

        for (int32_t l = 0; l < q->rows; l++)
            S[a * n] += rx[l] = w[l] * q->y[(size_t)i * B + (size_t)l];
        for (int32_t j = 0; j <= i; j++) {
            const size_t b = (size_t)q->order[j] + 1;
            double      *to = a > b ? &S[a * n + b] : &S[b * n + a];
            double       own = 0;

            for (int32_t t = q->there; t <= j && i >= q->there; t++)
                own += q->A[(size_t)i * d + (size_t)t] * q->A[(size_t)j * d + (size_t)t];
            *to += dot(q->rows, rx, q->y + (size_t)j * B) + weight / q->nu * own;
        }
    }
}

/* The sums of the block, in g->S. */
static mb_status moments(const mb_model *m, const double *phi, mb_estep_ *g, const patterns *p,
                         mb_err *err)
{
    const size_t n = (size_t)g->D + 1;

    for (int32_t k = 0; k < g->K; k++) {
        split q;

        MB_TRY(component(m, phi, k, g, &q, err));
        for (int32_t at = 0; at < p->n; at++) {
            MB_TRY(factor(g, k, p, at, &q, err));
            solve(g, &q);
            complete(g, &q);
            gather(g, &q, g->r + (size_t)k * (size_t)g->block, g->S + (size_t)k * n * n);
        }
    }
    return MB_OK;
}

mb_status mb_gaps_absorb_(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                          const double *resp, double *s, double *total, mb_err *err)
{
    const mb_layout *l = &m->layout;
    const size_t     n = (size_t)g->D + 1;
    patterns         p;

    for (size_t e = 0; e < (size_t)g->K * n * n; e++)
        g->S[e] = 0;
    for (int64_t next = 0; next < rows->n;) {
        next = mb_gmm_fill_gaps_(g, rows, 0, next);
        if (g->rows == 0)
            break;
        find(g, &p);
        MB_TRY(resp ? mb_gmm_given_(g, resp, err) : respond(m, phi, g, &p, 0, total, err));
        MB_TRY(moments(m, phi, g, &p, err));
    }
    for (int32_t k = 0; k < g->K; k++) {
        const double *S = g->S + (size_t)k * n * n;

        s[l->block[MB_GMM_WEIGHTS_].off + (size_t)k] += S[0];
        mb_gmm_natural_(g->D + 1, S[0], S, g->tmp, s + mb_gmm_at_(l, k));
    }
    return MB_OK;
}

mb_status mb_gaps_predict_(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                           mb_want want, double *out, mb_err *err)
{
    patterns p;
    double   total = 0;

    for (int64_t next = 0; next < rows->n;) {
        next = mb_gmm_fill_gaps_(g, rows, 1, next);
        if (g->rows == 0)
            break;
        find(g, &p);
        MB_TRY(respond(m, phi, g, &p, want == MB_WANT_LOGPDF, &total, err));
        mb_gmm_answer_(g, want, out);
    }
    return MB_OK;
}
