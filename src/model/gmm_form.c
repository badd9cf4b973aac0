/* gmm_form.c - the form of a mixture's covariances by its sizes, and what all forms have. */
#include "model/gmm_form.h"
#include "base/tied.h"

void mb_gmm_sizes_(const void *opt, int32_t columns, mb_sizes *out)
{
    const mb_gmm_kind *o = opt;

    *out = (mb_sizes){.K = (int32_t)o->n_components,
                      .D = columns,
                      .choice = {o->covariance_type, o->weight_concentration_prior_type, o->unit}};
}

const mb_gmm_form_ *mb_gmm_form_of_(const mb_sizes *s)
{
    switch (s->choice[MB_GMM_FORM_CHOICE_]) {
    case MB_COVARIANCE_FULL:
        return &mb_gmm_full_;
    case MB_COVARIANCE_TIED:
        return MB_TIED_(1) ? &mb_gmm_shared_ : &mb_gmm_full_;
    default:
        return &mb_gmm_columns_;
    }
}

const double *mb_gmm_component_at_(const mb_sizes *s, const double *par, int32_t k)
{
    size_t step;

    return par + mb_gmm_first_(s) + (size_t)k * mb_gmm_form_of_(s)->slice(s, &step);
}

const double *mb_gmm_shared_at_(const mb_sizes *s, const double *par)
{
    return mb_gmm_component_at_(s, par, s->K);
}

double mb_gmm_mean_(const mb_sizes *s, const double *par, int32_t k, int32_t d)
{
    const mb_gmm_form_ *form = mb_gmm_form_of_(s);
    size_t              step;
    const size_t        len = form->slice(s, &step);

    return par[mb_gmm_first_(s) + (size_t)k * len + form->mean + (size_t)d * step];
}
