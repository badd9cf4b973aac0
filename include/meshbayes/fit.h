/* meshbayes/fit.h - from rows and a network to a posterior, in stages: place (network.h), case,
 * session, outcome. mb_fit_run goes through all of them. A struct is constant once its maker has
 * returned, except the session; each borrows from the ones before. No stage knows files, terminals,
 * clocks or signals: traces, dumps, progress and checkpoints are observers of the caller. */
#ifndef MESHBAYES_FIT_H
#define MESHBAYES_FIT_H

#include "meshbayes/kind.h"
#include "meshbayes/network.h"
#include "meshbayes/observe.h"
#include "meshbayes/posterior.h"
#include "meshbayes/start.h"
#include "meshbayes/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows in memory and the nodes that hold them; everything is borrowed. Zeroed fields are absent. */
typedef struct mb_table {
    mb_rows            rows;   /* all rows, data units                                           */
    const char *const *column; /* rows.d names; NULL: "x1", "x2" and so on                        */
    const mb_columns  *kinds;  /* what they are, for kinds of models that take them (mb_kind_mixed);
                                  NULL: all are numbers, and a target that is a category has as many
                                  as the largest of its rows says, "0", "1" and so on             */
    const char        *name;   /* of the rows in messages, as a file's name; NULL: "rows"         */
    int32_t            N;      /* nodes that hold rows; 0: as many as the network has             */
    const char *const *id;    /* N names, found among the network's; NULL: its nodes in order     */
    const int32_t     *node;  /* rows.n: 0 to N - 1, in any order; NULL: `first` says             */
    const int64_t     *first; /* N + 1: rows first[i] .. first[i+1]-1 are node i's; NULL too: the
                                  rows are cut into blocks whose sizes differ by at most one      */
    const int64_t     *row;   /* rows.n: the caller's number of each row; NULL: its own           */
    mb_origin          from;  /* the files of these numbers, which `place` names                  */
    void (*place)(const mb_origin *from, int64_t number, const char *column,
                  char text[MB_PLACE]); /* mb_row_place; NULL: messages name row and column      */
    int32_t last_is_target;   /* 1: the targets are the last columns, whatever they are called */
    void (*rest)(void *self); /* called when rows will not be read for a while; NULL: nobody asks */
    void *rest_self;          /* its argument                                                    */
} mb_table;
struct mb_data;
struct mb_npy_rows;
/* All rows of a data set (data.h) by its nodes, else in blocks, called `name`. Borrows both. */
MB_API mb_table mb_table_of(const struct mb_data *data, const char *name);

enum { MB_SHARE_LEAST = 1 << 18 /* rows: more can be shared by processes, 64 to 1024 */ };
/* Leaves t the rows of this process, of all that every process has: whole pieces or slices. A fit
 * without a network (mb_fit_opt.comm NULL) is then collective, its answer that of one process. */
MB_API mb_status mb_table_share(mb_arena *a, const mb_comm *comm, mb_table *t,
                                mb_err *err) MB_CHECKED;
/* Looks once at the rows of t, all of m or this process's share, on a pool (NULL: one thread): as
 * mb_npy_check, but NaN are counted where gaps is not NULL; moments for mb_case_make, with_cov as
 * mb_kind::sees says; and mb_data::hash where hash is not NULL. The arena outlives t. */
MB_API mb_status mb_table_look(mb_arena *a, const struct mb_npy_rows *m, int32_t with_cov,
                               mb_pool *pool, mb_table *t, int64_t *gaps, uint64_t *hash,
                               mb_err *err) MB_CHECKED;
/* Files of all processes of comm, this one's maybe without rows, one after the other, as one file
 * in memory: beyond MB_SHARE_LEAST rows only the share here, until mb_npy_fetch. gaps 1: NaN may be
 * in rows that all have. hash: mb_data::hash of it. Collective; errors name the process. */
MB_API mb_status mb_npy_join(mb_arena *a, const mb_comm *comm, const char *file, int32_t gaps,
                             struct mb_npy_rows *out, uint64_t *hash, mb_err *err) MB_CHECKED;
