/* record.c - the flight recorder of `meshbayes up --record DIR`. */
#include "up/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 16 /* bytes of a node before they are written */ };

/* What one node has not written yet. */
typedef struct tape {
    const char *path;
    char       *bytes;
    size_t      n;
} tape;

struct up_record {
    up   *u;
    tape *tape; /* of each node; path NULL: it has not lived */
};

void record_options(const mb_peer_opt *o, double out[RECORD_FIELDS])
{
    const double all[RECORD_FIELDS] = {o->id,
                                       o->incarnation,
                                       o->neighbours,
                                       (double)o->rows,
                                       (double)o->window_rows,
                                       (double)o->window_ms,
                                       (double)o->tick_ms,
                                       (double)o->rest_ms,
                                       o->n_nodes,
                                       o->hops,
                                       o->kappa,
                                       o->eta,
                                       o->tol,
                                       (double)o->wire};

    memcpy(out, all, sizeof all);
}

void record_options_of(const double in[RECORD_FIELDS], mb_peer_opt *out)
{
    *out = (mb_peer_opt){.id = (int32_t)in[0],
                         .incarnation = (uint32_t)in[1],
                         .neighbours = (int32_t)in[2],
                         .rows = (int64_t)in[3],
                         .window_rows = (int64_t)in[4],
                         .window_ms = (int64_t)in[5],
                         .tick_ms = (int64_t)in[6],
                         .rest_ms = (int64_t)in[7],
                         .n_nodes = in[8],
                         .hops = (int32_t)in[9],
                         .kappa = in[10],
                         .eta = in[11],
                         .tol = in[12],
                         .wire = (mb_wire)in[13]};
}

/* Appends what is waiting, and these bytes, to the node's file. */
static mb_status spill(tape *t, const void *bytes, size_t n, mb_err *err)
{
    FILE *f = fopen(t->path, "ab");
    int   bad;

    if (!f)
        MB_FAIL(err, MB_E_IO, "%s: cannot write: %s", t->path, strerror(errno));
    bad = (t->n && fwrite(t->bytes, 1, t->n, f) != t->n) || (n && fwrite(bytes, 1, n, f) != n);
    bad |= fclose(f) != 0;
    t->n = 0;
    if (bad)
        MB_FAIL(err, MB_E_IO, "%s: cannot write: %s", t->path, strerror(errno));
    return MB_OK;
}

static mb_status put(tape *t, const void *bytes, size_t n, mb_err *err)
{
    if (t->n + n > BUFFER)
        return spill(t, bytes, n, err);
    if (n)
        memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    return MB_OK;
}

static mb_status put_text(tape *t, const char *text, mb_err *err)
{
    return put(t, text, strlen(text) + 1, err);
}

/* Bytes of the texts of the head; with a tape they are written too. */
static mb_status texts(const up *u, int32_t i, tape *t, uint32_t *total, mb_err *err)
{
    const mb_plan *plan = &u->plan;
    char           number[64];

    *total = (uint32_t)strlen(plan->kind->name) + 1;
    if (t)
        MB_TRY(put_text(t, plan->kind->name, err));
    for (const mb_opt *o = plan->kind->opts; o && o->name; o++) {
        const char *value = sim_option_text(o, plan->kind_opt, number);
        const char *line = *value ? mb_text(u->s->a, err, "%s=%s", o->name, value) : "";

        if (!line)
            return MB_E_NOMEM;
        *total += *line ? (uint32_t)strlen(line) + 1 : 0;
        if (t && *line)
            MB_TRY(put_text(t, line, err));
    }
    for (int32_t d = -1; d <= plan->columns; d++) {
        const char *name = d < 0 || d == plan->columns ? "" : plan->column[d];

        *total += (uint32_t)strlen(name) + 1;
        if (t)
            MB_TRY(put_text(t, name, err));
    }
    *total += (uint32_t)strlen(u->s->world.net.id[i]) + 1;
    return t ? put_text(t, u->s->world.net.id[i], err) : MB_OK;
}

