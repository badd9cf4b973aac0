/* mesh/genesis.h - what the files of the genesis share. */
#ifndef MB_MESH_GENESIS_H
#define MB_MESH_GENESIS_H

#include "base/lines.h"
#include "fit/private.h"
#include "meshbayes/extend.h"
#include "model/kind.h"

/* L and S of a kind with these sizes. */
size_t mb_genesis_len_(const mb_kind *kind, const mb_sizes *s);
size_t mb_genesis_start_len_(const mb_kind *kind, const mb_sizes *s);
/* The limits at the end of the start block of a kind that trims (mb_kind::trims), borrowed and
 * only to be read; d = 0 of another. */
void mb_genesis_limits_(const mb_genesis *g, mb_limits *out);
/* 1: the start block of the kind is of centres or of lines; the number after them says of which. */
static inline int mb_genesis_may_have_lines_(const mb_kind *kind)
{
    (void)kind;
    return MB_LINES_(kind->targets && mb_kind_has_components(kind));
}
/* 1: it is of lines (start/lines.h), of a kind that may have them. */
int mb_genesis_has_lines_(const mb_genesis *g);
/* What is in the start block are lines. */
void mb_genesis_of_lines_(mb_genesis *g);
/* FNV-1a of the block's bytes, never 0. */
uint64_t mb_genesis_hash_(const mb_genesis *g);
/* FNV-1a of what is declared, never 0. */
uint64_t mb_declared_hash_(const mb_declared *d);
enum { MB_WHO_ = 100 /* bytes of that below */ };
/* "kiel (7)", or "WHAT 7" where the list has no name. Returns out. */
const char *mb_declared_who_(const mb_declared *d, int64_t id, const char *what, char out[MB_WHO_]);
/* 1: the prior of this plan is made from the covariance of the rows. */
int mb_plan_needs_covariance_(const mb_plan *plan);
/* mb_genesis_of_sample with the moments of all rows within the limits, if there are such (NULL:
 * none); seen = NULL: those of the sample, which is of about `rows` rows; 0: unknown. */
mb_status mb_genesis_drawn_(mb_arena *a, mb_arena *scratch_arena, const mb_plan *plan,
                            const mb_row_moments *seen, const mb_limits *limits,
                            const mb_rows *sample, double rows, mb_genesis *out,
                            mb_err *err) MB_CHECKED;
/* The same with centres (as mb_genesis_of_case takes them) and no sample. */
mb_status mb_genesis_of_moments_(mb_arena *a, const mb_plan *plan, const mb_row_moments *seen,
                                 const double *centres, mb_genesis *out, mb_err *err) MB_CHECKED;
/* Fills run.log_jacobian and checks what the kind must say of a block that was read: sizes, scales,
 * and that the prior is in its domain. model: as mb_genesis_model makes it. MB_E_FORMAT. */
mb_status mb_genesis_check_(mb_arena *a, mb_genesis *g, mb_model *model, mb_err *err) MB_CHECKED;

/* Sizes of the plan's model. */
static inline void mb_plan_sizes(const mb_plan *plan, mb_sizes *out)
{
    mb_kind_sizes(plan->kind, plan->kind_opt, plan->columns, plan->kinds, out);
}

/* What files, options and words call it. */
static inline const char *mb_genesis_from_text_(mb_genesis_from from)
{
    static const char *const text[] = {"given", "sample", "sums", "ranges"};

    return text[from];
}

/* release.c: what the release of a plan with privacy is, without rows; as mb_privacy_make. */
mb_status mb_plan_privacy_(const mb_plan *plan, mb_privacy *out, mb_err *err) MB_CHECKED;
/* release.c: the posterior of the total of a release (mb_peer_released_), whose members have `rows`
 * rows; *raised: as mb_privacy_posterior. */
mb_status mb_release_posterior_(mb_arena *a, const mb_plan *plan, double rows, const int64_t *total,
                                mb_posterior *out, int32_t *raised, mb_err *err) MB_CHECKED;
/* NULL: the node has no block, or no plan with privacy. */
const int64_t *mb_peer_released_(const mb_peer *p);
/* start.c: MB_E_ARG, MB_E_NOSUP: nodes cannot make a block within the bounds of this plan. */
mb_status mb_plan_bounded_(const mb_plan *plan, mb_err *err) MB_CHECKED;

/* MB_E_NOSUP: nodes that make such a block see rows of others, which masks (masked: 1) would
 * not hide. */
mb_status mb_genesis_bears_masks_(mb_genesis_from from, int32_t masked, mb_err *err) MB_CHECKED;

/* 1: the block is made of sums over the rows, which have no gaps. */
static inline int32_t mb_plan_sums(const mb_plan *plan)
{
    return plan->from >= MB_GENESIS_SUMS;
}

/* 1: rows may have gaps. */
static inline int32_t mb_plan_gaps(const mb_plan *plan)
{
    return plan->kind->gaps && !mb_plan_sums(plan);
}

/* The block of a case and its initialisation: what `sim` starts from. centres: K x D, data units,
 * in general the start block of the kind; NULL for a kind that has none. Copies all but the names
 * of the columns. MB_E_NOSUP for a case without common units (raw). */
mb_status mb_genesis_of_case(mb_arena *a, const mb_case *c, const double *centres, mb_genesis *out,
                             mb_err *err) MB_CHECKED;
/* What distinguishes two blocks or plans (without prior), in words: "K is 3 here and 4 there";
 * MB_OK when they are the same, to the bit, else MB_E_ARG with the message in err. */
mb_status mb_genesis_same(const mb_genesis *mine, const mb_genesis *theirs, mb_err *err) MB_CHECKED;
/* 1 when block a wins over b: the lower (maker, counter, hash). */
int mb_genesis_wins(const mb_genesis *a, const mb_genesis *b);
/* The model of a block, in an arena: layout and kernel of the kind, the block's prior. Takes what
 * mb_kind::model takes and at most 8 (L + layout.scratch) + 400 bytes. */
mb_status mb_genesis_model(mb_arena *a, const mb_genesis *g, mb_model *out, mb_err *err) MB_CHECKED;

#endif
