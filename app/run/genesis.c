/* genesis.c - `sim --write-genesis`: the case of the run and the centres it began with. */
#include "mesh/genesis.h"
#include "model/kind.h"
#include "run/genesis.h"

#include <string.h>

mb_status genesis_check(const sim_args *args, const char *command, mb_err *err)
{
    const char *init = args->opt.init;

    if (!args->opt.standardize)
        MB_FAIL(err, MB_E_ARG,
                "%s and --standardize off exclude each other: nodes of a mesh compute in common "
                "units",
                command);
    if (mb_kind_has_components(args->kind) &&
        (!strncmp(init, "responsibilities:", 17) || !strcmp(init, "random") ||
         !strncmp(init, "posterior:", 10)))
        MB_FAIL(err, MB_E_ARG,
                "%s and --init %.*s exclude each other: a genesis holds centres; expected kmeans, "
                "kmeans++, farthest or centres:FILE",
                command, (int)strcspn(init, ":"), init);
    return MB_OK;
}

/* 1: the runs began with lines. */
static int with_lines(const sim_case *cs)
{
    return !cs->start.centres && cs->drawn->counted &&
           mb_start_lines_(&cs->fit->stages->nodes, &cs->start, cs->drawn->attempt);
}

/* The centres or lines that the runs began with; NULL for a model without. */
static mb_status centres(const sim_job *job, const sim_results *all, const double **out,
                         mb_err *err)
{
    const mb_centres *drawn = all->cs->drawn;

    *out = all->cs->start.centres;
    if (*out)
        return mb_case_as_centres(job->a, &all->cs->fit->stages->nodes, *out, out, err);
    if (!mb_kind_has_components(all->cs->args->kind))
        return MB_OK;
    for (int32_t k = 0; k < all->n; k++)
        if (!all->r[k].failed && (!drawn->counted || all->r[k].found.attempt != drawn->attempt))
            MB_FAIL(err, MB_E_ARG,
                    "--write-genesis: the algorithms began with different centres, since each "
                    "took its own best of --n-init; expected --n-init 1 or one algorithm");
    *out = drawn->centres;
    return MB_OK;
}

mb_status genesis_write(sim_job *job, const sim_results *all, mb_err *err)
{
    const double *start;
    mb_genesis    g;

    if (!all->cs->args->opt.write_genesis)
        return MB_OK;
    MB_TRY(centres(job, all, &start, err));
    MB_TRY(mb_genesis_of_case(job->a, &all->cs->fit->stages->nodes, start, &g, err));
    if (with_lines(all->cs))
        mb_genesis_of_lines_(&g);
    g.design = all->cs->rows->design;
    return mb_genesis_write(job->a, &g, all->cs->args->opt.write_genesis, err);
}