static mb_status open_tape(up *u, int32_t i, tape *t, mb_err *err)
{
    const uint32_t magic = RECORD_MAGIC;
    const uint64_t end[2] = {u->plan.seed, (uint64_t)u->plan.from};
    uint32_t       total;

    t->path = mb_text(u->s->a, err, "%s/node-%d.mbr", u->opt.record, i + 1);
    if (!t->path)
        return MB_E_NOMEM;
    MB_NEW(t->bytes, u->s->a, BUFFER, err);
    remove(t->path);
    MB_TRY(texts(u, i, NULL, &total, err));
    MB_TRY(put(t, &magic, sizeof magic, err));
    MB_TRY(put(t, &total, sizeof total, err));
    MB_TRY(texts(u, i, t, &total, err));
    return put(t, end, sizeof end, err);
}

static mb_status put_call(tape *t, const mb_called *c, const void *bytes, size_t n, mb_err *err)
{
    const record_head head = {(uint64_t)c->call, c->now, c->id, c->answer, n};

    MB_TRY(put(t, &head, sizeof head, err));
    return put(t, bytes, n, err);
}

/* Rows as n, d and 1 with weights, then the numbers. */
static mb_status put_rows(tape *t, const mb_called *c, mb_err *err)
{
    const mb_rows *rows = c->rows;
    const int64_t  n = rows->n, d = rows->d;
    const size_t   size = (size_t)(3 + n * d + (rows->w ? n : 0)) * sizeof(double);
    double        *all = malloc(size);
    mb_status      st;

    if (!all)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to record %lld rows", (long long)n);
    all[0] = (double)n;
    all[1] = (double)d;
    all[2] = rows->w != NULL;
    for (int64_t j = 0; j < n; j++)
        for (int32_t k = 0; k < d; k++)
            all[3 + j * d + k] = mb_rows_at(rows, j, k);
    for (int64_t j = 0; rows->w && j < n; j++)
        all[3 + n * d + j] = rows->w[j];
    st = put_call(t, c, all, size, err);
    free(all);
    return st;
}

static mb_status put_block(const up *u, tape *t, const mb_called *c, mb_err *err)
{
    mb_genesis   block = u->block;
    const size_t room = mb_genesis_bytes(&u->plan);
    char        *bytes = malloc(room);
    size_t       n = 0;
    mb_status    st;

    if (!bytes)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to record the block");
    st = mb_genesis_encode(&block, bytes, room, &n, err);
    if (st >= 0)
        st = put_call(t, c, bytes, n, err);
    free(bytes);
    return st;
}

static mb_status see(void *self, const mb_virtual *v, const mb_called *c, mb_err *err)
{
    up      *u = self;
    tape    *t = &u->record->tape[c->node];
    double   options[RECORD_FIELDS];
    uint64_t sum[2];

    (void)v;
    if (!t->path)
        MB_TRY(open_tape(u, c->node, t, err));
    switch (c->call) {
    case MB_CALL_NEW:
        record_options(c->opt, options);
        return put_call(t, c, options, sizeof options, err);
    case MB_CALL_GENESIS:
        return put_block(u, t, c, err);
    case MB_CALL_APPEND:
        return put_rows(t, c, err);
    case MB_CALL_FRAME:
    case MB_CALL_SAVE:
        sum[0] = c->n;
        sum[1] = mb_bytes_hash(c->bytes, c->n);
        return put_call(t, c, sum, sizeof sum, err);
    default:
        return put_call(t, c, c->bytes, c->n, err);
    }
}

mb_status record_begin(up *u, mb_err *err)
{
    const mb_virtual_watcher w = {.self = u, .every_us = 1, .call = see};

    if (!u->opt.record)
        return MB_OK;
    MB_TRY(mb_dir_make(u->opt.record, err));
    MB_NEW(u->record, u->s->a, 1, err);
    MB_NEW(u->record->tape, u->s->a, u->s->world.net.n, err);
    return mb_virtual_watch(u->net, &w, err);
}

mb_status record_end(up *u, mb_status st, mb_err *err)
{
    for (int32_t i = 0; u->record && st >= 0 && i < u->s->world.net.n; i++)
        if (u->record->tape[i].path)
            st = spill(&u->record->tape[i], NULL, 0, err);
    return st;
}
