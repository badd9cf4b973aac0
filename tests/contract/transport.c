/* What every transport must do, for each there is: alone and with a fault layer that has nothing
 * to do. */
#include "transport/transport.h"
#include "arena.h"
#include "net.h"
#include "test.h"

enum { LEN = 5, ROUNDS = 6 };

/* What node i tells its p-th neighbour in round t; the same for all when it broadcasts. Irregular
 * bits, the first number a signalling NaN: a message may be integers. */
static uint64_t content(int64_t t, int32_t i, int64_t p, size_t l)
{
    const uint64_t nan = UINT64_C(0x7ff0000000000000), payload = UINT64_C(0x7ffffffffffff);
    const uint64_t word =
        ((uint64_t)(10000 * t + 100 * i + 10 * p) + l) * UINT64_C(0x9e3779b97f4a7c15);

    return l ? word : nan | (word & payload);
}

static void write_mail(const mb_part *part, mb_mail *mail, int64_t t)
{
    for (int32_t i = 0; i < part->n_local; i++) {
        const int64_t first = mail->fanout == MB_BROADCAST ? i : part->g.ptr[i];
        const int64_t many = mail->fanout == MB_BROADCAST ? 1 : part->deg[i];

        for (int64_t p = 0; p < many && mail->sent[i]; p++)
            for (size_t l = 0; l < LEN; l++)
                mb_set_word(mail->plane + (size_t)(first + p) * mail->ld, l, content(t, i, p, l));
    }
}

/* Node i is quiet in the rounds where this says so. */
static int quiet(int64_t t, int32_t i)
{
    return t > 1 && (t + i) % 3 == 0;
}

static int64_t last_sent(int64_t t, int32_t i)
{
    while (quiet(t, i))
        t--;
    return t;
}

static void expect_edge(const mb_part *part, const mb_mail *mail, int64_t t, int64_t e)
{
    const int32_t j = part->g.adj[e];
    const int64_t sent = last_sent(t, j);
    const int64_t p = mail->fanout == MB_BROADCAST ? 0 : part->g.rev[e] - part->g.ptr[j];

    assert_int_equal(mail->age[e], t - sent);
    assert_int_equal(mail->fresh[e], sent == t);
    assert_non_null(mail->from[e]);
    for (size_t l = 0; l < LEN; l++)
        assert_true(mb_word(mail->from[e], l) == content(sent, j, p, l));
}

static void run_rounds(mb_transport *tp, const mb_part *part, mb_mail *mail, int64_t from,
                       int64_t to)
{
    mb_err err;

    for (int64_t t = from; t <= to; t++) {
        for (int32_t i = 0; i < part->n_local; i++)
            mail->sent[i] = !quiet(t, i);
        write_mail(part, mail, t);
        must(tp->ops->begin(tp, t, mail, &err));
        must(tp->ops->end(tp, t, -1, mail, &err));
        for (int32_t i = 0; i < part->n_local; i++)
            for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++)
                expect_edge(part, mail, t, e);
    }
}

/* All that one transport holds after round t, given to a new one. */
static void hand_over(mb_transport *old, const mb_mail *from, mb_transport *tp, mb_mail *mail,
                      int64_t t)
{
    mb_letter letter;
    mb_err    err;

    for (int64_t e = 0; e < tp->part->g.ptr[tp->part->n_local]; e++) {
        must(tp->ops->put(tp, t, mail, e, NULL, &err));
        for (int64_t after = -1; old->ops->held(old, t, from, e, after, &letter);) {
            assert_true(letter.sent > after && letter.sent <= t && letter.due >= letter.sent);
            must(tp->ops->put(tp, t, mail, e, &letter, &err));
            after = letter.sent;
        }
    }
}

/* A round that is not over, one before all, a message that took too long. */
static void expect_no_impossible_letter(mb_transport *tp, mb_mail *mail, int64_t t)
{
    const double    row[LEN] = {0};
    const mb_letter bad[] = {{t + 1, t + 1, row}, {-1, 0, row}, {1, 100, row}, {2, 1, row}};
    mb_err          err;

    for (size_t k = 0; k < sizeof bad / sizeof *bad && tp->part->g.ptr[tp->part->n_local]; k++)
        assert_int_equal(tp->ops->put(tp, t, mail, 0, &bad[k], &err), MB_E_FORMAT);
}

