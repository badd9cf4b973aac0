/* gmm_component.c - a Gaussian component with a matrix in the loops of kernel/. */
#include "expfam/normal_wishart.h"
#include "model/gmm_step.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;

mb_status mb_gmm_factor_(const mb_model *m, const double *phi, int32_t k, mb_estep_ *g, mb_err *err)
{
    double *L = g->tmp + g->K;

    if (mb_nw_factor_(g->D, phi + mb_gmm_at_(&m->layout, k), L) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (normal-wishart.1) is outside its domain",
                k);
    mb_gmm_component_(g, k, L);
    return MB_OK;
}

/* E[ln |Lambda_k|]/2 - D/2 ln 2 pi - E[(x-mu)' Lambda (x-mu)]/2 = c_k - g_k distance_k, as the last
 * term is (D/beta + nu (x-m)' W (x-m))/2. */
void mb_gmm_expect_(const double *nw, int32_t k, double ln_pi, mb_estep_ *g)
{
    const double *L = g->tmp + g->K;

    g->g[k] = 0.5 * mb_nw_nu_(g->D, nw);
    g->c[k] =
        ln_pi + 0.5 * (mb_nw_e_logdet_(g->D, nw, L) - g->D / (L[0] * L[0])) - 0.5 * g->D * LN_2PI;
}

/* St(x | m_k, Winv_k (1+beta)/(beta df), df), df = nu + 1 - D: ln density = c_k - h_k ln(1 + g_k
 * (x-m)' W (x-m)), h = (nu+1)/2, g = beta/(1+beta). */
void mb_gmm_student_(const double *nw, int32_t k, double ln_share, mb_estep_ *g)
{
    const double *L = g->tmp + g->K;

    g->h[k] = 0.5 * mb_nw_nu_(g->D, nw) + 0.5;
    g->g[k] = L[0] * L[0] / (1 + L[0] * L[0]);
    g->c[k] = ln_share + mb_gmm_ln_ratio_(g->D, g->h[k]) -
              0.5 * (g->D * (LN_PI - log(g->g[k])) + mb_nw_logdet_(g->D, L));
}

void mb_gmm_student_density_(const mb_estep_ *g, int32_t k)
{
    double *r = g->r + (size_t)k * (size_t)g->block;

    g->kernel->density(g, k, 0, -1, r);
    for (int32_t l = 0; l < g->rows || l % MB_LANES_MAX; l++)
        r[l] = g->c[k] - g->h[k] * log1p(g->g[k] * r[l]);
}

void mb_gmm_sums_(const mb_model *m, const mb_estep_ *g, double *s)
{
    const size_t n = (size_t)g->D + 1;

    g->kernel->sums(g);
    for (int32_t k = 0; k < g->K; k++) {
        const double *S = g->S + (size_t)k * n * n;

        g->h[k] = S[0];
        mb_gmm_natural_(g->D + 1, S[0], S, g->tmp, s + mb_gmm_at_(&m->layout, k));
    }
}
