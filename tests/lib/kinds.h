/* kinds.h - the listed kinds of models with every word of their choices, for tests that all must
 * pass. */
#ifndef MB_TEST_KINDS_H
#define MB_TEST_KINDS_H

#include "meshbayes/kind.h"

/* Sets the choices of combination number `which`; returns how many combinations the kind has. */
static inline int kind_choose(const mb_kind *k, int which, mb_sizes *out)
{
    int all = 1;

    for (int32_t c = 0; c < mb_kind_choices(k); c++) {
        int32_t words = 0;

        while (k->choices[c].word[words])
            words++;
        out->choice[c] = which / all % words;
        all *= words;
    }
    return all;
}

/* Where the target of these rows (x, without gaps) cannot be any number, it becomes 0 or 1, which
 * flags and counts can be. s: zeros of the layout's length. */
static inline void kind_suit(const mb_kind *k, const mb_model *m, const mb_rows *rows, double *x,
                             double *s, double *scratch)
{
    const mb_status st = k->target ? m->ops->seed_stats(m, rows, NULL, s, scratch, NULL) : MB_OK;

    for (int64_t j = 1; st != MB_OK && j <= rows->n; j++)
        x[j * rows->d - 1] = x[j * rows->d - 1] > 1;
    for (size_t l = 0; l < m->layout.len; l++)
        s[l] = 0;
}

#endif
