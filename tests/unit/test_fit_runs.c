/* The settings of a fit: options, initialisations, observers, precision, weights, models and
 * algorithms that are not listed. */
#include "fit/case.h"
#include "fits.h"
#include "test.h"

TEST(options_reach_the_run)
{
    const mb_table   table = some_rows();
    const mb_network net = network("ring:n=7");
    mb_gmm_kind      gmm;
    mb_edge_opt      edge = {0};
    mb_fit_opt       opt = mixture(&gmm);
    mb_fit           fit;

    OK(mb_opt_defaults(mb_algo_edge.opts, &edge, &err));
    OK(mb_opt_assign(mb_algo_edge.opts, &edge, "edge.kappa=4", &err));
    OK(mb_opt_assign(mb_kind_gmm.opts, &gmm, "prior.alpha0=0.1", &err));
    opt.how.algo = mb_algo_find("edge");
    opt.how.opt = &edge;
    OK(mb_fit_run(arena, &net, &table, &opt, &fit, &err));
    assert_true(((const mb_edge_opt *)fit.stages->session.opt)->kappa == 4.0);
    assert_false(isnan(((const mb_edge_opt *)fit.stages->session.opt)->eta)); /* settled by tune */
    assert_true(isnan(edge.eta));
    for (int32_t k = 0; k < K; k++)
        assert_true(fabs(fit.posterior.prior_par[k] - 0.1) < 1e-15);
    mb_fit_close(&fit);
    assert_int_equal(mb_opt_assign(mb_algo_edge.opts, &edge, "kappa=4", &err), MB_E_ARG);
}

/* Both end within 3e-7 posterior standard deviations of the same place. */
TEST(exact_sums_know_how_large_a_statistic_can_be_and_end_where_fit_ends)
{
    const mb_network  net = network("ring:n=7");
    mb_table          table = some_rows();
    mb_gmm_kind       gmm;
    mb_fit_opt        opt = mixture(&gmm);
    const mb_session *s;
    mb_fit            one, fit;

    table.rows.w = row_weights(ROWS);
    OK(mb_fit_run(arena, NULL, &table, &opt, &one, &err));
    opt.how.algo = &mb_algo_sum;
    OK(mb_fit_run(arena, &net, &table, &opt, &fit, &err));
    assert_true(fit.stages->session.stand.settled);
    assert_true(difference_of_fits(&one, &fit) < 1e-6);
    s = &fit.stages->session;
    for (size_t l = 0; l < s->c->model.layout.len; l++) {
        double all = 0;

        for (size_t i = 0; i < 7; i++)
            all += (s->state.phi_star[i * s->state.ld + l] - s->c->model.prior[l]) / 7;
        assert_true(fabs(all) <= s->problem.most[l] && isfinite(s->problem.most[l]));
    }
    mb_fit_close(&one);
    mb_fit_close(&fit);
}

/* Each attempt is a run of its own, whose passes begin at 1 again. */
static mb_status expect_epoch(void *self, mb_session *s, int32_t attempt, mb_err *e)
{
    int32_t *calls = self;

    (void)e;
    if (attempt < 0) /* the run whose result is taken */
        return MB_OK;
    assert_int_equal(s->masks->epoch, attempt);
    ++*calls;
    return MB_OK;
}

TEST(masks_change_no_bit_of_a_fit_and_none_serves_two_attempts)
{
    const mb_network net = network("ring:n=7");
    mb_table         table = some_rows();
    double          *x = doubles(ROWS * COLS);
    mb_gmm_kind      gmm;
    mb_sum_opt       mask = {.mask = 1};
    mb_fit_opt       opt = mixture(&gmm);
    int32_t          calls = 0;
    mb_fit           open, closed;

    memcpy(x, table.rows.x, ROWS * COLS * sizeof *x);
    for (int32_t j = 0; j < ROWS; j += 5)
        x[j * COLS] = (double)NAN;
    table.rows.x = x;
    table.rows.gaps = 1;
    table.rows.w = row_weights(ROWS);
    opt.start.how = MB_INIT_KMEANS;
    opt.n_init = 3;
    opt.how.algo = &mb_algo_sum;
    OK(mb_fit_run(arena, &net, &table, &opt, &open, &err));
    opt.how.opt = &mask;
    opt.watch = expect_epoch;
    opt.self = &calls;
    OK(mb_fit_run(arena, &net, &table, &opt, &closed, &err));
    assert_true(calls >= 3);
    assert_int_equal(open.out.rounds, closed.out.rounds);
    assert_memory_equal(open.out.mean, closed.out.mean,
                        open.stages->session.c->model.layout.len * sizeof(double));
    mb_fit_close(&open);
    mb_fit_close(&closed);
}

