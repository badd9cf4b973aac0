/* number.c - text to numbers: correctly rounded, whole strings only, independent of the locale. */
#include "io/parse.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A decimal number as read: mantissa * 10^exp10 when `exact`, else digits were dropped. */
typedef struct decimal {
    uint64_t mantissa;
    int64_t  exp10;
    int32_t  exact, negative;
} decimal;

enum { MAX_DIGITS = 18, MAX_EXPONENT = 1000000, EXACT_POWER = 22 };

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads the digits before (shift 0) or after (shift 1) the decimal point; returns their end. */
static const char *take_digits(const char *s, int shift, decimal *out)
{
    static const uint64_t full = 100000000000000000; /* 10^(MAX_DIGITS - 1) */

    for (; is_digit(*s); s++) {
        if (out->mantissa < full) {
            out->mantissa = out->mantissa * 10 + (uint64_t)(*s - '0');
            out->exp10 -= shift;
        } else {
            out->exact &= *s == '0';
            out->exp10 += !shift;
        }
    }
    return s;
}

/* Returns the end of the exponent; NULL when it has no digits. Those far too large saturate. */
static const char *take_exponent(const char *s, decimal *out)
{
    int64_t e = 0;
    int     negative = *s == '-';

    s += *s == '-' || *s == '+';
    if (!is_digit(*s))
        return NULL;
    for (; is_digit(*s); s++)
        if (e < MAX_EXPONENT)
            e = e * 10 + (*s - '0');
    out->exp10 += negative ? -e : e;
    return s;
}

/* The grammar [+-] digits [. digits] [e [+-] digits] with blanks around: nan, inf and
 * hexadecimal are not in it. */
static int take_decimal(const char *s, decimal *out)
{
    const char *digits;
    int         any;

    while (is_blank(*s))
        s++;
    out->negative = *s == '-';
    s += *s == '-' || *s == '+';
    digits = s;
    s = take_digits(s, 0, out);
    any = s > digits;
    if (*s == '.') {
        digits = ++s;
        s = take_digits(s, 1, out);
        any |= s > digits;
    }
    if (!any)
        return -1;
    if (*s == 'e' || *s == 'E')
        s = take_exponent(s + 1, out);
    if (!s)
        return -1;
    while (is_blank(*s))
        s++;
    return *s ? -1 : 0;
}

/* strtod expects the decimal point of the locale: this thread uses the C locale meanwhile. */
static int slow_double(const char *text, double *out)
{
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t old;

    if (!c)
        return -1;
    old = uselocale(c);
    *out = strtod(text, NULL);
    uselocale(old);
    freelocale(c);
    return isfinite(*out) ? 0 : -1;
}

int mb_parse_double(const char *text, double *out)
{
    static const double power[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal             n = {0, 0, 1, 0};

    if (take_decimal(text, &n))
        return -1;
    /* Both factors are exact doubles, so the one rounding of the product or quotient is right. */
    if (FLT_EVAL_METHOD == 0 && n.exact && n.mantissa <= UINT64_C(1) << DBL_MANT_DIG &&
        n.exp10 >= -EXACT_POWER && n.exp10 <= EXACT_POWER) {
        double x = (double)n.mantissa;

        x = n.exp10 < 0 ? x / power[-n.exp10] : x * power[n.exp10];
        *out = n.negative ? -x : x;
        return 0;
    }
    return slow_double(text, out);
}

int mb_parse_decimal_(const char *text, double *out)
{
    const char  *comma = strchr(text, ',');
    const size_t n = strlen(text);
    char         copy[64];

    if (!comma)
        return mb_parse_double(text, out);
    if (strchr(text, '.') || n >= sizeof copy)
        return -1;
    memcpy(copy, text, n + 1);
    copy[comma - text] = '.';
    return mb_parse_double(copy, out);
}

int mb_parse_integer_(const char *text, int64_t *out)
{
    int         negative = *text == '-';
    const char *s = text + negative;
    int64_t     x = 0; /* negative: its range is larger */

    if (!is_digit(*s))
        return -1;
    for (; is_digit(*s); s++) {
        int digit = *s - '0';

        if (x < (INT64_MIN + digit) / 10)
            return -1;
        x = x * 10 - digit;
    }
    if (*s || (!negative && x == INT64_MIN))
        return -1;
    *out = negative ? x : -x;
    return 0;
}
