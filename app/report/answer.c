/* answer.c - the first section of the page: what was found. */
#include "report/answer.h"
#include "base/app.h"

#include <math.h>
#include <string.h>

/* How the found targets agree with the observed ones. */
static void fitted(FILE *out, const report_answer *a)
{
    fputs("<p class=\"lead\">", out);
    for (int64_t t = 0; t < a->targets; t++) {
        page_wrap(out, t ? "; target <b>" : "Target <b>", a->target[t], "</b>");
        if (!a->rmse || !isfinite(a->rmse[t]))
            continue;
        if (a->r2 && isfinite(a->r2[t]))
            fprintf(out, ": R<sup>2</sup> %s", page_figures_of(a->r2[t], 4).s);
        else
            fputs(": constant", out);
        fprintf(out, ", root mean square error %s%s", page_figures_of(a->rmse[t], 4).s,
                t == 0 ? " (of all rows, in the target's units)" : "");
    }
    if (a->note)
        page_wrap(out, a->target ? "; " : "", a->note, "");
    fputs(".</p>\n", out);
}

/* A line for each component that holds rows. */
static void differences(FILE *out, const report_answer *a)
{
    fputs("<h3>What sets each component apart from the others</h3>\n"
          "<p>Its mean against that of the others, in the column's own unit; sd: standard "
          "deviations within components.</p>\n<ul class=\"apart\">\n",
          out);
    for (int64_t k = 0; k < a->parts; k++) {
        if (!report_part_holds(a, k))
            continue;
        fprintf(out, "<li><span class=\"dot\" style=\"--c:%s\"></span><b>%lld</b>: ",
                page_component_colour(k), (long long)k);
        report_apart(out, a, k);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static void apart(FILE *out, const report_answer *a)
{
    int64_t empty = 0;

    if (!a->weight || a->parts < 2 || a->parts > 24)
        return;
    for (int64_t k = 0; k < a->parts; k++)
        empty += !report_part_holds(a, k);
    if (a->parts - empty > 1)
        differences(out, a);
    if (empty)
        fprintf(out,
                "<p>%lld component%s hold%s no rows: the data need fewer, and what the table shows "
                "of %s is the prior.</p>\n",
                (long long)empty, empty == 1 ? "" : "s", empty == 1 ? "s" : "",
                empty == 1 ? "it" : "them");
}

static void figures(FILE *out, const report *r)
{
    for (int k = 0; k < r->page.nfigure; k++) {
        const page_figure *f = &r->page.figure[k];

        if (!f->within || !f->npanel || r->page.no_figures)
            continue;
        fprintf(out, "<h3 id=\"%s\">%s</h3>\n", f->id, f->heading);
        page_panels(out, f);
        if (!strcmp(f->id, "components"))
            report_sweep_table(out, r);
    }
}

/* What the moves from the best initialisation found. */
static void moves(FILE *out, const report_answer *a)
{
    fprintf(out,
            "<p><b>%lld of %lld moves improved on the best of %lld initialisations.</b> In a move "
            "one component of the best answer so far is split and two others are merged, or rows "
            "are given to other components, and the run is repeated from there. The answer is not "
            "certain to be the best: another "
            "<code>--seed</code> may find a better one.</p>\n",
            (long long)a->improved, (long long)a->moves, (long long)a->tried);
}

/* How many initialisations agree, and what that means. */
/* --prefer held-out. */
static void held_out(FILE *out, const report_answer *a)
{
    fprintf(out, "<p>Of %lld optima this one predicts rows held out best: %.4f nats a row",
            (long long)a->optima, a->held_out);
    if (a->below > 0)
        fprintf(out, "; the one with the highest lower bound, by %.4g nats, %.4f", a->below,
                a->of_best);
    fputs(".</p>\n", out);
}

static void starts(FILE *out, const report_answer *a)
{
    if (a->sampled)
        fprintf(out,
                "<p>%s initialisation is the best answer for a sample of %lld rows, searched with "
                "components split, merged and redrawn.</p>\n",
                a->tried > 1 ? "One" : "The", (long long)a->sampled);
    if (a->tried < 2)
        return;
    if (a->optima > 1)
        held_out(out, a);
    if (a->below > 0)
        return;
    if (a->improved) {
        moves(out, a);
        return;
    }
    fprintf(out, "<p><b>%lld of %lld initialisations reached this bound.</b> ",
            (long long)a->at_best, (long long)a->tried);
    if (a->moves)
        fprintf(
            out,
            "%lld run%s from it with components split, merged or redrawn found nothing better. ",
            (long long)a->moves, app_plural(a->moves));
    if (a->at_best == a->tried)
        fputs(a->safe ? "All agree: a safe answer." : "All agree.", out);
    else if (a->at_best > 1)
        fputs("The others ended at answers with a lower bound, which are not shown.", out);
    else if (a->moves)
        fputs("None of the others did: another <code>--seed</code> may find a better answer.", out);
    else
        fputs("None of the others did: with more initialisations (<code>--n-init</code>) there may "
              "be a better answer.",
              out);
    fputs("</p>\n", out);
}

/* Whose answer it is, and a warning where that run has not settled. */
static void origin(FILE *out, const report *r)
{
    const report_answer *a = r->answer;
    const char          *verdict = a->algo->verdict;
    const int            settled = verdict && !strcmp(verdict, mb_verdict_text(MB_ENDED_SETTLED));

    if (r->nalgo > 1)
        page_wrap(out, "<p>This is the posterior of <b>", a->algo->label,
                  settled ? "</b>, the best of the runs below that settled.</p>\n"
                          : "</b>, and no run has settled.</p>\n");
    if (verdict && !settled)
        page_wrap(out, "<p><span class=\"tag fair\">", verdict,
                  "</span> <b>This answer has not settled</b>: <a href=\"#verdict\">how sure it "
                  "is</a>.</p>\n");
}

void report_answer_section(FILE *out, const report *r)
{
    const report_answer *a = r->answer;

    if (!a)
        return;
    fputs("<section id=\"answer\"><h2>The answer</h2>\n", out);
    if (report_effects(a))
        fitted(out, a);
    if (a->parts && a->columns && a->mean)
        report_answer_parts(out, a);
    if (a->warning)
        page_wrap(out, "<p><span class=\"tag fair\">Warning</span> ", a->warning, ".</p>\n");
    if (a->note && !report_effects(a))
        page_wrap(out, "<p>Of the parts: ", a->note, ".</p>\n");
    origin(out, r);
    starts(out, a);
    for (int64_t k = 0; k < a->doubts; k++)
        page_wrap(out, "<p><span class=\"tag fair\">doubt</span> ", a->doubt[k], ".</p>\n");
    if (!report_effects(a) && a->sd)
        apart(out, a);
    report_answer_classes(out, r);
    report_answer_levels(out, a);
    figures(out, r);
    fputs("</section>\n", out);
}
