/* lines.c - initial lines of a mixture of regressions, from a few rows that all nodes know: each
 * line first through as many random rows as it has coefficients, then moved as k-means moves
 * centres (docs/math.md, section 33). */
#include "start/lines.h"
#include "num/num.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

enum { STEPS = 20 /* of a row to its nearest line, and lines through their rows */ };
/* Lines of few rows are too near to them: they take the place of centres where their sum of squares
 * is below this share of that of the clusters' lines (docs/adr, 103). */
static const double CLEARLY = 0.6;

/* What the tries share; rows (n x d) are in run units, a line has d numbers, of which p are used. */
typedef struct search {
    int32_t       K, d, p;
    int64_t       n;
    const double *rows;
    double       *line;  /* K x d                                                     */
    int32_t      *label; /* n: the nearest line                                       */
    double       *A;     /* (p + 1) x (p + 1): sums of z z', z = (x, y), then factored */
    double       *z;     /* p + 1                                                     */
} search;

/* y - w'x of a row of d columns, in run units. */
static double residual(int32_t d, int32_t p, const double *line, const double *row)
{
    const int32_t one = p - (d - 1);
    double        left = row[d - 1] - (one ? line[0] : 0);

    for (int32_t i = 0; i < d - 1; i++)
        left -= line[one + i] * row[i];
    return left;
}

/* The nearest line, the first of equals; *least: its squared distance. */
static int32_t nearest(int32_t K, int32_t d, int32_t p, const double *line, const double *row,
                       double *least)
{
    int32_t best = 0;

    *least = HUGE_VAL;
    for (int32_t k = 0; k < K; k++) {
        const double left = residual(d, p, line + (size_t)k * (size_t)d, row);

        if (left * left < *least) {
            *least = left * left;
            best = k;
        }
    }
    return best;
}

/* A := no rows, but so much of the diagonal that any few rows have a line. */
static void empty(const search *s)
{
    const size_t m = (size_t)s->p + 1;

    memset(s->A, 0, m * m * sizeof *s->A);
    for (size_t i = 0; i < m; i++)
        s->A[i * (m + 1)] = 1e-9;
}

static void add(const search *s, int64_t j)
{
    const size_t  m = (size_t)s->p + 1;
    const double *row = s->rows + (size_t)j * (size_t)s->d;

    s->z[0] = 1;
    memcpy(s->z + s->p - (s->d - 1), row, (size_t)s->d * sizeof *row);
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l <= i; l++)
            s->A[i * m + l] += s->z[i] * s->z[l];
}

/* Line k := the least squares of the rows in A; it stays where these have none. */
static void set_line(const search *s, int32_t k)
{
    const size_t m = (size_t)s->p + 1;
    double      *line = s->line + (size_t)k * (size_t)s->d;

    if (mb_chol_(s->A, (int32_t)m) != 0)
        return;
    for (size_t i = m - 1; i-- > 0;) { /* L' w = the last row of L */
        double sum = s->A[(m - 1) * m + i];

        for (size_t l = i + 1; l + 1 < m; l++)
            sum -= s->A[l * m + i] * line[l];
        line[i] = sum / s->A[i * m + i];
    }
}

/* Each line through p rows; two lines may have one in common. */
static void elemental(const search *s, mb_rng *rng)
{
    for (int32_t k = 0; k < s->K; k++) {
        empty(s);
        for (int32_t i = 0; i < s->p; i++)
            add(s, (int64_t)(mb_rng_uniform(rng) * (double)s->n));
        set_line(s, k);
    }
}

/* Sum of squares of the rows about their nearest lines; *moved: 1 if one has another now. */
static double assign(const search *s, int *moved)
{
    double sum = 0;

    *moved = 0;
    for (int64_t j = 0; j < s->n; j++) {
        double        least;
        const int32_t k =
            nearest(s->K, s->d, s->p, s->line, s->rows + (size_t)j * (size_t)s->d, &least);

        *moved |= k != s->label[j];
        s->label[j] = k;
        sum += least;
    }
    return sum;
}

static void move(const search *s)
{
    for (int32_t k = 0; k < s->K; k++) {
        int64_t n = 0;

        empty(s);
        for (int64_t j = 0; j < s->n; j++)
            if (s->label[j] == k) {
                add(s, j);
                n++;
            }
        if (n >= s->p)
            set_line(s, k);
    }
}

/* The rows go to their nearest lines and the lines to their rows, until none moves. */
static double settle(const search *s)
{
    int    moved;
    double sum = assign(s, &moved);

    for (int step = 0; step < STEPS && moved; step++) {
        move(s);
        sum = assign(s, &moved);
    }
    return sum;
}

static void forget(const search *s)
{
    memset(s->line, 0, (size_t)s->K * (size_t)s->d * sizeof *s->line);
    for (int64_t j = 0; j < s->n; j++)
        s->label[j] = -1;
}

