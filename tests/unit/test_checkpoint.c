/* Checkpoints: a resumed run is bit-identical to one that was never interrupted; the previous
 * checkpoint is used when the newest is incomplete. */
#include "keeping_small.h"
#include "test.h"

#include <sys/stat.h>

enum { HALF = 23, WHOLE = 47 };

static const mb_faults rough = {
    .loss = 0.1, .loss_directed = 0.1, .silent = 0.1, .delay = 3, .seed = 9};

/* A run of `algo` and its uninterrupted twin. */
static void goes_on(const world *w, const mb_algo *algo, const mb_faults *f, const char *dir)
{
    keeping *one = keeping_of(world_run(w, algo, "", f), dir);
    keeping *first = keeping_of(world_run(w, algo, "", f), dir);
    keeping *second = keeping_of(world_run(w, algo, "", f), dir);

    keeping_go(one, WHOLE);
    keeping_go(first, HALF);
    keeping_save(first, 0);
    must(keeping_load(second));
    expect_same_rows(second->r, first->r);
    assert_int_equal(second->once, 1000 + HALF);
    assert_int_equal(second->journal.n, 3);
    assert_memory_equal(second->journal.bytes, "a,b", 3);
    keeping_go(second, WHOLE);
    expect_same_rows(second->r, one->r);
    assert_int_equal(second->r->state.sent.bytes, one->r->state.sent.bytes);
    assert_int_equal(second->r->state.sent.frames, one->r->state.sent.frames);
    keeping_end(one);
    keeping_end(first);
    keeping_end(second);
}

TEST(every_algorithm_goes_on_bit_for_bit)
{
    scratch *s = *state;

    for (const mb_algo *const *algo = mb_algo_list(); *algo; algo++)
        goes_on(gmm_world(s->a, keeping_net(*algo), MB_METROPOLIS, 5, 20), *algo, NULL,
                scratch_path(s, (*algo)->name));
}

TEST(messages_on_their_way_are_stored)
{
    scratch *s = *state;

    for (const mb_algo *const *algo = mb_algo_list(); *algo; algo++)
        if (!((*algo)->needs & MB_NEEDS_EVERY_MSG))
            goes_on(gmm_world(s->a, keeping_net(*algo), MB_METROPOLIS, 5, 20), *algo, &rough,
                    scratch_path(s, (*algo)->name));
}

/* What the stopping rule compares with is stored: a resumed run ends in the same round. */
static void check_same_end(scratch *s, const mb_algo *algo)
{
    const world *w = small(s);
    int64_t      ended[2];

    for (int k = 0; k < 2; k++) {
        keeping *a = keeping_of(world_run(w, algo, "", NULL), scratch_path(s, algo->name)), *b;

        must(mb_stop_new(s->a, &a->r->problem, 1e-6, NULL, &a->stop, &s->err));
        if (k) {
            keeping_go(a, ended[0] - 2);
            assert_int_equal(a->r->state.t, ended[0] - 2);
            keeping_save(a, 0);
            b = keeping_of(world_run(w, algo, "", NULL), a->c.dir);
            must(mb_stop_new(s->a, &b->r->problem, 1e-6, NULL, &b->stop, &s->err));
            must(keeping_load(b));
            keeping_end(a);
            a = b;
        }
        keeping_go(a, 5000);
        ended[k] = a->r->state.t;
        keeping_end(a);
    }
    assert_in_range(ended[0], 10, 4999);
    assert_int_equal(ended[0], ended[1]);
}

TEST(the_stop_rule_ends_the_run_in_the_same_round)
{
    check_same_end(*state, &mb_algo_edge);
    check_same_end(*state, &mb_algo_sum);
}

static int32_t three(const void *opt)
{
    (void)opt;
    return 3;
}

TEST(messages_of_more_vectors_are_another_run)
{
    scratch *s = *state;
    mb_algo  more = mb_algo_sum;
    keeping *k = saved(s, small(s), &mb_algo_sum, NULL), *b;

    more.vectors = three;
    b = keeping_of(world_run(small(s), &more, "", NULL), k->c.dir);
    assert_int_equal(keeping_load(b), MB_E_ARG);
    s->err = b->r->err;
    scratch_expect(s, MB_E_ARG, MB_E_ARG, "made with length of a message");
    keeping_end(k);
    keeping_end(b);
}

