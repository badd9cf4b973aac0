/* format.c - text from numbers, with and without stdio. */
#include "base/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int mb_format_(char *buf, size_t cap, const char *fmt, ...)
{
    va_list ap;
    int     len;

    va_start(ap, fmt);
    len = mb_vformat_(buf, cap, fmt, ap);
    va_end(ap);
    return len;
}

void mb_format_exact_(char *buf, size_t cap, double x)
{
    int digits = 15;

    do
        mb_format_(buf, cap, "%.*g", digits, x);
    while (digits++ < 17 && (strtod(buf, NULL) < x || strtod(buf, NULL) > x));
}

double mb_shown_(double x, int digits)
{
    return fabs(x) < 0.5 * pow(10, -digits) ? 0 : x;
}

#ifndef MB_NO_STDIO
#include <stdio.h>

int mb_vformat_(char *buf, size_t cap, const char *fmt, va_list ap)
{
    return vsnprintf(buf, cap, fmt, ap);
}
#else

typedef struct text {
    char  *buf;
    size_t cap, len; /* len: of the whole text, even beyond cap */
} text;

/* One conversion of the format. */
typedef struct spec {
    int  zero, width;
    int  precision; /* -1: none                             */
    int  size;      /* 0 int, 1 long or size_t, 2 long long */
    char kind;
} spec;

static void put(text *t, const char *s, size_t n)
{
    for (size_t k = 0; k < n; k++, t->len++)
        if (t->len + 1 < t->cap)
            t->buf[t->len] = s[k];
}

static void put_unsigned(text *t, unsigned long long x, unsigned base, const spec *f, int negative)
{
    char digits[24];
    int  n = 0, wide;

    do
        digits[n++] = "0123456789abcdef"[x % base];
    while (x /= base);
    wide = n + negative;
    for (; !f->zero && wide < f->width; wide++)
        put(t, " ", 1);
    if (negative)
        put(t, "-", 1);
    for (; f->zero && wide < f->width; wide++)
        put(t, "0", 1);
    while (n)
        put(t, &digits[--n], 1);
}

static void put_integer(text *t, const spec *f, va_list *ap)
{
    long long          x = 0;
    unsigned long long u = 0;
    const unsigned     base = f->kind == 'x' ? 16 : 10;

    if (f->kind == 'd') {
        x = f->size == 2   ? va_arg(*ap, long long)
            : f->size == 1 ? va_arg(*ap, long)
                           : va_arg(*ap, int);
        u = x < 0 ? 0 - (unsigned long long)x : (unsigned long long)x;
    } else {
        u = f->size == 2   ? va_arg(*ap, unsigned long long)
            : f->size == 1 ? va_arg(*ap, unsigned long)
                           : va_arg(*ap, unsigned);
    }
    put_unsigned(t, u, base, f, x < 0);
}

/* x 10^k; the power alone may exceed a double. */
static double shift(double x, int k)
{
    return k > 300 ? x * 1e300 * pow(10, k - 300) : x * pow(10, k);
}

/* x > 0 as `n` decimal digits d.ddd x 10^*e; rounded to nearest, a tie either way. */
static unsigned long long decimal(double x, int n, int *e)
{
    unsigned long long limit = 1, d;

    for (int k = 0; k < n; k++)
        limit *= 10;
    *e = (int)floor(log10(x));
    d = (unsigned long long)(shift(x, n - 1 - *e) + 0.5);
    if (d < limit / 10) /* the logarithm was rounded up */
        d = (unsigned long long)(shift(x, n - 1 - --*e) + 0.5);
    if (d >= limit) {
        d /= 10;
        ++*e;
    }
    return d;
}

static void put_digits(text *t, const char *digit, int n, int e, int precision)
{
    const spec two = {.zero = 1, .width = 2};

    if (e >= -4 && e < precision) {
        for (int k = e; k < 0; k++)
            put(t, k == e ? "0." : "0", k == e ? 2 : 1);
        for (int k = 0; k < n || k <= e; k++) {
            if (k == e + 1 && e >= 0)
                put(t, ".", 1);
            put(t, k < n ? &digit[k] : "0", 1);
        }
        return;
    }
    put(t, digit, 1);
    if (n > 1)
        put(t, ".", 1);
    put(t, digit + 1, (size_t)n - 1);
    put(t, e < 0 ? "e-" : "e+", 2);
    put_unsigned(t, (unsigned long long)(e < 0 ? -e : e), 10, &two, 0);
}

/* %g: significant digits, without trailing zeros. */
static void put_real(text *t, const spec *f, double x)
{
    const int          precision = f->precision < 0 ? 6 : f->precision < 1 ? 1 : f->precision;
    const int          most = precision > 17 ? 17 : precision;
    char               digit[20];
    int                e, n = most;
    unsigned long long d;

    if (isnan(x)) {
        put(t, "nan", 3);
        return;
    }
    if (signbit(x))
        put(t, "-", 1);
    x = fabs(x);
    if (isinf(x) || !(x > 0)) {
        put(t, isinf(x) ? "inf" : "0", isinf(x) ? 3 : 1);
        return;
    }
    d = decimal(x, most, &e);
    for (int k = most; k-- > 0; d /= 10)
        digit[k] = (char)('0' + (int)(d % 10));
    while (n > 1 && digit[n - 1] == '0')
        n--;
    put_digits(t, digit, n, e, precision);
}

static int number(const char **at, va_list *ap)
{
    int n = 0;

    if (**at == '*') {
        ++*at;
        return va_arg(*ap, int);
    }
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = 10 * n + (**at - '0');
    return n;
}

static spec parse(const char **at, va_list *ap)
{
    spec f = {.precision = -1};

    for (; **at == '0'; ++*at)
        f.zero = 1;
    f.width = number(at, ap);
    if (**at == '.') {
        ++*at;
        f.precision = number(at, ap);
    }
    for (; **at == 'l' || **at == 'z' || **at == 'j'; ++*at)
        f.size += **at == 'j' ? 2 : 1;
    f.kind = **at == 'i' ? 'd' : **at == 'f' ? 'g' : **at;
    f.precision = **at == 'f' ? 15 : f.precision;
    ++*at;
    return f;
}

static void convert(text *t, const spec *f, va_list *ap)
{
    const char *s;
    char        c;

    switch (f->kind) {
    case 's':
        s = va_arg(*ap, const char *);
        s = s ? s : "(null)";
        put(t, s, f->precision >= 0 ? strnlen(s, (size_t)f->precision) : strlen(s));
        break;
    case 'c':
        c = (char)va_arg(*ap, int);
        put(t, &c, 1);
        break;
    case 'g':
        put_real(t, f, va_arg(*ap, double));
        break;
    case '%':
        put(t, "%", 1);
        break;
    default:
        put_integer(t, f, ap);
    }
}

int mb_vformat_(char *buf, size_t cap, const char *fmt, va_list ap)
{
    text    t = {buf, cap, 0};
    va_list args;

    va_copy(args, ap);
    while (*fmt) {
        if (*fmt != '%') {
            put(&t, fmt++, 1);
            continue;
        }
        fmt++;
        const spec f = parse(&fmt, &args);

        convert(&t, &f, &args);
    }
    va_end(args);
    if (cap)
        buf[t.len < cap ? t.len : cap - 1] = 0;
    return (int)t.len;
}
#endif
