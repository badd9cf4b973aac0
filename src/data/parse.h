/* parse.h - what the readers and writers of files share. */
#ifndef MB_DATA_PARSE_H
#define MB_DATA_PARSE_H

#include "data/data.h"
#include "data/table.h"
#include "meshbayes/extend.h"

#include <math.h>

/* Strict decimal integer ("-12"; no blanks, no plus sign) that fits int64_t; 0 on success. */
int mb_parse_integer_(const char *text, int64_t *out);
/* mb_parse_double of the number that begins at `text` without a blank: returns its end. NULL: there
 * is none, or it has too many digits for this quick way. All bytes before `room` can be read; the
 * number may continue there. */
const char *mb_scan_double_(const char *text, const char *room, double *out);
/* The text of printf's %.17g in the C locale; returns its length. */
enum { MB_NUMBER_TEXT_ = 32 /* bytes of it, at most */ };
size_t mb_number_text_(double x, char *text);
/* As mb_parse_double, or with one decimal comma instead of a point. */
int mb_parse_decimal_(const char *text, double *out);
/* XXH64, seed 0, of bytes that come in pieces: mb_data::hash. */
typedef struct mb_hash_ {
    uint64_t lane[4];
    uint64_t bytes;    /* so far                                   */
    char     rest[32]; /* the last bytes % 32 of them              */
} mb_hash_;
mb_hash_ mb_hash_begin_(void);
void     mb_hash_more_(mb_hash_ *h, const void *bytes, size_t n);
uint64_t mb_hash_end_(const mb_hash_ *h);

/* A copy of `used` items with room for `room` of `size` bytes; the old array stays in the arena.
 * NULL, with the error record filled: no memory. */
void *mb_larger_(mb_arena *a, const void *from, size_t used, size_t room, size_t size, mb_err *err);

/* The bytes of a file, front to back, decompressed when they are gzip data. */
typedef struct mb_source_ {
    void              *fp;      /* FILE *; NULL: the bytes are in memory             */
    const char        *path;    /* the caller's                                      */
    int64_t            size;    /* bytes to come where that is known, else -1        */
    struct mb_gunzip_ *gzip;    /* NULL: the bytes are as they are in the file       */
    char               head[2]; /* read to recognise gzip data, and not yet returned */
    size_t             heads;
    char               ahead[8]; /* mb_source_peek_: read, and not yet returned */
    size_t             aheads;
    const char        *memory; /* the next of the `left` bytes in memory */
    size_t             left;
} mb_source_;
mb_status mb_source_open_(const char *path, mb_source_ *out, mb_err *err) MB_CHECKED;
/* Standard input, whose descriptor stays open; path: what messages call it. */
mb_status mb_source_stdin_(const char *path, mb_source_ *out, mb_err *err) MB_CHECKED;
/* n bytes in memory, which must outlive the source. */
mb_source_ mb_source_memory_(const char *path, const char *bytes, size_t n);
/* The first bytes, which are returned again by the reads; fewer than 8 only when there are no more.
 * Before the first read. */
mb_status mb_source_peek_(mb_source_ *s, size_t *n, mb_err *err) MB_CHECKED;
/* All bytes that are left, into the arena. */
mb_status mb_source_rest_(mb_arena *a, mb_source_ *s, char **bytes, size_t *n,
                          mb_err *err) MB_CHECKED;
/* Fewer than n bytes only at the end of the file. */
mb_status mb_source_read_(mb_source_ *s, char *bytes, size_t n, size_t *got,
                          mb_err *err) MB_CHECKED;
/* Safe on a zeroed struct. */
void mb_source_close_(mb_source_ *s);
/* "PATH: cannot WHAT: reason", as MB_E_IO. */
mb_status mb_io_failed_(const char *path, const char *doing, int reason, mb_err *err);

/* Text that is being parsed. The bytes from `record` on end in a 0 and hold no other, so loops over
 * characters stop by themselves; each cell is terminated in place, so the bytes change. */
typedef struct mb_csv_text_ {
    const char *file;
    char       *record; /* where the record being read begins              */
    char       *at;     /* the next byte                                   */
    int64_t     line;   /* of `at`, from 1                                 */
    mb_arena   *a;
    size_t     *cell;  /* cap: where cells begin, counted from `record`    */
    int64_t     count; /* cells of the record                              */
    int64_t     cap;
    int32_t     cols;    /* cells a row must have; 0: the header is not read  */
    char        sep;     /* between cells; 0: mb_csv_header_ recognises it    */
    int32_t     guessed; /* 1: it did                                      */
    mb_header   header;
    int32_t     hints;     /* 1: messages may name the options of commands   */
    int32_t     pending;   /* 1: the first line is a row, not yet returned   */
    int64_t     top;       /* the line of the header                       */
    int32_t     row_names; /* 1: the first column, which has no name, is MB_ROW_NAMES_ */
    /* At the closing 0: appends more bytes (`record` and `at` may move) or, at the end of the file,
     * sets itself to NULL. NULL: the bytes are all there is. */
    mb_status (*more)(struct mb_csv_text_ *t, mb_err *err);
} mb_csv_text_;

