/* algo/adapt.h - a node's own damping of the VB step, from what it measures: the gain of its local
 * map, the age of its messages, and whether it oscillates or approaches slowly. */
#ifndef MB_ALGO_ADAPT_H
#define MB_ALGO_ADAPT_H

#include "meshbayes/extend.h"

enum {
    MB_ADAPT_AUX_ = 5,  /* vectors of mb_node::aux                */
    MB_ADAPT_MEMO_ = 13 /* numbers of mb_node::memo               */
};

/* At the beginning of a round, before anything is averaged: measures what the last round did. Needs
 * MB_WANTS_MU. aux and memo: the node's, zero at first. */
void mb_adapt_measure_(mb_node *nd, const double *phi_star, double *aux, double *memo);
/* The damping of this round, at most `most`; `in`: what arrived. */
double mb_adapt_eta_(const mb_inbox *in, double most, double *memo);
/* The next round is not compared with the last one: the node's rows changed, or with `restart` the
 * node itself was away, and a new window begins. */
void mb_adapt_event_(const mb_node *nd, double *aux, double *memo, int32_t restart);
/* The phi* (len) with which the next one is compared. */
double *mb_adapt_star_(const mb_node *nd, double *aux);
/* The last phi (len) inside the domain, of a node that is outside and was so in three windows in a
 * row; else NULL. */
const double *mb_adapt_inside_(const mb_node *nd, const double *aux, const double *memo);
/* The gain of the local map; 0: not measured. */
double mb_adapt_gain_(const double *memo);
/* The damping that mb_adapt_eta_ returned last. */
double mb_adapted_(const double *memo);

#endif
