/* mixreg.c - Bayesian mixture of linear regressions, docs/math.md, section 33.
 *
 * A row is of one component; given that, y = w_k'x + noise of precision tau_k, x with a leading 1
 * when there is an intercept. Row (x, y) adds r_k to entry k of the Dirichlet and
 * r_k [1/2, svec(-z z'/2)], z = (x, y), to normal-gamma k. The inputs have no distribution. */
#include "base/text.h"
#include "expfam/expfam.h"
#include "expfam/normal_gamma.h"
#include "model/components.h"
#include "model/entries.h"
#include "model/gmm_options.h"
#include "model/linreg_par.h"
#include "model/mixture.h"
#include "model/model.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const double LN_2PI = 1.83787706640934548356;

/* The blocks of the layout. */
enum { WEIGHTS, LINES };

typedef struct spec {
    mb_mixing_spec_ mix;
    int32_t         D, p; /* inputs, coefficients: p - D is 1 with an intercept */
    mb_how_         how;
} spec;

static const spec *spec_of(const mb_model *m)
{
    return m->spec;
}

/* The slice of component k. */
static const double *slice_of(const mb_model *m, const double *phi, int32_t k)
{
    const mb_block *b = &m->layout.block[LINES];

    return phi + b->off + b->len * (size_t)k;
}

/* L ((p + 1) x (p + 1)) := the factor of component k. */
static mb_status factor(const mb_model *m, const double *phi, int32_t k, double *L, mb_err *err)
{
    const mb_block *b = &m->layout.block[LINES];

    if (mb_ng_factor_(b->dim, slice_of(m, phi, k), L) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (%s) is outside its domain", k,
                b->family->name);
    return MB_OK;
}

/* ---- predictions, with the parameters integrated out ---- */

/* Given its component, y at x is Student's t with 2a degrees of freedom, location m'x, scale^2 =
 * b/a (1 + x' Lambda^-1 x). */
typedef struct line {
    double        a, b, ln_const; /* of the density, without ln(1 + x' Lambda^-1 x)/2 */
    const double *L, *m;          /* (p + 1) x (p + 1), of which p x p is chol(Lambda); p */
} line;

/* Doubles of `lines`: K factors and means, and a row with what is made of it. */
static size_t lines_len(int32_t K, int32_t p)
{
    const size_t n = (size_t)p + 1;

    return (size_t)K * (n * n + n) + 2 * n;
}

/* room: lines_len. */
static mb_status lines(const mb_model *m, const double *phi, double *room, mb_err *err)
{
    const size_t n = (size_t)spec_of(m)->p + 1;

    for (int32_t k = 0; k < m->K; k++, room += n * n + n) {
        MB_TRY(factor(m, phi, k, room, err));
        mb_ng_mean_((int32_t)n - 1, room, room + n * n);
    }
    return MB_OK;
}

/* Line k of `lines` at phi. */
static line line_of(const mb_model *m, const double *phi, int32_t k, const double *room)
{
    const int32_t p = spec_of(m)->p;
    const size_t  n = (size_t)p + 1;
    line          out = {.a = mb_ng_a_(p, slice_of(m, phi, k))};

    out.L = room + (size_t)k * (n * n + n);
    out.m = out.L + n * n;
    out.b = mb_ng_b_(p, out.L);
    out.ln_const = mb_lgamma_half_(out.a) - 0.5 * (LN_2PI + log(out.b));
    return out;
}

/* Location and 1 + x' Lambda^-1 x at the inputs x (p); v: room for as many. */
static double locate(const line *q, int32_t p, const double *x, double *v, double *spread)
{
    double sum = 0;

    memcpy(v, x, (size_t)p * sizeof *v);
    for (int32_t i = 0; i < p; i++)
        sum += q->m[i] * x[i];
    for (int32_t i = 0; i < p; i++) {
        for (int32_t j = 0; j < i; j++)
            v[i] -= q->L[(size_t)i * ((size_t)p + 1) + (size_t)j] * v[j];
        v[i] /= q->L[(size_t)i * ((size_t)p + 2)];
    }
    *spread = 1;
    for (int32_t i = 0; i < p; i++)
        *spread += v[i] * v[i];
    return sum;
}

