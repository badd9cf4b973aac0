/* Claims about Cholesky, symmetric eigenvalues and svec. */
#include "num/num.h"
#include "test.h"

enum { MAX_N = 40 };

/* Backward error of n^2-sized sums: some ulps a term. */
static double tolerance(int32_t n)
{
    return 4e-15 * n;
}

/* G G' + I / n for random G: symmetric positive definite, condition about n^2. */
static void random_spd(int32_t n, uint64_t seed, double *A)
{
    double G[MAX_N * MAX_N];
    mb_rng r = mb_rng_at(seed, MB_STREAM_DATA, (uint32_t)n, 0);

    for (int32_t l = 0; l < n * n; l++)
        G[l] = mb_rng_normal(&r) / sqrt(n);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            A[i * n + j] = i == j ? 1.0 / n : 0;
            for (int32_t l = 0; l < n; l++)
                A[i * n + j] += G[i * n + l] * G[j * n + l];
        }
}

TEST(cholesky_multiplies_back)
{
    double A[MAX_N * MAX_N], C[MAX_N * MAX_N];

    for (int32_t n = 1; n <= MAX_N; n += n < 7 ? 1 : 3) {
        random_spd(n, 1, A);
        memcpy(C, A, sizeof C);
        assert_int_equal(mb_chol_(C, n), 0);
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j <= i; j++) {
                double sum = 0;

                for (int32_t l = 0; l <= j; l++)
                    sum += C[i * n + l] * C[j * n + l];
                assert_true(fabs(sum - A[i * n + j]) < tolerance(n));
            }
    }
}

TEST(cholesky_names_the_first_bad_minor)
{
    double indefinite[] = {1, 0, 0, 2, 1, 0, 0, 0, 1}; /* [1 2; 2 1] is not definite */
    double nan[] = {1, 0, 0, NAN};
    double zero[] = {0};
    double infinite[] = {INFINITY};

    assert_int_equal(mb_chol_(indefinite, 3), 2);
    assert_int_equal(mb_chol_(nan, 2), 2);
    assert_int_equal(mb_chol_(zero, 1), 1);
    assert_int_equal(mb_chol_(infinite, 1), 1);
}

TEST(solves_and_inverse_undo_the_factor)
{
    double C[MAX_N * MAX_N], inverse[MAX_N * MAX_N], x[MAX_N], y[MAX_N];

    for (int32_t n = 1; n <= MAX_N; n += 13) {
        random_spd(n, 2, C);
        assert_int_equal(mb_chol_(C, n), 0);
        mb_chol_inverse_(C, n, inverse);
        for (int32_t i = 0; i < n; i++) {
            x[i] = sin(i + 1.0);
            y[i] = 0;
        }
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j <= i; j++)
                y[i] += C[i * n + j] * x[j];
        for (int32_t i = 0; i < n; i++) {
            double sum = 0;

            for (int32_t j = 0; j < n; j++)
                sum += inverse[i * n + j] * y[j];
            assert_true(fabs(sum - x[i]) < 100 * tolerance(n));
        }
        mb_chol_forward_(C, n, y);
        for (int32_t i = 0; i < n; i++)
            assert_true(fabs(y[i] - x[i]) < 100 * tolerance(n));
        for (int32_t i = 0; i < n; i++) {
            y[i] = 0;
            for (int32_t j = i; j < n; j++)
                y[i] += C[j * n + i] * x[j];
        }
        mb_chol_backward_(C, n, y);
        for (int32_t i = 0; i < n; i++)
            assert_true(fabs(y[i] - x[i]) < 100 * tolerance(n));
    }
}

/* Side by side, in a factor whose rows are longer than it. */
TEST(vectors_side_by_side_are_solved_as_each_alone)
{
    enum { LANES = MB_CHOL_LANES_, LD = LANES + 3 };
    double C[MAX_N * MAX_N], x[MAX_N * LD], y[MAX_N * LANES], one[MAX_N], square[LANES];

    for (int32_t n = 1; n < MAX_N; n += 13) {
        random_spd(MAX_N, 3, C);
        assert_int_equal(mb_chol_(C, MAX_N), 0);
        for (int32_t l = 0; l < n * LD; l++)
            x[l] = sin(l + 1.0);
        for (int u = 0; u < LANES; u++)
            square[u] = u;
        mb_chol_forward_lanes_(C, MAX_N, n, x, LD, y, square);
        for (int u = 0; u < LANES; u++) {
            double sum = u;

            /* The rest of the right side is 0: the entries before it are those of the n x n factor. */
            memset(one, 0, sizeof one);
            for (int32_t i = 0; i < n; i++)
                one[i] = x[i * LD + u];
            mb_chol_forward_(C, MAX_N, one);
            for (int32_t i = 0; i < n; i++) {
                assert_true(y[i * LANES + u] == one[i]);
                sum += one[i] * one[i];
            }
            assert_true(square[u] == sum);
        }
    }
}

