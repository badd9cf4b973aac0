/* number.c - text to numbers and back: correctly rounded, whole strings only, independent of the
 * locale. */
#include "data/parse.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cell of a file is one of millions: what reads it is one function, but where size counts. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static
#endif

/* A decimal number as read: mantissa * 10^exp10 when `exact`, else digits were dropped. */
typedef struct decimal {
    uint64_t mantissa;
    int64_t  exp10;
    int32_t  exact, negative;
} decimal;

enum {
    MAX_DIGITS = 18,
    MAX_EXPONENT = 1000000,
    EXACT_POWER = 22,
    POWERS_OF_5 = 27,
    SHOWN = 17,
    LITTLE_ENDIAN_BYTES = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
};

static const uint64_t LEAST_SHOWN = 10000000000000000; /* 10^(SHOWN - 1) */

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* How many of the 8 characters in w, the first in its lowest byte, are digits before one is not. x has
 * their values. A byte above 9 sets its highest bit in the sum; what it carries only reaches bytes of
 * later characters. */
static int32_t leading_digits(uint64_t w, uint64_t *x)
{
    const uint64_t all = UINT64_C(0x0101010101010101);
    uint64_t       other;

    *x = w ^ '0' * all;
    other = ((*x + (0x7f - 9) * all) | *x) & 0x80 * all;
    return other ? __builtin_ctzll(other) / 8 : 8;
}

/* The number whose 8 decimal digits are the bytes of x, the first the lowest: neighbours become pairs,
 * pairs groups of four, and these the number, each by one multiplication. */
static uint64_t eight_digits(uint64_t x)
{
    x = (x * (1 + (10 << 8)) >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x * (1 + (100 << 16)) >> 16) & UINT64_C(0x0000ffff0000ffff);
    return x * (1 + (UINT64_C(10000) << 32)) >> 32;
}

/* Takes digits of a fraction, eight at a time, while as many characters can be read before `room` and
 * the mantissa has no more than MAX_DIGITS. Returns the end of what was taken; more digits may follow.
 * Before the decimal point there are too few to gain by it. */
INLINE const char *take_eights(const char *s, const char *room, decimal *out)
{
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    static const uint64_t full = 10000000000; /* 10^(MAX_DIGITS - 8) */
    uint64_t              w, x;
    int32_t               n = 8;

    for (; n == 8 && room - s >= 8 && out->mantissa < full; s += n) {
        memcpy(&w, s, sizeof w);
        n = leading_digits(w, &x);
        if (!n)
            break;
        out->mantissa = out->mantissa * power[n] + eight_digits(x << (64 - 8 * n));
        out->exp10 -= n;
    }
    return s;
}

/* Reads the digits before (shift 0) or after (shift 1) the decimal point; returns their end. */
INLINE const char *take_digits(const char *s, int shift, decimal *out)
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

/* The grammar [+-] digits [. digits] [e [+-] digits]: nan, inf and hexadecimal are not in it.
 * Returns the end; NULL where none is found. All bytes before `room` can be read, digits or not. */
INLINE const char *take_number(const char *s, const char *room, decimal *out)
{
    const char *digits;
    int         any;

    out->negative = *s == '-';
    s += (*s == '-') | (*s == '+');
    digits = s;
    s = take_digits(s, 0, out);
    any = s > digits;
    if (*s == '.') {
        digits = ++s;
        if (LITTLE_ENDIAN_BYTES)
            s = take_eights(s, room, out);
        s = take_digits(s, 1, out);
        any |= s > digits;
    }
    if (!any)
        return NULL;
    return *s == 'e' || *s == 'E' ? take_exponent(s + 1, out) : s;
}