/* A Poisson regression, whose steps one machine shortens, and relevances, whose prior is found. */
TEST(exact_sums_settle_at_fit_where_it_shortens_steps_and_where_sizes_are_not_known)
{
    const mb_network net = network("ring:n=7");
    mb_table         table = some_rows();
    double          *x = doubles(ROWS * COLS);
    mb_fit_opt       opt = mb_fit_defaults();
    mb_glm_kind      glm = {0};
    mb_linreg_kind   linear = {0};
    const struct {
        const mb_kind *kind;
        const char    *set;
        void          *opt;
    } models[] = {{&mb_kind_glm, "glm.link=poisson", &glm},
                  {&mb_kind_linreg, "linreg.relevance=on", &linear}};

    memcpy(x, table.rows.x, ROWS * COLS * sizeof *x);
    for (int32_t j = 0; j < ROWS; j++)
        x[j * COLS + COLS - 1] = j % 5;
    table.rows.x = x;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        mb_fit sum, central;

        OK(mb_opt_defaults(models[k].kind->opts, models[k].opt, &err));
        OK(mb_opt_assign(models[k].kind->opts, models[k].opt, models[k].set, &err));
        opt.kind = models[k].kind;
        opt.kind_opt = models[k].opt;
        opt.tol = 1e-9;
        opt.how.algo = NULL;
        OK(mb_fit_run(arena, &net, &table, &opt, &central, &err));
        opt.how.algo = &mb_algo_sum;
        OK(mb_fit_run(arena, &net, &table, &opt, &sum, &err));
        assert_int_equal(sum.out.verdict, MB_ENDED_SETTLED);
        assert_int_equal(central.out.verdict, MB_ENDED_SETTLED);
        for (size_t l = 0; l < sum.stages->nodes.model.layout.len; l++)
            assert_true(fabs(sum.out.mean[l] - central.out.mean[l]) <
                        1e-7 * (1 + fabs(central.out.mean[l])));
        assert_true(sum.out.count[0] >= 36 && sum.out.count[2] <= 0);
        mb_fit_close(&sum);
        mb_fit_close(&central);
    }
}

/* Counts calls and rounds. */
typedef struct watcher {
    int32_t attempt[16];
    int32_t made[16]; /* rounds of each call's run */
    int32_t calls, rounds;
} watcher;

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *e)
{
    watcher *w = self;

    (void)p, (void)s, (void)e;
    w->rounds++;
    w->made[w->calls - 1]++;
    return MB_OK;
}

static mb_status watch(void *self, mb_session *s, int32_t attempt, mb_err *e)
{
    watcher          *w = self;
    const mb_observer obs = {.self = w, .every = 1, .see = see};

    assert_int_equal(s->state.t, 0);
    assert_ptr_equal(s->c->kind, &mb_kind_gmm);
    w->attempt[w->calls++] = attempt;
    w->rounds = 0;
    return mb_session_watch(s, &obs, e);
}

TEST(a_watch_sees_every_run)
{
    const mb_table table = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    watcher        w = {{0}, {0}, 0, 0};
    mb_fit         fit;

    opt.start.how = MB_INIT_KMEANS;
    opt.n_init = 3;
    opt.watch = watch;
    opt.self = &w;
    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    assert_int_equal(w.calls, 4);
    for (int k = 0; k < 4; k++)
        assert_int_equal(w.attempt[k], k < 3 ? k : -1);
    assert_int_equal(w.rounds, fit.out.rounds);
    mb_fit_close(&fit);
}

