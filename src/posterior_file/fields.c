/* fields.c - the parameters of a posterior out of a JSON object, by the table of its kind. */
#include "posterior_file/fields.h"
#include "num/num.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int mb_fields_optional_(mb_json_in *j, const mb_json *o, const mb_kind *kind, mb_sizes *s)
{
    mb_field       f[MB_FIELDS_MAX];
    const int32_t  n = kind->fields(s, f);
    const mb_json *v;

    for (int32_t k = 0; k < n; k++)
        if (f[k].optional && !f[k].derived) {
            v = mb_json_at(o, f[k].key);
            if (v->type == MB_JSON_NONE)
                mb_json_refuse(j, f[k].key, "", "a number, or null for none");
            s->intercept = v->type != MB_JSON_NULL;
            return 1;
        }
    return 0;
}

void mb_fields_check_(mb_json_in *j, const mb_json *o, const mb_kind *kind, const mb_sizes *s)
{
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = kind->fields(s, f);

    for (int32_t k = 0; k < n; k++)
        if (f[k].symmetric && !f[k].derived)
            mb_json_get_numbers(j, o, f[k].key, f[k].ndim, f[k].shape, NULL);
}

/* The field whole, as it stands in the file. */
static mb_status get(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_field *f, double **full)
{
    if (f->absent && mb_json_at(o, f->key)->type != MB_JSON_NULL)
        mb_json_refuse(j, f->key, "", "null, as in the posterior");
    if (f->absent)
        return MB_OK;
    MB_NEW(*full, a, mb_field_size(f), j->err);
    mb_json_get_numbers(j, o, f->key, f->ndim, f->shape, *full);
    return MB_OK;
}

static void above(mb_json_in *j, const mb_field *f, const double *x)
{
    char index[32] = "", accepted[64];

    snprintf(accepted, sizeof accepted, "a number above %g", f->above);
    for (size_t k = 0; k < mb_field_size(f); k++) {
        if (f->ndim)
            snprintf(index, sizeof index, "[%zu]", k);
        if (!(x[k] > f->above))
            mb_json_refuse(j, f->key, index, accepted);
    }
}

/* The lower triangle by rows of a matrix (n x n), which must be symmetric up to the rounding of
 * numbers written as text. index: of the matrix, or "". */
static void lower(mb_json_in *j, const char *key, const char *index, int32_t n, const double *full,
                  double *tril)
{
    const double tol = 1e-9; /* of the geometric mean of the two diagonal entries */
    char         entry[64];

    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c <= r; c++) {
            const double x = full[r * n + c], y = full[c * n + r];

            *tril++ = x;
            snprintf(entry, sizeof entry, "%s[%d][%d]", index, (int)r, (int)c);
            if (!(fabs(x - y) <= tol * sqrt(fabs(full[r * n + r])) * sqrt(fabs(full[c * n + c]))))
                mb_json_refuse(j, key, entry, "a symmetric matrix");
        }
}

/* "[k]", or "" when there is one item only. */
static void item_index(const mb_field *f, size_t k, char *text, size_t cap)
{
    *text = 0;
    if (f->ndim > 2)
        snprintf(text, cap, "[%zu]", k);
}

/* To its place in par. */
static void fold(mb_json_in *j, const mb_field *f, const double *full, double *par)
{
    const int32_t n = f->symmetric ? f->shape[f->ndim - 1] : 0;
    const size_t  len = n ? (size_t)n * (size_t)n : mb_field_stored(f);
    char          index[32];

    for (size_t k = 0; k < mb_field_items(f); k++) {
        double *to = par + f->at + k * f->step;

        item_index(f, k, index, sizeof index);
        if (n)
            lower(j, f->key, index, n, full + k * len, to);
        else
            memcpy(to, full + k * len, len * sizeof *to);
    }
}

/* Destroys full, the matrices. */
static void definite(mb_json_in *j, const mb_field *f, double *full)
{
    const int32_t n = f->shape[f->ndim - 1];
    char          index[32];

    for (size_t k = 0; k < mb_field_items(f); k++) {
        item_index(f, k, index, sizeof index);
        if (mb_chol_(full + k * (size_t)n * (size_t)n, n) != 0)
            mb_json_refuse(j, f->key, index, "a positive definite matrix");
    }
}

/* Equal to x and on, up to the digits that other programs keep; NULL and NaN stand for null. */
static int agree(const mb_json *v, int32_t ndim, const int64_t *shape, const double **x)
{
    double want;

    if (ndim == 0) {
        want = *x ? *(*x)++ : (double)NAN;
        if (v->type != MB_JSON_INTEGER && v->type != MB_JSON_REAL)
            return v->type == MB_JSON_NULL && !isfinite(want);
        return fabs(want - v->number) <= 1e-9 * fabs(want);
    }
    if (v->type != MB_JSON_LIST || v->n != (size_t)shape[0])
        return 0;
    for (size_t k = 0; k < v->n; k++)
        if (!agree(v->item + k, ndim - 1, shape + 1, x))
            return 0;
    return 1;
}

/* Fields that follow from others and were changed alone would mislead whoever reads them. */
static mb_status consistent(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_posterior *p,
                            const double *par)
{
    mb_array *want;
    int32_t   n;

    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, par, &want, &n, j->err));
    for (int32_t k = 0; k < n; k++) {
        const double *x = want[k].x;

        if (!agree(mb_json_at(o, want[k].name), want[k].ndim, want[k].shape, &x))
            mb_json_refuse(j, want[k].name, "", "what follows from the other parameters");
    }
    return j->status;
}

mb_status mb_fields_read_(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_posterior *p,
                          const double **out)
{
    mb_field f[MB_FIELDS_MAX];
    double  *full[MB_FIELDS_MAX] = {NULL}, *par;
    int32_t  n = p->kind->fields(&p->size, f);

    MB_NEW(par, a, p->model.layout.len, j->err);
    for (int32_t k = 0; k < n; k++)
        if (!f[k].derived)
            MB_TRY(get(a, j, o, &f[k], &full[k]));
    MB_TRY(j->status);
    for (int32_t k = 0; k < n; k++)
        if (f[k].bounded)
            above(j, &f[k], full[k]);
    MB_TRY(j->status);
    for (int32_t k = 0; k < n; k++)
        if (full[k])
            fold(j, &f[k], full[k], par);
    MB_TRY(j->status);
    for (int32_t k = 0; k < n; k++)
        if (full[k] && f[k].symmetric)
            definite(j, &f[k], full[k]);
    MB_TRY(j->status);
    *out = par;
    return consistent(a, j, o, p, par);
}
