/* transport/mpi.c - neighbour exchange on a distributed graph communicator.
 *
 * Every peer receives one block a round: a flag for each row it reads (does the node send?), then
 * the rows, or the messages of the edges that leave. Rows of quiet nodes are sent unchanged: sizes
 * are fixed and need no exchange, but where only some messages leave: which ones is sent first. */
#include "transport/mpi.h"
#include "transport/mail.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    int *count, *at; /* npeer: doubles to or from each peer, and where they start */
} block;

typedef struct mpi {
    MPI_Comm    comm, graph; /* all processes; our peers */
    MPI_Request going;
    block       out, in;
    double     *buffer, *arrived; /* what leaves, then what arrives; malloc */
    size_t      room;
    uint8_t    *flags; /* ncross: mb_mail::leaves */
} mpi;

static mb_status check(int code, const char *what, mb_err *err)
{
    char text[MPI_MAX_ERROR_STRING];
    int  len = 0;

    if (code == MPI_SUCCESS)
        return MB_OK;
    MPI_Error_string(code, text, &len);
    MB_FAIL(err, MB_E_PEER, "MPI %s: %.*s", what, len, text);
}

/* The row of the message on the e-th edge that leaves, or of the e-th that arrives. */
static size_t cross_row(const mb_part *part, const mb_mail *mail, int64_t e, int leaves)
{
    return leaves ? (size_t)part->halo.leave[e] : mb_mail_rows(part, mail->fanout) + (size_t)e;
}

/* Messages to peer k, or from it. */
static size_t count(const mb_part *part, const mb_mail *mail, int32_t k, int leaves)
{
    const mb_halo *h = &part->halo;
    size_t         many = 0;

    for (int64_t e = h->cross_ptr[k]; e < h->cross_ptr[k + 1]; e++)
        many += !mail->leaves || mail->leaves[cross_row(part, mail, e, leaves)] == 1;
    return many;
}

/* Blocks of a mail: flags, then rows. *all: numbers of all blocks together. */
static mb_status lay_out(const mb_part *part, const mb_mail *mail, int leaves, block *b,
                         size_t *all, mb_err *err)
{
    const mb_halo *h = &part->halo;
    const int32_t *flags = leaves ? h->read_ptr : h->ghost_ptr;

    *all = 0;
    for (int32_t k = 0; k < h->npeer; k++) {
        const size_t many = (size_t)(flags[k + 1] - flags[k]);
        const size_t rows = mail->fanout == MB_BROADCAST ? many : count(part, mail, k, leaves);
        const size_t size = many + rows * mail->len;

        if (*all + size > INT_MAX)
            MB_FAIL(err, MB_E_NOSUP,
                    "a process exchanges more than %d numbers a round: use more processes",
                    INT_MAX);
        b->at[k] = (int)*all;
        b->count[k] = (int)size;
        *all += size;
    }
    return MB_OK;
}

static mb_status make_room(mpi *m, const mb_part *part, const mb_mail *mail, mb_err *err)
{
    double *larger;
    size_t  out, in;

    MB_TRY(lay_out(part, mail, 1, &m->out, &out, err));
    MB_TRY(lay_out(part, mail, 0, &m->in, &in, err));
    if (out + in > m->room) {
        larger = realloc(m->buffer, (out + in) * sizeof *larger);
        if (!larger)
            MB_FAIL(err, MB_E_NOMEM, "out of memory for %zu bytes of messages",
                    (out + in) * sizeof *larger);
        m->buffer = larger;
        m->room = out + in;
    }
    m->arrived = m->buffer + out;
    return MB_OK;
}

