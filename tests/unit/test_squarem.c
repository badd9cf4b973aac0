/* Extrapolated steps of central VB: fewer passes, the same answer, no falling bound. */
#include "fit/case.h"
#include "fits.h"
#include "test.h"

enum { MANY = 9000 /* pieces of a step are of 4096 rows */, FEW = 400 };

/* Two clusters that overlap, so that central VB is slow. */
static mb_table overlapping(int32_t n)
{
    mb_rng  r = gen_rng(7);
    double *x = doubles((size_t)n);

    for (int32_t j = 0; j < n; j++)
        x[j] = mb_rng_normal(&r) + 2 * (j % 2);
    return (mb_table){.rows = {.x = x, .n = n, .d = 1, .ld = 1}};
}

static mb_fit_opt two(mb_gmm_kind *gmm)
{
    mb_fit_opt o = mixture(gmm);

    gmm->n_components = 2;
    o.start = (mb_start){.how = MB_INIT_KMEANS};
    o.n_init = 1;
    return o;
}

/* What the run whose result is taken showed of its bound. */
typedef struct seen {
    double bound, fall; /* the last one, and the largest fall, relative */
    int    rounds, repeats;
} seen;

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *e)
{
    seen *w = self;

    (void)p, (void)e;
    w->fall = w->rounds ? fmax(w->fall, (w->bound - s->bound[0]) / fabs(w->bound)) : 0;
    w->repeats += w->rounds && !(s->bound[0] < w->bound) && !(s->bound[0] > w->bound);
    w->bound = s->bound[0];
    w->rounds++;
    return MB_OK;
}

static mb_status watch(void *self, mb_session *s, int32_t attempt, mb_err *e)
{
    (void)attempt;
    return mb_session_watch(
        s, &(mb_observer){.self = self, .every = 1, .wants_bound = 1, .see = see}, e);
}

static void fit_to(const mb_table *t, const mb_fit_opt *o, mb_fit *out)
{
    OK(mb_fit_run(arena, NULL, t, o, out, &err));
}

TEST(it_settles_in_fewer_passes_at_the_same_answer)
{
    const mb_table t = overlapping(FEW);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = two(&gmm);
    mb_fit         plain, fast;
    seen           w = {0, 0, 0, 0};

    opt.accelerate = MB_ACCELERATE_OFF;
    fit_to(&t, &opt, &plain);
    opt.accelerate = MB_ACCELERATE_AUTO;
    opt.watch = watch;
    opt.self = &w;
    fit_to(&t, &opt, &fast);
    assert_int_equal(plain.out.verdict, MB_ENDED_SETTLED);
    assert_int_equal(fast.out.verdict, MB_ENDED_SETTLED);
    assert_int_equal(w.rounds, fast.out.rounds); /* a round is a pass */
    assert_true(2 * fast.out.rounds < plain.out.rounds);
    assert_true(fast.out.moved <= MB_SETTLED && fast.out.moved <= plain.out.moved);
    assert_true(fast.out.bound >= plain.out.bound - 1e-11 * fabs(plain.out.bound));
    assert_true(difference_of_fits(&plain, &fast) < 1e-3); /* both within 3e-7 of a slow end */
    assert_true(w.fall <= 1e-11);
    mb_fit_close(&plain);
    mb_fit_close(&fast);
}

/* Plain central VB, as a caller who names the algorithm has it. */
TEST(off_and_no_tolerance_are_central_vb_to_the_bit)
{
    const mb_table t = overlapping(FEW);
    mb_gmm_kind    gmm;

    for (int stops = 0; stops < 2; stops++) {
        mb_fit_opt opt = two(&gmm);
        mb_fit     named, other;

        opt.how.rounds = 37;
        opt.tol = stops ? opt.tol : 0;
        opt.accelerate = stops ? MB_ACCELERATE_OFF : MB_ACCELERATE_AUTO;
        fit_to(&t, &opt, &other);
        opt.how.algo = &mb_algo_noncoop;
        fit_to(&t, &opt, &named);
        assert_int_equal(named.out.rounds, other.out.rounds);
        assert_same_bits(&named, &other);
        mb_fit_close(&named);
        mb_fit_close(&other);
    }
}

TEST(bits_do_not_depend_on_threads)
{
    const mb_table t = overlapping(MANY);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = two(&gmm);
    mb_fit         one, more;

    opt.how.threads = 1;
    fit_to(&t, &opt, &one);
    for (opt.how.threads = 2; opt.how.threads < 4; opt.how.threads++) {
        fit_to(&t, &opt, &more);
        assert_int_equal(one.out.rounds, more.out.rounds);
        assert_same_bits(&one, &more);
        mb_fit_close(&more);
    }
    mb_fit_close(&one);
}

