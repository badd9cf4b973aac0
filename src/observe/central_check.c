/* One centralised step: does a network estimate stand still under VB on all rows? */
#include "observe/network.h"

#include <math.h>

/* phi* and the bound of every node at phi, eq. (18) and (15). MB_E_DOMAIN everywhere or nowhere. */
static mb_status every_node(mb_arena *a, const mb_problem *p, const double *phi, double *to,
                            size_t ld, mb_err *err)
{
    double *scratch;

    MB_NEW(scratch, a, mb_local_scratch(p->model), err);
    for (int32_t i = 0; i < p->part->n_local; i++) {
        double *row = to + (size_t)i * ld;

        MB_TRY(
            mb_local_step(p->model, &p->rows[i], p->scale, phi, row, &row[ld - 1], scratch, err));
    }
    return MB_OK;
}

mb_status mb_central_check(mb_arena *a, const mb_problem *p, const double *phi, double *moved,
                           double *bound, mb_err *err)
{
    const size_t len = p->model->layout.len, ld = len + 1;
    double      *all, *mean;

    MB_NEW(all, a, (size_t)p->part->n_local * ld, err);
    MB_NEW(mean, a, ld, err);
    MB_TRY(every_node(a, p, phi, all, ld, err));
    MB_TRY(mb_mean_of_(p, all, ld, ld, mean, err)); /* eq. (20) */
    *bound = mean[len];
    *moved = 0;
    for (size_t l = 0; l < len; l++)
        *moved = fmax(*moved, fabs(mean[l] - phi[l]) / fmax(1.0, fabs(phi[l])));
    return MB_OK;
}
