/* meshbayes/kind.h - a model as its users know it: name and options, units, prior, and the names of
 * what its posterior holds. mb_model is what remains of it for the loop: expected statistics.
 *
 * A model is one .c file that ends in one `const mb_kind`, a line here, a line in model/list.c. */
#ifndef MESHBAYES_KIND_H
#define MESHBAYES_KIND_H

#include "meshbayes/column.h"
#include "meshbayes/model.h"
#include "meshbayes/opt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns in units of their own: z = (x - origin)/scale. */
typedef struct mb_units {
    int32_t  d;            /* columns                                                     */
    double  *origin;       /* d                                                           */
    double  *scale;        /* d, > 0                                                      */
    uint8_t *constant;     /* d: 1 for a column with one value only; NULL: not known      */
    double   log_jacobian; /* ln density in data units = ln density in these - this, nats */
} mb_units;

enum { MB_CHOICES_MAX = 4 /* that a kind may have */ };
/* The sizes that, with the kind, determine the layout of a posterior. */
typedef struct mb_sizes {
    int32_t K;         /* components; 0 for a kind that has none                          */
    int32_t D;         /* inputs: columns without the targets                             */
    int32_t targets;   /* columns that are explained, the last ones; 0: one, of a kind that
                          explains any (mb_kind_targets)                                  */
    int32_t intercept; /* 1: a coefficient of the constant 1 precedes those of the inputs */
    int32_t choice[MB_CHOICES_MAX]; /* the word of each of mb_kind::choices, from 0; 0: no such */
    const mb_columns *columns;      /* what the D columns are, and after them a target that is a
                                  category; NULL: all are numbers                              */
} mb_sizes;
/* How many columns are of this kind. */
MB_API int32_t mb_sizes_count(const mb_sizes *s, mb_column_kind kind);
/* Sum of the levels of all categories and flags. */
MB_API int32_t mb_sizes_levels(const mb_sizes *s);
/* A choice among forms of a model that its posterior remembers, beside the sizes. */
typedef struct mb_choice {
    const char        *name;   /* in files and in bindings: "covariance_type"                 */
    const char        *option; /* of the kind's table, that asks for it: "covariance-type"    */
    const char *const *word;   /* its words, ends with NULL; files without it have the first  */
} mb_choice;

/* What the last dimension of an array runs over, where it is not symmetric. */
typedef enum mb_over {
    MB_OVER_INPUTS,  /* the D columns, or nothing of the columns                          */
    MB_OVER_NUMBERS, /* the columns of numbers                                            */
    MB_OVER_COUNTS,  /* the columns of counts                                             */
    MB_OVER_LEVELS   /* the levels of each category and flag, one column after the other  */
} mb_over;
/* A named array within a flat vector: textbook parameters (mb_posterior::par), the numbers derived
 * from them, or one draw of the parameters. The array consists of items `step` apart: one for each
 * index of the first dimension, or a single one when there is none (ndim 0, or 2 when symmetric).
 * An item is stored row-major, its numbers `inner` apart; a symmetric matrix as its lower triangle
 * by rows. */
typedef struct mb_field {
    const char *key;       /* name in files and in bindings: "means"                          */
    int32_t     ndim;      /* dimensions, 0 to 3                                              */
    int32_t     shape[3];  /* ndim of them                                                    */
    int32_t     symmetric; /* 1: the last two dimensions are a symmetric matrix               */
    int32_t derived;   /* 1: at and step are places in the output of mb_kind::derive, not in par */
    int32_t optional;  /* 1: only there when mb_sizes::intercept is 1                     */
    int32_t absent;    /* 1: not there at these sizes; null in files                      */
    int32_t bounded;   /* 1: every number must be above `above`                           */
    double  above;     /* lower limit, exclusive                                          */
    double  improper;  /* of a prior, which may be improper: how far below `above` it may be */
    size_t  at;        /* doubles before the first item                                   */
    size_t  step;      /* doubles from one item to the next                               */
    size_t  inner;     /* doubles from one number of an item to the next; 0: 1            */
    int32_t over;      /* mb_over: what its last dimension runs over                      */
    int32_t by_target; /* 1: its first dimension runs over the targets; of one that is a category
                          over its levels but the first                                */
} mb_field;
enum { MB_FIELDS_MAX = 16 /* that a kind may have */ };
/* Names of what the last dimension of f runs over, *n of them: those of the columns, "sex=f" for
 * levels. column: names of the D columns. */
