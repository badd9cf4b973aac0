/* data.c - which node holds which rows of a data set: grouping, dealing, regrouping. */
#include "base/format.h"
#include "data/sheet.h"

#include <stdio.h>
#include <string.h>

/* An array of n rows of `width` bytes with every row at its place; NULL when there is none, or when
 * there is no memory, which *st says. */
static void *moved(mb_arena *a, const mb_data *d, const int64_t *place, const void *from,
                   size_t width, mb_status *st, mb_err *err)
{
    const char *source = from;
    char       *to = NULL;

    if (from && *st >= 0) {
        to = mb_larger_(a, NULL, 0, (size_t)d->n + 1, width, err);
        *st = to ? MB_OK : MB_E_NOMEM;
    }
    for (int64_t r = 0; to && r < d->n; r++)
        memcpy(to + (size_t)place[r] * width, source + (size_t)r * width, width);
    return to;
}

/* From now on rows are not in the order of the file. */
static mb_status list_rows(mb_arena *a, mb_data *d, mb_err *err)
{
    if (d->file_row)
        return MB_OK;
    MB_NEW(d->file_row, a, d->n + 1, err);
    for (int64_t r = 0; r < d->n; r++)
        d->file_row[r] = r;
    return MB_OK;
}

static mb_status move_all(mb_arena *a, mb_data *d, const int64_t *place, mb_err *err)
{
    mb_status st = list_rows(a, d, err);

    d->x = moved(a, d, place, d->d ? d->x : NULL, (size_t)d->d * sizeof *d->x, &st, err);
    d->w = moved(a, d, place, d->w, sizeof *d->w, &st, err);
    d->label = moved(a, d, place, d->label, sizeof *d->label, &st, err);
    d->file_row = moved(a, d, place, d->file_row, sizeof *d->file_row, &st, err);
    return st;
}

mb_status mb_data_group_(mb_arena *a, mb_data *d, int32_t N, const int32_t *node, mb_err *err)
{
    int64_t *next, *place;
    int      moved = 0;

    MB_NEW(d->first, a, (size_t)N + 1, err);
    MB_NEW(next, a, (size_t)N + 1, err);
    MB_NEW(place, a, d->n + 1, err);
    for (int64_t r = 0; r < d->n; r++)
        d->first[node[r] + 1]++;
    for (int32_t i = 0; i < N; i++)
        d->first[i + 1] += d->first[i];
    memcpy(next, d->first, ((size_t)N + 1) * sizeof *next);
    for (int64_t r = 0; r < d->n; r++) {
        place[r] = next[node[r]]++;
        moved |= place[r] != r;
    }
    d->N = N;
    if (moved)
        MB_TRY(mb_data_move_groups_(a, d, place, err));
    return moved ? move_all(a, d, place, err) : MB_OK;
}

mb_status mb_data_number_columns(mb_arena *a, int32_t d, const char ***out, mb_err *err)
{
    return mb_numbered_(a, "x", d, out, err);
}

/* Ids "1".."N" for rows without nodes. */
static mb_status number_nodes(mb_arena *a, mb_data *d, int32_t N, mb_err *err)
{
    if (N < 1 || d->N)
        MB_FAIL(err, MB_E_ARG, "rows that have nodes already, or %d nodes, cannot be dealt", N);
    return mb_numbered_(a, "", N, &d->node_id, err);
}

mb_status mb_data_deal_blocks(mb_arena *a, mb_data *d, int32_t N, mb_err *err)
{
    const int64_t units = d->group ? d->ngroup : d->n;

    MB_TRY(number_nodes(a, d, N, err));
    MB_NEW(d->first, a, (size_t)N + 1, err);
    for (int32_t i = 0; i < N; i++)
        d->first[i + 1] = d->first[i] + units / N + (i < units % N);
    for (int32_t i = 0; d->group && i <= N; i++)
        d->first[i] = d->group[d->first[i]];
    d->N = N;
    return MB_OK;
}

mb_status mb_data_deal(mb_arena *a, mb_data *d, int32_t N, uint64_t seed, mb_err *err)
{
    int32_t *node;

    MB_TRY(number_nodes(a, d, N, err));
    MB_TRY(mb_deal_(a, seed, N, d->n, d->ngroup, d->group, &node, err));
    return mb_data_group_(a, d, N, node, err);
}

/* to[i]: position of the data's node i in the new list. */
static mb_status find_nodes(mb_arena *scratch_arena, const mb_data *d, int32_t N,
                            const char *const *id, int32_t *to, mb_err *err)
{
    const char **both, **list;
    int32_t     *index, *back, count;

    MB_NEW(both, scratch_arena, (size_t)N + (size_t)d->N, err);
    MB_NEW(index, scratch_arena, (size_t)N + (size_t)d->N, err);
    memcpy(both, id, (size_t)N * sizeof *both);
    memcpy(both + N, d->node_id, (size_t)d->N * sizeof *both);
    MB_TRY(mb_ids_index(scratch_arena, "node ids of the data and the network", (int64_t)N + d->N,
                        both, index, &list, &count, err));
    MB_NEW(back, scratch_arena, count, err);
    for (int32_t i = 0; i < N; i++)
        back[index[i]] = i + 1;
    for (int32_t i = 0; i < d->N; i++) {
        to[i] = back[index[N + i]] - 1;
        if (to[i] < 0)
            MB_FAIL(err, MB_E_ARG, "node \"%.60s\" has rows but is not in the network",
                    d->node_id[i]);
    }
    return MB_OK;
}

mb_status mb_data_regroup(mb_arena *a, mb_data *d, int32_t N, const char *const *id, mb_err *err)
{
    mb_arena *scratch_arena;
    mb_status st;
    int32_t  *to, *node;

    if (!d->N)
        MB_FAIL(err, MB_E_ARG, "rows without nodes cannot be regrouped, they must be dealt");
    MB_NEW(to, a, d->N, err);
    MB_NEW(node, a, d->n + 1, err);
    scratch_arena = mb_arena_new(1 << 16);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for %d node ids", N);
    st = find_nodes(scratch_arena, d, N, id, to, err);
    mb_arena_free(scratch_arena);
    MB_TRY(st);
    for (int32_t i = 0; i < d->N; i++)
        for (int64_t r = d->first[i]; r < d->first[i + 1]; r++)
            node[r] = to[i];
    MB_TRY(mb_texts_copy_(a, N, id, &d->node_id, err));
    return mb_data_group_(a, d, N, node, err);
}
