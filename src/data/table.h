/* data/table.h - tables in files: CSV, NPY, NPZ, and rows read in batches. */
#ifndef MB_DATA_TABLE_H
#define MB_DATA_TABLE_H

#include "data/file.h"
#include "meshbayes/meshbayes.h"

/* Where a row (its number in the files, from 0, as in mb_reader_rows) stands, and a column (NULL:
 * none): "FILE:LINE: column "NAME"" in CSV, "FILE: row N, column "NAME"", from 1, in NPY and where
 * the files cannot be read again, as standard input. Reads them: O(bytes). */
void mb_row_place(const mb_origin *from, int64_t number, const char *column, char text[MB_PLACE]);

/* A CSV file as text cells: one header line, a separator (comma, semicolon or tab, recognised from
 * the header line and the first rows), optional double quotes (RFC 4180), LF or CRLF, optional
 * UTF-8 BOM. Every row has as many cells as the header; empty lines may occur only at the end. */
typedef struct mb_csv {
    const char  *file;      /* as given, for messages      */
    int32_t      cols;      /* columns                     */
    int64_t      rows;      /* without the header          */
    const char **name;      /* cols                        */
    const char **cell;      /* rows x cols, row-major      */
    int64_t     *line;      /* rows: line number in the file */
    char         separator; /* between the cells of a line */
} mb_csv;
/* Reads a whole file; cells remain text. MB_E_IO, MB_E_FORMAT. O(bytes). */
mb_status mb_csv_read(mb_arena *a, const char *file, mb_csv *out, mb_err *err) MB_CHECKED;
/* The same for n bytes of text that a 0 follows; they change, and out points into them. file: for
 * messages. */
mb_status mb_csv_parse(mb_arena *a, const char *file, char *bytes, size_t n, mb_csv *out,
                       mb_err *err) MB_CHECKED;
/* Index of the column with this name, -1 if absent. */
int32_t mb_csv_find(const mb_csv *c, const char *name);
/* Cell as a finite number; MB_E_FORMAT names file, line, column and value ("": missing). */
mb_status mb_csv_number(const mb_csv *c, int64_t row, int32_t col, double *out,
                        mb_err *err) MB_CHECKED;
/* The same for a number of magnitude at most `most`: MB_VALUE_MAX for rows. */
mb_status mb_csv_bounded(const mb_csv *c, int64_t row, int32_t col, double most, double *out,
                         mb_err *err) MB_CHECKED;
/* Cell as an integer in lo..hi; MB_E_FORMAT as mb_csv_number. */
mb_status mb_csv_integer(const mb_csv *c, int64_t row, int32_t col, int64_t lo, int64_t hi,
                         int64_t *out, mb_err *err) MB_CHECKED;
/* Cell of a column of this kind as a number: the name of a category, true or false (yes or no) of a
 * flag. MB_E_FORMAT as mb_csv_number. */
mb_status mb_csv_cell(const mb_csv *c, int64_t row, int32_t col, const mb_column *kind, double *out,
                      mb_err *err) MB_CHECKED;
/* What a column is, as mb_data_read makes it of its cells: `known` (a category without names gets
 * those of the cells; NULL: it is recognised). code: rows numbers, those of its levels for a
 * category and for a flag of words, the cells else, NaN where there is no value. MB_E_FORMAT for a
 * cell that the kind does not have, a word after numbers too. */
mb_status mb_csv_column(mb_arena *a, const mb_csv *c, int32_t col, const mb_column *known,
                        mb_column *out, double *code, mb_err *err) MB_CHECKED;
/* 1: the text of a cell says that there is no value: see mb_missing. */
int mb_cell_missing(const char *text);
/* Writes a cell, quoted where needed to read back the same text. */
mb_status mb_csv_put(mb_file *f, const char *text, mb_err *err) MB_CHECKED;
/* Bytes of the UTF-8 character at `text`; 0 when it is none or XML has no way to write it. */
int mb_xml_char(const char *text);
/* Converts a whole string (blanks around the number are ignored) to the nearest double, independent
 * of the locale; 0 on success. */
