/* test_align.c - permuting components and pricing a match. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen.h"
#include "meshbayes/expfam.h"
#include "near.h"

#include <string.h>

enum { K = 4, D = 2, MAX_LEN = 64, MAX_SCRATCH = 128 };

/* A mixture and a block that belongs to no component. */
static mb_layout mixture(void)
{
    mb_layout l = {0};
    mb_err    err;

    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, K, 1, &err), MB_OK);
    assert_int_equal(mb_layout_add(&l, &mb_normal_wishart, D, K, &err), MB_OK);
    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 3, 1, &err), MB_OK);
    return l;
}

static void posterior(const mb_layout *l, uint64_t seed, double *phi)
{
    mb_rng r = gen_rng(seed);
    double par[MAX_LEN];
    mb_err err;

    gen_par(&r, l, par);
    assert_int_equal(mb_from_par(l, par, phi, &err), MB_OK);
}

static void permute_takes_component_k_from_perm_k(void **state)
{
    const mb_layout l = mixture();
    const int32_t   perm[K] = {2, 0, 3, 1};
    double          p[MAX_LEN], out[MAX_LEN];

    (void)state;
    posterior(&l, 1, p);
    mb_permute(&l, K, perm, p, out);
    for (int k = 0; k < K; k++) {
        const size_t to = l.block[1].off + l.block[1].len * (size_t)k;
        const size_t from = l.block[1].off + l.block[1].len * (size_t)perm[k];

        assert_memory_equal(&out[k], &p[perm[k]], sizeof *p);
        assert_memory_equal(&out[to], &p[from], l.block[1].len * sizeof *p);
    }
    assert_memory_equal(out + l.block[2].off, p + l.block[2].off, 3 * sizeof *p);
}

/* A three-cycle is not its own inverse: permuting by perm and then by its inverse comes back. */
static void permute_by_the_inverse_comes_back(void **state)
{
    const mb_layout l = mixture();
    const int32_t   perm[K] = {1, 2, 0, 3}, inverse[K] = {2, 0, 1, 3};
    double          p[MAX_LEN], out[MAX_LEN], back[MAX_LEN];

    (void)state;
    posterior(&l, 2, p);
    mb_permute(&l, K, perm, p, out);
    mb_permute(&l, K, inverse, out, back);
    assert_memory_equal(back, p, l.len * sizeof *p);
}

/* Over all 24 permutations: KL(p || permuted q) - sum of costs is one constant. */
static void cost_prices_every_permutation(void **state)
{
    const mb_layout l = mixture();
    double p[MAX_LEN], q[MAX_LEN], pq[MAX_LEN], mu[MAX_LEN], cost[K * K], scratch[MAX_SCRATCH + 64];
    double rest = NAN, kl;
    int    seen = 0;
    mb_err err;

    (void)state;
    posterior(&l, 3, p);
    posterior(&l, 4, q);
    assert_int_equal(mb_moments(&l, p, mu, NULL, scratch, &err), MB_OK);
    mb_match_cost(&l, K, mu, q, cost);
    for (int code = 0; code < K * K * K * K; code++) {
        const int32_t perm[K] = {code % K, code / K % K, code / (K * K) % K, code / (K * K * K)};
        double        sum = 0;

        for (int k = 0; k < K; k++)
            sum += cost[k * K + perm[k]];
        if (((1 << perm[0]) | (1 << perm[1]) | (1 << perm[2]) | (1 << perm[3])) != (1 << K) - 1)
            continue;
        mb_permute(&l, K, perm, q, pq);
        assert_int_equal(mb_kl(&l, p, pq, &kl, scratch, &err), MB_OK);
        if (seen++ == 0)
            rest = kl - sum;
        assert_near(kl - sum, rest, 1e-11);
    }
    assert_int_equal(seen, 24);
}

static void one_component_has_one_cost(void **state)
{
    mb_layout     l = {0};
    double        p[MAX_LEN], q[MAX_LEN], mu[MAX_LEN], scratch[MAX_SCRATCH], cost, dot = 0;
    const int32_t perm[1] = {0};
    mb_err        err;

    (void)state;
    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 1, 1, &err), MB_OK);
    assert_int_equal(mb_layout_add(&l, &mb_normal_wishart, D, 1, &err), MB_OK);
    posterior(&l, 5, p);
    posterior(&l, 6, q);
    assert_int_equal(mb_moments(&l, p, mu, NULL, scratch, &err), MB_OK);
    mb_match_cost(&l, 1, mu, q, &cost);
    for (size_t e = 0; e < l.len; e++)
        dot += q[e] * mu[e];
    assert_near(cost, -dot, 1e-13);
    mb_permute(&l, 1, perm, p, q);
    assert_memory_equal(q, p, l.len * sizeof *p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permute_takes_component_k_from_perm_k),
        cmocka_unit_test(permute_by_the_inverse_comes_back),
        cmocka_unit_test(cost_prices_every_permutation),
        cmocka_unit_test(one_component_has_one_cost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
