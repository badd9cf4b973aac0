/* model/entries.h - what models say of the entries of their statistics (mb_model_ops::entries). */
#ifndef MB_MODEL_ENTRIES_H
#define MB_MODEL_ENTRIES_H

#include "meshbayes/extend.h"

/* Builds without them (CMake option MB_ENTRIES): the compiler leaves the functions out. */
#ifdef MB_NO_ENTRIES
#define MB_ENTRIES_(function) (0 ? (function) : NULL)
#else
#define MB_ENTRIES_(function) function
#endif

/* `factor` times the rows under the responsibilities of components first to first + n - 1. */
mb_entry mb_entry_rows_(double factor, int32_t first, int32_t n);
/* like.factor times x_i x_j under the same c; -1: the constant 1 in its place. */
mb_entry mb_entry_product_(mb_entry like, int32_t i, int32_t j);
/* svec(z z') of n numbers, times like.factor: z_a is column a - one, where one is 1 for a z that
 * begins with the constant 1, else 0. Returns the place after it. */
mb_entry *mb_entries_square_(mb_entry like, int32_t n, int32_t one, mb_entry *out);
/* The weights of a mixture, block 0. grouped: mb_entry::groups. */
void mb_entries_weights_(const mb_model *m, int32_t grouped, mb_entry *out);
/* K normal-Wisharts, block 1, whose z z' count up to `most` a row. */
void mb_entries_normals_(const mb_model *m, double most, mb_entry *out);

#endif