/* The same with blanks around, the whole text. */
static int take_decimal(const char *s, decimal *out)
{
    while (is_blank(*s))
        s++;
    s = take_number(s, s, out);
    while (s && is_blank(*s))
        s++;
    return s && !*s ? 0 : -1;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static const uint64_t power_of_5[POWERS_OF_5 + 1] = {UINT64_C(1),
                                                     UINT64_C(5),
                                                     UINT64_C(25),
                                                     UINT64_C(125),
                                                     UINT64_C(625),
                                                     UINT64_C(3125),
                                                     UINT64_C(15625),
                                                     UINT64_C(78125),
                                                     UINT64_C(390625),
                                                     UINT64_C(1953125),
                                                     UINT64_C(9765625),
                                                     UINT64_C(48828125),
                                                     UINT64_C(244140625),
                                                     UINT64_C(1220703125),
                                                     UINT64_C(6103515625),
                                                     UINT64_C(30517578125),
                                                     UINT64_C(152587890625),
                                                     UINT64_C(762939453125),
                                                     UINT64_C(3814697265625),
                                                     UINT64_C(19073486328125),
                                                     UINT64_C(95367431640625),
                                                     UINT64_C(476837158203125),
                                                     UINT64_C(2384185791015625),
                                                     UINT64_C(11920928955078125),
                                                     UINT64_C(59604644775390625),
                                                     UINT64_C(298023223876953125),
                                                     UINT64_C(1490116119384765625),
                                                     UINT64_C(7450580596923828125)};

/* Bits of x > 0 above its highest 1. */
static int above(uint64_t x)
{
    return __builtin_clzll(x);
}

static double power_of_2(int64_t n)
{
    const uint64_t bits = (uint64_t)(1023 + n) << 52;
    double         x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* m/10^n to the nearest double: in whole numbers, m 2^63 2^s/(5^n 2^t) with both factors shifted to
 * 64 bits, whose quotient has 63 or 64 bits; all that follows them only decides ties. */
static int quotient(uint64_t m, int64_t n, double *out)
{
    int      s, t, drop;
    uint64_t p, q, low, half;
    wide     x;

    if (n < 1 || n > POWERS_OF_5 || !m)
        return 0;
    p = power_of_5[n];
    s = above(m);
    t = above(p);
    p <<= t;
    x = (wide)(m << s) << 63;
    q = (uint64_t)(x / p);
    drop = 64 - above(q) - DBL_MANT_DIG;
    half = UINT64_C(1) << (drop - 1);
    low = q & (2 * half - 1);
    q >>= drop;
    q += low > half; /* half of all numbers: no branch, which could not be predicted */
    if (low == half)
        q += (wide)(q << drop | low) * p != x || q % 2;
    *out = (double)q * power_of_2(drop - 63 + t - s - n);
    return 1;
}

/* d with |x| = d 10^(*e + 1 - SHOWN), to the nearest, ties to even, of SHOWN digits; 0: x has to go
 * another way. In whole numbers, m 5^k/2^s. */
static uint64_t shown(double x, int *e)
{
    const uint64_t one = UINT64_C(1) << 52;
    uint64_t       bits, d;
    int            power;

    memcpy(&bits, &x, sizeof bits);
    power = (int)(bits >> 52 & 0x7ff) - 1023;
    for (*e = (int)floor(power * 0.30102999566398120);; ++*e) {
        const int k = SHOWN - 1 - *e, s = 52 - power - k;
        wide      all, rest, half;

        if (k < 0 || k > POWERS_OF_5)
            return 0;
        all = (wide)((bits & (one - 1)) | one) * power_of_5[k];
        d = (uint64_t)(s > 0 ? all >> s : all << -s);
        if (d >= 10 * LEAST_SHOWN) /* a power of 10 is between that of 2 and x */
            continue;
        rest = s > 0 ? all - ((wide)d << s) : 0;
        half = s > 0 ? (wide)1 << (s - 1) : 1;
        d += rest > half || (rest == half && d % 2);
        break;
    }
    if (d < 10 * LEAST_SHOWN)
        return d;
    ++*e;
    return LEAST_SHOWN;
}
#else
static uint64_t shown(double x, int *e)
{
    (void)x, (void)e;
    return 0;
}

static int quotient(uint64_t m, int64_t n, double *out)
{
    (void)m, (void)n, (void)out;
    return 0;
}
#endif

/* 1: *out is the nearest double. Digits were not dropped. */
INLINE int nearest(const decimal *n, double *out)
{
    static const double power[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    static const double sign[] = {1, -1};
    double              x = (double)n->mantissa;

    if (!n->exact)
        return 0;
    /* Both factors are exact doubles, so the one rounding of the product or quotient is right. */
    if (FLT_EVAL_METHOD == 0 && n->mantissa <= UINT64_C(1) << DBL_MANT_DIG &&
        n->exp10 >= -EXACT_POWER && n->exp10 <= EXACT_POWER)
        x = n->exp10 < 0 ? x / power[-n->exp10] : x * power[n->exp10];
    else if (!quotient(n->mantissa, -n->exp10, &x))
        return 0;
    *out = x * sign[n->negative];
    return 1;
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
    decimal n = {0, 0, 1, 0};

    if (take_decimal(text, &n))
        return -1;
    return nearest(&n, out) ? 0 : slow_double(text, out);
}

const char *mb_scan_double_(const char *text, const char *room, double *out)
{
    decimal     n = {0, 0, 1, 0};
    const char *end = take_number(text, room, &n);

    return end && nearest(&n, out) ? end : NULL;
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

/* n digits of a number of which the first has the weight 10^e. */
static char *put_digits(const char *digit, int n, int e, char *to)
{
    if (e < 0) {
        *to++ = '0';
        *to++ = '.';
    }
    for (int k = e; k < -1; k++)
        *to++ = '0';
    for (int k = 0; k < n || k <= e; k++) {
        if (k == e + 1 && k > 0)
            *to++ = '.';
        *to++ = k < n ? digit[k] : '0';
    }
    return to;
}

/* Of every number that is not quickly shown. */
static size_t slow_text(double x, char *text)
{
    char *comma;

    snprintf(text, MB_NUMBER_TEXT_, "%.*g", SHOWN, x);
    comma = strchr(text, ','); /* the decimal point of some locales */
    if (comma)
        *comma = '.';
    return strlen(text);
}

size_t mb_number_text_(double x, char *text)
{
    char     digit[SHOWN], *to = text;
    int      e, n = SHOWN;
    uint64_t d = shown(x, &e);

    if (!d)
        return slow_text(x, text);
    for (int k = SHOWN; k-- > 0; d /= 10)
        digit[k] = (char)('0' + d % 10);
    while (digit[n - 1] == '0')
        n--;
    if (x < 0)
        *to++ = '-';
    to = put_digits(digit, n, e < -4 ? 0 : e, to);
    if (e < -4) {
        *to++ = 'e';
        *to++ = '-';
        *to++ = (char)('0' - e / 10);
        *to++ = (char)('0' - e % 10);
    }
    *to = 0;
    return (size_t)(to - text);
}
