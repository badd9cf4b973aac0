/* answer.h - what a run has found: the posterior of its best run, its fit to the rows. */
#ifndef MB_RUN_ANSWER_H
#define MB_RUN_ANSWER_H

#include "run/sim.h"

/* The effects in each group of rows, in run units. */
typedef struct sim_effects {
    int32_t  p;     /* effects that vary                                                    */
    int32_t *input; /* p: of which input, -1: the intercept                                 */
    double  *t;     /* groups + 1 x p x 3: mb_model_ops::effects; the last group has no row */
} sim_effects;

typedef struct sim_answer {
    const sim_result *of; /* settled before others, distributed before central, then by bound; NULL:
                             no result is inside the domain */
    mb_posterior      posterior; /* of the network mean, canonical order       */
    mb_summary        summary;
    int64_t          *table;     /* components x classes: rows; NULL: no labels  */
    int32_t           targets;   /* 0: none                                      */
    double           *r2, *rmse; /* of each fitted target, by weight; NULL: none */
    const double     *fitted;    /* rows x targets, run units, where that of a row follows from the
                                    others of its group; NULL: from the row           */
    double dispersion; /* of counts: their variance about what is fitted, over the mean; 0: none */
    double dispersion_sd;          /* of it, were they Poisson counts */
    mb_classification *levels;     /* predicted and observed levels; NULL: it has none */
    sim_effects       *effects;    /* NULL: none varies by group */
    const double      *sd;         /* of the columns, targets too; NULL: no target */
    mb_iterations      iterations; /* of groups of rows; groups 0: there are none */
} sim_answer;

/* answer.c: all->answer. Reads all rows where there are labels or a target. */
mb_status sim_answer_find(sim_job *job, sim_results *all, mb_err *err) MB_CHECKED;
/* Fitted and observed targets (n x a->targets) of the rows j (n), data units. scratch: of
 * sim_fitted_scratch doubles. */
mb_status sim_fitted(const sim_answer *a, const int64_t *j, int64_t n, double *fitted,
                     double *observed, double *scratch, mb_err *err) MB_CHECKED;
size_t    sim_fitted_scratch(const sim_answer *a);

/* On standard output: the parts of a posterior as a table. */
mb_status sim_summary_print(const sim_job *job, const mb_summary *u, mb_err *err) MB_CHECKED;
/* On standard output: parts, fit, verdicts' first words, starts that agree. */
mb_status sim_answer_print(sim_job *job, const sim_results *all, mb_err *err) MB_CHECKED;

/* What speaks against the answer of `fit`, on standard output, a line each. */
mb_status sim_doubts_print(sim_job *job, const sim_case *cs, mb_err *err) MB_CHECKED;
/* "doubts", a list of texts. */
mb_status sim_doubts_write(sim_job *job, const sim_case *cs, mb_json_out *j,
                           mb_err *err) MB_CHECKED;
/* groups.c: those of phi in the rows of a case; NULL where none varies. */
mb_status sim_effects_find(mb_arena *a, const mb_case *c, const double *phi, sim_effects **out,
                           mb_err *err) MB_CHECKED;
/* What the effects of its group add, at row j of the case (x, run units), to what is expected in a
 * new group. */
double sim_effects_of(const sim_effects *e, const mb_rows *rows, int64_t j, const double *x);
/* "groups" of answer.json; nothing where no effect varies. */
mb_status sim_groups_write(sim_job *job, const sim_case *cs, const sim_answer *a,
                           mb_json_out *j) MB_CHECKED;
/* "names": of the first groups of these rows, null where one has none and is not all that a node
 * has. */
void sim_group_names(const sim_case *cs, const mb_rows *rows, int64_t shown, mb_json_out *j);
/* sequences.c: 1 when rows come in groups that are all here; group g alone, of weight 1. */
int     sim_rows_in_sequences(const mb_rows *rows);
mb_rows sim_sequence(const mb_rows *rows, int32_t g, int64_t whole[2]);
/* sequences.c: "sequences" of answer.json, of a model whose rows have states; else nothing. */
mb_status sim_sequences_write(sim_job *job, const sim_case *cs, const sim_answer *a,
                              mb_json_out *j) MB_CHECKED;
/* series.c: "series" of answer.json, of a model whose rows have a state of several parts; else
 * nothing. */
mb_status sim_series_write(sim_job *job, const sim_case *cs, const sim_answer *a,
                           mb_json_out *j) MB_CHECKED;
/* *safe 1: all of several initialisations agree, every component has two rows or more a column, and
 * there is no doubt. */
mb_status sim_is_safe(sim_job *job, const sim_case *cs, const sim_answer *a, int *safe,
                      mb_err *err) MB_CHECKED;

#endif
