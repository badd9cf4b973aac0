/* predict.c - what every model promises of its predictions. */
#include "chain_model.h"
#define MODEL_ALSO &chain
#include "models.h"
#include "test.h"

TEST(responsibilities_sum_to_one_and_labels_are_their_largest)
{
    bench  b;
    double label[ROWS];

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        if (b.m.K == 0)
            continue;
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_RESP, b.resp, b.scratch, &b.err));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_LABEL, label, b.scratch, &b.err));
        for (int j = 0; j < ROWS; j++) {
            const double *r = b.resp + j * b.m.K;
            double        sum = 0;
            int32_t       best = 0;

            for (int32_t k = 0; k < b.m.K; k++) {
                sum += r[k];
                best = r[k] > r[best] ? k : best;
            }
            assert_near(sum, 1, 1e-14);
            assert_int_equal((int32_t)label[j], best);
        }
    }
}

/* Of a target that is a category or a flag. */
TEST(probabilities_sum_to_one_and_labels_are_their_largest)
{
    bench  b;
    double label[ROWS], p[ROWS * 4], density[ROWS];

    for (size_t i = 0; i < MODELS; i++) {
        const mb_column *levels;

        set_up(&b, i);
        levels = mb_kind_levels(b.kind, &b.size);
        if (!mb_kind_takes_levels(b.kind, &b.size))
            continue;

        const int32_t C = levels ? levels->levels : 2;

        assert_true(C <= 4);
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_PROB, p, b.scratch, NULL));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_LABEL, label, b.scratch, NULL));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_LOGPDF, density, b.scratch, NULL));
        for (int j = 0; j < ROWS; j++) {
            const double *own = p + j * C;
            double        sum = 0;
            int32_t       best = 0;

            for (int32_t c = 0; c < C; c++) {
                sum += own[c];
                best = own[c] > own[best] ? c : best;
            }
            assert_near(sum, 1, 1e-13);
            assert_int_equal((int32_t)label[j], best);
            assert_near(density[j], log(own[(int32_t)b.x[(j + 1) * b.rows.d - 1]]), 1e-12);
        }
    }
}

/* A row's weight says how much it teaches, not what is predicted for it. */
TEST(predictions_ignore_weights)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        static double density[2][ROWS], resp[2][ROWS * 4];

        set_up(&b, i);
        for (int k = 0; k < 2; k++) {
            b.w[0] = b.w[ROWS - 1] = 0;
            b.rows.w = k ? NULL : b.w;
            must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_LOGPDF, density[k], b.scratch,
                                  &b.err));
            if (b.m.K > 0)
                must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_RESP, resp[k], b.scratch,
                                      &b.err));
        }
        assert_memory_equal(density[0], density[1], sizeof density[0]);
        if (b.m.K > 0)
            assert_memory_equal(resp[0], resp[1], (size_t)(ROWS * b.m.K) * sizeof **resp);
    }
}

static mb_status offers(const bench *b, mb_want want)
{
    int32_t        n;
    const mb_want *wants = mb_kind_wants(b->kind, &b->size, &n);

    for (int32_t k = 0; k < n; k++)
        if (wants[k] == want)
            return MB_OK;
    return MB_E_NOSUP;
}

/* Responsibilities and labels for those with components, of a target what the kind says. */
TEST(a_prediction_it_has_not_is_refused)
{
    const mb_want components[] = {MB_WANT_RESP, MB_WANT_LABEL, MB_WANT_PROB, MB_WANT_RANGE};
    const mb_want target[] = {MB_WANT_MEAN_VAR, MB_WANT_INTERVAL, MB_WANT_LOGPDF, MB_WANT_LOGPDF};
    bench         b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        for (int w = 0; w < 4; w++) {
            double out[3 * ROWS * 4];

            assert_int_equal(
                b.m.ops->predict(&b.m, b.phi, &b.rows, components[w], out, b.scratch, &b.err),
                offers(&b, components[w]));
            assert_int_equal(
                b.m.ops->predict(&b.m, b.phi, &b.rows, target[w], out, b.scratch, &b.err),
                target[w] == MB_WANT_LOGPDF ? MB_OK : offers(&b, target[w]));
        }
    }
}

/* What a fit asks of a kind with intervals. */
TEST(a_mean_alone_is_that_beside_the_variance)
{
    bench b;
    int   some = 0;

    for (size_t i = 0; i < MODELS; i++) {
        double  alone[ROWS * 4], both[ROWS * 8];
        int32_t T;

        set_up(&b, i);
        T = mb_kind_targets(b.kind, &b.size);
        if (offers(&b, MB_WANT_INTERVAL) < 0)
            continue;
        some++;
        assert_true(T <= 4);
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_MEAN_, alone, b.scratch, &b.err));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_MEAN_VAR, both, b.scratch, &b.err));
        for (int32_t j = 0; j < ROWS * T; j++)
            assert_memory_equal(&alone[j], &both[2 * j], sizeof *both);
    }
    assert_true(some > 2);
}

RUN_TESTS(arena_up, arena_down)
