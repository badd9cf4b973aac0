/* private_nodes.c - the network of `sim --privacy` and `up --privacy`: who has which rows; of `sim` the
 * tree and simulated masks. */
#include "base/rows.h"
#include "data/data.h"
#include "fit/case.h"
#include "network/network.h"
#include "run/private.h"

mb_status private_nodes_link(private_fit *f, mb_err *err)
{
    sim           *s = f->s;
    mb_local_part *place = &s->cs.fit->stages->place;
    mb_masks      *masks;

    MB_TRY(mb_place_share(s->job.a, &s->network.net, s->job.ranks.comm, place, err));
    MB_TRY(mb_masks_simulated_(s->job.a, &place->part, (uint64_t)s->args.opt.seed, MB_PRIVATE_MOST,
                               &masks, err));
    f->nodes = (mb_private_nodes){.place = place, .masks = masks};
    return mb_private_nodes_link(s->job.a, &f->nodes, err);
}

mb_status private_nodes_sent(private_fit *f, int64_t *rounds, double *bytes, mb_err *err)
{
    mb_transport *tp = &f->nodes.place->tp;

    *rounds = 2 * (int64_t)f->nodes.tree.hops;
    *bytes = (double)f->nodes.sent.bytes;
    return tp->ops->reduce(tp, MB_SUM, bytes, 1, err);
}

mb_status private_nodes_give(private_fit *f, mb_err *err)
{
    sim           *s = f->s;
    const mb_table t = mb_table_of(&s->rows.data, s->args.opt.data);
    const int64_t *first = s->rows.data.first;
    mb_rows       *each;

    MB_NEW(each, s->job.a, s->network.net.n, err);
    for (int32_t i = 0; i < s->network.net.n; i++) {
        each[i] = mb_rows_part(&t.rows, first[i], first[i + 1] - first[i]);
        if (!each[i].n)
            MB_FAIL(err, MB_E_ARG,
                    "--privacy: node %s has no rows; expected some at each node, which books what "
                    "its file has released",
                    s->network.net.id[i]);
    }
    s->cs.fit->stages->nodes.data = each;
    s->cs.fit->stages->nodes.table.first = first;
    s->cs.bounds = f->bounds;
    s->cs.hash = 0;
    s->job.quiet = 0;
    return mb_place_share(s->job.a, &s->network.net, s->job.ranks.comm, &s->cs.fit->stages->place,
                          err);
}
