/* poisson_columns.c - counts of a mixture: each member of a slice is the rate of its column, a gamma.
 *
 * E[ln p(x)] = x (psi(a) - ln b) - a/b - ln x!; with lambda integrated out x is negative binomial,
 * ln p(x) = ln Gamma(a + x) - ln Gamma(a) - ln x! + a ln(b/(b + 1)) - x ln(b + 1). */
#include "model/columns.h"
#include "model/entries.h"
#include "num/num.h"

#include <math.h>

enum { FACTOR, CONSTANT, SHAPE, TABLE /* numbers of a member */ };

/* ln Gamma(a + x) - ln Gamma(a). With many rows both are large and their difference is not:
 * Stirling's series of both, subtracted term by term; what it leaves out is below 2e-14. */
static double ln_ratio(double a, double x)
{
    const double enough = 32, y = a + x;
    double       tail = 0;

    if (a < enough)
        return mb_lgamma_(y) - mb_lgamma_(a);
    for (int sign = -1; sign <= 1; sign += 2) {
        const double z = sign < 0 ? a : y, w = 1 / (z * z);

        tail += sign * (1.0 / 12 - w * (1.0 / 360 - w / 1260)) / z;
    }
    return (a - 0.5) * log1p(x / a) + x * (log(y) - 1) + tail;
}

static size_t table(const mb_part_ *p)
{
    return TABLE * (size_t)p->members;
}

static mb_status expect(const mb_part_ *p, const double *slice, double *t)
{
    for (int32_t m = 0; m < p->members; m++, slice += p->len, t += TABLE) {
        double mu[2];

        MB_TRY(mb_gamma.moments(1, slice, mu, NULL, NULL));
        t[FACTOR] = mu[0];
        t[CONSTANT] = -mu[1];
    }
    return MB_OK;
}

static mb_status predictive(const mb_part_ *p, const double *slice, double *t)
{
    for (int32_t m = 0; m < p->members; m++, slice += p->len, t += TABLE) {
        double par[2];

        MB_TRY(mb_gamma.to_par(1, slice, par, NULL));
        t[FACTOR] = -log1p(par[1]);
        t[CONSTANT] = -par[0] * log1p(1 / par[1]);
        t[SHAPE] = par[0];
    }
    return MB_OK;
}

static const double *cells(const mb_part_ *p, const mb_estep_ *g, int32_t m)
{
    return g->z + (size_t)p->column[m] * (size_t)g->block;
}

/* -ln x!, and NaN for what is no count. */
static void common(const mb_part_ *p, const mb_estep_ *g, double *r)
{
    for (int32_t m = 0; m < p->members; m++) {
        const double *z = cells(p, g, m);

        for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++)
            if (z[l] >= 0 && !(floor(z[l]) < z[l]))
                r[l] -= mb_lgamma_(z[l] + 1);
            else if (!isnan(z[l]))
                r[l] = (double)NAN;
    }
}

static void add(const mb_part_ *p, const double *t, const mb_estep_ *g, double *r)
{
    for (int32_t m = 0; m < p->members; m++, t += TABLE) {
        const double *z = cells(p, g, m);

        for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++)
            if (!isnan(z[l]))
                r[l] += z[l] * t[FACTOR] + t[CONSTANT];
    }
}

static void add_predictive(const mb_part_ *p, const double *t, const mb_estep_ *g, double *r)
{
    for (int32_t m = 0; m < p->members; m++, t += TABLE) {
        const double *z = cells(p, g, m);

        for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++)
            if (z[l] >= 0)
                r[l] += z[l] * t[FACTOR] + t[CONSTANT] + ln_ratio(t[SHAPE], z[l]);
    }
}

static void gather(const mb_part_ *p, const mb_estep_ *g, const double *r, double weight,
                   double *room, double *s)
{
    (void)weight, (void)room;
    for (int32_t m = 0; m < p->members; m++, s += p->len) {
        const double *z = cells(p, g, m);
        double        sum = 0, rows = 0;

        for (int32_t l = 0; l < g->rows; l++)
            if (!isnan(z[l])) {
                sum += r[l] * z[l];
                rows += r[l];
            }
        s[0] += sum;
        s[1] -= rows;
    }
}

/* Cells that are not there are skipped in any case. */
static void gather_seen(const mb_part_ *p, const mb_estep_ *g, const double *r, double *s)
{
    gather(p, g, r, 0, NULL, s);
}

/* By products of uniform numbers. */
static double draw_small(mb_rng *rng, double mean)
{
    const double stop = exp(-mean);
    double       product = mb_rng_uniform(rng);
    int32_t      x = 0;

    for (; product > stop; x++)
        product *= mb_rng_uniform(rng);
    return x;
}

/* Transformed rejection with a squeeze, for means from 10 up [Hoermann93, algorithm PTRS]. */
static double draw_large(mb_rng *rng, double mean)
{
    const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    const double inverse = 1.1239 + 1.1328 / (b - 3.4), inside = 0.9277 - 3.6224 / (b - 2);

    for (;;) {
        const double u = mb_rng_uniform(rng) - 0.5, v = mb_rng_uniform(rng), us = 0.5 - fabs(u);
        const double x = floor((2 * a / us + b) * u + mean + 0.43);

        if (us >= 0.07 && v <= inside)
            return x;
        if (x < 0 || (us < 0.013 && v > us))
            continue;
        if (log(v * inverse / (a / (us * us) + b)) <= x * log(mean) - mean - mb_lgamma_(x + 1))
            return x;
    }
}

/* Poisson with a rate ~ Gamma(a, rate b). */
static void draw(const mb_part_ *p, const double *par, mb_rng *rng, double *x)
{
    for (int32_t m = 0; m < p->members; m++, par += p->len) {
        const double rate = exp(mb_draw_ln_gamma_(rng, par[0]) - log(par[1]));

        x[p->column[m]] = rate < 10 ? draw_small(rng, rate) : draw_large(rng, rate);
    }
}

static void entries(const mb_part_ *p, int32_t k, mb_entry *out)
{
    for (int32_t m = 0; m < p->members; m++) {
        *out++ = mb_entry_product_(mb_entry_rows_(1, k, 1), p->column[m], -1);
        *out = mb_entry_rows_(-1, k, 1);
        out++->column[0] = p->column[m];
    }
}

static const mb_columns_code_ code = {.single = 1,
                                      .table = table,
                                      .common = common,
                                      .expect = expect,
                                      .add = add,
                                      .predictive = predictive,
                                      .add_predictive = add_predictive,
                                      .gather = gather,
                                      .add_seen = add,
                                      .add_predictive_seen = add_predictive,
                                      .gather_seen = gather_seen,
                                      .draw = draw,
                                      .entries = MB_ENTRIES_(entries)};

/* The expected rate, which is the expected variance, too. */
static void moments(const double *par, int32_t n, double *mean, double *variance)
{
    (void)n;
    if (mean)
        *mean = par[0] / par[1];
    if (variance)
        *variance = par[0] / par[1];
}

static const mb_named numbers[] = {
    {"count_shape", 0, 1}, {"count_rate", 1, 1}, {"count_means", MB_NAMED_MEAN, 0}, {NULL, 0, 0}};
static const char *const names_drawn[] = {"rate", NULL};

const mb_emission mb_poisson_columns_ = {.family = &mb_gamma,
                                         .columns = 1U << MB_COLUMN_COUNT,
                                         .numbers = numbers,
                                         .drawn = names_drawn,
                                         .moments = moments,
                                         .code = &code};
