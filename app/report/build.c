/* build.c - from the output folder to the page. */
#include "report/parts.h"

static mb_status build(report *r, mb_err *err)
{
    MB_TRY(report_load(r, err));
    MB_TRY(page_plot_open(&r->page, err));
    MB_TRY(report_fig_network(r, err));
    MB_TRY(report_fig_curves(r, err));
    MB_TRY(report_fig_contours(r, err));
    MB_TRY(page_plot_run(&r->page, err));
    if (r->page.no_figures)
        MB_TRY(report_note(
            r, mb_text(r->page.a, err, "There are no figures: %s.", r->page.no_figures), err));
    return report_page(r, err);
}

mb_status report_build(const char *dir, mb_err *err)
{
    report    r = {.page = {.dir = dir, .a = mb_arena_new(1 << 16)}};
    mb_status st;

    if (!r.page.a)
        st = mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "%s: out of memory for the report", dir);
    else
        st = build(&r, err);
    if (r.page.a)
        page_plot_close(&r.page);
    mb_arena_free(r.page.a);
    return st;
}
