/* tied.c - Bayesian mixture of Gaussians whose components share one precision matrix (docs/math.md,
 * section 24): one block of the layout, of which they are parts.
 *
 * With W^-1 = C C' the squared distance of row x from component k is |C^-1 x - C^-1 m_k|^2, so rows
 * are multiplied by C^-1 once; and their second moments are needed once, not for each component. */
#include "base/gaps.h"
#include "expfam/tied_wishart.h"
#include "model/gmm_step.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;

typedef struct spec {
    mb_how_  how;    /* of the moments of all rows */
    int32_t  D;      /* columns                    */
    int32_t *column; /* D: 0, 1, ..                */
} spec;

/* The rows, and in the scratch after them what depends on phi and sums. */
typedef struct work {
    mb_estep_      g;
    const int32_t *column;
    double        *white;  /* D x B: C^-1 x                            */
    double        *C;      /* D x D: chol(W^-1)                        */
    double        *centre; /* K x D: C^-1 m_k                          */
    double        *sums;   /* K x (D + 1): sum of r and of r x         */
    double        *all;    /* B: sum of r over the components, of rows */
    double        *room;   /* 2 D                                      */
    double        *factor; /* D: of the squared distances              */
} work;

static size_t block_of(const mb_model *m)
{
    return m->layout.block[MB_GMM_NORMALS_].off;
}

static int32_t dim_of(const mb_model *m)
{
    return m->layout.block[MB_GMM_NORMALS_].dim;
}

static size_t room_len(int32_t K, int32_t D)
{
    const size_t k = (size_t)K, d = (size_t)D;

    return (d + 1) * MB_BLOCK_MAX + d * d + k * (2 * d + 1) + 3 * d + 8;
}

static work work_of(const mb_model *m, double *scratch)
{
    const spec  *q = m->spec;
    const size_t k = (size_t)m->K, d = (size_t)q->D;
    work         w = {.g = mb_estep_carve_(&q->how, m->K, q->D, scratch), .column = q->column};

    w.white = scratch + mb_estep_scratch_(m->K, q->D);
    w.all = w.white + d * MB_BLOCK_MAX;
    w.C = w.all + MB_BLOCK_MAX;
    w.centre = w.C + d * d;
    w.sums = w.centre + k * d;
    w.room = w.sums + k * (d + 1);
    w.factor = w.room + 2 * d;
    memset(w.sums, 0, k * (d + 1) * sizeof *w.sums);
    return w;
}

/* C and the centres. */
static mb_status place(const mb_model *m, const double *phi, work *w, mb_err *err)
{
    const int32_t dim = dim_of(m);
    const double *own = phi + block_of(m);

    if (mb_tw_factor_(dim, own, w->C) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "the components (%s) are outside their domain",
                m->layout.block[MB_GMM_NORMALS_].family->name);
    for (int32_t k = 0; k < m->K; k++) {
        double *centre = w->centre + (size_t)k * (size_t)w->g.D;

        mb_tw_mean_(dim, own, k, centre);
        mb_chol_forward_(w->C, w->g.D, centre);
    }
    return MB_OK;
}

/* Sets up the E-step: ln rho_k = E[ln pi_k] + E[ln |Lambda|]/2 - D/2 ln 2 pi - D/(2 beta_k)
 * - nu/2 (x-m_k)' W (x-m_k). */
static mb_status expect(const mb_model *m, const double *phi, work *w, mb_err *err)
{
    const int32_t dim = dim_of(m), D = w->g.D;
    const double *own = phi + block_of(m);
    double        common, *ln_pi = w->g.tmp;

    MB_TRY(mb_weights_expect_(m, phi, ln_pi, err));
    MB_TRY(place(m, phi, w, err));
    common = 0.5 * (mb_tw_e_logdet_(dim, own, w->C) - D * LN_2PI);
    for (int32_t k = 0; k < m->K; k++) {
        w->g.c[k] = ln_pi[k] + common - 0.5 * D / mb_tw_beta_(dim, own, k);
        w->g.g[k] = 0.5 * mb_tw_nu_(dim, own);
    }
    for (int32_t d = 0; d < D; d++)
        w->factor[d] = 0.5 * mb_tw_nu_(dim, own);
    return MB_OK;
}

/* Sets up the exact predictive density, a mixture of Student's t with nu + 1 - D degrees of freedom:
 * ln density = c_k - h ln(1 + g_k (x-m_k)' W (x-m_k)), h = (nu+1)/2, g_k = beta_k/(1+beta_k). */
static mb_status student(const mb_model *m, const double *phi, work *w, mb_err *err)
{
    const int32_t dim = dim_of(m), D = w->g.D;
    const double *own = phi + block_of(m);
    double        h, common, *ln_share = w->g.tmp;

    MB_TRY(mb_weights_shares_(m, phi, ln_share, err));
    MB_TRY(place(m, phi, w, err));
    h = 0.5 * mb_tw_nu_(dim, own) + 0.5;
    common = mb_gmm_ln_ratio_(D, h) - 0.5 * (D * LN_PI + mb_tw_logdet_(dim, w->C));
    for (int32_t k = 0; k < m->K; k++) {
        const double beta = mb_tw_beta_(dim, own, k);

        w->g.h[k] = h;
        w->g.g[k] = beta / (1 + beta);
        w->g.c[k] = ln_share[k] + common + 0.5 * D * log(w->g.g[k]);
    }
    for (int32_t d = 0; d < D; d++)
        w->factor[d] = 1;
    return MB_OK;
}