/* The bound of one attempt on its own. */
static double bound_of(const mb_fit *fit, const mb_fit_opt *o, int32_t attempt)
{
    mb_session s;
    mb_method  how = o->how;
    double     bound;

    how.algo = &mb_algo_noncoop;
    OK(mb_session_open(&fit->stages->central, &how, &s, &err));
    OK(mb_session_seed(&s, &o->start, attempt, &err));
    OK(mb_session_stop(&s, o->tol, 0, &err));
    OK(mb_session_run(&s, &err));
    OK(mb_session_bound(&s, &bound, &err));
    mb_session_close(&s);
    return bound;
}

TEST(the_best_of_many_initialisations_is_taken)
{
    enum { MANY = 8 };
    const mb_table table = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    double         bound[MANY], best = -INFINITY;
    int32_t        first = 0, same = 0;
    mb_fit         fit;

    opt.start = (mb_start){.how = MB_INIT_RANDOM, .seed = 1};
    opt.n_init = MANY;
    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    for (int32_t k = 0; k < MANY; k++) {
        bound[k] = bound_of(&fit, &opt, k);
        first = bound[k] > best ? k : first;
        best = fmax(best, bound[k]);
    }
    for (int32_t k = 0; k < MANY; k++)
        same += bound[k] >= best - 1e-6 * fabs(best);
    assert_true(same < MANY); /* the attempts differ */
    assert_int_equal(fit.found.attempt, first);
    assert_int_equal(fit.found.at_best, same);
    mb_fit_close(&fit);
}

TEST(auto_makes_more_while_fewer_than_three_are_best)
{
    const mb_table table = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    mb_fit         fit;
    int            grew = 0, stayed = 0;

    gmm.n_components = 2; /* with three it makes moves instead, see test_moves.c */
    for (uint64_t seed = 0; seed < 6; seed++) {
        double  best = -INFINITY, at[50];
        int32_t same, count = 0;

        opt.start = (mb_start){.how = seed < 3 ? MB_INIT_RANDOM : MB_INIT_KMEANS, .seed = seed};
        opt.how.rounds = seed < 3 ? 3 : 5000; /* stopped after three they do not agree */
        opt.n_init = 0;
        OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
        do {
            at[count] = bound_of(&fit, &opt, count);
            best = fmax(best, at[count++]);
            same = 0;
            for (int32_t k = 0; k < count; k++)
                same += at[k] >= best - 1e-6 * fabs(best);
        } while (count < 10 || (count < 50 && same < 3));
        assert_int_equal(fit.found.n_init, count);
        assert_int_equal(fit.found.at_best, same);
        grew += count > 10;
        stayed += count == 10;
        mb_fit_close(&fit);
    }
    assert_true(grew > 0 && stayed > 0);
}

/* Clusters that do not overlap, and so much work that no moves follow. */
TEST(four_initialisations_that_agree_need_no_further_ones)
{
    enum { MANY = 6000, WIDTH = 8 };
    static double  x[MANY * WIDTH];
    const mb_table table = {.rows = {.x = x, .n = MANY, .d = WIDTH, .ld = WIDTH}};
    mb_rng         r = gen_rng(3);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    mb_fit         few, many, one;

    gen_rows(&r, MANY, WIDTH, K, x);
    for (int32_t e = 0; e < MANY * WIDTH; e++)
        x[e] += 9 * (e / WIDTH % K == e % WIDTH);
    opt.start = (mb_start){.how = MB_INIT_KMEANS, .seed = 1};
    opt.n_init = 0;
    OK(mb_fit_run(arena, NULL, &table, &opt, &few, &err));
    assert_int_equal(few.found.n_init, 4);
    assert_int_equal(few.found.at_best, 4);
    assert_int_equal(few.found.moves, 0);
    opt.n_init = 10; /* as many as somebody asks for are made */
    OK(mb_fit_run(arena, NULL, &table, &opt, &many, &err));
    assert_int_equal(many.found.n_init, 10);
    assert_near(few.out.bound, many.out.bound, 1e-6 * fabs(many.out.bound));
    opt.n_init = 1;
    OK(mb_fit_run(arena, NULL, &table, &opt, &one, &err));
    assert_near(few.out.bound, one.out.bound, 1e-12 * fabs(one.out.bound));
    assert_null(one.found.first);
    assert_non_null(few.found.first); /* of a large set the best run continues */
    for (size_t l = 0; l < few.stages->central.model.layout.len; l++)
        assert_near(few.found.first[l], few.out.mean[l], 1e-5 * (1 + fabs(few.out.mean[l])));
    mb_fit_close(&few);
    mb_fit_close(&many);
    mb_fit_close(&one);
}

