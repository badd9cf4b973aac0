/* file_npz.c - a posterior as arrays for other programs: an NPZ archive with the names of the JSON
 * file, those of the prior with "prior." before them. It is not read back. */
#include "base/columns.h"
#include "base/text.h"
#include "model/kind.h"
#include "posterior/file.h"

#include <math.h>

static mb_status put_array(mb_npz *z, const char *name, const mb_array *x, mb_err *err)
{
    if (x->item == MB_ITEM_TEXT && !x->ndim)
        return mb_npz_add_text(z, name, *x->text, err);
    if (x->item == MB_ITEM_TEXT)
        return mb_npz_add_texts(z, name, (int32_t)x->shape[0], x->text, err);
    if (x->item == MB_ITEM_REAL)
        return mb_npz_add(z, name, x->ndim, x->shape, x->x, err);
    return mb_npz_add_whole(z, name, x->item == MB_ITEM_BOOL ? MB_WHOLE_BOOL : MB_WHOLE_INTEGER,
                            x->ndim, x->shape, x->x, err);
}

static mb_status put_arrays(mb_npz *z, const mb_array *x, int32_t n, mb_err *err)
{
    for (int32_t k = 0; k < n; k++)
        MB_TRY(put_array(z, x[k].name, &x[k], err));
    return mb_npz_commit(z, err);
}

mb_status mb_arrays_write(mb_arena *a, const mb_array *x, int32_t n, const char *file, mb_err *err)
{
    mb_npz   *z;
    mb_status st;

    MB_TRY(mb_npz_open(a, file, &z, err));
    st = put_arrays(z, x, n, err);
    mb_npz_abort(z);
    return st;
}

/* The fields of par, those that are absent left out. */
static mb_status put_fields(mb_arena *a, mb_npz *z, const mb_posterior *p, const double *par,
                            const char *before, mb_err *err)
{
    mb_array *x;
    int32_t   n;

    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, par, &x, &n, err));
    for (int32_t k = 0; k < n; k++) {
        const char *name = mb_text(a, err, "%s%s", before, x[k].name);

        if (!name)
            return MB_E_NOMEM;
        if (x[k].x)
            MB_TRY(put_array(z, name, &x[k], err));
    }
    return MB_OK;
}

static mb_status put_number(mb_npz *z, const char *name, double x, mb_err *err)
{
    return isfinite(x) ? mb_npz_add(z, name, 0, NULL, &x, err) : MB_OK;
}

/* What the features are: kinds, or the names of the levels of a target. */
static mb_status put_kinds(mb_arena *a, mb_npz *z, const mb_posterior *p, mb_err *err)
{
    const mb_column *levels = mb_kind_levels(p->kind, &p->size);
    const char     **kind;

    if (levels)
        return mb_npz_add_texts(z, "levels", levels->levels, levels->level, err);
    if (!p->size.columns)
        return MB_OK;
    MB_NEW(kind, a, p->size.D, err);
    for (int32_t d = 0; d < p->size.D; d++)
        kind[d] = mb_column_text(&p->size.columns->of[d]);
    return mb_npz_add_texts(z, "kinds", p->size.D, kind, err);
}

/* What the posterior is of. */
static mb_status put_names(mb_arena *a, mb_npz *z, const mb_posterior *p, mb_err *err)
{
    const int32_t targets = mb_kind_targets(p->kind, &p->size);

    MB_TRY(mb_npz_add_text(z, "model", p->kind->name, err));
    for (int32_t c = 0; c < mb_kind_choices(p->kind); c++)
        MB_TRY(
            mb_npz_add_text(z, p->kind->choices[c].name, mb_kind_word(p->kind, &p->size, c), err));
    MB_TRY(mb_npz_add_texts(z, "features", p->size.D, p->column, err));
    if (targets)
        MB_TRY(mb_npz_add_texts(z, "target", targets, p->target, err));
    return put_kinds(a, z, p, err);
}

static mb_status put_posterior(mb_arena *a, mb_npz *z, const mb_posterior *p,
                               const mb_provenance *from, mb_err *err)
{
    MB_TRY(put_names(a, z, p, err));
    if (from->verdict)
        MB_TRY(mb_npz_add_text(z, "verdict", from->verdict, err));
    if (from->weight_total > 0)
        MB_TRY(put_number(z, "weight_total", from->weight_total, err));
    MB_TRY(put_number(z, "bound", from->bound, err));
    MB_TRY(put_fields(a, z, p, p->par, "", err));
    MB_TRY(put_fields(a, z, p, p->prior_par, "prior.", err));
    return mb_npz_commit(z, err);
}

mb_status mb_posterior_arrays_write(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                                    const char *file, mb_err *err)
{
    mb_npz   *z;
    mb_status st;

    MB_TRY(mb_npz_open(a, file, &z, err));
    st = put_posterior(a, z, p, from, err);
    mb_npz_abort(z);
    return st;
}
