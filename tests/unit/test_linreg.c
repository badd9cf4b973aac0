/* Claims about linear regression: its posterior, its bound, its options. */
#include "core/observe.h"
#include "expfam/expfam.h"
#include "linreg_bench.h"
#include "test.h"

/* Sums of 70 rows and the elimination of a matrix of condition below 1e3. */
static const double TOL_SOLVE = 1e-12;

TEST(posterior_and_bound_are_the_closed_form)
{
    for (int32_t intercept = 0; intercept < 2; intercept++)
        for (int weighted = 0; weighted < 2; weighted++) {
            const lr_bench *b = lr_bench_new(intercept, weighted);
            double          want[LR_LEN], evidence = lr_posterior(&b->o, &b->rows, 1, want);

            assert_all_near(b->par, want, b->m.layout.len, TOL_SOLVE);
            assert_near(b->bound, evidence, TOL_SOLVE);
        }
}

TEST(without_rows_the_posterior_is_the_prior)
{
    lr_bench     *b = lr_bench_new(1, 0);
    const double *lambda0 = lr_lambda4;
    double        par[LR_LEN];

    must(mb_to_par(&b->m.layout, b->m.prior, par, b->scratch, &b->err));
    assert_near(par[0], 1.5, 1e-14);
    assert_near(par[1], 0.7, 1e-13);
    assert_all_near(par + 2, lr_m0, 4, 1e-14);
    for (int i = 0, e = 6; i < 4; i++)
        for (int j = 0; j <= i; j++, e++)
            assert_near(par[e], lambda0[4 * i + j], 1e-14);
}

/* The chain rule: ln p(y | X) = sum of ln p(y_j | x_j, rows before j). */
TEST(the_bound_is_the_log_marginal_likelihood)
{
    for (int32_t intercept = 0; intercept < 2; intercept++) {
        lr_bench *b = lr_bench_new(intercept, 0);
        double    evidence = 0, bound = b->bound, ln_p;

        memcpy(b->phi, b->m.prior, b->m.layout.len * sizeof *b->phi);
        for (int64_t j = 0; j < LR_ROWS; j++) {
            const mb_rows one = {.x = b->x + j * LR_COLUMNS, .n = 1, .d = LR_COLUMNS};
            const mb_rows seen = {.x = b->x, .n = j + 1, .d = LR_COLUMNS, .ld = LR_COLUMNS};

            lr_predict(b, &one, MB_WANT_LOGPDF, &ln_p);
            evidence += ln_p;
            must(mb_local_step(&b->m, &seen, 1, b->m.prior, b->phi, NULL, NULL, b->scratch,
                               &b->err));
        }
        assert_near(bound, evidence, TOL_SOLVE);
    }
}

/* L(phi) = ln p(y | X) - KL(phi || posterior), whatever phi: the bound's gap is a divergence. */
TEST(elsewhere_the_bound_is_lower_by_the_divergence)
{
    for (int32_t intercept = 0; intercept < 2; intercept++) {
        lr_bench *b = lr_bench_new(intercept, 1);
        double    phi[LR_LEN], star[LR_LEN], bound, kl;

        for (int k = 1; k < 8; k++) {
            for (size_t e = 0; e < b->m.layout.len; e++)
                phi[e] = b->m.prior[e] + 0.3 * k * (b->phi[e] - b->m.prior[e]);
            must(mb_local_step(&b->m, &b->rows, 1, phi, star, &bound, NULL, b->scratch, &b->err));
            must(mb_kl(&b->m.layout, phi, b->phi, &kl, b->scratch, &b->err));
            assert_true(kl > 1e-3);
            assert_near(bound, b->bound - kl, TOL_SOLVE);
            must(mb_kl_aligned(&b->m, phi, b->phi, &bound, NULL, b->scratch, &b->err));
            assert_near(bound, kl, 0);
        }
    }
}

/* A fit in moved columns, its prior moved too, is the fit in the columns as they are. */
TEST(moved_columns_move_the_fit)
{
    const double origin[2][LR_COLUMNS] = {{0, 0, 0, 0}, {3, -1, 2, 5}};
    const double scale[LR_COLUMNS] = {4, 0.5, 2, 8};

    for (int32_t intercept = 0; intercept < 2; intercept++) {
        lr_bench *b = lr_bench_new(intercept, 1);
        double    prior[LR_LEN], there[LR_LEN], phi[LR_LEN];

        mb_move_par(&b->m.layout, origin[intercept], scale, b->par);
        must(mb_to_par(&b->m.layout, b->m.prior, prior, b->scratch, &b->err));
        mb_move_par(&b->m.layout, origin[intercept], scale, prior);
        must(mb_from_par(&b->m.layout, prior, phi, &b->err));
        for (int e = 0; e < LR_ROWS * LR_COLUMNS; e++)
            b->x[e] = origin[intercept][e % LR_COLUMNS] + scale[e % LR_COLUMNS] * b->x[e];
        b->m.prior = phi;
        must(mb_local_step(&b->m, &b->rows, 1, phi, there, NULL, NULL, b->scratch, &b->err));
        must(mb_to_par(&b->m.layout, there, prior, b->scratch, &b->err));
        assert_all_near(prior, b->par, b->m.layout.len, 1e-10); /* y^2 beside its residuals */
    }
}

