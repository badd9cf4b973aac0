/* kernel/groups.h - rows in groups that share their component, block by block (docs/math.md,
 * section 23).
 *
 * A block holds whole groups. A group that is longer than a block passes twice: what its rows say
 * of the components is summed first, and its responsibilities are then given to each of them. */
#ifndef MB_KERNEL_GROUPS_H
#define MB_KERNEL_GROUPS_H

#include "kernel/kernel.h"

#include <stdint.h>

typedef struct mb_groups_ {
    const int64_t
           *first;      /* n + 1: rows of group i are first[i] .. first[i + 1] - 1; NULL: i       */
    int64_t n;          /* groups                                                                 */
    const double *w;    /* of the rows, the same in a group; NULL: 1                              */
    const void   *rows; /* argument of `empty`                                                    */
    int (*empty)(const void *rows,
                 int64_t     j); /* 1: row j says nothing and is left out; NULL: none */
    double
        *ln_pi;  /* K: ln of the weights, set by the caller                                       */
    double *sum; /* K: of the long group, then its responsibilities                               */
    double
        *count; /* K: groups of each component so far, by weight                                 */

    int32_t ready;  /* 1: mb_groups_spread_ has made r; 0: the first pass of a long group       */
    int32_t again;  /* 1: the block is of the second pass, its densities are not needed         */
    int64_t next;   /* the first group that is not in a block yet                               */
    int64_t row;    /* of a long group: its first row that is not in a block yet; -1: no such   */
    int64_t seen;   /* of a long group: rows that were summed                                   */
    double  lnz;    /* of a long group                                                          */
    int32_t held;   /* groups in the block                                                      */
    int32_t folded; /* 1: r is of the groups                                                    */
    int32_t
        start[MB_BLOCK_MAX + 1]; /* their first rows in the block                               */
    int64_t place[MB_BLOCK_MAX]; /* row of the block's rows while r is of the groups            */
} mb_groups_;
/* K: room for 3 K doubles, of which the caller has set ln_pi and the rest becomes 0. */
mb_groups_ mb_groups_begin_(int32_t K, double *room, int64_t n, const int64_t *first,
                            const double *w);
/* The rows of the next block and their weights into g; 0: there is none left. The caller fills
 * it. */
int mb_groups_next_(mb_groups_ *q, mb_estep_ *g);
/* r, log densities of the block's rows without the weights of the mixture, into ln rho of its
 * groups, which g has as its rows from now on; given: r is responsibilities times the row weight
 * instead, and becomes their mean. 0: the group is not complete; g is as it was. */
int mb_groups_fold_(mb_groups_ *q, mb_estep_ *g, int given);
/* r, responsibilities of the groups times their weights, into those of the rows, which g has
 * again; lnz too. In the second pass of a long group those that the first has found. */
void mb_groups_spread_(mb_groups_ *q, mb_estep_ *g);

#endif
