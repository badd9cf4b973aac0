/* gmm_prior.c - the prior of a mixture of Gaussians, as its options ask for it. */
#include "model/gmm_form.h"
#include "model/prior.h"

#include <math.h>
#include <string.h>

int32_t mb_gmm_sees_(const void *opt)
{
    const mb_gmm_kind *o = opt;

    return (o->covariance_type == MB_COVARIANCE_FULL || o->covariance_type == MB_COVARIANCE_TIED) &&
           !(o->prior && strcmp(o->prior, "empirical") != 0) && !o->w0inv && !o->w0inv_at;
}

/* mu0 (D) in data units: given, or that of the prior. */
static mb_status prior_mean(const mb_gmm_kind *o, int32_t which, const mb_row_moments *seen,
                            double *mu0, mb_err *err)
{
    const int32_t D = seen->d;

    for (int32_t d = 0; d < D; d++)
        mu0[d] = which == MB_GMM_PAPER_  ? mb_gmm_paper_
                 : which == MB_GMM_WEAK_ ? seen->middle[d]
                                         : seen->mean[d];
    MB_TRY(mb_given_numbers_("prior.mu0", o->mu0, o->mu0_at, D, D, 1, mu0, err));
    for (int32_t d = 0; d < D; d++)
        if (!(fabs(mu0[d]) <= MB_VALUE_MAX))
            MB_FAIL(err, MB_E_ARG, "--prior.mu0: entry %d, %g, is too large; expected up to %g",
                    d + 1, mu0[d], MB_VALUE_MAX);
    return MB_OK;
}

/* W0^-1 in data units: given, or that of the prior. */
static mb_status prior_scatter(mb_arena *a, const mb_gmm_kind *o, const mb_sizes *s, int32_t which,
                               const mb_row_moments *seen, double *w0inv, const char **warning,
                               mb_err *err)
{
    const mb_gmm_form_ *form = mb_gmm_form_of_(s);
    const int           given = o->w0inv || o->w0inv_at;
    int32_t             step;
    const size_t        n = form->scatter(s, &step);

    MB_TRY(form->scatter_of(a, s, given ? MB_GMM_WEAK_ : which, seen, w0inv, warning, err));
    return mb_given_numbers_("prior.w0inv", o->w0inv, o->w0inv_at, s->D, (int32_t)n, step, w0inv,
                             err);
}

static double automatic(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

/* A product of two columns in run units; a single number is of columns in one scale. */
static void scatter_to_run(const mb_units *run, size_t n, int32_t step, double *w0inv)
{
    const size_t D = (size_t)run->d;

    for (size_t e = 0; e < n; e++) {
        const size_t row = step > 1 ? e / D : e, column = step > 1 ? e % D : e;

        w0inv[e] /= run->scale[row] * run->scale[column];
    }
}

mb_status mb_gmm_prior_opt_(mb_arena *a, const mb_gmm_kind *own, const mb_units *run,
                            const mb_row_moments *seen, mb_gmm_opt *out, const char **warning,
                            mb_err *err)
{
    const int32_t D = seen->d;
    mb_gmm_opt    o = mb_gmm_defaults((int32_t)own->n_components, D);
    mb_sizes      s;
    double       *mu0, *w0inv;
    int32_t       which, step;
    size_t        n;

    mb_gmm_sizes_(own, D, &s);
    n = mb_gmm_form_of_(&s)->scatter(&s, &step);
    MB_TRY(mb_prior_word_(own->prior, MB_GMM_PRIORS_, &which, err));
    MB_NEW(mu0, a, D, err);
    MB_NEW(w0inv, a, n, err);
    MB_TRY(prior_mean(own, which, seen, mu0, err));
    MB_TRY(prior_scatter(a, own, &s, which, seen, w0inv, warning, err));
    for (int32_t d = 0; d < D; d++)
        mu0[d] = (mu0[d] - run->origin[d]) / run->scale[d];
    scatter_to_run(run, n, step, w0inv);
    o.alpha0 = automatic(own->alpha0, which == MB_GMM_PAPER_ ? mb_gmm_paper_ : o.alpha0);
    o.beta0 = automatic(own->beta0, which == MB_GMM_PAPER_ ? mb_gmm_paper_ : o.beta0);
    o.nu0 = automatic(own->nu0, which == MB_GMM_EMPIRICAL_ ? D
                                : which == MB_GMM_PAPER_   ? D + 1
                                                           : o.nu0);
    o.mu0 = mu0;
    o.w0inv = w0inv;
    o.covariance = (mb_covariance)own->covariance_type;
    o.process = own->weight_concentration_prior_type;
    o.grouped = own->unit;
    *out = o;
    return MB_OK;
}

mb_status mb_gmm_prior_(mb_arena *a, const void *opt, const mb_units *run,
                        const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_gmm_kind *own = opt;
    mb_gmm_opt         o;

    if (own->unit && own->covariance_type == MB_COVARIANCE_TIED)
        MB_FAIL(err, MB_E_NOSUP,
                "--covariance-type: got tied for rows in groups; expected full, diag or spherical");
    MB_TRY(mb_gmm_prior_opt_(a, opt, run, seen, &o, &out->warning, err));
    return mb_gmm_new(a, &o, &out->model, err);
}
