/* status.c - a status object, read. */
#include "base/status.h"
#include "data/json.h"

#include <math.h>

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
