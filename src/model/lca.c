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
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Numbers of a class: [a, b, m, lambda] of a number, [a, b] of a count, alpha of each level. */
enum { LCA_NUMBER = 4, LCA_COUNT = 2 };
enum { LCA_A, LCA_B, LCA_M, LCA_LAMBDA };

/* Where they are in par: those of class k are `step` apart. */
typedef struct places {
    size_t  number, count, share;                /* of class 0                            */
    size_t  number_step, count_step, share_step; /* from one class to the next            */
    int32_t numbers, counts, levels;             /* columns; sum of levels                */
} places;
/* The choice of mb_sizes that has the family of the weights, and these. */
enum { LCA_CHOICE };

/* One column of one class after the other: begins zeroed but for s and par; 0 after the last. */
typedef struct lca_cell {
    const mb_sizes *s;
    const double   *par; /* of the whole posterior                     */
    int32_t         k;   /* the class                                  */
    int32_t         d;   /* out: the column, from 1 on: d - 1 is its index */
    mb_column_kind  kind;
    int32_t         levels; /* of a category or flag                   */
    const double   *at;     /* its numbers                             */
    const double   *next[3];
} lca_cell;

/* Textbook numbers of the prior, one for each column of its kind, in the units of the run. */
typedef struct lca_prior {
    double        alpha0, beta0, nu0, a0, share0;
    const double *mean; /* D: of numbers and counts; NULL: 0 of numbers, 1 of counts */
    const double *var;  /* D: of numbers; NULL: 1                                    */
} lca_prior;

/* ---- the model ---- */

enum { MAX_K = 1000000, MAX_D = 10000 };

static const mb_family *weights_family(const mb_sizes *s)
{
    return mb_kind_weights(&mb_kind_lca, s);
}

static places places_of(const mb_sizes *s)
{
    const int32_t N = mb_sizes_count(s, MB_COLUMN_NUMBER), C = mb_sizes_count(s, MB_COLUMN_COUNT);
    const size_t  K = (size_t)s->K;
    places        at = {.numbers = N, .counts = C, .levels = mb_sizes_levels(s)};

    at.number_step = LCA_NUMBER * (size_t)N;
    at.count_step = LCA_COUNT * (size_t)C;
    at.share_step = (size_t)at.levels;
    at.number = K * weights_family(s)->weights->entry;
    at.count = at.number + K * at.number_step;
    at.share = at.count + K * at.count_step;
    return at;
}

static int next_cell(lca_cell *c)
{
    enum { NUMBER, COUNT, SHARE };
    int    which;
    size_t len;

    if (!c->d) {
        const places at = places_of(c->s);
        const size_t k = (size_t)c->k;

        c->next[NUMBER] = c->par + at.number + k * at.number_step;
        c->next[COUNT] = c->par + at.count + k * at.count_step;
        c->next[SHARE] = c->par + at.share + k * at.share_step;
    }
    if (c->d == c->s->D)
        return 0;
    c->kind = mb_columns_kind(c->s->columns, c->d);
    c->levels = c->kind >= MB_COLUMN_CATEGORY ? c->s->columns->of[c->d].levels : 1;
    which = c->kind == MB_COLUMN_NUMBER ? NUMBER : c->kind == MB_COLUMN_COUNT ? COUNT : SHARE;
    len = which == NUMBER ? LCA_NUMBER : which == COUNT ? LCA_COUNT : (size_t)c->levels;
    c->at = c->next[which];
    c->next[which] += len;
    c->d++;
    return 1;
}

/* Mean of a number, rate of a count, share of level l: of the column that c is at. */
static double mean_of(const lca_cell *c, int32_t l)
{
    double sum = 0;

    if (c->kind == MB_COLUMN_NUMBER)
        return c->at[LCA_M];
    if (c->kind == MB_COLUMN_COUNT)
        return c->at[LCA_A] / c->at[LCA_B];
    for (int32_t i = 0; i < c->levels; i++)
        sum += c->at[i];
    return c->at[l] / sum;
}

