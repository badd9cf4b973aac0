/* gmm_tables.c - tables of the components of a mixture, for people. */
#include "model/gmm_form.h"
#include "model/tables.h"

#include <math.h>

mb_status mb_gmm_beside_(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed column[] = {
        {"component", 'd', 18, 0},     {"other", 'd', 18, 0},
        {"weight", 'g', 18, 6},        {"other_weight", 'g', 18, 6},
        {"mean_distance", 'g', 18, 6}, {"mean_distance_sd", 'g', 18, 6}};
    const mb_layout    *l = &p->model->layout;
    const mb_gmm_form_ *form = mb_gmm_form_of_(&p->size);
    const double       *shared;
    mb_gmm_shares_      shares = mb_gmm_shares_begin_(&p->size, p->par);
    mb_gmm_shares_      theirs = mb_gmm_shares_begin_(&q->size, q->par);
    double             *mu, *scratch, *apart, *x, *its;

    *out = (mb_listing){.rows = p->size.K, .columns = 6, .column = column};
    MB_NEW(mu, a, l->len, err);
    MB_NEW(scratch, a, l->scratch, err);
    MB_NEW(apart, a, p->size.D, err);
    MB_NEW(its, a, q->size.K, err);
    for (int32_t k = 0; k < q->size.K; k++)
        its[k] = mb_gmm_shares_next_(&theirs);
    MB_NEW(out->x, a, 6 * (size_t)p->size.K, err);
    MB_TRY(mb_moments(l, p->phi, mu, NULL, scratch, err));
    shared = mb_gmm_shared_at_(&p->size, mu);
    x = out->x;
    for (int32_t k = 0; k < p->size.K; k++, x += 6) {
        for (int32_t d = 0; d < p->size.D; d++) {
            apart[d] =
                mb_gmm_mean_(&p->size, p->par, k, d) - mb_gmm_mean_(&q->size, q->par, other[k], d);
            x[4] = hypot(x[4], apart[d]);
        }
        x[0] = k;
        x[1] = other[k];
        x[2] = mb_gmm_shares_next_(&shares);
        x[3] = its[other[k]];
        x[5] = sqrt(form->squared(p, mb_gmm_component_at_(&p->size, p->par, k),
                                  mb_gmm_component_at_(&p->size, mu, k), shared, apart));
    }
    return MB_OK;
}

/* A component's rows are what its concentration has gained on the prior's. */
mb_status mb_gmm_summary_(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const size_t step = mb_gmm_weights_(&p->size)->weights->entry;
    double      *count;

    MB_NEW(count, a, p->size.K, err);
    for (int32_t k = 0; k < p->size.K; k++) {
        const size_t at = (size_t)k * step;

        count[k] = p->prior_par ? fmax(0, p->par[at] - p->prior_par[at]) : (double)NAN;
    }
    out->count = count;
    return MB_OK;
}
