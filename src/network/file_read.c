/* file_read.c - networks from files. */
#include "network/file.h"
#include "network/graph.h"

#include <string.h>

/* Positions of the network's own file, if it has one for each node. index: of the list's nodes. */
static mb_status own_positions(mb_arena *a, const mb_edges *list, const int32_t *index,
                               mb_network *out, mb_err *err)
{
    double *xy;

    if (!list->xy)
        return MB_OK;
    MB_TRY(mb_no_positions_(a, out->n, &xy, err));
    for (int32_t k = 0; k < list->nodes; k++)
        memcpy(xy + 2 * (size_t)index[k], list->xy + 2 * (size_t)k, 2 * sizeof *xy);
    if (mb_position_missing_(xy, out->n) < 0) {
        out->xy = xy;
        out->xy_from = "file";
    }
    return MB_OK;
}

static int wants_delivery(const mb_network_opt *opt, const mb_edges *list)
{
    const int given = list->given[0] || list->given[1];

    return opt && opt->delivery && (given || opt->delivery == MB_DELIVERY_NEEDED);
}

mb_status mb_network_read(mb_arena *a, const char *file, const mb_network_opt *opt, mb_network *out,
                          mb_err *err)
{
    const int32_t extra = opt && opt->id ? opt->nid : 0;
    mb_edges      list;
    const char  **text, **id;
    int32_t      *index;
    int64_t       ends, n;

    MB_TRY(mb_edges_read(a, file, &list, err));
    ends = 2 * list.m;
    n = ends + list.nodes + extra;
    if (!n)
        MB_FAIL(err, MB_E_FORMAT, "%s: no links in the file", file);
    MB_NEW(text, a, n, err);
    MB_NEW(index, a, n, err);
    for (int64_t e = 0; e < n; e++)
        text[e] = e < ends                ? list.end[e]
                  : e < ends + list.nodes ? list.node[e - ends]
                                          : opt->id[e - ends - list.nodes];
    *out = (mb_network){.drawn = 1};
    MB_TRY(mb_ids_index(a, file, n, text, index, &id, &out->n, err));
    out->id = id;
    MB_TRY(mb_network_meet_(a, file, n - extra, n, index, out, err));
    MB_TRY(mb_graph_from_edges(a, out->n, list.m, index, &out->g, err));
    if (wants_delivery(opt, &list))
        MB_TRY(mb_network_delivery_(a, file, &list, index, out, err));
    MB_TRY(mb_network_note_(a, file, &list, out, err));
    if (!opt || !opt->skip_own)
        MB_TRY(own_positions(a, &list, index + ends, out, err));
    return mb_network_finish_(a, opt, out, err);
}
