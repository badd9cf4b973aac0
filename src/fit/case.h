/* fit/case.h - the stages of a fit: tables, cases, initialisations, sessions, searches. */
#ifndef MB_FIT_CASE_H
#define MB_FIT_CASE_H

#include "data/table.h"
#include "meshbayes/extend.h"

enum { MB_SHARE_LEAST = 1 << 18 /* rows: more can be shared by processes, 64 to 1024 */ };
/* Leaves t the rows of this process, of all that every process has: whole pieces or slices. A fit
 * without a network (mb_fit_opt.comm NULL) is then collective, its answer that of one process. */
mb_status mb_table_share(mb_arena *a, const mb_comm *comm, mb_table *t, mb_err *err) MB_CHECKED;
/* Looks once at the rows of t, all of m or this process's share, on a pool (NULL: one thread):
 * as mb_npy_check, but NaN are counted where gaps is not NULL; moments for mb_case_make,
 * with_cov as mb_kind::needs_covariance says; and mb_data::hash where hash is not NULL. The
 * arena outlives t. */
mb_status mb_table_look(mb_arena *a, const struct mb_npy_rows *m, int32_t with_cov, mb_pool *pool,
                        mb_table *t, int64_t *gaps, uint64_t *hash, mb_err *err) MB_CHECKED;
/* Files of all processes of comm, this one's maybe without rows, one after the other, as one file
 * in memory: beyond MB_SHARE_LEAST rows only the share here, until mb_npy_fetch. gaps 1: NaN may be
 * in rows that all have. hash: mb_data::hash of it. Collective; errors name the process. */
mb_status mb_npy_join(mb_arena *a, const mb_comm *comm, const char *file, int32_t gaps,
                      struct mb_npy_rows *out, uint64_t *hash, mb_err *err) MB_CHECKED;
/* All rows of such a file in process 0. Collective. */
mb_status mb_npy_fetch(mb_arena *a, struct mb_npy_rows *m, mb_err *err) MB_CHECKED;
/* Bytes that this process has sent for each sum over the rows. */
double mb_table_sent(const mb_table *t);

/* order[k] (t->rows.d): the column of t that comes at place k: inputs in their order, then the
 * kind's targets as its options name them, else the last columns. MB_E_ARG names one not there. */
mb_status mb_table_order(const mb_table *t, const mb_kind *kind, const void *kind_opt,
                         int32_t *order, mb_err *err) MB_CHECKED;
/* The rows of t by the nodes of net, the kind's target column last. Rows that lie so already are
 * not copied. MB_E_ARG names an id that the network has not, or the target that is missing. */
mb_status mb_table_arrange(mb_arena *a, const mb_table *t, const mb_network *net,
                           const mb_kind *kind, const void *kind_opt, mb_table *out,
                           mb_err *err) MB_CHECKED;
/* Of a kind whose groups are "always", rows of t that come without them: those of each of N nodes
 * become a group, or all where no node has them yet, and *said says so; else it is NULL. MB_E_ARG
 * where the rows of a node do not follow each other. */
mb_status mb_table_sequences_(mb_arena *a, const mb_kind *kind, int32_t N, mb_table *t,
                              const char **warning, mb_err *err) MB_CHECKED;
/* Adds a sentence to mb_case::warning; NULL: none. */
mb_status mb_case_warn_(mb_arena *a, mb_case *c, const char *text, mb_err *err) MB_CHECKED;
/* All rows at one node, as central VB has them: in memory once more where there are other
 * processes. The steps run on `threads` threads of the pool (mb_model_parallel). */
mb_status mb_case_central(mb_arena *a, const mb_case *nodes, mb_pool *pool, int32_t threads,
                          mb_case *out, mb_err *err) MB_CHECKED;
/* Row j of the case's table in run units into z (columns of the table). */
void mb_case_row(const mb_case *c, int64_t j, double *z);
enum { MB_TOGETHER = 256 /* rows that are predicted together, at most */ };
/* What phi (run units) says of n <= MB_TOGETHER rows j. scratch: MB_TOGETHER x run.d, where the
 * rows are afterwards, in run units, and mb_local_scratch. What depends on phi alone is made once
 * for them. */
mb_status mb_case_predict(const mb_case *c, const double *phi, const int64_t *j, int64_t n,
                          mb_want want, double *out, double *scratch, mb_err *err) MB_CHECKED;
/* Textbook parameters of phi in data units, in the arena. MB_E_DOMAIN when phi is outside Omega. */
mb_status mb_case_textbook(const mb_case *c, mb_arena *a, const double *phi, double **par,
                           mb_err *err) MB_CHECKED;

