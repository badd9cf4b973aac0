/* An answer that learns batch by batch (mb_fit_partial): beside the answer of all rows at once. */
#include "fit/case.h"
#include "fits.h"
#include "test.h"

static const char *const names[] = {"x", "y", "z"};

static mb_table table(const double *x, const double *w, int64_t n, int32_t d)
{
    return (mb_table){.rows = {.x = x, .w = w, .n = n, .d = d, .ld = (size_t)d}, .column = names};
}

static mb_fit fit_of(const mb_table *rows, const mb_fit_opt *opt)
{
    mb_fit fit;

    OK(mb_fit_run(arena, NULL, rows, opt, &fit, &err));
    return fit;
}

/* The first `size` rows, then batches of as many until all are seen. */
static mb_fit learn(const mb_table *all, const mb_fit_opt *opt, int64_t size, double forget,
                    mb_update_totals *learnt)
{
    mb_table     rows = table_part(all, 0, size);
    mb_fit       fit = fit_of(&rows, opt);
    mb_posterior former;

    *learnt = (mb_update_totals){size, fit.stages->nodes.weight_total, fit.out.bound};
    for (int64_t at = size; at < all->rows.n; at += size) {
        former = fit.posterior;
        mb_fit_close(&fit);
        rows = table_part(all, at, at + size < all->rows.n ? size : all->rows.n - at);
        OK(mb_fit_partial(arena, &former, forget, &rows, opt, learnt, &fit, &err));
    }
    return fit;
}

/* The rows of batch b of B weigh forget^(B - 1 - b) of what they do. */
static mb_table faded(const mb_table *all, int64_t size, double forget)
{
    const int64_t n = all->rows.n, last = (n - 1) / size;
    double       *w = doubles((size_t)n);
    mb_table      t = *all;

    for (int64_t j = 0; j < n; j++)
        w[j] = pow(forget, (double)(last - j / size)) * (all->rows.w ? all->rows.w[j] : 1);
    t.rows.w = w;
    return t;
}

static void assert_learns(const mb_table *all, const mb_fit_opt *opt, int64_t size, double forget)
{
    const mb_table   rows = faded(all, size, forget);
    mb_update_totals learnt;
    mb_fit           batches = learn(all, opt, size, forget, &learnt), whole = fit_of(&rows, opt);
    const size_t     len = whole.posterior.model->layout.len;

    assert_true(difference_of_fits(&whole, &batches) < 1e-10);
    for (size_t l = 0; l < len; l++)
        assert_true(fabs(whole.posterior.prior_par[l] - batches.posterior.prior_par[l]) <=
                    1e-10 * fmax(1, fabs(whole.posterior.prior_par[l])));
    assert_int_equal(learnt.rows, all->rows.n);
    assert_true(fabs(learnt.weight - whole.stages->nodes.weight_total) < 1e-10);
    assert_true(fabs(learnt.bound - whole.out.bound) < 1e-9 * fabs(whole.out.bound));
    mb_fit_close(&batches);
    mb_fit_close(&whole);
}

static double *drawn(int64_t n, int32_t d, uint64_t seed)
{
    mb_rng  r = gen_rng(seed);
    double *x = doubles((size_t)(n * d));

    gen_rows(&r, (int32_t)n, d, 1, x);
    for (int64_t e = 0; e < n * d; e++)
        x[e] = 40 + 3 * x[e] + (double)(e % d) * x[e / d * d];
    return x;
}

/* Its prior does not depend on the rows. */
static mb_fit_opt regression(mb_linreg_kind *line, const char *const *given)
{
    mb_fit_opt opt = mb_fit_defaults();

    *line = (mb_linreg_kind){0};
    OK(mb_opt_defaults(mb_kind_linreg.opts, line, &err));
    for (; *given; given++)
        OK(mb_opt_assign(mb_kind_linreg.opts, line, *given, &err));
    opt.kind = &mb_kind_linreg;
    opt.kind_opt = line;
    return opt;
}

TEST(regression_in_batches_is_that_of_all_rows)
{
    static const char *const prior[] = {"prior.a0=2", "prior.b0=3", "prior.m0=1,-2,.5",
                                        "prior.lambda0=.5", NULL};
    mb_linreg_kind           line;
    const mb_fit_opt         opt = regression(&line, prior);
    mb_table                 all = table(drawn(70, 3, 5), NULL, 70, 3);

    assert_learns(&all, &opt, 7, 1);
    assert_learns(&all, &opt, 33, 1);
    assert_learns(&all, &opt, 1, 1); /* also row by row */
    all.rows.w = row_weights(70);
    assert_learns(&all, &opt, 7, 1);
    line.intercept = 0;
    line.m0 = "1,-2";
    assert_learns(&all, &opt, 7, 1);
}

