/* tmm_step.c - what the passes over rows with and without gaps have in common. */
#include "model/tmm_step.h"

/* E[ln u] - E[u] of a row at one degree of freedom, digamma(1/2) - ln(1/2) - 1: responsibilities that
 * are given say nothing of u, and tails that are heavy at first keep rows far out from leading. */
static const double heavy = -2.2703628454614781;

const double *mb_tmm_dof_in_(const mb_model *m, const double *phi, int32_t k)
{
    const mb_block *b = &m->layout.block[MB_TMM_DOF_];

    return phi + b->off + b->len * (size_t)k;
}

void mb_tmm_add_(const mb_model *m, mb_tmm_work_ *w, int given, double *s)
{
    mb_estep_   *g = &w->g;
    const size_t n = (size_t)g->D + 1;

    mb_weights_add_(m, w->count, s);
    for (int32_t k = 0; k < g->K; k++) {
        mb_gmm_natural_(g->D + 1, w->count[k], g->S + (size_t)k * n * n, g->tmp,
                        s + mb_gmm_at_(&m->layout, k));
        if (m->layout.nblock > MB_TMM_DOF_) {
            double *dof = s + (mb_tmm_dof_in_(m, s, k) - s);

            dof[0] += w->count[k];
            dof[1] += given ? heavy * w->count[k] : w->gap[k];
        }
    }
}

mb_status mb_tmm_tail_(const mb_model *m, const double *phi, int32_t k, mb_tmm_work_ *w,
                       mb_tail_ *out, mb_err *err)
{
    const mb_tmm_spec_ *q = m->spec;

    *out = (mb_tail_){
        .D = w->g.D, .beta = w->one[k], .half = w->g.h[k], .n = MB_TMM_GRID, .dof = q->dof};
    if (q->dof > 0)
        return MB_OK;
    out->logs = w->family;
    if (mb_dof.moments(MB_TMM_GRID, mb_tmm_dof_in_(m, phi, k), NULL, NULL, w->family) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "degrees of freedom (dof.1) are outside their domain");
    return MB_OK;
}
