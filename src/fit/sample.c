/* sample.c - rows spread over very many, of whose centres or of whose best answer a run of all
 * begins (docs/math.md, sections 7 and 13). */
#include "base/rows.h"
#include "fit/fit.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

/* MOST: rows of a search on a sample, unless each component has fewer than OF_EACH (AGREE: where it
 * stands for initialisations of all rows) or OF_COLUMN for each column then; PART: one row of this
 * many at most. REST: rows of a sample that are read before memory is released. */
enum { MOST = 20000, OF_EACH = 200, AGREE = 2000, OF_COLUMN = 10, PART = 8, REST = 1 << 10 };
static const double enough = 5e6, dear = 1e10; /* rows x components x columns^2 */

int64_t mb_sample_first_(int64_t j, int64_t n, int64_t all)
{
    return (int64_t)((double)j * (double)all / (double)n);
}

/* One of the rows first .. end - 1, by weight: never one of none, if some have any. *each: the mean
 * of their weights. */
static int64_t one_of(mb_rng *rng, const double *w, int64_t first, int64_t end, double *each)
{
    double  sum = 0, at;
    int64_t last = first;

    for (int64_t j = first; j < end; j++) {
        sum += w[j];
        last = w[j] > 0 ? j : last;
    }
    *each = sum / (double)(end - first);
    at = sum * mb_rng_uniform(rng);
    for (int64_t j = first; j < last; j++) {
        if (at < w[j])
            return j;
        at -= w[j];
    }
    return last;
}

/* of (n): the rows of a sample, in order; w (n): of each, where rows have weights. */
static void choose(mb_rng *rng, const mb_rows *rows, int64_t n, int64_t *of, double *w)
{
    const int64_t all = rows->n + rows->remote_rows;

    for (int64_t j = 0; j < n; j++) {
        const int64_t first = mb_sample_first_(j, n, all), end = mb_sample_first_(j + 1, n, all);

        if (rng && w)
            of[j] = one_of(rng, rows->w, first, end, &w[j]);
        else
            of[j] = rng ? first + (int64_t)mb_rng_below(rng, (uint64_t)(end - first)) : first;
        if (!rng && w)
            w[j] = rows->w[first];
    }
}

/* The rows x of a sample of n, which are in the processes that have them, in all. */
static mb_status collect(mb_share *s, int64_t n, const int64_t *of, int32_t d, double *x,
                         mb_err *err)
{
    for (int64_t q = 0, j = 0, first; q < s->comm->size; q++) {
        const int64_t end = mb_share_chunk_(s, (int32_t)q + 1) * s->each;

        for (first = j; j < n && of[j] < end;)
            j++;
        MB_TRY(mb_comm_share(s->comm, (int32_t)q, x + first * d,
                             (size_t)((j - first) * d) * sizeof *x, err));
    }
    return MB_OK;
}

mb_status mb_sample_(mb_arena *a, const mb_case *c, const mb_rows *rows, int64_t n, mb_rng *rng,
                     mb_rows *out, mb_err *err)
{
    double  *x, *w = NULL;
    int64_t *of;

    MB_NEW(of, a, n, err);
    MB_NEW(x, a, n * rows->d, err);
    if (rows->w)
        MB_NEW(w, a, n, err);
    choose(rng, rows, n, of, w);
    for (int64_t j = 0; j < n; j++) {
        const int64_t at = of[j] - rows->before;

        if (at < 0 || at >= rows->n)
            continue;
        mb_rows_take(rows, at, 1, x + j * rows->d);
        if (j % REST == 0)
            mb_case_rest_(c);
    }
    *out =
        (mb_rows){.x = x, .w = w, .n = n, .d = rows->d, .ld = (size_t)rows->d, .gaps = rows->gaps};
    return MB_SHARE_(rows->share != NULL) ? collect(rows->share, n, of, rows->d, x, err) : MB_OK;
}

/* n, if a sample of n rows can be searched; else 0. */
static int64_t if_small(const mb_case *c, double n)
{
    const double  D = c->table.rows.d;
    const int64_t all = c->rows[0].n + c->rows[0].remote_rows;

    if (c->rows[0].first || n * PART > (double)all || n * c->model.K * D * D > dear)
        return 0;
    return (int64_t)n;
}

int64_t mb_sample_size_(const mb_case *c)
{
    const double D = c->table.rows.d, K = c->model.K;
    const double each = fmax(OF_EACH, OF_COLUMN * D);

    return mb_move_can_(c) ? if_small(c, fmax(each * K, fmin(MOST, enough / (K * D * D)))) : 0;
}

int64_t mb_sample_agree_(const mb_case *c)
{
    const double  each = fmax(AGREE, OF_COLUMN * c->table.rows.d);
    const int64_t all = c->rows[0].n + c->rows[0].remote_rows;
    const int     weighted = fabs(c->weight_total - (double)all) > 0.5;

    return !c->limits.d && !weighted && mb_move_alike_(c)
               ? if_small(c, fmax(each * c->model.K, MOST))
               : 0;
}

mb_status mb_sample_case_(mb_arena *a, const mb_case *c, int64_t n, mb_case *nodes, mb_case *out,
                          mb_err *err)
{
    int64_t *first;

    *out = *c;
    *nodes = *c->nodes;
    MB_NEW(out->rows, a, 1, err);
    MB_NEW(out->data, a, 1, err);
    MB_NEW(first, a, 2, err);
    MB_TRY(mb_sample_(a, c, &c->rows[0], n, NULL, out->rows, err));
    MB_TRY(mb_sample_(a, c, &c->data[0], n, NULL, out->data, err));
    first[1] = n;
    nodes->place = out->place;
    nodes->rows = out->rows;
    nodes->data = out->data;
    nodes->table.rows = *out->data;
    nodes->table.first = first;
    nodes->table.node = NULL;
    nodes->table.row = NULL;
    nodes->table.N = 1;
    nodes->tree = out->tree;
    out->nodes = nodes;
    out->table = nodes->table;
    return MB_OK;
}

void mb_sample_grow_(const mb_case *c, const mb_rows *sample, double *phi)
{
    const double *prior = c->model.prior, times = c->weight_total / mb_rows_weight(sample);

    for (size_t l = 0; l < c->model.layout.len; l++)
        phi[l] = prior[l] + times * (phi[l] - prior[l]);
}
