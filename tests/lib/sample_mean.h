/* sample_mean.h - is the mean of draws the expected one? A statistical claim with its false-alarm
 * rate: 6 standard errors of a mean of many draws are exceeded with probability 2e-9. */
#ifndef MB_TEST_SAMPLE_MEAN_H
#define MB_TEST_SAMPLE_MEAN_H

#include "test.h"

typedef struct sample_mean {
    double n, mean, squares; /* Welford's running sums */
} sample_mean;

static inline void sample_add(sample_mean *s, double x)
{
    const double before = x - s->mean;

    s->n += 1;
    s->mean += before / s->n;
    s->squares += before * (x - s->mean);
}

/* Standard error from the draws themselves; 1e-12 for quantities without spread. */
#define assert_mean(s, want)                                                                       \
    do {                                                                                           \
        const sample_mean *s_ = (s);                                                               \
        const double       want_ = (want), error_ = sqrt(s_->squares) / s_->n;                     \
        if (!(fabs(s_->mean - want_) <= 6 * error_ + 1e-12 * fmax(1, fabs(want_))))                \
            fail_msg("mean of %g draws is %.9g, expected %.9g; standard error %.2g", s_->n,        \
                     s_->mean, want_, error_);                                                     \
    } while (0)

#endif
