/* node.c - a node in a part: one list of its fields, for writing and for reading. */
#include "checkpoint/parts.h"

#include <string.h>

/* A thing that must be the same is read aside and compared. */
static mb_status compare(const mb_scope_ *k, const mb_kept *o, int32_t i, const void *ours,
                         mb_mover_ move, void *file, double *spare, mb_err *err)
{
    MB_TRY(move(file, spare, o->bytes / 8, err));
    if (memcmp(spare, ours, o->bytes) != 0)
        MB_FAIL(err, MB_E_ARG,
                "%s/round-%09lld-%s: was made with other %s: at node number %d by order of ids",
                k->c->dir, (long long)k->t, k->c->name, o->name, k->p->part->gid[i] + 1);
    return MB_OK;
}

/* Of a row, or of its links: the first of them, *count, and how far they are apart. */
static char *kept_of(const mb_scope_ *k, const mb_kept *o, int32_t i, int64_t *count, size_t *apart)
{
    const int64_t *ptr = k->p->part->g.ptr;

    *count = o->of_links ? ptr[i + 1] - ptr[i] : o->pieces;
    *apart = o->of_links ? o->stride : o->apart;
    return (char *)o->at + (size_t)(o->of_links ? ptr[i] : i) * o->stride;
}

static mb_status move_kept(const mb_scope_ *k, int32_t i, int reading, mb_mover_ move, void *file,
                           double *spare, mb_err *err)
{
    for (int32_t q = 0; q < k->nkept; q++) {
        const mb_kept *o = &k->kept[q];
        int64_t        pieces;
        size_t         apart;
        char          *at = kept_of(k, o, i, &pieces, &apart);

        for (int64_t piece = 0; o->stride && piece < pieces; piece++, at += apart) {
            MB_TRY(reading && o->fixed ? compare(k, o, i, at, move, file, spare, err)
                                       : move(file, at, o->bytes / 8, err));
        }
    }
    return MB_OK;
}

size_t mb_fixed_words_(const mb_scope_ *k)
{
    size_t words = 1;

    for (int32_t q = 0; q < k->nkept; q++)
        if (k->kept[q].bytes / 8 > words)
            words = k->kept[q].bytes / 8;
    return words;
}

mb_status mb_node_move_(const mb_scope_ *k, int32_t i, int reading, mb_mover_ move, void *file,
                        double *spare, mb_err *err)
{
    const mb_state *s = &k->s;
    const int64_t  *ptr = k->p->part->g.ptr;
    const size_t    len = s->mail.len, row = (size_t)i, naux = (size_t)s->naux;
    const size_t    nmemo = (size_t)s->nmemo;
    const size_t    first = (size_t)(ptr[i] * s->nedge), nedge = (size_t)(ptr[i + 1] * s->nedge);
    int64_t         outside = s->outside[i];

    /* What is fixed comes first: another network is told before its state is read. */
    MB_TRY(move_kept(k, i, reading, move, file, spare, err));
    MB_TRY(move(file, &outside, 1, err));
    s->outside[i] = outside != 0;
    MB_TRY(move(file, &s->frozen[i], 1, err));
    MB_TRY(move(file, &s->projected[i], 1, err));
    MB_TRY(move(file, &s->bound[i], 1, err));
    if (nmemo)
        MB_TRY(move(file, s->memo + row * nmemo, nmemo, err));
    MB_TRY(move(file, s->phi + row * s->ld, len, err));
    MB_TRY(move(file, s->phi_star + row * s->ld, len, err));
    if (s->mu)
        MB_TRY(move(file, s->mu + row * s->ld, k->p->model->layout.len, err));
    if (naux)
        MB_TRY(move(file, s->aux + row * naux * s->ld, naux * len, err));
    if (nedge > first)
        MB_TRY(move(file, s->edge + first * s->ld, (nedge - first) * len, err));
    return MB_OK;
}
