/* declared.c - members of a mesh, as a genesis file lists them. */
#include "base/format.h"
#include "mesh/fnv.h"
#include "mesh/genesis.h"

#include <string.h>

int32_t mb_declared_find(const mb_declared *d, int64_t id)
{
    int32_t lo = 0, hi = d ? d->members : 0;

    while (lo < hi) {
        const int32_t mid = lo + (hi - lo) / 2;

        if (d->member[mid].id == id)
            return mid;
        if (d->member[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

const char *mb_declared_who_(const mb_declared *d, int64_t id, const char *what, char out[MB_WHO_])
{
    const int32_t k = mb_declared_find(d, id);
    const char   *name = k < 0 ? NULL : d->member[k].name;

    mb_format_(out, MB_WHO_, "%ld", (long)id);
    if (name && strcmp(name, out) != 0)
        mb_format_(out, MB_WHO_, "%.64s (%ld)", name, (long)id);
    else
        mb_format_(out, MB_WHO_, "%s %ld", what, (long)id);
    return out;
}

static uint64_t member_hash(uint64_t h, const mb_declared *d, int32_t k)
{
    const mb_member *m = &d->member[k];

    h = mb_fnv_integer_(h, (uint64_t)m->id);
    h = mb_fnv_text_(h, m->key ? m->key : "");
    h = mb_fnv_integer_(h, m->signing_key != NULL);
    if (m->signing_key)
        h = mb_fnv_bytes_(h, m->signing_key, MB_SIGNING_KEY);
    h = mb_fnv_reals_(h, &m->rows, 1);
    for (int64_t e = d->links.ptr[k]; e < d->links.ptr[k + 1]; e++)
        h = mb_fnv_integer_(h, (uint64_t)d->member[d->links.adj[e]].id);
    return h;
}

uint64_t mb_declared_hash_(const mb_declared *d)
{
    uint64_t h = mb_fnv_reals_(MB_FNV_BEGIN_, &d->rows, 1);

    h = mb_fnv_integer_(h, (uint64_t)d->at_most);
    h = mb_fnv_integer_(h, (uint64_t)d->gaps);
    h = mb_fnv_integer_(h, d->range != NULL);
    if (d->range)
        h = mb_fnv_reals_(h, d->range, 2 * (size_t)d->columns);
    h = mb_fnv_reals_(mb_fnv_integer_(h, (uint64_t)d->nodes_max), &d->weight_max, 1);
    if (d->algorithm)
        h = mb_fnv_text_(h, d->algorithm);
    if (d->mask)
        h = mb_fnv_integer_(mb_fnv_text_(h, "mask"), (uint64_t)d->mask);
    if (d->rows_batch)
        h = mb_fnv_integer_(mb_fnv_text_(h, "rows_batch"), (uint64_t)d->rows_batch);
    for (int32_t k = 0; k < d->members; k++)
        h = member_hash(h, d, k);
    return h + !h;
}
