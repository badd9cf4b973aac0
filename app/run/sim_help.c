/* sim_help.c - help pages of the commands with a model, made from the rows of their options: the most
 * used ones, all, or those of one model or algorithm. */
#include "model/kind.h"
#include "run/option_rows.h"
#include "run/sweep.h"

#include <string.h>

static const char *const titles[SIM_GROUPS] = {
    [SIM_SHAPE] = "The shape",
    [SIM_ROWS] = "Rows",
    [SIM_NETWORK] = "Network",
    [SIM_MODEL] = "Model and initialisation",
    [SIM_ARRIVING] = "Rows that arrive",
    [SIM_PRIVACY] = "Privacy",
    [SIM_NODES] = "The nodes",
    [SIM_VIRTUAL] = "What happens with --virtual",
    [SIM_PROCESSES] = "Without --virtual",
    [SIM_ENDS] = "When it ends",
    [SIM_OUTPUT] = "Output",
    [SIM_LONG_RUNS] = "Long runs",
};

/* A group of the options that one of the commands takes: the shared ones, then its own. */
static int pick(const sim_command *c, int commands, int group, mb_opt *table)
{
    int n = sim_rows_pick(sim_rows_shared(), commands, (sim_group)group, table);

    return n + sim_rows_pick(c->more, commands, (sim_group)group, table + n);
}

/* The most used options in the order of their groups. */
static void print_often(FILE *out, const sim_command *c)
{
    const char *heading = "Most used options";
    mb_opt      table[SIM_MAX_OPTIONS];

    for (int k = 0; k < SIM_GROUPS; k++) {
        if (k == SIM_MODEL)
            app_print_options(out, NULL, sweep_options);
        if (!pick(c, c->bit << SIM_OFTEN, k, table))
            continue;
        app_print_options(out, heading, table);
        heading = NULL;
    }
}

static void print_table(FILE *out, const char *option, const char *name, const char *title,
                        const mb_opt *table)
{
    char heading[160];

    snprintf(heading, sizeof heading, "--%s %s: %s", option, name, title);
    app_print_options(out, heading, table);
}

static int takes_algorithms(const sim_command *c)
{
    mb_opt table[SIM_MAX_OPTIONS];

    pick(c, c->bit, SIM_GROUPS, table);
    return mb_opt_find(table, "algorithm") != NULL;
}

static void print_all(FILE *out, const sim_command *c)
{
    mb_opt table[SIM_MAX_OPTIONS];

    for (int k = 0; k < SIM_GROUPS; k++)
        if (pick(c, c->bit, k, table))
            app_print_options(out, titles[k], table);
    for (const mb_kind *const *k = mb_kind_list(); *k; k++)
        print_table(out, "model", (*k)->name, (*k)->title, (*k)->opts);
    for (const mb_algo *const *a = mb_algo_list(); *a && takes_algorithms(c); a++)
        print_table(out, "algorithm", (*a)->name, (*a)->title, (*a)->opts);
    if (c->lists)
        c->lists(out);
}

static int is_for(const mb_kind *kind, sim_models models)
{
    return models == SIM_LATENT       ? mb_kind_has_components(kind)
           : models == SIM_DRAWN      ? mb_kind_has_components(kind) || kind->phi0
           : models == SIM_GROUPED    ? kind->groups != NULL
           : models == SIM_MIXED      ? mb_kind_mixes(kind) || kind->targets
           : models == SIM_REGRESSION ? kind->targets > 0
           : models == SIM_TARGETS    ? kind->target_kind != NULL
                                      : 0;
}

/* What a network runs that is not asked for an algorithm. */
static void print_default(FILE *out, const mb_kind *kind)
{
    char line[512];

    snprintf(line, sizeof line, "On networks: --algorithm %s, where no other is asked for; %s.",
             kind->algorithm, kind->algorithm_why);
    fputc('\n', out);
    app_wrap(out, 0, 0, line);
    fputc('\n', out);
}

/* Its options, then those that not all models have. */
static void print_model(FILE *out, const sim_command *c, const mb_kind *kind)
{
    mb_opt table[SIM_MAX_OPTIONS];
    int    n = 0;

    fprintf(out, "%s: %s\n", kind->name, kind->title);
    app_print_options(out, "Options of this model", kind->opts);
    for (const sim_row *r = sim_rows_shared(); r->opt.name; r++)
        if (r->commands & c->bit && is_for(kind, r->models))
            table[n++] = r->opt;
    table[n] = (mb_opt){.name = NULL};
    if (n)
        app_print_options(out, "Options of this model and others like it", table);
    if (kind->algorithm)
        print_default(out, kind);
    fprintf(out, "\nThose of every model: meshbayes help %s all\n", c->name);
}

static void print_algorithm(FILE *out, const mb_algo *a)
{
    fprintf(out, "%s: %s\n", a->name, a->title);
    app_print_options(out, "Options of this algorithm", a->opts);
    fprintf(out, "\nWhat it does, sends and needs: meshbayes help %s\n", a->name);
}

/* Adds a name to "Those of one model: meshbayes help fit gmm, tmm". */
static void add_name(char *line, size_t cap, const sim_command *c, const char *what,
                     const char *name)
{
    const size_t n = strlen(line);

    if (n)
        snprintf(line + n, cap - n, ", %s", name);
    else
        snprintf(line, cap, "Those of one %s: meshbayes help %s %s", what, c->name, name);
}

/* What other pages there are. */
static void print_pages(FILE *out, const sim_command *c)
{
    char models[512] = "", algorithms[512] = "";

    for (const mb_kind *const *k = mb_kind_list(); *k; k++)
        add_name(models, sizeof models, c, "model", (*k)->name);
    for (const mb_algo *const *a = mb_algo_list(); *a && takes_algorithms(c); a++)
        add_name(algorithms, sizeof algorithms, c, "algorithm", (*a)->name);
    fprintf(out, "\nAll options: meshbayes help %s all\n", c->name);
    app_wrap(out, 0, 0, models);
    fputc('\n', out);
    if (app_wrap(out, 0, 0, algorithms))
        fputc('\n', out);
    app_print_help(out, c->see ? c->see : "");
}

int sim_help(const sim_command *c, const char *part, FILE *out)
{
    const mb_kind *kind = part ? mb_kind_find(part) : NULL;

    if (!part) {
        print_often(out, c);
        print_pages(out, c);
    } else if (!strcmp(part, "all")) {
        app_print_help(out, c->about ? c->about : "");
        print_all(out, c);
    } else if (kind)
        print_model(out, c, kind);
    else if (takes_algorithms(c) && mb_algo_find(part))
        print_algorithm(out, mb_algo_find(part));
    else
        return 0;
    return 1;
}
