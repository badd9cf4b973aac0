/* posterior.h - posteriors read back from the files that `sim` and `fit` write (docs/formats.md). */
#ifndef MB_POSTERIOR_H
#define MB_POSTERIOR_H

#include "app.h"
#include "base/json_file.h"

typedef struct posterior posterior;
/* What the files must know of a model: one file and one line in posterior.c. Errors go to j. */
typedef struct posterior_model {
    const char *name; /* as in the file: that of mb_model_ops */
    int predicts; /* bit mask of mb_want: what `meshbayes predict` offers, the first is its default */
    /* par, and what follows from it, as fields of out. Of p only model, K, D, intercept are read. */
    mb_status (*put)(mb_arena *a, const posterior *p, const double *par, json_t *out, mb_err *err);
    /* K, intercept and model from the fields that give sizes, before memory is asked for. */
    mb_status (*make)(mb_arena *a, app_json *j, const json_t *o, posterior *p);
    /* par (layout.len) from the fields; outside the domain is refused. */
    mb_status (*get)(mb_arena *a, app_json *j, const json_t *o, const posterior *p, double *par);
    /* origin, scale, log_jacobian. */
    mb_status (*own_units)(mb_arena *a, posterior *p, mb_err *err);
    /* Appends to out an object for each part of p (component, coefficient) and what it is in q.
     * other (K): the component of q that is component k of p. */
    mb_status (*beside)(mb_arena *a, const posterior *p, const posterior *q, const int32_t *other,
                        json_t *out, mb_err *err);
    /* Attributes of scikit-learn's estimator as .npz. NULL: it has no such estimator. */
    mb_status (*sklearn)(mb_arena *a, const posterior *p, const char *file, mb_err *err);
} posterior_model;
extern const posterior_model posterior_gmm, posterior_linreg;
/* posterior_sklearn.c */
mb_status posterior_gmm_sklearn(mb_arena *a, const posterior *p, const char *file,
                                mb_err *err) MB_CHECKED;
/* NULL: there is none of this name. */
const posterior_model *posterior_model_of(const char *name);

struct posterior {
    const char            *file;
    json_t                *json; /* as read; to write: the fields other than parameters */
    const posterior_model *kind;
    int32_t                K;       /* components; 0: none                                */
    int32_t                D;       /* inputs                                             */
    const char           **feature; /* D                                                  */
    const char            *target;  /* NULL: the model has none                           */
    int32_t                intercept;
    const double          *par;   /* textbook parameters, data units: exactly the file's */
    const double          *prior; /* the same of the prior                                 */
    mb_model               model; /* its own prior is NOT that of the file                 */
    /* Where the model computes: columns brought to the posterior's own middle and spread, so that data
     * far from the origin lose no digits. D entries, then the target's. */
    double *origin, *scale;
    double *phi;          /* natural parameters there                                     */
    double  log_jacobian; /* ln density in data units = there - log_jacobian              */
};

/* MB_E_FORMAT names file and field and what would be accepted. */
mb_status posterior_read(mb_arena *a, const char *file, posterior *out, mb_err *err) MB_CHECKED;
/* Atomic. A file that was read is written again byte for byte, from par and prior. */
mb_status posterior_write(mb_arena *a, const posterior *p, const char *file,
                          mb_err *err) MB_CHECKED;
/* Safe on a zeroed struct. */
void posterior_close(posterior *p);
/* par (data units) in the units where p computes, as natural parameters: phi (layout.len). */
mb_status posterior_move(mb_arena *a, const posterior *p, const double *par, double *phi,
                         mb_err *err) MB_CHECKED;
/* Columns: D, and one more for the target. */
int32_t posterior_columns(const posterior *p);

/* The rows of a file for this posterior, in batches: columns matched by name, moved to its units. */
typedef struct posterior_rows {
    const posterior *p;
    const char      *file;
    mb_reader       *reader;
    int64_t          batch;       /* rows at a time, at most                      */
    double          *raw, *x, *w; /* a batch: as read, moved, weights (NULL: none) */
    double          *scratch;
    int32_t          read;        /* columns delivered by the reader              */
    int32_t          with_target; /* 1: the last column of x is the target       */
    int64_t          n, first;    /* rows of the batch, and the first one's number */
} posterior_rows;
/* need_target: the target's column must be there (else it is taken when it is). weight: NULL or a
 * column's name. Columns that are not used are named in a note of `cmd` on standard error. */
mb_status posterior_rows_open(mb_arena *a, const posterior *p, const char *cmd, const char *file,
                              int need_target, const char *weight, posterior_rows *out,
                              mb_err *err) MB_CHECKED;
/* n = 0 at the end. */
mb_status posterior_rows_next(posterior_rows *r, mb_err *err) MB_CHECKED;
mb_rows   posterior_batch(const posterior_rows *r);
/* The model's predict of the batch; a row it can not judge is named by its number in the file. */
mb_status posterior_rows_predict(const posterior_rows *r, mb_want want, double *out,
                                 mb_err *err) MB_CHECKED;
void      posterior_rows_close(posterior_rows *r);

#endif
