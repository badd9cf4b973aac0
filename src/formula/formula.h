/* formula/formula.h - formulas of regressions: a text as terms, and the columns that terms and the
 * categories among the inputs make of each row (docs/formats.md, "Formulas"). */
#ifndef MB_FORMULA_H
#define MB_FORMULA_H

#include "meshbayes/meshbayes.h"

/* ORDER: factors of a term; DEGREE: of poly; STEPS: of an expression; TERMS: of a formula, also its
 * columns. */
enum {
    MB_FORMULA_ORDER = 8,
    MB_FORMULA_DEGREE = 20,
    MB_FORMULA_STEPS = 64,
    MB_FORMULA_TERMS = 10000
};

/* A step of an expression in postfix order, on a stack of numbers. */
typedef enum mb_step_kind {
    MB_STEP_COLUMN, /* pushes a column of the row     */
    MB_STEP_NUMBER, /* pushes a constant              */
    MB_STEP_NEGATE, /* these replace the top          */
    MB_STEP_LOG,
    MB_STEP_EXP,
    MB_STEP_SQRT,
    MB_STEP_ADD, /* these replace the two at the top */
    MB_STEP_SUBTRACT,
    MB_STEP_MULTIPLY,
    MB_STEP_DIVIDE,
    MB_STEP_POWER
} mb_step_kind;
typedef struct mb_step {
    mb_step_kind kind;
    int32_t      column; /* of the formula */
    double       number;
} mb_step;

/* A variable of the formula: a column as it is, an expression, or poly of one. */
typedef struct mb_factor {
    const char    *name;   /* as in the names of columns: "age", "log(age + 1)", "poly(age, 2)" */
    const char    *source; /* the same with backticks where a formula needs them                */
    const mb_step *step;   /* nsteps                                                            */
    int32_t        nsteps;
    int32_t        column; /* the column that it is, as it is; -1: it is computed */
    int32_t        degree; /* of poly; 0: it is none                              */
    size_t         at;     /* where it is first, in bytes of the text             */
} mb_factor;
/* A product of factors, whose numbers ascend. */
typedef struct mb_term {
    int32_t n; /* 1 to MB_FORMULA_ORDER */
    int32_t factor[MB_FORMULA_ORDER];
} mb_term;
typedef struct mb_terms {
    int32_t  n;
    mb_term *term;      /* n: by their numbers of factors, else as they come */
    int32_t  intercept; /* 1: there is one                                   */
} mb_terms;

/* A formula as R reads it. */
typedef struct mb_formula {
    const char        *text;     /* as given                                               */
    const char        *response; /* the column on the left of ~; NULL: none                */
    int32_t            columns;  /* that the right side mentions                           */
    const char *const *column;   /* columns                                                */
    int32_t            factors;
    const mb_factor   *factor; /* factors, as they come in the text                        */
    mb_terms           common;
    int32_t            offsets;
    const int32_t     *offset;   /* offsets: the factors that offset(..) has                 */
    const char        *group;    /* that of (terms | column), none of `column`; NULL: none    */
    mb_terms           varying;  /* its terms                                                */
    size_t             group_at; /* where it is, in bytes of the text                       */
    int32_t            has_dot;  /* 1: the text has . for all columns                        */
} mb_formula;

/* Reads a formula for rows of d columns with these names; `.` stands for all but the response and
 * the `targets` columns target[]. name NULL: every name is a column, and `.` stands for none.
 * MB_E_ARG with the text, and a caret below the place, on lines of their own. O(length), and
 * O(terms^2). */
mb_status mb_formula_parse(mb_arena *a, const char *text, int32_t d, const char *const *name,
                           int32_t targets, const char *const *target, mb_formula *out,
                           mb_err *err) MB_CHECKED;
/* What the sum of its offsets is called: "offset(log(days)) + offset(z)". NULL: no memory. */
const char *mb_formula_offset(mb_arena *a, int32_t offsets, const int32_t *offset,
                              const mb_factor *factor, mb_err *err);
/* The same for one factor alone, the source of an mb_factor: *out belongs to the columns name[]. */
mb_status mb_factor_parse(mb_arena *a, const char *source, int32_t d, const char *const *name,
                          mb_factor *out, mb_err *err) MB_CHECKED;
/* Fails with "--formula: MESSAGE", the text, and a caret below byte `at`. */
mb_status mb_formula_refuse(const char *text, size_t at, const char *message,
                            mb_err *err) MB_CHECKED;
/* A name as a formula has it: in backticks unless it is one without them. NULL: no memory. */
const char *mb_formula_quote(mb_arena *a, const char *name, mb_err *err);

#endif
