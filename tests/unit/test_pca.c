/* Principal components. */
#include "arena.h"
#include "data/pca.h"
#include "test.h"

enum { ROWS = 40, COLUMNS = 6 };

/* Columns of very different size, mixed, away from zero. */
static double *draw(int64_t n, int32_t d)
{
    double *x = doubles((size_t)(n * d));
    mb_rng  rng = mb_rng_at(7, MB_STREAM_DATA, 0, 0);

    for (int64_t r = 0; r < n; r++) {
        double common = mb_rng_normal(&rng);

        for (int32_t c = 0; c < d; c++)
            x[r * d + c] = 3 + common * (c % 3) + mb_rng_normal(&rng) / (1 + c);
    }
    return x;
}

static pca fitted(int64_t n, int32_t d, const double *x, int32_t k, double share)
{
    pca    p;
    mb_err err;

    must(pca_fit(arena, n, d, x, k, share, &p, &err));
    return p;
}

/* Component j has the variance that is printed of it, and the components are uncorrelated. */
TEST(components_have_their_variance_and_are_uncorrelated)
{
    static const int64_t rows[] = {ROWS, 4}; /* more rows than columns, and fewer */

    for (int s = 0; s < 2; s++) {
        const int64_t n = rows[s];
        const double *x = draw(n, COLUMNS);
        const int32_t k = s ? 3 : COLUMNS;
        const pca     p = fitted(n, COLUMNS, x, k, 0);
        double       *y = doubles((size_t)(n * k));

        pca_apply(&p, n, x, y);
        for (int32_t i = 0; i < k; i++)
            for (int32_t j = 0; j < k; j++) {
                double sum = 0;

                for (int64_t r = 0; r < n; r++)
                    sum += y[r * k + i] * y[r * k + j] / (double)(n - 1);
                assert_true(fabs(sum - (i == j ? p.variance[i] : 0)) < 1e-13 * p.total);
            }
    }
}

/* The same rows with columns of zeros appended: fewer rows than columns, by the other matrix. */
TEST(both_matrices_give_the_same_components)
{
    enum { WIDE = 2 * ROWS };
    const double *x = draw(ROWS, COLUMNS);
    double       *wide = doubles(ROWS * WIDE);
    const pca     p = fitted(ROWS, COLUMNS, x, 4, 0);

    for (int64_t r = 0; r < ROWS; r++)
        memcpy(wide + r * WIDE, x + r * COLUMNS, COLUMNS * sizeof *x);
    const pca q = fitted(ROWS, WIDE, wide, 4, 0);

    assert_true(fabs(p.total - q.total) < 1e-13 * p.total);
    for (int32_t j = 0; j < 4; j++) {
        assert_true(fabs(p.variance[j] - q.variance[j]) < 1e-13 * p.total);
        for (int32_t c = 0; c < COLUMNS; c++)
            assert_true(fabs(p.axis[j * COLUMNS + c] - q.axis[j * WIDE + c]) < 1e-12);
    }
}

TEST(the_first_number_above_the_share_is_taken)
{
    const double *x = draw(ROWS, COLUMNS);
    const pca     all = fitted(ROWS, COLUMNS, x, COLUMNS, 0);
    double        sum = 0;

    for (int32_t k = 1; k < COLUMNS; k++) {
        double held;

        sum += all.variance[k - 1];
        held = sum / all.total;
        assert_int_equal(pca_components(&all, held * (1 - 1e-12)), k);
        assert_int_equal(pca_components(&all, held * (1 + 1e-12)), k + 1);
        assert_int_equal(fitted(ROWS, COLUMNS, x, 0, held * (1 - 1e-12)).k, k);
    }
    assert_int_equal(pca_components(&all, 1), COLUMNS);
}

TEST(rows_are_scaled_to_length_one)
{
    double x[] = {3, 4, 0, 0, -5, 12};

    pca_unit_rows(3, 2, x);
    assert_true(fabs(x[0] - 0.6) < 1e-15 && fabs(x[1] - 0.8) < 1e-15);
    assert_true(x[2] == 0 && x[3] == 0);
    assert_true(fabs(x[4] + 5.0 / 13) < 1e-15 && fabs(x[5] - 12.0 / 13) < 1e-15);
}

TEST(what_has_no_components_is_refused)
{
    const double equal[] = {1, 2, 1, 2, 1, 2}, hole[] = {1, 2, (double)NAN, 2, 1, 3};
    pca          p;
    mb_err       err;

    assert_int_equal(pca_fit(arena, 3, 2, equal, 1, 0, &p, &err), MB_E_NUMERIC);
    assert_int_equal(pca_fit(arena, 3, 2, hole, 1, 0, &p, &err), MB_E_NUMERIC);
    assert_int_equal(pca_fit(arena, 3, 2, equal, 3, 0, &p, &err), MB_E_ARG);
    assert_int_equal(pca_fit(arena, 1, 2, equal, 1, 0, &p, &err), MB_E_ARG);
}

RUN_TESTS(arena_up, arena_down)
