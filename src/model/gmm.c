/* gmm.c - Bayesian mixture of Gaussians: options, layout and prior of each form of covariance, and what
 * its users see. The steps are those of full.c, tied.c and gaussian_columns.c. */
#include "base/err.h"
#include "base/gaps.h"
#include "base/groups.h"
#include "base/tied.h"
#include "expfam/expfam.h"
#include "model/columns.h"
#include "model/components.h"
#include "model/export.h"
#include "model/gmm_form.h"
#include "model/gmm_options.h"
#include "model/gmm_step.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { NORMALS = MB_GMM_NORMALS_ };

static size_t at(const mb_layout *l, int32_t k)
{
    return mb_gmm_at_(l, k);
}

mb_gmm_opt mb_gmm_defaults(int32_t K, int32_t D)
{
    return (mb_gmm_opt){.K = K, .D = D, .alpha0 = K > 0 ? 1.0 / K : 1, .beta0 = 1, .nu0 = D + 2.0};
}

/* 1: the components have matrices, or share one. */
static int has_matrix(const mb_gmm_opt *o)
{
    return o->covariance == MB_COVARIANCE_FULL || o->covariance == MB_COVARIANCE_TIED;
}

static mb_status check(mb_arena *a, const mb_gmm_opt *o, mb_err *err)
{
    int32_t least;

    MB_TRY(mb_check_sizes_(o->K, o->D, err));
    MB_TRY(mb_check_positive_("alpha0", o->alpha0, err));
    MB_TRY(mb_check_positive_("beta0", o->beta0, err));
    least = has_matrix(o) ? o->D - 1 : 0;
    if (!(o->nu0 > least && isfinite(o->nu0)))
        MB_FAIL_OPTION(err, "nu0", MB_E_ARG, "nu0 = %g; it must be finite and above %s%" PRId32,
                       o->nu0, least ? "D - 1 = " : "", least);
    if (o->covariance < 0 || o->covariance >= MB_COVARIANCES)
        MB_FAIL(err, MB_E_ARG, "covariance = %d; expected full, diag, spherical or tied",
                (int)o->covariance);
    if (o->covariance == MB_COVARIANCE_TIED && !MB_TIED_(1))
        MB_FAIL(err, MB_E_NOSUP,
                "this build has no tied covariances (it was made with MB_TIED=OFF)");
    if (o->grouped && !MB_GROUPS_(1))
        MB_FAIL(err, MB_E_NOSUP,
                "this build has no rows in groups (it was made with MB_GROUPS=OFF)");
    if (o->covariance == MB_COVARIANCE_TIED && o->K > MB_TIED_MOST)
        MB_FAIL(err, MB_E_ARG, "K = %" PRId32 " components; expected 1 to %d that share a matrix",
                o->K, MB_TIED_MOST);
    MB_TRY(mb_check_finite_("mu0", o->D, o->mu0, err));
    if (has_matrix(o))
        return mb_check_matrix_(a, "w0inv", o->D, o->w0inv, err);
    for (int32_t d = 0; o->w0inv && d < (o->covariance == MB_COVARIANCE_DIAG ? o->D : 1); d++)
        MB_TRY(mb_check_positive_("w0inv", o->w0inv[d], err));
    return MB_OK;
}

/* The blocks of the components, and how their columns are explained; NULL: by matrices. */
static mb_status lay_out(mb_arena *a, const mb_gmm_opt *o, mb_layout *l,
                         const mb_emission **emission, mb_err *err)
{
    int32_t *column;

    MB_TRY(mb_layout_add(l, o->process ? &mb_sticks : &mb_dirichlet, o->K, 1, err));
    *emission = has_matrix(o) ? NULL : &mb_gaussian_columns_;
    if (MB_TIED_(o->covariance == MB_COVARIANCE_TIED))
        return mb_layout_add(l, &mb_tied_wishart, mb_tied_dim(o->D, o->K), 1, err);
    if (o->covariance == MB_COVARIANCE_FULL)
        return mb_layout_add(l, &mb_normal_wishart, o->D, o->K, err);
    if (o->covariance == MB_COVARIANCE_SPHERICAL)
        return mb_layout_add(l, &mb_normal_gamma_diag, o->D, o->K, err);
    MB_NEW(column, a, o->D, err);
    for (int32_t d = 0; d < o->D; d++)
        column[d] = d;
    return mb_layout_add_product(l, &mb_normal_gamma_diag, 1, o->D, column, o->K, err);
}

