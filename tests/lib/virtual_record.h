/* virtual_record.h - what a watcher of a virtual network sees of a ring of six nodes. */
#ifndef MB_TEST_VIRTUAL_RECORD_H
#define MB_TEST_VIRTUAL_RECORD_H

#include "mesh_world.h"
#include "test.h"

#include <stdlib.h>

enum { SECOND = 1000000, TICK_AT = 40 /* of a frame: the sender's tick, 8 bytes */ };

/* What is remembered of the calls and events. */
typedef struct record {
    uint64_t hash;           /* of all calls and events                     */
    int64_t  from_us, to_us; /* the calls counted below are within these    */
    int64_t  received[8][8]; /* [from][to]                                  */
    int64_t  calls[8];       /* of each node                                */
    int64_t  count[MB_CALLS];
    int64_t  delay[3]; /* least, largest, sum, us                     */
    int64_t  delays;
    int64_t  sent[8][8][4096]; /* when the frame of a tick left; 0: not        */
    uint64_t last[8][8];       /* tick of the frame heard last                */
    int64_t  back;             /* frames heard after newer ones               */
    int64_t  same;             /* frames heard twice in a row                 */
    int64_t  jump;             /* largest step of a node's clock, ms           */
    int64_t  clock[8];
    int64_t  events[MB_EVENT_KINDS];
    char     note[MB_EVENT_KINDS][160];
    uint64_t saved[64]; /* hashes of checkpoints of node 0, newest last */
    int64_t  saves;
    int64_t  loaded; /* how many saves ago; -1: not one of them      */
} record;

static inline uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    for (size_t k = 0; k < n; k++)
        hash = (hash ^ b[k]) * UINT64_C(1099511628211);
    return hash;
}

static inline uint64_t tick_of(const mb_called *c)
{
    uint64_t tick = 0;

    if (c->n >= TICK_AT + sizeof tick)
        memcpy(&tick, (const unsigned char *)c->bytes + TICK_AT, sizeof tick);
    return tick & 4095;
}

static inline void see_frame(record *r, const mb_called *c)
{
    const uint64_t tick = tick_of(c);
    int64_t        late;

    if (c->call == MB_CALL_FRAME) {
        r->sent[c->node][c->id][tick] = c->at_us;
        return;
    }
    r->received[c->id][c->node]++;
    r->back += tick < r->last[c->id][c->node];
    r->same += tick == r->last[c->id][c->node];
    r->last[c->id][c->node] = tick;
    late = c->at_us - r->sent[c->id][c->node][tick];
    r->delay[0] = r->delays && r->delay[0] < late ? r->delay[0] : late;
    r->delay[1] = r->delay[1] > late ? r->delay[1] : late;
    r->delay[2] += late;
    r->delays++;
}

static inline void see_disk(record *r, const mb_called *c)
{
    const uint64_t hash = mix(1, c->bytes, c->n);

    if (c->node)
        return;
    if (c->call == MB_CALL_SAVE) {
        r->saved[r->saves++ % 64] = hash;
        return;
    }
    if (c->answer != MB_OK)
        return;
    r->loaded = -1;
    for (int64_t k = r->saves - 1; k >= 0 && k > r->saves - 64 && r->loaded < 0; k--)
        if (r->saved[k % 64] == hash)
            r->loaded = r->saves - 1 - k;
}

static inline mb_status see_call(void *self, const mb_virtual *v, const mb_called *c, mb_err *e)
{
    record *r = self;

    (void)v, (void)e;
    r->hash = mix(r->hash, &c->call, sizeof c->call);
    r->hash = mix(r->hash, &c->at_us, sizeof c->at_us);
    r->hash = mix(r->hash, &c->now, sizeof c->now);
    r->hash = mix(r->hash, c->bytes, c->n);
    if (c->at_us < r->from_us || c->at_us > r->to_us)
        return MB_OK;
    r->calls[c->node]++;
    r->count[c->call]++;
    if (c->call == MB_CALL_HEAR || c->call == MB_CALL_FRAME)
        see_frame(r, c);
    if (c->call == MB_CALL_SAVE || c->call == MB_CALL_LOAD)
        see_disk(r, c);
    if (r->clock[c->node])
        r->jump = llabs(c->now - r->clock[c->node]) > llabs(r->jump) ? c->now - r->clock[c->node]
                                                                     : r->jump;
    r->clock[c->node] = c->now;
    return MB_OK;
}

static inline mb_status see_event(void *self, const mb_virtual *v, const mb_event *e,
                                  const char *note, mb_err *er)
{
    record *r = self;

    (void)v, (void)er;
    r->hash = mix(r->hash, &e->kind, sizeof e->kind);
    r->events[e->kind]++;
    snprintf(r->note[e->kind], sizeof r->note[0], "%s", note);
    return MB_OK;
}

/* A ring of six nodes with 20 rows each, with this schedule; NULL: none. */
static inline mesh_world *ring(mb_event *event, int64_t n)
{
    mesh_world *w = mesh_make("ring:n=6", 20);

    w->opt.schedule = (mb_schedule){.n = n, .event = event};
    return w;
}

static inline mb_virtual *watched(mesh_world *w, record *r)
{
    const mb_virtual_watcher watcher = {.self = r, .call = see_call, .event = see_event};
    mb_virtual              *v;

    *r = (record){.to_us = INT64_MAX, .hash = 1};
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_watch(v, &watcher, &err));
    return v;
}

/* Runs to a time and counts from now. */
static inline void run_on(mb_virtual *v, record *r, int64_t to_us)
{
    *r = (record){.from_us = mb_virtual_now(v) + 1, .to_us = INT64_MAX, .hash = r->hash};
    OK(mb_virtual_run(v, to_us, 0, &err));
}

static inline record *new_record(void)
{
    record *r = mb_alloc(arena, 1, sizeof *r);

    assert_non_null(r);
    return r;
}

static inline void all_faults(mb_virtual_opt *o)
{
    o->speed[0] = 1;
    o->speed[1] = 3;
    o->delay_us[0] = 1000;
    o->delay_us[1] = 50000;
    o->loss = 0.3;
    o->duplicate = 0.05;
    o->reorder = 0.1;
    o->corrupt = 0.02;
    o->checkpoint_ticks = 20;
    o->disk_fail = o->disk_torn = o->disk_short = 0.2;
}

/* `got` of n at probability p, within six standard deviations: a false alarm in 5e8. */
static inline void about(int64_t got, double n, double p)
{
    if (!(fabs((double)got - n * p) <= 6 * sqrt(n * p * (1 - p)) + 1))
        fail_msg("%lld of %g; expected about %g", (long long)got, n, n * p);
}

static inline int64_t tally(const mb_virtual *v, mb_tally what)
{
    return mb_virtual_tally(v, what);
}

#endif
