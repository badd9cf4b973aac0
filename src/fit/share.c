/* share.c - the rows of a table that this process has. */
#include "transport/share.h"
#include "fit/fit.h"

void mb_share_as_(const mb_rows *from, mb_rows *to)
{
    to->share = from->share;
    to->before = from->before;
    to->elsewhere = from->elsewhere;
}

mb_status mb_table_share(mb_arena *a, const mb_comm *comm, mb_table *t, mb_err *err)
{
    const int64_t all = t->rows.n;
    mb_share     *share;

    if (!comm || comm->size == 1 || all <= MB_SHARE_LEAST)
        return MB_OK;
    if (t->rows.w || t->rows.first || t->rows.gaps || t->node || t->row)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: got weights, groups, gaps or nodes; expected rows alone where processes share "
                "them",
                t->name ? t->name : "rows");
    MB_NEW(share, a, 1, err);
    MB_TRY(mb_share_make_(a, comm, all, share, err));
    t->first = NULL;
    t->rows = mb_rows_part(&t->rows, share->first, share->n);
    t->rows.share = share;
    t->rows.before = share->first;
    t->rows.elsewhere = all - share->n;
    return MB_OK;
}

double mb_table_sent(const mb_table *t)
{
    const mb_share *share = t->rows.share;

    return share && share->sums ? (double)share->bytes / (double)share->sums : 0;
}
