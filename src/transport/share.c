/* share.c - rows of one set in several processes: sums bit-identical to those of one process. */
#include "transport/share.h"
#include "transport/transport.h"

/* FEWEST: rows of a slice. FOR_EACH: slices of a piece, at most. NUMBERS: of the moments of all
 * slices, which a process stores, about; rows are cut into fewer slices where they are wide. MANY:
 * processes that pieces cannot be dealt to evenly, unless there are as many. */
enum {
    FEWEST = 1 << 14,
    FOR_EACH = MB_SHARE_SLICES / MB_SHARE_PIECES,
    NUMBERS = 1 << 22,
    MANY = 32
};

mb_cut_ mb_cut_of_(int64_t rows, int32_t d)
{
    const int64_t many = (rows + MB_SHARE_PIECES - 1) / MB_SHARE_PIECES / FEWEST;
    const int64_t wide = NUMBERS / MB_SHARE_PIECES * 2 / ((int64_t)d * d + 1);
    const int64_t some = many < wide ? many : wide;
    const int64_t slices = some < 1 ? 1 : some < FOR_EACH ? some : FOR_EACH;
    const int64_t slice = (rows + MB_SHARE_PIECES * slices - 1) / (MB_SHARE_PIECES * slices);

    return (mb_cut_){.piece = slice * slices, .slice = slice};
}

mb_status mb_share_make_(mb_arena *a, const mb_comm *comm, int64_t all, int32_t d, mb_share *out,
                         mb_err *err)
{
    const mb_cut_ cut = mb_cut_of_(all, d);
    const int     fine = comm->size > MANY && comm->size != MB_SHARE_PIECES;
    size_t        room;

    *out = (mb_share){.comm = comm, .all = all, .slice = cut.slice};
    out->each = fine ? cut.slice : cut.piece;
    out->together = (int32_t)(cut.piece / out->each);
    out->count = (int32_t)((all + out->each - 1) / out->each);
    room = (size_t)out->count + 2 * (size_t)comm->size;
    MB_NEW(out->out, a, room, err);
    MB_NEW(out->in, a, room, err);
    MB_NEW(out->failed, a, comm->size, err);
    out->first = mb_share_chunk_(out, comm->rank) * out->each;
    out->n = mb_share_chunk_(out, comm->rank + 1) * out->each;
    out->n = (out->n < all ? out->n : all) - out->first;
    return MB_OK;
}

int32_t mb_share_chunk_(const mb_share *s, int32_t rank)
{
    return (int32_t)((int64_t)s->count * rank / s->comm->size);
}

/* The chunks here and, of each chunk, one number more than a process's part. With 2 processes half of
 * 64 are here, with 33 one of 33 parts of 1024, and so on: the two are always below this. */
size_t mb_share_room_(size_t len)
{
    return MB_SHARE_PIECES * len + MB_SHARE_SLICES;
}

/* Where the part of a process in `len` numbers begins, all of which it adds up. */
static size_t part_of(const mb_share *s, size_t len, int32_t rank)
{
    return len * (size_t)rank / (size_t)s->comm->size;
}

/* Where a process finds its part of the sums of chunk c: in its own chunks, or after them. */
static double *found(const mb_share *s, size_t len, double *table, int32_t c)
{
    const int32_t me = s->comm->rank, own = mb_share_chunk_(s, me),
                  end = mb_share_chunk_(s, me + 1);
    const size_t width = len / (size_t)s->comm->size + 1;

    return c >= own && c < end ? table + (size_t)(c - own) * len + part_of(s, len, me)
                               : table + (size_t)(end - own) * len + (size_t)c * width;
}

static mb_status trade(mb_share *s, int32_t nout, int32_t nin, mb_err *err)
{
    for (int32_t k = 0; k < nout; k++)
        s->bytes += (int64_t)s->out[k].n;
    return s->comm->trade(s->comm, s->out, nout, s->in, nin, err);
}

