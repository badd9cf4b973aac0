/* cmd_replay.c - `meshbayes replay FILE`: runs one node again on what a flight recorder has kept, and
 * compares all that it answers to the bit. */
#include "up/record.h"

#include <stdlib.h>
#include <string.h>

/* The file, and the node that runs again. */
typedef struct replay {
    mb_arena   *a;
    const char *file;
    const char *at, *end; /* what has not been read */
    mb_plan     plan;
    const char *name;
    mb_arena   *own; /* of the node's life */
    mb_peer    *peer;
    void       *room; /* for frames and checkpoints */
    size_t      bytes;
    int64_t     calls, lives, frames, saves, ticks;
} replay;

static mb_status broken(const replay *r, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT,
            "%s: got a file that ends or is damaged after call %lld; expected a "
            "file of meshbayes up --record",
            r->file, (long long)r->calls);
}

static mb_status take(replay *r, void *to, size_t n, mb_err *err)
{
    if ((size_t)(r->end - r->at) < n)
        return broken(r, err);
    memcpy(to, r->at, n);
    r->at += n;
    return MB_OK;
}

/* The next text of the head, which ends at `end`. */
static mb_status text(replay *r, const char *end, const char **out, mb_err *err)
{
    const char *zero = r->at < end ? memchr(r->at, 0, (size_t)(end - r->at)) : NULL;

    if (!zero)
        return broken(r, err);
    *out = r->at;
    r->at = zero + 1;
    return MB_OK;
}

static mb_status columns(replay *r, const char *end, mb_err *err)
{
    const char **name, *word = "";
    const char  *from = r->at;

    do {
        MB_TRY(text(r, end, &word, err));
        r->plan.columns += *word != 0;
    } while (*word);
    MB_NEW(name, r->a, r->plan.columns + 1, err);
    r->at = from;
    for (int32_t d = 0; d <= r->plan.columns; d++)
        MB_TRY(text(r, end, &name[d], err));
    r->plan.column = name;
    return MB_OK;
}

static mb_status head(replay *r, mb_err *err)
{
    uint32_t    start[2];
    uint64_t    last[2];
    const char *word = "", *end;
    char       *opt;

    MB_TRY(take(r, start, sizeof start, err));
    if (start[0] != RECORD_MAGIC || start[1] > (size_t)(r->end - r->at))
        return broken(r, err);
    end = r->at + start[1];
    MB_TRY(text(r, end, &word, err));
    r->plan.kind = mb_kind_find(word);
    if (!r->plan.kind)
        MB_FAIL(err, MB_E_FORMAT, "%s: got model \"%.40s\"; expected one of this program", r->file,
                word);
    MB_NEW(opt, r->a, r->plan.kind->opt_size + 1, err);
    MB_TRY(mb_opt_defaults(r->plan.kind->opts, opt, err));
    MB_TRY(text(r, end, &word, err));
    while (*word) {
        MB_TRY(mb_opt_assign(r->plan.kind->opts, opt, word, err));
        MB_TRY(text(r, end, &word, err));
    }
    r->plan.kind_opt = opt;
    MB_TRY(columns(r, end, err));
    MB_TRY(text(r, end, &r->name, err));
    MB_TRY(take(r, last, sizeof last, err));
    r->plan.seed = last[0];
    r->plan.from = (mb_genesis_from)last[1];
    return MB_OK;
}

/* A life begins. */
static mb_status create(replay *r, const record_head *h, const char *bytes, mb_err *err)
{
    double      fields[RECORD_FIELDS];
    mb_peer_opt o;

    if (h->n != sizeof fields)
        return broken(r, err);
    memcpy(fields, bytes, sizeof fields);
    record_options_of(fields, &o);
    o.name = r->name;
    o.plan = &r->plan;
    mb_arena_free(r->own);
    free(r->room);
    r->room = NULL;
    r->peer = NULL;
    r->own = mb_arena_new(1 << 16);
    if (!r->own)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the node");
    MB_TRY(mb_peer_new(r->own, &o, &r->peer, err));
    r->bytes = mb_peer_frame_max(r->peer) > mb_peer_saved(r->peer) ? mb_peer_frame_max(r->peer)
                                                                   : mb_peer_saved(r->peer);
    r->room = malloc(r->bytes);
    if (!r->room)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the node");
    r->lives++;
    return MB_OK;
}

static mb_status append(replay *r, const record_head *h, const char *bytes, mb_err *err)
{
    const double *x = (const double *)(const void *)bytes;
    mb_rows       rows;
    double       *copy;

    if (h->n < 3 * sizeof(double))
        return broken(r, err);
    MB_NEW(copy, r->own, h->n / sizeof(double) + 1, err);
    memcpy(copy, x, h->n);
    rows = (mb_rows){.x = copy + 3, .n = (int64_t)copy[0], .d = (int32_t)copy[1]};
    rows.ld = (size_t)rows.d;
    if (copy[2] > 0)
        rows.w = copy + 3 + rows.n * rows.d;
    if (rows.n < 0 || rows.d < 1 ||
        h->n / sizeof(double) != (size_t)(3 + rows.n * rows.d + (rows.w ? rows.n : 0)))
        return broken(r, err);
    return mb_peer_append(r->peer, h->now, &rows, NULL, err);
}