TEST(so_it_is_with_several_targets)
{
    static const char *const prior[] = {"linreg.targets=2", "prior.a0=2",       "prior.b0=3",
                                        "prior.m0=1",       "prior.lambda0=.5", NULL};
    mb_linreg_kind           line;
    const mb_fit_opt         opt = regression(&line, prior);
    const mb_table           all = table(drawn(60, 3, 9), NULL, 60, 3);

    assert_learns(&all, &opt, 6, 1);
    assert_learns(&all, &opt, 6, .9);
}

TEST(forgetting_weighs_the_rows_of_earlier_batches)
{
    static const char *const prior[] = {"prior.a0=2", "prior.b0=3", "prior.m0=1,-2,.5",
                                        "prior.lambda0=.5", NULL};
    mb_linreg_kind           line;
    const mb_fit_opt         opt = regression(&line, prior);
    const mb_table           all = table(drawn(50, 3, 2), NULL, 50, 3);

    assert_learns(&all, &opt, 25, .5);
    assert_learns(&all, &opt, 5, .9);
    assert_learns(&all, &opt, 5, 1e-3);
}

TEST(one_component_learns_in_batches_what_it_learns_at_once)
{
    static const char *const prior[] = {"prior.alpha0=2", "prior.beta0=.3", "prior.nu0=4.5",
                                        "prior.mu0=90,80", "prior.w0inv=30,5,5,20"};
    mb_gmm_kind              gmm;
    mb_fit_opt               opt = mixture(&gmm);
    mb_table                 all = some_rows();

    all.column = names;
    gmm.n_components = 1;
    opt.start.how = MB_INIT_KMEANS;
    for (size_t k = 0; k < sizeof prior / sizeof *prior; k++)
        OK(mb_opt_assign(mb_kind_gmm.opts, &gmm, prior[k], &err));
    assert_learns(&all, &opt, 6, 1);
    assert_learns(&all, &opt, 6, .8);
    all.rows.w = row_weights(ROWS);
    assert_learns(&all, &opt, 1, 1);
}

/* Three clusters at such distances that every row is of one component for sure. */
static mb_table clusters(void)
{
    mb_table all = some_rows();
    double  *x = drawn(ROWS, COLS, 3);

    for (int32_t e = 0; e < ROWS * COLS; e++)
        x[e] += 100 * (e / COLS % K == e % COLS);
    all.rows.x = x;
    all.column = names;
    return all;
}

static void assert_mixture_learns(const char *const *given)
{
    static const double at[K * COLS] = {140, 80, 40, 180, 40, 80};
    const mb_table      all = clusters();
    mb_gmm_kind         gmm;
    mb_fit_opt          opt = mixture(&gmm);

    opt.start.centres = at;
    OK(mb_opt_assign(mb_kind_gmm.opts, &gmm, "prior.mu0=40,80", &err));
    OK(mb_opt_assign(mb_kind_gmm.opts, &gmm, "prior.beta0=.001", &err));
    OK(mb_opt_assign(mb_kind_gmm.opts, &gmm, "prior.w0inv=20", &err));
    for (; *given; given++)
        OK(mb_opt_assign(mb_kind_gmm.opts, &gmm, *given, &err));
    assert_learns(&all, &opt, 15, 1);
    assert_learns(&all, &opt, 6, .8);
}

TEST(a_mixture_of_clear_clusters_learns_the_same)
{
    static const char *const forms[][2] = {{"covariance-type=full", NULL},
                                           {"covariance-type=diag", NULL},
                                           {"covariance-type=spherical", NULL},
                                           {"covariance-type=tied", NULL}};

    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        assert_mixture_learns(forms[k]);
}

TEST(so_does_a_dirichlet_process)
{
    static const char *const given[] = {"weight-concentration-prior-type=dirichlet_process", NULL};

    assert_mixture_learns(given);
}