/* Its variance among the rows of the class, the expected one. */
static double variance_of(const lca_cell *c, int32_t l)
{
    const double mean = mean_of(c, l);

    if (c->kind == MB_COLUMN_NUMBER)
        return c->at[LCA_B] / c->at[LCA_A];
    return c->kind == MB_COLUMN_COUNT ? mean : mean * (1 - mean);
}

static lca_prior defaults(int32_t K)
{
    return (lca_prior){.alpha0 = K > 0 ? 1.0 / K : 1, .beta0 = 1, .nu0 = 1, .a0 = 1, .share0 = 1};
}

static mb_status check(const mb_sizes *s, const lca_prior *o, mb_err *err)
{
    if (s->K < 1 || s->K > MAX_K)
        MB_FAIL(err, MB_E_ARG, "K = %" PRId32 " classes; expected 1 to %d", s->K, MAX_K);
    if (s->D < 1 || s->D > MAX_D)
        MB_FAIL(err, MB_E_ARG, "D = %" PRId32 " columns; expected 1 to %d", s->D, MAX_D);
    MB_TRY(mb_check_positive_("alpha0", o->alpha0, err));
    MB_TRY(mb_check_positive_("beta0", o->beta0, err));
    MB_TRY(mb_check_positive_("nu0", o->nu0, err));
    MB_TRY(mb_check_positive_("a0", o->a0, err));
    return mb_check_positive_("share0", o->share0, err);
}

/* The columns of one kind (categories: and flags), and their levels. */
static mb_status choose(mb_arena *a, const mb_sizes *s, mb_column_kind kind, int32_t *n,
                        int32_t **column, int32_t **dims, mb_err *err)
{
    MB_NEW(*column, a, s->D, err);
    MB_NEW(*dims, a, s->D, err);
    *n = 0;
    for (int32_t d = 0; d < s->D; d++) {
        const mb_column_kind own = mb_columns_kind(s->columns, d);

        if (own != kind && !(kind == MB_COLUMN_CATEGORY && own == MB_COLUMN_FLAG))
            continue;
        (*column)[*n] = d;
        (*dims)[(*n)++] = s->columns ? s->columns->of[d].levels : 0;
    }
    return MB_OK;
}

/* The blocks, and how each explains its columns; emission: room for three. */
static mb_status lay_out(mb_arena *a, const mb_sizes *s, mb_layout *l,
                         const mb_emission_ **emission, mb_err *err)
{
    static const struct {
        mb_column_kind      kind;
        const mb_family    *family;
        const mb_emission_ *emission;
    } block[] = {{MB_COLUMN_NUMBER, &mb_normal_gamma_diag, &mb_gaussian_columns_},
                 {MB_COLUMN_COUNT, &mb_gamma, &mb_poisson_columns_},
                 {MB_COLUMN_CATEGORY, &mb_dirichlet, &mb_category_columns_}};

    MB_TRY(mb_layout_add(l, weights_family(s), s->K, 1, err));
    for (size_t b = 0; b < sizeof block / sizeof *block; b++) {
        int32_t n = 0, *column, *dims;

        MB_TRY(choose(a, s, block[b].kind, &n, &column, &dims, err));
        if (!n)
            continue;
        MB_TRY(block[b].kind == MB_COLUMN_CATEGORY
                   ? mb_layout_add_mixed(l, block[b].family, dims, n, column, s->K, err)
                   : mb_layout_add_product(l, block[b].family, 1, n, column, s->K, err));
        *emission++ = block[b].emission;
    }
    return MB_OK;
}

/* Textbook parameters of the prior: the same for all classes. */
static void fill_prior(const mb_sizes *s, const lca_prior *o, double *par)
{
    const size_t entry = weights_family(s)->weights->entry;

    for (int32_t k = 0; k < s->K; k++) {
        lca_cell c = {.s = s, .par = par, .k = k};
        double  *weight = par + (size_t)k * entry;

        weight[0] = 1; /* v ~ Beta(1, alpha0) */
        weight[entry - 1] = o->alpha0;
        while (next_cell(&c)) {
            const int    count = c.kind == MB_COLUMN_COUNT;
            const double mean = o->mean ? o->mean[c.d - 1] : count,
                         var = o->var ? o->var[c.d - 1] : 1;
            double *at = par + (c.at - par);

            if (c.kind == MB_COLUMN_NUMBER) {
                at[LCA_A] = 0.5 * o->nu0;
                at[LCA_B] = 0.5 * o->nu0 * var;
                at[LCA_M] = mean;
                at[LCA_LAMBDA] = o->beta0;
            } else if (count) {
                at[LCA_A] = o->a0;
                at[LCA_B] = o->a0 / mean;
            } else
                for (int32_t l = 0; l < c.levels; l++)
                    at[l] = o->share0;
        }
    }
}

