/* private_nodes.c - a release over a network: one exact sum of whole numbers over a tree, to which each
 * node adds its part of the noise and masks that cancel. docs/math.md, section 32. */
#include "fit/private.h"
#include "start/start.h"
#include "start/tree.h"
#include "transport/transport.h"

#include <string.h>

mb_status mb_private_nodes_link(mb_arena *a, mb_private_nodes *nodes, mb_err *err)
{
    mb_local_part *place = nodes->place;

    MB_TRY(mb_agree_tree(a, a, &place->tp, &nodes->tree, &nodes->sent, err));
    place->part.tree = nodes->tree.link;
    return MB_OK;
}

/* Modulo 2^64, so that masks cancel. */
static void join_words(double *mine, const double *child, size_t len)
{
    for (size_t l = 0; l < len; l++)
        mb_set_word(mine, l, mb_word(mine, l) + mb_word(child, l));
}

/* What a node sends: its sums with noise, the number of its rows, and masks over both. */
static mb_status contribute(mb_arena *a, const mb_privacy *p, const mb_private_nodes *nodes,
                            int32_t i, int64_t *own, int64_t rows, double *w, mb_err *err)
{
    const size_t    len = mb_privacy_len(p);
    const mb_masks *m = nodes->masks;

    MB_TRY(mb_privacy_add_noise(a, p, &nodes->from[i], own, err));
    for (size_t l = 0; l < len; l++)
        mb_set_word(w, l, (uint64_t)own[l]);
    mb_set_word(w, len, (uint64_t)rows);
    return m->add(m->self, nodes->place->part.gid[i], m->epoch, 1, len + 1, w)
               ? MB_OK
               : mb_fail_(err, MB_E_ARG, __FILE__, __LINE__, "a mask would be used twice");
}

mb_status mb_private_nodes_sum(mb_arena *a, const mb_privacy *p, mb_private_nodes *nodes,
                               int64_t *own, const int64_t *rows, int64_t *sums, int64_t *total,
                               mb_err *err)
{
    const mb_part *part = &nodes->place->part;
    const size_t   len = mb_privacy_len(p);
    const double  *all;
    mb_status      st = MB_OK;
    mb_wave        w;

    MB_TRY(mb_wave_new_(a, &nodes->place->tp, &nodes->tree, len + 1, &w, err));
    for (int32_t i = 0; st >= 0 && i < part->n_local; i++)
        st = contribute(a, p, nodes, i, own + (size_t)i * len, rows[i], mb_wave_at_(&w, i), err);
    MB_TRY(mb_comm_agree(nodes->place->comm, st, err));
    MB_TRY(mb_wave_run_(&w, join_words, &nodes->sent, err));
    all = mb_wave_at_(&w, 0);
    for (size_t l = 0; l < len; l++)
        sums[l] = (int64_t)mb_word(all, l);
    *total = (int64_t)mb_word(all, len);
    return MB_OK;
}
