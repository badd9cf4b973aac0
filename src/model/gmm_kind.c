/* gmm_kind.c - the mixture of Gaussians as its users know it: options and prior, the names
 * of its parameters, what follows from them, and tables of them. */
#include "meshbayes/num.h"
#include "model/export.h"
#include "model/gmm_start.h"
#include "model/prior.h"
#include "num/num.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(mb_gmm_kind, field)

static const mb_opt options[] = {
    {"n-components", MB_OPT_INT, AT(n_components), "2", 1, 10000, NULL, "components", "",
     "n_components",
     "number of mixture components K; fit and sim also take a list (2,4,8) or a range (1..8), fit "
     "auto: each is run and the best lower bound is taken"},
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, MB_GMM_PRIORS_, "", "", "",
     "empirical: scikit-learn's, from mean and covariance of all rows (meshbayes help empirical); "
     "weak: middle and a quarter of the range; paper: alpha0 = beta0 = mu0 = w0inv = 1e-5, nu0 = D "
     "+ 1; posterior: a former answer, component by component. Single options win over the first "
     "three"},
    {"prior.alpha0", MB_OPT_AUTO, AT(alpha0), "auto", 1e-300, 1e12, NULL, "", "App. A",
     "weight_concentration_prior", "Dirichlet concentration of each component; auto = 1/K"},
    {"prior.beta0", MB_OPT_AUTO, AT(beta0), "auto", 1e-300, 1e12, NULL, "", "App. A",
     "mean_precision_prior", "strength of the prior mean, in rows; auto = 1"},
    {"prior.mu0", MB_OPT_TEXT, AT(mu0), NULL, 0, 0, "A,B,..", "data units", "App. A", "mean_prior",
     "prior mean: one number or D; without it the mean of the rows"},
    {"prior.nu0", MB_OPT_AUTO, AT(nu0), "auto", 0, 1e12, NULL, "", "App. A",
     "degrees_of_freedom_prior", "degrees of freedom, above D - 1; auto = D, weak D + 2"},
    {"prior.w0inv", MB_OPT_TEXT, AT(w0inv), NULL, 0, 0, "A[,B,..]", "data units squared", "App. A",
     "covariance_prior",
     "W0^-1: one number (times the identity) or D*D; without it the covariance of the rows"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* par: K concentrations, then each component's normal-Wishart [nu, beta, m, tril(W^-1)]. */
enum { PAR_NU, PAR_BETA, PAR_M };

static size_t slice(const mb_sizes *s)
{
    return PAR_M + (size_t)s->D + mb_svec_len_(s->D);
}

static const double *component(const mb_sizes *s, const double *par, int32_t k)
{
    return par + s->K + (size_t)k * slice(s);
}

static double total(const mb_sizes *s, const double *par)
{
    double sum = 0;

    for (int32_t k = 0; k < s->K; k++)
        sum += par[k];
    return sum;
}

/* Entry (i, j) of the expected covariance of a component c. */
static double covariance(const mb_sizes *s, const double *c, int32_t i, int32_t j)
{
    return c[PAR_M + (size_t)s->D + mb_packed_at_(i, j)] / c[PAR_NU];
}

static void sizes(const void *opt, int32_t columns, mb_sizes *out)
{
    *out = (mb_sizes){.K = (int32_t)((const mb_gmm_kind *)opt)->n_components, .D = columns};
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    const mb_gmm_opt o = mb_gmm_defaults(s->K, s->D);

    return mb_gmm_new(a, &o, out, err);
}

enum { CONCENTRATION, WEIGHTS, PRECISION, DEGREES, MEANS, COVARIANCES, W_INVERSE };

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    const size_t   at = (size_t)K, step = slice(s);
    const mb_field all[] = {
        {.key = "weight_concentration", 1, {K}, .bounded = 1, .step = 1},
        {.key = "weights", 1, {K}, .derived = 1, .step = 1},
        {.key = "mean_precision", 1, {K}, .bounded = 1, .at = at + PAR_BETA, .step = step},
        {.key = "degrees_of_freedom", 1, {K}, .bounded = 1, .above = D - 1, .at = at, .step = step},
        {.key = "means", 2, {K, D}, .at = at + PAR_M, .step = step},
        {.key = "covariances", 3, {K, D, D}, 1, .derived = 1, .at = at, .step = mb_svec_len_(D)},
        {.key = "w_inverse", 3, {K, D, D}, 1, .at = at + PAR_M + (size_t)D, .step = step}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const double sum = total(s, par);
    double      *cov = out + s->K;

    (void)a, (void)err;
    for (int32_t k = 0; k < s->K; k++) {
        const double *c = component(s, par, k);

        out[k] = par[k] / sum;
        for (size_t l = 0; l < mb_svec_len_(s->D); l++)
            *cov++ = c[PAR_M + (size_t)s->D + l] / c[PAR_NU];
    }
    return MB_OK;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    const size_t   at = (size_t)K, step = (size_t)D + mb_svec_len_(D);
    const mb_field all[] = {
        {.key = "weight", 1, {K}, .step = 1},
        {.key = "mean", 2, {K, D}, .at = at, .step = step},
        {.key = "covariance", 3, {K, D, D}, 1, .at = at + (size_t)D, .step = step}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Middle and spread of the whole mixture. */
static void own_units(const mb_sizes *s, const double *par, mb_units *u)
{
    const double sum = total(s, par);

    for (int32_t d = 0; d < s->D; d++) {
        double spread = 0;

        for (int32_t k = 0; k < s->K; k++)
            u->origin[d] += par[k] / sum * component(s, par, k)[PAR_M + d];
        for (int32_t k = 0; k < s->K; k++) {
            const double *c = component(s, par, k);
            const double  gap = c[PAR_M + d] - u->origin[d];

            spread += par[k] / sum * (gap * gap + covariance(s, c, d, d));
        }
        u->scale[d] = spread > 0 && isfinite(spread) ? sqrt(spread) : 1;
        u->log_jacobian += log(u->scale[d]);
    }
}

static int before(const mb_sizes *s, const double *par, int32_t a, int32_t b)
{
    const double *ma = component(s, par, a) + PAR_M, *mb = component(s, par, b) + PAR_M;

    for (int32_t d = 0; d < s->D; d++)
        if (ma[d] < mb[d] || ma[d] > mb[d])
            return ma[d] < mb[d];
    return a < b;
}

static void components_on(const mb_sizes *s, const double *par, int32_t x, int32_t y,
                          mb_component *out)
{
    const double sum = total(s, par);

    for (int32_t k = 0; k < s->K; k++) {
        const double *c = component(s, par, k);

        out[k] = (mb_component){
            .weight = par[k] / sum,
            .mean = {c[PAR_M + x], c[PAR_M + y]},
            .cov = {covariance(s, c, x, x), covariance(s, c, x, y), covariance(s, c, y, y)}};
    }
}

/* v' E[Lambda] v for component k of mu = E[u], where -Lambda mu and Lambda are rows of svec(U). */
static double squared(const mb_sizes *s, const double *mu, int32_t k, const double *v)
{
    const double *u = component(s, mu, k) + 1 + 1; /* E ln |Lambda|, then row 0 of U */
    double        sum = 0;

    for (int32_t i = 0; i < s->D; i++) {
        u++;
        for (int32_t j = 0; j <= i; j++)
            sum += (i == j ? 1 : sqrt(2)) * *u++ * v[i] * v[j];
    }
    return sum;
}

static mb_status beside(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                        const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed column[] = {
        {"component", 'd', 18, 0},     {"other", 'd', 18, 0},
        {"weight", 'g', 18, 6},        {"other_weight", 'g', 18, 6},
        {"mean_distance", 'g', 18, 6}, {"mean_distance_sd", 'g', 18, 6}};
    const mb_layout *l = &p->model.layout;
    const double     sum = total(&p->size, p->par), its = total(&q->size, q->par);
    double          *mu, *scratch, *apart, *x;

    *out = (mb_listing){.rows = p->size.K, .columns = 6, .column = column};
    MB_NEW(mu, a, l->len, err);
    MB_NEW(scratch, a, l->scratch, err);
    MB_NEW(apart, a, p->size.D, err);
    MB_NEW(out->x, a, 6 * (size_t)p->size.K, err);
    MB_TRY(mb_moments(l, p->phi, mu, NULL, scratch, err));
    x = out->x;
    for (int32_t k = 0; k < p->size.K; k++, x += 6) {
        const double *mine = component(&p->size, p->par, k) + PAR_M;
        const double *theirs = component(&q->size, q->par, other[k]) + PAR_M;

        for (int32_t d = 0; d < p->size.D; d++) {
            apart[d] = mine[d] - theirs[d];
            x[4] = hypot(x[4], apart[d]);
            apart[d] /= p->units.scale[d];
        }
        x[0] = k;
        x[1] = other[k];
        x[2] = p->par[k] / sum;
        x[3] = q->par[other[k]] / its;
        x[5] = sqrt(squared(&p->size, mu, k, apart));
    }
    return MB_OK;
}

/* A component's rows are what its concentration has gained on the prior's. */
static mb_status summary(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    double *count;

    MB_NEW(count, a, p->size.K, err);
    for (int32_t k = 0; k < p->size.K; k++)
        count[k] = p->prior_par ? fmax(0, p->par[k] - p->prior_par[k]) : (double)NAN;
    out->count = count;
    return MB_OK;
}

static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_gmm_kind *o = opt;
    const size_t       D = (size_t)columns;

    out[0] = (mb_numbers){"prior.mu0", o->mu0_at, D};
    out[1] = (mb_numbers){"prior.w0inv", o->w0inv_at, D * D};
    return 2;
}

static const mb_want wants[] = {MB_WANT_LABEL, MB_WANT_RESP};

const mb_kind mb_kind_gmm = {.name = "gmm",
                             .title = "mixture of Gaussians",
                             .latent = 1,
                             .opts = options,
                             .opt_size = sizeof(mb_gmm_kind),
                             .sizes = sizes,
                             .numbers = numbers,
                             .prior = mb_gmm_prior_,
                             .sees = mb_gmm_sees_,
                             .start_len = mb_gmm_start_len_,
                             .start_from = mb_gmm_start_from_,
                             .start_resp = mb_gmm_start_resp_,
                             .wants = wants,
                             .nwants = sizeof wants / sizeof *wants,
                             .model = model,
                             .fields = fields,
                             .derive = derive,
                             .drawn = drawn,
                             .own_units = own_units,
                             .before = before,
                             .components_on = components_on,
                             .beside = beside,
                             .summary = summary,
                             .sklearn = MB_EXPORT_(mb_gmm_sklearn_)};