/* Textbook parameters of a component without a matrix: members of `dim` columns. */
static void columns_par(const mb_gmm_opt *o, int32_t dim, double *par)
{
    for (int32_t first = 0; first < o->D; first += dim, par += 2 + 2 * (size_t)dim) {
        par[0] = 0.5 * dim * o->nu0;
        par[1] = 0;
        for (int32_t d = 0; d < dim; d++) {
            const int32_t at = o->covariance == MB_COVARIANCE_DIAG ? first : 0;

            par[1] += o->w0inv ? 0.5 * o->w0inv[at] : 0.5;
            par[2 + d] = o->mu0 ? o->mu0[first + d] : 0;
            par[2 + dim + d] = o->beta0;
        }
    }
}

/* Those of all components that share a matrix: [beta, m] of each, then nu and the matrix. */
static void tied_par(const mb_gmm_opt *o, double *par)
{
    for (int32_t k = 0; k < o->K; k++) {
        *par++ = o->beta0;
        for (int32_t d = 0; d < o->D; d++)
            *par++ = o->mu0 ? o->mu0[d] : 0;
    }
    *par++ = o->nu0;
    for (int32_t i = 0; i < o->D; i++)
        for (int32_t j = 0; j <= i; j++)
            *par++ = o->w0inv ? o->w0inv[(size_t)i * (size_t)o->D + (size_t)j] : i == j;
}

static mb_status make_prior(mb_arena *a, const mb_gmm_opt *o, mb_model *m, mb_err *err)
{
    const mb_layout *l = &m->layout;
    double          *par;
    mb_status        st;

    MB_NEW(par, a, l->len, err);
    for (int32_t k = 0; k < o->K; k++) {
        if (o->process) { /* v ~ Beta(1, alpha0) */
            par[2 * k] = 1;
            par[2 * k + 1] = o->alpha0;
        } else
            par[k] = o->alpha0;
        if (o->covariance == MB_COVARIANCE_FULL)
            mb_prior_par_(o->nu0, o->beta0, o->D, o->mu0, o->w0inv, 1, par + at(l, k));
        else if (o->covariance != MB_COVARIANCE_TIED)
            columns_par(o, l->block[NORMALS].dim, par + at(l, k));
    }
    if (MB_TIED_(o->covariance == MB_COVARIANCE_TIED))
        tied_par(o, par + l->block[NORMALS].off);
    st = mb_model_prior(a, par, m, err);
    if (st < 0 && st != MB_E_NOMEM)
        MB_FAIL(err, MB_E_ARG,
                "the prior cannot be held in double precision: alpha0 = %g is too small, or w0inv "
                "is too small against beta0 = %g and mu0 (move the columns' origin to mu0)",
                o->alpha0, o->beta0);
    return st;
}

mb_status mb_gmm_base_(mb_arena *a, const mb_gmm_opt *opt, const mb_family *more, int32_t dim,
                       mb_model *m, const mb_emission **emission, mb_err *err)
{
    MB_TRY(check(a, opt, err));
    *m = (mb_model){.K = opt->K};
    MB_TRY(lay_out(a, opt, &m->layout, emission, err));
    if (more)
        MB_TRY(mb_layout_add(&m->layout, more, dim, opt->K, err));
    return make_prior(a, opt, m, err);
}

