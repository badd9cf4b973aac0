/* tied.c - Bayesian mixture of Gaussians whose components share one precision matrix (docs/math.md,
 * section 24): one block of the layout, of which they are parts.
 *
 * With W^-1 = C C' the squared distance of row x from component k is |C^-1 x - C^-1 m_k|^2, so rows
 * are multiplied by C^-1 once; and their second moments are needed once, not for each component. */
#include "base/gaps.h"
#include "expfam/tied_wishart.h"
#include "model/entries.h"
#include "model/gmm_form.h"
#include "model/gmm_step.h"
#include "model/tables.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;
static const double SQRT_HALF = 0.70710678118654752440;

typedef struct spec {
    mb_mixing_spec_ mix;
    mb_how_         how;    /* of the moments of all rows */
    int32_t         D;      /* columns                    */
    int32_t        *column; /* D: 0, 1, ..                */
} spec;

/* What depends on phi, and sums, in the scratch of the form. */
typedef struct areas {
    double *white;  /* D x B: C^-1 x                            */
    double *all;    /* B: sum of r over the components, of rows */
    double *C;      /* D x D: chol(W^-1)                        */
    double *centre; /* K x D: C^-1 m_k                          */
    double *sums;   /* K x (D + 1): sum of r and of r x         */
    double *room;   /* 2 D                                      */
    double *factor; /* D: of the squared distances              */
} areas;

static size_t block_of(const mb_model *m)
{
    return m->layout.block[MB_GMM_NORMALS_].off;
}

static int32_t dim_of(const mb_model *m)
{
    return m->layout.block[MB_GMM_NORMALS_].dim;
}

static const int32_t *columns_of(const mb_pass_ *w)
{
    return ((const spec *)w->m->spec)->column;
}

static size_t room_len(int32_t K, int32_t D)
{
    const size_t k = (size_t)K, d = (size_t)D;

    return (d + 1) * MB_BLOCK_MAX + d * d + k * (2 * d + 1) + 3 * d + 8;
}

static areas areas_of(const mb_pass_ *w)
{
    const size_t k = (size_t)w->g.K, d = (size_t)w->g.D;
    areas        x = {.white = w->own};

    x.all = x.white + d * MB_BLOCK_MAX;
    x.C = x.all + MB_BLOCK_MAX;
    x.centre = x.C + d * d;
    x.sums = x.centre + k * d;
    x.room = x.sums + k * (d + 1);
    x.factor = x.room + 2 * d;
    return x;
}

static void carve(mb_pass_ *w, double *scratch)
{
    const spec *q = w->m->spec;

    mb_estep_carve_(&w->g, &q->how, w->m->K, q->D, scratch);
    w->ln_pi = w->g.tmp;
    w->own = scratch + mb_estep_scratch_(w->m->K, q->D);
    memset(areas_of(w).sums, 0, (size_t)w->m->K * ((size_t)q->D + 1) * sizeof *w->own);
}

/* C and the centres. */
static mb_status place(const mb_pass_ *w, mb_err *err)
{
    const mb_model *m = w->m;
    const areas     x = areas_of(w);
    const int32_t   dim = dim_of(m);
    const double   *own = w->phi + block_of(m);

    if (mb_tw_factor_(dim, own, x.C) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "the components (%s) are outside their domain",
                m->layout.block[MB_GMM_NORMALS_].family->name);
    for (int32_t k = 0; k < m->K; k++) {
        double *centre = x.centre + (size_t)k * (size_t)w->g.D;

        mb_tw_mean_(dim, own, k, centre);
        mb_chol_forward_(x.C, w->g.D, centre);
    }
    return MB_OK;
}

/* ln rho_k = E[ln pi_k] + E[ln |Lambda|]/2 - D/2 ln 2 pi - D/(2 beta_k) - nu/2 (x-m_k)' W (x-m_k). */
static void expect(mb_pass_ *w)
{
    const areas   x = areas_of(w);
    const int32_t dim = dim_of(w->m), D = w->g.D;
    const double *own = w->phi + block_of(w->m);
    const double  common = 0.5 * (mb_tw_e_logdet_(dim, own, x.C) - D * LN_2PI);

    for (int32_t k = 0; k < w->g.K; k++) {
        w->g.c[k] = w->ln_pi[k] + common - 0.5 * D / mb_tw_beta_(dim, own, k);
        w->g.g[k] = 0.5 * mb_tw_nu_(dim, own);
    }
    for (int32_t d = 0; d < D; d++)
        x.factor[d] = 0.5 * mb_tw_nu_(dim, own);
}

/* The exact predictive density, a mixture of Student's t with nu + 1 - D degrees of freedom:
 * ln density = c_k - h ln(1 + g_k (x-m_k)' W (x-m_k)), h = (nu+1)/2, g_k = beta_k/(1+beta_k). */