/* All rows of such a file in process 0. Collective. */
MB_API mb_status mb_npy_fetch(mb_arena *a, struct mb_npy_rows *m, mb_err *err) MB_CHECKED;
/* Bytes that this process has sent for each sum over the rows. */
MB_API double mb_table_sent(const mb_table *t);

/* How rows are held while they are computed with. */
typedef enum mb_precision {
    MB_FLOAT64, /* double                                                                        */
    MB_FLOAT32 /* each number rounded once, half the memory; needs standardize                    */
} mb_precision;

/* Constants of a case that were agreed before, as those of a mesh (genesis.h). Borrowed. */
typedef struct mb_case_given {
    const mb_units *run;       /* units of the run                           */
    const mb_model *model;     /* with its prior, run units                  */
    const double   *prior_par; /* textbook parameters of the prior, data units */
} mb_case_given;
/* Options of a case; zeroed: the defaults. */
typedef struct mb_case_opt {
    int32_t      raw; /* 1: compute in the columns' own scale (still moved to the agreed origin) */
    mb_precision precision; /* of the rows in run units                                         */
    const mb_posterior *prior; /* a former answer as prior, component by component, in place of the
                                  kind's: its kind, sizes and names of columns must be those of the
                                  case. NULL: the kind's                                         */
    int32_t update; /* 1: the rows continue those of `prior`: its units are those of the run, and
                                  its own prior is what the posterior keeps as its prior         */
    double  forget; /* with update the prior is phi_0 + forget (phi - phi_0), where phi_0 is the
                                  prior of `prior` and phi its posterior: 0 to 1, 0 counts as 1  */
    const mb_case_given *given; /* units and prior agreed before; NULL: made from the rows       */
} mb_case_opt;

/* Values that rows do not have. */
typedef struct mb_gaps {
    int64_t cells;    /* without a value                        */
    int64_t rows;     /* with at least one of them              */
    int64_t empty;    /* of these: without any value, weight 0  */
    double  jacobian; /* mb_gaps_jacobian in the units of the run */
} mb_gaps;

/* The rows at their nodes, the common units, the model and its prior: what all algorithms and all
 * initialisations have in common. */
typedef struct mb_case {
    mb_place             *place;        /* network, this process's share of it, transport        */
    const mb_kind        *kind;         /* of the model                                          */
    const struct mb_case *nodes;        /* central case: the case of the nodes; else NULL         */
    mb_table              table;        /* rows by the network's nodes, target last; with gaps
                                          those without any value have weight 0                  */
    mb_rows              *data;         /* n_local views of them, data units                     */
    mb_rows              *rows;         /* n_local, run units                                     */
    mb_row_moments        seen;         /* of all rows, with limits of those that are not far;
                                          cov when the kind's prior sees it                      */
    mb_limits             limits;       /* d = 0: no row is far, or nobody asked (mb_kind::trims) */
    mb_units              agreed;       /* common origin and scale (mb_common_units); with
                                          mb_case_opt::given those of the run                    */
    mb_units              run;          /* units of the run                                       */
    int32_t               raw;          /* mb_case_opt::raw                                       */
    mb_sizes              size;         /* of the model                                           */
    mb_model              model;        /* in run units                                           */
    double               *prior_par;    /* textbook parameters of its prior, data units           */
    const char           *warning;      /* about the prior (mb_prior); NULL: none                 */
    double                weight_total; /* of all rows                                            */
    mb_gaps               gaps;         /* of all rows                                            */
    mb_tree               tree;         /* of the network; the place's part borrows it            */
    mb_traffic            sent;         /* by this process's nodes for tree and moments           */
} mb_case;

/* order[k] (t->rows.d): the column of t that comes at place k: inputs in their order, then the
 * kind's targets as its options name them, else the last columns. MB_E_ARG names one not there. */
MB_API mb_status mb_table_order(const mb_table *t, const mb_kind *kind, const void *kind_opt,
                                int32_t *order, mb_err *err) MB_CHECKED;
/* The rows of t by the nodes of net, the kind's target column last. Rows that lie so already are
 * not copied. MB_E_ARG names an id that the network has not, or the target that is missing. */
