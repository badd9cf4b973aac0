/* gmm_prior.c - the options of a mixture of Gaussians, and the prior they make. */
#include "meshbayes/kind.h"
#include "model/kinds.h"

#include <math.h>
#include <stddef.h>

#define AT(field) offsetof(mb_gmm_kind, field)

const mb_opt mb_gmm_options_[] = {
    {"n-components", MB_OPT_INT, AT(n_components), "2", 1, 10000, NULL, "components", "",
     "n_components", "number of mixture components K"},
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

void mb_gmm_sizes_(const void *opt, int32_t columns, mb_sizes *out)
{
    *out = (mb_sizes){.K = (int32_t)((const mb_gmm_kind *)opt)->n_components, .D = columns};
}

/* Numbers of an option: room for n, of which the text may give all or one. */
static mb_status numbers(const char *name, const char *text, int32_t D, int32_t n, double *x,
                         int32_t *count, mb_err *err)
{
    *count = 0;
    if (!text)
        return MB_OK;
    MB_TRY(mb_opt_numbers(name, text, n, x, count, err));
    if (*count != n && *count != 1)
        MB_FAIL(err, MB_E_ARG, "--%s: %d numbers for %d features, accepted: 1 or %d numbers", name,
                *count, D, n);
    return MB_OK;
}

/* mu0 (D) in data units: given, the paper's, or the agreed origin. */
static mb_status prior_mean(const mb_gmm_kind *o, const mb_units *agreed, double *mu0, mb_err *err)
{
    int32_t count = 0;

    if (!o->mu0_at)
        MB_TRY(numbers("prior.mu0", o->mu0, agreed->d, agreed->d, mu0, &count, err));
    for (int32_t d = 0; d < agreed->d; d++) {
        if (o->mu0_at)
            mu0[d] = o->mu0_at[d];
        else if (count == 1)
            mu0[d] = mu0[0];
        else if (!count)
            mu0[d] = o->prior ? paper : agreed->origin[d];
        if (!(fabs(mu0[d]) <= MB_VALUE_MAX))
            MB_FAIL(err, MB_E_ARG, "--prior.mu0: entry %d, %g, is too large, accepted: up to %g",
                    d + 1, mu0[d], MB_VALUE_MAX);
    }
    return MB_OK;
}

/* W0^-1 (D x D) in data units: given, the paper's 1e-5 I, or diag(scale^2). */
static mb_status prior_scatter(const mb_gmm_kind *o, const mb_units *agreed, double *w0inv,
                               mb_err *err)
{
    const int32_t D = agreed->d;
    const int64_t n = (int64_t)D * D;
    int32_t       count = 0;

    if (!o->w0inv_at)
        MB_TRY(numbers("prior.w0inv", o->w0inv, D, (int32_t)n, w0inv, &count, err));
    for (int64_t at = n - 1; at >= 0; at--) {
        const int32_t r = (int32_t)(at / D), c = (int32_t)(at % D);
        const double  own = o->prior ? paper : agreed->scale[r] * agreed->scale[r];

        if (o->w0inv_at)
            w0inv[at] = o->w0inv_at[at];
        else if (count <= 1)
            w0inv[at] = r != c ? 0 : count ? w0inv[0] : own;
    }
    return MB_OK;
}

static double automatic(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

mb_status mb_prior_par_(mb_arena *a, const mb_units *run, const mb_model *m, double **par,
                        mb_err *err)
{
    double *scratch;

    MB_NEW(*par, a, m->layout.len, err);
    MB_NEW(scratch, a, m->layout.scratch, err);
    MB_TRY(mb_to_par(&m->layout, m->prior, *par, scratch, err));
    mb_move_par(&m->layout, run->origin, run->scale, *par);
    return MB_OK;
}

mb_status mb_gmm_prior_(mb_arena *a, const void *opt, const mb_units *agreed, const mb_units *run,
                        mb_model *out, double **par, mb_err *err)
{
    const mb_gmm_kind *own = opt;
    const int32_t      D = agreed->d;
    mb_gmm_opt         o = mb_gmm_defaults((int32_t)own->n_components, D);
    double            *mu0, *w0inv;

    MB_NEW(mu0, a, D, err);
    MB_NEW(w0inv, a, (size_t)D * (size_t)D, err);
    MB_TRY(prior_mean(own, agreed, mu0, err));
    MB_TRY(prior_scatter(own, agreed, w0inv, err));
    for (int32_t d = 0; d < D; d++)
        mu0[d] = (mu0[d] - run->origin[d]) / run->scale[d];
    for (int32_t r = 0; r < D; r++)
        for (int32_t c = 0; c < D; c++)
            w0inv[(size_t)r * (size_t)D + (size_t)c] /= run->scale[r] * run->scale[c];
    o.alpha0 = automatic(own->alpha0, own->prior ? paper : o.alpha0);
    o.beta0 = automatic(own->beta0, own->prior ? paper : o.beta0);
    o.nu0 = automatic(own->nu0, own->prior ? D + 1 : o.nu0);
    o.mu0 = mu0;
    o.w0inv = w0inv;
    MB_TRY(mb_gmm_new(a, &o, out, err));
    return mb_prior_par_(a, run, out, par, err);
}
