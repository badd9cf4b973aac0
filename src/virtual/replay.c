/* replay.c - a node runs again on what a record holds, and all that it answers is compared. */
#include "base/text.h"
#include "data/data.h"
#include "mesh/guarded.h"
#include "virtual/mask.h"
#include "virtual/record_part.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DRAWN = 64 };

struct mb_replay {
    mb_arena   *a;
    mb_part_    part[2]; /* the older one first */
    int         k, parts;
    int         begun; /* 1: a call of part k was made                       */
    mb_arena   *own;   /* of the node's life                               */
    mb_arena   *now;   /* of what a call is given                          */
    mb_peer    *peer;
    mb_given_   given;
    char       *room; /* for frames and checkpoints                       */
    size_t      bytes;
    char       *end; /* what the node is at the end of the older part; NULL: not known */
    size_t      end_bytes;
    mb_replayed so_far;
    /* With masks: */
    const mb_mask_maker *maker;
    const mb_masks      *made;              /* of the life */
    mb_masks             masks;             /* they, with random bytes of the record */
    const void          *drawn[MOST_DRAWN]; /* within the call that follows */
    size_t               drawn_bytes[MOST_DRAWN];
    int32_t              draws, taken;
};

static mb_status differs(const mb_replay *r, const mb_called *c, mb_err *err)
{
    MB_FAIL(err, MB_E_PEER,
            "%s: call %lld (%s, clock %lld ms): got another answer than the one recorded",
            r->part[r->k].file, (long long)r->so_far.calls, mb_call_text(c->call),
            (long long)c->now);
}

/* ---- masks, whose random bytes are those of the record ---- */

static mb_status draw(void *self, void *to, size_t n, mb_err *err)
{
    mb_replay *r = self;

    if (r->taken == r->draws || n != r->drawn_bytes[r->taken])
        MB_FAIL(err, MB_E_PEER, "random bytes: got a wish for %zu, which the record has not", n);
    memcpy(to, r->drawn[r->taken++], n);
    return MB_OK;
}

static mb_status begin(void *self, int32_t id, const void *record, size_t n, const int32_t *partner,
                       int32_t partners, mb_err *err)
{
    const mb_replay *r = self;

    return r->made->begin(r->made->self, id, record, n, partner, partners, err);
}

static int32_t add(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n, double *w)
{
    const mb_replay *r = self;

    return r->made->add(r->made->self, id, epoch, pass, n, w);
}

static mb_status open_masks(mb_replay *r, int32_t id, mb_err *err)
{
    const mb_part_ *p = &r->part[r->k];

    r->masks = (mb_masks){.self = r, .add = add, .random = draw, .begin = begin};
    if (p->mask.simulated)
        return mb_mask_of_seed_(r->own, p->mask.from, p->declared->members, &r->made, err);
    if (!r->maker)
        MB_FAIL(err, MB_E_ARG,
                "%s: the sums of this node are masked; expected meshbayes-node replay FILE --key "
                "FILE.key, with its key",
                p->file);
    return r->maker->open(r->maker->self, r->own, id, p->declared, p->mask.from, &r->made, err);
}

/* Random bytes for the call that follows. */
static mb_status keep_drawn(mb_replay *r, const mb_called *c, mb_err *err)
{
    if (r->draws == MOST_DRAWN)
        return mb_part_damaged_(&r->part[r->k], "more random bytes than a call draws", err);
    r->drawn[r->draws] = c->bytes;
    r->drawn_bytes[r->draws++] = c->n;
    return MB_OK;
}

void mb_replay_masks(mb_replay *r, const mb_mask_maker *by)
{
    r->maker = by;
}

/* A life begins, or the one whose checkpoint follows. */
static mb_status create(mb_replay *r, const mb_called *c, mb_err *err)
{
    size_t frame, saved;

    mb_arena_free(r->own);
    r->peer = NULL;
    r->own = mb_arena_new(1 << 16);
    if (!r->own)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the node");
    r->given.opt.masks = &r->masks;
    r->given.opt.declared = r->part[r->k].declared;
    if (r->given.opt.declared)
        MB_TRY(open_masks(r, c->opt->id, err));
    MB_TRY(mb_peer_new(r->own, c->opt, &r->peer, err));
    frame = mb_peer_frame_max(r->peer);
    saved = mb_peer_saved(r->peer);
    r->bytes = frame > saved ? frame : saved;
    MB_NEW(r->room, r->own, r->bytes, err);
    r->so_far.id = c->opt->id;
    return MB_OK;
}

