/* Only changes leave: what is heard, what is sent, and what counts as delivered. */
#include "arena.h"
#include "base/vector.h"
#include "net.h"
#include "test.h"
#include "transport/transport.h"

#include <math.h>

enum { LEN = 8, LONG = 400 };

typedef struct line {
    net           *n;
    mb_layout      layout;
    mb_mail        mail;
    mb_transport   faults, tp;
    int64_t        frames, bytes;
    const int32_t *hops;
} line;

/* delay: what the transport expects. */
static line *make_late(const char *network, const mb_faults *f, int64_t delay)
{
    line   *k = mb_alloc(arena, 1, sizeof *k);
    mb_err  err;
    mb_mail mail;

    k->n = net_make(arena, network);
    must(mb_layout_add(&k->layout, &mb_dirichlet, 3, 1, &err));
    must(mb_layout_add(&k->layout, &mb_dirichlet, LEN - 3, 1, &err));
    must(mb_mail_new(arena, &k->n->part, MB_PER_NEIGHBOUR, LEN, &k->mail, &err));
    mail = mb_changes_mail_(&k->mail);
    k->hops = tree_depths(arena, &k->n->topology.g, &k->n->part);
    if (f)
        must(mb_transport_faults(arena, &k->n->tp, f, &mail, &k->faults, &err));
    must(mb_transport_changes(arena, f ? &k->faults : &k->n->tp, &mb_algo_edge, &k->layout, k->hops,
                              delay, &k->mail, &k->tp, &err));
    return k;
}

static line *make(const char *network, const mb_faults *f)
{
    return make_late(network, f, f ? f->delay : 0);
}

/* Number l of what is said on edge e at a time: it moves, and less and less; at the end it stands. */
static double said(int64_t t, int64_t e, size_t l)
{
    const double still = 40 + (double)e + 3 * (double)l, s = (double)(t < LONG / 2 ? t : LONG / 2);

    return l < 3 ? 1e-3 * still : still * (1 + cos(s) * exp(-s / 5));
}

/* A round in which time stands at `now`. */
static void go(line *k, int64_t t, int64_t now)
{
    mb_err err;

    for (int64_t e = 0; e < k->n->part.g.ptr[k->n->part.n_local]; e++)
        for (size_t l = 0; l < LEN; l++)
            k->mail.plane[(size_t)e * k->mail.ld + l] = said(now, e, l);
    for (int32_t i = 0; i < k->n->part.n_local; i++)
        k->mail.sent[i] = 1;
    must(k->tp.ops->begin(&k->tp, t, &k->mail, &err));
    must(k->tp.ops->end(&k->tp, t, -1, &k->mail, &err));
    k->frames = k->bytes = 0;
    for (int32_t i = 0; i < k->n->part.n_local; i++) {
        k->frames += k->mail.left[i].frames;
        k->bytes += k->mail.left[i].bytes;
    }
}

/* How far what is heard on edge e is from what is said there, relative. */
static double off(const line *k, int64_t e)
{
    const double *m = k->mail.plane + (size_t)k->n->part.g.rev[e] * k->mail.ld;
    double        worst = 0;

    for (size_t l = 0; k->mail.from[e] && l < LEN; l++)
        worst = fmax(worst, fabs(k->mail.from[e][l] - m[l]) / fabs(m[l]));
    return k->mail.from[e] ? worst : (double)INFINITY;
}

static double farthest_off(const line *k)
{
    double worst = 0;

    for (int64_t e = 0; e < k->n->part.g.ptr[k->n->part.n_local]; e++)
        worst = fmax(worst, off(k, e));
    return worst;
}

/* A receiver that has nothing but the bytes, on the one edge to node 0 of two. */
TEST(what_is_heard_is_what_the_bytes_say)
{
    line         *k = make("path:n=2", NULL);
    double        has[LEN] = {0};
    unsigned char bytes[8 * LEN];
    int64_t       went = 0;

    for (int64_t t = 1; t <= LONG; t++) {
        const double *m = k->mail.plane + k->mail.ld;

        go(k, t, t);
        if (k->mail.left[1].frames) {
            mb_vector_code_(&k->layout, LEN, m, has, MB_CODE_FLOAT16_, bytes, NULL);
            assert_true(mb_vector_decode_(&k->layout, LEN, bytes, has, MB_CODE_FLOAT16_, has));
            assert_int_equal(k->mail.left[1].bytes,
                             16 + mb_vector_size_(&k->layout, LEN, MB_CODE_FLOAT16_));
            went++;
        }
        assert_memory_equal(k->mail.from[0], has, sizeof has);
    }
    assert_true(went > 3 && went < LONG / 4);
}

TEST(nothing_leaves_while_nothing_changes)
{
    line *k = make("star:n=6", NULL);

    for (int64_t t = 1; t <= LONG; t++)
        go(k, t, t);
    assert_int_equal(k->frames, 0);
    assert_int_equal(k->bytes, 0);
    assert_true(farthest_off(k) < 1e-12);
    for (int64_t e = 0; e < k->n->part.g.ptr[6]; e++)
        assert_int_equal(k->mail.fresh[e], 1);
    go(k, LONG + 1, 3);
    assert_int_equal(k->frames, k->n->part.g.ptr[6]);
}

/* A round in which every message is that of the beginning, multiplied; new: the links on which one came
 * that the neighbour had not. */
