/* parse.h - what the readers of files share inside src/io. */
#ifndef MB_IO_PARSE_H
#define MB_IO_PARSE_H

#include "meshbayes/data.h"

/* Strict decimal integer ("-12"; no blanks, no plus sign) that fits int64_t; 0 on success. */
int mb_parse_integer_(const char *text, int64_t *out);

/* A copy of `used` items with room for `room` of `size` bytes; the old array stays in the arena.
 * NULL, with the error record filled: no memory. */
void *mb_larger_(mb_arena *a, const void *from, size_t used, size_t room, size_t size, mb_err *err);

/* Readers of bytes already in memory. CSV cells stay inside `bytes`, which is changed. */
mb_status mb_csv_parse_(mb_arena *a, const char *file, char *bytes, size_t n, mb_csv *out,
                        mb_err *err) MB_CHECKED;
mb_status mb_npy_parse_(mb_arena *a, const char *file, const char *bytes, size_t n, mb_npy *out,
                        mb_err *err) MB_CHECKED;
/* Index of a column, or an error that lists the columns: MB_E_ARG for a name the user chose,
 * MB_E_FORMAT for one the format demands. `what`: "node column". */
mb_status mb_csv_need_(const mb_csv *c, mb_status code, const char *what, const char *name,
                       int32_t *col, mb_err *err) MB_CHECKED;
/* Adds a name to a list for messages: "a, b", or "a, .." once there is no room in its cap bytes. */
void mb_list_add_(char *list, size_t cap, const char *name);
/* MB_E_FORMAT when the cell is empty. */
mb_status mb_csv_filled_(const mb_csv *c, int64_t row, int32_t col, mb_err *err) MB_CHECKED;
/* The error of a CSV file that ends after its header line. */
mb_status mb_no_rows_(const char *file, mb_err *err) MB_CHECKED;

/* The first text that occurred before, and where; *second = -1: all differ. O(bytes). */
mb_status mb_texts_twice_(mb_arena *a, int32_t n, const char *const *text, int32_t *first,
                          int32_t *second, mb_err *err) MB_CHECKED;
/* Copies texts into the arena, in one block. */
mb_status mb_texts_copy_(mb_arena *a, int32_t n, const char *const *from, const char ***to,
                         mb_err *err) MB_CHECKED;

/* Groups the rows of x, w, label and file_row by node[0..n) (0..N-1), keeping their order within
 * a node, and sets N and first. Arrays in order already are not copied. */
mb_status mb_data_group_(mb_arena *a, mb_data *d, int32_t N, const int32_t *node,
                         mb_err *err) MB_CHECKED;

#endif
