/* mesh/genesis.h - what the files of the genesis share. */
#ifndef MB_MESH_GENESIS_H
#define MB_MESH_GENESIS_H

#include "meshbayes/genesis.h"

/* L and S of a kind with these sizes. */
size_t mb_genesis_len_(const mb_kind *kind, const mb_sizes *s);
size_t mb_genesis_start_len_(const mb_kind *kind, const mb_sizes *s);
/* The limits at the end of the start block of a kind that trims (mb_kind::trims), borrowed and
 * only to be read; d = 0 of another. */
void mb_genesis_limits_(const mb_genesis *g, mb_limits *out);
/* FNV-1a of the block's bytes, never 0. */
uint64_t mb_genesis_hash_(const mb_genesis *g);
/* 1: the prior of this plan is made from the covariance of the rows. */
int mb_plan_sees_(const mb_plan *plan);
/* mb_genesis_of_sample with the moments of all rows; NULL: those of the sample, which is of about
 * `rows` rows; 0: unknown. */
mb_status mb_genesis_drawn_(mb_arena *a, mb_arena *draft, const mb_plan *plan,
                            const mb_row_moments *seen, const mb_rows *sample, double rows,
                            mb_genesis *out, mb_err *err) MB_CHECKED;
/* Fills run.log_jacobian and checks what the kind must say of a block that was read: sizes, scales,
 * and that the prior is in its domain. model: as mb_genesis_model makes it. MB_E_FORMAT. */
mb_status mb_genesis_check_(mb_arena *a, mb_genesis *g, mb_model *model, mb_err *err) MB_CHECKED;

#endif