mb_status mb_gmm_new(mb_arena *a, const mb_gmm_opt *opt, mb_model *out, mb_err *err)
{
    const mb_emission *emission;
    mb_model           m;

    MB_TRY(mb_gmm_base_(a, opt, NULL, 0, &m, &emission, err));
    if (emission)
        MB_TRY(mb_mixture_(a, opt->D, &emission, NULL, opt->grouped, &m, err));
    else if (MB_TIED_(opt->covariance == MB_COVARIANCE_TIED))
        MB_TRY(mb_gmm_tied_(a, opt->D, &m, err));
    else
        MB_TRY(mb_gmm_full_new_(a, opt->D, opt->grouped, &m, err));
    *out = m;
    return MB_OK;
}

/* ---- the form of the covariances ---- */

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

/* The numbers of component k, and what follows the last one. */
static const double *component_at(const mb_sizes *s, const double *par, int32_t k)
{
    size_t step;

    return par + mb_gmm_first_(s) + (size_t)k * mb_gmm_form_of_(s)->slice(s, &step);
}

static const double *shared_at(const mb_sizes *s, const double *par)
{
    return component_at(s, par, s->K);
}

/* ---- the prior, as the options ask for it ---- */

/* Those that the form depends on. */
static mb_sizes form_sizes(const mb_gmm_kind *o, int32_t D)
{
    return (mb_sizes){.D = D, .choice = {[MB_GMM_FORM_CHOICE_] = o->covariance_type}};
}

