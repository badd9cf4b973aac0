/* meshbayes/data.h - data sets whose rows are grouped by node, and the links of a network. Errors
 * name file, line, column and value, and what would be accepted. */
#ifndef MESHBAYES_DATA_H
#define MESHBAYES_DATA_H

#include "meshbayes/table.h"

#ifdef __cplusplus
extern "C" {
#endif

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
