/* build.c - from the output folder to the page. */
#include "report/parts.h"

static mb_status build(report *r, mb_err *err)
{
    MB_TRY(report_load(r, err));
    MB_TRY(page_plot_open(r, err));
    MB_TRY(report_fig_network(r, err));
    MB_TRY(report_fig_curves(r, err));
    MB_TRY(report_fig_contours(r, err));
    MB_TRY(page_plot_run(r, err));
    if (r->no_figures)
        MB_TRY(report_note(r, err, "There are no figures: %s.", r->no_figures));
    return report_page(r, err);
}

mb_status report_build(const char *dir, mb_err *err)
{
    report    r = {.dir = dir, .a = mb_arena_new(1 << 16)};
    mb_status st;

    if (!r.a)
        st = mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "%s: out of memory for the report", dir);
    else
        st = build(&r, err);
    if (r.a)
        page_plot_close(&r);
    mb_arena_free(r.a);
    return st;
}
