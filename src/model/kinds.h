/* model/kinds.h - what the files of the listed models offer to their mb_kind. */
#ifndef MB_KINDS_H
#define MB_KINDS_H

#include "meshbayes/kind.h"

/* Textbook parameters, data units, of the prior of m, which computes in the units `run`. */
mb_status mb_prior_par_(mb_arena *a, const mb_units *run, const mb_model *m, double **par,
                        mb_err *err) MB_CHECKED;

/* gmm_prior.c */
extern const mb_opt mb_gmm_options_[];
void                mb_gmm_sizes_(const void *opt, int32_t columns, mb_sizes *out);
mb_status mb_gmm_prior_(mb_arena *a, const void *opt, const mb_units *agreed, const mb_units *run,
                        mb_model *out, double **par, mb_err *err);
/* linreg_prior.c */
extern const mb_opt mb_linreg_options_[];
void                mb_linreg_sizes_(const void *opt, int32_t columns, mb_sizes *out);
const char         *mb_linreg_target_(const void *opt);
void                mb_linreg_units_(const void *opt, mb_units *run);
mb_status           mb_linreg_prior_(mb_arena *a, const void *opt, const mb_units *agreed,
                                     const mb_units *run, mb_model *out, double **par, mb_err *err);

#endif
