/* model/mixture_step.h - the steps of mixtures of independent columns, for rows alone and in
 * groups. */
#ifndef MB_MODEL_MIXTURE_STEP_H
#define MB_MODEL_MIXTURE_STEP_H

#include "model/gmm_kernel.h"
#include "model/mixture.h"

/* mb_model::spec. */
typedef struct mb_mixture_spec_ {
    const mb_kernel_ *kernel;
    int32_t           D;
    size_t            tables; /* doubles of the tables of a component */
    mb_part_          part[MB_MAX_BLOCKS];
} mb_mixture_spec_;
/* The rows, and in the scratch after them: K tables of each block, K weights, what rows have in
 * common for all components, and room for an emission. */
typedef struct mb_mixture_view_ {
    mb_estep_ g;
    double   *table, *ln_pi, *count, *common, *room;
    double   *groups; /* mb_mixture_groups_room_ doubles, when rows come in groups */
} mb_mixture_view_;
mb_mixture_view_ mb_mixture_work_(const mb_model *m, double *scratch);
/* Tables of the E-step, or of the predictive density. */
mb_status mb_mixture_prepare_(const mb_model *m, const double *phi, int predictive,
                              mb_mixture_view_ *w, mb_err *err) MB_CHECKED;
/* r of the block of rows from the tables: log densities; ln_pi NULL: without weights. */
void mb_mixture_densities_(const mb_model *m, int predictive, const double *ln_pi,
                           mb_mixture_view_ *w);
/* s += the statistics of the block of rows under w->g.r, but for the weights; count: rows of each
 * component. */
void mb_mixture_gather_(const mb_model *m, mb_mixture_view_ *w, double *s);
/* MB_E_NUMERIC for a cell of the block of rows that an emission refuses. */
mb_status mb_mixture_cells_(const mb_model *m, const mb_mixture_view_ *w, mb_err *err) MB_CHECKED;
/* MB_E_NOSUP for gaps that the model cannot have. */
mb_status mb_mixture_gaps_(const mb_model *m, const mb_rows *rows, mb_err *err) MB_CHECKED;
/* mb_model_ops::sample. */
mb_status mb_mixture_sample_(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                             int64_t n, double *out, double *scratch, mb_err *err) MB_CHECKED;

/* model/mixture_groups.c: rows that come in groups, and doubles of scratch more. */
extern const mb_model_ops mb_mixture_groups_ops_;
size_t                    mb_mixture_groups_room_(const mb_model *m);

#endif