/* ---- the E-step ---- */

static void carve(mb_pass_ *w, double *scratch)
{
    const spec *q = w->m->spec;

    mb_estep_carve_(&w->g, &q->how, w->m->K, q->D + 1, scratch);
    w->ln_pi = w->g.tmp;
    w->own = scratch + mb_estep_scratch_(w->m->K, q->D + 1);
}

/* E[ln N(y | w'x, 1/tau)] = c_k - distance/2, where distance + const = E[tau (y - w'x)^2] =
 * |all but the last of L^-1 z|^2 + 2a (last of L^-1 z)^2. */
static mb_status expect(mb_pass_ *w, int32_t k, mb_err *err)
{
    const spec   *q = w->m->spec;
    mb_estep_    *g = &w->g;
    const size_t  n = (size_t)q->p + 1, all = (size_t)g->D + 1, skip = all - n;
    const double *slice = slice_of(w->m, w->phi, k);
    double       *L = w->own, *B = g->tmp + g->K;
    double       *C = g->C + (size_t)k * ((size_t)g->D * all / 2);

    MB_TRY(factor(w->m, w->phi, k, L, err));
    memset(B, 0, all * all * sizeof *B);
    B[0] = 1; /* the constant of the kernel's z, when no coefficient belongs to it */
    for (size_t i = 0; i < n; i++)
        memcpy(B + (i + skip) * all + skip, L + i * n, (i + 1) * sizeof *B);
    mb_gmm_component_(g, k, B);
    C[(size_t)g->D * all / 2 - 1] *= sqrt(2 * mb_ng_a_(q->p, slice));
    g->c[k] = w->ln_pi[k] +
              0.5 * (mb_ng_e_log_(q->p, slice, L) - LN_2PI - (skip ? 0 : 1 / (L[0] * L[0])));
    return MB_OK;
}

static mb_status prepare(mb_pass_ *w, mb_err *err)
{
    if (w->predictive)
        return lines(w->m, w->phi, w->own, err);
    for (int32_t k = 0; k < w->g.K; k++)
        MB_TRY(expect(w, k, err));
    return MB_OK;
}

/* r: ln p(y | x, data, component k) + ln of its weight. */
static void predictive_density(mb_pass_ *w)
{
    const spec *q = w->m->spec;
    mb_estep_  *g = &w->g;
    double     *x = w->own + lines_len(g->K, q->p) - 2 * ((size_t)q->p + 1), *v = x + q->p + 1;

    x[0] = 1;
    for (int32_t k = 0; k < g->K; k++) {
        const line to = line_of(w->m, w->phi, k, w->own);
        double    *r = g->r + (size_t)k * (size_t)g->block;

        for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++) {
            double spread, left;

            for (int32_t i = 0; i < q->D; i++)
                x[q->p - q->D + i] = g->z[(size_t)i * (size_t)g->block + (size_t)l];
            left = g->z[(size_t)q->D * (size_t)g->block + (size_t)l] -
                   locate(&to, q->p, x, v, &spread);
            r[l] = w->ln_pi[k] + to.ln_const - 0.5 * log(spread) -
                   (to.a + 0.5) * log1p(left / spread * left / (2 * to.b));
        }
    }
}

static mb_status density(mb_pass_ *w, mb_err *err)
{
    mb_estep_ *g = &w->g;

    (void)err;
    if (w->predictive)
        predictive_density(w);
    else
        for (int32_t k = 0; k < g->K; k++)
            g->kernel->density(g, k, g->c[k], 0.5, g->r + (size_t)k * (size_t)g->block);
    return MB_OK;
}

static mb_status gather(mb_pass_ *w, double *s, mb_err *err)
{
    (void)s, (void)err;
    w->g.kernel->moments(&w->g);
    return MB_OK;
}