/* What the node wrote, against the sum of what it wrote then. */
static mb_status compare(const mb_replay *r, const mb_called *c, size_t n, mb_err *err)
{
    if (r->given.sum[0] != n || r->given.sum[1] != mb_bytes_hash(r->room, n))
        return differs(r, c, err);
    return MB_OK;
}

static mb_status frame(mb_replay *r, const mb_called *c, mb_err *err)
{
    size_t n = 0;

    if (mb_peer_frame(r->peer, c->id, r->room, r->bytes, &n, NULL) != c->answer)
        return differs(r, c, err);
    r->so_far.frames++;
    return compare(r, c, n, err);
}

static mb_status save(mb_replay *r, const mb_called *c, mb_err *err)
{
    MB_TRY(mb_peer_save(r->peer, r->room, r->bytes, err));
    r->so_far.saves++;
    return compare(r, c, mb_peer_saved(r->peer), err);
}

/* The checkpoint of a segment, which is also what the one before ended with. */
static mb_status resume(mb_replay *r, const mb_called *c, mb_err *err)
{
    mb_peer_status is;

    if (r->end && (c->n != r->end_bytes || memcmp(c->bytes, r->end, c->n) != 0))
        MB_FAIL(err, MB_E_PEER, "%s: got another node at its end than the one %s begins with",
                r->part[0].file, r->part[1].file);
    r->end = NULL;
    MB_TRY(mb_peer_resume_whole_(r->peer, c->bytes, c->n, err));
    mb_peer_look(r->peer, c->now, &is);
    if (r->so_far.calls == 2)
        r->so_far.tick = is.tick;
    return MB_OK;
}

/* Makes the call; its answer. */
static int32_t call(mb_replay *r, const mb_called *c)
{
    switch (c->call) {
    case MB_CALL_GENESIS:
        return mb_peer_genesis(r->peer, c->genesis, NULL);
    case MB_CALL_LOAD:
        return mb_peer_load(r->peer, c->bytes, c->n, NULL);
    case MB_CALL_LINK:
        return mb_peer_link(r->peer, c->id, NULL);
    case MB_CALL_UNLINK:
        return mb_peer_unlink(r->peer, c->id, NULL);
    case MB_CALL_APPEND:
        return mb_peer_append(r->peer, c->now, c->rows, NULL, NULL);
    case MB_CALL_REPLACE:
        return mb_peer_replace(r->peer, c->now, c->number, c->rows->x,
                               c->rows->w ? c->rows->w[0] : 1, NULL);
    case MB_CALL_REMOVE:
        return mb_peer_remove(r->peer, c->number, NULL);
    case MB_CALL_HEAR:
        return (int32_t)mb_peer_hear(r->peer, c->now, c->id, c->bytes, c->n, NULL);
    case MB_CALL_TICK:
        r->so_far.ticks++;
        return mb_peer_tick(r->peer, c->now, NULL);
    case MB_CALL_RESET:
        mb_peer_reset_(r->peer);
        return c->answer;
    case MB_CALL_WITHOUT:
        return mb_peer_without(r->peer, c->id, NULL);
    default:
        return c->answer;
    }
}

static mb_status make(mb_replay *r, const mb_called *c, mb_err *err)
{
    if (c->call != MB_CALL_NEW && !r->peer)
        return mb_part_damaged_(&r->part[r->k], "a call of a node that is not there", err);
    if (c->call == MB_CALL_REPLACE && (c->rows->n != 1 || c->rows->d != r->part[r->k].plan.columns))
        return mb_part_damaged_(&r->part[r->k], "rows that cannot be", err);
    switch (c->call) {
    case MB_CALL_NEW:
        return create(r, c, err);
    case MB_CALL_RESUME:
        return resume(r, c, err);
    case MB_CALL_FRAME:
        return frame(r, c, err);
    case MB_CALL_SAVE:
        return save(r, c, err);
    default:
        return call(r, c) == c->answer ? MB_OK : differs(r, c, err);
    }
}

