/* seed_sum.c - the first phi* from responsibilities, block by block and piece by piece. */
#include "base/rows.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "model/model.h"
#include "start/tree.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <string.h>

enum { BLOCK_SHARES = 1 << 22 /* responsibilities that are in memory together, at least */ };

/* 1: as many rows as processes may share are summed as in them, by pieces. */
static int by_pieces(const mb_case *c, const mb_rows *rows)
{
    return c->nodes && c->model.ops->seed_stats && !rows->first &&
           rows->n + rows->remote_rows > MB_SHARE_LEAST;
}

static mb_cut_ cut_of(const mb_rows *rows)
{
    return mb_cut_of_(rows->n + rows->remote_rows, rows->d);
}

int64_t mb_seed_block_(const mb_case *c, const mb_rows *rows)
{
    const int64_t K = c->model.K > 1 ? c->model.K : 1, some = BLOCK_SHARES / K + 1;

    if (by_pieces(c, rows))
        return cut_of(rows).slice < some ? cut_of(rows).slice : some;
    return !mb_kind_has_components(c->kind) || !c->model.ops->seed_stats || rows->first ||
                   rows->n <= 2 * BLOCK_SHARES / K
               ? rows->n
               : some;
}

/* s (L) += the statistics of n rows from row j on, in blocks. */
static mb_status add(const mb_case *c, const mb_rows *rows, int64_t j, int64_t n,
                     const mb_given_ *given, double *s, double *scratch, mb_err *err)
{
    for (int64_t m; n > 0; n -= m, j += m) {
        mb_rows some;

        MB_TRY(mb_cancel_here_(&c->place->tp, err));
        m = n < given->block ? n : given->block;
        some = mb_rows_part(rows, j, m);
        MB_TRY(c->model.ops->seed_stats(&c->model, &some, given->next(given->self, m), s, scratch,
                                        err));
    }
    return MB_OK;
}

/* The chunks of this process, of `each` rows, into the table. own (L): scratch, a slice. */
static mb_status add_chunks(const mb_case *c, const mb_rows *rows, int64_t each,
                            const mb_given_ *given, double *table, double *own, double *scratch,
                            mb_err *err)
{
    const size_t  L = c->model.layout.len;
    const int64_t slice = cut_of(rows).slice;

    for (int64_t j = 0; j < rows->n; j += slice) {
        memset(own, 0, L * sizeof *own);
        MB_TRY(
            add(c, rows, j, rows->n - j < slice ? rows->n - j : slice, given, own, scratch, err));
        mb_join_sum_(table + (size_t)(j / each) * L, own, L);
    }
    return MB_OK;
}

static mb_status sum_pieces(const mb_case *c, const mb_rows *rows, const mb_given_ *given,
                            mb_arena *scratch_arena, double *s, double *scratch, mb_err *err)
{
    const size_t L = c->model.layout.len;
    mb_share    *share = rows->share;
    double      *table, *own;
    mb_status    st;

    MB_NEW(own, scratch_arena, L, err);
    MB_NEW(table, scratch_arena, mb_share_room_(L), err);
    if (MB_SHARE_(share != NULL)) {
        st = add_chunks(c, rows, share->each, given, table, own, scratch, err);
        return mb_share_sum_(share, L, table, s, st, err);
    }
    MB_TRY(add_chunks(c, rows, cut_of(rows).piece, given, table, own, scratch, err));
    for (size_t p = 0; p < MB_SHARE_PIECES; p++)
        mb_join_sum_(s, table + p * L, L);
    return MB_OK;
}

/* mb_model_ops::seed_stats of rows whose statistics are known: in place of responsibilities. */
static mb_status add_known(const mb_model *m, const mb_rows *rows, const double *known, double *s,
                           double *scratch, mb_err *err)
{
    (void)rows, (void)scratch, (void)err;
    for (size_t l = 0; l < m->layout.len; l++)
        s[l] += known[l];
    return MB_OK;
}

mb_status mb_seed_sum_(const mb_case *c, int32_t i, const mb_given_ *given, mb_arena *scratch_arena,
                       double *phi_star, double *scratch, mb_err *err)
{
    const int32_t  nodes = c->place->part.n_global;
    const mb_rows *rows = &c->rows[i];
    mb_model_ops   ops = *c->model.ops;
    mb_model       known = c->model;
    double        *sum;

    if (given->block >= rows->n && !by_pieces(c, rows))
        return mb_seed_step(&c->model, rows, nodes, given->next(given->self, rows->n), phi_star,
                            scratch, err);
    MB_NEW(sum, scratch_arena, c->model.layout.len, err);
    MB_TRY(by_pieces(c, rows) ? sum_pieces(c, rows, given, scratch_arena, sum, scratch, err)
                              : add(c, rows, 0, rows->n, given, sum, scratch, err));
    ops.seed_stats = add_known;
    known.ops = &ops;
    return mb_seed_step(&known, rows, nodes, sum, phi_star, scratch, err);
}