static void student(mb_pass_ *w)
{
    const areas   x = areas_of(w);
    const int32_t dim = dim_of(w->m), D = w->g.D;
    const double *own = w->phi + block_of(w->m);
    const double  h = 0.5 * mb_tw_nu_(dim, own) + 0.5;
    const double  common = mb_gmm_ln_ratio_(D, h) - 0.5 * (D * LN_PI + mb_tw_logdet_(dim, x.C));

    for (int32_t k = 0; k < w->g.K; k++) {
        const double beta = mb_tw_beta_(dim, own, k);

        w->g.h[k] = h;
        w->g.g[k] = beta / (1 + beta);
        w->g.c[k] = w->ln_pi[k] + common + 0.5 * D * log(w->g.g[k]);
    }
    for (int32_t d = 0; d < D; d++)
        x.factor[d] = 1;
}

static mb_status prepare(mb_pass_ *w, mb_err *err)
{
    MB_TRY(place(w, err));
    (w->predictive ? student : expect)(w);
    return MB_OK;
}

static mb_status density(mb_pass_ *w, mb_err *err)
{
    const areas x = areas_of(w);
    mb_estep_  *g = &w->g, white = *g;

    if (MB_GAPS_(w->gaps))
        return mb_gaps_density_(w, err);
    g->kernel->whiten(g, x.C, x.white);
    white.z = x.white;
    for (int32_t k = 0; k < g->K; k++) {
        double      *r = g->r + (size_t)k * (size_t)g->block;
        const double first = w->predictive ? 0 : g->c[k];

        for (int32_t l = 0; l < g->block; l++)
            r[l] = first;
        g->kernel->squares(&white, g->D, columns_of(w), x.centre + (size_t)k * (size_t)g->D,
                           x.factor, r);
        for (int32_t l = 0; w->predictive && (l < g->rows || l % MB_LANES_MAX); l++)
            r[l] = g->c[k] - g->h[k] * log1p(-g->g[k] * r[l]);
    }
    return MB_OK;
}

/* all += r, rows as lanes; returns the sum of r. A kernel leaves r alone beyond its own lanes. */
static double add_weights(const double *r, int32_t rows, double *all)
{
    double  part[MB_LANES_MAX] = {0}, sum = 0;
    int32_t l = 0;

    for (; l + MB_LANES_MAX <= rows; l += MB_LANES_MAX)
        for (int32_t i = 0; i < MB_LANES_MAX; i++) {
            all[l + i] += r[l + i];
            part[i] += r[l + i];
        }
    for (int32_t i = 0; l + i < rows; i++) {
        all[l + i] += r[l + i];
        part[i] += r[l + i];
    }
    for (int32_t i = 0; i < MB_LANES_MAX; i++)
        sum += part[i];
    return sum;
}

/* The sums of the block: of each component's rows, and the second moments of all. */
static mb_status gather(mb_pass_ *w, double *s, mb_err *err)
{
    const areas x = areas_of(w);
    mb_estep_  *g = &w->g, one = *g;

    (void)s;
    if (MB_GAPS_(w->gaps))
        return mb_gaps_gather_(w, err);
    memset(x.all, 0, (size_t)g->block * sizeof *x.all);
    for (int32_t k = 0; k < g->K; k++) {
        const double *r = g->r + (size_t)k * (size_t)g->block;
        double       *sum = x.sums + (size_t)k * ((size_t)g->D + 1);

        *sum += add_weights(r, g->rows, x.all);
        memset(x.room, 0, 2 * (size_t)g->D * sizeof *x.room);
        g->kernel->column_sums(g, g->D, columns_of(w), r, x.room);
        for (int32_t d = 0; d < g->D; d++)
            sum[1 + d] += x.room[2 * d];
    }
    one.K = 1;
    one.r = x.all;
    g->kernel->moments(&one);
    return MB_OK;
}

static void finish(mb_pass_ *w, double *s)
{
    const double half = 0.5, root = sqrt(half);
    const size_t n = (size_t)w->g.D + 1;
    mb_estep_    one = w->g;
    double      *to = s + block_of(w->m);

    if (MB_GAPS_(w->gaps)) {
        mb_gmm_finish_(w, s);
        return;
    }
    one.K = 1;
    one.kernel->sums(&one);
    for (int32_t k = 0; k < w->g.K; k++, to += n) {
        const double *sum = areas_of(w).sums + (size_t)k * n;

        w->g.h[k] = sum[0];
        to[0] -= half * sum[0];
        for (size_t i = 1; i < n; i++)
            to[i] -= root * sum[i];
    }
    *to++ += half * one.S[0];
    for (size_t i = 1; i < n; i++)
        for (size_t j = 1; j <= i; j++)
            *to++ -= (i == j ? half : root) * one.S[i * n + j];
    mb_weights_add_(w->m, w->g.h, s);
}

