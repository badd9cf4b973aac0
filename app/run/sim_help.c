/* sim_help.c - the options of sim and fit on their help pages, in groups. */
#include "run/sim.h"

#include <string.h>

/* A group of options, in the order of the names. */
typedef struct section {
    const char *title;
    const char *names; /* each ends with a blank */
} section;

static const section sections[] = {
    {"Most used", "data node-column network topology n-components algorithm init rounds seed out "},
    {"Rows", "columns drop label-column weight-column group-column node-file label-file "
             "group-file deal "
             "separator header missing standardize precision "},
    {"Network", "weights positions loss loss-directed silent delay "},
    {"Model and initialisation", "model n-init prune accelerate "},
    {"When it ends", "tol require-settled on-domain threads runs "},
    {"Output", "trace metrics node dump-phi dump-at phi-order json "},
    {"Long runs", "checkpoint every resume "}};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* The option of this table, or one that is much used of a listed model. */
static const mb_opt *find(const mb_opt *table, const char *name, int models)
{
    const mb_opt *o = mb_opt_find(table, name);

    for (const mb_kind *const *k = mb_kind_list(); !o && models && *k; k++)
        o = (*k)->opts ? mb_opt_find((*k)->opts, name) : NULL;
    return o;
}

/* The options of a group that the table has; returns how many. */
static int pick(const section *group, const mb_opt *table, mb_opt *out)
{
    int n = 0;

    for (const char *at = group->names; *at; at += strcspn(at, " ") + 1) {
        char          name[32];
        const mb_opt *o;

        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        o = find(table, name, group == sections);
        if (o && n < SIM_MAX_OPTIONS - 1)
            out[n++] = *o;
    }
    out[n] = (mb_opt){.name = NULL};
    return n;
}

/* 1 if a group names the option. */
static int grouped(const char *name)
{
    const size_t len = strlen(name);

    for (int k = 0; k < SECTIONS; k++)
        for (const char *at = sections[k].names; *at; at += strcspn(at, " ") + 1)
            if (strcspn(at, " ") == len && !strncmp(at, name, len))
                return 1;
    return 0;
}

/* The options that no group names. */
static int rest(const mb_opt *table, mb_opt *out)
{
    int n = 0;

    for (const mb_opt *o = table; o->name && n < SIM_MAX_OPTIONS - 1; o++)
        if (!grouped(o->name))
            out[n++] = *o;
    out[n] = (mb_opt){.name = NULL};
    return n;
}

void sim_print_options(FILE *out, const mb_opt *table)
{
    mb_opt group[SIM_MAX_OPTIONS];

    for (int k = 0; k < SECTIONS; k++)
        if (pick(&sections[k], table, group))
            app_print_options(out, sections[k].title, group);
    if (rest(table, group))
        app_print_options(out, "Further options", group);
}