/* What a batch decides is not decided again: the sum of the bounds stays below that of all rows. */
TEST(a_mixture_whose_clusters_overlap_has_a_lower_bound)
{
    mb_table         all = some_rows();
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = mixture(&gmm);
    mb_update_totals learnt;
    mb_fit           batches, whole;

    all.column = names;
    OK(mb_opt_assign(mb_kind_gmm.opts, &gmm, "prior.mu0=105,105", &err));
    OK(mb_opt_assign(mb_kind_gmm.opts, &gmm, "prior.w0inv=20", &err));
    batches = learn(&all, &opt, 15, 1, &learnt);
    whole = fit_of(&all, &opt);
    assert_true(learnt.bound < whole.out.bound);
    assert_true(learnt.bound > whole.out.bound - 1);
    mb_fit_close(&batches);
    mb_fit_close(&whole);
}

/* A likelihood that is not conjugate: the Gaussian of a batch is the prior of the next. */
TEST(logistic_regression_learns_nearly_the_same)
{
    mb_glm_kind      glm = {0};
    mb_fit_opt       opt = mb_fit_defaults();
    double          *x = drawn(200, 2, 4);
    mb_table         all = table(x, NULL, 200, 2);
    mb_update_totals learnt;
    mb_fit           batches, whole;

    for (int j = 0; j < 200; j++)
        x[2 * j + 1] = x[2 * j] + 5 * ((j % 5) - 2) > 40;
    OK(mb_opt_defaults(mb_kind_glm.opts, &glm, &err));
    OK(mb_opt_assign(mb_kind_glm.opts, &glm, "prior.lambda0=.01", &err));
    opt.kind = &mb_kind_glm;
    opt.kind_opt = &glm;
    batches = learn(&all, &opt, 100, 1, &learnt);
    whole = fit_of(&all, &opt);
    assert_true(fabs(batches.posterior.par[1] / whole.posterior.par[1] - 1) < .1);
    assert_true(isnan(learnt.bound));
    mb_fit_close(&batches);
    mb_fit_close(&whole);
}

TEST(options_that_do_not_follow_from_sizes_are_refused)
{
    mb_kind      own = mb_kind_gmm;
    mb_gmm_kind  gmm;
    mb_fit_opt   opt = mixture(&gmm);
    mb_table     rows = some_rows();
    mb_fit       fit = fit_of(&rows, &opt);
    mb_posterior p = fit.posterior;
    void        *options;

    own.opts++; /* without n-components */
    p.kind = &own;
    assert_int_equal(mb_posterior_options(arena, &p, &options, &err), MB_E_NOSUP);
    assert_non_null(strstr(err.msg, "it cannot be updated"));
    mb_fit_close(&fit);
}

TEST(what_cannot_be_updated_is_refused)
{
    static const char *const none[] = {NULL}, *const relevance[] = {"linreg.relevance=on", NULL},
                             *const turned[] = {"z", "y", "x"};
    static const double             factor[] = {0, -1, 1.01, (double)NAN};
    mb_linreg_kind                  line;
    mb_fit_opt                      opt = regression(&line, none);
    mb_table                        rows = table(drawn(30, 3, 1), NULL, 30, 3);
    mb_fit                          first = fit_of(&rows, &opt), fit;
    mb_posterior                    bare = first.posterior;

    for (int k = 0; k < 4; k++) {
        assert_int_equal(
            mb_fit_partial(arena, &first.posterior, factor[k], &rows, NULL, NULL, &fit, &err),
            MB_E_ARG);
        assert_non_null(strstr(err.msg, "forget: got "));
    }
    bare.prior_par = NULL;
    assert_int_equal(mb_fit_partial(arena, &bare, 1, &rows, NULL, NULL, &fit, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "its prior is not known"));
    bare = first.posterior;
    bare.phi = NULL;
    assert_int_equal(mb_fit_partial(arena, &bare, 1, &rows, NULL, NULL, &fit, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "is not ready to predict"));
    rows.column = turned;
    assert_int_equal(mb_fit_partial(arena, &first.posterior, 1, &rows, NULL, NULL, &fit, &err),
                     MB_E_ARG);
    assert_non_null(strstr(err.msg, "feature 1: got \"x\"; expected \"y\""));
    mb_fit_close(&first);
    rows.column = names;
    opt = regression(&line, relevance);
    first = fit_of(&rows, &opt);
    assert_int_equal(mb_fit_partial(arena, &first.posterior, 1, &rows, NULL, NULL, &fit, &err),
                     MB_E_NOSUP);
    assert_non_null(strstr(err.msg, "cannot be a prior"));
    mb_fit_close(&first);
}

RUN_TESTS(arena_up, arena_down)
