/* columns.c - products of independent columns: ln rho_k = E[ln pi_k] + sum over the blocks of E[ln p(x |
 * theta_k)]. */
#include "model/columns.h"
#include "base/draw.h"
#include "base/gaps.h"
#include "base/groups.h"
#include "model/entries.h"
#include "model/tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct spec {
    mb_mixing_spec_   mix;
    const mb_kernel_ *kernel;
    int32_t           D;
    size_t            tables; /* doubles of the tables of a component */
    mb_part_          part[MB_MAX_BLOCKS];
} spec;

/* In the scratch of the form. */
typedef struct areas {
    double *table;  /* K tables of each block              */
    double *count;  /* K: rows of each component           */
    double *common; /* B: what rows have in common         */
    double *room;   /* 2 D: for an emission                */
} areas;

static const spec *spec_of(const mb_pass_ *w)
{
    return w->m->spec;
}

static areas areas_of(const mb_pass_ *w)
{
    const spec *q = spec_of(w);
    areas       x = {.table = w->own};

    x.count = x.table + (size_t)w->g.K * q->tables + w->g.K;
    x.common = x.count + w->g.K;
    x.room = x.common + MB_BLOCK_MAX;
    return x;
}

static void carve(mb_pass_ *w, double *scratch)
{
    const spec *q = spec_of(w);

    mb_rows_carve_(&w->g, q->kernel, w->m->K, q->D, scratch);
    w->own = scratch + mb_rows_scratch_(w->m->K, q->D);
    w->ln_pi = w->own + (size_t)w->m->K * q->tables;
    w->room = areas_of(w).room + 2 * q->D;
}

static mb_status refuses(const mb_pass_ *w, const mb_rows *rows, mb_err *err)
{
    (void)rows; /* in a build without gaps */
    for (int32_t b = 1; MB_GAPS_(rows->gaps) && b < w->m->layout.nblock; b++)
        if (!spec_of(w)->part[b].code->gather_seen)
            MB_FAIL(err, MB_E_NOSUP, "rows: got gaps; expected a value in every column (%s)",
                    w->m->layout.block[b].family->name);
    return MB_OK;
}

static const double *slice(const mb_block *b, const double *phi, int32_t k)
{
    return phi + b->off + b->len * (size_t)k;
}

/* The tables at phi, of the E-step or the predictive density. */
static mb_status tables(const mb_pass_ *w, const double *phi, int predictive, mb_err *err)
{
    const mb_layout *l = &w->m->layout;
    const spec      *q = spec_of(w);
    double          *t = w->own;

    for (int32_t b = 1; b < l->nblock; b++)
        for (int32_t k = 0; k < w->g.K; k++, t += q->part[b].code->table(&q->part[b])) {
            const mb_columns_code_ *e = q->part[b].code;
            const double           *at = slice(&l->block[b], phi, k);

            if ((predictive ? e->predictive : e->expect)(&q->part[b], at, t) < 0)
                MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (%s) is outside its domain", k,
                        l->block[b].family->name);
        }
    return MB_OK;
}

static mb_status prepare(mb_pass_ *w, mb_err *err)
{
    return tables(w, w->phi, w->predictive, err);
}

static mb_status look(mb_pass_ *w, mb_err *err)
{
    const spec *q = spec_of(w);

    for (int32_t b = 1; b < w->m->layout.nblock; b++)
        if (q->part[b].code->check)
            MB_TRY(q->part[b].code->check(&q->part[b], &w->g, err));
    return MB_OK;
}

/* What does not depend on the component; 0 when there is nothing. */
static int find_common(mb_pass_ *w, double *common)
{
    const spec *q = spec_of(w);
    int         any = 0;

    for (int32_t b = 1; b < w->m->layout.nblock; b++) {
        const mb_part_ *p = &q->part[b];

        if (!p->code->common)
            continue;
        for (int32_t l = 0; !any && l < w->g.block; l++)
            common[l] = 0;
        p->code->common(p, &w->g, common);
        any = 1;
    }
    return any;
}

/* r from the tables; the weights count here unless rows are in groups. */
static void densities(mb_pass_ *w, int predictive)
{
    const mb_layout *l = &w->m->layout;
    const spec      *q = spec_of(w);
    const areas      x = areas_of(w);
    const double    *t = x.table;
    const size_t     B = (size_t)w->g.block;

    for (int32_t k = 0; k < w->g.K; k++)
        for (size_t j = 0; j < B; j++)
            w->g.r[(size_t)k * B + j] = mb_mixture_grouped_(w->m) ? 0 : w->ln_pi[k];
    if (find_common(w, x.common))
        for (int32_t k = 0; k < w->g.K; k++)
            for (size_t j = 0; j < B; j++)
                w->g.r[(size_t)k * B + j] += x.common[j];
    for (int32_t b = 1; b < l->nblock; b++)
        for (int32_t k = 0; k < w->g.K; k++, t += q->part[b].code->table(&q->part[b])) {
            const mb_columns_code_ *e = q->part[b].code;
            void (*const whole)(const mb_part_ *, const double *, const mb_estep_ *, double *) =
                predictive ? e->add_predictive : e->add;
            void (*const seen)(const mb_part_ *, const double *, const mb_estep_ *, double *) =
                predictive ? e->add_predictive_seen : e->add_seen;

            (MB_GAPS_(w->g.gaps) ? seen : whole)(&q->part[b], t, &w->g, w->g.r + (size_t)k * B);
        }
}

static mb_status density(mb_pass_ *w, mb_err *err)
{
    (void)err;
    densities(w, w->predictive);
    return MB_OK;
}

