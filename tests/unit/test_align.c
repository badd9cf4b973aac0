/* test_align.c - permuting and merging components, and pricing a match. */
#include "expfam/expfam.h"
#include "gen.h"
#include "test.h"

enum { K = 4, D = 2, MAX_LEN = 64, MAX_SCRATCH = 128 };

/* A mixture of n components, whose blocks have a slice for each of them, or (tied) one slice of which
 * they are parts, and a block that belongs to no component. */
static mb_layout mixture(int tied, int32_t n)
{
    mb_layout l = {0};
    mb_err    err;

    must(mb_layout_add(&l, &mb_dirichlet, n, 1, &err));
    must(tied ? mb_layout_add(&l, &mb_tied_wishart, mb_tied_dim(D, n), 1, &err)
              : mb_layout_add(&l, &mb_normal_wishart, D, n, &err));
    must(mb_layout_add(&l, &mb_dirichlet, 3, 1, &err));
    return l;
}

static void posterior(const mb_layout *l, uint64_t seed, double *phi)
{
    mb_rng r = gen_rng(seed);
    double par[MAX_LEN];
    mb_err err;

    gen_par(&r, l, par);
    must(mb_from_par(l, par, phi, &err));
}

TEST(permute_takes_component_k_from_perm_k)
{
    for (int tied = 0; tied < 2; tied++) {
        const mb_layout l = mixture(tied, K);
        const int32_t   perm[K] = {2, 0, 3, 1};
        const size_t    len = tied ? D + 1 : l.block[1].len, all = l.block[2].off;
        const size_t    first = l.block[1].off, shared = first + K * len;
        double          p[MAX_LEN], out[MAX_LEN];

        posterior(&l, 1, p);
        mb_permute(&l, K, perm, p, out);
        for (size_t k = 0; k < K; k++) {
            assert_memory_equal(&out[k], &p[perm[k]], sizeof *p);
            assert_memory_equal(&out[first + k * len], &p[first + (size_t)perm[k] * len],
                                len * sizeof *p);
        }
        assert_int_equal(all - shared, tied ? 1 + D * (D + 1) / 2 : 0);
        assert_memory_equal(out + shared, p + shared, (all - shared + 3) * sizeof *p);
    }
}

/* A three-cycle is not its own inverse: permuting by perm and then by its inverse comes back. */
TEST(permute_by_the_inverse_comes_back)
{
    const mb_layout l = mixture(1, K);
    const int32_t   perm[K] = {1, 2, 0, 3}, inverse[K] = {2, 0, 1, 3};
    double          p[MAX_LEN], out[MAX_LEN], back[MAX_LEN];

    posterior(&l, 2, p);
    mb_permute(&l, K, perm, p, out);
    mb_permute(&l, K, inverse, out, back);
    assert_memory_equal(back, p, l.len * sizeof *p);
}

/* Over all 24 permutations: KL(p || permuted q) - sum of costs is one constant. */
static void cost_prices(const mb_layout *l)
{
    double p[MAX_LEN], q[MAX_LEN], pq[MAX_LEN], mu[MAX_LEN], cost[K * K], scratch[MAX_SCRATCH + 64];
    double rest = NAN, kl;
    int    seen = 0;
    mb_err err;

    posterior(l, 3, p);
    posterior(l, 4, q);
    must(mb_moments(l, p, mu, NULL, scratch, &err));
    mb_match_cost(l, K, mu, q, cost);
    for (int code = 0; code < K * K * K * K; code++) {
        const int32_t perm[K] = {code % K, code / K % K, code / (K * K) % K, code / (K * K * K)};
        double        sum = 0;

        for (int k = 0; k < K; k++)
            sum += cost[k * K + perm[k]];
        if (((1 << perm[0]) | (1 << perm[1]) | (1 << perm[2]) | (1 << perm[3])) != (1 << K) - 1)
            continue;
        mb_permute(l, K, perm, q, pq);
        must(mb_kl(l, p, pq, &kl, scratch, &err));
        if (seen++ == 0)
            rest = kl - sum;
        assert_near(kl - sum, rest, 1e-11);
    }
    assert_int_equal(seen, 24);
}

TEST(cost_prices_every_permutation)
{
    const mb_layout slices = mixture(0, K), parts = mixture(1, K);

    cost_prices(&slices);
    cost_prices(&parts);
}

