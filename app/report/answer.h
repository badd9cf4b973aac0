/* answer.h - the answer of a run as answer.json and the view files have it. */
#ifndef MB_REPORT_ANSWER_H
#define MB_REPORT_ANSWER_H

#include "meshbayes/meshbayes.h"
#include "report/parts.h"

enum { REPORT_VIEW = 4 /* columns of the pairs plot, at most */ };

/* One row of the data on the columns shown and on two principal components. */
typedef struct report_seen {
    double      x[REPORT_VIEW], pc[2]; /* NaN: not shown          */
    int64_t     component;             /* from 0                  */
    const char *label;                 /* its class; "": no class */
    int64_t     cls;                   /* of class_name; -1: none */
} report_seen;

typedef struct report_fitted {
    double fitted, observed, target; /* number of the target; NaN: the only one */
} report_fitted;

/* The effects in each group; matrices are shown x effects, row-major. */
typedef struct report_groups {
    int64_t       count, shown, effects;
    const char  **name;    /* shown; of each, NULL: it has none                              */
    const char  **effect;  /* effects                                                        */
    int32_t      *input;   /* effects: 1 of an input, 0 the intercept                        */
    int           centred; /* 1: an intercept is near the means of the inputs                */
    const double *rows, *target_mean; /* shown   */
    const double *mean, *low, *high;
    const double *new_mean, *new_low, *new_high; /* effects */
} report_groups;

/* A sequence: its first rows; NaN of `value`: none. */
typedef struct report_sequence {
    const char   *name; /* NULL: it has none */
    int64_t       rows, shown;
    const double *state, *gap, *value; /* shown */
} report_sequence;

/* The last rows of a series, and what comes next. Matrices are parts of the state x rows. */
typedef struct report_course {
    const char   *name; /* NULL: it has none */
    int64_t       rows, from, shown, steps;
    const double *value;          /* shown; NaN: a gap            */
    const double *mean, *sd;      /* parts x shown                */
    const double *next, *next_sd; /* steps                        */
} report_course;

/* Matrices are parts x columns, row-major; NULL where they do not apply. */
struct report_answer {
    const report_algo *algo;
    const char        *part, *note, *warning; /* NULL: nothing to warn of */
    int64_t            targets;               /* 0: none */
    const char       **target;                /* targets */
    int64_t            parts, columns;
    const char       **name;    /* parts; NULL: they are numbered from 0 */
    const char       **column;  /* columns                               */
    const double      *weight;  /* parts                                 */
    const double      *rows;    /* parts: expected rows                  */
    const char        *counted; /* what these are; NULL: rows            */
    const double      *mean, *sd, *low, *high;
    int                ranked;      /* 1: of each part the largest quantities count           */
    int64_t            groups_seen; /* groups of rows with local iterations; 0: there are none */
    double             iterations;  /* mean of these groups                                   */
    int64_t            most_iterations, capped, iteration_limit;
    const double      *rest;       /* columns: noise beside factors, a standard deviation */
    int64_t            classes;    /* 0: there are no labels                */
    const char       **class_name; /* classes                               */
    const double      *table;      /* parts x classes: rows                 */
    int32_t           *class_part; /* classes: whose colour it has          */
    const double      *r2, *rmse;  /* targets; NULL: none; r2 NaN: constant  */
    double             dispersion; /* of counts; 0: none                   */
    const double      *column_sd;  /* inputs, then the targets              */
    int64_t            inputs;
    int64_t            levels;             /* of a target that is a category; 0: it is none */
    const char       **level;              /* levels: the first is that of no coefficients  */
    double             accuracy, log_loss; /* of its levels, or of a flag; NaN: it has none      */
    const double      *confusion;          /* levels x levels (2 of a flag): observed, predicted */
    int64_t            bins;               /* of two levels: MB_CALIBRATION_BINS; else 0         */
    const double
           *bin; /* bins x 5: probability, observed share, its interval (NaN without rows), rows */
    int64_t lacking; /* rows that are not among those seen: no value in a column of the plot */
    int64_t ncol;    /* of the pairs plot                     */
    const char     **col;
    const double    *pair_mean, *pair_cov;           /* parts x ncol, lower triangles by rows */
    const double    *plane_mean, *plane_cov, *share; /* parts x 2, x 3; 2        */
    int64_t          tried, at_best;                 /* initialisations          */
    int64_t          moves, improved;                /* from the best, see mb_search_result */
    int64_t          sampled;                        /* see mb_search_result; 0: none       */
    int              safe;   /* all initialisations agree, and nothing speaks against the answer */
    int64_t          doubts; /* sentences against the answer */
    const char     **doubt;
    int64_t          optima; /* compared by rows held out; 0: none, see mb_search_result */
    double           held_out, of_best, below;
    int64_t          revealed; /* rows drawn as centres    */
    int64_t          nseen, nfitted;
    report_seen     *seen;
    report_fitted   *fitted;
    report_groups   *groups;               /* NULL: nothing varies by group */
    int64_t          nsequence, sequences; /* those that are shown, all; 0: rows have no states */
    report_sequence *sequence;
    const char      *drawn; /* the column whose values they have; NULL: none */
    int64_t          nseries, all_series, states; /* as of sequences; parts of their state */
    report_course   *series;
    const char     **state; /* states */
};

