/* kernel/softplus.h - expectations of ln(1 + e^eta) for rows as lanes, by a quadrature whose points
 * are those of all rows. */
#ifndef MB_SOFTPLUS_H
#define MB_SOFTPLUS_H

#include "kernel/exp_log.h"
#include "kernel/kernel.h"

/* A build with plain kernels only is for small nodes, which take the rule of single rows. */
#ifdef MB_KERNELS_PLAIN
#define SOFTPLUS NULL
#else
#define SOFTPLUS softplus

/* out[0], out[1], out[2] += weight times ln(1 + e^eta), its slope and its curvature. */
INLINE void softplus_at(vec eta, vec weight, vec *out)
{
    const vec below = -larger(-eta, eta);
    const vec small = vexp(larger(below, all(-700)));
    vec       part;
    const vec ln = vlog(all(1) + small, &part), other = small * part;

    /* an eta that is not finite gives NaN */
    out[0] = fma_(weight, fma_(eta, all(0), larger(eta, all(0)) + ln), out[0]);
    out[1] = fma_(weight, pick_below(eta, all(0), other, part), out[1]);
    out[2] = fma_(weight, other * part, out[2]);
}

static void softplus(int32_t n, const mb_points_ *q, const double *e, const double *s,
                     double *const out[3])
{
    for (int32_t l = 0; l < n; l += LANES) {
        const vec mean = load(e + l), deviation = load(s + l);
        vec       sum[3] = {all(0), all(0), all(0)};

        for (int k = 0; k < q->n; k++)
            softplus_at(fma_(deviation, all(q->at[k]), mean), all(q->weight[k]), sum);
        for (int k = 0; k < 3; k++)
            store(out[k] + l, sum[k]);
    }
}
#endif

#endif
