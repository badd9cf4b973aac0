/* tmm.c - Bayesian mixture of Student's t with full scale matrices (docs/math.md, section 17).
 *
 * A row has a component and a precision u relative to the component's. Both are local, and u is
 * integrated out in closed form: with e = E[v], h = (e + D)/2, Delta = E[(x-mu)' Lambda (x-mu)] and
 * b = 1 + Delta/e, u is Gamma(h, rate e b/2). The row adds r to entry k of the Dirichlet,
 * r [1/2, svec(-E[u] z z'/2)], z = (1, x), to normal-Wishart k and r [1, E[ln u] - E[u]] to the
 * degrees of freedom of k. */
#include "model/tmm.h"
#include "base/gaps.h"
#include "expfam/normal_wishart.h"
#include "model/prior.h"
#include "model/tmm_step.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;

typedef mb_tmm_spec_ spec;
typedef mb_tmm_work_ work;

/* Nodes of a predictive density of all columns, or of some: wider where it has fewer. */
static int32_t table(int32_t D, double dof)
{
    int32_t most = mb_tail_nodes_(D, dof);

    for (int32_t d = 1; d < MB_GAPS_(D); d++)
        most = mb_tail_nodes_(d, dof) > most ? mb_tail_nodes_(d, dof) : most;
    return most;
}

static size_t room(int32_t K, int32_t D, double dof)
{
    return (size_t)K * (6 + 2 * (size_t)mb_estep_block_(D)) + 2 * MB_TMM_GRID +
           4 * (size_t)table(D, dof);
}

static work work_of(const mb_model *m, double *scratch)
{
    const spec   *q = m->spec;
    const int32_t K = m->K, D = m->layout.block[MB_GMM_NORMALS_].dim;
    work          w = {.g = mb_estep_carve_(&q->how, K, D, scratch)};

    w.one = scratch + mb_estep_scratch_(K, D);
    w.per = w.one + K;
    w.ln_u = w.per + K;
    w.top = w.ln_u + K;
    w.count = w.top + K;
    w.gap = w.count + K;
    w.b = w.gap + K;
    w.ln_b = w.b + (size_t)K * (size_t)w.g.block;
    w.family = w.ln_b + (size_t)K * (size_t)w.g.block;
    w.table = w.family + 2 * MB_TMM_GRID;
    for (int32_t k = 0; k < K; k++)
        w.count[k] = w.gap[k] = 0;
    return w;
}