/* Without an intercept the sums with the kernel's 1 are left out. */
static void finish(mb_pass_ *w, double *s)
{
    const spec     *q = w->m->spec;
    const mb_block *b = &w->m->layout.block[LINES];
    mb_estep_      *g = &w->g;
    const size_t    n = (size_t)q->p + 1, all = (size_t)g->D + 1, skip = all - n;

    g->kernel->sums(g);
    for (int32_t k = 0; k < g->K; k++) {
        double *S = g->S + (size_t)k * all * all;

        g->h[k] = S[0];
        for (size_t i = 0; skip && i < n; i++)
            memmove(S + i * n, S + (i + skip) * all + skip, (i + 1) * sizeof *S);
        mb_gmm_natural_(q->p + 1, g->h[k], S, g->tmp + g->K, s + b->off + b->len * (size_t)k);
    }
    mb_weights_add_(w->m, g->h, s);
}

static mb_status look(mb_pass_ *w, mb_err *err)
{
    return mb_estep_finite_(&w->g, err);
}

static const mb_mixture_form_ form = {.carve = carve,
                                      .prepare = prepare,
                                      .look = look,
                                      .density = density,
                                      .gather = gather,
                                      .finish = finish};

/* ---- what it says of the target at given inputs ---- */

/* Of each component location, scale and degrees of freedom of Student's t: part (3 K); within (K):
 * its variance, which needs more than 2 of them. */
static void parts(const mb_model *m, const double *phi, const double *room, const double *x,
                  double *v, double *part, double *within)
{
    for (int32_t k = 0; k < m->K; k++, part += 3) {
        const line to = line_of(m, phi, k, room);
        double     spread;

        part[0] = locate(&to, spec_of(m)->p, x, v, &spread);
        part[1] = sqrt(to.b / to.a * spread);
        part[2] = 2 * to.a;
        within[k] = to.a > 1 ? to.b / (to.a - 1) * spread : (double)INFINITY;
    }
}

/* Mean and variance of the mixture with these weights. */
static void moments(int32_t K, const double *share, const double *part, const double *within,
                    double *out)
{
    out[0] = out[1] = 0;
    for (int32_t k = 0; k < K; k++)
        out[0] += share[k] * part[3 * k];
    for (int32_t k = 0; k < K; k++) {
        const double off = part[3 * k] - out[0];

        out[1] += share[k] * (within[k] + off * off);
    }
}

/* out: mean and variance of the target, or the parts (3 K), of each row. */
static mb_status targets(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const spec  *q = m->spec;
    const size_t K = (size_t)m->K, p = (size_t)q->p;
    double      *share = scratch, *within = share + K, *part = within + K, *room = part + 3 * K;
    double      *x = room + lines_len(m->K, q->p) - 2 * (p + 1), *v = x + p + 1;

    if (rows->n > 0 && rows->d != q->D + 1 && rows->d != q->D)
        MB_FAIL(err, MB_E_SHAPE,
                "rows: got %" PRId32 " columns; expected %" PRId32 " inputs and a target", rows->d,
                q->D);
    MB_TRY(mb_weights_shares_(m, phi, share, err));
    for (size_t k = 0; k < K; k++)
        share[k] = exp(share[k]);
    MB_TRY(lines(m, phi, room, err));
    x[0] = 1;
    for (int64_t j = 0; j < rows->n; j++, out += want == MB_WANT_RANGE ? 3 * K : 2) {
        double both[2];

        for (int32_t i = 0; i < q->D; i++)
            x[q->p - q->D + i] = mb_rows_at(rows, j, i);
        parts(m, phi, room, x, v, part, within);
        moments(m->K, share, part, within, both);
        if (!isfinite(both[0]) || isnan(both[1]))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": its prediction is %g; its inputs must be finite and not "
                    "absurdly large",
                    j, both[0]);
        memcpy(out, want == MB_WANT_RANGE ? part : both,
               (want == MB_WANT_RANGE ? 3 * K : 2) * sizeof *out);
    }
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    if (want == MB_WANT_MEAN_VAR || want == MB_WANT_RANGE)
        return targets(m, phi, rows, want, out, scratch, err);
    return mb_mixture_predict_(m, phi, rows, want, out, scratch, err);
}

static void entries(const mb_model *m, mb_entry *out)
{
    const spec *q = m->spec;
    mb_entry   *to = out + m->layout.block[LINES].off;

    mb_entries_weights_(m, 0, out);
    for (int32_t k = 0; k < m->K; k++) {
        mb_entry like = mb_entry_rows_(0.5, k, 1);

        *to++ = like;
        like.factor = -0.5;
        to = mb_entries_square_(like, q->p + 1, q->p - q->D, to);
    }
}

