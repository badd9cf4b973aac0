/* layout.c - the families of the slices of a flat message. */
#include "base/format.h"
#include "meshbayes/expfam.h"

#include <inttypes.h>

enum { TEXT_MAX = 64 * MB_MAX_BLOCKS };
/* Far below overflow of any product of sizes in bytes. */
#define LEN_MAX (SIZE_MAX / 4096)

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char *text)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return h;
}

void mb_layout_text(const mb_layout *l, char *buf, size_t cap)
{
    size_t used = 0;

    if (cap)
        buf[0] = '\0';
    for (int32_t b = 0; b < l->nblock && used < cap; b++) {
        const mb_block *k = &l->block[b];
        int n = mb_format_(buf + used, cap - used, "%s%s:%" PRId32 "*%" PRId32, b ? "; " : "",
                           k->family->name, k->dim, k->count);

        if (n < 0)
            return;
        used += (size_t)n;
    }
}

mb_status mb_layout_add(mb_layout *l, const mb_family *f, int32_t dim, int32_t count, mb_err *err)
{
    char     text[TEXT_MAX];
    mb_block k = {.family = f, .dim = dim, .count = count};

    if (dim < 1 || count < 1)
        MB_FAIL(err, MB_E_ARG,
                "layout: %s with dim %" PRId32 " and count %" PRId32 ": both must be at least 1",
                f->name, dim, count);
    if (l->nblock == MB_MAX_BLOCKS)
        MB_FAIL(err, MB_E_ARG, "layout: %s would be block %d; at most %d are possible", f->name,
                MB_MAX_BLOCKS + 1, MB_MAX_BLOCKS);
    k.off = l->len;
    k.len = f->len(dim);
    k.paper_len = f->paper_len ? f->paper_len(dim) : k.len;
    if (k.paper_len > LEN_MAX / (size_t)count || k.len > LEN_MAX / (size_t)count)
        MB_FAIL(err, MB_E_ARG, "layout: %s:%" PRId32 "*%" PRId32 " is too long", f->name, dim,
                count);
    l->len += k.len * (size_t)count;
    l->paper_len += k.paper_len * (size_t)count;
    if (f->scratch && f->scratch(dim) > l->scratch)
        l->scratch = f->scratch(dim);
    l->block[l->nblock++] = k;
    mb_layout_text(l, text, sizeof text);
    l->hash = hash_text(text);
    return MB_OK;
}

const mb_block *mb_layout_find(const mb_layout *l, const mb_family *f)
{
    for (int32_t b = 0; b < l->nblock; b++)
        if (l->block[b].family == f)
            return &l->block[b];
    return NULL;
}
