/* series.c - series over time: the values with their level, and the forecast as a fan; slope and season
 * below. Rows without a value are shaded. */
#include "base/app.h"
#include "report/answer.h"

#include <math.h>

enum { HEIGHT = 100, EDGE = 6 /* of a drawing, in its own units; a row is 1 wide */ };

static const double z95 = 1.959963984540054, z50 = 0.674489750196082;
static const char   of_values[] = "#1c2430", of_level[] = "#2166ac", of_next[] = "#c2570c";

/* Where a value is, between low at the bottom and high at the top. */
typedef struct scale {
    double low, high;
} scale;

static double at(const scale *s, double x)
{
    return HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (x - s->low) / (s->high - s->low);
}

static void take(scale *s, double x)
{
    if (isfinite(x)) {
        s->low = fmin(s->low, x);
        s->high = fmax(s->high, x);
    }
}

static scale open_scale(void)
{
    return (scale){(double)INFINITY, -(double)INFINITY};
}

static void close_scale(scale *s)
{
    if (!(s->low < s->high)) {
        s->low = isfinite(s->low) ? s->low - 1 : 0;
        s->high = s->low + 2;
    }
}

/* Ends of 95 % intervals of n rows. */
static void take_band(scale *to, const double *mean, const double *sd, int64_t n)
{
    for (int64_t t = 0; t < n; t++) {
        take(to, mean[t] - z95 * sd[t]);
        take(to, mean[t] + z95 * sd[t]);
    }
}

/* Where mean + z sd is; where nothing bounds it, the end of the drawing. */
static double end_of(const scale *of, double mean, double sd, double z)
{
    return isfinite(sd) ? at(of, mean + z * sd) : z > 0 ? 0 : HEIGHT;
}

/* The area between mean - z sd and mean + z sd of n rows, the first of them at x. */
static void band(FILE *out, const scale *of, const double *mean, const double *sd, int64_t n,
                 int64_t x, double z, const char *colour)
{
    fprintf(out, "<polygon fill=\"%s\" fill-opacity=\".22\" points=\"", colour);
    for (int64_t t = 0; t < n; t++)
        fprintf(out, "%.1f,%.2f ", (double)(x + t) + .5, end_of(of, mean[t], sd[t], z));
    for (int64_t t = n; t-- > 0;)
        fprintf(out, "%.1f,%.2f ", (double)(x + t) + .5, end_of(of, mean[t], sd[t], -z));
    fputs("\"/>", out);
}

/* A line through n rows, broken where there is no value; a row alone is a dot. */
static void line(FILE *out, const scale *of, const double *x, int64_t n, int64_t from,
                 const char *colour, double width)
{
    for (int64_t t = 0, end; t < n; t = end) {
        end = t + 1;
        if (isnan(x[t]))
            continue;
        while (end < n && !isnan(x[end]))
            end++;
        fprintf(out,
                "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" "
                "stroke-linecap=\"round\" vector-effect=\"non-scaling-stroke\" points=\"",
                colour, width);
        for (int64_t k = t; k < end; k++)
            fprintf(out, "%.1f,%.2f ", (double)(from + k) + .5, at(of, x[k]));
        if (end == t + 1)
            fprintf(out, "%.1f,%.2f", (double)(from + t) + .5, at(of, x[t]));
        fputs("\"/>", out);
    }
}

static void gaps(FILE *out, const report_course *s)
{
    for (int64_t t = 0, end; t < s->shown; t = end) {
        for (end = t + 1; end < s->shown && !isnan(s->value[end]) == !isnan(s->value[t]);)
            end++;
        if (isnan(s->value[t]))
            fprintf(out,
                    "<rect x=\"%lld\" y=\"0\" width=\"%lld\" height=\"%d\" fill=\"#8a94a3\" "
                    "fill-opacity=\".25\"/>",
                    (long long)t, (long long)(end - t), HEIGHT);
    }
}

/* What it is of, both ends of its scale, then the drawing, `high` pixels high. */
static void open_panel(FILE *out, const report_course *s, const char *what, const scale *of,
                       int high)
{
    page_wrap(out, "<p style=\"margin:.6em 0 .2em\">", what, "");
    fprintf(out,
            ", from %s at the bottom to %s</p>\n<svg role=\"img\" aria-label=\"over time\" "
            "viewBox=\"0 0 %lld %d\" preserveAspectRatio=\"none\" "
            "style=\"display:block;width:100%%;height:%dpx;background:#f6f8fa\">",
            page_figures_of(of->low, 3).s, page_figures_of(of->high, 3).s,
            (long long)(s->shown + s->steps), HEIGHT, high);
    gaps(out, s);
}

