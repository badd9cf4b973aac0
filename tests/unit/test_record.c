/* The flight recorder: what a file holds, runs again to the bit, also from a checkpoint in the middle of
 * a life; damage to the file is found. */
#include "base/text.h"
#include "blend.h"
#include "data/file.h"
#include "mesh/guarded.h"
#include "scratch.h"
#include "test.h"
#include "virtual_record.h"

#include <sys/stat.h>

#define PART "part.mbr"

/* Node 1 of a ring of six under all faults, with a crash and rows that arrive. */
typedef struct world {
    const char *file, *older;
    mb_record  *rec;
    int64_t     calls, bytes; /* of node 1 since its record began to be counted */
    uint64_t    hash;         /* of all its frames */
    int64_t     frames;
    int64_t     reset_at; /* round after which it is reset; 0: never */
} world;

/* The node is reset at run time, as the command of the daemon does. */
static mb_status reset(world *w, const mb_called *c, mb_err *e)
{
    mb_peer_status is;
    mb_called      call = *c;

    mb_peer_look(c->peer, c->now, &is);
    if (!w->reset_at || is.rounds != w->reset_at)
        return MB_OK;
    w->reset_at = 0;
    call.call = MB_CALL_RESET;
    mb_peer_reset_((mb_peer *)(uintptr_t)c->peer);
    w->calls++;
    return w->rec ? mb_record_call(w->rec, &call, e) : MB_OK;
}

static mb_status see(void *self, const mb_virtual *v, const mb_called *c, mb_err *e)
{
    world *w = self;

    (void)v;
    if (c->node != 1)
        return MB_OK;
    w->calls++;
    if (c->call == MB_CALL_FRAME) {
        w->frames++;
        w->hash = mix(w->hash, c->bytes, c->n);
    }
    if (w->rec)
        MB_TRY(mb_record_call(w->rec, c, e));
    return c->call == MB_CALL_TICK ? reset(w, c, e) : MB_OK;
}

static void run(world *w, int64_t limit, mb_wire wire, int64_t seconds)
{
    static const double      x[4] = {1, 2, 3, 4};
    const mb_rows            more = {.x = x, .n = 2, .d = 2, .ld = 2};
    mb_event                 event[] = {{.at_us = 2 * SECOND, .kind = MB_EVENT_KILL, .a = 1},
                                        {.at_us = 3 * SECOND, .kind = MB_EVENT_START, .a = 1},
                                        {.at_us = 4 * SECOND, .kind = MB_EVENT_ROWS, .a = 1, .rows = &more}};
    mesh_world              *m = ring(event, 3);
    const mb_record_opt      how = {.file = w->file, .limit = limit};
    const mb_virtual_watcher watcher = {.self = w, .call = see};
    mb_virtual              *v;

    all_faults(&m->opt);
    m->opt.peer.wire = wire;
    w->hash = 1;
    OK(mb_virtual_new(&m->opt, &v, &err));
    OK(mb_virtual_watch(v, &watcher, &err));
    OK(mb_record_open(&how, &w->rec, &err));
    OK(mb_virtual_run(v, seconds * SECOND, 0, &err));
    OK(mb_record_close(w->rec, &err));
    mb_virtual_free(v);
}

static world named(void **state, const char *name)
{
    world w = {.file = scratch_path(*state, name)};

    w.older = mb_text(arena, &err, "%s.1", w.file);
    return w;
}

/* Runs a record again; what it came to. */
static mb_status again(const char *file, mb_replayed *got)
{
    mb_replay *r;
    mb_status  st = MB_OK;

    *got = (mb_replayed){.id = -1};
    MB_TRY(mb_replay_open(file, &r, &err));
    while (st == MB_OK)
        st = mb_replay_next(r, NULL, &err);
    mb_replay_look(r, got);
    mb_replay_close(r);
    return st;
}

static int64_t size_of(const char *file)
{
    struct stat s;

    return stat(file, &s) ? -1 : (int64_t)s.st_size;
}

static char *content(const char *file, size_t *n)
{
    char *bytes;

    OK(mb_file_read(arena, file, &bytes, n, &err));
    return bytes;
}

