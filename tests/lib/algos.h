/* algos.h - the algorithms of claims about all: those of the library, and one whose nodes wait and
 * send two vectors of integers. */
#ifndef MB_TEST_ALGOS_H
#define MB_TEST_ALGOS_H

#include "test.h"
#include "tree_sum.h"

/* Ends with NULL. */
static inline const mb_algo *const *every_algo(void)
{
    enum { ROOM = 32 };
    static const mb_algo *list[ROOM];
    size_t                n = 0;

    for (const mb_algo *const *a = mb_algo_list(); *a && n < ROOM - 2; a++)
        list[n++] = *a;
    assert_true(n < ROOM - 2);
    list[n++] = &tree_sum;
    list[n] = NULL;
    return list;
}

#endif
