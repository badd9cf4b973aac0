/* file_status.c - the status of a mesh node as JSON. */
#include "mesh/file_status.h"
#include "data/json.h"
#include "mesh/guarded.h"
#include "mesh/state.h"

#include <stdio.h>

/* The name of a node, or its number. */
static void put_name(mb_json_out *j, const char *key, mb_peer_namer name, const void *self,
                     int32_t id)
{
    const char *text = name(self, id);
    char        number[16];

    snprintf(number, sizeof number, "%d", (int)id);
    mb_json_text(j, key, text ? text : number);
}

static void put_neighbour(const mb_peer *p, const mb_peer_neighbour *is, mb_peer_namer name,
                          mb_peer_teller tell, const void *self, mb_json_out *j)
{
    const mb_peer_guarded guarded = mb_peer_guarded_at_(p, is->id);

    mb_json_object(j, NULL);
    put_name(j, "node", name, self, is->id);
    mb_json_bool(j, "live", is->live);
    if (is->age_ms < 0)
        mb_json_null(j, "age_ms");
    else
        mb_json_integer(j, "age_ms", is->age_ms);
    mb_json_number(j, "rtt_ms", is->rtt_ms);
    mb_json_number(j, "loss", is->loss);
    mb_json_integer(j, "bytes", is->bytes);
    mb_json_integer(j, "refused", guarded.refused);
    mb_json_integer(j, "clipped", guarded.clipped);
    if (tell)
        tell(self, is, j);
    mb_json_close(j);
}

static void put_refused(const mb_peer_status *status, mb_json_out *j)
{
    mb_json_object(j, "frames_refused");
    for (int k = MB_REFUSED_NONE + 1; k < MB_REFUSALS; k++)
        if (status->refused[k])
            mb_json_integer(j, mb_refusal_text((mb_refusal)k), status->refused[k]);
    mb_json_close(j);
}

/* What audits found, and of whom. */
static void put_audit(const mb_peer *p, mb_peer_namer name, const void *self, mb_json_out *j)
{
    mb_audit is;

    mb_peer_audit(p, &is);
    mb_json_object(j, "audit");
    mb_json_text(j, "state", mb_audit_text(is.state));
    mb_json_integer(j, "members", is.members);
    mb_json_integer(j, "rounds", is.rounds);
    mb_json_integer(j, "judged", is.judged);
    mb_json_integer(j, "statements_refused", is.refused);
    mb_json_list(j, "broken");
    for (int32_t k = 0; is.broken && k < is.members; k++) {
        int32_t     broken;
        const char *why = mb_peer_audit_of(p, k, &broken);

        if (!broken)
            continue;
        mb_json_object(j, NULL);
        mb_json_integer(j, "id", p->opt.declared->member[k].id);
        put_name(j, "node", name, self, p->opt.declared->member[k].id);
        mb_json_text(j, "reason", why);
        mb_json_close(j);
    }
    mb_json_close(j);
    mb_json_close(j);
}

/* Where a node is that runs SUM. */
static void put_epoch(const mb_peer *p, mb_peer_namer name, const void *self, mb_json_out *j)
{
    const mb_epoch_ *e = p->epoch;

    if (!MB_EPOCHS_(e != NULL))
        return;
    mb_json_object(j, "sum");
    mb_json_integer(j, "epoch", (int64_t)e->record.counter);
    if (e->record.counter)
        put_name(j, "root", name, self, (int32_t)e->record.proposer);
    mb_json_bool(j, "complete", e->stage == MB_STAGE_RUNS_);
    mb_json_integer(j, "pass", (int64_t)e->pass);
    mb_json_integer(j, "old", e->old);
    mb_json_integer(j, "least_bits", mb_epoch_bits_(p));
    mb_json_close(j);
}

/* Members in these sums that are not there. */
static void put_absent(const mb_peer *p, mb_taking what, const char *key, mb_peer_namer name,
                       const void *self, mb_json_out *j)
{
    const mb_declared *d = p->opt.declared;

    mb_json_list(j, key);
    for (int32_t k = 0; k < d->members; k++) {
        int64_t since;

        if (mb_peer_taking(p, k, &since) != what)
            continue;
        mb_json_object(j, NULL);
        mb_json_integer(j, "id", d->member[k].id);
        put_name(j, "node", name, self, d->member[k].id);
        mb_json_integer(j, "since_ms", since);
        mb_json_close(j);
    }
    mb_json_close(j);
}

/* Whether its sums are masked, and who is missing from them. */
static void put_mask(const mb_peer *p, mb_peer_namer name, const void *self, mb_json_out *j)
{
    mb_peer_masking is;

    mb_peer_masking_of(p, &is);
    if (!is.members)
        return;
    mb_json_object(j, "mask");
    mb_json_integer(j, "members", is.members);
    mb_json_integer(j, "there", is.there);
    mb_json_integer(j, "partners", is.partners);
    if (MB_BATCH_(p)) {
        mb_json_integer(j, "rows_batch", p->opt.declared->rows_batch);
        mb_json_integer(j, "rows_waiting", is.waiting);
        mb_json_integer(j, "batches", is.ready);
    }
    if (is.root || is.partners)
        put_absent(p, MB_MISSING, "missing", name, self, j);
    put_absent(p, MB_LEFT_OUT, "left_out", name, self, j);
    mb_json_close(j);
}

void mb_peer_status_json(const mb_peer *p, int64_t now, mb_peer_namer name, mb_peer_teller tell,
                         const void *self, mb_json_out *j)
{
    mb_peer_status status;

    mb_peer_look(p, now, &status);
    put_name(j, "node", name, self, status.id);
    mb_json_integer(j, "incarnation", status.incarnation);
    mb_json_integer(j, "tick", status.tick);
    mb_json_text(j, "verdict", mb_peer_verdict_text(status.verdict));
    mb_json_text(j, "message", status.message && *status.message ? status.message : NULL);
    mb_json_number(j, "n_nodes", status.n_nodes);
    mb_json_integer(j, "hops", status.hops);
    put_name(j, "leader", name, self, status.leader);
    mb_json_number(j, "bound", status.bound);
    mb_json_number(j, "disagreement", status.disagreement);
    mb_json_integer(j, "rows", status.rows);
    mb_json_integer(j, "frozen", status.frozen);
    mb_json_integer(j, "bytes_sent", status.bytes_sent);
    mb_json_integer(j, "frames_sent", status.frames_sent);
    put_refused(&status, j);
    mb_json_integer(j, "clipped", mb_peer_guarded_(p).clipped);
    mb_json_integer(j, "returned", mb_peer_guarded_(p).returned);
    put_audit(p, name, self, j);
    put_epoch(p, name, self, j);
    if (MB_EPOCHS_(p->epoch != NULL))
        put_mask(p, name, self, j);
    mb_json_list(j, "neighbours");
    for (int32_t k = 0; k < status.neighbours; k++) {
        mb_peer_neighbour one;

        mb_peer_look_at(p, now, k, &one);
        put_neighbour(p, &one, name, tell, self, j);
    }
    mb_json_close(j);
    mb_json_close(j);
}