/* The run of `w` seen by process `me` of `parts`. */
static run *share_of(const world *w, const mb_algo *algo, const mb_faults *f, int32_t parts,
                     int32_t me)
{
    const int32_t n = w->net->part.n_local;
    int32_t      *owner = mb_alloc(w->a, (size_t)n, sizeof *owner);
    mb_part      *part = mb_alloc(w->a, 1, sizeof *part);
    run          *r = mb_alloc(w->a, 1, sizeof *r);

    mb_split_blocks(n, parts, owner);
    for (int32_t i = 0; i < n; i++)
        owner[i] = parts - 1 - (owner[i] + i) % parts; /* ids of a part are not in one piece */
    must(mb_part_share(w->a, &w->net->topology.g, &w->net->weights, owner, me, part, &r->err));
    part->tree = tree_of_share(w->a, &w->net->topology.g, w->net->part.tree, part);
    r->w = w;
    r->problem = (mb_problem){.model = &w->model,
                              .algo = algo,
                              .opt = world_options(w, algo, "", f),
                              .part = part,
                              .rows = w->rows,
                              .scale = n};
    must(mb_state_new(w->a, &r->problem, &r->state, &r->err));
    r->faults = w->net->tp;
    r->faults.part = part;
    r->problem.tp = &r->faults;
    return r;
}

TEST(a_process_finds_its_own_nodes)
{
    scratch *s = *state;

    for (const mb_algo *const *algo = mb_algo_list(); *algo; algo++) {
        const world *w = gmm_world(s->a, keeping_net(*algo), MB_METROPOLIS, 5, 20);
        keeping *all = keeping_of(world_run(w, *algo, "", NULL), scratch_path(s, (*algo)->name));

        keeping_go(all, HALF);
        keeping_save(all, 0);
        for (int32_t parts = 1; parts <= 4; parts++)
            for (int32_t me = 0; me < parts; me++) {
                keeping *k = keeping_of(share_of(w, *algo, NULL, parts, me), all->c.dir);

                must(keeping_load(k));
                expect_same_rows(k->r, all->r);
                keeping_end(k);
            }
        keeping_end(all);
    }
}

TEST(the_one_before_is_used)
{
    scratch     *s = *state;
    const world *w = small(s);
    keeping     *a = keeping_of(world_run(w, &mb_algo_edge, "", NULL), scratch_path(s, "c"));
    keeping     *b = keeping_of(world_run(w, &mb_algo_edge, "", NULL), a->c.dir);

    for (int64_t t = 3; t <= 9; t += 3) {
        keeping_go(a, t);
        keeping_save(a, t == 9);
    }
    remove(scratch_path(s, "c/round-000000009-edge-end/manifest.mbck"));
    must(keeping_load(b));
    assert_int_equal(b->r->state.t, 6);
    assert_int_equal(b->refused, 1);
    /* The continued run overwrites the refused checkpoint. */
    keeping_go(b, 9);
    keeping_save(b, 1);
    b->refused = 0;
    must(keeping_load(b));
    assert_int_equal(b->r->state.t, 9);
    assert_int_equal(b->refused, 0);
    keeping_end(a);
    keeping_end(b);
}

TEST(the_newest_two_of_a_name_are_retained)
{
    scratch     *s = *state;
    const world *w = small(s);
    keeping     *a = keeping_of(world_run(w, &mb_algo_edge, "", NULL), scratch_path(s, "c"));
    keeping     *b = keeping_of(world_run(w, &mb_algo_dsvb, "", NULL), a->c.dir);
    struct stat  st;
    int32_t      count;

    keeping_go(b, 2);
    keeping_save(b, 0);
    for (int64_t t = 1; t <= 4; t++) {
        keeping_go(a, t);
        keeping_save(a, 0);
    }
    must(mb_checkpoint_count(a->c.dir, &count, &s->err));
    assert_int_equal(count, 3);
    assert_int_equal(stat(scratch_path(s, "c/round-000000003-edge"), &st), 0);
    assert_int_equal(stat(scratch_path(s, "c/round-000000004-edge"), &st), 0);
    assert_int_equal(stat(scratch_path(s, "c/round-000000002-dsvb"), &st), 0);
    keeping_end(a);
    keeping_end(b);
}

