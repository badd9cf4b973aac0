/* file_parts.c - rows in one NPY file for each process of a job, as if they were in one file. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include "data/parse.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* What the processes tell each other of their parts. */
typedef struct head {
    int64_t n;
    int32_t d, width, big, type;
} head;

static mb_status alike(const struct mb_parts *p, const head *h, const head *of, mb_err *err)
{
    if (h->d != of->d)
        MB_FAIL(err, MB_E_FORMAT, "%s: got %d columns; expected %d, as in the first part", p->name,
                h->d, of->d);
    if (h->width != of->width || h->type != of->type || h->big != of->big)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: got numbers of type %c%d (%s byte first); expected %c%d (%s byte first), as "
                "in the first part",
                p->name, h->type, h->width, h->big ? "high" : "low", of->type, of->width,
                of->big ? "high" : "low");
    return MB_OK;
}

/* An error of this process says whose it is; the first is that of all. */
static mb_status agree(const struct mb_parts *p, mb_status st, const mb_err *own, mb_err *err)
{
    if (st < 0)
        st = mb_fail_(err, st, own->file, own->line, "process %d of %d: %.440s", p->comm->rank,
                      p->comm->size, own->msg);
    return mb_comm_agree(p->comm, st, err);
}

static mb_status tell_heads(mb_arena *a, struct mb_parts *p, const head *own, mb_err *err)
{
    const int32_t size = p->comm->size;
    head          one, begin = *own;
    mb_err        e = {0};

    MB_NEW(p->first, a, size + 1, err);
    for (int32_t q = 0; q < size; q++) {
        one = *own;
        MB_TRY(mb_comm_share(p->comm, q, &one, sizeof one, err));
        begin = q ? begin : one;
        p->first[q + 1] = p->first[q] + one.n;
    }
    MB_TRY(agree(p, alike(p, own, &begin, &e), &e, err));
    if (!p->first[size])
        MB_FAIL(err, MB_E_FORMAT, "%s: got no rows, nor in the other parts; expected some",
                p->name);
    return MB_OK;
}

