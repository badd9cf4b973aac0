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

#endif
