/* posterior_gmm.c - the mixture of Gaussians in posterior files. */
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

/* A component's part of par: normal-Wishart [nu, beta, m, tril(W^-1)]. */
enum { PAR_NU, PAR_BETA, PAR_M };
enum { MAX_K = 1000000 };

/* Where component k begins in par. */
static size_t at(const posterior *p, int32_t k)
{
    const mb_block *b = &p->model.layout.block[1];

    return b->off + (size_t)k * b->len;
}

static mb_status put(mb_arena *a, const posterior *p, const double *par, json_t *out, mb_err *err)
{
    const int32_t K = p->K, D = p->D;
    json_t       *means = json_array(), *scatter = json_array(), *cov = json_array();
    double       *nu, *beta, *weight, sum = 0;

    MB_NEW(nu, a, 3 * (size_t)K, err);
    beta = nu + K;
    weight = beta + K;
    for (int32_t k = 0; k < K; k++)
        sum += par[k];
    for (int32_t k = 0; k < K; k++) {
        const double *c = par + at(p, k);

        weight[k] = par[k] / sum;
        nu[k] = c[PAR_NU];
        beta[k] = c[PAR_BETA];
        json_array_append_new(means, app_json_vector(c + PAR_M, D));
        json_array_append_new(scatter, app_json_triangle(c + PAR_M + D, D, 1));
        json_array_append_new(cov, app_json_triangle(c + PAR_M + D, D, c[PAR_NU]));
    }
    json_object_set_new(out, "weight_concentration", app_json_vector(par, K));
    json_object_set_new(out, "weights", app_json_vector(weight, K));
    json_object_set_new(out, "mean_precision", app_json_vector(beta, K));
    json_object_set_new(out, "degrees_of_freedom", app_json_vector(nu, K));
    json_object_set_new(out, "means", means);
    json_object_set_new(out, "covariances", cov);
    json_object_set_new(out, "w_inverse", scatter);
    return MB_OK;
}

static mb_status make(mb_arena *a, app_json *j, const json_t *o, posterior *p)
{
    const int64_t K = app_json_count(j, o, "n_components");
    const int32_t shape[] = {K < MAX_K ? (int32_t)K : MAX_K, p->D, p->D};
    mb_gmm_opt    opt;

    if (K < 1 || K > MAX_K)
        app_json_refuse(j, "n_components", "", "1 to 1000000");
    if (p->D < 1)
        app_json_refuse(j, "features", "", "at least one name");
    app_json_numbers(j, o, "w_inverse", 3, shape, NULL);
    MB_TRY(j->status);
    p->K = (int32_t)K;
    opt = mb_gmm_defaults(p->K, p->D); /* the prior plays no part in what a posterior predicts */
    return mb_gmm_new(a, &opt, &p->model, j->err);
}

/* Numbers above `low`. */
static void above(app_json *j, const char *key, int32_t n, const double *x, double low)
{
    char index[32], accepted[64];

    snprintf(accepted, sizeof accepted, "a number above %g", low);
    for (int32_t k = 0; k < n; k++) {
        snprintf(index, sizeof index, "[%d]", k);
        if (!(x[k] > low))
            app_json_refuse(j, key, index, accepted);
    }
}

/* W^-1 must be positive definite, which the family knows. */
static mb_status definite(mb_arena *a, app_json *j, const posterior *p, const double *par)
{
    const int32_t   D = p->D;
    const mb_block *b = &p->model.layout.block[1];
    double         *zero, *phi, *scratch, A;
    char            index[32];

    MB_NEW(zero, a, b->len, j->err);
    MB_NEW(phi, a, b->len, j->err);
    MB_NEW(scratch, a, b->family->scratch(D), j->err);
    for (int32_t k = 0; k < p->K; k++) {
        memcpy(zero, par + at(p, k), b->len * sizeof *zero);
        memset(zero + PAR_M, 0, (size_t)D * sizeof *zero); /* no digits lost to the mean */
        snprintf(index, sizeof index, "[%d]", k);
        if (b->family->from_par(D, zero, phi) < 0 ||
            b->family->moments(D, phi, NULL, &A, scratch) < 0)
            app_json_refuse(j, "w_inverse", index, "a positive definite matrix");
    }
    return j->status;
}

