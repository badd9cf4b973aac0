/* record_write.c - the recorder: lines into a buffer, the buffer into the file, and a new file after a
 * checkpoint when the old one has half of the bound. */
#include "algo/nodes.h"
#include "base/bytes.h"
#include "base/opt.h"
#include "base/text.h"
#include "data/json.h"
#include "data/parse.h"
#include "mesh/file_declared.h"
#include "mesh/frame.h"
#include "mesh/genesis.h"
#include "mesh/guarded.h"
#include "virtual/record.h"
#include "virtual/record_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 16 };

struct mb_record {
    mb_arena      *a;
    const char    *file, *older;
    mb_record_opt  how;      /* defaults filled in */
    mb_peer_opt    opt;      /* of the life        */
    const char    *declared; /* with masks: the members, JSON; else NULL */
    mb_mask_id     mask;
    char          *texts;
    size_t         ntexts;
    uint64_t       plan;
    unsigned char *bytes; /* not written yet: n of `room` */
    size_t         n, room;
    unsigned char *work; /* for a checkpoint or a block */
    size_t         work_room;
    uint32_t       crc;
    uint32_t       segment;
    int64_t        calls; /* bytes of lines since the segment began */
    int            begun;
    FILE          *f;      /* without `hold` it stays open; NULL: it is not */
    mb_err         failed; /* code 0: it has not */
};

static mb_status close_file(mb_record *r, mb_err *err)
{
    FILE *f = r->f;

    r->f = NULL;
    return f && fclose(f) != 0 ? mb_io_failed_(r->file, "write", errno, err) : MB_OK;
}

/* Appends what is held, and n more bytes, to the file. */
static mb_status spill(mb_record *r, const void *bytes, size_t n, mb_err *err)
{
    if (!r->n && !n)
        return MB_OK;
    if (!r->f)
        r->f = fopen(r->file, "ab");
    if (!r->f)
        return mb_io_failed_(r->file, "write", errno, err);
    if ((r->n && fwrite(r->bytes, 1, r->n, r->f) != r->n) ||
        (n && fwrite(bytes, 1, n, r->f) != n) || fflush(r->f) != 0) {
        const int reason = errno;

        (void)close_file(r, NULL);
        return mb_io_failed_(r->file, "write", reason, err);
    }
    r->n = 0;
    return r->how.hold ? close_file(r, err) : MB_OK;
}

static mb_status put(mb_record *r, const void *bytes, size_t n, mb_err *err)
{
    r->crc = mb_crc32(r->crc, bytes, n);
    if (n > r->room - r->n)
        return spill(r, bytes, n, err);
    if (n)
        memcpy(r->bytes + r->n, bytes, n);
    r->n += n;
    return MB_OK;
}

/* The checksum of what was put since r->crc was 0. */
static mb_status put_crc(mb_record *r, mb_err *err)
{
    unsigned char crc[MB_RECORD_CRC_];

    (void)mb_put_u32_(crc, r->crc);
    return put(r, crc, sizeof crc, err);
}

/* The line of a call that n bytes follow. */
static mb_status put_line(mb_record *r, const mb_called *c, size_t n, mb_err *err)
{
    const mb_record_line_ line = {.n = (uint32_t)n,
                                  .call = (uint32_t)c->call,
                                  .now = c->now,
                                  .id = c->id,
                                  .answer = c->answer};
    unsigned char         bytes[MB_RECORD_LINE_];

    if (n > UINT32_MAX)
        MB_FAIL(err, MB_E_ARG, "%s: got a call with %zu bytes; expected at most %lu", r->file, n,
                (unsigned long)UINT32_MAX);
    mb_record_put_line_(&line, bytes);
    r->calls += (int64_t)(sizeof bytes + n + (n ? MB_RECORD_CRC_ : 0));
    MB_TRY(put(r, bytes, sizeof bytes, err));
    r->crc = 0;
    return MB_OK;
}

static mb_status put_whole(mb_record *r, const mb_called *c, const void *bytes, size_t n,
                           mb_err *err)
{
    MB_TRY(put_line(r, c, n, err));
    if (!n)
        return MB_OK;
    MB_TRY(put(r, bytes, n, err));
    return put_crc(r, err);
}

