/* share.c - rows of one set in several processes: sums bit-identical to those of one process. */
#include "transport/share.h"

mb_status mb_share_make_(mb_arena *a, const mb_comm *comm, int64_t all, mb_share *out, mb_err *err)
{
    const size_t room = (size_t)MB_SHARE_PIECES + 2 * (size_t)comm->size;

    *out = (mb_share){.comm = comm, .all = all};
    out->each = (all + MB_SHARE_PIECES - 1) / MB_SHARE_PIECES;
    out->count = (int32_t)((all + out->each - 1) / out->each);
    MB_NEW(out->out, a, room, err);
    MB_NEW(out->in, a, room, err);
    MB_NEW(out->failed, a, comm->size, err);
    out->first = mb_share_piece_(out, comm->rank) * out->each;
    out->n = mb_share_piece_(out, comm->rank + 1) * out->each;
    out->n = (out->n < all ? out->n : all) - out->first;
    return MB_OK;
}

int32_t mb_share_piece_(const mb_share *s, int32_t rank)
{
    return (int32_t)((int64_t)s->count * rank / s->comm->size);
}

/* Where the part of a process in `len` numbers begins, all of which it adds up. */
static size_t part_of(const mb_share *s, size_t len, int32_t rank)
{
    return len * (size_t)rank / (size_t)s->comm->size;
}

static mb_status trade(mb_share *s, int32_t nout, int32_t nin, mb_err *err)
{
    for (int32_t k = 0; k < nout; k++)
        s->bytes += (int64_t)s->out[k].n;
    return s->comm->trade(s->comm, s->out, nout, s->in, nin, err);
}

/* Every process gets its part of the sums of each piece, and hears who failed. */
static mb_status gather(mb_share *s, size_t len, double *table, mb_err *err)
{
    const int32_t me = s->comm->rank, own = mb_share_piece_(s, me),
                  end = mb_share_piece_(s, me + 1);
    const size_t from = part_of(s, len, me), size = part_of(s, len, me + 1) - from;
    int32_t      nout = 0, nin = 0;

    for (int32_t q = 0; q < s->comm->size; q++) {
        const size_t to = part_of(s, len, q), theirs = part_of(s, len, q + 1) - to;

        if (q == me)
            continue;
        s->out[nout++] = (mb_parcel){q, &s->failed[me], sizeof *s->failed};
        s->in[nin++] = (mb_parcel){q, &s->failed[q], sizeof *s->failed};
        for (int32_t c = own; c < end; c++)
            s->out[nout++] = (mb_parcel){q, table + (size_t)c * len + to, theirs * sizeof *table};
        for (int32_t c = mb_share_piece_(s, q); c < mb_share_piece_(s, q + 1); c++)
            s->in[nin++] = (mb_parcel){q, table + (size_t)c * len + from, size * sizeof *table};
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
    for (int32_t c = 0; c < s->count; c++)
        for (size_t l = part_of(s, len, me); l < part_of(s, len, me + 1); l++)
            sum[l] += table[(size_t)c * len + l];
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
