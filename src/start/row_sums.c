/* row_sums.c - moments of many rows in one pass, in blocks that are joined in their order. */
#include "start/row_sums.h"
#include "base/rows.h"
#include "transport/share.h"

#include <math.h>
#include <string.h>

/* WIDE: columns at most. NUMBERS: of a block, 256 KB, where rows are not so wide that joining a
 * block would take as long as its sums: it has LEAST rows. FIRST: rows whose mean is its origin. */
enum { WIDE = 256, NUMBERS = 1 << 15, LEAST = 512, FIRST = 8 };

int mb_row_sums_serve_(const mb_rows *rows)
{
    return rows->n + rows->remote_rows > MB_MANY_ROWS_ && !rows->w && !rows->gaps &&
           rows->d <= WIDE;
}

mb_status mb_row_sums_new_(mb_arena *a, const mb_rows *rows, int32_t products, mb_row_sums *out,
                           mb_err *err)
{
    const size_t  D = (size_t)rows->d;
    const int64_t some = NUMBERS / rows->d;

    *out = (mb_row_sums){.n = rows->n, .d = rows->d, .products = products};
    out->piece = mb_cut_of_(rows->n + rows->remote_rows, rows->d).slice;
    out->block = some < LEAST ? LEAST : some;
    out->count = (int32_t)((rows->n + out->piece - 1) / out->piece);
    out->len = products ? D * (D + 1) / 2 : D;
    MB_NEW(out->ends, a, 2 * D, err);
    MB_NEW(out->weight, a, (size_t)out->count + 1, err);
    MB_NEW(out->base, a, (size_t)out->count * D + 1, err);
    MB_NEW(out->mean, a, (size_t)out->count * D + 1, err);
    MB_NEW(out->square, a, (size_t)out->count * out->len + 1, err);
    MB_NEW(out->shift, a, D, err);
    for (size_t d = 0; d < 2 * D; d++)
        out->ends[d] = -HUGE_VAL;
    return MB_OK;
}

int32_t mb_row_sums_piece_(const mb_row_sums *s, int64_t from)
{
    return (int32_t)(from / s->piece);
}

int64_t mb_row_sums_end_(const mb_row_sums *s, int64_t from)
{
    int64_t end = (from / s->piece + 1) * s->piece;

    end = end < s->n ? end : s->n;
    return end - from < s->block ? end : from + s->block;
}

mb_status mb_block_sums_new_(mb_arena *a, const mb_row_sums *of, mb_block_sums_ *out, mb_err *err)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    const size_t      len = mb_scatter_len_(of->d);
    mb_scatter_      *s = &out->sums;

    mb_kernel_list_(kernel);
    *out = (mb_block_sums_){.kernel = kernel[0]};
    *s = (mb_scatter_){.D = of->d, .products = of->products, .len = len};
    MB_NEW(s->origin, a, len, err);
    MB_NEW(s->less, a, len, err);
    MB_NEW(s->more, a, len, err);
    MB_NEW(s->sum, a, len, err);
    MB_NEW(s->square, a, of->products ? len * (size_t)of->d : len, err);
    MB_NEW(s->room, a, MB_SCATTER_ROWS * len, err);
    MB_NEW(out->rows, a, MB_SCATTER_ROWS * (size_t)of->d, err);
    return MB_OK;
}

/* The mean of the first rows, the number of which is a power of two, so that the origin of a
 * constant column is its value. About the mean of m of n rows, sums of squares are at most 1 + n/m
 * times those about the mean of all: they lose log10(n/m) digits at most. */
static void begin(mb_scatter_ *s, int64_t n, const double *x)
{
    const size_t D = (size_t)s->D;

    for (size_t d = 0; d < D; d++) {
        double of[FIRST];

        s->origin[d] = x[d];
        for (size_t l = 0; n >= FIRST && l < FIRST; l++)
            of[l] = x[l * D + d];
        for (size_t half = FIRST / 2; n >= FIRST && half; half /= 2)
            for (size_t l = 0; l < half; l++)
                of[l] += of[l + half];
        if (n >= FIRST)
            s->origin[d] = of[0] / FIRST;
    }
    for (size_t d = 0; d < s->len; d++) {
        s->less[d] = s->more[d] = -HUGE_VAL;
        s->sum[d] = 0;
    }
    memset(s->square, 0, (s->products ? D : 1) * s->len * sizeof *s->square);
}

/* A NaN passes by the ends, but not by the sum. */
static int all_finite(const mb_scatter_ *s)
{
    int good = 1;

    for (int32_t d = 0; d < s->D; d++)
        good &= isfinite(s->sum[d]) && s->less[d] <= MB_VALUE_MAX && s->more[d] <= MB_VALUE_MAX;
    return good;
}

