/* mixture_step.c - tables of a mixture's components, densities and statistics of a block of rows,
 * rows of the predictive distribution. */
#include "model/mixture_step.h"
#include "base/gaps.h"

#include <inttypes.h>
#include <math.h>

mb_mixture_view_ mb_mixture_work_(const mb_model *m, double *scratch)
{
    const mb_mixture_spec_ *q = m->spec;
    mb_mixture_view_        w = {.g = mb_rows_carve_(q->kernel, m->K, q->D, scratch)};

    w.table = scratch + mb_rows_scratch_(m->K, q->D);
    w.ln_pi = w.table + (size_t)m->K * q->tables;
    w.count = w.ln_pi + m->K;
    w.common = w.count + m->K;
    w.room = w.common + MB_BLOCK_MAX;
    w.groups = w.room + 2 * q->D;
    return w;
}

static const double *slice(const mb_block *b, const double *phi, int32_t k)
{
    return phi + b->off + b->len * (size_t)k;
}

mb_status mb_mixture_prepare_(const mb_model *m, const double *phi, int predictive,
                              mb_mixture_view_ *w, mb_err *err)
{
    const mb_layout        *l = &m->layout;
    const mb_mixture_spec_ *q = m->spec;
    double                 *t = w->table;

    for (int32_t b = 1; b < l->nblock; b++)
        for (int32_t k = 0; k < m->K; k++, t += q->part[b].emission->table(&q->part[b])) {
            const mb_emission_ *e = q->part[b].emission;
            const double       *at = slice(&l->block[b], phi, k);

            if ((predictive ? e->predictive : e->expect)(&q->part[b], at, t) < 0)
                MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (%s) is outside its domain", k,
                        l->block[b].family->name);
        }
    return MB_OK;
}

/* What does not depend on the component; 0 when there is nothing. */
static int find_common(const mb_model *m, mb_mixture_view_ *w)
{
    const mb_mixture_spec_ *q = m->spec;
    int                     any = 0;

    for (int32_t b = 1; b < m->layout.nblock; b++) {
        const mb_part_ *p = &q->part[b];

        if (!p->emission->common)
            continue;
        for (int32_t l = 0; !any && l < w->g.block; l++)
            w->common[l] = 0;
        p->emission->common(p, &w->g, w->common);
        any = 1;
    }
    return any;
}

void mb_mixture_densities_(const mb_model *m, int predictive, const double *ln_pi,
                           mb_mixture_view_ *w)
{
    const mb_layout        *l = &m->layout;
    const mb_mixture_spec_ *q = m->spec;
    const double           *t = w->table;
    const size_t            B = (size_t)w->g.block;

    for (int32_t k = 0; k < m->K; k++)
        for (size_t j = 0; j < B; j++)
            w->g.r[(size_t)k * B + j] = ln_pi ? ln_pi[k] : 0;
    if (find_common(m, w))
        for (int32_t k = 0; k < m->K; k++)
            for (size_t j = 0; j < B; j++)
                w->g.r[(size_t)k * B + j] += w->common[j];
    for (int32_t b = 1; b < l->nblock; b++)
        for (int32_t k = 0; k < m->K; k++, t += q->part[b].emission->table(&q->part[b])) {
            const mb_emission_ *e = q->part[b].emission;
            void (*const whole)(const mb_part_ *, const double *, const mb_estep_ *, double *) =
                predictive ? e->add_predictive : e->add;
            void (*const seen)(const mb_part_ *, const double *, const mb_estep_ *, double *) =
                predictive ? e->add_predictive_seen : e->add_seen;

            (MB_GAPS_(w->g.gaps) ? seen : whole)(&q->part[b], t, &w->g, w->g.r + (size_t)k * B);
        }
}

void mb_mixture_gather_(const mb_model *m, mb_mixture_view_ *w, double *s)
{
    const mb_layout        *l = &m->layout;
    const mb_mixture_spec_ *q = m->spec;

    for (int32_t k = 0; k < m->K; k++) {
        const double *r = w->g.r + (size_t)k * (size_t)w->g.block;
        double        weight = 0;

        for (int32_t j = 0; j < w->g.rows; j++)
            weight += r[j];
        w->count[k] = weight;
        for (int32_t b = 1; b < l->nblock; b++) {
            const mb_emission_ *e = q->part[b].emission;
            double             *to = s + l->block[b].off + l->block[b].len * (size_t)k;

            if (MB_GAPS_(w->g.gaps))
                e->gather_seen(&q->part[b], &w->g, r, to);
            else
                e->gather(&q->part[b], &w->g, r, weight, w->room, to);
        }
    }
}

mb_status mb_mixture_cells_(const mb_model *m, const mb_mixture_view_ *w, mb_err *err)
{
    const mb_mixture_spec_ *q = m->spec;

    for (int32_t b = 1; b < m->layout.nblock; b++)
        if (q->part[b].emission->check)
            MB_TRY(q->part[b].emission->check(&q->part[b], &w->g, err));
    return MB_OK;
}

mb_status mb_mixture_gaps_(const mb_model *m, const mb_rows *rows, mb_err *err)
{
    const mb_mixture_spec_ *q = m->spec;

    (void)rows; /* in a build without gaps */
    for (int32_t b = 1; MB_GAPS_(rows->gaps) && b < m->layout.nblock; b++)
        if (!q->part[b].emission->gather_seen)
            MB_FAIL(err, MB_E_NOSUP, "rows: got gaps; expected a value in every column (%s)",
                    m->layout.block[b].family->name);
    return MB_OK;
}

/* The component in proportion to share (K), whose sum is total, then its blocks of columns. */
static void draw_row(const mb_model *m, const double *par, const double *share, double total,
                     mb_rng *rng, double *out)
{
    const mb_layout        *l = &m->layout;
    const mb_mixture_spec_ *q = m->spec;
    double                  u = mb_rng_uniform(rng) * total;
    int32_t                 k = 0;

    while (k < m->K - 1 && u >= share[k])
        u -= share[k++];
    *out = k;
    for (int32_t b = 1; b < l->nblock; b++)
        q->part[b].emission->draw(&q->part[b], slice(&l->block[b], par, k), rng, out + 1);
}

mb_status mb_mixture_sample_(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                             int64_t n, double *out, double *scratch, mb_err *err)
{
    const size_t width = 1 + (size_t)((const mb_mixture_spec_ *)m->spec)->D;
    double       total = 0;

    if (mb_weights_of_(m->layout.block->family, m->K, par, scratch) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "the weights of the posterior are outside their domain");
    for (int32_t k = 0; k < m->K; k++)
        total += scratch[k];
    for (int64_t j = 0; j < n; j++, out += width) {
        mb_rng rng = mb_rng_at(seed, MB_STREAM_SAMPLE, 0, (uint64_t)(first + j));

        draw_row(m, par, scratch, total, &rng, out);
        for (size_t i = 1; i < width; i++)
            if (!isfinite(out[i]))
                MB_FAIL(err, MB_E_NUMERIC,
                        "row %" PRId64 " exceeds the range of double: component %d has too few "
                        "degrees of freedom",
                        first + j, (int)out[0]);
    }
    return MB_OK;
}
