/* algo/nodes.c - which algorithm the nodes of a mesh run, and why another cannot. Apart from the list,
 * so that a small node has the code of one algorithm. */
#include "algo/nodes.h"
#include "base/epochs.h"

static const mb_algo *const by_default = &mb_algo_edge;

const mb_algo *mb_node_algo_(const mb_plan *plan)
{
    return plan->algo ? plan->algo : by_default;
}

const char *mb_node_algo_named_(const mb_plan *plan)
{
    const mb_algo *a = mb_node_algo_(plan);

    return a == by_default ? NULL : a->name;
}

mb_status mb_algo_on_nodes_(const mb_algo *a, mb_err *err)
{
    const unsigned all = MB_BEARS_LOSS | MB_BEARS_SPEEDS | MB_BEARS_CHURN;
    const unsigned bears =
        a->mesh || MB_EPOCHS_(a == &mb_algo_sum) ? a->bears : a->bears & ~(unsigned)MB_BEARS_CHURN;

    if ((bears & all) != all)
        MB_FAIL(err, MB_E_NOSUP,
                "algorithm: %s does not bear %s%s%sand cannot run on the nodes of a mesh; use %s",
                a->name, bears & MB_BEARS_LOSS ? "" : "loss, ",
                bears & MB_BEARS_SPEEDS ? "" : "nodes of their own speeds, ",
                bears & MB_BEARS_CHURN ? "" : "nodes that come and go, ", by_default->name);
    if (a->opt_size > MB_MESH_OPT)
        MB_FAIL(err, MB_E_ARG, "algorithm: got options of %zu bytes of %s; expected at most %d",
                a->opt_size, a->name, MB_MESH_OPT);
    return MB_OK;
}
