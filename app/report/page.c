/* page.c - from the output folder to report.html: the sections in their order. */
#include "report/parts.h"

#include <string.h>

static void top(FILE *out, const report *r)
{
    page_top(out, r->title, r->title);
    fputs("<nav aria-label=\"Sections\"><a href=\"#verdict\">What happened</a>", out);
    for (int k = 0; k < r->page.nfigure; k++)
        fprintf(out, "<a href=\"#%s\">%s</a>", r->page.figure[k].id, r->page.figure[k].heading);
    fputs("<a href=\"#algorithms\">Numbers</a><a href=\"#settings\">Settings</a>"
          "<a href=\"#words\">Words</a></nav>\n</header>\n",
          out);
}

/* Those of the run, then ours. */
static void warnings(FILE *out, const report *r)
{
    const mb_json *run = mb_json_at(r->summary, "warnings");
    const int      listed = mb_json_at(r->summary, "files")->type != MB_JSON_NONE;

    if (!run->n && listed && !r->page.no_figures)
        return;
    fputs("<section class=\"warn\" id=\"warnings\"><h2>Warnings</h2>\n<ul>\n", out);
    for (size_t k = 0; k < run->n; k++)
        page_wrap(out, "<li>", run->item[k].text ? run->item[k].text : "", "</li>\n");
    if (!listed)
        fputs("<li>This folder has no list of its files: they may be of several runs.</li>\n", out);
    if (r->page.no_figures)
        page_wrap(out, "<li>There are no figures: ", r->page.no_figures, ".</li>\n");
    fputs("</ul></section>\n", out);
}

static void figure(FILE *out, const report *r, const page_figure *f)
{
    fprintf(out, "<section id=\"%s\"><h2>%s</h2>\n", f->id, f->heading);
    if (f->absent)
        fprintf(out, "<p class=\"absent\">%s</p>\n", f->absent);
    else if (r->page.no_figures)
        page_wrap(out, "<p class=\"absent\">No figure: ", r->page.no_figures, "</p>\n");
    else
        page_panels(out, f);
    if (!strcmp(f->id, "network"))
        report_network_table(out, r);
    fputs("</section>\n", out);
}

static void bottom(FILE *out, const report *r)
{
    const char *version = mb_json_at(r->summary, "meshbayes")->text;

    fputs("<footer>Made by meshbayes", out);
    page_wrap(out, version ? " " : "", version ? version : "", ", seed ");
    fprintf(out, "%lld. The same figures as single files: <code>figures/</code>.</footer>\n",
            (long long)mb_json_at(r->summary, "seed")->integer);
    fputs("</main>\n</body>\n</html>\n", out);
}

static void sections(FILE *out, const void *self)
{
    const report *r = self;

    top(out, r);
    report_verdict(out, r);
    warnings(out, r);
    for (int k = 0; k < r->page.nfigure; k++)
        figure(out, r, &r->page.figure[k]);
    report_tables(out, r);
    report_settings(out, r);
    report_glossary(out);
    bottom(out, r);
}

static mb_status build(report *r, mb_err *err)
{
    const char *path = mb_text(r->page.a, err, "%s/report.html", r->page.dir);

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(report_load(r, err));
    MB_TRY(page_plot_open(&r->page, err));
    MB_TRY(report_fig_network(r, err));
    MB_TRY(report_fig_curves(r, err));
    MB_TRY(report_fig_contours(r, err));
    MB_TRY(page_plot_run(&r->page, err));
    return page_write(r->page.a, path, sections, r, err);
}

mb_status report_build(const char *dir, mb_err *err)
{
    report    r = {.page = {.dir = dir, .a = mb_arena_new(1 << 16)}};
    mb_status st;

    if (!r.page.a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for the report", dir);
    st = build(&r, err);
    page_plot_close(&r.page);
    mb_arena_free(r.page.a);
    return st;
}
