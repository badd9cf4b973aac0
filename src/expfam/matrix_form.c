/* matrix_form.c - one number and one symmetric matrix: domain, moments, projection, moved columns. */
#include "expfam/matrix_form.h"
#include "num/num.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SQRT2 = 1.41421356237309504880;

/* A margin's eigenvalues: the largest order of M for which all are found, and what is taken from an
 * estimate of the smallest, relative to it. */
enum { ALL_EIGENVALUES = 32 };
static const double PART_BELOW = 1e-3;

size_t mb_mf_len_(int32_t dim)
{
    return 1 + mb_svec_len_(dim + 1);
}

size_t mb_mf_scratch_(int32_t dim)
{
    const size_t n = (size_t)dim + 1;

    return 2 * n * n + n;
}

int mb_mf_finite_(int32_t dim, const double *phi)
{
    for (size_t e = 0; e < mb_mf_len_(dim); e++)
        if (!isfinite(phi[e]))
            return 0;
    return 1;
}

void mb_mf_matrix_(int32_t dim, const double *phi, double *M)
{
    const size_t n = (size_t)dim + 1;

    mb_unsvec_(phi + 1, dim + 1, M);
    for (size_t e = 0; e < n * n; e++)
        M[e] *= -2;
}

/* A := M less s I. */
static void shifted(int32_t dim, const double *phi, double s, double *A)
{
    const size_t n = (size_t)dim + 1;

    mb_mf_matrix_(dim, phi, A);
    for (size_t i = 0; i < n; i++)
        A[i * n + i] -= s;
}

/* An entry that is not finite makes a pivot so: only phi[0] needs a test of its own. */
mb_status mb_mf_factor_(int32_t dim, const double *phi, double *L)
{
    const size_t  n = (size_t)dim + 1;
    const double *v = phi + 1;

    if (!isfinite(phi[0]))
        return MB_E_DOMAIN;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            L[i * n + j] = -SQRT2 * *v++;
        L[i * n + i] = -2 * *v++;
    }
    return mb_chol_(L, dim + 1) == 0 ? MB_OK : MB_E_DOMAIN;
}

enum { FOUR = 4 };

/* out[j] += sum_k g[k] from[k][i] from[k][j], j <= i, k < FOUR, from rows of m; in the order of k. */
static void add_four(const double *g, const double *from, size_t m, size_t i, double *restrict out)
{
    const double *b = from + m, *c = b + m, *d = c + m;
    const double  ga = g[0] * from[i], gb = g[1] * b[i], gc = g[2] * c[i], gd = g[3] * d[i];

    for (size_t j = 0; j <= i; j++)
        out[j] = (((out[j] + ga * from[j]) + gb * b[j]) + gc * c[j]) + gd * d[j];
}

/* Lower triangle of out := Linv' diag(g) Linv, some of the last rows twice where n is no multiple of
 * TILE. */
static void mean_tiles(int32_t n, const double *g, const double *Linv, double *out)
{
    enum { TILE = MB_TILE_ };
    const size_t  ld = (size_t)n;
    double        W[MB_TILED_ * TILE]; /* diag(g) times TILE columns of Linv */
    const double *column[TILE];

    for (int32_t u = 0; u < TILE; u++)
        column[u] = W + u;
    for (int32_t at = 0; at < n; at += TILE) {
        const int32_t i = at + TILE <= n ? at : n - TILE, rows = n - i;
        const double *from = Linv + (size_t)i * ld;

        for (int32_t k = 0; k < rows; k++)
            for (int32_t u = 0; u < TILE; u++)
                W[k * TILE + u] = g[i + k] * from[(size_t)k * ld + (size_t)(i + u)];
        for (int32_t next = 0; next < i + TILE; next += TILE) {
            const int32_t j = next < i ? next : i;
            double        S[TILE * TILE] = {0};

            mb_tile_add_(rows, column, TILE, from + j, ld, S);
            for (int32_t u = 0; u < TILE; u++)
                for (int32_t v = 0; v < TILE && j + v <= i + u; v++)
                    out[(size_t)(i + u) * ld + (size_t)(j + v)] = S[u * TILE + v];
        }
    }
}

void mb_mf_mean_(int32_t dim, double *scratch, double first, double others, double last, double *mu)
{
    const size_t n = (size_t)dim + 1;
    double      *L = scratch, *Linv = L + n * n, *g = Linv + n * n;

    for (size_t k = 0; k < n; k++)
        g[k] = k == 0 ? first : k + 1 < n ? others : last;
    mb_chol_inverse_(L, dim + 1, Linv);
    if (MB_TILES_ && n >= MB_TILES_FROM_ && n <= MB_TILED_) {
        mean_tiles(dim + 1, g, Linv, L);
        mb_svec_(L, dim + 1, mu + 1);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        double *restrict row = L + i * n;
        size_t k = i;

        memset(row, 0, (i + 1) * sizeof *row);
        for (; k + FOUR <= n; k += FOUR)
            add_four(g + k, Linv + k * n, n, i, row);
        for (; k < n; k++) {
            const double *restrict from = Linv + k * n;
            const double scale = g[k] * from[i];

            for (size_t j = 0; j <= i; j++)
                row[j] += scale * from[j];
        }
    }
    mb_svec_(L, dim + 1, mu + 1);
}

