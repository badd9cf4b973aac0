/* gmm_shares.c - the weights of a mixture as its users know them: their family and entries, and the
 * expected shares. */
#include "model/gmm_form.h"

const char *const mb_gmm_weights_words_[] = {"dirichlet_distribution", "dirichlet_process", NULL};

const mb_family *mb_gmm_weights_(const mb_sizes *s)
{
    return s->choice[MB_GMM_WEIGHTS_CHOICE_] ? &mb_sticks : &mb_dirichlet;
}

size_t mb_gmm_first_(const mb_sizes *s)
{
    return (size_t)s->K * mb_gmm_weights_(s)->weights->entry;
}

mb_gmm_shares_ mb_gmm_shares_begin_(const mb_sizes *s, const double *par)
{
    const mb_mixing *of = mb_gmm_weights_(s)->weights;
    mb_gmm_shares_   x = {.of = of, .entry = par};
    double           left = 1;

    for (int32_t k = 0; k < s->K; k++)
        x.total += of->share(par + (size_t)k * of->entry, &left);
    x.left = 1;
    return x;
}

double mb_gmm_shares_next_(mb_gmm_shares_ *x)
{
    const double *entry = x->entry;

    x->entry += x->of->entry;
    return x->of->share(entry, &x->left) / x->total;
}