/* What it remembers is in the state: a run that is resumed in another session ends at the same bits. */
TEST(a_state_is_resumed_to_the_same_bits)
{
    const mb_table t = overlapping(FEW);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = two(&gmm);
    mb_fit         fit;

    opt.how.rounds = 40;
    fit_to(&t, &opt, &fit);
    for (int64_t cut = 1; cut < 13; cut++) {
        mb_session a, b;
        mb_method  how = fit.stages->session.how;

        how.rounds = cut;
        OK(mb_session_open(&fit.stages->central, &how, &a, &err));
        OK(mb_session_seed(&a, &opt.start, 0, &err));
        OK(mb_session_run(&a, &err));
        how.rounds = 40;
        OK(mb_session_open(&fit.stages->central, &how, &b, &err));
        memcpy(b.state.phi, a.state.phi, a.state.ld * sizeof *a.state.phi);
        memcpy(b.state.phi_star, a.state.phi_star, a.state.ld * sizeof *a.state.phi);
        memcpy(b.state.aux, a.state.aux, (size_t)a.state.naux * a.state.ld * sizeof *a.state.aux);
        memcpy(b.state.memo, a.state.memo, (size_t)a.state.nmemo * sizeof *a.state.memo);
        b.state.t = a.state.t;
        OK(mb_session_run(&b, &err));
        assert_memory_equal(b.state.phi, fit.stages->session.state.phi,
                            fit.stages->central.model.layout.len * sizeof *b.state.phi);
        mb_session_close(&a);
        mb_session_close(&b);
    }
    mb_fit_close(&fit);
}

/* A Dirichlet whose phi goes to `to` by a tenth of the way a round. */
enum { SIZE = 3 };
typedef struct one_node {
    mb_layout layout;
    mb_node   nd;
    double    prior[SIZE], phi[SIZE], star[SIZE], aux[3 * SIZE], memo[8], scratch[4 * SIZE];
} one_node;

static void begin(one_node *n)
{
    memset(n, 0, sizeof *n);
    OK(mb_layout_add(&n->layout, &mb_dirichlet, SIZE, 1, &err));
    n->nd = (mb_node){.layout = &n->layout,
                      .len = SIZE,
                      .prior = n->prior,
                      .phi = n->phi,
                      .aux = n->aux,
                      .memo = n->memo,
                      .scratch = n->scratch};
    assert_true(mb_algo_squarem.memo <= 8 && mb_algo_squarem.naux(NULL) <= 3);
    for (int k = 0; k < SIZE; k++)
        n->star[k] = 2 + k;
}

/* A round; returns 1 when the phi was taken back. */
static int go(one_node *n, double *bound)
{
    const mb_inbox none = {.deg = 0};

    OK(mb_algo_squarem.absorb(&n->nd, n->star, NULL, 0, &none, &err));
    for (int k = 0; k < SIZE; k++)
        n->star[k] = n->phi[k] + 0.1 * (10 * (1 + k) - n->phi[k]);
    return mb_algo_squarem.judge(&n->nd, n->star, bound);
}

/* Bounds as given: the third round is the first trial. */
TEST(a_trial_whose_bound_falls_is_taken_back)
{
    const double lower[] = {-1e-6, -1, -INFINITY};
    one_node     n;

    for (int k = 0; k < 3; k++) {
        double bound[] = {1000, 1000.5, 1000.5 + lower[k]}, phi[SIZE], star[SIZE];

        begin(&n);
        assert_false(go(&n, &bound[0]));
        assert_false(go(&n, &bound[1]));
        memcpy(phi, n.phi, sizeof phi);
        memcpy(star, n.star, sizeof star);
        assert_true(go(&n, &bound[2]));
        assert_memory_equal(phi, n.phi, sizeof phi);
        assert_memory_equal(star, n.star, sizeof star);
        assert_true(bound[2] >= 1000.5 && bound[2] <= 1000.5);
        assert_true(isnan(mb_algo_squarem.step(&n.nd))); /* it says nothing of the way left */
        assert_false(go(&n, &bound[1]));
        assert_memory_equal(n.phi, star, sizeof star);
    }
}

/* Below 2e-3 of the bound a rise is slow. */
TEST(a_trial_whose_bound_rises_goes_beyond_the_second_step)
{
    double   bound[] = {1000, 1001.9, 1003.8}, second;
    one_node n;

    begin(&n);
    assert_false(go(&n, &bound[0]));
    assert_false(go(&n, &bound[1]));
    second = n.star[0];
    assert_false(go(&n, &bound[2]));
    assert_true(n.phi[0] > second && n.phi[0] < 10.5);
}

TEST(a_steep_rise_is_not_extrapolated)
{
    double   bound[] = {1000, 1002.1, 1004.2}, star[SIZE];
    one_node n;

    begin(&n);
    assert_false(go(&n, &bound[0]));
    assert_false(go(&n, &bound[1]));
    memcpy(star, n.star, sizeof star);
    assert_false(go(&n, &bound[2]));
    assert_memory_equal(star, n.phi, sizeof star);
}

/* Their steps may go too far already, and are shortened. */
TEST(models_that_overshoot_are_not_accelerated)
{
    static const mb_model_ops over = {.overshoots = 1}, plain = {.overshoots = 0};
    const mb_case             c = {.model = {.ops = &over}}, d = {.model = {.ops = &plain}};

    assert_ptr_equal(mb_central_algo(&c, MB_ACCELERATE_AUTO, 1e-6), &mb_algo_noncoop);
    assert_ptr_equal(mb_central_algo(&d, MB_ACCELERATE_AUTO, 1e-6), &mb_algo_squarem);
}

RUN_TESTS(arena_up, arena_down)