static mb_status step(mb_replay *r, const mb_called *c, mb_err *err)
{
    if (c->call == MB_CALL_RANDOM)
        return keep_drawn(r, c, err);
    MB_TRY(make(r, c, err));
    if (r->taken != r->draws)
        return differs(r, c, err);
    r->draws = r->taken = 0;
    return MB_OK;
}

/* The newer part continues the older one: what the node is now must be what that begins with. */
static mb_status next_part(mb_replay *r, mb_err *err)
{
    const mb_part_ *p = &r->part[r->k];

    r->so_far.cut |= p->cut;
    r->begun = 0;
    r->k++;
    if (r->k < r->parts && r->peer && !p->cut && r->part[r->k].head.segment) {
        r->end_bytes = mb_peer_whole_(r->peer);
        MB_NEW(r->end, r->a, r->end_bytes, err);
        MB_TRY(mb_peer_save_whole_(r->peer, r->end, r->end_bytes, err));
    }
    return MB_OK;
}

/* Counts the call. The first one of a segment is the recorder's, and no life begins with it. */
static void count(mb_replay *r, const mb_called *c)
{
    mb_replayed *s = &r->so_far;
    const int    own = !r->begun && r->part[r->k].head.segment;

    if (!s->calls)
        s->first = c->now;
    s->calls++;
    s->now = c->now;
    s->lives += c->call == MB_CALL_NEW && (!own || !s->lives);
    r->begun = 1;
}

mb_status mb_replay_next(mb_replay *r, mb_called *out, mb_err *err)
{
    mb_called c;
    mb_status st = MB_STOP;

    mb_arena_free(r->now);
    r->now = mb_arena_new(1 << 10);
    if (!r->now)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a call");
    while (r->k < r->parts) {
        st = mb_part_next_(r->now, &r->part[r->k], &c, &r->given, err);
        if (st != MB_STOP)
            break;
        MB_TRY(next_part(r, err));
    }
    if (st != MB_OK)
        return st;
    count(r, &c);
    MB_TRY(step(r, &c, err));
    c.peer = r->peer;
    if (out)
        *out = c;
    return MB_OK;
}

static int exists(const char *file)
{
    FILE *f = fopen(file, "rb");

    return f && !fclose(f);
}

/* The newer part continues the older one, or is of a later process: it begins with a life. Of a process
 * that was killed when its file began, the older one has no whole head, and no calls. */
static int follows(const mb_part_ *older, const mb_part_ *newer)
{
    return newer->cut || !newer->head.segment || newer->head.segment == older->head.segment + 1;
}

static mb_status read(mb_replay *r, const char *file, mb_err *err)
{
    const size_t n = strlen(file);
    const char  *older = mb_text(r->a, err, "%s.1", file), *own = mb_text(r->a, err, "%s", file);
    const int    both = n < 2 || strcmp(file + n - 2, ".1") != 0;

    if (!older || !own)
        return MB_E_NOMEM;
    if (both && exists(older)) {
        const int newer = exists(own);

        MB_TRY(mb_part_read_(r->a, older, newer, &r->part[0], err));
        r->parts = 1;
        if (!newer)
            return MB_OK;
    }
    MB_TRY(mb_part_read_(r->a, own, r->parts, &r->part[r->parts], err));
    if (r->parts && !follows(&r->part[0], &r->part[1]))
        r->part[0] = r->part[1];
    else
        r->parts++;
    return MB_OK;
}

mb_status mb_replay_open(const char *file, mb_replay **out, mb_err *err)
{
    mb_arena  *a = mb_arena_new(1 << 12);
    mb_replay *r = a ? mb_alloc(a, 1, sizeof *r) : NULL;
    mb_status  st;

    if (!r) {
        mb_arena_free(a);
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a replay");
    }
    r->a = a;
    st = read(r, file, err);
    if (st < 0) {
        mb_arena_free(a);
        return st;
    }
    r->so_far.files = r->parts;
    for (int k = 0; k < r->parts; k++)
        if (r->part[k].name)
            r->so_far.name = r->part[k].name;
    *out = r;
    return MB_OK;
}

void mb_replay_look(const mb_replay *r, mb_replayed *out)
{
    *out = r->so_far;
}

void mb_replay_close(mb_replay *r)
{
    if (!r)
        return;
    mb_arena_free(r->own);
    mb_arena_free(r->now);
    mb_arena_free(r->a);
}