static void values(FILE *out, const report_answer *a, const report_course *s)
{
    scale of = open_scale();

    take_band(&of, s->mean, s->sd, s->shown);
    take_band(&of, s->next, s->next_sd, s->steps);
    for (int64_t t = 0; t < s->shown; t++)
        take(&of, s->value[t]);
    close_scale(&of);
    open_panel(out, s, a->target[0], &of, 170);
    band(out, &of, s->mean, s->sd, s->shown, 0, z95, of_level);
    line(out, &of, s->value, s->shown, 0, of_values, 1.1);
    line(out, &of, s->mean, s->shown, 0, of_level, 2);
    if (s->steps) {
        band(out, &of, s->next, s->next_sd, s->steps, s->shown, z95, of_next);
        band(out, &of, s->next, s->next_sd, s->steps, s->shown, z50, of_next);
        line(out, &of, s->next, s->steps, s->shown, of_next, 2);
    }
    fputs("</svg>\n", out);
}

/* A part of the state below the level, about 0. */
static void part(FILE *out, const report_answer *a, const report_course *s, int64_t k)
{
    const double *mean = s->mean + k * s->shown, *sd = s->sd + k * s->shown;
    scale         of = open_scale();

    take_band(&of, mean, sd, s->shown);
    take(&of, 0);
    close_scale(&of);
    open_panel(out, s, a->state[k], &of, 80);
    fprintf(out,
            "<line x1=\"0\" x2=\"%lld\" y1=\"%.2f\" y2=\"%.2f\" stroke=\"#8a94a3\" "
            "stroke-dasharray=\"3 3\" vector-effect=\"non-scaling-stroke\"/>",
            (long long)s->shown, at(&of, 0), at(&of, 0));
    band(out, &of, mean, sd, s->shown, 0, z95, of_level);
    line(out, &of, mean, s->shown, 0, of_level, 1.6);
    fputs("</svg>\n", out);
}

/* Begins an entry of the legend, which stays on one line. */
static void dot(FILE *out, const char *colour)
{
    fprintf(out, "<span style=\"white-space:nowrap\"><span class=\"dot\" style=\"--c:%s\"></span>",
            colour);
}

static void legend(FILE *out, const report_answer *a)
{
    fputs("<p>", out);
    dot(out, of_values);
    fputs("values</span>&ensp; ", out);
    dot(out, of_level);
    for (int64_t k = 0; k < a->states; k++)
        page_wrap(out, k ? ", " : "", a->state[k], "");
    fputs(" given all rows, 95&nbsp;%</span>&ensp; ", out);
    if (a->series[0].steps) {
        dot(out, of_next);
        fputs("what comes next, 50 and 95&nbsp;%</span>&ensp; ", out);
    }
    dot(out, "#dcdfe4");
    fputs("rows without a value</span></p>\n", out);
}

static void one(FILE *out, const report_answer *a, int64_t i)
{
    const report_course *s = &a->series[i];

    fputs("<figure><figcaption>", out);
    if (s->name)
        page_esc(out, s->name);
    else
        fprintf(out, "series %lld", (long long)i + 1);
    if (s->from)
        fprintf(out, ": the last %lld of %lld rows", (long long)s->shown, (long long)s->rows);
    else
        fprintf(out, ": %lld row%s", (long long)s->rows, app_plural(s->rows));
    if (s->steps)
        fprintf(out, ", then %lld ahead", (long long)s->steps);
    fputs("</figcaption>\n", out);
    values(out, a, s);
    for (int64_t k = 1; k < a->states; k++)
        part(out, a, s, k);
    fputs("</figure>\n", out);
}

void report_series_section(FILE *out, const report *r)
{
    const report_answer *a = r->answer;

    if (!a || !a->nseries)
        return;
    fputs("<section id=\"series\"><h2>Series over time</h2>\n<p>From left to right in the order of "
          "the rows. The level is what the values vary about, as all rows of the series say, also "
          "where a value is missing.",
          out);
    fputs(a->series[0].steps ? "</p>\n"
                             : " There is no forecast, which would need the inputs of the rows "
                               "that follow.</p>\n",
          out);
    legend(out, a);
    for (int64_t i = 0; i < a->nseries; i++)
        one(out, a, i);
    if (a->all_series > a->nseries)
        fprintf(out, "<p>The first %lld of %lld series.</p>\n", (long long)a->nseries,
                (long long)a->all_series);
    fputs("</section>\n", out);
}
