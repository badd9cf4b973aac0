/* algo/list.c - the algorithms there are. A new one: its file, one line here, one in meshbayes.h. */
#include "meshbayes/extend.h"

#include <string.h>

static const mb_algo *const list[] = {
    &mb_algo_noncoop, &mb_algo_nsg,  &mb_algo_dsvb,    &mb_algo_admm,        &mb_algo_edge,
    &mb_algo_flow,    &mb_algo_tree, &mb_algo_average, &mb_algo_incremental, NULL,
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
