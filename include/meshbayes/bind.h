/* meshbayes/bind.h - fits and posteriors for other languages: one handle, texts and arrays. It is
 * the only binary interface that stays compatible, and no binding needs another header. */
#ifndef MESHBAYES_BIND_H
#define MESHBAYES_BIND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MB_API
#if defined(__GNUC__)
/* Marks what the library exports; everything else is hidden. */
#define MB_API __attribute__((visibility("default")))
#else
#define MB_API
#endif
#endif

/* What holds for all functions.
 *
 * Results: 0, or the negative number of an mb_status (meshbayes.h has the list): -1 no memory, -2
 * wrong argument, -3 outside the domain, -4 not finite, -5 sizes do not agree, -7 malformed, -9 not
 * supported, -10 stopped. mb_bind_error says the rest. After an error the handle has what it had.
 *
 * Owners: what a handle returns is its own, and lasts until the next fit, update, add_statistics or
 * array of this handle, or its end; a binding copies it. Texts that are given are copied. Arrays
 * that are given are read in place, with any strides, until the next fit, update, predict, score or
 * statistics has returned, which then forgets them; those that are options of the model
 * ("prior.mu0") are copied at once.
 *
 * Threads: a handle is used by one thread at a time, but for mb_bind_stop. Handles have nothing in
 * common: any number may work at once, one in the tick of another, and in a process that was
 * forked. No signal handler, no global state.
 *
 * Functions of the caller's that are called here, ticks and algorithms, return: they neither throw
 * an exception nor jump out. */

/* Everything that a binding holds; its struct is private. */
typedef struct mb_bind mb_bind;

/* What the items of an array are. */
enum {
    MB_BIND_F8 = 0,  /* double           */
    MB_BIND_F4 = 1,  /* float            */
    MB_BIND_I8 = 2,  /* int64_t          */
    MB_BIND_I4 = 3,  /* int32_t          */
    MB_BIND_U1 = 4,  /* uint8_t          */
    MB_BIND_TEXT = 5 /* const char *: UTF-8, only out of a handle */
};

/* The version of the library, "MAJOR.MINOR.PATCH". Static. */
MB_API const char *mb_bind_version(void);

/* A handle for a model of the list, "gmm" and so on; NULL: the default one. NULL only without
 * memory: another error is in the handle, whose calls then all return it. */
MB_API mb_bind *mb_bind_new(const char *model);
/* A handle with the posterior of a JSON text of n bytes, which are not trusted: what mb_bind_json
 * and the program write. Errors as of mb_bind_new; -9 in a build without jansson. Absent from a
 * library without stdio. O(n). */
MB_API mb_bind *mb_bind_from_json(const char *text, size_t n);
/* Frees it; NULL is allowed. */
MB_API void mb_bind_free(mb_bind *b);

/* How the last call of this handle that can fail ended: 0 or the error. text: one line, "" after
 * success; of a formula that cannot be read two more, the formula and a caret below the place.
 * option: the option or array that is wrong; "": none. row, column: where, from 0; -1: nowhere. All
 * may be NULL. */
MB_API int mb_bind_error(const mb_bind *b, const char **text, const char **option, int64_t *row,
                         int64_t *column);
/* Sentences on the result that a user should read; returns how many. */
MB_API int64_t mb_bind_warnings(const mb_bind *b, const char *const **text);

/* What there is, as a table of texts, row by row: how many rows and columns. what:
 *     "models"      name, title, class of an estimator ("": none), which rows are in groups ("":
 *                   none, "always", or "OPTION=CHOICE", those that this asks for), "gaps" where
 *                   rows may have NaN ("": they may not), the algorithm for networks where none
 *                   is asked for
 *     "algorithms"  name, title
 *     "options"     of this model, all algorithms and fits: name, whose ("fit", the model's or
 *                   the algorithm's name), type ("real", "auto": a number or a word, "integer",
 *                   "text", "choice", "flag"), default ("": none), least, most, choices ("a|b",
 *                   "a=x|b": x is a), unit, scikit-learn's name, help
 *     "answers"     what mb_bind_predict can say at these options, the usual one first: name
 *     "formula"     the columns that the option formula names: name, and "input", "response" (what
 *                   y is to be) or "group"; "." with "inputs" stands for all others
 * Lasts until the end of the handle. -2 for another word. */
