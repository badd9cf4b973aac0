/* test.h - what a program of cmocka tests begins with: TEST, RUN_TESTS, calls that must succeed,
 * and comparisons of numbers that say what they got. */
#ifndef MB_TEST_TEST_H
#define MB_TEST_TEST_H

#include "meshbayes/meshbayes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Tests run in the order of the file; cmocka skips the empty places at the end. */
static struct CMUnitTest test_list_[64];

/* TEST(name) { .. } defines a test with the parameter `void **state` and adds it to those that
 * RUN_TESTS runs. */
#define TEST(name) TEST_AT_(name, __COUNTER__)
#define TEST_AT_(name, at)                                                                         \
    static void                              name(void **state);                                   \
    __attribute__((constructor)) static void name##_is_a_test_(void)                               \
    {                                                                                              \
        test_list_[at] = (struct CMUnitTest)cmocka_unit_test(name);                                \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

/* Runs all tests between one set-up and tear-down; NULL: none. Returns how many failed. */
static inline int run_all_tests(CMFixtureFunction up, CMFixtureFunction down)
{
    return cmocka_run_group_tests_name("tests", test_list_, up, down);
}

/* Gives every test a set-up and tear-down of its own. */
static inline void each_test(CMFixtureFunction up, CMFixtureFunction down)
{
    for (struct CMUnitTest *t = test_list_; t->name; t++) {
        t->setup_func = up;
        t->teardown_func = down;
    }
}

#define RUN_TESTS(up, down)                                                                        \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_all_tests(up, down);                                                            \
    }
#define RUN_EACH_TEST(up, down)                                                                    \
    int main(void)                                                                                 \
    {                                                                                              \
        each_test(up, down);                                                                       \
        return run_all_tests(NULL, NULL);                                                          \
    }

/* The smaller of two sizes where MB_SMALL is set, as under valgrind. */
static inline int sized(int whole, int small)
{
    return getenv("MB_SMALL") ? small : whole;
}

/* The call must return MB_OK. */
#define must(call)                                                                                 \
    do {                                                                                           \
        const mb_status must_ = (call);                                                            \
        if (must_ != MB_OK)                                                                        \
            fail_msg("%s: %s", #call, mb_status_text(must_));                                      \
    } while (0)

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
