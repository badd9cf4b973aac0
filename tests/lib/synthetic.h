/* synthetic.h - the paper's synthetic problem (section V-A): three Gaussians in the plane, every
 * node with its own mixture of them. For tests and benchmarks. */
#ifndef MB_TEST_SYNTHETIC_H
#define MB_TEST_SYNTHETIC_H

#include "meshbayes/meshbayes.h"
#include "model/model.h"

#include <math.h>

enum { SYN_K = 3, SYN_D = 2 };

static const double syn_mean[SYN_K][SYN_D] = {{1.5, 3.5}, {4, 4}, {6.5, 4.5}};

/* Rows of node i of N: of each hundred, how many come from each component. */
static inline const int *syn_shares(int32_t i, int32_t N)
{
    static const int share[3][SYN_K] = {{80, 10, 10}, {5, 90, 5}, {20, 20, 60}};

    return share[10 * i < 3 * N ? 0 : 10 * i < 7 * N ? 1 : 2];
}

/* n rows of node i, n x 2. The covariances are [.6, .4; .4, .6], with -.4 for the second. */
static inline void syn_rows(uint64_t seed, int32_t i, int32_t N, int32_t n, double *x)
{
    mb_rng     rng = mb_rng_at(seed, MB_STREAM_DATA, (uint32_t)i, 0);
    const int *share = syn_shares(i, N);

    for (int32_t j = 0; j < n; j++) {
        const int    place = (int)((100 * (int64_t)j) / n);
        const int    k = place < share[0] ? 0 : place < share[0] + share[1] ? 1 : 2;
        const double c = k == 1 ? -0.4 : 0.4, u = mb_rng_normal(&rng), v = mb_rng_normal(&rng);

        x[2 * j] = syn_mean[k][0] + sqrt(0.6) * u;
        x[2 * j + 1] = syn_mean[k][1] + c / sqrt(0.6) * u + sqrt(0.6 - c * c / 0.6) * v;
    }
}

/* The prior of the paper's author. w0inv: 4 doubles of the caller, mu0: 2. */
static inline mb_gmm_opt syn_paper_prior(double *mu0, double *w0inv)
{
    mb_gmm_opt o = mb_gmm_defaults(SYN_K, SYN_D);

    o.alpha0 = o.beta0 = mu0[0] = mu0[1] = w0inv[0] = w0inv[3] = 1e-5;
    w0inv[1] = w0inv[2] = 0;
    o.nu0 = SYN_D + 1;
    o.mu0 = mu0;
    o.w0inv = w0inv;
    return o;
}

#endif
