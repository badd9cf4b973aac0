/* gmm_kernel.c - blocks of rows against Gaussian components: distances and second moments. */
#include "model/gmm_kernel.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LANES = 8 }; /* partial sums of a dot product; divides TILE */

/* exp of less can not be told from 0 beside the largest, and is slow */
#define EXP_ZERO (-700)

static size_t order2(int32_t D)
{
    return ((size_t)D + 1) * ((size_t)D + 1);
}

static size_t packed(int32_t D)
{
    return (size_t)D * ((size_t)D + 1) / 2;
}

size_t mb_gmm_scratch_(int32_t K, int32_t D)
{
    const size_t d = (size_t)D, component = d + packed(D) + 3 + MB_GMM_BLOCK + order2(D) + 1;

    return (size_t)K * component + (d + 2) * MB_GMM_BLOCK + d * MB_GMM_TILE + order2(D);
}

static double *take(double **p, size_t len)
{
    double *start = *p;

    *p += len;
    return start;
}

mb_gmm_work_ mb_gmm_carve_(int32_t K, int32_t D, double *scratch)
{
    const size_t k = (size_t)K, d = (size_t)D;
    mb_gmm_work_ g = {.K = K, .D = D};

    g.m = take(&scratch, k * d);
    g.C = take(&scratch, k * packed(D));
    g.c = take(&scratch, k);
    g.g = take(&scratch, k);
    g.h = take(&scratch, k);
    g.z = take(&scratch, (d + 1) * MB_GMM_BLOCK);
    g.w = take(&scratch, MB_GMM_BLOCK);
    g.r = take(&scratch, k * MB_GMM_BLOCK);
    g.S = take(&scratch, k * order2(D));
    g.y = take(&scratch, d * MB_GMM_TILE);
    g.tmp = take(&scratch, k + order2(D));
    memset(g.S, 0, k * order2(D) * sizeof *g.S);
    return g;
}

void mb_gmm_component_(mb_gmm_work_ *g, int32_t k, const double *L)
{
    const size_t d = (size_t)g->D, n = d + 1;
    double      *m = g->m + (size_t)k * d, *C = g->C + (size_t)k * packed(g->D);

    for (size_t i = 1; i < n; i++) {
        m[i - 1] = L[i * n] / L[0];
        for (size_t j = 1; j < i; j++)
            *C++ = L[i * n + j];
        *C++ = 1 / L[i * n + i];
    }
}

mb_status mb_gmm_check_(const mb_gmm_work_ *g, const mb_rows *rows, mb_err *err)
{
    if (rows->n > 0 && rows->d != g->D)
        MB_FAIL(err, MB_E_SHAPE, "rows have %" PRId32 " columns; the model has %" PRId32, rows->d,
                g->D);
    for (int64_t j = 0; rows->w && j < rows->n; j++)
        if (!(rows->w[j] >= 0))
            MB_FAIL(err, MB_E_ARG, "row %" PRId64 ": weight %g; a weight is 0 or more", j,
                    rows->w[j]);
    return MB_OK;
}

/* A row of weight 0 is as if absent, whatever it holds. */
int64_t mb_gmm_fill_(mb_gmm_work_ *g, const mb_rows *rows, int64_t next)
{
    const size_t d = (size_t)g->D;
    size_t       l = 0;

    for (; next < rows->n && l < MB_GMM_BLOCK; next++) {
        const double *x = rows->x + (size_t)next * rows->ld;
        const double  w = rows->w ? rows->w[next] : 1;

        if (!(w > 0))
            continue;
        g->row[l] = next;
        g->w[l] = w;
        g->z[l] = 1;
        for (size_t i = 0; i < d; i++)
            g->z[(i + 1) * MB_GMM_BLOCK + l] = x[i];
        l++;
    }
    g->rows = (int32_t)l;
    for (size_t i = 0; i <= d && l < MB_GMM_BLOCK; i++)
        memset(g->z + i * MB_GMM_BLOCK + l, 0, (MB_GMM_BLOCK - l) * sizeof *g->z);
    return next;
}

mb_status mb_gmm_finite_(const mb_gmm_work_ *g, mb_err *err)
{
    for (int32_t l = 0; l < g->rows; l++)
        for (int32_t i = 1; i <= g->D; i++)
            if (!isfinite(g->z[i * MB_GMM_BLOCK + l]))
                MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ", column %" PRId32 ": %g is not finite",
                        g->row[l], i - 1, g->z[i * MB_GMM_BLOCK + l]);
    return MB_OK;
}

