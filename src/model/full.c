/* full.c - components with a covariance matrix each, Appendix A of the paper.
 *
 * A row adds r_k to entry k of the Dirichlet and r_k [1/2, svec(-z z'/2)], z = (1, x), to
 * normal-Wishart k; m, beta, W, nu never appear in the update. */
#include "base/gaps.h"
#include "base/groups.h"
#include "base/rows.h"
#include "expfam/normal_wishart.h"
#include "model/entries.h"
#include "model/gmm_form.h"
#include "model/gmm_step.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;

mb_status mb_gmm_factor_(const mb_model *m, const double *phi, int32_t k, mb_estep_ *g, mb_err *err)
{
    double *L = g->tmp + g->K;

    if (mb_nw_factor_(g->D, phi + mb_gmm_at_(&m->layout, k), L) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (normal-wishart.1) is outside its domain",
                k);
    mb_gmm_component_(g, k, L);
    return MB_OK;
}

/* E[ln |Lambda_k|]/2 - D/2 ln 2 pi - E[(x-mu)' Lambda (x-mu)]/2 = c_k - g_k distance_k, as the last
 * term is (D/beta + nu (x-m)' W (x-m))/2. */
static void expect(const double *nw, int32_t k, double ln_pi, mb_estep_ *g)
{
    const double *L = g->tmp + g->K;

    g->g[k] = 0.5 * mb_nw_nu_(g->D, nw);
    g->c[k] =
        ln_pi + 0.5 * (mb_nw_e_logdet_(g->D, nw, L) - g->D / (L[0] * L[0])) - 0.5 * g->D * LN_2PI;
}

/* St(x | m_k, Winv_k (1+beta)/(beta df), df), df = nu + 1 - D: ln density = c_k - h_k ln(1 + g_k
 * (x-m)' W (x-m)), h = (nu+1)/2, g = beta/(1+beta). */
static void student(const double *nw, int32_t k, double ln_share, mb_estep_ *g)
{
    const double *L = g->tmp + g->K;

    g->h[k] = 0.5 * mb_nw_nu_(g->D, nw) + 0.5;
    g->g[k] = L[0] * L[0] / (1 + L[0] * L[0]);
    g->c[k] = ln_share + mb_gmm_ln_ratio_(g->D, g->h[k]) -
              0.5 * (g->D * (LN_PI - log(g->g[k])) + mb_nw_logdet_(g->D, L));
}

static void student_density(const mb_estep_ *g, int32_t k)
{
    double *r = g->r + (size_t)k * (size_t)g->block;

    g->kernel->density(g, k, 0, -1, r);
    for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++)
        r[l] = g->c[k] - g->h[k] * log1p(g->g[k] * r[l]);
}

static void carve(mb_pass_ *w, double *scratch)
{
    const mb_full_spec_ *q = w->m->spec;
    const int32_t        D = w->m->layout.block[MB_GMM_NORMALS_].dim;

    mb_estep_carve_(&w->g, &q->how, w->m->K, D, scratch);
    w->room = scratch + mb_estep_scratch_(w->m->K, D);
    w->ln_pi = mb_mixture_grouped_(w->m) ? w->room : w->g.tmp;
}

/* ln rho_k = c_k - g_k distance_k, or the predictive density. */
static mb_status prepare(mb_pass_ *w, mb_err *err)
{
    for (int32_t k = 0; k < w->g.K; k++) {
        MB_TRY(mb_gmm_factor_(w->m, w->phi, k, &w->g, err));
        (w->predictive ? student : expect)(w->phi + mb_gmm_at_(&w->m->layout, k), k,
                                           mb_mixture_grouped_(w->m) ? 0 : w->ln_pi[k], &w->g);
    }
    return MB_OK;
}

static mb_status density(mb_pass_ *w, mb_err *err)
{
    mb_estep_ *g = &w->g;

    if (MB_GAPS_(w->gaps))
        return mb_gaps_density_(w, err);
    for (int32_t k = 0; k < g->K; k++)
        if (w->predictive)
            student_density(g, k);
        else
            g->kernel->density(g, k, g->c[k], g->g[k], g->r + (size_t)k * (size_t)g->block);
    return MB_OK;
}

