/* fit.h - what the stages of a fit share. */
#ifndef MB_FIT_STAGES_H
#define MB_FIT_STAGES_H

#include "meshbayes/extend.h"

/* Tells the owner of the table that rows will not be read for a while. */
void mb_case_rest_(const mb_case *c);
/* units.c: origin 0 and scale 1 for columns that are no numbers. */
void mb_units_keep_(const mb_sizes *size, mb_units *u);
/* Common units of the columns of rows with these moments (mb_common_units), or one scale
 * for all (mb_kind::one_scale). MB_E_FORMAT for a column whose values differ by too little; name
 * (NULL: "rows") and column are for its message. */
mb_status mb_units_agreed_(mb_arena *a, const mb_row_moments *seen, const mb_kind *kind,
                           const mb_sizes *size, const char *name, const char *const *column,
                           mb_units *out, mb_err *err) MB_CHECKED;
/* The units that a run of the kind computes in. raw 1: the columns' own scale. */
mb_status mb_units_run_(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                        const mb_units *agreed, int32_t raw, mb_units *out, mb_err *err) MB_CHECKED;
/* doubts.c: what speaks against the result of a fit: sentences without their full stop, in the
 * arena. None of a result outside Omega. */
typedef struct mb_doubts_ {
    const char *line[4];
    int32_t     n;
} mb_doubts_;
mb_status mb_fit_doubts_(mb_arena *a, const mb_fit *fit, mb_doubts_ *out, mb_err *err) MB_CHECKED;
/* How well the levels of the target are predicted at phi (run units), over all rows of the case;
 * NULL: it has none. */
mb_status mb_fit_levels_(mb_arena *a, const mb_case *c, const double *phi, mb_classification **out,
                         mb_err *err) MB_CHECKED;
/* How the iterations of the groups of all rows of the case end at phi (run units); groups 0: the
 * model's local steps have none. */
mb_status mb_fit_iterations_(mb_arena *a, const mb_case *c, const double *phi, mb_iterations *out,
                             mb_err *err) MB_CHECKED;
/* A sentence where some of them were cut off, else NULL. */
mb_status mb_fit_capped_(mb_arena *a, const mb_iterations *is, const char **text,
                         mb_err *err) MB_CHECKED;
/* The same of the iterations at phi. */
mb_status mb_fit_capped_at_(mb_arena *a, const mb_case *c, const double *phi, const char **text,
                            mb_err *err) MB_CHECKED;
/* A sentence where the inputs separate these levels of the posterior's target, else NULL. */
mb_status mb_fit_separated_(mb_arena *a, const mb_posterior *p, const mb_classification *levels,
                            const char **text, mb_err *err) MB_CHECKED;
/* earlier.c: model and prior of c from an earlier answer (mb_case_opt.prior), whose kind, sizes and
 * columns must be those of the case (MB_E_ARG). */
mb_status mb_earlier_prior_(mb_arena *a, const mb_case_opt *how, mb_case *c,
                            mb_err *err) MB_CHECKED;
/* Powers of two near the answer's spread, as mb_common_units has them of rows. */
mb_status mb_earlier_units_(mb_arena *a, const mb_posterior *p, mb_units *out,
                            mb_err *err) MB_CHECKED;
/* The same as the agreed units of c, whose columns must be the answer's. */
mb_status mb_earlier_agreed_(mb_arena *a, const mb_posterior *p, mb_case *c,
                             mb_err *err) MB_CHECKED;
/* What is left of the bound of an earlier answer whose statistics are weighted by `forget`, in the
 * case c with that prior: that of its rows so weighted. */
mb_status mb_earlier_bound_(mb_arena *a, const mb_posterior *p, double forget, const mb_case *c,
                            double *bound, mb_err *err) MB_CHECKED;
/* The same answer as natural parameters in run units, in the arena. */
mb_status mb_earlier_phi_(mb_arena *a, const mb_posterior *p, const mb_case *c, double **phi,
                          mb_err *err) MB_CHECKED;
