/* test_normal_gamma_diag.c - the normal-gamma of independent means against the one with a matrix, and
 * products of members within a slice. */
#include "expfam/expfam.h"
#include "gen.h"
#include "test.h"

enum { DRAWS = 200, D = 3, MAX = 64 };

static const mb_family *diag = &mb_normal_gamma_diag;

/* A single mean is the only coefficient of a regression on the constant 1. */
TEST(one_mean_is_a_regression_on_a_constant)
{
    const mb_family *full = &mb_normal_gamma;
    mb_rng           r = gen_rng(1);

    for (int i = 0; i < DRAWS; i++) {
        double par[4], phi[4], other[4], mu[2][4], A[2], far[2], scratch[MAX];

        gen_normal_gamma_diag(&r, 1, par);
        must(diag->from_par(1, par, phi));
        must(full->from_par(1, par, other));
        assert_all_near(phi, other, 4, 1e-14);
        must(diag->moments(1, phi, mu[0], &A[0], scratch));
        must(full->moments(1, phi, mu[1], &A[1], scratch));
        assert_all_near(mu[0], mu[1], 4, 1e-10);
        assert_near(A[0], A[1], 1e-12);
        for (int e = 0; e < 4; e++)
            other[e] = phi[e] += 4 * mb_rng_normal(&r);
        must(diag->project(1, 1e-3, phi, &far[0], scratch));
        must(full->project(1, 1e-3, other, &far[1], scratch));
        assert_all_near(phi, other, 4, 1e-9);
        assert_near(far[0], far[1], 1e-9);
    }
}

/* Several means are the coefficients of a regression on their indicators, Lambda diagonal. */
TEST(several_means_are_a_regression_on_indicators)
{
    const mb_family *full = &mb_normal_gamma_origin;
    mb_rng           r = gen_rng(2);

    for (int i = 0; i < DRAWS; i++) {
        double par[2 + 2 * D], same[2 + D + D * (D + 1) / 2] = {0}, phi[2][MAX], mu[2][MAX], A[2];
        double scratch[256];

        gen_normal_gamma_diag(&r, D, par);
        memcpy(same, par, (2 + D) * sizeof *par);
        for (int d = 0; d < D; d++)
            same[2 + D + d * (d + 1) / 2 + d] = par[2 + D + d];
        must(diag->from_par(D, par, phi[0]));
        must(full->from_par(D, same, phi[1]));
        must(diag->moments(D, phi[0], mu[0], &A[0], scratch));
        must(full->moments(D, phi[1], mu[1], &A[1], scratch));
        assert_near(A[0], A[1], 1e-11);
        assert_near(mu[0][0], mu[1][0], 1e-11);
        for (int d = 0; d < D; d++) {
            assert_near(mu[0][1 + 2 * d], mu[1][1 + d * (d + 1) / 2 + d], 1e-10);
            assert_near(mu[0][2 + 2 * d], mu[1][1 + D * (D + 1) / 2 + d], 1e-10);
        }
        assert_near(mu[0][1 + 2 * D], mu[1][1 + (D + 1) * (D + 2) / 2 - 1], 1e-10);
    }
}

/* What is nearest depends on no unit: M and eps times a power of two move to as many times M. a is
 * far from its limit, which is not of M's unit. */
TEST(projection_knows_no_unit)
{
    const double scale = ldexp(1, -200);
    mb_rng       r = gen_rng(4);
    int          moved = 0;

    for (int i = 0; i < DRAWS; i++) {
        enum { LEN = 2 + 2 * D };
        double par[LEN], phi[LEN], tiny[LEN], scratch[MAX], far[2];

        gen_normal_gamma_diag(&r, D, par);
        must(diag->from_par(D, par, phi));
        phi[0] = tiny[0] = 5;
        for (int e = 1; e < LEN; e++)
            tiny[e] = scale * (phi[e] += 4 * mb_rng_normal(&r));
        must(diag->project(D, 1e-3, phi, &far[0], scratch));
        must(diag->project(D, 1e-3 * scale, tiny, &far[1], scratch));
        moved += far[0] > 0;
        for (int e = 1; e < LEN; e++)
            assert_true(fabs(tiny[e] / scale - phi[e]) <= 1e-15 * fabs(phi[e]));
    }
    assert_in_range(moved, DRAWS / 4, DRAWS);
}