MB_API mb_status mb_table_arrange(mb_arena *a, const mb_table *t, const mb_network *net,
                                  const mb_kind *kind, const void *kind_opt, mb_table *out,
                                  mb_err *err) MB_CHECKED;
/* Agrees on a tree and common units, copies this process's rows into them and makes the model.
 * Collective. kind_opt: as the kind's table describes it; NULL, as for opt: defaults.
 * MB_E_FORMAT for a column whose values differ by less than 4e-100 or without any, MB_E_NOSUP for
 * groups or gaps that the model cannot have, MB_E_ARG for a group at two nodes, a former answer of
 * another kind, size or names of columns. O(rows). Sets place->part.tree: a outlives place. */
MB_API mb_status mb_case_make(mb_arena *a, mb_place *place, const mb_table *table,
                              const mb_kind *kind, const void *kind_opt, const mb_case_opt *opt,
                              mb_case *out, mb_err *err) MB_CHECKED;
/* All rows at one node, as central VB has them: in memory once more where there are other
 * processes. The steps run on `threads` threads of the pool (mb_model_parallel). */
MB_API mb_status mb_case_central(mb_arena *a, const mb_case *nodes, mb_pool *pool, int32_t threads,
                                 mb_case *out, mb_err *err) MB_CHECKED;
/* Row j of the case's table in run units into z (columns of the table). */
MB_API void mb_case_row(const mb_case *c, int64_t j, double *z);
/* Textbook parameters of phi in data units, in the arena. MB_E_DOMAIN when phi is outside Omega. */
MB_API mb_status mb_case_textbook(const mb_case *c, mb_arena *a, const double *phi, double **par,
                                  mb_err *err) MB_CHECKED;
/* The posterior phi (run units) in data units, with its names and prior. order: of its components
 * (K); NULL: the canonical one. MB_E_DOMAIN when phi is outside Omega. Not ready to predict:
 * mb_posterior_ready makes it so, unless double precision cannot hold it in its own units. */
MB_API mb_status mb_case_posterior(mb_arena *a, const mb_case *c, const double *phi,
                                   const int32_t *order, mb_posterior *out, mb_err *err) MB_CHECKED;

/* How a run is initialised. */
typedef enum mb_init {
    MB_INIT_KMEANS,   /* as the next, once Lloyd's iteration (mb_lloyd) has moved them      */
    MB_INIT_KMEANSPP, /* rows go to centres drawn by k-means++, see mb_draw_centres         */
    MB_INIT_FARTHEST, /* rows go to centres drawn farthest-first                            */
    MB_INIT_RANDOM,   /* every node's own random responsibilities                           */
    MB_INIT_CENTRES,  /* nearest of given centres; this and what follows is given           */
    MB_INIT_RESPONSIBILITIES, /* given for every row                                        */
    MB_INIT_POSTERIOR         /* of a former answer: one VB step from it at every node      */
} mb_init;
/* Rows among which mb_draw_centres chooses a centre (not the first): of MB_INIT_KMEANS 2 + 2 ln K
 * in the first attempt, which may be the only one, and 2 in the others, which shall differ; of
 * others 1. */