MB_API mb_status mb_field_names(mb_arena *a, const mb_field *f, const mb_sizes *s,
                                const char *const *column, const char *const **out, int32_t *n,
                                mb_err *err) MB_CHECKED;
/* Items of a field. */
MB_API size_t mb_field_items(const mb_field *f);
/* Numbers of an item where it is stored. */
MB_API size_t mb_field_stored(const mb_field *f);
/* Where number l of item k is stored. */
static inline size_t mb_field_at(const mb_field *f, size_t k, size_t l)
{
    return f->at + k * f->step + l * (f->inner ? f->inner : 1);
}
/* Numbers of the whole array. */
MB_API size_t mb_field_size(const mb_field *f);

/* What the items of an array are. */
typedef enum mb_item {
    MB_ITEM_REAL,    /* real numbers   */
    MB_ITEM_INTEGER, /* whole numbers  */
    MB_ITEM_BOOL,    /* 0 or 1         */
    MB_ITEM_TEXT     /* texts          */
} mb_item;
/* A named array, row-major: what files and bindings exchange. */
typedef struct mb_array {
    const char        *name;     /* static or borrowed from the arena */
    int32_t            ndim;     /* 0 to 3                            */
    int64_t            shape[3]; /* ndim of them                      */
    const double      *x;        /* NULL: absent, or texts            */
    mb_item            item;     /* what the numbers are              */
    const char *const *text;     /* MB_ITEM_TEXT: shape[0] texts, UTF-8; ndim 0: one */
} mb_array;

/* How the run ended that a posterior is from, as far as that is known. */
typedef struct mb_ended {
    int32_t settled;      /* 1, 0; -1: not known                                          */
    int64_t rounds;       /* made; -1: not known                                          */
    double  bound;        /* lower bound over all rows, nats, data units; NaN: not known  */
    double  weight_total; /* of all rows                                                  */
} mb_ended;

/* A column of a listing. */
typedef struct mb_listed {
    const char *name;   /* heading                                                         */
    char        form;   /* 's': the listing's label; 'd': whole number; 'f', 'g': printf's */
    int32_t     width;  /* characters; negative: flush left                                */
    int32_t     digits; /* precision of the form; for 's' the most characters shown        */
} mb_listed;
/* A small table for people, or for programs that read the names. */
typedef struct mb_listing {
    int32_t            rows;    /* of the table                                          */
    int32_t            columns; /* of the table                                          */
    const mb_listed   *column;  /* columns                                               */
    const char *const *label;   /* rows: texts of the column of form 's'; NULL: none     */
    double            *x;       /* rows x columns; NaN: no value                         */
    int32_t            more;    /* 1: there are columns that are not listed              */
    const char        *note;    /* a line below the table; NULL: none                    */
} mb_listing;

/* What a posterior says of the parts of its model, for people: the components of a mixture, the
 * coefficients of a regression. Data units. Matrices are rows x columns, row-major; NULL: none. */
typedef struct mb_summary {
    const char        *part;    /* what a row is: "component", "coefficient"                     */
    int32_t            rows;    /* parts                                                         */
    int32_t            columns; /* quantities of each part                                       */
    const char *const *label;   /* rows: names of the parts; NULL: they are numbered from 0      */
    const char *const *name;    /* columns: names of the quantities                              */
    const double      *weight;  /* rows: expected share of the rows of data, 0 to 1              */
    const double *count;   /* rows: expected rows (or groups) of data, by weight; NaN: not known */
    const double *mean;    /* each quantity's mean                                          */
    const double *sd;      /* its standard deviation, of a component: among its rows of data,
                                   of a coefficient: of the posterior; NaN: it has none          */
    const double *low;     /* where its central 95 % interval begins: of coefficients, and of
                                   shares of levels and flags; NaN: it has none                  */
    const double *high;    /* where it ends                                                 */
    const char   *note;    /* a sentence on what else was found                             */
    const char   *counted; /* what `count` counts: "rows", "groups"                         */
    const char   *warning; /* on which parts not to rely, a sentence without its full stop; NULL:
                              nothing                                                            */
} mb_summary;

