/* statistics.c - one step of central VB whose sums over rows are made elsewhere: sums out, sums in. */
#include "base/rows.h"
#include "expfam/expfam.h"
#include "model/model.h"
#include "model/prior.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

/* The prior as natural parameters in the units of p, which may be improper. */
static mb_status prior(mb_arena *a, const mb_posterior *p, double *phi, mb_err *err)
{
    if (p->model->ops->prior_at || p->model->ops->overshoots || !p->prior_par)
        MB_FAIL(err, MB_E_NOSUP,
                "statistics: sums over rows alone do not give the next posterior of model %s",
                p->kind->name);
    return mb_posterior_prior_(a, p, phi, err);
}

mb_status mb_posterior_prior_(mb_arena *a, const mb_posterior *p, double *phi, mb_err *err)
{
    double *par;

    MB_NEW(par, a, p->len, err);
    memcpy(par, p->prior_par, p->len * sizeof *par);
    MB_TRY(mb_par_to_units_(a, &p->model->layout, NULL, &p->units, par, err));
    return mb_from_par(&p->model->layout, par, phi, err);
}

mb_status mb_posterior_adds_(mb_arena *a, const mb_posterior *p, mb_err *err)
{
    double *phi;

    MB_NEW(phi, a, p->len, err);
    return prior(a, p, phi, err);
}

mb_status mb_posterior_sums_(mb_arena *a, const mb_posterior *p, const mb_rows *rows, double *s,
                             double *logz, mb_err *err)
{
    mb_rows own;

    if (rows->d != mb_posterior_columns(p))
        MB_FAIL(err, MB_E_SHAPE, "x: got %d columns; expected %d, targets too", (int)rows->d,
                (int)mb_posterior_columns(p));
    MB_TRY(mb_rows_in_units(a, rows, p->units.origin, p->units.scale, &own, err));
    memset(s, 0, p->len * sizeof *s);
    MB_TRY(mb_row_statistics(a, p->model, &own, p->phi, NULL, s, logz, err));
    *logz -= mb_rows_weight(rows) * p->units.log_jacobian;
    if (rows->gaps)
        *logz += mb_gaps_jacobian(rows, p->units.scale);
    return MB_OK;
}

mb_status mb_posterior_step_(mb_arena *a, const mb_posterior *p, const double *s, mb_posterior *out,
                             double *kl, double *moved, mb_err *err)
{
    const size_t L = p->len;
    double      *first, *phi, *scratch;
    int32_t     *order; /* components keep their places, as those of the prior do */

    MB_NEW(first, a, L, err);
    MB_NEW(phi, a, L, err);
    MB_NEW(scratch, a, L + p->model->layout.scratch, err);
    MB_NEW(order, a, p->size.K + 1, err);
    for (int32_t k = 0; k < p->size.K; k++)
        order[k] = k;
    MB_TRY(prior(a, p, first, err));
    if (mb_kl(&p->model->layout, p->phi, first, kl, scratch, NULL) < 0)
        *kl = (double)NAN; /* an improper prior */
    *moved = 0;
    for (size_t l = 0; l < L; l++) {
        if (!isfinite(s[l]))
            MB_FAIL(err, MB_E_NUMERIC, "statistics: got %g as number %zu; expected finite ones",
                    s[l], l);
        phi[l] = first[l] + s[l];
        *moved = fmax(*moved, fabs(phi[l] - p->phi[l]) / fmax(1, fabs(p->phi[l])));
    }
    MB_TRY(mb_posterior_of(a, p->kind, &p->size, p->model, &p->units, phi, order, out, err));
    out->column = p->column;
    out->target = p->target;
    out->prior_par = p->prior_par;
    out->design = p->design;
    return MB_OK;
}
