/* gmm_form.c - the form of a mixture's covariances by its sizes, and what all forms have. */
#include "model/gmm_form.h"

void mb_gmm_sizes_(const void *opt, int32_t columns, mb_sizes *out)
{
    const mb_gmm_kind *o = opt;

    *out = (mb_sizes){.K = (int32_t)o->n_components,
                      .D = columns,
                      .choice = {o->covariance_type, o->weight_concentration_prior_type}};
}

const mb_gmm_form_ *mb_gmm_form_of_(const mb_sizes *s)
{
    return s->choice[MB_GMM_FORM_CHOICE_] == MB_COVARIANCE_FULL ? &mb_gmm_full_ : &mb_gmm_columns_;
}

const double *mb_gmm_component_at_(const mb_sizes *s, const double *par, int32_t k)
{
    size_t step;

    return par + mb_gmm_first_(s) + (size_t)k * mb_gmm_form_of_(s)->slice(s, &step);
}

double mb_gmm_mean_(const mb_sizes *s, const double *par, int32_t k, int32_t d)
{
    size_t       step;
    const size_t len = mb_gmm_form_of_(s)->slice(s, &step);

    return par[mb_gmm_first_(s) + (size_t)k * len + MB_GMM_MEAN_ + (size_t)d * step];
}
