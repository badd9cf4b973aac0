/* model/estep.h - blocks of rows and the Gaussian components of a mixture: what is the same on
 * every instruction set. The loops are in kernel/. */
#ifndef MB_MODEL_ESTEP_H
#define MB_MODEL_ESTEP_H

#include "kernel/groups.h"
#include "meshbayes/extend.h"

/* m and C of component k from its factor L (mb_nw_factor_). */
void mb_gmm_component_(mb_estep_ *g, int32_t k, const double *L);
/* The weights of a mixture are block 0 of its layout. Into out (K): E[ln pi_k], or ln E[pi_k] of
 * the K components alone. MB_E_DOMAIN when they are outside Omega. */
mb_status mb_weights_expect_(const mb_model *m, const double *phi, double *out,
                             mb_err *err) MB_CHECKED;
mb_status mb_weights_shares_(const mb_model *m, const double *phi, double *out,
                             mb_err *err) MB_CHECKED;
/* Numbers in proportion to E[pi_k], K of them, from the entries in par; -1, and where it is wrong,
 * when one is outside the domain. */
int mb_weights_of_(const mb_family *f, int32_t K, const double *par, double *out);
/* s += count[k] rows of component k. */
void mb_weights_add_(const mb_model *m, const double *count, double *s);
/* MB_E_SHAPE for a wrong number of columns, MB_E_ARG for a weight that is negative or NaN,
 * MB_E_NOSUP for rows in groups. */
mb_status mb_estep_check_(const mb_estep_ *g, const mb_rows *rows, mb_err *err) MB_CHECKED;
/* The same for rows in groups or in none. */
mb_status mb_estep_check_rows_(const mb_estep_ *g, const mb_rows *rows, mb_err *err) MB_CHECKED;
/* Fills the block with rows of weight > 0 from row `next` on; returns the row after them. */
int64_t mb_estep_fill_(mb_estep_ *g, const mb_rows *rows, int64_t next);
/* z from the rows that the block has. The last row is repeated with weight 0, up to whole lanes: no
 * lane can fail on its own. gaps: 1: NaN is a gap. */
void mb_estep_load_(mb_estep_ *g, const mb_rows *rows, int32_t gaps);
/* For models that can do with gaps, in two passes: rows without gaps, then, if rows->gaps is 1,
 * those with gaps, which are NaN in g->z (g->gaps is 1). empty 0: but none of gaps only. */
int64_t mb_estep_fill_whole_(mb_estep_ *g, const mb_rows *rows, int64_t next);
int64_t mb_estep_fill_gaps_(mb_estep_ *g, const mb_rows *rows, int empty, int64_t next);
/* MB_E_NUMERIC names the first row and column of the block that is neither finite nor a gap. */
mb_status mb_estep_finite_(const mb_estep_ *g, mb_err *err) MB_CHECKED;
/* For r that is given, instead of mb_estep_normalise_: 0 after the rows. */
void mb_estep_weights_given_(const mb_estep_ *g);

/* r := the given responsibilities of the block's rows (n x K, of all rows), times the weights.
 * MB_E_ARG for one that is none. */
mb_status mb_estep_given_(mb_estep_ *g, const double *resp, mb_err *err) MB_CHECKED;
/* What is wanted of the block's rows, from lnz and r, to their places in out. */
void mb_estep_answer_(const mb_estep_ *g, mb_want want, double *out);

/* out += [weight/2, svec(-S/2)], S n x n, lower triangle; v: room for n(n+1)/2. */
void mb_gmm_natural_(int32_t n, double weight, const double *S, double *v, double *out);

/* r, logarithms of densities: lnz[l] = ln sum_k exp r_k, r := w exp(r - lnz), *total += sum w lnz.
 * MB_E_NUMERIC names the first row whose ln Z is not finite. */
mb_status mb_estep_normalise_(mb_estep_ *g, double *total, mb_err *err) MB_CHECKED;

/* model/group_blocks.c. mb_estep_check_rows_, and MB_E_ARG for weights that differ in a group. */
mb_status mb_estep_check_groups_(const mb_estep_ *g, const mb_rows *rows, mb_err *err) MB_CHECKED;
/* Rows in groups, those of gaps only left out. room: 3 K doubles, of which the first K are
 * ln_pi. */
mb_groups_ mb_estep_groups_(const mb_estep_ *g, const mb_rows *rows, double *room);
/* Fills the block with the next rows in groups, with gaps where rows->gaps is 1; 0: none is
 * left. */
int mb_estep_fill_groups_(mb_groups_ *q, mb_estep_ *g, const mb_rows *rows);
/* In place of mb_estep_normalise_, r being without the weights of the mixture; given: after
 * mb_estep_given_. q->ready says whether r is there. */
mb_status mb_estep_share_(mb_groups_ *q, mb_estep_ *g, int given, double *total,
                          mb_err *err) MB_CHECKED;
/* The answers of rows of gaps only, which were left out: those of the other rows of their group,
 * or, where there is none, of the weights. */
void mb_estep_answer_empty_(const mb_groups_ *q, const mb_rows *rows, int32_t K, mb_want want,
                            double *out);
/* Fills the block with row j alone, whatever its weight. */
void mb_estep_fill_one_(mb_estep_ *g, const mb_rows *rows, int64_t j);
/* *out := ln p of row j given those before it: a (K) is ln p of these, it and component k, *before
 * the same of those without it and any component. MB_E_NUMERIC where it is not finite. */
mb_status mb_estep_further_(int64_t j, int32_t K, const double *a, double *before, double *out,
                            mb_err *err) MB_CHECKED;

#endif
