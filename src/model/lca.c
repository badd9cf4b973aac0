/* lca.c - latent classes: a mixture whose columns are independent within a class, numbers, counts,
 * categories and flags.
 *
 * Layout: dirichlet.1 or sticks.1 of the weights; then, where there are such columns, a block of K
 * slices of numbers (normal-gamma-diag.1, one column each), of counts (gamma.1), and of categories
 * and flags (dirichlet.1 of as many entries as the column has levels). */
#include "base/columns.h"
#include "base/gaps.h"
#include "base/text.h"
#include "model/columns.h"
#include "model/components.h"
#include "model/gmm_form.h"
#include "model/gmm_options.h"
#include "model/kind.h"
#include "model/prior.h"
#include "model/product.h"
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Textbook numbers of the prior, one for each column of its kind, in the units of the run. */
typedef struct lca_prior {
    double        alpha0, beta0, nu0, a0, share0;
    const double *mean; /* D: of numbers and counts; NULL: 0 of numbers, 1 of counts */
    const double *var;  /* D: of numbers; NULL: 1                                    */
} lca_prior;

/* ---- the model ---- */

static lca_prior defaults(int32_t K)
{
    return (lca_prior){.alpha0 = K > 0 ? 1.0 / K : 1, .beta0 = 1, .nu0 = 1, .a0 = 1, .share0 = 1};
}

static mb_status check(const lca_prior *o, mb_err *err)
{
    MB_TRY(mb_check_positive_("alpha0", o->alpha0, err));
    MB_TRY(mb_check_positive_("beta0", o->beta0, err));
    MB_TRY(mb_check_positive_("nu0", o->nu0, err));
    MB_TRY(mb_check_positive_("a0", o->a0, err));
    return mb_check_positive_("share0", o->share0, err);
}

/* ---- how the columns are explained: a line for each kind of component ---- */

static void number_prior(const lca_prior *o, double mean, double variance, int32_t n, double *par)
{
    (void)n;
    par[0] = 0.5 * o->nu0;
    par[1] = 0.5 * o->nu0 * variance;
    par[2] = mean;
    par[3] = o->beta0;
}

static void count_prior(const lca_prior *o, double mean, double variance, int32_t n, double *par)
{
    (void)variance, (void)n;
    par[0] = o->a0;
    par[1] = o->a0 / mean;
}

static void share_prior(const lca_prior *o, double mean, double variance, int32_t n, double *par)
{
    (void)mean, (void)variance;
    for (int32_t l = 0; l < n; l++)
        par[l] = o->share0;
}

/* How far two classes are apart: of means m, of the first class with variance v, and n. */
static double in_deviations(double m, double v, double n)
{
    return fabs(m - n) / sqrt(v);
}

static double as_ratio(double m, double v, double n)
{
    (void)v;
    return fmax(m / n, n / m);
}

static double as_difference(double m, double v, double n)
{
    (void)v;
    return fabs(m - n);
}

static const struct component {
    void (*prior)(const lca_prior *o, double mean, double variance, int32_t n, double *par);
    const char *apart; /* in tables: how far two classes are apart, at most */
    double (*distance)(double m, double v, double n);
    double mean; /* of the prior, where no moments of the rows are known */
} component[] = {{number_prior, "mean_distance_sd", in_deviations, 0},
                 {count_prior, "count_ratio", as_ratio, 1},
                 {share_prior, "share_difference", as_difference, 0}};
static const mb_emission *const emissions[] = {&mb_gaussian_columns_, &mb_poisson_columns_,
                                               &mb_category_columns_, NULL};
enum { COMPONENTS = sizeof component / sizeof *component };
_Static_assert(sizeof emissions / sizeof *emissions == (size_t)COMPONENTS + 1,
               "a component has a line in both tables");

/* Textbook parameters of the prior: the same for all classes. */
static void fill_prior(const mb_sizes *s, const lca_prior *o, double *par)
{
    const size_t entry = mb_kind_weights(&mb_kind_lca, s)->weights->entry;

    for (int32_t k = 0; k < s->K; k++) {
        mb_cell c = {.kind = &mb_kind_lca, .s = s, .par = par, .k = k};
        double *weight = par + (size_t)k * entry;

        weight[0] = 1; /* v ~ Beta(1, alpha0) */
        weight[entry - 1] = o->alpha0;
        while (mb_cell_next(&c))
            component[c.e].prior(o, o->mean ? o->mean[c.d - 1] : component[c.e].mean,
                                 o->var ? o->var[c.d - 1] : 1, c.levels, par + (c.at - par));
    }
}