int mb_block_sums_make_(mb_block_sums_ *b, mb_rows_read_ read, void *self, int64_t from, int64_t to)
{
    b->n = to - from;
    for (int64_t j = from, some; j < to; j += some) {
        const double *x;

        some = to - j < MB_SCATTER_ROWS ? to - j : MB_SCATTER_ROWS;
        x = read(self, j, some, b->rows);
        if (j == from)
            begin(&b->sums, some, x);
        b->kernel->scatter(&b->sums, (int32_t)some, x);
    }
    return all_finite(&b->sums);
}

/* square (n) += those of the block about its mean (own: column d of that mean less the origin), and
 * those of the two means about that of both. */
static void join_squares(size_t n, const double *restrict of, double own, const double *sum,
                         double part, const double *restrict shift, double *restrict square)
{
    for (size_t c = 0; c < n; c++)
        square[c] += of[c] - own * sum[c] + part * shift[c];
}

void mb_row_sums_join_(mb_row_sums *s, int32_t piece, const mb_block_sums_ *b)
{
    const mb_scatter_ *of = &b->sums;
    const size_t       D = (size_t)s->d;
    const double       rows = (double)b->n, all = s->weight[piece] + rows;
    const double       part = rows * (s->weight[piece] / all);
    double            *base = s->base + (size_t)piece * D, *mean = s->mean + (size_t)piece * D;
    double            *square = s->square + (size_t)piece * s->len;

    if (!(s->weight[piece] > 0))
        memcpy(base, of->origin, D * sizeof *base);
    for (size_t d = 0; d < D; d++) {
        const double own = of->origin[d] - base[d] + of->sum[d] / rows;

        s->ends[d] = fmax(s->ends[d], of->less[d]);
        s->ends[D + d] = fmax(s->ends[D + d], of->more[d]);
        s->shift[d] = own - mean[d];
        mean[d] += s->shift[d] * (rows / all);
    }
    for (size_t d = 0; d < D; d++) {
        const size_t first = s->products ? 0 : d, n = s->products ? d + 1 : 1;

        join_squares(n, of->square + (s->products ? d * of->len : d), of->sum[d] / rows,
                     of->sum + first, part * s->shift[d], s->shift + first, square);
        square += n;
    }
    s->weight[piece] = all;
}

static const double *read_rows(void *self, int64_t j, int64_t n, double *room)
{
    const mb_rows *rows = self;

    if (!rows->stored && !rows->x32 && rows->ld == (size_t)rows->d)
        return rows->x + (size_t)j * rows->ld;
    mb_rows_take(rows, j, n, room);
    return room;
}

mb_status mb_row_sums_make_(mb_arena *a, const mb_rows *rows, int32_t products, mb_row_sums *out,
                            int *made, mb_err *err)
{
    mb_rows        own = *rows;
    mb_block_sums_ b;

    MB_TRY(mb_row_sums_new_(a, rows, products, out, err));
    MB_TRY(mb_block_sums_new_(a, out, &b, err));
    *made = 1;
    for (int64_t from = 0, to; from < rows->n && *made; from = to) {
        to = mb_row_sums_end_(out, from);
        *made = mb_block_sums_make_(&b, read_rows, &own, from, to);
        mb_row_sums_join_(out, mb_row_sums_piece_(out, from), &b);
    }
    return MB_OK;
}

/* Column d of a mean, in units of the range. */
static double in_range(const mb_row_sums *s, const mb_row_moments *m, int32_t piece, int32_t d)
{
    const size_t at = (size_t)piece * (size_t)s->d + (size_t)d;

    return (s->base[at] - m->middle[d] + s->mean[at]) / m->spread[d];
}

void mb_row_sums_first_(const mb_row_sums *s, const mb_row_moments *m, double *sum)
{
    for (int32_t p = 0; p < s->count; p++) {
        sum[0] += s->weight[p];
        for (int32_t d = 0; d < s->d; d++)
            sum[1 + d] += s->weight[p] * in_range(s, m, p, d);
    }
}

void mb_row_sums_second_(const mb_row_sums *s, const mb_row_moments *m, const double *mean,
                         double *z, double *sum)
{
    for (int32_t p = 0; p < s->count; p++) {
        const double *square = s->square + (size_t)p * s->len;
        double       *to = sum;

        for (int32_t d = 0; d < s->d; d++)
            z[d] = in_range(s, m, p, d) - mean[d];
        for (int32_t d = 0; d < s->d; d++) {
            const int32_t first = m->cov ? 0 : d, n = d + 1 - first;

            square += s->products ? d - (n - 1) : 0; /* the last product of a row is a square */
            for (int32_t c = 0; c < n; c++)
                to[c] += square[c] / m->spread[d] / m->spread[first + c] +
                         s->weight[p] * (z[d] * z[first + c]);
            square += n;
            to += n;
        }
    }
}