/* 1 when the parts are coefficients: one quantity of each, with its interval. */
static inline int mb_summary_effects(const mb_summary *u)
{
    return u->low && !u->weight;
}

/* One component of a mixture on two columns, data units. */
typedef struct mb_component {
    double weight;  /* expected share, 0 to 1                  */
    double mean[2]; /* of the two columns                      */
    double cov[3];  /* expected covariance: xx, xy, yy         */
} mb_component;

/* A posterior in data units with its components in canonical order (mb_posterior_order). A plain
 * struct: the first group of members suffices to list, compare names, store and look at it; the
 * second, which mb_posterior_ready fills, is what prediction needs. Nothing is owned. */
typedef struct mb_posterior {
    const struct mb_kind *kind;      /* static                                                   */
    mb_sizes              size;      /* of par                                                   */
    const char           *name;      /* what messages call it, e.g. its file                     */
    const char *const    *column;    /* D names of the inputs                                    */
    const char *const    *target;    /* names of the targets; NULL: the kind has none            */
    size_t                len;       /* numbers of par                                           */
    const double         *par;       /* textbook parameters, data units                          */
    const double         *prior_par; /* the same of the prior; NULL: not known                   */
    const mb_model       *model;     /* its layout; its own prior is a default, not prior_par    */

    mb_units units; /* where the model computes: middle and spread of the posterior itself,
                       so that data far from the origin lose no digits; targets last       */
    double  *phi;   /* natural parameters there; NULL: not ready to predict                */
} mb_posterior;

/* A model with its prior, as mb_kind::prior makes it. */
typedef struct mb_prior {
    mb_model    model;   /* in run units                                                         */
    double     *par;     /* textbook parameters of the prior, data units (layout.len); NULL: those
                            of the model's prior, moved there                                    */
    const char *warning; /* what people must know of it, a sentence without its full stop; NULL:
                            nothing                                                              */
} mb_prior;

/* An option that is given as numbers. */
typedef struct mb_numbers {
    const char   *name; /* of the option of the table that it wins over */
    const double *x;    /* n; NULL: not given so                        */
    size_t        n;    /* numbers                                      */
} mb_numbers;
enum { MB_NUMBERS_MAX = 4 /* that a kind may have */ };

/* A kind of model. Everything is static; functions are pure. opt: a struct of opt_size bytes that
 * the table opts describes; it may come from mb_opt_defaults, the command line or C code. */
