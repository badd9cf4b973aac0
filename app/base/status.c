/* status.c - a status object, read. */
#include "base/status.h"
#include "base/app.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

enum { BROKEN_MOST = 4096 /* members that a status names */ };

static void look_at(mb_json_in *j, const mb_json *one, node_status *out)
{
    const mb_json *age = mb_json_at(one, "age_ms");
    const double   loss = mb_json_get_real(j, one, "loss");

    out->neighbour[out->neighbours++] = mb_json_get_text(j, one, "node");
    if (mb_json_at(one, "live")->type == MB_JSON_TRUE)
        out->live++;
    else
        out->dead[out->deads++] = (node_dead){.node = mb_json_get_text(j, one, "node"),
                                              .state = mb_json_get_text(j, one, "state"),
                                              .reason = mb_json_get_text(j, one, "reason")};
    if (age->type == MB_JSON_INTEGER && age->integer > out->oldest_ms)
        out->oldest_ms = age->integer;
    if (!(loss <= out->loss))
        out->loss = isnan(loss) ? out->loss : loss;
}

static mb_status look_at_audit(mb_arena *a, mb_json_in *j, const mb_json *audit, node_status *out)
{
    const mb_json *list = mb_json_at(audit, "broken");

    out->audit = mb_json_get_text(j, audit, "state");
    out->members = (int32_t)mb_json_get_count(j, audit, "members");
    out->judged = (int32_t)mb_json_get_count(j, audit, "judged");
    MB_NEW(out->broken, a, list->n + 1, j->err);
    for (size_t k = 0; list->type == MB_JSON_LIST && k < list->n && k < BROKEN_MOST; k++) {
        const mb_json *one = &list->item[k];

        out->broken[out->broken_n++] = (node_broken){.id = (int32_t)mb_json_get_count(j, one, "id"),
                                                     .node = mb_json_get_text(j, one, "node"),
                                                     .reason = mb_json_get_text(j, one, "reason"),
                                                     .by = 1};
    }
    return MB_OK;
}

static mb_status read_object(mb_arena *a, const ask *q, node_status *out, mb_err *err)
{
    mb_err         own = {.msg = ""};
    mb_json_in     j = {.file = q->where, .where = "", .err = &own};
    const mb_json *o, *list;
    mb_status      st = mb_json_parse(a, q->where, q->body, q->n, &o, &own);

    if (st == MB_E_NOMEM)
        MB_FAIL(err, st, "%s", own.msg);
    if (st < 0)
        return MB_OK;
    out->node = mb_json_get_text(&j, o, "node");
    out->verdict = mb_json_get_text(&j, o, "verdict");
    out->message = mb_json_get_text(&j, o, "message");
    out->n_nodes = mb_json_get_real(&j, o, "n_nodes");
    out->bound = mb_json_get_real(&j, o, "bound");
    out->disagreement = mb_json_get_real(&j, o, "disagreement");
    out->tick = mb_json_get_count(&j, o, "tick");
    out->rows = mb_json_get_count(&j, o, "rows");
    out->bytes_sent = mb_json_get_count(&j, o, "bytes_sent");
    out->frames_sent = mb_json_get_count(&j, o, "frames_sent");
    out->frozen = mb_json_get_count(&j, o, "frozen");
    if (look_at_audit(a, &j, mb_json_at(o, "audit"), out) < 0)
        MB_FAIL(err, MB_E_NOMEM, "%s", own.msg);
    list = mb_json_at(o, "neighbours");
    MB_NEW(out->dead, a, list->n + 1, err);
    MB_NEW(out->neighbour, a, list->n + 1, err);
    for (size_t k = 0; list->type == MB_JSON_LIST && k < list->n; k++)
        look_at(&j, &list->item[k], out);
    out->answered = j.status >= 0 && out->node && out->verdict;
    return MB_OK;
}

mb_status node_status_of(mb_arena *a, const ask *q, node_status *out, mb_err *err)
{
    *out = (node_status){.oldest_ms = -1, .loss = (double)NAN};
    if (q->code == 200)
        MB_TRY(read_object(a, q, out, err));
    if (!out->answered)
        out->message = q->code == 200 ? "it is no status of a node" : ask_why(a, q, err);
    return out->answered || out->message ? MB_OK : MB_E_NOMEM;
}

static node_broken *find(const node_audits *all, int32_t id)
{
    for (int32_t k = 0; k < all->broken_n; k++)
        if (all->broken[k].id == id)
            return &all->broken[k];
    return NULL;
}

/* Who has it for a neighbour knows its name, others its number. */
static int is_number(const char *name)
{
    return !name || !name[strspn(name, "0123456789")];
}

mb_status node_audits_add(mb_arena *a, node_audits *all, const node_status *is, mb_err *err)
{
    const int on = is->audit && !strcmp(is->audit, "on");

    if (!is->audit)
        return MB_OK;
    all->state = all->state && on ? all->state : is->audit;
    all->members = is->members > all->members ? is->members : all->members;
    all->judged = on && (!all->on || is->judged < all->judged) ? is->judged : all->judged;
    all->on += on;
    all->n++;
    for (int32_t k = 0; k < is->broken_n; k++) {
        node_broken *same = find(all, is->broken[k].id), *more;

        if (same) {
            same->by++;
            same->node = is_number(same->node) ? is->broken[k].node : same->node;
            continue;
        }
        if (!(all->broken_n & (all->broken_n - 1))) { /* room for twice as many */
            MB_NEW(more, a, 2 * all->broken_n + 1, err);
            for (int32_t b = 0; b < all->broken_n; b++)
                more[b] = all->broken[b];
            all->broken = more;
        }
        all->broken[all->broken_n++] = is->broken[k];
    }
    return MB_OK;
}

const char *node_audits_text(mb_arena *a, const node_audits *all, mb_err *err)
{
    if (!all->on)
        return all->state ? all->state : "no audit is known of";
    return mb_text(a, err, "audits on at %d of %d node%s, %d of %d members judged, %d broken",
                   (int)all->on, (int)all->n, app_plural(all->n), (int)all->judged,
                   (int)all->members, (int)all->broken_n);
}

void node_audits_json(const node_audits *all, const char *key, mb_json_out *j)
{
    mb_json_object(j, key);
    mb_json_integer(j, "on", all->on);
    mb_json_text(j, "state", all->state);
    mb_json_integer(j, "members", all->members);
    mb_json_integer(j, "judged", all->judged);
    mb_json_list(j, "broken");
    for (int32_t k = 0; k < all->broken_n; k++) {
        mb_json_object(j, NULL);
        mb_json_integer(j, "id", all->broken[k].id);
        mb_json_text(j, "node", all->broken[k].node);
        mb_json_text(j, "reason", all->broken[k].reason);
        mb_json_integer(j, "by", all->broken[k].by);
        mb_json_close(j);
    }
    mb_json_close(j);
    mb_json_close(j);
}
