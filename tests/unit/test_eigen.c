/* Eigenvalues and vectors of symmetric matrices. */
#include "arena.h"
#include "data/eigen.h"
#include "test.h"

static double *random_symmetric(int32_t n, uint64_t seed)
{
    double *A = doubles((size_t)n * (size_t)n);
    mb_rng  rng = mb_rng_at(seed, MB_STREAM_DATA, 0, 0);

    for (int32_t r = 0; r < n; r++)
        for (int32_t c = 0; c <= r; c++)
            A[r * n + c] = A[c * n + r] = mb_rng_normal(&rng);
    return A;
}

/* |A v - w v| for every pair, and v_i'v_j = (i == j). */
static void expect_pairs(int32_t n, int32_t k, const double *A, const double *w, const double *V)
{
    double size = 0;

    for (int32_t l = 0; l < n * n; l++)
        size = fmax(size, fabs(A[l]));
    for (int32_t j = 0; j < k; j++) {
        const double *v = V + (size_t)j * (size_t)n;

        assert_true(j == 0 || w[j] <= w[j - 1]);
        for (int32_t r = 0; r < n; r++) {
            double sum = 0;

            for (int32_t c = 0; c < n; c++)
                sum += A[r * n + c] * v[c];
            assert_true(fabs(sum - w[j] * v[r]) <= 1e-14 * n * size);
        }
        for (int32_t i = 0; i <= j; i++) {
            double dot = 0;

            for (int32_t c = 0; c < n; c++)
                dot += v[c] * V[(size_t)i * (size_t)n + (size_t)c];
            assert_true(fabs(dot - (i == j)) < 1e-13);
        }
    }
}

TEST(pairs_solve_the_equation_and_are_orthonormal)
{
    static const int32_t sizes[] = {1, 2, 3, 10, 61};
    mb_err               err;

    for (int s = 0; s < 5; s++) {
        const int32_t n = sizes[s];
        double       *A = random_symmetric(n, 3), *w = doubles((size_t)n);
        double       *V = doubles((size_t)(n * n));

        must(eigen_symmetric(arena, n, A, n, w, V, &err));
        expect_pairs(n, n, A, w, V);
    }
}

/* The path of n nodes: Laplacian eigenvalues 2 - 2 cos(pi j/n), in closed form. */
TEST(values_of_a_path_are_the_known_ones)
{
    enum { N = 40 };
    double *A = doubles(N * N), w[N];
    mb_err  err;

    for (int r = 0; r < N; r++) {
        A[r * N + r] = r == 0 || r == N - 1 ? 1 : 2;
        if (r)
            A[r * N + r - 1] = A[(r - 1) * N + r] = -1;
    }
    must(eigen_symmetric(arena, N, A, 0, w, NULL, &err));
    for (int j = 0; j < N; j++)
        assert_true(fabs(w[j] - (2 - 2 * cos(acos(-1) * (N - 1 - j) / N))) < 1e-13);
}

/* Equal values, a matrix without full rank, one that is diagonal, zero. */
TEST(repeated_and_zero_values_are_no_trouble)
{
    enum { N = 12 };
    double *A = doubles(N * N), w[N], V[N * N];
    mb_err  err;

    for (int k = 0; k < 4; k++) {
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++)
                A[r * N + c] = k == 0 ? r == c : k == 1 ? 1.0 : k == 2 ? (r == c) * (r % 3) : 0;
        must(eigen_symmetric(arena, N, A, N, w, V, &err));
        expect_pairs(N, N, A, w, V);
    }
}

/* Only the lower triangle is read, and the input stays as it is. */
TEST(the_upper_triangle_is_not_read)
{
    enum { N = 9 };
    double *A = random_symmetric(N, 5), B[N * N], w[N], x[N], V[N * N];
    mb_err  err;

    must(eigen_symmetric(arena, N, A, N, w, V, &err));
    for (int r = 0; r < N; r++)
        for (int c = r + 1; c < N; c++)
            A[r * N + c] = (double)NAN;
    memcpy(B, A, sizeof B);
    must(eigen_symmetric(arena, N, A, 0, x, NULL, &err));
    assert_memory_equal(A, B, sizeof B);
    for (int j = 0; j < N; j++)
        assert_true(fabs(w[j] - x[j]) < 1e-13);
}

TEST(what_is_no_matrix_is_refused)
{
    double A[4] = {1, 0, (double)NAN, 1}, w[2];
    mb_err err;

    assert_int_equal(eigen_symmetric(arena, 2, A, 0, w, NULL, &err), MB_E_NUMERIC);
    assert_int_equal(eigen_symmetric(arena, 0, A, 0, w, NULL, &err), MB_E_ARG);
    assert_int_equal(eigen_symmetric(arena, 2, A, 3, w, NULL, &err), MB_E_ARG);
}

RUN_TESTS(arena_up, arena_down)