static size_t emit(char *to, size_t at, const char *s)
{
    if (to)
        memcpy(to + at, s, strlen(s));
    return at + strlen(s);
}

static size_t emit_end(char *to, size_t at)
{
    if (to)
        to[at] = 0;
    return at + 1;
}

/* With masks: what they follow from, and the members. */
static size_t emit_mask(const mb_record *r, char *to, size_t at)
{
    char text[64];

    if (!r->declared)
        return at;
    snprintf(text, sizeof text, "mask=%s%" PRIx64, r->mask.simulated ? "simulated," : "",
             r->mask.from);
    at = emit_end(to, emit(to, at, text));
    return emit_end(to, emit(to, emit(to, at, "members="), r->declared));
}

/* The texts of the head into `to` (NULL: none is written); how many bytes. */
static size_t texts(const mb_record *r, const mb_peer_opt *o, char *to)
{
    const mb_plan *plan = o->plan;
    char           number[64];
    mb_sizes       size;
    size_t         at = emit_end(to, emit(to, 0, plan->kind->name));

    for (const mb_opt *k = plan->kind->opts; k && k->name; k++) {
        const char *value = number;

        if (mb_opt_is_text(k))
            value = *(const char *const *)(const void *)((const char *)plan->kind_opt + k->at);
        else
            mb_opt_text(k, plan->kind_opt, number, sizeof number);
        if (value)
            at = emit_end(to, emit(to, emit(to, emit(to, at, k->name), "="), value));
    }
    if (mb_node_algo_named_(plan))
        at = emit_end(to, emit(to, emit(to, at, "algorithm="), mb_node_algo_named_(plan)));
    for (int32_t d = 0; plan->bounds && d < plan->columns; d++) {
        snprintf(number, sizeof number, "bounds=%.17g,%.17g", plan->bounds->low[d],
                 plan->bounds->high[d]);
        at = emit_end(to, emit(to, at, number));
    }
    at = emit_end(to, emit_mask(r, to, at));
    for (int32_t d = 0; d < plan->columns; d++)
        at = emit_end(to, emit(to, at, plan->column[d]));
    at = emit_end(to, emit(to, at, o->name ? o->name : ""));
    mb_plan_sizes(plan, &size);
    return size.columns ? emit_end(to, emit(to, at, size.columns->text)) : at;
}

/* What a genesis file says of its members, as JSON. */
static mb_status declare(mb_record *r, const mb_called *c, mb_err *err)
{
    const mb_genesis g = {.columns = c->opt->plan->columns, .declared = c->opt->declared};
    mb_json_out      j;
    char            *text;
    size_t           n;

    mb_json_begin(&j, r->a, err);
    mb_json_object(&j, NULL);
    mb_declared_write_(&j, &g);
    mb_json_close(&j);
    MB_TRY(mb_json_end(&j, &text, &n));
    r->declared = text;
    r->mask = *c->mask;
    return MB_OK;
}

/* What the head says of the plan. */
static mb_status describe(mb_record *r, const mb_called *c, mb_err *err)
{
    const mb_peer_opt *o = c->opt;
    mb_numbers         list[MB_NUMBERS_MAX];

    if (c->mask)
        MB_TRY(declare(r, c, err));

    for (const mb_opt *k = o->plan->kind->opts; k && k->name; k++)
        if (mb_plan_numbers_(o->plan, k, list))
            MB_FAIL(err, MB_E_NOSUP, "%s: got %s as numbers in memory; expected it as text",
                    r->file, k->name);
    r->plan = mb_plan_hash_(o->plan);
    r->ntexts = texts(r, o, NULL);
    MB_NEW(r->texts, r->a, r->ntexts, err);
    (void)texts(r, o, r->texts);
    return MB_OK;
}

static mb_status put_head(mb_record *r, mb_err *err)
{
    const mb_record_head_ h = {.magic = MB_RECORD_MAGIC_,
                               .texts = (uint32_t)r->ntexts,
                               .plan = r->plan,
                               .seed = r->opt.plan->seed,
                               .from = (uint32_t)r->opt.plan->from,
                               .columns = (uint32_t)r->opt.plan->columns,
                               .segment = r->segment};
    unsigned char         bytes[MB_RECORD_HEAD_];

    mb_record_put_head_(&h, bytes);
    r->crc = 0;
    MB_TRY(put(r, bytes, sizeof bytes, err));
    MB_TRY(put(r, r->texts, r->ntexts, err));
    return put_crc(r, err);
}

