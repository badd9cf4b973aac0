/* tmm_kind.c - the robust mixture as its users know it: the options and priors of the mixture of
 * Gaussians, and the degrees of freedom of its components. */
#include "base/far.h"
#include "base/gaps.h"
#include "model/gmm_form.h"
#include "model/gmm_options.h"
#include "model/tables.h"
#include "model/tmm.h"
#include "num/num.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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
     "component learns its own, from 1 to 256, all equally likely on a logarithmic scale before"},
    {"tmm.trim", MB_OPT_REAL, offsetof(mb_tmm_kind, trim), "5", 0, 1e12, NULL,
     "robust standard deviations", "math 17", "",
     "units, prior and initialisation leave out rows that are farther than this from the median of "
     "a column, a standard deviation being the distance of its quartiles over 1.349; of n columns, "
     "in their mean square, sqrt(1 + (this^2 - 1)/sqrt(min(n, 4))); if such rows are at most a "
     "quarter of all. 0: none is left out"},
    MB_GMM_WEIGHTS_OPTION_(AT),
    MB_GMM_PRIOR_OPTIONS_(AT),
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static void sizes(const void *opt, int32_t columns, mb_sizes *out)
{
    const mb_tmm_kind *o = opt;

    mb_gmm_sizes_(&o->gmm, columns, out);
    out->choice[MB_TMM_CHOICE_] = o->dof;
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_tmm_kind *own = opt;
    mb_tmm_opt         o = {.dof = mb_tmm_given_(own->dof)};

    MB_TRY(mb_gmm_prior_opt_(a, &own->gmm, run, seen, &o.gmm, &out->warning, err));
    return mb_tmm_new(a, &o, &out->model, err);
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    mb_tmm_opt o = mb_tmm_defaults(s->K, s->D);

    o.gmm.process = s->choice[MB_GMM_WEIGHTS_CHOICE_];
    o.dof = mb_tmm_given_(s->choice[MB_TMM_CHOICE_]);
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
    const size_t   at = mb_tmm_dof_at_(s), derived = (size_t)K * (1 + mb_svec_len_(s->D));
    const mb_field more[] = {{.key = "dof_rows", 1, {K}, .at = at, .step = 2},
                             {.key = "dof_gap", 1, {K}, .at = at + 1, .step = 2},
                             {.key = "dof_mean", 1, {K}, .derived = 1, .at = derived, .step = 1}};

    if (s->choice[MB_TMM_CHOICE_])
        return n;
    memcpy(out + n, more, sizeof more);
    return n + (int32_t)(sizeof more / sizeof *more);
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    double *dof = out + (size_t)s->K * (1 + mb_svec_len_(s->D));

    MB_TRY(mb_gmm_derive_(a, s, par, out, err));
    for (int32_t k = 0; k < s->K && !s->choice[MB_TMM_CHOICE_]; k++)
        dof[k] = mb_tmm_dof_(s, par, k);
    return MB_OK;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t n = rename_scales(mb_gmm_drawn_(s, out), out);
    const size_t  at = (size_t)s->K * (1 + (size_t)s->D + mb_svec_len_(s->D));

    if (s->choice[MB_TMM_CHOICE_])
        return n;
    out[n] = (mb_field){.key = "dof", 1, {s->K}, .at = at, .step = 1};
    return n + 1;
}

static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_tmm_kind *o = opt;

    return mb_gmm_numbers_(&o->gmm, columns, out);
}

static int32_t sees(const void *opt)
{
    const mb_tmm_kind *o = opt;

    return mb_gmm_sees_(&o->gmm);
}

static double trims(const void *opt)
{
    const mb_tmm_kind *o = opt;

    return o->trim;
}

const mb_kind mb_kind_tmm = {.name = "tmm",
                             .title = "robust mixture of Student's t",
                             .latent = 1,
                             .gaps = MB_GAPS_(1),
                             .opts = options,
                             .opt_size = sizeof(mb_tmm_kind),
                             .choices = choices,
                             .sizes = sizes,
                             .numbers = numbers,
                             .prior = prior,
                             .sees = sees,
                             .trims = MB_FAR_(1) ? trims : NULL,
                             .centres = mb_gmm_start_of_,
                             .model = model,
                             .fields = fields,
                             .derive = derive,
                             .drawn = drawn,
                             .own_units = mb_gmm_own_units_,
                             .before = mb_gmm_before_,
                             .components_on = mb_gmm_components_on_,
                             .beside = MB_TABLE_(mb_gmm_beside_),
                             .summary = MB_TABLE_(mb_tmm_summary_)};
