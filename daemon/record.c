/* record.c - the flight recorder of a process: every call of its node, for meshbayes replay. */
#include "base/text.h"
#include "data/file.h"
#include "node.h"

mb_status node_record_open(node *n, const mb_peer_opt *opt, mb_err *err)
{
    const mb_mask_id from = {n->mask.run, 0};
    /* Without `hold` all is written after every tick: the process may be killed. */
    mb_record_opt how = {.limit = n->c.record_limit, .keep = 1};

    if (!n->c.record)
        return MB_OK;
    MB_TRY(mb_dir_make(n->c.record, err));
    how.file = mb_text(n->a, err, "%s/node-%d.mbr", n->c.record, (int)n->c.id + 1);
    if (!how.file)
        return MB_E_NOMEM;
    MB_TRY(mb_record_open(&how, &n->record, err));
    node_record(
        n, (mb_called){
               .call = MB_CALL_NEW, .id = -1, .opt = opt, .mask = n->c.plan.mask ? &from : NULL});
    return MB_OK;
}

void node_record(node *n, mb_called call)
{
    mb_err why = {.msg = ""};
    char   quoted[400];

    if (!n->record)
        return;
    call.peer = n->peer;
    if (!call.now) /* of calls that are not given the time */
        call.now = node_now(n);
    if (mb_record_call(n->record, &call, &why) >= 0)
        return;
    node_say_at(&n->log, LOG_WARNING, LOG_RECORD, "ended=yes reason=\"%s\"",
                log_value(why.msg, quoted, sizeof quoted));
    node_record_close(n);
}

void node_record_close(node *n)
{
    mb_err why = {.msg = ""};
    char   quoted[400];

    if (mb_record_close(n->record, &why) < 0)
        node_say_at(&n->log, LOG_WARNING, LOG_RECORD, "closed=no reason=\"%s\"",
                    log_value(why.msg, quoted, sizeof quoted));
    n->record = NULL;
}