static void pack(const mpi *m, const mb_part *part, const mb_mail *mail)
{
    const mb_halo *h = &part->halo;

    for (int32_t k = 0; k < h->npeer; k++) {
        double *to = m->buffer + m->out.at[k];

        for (int32_t r = h->read_ptr[k]; r < h->read_ptr[k + 1]; r++)
            *to++ = mail->sent[h->read[r]];
        if (mail->fanout == MB_BROADCAST)
            for (int32_t r = h->read_ptr[k]; r < h->read_ptr[k + 1]; r++, to += mail->len)
                memcpy(to, mail->plane + (size_t)h->read[r] * mail->ld, mail->len * sizeof *to);
        else
            for (int64_t e = h->cross_ptr[k]; e < h->cross_ptr[k + 1]; e++)
                if (!mail->leaves || mail->leaves[h->leave[e]] == 1) {
                    memcpy(to, mail->plane + (size_t)h->leave[e] * mail->ld,
                           mail->len * sizeof *to);
                    to += mail->len;
                }
    }
}

/* Blocks arrive in the order of ghosts and of the edges from them: the order of the plane. */
static void unpack(const mpi *m, const mb_part *part, mb_mail *mail)
{
    const mb_halo *h = &part->halo;
    double        *row = mail->plane + mb_mail_rows(part, mail->fanout) * mail->ld;

    for (int32_t k = 0; k < h->npeer; k++) {
        const double *from = m->arrived + m->in.at[k], *end = from + m->in.count[k];

        for (int32_t q = h->ghost_ptr[k]; q < h->ghost_ptr[k + 1]; q++)
            mail->sent[part->n_local + q] = *from++ > 0;
        for (int64_t e = h->cross_ptr[k]; mail->leaves && e < h->cross_ptr[k + 1]; e++)
            if (mail->leaves[cross_row(part, mail, e, 0)] == 1) {
                memcpy(row + (size_t)e * mail->ld, from, mail->len * sizeof *row);
                from += mail->len;
            }
        for (; from < end; from += mail->len, row += mail->ld)
            memcpy(row, from, mail->len * sizeof *row);
    }
}

/* Which messages leave, into the places of ghosts at the peers. */
static mb_status tell(const mpi *m, const mb_part *part, mb_mail *mail, mb_err *err)
{
    const mb_halo *h = &part->halo;

    for (int32_t k = 0; k < h->npeer; k++) {
        m->out.at[k] = m->in.at[k] = (int)h->cross_ptr[k];
        m->out.count[k] = m->in.count[k] = (int)(h->cross_ptr[k + 1] - h->cross_ptr[k]);
    }
    for (int64_t e = 0; e < h->ncross; e++)
        m->flags[e] = mail->leaves[h->leave[e]];
    return check(MPI_Neighbor_alltoallv(m->flags, m->out.count, m->out.at, MPI_UINT8_T,
                                        mail->leaves + cross_row(part, mail, 0, 0), m->in.count,
                                        m->in.at, MPI_UINT8_T, m->graph),
                 "exchange", err);
}

/* Processes of different machines may convert doubles; words of 8 bytes keep their bits, flags too. */
static MPI_Datatype type_of(const mb_mail *mail)
{
    return mail->coding == MB_CODED_INTEGERS ? MPI_UINT64_T : MPI_DOUBLE;
}

static mb_status begin(mb_transport *tp, int64_t t, mb_mail *mail, mb_err *err)
{
    mpi               *m = tp->self;
    const mb_part     *part = tp->part;
    const MPI_Datatype type = type_of(mail);

    (void)t;
    if (mail->leaves)
        MB_TRY(tell(m, part, mail, err));
    MB_TRY(make_room(m, part, mail, err));
    pack(m, part, mail);
    MB_TRY(check(MPI_Ineighbor_alltoallv(m->buffer, m->out.count, m->out.at, type, m->arrived,
                                         m->in.count, m->in.at, type, m->graph, &m->going),
                 "exchange", err));
    mb_mail_fill_(part, mail, 0);
    return MB_OK;
}

