/* posterior.h - posteriors read back from the files that `sim` and `fit` write (docs/formats.md). */
#ifndef MB_POSTERIOR_H
#define MB_POSTERIOR_H

#include "app.h"
#include "json_file.h"

struct sim_model;
typedef struct posterior {
    const char             *file;
    json_t                 *json; /* as read                                            */
    const struct sim_model *kind;
    int32_t                 K;       /* components; 0: none                                */
    int32_t                 D;       /* inputs                                             */
    const char            **feature; /* D                                                  */
    const char             *target;  /* NULL: the model has none                           */
    int32_t                 intercept;
    double                 *par; /* textbook parameters, data units: exactly the file's */
    mb_model                model;
    /* Where the model computes: columns brought to the posterior's own middle and spread, so that data
     * far from the origin lose no digits. D entries, then the target's. */
    double *origin, *scale;
    double *phi;          /* natural parameters there                                     */
    double  log_jacobian; /* ln density in data units = there - log_jacobian              */
} posterior;

/* MB_E_FORMAT names file and field and what would be accepted. */
mb_status posterior_read(mb_arena *a, const char *file, posterior *out, mb_err *err) MB_CHECKED;
/* Safe on a zeroed struct. */
void posterior_close(posterior *p);
/* par (data units) in the units where p computes, as natural parameters: phi (layout.len). */
mb_status posterior_move(mb_arena *a, const posterior *p, const double *par, double *phi,
                         mb_err *err) MB_CHECKED;
/* Columns: D, and one more for the target. */
int32_t posterior_columns(const posterior *p);

/* A field of the file with exactly n numbers, or n x n symmetric ones into the lower triangle by
 * rows. o: the object or list it is in; where: for messages, "means[2]". */
mb_status posterior_real(const posterior *p, const char *key, double *out, mb_err *err) MB_CHECKED;
mb_status posterior_list(const posterior *p, const json_t *v, const char *where, int32_t n,
                         double *out, mb_err *err) MB_CHECKED;
mb_status posterior_triangle(const posterior *p, const json_t *v, const char *where, int32_t n,
                             double *tril, mb_err *err) MB_CHECKED;

/* The rows of a file for this posterior, in batches: columns matched by name, moved to its units. */
typedef struct posterior_rows {
    const posterior *p;
    mb_reader       *reader;
    double          *raw, *x, *w; /* a batch: as read, moved, weights (NULL: none) */
    int32_t          read;        /* columns delivered by the reader              */
    int32_t          with_target; /* 1: the last column of x is the target       */
    int64_t          n, first;    /* rows of the batch, and the first one's number */
} posterior_rows;
enum { POSTERIOR_BATCH = 4096 };
/* need_target: the target's column must be there (else it is taken when it is). weight: NULL or a
 * column's name. *unused: names of columns not used, or "". */
mb_status posterior_rows_open(mb_arena *a, const posterior *p, const char *file, int need_target,
                              const char *weight, posterior_rows *out, char *unused, size_t cap,
                              mb_err *err) MB_CHECKED;
/* n = 0 at the end. */
mb_status posterior_rows_next(posterior_rows *r, mb_err *err) MB_CHECKED;
mb_rows   posterior_batch(const posterior_rows *r);
void      posterior_rows_close(posterior_rows *r);

#endif
