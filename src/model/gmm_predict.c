/* gmm_predict.c - what a mixture says of new rows: density, responsibilities, labels. */
#include "expfam/normal_wishart.h"
#include "model/gmm_kernel.h"
#include "num/num.h"

#include <math.h>

static const double LN_PI = 1.14472988584940017414;

/* ln Gamma(h) - ln Gamma(h - D/2) in steps of a half: with many rows both are large and their
 * difference is not. */
static double ln_ratio(int32_t D, double h)
{
    double sum = 0;

    for (int32_t d = 1; d <= D; d++)
        sum += mb_lgamma_half_(h - 0.5 * d);
    return sum;
}

/* The exact predictive density is sum_k alpha_k/alpha St(x | m_k, Winv_k (1+beta)/(beta df), df),
 * df = nu + 1 - D: ln density = c_k - h_k ln(1 + g_k (x-m)' W (x-m)), h = (nu+1)/2,
 * g = beta/(1+beta). */
static mb_status student(const mb_model *m, const double *phi, mb_estep_ *g, mb_err *err)
{
    const mb_layout *l = &m->layout;
    double          *alpha = g->tmp, total = 0;
    const double    *L = g->tmp + g->K;

    if (mb_dirichlet.to_par(g->K, phi + l->block[MB_GMM_WEIGHTS].off, alpha, NULL) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "mixture weights (dirichlet.1) outside their domain");
    for (int32_t k = 0; k < g->K; k++)
        total += alpha[k];
    for (int32_t k = 0; k < g->K; k++) {
        const double *nw = phi + mb_gmm_at_(l, k);
        const double  half_nu = 0.5 * mb_nw_nu_(g->D, nw);

        MB_TRY(mb_gmm_factor_(m, phi, k, g, err));
        g->h[k] = half_nu + 0.5;
        g->g[k] = L[0] * L[0] / (1 + L[0] * L[0]);
        g->c[k] = log(alpha[k] / total) + ln_ratio(g->D, g->h[k]) -
                  0.5 * (g->D * (LN_PI - log(g->g[k])) + mb_nw_logdet_(g->D, L));
    }
    return MB_OK;
}

static void log_student(mb_estep_ *g)
{
    for (int32_t k = 0; k < g->K; k++) {
        double *r = g->r + (size_t)k * (size_t)g->block;

        g->kernel->density(g, k, 0, -1, r);
        for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++)
            r[l] = g->c[k] - g->h[k] * log1p(g->g[k] * r[l]);
    }
}

/* The lowest component of the largest r. */
static int32_t label(const mb_estep_ *g, int32_t l)
{
    int32_t best = 0;

    for (int32_t k = 1; k < g->K; k++)
        if (g->r[k * g->block + l] > g->r[best * g->block + l])
            best = k;
    return best;
}

static void hand_out(const mb_estep_ *g, mb_want want, double *out)
{
    for (int32_t l = 0; l < g->rows; l++) {
        const size_t j = (size_t)g->row[l];

        if (want == MB_WANT_LOGPDF)
            out[j] = g->lnz[l];
        else if (want == MB_WANT_LABEL)
            out[j] = label(g, l);
        else
            for (int32_t k = 0; k < g->K; k++)
                out[j * (size_t)g->K + (size_t)k] = g->r[k * g->block + l];
    }
}

mb_status mb_gmm_predict_(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                          double *out, double *scratch, mb_err *err)
{
    mb_estep_ g = mb_gmm_work_of_(m, scratch);
    mb_rows   all = *rows;
    double    total = 0;

    all.w = NULL; /* a row is predicted whatever its weight */
    if (want != MB_WANT_LOGPDF && want != MB_WANT_RESP && want != MB_WANT_LABEL)
        MB_FAIL(err, MB_E_NOSUP,
                "a mixture of Gaussians predicts densities, responsibilities and labels only");
    MB_TRY(mb_gmm_check_(&g, &all, err));
    MB_TRY(want == MB_WANT_LOGPDF ? student(m, phi, &g, err) : mb_gmm_expect_(m, phi, &g, err));
    for (int64_t next = 0; next < all.n;) {
        next = mb_gmm_fill_(&g, &all, next);
        if (want == MB_WANT_LOGPDF)
            log_student(&g);
        else
            mb_gmm_log_rho_(&g);
        MB_TRY(mb_gmm_normalise_(&g, &total, err));
        hand_out(&g, want, out);
    }
    return MB_OK;
}