TEST(a_life_from_its_birth_is_the_same_to_the_bit)
{
    for (int wire = MB_WIRE_FLOAT64; wire <= MB_WIRE_FLOAT16; wire++) {
        world       w = named(state, "birth.mbr");
        mb_replayed got;

        run(&w, 0, (mb_wire)wire, 8);
        assert_int_equal(again(w.file, &got), MB_STOP);
        assert_int_equal(got.calls, w.calls);
        assert_int_equal(got.frames, w.frames);
        assert_int_equal(got.lives, 2);
        assert_int_equal(got.id, 1);
        assert_int_equal(got.tick, 0);
        assert_int_equal(got.cut, 0);
        assert_int_equal(size_of(w.older), -1);
    }
}

TEST(a_node_that_was_reset_is_the_same_to_the_bit)
{
    static const int64_t limit[] = {0, 60000};

    for (int k = 0; k < 2; k++) {
        world       w = named(state, "reset.mbr");
        mb_replayed got;

        w.reset_at = 15;
        run(&w, limit[k], MB_WIRE_FLOAT64, 8);
        assert_int_equal(w.reset_at, 0);
        assert_int_equal(again(w.file, &got), MB_STOP);
        if (!limit[k])
            assert_int_equal(got.calls, w.calls);
    }
}

TEST(a_bounded_record_continues_from_its_checkpoint)
{
    for (int wire = MB_WIRE_FLOAT64; wire <= MB_WIRE_FLOAT16; wire++) {
        world       w = named(state, "bounded.mbr");
        mb_replayed got, newest;
        int64_t     files;

        run(&w, 60000, (mb_wire)wire, 14);
        assert_int_equal(again(w.file, &got), MB_STOP);
        assert_int_equal(got.files, 2);
        assert_in_range(got.tick, 20, 1000);
        assert_in_range(got.calls, 100, w.calls / 2);
        assert_int_equal(got.lives, 1);
        assert_int_equal(again(w.older, &newest), MB_STOP);
        assert_int_equal(newest.files, 1);
        assert_in_range(newest.calls, 50, got.calls);
        /* The newest half of the bound at least, all of it at most, without what two segments begin
         * with and the call that is one too many. */
        files = size_of(w.file) + size_of(w.older);
        assert_true(files >= 30000);
        assert_true(size_of(w.older) >= 30000);
        remove(w.older);
        assert_int_equal(again(w.file, &newest), MB_STOP);
        assert_true(newest.tick > got.tick);
        assert_int_equal(newest.files, 1);
    }
}

TEST(the_calls_of_both_files_are_within_the_bound)
{
    world      w = named(state, "within.mbr");
    mb_replay *r;
    mb_called  c;
    int64_t    calls = 0, most = 0;

    run(&w, 60000, MB_WIRE_FLOAT64, 8);
    OK(mb_replay_open(w.file, &r, &err));
    while (mb_replay_next(r, &c, &err) == MB_OK)
        if (c.call != MB_CALL_NEW && c.call != MB_CALL_RESUME) {
            const int64_t n = 28 + (int64_t)c.n + (c.n ? 4 : 0);

            calls += n;
            most = n > most ? n : most;
            assert_non_null(c.peer);
        }
    mb_replay_close(r);
    assert_in_range(calls, 30000, 60000 + 2 * most);
}

TEST(a_record_that_was_cut_runs_to_its_last_whole_call)
{
    world       w = named(state, "cut.mbr");
    mb_replayed whole, got;
    const char *part;
    char       *bytes;
    size_t      n, head = 0;
    int64_t     last = 0;

    run(&w, 0, MB_WIRE_FLOAT64, 3);
    bytes = content(w.file, &n);
    assert_int_equal(again(w.file, &whole), MB_STOP);
    for (size_t at = 0; at <= n; at += at < 2000 ? 1 : 997) {
        part = scratch_bytes(*state, PART, bytes, at);
        if (again(part, &got) != MB_STOP) {
            assert_non_null(strstr(err.msg, PART));
            assert_int_equal(got.id, -1); /* in the head: there is no call */
            head = at;
            continue;
        }
        assert_true(got.calls >= last && got.calls <= whole.calls);
        last = got.calls;
    }
    assert_in_range(head, 40, 1000);
    part = scratch_bytes(*state, PART, bytes, n - 1);
    assert_int_equal(again(part, &got), MB_STOP);
    assert_int_equal(got.cut, 1);
    assert_int_equal(got.calls, whole.calls - 1);
}

