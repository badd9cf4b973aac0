/* weights.c - the weights of a mixture, whatever their family. */
#include "model/gmm_kernel.h"

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

mb_status mb_weights_shares_(const mb_model *m, const double *phi, double *out, mb_err *err)
{
    const mb_block *b = &m->layout.block[0];
    double          total = 0;

    if (b->family->weights->shares(b->dim, phi + b->off, 1, out) < 0)
        return outside(b, err);
    for (int32_t k = 0; k < b->dim; k++)
        total += out[k];
    for (int32_t k = 0; k < b->dim; k++)
        out[k] = log(out[k] / total);
    return MB_OK;
}

void mb_weights_add_(const mb_model *m, const double *count, double *s)
{
    const mb_block *b = &m->layout.block[0];

    b->family->weights->add(b->dim, count, s + b->off);
}