static const mb_model_ops ops = {.name = "mixreg",
                                 .stats = mb_mixture_stats_,
                                 .more_stats = mb_mixture_more_stats_,
                                 .seed_stats = mb_mixture_seed_stats_,
                                 .predict = predict,
                                 .entries = MB_ENTRIES_(entries)};

/* ---- constructors ---- */

/* K regressions with the prior of `one` and weights ~ Dirichlet(alpha0). */
static mb_status join(mb_arena *a, int32_t D, int32_t K, double alpha0, const mb_model *one,
                      mb_model *out, mb_err *err)
{
    const mb_block *b = one->layout.block;
    mb_model        m = {.ops = &ops, .K = K};
    double         *prior;
    spec           *q;

    MB_TRY(mb_check_sizes_(K, D + 1, err));
    MB_TRY(mb_check_concentration_("alpha0", alpha0, err));
    MB_NEW(q, a, 1, err);
    *q = (spec){.mix = {.form = &form}, .D = D, .p = b->dim, .how = mb_how_best_(K, D + 1)};
    m.spec = q;
    MB_TRY(mb_layout_add(&m.layout, &mb_dirichlet, K, 1, err));
    MB_TRY(mb_layout_add(&m.layout, b->family, b->dim, K, err));
    MB_NEW(prior, a, m.layout.len, err);
    for (int32_t k = 0; k < K; k++) {
        prior[k] = alpha0 - 1;
        memcpy(prior + K + b->len * (size_t)k, one->prior, b->len * sizeof *prior);
    }
    MB_TRY(mb_prior_natural_(a, prior, &m, err));
    m.scratch = mb_estep_scratch_(K, D + 1) + lines_len(K, q->p);
    if (m.scratch < lines_len(K, q->p) + 5 * (size_t)K)
        m.scratch = lines_len(K, q->p) + 5 * (size_t)K;
    *out = m;
    return MB_OK;
}

mb_mixreg_opt mb_mixreg_defaults(int32_t K, int32_t D, int32_t intercept)
{
    return (mb_mixreg_opt){.line = mb_linreg_defaults(D, intercept), .K = K, .alpha0 = 1.0 / K};
}

mb_status mb_mixreg_new(mb_arena *a, const mb_mixreg_opt *opt, mb_model *out, mb_err *err)
{
    mb_model one;

    if (opt->line.relevance || opt->line.targets > 1)
        MB_FAIL(err, MB_E_ARG, "a mixture of regressions has one target and no relevance");
    MB_TRY(mb_linreg_new(a, &opt->line, &one, err));
    return join(a, opt->line.D, opt->K, opt->alpha0, &one, out, err);
}

/* ---- the kind ---- */

#define AT(field)   offsetof(mb_mixreg_kind, field)
#define LINE(field) offsetof(mb_mixreg_kind, line.field)
#define PRIORS      "empirical|weak|posterior:FILE.json"

