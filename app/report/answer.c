/* answer.c - the first section of the page: what was found, its parts in numbers, what sets a
 * component apart from the others, and components against classes. */
#include "report/answer.h"
#include "base/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PARTS = 48,
    MOST_COLUMNS = 12,
    ALL = 400,
    FEW = 6 /* parts or columns beside each other */
};

static void dot(FILE *out, int64_t colour)
{
    fprintf(out, "<span class=\"dot\" style=\"--c:%s\"></span>", page_component_colour(colour));
}

static void part_name(FILE *out, const report_answer *a, int64_t k)
{
    if (a->weight)
        dot(out, k);
    if (a->name)
        page_esc(out, a->name[k]);
    else
        fprintf(out, "%lld", (long long)k);
}

static void spread(FILE *out, const report_answer *a, int64_t k, int64_t d)
{
    const int64_t at = k * a->columns + d;

    fprintf(out, "<td class=\"n pm\">%s", page_figures_of(a->mean[at], 3).s);
    if (a->sd && isfinite(a->sd[at])) /* narrow screens may break the line here */
        fprintf(out, " &plusmn;&nbsp;%s", page_figures_of(a->sd[at], 3).s);
    if (a->low && isfinite(a->low[at]))
        fprintf(out, " (%s&nbsp;to&nbsp;%s)", page_figures_of(a->low[at], 3).s,
                page_figures_of(a->high[at], 3).s);
    fputs("</td>", out);
}

static void weight(FILE *out, const report_answer *a, int64_t k)
{
    if (a->weight)
        fprintf(out, "<td class=\"n\">%s</td>", page_fixed(a->weight[k], 3).s);
}

static void rows(FILE *out, const report_answer *a, int64_t k)
{
    if (a->rows)
        fprintf(out, "<td class=\"n\">%s</td>", page_fixed(a->rows[k], a->rows[k] < 1000).s);
}