/* parts.c: the components of a mixture with Dirichlet weights, at one phi. */
typedef struct mb_parts_ {
    const mb_model *m;
    const double   *phi;     /* seen last                           */
    double         *rows;    /* K: expected                         */
    double         *mu;      /* L: grad A(phi)                      */
    double         *scratch; /* mb_local_scratch(m)                 */
} mb_parts_;
/* The Dirichlet with an entry for each component; NULL: there is none. */
const mb_block *mb_parts_weights_(const mb_model *m);
/* 1: the prior is the same for each component, so that each may have the rows of any. */
int mb_parts_alike_(const mb_model *m);
/* m must have mb_parts_weights_. */
mb_status mb_parts_new_(mb_arena *a, const mb_model *m, mb_parts_ *out, mb_err *err) MB_CHECKED;
/* Looks at phi, which is borrowed. MB_E_DOMAIN when it is outside Omega. */
mb_status mb_parts_see_(mb_parts_ *p, const double *phi, mb_err *err) MB_CHECKED;
/* J = <t_k - t_l, mu_k - mu_l>, nats a row, where t are the mean statistics of a component's
 * rows. */
double mb_parts_divergence_(const mb_parts_ *p, int32_t k, int32_t l);
/* What merging them costs their rows at most, nats: by convexity the expected log-likelihood of r_k
 * and r_l rows falls by at most J r_k r_l/(r_k + r_l) when one component has them all. */
double mb_parts_merging_(const mb_parts_ *p, int32_t k, int32_t l, double J);
/* split_merge.c: 1 when moves are possible: a central case, three components or more with one
 * prior; mb_move_alike_: two or more. */
int mb_move_can_(const mb_case *c);
int mb_move_alike_(const mb_case *c);
/* Index of one of n weights, drawn in proportion to them; -1 when they sum to 0. */
int32_t mb_draw_one_(mb_rng *rng, const double *weight, int32_t n);
/* The first phi* of a run (length L) from an answer phi of a central case: one component, drawn in
 * proportion to its rows, is split between two of its rows that are drawn by k-means++, and two
 * others are merged, drawn in proportion to 1/(mb_parts_merging_). shaken 1: but in four of five
 * attempts a share s of the rows, .03 to 1, go each to one component, drawn in proportion to the
 * power s/T of its responsibilities, T from 10 to 80, logarithms uniform. Depends on phi, seed and
 * attempt alone. MB_QUIET: there is no such move, or phi is outside Omega. O(rows K). */
mb_status mb_move_seed_(const mb_case *c, const double *phi, uint64_t seed, int32_t attempt,
                        int32_t shaken, double *phi_star, mb_err *err) MB_CHECKED;
/* anneal.c: 1 when mb_anneal_seed_ is possible and worth its time: a central case of few rows times
 * components with mb_move_can_, whose rows have no latent variables but their component. */
int mb_anneal_can_(const mb_case *c);
/* The first phi* of a run (length L) of a case with mb_anneal_can_,
 * from rows (groups) that have one component each: at first any, then drawn one row at a time by
 * what the lower bound has from it in each component, at temperatures that fall. Depends on seed
 * and attempt alone. MB_QUIET: what components have is not in slices or parts, or rounding leads
 * outside Omega. Cost: 20 to 40 log partition functions of a component per row and component. */
mb_status mb_anneal_seed_(const mb_case *c, uint64_t seed, int32_t attempt, double *phi_star,
                          mb_err *err) MB_CHECKED;
/* held_out.c: mean predictive log densities, nats a row, data units, of rows of a central case that
 * n answers phi (L each) were not fitted to: each runs on from phi on four fifths of the rows
 * (groups stay whole), five times; the same fifths for all, drawn from seed. -infinity: it cannot
 * predict. MB_E_NOSUP for rows that processes share, MB_E_ARG for fewer than 5. 5 n runs; a fold in
 * memory. */
mb_status mb_held_out_(mb_arena *a, const mb_case *c, const mb_method *how, double tol,
                       uint64_t seed, int32_t n, const double *const *phi, double *density,
                       mb_err *err) MB_CHECKED;
