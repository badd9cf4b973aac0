/* model/lca.h - latent classes: where the numbers of a class are, and the model's constructor.
 *
 * Layout: dirichlet.1 or sticks.1 of the weights; then, where there are such columns, a block of K
 * slices of numbers (normal-gamma-diag.1, one column each), of counts (gamma.1), and of categories
 * and flags (dirichlet.1 of as many entries as the column has levels). */
#ifndef MB_MODEL_LCA_H
#define MB_MODEL_LCA_H

#include "model/columns.h"
#include "model/gmm_form.h"

/* Numbers of a class: [a, b, m, lambda] of a number, [a, b] of a count, alpha of each level. */
enum { MB_LCA_NUMBER_ = 4, MB_LCA_COUNT_ = 2 };
enum { MB_LCA_A_, MB_LCA_B_, MB_LCA_M_, MB_LCA_LAMBDA_ };

/* Where they are in par: those of class k are `step` apart. */
typedef struct mb_lca_at_ {
    size_t  number, count, share;                /* of class 0                            */
    size_t  number_step, count_step, share_step; /* from one class to the next            */
    int32_t numbers, counts, levels;             /* columns; sum of levels                */
} mb_lca_at_;
mb_lca_at_ mb_lca_at_of_(const mb_sizes *s);
/* The choice of mb_sizes that has the family of the weights, and these. */
enum { MB_LCA_CHOICE_ };
const mb_family *mb_lca_weights_(const mb_sizes *s);
mb_gmm_shares_   mb_lca_shares_(const mb_sizes *s, const double *par);

/* One column of one class after the other: begins zeroed but for s and par; 0 after the last. */
typedef struct mb_lca_cell_ {
    const mb_sizes *s;
    const double   *par; /* of the whole posterior                     */
    int32_t         k;   /* the class                                  */
    int32_t         d;   /* out: the column, from 1 on: d - 1 is its index */
    mb_column_kind  kind;
    int32_t         levels; /* of a category or flag                   */
    const double   *at;     /* its numbers                             */
    const double   *next[3];
} mb_lca_cell_;
int mb_lca_next_(mb_lca_cell_ *c);
/* Mean of a number, rate of a count, share of level l: of the column that c is at. */
double mb_lca_mean_(const mb_lca_cell_ *c, int32_t l);
/* Its variance among the rows of the class, the expected one. */
double mb_lca_variance_(const mb_lca_cell_ *c, int32_t l);

/* Textbook numbers of the prior, one for each column of its kind, in the units of the run. */
typedef struct mb_lca_prior_ {
    double        alpha0, beta0, nu0, a0, share0;
    const double *mean; /* D: of numbers and counts; NULL: 0 of numbers, 1 of counts */
    const double *var;  /* D: of numbers; NULL: 1                                    */
} mb_lca_prior_;
mb_lca_prior_ mb_lca_defaults_(int32_t K);
/* MB_E_ARG names the size or the number that is wrong. */
mb_status mb_lca_new_(mb_arena *a, const mb_sizes *s, const mb_lca_prior_ *o, mb_model *out,
                      mb_err *err) MB_CHECKED;
/* lca_prior.c: mb_kind::prior. */
#define MB_LCA_PRIORS_ "empirical|weak|posterior:FILE.json"
mb_status mb_lca_prior_of_(mb_arena *a, const void *opt, const mb_units *run,
                           const mb_row_moments *seen, mb_prior *out, mb_err *err) MB_CHECKED;
void      mb_lca_sizes_(const void *opt, int32_t columns, mb_sizes *out);
/* lca_tables.c: mb_kind::beside and mb_kind::summary. */
mb_status mb_lca_beside_(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err) MB_CHECKED;
mb_status mb_lca_summary_(mb_arena *a, const mb_posterior *p, mb_summary *out,
                          mb_err *err) MB_CHECKED;

#endif
