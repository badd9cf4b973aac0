/* A genesis from sums while nodes die, return and meet; frames that must change nothing. */
#include "base/bytes.h"
#include "mesh/frame.h"
#include "mesh/state.h"
#include "sums_world.h"
#include "test.h"

TEST(when_the_leader_dies_the_next_one_seals_the_rows_that_are_left)
{
    static const uint8_t left[6] = {0, 1, 1, 1, 1, 1};
    world                w;

    up(&w, "ring:n=6", MB_GENESIS_SUMS);
    mesh_ticks(&w.m, 15);
    assert_int_equal(mesh_look(&w.m, 3).run, 0);
    w.m.down = 1 + 0;
    assert_in_range(drawn(&w, mesh_tick, 2000), 20, 2000);
    assert_int_equal(mb_peer_block(w.m.peer[3])->maker, 2);
    assert_block(&w, 3, left);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 5, 5000);
    assert_at_rest(&w, left, 5);
}

TEST(a_late_node_takes_the_block_of_its_neighbours)
{
    static const uint8_t early[6] = {1, 1, 1, 1, 0, 1};
    world                w;

    up(&w, "ring:n=6", MB_GENESIS_SUMS);
    w.m.down = 1 + 4;
    assert_in_range(drawn(&w, mesh_tick, 2000), 5, 2000);
    assert_block(&w, 1, early);
    w.m.down = 0;
    assert_in_range(drawn(&w, mesh_tick, 20), 1, 20);
    assert_block(&w, 4, early);
    mesh_ticks(&w.m, 20);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 1, 5000);
    assert_at_rest(&w, NULL, 6);
}

TEST(a_checkpoint_before_the_block_is_gone_on_with)
{
    world          w;
    unsigned char *bytes;
    size_t         n;

    up(&w, "ring:n=6", MB_GENESIS_SUMS);
    mesh_ticks(&w.m, 12);
    bytes = mesh_saved(w.m.peer[1], &n);
    mesh_ticks(&w.m, 6);
    w.m.peer[1] = another(&w, 1, 2);
    OK(mb_peer_load(w.m.peer[1], bytes, n, &err));
    assert_in_range(drawn(&w, mesh_tick, 2000), 1, 2000);
    assert_block(&w, 1, NULL);
}

/* The frame of a waiting node, of which 8 bytes are another number, with its checksum. */
static mb_refusal hear_changed(world *w, size_t n, size_t at, double x)
{
    unsigned char *frame = w->m.frame;
    unsigned char  was[8];
    uint32_t       crc;
    mb_refusal     why;

    memcpy(was, frame + at, 8);
    memcpy(frame + at, &x, 8);
    crc = mb_crc32c_(frame, n - 4);
    memcpy(frame + n - 4, &crc, 4);
    why = mb_peer_hear(w->m.peer[1], w->m.now, 0, frame, n, &err);
    memcpy(frame + at, was, 8);
    return why;
}

