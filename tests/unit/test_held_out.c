/* Answers that are compared by rows they are not fitted to. */
#include "fit/fit.h"
#include "fits.h"
#include "model/kind.h"
#include "test.h"

enum { FEW = 5 /* as many as there are folds: each row is one */, EACH = 4 };

static const double x[FEW] = {1, 2.5, 4, 4.5, 9};

/* A parameter of the prior of the one component. */
static double prior_of(const mb_case *c, const char *key)
{
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = mb_kind_fields(c->kind, &c->size, f);

    for (int32_t k = 0; k < n; k++)
        if (!strcmp(f[k].key, key))
            return c->prior_par[mb_field_at(&f[k], 0, 0)];
    fail_msg("no field %s", key);
    return 0;
}

/* ln of Student's t density that the rows other than j predict for row j: a Gaussian with the normal-Wishart
 * prior in closed form. */
static double predicted(const mb_case *c, int32_t j)
{
    const double m0 = prior_of(c, "means"), beta0 = prior_of(c, "mean_precision");
    const double n = FEW - 1, beta = beta0 + n, nu = prior_of(c, "degrees_of_freedom") + n;
    double       mean = 0, scatter = prior_of(c, "w_inverse"), square, scale;

    for (int32_t i = 0; i < FEW; i++)
        mean += i == j ? 0 : x[i] / n;
    for (int32_t i = 0; i < FEW; i++)
        scatter += i == j ? 0 : (x[i] - mean) * (x[i] - mean);
    scatter += beta0 * n / beta * (mean - m0) * (mean - m0);
    mean = (beta0 * m0 + n * mean) / beta;
    scale = scatter * (1 + beta) / (beta * nu);
    square = (x[j] - mean) * (x[j] - mean) / (nu * scale);
    return lgamma((nu + 1) / 2) - lgamma(nu / 2) - log(nu * 3.14159265358979324 * scale) / 2 -
           (nu + 1) / 2 * log1p(square);
}

static void fit_of(const mb_table *t, int32_t components, mb_prefer prefer, mb_fit *fit)
{
    static mb_gmm_kind gmm;
    mb_fit_opt         o = mixture(&gmm);

    gmm.n_components = components;
    gmm.unit = t->rows.first != NULL;
    o.start = (mb_start){.how = MB_INIT_RANDOM, .seed = 3, .prefer = prefer};
    OK(mb_fit_run(arena, NULL, t, &o, fit, &err));
}

static double density_of(const mb_fit *fit, uint64_t seed)
{
    const mb_method how = {
        .algo = &mb_algo_noncoop, .rounds = 50, .pool = fit->stages->pool, .threads = 1};
    const double *phi = fit->out.mean;
    double        density;

    OK(mb_held_out_(arena, &fit->stages->central, &how, 1e-9, seed, 1, &phi, &density, &err));
    return density;
}

TEST(five_rows_are_each_predicted_by_the_four_others)
{
    const mb_table t = {.rows = {.x = x, .n = FEW, .d = 1, .ld = 1}};
    mb_fit         fit;
    double         mean = 0;

    fit_of(&t, 1, MB_PREFER_BOUND, &fit);
    for (int32_t j = 0; j < FEW; j++)
        mean += predicted(&fit.stages->central, j) / FEW;
    for (uint64_t seed = 1; seed < 4; seed++) /* whichever row is which fold */
        assert_true(fabs(density_of(&fit, seed) - mean) < 1e-9);
    mb_fit_close(&fit);
}

TEST(weights_are_of_rows_held_out_too)
{
    static const double w[FEW] = {1, 0, 0, 0, 0};
    const mb_table      all = {.rows = {.x = x, .n = FEW, .d = 1, .ld = 1}};
    mb_fit              fit;
    mb_rows             rows, data;
    mb_case             at;
    double              m0, scale, nu, beta, square, density;
    const double       *phi;
    const mb_method     how = {.algo = &mb_algo_noncoop, .rounds = 50, .threads = 1};

    fit_of(&all, 1, MB_PREFER_BOUND, &fit);
    at = fit.stages->central;
    rows = at.rows[0];
    data = at.data[0];
    phi = fit.out.mean;
    rows.w = data.w =
        w; /* only row 0 is scored, and the others teach nothing: its density is the prior's */
    at.rows = &rows;
    at.data = &data;
    OK(mb_held_out_(arena, &at, &how, 1e-9, 1, 1, &phi, &density, &err));
    m0 = prior_of(&at, "means");
    nu = prior_of(&at, "degrees_of_freedom");
    beta = prior_of(&at, "mean_precision");
    scale = prior_of(&at, "w_inverse") * (1 + beta) / (beta * nu);
    square = (x[0] - m0) * (x[0] - m0) / (nu * scale);
    assert_true(fabs(density - (lgamma((nu + 1) / 2) - lgamma(nu / 2) -
                                log(nu * 3.14159265358979324 * scale) / 2 -
                                (nu + 1) / 2 * log1p(square))) < 1e-9);
    mb_fit_close(&fit);
}

TEST(groups_stay_together)
{
    static double        y[FEW * EACH];
    static const int64_t first[FEW + 1] = {0, EACH, 2 * EACH, 3 * EACH, 4 * EACH, 5 * EACH};
    mb_table             t = {.rows = {.x = y, .n = FEW * EACH, .d = 1, .ld = 1}};
    mb_fit               fit;
    double               whole[2], apart;

    for (int32_t j = 0; j < FEW * EACH; j++)
        y[j] = x[j / EACH] + 1e-3 * (j % EACH);
    fit_of(&t, 1, MB_PREFER_BOUND, &fit);
    apart = density_of(&fit, 1);
    mb_fit_close(&fit);
    t.rows.first = first;
    t.rows.ngroup = FEW;
    fit_of(&t, 1, MB_PREFER_BOUND, &fit);
    for (int32_t k = 0; k < 2; k++)
        whole[k] = density_of(&fit, 1 + (uint64_t)k);
    assert_true(fabs(whole[0] - whole[1]) < 1e-9); /* five groups: whichever is which fold */
    assert_true(whole[0] < apart - .1);            /* no row of a group tells of the others */
    mb_fit_close(&fit);
}

TEST(fewer_rows_than_folds_are_refused)
{
    const mb_table t = {.rows = {.x = x, .n = FEW - 1, .d = 1, .ld = 1}};
    mb_fit         fit;
    const double  *phi;
    double         density;

    fit_of(&t, 1, MB_PREFER_BOUND, &fit);
    phi = fit.out.mean;
    assert_int_equal(mb_held_out_(arena, &fit.stages->central,
                                  &(mb_method){.algo = &mb_algo_noncoop}, 1e-9, 1, 1, &phi,
                                  &density, &err),
                     MB_E_ARG);
    assert_non_null(strstr(err.msg, "got 4 rows; expected 5 or more"));
    mb_fit_close(&fit);
}

TEST(the_optimum_that_predicts_best_is_chosen)
{
    const mb_table t = some_rows();
    mb_fit         bound, held;

    fit_of(&t, 5, MB_PREFER_BOUND, &bound);
    fit_of(&t, 5, MB_PREFER_HELD_OUT, &held);
    assert_int_equal(bound.found.optima, 0);
    assert_int_equal(held.found.moves, 0);
    assert_true(held.found.optima > 1);
    assert_true(held.found.held_out >= held.found.of_best);
    mb_fit_close(&bound);
    mb_fit_close(&held);
}

RUN_TESTS(arena_up, arena_down)