/* MB_E_ARG names the size or the number that is wrong. */
static mb_status new (mb_arena *a, const mb_sizes *s, const lca_prior *o, mb_model *out,
                      mb_err *err)
{
    const mb_emission_ *emission[3];
    mb_model            m = {.K = s->K};
    double             *par;
    mb_status           st;

    MB_TRY(check(s, o, err));
    MB_TRY(lay_out(a, s, &m.layout, emission, err));
    MB_NEW(par, a, m.layout.len, err);
    fill_prior(s, o, par);
    st = mb_model_prior(a, par, &m, err);
    if (st < 0 && st != MB_E_NOMEM)
        MB_FAIL(err, MB_E_ARG,
                "the prior cannot be held in double precision: alpha0 = %g or share0 = %g is too "
                "small, or nu0 = %g against beta0 = %g",
                o->alpha0, o->share0, o->nu0, o->beta0);
    MB_TRY(st);
    MB_TRY(mb_mixture_(a, s->D, emission, 0, &m, err));
    *out = m;
    return MB_OK;
}

/* ---- the prior, as the options ask for it ---- */

#define LCA_PRIORS "empirical|weak|posterior:FILE.json"

enum { EMPIRICAL, WEAK };

static void sizes_of(const void *opt, int32_t columns, mb_sizes *out)
{
    const mb_lca_kind *o = opt;

    *out = (mb_sizes){.K = (int32_t)o->n_components, .D = columns};
    out->choice[LCA_CHOICE] = o->weight_concentration_prior_type;
}

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

static double automatic(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static mb_status prior_of(mb_arena *a, const void *opt, const mb_units *run,
                          const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_lca_kind *own = opt;
    lca_prior          o = defaults((int32_t)own->n_components);
    double            *mean, *var;
    int32_t            which;
    mb_sizes           s;

    sizes_of(opt, seen->d, &s);
    s.columns = seen->kinds;
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
    o.alpha0 = automatic(own->alpha0, o.alpha0);
    o.beta0 = automatic(own->beta0, o.beta0);
    o.nu0 = automatic(own->nu0, which == WEAK ? 3 : o.nu0);
    o.a0 = automatic(own->a0, o.a0);
    o.share0 = automatic(own->share0, o.share0);
    o.mean = mean;
    o.var = var;
    return new (a, &s, &o, &out->model, err);
}

/* ---- tables for people ---- */

/* How far two classes are apart: numbers in standard deviations of the first, counts by the ratio of
 * their means, shares by their largest difference. NaN: there are no such columns. */
static void apart(const mb_posterior *p, int32_t k, const mb_posterior *q, int32_t other, double *x)
{
    lca_cell a = {.s = &p->size, .par = p->par, .k = k};
    lca_cell b = {.s = &q->size, .par = q->par, .k = other};

    x[0] = x[1] = x[2] = (double)NAN;
    while (next_cell(&a) && next_cell(&b))
        for (int32_t l = 0; l < a.levels; l++) {
            const double m = mean_of(&a, l), n = mean_of(&b, l);

            if (a.kind == MB_COLUMN_NUMBER)
                x[0] = fmax(x[0], fabs(m - n) / sqrt(variance_of(&a, l)));
            else if (a.kind == MB_COLUMN_COUNT)
                x[1] = fmax(x[1], fmax(m / n, n / m));
            else
                x[2] = fmax(x[2], fabs(m - n));
        }
}

static mb_status compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed column[] = {
        {"component", 'd', 18, 0},        {"other", 'd', 18, 0},
        {"weight", 'g', 18, 6},           {"other_weight", 'g', 18, 6},
        {"mean_distance_sd", 'g', 18, 6}, {"count_ratio", 'g', 18, 6},
        {"share_difference", 'g', 18, 6}};
    enum { COLUMNS = sizeof column / sizeof *column };
    double *x, *mine, *its;

    *out = (mb_listing){.rows = p->size.K, .columns = COLUMNS, .column = column};
    MB_NEW(out->x, a, COLUMNS * (size_t)p->size.K, err);
    MB_NEW(mine, a, p->size.K, err);
    MB_NEW(its, a, q->size.K, err);
    mb_shares(weights_family(&p->size), p->size.K, p->par, mine);
    mb_shares(weights_family(&q->size), q->size.K, q->par, its);
    x = out->x;
    for (int32_t k = 0; k < p->size.K; k++, x += COLUMNS) {
        x[0] = k;
        x[1] = other[k];
        x[2] = mine[k];
        x[3] = its[other[k]];
        apart(p, k, q, other[k], x + 4);
    }
    return MB_OK;
}

