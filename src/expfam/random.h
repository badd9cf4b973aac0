/* expfam/random.h - the draw of each family, for its table. */
#ifndef MB_FAMILY_RANDOM_H
#define MB_FAMILY_RANDOM_H

#include "meshbayes/expfam.h"

size_t    mb_dirichlet_draw_len_(int32_t dim);
mb_status mb_dirichlet_draw_(int32_t dim, const double *par, mb_rng *rng, double *out,
                             double *scratch);
size_t    mb_nw_draw_len_(int32_t D);
mb_status mb_nw_draw_(int32_t D, const double *par, mb_rng *rng, double *out, double *scratch);
size_t    mb_ng_draw_len_(int32_t p);
mb_status mb_ng_draw_(int32_t p, const double *par, mb_rng *rng, double *out, double *scratch);

#endif
