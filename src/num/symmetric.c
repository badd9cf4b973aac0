/* symmetric.c - symmetric matrices: svec, whose 2-norm is the Frobenius norm, Cholesky factor and
 * triangular solves; row-major. */
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double SQRT2 = 1.41421356237309504880, SQRT_HALF = 0.70710678118654752440;

void mb_svec_(const double *A, int32_t n, double *v)
{
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < r; c++)
            *v++ = SQRT2 * A[(size_t)r * (size_t)n + c];
        *v++ = A[(size_t)r * (size_t)n + r];
    }
}

void mb_unsvec_(const double *v, int32_t n, double *A)
{
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < r; c++, v++)
            A[(size_t)r * (size_t)n + c] = A[(size_t)c * (size_t)n + r] = SQRT_HALF * *v;
        A[(size_t)r * (size_t)n + r] = *v++;
    }
}

enum { TILE = MB_TILE_ };

static inline double dot(const double *x, const double *y, int32_t n)
{
    double sum = 0;

    for (int32_t l = 0; l < n; l++)
        sum += x[l] * y[l];
    return sum;
}

enum { TOGETHER = 4 };

/* Entries 0 .. r - 1 of rows r .. r + TOGETHER - 1, whose quotients are independent. */
static inline void together(double *A, size_t n, size_t r)
{
    double *row = A + r * n;

    for (size_t c = 0; c < r; c++) {
        const double *above = A + c * n;
        double        sum[TOGETHER] = {0};

        for (size_t l = 0; l < c; l++)
            for (size_t u = 0; u < TOGETHER; u++)
                sum[u] += row[u * n + l] * above[l];
        for (size_t u = 0; u < TOGETHER; u++)
            row[u * n + c] = (row[u * n + c] - sum[u]) / above[c];
    }
}

/* Inlined with a constant n the loops unroll: small orders cost little more than their roots and
 * quotients. The order of operations is the same for every n. */
static inline int32_t factor(double *A, int32_t n)
{
    int32_t known = 0; /* entries of the row that are done */

    for (int32_t r = 0; r < n; r++) {
        double *row = A + (size_t)r * (size_t)n;
        double  pivot;

        if (r % TOGETHER == 0) {
            known = r + TOGETHER <= n ? r : 0;
            together(A, (size_t)n, (size_t)known);
        }
        for (int32_t c = known; c < r; c++) {
            const double *above = A + (size_t)c * (size_t)n;

            row[c] = (row[c] - dot(row, above, c)) / above[c];
        }
        pivot = row[r] - dot(row, row, r);
        if (!(pivot > 0) || !isfinite(pivot))
            return r + 1;
        row[r] = sqrt(pivot);
    }
    return 0;
}

/* Row r + u of a matrix with the row stride ld, or the last one, from the column on where A is. */
static void rows_from(const double *A, size_t ld, int32_t r, int32_t n, const double *out[TILE])
{
    for (int32_t u = 0; u < TILE; u++)
        out[u] = A + (size_t)(r + u < n ? r + u : n - 1) * ld;
}

/* Y (n x TILE, row stride ldy) := C^-1 Y, C lower with the row stride ldc. */
static void forward(const double *C, size_t ldc, int32_t n, double *Y, size_t ldy)
{
    for (int32_t r = 0; r < n; r += TILE) {
        const double *row[TILE];
        double        S[TILE * TILE] = {0};

        rows_from(C, ldc, r, n, row);
        mb_tile_add_(r, row, 1, Y, ldy, S);
        for (int32_t u = 0; u < TILE && r + u < n; u++) {
            double *y = Y + (size_t)(r + u) * ldy, *sum = S + u * TILE;

            for (int32_t l = r; l < r + u; l++)
                for (int32_t v = 0; v < TILE; v++)
                    sum[v] += row[u][l] * Y[(size_t)l * ldy + (size_t)v];
            for (int32_t v = 0; v < TILE; v++)
                y[v] = (y[v] - sum[v]) / row[u][r + u];
        }
    }
}

