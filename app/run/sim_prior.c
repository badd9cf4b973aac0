/* sim_prior.c - the file of --prior posterior:FILE.json. */
#include "base/opt.h"
#include "run/sim.h"

#include <string.h>

const char *sim_prior_file(const sim_args *args)
{
    const mb_opt *opts = args->kind->opts, *o = opts ? mb_opt_find(opts, "prior") : NULL;
    const char   *text = NULL;

    if (o && mb_opt_is_text(o))
        text = *(const char *const *)(const void *)((const char *)args->model_opt + o->at);
    return text && !strncmp(text, "posterior:", 10) ? text + 10 : NULL;
}
