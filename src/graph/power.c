/* power.c - second eigenvalue modulus of weights that are similar to no symmetric matrix. */
#include "graph/spectral.h"

#include <float.h>
#include <math.h>

enum { FIRST_LOOK = 32 };
static const double agreement = 1e-9;

/* W maps constants to themselves, so W followed by taking out the mean has the eigenvalues of W
 * but for the leading 1, and 0 instead. */
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

mb_status mb_power_(mb_arena *a, const mb_graph *g, const mb_weights *w, double *modulus,
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
        if (norm < 64 * DBL_EPSILON) { /* nothing is left: every other eigenvalue is 0 */
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
        MB_FAIL(err, MB_E_NUMERIC, "the weights' eigenvalues do not come out finite");
    return MB_OK;
}
