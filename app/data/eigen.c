/* eigen.c - eigenvalues and vectors of large symmetric matrices: Householder reflections to a
 * tridiagonal matrix, then implicit QL with Wilkinson's shift [Golub13, 8.3]. */
#include "data/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 60 };

typedef struct eigen {
    int32_t  n;
    double  *A;   /* n x n; right of row r's diagonal: the reflection that cleared column r    */
    double **row; /* n: eigenvectors of the tridiagonal matrix (n); those of NULL are not wanted */
    double  *d;   /* n: diagonal                                                               */
    double  *e;   /* n: e[i] between i and i + 1; e[n-1] = 0                                   */
    double  *q;   /* n                                                                         */
} eigen;

/* u of length 1 with (1 - 2 u u') x = alpha e_1; 0 when x is there already. */
static double reflection(double *x, int32_t n)
{
    double rest = 0, alpha = x[0], scale;

    for (int32_t l = 1; l < n; l++)
        rest += x[l] * x[l];
    if (!(rest > 0)) {
        memset(x, 0, (size_t)n * sizeof *x);
        return alpha;
    }
    alpha = x[0] > 0 ? -sqrt(x[0] * x[0] + rest) : sqrt(x[0] * x[0] + rest);
    x[0] -= alpha;
    scale = 1 / sqrt(x[0] * x[0] + rest);
    for (int32_t l = 0; l < n; l++)
        x[l] *= scale;
    return alpha;
}

/* B <- (1 - 2 u u') B (1 - 2 u u') = B - u q' - q u' with p = B u, q = 2 (p - (u'p) u). B: the m x m
 * corner of A, whose first element is `corner`. Sums run along rows, so that they vectorise. */
static void reflect(double *corner, size_t ld, int32_t m, const double *u, double *q)
{
    double up = 0;

    memset(q, 0, (size_t)m * sizeof *q);
    for (int32_t r = 0; r < m; r++) {
        const double *row = corner + (size_t)r * ld;

        for (int32_t c = 0; c < m; c++)
            q[c] += u[r] * row[c];
    }
    for (int32_t c = 0; c < m; c++)
        up += u[c] * q[c];
    for (int32_t c = 0; c < m; c++)
        q[c] = 2 * (q[c] - up * u[c]);
    for (int32_t r = 0; r < m; r++) {
        double *row = corner + (size_t)r * ld;

        for (int32_t c = 0; c < m; c++)
            row[c] -= u[r] * q[c] + q[r] * u[c];
    }
}

static void tridiagonalise(eigen *g)
{
    const size_t n = (size_t)g->n;

    for (int32_t r = 0; r < g->n - 1; r++) {
        double *u = g->A + (size_t)r * n + r + 1;

        g->d[r] = g->A[(size_t)r * n + r];
        g->e[r] = reflection(u, g->n - r - 1);
        reflect(g->A + (n + 1) * (size_t)(r + 1), n, g->n - r - 1, u, g->q);
    }
    g->d[n - 1] = g->A[n * n - 1];
    g->e[n - 1] = 0;
}

/* Rotates eigenvectors i and i + 1. */
static void turn(eigen *g, int32_t i, double c, double s)
{
    double *x = g->row[i], *y = g->row[i + 1];

    for (int32_t l = 0; l < g->n; l++) {
        const double f = y[l];

        y[l] = s * x[l] + c * f;
        x[l] = c * x[l] - s * f;
    }
}

/* One implicit QL step on rows low..high of the tridiagonal matrix: the bulge runs upwards. */
static void sweep(eigen *g, int32_t low, int32_t high)
{
    double *d = g->d, *e = g->e, s = 1, c = 1, p = 0, shift, r;

    shift = (d[low + 1] - d[low]) / (2 * e[low]);
    r = hypot(shift, 1);
    shift = d[high] - d[low] + e[low] / (shift + (shift < 0 ? -r : r));
    for (int32_t i = high - 1; i >= low; i--) {
        const double f = s * e[i], b = c * e[i];

        r = hypot(f, shift);
        e[i + 1] = r;
        if (!(r > 0)) { /* the matrix splits here */
            d[i + 1] -= p;
            e[high] = 0;
            return;
        }
        s = f / r;
        c = shift / r;
        shift = d[i + 1] - p;
        r = (d[i] - shift) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = shift + p;
        shift = c * r - b;
        if (g->row[i])
            turn(g, i, c, s);
    }
    d[low] -= p;
    e[low] = shift;
    e[high] = 0;
}