/* Every process gets its part of the sums of each chunk, and hears who failed. */
static mb_status gather(mb_share *s, size_t len, double *table, mb_err *err)
{
    const int32_t me = s->comm->rank, here = mb_share_chunk_(s, me + 1) - mb_share_chunk_(s, me);
    const size_t  size = part_of(s, len, me + 1) - part_of(s, len, me);
    int32_t       nout = 0, nin = 0;

    for (int32_t q = 0; q < s->comm->size; q++) {
        const size_t to = part_of(s, len, q), theirs = part_of(s, len, q + 1) - to;

        if (q == me)
            continue;
        s->out[nout++] = (mb_parcel){q, &s->failed[me], sizeof *s->failed};
        s->in[nin++] = (mb_parcel){q, &s->failed[q], sizeof *s->failed};
        for (int32_t c = 0; c < here; c++)
            s->out[nout++] = (mb_parcel){q, table + (size_t)c * len + to, theirs * sizeof *table};
        for (int32_t c = mb_share_chunk_(s, q); c < mb_share_chunk_(s, q + 1); c++)
            s->in[nin++] = (mb_parcel){q, found(s, len, table, c), size * sizeof *table};
    }
    return trade(s, nout, nin, err);
}

/* Every process gives its part of the sum to all others. */
static mb_status spread(mb_share *s, size_t len, double *sum, mb_err *err)
{
    const int32_t me = s->comm->rank;
    const size_t  from = part_of(s, len, me), size = part_of(s, len, me + 1) - from;
    int32_t       k = 0;

    for (int32_t q = 0; q < s->comm->size; q++) {
        const size_t to = part_of(s, len, q), theirs = part_of(s, len, q + 1) - to;

        if (q == me)
            continue;
        s->out[k] = (mb_parcel){q, sum + from, size * sizeof *sum};
        s->in[k++] = (mb_parcel){q, sum + to, theirs * sizeof *sum};
    }
    return trade(s, k, k, err);
}

/* Adds the sums of a piece, whose first chunk is c, to this process's part of all. */
static void add_piece(const mb_share *s, size_t len, double *table, int32_t c, double *sum)
{
    const int32_t end = c + s->together < s->count ? c + s->together : s->count;
    const size_t  size = part_of(s, len, s->comm->rank + 1) - part_of(s, len, s->comm->rank);
    double       *piece = found(s, len, table, c);

    for (int32_t k = c + 1; k < end; k++) {
        const double *next = found(s, len, table, k);

        for (size_t l = 0; l < size; l++)
            piece[l] += next[l];
    }
    for (size_t l = 0; l < size; l++)
        sum[l] += piece[l];
}

mb_status mb_share_sum_(mb_share *s, size_t len, double *table, double *sum, mb_status st,
                        mb_err *err)
{
    const int32_t me = s->comm->rank;
    int           failed = 0;

    s->failed[me] = st < 0;
    MB_TRY(gather(s, len, table, err));
    for (int32_t q = 0; q < s->comm->size; q++)
        failed |= s->failed[q] > 0;
    if (failed)
        return mb_comm_agree(s->comm, st, err);
    for (int32_t c = 0; c < s->count; c += s->together)
        add_piece(s, len, table, c, sum + part_of(s, len, me));
    s->sums++;
    return spread(s, len, sum, err);
}

mb_status mb_share_chain_(mb_share *s, void (*add)(void *self, double *sum), void *self, size_t len,
                          double *sum, mb_err *err)
{
    for (int32_t q = 0; q < s->comm->size; q++) {
        if (q == s->comm->rank)
            add(self, sum);
        MB_TRY(mb_comm_share(s->comm, q, sum, len * sizeof *sum, err));
    }
    return MB_OK;
}

mb_status mb_share_join_(mb_share *s, mb_better_ merge, size_t len, double *v, double *other,
                         mb_err *err)
{
    for (int32_t q = 0; q < s->comm->size; q++) {
        const int mine = q == s->comm->rank;

        MB_TRY(mb_comm_share(s->comm, q, mine ? v : other, len * sizeof *v, err));
        if (!mine)
            (void)merge(v, other, len);
    }
    return MB_OK;
}
