/* test_square.c - a model with transitions between its states: its answer does not depend on their
 * order, in files and comparisons, and states that are merged keep all their transitions. */
#include "toys.h"

#include "fit/case.h"
#include "fit/fit.h"
#include "posterior/posterior.h"
#include "scratch.h"

enum { PAIRS = 400, STATES = 3, LEN_MAX = 32 };

static double poisson(double rate, mb_rng *r)
{
    double x = 0, p = 1;

    for (p = mb_rng_uniform(r); p > exp(-rate); p *= mb_rng_uniform(r))
        x++;
    return x;
}

/* Pairs of states with the rates 1, 6 and 20, from any to the next with probability .7, else to
 * itself. */
static mb_table chain(void)
{
    const double rate[STATES] = {1, 6, 20};
    mb_rng       r = gen_rng(3);
    double      *x = doubles(PAIRS * 2);

    for (int j = 0; j < PAIRS; j++) {
        const int from = (int)(STATES * mb_rng_uniform(&r));
        const int to = mb_rng_uniform(&r) < .7 ? (from + 1) % STATES : from;

        x[2 * j] = poisson(rate[from], &r);
        x[2 * j + 1] = poisson(rate[to], &r);
    }
    return (mb_table){.rows = {.x = x, .n = PAIRS, .d = 2, .ld = 2}};
}

/* Central VB of `states` states, whose centres are `at`. */
static void fit_states(const int64_t *states, const double *at, int prune, mb_fit *fit)
{
    const mb_table rows = chain();
    mb_fit_opt     opt = mb_fit_defaults();

    opt.kind = &kind_pairs;
    opt.kind_opt = states;
    opt.start = (mb_start){.how = MB_INIT_CENTRES, .centres = at};
    opt.how.prune = prune;
    OK(mb_fit_run(arena, NULL, &rows, &opt, fit, &err));
    assert_int_equal(fit->out.verdict, MB_ENDED_SETTLED);
}

static const int64_t three = STATES, four = STATES + 1;
static const double  centres_of[] = {1, 1, 6, 6, 20, 20, 20, 20};

/* out: p with state k taken from state perm[k]. */
static void reorder(const int32_t *perm, const double *p, double *out)
{
    const double *A = p + STATES, *rate = A + STATES * STATES;

    for (int k = 0; k < STATES; k++) {
        out[k] = p[perm[k]];
        for (int c = 0; c < STATES; c++)
            out[STATES + k * STATES + c] = A[perm[k] * STATES + perm[c]];
        for (int e = 0; e < 2; e++)
            out[STATES + STATES * STATES + 2 * k + e] = rate[2 * perm[k] + e];
    }
}

static const int32_t cycle[STATES] = {2, 0, 1};

TEST(states_in_another_order_are_the_same_answer)
{
    mb_fit         fit;
    const mb_case *c;
    double         other[LEN_MAX];
    mb_posterior   p, q;

    fit_states(&three, centres_of, 0, &fit);
    c = fit.stages->session.c;
    reorder(cycle, fit.stages->session.state.phi, other);
    OK(mb_case_posterior(arena, c, fit.stages->session.state.phi, NULL, &p, &err));
    OK(mb_case_posterior(arena, c, other, NULL, &q, &err));
    assert_memory_equal(q.par, p.par, p.len * sizeof *p.par);
    assert_memory_equal(q.prior_par, p.prior_par, p.len * sizeof *p.par);
    assert_true(p.par[STATES + 1] > 3 * p.par[STATES + 2]); /* from 0 to 1, not to 2 */
    mb_fit_close(&fit);
}

TEST(a_comparison_finds_the_order)
{
    mb_fit       fit;
    double       other[LEN_MAX];
    mb_posterior p, q;
    mb_compared  found;

    fit_states(&three, centres_of, 0, &fit);
    reorder(cycle, fit.posterior.par, other);
    OK(mb_posterior_make(arena, &kind_pairs, &fit.posterior.size, fit.posterior.par, &p, &err));
    OK(mb_posterior_make(arena, &kind_pairs, &fit.posterior.size, other, &q, &err));
    OK(mb_posterior_compare(arena, &p, &q, &found, &err));
    for (int k = 0; k < STATES; k++)
        assert_int_equal(cycle[found.match[k]], k);
    assert_true(found.kl[0] < 1e-10 && found.kl[1] < 1e-10);
    assert_true(found.largest < 1e-12);
    mb_fit_close(&fit);
}

