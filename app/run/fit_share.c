/* fit_share.c - `fit` by several processes: the rows of each, and what they exchanged. */
#include "run/fit_share.h"

int sim_is_shared(const sim *s)
{
    return s->job.ranks.size > 1 && s->rows.mapped.base && s->rows.data.n > MB_SHARE_LEAST;
}

int sim_shares_starts(const sim *s)
{
    return s->job.ranks.size > 1 && !s->cs.table.rows.share;
}

mb_status sim_open(sim_result *r, int32_t attempt, mb_err *err)
{
    const int first = !r->opened, meet = r->apart ? attempt < 0 : first;
    mb_status st = MB_OK;

    if (first)
        st = sim_folder(r->s, err);
    if (first && st >= 0)
        st = sim_trace(r->s, err);
    r->opened = 1;
    r->apart = r->apart && attempt >= 0;
    return meet ? ranks_agree(&r->s->job.ranks, st, err) : st;
}

mb_status sim_share_agree(const sim *s, mb_status st, mb_err *err)
{
    mb_err own = *err;

    if (st < 0)
        st = mb_fail_(err, st, own.file, own.line, "process %d of %d: %.400s", s->job.ranks.rank,
                      s->job.ranks.size, own.msg);
    return ranks_agree(&s->job.ranks, st, err);
}

mb_status sim_share_over(sim_result *r, mb_err *err)
{
    const sim *s = r->s;
    mb_case   *c;

    MB_TRY(sim_parts_over(r->s, err));
    MB_NEW(c, s->job.a, 1, err);
    *c = *r->session.c;
    c->table.rows = mb_table_of(&s->rows.data, s->args.opt.data).rows;
    r->session.c = c;
    return MB_OK;
}

void sim_share_print(const sim *s)
{
    if (s->cs.table.rows.share)
        printf("%d processes with a share of the rows each; bytes a pass that each sent: %.0f\n",
               s->job.ranks.size, mb_table_sent(&s->cs.table));
}