int mb_parse_double(const char *text, double *out);

/* low, high (d): the ends of every column, of a CSV file of column,low,high. MB_E_FORMAT for one
 * that is not among the names, is there twice or not at all, and for low >= high. */
mb_status mb_bounds_read(mb_arena *a, const char *file, int32_t d, const char *const *name,
                         double *low, double *high, mb_err *err) MB_CHECKED;

/* The names of the columns of such a file, in its order, in the arena. */
mb_status mb_bounds_columns(mb_arena *a, const char *file, int32_t *d, const char *const **name,
                            mb_err *err) MB_CHECKED;

/* NPY of any version with numbers (float16 to float64, signed and unsigned integers of 8 to 64
 * bits, bool) of either byte order, in C or Fortran order, 1 to 3 dimensions. Integers beyond 2^53
 * are rounded to the nearest double. */
typedef struct mb_npy {
    int32_t ndim;     /* 1 to 3 */
    int64_t shape[3]; /* ndim sizes */
    double *x;        /* product of shape, row-major, converted to double */
} mb_npy;
/* Reads a whole file. MB_E_IO, MB_E_FORMAT, MB_E_NOSUP for other kinds of NPY. */
mb_status mb_npy_read(mb_arena *a, const char *file, mb_npy *out, mb_err *err) MB_CHECKED;
/* Writes shape[0] x .. x shape[ndim - 1] numbers as float64, row-major, as an atomic mb_file. */
mb_status mb_npy_write(mb_arena *a, const char *file, int32_t ndim, const int64_t *shape,
                       const double *x, mb_err *err) MB_CHECKED;
/* Starts the same in pieces: the header into an open file; the numbers of the shape must follow. */
mb_status mb_npy_begin(mb_file *f, int32_t ndim, const int64_t *shape, mb_err *err) MB_CHECKED;
/* Appends `count` numbers. */
mb_status mb_npy_put(mb_file *f, size_t count, const double *x, mb_err *err) MB_CHECKED;
/* Sets the first of at most 2 dimensions if it is known only at the end: begin with 0 and call this
 * before the commit. MB_E_NOSUP for pipes and compressed files, which cannot seek. */
mb_status mb_npy_end(mb_file *f, int32_t ndim, const int64_t *shape, mb_err *err) MB_CHECKED;

/* The rows of an NPY file, mapped into memory: pages that are not accessed cost neither time nor
 * memory, and of a file above 128 MB those just read are released in steps of 4 MB, so that it may
 * be larger than memory. The file must not be shortened while it is mapped. */
typedef struct mb_npy_rows {
    mb_stored     stored;  /* first; borrowed by views: the struct stays where it is          */
    int64_t       n;       /* rows                                                            */
    int32_t       d;       /* columns                                                         */
    const double *x;       /* n x d; NULL: the file is long, or not of this machine's doubles */
    void         *base;    /* of the mapping                                                  */
    size_t        bytes;   /* of the file                                                     */
    const char   *numbers; /* n x d, of `type` and `width` bytes each                         */
    int32_t       width;   /* bytes of a number                                               */
    int32_t       big;     /* 1: the first byte of a number is the most significant           */
    char          type;    /* 'f', 'i', 'u' or 'b': floating, signed, unsigned, boolean       */
    void         *parts;   /* those of mb_npy_join, which stays in memory; NULL: one file     */
} mb_npy_rows;
/* Maps a file with one (a column) or two dimensions. MB_E_NOSUP for what mb_npy_read alone
 * accepts: Fortran order, compressed or unaligned files, and for rows of more than 2^19 numbers. */
