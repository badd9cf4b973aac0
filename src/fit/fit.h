/* fit.h - what the stages of a fit share. */
#ifndef MB_FIT_STAGES_H
#define MB_FIT_STAGES_H

#include "meshbayes/fit.h"

/* Tells the owner of the table that rows will not be read for a while. */
void mb_case_rest_(const mb_case *c);
/* An option struct of `size` bytes with the defaults of its table (NULL: zeroed). */
mb_status mb_options_new_(mb_arena *a, const char *name, const mb_opt *table, size_t size,
                          void **out, mb_err *err) MB_CHECKED;

#endif