/* acc -= sum over j < count of C[j] y_j, four j at a time to spare loads and stores of acc. */
static void subtract(int32_t count, const double *restrict C, const double *restrict y,
                     double *restrict acc)
{
    int32_t j = 0;

    for (; j + 4 <= count; j += 4, y += 4 * MB_GMM_TILE)
        for (int l = 0; l < MB_GMM_TILE; l++)
            acc[l] -= (C[j] * y[l] + C[j + 1] * y[MB_GMM_TILE + l]) +
                      (C[j + 2] * y[2 * MB_GMM_TILE + l] + C[j + 3] * y[3 * MB_GMM_TILE + l]);
    for (; j < count; j++, y += MB_GMM_TILE)
        for (int l = 0; l < MB_GMM_TILE; l++)
            acc[l] -= C[j] * y[l];
}

/* y = C^-1 (x - m) by forward substitution in TILE rows at once; out = |y|^2. */
static void distance_tile(int32_t D, const double *m, const double *C, const double *restrict x,
                          double *restrict y, double *restrict out)
{
    for (int l = 0; l < MB_GMM_TILE; l++)
        out[l] = 0;
    for (int32_t i = 0; i < D; i++) {
        double *restrict yi = y + (size_t)i * MB_GMM_TILE;

        for (int l = 0; l < MB_GMM_TILE; l++)
            yi[l] = x[l] - m[i];
        subtract(i, C, y, yi);
        for (int l = 0; l < MB_GMM_TILE; l++) {
            yi[l] *= C[i];
            out[l] += yi[l] * yi[l];
        }
        C += i + 1;
        x += MB_GMM_BLOCK;
    }
}

void mb_gmm_distance_(const mb_gmm_work_ *g, int32_t k, double *out)
{
    const double *m = g->m + (size_t)k * (size_t)g->D, *C = g->C + (size_t)k * packed(g->D);

    for (int32_t l = 0; l < g->rows; l += MB_GMM_TILE)
        distance_tile(g->D, m, C, g->z + MB_GMM_BLOCK + l, g->y, out + l);
}

mb_status mb_gmm_normalise_(mb_gmm_work_ *g, double *lnz, mb_err *err)
{
    double top[MB_GMM_BLOCK], sum[MB_GMM_BLOCK] = {0};

    for (int32_t k = 0; k < g->K; k++) {
        const double *r = g->r + (size_t)k * MB_GMM_BLOCK;

        for (int32_t l = 0; l < g->rows; l++)
            top[l] = k == 0 || r[l] > top[l] ? r[l] : top[l];
    }
    for (int32_t k = 0; k < g->K; k++) {
        double *r = g->r + (size_t)k * MB_GMM_BLOCK;

        for (int32_t l = 0; l < g->rows; l++) {
            const double below = r[l] - top[l];

            r[l] = below < EXP_ZERO ? 0 : exp(below);
            sum[l] += r[l];
        }
    }
    for (int32_t l = 0; l < g->rows; l++) {
        lnz[l] = top[l] + log(sum[l]);
        if (!isfinite(lnz[l]))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": ln Z is %g; its values must be finite and not absurdly far "
                    "from every component",
                    g->row[l], lnz[l]);
        sum[l] = g->w[l] / sum[l];
    }
    for (int32_t k = 0; k < g->K; k++)
        for (int32_t l = 0; l < g->rows; l++)
            g->r[(size_t)k * MB_GMM_BLOCK + (size_t)l] *= sum[l];
    return MB_OK;
}

/* LANES partial sums: the order is fixed and the loop vectorises. len is a multiple of LANES. */
static double dot(const double *restrict a, const double *restrict b, int32_t len)
{
    double s[LANES] = {0};

    for (int32_t l = 0; l < len; l += LANES)
        for (int u = 0; u < LANES; u++)
            s[u] += a[l + u] * b[l + u];
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

void mb_gmm_accumulate_(mb_gmm_work_ *g)
{
    const int32_t len = (g->rows + LANES - 1) / LANES * LANES;
    const size_t  n = (size_t)g->D + 1;
    double        rz[MB_GMM_BLOCK];

    for (int32_t k = 0; k < g->K; k++) {
        double *r = g->r + (size_t)k * MB_GMM_BLOCK, *S = g->S + (size_t)k * n * n;

        for (int32_t l = g->rows; l < len; l++)
            r[l] = 0;
        for (size_t i = 0; i < n; i++) {
            for (int32_t l = 0; l < len; l++)
                rz[l] = r[l] * g->z[i * MB_GMM_BLOCK + (size_t)l];
            for (size_t j = 0; j <= i; j++)
                S[i * n + j] += dot(rz, g->z + j * MB_GMM_BLOCK, len);
        }
    }
}

void mb_gmm_natural_(int32_t n, double weight, const double *S, double *v, double *out)
{
    out[0] += 0.5 * weight;
    mb_svec_(S, n, v);
    for (size_t e = 0; e < mb_svec_len_(n); e++)
        out[1 + e] -= 0.5 * v[e];
}
