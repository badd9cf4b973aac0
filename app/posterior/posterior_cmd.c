/* posterior_cmd.c - what is said of the rows that a posterior is applied to. */
#include "posterior/posterior_cmd.h"
#include "model/kind.h"

void posterior_note(const char *cmd, const mb_posterior_rows *r)
{
    if (r->unused)
        app_note(cmd, "%s: columns not used: %s", r->file, r->unused);
}

void posterior_notes(const char *cmd, const mb_posterior_rows *rows)
{
    int32_t            n;
    const char *const *note = mb_reader_notes(rows->reader, &n);

    for (int32_t k = 0; k < n; k++)
        app_note(cmd, "%s", note[k]);
}

mb_status posterior_levels_new(mb_arena *a, const mb_posterior_rows *rows, mb_classification *out,
                               double **room, mb_err *err)
{
    const mb_posterior *p = rows->p;
    const mb_column    *known = mb_kind_levels(p->kind, &p->size);
    const int32_t       levels = known ? known->levels : 2;

    *room = NULL;
    if (!mb_kind_takes_levels(p->kind, &p->size) || rows->rows.d <= p->size.D)
        return MB_OK;
    MB_TRY(mb_classification_new(a, levels, out, err));
    MB_NEW(*room, a, (size_t)rows->batch * (size_t)levels, err);
    return MB_OK;
}

mb_status posterior_levels(const mb_posterior_rows *rows, double *room, mb_classification *out,
                           mb_err *err)
{
    const mb_rows *r = &rows->rows;

    MB_TRY(mb_posterior_rows_predict(rows, MB_WANT_PROB, 0, room, err));
    mb_classification_add(out, r->n, room, rows->x + rows->inputs, (size_t)rows->read, r->w);
    return MB_OK;
}
