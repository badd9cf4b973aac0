/* page.c - a page: its top, texts and numbers as HTML, labels and colours of algorithms and
 * components, the style sheet, its figures, and the page as a file: whole or not at all. */
#include "report/page.h"
#include "base/app.h"
#include "data/file.h"
#include "meshbayes/extend.h"

#include <ctype.h>
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
    const double shown = mb_shown_(x, decimals);
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

void page_look(const char *name, const char **label, const char **colour)
{
    /* Okabe and Ito's palette: distinct for colour-blind readers, and by lightness in grey print. */
    static const char *const palette[] = {"#8a8a8a", "#e69f00", "#0072b2", "#009e73", "#d55e00",
                                          "#cc79a7", "#56b4e9", "#5b2a86", "#8c510a", "#b3a600"};
    enum { COLOURS = sizeof palette / sizeof *palette };
    const mb_algo *const *list = mb_algo_list();
    const int             central = !strcmp(name, "cvb");

    *label = central ? "central VB" : name;
    *colour = central ? "#000000" : palette[COLOURS - 1];
    for (int k = 0; list[k]; k++)
        if (!strcmp(list[k]->name, name)) {
            *label = list[k]->label ? list[k]->label : name;
            *colour = palette[k < COLOURS ? k : COLOURS - 1];
        }
}

const char *page_component_colour(int64_t component)
{
    static const char *const colour[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                         "#66ccee", "#aa3377", "#994f00", "#999999",
                                         "#332288", "#f28e2b", "#7fbf3f", "#1b7f79"};
    enum { COLOURS = sizeof colour / sizeof *colour };

    return colour[component % COLOURS];
}

#define FONTS "system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans','DejaVu Sans',sans-serif"
static const char sheet[] =
    ":root{color-scheme:light}*{box-sizing:border-box}"
    "body{margin:0;background:#f4f5f7;color:#1c2430;"
    "font:16px/1.55 " FONTS "}"
    "main{max-width:1140px;margin:0 auto;padding:28px 20px 48px}"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 6px;letter-spacing:-.01em;overflow-wrap:"
    "anywhere;word-wrap:break-word}"
    "h2{font-size:1.25rem;margin:0 0 6px}h3{font-size:1rem;margin:22px 0 8px}"
    "p{margin:0 0 10px;max-width:76ch}code{font-size:.9em;background:#eef0f4;"
    "padding:1px 5px;border-radius:4px;white-space:nowrap}"
    ".lead code,td code{white-space:normal;overflow-wrap:anywhere}"
    ".lead{font-size:1.06rem;color:#38424f}"
    "nav{display:flex;flex-wrap:wrap;gap:6px 18px;margin:14px 0 22px;font-size:.92rem}"
    "a{color:#0b5394}"
    "section{background:#fff;border:1px solid #e2e5ea;border-radius:10px;"
    "padding:20px 22px;margin:0 0 18px}"
    ".verdicts{list-style:none;margin:0 0 12px;padding:0;display:grid;gap:10px;"
    "grid-template-columns:minmax(0,1fr)}"
    ".verdicts li{border-left:5px solid var(--c);padding:2px 0 2px 14px}"
    ".verdicts>li>b{margin-right:8px}.verdicts p{margin:2px 0 0;max-width:88ch}"
    ".tag{display:inline-block;font-size:.8rem;font-weight:600;padding:1px 9px;"
    "border-radius:12px}td .tag{font-size:1em}"
    ".good{background:#dcf2e6;color:#0a5c36}.fair{background:#fdf0d2;color:#6f4a00}"
    ".bad{background:#fbdfdc;color:#8c1a11}.plain{background:#e8ebf0;color:#3a4553}"
    ".warn{border-color:#ecc873;background:#fffaf0}.warn ul{margin:0;padding-left:20px}"
    ".warn li{overflow-wrap:anywhere}"
    "sup{line-height:0}figure{margin:0}"
    "figcaption{font-size:.92rem;color:#4a5563;margin-top:8px;max-width:92ch}"
    ".panels{display:grid;gap:14px 18px;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,330px),1fr))}"
    ".panels.wide{grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr))}"
    ".panel{min-width:0;width:100%;max-width:490px;justify-self:center}"
    ".panel h4{margin:8px 0 2px;font-size:.95rem;text-align:center}"
    ".panel svg{display:block;width:100%;height:auto}.panel svg tspan{font-family:inherit}"
    ".panel svg text{font-family:" FONTS "}"
    ".absent{border:1px dashed #b8c0cc;border-radius:8px;padding:16px 18px;color:#4a5563;"
    "background:#fafbfc}ul.absent{padding-left:36px}"
    ".scroll{overflow-x:auto;margin:0 -6px 6px;padding:0 6px;background:"
    "linear-gradient(to left,#fff 40%,#fff0) right/44px 100% no-repeat local,"
    "linear-gradient(to left,#1c243038,#1c243000) right/14px 100% no-repeat}"
    "table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:6px 11px;text-align:right;border-bottom:1px solid #e8eaee;"
    "vertical-align:top}"
    "thead th{border-bottom:2px solid #c5ccd6;vertical-align:bottom;color:#38424f;"
    "font-weight:600}"
    "th[scope=row],td.text,th.text{text-align:left}th[scope=row]{white-space:nowrap;"
    "font-weight:600;background:#fff;position:sticky;left:0}"
    "th.name[scope=row]{white-space:normal;min-width:8ch;max-width:34ch;overflow-wrap:anywhere}"
    "td.text{max-width:34ch;min-width:11ch;overflow-wrap:anywhere}.n,.w{white-space:nowrap}"
    ".none{color:#98a1ad}.dot{display:inline-block;width:.7em;height:.7em;"
    "border-radius:50%;margin-right:7px;background:var(--c)}"
    "dl{margin:0;display:grid;grid-template-columns:minmax(9em,max-content) 1fr;"
    "gap:8px 18px}dt{font-weight:600}dd{margin:0;max-width:80ch}"
    ".pairs{columns:2 340px;column-gap:28px}.pairs "
    "table{width:100%;border-collapse:separate;border-spacing:0}"
    ".pairs tr{break-inside:avoid}.pairs td{overflow-wrap:anywhere}"
    ".apart{margin:0 0 "
    "10px;padding:0;list-style:none;display:grid;gap:4px}.cross{margin-top:8px}.cross "
    ".hit{font-weight:700;"
    "background:#e3f1e8}"
    "footer{color:#5d6875;font-size:.85rem}";

