/* blend.h - a small algorithm with all that the nodes of a mesh ask for: diffusion. The state of an
 * edge is the neighbour's newest s, and s = (x + w sum_j z_j)/(1 + w edges), so the answer at rest
 * is one of its own: what neighbours have is blended, not averaged. */
#ifndef MB_TEST_BLEND_H
#define MB_TEST_BLEND_H

#include "meshbayes/extend.h"

#include <string.h>

typedef struct blend_opt {
    double weight, eta;
} blend_opt;

static inline mb_status blend_tune(void *opt, const mb_net_facts *net, mb_err *e)
{
    (void)net, (void)e;
    *(blend_opt *)opt = (blend_opt){.weight = 0.5, .eta = 0.4};
    return MB_OK;
}

static inline double blend_weight(const mb_node *nd, int32_t j)
{
    return nd->rho ? nd->rho[j] : ((const blend_opt *)nd->opt)->weight;
}

static inline const double *blend_s(const mb_node *nd, const double *phi_star)
{
    const double w = ((const blend_opt *)nd->opt)->weight;

    for (size_t l = 0; l < nd->len; l++) {
        double s = (phi_star[l] - nd->prior[l]) / nd->scale;

        for (int32_t j = 0; j < nd->deg; j++)
            s += w * nd->edge[(size_t)j * nd->len + l];
        nd->scratch[l] = s / (1 + nd->memo[0]);
    }
    return nd->scratch;
}

static inline mb_status blend_init(mb_node *nd, const double *phi_star, mb_err *e)
{
    (void)e;
    memcpy(nd->phi, phi_star, nd->len * sizeof *phi_star);
    nd->memo[0] = 0;
    for (int32_t j = 0; j < nd->deg; j++) {
        nd->memo[0] += blend_weight(nd, j);
        for (size_t l = 0; blend_weight(nd, j) > 0 && l < nd->len; l++)
            nd->edge[(size_t)j * nd->len + l] = (phi_star[l] - nd->prior[l]) / nd->scale;
    }
    return MB_OK;
}

static inline mb_status blend_emit(mb_node *nd, const double *phi_star, double *msg, size_t ld,
                                   mb_err *e)
{
    const double *s;

    (void)e;
    if (nd->t == 1)
        return MB_QUIET;
    s = blend_s(nd, phi_star);
    for (int32_t j = 0; j < nd->deg; j++)
        memcpy(msg + (size_t)j * ld, s, nd->len * sizeof *s);
    return MB_OK;
}

static inline double blend_step(const mb_node *nd)
{
    return nd->t <= 2 ? 1 : ((const blend_opt *)nd->opt)->eta;
}

static inline void blend_hear(const void *opt, const double *m, size_t len, double *z)
{
    (void)opt;
    memcpy(z, m, len * sizeof *z);
}

static inline mb_status blend_absorb(mb_node *nd, const double *phi_star, const double *msg,
                                     size_t ld, const mb_inbox *in, mb_err *e)
{
    const double *s;

    (void)msg, (void)ld, (void)e;
    if (nd->t == 1)
        return MB_OK;
    for (int32_t j = 0; j < nd->deg; j++)
        if (in->fresh[j])
            blend_hear(nd->opt, in->msg[j], nd->len, nd->edge + (size_t)j * nd->len);
    s = blend_s(nd, phi_star);
    for (size_t l = 0; l < nd->len; l++)
        nd->phi[l] += blend_step(nd) * (nd->prior[l] + nd->scale * s[l] - nd->phi[l]);
    return MB_OK;
}

static inline int32_t blend_nedge(const void *opt)
{
    (void)opt;
    return 1;
}

static inline void blend_settle(void *opt, const mb_mesh_facts *facts)
{
    (void)facts;
    (void)blend_tune(opt, NULL, NULL);
}

static inline double blend_stiffness(const void *opt, double kappa, int32_t mine, int32_t theirs)
{
    (void)opt, (void)mine, (void)theirs;
    return kappa;
}

static inline void blend_restiffen(mb_node *nd, const double *s, const double *rho)
{
    (void)s;
    nd->memo[0] = 0;
    for (int32_t j = 0; j < nd->deg; j++)
        nd->memo[0] += rho[j];
}

static inline void blend_rescale(mb_node *nd, double scale, const double *prior, double *phi_star)
{
    const double by = scale / nd->scale;

    for (size_t l = 0; l < nd->len; l++) {
        nd->phi[l] = prior[l] + by * (nd->phi[l] - prior[l]);
        phi_star[l] = prior[l] + by * (phi_star[l] - prior[l]);
    }
    nd->scale = scale;
}

static inline void blend_event(mb_node *nd, int32_t restart)
{
    (void)nd, (void)restart;
}

static const mb_mesh_ops blend_mesh = {.kappa = offsetof(blend_opt, weight),
                                       .settle = blend_settle,
                                       .stiffness = blend_stiffness,
                                       .hear = blend_hear,
                                       .restiffen = blend_restiffen,
                                       .rescale = blend_rescale,
                                       .event = blend_event};

static const mb_algo blend = {.name = "blend",
                              .title = "diffusion",
                              .opt_size = sizeof(blend_opt),
                              .fanout = MB_PER_NEIGHBOUR,
                              .bears = MB_BEARS_LOSS | MB_BEARS_SPEEDS | MB_BEARS_CHURN,
                              .consensus = 1,
                              .memo = 1,
                              .nedge = blend_nedge,
                              .tune = blend_tune,
                              .step = blend_step,
                              .init = blend_init,
                              .emit = blend_emit,
                              .absorb = blend_absorb,
                              .mesh = &blend_mesh};

#endif