/* A matrix that is factored in place: rows r .. r + count - 1, columns `first` .. of the part at
 * hand, and T, their first `done` entries there, row by row side by side. */
typedef struct strip {
    double *A;
    size_t  n;
    int32_t first, r, count, done;
    double *T;
} strip;

static double *strip_at(const strip *s, int32_t u, int32_t column)
{
    return s->A + (size_t)(s->r + u) * s->n + column;
}

/* Entries left of the diagonal block. */
static void strip_forward(const strip *s)
{
    memset(s->T, 0, (size_t)s->done * TILE * sizeof *s->T);
    for (int32_t u = 0; u < s->count; u++)
        for (int32_t l = 0; l < s->done; l++)
            s->T[l * TILE + u] = strip_at(s, u, s->first)[l];
    forward(s->A + (size_t)s->first * (s->n + 1), s->n, s->done, s->T, TILE);
    for (int32_t u = 0; u < s->count; u++)
        for (int32_t l = 0; l < s->done; l++)
            strip_at(s, u, s->first)[l] = s->T[l * TILE + u];
}

/* The diagonal block; mb_chol_'s value. */
static int32_t strip_diagonal(const strip *s)
{
    const double *row[TILE];
    double        S[TILE * TILE] = {0};

    for (int32_t u = 0; u < TILE; u++)
        row[u] = s->T + u;
    mb_tile_add_(s->done, row, TILE, s->T, TILE, S);
    for (int32_t u = 0; u < s->count; u++) {
        double *x = strip_at(s, u, s->r);

        for (int32_t c = 0; c <= u; c++) {
            const double *above = strip_at(s, c, s->r);
            double        sum = S[u * TILE + c];

            for (int32_t l = 0; l < c; l++)
                sum += x[l] * above[l];
            x[c] -= sum;
            if (c < u)
                x[c] /= above[c];
        }
        if (!(x[u] > 0) || !isfinite(x[u]))
            return s->r + u + 1;
        x[u] = sqrt(x[u]);
    }
    return 0;
}

/* Entries right of a part that is done, less what it adds to their sums. */
static void strip_less(const strip *s)
{
    for (int32_t c = s->first + s->done; c <= s->r; c += TILE) {
        const double *row[TILE];
        double        S[TILE * TILE] = {0};

        rows_from(s->A + s->first, s->n, c, s->r + s->count, row);
        mb_tile_add_(s->done, row, 1, s->T, TILE, S);
        for (int32_t u = 0; u < s->count; u++)
            for (int32_t v = 0; v < TILE && c + v <= s->r + u; v++)
                strip_at(s, u, c)[v] -= S[v * TILE + u];
    }
}

static int32_t factor_tiles(double *A, int32_t n)
{
    double T[MB_TILED_ * TILE];

    for (int32_t first = 0; first < n; first += MB_TILED_)
        for (int32_t r = first; r < n; r += TILE) {
            const int32_t inside = r - first < MB_TILED_;
            const strip   s = {.A = A,
                               .n = (size_t)n,
                               .first = first,
                               .r = r,
                               .count = n - r < TILE ? n - r : TILE,
                               .done = inside ? r - first : MB_TILED_,
                               .T = T};
            int32_t       minor = 0;

            strip_forward(&s);
            if (inside)
                minor = strip_diagonal(&s);
            else
                strip_less(&s);
            if (minor)
                return minor;
        }
    return 0;
}

int32_t mb_chol_(double *A, int32_t n)
{
    if (MB_TILES_ && n >= MB_TILES_FROM_)
        return factor_tiles(A, n);
    switch (n) {
    case 2:
        return factor(A, 2);
    case 3:
        return factor(A, 3);
    case 4:
        return factor(A, 4);
    case 5:
        return factor(A, 5);
    default:
        return factor(A, n);
    }
}

int32_t mb_chol_packed_(const double *tril, int32_t n, double *C)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            C[(size_t)i * (size_t)n + (size_t)j] = j <= i ? *tril++ : 0;
    return mb_chol_(C, n);
}

