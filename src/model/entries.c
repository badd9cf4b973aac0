/* entries.c - what the entries of statistics are, and how large a row can make them (docs/math.md,
 * section 29). */
#include "model/entries.h"
#include "model/gmm_step.h"

#include <inttypes.h>
#include <math.h>

static const double SQRT2 = 1.41421356237309504880;

mb_entry mb_entry_rows_(double factor, int32_t first, int32_t n)
{
    return (mb_entry){.kind = MB_ENTRY_WEIGHT,
                      .first = first,
                      .components = n,
                      .column = {-1, -1},
                      .columns = 1,
                      .factor = factor,
                      .most = 1};
}

mb_entry mb_entry_product_(mb_entry like, int32_t i, int32_t j)
{
    like.column[0] = i < 0 ? j : i;
    like.column[1] = i < 0 ? -1 : j;
    like.kind = like.column[0] < 0   ? MB_ENTRY_WEIGHT
                : like.column[1] < 0 ? MB_ENTRY_FIRST
                                     : MB_ENTRY_SECOND;
    return like;
}

mb_entry *mb_entries_square_(mb_entry like, int32_t n, int32_t one, mb_entry *out)
{
    mb_entry twice = like;

    twice.factor *= SQRT2;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++)
            *out++ = mb_entry_product_(i == j ? like : twice, i - one, j - one);
    return out;
}

/* Sticks have the rows of a component and those of all after it. */
void mb_entries_weights_(const mb_model *m, int32_t grouped, mb_entry *out)
{
    const mb_family *f = m->layout.block->family;
    const int32_t    K = m->K;

    for (int32_t k = 0; k < K && (f == &mb_dirichlet || f == &mb_sticks); k++) {
        *out = mb_entry_rows_(1, k, 1);
        out++->groups = grouped;
        if (f != &mb_sticks)
            continue;
        *out = mb_entry_rows_(1, k + 1, K - 1 - k);
        if (k == K - 1)
            out->most = 0;
        out++->groups = grouped;
    }
}

void mb_entries_normals_(const mb_model *m, double most, mb_entry *out)
{
    const int32_t D = m->layout.block[MB_GMM_NORMALS_].dim;

    for (int32_t k = 0; k < m->K; k++) {
        mb_entry *to = out + mb_gmm_at_(&m->layout, k), like = mb_entry_rows_(-0.5, k, 1);

        *to++ = mb_entry_rows_(0.5, k, 1);
        like.most = most;
        like.filled = 1;
        mb_entries_square_(like, D + 1, 1, to);
    }
}

void mb_model_entries(const mb_model *m, mb_entry *out)
{
    for (size_t e = 0; e < m->layout.len; e++)
        out[e] = (mb_entry){.column = {-1, -1},
                            .columns = 1,
                            .factor = 1,
                            .least = -(double)INFINITY,
                            .most = (double)INFINITY};
    if (m->ops->entries)
        m->ops->entries(m, out);
}

static double largest(const mb_range *r, int32_t i)
{
    return fmax(fabs(r->low[i]), fabs(r->high[i]));
}

/* Of |f|. */
static double size(const mb_entry *e, const mb_range *r)
{
    double sum = 0;

    if (e->kind < MB_ENTRY_FIRST)
        return e->columns;
    for (int32_t d = 0; d < e->columns; d++)
        sum += largest(r, e->column[0] + d) *
               (e->kind == MB_ENTRY_SECOND ? largest(r, e->column[1] + d) : 1);
    return sum;
}

static mb_status check(const mb_entry *entry, size_t n, const mb_range *r, mb_err *err)
{
    for (int32_t d = 0; d < r->d; d++)
        if (!(r->low[d] <= r->high[d] && isfinite(r->low[d]) && isfinite(r->high[d])))
            MB_FAIL(err, MB_E_ARG,
                    "range of column %" PRId32
                    ": got %g to %g; expected finite numbers, the lower one first",
                    d + 1, r->low[d], r->high[d]);
    for (size_t e = 0; e < n; e++)
        for (int c = 0; c < 2; c++)
            if (entry[e].column[c] > r->d - entry[e].columns)
                MB_FAIL(err, MB_E_SHAPE,
                        "range: got %" PRId32 " columns; expected those of the model, which has "
                        "column %" PRId32,
                        r->d, entry[e].column[c] + entry[e].columns);
    return MB_OK;
}

mb_status mb_entry_bound(const mb_entry *entry, size_t n, const mb_range *range, double *bound,
                         mb_err *err)
{
    MB_TRY(check(entry, n, range, err));
    for (size_t e = 0; e < n; e++) {
        const double c = fmax(fabs(entry[e].least), fabs(entry[e].most));
        const int    free = range->gaps && entry[e].filled && entry[e].kind >= MB_ENTRY_FIRST;

        bound[e] = free || isinf(c) ? (double)INFINITY
                                    : fabs(entry[e].factor) * c * size(&entry[e], range);
    }
    return MB_OK;
}
