/* local.c - the local step of any model: phi* and the lower bound, eq. (15), (17a), (18). */
#include "base/straighten.h"
#include "core/loop.h"
#include "model/kind.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static int straightens(const mb_model *m)
{
    (void)m;
    return MB_STRAIGHTEN_(m->ops->straighten != NULL);
}

/* [statistics L | moments L, which are read after a step with a bound | the prior at phi, L, of a
 * model that has it | phi, L, straightened | scratch of the model or of the families] */
size_t mb_local_scratch(const mb_model *m)
{
    return (size_t)(2 + (m->ops->prior_at != NULL) + straightens(m)) * m->layout.len +
           (m->scratch > m->layout.scratch ? m->scratch : m->layout.scratch);
}

const double *mb_prior_at(const mb_model *m, const double *mu, const double *prior, size_t len,
                          double *own)
{
    double A;

    if (!m->ops->prior_at)
        return prior;
    memset(own, 0, len * sizeof *own);
    m->ops->prior_at(m, mu, own, &A);
    return own;
}

const double *mb_step_place_(const mb_model *m, const double *phi, const double *scratch)
{
    return straightens(m) ? scratch + (size_t)(2 + (m->ops->prior_at != NULL)) * m->layout.len
                          : phi;
}

void mb_canonical_(const mb_model *m, double *phi, double *scratch)
{
    if (m->ops->canonical && !straightens(m))
        m->ops->canonical(m, phi, scratch);
}

size_t mb_canonical_len_(const mb_model *m)
{
    return m->ops && m->ops->canonical ? m->layout.len + m->scratch : 0;
}

const double *mb_canonical_of_(const mb_model *m, const double *phi, double *own)
{
    if (!mb_canonical_len_(m))
        return phi;
    memcpy(own, phi, m->layout.len * sizeof *own);
    m->ops->canonical(m, own, own + m->layout.len);
    return own;
}

void mb_phi0_(const mb_kind *kind, const mb_model *m, const mb_units *run, const double *centres,
              uint64_t seed, int32_t attempt, double *phi)
{
    mb_rng rng = mb_rng_at(seed, MB_STREAM_START, UINT32_MAX, (uint64_t)attempt); /* of no node */

    kind->phi0(m, run, mb_kind_has_components(kind) ? centres : NULL, &rng, phi);
}

static mb_status not_finite(const mb_model *m, double scale, const double *s, mb_err *err)
{
    size_t l = 0;

    while (l + 1 < m->layout.len && isfinite(scale * s[l]))
        l++;
    MB_FAIL(err, MB_E_NUMERIC, "statistic %zu is %g, times %g; are the columns too large?", l, s[l],
            scale);
}

/* 0 x is 0 for a finite x and NaN otherwise. Without branches, in lanes, the loop vectorises. */
static int all_finite(double scale, const double *s, size_t len)
{
    enum { LANES = 4 };
    double zero[LANES] = {0};
    size_t l = 0;

    for (; l + LANES <= len; l += LANES)
        for (size_t u = 0; u < LANES; u++)
            zero[u] += 0 * (scale * s[l + u]);
    for (; l < len; l++)
        zero[0] += 0 * (scale * s[l]);
    return !isnan((zero[0] + zero[1]) + (zero[2] + zero[3]));
}

/* phi* = prior + scale s, eq. (18), written only when all of it is finite. */
static mb_status finish(const mb_model *m, const double *prior, double               scale,
                        const double *restrict s, double *restrict phi_star, mb_err *err)
{
    if (!all_finite(scale, s, m->layout.len))
        return not_finite(m, scale, s, err);
    for (size_t l = 0; l < m->layout.len; l++)
        phi_star[l] = prior[l] + scale * s[l];
    return MB_OK;
}

/* mu, the prior at phi, which is m's or that of prior_at in `own`, and
 * KL(phi || prior) = <phi - prior, mu> - A(phi) + A(prior), nats. */
static mb_status to_prior(const mb_model *m, const double *phi, double *mu, double *own,
                          double *scratch, const double **prior, double *kl, mb_err *err)
{
    double A, A_prior = m->A_prior;

    MB_TRY(mb_moments(&m->layout, phi, mu, &A, scratch, err));
    if (m->ops->prior_at) {
        m->ops->prior_at(m, mu, own, &A_prior);
        *prior = own;
    }
    *kl = A_prior - A;
    for (size_t l = 0; l < m->layout.len; l++)
        *kl += (phi[l] - (*prior)[l]) * mu[l];
    return MB_OK;
}

