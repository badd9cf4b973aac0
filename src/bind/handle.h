/* bind/handle.h - what a handle of bind.h holds, and the parts that its functions share. */
#ifndef MB_BIND_HANDLE_H
#define MB_BIND_HANDLE_H

#include "meshbayes/bind.h"
#include "meshbayes/extend.h"

#include <stdatomic.h>

/* Options of fits and updates, beside those of the model and of the algorithm. */
typedef struct mb_bind_run_ {
    double  n_init, rounds; /* NaN: automatic */
    int64_t seed, threads, delay;
    double  tol, loss, loss_directed, silent;
    int32_t deal, init, prefer, prune, accelerate, stop, standardize, precision, on_domain, trace;
    int32_t send;
    const char *weights, *formula;
    int32_t     coding;
} mb_bind_run_;
extern const mb_opt mb_bind_run_options_[]; /* of mb_bind_run_ */

enum { MB_BIND_SETTINGS_ = 128 /* options that are not at their defaults */ };
/* An option as it was set. */
typedef struct mb_bind_setting_ {
    mb_arena     *a;   /* memory of the text */
    const mb_opt *row; /* of a table         */
    const char   *text;
} mb_bind_setting_;

/* Arrays that are given. */
enum {
    MB_BIND_X_,
    MB_BIND_Y_,
    MB_BIND_WEIGHT_,
    MB_BIND_GROUP_,
    MB_BIND_NODE_,
    MB_BIND_CENTRES_,
    MB_BIND_RESP_,
    MB_BIND_LABELS_,
    MB_BIND_ARRAYS_
};
/* An array with strides in bytes, borrowed; x NULL: none. */
typedef struct mb_bind_array_ {
    const char *x;
    int         type, ndim;
    int64_t     shape[2], stride[2];
} mb_bind_array_;
/* Texts that are given. */
enum { MB_BIND_COLUMNS_, MB_BIND_TARGETS_, MB_BIND_NODES_, MB_BIND_KINDS_, MB_BIND_TEXTS_ };
typedef struct mb_bind_texts_ {
    mb_arena          *a; /* NULL: none */
    int64_t            n;
    const char *const *text;
} mb_bind_texts_;

/* A network as it was asked for. */
typedef struct mb_bind_network_ {
    mb_arena   *a;    /* NULL: one machine */
    const char *spec; /* NULL: the links   */
    uint64_t    seed;
    int32_t     n, *ends;
    int64_t     m;
} mb_bind_network_;

/* The options of an algorithm of the caller's. */
typedef struct mb_bind_own_ {
    mb_bind_half emit, absorb;
    void        *self;
    int32_t      vectors;
} mb_bind_own_;

/* A list of texts that was asked for; they last as long as the handle. */
typedef struct mb_bind_listed_ {
    const char **text; /* NULL: not asked for yet */
    int64_t      rows, columns;
} mb_bind_listed_;
enum { MB_BIND_LISTS_ = 3 /* that are made once: models, algorithms, options */ };

/* Arrays of a node, once they were asked for. */
typedef struct mb_bind_view_ {
    struct mb_bind_view_ *next;
    int32_t               node; /* -1: network          */
    int32_t               of;   /* the posterior, its prior, scikit-learn's attributes */
    mb_array             *array;
    int32_t               n;
} mb_bind_view_;

/* A fit that is over, or a posterior that was read. */
typedef struct mb_bind_result_ {
    mb_arena        *a;        /* all of it but views                     */
    mb_arena        *views;    /* what was asked for                      */
    mb_bind_view_   *view;     /* arrays in it                            */
    mb_posterior     p;        /* of the network                          */
    int64_t          nodes;    /* 0: one machine                          */
    const char     **id;       /* nodes: their names                           */
    const double   **par;      /* nodes: their posteriors; NULL: there is none */
    double          *distance; /* nodes: from the mean, relative */
    double          *link;     /* nlink x 2: ends */
    int64_t          nlink;
    mb_provenance    from;
    mb_update_totals learnt;
    double           moved, disagreement;
    int64_t          outside, frames, bytes, n_init, at_best;
    double          *trace; /* ntrace x 2 */
    int64_t          ntrace;
    const char     **warning;
    int64_t          nwarning;
} mb_bind_result_;

/* A handle. */
struct mb_bind {
    mb_arena        *own;
    const mb_kind   *kind;  /* NULL: the handle is an error, `fault` */
    mb_err           fault; /* its option is static, or `named`      */
    char             named[64];
    atomic_int       stop;
    int32_t          busy;   /* 1: a fit is running                              */
    int32_t          inputs; /* columns that a formula makes of x; 0: none       */
    mb_bind_setting_ setting[MB_BIND_SETTINGS_];
    int32_t          nsetting;
    mb_bind_array_   array[MB_BIND_ARRAYS_];
    mb_bind_texts_   texts[MB_BIND_TEXTS_];
    mb_bind_network_ network;
    const mb_algo   *algo; /* NULL: central VB */
    mb_arena        *algo_a;
    mb_bind_own_     half;
    mb_bind_listed_  list[MB_BIND_LISTS_];
    mb_bind_result_ *now;       /* NULL: no result yet */
    const char     **answer[1]; /* room for the list of answers */
};

