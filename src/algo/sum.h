/* algo/sum.h - what a node of a mesh asks of SUM beside mb_algo: passes of an epoch, which begin
 * anywhere and may wait. The node's memo, aux and edge are those of mb_algo_sum. */
#ifndef MB_ALGO_SUM_H
#define MB_ALGO_SUM_H

#include "meshbayes/extend.h"

/* What a message is, and, added to it: up, a node had no local step at this phi, or statistics
 * beyond their size, which the words count; down, too large: phi stays, and the numbers are the
 * bits by which exponents are lowered. */
enum { MB_SUM_NOTHING_, MB_SUM_UP_, MB_SUM_DOWN_, MB_SUM_VOID_ = 4, MB_SUM_LARGE_ = 8 };

/* The word of a message at L that says so; down, how often the step to phi was halved (below 64),
 * up, 1 where rows are not those of the pass before; and the pass. */
uint64_t mb_sum_tag_(int is, int halved, uint64_t pass);
/* The next pass is that after `pass`, which made phi, or, where that is 0, the first one; nothing
 * else is remembered. */
void mb_sum_begin_(mb_node *nd, uint64_t pass);
/* The node's first phi*, of a network that has no phi yet. */
void mb_sum_first_(mb_node *nd, const double *phi_star);
/* The pass that made phi, or left it and lowered exponents. */
uint64_t mb_sum_pass_(const mb_node *nd);
/* 1: phi is of a pass, rather than of the node alone. */
int mb_sum_begun_(const double *memo);
/* 1: the node's own part of the next pass is in its sum. */
int mb_sum_made_(const mb_node *nd);
/* It is made once more; not where a child's sum has been added, so that the next pass has it. */
void mb_sum_make_again_(mb_node *nd);
/* The rows of the pass are not those of the one before, or the bound is not that at phi: the memory
 * of the outer step begins again with it. */
void mb_sum_forget_(mb_node *nd);
/* After a pass, at the root: 1: its phi was taken back, or it had no total. */
int mb_sum_was_refused_(const mb_node *nd);
/* After a pass: 1: its phi is a step or a part of one; 0: it tells nothing of the way to go. */
int mb_sum_tells_(const mb_node *nd);
/* 1: a node had no local step in it; at that phi, which stays. */
int mb_sum_was_void_(const mb_node *nd);
int mb_sum_stays_(const mb_node *nd);
/* The bound at its phi. */
double mb_sum_bound_(const mb_node *nd);
/* The newest pass that was heard over link j. */
uint64_t mb_sum_received_(const mb_node *nd, int32_t j);
/* Of a row of emit or absorb: whether it carries a sum (1) or phi (-1), or only says what was heard
 * (0), and its pass; down, 1 unless it lowers exponents by bits that cannot be; it says what was
 * heard, keep 0: and no more. */
int      mb_sum_carries_(const mb_node *nd, const double *row);
uint64_t mb_sum_row_pass_(const mb_node *nd, const double *row);
int      mb_sum_lowers_soundly_(const mb_node *nd, const double *row);
void     mb_sum_acknowledge_(const mb_node *nd, double *row, uint64_t received, int keep);
/* Of a row with a sum that is none of marks (0: it is): the statistics of the rows in it. */
int mb_sum_read_(const mb_node *nd, const double *row, double *x);
/* Numbers of a row with a sum, and of one with phi; 1: of whatever exponents there are n. */
size_t mb_sum_numbers_(const mb_node *nd, int carries);
int    mb_sum_can_have_(const mb_node *nd, int carries, size_t n);
/* The fewest fraction bits of a statistic. */
int32_t mb_sum_bits_(const mb_node *nd);
/* 1: what a checkpoint has of `memo`, and of the edge of a link, can be. */
int mb_sum_memo_fits_(const double *memo);
int mb_sum_edge_fits_(const double *edge);

#endif
