/* parts.c - what an answer says of the components of its mixture: expected rows, and how far two of
 * them are apart (docs/math.md, section 15). */
#include "fit/fit.h"

const mb_block *mb_parts_weights_(const mb_model *m)
{
    return m->K > 1 ? mb_layout_weights(&m->layout, m->K) : NULL;
}

int mb_parts_alike_(const mb_model *m)
{
    const mb_layout *l = &m->layout;
    const mb_block  *shares = mb_parts_weights_(m);

    for (int32_t j = 0; j < l->nblock; j++) {
        const mb_block *blk = &l->block[j];
        const int       parts = blk->count == m->K, weights = blk == shares;
        const size_t    len = parts ? blk->len : weights ? blk->family->weights->entry : 1;
        const size_t    most = parts || weights ? (size_t)m->K : 1;
        const double   *prior = m->prior + blk->off;

        for (size_t e = len; e < most * len; e++)
            if (prior[e] < prior[e % len] || prior[e] > prior[e % len])
                return 0;
    }
    return 1;
}

mb_status mb_parts_new_(mb_arena *a, const mb_model *m, mb_parts_ *out, mb_err *err)
{
    *out = (mb_parts_){.m = m};
    MB_NEW(out->rows, a, m->K, err);
    MB_NEW(out->mu, a, m->layout.len, err);
    MB_NEW(out->scratch, a, mb_local_scratch(m), err);
    return MB_OK;
}

mb_status mb_parts_see_(mb_parts_ *p, const double *phi, mb_err *err)
{
    const mb_model *m = p->m;
    const mb_block *w = mb_parts_weights_(m);
    const size_t    at = w->off, step = w->family->weights->entry;

    MB_TRY(mb_moments(&m->layout, phi, p->mu, NULL, p->scratch, err));
    p->phi = phi;
    for (int32_t k = 0; k < m->K; k++)
        p->rows[k] = phi[at + (size_t)k * step] - m->prior[at + (size_t)k * step];
    return MB_OK;
}

double mb_parts_divergence_(const mb_parts_ *p, int32_t k, int32_t l)
{
    const mb_layout *lay = &p->m->layout;
    const double    *prior = p->m->prior, a = p->rows[k], b = p->rows[l];
    double           sum = 0;

    for (int32_t j = 0; j < lay->nblock; j++) {
        const mb_block *blk = &lay->block[j];
        const size_t    at = blk->off + (size_t)k * blk->len, to = blk->off + (size_t)l * blk->len;

        for (size_t e = 0; blk->count == p->m->K && e < blk->len; e++)
            sum += ((p->phi[at + e] - prior[at + e]) / a - (p->phi[to + e] - prior[to + e]) / b) *
                   (p->mu[at + e] - p->mu[to + e]);
    }
    return sum;
}

double mb_parts_merging_(const mb_parts_ *p, int32_t k, int32_t l, double J)
{
    return J * p->rows[k] * p->rows[l] / (p->rows[k] + p->rows[l]);
}
