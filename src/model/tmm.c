/* tmm.c - Bayesian mixture of Student's t with full scale matrices (docs/math.md, section 17).
 *
 * A row has a component and a precision u relative to the component's. Both are local, and u is
 * integrated out in closed form: with e = E[v], h = (e + D)/2, Delta = E[(x-mu)' Lambda (x-mu)] and
 * b = 1 + Delta/e, u is Gamma(h, rate e b/2). The row adds r to entry k of the Dirichlet,
 * r [1/2, svec(-E[u] z z'/2)], z = (1, x), to normal-Wishart k and r [1, E[ln u] - E[u]] to the
 * degrees of freedom of k. */
#include "base/far.h"
#include "base/format.h"
#include "base/gaps.h"
#include "expfam/expfam.h"
#include "expfam/normal_wishart.h"
#include "model/entries.h"
#include "model/gmm_form.h"
#include "model/gmm_options.h"
#include "model/gmm_step.h"
#include "model/model.h"
#include "model/prior.h"
#include "model/tables.h"
#include "model/tmm_tail.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The block of the degrees of freedom, when they are learnt; the choice of mb_sizes that has the word of
 * --tmm.dof. */
enum { DOF_BLOCK = 2, DOF_CHOICE = 2 };

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;

/* E[ln u] - E[u] of a row at one degree of freedom, digamma(1/2) - ln(1/2) - 1: responsibilities that
 * are given say nothing of u, and tails that are heavy at first keep rows far out from leading. */
static const double heavy = -2.2703628454614781;

typedef struct spec {
    mb_mixing_spec_ mix;
    mb_how_         how;
    double          dof; /* 0: learnt */
} spec;

/* Numbers of each component, and of its rows in the block, in the scratch of the form. */
typedef struct areas {
    double *one;    /* K: b = one + per distance                           */
    double *per;    /* K                                                   */
    double *ln_u;   /* K: E[ln u] + ln b                                   */
    double *top;    /* K: E[u] b                                           */
    double *count;  /* K: sum of r                                         */
    double *gap;    /* K: sum of r (E[ln u] - E[u])                        */
    double *b;      /* K x B                                               */
    double *ln_b;   /* K x B                                               */
    double *family; /* of mb_dof                                           */
    double *table;  /* of a predictive density                             */
} areas;

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

static areas areas_of(const mb_pass_ *w)
{
    const int32_t K = w->g.K;
    const size_t  block = (size_t)K * (size_t)w->g.block;
    areas         x = {.one = w->own};

    x.per = x.one + K;
    x.ln_u = x.per + K;
    x.top = x.ln_u + K;
    x.count = x.top + K;
    x.gap = x.count + K;
    x.b = x.gap + K;
    x.ln_b = x.b + block;
    x.family = x.ln_b + block;
    x.table = x.family + 2 * MB_TMM_GRID;
    return x;
}

/* The degrees of freedom of component k in a message, where they are learnt. */
static const double *dof_in(const mb_model *m, const double *phi, int32_t k)
{
    const mb_block *b = &m->layout.block[DOF_BLOCK];

    return phi + b->off + b->len * (size_t)k;
}

static void clear_counts(mb_pass_ *w)
{
    const areas x = areas_of(w);

    for (int32_t k = 0; k < w->g.K; k++)
        x.count[k] = x.gap[k] = 0;
}

static void carve(mb_pass_ *w, double *scratch)
{
    const spec   *q = w->m->spec;
    const int32_t D = w->m->layout.block[MB_GMM_NORMALS_].dim;

    mb_estep_carve_(&w->g, &q->how, w->m->K, D, scratch);
    w->ln_pi = w->g.tmp;
    w->own = scratch + mb_estep_scratch_(w->m->K, D);
    clear_counts(w);
}

