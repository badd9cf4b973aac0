/* gmm_form.c - the form of a mixture's covariances by its sizes, and what all forms have. */
#include "model/gmm_form.h"

void mb_gmm_sizes_(const void *opt, int32_t columns, mb_sizes *out)
{
    const mb_gmm_kind *o = opt;

    *out = (mb_sizes){.K = (int32_t)o->n_components, .D = columns, .choice = {o->covariance_type}};
}

const mb_gmm_form_ *mb_gmm_form_of_(const mb_sizes *s)
{
    return s->choice[0] == MB_COVARIANCE_FULL ? &mb_gmm_full_ : &mb_gmm_columns_;
}

const double *mb_gmm_component_at_(const mb_sizes *s, const double *par, int32_t k)
{
    size_t step;

    return par + s->K + (size_t)k * mb_gmm_form_of_(s)->slice(s, &step);
}

double mb_gmm_mean_(const mb_sizes *s, const double *par, int32_t k, int32_t d)
{
    size_t       step;
    const size_t len = mb_gmm_form_of_(s)->slice(s, &step);

    return par[(size_t)s->K + (size_t)k * len + MB_GMM_MEAN_ + (size_t)d * step];
}

double mb_gmm_total_(const mb_sizes *s, const double *par)
{
    double sum = 0;

    for (int32_t k = 0; k < s->K; k++)
        sum += par[k];
    return sum;
}