enum { OF_SAMPLE = 8, LARGE = 20000 * OF_SAMPLE };

/* One fit of LARGE rows of two columns about k centres; n_init 0: automatic. hidden: the fourth row
 * of every eight, of which a sample has the first, is far from them. */
static void fit_large(int32_t k, int hidden, int32_t n_init, mb_fit *fit)
{
    static double  x[2 * LARGE];
    const double   centre[][2] = {{0, 0}, {5, 0}, {0, 12}, {40, 40}};
    const mb_table table = {.rows = {.x = x, .n = LARGE, .d = 2, .ld = 2}};
    mb_rng         r = gen_rng(5);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);

    for (int64_t j = 0; j < LARGE; j++)
        for (int32_t d = 0; d < 2; d++)
            x[2 * j + d] =
                mb_rng_normal(&r) + centre[hidden && j % OF_SAMPLE == 3 ? 3 : j / OF_SAMPLE % k][d];
    opt.start = (mb_start){.how = MB_INIT_KMEANS, .seed = 1};
    opt.n_init = n_init;
    gmm.n_components = k;
    OK(mb_fit_run(arena, NULL, &table, &opt, fit, &err));
}

TEST(initialisations_that_agree_on_a_sample_stand_for_those_of_all_rows)
{
    mb_fit few, all;

    for (int32_t k = sized(2, 3); k <= 3; k++) {
        fit_large(k, 0, 0, &few);
        fit_large(k, 0, sized(4, 2), &all);
        assert_int_equal(few.found.sampled, LARGE / OF_SAMPLE);
        assert_int_equal(few.found.n_init, 2);
        assert_int_equal(few.found.at_best, 2);
        assert_int_equal(all.found.sampled, 0);
        assert_near(few.out.bound, all.out.bound, 1e-9 * fabs(all.out.bound));
        mb_fit_close(&few);
        mb_fit_close(&all);
    }
}

TEST(a_sample_does_not_stand_for_rows_that_it_misses)
{
    mb_fit few, all;

    fit_large(3, 1, 0, &few);
    fit_large(3, 1, sized(4, 2), &all);
    assert_int_equal(few.found.sampled, 0);
    assert_int_equal(few.found.n_init, 4);
    assert_near(few.out.bound, all.out.bound, 1e-9 * fabs(all.out.bound));
    mb_fit_close(&few);
    mb_fit_close(&all);
}

/* Clusters that overlap: the last digits of the posterior take many rounds, which no longer change
 * the bound. */
TEST(an_attempt_ends_once_its_bound_is_known)
{
    enum { MANY = 400 };
    double         x[MANY];
    const mb_table table = {.rows = {.x = x, .n = MANY, .d = 1, .ld = 1}};
    mb_rng         r = gen_rng(7);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    watcher        w = {{0}, {0}, 0, 0};
    mb_fit         fit;

    for (int j = 0; j < MANY; j++)
        x[j] = mb_rng_normal(&r) + 3 * (j % 2);
    opt.start = (mb_start){.how = MB_INIT_KMEANS};
    opt.n_init = 3;
    opt.accelerate = MB_ACCELERATE_OFF;
    opt.watch = watch;
    opt.self = &w;
    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    for (int k = 0; k < 3; k++)
        assert_true(w.made[k] < 0.7 * (double)fit.out.rounds);
    assert_int_equal(fit.found.at_best, 3);
    assert_int_equal(fit.out.verdict, MB_ENDED_SETTLED);
    mb_fit_close(&fit);
}

