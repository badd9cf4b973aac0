/* The network mean of phi, and how far from it the nodes are. */
#include "meshbayes/observe.h"

#include <math.h>
#include <string.h>

void mb_mean_phi(const mb_problem *p, const mb_state *s, double *mean)
{
    const size_t  len = p->model->layout.len;
    const int32_t n = p->part->n_local;
    memset(mean, 0, len * sizeof *mean);
    for (int32_t i = 0; i < n; i++)
        for (size_t l = 0; l < len; l++)
            mean[l] += s->phi[(size_t)i * s->ld + l];
    for (size_t l = 0; l < len; l++)
        mean[l] /= n;
}

double mb_disagreement(const mb_problem *p, const mb_state *s, const double *mean, double *per_node)
{
    double worst = 0;
    for (int32_t i = 0; i < p->part->n_local; i++) {
        const double *phi = s->phi + (size_t)i * s->ld;
        double        apart = 0, norm = 0, relative;
        for (size_t l = 0; l < p->model->layout.len; l++) {
            apart += (phi[l] - mean[l]) * (phi[l] - mean[l]);
            norm += mean[l] * mean[l];
        }
        relative = apart > 0 ? sqrt(apart / norm) : apart; /* 0 of 0 is agreement; NaN stays */
        if (per_node)
            per_node[i] = relative;
        if (!(relative <= worst))
            worst = relative;
    }
    return worst;
}
