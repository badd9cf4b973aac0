/* compare.c - the differences between two posteriors. */
#include "base/columns.h"
#include "core/observe.h"
#include "expfam/expfam.h"
#include "formula/design.h"
#include "model/components.h"
#include "model/kind.h"
#include "model/model.h"
#include "num/num.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

static mb_status same_kind(const mb_posterior *p, const mb_posterior *q, mb_err *err)
{
    char    here[256], there[256];
    int32_t c = p->kind == q->kind ? mb_kind_differs(p->kind, &p->size, &q->size) : -1;

    if (c >= 0)
        MB_FAIL(err, MB_E_SHAPE,
                "%s is %s in %s and %s in %s: only like posteriors can be compared",
                p->kind->choices[c].name, mb_kind_word(p->kind, &p->size, c), p->name,
                mb_kind_word(q->kind, &q->size, c), q->name);
    mb_layout_text(&p->model->layout, here, sizeof here);
    mb_layout_text(&q->model->layout, there, sizeof there);
    if (strcmp(here, there) != 0)
        MB_FAIL(err, MB_E_SHAPE,
                "%s holds %s and %s holds %s: only like posteriors can be compared", p->name, here,
                q->name, there);
    for (int32_t d = 0; d < p->size.D; d++)
        if (strcmp(p->column[d], q->column[d]) != 0)
            MB_FAIL(err, MB_E_SHAPE, "feature %d is \"%s\" in %s and \"%s\" in %s", d + 1,
                    p->column[d], p->name, q->column[d], q->name);
    if (MB_STORED_(p->design || q->design) && !mb_design_same(p->design, q->design))
        MB_FAIL(err, MB_E_SHAPE,
                "the features of %s and %s are made otherwise: by another formula, other levels of "
                "categories, or constants of poly",
                p->name, q->name);
    if (!mb_columns_same(p->size.columns, q->size.columns))
        MB_FAIL(err, MB_E_SHAPE, "%s and %s have columns of other kinds, or other categories",
                p->name, q->name);
    for (int32_t t = 0; t < mb_kind_targets(p->kind, &p->size); t++)
        if (strcmp(p->target[t], q->target[t]) != 0)
            MB_FAIL(err, MB_E_SHAPE, "the target is \"%s\" in %s and \"%s\" in %s", p->target[t],
                    p->name, q->target[t], q->name);
    return MB_OK;
}

/* The distance of two means, and in standard deviations of component k there: the root of v'C^-1 v.
 * room: (n + 1) n. */
static void apart(const mb_components *p, int32_t k, const mb_components *q, int32_t other,
                  double *room, double *distance, double *in_sd)
{
    const int32_t n = p->n;
    double       *v = room, *C = room + n, sum = 0;

    for (int32_t i = 0; i < n; i++) {
        v[i] = p->mean[k * n + i] - q->mean[other * n + i];
        *distance = hypot(*distance, v[i]);
        for (int32_t j = 0; j <= i; j++)
            C[i * n + j] = mb_components_covariance(p, k, i, j);
    }
    *in_sd = (double)NAN;
    if (mb_chol_(C, n) != 0)
        return;
    mb_chol_forward_(C, n, v);
    for (int32_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    *in_sd = sqrt(sum);
}

static mb_status components(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                            const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed column[] = {
        {"component", 'd', 18, 0},     {"other", 'd', 18, 0},
        {"weight", 'g', 18, 6},        {"other_weight", 'g', 18, 6},
        {"mean_distance", 'g', 18, 6}, {"mean_distance_sd", 'g', 18, 6}};
    mb_components mine, its;
    double       *room, *x;

    MB_TRY(mb_components_make(a, p->kind, &p->size, p->par, &mine, err));
    MB_TRY(mb_components_make(a, q->kind, &q->size, q->par, &its, err));
    MB_NEW(room, a, ((size_t)mine.n + 1) * (size_t)mine.n, err);
    MB_NEW(x, a, 6 * (size_t)p->size.K, err);
    *out = (mb_listing){.rows = p->size.K, .columns = 6, .column = column, .x = x};
    for (int32_t k = 0; k < p->size.K; k++, x += 6) {
        x[0] = k;
        x[1] = other[k];
        x[2] = mine.share[k];
        x[3] = its.share[other[k]];
        apart(&mine, k, &its, other[k], room, &x[4], &x[5]);
    }
    return MB_OK;
}

/* Both in the units of the first: KL does not depend on units, rounding does. */
mb_status mb_posterior_compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                               mb_compared *out, mb_err *err)
{
    const mb_model *m = p->model;
    double         *other, *scratch, *aligned;

    *out = (mb_compared){.largest = 0};
    MB_TRY(same_kind(p, q, err));
    MB_NEW(other, a, m->layout.len, err);
    MB_NEW(aligned, a, m->layout.len, err);
    MB_NEW(scratch, a, mb_kl_aligned_scratch(m), err);
    MB_NEW(out->match, a, mb_alike_(m), err);
    MB_TRY(mb_posterior_move(a, p, q->par, other, err));
    MB_TRY(mb_kl_aligned(m, other, p->phi, &out->kl[1], NULL, scratch, err));
    MB_TRY(mb_kl_aligned(m, p->phi, other, &out->kl[0], out->match, scratch, err));
    mb_permute(&m->layout, mb_alike_(m), out->match, q->par, aligned);
    for (size_t l = 0; l < m->layout.len; l++)
        out->largest = fmax(out->largest, fabs(p->par[l] - aligned[l]) / fmax(1, fabs(p->par[l])));
    if (p->kind->compare)
        return p->kind->compare(a, p, q, out->match, &out->parts, err);
    return mb_kind_has_components(p->kind) ? components(a, p, q, out->match, &out->parts, err)
                                           : MB_OK;
}
