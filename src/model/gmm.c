/* gmm.c - Bayesian mixture of Gaussians with full covariances, Appendix A of the paper.
 *
 * A row adds r_k to entry k of the Dirichlet and r_k [1/2, svec(-z z'/2)], z = (1, x), to
 * normal-Wishart k; m, beta, W, nu never appear in the update. */
#include "expfam/normal_wishart.h"
#include "model/gmm_kernel.h"
#include "model/prior.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>

enum { MAX_K = 1000000, MAX_D = 10000 };

/* s += the sums in natural form. */
static void add_stats(const mb_model *m, mb_estep_ *g, double *s)
{
    const size_t n = (size_t)g->D + 1;

    g->kernel->sums(g);
    for (int32_t k = 0; k < g->K; k++) {
        const double *S = g->S + (size_t)k * n * n;

        s[m->layout.block[MB_GMM_WEIGHTS].off + (size_t)k] += S[0];
        mb_gmm_natural_(g->D + 1, S[0], S, g->tmp, s + mb_gmm_at_(&m->layout, k));
    }
}

/* The rows against the expectations that g holds. */
static mb_status expected(const mb_model *m, mb_estep_ *g, const mb_rows *rows, double *s,
                          double *logz, mb_err *err)
{
    double total = 0;

    for (int64_t next = 0; next < rows->n;) {
        next = mb_gmm_fill_(g, rows, next);
        mb_gmm_log_rho_(g);
        MB_TRY(mb_gmm_normalise_(g, &total, err));
        g->kernel->moments(g);
    }
    add_stats(m, g, s);
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    mb_estep_ g = mb_gmm_work_of_(m, scratch);

    MB_TRY(mb_gmm_check_(&g, rows, err));
    MB_TRY(mb_gmm_expect_(m, phi, &g, err));
    return expected(m, &g, rows, s, logz, err);
}

static mb_status more_stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err)
{
    mb_estep_ g = mb_gmm_work_of_(m, scratch);

    (void)phi;
    MB_TRY(mb_gmm_check_(&g, rows, err));
    return expected(m, &g, rows, s, logz, err);
}

/* r := the given responsibilities of the block's rows, times the weights. */
static mb_status given(mb_estep_ *g, const double *resp, mb_err *err)
{
    MB_TRY(mb_gmm_finite_(g, err));
    for (int32_t l = 0; l < g->rows; l++) {
        const double *p = resp + (size_t)g->row[l] * (size_t)g->K;

        for (int32_t k = 0; k < g->K; k++) {
            if (!(p[k] >= 0 && p[k] <= 1))
                MB_FAIL(err, MB_E_ARG,
                        "row %" PRId64 ", component %" PRId32 ": responsibility %g "
                        "is not in 0 to 1",
                        g->row[l], k, p[k]);
            g->r[(size_t)k * (size_t)g->block + (size_t)l] = g->w[l] * p[k];
        }
    }
    mb_gmm_weights_given_(g);
    return MB_OK;
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    mb_estep_ g = mb_gmm_work_of_(m, scratch);

    MB_TRY(mb_gmm_check_(&g, rows, err));
    for (int64_t next = 0; next < rows->n;) {
        next = mb_gmm_fill_(&g, rows, next);
        MB_TRY(given(&g, resp, err));
        g.kernel->moments(&g);
    }
    add_stats(m, &g, s);
    return MB_OK;
}

static const mb_model_ops ops = {.name = "gmm",
                                 .stats = stats,
                                 .more_stats = more_stats,
                                 .seed_stats = seed_stats,
                                 .predict = mb_gmm_predict_,
                                 .sample = mb_gmm_sample_};

mb_gmm_opt mb_gmm_defaults(int32_t K, int32_t D)
{
    return (mb_gmm_opt){.K = K, .D = D, .alpha0 = K > 0 ? 1.0 / K : 1, .beta0 = 1, .nu0 = D + 2.0};
}

