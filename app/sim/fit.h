/* fit.h - `meshbayes fit`: the options it takes of `meshbayes sim`, and what it prints. */
#ifndef MB_FIT_H
#define MB_FIT_H

#include "sim/sim.h"

/* fit_print.c: bound, rounds, weights and means. */
mb_status fit_print(const sim *s, const sim_result *r, int32_t count, mb_err *err);

#endif