enum { MB_SURE_ = 3 /* looks in a row that find little left to gain, or too little */ };
/* early_stop.c: how the bound rises in one run of central VB, and what that says of its end. */
typedef struct mb_early_stop_ {
    double   bound, gain;     /* at the last look, and since the look before; NaN: unknown */
    int32_t  sure;            /* looks in a row that found little left to gain             */
    double   reach[MB_SURE_]; /* where the last looks saw it end at most; infinity: no idea */
    double   limit;           /* a best bound above it gives the run up; so far            */
    double   best;            /* of the runs before; this and what follows is not kept     */
    int32_t  every;           /* rounds from one look to the next                          */
    int32_t *over; /* mb_session.finished_early                                           */
} mb_early_stop_;
mb_early_stop_ mb_early_stop_from_(double best);
/* one.c: the bound of a run of a central case from all rows in the first component, as far as it
 * goes; first (L; NULL: not wanted): its first phi*. */
mb_status mb_together_(const mb_case *c, const mb_method *how, double *first, double *bound,
                       mb_err *err) MB_CHECKED;
/* Ends a run of central VB when its bound is known to `little`, or to stay below the best: only the
 * best runs on. */
mb_status mb_early_stop_watch_(mb_session *s, mb_early_stop_ *r, mb_err *err) MB_CHECKED;
/* store.c: the n numbers of unit "what-number"; MB_QUIET: there is no store, or it has none. */
mb_status mb_store_get_(const mb_store *s, const char *what, int32_t number, double *x, size_t n,
                        mb_err *err) MB_CHECKED;
/* Puts them, where there is a store. */
mb_status mb_store_put_(const mb_store *s, const char *what, int32_t number, const double *x,
                        size_t n, mb_err *err) MB_CHECKED;
/* merged.c: a merge as it is stored: rounds, tries and rounds of tries before it, and phi. */
enum { MB_MERGE_ROUNDS_, MB_MERGE_TRIED_, MB_MERGE_LOST_, MB_MERGE_PHI_ };
/* That of a merged session before its first round. */
mb_status mb_merge_new_(const mb_session *s, const mb_pruned *so_far, double **x,
                        mb_err *err) MB_CHECKED;
mb_status mb_merge_put_(const mb_session *s, int32_t name, int32_t number, const double *x,
                        mb_err *err) MB_CHECKED;
/* The last one that is stored: *c, before it that of the session, becomes its case, and *x what is
 * stored. Both are unchanged if there is none. */
mb_status mb_merge_find_(const mb_session *s, mb_arena *a, int32_t name, const mb_case **c,
                         double **x, mb_err *err) MB_CHECKED;
/* share.c: rows `to` are the share of a process as `from` are. */
void mb_share_as_(const mb_rows *from, mb_rows *to);
/* This process's share of the rows instead of all of them; comm is borrowed. */
mb_status mb_rows_share_(mb_arena *a, const mb_comm *comm, mb_rows *rows, mb_err *err) MB_CHECKED;
/* seed_sum.c: responsibilities that are given for one block of rows after the other. */
typedef struct mb_given_ {
    int64_t
        block; /* mb_seed_block_ of the rows, or more: that many rows, or all that are left     */
    /* Those of the next n rows (n x K); NULL: nothing is latent. */
    const double *(*next)(void *self, int64_t n);
    void *self;
} mb_given_;
/* Rows whose responsibilities need be in memory together: all, unless they are very many. */
int64_t mb_seed_block_(const mb_case *c, const mb_rows *rows);
/* The first phi* at place i; of a central case of more than MB_SHARE_LEAST rows from sums of
 * pieces, collective where processes share the rows. */
mb_status mb_seed_sum_(const mb_case *c, int32_t i, const mb_given_ *given, mb_arena *scratch_arena,
                       double *phi_star, double *scratch, mb_err *err) MB_CHECKED;
/* An option struct of `size` bytes with the defaults of its table (NULL: zeroed). */
mb_status mb_options_new_(mb_arena *a, const char *name, const mb_opt *table, size_t size,
                          void **out, mb_err *err) MB_CHECKED;

