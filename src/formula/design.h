/* formula/design.h - the columns that a formula makes of a row: how each is computed, and rows of
 * them as a view, which stores none. */
#ifndef MB_DESIGN_H
#define MB_DESIGN_H

#include "formula/formula.h"

/* How a category of L levels becomes columns, as in R. */
typedef enum mb_contrasts {
    MB_CONTRASTS_TREATMENT, /* 1 for each level but the first                        */
    MB_CONTRASTS_SUM        /* the same for each but the last, which is -1 in all    */
} mb_contrasts;
enum { MB_DESIGN_COLUMNS = 10000 /* at most, as many as a posterior file may have */ };

/* The polynomials of poly, orthonormal over the rows that they were made of: F_0 = 1, F_1 = x -
 * alpha_0, F_k+1 = (x - alpha_k) F_k - norm2_k/norm2_k-1 F_k-1; column k is F_k/sqrt(norm2_k). */
typedef struct mb_poly {
    double alpha[MB_FORMULA_DEGREE];     /* degree                                  */
    double norm2[MB_FORMULA_DEGREE + 1]; /* degree + 1: sum of F_k^2 over the rows  */
} mb_poly;

/* A formula with what its columns are; belongs to the arena it was made in. */
typedef struct mb_design {
    const char        *text; /* of the formula                                                  */
    int32_t            columns; /* that rows have before the targets                              */
    const char *const *column;  /* columns: their names                                           */
    const mb_column   *kind;    /* columns: a category has its levels                             */
    mb_contrasts       coding;
    int32_t            factors;
    const mb_factor   *factor; /* factors; their steps count the columns above                  */
    mb_poly           *poly;   /* factors: of those of a degree                                 */
    mb_terms           terms;
    int32_t            offsets;
    const int32_t     *offset; /* offsets: the factors whose sum is the last design column       */
    const char        *offset_name; /* of this column; NULL: as the formula has it               */
    const uint8_t (*full)[MB_FORMULA_ORDER]; /* terms: 1: a factor has a column for every level */
    const int32_t     *first; /* terms.n + 1: the first column of each term                    */
    int32_t            D;     /* design columns; an offset is one                              */
    const char *const *name;  /* D, as R calls them                                            */
} mb_design;

/* The design with the coding and offset_name of *out of a formula's common terms and offsets for
 * columns of these kinds, f->columns. Constants of poly are not there before mb_design_learn, or
 * the caller writes them. MB_E_ARG with a caret for what has no columns: the logarithm of a
 * category, a category of one level. O(D^2). */
mb_status mb_design_make(mb_arena *a, const mb_formula *f, const mb_column *kind, mb_design *out,
                         mb_err *err) MB_CHECKED;
/* The same for terms and factors that a file had: text, columns, column, kind, coding, factors,
 * factor, terms and offsets of *out are set. */
mb_status mb_design_code(mb_arena *a, mb_design *out, mb_err *err) MB_CHECKED;
/* With memory of its own, in the arena. */
mb_status mb_design_copy(mb_arena *a, const mb_design *g, const mb_design **out,
                         mb_err *err) MB_CHECKED;
/* The constants of poly from rows, whose column k is column from[k] (NULL: k) of the rows. MB_E_ARG
 * when they have no more values than the degree, or one is not finite. 2 passes for each degree. */
mb_status mb_design_learn(mb_design *g, const mb_rows *rows, const int32_t *from,
                          mb_err *err) MB_CHECKED;
/* out: D design columns of the rows, then the last `targets` columns as they are; a view of rows,
 * which needs design, rows, from and the arena. An unknown category (NaN) is the first level, and
 * with MB_CONTRASTS_SUM the mean of all. Weights and groups are those of the rows. */
mb_status mb_design_rows(mb_arena *a, const mb_design *g, const mb_rows *rows, const int32_t *from,
                         int32_t targets, mb_rows *out, mb_err *err) MB_CHECKED;
/* 1: both make the same numbers of a row. */
int mb_design_same(const mb_design *a, const mb_design *b);

#endif
