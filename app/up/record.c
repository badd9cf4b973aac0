/* record.c - the flight recorder of `meshbayes up --record DIR`: DIR/node-N.mbr for every node. */
#include "up/record.h"
#include "base/text.h"

enum { HOLD = 1 << 16 /* bytes of a node before they are written */ };

struct up_record {
    mb_record **of; /* of each node; NULL: it has not lived */
};

static mb_status open_record(const up *u, int32_t i, mb_err *err)
{
    const mb_record_opt how = {.file =
                                   mb_text(u->job->a, err, "%s/node-%d.mbr", u->opt.record, i + 1),
                               .limit = (int64_t)u->args.record_limit,
                               .hold = HOLD};

    if (!how.file)
        return MB_E_NOMEM;
    return mb_record_open(&how, &u->record->of[i], err);
}

static mb_status see(void *self, const mb_virtual *v, const mb_called *c, mb_err *err)
{
    const up *u = self;

    (void)v;
    if (!u->record->of[c->node])
        MB_TRY(open_record(u, c->node, err));
    return mb_record_call(u->record->of[c->node], c, err);
}

mb_status record_begin(up *u, mb_err *err)
{
    const mb_virtual_watcher w = {.self = u, .every_us = 1, .call = see};

    if (!u->opt.record)
        return MB_OK;
    MB_TRY(mb_dir_make(u->opt.record, err));
    MB_NEW(u->record, u->job->a, 1, err);
    MB_NEW(u->record->of, u->job->a, u->cs->network->net.n, err);
    return mb_virtual_watch(u->net, &w, err);
}

mb_status record_end(up *u, mb_status st, mb_err *err)
{
    for (int32_t i = 0; u->record && u->record->of && i < u->cs->network->net.n; i++) {
        const mb_status closed = mb_record_close(u->record->of[i], st < 0 ? NULL : err);

        u->record->of[i] = NULL;
        st = st < 0 ? st : closed;
    }
    return st;
}
