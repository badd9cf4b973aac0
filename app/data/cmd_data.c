/* cmd_data.c - `meshbayes data`: makes and splits data sets. */
#include "data/data_cmd.h"

static int fetch(int argc, char **argv)
{
    (void)argc, (void)argv;
    fputs("meshbayes data: error: fetch: use meshbayes paper fetch coil20|beijing-air\n", stderr);
    return APP_WRONG_USE;
}

static const app_command data_fetch = {
    .name = "fetch", .summary = "see meshbayes paper fetch", .run = fetch};

static const app_command *const verbs[] = {&data_synthetic, &data_split,      &data_split_time,
                                           &data_describe,  &data_convert,    &data_pca,
                                           &data_fetch,     &data_atmosphere, NULL};

const app_command app_cmd_data = {
    .name = "data",
    .summary = "make and split data sets",
    .usage =
        "meshbayes data synthetic|split|split-time|describe|convert|pca|fetch|atmosphere [options]",
    .verbs = verbs};