static int64_t came(line *k, int64_t t, double times, uint8_t *new)
{
    const int64_t links = k->n->part.g.ptr[k->n->part.n_local];
    int64_t       n = 0;
    mb_err        err;

    for (int64_t e = 0; e < links; e++)
        for (size_t l = 0; l < LEN; l++)
            k->mail.plane[(size_t)e * k->mail.ld + l] = times * said(LONG, e, l);
    for (int32_t i = 0; i < k->n->part.n_local; i++)
        k->mail.sent[i] = 1;
    must(k->tp.ops->begin(&k->tp, t, &k->mail, &err));
    must(k->tp.ops->end(&k->tp, t, -1, &k->mail, &err));
    for (int64_t e = 0; e < links; e++)
        n += new[e] = off(k, e) < 1e-2;
    return n;
}

/* Also where two neighbours have as many hops, as in a ring of 5. .375 of a block is above the share of
 * the beginning, which is .3, and .8 above twice that. */
TEST(the_two_ends_of_a_link_send_in_turn_unless_much_has_changed)
{
    static const char *const networks[] = {"ring:n=5", "star:n=6", "complete:n=4"};

    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        line           *k = make(networks[n], NULL);
        const mb_graph *g = &k->n->part.g;
        const int64_t   links = g->ptr[g->n];
        uint8_t new[64];

        assert_int_equal(came(k, 1, 1, new), links);
        assert_int_equal(came(k, 2, 1.6, new), links / 2);
        for (int64_t e = 0; e < links; e++)
            assert_int_equal(new[e] + new[g->rev[e]], 1);
        assert_int_equal(came(k, 3, 1.6, new), links);
        assert_int_equal(came(k, 4, 8, new), links);
    }
}

TEST(where_messages_may_be_late_no_end_waits)
{
    line *k = make_late("ring:n=5", NULL, 3);
    uint8_t new[64];

    assert_int_equal(came(k, 1, 1, new), k->n->part.g.ptr[5]);
    assert_int_equal(came(k, 2, 1.6, new), k->n->part.g.ptr[5]);
}

TEST(until_a_message_is_known_to_have_come_one_leaves_in_every_round)
{
    line   *k = make("path:n=2", &(mb_faults){.loss_directed = .8, .seed = 5});
    int64_t t = 1;

    for (; !k->mail.from[0] || !k->mail.from[1]; t++) {
        const int unheard = !k->mail.from[1];

        go(k, t, 3);
        assert_true(!unheard || k->mail.left[0].bytes > 16);
    }
    assert_true(t > 4);
}

static void expect_open(const mb_faults *f)
{
    line   *k = make("ring:n=5", f);
    int64_t again = 0;

    for (int64_t t = 1; t <= LONG; t++) {
        go(k, t, t);
        for (int64_t e = 0; e < k->n->part.g.ptr[5]; e++) {
            assert_false(k->mail.fresh[e] && !k->mail.from[e]);
            again += k->mail.fresh[e] == MB_AGAIN;
        }
    }
    assert_true(again > 0 && farthest_off(k) < 1e-12);
}

TEST(a_link_that_holds_something_back_has_not_delivered)
{
    line *k = make("path:n=2", NULL);

    go(k, 1, 100);
    assert_int_equal(k->mail.fresh[0], 1);
    for (int64_t t = 2; k->mail.left[1].frames || t == 2; t++)
        go(k, t, 6);
    assert_true(off(k, 0) > 1e-12);
    assert_int_equal(k->mail.fresh[0], MB_AGAIN);
}

/* Half of the frames are lost, acknowledgements among them, and late. */
TEST(lost_messages_and_acknowledgements_leave_no_difference)
{
    expect_open(&(mb_faults){.loss_directed = .5, .seed = 3});
    expect_open(&(mb_faults){.loss_directed = .3, .delay = 3, .silent = .1, .seed = 4});
    expect_open(&(mb_faults){.delay = 20, .seed = 5});
}

/* It may have arrived, and its acknowledgement been lost: then the neighbour does not have what it had
 * acknowledged before. */
TEST(a_message_that_goes_there_and_back_is_sent_again)
{
    line   *k = make("ring:n=5", &(mb_faults){.loss_directed = .5, .seed = 7});
    int64_t t = 0;

    for (t = 1; t < LONG; t++)
        go(k, t, t);
    for (int times = 0; times < 20; times++) {
        go(k, ++t, 3);
        for (int n = 0; n < 50; n++)
            go(k, ++t, LONG);
        assert_true(farthest_off(k) < 1e-12);
    }
}

TEST(acknowledgements_cost_a_head_and_end_where_all_is_known)
{
    line   *k = make("ring:n=5", &(mb_faults){.loss_directed = .3, .seed = 6});
    int64_t heads = 0, frame = 16 + (int64_t)mb_vector_size_(&k->layout, LEN, MB_CODE_FLOAT16_);

    for (int64_t t = 1; t <= 2 * LONG; t++) {
        go(k, t, t);
        heads += k->frames - (k->bytes - 16 * k->frames) / (frame - 16);
    }
    assert_true(heads > 0);
    assert_int_equal(k->frames, 0);
}

TEST(algorithms_that_need_whole_messages_are_refused)
{
    line        *k = make("path:n=2", NULL);
    mb_transport tp;
    mb_err       err;

    assert_int_equal(mb_transport_changes(arena, &k->n->tp, &mb_algo_flow, &k->layout, k->hops, 0,
                                          &k->mail, &tp, &err),
                     MB_E_NOSUP);
    assert_non_null(strstr(err.msg, "flow"));
}

RUN_TESTS(arena_up, arena_down)
