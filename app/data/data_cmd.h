/* data_cmd.h - the verbs of `meshbayes data` and what they share. */
#ifndef MB_DATA_CMD_H
#define MB_DATA_CMD_H

#include "base/app.h"
#include "data/data.h"
#include "data/table.h"

extern const app_command data_synthetic, data_split, data_split_time, data_describe, data_convert,
    data_pca, data_atmosphere;

/* count[k] of n things for each of K weights (>= 0, sum > 0; NULL: equal ones): cumulative sums are
 * rounded, so the counts add up to n and each is within 1 of its share. */
void data_shares(int64_t n, int64_t K, const double *weight, int64_t *count);
/* Reads --data, and prints the reader's notes. */
mb_status data_cells(mb_arena *a, const char *file, const mb_data_opt *opt, mb_cells *out,
                     mb_err *err) MB_CHECKED;
/* The table of row r alone in its messages: with the file of that row. */
mb_csv data_csv_at(const mb_cells *cells, int64_t r);
/* "OUT: what was written" on standard output, unless the rows themselves went to a device. */
void data_tell(const char *out, const char *fmt, ...) MB_PRINTF(2, 3);
/* The different texts of a column, sorted, and which of them each row has. */
typedef struct data_texts {
    int32_t      count;
    const char **text;  /* count */
    int32_t     *index; /* n     */
} data_texts;
/* row: the n rows of the file; NULL: its first. */
mb_status data_texts_of(mb_arena *a, const mb_csv *csv, int32_t col, int64_t n, const int64_t *row,
                        data_texts *out, mb_err *err) MB_CHECKED;

/* data_synthetic.c: the paper's problem in memory, the same rows as in the file (there with 10
 * digits). */
typedef struct data_problem {
    int64_t nodes, rows;        /* rows of every node..                                  */
    int64_t rows_min, rows_max; /* ..unless rows_max > 0: drawn uniformly between these  */
    int64_t seed;
    int32_t balanced; /* 1: every row from the whole mixture                           */
} data_problem;
int64_t data_problem_rows(const data_problem *p, int64_t node /* from 0 */);
/* x (rows x 2) and label (rows, 0 to 2) of a node. */
void data_problem_draw(const data_problem *p, int64_t node, double *x, int32_t *label);

/* The rows of a CSV file, and the node each goes to. */
typedef struct data_split_opt {
    const char *data, *by, *proportions, *sizes, *name, *out;
    int64_t     nodes, take, seed;
    mb_data_opt read;
} data_split_opt;
typedef struct data_cut {
    mb_arena      *a;
    data_split_opt opt;
    mb_cells       cells;
    mb_csv         csv;  /* of cells                                               */
    int64_t        n;    /* rows taken                                             */
    int64_t       *row;  /* n: their rows in the file, ascending                   */
    int32_t       *node; /* n: -1 left out                                         */
    int32_t        N;
    const char   **id;   /* N, or NULL: "1".."N"                                   */
    int32_t        gone; /* column that became the node column, or -1              */
    double        *size; /* N: relative sizes of the nodes                         */
} data_cut;

/* data_deal.c: fills node, N (and id, gone) as --by says. */
mb_status data_deal_random(data_cut *c, mb_err *err) MB_CHECKED;
mb_status data_deal_column(data_cut *c, const char *column, mb_err *err) MB_CHECKED;
mb_status data_deal_label(data_cut *c, const char *column, mb_err *err) MB_CHECKED;
/* N, from --nodes, which must be given. */
mb_status data_need_nodes(data_cut *c, mb_err *err) MB_CHECKED;
/* Relative sizes for c->N nodes: equal, or drawn from --sizes LO..HI. */
mb_status data_sizes(data_cut *c, mb_err *err) MB_CHECKED;
/* The texts of a column in the rows taken, none of them empty; MB_E_ARG if there is no such column.
 * *col: its number. */
mb_status data_classes(const data_cut *c, const char *column, int32_t *col, data_texts *out,
                       mb_err *err) MB_CHECKED;

#endif
