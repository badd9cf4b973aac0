/* queue.c - what is to happen, by time (a binary heap), and a pool of packets. */
#include "virtual/inside.h"

#include "data/parse.h"

#include <assert.h>
#include <string.h>

static int before(const mb_item_ *a, const mb_item_ *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

mb_status mb_plan_item_(mb_virtual *v, int64_t at, mb_item_kind_ kind, int64_t what, uint64_t mark,
                        mb_packet_ *packet, mb_err *err)
{
    const mb_item_ item = {at, (uint64_t)kind << 56 | v->planned++, what, mark, packet};
    size_t         k = v->items;

    assert(at >= v->now);
    if (v->items == v->room) {
        const size_t room = v->room ? 2 * v->room : 256;

        v->heap = mb_larger_(v->own, v->heap, v->items, room, sizeof *v->heap, err);
        if (!v->heap)
            return MB_E_NOMEM;
        v->room = room;
    }
    v->items++;
    for (; k > 0 && before(&item, &v->heap[(k - 1) / 2]); k = (k - 1) / 2)
        v->heap[k] = v->heap[(k - 1) / 2];
    v->heap[k] = item;
    return MB_OK;
}

mb_item_ mb_next_item_(mb_virtual *v)
{
    const mb_item_ first = v->heap[0], last = v->heap[--v->items];
    size_t         k = 0, child;

    while ((child = 2 * k + 1) < v->items) {
        if (child + 1 < v->items && before(&v->heap[child + 1], &v->heap[child]))
            child++;
        if (!before(&v->heap[child], &last))
            break;
        v->heap[k] = v->heap[child];
        k = child;
    }
    v->heap[k] = last;
    return first;
}

mb_status mb_packet_take_(mb_virtual *v, const void *bytes, size_t n, mb_packet_ **out, mb_err *err)
{
    int32_t class = 0;
    mb_packet_ *p;

    while (class < MB_CLASSES_ - 1 && (size_t)256 << class < n)
        class ++;
    p = v->spare[class];
    if (p) {
        v->spare[class] = p->next;
    } else {
        p = mb_alloc(v->own, 1, sizeof *p + ((size_t)256 << class));
        if (!p)
            MB_FAIL(err, MB_E_NOMEM, "out of memory for a frame of %zu bytes", n);
        p->class = class;
    }
    p->n = n;
    memcpy(p->bytes, bytes, n);
    *out = p;
    return MB_OK;
}

void mb_packet_drop_(mb_virtual *v, mb_packet_ *p)
{
    if (!p)
        return;
    p->next = v->spare[p->class];
    v->spare[p->class] = p;
}