static mb_status say(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *e)
{
    (void)ld, (void)e;
    memcpy(msg, phi_star, nd->len * sizeof *msg);
    return MB_OK;
}

static mb_status average(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                         const mb_inbox *in, mb_err *e)
{
    (void)phi_star, (void)ld, (void)e;
    for (size_t l = 0; l < nd->len; l++) {
        nd->phi[l] = in->w_self * msg[l];
        for (int32_t j = 0; j < in->deg; j++)
            nd->phi[l] += in->w[j] * in->msg[j][l];
    }
    return MB_OK;
}

/* On a complete graph the average of all phi* is central VB. The kind: linear regression with one option,
 * and the model's own default prior. */
TEST(kinds_and_algorithms_need_no_list)
{
    static const mb_opt intercept[] = {
        {"intercept", MB_OPT_CHOICE, 0, "on", 0, 0, "off|on", "", "", "", ""}, {.name = NULL}};
    static const mb_algo     algo = {.name = "own", .consensus = 1, .emit = say, .absorb = average};
    const mb_network_opt     equal = {.weights = "nearest"};
    static const char *const names[] = {"a", "b"};
    mb_kind                  kind = mb_kind_linreg;
    mb_table                 table = some_rows();
    mb_fit_opt               opt = mb_fit_defaults();
    mb_network               net;
    mb_posterior             model;
    mb_fit                   own, listed;

    table.column = names;
    OK(mb_network_draw(arena, "complete:n=6", 1, &equal, &net, &err));
    kind.name = "own";
    kind.opts = intercept;
    kind.opt_size = sizeof(int32_t);
    kind.units = NULL;
    kind.prior = NULL;
    kind.own_units = NULL;
    kind.needs_covariance = NULL;
    opt.kind = &kind;
    opt.how.algo = &algo;
    OK(mb_fit_run(arena, &net, &table, &opt, &own, &err));
    model = own.posterior;
    model.kind = opt.kind = &mb_kind_linreg;
    model.par = model.prior_par; /* the model's own, which a kind without `prior` has */
    opt.units.prior = &model;
    opt.how.algo = NULL;
    OK(mb_fit_run(arena, &net, &table, &opt, &listed, &err));
    assert_true(difference_of_fits(&listed, &own) < 1e-9);
    assert_string_equal(own.posterior.target[0], "b");
    mb_fit_close(&listed);
    mb_fit_close(&own);
}

/* A fit of all rows in one place, and on a path whose nodes wait: each pass takes 4 rounds. */
TEST(an_algorithm_that_waits_is_fitted_as_any_other)
{
    const mb_table   table = some_rows();
    const mb_network net = network("path:n=5");
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = mixture(&gmm);
    mb_fit           one, sums;

    OK(mb_fit_run(arena, NULL, &table, &opt, &one, &err));
    opt.how.algo = &mb_algo_sum;
    OK(mb_fit_run(arena, &net, &table, &opt, &sums, &err));
    assert_int_equal(sums.out.verdict, MB_ENDED_SETTLED);
    assert_true(difference_of_fits(&one, &sums) < 1e-6);
    mb_fit_close(&sums);
    mb_fit_close(&one);
}

/* Rows in single precision give results bit-identical to those of the same numbers as doubles; run
 * units in single precision do not. */
