/* sample.c - rows and parameters sampled from a posterior. */
#include "base/text.h"
#include "expfam/expfam.h"
#include "model/kind.h"

#include <string.h>

mb_status mb_posterior_sample(const mb_posterior *p, uint64_t seed, int64_t first, int64_t n,
                              double *out, int32_t *component, double *scratch, mb_err *err)
{
    const mb_model *m = p->model;
    const size_t    d = (size_t)p->size.D;
    double         *x = scratch, *work = scratch + (size_t)n * (d + 1);

    if (!m->ops->sample)
        MB_FAIL(err, MB_E_NOSUP, "a %s has no distribution of its inputs", p->kind->name);
    MB_TRY(m->ops->sample(m, p->par, seed, first, n, x, work, err));
    for (int64_t j = 0; j < n; j++, x += d + 1, out += d) {
        if (component)
            component[j] = (int32_t)x[0];
        memcpy(out, x + 1, d * sizeof *out);
    }
    return MB_OK;
}

/* 1: the components have it in common. */
static int is_common(const mb_field *f)
{
    return f->ndim == (f->symmetric ? 2 : 0);
}

/* Numbers of a field in one row: an item with components, else all items. */
static int32_t width(const mb_posterior *p, const mb_field *f)
{
    return f->absent ? 0 : (int32_t)(mb_field_stored(f) * (p->size.K ? 1 : mb_field_items(f)));
}

/* Names of the numbers of one item of a field called `key`; dim: dimensions of the item. */
static mb_status name_item(mb_arena *a, const mb_posterior *p, const mb_field *f, const char *key,
                           int32_t dim, const char ***name, mb_err *err)
{
    const int32_t      columns = width(p, f) / (f->by_target || f->by_factor ? f->shape[0] : 1);
    const char *const *x;
    int32_t            n;

    MB_TRY(mb_field_names(a, f, &p->size, p->column, &x, &n, err));
    if (columns != (dim == 2 ? n * (n + 1) / 2 : dim ? n : 1))
        MB_FAIL(err, MB_E_SHAPE,
                "%s: got %d numbers of an item; expected those of the %d that it runs over", key,
                columns, n);
    for (int32_t i = 0; i < (dim ? n : 1); i++)
        for (int32_t j = 0; j <= (dim == 2 ? i : 0); j++, ++*name) {
            **name = dim == 2 ? mb_text(a, err, "%s.%s.%s", key, x[i], x[j])
                     : dim    ? mb_text(a, err, "%s.%s", key, x[i])
                              : key;
            if (!**name)
                return MB_E_NOMEM;
        }
    return MB_OK;
}

/* Names of the numbers of a field in one row. */
static mb_status name_field(mb_arena *a, const mb_posterior *p, const mb_field *f,
                            const char ***name, mb_err *err)
{
    const int        by = f->by_target || f->by_factor;
    const int32_t    dim = f->ndim - ((p->size.K > 0 && !is_common(f)) || by);
    const mb_column *levels = mb_kind_levels(p->kind, &p->size);

    if (!by)
        return name_item(a, p, f, f->key, dim, name, err);
    for (int32_t t = 0; t < f->shape[0]; t++) {
        const char *key = f->by_factor ? mb_text(a, err, "%s.%d", f->key, (int)t + 1)
                                       : mb_text(a, err, "%s.%s", f->key,
                                                 levels ? levels->level[t + 1] : p->target[t]);

        if (!key)
            return MB_E_NOMEM;
        MB_TRY(name_item(a, p, f, key, dim, name, err));
    }
    return MB_OK;
}

mb_status mb_posterior_draws(mb_arena *a, const mb_posterior *p, mb_draws *out, mb_err *err)
{
    const int32_t K = p->size.K;
    mb_field      f[MB_FIELDS_MAX];
    const char  **name;
    int32_t       n;

    n = mb_kind_drawn(p->kind, &p->size, f);
    if (!n)
        MB_FAIL(err, MB_E_NOSUP, "the parameters of a %s posterior cannot be sampled",
                p->kind->name);
    *out = (mb_draws){.rows = K ? K : 1, .columns = K ? 2 : 1};
    for (int32_t k = 0; k < n; k++)
        out->columns += width(p, &f[k]);
    MB_NEW(name, a, out->columns, err);
    out->name = name;
    *name++ = "draw";
    if (K)
        *name++ = "component";
    for (int32_t k = 0; k < n; k++)
        if (!f[k].absent)
            MB_TRY(name_field(a, p, &f[k], &name, err));
    return MB_OK;
}

size_t mb_posterior_draw_scratch(const mb_posterior *p)
{
    return mb_random_len(&p->model->layout) + p->model->layout.scratch;
}

/* Each draw has a place of its own in the generator; sampled rows are at node 0. */
mb_status mb_posterior_draw(const mb_posterior *p, uint64_t seed, int64_t j, double *out,
                            double *scratch, mb_err *err)
{
    const mb_layout *l = &p->model->layout;
    const int32_t    K = p->size.K, rows = K ? K : 1;
    mb_rng           rng = mb_rng_at(seed, MB_STREAM_SAMPLE, 1, (uint64_t)j);
    mb_field         f[MB_FIELDS_MAX];
    const int32_t    n = mb_kind_drawn(p->kind, &p->size, f);

    MB_TRY(mb_random(l, p->par, &rng, scratch, scratch + mb_random_len(l), err));
    for (int32_t k = 0; k < rows; k++) {
        *out++ = (double)(j + 1);
        if (K)
            *out++ = k;
        for (int32_t i = 0; i < n; i++) {
            const size_t len = (size_t)width(p, &f[i]), each = mb_field_stored(&f[i]);
            const size_t item = is_common(&f[i]) ? 0 : (size_t)k;

            for (size_t e = 0; e < len; e++)
                *out++ = scratch[mb_field_at(&f[i], item + e / each, e % each)];
        }
    }
    return MB_OK;
}
