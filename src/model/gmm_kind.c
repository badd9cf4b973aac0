/* gmm_kind.c - the mixture of Gaussians as its users know it: options and prior, the names
 * of its parameters, and what follows from them. */
#include "base/gaps.h"
#include "model/export.h"
#include "model/gmm_form.h"
#include "model/gmm_options.h"
#include "model/prior.h"
#include "model/tables.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(mb_gmm_kind, field)

static const mb_opt options[] = {
    MB_GMM_COMPONENTS_(AT),
    {"covariance-type", MB_OPT_CHOICE, AT(covariance_type), "full", 0, 0,
     "full|diag|spherical|tied", "", "math 16", "covariance_type",
     "full: each component has a covariance matrix; diag: a variance for each column; spherical: "
     "one variance, for columns in the same unit; tied: all components share one matrix"},
    MB_GMM_WEIGHTS_OPTION_(AT),
    {"gmm.unit", MB_OPT_CHOICE, AT(unit), "row", 0, 0, "row|group", "", "math 23", "",
     "group: all rows of a group, as repeated measurements of one thing, are of one component; "
     "--group-column and --group-file set it"},
    MB_GMM_PRIOR_OPTIONS_(AT),
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* Entry (i, j) of its expected covariance. */
static double covariance(const mb_sizes *s, const double *par, int32_t k, int32_t i, int32_t j)
{
    return mb_gmm_form_of_(s)->covariance(s, mb_gmm_component_at_(s, par, k),
                                          mb_gmm_shared_at_(s, par), i, j);
}

/* A single variance has one unit. */
static int32_t one_scale(const mb_sizes *s)
{
    return s->choice[MB_GMM_FORM_CHOICE_] == MB_COVARIANCE_SPHERICAL;
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    mb_gmm_opt o = mb_gmm_defaults(s->K, s->D);

    o.covariance = (mb_covariance)s->choice[MB_GMM_FORM_CHOICE_];
    o.process = s->choice[MB_GMM_WEIGHTS_CHOICE_];
    o.grouped = s->choice[MB_GMM_UNIT_CHOICE_];
    return mb_gmm_new(a, &o, out, err);
}

int32_t mb_gmm_fields_(const mb_sizes *s, mb_field *out)
{
    const int32_t  entry = (int32_t)mb_gmm_weights_(s)->weights->entry;
    const mb_field first[] = {
        {.key = "weight_concentration", entry, {s->K, entry}, .bounded = 1, .step = (size_t)entry},
        {.key = "weights", 1, {s->K}, .derived = 1, .step = 1},
    };

    memcpy(out, first, sizeof first);
    return 2 + mb_gmm_form_of_(s)->fields(s, out + 2);
}

mb_status mb_gmm_derive_(mb_arena *a, const mb_sizes *s, const double *par, double *out,
                         mb_err *err)
{
    mb_gmm_shares_ shares = mb_gmm_shares_begin_(s, par);

    (void)a, (void)err;
    for (int32_t k = 0; k < s->K; k++) {
        out[k] = mb_gmm_shares_next_(&shares);
        mb_gmm_form_of_(s)->derive(s, mb_gmm_component_at_(s, par, k), mb_gmm_shared_at_(s, par), k,
                                   out + s->K);
    }
    return MB_OK;
}

int32_t mb_gmm_drawn_(const mb_sizes *s, mb_field *out)
{
    out[0] = (mb_field){.key = "weight", 1, {s->K}, .step = 1};
    return 1 + mb_gmm_form_of_(s)->drawn(s, out + 1);
}

/* Middle and spread of the whole mixture. */
void mb_gmm_own_units_(const mb_sizes *s, const double *par, mb_units *u)
{
    const mb_gmm_shares_ first = mb_gmm_shares_begin_(s, par);
    double               mean_spread = 0;

    for (int32_t d = 0; d < s->D; d++) {
        mb_gmm_shares_ shares = first;
        double         spread = 0;

        for (int32_t k = 0; k < s->K; k++)
            u->origin[d] += mb_gmm_shares_next_(&shares) * mb_gmm_mean_(s, par, k, d);
        shares = first;
        for (int32_t k = 0; k < s->K; k++) {
            const double gap = mb_gmm_mean_(s, par, k, d) - u->origin[d];

            spread += mb_gmm_shares_next_(&shares) * (gap * gap + covariance(s, par, k, d, d));
        }
        mean_spread += spread / s->D;
        u->scale[d] = spread;
    }
    for (int32_t d = 0; d < s->D; d++) {
        const double spread = one_scale(s) ? mean_spread : u->scale[d];

        u->scale[d] = spread > 0 && isfinite(spread) ? sqrt(spread) : 1;
        u->log_jacobian += log(u->scale[d]);
    }
}

/* The sticks of a Dirichlet process have an order of their own. */
int mb_gmm_before_(const mb_sizes *s, const double *par, int32_t a, int32_t b)
{
    if (mb_gmm_weights_(s)->weights->in_order)
        return a < b;
    for (int32_t d = 0; d < s->D; d++) {
        const double ma = mb_gmm_mean_(s, par, a, d), mb = mb_gmm_mean_(s, par, b, d);

        if (ma < mb || ma > mb)
            return ma < mb;
    }
    return a < b;
}

void mb_gmm_components_on_(const mb_sizes *s, const double *par, int32_t x, int32_t y,
                           mb_component *out)
{
    mb_gmm_shares_ shares = mb_gmm_shares_begin_(s, par);

    for (int32_t k = 0; k < s->K; k++)
        out[k] = (mb_component){.weight = mb_gmm_shares_next_(&shares),
                                .mean = {mb_gmm_mean_(s, par, k, x), mb_gmm_mean_(s, par, k, y)},
                                .cov = {covariance(s, par, k, x, x), covariance(s, par, k, x, y),
                                        covariance(s, par, k, y, y)}};
}

void mb_gmm_start_of_(const mb_sizes *s, const double *par, double *start)
{
    for (int32_t k = 0; k < s->K; k++)
        for (int32_t d = 0; d < s->D; d++)
            *start++ = mb_gmm_mean_(s, par, k, d);
}

int32_t mb_gmm_numbers_(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_gmm_kind *o = opt;
    mb_sizes           s;
    int32_t            step;

    mb_gmm_sizes_(opt, columns, &s);
    out[0] = (mb_numbers){"prior.mu0", o->mu0_at, (size_t)columns};
    out[1] = (mb_numbers){"prior.w0inv", o->w0inv_at, mb_gmm_form_of_(&s)->scatter(&s, &step)};
    return 2;
}

static const char *const covariances[] = {"full", "diag", "spherical", "tied",
                                          NULL}; /* mb_covariance */
static const char *const units[] = {"row", "group", NULL};
static const mb_choice   choices[] = {{"covariance_type", "covariance-type", covariances},
                                      MB_GMM_WEIGHTS_WORDS_,
                                      {"unit", "gmm.unit", units},
                                      {NULL, NULL, NULL}};

const mb_kind mb_kind_gmm = {.name = "gmm",
                             .title = "mixture of Gaussians",
                             .latent = 1,
                             .gaps = MB_GAPS_(1),
                             .opts = options,
                             .opt_size = sizeof(mb_gmm_kind),
                             .choices = choices,
                             .groups = "gmm.unit=group",
                             .sizes = mb_gmm_sizes_,
                             .numbers = mb_gmm_numbers_,
                             .one_scale = one_scale,
                             .prior = mb_gmm_prior_,
                             .sees = mb_gmm_sees_,
                             .centres = mb_gmm_start_of_,
                             .model = model,
                             .fields = mb_gmm_fields_,
                             .derive = mb_gmm_derive_,
                             .drawn = mb_gmm_drawn_,
                             .own_units = mb_gmm_own_units_,
                             .before = mb_gmm_before_,
                             .components_on = mb_gmm_components_on_,
                             .beside = MB_TABLE_(mb_gmm_beside_),
                             .summary = MB_TABLE_(mb_gmm_summary_),
                             .sklearn = MB_EXPORT_(mb_gmm_sklearn_)};