int32_t mb_gmm_needs_covariance_(const void *opt)
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
    const int32_t  D = seen->d;
    mb_gmm_opt     o = mb_gmm_defaults((int32_t)own->n_components, D);
    const mb_sizes s = form_sizes(own, D);
    double        *mu0, *w0inv;
    int32_t        which, step;
    size_t         n;

    n = mb_gmm_form_of_(&s)->scatter(&s, &step);
    MB_TRY(mb_prior_word_(own->prior, MB_GMM_PRIORS_, &which, err));
    MB_NEW(mu0, a, D, err);
    MB_NEW(w0inv, a, n, err);
    MB_TRY(prior_mean(own, which, seen, mu0, err));
    MB_TRY(prior_scatter(a, own, &s, which, seen, w0inv, warning, err));
    for (int32_t d = 0; d < D; d++)
        mu0[d] = (mu0[d] - run->origin[d]) / run->scale[d];
    scatter_to_run(run, n, step, w0inv);
    o.alpha0 = mb_automatic_(own->alpha0, which == MB_GMM_PAPER_ ? mb_gmm_paper_ : o.alpha0);
    o.beta0 = mb_automatic_(own->beta0, which == MB_GMM_PAPER_ ? mb_gmm_paper_ : o.beta0);
    o.nu0 = mb_automatic_(own->nu0, which == MB_GMM_EMPIRICAL_ ? D
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

static mb_status prior_of(mb_arena *a, const void *opt, const mb_units *run,
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

/* ---- scikit-learn's attributes ---- */

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
static mb_status put_run(mb_attributes_ *t, const mb_posterior *p, const mb_run_info *run,
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
    for (int32_t c = MB_GMM_FORM_CHOICE_; c <= MB_GMM_WEIGHTS_CHOICE_; c++) {
        const mb_choice *of = &p->kind->choices[c];

        mb_attribute_array_(
            t, of->name, &(mb_array){.item = MB_ITEM_TEXT, .text = &of->word[p->size.choice[c]]});
    }
    return mb_attribute_number_(t, "n_components", MB_ITEM_INTEGER, p->size.K, err);
}

static mb_status sklearn_attributes(mb_arena *a, const mb_posterior *p, const mb_run_info *run,
                                    mb_array **out, int32_t *count, mb_err *err)
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

/* ---- the kind ---- */

#define AT(field) offsetof(mb_gmm_kind, field)

static const mb_opt options[] = {
    MB_GMM_COMPONENTS_(AT),
    {"covariance-type", MB_OPT_CHOICE, AT(covariance_type), "full", 0, 0,
     "full|diag|spherical|tied", "", "math 16", "covariance_type",
     "full: each component has a covariance matrix; diag: a variance for each column; spherical: "
     "one variance, for columns in the same unit; tied: all components share one matrix"},
    MB_GMM_WEIGHTS_OPTION_(AT),
    {"gmm.unit", MB_OPT_CHOICE, AT(unit), "row", 0, 0, "row|group", "", "math 23", "",
     "group: all rows of a group, as repeated measurements of one thing, are of one component; "
     "--group-column and --group-file set it"},
    MB_GMM_PRIOR_OPTIONS_(AT),
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* A single variance has one unit. */
static int32_t one_scale(const mb_sizes *s)
{
    return s->choice[MB_GMM_FORM_CHOICE_] == MB_COVARIANCE_SPHERICAL;
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    mb_gmm_opt o = mb_gmm_defaults(s->K, s->D);

    o.covariance = (mb_covariance)s->choice[MB_GMM_FORM_CHOICE_];
    o.process = s->choice[MB_GMM_WEIGHTS_CHOICE_];
    o.grouped = s->choice[MB_GMM_UNIT_CHOICE_];
    return mb_gmm_new(a, &o, out, err);
}

int32_t mb_gmm_fields_(const mb_sizes *s, mb_field *out)
{
    const int32_t n = mb_weights_fields(mb_gmm_weights_(s), s->K, out);

    return n + mb_gmm_form_of_(s)->fields(s, out + n);
}

mb_status mb_gmm_derive_(mb_arena *a, const mb_sizes *s, const double *par, double *out,
                         mb_err *err)
{
    (void)a, (void)err;
    mb_shares(mb_gmm_weights_(s), s->K, par, out);
    for (int32_t k = 0; k < s->K; k++)
        mb_gmm_form_of_(s)->derive(s, component_at(s, par, k), shared_at(s, par), k, out + s->K);
    return MB_OK;
}

int32_t mb_gmm_drawn_(const mb_sizes *s, mb_field *out)
{
    out[0] = (mb_field){.key = "weight", 1, {s->K}, .step = 1};
    return 1 + mb_gmm_form_of_(s)->drawn(s, out + 1);
}

double mb_gmm_describe_(const mb_sizes *s, const double *par, int32_t k, int32_t x, int32_t y)
{
    const mb_gmm_form_ *form = mb_gmm_form_of_(s);
    const double       *c = component_at(s, par, k);
    size_t              step;

    (void)form->slice(s, &step);
    return y < 0 ? c[form->mean + (size_t)x * step]
                 : form->covariance(s, c, shared_at(s, par), x, y);
}

int32_t mb_gmm_numbers_(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_gmm_kind *o = opt;
    const mb_sizes     s = form_sizes(o, columns);
    int32_t            step;

    out[0] = (mb_numbers){"prior.mu0", o->mu0_at, (size_t)columns, offsetof(mb_gmm_kind, mu0_at)};
    out[1] = (mb_numbers){"prior.w0inv", o->w0inv_at, mb_gmm_form_of_(&s)->scatter(&s, &step),
                          offsetof(mb_gmm_kind, w0inv_at)};
    return 2;
}

static const char *const covariances[] = {"full", "diag", "spherical", "tied",
                                          NULL}; /* mb_covariance */
static const char *const units[] = {"row", "group", NULL};
static const mb_choice   choices[] = {{"covariance_type", "covariance-type", covariances},
                                      MB_GMM_WEIGHTS_WORDS_,
                                      {"unit", "gmm.unit", units},
                                      {NULL, NULL, NULL}};

const mb_kind mb_kind_gmm = {.name = "gmm",
                             .title = "mixture of Gaussians",
                             .estimator = "BayesianMixture",
                             .gaps = MB_GAPS_(1),
                             .opts = options,
                             .opt_size = sizeof(mb_gmm_kind),
                             .choices = choices,
                             .groups = "gmm.unit=group",
                             .numbers = mb_gmm_numbers_,
                             .one_scale = one_scale,
                             .prior = prior_of,
                             .needs_covariance = mb_gmm_needs_covariance_,
                             .model = model,
                             .fields = mb_gmm_fields_,
                             .derive = mb_gmm_derive_,
                             .drawn = mb_gmm_drawn_,
                             .component = mb_gmm_describe_,
                             .sklearn = MB_EXPORT_(sklearn_attributes)};