static mb_status get(mb_arena *a, app_json *j, const json_t *o, const posterior *p, double *par)
{
    const int32_t K = p->K, D = p->D, shape[] = {K, D, D};
    double       *nu, *beta, *m, *full;

    MB_NEW(nu, a, K, j->err);
    MB_NEW(beta, a, K, j->err);
    MB_NEW(m, a, (size_t)K * (size_t)D, j->err);
    MB_NEW(full, a, (size_t)K * (size_t)D * (size_t)D, j->err);
    app_json_numbers(j, o, "weight_concentration", 1, shape, par);
    app_json_numbers(j, o, "mean_precision", 1, shape, beta);
    app_json_numbers(j, o, "degrees_of_freedom", 1, shape, nu);
    app_json_numbers(j, o, "means", 2, shape, m);
    app_json_numbers(j, o, "w_inverse", 3, shape, full);
    above(j, "weight_concentration", K, par, 0);
    above(j, "mean_precision", K, beta, 0);
    above(j, "degrees_of_freedom", K, nu, D - 1);
    MB_TRY(j->status);
    for (int32_t k = 0; k < K; k++) {
        double *c = par + at(p, k);

        c[PAR_NU] = nu[k];
        c[PAR_BETA] = beta[k];
        memcpy(c + PAR_M, m + (size_t)k * (size_t)D, (size_t)D * sizeof *m);
        app_json_lower(j, "w_inverse", k, D, full + (size_t)k * (size_t)D * (size_t)D,
                       c + PAR_M + D);
    }
    MB_TRY(j->status);
    return definite(a, j, p, par);
}

static double total(const posterior *p)
{
    double sum = 0;

    for (int32_t k = 0; k < p->K; k++)
        sum += p->par[k];
    return sum;
}

/* Middle and spread of the whole mixture. */
static mb_status own_units(mb_arena *a, posterior *p, mb_err *err)
{
    MB_NEW(p->origin, a, p->D, err);
    MB_NEW(p->scale, a, p->D, err);
    for (int32_t d = 0; d < p->D; d++) {
        double spread = 0;

        for (int32_t k = 0; k < p->K; k++)
            p->origin[d] += p->par[k] / total(p) * p->par[at(p, k) + PAR_M + (size_t)d];
        for (int32_t k = 0; k < p->K; k++) {
            const double *c = p->par + at(p, k);
            const double  gap = c[PAR_M + d] - p->origin[d];

            spread += p->par[k] / total(p) *
                      (gap * gap + c[PAR_M + p->D + (int64_t)d * (d + 3) / 2] / c[PAR_NU]);
        }
        p->scale[d] = spread > 0 && isfinite(spread) ? sqrt(spread) : 1;
        p->log_jacobian += log(p->scale[d]);
    }
    return MB_OK;
}

/* v' E[Lambda] v for component k of mu = E[u], where -Lambda mu and Lambda are rows of svec(U). */
static double squared(const posterior *p, const double *mu, int32_t k, const double *v)
{
    const double *u = mu + at(p, k) + 1 + 1; /* E ln |Lambda|, then row 0 of U */
    double        sum = 0;

    for (int32_t i = 0; i < p->D; i++) {
        u++;
        for (int32_t j = 0; j <= i; j++)
            sum += (i == j ? 1 : sqrt(2)) * *u++ * v[i] * v[j];
    }
    return sum;
}

static mb_status beside(mb_arena *a, const posterior *p, const posterior *q, const int32_t *other,
                        json_t *out, mb_err *err)
{
    const mb_layout *l = &p->model.layout;
    double          *mu, *scratch, *apart, distance;

    MB_NEW(mu, a, l->len, err);
    MB_NEW(scratch, a, l->scratch, err);
    MB_NEW(apart, a, p->D, err);
    MB_TRY(mb_moments(l, p->phi, mu, NULL, scratch, err));
    for (int32_t k = 0; k < p->K; k++) {
        distance = 0;
        for (int32_t d = 0; d < p->D; d++) {
            apart[d] =
                p->par[at(p, k) + PAR_M + (size_t)d] - q->par[at(q, other[k]) + PAR_M + (size_t)d];
            distance = hypot(distance, apart[d]);
            apart[d] /= p->scale[d];
        }
        json_array_append_new(
            out, json_pack("{s:i, s:i, s:o, s:o, s:o, s:o}", "component", k, "other", other[k],
                           "weight", app_json_number(p->par[k] / total(p)), "other_weight",
                           app_json_number(q->par[other[k]] / total(q)), "mean_distance",
                           app_json_number(distance), "mean_distance_sd",
                           app_json_number(sqrt(squared(p, mu, k, apart)))));
    }
    return MB_OK;
}

const posterior_model posterior_gmm = {.name = "gmm",
                                       .predicts = 1 << MB_WANT_LABEL | 1 << MB_WANT_RESP,
                                       .put = put,
                                       .make = make,
                                       .get = get,
                                       .own_units = own_units,
                                       .beside = beside,
                                       .sklearn = posterior_gmm_sklearn};
