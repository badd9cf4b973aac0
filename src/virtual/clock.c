/* clock.c - clocks of nodes, which jump and drift. */
#include "virtual/inside.h"

static int64_t clock_us(const mb_vnode_ *node, int64_t at_us)
{
    const int64_t passed = at_us - node->true_us;

    return node->local_us + (node->drift == 1 ? passed : (int64_t)((double)passed * node->drift));
}

int64_t mb_node_clock_(const mb_vnode_ *node, int64_t at_us)
{
    const int64_t us = clock_us(node, at_us);

    return us / 1000 - (us % 1000 < 0);
}

void mb_node_set_clock_(mb_vnode_ *node, int64_t at_us, int64_t jump_us, double drift)
{
    node->local_us = clock_us(node, at_us) + jump_us;
    node->true_us = at_us;
    node->drift = drift;
}

void mb_node_read_clock_(mb_vnode_ *node, int64_t now)
{
    enum { DAY_MS = 86400000 };
    const int64_t gone = now - node->read_ms;

    if (gone >= 0 && gone <= DAY_MS)
        return;
    for (int64_t k = 0; k < node->fed; k++)
        node->piece[k].now += gone;
    node->read_ms = now;
}
