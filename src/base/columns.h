/* base/columns.h - columns as texts and in other orders, and what their cells may be. */
#ifndef MB_BASE_COLUMNS_H
#define MB_BASE_COLUMNS_H

#include "meshbayes/meshbayes.h"

/* The words of all kinds, for messages. */
extern const char mb_column_words_[];
/* What a text of columns has for it: the word of its kind, or what it is to a regression:
 * "varying", "offset", "exposure". */
const char *mb_column_text(const mb_column *c);
/* NULL: a row may hold x in this column (NaN included); else what it may: "0 to 2, the codes". */
const char *mb_column_refuses(const mb_column *c, double x);
/* Columns (mb_columns_make) from the first n bytes of a text for d of them. MB_E_FORMAT when it
 * is none. Takes at most 24 d + 11 n + 200 bytes. */
mb_status mb_columns_parse(mb_arena *a, const char *text, size_t n, int32_t d, mb_columns *out,
                           mb_err *err) MB_CHECKED;
/* *c becomes the same columns in another order: column k is what order[k] was. NULL stays. */
mb_status mb_columns_permute(mb_arena *a, const int32_t *order, const mb_columns **c,
                             mb_err *err) MB_CHECKED;
/* A declaration of all columns, as mb_columns_declare reads it. NULL: no memory, with the error
 * record filled. */
const char *mb_columns_declaration(mb_arena *a, const mb_columns *c, const char *const *name,
                                   mb_err *err);
/* The name of what stands for all categories that have no name of their own. */
extern const char mb_other_level_[];
/* Its number in a category, where it is the last; -1: it is not there. */
int32_t mb_column_other_(const mb_column *c);
/* 1 when both describe the same columns; NULL: all are numbers. */
int mb_columns_same(const mb_columns *a, const mb_columns *b);
/* Sets what a regression makes of a number, from such a word; 0: it is none. */
int mb_column_effect(const char *word, size_t n, mb_column *out);
/* What the last of D inputs is to the linear predictor. */
static inline mb_offset mb_columns_offset(const mb_columns *c, int32_t D)
{
    return c && D > 0 ? (mb_offset)c->of[D - 1].offset : MB_OFFSET_NONE;
}
/* 1 when not all columns are numbers whose effects are common. */
int mb_columns_mixed(const mb_columns *c);
/* What column d is; NULL: all are numbers. */
mb_column_kind mb_columns_kind(const mb_columns *c, int32_t d);
/* Quantities of column d that a mean can be of: of a category the shares of its levels, of a number
 * or a count one, of a flag the share of 1. */
int32_t mb_column_quantities(const mb_columns *c, int32_t d);
/* Such a quantity as an initialisation by distances sees it: counts have about the same variance
 * whatever their mean, and a flag is as far as two categories. */
double mb_column_seen(mb_column_kind kind, double x);

#endif
