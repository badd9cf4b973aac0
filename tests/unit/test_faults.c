/* Simulated faults: rates, keys, delays. Every message carries its round and its sender.
 *
 * Rates are tested within Z standard deviations of a binomial: false alarms below 1e-8 a test. */
#include "arena.h"
#include "net.h"
#include "test.h"
#include "transport/transport.h"

enum { NODES = 12, ROUNDS = 400 };
static const double Z = 6;

/* sent[t][e]: the round the message came from that edge e heard freshly in round t; -1: none. */
typedef struct record {
    net    *n;
    int64_t edges;
    int64_t received[ROUNDS + 1][NODES * (NODES - 1)];
} record;

static void note(record *r, const mb_mail *mail, int64_t t)
{
    for (int64_t e = 0; e < r->edges; e++) {
        r->received[t][e] = -1;
        if (!mail->from[e])
            continue;
        const int64_t sent = (int64_t)mail->from[e][0];

        assert_int_equal(mail->age[e], t - sent);
        assert_int_equal((int64_t)mail->from[e][1], r->n->part.gid[r->n->part.g.adj[e]]);
        if (mail->fresh[e])
            r->received[t][e] = sent;
    }
}

static record *play_on(net *n, const mb_faults *f)
{
    record      *r = mb_alloc(arena, 1, sizeof *r);
    mb_transport tp;
    mb_mail      mail;
    mb_err       err;

    assert_non_null(r);
    r->n = n;
    r->edges = n->part.g.ptr[NODES];
    must(mb_mail_new(arena, &n->part, MB_BROADCAST, 2, &mail, &err));
    must(mb_transport_faults(arena, &n->tp, f, &mail, &tp, &err));
    assert_int_equal(tp.lossy, 1);
    for (int64_t t = 1; t <= ROUNDS; t++) {
        for (int32_t i = 0; i < NODES; i++) {
            mail.plane[(size_t)i * mail.ld] = (double)t;
            mail.plane[(size_t)i * mail.ld + 1] = n->part.gid[i];
            mail.sent[i] = 1;
        }
        must(tp.ops->begin(&tp, t, &mail, &err));
        must(tp.ops->end(&tp, t, -1, &mail, &err));
        note(r, &mail, t);
    }
    return r;
}

static record *play(const mb_faults *f)
{
    return play_on(net_make(arena, "complete:n=12"), f);
}

static void expect_rate(int64_t hits, int64_t of, double p)
{
    const double n = (double)of;

    assert_true(fabs((double)hits - n * p) <= Z * sqrt(n * p * (1 - p)));
}

static int got(const record *r, int64_t t, int64_t e)
{
    return r->received[t][e] >= 0;
}

TEST(a_link_is_down_in_both_directions_at_its_rate)
{
    const record *r = play(&(mb_faults){.loss = 0.3, .seed = 1});
    int64_t       down = 0;

    for (int64_t t = 1; t <= ROUNDS; t++)
        for (int64_t e = 0; e < r->edges; e++) {
            assert_int_equal(got(r, t, e), got(r, t, r->n->part.g.rev[e]));
            down += e < r->n->part.g.rev[e] && !got(r, t, e);
        }
    expect_rate(down, ROUNDS * r->edges / 2, 0.3);
}

