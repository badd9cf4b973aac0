/* Claims about gamma and chi draws. False alarms: see sample_mean.h; the seeds are fixed. */
#include "gen.h"
#include "num/num.h"
#include "sample_mean.h"
#include "test.h"

enum { DRAWS = 40000 };
static const double shapes[] = {1e-3, 0.3, 0.99, 1, 2.5, 40, 1e6};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* E ln G = psi(a), whatever the shape. */
TEST(the_mean_logarithm_is_digamma)
{
    for (int i = 0; i < SHAPES; i++) {
        mb_rng      r = gen_rng((uint64_t)i);
        sample_mean ln = {0};

        for (int k = 0; k < DRAWS; k++)
            sample_add(&ln, mb_draw_ln_gamma_(&r, shapes[i]));
        assert_mean(&ln, mb_digamma_(shapes[i]));
    }
}

/* The Laplace transform E exp(-s G) = (1+s)^-a pins the whole law. */
TEST(the_laplace_transform_is_a_power)
{
    static const double s[] = {0.05, 0.3, 1, 4};

    for (int i = 0; i < SHAPES - 2; i++)
        for (int j = 0; j < 4; j++) {
            mb_rng      r = gen_rng(100 + (uint64_t)(4 * i + j));
            sample_mean e = {0};

            for (int k = 0; k < DRAWS; k++)
                sample_add(&e, exp(-s[j] * exp(mb_draw_ln_gamma_(&r, shapes[i]))));
            assert_mean(&e, pow(1 + s[j], -shapes[i]));
        }
}

TEST(chi_squared_has_mean_df_and_variance_two_df)
{
    static const double df[] = {0.5, 1, 3, 17.5};

    for (int i = 0; i < 4; i++) {
        mb_rng      r = gen_rng(200 + (uint64_t)i);
        sample_mean first = {0}, second = {0};

        for (int k = 0; k < DRAWS; k++) {
            const double chi = mb_draw_chi_(&r, df[i]);

            sample_add(&first, chi * chi);
            sample_add(&second, (chi * chi - df[i]) * (chi * chi - df[i]));
        }
        assert_mean(&first, df[i]);
        assert_mean(&second, 2 * df[i]);
    }
}

TEST(a_tiny_shape_keeps_its_logarithm)
{
    mb_rng r = gen_rng(300);

    for (int k = 0; k < 100; k++) {
        const double ln = mb_draw_ln_gamma_(&r, 1e-8);

        assert_true(isfinite(ln) && ln < -1000); /* P(ln G > -1000) = 1e-5 */
    }
}

RUN_TESTS(NULL, NULL)
