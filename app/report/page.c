/* page.c - report.html: the sections in their order, written whole or not at all. */
#include "report/parts.h"

#include <string.h>

static void title(FILE *out, const report *r)
{
    const mb_json *data = mb_json_at(r->summary, "data");
    const char    *file = mb_json_at(data, "file")->text, *base;

    base = file ? strrchr(file, '/') : NULL;
    page_esc(out, base ? base + 1 : file ? file : "a run");
    const int64_t n = mb_json_at(mb_json_at(r->summary, "network"), "nodes")->integer;

    fprintf(out, " on %lld node%s", (long long)n, n == 1 ? "" : "s");
}

static void top(FILE *out, const report *r)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    title(out, r);
    fprintf(out, " - meshbayes</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<header>\n<h1>",
            page_css());
    title(out, r);
    fputs("</h1>\n<nav aria-label=\"Sections\"><a href=\"#verdict\">What happened</a>", out);
    for (int k = 0; k < r->page.nfigure; k++)
        fprintf(out, "<a href=\"#%s\">%s</a>", r->page.figure[k].id, r->page.figure[k].heading);
    fputs("<a href=\"#algorithms\">Numbers</a><a href=\"#settings\">Settings</a>"
          "<a href=\"#words\">Words</a></nav>\n</header>\n",
          out);
}

static void warnings(FILE *out, const report *r)
{
    if (!r->nnotes)
        return;
    fputs("<section class=\"warn\" id=\"warnings\"><h2>Warnings</h2>\n<ul>\n", out);
    for (int32_t k = 0; k < r->nnotes; k++) {
        fputs("<li>", out);
        page_esc(out, r->note[k]);
        fputs("</li>\n", out);
    }
    fputs("</ul></section>\n", out);
}

static void figure(FILE *out, const report *r, const page_figure *f)
{
    fprintf(out, "<section id=\"%s\"><h2>%s</h2>\n", f->id, f->heading);
    if (f->absent || r->page.no_figures) {
        fputs("<p class=\"absent\">", out);
        fputs(f->absent ? f->absent : "No figure: ", out);
        if (!f->absent)
            page_esc(out, r->page.no_figures);
        fputs("</p>\n", out);
    } else {
        page_panels(out, f);
    }
    if (!strcmp(f->id, "network"))
        report_network_table(out, r);
    fputs("</section>\n", out);
}

static void bottom(FILE *out, const report *r)
{
    const char *version = mb_json_at(r->summary, "meshbayes")->text;

    fputs("<footer>Made by meshbayes", out);
    if (version) {
        fputc(' ', out);
        page_esc(out, version);
    }
    fprintf(out, ", seed %lld. The same figures as single files: <code>figures/</code>.</footer>\n",
            (long long)mb_json_at(r->summary, "seed")->integer);
    fputs("</main>\n</body>\n</html>\n", out);
}

static void sections(FILE *out, const report *r)
{
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

mb_status report_page(report *r, mb_err *err)
{
    const char *path = report_path(r, "report.html", err);
    mb_file     f = {0};

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(mb_file_open(r->page.a, path, &f, err));
    sections(f.fp, r); /* not into memory: such a stream keeps no note of what it had no room for */
    mb_status st = app_json_whole(err);

    if (st >= 0)
        st = mb_file_commit(&f, err);
    mb_file_abort(&f);
    return st;
}
