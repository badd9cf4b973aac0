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
        char            members[16] = "";
        int             n;

        if (k->members > 1)
            (void)mb_format_(members, sizeof members, "x%" PRId32, k->members);
        n = mb_format_(buf + used, cap - used, "%s%s:%" PRId32 "%s*%" PRId32, b ? "; " : "",
                       k->family->name, k->dim, members, k->count);
        if (n < 0)
            return;
        used += (size_t)n;
    }
}

/* The lengths of a block whose sizes are positive; 0: too long. */
static int measure(mb_block *k)
{
    const mb_family *f = k->family;
    const size_t     members = (size_t)k->members, slices = (size_t)k->count;
    const size_t     len = f->len(k->dim), paper = f->paper_len ? f->paper_len(k->dim) : len;

    if (len > LEN_MAX / members / slices || paper > LEN_MAX / members / slices)
        return 0;
    k->len = len * members;
    k->paper_len = paper * members;
    return 1;
}

mb_status mb_layout_add_product(mb_layout *l, const mb_family *f, int32_t dim, int32_t members,
                                const int32_t *column, int32_t count, mb_err *err)
{
    char     text[TEXT_MAX];
    mb_block k = {.family = f, .dim = dim, .members = members, .count = count, .column = column};

    if (dim < 1 || members < 1 || count < 1)
        MB_FAIL(err, MB_E_ARG,
                "layout: %s with dim %" PRId32 ", %" PRId32 " members and count %" PRId32
                ": all must be at least 1",
                f->name, dim, members, count);
    if (l->nblock == MB_MAX_BLOCKS)
        MB_FAIL(err, MB_E_ARG, "layout: %s would be block %d; at most %d are possible", f->name,
                MB_MAX_BLOCKS + 1, MB_MAX_BLOCKS);
    if (!measure(&k))
        MB_FAIL(err, MB_E_ARG, "layout: %s:%" PRId32 "x%" PRId32 "*%" PRId32 " is too long",
                f->name, dim, members, count);
    k.off = l->len;
    l->len += k.len * (size_t)count;
    l->paper_len += k.paper_len * (size_t)count;
    if (f->scratch && f->scratch(dim) > l->scratch)
        l->scratch = f->scratch(dim);
    l->block[l->nblock++] = k;
    mb_layout_text(l, text, sizeof text);
    l->hash = hash_text(text);
    return MB_OK;
}

mb_status mb_layout_add(mb_layout *l, const mb_family *f, int32_t dim, int32_t count, mb_err *err)
{
    return mb_layout_add_product(l, f, dim, 1, NULL, count, err);
}

const mb_block *mb_layout_find(const mb_layout *l, const mb_family *f)
{
    for (int32_t b = 0; b < l->nblock; b++)
        if (l->block[b].family == f)
            return &l->block[b];
    return NULL;
}
