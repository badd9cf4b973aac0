/* guarded.h - arrays between canaries: whoever writes beyond their ends is found out. */
#ifndef MB_TEST_GUARDED_H
#define MB_TEST_GUARDED_H

#include "arena.h"
#include "test.h"

enum { PAD = 4 };
static const double CANARY = 12345.678;

/* n numbers in the arena, PAD canaries before and after them. */
static double *guarded(size_t n)
{
    double *v = doubles(n + 2 * PAD);

    for (size_t l = 0; l < PAD; l++)
        v[l] = v[PAD + n + l] = CANARY;
    return v + PAD;
}

static void expect_guards(const double *v, size_t n)
{
    for (size_t l = 1; l <= PAD; l++)
        assert_true(*(v - l) == CANARY && v[n + l - 1] == CANARY);
}

#endif
