/* spectral.c - algebraic connectivity, and the second eigenvalue modulus of the weights. */
#include "graph/spectral.h"
#include "graph/csr.h"

#include <math.h>
#include <string.h>

/* Detailed balance holds up to the rounding along the paths it is checked over. */
static const double balance_tolerance = 1e-9;

static mb_status connectivity(mb_arena *a, const mb_graph *g, mb_graph_stats *out, mb_err *err)
{
    double   *diag, *edge, *lead, largest;
    mb_sparse laplacian;

    MB_NEW(diag, a, g->n, err);
    MB_NEW(edge, a, g->ptr[g->n], err);
    MB_NEW(lead, a, g->n, err);
    for (int32_t i = 0; i < g->n; i++) {
        diag[i] = mb_degree_(g, i);
        lead[i] = 1 / sqrt(g->n);
    }
    for (int64_t e = 0; e < g->ptr[g->n]; e++)
        edge[e] = -1;
    laplacian = (mb_sparse){g, diag, edge, lead};
    return mb_lanczos_(a, &laplacian, &out->algebraic_connectivity, &largest, &out->spectrum_exact,
                       err);
}

/* root_pi: n square roots of pi with pi_i w_ij = pi_j w_ji on every edge. 0 when there is no such
 * pi (or an edge has weight in one direction only). The search gives parents before children. */
static int balance(const mb_graph *g, const mb_weights *w, const int32_t *queue, double *root_pi)
{
    for (int32_t q = 0; q < g->n; q++) {
        const int32_t i = queue[q];

        if (!q)
            root_pi[i] = 1;
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
            const int32_t j = g->adj[e];
            const double  there = w->edge[e], back = w->edge[g->rev[e]];
            const double  ratio = there / back;

            if (!(there * back > 0))
                return 0;
            if (root_pi[j] <= 0)
                root_pi[j] = root_pi[i] * sqrt(ratio);
            if (!(root_pi[j] > 1e-100 && root_pi[j] < 1e100) ||
                fabs(root_pi[j] - root_pi[i] * sqrt(ratio)) > balance_tolerance * root_pi[j])
                return 0;
        }
    }
    return 1;
}

/* W is similar to the symmetric matrix of entries sign(w_ij) sqrt(w_ij w_ji), whose leading
 * eigenvector is sqrt(pi). */
static mb_status by_similarity(mb_arena *a, const mb_graph *g, const mb_weights *w, double *root_pi,
                               double *lambda2, int32_t *exact, mb_err *err)
{
    double   *edge, lo, hi, norm = 0;
    mb_sparse similar = {g, w->self, NULL, root_pi};

    MB_NEW(edge, a, g->ptr[g->n], err);
    for (int64_t e = 0; e < g->ptr[g->n]; e++)
        edge[e] = copysign(sqrt(w->edge[e] * w->edge[g->rev[e]]), w->edge[e]);
    for (int32_t i = 0; i < g->n; i++)
        norm += root_pi[i] * root_pi[i];
    for (int32_t i = 0; i < g->n; i++)
        root_pi[i] /= sqrt(norm);
    similar.edge = edge;
    MB_TRY(mb_lanczos_(a, &similar, &lo, &hi, exact, err));
    *lambda2 = fmax(fabs(lo), fabs(hi));
    return MB_OK;
}

static mb_status second(mb_arena *a, const mb_graph *g, const mb_weights *w, double *lambda2,
                        int32_t *exact, mb_err *err)
{
    int32_t *hops, *queue;
    double  *root_pi;

    MB_NEW(hops, a, g->n, err);
    MB_NEW(queue, a, g->n, err);
    MB_NEW(root_pi, a, g->n, err);
    memset(hops, 0xff, (size_t)g->n * sizeof *hops);
    mb_search_(g, 0, hops, queue);
    if (balance(g, w, queue, root_pi))
        return by_similarity(a, g, w, root_pi, lambda2, exact, err);
    return mb_power_(a, g, w, lambda2, exact, err);
}

mb_status mb_spectrum_(mb_arena *a, const mb_graph *g, const mb_weights *w, mb_graph_stats *out,
                       mb_err *err)
{
    int32_t exact = 1;

    out->algebraic_connectivity = 0;
    out->lambda2 = w ? 0 : (double)NAN;
    out->spectrum_exact = 1;
    if (g->n == 1)
        return MB_OK;
    MB_TRY(connectivity(a, g, out, err));
    if (w)
        MB_TRY(second(a, g, w, &out->lambda2, &exact, err));
    out->spectrum_exact = out->spectrum_exact && exact;
    return MB_OK;
}
