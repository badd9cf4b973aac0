/* The stopping rule: no node busy, a message from every node since, and one centralised step that
 * confirms it. */
#include "arena.h"
#include "core/observe.h"
#include "net.h"
#include "test.h"

enum { NODES = 3, LINKS = 4, LEN = 3, LATE = 1000 };

static mb_model      model;
static mb_algo       algo;
static mb_problem    problem;
static mb_state      run;
static mb_stop_state stand;
static double        target[LEN];
static double        step_taken;
static int64_t       cycle_length;

/* The statistics of every node are such that phi* is the target wherever phi is. */
static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    (void)phi, (void)rows, (void)scratch, (void)err;
    for (int l = 0; l < LEN; l++)
        s[l] += (target[l] - m->prior[l]) / NODES;
    if (logz)
        *logz += 0;
    return MB_OK;
}

static double step(const mb_node *nd)
{
    (void)nd;
    return step_taken;
}

static int64_t cycle(const void *opt)
{
    (void)opt;
    return cycle_length;
}

static int set_up(void **state)
{
    static const double       prior[LEN] = {1, 2, 3};
    static const mb_model_ops ops = {.name = "fixed", .stats = stats};
    static mb_rows            rows[NODES];
    mb_err                    err;

    if (arena_up(state))
        return 1;
    memset(&model, 0, sizeof model);
    if (mb_layout_add(&model.layout, &mb_dirichlet, LEN, 1, &err) < 0)
        return 1;
    model.prior = prior;
    model.ops = &ops;
    memcpy(target, prior, sizeof prior);
    algo = (mb_algo){.name = "fake", .consensus = 1};
    problem = (mb_problem){.model = &model,
                           .algo = &algo,
                           .part = &net_make(arena, "path:n=3")->part,
                           .rows = rows,
                           .scale = NODES};
    run = state_by_hand(arena, &problem);
    run.mail.age = mb_alloc(arena, LINKS, sizeof *run.mail.age);
    run.mail.fresh = mb_alloc(arena, LINKS, 1);
    if (!run.mail.age || !run.mail.fresh)
        return 1;
    memset(run.mail.fresh, 1, LINKS);
    return 0;
}

static mb_observer rule(double tol)
{
    mb_observer out;
    mb_err      err;

    must(mb_stop_new(arena, &problem, tol, &stand, &out, &err));
    assert_int_equal(out.wants_bound, 0);
    run.t = 0;
    return out;
}

/* Rounds until the rule speaks, at most `rounds`; what happens in each is the caller's `change`. */
static int64_t rounds_to_stop(const mb_observer *ob, int64_t rounds, void (*change)(int64_t t))
{
    mb_err err;

    for (const int64_t last = run.t + rounds; run.t < last;) {
        run.t++;
        if (change)
            change(run.t);
        const mb_status st = ob->see(ob->self, &problem, &run, &err);

        assert_true(st >= 0);
        if (st == MB_STOP)
            return run.t;
    }
    return LATE;
}

static double *entry(int node, int l)
{
    return run.phi + (size_t)node * run.ld + l;
}

TEST(a_still_network_in_which_all_arrived_stops)
{
    const mb_observer ob = rule(1e-7);

    assert_true(rounds_to_stop(&ob, 100, NULL) <= 30);
    assert_true(stand.still && stand.settled && !stand.rounding && stand.checks == 1);
    assert_true(stand.moved <= 1e-12 && stand.disagreement <= 1e-12);
}

static void creep(int64_t t)
{
    (void)t;
    *entry(1, 0) += 1e-6;
}

TEST(one_moving_node_keeps_the_run_going_without_a_centralised_step)
{
    const mb_observer ob = rule(1e-7);

    assert_int_equal(rounds_to_stop(&ob, 100, creep), LATE);
    assert_int_equal(stand.checks, 0);
    assert_false(stand.still || stand.settled);
}