TEST(single_precision_is_rounding_of_the_rows)
{
    mb_table    table = some_rows(), narrow = table;
    mb_gmm_kind gmm;
    mb_fit_opt  opt = mixture(&gmm);
    float       x32[ROWS * COLS];
    double      x[ROWS * COLS];
    mb_fit      one, other;

    for (int32_t e = 0; e < ROWS * COLS; e++)
        x[e] = x32[e] = (float)table.rows.x[e];
    table.rows.x = x;
    narrow.rows.x = NULL;
    narrow.rows.x32 = x32;
    for (int32_t how = 0; how < 2; how++) {
        opt.start.how = how ? MB_INIT_KMEANS : MB_INIT_CENTRES;
        OK(mb_fit_run(arena, NULL, &table, &opt, &one, &err));
        OK(mb_fit_run(arena, NULL, &narrow, &opt, &other, &err));
        assert_same_bits(&one, &other);
        mb_fit_close(&other);
        mb_fit_close(&one);
    }
    OK(mb_fit_run(arena, NULL, &table, &opt, &one, &err));
    opt.units.precision = MB_FLOAT32;
    OK(mb_fit_run(arena, NULL, &table, &opt, &other, &err));
    assert_non_null(other.stages->nodes.rows[0].x32);
    assert_true(difference_of_fits(&one, &other) < 1e-5);
    mb_fit_close(&other);
    opt.units.raw = 1;
    assert_int_equal(mb_fit_run(arena, NULL, &table, &opt, &other, &err), MB_E_ARG);
    mb_fit_close(&one);
}

TEST(weights_are_repeated_rows)
{
    mb_table    weighted = some_rows(), repeated = weighted;
    mb_gmm_kind gmm;
    mb_fit_opt  opt = mixture(&gmm);
    double      w[ROWS], x[3 * ROWS * COLS];
    int64_t     n = 0;
    mb_fit      one, other;

    for (int32_t j = 0; j < ROWS; j++) {
        w[j] = 1 + j % 3;
        for (int32_t k = 0; k <= j % 3; k++, n++)
            memcpy(x + n * COLS, weighted.rows.x + j * COLS, COLS * sizeof *x);
    }
    weighted.rows.w = w;
    repeated.rows.x = x;
    repeated.rows.n = n;
    opt.tol = 1e-10;
    OK(mb_fit_run(arena, NULL, &weighted, &opt, &one, &err));
    OK(mb_fit_run(arena, NULL, &repeated, &opt, &other, &err));
    assert_true(difference_of_fits(&one, &other) < 1e-9);
    assert_true(fabs(one.out.bound - other.out.bound) < 1e-9 * fabs(one.out.bound));
    assert_true(fabs(one.stages->nodes.weight_total - (double)n) < 0.5);
    mb_fit_close(&other);
    mb_fit_close(&one);
}

/* One value in all rows: such a column tells nothing apart. */
TEST(a_constant_column_changes_nothing)
{
    mb_table    t = some_rows(), more = t;
    mb_gmm_kind gmm;
    mb_fit_opt  opt = mixture(&gmm);
    double      x[ROWS * 3], wide[K * 3];
    mb_fit      fit;

    for (int32_t j = 0; j < ROWS; j++)
        for (int32_t d = 0; d < 3; d++)
            x[3 * j + d] = d < COLS ? t.rows.x[COLS * j + d] : 7;
    for (int32_t k = 0; k < K; k++)
        for (int32_t d = 0; d < 3; d++)
            wide[3 * k + d] = d < COLS ? centres[COLS * k + d] : 7;
    more.rows = (mb_rows){.x = x, .n = ROWS, .d = 3, .ld = 3};
    opt.start.centres = wide;
    OK(mb_fit_run(arena, NULL, &more, &opt, &fit, &err));
    assert_int_equal(fit.stages->nodes.agreed.constant[2], 1);
    assert_int_equal(fit.out.verdict, MB_ENDED_SETTLED);
    mb_fit_close(&fit);
}

/* A narrow component at the origin of the run and others far from it: the units of the run hold what
 * the posterior's own, with their origin in the middle, do not. */
