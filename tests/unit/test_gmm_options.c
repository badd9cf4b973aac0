/* test_gmm_options.c - what a mixture is made from, and what it refuses. */
#include "arena.h"
#include "model/model.h"
#include "test.h"

enum { MAX_LEN = 256 };

TEST(the_prior_is_the_options)
{
    const double mu0[2] = {1, -1}, w0inv[4] = {2, 0.5, 0.5, 3};
    const double want[15] = {0.5, 0.5, 4, 0.25, 1, -1, 2, 0.5, 3, 4, 0.25, 1, -1, 2, 0.5};
    mb_gmm_opt   o = {2, 2, 0.5, 0.25, 4, mu0, w0inv, MB_COVARIANCE_FULL, 0, 0};
    mb_model     m;
    double       par[MAX_LEN], scratch[256], A;
    mb_err       err;

    must(mb_gmm_new(arena, &o, &m, &err));
    assert_string_equal(m.ops->name, "full");
    assert_int_equal(m.K, 2);
    assert_true(m.layout.scratch <= 256);
    must(mb_to_par(&m.layout, m.prior, par, scratch, &err));
    assert_all_near(par, want, 15, 1e-14);
    assert_near(par[15], 3, 1e-14);
    must(mb_moments(&m.layout, m.prior, NULL, &A, scratch, &err));
    assert_near(m.A_prior, A, 0);
    assert_near(m.eps[0] / 0.5e-6, 1, 1e-12);
    assert_true(m.eps[1] > 0 && m.eps[1] < 0.25e-6);
}

TEST(defaults_are_the_documented_ones)
{
    const mb_gmm_opt o = mb_gmm_defaults(4, 3);

    assert_near(o.alpha0, 0.25, 0);
    assert_near(o.beta0, 1, 0);
    assert_near(o.nu0, 5, 0);
    assert_null(o.mu0);
    assert_null(o.w0inv);
}

TEST(bad_options_are_refused_with_their_value)
{
    static const double nan_mu[2] = {0, NAN}, far_mu[2] = {1e12, 0}, tiny[4] = {1e-9, 0, 0, 1e-9};
    static const double skew[4] = {1, 0.5, 0.4, 1}, indefinite[4] = {1, 2, 2, 1};
    static const double infinite[4] = {1, 0, 0, INFINITY};
    static const struct {
        mb_gmm_opt  o;
        const char *says;
    } bad[] = {
        {{0, 2, 1, 1, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "K = 0"},
        {{-1, 2, 1, 1, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "K = -1"},
        {{2000000, 2, 1, 1, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "1 to 1000000"},
        {{2, 0, 1, 1, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "D = 0"},
        {{2, 20000, 1, 1, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "1 to 10000"},
        {{2, 2, 0, 1, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "alpha0 = 0"},
        {{2, 2, NAN, 1, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "alpha0 = nan"},
        {{2, 2, 1, -1, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "beta0 = -1"},
        {{2, 2, 1, INFINITY, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "beta0 = inf"},
        {{2, 2, 1, 1, 1, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "above D - 1 = 1"},
        {{2, 2, 1, 1, 4, nan_mu, NULL, MB_COVARIANCE_FULL, 0, 0}, "mu0[1] = nan"},
        {{2, 2, 1, 1, 4, NULL, skew, MB_COVARIANCE_FULL, 0, 0},
         "w0inv[1][0] = 0.4 and w0inv[0][1] = 0.5"},
        {{2, 2, 1, 1, 4, NULL, indefinite, MB_COVARIANCE_FULL, 0, 0}, "not positive definite"},
        {{2, 2, 1, 1, 4, NULL, infinite, MB_COVARIANCE_FULL, 0, 0}, "finite and symmetric"},
        {{2, 2, 1, 1, 4, far_mu, tiny, MB_COVARIANCE_FULL, 0, 0}, "double precision"},
        {{2, 2, 1e-20, 1, 4, NULL, NULL, MB_COVARIANCE_FULL, 0, 0}, "alpha0 = 1e-20"},
        {{2, 2, 1, 1, 0, NULL, NULL, MB_COVARIANCE_DIAG, 0, 0}, "above 0"},
        {{2, 2, 1, 1, 4, NULL, NULL, MB_COVARIANCES, 0, 0}, "covariance = 4"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mb_model m;
        mb_err   err = {0};

        assert_int_equal(mb_gmm_new(arena, &bad[i].o, &m, &err), MB_E_ARG);
        if (!strstr(err.msg, bad[i].says))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, err.msg, bad[i].says);
    }
}

TEST(a_short_arena_is_out_of_memory)
{
    static char buf[4096];
    mb_gmm_opt  o = mb_gmm_defaults(100, 8);
    mb_model    m;
    mb_err      err;

    assert_int_equal(mb_gmm_new(mb_arena_fixed(buf, sizeof buf), &o, &m, &err), MB_E_NOMEM);
}

RUN_TESTS(arena_up, arena_down)