/* A line for each part. */
static void by_part(FILE *out, const report_answer *a, const int64_t *part, int64_t parts)
{
    page_wrap(out, "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"text\">",
              a->part, "</th>");
    fputs(a->weight ? "<th scope=\"col\">weight</th>" : "", out);
    if (a->rows)
        fprintf(out, "<th scope=\"col\">expected %s</th>", report_counted(a));
    for (int64_t d = 0; d < a->columns; d++)
        page_wrap(out, "<th scope=\"col\">", a->column[d], "</th>");
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int64_t i = 0; i < parts; i++) {
        fputs("<tr><th scope=\"row\">", out);
        part_name(out, a, part[i]);
        fputs("</th>", out);
        weight(out, a, part[i]);
        rows(out, a, part[i]);
        for (int64_t d = 0; d < a->columns; d++)
            spread(out, a, part[i], d);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* A line for each column, of some of the parts. */
static void by_column(FILE *out, const report_answer *a, const int64_t *part, int64_t parts,
                      const int64_t *column, int64_t columns)
{
    fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"text\"></th>", out);
    for (int64_t i = 0; i < parts; i++) {
        fputs("<th scope=\"col\">", out);
        part_name(out, a, part[i]);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int line = 0; line < 2; line++) {
        if (!(line ? a->rows : a->weight))
            continue;
        fprintf(out, "<tr><th scope=\"row\">%s%s</th>", line ? "expected " : "weight",
                line ? report_counted(a) : "");
        for (int64_t i = 0; i < parts; i++)
            (line ? rows : weight)(out, a, part[i]);
        fputs("</tr>\n", out);
    }
    for (int64_t i = 0; i < columns; i++) {
        page_wrap(out, "<tr><th scope=\"row\" class=\"name\">", a->column[column[i]], "</th>");
        for (int64_t k = 0; k < parts; k++)
            spread(out, a, part[k], column[i]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* The one quantity of each part with its interval. */
static void intervals(FILE *out, const report_answer *a, const int64_t *part, int64_t parts)
{
    page_wrap(
        out, "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"text\">", a->part,
        "</th><th scope=\"col\">mean</th><th scope=\"col\">sd</th>"
        "<th scope=\"col\">95&nbsp;% from</th><th scope=\"col\">to</th></tr></thead>\n<tbody>\n");
    for (int64_t i = 0; i < parts; i++) {
        const int64_t k = part[i];

        fputs("<tr><th scope=\"row\" class=\"name\">", out);
        part_name(out, a, k);
        fprintf(out, "</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
                page_figures_of(a->mean[k], 5).s, page_figures_of(a->sd ? a->sd[k] : PAGE_NAN, 3).s,
                page_figures_of(a->low[k], 5).s,
                page_figures_of(a->high ? a->high[k] : PAGE_NAN, 5).s);
    }
    fputs("</tbody></table></div>\n", out);
}

/* The `most` of n that have the largest values, in their own order; returns how many. */
static int64_t choose(const report_answer *a, int64_t n, int64_t most,
                      double (*value)(const report_answer *a, int64_t k), int64_t *out)
{
    double *of = malloc((size_t)n * 2 * sizeof *of);
    int64_t count = 0;

    for (int64_t k = 0; k < n && of; k++)
        of[k] = of[n + k] = value(a, k);
    const double least =
        of && n > most ? page_quantile(of + n, n, (double)(n - most) / (double)(n - 1)) : -PAGE_INF;

    for (int64_t k = 0; k < n && count < most; k++)
        if (!of || of[k] >= least)
            out[count++] = k;
    free(of);
    return count;
}

static double importance(const report_answer *a, int64_t k)
{
    if (a->weight)
        return a->weight[k];
    return a->sd && a->sd[k] > 0 ? fabs(a->mean[k]) / a->sd[k] : 0;
}

static void left_out(FILE *out, int64_t shown, int64_t of, const char *what, const char *which)
{
    if (shown < of)
        fprintf(out, "<p>The %lld of %lld %ss %s; all are in the posterior file.</p>\n",
                (long long)shown, (long long)of, what, which);
}

/* Blocks of a few parts beside each other. */
static void blocks(FILE *out, const report_answer *a, const int64_t *part, int64_t parts,
                   int64_t most)
{
    int64_t       column[ALL];
    const int64_t columns = choose(a, a->columns, most, report_separation, column);

    for (int64_t k = 0; k < parts; k += FEW)
        by_column(out, a, part + k, parts - k < FEW ? parts - k : FEW, column, columns);
}

/* The columns that separate the components best; the others on request. */
static void many_columns(FILE *out, const report_answer *a, const int64_t *part, int64_t parts)
{
    blocks(out, a, part, parts, MOST_COLUMNS);
    if (a->columns <= MOST_COLUMNS)
        return;
    left_out(out, MOST_COLUMNS, a->columns, "column", "that separate the components best");
    fputs("<details><summary>More columns</summary>\n", out);
    blocks(out, a, part, parts, ALL);
    fputs("</details>\n", out);
}

/* What stands beside the numbers. */
static void spreads(FILE *out, const report_answer *a)
{
    const int64_t n = a->parts * a->columns;

    if (report_effects(a))
        return;
    if (report_lines(a)) {
        fputs(
            "<p>&plusmn;: standard deviation of the posterior; in brackets: the 95&nbsp;% interval "
            "of the coefficient.</p>\n",
            out);
        return;
    }
    if (app_any(a->sd, n) && a->weight)
        page_wrap(out, "<p>&plusmn;: standard deviation among the rows of a ", a->part, ".</p>\n");
    else if (app_any(a->sd, n))
        fputs("<p>&plusmn;: standard deviation of the posterior.</p>\n", out);
    if (app_any(a->low, n))
        fputs("<p>In brackets: the 95&nbsp;% interval of a share, too short where components "
              "overlap.</p>\n",
              out);
}

static void put_parts(FILE *out, const report_answer *a)
{
    int64_t       part[MOST_PARTS];
    const int64_t parts = choose(a, a->parts, MOST_PARTS, importance, part);

    if (report_effects(a))
        intervals(out, a, part, parts);
    else if (a->columns <= FEW || !a->weight)
        by_part(out, a, part, parts);
    else
        many_columns(out, a, part, parts);
    spreads(out, a);
    left_out(out, parts, a->parts, a->part,
             a->weight ? "of largest weight" : "farthest from 0 in standard deviations");
}

/* Rows of each component by class: the class that has its colour is marked. */
static void put_classes(FILE *out, const report *r)
{
    const report_answer *a = r->answer;

    if (!a->classes)
        return;
    fputs("<h3>Components and true classes</h3>\n<p>", out);
    if (isfinite(a->algo->ari))
        fprintf(out,
                "Accuracy %.1f&nbsp;%%, adjusted Rand index %.3f, normalised mutual information "
                "%.3f. ",
                100 * a->algo->accuracy, a->algo->ari, a->algo->nmi);
    fputs("Rows of each component by class; labels were not used to fit. A class has the colour of "
          "the component that it is matched with.</p>\n<div class=\"scroll\"><table "
          "class=\"cross\">\n"
          "<thead><tr><th scope=\"col\" class=\"text\">component</th>",
          out);
    for (int64_t c = 0; c < a->classes; c++) {
        fputs("<th scope=\"col\">", out);
        dot(out, a->class_part[c]);
        page_wrap(out, "", a->class_name[c], "</th>");
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int64_t k = 0; k < a->parts && k < MOST_PARTS; k++) {
        fputs("<tr><th scope=\"row\">", out);
        part_name(out, a, k);
        fputs("</th>", out);
        for (int64_t c = 0; c < a->classes; c++)
            fprintf(out, "<td%s>%.0f</td>",
                    a->class_part[c] == k && a->table[k * a->classes + c] > 0 ? " class=\"hit\""
                                                                              : "",
                    a->table[k * a->classes + c]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

const char *report_level(const report_answer *a, int64_t l)
{
    return a->levels ? a->level[l] : l ? "1" : "0";
}

enum { MOST_LEVELS = 20 /* of a table */ };

static void put_levels(FILE *out, const report_answer *a)
{
    const int64_t C = a->levels ? a->levels : 2;

    if (!a->confusion)
        return;
    fprintf(out,
            "<h3>Levels predicted and observed</h3>\n<p>Accuracy %.1f&nbsp;%%, log loss %s nats a "
            "row, of the rows that were fitted: on other rows expect less (<code>meshbayes "
            "score</code>).%s</p>\n",
            100 * a->accuracy, page_figures_of(a->log_loss, 3).s,
            C > MOST_LEVELS ? ""
                            : " Rows by observed level (lines) and likeliest level (columns).");
    if (C > MOST_LEVELS)
        return;
    fputs("<div class=\"scroll\"><table class=\"cross\">\n<thead><tr><th scope=\"col\" "
          "class=\"text\">observed</th>",
          out);
    for (int64_t k = 0; k < C; k++)
        page_wrap(out, "<th scope=\"col\">", report_level(a, k), "</th>");
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int64_t l = 0; l < C; l++) {
        page_wrap(out, "<tr><th scope=\"row\">", report_level(a, l), "</th>");
        for (int64_t k = 0; k < C; k++)
            fprintf(out, "<td%s>%.6g</td>", k == l ? " class=\"hit\"" : "",
                    a->confusion[l * C + k]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

enum { NAMED = 3 /* columns that a sentence names */, LOOKED_AT = 2000 /* columns */ };
static const double CLEAR =
    1; /* standard deviations within components: a difference worth naming */

/* Expected rows of part k; NaN: not known. */
static double part_rows(const report_answer *a, int64_t k)
{
    return a->rows ? a->rows[k] : PAGE_NAN;
}

int report_part_holds(const report_answer *a, int64_t k)
{
    const double rows = part_rows(a, k);

    return isfinite(rows) ? rows >= 0.5 : !a->weight || a->weight[k] >= 1e-3;
}

int report_is_share(const report_answer *a, int64_t d)
{
    for (int64_t k = 0; k < a->parts; k++)
        if (a->sd && report_part_holds(a, k) && isfinite(a->sd[k * a->columns + d]))
            return 0;
    return 1;
}

/* Of column d among the rows of component j; a share p is the mean of a flag. */
static double variance(const report_answer *a, int64_t j, int64_t d, int share)
{
    const int64_t at = j * a->columns + d;

    return share ? a->mean[at] * (1 - a->mean[at]) : pow(a->sd[at], 2);
}

/* Weighted mean of column d over the components that hold rows, without k (-1: all of them). */
static double others(const report_answer *a, int64_t d, int64_t k)
{
    double sum = 0, weight = 0;

    for (int64_t j = 0; j < a->parts; j++)
        if (j != k && report_part_holds(a, j)) {
            sum += a->weight[j] * a->mean[j * a->columns + d];
            weight += a->weight[j];
        }
    return sum / weight;
}

/* Variance of column d within the components. */
static double within(const report_answer *a, int64_t d)
{
    const int share = report_is_share(a, d);
    double    sum = 0, weight = 0;

    for (int64_t j = 0; j < a->parts; j++)
        if (report_part_holds(a, j)) {
            sum += a->weight[j] * variance(a, j, d, share);
            weight += a->weight[j];
        }
    return sum / weight;
}

double report_separation(const report_answer *a, int64_t d)
{
    const double middle = others(a, d, -1), inside = within(a, d);
    double       sum = 0;

    for (int64_t j = 0; j < a->parts; j++)
        if (report_part_holds(a, j))
            sum += a->weight[j] * pow(a->mean[j * a->columns + d] - middle, 2);
    return inside > 0 ? sum / inside : 0;
}

/* Standardised difference of component k on column d. */
static double score(const report_answer *a, int64_t d, int64_t k)
{
    const double inside = within(a, d);

    return inside > 0 ? fabs(a->mean[k * a->columns + d] - others(a, d, k)) / sqrt(inside) : 0;
}

/* In the column's own unit: whether its zero is one, and a ratio makes sense, the data do not say. */
static void difference(FILE *out, const report_answer *a, int64_t d, int64_t k)
{
    const double mean = a->mean[k * a->columns + d], rest = others(a, d, k);

    page_wrap(out, "<b>", a->column[d], "</b> ");
    if (report_is_share(a, d))
        fprintf(out, "%s (the others: %s)", page_figures_of(mean, 3).s, page_figures_of(rest, 3).s);
    else
        fprintf(out, "%s by %s (%s&nbsp;sd)", mean < rest ? "lower" : "higher",
                page_num(fabs(mean - rest), 3).s, page_figures_of(score(a, d, k), 2).s);
}

/* The column on which component k stands clear of every other, at least one on each side: the
 * smallest standardised difference is largest there. -1: there is none. */
static int64_t between(const report_answer *a, int64_t k, int64_t *below, int64_t *above)
{
    double  widest = CLEAR;
    int64_t best = -1;

    for (int64_t d = 0; d < a->columns && d < LOOKED_AT; d++) {
        const double mean = a->mean[k * a->columns + d], unit = sqrt(within(a, d));
        double       under = PAGE_INF, over = PAGE_INF;
        int64_t      lower = -1, upper = -1;

        for (int64_t j = 0; j < a->parts; j++) {
            const double gap = (a->mean[j * a->columns + d] - mean) / unit;

            if (j == k || !report_part_holds(a, j))
                continue;
            if (gap < 0 && -gap < under) {
                under = -gap;
                lower = j;
            } else if (gap >= 0 && gap < over) {
                over = gap;
                upper = j;
            }
        }
        if (lower >= 0 && upper >= 0 && fmin(under, over) > widest) {
            widest = fmin(under, over);
            best = d;
            *below = lower;
            *above = upper;
        }
    }
    return best;
}

/* What is left to say where no column differs from the mean of the others. */
static void otherwise(FILE *out, const report_answer *a, int64_t k)
{
    int64_t       below, above;
    const int64_t d = between(a, k, &below, &above);

    if (d >= 0) {
        page_wrap(out, "<b>", a->column[d], "</b>");
        fprintf(out, " between those of %lld and %lld", (long long)below, (long long)above);
        return;
    }
    int64_t most = 0;

    for (int64_t j = 1; j < a->columns && j < LOOKED_AT; j++)
        most = score(a, j, k) > score(a, most, k) ? j : most;
    fputs("no column differs by a standard deviation from the mean of the others; the largest "
          "difference: ",
          out);
    difference(out, a, most, k);
}

/* The columns whose mean differs most from that of the others. */
void report_apart(FILE *out, const report_answer *a, int64_t k)
{
    int64_t best[NAMED];
    double  size[NAMED];
    int     n = 0;

    for (int64_t d = 0; d < a->columns && d < LOOKED_AT; d++) {
        const double s = score(a, d, k);
        int          at = n;

        if (!(s >= CLEAR))
            continue;
        for (n += n<NAMED; at> 0 && s > size[at - 1]; at--)
            if (at < NAMED) {
                size[at] = size[at - 1];
                best[at] = best[at - 1];
            }
        if (at < NAMED) {
            size[at] = s;
            best[at] = d;
        }
    }
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : "", out);
        difference(out, a, best[i], k);
    }
    if (!n)
        otherwise(out, a, k);
}

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
        if (a->dispersion > 0)
            fprintf(out, ", dispersion %s (1 of Poisson counts)",
                    page_figures_of(a->dispersion, 3).s);
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
    if (a->parts - empty > 1 && !report_lines(a))
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
        fprintf(out, "<p>%s initialisation is the best answer for a sample of %lld rows.</p>\n",
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
        (a->ranked && a->weight ? report_ranked : put_parts)(out, a);
    if (a->warning)
        page_wrap(out, "<p><span class=\"tag fair\">Warning</span> ", a->warning, ".</p>\n");
    if (a->note && !report_effects(a))
        page_wrap(out, "<p>Of the parts: ", a->note, ".</p>\n");
    origin(out, r);
    starts(out, a);
    for (int64_t k = 0; k < a->doubts; k++)
        page_wrap(out, "<p><span class=\"tag fair\">doubt</span> ", a->doubt[k], ".</p>\n");
    if (!report_effects(a) && a->sd && !a->ranked)
        apart(out, a);
    put_classes(out, r);
    put_levels(out, a);
    figures(out, r);
    fputs("</section>\n", out);
}
