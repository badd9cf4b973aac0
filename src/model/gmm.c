/* gmm.c - Bayesian mixture of Gaussians: its options, the layout and the prior of each covariance. */
#include "base/gaps.h"
#include "base/groups.h"
#include "base/tied.h"
#include "expfam/expfam.h"
#include "model/columns.h"
#include "model/gmm_step.h"
#include "model/prior.h"

#include <inttypes.h>
#include <math.h>

enum { MAX_K = 1000000, MAX_D = 10000 };

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

    if (o->K < 1 || o->K > MAX_K)
        MB_FAIL(err, MB_E_ARG, "K = %" PRId32 " components; expected 1 to %d", o->K, MAX_K);
    if (o->D < 1 || o->D > MAX_D)
        MB_FAIL(err, MB_E_ARG, "D = %" PRId32 " columns; expected 1 to %d", o->D, MAX_D);
    MB_TRY(mb_check_positive_("alpha0", o->alpha0, err));
    MB_TRY(mb_check_positive_("beta0", o->beta0, err));
    least = has_matrix(o) ? o->D - 1 : 0;
    if (!(o->nu0 > least && isfinite(o->nu0)))
        MB_FAIL(err, MB_E_ARG, "nu0 = %g; it must be finite and above %s%" PRId32, o->nu0,
                least ? "D - 1 = " : "", least);
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
                         const mb_emission_ **emission, mb_err *err)
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
                       mb_model *m, const mb_emission_ **emission, mb_err *err)
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
    const mb_emission_ *emission;
    mb_model            m;

    MB_TRY(mb_gmm_base_(a, opt, NULL, 0, &m, &emission, err));
    if (emission)
        MB_TRY(mb_mixture_(a, opt->D, &emission, opt->grouped, &m, err));
    else if (MB_TIED_(opt->covariance == MB_COVARIANCE_TIED))
        MB_TRY(mb_gmm_tied_(a, opt->D, &m, err));
    else
        MB_TRY(mb_gmm_full_new_(a, opt->D, opt->grouped, &m, err));
    *out = m;
    return MB_OK;
}
