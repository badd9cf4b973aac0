/* posterior_sklearn.c - a mixture as the attributes of scikit-learn's BayesianGaussianMixture. */
#include "posterior/posterior.h"

#include <string.h>

/* A component's part of par: normal-Wishart [nu, beta, m, tril(W^-1)]. */
enum { PAR_NU, PAR_BETA, PAR_M };

typedef struct arrays {
    double *alpha, *weight, *beta, *nu; /* K         */
    double *m;                          /* K x D     */
    double *scatter, *cov, *chol;       /* K x D x D */
    double *C, *Cinv;                   /* D x D     */
} arrays;

static mb_status make(mb_arena *a, int32_t K, int32_t D, arrays *out, mb_err *err)
{
    const size_t k = (size_t)K, d = (size_t)D;

    MB_NEW(out->alpha, a, 4 * k, err);
    MB_NEW(out->m, a, k * d, err);
    MB_NEW(out->scatter, a, 3 * k * d * d, err);
    MB_NEW(out->C, a, 2 * d * d, err);
    out->weight = out->alpha + k;
    out->beta = out->weight + k;
    out->nu = out->beta + k;
    out->cov = out->scatter + k * d * d;
    out->chol = out->cov + k * d * d;
    out->Cinv = out->C + d * d;
    return MB_OK;
}

/* Component k: theirs is the upper factor U of the precision, nu W = U U' = (C C')^-1. */
static mb_status component(int32_t D, const double *c, int32_t k, arrays *x, mb_err *err)
{
    const size_t  d = (size_t)D, from = (size_t)k * d * d;
    const double *tril = c + PAR_M + d;

    x->nu[k] = c[PAR_NU];
    x->beta[k] = c[PAR_BETA];
    memcpy(x->m + (size_t)k * d, c + PAR_M, d * sizeof *c);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++, tril++) {
            x->scatter[from + i * d + j] = x->scatter[from + j * d + i] = *tril;
            x->cov[from + i * d + j] = x->cov[from + j * d + i] = *tril / c[PAR_NU];
        }
    MB_TRY(mb_cholesky(D, x->cov + from, x->C, x->Cinv, err));
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            x->chol[from + i * d + j] = x->Cinv[j * d + i];
    return MB_OK;
}

static mb_status fill(const posterior *p, const double *par, arrays *x, mb_err *err)
{
    const mb_block *b = &p->model.layout.block[1];
    double          total = 0;

    for (int32_t k = 0; k < p->K; k++)
        total += par[k];
    for (int32_t k = 0; k < p->K; k++) {
        x->alpha[k] = par[k];
        x->weight[k] = par[k] / total;
        MB_TRY(component(p->D, par + b->off + (size_t)k * b->len, k, x, err));
    }
    return MB_OK;
}

static mb_status put_posterior(mb_npz *z, const posterior *p, const arrays *x, mb_err *err)
{
    const int64_t shape[] = {p->K, p->D, p->D};

    MB_TRY(mb_npz_add(z, "weights_", 1, shape, x->weight, err));
    MB_TRY(mb_npz_add(z, "weight_concentration_", 1, shape, x->alpha, err));
    MB_TRY(mb_npz_add(z, "mean_precision_", 1, shape, x->beta, err));
    MB_TRY(mb_npz_add(z, "degrees_of_freedom_", 1, shape, x->nu, err));
    MB_TRY(mb_npz_add(z, "means_", 2, shape, x->m, err));
    MB_TRY(mb_npz_add(z, "covariances_", 3, shape, x->cov, err));
    return mb_npz_add(z, "precisions_cholesky_", 3, shape, x->chol, err);
}

/* The same for all components; W0^-1 is what they call a covariance. */
static mb_status put_prior(mb_npz *z, const posterior *p, const arrays *x, mb_err *err)
{
    const int64_t shape[] = {p->D, p->D};

    MB_TRY(mb_npz_add(z, "weight_concentration_prior_", 0, NULL, x->alpha, err));
    MB_TRY(mb_npz_add(z, "mean_precision_prior_", 0, NULL, x->beta, err));
    MB_TRY(mb_npz_add(z, "degrees_of_freedom_prior_", 0, NULL, x->nu, err));
    MB_TRY(mb_npz_add(z, "mean_prior_", 1, shape, x->m, err));
    return mb_npz_add(z, "covariance_prior_", 2, shape, x->scatter, err);
}

mb_status posterior_gmm_sklearn(mb_arena *a, const posterior *p, const char *file, mb_err *err)
{
    arrays    x, prior;
    mb_npz   *z = NULL;
    mb_status st;

    MB_TRY(make(a, p->K, p->D, &x, err));
    MB_TRY(make(a, p->K, p->D, &prior, err));
    MB_TRY(fill(p, p->par, &x, err));
    MB_TRY(fill(p, p->prior, &prior, err));
    MB_TRY(mb_npz_open(a, file, &z, err));
    st = put_posterior(z, p, &x, err);
    if (st >= 0)
        st = put_prior(z, p, &prior, err);
    if (st >= 0)
        st = mb_npz_commit(z, err);
    mb_npz_abort(z);
    return st;
}
