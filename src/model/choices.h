/* model/choices.h - the choices of a kind as a text: what the genesis holds and hashes. */
#ifndef MB_CHOICES_H
#define MB_CHOICES_H

#include "meshbayes/extend.h"

enum { MB_CHOICES_TEXT_ = 72 * MB_CHOICES_MAX /* bytes with the final 0 */ };

/* "covariance_type=diag", with a comma between several; those that are the first word are left out.
 * Returns the length. */
size_t mb_choices_text_(const mb_kind *kind, const mb_sizes *s, char *out);
/* The choices of such a text of n bytes into s. MB_E_FORMAT when the kind has not these. */
mb_status mb_choices_read_(const mb_kind *kind, const char *text, size_t n, mb_sizes *s,
                           mb_err *err) MB_CHECKED;
/* s->columns from such a text of n bytes (mb_columns), untrusted. MB_E_FORMAT when it is none, says
 * that all are numbers, or the kind takes numbers only. */
mb_status mb_kind_columns_(mb_arena *a, const mb_kind *kind, const char *text, size_t n,
                           mb_sizes *s, mb_err *err) MB_CHECKED;
/* 1 for the name of an option that asks for a choice. */
int mb_choices_asks_(const mb_kind *kind, const char *option);

#endif