void mb_dots_(const double *x, const double *const *y, int32_t n, double *out)
{
    double sum[MB_DOTS_] = {0};

    for (int32_t l = 0; l < n; l++)
        for (int32_t u = 0; u < MB_DOTS_; u++)
            sum[u] += x[l] * y[u][l];
    for (int32_t u = 0; u < MB_DOTS_; u++) {
        for (int32_t l = n; l < n + u; l++)
            sum[u] += x[l] * y[u][l];
        out[u] = sum[u];
    }
}

static const double *row_at(const double *C, size_t ld, int32_t i)
{
    return C + (ld ? (size_t)i * ld : mb_svec_len_(i));
}

/* Rows r .. of scale C C', the last ones first; T: room for n x TILE. */
static void square_strip(const double *C, size_t ld, int32_t r, int32_t count, double scale,
                         double *T, double *tril)
{
    const double *side[TILE], *corner[TILE], *row[TILE];

    memset(T, 0, (size_t)(r + TILE) * TILE * sizeof *T);
    for (int32_t u = 0; u < TILE; u++)
        side[u] = T + u;
    for (int32_t u = 0; u < count; u++)
        for (int32_t l = 0; l <= r + u; l++)
            T[l * TILE + u] = row_at(C, ld, r + u)[l];
    for (int32_t c = 0; c <= r; c += TILE) {
        double S[TILE * TILE] = {0}, W[TILE * TILE] = {0};

        for (int32_t v = 0; v < TILE; v++) {
            corner[v] = W + v;
            row[v] = row_at(C, ld, c + v < r + count ? c + v : c);
            for (int32_t l = 0; c < r && l <= v; l++)
                W[l * TILE + v] = row[v][c + l];
        }
        mb_tile_add_(c < r ? c : r + TILE, c < r ? row : side, c < r ? 1 : TILE, T, TILE, S);
        if (c < r)
            mb_tile_add_(TILE, corner, TILE, T + c * TILE, TILE, S);
        for (int32_t u = 0; u < count; u++)
            for (int32_t v = 0; v < TILE && c + v <= r + u; v++)
                tril[mb_packed_at_(r + u, c + v)] = scale * S[v * TILE + u];
    }
}

static void square_tiles(const double *C, size_t ld, int32_t n, double scale, double *tril)
{
    double T[(MB_TILED_ + TILE) * TILE];

    for (int32_t r = (n - 1) / TILE * TILE; r >= 0; r -= TILE)
        square_strip(C, ld, r, n - r < TILE ? n - r : TILE, scale, T, tril);
}

/* From the last entry to the first: those still needed change last. */
void mb_chol_square_(const double *C, size_t ld, int32_t n, double scale, double *tril)
{
    if (MB_TILES_ && n >= MB_TILES_FROM_ && n <= MB_TILED_) {
        square_tiles(C, ld, n, scale, tril);
        return;
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        const double *x = row_at(C, ld, i);
        double       *out = tril + mb_svec_len_(i), sum[MB_DOTS_];
        int32_t       j = i + 1;

        for (; MB_TILES_ && j >= MB_DOTS_; j -= MB_DOTS_) {
            const double *y[MB_DOTS_];

            for (int32_t u = 0; u < MB_DOTS_; u++)
                y[u] = row_at(C, ld, j - MB_DOTS_ + u);
            mb_dots_(x, y, j + 1 - MB_DOTS_, sum);
            for (int32_t u = 0; u < MB_DOTS_; u++)
                out[j - MB_DOTS_ + u] = scale * sum[u];
        }
        for (; j > 0; j--)
            out[j - 1] = scale * dot(x, row_at(C, ld, j - 1), j);
    }
}

void mb_chol_forward_(const double *C, int32_t n, double *y)
{
    for (int32_t r = 0; r < n; r++) {
        const double *row = C + (size_t)r * (size_t)n;

        y[r] = (y[r] - dot(row, y, r)) / row[r];
    }
}

