/* gmm_world.h - a world with the paper's synthetic data, started at the nearest true mean. */
#ifndef MB_TEST_GMM_WORLD_H
#define MB_TEST_GMM_WORLD_H

#include "meshbayes/meshbayes.h"
#include "model/model.h"
#include "start/start.h"
#include "synthetic.h"
#include "test.h"
#include "world.h"

/* The first phi* of every node from the centres that rows are nearest to. */
static inline void gmm_world_start(world *w)
{
    static const double origin[SYN_D] = {0, 0}, scale[SYN_D] = {1, 1};
    const size_t        n = (size_t)w->net->part.n_local, len = w->model.layout.len;
    double             *scratch = mb_alloc(w->a, mb_local_scratch(&w->model), sizeof *scratch);
    mb_err              err;

    w->star = mb_alloc(w->a, n * len, sizeof *w->star);
    for (size_t i = 0; i < n; i++) {
        double *resp = mb_alloc(w->a, (size_t)w->rows[i].n * SYN_K, sizeof *resp);

        mb_nearest_resp(&w->rows[i], origin, scale, SYN_K, syn_mean[0], resp);
        must(mb_seed_step(&w->model, &w->rows[i], (double)n, resp, w->star + i * len, scratch,
                          &err));
    }
}

static inline world *gmm_world_of(mb_arena *a, const char *text, mb_rule rule, uint64_t seed,
                                  int32_t rows, mb_covariance covariance)
{
    world     *w = mb_alloc(a, 1, sizeof *w);
    double     mu0[SYN_D], w0inv[SYN_D * SYN_D];
    mb_gmm_opt opt = syn_paper_prior(mu0, w0inv);
    mb_err     err;
    int32_t    n;

    assert_non_null(w);
    *w = (world){.a = a, .net = world_net(a, text, seed, rule)};
    n = w->net->part.n_local;
    opt.covariance = covariance;
    if (covariance != MB_COVARIANCE_FULL)
        w0inv[1] = w0inv[3];
    must(mb_gmm_new(a, &opt, &w->model, &err));
    w->rows = mb_alloc(a, (size_t)n, sizeof *w->rows);
    for (int32_t i = 0; i < n; i++) {
        double *x = mb_alloc(a, (size_t)rows * SYN_D, sizeof *x);

        syn_rows(seed, i, n, rows, x);
        w->rows[i] = (mb_rows){.x = x, .n = rows, .d = SYN_D, .ld = SYN_D};
    }
    gmm_world_start(w);
    return w;
}

static inline world *gmm_world(mb_arena *a, const char *text, mb_rule rule, uint64_t seed,
                               int32_t rows)
{
    return gmm_world_of(a, text, rule, seed, rows, MB_COVARIANCE_FULL);
}

static inline world *gmm_diag_world(mb_arena *a, const char *text, mb_rule rule, uint64_t seed,
                                    int32_t rows)
{
    return gmm_world_of(a, text, rule, seed, rows, MB_COVARIANCE_DIAG);
}

static inline world *gmm_spherical_world(mb_arena *a, const char *text, mb_rule rule, uint64_t seed,
                                         int32_t rows)
{
    return gmm_world_of(a, text, rule, seed, rows, MB_COVARIANCE_SPHERICAL);
}

#endif
