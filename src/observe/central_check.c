/* One centralised step: does a network estimate stand still under VB on all rows? */
#include "meshbayes/observe.h"

#include <math.h>
#include <string.h>

/* Every node's rows behind one another, as a fusion centre would hold them. */
static mb_status pool(mb_arena *a, const mb_problem *p, mb_rows *out, mb_err *err)
{
    double *x, *w;
    int64_t n = 0;
    int32_t d = 1;
    for (int32_t i = 0; i < p->part->n_local; i++) {
        n += p->rows[i].n;
        if (p->rows[i].n > 0)
            d = p->rows[i].d;
    }
    MB_NEW(x, a, (n ? n : 1) * d, err);
    MB_NEW(w, a, n ? n : 1, err);
    *out = (mb_rows){.x = x, .w = w, .n = n, .d = d, .ld = (size_t)d};
    for (int32_t i = 0; i < p->part->n_local; i++)
        for (int64_t j = 0; j < p->rows[i].n; j++, x += d) {
            memcpy(x, p->rows[i].x + (size_t)j * p->rows[i].ld, (size_t)d * sizeof *x);
            *w++ = p->rows[i].w ? p->rows[i].w[j] : 1;
        }
    return MB_OK;
}

mb_status mb_central_check(mb_arena *a, const mb_problem *p, const double *phi, double *moved,
                           double *bound, mb_err *err)
{
    const mb_model *m = p->model;
    mb_rows         all;
    double         *phi_star, *scratch;
    MB_TRY(pool(a, p, &all, err));
    MB_NEW(phi_star, a, m->layout.len, err);
    MB_NEW(scratch, a, mb_local_scratch(m), err);
    MB_TRY(mb_local_step(m, &all, 1.0, phi, phi_star, bound, scratch, err));
    *moved = 0;
    for (size_t l = 0; l < m->layout.len; l++)
        *moved = fmax(*moved, fabs(phi_star[l] - phi[l]) / fmax(1.0, fabs(phi[l])));
    return MB_OK;
}
