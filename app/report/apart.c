/* apart.c - what sets a component apart from the others, in words. */
#include "report/answer.h"

#include <math.h>

enum { NAMED = 3 /* columns that a sentence names */, MOST_COLUMNS = 2000 /* looked at */ };
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

    for (int64_t d = 0; d < a->columns && d < MOST_COLUMNS; d++) {
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

    for (int64_t j = 1; j < a->columns && j < MOST_COLUMNS; j++)
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

    for (int64_t d = 0; d < a->columns && d < MOST_COLUMNS; d++) {
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
