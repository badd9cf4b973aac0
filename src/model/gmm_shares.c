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

/* v = a/(a + b) of what is left of the stick. */
static double broken(const double *entry, double *left)
{
    const double v = entry[0] / (entry[0] + entry[1]), share = *left * v;

    *left *= 1 - v;
    return share;
}

mb_gmm_shares_ mb_gmm_shares_begin_(const mb_sizes *s, const double *par)
{
    mb_gmm_shares_ x = {.entry = par, .step = mb_gmm_weights_(s)->weights->entry};
    double         left = 1;

    for (int32_t k = 0; k < s->K; k++)
        x.total += x.step == 1 ? par[k] : broken(par + (size_t)k * x.step, &left);
    x.left = 1;
    return x;
}

double mb_gmm_shares_next_(mb_gmm_shares_ *x)
{
    const double *entry = x->entry;

    x->entry += x->step;
    return (x->step == 1 ? *entry : broken(entry, &x->left)) / x->total;
}