/* Memory for the file of all rows, which begins with its header. */
static mb_status image(const struct mb_parts *p, const head *h, mb_npy_rows *out, mb_err *err)
{
    const int64_t shape[] = {p->first[p->comm->size], h->d};
    const char    order = h->width == 1 ? '|' : h->big ? '>' : '<';
    char          type[8], text[MB_NPY_HEADER_MAX_];
    size_t        size;

    snprintf(type, sizeof type, "%c%c%d", order, (char)h->type, h->width);
    size = mb_npy_header_(type, 2, shape, text);
    out->bytes = size + (size_t)shape[0] * (size_t)shape[1] * (size_t)h->width;
    out->base = mmap(NULL, out->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (out->base == MAP_FAILED) {
        out->base = NULL;
        MB_FAIL(err, MB_E_NOMEM, "%s: cannot reserve %zu bytes for all parts: %s", p->name,
                out->bytes, strerror(errno));
    }
    memcpy(out->base, text, size);
    return mb_npy_in_memory_(p->name, out, err);
}

/* Rows from .. to - 1 that process q has in its part. */
static void within(const struct mb_parts *p, int32_t q, int64_t *from, int64_t *to)
{
    *from = *from > p->first[q] ? *from : p->first[q];
    *to = *to < p->first[q + 1] ? *to : p->first[q + 1];
    *to = *to > *from ? *to : *from;
}

static mb_parcel parcel(const mb_npy_rows *m, int32_t peer, int64_t row, int64_t n)
{
    const size_t bytes = (size_t)m->d * (size_t)m->width;

    return (mb_parcel){peer, (char *)(uintptr_t)m->numbers + (size_t)row * bytes,
                       (size_t)n * bytes};
}

/* Every process gets the rows wants[2 q] .. wants[2 q + 1] - 1 that it wants. */
static mb_status move(mb_arena *a, const struct mb_parts *p, const int64_t *wants, mb_npy_rows *all,
                      mb_err *err)
{
    const int32_t me = p->comm->rank, size = p->comm->size;
    mb_parcel    *out, *in;
    int32_t       nout = 0, nin = 0;

    MB_NEW(out, a, size, err);
    MB_NEW(in, a, size, err);
    for (int32_t q = 0; q < size; q++) {
        int64_t from = wants[2 * q], to = wants[2 * q + 1];

        within(p, me, &from, &to);
        if (to > from)
            out[nout++] = parcel(&p->own, q, from - p->first[me], to - from);
        if (q == me && to > from) {
            nout--;
            memcpy(parcel(all, me, from, to - from).bytes, out[nout].bytes, out[nout].n);
        }
        from = wants[2 * me];
        to = wants[2 * me + 1];
        within(p, q, &from, &to);
        if (to > from && q != me)
            in[nin++] = parcel(all, q, from, to - from);
    }
    return p->comm->trade(p->comm, out, nout, in, nin, err);
}

/* The hash goes from process to process, in the order of the parts. */
static mb_status hash_all(const struct mb_parts *p, const mb_npy_rows *all, uint64_t *out,
                          mb_err *err)
{
    mb_hash_ hash = mb_hash_begin_();

    mb_npy_hash_rows_(all, 0, 0, &hash); /* the header */
    for (int32_t q = 0; q < p->comm->size; q++) {
        const mb_parcel rows = parcel(&p->own, q, 0, p->own.n);

        if (q == p->comm->rank)
            mb_hash_more_(&hash, rows.bytes, rows.n);
        MB_TRY(mb_comm_share(p->comm, q, &hash, sizeof hash, err));
    }
    *out = mb_hash_end_(&hash);
    return MB_OK;
}

/* The rows that each process wants: all, or its share. */
static mb_status wanted(mb_arena *a, const struct mb_parts *p, int64_t **out, mb_err *err)
{
    const int64_t all = p->first[p->comm->size];
    mb_comm       one = *p->comm;
    mb_share      share = {.n = all};

    MB_NEW(*out, a, 2 * one.size, err);
    for (one.rank = 0; one.rank < one.size; one.rank++) {
        if (all > MB_SHARE_LEAST)
            MB_TRY(mb_share_make_(a, &one, all, p->own.d, &share, err));
        (*out)[2 * one.rank] = share.first;
        (*out)[2 * one.rank + 1] = share.first + share.n;
    }
    return MB_OK;
}

static mb_status join(mb_arena *a, struct mb_parts *p, int gaps, mb_npy_rows *out, uint64_t *hash,
                      mb_err *err)
{
    const mb_npy_rows *m = &p->own;
    const head         own = {m->n, m->d, m->width, m->big, m->type};
    int64_t            found = 0, *wants;
    mb_err             e = {0};

    MB_TRY(tell_heads(a, p, &own, err));
    gaps = gaps && p->first[p->comm->size] <= MB_SHARE_LEAST;
    MB_TRY(agree(p, mb_npy_scan_(p->name, m, 0, m->n, gaps ? &found : NULL, &e), &e, err));
    MB_TRY(wanted(a, p, &wants, err));
    MB_TRY(image(p, &own, out, err));
    MB_TRY(move(a, p, wants, out, err));
    return hash_all(p, out, hash, err);
}

mb_status mb_npy_join(mb_arena *a, const mb_comm *comm, const char *file, int32_t gaps,
                      mb_npy_rows *out, uint64_t *hash, mb_err *err)
{
    struct mb_parts *p;
    mb_err           e = {0};

    if (!comm || comm->size == 1)
        return mb_npy_map(file, out, err);
    *out = (mb_npy_rows){.d = 0};
    MB_NEW(p, a, 1, err);
    p->name = file;
    p->comm = comm;
    MB_TRY(agree(p, mb_npy_map_part_(file, &p->own, &e), &e, err));
    out->parts = p;
    return join(a, p, gaps, out, hash, err);
}

mb_status mb_npy_fetch(mb_arena *a, mb_npy_rows *m, mb_err *err)
{
    const struct mb_parts *p = m->parts;
    int64_t               *wants;

    if (!p)
        return MB_OK;
    MB_NEW(wants, a, 2 * p->comm->size, err);
    wants[1] = p->first[p->comm->size];
    return move(a, p, wants, m, err);
}
