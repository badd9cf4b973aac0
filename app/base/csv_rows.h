/* csv_rows.h - rows of known columns from a table of texts. */
#ifndef MB_BASE_CSV_ROWS_H
#define MB_BASE_CSV_ROWS_H

#include "base/app.h"
#include "data/table.h"

/* What is wanted of a table; all is borrowed. */
typedef struct csv_want {
    int32_t                 columns; /* of a row                        */
    const char *const      *name;    /* their names, found in the table */
    const mb_columns       *kinds;   /* NULL: all are numbers           */
    const char             *weight;  /* column of weights; NULL: none   */
    int                     gaps; /* 1: a cell of a row may have no value (mb_cell_missing): NaN */
    const struct mb_design *design; /* makes rows of these columns, targets last; NULL: none   */
    const mb_columns       *made;   /* kinds of the columns of the design; NULL: numbers        */
} csv_want;

/* The rows, in the arena. MB_E_FORMAT names a column that is not there, or file, line, column and
 * value of a cell. */
mb_status csv_rows(mb_arena *a, const mb_csv *csv, const csv_want *want, mb_rows *out,
                   mb_err *err) MB_CHECKED;
/* What a design (NULL: none) makes of rows in memory, in the arena. MB_E_FORMAT names a column that
 * is not finite, a category that is none, or an exposure that is not above 0. */
mb_status design_rows(mb_arena *a, const csv_want *want, mb_rows *rows, mb_err *err) MB_CHECKED;

#endif
