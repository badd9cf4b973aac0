/* fit.h - what the stages of a fit share. */
#ifndef MB_FIT_STAGES_H
#define MB_FIT_STAGES_H

#include "meshbayes/fit.h"

/* Tells the owner of the table that rows will not be read for a while. */
void mb_case_rest_(const mb_case *c);
/* units.c: common units of the columns of rows with these moments (mb_common_units). MB_E_FORMAT
 * for a column whose values differ by too little; name (NULL: "rows") and column are for its
 * message. */
mb_status mb_units_agreed_(mb_arena *a, const mb_row_moments *seen, const char *name,
                           const char *const *column, mb_units *out, mb_err *err) MB_CHECKED;
/* The units that a run of the kind computes in. raw 1: the columns' own scale. */
mb_status mb_units_run_(mb_arena *a, const mb_kind *kind, const void *kind_opt,
                        const mb_units *agreed, int32_t raw, mb_units *out, mb_err *err) MB_CHECKED;
/* former.c: model and prior of c from a former answer, whose kind, sizes and columns must be those
 * of the case (MB_E_ARG). */
mb_status mb_former_prior_(mb_arena *a, const mb_posterior *p, mb_case *c, mb_err *err) MB_CHECKED;
/* The same answer as natural parameters in run units, in the arena. */
mb_status mb_former_phi_(mb_arena *a, const mb_posterior *p, const mb_case *c, double **phi,
                         mb_err *err) MB_CHECKED;
/* An option struct of `size` bytes with the defaults of its table (NULL: zeroed). */
mb_status mb_options_new_(mb_arena *a, const char *name, const mb_opt *table, size_t size,
                          void **out, mb_err *err) MB_CHECKED;

#endif