/* What narrow screens and paper need besides. */
static const char sheet_for[] =
    "@media(max-width:600px){main{padding:16px 8px 32px}section{padding:14px 12px}"
    "h1{font-size:1.45rem}table{font-size:.74rem}th,td{padding:5px "
    "3px}th.name[scope=row]{max-width:16ch}.pm{white-space:normal}dl{grid-template-columns:1fr;gap:"
    "2px 0}dd{margin:0 0 10px}}"
    "@media print{body{background:#fff;font-size:11pt}nav{display:none}main{padding:0;"
    "max-width:none}section{border:0;padding:0;margin:0 0 16pt}"
    "h2,h3,h4,thead{break-after:avoid}p,figcaption,dd{orphans:3;widows:3}"
    ".panels,.panels.wide{grid-template-columns:1fr 1fr}"
    ".panel,li,tr,dt,dd,.pairs,.scroll>table{break-inside:avoid}dt{break-after:avoid}"
    "#settings .pairs{break-inside:auto}#settings>p{break-after:avoid}"
    ".scroll{overflow:visible;background:none}table{font-size:8pt}"
    "th[scope=row]{position:static;background:none}"
    "#answer table{font-size:9.5pt}th,td{padding:2pt 4pt}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

void page_style(FILE *out)
{
    fprintf(out, "<style>%s%s</style>\n", sheet, sheet_for);
}

page_figure *page_figure_new(page_figures *r, const char *id, const char *heading)
{
    page_figure *f = &r->figure[r->nfigure++];

    *f = (page_figure){.id = id, .heading = heading};
    return f;
}

void page_top(FILE *out, const char *title, const char *heading)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          out);
    page_wrap(out, "<title>", title, " - meshbayes</title>\n");
    page_style(out);
    fputs("</head>\n<body>\n<main>\n<header>\n", out);
    page_wrap(out, "<h1>", heading, "</h1>\n");
}

/* Length of the text at s that an id of this file follows; 0: none does. */
static size_t reference(const char *s)
{
    static const char *const mark[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};

    if (*s != ' ' && *s != 'h' && *s != 'u') /* most bytes of a figure */
        return 0;
    for (size_t k = 0; k < sizeof mark / sizeof *mark; k++)
        if (!strncmp(s, mark[k], strlen(mark[k])))
            return strlen(mark[k]);
    return 0;
}

static void copy(FILE *out, const char *s, const char *prefix)
{
    while (*s) {
        const size_t len = reference(s);

        if (len > 0) {
            fprintf(out, "%.*s%s-", (int)len, s, prefix);
            s += len;
        } else if (isspace((unsigned char)*s)) { /* indentation is a third of the size */
            fputc(memchr(s, '\n', strspn(s, " \t\r\n")) ? '\n' : ' ', out);
            s += strspn(s, " \t\r\n");
        } else {
            fputc(*s++, out);
        }
    }
}

void page_svg_write(FILE *out, const page_panel *p, int alone)
{
    if (alone)
        fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", out);
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" ", PAGE_WIDTH, p->height);
    if (alone)
        fputs("xmlns=\"http://www.w3.org/2000/svg\" "
              "xmlns:xlink=\"http://www.w3.org/1999/xlink\" ",
              out);
    page_wrap(out, "role=\"img\" aria-label=\"", p->title, "\">\n");
    page_wrap(out, "<title>", p->title, "</title>");
    copy(out, p->body, p->name);
    fputs("</svg>\n", out);
}

void page_panels(FILE *out, const page_figure *f)
{
    fprintf(out, "<figure>\n<div class=\"panels%s\">\n", f->wide ? " wide" : "");
    for (int p = 0; p < f->npanel; p++) {
        page_wrap(out, "<div class=\"panel\"><h4>", f->panel[p].title, "</h4>\n");
        page_svg_write(out, &f->panel[p], 0);
        fputs("</div>\n", out);
    }
    page_wrap(out, "</div>\n<figcaption>", f->caption, "</figcaption>\n</figure>\n");
}

mb_status page_write(mb_arena *a, const char *path, void (*write)(FILE *out, const void *what),
                     const void *what, mb_err *err)
{
    mb_file f = {0};

    if (mb_path_ends(path, ".gz"))
        MB_FAIL(err, MB_E_ARG, "%s: got a compressed file; expected a name without .gz", path);
    MB_TRY(mb_file_open(a, path, &f, err));
    write(f.fp, what);
    return mb_file_close(&f, MB_OK, err);
}
