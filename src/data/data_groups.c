/* data_groups.c - rows in groups of a data set: where each begins, and that no node has only a
 * part. */
#include "data/sheet.h"

static mb_status divided(const mb_data *d, int64_t row, mb_err *err)
{
    char place[MB_PLACE];

    mb_row_place(&d->from, d->file_row ? d->file_row[row] : row, NULL, place);
    MB_FAIL(err, MB_E_FORMAT,
            "%s: its group begins at another node; expected all rows of a group at one", place);
}

static mb_status unequal(const mb_data *d, int64_t row, mb_err *err)
{
    char place[MB_PLACE];

    mb_row_place(&d->from, d->file_row ? d->file_row[row] : row, NULL, place);
    MB_FAIL(err, MB_E_FORMAT,
            "%s: got weight %.9g; expected %.9g, that of the rows before it in its group", place,
            d->w[row], d->w[row - 1]);
}

static mb_status copy_names(mb_arena *a, const int32_t *group, const char *const *name,
                            mb_data *out, mb_err *err)
{
    const char *of[MB_GROUPS_NAMED];

    if (out->ngroup > MB_GROUPS_NAMED)
        return MB_OK;
    for (int32_t g = 0; g < out->ngroup; g++)
        of[g] = name[group[out->group[g]]];
    return mb_texts_copy_(a, out->ngroup, of, &out->group_name, err);
}

mb_status mb_data_groups_(mb_arena *a, const int32_t *group, const char *const *name,
                          const int32_t *node, mb_data *out, mb_err *err)
{
    MB_NEW(out->group, a, (out->n ? group[out->n - 1] : 0) + 2, err);
    for (int64_t j = 0; j < out->n; j++) {
        if (j && group[j] == group[j - 1]) {
            if (node && node[j] != node[j - 1])
                return divided(out, j, err);
            if (out->w && (out->w[j] < out->w[j - 1] || out->w[j] > out->w[j - 1]))
                return unequal(out, j, err);
            continue;
        }
        out->group[out->ngroup++] = j;
    }
    out->group[out->ngroup] = out->n;
    return copy_names(a, group, name, out, err);
}

mb_status mb_data_move_groups_(mb_arena *a, mb_data *d, const int64_t *place, mb_err *err)
{
    const char **name = NULL;
    int64_t     *first, *size;
    int32_t     *nth, n = 0;

    if (!d->group)
        return MB_OK;
    MB_NEW(first, a, (size_t)d->ngroup + 1, err);
    MB_NEW(size, a, (size_t)d->n + 1, err);
    MB_NEW(nth, a, (size_t)d->n + 1, err);
    if (d->group_name)
        MB_NEW(name, a, (size_t)d->ngroup + 1, err);
    for (int32_t g = 0; g < d->ngroup; g++) {
        size[place[d->group[g]]] = d->group[g + 1] - d->group[g];
        nth[place[d->group[g]]] = g;
    }
    for (int64_t j = 0; j < d->n; j += size[j]) {
        if (name)
            name[n] = d->group_name[nth[j]];
        first[n++] = j;
    }
    first[n] = d->n;
    d->group = first;
    d->group_name = name;
    return MB_OK;
}
