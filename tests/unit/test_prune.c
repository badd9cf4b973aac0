/* Components that the rows do not need are merged: exact statistics, a bound that does not fall. */
#include "expfam/expfam.h"
#include "fits.h"
#include "test.h"

/* Rows of one cluster. */
static mb_table one_cloud(void)
{
    mb_rng  r = gen_rng(11);
    double *x = doubles(ROWS * COLS);

    for (int32_t e = 0; e < ROWS * COLS; e++)
        x[e] = 5 + mb_rng_normal(&r);
    return (mb_table){.rows = {.x = x, .n = ROWS, .d = COLS, .ld = COLS}};
}

/* Two components from responsibilities of one half each: they stay equal for ever. */
static mb_fit_opt halves(mb_gmm_kind *gmm, double *resp)
{
    mb_fit_opt o = mixture(gmm);

    for (int32_t e = 0; e < 2 * ROWS; e++)
        resp[e] = .5;
    gmm->n_components = 2;
    gmm->alpha0 = .5;
    gmm->beta0 = 2;
    gmm->nu0 = 3;
    o.start = (mb_start){.how = MB_INIT_RESPONSIBILITIES, .resp = resp};
    o.how.prune = 1;
    return o;
}

static void near_to(double got, double want)
{
    if (!(fabs(got - want) <= 1e-10 * fmax(1, fabs(want))))
        fail_msg("got %.17g; expected %.17g", got, want);
}

/* The answer of one component is in closed form: beta0 + n, (beta0 mu0 + sum x)/(beta0 + n). */
TEST(two_equal_components_become_one_with_all_statistics)
{
    const mb_table table = one_cloud();
    double         resp[2 * ROWS], sum[COLS] = {0};
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = halves(&gmm, resp);
    const double  *prior, *par;
    mb_fit         fit;

    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    assert_int_equal(fit.pruned.first, 2);
    assert_int_equal(fit.pruned.left, 1);
    assert_int_equal(fit.pruned.merged, 1);
    assert_int_equal(fit.posterior.size.K, 1);
    assert_int_equal(fit.stages->session.c->model.K, 1);
    assert_int_equal(fit.out.verdict, MB_ENDED_SETTLED);
    prior = fit.posterior.prior_par;
    par = fit.posterior.par; /* alpha, then nu, beta, m */
    for (int32_t e = 0; e < ROWS * COLS; e++)
        sum[e % COLS] += table.rows.x[e];
    near_to(prior[0], .5); /* as before */
    near_to(par[0], .5 + ROWS);
    near_to(par[1], 3 + ROWS);
    near_to(par[2], 2 + ROWS);
    for (int32_t d = 0; d < COLS; d++)
        near_to(par[3 + d], (2 * prior[3 + d] + sum[d]) / (2 + ROWS));
    mb_fit_close(&fit);
}

TEST(the_bound_does_not_fall)
{
    const mb_table table = one_cloud();
    double         resp[2 * ROWS];
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = halves(&gmm, resp);
    mb_fit         pruned, whole;

    OK(mb_fit_run(arena, NULL, &table, &opt, &pruned, &err));
    opt.how.prune = 0;
    OK(mb_fit_run(arena, NULL, &table, &opt, &whole, &err));
    assert_int_equal(whole.posterior.size.K, 2);
    assert_int_equal(whole.pruned.first, 0);
    assert_true(pruned.out.bound > whole.out.bound);
    mb_fit_close(&whole);
    mb_fit_close(&pruned);
}

TEST(components_that_are_needed_remain)
{
    const mb_table table = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    mb_fit         pruned, whole;

    OK(mb_fit_run(arena, NULL, &table, &opt, &whole, &err));
    opt.how.prune = 1;
    OK(mb_fit_run(arena, NULL, &table, &opt, &pruned, &err));
    assert_int_equal(pruned.pruned.left, K);
    assert_int_equal(pruned.pruned.merged, 0);
    assert_int_equal(pruned.posterior.size.K, K);
    assert_same_bits(&whole, &pruned);
    mb_fit_close(&pruned);
    mb_fit_close(&whole);
}

