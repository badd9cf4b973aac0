/* sim_size.c - what can not be computed is refused before work is put into it: covariances that do
 * not fit into memory, columns whose spread has no square. */
#include "sim/plan.h"
#include "sim/sim_model.h"

#include <sys/resource.h>

/* The square of a scale, its inverse, and products with other columns' stay normal numbers. */
static const double smallest_scale = 1e-100;

/* Bytes that this process may still take; 0: nobody says. */
static double room(void)
{
    const double  left = plan_free_memory();
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return left;
    return left > 0 && left < (double)limit.rlim_cur ? left : (double)limit.rlim_cur;
}

mb_status sim_check_size(const sim *s, mb_err *err)
{
    enum { COPIES = 2 /* every node's estimate before and behind a step */ };
    const sim_model *model = sim_model_of(s);
    const double     D = sim_inputs(s), K = model->latent ? (double)s->opt.n_components : 1;
    const double     nodes =
        s->nchoice == 1 && s->choice[0].cvb ? 1 : (double)s->data.N / s->ranks.size;
    const double need = 8 * (D * D + COPIES * nodes * K * D * (D + 1) / 2), have = room();
    char         many[48] = "", apart[32] = "";

    if (!(have > 0) || need <= have)
        return MB_OK;
    if (model->latent)
        snprintf(many, sizeof many, " and K = %.0f components", K);
    if (nodes > 1)
        snprintf(apart, sizeof apart, " at %.0f nodes", nodes);
    MB_FAIL(err, MB_E_NOMEM,
            "model %s with D = %.0f features%s needs %.3g GB for matrices of D x D numbers%s, and "
            "%.3g GB can be had here, accepted: fewer features (meshbayes data pca makes some)%s, "
            "or more memory",
            model->name, D, many, 1e-9 * need, apart, 1e-9 * have,
            model->latent ? " or components" : "");
}

mb_status sim_check_scales(const sim *s, mb_err *err)
{
    for (int32_t d = 0; d < s->data.d; d++)
        if (!s->constant[d] && s->scale[d] < smallest_scale)
            MB_FAIL(
                err, MB_E_FORMAT,
                "%.200s: column \"%.60s\": its values differ by about %.1g, accepted: %g or more "
                "(another unit), or one value",
                s->opt.data, s->data.name[d], 4 * s->scale[d], 4 * smallest_scale);
    return MB_OK;
}
