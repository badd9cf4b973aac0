/* share.c - the rows of a table that this process has. */
#include "transport/share.h"
#include "base/rows.h"
#include "fit/case.h"
#include "fit/fit.h"

void mb_share_as_(const mb_rows *from, mb_rows *to)
{
    to->share = from->share;
    to->before = from->before;
    to->remote_rows = from->remote_rows;
}

mb_status mb_rows_share_(mb_arena *a, const mb_comm *comm, mb_rows *rows, mb_err *err)
{
    const int64_t all = rows->n;
    mb_share     *share;

    MB_NEW(share, a, 1, err);
    MB_TRY(mb_share_make_(a, comm, all, rows->d, share, err));
    *rows = mb_rows_part(rows, share->first, share->n);
    rows->share = share;
    rows->before = share->first;
    rows->remote_rows = all - share->n;
    return MB_OK;
}

mb_status mb_table_share(mb_arena *a, const mb_comm *comm, mb_table *t, mb_err *err)
{
    const int64_t all = t->rows.n;

    if (!comm || comm->size == 1 || all <= MB_SHARE_LEAST)
        return MB_OK;
    if (t->rows.w || t->rows.first || t->rows.gaps || t->node || t->row)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: got weights, groups, gaps or nodes; expected rows alone where processes share "
                "them",
                t->name ? t->name : "rows");
    MB_TRY(mb_rows_share_(a, comm, &t->rows, err));
    if (comm->size > t->rows.share->count)
        MB_FAIL(err, MB_E_ARG,
                "%d processes for rows that are cut into %d parts; expected 1 to %d, with several "
                "threads each (--threads)",
                comm->size, t->rows.share->count, t->rows.share->count);
    t->first = NULL;
    return MB_OK;
}

double mb_table_sent(const mb_table *t)
{
    const mb_share *share = t->rows.share;

    return share && share->sums ? (double)share->bytes / (double)share->sums : 0;
}