/* M := V max(lambda, low) V' when an eigenvalue is below eps. `low` is eps plus the rounding of
 * the eigenvalues, so that the result passes the test of mb_mf_project_. */
static mb_status clip(size_t n, double eps, double *M, double *scratch, int *moved)
{
    double *V = scratch, *lambda = scratch + n * n, low;

    MB_TRY(mb_eig_sym_(M, (int32_t)n, lambda, V));
    low = eps + 8 * (double)n * DBL_EPSILON * fmax(fabs(lambda[0]), fabs(lambda[n - 1]));
    *moved = lambda[0] < low;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += V[i * n + k] * fmax(lambda[k], low) * V[j * n + k];
            M[i * n + j] = sum;
        }
    return MB_OK;
}

/* Nearest in the svec norm: the number and the eigenvalues of M are clipped separately. */
mb_status mb_mf_project_(int32_t dim, double low, double eps, double *phi, double *dist2,
                         double *scratch)
{
    const size_t n = (size_t)dim + 1;
    double      *M = scratch, *v = scratch + n * n, before;
    int          moved = 0;

    *dist2 = 0;
    if (!mb_mf_finite_(dim, phi))
        return MB_E_NUMERIC;
    shifted(dim, phi, eps, M);
    if (mb_chol_(M, dim + 1) != 0) {
        mb_mf_matrix_(dim, phi, M);
        MB_TRY(clip(n, eps, M, v, &moved));
    }
    if (phi[0] < low) {
        *dist2 += (low - phi[0]) * (low - phi[0]);
        phi[0] = low;
    }
    if (!moved)
        return MB_OK;
    mb_svec_(M, dim + 1, v);
    for (size_t e = 1; e < mb_mf_len_(dim); e++) {
        before = phi[e];
        phi[e] = -0.5 * v[e - 1];
        *dist2 += (phi[e] - before) * (phi[e] - before);
    }
    return MB_OK;
}

/* eps by all eigenvalues: of few columns, and where M is singular up to rounding. */
static mb_status margin_of_all(int32_t dim, const double *prior, double *eps, double *scratch)
{
    const size_t n = (size_t)dim + 1;
    double      *M = scratch, *lambda = scratch + n * n;

    mb_mf_matrix_(dim, prior, M);
    MB_TRY(mb_eig_sym_(M, dim + 1, lambda, NULL));
    /* Rounding may make the smallest eigenvalue negative. */
    *eps = MB_MF_MARGIN * fmax(lambda[0], DBL_EPSILON * lambda[n - 1]);
    return MB_OK;
}

/* Inverse iteration gives a number that the smallest eigenvalue is at most. A smaller number is at
 * most the smallest eigenvalue if M less that times I has a Cholesky factor, up to rounding, which
 * for nearly singular M may be some per cent of it. Not finite: its iteration has overflown. */
mb_status mb_mf_margin_(int32_t dim, const double *prior, double *eps, double *scratch)
{
    const size_t n = (size_t)dim + 1;
    double      *L = scratch, *A = L + n * n, low, size = 0;

    if (n <= ALL_EIGENVALUES)
        return margin_of_all(dim, prior, eps, scratch);
    MB_TRY(mb_mf_factor_(dim, prior, L));
    low = mb_eig_least_(L, dim + 1, A);
    for (size_t e = 1; e < mb_mf_len_(dim); e++)
        size += prior[e] * prior[e];
    size = 2 * sqrt(size); /* Frobenius norm of M */
    for (low *= 1 - PART_BELOW; isfinite(low) && low > 16 * (double)n * DBL_EPSILON * size;
         low *= 0.75) {
        shifted(dim, prior, low, A);
        if (mb_chol_(A, dim + 1) == 0) {
            *eps = MB_MF_MARGIN * low;
            return MB_OK;
        }
    }
    return margin_of_all(dim, prior, eps, scratch);
}

static size_t row_of(size_t ld, size_t i)
{
    return ld ? i * ld : i * (i + 1) / 2;
}

/* From the last entry to the first: those still needed, the first column and the corner, change
 * last. */
void mb_mf_move_(int32_t columns, size_t ld, const double *origin, const double *scale, double *M)
{
    for (size_t i = (size_t)columns; i > 0; i--)
        for (size_t j = i; j > 0; j--) {
            double      *ri = M + row_of(ld, i), *rj = M + row_of(ld, j);
            const double right = origin[j - 1] * ri[0] + scale[j - 1] * ri[j];
            const double corner = origin[j - 1] * M[0] + scale[j - 1] * rj[0];

            ri[j] = origin[i - 1] * corner + scale[i - 1] * right;
        }
    for (size_t i = 1; i <= (size_t)columns; i++) {
        double *ri = M + row_of(ld, i);

        ri[0] = origin[i - 1] * M[0] + scale[i - 1] * ri[0];
    }
}

void mb_mf_scale_(int32_t n, const double *scale, double *tril)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++)
            *tril++ *= scale[i] * scale[j];
}
