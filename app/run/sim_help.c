/* sim_help.c - the options of sim and fit on their help pages, in groups. */
#include "run/sim.h"

#include <string.h>

static const char *const titles[SIM_GROUPS] = {
    [SIM_MOST_USED] = "Most used", [SIM_ROWS] = "Rows",
    [SIM_NETWORK] = "Network",     [SIM_MODEL] = "Model and initialisation",
    [SIM_ENDS] = "When it ends",   [SIM_OUTPUT] = "Output",
    [SIM_LONG_RUNS] = "Long runs", [SIM_FURTHER] = "Further options"};

/* The much used option of the models that have components, at the end of the table. */
static void add_components(mb_opt *table)
{
    const mb_opt *o = NULL;
    int           n = 0;

    while (table[n].name)
        n++;
    for (const mb_kind *const *k = mb_kind_list(); !o && *k; k++)
        o = (*k)->opts ? mb_opt_find((*k)->opts, "n-components") : NULL;
    if (!o)
        return;
    table[n] = *o;
    table[n + 1] = (mb_opt){.name = NULL};
}

void sim_print_options(FILE *out, int commands)
{
    mb_opt table[SIM_MAX_OPTIONS];

    for (int k = 0; k < SIM_GROUPS; k++) {
        sim_pick(commands, (sim_group)k, table);
        if (k == SIM_MOST_USED)
            add_components(table);
        if (table[0].name)
            app_print_options(out, titles[k], table);
    }
}
