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
 * Taylor series of ln(1 + e^eta), is below 3e-15 where the mean is
 * from -3 to 3; further out rounding adds as much again. */
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

/* ln y! of small counts. */
/* clang-format off */
static const double log_factorial[] = {
    0.0, 0.0, 0.6931471805599453, 1.791759469228055,
    3.1780538303479458, 4.787491742782046, 6.579251212010101, 8.525161361065415,
    10.60460290274525, 12.801827480081469, 15.104412573075516, 17.502307845873887,
    19.987214495661885, 22.552163853123425, 25.19122118273868, 27.89927138384089,
    30.671860106080672, 33.50507345013689, 36.39544520803305, 39.339884187199495,
    42.335616460753485, 45.38013889847691, 48.47118135183523, 51.60667556776438,
    54.78472939811232, 58.00360522298052, 61.261701761002, 64.55753862700634,
    67.88974313718154, 71.25703896716801, 74.65823634883016, 78.0922235533153,
    81.55795945611504, 85.05446701758152, 88.58082754219768, 92.1361756036871,
    95.7196945421432, 99.33061245478743, 102.96819861451381, 106.63176026064346,
    110.32063971475739, 114.0342117814617, 117.77188139974507, 121.53308151543864,
    125.3172711493569, 129.12393363912722, 132.95257503561632, 136.80272263732635,
    140.67392364823425, 144.5657439463449, 148.47776695177302, 152.40959258449735,
    156.3608363030788, 160.3311282166309, 164.32011226319517, 168.32744544842765,
    172.3527971391628, 176.39584840699735, 180.45629141754378, 184.53382886144948,
    188.6281734236716, 192.7390472878449, 196.86618167289, 201.00931639928152,
    205.1681994826412, 209.34258675253685, 213.53224149456327, 217.73693411395422,
    221.95644181913033, 226.1905483237276, 230.43904356577696, 234.70172344281826,
    238.97838956183432, 243.2688490029827, 247.57291409618688, 251.8904022097232,
    256.22113555000954, 260.5649409718632, 264.9216497985528, 269.2910976510198,
    273.6731242856937, 278.0675734403661, 282.4742926876304, 286.893133295427,
    291.3239500942703, 295.76660135076065, 300.22094864701415, 304.6868567656687,
    309.1641935801469, 313.65282994987905, 318.1526396202093, 322.66349912672615,
    327.1852877037752, 331.7178871969285, 336.26118197919845, 340.815058870799,
    345.37940706226686, 349.95411804077025, 354.5390855194408, 359.1342053695754,
    363.73937555556347, 368.35449607240474, 372.979468885689, 377.61419787391867,
    382.25858877306, 386.91254912321756, 391.5759882173296, 396.24881705179155,
    400.93094827891576, 405.6222961611449, 410.32277652693733, 415.03230672824964,
    419.7508055995447, 424.4781934182571, 429.21439186665157, 433.9593239950148,
    438.71291418612117, 443.47508812091894, 448.2457727453846, 453.0248962384961,
    457.81238798127816, 462.6081785268749, 467.4121995716082, 472.2243839269806,
    477.04466549258564, 481.87297922988796, 486.7092611368394, 491.553448223298};
/* clang-format on */
enum { COUNTS = sizeof log_factorial / sizeof *log_factorial };

static double log_factorial_of(double y)
{
    return y < COUNTS ? log_factorial[(int)y] : mb_lgamma_(y + 1);
}

static void poisson(const mb_kernel_ *with, int32_t n, const double *y, const double *e,
                    const double *v, mb_glm_lanes_ *out)
{
    const int32_t all = (n + MB_LANES_MAX - 1) / MB_LANES_MAX * MB_LANES_MAX;
    double        eta[MB_BLOCK_MAX], rate[MB_BLOCK_MAX];

    for (int32_t l = 0; l < all; l++) {
        eta[l] = e[l] + 0.5 * v[l];
        rate[l] = fabs(eta[l]) <= 700 ? eta[l] : 0;
    }
    with->exp(all, rate, rate);
    for (int32_t l = 0; l < n; l++) {
        if (!(fabs(eta[l]) <= 700))
            rate[l] = exp(eta[l]);
        out->value[l] = y[l] * e[l] - rate[l] - log_factorial_of(y[l]);
        out->by_mean[l] = y[l] - rate[l];
        out->by_var[l] = -0.5 * rate[l];
    }
}

static mb_glm_moments_ poisson_at(double y, double eta)
{
    const double rate = exp(eta);

    return (mb_glm_moments_){y * eta - rate - log_factorial_of(y), y - rate, -rate};
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
