/* fields.c - named arrays from flat vectors of textbook parameters. */
#include "base/columns.h"
#include "base/text.h"
#include "model/kind.h"

size_t mb_field_items(const mb_field *f)
{
    return f->ndim > 2 * f->symmetric ? (size_t)f->shape[0] : 1;
}

size_t mb_field_stored(const mb_field *f)
{
    const size_t n = f->symmetric ? (size_t)f->shape[f->ndim - 1] : 1;
    size_t       len = 1;

    for (int32_t k = 1; !f->symmetric && k < f->ndim; k++)
        len *= (size_t)f->shape[k];
    return len * n * (n + 1) / 2;
}

size_t mb_field_size(const mb_field *f)
{
    size_t size = 1;

    for (int32_t k = 0; k < f->ndim; k++)
        size *= (size_t)f->shape[k];
    return size;
}

/* Components by their numbers. */
static mb_status numbered(mb_arena *a, int32_t K, const char *const **out, int32_t *n, mb_err *err)
{
    const char **name;

    MB_NEW(name, a, K, err);
    *out = name;
    *n = K;
    for (int32_t k = 0; k < K; k++)
        if (!(name[k] = mb_text(a, err, "%d", (int)k)))
            return MB_E_NOMEM;
    return MB_OK;
}

mb_status mb_field_names(mb_arena *a, const mb_field *f, const mb_sizes *s,
                         const char *const *column, const char *const **out, int32_t *n,
                         mb_err *err)
{
    const char **name;

    *out = column;
    *n = mb_sizes_inputs(s);
    if (f->over == MB_OVER_INPUTS)
        return MB_OK;
    if (f->over == MB_OVER_COMPONENTS)
        return numbered(a, s->K, out, n, err);
    MB_NEW(name, a, s->D + 1 + mb_sizes_levels(s), err);
    *out = name;
    *n = 0;
    if (f->over == MB_OVER_VARYING && s->intercept)
        name[(*n)++] = "(intercept)";
    for (int32_t d = 0; d < s->D; d++) {
        if (f->over == MB_OVER_VARYING && s->columns && s->columns->of[d].varying)
            name[(*n)++] = column[d];
        if (!(f->over >> mb_columns_kind(s->columns, d) & 1))
            continue;
        if (!(f->over & MB_OVER_LEVELS))
            name[(*n)++] = column[d];
        for (int32_t l = 0; f->over & MB_OVER_LEVELS && l < s->columns->of[d].levels; l++) {
            name[*n] = mb_text(a, err, "%s=%s", column[d], s->columns->of[d].level[l]);
            if (!name[(*n)++])
                return MB_E_NOMEM;
        }
    }
    return MB_OK;
}

/* out: the items of f in `from`, with both triangles of symmetric ones. */
static void unfold(const mb_field *f, const double *from, double *out)
{
    const size_t n = f->symmetric ? (size_t)f->shape[f->ndim - 1] : 0, len = mb_field_stored(f);

    for (size_t k = 0; k < mb_field_items(f); k++) {
        const double *item = from + mb_field_at(f, k, 0);

        for (size_t l = 0; l < len && !n; l++)
            *out++ = from[mb_field_at(f, k, l)];
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                out[i * n + j] = out[j * n + i] = *item++;
        out += n * n;
    }
}

mb_status mb_kind_arrays(mb_arena *a, const mb_kind *kind, const mb_sizes *s, const double *par,
                         mb_array **out, int32_t *count, mb_err *err)
{
    mb_field f[MB_FIELDS_MAX];
    double  *derived, *x;
    size_t   len = 0;

    if (!par)
        MB_FAIL(err, MB_E_ARG, "prior_par: got none; expected the prior's parameters");
    *count = mb_kind_fields(kind, s, f);
    for (int32_t k = 0; k < *count; k++)
        if (f[k].derived && !f[k].absent)
            len += mb_field_items(&f[k]) * mb_field_stored(&f[k]);
    MB_NEW(*out, a, *count, err);
    MB_NEW(derived, a, len, err);
    MB_TRY(mb_kind_derive(a, kind, s, par, derived, err));
    for (int32_t k = 0; k < *count; k++) {
        mb_array *to = &(*out)[k];

        *to = (mb_array){.name = f[k].key, .ndim = f[k].ndim};
        for (int32_t i = 0; i < f[k].ndim; i++)
            to->shape[i] = f[k].shape[i];
        if (f[k].absent)
            continue;
        MB_NEW(x, a, mb_field_size(&f[k]), err);
        unfold(&f[k], f[k].derived ? derived : par, x);
        to->x = x;
    }
    return MB_OK;
}
