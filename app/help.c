/* help.c - `meshbayes help`: the list of commands and the pages about them. */
#include "app.h"
#include "base/place.h"

#include <string.h>

static const app_command *const commands[] = {&app_cmd_sim,
                                              &app_cmd_fit,
                                              &app_cmd_predict,
                                              &app_cmd_score,
                                              &app_cmd_compare,
                                              &app_cmd_export,
                                              &app_cmd_sample,
                                              &app_cmd_plan,
                                              &app_cmd_graph,
                                              &app_cmd_data,
                                              &app_cmd_report,
                                              &app_cmd_help,
                                              NULL};

const app_command *app_command_find(const char *name)
{
    const app_command *const *c = commands;

    while (*c && strcmp((*c)->name, name) != 0)
        c++;
    return *c;
}

/* The programs beside this one whose names are not those of commands. */
static void others(place_programs *out)
{
    int kept = 0;

    place_programs_find(out);
    for (int k = 0; k < out->count; k++)
        if (!app_command_find(out->name[k]))
            memmove(out->name[kept++], out->name[k], PLACE_NAME);
    out->count = kept;
}

void app_print_commands(FILE *out)
{
    place_programs more;

    others(&more);
    for (const app_command *const *c = commands; *c; c++)
        fprintf(out, "%s%s", (*c)->name, c[1] ? ", " : "");
    for (int k = 0; k < more.count; k++)
        fprintf(out, ", %s", more.name[k]);
}

static void overview(FILE *out)
{
    place_programs more;

    others(&more);
    fputs("meshbayes " MB_VERSION
          ": a network of machines agrees on the Bayesian posterior that one machine\n"
          "holding all the data would have found. Each talks only to its neighbours; rows of data\n"
          "stay where they are.\n\nCommands\n",
          out);
    for (const app_command *const *c = commands; *c; c++)
        fprintf(out, "  %-8s %s\n", (*c)->name, (*c)->summary);
    for (int k = 0; k < more.count; k++)
        fprintf(out, "  %-8s a program of its own: meshbayes help %s\n", more.name[k],
                more.name[k]);
    fputs("\nFirst steps\n"
          "  meshbayes data synthetic --out rows.csv\n"
          "      50 nodes with 100 rows each of the paper's mixture of three Gaussians\n"
          "  meshbayes sim --data rows.csv --node-column node --label-column label \\\n"
          "      --topology geometric:n=50,side=3.5,radius=0.8 --n-components 3 \\\n"
          "      --algorithm cvb,dsvb,admm,edge --metrics all --out result\n"
          "      every algorithm on the same data and initialisation; open result/report.html\n"
          "\n`meshbayes help COMMAND` explains a command, `meshbayes help NAME` an algorithm or a "
          "model.\n",
          out);
}

static void algorithm(FILE *out, const mb_algo *a)
{
    fprintf(out, "%s: %s\n", a->name, a->title);
    if (a->needs & MB_NEEDS_EVERY_MSG)
        fputs("It needs every message: refused on a network that loses or delays them.\n", out);
    if (a->needs & MB_NEEDS_RING)
        fputs("It needs a ring: refused on a network where a node has more or fewer than two "
              "neighbours.\n",
              out);
    if (a->needs & MB_NEEDS_TREE)
        fputs(
            "It needs a breadth-first tree, which the initialisation builds; only its links carry "
            "messages.\n",
            out);
    fprintf(out, "Each round it sends %s.\n",
            a->fanout == MB_BROADCAST  ? "one message to all neighbours (or none)"
            : a->needs & MB_NEEDS_TREE ? "one message to each neighbour in the tree"
                                       : "one message to each neighbour");
    if (a->about) {
        fputc('\n', out);
        app_print_help(out, a->about);
    }
    if (a->opts && a->opts[0].name)
        app_print_options(out, "Options", a->opts);
}

static const char central[] = "\nEvery round is one E-step and one M-step on all rows at once; the "
                              "lower bound never decreases. "
                              "It is the reference: a network of nodes is to reach the same "
                              "posterior without moving rows. On "
                              "data with many optima its answer depends on the initialisation.\n"
                              "\nmeshbayes fit runs it on one file, meshbayes sim --algorithm "
                              "cvb,.. beside the algorithms of a "
                              "network, from the same initialisation.\n";

/* `meshbayes help NAME` of a program that extends this one. Returns only after a failure. */
static int other_help(char *path)
{
    char  cmd[] = "help";
    char *argv[] = {path, cmd, NULL};

    return place_exec(path, argv);
}

static int unknown(const char *name)
{
    fprintf(stderr, "meshbayes help: error: \"%s\" is not a command, algorithm or model; expected ",
            name);
    app_print_commands(stderr);
    for (const mb_algo *const *l = mb_algo_list(); *l; l++)
        fprintf(stderr, ", %s", (*l)->name);
    for (const mb_kind *const *l = mb_kind_list(); *l; l++)
        fprintf(stderr, ", %s", (*l)->name);
    fputs(", cvb\n", stderr);
    return APP_WRONG_USE;
}

int app_help(const char *name)
{
    const app_command *c = name ? app_command_find(name) : NULL;
    const mb_algo     *a = name ? mb_algo_find(name) : NULL;
    const mb_kind     *kind = name ? mb_kind_find(name) : NULL;
    char               path[PLACE_PATH];

    if (!name)
        overview(stdout);
    else if (c) {
        printf("%s\nusage: %s\n", c->summary, c->usage);
        app_command_help(c, stdout);
    } else if (a)
        algorithm(stdout, a);
    else if (kind) {
        printf("%s: %s\n", kind->name, kind->title);
        app_print_options(stdout, "Options", kind->opts);
    } else if (!strcmp(name, "cvb")) {
        puts("cvb: central VB, variational Bayes on one machine that holds all rows");
        app_print_help(stdout, central);
    } else if (place_program(name, path))
        return other_help(path);
    else
        return unknown(name);
    return APP_DONE;
}

static int run(int argc, char **argv)
{
    return app_help(argc > 1 ? argv[1] : NULL);
}

const app_command app_cmd_help = {.name = "help",
                                  .summary = "explain a command, an algorithm or a model",
                                  .usage = "meshbayes help [COMMAND|ALGORITHM|MODEL]",
                                  .text = "usage: meshbayes help [COMMAND|ALGORITHM|MODEL]\n",
                                  .run = run};
