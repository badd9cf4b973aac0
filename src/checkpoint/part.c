/* part.c - the nodes of a process as a file: records by ascending id, then where each begins. */
#include "checkpoint/parts.h"

#include <stdio.h>
#include <string.h>

/* Nodes on their way into the part of this process, or out of any part. */
typedef struct nodes {
    const mb_scope_ *k;
    int64_t          number; /* of the part                                      */
    int64_t          count;  /* nodes in it                                      */
    int64_t         *index;  /* count x 2: id of a node, word where it begins    */
    double          *aside;  /* reading: the longest piece that must be the same */
    double          *row;    /* reading: of a letter                             */
    uint8_t         *seen;   /* reading: n_local                                 */
} nodes;

/* A piece of node i that must be the same is read aside and compared. */
static mb_status compare(const nodes *r, const mb_checkpoint_item *o, int32_t i, const void *ours,
                         mb_err *err)
{
    const mb_scope_ *k = r->k;

    MB_TRY(mb_pages_move_(k->f, r->aside, o->bytes / 8, err));
    if (memcmp(r->aside, ours, o->bytes) != 0)
        MB_FAIL(err, MB_E_ARG,
                "%s/round-%09lld-%s: was made with other %s: at node number %d by order of ids",
                k->c->dir, (long long)k->t, k->c->name, o->name, k->p->part->gid[i] + 1);
    return MB_OK;
}

static mb_status move_items(const nodes *r, int32_t i, mb_err *err)
{
    const int64_t *ptr = r->k->p->part->g.ptr;
    mb_pages_     *f = r->k->f;

    for (int32_t q = 0; q < r->k->nitems; q++) {
        const mb_checkpoint_item *o = &r->k->items[q];
        const int64_t             pieces = o->of_links ? ptr[i + 1] - ptr[i] : o->pieces;
        const size_t              step = o->of_links ? o->stride : o->piece_stride;
        char *at = (char *)o->at + (size_t)(o->of_links ? ptr[i] : i) * o->stride;

        for (int64_t piece = 0; o->stride && piece < pieces; piece++, at += step)
            MB_TRY(f->reading && o->fixed ? compare(r, o, i, at, err)
                                          : mb_pages_move_(f, at, o->bytes / 8, err));
    }
    return MB_OK;
}

/* The rows of node i in the state. */
static mb_status move_state(const mb_scope_ *k, int32_t i, mb_err *err)
{
    const mb_state *s = &k->s;
    mb_pages_      *f = k->f;
    const int64_t  *ptr = k->p->part->g.ptr;
    const size_t    len = s->len, row = (size_t)i, naux = (size_t)s->naux;
    const size_t    nmemo = (size_t)s->nmemo;
    const size_t    first = (size_t)(ptr[i] * s->nedge), nedge = (size_t)(ptr[i + 1] * s->nedge);
    int64_t         outside = s->outside[i];

    MB_TRY(mb_pages_move_(f, &outside, 1, err));
    s->outside[i] = outside != 0;
    MB_TRY(mb_pages_move_(f, &s->frozen[i], 1, err));
    MB_TRY(mb_pages_move_(f, &s->projected[i], 1, err));
    MB_TRY(mb_pages_move_(f, &s->by[i], sizeof s->by[i] / 8, err));
    MB_TRY(mb_pages_move_(f, &s->bound[i], 1, err));
    if (nmemo)
        MB_TRY(mb_pages_move_(f, s->memo + row * nmemo, nmemo, err));
    MB_TRY(mb_pages_move_(f, s->phi + row * s->ld, len, err));
    MB_TRY(mb_pages_move_(f, s->phi_star + row * s->ld, len, err));
    if (s->mu)
        MB_TRY(mb_pages_move_(f, s->mu + row * s->ld, k->p->model->layout.len, err));
    if (s->at)
        MB_TRY(mb_pages_move_(f, s->at + row * s->ld, k->p->model->layout.len, err));
    if (naux)
        MB_TRY(mb_pages_move_(f, s->aux + row * naux * s->ld, naux * len, err));
    if (nedge > first)
        MB_TRY(mb_pages_move_(f, s->edge + first * s->ld, (nedge - first) * len, err));
    return MB_OK;
}

/* Numbers of a letter. */
static size_t letter_len(const mb_scope_ *k)
{
    return k->tp->mail ? k->tp->mail->len : k->s.mail.len;
}

/* Letters of an edge, closed by a round that cannot be. */
static mb_status put_letters(const mb_scope_ *k, int64_t e, mb_err *err)
{
    const mb_transport *tp = k->tp;
    mb_letter           letter;
    int64_t             after = -1, none = -1;

    for (; tp->ops->held(tp, k->t, &k->s.mail, e, after, &letter); after = letter.sent) {
        MB_TRY(mb_pages_put_(k->f, &letter.sent, 1, err));
        MB_TRY(mb_pages_put_(k->f, &letter.due, 1, err));
        MB_TRY(mb_pages_put_(k->f, letter.row, letter_len(k), err));
    }
    return mb_pages_put_(k->f, &none, 1, err);
}

static mb_status get_letters(const nodes *r, int64_t e, mb_err *err)
{
    const mb_scope_ *k = r->k;
    mb_mail          mail = k->s.mail;
    mb_letter        letter = {.row = r->row};

    MB_TRY(k->tp->ops->put(k->tp, k->t, &mail, e, NULL, err));
    for (;;) {
        MB_TRY(mb_pages_number_(k->f, -1, k->t, &letter.sent, err));
        if (letter.sent < 0)
            return MB_OK;
        MB_TRY(mb_pages_number_(k->f, 0, INT64_MAX, &letter.due, err));
        MB_TRY(mb_pages_move_(k->f, r->row, letter_len(k), err));
        MB_TRY(k->tp->ops->put(k->tp, k->t, &mail, e, &letter, err));
    }
}

