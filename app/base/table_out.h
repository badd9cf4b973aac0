/* table_out.h - a table of numbers written batch by batch: CSV, or NPY by the file's ending. */
#ifndef MB_TABLE_OUT_H
#define MB_TABLE_OUT_H

#include "app.h"

typedef struct table_out {
    const char        *path; /* NULL: rows are computed, but not written                         */
    int32_t            columns;
    const char *const *name;     /* columns: the first line of CSV                               */
    int32_t            ndim;     /* of the NPY array                                             */
    int64_t            shape[3]; /* ndim; shape[0] < 0: the rows are counted (ndim 1 or 2)       */
    int64_t            batch;    /* rows at a time, at most                                      */
    /* The next *n rows into x (batch x columns); *n = 0: there are no more. */
    mb_status (*next)(void *self, double *x, int64_t *n, mb_err *err);
    void *self;
} table_out;

/* Writes all rows, atomically; no file is opened before the first rows are computed. CSV has 17
 * digits, which read back to the same numbers. */
mb_status table_write(mb_arena *a, const table_out *t, mb_err *err) MB_CHECKED;

#endif