/* Three states alike in all but where they go: round, and the other way round. */
TEST(states_that_differ_in_their_moves_alone_are_matched)
{
    const double   round[] = {2, 2, 2, 5, 9, 1, 1, 5, 9, 9, 1, 5, 3, 1, 3, 1, 3, 1};
    const int32_t  turn[STATES] = {1, 0, 2};
    const mb_sizes size = {.K = STATES, .D = 2};
    double         other[LEN_MAX];
    mb_posterior   p, q;
    mb_compared    found;

    reorder(turn, round, other);
    assert_memory_not_equal(other, round, sizeof round);
    OK(mb_posterior_make(arena, &kind_pairs, &size, round, &p, &err));
    OK(mb_posterior_make(arena, &kind_pairs, &size, other, &q, &err));
    OK(mb_posterior_compare(arena, &p, &q, &found, &err));
    assert_true(found.kl[0] < 1e-12 && found.kl[1] < 1e-12 && found.largest <= 0);
}

TEST(a_file_holds_the_order_of_rows_and_columns)
{
    scratch            *s;
    void               *begun;
    mb_fit              fit;
    mb_posterior        q;
    const mb_provenance from = {.algorithm = "cvb", .of = "network mean", .data = "pairs.csv"};
    const char         *file;

    assert_int_equal(scratch_begin(&begun), 0);
    s = begun;
    file = scratch_path(s, "pairs.json");
    fit_states(&three, centres_of, 0, &fit);
    OK(mb_posterior_write(arena, &fit.posterior, &from, file, &err));
    OK(mb_posterior_read(arena, file, &kind_pairs, &q, NULL, &err));
    assert_memory_equal(q.par, fit.posterior.par, q.len * sizeof *q.par);
    mb_fit_close(&fit);
    assert_int_equal(scratch_end(&begun), 0);
}

/* The prior favours staying, so its rows differ but by their order: states may be merged. */
TEST(equal_states_become_one_with_all_their_transitions)
{
    mb_fit        whole, merged;
    const double *prior, *par;
    double        moves = 0;

    fit_states(&three, centres_of, 0, &whole);
    fit_states(&four, centres_of, 1, &merged);
    assert_int_equal(merged.pruned.merged, 1);
    assert_int_equal(merged.posterior.size.K, STATES);
    assert_all_near(merged.posterior.par, whole.posterior.par, whole.posterior.len, 1e-4);
    prior = merged.posterior.prior_par;
    par = merged.posterior.par;
    assert_memory_equal(prior, whole.posterior.prior_par, whole.posterior.len * sizeof *prior);
    for (int e = 0; e < STATES * STATES; e++)
        moves += par[STATES + e] - prior[STATES + e];
    assert_near(moves, PAIRS, 1e-12);
    mb_fit_close(&merged);
    mb_fit_close(&whole);
}

/* Each pair has two rows of states: where it begins, which the weights count, and where it goes. */
TEST(expected_rows_are_those_that_begin_and_those_that_come)
{
    mb_fit        fit;
    mb_parts_     parts;
    const double *phi;
    double        all = 0;

    fit_states(&three, centres_of, 0, &fit);
    phi = fit.stages->session.state.phi;
    OK(mb_parts_new_(arena, &fit.stages->session.c->model, &parts, &err));
    OK(mb_parts_see_(&parts, phi, &err));
    for (int k = 0; k < STATES; k++) {
        const double *rate = phi + STATES + STATES * STATES + 2 * k;

        assert_near(parts.rows[k], -rate[1] - 1, 1e-12); /* the prior has one */
        all += parts.rows[k];
    }
    assert_near(all, 2 * PAIRS, 1e-12);
    mb_fit_close(&fit);
}

RUN_EACH_TEST(arena_up, arena_down)
