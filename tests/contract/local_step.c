/* local_step.c - what the generic local step promises for every model. */
#include "base/pool.h"
#include "chain_model.h"
#define MODEL_ALSO &chain
#include "models.h"
#include "test.h"

TEST(the_bound_never_falls)
{
    const double rounding = 1e-11;
    bench        b;

    for (size_t i = 0; i < MODELS; i++) {
        double bound, before = -INFINITY, star[MAX_LEN];

        set_up(&b, i);
        for (int t = 0; t < sized(60, 12); t++) {
            must(mb_local_step(&b.m, &b.rows, 1, b.phi, star, &bound, NULL, b.scratch, &b.err));
            assert_true(bound >= before - rounding * fabs(bound));
            before = bound;
            memcpy(b.phi, star, b.m.layout.len * sizeof *star);
        }
    }
}

/* Without rows nothing but the prior is in phi*: the bound rises by the divergence of the step's ends
 * (docs/math.md, sections 9 and 20). */
TEST(without_rows_a_step_gains_the_divergence_of_its_ends)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_rows none;
        double  star[MAX_LEN], next[MAX_LEN], bound[2], kl;

        set_up(&b, i);
        stay(&b);
        none = part(&b, 0, 0);
        must(mb_local_step(&b.m, &none, 1, b.phi, star, &bound[0], NULL, b.scratch, &b.err));
        must(mb_local_step(&b.m, &none, 1, star, next, &bound[1], NULL, b.scratch, &b.err));
        must(mb_kl(&b.m.layout, b.phi, star, &kl, b.scratch, &b.err));
        assert_near(bound[1] - bound[0], kl, 1e-9);
    }
}

/* eq. (20): the mean of the local phi* with N replicas is the pooled phi*. */
TEST(mean_of_local_steps_is_the_pooled_step)
{
    enum { NODES = 3 };
    const int64_t cut[NODES + 1] = {0, 20, 21, ROWS};
    bench         b;

    for (size_t i = 0; i < MODELS; i++) {
        double star[MAX_LEN], pooled[MAX_LEN], mean[MAX_LEN] = {0};

        set_up(&b, i);
        for (int v = 0; v < NODES; v++) {
            const mb_rows own = part(&b, cut[v], cut[v + 1] - cut[v]);

            must(mb_local_step(&b.m, &own, NODES, b.phi, star, NULL, NULL, b.scratch, &b.err));
            for (size_t l = 0; l < b.m.layout.len; l++)
                mean[l] += star[l] / NODES;
        }
        must(mb_local_step(&b.m, &b.rows, 1, b.phi, pooled, NULL, NULL, b.scratch, &b.err));
        assert_all_near(mean, pooled, b.m.layout.len, 1e-13);
    }
}

/* L = scale sum w ln Z - KL: the scale replicates the rows. */
TEST(scale_replicates_the_rows)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        double once[MAX_LEN], thrice[MAX_LEN], bound[2];

        set_up(&b, i);
        must(mb_local_step(&b.m, &b.rows, 3, b.phi, once, &bound[0], NULL, b.scratch, &b.err));
        for (int j = 0; j < ROWS; j++)
            b.w[j] *= 3;
        must(mb_local_step(&b.m, &b.rows, 1, b.phi, thrice, &bound[1], NULL, b.scratch, &b.err));
        assert_all_near(once, thrice, b.m.layout.len, TOL_ORDER);
        assert_near(bound[0], bound[1], TOL_ORDER);
    }
}

TEST(the_bound_is_requested_or_left_out)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        double with[MAX_LEN], without[MAX_LEN], bound;

        set_up(&b, i);
        must(mb_local_step(&b.m, &b.rows, 2, b.phi, with, &bound, NULL, b.scratch, &b.err));
        must(mb_local_step(&b.m, &b.rows, 2, b.phi, without, NULL, NULL, b.scratch, &b.err));
        assert_memory_equal(with, without, b.m.layout.len * sizeof *with);
    }
}

/* ---- the statistics alone ---- */

