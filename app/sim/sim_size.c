/* sim_size.c - free memory, and models whose matrices do not fit into it. */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Linux: what programs can have without pushing others out. */
double sim_free_memory(void)
{
    FILE  *f = fopen("/proc/meminfo", "r");
    char   line[128];
    double kilobytes = 0;

    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "MemAvailable:", 13))
            kilobytes = strtod(line + 13, NULL);
    if (f)
        fclose(f);
    return 1024 * kilobytes;
}

/* Bytes that this process may still take; 0: nobody says. */
static double room(void)
{
    const double  left = sim_free_memory();
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
    const double   nodes = sim_central_alone(s) ? 1 : (double)s->world.net.n / s->ranks.size;
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