MB_API int mb_bind_list(mb_bind *b, const char *what, const char *const **text, int64_t *rows,
                        int64_t *columns);

/* Sets an option of the list by a text; NULL: its default again. -2 names the option and what is
 * accepted. "_" and "-" are alike in names. Holds for the following fits and updates. */
MB_API int mb_bind_set(mb_bind *b, const char *name, const char *value);
/* Gives an array: ndim (1 or 2) sizes, strides in bytes (any, also negative), the first item.
 *     "x"                 n x d, or n: rows. Numbers that are not finite are refused, but NaN where
 *                         the model has no need of a value (all mixtures without groups)
 *     "y"                 n or n x T: targets, of a model that explains any; without it they are
 *                         the last columns of x
 *     "sample_weight"     n: >= 0
 *     "group"             n: a row whose number is not that of the row before begins a group
 *     "node"              n: 0 to nodes - 1; without it the option deal decides
 *     "centres"           K x d: the initialisation
 *     "responsibilities"  n x K: the same
 *     "labels"            n: the same, 0 to K - 1
 *     an option of the model that is a text of numbers, as "prior.w0inv": these numbers
 * x NULL: this array no longer; name NULL: no array. */
MB_API int mb_bind_array(mb_bind *b, const char *name, int type, int32_t ndim, const int64_t *shape,
                         const int64_t *stride, const void *x);
/* Gives n texts, for the following calls; n 0: none.
 *     "columns"  names of the columns of x         "targets"  of those of y
 *     "nodes"    names of the nodes
 *     "kinds"    of each column of x and then y: "number", "count", "flag", "category(f|m)", whose
 *                numbers are those of the words, from 0
 * Inputs of a regression that are categories are coded, an offset or exposure that is not the last
 * column of x becomes the last feature, and the option formula, as R writes it, makes inputs of the
 * columns of x; "group" is what (1 | site) names. Rows for such a posterior have y as an array of
 * its own, and columns that are found by these names or, without, as x1, x2, ..; where they are
 * not, they are those that its JSON lists, in that order. */
MB_API int mb_bind_texts(mb_bind *b, const char *name, int64_t n, const char *const *text);
/* The network of the following fits: of a description such as "ring:n=10", drawn by the seed; or,
 * spec NULL, of n nodes and m links, ends (m x 2) from 0; n 0: one machine alone. -2: it is not
 * understood; the fit refuses one that is not connected. */
MB_API int mb_bind_network(mb_bind *b, const char *spec, uint64_t seed, int32_t n, int64_t m,
                           const int32_t *ends);

/* A node as an algorithm of the caller's sees it. Members may be added at the end. */
typedef struct mb_bind_node {
    int64_t              len;      /* numbers of each vector                                      */
    int64_t              t;        /* round, from 1                                               */
    int32_t              id;       /* of the node, from 0                                         */
    int32_t              deg;      /* neighbours                                                  */
    double               scale;    /* nodes of the network                                        */
    const double        *prior;    /* len: phi without rows                                       */
    const double        *phi_star; /* len: of the last local step, prior + scale times statistics */
    double              *phi;      /* len: the node's estimate, which the algorithm moves         */
    double              *state;    /* vectors x len: the algorithm's own, zero at first           */
    double              *message;  /* len: what the node sends; absorb reads what it has sent     */
    const double *const *received; /* deg: the newest message of each neighbour; NULL: none yet.
                                      In emit NULL                                                */
    const uint8_t       *fresh;    /* deg: 1 when it came in this round; in emit NULL             */
    const double        *weight;   /* deg: combination weights; in emit NULL                      */
    double weight_self;            /* of the node itself                                          */
} mb_bind_node;
/* One half of a round: 0 continue, 1 (emit alone) send nothing, other: the caller's error, with
 * which the fit ends (-2). */
typedef int (*mb_bind_half)(void *self, const mb_bind_node *node);
/* The algorithm of the following fits: one of the list, NULL or "cvb" for central VB; with emit and
 * absorb one of the caller's own of that name, which has `vectors` vectors of state a node and is
 * called by one thread, in the order of the nodes. */
MB_API int mb_bind_algorithm(mb_bind *b, const char *name, mb_bind_half emit, mb_bind_half absorb,
                             int32_t vectors, void *self);

/* Called after each round: attempt from 0, -1: of the run whose result is taken; t: rounds of it;
 * bound: the lower bound, nats, data units, NaN: not known. 0 continue; 1 stop with what there is;
 * other: the caller's error, and there is no result. */