static mb_status put_new(mb_record *r, const mb_called *c, mb_err *err)
{
    unsigned char options[MB_RECORD_OPTIONS_];

    mb_record_put_opt_(&r->opt, options);
    return put_whole(r, c, options, sizeof options, err);
}

/* The file becomes the older one; it begins again with what the node is now. */
static mb_status turn(mb_record *r, const mb_called *c, mb_err *err)
{
    const mb_called made = {.call = MB_CALL_NEW, .now = c->now, .id = -1};
    const mb_called resumed = {.call = MB_CALL_RESUME, .now = c->now, .id = -1};
    const size_t    n = mb_peer_whole_(c->peer);

    MB_TRY(spill(r, NULL, 0, err));
    MB_TRY(close_file(r, err));
    if (rename(r->file, r->older) != 0)
        return mb_io_failed_(r->older, "write", errno, err);
    r->segment++;
    MB_TRY(put_head(r, err));
    MB_TRY(put_new(r, &made, err));
    MB_TRY(mb_peer_save_whole_(c->peer, r->work, r->work_room, err));
    MB_TRY(put_whole(r, &resumed, r->work, n, err));
    r->calls = 0;
    return spill(r, NULL, 0, err);
}

/* What an earlier process left; there may be none. */
static void clear(const mb_record *r)
{
    if (r->how.keep) {
        (void)rename(r->file, r->older);
        return;
    }
    (void)remove(r->file);
    (void)remove(r->older);
}

/* A life begins; with the first one the file does. */
static mb_status begin(mb_record *r, const mb_called *c, mb_err *err)
{
    const size_t saved = mb_peer_whole_(c->peer), block = mb_genesis_bytes(c->opt->plan);
    const size_t most = saved > block ? saved : block;

    r->opt = *c->opt;
    if (most > r->work_room) {
        MB_NEW(r->work, r->a, most, err);
        r->work_room = most;
    }
    if (r->begun && mb_plan_hash_(c->opt->plan) != r->plan)
        MB_FAIL(err, MB_E_ARG, "%s: got a node of another plan; expected the same in all lives",
                r->file);
    if (!r->begun) {
        MB_TRY(describe(r, c, err));
        clear(r);
        MB_TRY(put_head(r, err));
        r->begun = 1;
    }
    return put_new(r, c, err);
}

/* The row's number, rows, columns, 1 with weights, 2 with gaps and 4 with groups; then the numbers. */
static mb_status put_rows(mb_record *r, const mb_called *c, mb_err *err)
{
    const mb_rows *x = c->rows;
    const size_t   n = (size_t)x->n, d = (size_t)x->d;
    const size_t   count = n * (d + (x->w != NULL) + (x->first != NULL));
    unsigned char  head[MB_RECORD_ROWS_], number[8];

    (void)mb_put_u32_(
        mb_put_u32_(mb_put_u64_(mb_put_u64_(head, (uint64_t)c->number), n), (uint32_t)x->d),
        (x->w != NULL) + (x->gaps ? 2u : 0u) + (x->first ? 4u : 0u));
    MB_TRY(put_line(r, c, sizeof head + 8 * count, err));
    MB_TRY(put(r, head, sizeof head, err));
    for (size_t l = 0; l < count; l++) {
        (void)mb_put_f64_(number, mb_record_number_(x, l));
        MB_TRY(put(r, number, sizeof number, err));
    }
    return put_crc(r, err);
}