TEST(ends_rows_and_keys_that_cannot_be_change_nothing)
{
    enum { VECTOR = 2 + 2 + 3, HEAD = MB_FRAME_HEAD_ };
    static const double bad[] = {NAN, INFINITY, 1e101, -1e101};
    const size_t        ends = HEAD + 8 * VECTOR, key = ends + 16 * 2;
    world               w;
    unsigned char      *was, *is;
    size_t              n, size;

    up(&w, "path:n=2", MB_GENESIS_SUMS);
    mesh_ticks(&w.m, 5);
    OK(mb_peer_tick(w.m.peer[0], w.m.now, &err));
    OK(mb_peer_frame(w.m.peer[0], 1, w.m.frame, w.m.room, &n, &err));
    assert_int_equal(n, HEAD + 8 * (VECTOR + 2 * 2) + K * (16 + 8 * 2) + 4);
    was = mesh_saved(w.m.peer[1], &size);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(hear_changed(&w, n, ends, bad[k]), MB_REFUSED_VALUE);
        assert_int_equal(hear_changed(&w, n, key, bad[k]), MB_REFUSED_VALUE);
        assert_int_equal(hear_changed(&w, n, key + 16, bad[k]), MB_REFUSED_VALUE);
        assert_int_equal(hear_changed(&w, n, HEAD, 1e20 * bad[k]), MB_REFUSED_VALUE);
    }
    assert_int_equal(hear_changed(&w, n, key, 0), MB_REFUSED_VALUE);
    assert_int_equal(hear_changed(&w, n, ends, -1e6), MB_REFUSED_VALUE); /* the largest is below */
    assert_non_null(strstr(err.msg, "numbers that cannot be"));
    w.m.frame[120]++; /* a row more than K */
    assert_int_equal(hear_changed(&w, n, key + 16, 0), MB_REFUSED_VALUE);
    w.m.frame[120]--;
    is = mesh_saved(w.m.peer[1], &size);
    assert_int_equal(differing(was, is, size), 2); /* what was refused, in all and of this one */
    assert_int_equal(hear_changed(&w, n, key + 16, 100), MB_REFUSED_NONE);
}

/* Rows of the sample that a frame has are repeated at its end until there are `rows`. */
static mb_refusal hear_rows(world *w, size_t n, uint32_t has, uint32_t rows)
{
    enum { EACH = 16 + 8 * COLS, SAMPLES = 120, BYTES = 124 };
    const size_t   more = (size_t)(rows - has) * EACH;
    unsigned char *frame = mb_alloc(arena, n + more, 1);

    memcpy(frame, w->m.frame, n - 4);
    for (uint32_t k = 0; k < rows - has; k++)
        memcpy(frame + n - 4 + (size_t)k * EACH, frame + MB_FRAME_HEAD_ + (size_t)(k % has) * EACH,
               EACH);
    (void)mb_put_u32_(frame + SAMPLES, rows);
    (void)mb_put_u32_(frame + BYTES, (uint32_t)(n + more - MB_FRAME_HEAD_ - 4));
    (void)mb_put_u32_(frame + n + more - 4, mb_crc32c_(frame, n + more - 4));
    return mb_peer_hear(w->m.peer[1], w->m.now, 0, frame, n + more, &err);
}

TEST(a_sample_has_at_most_64_rows)
{
    world  w;
    size_t n;

    up(&w, "path:n=2", MB_GENESIS_SAMPLE);
    OK(mb_peer_tick(w.m.peer[0], w.m.now, &err));
    OK(mb_peer_frame(w.m.peer[0], 1, w.m.frame, w.m.room, &n, &err));
    assert_int_equal(hear_rows(&w, n, ROWS / 2, 65), MB_REFUSED_VALUE);
    assert_int_equal(hear_rows(&w, n, ROWS / 2, 64), MB_REFUSED_NONE);
}

/* Averages overshoot on their way, so a sum of weights may be almost 0: the mean that the node takes
 * from it is then far outside the rows, and squares of the distance are of another order. z is at
 * most 2^1.5 in every column, the mean at most 3: 36 a row. */
TEST(a_weight_near_zero_leaves_sums_in_their_scale)
{
    enum { WEIGHT = 1, SECOND = 2 + COLS };
    world    w;
    mb_peer *p;

    up(&w, "ring:n=6", MB_GENESIS_SUMS);
    mesh_ticks(&w.m, 12);
    p = w.m.peer[1];
    assert_int_equal(mesh_look(&w.m, 1).run, 0);
    p->s[WEIGHT] *= 1e-9;
    mesh_tick(&w.m);
    for (size_t l = SECOND; l < p->sums; l++)
        assert_true(fabs(p->star[l]) <= 36.0 * (double)w.c.data[1].n);
    assert_in_range(drawn(&w, mesh_tick, 2000), 1, 2000);
    assert_block(&w, 1, NULL);
}

RUN_TESTS(arena_up, arena_down)