static const mb_opt options[] = {
    MB_GMM_COMPONENTS_(AT),
    {"target-column", MB_OPT_TEXT, LINE(target_column), NULL, 0, 0, "NAME", "", "", "y",
     "the column to explain by the others; without it the last of an NPY file"},
    {"intercept", MB_OPT_CHOICE, LINE(intercept), "on", 0, 0, "off|on", "", "", "fit_intercept",
     "a constant besides the inputs, of each component its own"},
    {"prior", MB_OPT_INPUT, LINE(prior), "empirical", 0, 0, PRIORS, "", "math 33", "",
     "empirical: coefficients with precision 1e-6 in columns of mean 0 and variance 1; weak: with "
     "1e-4, from the range of each column; posterior: an earlier posterior, component by "
     "component. "
     "Single options override the first two"},
    {"prior.alpha0", MB_OPT_AUTO, AT(alpha0), "auto", 1e-300, 1e12, NULL, "", "math 33", "",
     "concentration of each component's weight; auto = 1/K"},
    {"prior.a0", MB_OPT_AUTO, LINE(a0), "auto", 1e-300, 1e12, NULL, "", "math 10", "",
     "shape of the gamma of each noise precision; auto = 0.5"},
    {"prior.b0", MB_OPT_AUTO, LINE(b0), "auto", 1e-300, 1e300, NULL, "data units squared",
     "math 10", "", "its rate; auto = 1e-4 of the target's variance"},
    {"prior.m0", MB_OPT_TEXT, LINE(m0), NULL, 0, 0, "A[,B,..]", "data units", "math 10", "",
     "prior mean of intercept and coefficients; without it flat, at the mean of the rows"},
    {"prior.lambda0", MB_OPT_TEXT, LINE(lambda0), NULL, 0, 0, "A[,B,..]", "data units", "math 10",
     "", "their prior precision, in units of the noise's: one number (times the identity) or p*p"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_mixreg_kind       *o = opt;
    const mb_coefficient_prior_ prior = {o->line.m0, o->line.lambda0, o->line.m0_at,
                                         o->line.lambda0_at};

    return mb_coefficient_numbers_(&prior, 1, columns - 1 + o->line.intercept, LINE(m0_at),
                                   LINE(lambda0_at), out);
}

/* Each component's is that of one regression. */
static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_mixreg_kind *own = opt;
    const int32_t         K = (int32_t)own->n_components;
    mb_linreg_kind        each = own->line;
    mb_prior              one = {.par = NULL};
    double                alpha0;
    size_t                len;
    int32_t               which;

    MB_TRY(mb_prior_word_(each.prior, PRIORS, &which, err));
    each.prior = which ? "weak" : "empirical";
    each.target_column = NULL;
    each.targets = 1;
    each.relevance = 0;
    MB_TRY(mb_kind_linreg.prior(a, &each, run, seen, &one, err));
    alpha0 = mb_automatic_(own->alpha0, 1.0 / K);
    MB_TRY(join(a, seen->d - 1, K, alpha0, &one.model, &out->model, err));
    len = one.model.layout.len;
    MB_NEW(out->par, a, out->model.layout.len, err);
    for (int32_t k = 0; k < K; k++) {
        out->par[k] = alpha0;
        memcpy(out->par + K + len * (size_t)k, one.par, len * sizeof *one.par);
    }
    return MB_OK;
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    const mb_mixreg_opt o = mb_mixreg_defaults(s->K, s->D, s->intercept);

    return mb_mixreg_new(a, &o, out, err);
}

/* ---- textbook parameters: alpha (K), then those of each regression ---- */

static size_t step_of(const mb_sizes *s)
{
    const int32_t p = mb_linreg_coefficients_(s);

    return PAR_M + (size_t)p + mb_svec_len_(p);
}

static const double *line_par(const mb_sizes *s, const double *par, int32_t k)
{
    return par + s->K + step_of(s) * (size_t)k;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D, p = mb_linreg_coefficients_(s), none = !s->intercept;
    const size_t   k = (size_t)K, n = (size_t)p, at = k, step = step_of(s);
    const size_t   first = (size_t)s->intercept, m = at + PAR_M;
    const mb_field all[] = {
        {.key = "shape", 1, {K}, .bounded = 1, .at = at + PAR_A, .step = step},
        {.key = "rate", 1, {K}, .bounded = 1, .at = at + PAR_B, .step = step},
        {.key = "intercept", 1, {K}, .optional = 1, .absent = none, .at = m, .step = step},
        {.key = "coef", 2, {K, D}, .at = m + first, .step = step},
        {.key = "precision", 3, {K, p, p}, 1, .at = m + n, .step = step},
        {.key = "intercept_scale",
         1,
         {K},
         .derived = 1,
         .optional = 1,
         .absent = none,
         .at = k,
         .step = n},
        {.key = "coef_scale", 2, {K, D}, .derived = 1, .at = k + first, .step = n},
        {.key = "degrees_of_freedom", 1, {K}, .derived = 1, .at = k + k * n, .step = 1},
        {.key = "noise_variance", 1, {K}, .derived = 1, .at = 2 * k + k * n, .step = 1}};

    memcpy(out + mb_weights_fields(&mb_dirichlet, K, out), all, sizeof all);
    return 2 + (int32_t)(sizeof all / sizeof *all);
}