MB_API int32_t mb_start_candidates(mb_init how, int32_t K, int32_t attempt);
/* Of a node's n rows of d columns, how many mb_case_centres reads: all, beyond 2^22 a sample. */
MB_API int64_t mb_start_rows(int64_t n, int32_t d);
/* Centres that were drawn last, so that several runs of one case share them. Zeroed before use. */
typedef struct mb_drawn {
    double    *centres;  /* K x D, data units, or see mb_case_centres_len; NULL: none drawn     */
    int32_t    attempt;  /* they are of this attempt                                            */
    int32_t    counted;  /* attempts whose traffic is in `sent`                                 */
    int32_t    repeated; /* 1: there are fewer than K distinct rows                             */
    int32_t    steps;    /* of Lloyd's iteration, at most 300                                   */
    mb_traffic sent;     /* by this process's nodes, each attempt once                          */
} mb_drawn;
/* What an answer of several initialisations is chosen by. */
typedef enum mb_prefer {
    MB_PREFER_BOUND,   /* its lower bound                                          */
    MB_PREFER_HELD_OUT /* how well it predicts rows held out; on a central case only */
} mb_prefer;
/* The initialisation of a run. Kinds without components need none. */
typedef struct mb_start {
    mb_init        how;     /* where the first responsibilities come from                         */
    uint64_t       seed;    /* of what is drawn                                                   */
    const double  *centres; /* K x D, data units: MB_INIT_CENTRES                                 */
    const double  *resp;    /* n x K, in the caller's order of the rows: MB_INIT_RESPONSIBILITIES */
    const int32_t *label;   /* n: the component of each row, instead of resp, which is NULL       */
    const mb_posterior *posterior; /* data units, components as they are: MB_INIT_POSTERIOR      */
    mb_drawn *drawn;  /* shared by runs; centres must have room for K x D. NULL: not shared */
    mb_pool  *pool;   /* for Lloyd's iteration; NULL: one thread, in a session its own pool */
    mb_prefer prefer; /* among several, see mb_case_best                                   */
} mb_start;
/* Length of mb_drawn::centres for this case: K x D; with columns of several kinds, K rows as the
 * initialisation sees them: a column a level, 2 sqrt(x + 3/8) of a count x, 0 or 2 of a flag. */
MB_API size_t mb_case_centres_len(const mb_case *c);
/* Draws centres as `start` says into to->centres (of that length). Collective. */
MB_API mb_status mb_case_centres(const mb_case *c, const mb_start *start, int32_t attempt,
                                 mb_arena *draft, mb_drawn *to, mb_traffic *sent,
                                 mb_err *err) MB_CHECKED;
/* K rows of D columns, data units, as such centres; the rows themselves if all are numbers. */
MB_API mb_status mb_case_as_centres(mb_arena *a, const mb_case *c, const double *rows,
                                    const double **out, mb_err *err) MB_CHECKED;
/* The first phi* of every node (n_local, stride ld). Collective. MB_E_ARG for a former answer of
 * another kind, size or names of columns than the case. */
MB_API mb_status mb_case_seed(const mb_case *c, const mb_start *start, int32_t attempt,
                              double *phi_star, size_t ld, mb_err *err) MB_CHECKED;

/* What runs on a case. */
typedef struct mb_method {
    const mb_algo  *algo;      /* listed or the caller's own                                      */
    const void     *opt;       /* its options as given, "auto" unsettled; NULL: defaults          */
    mb_faults       faults;    /* simulated; none on a central case                               */
    int64_t         rounds;    /* the last round                                                  */
    int32_t         threads;   /* 0: as many as pay                                               */
    mb_pool        *pool;      /* that has them; NULL: threads of each run alone                  */
    mb_on_domain    on_domain; /* policy for a phi outside Omega                                  */
    const mb_comm  *comm;      /* share attempts of mb_case_best, each having all rows; or NULL   */
    int32_t         prune;     /* 1: mb_session_prune in mb_case_best and mb_fit_run; central VB  */
    const mb_store *store;     /* of a central case; NULL: none                                   */
} mb_method;

/* Whether central VB is extrapolated. */
typedef enum mb_accelerate {
    MB_ACCELERATE_AUTO, /* when it ends by a stopping rule, for models it is made for            */
    MB_ACCELERATE_OFF   /* each round is a step of central VB                                    */
} mb_accelerate;
/* Central VB on c with the stopping rule tol: mb_algo_squarem, or mb_algo_noncoop where that is
 * off, tol is 0, or the model's steps may overshoot (mb_model_ops::overshoots). */
MB_API const mb_algo *mb_central_algo(const mb_case *c, mb_accelerate accelerate, double tol);

enum { MB_WATCHERS = 10 /* observers of a session at most */ };
/* One run: open, seed or load a checkpoint, watch, run, end, close. It owns its memory, which is
 * freed whole. Observers point into it: it must not be moved. */