static const mb_mixture_form_ form = {.carve = carve,
                                      .prepare = prepare,
                                      .clear = MB_GAPS_(1) ? mb_gaps_clear_ : NULL,
                                      .look = MB_GAPS_(1) ? mb_gaps_look_ : NULL,
                                      .density = density,
                                      .gather = gather,
                                      .finish = finish};

static void entries(const mb_model *m, mb_entry *out)
{
    const int32_t D = ((const spec *)m->spec)->D, K = m->K;
    mb_entry      all = mb_entry_rows_(0.5, 0, K);

    mb_entries_weights_(m, 0, out);
    out += m->layout.block[MB_GMM_NORMALS_].off;
    for (int32_t k = 0; k < K; k++)
        for (int32_t i = -1; i < D; i++) {
            *out = mb_entry_product_(mb_entry_rows_(i < 0 ? -0.5 : -SQRT_HALF, k, 1), i, -1);
            out++->filled = 1;
        }
    all.least = 1;
    *out++ = all;
    all.factor = -0.5;
    all.filled = 1;
    mb_entries_square_(all, D, 0, out);
}

static const mb_model_ops ops = {.name = "tied",
                                 .stats = mb_mixture_stats_,
                                 .more_stats = mb_mixture_more_stats_,
                                 .seed_stats = mb_mixture_seed_stats_,
                                 .predict = mb_mixture_predict_,
                                 .sample = MB_TABLE_(mb_gmm_sample_),
                                 .entries = MB_ENTRIES_(entries)};

mb_status mb_gmm_tied_(mb_arena *a, int32_t D, mb_model *m, mb_err *err)
{
    spec *q;

    MB_NEW(q, a, 1, err);
    MB_NEW(q->column, a, D, err);
    for (int32_t d = 0; d < D; d++)
        q->column[d] = d;
    q->mix.form = &form;
    q->how = mb_how_best_(1, D);
    q->D = D;
    m->ops = &ops;
    m->spec = q;
    m->scratch = mb_estep_scratch_(m->K, D) + room_len(m->K, D);
    return MB_OK;
}

/* ---- the numbers as users see them ---- */

enum { PAR_BETA, PAR_M };
/* What all share. */
enum { PAR_NU, PAR_W };

static size_t slice(const mb_sizes *s, size_t *mean_step)
{
    *mean_step = 1;
    return PAR_M + (size_t)s->D;
}

static double covariance(const mb_sizes *s, const double *c, const double *shared, int32_t i,
                         int32_t j)
{
    (void)s, (void)c;
    return shared[PAR_W + mb_packed_at_(i, j)] / shared[PAR_NU];
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    size_t         one;
    const size_t   at = mb_gmm_first_(s), step = slice(s, &one), shared = at + (size_t)K * step;
    const mb_field all[] = {
        {.key = "mean_precision", 1, {K}, .bounded = 1, .at = at + PAR_BETA, .step = step},
        {.key = "degrees_of_freedom", 0, {0}, .bounded = 1, .above = D - 1, .at = shared + PAR_NU},
        {.key = "means", 2, {K, D}, .at = at + PAR_M, .step = step},
        {.key = "covariances", 2, {D, D}, 1, .derived = 1, .at = (size_t)K},
        {.key = "w_inverse", 2, {D, D}, 1, .at = shared + PAR_W}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void derive(const mb_sizes *s, const double *c, const double *shared, int32_t k, double *out)
{
    (void)c, (void)k;
    for (size_t l = 0; l < mb_svec_len_(s->D); l++)
        out[l] = shared[PAR_W + l] / shared[PAR_NU];
}

/* The means, then the one covariance. */
static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    const size_t   k = (size_t)K, d = (size_t)D;
    const mb_field all[] = {{.key = "mean", 2, {K, D}, .at = k, .step = d},
                            {.key = "covariance", 2, {D, D}, 1, .at = k + k * d}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* W0^-1 as if each component had it: the one precision is worth nu0 rows, not nu0 a component. */
static size_t scatter(const mb_sizes *s, int32_t *step)
{
    return mb_gmm_full_.scatter(s, step);
}

static mb_status scatter_of(mb_arena *a, const mb_sizes *s, int32_t prior,
                            const mb_row_moments *seen, double *out, const char **warning,
                            mb_err *err)
{
    return mb_gmm_full_.scatter_of(a, s, prior, seen, out, warning, err);
}

const mb_gmm_form_ mb_gmm_shared_ = {.mean = PAR_M,
                                     .slice = slice,
                                     .fields = fields,
                                     .derive = derive,
                                     .drawn = drawn,
                                     .covariance = covariance,
                                     .scatter = scatter,
                                     .scatter_of = scatter_of};