TEST(a_posterior_need_not_be_able_to_predict)
{
    static const double par[] = {30, 20, 10, 9, 5, 0, 0, 1e-20, 0, 1e-20, /* narrow */
                                 9,  5,  2,  2, 1, 0, 1, 9,     5, 2,     -2, 1, 0, 1};
    const mb_table      table = some_rows();
    mb_gmm_kind         gmm;
    mb_fit_opt          opt = mixture(&gmm);
    double             *phi;
    mb_posterior        p;
    mb_fit              fit;

    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    assert_non_null(fit.posterior.phi);
    phi = doubles(fit.stages->nodes.model.layout.len);
    assert_int_equal(sizeof par / sizeof *par, fit.stages->nodes.model.layout.len);
    OK(mb_from_par(&fit.stages->nodes.model.layout, par, phi, &err));
    OK(mb_case_posterior(arena, &fit.stages->nodes, phi, NULL, &p, &err));
    assert_null(p.phi);
    assert_int_equal(mb_posterior_ready(arena, &p, &err), MB_E_DOMAIN);
    OK(mb_case_posterior(arena, &fit.stages->nodes, fit.out.mean, fit.out.order, &p, &err));
    OK(mb_posterior_ready(arena, &p, &err));
    assert_memory_equal(p.phi, fit.posterior.phi, p.model->layout.len * sizeof *phi);
    mb_fit_close(&fit);
}

/* Bounds of the rounds of a run, data units. */
typedef struct seen_bounds {
    const mb_session *s;
    double            at[512];
    int32_t           n;
} seen_bounds;

static mb_status see_bound_now(void *self, const mb_problem *p, const mb_state *s, mb_err *e)
{
    seen_bounds *b = self;

    (void)p, (void)s, (void)e;
    assert_true(b->n < 512);
    b->at[b->n++] = mb_session_bound_now(b->s);
    return MB_OK;
}

static mb_status watch_bounds(void *self, mb_session *s, int32_t attempt, mb_err *e)
{
    seen_bounds *b = self;

    if (attempt >= 0)
        return MB_OK;
    b->s = s;
    return mb_session_watch(
        s, &(mb_observer){.self = b, .every = 1, .wants_bound = 1, .see = see_bound_now}, e);
}

TEST(a_fit_may_end_when_its_bound_changes_by_less_than_tol)
{
    const double tol[] = {1e-3, 1e-6};
    double       end[2];

    for (int k = 0; k < 2; k++) {
        const mb_table t = some_rows();
        mb_gmm_kind    gmm;
        mb_fit_opt     o = mixture(&gmm);
        seen_bounds    b = {.n = 0};
        mb_fit         f;

        o.start = (mb_start){.how = MB_INIT_RANDOM, .seed = 4};
        o.n_init = 1;
        o.tol = tol[k];
        o.how.stop = MB_STOP_RULE_BOUND;
        o.watch = watch_bounds;
        o.self = &b;
        OK(mb_fit_run(arena, NULL, &t, &o, &f, &err));
        assert_int_equal(f.out.verdict, MB_ENDED_SETTLED);
        assert_int_equal(f.out.rounds, b.n);
        assert_true(b.n > 4);
        for (int32_t r = 1; r < b.n - 1; r++)
            assert_true(fabs(b.at[r] - b.at[r - 1]) >= tol[k]);
        assert_true(fabs(b.at[b.n - 1] - b.at[b.n - 2]) < tol[k]);
        assert_near(b.at[b.n - 1], f.out.bound, 10 * tol[k]);
        end[k] = f.out.bound;
        mb_fit_close(&f);
    }
    assert_true(end[1] >= end[0]);
}

TEST(a_network_does_not_stop_by_its_bound)
{
    const mb_network net = network("path:n=2");
    const mb_table   t = some_rows();
    mb_gmm_kind      gmm;
    mb_fit_opt       o = mixture(&gmm);
    mb_fit           f;

    o.how.algo = &mb_algo_edge;
    o.how.stop = MB_STOP_RULE_BOUND;
    assert_int_equal(mb_fit_run(arena, &net, &t, &o, &f, &err), MB_E_NOSUP);
    assert_non_null(strstr(err.msg, "got 2 nodes"));
}