TEST(defaults_are_the_documented_ones)
{
    const mb_linreg_opt o = mb_linreg_defaults(4, 1);

    assert_int_equal(o.D, 4);
    assert_int_equal(o.intercept, 1);
    assert_near(o.a0, 0.5, 0);
    assert_near(o.b0, 1e-4, 0);
    assert_near(o.lambda0, 1e-4, 0);
    assert_null(o.m0);
    assert_null(o.lambda0_matrix);
}

TEST(the_model_has_no_components)
{
    const lr_bench *with = lr_bench_new(1, 0), *without = lr_bench_new(0, 0);

    assert_string_equal(with->m.ops->name, "linreg");
    assert_int_equal(with->m.K, 0);
    assert_int_equal(with->m.layout.len, 1 + 15);
    assert_int_equal(without->m.layout.len, 1 + 10);
    assert_true(with->m.eps[0] > 0 && with->m.eps[0] <= 1e-6);
}

TEST(bad_options_are_refused_with_their_value)
{
    static const double nan_m[2] = {0, NAN}, far_m[2] = {1e12, 0};
    static const double one[1] = {1};
    static const double skew[4] = {1, 0.5, 0.4, 1}, indefinite[4] = {1, 2, 2, 1};
    static const struct {
        mb_linreg_opt o;
        const char   *says;
    } bad[] = {
        {{0, 0, 1, 1, 1, NULL, NULL, 0, 0}, "D = 0 inputs; expected 1 to"},
        {{-1, 1, 1, 1, 1, NULL, NULL, 0, 0}, "D = -1 inputs; expected 0 to"},
        {{INT32_MAX, 1, 1, 1, 1, NULL, NULL, 0, 0}, "0 to 10000"},
        {{1, 2, 1, 1, 1, NULL, NULL, 0, 0}, "intercept = 2"},
        {{1, 1, 0, 1, 1, NULL, NULL, 0, 0}, "a0 = 0"},
        {{1, 1, 1, -2, 1, NULL, NULL, 0, 0}, "b0 = -2"},
        {{1, 1, 1, INFINITY, 1, NULL, NULL, 0, 0}, "b0 = inf"},
        {{1, 1, 1, 1, NAN, NULL, NULL, 0, 0}, "lambda0 = nan"},
        {{1, 1, 1, 1, 1, nan_m, NULL, 0, 0}, "m0[1] = nan"},
        {{1, 1, 1, 1, 1, NULL, skew, 0, 0}, "lambda0[1][0] = 0.4 and lambda0[0][1] = 0.5"},
        {{1, 1, 1, 1, 1, NULL, indefinite, 0, 0}, "lambda0 is not positive definite"},
        {{1, 1, 1, 1e-9, 1, far_m, NULL, 0, 0}, "double precision"},
        {{1, 1, 1e-20, 1, 1, NULL, NULL, 0, 0}, "a0 = 1e-20"},
        {{1, 1, 1, 1, 1, NULL, NULL, 2, 0}, "relevance = 2"},
        {{1, 0, 1, 1, 1, one, NULL, 1, 0}, "expected neither"},
        {{1, 0, 1, 1, 1, NULL, one, 1, 0}, "expected neither"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mb_model m;
        mb_err   err = {0};

        assert_int_equal(mb_linreg_new(arena, &bad[i].o, &m, &err), MB_E_ARG);
        if (!strstr(err.msg, bad[i].says))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, err.msg, bad[i].says);
    }
}

TEST(a_short_arena_is_out_of_memory)
{
    static char   buf[4096];
    mb_linreg_opt o = mb_linreg_defaults(100, 1);
    mb_model      m;
    mb_err        err;

    assert_int_equal(mb_linreg_new(mb_arena_fixed(buf, sizeof buf), &o, &m, &err), MB_E_NOMEM);
}

/* Lambda = [4, 2; 2, 3]: its inverse is [3, -2; -2, 4]/8. */
TEST(coefficients_are_students_t_with_these_scales)
{
    const double par[] = {2, 18, 0, 0, 4, 2, 3};
    double       bad[] = {2, 18, 0, 0, 4, 2, 1}, scale[2], scratch[8];
    mb_err       err;

    must(mb_linreg_scales(2, par, scale, scratch, &err));
    assert_true(fabs(scale[0] - sqrt(9 * 3 / 8.0)) < 1e-14);
    assert_true(fabs(scale[1] - sqrt(9 * 4 / 8.0)) < 1e-14);
    bad[6] = 0.5; /* not positive definite */
    assert_int_equal(mb_linreg_scales(2, bad, scale, scratch, &err), MB_E_DOMAIN);
}

RUN_TESTS(arena_up, arena_down)