static mb_status end(mb_transport *tp, int64_t t, int timeout_ms, mb_mail *mail, mb_err *err)
{
    mpi *m = tp->self;

    (void)t, (void)timeout_ms; /* MPI loses nothing */
    MB_TRY(check(MPI_Wait(&m->going, MPI_STATUS_IGNORE), "exchange", err));
    unpack(m, tp->part, mail);
    mb_mail_fill_(tp->part, mail, 1);
    return MB_OK;
}

static mb_status reduce(mb_transport *tp, mb_reduce op, double *v, int32_t n, mb_err *err)
{
    const MPI_Op how = op == MB_SUM ? MPI_SUM : op == MB_MAX ? MPI_MAX : MPI_MIN;
    const mpi   *m = tp->self;

    return check(MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, how, m->comm), "reduce", err);
}

enum { WALK_DOUBLES = 1 << 16 };

/* In chunks of ids, so that no process holds more than half a megabyte of the others' rows. A row
 * is zero except in the process that owns its node: OR-ing the bytes copies it to all. */
static mb_status walk(mb_transport *tp, const double *v, size_t ld, size_t len, mb_visit see,
                      void *self, mb_err *err)
{
    const mb_part *part = tp->part;
    const mpi     *m = tp->self;
    const size_t   fit = WALK_DOUBLES / len, n = (size_t)part->n_global, bytes = len * sizeof *v;
    const int32_t  chunk = (int32_t)(fit < 1 ? 1 : fit < n ? fit : n);
    double        *rows = calloc((size_t)chunk, bytes);
    mb_status      st = MB_OK;

    if (!rows)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a walk over the nodes");
    for (int32_t low = 0, first = 0; st >= 0 && low < part->n_global; low += chunk) {
        const int32_t here = part->n_global - low < chunk ? part->n_global - low : chunk;

        memset(rows, 0, (size_t)chunk * bytes);
        for (; first < part->n_local && part->gid[first] < low + here; first++)
            memcpy(rows + (size_t)(part->gid[first] - low) * len, v + (size_t)first * ld, bytes);
        st = check(MPI_Allreduce(MPI_IN_PLACE, rows, (int)((size_t)here * bytes), MPI_BYTE, MPI_BOR,
                                 m->comm),
                   "walk", err);
        for (int32_t k = 0; st >= 0 && k < here; k++)
            see(self, low + k, rows + (size_t)k * len);
    }
    free(rows);
    return st;
}

static void close(mb_transport *tp)
{
    mpi *m = tp->self;

    free(m->buffer);
    m->buffer = NULL;
    MPI_Comm_free(&m->graph);
    MPI_Comm_free(&m->comm);
}

static const mb_transport_ops ops = {
    .scheme = "mpi",
    .begin = begin,
    .end = end,
    .reduce = reduce,
    .walk = walk,
    .held = mb_mail_held_,
    .put = mb_mail_put_,
    .close = close,
};

mb_status mb_transport_mpi(mb_arena *a, const mb_part *part, MPI_Comm comm, mb_transport *out,
                           mb_err *err)
{
    const mb_halo *h = &part->halo;
    int           *ones; /* unused weights: MPI_UNWEIGHTED makes gcc warn */
    mpi           *m;

    MB_NEW(m, a, 1, err);
    MB_NEW(ones, a, h->npeer, err);
    MB_NEW(m->out.count, a, h->npeer, err);
    MB_NEW(m->out.at, a, h->npeer, err);
    MB_NEW(m->in.count, a, h->npeer, err);
    MB_NEW(m->in.at, a, h->npeer, err);
    MB_NEW(m->flags, a, h->ncross, err);
    MB_TRY(check(MPI_Comm_dup(comm, &m->comm), "duplicate", err));
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    MB_TRY(check(MPI_Dist_graph_create_adjacent(m->comm, h->npeer, h->peer, ones, h->npeer, h->peer,
                                                ones, MPI_INFO_NULL, 0, &m->graph),
                 "graph", err));
    *out = (mb_transport){.ops = &ops, .part = part, .self = m};
    return MB_OK;
}

static MPI_Comm comm_of(const mb_comm *c)
{
    return *(MPI_Comm *)c->self;
}

