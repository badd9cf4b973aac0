/* Mean, standard deviation and covariance of the columns of rows, and common units. */
#include "start/moments.h"
#include "base/gaps.h"
#include "base/rows.h"
#include "base/within.h"
#include "num/num.h"
#include "start/start.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* 0: a small node does without what is only faster. */
#ifdef MB_KERNELS_PLAIN
enum { SEVERAL = 0 };
#else
enum { SEVERAL = 1 };
#endif

/* As fmax, but in line. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void widen(int32_t D, const double *restrict row, double *restrict ends)
{
    for (int32_t d = 0; d < D; d++) {
        ends[d] = larger(ends[d], -row[d]);
        ends[D + d] = larger(ends[D + d], row[d]);
    }
}

/* Any row. */
static mb_status widen_over_gaps(const mb_rows *rows, int32_t gid, int64_t j, double *ends,
                                 mb_err *err)
{
    for (int32_t d = 0; d < rows->d; d++) {
        const double x = mb_rows_at(rows, j, d);
        if (!isfinite(x) && MB_GAPS_(rows->gaps) && isnan(x))
            continue;
        if (!isfinite(x))
            MB_FAIL(err, MB_E_NUMERIC, "node %d, row %lld, column %d: %g is not a finite number",
                    gid, (long long)j, d, x);
        ends[d] = larger(ends[d], -x);
        ends[rows->d + d] = larger(ends[rows->d + d], x);
    }
    return MB_OK;
}

mb_status mb_column_ends_(const mb_rows *rows, int32_t D, int32_t gid, double *z, double *ends,
                          mb_err *err)
{
    if (rows->n > 0 && rows->d != D)
        MB_FAIL(err, MB_E_SHAPE, "node %d has %d columns, not %d", gid, rows->d, D);
    for (int32_t l = 0; l < 2 * D; l++)
        ends[l] = -HUGE_VAL;
    for (int64_t j = 0; j < rows->n; j++) {
        const double *row = SEVERAL ? mb_rows_row(rows, j, z) : NULL;
        if (row && mb_within_(row, (size_t)D, DBL_MAX))
            widen(D, row, ends);
        else
            MB_TRY(widen_over_gaps(rows, gid, j, ends, err));
    }
    return MB_OK;
}

/* Power of two nearest in the logarithm to m 2^e with m in [1/2, 1). The exponent is bounded so that
 * its inverse is finite too. */
static double nearest_power(double m, int e)
{
    if (m < 0.70710678118654752)
        e--;
    return ldexp(1.0, e < DBL_MIN_EXP - 1 ? DBL_MIN_EXP - 1 : e);
}

/* Nearest to (hi - lo)/4. The halves keep the difference finite. */
static double quarter(double lo, double hi)
{
    int          e;
    const double range = hi - lo;
    const double m = isfinite(range) ? frexp(range, &e) : frexp(hi / 2 - lo / 2, &e);
    return nearest_power(m, e - (isfinite(range) ? 2 : 1));
}

mb_status mb_ranges_(const double *ends, mb_row_moments *out, mb_err *err)
{
    for (int32_t d = 0; d < out->d; d++)
        if (!isfinite(ends[d]))
            MB_FAIL(err, MB_E_ARG,
                    d ? "column %d has no value in any row: nothing to scale"
                      : "no node has rows: nothing to scale",
                    d);
    for (int32_t d = 0; d < out->d; d++) {
        const double lo = -ends[d], hi = ends[out->d + d];
        out->constant[d] = (uint8_t) !(hi > lo);
        out->middle[d] = out->constant[d] ? hi : lo / 2 + hi / 2; /* lo + hi may overflow */
        out->spread[d] = out->constant[d] ? 1.0 : quarter(lo, hi);
    }
    return MB_OK;
}

/* Row j in units of the range: at most about 3, exactly 0 in constant columns, NaN at gaps. */
static void in_range(const mb_row_moments *m, const mb_rows *rows, int64_t j, double *z)
{
    const double *row = mb_rows_fetch(rows, j, z);
    for (int32_t d = 0; d < m->d; d++)
        z[d] = (mb_rows_in(row, rows, j, d) - m->middle[d]) / m->spread[d];
}

size_t mb_first_len_(int32_t D, int32_t gaps)
{
    return 1 + (gaps ? 2 : 1) * (size_t)D;
}

size_t mb_second_len_(int32_t D, int32_t with_cov, int32_t gaps)
{
    const size_t d = (size_t)D, pairs = d * (d + 1) / 2;
    return with_cov ? (gaps ? 2 : 1) * pairs : d;
}

