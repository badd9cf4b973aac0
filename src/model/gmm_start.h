/* model/gmm_start.h - the start block of mixtures, mb_kind::start_*: K x D centres, data units. The
 * functions are src/start/gmm_start.c, beside those that draw centres in a network. */
#ifndef MB_GMM_START_H
#define MB_GMM_START_H

#include "meshbayes/kind.h"

size_t    mb_gmm_start_len_(const mb_sizes *s);
mb_status mb_gmm_start_from_(mb_arena *a, mb_arena *draft, const mb_sizes *s, const mb_units *run,
                             const mb_rows *sample, uint64_t seed, double *start,
                             mb_err *err) MB_CHECKED;
void      mb_gmm_start_resp_(const mb_sizes *s, const mb_units *run, const double *start,
                             const mb_rows *rows, double *resp);

#endif
