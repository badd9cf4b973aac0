/* lca_kind.c - latent classes as their users know them: options, the names of their parameters, and
 * what follows from them. */
#include "base/columns.h"
#include "base/gaps.h"
#include "model/gmm_options.h"
#include "model/lca.h"
#include "model/tables.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(mb_lca_kind, field)

static const mb_opt options[] = {
    MB_GMM_COMPONENTS_(AT),
    MB_GMM_WEIGHTS_OPTION_(AT),
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, MB_LCA_PRIORS_, "", "math 22", "",
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
    const mb_lca_prior_ o = mb_lca_defaults_(s->K);

    return mb_lca_new_(a, s, &o, out, err);
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
    const mb_lca_at_ at = mb_lca_at_of_(s);
    const size_t     N = MB_LCA_NUMBER_, C = MB_LCA_COUNT_, n = at.number, c = at.count;
    const int32_t    entry = (int32_t)mb_lca_weights_(s)->weights->entry;
    size_t           next = (size_t)s->K;
    const mb_field   all[] = {
          {.key = "weight_concentration", entry, {s->K, entry}, .bounded = 1, .step = (size_t)entry},
          {.key = "weights", 1, {s->K}, .derived = 1, .step = 1},
          positive(of("mean_precision", s, MB_OVER_NUMBERS, at.numbers, n + MB_LCA_LAMBDA_,
                      at.number_step, N)),
          of("means", s, MB_OVER_NUMBERS, at.numbers, n + MB_LCA_M_, at.number_step, N),
          derived("variances", s, MB_OVER_NUMBERS, at.numbers, &next),
          positive(of("shape", s, MB_OVER_NUMBERS, at.numbers, n + MB_LCA_A_, at.number_step, N)),
          positive(of("rate", s, MB_OVER_NUMBERS, at.numbers, n + MB_LCA_B_, at.number_step, N)),
          positive(of("count_shape", s, MB_OVER_COUNTS, at.counts, c + MB_LCA_A_, at.count_step, C)),
          positive(of("count_rate", s, MB_OVER_COUNTS, at.counts, c + MB_LCA_B_, at.count_step, C)),
          derived("count_means", s, MB_OVER_COUNTS, at.counts, &next),
          positive(
              of("share_concentration", s, MB_OVER_LEVELS, at.levels, at.share, at.share_step, 1)),
          derived("shares", s, MB_OVER_LEVELS, at.levels, &next)};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const mb_lca_at_ at = mb_lca_at_of_(s);
    const size_t     K = (size_t)s->K;
    double          *var = out + K, *mean = var + K * (size_t)at.numbers;
    double          *share = mean + K * (size_t)at.counts;
    mb_gmm_shares_   weights = mb_lca_shares_(s, par);

    (void)a, (void)err;
    for (int32_t k = 0; k < s->K; k++) {
        mb_lca_cell_ c = {.s = s, .par = par, .k = k};

        out[k] = mb_gmm_shares_next_(&weights);
        while (mb_lca_next_(&c))
            for (int32_t l = 0; l < c.levels; l++)
                if (c.kind == MB_COLUMN_NUMBER)
                    *var++ = mb_lca_variance_(&c, l);
                else
                    *(c.kind == MB_COLUMN_COUNT ? mean++ : share++) = mb_lca_mean_(&c, l);
    }
    return MB_OK;
}

/* Draws: the weights, then mean and variance of each number, each rate, the shares. */
static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const mb_lca_at_ at = mb_lca_at_of_(s);
    const size_t     K = (size_t)s->K, N = 2 * (size_t)at.numbers, C = (size_t)at.counts;
    const mb_field   all[] = {
          {.key = "weight", 1, {s->K}, .step = 1},
          of("mean", s, MB_OVER_NUMBERS, at.numbers, K, N, 2),
          of("variance", s, MB_OVER_NUMBERS, at.numbers, K + 1, N, 2),
          of("rate", s, MB_OVER_COUNTS, at.counts, K + K * N, C, 1),
          of("share", s, MB_OVER_LEVELS, at.levels, K + K * (N + C), at.share_step, 1)};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Middle and spread of the numbers over all classes. */
