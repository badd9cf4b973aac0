/* html.c - texts and numbers as HTML. */
#include "app.h"
#include "page/page.h"

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

/* A real minus sign in front of the digits. */
static void digits_of(FILE *out, const char *text)
{
    fprintf(out, "%s%s", *text == '-' ? "&minus;" : "", *text == '-' ? text + 1 : text);
}

void page_num(FILE *out, double x, int digits)
{
    char   text[64];
    double size = fabs(x);

    if (!isfinite(x)) {
        fputs(DASH, out);
        return;
    }
    if (size == 0 || (size >= 1e-3 && size < 1e5)) {
        const int whole = size >= 1 ? (int)log10(size) + 1 : 0; /* 6100, not 6.1e+03 */

        snprintf(text, sizeof text, "%.*g", whole > digits ? whole : digits, x);
        digits_of(out, text);
        return;
    }
    snprintf(text, sizeof text, "%.*e", digits > 1 ? digits - 1 : 0, x);
    char *power = text;

    while (*power && *power != 'e')
        power++;
    const long exponent = *power ? strtol(power + 1, NULL, 10) : 0;

    *power = 0;
    fputs("<span class=\"n\">", out);
    digits_of(out, text);
    fprintf(out, "&nbsp;&times;&nbsp;10<sup>%s%ld</sup></span>", exponent < 0 ? "&minus;" : "",
            labs(exponent));
}

void page_power(char *buf, size_t cap, double x)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char                     text[32];
    size_t                   used;

    snprintf(text, sizeof text, "%.1e", x);
    char *e = strchr(text, 'e');

    if (!e || (fabs(x) >= 1e-3 && fabs(x) < 1e5)) {
        snprintf(buf, cap, "%.2g", x);
        return;
    }
    *e = 0;
    const int bare = !strcmp(text, "1.0"); /* 10^-9, not 1.0 x 10^-9 */

    used = (size_t)snprintf(buf, cap, "%s%s10%s", bare ? "" : text, bare ? "" : " × ",
                            e[1] == '-' ? "⁻" : "");
    snprintf(text, sizeof text, "%ld", labs(strtol(e + 1, NULL, 10)));
    for (const char *c = text; *c && used < cap; c++)
        used += (size_t)snprintf(buf + used, cap - used, "%s", raised[*c - '0']);
}

void page_fixed(FILE *out, double x, int decimals)
{
    char text[400];

    if (!isfinite(x)) {
        fputs(DASH, out);
        return;
    }
    if (fabs(x) >= 1e12) {
        page_num(out, x, 6);
        return;
    }
    snprintf(text, sizeof text, "%.*f", decimals, app_shown(x, decimals));
    digits_of(out, text);
}

void page_count(FILE *out, int64_t n)
{
    if (n < 0)
        fputs(DASH, out);
    else
        fprintf(out, "%lld", (long long)n);
}

void page_bytes(FILE *out, int64_t n)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double                   x = (double)n;
    int                      k = 0;

    if (n < 0) {
        fputs(DASH, out);
        return;
    }
    while (x >= 999.5 && k < 6) {
        x /= 1000;
        k++;
    }
    fprintf(out, k == 0 ? "%.0f&nbsp;%s" : "%.3g&nbsp;%s", x, unit[k]);
}
