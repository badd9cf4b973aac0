/* answer.h - what a run has found: the posterior of its best run, its fit to the rows. */
#ifndef MB_RUN_ANSWER_H
#define MB_RUN_ANSWER_H

#include "run/sim.h"

enum { ANSWER_COLUMNS = 4 /* columns on which components are drawn, at most */ };

typedef struct sim_answer {
    const sim_result *of; /* settled before others, distributed before central, then by bound; NULL:
                             no result is inside the domain */
    mb_posterior      posterior; /* of the network mean, canonical order       */
    mb_summary        summary;
    int64_t          *table;     /* components x classes: rows; NULL: no labels  */
    int32_t           targets;   /* 0: none                                      */
    double           *r2, *rmse; /* of each fitted target, by weight; NULL: none */
    int               apart;     /* 1: the inputs separate the levels of the target */
    mb_classification *levels;   /* predicted and observed levels; NULL: it has none */
    const double      *sd;       /* of the columns, targets too; NULL: no target */
} sim_answer;

/* answer.c: all->answer. Reads all rows where there are labels or a target. */
mb_status sim_answer_find(sim_job *job, sim_results *all, mb_err *err) MB_CHECKED;
enum { SIM_TOGETHER = 256 /* rows that are predicted together, at most */ };
/* Fitted and observed targets (n x a->targets) of the rows j (n), data units. scratch: of
 * sim_fitted_scratch doubles. */
mb_status sim_fitted(const sim_answer *a, const int64_t *j, int64_t n, double *fitted,
                     double *observed, double *scratch, mb_err *err) MB_CHECKED;
size_t    sim_fitted_scratch(const sim_answer *a);

/* answer_print.c: on standard output: parts, fit, verdicts' first words, starts that agree. */
mb_status sim_answer_print(sim_job *job, const sim_results *all, mb_err *err) MB_CHECKED;
/* On what the components are drawn: the columns that separate them best, and two principal
 * components of the columns in units of their standard deviation. */
typedef struct sim_view {
    int32_t ncol; /* 0: nothing is drawn                                          */
    int32_t col[ANSWER_COLUMNS];
    int64_t lacking;  /* of the rows chosen: without a value in a column shown, and left out */
    int64_t nrow;     /* rows chosen: row j of the picture is row j n/nrow of the data */
    double *scale;    /* D: standard deviations                                   */
    double *axis;     /* 2 x D, unit length, in units of scale; NULL: no such view */
    double *middle;   /* D: mean of the rows shown                                */
    double  share[2]; /* of the variance, on each axis                            */
} sim_view;

/* view_pca.c: the axes; rows (n x D) in data units. */
mb_status sim_view_axes(const sim_job *job, const sim_rows *of, int64_t n, double *rows,
                        sim_view *v, mb_err *err) MB_CHECKED;
/* A point (D), data units, on axis k. */
double sim_view_on(const sim_rows *of, const sim_view *v, int32_t k, const double *x);
/* Means (K x 2) and covariances (K x 3: xx, xy, yy) of the answer's components on the axes. */
mb_status sim_view_parts(const sim_job *job, const sim_rows *of, const sim_answer *a,
                         const sim_view *v, double *mean, double *cov, mb_err *err) MB_CHECKED;
/* answer_file.c: answer.json, from which the report makes its first section. */
mb_status sim_answer_write(sim_job *job, const sim_case *cs, const sim_answer *a, const sim_view *v,
                           mb_err *err) MB_CHECKED;

#endif
