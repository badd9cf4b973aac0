/* model/glm.h - what generalised linear models of one predictor and of several share. */
#ifndef MB_MODEL_GLM_H
#define MB_MODEL_GLM_H

#include "model/estep.h"
#include "model/model.h"

/* Categories of a target, and coefficients of all its classes together. */
enum { MB_GLM_LEVELS_ = 100, MB_GLM_MOST_ = 10001 };

enum { MB_GLM_LANES_ = MB_LANES_MAX };
/* A block of rows. The columns of g.z are the inputs, an offset if there is one, then the target
 * where rows have one; g.D is 1 or the number of inputs. */
typedef struct mb_glm_block_ {
    int32_t       D; /* inputs */
    mb_offset     offset;
    mb_estep_     g;
    const double *o;                   /* what is added to predictors; NULL: nothing */
    const double *y;                   /* NULL: rows have no target */
    double        value[MB_BLOCK_MAX]; /* E[ln p(y)], or its bound  */
} mb_glm_block_;

/* What a model makes of a block; self: its work at one phi, or at the start of its link. */
typedef struct mb_glm_sums_ {
    /* MB_OK when y is a target. */
    mb_status (*target)(const void *self, int64_t row, double y, mb_err *err);
    /* value of each row; not finite where a derivative of it is not. */
    void (*expect)(void *self, mb_glm_block_ *b);
    /* s += the statistics of the rows, times their weights. */
    void (*add)(const void *self, const mb_glm_block_ *b, double *s);
} mb_glm_sums_;

/* glm_rows.c: s += the statistics of all rows, in their order, *logz += the weighted sum of values
 * (NULL: not asked); b: has D and offset, and g is carved for all columns, the target too. The
 * error is that of the first row that has one. */
mb_status mb_glm_sum_(const mb_glm_sums_ *of, void *self, mb_glm_block_ *b, const mb_rows *rows,
                      double *s, double *logz, mb_err *err) MB_CHECKED;
/* The next block, of rows from `next` on whose weight is not 0; returns the row after them. */
int64_t mb_glm_fill_(mb_glm_block_ *b, const mb_rows *rows, int64_t next);
/* Values of rows one of whose inputs, or whose offset, is not finite are not finite either. */
void mb_glm_inputs_(mb_glm_block_ *b);
/* mb_kernel_.lines and mb_kernel_.dots, also where the kernel has none. */
void mb_glm_lines_(const mb_estep_ *g, int32_t T, int32_t p, const double *m, const double *x,
                   double *e);
void mb_glm_dots_(const mb_estep_ *g, int32_t T, int32_t p, const double *w, const double *x,
                  double *S);
/* Columns of rows without the target: D inputs, and an offset if there is one. */
static inline int32_t mb_glm_columns_(int32_t D, mb_offset offset)
{
    return D + (offset != MB_OFFSET_NONE);
}
/* MB_E_SHAPE unless rows have that many, and a target. */
mb_status mb_glm_check_shape_(int32_t columns, const mb_rows *rows, mb_err *err) MB_CHECKED;

/* multinomial.c: ops, spec and scratch of a target with opt->levels categories. */
mb_status mb_multinomial_begin_(mb_arena *a, const mb_glm_opt *opt, mb_model *out,
                                mb_err *err) MB_CHECKED;

#endif
