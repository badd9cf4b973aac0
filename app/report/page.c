/* page.c - the top of a page, its figures, and the page as a file: whole or not at all. */
#include "report/page.h"
#include "data/file.h"

#include <ctype.h>
#include <string.h>

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