/* e = E[v], and *more = E[c(v)] - c(e), 0 for a v that is given. */
static mb_status expect_dof(const mb_model *m, const double *phi, int32_t k, double *scratch,
                            double *e, double *more, mb_err *err)
{
    double mu[2];

    *e = ((const spec *)m->spec)->dof;
    *more = 0;
    if (*e > 0)
        return MB_OK;
    if (mb_dof.moments(MB_TMM_GRID, mb_tmm_dof_in_(m, phi, k), mu, NULL, scratch) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (dof.1) is outside its domain", k);
    *e = 2 * mu[1];
    *more = mu[0] - (mu[1] * log(mu[1]) - mb_lgamma_(mu[1]));
    return MB_OK;
}

/* ln rho_k = c_k - h_k ln b: E[ln pi_k] + E[ln |Lambda_k|]/2 - D/2 ln 2 pi + E[c(v)] +
 * ln Gamma(h) - h ln(e b/2), where E[c(v)] is apart from c(e), so that a large e loses no digits. */
static mb_status expect(const mb_model *m, const double *phi, work *w, mb_err *err)
{
    mb_estep_    *g = &w->g;
    double       *ln_pi = g->tmp, e, more;
    const double *L = g->tmp + g->K, D = g->D;

    MB_TRY(mb_weights_expect_(m, phi, ln_pi, err));
    for (int32_t k = 0; k < g->K; k++) {
        const double *nw = phi + mb_gmm_at_(&m->layout, k);

        MB_TRY(mb_gmm_factor_(m, phi, k, g, err));
        MB_TRY(expect_dof(m, phi, k, w->family, &e, &more, err));
        g->h[k] = 0.5 * (e + D);
        w->one[k] = 1 + D / (L[0] * L[0]) / e;
        w->per[k] = mb_nw_nu_(g->D, nw) / e;
        w->ln_u[k] = mb_digamma_(g->h[k]) - log(0.5 * e);
        w->top[k] = (e + D) / e;
        g->c[k] = ln_pi[k] + 0.5 * (mb_nw_e_logdet_(g->D, nw, L) - D * LN_2PI) + more +
                  mb_gmm_ln_ratio_(g->D, g->h[k]) - 0.5 * D * log(0.5 * e);
    }
    return MB_OK;
}

/* Rows of the block, padded to whole lanes. */
static int32_t padded(const mb_estep_ *g)
{
    return (g->rows + MB_LANES_MAX - 1) / MB_LANES_MAX * MB_LANES_MAX;
}

/* The E-step on a block: b, ln b, r, lnz and their sum. */
static mb_status respond(work *w, double *total, mb_err *err)
{
    const mb_estep_ *g = &w->g;
    const int32_t    n = padded(g);

    for (int32_t k = 0; k < g->K; k++) {
        const size_t  at = (size_t)k * (size_t)g->block;
        double       *r = g->r + at;
        const double *b = w->b + at, *ln_b = w->ln_b + at;

        g->kernel->density(g, k, w->one[k], -w->per[k], w->b + at);
        g->kernel->log(n, b, w->ln_b + at);
        for (int32_t l = 0; l < n; l++)
            r[l] = g->c[k] - g->h[k] * ln_b[l] + 0 * b[l]; /* NaN unless b is finite */
    }
    return mb_gmm_normalise_(&w->g, total, err);
}

/* Counts the block's rows and weighs them by E[u]. */
static void weigh(work *w)
{
    const mb_estep_ *g = &w->g;

    for (int32_t k = 0; k < g->K; k++) {
        const size_t  at = (size_t)k * (size_t)g->block;
        double       *r = g->r + at;
        const double *b = w->b + at, *ln_b = w->ln_b + at;

        for (int32_t l = 0; l < g->rows; l++) {
            const double u = w->top[k] / b[l];

            w->count[k] += r[l];
            w->gap[k] += r[l] * (w->ln_u[k] - ln_b[l] - u);
            r[l] *= u;
        }
    }
}

/* Responsibilities that are given say nothing of u, which is 1 here; degrees of freedom: tmm_step.c. */
static void count(work *w)
{
    const mb_estep_ *g = &w->g;

    for (int32_t k = 0; k < g->K; k++)
        for (int32_t l = 0; l < g->rows; l++)
            w->count[k] += g->r[(size_t)k * (size_t)g->block + (size_t)l];
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
        MB_TRY(resp ? mb_gmm_given_(&w->g, resp, err) : respond(w, &total, err));
        (resp ? count : weigh)(w);
        w->g.kernel->moments(&w->g);
    }
    w->g.kernel->sums(&w->g);
    mb_tmm_add_(m, w, resp != NULL, s);
    if (MB_GAPS_(rows->gaps))
        MB_TRY(mb_tmm_gaps_absorb_(m, phi, w, rows, resp, s, &total, err));
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

/* ln alpha_k/alpha into the constants of the predictive density, of which the integral over u is
 * left: ln p(x | k) = c_k + mb_tail_ln_(distance). */
static mb_status predictive(const mb_model *m, const double *phi, work *w, mb_err *err)
{
    mb_estep_    *g = &w->g;
    double       *ln_share = g->tmp;
    const double *L = g->tmp + g->K;

    MB_TRY(mb_weights_shares_(m, phi, ln_share, err));
    for (int32_t k = 0; k < g->K; k++) {
        MB_TRY(mb_gmm_factor_(m, phi, k, g, err));
        g->h[k] = 0.5 * mb_nw_nu_(g->D, phi + mb_gmm_at_(&m->layout, k)) + 0.5;
        w->one[k] = L[0] * L[0]; /* beta */
        g->c[k] = ln_share[k] + mb_gmm_ln_ratio_(g->D, g->h[k]) -
                  0.5 * (g->D * LN_PI + mb_nw_logdet_(g->D, L));
    }
    return MB_OK;
}

static mb_status respond_predictive(const mb_model *m, const double *phi, work *w, double *total,
                                    mb_err *err)
{
    mb_estep_  *g = &w->g;
    const spec *q = m->spec;

    for (int32_t k = 0; k < g->K; k++) {
        double  *r = g->r + (size_t)k * (size_t)g->block;
        mb_tail_ tail;

        MB_TRY(mb_tmm_tail_(m, phi, k, w, &tail, err));
        mb_tail_table_(&tail, mb_tail_nodes_(g->D, q->dof), w->table);
        g->kernel->density(g, k, 0, -1, r);
        for (int32_t l = 0; l < padded(g); l++)
            r[l] = g->c[k] + mb_tail_ln_(&tail, g->kernel, r[l]);
    }
    return mb_gmm_normalise_(g, total, err);
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
    MB_TRY(mb_gmm_check_(&w.g, &all, err));
    MB_TRY(density ? predictive(m, phi, &w, err) : expect(m, phi, &w, err));
    for (int64_t next = 0; next < all.n;) {
        next = mb_gmm_fill_whole_(&w.g, &all, next);
        MB_TRY(density ? respond_predictive(m, phi, &w, &total, err) : respond(&w, &total, err));
        mb_gmm_answer_(&w.g, want, out);
    }
    return MB_GAPS_(all.gaps) ? mb_tmm_gaps_predict_(m, phi, &w, &all, want, out, err) : MB_OK;
}

/* u ~ Gamma(v/2, rate v/2), v from its distribution first. */
static double relative(const mb_model *m, const double *par, int32_t k, mb_rng *rng)
{
    const spec *q = m->spec;
    double      scratch[2 * MB_TMM_GRID], v = q->dof;

    if (!(v > 0) && mb_dof.draw(MB_TMM_GRID, mb_tmm_dof_in_(m, par, k), rng, &v, scratch) < 0)
        return (double)NAN;
    return exp(mb_draw_ln_gamma_(rng, 0.5 * v)) / (0.5 * v);
}

static mb_status sample(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err)
{
    return mb_gmm_draw_(m, par, relative, seed, first, n, out, scratch, err);
}

static const mb_model_ops ops = {.name = "tmm",
                                 .more_latent = 1,
                                 .stats = stats,
                                 .more_stats = more_stats,
                                 .seed_stats = seed_stats,
                                 .predict = predict,
                                 .sample = sample};

mb_tmm_opt mb_tmm_defaults(int32_t K, int32_t D)
{
    return (mb_tmm_opt){.gmm = mb_gmm_defaults(K, D)};
}

mb_status mb_tmm_new(mb_arena *a, const mb_tmm_opt *opt, mb_model *out, mb_err *err)
{
    const mb_emission_ *emission;
    mb_model            m;
    spec               *q;

    if (opt->dof < 0 || !isfinite(opt->dof))
        MB_FAIL(err, MB_E_ARG, "dof = %g; expected a number above 0, or 0: learnt", opt->dof);
    if (opt->gmm.covariance != MB_COVARIANCE_FULL)
        MB_FAIL(err, MB_E_ARG, "a robust mixture has full covariances");
    MB_TRY(
        mb_gmm_base_(a, &opt->gmm, opt->dof > 0 ? NULL : &mb_dof, MB_TMM_GRID, &m, &emission, err));
    MB_NEW(q, a, 1, err);
    *q = (spec){.how = mb_how_best_(opt->gmm.K, opt->gmm.D), .dof = opt->dof};
    m.ops = &ops;
    m.spec = q;
    m.scratch = mb_estep_scratch_(opt->gmm.K, opt->gmm.D) + room(opt->gmm.K, opt->gmm.D, opt->dof);
    *out = m;
    return MB_OK;
}