/* r and lnz of the block, and their sum. */
static mb_status respond(work *w, int predictive, double *total, mb_err *err)
{
    mb_estep_ *g = &w->g, white = *g;

    g->kernel->whiten(g, w->C, w->white);
    white.z = w->white;
    for (int32_t k = 0; k < g->K; k++) {
        double      *r = g->r + (size_t)k * (size_t)g->block;
        const double first = predictive ? 0 : g->c[k];

        for (int32_t l = 0; l < g->block; l++)
            r[l] = first;
        g->kernel->squares(&white, g->D, w->column, w->centre + (size_t)k * (size_t)g->D, w->factor,
                           r);
        for (int32_t l = 0; predictive && (l < g->rows || l % MB_LANES_MAX); l++)
            r[l] = g->c[k] - g->h[k] * log1p(-g->g[k] * r[l]);
    }
    return mb_gmm_normalise_(g, total, err);
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
static void gather(work *w)
{
    mb_estep_ *g = &w->g, one = *g;

    memset(w->all, 0, (size_t)g->block * sizeof *w->all);
    for (int32_t k = 0; k < g->K; k++) {
        const double *r = g->r + (size_t)k * (size_t)g->block;
        double       *sum = w->sums + (size_t)k * ((size_t)g->D + 1);

        *sum += add_weights(r, g->rows, w->all);
        memset(w->room, 0, 2 * (size_t)g->D * sizeof *w->room);
        g->kernel->column_sums(g, g->D, w->column, r, w->room);
        for (int32_t d = 0; d < g->D; d++)
            sum[1 + d] += w->room[2 * d];
    }
    one.K = 1;
    one.r = w->all;
    g->kernel->moments(&one);
}

/* s += the sums in natural form. */
static void add_stats(const mb_model *m, work *w, double *s)
{
    const double half = 0.5, root = sqrt(half);
    const size_t n = (size_t)w->g.D + 1;
    mb_estep_    one = w->g;
    double      *to = s + block_of(m);

    one.K = 1;
    one.kernel->sums(&one);
    for (int32_t k = 0; k < m->K; k++, to += n) {
        const double *sum = w->sums + (size_t)k * n;

        w->g.h[k] = sum[0];
        to[0] -= half * sum[0];
        for (size_t i = 1; i < n; i++)
            to[i] -= root * sum[i];
    }
    *to++ += half * one.S[0];
    for (size_t i = 1; i < n; i++)
        for (size_t j = 1; j <= i; j++)
            *to++ -= (i == j ? half : root) * one.S[i * n + j];
    mb_weights_add_(m, w->g.h, s);
}

/* s += the statistics of the rows with responsibilities resp, or if NULL those of the E-step that w
 * holds, of phi; then *logz += sum of w ln Z, unless it is NULL. */
static mb_status absorb(const mb_model *m, const double *phi, work *w, const mb_rows *rows,
                        const double *resp, double *s, double *logz, mb_err *err)
{
    double total = 0;

    MB_TRY(mb_gmm_check_(&w->g, rows, err));
    w->g.unit = !rows->w;
    for (int64_t next = 0; next < rows->n;) {
        next = mb_gmm_fill_whole_(&w->g, rows, next);
        MB_TRY(resp ? mb_gmm_given_(&w->g, resp, err) : respond(w, 0, &total, err));
        gather(w);
    }
    add_stats(m, w, s);
    if (MB_GAPS_(rows->gaps))
        MB_TRY(mb_gaps_absorb_(m, phi, &w->g, rows, NULL, resp, s, &total, err));
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    work w = work_of(m, scratch);

    MB_TRY(expect(m, phi, &w, err));
    return absorb(m, phi, &w, rows, NULL, s, logz, err);
}

static mb_status more_stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err)
{
    work w = work_of(m, scratch);

    return absorb(m, phi, &w, rows, NULL, s, logz, err);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    work w = work_of(m, scratch);

    return absorb(m, m->prior, &w, rows, resp, s, NULL, err);
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
        MB_FAIL(err, MB_E_NOSUP,
                "a mixture of Gaussians predicts densities, responsibilities and labels only");
    MB_TRY(mb_gmm_check_(&w.g, &all, err));
    MB_TRY(density ? student(m, phi, &w, err) : expect(m, phi, &w, err));
    for (int64_t next = 0; next < all.n;) {
        next = mb_gmm_fill_whole_(&w.g, &all, next);
        MB_TRY(respond(&w, density, &total, err));
        mb_gmm_answer_(&w.g, want, out);
    }
    return MB_GAPS_(all.gaps) ? mb_gaps_predict_(m, phi, &w.g, &all, NULL, want, out, err) : MB_OK;
}

static mb_status sample(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err)
{
    return mb_gmm_draw_(m, par, NULL, seed, first, n, out, scratch, err);
}

static const mb_model_ops ops = {.name = "tied",
                                 .stats = stats,
                                 .more_stats = more_stats,
                                 .seed_stats = seed_stats,
                                 .predict = predict,
                                 .sample = sample};

mb_status mb_gmm_tied_(mb_arena *a, int32_t D, mb_model *m, mb_err *err)
{
    spec *q;

    MB_NEW(q, a, 1, err);
    MB_NEW(q->column, a, D, err);
    for (int32_t d = 0; d < D; d++)
        q->column[d] = d;
    q->how = mb_how_best_(1, D);
    q->D = D;
    m->ops = &ops;
    m->spec = q;
    m->scratch = mb_estep_scratch_(m->K, D) + room_len(m->K, D);
    return MB_OK;
}
