/* largest.c - how large the statistics of all rows can be, for algorithms that send integers
 * (docs/math.md, section 31). */
#include "model/model.h"

#include <math.h>

/* Of a row with gaps, whose values may be expected far out, and of what has no limit: times this.
 * Second words keep the bits. */
static const double margin = 0x1p20;

/* 0: e has no limit, nor has what the prior adds (mb_model_ops::prior_at). It becomes that of c = 1,
 * and where its columns are not known that of the narrowest one: an exponent that is too large for
 * what comes is lowered, and one that is too small loses digits. */
static int limit(const mb_model *m, const mb_range *r, mb_entry *e)
{
    if (!m->ops->prior_at && isfinite(e->least) && isfinite(e->most))
        return 1;
    e->least = -1;
    e->most = 1;
    for (int32_t d = 0; e->kind == MB_ENTRY_OTHER && d < r->d; d++)
        e->most = fmin(e->most, fmax(r->low[d] * r->low[d], r->high[d] * r->high[d]));
    return 0;
}

mb_status mb_model_largest_(const mb_model *m, const mb_range *range, double weight,
                            mb_entry *entry, double *most, mb_err *err)
{
    const mb_range full = {.d = range->d, .low = range->low, .high = range->high};

    mb_model_entries(m, entry);
    for (size_t e = 0; e < m->layout.len; e++) {
        const int limited = limit(m, range, &entry[e]);

        MB_TRY(mb_entry_bound(&entry[e], 1, &full, &most[e], err));
        most[e] *= weight * (limited && !range->gaps ? 1 : margin);
    }
    return MB_OK;
}
