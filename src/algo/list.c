/* algo/list.c - the algorithms there are. A new one: its file, one line here, one in meshbayes.h. */
#include "algo/nodes.h"
#include "base/format.h"

#include <string.h>

static const mb_algo *const list[] = {
    &mb_algo_noncoop, &mb_algo_nsg,         &mb_algo_dsvb, &mb_algo_admm,
    &mb_algo_edge,    &mb_algo_flow,        &mb_algo_tree, &mb_algo_sum,
    &mb_algo_average, &mb_algo_incremental, NULL,
};

const mb_algo *const *mb_algo_list(void)
{
    return list;
}

const mb_algo *mb_algo_find(const char *name)
{
    for (const mb_algo *const *a = list; *a; a++)
        if (!strcmp((*a)->name, name))
            return *a;
    return NULL;
}

/* The names of those that can run on nodes. */
static void names_on_nodes(char *out, size_t room)
{
    mb_err err;
    int    n = 0;

    for (const mb_algo *const *a = list; *a; a++)
        if (mb_algo_on_nodes_(*a, &err) == MB_OK && (size_t)n < room)
            n += mb_format_(out + n, room - (size_t)n, "%s%s", n ? ", " : "", (*a)->name);
}

const char *mb_network_algo_(const mb_kind *kind)
{
    return kind && kind->algorithm ? kind->algorithm : mb_algo_edge.name;
}

mb_status mb_node_algo_find_(const char *name, const mb_algo **out, mb_err *err)
{
    char able[128] = "";

    *out = mb_algo_find(name);
    if (*out)
        return mb_algo_on_nodes_(*out, err);
    names_on_nodes(able, sizeof able);
    MB_FAIL(err, MB_E_ARG, "algorithm: got %.40s; expected %s", name, able);
}
