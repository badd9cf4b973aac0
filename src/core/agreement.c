/* agreement.c - how well components agree with known classes: accuracy, NMI, ARI from one table of
 * counts. NMI and ARI follow scikit-learn, limiting cases included. */
#include "core/agreement.h"

#include <math.h>
#include <string.h>

static void sum_up(mb_counts_ *t)
{
    const double *count = t->count;

    memset(t->row, 0, (size_t)t->K * sizeof *t->row);
    memset(t->column, 0, (size_t)t->C * sizeof *t->column);
    t->total = 0;
    for (int32_t k = 0; k < t->K; k++)
        for (int32_t c = 0; c < t->C; c++, count++) {
            t->row[k] += *count;
            t->column[c] += *count;
            t->total += *count;
        }
}

static mb_status match_classes(mb_counts_ *t, double *accuracy, int32_t *match, mb_err *err)
{
    const int     turned = t->K > t->C; /* the rows of mb_assign are the shorter side */
    const int32_t few = t->few, many = t->many;
    double        right = 0;

    for (int32_t k = 0; k < t->K; k++)
        for (int32_t c = 0; c < t->C; c++)
            t->cost[turned ? c * (size_t)many + k : k * (size_t)many + c] =
                -t->count[k * (size_t)t->C + c];
    MB_TRY(mb_assign(t->cost, few, many, t->pair, t->scratch, err));
    for (int32_t k = 0; match && k < t->K; k++)
        match[k] = -1;
    for (int32_t r = 0; r < few; r++) {
        right -= t->cost[(size_t)r * (size_t)many + (size_t)t->pair[r]];
        if (match)
            match[turned ? t->pair[r] : r] = turned ? r : t->pair[r];
    }
    *accuracy = right / t->total;
    return MB_OK;
}

/* Entropy of counts, nats; *kinds = how many are not empty. */
static double entropy(const double *count, int32_t n, double total, int32_t *kinds)
{
    double h = 0;

    *kinds = 0;
    for (int32_t l = 0; l < n; l++)
        if (count[l] > 0) {
            h -= count[l] / total * log(count[l] / total);
            ++*kinds;
        }
    return h;
}

static double mutual_information(const mb_counts_ *t)
{
    const double *count = t->count;
    double        mi = 0;

    for (int32_t k = 0; k < t->K; k++)
        for (int32_t c = 0; c < t->C; c++, count++)
            if (*count > 0)
                mi += *count / t->total * (log(*count / t->row[k]) - log(t->column[c] / t->total));
    return mi;
}

static double nmi_of(const mb_counts_ *t)
{
    int32_t      kinds_row, kinds_column;
    const double h_row = entropy(t->row, t->K, t->total, &kinds_row);
    const double h_column = entropy(t->column, t->C, t->total, &kinds_column);

    if (kinds_row == 1 && kinds_column == 1)
        return 1.0; /* no split on either side */
    if (kinds_row == 1 || kinds_column == 1)
        return 0.0;
    return fmax(0.0, mutual_information(t) / ((h_row + h_column) / 2));
}

static double sum_squares(const double *x, size_t n)
{
    double sum = 0;

    for (size_t l = 0; l < n; l++)
        sum += x[l] * x[l];
    return sum;
}

/* Ordered pairs of rows: together in both, apart in one, apart in both. */
static double ari_of(const mb_counts_ *t)
{
    const double cells = sum_squares(t->count, (size_t)t->K * (size_t)t->C);
    const double both = cells - t->total;
    const double row_only = sum_squares(t->row, (size_t)t->K) - cells;
    const double column_only = sum_squares(t->column, (size_t)t->C) - cells;
    const double none = t->total * t->total - row_only - column_only - cells;

    if (!(row_only > 0) && !(column_only > 0))
        return 1.0;
    return 2 * (both * none - row_only * column_only) /
           ((both + row_only) * (row_only + none) + (both + column_only) * (column_only + none));
}

mb_status mb_counts_new_(mb_arena *a, int32_t K, int32_t C, mb_counts_ *out, mb_err *err)
{
    *out = (mb_counts_){.K = K, .C = C, .few = K < C ? K : C, .many = K < C ? C : K};
    if (K < 1 || C < 1)
        MB_FAIL(err, MB_E_ARG, "got %d components and %d classes; expected at least 1 of each", K,
                C);
    MB_NEW(out->count, a, (size_t)K * (size_t)C, err);
    MB_NEW(out->cost, a, (size_t)K * (size_t)C, err);
    MB_NEW(out->row, a, K, err);
    MB_NEW(out->column, a, C, err);
    MB_NEW(out->pair, a, out->few, err);
    out->scratch = mb_alloc(a, mb_assign_scratch(out->few, out->many), 1);
    if (!out->scratch)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to match components with classes");
    return MB_OK;
}

mb_status mb_counts_agreement_(mb_counts_ *t, mb_agreement *out, int32_t *match, mb_err *err)
{
    sum_up(t);
    MB_TRY(match_classes(t, &out->accuracy, match, err));
    out->nmi = out->ari = (double)NAN;
    if (!(t->total > 0)) {
        out->accuracy = (double)NAN;
        return MB_OK;
    }
    out->nmi = nmi_of(t);
    out->ari = ari_of(t);
    return MB_OK;
}

mb_status mb_agreement_of(mb_arena *a, const int64_t *counts, int32_t K, int32_t C,
                          mb_agreement *out, int32_t *match, mb_err *err)
{
    mb_counts_ t;

    MB_TRY(mb_counts_new_(a, K, C, &t, err));
    for (size_t l = 0; l < (size_t)K * (size_t)C; l++)
        t.count[l] = (double)counts[l];
    return mb_counts_agreement_(&t, out, match, err);
}
