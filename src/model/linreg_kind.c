/* linreg_kind.c - Bayesian linear regression as its users know it: options and prior, the names
 * of its parameters, and what follows from them. */
#include "base/text.h"
#include "expfam/expfam.h"
#include "model/export.h"
#include "model/linreg_par.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(mb_linreg_kind, field)

#define PRIORS "reference|empirical|weak|posterior:FILE.json"
enum { REFERENCE, EMPIRICAL, WEAK };

static const mb_opt options[] = {
    {"target-column", MB_OPT_TEXT, AT(target_column), NULL, 0, 0, "NAME[,NAME,..]", "", "", "y",
     "linreg: the column to explain by the others, or several, each for itself; of an NPY file the "
     "last"},
    {"linreg.targets", MB_OPT_INT, AT(targets), "0", 0, 10000, NULL, "columns", "math 25",
     "n_targets_",
     "linreg: how many are explained, the last columns of an NPY file; 0: as many as "
     "--target-column names, else one"},
    {"intercept", MB_OPT_CHOICE, AT(intercept), "on", 0, 0, "off|on", "", "", "fit_intercept",
     "linreg: a constant besides the inputs"},
    {"prior", MB_OPT_INPUT, AT(prior), "reference", 0, 0, PRIORS, "", "math 10", "",
     "linreg: reference: flat, so that coefficients, intervals and noise are those of least "
     "squares, with n - p degrees of freedom; empirical: coefficients with precision 1e-6 in "
     "columns of mean 0 and variance 1, which count as rows: n + 1 degrees of freedom; weak: the "
     "same from the range of each column; posterior: an earlier posterior. With relevance, with "
     "any "
     "of the options below, with at most as many rows as coefficients and for collinear inputs "
     "reference is empirical"},
    {"prior.a0", MB_OPT_AUTO, AT(a0), "auto", 1e-300, 1e12, NULL, "", "math 10", "alpha_1",
     "linreg: shape of the noise precision's gamma; auto = 0.5 (reference: none)"},
    {"prior.b0", MB_OPT_AUTO, AT(b0), "auto", 1e-300, 1e300, NULL, "data units squared", "math 10",
     "alpha_2", "linreg: its rate; auto = 1e-4 of the target's variance"},
    {"prior.m0", MB_OPT_TEXT, AT(m0), NULL, 0, 0, "A[,B,..]", "data units", "math 10", "",
     "linreg: prior mean of intercept and coefficients; without it flat at the mean of the rows"},
    {"prior.lambda0", MB_OPT_TEXT, AT(lambda0), NULL, 0, 0, "A[,B,..]", "data units", "math 10", "",
     "linreg: their prior precision, in units of the noise's: one number (times the identity) or "
     "p*p; without it 1e-6 in columns of mean 0 and variance 1"},
    {"linreg.relevance", MB_OPT_CHOICE, AT(relevance), "off", 0, 0, "off|on", "", "math 20", "",
     "linreg: on: the prior precision of each input's coefficient is found, so that inputs that "
     "explain nothing fade (automatic relevance determination)"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static int32_t targets(const mb_linreg_kind *o)
{
    int32_t n = 1;

    for (const char *c = o->target_column; c && *c; c++)
        n += *c == ',';
    return o->targets ? (int32_t)o->targets : n;
}

static void sizes(const void *opt, int32_t columns, mb_sizes *out)
{
    const mb_linreg_kind *o = opt;
    const int32_t         T = targets(o);

    *out = (mb_sizes){
        .D = columns - T, .targets = T, .intercept = o->intercept, .choice = {o->relevance}};
}

static mb_coefficient_prior_ coefficients(const mb_linreg_kind *o)
{
    return (mb_coefficient_prior_){o->m0, o->lambda0, o->m0_at, o->lambda0_at};
}

static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_linreg_kind       *o = opt;
    const mb_coefficient_prior_ prior = coefficients(o);
    const int32_t               T = targets(o);

    return mb_coefficient_numbers_(&prior, T, columns - T + o->intercept, out);
}

/* Without an intercept no coefficient can absorb a shift. The density is that of the targets alone. */
static void units(const mb_sizes *s, mb_units *run)
{
    if (!s->intercept)
        memset(run->origin, 0, (size_t)run->d * sizeof *run->origin);
    run->log_jacobian = 0;
    for (int32_t d = s->D; d < run->d; d++)
        run->log_jacobian += log(run->scale[d]);
}

static const double empirical = 1e-6; /* lambda0 of the empirical prior */
/* lambda0 and b0 of the reference prior: of no weight beside the rows, yet so large that rounding
 * leaves the matrix of a node with few rows positive definite. */
static const double reference = 1e-12;

/* The options that are given, in data units, replace the default in par. s: the sizes. */
static mb_status given(mb_arena *a, const mb_linreg_kind *o, const mb_sizes *s, double *par,
                       mb_err *err)
{
    const mb_coefficient_prior_ prior = coefficients(o);
    const int32_t p = mb_linreg_coefficients_(s), T = mb_linreg_T_(s->targets), d = s->D + T;

    if (!isnan(o->a0)) {
        par[PAR_A] = o->a0;
        MB_TRY(mb_check_positive_("a0", par[PAR_A], err));
    }
    for (int32_t t = 0; t < T; t++) {
        if (!isnan(o->b0))
            par[PAR_B + t] = o->b0;
        MB_TRY(mb_check_positive_("b0", par[PAR_B + t], err));
    }
    return mb_coefficient_prior_given_(a, &prior, d, T, p, par + PAR_B + T, err);
}

/* With relevance mean and precision of the coefficients are not the caller's. */
static mb_status refuse(const mb_linreg_kind *o, mb_err *err)
{
    if (o->relevance && (o->m0 || o->m0_at || o->lambda0 || o->lambda0_at))
        MB_FAIL(err, MB_E_ARG,
                "--prior.%s: with --linreg.relevance on the prior's mean is 0 and its precision is "
                "found; expected neither --prior.m0 nor --prior.lambda0",
                o->m0 || o->m0_at ? "m0" : "lambda0");
    return MB_OK;
}

/* 1 when a single option of the prior is given. */
static int is_given(const mb_linreg_kind *o)
{
    return !isnan(o->a0) || !isnan(o->b0) || o->m0 || o->m0_at || o->lambda0 || o->lambda0_at;
}

static int32_t sees(const void *opt)
{
    const mb_linreg_kind *o = opt;

    return !(o->prior && strcmp(o->prior, "reference") != 0) && !o->relevance && !is_given(o);
}

/* r (n numbers) := those of the covariance of column j with the first n, over both standard
 * deviations; without an intercept of the squares about 0. */
static void correlate(const mb_row_moments *seen, int32_t intercept, int32_t j, int32_t n,
                      double *r)
{
    const size_t d = (size_t)seen->d, row = (size_t)j * d;
    const double own = seen->cov[row + (size_t)j] + (intercept ? 0 : seen->mean[j] * seen->mean[j]);

    for (int32_t i = 0; i < n; i++) {
        const double shift = intercept ? 0 : seen->mean[i] * seen->mean[j];
        const double other =
            seen->cov[(size_t)i * d + (size_t)i] + (intercept ? 0 : seen->mean[i] * seen->mean[i]);

        r[i] = (seen->cov[row + (size_t)i] + shift) / (sqrt(own) * sqrt(other));
    }
}

/* Rows that there are almost surely: a node estimates their number from 64, to 13 %. */
static double sure_rows(const mb_row_moments *seen)
{
    return fmax(seen->weight, seen->sample_of / 1.5);
}

/* What is wrong with least squares of T targets on the D inputs before them; NULL: nothing. A sample of
 * no more rows than coefficients says nothing of how its columns depend on each other. */
static mb_status undetermined(mb_arena *a, const mb_sizes *s, const mb_row_moments *seen,
                              const char **what, mb_err *err)
{
    const double  least = 1e-12; /* of its variance, what the others do not explain of a column */
    const int32_t D = s->D, p = mb_linreg_coefficients_(s);
    double       *R, *r;
    int           collinear = 0, exact = 0, constant = 0;

    MB_NEW(R, a, (size_t)D * (size_t)D + 1, err);
    MB_NEW(r, a, (size_t)D + 1, err);
    *what = sure_rows(seen) > p ? NULL : "there are no more rows than coefficients";
    if (*what || !(seen->weight > p))
        return MB_OK;
    for (int32_t j = 0; j < D; j++)
        correlate(seen, s->intercept, j, j + 1, R + (size_t)j * (size_t)D);
    collinear = D > 0 && mb_chol_(R, D) != 0;
    for (int32_t j = 0; j < D && !collinear; j++)
        collinear = !(pow(R[(size_t)j * (size_t)(D + 1)], 2) > least);
    for (int32_t t = D; t < seen->d && !collinear; t++) {
        double rest = 1;

        correlate(seen, s->intercept, t, D, r);
        mb_chol_forward_(R, D, r);
        for (int32_t j = 0; j < D; j++)
            rest -= r[j] * r[j];
        constant |= !(seen->cov[(size_t)t * (size_t)(seen->d + 1)] > 0);
        exact |= !(rest > least);
    }
    *what = collinear  ? "an input is constant or collinear with others"
            : constant ? "a target is constant"
            : exact    ? "the inputs explain the target without noise"
                       : NULL;
    return MB_OK;
}

/* The prior's word, which is empirical where least squares do not determine the answer. */
static mb_status choose(mb_arena *a, const mb_linreg_kind *o, const mb_sizes *s,
                        const mb_row_moments *seen, int32_t *which, const char **warning,
                        mb_err *err)
{
    const char *what = NULL;

    MB_TRY(mb_prior_word_(o->prior, PRIORS, which, err));
    if (*which != REFERENCE)
        return MB_OK;
    *which = EMPIRICAL;
    if (!sees(o) || !seen->cov)
        return MB_OK;
    MB_TRY(undetermined(a, s, seen, &what, err));
    if (!what) {
        *which = REFERENCE;
        return MB_OK;
    }
    *warning =
        mb_text(a, err,
                "%s, so least squares have no answer with intervals: coefficients, noise and "
                "R2 depend on the proper prior that is used instead (--prior empirical); "
                "--linreg.relevance on finds which inputs matter",
                what);
    return *warning ? MB_OK : MB_E_NOMEM;
}

/* Textbook parameters of the prior in units u. */
static void fill(const mb_linreg_opt *o, int32_t which, double *par)
{
    mb_linreg_par_(o, par);
    if (which != REFERENCE)
        return;
    par[PAR_A] = -0.5 * (o->D + o->intercept);
    for (int32_t t = 0; t < mb_linreg_T_(o->targets); t++)
        par[PAR_B + t] = reference;
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_linreg_kind *own = opt;
    const int32_t         d = seen->d, T = targets(own);
    mb_linreg_opt         o = mb_linreg_defaults(d - T, own->intercept);
    const mb_layout      *l = &out->model.layout;
    double               *run_par;
    mb_sizes              s;
    mb_units              u;
    int32_t               which;

    sizes(opt, d, &s);
    MB_TRY(refuse(own, err));
    MB_TRY(choose(a, own, &s, seen, &which, &out->warning, err));
    u = (mb_units){.d = d, .origin = seen->middle, .scale = seen->spread};
    if (which != WEAK)
        MB_TRY(mb_prior_units_(a, own->intercept, seen, &u, err));
    o.lambda0 = which == WEAK ? o.lambda0 : which == EMPIRICAL ? empirical : reference;
    o.relevance = own->relevance;
    o.targets = T;
    MB_TRY(mb_linreg_new(a, &o, &out->model, err));
    MB_NEW(out->par, a, l->len, err);
    MB_NEW(run_par, a, l->len, err);
    fill(&o, which, out->par);
    memcpy(run_par, out->par, l->len * sizeof *run_par);
    mb_move_par(l, u.origin, u.scale, out->par);
    MB_TRY(given(a, own, &s, out->par, err));
    if (is_given(own))
        memcpy(run_par, out->par, l->len * sizeof *run_par);
    /* The default loses fewer digits than by way of data units. */
    MB_TRY(mb_par_to_units_(a, l, is_given(own) ? NULL : &u, run, run_par, err));
    return mb_linreg_prior_(a, run_par, &out->model, err);
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    mb_linreg_opt o = mb_linreg_defaults(s->D, s->intercept);

    o.relevance = s->choice[0];
    o.targets = s->targets;
    return mb_linreg_new(a, &o, out, err);
}

/* Of several targets the fields of each are lists, which T then precedes. */
static mb_field of_targets(const mb_sizes *s, mb_field f, size_t step)
{
    const int32_t T = mb_linreg_T_(s->targets);

    if (T == 1)
        return f;
    for (int32_t k = f.ndim; k > 0; k--)
        f.shape[k] = f.shape[k - 1];
    f.shape[0] = T;
    f.ndim++;
    f.by_target = 1;
    f.step = step;
    return f;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t D = s->D, p = mb_linreg_coefficients_(s), none = !s->intercept;
    const size_t  T = (size_t)mb_linreg_T_(s->targets), n = (size_t)p;
    const size_t  first = (size_t)s->intercept, m = PAR_B + T, lambda = m + T * n;
    const size_t  more = lambda + mb_svec_len_(p), alpha = T * n + 1 + T;

    *out++ = (mb_field){.key = "shape", .bounded = 1, .improper = 0.5 * p, .at = PAR_A};
    *out++ = of_targets(s, (mb_field){.key = "rate", .bounded = 1, .at = PAR_B}, 1);
    *out++ =
        of_targets(s, (mb_field){.key = "intercept", .optional = 1, .absent = none, .at = m}, n);
    *out++ = of_targets(s, (mb_field){.key = "coef", 1, {D}, .at = m + first, .step = 1}, n);
    *out++ = (mb_field){.key = "precision", 2, {p, p}, 1, .at = lambda};
    *out++ = of_targets(
        s, (mb_field){.key = "intercept_scale", .derived = 1, .optional = 1, .absent = none}, n);
    *out++ = of_targets(
        s, (mb_field){.key = "coef_scale", 1, {D}, .derived = 1, .at = first, .step = 1}, n);
    *out++ = (mb_field){.key = "degrees_of_freedom", .derived = 1, .at = T * n};
    *out++ = of_targets(s, (mb_field){.key = "noise_variance", .derived = 1, .at = T * n + 1}, 1);
    if (!s->choice[0])
        return 9;
    *out++ = (mb_field){.key = "relevance_mean", 1, {D}, .derived = 1, .at = alpha, .step = 1};
    *out++ = (mb_field){.key = "relevance_shape", 1, {D}, .bounded = 1, .at = more, .step = 2};
    *out++ = (mb_field){.key = "relevance_rate", 1, {D}, .bounded = 1, .at = more + 1, .step = 2};
    return 12;
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const int32_t T = mb_linreg_T_(s->targets);

    MB_TRY(mb_linreg_scales_of_(a, s, par, out, err));
    out += (size_t)T * (size_t)mb_linreg_coefficients_(s);
    *out++ = 2 * par[PAR_A];
    for (int32_t t = 0; t < T; t++)
        *out++ = mb_linreg_noise_(par, t);
    for (int32_t j = 0; s->choice[0] && j < s->D; j++)
        *out++ = mb_linreg_relevance_(s, par, j);
    return MB_OK;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const size_t   first = (size_t)s->intercept, n = (size_t)mb_linreg_coefficients_(s);
    const size_t   T = (size_t)mb_linreg_T_(s->targets);
    const mb_field all[] = {
        of_targets(s, (mb_field){.key = "intercept", .optional = 1, .absent = !s->intercept}, n),
        of_targets(s, (mb_field){.key = "coef", 1, {s->D}, .at = first, .step = 1}, n),
        of_targets(s, (mb_field){.key = "noise_variance", .at = T * n}, 1),
        {.key = "relevance", 1, {s->D}, .at = T * (n + 1), .step = 1}};

    memcpy(out, all, sizeof all);
    return (int32_t)(sizeof all / sizeof *all) - (s->choice[0] ? 0 : 1);
}

/* Middle and spread of the inputs from the precision, which holds the sums of x and x^2, and of the
 * targets from the regression there. Without an intercept the origin stays 0. */
static void own_units(const mb_sizes *s, const double *par, mb_units *u)
{
    const int32_t D = s->D, T = mb_linreg_T_(s->targets);
    const double *L = mb_linreg_lambda_(s, par), n = s->intercept ? L[0] : 2 * par[PAR_A];

    for (int32_t d = 0; d < D; d++) {
        const int32_t at = d + s->intercept;
        const double  o = s->intercept ? L[mb_packed_at_(at, 0)] / n : 0;
        const double  spread = L[mb_packed_at_(at, at)] / n - o * o;

        u->origin[d] = o;
        u->scale[d] = spread > 0 && isfinite(spread) ? sqrt(spread) : 1;
    }
    u->log_jacobian = 0;
    for (int32_t t = 0; t < T; t++) {
        const double *m = mb_linreg_mean_(s, par, t);

        u->origin[D + t] = s->intercept ? m[0] : 0;
        for (int32_t d = 0; d < D; d++)
            u->origin[D + t] += u->origin[d] * m[d + s->intercept];
        u->scale[D + t] = sqrt(par[PAR_B + t] / par[PAR_A]);
        u->log_jacobian += log(u->scale[D + t]);
    }
}

static const char *const relevances[] = {"off", "on", NULL};
static const mb_choice   choices[] = {{"relevance", "linreg.relevance", relevances},
                                      {NULL, NULL, NULL}};

const mb_kind mb_kind_linreg = {.name = "linreg",
                                .title = "Bayesian linear regression",
                                .target = 1,
                                .several = 1,
                                .opts = options,
                                .opt_size = sizeof(mb_linreg_kind),
                                .choices = choices,
                                .sizes = sizes,
                                .numbers = numbers,
                                .units = units,
                                .prior = prior,
                                .sees = sees,
                                .model = model,
                                .fields = fields,
                                .derive = derive,
                                .drawn = drawn,
                                .own_units = own_units,
                                .beside = MB_TABLE_(mb_linreg_beside_),
                                .summary = MB_TABLE_(mb_linreg_summary_),
                                .sklearn = MB_EXPORT_(mb_linreg_sklearn_)};
