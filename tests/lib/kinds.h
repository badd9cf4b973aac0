/* kinds.h - the listed kinds of models with every word of their choices, and with columns of every
 * kind where they take them, for tests that all must pass. */
#ifndef MB_TEST_KINDS_H
#define MB_TEST_KINDS_H

#include "meshbayes/extend.h"
#include "model/kind.h"

_Static_assert(MB_COLUMN_KINDS == 4, "a new kind of column: add one to kinds_mixed, its values to "
                                     "as_kind in models.h, its density to contract/textbook.c");

/* The first D of ten columns, of every kind: the first is a number, as all that are not named. */
static inline const mb_columns *kinds_mixed(int32_t D)
{
    static const char *const level[] = {"a", "b", "c", "d"};
    static const mb_column   of[10] = {
          [1] = {.kind = MB_COLUMN_CATEGORY, .levels = 3, .level = level},
          [2] = {.kind = MB_COLUMN_COUNT},
          [3] = {.kind = MB_COLUMN_FLAG, .levels = 2, .level = level},
          [5] = {.kind = MB_COLUMN_CATEGORY, .levels = 4, .level = level},
          [6] = {.kind = MB_COLUMN_COUNT},
          [9] = {.kind = MB_COLUMN_COUNT}};
    static const mb_columns all[] = {{0, of, "0"}, {1, of, "1"}, {2, of, "2"},  {3, of, "3"},
                                     {4, of, "4"}, {5, of, "5"}, {6, of, "6"},  {7, of, "7"},
                                     {8, of, "8"}, {9, of, "9"}, {10, of, "10"}};

    return &all[D];
}

/* The last D + 1 of ten columns: D inputs and a target. */
#define KINDS_LAST(of)                                                                             \
    {                                                                                              \
        {1, of + 9, "0"}, {2, of + 8, "1"}, {3, of + 7, "2"}, {4, of + 6, "3"}, {5, of + 5, "4"},  \
            {6, of + 4, "5"}, {7, of + 3, "6"}, {8, of + 2, "7"}, {9, of + 1, "8"},                \
        {                                                                                          \
            10, of, "9"                                                                            \
        }                                                                                          \
    }

/* D inputs and a target that is a category, D up to 9; offset 1: the last input is one. */
static inline const mb_columns *kinds_category(int32_t D, int offset)
{
    static const char *const level[] = {"a", "b", "c"};
    static const mb_column   of[10] = {
          [9] = {.kind = MB_COLUMN_CATEGORY, .levels = 3, .level = level}};
    static const mb_column with[10] = {
        [8] = {.offset = MB_OFFSET_NUMBER},
        [9] = {.kind = MB_COLUMN_CATEGORY, .levels = 3, .level = level}};
    static const mb_columns all[] = KINDS_LAST(of), with_offset[] = KINDS_LAST(with);

    return offset ? &with_offset[D] : &all[D];
}

/* D inputs and a target, D up to 9; the last input is an offset. */
static inline const mb_columns *kinds_offset(int32_t D)
{
    static const mb_column  of[10] = {[8] = {.offset = MB_OFFSET_NUMBER}};
    static const mb_columns all[] = KINDS_LAST(of);

    return &all[D];
}

/* D inputs and a target, D up to 9; the effect of the last input varies by group. */
static inline const mb_columns *kinds_varying(int32_t D)
{
    static const mb_column  of[10] = {[8] = {.varying = 1}};
    static const mb_columns all[] = KINDS_LAST(of);

    return &all[D];
}

/* The columns of a kind that says what they are: a category and a count. */
static inline const mb_columns *kinds_form(void)
{
    static const char *const level[] = {"a", "b", "c", "d", "e"};
    static const mb_column   of[] = {{.kind = MB_COLUMN_CATEGORY, .levels = 5, .level = level},
                                     {.kind = MB_COLUMN_COUNT}};
    static const mb_columns  all = {2, of, "category(a|b|c|d|e),count"};

    return &all;
}

/* Word number `which` of all combinations of the choices; returns how many there are. */
static inline int kind_words(const mb_kind *k, int which, mb_sizes *out)
{
    int all = 1;

    for (int32_t c = 0; c < mb_kind_choices(k); c++) {
        int32_t words = 0;

        while (k->choices[c].word[words])
            words++;
        if (words > 16) /* sizes, as of a season, which the first few stand for */
            words = 3;
        out->choice[c] = which / all % words;
        all *= words;
    }
    return all;
}

/* 1 for words that say nothing beside others: a form of covariances of an emission without any. */
static inline int kind_is_void(const mb_kind *k, const mb_sizes *s)
{
    int form = 0, emission = 0;

    for (int32_t c = 0; c < mb_kind_choices(k); c++) {
        form |= !strcmp(k->choices[c].name, "covariance_type") && s->choice[c];
        emission |= !strcmp(k->choices[c].name, "emission") && s->choice[c];
    }
    return form && emission;
}

/* Sets the choices, the kinds of the columns and the number of targets of combination number
 * `which`; returns how many combinations the kind has. Of 1 or 3 inputs beside an intercept the
 * last is an offset, where the kind takes one: more combinations would take more time. */
static inline int kind_choose(const mb_kind *k, int which, mb_sizes *out)
{
    const int offset = mb_kind_takes_offset(k) && out->intercept && (out->D == 1 || out->D == 3);
    const int mixes = mb_kind_mixes(k) && !k->form;
    const int all = kind_words(k, 0, out), twice = mixes || k->targets > 1;
    int       n = 0, chosen = 0;

    for (int second = 0; second <= twice; second++)
        for (int word = 0; word < all; word++) {
            kind_words(k, word, out);
            if (kind_is_void(k, out) || (second && mixes && !mb_kind_takes_kinds(k, out)))
                continue;
            if (n++ == which)
                chosen = second * all + word;
        }
    kind_words(k, chosen % all, out);
    if (k->form) {
        out->columns = kinds_form();
        out->D = out->columns->d;
    }
    if (mixes)
        out->columns = chosen / all ? kinds_mixed(out->D) : NULL;
    if (offset)
        out->columns = kinds_offset(out->D);
    if (mb_kind_category(k, out))
        out->columns = kinds_category(out->D, offset);
    if (mb_kind_varies(k))
        out->columns = kinds_varying(out->D);
    if (k->targets > 1)
        out->targets = 1 + chosen / all;
    return n;
}

/* Where the target of these rows (x, without gaps) cannot be any number, it becomes 0 or 1, which
 * flags and counts can be. s: zeros of the layout's length. */
static inline void kind_suit(const mb_kind *k, const mb_model *m, const mb_rows *rows, double *x,
                             double *s, double *scratch)
{
    const mb_status st = k->targets ? m->ops->seed_stats(m, rows, NULL, s, scratch, NULL) : MB_OK;

    for (int64_t j = 1; st != MB_OK && j <= rows->n; j++)
        x[j * rows->d - 1] = x[j * rows->d - 1] > 1;
    for (size_t l = 0; l < m->layout.len; l++)
        s[l] = 0;
}

#endif
