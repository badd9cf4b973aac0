/* data/data.h - rows of files by node: several files, cells, dealing, groups. */
#ifndef MB_DATA_H
#define MB_DATA_H

#include "base/deal.h"
#include "data/table.h"
#include "meshbayes/meshbayes.h"

/* The files that a text names: one file, a list "a.csv,b.csv" (unless there is a file of that very
 * name), or a folder, whose files *.csv, *.tsv, *.txt, *.npy and *.npz (also with .gz) are taken in
 * the order of their names. name: of each file without folder and ending, its node; all differ. */
typedef struct mb_file_list {
    int32_t      n;     /* files, 1 or more */
    const char **file;  /* n                */
    const char **name;  /* n                */
    int32_t      other; /* files of the folder that are not taken */
} mb_file_list;
/* The files that `text` names: one, several separated by commas, or those of a folder by name.
 * MB_E_IO, MB_E_ARG. */
mb_status mb_data_files(mb_arena *a, const char *text, mb_file_list *out, mb_err *err) MB_CHECKED;
/* FILE.npz:NAME is the array NAME of *file; otherwise *file is the path, and *member NULL. */
mb_status mb_data_member(mb_arena *a, const char *path, const char **file, const char **member,
                         mb_err *err) MB_CHECKED;
/* The rows of files (mb_data_read) as texts, in the order of the files. */
typedef struct mb_cells {
    mb_csv       csv;    /* columns: the features in the order of opt->columns, then node, label and
                           weight; without opt->columns all in the order of the first file.
                           Numbers have decimal points. line: in the row's file, 0 in NPY      */
    mb_file_list files;  /* that were read                                                      */
    int32_t     *of;     /* rows: the file of each                                              */
    int32_t      nnotes; /* as in mb_data                                                      */
    const char **note;   /* nnotes                                                              */
} mb_cells;
/* Reads whole files as mb_data_read does, but cells of any text are accepted; those without a value
 * are what opt->missing says. MB_E_IO, MB_E_FORMAT, MB_E_ARG. O(bytes). */
mb_status mb_cells_read(mb_arena *a, const char *file, const mb_data_opt *opt, mb_cells *out,
                        mb_err *err) MB_CHECKED;
/* For data without a node column: distributes the rows (or groups) over N nodes at random (as many
 * or one more; stream MB_STREAM_DEAL), with ids "1".."N", and groups x, w, label and file_row. */
mb_status mb_data_deal(mb_arena *a, mb_data *d, int32_t N, uint64_t seed, mb_err *err) MB_CHECKED;
/* Cuts the rows, or groups, in their order, into N blocks whose sizes differ by at most one; ids
 * "1".."N". No row is moved, so rows may be mapped (mb_npy_map). */
mb_status mb_data_deal_blocks(mb_arena *a, mb_data *d, int32_t N, mb_err *err) MB_CHECKED;
/* Names for the columns of a file without names: "x1".."xd". */
mb_status mb_data_number_columns(mb_arena *a, int32_t d, const char ***name,
                                 mb_err *err) MB_CHECKED;
/* Extends the nodes to a sorted superset of the data's; added nodes have no rows. */
mb_status mb_data_regroup(mb_arena *a, mb_data *d, int32_t N, const char *const *id,
                          mb_err *err) MB_CHECKED;
/* Sorts ids, by number if all are integers, otherwise by bytes, and removes duplicates. */
void mb_ids_sort(const char **id, int32_t *count);
/* The distinct texts of text[0 .. n - 1] in the order of mb_ids_sort, and the position of each text
 * in that list (index: n). `list` borrows the texts. MB_E_FORMAT for two spellings of one integer
 * ("1", "01"), with a message that starts with `where`. */
mb_status mb_ids_index(mb_arena *a, const char *where, int64_t n, const char *const *text,
                       int32_t *index, const char ***list, int32_t *count, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT for the first row in memory that has no value, or one outside of the bounds of its
 * column, which `stated` says; names its place. */
mb_status mb_bounds_hold(const mb_bounds *b, const mb_data *rows, const char *stated,
                         mb_err *err) MB_CHECKED;
/* FNV-1a of n bytes. */
uint64_t mb_bytes_hash(const void *bytes, size_t n);

/* The links of a network: CSV with columns i,j (ids as in the data), or GraphML ("F.graphml": one
 * graph without nested graphs; node data named x and y are positions; no DOCTYPE). Columns or edge
 * data named prob (that a message arrives) and loss (that it does not) describe links. MB_E_NOSUP
 * for GraphML in a build without expat. */
typedef struct mb_edges {
    int64_t       m;     /* edges                                                    */
    const char  **end;   /* 2 m: i, j of each edge                                   */
    int64_t      *line;  /* m: line number in the file                               */
    int32_t       nodes; /* GraphML: the nodes, linked or not; CSV: 0                */
    const char  **node;  /* nodes                                                    */
    const double *xy;    /* nodes x 2, NaN where missing; NULL: no x or y at all */
    /* m each: the texts of column prob and of column loss (GraphML: edge data), unchecked; NULL: no
     * such column; a NULL text: this edge has none. */
    const char **given[2];
    const char  *unused; /* names of other columns or edge data, "w, kind"; NULL: none */
} mb_edges;
/* Reads a whole edge list. MB_E_FORMAT if a column is missing or an id is empty. */
mb_status mb_edges_read(mb_arena *a, const char *file, mb_edges *out, mb_err *err) MB_CHECKED;

#endif
