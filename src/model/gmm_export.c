/* gmm_export.c - a mixture as the attributes of scikit-learn's BayesianGaussianMixture with a
 * Dirichlet distribution of the weights. */
#include "model/export.h"
#include "model/gmm_form.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

/* Scikit-learn's is the upper factor U of each precision, nu W = U U' = (C C')^-1; of one matrix where
 * it is shared. */
static mb_status precisions(mb_arena *a, const mb_array *cov, const double **factor,
                            const double **whole, mb_err *err)
{
    const int32_t K = cov->ndim < 3 ? 1 : (int32_t)cov->shape[0], D = (int32_t)cov->shape[1];
    const size_t  d = (size_t)D;
    double       *C, *Cinv, *U, *P;

    MB_NEW(C, a, d * d, err);
    MB_NEW(Cinv, a, d * d, err);
    MB_NEW(U, a, (size_t)K * d * d, err);
    MB_NEW(P, a, (size_t)K * d * d, err);
    *factor = U;
    *whole = P;
    for (int32_t k = 0; k < K; k++, U += d * d, P += d * d) {
        MB_TRY(mb_cholesky(D, cov->x + (size_t)k * d * d, C, Cinv, err));
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++) {
                U[i * d + j] = Cinv[j * d + i];
                for (size_t l = 0; l < d; l++)
                    P[i * d + j] += Cinv[l * d + i] * Cinv[l * d + j];
            }
    }
    return MB_OK;
}

/* The array of this name. */
static mb_array *find(mb_array *x, const char *key)
{
    while (strcmp(x->name, key) != 0)
        x++;
    return x;
}

/* W0^-1 is what scikit-learn calls a covariance. */
static const struct {
    const char *key, *name, *prior;
} attributes[] = {{"weights", "weights_", NULL},
                  {"weight_concentration", "weight_concentration_", "weight_concentration_prior_"},
                  {"mean_precision", "mean_precision_", "mean_precision_prior_"},
                  {"degrees_of_freedom", "degrees_of_freedom_", "degrees_of_freedom_prior_"},
                  {"means", "means_", "mean_prior_"},
                  {"covariances", "covariances_", NULL},
                  {"w_inverse", NULL, "covariance_prior_"}};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

static int is_tied(const mb_posterior *p)
{
    return p->size.choice[MB_GMM_FORM_CHOICE_] == MB_COVARIANCE_TIED;
}

static int has_matrices(const mb_posterior *p)
{
    return p->size.choice[MB_GMM_FORM_CHOICE_] == MB_COVARIANCE_FULL || is_tied(p);
}

/* 1 when the components have this number, or matrix, in common. */
static int is_common(const mb_posterior *p, const char *key)
{
    return is_tied(p) && (!strcmp(key, "degrees_of_freedom") || !strcmp(key, "w_inverse"));
}

/* 1 when all components have the same prior, the only kind that scikit-learn knows: they have not
 * after a former answer as prior. */
static int one_prior(const mb_posterior *p, mb_array *before)
{
    int same = 1;

    for (int k = 0; k < ATTRIBUTES; k++) {
        const mb_array *x = attributes[k].prior ? find(before, attributes[k].key) : NULL;
        size_t          item = 1;

        if (is_common(p, attributes[k].key))
            continue;
        for (int32_t d = 1; x && d < x->ndim; d++)
            item *= (size_t)x->shape[d];
        for (int64_t c = 1; x && c < x->shape[0]; c++)
            same &= !memcmp(x->x, x->x + (size_t)c * item, item * sizeof *x->x);
    }
    return same;
}

/* ln |W^-1| of one component's matrix. */
static mb_status log_det(mb_arena *a, int32_t D, const double *w_inverse, double *out, mb_err *err)
{
    const size_t d = (size_t)D;
    double      *C, *Cinv;

    MB_NEW(C, a, d * d, err);
    MB_NEW(Cinv, a, d * d, err);
    MB_TRY(mb_cholesky(D, w_inverse, C, Cinv, err));
    *out = 2 * mb_log_product_(C, d + 1, D);
    return MB_OK;
}

/* Log normaliser of the weights' prior. */
static mb_status weights_normaliser(mb_arena *a, const mb_posterior *p, double *out, mb_err *err)
{
    const mb_family *f = mb_gmm_weights_(&p->size);
    double          *phi;

    MB_NEW(phi, a, mb_gmm_first_(&p->size), err);
    if (f->from_par(p->size.K, p->prior_par, phi) < 0 ||
        f->moments(p->size.K, phi, NULL, out, NULL) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "the prior of the weights is outside its domain");
    return MB_OK;
}

/* Concentrations of sticks as scikit-learn has them: two rows, a and b; before: that of the prior is
 * b of the first. */
static mb_status sticks(mb_arena *a, mb_array *mine, mb_array *before, mb_err *err)
{
    const int64_t K = mine->shape[0];
    double       *rows;

    MB_NEW(rows, a, 2 * K, err);
    for (int64_t k = 0; k < K; k++) {
        rows[k] = mine->x[2 * k];
        rows[K + k] = mine->x[2 * k + 1];
    }
    *mine = (mb_array){.name = mine->name, .ndim = 2, .shape = {2, K}, .x = rows};
    MB_NEW(rows, a, K, err);
    for (int64_t k = 0; k < K; k++)
        rows[k] = before->x[2 * k + 1];
    before->ndim = 1;
    before->x = rows;
    return MB_OK;
}