/* What the first column is called where the header has no name for it, as R and pandas write row
 * names: with t->hints. */
#define MB_ROW_NAMES_ "row_name"
/* What a line that begins with # may be, and what helps where blanks separate the cells. */
#define MB_CSV_COMMENTS_ "; comment lines may only stand above the header line"
#define MB_CSV_BLANKS_                                                                             \
    "; blanks do not separate cells: tr -s ' ' ',' <FILE | meshbayes .. --data - makes them "      \
    "commas"

/* Whether the line at t->at, which begins with #, is a comment (1) or has the names of the columns
 * (0): as many cells as the line after it, which has a number. -1: as many, but no number tells
 * whether the next line is a row. */
int mb_csv_is_comment_(const mb_csv_text_ *t);
/* "comma", "semicolon" or "tab". */
const char *mb_csv_separator_name_(char sep);
/* The separator of the lines from t->at on: the one that most of the first rows have as often as
 * the header line; a comma when there is none. */
char mb_csv_separator_(const mb_csv_text_ *t);
/* The header line: sets cols; the names are valid until the first row is read. */
mb_status mb_csv_header_(mb_csv_text_ *t, const char ***name, mb_err *err) MB_CHECKED;
/* The next row into cell[0..cols), and its line; *line = 0 at the end. Cells are valid until the
 * next call. */