typedef struct mb_session {
    const mb_case *c;       /* borrowed                                                          */
    mb_method      how;     /* copied; what it points to is borrowed                             */
    mb_arena      *own;     /* memory of the run; observers may use it                           */
    mb_arena      *lent;    /* memory of the case, freed with the session; NULL: it has its own  */
    void          *opt;     /* the algorithm's options, settled                                  */
    mb_problem     problem; /* what mb_run, metrics and checkpoints work on                      */
    mb_state       state;   /* of the nodes                                                      */
    mb_transport   faults;  /* over the place's transport where faults are simulated             */
    mb_stand       stand;   /* as the stopping rule saw it last                                  */
    int32_t        stopped; /* 1: the stopping rule ended the run                                */
    int32_t        over;    /* 1: mb_case_best or mb_session_prune did: no state to save         */
    mb_observer    obs[MB_WATCHERS]; /* in the order they were added                             */
    int32_t        nobs;             /* how many                                                 */
} mb_session;
/* Settles the algorithm's options and makes the state before the first round. */
MB_API mb_status mb_session_open(const mb_case *c, const mb_method *how, mb_session *out,
                                 mb_err *err) MB_CHECKED;
/* mb_case_seed into the state. */
MB_API mb_status mb_session_seed(mb_session *s, const mb_start *start, int32_t attempt,
                                 mb_err *err) MB_CHECKED;
/* Adds an observer; what it points to is borrowed. MB_E_ARG when there are MB_WATCHERS already. */
MB_API mb_status mb_session_watch(mb_session *s, const mb_observer *obs, mb_err *err) MB_CHECKED;
/* Adds the stopping rule (mb_stop_new), which ends no run before round `from`; tol 0: none. */
MB_API mb_status mb_session_stop(mb_session *s, double tol, int64_t from, mb_err *err) MB_CHECKED;
/* Runs to the last round or until an observer ends it; again: resumes, unless s->stopped. */
MB_API mb_status mb_session_run(mb_session *s, mb_err *err) MB_CHECKED;
/* Local bounds of eq. (15) at the end into the state, and their sum over the network, nats;
 * -infinity when a node is outside Omega. Collective. */
MB_API mb_status mb_session_bound(mb_session *s, double *bound, mb_err *err) MB_CHECKED;

/* Pruning: what became of the components. */
typedef struct mb_pruned {
    int32_t asked;  /* components at first                                               */
    int32_t left;   /* at the end                                                        */
    int32_t tried;  /* merges                                                            */
    int32_t merged; /* merges that were adopted                                           */
    int64_t rounds; /* made for merges that were not adopted; the others are in state.t     */
} mb_pruned;
/* How a run ended: plain numbers. */
typedef struct mb_outcome {
    mb_verdict verdict; /* of a run that nobody interrupted                                 */
    int64_t    rounds;  /* made                                                             */
    double     bound;   /* centralised lower bound at the mean, nats, data units; NaN outside */
    double     moved;   /* what one centralised step from the mean changes (mb_central_check) */
    double     disagreement; /* farthest node from the mean, relative (mb_disagreement)          */
    int32_t    outside;      /* nodes outside Omega                                              */
    int32_t    ordered;      /* 0: the mean is outside Omega, so components keep their order     */
    double    *mean;         /* L: network mean of phi, run units                                */
    int32_t   *order;        /* K: components in canonical order                                 */
    double    *apart;        /* n_local: each node's distance from the mean, relative            */
    mb_traffic sent;         /* by all nodes in the rounds                                       */
} mb_outcome;
/* The outcome, in the session's arena. Collective. One local step a node. */
MB_API mb_status mb_session_end(mb_session *s, mb_outcome *out, mb_err *err) MB_CHECKED;
/* Frees the session; safe on a zeroed struct. */
MB_API void mb_session_close(mb_session *s);

/* Called before each run of a fit, after all else: adds observers, may load a checkpoint. attempt:
 * from 0; -1: the run whose result is taken. */
typedef mb_status (*mb_watch)(void *self, mb_session *s, int32_t attempt, mb_err *err);
/* The central case c with one component less. The prior of each component stays as it is. */
MB_API mb_status mb_case_fewer(mb_arena *a, const mb_case *c, mb_pool *pool, int32_t threads,
                               mb_case *out, mb_err *err) MB_CHECKED;