TEST(a_model_without_components_is_untouched)
{
    const mb_table table = one_cloud();
    mb_fit_opt     opt = mb_fit_defaults();
    mb_fit         pruned, whole;

    opt.kind = &mb_kind_linreg;
    OK(mb_fit_run(arena, NULL, &table, &opt, &whole, &err));
    opt.how.prune = 1;
    OK(mb_fit_run(arena, NULL, &table, &opt, &pruned, &err));
    assert_int_equal(pruned.pruned.tried, 0);
    assert_same_bits(&whole, &pruned);
    mb_fit_close(&pruned);
    mb_fit_close(&whole);
}

/* Merged components would have to share two priors. */
TEST(components_with_priors_of_their_own_are_refused)
{
    const mb_table table = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    mb_posterior   former;
    mb_fit         one, two;

    OK(mb_fit_run(arena, NULL, &table, &opt, &one, &err));
    former = one.posterior;
    opt.units.prior = &former;
    OK(mb_fit_run(arena, NULL, &table, &opt, &two, &err));
    mb_fit_close(&two);
    opt.how.prune = 1;
    assert_int_equal(mb_fit_run(arena, NULL, &table, &opt, &two, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "priors of their own"));
    mb_fit_close(&two);
    mb_fit_close(&one);
}

/* Sessions of merges are seen too, and the last rounds are those of the answer. */
static mb_status count(void *self, mb_session *s, int32_t attempt, mb_err *e)
{
    int32_t *calls = self;

    (void)e;
    assert_true(s->c->model.K >= 1 && s->c->model.K <= 2);
    calls[attempt < 0]++;
    return MB_OK;
}

TEST(watch_is_called_for_each_session)
{
    const mb_table table = one_cloud();
    double         resp[2 * ROWS];
    int32_t        calls[2] = {0, 0};
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = halves(&gmm, resp);
    mb_fit         fit;

    opt.watch = count;
    opt.self = calls;
    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    assert_int_equal(calls[0], fit.pruned.tried);
    assert_int_equal(calls[1], 1 + fit.pruned.merged);
    mb_fit_close(&fit);
}

static mb_status stop_tries(void *self, mb_session *s, int32_t attempt, mb_err *e)
{
    (void)self, (void)s, (void)e;
    return attempt < 0 ? MB_OK : MB_STOP;
}

TEST(a_try_that_watch_ends_is_the_last)
{
    const mb_table table = one_cloud();
    double         resp[2 * ROWS];
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = halves(&gmm, resp);
    mb_fit         fit;

    opt.watch = stop_tries;
    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    assert_int_equal(fit.pruned.tried, 1);
    assert_int_equal(fit.posterior.size.K, 2);
    mb_fit_close(&fit);
}

/* Any kind of block: entries and slices of components go, others stay. */
TEST(merged_components_add_up)
{
    enum { MANY = 4, LEN = 7 };
    const double p[LEN] = {1, 2, 3, 4, 50, 60, 70}, prior[LEN] = {.5, .5, .5, .5, 9, 9, 9};
    double       out[LEN] = {0};
    mb_layout    l = {0};

    OK(mb_layout_add(&l, &mb_dirichlet, MANY, 1, &err));
    OK(mb_layout_add(&l, &mb_dirichlet, 3, 1, &err));
    mb_merge_components(&l, MANY, 3, 1, prior, p, out);
    assert_memory_equal(out, ((double[]){1, 3, 5.5, 50, 60, 70}), 6 * sizeof *out);
    mb_merge_components(&l, MANY, 0, 2, prior, p, out);
    assert_memory_equal(out, ((double[]){3.5, 2, 4, 50, 60, 70}), 6 * sizeof *out);
    mb_merge_components(&l, MANY, 0, 3, NULL, p, out);
    assert_memory_equal(out, ((double[]){1, 2, 3, 50, 60, 70}), 6 * sizeof *out);
}

RUN_TESTS(arena_up, arena_down)
