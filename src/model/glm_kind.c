/* glm_kind.c - generalised linear models as their users know them: options and prior, the names of
 * their parameters, and what follows from them. */
#include "base/columns.h"
#include "expfam/expfam.h"
#include "model/glm.h"
#include "model/linreg_par.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(mb_glm_kind, field)

#define PRIORS "empirical|posterior:FILE.json"

static const mb_opt options[] = {
    {"target-column", MB_OPT_TEXT, AT(target_column), NULL, 0, 0, "NAME", "", "", "y",
     "glm: the column to explain by the others; of an NPY file the last"},
    {"glm.link", MB_OPT_CHOICE, AT(link), "logistic", 0, 0, "logistic|poisson|multinomial", "",
     "math 21, 28", "",
     "glm: logistic: a target of 0 or 1, or of two words, whose second the coefficients are of; "
     "poisson: a count, the logarithm of whose expectation is "
     "linear in the inputs; multinomial: a category, whose log odds of each level against the "
     "first "
     "are linear"},
    {"intercept", MB_OPT_CHOICE, AT(intercept), "on", 0, 0, "off|on", "", "", "fit_intercept",
     "glm: a constant besides the inputs"},
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, PRIORS, "", "math 21", "",
     "glm: empirical: coefficients of mean 0 and standard deviation 10 in columns of mean 0 and "
     "variance 1; posterior: a former answer. Single options win over the first"},
    {"prior.m0", MB_OPT_TEXT, AT(m0), NULL, 0, 0, "A[,B,..]", "data units", "math 21", "",
     "glm: prior mean of intercept and coefficients, of each level of a category; without it 0 at "
     "the mean of the rows"},
    {"prior.lambda0", MB_OPT_TEXT, AT(lambda0), NULL, 0, 0, "A[,B,..]", "data units", "math 21", "",
     "glm: their prior precision: one number (times the identity) or p*p; without it 0.01 in "
     "columns of mean 0 and variance 1"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static void sizes(const void *opt, int32_t columns, mb_sizes *out)
{
    const mb_glm_kind *o = opt;

    *out = (mb_sizes){.D = columns - 1, .intercept = o->intercept, .choice = {o->link}};
}

static mb_coefficient_prior_ coefficients(const mb_glm_kind *o)
{
    return (mb_coefficient_prior_){o->m0, o->lambda0, o->m0_at, o->lambda0_at};
}

static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_glm_kind          *o = opt;
    const mb_coefficient_prior_ prior = coefficients(o);

    return mb_coefficient_numbers_(&prior, 1, columns - 1 + o->intercept, out);
}

/* The target stays as it is. Without an intercept no coefficient can absorb a shift. */
static void units(const mb_sizes *s, mb_units *run)
{
    const int32_t last = run->d - 1;

    if (!s->intercept)
        memset(run->origin, 0, (size_t)run->d * sizeof *run->origin);
    run->origin[last] = 0;
    run->scale[last] = 1;
    run->log_jacobian = 0;
}

/* Categories are known, and inputs are numbers: sizes may come from a file. */
static mb_status check_columns(const mb_sizes *s, mb_err *err)
{
    const mb_column *levels = mb_glm_levels_(s);
    const int        most = s->choice[0] == MB_LINK_MULTINOMIAL ? MB_GLM_LEVELS_ : 2;

    if (!levels)
        MB_FAIL(err, MB_E_ARG,
                "the target's categories are not known; expected --column NAME:category(a|b|c)");
    if (levels->levels < 2 || levels->levels > most)
        MB_FAIL(err, MB_E_ARG, "the target has %d categor%s%s%.60s%s; expected %s",
                (int)levels->levels, levels->levels == 1 ? "y" : "ies",
                levels->levels == 1 ? ", \"" : "", levels->levels == 1 ? levels->level[0] : "",
                levels->levels == 1 ? "\"" : "",
                most == 2 ? "2 (--glm.link multinomial takes more)" : "2 to 100");
    for (int32_t d = 0; d < s->D; d++)
        if (mb_columns_kind(s->columns, d) != MB_COLUMN_NUMBER)
            MB_FAIL(err, MB_E_ARG, "input %d is a %s; expected numbers beside the target",
                    (int)d + 1, mb_column_word(mb_columns_kind(s->columns, d)));
    return MB_OK;
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    mb_glm_opt o = mb_glm_defaults(s->D, s->intercept);

    o.link = (mb_link)s->choice[0];
    if (o.link == MB_LINK_MULTINOMIAL || mb_glm_levels_(s))
        MB_TRY(check_columns(s, err));
    if (o.link == MB_LINK_MULTINOMIAL) {
        o.levels = mb_glm_predictors_(s) + 1;
    }
    return mb_glm_new(a, &o, out, err);
}

