/* posterior/file.h - posteriors as JSON, and the rows of a file in the columns of a posterior. */
#ifndef MB_POSTERIOR_FILE_H
#define MB_POSTERIOR_FILE_H

#include "data/json.h"
#include "data/table.h"
#include "meshbayes/meshbayes.h"

/* Writes the object of a posterior file as the whole of a JSON text that was begun (mb_json_begin):
 * for files see mb_posterior_write. */
mb_status mb_posterior_json(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                            mb_json_out *j, mb_err *err) MB_CHECKED;

/* Writes arrays, none absent, as a file for numpy.load, NAME.npz. */
mb_status mb_arrays_write(mb_arena *a, const mb_array *x, int32_t n, const char *file,
                          mb_err *err) MB_CHECKED;
/* Writes a posterior so: the fields of its JSON file, matrices in full, those of the prior as
 * "prior.means", with model, choices, names, verdict, weight_total and bound. */
mb_status mb_posterior_arrays_write(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                                    const char *file, mb_err *err) MB_CHECKED;

/* The columns of files that p is of, *d with the targets last, and what they are (NULL: numbers):
 * of a design those that it codes, else p's own. In the arena, or borrowed from p. */
mb_status mb_posterior_sources(mb_arena *a, const mb_posterior *p, int32_t *d,
                               const char *const **name, const mb_columns **kinds,
                               mb_err *err) MB_CHECKED;

/* The rows of a file for a posterior, in batches, data units: columns matched by name (CSV; NPY
 * where the posterior's are called x1, x2, ..), or in its order, the target last (other NPY). */
typedef struct mb_posterior_rows {
    const mb_posterior *p;       /* borrowed                                              */
    const char         *file;    /* borrowed                                              */
    mb_reader          *reader;  /* owned; closed by mb_posterior_rows_close              */
    mb_rows             rows;    /* this batch                                            */
    int64_t             batch;   /* rows at a time, at most                               */
    int64_t             groups;  /* groups at a time, at most                             */
    int64_t             first;   /* number of this batch's first row in the file, from 0  */
    int32_t             read;    /* columns that the reader delivers                      */
    int32_t             inputs;  /* how many of them are before the targets               */
    double             *x;       /* batch x read                                          */
    double             *w;       /* batch: weights; NULL: none                            */
    double             *scratch; /* mb_posterior_scratch(p, 1)                            */
    const char         *unused;  /* names of columns that are not used; NULL: none        */
    const int32_t      *column;  /* read: columns of the file that are delivered          */
    const mb_data_opt  *opt;     /* borrowed                                              */
    int64_t            *group;   /* batch + 1: first rows of the batch's groups           */
    double             *room;    /* of a design: a row of it; NULL: there is none         */
} mb_posterior_rows;
/* need_target: a target column must be there (otherwise it is taken when it is). opt: NULL, or how
 * the file is read, with the column of weights; columns are found by name whatever its lists say,
 * and in NPY they are its features. MB_E_FORMAT names columns that are missing. MB_E_ARG when
 * opt names groups, or none, and the posterior is not of such; a batch has whole ones. */
mb_status mb_posterior_rows_open(mb_arena *a, const mb_posterior *p, const char *file,
                                 int need_target, const mb_data_opt *opt, mb_posterior_rows *out,
                                 mb_err *err) MB_CHECKED;
/* Keeps the texts of n columns, by name, which mb_reader_extra(r->reader, ..) gives row by row;
 * they no longer count as unused. MB_E_ARG for NPY; MB_E_FORMAT for a column that is not there. */
mb_status mb_posterior_rows_keep(mb_arena *a, mb_posterior_rows *r, int32_t n,
                                 const char *const *name, mb_err *err) MB_CHECKED;
/* The next batch into r->rows; none at the end. */
mb_status mb_posterior_rows_next(mb_posterior_rows *r, mb_err *err) MB_CHECKED;
/* mb_posterior_predict of the batch, on the threads that read it; a row that fails is named by its
 * number in the file. */
mb_status mb_posterior_rows_predict(const mb_posterior_rows *r, mb_want want, double level,
                                    double *out, mb_err *err) MB_CHECKED;
/* mb_score_rows of the batch, by the same; a row that fails is named by its number in the file. */
mb_status mb_posterior_rows_score(const mb_posterior_rows *r, mb_density density, double *each,
                                  mb_err *err) MB_CHECKED;
/* Closes the file; safe on a zeroed struct. */
void mb_posterior_rows_close(mb_posterior_rows *r);

#endif