/* error.c: a call begins: no error. The error of a handle that is none, or that is busy. */
int mb_bind_begin_(mb_bind *b);
/* It ends; `option` (static) is what was wrong, NULL: what the library says, or the array in which
 * its cell is. Returns the status, > 0 as 0. */
int mb_bind_end_(mb_bind *b, mb_status st, const char *option);
/* The same, where a caller's name, of any length, was wrong. */
int mb_bind_end_named_(mb_bind *b, mb_status st, const char *name);
/* Names of options as its list has them: without the dashes of the command line, which texts of the
 * library have. */
void mb_bind_plain_(char *text);
/* The arrays are no longer the handle's. */
void mb_bind_forget_(mb_bind *b);
/* Both. */
int mb_bind_end_forget_(mb_bind *b, mb_status st);

/* result.c: r, made with status st, becomes what there is, and what was there is freed; after a
 * failure r is freed, which may be NULL. */
void mb_bind_result_take_(mb_bind *b, mb_bind_result_ *r, mb_status st);
/* An empty one, whose arena is its own. */
mb_status mb_bind_result_new_(mb_bind_result_ **out) MB_CHECKED;
/* MB_E_ARG: there is none. */
mb_status mb_bind_needs_result_(const mb_bind *b, mb_err *err) MB_CHECKED;
/* Frees it; NULL is allowed. */
void mb_bind_result_free_(mb_bind_result_ *r);
/* Views are no longer there. */
void mb_bind_views_drop_(mb_bind_result_ *r);
/* Their arena. MB_E_ARG: there is no result. */
mb_status mb_bind_views_(mb_bind *b, mb_arena **out, mb_err *err) MB_CHECKED;
/* A copy of p, with all it needs, that is ready to predict. */
mb_status mb_bind_copy_(mb_arena *a, const mb_posterior *p, mb_posterior *out,
                        mb_err *err) MB_CHECKED;
/* The posterior of a node, or -1 of the network, ready to predict, in the arena. */
mb_status mb_bind_posterior_(mb_bind *b, mb_arena *a, int32_t node, mb_posterior *out,
                             mb_err *err) MB_CHECKED;
/* A sentence more for the user; NULL: none. */
mb_status mb_bind_warn_(mb_bind_result_ *r, const char *text, mb_err *err) MB_CHECKED;

/* options.c: an option of this handle by name; *whose: "fit", the model's or an algorithm's name;
 * NULL: there is none. */
const mb_opt *mb_bind_option_(const mb_bind *b, const char *name, const char **whose);
/* Sets it (value NULL: its default). */
mb_status mb_bind_set_(mb_bind *b, const mb_opt *row, const char *value, mb_err *err) MB_CHECKED;
/* Defaults of the table (NULL: none), then what is set of it. */
mb_status mb_bind_options_(const mb_bind *b, const mb_opt *table, void *obj,
                           mb_err *err) MB_CHECKED;

/* rows.c: the rows that are given, d inputs and the targets: size of a posterior, or NULL, the
 * options: as many columns as there are. Values are checked where `size` is there. */
mb_status mb_bind_rows_(const mb_bind *b, mb_arena *a, const mb_posterior *p, mb_rows *out,
                        mb_err *err) MB_CHECKED;
/* A table of them, with names and kinds, by default those of an earlier posterior (NULL: none), and
 * what its design or the formula of `run` makes of them. kind_opt: to be completed by what they
 * say. */
mb_status mb_bind_table_(const mb_bind *b, mb_arena *a, const mb_bind_run_ *run,
                         const mb_posterior *earlier, void *kind_opt, mb_table *out,
                         mb_err *err) MB_CHECKED;
/* An array as rows of the library, in place. */
mb_status mb_bind_strided_(mb_arena *a, const mb_bind_array_ *v, mb_rows *out,
                           mb_err *err) MB_CHECKED;
/* A whole array of numbers, row-major. */
mb_status mb_bind_numbers_(mb_arena *a, const mb_bind_array_ *v, const double **out,
                           mb_err *err) MB_CHECKED;
/* The same of whole numbers. MB_E_ARG: another one. */
mb_status mb_bind_integers_(mb_arena *a, const char *name, const mb_bind_array_ *v,
                            const int32_t **out, mb_err *err) MB_CHECKED;

/* own.c: an algorithm of the caller's, in the arena. */
mb_status mb_bind_own_algo_(mb_arena *a, const char *name, const mb_bind_own_ *half,
                            const mb_algo **out, mb_err *err) MB_CHECKED;

/* plan.c: all that a fit is asked for. */
typedef struct mb_bind_plan_ {
    mb_bind_run_ run;
    mb_fit_opt   o;
    mb_table     table;
    mb_network  *net; /* NULL: one machine */
} mb_bind_plan_;
/* From what the handle was given. update 1: of one more batch of rows. */
mb_status mb_bind_plan_of_(mb_bind *b, mb_arena *a, int update, mb_bind_plan_ *out,
                           mb_err *err) MB_CHECKED;

#endif
