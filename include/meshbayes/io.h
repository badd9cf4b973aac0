/* meshbayes/io.h - readers and writers of files: CSV, NPY, data sets grouped by node. Errors name
 * file, line (CSV) or offset, column and value, and what would be accepted.
 *
 * Files that are gzip data are unpacked by every reader here, told by their first two bytes; paths
 * ending in ".gz" are packed by every writer, without a time stamp. MB_E_NOSUP without zlib. */
#ifndef MESHBAYES_IO_H
#define MESHBAYES_IO_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of rows and weights are at most this large, so that weighted sums of squares over any rows
 * that fit into memory, and what is made of them, stay finite. */
#define MB_VALUE_MAX 1e100
/* The same of a row's weight. */
#define MB_WEIGHT_MAX 1e15

/* 1 when a path ends in `ending` (".npy"), or in that and ".gz". */
MB_API int mb_path_ends(const char *path, const char *ending);

/* A file written beside its place and renamed into it: never half-written. Its temporary is called
 * FILE.tmp-PID; one that a process which is no more left of the same file is removed. */
typedef struct mb_file {
    void            *fp;   /* FILE * */
    char            *temp; /* in the arena */
    char            *path; /* in the arena: where it ends up */
    struct mb_gzip_ *gzip; /* NULL: not packed */
} mb_file;
/* Opens the temporary beside `path`. MB_E_IO names the file and the reason, here and below. */
MB_API mb_status mb_file_open(mb_arena *a, const char *path, mb_file *out, mb_err *err) MB_CHECKED;
/* n bytes more. */
MB_API mb_status mb_file_write(mb_file *f, const void *bytes, size_t n, mb_err *err) MB_CHECKED;
/* Text in the manner of printf, locale "C". */
MB_API mb_status mb_file_printf(mb_file *f, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
/* Flush, sync, rename. On failure the temporary is removed and the old file stays. */
MB_API mb_status mb_file_commit(mb_file *f, mb_err *err) MB_CHECKED;
/* Removes the temporary; safe after commit and on a zeroed struct. */
MB_API void mb_file_abort(mb_file *f);
/* Whole file as bytes with a 0 behind. MB_E_IO names the file and the reason. */
MB_API mb_status mb_file_read(mb_arena *a, const char *path, char **bytes, size_t *n,
                              mb_err *err) MB_CHECKED;
/* Removes FILE.tmp-PID of processes that are no more from a folder: of one file there, or of all
 * (NULL). Processes of other machines are not seen: nobody else may be writing there. */
MB_API void mb_dir_sweep(const char *dir, const char *file);
/* 1 when no process of this machine has this number. */
MB_API int mb_process_gone(long pid);
/* CRC-32 of zip and gzip (ISO 3309) over n bytes more; crc: so far, at first 0. */
MB_API uint32_t mb_crc32(uint32_t crc, const void *bytes, size_t n);
/* Makes DIR (and parents) if missing; MB_E_IO when it exists and is no directory. */
MB_API mb_status mb_dir_make(const char *path, mb_err *err) MB_CHECKED;

/* A CSV file as text cells: one header line, comma, optional double quotes (RFC 4180), LF or CRLF,
 * optional UTF-8 BOM. Every row has as many cells as the header; empty lines at the end only. */
typedef struct mb_csv {
    const char  *file; /* as given, for messages      */
    int32_t      cols; /* columns                     */
    int64_t      rows; /* without the header          */
    const char **name; /* cols                        */
    const char **cell; /* rows x cols, row-major      */
    int64_t     *line; /* rows: line number in the file */
} mb_csv;
/* Reads a file whole; every cell stays text. MB_E_IO, MB_E_FORMAT. O(bytes). */
MB_API mb_status mb_csv_read(mb_arena *a, const char *file, mb_csv *out, mb_err *err) MB_CHECKED;
/* Column by name: -1 when absent. */
MB_API int32_t mb_csv_find(const mb_csv *c, const char *name);
/* Cell as a finite number; MB_E_FORMAT names file, line, column and value ("" = missing). */
MB_API mb_status mb_csv_number(const mb_csv *c, int64_t row, int32_t col, double *out,
                               mb_err *err) MB_CHECKED;
/* The same, at most `most` in magnitude: MB_VALUE_MAX for rows. */
MB_API mb_status mb_csv_bounded(const mb_csv *c, int64_t row, int32_t col, double most, double *out,
                                mb_err *err) MB_CHECKED;
/* Cell as an integer lo..hi; MB_E_FORMAT as mb_csv_number. */
MB_API mb_status mb_csv_integer(const mb_csv *c, int64_t row, int32_t col, int64_t lo, int64_t hi,
                                int64_t *out, mb_err *err) MB_CHECKED;
/* Writes a cell, quoted where a reader would not give the same text back. */
MB_API mb_status mb_csv_put(mb_file *f, const char *text, mb_err *err) MB_CHECKED;
/* Bytes of the UTF-8 character at `text`; 0 when it is none or XML has no way to write it. */
MB_API int mb_xml_char(const char *text);
/* Correctly rounded decimal -> double of the whole string (blanks around it are fine); 0 on success. Locale-independent. */
MB_API int mb_parse_double(const char *text, double *out);

/* NPY version 1.0/2.0, float32, float64 or uint8, little endian, C order, 1 to 3 dimensions. */
typedef struct mb_npy {
    int32_t ndim;     /* 1 to 3 */
    int64_t shape[3]; /* ndim sizes */
    double *x;        /* product of shape, converted to double */
} mb_npy;
/* Reads a file whole. MB_E_IO, MB_E_FORMAT, MB_E_NOSUP for other kinds of NPY. */
MB_API mb_status mb_npy_read(mb_arena *a, const char *file, mb_npy *out, mb_err *err) MB_CHECKED;
/* Writes shape[0] x .. x shape[ndim - 1] numbers as float64, row-major, never half-written. */
MB_API mb_status mb_npy_write(mb_arena *a, const char *file, int32_t ndim, const int64_t *shape,
                              const double *x, mb_err *err) MB_CHECKED;
/* The same in pieces, into an open file: the head, then as many numbers as the shape says. */
MB_API mb_status mb_npy_begin(mb_file *f, int32_t ndim, const int64_t *shape,
                              mb_err *err) MB_CHECKED;
/* `count` numbers more. */
MB_API mb_status mb_npy_put(mb_file *f, size_t count, const double *x, mb_err *err) MB_CHECKED;
/* Where the first of at most 2 dimensions is known only at the end: begin with 0 there, and before
 * the commit say how many. MB_E_NOSUP for pipes and packed files, which have no way back. */
MB_API mb_status mb_npy_end(mb_file *f, int32_t ndim, const int64_t *shape, mb_err *err) MB_CHECKED;

/* The rows of a float64 NPY file where they lie: mapped, not read. Pages that nobody looks at cost
 * neither time nor memory. The file must not be shortened while it is mapped. */
typedef struct mb_npy_rows {
    int64_t       n;     /* rows                   */
    int32_t       d;     /* columns                */
    const double *x;     /* n x d                  */
    void         *base;  /* of the mapping         */
    size_t        bytes; /* of the file            */
} mb_npy_rows;
/* Two dimensions. MB_E_NOSUP for float32, packed or unaligned files and on
 * machines that store numbers the other way round: mb_npy_read takes those. */
MB_API mb_status mb_npy_map(const char *file, mb_npy_rows *out, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT that names row and column when a number of the rows from <= r < to is not finite or
 * beyond MB_VALUE_MAX. */
MB_API mb_status mb_npy_check(const char *file, const mb_npy_rows *m, int64_t from, int64_t to,
                              mb_err *err) MB_CHECKED;
/* The rows are not needed for a while: gives their memory back until somebody looks again. */
MB_API void mb_npy_rest(const mb_npy_rows *m);
/* Ends the mapping; safe on zeroed ones. */
MB_API void mb_npy_unmap(mb_npy_rows *m);

/* Named float64 arrays in one file, as numpy.load reads them (.npz, not packed). Atomic; the same
 * arrays give the same bytes. */
typedef struct mb_npz mb_npz;
/* Opens the temporary beside `file`. */
MB_API mb_status mb_npz_open(mb_arena *a, const char *file, mb_npz **out, mb_err *err) MB_CHECKED;
/* Adds an array, row-major. name: letters, digits and _ . - ; each once. 0 to 3 dimensions (0: one number). MB_E_NOSUP beyond
 * the 4 GiB of a plain zip archive. */
MB_API mb_status mb_npz_add(mb_npz *z, const char *name, int32_t ndim, const int64_t *shape,
                            const double *x, mb_err *err) MB_CHECKED;
/* Writes the directory and renames the file into its place. */
MB_API mb_status mb_npz_commit(mb_npz *z, mb_err *err) MB_CHECKED;
/* Removes what is there so far; safe after commit and on NULL. */
MB_API void mb_npz_abort(mb_npz *z);

/* CSV (one header line) or NPY by the file's ending (".npy", ".npy.gz"), all numeric: a plain matrix.
 * name: column names, NULL for NPY. */
typedef struct mb_matrix {
    int64_t      n;    /* rows           */
    int32_t      d;    /* columns        */
    double      *x;    /* n x d          */
    const char **name; /* d; NULL: NPY   */
} mb_matrix;
/* Reads a file whole; a cell that is no number up to MB_VALUE_MAX is MB_E_FORMAT. */
MB_API mb_status mb_matrix_read(mb_arena *a, const char *file, mb_matrix *out,
                                mb_err *err) MB_CHECKED;

/* Numeric rows of a CSV (one header line) or two-dimensional NPY file, batch by batch: memory does
 * not depend on the length of the file. Errors are those of mb_csv_bounded, with file and line. */
typedef struct mb_reader mb_reader;
/* Opens a file and reads its header. The reader holds the file until mb_reader_close. */
MB_API mb_status mb_reader_open(mb_arena *a, const char *file, mb_reader **out,
                                mb_err *err) MB_CHECKED;
/* Columns of the file. */
MB_API int32_t mb_reader_columns(const mb_reader *s);
/* Their names; NULL for NPY. */
MB_API const char *const *mb_reader_names(const mb_reader *s);
/* Deliver these columns of the file (indices, d of them), in this order; without this call all. */
MB_API mb_status mb_reader_select(mb_reader *s, const int32_t *column, int32_t d,
                                  mb_err *err) MB_CHECKED;
/* x (max x d, row-major): the next rows; *n < max only at the end, 0 behind it. */
MB_API mb_status mb_reader_next(mb_reader *s, int64_t max, double *x, int64_t *n,
                                mb_err *err) MB_CHECKED;
/* Safe on NULL. */
MB_API void mb_reader_close(mb_reader *s);

/* A data set: numeric feature columns, and optional node, label and weight columns. Rows are
 * grouped by node; nodes sorted by id (by number when all are integers, else by bytes), their
 * order within a node is the file's. */
typedef struct mb_data_opt {
    const char *node_column;   /* NULL: none. NPY: NULL only */
    const char *label_column;  /* the same                   */
    const char *weight_column; /* the same                   */
} mb_data_opt;
/* A data set in memory; arrays live in the arena it was read into. */
typedef struct mb_data {
    int64_t      n;          /* rows                                                */
    int32_t      d;          /* features                                            */
    double      *x;          /* n x d, grouped; read-only where it lies in a file   */
    double      *w;          /* n, or NULL                                          */
    const char **name;       /* d feature names ("x1".. for NPY)                    */
    int32_t      N;          /* nodes; 0 when there is no node column               */
    const char **node_id;    /* N                                                   */
    int64_t     *first;      /* N + 1: rows of node i are first[i] .. first[i+1]-1  */
    int32_t     *label;      /* n: class index, or NULL                             */
    int32_t      nlabel;     /* classes                                          */
    const char **label_name; /* nlabel, sorted like node ids                     */
    int64_t     *file_row;   /* n: row number in the file, from 0; NULL: its own number */
    uint64_t     hash;       /* FNV-1a over the file's bytes, unpacked           */
} mb_data;
/* Reads a CSV or NPY file whole. MB_E_FORMAT names file, line and column of a cell that is no number
 * up to MB_VALUE_MAX, a weight below 0 or above MB_WEIGHT_MAX, or a column that is missing. */
MB_API mb_status mb_data_read(mb_arena *a, const char *file, const mb_data_opt *opt, mb_data *out,
                              mb_err *err) MB_CHECKED;
/* Without a node column: deal the rows to N nodes at random (sizes differ by at most one; stream
 * MB_STREAM_DEAL), ids "1".."N", grouping x, w, label, file_row. */
MB_API mb_status mb_data_deal(mb_arena *a, mb_data *d, int32_t N, uint64_t seed,
                              mb_err *err) MB_CHECKED;
/* The rows in their order, cut into N blocks whose sizes differ by at most one; ids "1".."N". Nothing
 * is moved: rows may lie in a file (mb_npy_map). */
MB_API mb_status mb_data_deal_blocks(mb_arena *a, mb_data *d, int32_t N, mb_err *err) MB_CHECKED;
/* The columns of a file without names: "x1".."xd". */
MB_API mb_status mb_data_number_columns(mb_arena *a, int32_t d, const char ***name,
                                        mb_err *err) MB_CHECKED;
/* Regroup to another node list (superset of the data's, sorted): nodes without rows become empty. */
MB_API mb_status mb_data_regroup(mb_arena *a, mb_data *d, int32_t N, const char *const *id,
                                 mb_err *err) MB_CHECKED;
/* The order of ids: by number when all are integers, else by bytes. Sorts and removes doubles. */
MB_API void mb_ids_sort(const char **id, int32_t *count);
/* The distinct texts of text[0..n) in that order, and where each text is in that list (index: n).
 * `list` borrows the texts. Two spellings of one integer ("1", "01") are MB_E_FORMAT; `where`
 * starts the message. */
MB_API mb_status mb_ids_index(mb_arena *a, const char *where, int64_t n, const char *const *text,
                              int32_t *index, const char ***list, int32_t *count,
                              mb_err *err) MB_CHECKED;
/* FNV-1a of n bytes, as mb_data::hash. */
MB_API uint64_t mb_bytes_hash(const void *bytes, size_t n);
/* A uniform random order of 0..n-1. */
MB_API void mb_random_order(mb_rng *rng, int64_t n, int64_t *order);

/* The links of a network: CSV with columns i,j (ids as in the data), or GraphML ("F.graphml": one
 * graph without graphs inside; node data named x and y are positions; no DOCTYPE). MB_E_NOSUP for
 * GraphML without expat. */
typedef struct mb_edges {
    int64_t       m;     /* edges                                                    */
    const char  **end;   /* 2 m: i, j of each edge                                   */
    int64_t      *line;  /* m: line number in the file                               */
    int32_t       nodes; /* GraphML: the nodes, linked or not; CSV: 0                */
    const char  **node;  /* nodes                                                    */
    const double *xy;    /* nodes x 2, NaN where the file is silent; NULL: no x or y */
} mb_edges;
/* Reads an edge list whole. MB_E_FORMAT when a column is missing or an id is empty. */
MB_API mb_status mb_edges_read(mb_arena *a, const char *file, mb_edges *out,
                               mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
