/* file_links.c - what a file of links says beyond the links: the probability that each of them
 * delivers, columns that are not used, names that the data do not know. */
#include "base/format.h"
#include "base/text.h"
#include "network/csr.h"
#include "network/file.h"

#include <string.h>

static const char *const name[2] = {"prob", "loss"};
static const double      lowest[2] = {0.001, 0}, highest[2] = {1, 0.999};

/* Which of the two columns the file has: *k. */
static mb_status find_column(const char *file, const mb_edges *list, int *k, mb_err *err)
{
    const char *ends = list->nodes ? "source, target" : "i, j", *others = list->unused;

    *k = list->given[1] != NULL;
    if (list->given[0] && list->given[1])
        MB_FAIL(err, MB_E_FORMAT, "%s: got both columns prob and loss; expected one of them", file);
    if (!list->given[*k])
        MB_FAIL(err, MB_E_FORMAT,
                "%s: got columns %s%s%s; expected prob or loss, too, for --loss "
                "file",
                file, ends, others ? ", " : "", others ? others : "");
    return MB_OK;
}

/* P(link e is up). */
static mb_status read_one(const char *file, const mb_edges *list, int k, int64_t e, double *up,
                          mb_err *err)
{
    const char *text = list->given[k][e];
    double      x = 0;

    *up = 0;
    if (!text || mb_parse_double(text, &x) || !(x >= lowest[k] && x <= highest[k]))
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column %s: got \"%.60s\"; expected %g to %g", file,
                (long long)list->line[e], name[k], text ? text : "", lowest[k], highest[k]);
    *up = k ? 1 - x : x;
    return MB_OK;
}

mb_status mb_network_delivery_(mb_arena *a, const char *file, const mb_edges *list,
                               const int32_t *index, mb_network *net, mb_err *err)
{
    const mb_graph *g = &net->g;
    int64_t        *from; /* the link of the file, from 1, that each edge is from */
    double         *delivery;
    int             k;

    MB_TRY(find_column(file, list, &k, err));
    MB_NEW(delivery, a, g->ptr[g->n], err);
    MB_NEW(from, a, g->ptr[g->n], err);
    for (int64_t e = 0; e < list->m; e++) {
        const int64_t at = mb_edge_at_(g, index[2 * e], index[2 * e + 1]), back = g->rev[at];
        double        up;

        MB_TRY(read_one(file, list, k, e, &up, err));
        if (from[at] && (up < delivery[at] || up > delivery[at]))
            MB_FAIL(err, MB_E_FORMAT,
                    "%s:%lld: column %s: got %.20s for the link of \"%.60s\" and \"%.60s\", and "
                    "%.20s in line %lld; expected one value for both directions",
                    file, (long long)list->line[e], name[k], list->given[k][e], list->end[2 * e],
                    list->end[2 * e + 1], list->given[k][from[at] - 1],
                    (long long)list->line[from[at] - 1]);
        delivery[at] = delivery[back] = up;
        from[at] = from[back] = e + 1;
    }
    net->delivery = delivery;
    return MB_OK;
}

mb_status mb_network_note_(mb_arena *a, const char *file, const mb_edges *list, mb_network *net,
                           mb_err *err)
{
    const char *own = net->delivery    ? NULL
                      : list->given[0] ? name[0]
                      : list->given[1] ? name[1]
                                       : NULL;

    if (!own && !list->unused)
        return MB_OK;
    net->note =
        mb_text(a, err, "%s: columns not used: %s%s%s%s%s%s", file,
                list->unused ? list->unused : "", own && list->unused ? ", " : "", own ? own : "",
                own ? " (--loss file uses " : "", own ? own : "", own ? ")" : "");
    return net->note ? MB_OK : MB_E_NOMEM;
}

enum { SHOWN = 3, ROOM = 240 };

/* The first of the names with known[i] == which: "a", "b", "c" (and 4 more). */
static void few(const char *const *id, const uint8_t *known, int32_t n, int which, char *text)
{
    size_t  at = 0;
    int32_t many = 0;

    for (int32_t i = 0; i < n; i++)
        if (known[i] == which && many++ < SHOWN)
            at += (size_t)mb_format_(text + at, ROOM - at, "%s\"%.40s\"", many > 1 ? ", " : "",
                                     id[i]);
    if (many > SHOWN)
        mb_format_(text + at, ROOM - at, " (and %d more)", many - SHOWN);
}

mb_status mb_network_meet_(mb_arena *a, const char *file, int64_t own, int64_t n,
                           const int32_t *index, const mb_network *net, mb_err *err)
{
    uint8_t *known; /* 1: the file names this node */
    char     data[ROOM], network[ROOM];

    MB_NEW(known, a, net->n, err);
    for (int64_t e = 0; e < own; e++)
        known[index[e]] = 1;
    for (int64_t e = own; e < n; e++)
        if (known[index[e]])
            return MB_OK;
    if (!own || own == n)
        return MB_OK;
    few(net->id, known, net->n, 0, data);
    few(net->id, known, net->n, 1, network);
    MB_FAIL(err, MB_E_ARG, "no node of the data is in %.200s: the data have %s, the network has %s",
            file, data, network);
}