/* table.c: the number of row j of a table in the order of the caller, from 0. */
int64_t mb_table_number_(const mb_table *t, int64_t j);
/* Where row j of a table stands, and a column (NULL: none), as mb_row_place says. */
void mb_table_place_(const mb_table *t, int64_t j, const char *column, char text[MB_PLACE]);
/* MB_E_FORMAT: column d of row j of a table is not what is expected; names its place. */
mb_status mb_refuse_cell_(const mb_table *t, int64_t j, int32_t d, const char *expected,
                          mb_err *err) MB_CHECKED;
/* st; where it is MB_E_NUMERIC because of a number of a row, with the place of that. */
mb_status mb_refuse_not_finite_(const mb_table *t, mb_status st, mb_err *err) MB_CHECKED;
/* merged.c: mb_case_fewer again and again, down to `left` components of more. */
mb_status mb_case_left_(mb_arena *a, const mb_case *c, int32_t left, mb_pool *pool, int32_t threads,
                        mb_case *out, mb_err *err) MB_CHECKED;
/* windows.c: 1 when this initialisation sees rows as the deviations about them
 * (mb_kind::windows). */
int mb_windows_at_(const mb_case *c, const mb_start *start, int32_t attempt);
/* All rows of the table so, copied: of numbers and counts the standard deviation in the window. */
mb_status mb_windows_(mb_arena *a, const mb_case *c, mb_rows *out, mb_err *err) MB_CHECKED;
/* sample.c: n rows, copied, in every process: one of each of n parts of all that follow one
 * another, wherever a process ends, drawn by weight. It has the mean weight of its part, which
 * begins at row mb_sample_first_. rng NULL: the first row of each part, with its own weight. */
int64_t   mb_sample_first_(int64_t j, int64_t n, int64_t all);
mb_status mb_sample_(mb_arena *a, const mb_case *c, const mb_rows *rows, int64_t n, mb_rng *rng,
                     mb_rows *out, mb_err *err) MB_CHECKED;
/* How many rows of a large central case are searched before all; 0: it has groups, no moves, is not
 * much larger than that, or so few would have one initialisation, too (mb_case_starts). */
int64_t mb_sample_size_(const mb_case *c);
/* How many rows stand for all where initialisations on them agree; 0: none, or rows far out. */
int64_t mb_sample_agree_(const mb_case *c);
/* The case of a sample of n rows of c and that of its nodes, at one node, in the units and with the
 * prior of all rows. The arena outlives both; c is borrowed. */
mb_status mb_sample_case_(mb_arena *a, const mb_case *c, int64_t n, mb_case *nodes, mb_case *out,
                          mb_err *err) MB_CHECKED;
/* phi* of a sample becomes that of all rows of c, if they are spread alike: the prior and a sum
 * over the rows. */
void mb_sample_grow_(const mb_case *c, const mb_rows *sample, double *phi);
/* varying.c: what to warn of where inputs of common effect have one value in each group; else
 * NULL. */
mb_status mb_case_varying_(mb_arena *a, const mb_case *c, const char **warning,
                           mb_err *err) MB_CHECKED;
/* levels.c: the categories of a target that is one, where no kinds of columns are given: as many as
 * its largest number says. MB_E_FORMAT for a row that has none. */
mb_status mb_case_levels_(mb_arena *a, mb_case *c, mb_err *err) MB_CHECKED;
/* form.c: where kind says what columns are (mb_kind::form), those of *t have these kinds, and of
 * more categories than the option KIND.vocabulary says those that are there least become one; *note
 * then says so, else it is NULL. kind_opt NULL: all remain. MB_E_SHAPE for other columns,
 * MB_E_FORMAT for a category that comes as numbers and has one that is not whole. O(rows), copies
 * those it changes. */
mb_status mb_table_form(mb_arena *a, const mb_kind *kind, const void *kind_opt, mb_table *t,
                        const char **note, mb_err *err) MB_CHECKED;
/* Counts the gaps of c->table's rows, and gives those without any value weight 0. */
mb_status mb_case_gaps_(mb_arena *a, mb_case *c, mb_err *err) MB_CHECKED;

#endif