/* The central 95 % interval of the share of level l: one of a Dirichlet distribution. NaN of a number
 * or a count. */
static void interval(const lca_cell *c, int32_t l, double *low, double *high)
{
    double others = 0;

    *low = *high = (double)NAN;
    if (c->kind < MB_COLUMN_CATEGORY)
        return;
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
        lca_cell c = {.s = &p->size, .par = p->par, .k = k};

        while (next_cell(&c))
            for (int32_t l = c.kind == MB_COLUMN_FLAG; l < c.levels; l++)
                interval(&c, l, low++, high++);
    }
    return MB_OK;
}

/* ---- the kind ---- */

#define AT(field) offsetof(mb_lca_kind, field)

static const mb_opt options[] = {
    MB_GMM_COMPONENTS_(AT),
    MB_GMM_WEIGHTS_OPTION_(AT),
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, LCA_PRIORS, "", "math 22", "",
     "lca: empirical: means and variances of all rows; weak: middle and a quarter of the range; "
     "posterior: a former answer, component by component. Single options win over the first two"},
    {"prior.alpha0", MB_OPT_AUTO, AT(alpha0), "auto", 1e-300, 1e12, NULL, "", "math 22",
     "weight_concentration_prior",
     "concentration of each component, or of the Dirichlet process; auto = 1/K"},
    {"prior.beta0", MB_OPT_AUTO, AT(beta0), "auto", 1e-300, 1e12, NULL, "", "math 22",
     "mean_precision_prior", "strength of the prior mean, in rows; auto = 1"},
    {"prior.nu0", MB_OPT_AUTO, AT(nu0), "auto", 1e-300, 1e12, NULL, "", "math 22",
     "degrees_of_freedom_prior", "lca: strength of the prior variance, in rows; auto = 1, weak 3"},
    {"prior.a0", MB_OPT_AUTO, AT(a0), "auto", 1e-300, 1e12, NULL, "", "math 22", "",
     "lca: shape of the gamma of each count's rate, whose mean is that of the column; auto = 1"},
    {"prior.share0", MB_OPT_AUTO, AT(share0), "auto", 1e-300, 1e12, NULL, "", "math 22", "",
     "lca: Dirichlet concentration of each level of a category, and of both of a flag; auto = 1"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const mb_choice choices[] = {MB_GMM_WEIGHTS_WORDS_, {NULL, NULL, NULL}};

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    const lca_prior o = defaults(s->K);

    return new (a, s, &o, out, err);
}

/* A field of the classes with `n` numbers each, `inner` apart. */
static mb_field of(const char *key, const mb_sizes *s, mb_over over, int32_t n, size_t at,
                   size_t step, size_t inner)
{
    return (mb_field){.key = key,
                      .ndim = 2,
                      .shape = {s->K, n},
                      .absent = n == 0,
                      .at = at,
                      .step = step,
                      .inner = inner,
                      .over = (int32_t)over};
}

static mb_field positive(mb_field f)
{
    f.bounded = 1;
    return f;
}

