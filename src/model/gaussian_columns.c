/* gaussian_columns.c - Gaussian columns of a mixture: each member of a slice is a precision and the
 * means of its columns, mb_normal_gamma_diag.
 *
 * E[ln N(x_d)] = (psi(a) - ln b - ln 2 pi - 1/lambda_d - a/b (x_d - m_d)^2)/2. With theta integrated
 * out the columns of a member are, together, Student's t with 2a degrees of freedom around m, of
 * squared scales b/a (1 + 1/lambda_d). */
#include "base/gaps.h"
#include "expfam/normal_gamma_diag.h"
#include "model/columns.h"
#include "model/entries.h"
#include "model/gmm_form.h"
#include "model/prior.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

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

/* Of n columns from i on the rows that have a value there, and their squares. */
static void entries(const mb_part_ *p, int32_t k, mb_entry *out)
{
    for (int32_t m = 0; m < p->members; m++) {
        const int32_t *column = p->column + m * p->dim;

        *out = mb_entry_rows_(0.5, k, 1);
        out->columns = p->dim;
        out++->column[0] = *column;
        for (int32_t d = 0; d < p->dim; d++) {
            *out = mb_entry_rows_(-0.5, k, 1);
            out++->column[0] = column[d];
            *out++ = mb_entry_product_(mb_entry_rows_(-SQRT_HALF, k, 1), column[d], -1);
        }
        *out = mb_entry_product_(mb_entry_rows_(-0.5, k, 1), *column, *column);
        out++->columns = p->dim;
    }
}

static const mb_columns_code_ code = {.table = table,
                                      .expect = expect,
                                      .add = add,
                                      .predictive = predictive,
                                      .add_predictive = add_predictive,
                                      .gather = gather,
                                      .add_seen = MB_GAPS_(1) ? add_seen : NULL,
                                      .add_predictive_seen =
                                          MB_GAPS_(1) ? add_predictive_seen : NULL,
                                      .gather_seen = MB_GAPS_(1) ? gather_seen : NULL,
                                      .draw = draw,
                                      .entries = MB_ENTRIES_(entries)};

/* Textbook parameters of a member; the lambdas of its means follow the means. */
enum { PAR_A, PAR_B, PAR_M };

static double variance(const double *c)
{
    return c[PAR_B] / c[PAR_A];
}

static void moments(const double *par, int32_t n, double *mean, double *spread)
{
    (void)n;
    if (mean)
        *mean = par[PAR_M];
    if (spread)
        *spread = variance(par);
}

static const mb_named    numbers[] = {{"mean_precision", PAR_M + 1, 1},
                                      {"means", PAR_M, 0},
                                      {"variances", MB_NAMED_VARIANCE, 0},
                                      {"shape", PAR_A, 1},
                                      {"rate", PAR_B, 1},
                                      {NULL, 0, 0}};
static const char *const names_drawn[] = {"mean", "variance", NULL};

const mb_emission mb_gaussian_columns_ = {.family = &mb_normal_gamma_diag,
                                          .columns = 1U << MB_COLUMN_NUMBER,
                                          .numbers = numbers,
                                          .drawn = names_drawn,
                                          .moments = moments,
                                          .code = &code};

/* ---- a mixture of them alone, diagonal or spherical, as users see it ---- */

/* 1: a variance for each column; 0: one for all. */
static int is_diag(const mb_sizes *s)
{
    return s->choice[MB_GMM_FORM_CHOICE_] == MB_COVARIANCE_DIAG;
}

/* Precisions of a component. Files that are read may have no columns, until they are refused. */
static int32_t members(const mb_sizes *s)
{
    return is_diag(s) ? s->D : 1;
}

/* Columns of a precision. */
static int32_t dim_of(const mb_sizes *s)
{
    return is_diag(s) ? 1 : s->D;
}

/* Numbers of a member. */
static size_t member(const mb_sizes *s)
{
    return PAR_M + 2 * (size_t)dim_of(s);
}

static size_t slice(const mb_sizes *s, size_t *mean_step)
{
    *mean_step = is_diag(s) ? member(s) : 1;
    return (size_t)members(s) * member(s);
}

