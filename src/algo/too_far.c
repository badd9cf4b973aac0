/* too_far.c - whether a step lowered the bound, or went beyond the place where it is largest on its
 * way (docs/math.md, section 21). */
#include "algo/too_far.h"

#include <math.h>

/* Whether the bound is below the one before by more than rounding leaves of its terms, which may be
 * large beside their sum: <phi, mu>. */
static int falls(const mb_trial_ *t, size_t len, const double *mu)
{
    const double least = 1e-12, digits = 1e-15;
    double       slack = least * fabs(t->before);

    for (size_t l = 0; l < len; l++)
        slack += digits * fabs(t->phi[l] * mu[l]);
    return t->bound < t->before - slack;
}

int mb_too_far_(const mb_layout *l, const mb_trial_ *t, double *mu, double *scratch)
{
    /* Squared, in posterior standard deviations: below it rounding decides. */
    const double least = 1e-22, back = 0.5;
    double      *there = mu + l->len, old = 0, now = 0;

    if (mb_moments(l, t->phi, there, NULL, scratch, NULL) < 0 || falls(t, l->len, there) ||
        mb_moments(l, t->from, mu, NULL, scratch, NULL) < 0)
        return 1;
    for (size_t e = 0; e < l->len; e++) {
        old += (t->phi[e] - t->from[e]) / t->part * (there[e] - mu[e]);
        now += (t->phi_star[e] - t->phi[e]) * (there[e] - mu[e]);
    }
    return t->part * old > least && now < -back * old;
}
