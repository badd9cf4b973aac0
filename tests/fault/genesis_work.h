/* genesis_work.h - a genesis made of a sample, encoded, decoded, written, read and made again of an
 * answer. */
#ifndef MB_FAULT_GENESIS_WORK_H
#define MB_FAULT_GENESIS_WORK_H

#include "mesh/genesis.h"
#include "meshbayes/extend.h"
#include "posterior/posterior.h"

static inline mb_status genesis_work(mb_arena *a, const char *file, mb_err *err)
{
    static const double      x[] = {1, 2, 3, 4, 5, 6, 2, 9};
    static const char *const column[] = {"a", "b"};
    const mb_rows            rows = {.x = x, .n = 4, .d = 2, .ld = 2};
    const mb_gmm_kind        gmm = {.n_components = 2, .alpha0 = 1, .beta0 = 1, .nu0 = 3};
    const mb_plan            plan = {.kind = &mb_kind_gmm,
                                     .kind_opt = &gmm,
                                     .columns = 2,
                                     .column = column,
                                     .seed = 1,
                                     .from = MB_GENESIS_SAMPLE};
    mb_genesis               g, back;
    mb_posterior             p;
    mb_model                 m;
    unsigned char            block[1000];
    size_t                   n;

    MB_TRY(mb_genesis_of_sample(a, a, &plan, &rows, &g, err));
    MB_TRY(mb_genesis_encode(&g, block, sizeof block, &n, err));
    MB_TRY(mb_genesis_decode(a, block, n, &back, err));
    MB_TRY(mb_genesis_model(a, &back, &m, err));
    MB_TRY(mb_genesis_write(a, &back, file, err));
    MB_TRY(mb_genesis_read(a, file, NULL, &g, err));
    MB_TRY(mb_genesis_same(&g, &back, err));
    MB_TRY(mb_posterior_make(a, g.kind, &g.size, g.prior_par, &p, err));
    p.prior_par = g.prior_par;
    return mb_genesis_of_posterior(a, &p, &g, err);
}

#endif
