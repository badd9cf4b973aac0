/* weights.c - the weights of a mixture, whatever their family. */
#include "model/estep.h"
#include "model/gmm_form.h"

#include <math.h>

static mb_status outside(const mb_block *b, mb_err *err)
{
    MB_FAIL(err, MB_E_DOMAIN, "the mixture weights (%s) are outside their domain", b->family->name);
}

mb_status mb_weights_expect_(const mb_model *m, const double *phi, double *out, mb_err *err)
{
    const mb_block *b = &m->layout.block[0];

    if (b->family->weights->expect(b->dim, phi + b->off, out, NULL) < 0)
        return outside(b, err);
    return MB_OK;
}

int mb_weights_of_(const mb_family *f, int32_t K, const double *par, double *out)
{
    const size_t step = f->weights->entry;
    double       left = 1;
    int          wrong = 0;

    for (int32_t k = 0; k < K; k++, par += step) {
        out[k] = f->weights->share(par, &left);
        wrong |= out[k] < 0;
    }
    return wrong ? -1 : 0;
}

mb_status mb_weights_shares_(const mb_model *m, const double *phi, double *out, mb_err *err)
{
    const mb_block  *b = &m->layout.block[0];
    const mb_family *f = b->family;
    double           total = 0, left = 1;

    for (int32_t k = 0; k < b->dim; k++) {
        double par[MB_MIXING_ENTRY];

        if (f->to_par(1, phi + b->off + (size_t)k * f->weights->entry, par, NULL) < 0)
            return outside(b, err);
        out[k] = f->weights->share(par, &left);
        if (out[k] < 0)
            return outside(b, err);
        total += out[k];
    }
    for (int32_t k = 0; k < b->dim; k++)
        out[k] = log(out[k] / total);
    return MB_OK;
}

void mb_weights_add_(const mb_model *m, const double *count, double *s)
{
    const mb_block *b = &m->layout.block[0];

    b->family->weights->add(b->dim, count, s + b->off);
}

/* ---- in textbook parameters, which have K entries of them first ---- */

const char *const mb_gmm_weights_words_[] = {"dirichlet_distribution", "dirichlet_process", NULL};

const mb_family *mb_gmm_weights_(const mb_sizes *s)
{
    return s->choice[MB_GMM_WEIGHTS_CHOICE_] ? &mb_sticks : &mb_dirichlet;
}

size_t mb_gmm_first_(const mb_sizes *s)
{
    return (size_t)s->K * mb_gmm_weights_(s)->weights->entry;
}
