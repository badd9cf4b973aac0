/* pca.h - principal components of a table of rows. */
#ifndef MB_PCA_H
#define MB_PCA_H

#include "base/app.h"

typedef struct pca {
    int32_t d;        /* columns                                                              */
    int32_t k;        /* components kept                                                      */
    int32_t count;    /* variances known: the smaller of n and d                              */
    double  total;    /* variance of the rows: the sum over the columns                       */
    double *mean;     /* d                                                                    */
    double *variance; /* count, descending; sums of squares are divided by n - 1              */
    double *axis;     /* k x d, rows of length 1, the entry of largest modulus positive       */
} pca;

/* Rows of x (n x d) scaled to length 1; a row of zeros stays. */
void pca_unit_rows(int64_t n, int32_t d, double *x);
/* The first number of components that hold more than `share` (0 to 1) of the variance. */
int32_t pca_components(const pca *p, double share);
/* Components of x (n x d, n >= 2). k > 0: their number, at most min(n, d); k = 0: as many as
 * pca_components gives for `share`. Memory for n x d numbers and four times the smaller of n x n
 * and d x d comes from `a`. O(n d min(n, d)). MB_E_ARG; MB_E_NUMERIC when the rows are all equal or
 * not finite. */
mb_status pca_fit(mb_arena *a, int64_t n, int32_t d, const double *x, int32_t k, double share,
                  pca *out, mb_err *err) MB_CHECKED;
/* out (n x k) = (x - mean) axis'. */
void pca_apply(const pca *p, int64_t n, const double *x, double *out);

#endif