static const int32_t column[] = {2, 0, 1};

/* A slice of three members twice, and the same members in three blocks. */
typedef struct both {
    mb_layout whole, apart;
    double    par[2][24], phi[2][24], scratch[MAX];
} both;

static void set_up(both *t)
{
    mb_rng r = gen_rng(3);

    memset(t, 0, sizeof *t);
    must(mb_layout_add_product(&t->whole, diag, 1, 3, column, 2, NULL));
    for (int m = 0; m < 3; m++)
        must(mb_layout_add_product(&t->apart, diag, 1, 1, &column[m], 2, NULL));
    for (int i = 0; i < 6; i++)
        gen_normal_gamma_diag(&r, 1, t->par[0] + 4 * i);
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < 3; m++)
            memcpy(t->par[1] + 8 * m + 4 * i, t->par[0] + 12 * i + 4 * m, 4 * sizeof(double));
    must(mb_from_par(&t->whole, t->par[0], t->phi[0], NULL));
    must(mb_from_par(&t->apart, t->par[1], t->phi[1], NULL));
}

TEST(a_product_has_its_members_sizes_and_text)
{
    both   t;
    char   text[64];
    mb_err err;

    set_up(&t);
    assert_int_equal(t.whole.len, 24);
    assert_int_equal(t.whole.block[0].len, 12);
    assert_int_equal(mb_random_len(&t.whole), 12);
    mb_layout_text(&t.whole, text, sizeof text);
    assert_string_equal(text, "normal-gamma-diag.1:1x3*2");
    assert_int_equal(mb_layout_add_product(&t.whole, diag, 1, 0, NULL, 2, &err), MB_E_ARG);
}

TEST(members_move_with_their_own_columns)
{
    const double origin[] = {1, -2, 3}, scale[] = {2, 0.5, 4};
    both         t;

    set_up(&t);
    mb_move_par(&t.whole, origin, scale, t.par[0]);
    mb_move_par(&t.apart, origin, scale, t.par[1]);
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < 3; m++)
            assert_all_near(t.par[1] + 8 * m + 4 * i, t.par[0] + 12 * i + 4 * m, 4, 1e-15);
}

TEST(a_product_is_its_members_side_by_side)
{
    both   t;
    double mu[2][24], A[2], kl[2], eps[3], q[2][24], dist2;

    set_up(&t);
    must(mb_moments(&t.whole, t.phi[0], mu[0], &A[0], t.scratch, NULL));
    must(mb_moments(&t.apart, t.phi[1], mu[1], &A[1], t.scratch, NULL));
    assert_near(A[0], A[1], 1e-13);
    for (int m = 0; m < 3; m++)
        assert_all_near(mu[0] + 12 + 4 * m, mu[1] + 8 * m + 4, 4, 1e-15);
    for (int e = 0; e < 24; e++) {
        q[0][e] = t.phi[0][e] * 1.5;
        q[1][e] = t.phi[1][e] * 1.5;
    }
    must(mb_kl(&t.whole, t.phi[0], q[0], &kl[0], t.scratch, NULL));
    must(mb_kl(&t.apart, t.phi[1], q[1], &kl[1], t.scratch, NULL));
    assert_near(kl[0], kl[1], 1e-12);
    must(mb_margin(&t.whole, t.phi[0], eps, t.scratch, NULL));
    must(mb_project(&t.whole, eps, t.phi[0], &dist2, t.scratch, NULL));
    assert_true(dist2 >= 0 && dist2 <= 0);
}

TEST(a_message_names_the_member)
{
    double mu[24], A;
    both   t;
    mb_err err;

    set_up(&t);
    t.phi[0][12 + 4 * 2 + 1] = 1; /* a strength below 0 */
    t.phi[1][8 * 2 + 4 + 1] = 1;
    assert_int_equal(mb_moments(&t.whole, t.phi[0], mu, &A, t.scratch, &err), MB_E_DOMAIN);
    assert_non_null(strstr(err.msg, "block 0 (normal-gamma-diag.1), slice 1, member 2: "));
    assert_int_equal(mb_moments(&t.apart, t.phi[1], mu, &A, t.scratch, &err), MB_E_DOMAIN);
    assert_non_null(strstr(err.msg, "block 2 (normal-gamma-diag.1), slice 1: "));
}

RUN_TESTS(NULL, NULL)
