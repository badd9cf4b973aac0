/* lines.c - initial lines of a mixture of regressions, from a few rows that all nodes know: each
 * line first through as many random rows as it has coefficients, then moved as k-means moves
 * centres (docs/math.md, section 33). */
#include "start/lines.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

enum { STEPS = 20 /* of a row to its nearest line, and lines through their rows */ };

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

static double one_try(const search *s, mb_rng *rng)
{
    double sum;
    int    moved;

    memset(s->line, 0, (size_t)s->K * (size_t)s->d * sizeof *s->line);
    for (int64_t j = 0; j < s->n; j++)
        s->label[j] = -1;
    elemental(s, rng);
    sum = assign(s, &moved);
    for (int step = 0; step < STEPS && moved; step++) {
        move(s);
        sum = assign(s, &moved);
    }
    return sum;
}

mb_status mb_lines_from_(mb_arena *a, int32_t K, int32_t intercept, const mb_units *run,
                         const mb_rows *sample, int32_t tries, mb_rng *rng, double *lines,
                         mb_err *err)
{
    const int32_t d = sample->d, p = d - 1 + intercept;
    const size_t  m = (size_t)p + 1;
    search        s = {.K = K, .d = d, .p = p, .n = sample->n};
    double       *rows, best = HUGE_VAL;

    MB_NEW(rows, a, (size_t)s.n * (size_t)d, err);
    MB_NEW(s.line, a, (size_t)K * (size_t)d, err);
    MB_NEW(s.label, a, s.n, err);
    MB_NEW(s.A, a, m * m, err);
    MB_NEW(s.z, a, m, err);
    for (int64_t j = 0; j < s.n; j++)
        for (int32_t i = 0; i < d; i++)
            rows[j * d + i] = (mb_rows_at(sample, j, i) - run->origin[i]) / run->scale[i];
    s.rows = rows;
    for (int32_t t = 0; t < tries; t++) {
        const double sum = one_try(&s, rng);

        if (t && !(sum < best))
            continue;
        best = sum;
        memcpy(lines, s.line, (size_t)K * (size_t)d * sizeof *lines);
    }
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
