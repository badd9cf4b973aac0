/* sequences.c - the states of sequences over time: a band in the colours of the states, with the values of
 * one column as a line; rows without any value are shaded. */
#include "base/app.h"
#include "report/answer.h"

#include <math.h>

enum { HEIGHT = 100, EDGE = 8 /* of the drawing, in its own units; a row is 1 wide */ };

/* Runs of the same state. */
static void band(FILE *out, const report_sequence *s)
{
    for (int64_t k = 0, end; k < s->shown; k = end) {
        for (end = k + 1; end < s->shown && (int64_t)s->state[end] == (int64_t)s->state[k];)
            end++;
        fprintf(out,
                "<rect x=\"%lld\" y=\"0\" width=\"%lld\" height=\"%d\" fill=\"%s\" "
                "fill-opacity=\".45\"/>",
                (long long)k, (long long)(end - k), HEIGHT,
                page_component_colour((int64_t)s->state[k]));
    }
    for (int64_t k = 0, end; k < s->shown; k = end) {
        for (end = k + 1; end < s->shown && (s->gap[end] > 0) == (s->gap[k] > 0);)
            end++;
        if (s->gap[k] > 0)
            fprintf(out,
                    "<rect x=\"%lld\" y=\"0\" width=\"%lld\" height=\"%d\" fill=\"#ffffff\" "
                    "fill-opacity=\".75\"/>",
                    (long long)k, (long long)(end - k), HEIGHT);
    }
}

/* The values between low and high, broken where there are none. */
static void line(FILE *out, const report_sequence *s, double low, double high)
{
    int on = 0;

    for (int64_t k = 0; k < s->shown; k++) {
        if (isnan(s->value[k])) {
            fputs(on ? "\"/>" : "", out);
            on = 0;
            continue;
        }
        if (!on)
            fputs("<polyline fill=\"none\" stroke=\"#1c2430\" stroke-width=\"1.3\" "
                  "stroke-linecap=\"round\" vector-effect=\"non-scaling-stroke\" points=\"",
                  out);
        on = 1;
        fprintf(out, "%.1f,%.2f ", (double)k + .5,
                HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (s->value[k] - low) / (high - low));
        if (k + 1 == s->shown || isnan(s->value[k + 1])) /* a row alone is a dot */
            fprintf(out, "%.1f,%.2f", (double)k + .5,
                    HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (s->value[k] - low) / (high - low));
    }
    fputs(on ? "\"/>" : "", out);
}

static void range(const report_answer *a, double *low, double *high)
{
    *low = (double)INFINITY;
    *high = -(double)INFINITY;
    for (int64_t i = 0; i < a->nsequence; i++)
        for (int64_t k = 0; k < a->sequence[i].shown; k++) {
            *low = fmin(*low, a->sequence[i].value[k]);
            *high = fmax(*high, a->sequence[i].value[k]);
        }
    if (!(*low < *high)) {
        *low -= 1;
        *high += 1;
    }
}

static void legend(FILE *out, const report_answer *a, double low, double high)
{
    fputs("<p>", out);
    for (int64_t k = 0; k < a->parts; k++)
        fprintf(out, "<span class=\"dot\" style=\"--c:%s\"></span>%s %lld&ensp; ",
                page_component_colour(k), a->part, (long long)k);
    if (a->drawn) {
        page_wrap(out, "&ensp;line: ", a->drawn, "");
        fprintf(out, ", from %s at the bottom to %s", page_figures_of(low, 3).s,
                page_figures_of(high, 3).s);
    }
    fputs("</p>\n", out);
}

static void one(FILE *out, const report_answer *a, int64_t i, double low, double high)
{
    const report_sequence *s = &a->sequence[i];

    fputs("<figure><figcaption>", out);
    if (s->name)
        page_esc(out, s->name);
    else
        fprintf(out, "sequence %lld", (long long)i + 1);
    if (s->shown < s->rows)
        fprintf(out, ": the first %lld of %lld rows", (long long)s->shown, (long long)s->rows);
    else
        fprintf(out, ": %lld row%s", (long long)s->rows, app_plural(s->rows));
    fprintf(
        out,
        "</figcaption><svg role=\"img\" aria-label=\"states over time\" viewBox=\"0 0 %lld %d\" "
        "preserveAspectRatio=\"none\" style=\"display:block;width:100%%;height:68px\">",
        (long long)s->shown, HEIGHT);
    band(out, s);
    line(out, s, low, high);
    fputs("</svg></figure>\n", out);
}

void report_sequences_section(FILE *out, const report *r)
{
    const report_answer *a = r->answer;
    double               low, high;

    if (!a || !a->nsequence)
        return;
    range(a, &low, &high);
    fputs(
        "<section id=\"sequences\"><h2>States over time</h2>\n<p>The likeliest state of each row, "
        "from left to right in the order of the rows. Rows without any value are pale: what is "
        "known of their state comes from the rows around them.</p>\n",
        out);
    legend(out, a, low, high);
    for (int64_t i = 0; i < a->nsequence; i++)
        one(out, a, i, low, high);
    if (a->sequences > a->nsequence)
        fprintf(out, "<p>The first %lld of %lld sequences.</p>\n", (long long)a->nsequence,
                (long long)a->sequences);
    fputs("</section>\n", out);
}
