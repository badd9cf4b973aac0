/* mixture.c - mixtures of products of independent columns: eq. (17a) and (18) with ln rho_k = E[ln
 * pi_k] + sum over the blocks of E[ln p(x | theta_k)]. */
#include "model/mixture.h"
#include "base/gaps.h"
#include "model/gmm_kernel.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct spec {
    const mb_kernel_ *kernel;
    int32_t           D;
    size_t            tables; /* doubles of the tables of a component */
    mb_part_          part[MB_MAX_BLOCKS];
} spec;

/* The rows, and in the scratch after them: K tables of each block, K weights, what rows have in common
 * for all components, and room for an emission. */
typedef struct work {
    mb_estep_ g;
    double   *table, *ln_pi, *count, *common, *room;
} work;

static work work_of(const mb_model *m, double *scratch)
{
    const spec *q = m->spec;
    work        w = {.g = mb_rows_carve_(q->kernel, m->K, q->D, scratch)};

    w.table = scratch + mb_rows_scratch_(m->K, q->D);
    w.ln_pi = w.table + (size_t)m->K * q->tables;
    w.count = w.ln_pi + m->K;
    w.common = w.count + m->K;
    w.room = w.common + MB_BLOCK_MAX;
    return w;
}

static const double *slice(const mb_block *b, const double *phi, int32_t k)
{
    return phi + b->off + b->len * (size_t)k;
}