/* Runs a session on a central case, which has been seeded and given the stopping rule with tol,
 * to its end and merges components on the way (docs/math.md, section 15). Every tenth round,
 * once the bound rises by less than 1 nat in ten, and when the session has settled: a component
 * with less than one row, or two within 8 nats a row of each other, are merged for a try: their
 * statistics added, phi_k + phi_l - prior_k, in the case of one component less. It is adopted if
 * its bound reaches the session's within 3 rounds (100 when the session had settled); *s is then
 * the session of the merged case. `watch` is called for *s and for it with `name`, for each try
 * with INT32_MAX. Models without components with Dirichlet weights run as they are. MB_E_ARG when
 * components have priors of their own. */
MB_API mb_status mb_session_prune(mb_session *s, double tol, mb_watch watch, void *self,
                                  int32_t name, mb_pruned *out, mb_err *err) MB_CHECKED;

/* How many initialisations "auto" makes at first: 10 while rows x components x columns^2 <= 1e8, 3
 * up to 1e10, else 1; without matrices rows x 2 numbers of the posterior count where they are
 * fewer. 1 where another would be the same (a kind without components, an initialisation that was
 * given) and in a network, where each costs messages: only a central case has several. */
MB_API int32_t mb_case_starts(const mb_case *c, const mb_start *start);
/* Components of an answer that few rows describe: fewer than two a column are expected, or more
 * than half of the expected precision is that of the prior: tr(W W0^-1)/D, or the mean of the
 * ratios of the rates of variances. One with less than half a row is not among them: the answer has
 * no need of it. */
typedef struct mb_weak {
    int32_t count;     /* of them; 0: there is none, or the kind has no such precisions       */
    int32_t component; /* the one with the fewest rows, in the order of the answer            */
    double  rows;      /* its expected rows                                                   */
    double  prior;     /* the prior's share of its precision, 0 to 1                          */
    int32_t empty;     /* components with less than half a row                                */
} mb_weak;
/* Of the answer phi (run units), in its order. MB_E_DOMAIN: it is outside Omega. O(K D^3). */
MB_API mb_status mb_case_weak(const mb_case *c, const double *phi, mb_weak *out,
                              mb_err *err) MB_CHECKED;
/* Components of rows far out in an answer of a kind that may trim them (mb_kind::trims). */
typedef struct mb_wide {
    int32_t beyond;    /* components that surround the limits (mb_case::limits): wider in the mean
                          square over the columns, the middle within two of their sd; on a central
                          case also those with more than half of their rows beyond the limits,
                          so that a component may count twice                                     */
    int32_t component; /* the widest, in the order of the answer, if it is above 10 times         */
    double  times;     /* the spread of the median component, of which these are its own; 0: none */
} mb_wide;
/* Of the answer phi (run units), in its order. Spread: root of the mean of the variances of the
 * scale matrix, in the agreed scales. MB_E_DOMAIN: it is outside Omega. O(rows K) with limits. */
MB_API mb_status mb_case_wide(const mb_case *c, const double *phi, mb_wide *out,
                              mb_err *err) MB_CHECKED;
/* The lower bound of one component on the rows of c, a central case of several, under the same
 * prior, nats, data units: two rounds, or a run until the bound has no more than 1e-7 (relative) to
 * gain where rows have other latent variables. NaN where components have priors of their own, for
 * more than 32, and outside Omega. */
MB_API mb_status mb_case_one(const mb_case *c, const mb_method *how, double *bound,
                             mb_err *err) MB_CHECKED;