/* d^2 = delta^2 (psi'(2) - psi'(9)) for alpha = (2, 3, 4): pi^2/6 - 1 and the tail from 9 on. */
enum { TREMBLE = 10000000 };
static double tremble_length(void)
{
    double tail = acos(-1) * acos(-1) / 6;

    for (int k = 1; k < 9; k++)
        tail -= 1.0 / (k * k);
    return sqrt(acos(-1) * acos(-1) / 6 - 1 - tail) / TREMBLE;
}

static void tremble(int64_t t)
{
    *entry(1, 0) = 1 + (double)(t % 2) / TREMBLE;
}

TEST(the_tolerance_is_in_posterior_standard_deviations)
{
    mb_observer ob = rule(1.001 * tremble_length());

    assert_true(rounds_to_stop(&ob, 100, tremble) <= 30);
    ob = rule(0.999 * tremble_length());
    assert_int_equal(rounds_to_stop(&ob, 100, tremble), LATE);
}

TEST(a_short_step_is_a_part_of_the_way_to_the_target)
{
    mb_observer ob;

    algo.step = step;
    step_taken = 0.25;
    ob = rule(4 * 1.001 * tremble_length());
    assert_true(rounds_to_stop(&ob, 100, tremble) <= 30);
    ob = rule(4 * 0.999 * tremble_length());
    assert_int_equal(rounds_to_stop(&ob, 100, tremble), LATE);
}

TEST(a_link_that_brought_nothing_keeps_the_run_going)
{
    const mb_observer ob = rule(1e-7);

    run.mail.fresh[2] = 0;
    assert_int_equal(rounds_to_stop(&ob, 95, NULL), LATE);
    run.mail.fresh[2] = 1; /* one message in round 96 */
    assert_int_equal(rounds_to_stop(&ob, 1, NULL), LATE);
    run.mail.fresh[2] = 0;
    assert_int_equal(rounds_to_stop(&ob, 100, NULL), LATE);
    run.mail.fresh[2] = 1; /* and a second one */
    assert_int_equal(rounds_to_stop(&ob, 1, NULL), LATE);
    run.mail.fresh[2] = 0;
    assert_int_equal(rounds_to_stop(&ob, 10, NULL), 200);
}

TEST(messages_sent_before_the_network_was_still_do_not_count)
{
    const mb_observer ob = rule(1e-7);

    for (int e = 0; e < LINKS; e++)
        run.mail.age[e] = 50;
    assert_int_equal(rounds_to_stop(&ob, 60, NULL), LATE);
    assert_int_equal(rounds_to_stop(&ob, 30, NULL), 70); /* sent in 10 and later: since round 60 */
}

TEST(nodes_that_send_nothing_wait_for_nobody)
{
    const mb_observer ob = rule(1e-7);

    algo.needs = MB_NEEDS_NO_MSG;
    memset(run.mail.fresh, 0, LINKS);
    assert_true(rounds_to_stop(&ob, 100, NULL) <= 30);
}

/* Far from the target, then where it is. */
static void arrive(int64_t t)
{
    *entry(0, 0) = t < 4 ? 2 : 1;
}

/* Whose every second round is looked at; which is looked at in every round, with the step to come. */
TEST(a_node_alone_stops_in_its_second_round_at_rest)
{
    static const mb_model_ops back = {.name = "fixed", .stats = stats, .overshoots = 1};
    mb_observer               ob;

    problem.part = &net_make(arena, "path:n=1")->part;
    problem.scale = NODES; /* the statistics are a third */
    run = state_by_hand(arena, &problem);
    algo.needs = MB_NEEDS_NO_MSG;
    ob = rule(1e-7);
    assert_int_equal(rounds_to_stop(&ob, 100, arrive), 8);
    model.ops = &back;
    ob = rule(1e-7);
    assert_int_equal(rounds_to_stop(&ob, 100, arrive), 5);
}