/* Rows among which mb_draw_centres chooses a centre (not the first): of MB_INIT_KMEANS 2 + 2 ln K
 * in the first attempt, which may be the only one, and 2 in the others, which shall differ; of
 * others 1. */
int32_t mb_start_candidates(mb_init how, int32_t K, int32_t attempt);
/* 1: this attempt begins with lines through rows instead of centres (start/lines.h): every second
 * one of a kind with targets and components. */
int mb_start_lines_(const mb_case *c, const mb_start *start, int32_t attempt);
/* Of a node's n rows of d columns, how many mb_case_centres reads for K centres: all, or a sample
 * of 2^12 for each centre, 2^17 to 2^20, where there are three times as many; but no more
 * than 2^23 numbers, unless those are fewer than 2^15 rows. */
int64_t mb_start_rows(int64_t n, int32_t d, int32_t K);
/* Centres that were drawn last, so that several runs of one case share them. Zeroed before use. */
typedef struct mb_centres {
    double    *centres;  /* K x D, data units, or see mb_case_centres_len; NULL: none drawn     */
    int32_t    attempt;  /* they are of this attempt                                            */
    int32_t    counted;  /* attempts whose traffic is in `sent`                                 */
    int32_t    repeated; /* 1: there are fewer than K distinct rows                             */
    int32_t    steps;    /* of Lloyd's iteration, at most 300                                   */
    mb_traffic sent;     /* by this process's nodes, each attempt once                          */
} mb_centres;
/* Length of mb_centres::centres for this case: K x D; with columns of several kinds, K rows as the
 * initialisation sees them: a column a level, 2 sqrt(x + 3/8) of a count x, 0 or 2 of a flag. */
size_t mb_case_centres_len(const mb_case *c);
/* Draws centres as `start` says into to->centres (of that length). Collective. */
mb_status mb_case_centres(const mb_case *c, const mb_start *start, int32_t attempt,
                          mb_arena *scratch_arena, mb_centres *to, mb_traffic *sent,
                          mb_err *err) MB_CHECKED;
/* K rows of D columns, data units, as such centres; the rows themselves if all are numbers. */
mb_status mb_case_as_centres(mb_arena *a, const mb_case *c, const double *rows, const double **out,
                             mb_err *err) MB_CHECKED;
/* The first phi* of every node (n_local, stride ld). Collective. MB_E_ARG for an earlier answer of
 * another kind, size or names of columns than the case. */
mb_status mb_case_seed(const mb_case *c, const mb_start *start, int32_t attempt, double *phi_star,
                       size_t ld, mb_err *err) MB_CHECKED;

/* *out (layout.len): no statistic of the rows of all nodes is larger in size, run units, by the
 * powers of two that the values of each column stay below; of one without a limit, what few exceed.
 * Collective, O(rows). */
mb_status mb_case_largest_(mb_arena *a, const mb_case *c, const double **out,
                           mb_err *err) MB_CHECKED;

/* Masks of the nodes of `part`, each with its partners, whose keys come from a seed: simulated. Of
 * at most `few` nodes all are partners. An epoch is an attempt. Borrows nothing. */
mb_status mb_masks_simulated_(mb_arena *a, const mb_part *part, uint64_t seed, int32_t few,
                              mb_masks **out, mb_err *err) MB_CHECKED;
enum { MB_MASKS_FEW_ = 16 };

/* Central VB on c with the stopping rule tol: mb_algo_squarem, or mb_algo_noncoop where that is
 * off, tol is 0, or the model's steps may overshoot (mb_model_ops::overshoots). */
const mb_algo *mb_central_algo(const mb_case *c, mb_accelerate accelerate, double tol);

/* Local bounds of eq. (15) at the end into the state, and their sum over the network, nats;
 * -infinity when a node is outside Omega. Collective. */
mb_status mb_session_bound(mb_session *s, double *bound, mb_err *err) MB_CHECKED;

/* The central case c with one component less. The prior of each component stays as it is. */
mb_status mb_case_fewer(mb_arena *a, const mb_case *c, mb_pool *pool, int32_t threads, mb_case *out,
                        mb_err *err) MB_CHECKED;
/* Runs a session on a central case, which has been seeded and given the stopping rule with tol,
 * to its end and merges components on the way (docs/math.md, section 15). Every tenth round,
 * once the bound rises by less than 1 nat in ten, and when the session has settled: a component
 * with less than one row, or two within 8 nats a row of each other, are merged for a try: their
 * statistics added, phi_k + phi_l - prior_k, in the case of one component less. It is adopted if
 * its bound reaches the session's within 3 rounds (100 when the session had settled); *s is then
 * the session of the merged case. `watch` is called for *s and for it with `name`, for each try
 * with INT32_MAX. Models without components with Dirichlet weights run as they are. MB_E_ARG when
 * components have priors of their own. */
