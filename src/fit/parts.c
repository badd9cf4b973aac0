/* parts.c - what an answer says of the components of its mixture: expected rows, and how far two of
 * them are apart (docs/math.md, section 15). */
#include "expfam/expfam.h"
#include "fit/fit.h"
#include "model/model.h"

const mb_block *mb_parts_weights_(const mb_model *m)
{
    return m->K > 1 ? mb_layout_weights(&m->layout, m->K) : NULL;
}

/* The number of the first components that number e must be, in slices of len: in the same place of
 * the first; of a square block the first on its diagonal, or the first beside it. */
static size_t like(const mb_block *b, size_t e, size_t len)
{
    const size_t entry = b->square ? b->family->weights->entry : len, in = e % len;

    return b->square && e / len != in / entry ? entry + in % entry : in % entry;
}

int mb_parts_alike_(const mb_model *m)
{
    for (int32_t j = 0; j < m->layout.nblock; j++) {
        const mb_block *b = &m->layout.block[j];
        size_t          at;
        const size_t    len = mb_block_components(&m->layout, b, m->K, &at);
        const double   *prior = m->prior + at;

        for (size_t e = 0; e < (size_t)m->K * len; e++)
            if (prior[e] < prior[like(b, e, len)] || prior[e] > prior[like(b, e, len)])
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

/* Of a square block: the rows that come to each component from any. */
static void add_columns(mb_parts_ *p, const mb_block *b)
{
    const size_t entry = b->family->weights->entry;

    for (int32_t k = 0; k < p->m->K; k++)
        for (int32_t from = 0; from < p->m->K; from++) {
            const size_t at = b->off + (size_t)from * b->len + (size_t)k * entry;

            p->rows[k] += p->phi[at] - p->m->prior[at];
        }
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
    for (const mb_block *b = m->layout.block; b < m->layout.block + m->layout.nblock; b++)
        if (b->square && b->count == m->K)
            add_columns(p, b);
    return MB_OK;
}

/* What components share is the same in both, and leaves the difference. */
double mb_parts_divergence_(const mb_parts_ *p, int32_t k, int32_t l)
{
    const mb_layout *lay = &p->m->layout;
    const double    *prior = p->m->prior, a = p->rows[k], b = p->rows[l];
    double           sum = 0;

    for (int32_t j = 0; j < lay->nblock; j++) {
        size_t       first;
        const size_t len = mb_block_components(lay, &lay->block[j], p->m->K, &first);
        const size_t at = first + (size_t)k * len, to = first + (size_t)l * len;

        for (size_t e = 0; !lay->block[j].family->weights && e < len; e++)
            sum += ((p->phi[at + e] - prior[at + e]) / a - (p->phi[to + e] - prior[to + e]) / b) *
                   (p->mu[at + e] - p->mu[to + e]);
    }
    return sum;
}

double mb_parts_merging_(const mb_parts_ *p, int32_t k, int32_t l, double J)
{
    return J * p->rows[k] * p->rows[l] / (p->rows[k] + p->rows[l]);
}
