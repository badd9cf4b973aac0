/* page.c - figures of a page, and the page as a file: whole or not at all. */
#include "page/page.h"

#include "base/json_file.h"

#include <stdlib.h>

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
        fputs("<div class=\"panel\"><h4>", out);
        page_esc(out, f->panel[p].title);
        fputs("</h4>\n", out);
        page_svg_write(out, &f->panel[p], 0);
        fputs("</div>\n", out);
    }
    fputs("</div>\n<figcaption>", out);
    page_esc(out, f->caption);
    fputs("</figcaption>\n</figure>\n", out);
}

mb_status page_save(mb_arena *a, const char *path, FILE *out, char **text, const size_t *len,
                    mb_err *err)
{
    mb_file   file = {0};
    mb_status st = MB_OK;
    const int bad = !out || ferror(out);

    if ((out && fclose(out)) || bad)
        st = mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "%s: out of memory", path);
    if (st >= 0)
        st = app_json_whole(err);
    if (st >= 0)
        st = mb_file_open(a, path, &file, err);
    if (st >= 0)
        st = mb_file_write(&file, *text, *len, err);
    if (st >= 0)
        st = mb_file_commit(&file, err);
    mb_file_abort(&file);
    free(*text);
    return st;
}
