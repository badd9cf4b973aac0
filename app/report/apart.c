/* apart.c - what sets a component apart from the others, in words. */
#include "report/answer.h"

#include <math.h>

enum { NAMED = 3 /* columns that a sentence names */ };
static const double CLEAR =
    1; /* standard deviations within components: a difference worth naming */

double report_part_rows(const report_answer *a, int64_t k)
{
    return a->rows ? a->rows[k] : PAGE_NAN;
}

int report_part_holds(const report_answer *a, int64_t k)
{
    const double rows = report_part_rows(a, k);

    return isfinite(rows) ? rows >= 0.5 : !a->weight || a->weight[k] >= 1e-3;
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
    double sum = 0, weight = 0;

    for (int64_t j = 0; j < a->parts; j++)
        if (report_part_holds(a, j)) {
            sum += a->weight[j] * pow(a->sd[j * a->columns + d], 2);
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

/* Percentages suit columns in which all components are above 0 and far from it. */
static int is_ratio(const report_answer *a, int64_t d)
{
    const double middle = others(a, d, -1);
    double       spread = within(a, d);

    for (int64_t j = 0; j < a->parts; j++) {
        const double mean = a->mean[j * a->columns + d];

        if (report_part_holds(a, j) && !(mean > 0))
            return 0;
        spread += a->weight[j] * (mean - middle) * (mean - middle);
    }
    return middle > 1.5 * sqrt(spread);
}

static void difference(FILE *out, const report_answer *a, int64_t d, int64_t k)
{
    const double mean = a->mean[k * a->columns + d], rest = others(a, d, k);
    const char  *side = mean < rest ? "lower" : "higher";

    page_wrap(out, "<b>", a->column[d], "</b> ");
    if (is_ratio(a, d) && mean > 2 * rest)
        fprintf(out, "%.1f times as high", mean / rest);
    else if (is_ratio(a, d))
        fprintf(out, "%.0f&nbsp;%% %s", 100 * fabs(mean / rest - 1), side);
    else
        fprintf(out, "%s by %s", side, page_num(fabs(mean - rest), 3).s);
}

/* Standardised difference of component k on column d. */
static double score(const report_answer *a, int64_t d, int64_t k)
{
    const double inside = within(a, d);

    return inside > 0 ? fabs(a->mean[k * a->columns + d] - others(a, d, k)) / sqrt(inside) : 0;
}

/* Of at most 2000 columns. */
void report_apart(FILE *out, const report_answer *a, int64_t k)
{
    int64_t best[NAMED];
    double  size[NAMED];
    int     n = 0;

    for (int64_t d = 0; d < a->columns && d < 2000; d++) {
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
        fputs("no column differs by a standard deviation: it differs in how columns vary together, "
              "or how much",
              out);
}
