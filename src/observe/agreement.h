/* observe/agreement.h - mb_agreement_of without its allocation, for a look in every round. */
#ifndef MB_AGREEMENT_H
#define MB_AGREEMENT_H

#include "meshbayes/observe.h"

/* Bytes, a multiple of 8. */
size_t mb_agreement_scratch_(int32_t K, int32_t C);
/* match may be NULL; scratch is 8-byte aligned. */
mb_status mb_agreement_in_(const int64_t *counts, int32_t K, int32_t C, mb_agreement *out,
                           int32_t *match, void *scratch, mb_err *err) MB_CHECKED;

#endif
