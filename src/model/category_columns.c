/* category_columns.c - categories and flags of a mixture: each member of a slice has the shares of the
 * levels of its column, a Dirichlet.
 *
 * E[ln p(x = l)] = psi(alpha_l) - psi(sum alpha); with theta integrated out p(x = l) =
 * alpha_l/sum alpha. */
#include "base/draw.h"
#include "model/columns.h"
#include "model/entries.h"

#include <math.h>

static int32_t levels(const mb_part_ *p, int32_t m)
{
    return p->dims ? p->dims[m] : p->dim;
}

/* One number for each level of each member. */
static size_t table(const mb_part_ *p)
{
    size_t sum = 0;

    for (int32_t m = 0; m < p->members; m++)
        sum += (size_t)levels(p, m);
    return sum;
}

static mb_status expect(const mb_part_ *p, const double *slice, double *t)
{
    for (int32_t m = 0; m < p->members; m++) {
        MB_TRY(mb_dirichlet.moments(levels(p, m), slice, t, NULL, NULL));
        slice += levels(p, m);
        t += levels(p, m);
    }
    return MB_OK;
}

static mb_status predictive(const mb_part_ *p, const double *slice, double *t)
{
    for (int32_t m = 0; m < p->members; m++) {
        const int32_t L = levels(p, m);
        double        sum = 0;

        MB_TRY(mb_dirichlet.to_par(L, slice, t, NULL));
        for (int32_t l = 0; l < L; l++)
            sum += t[l];
        for (int32_t l = 0; l < L; l++)
            t[l] = log(t[l] / sum);
        slice += L;
        t += L;
    }
    return MB_OK;
}

static void add(const mb_part_ *p, const double *t, const mb_estep_ *g, double *r)
{
    for (int32_t m = 0; m < p->members; t += levels(p, m++)) {
        const double *z = g->z + (size_t)p->column[m] * (size_t)g->block;
        const int32_t L = levels(p, m);

        for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++)
            if (z[l] >= 0 && z[l] < L)
                r[l] += t[(int32_t)z[l]];
            else if (!isnan(z[l]))
                r[l] = (double)NAN;
    }
}

static void gather(const mb_part_ *p, const mb_estep_ *g, const double *r, double weight,
                   double *room, double *s)
{
    (void)weight, (void)room;
    for (int32_t m = 0; m < p->members; s += levels(p, m++)) {
        const double *z = g->z + (size_t)p->column[m] * (size_t)g->block;
        const int32_t L = levels(p, m);

        for (int32_t l = 0; l < g->rows; l++)
            if (z[l] >= 0 && z[l] < L)
                s[(int32_t)z[l]] += r[l];
    }
}

/* Cells that are not there are skipped in any case. */
static void gather_seen(const mb_part_ *p, const mb_estep_ *g, const double *r, double *s)
{
    gather(p, g, r, 0, NULL, s);
}

/* A level with probability alpha_l/sum alpha. */
static void draw(const mb_part_ *p, const double *par, mb_rng *rng, double *x)
{
    for (int32_t m = 0; m < p->members; par += levels(p, m++)) {
        x[p->column[m]] = mb_index_draw_(rng, par, levels(p, m));
    }
}

static void entries(const mb_part_ *p, int32_t k, mb_entry *out)
{
    for (int32_t m = 0; m < p->members; m++)
        for (int32_t l = 0; l < levels(p, m); l++, out++) {
            *out = mb_entry_rows_(1, k, 1);
            out->kind = MB_ENTRY_LEVEL;
            out->column[0] = p->column[m];
            out->level = l;
        }
}

static const mb_columns_code_ code = {.single = 1,
                                      .table = table,
                                      .expect = expect,
                                      .add = add,
                                      .predictive = predictive,
                                      .add_predictive = add,
                                      .gather = gather,
                                      .add_seen = add,
                                      .add_predictive_seen = add,
                                      .gather_seen = gather_seen,
                                      .draw = draw,
                                      .entries = MB_ENTRIES_(entries)};

/* Shares, and the variance of an indicator of the level. */
static void moments(const double *par, int32_t n, double *mean, double *variance)
{
    double sum = 0;

    for (int32_t l = 0; l < n; l++)
        sum += par[l];
    for (int32_t l = 0; l < n; l++) {
        const double share = par[l] / sum;

        if (mean)
            mean[l] = share;
        if (variance)
            variance[l] = share * (1 - share);
    }
}

static const mb_named numbers[] = {
    {"share_concentration", 0, 1}, {"shares", MB_NAMED_MEAN, 0}, {NULL, 0, 0}};
static const char *const names_drawn[] = {"share", NULL};

const mb_emission mb_category_columns_ = {.family = &mb_dirichlet,
                                          .columns =
                                              1U << MB_COLUMN_CATEGORY | 1U << MB_COLUMN_FLAG,
                                          .numbers = numbers,
                                          .drawn = names_drawn,
                                          .moments = moments,
                                          .code = &code};
