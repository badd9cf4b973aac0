/* meshbayes/column.h - what the numbers of a column are: numbers, counts, categories, flags. */
#ifndef MESHBAYES_COLUMN_H
#define MESHBAYES_COLUMN_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the numbers of a column are. */
typedef enum mb_column_kind {
    MB_COLUMN_NUMBER,   /* real numbers, which may be moved to another origin and scale */
    MB_COLUMN_COUNT,    /* whole numbers from 0 up                                      */
    MB_COLUMN_CATEGORY, /* 0 to levels - 1, in the order of their names                 */
    MB_COLUMN_FLAG,     /* 0 or 1                                                       */
    MB_COLUMN_KINDS     /* how many there are                                           */
} mb_column_kind;
/* A column; nothing is owned. */
typedef struct mb_column {
    mb_column_kind     kind;   /* of its numbers                                                 */
    int32_t            levels; /* of a category (0: not known yet); 2 of a flag, else 0          */
    const char *const *level;  /* levels names, all different; those of a flag are "0" and "1"   */
} mb_column;
/* The columns of a table, and the same as a text: "number,category(f|m)". Constant once made. */
typedef struct mb_columns {
    int32_t          d;    /* columns */
    const mb_column *of;   /* d       */
    const char      *text; /* a backslash precedes each of , ( | ) \ in a name */
} mb_columns;

/* "number", "count", "category", "flag". */
MB_API const char *mb_column_word(mb_column_kind kind);
/* NULL: a row may hold x in this column (NaN included); else what it may: "0 to 2, the codes". */
MB_API const char *mb_column_refuses(const mb_column *c, double x);
/* Copies d columns. MB_E_ARG for a category without names, a name that is there twice or empty. */
MB_API mb_status mb_columns_make(mb_arena *a, int32_t d, const mb_column *of, mb_columns *out,
                                 mb_err *err) MB_CHECKED;
/* The same from the first n bytes of a text for d columns. MB_E_FORMAT when it is none. Takes at
 * most 24 d + 11 n + 200 bytes. */
MB_API mb_status mb_columns_parse(mb_arena *a, const char *text, size_t n, int32_t d,
                                  mb_columns *out, mb_err *err) MB_CHECKED;
/* *c becomes the same columns in another order: column k is what order[k] was. NULL stays. */
MB_API mb_status mb_columns_permute(mb_arena *a, const int32_t *order, const mb_columns **c,
                                    mb_err *err) MB_CHECKED;
/* Kinds of some of d columns, as users declare them: "age:number,sex:category(f|m),job:category".
 * of[i] is set, and given[i] becomes 1, for each that the text names; a category without names has
 * levels 0. MB_E_ARG for a name that is not among the columns or twice, and for another kind. */
MB_API mb_status mb_columns_declare(mb_arena *a, const char *text, int32_t d,
                                    const char *const *name, mb_column *of, uint8_t *given,
                                    mb_err *err) MB_CHECKED;
/* Such a declaration of all columns. NULL: no memory, with the error record filled. */
MB_API const char *mb_columns_declaration(mb_arena *a, const mb_columns *c, const char *const *name,
                                          mb_err *err);
/* 1 when both describe the same columns; NULL: all are numbers. */
MB_API int mb_columns_same(const mb_columns *a, const mb_columns *b);
/* 1 when not all columns are numbers. */
MB_API int mb_columns_mixed(const mb_columns *c);
/* What column d is; NULL: all are numbers. */
MB_API mb_column_kind mb_columns_kind(const mb_columns *c, int32_t d);

#ifdef __cplusplus
}
#endif
#endif
