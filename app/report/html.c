/* html.c - texts and numbers as HTML. */
#include "base/app.h"
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DASH "<span class=\"none\" title=\"not measured\">&ndash;</span>"

void page_esc(FILE *out, const char *text)
{
    while (*text) {
        int         n;
        const char *shown = app_visible(&text, &n);

        switch (*shown) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fwrite(shown, 1, (size_t)n, out);
        }
    }
}

void page_wrap(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    page_esc(out, text);
    fputs(after, out);
}

/* A real minus sign; the digits after it are those of the magnitude. */
static const char *minus(double x)
{
    return signbit(x) ? "&minus;" : "";
}

/* The digits of |x| before the power of ten; returns its exponent. */
static int split(double x, int digits, char *text, size_t cap)
{
    snprintf(text, cap, "%.*e", digits > 1 ? digits - 1 : 0, fabs(x));
    char *e = strchr(text, 'e');

    *e = 0;
    return (int)strtol(e + 1, NULL, 10);
}

/* Is a number of this size written without a power of ten? */
static int is_plain(double size)
{
    return size >= 1e-3 && size < 1e5;
}

/* Digits before the point of a number rounded to n figures: 6100, not 6.1e+03; 1000 of 999.96. */
static int whole_digits(double size, int n)
{
    return size >= 1 ? (int)log10(size * (1 + 0.5 * pow(10, -n))) + 1 : 0;
}

page_text page_num(double x, int digits)
{
    const double size = fabs(x);
    page_text    t = {DASH};
    char         text[32];

    if (!isfinite(x))
        return t;
    if (size > 0 && !is_plain(size)) {
        const int power = split(x, digits, text, sizeof text);

        snprintf(t.s, sizeof t.s,
                 "<span class=\"n\">%s%s&nbsp;&times;&nbsp;10<sup>%s%d</sup></span>", minus(x),
                 text, minus(power), abs(power));
        return t;
    }
    const int whole = whole_digits(size, digits);

    snprintf(t.s, sizeof t.s, "%s%.*g", minus(x), whole > digits ? whole : digits, size);
    return t;
}

page_text page_figures_of(double x, int n)
{
    const double size = fabs(x);
    const int    whole = whole_digits(size, n);
    page_text    t = page_num(x, n);
    size_t       end;

    if (!(size > 0) || !is_plain(size))
        return t;
    snprintf(t.s, sizeof t.s, "%s%#.*g", minus(x), whole > n ? whole : n, size);
    end = strlen(t.s);
    if (t.s[end - 1] == '.')
        t.s[end - 1] = 0;
    return t;
}

page_text page_power(double x)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    page_text                t;
    char                     text[32];

    snprintf(t.s, sizeof t.s, "%.2g", x);
    if (!isfinite(x) || is_plain(x))
        return t;
    const int power = split(x, 2, text, sizeof text);
    const int bare = !strcmp(text, "1.0"); /* 10^-9, not 1.0 x 10^-9 */

    snprintf(t.s, sizeof t.s, "%s%s10%s", bare ? "" : text, bare ? "" : " × ",
             power < 0 ? "⁻" : "");
    snprintf(text, sizeof text, "%d", abs(power));
    for (const char *c = text; *c; c++)
        strcat(t.s, raised[*c - '0']);
    return t;
}

page_text page_fixed(double x, int decimals)
{
    const double shown = app_shown(x, decimals);
    page_text    t = {DASH};

    if (fabs(x) >= 1e12)
        return page_num(x, 6);
    if (isfinite(x))
        snprintf(t.s, sizeof t.s, "%s%.*f", minus(shown), decimals, fabs(shown));
    return t;
}

page_text page_count(int64_t n)
{
    page_text t = {DASH};

    if (n >= 0)
        snprintf(t.s, sizeof t.s, "%lld", (long long)n);
    return t;
}

page_text page_bytes(int64_t n)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    page_text                t = {DASH};
    double                   x = (double)n;
    int                      k = 0;

    while (x >= 999.5 && k < 6) {
        x /= 1000;
        k++;
    }
    if (n >= 0)
        snprintf(t.s, sizeof t.s, k == 0 ? "%.0f&nbsp;%s" : "%.3g&nbsp;%s", x, unit[k]);
    return t;
}