/* What a search for the best initialisation found. */
typedef struct mb_found {
    int32_t       n_init;   /* initialisations that were made, all drawn independently           */
    int32_t       at_best;  /* of them whose bound is within 1e-6 (relative) of the best         */
    int32_t       moves;    /* made from the best answer so far                                  */
    int32_t       improved; /* moves that found a better one                                     */
    int32_t       attempt;  /* the best one, from 0; moves are counted after the initialisations */
    int64_t       sampled;  /* rows of a large set that were searched first: the best answer for
                               them is the last initialisation, or the only one; 0: none        */
    const double *first;    /* L: phi* at the start of a best move; NULL: mb_session_seed has it */
    double        refused;  /* bound of the best answer, as far as its run went, that was not taken
                               since it has a component of rows far out (mb_wide.beyond), or of
                               few rows beside such, and the best has none; NaN: none was        */
    const double *sound;    /* L: phi* of the best answer without a weak component (mb_weak), as far
                               as its run went; NULL: none was found                             */
    int32_t       optima;   /* answers that were compared by rows held out; 0: none             */
    double        held_out; /* of the one that was chosen: mean predictive log density of them,
                               nats a row                                                        */
    double        of_best;  /* of the one with the best bound                                    */
    double        below;    /* by how much the bound of the one that was chosen is below, nats   */
} mb_found;
/* Of n_init initialisations the one whose bound, summed over the network, is best. On a central
 * case each, unless pruned, ends once its bound has no more than 1e-7 (relative) to gain or, after
 * 30 rounds (60 of plain VB), less than a tenth of what it lacks of the best, as its last gains
 * suggest, so that the best is still to be run to the end. n_init 0: auto; mb_case_starts, and if
 * that is 10 and fewer than three have the best bound, 40 moves: runs from the best answer so far
 * in which one component is split and two others are merged, drawn at random. Up to 1e6 of that
 * product moves are made however many agree, 15 if all do; up to 2e5 and 1000 rows until 200 in a
 * row find nothing better, at most 990, of which four in five give rows to other components. With
 * fewer than three components, own priors of components, or pruning, it is further
 * initialisations, up to 50 in all, until three have the best bound. Of larger sets (mb_case_starts
 * below 10) a sample is searched so: rows spread evenly, for each component 200 and 10 a column or
 * more, an eighth of all at most. The best answer for it begins one more initialisation, or the
 * only one. n_init 1: none is run. With
 * MB_PREFER_HELD_OUT there are n_init or mb_case_starts initialisations and no moves, and of their
 * optima, whose bounds differ by more than 1e-6 (relative), the one is chosen that predicts best
 * what it was not fitted to: five runs each, MB_E_NOSUP where processes share the rows. out->first
 * is in the arena. watch may be NULL; MB_STOP ends the search. */
MB_API mb_status mb_case_best(mb_arena *a, const mb_case *c, const mb_method *how,
                              const mb_start *start, double tol, int32_t n_init, mb_watch watch,
                              void *self, mb_found *out, mb_err *err) MB_CHECKED;
/* mb_session_seed with what a search has found. */
MB_API mb_status mb_session_begin(mb_session *s, const mb_start *start, const mb_found *found,
                                  mb_err *err) MB_CHECKED;