/* Scikit-learn leaves out the normalisers of the prior and (2 pi)^(-D/2) of each row: its bound is
 * ours + ln Z(prior) + W D/2 ln 2 pi, for rows of total weight W. */
static mb_status left_out(mb_arena *a, const mb_posterior *p, mb_array *prior, double weight,
                          double *out, mb_err *err)
{
    const double    ln2 = log(2), ln2pi = log(8 * atan(1));
    const int32_t   K = p->size.K, D = p->size.D;
    const double   *beta = find(prior, "mean_precision")->x;
    const double   *nu = find(prior, "degrees_of_freedom")->x;
    const mb_array *w = find(prior, "w_inverse");
    const int32_t   members = w->ndim == 2 ? D : 1;
    const double   *w_inverse = w->x;
    double          sum = 0, weights, det = 0;

    for (int32_t k = 0; k < K; k++)
        sum -= D / 2.0 * log(beta[k]);
    for (int32_t k = 0; k < (is_tied(p) ? 1 : K);
         k++, w_inverse += has_matrices(p) ? D * D : members) {
        if (!has_matrices(p))
            sum += mb_columns_normaliser_(D, members, nu[k], w_inverse);
        else {
            MB_TRY(log_det(a, D, w_inverse, &det, err));
            sum += mb_lgamma_multi_(D, nu[k] / 2) + nu[k] / 2 * (D * ln2 - det);
        }
    }
    MB_TRY(weights_normaliser(a, p, &weights, err));
    *out = sum + weights + weight * D / 2 * ln2pi;
    return MB_OK;
}

/* What is known of the run. */
static mb_status put_run(mb_attributes_ *t, const mb_posterior *p, const mb_ended *run,
                         mb_array *prior, mb_err *err)
{
    double more;

    if (run->settled >= 0)
        MB_TRY(mb_attribute_number_(t, "converged_", MB_ITEM_BOOL, run->settled, err));
    if (isnan(run->bound))
        return MB_OK;
    MB_TRY(left_out(t->a, p, prior, run->weight_total, &more, err));
    return mb_attribute_number_(t, "lower_bound_", MB_ITEM_REAL, run->bound + more, err);
}

/* The fields of textbook parameters as scikit-learn has them. */
static mb_status arrays(mb_arena *a, const mb_posterior *p, const double *par, mb_array **out,
                        mb_err *err)
{
    int32_t n;

    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, par, out, &n, err));
    if (has_matrices(p))
        return MB_OK;
    return mb_columns_arrays_(a, p->size.D, n, *out, err);
}

/* The estimator's options that its methods read: a default one with these attributes alone would take
 * sticks of a process for shares, silently. */
static mb_status put_options(mb_attributes_ *t, const mb_posterior *p, mb_err *err)
{
    static const char *const form[] = {[MB_COVARIANCE_FULL] = "full",
                                       [MB_COVARIANCE_DIAG] = "diag",
                                       [MB_COVARIANCE_SPHERICAL] = "spherical",
                                       [MB_COVARIANCE_TIED] = "tied"};
    static const char *const weights[] = {"dirichlet_distribution", "dirichlet_process"};
    const int                in_order = mb_gmm_weights_(&p->size)->weights->in_order != 0;

    mb_attribute_array_(
        t, "covariance_type",
        &(mb_array){.item = MB_ITEM_TEXT, .text = &form[p->size.choice[MB_GMM_FORM_CHOICE_]]});
    mb_attribute_array_(t, "weight_concentration_prior_type",
                        &(mb_array){.item = MB_ITEM_TEXT, .text = &weights[in_order]});
    return mb_attribute_number_(t, "n_components", MB_ITEM_INTEGER, p->size.K, err);
}

mb_status mb_gmm_sklearn_(mb_arena *a, const mb_posterior *p, const mb_ended *run, mb_array **out,
                          int32_t *count, mb_err *err)
{
    mb_attributes_ t;
    mb_array      *mine, *before, x, factor, whole;

    MB_TRY(arrays(a, p, p->par, &mine, err));
    MB_TRY(arrays(a, p, p->prior_par, &before, err));
    if (mb_gmm_weights_(&p->size)->weights->in_order)
        MB_TRY(sticks(a, find(mine, "weight_concentration"), find(before, "weight_concentration"),
                      err));
    MB_TRY(mb_attributes_begin_(a, p, run, &t, err));
    for (int k = 0; k < ATTRIBUTES; k++)
        if (attributes[k].name)
            mb_attribute_array_(&t, attributes[k].name, find(mine, attributes[k].key));
    factor = whole = *find(mine, "covariances");
    MB_TRY((has_matrices(p) ? precisions : mb_columns_precisions_)(a, find(mine, "covariances"),
                                                                   &factor.x, &whole.x, err));
    mb_attribute_array_(&t, "precisions_", &whole);
    mb_attribute_array_(&t, "precisions_cholesky_", &factor);
    for (int k = 0; k < ATTRIBUTES; k++)
        if (attributes[k].prior && one_prior(p, before)) { /* of the first component */
            x = *find(before, attributes[k].key);
            if (!is_common(p, attributes[k].key)) {
                x.ndim--;
                memmove(x.shape, x.shape + 1, 2 * sizeof *x.shape);
            }
            mb_attribute_array_(&t, attributes[k].prior, &x);
        }
    MB_TRY(put_options(&t, p, err));
    MB_TRY(put_run(&t, p, run, before, err));
    *out = t.list;
    *count = t.n;
    return MB_OK;
}
