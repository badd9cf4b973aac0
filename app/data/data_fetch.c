/* data_fetch.c - `meshbayes data fetch`: says where the downloads went. */
#include "data/data_cmd.h"

static const mb_opt options[] = {{NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_status run(mb_arena *a, int argc, char **argv, mb_err *err)
{
    (void)a, (void)argc, (void)argv;
    MB_FAIL(err, MB_E_ARG, "fetch: use meshbayes paper fetch coil20|beijing-air");
}

const data_verb data_fetch = {.name = "fetch",
                              .summary = "see meshbayes paper fetch",
                              .options = options,
                              .run = run,
                              .text = ""};
