/* svg.c - what gnuplot drew, fit to stand beside others in one page. */
#include "page/page.h"

#include <ctype.h>
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

static void copy(FILE *out, const char *s, const char *prefix)
{
    while (*s) {
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