/* The record of row i. What must be the same comes first: another network is refused before its
 * state is read. */
static mb_status move_node(const nodes *r, int32_t i, mb_err *err)
{
    const mb_part *part = r->k->p->part;
    mb_pages_     *f = r->k->f;
    int64_t        deg = part->deg[i];

    MB_TRY(mb_pages_move_(f, &deg, 1, err));
    if (deg != part->deg[i])
        MB_FAIL(err, MB_E_ARG,
                "%s: was made with another network: node number %d by order of ids has %lld "
                "neighbours there and %d here",
                f->path, part->gid[i] + 1, (long long)deg, part->deg[i]);
    MB_TRY(move_items(r, i, err));
    MB_TRY(move_state(r->k, i, err));
    for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++)
        MB_TRY(f->reading ? get_letters(r, e, err) : put_letters(r->k, e, err));
    return MB_OK;
}

static mb_status stamp(const nodes *r, mb_pages_ *f, mb_err *err)
{
    const int64_t head[] = {(int64_t)r->k->hash, r->k->t, r->number, r->count};

    return mb_pages_stamp_(f, head, sizeof head / sizeof *head, err);
}

static mb_status put_part(void *self, mb_pages_ *f, mb_err *err)
{
    const nodes *r = self;

    MB_TRY(stamp(r, f, err));
    for (int32_t i = 0; i < r->count; i++) {
        r->index[2 * i] = r->k->p->part->gid[i];
        r->index[2 * i + 1] = f->at;
        MB_TRY(move_node(r, i, err));
    }
    return mb_pages_put_(f, r->index, 2 * (size_t)r->count, err);
}

static mb_status get_node(const nodes *r, int32_t i, int64_t word, mb_err *err)
{
    if (r->seen[i]++)
        MB_FAIL(err, MB_E_FORMAT, "%s: node number %d is there twice", r->k->f->path,
                r->k->p->part->gid[i] + 1);
    MB_TRY(mb_pages_seek_(r->k->f, word, err));
    return move_node(r, i, err);
}

/* Finds our nodes among those of the part: both lists ascend. */
static mb_status get_part(void *self, mb_pages_ *f, mb_err *err)
{
    nodes         *r = self;
    const mb_part *part = r->k->p->part;
    int32_t        i = 0;
    int64_t        before = -1;

    MB_TRY(stamp(r, f, err));
    MB_TRY(mb_pages_seek_(f, f->words - 2 * r->count, err));
    MB_TRY(mb_pages_move_(f, r->index, 2 * (size_t)r->count, err));
    for (int64_t q = 0; q < r->count; before = r->index[2 * q++]) {
        const int64_t id = r->index[2 * q];

        if (id <= before || id >= part->n_global)
            MB_FAIL(err, MB_E_FORMAT, "%s: node %lld after node %lld", f->path, (long long)id,
                    (long long)before);
        while (i < part->n_local && part->gid[i] < id)
            i++;
        if (i < part->n_local && part->gid[i] == id)
            MB_TRY(get_node(r, i, r->index[2 * q + 1], err));
    }
    return MB_OK;
}

static void name_of(int64_t number, char name[32])
{
    snprintf(name, 32, "part-%04lld.mbck", (long long)number);
}

mb_status mb_part_write_(const char *folder, const mb_scope_ *k, mb_err *err)
{
    nodes r = {.k = k, .number = k->c->rank, .count = k->p->part->n_local};
    char  name[32];

    MB_NEW(r.index, k->a, 2 * r.count + 1, err);
    name_of(r.number, name);
    return mb_scope_file_(k, folder, name, MB_PART_, 0, put_part, &r, err);
}

static mb_status make_room(nodes *r, const mb_manifest_ *m, mb_err *err)
{
    const mb_scope_ *k = r->k;
    size_t           longest = 1;
    int64_t          most = 0;

    for (int32_t q = 0; q < k->nitems; q++)
        longest = k->items[q].bytes / 8 > longest ? k->items[q].bytes / 8 : longest;
    for (int64_t q = 0; q < m->parts; q++)
        most = m->share[q * MB_SHARE_] > most ? m->share[q * MB_SHARE_] : most;
    MB_NEW(r->aside, k->a, longest, err);
    MB_NEW(r->index, k->a, 2 * most + 1, err);
    MB_NEW(r->row, k->a, letter_len(k), err);
    MB_NEW(r->seen, k->a, k->p->part->n_local + 1, err);
    return MB_OK;
}

mb_status mb_parts_read_(const char *folder, const mb_scope_ *k, const mb_manifest_ *m, mb_err *err)
{
    const mb_part *part = k->p->part;
    const int32_t  n = part->n_local;
    nodes          r = {.k = k};
    char           name[32];

    MB_TRY(make_room(&r, m, err));
    for (; r.number < m->parts; r.number++) {
        const int64_t *share = m->share + r.number * MB_SHARE_;

        if (!n || share[1] > part->gid[n - 1] || share[2] < part->gid[0])
            continue;
        r.count = share[0];
        name_of(r.number, name);
        MB_TRY(mb_scope_file_(k, folder, name, MB_PART_, 1, get_part, &r, err));
    }
    for (int32_t i = 0; i < n; i++)
        if (!r.seen[i])
            MB_FAIL(err, MB_E_FORMAT, "%s: node number %d is in no part", folder, part->gid[i] + 1);
    return MB_OK;
}
