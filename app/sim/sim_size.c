/* sim_size.c - what can not be computed is refused before work is put into it: covariances that do
 * not fit into memory. */
#include "sim/plan.h"

#include <sys/resource.h>

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
    const mb_kind *kind = s->asked.kind;
    const double   D = sim_inputs(s), K = kind->latent ? sim_components(s) : 1;
    const double   nodes = s->asked.nchoice == 1 && s->asked.choice[0].cvb
                               ? 1
                               : (double)s->world.net.n / s->ranks.size;
    const double   need = 8 * (D * D + COPIES * nodes * K * D * (D + 1) / 2), have = room();
    char           many[48] = "", apart[32] = "";

    if (!(have > 0) || need <= have)
        return MB_OK;
    if (kind->latent)
        snprintf(many, sizeof many, " and K = %.0f components", K);
    if (nodes > 1)
        snprintf(apart, sizeof apart, " at %.0f nodes", nodes);
    MB_FAIL(err, MB_E_NOMEM,
            "model %s with D = %.0f features%s needs %.3g GB for matrices of D x D numbers%s, and "
            "%.3g GB can be had here, accepted: fewer features (meshbayes data pca makes some)%s, "
            "or more memory",
            kind->name, D, many, 1e-9 * need, apart, 1e-9 * have,
            kind->latent ? " or components" : "");
}
