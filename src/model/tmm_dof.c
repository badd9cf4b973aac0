/* tmm_dof.c - the degrees of freedom in the posterior of a robust mixture. */
#include "model/gmm_form.h"
#include "model/model.h"
#include "model/tmm.h"

#include <math.h>

double mb_tmm_given_(int32_t word)
{
    static const double value[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100};

    return value[word];
}

size_t mb_tmm_dof_at_(const mb_sizes *s)
{
    size_t step;

    return mb_gmm_first_(s) + (size_t)s->K * mb_gmm_form_of_(s)->slice(s, &step);
}

double mb_tmm_dof_(const mb_sizes *s, const double *par, int32_t k)
{
    double scratch[2 * MB_TMM_GRID], mu[2];

    if (s->choice[MB_TMM_CHOICE_])
        return mb_tmm_given_(s->choice[MB_TMM_CHOICE_]);
    if (mb_dof.moments(MB_TMM_GRID, par + mb_tmm_dof_at_(s) + 2 * (size_t)k, mu, NULL, scratch) < 0)
        return (double)NAN;
    return 2 * mu[1];
}
