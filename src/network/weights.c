/* weights.c - combination weights, eq. (23): rules, and triples from a file. */
#include "base/format.h"
#include "network/csr.h"
#include "network/graph.h"

#include <math.h>

static const double row_tolerance = 1e-12; /* rounding of a sum of written-out decimals */

static double rule_weight(mb_rule rule, int32_t deg_i, int32_t deg_j, int32_t deg_max)
{
    if (rule == MB_NEAREST) /* eq. (47) */
        return 1.0 / (deg_i + 1);
    if (rule == MB_METROPOLIS) /* [Xiao04] */
        return 1.0 / (1 + (deg_i > deg_j ? deg_i : deg_j));
    return 1.0 / (1 + deg_max); /* [Xiao04] */
}

mb_status mb_weights_make(mb_arena *a, const mb_graph *g, mb_rule rule, mb_weights *out,
                          mb_err *err)
{
    double *self, *edge;
    int32_t deg_max = 0;

    MB_NEW(self, a, g->n, err);
    MB_NEW(edge, a, g->ptr[g->n], err);
    for (int32_t i = 0; i < g->n; i++)
        deg_max = mb_degree_(g, i) > deg_max ? mb_degree_(g, i) : deg_max;
    for (int32_t i = 0; i < g->n; i++) {
        double sum = 0;

        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
            edge[e] = rule_weight(rule, mb_degree_(g, i), mb_degree_(g, g->adj[e]), deg_max);
            sum += edge[e];
        }
        /* eq. (47) gives a node the weight of its neighbours */
        self[i] = rule == MB_NEAREST ? 1.0 / (mb_degree_(g, i) + 1) : 1 - sum;
    }
    *out = (mb_weights){.self = self, .edge = edge};
    return MB_OK;
}

/* A node's name in a message. */
typedef struct label {
    char text[48];
} label;

static label named(const char *const *id, int32_t i)
{
    label l;

    if (id)
        mb_format_(l.text, sizeof l.text, "%.40s", id[i]);
    else
        mb_format_(l.text, sizeof l.text, "%d", i + 1);
    return l;
}

/* One triple into its place; NaN there means not given yet. */
static mb_status put(const mb_graph *g, const char *const *id, int32_t i, int32_t j, double w,
                     double *self, double *edge, mb_err *err)
{
    double *to = self + i;

    if (i < 0 || i >= g->n || j < 0 || j >= g->n)
        MB_FAIL(err, MB_E_ARG, "a weight for nodes %d and %d; expected 0 to %d", i, j, g->n - 1);
    if (!isfinite(w))
        MB_FAIL(err, MB_E_ARG, "the weight of node %s for %s is %g; expected a finite number",
                named(id, i).text, named(id, j).text, w);
    if (i != j) {
        int64_t e = mb_edge_at_(g, i, j);

        if (e < 0)
            MB_FAIL(err, MB_E_ARG,
                    "a weight of node %s for %s, which are not linked; expected weights of linked "
                    "nodes and of a node for itself",
                    named(id, i).text, named(id, j).text);
        to = edge + e;
    }
    if (!isnan(*to))
        MB_FAIL(err, MB_E_ARG, "the weight of node %s for %s is given twice", named(id, i).text,
                named(id, j).text);
    *to = w;
    return MB_OK;
}

/* What was not given is 0; every row must sum to 1. */
static mb_status close_row(const mb_graph *g, const char *const *id, int32_t i, double *self,
                           double *edge, mb_err *err)
{
    double sum = 0;

    if (isnan(self[i]))
        self[i] = 0;
    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
        if (isnan(edge[e]))
            edge[e] = 0;
        sum += edge[e];
    }
    sum += self[i];
    if (!(fabs(sum - 1) <= row_tolerance))
        MB_FAIL(err, MB_E_ARG,
                "the weights of node %s (itself and its neighbours) sum to %.17g; expected 1 "
                "within %g",
                named(id, i).text, sum, row_tolerance);
    return MB_OK;
}

double mb_weights_column_error(const mb_graph *g, const mb_weights *w)
{
    double worst = 0;

    for (int32_t j = 0; j < g->n; j++) {
        double sum = w->self[j];

        for (int64_t e = g->ptr[j]; e < g->ptr[j + 1]; e++)
            sum += w->edge[g->rev[e]];
        worst = fmax(worst, fabs(sum - 1));
    }
    return worst;
}

mb_status mb_weights_from(mb_arena *a, const mb_graph *g, const char *const *id, int64_t m,
                          const int32_t *ij, const double *w, mb_weights *out, mb_err *err)
{
    double *self, *edge;

    MB_NEW(self, a, g->n, err);
    MB_NEW(edge, a, g->ptr[g->n], err);
    for (int32_t i = 0; i < g->n; i++)
        self[i] = (double)NAN;
    for (int64_t e = 0; e < g->ptr[g->n]; e++)
        edge[e] = (double)NAN;
    for (int64_t k = 0; k < m; k++)
        MB_TRY(put(g, id, ij[2 * k], ij[2 * k + 1], w[k], self, edge, err));
    for (int32_t i = 0; i < g->n; i++)
        MB_TRY(close_row(g, id, i, self, edge, err));
    *out = (mb_weights){.self = self, .edge = edge};
    return MB_OK;
}