/* Scales of the Student's t of all coefficients, K x p. */
static mb_status scales(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const int32_t p = mb_linreg_coefficients_(s);
    double       *scratch;

    MB_NEW(scratch, a, 2 * (size_t)p * (size_t)p, err);
    for (int32_t k = 0; k < s->K; k++)
        MB_TRY(mb_linreg_scales(p, line_par(s, par, k), out + k * p, scratch, err));
    return MB_OK;
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    mb_shares(&mb_dirichlet, s->K, par, out);
    out += s->K;
    MB_TRY(scales(a, s, par, out, err));
    out += (size_t)s->K * (size_t)mb_linreg_coefficients_(s);
    for (int32_t k = 0; k < s->K; k++, out++) {
        const double *one = line_par(s, par, k);

        out[0] = 2 * one[PAR_A];
        out[s->K] = one[PAR_A] > 1 ? one[PAR_B] / (one[PAR_A] - 1) : (double)NAN;
    }
    return MB_OK;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, p = mb_linreg_coefficients_(s);
    const size_t   at = (size_t)K, step = (size_t)p + 1, first = (size_t)s->intercept;
    const mb_field all[] = {{.key = "weight", 1, {K}, .step = 1},
                            {.key = "intercept",
                             1,
                             {K},
                             .optional = 1,
                             .absent = !s->intercept,
                             .at = at,
                             .step = step},
                            {.key = "coef", 2, {K, s->D}, .at = at + first, .step = step},
                            {.key = "noise_variance", 1, {K}, .at = at + (size_t)p, .step = step}};

    memcpy(out, all, sizeof all);
    return (int32_t)(sizeof all / sizeof *all);
}

/* ---- where the rows of a component are ----
 *
 * Lambda has the sums of 1, x and x x' of its rows beside the prior's, from which mean and
 * covariance of the inputs follow, and those of the target by the line. Without an intercept rows
 * are counted by the noise, and inputs are about 0. */

static double mean_of(const mb_sizes *s, const double *one, int32_t x)
{
    const double *m = one + PAR_M, *Lambda = m + mb_linreg_coefficients_(s);
    double        sum = s->intercept ? m[0] : 0;

    if (x < s->D)
        return s->intercept ? Lambda[mb_packed_at_(x + 1, 0)] / Lambda[0] : 0;
    for (int32_t d = 0; d < s->D; d++)
        sum += m[s->intercept + d] * mean_of(s, one, d);
    return sum;
}

/* Of two inputs. */
static double covariance(const mb_sizes *s, const double *one, int32_t x, int32_t y)
{
    const double *Lambda = one + PAR_M + mb_linreg_coefficients_(s);
    const double  n = s->intercept ? Lambda[0] : 2 * one[PAR_A];

    return Lambda[mb_packed_at_(x > y ? x + s->intercept : y + s->intercept,
                                x > y ? y + s->intercept : x + s->intercept)] /
               n -
           mean_of(s, one, x) * mean_of(s, one, y);
}

static double component(const mb_sizes *s, const double *par, int32_t k, int32_t x, int32_t y)
{
    const double *one = line_par(s, par, k), *m = one + PAR_M + s->intercept;
    const int32_t D = s->D, last = x > y ? x : y, other = x > y ? y : x;
    double        sum = 0;

    if (y < 0)
        return mean_of(s, one, x);
    if (last < D)
        return covariance(s, one, x, y);
    for (int32_t i = 0; i < D; i++) {
        if (other < D)
            sum += m[i] * covariance(s, one, i, other);
        for (int32_t j = 0; other == D && j < D; j++)
            sum += m[i] * m[j] * covariance(s, one, i, j);
    }
    return sum + (other == D ? one[PAR_B] / one[PAR_A] : 0);
}

/* ---- tables for people ---- */

/* "noise: sd 0.3, 1.2, .." */
static mb_status note(mb_arena *a, const mb_posterior *p, const char **out, mb_err *err)
{
    enum { LISTED = 20 };
    const int32_t n = p->size.K < LISTED ? p->size.K : LISTED;

    *out = "noise: sd";
    for (int32_t k = 0; k < n && *out; k++) {
        const double *one = line_par(&p->size, p->par, k);

        *out = mb_text(a, err, "%s%s %#.3g", *out, k ? "," : "", sqrt(one[PAR_B] / one[PAR_A]));
    }
    if (*out && n < p->size.K)
        *out = mb_text(a, err, "%s, ..", *out);
    return *out ? MB_OK : MB_E_NOMEM;
}

