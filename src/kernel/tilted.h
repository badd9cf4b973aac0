/* kernel/tilted.h - the tilted bound of a category's likelihood (model/softmax.c), rows as lanes:
 * the least f(a), where a = s(a), by steps that are Newton's but for the inverse of I + H V. */
#ifndef MB_TILTED_H
#define MB_TILTED_H

#include "kernel/exp_log.h"
#include "kernel/kernel.h"

/* A build with plain kernels only is for small nodes, which take the rows one by one. */
#ifdef MB_KERNELS_PLAIN
#define TILTED NULL
#else
#define TILTED tilted

enum { TILTED_STEPS = 100 };
static const double TILTED_ERROR = 1e-12, TILTED_WEIGHT = 1000;

/* LANES rows: T predictors and their covariances, ld apart. */
typedef struct category {
    int32_t       T;
    size_t        ld;
    const double *e, *V;
} category;

/* s: the shares of classes with predictors eta, which may be s, but for the first class, whose
 * predictor is 0; returns ln sum exp. */
INLINE vec shares_of(int32_t T, const vec *eta, vec *s)
{
    vec top = all(0), sum, scale, ln;

    for (int32_t c = 0; c < T; c++)
        top = larger(eta[c], top);
    sum = vexp(larger(-top, all(-700)));
    for (int32_t c = 0; c < T; c++) {
        s[c] = vexp(larger(eta[c] - top, all(-700)));
        sum += s[c];
    }
    ln = top + vlog(sum, &scale);
    for (int32_t c = 0; c < T; c++)
        s[c] *= scale;
    return ln;
}

/* Vx. */
INLINE void times_covariance(const category *q, const vec *x, vec *out)
{
    const double *V = q->V;

    for (int32_t c = 0; c < q->T; c++, V += q->ld) {
        out[c] = all(0);
        for (int32_t d = 0; d < c; d++, V += q->ld) {
            const vec v = load(V);

            out[c] = fma_(v, x[d], out[c]);
            out[d] = fma_(v, x[c], out[d]);
        }
        out[c] = fma_(load(V), x[c], out[c]);
    }
}

/* x := H x, H = diag(s) - s s'. */
INLINE void times_slope(int32_t T, const vec *s, vec *x)
{
    vec mean = all(0);

    for (int32_t c = 0; c < T; c++)
        mean = fma_(s[c], x[c], mean);
    for (int32_t c = 0; c < T; c++)
        x[c] = s[c] * (x[c] - mean);
}

/* a += (I - H V + H V H V) r, H at s: the first terms of the inverse of I + H V. */
INLINE void step_by(const category *q, const vec *s, const vec *r, vec *a)
{
    vec x[MB_CLASSES_MOST], y[MB_CLASSES_MOST];

    times_covariance(q, r, x);
    times_slope(q->T, s, x);
    for (int32_t c = 0; c < q->T; c++)
        x[c] = r[c] - x[c];
    times_covariance(q, x, y);
    times_slope(q->T, s, y);
    for (int32_t c = 0; c < q->T; c++)
        a[c] += r[c] - y[c];
}

/* Exponents of f at a; returns a'Va/2. */
INLINE vec exponents(const category *q, const vec *a, vec *eta)
{
    vec square = all(0);

    times_covariance(q, a, eta);
    for (int32_t c = 0; c < q->T; c++) {
        const size_t own = (size_t)(c * (c + 1) / 2 + c) * q->ld;

        square = fma_(a[c], eta[c], square);
        eta[c] = load(q->e + (size_t)c * q->ld) + all(0.5) * load(q->V + own) - eta[c];
    }
    return all(0.5) * square;
}

/* From the shares at e by the slope of s there: the error left is of second order in V. a: the
 * shares; returns 0 where e is finite, else NaN. */
INLINE vec begin(const category *q, vec *a)
{
    vec s[MB_CLASSES_MOST], r[MB_CLASSES_MOST], none = all(0);

    for (int32_t c = 0; c < q->T; c++) {
        s[c] = load(q->e + (size_t)c * q->ld);
        none = fma_(s[c], all(0), none);
    }
    shares_of(q->T, s, s);
    exponents(q, s, r);
    for (int32_t c = 0; c < q->T; c++)
        r[c] -= load(q->e + (size_t)c * q->ld);
    times_slope(q->T, s, r);
    for (int32_t c = 0; c < q->T; c++)
        a[c] = s[c];
    step_by(q, s, r, a);
    return none;
}

/* The largest |r|, where r := s - a. */
INLINE vec left_of(int32_t T, const vec *s, const vec *a, vec *r)
{
    vec most = all(0);

    for (int32_t c = 0; c < T; c++) {
        r[c] = s[c] - a[c];
        most = larger(larger(r[c], -r[c]), most);
    }
    return most;
}

/* With g = trace(V)/2, which no eigenvalue of H V exceeds, a step leaves r g^3 and parts of second
 * order, which are below r^2 g, by which f changes. */
static void tilted_rows(const category *q, double *out, double *f)
{
    vec       a[MB_CLASSES_MOST], s[MB_CLASSES_MOST], r[MB_CLASSES_MOST], g = all(0), value, left;
    const vec none = begin(q, a);
    int       k = 0;

    for (int32_t c = 0; c < q->T; c++)
        g = fma_(all(0.5), load(q->V + (size_t)(c * (c + 1) / 2 + c) * q->ld), g);
    do {
        value = exponents(q, a, s);
        value += shares_of(q->T, s, s);
        left = left_of(q->T, s, a, r);
        step_by(q, s, r, a);
    } while (reaches(left * g * fma_(g, g, all(TILTED_WEIGHT) * left), all(TILTED_ERROR)) &&
             ++k < TILTED_STEPS);
    for (int32_t c = 0; c < q->T; c++)
        store(out + (size_t)c * q->ld, a[c]);
    store(f, value + none);
}

static void tilted(int32_t T, int32_t n, size_t ld, const double *e, const double *V, double *s,
                   double *f)
{
    for (int32_t l = 0; l < n; l += LANES)
        tilted_rows(&(category){T, ld, e + l, V + l}, s + l, f + l);
}
#endif

#endif
