/* Virtual networks share nothing: several at once on threads of one process are bit-identical to runs
 * one after the other. Under the thread sanitizer of script/cibuild. */
#include "test.h"
#include "virtual_record.h"

#include <pthread.h>

enum { NETWORKS = 2 };

typedef struct course {
    mb_virtual *v;
    record     *r;
    mb_status   st;
    mb_err      why;
} course;

static mb_event faults[] = {{.at_us = 2 * SECOND, .kind = MB_EVENT_KILL, .a = 1},
                            {.at_us = 3 * SECOND, .kind = MB_EVENT_START, .a = 1},
                            {.at_us = 4 * SECOND, .kind = MB_EVENT_DRIFT, .a = 2, .x = 1.01}};

static course begun(uint64_t seed)
{
    mesh_world *w = ring(faults, 3);
    course      c = {.r = new_record()};

    all_faults(&w->opt);
    w->opt.seed = seed;
    c.v = watched(w, c.r);
    return c;
}

static void *run(void *self)
{
    course *c = self;

    c->st = mb_virtual_run(c->v, 10 * SECOND, 0, &c->why);
    return NULL;
}

TEST(networks_on_two_threads_give_the_bits_of_one)
{
    course    alone[NETWORKS], both[NETWORKS];
    pthread_t thread[NETWORKS];

    for (int k = 0; k < NETWORKS; k++) {
        alone[k] = begun(3 + (uint64_t)k);
        both[k] = begun(3 + (uint64_t)k);
        run(&alone[k]);
        assert_int_equal(alone[k].st, MB_OK);
    }
    for (int k = 0; k < NETWORKS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, run, &both[k]), 0);
    for (int k = 0; k < NETWORKS; k++)
        assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 0; k < NETWORKS; k++) {
        assert_int_equal(both[k].st, MB_OK);
        assert_true(both[k].r->hash == alone[k].r->hash);
        assert_true(mb_virtual_tally(both[k].v, MB_TALLY_BYTES) ==
                    mb_virtual_tally(alone[k].v, MB_TALLY_BYTES));
        mb_virtual_free(both[k].v);
        mb_virtual_free(alone[k].v);
    }
    assert_true(alone[0].r->hash != alone[1].r->hash);
}

RUN_TESTS(arena_up, arena_down)