TEST(an_observer_saves_every_so_many_rounds)
{
    scratch     *s = *state;
    const world *w = small(s);
    keeping     *a = keeping_of(world_run(w, &mb_algo_edge, "", NULL), scratch_path(s, "c"));
    mb_observer  obs[2] = {a->stop};
    struct stat  st;
    int32_t      count;

    assert_int_equal(mb_checkpoint_watch(s->a, &a->c, 0, 20, &obs[1], &s->err), MB_E_ARG);
    must(mb_checkpoint_watch(s->a, &a->c, 4, 20, &obs[1], &s->err));
    must(world_go(a->r, 20, 1, obs, 2));
    must(mb_checkpoint_count(a->c.dir, &count, &s->err));
    assert_int_equal(count, 2);
    assert_int_equal(stat(scratch_path(s, "c/round-000000012-edge"), &st), 0);
    assert_int_equal(stat(scratch_path(s, "c/round-000000016-edge"), &st), 0);
    keeping_end(a);
}

TEST(another_option_is_named)
{
    scratch *s = *state;
    keeping *k = saved(s, small(s), &mb_algo_edge, NULL);
    int64_t  t = 0;

    must(mb_checkpoint_find(&k->c, &t, &s->err));
    assert_int_equal(t, 7);
    k->fact[1].value = "0.2";
    assert_int_equal(keeping_load(k), MB_E_ARG);
    s->err = k->r->err;
    scratch_expect(s, MB_E_ARG, MB_E_ARG, "made with loss 0.1, but this run has 0.2");
    scratch_expect(s, mb_checkpoint_find(&k->c, &t, &s->err), MB_E_ARG, "made with loss 0.1");
    keeping_end(k);
}

/* Of two versions one may have an option more: at its default it changes nothing. */
TEST(options_of_another_version_matter_unless_they_are_defaults)
{
    scratch *s = *state;
    keeping *k = saved(s, small(s), &mb_algo_edge, NULL);
    int64_t  t = 0;

    k->fact[1] = (mb_fact){"delay", "0", MB_FACT_DEFAULT};
    scratch_expect(s, mb_checkpoint_find(&k->c, &t, &s->err), MB_E_ARG,
                   "was made with loss 0.1, which this version does not know");
    assert_int_equal(keeping_load(k), MB_E_ARG);
    k->fact[1] = (mb_fact){"loss", "0.1", MB_FACT_SET};
    k->fact[2] = (mb_fact){"delay", "3", MB_FACT_SET};
    k->c.nfact = 3;
    scratch_expect(s, mb_checkpoint_find(&k->c, &t, &s->err), MB_E_ARG,
                   "by a version without delay, but this run has 3");
    k->fact[2] = (mb_fact){"delay", "0", MB_FACT_DEFAULT};
    must(mb_checkpoint_find(&k->c, &t, &s->err));
    must(keeping_load(k));
    k->fact[0] = k->fact[2]; /* in any order */
    k->fact[2] = (mb_fact){"seed", "5", MB_FACT_SET};
    must(keeping_load(k));
    must(mb_checkpoint_save(&k->c, &k->r->problem, &k->r->state, 0, &s->err));
    k->fact[0] = k->fact[2];
    k->c.nfact = 2;
    must(keeping_load(k));
    keeping_end(k);
}

TEST(another_network_is_reported)
{
    scratch *s = *state;
    keeping *k = saved(s, small(s), &mb_algo_edge, NULL);
    world   *w = gmm_world(s->a, "ring:n=3", MB_METROPOLIS, 3, 12);
    keeping *b = keeping_of(world_run(w, &mb_algo_edge, "", NULL), k->c.dir);

    assert_int_equal(keeping_load(b), MB_E_ARG);
    s->err = b->r->err;
    scratch_expect(s, MB_E_ARG, MB_E_ARG, "another network: node number 1");
    k->stamp[1]++;
    assert_int_equal(keeping_load(k), MB_E_ARG);
    s->err = k->r->err;
    scratch_expect(s, MB_E_ARG, MB_E_ARG, "was made with other rows: at node number 2");
    keeping_end(k);
    keeping_end(b);
}

TEST(none_is_no_error)
{
    scratch *s = *state;
    keeping *k = saved(s, small(s), &mb_algo_edge, NULL);
    int32_t  count = -1;
    int64_t  t;

    k->c.name = "flow";
    assert_int_equal(keeping_load(k), MB_QUIET);
    assert_int_equal(mb_checkpoint_find(&k->c, &t, &s->err), MB_QUIET);
    must(mb_checkpoint_count(scratch_path(s, "no"), &count, &s->err));
    assert_int_equal(count, 0);
    keeping_end(k);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