/* Every link has a loss of its own; the draws are those of one loss for all. */
TEST(each_link_is_down_at_its_own_rate)
{
    net            *n = net_make(arena, "complete:n=12");
    const mb_graph *g = &n->topology.g;
    double         *up = doubles((size_t)g->ptr[NODES]);
    const mb_faults f = {.delivery = up, .graph = g, .seed = 1};
    const record   *r, *same;

    for (int32_t i = 0; i < NODES; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            up[e] = 1 - 0.04 * (i + g->adj[e]); /* loss 0.04 to 0.84 */
    r = play_on(n, &f);
    for (int64_t e = 0; e < r->edges; e++) {
        int64_t down = 0;

        for (int64_t t = 1; t <= ROUNDS; t++) {
            assert_int_equal(got(r, t, e), got(r, t, g->rev[e]));
            down += !got(r, t, e);
        }
        expect_rate(down, ROUNDS, 1 - up[e]);
    }
    for (int64_t e = 0; e < r->edges; e++)
        up[e] = 0.75;
    r = play_on(n, &f);
    same = play(&(mb_faults){.loss = 0.25, .seed = 1});
    assert_memory_equal(r->received, same->received, sizeof r->received);
    up[3] = 1.5;
    assert_int_equal(mb_faults_any(&f), 1);
    for (int64_t e = 0; e < r->edges; e++)
        up[e] = 1;
    assert_int_equal(mb_faults_any(&f), 0);
}

TEST(directed_losses_are_independent)
{
    const record *r = play(&(mb_faults){.loss_directed = 0.3, .seed = 1});
    int64_t       one = 0, both = 0, again = 0;

    for (int64_t t = 2; t <= ROUNDS; t++)
        for (int64_t e = 0; e < r->edges; e++) {
            one += !got(r, t, e);
            both += e < r->n->part.g.rev[e] && !got(r, t, e) && !got(r, t, r->n->part.g.rev[e]);
            again += !got(r, t, e) && !got(r, t - 1, e);
        }
    expect_rate(one, (ROUNDS - 1) * r->edges, 0.3);
    expect_rate(both, (ROUNDS - 1) * r->edges / 2, 0.09);
    assert_true(fabs((double)again / (double)((ROUNDS - 1) * r->edges) - 0.09) < 0.01);
}

/* Both kinds at once: a message survives with the product of the probabilities. */
TEST(both_kinds_of_loss_do_not_share_their_draws)
{
    const record *r = play(&(mb_faults){.loss = 0.5, .loss_directed = 0.5, .seed = 4});
    int64_t       received = 0;

    for (int64_t t = 1; t <= ROUNDS; t++)
        for (int64_t e = 0; e < r->edges; e++)
            received += e < r->n->part.g.rev[e] && got(r, t, e);
    expect_rate(received, ROUNDS * r->edges / 2, 0.25);
}

TEST(a_silent_node_reaches_no_other_and_receives)
{
    const record   *r = play(&(mb_faults){.silent = 0.2, .seed = 1});
    const mb_graph *g = &r->n->part.g;
    int64_t         silent = 0;

    for (int64_t t = 1; t <= ROUNDS; t++)
        for (int32_t i = 0; i < NODES; i++) {
            const int received = got(r, t, g->rev[g->ptr[i]]);

            for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
                assert_int_equal(got(r, t, g->rev[e]), received);
            silent += !received;
        }
    expect_rate(silent, ROUNDS * NODES, 0.2);
}

/* Without loss a message of round t is heard in t .. t+R unless a newer one came first: in every
 * round the newest heard is at most R rounds old, and never goes back. */
TEST(delays_are_bounded_and_overtaken_messages_dropped)
{
    enum { R = 3 };
    const record *r = play(&(mb_faults){.delay = R, .seed = 1});
    int64_t       at[R + 1] = {0}, all = 0;

    for (int64_t e = 0; e < r->edges; e++) {
        int64_t newest = 0;

        for (int64_t t = 1; t <= ROUNDS; t++) {
            if (got(r, t, e)) {
                assert_true(r->received[t][e] > newest && r->received[t][e] >= t - R);
                newest = r->received[t][e];
                at[t - newest]++;
                all++;
            }
            assert_true(t <= R || newest >= t - R);
        }
    }
    /* Age 0 is heard whenever it is drawn: a quarter of all messages. Older ones ever less. */
    expect_rate(at[0], ROUNDS * r->edges, 0.25);
    assert_true(at[0] > at[1] && at[1] > at[2] && at[2] > at[3] && at[3] > 0 && all > 0);
}

TEST(the_same_seed_gives_the_same_faults_and_another_others)
{
    const mb_faults f = {.loss_directed = 0.5, .silent = 0.1, .delay = 2, .seed = 8};
    mb_faults       other = f;
    const record   *a = play(&f), *b = play(&f), *c;

    other.seed = 9;
    c = play(&other);
    assert_memory_equal(a->received, b->received, sizeof a->received);
    assert_memory_not_equal(a->received, c->received, sizeof a->received);
}

/* Row i has global id NODES-1-i in the second network: the same pairs meet the same faults. */
TEST(faults_follow_global_ids)
{
    const mb_faults f = {.loss = 0.2, .loss_directed = 0.3, .silent = 0.1, .delay = 1, .seed = 8};
    net            *n = net_make(arena, "complete:n=12");
    int32_t         gid[NODES];
    const record   *a = play(&f), *b;
    const mb_graph *g = &n->part.g;

    for (int32_t i = 0; i < NODES; i++)
        gid[i] = NODES - 1 - i;
    n->part.gid = gid;
    b = play_on(n, &f);
    for (int32_t i = 0; i < NODES; i++) /* complete graph: edge i -> j is at a known place */
        for (int32_t j = 0; j < NODES; j++) {
            const int32_t I = gid[i], J = gid[j];

            if (i == j)
                continue;
            for (int64_t t = 1; t <= ROUNDS; t++)
                assert_int_equal(a->received[t][g->ptr[i] + j - (j > i)],
                                 b->received[t][g->ptr[I] + J - (J > I)]);
        }
}

TEST(certain_loss_delivers_nothing)
{
    const record *r = play(&(mb_faults){.loss_directed = 1, .seed = 1});

    for (int64_t t = 1; t <= ROUNDS; t++)
        for (int64_t e = 0; e < r->edges; e++)
            assert_int_equal(got(r, t, e), 0);
}

TEST(any_says_whether_there_is_a_fault)
{
    assert_int_equal(mb_faults_any(&(mb_faults){.seed = 7}), 0);
    assert_int_equal(mb_faults_any(&(mb_faults){.loss = 0.1}), 1);
    assert_int_equal(mb_faults_any(&(mb_faults){.loss_directed = 0.1}), 1);
    assert_int_equal(mb_faults_any(&(mb_faults){.silent = 0.1}), 1);
    assert_int_equal(mb_faults_any(&(mb_faults){.delay = 1}), 1);
}

TEST(what_is_no_probability_or_delay_is_refused)
{
    const struct {
        mb_faults   f;
        const char *part;
    } bad[] = {
        {{.loss = -0.1}, "loss = -0.1"},         {{.loss_directed = 1.5}, "loss-directed = 1.5"},
        {{.silent = (double)NAN}, "silent ="},   {{.delay = -1}, "delay = -1"},
        {{.delay = 1 << 20}, "delay = 1048576"},
    };
    net         *n = net_make(arena, "path:n=3");
    mb_transport tp;
    mb_mail      mail;
    mb_err       err;

    must(mb_mail_new(arena, &n->part, MB_BROADCAST, 2, &mail, &err));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(mb_transport_faults(arena, &n->tp, &bad[k].f, &mail, &tp, &err), MB_E_ARG);
        assert_non_null(strstr(err.msg, bad[k].part));
    }
}

RUN_TESTS(arena_up, arena_down)
