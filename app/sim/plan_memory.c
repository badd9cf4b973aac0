/* plan_memory.c - what the machine has left, and the refusal of what does not fit. */
#include "sim/plan.h"

#include <stdlib.h>
#include <string.h>

/* Linux: what programs can have without pushing others out. */
double plan_free_memory(void)
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

/* Algorithms of one command run one after the other: the largest decides. */
mb_status plan_check_memory(const plan *p, double available, mb_err *err)
{
    const plan_cost *most = NULL;

    for (int32_t k = 0; k < p->s->asked.nchoice; k++)
        if (!p->cost[k].failed && (!most || p->cost[k].memory > most->memory))
            most = &p->cost[k];
    if (!most || !(available > 0) || most->memory <= available)
        return MB_OK;
    MB_FAIL(err, MB_E_NOMEM,
            "%s would hold %.3g GB and %.3g GB are free here, accepted: fewer nodes, rows or "
            "components, a larger machine, or mpirun over %.0f machines like this",
            most->name, 1e-9 * most->memory, 1e-9 * available, most->memory / available + 1);
}