typedef struct mb_kind {
    const char      *name;     /* as in --model and in posterior files: "gmm"                  */
    const char      *title;    /* one line for help and reports                                */
    const mb_opt    *opts;     /* its options, ends with a NULL name; NULL: none               */
    size_t           opt_size; /* bytes of its option struct                                   */
    const mb_choice *choices;  /* its choices, ends with a NULL name; NULL: none             */
    const char      *groups;   /* what asks for rows in groups (mb_rows.first): an option and the
                                  second word of its choice, "gmm.unit=group"; NULL: nothing    */
    int32_t          latent;   /* 1: rows have components, so a run needs an initialisation    */
    int32_t          target;   /* 1: the last columns are explained by the others              */
    int32_t          several;  /* 1: there may be more than one of them                        */
    /* What the target is: a flag, of which MB_WANT_MEAN_VAR says the probability; a category, whose
     * inputs are numbers; a flag is a category where mb_sizes::columns has the names of its levels.
     * NULL: a number. */
    mb_column_kind (*explains)(const mb_sizes *s);
    int32_t gaps;  /* 1: rows may have gaps (mb_rows.gaps), which are integrated out;
                                  every column has a density in run units                      */
    int32_t mixed; /* 1: it takes columns of every kind; 0: all columns are numbers    */

    /* The sizes that the options ask for; columns: those of the rows, with the targets. */
    void (*sizes)(const void *opt, int32_t columns, mb_sizes *out);
    /* Names of the targets' columns as the options give them, with commas between several; NULL:
     * the last columns. NULL when target is 0. */
    const char *(*target_column)(const void *opt);
    /* Options behind pointers to numbers; returns how many, at most MB_NUMBERS_MAX. NULL: none. */
    int32_t (*numbers)(const void *opt, int32_t columns, mb_numbers *out);
    /* 1 when all columns need one scale. NULL: each has its own. */
    int32_t (*one_scale)(const mb_sizes *s);
    /* The units that the run computes in at these sizes, from the agreed ones (*run is a copy of
     * those): origins that must stay 0, the Jacobian of what has a density. NULL: as they are. */
    void (*units)(const mb_sizes *s, mb_units *run);
    /* The model with its prior; *out is zeroed before. seen: the moments of all rows, with their
     * covariance when `sees` says so. MB_E_ARG names the option that is wrong as the command line
     * spells it. NULL: `model` in run units. */
    mb_status (*prior)(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err);
    /* 1 when the prior that these options ask for is made from the covariance of the rows, which
     * the network then sums and thereby reveals. NULL: never. */
    int32_t (*sees)(const void *opt);
    /* Of a kind whose start, units and prior leave out rows that are far: how many robust standard
     * deviations (mb_agree_limits); 0: none is far. NULL: never. */
    double (*trims)(const void *opt);

    /* The initialisation that the nodes of a mesh agree on: a block of numbers that the kind makes
     * and reads (mixtures: K x D centres, data units). All four NULL for a kind that needs none.
     * start_len: how many numbers. */
    size_t (*start_len)(const mb_sizes *s);
    /* Makes the block from a few rows that stand for all (data units, weighted, target last), in
     * one thread and from the seed alone. run: units of the run. MB_E_ARG when there are fewer rows
     * of positive weight than components. What it puts into draft may be freed afterwards: mixtures
     * at most 48 n + 48 K (D + 1) + 400 D + 6144 bytes for n <= 4096 rows, and nothing into a. */
    mb_status (*start_from)(mb_arena *a, mb_arena *draft, const mb_sizes *s, const mb_units *run,
                            const mb_rows *sample, uint64_t seed, double *start, mb_err *err);
    /* Responsibilities (n x K) of rows in data units from the block, for mb_seed_step. */
    void (*start_resp)(const mb_sizes *s, const mb_units *run, const double *start,
                       const mb_rows *rows, double *resp);
    /* The block from textbook parameters, data units. */
    void (*start_of)(const mb_sizes *s, const double *par, double *start);

    /* The inverse of the link: the mean of a target at eta, for MB_WANT_RANGE. NULL: there is no
     * link. */
    double (*mean_at)(const mb_sizes *s, double eta);
    /* What mb_posterior_predict offers, the usual one first (beside MB_WANT_LOGPDF); of a target
     * with levels mb_kind_wants decides. */
    const mb_want *wants;
    int32_t        nwants; /* of them */
    /* The model of these sizes with its default prior. MB_E_ARG names the size that is wrong. */
    mb_status (*model)(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err);
    /* The textbook parameters and what is derived from them, in the order of files; each number of
     * par belongs to one field that is not derived. Returns how many, at most MB_FIELDS_MAX. */
    int32_t (*fields)(const mb_sizes *s, mb_field *out);
    /* The numbers that follow from par, those of the derived fields without gaps; a field that has
     * no value is NaN. MB_E_DOMAIN when par is outside the domain. NULL: no field is derived. */
    mb_status (*derive)(mb_arena *a, const mb_sizes *s, const double *par, double *out,
                        mb_err *err);
    /* One draw of the parameters (mb_random) as fields. With components each field has K items, or
     * is a number or a symmetric matrix that all components have in common. NULL: no sampling. */
    int32_t (*drawn)(const mb_sizes *s, mb_field *out);
    /* Middle and spread of the columns as the posterior knows them. out: origin and scale (D, and
     * those of the targets) are there to be filled, log_jacobian too. NULL: 0 and 1. */
    void (*own_units)(const mb_sizes *s, const double *par, mb_units *out);
    /* 1 when component a precedes b in the canonical order. NULL: it has no components. */
    int (*before)(const mb_sizes *s, const double *par, int32_t a, int32_t b);
    /* All components on columns x and y (which may be equal). out: K. NULL: it has none. */
    void (*components_on)(const mb_sizes *s, const double *par, int32_t x, int32_t y,
                          mb_component *out);
    /* Part by part (component, coefficient) what p is and what q, of the same layout, is. other: K,
     * the component of q that matches each of p. NULL: nothing. */
    mb_status (*beside)(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                        const int32_t *other, mb_listing *out, mb_err *err);
    /* The parts of the answer for people: reports and printed results are made from them. phi may
     * be NULL. out: weight, mean and sd as components_on gives them, to be completed or replaced,
     * zeroed without components_on. NULL: they remain so, or are made of the fields. */
    mb_status (*summary)(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err);
    /* The attributes of scikit-learn's estimator of this kind, *count of them; those that need what
     * is not known of the run are left out. MB_E_ARG without prior_par. NULL: it has none. */
    mb_status (*sklearn)(mb_arena *a, const mb_posterior *p, const mb_ended *run, mb_array **out,
                         int32_t *count, mb_err *err);
} mb_kind;

