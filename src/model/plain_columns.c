/* plain_columns.c - mixtures of an emission that the caller gives: with T(x) the sufficient statistics,
 *     E[ln p(x)] = <T(x), E[u(theta)]> + ln h(x),
 *     ln p(x | data) = A(phi + T(x)) - A(phi) + ln h(x)
 * for each column, theta integrated out. */
#include "model/columns.h"
#include "model/prior.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Of a member: E[u] of the E-step; A and phi of the prediction. */
static size_t table(const mb_part_ *p)
{
    return (size_t)p->members * (1 + p->len);
}

static mb_status expect(const mb_part_ *p, const double *slice, double *t)
{
    for (int32_t m = 0; m < p->members; m++, slice += p->len, t += p->len)
        MB_TRY(p->emission->family->moments(1, slice, t, NULL, NULL));
    return MB_OK;
}

static mb_status predictive(const mb_part_ *p, const double *slice, double *t)
{
    for (int32_t m = 0; m < p->members; m++, slice += p->len, t += 1 + p->len) {
        MB_TRY(p->emission->family->moments(1, slice, NULL, t, NULL));
        memcpy(t + 1, slice, p->len * sizeof *t);
    }
    return MB_OK;
}

static double cell(const mb_part_ *p, const mb_estep_ *g, int32_t m, int32_t l)
{
    return g->z[(size_t)p->column[m] * (size_t)g->block + (size_t)l];
}

/* A gap says nothing. */
static void add(const mb_part_ *p, const double *t, const mb_estep_ *g, double *r)
{
    double u[MB_EMISSION_MAX];

    for (int32_t m = 0; m < p->members; m++, t += p->len)
        for (int32_t l = 0; l < g->rows; l++) {
            const double x = cell(p, g, m, l);

            if (isnan(x))
                continue;
            r[l] += p->emission->statistics(x, u);
            for (size_t e = 0; e < p->len; e++)
                r[l] += u[e] * t[e];
        }
}

static void add_predictive(const mb_part_ *p, const double *t, const mb_estep_ *g, double *r)
{
    double u[MB_EMISSION_MAX], A;

    for (int32_t m = 0; m < p->members; m++, t += 1 + p->len)
        for (int32_t l = 0; l < g->rows; l++) {
            const double x = cell(p, g, m, l);

            if (isnan(x))
                continue;
            r[l] += p->emission->statistics(x, u);
            for (size_t e = 0; e < p->len; e++)
                u[e] += t[1 + e];
            r[l] += p->emission->family->moments(1, u, NULL, &A, NULL) < 0 ? (double)NAN : A - *t;
        }
}

static void gather_seen(const mb_part_ *p, const mb_estep_ *g, const double *r, double *s)
{
    double u[MB_EMISSION_MAX];

    for (int32_t m = 0; m < p->members; m++, s += p->len)
        for (int32_t l = 0; l < g->rows; l++) {
            const double x = cell(p, g, m, l);

            if (isnan(x))
                continue;
            (void)p->emission->statistics(x, u);
            for (size_t e = 0; e < p->len; e++)
                s[e] += r[l] * u[e];
        }
}

static void gather(const mb_part_ *p, const mb_estep_ *g, const double *r, double weight,
                   double *room, double *s)
{
    (void)weight, (void)room;
    gather_seen(p, g, r, s);
}

static mb_status check(const mb_part_ *p, const mb_estep_ *g, mb_err *err)
{
    double u[MB_EMISSION_MAX];

    for (int32_t m = 0; m < p->members; m++)
        for (int32_t l = 0; l < g->rows; l++) {
            const double x = cell(p, g, m, l);

            if (!(isnan(x) && g->gaps) && !isfinite(p->emission->statistics(x, u)))
                MB_FAIL(err, MB_E_NUMERIC,
                        "row %" PRId64 ", column %" PRId32 ": got %g; expected %s",
                        mb_estep_row_(g, l), p->column[m] + 1, x, p->emission->expects);
        }
    return MB_OK;
}

static void draw(const mb_part_ *p, const double *par, mb_rng *rng, double *x)
{
    double theta[MB_EMISSION_MAX];

    for (int32_t m = 0; m < p->members; m++, par += p->len)
        x[p->column[m]] = p->emission->family->draw(1, par, rng, theta, NULL) < 0
                              ? (double)NAN
                              : p->emission->draw(theta, rng);
}

const mb_columns_code_ mb_plain_columns_ = {.single = 1,
                                            .table = table,
                                            .check = check,
                                            .expect = expect,
                                            .add = add,
                                            .predictive = predictive,
                                            .add_predictive = add_predictive,
                                            .gather = gather,
                                            .add_seen = add,
                                            .add_predictive_seen = add_predictive,
                                            .gather_seen = gather_seen,
                                            .draw = draw};

/* ---- a mixture of one emission ---- */

mb_status mb_emission_check_(const mb_emission *e, mb_err *err)
{
    const mb_family *f = e->family;

    if (e->code)
        return MB_OK;
    if (!f->draw || f->len(1) > MB_EMISSION_MAX || f->draw_len(1) > MB_EMISSION_MAX ||
        (f->scratch && f->scratch(1) > 0))
        MB_FAIL(err, MB_E_ARG,
                "family %s: expected one that can be drawn from, of at most %d numbers, without "
                "scratch",
                f->name, MB_EMISSION_MAX);
    return MB_OK;
}

static mb_status lay_out(mb_arena *a, const mb_family *f, int32_t K, int32_t D, mb_layout *l,
                         mb_err *err)
{
    int32_t *column;

    MB_NEW(column, a, D, err);
    for (int32_t d = 0; d < D; d++)
        column[d] = d;
    MB_TRY(mb_layout_add(l, &mb_dirichlet, K, 1, err));
    return mb_layout_add_product(l, f, 1, D, column, K, err);
}

mb_status mb_mixture_new(mb_arena *a, const mb_emission *emission, int32_t K, int32_t D,
                         double alpha0, const double *par, mb_model *out, mb_err *err)
{
    mb_model m = {.K = K};
    double  *all;

    MB_TRY(mb_emission_check_(emission, err));
    MB_TRY(mb_check_sizes_(K, D, err));
    MB_TRY(mb_check_concentration_("alpha0", alpha0, err));
    MB_TRY(lay_out(a, emission->family, K, D, &m.layout, err));
    MB_NEW(all, a, m.layout.len, err);
    for (int32_t k = 0; k < K; k++) {
        all[k] = alpha0;
        memcpy(all + mb_mixture_at(&m, k, 0), par, m.layout.block[1].len * sizeof *all);
    }
    MB_TRY(mb_model_prior(a, all, &m, err));
    MB_TRY(mb_mixture_(a, D, &emission, &mb_plain_columns_, 0, &m, err));
    *out = m;
    return MB_OK;
}

size_t mb_mixture_at(const mb_model *m, int32_t k, int32_t d)
{
    const mb_block *b = &m->layout.block[1];

    return b->off + b->len * (size_t)k + b->len / (size_t)b->members * (size_t)d;
}
