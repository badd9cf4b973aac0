/* The automatic damping of a node: its gain, the age of its messages, and its windows. mu = phi here, so
 * lengths are Euclidean. */
#include "algo/adapt.h"
#include "test.h"

static const double TOL = 1e-12, MOST = 0.4;

/* A node in two dimensions that is led along a path of the test's. */
typedef struct led {
    mb_layout layout;
    double    phi[2], star[2], aux[2 * MB_ADAPT_AUX_], memo[MB_ADAPT_MEMO_];
    mb_node   nd;
} led;

static void lead_from(led *n, int32_t id)
{
    mb_err err;

    *n = (led){.nd = {.t = 2, .id = id}};
    must(mb_layout_add(&n->layout, &mb_dirichlet, 2, 1, &err));
    n->nd.layout = &n->layout;
    n->nd.len = 2;
    n->nd.phi = n->phi;
    n->nd.mu = n->phi;
}

/* One round: phi is there, and phi* = J phi. The eta that the node chooses, its messages `age` old. */
static double round_at(led *n, double x, double y, double J, int32_t age)
{
    const double        received[2] = {0, 0};
    const double *const msg[1] = {received};
    const int32_t       ages[1] = {age};
    const uint8_t       fresh[1] = {!age};
    const mb_inbox      in = {1, msg, ages, fresh, NULL, 0};

    n->nd.t++;
    n->phi[0] = x;
    n->phi[1] = y;
    n->star[0] = J * x;
    n->star[1] = J * y;
    mb_adapt_measure_(&n->nd, n->star, n->aux, n->memo);
    return mb_adapt_eta_(&in, MOST, n->memo);
}

TEST(eta_is_half_the_inverse_of_the_gain)
{
    static const double gain[] = {0, 0.5, 1.25, 2, 10, -2};

    for (size_t k = 0; k < sizeof gain / sizeof *gain; k++) {
        led n;

        lead_from(&n, 0);
        assert_true(fabs(round_at(&n, 1, 0, gain[k], 0) - MOST) < TOL); /* nothing measured yet */
        assert_true(fabs(round_at(&n, 2, 1, gain[k], 0) - fmin(MOST, 0.5 / fabs(gain[k]))) < TOL);
        assert_true(mb_adapted_(n.memo) <= MOST);
    }
}

TEST(a_gain_is_forgotten_by_one_percent_a_round)
{
    led    n;
    double eta = 0;

    lead_from(&n, 0);
    for (int t = 0; t < 2; t++)
        eta = round_at(&n, t, 0, 10, 0);
    assert_true(fabs(eta - 0.05) < TOL);
    n.star[0] = 0;
    eta = round_at(&n, 2, 0, 5, 0); /* (10 - 10)/1: no gain, 9.9 remembered */
    assert_true(fabs(eta - 0.5 / 9.9) < TOL);
}

TEST(old_messages_shorten_the_step)
{
    led    n;
    double stale = 1;

    lead_from(&n, 0);
    for (int t = 0; t < 15; t++) {
        stale += 0.02 * (10 - stale);
        assert_true(fabs(round_at(&n, 0, 0, 0, 9) - MOST / stale) < TOL);
    }
}

/* Rounds to the end of a window of the shortest kind, 20 rounds. */
static void swing(led *n, int rounds, double size)
{
    for (int t = 0; t < rounds; t++)
        round_at(n, t % 2 ? size : -size, 0, 0, 0);
}

TEST(swings_that_do_not_die_away_halve_the_step)
{
    led n;

    lead_from(&n, 0);
    swing(&n, 21, 1);
    assert_true(fabs(mb_adapted_(n.memo) - MOST) < TOL); /* no window to compare with */
    swing(&n, 20, 1);
    assert_true(fabs(mb_adapted_(n.memo) - MOST / 2) < TOL);
    swing(&n, 2000, 1);
    assert_true(fabs(mb_adapted_(n.memo) - MOST / 10) < TOL); /* no further */
}