/* MB_E_ARG names the size or the number that is wrong. */
static mb_status new (mb_arena *a, const mb_sizes *s, const lca_prior *o, mb_model *out,
                      mb_err *err)
{
    const mb_emission *emission[COMPONENTS];
    mb_model           m = {.K = s->K};
    double            *par;
    mb_status          st;

    MB_TRY(check(o, err));
    MB_TRY(mb_product_layout(a, &mb_kind_lca, s, &m.layout, emission, err));
    MB_NEW(par, a, m.layout.len, err);
    fill_prior(s, o, par);
    st = mb_product_model(a, s, emission, par, &m, err);
    if (st < 0 && st != MB_E_NOMEM)
        MB_FAIL(err, MB_E_ARG,
                "the prior cannot be held in double precision: alpha0 = %g or share0 = %g is too "
                "small, or nu0 = %g against beta0 = %g",
                o->alpha0, o->share0, o->nu0, o->beta0);
    MB_TRY(st);
    *out = m;
    return MB_OK;
}

/* ---- the prior, as the options ask for it ---- */

#define LCA_PRIORS "empirical|weak|posterior:FILE.json"

enum { EMPIRICAL, WEAK };

static int is_number(const mb_row_moments *seen, int32_t d)
{
    return !seen->kinds || seen->kinds->of[d].kind == MB_COLUMN_NUMBER;
}

/* Variances of the numbers in data units; where they are 0 they are raised. */
static mb_status variances(mb_arena *a, const mb_row_moments *seen, int32_t which, double *var,
                           const char **warning, mb_err *err)
{
    double  mean = 0;
    int32_t n = 0, flat = 0;

    for (int32_t d = 0; d < seen->d; d++) {
        const double size = which == WEAK ? seen->spread[d] : seen->sd[d];

        var[d] = size * size;
        n += is_number(seen, d) && var[d] > 0;
        mean += is_number(seen, d) ? var[d] : 0;
    }
    for (int32_t d = 0; d < seen->d; d++)
        if (is_number(seen, d) && !(var[d] > 0 && isfinite(var[d]))) {
            var[d] = n && isfinite(mean) ? 1e-6 * mean / n : seen->spread[d] * seen->spread[d];
            flat++;
        }
    if (!flat)
        return MB_OK;
    *warning =
        mb_text(a, err,
                "%d column%s of numbers %s constant: the prior gives %s a variance, 1e-6 of "
                "the mean of the others'",
                (int)flat, flat > 1 ? "s" : "", flat > 1 ? "are" : "is", flat > 1 ? "them" : "it");
    return *warning ? MB_OK : MB_E_NOMEM;
}

static mb_status prior_of(mb_arena *a, const void *opt, const mb_units *run,
                          const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_lca_kind *own = opt;
    lca_prior          o = defaults((int32_t)own->n_components);
    double            *mean, *var;
    int32_t            which;
    mb_sizes           s;

    mb_kind_sizes(&mb_kind_lca, opt, seen->d, seen->kinds, &s);
    MB_TRY(mb_prior_word_(own->prior, LCA_PRIORS, &which, err));
    MB_NEW(mean, a, seen->d, err);
    MB_NEW(var, a, seen->d, err);
    MB_TRY(variances(a, seen, which, var, &out->warning, err));
    for (int32_t d = 0; d < seen->d; d++) {
        mean[d] = which == WEAK ? seen->middle[d] : seen->mean[d];
        if (is_number(seen, d)) {
            mean[d] = (mean[d] - run->origin[d]) / run->scale[d];
            var[d] /= run->scale[d] * run->scale[d];
        } else if (!(mean[d] > 0)) {
            mean[d] = 1; /* a count that is 0 everywhere */
        }
    }
    o.alpha0 = mb_automatic_(own->alpha0, o.alpha0);
    o.beta0 = mb_automatic_(own->beta0, o.beta0);
    o.nu0 = mb_automatic_(own->nu0, which == WEAK ? 3 : o.nu0);
    o.a0 = mb_automatic_(own->a0, o.a0);
    o.share0 = mb_automatic_(own->share0, o.share0);
    o.mean = mean;
    o.var = var;
    return new (a, &s, &o, &out->model, err);
}

/* ---- tables for people ---- */

/* The largest distances of two classes on the columns of each component; NaN: there are none. */
static void apart(const mb_posterior *p, int32_t k, const mb_posterior *q, int32_t other,
                  double *room, double *x)
{
    mb_cell a = {.kind = p->kind, .s = &p->size, .par = p->par, .k = k};
    mb_cell b = {.kind = q->kind, .s = &q->size, .par = q->par, .k = other};

    for (int32_t e = 0; e < COMPONENTS; e++)
        x[e] = (double)NAN;
    while (mb_cell_next(&a) && mb_cell_next(&b)) {
        double *m = room, *v = m + a.levels, *n = v + a.levels;

        mb_cell_moments(&a, m, v);
        mb_cell_moments(&b, n, NULL);
        for (int32_t l = 0; l < a.levels; l++)
            x[a.e] = fmax(x[a.e], component[a.e].distance(m[l], v[l], n[l]));
    }
}