/* Both ways to multiply a lower triangle with itself, against sums in the order of k. */
TEST(triangles_are_multiplied_by_sums_in_order)
{
    double A[MAX_N * MAX_N], got[MAX_N * MAX_N], in_place[MAX_N * MAX_N], want[MAX_N * MAX_N];

    for (int32_t n = 1; n <= MAX_N; n++) {
        int32_t l = 0;

        random_spd(n, 3, A);
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j <= i; j++, l++) {
                in_place[l] = j < i ? A[i * n + j] : log(A[i * n + j]);
                A[i * n + j] = j < i ? A[i * n + j] : exp(in_place[l]);
            }
        l = 0;
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j <= i; j++, l++) {
                want[l] = 0;
                for (int32_t k = 0; k <= j; k++)
                    want[l] += A[i * n + k] * A[j * n + k];
            }
        mb_chol_square_(A, (size_t)n, n, 1, got);
        assert_memory_equal(got, want, (size_t)l * sizeof *got);
        mb_exp_rows_(in_place, n, 1);
        assert_memory_equal(in_place, want, (size_t)l * sizeof *got);
    }
}

/* The path's Laplacian has eigenvalues 2 (1 - cos(pi k / n)). */
TEST(eigenvalues_of_a_path_are_the_known_ones)
{
    const double pi = 3.14159265358979323846;
    const int    n = MAX_N;
    double       A[MAX_N * MAX_N] = {0}, w[MAX_N];

    for (int i = 0; i + 1 < n; i++) {
        A[i * n + i] += 1;
        A[(i + 1) * n + i + 1] += 1;
        A[i * n + i + 1] = A[(i + 1) * n + i] = -1;
    }
    must(mb_eig_sym_(A, n, w, NULL));
    for (int k = 0; k < n; k++)
        assert_true(fabs(w[k] - 2 * (1 - cos(pi * k / n))) < tolerance(n));
}

TEST(eigenvectors_rebuild_the_matrix)
{
    double A[MAX_N * MAX_N], B[MAX_N * MAX_N], w[MAX_N], V[MAX_N * MAX_N];

    for (int32_t n = 1; n <= MAX_N; n += 13) {
        random_spd(n, 3, A);
        memcpy(B, A, sizeof B);
        must(mb_eig_sym_(B, n, w, V));
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < n; j++) {
                double sum = 0;

                for (int32_t l = 0; l < n; l++)
                    sum += V[i * n + l] * w[l] * V[j * n + l];
                assert_true(fabs(sum - A[i * n + j]) < 10 * tolerance(n));
            }
        for (int32_t l = 1; l < n; l++)
            assert_true(w[l] >= w[l - 1]);
    }
}

TEST(eigenvalues_of_nan_are_refused)
{
    double A[] = {1, NAN, NAN, 1}, w[2];

    assert_int_equal(mb_eig_sym_(A, 2, w, NULL), MB_E_NUMERIC);
}

TEST(svec_keeps_inner_products_and_comes_back)
{
    double A[9], B[9], a[6], b[6], back[9], trace = 0, dot = 0;

    random_spd(3, 4, A);
    random_spd(3, 5, B);
    mb_svec_(A, 3, a);
    mb_svec_(B, 3, b);
    mb_unsvec_(a, 3, back);
    assert_int_equal(mb_svec_len_(3), 6);
    for (int l = 0; l < 9; l++) {
        trace += A[l] * B[l];
        assert_true(fabs(back[l] - A[l]) < tolerance(1));
    }
    for (int l = 0; l < 6; l++)
        dot += a[l] * b[l];
    assert_true(fabs(trace - dot) < tolerance(9));
}

RUN_TESTS(NULL, NULL)
