/* lca_prior.c - the prior of latent classes, as its options ask for it. */
#include "base/text.h"
#include "model/lca.h"
#include "model/prior.h"

#include <math.h>

enum { EMPIRICAL, WEAK };

void mb_lca_sizes_(const void *opt, int32_t columns, mb_sizes *out)
{
    const mb_lca_kind *o = opt;

    *out = (mb_sizes){.K = (int32_t)o->n_components, .D = columns};
    out->choice[MB_LCA_CHOICE_] = o->weight_concentration_prior_type;
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

mb_status mb_lca_prior_of_(mb_arena *a, const void *opt, const mb_units *run,
                           const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_lca_kind *own = opt;
    mb_lca_prior_      o = mb_lca_defaults_((int32_t)own->n_components);
    double            *mean, *var;
    int32_t            which;
    mb_sizes           s;

    mb_lca_sizes_(opt, seen->d, &s);
    s.columns = seen->kinds;
    MB_TRY(mb_prior_word_(own->prior, MB_LCA_PRIORS_, &which, err));
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
    return mb_lca_new_(a, &s, &o, &out->model, err);
}