mb_status mb_npy_map(const char *file, mb_npy_rows *out, mb_err *err) MB_CHECKED;
/* 1: the file is released while it is read. */
int mb_npy_is_long(const mb_npy_rows *m);
/* The rows as doubles, converted when they are read. Borrows m. */
mb_rows mb_npy_view(const mb_npy_rows *m);
/* MB_E_FORMAT with row and column: a number, from <= row < to, not finite or above MB_VALUE_MAX. */
mb_status mb_npy_check(const char *file, const mb_npy_rows *m, int64_t from, int64_t to,
                       mb_err *err) MB_CHECKED;
/* mb_data::hash of the file. O(bytes). */
uint64_t mb_npy_hash(const mb_npy_rows *m);
/* Releases the physical memory of the rows until they are accessed again. */
void mb_npy_rest(const mb_npy_rows *m);
/* Ends the mapping; safe on a zeroed struct. */
void mb_npy_unmap(mb_npy_rows *m);

/* A writer of named arrays in one file for numpy.load (.npz, not compressed). Atomic; the
 * same arrays give the same bytes. */
typedef struct mb_npz mb_npz;
/* Opens the temporary for `file`. */
mb_status mb_npz_open(mb_arena *a, const char *file, mb_npz **out, mb_err *err) MB_CHECKED;
/* Adds a row-major array of float64. name: letters, digits and _ . - ; unique. 0 to 3 dimensions
 * (0: one number). MB_E_NOSUP beyond the 4 GiB of a plain zip archive. */
mb_status mb_npz_add(mb_npz *z, const char *name, int32_t ndim, const int64_t *shape,
                     const double *x, mb_err *err) MB_CHECKED;
/* Types of whole numbers in an archive. */
typedef enum mb_whole {
    MB_WHOLE_INTEGER, /* int64                     */
    MB_WHOLE_BOOL     /* bool: false for 0, or below */
} mb_whole;
/* Adds an array of whole numbers. MB_E_ARG for one beyond 2^53 or NaN. */
mb_status mb_npz_add_whole(mb_npz *z, const char *name, mb_whole type, int32_t ndim,
                           const int64_t *shape, const double *x, mb_err *err) MB_CHECKED;
/* Adds n UTF-8 texts as an array of NumPy's str (<U). MB_E_FORMAT for another encoding. */
mb_status mb_npz_add_texts(mb_npz *z, const char *name, int32_t n, const char *const *text,
                           mb_err *err) MB_CHECKED;
/* Adds one text as NumPy's str without dimensions. MB_E_FORMAT for another encoding than UTF-8. */
mb_status mb_npz_add_text(mb_npz *z, const char *name, const char *text, mb_err *err) MB_CHECKED;
/* Writes the archive's directory and renames the file. */
mb_status mb_npz_commit(mb_npz *z, mb_err *err) MB_CHECKED;
/* Removes the temporary; safe after commit and on NULL. */
void mb_npz_abort(mb_npz *z);

/* A numeric matrix from CSV (one header line) or, by the file's ending, NPY (".npy", ".npy.gz"). */
typedef struct mb_matrix {
    int64_t            n;    /* rows                    */
    int32_t            d;    /* columns                 */
    double            *x;    /* n x d                   */
    const char *const *name; /* d columns; NULL for NPY */
} mb_matrix;
/* Reads a whole file; MB_E_FORMAT for a cell that is not a number up to MB_VALUE_MAX. */
mb_status mb_matrix_read(mb_arena *a, const char *file, mb_matrix *out, mb_err *err) MB_CHECKED;

/* Reads the numeric rows of CSV or NPY files in batches: memory does not depend on the length of a
 * file. Errors name file, line, column and value. */
typedef struct mb_reader mb_reader;
/* Opens the files and reads their headers. opt: NULL: one file, all of whose columns are read.
 * Otherwise `file` is what mb_data_files accepts; all files must have the same columns (in any
 * order), whose rows follow each other as in one file. Texts of opt are borrowed until
 * mb_reader_close. NPY, NPZ and CSV are recognised by the ending of the name and the first bytes;
 * an array of an NPZ file is FILE.npz:NAME, or FILE.npz when it is the only one; "-" is standard
 * input. NPY in Fortran order and NPZ are held in memory. */
