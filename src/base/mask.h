/* base/mask.h - simulated masks of exact sums (docs/math.md, section 31): numbers of two nodes
 * each, added by the one and subtracted by the other. Their keys come from a seed, so they hide
 * nothing from who knows it. */
#ifndef MB_BASE_MASK_H
#define MB_BASE_MASK_H

#include "meshbayes/extend.h"

/* w (n words) += the masks that node id shares with each of its partners, in this pass of this
 * epoch. */
void mb_mask_simulated_(uint64_t seed, int32_t id, const int32_t *partner, int64_t partners,
                        uint64_t epoch, uint64_t pass, size_t n, double *w);

#endif