/* Windows of 20 rounds, each with a freeze in its tenth round. */
static void freeze_in_windows(led *n, int windows)
{
    for (int k = 0; k < windows; k++) {
        swing(n, 10, 1);
        n->nd.outside = 1;
        swing(n, 1, 1);
        n->nd.outside = 0;
        swing(n, 9, 1);
    }
}

TEST(a_freeze_in_each_of_twelve_windows_halves_the_step)
{
    led n;

    lead_from(&n, 0);
    swing(&n, 1, 1);
    freeze_in_windows(&n, 11);
    assert_true(fabs(mb_adapted_(n.memo) - MOST) < TOL);
    freeze_in_windows(&n, 1);
    assert_true(fabs(mb_adapted_(n.memo) - MOST / 2) < TOL);
    freeze_in_windows(&n, 1000);
    assert_true(fabs(mb_adapted_(n.memo) - MOST / 10) < TOL); /* no further */
}

TEST(windows_without_a_freeze_between_them_change_nothing)
{
    led n;

    lead_from(&n, 0);
    swing(&n, 1, 1);
    for (int k = 0; k < 10; k++) {
        double size = 1;

        freeze_in_windows(&n, 8);
        for (int t = 0; t < 40; t += 2, size *= 0.8)
            swing(&n, 2, size);
    }
    assert_true(fabs(mb_adapted_(n.memo) - MOST) < TOL);
}

TEST(swings_that_die_away_change_nothing)
{
    led    n;
    double size = 1;

    lead_from(&n, 0);
    for (int k = 0; k < 100; k++, size *= 0.8)
        swing(&n, 2, size);
    assert_true(fabs(mb_adapted_(n.memo) - MOST) < TOL);
}

/* x(t) = q^t, straight ahead; a window of 20 rounds shrinks by q^20. */
static void creep(led *n, int rounds, double q)
{
    for (int t = 0; t < rounds; t++)
        round_at(n, pow(q, (double)n->nd.t), 0, 0, 0);
}

TEST(a_slow_straight_approach_lengthens_the_step)
{
    led n;

    lead_from(&n, 0);
    creep(&n, 21, 0.99); /* .99^20 = .82 */
    assert_true(fabs(mb_adapted_(n.memo) - MOST) < TOL);
    creep(&n, 20, 0.99);
    assert_true(fabs(mb_adapted_(n.memo) - 1.5 * MOST) < TOL);
    creep(&n, 200, 0.99);
    assert_true(mb_adapted_(n.memo) == 1); /* never further than the whole way */
}

TEST(a_fast_approach_changes_nothing)
{
    led n;

    lead_from(&n, 0);
    creep(&n, 200, 0.9); /* .9^20 = .12 */
    assert_true(fabs(mb_adapted_(n.memo) - MOST) < TOL);
}

TEST(nothing_is_judged_for_twenty_rounds_after_a_freeze)
{
    led n;

    lead_from(&n, 0);
    for (int k = 0; k < 13; k++) { /* ten windows: the twelfth in a row counts as an oscillation */
        swing(&n, 15, 1);
        n.nd.outside = 1;
        swing(&n, 1, 1);
        n.nd.outside = 0;
    }
    assert_true(fabs(mb_adapted_(n.memo) - MOST) < TOL);
}

/* Nodes that all change their steps in the same round would disturb each other: the first window is
 * longer by id mod 20 rounds. */
TEST(the_first_window_depends_on_the_node)
{
    led n;

    for (int32_t id = 20; id < 26; id++) {
        lead_from(&n, id);
        swing(&n, 21 + id % 20, 1);
        assert_true(fabs(mb_adapted_(n.memo) - MOST) < TOL);
        swing(&n, 19, 1);
        assert_true(fabs(mb_adapted_(n.memo) - MOST) < TOL);
        swing(&n, 1, 1);
        assert_true(fabs(mb_adapted_(n.memo) - MOST / 2) < TOL);
    }
}

RUN_TESTS(NULL, NULL)
