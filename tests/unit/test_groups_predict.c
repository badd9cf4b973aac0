/* test_groups_predict.c - predictions of mixtures whose rows come in groups: densities against log
 * partitions, one answer for a group. */
#include "groups_world.h"
#include "test.h"

static const double LN_2PI = 1.83787706640934548356;

/* Numbers in proportion to E[pi_k]. */
static void shares(const mb_model *m, const double *phi, double *share)
{
    const mb_mixing *of = m->layout.block[0].family->weights;
    double           par[MAX], left = 1;

    must(mb_to_par(&m->layout, phi, par, scratch, NULL));
    for (int k = 0; k < K; k++)
        share[k] = of->share(par + (size_t)k * of->entry, &left);
}

/* ln p(group | data) = ln sum_k E[pi_k] exp(A(phi_k + sum u) - A(phi_k)) - n D/2 ln 2 pi. */
static double group_by_partitions(const mb_model *m, const double *phi, int64_t first, int64_t end,
                                  form f)
{
    const mb_block *b = &m->layout.block[1];
    double          share[K], mu[MAX], before, all = 0, sum = 0;

    shares(m, phi, share);
    must(mb_moments(&m->layout, phi, mu, &before, scratch, NULL));
    for (int k = 0; k < K; k++)
        all += share[k];
    for (int k = 0; k < K; k++) {
        double more[MAX], after, u[MAX];

        memcpy(more, phi, sizeof more);
        for (int64_t j = first; j < end; j++) {
            const mb_rows rows = rows_of(ROWS, NULL, 0);

            one_row(f, m, phi, &rows, j, k, u);
            for (size_t e = 0; e < b->len; e++)
                more[b->off + b->len * (size_t)k + e] += u[e];
        }
        must(mb_moments(&m->layout, more, mu, &after, scratch, NULL));
        sum += share[k] / all * exp(after - before);
    }
    return log(sum) - 0.5 * D * LN_2PI * (double)(end - first);
}

TEST(densities_of_a_groups_rows_add_to_its_own)
{
    EACH_FORM(i)
    {
        const mb_model m = model_of(forms[i], K, 1);
        const mb_rows  rows = rows_of(TINY, tiny, GROUPS);
        double         phi[MAX], each[TINY];

        draw_rows();
        some_state(&m, phi);
        must(m.ops->predict(&m, phi, &rows, MB_WANT_LOGPDF, each, scratch, NULL));
        for (int g = 0; g < GROUPS; g++) {
            double sum = 0;

            for (int64_t j = tiny[g]; j < tiny[g + 1]; j++) {
                sum += each[j];
                assert_near(sum, group_by_partitions(&m, phi, tiny[g], j + 1, forms[i]), 1e-11);
            }
        }
    }
}

TEST(rows_of_a_group_have_one_answer)
{
    EACH_FORM(i)
    {
        const mb_model m = model_of(forms[i], K, 1);
        mb_rows        rows = rows_of(ROWS, mixed, MIXED);
        double         phi[MAX], sum[MAX] = {0}, count[MAX] = {0};

        draw_rows();
        some_state(&m, phi);
        x[2 * 250] = x[2 * 250 + 1] = (double)NAN; /* says nothing: as the others of its group */
        x[0] = x[1] = (double)NAN;                 /* a group that says nothing: the weights */
        rows.gaps = 1;
        must(m.ops->predict(&m, phi, &rows, MB_WANT_RESP, resp, scratch, NULL));
        must(m.ops->predict(&m, phi, &rows, MB_WANT_LABEL, other, scratch, NULL));
        must(m.ops->stats(&m, phi, &rows, sum, NULL, scratch, NULL));
        for (int g = 0; g < MIXED; g++)
            for (int64_t j = mixed[g]; j < mixed[g + 1]; j++) {
                assert_memory_equal(resp + j * K, resp + mixed[g] * K, K * sizeof *resp);
                assert_true(resp[j * K + (int)other[j]] >= resp[j * K + (int)(j % K)]);
            }
        for (int g = 1; g < MIXED; g++)
            for (int k = 0; k < K && mixed[g] < mixed[g + 1]; k++)
                count[k] += resp[mixed[g] * K + k];
        if (!forms[i].process)
            assert_all_near(sum, count, K, 1e-12);
    }
}

RUN_TESTS(arena_up, arena_down)
