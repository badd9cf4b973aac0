/* Draws from posteriors have the moments the families state. False alarms: see sample_mean.h. */
#include "expfam/expfam.h"
#include "gen.h"
#include "num/num.h"
#include "sample_mean.h"
#include "test.h"

enum { DRAWS = 20000, MAX_LEN = 64, MAX_SCRATCH = 256, D = 3 };

TEST(logarithms_of_weights_have_the_means_of_the_family)
{
    const double par[4] = {0.4, 1, 2.5, 7};
    double       phi[4], mu[4], pi[4];
    sample_mean  ln[4] = {{0}}, weight[4] = {{0}};
    mb_rng       r = gen_rng(1);

    must(mb_dirichlet.from_par(4, par, phi));
    must(mb_dirichlet.moments(4, phi, mu, NULL, NULL));
    for (int k = 0; k < DRAWS; k++) {
        must(mb_dirichlet.draw(4, par, &r, pi, NULL));
        assert_true(fabs(pi[0] + pi[1] + pi[2] + pi[3] - 1) < 1e-14);
        for (int e = 0; e < 4; e++) {
            sample_add(&ln[e], log(pi[e]));
            sample_add(&weight[e], pi[e]);
        }
    }
    for (int e = 0; e < 4; e++) {
        assert_mean(&ln[e], mu[e]);
        assert_mean(&weight[e], par[e] / 10.9);
    }
}

/* Alpha so small that every gamma number is below the smallest double. */
TEST(tiny_concentrations_still_sum_to_one)
{
    const double par[3] = {1e-6, 1e-6, 1e-6};
    double       pi[3], most = 0;
    mb_rng       r = gen_rng(2);
    int          first = 0;

    for (int k = 0; k < 300; k++) {
        must(mb_dirichlet.draw(3, par, &r, pi, NULL));
        assert_true(fabs(pi[0] + pi[1] + pi[2] - 1) < 1e-14);
        most = fmax(most, fmin(pi[0], fmin(pi[1], pi[2])));
        first += pi[0] > 0.5;
    }
    assert_true(most < 0.01);
    assert_true(first > 50 && first < 150); /* binomial, mean 100, sd 8.2: 6 sd */
}

/* u = [ln |Lambda|, svec(U)], U = [mu' Lambda mu, -mu' Lambda; -Lambda mu, Lambda], of a draw. */
static void statistics(const double *draw, double *u)
{
    const double *m = draw, *tril = draw + D;
    double        C[D * D], Cinv[D * D], U[(D + 1) * (D + 1)] = {0}, L[D * D];

    for (int i = 0; i < D; i++)
        for (int j = 0; j <= i; j++)
            C[i * D + j] = C[j * D + i] = *tril++;
    assert_int_equal(mb_chol_(C, D), 0);
    mb_chol_inverse_(C, D, Cinv);
    u[0] = 0;
    for (int i = 0; i < D; i++)
        u[0] -= 2 * log(C[i * D + i]);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            L[i * D + j] = 0;
            for (int e = 0; e < D; e++)
                L[i * D + j] += Cinv[e * D + i] * Cinv[e * D + j];
        }
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            U[(i + 1) * (D + 1) + j + 1] = L[i * D + j];
            U[(i + 1) * (D + 1)] -= L[i * D + j] * m[j];
            U[0] += m[i] * L[i * D + j] * m[j];
        }
    mb_svec_(U, D + 1, u + 1);
}

TEST(precisions_and_means_have_the_moments_of_the_family)
{
    double      par[MAX_LEN], phi[MAX_LEN], mu[MAX_LEN], u[MAX_LEN], draw[MAX_LEN];
    double      scratch[MAX_SCRATCH];
    sample_mean mean[MAX_LEN];
    mb_rng      r = gen_rng(3);

    for (int repeat = 0; repeat < 3; repeat++) {
        memset(mean, 0, sizeof mean);
        gen_normal_wishart(&r, D, par);
        must(mb_normal_wishart.from_par(D, par, phi));
        must(mb_normal_wishart.moments(D, phi, mu, NULL, scratch));
        for (int k = 0; k < DRAWS; k++) {
            must(mb_normal_wishart.draw(D, par, &r, draw, scratch));
            statistics(draw, u);
            for (size_t e = 0; e < mb_normal_wishart.len(D); e++)
                sample_add(&mean[e], u[e]);
        }
        for (size_t e = 0; e < mb_normal_wishart.len(D); e++)
            assert_mean(&mean[e], mu[e]);
    }
}

