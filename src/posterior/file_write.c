/* file_write.c - posterior files written: provenance, columns, the kind's fields, the prior's. */
#include "expfam/expfam.h"
#include "model/kind.h"
#include "posterior/file.h"
#include "posterior/file_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where it comes from; the order of fields is that of docs/formats.md. */
static void provenance(mb_json_out *j, const mb_posterior *p, const mb_provenance *from)
{
    char layout[256], hash[32];

    mb_layout_text(&p->model->layout, layout, sizeof layout);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)from->data_hash);
    mb_json_text(j, "format", "meshbayes posterior");
    mb_json_integer(j, "version", mb_part_version_(p));
    mb_json_text(j, "meshbayes", from->meshbayes ? from->meshbayes : MB_VERSION);
    mb_json_text(j, "model", p->kind->name);
    mb_json_text(j, "algorithm", from->algorithm);
    mb_json_text(j, "of", from->of);
    mb_json_integer(j, "rounds", from->rounds);
    if (from->accelerated)
        mb_json_bool(j, "accelerated", 1);
    mb_json_integer(j, "seed", from->seed);
    mb_json_object(j, "data");
    mb_json_text(j, "file", from->data);
    mb_json_text(j, "hash", hash);
    mb_json_integer(j, "rows", from->data_rows);
    mb_json_close(j);
    mb_json_text(j, "units", "data units");
    mb_json_text(j, "layout", layout);
    mb_json_object(j, "options");
    for (int32_t k = 0; k < from->noptions; k++)
        mb_json_text(j, from->option[k][0], from->option[k][1]);
    mb_json_close(j);
    if (from->verdict)
        mb_json_text(j, "verdict", from->verdict);
    if (from->weight_total > 0)
        mb_json_number(j, "weight_total", from->weight_total);
    if (isfinite(from->bound))
        mb_json_number(j, "bound", from->bound);
}

/* The lower triangles by rows of a field of matrices. */
static mb_status triangles(mb_arena *a, const mb_field *f, const double *par, double **out,
                           mb_err *err)
{
    const size_t len = mb_field_stored(f);

    MB_NEW(*out, a, mb_field_items(f) * len, err);
    for (size_t k = 0; k < mb_field_items(f); k++)
        memcpy(*out + k * len, par + mb_field_at(f, k, 0), len * sizeof **out);
    return MB_OK;
}

static mb_status parameters(mb_arena *a, mb_json_out *j, const mb_posterior *p, const double *par,
                            mb_err *err)
{
    const int64_t version = mb_part_version_(p);
    mb_field      f[MB_FIELDS_MAX];
    mb_array     *x;
    double       *lower;
    int32_t       n;

    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, par, &x, &n, err));
    mb_kind_fields(p->kind, &p->size, f);
    for (int32_t k = 0; k < n; k++) {
        int64_t       shape[3];
        const int32_t ndim = mb_part_shape_(&f[k], version, shape);

        if (!x[k].x)
            mb_json_null(j, x[k].name);
        else if (ndim == f[k].ndim)
            mb_json_numbers(j, x[k].name, ndim, shape, x[k].x);
        else if (!f[k].derived) {
            MB_TRY(triangles(a, &f[k], par, &lower, err));
            mb_json_numbers(j, x[k].name, ndim, shape, lower);
        }
    }
    return MB_OK;
}

mb_status mb_posterior_json(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                            mb_json_out *j, mb_err *err)
{
    mb_json_object(j, NULL);
    provenance(j, p, from);
    mb_part_write_choices_(j, p->kind, &p->size);
    if (p->size.K + p->size.factors)
        mb_json_integer(j, "n_components", p->size.K + p->size.factors);
    mb_json_texts(j, "features", p->size.D, p->column);
    mb_part_write_kinds_(j, p->kind, &p->size, p->column);
    if (p->design)
        mb_part_write_design_(j, p->design);
    mb_part_write_target_(j, mb_kind_targets(p->kind, &p->size), p->target);
    MB_TRY(parameters(a, j, p, p->par, err));
    mb_json_object(j, "prior");
    MB_TRY(parameters(a, j, p, p->prior_par, err));
    mb_json_close(j);
    for (int32_t k = 0; k < from->nmore; k++)
        mb_json_copy(j, from->more + k);
    mb_json_close(j);
    return MB_OK;
}

mb_status mb_posterior_write(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                             const char *file, mb_err *err)
{
    mb_json_out j;

    mb_json_begin(&j, a, err);
    MB_TRY(mb_posterior_json(a, p, from, &j, err));
    return mb_json_write(&j, file);
}

mb_status mb_posterior_text(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                            char **text, size_t *n, mb_err *err)
{
    mb_json_out j;

    mb_json_begin(&j, a, err);
    MB_TRY(mb_posterior_json(a, p, from, &j, err));
    return mb_json_end(&j, text, n);
}
