/* linreg_data.h - rows of a linear regression, and its posterior by the normal equations: none of
 * the library's code but the random numbers. */
#ifndef MB_TEST_LINREG_DATA_H
#define MB_TEST_LINREG_DATA_H

#include "meshbayes/meshbayes.h"
#include "model/model.h"

#include <math.h>

enum { LR_D = 3, LR_COLUMNS = LR_D + 1, LR_MAX_P = LR_D + 1 };

/* n rows of node i: inputs around a place of the node's own, y = 2 + x1 - 3 x2 + x3/2 + noise. */
static inline void lr_rows(uint64_t seed, int32_t i, int32_t n, double *x)
{
    mb_rng rng = mb_rng_at(seed, MB_STREAM_DATA, (uint32_t)i, 0);

    for (int32_t j = 0; j < n; j++, x += LR_COLUMNS) {
        for (int32_t d = 0; d < LR_D; d++)
            x[d] = 0.7 * ((i + d) % 4) - 1 + mb_rng_normal(&rng);
        x[1] += 0.6 * x[0];
        x[3] = 2 + x[0] - 3 * x[1] + 0.5 * x[2] + 0.4 * mb_rng_normal(&rng);
    }
}

/* Prior and sums: Lambda, Lambda m, and what b gets at any m. */
typedef struct lr_sums {
    int32_t     p, intercept;
    long double a, A[LR_MAX_P][LR_MAX_P + 1];
} lr_sums;

static inline long double lr_input(const lr_sums *s, const double *row, int32_t i)
{
    return s->intercept ? (i ? row[i - 1] : 1) : row[i];
}

static inline lr_sums lr_prior(const mb_linreg_opt *o)
{
    lr_sums s = {.p = o->D + o->intercept, .intercept = o->intercept, .a = o->a0};

    for (int32_t i = 0; i < s.p; i++)
        for (int32_t j = 0; j < s.p; j++) {
            s.A[i][j] = o->lambda0_matrix ? o->lambda0_matrix[i * s.p + j] : o->lambda0 * (i == j);
            s.A[i][s.p] += s.A[i][j] * (o->m0 ? o->m0[j] : 0);
        }
    return s;
}

static inline void lr_add(lr_sums *s, const mb_rows *rows)
{
    for (int64_t r = 0; r < rows->n; r++) {
        const double     *x = rows->x + (size_t)r * rows->ld;
        const long double w = rows->w ? rows->w[r] : 1;

        s->a += w / 2;
        for (int32_t i = 0; i < s->p; i++) {
            for (int32_t j = 0; j < s->p; j++)
                s->A[i][j] += w * lr_input(s, x, i) * lr_input(s, x, j);
            s->A[i][s->p] += w * lr_input(s, x, i) * x[rows->d - 1];
        }
    }
}

/* m by Gaussian elimination with row pivots. Returns ln |Lambda|. */
static inline long double lr_solve(const lr_sums *s, long double *m)
{
    long double ln_det = 0;
    long double A[LR_MAX_P][LR_MAX_P + 1];
    int32_t     p = s->p;

    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j <= p; j++)
            A[i][j] = s->A[i][j];
    for (int32_t k = 0; k < p; k++) {
        int32_t best = k;

        for (int32_t i = k; i < p; i++)
            best = fabsl(A[i][k]) > fabsl(A[best][k]) ? i : best;
        for (int32_t j = 0; j <= p; j++) {
            const long double keep = A[k][j];

            A[k][j] = A[best][j];
            A[best][j] = keep;
        }
        for (int32_t i = k + 1; i < p; i++)
            for (int32_t j = p; j >= k; j--)
                A[i][j] -= A[k][j] * (A[i][k] / A[k][k]);
        ln_det += logl(fabsl(A[k][k]));
    }
    for (int32_t i = p - 1; i >= 0; i--) {
        m[i] = A[i][p];
        for (int32_t j = i + 1; j < p; j++)
            m[i] -= A[i][j] * m[j];
        m[i] /= A[i][i];
    }
    return ln_det;
}

/* What the rows add to b: half the weighted squared residuals. */
static inline long double lr_misfit(const lr_sums *s, const mb_rows *rows, const long double *m)
{
    long double sum = 0;

    for (int64_t r = 0; r < rows->n; r++) {
        const double *x = rows->x + (size_t)r * rows->ld;
        long double   e = x[rows->d - 1];

        for (int32_t i = 0; i < s->p; i++)
            e -= m[i] * lr_input(s, x, i);
        sum += (rows->w ? rows->w[r] : 1) * e * e / 2;
    }
    return sum;
}

/* par of the posterior given all nodes' rows: a, b, m, lower triangle of Lambda. Returns the log
 * marginal likelihood, nats; a row of weight w counts as w rows. */
static inline double lr_posterior(const mb_linreg_opt *o, const mb_rows *rows, int32_t nodes,
                                  double *par)
{
    const lr_sums prior = lr_prior(o);
    lr_sums       s = prior;
    long double   m[LR_MAX_P], b = o->b0, ln_det0 = lr_solve(&prior, m), ln_det;

    for (int32_t i = 0; i < nodes; i++)
        lr_add(&s, &rows[i]);
    ln_det = lr_solve(&s, m);
    for (int32_t i = 0; i < nodes; i++)
        b += lr_misfit(&s, &rows[i], m);
    for (int32_t i = 0; i < s.p; i++)
        for (int32_t j = 0; j < s.p; j++)
            b += (m[i] - (o->m0 ? o->m0[i] : 0)) * prior.A[i][j] * (m[j] - (o->m0 ? o->m0[j] : 0)) /
                 2;
    *par++ = (double)s.a;
    *par++ = (double)b;
    for (int32_t i = 0; i < s.p; i++)
        *par++ = (double)m[i];
    for (int32_t i = 0; i < s.p; i++)
        for (int32_t j = 0; j <= i; j++)
            *par++ = (double)s.A[i][j];
    return (double)((ln_det0 - ln_det) / 2 + o->a0 * logl(o->b0) - s.a * logl(b) + lgammal(s.a) -
                    lgammal(o->a0) - (s.a - o->a0) * logl(2 * acosl(-1)));
}

#endif