static void clear(mb_pass_ *w)
{
    mb_gaps_clear_(w);
    clear_counts(w);
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
    if (mb_dof.moments(MB_TMM_GRID, dof_in(m, phi, k), mu, NULL, scratch) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (dof.1) is outside its domain", k);
    *e = 2 * mu[1];
    *more = mu[0] - (mu[1] * log(mu[1]) - mb_lgamma_(mu[1]));
    return MB_OK;
}

/* ln rho_k = c_k - h_k ln b: E[ln pi_k] + E[ln |Lambda_k|]/2 - D/2 ln 2 pi + E[c(v)] +
 * ln Gamma(h) - h ln(e b/2), where E[c(v)] is apart from c(e), so that a large e loses no digits. */
static mb_status expect(mb_pass_ *w, int32_t k, mb_err *err)
{
    const areas   x = areas_of(w);
    mb_estep_    *g = &w->g;
    const double *nw = w->phi + mb_gmm_at_(&w->m->layout, k), *L = g->tmp + g->K, D = g->D;
    double        e, more;

    MB_TRY(expect_dof(w->m, w->phi, k, x.family, &e, &more, err));
    g->h[k] = 0.5 * (e + D);
    x.one[k] = 1 + D / (L[0] * L[0]) / e;
    x.per[k] = mb_nw_nu_(g->D, nw) / e;
    x.ln_u[k] = mb_digamma_(g->h[k]) - log(0.5 * e);
    x.top[k] = (e + D) / e;
    g->c[k] = w->ln_pi[k] + 0.5 * (mb_nw_e_logdet_(g->D, nw, L) - D * LN_2PI) + more +
              mb_gmm_ln_ratio_(g->D, g->h[k]) - 0.5 * D * log(0.5 * e);
    return MB_OK;
}

/* The constants of the predictive density, of which the integral over u is left: ln p(x | k) = c_k +
 * mb_tail_ln_(distance). */
static void predictive(mb_pass_ *w, int32_t k)
{
    mb_estep_    *g = &w->g;
    const double *L = g->tmp + g->K;

    g->h[k] = 0.5 * mb_nw_nu_(g->D, w->phi + mb_gmm_at_(&w->m->layout, k)) + 0.5;
    areas_of(w).one[k] = L[0] * L[0]; /* beta */
    g->c[k] = w->ln_pi[k] + mb_gmm_ln_ratio_(g->D, g->h[k]) -
              0.5 * (g->D * LN_PI + mb_nw_logdet_(g->D, L));
}

static mb_status prepare(mb_pass_ *w, mb_err *err)
{
    for (int32_t k = 0; k < w->g.K; k++) {
        MB_TRY(mb_gmm_factor_(w->m, w->phi, k, &w->g, err));
        if (w->predictive)
            predictive(w, k);
        else
            MB_TRY(expect(w, k, err));
    }
    return MB_OK;
}

/* The predictive density of component k, without its table. */
static mb_status tail_of(const mb_pass_ *w, int32_t k, mb_tail_ *out, mb_err *err)
{
    const spec *q = w->m->spec;
    const areas x = areas_of(w);

    *out = (mb_tail_){
        .D = w->g.D, .beta = x.one[k], .half = w->g.h[k], .n = MB_TMM_GRID, .dof = q->dof};
    if (q->dof > 0)
        return MB_OK;
    out->logs = x.family;
    if (mb_dof.moments(MB_TMM_GRID, dof_in(w->m, w->phi, k), NULL, NULL, x.family) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "degrees of freedom (dof.1) are outside their domain");
    return MB_OK;
}

/* Rows of the block, padded to whole lanes. */
static int32_t padded(const mb_estep_ *g)
{
    return (g->rows + MB_LANES_MAX - 1) / MB_LANES_MAX * MB_LANES_MAX;
}

/* b, ln b and r of component k. */
static void expected_density(mb_pass_ *w, int32_t k)
{
    const areas      x = areas_of(w);
    const mb_estep_ *g = &w->g;
    const int32_t    n = padded(g);
    const size_t     at = (size_t)k * (size_t)g->block;
    double          *r = g->r + at;
    const double    *b = x.b + at, *ln_b = x.ln_b + at;

    g->kernel->density(g, k, x.one[k], -x.per[k], x.b + at);
    g->kernel->log(n, b, x.ln_b + at);
    for (int32_t l = 0; l < n; l++)
        r[l] = g->c[k] - g->h[k] * ln_b[l] + 0 * b[l]; /* NaN unless b is finite */
}

static mb_status predictive_density(mb_pass_ *w, int32_t k, mb_err *err)
{
    const mb_estep_ *g = &w->g;
    double          *r = g->r + (size_t)k * (size_t)g->block;
    mb_tail_         tail;

    MB_TRY(tail_of(w, k, &tail, err));
    mb_tail_table_(&tail, mb_tail_nodes_(g->D, tail.dof), areas_of(w).table);
    g->kernel->density(g, k, 0, -1, r);
    for (int32_t l = 0; l < padded(g); l++)
        r[l] = g->c[k] + mb_tail_ln_(&tail, g->kernel, r[l]);
    return MB_OK;
}

/* Counts the block's rows and weighs them by E[u]; responsibilities that are given say nothing of u,
 * which is 1 here. */
static void weigh(mb_pass_ *w, int32_t k)
{
    const areas      x = areas_of(w);
    const mb_estep_ *g = &w->g;
    const size_t     at = (size_t)k * (size_t)g->block;
    double          *r = g->r + at;
    const double    *b = x.b + at, *ln_b = x.ln_b + at;

    for (int32_t l = 0; l < g->rows; l++) {
        const double u = w->given ? 1 : x.top[k] / b[l];

        x.count[k] += r[l];
        if (w->given)
            continue;
        x.gap[k] += r[l] * (x.ln_u[k] - ln_b[l] - u);
        r[l] *= u;
    }
}

/* ---- rows with gaps (docs/math.md, section 19) ----
 *
 * Given its component and u, what is missing of a row is Gaussian with the precision u P_mm. With
 * it integrated out u is Gamma((e + o)/2, rate e b/2), o the columns that are there and delta in b
 * at its smallest over what is missing; E[u (u P_mm)^-1] = P_mm^-1 does not depend on u. */

/* What the missing columns change in c of the E-step: c has lnGamma(h) - lnGamma(e/2) -
 * D/2 ln(e/2), h = (e + D)/2. */
static double constant(const mb_pass_ *w, int32_t k, const mb_split_ *q)
{
    const mb_estep_ *g = &w->g;
    const int32_t    gone = g->D - q->there;
    const double     half_e = g->h[k] - 0.5 * g->D;

    return mb_gmm_ln_ratio_(q->there, half_e + 0.5 * q->there) - mb_gmm_ln_ratio_(g->D, g->h[k]) +
           mb_gaps_volume_(g, q) + 0.5 * gone * (log(half_e) + LN_2PI - log(q->nu));
}

/* b and r of component k for the rows of a pattern. */
static void expected(mb_pass_ *w, int32_t k, const mb_split_ *q)
{
    const areas      x = areas_of(w);
    const mb_estep_ *g = &w->g;
    const double     h = g->h[k] - 0.5 * (g->D - q->there), c = g->c[k] + constant(w, k, q);
    double          *b = x.b + (size_t)k * (size_t)g->block;

    for (int32_t l = 0; l < q->rows; l++) {
        const int32_t at = q->row[l];

        b[at] = x.one[k] + x.per[k] * mb_split_distance_(g, q, l);
        g->r[(size_t)k * (size_t)g->block + (size_t)at] = c - h * log(b[at]) + 0 * b[at];
    }
}

/* r of component k for the rows of a pattern: the marginal of the predictive density. */
static void marginal(mb_pass_ *w, int32_t k, const mb_split_ *q, mb_tail_ tail)
{
    const mb_estep_ *g = &w->g;
    const int32_t    gone = g->D - q->there;
    double          *r = g->r + (size_t)k * (size_t)g->block, c = g->c[k];

    tail.D = q->there;
    tail.half -= 0.5 * gone;
    c += mb_gmm_ln_ratio_(q->there, tail.half) - mb_gmm_ln_ratio_(g->D, g->h[k]) +
         mb_gaps_volume_(g, q) + 0.5 * gone * LN_PI;
    if (q->there)
        mb_tail_table_(&tail, mb_tail_nodes_(q->there, tail.dof), areas_of(w).table);
    for (int32_t l = 0; l < q->rows; l++)
        r[q->row[l]] =
            c + (q->there ? mb_tail_ln_(&tail, g->kernel, mb_split_distance_(g, q, l)) : 0);
}

static mb_status density_seen(mb_pass_ *w, int32_t k, mb_err *err)
{
    const mb_estep_ *g = &w->g;
    double          *r = g->r + (size_t)k * (size_t)g->block;
    mb_split_        q;
    mb_tail_         tail;

    if (w->predictive)
        MB_TRY(tail_of(w, k, &tail, err));
    MB_TRY(mb_gaps_component_(w->m, w->phi, k, g, &q, err));
    for (int32_t at = 0; at < w->patterns.n; at++) {
        MB_TRY(mb_gaps_factor_(g, k, &w->patterns, at, &q, err));
        mb_split_solve_(g, &q);
        if (w->predictive)
            marginal(w, k, &q, tail);
        else
            expected(w, k, &q);
    }
    for (int32_t l = g->rows; l % MB_LANES_MAX; l++)
        r[l] = r[g->rows - 1];
    return MB_OK;
}

/* Counts the rows of a pattern, and s = r E[u]; given: u is 1, and nothing is known of it. */
static void weigh_seen(mb_pass_ *w, int32_t k, const mb_split_ *q, double *s)
{
    const areas      x = areas_of(w);
    const mb_estep_ *g = &w->g;
    const double    *r = g->r + (size_t)k * (size_t)g->block;
    const double    *b = x.b + (size_t)k * (size_t)g->block;
    const double     half_e = g->h[k] - 0.5 * g->D, h = half_e + 0.5 * q->there;
    const double     ln_u = w->given ? 0 : mb_digamma_(h) - log(half_e);

    for (int32_t l = 0; l < q->rows; l++) {
        const int32_t at = q->row[l];
        const double  u = w->given ? 1 : h / half_e / b[at];

        x.count[k] += r[at];
        if (!w->given)
            x.gap[k] += r[at] * (ln_u - log(b[at]) - u);
        s[at] = r[at] * u;
    }
}

static mb_status gather_seen(mb_pass_ *w, int32_t k, mb_err *err)
{
    const mb_estep_ *g = &w->g;
    const size_t     n = (size_t)g->D + 1;
    double           s[MB_BLOCK_MAX];
    mb_split_        q;

    MB_TRY(mb_gaps_component_(w->m, w->phi, k, g, &q, err));
    for (int32_t at = 0; at < w->patterns.n; at++) {
        MB_TRY(mb_gaps_factor_(g, k, &w->patterns, at, &q, err));
        mb_split_solve_(g, &q);
        mb_split_complete_(g, &q);
        weigh_seen(w, k, &q, s);
        mb_split_gather_(g, &q, s, g->r + (size_t)k * (size_t)g->block, g->S + (size_t)k * n * n);
    }
    return MB_OK;
}

/* ---- the form ---- */

static mb_status density(mb_pass_ *w, mb_err *err)
{
    for (int32_t k = 0; k < w->g.K; k++)
        if (MB_GAPS_(w->gaps))
            MB_TRY(density_seen(w, k, err));
        else if (w->predictive)
            MB_TRY(predictive_density(w, k, err));
        else
            expected_density(w, k);
    return MB_OK;
}

static mb_status gather(mb_pass_ *w, double *s, mb_err *err)
{
    (void)s;
    for (int32_t k = 0; k < w->g.K; k++)
        if (MB_GAPS_(w->gaps))
            MB_TRY(gather_seen(w, k, err));
        else
            weigh(w, k);
    if (!MB_GAPS_(w->gaps))
        w->g.kernel->moments(&w->g);
    return MB_OK;
}

static void finish(mb_pass_ *w, double *s)
{
    const areas     x = areas_of(w);
    const mb_model *m = w->m;
    mb_estep_      *g = &w->g;
    const size_t    n = (size_t)g->D + 1;

    if (!MB_GAPS_(w->gaps))
        g->kernel->sums(g);
    mb_weights_add_(m, x.count, s);
    for (int32_t k = 0; k < g->K; k++) {
        mb_gmm_natural_(g->D + 1, x.count[k], g->S + (size_t)k * n * n, g->tmp,
                        s + mb_gmm_at_(&m->layout, k));
        if (m->layout.nblock > DOF_BLOCK) {
            double *dof = s + (dof_in(m, s, k) - s);

            dof[0] += x.count[k];
            dof[1] += w->given ? heavy * x.count[k] : x.gap[k];
        }
    }
}

static const mb_mixture_form_ form = {.carve = carve,
                                      .prepare = prepare,
                                      .clear = MB_GAPS_(1) ? clear : NULL,
                                      .look = MB_GAPS_(1) ? mb_gaps_look_ : NULL,
                                      .density = density,
                                      .gather = gather,
                                      .finish = finish};

/* u ~ Gamma(v/2, rate v/2), v from its distribution first. */
static double relative(const mb_model *m, const double *par, int32_t k, mb_rng *rng)
{
    const spec *q = m->spec;
    double      scratch[2 * MB_TMM_GRID], v = q->dof;

    if (!(v > 0) && mb_dof.draw(MB_TMM_GRID, dof_in(m, par, k), rng, &v, scratch) < 0)
        return (double)NAN;
    return exp(mb_draw_ln_gamma_(rng, 0.5 * v)) / (0.5 * v);
}

static mb_status sample(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err)
{
    return mb_gmm_draw_(m, par, relative, seed, first, n, out, scratch, err);
}

/* A precision E[u] = (e + o)/(e b) is at most 1 + D/v, v the least degrees of freedom, as b >= 1;
 * E[ln u] - E[u] is psi(h) - ln(e/2) - ln b - E[u] < 0, of which psi(h) - ln(e/2) > psi(1), and b is
 * a double (docs/math.md, section 29). */
static void entries(const mb_model *m, mb_entry *out)
{
    const double D = m->layout.block[MB_GMM_NORMALS_].dim, dof = ((const spec *)m->spec)->dof;
    const double most = 1 + D / (dof > 0 ? dof : mb_dof_at(0)), ln_b = 710;

    mb_entries_weights_(m, 0, out);
    mb_entries_normals_(m, most, out);
    for (int32_t k = 0; k < m->K && m->layout.nblock > DOF_BLOCK; k++) {
        mb_entry *to = out + (m->layout.block[DOF_BLOCK].off + 2 * (size_t)k);

        to[0] = to[1] = mb_entry_rows_(1, k, 1);
        to[1].kind = MB_ENTRY_OTHER;
        to[1].least = -1 - fmax(most, ln_b);
        to[1].most = 0;
    }
}

static const mb_model_ops ops = {.name = "tmm",
                                 .more_latent = 1,
                                 .stats = mb_mixture_stats_,
                                 .more_stats = mb_mixture_more_stats_,
                                 .seed_stats = mb_mixture_seed_stats_,
                                 .predict = mb_mixture_predict_,
                                 .sample = MB_TABLE_(sample),
                                 .entries = MB_ENTRIES_(entries)};

mb_tmm_opt mb_tmm_defaults(int32_t K, int32_t D)
{
    return (mb_tmm_opt){.gmm = mb_gmm_defaults(K, D)};
}

mb_status mb_tmm_new(mb_arena *a, const mb_tmm_opt *opt, mb_model *out, mb_err *err)
{
    const mb_emission *emission;
    mb_model           m;
    spec              *q;

    if (opt->dof < 0 || !isfinite(opt->dof))
        MB_FAIL(err, MB_E_ARG, "dof = %g; expected a number above 0, or 0: learnt", opt->dof);
    if (opt->gmm.covariance != MB_COVARIANCE_FULL)
        MB_FAIL(err, MB_E_ARG, "a robust mixture has full covariances");
    MB_TRY(
        mb_gmm_base_(a, &opt->gmm, opt->dof > 0 ? NULL : &mb_dof, MB_TMM_GRID, &m, &emission, err));
    MB_NEW(q, a, 1, err);
    *q = (spec){
        .mix = {.form = &form}, .how = mb_how_best_(opt->gmm.K, opt->gmm.D), .dof = opt->dof};
    m.ops = &ops;
    m.spec = q;
    m.scratch = mb_estep_scratch_(opt->gmm.K, opt->gmm.D) + room(opt->gmm.K, opt->gmm.D, opt->dof);
    *out = m;
    return MB_OK;
}

/* ---- degrees of freedom in textbook parameters ---- */

static double given_dof(int32_t word)
{
    static const double value[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100};

    return value[word];
}

/* Where those of component 0 are in par, after the components. */
static size_t dof_at(const mb_sizes *s)
{
    size_t step;

    return mb_gmm_first_(s) + (size_t)s->K * mb_gmm_form_of_(s)->slice(s, &step);
}

double mb_tmm_mean_dof_(const mb_sizes *s, const double *par, int32_t k)
{
    double scratch[2 * MB_TMM_GRID], mu[2];

    if (s->choice[DOF_CHOICE])
        return given_dof(s->choice[DOF_CHOICE]);
    if (mb_dof.moments(MB_TMM_GRID, par + dof_at(s) + 2 * (size_t)k, mu, NULL, scratch) < 0)
        return (double)NAN;
    return 2 * mu[1];
}

/* ---- tables for people ---- */

enum { LISTED = 20 /* components whose degrees of freedom the note has */ };

/* "degrees of freedom 3.4, 48; ..". */
static mb_status note(mb_arena *a, const mb_posterior *p, const char **out, mb_err *err)
{
    const int32_t n = p->size.K < LISTED ? p->size.K : LISTED;
    const size_t  cap = 128 + 16 * (size_t)n;
    size_t        used = 0;
    char         *text;

    MB_NEW(text, a, cap, err);
    used += (size_t)mb_format_(text, cap, "degrees of freedom");
    for (int32_t k = 0; k < n; k++)
        used += (size_t)mb_format_(text + used, cap - used, "%s %.3g", k ? "," : "",
                                   mb_tmm_mean_dof_(&p->size, p->par, k));
    (void)mb_format_(text + used, cap - used,
                     "%s; standard deviations have the tails, ellipses have not",
                     n < p->size.K ? ", .." : "");
    *out = text;
    return MB_OK;
}

/* Rows of Student's t have v/(v - 2) times the variance of their scale, none up to v = 2. */
static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    double *sd;

    MB_NEW(sd, a, (size_t)out->rows * (size_t)out->columns, err);
    for (int32_t k = 0; k < out->rows; k++) {
        const double v = mb_tmm_mean_dof_(&p->size, p->par, k);

        for (int32_t d = 0; d < out->columns; d++) {
            const size_t at = (size_t)k * (size_t)out->columns + (size_t)d;

            sd[at] = v > 2 ? out->sd[at] * sqrt(v / (v - 2)) : (double)NAN;
        }
    }
    out->sd = sd;
    return note(a, p, &out->note, err);
}

