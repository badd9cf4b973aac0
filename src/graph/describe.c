/* describe.c - degrees, diameter and spectrum of a network: algebraic connectivity, and the second
 * eigenvalue modulus of the weights. */
#include "graph/csr.h"
#include "graph/lanczos.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 6, FIRST_LOOK = 32 };
static const int64_t max_visits = 500000000; /* about a second */
/* Detailed balance holds up to the rounding along the paths it is checked over. */
static const double balance_tolerance = 1e-9;
/* Two checks of the power iteration that agree to this have converged. */
static const double agreement = 1e-9;

static void degrees(const mb_graph *g, mb_graph_stats *out)
{
    out->edges = g->ptr[g->n] / 2;
    out->deg_mean = (double)g->ptr[g->n] / g->n;
    out->deg_min = INT32_MAX;
    out->deg_max = 0;
    for (int32_t i = 0; i < g->n; i++) {
        int32_t deg = mb_degree_(g, i);

        out->deg_min = deg < out->deg_min ? deg : out->deg_min;
        out->deg_max = deg > out->deg_max ? deg : out->deg_max;
    }
}

/* From every node, or from the node that is farthest from the last one. */
static mb_status diameter(mb_arena *a, const mb_graph *g, mb_graph_stats *out, mb_err *err)
{
    int32_t *hops, *queue, far = 0;

    MB_NEW(hops, a, g->n, err);
    MB_NEW(queue, a, g->n, err);
    out->diameter = 0;
    out->diameter_exact = g->n * (g->n + g->ptr[g->n]) <= max_visits;
    for (int32_t i = 0; i < (out->diameter_exact ? g->n : SWEEPS); i++) {
        memset(hops, 0xff, (size_t)g->n * sizeof *hops);
        far = queue[mb_search_(g, out->diameter_exact ? i : far, hops, queue) - 1];
        out->diameter = hops[far] > out->diameter ? hops[far] : out->diameter;
    }
    return MB_OK;
}

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

/* root_pi: n square roots of pi with pi_i w_ij = pi_j w_ji on every edge. Returns 0 if there is no
 * such pi (or an edge has weight in one direction only). queue: parents before their children. */
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

/* W maps constants to themselves, so W followed by subtraction of the mean has the eigenvalues of W
 * with the leading 1 replaced by 0. */
static double apply(const mb_graph *g, const mb_weights *w, const double *x, double *y)
{
    double mean = 0, norm = 0;

    mb_sparse_times_(g, w->self, w->edge, x, y);
    for (int32_t i = 0; i < g->n; i++)
        mean += y[i] / g->n;
    for (int32_t i = 0; i < g->n; i++) {
        y[i] -= mean;
        norm += y[i] * y[i];
    }
    return sqrt(norm);
}

/* Three vectors in a row, x, y = Wx, z = Wy, fitted by z = p y + q x: the roots of r^2 = p r + q
 * are the two leading eigenvalues, a conjugate or opposite pair included. */
static double largest_root(int32_t n, const double *x, const double *y, const double *z)
{
    double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0, det, p, q, along;

    for (int32_t i = 0; i < n; i++) {
        xx += x[i] * x[i];
        xy += x[i] * y[i];
        yy += y[i] * y[i];
        xz += x[i] * z[i];
        yz += y[i] * z[i];
    }
    det = xx * yy - xy * xy;
    if (det <= 1e-10 * xx * yy) /* parallel: one eigenvalue leads alone */
        return yy > 0 ? fabs(yz / yy) : 0;
    p = (xx * yz - xy * xz) / det;
    q = (yy * xz - xy * yz) / det;
    along = p * p / 4 + q;
    return along < 0 ? sqrt(-q) : fabs(p) / 2 + sqrt(along);
}

/* Second-largest eigenvalue modulus of weights that are similar to no symmetric matrix, by power
 * iteration on vectors of mean zero. */
static mb_status by_power(mb_arena *a, const mb_graph *g, const mb_weights *w, double *modulus,
                          int32_t *exact, mb_err *err)
{
    const int64_t limit = mb_work_limit_(g);
    double       *x, *y, *z, norm = 1, before = -1;
    int64_t       look = FIRST_LOOK;

    MB_NEW(x, a, g->n, err);
    MB_NEW(y, a, g->n, err);
    MB_NEW(z, a, g->n, err);
    mb_random_vector_(g->n, x);
    *exact = 0;
    *modulus = 0;
    for (int64_t t = 1; t <= limit && !*exact; t++) {
        double *spare = x;

        norm = apply(g, w, x, y);
        if (norm < 64 * DBL_EPSILON) { /* every other eigenvalue is 0 */
            *modulus = 0;
            *exact = 1;
            break;
        }
        if (t == look) {
            apply(g, w, y, z);
            *modulus = largest_root(g->n, x, y, z);
            *exact = fabs(*modulus - before) <= agreement * *modulus;
            before = *modulus;
            look += look / 2;
        }
        for (int32_t i = 0; i < g->n; i++)
            y[i] /= norm;
        x = y;
        y = spare;
    }
    if (!isfinite(*modulus) || !isfinite(norm))
        MB_FAIL(err, MB_E_NUMERIC, "the eigenvalues of the weights are not finite");
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
    return by_power(a, g, w, lambda2, exact, err);
}

static mb_status spectrum(mb_arena *a, const mb_graph *g, const mb_weights *w, mb_graph_stats *out,
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

mb_status mb_graph_describe(mb_arena *a, const mb_graph *g, const mb_weights *w,
                            mb_graph_stats *out, mb_err *err)
{
    *out = (mb_graph_stats){0};
    MB_TRY(mb_graph_check_connected(a, g, NULL, err));
    degrees(g, out);
    MB_TRY(diameter(a, g, out, err));
    return spectrum(a, g, w, out, err);
}