static mb_status compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed first[] = {{"component", 'd', 18, 0},
                                      {"other", 'd', 18, 0},
                                      {"weight", 'g', 18, 6},
                                      {"other_weight", 'g', 18, 6}};
    enum { FIRST = sizeof first / sizeof *first, COLUMNS = FIRST + COMPONENTS };
    mb_listed *column;
    double    *x, *mine, *its, *room;

    MB_NEW(column, a, COLUMNS, err);
    memcpy(column, first, sizeof first);
    for (int32_t e = 0; e < COMPONENTS; e++)
        column[FIRST + e] = (mb_listed){component[e].apart, 'g', 18, 6};
    *out = (mb_listing){.rows = p->size.K, .columns = COLUMNS, .column = column};
    MB_NEW(out->x, a, COLUMNS * (size_t)p->size.K, err);
    MB_NEW(mine, a, p->size.K, err);
    MB_NEW(its, a, q->size.K, err);
    MB_NEW(room, a, 3 * (size_t)(mb_sizes_levels(&p->size) + 1), err);
    mb_shares(mb_kind_weights(p->kind, &p->size), p->size.K, p->par, mine);
    mb_shares(mb_kind_weights(q->kind, &q->size), q->size.K, q->par, its);
    x = out->x;
    for (int32_t k = 0; k < p->size.K; k++, x += COLUMNS) {
        x[0] = k;
        x[1] = other[k];
        x[2] = mine[k];
        x[3] = its[other[k]];
        apart(p, k, q, other[k], room, x + FIRST);
    }
    return MB_OK;
}

/* The central 95 % interval of the share of level l: one of a Dirichlet distribution. */
static void interval(const mb_cell *c, int32_t l, double *low, double *high)
{
    double others = 0;

    for (int32_t i = 0; i < c->levels; i++)
        others += i == l ? 0 : c->at[i];
    *low = mb_beta_quantile(c->at[l], others, .025);
    *high = mb_beta_quantile(c->at[l], others, .975);
}

/* Shares have intervals. */
static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const size_t len = (size_t)out->rows * (size_t)out->columns;
    double      *low, *high;

    MB_NEW(low, a, len, err);
    MB_NEW(high, a, len, err);
    out->low = low;
    out->high = high;
    for (int32_t k = 0; k < out->rows; k++) {
        mb_cell c = {.kind = p->kind, .s = &p->size, .par = p->par, .k = k};

        while (mb_cell_next(&c)) {
            const mb_column_kind kind = mb_columns_kind(p->size.columns, c.d - 1);

            for (int32_t l = kind == MB_COLUMN_FLAG; l < c.levels; l++, low++, high++) {
                *low = *high = (double)NAN;
                if (kind >= MB_COLUMN_CATEGORY)
                    interval(&c, l, low, high);
            }
        }
    }
    return MB_OK;
}

/* ---- the kind ---- */

#define AT(field) offsetof(mb_lca_kind, field)

static const mb_opt options[] = {
    MB_GMM_COMPONENTS_(AT),
    MB_GMM_WEIGHTS_OPTION_(AT),
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, LCA_PRIORS, "", "math 22", "",
     "empirical: means and variances of all rows; weak: middle and a quarter of the range; "
     "posterior: an earlier one, component by component. Single options override the first two"},
    {"prior.alpha0", MB_OPT_AUTO, AT(alpha0), "auto", 1e-300, 1e12, NULL, "", "math 22",
     "weight_concentration_prior",
     "concentration of each component, or of the Dirichlet process; auto = 1/K"},
    {"prior.beta0", MB_OPT_AUTO, AT(beta0), "auto", 1e-300, 1e12, NULL, "", "math 22",
     "mean_precision_prior", "strength of the prior mean, in rows; auto = 1"},
    {"prior.nu0", MB_OPT_AUTO, AT(nu0), "auto", 1e-300, 1e12, NULL, "", "math 22",
     "degrees_of_freedom_prior", "strength of the prior variance, in rows; auto = 1, weak 3"},
    {"prior.a0", MB_OPT_AUTO, AT(a0), "auto", 1e-300, 1e12, NULL, "", "math 22", "",
     "shape of the gamma of each count's rate, whose mean is that of the column; auto = 1"},
    {"prior.share0", MB_OPT_AUTO, AT(share0), "auto", 1e-300, 1e12, NULL, "", "math 22", "",
     "Dirichlet concentration of each level of a category, and of both of a flag; auto = 1"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const mb_choice choices[] = {MB_GMM_WEIGHTS_WORDS_, {NULL, NULL, NULL}};

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    const lca_prior o = defaults(s->K);

    return new (a, s, &o, out, err);
}

const mb_kind mb_kind_lca = {.name = "lca",
                             .title = "latent class model of mixed columns",
                             .estimator = "LatentClassMixture",
                             .emissions = &(const mb_emissions){emissions, &mb_by_emissions},
                             .gaps = MB_GAPS_(1),
                             .opts = options,
                             .opt_size = sizeof(mb_lca_kind),
                             .choices = choices,
                             .prior = prior_of,
                             .model = model,
                             .compare = MB_TABLE_(compare),
                             .summary = MB_TABLE_(summarise)};
