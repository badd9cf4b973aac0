/* sheet.h - files of rows while they are read: one file, its columns, and a reader of several. */
#ifndef MB_DATA_SHEET_H
#define MB_DATA_SHEET_H

#include "data/parse.h"

/* One file of rows that is being read: CSV record by record, or NPY some rows at a time. */
typedef struct mb_sheet_ {
    mb_csv_text_       text; /* first: `more` finds the sheet through it */
    mb_source_         src;
    mb_arena          *a;
    mb_arena          *own;  /* an NPZ member's bytes; NULL: none       */
    const char        *file; /* for messages                           */
    const mb_data_opt *opt;  /* borrowed                               */
    char              *buf;  /* cap */
    size_t             cap;
    const char        *end;  /* CSV: of the bytes in buf               */
    int                list; /* 1: NPY of one dimension is one column  */
    int32_t            cols;
    const char       **name;         /* cols; NULL for NPY                     */
    const char       **cell;         /* CSV: cols of the current row           */
    int64_t            line;         /* CSV: its line                          */
    mb_npy_head_       head;         /* NPY                                    */
    int64_t            rows;         /* NPY: of the file                       */
    int64_t            done;         /* rows read                              */
    int64_t            comma, point; /* first line with a decimal comma, with a point; 0: none */
    size_t             pulled;       /* bytes read so far                     */
    mb_hash_          *hash;         /* of the bytes read so far; NULL: not wanted */
} mb_sheet_;
/* A file, "-" (standard input) or an array FILE.npz:NAME. list: as in the struct. On failure there
 * is nothing to close. */
mb_status mb_sheet_open_(mb_arena *a, const char *path, const mb_data_opt *opt, int list,
                         mb_hash_ *hash, mb_sheet_ *out, mb_err *err) MB_CHECKED;
/* CSV: the next row into cell and line, which is 0 at the end. */
mb_status mb_sheet_row_(mb_sheet_ *s, mb_err *err) MB_CHECKED;
/* CSV: the number of a cell, at most `most` in magnitude. When the cell says that there is none,
 * *out is NaN if gap is 1, else *missing is 1. */
mb_status mb_sheet_number_(mb_sheet_ *s, int32_t col, double most, int gap, double *out,
                           int *missing, mb_err *err) MB_CHECKED;
/* CSV: makes a number in a cell with a decimal comma one with a point, where commas may be decimal;
 * *missing as before. */
mb_status mb_sheet_text_(mb_sheet_ *s, int32_t col, int *missing, mb_err *err) MB_CHECKED;
/* NPY: up to `max` of the next rows. The number at row r and column c begins at bytes + r *
 * row_step + c * col_step until the next call. */
typedef struct mb_block_ {
    int64_t     n; /* 0: at the end */
    const char *bytes;
    size_t      row_step, col_step;
} mb_block_;
mb_status mb_sheet_block_(mb_sheet_ *s, int64_t max, mb_block_ *out, mb_err *err) MB_CHECKED;
/* The rows to come: exact in NPY, an estimate from the bytes of a row in CSV; 0: not known. */
int64_t mb_sheet_left_(const mb_sheet_ *s);
/* The next text of a file of one column, a whole number in NPY; NULL at its end. number: room for
 * it. */
mb_status mb_sheet_beside_(mb_sheet_ *s, char number[32], const char **text,
                           mb_err *err) MB_CHECKED;
/* Safe on a zeroed struct. */
void mb_sheet_close_(mb_sheet_ *s);

/* What the columns of a file are for: indices, -1 for none. */
typedef struct mb_columns_ {
    int32_t  node, label, weight, group, time;
    int32_t *feature; /* d */
    int32_t  d;
} mb_columns_;
/* name: NULL for NPY. row_names: 1 when the first column is not a feature unless --columns
 * names it. opt: NULL: all columns are features. */
mb_status mb_columns_find_(mb_arena *a, const char *file, int32_t cols, const char *const *name,
                           int32_t row_names, const mb_data_opt *opt, mb_columns_ *out,
                           mb_err *err) MB_CHECKED;
/* here[c]: where another file has column c of the first, -1 when it need not have it. MB_E_FORMAT
 * when one of them has a column that the other lacks, unless opt does not read it. Of both only the
 * names of file and columns are used; row_names as above. */
mb_status mb_columns_match_(const mb_data_opt *opt, const mb_csv *first, int32_t first_row_names,
                            const mb_csv *file, int32_t row_names, int32_t *here,
                            mb_err *err) MB_CHECKED;
/* The entries of a list that are no columns, as a list; NULL: none. */
mb_status mb_list_absent_(mb_arena *a, const char *list, int32_t cols, const char *const *name,
                          const char **absent, mb_err *err) MB_CHECKED;
/* 1 when a list "a,b" has this entry (blanks around entries are ignored). */
int mb_list_has_(const char *list, const char *name);

/* What mb_data_read needs of a reader beside its public part: the hash of the bytes (NULL: not
 * wanted), the roles, the rows of each file delivered so far, and all rows read so far, dropped
 * ones too. */
mb_status mb_reader_open_(mb_arena *a, const char *file, const mb_data_opt *opt, mb_hash_ *hash,
                          mb_reader **out, mb_err *err) MB_CHECKED;
const mb_file_list *mb_reader_files_(const mb_reader *s);
const mb_columns_  *mb_reader_roles_(const mb_reader *s);
const int64_t      *mb_reader_counts_(const mb_reader *s);
int64_t             mb_reader_seen_(const mb_reader *s);
/* mb_sheet_left_ of a single file. */
int64_t mb_reader_left_(const mb_reader *s);
/* Groups the rows of x, w, label and file_row by node[0..n) (0..N-1), keeping their order within a
 * node, and sets N and first. Arrays in order already are not copied. */
mb_status mb_data_group_(mb_arena *a, mb_data *d, int32_t N, const int32_t *node,
                         mb_err *err) MB_CHECKED;

/* The groups of the rows of out, which lie as in the files: group[j], that of row j, ascends; its
 * name is name[group[j]]. node: of each row, or NULL. MB_E_FORMAT for a group that is at two. */
mb_status mb_data_groups_(mb_arena *a, const int32_t *group, const char *const *name,
                          const int32_t *node, mb_data *out, mb_err *err) MB_CHECKED;
/* Those of d, whose groups have become whole at the places of their rows. */
mb_status mb_data_move_groups_(mb_arena *a, mb_data *d, const int64_t *place,
                               mb_err *err) MB_CHECKED;

#endif