/* Into lines, if one of the tries is better than `best`, which is then its sum. */
static int search_lines(const search *s, int32_t tries, mb_rng *rng, double *best, double *lines)
{
    int found = 0;

    for (int32_t t = 0; t < tries; t++) {
        double sum;

        forget(s);
        elemental(s, rng);
        sum = settle(s);
        if (!(sum < *best))
            continue;
        *best = sum;
        found = 1;
        memcpy(lines, s->line, (size_t)s->K * (size_t)s->d * sizeof *lines);
    }
    return found;
}

static mb_status begin(mb_arena *a, int32_t K, int32_t intercept, const mb_units *run,
                       const mb_rows *sample, search *s, mb_err *err)
{
    const int32_t d = sample->d, p = d - 1 + intercept;
    const size_t  m = (size_t)p + 1;
    double       *rows;

    *s = (search){.K = K, .d = d, .p = p, .n = sample->n};
    MB_NEW(rows, a, (size_t)s->n * (size_t)d, err);
    MB_NEW(s->line, a, (size_t)K * (size_t)d, err);
    MB_NEW(s->label, a, s->n, err);
    MB_NEW(s->A, a, m * m, err);
    MB_NEW(s->z, a, m, err);
    for (int64_t j = 0; j < s->n; j++)
        for (int32_t i = 0; i < d; i++)
            rows[j * d + i] = (mb_rows_at(sample, j, i) - run->origin[i]) / run->scale[i];
    s->rows = rows;
    return MB_OK;
}

mb_status mb_lines_from_(mb_arena *a, int32_t K, int32_t intercept, const mb_units *run,
                         const mb_rows *sample, int32_t tries, mb_rng *rng, double *lines,
                         mb_err *err)
{
    double best = HUGE_VAL;
    search s;

    MB_TRY(begin(a, K, intercept, run, sample, &s, err));
    memset(lines, 0, (size_t)K * (size_t)s.d * sizeof *lines);
    search_lines(&s, tries, rng, &best, lines);
    return MB_OK;
}

/* Up to MB_LINES_ROWS_ rows that weigh something, spread over all of them. */
static mb_status spread(mb_arena *a, const mb_rows *rows, mb_rows *out, mb_err *err)
{
    const int64_t step = (rows->n - 1) / MB_LINES_ROWS_ + 1;
    double       *x;

    *out = (mb_rows){.d = rows->d, .ld = (size_t)rows->d};
    MB_NEW(x, a, MB_LINES_ROWS_ * out->ld, err);
    out->x = x;
    for (int64_t j = 0; j < rows->n; j += step) {
        if (rows->w && !(rows->w[j] > 0))
            continue;
        for (int32_t i = 0; i < rows->d; i++)
            *x++ = mb_rows_at(rows, j, i);
        out->n++;
    }
    return MB_OK;
}

size_t mb_lines_bytes_(const mb_sizes *s, int32_t d)
{
    const size_t p = (size_t)d + 2, K = (size_t)s->K;

    return 8 * (MB_LINES_ROWS_ * (2 * (size_t)d + K + 1) + K * (size_t)d + p * p + p) + 64 * 8;
}

mb_status mb_lines_start_(mb_arena *a, const mb_sizes *s, const mb_units *run, const mb_rows *rows,
                          uint64_t seed, double *start, int *lines, mb_err *err)
{
    mb_rng  rng = mb_rng_at(seed, MB_STREAM_START, UINT32_MAX, 1);
    double *resp, best;
    mb_rows sample;
    search  of;

    MB_TRY(spread(a, rows, &sample, err));
    MB_TRY(begin(a, s->K, s->intercept, run, &sample, &of, err));
    MB_NEW(resp, a, (size_t)sample.n * (size_t)s->K, err);
    mb_centres_resp(s, run, start, &sample, resp);
    forget(&of);
    for (int64_t j = 0; j < sample.n; j++)
        for (int32_t k = 0; k < s->K; k++)
            if (resp[j * s->K + k] > 0)
                of.label[j] = k;
    move(&of);
    best = CLEARLY * settle(&of);
    *lines = search_lines(&of, MB_LINES_TRIES_, &rng, &best, start);
    return MB_OK;
}

void mb_lines_resp_(int32_t K, int32_t intercept, const mb_units *run, const double *lines,
                    const mb_rows *rows, double *row, double *resp)
{
    const int32_t d = rows->d;

    memset(resp, 0, (size_t)rows->n * (size_t)K * sizeof *resp);
    for (int64_t j = 0; j < rows->n; j++, resp += K) {
        double least;

        for (int32_t i = 0; i < d; i++)
            row[i] = (mb_rows_at(rows, j, i) - run->origin[i]) / run->scale[i];
        resp[nearest(K, d, d - 1 + intercept, lines, row, &least)] = 1;
    }
}