TEST(a_changed_byte_is_found)
{
    world       w = named(state, "whole.mbr");
    const char *part;
    mb_replayed got;
    char       *bytes;
    size_t      n;

    run(&w, 0, MB_WIRE_FLOAT64, 1);
    bytes = content(w.file, &n);
    for (size_t at = 0; at < n; at += at < 1500 ? 1 : 499) {
        mb_status st;

        bytes[at] ^= 16;
        part = scratch_bytes(*state, PART, bytes, n);
        st = again(part, &got);
        assert_true(st == MB_E_FORMAT);
        assert_non_null(strstr(err.msg, PART));
        bytes[at] ^= 16;
    }
}

static void put_u32(char *at, uint32_t x)
{
    for (int k = 0; k < 4; k++)
        at[k] = (char)(x >> 8 * k);
}

static uint32_t get_u32(const char *at)
{
    uint32_t x = 0;

    for (int k = 0; k < 4; k++)
        x |= (uint32_t)(unsigned char)at[k] << 8 * k;
    return x;
}

/* The place of the k-th call of a kind in the bytes of a record (docs/formats.md). */
static size_t find_call(const char *bytes, size_t n, mb_call call, int k)
{
    size_t at = 36 + get_u32(bytes + 4) + 4;

    for (; at + 28 <= n; at += 28 + get_u32(bytes + at) + (get_u32(bytes + at) ? 4 : 0))
        if (get_u32(bytes + at + 4) == call && !k--)
            return at;
    fail_msg("no such call");
    return 0;
}

TEST(another_answer_is_found)
{
    world       w = named(state, "answer.mbr");
    const char *part;
    mb_replayed got;
    char       *bytes;
    size_t      n, at;

    run(&w, 0, MB_WIRE_FLOAT64, 1);
    bytes = content(w.file, &n);
    at = find_call(bytes, n, MB_CALL_FRAME, 20) + 28;
    bytes[at + 9] ^= 1; /* of the sum of a frame */
    put_u32(bytes + at + 16, mb_crc32(0, bytes + at, 16));
    part = scratch_bytes(*state, PART, bytes, n);
    assert_int_equal(again(part, &got), MB_E_PEER);
    assert_non_null(strstr(err.msg, "(mb_peer_frame, clock"));
    assert_int_equal(got.frames, 21);
    bytes[at + 9] ^= 1;
    put_u32(bytes + at + 16, mb_crc32(0, bytes + at, 16));
    at = find_call(bytes, n, MB_CALL_TICK, 10);
    bytes[at + 20] = 3; /* its answer */
    put_u32(bytes + at + 24, mb_crc32(0, bytes + at, 24));
    part = scratch_bytes(*state, PART, bytes, n);
    assert_int_equal(again(part, &got), MB_E_PEER);
    assert_non_null(strstr(err.msg, "(mb_peer_tick, clock"));
}

TEST(a_later_process_leaves_the_record_of_the_one_before)
{
    world               w = named(state, "later.mbr");
    const mb_record_opt keep = {.file = w.file, .keep = 1};
    const mb_rows       row = {.x = (const double[]){1, 2}, .n = 1, .d = 2, .ld = 2};
    mesh_world         *m = mesh_make("ring:n=6", 20);
    mb_peer_opt o = {.id = 1, .incarnation = 9, .plan = &m->plan, .rows = 3, .neighbours = 1};
    mb_called   c = {.call = MB_CALL_NEW, .opt = &o};
    mb_replayed got;
    mb_peer    *p;

    run(&w, 0, MB_WIRE_FLOAT64, 1);
    OK(mb_record_open(&keep, &w.rec, &err));
    assert_int_equal(mb_record_call(w.rec, &(mb_called){.call = MB_CALL_TICK}, &err), MB_E_ARG);
    assert_int_equal(mb_record_close(w.rec, &err), MB_E_ARG);
    OK(mb_record_open(&keep, &w.rec, &err));
    OK(mb_peer_new(arena, &o, &p, &err));
    c.peer = p;
    OK(mb_record_call(w.rec, &c, &err));
    for (int k = 0; k < 3; k++) {
        OK(mb_peer_append(p, 5, &row, NULL, &err));
        OK(mb_record_call(
            w.rec, &(mb_called){.call = MB_CALL_APPEND, .now = 5, .peer = p, .rows = &row}, &err));
    }
    OK(mb_peer_replace(p, 6, 1, row.x, 1, &err));
    OK(mb_record_call(
        w.rec,
        &(mb_called){.call = MB_CALL_REPLACE, .now = 6, .peer = p, .rows = &row, .number = 1},
        &err));
    OK(mb_peer_remove(p, 0, &err));
    OK(mb_record_call(w.rec, &(mb_called){.call = MB_CALL_REMOVE, .now = 7, .peer = p}, &err));
    OK(mb_record_close(w.rec, &err));
    assert_int_equal(again(w.file, &got), MB_STOP);
    assert_int_equal(got.files, 2);
    assert_int_equal(got.lives, 2);
    assert_int_equal(got.now, 7);
    remove(w.file);
    assert_int_equal(again(w.file, &got), MB_STOP); /* killed between two segments */
    assert_int_equal(got.lives, 1);
}