static mb_status put_call(mb_record *r, const mb_called *c, mb_err *err)
{
    unsigned char sum[MB_RECORD_SUM_];
    mb_genesis    block;
    size_t        n;

    switch (c->call) {
    case MB_CALL_NEW:
        return begin(r, c, err);
    case MB_CALL_GENESIS:
        block = *c->genesis;
        MB_TRY(mb_genesis_encode(&block, r->work, r->work_room, &n, err));
        return put_whole(r, c, r->work, n, err);
    case MB_CALL_APPEND:
    case MB_CALL_REPLACE:
        return put_rows(r, c, err);
    case MB_CALL_REMOVE:
        (void)mb_put_u64_(sum, (uint64_t)c->number);
        return put_whole(r, c, sum, 8, err);
    case MB_CALL_FRAME:
    case MB_CALL_SAVE:
        (void)mb_put_u64_(mb_put_u64_(sum, c->n), mb_bytes_hash(c->bytes, c->n));
        return put_whole(r, c, sum, sizeof sum, err);
    default:
        return put_whole(r, c, c->bytes, c->n, err);
    }
}

static mb_status record(mb_record *r, const mb_called *c, mb_err *err)
{
    if (!r->begun && c->call != MB_CALL_NEW)
        MB_FAIL(err, MB_E_ARG, "%s: got %s; expected mb_peer_new first", r->file,
                mb_call_text(c->call));
    MB_TRY(put_call(r, c, err));
    if (!r->how.hold && (c->call == MB_CALL_TICK || c->call == MB_CALL_END))
        MB_TRY(spill(r, NULL, 0, err));
    /* What is drawn is drawn within a call, which is not made yet. */
    if (c->call == MB_CALL_END || c->call == MB_CALL_RANDOM || r->calls <= r->how.limit / 2)
        return MB_OK;
    return turn(r, c, err);
}

mb_status mb_record_call(mb_record *r, const mb_called *c, mb_err *err)
{
    mb_status st;

    if (!r->failed.code) {
        st = record(r, c, &r->failed);
        if (st >= 0)
            return MB_OK;
        r->failed.code = st;
        r->n = 0;
    }
    if (err)
        *err = r->failed;
    return r->failed.code;
}

static mb_status make(mb_record *r, mb_err *err)
{
    r->file = mb_text(r->a, err, "%s", r->how.file);
    r->older = mb_text(r->a, err, "%s.1", r->how.file);
    if (!r->file || !r->older)
        return MB_E_NOMEM;
    r->room = r->how.hold ? r->how.hold : BUFFER;
    MB_NEW(r->bytes, r->a, r->room, err);
    return MB_OK;
}

mb_status mb_record_open(const mb_record_opt *opt, mb_record **out, mb_err *err)
{
    mb_arena  *a;
    mb_record *r;
    mb_status  st;

    if (!opt->file || !*opt->file)
        MB_FAIL(err, MB_E_ARG, "file: got none; expected the name of a record");
    if (opt->limit && opt->limit < MB_RECORD_LEAST)
        MB_FAIL(err, MB_E_ARG, "limit: got %lld; expected %d bytes or more", (long long)opt->limit,
                MB_RECORD_LEAST);
    a = mb_arena_new(1 << 10);
    r = a ? mb_alloc(a, 1, sizeof *r) : NULL;
    if (!r) {
        mb_arena_free(a);
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a record");
    }
    r->a = a;
    r->how = *opt;
    r->how.limit = opt->limit ? opt->limit : MB_RECORD_LIMIT;
    st = make(r, err);
    if (st < 0)
        mb_arena_free(a);
    else
        *out = r;
    return st;
}

mb_status mb_record_close(mb_record *r, mb_err *err)
{
    mb_status st = MB_OK, closed;

    if (!r)
        return MB_OK;
    if (r->failed.code) {
        st = r->failed.code;
        if (err)
            *err = r->failed;
    } else {
        st = spill(r, NULL, 0, err);
    }
    closed = close_file(r, st < 0 ? NULL : err);
    mb_arena_free(r->a);
    return st < 0 ? st : closed;
}

static const char *const calls[MB_CALLS] = {
    "mb_peer_new",    "mb_peer_genesis", "mb_peer_load",    "mb_peer_resume", "mb_peer_link",
    "mb_peer_unlink", "mb_peer_append",  "mb_peer_replace", "mb_peer_remove", "mb_peer_hear",
    "mb_peer_tick",   "mb_peer_frame",   "mb_peer_save",    "the end",        "mb_peer_reset_",
    "random bytes",   "mb_peer_without"};

const char *mb_call_text(mb_call call)
{
    return calls[call];
}