/* load.c: fills r->answer; NULL when there is no answer.json. */
mb_status report_load_answer(report *r, mb_err *err) MB_CHECKED;
/* 1 for a component that holds rows. */
int report_part_holds(const report_answer *a, int64_t k);
/* 1 for a column of shares, the probabilities of a level or that a flag is 1: answer.json has no sd
 * of it. */
int report_is_share(const report_answer *a, int64_t d);
/* 1 when the parts are coefficients, each with its interval. */
static inline int report_effects(const report_answer *a)
{
    return a->low && !a->weight;
}
/* 1 when each component is a regression: quantities are its coefficients. */
static inline int report_lines(const report_answer *a)
{
    return a->weight && a->target;
}
/* ranked.c: what the expected rows of parts are: the file is not trusted. */
const char *report_counted(const report_answer *a);
/* Parts whose quantities are many shares, of each the largest. */
void report_ranked(FILE *out, const report_answer *a);
/* How much column d separates the components: variance between them to variance within. */
double report_separation(const report_answer *a, int64_t d);
/* What sets component k apart from the others, in data units. */
void report_apart(FILE *out, const report_answer *a, int64_t k);
/* answer.c: the first section; its figures come from fig_answer.c. */
void report_answer_section(FILE *out, const report *r);
/* groups.c: after it, the groups in which effects vary. */
void report_groups_section(FILE *out, const report *r);
/* loadings.c: what factors say of columns. */
void report_loadings_section(FILE *out, const report *r);
/* sequences.c: the states of sequences over time. */
void report_sequences_section(FILE *out, const report *r);
/* series.c: level, slope, season and forecasts of series. */
void report_series_section(FILE *out, const report *r);
/* Level l of the target. */
const char *report_level(const report_answer *a, int64_t l);
mb_status   report_fig_answer(report *r, mb_err *err) MB_CHECKED;
/* load.c: a caption with a sentence on the rows that the figure lacks. */
const char *report_caption(const report *r, const char *caption, mb_err *err);
/* fig_sweep.c: the curve over K, when there is one. */
mb_status report_fig_sweep(report *r, mb_err *err) MB_CHECKED;
void      report_sweep_table(FILE *out, const report *r);
mb_status report_fig_regression(report *r, mb_err *err) MB_CHECKED;
/* fig_regression.c: of a target with two levels. */
mb_status report_fig_calibration(report *r, mb_err *err) MB_CHECKED;
/* fig_profiles.c: for components of three columns or more, or of categories. */
mb_status report_fig_profiles(report *r, mb_err *err) MB_CHECKED;
/* cost.c: bytes against moving the rows along a tree; nothing without a network. */
mb_status report_load_move(report *r, mb_err *err) MB_CHECKED;
/* 1 when some algorithm sent messages. */
int  report_sends(const report *r);
void report_cost(FILE *out, const report *r);

#endif
