/* gmm_kind.c - the mixture of Gaussians as its users know it: options and prior, the names
 * of its parameters, what follows from them, and tables of them. */
#include "meshbayes/num.h"
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
    {"prior", MB_OPT_CHOICE, AT(prior), "default", 0, 0, "default|paper", "", "", "",
     "paper: alpha0 = beta0 = 1e-5, mu0 = 1e-5, nu0 = D + 1, w0inv = 1e-5; single options win"},
    {"prior.alpha0", MB_OPT_AUTO, AT(alpha0), "auto", 1e-300, 1e12, NULL, "", "App. A",
     "weight_concentration_prior", "Dirichlet concentration of each component; auto = 1/K"},
    {"prior.beta0", MB_OPT_AUTO, AT(beta0), "auto", 1e-300, 1e12, NULL, "", "App. A",
     "mean_precision_prior", "strength of the prior mean, in rows; auto = 1"},
    {"prior.mu0", MB_OPT_TEXT, AT(mu0), NULL, 0, 0, "A,B,..", "data units", "App. A", "mean_prior",
     "prior mean: one number or D; without it the agreed origin"},
    {"prior.nu0", MB_OPT_AUTO, AT(nu0), "auto", 0, 1e12, NULL, "", "App. A",
     "degrees_of_freedom_prior", "degrees of freedom, above D - 1; auto = D + 2"},
    {"prior.w0inv", MB_OPT_TEXT, AT(w0inv), NULL, 0, 0, "A[,B,..]", "data units squared", "App. A",
     "covariance_prior",
     "W0^-1: one number (times the identity) or D*D; without it diag(agreed scale^2)"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const double paper = 1e-5; /* alpha0, beta0, mu0 and w0inv of the paper's experiments */

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

/* mu0 (D) in data units: given, the paper's, or the agreed origin. */
static mb_status prior_mean(const mb_gmm_kind *o, const mb_units *agreed, double *mu0, mb_err *err)
{
    const int32_t D = agreed->d;

    for (int32_t d = 0; d < D; d++)
        mu0[d] = o->prior ? paper : agreed->origin[d];
    MB_TRY(mb_given_numbers_("prior.mu0", o->mu0, o->mu0_at, D, D, 1, mu0, err));
    for (int32_t d = 0; d < D; d++)
        if (!(fabs(mu0[d]) <= MB_VALUE_MAX))
            MB_FAIL(err, MB_E_ARG, "--prior.mu0: entry %d, %g, is too large; expected up to %g",
                    d + 1, mu0[d], MB_VALUE_MAX);
    return MB_OK;
}

static double automatic(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *agreed, const mb_units *run,
                       const mb_row_moments *seen, mb_model *out, double **par, mb_err *err)
{
    const mb_gmm_kind *own = opt;
    const int32_t      D = agreed->d;
    const size_t       n = (size_t)D;
    mb_gmm_opt         o = mb_gmm_defaults((int32_t)own->n_components, D);
    double            *mu0, *w0inv;

    (void)seen;
    (void)par; /* those of out */
    MB_NEW(mu0, a, n, err);
    MB_NEW(w0inv, a, n * n, err);
    MB_TRY(prior_mean(own, agreed, mu0, err));
    for (size_t d = 0; d < n; d++) /* W0^-1: given, the paper's 1e-5 I, or diag(scale^2) */
        w0inv[d * n + d] = own->prior ? paper : agreed->scale[d] * agreed->scale[d];
    MB_TRY(mb_given_numbers_("prior.w0inv", own->w0inv, own->w0inv_at, D, (int32_t)(n * n), D + 1,
                             w0inv, err));
    for (size_t d = 0; d < n; d++)
        mu0[d] = (mu0[d] - run->origin[d]) / run->scale[d];
    for (size_t e = 0; e < n * n; e++)
        w0inv[e] /= run->scale[e / n] * run->scale[e % n];
    o.alpha0 = automatic(own->alpha0, own->prior ? paper : o.alpha0);
    o.beta0 = automatic(own->beta0, own->prior ? paper : o.beta0);
    o.nu0 = automatic(own->nu0, own->prior ? D + 1 : o.nu0);
    o.mu0 = mu0;
    o.w0inv = w0inv;
    return mb_gmm_new(a, &o, out, err);
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

enum { SHOWN = 8 }; /* columns of the means that fit a line */

/* How wide a column is; names may be wider than a number. */
static int32_t width(const char *name)
{
    const size_t len = strlen(name);

    return len < 10 ? 10 : len > 24 ? 24 : (int32_t)len;
}

static mb_status table(mb_arena *a, const mb_posterior *p, mb_listing *out, mb_err *err)
{
    const mb_sizes *s = &p->size;
    const int32_t   shown = s->D < SHOWN ? s->D : SHOWN;
    const double    sum = total(s, p->par);
    mb_listed      *column;
    double         *x;

    MB_NEW(column, a, shown + 1, err);
    MB_NEW(x, a, (size_t)s->K * ((size_t)shown + 1), err);
    *out = (mb_listing){.rows = s->K, .columns = shown + 1, .column = column, .x = x};
    column[0] = (mb_listed){"weight", 'f', -9, 4};
    for (int32_t d = 0; d < shown; d++)
        column[1 + d] = (mb_listed){p->column[d], 'g', width(p->column[d]), 5};
    for (int32_t k = 0; k < s->K; k++) {
        *x++ = p->par[k] / sum;
        for (int32_t d = 0; d < shown; d++)
            *x++ = component(s, p->par, k)[PAR_M + d];
    }
    if (shown == s->D)
        return MB_OK;
    out->more = 1;
    out->note = mb_text(a, err, "(%d of %d features; all are in the posterior)", shown, s->D);
    return out->note ? MB_OK : MB_E_NOMEM;
}

/* Scikit-learn's is the upper factor U of each precision, nu W = U U' = (C C')^-1. */
static mb_status precisions(mb_arena *a, const mb_array *cov, const double **out, mb_err *err)
{
    const int32_t K = (int32_t)cov->shape[0], D = (int32_t)cov->shape[1];
    const size_t  d = (size_t)D;
    double       *C, *Cinv, *U;

    MB_NEW(C, a, d * d, err);
    MB_NEW(Cinv, a, d * d, err);
    MB_NEW(U, a, (size_t)K * d * d, err);
    *out = U;
    for (int32_t k = 0; k < K; k++, U += d * d) {
        MB_TRY(mb_cholesky(D, cov->x + (size_t)k * d * d, C, Cinv, err));
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                U[i * d + j] = Cinv[j * d + i];
    }
    return MB_OK;
}

/* The prior is the same for all components; W0^-1 is what scikit-learn calls a covariance. */
static const struct {
    int         field;
    const char *name, *prior;
} attributes[] = {{WEIGHTS, "weights_", NULL},
                  {CONCENTRATION, "weight_concentration_", "weight_concentration_prior_"},
                  {PRECISION, "mean_precision_", "mean_precision_prior_"},
                  {DEGREES, "degrees_of_freedom_", "degrees_of_freedom_prior_"},
                  {MEANS, "means_", "mean_prior_"},
                  {COVARIANCES, "covariances_", NULL},
                  {W_INVERSE, NULL, "covariance_prior_"}};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

static mb_status sklearn(mb_arena *a, const mb_posterior *p, mb_array **out, int32_t *count,
                         mb_err *err)
{
    mb_array *mine, *before, *to;
    int32_t   n;

    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, p->par, &mine, &n, err));
    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, p->prior_par, &before, &n, err));
    MB_NEW(to, a, 2 * ATTRIBUTES, err);
    *out = to;
    for (int k = 0; k < ATTRIBUTES; k++)
        if (attributes[k].name) {
            *to = mine[attributes[k].field];
            to++->name = attributes[k].name;
        }
    *to = mine[COVARIANCES];
    MB_TRY(precisions(a, &mine[COVARIANCES], &to->x, err));
    to++->name = "precisions_cholesky_";
    for (int k = 0; k < ATTRIBUTES; k++)
        if (attributes[k].prior) { /* of the first component */
            *to = before[attributes[k].field];
            to->ndim--;
            memmove(to->shape, to->shape + 1, 2 * sizeof *to->shape);
            to++->name = attributes[k].prior;
        }
    *count = (int32_t)(to - *out);
    return MB_OK;
}

static const mb_want wants[] = {MB_WANT_LABEL, MB_WANT_RESP};

const mb_kind mb_kind_gmm = {.name = "gmm",
                             .title = "mixture of Gaussians",
                             .latent = 1,
                             .opts = options,
                             .opt_size = sizeof(mb_gmm_kind),
                             .sizes = sizes,
                             .prior = prior,
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
                             .table = table,
                             .sklearn = sklearn};
