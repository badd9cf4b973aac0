/* Claims about matrices of many rows, which are taken in tiles: bit-identical to
 * plain loops. */
#include "expfam/matrix_form.h"
#include "num/num.h"
#include "test.h"

enum { MOST = 70, LARGE = MB_TILED_ + 2 * MB_TILE_ + 3 };

/* Orders with whole tiles and without. */
static const int32_t order[] = {MB_TILES_FROM_, MB_TILES_FROM_ + 1, 55, 56, 57, MOST};
enum { ORDERS = sizeof order / sizeof *order };

static void symmetric(int32_t n, double *A)
{
    mb_rng r = mb_rng_at(1, MB_STREAM_DATA, (uint32_t)n, 0);

    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            A[i * n + j] = j > i ? (double)NAN : mb_rng_normal(&r) + (i == j ? n : 0);
}

/* The factor, row by row. */
static void factor(int32_t n, double *A)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0;

            for (int32_t l = 0; l < j; l++)
                sum += A[i * n + l] * A[j * n + l];
            A[i * n + j] -= sum;
            A[i * n + j] = j < i ? A[i * n + j] / A[j * n + j] : sqrt(A[i * n + j]);
        }
}

/* Lower triangles have the same numbers; what is right of the diagonal is not touched. */
static void assert_lower(int32_t n, const double *got, const double *want)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++)
            assert_true(got[i * n + j] == want[i * n + j]);
        for (int32_t j = i + 1; j < n; j++)
            assert_true(isnan(got[i * n + j]));
    }
}

TEST(factors_in_tiles_have_the_bits_of_those_row_by_row)
{
    double A[MOST * MOST], want[MOST * MOST];

    for (int o = 0; o < ORDERS; o++) {
        symmetric(order[o], A);
        symmetric(order[o], want);
        assert_int_equal(mb_chol_(A, order[o]), 0);
        factor(order[o], want);
        assert_lower(order[o], A, want);
    }
}

TEST(factors_in_tiles_name_the_first_bad_minor)
{
    double A[MOST * MOST];

    for (int32_t bad = 0; bad < MOST; bad++) {
        symmetric(MOST, A);
        A[bad * MOST + bad] = bad % 3 ? -1 : (double)NAN;
        A[(MOST - 1) * MOST + MOST - 1] = -1;
        assert_int_equal(mb_chol_(A, MOST), bad + 1);
    }
}

TEST(inverses_in_tiles_have_the_bits_of_sums_in_order)
{
    double C[MOST * MOST], got[MOST * MOST], want[MOST * MOST];

    for (int o = 0; o < ORDERS; o++) {
        const int32_t n = order[o];

        symmetric(n, C);
        factor(n, C);
        mb_chol_inverse_(C, n, got);
        memset(want, 0, sizeof want);
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = j; i < n; i++) {
                double sum = 0;

                for (int32_t l = j; l < i; l++)
                    sum += C[i * n + l] * want[l * n + j];
                want[i * n + j] = ((i == j) - sum) / C[i * n + i];
            }
        for (int32_t l = 0; l < n * n; l++)
            assert_true(got[l] == want[l]);
    }
}

TEST(squares_in_tiles_have_the_bits_of_sums_in_order)
{
    double C[MOST * MOST], got[MOST * MOST], in_place[MOST * MOST];

    for (int o = 0; o < ORDERS; o++) {
        const int32_t n = order[o];

        symmetric(n, C);
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j <= i; j++)
                in_place[mb_packed_at_(i, j)] = C[i * n + j];
        mb_chol_square_(C, (size_t)n, n, 3, got);
        mb_chol_square_(in_place, 0, n, 3, in_place);
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j <= i; j++) {
                double sum = 0;

                for (int32_t l = 0; l <= j; l++)
                    sum += C[i * n + l] * C[j * n + l];
                assert_true(got[mb_packed_at_(i, j)] == 3 * sum);
                assert_true(in_place[mb_packed_at_(i, j)] == 3 * sum);
            }
    }
}

/* svec of C^-T diag(g) C^-1. */
TEST(means_in_tiles_have_the_bits_of_sums_in_order)
{
    double scratch[2 * MOST * MOST + MOST], inverse[MOST * MOST], want[MOST * MOST];
    double got[MOST * MOST];

    for (int o = 0; o < ORDERS; o++) {
        const int32_t n = order[o];

        symmetric(n, scratch);
        factor(n, scratch);
        mb_chol_inverse_(scratch, n, inverse);
        mb_mf_mean_(n - 1, scratch, 2, 3, 5, got);
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j <= i; j++) {
                double sum = 0;

                for (int32_t k = i; k < n; k++) {
                    const double g = k == 0 ? 2 : k + 1 < n ? 3 : 5;

                    sum += g * inverse[k * n + i] * inverse[k * n + j];
                }
                want[i * n + j] = sum;
            }
        mb_svec_(want, n, inverse);
        for (size_t l = 0; l < mb_svec_len_(n); l++)
            assert_true(got[1 + l] == inverse[l]);
    }
}

/* A factor of more rows than a part has is that of |i - j| correlated by rho, which is known. */
TEST(factors_of_many_rows_are_the_known_ones)
{
    const double rho = 0.9;
    double      *A = malloc((size_t)LARGE * LARGE * sizeof *A),
           *inverse = malloc((size_t)LARGE * LARGE * sizeof *A);

    assert_true(A && inverse);
    for (int32_t i = 0; i < LARGE; i++)
        for (int32_t j = 0; j < LARGE; j++)
            A[i * LARGE + j] = pow(rho, abs(i - j));
    assert_int_equal(mb_chol_(A, LARGE), 0);
    mb_chol_inverse_(A, LARGE, inverse);
    for (int32_t i = 0; i < LARGE; i++)
        for (int32_t j = 0; j <= i; j++) {
            const double root = sqrt(1 - rho * rho);
            const double want = i == j ? (i ? 1 / root : 1) : i - j == 1 ? -rho / root : 0;

            assert_near(A[i * LARGE + j], pow(rho, i - j) * (j ? root : 1), 1e-13);
            assert_near(inverse[i * LARGE + j], want, 1e-11);
        }
    free(A);
    free(inverse);
}

RUN_TESTS(NULL, NULL)