static const char *const topologies[] = {"geometric:n=20,side=2,radius=0.8", "star:n=6", "path:n=3",
                                         "complete:n=1"};

/* A transport with mail of its own. */
typedef struct carrier {
    mb_transport  faults;
    mb_transport *tp;
    mb_mail       mail;
} carrier;

static void set_out(carrier *c, net *n, mb_fanout fanout, int with_faults)
{
    const mb_faults idle = {.seed = 3};
    mb_err          err;

    c->tp = &n->tp;
    must(mb_mail_new(arena, &n->part, fanout, LEN, &c->mail, &err));
    if (with_faults) {
        must(mb_transport_faults(arena, c->tp, &idle, &c->mail, &c->faults, &err));
        c->tp = &c->faults;
    }
    assert_int_equal(c->tp->lossy, 0);
}

/* All rounds, or some, and the others by another transport that was handed all messages. */
static void for_each_network(int with_faults, int handed_over)
{
    const mb_fanout fanouts[] = {MB_BROADCAST, MB_PER_NEIGHBOUR};

    for (size_t k = 0; k < sizeof topologies / sizeof *topologies; k++)
        for (int f = 0; f < 2; f++) {
            net          *n = net_make(arena, topologies[k]);
            const int64_t half = handed_over ? ROUNDS / 2 : 0;
            carrier       first, second;

            set_out(&first, n, fanouts[f], with_faults);
            run_rounds(first.tp, &n->part, &first.mail, 1, half);
            set_out(&second, n, fanouts[f], with_faults);
            hand_over(first.tp, &first.mail, second.tp, &second.mail, half);
            run_rounds(second.tp, &n->part, &second.mail, half + 1, ROUNDS);
            expect_no_impossible_letter(second.tp, &second.mail, ROUNDS);
            first.tp->ops->close(first.tp);
        }
}

TEST(none_hands_every_edge_the_newest_row_of_its_sender)
{
    for_each_network(0, 0);
}

TEST(faults_without_a_fault_change_nothing)
{
    for_each_network(1, 0);
}

TEST(what_is_held_goes_on_in_another_transport)
{
    for_each_network(0, 1);
    for_each_network(1, 1);
}

TEST(an_edge_that_never_received_is_null)
{
    net    *n = net_make(arena, "path:n=3");
    mb_mail mail;
    mb_err  err;

    must(mb_mail_new(arena, &n->part, MB_BROADCAST, LEN, &mail, &err));
    must(n->tp.ops->begin(&n->tp, 1, &mail, &err));
    must(n->tp.ops->end(&n->tp, 1, -1, &mail, &err));
    for (int64_t e = 0; e < n->part.g.ptr[3]; e++) {
        assert_null(mail.from[e]);
        assert_int_equal(mail.fresh[e], 0);
    }
}

TEST(reduce_of_one_process_is_its_own_value)
{
    const mb_reduce op[] = {MB_SUM, MB_MAX, MB_MIN};
    net            *n = net_make(arena, "path:n=3");
    mb_err          err;

    for (int k = 0; k < 3; k++) {
        double v[2] = {-3, 5};

        must(n->tp.ops->reduce(&n->tp, op[k], v, 2, &err));
        assert_true(v[0] == -3 && v[1] == 5);
    }
}

TEST(rows_of_mail_are_64_byte_aligned)
{
    net    *n = net_make(arena, "star:n=6");
    mb_mail mail;
    mb_err  err;

    must(mb_mail_new(arena, &n->part, MB_PER_NEIGHBOUR, LEN, &mail, &err));
    assert_int_equal(mail.ld, 8);
    assert_int_equal((uintptr_t)mail.plane % 64, 0);
    assert_int_equal(mb_mail_rows(&n->part, MB_PER_NEIGHBOUR), 10);
    assert_int_equal(mb_mail_rows(&n->part, MB_BROADCAST), 6);
}

RUN_TESTS(arena_up, arena_down)
