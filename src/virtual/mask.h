/* virtual/mask.h - simulated masks of one node. */
#ifndef MB_VIRTUAL_MASK_H
#define MB_VIRTUAL_MASK_H

#include "meshbayes/extend.h"

struct mb_masked_;
struct mb_virtual;
/* Masks of a node. */
typedef struct mb_vmask_ {
    mb_masks           by;
    struct mb_virtual *net; /* NULL: the node is alone, which draws nothing */
    int32_t            node;
    uint64_t           seed;
    uint64_t           epoch; /* hash of the record that began last */
    int32_t            partners;
    int32_t           *partner; /* ids, room for all */
    struct mb_masked_ *newest;  /* contributions, of all lives */
} mb_vmask_;

/* Those of a node among `members`, as the virtual network of this seed makes them; they draw
 * no bytes. In the arena. */
mb_status mb_mask_of_seed_(mb_arena *a, uint64_t seed, int32_t members, const mb_masks **out,
                           mb_err *err) MB_CHECKED;

#endif
