/* A divergence that is rounding is 0, whatever sign rounding gives it; one that is lost is an error. */
#include "gen.h"
#include "test.h"

enum { MAX_LEN = 64, MAX_SCRATCH = 512, PAIRS = 2000 };

/* Posteriors of many rows, a few units in the last place apart. */
TEST(nearly_equal_ones_are_never_below_zero)
{
    mb_rng    r = gen_rng(12);
    mb_layout l = {0};
    mb_err    err;

    must(mb_layout_add(&l, &mb_normal_wishart, 3, 1, &err));
    for (int i = 0; i < PAIRS; i++) {
        double par[MAX_LEN], p[MAX_LEN], q[MAX_LEN], scratch[MAX_SCRATCH], kl = -1;

        gen_normal_wishart(&r, 3, par);
        par[0] += 5; /* degrees of freedom: more rows stay in the domain */
        must(mb_from_par(&l, par, p, &err));
        for (size_t e = 0; e < l.len; e++) {
            p[e] *= 1e6;
            q[e] = p[e] * (1 + 1e-13 * (double)(i % 7 - 3));
        }
        must(mb_kl(&l, p, q, &kl, scratch, &err));
        assert_true(kl >= 0 && !signbit(kl) && kl < 1e-6);
    }
}

/* Moments that are not those of p: the divergence of something that is not a distribution must not be clamped. */
static mb_status wrong(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    mb_status st = mb_dirichlet.moments(dim, phi, mu, A, scratch);

    for (int32_t k = 0; mu && k < dim; k++)
        mu[k] = -mu[k];
    return st;
}

TEST(a_divergence_below_rounding_is_an_error)
{
    mb_family family = mb_dirichlet;
    mb_layout l = {0};
    mb_err    err;
    double    p[2] = {3, 4}, q[2] = {30, 4}, scratch[MAX_SCRATCH], kl;

    family.moments = wrong;
    must(mb_layout_add(&l, &family, 2, 1, &err));
    assert_int_equal(mb_kl(&l, p, q, &kl, scratch, &err), MB_E_NUMERIC);
    assert_non_null(strstr(err.msg, "lost to rounding"));
}

RUN_TESTS(NULL, NULL)
