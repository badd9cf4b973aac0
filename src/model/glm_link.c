/* glm_link.c - targets of generalised linear models, docs/math.md, section 21. */
#include "model/glm_link.h"
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

/* Points of the rule that are computed together: all of them at STEP. */
enum { SOME = 40 };

/* The rule's weights at STEP: the density of N(0, 1) at k/2 for k from -17 to 17, times 1/2. */
static const double weight[SOME] = {0x1.7899e4c2ad39ep-55,
                                    0x1.6c0df3a09482cp-49,
                                    0x1.121483257eb9ap-43,
                                    0x1.41663f31db144p-38,
                                    0x1.258556ae47e72p-33,
                                    0x1.a1880fbd087f3p-29,
                                    0x1.ce8ec3925096bp-25,
                                    0x1.8f16964c8fd43p-21,
                                    0x1.0c29a533d0bc7p-17,
                                    0x1.18a98e2c0b4b7p-14,
                                    0x1.c9897d147e61cp-12,
                                    0x1.227213fd77687p-9,
                                    0x1.1f2f0557f5254p-7,
                                    0x1.ba4b436e83ad5p-6,
                                    0x1.0940856d21e85p-4,
                                    0x1.ef8e58e331738p-4,
                                    0x1.6883d022086adp-3,
                                    0x1.9884533d43650p-3,
                                    0x1.6883d022086adp-3,
                                    0x1.ef8e58e331738p-4,
                                    0x1.0940856d21e85p-4,
                                    0x1.ba4b436e83ad5p-6,
                                    0x1.1f2f0557f5254p-7,
                                    0x1.227213fd77687p-9,
                                    0x1.c9897d147e61cp-12,
                                    0x1.18a98e2c0b4b7p-14,
                                    0x1.0c29a533d0bc7p-17,
                                    0x1.8f16964c8fd43p-21,
                                    0x1.ce8ec3925096bp-25,
                                    0x1.a1880fbd087f3p-29,
                                    0x1.258556ae47e72p-33,
                                    0x1.41663f31db144p-38,
                                    0x1.121483257eb9ap-43,
                                    0x1.6c0df3a09482cp-49,
                                    0x1.7899e4c2ad39ep-55,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0};

/* E of ln (1 + e^eta), its slope and curvature: sums of the rule. */
typedef struct rule {
    const mb_kernel_ *with;
    double            e, s, step;
    double            sum[3][MB_LANES_MAX];
} rule;

/* Points k to k + SOME - 1, those after `last` without weight. */
static void add_points(rule *r, int k, int last)
{
    double        own[SOME], eta[SOME], small[SOME], one[SOME], ln[SOME];
    const double *w = r->step < STEP ? own : weight;

    for (int i = 0; i < SOME; i++) {
        const double t = (k + i) * r->step;

        own[i] = r->step < STEP && k + i <= last ? exp(-0.5 * (t * t + LN_2PI)) * r->step : 0;
        eta[i] = r->e + r->s * t;
        small[i] = fabs(eta[i]) < 700 ? -fabs(eta[i]) : -700; /* smaller ones add nothing */
    }
    r->with->exp(SOME, small, small);
    for (int i = 0; i < SOME; i++)
        one[i] = 1 + small[i];
    r->with->log(SOME, one, ln);
    for (int i = 0; i < SOME; i += MB_LANES_MAX)
        for (int u = 0; u < MB_LANES_MAX; u++) {
            const int    at = i + u;
            const double part = 1 / one[at], slope = eta[at] > 0 ? part : small[at] * part;

            r->sum[0][u] += w[at] * ((eta[at] > 0 ? eta[at] : 0) + ln[at]);
            r->sum[1][u] += w[at] * slope;
            r->sum[2][u] += w[at] * (small[at] * part * part);
        }
}

