/* tmm_gaps.c - rows with gaps in a mixture of Student's t (docs/math.md, section 19).
 *
 * Given its component and u, what is missing of a row is Gaussian with the precision u P_mm. With
 * it integrated out u is Gamma((e + o)/2, rate e b/2), o the columns that are there and delta in b
 * at its smallest over what is missing; E[u (u P_mm)^-1] = P_mm^-1 does not depend on u. */
#include "model/tmm_step.h"
#include "num/num.h"

#include <math.h>

static const double LN_PI = 1.14472988584940017414, LN_2PI = 1.83787706640934548356;

/* What the missing columns change in c of the E-step: c has lnGamma(h) - lnGamma(e/2) -
 * D/2 ln(e/2), h = (e + D)/2. */
static double constant(const mb_tmm_work_ *w, int32_t k, const mb_split_ *q)
{
    const mb_estep_ *g = &w->g;
    const int32_t    gone = g->D - q->there;
    const double     half_e = g->h[k] - 0.5 * g->D;

    return mb_gmm_ln_ratio_(q->there, half_e + 0.5 * q->there) - mb_gmm_ln_ratio_(g->D, g->h[k]) +
           mb_gaps_volume_(g, q) + 0.5 * gone * (log(half_e) + LN_2PI - log(q->nu));
}

/* b and r of component k for the rows of a pattern. */
static void expected(mb_tmm_work_ *w, int32_t k, const mb_split_ *q)
{
    const mb_estep_ *g = &w->g;
    const double     h = g->h[k] - 0.5 * (g->D - q->there), c = g->c[k] + constant(w, k, q);
    double          *b = w->b + (size_t)k * (size_t)g->block;

    for (int32_t l = 0; l < q->rows; l++) {
        const int32_t at = q->row[l];

        b[at] = w->one[k] + w->per[k] * mb_split_distance_(g, q, l);
        g->r[(size_t)k * (size_t)g->block + (size_t)at] = c - h * log(b[at]) + 0 * b[at];
    }
}

/* r of component k for the rows of a pattern: the marginal of the predictive density. */
static void marginal(mb_tmm_work_ *w, int32_t k, const mb_split_ *q, mb_tail_ tail)
{
    const mb_estep_ *g = &w->g;
    const int32_t    gone = g->D - q->there;
    double          *r = g->r + (size_t)k * (size_t)g->block, c = g->c[k];

    tail.D = q->there;
    tail.half -= 0.5 * gone;
    c += mb_gmm_ln_ratio_(q->there, tail.half) - mb_gmm_ln_ratio_(g->D, g->h[k]) +
         mb_gaps_volume_(g, q) + 0.5 * gone * LN_PI;
    if (q->there)
        mb_tail_table_(&tail, mb_tail_nodes_(q->there, tail.dof), w->table);
    for (int32_t l = 0; l < q->rows; l++)
        r[q->row[l]] =
            c + (q->there ? mb_tail_ln_(&tail, g->kernel, mb_split_distance_(g, q, l)) : 0);
}

static mb_status densities(const mb_model *m, const double *phi, mb_tmm_work_ *w,
                           const mb_patterns_ *p, int predictive, mb_err *err)
{
    const mb_estep_ *g = &w->g;

    for (int32_t k = 0; k < g->K; k++) {
        double   *r = g->r + (size_t)k * (size_t)g->block;
        mb_split_ q;
        mb_tail_  tail;

        if (predictive)
            MB_TRY(mb_tmm_tail_(m, phi, k, w, &tail, err));
        MB_TRY(mb_gaps_component_(m, phi, k, g, &q, err));
        for (int32_t at = 0; at < p->n; at++) {
            MB_TRY(mb_gaps_factor_(g, k, p, at, &q, err));
            mb_split_solve_(g, &q);
            if (predictive)
                marginal(w, k, &q, tail);
            else
                expected(w, k, &q);
        }
        for (int32_t l = g->rows; l % MB_LANES_MAX; l++)
            r[l] = r[g->rows - 1];
    }
    return MB_OK;
}

