/* model/tmm_tail.h - the predictive density of a component of a robust mixture. */
#ifndef MB_MODEL_TMM_TAIL_H
#define MB_MODEL_TMM_TAIL_H

#include "kernel/kernel.h"
#include "meshbayes/meshbayes.h"

/* A row whose relative precision u, Gamma(v/2, rate v/2), is integrated out, of a component with
 * strength beta and half = (nu + 1)/2: ln of the integral of s^(-D/2) (1 + distance/s)^-half over
 * u, s = 1/u + 1/beta. logs: ln P of n points v_g of the grid; NULL: v is dof. Sums in ln u, to
 * about 1e-11 of the density. */
typedef struct mb_tail_ {
    int32_t       D;
    double        beta, half;
    int32_t       n;
    const double *logs;
    double        dof;
    int32_t       nodes; /* the table's, mb_tail_table_ */
    double        h, *lead, *per, *b, *ln_b;
} mb_tail_;
/* Nodes of the table, a multiple of the lanes; dof 0: v is on the grid. */
int32_t mb_tail_nodes_(int32_t D, double dof);
/* room: 4 nodes. */
void   mb_tail_table_(mb_tail_ *t, int32_t nodes, double *room);
double mb_tail_ln_(const mb_tail_ *t, const mb_kernel_ *kernel, double distance);
/* The same without the table, for any distance. */
double mb_tail_far_(const mb_tail_ *t, double distance);

/* tmm.c: E[v] of component k from textbook parameters; NaN outside the domain. */
double mb_tmm_mean_dof_(const mb_sizes *s, const double *par, int32_t k);

#endif