/* All fields of par, derived ones too, as arrays in the order of files, *count of them. Memory and
 * time are those of the full arrays. MB_E_ARG when par is NULL (a prior that is not known),
 * MB_E_DOMAIN when nothing can be derived from it. */
MB_API mb_status mb_kind_arrays(mb_arena *a, const mb_kind *kind, const mb_sizes *s,
                                const double *par, mb_array **out, int32_t *count,
                                mb_err *err) MB_CHECKED;

/* 1 when rows come in groups at these sizes. */
MB_API int mb_kind_grouped(const mb_kind *kind, const mb_sizes *s);
/* The sizes that the options ask for with these columns (NULL: all are numbers): those of
 * mb_kind::sizes, and `columns` for a kind that takes them. */
MB_API void mb_kind_sizes(const mb_kind *kind, const void *opt, int32_t d,
                          const mb_columns *columns, mb_sizes *out);
/* How many columns are explained at these sizes. */
static inline int32_t mb_kind_targets(const mb_kind *kind, const mb_sizes *s)
{
    return kind->target ? (s->targets ? s->targets : 1) : 0;
}
/* What a value of a column must be instead: of a kind of mb_sizes::columns, or a target that is a
 * flag or a count; NULL: it may be that. */
MB_API const char *mb_kind_refuses(const mb_kind *kind, const mb_sizes *s, int32_t column,
                                   double x);
/* 1 when there is one target, a category: size.columns has its levels. */
MB_API int mb_kind_category(const mb_kind *kind, const mb_sizes *s);
/* 1 when the target may have levels with names: it is a category, or a flag. */
MB_API int mb_kind_takes_levels(const mb_kind *kind, const mb_sizes *s);
/* The levels of such a target, NULL: there is none, or they are not known. */
MB_API const mb_column *mb_kind_levels(const mb_kind *kind, const mb_sizes *s);
/* 1 when the kind takes columns that are no numbers at these sizes. */
MB_API int mb_kind_mixed(const mb_kind *kind, const mb_sizes *s);
/* What mb_posterior_predict offers at these sizes, *n of them, the usual one first. */
MB_API const mb_want *mb_kind_wants(const mb_kind *kind, const mb_sizes *s, int32_t *n);
/* How many choices a kind has. */
MB_API int32_t mb_kind_choices(const mb_kind *kind);
/* The word of choice c at these sizes. */
MB_API const char *mb_kind_word(const mb_kind *kind, const mb_sizes *s, int32_t c);
/* The first choice in which the two differ; -1: they are the same. */
MB_API int32_t mb_kind_differs(const mb_kind *kind, const mb_sizes *s, const mb_sizes *t);

/* 1 when all columns need one scale at these sizes. */
static inline int mb_kind_one_scale(const mb_kind *kind, const mb_sizes *s)
{
    return kind->one_scale && kind->one_scale(s);
}

/* mb_kind::units of a kind whose columns are neither moved nor scaled. */
MB_API void mb_units_of_data(const mb_sizes *s, mb_units *run);

/* All of them, NULL-terminated. */
MB_API const mb_kind *const *mb_kind_list(void);
/* By name; NULL: there is none. */
MB_API const mb_kind *mb_kind_find(const char *name);

#ifdef __cplusplus
}
#endif

#include "meshbayes/models/kinds.h"
#endif