typedef int (*mb_bind_tick)(void *self, int32_t attempt, int64_t t, double bound);
/* Fits to the arrays that were given. tick may be NULL. -10: stopped before there was a result, or
 * the tick's error. Costs what `meshbayes fit` and `sim` cost, and has their numbers to the bit. */
MB_API int mb_bind_fit(mb_bind *b, mb_bind_tick tick, void *self);
/* Ends the work of this handle soon, from any thread or a signal handler; a fit keeps what there
 * is. The next call that works begins without. */
MB_API void mb_bind_stop(mb_bind *b);
/* Learns the rows that were given as one more batch; what was learnt before counts `forget` times,
 * above 0, at most 1. */
MB_API int mb_bind_update(mb_bind *b, double forget, mb_bind_tick tick, void *self);

/* Sums over the rows that were given at the posterior: s has *len numbers (s NULL: only *len),
 * *logz the sum of ln Z, nats, data units, *weight of the rows. Sums of several handles that have
 * the same posterior, as by JSON, add up to those of all their rows. -9: sums alone do not give the
 * next posterior. */
MB_API int mb_bind_statistics(mb_bind *b, int64_t *len, double *s, double *logz, double *weight);
/* One step of central VB from such sums over all rows, which are `rows`: get then says "bound"
 * (before the step) and "moved", and has no "verdict". -5 for another len. */
MB_API int mb_bind_add_statistics(mb_bind *b, int64_t len, const double *s, double logz,
                                  double weight, int64_t rows);

/* A thing of the result: of a node (from 0) or, node -1, of the network. *type, *ndim sizes in
 * shape, *x: MB_BIND_F8, MB_BIND_I8 or, const char *const *, MB_BIND_TEXT.
 *     parameters of the posterior, as in its JSON: "weights", "means", ..; "prior.means", ..
 *     scikit-learn's attributes: "sklearn.means_", ..
 *     "bound" "rounds" "weight_total" "moved" "disagreement" "outside" "frames" "bytes" "n_init"
 *     "at_best" "rows"  numbers, "distance" (nodes) from the mean, relative
 *     "links"           links x 2: two nodes of each, from 0, of the network that was fitted on
 *     "trace"           rounds x 2: round and bound, with the option trace
 *     "model" "algorithm" "verdict" "columns" "targets"  texts
 *     "parameters" "prior.parameters" "sklearn.parameters"  names of these
 *     "inputs"          columns of x, where a formula or categories make "columns" of them
 *     "names.ANSWER"    columns of an answer; "names.draws" of draws
 * -2: there is no such thing; -3: the node has no posterior. */
MB_API int mb_bind_get(mb_bind *b, int32_t node, const char *name, int *type, int32_t *ndim,
                       int64_t shape[3], const void **x);
/* An answer (mb_bind_list) for the rows that were given: shape[0] x shape[1] numbers into out, data
 * units; out NULL: only the shape. level: probability of intervals, else not read. ahead: rows of a
 * forecast, else 0. Of rows in groups y may be given, NaN for those to predict from the others. */
MB_API int mb_bind_predict(mb_bind *b, int32_t node, const char *what, double level, int32_t ahead,
                           double *out, int64_t shape[2]);
/* The mean log density of the rows that were given, nats a row, and their weight. expected 0:
 * ln p(row | data); 1: scikit-learn's, the E-step's. each: n, the density of each row, or NULL; of
 * groups with expected 1 that of each group, then NaN. Predictions, scores and samples are made by
 * as many threads as the option `threads` says, with the same bits. */
MB_API int mb_bind_score(mb_bind *b, int32_t node, int expected, double *mean, double *weight,
                         double *each);
/* Rows (parameters 0) of the predictive distribution, or (1) draws of the parameters, number first
 * to first + n - 1 by the seed, data units: shape[0] x shape[1] numbers; out NULL: only the shape.
 * component: n, of each row, from 0, or NULL. -9: the model has none. */
MB_API int mb_bind_sample(mb_bind *b, int32_t node, int parameters, uint64_t seed, int64_t first,
                          int64_t n, double *out, int64_t *component, int64_t shape[2]);
/* The posterior as JSON, as files have it: n bytes and a 0. Absent from a library without stdio. */
MB_API int mb_bind_json(mb_bind *b, int32_t node, const char **text, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
