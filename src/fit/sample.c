/* sample.c - rows spread evenly over very many, for a search whose answer begins a run of all
 * (docs/math.md, section 13). */
#include "base/rows.h"
#include "fit/fit.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

/* MOST: rows of a search on a sample, unless each component has fewer than OF_EACH or OF_COLUMN for
 * each column then; PART: one row of this many at most. REST: rows of a sample that are read before
 * memory is released. */
enum { MOST = 20000, OF_EACH = 200, OF_COLUMN = 10, PART = 8, REST = 1 << 10 };
static const double enough = 5e6, dear = 1e10; /* rows x components x columns^2 */

/* Row j of a sample of n, of all rows. */
static int64_t sampled(int64_t j, int64_t n, int64_t all)
{
    return (int64_t)((double)j * (double)all / (double)n);
}

/* The rows x of a sample of n, which are in the processes that have them, in all. */
static mb_status collect(mb_share *s, int64_t n, int32_t d, double *x, mb_err *err)
{
    for (int64_t q = 0, j = 0, first; q < s->comm->size; q++) {
        const int64_t end = mb_share_chunk_(s, (int32_t)q + 1) * s->each;

        for (first = j; j < n && sampled(j, n, s->all) < end;)
            j++;
        MB_TRY(mb_comm_share(s->comm, (int32_t)q, x + first * d,
                             (size_t)((j - first) * d) * sizeof *x, err));
    }
    return MB_OK;
}

mb_status mb_sample_(mb_arena *a, const mb_case *c, const mb_rows *rows, int64_t n, mb_rows *out,
                     mb_err *err)
{
    const int64_t all = rows->n + rows->remote_rows;
    double       *x, *w = NULL;

    MB_NEW(x, a, n * rows->d, err);
    if (rows->w)
        MB_NEW(w, a, n, err);
    for (int64_t j = 0; j < n; j++) {
        const int64_t at = sampled(j, n, all) - rows->before;

        if (at < 0 || at >= rows->n)
            continue;
        mb_rows_take(rows, at, 1, x + j * rows->d);
        if (w)
            w[j] = rows->w[at];
        if (j % REST == 0)
            mb_case_rest_(c);
    }
    *out =
        (mb_rows){.x = x, .w = w, .n = n, .d = rows->d, .ld = (size_t)rows->d, .gaps = rows->gaps};
    return MB_SHARE_(rows->share != NULL) ? collect(rows->share, n, rows->d, x, err) : MB_OK;
}

int64_t mb_sample_size_(const mb_case *c)
{
    const double  D = c->table.rows.d, K = c->model.K;
    const int64_t all = c->rows[0].n + c->rows[0].remote_rows;
    const double  each = fmax(OF_EACH, OF_COLUMN * D);
    const double  n = fmax(each * K, fmin(MOST, enough / (K * D * D)));

    if (!mb_move_can_(c) || c->rows[0].first || n * PART > (double)all || n * K * D * D > dear)
        return 0;
    return (int64_t)n;
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
    MB_TRY(mb_sample_(a, c, &c->rows[0], n, out->rows, err));
    MB_TRY(mb_sample_(a, c, &c->data[0], n, out->data, err));
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
