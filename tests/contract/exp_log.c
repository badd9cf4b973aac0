/* exp_log.c - the exp and log of every kernel this machine can run. */
#include "arena.h"
#include "kernel/kernel.h"
#include "test.h"

/* In units of the last place of the exact value. */
static double ulps(double got, double want)
{
    return fabs(got - want) / (nextafter(fabs(want), (double)INFINITY) - fabs(want));
}

enum { MANY = 1 << 16 };

/* Against libm, itself within 1 ulp. */
TEST(exp_and_log_err_by_less_than_2_ulp)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    double           *x = doubles(MANY), *y = doubles(MANY);

    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i]; i++) {
        for (int j = 0; j < MANY; j++)
            x[j] = -700 * pow((j + 0.5) / MANY, 3);
        kernel[i]->exp(MANY, x, y);
        for (int j = 0; j < MANY; j++)
            assert_true(ulps(y[j], exp(x[j])) < 2);
        for (int j = 0; j < MANY; j++)
            x[j] = exp(700 * pow(2 * (j + 0.5) / MANY - 1, 5));
        kernel[i]->log(MANY, x, y);
        for (int j = 0; j < MANY; j++)
            assert_true(ulps(y[j], log(x[j])) < 2);
        x[0] = 1, x[1] = 0, x[2] = -0.0;
        kernel[i]->log(MB_LANES_MAX, x, y);
        assert_true(y[0] >= 0 && y[0] <= 0);
        kernel[i]->exp(MB_LANES_MAX, x, y);
        assert_true(y[1] >= 1 && y[1] <= 1 && y[2] >= 1 && y[2] <= 1);
    }
}

TEST(exp_and_log_have_the_same_bits_wherever_there_is_fma)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    double           *x = doubles(MANY), *want = doubles(MANY), *y = doubles(MANY);

    mb_kernel_list_(kernel);
    for (int i = 1; kernel[i] && kernel[i] != &mb_kernel_plain_; i++) {
        for (int j = 0; j < MANY; j++)
            x[j] = -700 * pow((j + 0.5) / MANY, 3);
        kernel[0]->exp(MANY, x, want);
        kernel[i]->exp(MANY, x, y);
        assert_memory_equal(y, want, MANY * sizeof *y);
        kernel[0]->log(MANY, want, x);
        kernel[i]->log(MANY, want, y);
        assert_memory_equal(y, x, MANY * sizeof *y);
    }
}

RUN_TESTS(arena_up, arena_down)
