/* model/gmm_kernel.h - blocks of rows against the Gaussian components of a mixture.
 *
 * A block holds its rows column by column, so that the loops over rows are the inner ones and
 * vectorise. Blocks are taken in order: the order of every sum depends on the rows alone. */
#ifndef MB_GMM_KERNEL_H
#define MB_GMM_KERNEL_H

#include "meshbayes/model.h"

enum {
    MB_GMM_BLOCK = 64, /* rows at once                                      */
    MB_GMM_TILE = 32   /* rows of one forward substitution; divides BLOCK   */
};

/* Views of the caller's scratch. n = D + 1. */
typedef struct mb_gmm_work_ {
    int32_t K, D;
    double *m;                 /* K x D                                                         */
    double *C;                 /* K x D(D+1)/2: chol(W^-1) by rows, the diagonal inverted       */
    double *c, *g;             /* K, for the caller: constant and factor of the log density     */
    double *h;                 /* K, for the caller: power of the log density                   */
    double *z;                 /* n x BLOCK: ones, then the columns; 0 behind the rows          */
    double *w;                 /* BLOCK: row weights                                            */
    double *r;                 /* K x BLOCK: log densities, then weighted responsibilities      */
    double *S;                 /* K x n x n: sum of r z z', lower triangle                      */
    double *y;                 /* D x TILE                                                      */
    double *tmp;               /* K + n x n                                                     */
    int64_t row[MB_GMM_BLOCK]; /* which rows the block holds                        */
    int32_t rows;              /* how many                                          */
} mb_gmm_work_;

size_t       mb_gmm_scratch_(int32_t K, int32_t D);
mb_gmm_work_ mb_gmm_carve_(int32_t K, int32_t D, double *scratch);

/* m and C of component k from its factor L (mb_nw_factor_). */
void mb_gmm_component_(mb_gmm_work_ *g, int32_t k, const double *L);
/* MB_E_SHAPE for another number of columns, MB_E_ARG for a weight that is negative or NaN. */
mb_status mb_gmm_check_(const mb_gmm_work_ *g, const mb_rows *rows, mb_err *err) MB_CHECKED;
/* Takes the next rows of weight > 0 from row `next` on; returns the row to go on with. */
int64_t mb_gmm_fill_(mb_gmm_work_ *g, const mb_rows *rows, int64_t next);
/* MB_E_NUMERIC names the first row and column of the block that is not finite. */
mb_status mb_gmm_finite_(const mb_gmm_work_ *g, mb_err *err) MB_CHECKED;
/* out[l] = (x_l - m_k)' W_k (x_l - m_k) over the block; BLOCK numbers. */
void mb_gmm_distance_(const mb_gmm_work_ *g, int32_t k, double *out);
/* S += sum of r z z' over the block. */
void mb_gmm_accumulate_(mb_gmm_work_ *g);

/* out += [weight/2, svec(-S/2)], S n x n, lower triangle; v: room for n(n+1)/2. */
void mb_gmm_natural_(int32_t n, double weight, const double *S, double *v, double *out);

/* r, logarithms of densities: lnz[l] = ln sum_k exp r_k, r := w exp(r - lnz). BLOCK numbers.
 * MB_E_NUMERIC names the first row whose ln Z is not finite. */
mb_status mb_gmm_normalise_(mb_gmm_work_ *g, double *lnz, mb_err *err) MB_CHECKED;

/* gmm.c: factors component k of phi into L = g->tmp + K and g. MB_E_DOMAIN outside Omega. */
mb_status mb_gmm_factor_(const mb_model *m, const double *phi, int32_t k, mb_gmm_work_ *g,
                         mb_err *err) MB_CHECKED;
/* gmm.c: the E-step at phi is set up, ln rho_k(x) = c_k - g_k distance_k(x); r := ln rho. */
mb_status    mb_gmm_expect_(const mb_model *m, const double *phi, mb_gmm_work_ *g,
                            mb_err *err) MB_CHECKED;
void         mb_gmm_log_rho_(mb_gmm_work_ *g);
mb_gmm_work_ mb_gmm_work_of_(const mb_model *m, double *scratch);
/* gmm_predict.c: the model's predict. */
mb_status mb_gmm_predict_(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                          double *out, double *scratch, mb_err *err);
/* gmm_sample.c: the model's sample. */
mb_status mb_gmm_sample_(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                         int64_t n, double *out, double *scratch, mb_err *err);

/* The layout: one Dirichlet of dim K, then K normal-Wisharts of dim D. */
enum { MB_GMM_WEIGHTS, MB_GMM_NORMALS };
static inline size_t mb_gmm_at_(const mb_layout *l, int32_t k)
{
    return l->block[MB_GMM_NORMALS].off + l->block[MB_GMM_NORMALS].len * (size_t)k;
}

#endif