/* E Sigma = W^-1 / (nu - D - 1); variances are finite for nu > D + 3. */
TEST(covariances_have_the_mean_of_inverse_wishart)
{
    double       par[MAX_LEN], draw[MAX_LEN], scratch[MAX_SCRATCH];
    const size_t tril = D * (D + 1) / 2;
    sample_mean  mean[MAX_LEN] = {{0}};
    mb_rng       r = gen_rng(4);

    gen_normal_wishart(&r, D, par);
    par[0] = D + 12;
    assert_int_equal(mb_normal_wishart.draw_len(D), D + tril);
    for (int k = 0; k < DRAWS; k++) {
        must(mb_normal_wishart.draw(D, par, &r, draw, scratch));
        for (size_t e = 0; e < D + tril; e++)
            sample_add(&mean[e], draw[e]);
    }
    for (size_t e = 0; e < D; e++)
        assert_mean(&mean[e], par[2 + e]);
    for (size_t e = 0; e < tril; e++)
        assert_mean(&mean[D + e], par[2 + D + e] / 11);
}

/* u = [ln tau, svec(tau v v')], v = (w, -1). */
TEST(coefficients_and_noise_have_the_moments_of_the_family)
{
    double      par[MAX_LEN], phi[MAX_LEN], mu[MAX_LEN], u[MAX_LEN], draw[MAX_LEN];
    double      scratch[MAX_SCRATCH], V[(D + 1) * (D + 1)];
    sample_mean mean[MAX_LEN] = {{0}};
    mb_rng      r = gen_rng(7);

    gen_normal_gamma(&r, D, par);
    assert_int_equal(mb_normal_gamma.draw_len(D), D + 1);
    must(mb_normal_gamma.from_par(D, par, phi));
    must(mb_normal_gamma.moments(D, phi, mu, NULL, scratch));
    for (int k = 0; k < DRAWS; k++) {
        must(mb_normal_gamma.draw(D, par, &r, draw, scratch));
        u[0] = -log(draw[D]);
        for (int i = 0; i <= D; i++)
            for (int j = 0; j <= i; j++)
                V[i * (D + 1) + j] = (i < D ? draw[i] : -1) * (j < D ? draw[j] : -1) / draw[D];
        mb_svec_(V, D + 1, u + 1);
        for (size_t e = 0; e < mb_normal_gamma.len(D); e++)
            sample_add(&mean[e], u[e]);
    }
    for (size_t e = 0; e < mb_normal_gamma.len(D); e++)
        assert_mean(&mean[e], mu[e]);
}

TEST(parameters_outside_the_domain_are_refused)
{
    double par[MAX_LEN], draw[MAX_LEN], scratch[MAX_SCRATCH], none[2] = {1, 0};
    mb_rng r = gen_rng(5);

    assert_int_equal(mb_dirichlet.draw(2, none, &r, draw, scratch), MB_E_DOMAIN);
    for (int e = 0; e < 3; e++) {
        gen_normal_gamma(&r, D, par);
        par[e == 2 ? 2 + D : e] = 0; /* a, b, Lambda in turn */
        assert_int_equal(mb_normal_gamma_origin.draw(D, par, &r, draw, scratch), MB_E_DOMAIN);
        gen_normal_wishart(&r, D, par);
        par[e == 2 ? 2 + D : e] = e == 0 ? D - 1 : 0; /* nu, beta, W^-1 in turn */
        assert_int_equal(mb_normal_wishart.draw(D, par, &r, draw, scratch), MB_E_DOMAIN);
    }
}

/* The slices in their order, from one generator. */
TEST(a_layout_draws_its_slices_in_order)
{
    mb_layout l = {0};
    double    par[MAX_LEN], all[MAX_LEN], one[MAX_LEN], scratch[MAX_SCRATCH];
    mb_rng    r = gen_rng(6), again;
    mb_err    err;

    must(mb_layout_add(&l, &mb_dirichlet, 2, 1, &err));
    must(mb_layout_add(&l, &mb_normal_wishart, 2, 2, &err));
    assert_int_equal(mb_random_len(&l), 2 + 2 * (2 + 3));
    gen_par(&r, &l, par);
    again = r;
    must(mb_random(&l, par, &r, all, scratch, &err));
    must(mb_dirichlet.draw(2, par, &again, one, scratch));
    for (int k = 0; k < 2; k++)
        must(mb_normal_wishart.draw(2, par + l.block[1].off + l.block[1].len * (size_t)k, &again,
                                    one + 2 + 5 * k, scratch));
    assert_memory_equal(all, one, 12 * sizeof *all);
    par[0] = -1;
    assert_int_equal(mb_random(&l, par, &r, all, scratch, &err), MB_E_DOMAIN);
    assert_non_null(strstr(err.msg, "dirichlet.1"));
}

RUN_TESTS(NULL, NULL)
