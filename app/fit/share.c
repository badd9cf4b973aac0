/* share.c - `fit` by several processes: the rows of each, and what they exchanged. */
#include "fit/share.h"

int sim_is_shared(const sim *s)
{
    return s->ranks.size > 1 && s->rows.mapped.base && s->rows.data.n > MB_SHARE_LEAST;
}

static mb_status check(const sim *s, mb_err *err)
{
    const mb_rows  *rows = &s->rows.table.rows;
    mb_err          own = {0};
    const mb_status st =
        mb_npy_check(s->opt.data, &s->rows.mapped, rows->before, rows->before + rows->n, &own);

    if (st < 0)
        MB_FAIL(err, st, "process %d of %d: %.400s", s->ranks.rank, s->ranks.size, own.msg);
    return MB_OK;
}

mb_status sim_share(sim *s, mb_err *err)
{
    MB_TRY(mb_table_share(s->a, s->ranks.comm, &s->rows.table, err));
    return ranks_agree(&s->ranks, check(s, err), err);
}

mb_status sim_share_over(sim_result *r, mb_err *err)
{
    const sim *s = r->s;
    mb_case   *c;

    MB_NEW(c, s->a, 1, err);
    *c = *r->session.c;
    c->table.rows = mb_table_of(&s->rows.data, s->opt.data).rows;
    r->session.c = c;
    return MB_OK;
}

void sim_share_print(const sim *s)
{
    if (s->rows.table.rows.share)
        printf("%d processes with a share of the rows each; bytes a pass that each sent: %.0f\n",
               s->ranks.size, mb_table_sent(&s->rows.table));
}
