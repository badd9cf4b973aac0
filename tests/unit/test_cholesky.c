/* The factor of a covariance that users get. */
#include "num/num.h"
#include "test.h"

/* A few roundings of numbers of size 10. */
#define TOL 1e-14

static void near(double got, double want)
{
    assert_true(fabs(got - want) <= TOL * 10);
}

TEST(the_factor_of_a_known_matrix_reads_its_lower_triangle_only)
{
    const double A[9] = {4, 99, 99, 2, 10, 99, -6, 0, 19};
    const double want[9] = {2, 0, 0, 1, 3, 0, -3, 1, 3};
    double       C[9], Cinv[9];

    must(mb_cholesky(3, A, C, Cinv, NULL));
    for (int k = 0; k < 9; k++)
        near(C[k], want[k]);
}

TEST(the_inverse_undoes_the_factor)
{
    const double A[9] = {4, 2, -6, 2, 10, 0, -6, 0, 19};
    double       C[9], Cinv[9];

    must(mb_cholesky(3, A, C, Cinv, NULL));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;

            for (int k = 0; k < 3; k++)
                sum += C[3 * i + k] * Cinv[3 * k + j];
            near(sum, i == j);
            if (j > i) {
                near(Cinv[3 * i + j], 0);
            }
        }
}

TEST(a_matrix_that_is_not_positive_definite_is_refused_with_its_minor)
{
    const double A[4] = {1, 2, 2, 4};
    double       C[4], Cinv[4];
    mb_err       err = {0};

    assert_int_equal(mb_cholesky(2, A, C, Cinv, &err), MB_E_DOMAIN);
    assert_string_equal(err.msg,
                        "the matrix is not positive definite (its leading 2 x 2 part fails)");
}

RUN_TESTS(NULL, NULL)
