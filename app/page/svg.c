/* svg.c - what gnuplot drew, fit to stand beside others in one page. */
#include "page/page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Length of the reference at s after which a name of the file's own begins; 0: none. */
static size_t reference(const char *s)
{
    static const char *const mark[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};

    for (size_t k = 0; k < sizeof mark / sizeof *mark; k++)
        if (!strncmp(s, mark[k], strlen(mark[k])))
            return strlen(mark[k]);
    return 0;
}

static void copy(FILE *out, const char *s, const char *end, const char *prefix)
{
    while (s < end) {
        const size_t len = reference(s);

        if (len > 0) {
            fprintf(out, "%.*s%s-", (int)len, s, prefix);
            s += len;
        } else if (isspace((unsigned char)*s)) { /* gnuplot indents: a third of the size */
            fputc(memchr(s, '\n', strspn(s, " \t\r\n")) ? '\n' : ' ', out);
            s += strspn(s, " \t\r\n");
        } else {
            fputc(*s++, out);
        }
    }
}

mb_status page_svg_body(page_figures *r, page_panel *p, const char *svg, mb_err *err)
{
    const char *start = strstr(svg, "</desc>"), *end = NULL;
    char       *text = NULL, *kept;
    size_t      len = 0;

    for (const char *s = svg; (s = strstr(s, "</svg>")) != NULL; s++)
        end = s;
    if (!start || !end || end < start)
        MB_FAIL(err, MB_E_FORMAT, "figure %s: gnuplot did not finish it", p->name);
    FILE *out = open_memstream(&text, &len);

    if (!out)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for figure %s", p->name);
    copy(out, start + strlen("</desc>"), end, p->name);
    const int bad = fclose(out);

    kept = bad ? NULL : mb_alloc(r->a, len + 1, 1);
    if (kept)
        memcpy(kept, text, len);
    free(text);
    if (!kept)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for figure %s", p->name);
    p->body = kept;
    return MB_OK;
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
    fputs("role=\"img\" aria-label=\"", out);
    page_esc(out, p->title);
    fputs("\">\n<title>", out);
    page_esc(out, p->title);
    fprintf(out, "</title>%s</svg>\n", p->body);
}