static mb_status names(mb_arena *a, const mb_posterior *p, const char *const **out, mb_err *err)
{
    const int32_t first = p->size.intercept;
    const char  **name;

    MB_NEW(name, a, mb_linreg_coefficients_(&p->size), err);
    *out = name;
    for (int32_t j = 0; j < mb_linreg_coefficients_(&p->size); j++)
        name[j] = j < first ? "(intercept)" : p->column[j - first];
    return MB_OK;
}

/* The coefficients of each component, with their 95 % intervals. */
static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const mb_sizes *s = &p->size;
    const int32_t   n = mb_linreg_coefficients_(s);
    const size_t    all = (size_t)s->K * (size_t)n;
    double         *mean, *sd, *low, *high;

    MB_NEW(mean, a, all, err);
    MB_NEW(sd, a, all, err);
    MB_NEW(low, a, all, err);
    MB_NEW(high, a, all, err);
    MB_TRY(scales(a, s, p->par, sd, err));
    for (int32_t k = 0; k < s->K; k++) {
        const double *one = line_par(s, p->par, k);
        const double  dof = 2 * one[PAR_A], reach = mb_student_quantile(dof, 0.975);

        for (int32_t j = 0; j < n; j++) {
            const int32_t at = k * n + j;

            mean[at] = one[PAR_M + j];
            low[at] = mean[at] - reach * sd[at];
            high[at] = mean[at] + reach * sd[at];
            sd[at] *= dof > 2 ? sqrt(dof / (dof - 2)) : (double)NAN;
        }
    }
    out->columns = n;
    out->mean = mean;
    out->sd = sd;
    out->low = low;
    out->high = high;
    MB_TRY(names(a, p, &out->name, err));
    return note(a, p, &out->note, err);
}

/* How far the lines are apart: the largest distance of a coefficient, in its scales. */
static mb_status compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed column[] = {{"component", 'd', 18, 0},
                                       {"other", 'd', 18, 0},
                                       {"weight", 'g', 18, 6},
                                       {"other_weight", 'g', 18, 6},
                                       {"distance_in_scales", 'g', 18, 6}};
    const mb_sizes        *s = &p->size;
    const int32_t          n = mb_linreg_coefficients_(s);
    double                *x, *scale, *share;

    *out = (mb_listing){.rows = s->K, .columns = 5, .column = column};
    MB_NEW(x, a, 5 * (size_t)s->K, err);
    MB_NEW(scale, a, (size_t)s->K * (size_t)n, err);
    MB_NEW(share, a, 2 * (size_t)s->K, err);
    out->x = x;
    mb_shares(&mb_dirichlet, s->K, p->par, share);
    mb_shares(&mb_dirichlet, s->K, q->par, share + s->K);
    MB_TRY(scales(a, s, p->par, scale, err));
    for (int32_t k = 0; k < s->K; k++, x += 5) {
        const double *mine = line_par(s, p->par, k) + PAR_M;
        const double *its = line_par(s, q->par, other[k]) + PAR_M;

        x[0] = k;
        x[1] = other[k];
        x[2] = share[k];
        x[3] = share[s->K + other[k]];
        for (int32_t j = 0; j < n; j++)
            x[4] = fmax(x[4], fabs(mine[j] - its[j]) / scale[k * n + j]);
    }
    return MB_OK;
}

const mb_kind mb_kind_mixreg = {.name = "mixreg",
                                .title = "mixture of linear regressions",
                                .estimator = "RegressionMixture",
                                .targets = 1,
                                .opts = options,
                                .opt_size = sizeof(mb_mixreg_kind),
                                .numbers = numbers,
                                .units = mb_target_units_,
                                .prior = prior,
                                .model = model,
                                .fields = fields,
                                .derive = derive,
                                .drawn = drawn,
                                .component = component,
                                .compare = MB_TABLE_(compare),
                                .summary = MB_TABLE_(summarise)};
