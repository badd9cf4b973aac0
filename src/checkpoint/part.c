/* part.c - the nodes of a process as a file: records by ascending id, then where each begins. */
#include "checkpoint/parts.h"

#include <string.h>

enum { HEAD = 4 /* words behind those of every file: facts, round, part, nodes */ };

static mb_status put(void *file, void *words, size_t n, mb_err *err)
{
    return mb_pages_put_(file, words, n, err);
}

static mb_status get(void *file, void *words, size_t n, mb_err *err)
{
    return mb_pages_get_(file, words, n, err);
}

/* Letters of an edge, closed by a round that can not be. */
static mb_status put_letters(const mb_scope_ *k, int64_t e, mb_pages_out_ *w, mb_err *err)
{
    const mb_transport *tp = k->tp;
    mb_letter           letter;
    int64_t             after = -1;

    for (; tp->ops->held(tp, k->t, &k->s.mail, e, after, &letter); after = letter.sent) {
        MB_TRY(mb_pages_put_number_(w, letter.sent, err));
        MB_TRY(mb_pages_put_number_(w, letter.due, err));
        MB_TRY(mb_pages_put_(w, letter.row, k->s.mail.len, err));
    }
    return mb_pages_put_number_(w, -1, err);
}

static mb_status put_nodes(const mb_scope_ *k, mb_pages_out_ *w, int64_t *index, mb_err *err)
{
    const mb_part *part = k->p->part;

    for (int32_t i = 0; i < part->n_local; i++) {
        index[2 * i] = part->gid[i];
        index[2 * i + 1] = mb_pages_at_(w);
        MB_TRY(mb_pages_put_number_(w, part->deg[i], err));
        MB_TRY(mb_node_move_(k, i, 0, put, w, NULL, err));
        for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++)
            MB_TRY(put_letters(k, e, w, err));
    }
    return mb_pages_put_(w, index, 2 * (size_t)part->n_local, err);
}

mb_status mb_part_write_(mb_arena *a, const char *path, const mb_scope_ *k, mb_err *err)
{
    const int64_t  head[HEAD] = {(int64_t)k->hash, k->t, k->c->rank, k->p->part->n_local};
    mb_pages_out_ *w;
    int64_t       *index;
    mb_status      st;

    MB_NEW(w, a, 1, err);
    MB_NEW(index, a, 2 * k->p->part->n_local + 1, err);
    st = mb_pages_begin_(a, path, MB_PART_, w, err);
    if (st >= 0)
        st = mb_pages_put_(w, head, HEAD, err);
    if (st >= 0)
        st = put_nodes(k, w, index, err);
    if (st >= 0)
        st = mb_pages_commit_(w, err);
    mb_pages_abort_(w);
    return st;
}

/* What it takes to read a process's nodes out of all parts. */
typedef struct reading {
    const mb_scope_ *k;
    int64_t          number; /* of the part */
    mb_pages_in_    *in;     /* its records */
    mb_pages_in_    *index;  /* the same file, where records begin */
    double          *spare;
    double          *row;  /* of a letter */
    uint8_t         *seen; /* n_local */
} reading;

static mb_status get_letters(const reading *r, int64_t e, mb_err *err)
{
    mb_transport *tp = r->k->tp;
    mb_mail       mail = r->k->s.mail;
    mb_letter     letter = {.row = r->row};

    MB_TRY(tp->ops->put(tp, r->k->t, &mail, e, NULL, err));
    for (;;) {
        MB_TRY(mb_pages_get_number_(r->in, -1, r->k->t, &letter.sent, err));
        if (letter.sent < 0)
            return MB_OK;
        MB_TRY(mb_pages_get_number_(r->in, 0, INT64_MAX, &letter.due, err));
        MB_TRY(mb_pages_get_(r->in, r->row, mail.len, err));
        MB_TRY(tp->ops->put(tp, r->k->t, &mail, e, &letter, err));
    }
}

