/* kinds.h - kinds of the features of a data set: declared, or recognised from its cells. */
#ifndef MB_DATA_KINDS_H
#define MB_DATA_KINDS_H

#include "data/sheet.h"
#include "data/table.h"
#include "meshbayes/meshbayes.h"

/* After the features are selected, when opt asks for kinds. MB_E_ARG for a declaration that is
 * wrong, or that was not asked for. */
mb_status mb_kinds_begin_(mb_arena *a, mb_reader *r, const mb_data_opt *opt,
                          mb_err *err) MB_CHECKED;
/* Before the first row is delivered, which the sheet has: a category of words becomes one where its
 * cell is a word. */
mb_status mb_kinds_of_words_(mb_reader *r, mb_err *err) MB_CHECKED;
/* After the last row, where columns have kinds: out->columns; cells of words get the numbers of
 * their categories in out->x; a note says what was recognised. out has names and rows. */
mb_status mb_kinds_end_(mb_arena *a, mb_reader *r, mb_data *out, mb_err *err) MB_CHECKED;

#endif
