/* kl_aligned.c - KL divergence between posteriors whose components are in any order, eq. (46). */
#include "core/observe.h"
#include "expfam/expfam.h"
#include "model/model.h"

/* The cost of components whose divergence is not finite: they are matched last. */
static const double FAR_APART = 1e290;

static size_t doubles(size_t bytes)
{
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

size_t mb_kl_aligned_scratch(const mb_model *m)
{
    const size_t K = (size_t)mb_alike_(m);

    return 2 * mb_canonical_len_(m) + 2 * m->layout.len /* mu(p), permuted q */ + m->layout.len +
           m->layout.scratch /* mb_kl */ + K * K + doubles(K * sizeof(int32_t)) +
           doubles(mb_assign_scratch((int32_t)K, (int32_t)K));
}

/* Both in canonical form. */
static mb_status kl_aligned(const mb_model *m, const double *p, const double *q, double *kl,
                            int32_t *perm, double *scratch, mb_err *err)
{
    const mb_layout *l = &m->layout;
    const size_t     K = (size_t)mb_alike_(m);
    double          *mu = scratch, *q_perm = mu + l->len, *work = q_perm + l->len;
    double          *cost = work + l->len + l->scratch;
    int32_t         *best = (int32_t *)(void *)(cost + K * K);
    double          *assign = cost + K * K + doubles(K * sizeof *best);

    if (K == 0)
        return mb_kl(l, p, q, kl, work, err);
    MB_TRY(mb_moments(l, p, mu, NULL, work, err));
    mb_match_cost(l, (int32_t)K, mu, q, cost);
    for (size_t k = 0; k < K * K; k++)
        if (!(cost[k] < FAR_APART))
            cost[k] = FAR_APART;
    MB_TRY(mb_assign(cost, (int32_t)K, (int32_t)K, best, assign, err));
    mb_match_exchange(l, (int32_t)K, mu, q, cost, best);
    mb_permute(l, (int32_t)K, best, q, q_perm);
    for (size_t k = 0; perm && k < K; k++)
        perm[k] = best[k];
    return mb_kl(l, p, q_perm, kl, work, err);
}

mb_status mb_kl_aligned(const mb_model *m, const double *p, const double *q, double *kl,
                        int32_t *perm, double *scratch, mb_err *err)
{
    const size_t  len = mb_canonical_len_(m);
    const double *of_p = mb_canonical_of_(m, p, scratch),
                 *of_q = mb_canonical_of_(m, q, scratch + len);

    return kl_aligned(m, of_p, of_q, kl, perm, scratch + 2 * len, err);
}