static mb_status gather(mb_pass_ *w, double *s, mb_err *err)
{
    (void)s;
    if (MB_GAPS_(w->gaps))
        return mb_gaps_gather_(w, err);
    w->g.kernel->moments(&w->g);
    return MB_OK;
}

static void finish(mb_pass_ *w, double *s)
{
    if (!MB_GAPS_(w->gaps))
        w->g.kernel->sums(&w->g);
    mb_gmm_finish_(w, s);
}

/* ---- rows in groups: each given those before it ---- */

static size_t slice_len(int32_t D)
{
    return 1 + mb_svec_len_(D + 1);
}

/* The row that the block holds, as one more of component k: its slice of phi. room: n n +
 * n(n+1)/2. */
static void add_row(const mb_estep_ *g, double *slice, double *room)
{
    const size_t n = (size_t)g->D + 1;
    double      *z = room;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            z[i * n + j] = (i ? g->z[(i - 1) * (size_t)g->block] : 1) *
                           (j ? g->z[(j - 1) * (size_t)g->block] : 1);
    mb_gmm_natural_(g->D + 1, 1, z, room + n * n, slice);
}

/* a[k] += ln p(row | earlier rows of its group, data, component k), and the row becomes one of
 * them: slices (K) are the posteriors of the components given these. */
static mb_status add_ln(mb_estep_ *g, double *a, double *slices, double *room, mb_err *err)
{
    const size_t len = slice_len(g->D);

    for (int32_t k = 0; k < g->K; k++) {
        double *slice = slices + (size_t)k * len, *L = g->tmp + g->K;

        if (mb_nw_factor_(g->D, slice, L) < 0)
            MB_FAIL(err, MB_E_DOMAIN,
                    "component %" PRId32 " (normal-wishart.1) is outside its domain", k);
        mb_gmm_component_(g, k, L);
        student(slice, k, 0, g);
        student_density(g, k);
        a[k] += g->r[(size_t)k * (size_t)g->block];
        add_row(g, slice, room);
    }
    return MB_OK;
}

/* slices of the components, room: see `own_room`. */
static mb_status chain(mb_pass_ *w, const mb_rows *rows, int64_t first, int64_t end, double *out,
                       mb_err *err)
{
    const int32_t K = w->g.K;
    const size_t  len = slice_len(w->g.D);
    double *a = w->room + 3 * K, *slices = a + K, *rest = slices + (size_t)K * len, before = 0;

    memcpy(a, w->ln_pi, (size_t)K * sizeof *a);
    for (int32_t k = 0; k < K; k++)
        memcpy(slices + (size_t)k * len, w->phi + mb_gmm_at_(&w->m->layout, k),
               len * sizeof *slices);
    for (int64_t j = first; j < end; j++) {
        /* The posterior of a component given a row with gaps is no normal-Wishart. */
        if (MB_GAPS_(mb_rows_gaps(rows, j)))
            MB_FAIL(err, MB_E_NOSUP,
                    "row %" PRId64 ": has gaps; the predictive density of rows in groups with "
                    "matrices needs all values",
                    j);
        mb_estep_fill_one_(&w->g, rows, j);
        MB_TRY(mb_estep_finite_(&w->g, err));
        MB_TRY(add_ln(&w->g, a, slices, rest, err));
        MB_TRY(mb_estep_further_(j, K, a, &before, &out[j], err));
    }
    return MB_OK;
}

/* 3 K doubles of the groups, then K, K slices and room for a row. */
static size_t own_room(int32_t K, int32_t D)
{
    const size_t n = (size_t)D + 1;

    return (size_t)K * (4 + slice_len(D)) + n * n + mb_svec_len_(D + 1);
}

static const mb_mixture_form_ form = {.carve = carve,
                                      .prepare = prepare,
                                      .clear = MB_GAPS_(1) ? mb_gaps_clear_ : NULL,
                                      .look = MB_GAPS_(1) ? mb_gaps_look_ : NULL,
                                      .density = density,
                                      .gather = gather,
                                      .finish = finish,
                                      .chain = MB_GROUPS_(1) ? chain : NULL};

