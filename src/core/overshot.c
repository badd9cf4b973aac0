/* overshot.c - whether a step went beyond the place where the bound is largest on its way. */
#include "core/turn.h"

int mb_overshot_(const mb_model *m, const double *from, const double *phi, const double *phi_star,
                 double part, double *work)
{
    /* Squared, in posterior standard deviations: below it rounding decides. */
    const double least = 1e-22, back = 0.5;
    const size_t L = m->layout.len;
    double      *mu = work, *there = work + L, *rest = work + 2 * L, old = 0, now = 0;

    if (mb_moments(&m->layout, from, mu, NULL, rest, NULL) < 0 ||
        mb_moments(&m->layout, phi, there, NULL, rest, NULL) < 0)
        return 1;
    for (size_t l = 0; l < L; l++) {
        old += (phi[l] - from[l]) / part * (there[l] - mu[l]);
        now += (phi_star[l] - phi[l]) * (there[l] - mu[l]);
    }
    return part * old > least && now < -back * old;
}
