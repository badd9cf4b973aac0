/* The factor of a covariance that users get. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "num/num.h"

/* A few roundings of numbers of size 10. */
#define TOL 1e-14

static void near(double got, double want)
{
    assert_true(fabs(got - want) <= TOL * 10);
}

static void the_factor_of_a_known_matrix_reads_its_lower_triangle_only(void **state)
{
    const double A[9] = {4, 99, 99, 2, 10, 99, -6, 0, 19};
    const double want[9] = {2, 0, 0, 1, 3, 0, -3, 1, 3};
    double       C[9], Cinv[9];

    (void)state;
    assert_int_equal(mb_cholesky(3, A, C, Cinv, NULL), MB_OK);
    for (int k = 0; k < 9; k++)
        near(C[k], want[k]);
}

static void the_inverse_undoes_the_factor(void **state)
{
    const double A[9] = {4, 2, -6, 2, 10, 0, -6, 0, 19};
    double       C[9], Cinv[9];

    (void)state;
    assert_int_equal(mb_cholesky(3, A, C, Cinv, NULL), MB_OK);
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

static void a_matrix_that_is_not_positive_definite_is_refused_with_its_minor(void **state)
{
    const double A[4] = {1, 2, 2, 4};
    double       C[4], Cinv[4];
    mb_err       err = {0};

    (void)state;
    assert_int_equal(mb_cholesky(2, A, C, Cinv, &err), MB_E_DOMAIN);
    assert_string_equal(err.msg,
                        "the matrix is not positive definite (its leading 2 x 2 part fails)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_of_a_known_matrix_reads_its_lower_triangle_only),
        cmocka_unit_test(the_inverse_undoes_the_factor),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_is_refused_with_its_minor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
