/* base/opt.h - options as texts: what is given, shown and accepted. */
#ifndef MB_BASE_OPT_H
#define MB_BASE_OPT_H

#include "meshbayes/meshbayes.h"

/* 1 if the field is a text. */
int mb_opt_is_text(const mb_opt *o);
/* Numbers separated by commas: *count of them in the text, the first n into x. MB_E_ARG names the
 * option `name` and the entry that is no finite number. */
mb_status mb_opt_numbers(const char *name, const char *text, int32_t n, double *x, int32_t *count,
                         mb_err *err) MB_CHECKED;
/* The current value as text (numbers: the shortest text that reads back to the same value), at most
 * cap bytes including the final 0. */
void mb_opt_text(const mb_opt *o, const void *obj, char *buf, size_t cap);
/* The same of any option: a text as it is, "" for none; number: room for another. */
const char *mb_opt_value(const mb_opt *o, const void *obj, char number[64]);
/* What the option accepts, as text: "0 to 1", "freeze, project or stop". */
void mb_opt_accepts(const mb_opt *o, char *buf, size_t cap);

#endif
