/* counts.h - a model whose local step does not depend on phi: a Dirichlet that counts. A row is a
 * vector of counts, so phi*_i = prior + scale * sum of rows, and the network's answer is known:
 * what an algorithm makes of it is averaging alone. */
#ifndef MB_TEST_COUNTS_H
#define MB_TEST_COUNTS_H

#include "meshbayes/extend.h"
#include "test.h"

enum { COUNTS_K = 3 };

static inline mb_status counts_stats(const mb_model *m, const double *phi, const mb_rows *rows,
                                     double *s, double *logz, double *scratch, mb_err *err)
{
    (void)scratch, (void)logz;
    for (int k = 0; k < m->K; k++)
        if (!(phi[k] > -1))
            MB_FAIL(err, MB_E_DOMAIN, "block 0 (dirichlet.1) slice 0: phi[%d] = %g", k, phi[k]);
    for (int64_t j = 0; j < rows->n; j++)
        for (int k = 0; k < m->K; k++)
            s[k] += rows->x[(size_t)j * rows->ld + (size_t)k];
    return MB_OK;
}

static inline mb_model counts_model(void)
{
    static const mb_model_ops ops = {.name = "counts", .stats = counts_stats};
    static const double       prior[COUNTS_K] = {0, 0, 0}, eps[1] = {1e-6};
    mb_model                  m = {.ops = &ops, .prior = prior, .eps = eps, .K = COUNTS_K};
    mb_err                    err;

    must(mb_layout_add(&m.layout, &mb_dirichlet, COUNTS_K, 1, &err));
    m.A_prior = -log(2); /* ln prod Gamma(1) / Gamma(3) */
    return m;
}

#endif
