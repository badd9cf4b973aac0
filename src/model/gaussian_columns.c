/* gaussian_columns.c - Gaussian columns of a mixture: each member of a slice is a precision and the
 * means of its columns, mb_normal_gamma_diag.
 *
 * E[ln N(x_d)] = (psi(a) - ln b - ln 2 pi - 1/lambda_d - a/b (x_d - m_d)^2)/2. With theta integrated
 * out the columns of a member are, together, Student's t with 2a degrees of freedom around m, of
 * squared scales b/a (1 + 1/lambda_d). */
#include "base/gaps.h"
#include "expfam/normal_gamma_diag.h"
#include "model/columns.h"
#include "num/num.h"

#include <math.h>

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;
static const double SQRT_HALF = 0.70710678118654752440;

/* [constant | n factors of the squares | n means | predictive: a power of each member | n constants of
 * the columns, for rows with gaps: of the predictive density without the gamma functions]. */
static size_t table(const mb_part_ *p)
{
    return 1 + 3 * (size_t)p->n + (size_t)p->members;
}

static double *constants(const mb_part_ *p, const double *t)
{
    return (double *)(uintptr_t)(t + 1 + 2 * p->n + p->members);
}

static mb_status expect(const mb_part_ *p, const double *slice, double *t)
{
    double *f = t + 1, *mean = f + p->n, *own = constants(p, t);

    t[0] = 0;
    for (int32_t m = 0; m < p->members; m++, slice += p->len) {
        const double a = mb_ngd_a_(p->dim, slice), b = mb_ngd_b_(p->dim, slice);
        double       each;

        if (!(b > 0))
            return MB_E_DOMAIN;
        each = mb_digamma_(a) - log(b) - LN_2PI;
        t[0] += 0.5 * p->dim * each;
        for (int32_t d = 0; d < p->dim; d++) {
            const double less = 0.5 / mb_ngd_lambda_(slice, d);

            t[0] -= less;
            *own++ = 0.5 * each - less;
            *f++ = 0.5 * a / b;
            *mean++ = mb_ngd_mean_(slice, d);
        }
    }
    return MB_OK;
}

static void add(const mb_part_ *p, const double *t, const mb_estep_ *g, double *r)
{
    const double *f = t + 1, *mean = f + p->n;

    for (int32_t l = 0; l < g->block; l++)
        r[l] += t[0];
    g->kernel->squares(g, p->n, p->column, mean, f, r);
}

static mb_status predictive(const mb_part_ *p, const double *slice, double *t)
{
    double *f = t + 1, *mean = f + p->n, *power = mean + p->n, *own = constants(p, t);

    t[0] = 0;
    for (int32_t m = 0; m < p->members; m++, slice += p->len) {
        const double a = mb_ngd_a_(p->dim, slice), b = mb_ngd_b_(p->dim, slice);

        if (!(b > 0))
            return MB_E_DOMAIN;
        *power++ = a + 0.5 * p->dim;
        for (int32_t d = 0; d < p->dim; d++) {
            const double scale = 2 * b * (1 + 1 / mb_ngd_lambda_(slice, d));

            *own = -0.5 * (LN_PI + log(scale));
            t[0] += mb_lgamma_half_(a + 0.5 * d) + *own++;
            *f++ = 1 / scale;
            *mean++ = mb_ngd_mean_(slice, d);
        }
    }
    return MB_OK;
}

static void add_predictive(const mb_part_ *p, const double *t, const mb_estep_ *g, double *r)
{
    const double *f = t + 1, *mean = f + p->n, *power = mean + p->n;
    double        square[MB_BLOCK_MAX];

    for (int32_t l = 0; l < g->block; l++)
        r[l] += t[0];
    for (int32_t m = 0; m < p->members; m++, f += p->dim, mean += p->dim) {
        for (int32_t l = 0; l < g->block; l++)
            square[l] = 0;
        g->kernel->squares(g, p->dim, p->column + m * p->dim, mean, f, square);
        for (int32_t l = 0; l < g->rows; l++)
            r[l] -= power[m] * log1p(-square[l]);
    }
}