/* Textbook parameters of n components with one prior, and its natural parameters. */
static void prior_of(const mb_layout *l, int32_t n, double *par, double *phi)
{
    const double one[] = {1.5, 2, -3}, shared[] = {6, 2, 0.5, 1}, rest[] = {1, 2, 3};

    for (int32_t k = 0; k < n; k++) {
        par[k] = 0.5;
        memcpy(par + l->block[1].off + k * (D + 1), one, sizeof one);
    }
    memcpy(par + l->block[1].off + n * (D + 1), shared, sizeof shared);
    memcpy(par + l->block[2].off, rest, sizeof rest);
    must(mb_from_par(l, par, phi, NULL));
}

/* phi += `rows` rows at (at, 0) for component k of n. */
static void add_rows(const mb_layout *l, int32_t n, int k, double rows, double at, double *phi)
{
    double *part = phi + l->block[1].off + k * (D + 1), *shared = phi + l->block[1].off;

    shared += n * (D + 1);
    phi[k] += rows;
    part[0] -= rows / 2;
    part[1] -= rows * at / sqrt(2);
    shared[0] += rows / 2;
    shared[1] -= rows * at * at / 2;
}

/* What is merged is the posterior of three components, one of which has the rows of two. */
TEST(merged_components_have_the_rows_of_both)
{
    enum { KEEP = 2, GONE = 1 };
    const double    rows[K] = {2, 3, 5, 7}, at[K] = {-1, 4, 2, 9};
    const mb_layout l = mixture(1, K), less = mixture(1, K - 1);
    double          par[2][MAX_LEN], prior[MAX_LEN], p[MAX_LEN], want[MAX_LEN], out[MAX_LEN];

    prior_of(&l, K, par[0], prior);
    prior_of(&less, K - 1, par[1], want);
    mb_merge_components(&l, K, KEEP, GONE, NULL, par[0], out);
    assert_memory_equal(out, par[1], less.len * sizeof *out);
    memcpy(p, prior, sizeof p);
    for (int k = 0; k < K; k++) {
        const int now = k == GONE ? KEEP : k;

        add_rows(&l, K, k, rows[k], at[k], p);
        add_rows(&less, K - 1, now - (now > GONE), rows[k], at[k], want);
    }
    mb_merge_components(&l, K, KEEP, GONE, prior, p, out);
    assert_all_near(out, want, less.len, 1e-14);
}

TEST(one_component_has_one_cost)
{
    mb_layout     l = {0};
    double        p[MAX_LEN], q[MAX_LEN], mu[MAX_LEN], scratch[MAX_SCRATCH], cost, dot = 0;
    const int32_t perm[1] = {0};
    mb_err        err;

    must(mb_layout_add(&l, &mb_dirichlet, 1, 1, &err));
    must(mb_layout_add(&l, &mb_normal_wishart, D, 1, &err));
    posterior(&l, 5, p);
    posterior(&l, 6, q);
    must(mb_moments(&l, p, mu, NULL, scratch, &err));
    mb_match_cost(&l, 1, mu, q, &cost);
    for (size_t e = 0; e < l.len; e++)
        dot += q[e] * mu[e];
    assert_near(cost, -dot, 1e-13);
    mb_permute(&l, 1, perm, p, q);
    assert_memory_equal(q, p, l.len * sizeof *p);
}

/* Weights, transitions between n states, and a mean of each. */
static mb_layout chain(int32_t n)
{
    mb_layout l = {0};
    mb_err    err;

    must(mb_layout_add_square(&l, &mb_dirichlet, n, &err));
    must(mb_layout_add(&l, &mb_dirichlet, n, 1, &err));
    must(mb_layout_add(&l, &mb_gamma, 1, n, &err));
    must(mb_layout_add(&l, &mb_dirichlet, n, 1, &err)); /* of no component */
    return l;
}

TEST(a_square_block_permutes_rows_and_columns)
{
    const mb_layout l = chain(K);
    const int32_t   perm[K] = {2, 0, 3, 1};
    double          p[MAX_LEN], out[MAX_LEN];

    posterior(&l, 7, p);
    mb_permute(&l, K, perm, p, out);
    for (int k = 0; k < K; k++) {
        for (int c = 0; c < K; c++)
            assert_memory_equal(&out[K * k + c], &p[K * perm[k] + perm[c]], sizeof *p);
        assert_memory_equal(&out[K * K + k], &p[K * K + perm[k]], sizeof *p);
    }
}