static mb_status check_sizes(const mb_gmm_opt *o, mb_err *err)
{
    if (o->K < 1 || o->K > MAX_K)
        MB_FAIL(err, MB_E_ARG, "K = %" PRId32 " components; 1 to %d are possible", o->K, MAX_K);
    if (o->D < 1 || o->D > MAX_D)
        MB_FAIL(err, MB_E_ARG, "D = %" PRId32 " columns; 1 to %d are possible", o->D, MAX_D);
    if (!(o->alpha0 > 0 && isfinite(o->alpha0)))
        MB_FAIL(err, MB_E_ARG, "alpha0 = %g; it must be positive and finite", o->alpha0);
    if (!(o->beta0 > 0 && isfinite(o->beta0)))
        MB_FAIL(err, MB_E_ARG, "beta0 = %g; it must be positive and finite", o->beta0);
    if (!(o->nu0 > o->D - 1 && isfinite(o->nu0)))
        MB_FAIL(err, MB_E_ARG, "nu0 = %g; it must be finite and above D - 1 = %" PRId32, o->nu0,
                o->D - 1);
    for (int32_t i = 0; o->mu0 && i < o->D; i++)
        if (!isfinite(o->mu0[i]))
            MB_FAIL(err, MB_E_ARG, "mu0[%" PRId32 "] = %g; it must be finite", i, o->mu0[i]);
    return MB_OK;
}

/* par: textbook parameters of one component's prior. */
static void normal_par(const mb_gmm_opt *o, double *par)
{
    double *v = par;

    *v++ = o->nu0;
    *v++ = o->beta0;
    for (int32_t i = 0; i < o->D; i++)
        *v++ = o->mu0 ? o->mu0[i] : 0;
    for (int32_t i = 0; i < o->D; i++)
        for (int32_t j = 0; j <= i; j++)
            *v++ = o->w0inv ? o->w0inv[(size_t)i * (size_t)o->D + (size_t)j] : (double)(i == j);
}

static mb_status make_prior(mb_arena *a, const mb_gmm_opt *o, mb_model *m, mb_err *err)
{
    const mb_layout *l = &m->layout;
    double          *par;
    mb_status        st;

    MB_NEW(par, a, l->len, err);
    for (int32_t k = 0; k < o->K; k++) {
        par[l->block[MB_GMM_WEIGHTS].off + (size_t)k] = o->alpha0;
        normal_par(o, par + mb_gmm_at_(l, k));
    }
    st = mb_model_prior(a, par, m, err);
    if (st < 0 && st != MB_E_NOMEM)
        MB_FAIL(err, MB_E_ARG,
                "the prior can not be held in double precision: alpha0 = %g is too small, or w0inv "
                "is too small against beta0 = %g and mu0 (move the columns' origin to mu0)",
                o->alpha0, o->beta0);
    return st;
}

mb_status mb_gmm_new(mb_arena *a, const mb_gmm_opt *opt, mb_model *out, mb_err *err)
{
    mb_model m = {.ops = &ops, .K = opt->K};
    mb_how_ *how;
    double  *C;

    MB_TRY(check_sizes(opt, err));
    if (opt->w0inv) {
        MB_NEW(C, a, (size_t)opt->D * (size_t)opt->D, err);
        MB_TRY(mb_prior_matrix_("w0inv", opt->D, opt->w0inv, C, err));
    }
    MB_TRY(mb_layout_add(&m.layout, &mb_dirichlet, opt->K, 1, err));
    MB_TRY(mb_layout_add(&m.layout, &mb_normal_wishart, opt->D, opt->K, err));
    MB_TRY(make_prior(a, opt, &m, err));
    MB_NEW(how, a, 1, err);
    *how = mb_how_best_(opt->K, opt->D);
    m.spec = how;
    m.scratch = mb_estep_scratch_(opt->K, opt->D);
    *out = m;
    return MB_OK;
}
