/* gmm_sklearn.c - a mixture as the attributes of scikit-learn's BayesianGaussianMixture. */
#include "model/gmm_sklearn.h"
#include "meshbayes/num.h"

#include <string.h>

/* Theirs is the upper factor U of each precision, nu W = U U' = (C C')^-1. */
static mb_status precisions(mb_arena *a, const mb_array *cov, const double **out, mb_err *err)
{
    const int32_t K = (int32_t)cov->shape[0], D = (int32_t)cov->shape[1];
    const size_t  d = (size_t)D;
    double       *C, *Cinv, *U;

    MB_NEW(C, a, d * d, err);
    MB_NEW(Cinv, a, d * d, err);
    MB_NEW(U, a, (size_t)K * d * d, err);
    *out = U;
    for (int32_t k = 0; k < K; k++, U += d * d) {
        MB_TRY(mb_cholesky(D, cov->x + (size_t)k * d * d, C, Cinv, err));
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                U[i * d + j] = Cinv[j * d + i];
    }
    return MB_OK;
}

/* The prior is the same for all components; W0^-1 is what they call a covariance. */
static const struct {
    const char *ours, *theirs, *prior;
} names[] = {{"weights", "weights_", NULL},
             {"weight_concentration", "weight_concentration_", "weight_concentration_prior_"},
             {"mean_precision", "mean_precision_", "mean_precision_prior_"},
             {"degrees_of_freedom", "degrees_of_freedom_", "degrees_of_freedom_prior_"},
             {"means", "means_", "mean_prior_"},
             {"covariances", "covariances_", NULL},
             {"w_inverse", NULL, "covariance_prior_"}};
enum { NAMES = sizeof names / sizeof *names };

static const mb_array *find(const mb_array *x, const char *name)
{
    while (strcmp(x->name, name) != 0)
        x++;
    return x;
}

mb_status mb_gmm_sklearn_(mb_arena *a, const mb_posterior *p, mb_array **out, int32_t *count,
                          mb_err *err)
{
    mb_array *mine, *prior, *to;
    int32_t   n;

    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, p->par, &mine, &n, err));
    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, p->prior_par, &prior, &n, err));
    MB_NEW(to, a, 2 * NAMES, err);
    *out = to;
    for (int k = 0; k < NAMES; k++)
        if (names[k].theirs) {
            *to = *find(mine, names[k].ours);
            to++->name = names[k].theirs;
        }
    *to = *find(mine, "covariances");
    MB_TRY(precisions(a, find(mine, "covariances"), &to->x, err));
    to->name = "precisions_cholesky_";
    to++;
    for (int k = 0; k < NAMES; k++)
        if (names[k].prior) { /* of the first component */
            *to = *find(prior, names[k].ours);
            to->name = names[k].prior;
            to->ndim--;
            memmove(to->shape, to->shape + 1, 2 * sizeof *to->shape);
            to++;
        }
    *count = (int32_t)(to - *out);
    return MB_OK;
}