static double total(const double *x)
{
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

/* The integrand has poles at odd multiples of i pi: the rule's error is about e^-28 where steps in
 * eta are at most 0.7, and e^-79 of the density where they are at most half a deviation. */
static mb_glm_moments_ softplus_mean(const mb_kernel_ *with, double e, double v)
{
    const double s = sqrt(v);
    rule         r = {.with = with, .e = e, .s = s};
    int          most;

    if (!isfinite(e) || !isfinite(v))
        return (mb_glm_moments_){(double)NAN, (double)NAN, (double)NAN};
    r.step = fmax(fmin(STEP, POLES / s), TAIL / MOST);
    most = (int)ceil(TAIL / r.step);
    for (int k = -most; k <= most; k += SOME)
        add_points(&r, k, most);
    return (mb_glm_moments_){total(r.sum[0]), total(r.sum[1]), total(r.sum[2])};
}

/* Gauss-Hermite points and weights, and the largest variance for which their error, that of the
 * Taylor series of ln(1 + e^eta), is below 3e-15. */
static const double at5[] = {-2.8569700138728056, -1.355626179974266, 0.0, 1.355626179974266,
                             2.8569700138728056};
static const double weight5[] = {0.011257411327720677, 0.22207592200561257, 0.5333333333333335,
                                 0.22207592200561257, 0.011257411327720677};
static const double at7[] = {-3.7504397177257425, -2.366759410734541, -1.1544053947399682, 0.0,
                             1.1544053947399682,  2.366759410734541,  3.7504397177257425};
static const double weight7[] = {0.000548268855972217, 0.03075712396758652, 0.2401231786050127,
                                 0.45714285714285724,  0.2401231786050127,  0.03075712396758652,
                                 0.000548268855972217};
static const double at11[] = {-5.1880012243748705, -3.936166607129977, -2.865123160643645,
                              -1.876035020154846,  -0.928868997381064, 0.0,
                              0.928868997381064,   1.876035020154846,  2.865123160643645,
                              3.936166607129977,   5.1880012243748705};
static const double weight11[] = {
    8.121849790214909e-07, 0.0001956719302712236, 0.0067202852355372706, 0.06613874607105778,
    0.24224029987396997,   0.3694083694083693,    0.24224029987396997,   0.06613874607105778,
    0.0067202852355372706, 0.0001956719302712236, 8.121849790214909e-07};
static const struct {
    double     most;
    mb_points_ points;
} hermite[] = {{.04 * .04, {5, at5, weight5}},
               {.12 * .12, {7, at7, weight7}},
               {.3 * .3, {11, at11, weight11}}};
enum { RULES = sizeof hermite / sizeof *hermite };

/* The first rule for all of the variances, RULES: none. */
static int rule_for(const mb_kernel_ *with, int32_t n, const double *v)
{
    int which = with->softplus ? 0 : RULES;

    for (int32_t l = 0; l < n; l++)
        while (which < RULES && !(v[l] <= hermite[which].most))
            which++;
    return which;
}

/* E of ln (1 + e^eta), its slope and curvature, of each row. */
static void softplus_means(const mb_kernel_ *with, int32_t n, const double *e, const double *v,
                           mb_glm_lanes_ *out)
{
    const int which = rule_for(with, n, v);
    double s[MB_BLOCK_MAX] = {0}, *const to[3] = {out->value, out->by_mean, out->by_var};

    for (int32_t l = 0; l < n; l++) {
        s[l] = sqrt(v[l]);
        if (which == RULES) {
            const mb_glm_moments_ f = softplus_mean(with, e[l], v[l]);

            out->value[l] = f.value;
            out->by_mean[l] = f.by_mean;
            out->by_var[l] = f.by_var;
        }
    }
    if (which < RULES)
        with->softplus(n, &hermite[which].points, e, s, to);
}

static void logistic(const mb_kernel_ *with, int32_t n, const double *y, const double *e,
                     const double *v, mb_glm_lanes_ *out)
{
    softplus_means(with, n, e, v, out);
    for (int32_t l = 0; l < n; l++) {
        out->value[l] = y[l] * e[l] - out->value[l];
        out->by_mean[l] = y[l] - out->by_mean[l];
        out->by_var[l] *= -0.5;
    }
}

static double logistic_start(double y)
{
    (void)y;
    return 0;
}

static void logistic_predict(const mb_kernel_ *with, double e, double v, double *mean, double *var)
{
    const double  rows[2][MB_LANES_MAX] = {{e}, {v}};
    mb_glm_lanes_ f;

    softplus_means(with, 1, rows[0], rows[1], &f);
    *mean = f.by_mean[0];
    *var = *mean * (1 - *mean);
}

/* Whole numbers that double precision tells apart. */
static int is_count(double y)
{
    return y >= 0 && y <= 9007199254740992.0 && !(floor(y) < y);
}

static void poisson(const mb_kernel_ *with, int32_t n, const double *y, const double *e,
                    const double *v, mb_glm_lanes_ *out)
{
    (void)with;
    for (int32_t l = 0; l < n; l++) {
        const double rate = exp(e[l] + 0.5 * v[l]);

        out->value[l] = y[l] * e[l] - rate - mb_lgamma_(y[l] + 1);
        out->by_mean[l] = y[l] - rate;
        out->by_var[l] = -0.5 * rate;
    }
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

static void poisson_predict(const mb_kernel_ *with, double e, double v, double *mean, double *var)
{
    (void)with;
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