TEST(a_centralised_step_that_moves_keeps_the_run_going)
{
    const mb_observer ob = rule(1e-7);

    target[1] = 2.1;
    assert_int_equal(rounds_to_stop(&ob, 100, NULL), LATE);
    assert_true(stand.still && !stand.settled && stand.checks > 1 && stand.checks <= 10);
    assert_true(fabs(stand.moved - 0.05) < 1e-12);
}

TEST(nodes_apart_go_on_unless_they_are_not_meant_to_agree)
{
    mb_observer ob = rule(1e-7);

    *entry(0, 2) += 1e-3;
    assert_int_equal(rounds_to_stop(&ob, 100, NULL), LATE);
    assert_true(stand.still && !stand.settled);
    algo.consensus = 0;
    ob = rule(1e-7);
    assert_true(rounds_to_stop(&ob, 100, NULL) <= 30);
    assert_true(stand.still && !stand.settled && stand.disagreement > 1e-6);
}

static void freeze(int64_t t)
{
    run.frozen[1] += t % 10 == 0;
}

static void project(int64_t t)
{
    run.projected[2] += t % 5 == 0;
}

TEST(nodes_outside_omega_and_at_its_border_are_busy)
{
    mb_observer ob = rule(1e-7);

    assert_int_equal(rounds_to_stop(&ob, 100, freeze), LATE);
    ob = rule(1e-7);
    assert_int_equal(rounds_to_stop(&ob, 100, project), LATE);
    ob = rule(1e-7);
    run.outside[2] = 1;
    assert_int_equal(rounds_to_stop(&ob, 100, NULL), LATE);
    run.outside[2] = 0;
    assert_true(rounds_to_stop(&ob, 100, NULL) < LATE);
}

TEST(numbers_that_are_none_never_stop)
{
    const mb_observer ob = rule(1e-7);

    *entry(0, 1) = (double)NAN;
    assert_int_equal(rounds_to_stop(&ob, 500, NULL), LATE);
    assert_false(stand.settled);
}

/* The last digits of one number come and go. */
static void flicker(int64_t t)
{
    *entry(1, 0) = t % 2 ? 1 : 1 + 4e-15;
}

TEST(what_rounding_leaves_ends_the_run_and_is_reported)
{
    const mb_observer ob = rule(1e-300);
    const int64_t     end = rounds_to_stop(&ob, 600, flicker);

    assert_true(end >= 200 && end < LATE);
    assert_true(stand.settled && stand.rounding && !stand.still);
    assert_true(stand.level > 1e-300 && stand.level < 1e-7);
}

TEST(a_movement_that_rounding_can_not_explain_goes_on)
{
    const mb_observer ob = rule(1e-9);

    assert_int_equal(rounds_to_stop(&ob, 600, tremble), LATE);
    assert_false(stand.rounding);
}

static void jump(int64_t t)
{
    *entry(2, 0) += t % cycle_length ? 0 : 1e-3;
}

TEST(a_held_step_is_looked_at_when_it_is_made)
{
    mb_observer ob;

    algo.cycle = cycle;
    cycle_length = 16;
    ob = rule(1e-7);
    assert_int_equal(rounds_to_stop(&ob, 300, jump), LATE);
    *entry(2, 0) = 1;
    ob = rule(1e-7);
    assert_true(rounds_to_stop(&ob, 300, NULL) >= 2 * cycle_length);
}

/* Nodes that wait: those whose memo is 0 make no step, the others one every cycle_length rounds. */
static int32_t ready(const mb_node *nd)
{
    return nd->memo[0] > 0 && nd->t % cycle_length == 0;
}

static mb_observer rule_of_waiting(double tol, double *memo)
{
    algo.ready = ready;
    run.memo = memo;
    run.nmemo = 1;
    cycle_length = 16;
    return rule(tol);
}

static void move_once(int64_t t)
{
    *entry(2, 0) += t == 32 ? 1e-8 : 0;
}