mb_status mb_session_prune(mb_session *s, double tol, mb_watch watch, void *self, int32_t name,
                           mb_pruned *out, mb_err *err) MB_CHECKED;

/* How many initialisations "auto" makes at first: 10 while rows x components x columns^2 <= 1e8, 3
 * up to 1e10, else 1; without matrices rows x 2 numbers of the posterior count where they are
 * fewer. 1 where another would be the same (a kind without components, an initialisation that was
 * given) and in a network, where each costs messages: only a central case has several. */
int32_t mb_case_starts(const mb_case *c, const mb_start *start);
/* 1: of several initialisations the best runs on from where it ended, unless it used all rounds.
 * 0: it begins again. */
int mb_case_continues(const mb_case *c, const mb_method *how, double tol);
/* Of the answer phi (run units), in its order; named 0: only how many are weak or empty.
 * MB_E_DOMAIN: it is outside Omega. O(K D^3), less where few rows decide. */
mb_status mb_case_weak(const mb_case *c, const double *phi, int named, mb_weak *out,
                       mb_err *err) MB_CHECKED;
/* Of the answer phi (run units), in its order. Spread: root of the mean of the variances of the
 * scale matrix, in the agreed scales. MB_E_DOMAIN: it is outside Omega. O(rows K) with limits. */
mb_status mb_case_wide(const mb_case *c, const double *phi, mb_wide *out, mb_err *err) MB_CHECKED;
/* The lower bound of one component on the rows of c, a central case of several, under the same
 * prior, nats, data units: two rounds, or a run until the bound has no more than 1e-7 (relative) to
 * gain where rows have other latent variables. NaN where components have priors of their own, for
 * more than 32, and outside Omega. */
mb_status mb_case_one(const mb_case *c, const mb_method *how, double *bound,
                      mb_err *err) MB_CHECKED;
/* Of n_init initialisations the one whose bound, summed over the network, is best. On a central
 * case each, unless pruned, ends once its bound has no more than 1e-7 (relative) to gain or, after
 * 30 rounds (60 of plain VB), less than a tenth of what it lacks of the best, as its last gains
 * suggest, so that the best is still to be run to the end. n_init 0: auto; mb_case_starts, and if
 * that is 10 and fewer than three have the best bound, 40 moves: runs from the best answer so far
 * in which one component is split and two others are merged, drawn at random. Up to 1e6 of that
 * product moves are made however many agree, 15 if all do; up to 2e5 and 1000 rows until 200 in a
 * row find nothing better, at most 990, of which every third begins anywhere and gives each row to
 * one component (mb_anneal_can_), or else four in five give rows to other components. With
 * fewer than three components, own priors of components, or pruning, it is further
 * initialisations, up to 50 in all, until three have the best bound. Of larger sets (mb_case_starts
 * below 10) a sample is searched so: rows spread evenly, for each component 200 and 10 a column or
 * more, an eighth of all at most. The best answer for it begins one more initialisation, or the
 * only one. Before that four initialisations of a sample are made, unless there are limits:
 * 20,000 rows, or 2,000 and 10 a column for each component, an eighth of all at most. Where they
 * agree, and a run of all rows from their answer agrees with one initialisation of all rows, these
 * two are all, and out->first is their answer. n_init 1: none is run. With
 * MB_PREFER_HELD_OUT there are n_init or mb_case_starts initialisations and no moves, and of their
 * optima, whose bounds differ by more than 1e-6 (relative), the one is chosen that predicts best
 * what it was not fitted to: five runs each, MB_E_NOSUP where processes share the rows. out->first
 * is in the arena. watch may be NULL; MB_STOP ends the search. */
mb_status mb_case_best(mb_arena *a, const mb_case *c, const mb_method *how, const mb_start *start,
                       double tol, int32_t n_init, mb_watch watch, void *self,
                       mb_search_result *out, mb_err *err) MB_CHECKED;
/* mb_session_seed with what a search has found. */
mb_status mb_session_begin(mb_session *s, const mb_start *start, const mb_search_result *found,
                           mb_err *err) MB_CHECKED;

/* Options of p's kind that ask for its sizes, choices and targets, the others at their defaults, in
 * the arena. MB_E_NOSUP when the kind has options that its sizes do not tell. */
mb_status mb_posterior_options(mb_arena *a, const mb_posterior *p, void **out,
                               mb_err *err) MB_CHECKED;

#endif