/* ---- the kind ---- */

/* The words of --tmm.dof and their numbers; auto is 0. */
#define DOFS "auto|1|2|3|4|5|6|8|10|15|20|30|50|100"
static const char *const dofs[] = {"auto", "1",  "2",  "3",  "4",  "5",   "6", "8",
                                   "10",   "15", "20", "30", "50", "100", NULL};
static const char *const covariances[] = {"full", NULL};
static const mb_choice   choices[] = {{"covariance_type", "covariance-type", covariances},
                                      MB_GMM_WEIGHTS_WORDS_,
                                      {"dof", "tmm.dof", dofs},
                                      {NULL, NULL, NULL}};

#define AT(field) offsetof(mb_tmm_kind, gmm.field)

static const mb_opt options[] = {
    MB_GMM_COMPONENTS_(AT),
    {"covariance-type", MB_OPT_CHOICE, AT(covariance_type), "full", 0, 0, "full", "", "math 17",
     "covariance_type", "full: each component has a scale matrix; it has no other"},
    {"tmm.dof", MB_OPT_CHOICE, offsetof(mb_tmm_kind, dof), "auto", 0, 0, DOFS, "", "math 17", "",
     "degrees of freedom of the components, few for rows far out, many for a Gaussian; auto: each "
     "component learns its own, from 1 to 256, under a prior that is uniform in its logarithm"},
    {"tmm.trim", MB_OPT_REAL, offsetof(mb_tmm_kind, trim), "5", 0, 1e12, NULL,
     "robust standard deviations", "math 17", "",
     "units, prior and initialisation leave out rows that are farther than this from the median of "
     "a column, a standard deviation being the distance of its quartiles over 1.349; of n columns, "
     "in their mean square, sqrt(1 + (this^2 - 1)/sqrt(min(n, 4))); if such rows are at most a "
     "quarter of all. 0: none is left out"},
    MB_GMM_WEIGHTS_OPTION_(AT),
    MB_GMM_PRIOR_OPTIONS_(AT),
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_tmm_kind *own = opt;
    mb_tmm_opt         o = {.dof = given_dof(own->dof)};

    MB_TRY(mb_gmm_prior_opt_(a, &own->gmm, run, seen, &o.gmm, &out->warning, err));
    return mb_tmm_new(a, &o, &out->model, err);
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    mb_tmm_opt o = mb_tmm_defaults(s->K, s->D);

    o.gmm.process = s->choice[MB_GMM_WEIGHTS_CHOICE_];
    o.dof = given_dof(s->choice[DOF_CHOICE]);
    return mb_tmm_new(a, &o, out, err);
}