void mb_chol_forward_lanes_(const double *C, size_t ldc, int32_t n, const double *restrict x,
                            size_t ld, double *restrict y, double *restrict square)
{
    for (size_t r = 0; r < (size_t)n; r++)
        memcpy(y + r * TILE, x + r * ld, TILE * sizeof *y);
    forward(C, ldc, n, y, TILE);
    for (size_t r = 0; r < (size_t)n; r++)
        for (size_t u = 0; u < TILE; u++)
            square[u] += y[r * TILE + u] * y[r * TILE + u];
}

void mb_chol_backward_(const double *C, int32_t n, double *y)
{
    for (int32_t r = n - 1; r >= 0; r--) {
        const double *row = C + (size_t)r * (size_t)n;

        y[r] /= row[r];
        for (int32_t c = 0; c < r; c++)
            y[c] -= row[c] * y[r];
    }
}

/* out -= sum_l by[l] from[l], l < TOGETHER, in the order of l; rows are 0 right of the diagonal. */
static inline void less(const double *by, const double *from, size_t n, int32_t count,
                        double *restrict out)
{
    const double *b = from + n, *c = b + n, *d = c + n;

    for (int32_t j = 0; j < count; j++)
        out[j] = (((out[j] - by[0] * from[j]) - by[1] * b[j]) - by[2] * c[j]) - by[3] * d[j];
}

/* TILE columns at a time, some of the last ones twice where n is no multiple of TILE. */
static void inverse_tiles(const double *C, int32_t n, double *Cinv)
{
    const size_t ld = (size_t)n;
    double       T[MB_TILED_ * TILE];

    for (int32_t at = 0; at < n; at += TILE) {
        const int32_t j = at + TILE <= n ? at : n - TILE, rows = n - j;
        double       *to = Cinv + (size_t)j * (ld + 1), *Y = rows > MB_TILED_ ? to : T;
        const size_t  ldy = rows > MB_TILED_ ? ld : TILE;

        for (int32_t l = 0; l < rows; l++)
            for (int32_t v = 0; v < TILE; v++)
                Y[(size_t)l * ldy + (size_t)v] = l == v;
        forward(C + (size_t)j * (ld + 1), ld, rows, Y, ldy);
        for (int32_t l = 0; Y == T && l < rows; l++)
            memcpy(to + (size_t)l * ld, T + l * TILE, TILE * sizeof *to);
    }
}

void mb_chol_inverse_(const double *C, int32_t n, double *Cinv)
{
    memset(Cinv, 0, (size_t)n * (size_t)n * sizeof *Cinv);
    if (MB_TILES_ && n >= MB_TILES_FROM_) {
        inverse_tiles(C, n, Cinv);
        return;
    }
    for (int32_t r = 0; r < n; r++) {
        const double *row = C + (size_t)r * (size_t)n;
        double       *out = Cinv + (size_t)r * (size_t)n;
        int32_t       l = 0;

        for (; l + TOGETHER <= r; l += TOGETHER)
            less(row + l, Cinv + (size_t)l * (size_t)n, (size_t)n, l + TOGETHER, out);
        for (; l < r; l++)
            for (int32_t c = 0; c <= l; c++)
                out[c] -= row[l] * Cinv[(size_t)l * (size_t)n + c];
        out[r] = 1;
        for (int32_t c = 0; c <= r; c++)
            out[c] /= row[r];
    }
}

mb_status mb_cholesky(int32_t n, const double *A, double *C, double *Cinv, mb_err *err)
{
    int32_t minor;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            C[i * n + j] = j <= i ? A[i * n + j] : 0;
    minor = mb_chol_(C, n);
    if (minor != 0)
        MB_FAIL(err, MB_E_DOMAIN,
                "the matrix is not positive definite (its leading %" PRId32 " x %" PRId32
                " part fails)",
                minor, minor);
    mb_chol_inverse_(C, n, Cinv);
    return MB_OK;
}