/* Node 2 counts as moving until its step of round 48. The look of round 50 finds all at rest; they make
 * two more steps in rounds 64 and 80. */
TEST(nodes_that_wait_are_at_rest_after_two_steps_of_each)
{
    double            memo[NODES] = {1, 1, 1};
    const mb_observer ob = rule_of_waiting(1e-10, memo);
    const int64_t     end = rounds_to_stop(&ob, 300, move_once);

    assert_int_equal(end, 80);
    assert_true(stand.still && stand.settled);
}

TEST(one_node_that_waits_for_good_keeps_the_run_going)
{
    double            memo[NODES] = {1, 0, 1};
    const mb_observer ob = rule_of_waiting(1e-7, memo);

    assert_int_equal(rounds_to_stop(&ob, 600, NULL), LATE);
    assert_false(stand.still);
    assert_int_equal(stand.checks, 0);
}

/* Node 2 moves in each of its steps, and is looked at while it waits: in rounds 310 and 320. */
TEST(a_node_that_waits_is_as_far_as_at_its_last_step)
{
    double            memo[NODES] = {1, 1, 1};
    const mb_observer ob = rule_of_waiting(1e-7, memo);
    double            there;

    assert_int_equal(rounds_to_stop(&ob, 320, jump), LATE);
    there = stand.level;
    assert_true(there > 1e-7);
    assert_false(stand.still);
    assert_int_equal(rounds_to_stop(&ob, 10, jump), LATE);
    assert_true(fabs(stand.level - there) <= 0);
}

/* Rounding is said after 200 steps, not rounds. */
static void flicker_in_steps(int64_t t)
{
    *entry(1, 0) = t / cycle_length % 2 ? 1 : 1 + 4e-15;
}

TEST(what_rounding_leaves_of_nodes_that_wait_is_counted_in_steps)
{
    double            memo[NODES] = {1, 1, 1};
    const mb_observer ob = rule_of_waiting(1e-300, memo);

    cycle_length = 4;
    assert_int_equal(rounds_to_stop(&ob, 199 * cycle_length, flicker_in_steps), LATE);
    assert_true(rounds_to_stop(&ob, 10 * cycle_length, flicker_in_steps) < LATE);
    assert_true(stand.settled && stand.rounding && !stand.still);
}

TEST(what_is_no_tolerance_is_refused)
{
    mb_observer out;
    mb_err      err;

    assert_int_equal(mb_stop_new(arena, &problem, 0, NULL, &out, &err), MB_E_ARG);
    assert_int_equal(mb_stop_new(arena, &problem, (double)NAN, NULL, &out, &err), MB_E_ARG);
}

TEST(a_verdict_is_settled_only_within_the_tolerance_of_the_word)
{
    const mb_stop_state settled = {.still = 1, .settled = 1}, still = {.still = 1}, moving = {0};

    assert_int_equal(mb_verdict_of(&settled, 1e-6, 1e-6, 0), MB_ENDED_SETTLED);
    assert_int_equal(mb_verdict_of(&settled, 1.1e-6, 0, 0), MB_ENDED_ELSEWHERE);
    assert_int_equal(mb_verdict_of(&settled, 0, (double)NAN, 0), MB_ENDED_ELSEWHERE);
    assert_int_equal(mb_verdict_of(&settled, 0, 0, 1), MB_ENDED_FAILED);
    assert_int_equal(mb_verdict_of(&still, 0, 0, 0), MB_ENDED_ELSEWHERE);
    assert_int_equal(mb_verdict_of(&moving, 0, 0, 0), MB_ENDED_MOVING);
    assert_string_equal(mb_verdict_text(MB_ENDED_INTERRUPTED), "interrupted");
    assert_string_equal(mb_verdict_text(MB_VERDICTS), "unknown verdict");
}

RUN_EACH_TEST(set_up, arena_down)