static mb_status link(mb_arena *a, const mb_comm *c, const mb_part *part, mb_transport *out,
                      mb_err *err)
{
    return mb_transport_mpi(a, part, comm_of(c), out, err);
}

static mb_status agree(const mb_comm *c, mb_status st, mb_err *err)
{
    mb_err none = {0}, first = {0};
    int    speaker = st < 0 ? c->size - c->rank : 0, loudest = speaker;

    err = err ? err : &none;
    MB_TRY(check(MPI_Allreduce(&speaker, &loudest, 1, MPI_INT, MPI_MAX, comm_of(c)), "agree", err));
    if (!loudest)
        return st;
    if (loudest == speaker)
        first = *err;
    MB_TRY(check(MPI_Bcast(&first, sizeof first, MPI_BYTE, c->size - loudest, comm_of(c)), "agree",
                 err));
    *err = first;
    err->file = "another process";
    return first.code;
}

/* MPI counts in int: more bytes are several messages. */
enum { MESSAGE = 1 << 30 };

static mb_status share(const mb_comm *c, int32_t from, void *bytes, size_t n, mb_err *err)
{
    for (size_t at = 0; at < n; at += MESSAGE) {
        const int len = n - at < MESSAGE ? (int)(n - at) : MESSAGE;

        MB_TRY(check(MPI_Bcast((char *)bytes + at, len, MPI_BYTE, from, comm_of(c)), "share", err));
    }
    return MB_OK;
}

static int32_t messages(const mb_parcel *p, int32_t n)
{
    size_t count = 0;

    for (int32_t k = 0; k < n; k++)
        count += (p[k].n + MESSAGE - 1) / MESSAGE;
    return (int32_t)count;
}

/* Starts all messages of the parcels; *going points behind their requests. */
static mb_status start(MPI_Comm comm, const mb_parcel *p, int32_t n, int sends, MPI_Request **going,
                       mb_err *err)
{
    for (int32_t k = 0; k < n; k++)
        for (size_t at = 0; at < p[k].n; at += MESSAGE) {
            const size_t left = p[k].n - at;
            const int    len = left < MESSAGE ? (int)left : MESSAGE;
            char        *bytes = (char *)p[k].bytes + at;
            const int    code = sends ? MPI_Isend(bytes, len, MPI_BYTE, p[k].peer, 0, comm, *going)
                                      : MPI_Irecv(bytes, len, MPI_BYTE, p[k].peer, 0, comm, *going);

            MB_TRY(check(code, "trade", err));
            ++*going;
        }
    return MB_OK;
}

static mb_status trade(const mb_comm *c, const mb_parcel *out, int32_t nout, const mb_parcel *in,
                       int32_t nin, mb_err *err)
{
    const int32_t count = messages(out, nout) + messages(in, nin);
    MPI_Request  *all = malloc(((size_t)count + 1) * sizeof *all), *going = all;
    mb_status     st;

    if (!all)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for %d messages", count);
    st = start(comm_of(c), in, nin, 0, &going, err);
    if (st >= 0)
        st = start(comm_of(c), out, nout, 1, &going, err);
    for (int32_t k = 0; k < count && st >= 0; k++)
        st = check(MPI_Wait(&all[k], MPI_STATUS_IGNORE), "trade", err);
    free(all);
    return st;
}

mb_status mb_comm_mpi(mb_arena *a, MPI_Comm comm, const mb_comm **out, mb_err *err)
{
    MPI_Comm *own;
    mb_comm  *c;
    int       rank, size;

    MB_NEW(own, a, 1, err);
    *own = comm;
    MB_TRY(check(MPI_Comm_rank(comm, &rank), "start", err));
    MB_TRY(check(MPI_Comm_size(comm, &size), "start", err));
    MB_NEW(c, a, 1, err);
    *c = (mb_comm){rank, size, link, agree, share, trade, own};
    *out = c;
    return MB_OK;
}
