/* lanczos.c - both ends of a spectrum by Lanczos iteration. Vectors are made orthogonal to the
 * known leading one only: repeated copies of converged eigenvalues do no harm at the ends, so the
 * basis is neither stored nor orthogonalised again. */
#include "graph/lanczos.h"

#include <float.h>
#include <math.h>

/* Steps before the first check of convergence; before the next, in percent of those so far. */
enum { FIRST_LOOK = 24, NEXT_LOOK = 150 };

/* Rounding: that of a product, in units of the largest eigenvalue. */
static const double rounding = 16 * DBL_EPSILON;
/* Two checks that agree to this have converged: the error falls geometrically in the steps. */
static const double agreement = 1e-12;

typedef struct tridiagonal {
    double *diag, *off; /* off[k] joins k and k + 1 */
    int64_t size;
} tridiagonal;

void mb_sparse_times_(const mb_graph *g, const double *diag, const double *edge, const double *x,
                      double *y)
{
    for (int32_t i = 0; i < g->n; i++) {
        double sum = diag[i] * x[i];

        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            sum += edge[e] * x[g->adj[e]];
        y[i] = sum;
    }
}

int64_t mb_work_limit_(const mb_graph *g)
{
    int64_t limit = INT64_C(500000000) / (g->ptr[g->n] + 4 * (int64_t)g->n);

    if (limit > 200 + 20 * (int64_t)g->n) /* a path, the slowest, takes about 6 n */
        limit = 200 + 20 * (int64_t)g->n;
    return limit < 64 ? 64 : limit;
}

void mb_random_vector_(int32_t n, double *x)
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
static int step(const mb_sparse *s, tridiagonal *t, double *v[3])
{
    const int32_t n = s->g->n;
    const int64_t k = t->size++;
    double        off = k ? t->off[k - 1] : 0, *spare = v[0];

    mb_sparse_times_(s->g, s->diag, s->edge, v[1], v[2]);
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

static void start(const mb_sparse *s, double *v)
{
    const int32_t n = s->g->n;

    mb_random_vector_(n, v);
    for (int twice = 0; twice < 2; twice++) {
        subtract(n, dot(n, s->lead, v), s->lead, v);
        scale(n, 1 / sqrt(dot(n, v, v)), v);
    }
}

mb_status mb_lanczos_(mb_arena *a, const mb_sparse *s, double *lo, double *hi, int32_t *exact,
                      mb_err *err)
{
    const size_t  n = (size_t)s->g->n;
    const int64_t limit = mb_work_limit_(s->g);
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