/* Tables of the E-step, or of the predictive density. */
static mb_status prepare(const mb_model *m, const double *phi, int predictive, work *w, mb_err *err)
{
    const mb_layout *l = &m->layout;
    const spec      *q = m->spec;
    double          *t = w->table;

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

static mb_status expect(const mb_model *m, const double *phi, work *w, mb_err *err)
{
    MB_TRY(mb_weights_expect_(m, phi, w->ln_pi, err));
    return prepare(m, phi, 0, w, err);
}

static mb_status predictive(const mb_model *m, const double *phi, work *w, mb_err *err)
{
    MB_TRY(mb_weights_shares_(m, phi, w->ln_pi, err));
    return prepare(m, phi, 1, w, err);
}

/* What does not depend on the component; 0 when there is nothing. */
static int find_common(const mb_model *m, work *w)
{
    const spec *q = m->spec;
    int         any = 0;

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

/* r and lnz of the block of rows from the tables; *total += their sum by weight. */
static mb_status respond(const mb_model *m, int predictive, work *w, double *total, mb_err *err)
{
    const mb_layout *l = &m->layout;
    const spec      *q = m->spec;
    const double    *t = w->table;
    const size_t     B = (size_t)w->g.block;

    for (int32_t k = 0; k < m->K; k++)
        for (size_t j = 0; j < B; j++)
            w->g.r[(size_t)k * B + j] = w->ln_pi[k];
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
    return mb_gmm_normalise_(&w->g, total, err);
}

/* s += the statistics of the block of rows under w->g.r. */
static void gather(const mb_model *m, work *w, double *s)
{
    const mb_layout *l = &m->layout;
    const spec      *q = m->spec;

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
    mb_weights_add_(m, w->count, s);
}

/* MB_E_SHAPE, MB_E_ARG for rows that are none of this model; MB_E_NOSUP for gaps that it cannot have. */
static mb_status check(const mb_model *m, const work *w, const mb_rows *rows, mb_err *err)
{
    const spec *q = m->spec;

    for (int32_t b = 1; MB_GAPS_(rows->gaps) && b < m->layout.nblock; b++)
        if (!q->part[b].emission->gather_seen)
            MB_FAIL(err, MB_E_NOSUP, "rows: got gaps; expected a value in every column (%s)",
                    m->layout.block[b].family->name);
    return mb_gmm_check_(&w->g, rows, err);
}

/* MB_E_NUMERIC for a cell of the block of rows that an emission refuses. */
static mb_status check_cells(const mb_model *m, const work *w, mb_err *err)
{
    const spec *q = m->spec;

    for (int32_t b = 1; b < m->layout.nblock; b++)
        if (q->part[b].emission->check)
            MB_TRY(q->part[b].emission->check(&q->part[b], &w->g, err));
    return MB_OK;
}

/* s += the statistics of the rows, with resp instead of an E-step unless it is NULL. */
static mb_status absorb(const mb_model *m, work *w, const mb_rows *rows, const double *resp,
                        double *s, double *logz, mb_err *err)
{
    double total = 0;

    MB_TRY(check(m, w, rows, err));
    for (int gaps = 0; gaps <= MB_GAPS_(rows->gaps); gaps++)
        for (int64_t next = 0; next < rows->n;) {
            next = gaps ? mb_gmm_fill_gaps_(&w->g, rows, 0, next)
                        : mb_gmm_fill_whole_(&w->g, rows, next);
            MB_TRY(check_cells(m, w, err));
            MB_TRY(resp ? mb_gmm_given_(&w->g, resp, err) : respond(m, 0, w, &total, err));
            gather(m, w, s);
        }
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    work w = work_of(m, scratch);

    MB_TRY(expect(m, phi, &w, err));
    return absorb(m, &w, rows, NULL, s, logz, err);
}

static mb_status more_stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err)
{
    work w = work_of(m, scratch);

    (void)phi;
    return absorb(m, &w, rows, NULL, s, logz, err);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    work w = work_of(m, scratch);

    return absorb(m, &w, rows, resp, s, NULL, err);
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const int density = want == MB_WANT_LOGPDF;
    work      w = work_of(m, scratch);
    mb_rows   all = *rows;
    double    total = 0;

    all.w = NULL; /* rows of weight 0 are predicted, too */
    if (!density && want != MB_WANT_RESP && want != MB_WANT_LABEL)
        MB_FAIL(err, MB_E_NOSUP, "a mixture predicts densities, responsibilities and labels only");
    MB_TRY(check(m, &w, &all, err));
    MB_TRY(density ? predictive(m, phi, &w, err) : expect(m, phi, &w, err));
    for (int gaps = 0; gaps <= MB_GAPS_(all.gaps); gaps++)
        for (int64_t next = 0; next < all.n;) {
            next = gaps ? mb_gmm_fill_gaps_(&w.g, &all, 1, next)
                        : mb_gmm_fill_whole_(&w.g, &all, next);
            MB_TRY(check_cells(m, &w, err));
            MB_TRY(respond(m, density, &w, &total, err));
            mb_gmm_answer_(&w.g, want, out);
        }
    return MB_OK;
}

/* The component in proportion to share (K), whose sum is total, then its blocks of columns. */
static void draw_row(const mb_model *m, const double *par, const double *share, double total,
                     mb_rng *rng, double *out)
{
    const mb_layout *l = &m->layout;
    const spec      *q = m->spec;
    double           u = mb_rng_uniform(rng) * total;
    int32_t          k = 0;

    while (k < m->K - 1 && u >= share[k])
        u -= share[k++];
    *out = k;
    for (int32_t b = 1; b < l->nblock; b++)
        q->part[b].emission->draw(&q->part[b], slice(&l->block[b], par, k), rng, out + 1);
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

static const mb_model_ops ops = {.name = "mixture",
                                 .stats = stats,
                                 .more_stats = more_stats,
                                 .seed_stats = seed_stats,
                                 .predict = predict,
                                 .sample = sample};

/* The columns of a block. */
static mb_status part_of(mb_arena *a, const mb_block *b, const mb_emission_ *emission,
                         mb_part_ *out, mb_err *err)
{
    const int32_t wide = emission->single ? 1 : b->dim;
    int32_t      *column;

    *out = (mb_part_){.emission = emission,
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

mb_status mb_mixture_(mb_arena *a, int32_t D, const mb_emission_ *const *emission, mb_model *m,
                      mb_err *err)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    spec             *q;

    MB_NEW(q, a, 1, err);
    mb_kernel_list_(kernel);
    *q = (spec){.kernel = kernel[0], .D = D};
    for (int32_t b = 1; b < m->layout.nblock; b++) {
        MB_TRY(part_of(a, &m->layout.block[b], emission[b - 1], &q->part[b], err));
        q->tables += emission[b - 1]->table(&q->part[b]);
    }
    m->ops = &ops;
    m->spec = q;
    m->scratch =
        mb_rows_scratch_(m->K, D) + (size_t)m->K * (q->tables + 2) + MB_BLOCK_MAX + 2 * (size_t)D;
    return MB_OK;
}
