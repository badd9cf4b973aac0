/* fit.h - `meshbayes fit`: the options it takes of `meshbayes sim`, and what it prints. */
#ifndef MB_FIT_H
#define MB_FIT_H

#include "sim.h"

/* The entries of sim_options called name[0..] (NULL ends), some with words of their own from `own`
 * (a table); table: room for max entries and the one that ends it. */
void sim_pick(const char *const *name, const mb_opt *own, mb_opt *table, int max);

/* fit_print.c: bound, rounds, weights and means. */
mb_status fit_print(const sim *s, const sim_result *r, int32_t count, mb_err *err);

#endif
