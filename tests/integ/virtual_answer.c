/* The mesh on a virtual network: nodes that know neither N nor the network settle on the answer of
 * central VB, whatever links do to frames. */
#include "mesh_world.h"
#include "test.h"

static void report(const char *name, const mb_virtual *v)
{
    printf("%s: %.2f s, %lld ticks, %lld frames, %lld lost\n", name,
           (double)mb_virtual_now(v) * 1e-6, (long long)mb_virtual_tally(v, MB_TALLY_TICKS),
           (long long)mb_virtual_tally(v, MB_TALLY_FRAMES),
           (long long)mb_virtual_tally(v, MB_TALLY_LOST));
}

static void settle(mesh_world *w, const char *name, double seconds)
{
    mb_virtual *v;

    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, (int64_t)(seconds * 1e6), 1, &err));
    report(name, v);
    assert_true(mb_virtual_settled(v));
    assert_int_equal(mesh_check(w, v, 1, 1e-6), 1);
    mb_virtual_free(v);
}

TEST(perfect_links_in_step)
{
    mesh_world *w = mesh_make("geometric:n=50,side=3.5,radius=0.8", 100);

    w->opt.together = 1;
    settle(w, "in step", 120);
}

TEST(loss_and_delay)
{
    mesh_world *w = mesh_make("geometric:n=50,side=3.5,radius=0.8", 100);

    w->opt.loss = 0.3;
    w->opt.delay_us[0] = 1000;
    w->opt.delay_us[1] = 50000;
    settle(w, "loss .3, delay 1..50 ms", 300);
}

/* The nodes draw units, prior and centres themselves. */
TEST(a_genesis_from_sums)
{
    mesh_world *w = mesh_make("geometric:n=50,side=3.5,radius=0.8", 20);
    mb_virtual *v;

    w->plan.from = MB_GENESIS_SUMS;
    w->opt.genesis = NULL;
    w->opt.loss = 0.1;
    w->opt.delay_us[1] = 10000;
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, (int64_t)300 * 1000000, 1, &err));
    report("a genesis from sums, loss .1", v);
    assert_true(mb_virtual_settled(v));
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

RUN_TESTS(arena_up, arena_down)