/* The end of the unreduced part that begins at `low`. */
static int32_t unreduced(const eigen *g, int32_t low)
{
    int32_t m = low;

    while (m < g->n - 1 && fabs(g->e[m]) > DBL_EPSILON * (fabs(g->d[m]) + fabs(g->d[m + 1])))
        m++;
    return m;
}

static int diagonalise(eigen *g)
{
    for (int32_t low = 0; low < g->n; low++)
        for (int32_t tries = 0, high; (high = unreduced(g, low)) > low; tries++) {
            if (tries == MAX_SWEEPS)
                return 0;
            sweep(g, low, high);
        }
    return 1;
}

/* In descending order, by selection. */
static void arrange(eigen *g)
{
    for (int32_t i = 0; i < g->n; i++) {
        int32_t top = i;
        double  value = g->d[i], *row = g->row[i];

        for (int32_t j = i + 1; j < g->n; j++)
            if (g->d[j] > g->d[top])
                top = j;
        g->d[i] = g->d[top];
        g->d[top] = value;
        g->row[i] = g->row[top];
        g->row[top] = row;
    }
}

void eigen_orient(int32_t n, double *v)
{
    int32_t top = 0;
    double  sign;

    for (int32_t l = 1; l < n; l++)
        if (fabs(v[l]) > fabs(v[top]))
            top = l;
    sign = v[top] < 0 ? -1 : 1;
    for (int32_t l = 0; l < n; l++)
        v[l] *= sign;
}

/* v <- H_0 (H_1 (... v)): from the tridiagonal matrix back to A. */
static void transform_back(const eigen *g, double *v)
{
    for (int32_t r = g->n - 2; r >= 0; r--) {
        const double *u = g->A + (size_t)r * (size_t)g->n + r + 1;
        double        dot = 0;

        for (int32_t l = 0; l < g->n - r - 1; l++)
            dot += u[l] * v[r + 1 + l];
        for (int32_t l = 0; l < g->n - r - 1; l++)
            v[r + 1 + l] -= 2 * dot * u[l];
    }
}

static mb_status prepare(mb_arena *a, int32_t n, const double *A, int32_t k, eigen *g, mb_err *err)
{
    const size_t size = (size_t)n;
    double      *Z;

    MB_NEW(g->A, a, size * size, err);
    MB_NEW(g->e, a, 2 * size, err);
    g->q = g->e + size;
    MB_NEW(g->row, a, size, err);
    for (size_t r = 0; r < size; r++)
        for (size_t c = 0; c <= r; c++) {
            if (!isfinite(A[r * size + c]))
                MB_FAIL(err, MB_E_NUMERIC, "entry (%zu, %zu) of the matrix is %g", r + 1, c + 1,
                        A[r * size + c]);
            g->A[r * size + c] = g->A[c * size + r] = A[r * size + c];
        }
    if (!k)
        return MB_OK;
    MB_NEW(Z, a, size * size, err);
    for (size_t r = 0; r < size; r++) {
        g->row[r] = Z + r * size;
        g->row[r][r] = 1;
    }
    return MB_OK;
}

mb_status eigen_symmetric(mb_arena *a, int32_t n, const double *A, int32_t k, double *values,
                          double *V, mb_err *err)
{
    eigen g = {.n = n, .d = values};

    if (n < 1 || k < 0 || k > n)
        MB_FAIL(err, MB_E_ARG, "%d eigenvectors of a matrix of size %d", k, n);
    MB_TRY(prepare(a, n, A, k, &g, err));
    tridiagonalise(&g);
    if (!diagonalise(&g))
        MB_FAIL(err, MB_E_NUMERIC, "the eigenvalues do not converge");
    arrange(&g);
    for (int32_t j = 0; j < k; j++) {
        double *v = V + (size_t)j * (size_t)n;

        memcpy(v, g.row[j], (size_t)n * sizeof *v);
        transform_back(&g, v);
        eigen_orient(n, v);
    }
    return MB_OK;
}