static mb_status differs(const replay *r, const record_head *h, const char *what, mb_err *err)
{
    MB_FAIL(err, MB_E_PEER,
            "%s: call %lld (%s, clock %lld ms): got another answer than the one recorded", r->file,
            (long long)r->calls, what, (long long)h->now);
}

/* What the node wrote, against the sum of what it wrote then. */
static mb_status compare(replay *r, const record_head *h, const char *bytes, size_t n,
                         const char *what, mb_err *err)
{
    uint64_t sum[2];

    if (h->n != sizeof sum)
        return broken(r, err);
    memcpy(sum, bytes, sizeof sum);
    if (sum[0] != n || sum[1] != mb_bytes_hash(r->room, n))
        return differs(r, h, what, err);
    return MB_OK;
}

static mb_status frame(replay *r, const record_head *h, const char *bytes, mb_err *err)
{
    size_t n = 0;

    MB_TRY(mb_peer_frame(r->peer, (int32_t)h->id, r->room, r->bytes, &n, err));
    r->frames++;
    return compare(r, h, bytes, n, "a frame", err);
}

static mb_status save(replay *r, const record_head *h, const char *bytes, mb_err *err)
{
    MB_TRY(mb_peer_save(r->peer, r->room, r->bytes, err));
    r->saves++;
    return compare(r, h, bytes, mb_peer_saved(r->peer), "a checkpoint", err);
}

static mb_status genesis(replay *r, const record_head *h, const char *bytes, mb_err *err)
{
    mb_genesis g;

    MB_TRY(mb_genesis_decode(r->own, bytes, h->n, &g, err));
    return mb_peer_genesis(r->peer, &g, err);
}

/* Calls whose answer is a status that was recorded. */
static mb_status answered(const replay *r, const record_head *h, mb_status st, const char *what,
                          mb_err *err)
{
    return st == (mb_status)h->answer ? MB_OK : differs(r, h, what, err);
}

static mb_status step(replay *r, const record_head *h, const char *bytes, mb_err *err)
{
    if (h->call != MB_CALL_NEW && !r->peer)
        return broken(r, err);
    switch (h->call) {
    case MB_CALL_NEW:
        return create(r, h, bytes, err);
    case MB_CALL_GENESIS:
        return genesis(r, h, bytes, err);
    case MB_CALL_LOAD:
        return answered(r, h, mb_peer_load(r->peer, bytes, h->n, NULL), "a checkpoint read", err);
    case MB_CALL_LINK:
        return mb_peer_link(r->peer, (int32_t)h->id, err);
    case MB_CALL_UNLINK:
        return mb_peer_unlink(r->peer, (int32_t)h->id, err);
    case MB_CALL_APPEND:
        return append(r, h, bytes, err);
    case MB_CALL_HEAR:
        return answered(r, h,
                        (mb_status)mb_peer_hear(r->peer, h->now, (int32_t)h->id, bytes, h->n, NULL),
                        "a frame heard", err);
    case MB_CALL_TICK:
        r->ticks++;
        return answered(r, h, mb_peer_tick(r->peer, h->now, NULL), "a tick", err);
    case MB_CALL_FRAME:
        return frame(r, h, bytes, err);
    case MB_CALL_SAVE:
        return save(r, h, bytes, err);
    case MB_CALL_END:
        return MB_OK;
    default:
        return broken(r, err);
    }
}

static mb_status run_again(replay *r, mb_err *err)
{
    MB_TRY(head(r, err));
    while (r->at < r->end) {
        record_head h;
        const char *bytes;

        MB_TRY(take(r, &h, sizeof h, err));
        if (h.n > (size_t)(r->end - r->at))
            return broken(r, err);
        bytes = r->at;
        r->at += h.n;
        r->calls++;
        MB_TRY(step(r, &h, bytes, err));
    }
    printf("node %s: %lld lives, %lld ticks, %lld frames and %lld checkpoints are the same to the "
           "bit\n",
           r->name, (long long)r->lives, (long long)r->ticks, (long long)r->frames,
           (long long)r->saves);
    return MB_OK;
}

typedef struct replay_opt {
    const char *file;
} replay_opt;

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const replay_opt *o = opt;
    replay            r = {.a = a, .file = o->file};
    char             *bytes;
    size_t            n;
    mb_status         st;

    if (!o->file)
        MB_FAIL(err, MB_E_ARG, "got no file; expected: meshbayes replay FILE");
    MB_TRY(mb_file_read(a, o->file, &bytes, &n, err));
    r.at = bytes;
    r.end = bytes + n;
    st = run_again(&r, err);
    mb_arena_free(r.own);
    free(r.room);
    return st;
}

static const mb_opt options[] = {{.name = NULL}};

const app_command app_cmd_replay = {
    .name = "replay",
    .summary = "run a recorded node of a mesh again",
    .usage = "meshbayes replay FILE",
    .text =
        "\nReads a file that `meshbayes up --record DIR` wrote for a node, runs this node again on "
        "all that it received (rows, frames, the time, checkpoints), and compares every frame, "
        "checkpoint and answer with those of the run, to the bit. The first difference is "
        "printed with its call.\n"
        "\nExit status: 0 all is the same; 1 a difference, or no such file; 2 wrong usage.\n",
    .options = options,
    .size = sizeof(replay_opt),
    .most_words = 1,
    .words_at = offsetof(replay_opt, file),
    .work = work};
