/* spectral.c - algebraic connectivity and the second eigenvalue modulus of the weights, by Lanczos
 * iteration; power iteration for weights that are similar to no symmetric matrix. Lanczos vectors
 * are made orthogonal to the known leading one only: repeated copies of converged eigenvalues do no
 * harm at the ends of a spectrum, so the basis is neither stored nor orthogonalised again. */
#include "base/scratch_arena.h"
#include "network/csr.h"
#include "network/graph.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Steps before the first check of convergence; before the next, in percent of those so far. */
enum { FIRST_LOOK = 24, FIRST_POWER = 32, NEXT_LOOK = 150 };

/* Rounding: that of a product, in units of the largest eigenvalue. */
static const double rounding = 16 * DBL_EPSILON;
/* Two checks that agree to this have converged: the error falls geometrically in the steps. */
static const double agreement = 1e-12, power_agreement = 1e-9;
/* Detailed balance holds up to the rounding along the paths it is checked over. */
static const double balance_tolerance = 1e-9;

/* A matrix on the nodes: diagonal and off-diagonal entries on the edges. */
typedef struct sparse {
    const mb_graph *g;
    const double   *diag; /* n                */
    const double   *edge; /* aligned with adj */
    const double   *lead; /* n: unit eigenvector that Lanczos iteration leaves out */
} sparse;

typedef struct tridiagonal {
    double *diag, *off; /* off[k] joins k and k + 1 */
    int64_t size;
} tridiagonal;

/* y = s x. */
static void times(const sparse *s, const double *x, double *y)
{
    const mb_graph *g = s->g;

    for (int32_t i = 0; i < g->n; i++) {
        double sum = s->diag[i] * x[i];

        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            sum += s->edge[e] * x[g->adj[e]];
        y[i] = sum;
    }
}

/* How many products a statistic may take: a second or so of work, at least 64. */
static int64_t work_limit(const mb_graph *g)
{
    int64_t limit = INT64_C(500000000) / (g->ptr[g->n] + 4 * (int64_t)g->n);

    if (limit > 200 + 20 * (int64_t)g->n) /* a path, the slowest, takes about 6 n */
        limit = 200 + 20 * (int64_t)g->n;
    return limit < 64 ? 64 : limit;
}

/* A random vector, the same every time. */
static void random_vector(int32_t n, double *x)
{
    for (int32_t i = 0; i < n; i++) {
        mb_rng r = mb_rng_at(0, MB_STREAM_SAMPLE, (uint32_t)i, 0);

        x[i] = mb_rng_uniform(&r) - 0.5;
    }
}

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void subtract(int32_t n, double factor, const double *x, double *y)
{
    for (int32_t i = 0; i < n; i++)
        y[i] -= factor * x[i];
}

static void scale(int32_t n, double factor, double *x)
{
    for (int32_t i = 0; i < n; i++)
        x[i] *= factor;
}

/* How many eigenvalues lie below x (Sturm's count of negative pivots). */
static int64_t count_below(const tridiagonal *t, double x)
{
    double  pivot = 1;
    int64_t count = 0;

    for (int64_t k = 0; k < t->size; k++) {
        double off = k ? t->off[k - 1] : 0;

        pivot = t->diag[k] - x - off * off / pivot;
        if (fabs(pivot) < DBL_MIN)
            pivot = -DBL_MIN;
        count += pivot < 0;
    }
    return count;
}

/* The eigenvalue number `rank` (from 0, ascending) by bisection. */
static double eigenvalue(const tridiagonal *t, int64_t rank)
{
    double lo = HUGE_VAL, hi = -HUGE_VAL;

    for (int64_t k = 0; k < t->size; k++) { /* Gershgorin */
        double reach = (k ? t->off[k - 1] : 0) + (k + 1 < t->size ? t->off[k] : 0);

        lo = fmin(lo, t->diag[k] - reach);
        hi = fmax(hi, t->diag[k] + reach);
    }
    for (;;) {
        double mid = lo + (hi - lo) / 2;

        if (!(mid > lo && mid < hi))
            return mid;
        if (count_below(t, mid) > rank)
            hi = mid;
        else
            lo = mid;
    }
}

/* One step: v[0], v[1], v[2] are the last, this and the next vector, and advance by one. Returns 0
 * when the next one vanishes. */
static int step(const sparse *s, tridiagonal *t, double *v[3])
{
    const int32_t n = s->g->n;
    const int64_t k = t->size++;
    double        off = k ? t->off[k - 1] : 0, *spare = v[0];

    times(s, v[1], v[2]);
    subtract(n, off, v[0], v[2]);
    t->diag[k] = dot(n, v[1], v[2]);
    subtract(n, t->diag[k], v[1], v[2]);
    subtract(n, dot(n, s->lead, v[2]), s->lead, v[2]);
    t->off[k] = sqrt(dot(n, v[2], v[2]));
    if (t->off[k] <= rounding * (fabs(t->diag[k]) + off + 1))
        return 0;
    scale(n, 1 / t->off[k], v[2]);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = spare;
    return 1;
}

static void start(const sparse *s, double *v)
{
    const int32_t n = s->g->n;

    random_vector(n, v);
    for (int twice = 0; twice < 2; twice++) {
        subtract(n, dot(n, s->lead, v), s->lead, v);
        scale(n, 1 / sqrt(dot(n, v, v)), v);
    }
}

/* Smallest and largest eigenvalue of the matrix on the vectors orthogonal to lead (n >= 2).
 * *exact = 0 if the work limit ends the iteration: the true ends lie outside then. */