/* mb_add_first_ of a row with gaps. */
static void add_filled(int32_t D, double w, const double *z, double *sum)
{
    sum[0] += w;
    for (int32_t d = 0; d < D; d++)
        if (!isnan(z[d])) {
            sum[1 + d] += w * z[d];
            sum[1 + D + d] += w;
        }
}

/* Rows without gaps are added TOGETHER by TOGETHER while they have up to NARROW columns, so that sums
 * are loaded and stored less often. Each sum gets the rows in their order all the same. */
enum { TOGETHER = 4, NARROW = 256 };
typedef struct several {
    double w[TOGETHER], z[TOGETHER][NARROW];
} several;

/* The next rows from row j on, in units of the range, less `less`. 0: they are to be added one by
 * one. */
static int take_several(const mb_row_moments *m, const mb_rows *rows, int64_t j,
                        const double *inverse, const double *less, several *out)
{
    if (MB_GAPS_(m->filled != NULL) || m->d > NARROW || rows->n - j < TOGETHER)
        return 0;
    for (int r = 0; r < TOGETHER; r++) {
        double *restrict z = out->z[r];
        const double *row = mb_rows_row(rows, j + r, z);
        out->w[r] = rows->w ? rows->w[j + r] : 1;
        for (int32_t d = 0; d < m->d; d++)
            z[d] = (row[d] - m->middle[d]) * inverse[d];
        for (int32_t d = 0; less && d < m->d; d++)
            z[d] -= less[d];
    }
    return 1;
}

/* 1/spread, which is a power of two. */
static void invert(const mb_row_moments *m, double inverse[NARROW])
{
    for (int32_t d = 0; d < m->d && d < NARROW; d++)
        inverse[d] = 1 / m->spread[d];
}

static void add_several_first(int32_t D, const several *s, double *restrict sum)
{
    sum[0] = sum[0] + s->w[0] + s->w[1] + s->w[2] + s->w[3];
    for (int32_t d = 0; d < D; d++)
        sum[1 + d] = sum[1 + d] + s->w[0] * s->z[0][d] + s->w[1] * s->z[1][d] +
                     s->w[2] * s->z[2][d] + s->w[3] * s->z[3][d];
}

void mb_add_first_(const mb_row_moments *m, const mb_rows *rows, double *z, double *sum)
{
    double  inverse[NARROW];
    several some;
    if (SEVERAL)
        invert(m, inverse);
    for (int64_t j = 0; j < rows->n; j++) {
        const double w = rows->w ? rows->w[j] : 1;
        if (SEVERAL && take_several(m, rows, j, inverse, NULL, &some)) {
            add_several_first(m->d, &some, sum);
            j += TOGETHER - 1;
            continue;
        }
        in_range(m, rows, j, z);
        if (MB_GAPS_(m->filled != NULL)) {
            add_filled(m->d, w, z, sum);
            continue;
        }
        sum[0] += w;
        for (int32_t d = 0; d < m->d; d++)
            sum[1 + d] += w * z[d];
    }
}

/* mb_add_second_ of a row with gaps: what both columns have, and its weight. */
static void add_both(const mb_row_moments *m, double w, const double *z, double *sum)
{
    const size_t pairs = mb_second_len_(m->d, 1, 0);
    double      *row = sum;
    for (int32_t d = 0; !m->cov && d < m->d; d++)
        sum[d] += isnan(z[d]) ? 0 : w * z[d] * z[d];
    for (int32_t d = 0; m->cov && d < m->d; row += ++d)
        for (int32_t c = 0; c <= d; c++) {
            const double both = w * z[d] * z[c];
            row[c] += isnan(both) ? 0 : both;
            row[pairs + (size_t)c] += isnan(both) ? 0 : w;
        }
}

static void add_several_second(const mb_row_moments *m, const several *s, double *restrict sum)
{
    for (int32_t d = 0; d < m->d; d++) {
        const double a = s->w[0] * s->z[0][d], b = s->w[1] * s->z[1][d];
        const double c = s->w[2] * s->z[2][d], e = s->w[3] * s->z[3][d];
        if (!m->cov)
            sum[d] = sum[d] + a * s->z[0][d] + b * s->z[1][d] + c * s->z[2][d] + e * s->z[3][d];
        for (int32_t k = 0; m->cov && k <= d; k++)
            sum[k] = sum[k] + a * s->z[0][k] + b * s->z[1][k] + c * s->z[2][k] + e * s->z[3][k];
        sum += m->cov ? d + 1 : 0;
    }
}

