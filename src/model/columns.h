/* model/columns.h - components that are products of independent blocks of columns.
 *
 * Each block of the layout after the weights has K slices and belongs to one emission, which
 * says how it explains its columns. */
#ifndef MB_MODEL_COLUMNS_H
#define MB_MODEL_COLUMNS_H

#include "model/mixture.h"

typedef struct mb_columns_code_ mb_columns_code_;

/* The columns that a block explains. */
typedef struct mb_part_ {
    const mb_emission      *emission; /* how                                       */
    const mb_columns_code_ *code;     /* of the emission, or mb_plain_columns_ */
    int32_t                 dim;      /* of a member; 0: they differ               */
    const int32_t          *dims;     /* of each, if they differ; else NULL        */
    int32_t                 members;  /* of a slice                                */
    int32_t                 n;        /* columns: dim * members, or members        */
    const int32_t          *column;   /* n: those of member m are at m * dim, or m */
    size_t                  len;      /* doubles of a member, unless they differ   */
} mb_part_;

/* mb_emission::code: how the columns of a part depend on one slice of its block. `table`: what
 * expect or predictive makes of the slice, for the rows that follow. Pure functions. */
struct mb_columns_code_ {
    int32_t single; /* 1: a member explains one column, whatever its dim */
    /* Doubles of the table of a slice. */
    size_t (*table)(const mb_part_ *p);
    /* r[l] += what ln p(x | theta) has of row l whatever theta is. NULL: nothing. */
    void (*common)(const mb_part_ *p, const mb_estep_ *g, double *r);
    /* MB_E_NUMERIC names a cell of the block of rows that is no value. NULL: there is no such. */
    mb_status (*check)(const mb_part_ *p, const mb_estep_ *g, mb_err *err);
    /* The table for E[ln p(x | theta)]. MB_E_DOMAIN when the slice is outside Omega. */
    mb_status (*expect)(const mb_part_ *p, const double *slice, double *table);
    /* r[l] += that of row l of the block of rows. */
    void (*add)(const mb_part_ *p, const double *table, const mb_estep_ *g, double *r);
    /* The same for ln p(x | data), theta integrated out. */
    mb_status (*predictive)(const mb_part_ *p, const double *slice, double *table);
    void (*add_predictive)(const mb_part_ *p, const double *table, const mb_estep_ *g, double *r);
    /* s (a slice) += statistics of the rows under r, whose sum is `weight`. room: 2 n doubles. */
    void (*gather)(const mb_part_ *p, const mb_estep_ *g, const double *r, double weight,
                   double *room, double *s);
    /* add, add_predictive and gather for rows with gaps (mb_gap_): columns count in the rows where
     * they have a value. NULL: rows may have no gaps. */
    void (*add_seen)(const mb_part_ *p, const double *table, const mb_estep_ *g, double *r);
    void (*add_predictive_seen)(const mb_part_ *p, const double *table, const mb_estep_ *g,
                                double *r);
    void (*gather_seen)(const mb_part_ *p, const mb_estep_ *g, const double *r, double *s);
    /* The columns of a row of the predictive distribution into x, from textbook parameters. */
    void (*draw)(const mb_part_ *p, const double *par, mb_rng *rng, double *x);
    /* The entries of slice k (mb_model_ops::entries). NULL: nothing is known of them. */
    void (*entries)(const mb_part_ *p, int32_t k, mb_entry *out);
};
/* 1 when row l of the block of rows has no value in a column. */
static inline int mb_gap_(const mb_estep_ *g, int32_t column, int32_t l)
{
    return isnan(g->z[column * g->block + l]);
}
/* Gaussian columns, mb_normal_gamma_diag. */
extern const mb_emission mb_gaussian_columns_;
/* Counts, mb_gamma; categories and flags, mb_dirichlet. A cell that is NaN says nothing; one that
 * is no count or no category makes the density NaN, which is refused. */
extern const mb_emission mb_poisson_columns_, mb_category_columns_;
/* Emissions without code: by `statistics`, value by value. */
extern const mb_columns_code_ mb_plain_columns_;
/* MB_E_ARG for one without code whose family it cannot have. */
mb_status mb_emission_check_(const mb_emission *e, mb_err *err) MB_CHECKED;

/* Completes m, whose layout, K and prior are there; D: columns. emission: one for each block of the
 * layout after the first; plain: the code of those that have none. grouped: 1: rows come in groups
 * that share their component. */
mb_status mb_mixture_(mb_arena *a, int32_t D, const mb_emission *const *emission,
                      const mb_columns_code_ *plain, int32_t grouped, mb_model *m,
                      mb_err *err) MB_CHECKED;

/* In the textbook parameters of such a mixture: where those of component k and column d begin. The
 * first K are the concentrations. */
size_t mb_mixture_at(const mb_model *m, int32_t k, int32_t d);

#endif
