/* The loss that a node states of a link: frames that were written and did not arrive, not ticks for
 * which none was written. */
#include "mesh_fit.h"
#include "test.h"

/* What node 1 says of the frames of node 0 after many ticks of both: node 0 writes one each `pace`
 * ticks, of which one in `drop` (0: none) is lost. */
static double stated(int pace, int drop)
{
    world             w;
    mb_peer_neighbour is;
    int               written = 0;

    up(&w, "path:n=2", MB_GENESIS_GIVEN);
    for (int t = 0; t < 4000; t++) {
        w.m.now += 20;
        OK(mb_peer_tick(w.m.peer[0], w.m.now, &err));
        OK(mb_peer_tick(w.m.peer[1], w.m.now, &err));
        mesh_write(&w.m, 1);
        mesh_deliver(&w.m, 1);
        if (t % pace)
            continue;
        mesh_write(&w.m, 0);
        if (!drop || ++written % drop)
            mesh_deliver(&w.m, 0);
    }
    mb_peer_look_at(w.m.peer[1], w.m.now, 0, &is);
    return is.loss;
}

TEST(ticks_without_a_frame_are_no_loss)
{
    assert_true(fabs(stated(1, 0)) <= 0);
    assert_true(fabs(stated(7, 0)) <= 0);
}

/* The running mean moves by 1/100 a frame, so it swings by a little. */
TEST(lost_frames_are_counted_whatever_the_pace)
{
    assert_true(fabs(stated(1, 4) - 0.25) < 0.05);
    assert_true(fabs(stated(3, 4) - 0.25) < 0.05);
}

/* As after SIGHUP with another address: node 0 drops the link and makes it again, and counts from 1. */
TEST(a_link_that_was_made_again_has_lost_nothing)
{
    world             w;
    mb_peer_neighbour is;

    up(&w, "path:n=2", MB_GENESIS_GIVEN);
    for (int t = 0; t < 200; t++) {
        if (t % 50 == 30) {
            OK(mb_peer_unlink(w.m.peer[0], 1, &err));
            OK(mb_peer_link(w.m.peer[0], 1, &err));
        }
        mesh_tick(&w.m);
    }
    mb_peer_look_at(w.m.peer[1], w.m.now, 0, &is);
    assert_true(fabs(is.loss) <= 0);
    assert_int_equal(is.live, 1);
}

RUN_TESTS(arena_up, arena_down)