mb_status mb_csv_row_(mb_csv_text_ *t, const char **cell, int64_t *line, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT when bytes[0..n), which begin at t->line, hold a 0. */
mb_status mb_csv_no_zero_(const mb_csv_text_ *t, const char *bytes, size_t n,
                          mb_err *err) MB_CHECKED;

/* Readers of bytes already in memory. */
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

/* mb_edges_read of GraphML. */
mb_status mb_graphml_read_(mb_arena *a, const char *file, mb_edges *out, mb_err *err) MB_CHECKED;

/* The first text that occurred before, and where; *second = -1: all differ. O(bytes). */
mb_status mb_texts_twice_(mb_arena *a, int32_t n, const char *const *text, int32_t *first,
                          int32_t *second, mb_err *err) MB_CHECKED;
/* Distinct texts in the order in which they first occur; zeroed but for the arena at first. */
typedef struct mb_words_ {
    mb_arena    *a;
    const char **text; /* count */
    int32_t     *slot; /* mask + 1 */
    size_t       mask;
    int32_t      count, room, last;
} mb_words_;
/* The index of a text, which is copied when it is new. */
mb_status mb_words_add_(mb_words_ *w, const char *text, int32_t *index, mb_err *err) MB_CHECKED;
/* Copies texts into the arena, in one block. */
mb_status mb_texts_copy_(mb_arena *a, int32_t n, const char *const *from, const char ***to,
                         mb_err *err) MB_CHECKED;

/* NumPy's array files in parts, for readers of whole files and of files piece by piece. */
#define MB_NPY_MAGIC_ "\x93NUMPY"
enum { MB_NPY_MAGIC_LEN_ = 6, MB_NPY_LEAD_ = 12 /* bytes that mb_npy_lead_ needs */ };

typedef struct mb_npy_head_ {
    size_t  size;    /* bytes before the numbers    */
    int32_t width;   /* bytes of a number: 1, 2, 4 or 8 */
    char    type;    /* 'f', 'i', 'u' or 'b'        */
    int32_t big;     /* 1: the first byte of a number is the most significant */
    int32_t fortran; /* 1: the first index varies fastest */
    int32_t ndim;
    int64_t shape[3];
    size_t  count; /* product of shape */
} mb_npy_head_;

/* Bytes before the numbers, from the first n bytes of the file. */
mb_status mb_npy_lead_(const char *file, const char *bytes, size_t n, size_t *size,
                       mb_err *err) MB_CHECKED;
/* The header, from the first n bytes of the file, which must include all of it. */
mb_status mb_npy_head_read_(mb_arena *a, const char *file, const char *bytes, size_t n,
                            mb_npy_head_ *out, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT unless the numbers have as many bytes as the shape says. */
mb_status mb_npy_exact_(const char *file, const mb_npy_head_ *h, size_t bytes,
                        mb_err *err) MB_CHECKED;
void      mb_npy_numbers_(const mb_npy_head_ *h, const char *bytes, size_t count, double *x);
/* Little-endian unsigned integers of 4, 8 and `width` bytes. Compilers make one load of the
 * first two. */
static inline uint32_t mb_little4_(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint64_t mb_little8_(const char *bytes)
{
    return (uint64_t)mb_little4_(bytes) | (uint64_t)mb_little4_(bytes + 4) << 32;
}
uint64_t mb_npy_little_(const char *bytes, int width);
/* Two dimensions, at least one row and one column. */
mb_status mb_npy_shape_(const char *file, int32_t ndim, const int64_t *shape, int64_t *n,
                        int32_t *d, mb_err *err) MB_CHECKED;
/* 1 when a row may hold the number: finite, and up to MB_VALUE_MAX. */
static inline int mb_npy_is_value_(double x)
{
    return fabs(x) <= MB_VALUE_MAX; /* not of NaN */
}
/* The error for any other number; row and col from 0. */
mb_status mb_npy_no_value_(const char *file, int64_t row, int64_t col, double x,
                           mb_err *err) MB_CHECKED;
/* Rows j .. j + n - 1 of a mapped file as doubles: where they are, or in room (n x d). */
const double *mb_npy_rows_at_(const mb_npy_rows *m, int64_t j, int64_t n, double *room);
/* Rows in a file of each process of a job. */
struct mb_parts {
    const char           *name;  /* of this process's part, for messages    */
    const struct mb_comm *comm;  /* borrowed                                */
    mb_npy_rows           own;   /* its file, mapped                        */
    int64_t              *first; /* size + 1: rows in the parts before each */
};
/* As mb_npy_map; there may be no rows. */
mb_status mb_npy_map_part_(const char *file, mb_npy_rows *out, mb_err *err) MB_CHECKED;
/* The rows of a file that is in memory, of m->bytes at m->base, which mb_npy_unmap frees. */
mb_status mb_npy_in_memory_(const char *file, mb_npy_rows *m, mb_err *err) MB_CHECKED;
/* The hash resumes over rows from .. to - 1; from 0: over the header, too. */
void mb_npy_hash_rows_(const mb_npy_rows *m, int64_t from, int64_t to, mb_hash_ *hash);
/* Rows from .. to - 1 are done with: of a long file they are released, and the next read ahead. */
void mb_npy_passed_(const mb_npy_rows *m, int64_t from, int64_t to);
/* mb_npy_check, but NaN are counted where gaps is not NULL. */
mb_status mb_npy_scan_(const char *file, const mb_npy_rows *m, int64_t from, int64_t to,
                       int64_t *gaps, mb_err *err) MB_CHECKED;
/* The bytes before the numbers of an array of this type ("<f8"): version 1.0, padded with blanks so
 * that the numbers begin at a multiple of 64. Returns how many. */
enum { MB_NPY_HEADER_MAX_ = 256 };
size_t mb_npy_header_(const char *type, int32_t ndim, const int64_t *shape, char *out);
/* The bytes of the array `member` (NULL: the only one) in the n bytes of an NPZ file: in the file's
 * when it is stored, in the arena when it is compressed. */
mb_status mb_npz_member_(mb_arena *a, const char *file, const char *bytes, size_t n,
                         const char *member, const char **out, size_t *size,
                         mb_err *err) MB_CHECKED;
/* Takes bytes in the order of the file. */
typedef mb_status (*mb_npy_sink_)(void *to, const void *bytes, size_t n, mb_err *err);
/* An NPY file of 0 to 3 dimensions, into a sink. */
mb_status mb_npy_put_(mb_npy_sink_ sink, void *to, int32_t ndim, const int64_t *shape,
                      const double *x, mb_err *err) MB_CHECKED;

/* The group of each row of the last batch: 0, 1 and so on in the order of the files; NULL when opt
 * names none. MB_E_FORMAT of mb_reader_next: rows of a group that do not follow each other. */
const int32_t *mb_reader_group_(const mb_reader *s);
/* The text of each group so far; of files that are groups their names. */
const char *const *mb_reader_group_names_(const mb_reader *s);
/* That of the group of row j of the last batch. */
const char *mb_reader_group_name_(const mb_reader *s, int64_t j);
/* From now on a batch ends with a group, the first that ends after `rows` rows or more.
 * MB_E_FORMAT of mb_reader_next: a group that is longer than a batch. */
void mb_reader_whole_groups_(mb_reader *s, int64_t rows);

#endif
