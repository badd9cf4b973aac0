/* main.c - meshbayes: runs a command, or the program that extends it. */
#include "base/app.h"
#include "base/place.h"
#include "base/ranks.h"

#include <string.h>

static int own(const app_command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return app_help(c->name, NULL);
    if (!c->many && !app_alone(c->name, ranks_launched(), ranks_first()))
        return APP_WRONG_USE;
    return app_command_run(c, argc, argv);
}

static int command(int argc, char **argv)
{
    const app_command *c;
    char               path[PLACE_PATH];

    if (argc < 2) {
        app_help(NULL, NULL);
        return APP_WRONG_USE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return app_help(NULL, NULL);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version"))
        return app_version();
    c = app_command_find(argv[1]);
    if (c)
        return own(c, argc - 1, argv + 1);
    if (place_program(argv[1], path)) {
        argv[1] = path;
        return place_exec(path, argv + 1);
    }
    fprintf(stderr, "meshbayes: error: \"%s\" is not a command; expected ", argv[1]);
    app_print_commands(stderr);
    fputc('\n', stderr);
    return APP_WRONG_USE;
}

int main(int argc, char **argv)
{
    return app_run(argc, argv, command);
}
