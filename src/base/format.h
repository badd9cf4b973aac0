/* format.h - the library's only way to make text: snprintf or, without stdio, a replacement. */
#ifndef MB_BASE_FORMAT_H
#define MB_BASE_FORMAT_H

#include "meshbayes/meshbayes.h"

#include <stdarg.h>

/* As snprintf and vsnprintf: at most cap bytes with the final 0; returns the length of the whole
 * text. In a build without stdio: %s %d %u %c %x %zu %lld %ld %g with flag 0, width of integers and
 * precision of %s and %g; a %g of more than 15 digits may be wrong in the last two; %f is as
 * %.15g. */
int mb_format_(char *buf, size_t cap, const char *fmt, ...) MB_PRINTF(3, 4);
int mb_vformat_(char *buf, size_t cap, const char *fmt, va_list ap) MB_PRINTF(3, 0);
/* The shortest decimal of at least 15 digits that reads back as x. */
void mb_format_exact_(char *buf, size_t cap, double x);

/* x for printing with this number of decimals: 0 if it would read "-0.000". */
double mb_shown_(double x, int digits);

/* n texts: the prefix (at most 3 bytes) and a number from 1. */
mb_status mb_numbered_(mb_arena *a, const char *prefix, int32_t n, const char ***out,
                       mb_err *err) MB_CHECKED;

#endif
