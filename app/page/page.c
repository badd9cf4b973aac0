/* page.c - figures of a page, and the page as a file: whole or not at all. */
#include "page/page.h"

page_figure *page_figure_new(page_figures *r, const char *id, const char *heading)
{
    page_figure *f = &r->figure[r->nfigure++];

    *f = (page_figure){.id = id, .heading = heading};
    return f;
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
    mb_file   f = {0};
    mb_status st;

    MB_TRY(mb_file_open(a, path, &f, err));
    write(f.fp, what);
    st = f.gzip ? mb_fail_(err, MB_E_ARG, __FILE__, __LINE__,
                           "%s: got a compressed file; expected a name without .gz", path)
                : mb_file_commit(&f, err);
    mb_file_abort(&f);
    return st;
}
