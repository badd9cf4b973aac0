/* ahead.c - intervals of the rows that follow a sequence, whose states are known by their
 * probabilities: quantiles of a mixture of normal distributions. */
#include "base/columns.h"
#include "num/num.h"
#include "posterior/posterior.h"

#include <math.h>

enum { HALVINGS = 60 };

/* The mixture of K normals, of which state k has the probability p[k]. */
typedef struct mixture {
    int32_t       K, step; /* from one mean to the next */
    const double *p, *mean, *sd;
} mixture;

static double below(const mixture *m, double x)
{
    double sum = 0;

    for (int32_t k = 0; k < m->K; k++)
        sum += m->p[k] * erfc((m->mean[k * m->step] - x) / m->sd[k * m->step] * sqrt(0.5)) / 2;
    return sum;
}

/* It lies between those of the components. */
static double quantile(const mixture *m, double q)
{
    const double z = mb_student_quantile((double)INFINITY, q);
    double       low = (double)INFINITY, high = -low;

    for (int32_t k = 0; k < m->K; k++) {
        if (m->p[k] > 0 && isnan(m->sd[k * m->step])) /* tails without a standard deviation */
            return q < 0.5 ? -(double)INFINITY : (double)INFINITY;
        const double own = m->mean[k * m->step] + z * m->sd[k * m->step];

        low = fmin(low, own);
        high = fmax(high, own);
    }
    for (int i = 0; i < HALVINGS && low < high; i++) {
        const double middle = low + (high - low) / 2;

        *(below(m, middle) < q ? &low : &high) = middle;
    }
    return low + (high - low) / 2;
}

mb_status mb_ahead_intervals_(mb_arena *a, const mb_posterior *p, int64_t n, const double *states,
                              double level, double *out, mb_err *err)
{
    const mb_columns *columns = p->size.columns;
    mb_summary        of;

    MB_TRY(mb_posterior_summary(a, p, &of, err));
    for (int64_t j = 0; j < n; j++, states += of.rows) {
        int32_t at = 0;

        for (int32_t d = 0; d < p->size.D; d++, out += 2) {
            const mixture        m = {of.rows, of.columns, states, of.mean + at, of.sd + at};
            const mb_column_kind kind = mb_columns_kind(columns, d);
            const double         least = kind == MB_COLUMN_COUNT ? 0 : -(double)INFINITY;
            const int            none = kind >= MB_COLUMN_CATEGORY;

            out[0] = none ? (double)NAN : fmax(least, quantile(&m, (1 - level) / 2));
            out[1] = none ? (double)NAN : quantile(&m, (1 + level) / 2);
            at += mb_column_quantities(columns, d);
        }
    }
    return MB_OK;
}
