/* tmm_tail.c - the predictive density of a row whose precision is not known: with t = ln u,
 *     I(v) = exp(c(v)) integral of exp(v/2 (t - e^t)) s^(-D/2) (1 + distance/s)^-half dt,
 * s = e^-t + 1/beta and c(v) = v/2 ln(v/2) - ln Gamma(v/2). The integrand is analytic and falls
 * exponentially or faster, where sums at equal steps converge exponentially (docs/math.md, section
 * 17). What does not depend on the distance is tabulated once for a component; rows so far out that
 * the table does not reach their precision are summed one by one. */
#include "model/tmm_tail.h"
#include "expfam/expfam.h"
#include "model/model.h"
#include "num/num.h"

#include <math.h>

static const double SMALL = 1e-17; /* of the sum, or of a probability: not added */
static const double HIGH = 5;      /* the last t of the table                   */

/* A step for v degrees of freedom. With a = (v + D)/2 the sum of exp(a t - e^t) is off by about
 * 2 |Gamma(a + 2 pi i/h)|/Gamma(a), below 1e-11 for these. */
static double step(int32_t D, double v)
{
    return fmin(0.25, 0.8 * sqrt(2 / (v + D + 8)));
}

/* The first t: the integrand falls with (v + D)/2 from where the precision of a row is, which may be
 * e^8 times smaller than its component's. */
static double first(int32_t D, double v)
{
    return -8 - 80 / (v + D);
}

int32_t mb_tail_nodes_(int32_t D, double dof)
{
    const double h = step(D, dof > 0 ? dof : mb_dof_at(MB_TMM_GRID - 1));
    const double range = HIGH - first(D, dof > 0 ? dof : mb_dof_at(0));

    return ((int32_t)ceil(range / h) / MB_LANES_MAX + 1) * MB_LANES_MAX;
}

static double c_of(double v)
{
    return 0.5 * v * log(0.5 * v) - mb_lgamma_(0.5 * v);
}

/* ln of sum_g P(v_g) exp(c(v_g) + v_g/2 (t - u)); c: of the points that are probable, else NaN. */
static double ln_density(const mb_tail_ *q, const double *c, double t, double u)
{
    double most = -(double)INFINITY, sum = 0;

    for (int32_t g = 0; g < q->n; g++) {
        const double ln = q->logs[g] + c[g] + 0.5 * mb_dof_at(g) * (t - u);

        if (ln > most) {
            sum = sum * exp(most - ln) + 1;
            most = ln;
        } else if (ln > most - 45)
            sum += exp(ln - most);
    }
    return most + log(sum);
}

void mb_tail_table_(mb_tail_ *q, int32_t nodes, double *room)
{
    const double low = first(q->D, q->logs ? mb_dof_at(0) : q->dof);
    double       c[MB_TMM_GRID];

    q->nodes = nodes;
    q->lead = room;
    q->per = room + nodes;
    q->b = room + 2 * (size_t)nodes;
    q->ln_b = room + 3 * (size_t)nodes;
    q->h = (HIGH - low) / (nodes - 1);
    for (int32_t g = 0; q->logs && g < q->n; g++)
        c[g] = q->logs[g] > log(SMALL) ? c_of(mb_dof_at(g)) : (double)NAN;
    for (int32_t i = 0; i < nodes; i++) {
        const double t = low + i * q->h, u = exp(t), s = 1 / u + 1 / q->beta;

        q->lead[i] = log(q->h) - 0.5 * q->D * log(s);
        q->lead[i] += q->logs ? ln_density(q, c, t, u) : c_of(q->dof) + 0.5 * q->dof * (t - u);
        q->per[i] = 1 / s;
    }
}

/* ln of the integrand without c(v). */
static double ln_integrand(const mb_tail_ *q, double v, double distance, double t)
{
    const double u = exp(t), s = 1 / u + 1 / q->beta;

    return 0.5 * v * (t - u) - 0.5 * q->D * log(s) - q->half * log1p(distance / s);
}

/* Its derivative. */
static double slope(const mb_tail_ *q, double v, double distance, double t)
{
    const double u = exp(t), s = 1 / u + 1 / q->beta, part = 1 / (u * s);

    return 0.5 * v * (1 - u) + part * (0.5 * q->D - q->half * distance / (s + distance));
}

/* Where the integrand is about largest. */
static double top(const mb_tail_ *q, double v, double distance)
{
    double low = -700, high = 2 + log1p(q->D / v);

    for (int i = 0; i < 16; i++) {
        const double t = 0.5 * (low + high);

        if (slope(q, v, distance, t) > 0)
            low = t;
        else
            high = t;
    }
    return low;
}

/* Sum of the integrand, relative to that at t0, at t0 + h, t0 + 2h, .. until it is negligible: to
 * the left it falls for good, to the right surely where u > 1. */
static double side(const mb_tail_ *q, double v, double distance, double t0, double h, double most)
{
    double sum = 0, term = 1;

    for (double t = t0 + h; term > SMALL * (1 + sum) || (h > 0 && t < 1); t += h) {
        term = exp(ln_integrand(q, v, distance, t) - most);
        sum += term;
    }
    return sum;
}

static double ln_integral(const mb_tail_ *q, double v, double distance)
{
    const double h = step(q->D, v), t0 = top(q, v, distance);
    const double most = ln_integrand(q, v, distance, t0);

    return c_of(v) + most +
           log(h * (1 + side(q, v, distance, t0, h, most) + side(q, v, distance, t0, -h, most)));
}

double mb_tail_far_(const mb_tail_ *q, double distance)
{
    double most = -(double)INFINITY, sum = 0;

    if (!q->logs)
        return ln_integral(q, q->dof, distance);
    for (int32_t g = 0; g < q->n; g++) {
        double ln;

        if (!(q->logs[g] > log(SMALL)))
            continue;
        ln = q->logs[g] + ln_integral(q, mb_dof_at(g), distance);
        if (ln > most) {
            sum = sum * exp(most - ln) + 1;
            most = ln;
        } else
            sum += exp(ln - most);
    }
    return most + log(sum);
}

double mb_tail_ln_(const mb_tail_ *q, const mb_kernel_ *kernel, double distance)
{
    double most = -(double)INFINITY, sum = 0;

    for (int32_t i = 0; i < q->nodes; i++)
        q->b[i] = 1 + distance * q->per[i];
    if (!(q->b[q->nodes - 1] < 1e300)) /* the largest, or NaN */
        return mb_tail_far_(q, distance);
    kernel->log(q->nodes, q->b, q->ln_b);
    for (int32_t i = 0; i < q->nodes; i++) {
        q->b[i] = q->lead[i] - q->half * q->ln_b[i];
        most = q->b[i] > most ? q->b[i] : most;
    }
    if (q->b[0] - most > log(SMALL))
        return mb_tail_far_(q, distance);
    for (int32_t i = 0; i < q->nodes; i++)
        q->b[i] = q->b[i] - most > -700 ? q->b[i] - most : -700;
    kernel->exp(q->nodes, q->b, q->ln_b);
    for (int32_t i = 0; i < q->nodes; i++)
        sum += q->ln_b[i];
    return most + log(sum);
}
