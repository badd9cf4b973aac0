/* main.c - meshbayes: picks the command, or the program that extends it. */
#include "app.h"
#include "base/place.h"
#include "base/ranks.h"

#include <string.h>

static int help(const char *name)
{
    char  cmd[] = "help";
    char  arg[64];
    char *argv[] = {cmd, arg, NULL};

    snprintf(arg, sizeof arg, "%s", name ? name : "");
    return app_cmd_help.run(name ? 2 : 1, argv);
}

static int own(const app_command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return help(c->name);
    if (c != &app_cmd_sim && !app_alone(c->name, ranks_launched(), ranks_first()))
        return APP_WRONG_USE;
    return app_command_run(c, argc, argv);
}

static int command(int argc, char **argv)
{
    char path[PLACE_PATH];

    if (argc < 2) {
        help(NULL);
        return APP_WRONG_USE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return help(NULL);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version"))
        return app_version();
    for (const app_command *const *c = app_commands(); *c; c++)
        if (!strcmp(argv[1], (*c)->name))
            return own(*c, argc - 1, argv + 1);
    if (place_program(argv[1], path)) {
        argv[1] = path;
        return place_exec(path, argv + 1);
    }
    fprintf(stderr, "meshbayes: error: \"%s\" is not a command, accepted: ", argv[1]);
    app_print_commands(stderr);
    fputc('\n', stderr);
    return APP_WRONG_USE;
}

int main(int argc, char **argv)
{
    return app_run(argc, argv, command);
}
