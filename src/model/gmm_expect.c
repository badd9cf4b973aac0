/* gmm_expect.c - expectations of a mixture's parameters at phi, for its E-step and its predictions. */
#include "expfam/normal_wishart.h"
#include "model/gmm_kernel.h"

#include <inttypes.h>

static const double LN_2PI = 1.83787706640934548356;

mb_estep_ mb_gmm_work_of_(const mb_model *m, double *scratch)
{
    return mb_estep_carve_(m->spec, m->K, m->layout.block[MB_GMM_NORMALS].dim, scratch);
}

mb_status mb_gmm_factor_(const mb_model *m, const double *phi, int32_t k, mb_estep_ *g, mb_err *err)
{
    double *L = g->tmp + g->K;

    if (mb_nw_factor_(g->D, phi + mb_gmm_at_(&m->layout, k), L) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "component %" PRId32 " (normal-wishart.1) outside its domain", k);
    mb_gmm_component_(g, k, L);
    return MB_OK;
}

/* E-step: ln rho_k = E[ln pi_k] + E[ln |Lambda_k|]/2 - D/2 ln 2 pi - E[(x-mu)' Lambda (x-mu)]/2,
 * the last term being (D/beta + nu (x-m)' W (x-m))/2. */
mb_status mb_gmm_expect_(const mb_model *m, const double *phi, mb_estep_ *g, mb_err *err)
{
    const mb_layout *l = &m->layout;
    double          *ln_pi = g->tmp;
    const double    *L = g->tmp + g->K;

    if (mb_dirichlet.moments(g->K, phi + l->block[MB_GMM_WEIGHTS].off, ln_pi, NULL, NULL) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "mixture weights (dirichlet.1) outside their domain");
    for (int32_t k = 0; k < g->K; k++) {
        const double *nw = phi + mb_gmm_at_(l, k);

        MB_TRY(mb_gmm_factor_(m, phi, k, g, err));
        g->g[k] = 0.5 * mb_nw_nu_(g->D, nw);
        g->c[k] = ln_pi[k] + 0.5 * (mb_nw_e_logdet_(g->D, nw, L) - g->D / (L[0] * L[0])) -
                  0.5 * g->D * LN_2PI;
    }
    return MB_OK;
}

void mb_gmm_log_rho_(mb_estep_ *g)
{
    for (int32_t k = 0; k < g->K; k++)
        g->kernel->density(g, k, g->c[k], g->g[k], g->r + (size_t)k * (size_t)g->block);
}