/* What a matrix of a component is: the scale matrix of its rows, not their covariance. */
static int32_t rename_scales(int32_t n, mb_field *out)
{
    for (int32_t f = 0; f < n; f++)
        if (!strcmp(out[f].key, "covariances"))
            out[f].key = "scale_matrices";
        else if (!strcmp(out[f].key, "covariance"))
            out[f].key = "scale_matrix";
    return n;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, n = rename_scales(mb_gmm_fields_(s, out), out);
    const size_t   at = dof_at(s), derived = (size_t)K * (1 + mb_svec_len_(s->D));
    const mb_field more[] = {{.key = "dof_rows", 1, {K}, .at = at, .step = 2},
                             {.key = "dof_gap", 1, {K}, .at = at + 1, .step = 2},
                             {.key = "dof_mean", 1, {K}, .derived = 1, .at = derived, .step = 1}};

    if (s->choice[DOF_CHOICE])
        return n;
    memcpy(out + n, more, sizeof more);
    return n + (int32_t)(sizeof more / sizeof *more);
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    double *dof = out + (size_t)s->K * (1 + mb_svec_len_(s->D));

    MB_TRY(mb_gmm_derive_(a, s, par, out, err));
    for (int32_t k = 0; k < s->K && !s->choice[DOF_CHOICE]; k++)
        dof[k] = mb_tmm_mean_dof_(s, par, k);
    return MB_OK;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t n = rename_scales(mb_gmm_drawn_(s, out), out);
    const size_t  at = (size_t)s->K * (1 + (size_t)s->D + mb_svec_len_(s->D));

    if (s->choice[DOF_CHOICE])
        return n;
    out[n] = (mb_field){.key = "dof", 1, {s->K}, .at = at, .step = 1};
    return n + 1;
}

static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_tmm_kind *o = opt;

    return mb_gmm_numbers_(&o->gmm, columns, out); /* which is its first member */
}

static int32_t needs_covariance(const void *opt)
{
    const mb_tmm_kind *o = opt;

    return mb_gmm_needs_covariance_(&o->gmm);
}

static double trims(const void *opt)
{
    const mb_tmm_kind *o = opt;

    return o->trim;
}

const mb_kind mb_kind_tmm = {.name = "tmm",
                             .title = "robust mixture of Student's t",
                             .estimator = "RobustMixture",
                             .gaps = MB_GAPS_(1),
                             .opts = options,
                             .opt_size = sizeof(mb_tmm_kind),
                             .choices = choices,
                             .numbers = numbers,
                             .prior = prior,
                             .needs_covariance = needs_covariance,
                             .trims = MB_FAR_(1) ? trims : NULL,
                             .model = model,
                             .fields = fields,
                             .derive = derive,
                             .drawn = drawn,
                             .component = mb_gmm_describe_,
                             .summary = MB_TABLE_(summarise)};