/* Options of mb_fit_run; mb_fit_defaults fills it. */
typedef struct mb_fit_opt {
    const mb_kind *kind;     /* default mb_kind_gmm                                              */
    const void    *kind_opt; /* e.g. mb_gmm_kind; NULL: defaults                                 */
    const mb_comm *comm;     /* processes; NULL: this one alone                                  */
    mb_case_opt    units;    /* of the case                                                      */
    mb_start       start;    /* default k-means with seed 0                                      */
    int32_t        n_init;   /* initialisations; default 0: auto, see mb_case_best               */
    mb_method      how;      /* algo NULL: central VB, mb_central_algo; rounds 5000              */
    mb_accelerate  accelerate; /* of central VB; default MB_ACCELERATE_AUTO                      */
    double         tol;   /* of the stopping rule, posterior standard deviations; default 3e-7 */
    mb_watch       watch; /* NULL: nobody watches                                             */
    void          *self;  /* first argument of watch                                          */
} mb_fit_opt;
/* The defaults. */
MB_API mb_fit_opt mb_fit_defaults(void);
/* The stages that a fit went through. They must not be moved. */
typedef struct mb_fit_stages {
    mb_pool   *pool;    /* threads                                                       */
    mb_place   place;   /* of the nodes                                                  */
    mb_case    nodes;   /* the case of the nodes                                         */
    mb_case    central; /* of central VB; zeroed when it was not needed                  */
    mb_session session; /* the run whose result is taken                                 */
} mb_fit_stages;
/* A fit. */
typedef struct mb_fit {
    mb_fit_stages *stages; /* for callers that want more than the posterior                     */
    mb_outcome     out;    /* how it ended                                                      */
    mb_posterior   posterior; /* of the network mean, canonical order, data units, ready to predict;
                               kind NULL when the mean is outside Omega or cannot predict        */
    mb_found       found; /* the initialisation it came from                                   */
    mb_weak        weak;  /* components of out.mean, in the order of out.order; of central VB  */
    mb_wide        wide;  /* the same of components of rows far out                            */
    double         sound; /* bound of found.sound at its rest, nats, data units; NaN: there is no
                               such answer, or no component is weak                              */
    double         one;   /* bound of one component (mb_case_one); NaN: not known              */
    mb_pruned
        pruned; /* zeroed without how.prune; stages->session.c is then the case of the result */
} mb_fit;
/* Fits a model to rows. net NULL: one node has them all, whatever the table says. opt NULL:
 * defaults. The result lives in the arena and in the session, until mb_fit_close. MB_STOP: `watch`
 * ended the search for an initialisation, and there is no result. */
MB_API mb_status mb_fit_run(mb_arena *a, const mb_network *net, const mb_table *table,
                            const mb_fit_opt *opt, mb_fit *out, mb_err *err) MB_CHECKED;
/* The posterior of one node, canonical order, data units, ready to predict. node: its place
 * among those of this process, from 0. MB_E_ARG: there is no such node; MB_E_DOMAIN: it has no
 * posterior. */
MB_API mb_status mb_fit_node(mb_arena *a, const mb_fit *fit, int32_t node, mb_posterior *out,
                             mb_err *err) MB_CHECKED;
/* What an answer has been made from, batch after batch. Zeroed: nothing is known. */
typedef struct mb_learnt {
    int64_t rows;   /* of all batches                                                            */
    double  weight; /* theirs, each batch's times the `forget` of all later ones; 0: not known   */
    double  bound;  /* lower bound over all rows so weighted, nats, data units; NaN: not known, as
                       after an update where the likelihood is not conjugate                    */
} mb_learnt;
/* Updates a former answer, which is ready to predict (mb_posterior_ready) and knows its prior, by a
 * batch of rows: a fit whose prior and initialisation are what it has learnt, weighted by `forget`
 * (above 0, at most 1; 1: nothing is forgotten), in its units (mb_case_opt.update). Kind, sizes and
 * choices are those of the former answer, whatever opt says; the columns must be its own by name,
 * in its order, targets in any place. A batch may have any number of rows, also one. Without latent
 * variables and with forget 1 any number of batches gives the answer of all rows at once up to
 * rounding; mixtures settle responsibilities batch by batch (docs/math.md, section 26). learnt: of
 * the former answer before, of the new one after; NULL: nobody asks. out->posterior is the former
 * answer of the next batch, as long as its arena and the names of its table live. MB_E_ARG: another
 * kind or columns, forget out of range, a prior that is not known; MB_E_NOSUP: a model whose prior
 * is not fixed (relevances), or a kind of the caller's own with options beyond its sizes. O(rows of
 * the batch) a round. */
MB_API mb_status mb_fit_partial(mb_arena *a, const mb_posterior *former, double forget,
                                const mb_table *rows, const mb_fit_opt *opt, mb_learnt *learnt,
                                mb_fit *out, mb_err *err) MB_CHECKED;
/* Options of p's kind that ask for its sizes, choices and targets, the others at their defaults, in
 * the arena. MB_E_NOSUP when the kind has options that its sizes do not tell. */
MB_API mb_status mb_posterior_options(mb_arena *a, const mb_posterior *p, void **out,
                                      mb_err *err) MB_CHECKED;
/* Ends threads and session; safe on a zeroed struct. */
MB_API void mb_fit_close(mb_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
