/* How well components agree with known classes: accuracy, NMI, ARI from one table of counts.
 * NMI and ARI follow scikit-learn, limiting cases included. */
#include "observe/agreement.h"

#include <float.h>
#include <math.h>

typedef struct table {
    int32_t  K, C;
    double  *count;  /* K x C                                                     */
    double  *row;    /* K: rows of each component                                 */
    double  *column; /* C: rows of each class                                     */
    double   total;
    double  *cost;   /* of the matching: min(K, C) x max(K, C)                    */
    void    *assign; /* scratch of mb_assign                                      */
    int32_t *pair;   /* min(K, C): partner of each row of cost                    */
} table;

static int32_t smaller(int32_t K, int32_t C)
{
    return K < C ? K : C;
}

static int32_t larger(int32_t K, int32_t C)
{
    return K < C ? C : K;
}

size_t mb_agreement_scratch_(int32_t K, int32_t C)
{
    const size_t cells = (size_t)K * (size_t)C, few = (size_t)smaller(K, C);
    return (2 * cells + (size_t)K + (size_t)C) * sizeof(double) +
           mb_assign_scratch(smaller(K, C), larger(K, C)) + (few + few % 2) * sizeof(int32_t);
}

static table carve(const int64_t *counts, int32_t K, int32_t C, void *scratch)
{
    table        t = {.K = K, .C = C};
    const size_t cells = (size_t)K * (size_t)C;
    t.count = scratch;
    t.cost = t.count + cells;
    t.row = t.cost + cells;
    t.column = t.row + K;
    t.assign = t.column + C;
    t.pair = (int32_t *)(void *)((char *)t.assign + mb_assign_scratch(smaller(K, C), larger(K, C)));
    for (int32_t l = 0; l < K + C; l++)
        t.row[l] = 0; /* and column, behind it */
    for (int32_t k = 0; k < K; k++)
        for (int32_t c = 0; c < C; c++) {
            const size_t l = (size_t)k * (size_t)C + (size_t)c;
            t.count[l] = (double)counts[l];
            t.row[k] += t.count[l];
            t.column[c] += t.count[l];
            t.total += t.count[l];
        }
    return t;
}

static mb_status match_classes(table *t, double *accuracy, int32_t *match, mb_err *err)
{
    const int     turned = t->K > t->C; /* mb_assign wants the shorter side as rows */
    const int32_t few = smaller(t->K, t->C), many = larger(t->K, t->C);
    double        right = 0;
    for (int32_t k = 0; k < t->K; k++)
        for (int32_t c = 0; c < t->C; c++) {
            const size_t at = turned ? (size_t)c * (size_t)many + (size_t)k
                                     : (size_t)k * (size_t)many + (size_t)c;
            t->cost[at] = -t->count[(size_t)k * (size_t)t->C + (size_t)c];
        }
    MB_TRY(mb_assign(t->cost, few, many, t->pair, t->assign, err));
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

static double mutual_information(const table *t)
{
    double mi = 0;
    for (int32_t k = 0; k < t->K; k++)
        for (int32_t c = 0; c < t->C; c++) {
            const double nij = t->count[(size_t)k * (size_t)t->C + (size_t)c];
            if (nij > 0)
                mi += nij / t->total * (log(nij / t->row[k]) - log(t->column[c] / t->total));
        }
    return mi;
}

static double nmi_of(const table *t)
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
static double ari_of(const table *t)
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

mb_status mb_agreement_in_(const int64_t *counts, int32_t K, int32_t C, mb_agreement *out,
                           int32_t *match, void *scratch, mb_err *err)
{
    table t = carve(counts, K, C, scratch);
    MB_TRY(match_classes(&t, &out->accuracy, match, err));
    out->nmi = out->ari = (double)NAN;
    if (!(t.total > 0)) {
        out->accuracy = (double)NAN;
        return MB_OK;
    }
    out->nmi = nmi_of(&t);
    out->ari = ari_of(&t);
    return MB_OK;
}

mb_status mb_agreement_of(mb_arena *a, const int64_t *counts, int32_t K, int32_t C,
                          mb_agreement *out, int32_t *match, mb_err *err)
{
    double *scratch;
    if (K < 1 || C < 1)
        MB_FAIL(err, MB_E_ARG, "%d components and %d classes: at least 1 of each", K, C);
    MB_NEW(scratch, a, mb_agreement_scratch_(K, C) / sizeof(double), err);
    return mb_agreement_in_(counts, K, C, out, match, scratch, err);
}