/* The precision of column d. */
static const double *of_column(const mb_sizes *s, const double *c, int32_t d)
{
    return is_diag(s) ? c + (size_t)d * member(s) : c;
}

static double covariance(const mb_sizes *s, const double *c, const double *shared, int32_t i,
                         int32_t j)
{
    (void)shared;
    return i == j ? variance(of_column(s, c, i)) : 0;
}

/* Numbers that a precision has are a matrix K x D (diag) or a list (spherical). */
static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t K = s->K, D = s->D, ndim = is_diag(s) ? 2 : 1;
    const size_t  at = mb_gmm_first_(s), M = (size_t)members(s), dim = (size_t)dim_of(s);
    const size_t  k = (size_t)K;
    size_t        inner;
    const size_t  step = slice(s, &inner), means = at + PAR_M;
    mb_field      all[] = {
             {.key = "mean_precision", 2, {K, D}, .bounded = 1, .at = means + dim, .step = step},
             {.key = "degrees_of_freedom", ndim, {K, D}, .derived = 1, .at = k, .step = M},
             {.key = "means", 2, {K, D}, .at = means, .step = step},
             {.key = "covariances", ndim, {K, D}, .derived = 1, .at = k + k * M, .step = M},
             {.key = "shape", ndim, {K, D}, .bounded = 1, .at = at + PAR_A, .step = step},
             {.key = "rate", ndim, {K, D}, .bounded = 1, .at = at + PAR_B, .step = step}};

    for (size_t f = 0; f < sizeof all / sizeof *all; f++)
        if (!all[f].derived)
            all[f].inner = inner;
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Degrees of freedom count rows: a = nu/2 for one column, D nu/2 for all. */
static void derive(const mb_sizes *s, const double *c, const double *shared, int32_t k, double *out)
{
    const int32_t M = members(s);

    (void)shared;
    out += (size_t)k * (size_t)M;
    for (int32_t m = 0; m < M; m++) {
        out[m] = 2 * of_column(s, c, m)[PAR_A] / dim_of(s);
        out[(size_t)s->K * (size_t)M + (size_t)m] = variance(of_column(s, c, m));
    }
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D, ndim = is_diag(s) ? 2 : 1;
    const size_t   at = (size_t)K, M = (size_t)members(s), dim = (size_t)dim_of(s);
    const size_t   step = M * (dim + 1), inner = is_diag(s) ? dim + 1 : 1;
    const mb_field all[] = {
        {.key = "mean", 2, {K, D}, .at = at, .step = step, .inner = inner},
        {.key = "covariance", ndim, {K, D}, .at = at + dim, .step = step, .inner = inner}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static size_t scatter(const mb_sizes *s, int32_t *step)
{
    *step = 1;
    return (size_t)members(s);
}

/* A single variance is the mean of those of the columns, of which constant ones have no range. */
static double weak(const mb_row_moments *seen, int32_t first, int32_t n)
{
    double  sum = 0;
    int32_t count = 0;

    for (int32_t d = first; d < first + n; d++)
        if (!seen->constant[d]) {
            sum += seen->spread[d] * seen->spread[d];
            count++;
        }
    return count ? sum / count : 1;
}

static mb_status scatter_of(mb_arena *a, const mb_sizes *s, int32_t prior,
                            const mb_row_moments *seen, double *out, const char **warning,
                            mb_err *err)
{
    const int32_t M = members(s), dim = dim_of(s);

    for (int32_t m = 0; m < M; m++)
        out[m] = prior == MB_GMM_PAPER_ ? mb_gmm_paper_ : weak(seen, m * dim, dim);
    return prior == MB_GMM_EMPIRICAL_ ? mb_prior_variances_(a, seen, M, out, warning, err) : MB_OK;
}

const mb_gmm_form_ mb_gmm_columns_ = {.mean = PAR_M,
                                      .slice = slice,
                                      .fields = fields,
                                      .derive = derive,
                                      .drawn = drawn,
                                      .covariance = covariance,
                                      .scatter = scatter,
                                      .scatter_of = scatter_of};