TEST(what_cannot_be_recorded_is_refused)
{
    world         w = named(state, "refused.mbr");
    mb_record_opt how = {.file = w.file, .limit = 10};
    mesh_world   *m = mesh_make("ring:n=6", 20);
    double        mu0[2] = {1, 2};
    mb_peer_opt   o = {.id = 1, .incarnation = 1, .plan = &m->plan, .neighbours = 1};
    mb_peer      *p;

    assert_int_equal(mb_record_open(&how, &w.rec, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "limit: got 10; expected 1000 bytes or more"));
    how.limit = 0;
    m->gmm.mu0_at = mu0;
    OK(mb_peer_new(arena, &o, &p, &err));
    OK(mb_record_open(&how, &w.rec, &err));
    assert_int_equal(
        mb_record_call(w.rec, &(mb_called){.call = MB_CALL_NEW, .opt = &o, .peer = p}, &err),
        MB_E_NOSUP);
    assert_non_null(strstr(err.msg, "got prior.mu0 as numbers in memory"));
    assert_int_equal(mb_record_close(w.rec, &err), MB_E_NOSUP);
    must(mb_record_close(NULL, &err));
    how.file = scratch_path(*state, "no/such/folder");
    m->gmm.mu0_at = NULL;
    OK(mb_record_open(&how, &w.rec, &err));
    OK(mb_record_call(w.rec, &(mb_called){.call = MB_CALL_NEW, .opt = &o, .peer = p}, &err));
    assert_int_equal(mb_record_call(w.rec, &(mb_called){.call = MB_CALL_TICK, .peer = p}, &err),
                     MB_E_IO);
    assert_int_equal(mb_record_close(w.rec, &err), MB_E_IO);
}

/* The record names the algorithm; replay needs one that is listed. */
TEST(an_algorithm_of_the_callers_own_is_named)
{
    world       w = named(state, "algorithm.mbr");
    mb_replayed got;
    mesh_world *m = mesh_make("ring:n=6", 20);
    mb_peer_opt o = {.id = 1, .incarnation = 1, .plan = &m->plan, .neighbours = 1};
    mb_peer    *p;

    m->plan.algo = &blend;
    OK(mb_peer_new(arena, &o, &p, &err));
    OK(mb_record_open(&(mb_record_opt){.file = w.file}, &w.rec, &err));
    OK(mb_record_call(w.rec, &(mb_called){.call = MB_CALL_NEW, .opt = &o, .peer = p}, &err));
    OK(mb_record_close(w.rec, &err));
    assert_int_equal(again(w.file, &got), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "algorithm.mbr: algorithm: got blend; expected edge"));
}

TEST(every_tick_is_on_the_disk)
{
    world       w = named(state, "tick.mbr");
    mb_replayed got;
    mesh_world *m = mesh_make("ring:n=6", 20);
    mb_peer_opt o = {.id = 1, .incarnation = 1, .plan = &m->plan, .neighbours = 1};
    mb_peer    *p;

    OK(mb_peer_new(arena, &o, &p, &err));
    OK(mb_record_open(&(mb_record_opt){.file = w.file}, &w.rec, &err));
    OK(mb_record_call(w.rec, &(mb_called){.call = MB_CALL_NEW, .opt = &o, .peer = p}, &err));
    for (int64_t t = 1; t < 4; t++) {
        OK(mb_peer_tick(p, 20 * t, &err));
        OK(mb_record_call(w.rec, &(mb_called){.call = MB_CALL_TICK, .now = 20 * t, .peer = p},
                          &err));
        assert_int_equal(again(w.file, &got), MB_STOP);
        assert_int_equal(got.ticks, t);
    }
    OK(mb_record_close(w.rec, &err));
}

int main(void)
{
    each_test(scratch_begin, scratch_end);
    return run_all_tests(arena_up, arena_down);
}