/* Counts the rows of a pattern, and s = r E[u]; given: u is 1, and nothing is known of it. */
static void weigh(mb_tmm_work_ *w, int32_t k, const mb_split_ *q, int given, double *s)
{
    const mb_estep_ *g = &w->g;
    const double    *r = g->r + (size_t)k * (size_t)g->block;
    const double    *b = w->b + (size_t)k * (size_t)g->block;
    const double     half_e = g->h[k] - 0.5 * g->D, h = half_e + 0.5 * q->there;
    const double     ln_u = given ? 0 : mb_digamma_(h) - log(half_e);

    for (int32_t l = 0; l < q->rows; l++) {
        const int32_t at = q->row[l];
        const double  u = given ? 1 : h / half_e / b[at];

        w->count[k] += r[at];
        if (!given)
            w->gap[k] += r[at] * (ln_u - log(b[at]) - u);
        s[at] = r[at] * u;
    }
}

static mb_status moments(const mb_model *m, const double *phi, mb_tmm_work_ *w,
                         const mb_patterns_ *p, int given, mb_err *err)
{
    const mb_estep_ *g = &w->g;
    const size_t     n = (size_t)g->D + 1;
    double           s[MB_BLOCK_MAX];

    for (int32_t k = 0; k < g->K; k++) {
        mb_split_ q;

        MB_TRY(mb_gaps_component_(m, phi, k, g, &q, err));
        for (int32_t at = 0; at < p->n; at++) {
            MB_TRY(mb_gaps_factor_(g, k, p, at, &q, err));
            mb_split_solve_(g, &q);
            mb_split_complete_(g, &q);
            weigh(w, k, &q, given, s);
            mb_split_gather_(g, &q, s, g->r + (size_t)k * (size_t)g->block,
                             g->S + (size_t)k * n * n);
        }
    }
    return MB_OK;
}

/* The next block of rows with gaps and its patterns; 0: there is none. */
static int fill(mb_estep_ *g, const mb_rows *rows, int empty, int64_t *next, mb_patterns_ *p)
{
    *next = mb_gmm_fill_gaps_(g, rows, empty, *next);
    mb_patterns_find_(g, p);
    return g->rows > 0;
}

mb_status mb_tmm_gaps_absorb_(const mb_model *m, const double *phi, mb_tmm_work_ *w,
                              const mb_rows *rows, const double *resp, double *s, double *total,
                              mb_err *err)
{
    mb_estep_   *g = &w->g;
    const size_t n = (size_t)g->D + 1;
    mb_patterns_ p;

    for (size_t e = 0; e < (size_t)g->K * n * n; e++)
        g->S[e] = 0;
    for (int32_t k = 0; k < g->K; k++)
        w->count[k] = w->gap[k] = 0;
    for (int64_t next = 0; fill(g, rows, 0, &next, &p);) {
        MB_TRY(resp ? mb_gmm_given_(g, resp, err) : densities(m, phi, w, &p, 0, err));
        if (!resp)
            MB_TRY(mb_gmm_normalise_(g, total, err));
        MB_TRY(moments(m, phi, w, &p, resp != NULL, err));
    }
    mb_tmm_add_(m, w, resp != NULL, s);
    return MB_OK;
}

mb_status mb_tmm_gaps_predict_(const mb_model *m, const double *phi, mb_tmm_work_ *w,
                               const mb_rows *rows, mb_want want, double *out, mb_err *err)
{
    mb_patterns_ p;
    double       total = 0;

    for (int64_t next = 0; fill(&w->g, rows, 1, &next, &p);) {
        MB_TRY(densities(m, phi, w, &p, want == MB_WANT_LOGPDF, err));
        MB_TRY(mb_gmm_normalise_(&w->g, &total, err));
        mb_gmm_answer_(&w->g, want, out);
    }
    return MB_OK;
}
