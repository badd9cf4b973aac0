/* build.c - from the output folder to report.html: the sections in their order. */
#include "base/text.h"
#include "meshbayes/extend.h"
#include "report/answer.h"
#include "report/time.h"

#include <string.h>

/* A figure with a section of its own. */
static int has_section(const report *r, const page_figure *f)
{
    return !f->within && !f->absent && f->npanel && (!r->alone || !strcmp(f->id, "bound"));
}

static void top(FILE *out, const report *r)
{
    page_top(out, r->title, r->title);
    report_setting(out, r);
    fputs("<nav aria-label=\"Sections\">", out);
    if (r->answer)
        fputs("<a href=\"#answer\">The answer</a>", out);
    if (r->answer && r->answer->groups)
        fputs("<a href=\"#groups\">Groups</a>", out);
    if (r->answer && r->answer->rest)
        fputs("<a href=\"#loadings\">Factors and columns</a>", out);
    if (r->answer && r->answer->nsequence)
        fputs("<a href=\"#sequences\">States over time</a>", out);
    if (r->answer && r->answer->nseries)
        fputs("<a href=\"#series\">Series over time</a>", out);
    if (report_promise(r))
        fputs("<a href=\"#privacy\">What it promises</a>", out);
    fputs("<a href=\"#verdict\">How sure it is</a>", out);
    for (int k = 0; k < r->page.nfigure; k++)
        if (has_section(r, &r->page.figure[k]))
            fprintf(out, "<a href=\"#%s\">%s</a>", r->page.figure[k].id, r->page.figure[k].heading);
    if (report_sends(r))
        fputs("<a href=\"#cost\">Cost</a>", out);
    if (r->nreach)
        fputs("<a href=\"#reach\">To come close</a>", out);
    if (!r->alone)
        fputs("<a href=\"#algorithms\">Numbers</a>", out);
    fputs("<a href=\"#settings\">Settings</a><a href=\"#words\">Words</a></nav>\n</header>\n", out);
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
    if (r->page.no_figures)
        page_wrap(out, "<p class=\"absent\">No figure: ", r->page.no_figures, "</p>\n");
    else
        page_panels(out, f);
    if (!strcmp(f->id, "network"))
        report_network_table(out, r);
    fputs("</section>\n", out);
}

/* 1 for a figure that a model without components never has. */
static int needs_components(const page_figure *f)
{
    return !strcmp(f->id, "kl-truth") || !strcmp(f->id, "contours");
}

/* What this run did not measure, in one place after the settings. */
static void absent(FILE *out, const report *r)
{
    int n = 0;

    for (int k = 0; k < r->page.nfigure && !r->alone; k++) {
        const page_figure *f = &r->page.figure[k];

        if (f->absent && (report_latent(r) || !needs_components(f)))
            fprintf(out, "%s<li><b>%s</b>: %s</li>\n",
                    n++ ? "" : "<h3>What further options would show</h3>\n<ul class=\"absent\">\n",
                    f->heading, f->absent);
    }
    fputs(n ? "</ul>\n" : "", out);
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

/* The answer, how sure it is, how the network got there, what it cost, and the details. */
static void sections(FILE *out, const void *self)
{
    const report *r = self;

    top(out, r);
    report_answer_section(out, r);
    report_groups_section(out, r);
    report_loadings_section(out, r);
    report_sequences_section(out, r);
    report_series_section(out, r);
    report_private_section(out, r);
    report_verdict(out, r);
    warnings(out, r);
    for (int k = 0; k < r->page.nfigure; k++)
        if (has_section(r, &r->page.figure[k]))
            figure(out, r, &r->page.figure[k]);
    report_cost(out, r);
    report_reach(out, r);
    if (!r->alone)
        report_tables(out, r);
    fputs("<section id=\"settings\"><h2>Settings</h2>\n", out);
    report_settings(out, r);
    absent(out, r);
    fputs("</section>\n", out);
    report_glossary(out, r);
    bottom(out, r);
}

/* A fit on one machine is called by its data and its model. */
static mb_status set_alone(report *r, mb_err *err)
{
    const char    *command = mb_json_at(r->config, "command")->text;
    const char    *model = mb_json_at(r->summary, "model")->text;
    const char    *data = mb_json_at(mb_json_at(r->summary, "data"), "file")->text;
    const mb_kind *kind = model ? mb_kind_find(model) : NULL;

    r->alone = command && !strcmp(command, "fit");
    if (!r->alone)
        return MB_OK;
    r->title = mb_text(r->page.a, err, "%s: %s", data ? report_base(data) : "a fit",
                       kind ? kind->title : "a model");
    return r->title ? MB_OK : MB_E_NOMEM;
}

static mb_status build(report *r, mb_err *err)
{
    const char *path = mb_text(r->page.a, err, "%s/report.html", r->page.dir);

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(report_load(r, err));
    MB_TRY(set_alone(r, err));
    MB_TRY(report_load_answer(r, err));
    MB_TRY(report_load_move(r, err));
    MB_TRY(report_load_reach(r, err));
    MB_TRY(page_plot_open(&r->page, err));
    MB_TRY(report_fig_answer(r, err));
    MB_TRY(r->time ? report_fig_time(r, err) : report_fig_curves(r, err));
    MB_TRY(r->alone ? MB_OK : report_fig_network(r, err));
    MB_TRY(r->alone ? MB_OK : report_fig_contours(r, err));
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
