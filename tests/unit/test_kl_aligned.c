/* KL over component permutations against all of them. */
#include "arena.h"
#include "core/observe.h"
#include "expfam/expfam.h"
#include "model/model.h"
#include "test.h"

enum { K = 4, D = 2, ROWS = 40 };

static mb_model model;
static double  *p, *q, *work;

/* A posterior from random rows with random responsibilities: components that differ. */
static double *random_posterior(uint64_t seed)
{
    mb_rng  rng = mb_rng_at(seed, MB_STREAM_DATA, 0, 0);
    mb_err  err;
    double  x[ROWS * D], resp[ROWS * K];
    double *phi = doubles(model.layout.len);
    double *scratch = doubles(mb_local_scratch(&model));
    mb_rows rows = {.x = x, .n = ROWS, .d = D, .ld = D};
    assert_true(phi && scratch);
    memset(resp, 0, sizeof resp);
    for (int j = 0; j < ROWS; j++) {
        const int k = j * j % K;
        for (int d = 0; d < D; d++)
            x[j * D + d] = 3 * k + mb_rng_normal(&rng);
        resp[j * K + k] = 0.75;
        resp[j * K + (k + 1) % K] = 0.25;
    }
    must(mb_seed_step(&model, &rows, 1, resp, phi, scratch, &err));
    return phi;
}

static int set_up(void **state)
{
    const mb_gmm_opt opt = mb_gmm_defaults(K, D);
    mb_err           err;
    if (arena_up(state))
        return 1;
    if (mb_gmm_new(arena, &opt, &model, &err) < 0)
        return 1;
    p = random_posterior(1);
    q = random_posterior(2);
    work = doubles(mb_kl_aligned_scratch(&model) + model.layout.len);
    return work == NULL;
}

/* Smallest plain KL(p || permuted q) over all orders of perm[from..]. */
static double brute(int32_t *perm, int32_t from)
{
    double best = HUGE_VAL;
    if (from == K) {
        double *moved = work, kl;
        mb_err  err;
        mb_permute(&model.layout, K, perm, q, moved);
        must(mb_kl(&model.layout, p, moved, &kl, work + model.layout.len, &err));
        return kl;
    }
    for (int32_t k = from; k < K; k++) {
        const int32_t first = perm[from];
        perm[from] = perm[k];
        perm[k] = first;
        best = fmin(best, brute(perm, from + 1));
        perm[k] = perm[from];
        perm[from] = first;
    }
    return best;
}

TEST(kl_is_the_smallest_over_all_permutations)
{
    int32_t      perm[K] = {0, 1, 2, 3};
    double       kl;
    mb_err       err;
    const double best = brute(perm, 0);
    must(mb_kl_aligned(&model, p, q, &kl, NULL, work, &err));
    assert_true(best > 0.01);
    assert_true(kl == best); /* the same sums at the same permutation */
}

TEST(a_relabelled_posterior_is_at_distance_zero)
{
    const int32_t shuffle[K] = {2, 0, 3, 1};
    int32_t       perm[K];
    double       *moved = doubles(model.layout.len), kl, plain;
    mb_err        err;
    mb_permute(&model.layout, K, shuffle, p, moved);
    must(mb_kl(&model.layout, p, moved, &plain, work, &err));
    must(mb_kl_aligned(&model, p, moved, &kl, perm, work, &err));
    assert_true(plain > 1);
    assert_true(kl == 0); /* p - p is exactly 0, and so is A(p) - A(p) */
    for (int32_t k = 0; k < K; k++)
        assert_int_equal(shuffle[perm[k]], k);
}

TEST(a_posterior_outside_omega_has_no_kl)
{
    double *bad = doubles(model.layout.len), kl;
    mb_err  err;
    memcpy(bad, p, model.layout.len * sizeof *bad);
    bad[0] = -2; /* alpha = -1 */
    assert_int_equal(mb_kl_aligned(&model, bad, q, &kl, NULL, work, &err), MB_E_DOMAIN);
    assert_int_equal(mb_kl_aligned(&model, p, bad, &kl, NULL, work, &err), MB_E_DOMAIN);
}

TEST(without_components_it_is_the_plain_kl)
{
    mb_model     plain = {.K = 0};
    mb_err       err;
    double       kl, expected;
    const double a[3] = {0.5, 2, 7}, b[3] = {7, 0.5, 2};
    must(mb_layout_add(&plain.layout, &mb_dirichlet, 3, 1, &err));
    must(mb_kl(&plain.layout, a, b, &expected, work, &err));
    must(mb_kl_aligned(&plain, a, b, &kl, NULL, work, &err));
    assert_true(expected > 1);
    assert_true(kl == expected);
}

RUN_TESTS(set_up, arena_down)