/* The prior of the coefficients of one predictor, data units. */
static mb_status one_predictor(mb_arena *a, const mb_glm_kind *own, const mb_row_moments *seen,
                               double **out, mb_err *err)
{
    const int32_t               d = seen->d, p = d - 1 + own->intercept;
    const mb_coefficient_prior_ given = coefficients(own);
    const mb_glm_opt            o = mb_glm_defaults(d - 1, own->intercept);
    mb_model                    m;
    mb_units                    u;

    MB_TRY(mb_prior_units_(a, own->intercept, seen, &u, err));
    MB_TRY(mb_glm_new(a, &o, &m, err));
    MB_NEW(*out, a, m.layout.len, err);
    for (int32_t i = 0; i < p; i++)
        (*out)[p + (int32_t)mb_packed_at_(i, i)] = o.lambda0;
    mb_move_par(&m.layout, u.origin, u.scale, *out);
    return mb_coefficient_prior_given_(a, &given, d, 1, p, *out, err);
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_glm_kind *own = opt;
    const int32_t      d = seen->d, p = d - 1 + own->intercept;
    const mb_layout   *l = &out->model.layout;
    double            *one, *run_par;
    mb_sizes           s;
    int32_t            which;

    sizes(opt, d, &s);
    s.columns = seen->kinds;
    MB_TRY(mb_prior_word_(own->prior, PRIORS, &which, err));
    MB_TRY(model(a, &s, &out->model, err));
    MB_TRY(one_predictor(a, own, seen, &one, err));
    MB_NEW(out->par, a, l->len, err);
    MB_NEW(run_par, a, l->len, err);
    mb_glm_repeat_(mb_glm_predictors_(&s), p, one, out->par);
    memcpy(run_par, out->par, l->len * sizeof *run_par);
    MB_TRY(mb_par_to_units_(a, l, NULL, run, run_par, err));
    if (mb_model_prior(a, run_par, &out->model, err) < 0)
        MB_FAIL(err, MB_E_ARG,
                "--prior.lambda0: the prior cannot be held in double precision in columns of a "
                "common origin and scale");
    return MB_OK;
}

/* Of a category each field has an item for each level but the first. */
static mb_field over_levels(const mb_sizes *s, mb_field f)
{
    if (s->choice[0] == MB_LINK_MULTINOMIAL) {
        f.shape[1] = f.shape[0];
        f.shape[0] = mb_glm_predictors_(s);
        f.ndim++;
        f.step = (size_t)mb_linreg_coefficients_(s);
        f.by_target = 1;
    }
    return f;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  D = s->D, q = mb_glm_predictors_(s) * mb_linreg_coefficients_(s);
    const int32_t  none = !s->intercept;
    const size_t   first = (size_t)s->intercept;
    const mb_field all[] = {
        over_levels(s, (mb_field){.key = "intercept", .optional = 1, .absent = none}),
        over_levels(s, (mb_field){.key = "coef", 1, {D}, .at = first, .step = 1}),
        {.key = "precision", 2, {q, q}, 1, .at = (size_t)q},
        over_levels(s,
                    (mb_field){.key = "intercept_sd", .derived = 1, .optional = 1, .absent = none}),
        over_levels(s, (mb_field){.key = "coef_sd", 1, {D}, .derived = 1, .at = first, .step = 1})};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    out[0] = over_levels(s, (mb_field){.key = "intercept", .optional = 1, .absent = !s->intercept});
    out[1] =
        over_levels(s, (mb_field){.key = "coef", 1, {s->D}, .at = (size_t)s->intercept, .step = 1});
    return 2;
}

/* Middle and spread of the inputs from the precision, which holds weighted sums of x and x^2; of a
 * category from its second level's. The target stays as it is, as does all without an intercept. */
static void own_units(const mb_sizes *s, const double *par, mb_units *u)
{
    const double *P = par + mb_glm_predictors_(s) * mb_linreg_coefficients_(s);

    for (int32_t d = 0; s->intercept && d < s->D; d++) {
        const double o = P[mb_packed_at_(d + 1, 0)] / P[0];
        const double spread = P[mb_packed_at_(d + 1, d + 1)] / P[0] - o * o;

        u->origin[d] = o;
        u->scale[d] = spread > 0 && isfinite(spread) ? sqrt(spread) : 1;
    }
}

static const char *const links[] = {"logistic", "poisson", "multinomial", NULL}; /* mb_link */
static const mb_choice   choices[] = {{"link", "glm.link", links}, {NULL, NULL, NULL}};

static double mean_at(const mb_sizes *s, double eta)
{
    return s->choice[0] == MB_LINK_POISSON ? exp(eta) : 1 / (1 + exp(-eta));
}

static mb_column_kind explains(const mb_sizes *s)
{
    static const mb_column_kind of[] = {MB_COLUMN_FLAG, MB_COLUMN_COUNT, MB_COLUMN_CATEGORY};

    return mb_glm_levels_(s) ? MB_COLUMN_CATEGORY : of[s->choice[0]]; /* mb_link */
}

const mb_kind mb_kind_glm = {
    .name = "glm",
    .title = "generalised linear model: logistic, Poisson or softmax regression",
    .target = 1,
    .explains = explains,
    .opts = options,
    .opt_size = sizeof(mb_glm_kind),
    .choices = choices,
    .sizes = sizes,
    .numbers = numbers,
    .units = units,
    .prior = prior,
    .mean_at = mean_at,
    .model = model,
    .fields = fields,
    .derive = mb_glm_sds_,
    .drawn = drawn,
    .own_units = own_units,
    .beside = MB_TABLE_(mb_glm_beside_),
    .summary = MB_TABLE_(mb_glm_summary_)};
