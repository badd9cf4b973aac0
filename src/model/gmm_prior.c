/* gmm_prior.c - the prior of a mixture of Gaussians, as its options ask for it. */
#include "model/prior.h"

#include <math.h>
#include <string.h>

enum { EMPIRICAL, WEAK, PAPER }; /* as in MB_GMM_PRIORS_ */

static const double paper = 1e-5; /* alpha0, beta0, mu0 and w0inv of the paper's experiments */

int32_t mb_gmm_sees_(const void *opt)
{
    const mb_gmm_kind *o = opt;

    return !(o->prior && strcmp(o->prior, "empirical") != 0) && !o->w0inv && !o->w0inv_at;
}

/* mu0 (D) in data units: given, or that of the prior. */
static mb_status prior_mean(const mb_gmm_kind *o, int32_t which, const mb_row_moments *seen,
                            double *mu0, mb_err *err)
{
    const int32_t D = seen->d;

    for (int32_t d = 0; d < D; d++)
        mu0[d] = which == PAPER ? paper : which == WEAK ? seen->middle[d] : seen->mean[d];
    MB_TRY(mb_given_numbers_("prior.mu0", o->mu0, o->mu0_at, D, D, 1, mu0, err));
    for (int32_t d = 0; d < D; d++)
        if (!(fabs(mu0[d]) <= MB_VALUE_MAX))
            MB_FAIL(err, MB_E_ARG, "--prior.mu0: entry %d, %g, is too large; expected up to %g",
                    d + 1, mu0[d], MB_VALUE_MAX);
    return MB_OK;
}

/* W0^-1 (D x D) in data units: given, or that of the prior. */
static mb_status prior_scatter(mb_arena *a, const mb_gmm_kind *o, int32_t which,
                               const mb_row_moments *seen, double *w0inv, const char **warning,
                               mb_err *err)
{
    const int32_t D = seen->d;
    const size_t  n = (size_t)D;

    for (size_t d = 0; d < n; d++)
        w0inv[d * n + d] = which == PAPER ? paper : seen->spread[d] * seen->spread[d];
    if (which == EMPIRICAL && mb_gmm_sees_(o))
        MB_TRY(mb_prior_covariance_(a, seen, w0inv, warning, err));
    return mb_given_numbers_("prior.w0inv", o->w0inv, o->w0inv_at, D, (int32_t)(n * n), D + 1,
                             w0inv, err);
}

static double automatic(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

mb_status mb_gmm_prior_(mb_arena *a, const void *opt, const mb_units *run,
                        const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_gmm_kind *own = opt;
    const int32_t      D = seen->d;
    const size_t       n = (size_t)D;
    mb_gmm_opt         o = mb_gmm_defaults((int32_t)own->n_components, D);
    double            *mu0, *w0inv;
    int32_t            which;

    MB_TRY(mb_prior_word_(own->prior, MB_GMM_PRIORS_, &which, err));
    MB_NEW(mu0, a, n, err);
    MB_NEW(w0inv, a, n * n, err);
    MB_TRY(prior_mean(own, which, seen, mu0, err));
    MB_TRY(prior_scatter(a, own, which, seen, w0inv, &out->warning, err));
    for (size_t d = 0; d < n; d++)
        mu0[d] = (mu0[d] - run->origin[d]) / run->scale[d];
    for (size_t e = 0; e < n * n; e++)
        w0inv[e] /= run->scale[e / n] * run->scale[e % n];
    o.alpha0 = automatic(own->alpha0, which == PAPER ? paper : o.alpha0);
    o.beta0 = automatic(own->beta0, which == PAPER ? paper : o.beta0);
    o.nu0 = automatic(own->nu0, which == EMPIRICAL ? D : which == PAPER ? D + 1 : o.nu0);
    o.mu0 = mu0;
    o.w0inv = w0inv;
    return mb_gmm_new(a, &o, &out->model, err);
}
