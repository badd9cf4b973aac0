/* list.c - the listed kinds of models. A new one adds its line here. */
#include "meshbayes/extend.h"

#include <string.h>

#ifdef MB_MODELS /* the build's own choice, for a small node */
static const mb_kind *const kinds[] = {MB_MODELS NULL};
#else
static const mb_kind *const kinds[] = {&mb_kind_gmm,    &mb_kind_linreg, &mb_kind_tmm,
                                       &mb_kind_lca,    &mb_kind_glm,    &mb_kind_mixed,
                                       &mb_kind_mixreg, &mb_kind_hmm,    &mb_kind_structural,
                                       &mb_kind_fa,     &mb_kind_lda,    NULL};
#endif

const mb_kind *const *mb_kind_list(void)
{
    return kinds;
}

const mb_opt *mb_kind_options(const mb_kind *kind)
{
    return kind->opts;
}

const mb_kind *mb_kind_find(const char *name)
{
    for (const mb_kind *const *k = kinds; *k; k++)
        if (!strcmp((*k)->name, name))
            return *k;
    return NULL;
}