/* Of many columns products are added in tiles of MB_TILE_ by MB_TILE_ columns, whose sums are in
 * registers for `n` rows. Each sum gets the rows in their order all the same. */
enum { TILE = MB_TILE_, ROOM = 1 << 13, MOST = 32 };
typedef struct panels {
    int64_t n;
    double  z[ROOM], w[MOST], wz[MOST * TILE]; /* z: TILE columns, row by row, then the next ones */
} panels;

/* Rows of panels; 0: too many columns, or so few that tiles do not pay. */
static int64_t rows_of_panels(const mb_row_moments *m)
{
    const int32_t columns = (m->d + TILE - 1) / TILE * TILE;
    if (!SEVERAL || !MB_TILES_ || !m->cov || MB_GAPS_(m->filled != NULL) || m->d < MB_TILES_FROM_)
        return 0;
    return ROOM / columns < MOST ? ROOM / columns : MOST;
}

/* The next rows from row j on, in units of the range, less the mean; 0 after the last column. */
static void fill_panels(const mb_row_moments *m, const mb_rows *rows, int64_t j, const double *mean,
                        double *z, panels *p)
{
    for (int64_t l = 0; l < p->n; l++) {
        const double *row = mb_rows_row(rows, j + l, z);
        double *restrict to = p->z + l * TILE;
        p->w[l] = rows->w ? rows->w[j + l] : 1;
        for (int32_t c = 0; c < m->d; c += TILE, to += p->n * TILE) {
            const int32_t some = m->d - c < TILE ? m->d - c : TILE;
            for (int32_t v = 0; v < some; v++)
                to[v] = (row[c + v] - m->middle[c + v]) / m->spread[c + v] - mean[c + v];
            for (int32_t v = some; v < TILE; v++)
                to[v] = 0;
        }
    }
}

/* sum += what rows d .. d + TILE - 1 of the triangle have from the panel of columns c on. */
static void add_tile(const mb_row_moments *m, const panels *p, int32_t d, int32_t c, double *sum)
{
    const int32_t rows = m->d - d < TILE ? m->d - d : TILE;
    const double *left[TILE];
    double        S[TILE * TILE] = {0};
    size_t        bytes[TILE];
    for (int32_t u = 0; u < TILE; u++) {
        left[u] = p->wz + u;
        bytes[u] = (size_t)(d + u - c < TILE ? d + u - c + 1 : TILE) * sizeof *S;
    }
    for (int32_t u = 0; u < rows; u++)
        memcpy(S + u * TILE, sum + mb_packed_at_(d + u, c), bytes[u]);
    mb_tile_add_((int32_t)p->n, left, TILE, p->z + c * p->n, TILE, S);
    for (int32_t u = 0; u < rows; u++)
        memcpy(sum + mb_packed_at_(d + u, c), S + u * TILE, bytes[u]);
}

static void add_panels(const mb_row_moments *m, panels *p, double *sum)
{
    for (int32_t d = 0; d < m->d; d += TILE) {
        for (int64_t l = 0; l < p->n * TILE; l++)
            p->wz[l] = p->w[l / TILE] * p->z[d * p->n + l];
        for (int32_t c = 0; c <= d; c += TILE)
            add_tile(m, p, d, c, sum);
    }
}

/* Row by row, some together where that is faster, from row j on. */
static void add_second(const mb_row_moments *m, const mb_rows *rows, int64_t j, const double *mean,
                       double *z, double *sum)
{
    double  inverse[NARROW];
    several some;
    if (SEVERAL)
        invert(m, inverse);
    for (; j < rows->n; j++) {
        const double w = rows->w ? rows->w[j] : 1;
        double      *row = sum;
        if (SEVERAL && take_several(m, rows, j, inverse, mean, &some)) {
            add_several_second(m, &some, sum);
            j += TOGETHER - 1;
            continue;
        }
        in_range(m, rows, j, z);
        for (int32_t d = 0; d < m->d; d++)
            z[d] -= mean[d];
        if (MB_GAPS_(m->filled != NULL)) {
            add_both(m, w, z, sum);
            continue;
        }
        for (int32_t d = 0; !m->cov && d < m->d; d++)
            sum[d] += w * z[d] * z[d];
        for (int32_t d = 0; m->cov && d < m->d; row += ++d) {
            const double wz = w * z[d];
            for (int32_t c = 0; c <= d; c++)
                row[c] += wz * z[c];
        }
    }
}