static void entries(const mb_model *m, mb_entry *out)
{
    mb_entries_weights_(m, mb_mixture_grouped_(m), out);
    mb_entries_normals_(m, 1, out);
}

static const mb_model_ops ops = {.name = "full",
                                 .stats = mb_mixture_stats_,
                                 .more_stats = mb_mixture_more_stats_,
                                 .seed_stats = mb_mixture_seed_stats_,
                                 .predict = mb_mixture_predict_,
                                 .sample = MB_TABLE_(mb_gmm_sample_),
                                 .entries = MB_ENTRIES_(entries)};

mb_status mb_gmm_full_new_(mb_arena *a, int32_t D, int32_t grouped, mb_model *m, mb_err *err)
{
    mb_full_spec_ *q;

    MB_NEW(q, a, 1, err);
    *q = (mb_full_spec_){.mix = {&form, grouped}, .how = mb_how_best_(m->K, D)};
    m->ops = &ops;
    m->spec = q;
    m->scratch = mb_estep_scratch_(m->K, D) + (grouped ? own_room(m->K, D) : 0);
    return MB_OK;
}

/* ---- the numbers of a component, [nu, beta, m, tril(W^-1)], as users see them ---- */

enum { PAR_NU, PAR_BETA, PAR_M };

static size_t slice(const mb_sizes *s, size_t *mean_step)
{
    *mean_step = 1;
    return PAR_M + (size_t)s->D + mb_svec_len_(s->D);
}

static double covariance(const mb_sizes *s, const double *c, const double *shared, int32_t i,
                         int32_t j)
{
    (void)shared;
    return c[PAR_M + (size_t)s->D + mb_packed_at_(i, j)] / c[PAR_NU];
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    size_t         one;
    const size_t   at = mb_gmm_first_(s), step = slice(s, &one);
    const mb_field all[] = {
        {.key = "mean_precision", 1, {K}, .bounded = 1, .at = at + PAR_BETA, .step = step},
        {.key = "degrees_of_freedom", 1, {K}, .bounded = 1, .above = D - 1, .at = at, .step = step},
        {.key = "means", 2, {K, D}, .at = at + PAR_M, .step = step},
        {.key = "covariances",
         3,
         {K, D, D},
         1,
         .derived = 1,
         .at = (size_t)K,
         .step = mb_svec_len_(D)},
        {.key = "w_inverse", 3, {K, D, D}, 1, .at = at + PAR_M + (size_t)D, .step = step}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void derive(const mb_sizes *s, const double *c, const double *shared, int32_t k, double *out)
{
    const size_t n = mb_svec_len_(s->D);

    (void)shared;
    for (size_t l = 0; l < n; l++)
        out[(size_t)k * n + l] = c[PAR_M + (size_t)s->D + l] / c[PAR_NU];
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    const size_t   at = (size_t)K, step = (size_t)D + mb_svec_len_(D);
    const mb_field all[] = {
        {.key = "mean", 2, {K, D}, .at = at, .step = step},
        {.key = "covariance", 3, {K, D, D}, 1, .at = at + (size_t)D, .step = step}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static size_t scatter(const mb_sizes *s, int32_t *step)
{
    *step = s->D + 1;
    return (size_t)s->D * (size_t)s->D;
}

static mb_status scatter_of(mb_arena *a, const mb_sizes *s, int32_t prior,
                            const mb_row_moments *seen, double *out, const char **warning,
                            mb_err *err)
{
    const size_t n = (size_t)s->D;

    for (size_t d = 0; d < n; d++)
        out[d * n + d] = prior == MB_GMM_PAPER_ ? mb_gmm_paper_ : seen->spread[d] * seen->spread[d];
    return prior == MB_GMM_EMPIRICAL_ ? mb_prior_covariance_(a, seen, out, warning, err) : MB_OK;
}

const mb_gmm_form_ mb_gmm_full_ = {.mean = PAR_M,
                                   .slice = slice,
                                   .fields = fields,
                                   .derive = derive,
                                   .drawn = drawn,
                                   .covariance = covariance,
                                   .scatter = scatter,
                                   .scatter_of = scatter_of};
