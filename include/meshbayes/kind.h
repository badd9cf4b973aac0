/* meshbayes/kind.h - a model as its users know it: name and options, units, prior, and the names of
 * what its posterior holds. mb_model is what remains of it for the loop: expected statistics.
 *
 * Adding a model: one .c file that ends in one `const mb_kind`, one line here, one line in
 * model/list.c. */
#ifndef MESHBAYES_KIND_H
#define MESHBAYES_KIND_H

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

/* A kind of model. Everything is static; functions are pure. opt: a struct of opt_size bytes that
 * the table opts describes; it may come from mb_opt_defaults, the command line or C code. */
typedef struct mb_kind {
    const char   *name;     /* as in --model and in posterior files: "gmm"                  */
    const char   *title;    /* one line for help and reports                                */
    const mb_opt *opts;     /* its options, ends with a NULL name                           */
    size_t        opt_size; /* bytes of its option struct                                   */
    int32_t       latent;   /* 1: rows have components, so a run needs an initialisation    */
    int32_t       target;   /* 1: the last column is explained by the others                */

    /* Components that the options ask for; NULL: it has none. */
    int32_t (*components)(const void *opt);
    /* Name of the target's column as the options give it; NULL: the last column. NULL when target
     * is 0. */
    const char *(*target_column)(const void *opt);
    /* The units that the run computes in, from the agreed ones (*run is a copy of those): origins
     * that must stay 0, the Jacobian of what has a density. NULL: as they are. */
    void (*units)(const void *opt, mb_units *run);
    /* The model with its prior, in run units. par: the prior's textbook parameters in data units
     * (layout.len). agreed: the common origin and scale of the columns. MB_E_ARG names the option
     * that is wrong as the command line spells it. */
    mb_status (*prior)(mb_arena *a, const void *opt, const mb_units *agreed, const mb_units *run,
                       mb_model *out, double **par, mb_err *err);
} mb_kind;

/* All of them, NULL-terminated. */
MB_API const mb_kind *const *mb_kind_list(void);
/* By name; NULL: there is none. */
MB_API const mb_kind       *mb_kind_find(const char *name);
extern MB_API const mb_kind mb_kind_gmm;    /* mixture of Gaussians       */
extern MB_API const mb_kind mb_kind_linreg; /* Bayesian linear regression */

/* Options of mb_kind_gmm. Numbers that are NaN, and texts and pointers that are NULL, are chosen
 * from the data (or are the paper's when prior is 1). */
typedef struct mb_gmm_kind {
    int64_t       n_components; /* K, 1 to 1000000                                           */
    int32_t       prior;        /* 0: weak, at the agreed origin and scale; 1: that of the paper */
    double        alpha0;       /* Dirichlet concentration of each component; NaN: 1/K       */
    double        beta0;        /* strength of the prior mean, rows; NaN: 1                  */
    double        nu0;          /* degrees of freedom, above D - 1; NaN: D + 2               */
    const char   *mu0;          /* prior mean, data units, as text: one number or D          */
    const char   *w0inv;        /* W0^-1, squared data units, as text: one number or D*D     */
    const double *mu0_at;       /* D: wins over mu0                                          */
    const double *w0inv_at;     /* D x D, row-major: wins over w0inv                         */
} mb_gmm_kind;
/* Options of mb_kind_linreg. NaN and NULL as at mb_gmm_kind. */
typedef struct mb_linreg_kind {
    const char *target_column; /* name of the column that is explained; NULL: the last one */
    int32_t     intercept;     /* 1: there is one                                          */
    double      a0;            /* shape of the noise precision's gamma; NaN: 0.5           */
    double
        b0; /* its rate, squared data units of the target; NaN: 1e-4 of its agreed scale squared */
    const char   *m0;         /* prior mean of the p coefficients, data units, as text    */
    const char   *lambda0;    /* their prior precision as text: one number or p*p         */
    const double *m0_at;      /* p: wins over m0                                          */
    const double *lambda0_at; /* p x p, row-major: wins over lambda0                      */
} mb_linreg_kind;

#ifdef __cplusplus
}
#endif
#endif
