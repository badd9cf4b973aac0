/* near.h - comparisons of numbers that say what they got. */
#ifndef MB_TEST_NEAR_H
#define MB_TEST_NEAR_H

#include <math.h>
#include <stddef.h>

/* |got - want| <= tol max(1, |want|); NaN is never near. */
#define assert_near(got, want, tol)                                                                \
    do {                                                                                           \
        const double got_ = (got), want_ = (want);                                                 \
        if (!(fabs(got_ - want_) <= (tol)*fmax(1, fabs(want_))))                                   \
            fail_msg("%s = %.17g, expected %.17g within %g", #got, got_, want_, (double)(tol));    \
    } while (0)

#define assert_all_near(got, want, len, tol)                                                       \
    do {                                                                                           \
        for (size_t at_ = 0; at_ < (size_t)(len); at_++)                                           \
            if (!(fabs((got)[at_] - (want)[at_]) <= (tol)*fmax(1, fabs((want)[at_]))))             \
                fail_msg("%s[%zu] = %.17g, expected %.17g within %g", #got, at_, (got)[at_],       \
                         (want)[at_], (double)(tol));                                              \
    } while (0)

#endif
