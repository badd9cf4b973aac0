/* meshbayes/posterior_file.h - posterior files (docs/formats.md) read and written, and the rows of
 * a file matched with the columns of a posterior. */
#ifndef MESHBAYES_POSTERIOR_FILE_H
#define MESHBAYES_POSTERIOR_FILE_H

#include "meshbayes/json.h"
#include "meshbayes/posterior.h"
#include "meshbayes/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a posterior comes from. Texts are UTF-8 and borrowed. */
typedef struct mb_provenance {
    const char *meshbayes;          /* version that wrote the file; NULL: this one            */
    const char *algorithm;          /* "edge"                                                 */
    const char *of;                 /* "network mean", or the id of a node                    */
    int64_t     rounds;             /* of the run                                             */
    int64_t     seed;               /* of the run                                             */
    const char *data;               /* file of the rows                                       */
    uint64_t    data_hash;          /* mb_data::hash                                          */
    int64_t     data_rows;          /* rows                                                   */
    int32_t     noptions;           /* options that were given                                */
    const char *const (*option)[2]; /* noptions: name and value */
    int32_t     accelerated;        /* 1: its steps were extrapolated (mb_algo_squarem)       */
    const char *verdict;            /* how the run ended; NULL: not known            */
    double      weight_total;   /* of all rows; 0: not known                                     */
    double      bound;          /* lower bound over all rows, nats, data units; NaN: not known   */
    int32_t     nmore;          /* members of the file that meshbayes does not know */
    const struct mb_json *more; /* nmore: they are written after the others */
} mb_provenance;

/* Writes the object of a posterior file as the whole of a JSON text that was begun (mb_json_begin):
 * for files see mb_posterior_write. */
MB_API mb_status mb_posterior_json(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                                   mb_json_out *j, mb_err *err) MB_CHECKED;
/* Writes a posterior, atomically: p->par, p->prior_par, sizes and names. What was read from a file
 * is written again byte for byte. MB_E_FORMAT for a name that is not UTF-8, MB_E_IO. */
MB_API mb_status mb_posterior_write(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                                    const char *file, mb_err *err) MB_CHECKED;
/* Reads a posterior that is ready to predict. Every field is checked: MB_E_FORMAT names file and
 * field and what would be accepted. kind: NULL for those of mb_kind_list, else the only one that is
 * accepted. from: may be NULL. MB_E_NOSUP without jansson. */
MB_API mb_status mb_posterior_read(mb_arena *a, const char *file, const mb_kind *kind,
                                   mb_posterior *out, mb_provenance *from, mb_err *err) MB_CHECKED;

/* The rows of a file for a posterior, in batches, data units: columns matched by name (CSV), or in
 * the order of the posterior, the target last (NPY). */
typedef struct mb_posterior_rows {
    const mb_posterior *p;       /* borrowed                                              */
    const char         *file;    /* borrowed                                              */
    mb_reader          *reader;  /* owned; closed by mb_posterior_rows_close              */
    mb_rows             rows;    /* this batch                                            */
    int64_t             batch;   /* rows at a time, at most                               */
    int64_t             first;   /* number of this batch's first row in the file, from 0  */
    int32_t             read;    /* columns that the reader delivers                      */
    double             *x;       /* batch x read                                          */
    double             *w;       /* batch: weights; NULL: none                            */
    double             *scratch; /* mb_posterior_scratch(p, batch)                        */
    const char         *unused;  /* names of columns that are not used; NULL: none        */
    const int32_t      *column;  /* read: columns of the file that are delivered          */
    const mb_data_opt  *opt;     /* borrowed                                              */
    int64_t            *group;   /* batch + 1: first rows of the batch's groups           */
} mb_posterior_rows;
/* need_target: a target column must be there (otherwise it is taken when it is). opt: NULL, or how
 * the file is read, with the column of weights; columns are found by name whatever its lists say,
 * and in NPY they are its features. MB_E_FORMAT names columns that are missing. MB_E_ARG when
 * opt names groups, or none, and the posterior is not of such; a batch has whole ones. */
MB_API mb_status mb_posterior_rows_open(mb_arena *a, const mb_posterior *p, const char *file,
                                        int need_target, const mb_data_opt *opt,
                                        mb_posterior_rows *out, mb_err *err) MB_CHECKED;
/* Keeps the texts of n columns, by name, which mb_reader_kept(r->reader, ..) gives row by row; they
 * no longer count as unused. MB_E_ARG for NPY; MB_E_FORMAT for a column that is not there. */
MB_API mb_status mb_posterior_rows_keep(mb_arena *a, mb_posterior_rows *r, int32_t n,
                                        const char *const *name, mb_err *err) MB_CHECKED;
/* The next batch into r->rows; none at the end. */
MB_API mb_status mb_posterior_rows_next(mb_posterior_rows *r, mb_err *err) MB_CHECKED;
/* mb_posterior_predict of the batch; a row that fails is named by its number in the file. */
MB_API mb_status mb_posterior_rows_predict(const mb_posterior_rows *r, mb_want want, double level,
                                           double *out, mb_err *err) MB_CHECKED;
/* mb_score_rows of the batch; a row that fails is named by its number in the file. */
MB_API mb_status mb_posterior_rows_score(const mb_posterior_rows *r, mb_density density,
                                         double *each, mb_err *err) MB_CHECKED;
/* Closes the file; safe on a zeroed struct. */
MB_API void mb_posterior_rows_close(mb_posterior_rows *r);

#ifdef __cplusplus
}
#endif
#endif