/* Any rows, none twice: those of each attempt are others. */
TEST(centres_may_be_any_rows)
{
    const mb_table t = some_rows();
    double         drawn[2][K * COLS];

    for (uint64_t seed = 0; seed < 40; seed++)
        for (int32_t k = 0; k < 2; k++) {
            mb_gmm_kind gmm;
            mb_fit_opt  o = mixture(&gmm);
            mb_centres  c = {.centres = drawn[k]};
            mb_fit      f;
            int32_t     found = 0;

            o.start = (mb_start){
                .how = MB_INIT_RANDOM_FROM_DATA, .seed = seed + 100 * (uint64_t)k, .drawn = &c};
            o.n_init = 1;
            o.how.rounds = 1;
            OK(mb_fit_run(arena, NULL, &t, &o, &f, &err));
            mb_fit_close(&f);
            for (int32_t a = 0; a < K; a++) {
                for (int64_t j = 0; j < ROWS; j++)
                    found +=
                        !memcmp(drawn[k] + a * COLS, t.rows.x + j * COLS, COLS * sizeof *drawn[k]);
                for (int32_t b = 0; b < a; b++)
                    assert_true(memcmp(drawn[k] + a * COLS, drawn[k] + b * COLS,
                                       COLS * sizeof *drawn[k]) != 0);
            }
            assert_int_equal(found, K);
        }
    assert_memory_not_equal(drawn[0], drawn[1], sizeof drawn[0]);
}

/* Rows of the three centres in turn: k-means++ has one of each, any rows seldom have. */
TEST(any_rows_are_not_spread_as_those_of_kmeans)
{
    const mb_table t = some_rows();
    int32_t        apart[2] = {0};

    for (uint64_t seed = 0; seed < 60; seed++)
        for (int32_t k = 0; k < 2; k++) {
            mb_gmm_kind gmm;
            mb_fit_opt  o = mixture(&gmm);
            double      drawn[K * COLS];
            mb_centres  c = {.centres = drawn};
            mb_fit      f;
            int32_t     of = 0;

            o.start = (mb_start){
                .how = k ? MB_INIT_RANDOM_FROM_DATA : MB_INIT_KMEANSPP, .seed = seed, .drawn = &c};
            o.n_init = 1;
            o.how.rounds = 1;
            OK(mb_fit_run(arena, NULL, &t, &o, &f, &err));
            mb_fit_close(&f);
            for (int32_t a = 0; a < K; a++)
                for (int64_t j = 0; j < ROWS; j++)
                    if (!memcmp(drawn + a * COLS, t.rows.x + j * COLS, COLS * sizeof *drawn))
                        of |= 1 << j % K;
            apart[k] += of == 7;
        }
    /* 3!/27 of 60 are 13; 30 has a probability below 1e-6. */
    assert_true(apart[0] > 30);
    assert_true(apart[1] < 30);
    assert_true(apart[1] > 0);
}

/* Of 3 of 60 rows, which nothing else is near to. */
TEST(few_rows_decide_and_the_share_of_the_prior_is_known_where_it_is_named)
{
    mb_table    t = some_rows();
    mb_gmm_kind gmm;
    mb_fit_opt  o = mixture(&gmm);
    double     *x = doubles(ROWS * COLS);
    mb_weak     weak;
    mb_fit      f;

    memcpy(x, t.rows.x, ROWS * COLS * sizeof *x);
    for (int64_t j = 0; j < 3; j++)
        x[COLS * j] += 400;
    t.rows.x = x;
    gmm.n_components = 2;
    o.start = (mb_start){.how = MB_INIT_KMEANS, .seed = 1};
    OK(mb_fit_run(arena, NULL, &t, &o, &f, &err));
    assert_int_equal(f.weak.count, 1);
    assert_near(f.weak.rows, 3, 0.1);
    assert_true(f.weak.prior > 0 && f.weak.prior < 1);
    OK(mb_case_weak(f.stages->session.c, f.out.mean, 0, &weak, &err));
    assert_int_equal(weak.count, 1);
    assert_true(isnan(weak.prior));
    mb_fit_close(&f);
}

RUN_TESTS(arena_up, arena_down)
