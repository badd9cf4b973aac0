/* student.c - quantiles of Student's t by Newton's method on the logarithm of its distribution. */
#include "num/num.h"

#include <float.h>
#include <math.h>

enum { TERMS = 20000, STEPS = 200 };

static const double LN2 = 0.69314718055994530942, LN_PI = 1.14472988584940017414,
                    HALF_LN_2PI = 0.91893853320467274178;
/* From here on the expansion around the normal distribution is exact to rounding. */
static const double DOF_NORMAL = 1e5;

double mb_beta_fraction_(double a, double b, double x)
{
    const double tiny = 1e-300;
    double       d = 1 / (1 - (a + b) * x / (a + 1)), c = 1, f = d;

    for (int m = 1; m < TERMS; m++) {
        const double k = a + 2.0 * m, even = m * (b - m) * x / ((k - 1) * k);
        const double odd = -(a + m) * (a + b + m) * x / (k * (k + 1));
        double       turn;

        c = 1 + even / c;
        d = 1 / fmax(1 + even * d, tiny);
        f *= c * d;
        c = 1 + odd / c;
        d = 1 / fmax(1 + odd * d, tiny);
        turn = c * d;
        f *= turn;
        if (fabs(turn - 1) < DBL_EPSILON)
            break;
    }
    return f;
}

/* The distribution at t = e^s > 0, in logarithms. */
typedef struct place {
    double density; /* ln t f(t)    */
    double centre;  /* ln P(|T| < t) */
    double outside; /* ln P(|T| > t) */
} place;

/* P(|T| > t) = I_x(dof/2, 1/2), x = dof/(dof + t^2). */
static place at(double dof, double s)
{
    const double a = 0.5 * dof, r = 2 * s - log(dof); /* ln t^2/dof */
    const double ln_x = r > 0 ? -r - log1p(exp(-r)) : -log1p(exp(r)), ln_y = ln_x + r;
    const double front = mb_lgamma_half_(a) - 0.5 * LN_PI + a * ln_x + 0.5 * ln_y;
    place        p = {.density = front};

    if (exp(ln_x) < (a + 1) / (a + 2.5)) {
        p.outside = front - log(a) + log(mb_beta_fraction_(a, 0.5, exp(ln_x)));
        p.centre = log(-expm1(p.outside));
    } else {
        p.centre = front + LN2 + log(mb_beta_fraction_(0.5, a, exp(ln_y)));
        p.outside = log(-expm1(p.centre));
    }
    return p;
}

/* ln P(|T| < e^s) increases, ln P(|T| > e^s) decreases, both are concave in s: from below the root of
 * the former, and from above that of the latter, Newton's method does not overshoot. want: ln of the probability. */
static double solve(double dof, double want, int outside, double s)
{
    for (int i = 0; i < STEPS; i++) {
        const place  p = at(dof, s);
        const double value = outside ? p.outside : p.centre;
        const double step = (value - want) / exp(p.density + LN2 - value);

        s += outside ? step : -step;
        if (!(fabs(step) > 4 * DBL_EPSILON * fmax(1, fabs(s))))
            break;
    }
    return s;
}

/* t > 0 with P(T > t) = q, 0 < q < 1/2; centre = 1/2 - q. */
static double upper(double dof, double q, double centre)
{
    /* ln f(0), and t f(t) < e^ln_far t^-dof */
    const double ln_0 = mb_lgamma_half_(0.5 * dof) - 0.5 * (LN_PI + log(dof));
    const double ln_far = ln_0 + 0.5 * (dof + 1) * log(dof);

    if (centre < 0.25)
        return exp(solve(dof, LN2 + log(centre), 0, log(centre) - ln_0));
    return exp(solve(dof, LN2 + log(q), 1, (ln_far - log(dof) - log(q)) / dof));
}

/* The same for the normal distribution: Newton on ln Q(z), concave, from above: Q < e^(-z^2/2)/2. */
static double upper_normal(double q, double centre)
{
    const double sqrt_half = 0.70710678118654752440;
    double       z = centre < 0.25 ? 0 : sqrt(-2 * (LN2 + log(q)));

    for (int i = 0; i < STEPS; i++) {
        const double density = exp(-0.5 * z * z - HALF_LN_2PI), Q = 0.5 * erfc(z * sqrt_half);
        const double step = centre < 0.25 ? (centre - 0.5 * erf(z * sqrt_half)) / density
                                          : log(Q / q) * Q / density;

        z += step;
        if (!(fabs(step) > 2 * DBL_EPSILON * z))
            break;
    }
    return z;
}

/* [AS64, 26.7.5]: the terms left out are below rounding from DOF_NORMAL on. */
static double near_normal(double dof, double z)
{
    const double x = z * z, h = 1 / dof;
    const double g1 = (x + 1) / 4, g2 = ((5 * x + 16) * x + 3) / 96;
    const double g3 = (((3 * x + 19) * x + 17) * x - 15) / 384;
    const double g4 = ((((79 * x + 776) * x + 1482) * x - 1920) * x - 945) / 92160;

    return z * (1 + h * (g1 + h * (g2 + h * (g3 + h * g4))));
}

double mb_student_quantile(double dof, double p)
{
    const double q = p < 0.5 ? p : 1 - p, centre = fabs(p - 0.5);
    double       t;

    if (!(dof > 0) || !(p >= 0 && p <= 1))
        return (double)NAN;
    if (!(centre > 0))
        return 0;
    if (!(q > 0))
        t = (double)INFINITY;
    else
        t = dof < DOF_NORMAL ? upper(dof, q, centre) : near_normal(dof, upper_normal(q, centre));
    return p < 0.5 ? -t : t;
}

/* P(T < t) - p of a mixture, the tail that is shorter; *density: at t. */
static double passed(int32_t K, const double *share, const double *part, double t, double p,
                     double *density)
{
    double below = 0, above = 0;

    *density = 0;
    for (int32_t k = 0; k < K; k++, part += 3) {
        const double z = (t - part[0]) / part[1], size = fmax(fabs(z), 1e-300);
        const place  q = at(part[2], log(size));
        const double outside = 0.5 * exp(q.outside);

        if (!(share[k] > 0))
            continue;
        *density += share[k] * exp(q.density) / size / part[1];
        below += share[k] * (z < 0 ? outside : 1 - outside);
        above += share[k] * (z < 0 ? 1 - outside : outside);
    }
    return p < 0.5 ? below - p : 1 - p - above;
}

/* Newton's method, halving where it leaves the interval in which the distribution passes p. */
double mb_student_mixture_quantile_(int32_t K, const double *share, const double *part,
                                    const double *own, double p)
{
    double low = (double)INFINITY, high = -(double)INFINITY, wide, t;

    for (int32_t k = 0; k < K; k++) {
        const double q = part[3 * k] + part[3 * k + 1] * own[k];

        low = fmin(low, q);
        high = fmax(high, q);
    }
    wide = high - low;
    t = 0.5 * (low + high);
    for (int i = 0; i < STEPS && high - low > 1e-13 * wide; i++) {
        double       density;
        const double f = passed(K, share, part, t, p, &density), next = t - f / density;

        if (f < 0)
            low = t;
        else
            high = t;
        if (fabs(next - t) <= 1e-13 * wide)
            return fmin(fmax(next, low), high);
        t = next > low && next < high ? next : 0.5 * (low + high);
    }
    return t;
}
