/* sim_rows.c - the rows of the nodes that are computed here: where they lie, and in run units. */
#include "sim.h"

#include <string.h>

static mb_rows view(const sim *s, const double *x, int64_t from, int64_t n)
{
    return (mb_rows){.x = x,
                     .w = s->data.w ? s->data.w + from : NULL,
                     .n = n,
                     .d = s->data.d,
                     .ld = (size_t)s->data.d};
}

/* Each process looks at its own rows; what one finds, all say. */
static mb_status check(const sim *s, mb_err *err)
{
    const mb_part *part = &s->mesh.part;

    for (int32_t i = 0; s->mapped.base && i < part->n_local; i++)
        MB_TRY(mb_npy_check(s->opt.data, &s->mapped, s->data.first[part->gid[i]],
                            s->data.first[part->gid[i] + 1], err));
    return MB_OK;
}

static mb_status labels(sim *s, mb_err *err)
{
    const mb_part *part = &s->mesh.part;
    int64_t        n = 0;

    s->label = s->data.label;
    if (!s->label || s->ranks.size == 1)
        return MB_OK;
    for (int32_t i = 0; i < part->n_local; i++)
        n += s->rows_data[i].n;
    MB_NEW(s->label, s->a, n + 1, err);
    n = 0;
    for (int32_t i = 0; i < part->n_local; i++, n += s->rows_data[i - 1].n)
        memcpy(s->label + n, s->data.label + s->data.first[part->gid[i]],
               (size_t)s->rows_data[i].n * sizeof *s->label);
    return MB_OK;
}

mb_status sim_views(sim *s, mb_err *err)
{
    const mb_part *part = &s->mesh.part;

    MB_TRY(ranks_agree(&s->ranks, check(s, err), err));
    MB_NEW(s->rows_data, s->a, part->n_local, err);
    for (int32_t i = 0; i < part->n_local; i++) {
        const int64_t from = s->data.first[part->gid[i]];

        s->rows_data[i] =
            view(s, s->data.x + from * s->data.d, from, s->data.first[part->gid[i] + 1] - from);
    }
    return labels(s, err);
}

void sim_row(const sim *s, int64_t row, double *x)
{
    for (int32_t d = 0; d < s->data.d; d++)
        x[d] = (s->data.x[row * s->data.d + d] - s->run_origin[d]) / s->run_scale[d];
}

/* Rows of nodes one after the other; their place in `x` is where they are among this process's. */
static mb_status place(sim *s, double *x, mb_err *err)
{
    const mb_part *part = &s->mesh.part;

    MB_NEW(s->mesh.rows, s->a, part->n_local, err);
    for (int32_t i = 0; i < part->n_local; i++) {
        const int64_t from = s->data.first[part->gid[i]], n = s->rows_data[i].n;

        s->mesh.rows[i] = view(s, x, from, n);
        for (int64_t r = from; r < from + n; r++, x += s->data.d)
            sim_row(s, r, x);
    }
    return MB_OK;
}

mb_status sim_run_units(sim *s, mb_err *err)
{
    int64_t n = 0;
    double *x;

    for (int32_t i = 0; i < s->mesh.part.n_local; i++)
        n += s->rows_data[i].n;
    MB_NEW(x, s->a, (size_t)(n + 1) * (size_t)s->data.d, err);
    MB_TRY(place(s, x, err));
    if (s->ranks.size == 1)
        s->all = view(s, x, 0, s->data.n);
    s->one.rows = &s->all;
    s->weight_total = s->data.w ? 0 : (double)s->data.n;
    for (int64_t r = 0; s->data.w && r < s->data.n; r++)
        s->weight_total += s->data.w[r];
    return MB_OK;
}

mb_status sim_whole(sim *s, mb_err *err)
{
    double *x;

    if (s->all.x)
        return MB_OK;
    if (s->mapped.base)
        MB_TRY(mb_npy_check(s->opt.data, &s->mapped, 0, s->data.n, err));
    MB_NEW(x, s->a, (size_t)s->data.n * (size_t)s->data.d, err);
    for (int64_t r = 0; r < s->data.n; r++)
        sim_row(s, r, x + r * s->data.d);
    s->all = view(s, x, 0, s->data.n);
    return MB_OK;
}

mb_status sim_hash(sim *s, uint64_t *hash, mb_err *err)
{
    if (s->mapped.base && !s->data.hash && !s->ranks.rank)
        s->data.hash = mb_bytes_hash(s->mapped.base, s->mapped.bytes);
    MB_TRY(ranks_share(&s->ranks, &s->data.hash, sizeof s->data.hash, err));
    *hash = s->data.hash;
    return MB_OK;
}
