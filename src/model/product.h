/* model/product.h - mixtures whose columns are independent within a component, each explained by
 * the emission of mb_kind::emissions that takes its kind: where its numbers are, and what follows.
 *
 * Layout and textbook parameters: the weights; then for each emission that has columns a block of K
 * slices, one member for each of these columns. */
#ifndef MB_MODEL_PRODUCT_H
#define MB_MODEL_PRODUCT_H

#include "meshbayes/extend.h"

enum { MB_EMISSIONS_MAX = 8 /* of a kind */ };
/* The numbers of one column after the other, of component k: begin with the first four members, the
 * others zeroed. */
typedef struct mb_cell {
    const mb_kind  *kind;
    const mb_sizes *s;
    const double   *par; /* textbook parameters of all components             */
    int32_t         k;
    int32_t         d;      /* out: the column, from 1 on: d - 1 is its index    */
    int32_t         e;      /* its emission among mb_kind::emissions             */
    int32_t         levels; /* of a category or flag, else 1                     */
    const double   *at;     /* its numbers                                       */
    const double   *next[MB_EMISSIONS_MAX];
} mb_cell;
/* 0 after the last column. */
int mb_cell_next(mb_cell *c);
/* Mean and variance of its quantities among the rows of the component, one for each level; either
 * may be NULL. */
void mb_cell_moments(const mb_cell *c, double *mean, double *variance);

/* The blocks after that of the weights, and the emission of each; emission: MB_EMISSIONS_MAX. */
mb_status mb_product_layout(mb_arena *a, const mb_kind *kind, const mb_sizes *s, mb_layout *l,
                            const mb_emission **emission, mb_err *err) MB_CHECKED;
/* Completes m, whose K and layout are there, with a prior of these textbook parameters. MB_E_DOMAIN
 * when double precision cannot hold them. */
mb_status mb_product_model(mb_arena *a, const mb_sizes *s, const mb_emission *const *emission,
                           const double *par, mb_model *m, mb_err *err) MB_CHECKED;
#endif