TEST(row_statistics_are_a_step_without_its_prior)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        double        star[MAX_LEN], mu[MAX_LEN], own[MAX_LEN], logz, at, kl;
        const double *prior;

        set_up(&b, i);
        stay(&b);
        must(mb_row_statistics(arena, &b.m, &b.rows, b.phi, NULL, b.s[0], &logz, &b.err));
        must(mb_local_step(&b.m, &b.rows, 3, b.phi, star, &at, mu, b.scratch, &b.err));
        prior = mb_prior_at(&b.m, mu, b.m.prior, b.m.layout.len, own);
        for (size_t l = 0; l < b.m.layout.len; l++)
            assert_true(star[l] == prior[l] + 3 * b.s[0][l]);
        if (prior == own)
            continue;
        must(mb_kl(&b.m.layout, b.phi, prior, &kl, b.scratch, &b.err));
        assert_near(at, 3 * logz - kl, 1e-9);
    }
}

TEST(row_statistics_have_the_same_bits_on_any_number_of_threads)
{
    enum { MANY = 30000 };
    mb_pool *pool[3] = {NULL};
    bench    b;

    for (int t = 1; t < 3; t++)
        must(mb_pool_open(arena, 2 * t, &pool[t], NULL));
    for (size_t i = 0; i < MODELS; i += 7) {
        double  s[3][MAX_LEN], logz[3];
        double *x;

        set_up(&b, i);
        stay(&b);
        x = doubles((size_t)MANY * b.rows.ld);
        for (size_t e = 0; e < MANY * b.rows.ld; e++)
            x[e] = b.x[e % (ROWS * b.rows.ld)];
        b.rows = (mb_rows){.x = x, .n = MANY, .d = b.rows.d, .ld = b.rows.ld};
        for (int t = 0; t < 3; t++) {
            must(mb_row_statistics(arena, &b.m, &b.rows, b.phi, pool[t], s[t], &logz[t], NULL));
            assert_memory_equal(s[t], s[0], b.m.layout.len * sizeof(double));
            assert_true(logz[t] == logz[0]);
        }
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], NULL, b.scratch, NULL));
        assert_all_near(s[0], b.s[0], b.m.layout.len, 1e-11);
    }
    for (int t = 1; t < 3; t++)
        mb_pool_close(pool[t]);
}

/* A model has room for groups of one row until a caller gives it more. */
TEST(row_statistics_make_room_for_the_longest_group)
{
    enum { MANY = 9000 };
    const int64_t first[] = {0, MANY};
    bench         b;

    for (size_t i = 0; i < MODELS; i++) {
        double   s[MAX_LEN], logz, want;
        double  *x, *scratch;
        mb_model small;

        set_up(&b, i);
        if (!b.m.ops->group_scratch)
            continue;
        small = b.m;
        small.scratch = mb_group_scratch_(&b.m, 1);
        x = doubles((size_t)MANY * b.rows.ld);
        for (size_t e = 0; e < MANY * b.rows.ld; e++)
            x[e] = b.x[e % (ROWS * b.rows.ld)];
        b.rows = (mb_rows){
            .x = x, .n = MANY, .d = b.rows.d, .ld = b.rows.ld, .first = first, .ngroup = 1};
        scratch = doubles(mb_group_scratch_(&b.m, MANY));
        memset(b.s[0], 0, b.m.layout.len * sizeof *b.s[0]);
        want = 0;
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], &want, scratch, &b.err));
        must(mb_row_statistics(arena, &small, &b.rows, b.phi, NULL, s, &logz, &b.err));
        assert_memory_equal(s, b.s[0], b.m.layout.len * sizeof(double));
        assert_true(logz == want);
    }
}

TEST(row_statistics_refuse_a_posterior_outside_its_domain)
{
    bench b;

    set_up(&b, 0);
    leave_the_domain(&b, 0);
    assert_int_equal(mb_row_statistics(arena, &b.m, &b.rows, b.phi, NULL, b.s[0], NULL, &b.err),
                     MB_E_DOMAIN);
}

RUN_TESTS(arena_up, arena_down)
