/* glm_link.c - targets of generalised linear models, docs/math.md, section 21. */
#include "glm/glm_link.h"
#include "num/num.h"

#include <math.h>

static const double LN_2PI = 1.83787706640934548356;
/* Steps of the trapezoidal rule in standard deviations, and where it ends. */
static const double STEP = 0.5, POLES = 0.7, TAIL = 8.5, MOST = 1e5;

static int is_flag(double y)
{
    return (y >= 0 && y <= 0) || (y >= 1 && y <= 1);
}

/* ln (1 + e^eta), its slope and curvature. */
static mb_glm_moments_ softplus(double eta)
{
    const double small = exp(-fabs(eta)), one = 1 / (1 + small);
    const double slope = eta > 0 ? one : small * one;

    return (mb_glm_moments_){fmax(eta, 0) + log1p(small), slope, small * one * one};
}

static mb_glm_moments_ logistic_at(double y, double eta)
{
    const mb_glm_moments_ f = softplus(eta);

    return (mb_glm_moments_){y * eta - f.value, y - f.by_mean, -f.by_var};
}

/* The integrand has poles at odd multiples of i pi: the rule's error is about e^-28 where steps in
 * eta are at most 0.7, and e^-79 of the density where they are at most half a deviation. */
static mb_glm_moments_ logistic(double y, double e, double v)
{
    const double    s = sqrt(v), step = fmax(fmin(STEP, POLES / s), TAIL / MOST);
    const int       most = (int)ceil(TAIL / step);
    mb_glm_moments_ sum = {0};

    if (!isfinite(e) || !isfinite(v))
        return (mb_glm_moments_){(double)NAN, (double)NAN, (double)NAN};
    for (int k = -most; k <= most; k++) {
        const double          t = k * step, w = exp(-0.5 * (t * t + LN_2PI)) * step;
        const mb_glm_moments_ f = softplus(e + s * t);

        sum.value += w * f.value;
        sum.by_mean += w * f.by_mean;
        sum.by_var += w * f.by_var;
    }
    return (mb_glm_moments_){y * e - sum.value, y - sum.by_mean, -0.5 * sum.by_var};
}

static double logistic_start(double y)
{
    (void)y;
    return 0;
}

static void logistic_predict(double e, double v, double *mean, double *var)
{
    *mean = -logistic(0, e, v).by_mean;
    *var = *mean * (1 - *mean);
}

/* Whole numbers that double precision tells apart. */
static int is_count(double y)
{
    return y >= 0 && y <= 9007199254740992.0 && !(floor(y) < y);
}

static mb_glm_moments_ poisson(double y, double e, double v)
{
    const double rate = exp(e + 0.5 * v);

    return (mb_glm_moments_){y * e - rate - mb_lgamma_(y + 1), y - rate, -0.5 * rate};
}

static mb_glm_moments_ poisson_at(double y, double eta)
{
    const double rate = exp(eta);

    return (mb_glm_moments_){y * eta - rate - mb_lgamma_(y + 1), y - rate, -rate};
}

static double poisson_start(double y)
{
    return log(y + 0.5);
}

static void poisson_predict(double e, double v, double *mean, double *var)
{
    *mean = exp(e + 0.5 * v);
    *var = *mean + *mean * *mean * expm1(v);
}

const mb_glm_link_ mb_glm_links_[] = {
    {"0 or 1", is_flag, logistic, logistic_at, logistic_start, logistic_predict},
    {"a whole number from 0 on", is_count, poisson, poisson_at, poisson_start, poisson_predict}};

/* ln p(y | eta) - (eta - e)^2/(2v) and its slope, which falls. */
static double joint(const mb_glm_link_ *link, double y, double e, double v, double eta,
                    double *slope)
{
    const mb_glm_moments_ f = link->at(y, eta);

    *slope = f.by_mean - (eta - e) / v;
    return f.value - 0.5 * (eta - e) / v * (eta - e);
}

/* About where joint is largest: between e and e + v times the slope there. */
static double peak(const mb_glm_link_ *link, double y, double e, double v)
{
    double first = e, last = e + v * fmax(link->at(y, e).by_mean, -1e300), slope;

    for (int k = 0; k < 1100 && fabs(last - first) > 0.05 * fmin(1, sqrt(v)); k++) {
        const double middle = first + 0.5 * (last - first);

        joint(link, y, e, v, middle, &slope);
        if (slope > 0 ? last > first : last < first)
            first = middle;
        else
            last = middle;
    }
    return first;
}

/* The trapezoidal rule from the peak to both sides: joint is concave, so nothing follows a term that
 * is negligible. */
double mb_glm_log_density_(const mb_glm_link_ *link, double y, double e, double v)
{
    const double least = 1e-20;
    double       top, centre, step, slope, sum = 1;

    if (!(v > 1e-20))
        return link->at(y, e).value;
    centre = peak(link, y, e, v);
    top = joint(link, y, e, v, centre, &slope);
    step = fmin(0.3, 0.4 / sqrt(1 / v - link->at(y, centre).by_var));
    for (int side = -1; side <= 1; side += 2)
        for (int k = 1; k < (int)MOST; k++) {
            const double term = exp(joint(link, y, e, v, centre + side * k * step, &slope) - top);

            sum += term;
            if (term < least)
                break;
        }
    return top + log(sum * step) - 0.5 * (LN_2PI + log(v));
}
