/* csv.h - records of CSV text, one parser for whole files and for files read piece by piece. */
#ifndef MB_IO_CSV_H
#define MB_IO_CSV_H

#include "meshbayes/table.h"

/* Text that is being taken apart. The bytes from `record` on end in a 0 and hold no other, so loops
 * over characters stop by themselves; cells end in place, so the bytes change. */
typedef struct mb_csv_text_ {
    const char *file;
    char       *record; /* where the record being read begins              */
    char       *at;     /* the next byte                                   */
    int64_t     line;   /* of `at`, from 1                                 */
    mb_arena   *a;
    size_t     *cell;  /* cap: where cells begin, counted from `record`    */
    int64_t     count; /* cells of the record                              */
    int64_t     cap;
    int32_t     cols; /* cells a row must have; 0: the header is not read  */
    /* At the closing 0: appends more bytes (`record` and `at` may move) or, at the end of the file,
     * sets itself to NULL. NULL: the bytes are all there is. */
    mb_status (*more)(struct mb_csv_text_ *t, mb_err *err);
} mb_csv_text_;

/* The header line: sets cols, and names that live as long as the record. */
mb_status mb_csv_header_(mb_csv_text_ *t, const char ***name, mb_err *err) MB_CHECKED;
/* The next row into cell[0..cols), and its line; *line = 0 at the end. Cells live until the next. */
mb_status mb_csv_row_(mb_csv_text_ *t, const char **cell, int64_t *line, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT when bytes[0..n), which begin at t->line, hold a 0. */
mb_status mb_csv_no_zero_(const mb_csv_text_ *t, const char *bytes, size_t n,
                          mb_err *err) MB_CHECKED;

#endif