static void own_units(const mb_sizes *s, const double *par, mb_units *u)
{
    for (int pass = 0; pass < 2; pass++) {
        mb_gmm_shares_ shares = mb_lca_shares_(s, par);

        for (int32_t k = 0; k < s->K; k++) {
            const double weight = mb_gmm_shares_next_(&shares);
            mb_lca_cell_ c = {.s = s, .par = par, .k = k};

            while (mb_lca_next_(&c)) {
                const int32_t d = c.d - 1;
                const double  gap = mb_lca_mean_(&c, 0) - u->origin[d];

                if (c.kind != MB_COLUMN_NUMBER)
                    continue;
                if (!pass)
                    u->origin[d] += weight * mb_lca_mean_(&c, 0);
                else
                    u->scale[d] =
                        (k ? u->scale[d] : 0) + weight * (gap * gap + mb_lca_variance_(&c, 0));
            }
        }
    }
    for (int32_t d = 0; d < s->D; d++) {
        if (mb_columns_kind(s->columns, d) != MB_COLUMN_NUMBER)
            continue;
        u->scale[d] = u->scale[d] > 0 && isfinite(u->scale[d]) ? sqrt(u->scale[d]) : 1;
        u->log_jacobian += log(u->scale[d]);
    }
}

/* Means, rates and shares in lexicographic order; the share of a flag is that of 1. */
static int before(const mb_sizes *s, const double *par, int32_t a, int32_t b)
{
    mb_lca_cell_ x = {.s = s, .par = par, .k = a}, y = {.s = s, .par = par, .k = b};

    if (mb_lca_weights_(s)->weights->in_order)
        return a < b;
    while (mb_lca_next_(&x) && mb_lca_next_(&y))
        for (int32_t l = x.kind == MB_COLUMN_FLAG; l < x.levels; l++) {
            const double p = mb_lca_mean_(&x, l), q = mb_lca_mean_(&y, l);

            if (p < q || p > q)
                return p < q;
        }
    return a < b;
}

/* Column d of class k. */
static mb_lca_cell_ cell(const mb_sizes *s, const double *par, int32_t k, int32_t d)
{
    mb_lca_cell_ c = {.s = s, .par = par, .k = k};

    while (c.d <= d && mb_lca_next_(&c))
        continue;
    return c;
}

/* A category has no mean. */
static void components_on(const mb_sizes *s, const double *par, int32_t x, int32_t y,
                          mb_component *out)
{
    mb_gmm_shares_ shares = mb_lca_shares_(s, par);

    for (int32_t k = 0; k < s->K; k++) {
        const mb_lca_cell_ on[2] = {cell(s, par, k, x), cell(s, par, k, y)};

        out[k] = (mb_component){.weight = mb_gmm_shares_next_(&shares)};
        for (int i = 0; i < 2; i++) {
            const int none = on[i].kind == MB_COLUMN_CATEGORY;

            out[k].mean[i] =
                none ? (double)NAN : mb_lca_mean_(&on[i], on[i].kind == MB_COLUMN_FLAG);
            out[k].cov[2 * i] =
                none ? (double)NAN : mb_lca_variance_(&on[i], on[i].kind == MB_COLUMN_FLAG);
        }
        out[k].cov[1] = x == y ? out[k].cov[0] : 0;
    }
}

/* The classes as start/mixed.h sees rows. */
static void start_of(const mb_sizes *s, const double *par, double *start)
{
    for (int32_t k = 0; k < s->K; k++) {
        mb_lca_cell_ c = {.s = s, .par = par, .k = k};

        while (mb_lca_next_(&c))
            for (int32_t l = c.kind == MB_COLUMN_FLAG; l < c.levels; l++) {
                const double mean = mb_lca_mean_(&c, l);

                *start++ = c.kind == MB_COLUMN_COUNT  ? 2 * sqrt(mean + 0.375)
                           : c.kind == MB_COLUMN_FLAG ? 2 * mean
                                                      : mean;
            }
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
                             .sizes = mb_lca_sizes_,
                             .prior = mb_lca_prior_of_,
                             .centres = start_of,
                             .model = model,
                             .fields = fields,
                             .derive = derive,
                             .drawn = drawn,
                             .own_units = own_units,
                             .before = before,
                             .components_on = components_on,
                             .beside = MB_TABLE_(mb_lca_beside_),
                             .summary = MB_TABLE_(mb_lca_summary_)};
