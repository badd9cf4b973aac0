/* layout.c - the families of the slices of a flat message. */
#include "base/format.h"
#include "expfam/expfam.h"

#include <inttypes.h>

enum { TEXT_MAX = 64 * MB_MAX_BLOCKS };
/* Far below overflow of any product of sizes in bytes. */
#define LEN_MAX (SIZE_MAX / 4096)

/* FNV-1a, 64 bits. */
static uint64_t hash_text(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return h;
}

/* Sum of the sizes of a slice's members. */
static int64_t sum_of(const mb_block *k)
{
    int64_t sum = 0;

    for (int32_t m = 0; m < k->members; m++)
        sum += k->dims[m];
    return sum;
}

/* Of the text, and of the sizes that it has not. */
static uint64_t hash_of(const mb_layout *l)
{
    char     text[TEXT_MAX], dim[16];
    uint64_t h = UINT64_C(14695981039346656037);

    mb_layout_text(l, text, sizeof text);
    h = hash_text(h, text);
    for (int32_t b = 0; b < l->nblock; b++)
        for (int32_t m = 0; l->block[b].dims && m < l->block[b].members; m++) {
            (void)mb_format_(dim, sizeof dim, " %" PRId32, l->block[b].dims[m]);
            h = hash_text(h, dim);
        }
    return h;
}

void mb_layout_text(const mb_layout *l, char *buf, size_t cap)
{
    size_t used = 0;

    if (cap)
        buf[0] = '\0';
    for (int32_t b = 0; b < l->nblock && used < cap; b++) {
        const mb_block *k = &l->block[b];
        char            members[16] = "", dim[32];
        int             n;

        if (k->dims)
            (void)mb_format_(dim, sizeof dim, "(%lld)", (long long)sum_of(k));
        else if (k->family->parts)
            (void)mb_format_(dim, sizeof dim, "%" PRId32 "/%" PRId32,
                             k->family->parts->size(k->dim), k->family->parts->count(k->dim));
        else
            (void)mb_format_(dim, sizeof dim, "%" PRId32, k->dim);
        if (k->members > 1)
            (void)mb_format_(members, sizeof members, "x%" PRId32, k->members);
        n = mb_format_(buf + used, cap - used, "%s%s:%s%s*%" PRId32 "%s", b ? "; " : "",
                       k->family->name, dim, members, k->count, k->square ? " square" : "");
        if (n < 0)
            return;
        used += (size_t)n;
    }
}

/* Adds `members` members of this size to the lengths of a slice; 0: too long. */
static int measure(mb_block *k, int32_t dim, size_t members)
{
    const mb_family *f = k->family;
    const size_t     slices = (size_t)k->count, most = LEN_MAX / members / slices;
    const size_t     len = f->len(dim), paper = f->paper_len ? f->paper_len(dim) : len;

    if (len > most || paper > most)
        return 0;
    k->len += len * members;
    k->paper_len += paper * members;
    return k->len <= LEN_MAX / slices && k->paper_len <= LEN_MAX / slices;
}

/* The lengths of all members, and their scratch. */
static int measure_all(mb_layout *l, mb_block *k)
{
    int fits = k->dims || measure(k, k->dim, (size_t)k->members);

    for (int32_t m = 0; m < (k->dims ? k->members : 1); m++) {
        const int32_t dim = k->dims ? k->dims[m] : k->dim;
        const size_t  need = k->family->scratch ? k->family->scratch(dim) : 0;

        fits = fits && (!k->dims || measure(k, dim, 1));
        l->scratch = need > l->scratch ? need : l->scratch;
    }
    return fits;
}

static mb_status add(mb_layout *l, mb_block k, mb_err *err)
{
    int32_t least = k.dim;

    for (int32_t m = 0; k.dims && m < k.members; m++)
        least = m && least < k.dims[m] ? least : k.dims[m];
    if (least < 1 || k.members < 1 || k.count < 1)
        MB_FAIL(err, MB_E_ARG,
                "layout: %s with dim %" PRId32 ", %" PRId32 " members and count %" PRId32
                ": all must be at least 1",
                k.family->name, least, k.members, k.count);
    if (l->nblock == MB_MAX_BLOCKS)
        MB_FAIL(err, MB_E_ARG, "layout: %s would be block %d; at most %d are possible",
                k.family->name, MB_MAX_BLOCKS + 1, MB_MAX_BLOCKS);
    if (!measure_all(l, &k))
        MB_FAIL(err, MB_E_ARG, "layout: %s:%" PRId32 "x%" PRId32 "*%" PRId32 " is too long",
                k.family->name, k.dim, k.members, k.count);
    k.off = l->len;
    l->len += k.len * (size_t)k.count;
    l->paper_len += k.paper_len * (size_t)k.count;
    l->block[l->nblock++] = k;
    l->hash = hash_of(l);
    return MB_OK;
}

mb_status mb_layout_add_product(mb_layout *l, const mb_family *f, int32_t dim, int32_t members,
                                const int32_t *column, int32_t count, mb_err *err)
{
    return add(
        l,
        (mb_block){.family = f, .dim = dim, .members = members, .count = count, .column = column},
        err);
}

mb_status mb_layout_add_mixed(mb_layout *l, const mb_family *f, const int32_t *dims,
                              int32_t members, const int32_t *column, int32_t count, mb_err *err)
{
    return add(
        l,
        (mb_block){.family = f, .dims = dims, .members = members, .count = count, .column = column},
        err);
}

mb_status mb_layout_add(mb_layout *l, const mb_family *f, int32_t dim, int32_t count, mb_err *err)
{
    return mb_layout_add_product(l, f, dim, 1, NULL, count, err);
}

mb_status mb_layout_add_picked(mb_layout *l, const mb_family *f, int32_t dim, const int32_t *pick,
                               int32_t picks, mb_err *err)
{
    if (picks < 1 || picks > MB_PICKS_MAX)
        MB_FAIL(err, MB_E_ARG, "layout: %s of %" PRId32 " columns; expected 1 to %d", f->name,
                picks, MB_PICKS_MAX);
    return add(
        l,
        (mb_block){.family = f, .dim = dim, .members = 1, .count = 1, .pick = pick, .picks = picks},
        err);
}

mb_status mb_layout_add_square(mb_layout *l, const mb_family *f, int32_t K, mb_err *err)
{
    if (!f->weights || f->weights->in_order)
        MB_FAIL(err, MB_E_ARG, "layout: %s in a square block: expected exchangeable weights",
                f->name);
    return add(l, (mb_block){.family = f, .dim = K, .members = 1, .count = K, .square = 1}, err);
}

const mb_block *mb_layout_find(const mb_layout *l, const mb_family *f)
{
    for (int32_t b = 0; b < l->nblock; b++)
        if (l->block[b].family == f)
            return &l->block[b];
    return NULL;
}