mb_status mb_reader_open(mb_arena *a, const char *file, const mb_data_opt *opt, mb_reader **out,
                         mb_err *err) MB_CHECKED;
/* Number of columns of the (first) file. */
int32_t mb_reader_columns(const mb_reader *s);
/* Their names; NULL for NPY. */
const char *const *mb_reader_names(const mb_reader *s);
/* The columns that are features (d indices), as opt says: those that are delivered by default. */
const int32_t *mb_reader_features(const mb_reader *s, int32_t *d);
/* Selects the columns to deliver: d indices in the order wanted. */
mb_status mb_reader_select(mb_reader *s, const int32_t *column, int32_t d, mb_err *err) MB_CHECKED;
/* The columns that are selected are of these kinds (d of them; their names in CSV, their codes in
 * NPY): what does not fit is MB_E_FORMAT. Borrowed. */
mb_status mb_reader_kinds(mb_reader *s, const mb_column *of, int32_t d, mb_err *err) MB_CHECKED;
/* Unless rows that lack a value are dropped, column k of those selected may: it is NaN then. */
void mb_reader_may_lack(mb_reader *s, int32_t k);
/* CSV: keeps the texts of these k columns, too: an id, a class. MB_E_ARG for NPY. */
mb_status mb_reader_keep(mb_reader *s, const int32_t *column, int32_t k, mb_err *err) MB_CHECKED;
/* x (max x d, row-major): the next *n rows; *n < max only at the end, 0 after it. */
mb_status mb_reader_next(mb_reader *s, int64_t max, double *x, int64_t *n, mb_err *err) MB_CHECKED;
/* The text of kept column j in row r of the last batch; valid until the next one. */
const char *mb_reader_extra(const mb_reader *s, int64_t r, int32_t j);
/* The numbers of the last batch's rows in the files, from 0, dropped rows counted. */
const int64_t *mb_reader_rows(const mb_reader *s);
/* Rows dropped so far because a value is missing. */
int64_t mb_reader_dropped(const mb_reader *s);
/* Gaps of the rows delivered so far: MB_MISSING_KEEP. */
int64_t mb_reader_gaps(const mb_reader *s);
/* What a user should know: the separator that was recognised, files that were not read, at the end
 * the rows dropped. *n texts of one line. */
const char *const *mb_reader_notes(const mb_reader *s, int32_t *n);
/* Closes the file. Safe on NULL. */
void mb_reader_close(mb_reader *s);

/* A table of numbers that is written batch by batch: CSV, or NPY by the file's ending. */
typedef struct mb_writer {
    const char        *path;    /* NULL: rows are computed, but not written                       */
    int32_t            columns; /* numbers in a row                                           */
    const char *const *name;    /* columns: the first line of CSV                             */
    int32_t            ndim;    /* of the NPY array, 1 to 3                                   */
    int64_t            shape[3]; /* ndim; shape[0] < 0: the rows are counted (ndim 1 or 2)     */
    int64_t            batch;    /* rows at a time, at most                                    */
    /* The next *n rows into x (batch x columns); *n = 0: there are no more. */
    mb_status (*next)(void *self, double *x, int64_t *n, mb_err *err);
    void   *self;  /* its own data */
    int32_t leads; /* CSV only: columns of texts before the numbers; 0: none            */
    const char *const *lead_name; /* leads: their names */
    /* Text k of row r of the batch that `next` made last. */
    const char *(*lead)(void *self, int64_t r, int32_t k);
    /* CSV only: the text that stands for x in a column; NULL: its digits. NULL: always. */
    const char *(*text)(void *self, int32_t column, double x);
} mb_writer;
/* Writes all rows, atomically; no file is opened before the first rows are computed. Memory does
 * not depend on their number. CSV has 17 digits, which read back to the same numbers. Errors are
 * those of `next` and MB_E_IO. */
mb_status mb_writer_run(mb_arena *a, const mb_writer *t, mb_err *err) MB_CHECKED;

#endif
