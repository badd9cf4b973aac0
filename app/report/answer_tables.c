/* answer_tables.c - the parts of the answer in numbers, and components against classes. */
#include "base/app.h"
#include "report/answer.h"

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

/* The file is not trusted: one word or the other. */
static const char *counted(const report_answer *a)
{
    return a->counted && !strcmp(a->counted, "groups") ? "groups" : "rows";
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
        fprintf(out, "<th scope=\"col\">expected %s</th>", counted(a));
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
                line ? counted(a) : "");
        for (int64_t i = 0; i < parts; i++)
            (line ? rows : weight)(out, a, part[i]);
        fputs("</tr>\n", out);
    }
    for (int64_t i = 0; i < columns; i++) {
        page_wrap(out, "<tr><th scope=\"row\">", a->column[column[i]], "</th>");
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

        fputs("<tr><th scope=\"row\">", out);
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
    if (app_any(a->sd, n))
        page_wrap(out, "<p>&plusmn;: standard deviation among the rows of a ", a->part, ".</p>\n");
    if (app_any(a->low, n))
        fputs("<p>In brackets: the 95&nbsp;% interval of a share, too short where components "
              "overlap.</p>\n",
              out);
}

void report_answer_parts(FILE *out, const report_answer *a)
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
void report_answer_classes(FILE *out, const report *r)
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

void report_answer_levels(FILE *out, const report_answer *a)
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