static mb_field derived(const char *key, const mb_sizes *s, mb_over over, int32_t n, size_t *at)
{
    mb_field f = of(key, s, over, n, *at, (size_t)n, 1);

    f.derived = 1;
    *at += (size_t)s->K * (size_t)n;
    return f;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const places   at = places_of(s);
    const size_t   N = LCA_NUMBER, C = LCA_COUNT, n = at.number, c = at.count;
    const int32_t  entry = (int32_t)weights_family(s)->weights->entry;
    size_t         next = (size_t)s->K;
    const mb_field all[] = {
        {.key = "weight_concentration", entry, {s->K, entry}, .bounded = 1, .step = (size_t)entry},
        {.key = "weights", 1, {s->K}, .derived = 1, .step = 1},
        positive(of("mean_precision", s, MB_OVER_NUMBERS, at.numbers, n + LCA_LAMBDA,
                    at.number_step, N)),
        of("means", s, MB_OVER_NUMBERS, at.numbers, n + LCA_M, at.number_step, N),
        derived("variances", s, MB_OVER_NUMBERS, at.numbers, &next),
        positive(of("shape", s, MB_OVER_NUMBERS, at.numbers, n + LCA_A, at.number_step, N)),
        positive(of("rate", s, MB_OVER_NUMBERS, at.numbers, n + LCA_B, at.number_step, N)),
        positive(of("count_shape", s, MB_OVER_COUNTS, at.counts, c + LCA_A, at.count_step, C)),
        positive(of("count_rate", s, MB_OVER_COUNTS, at.counts, c + LCA_B, at.count_step, C)),
        derived("count_means", s, MB_OVER_COUNTS, at.counts, &next),
        positive(
            of("share_concentration", s, MB_OVER_LEVELS, at.levels, at.share, at.share_step, 1)),
        derived("shares", s, MB_OVER_LEVELS, at.levels, &next)};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const places at = places_of(s);
    const size_t K = (size_t)s->K;
    double      *var = out + K, *mean = var + K * (size_t)at.numbers;
    double      *share = mean + K * (size_t)at.counts;

    (void)a, (void)err;
    mb_shares(weights_family(s), s->K, par, out);
    for (int32_t k = 0; k < s->K; k++) {
        lca_cell c = {.s = s, .par = par, .k = k};

        while (next_cell(&c))
            for (int32_t l = 0; l < c.levels; l++)
                if (c.kind == MB_COLUMN_NUMBER)
                    *var++ = variance_of(&c, l);
                else
                    *(c.kind == MB_COLUMN_COUNT ? mean++ : share++) = mean_of(&c, l);
    }
    return MB_OK;
}

/* Draws: the weights, then mean and variance of each number, each rate, the shares. */
static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const places   at = places_of(s);
    const size_t   K = (size_t)s->K, N = 2 * (size_t)at.numbers, C = (size_t)at.counts;
    const mb_field all[] = {
        {.key = "weight", 1, {s->K}, .step = 1},
        of("mean", s, MB_OVER_NUMBERS, at.numbers, K, N, 2),
        of("variance", s, MB_OVER_NUMBERS, at.numbers, K + 1, N, 2),
        of("rate", s, MB_OVER_COUNTS, at.counts, K + K * N, C, 1),
        of("share", s, MB_OVER_LEVELS, at.levels, K + K * (N + C), at.share_step, 1)};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void component(const mb_sizes *s, const double *par, int32_t k, double *mean,
                      double *variance)
{
    lca_cell c = {.s = s, .par = par, .k = k};

    while (next_cell(&c))
        for (int32_t l = c.kind == MB_COLUMN_FLAG; l < c.levels; l++) {
            *mean++ = mean_of(&c, l);
            *variance++ = variance_of(&c, l);
        }
}

const mb_kind mb_kind_lca = {.name = "lca",
                             .title = "latent class model of mixed columns",
                             .latent = 1,
                             .mixed = 1,
                             .gaps = MB_GAPS_(1),
                             .opts = options,
                             .opt_size = sizeof(mb_lca_kind),
                             .choices = choices,
                             .sizes = sizes_of,
                             .prior = prior_of,
                             .model = model,
                             .fields = fields,
                             .derive = derive,
                             .drawn = drawn,
                             .component = component,
                             .compare = MB_TABLE_(compare),
                             .summary = MB_TABLE_(summarise)};