static mb_status get_node(const reading *r, int32_t i, int64_t word, mb_err *err)
{
    const mb_part *part = r->k->p->part;
    int64_t        deg;

    if (r->seen[i]++)
        MB_FAIL(err, MB_E_FORMAT, "%s: node number %d is there twice", r->in->path,
                part->gid[i] + 1);
    MB_TRY(mb_pages_seek_(r->in, word, err));
    MB_TRY(mb_pages_get_(r->in, &deg, 1, err));
    if (deg != part->deg[i])
        MB_FAIL(err, MB_E_ARG,
                "%s: was made with another network: node number %d by order of ids has %lld "
                "neighbours there and %d here",
                r->in->path, part->gid[i] + 1, (long long)deg, part->deg[i]);
    MB_TRY(mb_node_move_(r->k, i, 1, get, r->in, r->spare, err));
    for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++)
        MB_TRY(get_letters(r, e, err));
    return MB_OK;
}

/* Ours among the nodes of the part: both lists ascend. */
static mb_status pick_nodes(const reading *r, int64_t nodes, mb_err *err)
{
    const mb_part *part = r->k->p->part;
    int32_t        i = 0;
    int64_t        before = -1, entry[2];

    MB_TRY(mb_pages_seek_(r->index, r->index->words - 2 * nodes, err));
    for (int64_t q = 0; q < nodes; q++) {
        MB_TRY(mb_pages_get_(r->index, entry, 2, err));
        if (entry[0] <= before || entry[0] >= part->n_global)
            MB_FAIL(err, MB_E_FORMAT, "%s: node %lld behind node %lld", r->index->path,
                    (long long)entry[0], (long long)before);
        before = entry[0];
        while (i < part->n_local && part->gid[i] < entry[0])
            i++;
        if (i < part->n_local && part->gid[i] == entry[0])
            MB_TRY(get_node(r, i, entry[1], err));
    }
    return MB_OK;
}

static mb_status read_part(const reading *r, const char *path, int64_t nodes, mb_err *err)
{
    const int64_t want[HEAD] = {(int64_t)r->k->hash, r->k->t, r->number, nodes};
    int64_t       head[HEAD];

    MB_TRY(mb_pages_open_(path, MB_PART_, r->in, err));
    MB_TRY(mb_pages_open_(path, MB_PART_, r->index, err));
    MB_TRY(mb_pages_get_(r->in, head, HEAD, err));
    if (memcmp(head, want, sizeof head) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: belongs to another checkpoint", path);
    return pick_nodes(r, nodes, err);
}

static int may_hold_ours(const mb_part *part, const int64_t *share)
{
    return part->n_local && share[1] <= part->gid[part->n_local - 1] && share[2] >= part->gid[0];
}

mb_status mb_parts_read_(mb_arena *a, const char *dir, const mb_scope_ *k, const mb_manifest_ *m,
                         mb_err *err)
{
    const mb_part *part = k->p->part;
    reading        r = {.k = k};
    const char    *path;

    MB_NEW(r.in, a, 1, err);
    MB_NEW(r.index, a, 1, err);
    MB_NEW(r.spare, a, mb_fixed_words_(k), err);
    MB_NEW(r.row, a, k->s.mail.len, err);
    MB_NEW(r.seen, a, part->n_local + 1, err);
    for (; r.number < m->parts; r.number++) {
        const int64_t *share = m->share + r.number * MB_SHARE_;
        mb_status      st;

        if (!may_hold_ours(part, share))
            continue;
        MB_TRY(mb_part_path_(a, dir, r.number, &path, err));
        st = read_part(&r, path, share[0], err);
        mb_pages_close_(r.in);
        mb_pages_close_(r.index);
        MB_TRY(st);
    }
    for (int32_t i = 0; i < part->n_local; i++)
        if (!r.seen[i])
            MB_FAIL(err, MB_E_FORMAT, "%s: node number %d is in no part", dir, part->gid[i] + 1);
    return MB_OK;
}
