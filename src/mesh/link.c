/* link.c - neighbours that come and go, by ascending id. */
#include "mesh/state.h"

#include <string.h>

static void shift_epochs(mb_peer *p, int32_t from, int32_t to, size_t count)
{
    const size_t len = p->sum_len, row = 2 * len, i = (size_t)from, k = (size_t)to;

    memmove(p->branch + to, p->branch + from, count * sizeof *p->branch);
    memmove(p->sum_edge + k * len, p->sum_edge + i * len, count * len * sizeof *p->sum_edge);
    memmove(p->sum_in + k * row, p->sum_in + i * row, count * row * sizeof *p->sum_in);
    memmove(p->sum_out + k * row, p->sum_out + i * row, count * row * sizeof *p->sum_out);
    memmove(p->sum_words + to, p->sum_words + from, count * sizeof *p->sum_words);
}

/* Moves link j, with all that belongs to it, by one place: d = 1 or -1, n of them. */
static void shift(mb_peer *p, int32_t from, int32_t to, int32_t n)
{
    const size_t len = p->len, count = (size_t)n, ring = MB_RING_ * mb_peer_len_(p, 1);

    memmove(p->link + to, p->link + from, count * sizeof *p->link);
    memmove(p->link_guard + to, p->link_guard + from, count * sizeof *p->link_guard);
    memmove(p->z + (size_t)to * len, p->z + (size_t)from * len, count * len * sizeof *p->z);
    memmove(p->out + (size_t)to * len, p->out + (size_t)from * len, count * len * sizeof *p->out);
    if (MB_CHANGES_(p->known != NULL))
        memmove(p->known + to, p->known + from, count * sizeof *p->known);
    if (MB_EPOCHS_(p->epoch != NULL))
        shift_epochs(p, from, to, count);
    if (!p->sent_room)
        return;
    memmove(p->sent + (size_t)to * ring, p->sent + (size_t)from * ring,
            count * ring * sizeof *p->sent);
    memmove(p->got + (size_t)to * ring, p->got + (size_t)from * ring,
            count * ring * sizeof *p->got);
    memmove(p->sent_tick + (size_t)to * MB_RING_, p->sent_tick + (size_t)from * MB_RING_,
            count * MB_RING_ * sizeof *p->sent_tick);
    memmove(p->got_tick + (size_t)to * MB_RING_, p->got_tick + (size_t)from * MB_RING_,
            count * MB_RING_ * sizeof *p->got_tick);
}

void mb_peer_new_life_(mb_peer *p, mb_link_ *l)
{
    const size_t at = (size_t)(l - p->link) * MB_RING_;

    l->acked = 0;
    p->link_guard[l - p->link].ours = 0;
    if (MB_EPOCHS_(p->epoch != NULL))
        mb_epoch_unknown_(p, (int32_t)(l - p->link));
    if (MB_CHANGES_(p->known != NULL))
        p->known[l - p->link].echo = p->known[l - p->link].received = 0;
    if (p->sent_room)
        memset(p->got_tick + at, 0, MB_RING_ * sizeof *p->got_tick);
}

/* Link j is new: nothing was heard, nothing sent. */
static void clear(mb_peer *p, int32_t j, int32_t id)
{
    p->link[j] = (mb_link_){.id = id, .gap = 1, .loss = -1};
    p->link_guard[j] = (mb_link_guard_){0};
    if (MB_CHANGES_(p->known != NULL))
        p->known[j] = (mb_known_){0};
    mb_peer_new_life_(p, &p->link[j]);
    if (MB_EPOCHS_(p->epoch != NULL)) {
        p->sum_words[j] = 0;
        memset(p->sum_edge + (size_t)j * p->sum_len, 0, p->sum_len * sizeof *p->sum_edge);
    }
    memset(p->z + (size_t)j * p->len, 0, p->len * sizeof *p->z);
    if (p->sent_room)
        memset(p->sent_tick + (size_t)j * MB_RING_, 0, MB_RING_ * sizeof *p->sent_tick);
}

int mb_peer_linked(const mb_peer *p, int32_t id)
{
    return mb_peer_find_(p, id) >= 0;
}

mb_status mb_peer_link(mb_peer *p, int32_t id, mb_err *err)
{
    mb_life_ *l = p->life;
    int32_t   j = 0;

    if (id < 0 || id == INT32_MAX || id == p->opt.id)
        MB_FAIL(err, MB_E_ARG, "neighbour: got %ld at node %ld; expected another node's id",
                (long)id, (long)p->opt.id);
    if (mb_peer_linked(p, id))
        MB_FAIL(err, MB_E_ARG, "neighbour %ld: it is there already", (long)id);
    if (l->links == p->opt.neighbours)
        MB_FAIL(err, MB_E_ARG, "neighbour %ld: got one more than the %ld the node was made for",
                (long)id, (long)p->opt.neighbours);
    while (j < l->links && p->link[j].id < id)
        j++;
    shift(p, j, j + 1, l->links - j);
    clear(p, j, id);
    l->links++;
    l->due_ms = INT64_MIN;
    return MB_OK;
}

mb_status mb_peer_unlink(mb_peer *p, int32_t id, mb_err *err)
{
    mb_life_     *l = p->life;
    const int32_t j = mb_peer_find_(p, id);

    if (j < 0)
        MB_FAIL(err, MB_E_ARG, "neighbour %ld: node %ld has none of this id", (long)id,
                (long)p->opt.id);
    l->edges_changed |= p->link[j].live;
    if (MB_MASKS_(p))
        mb_participants_drop_(p, j);
    shift(p, j + 1, j, l->links - j - 1);
    l->links--;
    l->due_ms = INT64_MIN;
    return MB_OK;
}
