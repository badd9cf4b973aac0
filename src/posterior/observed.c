/* observed.c - intervals of variances by the curvature of the log density of the rows and the prior
 * at the answer (observed information), in ln(variance): those of q are too narrow where states of
 * the rows were integrated out beside them (docs/math.md, section 35). */
#include "model/prior.h"
#include "num/num.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-3; /* of ln(variance) */

/* The variances: natural parameters (a - 1, -b) of n gammas at `at`. */
typedef struct point {
    const mb_rows *rows;
    int32_t        n;
    size_t         at;
    const double  *prior;
    double        *sums; /* len */
} point;

/* g (n): the slope of ln p(rows) + ln prior in each ln(variance), which the expected sums give. */
static mb_status slope(mb_arena *a, const mb_posterior *p, const point *of, double *g, mb_err *err)
{
    double logz = 0;

    MB_TRY(mb_posterior_sums_(a, p, of->rows, of->sums, &logz, err));
    for (int32_t i = 0; i < of->n; i++) {
        const size_t k = of->at + 2 * (size_t)i;
        const double tau = (p->phi[k] + 1) / -p->phi[k + 1];

        g[i] = -(of->sums[k + 1] + of->prior[k + 1]) * tau - (of->sums[k] + of->prior[k] + 1);
    }
    return MB_OK;
}

/* H (n x n): minus the derivatives of the slopes. */
static mb_status curvature(mb_arena *a, const mb_posterior *p, const point *of, double *H,
                           mb_err *err)
{
    const size_t n = (size_t)of->n;
    mb_posterior moved = *p;
    double      *g;

    MB_NEW(g, a, 2 * n, err);
    MB_NEW(moved.phi, a, p->len, err);
    for (size_t j = 0; j < n; j++) {
        for (int up = 0; up < 2; up++) {
            memcpy(moved.phi, p->phi, p->len * sizeof *p->phi);
            moved.phi[of->at + 2 * j + 1] *= exp(up ? STEP : -STEP);
            MB_TRY(slope(a, &moved, of, g + (size_t)up * n, err));
        }
        for (size_t i = 0; i < n; i++)
            H[i * n + j] = (g[i] - g[n + i]) / (2 * STEP);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            H[i * n + j] = H[j * n + i] = (H[i * n + j] + H[j * n + i]) / 2;
    return MB_OK;
}

/* sd (n): roots of the diagonal of the inverse of H, which is spoilt; NaN: it has none. */
static mb_status deviations(mb_arena *a, int32_t n, double *H, double *sd, mb_err *err)
{
    double *inverse;
    int     none;

    MB_NEW(inverse, a, n * n, err);
    none = mb_chol_(H, n) != 0;
    if (!none)
        mb_chol_inverse_(H, n, inverse);
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;

        for (int32_t l = i; l < n; l++)
            sum += inverse[l * n + i] * inverse[l * n + i];
        sd[i] = none ? (double)NAN : sqrt(sum);
    }
    return MB_OK;
}

/* The summary with both ends beside each variance. */
static mb_status widen(mb_arena *a, const double *sd, mb_summary *u, mb_err *err)
{
    static const char *const name[] = {"variance", "95 % from", "to"};
    const double             z = mb_student_quantile((double)INFINITY, 0.975);
    double                  *x, *none;

    MB_NEW(x, a, 3 * u->rows, err);
    MB_NEW(none, a, 3 * u->rows, err);
    for (int32_t i = 0; i < u->rows; i++) {
        x[3 * i] = u->mean[i];
        x[3 * i + 1] = u->mean[i] * exp(-z * sd[i]);
        x[3 * i + 2] = u->mean[i] * exp(z * sd[i]);
        none[3 * i] = none[3 * i + 1] = none[3 * i + 2] = (double)NAN;
    }
    u->columns = 3;
    u->name = name;
    u->mean = x;
    u->sd = none;
    return MB_OK;
}

mb_status mb_posterior_observed_(mb_arena *a, const mb_posterior *p, const mb_rows *rows,
                                 mb_summary *u, mb_err *err)
{
    mb_posterior ready = *p;
    point        of = {.rows = rows};
    double      *H, *sd, *prior;
    int          found = 1;

    if (!p->kind->variances || !p->prior_par || mb_posterior_ready(a, &ready, NULL) < 0)
        return MB_OK;
    of.n = p->kind->variances(&p->size, &p->model->layout, &of.at);
    MB_NEW(of.sums, a, p->len, err);
    MB_NEW(prior, a, p->len, err);
    MB_NEW(H, a, of.n * of.n, err);
    MB_NEW(sd, a, of.n, err);
    MB_TRY(mb_posterior_prior_(a, &ready, prior, err));
    of.prior = prior;
    MB_TRY(curvature(a, &ready, &of, H, err));
    MB_TRY(deviations(a, of.n, H, sd, err));
    for (int32_t i = 0; i < of.n; i++)
        found &= isfinite(sd[i]) != 0;
    return found && of.n == u->rows && u->columns == 1 ? widen(a, sd, u, err) : MB_OK;
}