static mb_status lanczos(mb_arena *a, const sparse *s, double *lo, double *hi, int32_t *exact,
                         mb_err *err)
{
    const size_t  n = (size_t)s->g->n;
    const int64_t limit = work_limit(s->g);
    tridiagonal   t = {.size = 0};
    double       *v[3];
    int64_t       look = FIRST_LOOK;
    int           more = 1;

    for (int k = 0; k < 3; k++)
        MB_NEW(v[k], a, n, err);
    MB_NEW(t.diag, a, limit, err);
    MB_NEW(t.off, a, limit, err);
    start(s, v[1]);
    *lo = *hi = HUGE_VAL;
    for (*exact = 0; !*exact && t.size < limit; look = look * NEXT_LOOK / 100) {
        double lo_before = *lo, hi_before = *hi, noise;

        while (more && t.size < limit && t.size < look)
            more = step(s, &t, v);
        *lo = eigenvalue(&t, 0);
        *hi = eigenvalue(&t, t.size - 1);
        noise = rounding * fmax(fabs(*lo), fabs(*hi));
        *exact = !more || (fabs(*lo - lo_before) <= agreement * fabs(*lo) + noise &&
                           fabs(*hi - hi_before) <= agreement * fabs(*hi) + noise);
    }
    if (!isfinite(*lo) || !isfinite(*hi))
        MB_FAIL(err, MB_E_NUMERIC, "eigenvalues of the network are not finite (%g, %g)", *lo, *hi);
    return MB_OK;
}

static mb_status connectivity(mb_arena *a, const mb_graph *g, mb_graph_stats *out, mb_err *err)
{
    double *diag, *edge, *lead, largest;

    MB_NEW(diag, a, g->n, err);
    MB_NEW(edge, a, g->ptr[g->n], err);
    MB_NEW(lead, a, g->n, err);
    for (int32_t i = 0; i < g->n; i++) {
        diag[i] = mb_degree_(g, i);
        lead[i] = 1 / sqrt(g->n);
    }
    for (int64_t e = 0; e < g->ptr[g->n]; e++)
        edge[e] = -1;
    return lanczos(a, &(sparse){g, diag, edge, lead}, &out->algebraic_connectivity, &largest,
                   &out->spectrum_exact, err);
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
    const double norm = sqrt(dot(g->n, root_pi, root_pi));
    double      *edge, lo, hi;

    MB_NEW(edge, a, g->ptr[g->n], err);
    for (int64_t e = 0; e < g->ptr[g->n]; e++)
        edge[e] = copysign(sqrt(w->edge[e] * w->edge[g->rev[e]]), w->edge[e]);
    for (int32_t i = 0; i < g->n; i++)
        root_pi[i] /= norm;
    MB_TRY(lanczos(a, &(sparse){g, w->self, edge, root_pi}, &lo, &hi, exact, err));
    *lambda2 = fmax(fabs(lo), fabs(hi));
    return MB_OK;
}

/* W maps constants to themselves, so W followed by subtraction of the mean has the eigenvalues of W
 * with the leading 1 replaced by 0. */
static double apply(const sparse *W, const double *x, double *y)
{
    const int32_t n = W->g->n;
    double        mean = 0;

    times(W, x, y);
    for (int32_t i = 0; i < n; i++)
        mean += y[i] / n;
    for (int32_t i = 0; i < n; i++)
        y[i] -= mean;
    return sqrt(dot(n, y, y));
}

/* Three vectors in a row, x, y = Wx, z = Wy, fitted by z = p y + q x: the roots of r^2 = p r + q
 * are the two leading eigenvalues, a conjugate or opposite pair included. */
static double largest_root(int32_t n, const double *x, const double *y, const double *z)
{
    const double xx = dot(n, x, x), xy = dot(n, x, y), yy = dot(n, y, y);
    const double xz = dot(n, x, z), yz = dot(n, y, z), det = xx * yy - xy * xy;
    double       p, q, along;

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
    const sparse  W = {g, w->self, w->edge, NULL};
    const int64_t limit = work_limit(g);
    double       *x, *y, *z, norm = 1, before = -1;
    int64_t       look = FIRST_POWER;

    MB_NEW(x, a, g->n, err);
    MB_NEW(y, a, g->n, err);
    MB_NEW(z, a, g->n, err);
    random_vector(g->n, x);
    *exact = 0;
    *modulus = 0;
    for (int64_t t = 1; t <= limit && !*exact; t++) {
        double *spare = x;

        norm = apply(&W, x, y);
        if (norm < 64 * DBL_EPSILON) { /* every other eigenvalue is 0 */
            *modulus = 0;
            *exact = 1;
            break;
        }
        if (t == look) {
            apply(&W, y, z);
            *modulus = largest_root(g->n, x, y, z);
            *exact = fabs(*modulus - before) <= power_agreement * *modulus;
            before = *modulus;
            look = look * NEXT_LOOK / 100;
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
    mb_graph_search(g, 0, hops, queue);
    if (balance(g, w, queue, root_pi))
        return by_similarity(a, g, w, root_pi, lambda2, exact, err);
    return by_power(a, g, w, lambda2, exact, err);
}

/* Its memory, most of all that is needed, is free before the second statistic. */
static mb_status connectivity_first(mb_arena *a, const mb_graph *g, mb_graph_stats *out,
                                    mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_scratch_(a);
    mb_status st;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the eigenvalues of a network");
    st = connectivity(scratch_arena, g, out, err);
    mb_arena_free(scratch_arena);
    return st;
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
    MB_TRY(connectivity_first(a, g, out, err));
    if (w)
        MB_TRY(second(a, g, w, &out->lambda2, &exact, err));
    out->spectrum_exact = out->spectrum_exact && exact;
    return MB_OK;
}