/* Small nodes add up few rows: without log_base there is less code, and bounds have other last bits. */
#ifdef __OPTIMIZE_SIZE__
enum { BY_BASE = 0 };
#else
enum { BY_BASE = 1 };
#endif

/* sum_j w_j ln Z_j from the statistics of the rows. */
static double log_z(const mb_model *m, const double *s, const double *mu)
{
    double sum = m->ops->log_base(m, s);

    for (size_t l = 0; l < m->layout.len; l++)
        sum += s[l] * mu[l];
    return sum;
}

mb_status mb_fixed_new_(mb_arena *a, const mb_model *m, int32_t n, double **out, mb_err *err)
{
    *out = NULL;
    if (!m->ops->fixed_stats)
        return MB_OK;
    MB_NEW(*out, a, (size_t)n * m->layout.len, err);
    for (int32_t i = 0; i < n; i++)
        *mb_fixed_of_(*out, m, i) = (double)NAN;
    return MB_OK;
}

mb_status mb_local_step_(const mb_model *m, const mb_rows *rows, double scale, const double *phi,
                         double *fixed, double *phi_star, double *bound, double *mu,
                         double *scratch, mb_err *err)
{
    const size_t  L = m->layout.len;
    const int     linear = BY_BASE && m->ops->log_base;
    const int     known = fixed && (!bound || linear) && !isnan(fixed[0]);
    double       *s = known ? fixed : scratch, *moments = scratch + L, *own = scratch + 2 * L;
    double       *rest = own + (m->ops->prior_at ? L : 0), logz = 0, kl = 0;
    const double *prior = m->prior;

    if (straightens(m)) {
        phi = mb_straight_(m, phi, rest, rest + L);
        rest += L;
    }
    if (!known) {
        memset(s, 0, L * sizeof *s);
        MB_TRY(m->ops->stats(m, phi, rows, s, linear ? NULL : &logz, rest, err));
        if (linear && !all_finite(scale, s, L)) /* names the row */
            MB_TRY(m->ops->stats(m, phi, rows, s, &logz, rest, err));
    }
    if (known || bound || mu || m->ops->prior_at) /* known: stats has not looked at phi */
        MB_TRY(to_prior(m, phi, moments, own, rest, &prior, &kl, err));
    MB_TRY(finish(m, prior, scale, s, phi_star, err));
    if (bound)
        *bound = scale * (linear ? log_z(m, s, moments) : logz) - kl; /* eq. (15) */
    if (mu)
        memcpy(mu, moments, L * sizeof *mu);
    if (fixed && !known)
        memcpy(fixed, s, L * sizeof *s);
    return MB_OK;
}

mb_status mb_local_step(const mb_model *m, const mb_rows *rows, double scale, const double *phi,
                        double *phi_star, double *bound, double *mu, double *scratch, mb_err *err)
{
    return mb_local_step_(m, rows, scale, phi, NULL, phi_star, bound, mu, scratch, err);
}

mb_status mb_seed_step_(const mb_model *m, const mb_rows *rows, double scale, const double *resp,
                        double *fixed, double *phi_star, double *scratch, mb_err *err)
{
    const size_t  L = m->layout.len;
    const int     known = fixed && !isnan(fixed[0]);
    double       *s = known ? fixed : scratch;
    double       *own = scratch + 2 * L, *rest = own + (m->ops->prior_at ? L : 0), kl;
    const double *prior = m->prior;

    if (m->ops->prior_at)
        MB_TRY(to_prior(m, m->prior, scratch + L, own, rest, &prior, &kl, err));
    if (!known)
        memset(s, 0, L * sizeof *s);
    if (!known && m->ops->seed_stats)
        MB_TRY(m->ops->seed_stats(m, rows, resp, s, rest, err));
    else if (!known)
        MB_TRY(m->ops->stats(m, m->prior, rows, s, NULL, rest, err));
    MB_TRY(finish(m, prior, scale, s, phi_star, err));
    if (fixed && !known)
        memcpy(fixed, s, L * sizeof *s);
    return MB_OK;
}

mb_status mb_seed_step(const mb_model *m, const mb_rows *rows, double scale, const double *resp,
                       double *phi_star, double *scratch, mb_err *err)
{
    return mb_seed_step_(m, rows, scale, resp, NULL, phi_star, scratch, err);
}
