/* cmd_data.c - `meshbayes data`: makes and splits data sets. */
#include "data/data_cmd.h"

#include <string.h>

static const data_verb *const verbs[] = {
    &data_synthetic, &data_split, &data_describe, &data_pca, &data_fetch, &data_atmosphere, NULL};

static int run(int argc, char **argv)
{
    const data_verb *const *v = verbs;
    mb_err                  err = {0};
    mb_arena               *a;
    mb_status               st;

    while (argc > 1 && *v && strcmp((*v)->name, argv[1]) != 0)
        v++;
    if (argc < 2 || !*v) {
        fprintf(stderr,
                "meshbayes data: error: \"%s\" is not a verb of data, accepted: synthetic, split, "
                "describe, pca, fetch, atmosphere\n",
                argc < 2 ? "" : argv[1]);
        return APP_WRONG_USE;
    }
    a = mb_arena_new(1 << 20);
    if (!a) {
        fputs("meshbayes data: error: out of memory\n", stderr);
        return APP_FAILED;
    }
    st = (*v)->run(a, argc - 1, argv + 1, &err);
    mb_arena_free(a);
    return st < 0 ? app_fail("data", &err, 1) : APP_DONE;
}

static void help(FILE *out)
{
    for (const data_verb *const *v = verbs; *v; v++) {
        fprintf(out, "\nmeshbayes data %s: %s\n", (*v)->name, (*v)->summary);
        app_print_help(out, (*v)->text);
        app_print_options(out, NULL, (*v)->options);
    }
}

const app_command app_cmd_data = {
    .name = "data",
    .summary = "make and split data sets",
    .usage = "meshbayes data synthetic|split|describe|pca|fetch|atmosphere [options]",
    .run = run,
    .help = help};
