/* central_check.c - one step of central VB from a network estimate: does it stand still? */
#include "observe/network.h"

#include <math.h>

mb_status mb_central_check_in_(const mb_problem *p, const double *phi, double *all, double *after,
                               double *scratch, double *moved, double *bound, mb_err *err)
{
    const size_t len = p->model->layout.len, ld = len + 1;

    for (int32_t i = 0; i < p->part->n_local; i++) {
        double *row = all + (size_t)i * ld; /* phi*, eq. (18), and the bound, eq. (15) */

        MB_TRY(mb_local_step(p->model, &p->rows[i], p->scale, phi, row, &row[len], NULL, scratch,
                             err));
    }
    MB_TRY(mb_mean_of_(p, all, ld, ld, after, err)); /* eq. (20) */
    *bound = after[len];
    *moved = 0;
    for (size_t l = 0; l < len; l++)
        *moved = fmax(*moved, fabs(after[l] - phi[l]) / fmax(1.0, fabs(phi[l])));
    return MB_OK;
}

mb_status mb_central_check(mb_arena *a, const mb_problem *p, const double *phi, double *moved,
                           double *bound, mb_err *err)
{
    const size_t ld = p->model->layout.len + 1;
    double      *all, *after, *scratch;

    MB_NEW(all, a, (size_t)p->part->n_local * ld, err);
    MB_NEW(after, a, ld, err);
    MB_NEW(scratch, a, mb_local_scratch(p->model), err);
    return mb_central_check_in_(p, phi, all, after, scratch, moved, bound, err);
}