/* By size alone each row of the square block, the weights and the last block could be the weights. */
TEST(blocks_that_look_like_the_weights_are_distinguished)
{
    const int32_t perm[K] = {2, 0, 3, 1};

    for (int32_t n = 1; n <= K; n += K - 1) {
        const mb_layout l = chain(n);
        const size_t    last = l.block[3].off;
        double          p[MAX_LEN], out[MAX_LEN];

        assert_ptr_equal(mb_layout_weights(&l, n), &l.block[1]);
        posterior(&l, 8, p);
        if (n == K)
            mb_permute(&l, n, perm, p, out);
        else
            memcpy(out, p, sizeof out);
        assert_memory_equal(out + last, p + last, (size_t)n * sizeof *p);
    }
}

/* Transitions of a random path in which state GONE is called KEEP are those that are merged. */
TEST(merged_states_have_the_transitions_of_both)
{
    enum { KEEP = 1, GONE = 2, STEPS = 200 };
    const mb_layout l = chain(K), less = chain(K - 1);
    mb_rng          r = gen_rng(9);
    double          prior[MAX_LEN], p[MAX_LEN], want[MAX_LEN], out[MAX_LEN];
    int             from = 0;

    posterior(&l, 10, prior);
    memcpy(p, prior, sizeof p);
    mb_merge_components(&l, K, KEEP, GONE, NULL, prior, want);
    for (int k = 0, e = 0; k < K; k++) /* without its row and column */
        for (int c = 0; c < K; c++)
            if (k != GONE && c != GONE)
                assert_memory_equal(&want[e++], &prior[K * k + c], sizeof *want);
    for (int t = 0; t < STEPS; t++) {
        const int to = (int)(K * mb_rng_uniform(&r));
        const int now[2] = {from == GONE ? KEEP : from - (from > GONE),
                            to == GONE ? KEEP : to - (to > GONE)};

        p[K * from + to]++;
        want[(K - 1) * now[0] + now[1]]++;
        from = to;
    }
    mb_merge_components(&l, K, KEEP, GONE, prior, p, out);
    assert_all_near(out, want, (K - 1) * (K - 1), 1e-12);
    assert_int_equal(less.block[1].off, (K - 1) * (K - 1));
}

static double divergence(const mb_layout *l, const int32_t *perm, const double *p, const double *q)
{
    double pq[MAX_LEN], scratch[MAX_SCRATCH + 64], kl;

    mb_permute(l, K, perm, q, pq);
    must(mb_kl(l, p, pq, &kl, scratch, NULL));
    return kl;
}

/* By the divergence itself, with all of the block. */
TEST(no_exchange_of_two_lowers_the_divergence)
{
    const mb_layout l = chain(K);
    int             moved = 0;

    for (uint64_t seed = 0; seed < 40; seed++) {
        double  p[MAX_LEN], q[MAX_LEN], mu[MAX_LEN], cost[K * K], scratch[MAX_SCRATCH], before, kl;
        int32_t perm[K] = {0, 1, 2, 3};

        posterior(&l, 20 + seed, p);
        posterior(&l, 70 + seed, q);
        must(mb_moments(&l, p, mu, NULL, scratch, NULL));
        mb_match_cost(&l, K, mu, q, cost);
        before = divergence(&l, perm, p, q);
        mb_match_exchange(&l, K, mu, q, cost, perm);
        kl = divergence(&l, perm, p, q);
        assert_true(kl <= before);
        moved += kl < before;
        for (int i = 0; i < K; i++)
            for (int j = 0; j < i; j++) {
                int32_t other[K];

                memcpy(other, perm, sizeof other);
                other[i] = perm[j];
                other[j] = perm[i];
                assert_true(divergence(&l, other, p, q) >= kl - 1e-11 * (1 + kl));
            }
    }
    assert_true(moved > 20);
}

TEST(an_order_cannot_be_square)
{
    mb_layout l = {0};
    mb_err    err;

    assert_int_equal(mb_layout_add_square(&l, &mb_sticks, K, &err), MB_E_ARG);
    assert_int_equal(mb_layout_add_square(&l, &mb_gamma, K, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "gamma.1 in a square block"));
}

RUN_TESTS(NULL, NULL)
