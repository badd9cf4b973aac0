/* main.c - meshbayes: picks the command. */
#include "app.h"
#include "base/json_file.h"
#include "base/streams.h"
#include "sim/ranks.h"

#include <signal.h>
#include <string.h>

static const app_command *const commands[] = {&app_cmd_sim,     &app_cmd_fit,
                                              &app_cmd_predict, &app_cmd_score,
                                              &app_cmd_compare, &app_cmd_export,
                                              &app_cmd_sample,  &app_cmd_plan,
                                              &app_cmd_graph,   &app_cmd_data,
                                              &app_cmd_report,  &app_cmd_paper,
                                              &app_cmd_help,    NULL};

const app_command *const *app_commands(void)
{
    return commands;
}

static int help(const char *name)
{
    char  cmd[] = "help";
    char  arg[64];
    char *argv[] = {cmd, arg, NULL};

    snprintf(arg, sizeof arg, "%s", name ? name : "");
    return app_cmd_help.run(name ? 2 : 1, argv);
}

/* What was printed must have arrived: a full disk behind standard output is a failure. A command
 * that failed has said so already. */
static int printed(int status)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != APP_DONE)
        return status;
    fprintf(stderr, "meshbayes: error: standard output can not be written\n");
    return APP_FAILED;
}

/* Several processes of a command that knows nothing of each other would all do the same. */
static int alone(const app_command *c)
{
    if (c == &app_cmd_sim || ranks_launched() < 2)
        return 1;
    if (ranks_first())
        fprintf(stderr,
                "meshbayes %s: error: started as %d processes, accepted: one; only `meshbayes sim` "
                "shares its work over processes\n",
                c->name, ranks_launched());
    return 0;
}

static int command(int argc, char **argv)
{
    if (argc < 2) {
        help(NULL);
        return APP_WRONG_USE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return help(NULL);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
        puts("meshbayes " MB_VERSION);
        return APP_DONE;
    }
    for (int c = 0; commands[c]; c++) {
        if (strcmp(argv[1], commands[c]->name) != 0)
            continue;
        for (int i = 2; i < argc; i++)
            if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
                return help(argv[1]);
        return alone(commands[c]) ? commands[c]->run(argc - 1, argv + 1) : APP_WRONG_USE;
    }
    fprintf(stderr, "meshbayes: error: \"%s\" is not a command, accepted: ", argv[1]);
    for (int c = 0; commands[c]; c++)
        fprintf(stderr, "%s%s", commands[c]->name, commands[c + 1] ? ", " : "\n");
    return APP_WRONG_USE;
}

int main(int argc, char **argv)
{
    if (streams_open() < 0)
        return APP_FAILED; /* nowhere to say why */
    app_json_begin();
    signal(SIGPIPE, SIG_IGN); /* writing fails instead: with a line, and nothing half-written */
    signal(SIGXFSZ, SIG_IGN);
    return printed(command(argc, argv));
}
