/* lca_tables.c - tables of latent classes, for people. */
#include "base/columns.h"
#include "base/text.h"
#include "model/lca.h"
#include "num/num.h"

#include <math.h>

/* How far two classes are apart: numbers in standard deviations of the first, counts by the ratio of
 * their means, shares by their largest difference. NaN: there are no such columns. */
static void apart(const mb_posterior *p, int32_t k, const mb_posterior *q, int32_t other, double *x)
{
    mb_lca_cell_ a = {.s = &p->size, .par = p->par, .k = k};
    mb_lca_cell_ b = {.s = &q->size, .par = q->par, .k = other};

    x[0] = x[1] = x[2] = (double)NAN;
    while (mb_lca_next_(&a) && mb_lca_next_(&b))
        for (int32_t l = 0; l < a.levels; l++) {
            const double m = mb_lca_mean_(&a, l), n = mb_lca_mean_(&b, l);

            if (a.kind == MB_COLUMN_NUMBER)
                x[0] = fmax(x[0], fabs(m - n) / sqrt(mb_lca_variance_(&a, l)));
            else if (a.kind == MB_COLUMN_COUNT)
                x[1] = fmax(x[1], fmax(m / n, n / m));
            else
                x[2] = fmax(x[2], fabs(m - n));
        }
}

mb_status mb_lca_beside_(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed column[] = {
        {"component", 'd', 18, 0},        {"other", 'd', 18, 0},
        {"weight", 'g', 18, 6},           {"other_weight", 'g', 18, 6},
        {"mean_distance_sd", 'g', 18, 6}, {"count_ratio", 'g', 18, 6},
        {"share_difference", 'g', 18, 6}};
    enum { COLUMNS = sizeof column / sizeof *column };
    mb_gmm_shares_ mine = mb_lca_shares_(&p->size, p->par),
                   theirs = mb_lca_shares_(&q->size, q->par);
    double *x, *its;

    *out = (mb_listing){.rows = p->size.K, .columns = COLUMNS, .column = column};
    MB_NEW(out->x, a, COLUMNS * (size_t)p->size.K, err);
    MB_NEW(its, a, q->size.K, err);
    for (int32_t k = 0; k < q->size.K; k++)
        its[k] = mb_gmm_shares_next_(&theirs);
    x = out->x;
    for (int32_t k = 0; k < p->size.K; k++, x += COLUMNS) {
        x[0] = k;
        x[1] = other[k];
        x[2] = mb_gmm_shares_next_(&mine);
        x[3] = its[other[k]];
        apart(p, k, q, other[k], x + 4);
    }
    return MB_OK;
}

/* Quantities of a class: numbers, counts and flags have one, categories one for each level. */
static int32_t quantities(const mb_sizes *s)
{
    int32_t n = 0;

    for (int32_t d = 0; d < s->D; d++)
        n += mb_columns_kind(s->columns, d) == MB_COLUMN_CATEGORY ? s->columns->of[d].levels : 1;
    return n;
}

static mb_status name_all(mb_arena *a, const mb_posterior *p, const char **name, mb_err *err)
{
    for (int32_t d = 0; d < p->size.D; d++) {
        const int category = mb_columns_kind(p->size.columns, d) == MB_COLUMN_CATEGORY;

        if (!category)
            *name++ = p->column[d];
        for (int32_t l = 0; category && l < p->size.columns->of[d].levels; l++) {
            *name = mb_text(a, err, "%s=%s", p->column[d], p->size.columns->of[d].level[l]);
            if (!*name++)
                return MB_E_NOMEM;
        }
    }
    return MB_OK;
}

/* The central 95 % interval of the share of level l: one of a Dirichlet distribution. NaN of a number
 * or a count. */
static void interval(const mb_lca_cell_ *c, int32_t l, double *low, double *high)
{
    double others = 0;

    *low = *high = (double)NAN;
    if (c->kind < MB_COLUMN_CATEGORY)
        return;
    for (int32_t i = 0; i < c->levels; i++)
        others += i == l ? 0 : c->at[i];
    *low = mb_beta_quantile(c->at[l], others, .025);
    *high = mb_beta_quantile(c->at[l], others, .975);
}

/* A class's rows are what its concentration has gained on the prior's. */
mb_status mb_lca_summary_(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const int32_t K = p->size.K, n = quantities(&p->size);
    double       *count, *mean, *sd, *low, *high;
    const char  **name;

    MB_NEW(count, a, K, err);
    MB_NEW(mean, a, (size_t)K * (size_t)n, err);
    MB_NEW(sd, a, (size_t)K * (size_t)n, err);
    MB_NEW(low, a, (size_t)K * (size_t)n, err);
    MB_NEW(high, a, (size_t)K * (size_t)n, err);
    MB_NEW(name, a, n, err);
    MB_TRY(name_all(a, p, name, err));
    out->columns = n;
    out->name = name;
    out->count = count;
    out->mean = mean;
    out->sd = sd;
    out->low = low;
    out->high = high;
    for (int32_t k = 0; k < K; k++) {
        mb_lca_cell_ c = {.s = &p->size, .par = p->par, .k = k};
        const size_t at = (size_t)k * mb_lca_weights_(&p->size)->weights->entry;

        count[k] = p->prior_par ? fmax(0, p->par[at] - p->prior_par[at]) : (double)NAN;
        while (mb_lca_next_(&c))
            for (int32_t l = c.kind == MB_COLUMN_FLAG; l < c.levels; l++) {
                interval(&c, l, low++, high++);
                *mean++ = mb_lca_mean_(&c, l);
                *sd++ = c.kind >= MB_COLUMN_CATEGORY ? (double)NAN : sqrt(mb_lca_variance_(&c, l));
            }
    }
    return MB_OK;
}
