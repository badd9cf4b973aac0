/* table_out.h - a table of numbers written batch by batch: CSV, or NPY by the file's ending. */
#ifndef MB_TABLE_OUT_H
#define MB_TABLE_OUT_H

#include "app.h"

typedef struct table_out {
    mb_file file;
    int     npy;
    int32_t columns, ndim;
    int64_t shape[3]; /* shape[0] < 0: the rows are counted   */
    int64_t rows;     /* put so far                           */
    char   *line;     /* room for one row of CSV              */
} table_out;

/* name: the columns' names, for the first line of CSV. shape (ndim): of the NPY array; its numbers
 * are those of the rows behind one another. shape[0] < 0: as many rows as come (ndim 1 or 2). */
mb_status table_out_open(mb_arena *a, const char *path, int32_t columns, const char *const *name,
                         int32_t ndim, const int64_t *shape, table_out *out,
                         mb_err *err) MB_CHECKED;
/* n more rows; 17 digits in CSV, so that they read back the same. */
mb_status table_out_put(table_out *t, int64_t n, const double *x, mb_err *err) MB_CHECKED;
/* Commits the file when st is MB_OK, else removes it; returns st or the failure. */
mb_status table_out_close(table_out *t, mb_status st, mb_err *err) MB_CHECKED;

/* 1 when the path ends in ".npy" or ".npy.gz". */
int table_is_npy(const char *path);

#endif