static void gather(const mb_part_ *p, const mb_estep_ *g, const double *r, double weight,
                   double *room, double *s)
{
    for (int32_t i = 0; i < 2 * p->n; i++)
        room[i] = 0;
    g->kernel->column_sums(g, p->n, p->column, r, room);
    for (int32_t m = 0; m < p->members; m++, s += p->len) {
        double *corner = s + p->len - 1;

        s[0] += 0.5 * p->dim * weight;
        for (int32_t d = 0; d < p->dim; d++, room += 2) {
            s[1 + 2 * d] -= 0.5 * weight;
            s[2 + 2 * d] -= SQRT_HALF * room[0];
            *corner -= 0.5 * room[1];
        }
    }
}

static void add_seen(const mb_part_ *p, const double *t, const mb_estep_ *g, double *r)
{
    const double *f = t + 1, *mean = f + p->n, *own = constants(p, t);

    for (int32_t i = 0; i < p->n; i++)
        for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++) {
            const double far = g->z[p->column[i] * g->block + l] - mean[i];

            r[l] += isnan(far) ? 0 : own[i] - f[i] * far * far;
        }
}

/* Of o columns that have a value: Gamma(a + o/2)/Gamma(a), and the power a + o/2. */
static void add_predictive_seen(const mb_part_ *p, const double *t, const mb_estep_ *g, double *r)
{
    const double *f = t + 1, *mean = f + p->n, *power = mean + p->n, *own = constants(p, t);

    for (int32_t m = 0; m < p->members; m++, f += p->dim, mean += p->dim, own += p->dim)
        for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++) {
            const double a = power[m] - 0.5 * p->dim;
            double       square = 0;
            int32_t      seen = 0;

            for (int32_t d = 0; d < p->dim; d++) {
                const double far = g->z[p->column[m * p->dim + d] * g->block + l] - mean[d];

                if (isnan(far))
                    continue;
                r[l] += mb_lgamma_half_(a + 0.5 * seen++) + own[d];
                square += f[d] * far * far;
            }
            r[l] -= (a + 0.5 * seen) * log1p(square);
        }
}

/* A column that has no value in a row has none of its weight. */
static void gather_seen(const mb_part_ *p, const mb_estep_ *g, const double *r, double *s)
{
    for (int32_t m = 0; m < p->members; m++, s += p->len)
        for (int32_t d = 0; d < p->dim; d++) {
            const int32_t column = p->column[m * p->dim + d];
            double        weight = 0, sum = 0, square = 0;

            for (int32_t l = 0; l < g->rows; l++) {
                const double x = g->z[column * g->block + l];

                if (mb_gap_(g, column, l))
                    continue;
                weight += r[l];
                sum += r[l] * x;
                square += r[l] * x * x;
            }
            s[0] += 0.5 * weight;
            s[1 + 2 * d] -= 0.5 * weight;
            s[2 + 2 * d] -= SQRT_HALF * sum;
            s[p->len - 1] -= 0.5 * square;
        }
}

/* m + z sqrt((1 + 1/lambda) / tau), tau ~ Gamma(a, rate b) common to the columns of a member. */
static void draw(const mb_part_ *p, const double *par, mb_rng *rng, double *x)
{
    for (int32_t m = 0; m < p->members; m++, par += p->len) {
        const double *mean = par + 2, *lambda = mean + p->dim;
        const double  sd = exp(0.5 * (log(par[1]) - mb_draw_ln_gamma_(rng, par[0])));

        for (int32_t d = 0; d < p->dim; d++)
            x[p->column[m * p->dim + d]] =
                mean[d] + mb_rng_normal(rng) * sd * sqrt(1 + 1 / lambda[d]);
    }
}

const mb_emission_ mb_gaussian_columns_ = {.table = table,
                                           .expect = expect,
                                           .add = add,
                                           .predictive = predictive,
                                           .add_predictive = add_predictive,
                                           .gather = gather,
                                           .add_seen = MB_GAPS_(1) ? add_seen : NULL,
                                           .add_predictive_seen =
                                               MB_GAPS_(1) ? add_predictive_seen : NULL,
                                           .gather_seen = MB_GAPS_(1) ? gather_seen : NULL,
                                           .draw = draw};
