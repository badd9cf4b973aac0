/* coder.h - the cells of a column of some kind as numbers, and the kind of a column from its cells,
 * for readers. */
#ifndef MB_DATA_CODER_H
#define MB_DATA_CODER_H

#include "data/sheet.h"
#include "meshbayes/meshbayes.h"

typedef struct mb_coder_ {
    const mb_column *known;  /* its kind; NULL: numbers or words, as the first cell    */
    int32_t          unseen; /* mb_unseen, of a category that has names                */
    int              words;  /* 1: cells are words; 0: numbers; -1: none has come      */
    int64_t          line;   /* of the first cell                                      */
    int              binary; /* of the numbers so far: 1: all of them are 0 or 1       */
    int              whole;  /* 1: they are whole and not below 0                      */
    mb_words_        list;   /* the words; those of a category that has names first    */
} mb_coder_;

/* known: see the struct; a category of it without names gets those of the cells. */
mb_status mb_coder_open_(mb_arena *a, const mb_column *known, int32_t unseen, mb_coder_ *out,
                         mb_err *err) MB_CHECKED;
/* CSV: the cell of this column in the sheet's row; words are numbered as they come; gap as in
 * mb_sheet_number_. */
mb_status mb_coder_cell_(mb_coder_ *c, mb_sheet_ *s, int32_t col, int gap, double *x, int *missing,
                         mb_err *err) MB_CHECKED;
/* NPY: the same for a number, of this row and column of the sheet, from 0. */
mb_status mb_coder_number_(mb_coder_ *c, const mb_sheet_ *s, int64_t row, int32_t col, double *x,
                           mb_err *err) MB_CHECKED;
/* After the last row: the kind of the column, and the number of each word (NULL: the cells have
 * their numbers). where: for messages. */
mb_status mb_coder_close_(mb_arena *a, mb_coder_ *c, const char *where, mb_column *out,
                          int32_t **code, mb_err *err) MB_CHECKED;

#endif
