/* sim_rows.c - the rows of the nodes that are computed here: where they lie, and in run units. */
#include "sim/sim.h"

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

/* Rows in run units, one after the other, in the precision that was asked for. */
typedef struct kept {
    double *x;
    float  *x32;
    double *row; /* one */
} kept;

static mb_status kept_new(sim *s, int64_t n, kept *to, mb_err *err)
{
    const size_t len = (size_t)(n + 1) * (size_t)s->data.d;

    *to = (kept){NULL, NULL, NULL};
    MB_NEW(to->row, s->a, s->data.d, err);
    if (s->opt.precision == SIM_FLOAT32)
        MB_NEW(to->x32, s->a, len, err);
    else
        MB_NEW(to->x, s->a, len, err);
    return MB_OK;
}

/* Rows from .. from + n - 1 of the data become rows at .. of what is kept. */
static mb_rows keep(const sim *s, kept *to, int64_t at, int64_t from, int64_t n)
{
    const int64_t d = s->data.d;
    mb_rows       rows = view(s, to->x ? to->x + at * d : NULL, from, n);

    rows.x32 = to->x32 ? to->x32 + at * d : NULL;
    for (int64_t r = 0; r < n; r++) {
        sim_row(s, from + r, to->x ? to->x + (at + r) * d : to->row);
        for (int64_t i = 0; to->x32 && i < d; i++)
            to->x32[(at + r) * d + i] = (float)to->row[i];
    }
    return rows;
}

mb_status sim_run_units(sim *s, mb_err *err)
{
    const mb_part *part = &s->mesh.part;
    int64_t        n = 0, at = 0;
    kept           to;

    for (int32_t i = 0; i < part->n_local; i++)
        n += s->rows_data[i].n;
    MB_TRY(kept_new(s, n, &to, err));
    MB_NEW(s->mesh.rows, s->a, part->n_local, err);
    for (int32_t i = 0; i < part->n_local; at += s->rows_data[i++].n)
        s->mesh.rows[i] = keep(s, &to, at, s->data.first[part->gid[i]], s->rows_data[i].n);
    mb_npy_rest(&s->mapped);
    if (s->ranks.size == 1) {
        s->all = view(s, to.x, 0, s->data.n);
        s->all.x32 = to.x32;
    }
    s->one.rows = &s->all;
    s->weight_total = s->data.w ? 0 : (double)s->data.n;
    for (int64_t r = 0; s->data.w && r < s->data.n; r++)
        s->weight_total += s->data.w[r];
    return MB_OK;
}

mb_status sim_whole(sim *s, mb_err *err)
{
    kept to;

    if (s->all.x || s->all.x32)
        return MB_OK;
    if (s->mapped.base)
        MB_TRY(mb_npy_check(s->opt.data, &s->mapped, 0, s->data.n, err));
    MB_TRY(kept_new(s, s->data.n, &to, err));
    s->all = keep(s, &to, 0, 0, s->data.n);
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