static mb_status gather(mb_pass_ *w, double *s, mb_err *err)
{
    const mb_layout *l = &w->m->layout;
    const spec      *q = spec_of(w);
    const areas      x = areas_of(w);

    (void)err;
    for (int32_t k = 0; k < w->g.K; k++) {
        const double *r = w->g.r + (size_t)k * (size_t)w->g.block;
        double        weight = 0;

        for (int32_t j = 0; j < w->g.rows; j++)
            weight += r[j];
        x.count[k] = weight;
        for (int32_t b = 1; b < l->nblock; b++) {
            const mb_columns_code_ *e = q->part[b].code;
            double                 *to = s + l->block[b].off + l->block[b].len * (size_t)k;

            if (MB_GAPS_(w->g.gaps))
                e->gather_seen(&q->part[b], &w->g, r, to);
            else
                e->gather(&q->part[b], &w->g, r, weight, x.room, to);
        }
    }
    if (!mb_mixture_grouped_(w->m))
        mb_weights_add_(w->m, x.count, s);
    return MB_OK;
}

/* `now` is the posterior of the components given the rows before. */
static mb_status chain(mb_pass_ *w, const mb_rows *rows, int64_t first, int64_t end, double *out,
                       mb_err *err)
{
    const int32_t K = w->g.K;
    double       *a = w->room + 3 * K, *now = a + K, before = 0;

    memcpy(a, w->ln_pi, (size_t)K * sizeof *a);
    memcpy(now, w->phi, w->m->layout.len * sizeof *now);
    for (int64_t j = first; j < end; j++) {
        mb_estep_fill_one_(&w->g, rows, j);
        MB_TRY(mb_estep_finite_(&w->g, err));
        MB_TRY(look(w, err));
        MB_TRY(tables(w, now, 1, err));
        densities(w, 1);
        for (int32_t k = 0; k < K; k++) {
            double *r = w->g.r + (size_t)k * (size_t)w->g.block;

            a[k] += *r;
            for (int32_t l = 0; l < MB_LANES_MAX; l++)
                r[l] = l == 0;
        }
        MB_TRY(gather(w, now, err));
        MB_TRY(mb_estep_further_(j, K, a, &before, &out[j], err));
    }
    return MB_OK;
}

static const mb_mixture_form_ form = {.carve = carve,
                                      .refuses = refuses,
                                      .prepare = prepare,
                                      .look = look,
                                      .density = density,
                                      .gather = gather,
                                      .chain = MB_GROUPS_(1) ? chain : NULL};

/* The component in proportion to share (K), whose sum is total, then its blocks of columns. */
static void draw_row(const mb_model *m, const double *par, const double *share, double total,
                     mb_rng *rng, double *out)
{
    const mb_layout *l = &m->layout;
    const spec      *q = m->spec;
    const int32_t    k = mb_index_at_(share, m->K, mb_rng_uniform(rng) * total);

    *out = k;
    for (int32_t b = 1; b < l->nblock; b++)
        q->part[b].code->draw(&q->part[b], slice(&l->block[b], par, k), rng, out + 1);
}

static mb_status sample(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err)
{
    const size_t width = 1 + (size_t)((const spec *)m->spec)->D;
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

static void entries(const mb_model *m, mb_entry *out)
{
    const spec *q = m->spec;

    mb_entries_weights_(m, mb_mixture_grouped_(m), out);
    for (int32_t b = 1; b < m->layout.nblock; b++)
        for (int32_t k = 0; k < m->K && q->part[b].code->entries; k++)
            q->part[b].code->entries(
                &q->part[b], k, out + m->layout.block[b].off + m->layout.block[b].len * (size_t)k);
}

static const mb_model_ops ops = {.name = "mixture",
                                 .stats = mb_mixture_stats_,
                                 .more_stats = mb_mixture_more_stats_,
                                 .seed_stats = mb_mixture_seed_stats_,
                                 .predict = mb_mixture_predict_,
                                 .sample = MB_TABLE_(sample),
                                 .entries = MB_ENTRIES_(entries)};

/* The columns of a block. */
static mb_status part_of(mb_arena *a, const mb_block *b, const mb_emission *emission,
                         const mb_columns_code_ *plain, mb_part_ *out, mb_err *err)
{
    const mb_columns_code_ *code = emission->code ? emission->code : plain;
    const int32_t           wide = code->single ? 1 : b->dim;
    int32_t                *column;

    *out = (mb_part_){.emission = emission,
                      .code = code,
                      .dim = b->dim,
                      .dims = b->dims,
                      .members = b->members,
                      .n = wide * b->members,
                      .len = b->len / (size_t)b->members};
    MB_NEW(column, a, out->n, err);
    for (int32_t i = 0; i < out->n; i++)
        column[i] = (b->column ? b->column[i / wide] : 0) + i % wide;
    out->column = column;
    return MB_OK;
}

mb_status mb_mixture_(mb_arena *a, int32_t D, const mb_emission *const *emission,
                      const mb_columns_code_ *plain, int32_t grouped, mb_model *m, mb_err *err)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    spec             *q;

    MB_NEW(q, a, 1, err);
    mb_kernel_list_(kernel);
    *q = (spec){.mix = {&form, grouped}, .kernel = kernel[0], .D = D};
    for (int32_t b = 1; b < m->layout.nblock; b++) {
        MB_TRY(part_of(a, &m->layout.block[b], emission[b - 1], plain, &q->part[b], err));
        q->tables += q->part[b].code->table(&q->part[b]);
    }
    m->ops = &ops;
    m->spec = q;
    m->scratch =
        mb_rows_scratch_(m->K, D) + (size_t)m->K * (q->tables + 2) + MB_BLOCK_MAX + 2 * (size_t)D;
    if (MB_GROUPS_(grouped)) /* those of the groups, and of `chain` */
        m->scratch += 4 * (size_t)m->K + m->layout.len;
    return MB_OK;
}