void mb_add_second_(const mb_row_moments *m, const mb_rows *rows, const double *mean, double *z,
                    double *sum)
{
    const int64_t most = rows_of_panels(m);
    int64_t       j = 0;
    if (most >= TILE && rows->n >= TILE) {
        panels p;
        for (; j < rows->n; j += p.n) {
            p.n = rows->n - j < most ? rows->n - j : most;
            fill_panels(m, rows, j, mean, z, &p);
            add_panels(m, &p, sum);
        }
    }
    add_second(m, rows, j, mean, z, sum);
}

void mb_first_moments_(const double *sum, mb_row_moments *out, double *mean)
{
    out->weight = sum[0];
    for (int32_t d = 0; d < out->d; d++) {
        const double weight = MB_GAPS_(out->filled != NULL) ? sum[1 + out->d + d] : sum[0];
        if (MB_GAPS_(out->filled != NULL))
            out->filled[d] = weight;
        mean[d] = weight > 0 ? sum[1 + d] / weight : 0;
        out->mean[d] = out->middle[d] + out->spread[d] * mean[d];
    }
}

/* What a sum of squares of this weight is divided by. */
static double divisor_of(double weight)
{
    return weight > 1 ? weight - 1 : weight > 0 ? weight : 1;
}

void mb_second_moments_(const double *sum, mb_row_moments *out)
{
    const size_t D = (size_t)out->d, pairs = D * (D + 1) / 2;
    const double all = divisor_of(out->weight);
    for (size_t d = 0; d < D; d++) {
        const double *row = sum + d * (d + 1) / 2;
        const double  own = MB_GAPS_(out->filled != NULL) ? divisor_of(out->filled[d]) : all;
        out->sd[d] = out->spread[d] * sqrt((out->cov ? row[d] : sum[d]) / own);
        for (size_t c = 0; out->cov && c <= d; c++) {
            const double both = MB_GAPS_(out->filled != NULL) ? divisor_of(row[pairs + c]) : all;
            out->cov[d * D + c] = out->cov[c * D + d] =
                row[c] / both * out->spread[d] * out->spread[c];
        }
    }
}

mb_status mb_moments_new_(mb_arena *a, int32_t D, int32_t with_cov, int32_t gaps,
                          mb_row_moments *out, mb_err *err)
{
    *out = (mb_row_moments){.d = D};
    MB_NEW(out->mean, a, D, err);
    MB_NEW(out->sd, a, D, err);
    MB_NEW(out->middle, a, D, err);
    MB_NEW(out->spread, a, D, err);
    MB_NEW(out->constant, a, D, err);
    if (with_cov)
        MB_NEW(out->cov, a, (size_t)D * (size_t)D, err);
    if (gaps)
        MB_NEW(out->filled, a, D, err);
    return MB_OK;
}

mb_status mb_moments_of_(mb_arena *a, mb_arena *scratch_arena, const mb_rows *rows,
                         int32_t with_cov, mb_row_moments *out, mb_err *err)
{
    const size_t D = (size_t)rows->d, first = mb_first_len_(rows->d, rows->gaps);
    double      *ends, *mean, *z, *sum;
    MB_TRY(mb_moments_new_(a, rows->d, with_cov, rows->gaps, out, err));
    MB_NEW(ends, scratch_arena, 2 * D, err);
    MB_NEW(mean, scratch_arena, D, err);
    MB_NEW(z, scratch_arena, D, err);
    MB_NEW(sum, scratch_arena, first + mb_second_len_(rows->d, 1, rows->gaps), err);
    MB_TRY(mb_column_ends_(rows, rows->d, 0, z, ends, err));
    MB_TRY(mb_ranges_(ends, out, err));
    mb_add_first_(out, rows, z, sum);
    mb_first_moments_(sum, out, mean);
    mb_add_second_(out, rows, mean, z, sum + first);
    mb_second_moments_(sum + first, out);
    return MB_OK;
}

void mb_common_units(const mb_row_moments *seen, double *origin, double *scale)
{
    enum { PARTS = 64 };
    for (int32_t d = 0; d < seen->d; d++) {
        int          e;
        const double rounding = PARTS * DBL_EPSILON * seen->spread[d]; /* all values were one */
        const double m =
            frexp(isfinite(seen->sd[d]) && seen->sd[d] > rounding ? seen->sd[d] : 0, &e);
        double steps;
        scale[d] = m > 0 ? nearest_power(m, e) : seen->spread[d];
        steps = seen->mean[d] / scale[d] * PARTS;
        origin[d] = seen->constant[d] || !(fabs(steps) < 1 / DBL_EPSILON)
                        ? seen->mean[d]
                        : nearbyint(steps) / PARTS * scale[d];
    }
}
