/* algo/edge.h - what a mesh node does to the state of EDGE besides its rounds (src/mesh). */
#ifndef MB_ALGO_EDGE_H
#define MB_ALGO_EDGE_H

#include "meshbayes/extend.h"

/* rho_ij = max(sqrt(kappa_i kappa_j / (d_i d_j)), least/min(d_i, d_j)): both ends compute the same
 * number. kappa: of the neighbour; the node's own is in o. */
double mb_edge_stiffness_(const mb_edge_opt *o, double kappa, double mine, double theirs);
/* The part of emit before the messages: measures the last round; returns s, in the scratch. */
const double *mb_edge_prepare_(mb_node *nd, const double *phi_star);
/* msg = rho2 s - z, rho2 = 2 rho. */
void mb_edge_answer_(double rho2, const double *restrict s, const double *restrict z, size_t len,
                     double *restrict msg);
/* z = (1 - alpha) z + alpha m. */
void mb_edge_hear_(double alpha, const double *restrict m, size_t len, double *restrict z);
/* Edges are rho stiff (deg) from now on instead of nd->rho: z += (rho' - rho) s. */
void mb_edge_restiffen_(mb_node *nd, const double *s, const double *rho);
/* N becomes `scale`: phi = prior + (N'/N)(phi - prior), phi* and what the damping compares with it
 * likewise. prior: len, that of phi*, which is nd->prior unless the model has a prior_at. */
void mb_edge_rescale_(mb_node *nd, double scale, const double *prior, double *phi_star);
/* The node's rows have changed, or it resumes after a restart (1): the next round is not measured;
 * after a restart a new window begins. */
void mb_edge_event_(mb_node *nd, int32_t restart);

#endif
