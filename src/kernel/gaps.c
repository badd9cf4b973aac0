/* gaps.c - rows of a block with gaps: patterns, distances, what is missing, moments. */
#include "kernel/gaps.h"

#include <math.h>

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

void mb_patterns_find_(const mb_estep_ *g, mb_patterns_ *p)
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

void mb_split_arrange_(const mb_estep_ *g, const mb_patterns_ *p, int32_t at, const double *S,
                       size_t ld, mb_split_ *q)
{
    const size_t d = (size_t)g->D;
    int32_t      end = 0;

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

            q->A[i * d + j] = a > b ? S[a * ld + b] : S[b * ld + a];
        }
}

void mb_split_solve_(const mb_estep_ *g, mb_split_ *q)
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

double mb_split_distance_(const mb_estep_ *g, const mb_split_ *q, int32_t l)
{
    double sum = 0;

    for (int32_t i = 0; i < q->there; i++)
        sum += q->y[i * g->block + l] * q->y[i * g->block + l];
    return sum;
}

void mb_split_complete_(const mb_estep_ *g, mb_split_ *q)
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

void mb_split_gather_(const mb_estep_ *g, const mb_split_ *q, const double *s, const double *r,
                      double *S)
{
    const size_t d = (size_t)g->D, n = d + 1, B = (size_t)g->block;
    double       w[MB_BLOCK_MAX], rx[MB_BLOCK_MAX], weight = 0, spread = 0;

    for (int32_t l = 0; l < q->rows; l++) {
        weight += w[l] = s[q->row[l]];
        spread += r[q->row[l]];
    }
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
            *to += dot(q->rows, rx, q->y + (size_t)j * B) + spread / q->nu * own;
        }
    }
}
