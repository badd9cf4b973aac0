/* genesis_ranges.c - `meshbayes genesis ranges`: a genesis file without a block, which nodes make of exact
 * sums within the bounds of the columns. */
#include "base/text.h"
#include "data/table.h"
#include "mesh/file_plan.h"
#include "mesh/genesis.h"
#include "model/kind.h"
#include "run/genesis.h"
#include "run/private.h"

#include <math.h>
#include <string.h>

mb_status genesis_ranges_check(sim_job *job, sim_args *args, mb_err *err)
{
    static const char *const of_it[] = {"bounds",     "model",   "seed", "out",
                                        "rows-batch", "privacy", NULL};
    const genesis_opt       *o = args->own;

    if (!o->bounds)
        MB_FAIL(err, MB_E_ARG, "--bounds is missing: a file of column,low,high for every column");
    if (!job->out)
        MB_FAIL(err, MB_E_ARG, "--out is missing: the file that the genesis goes to");
    for (const mb_opt *k = args->table; k->name; k++) {
        const char *const *is = of_it;

        while (*is && strcmp(*is, k->name) != 0)
            is++;
        if (!*is && sim_option_given(k, &args->opt))
            MB_FAIL(err, MB_E_ARG,
                    "--%s: genesis ranges has no rows; expected --bounds, --model "
                    "with its options, --seed, --rows-batch, --privacy and --out",
                    k->name);
    }
    return MB_OK;
}

/* Columns as the file of the bounds has them, but for the target, which is the last one. */
static mb_status get_columns(mb_arena *a, const char *file, const char *target, mb_plan *plan,
                             mb_err *err)
{
    const char *const *name;
    const char       **column;
    int32_t            n = 0;

    MB_TRY(mb_bounds_columns(a, file, &plan->columns, &name, err));
    MB_NEW(column, a, plan->columns + 1, err);
    for (int32_t d = 0; d < plan->columns; d++)
        if (!target || strcmp(name[d], target) != 0)
            column[n++] = name[d];
    if (target && n != plan->columns - 1)
        MB_FAIL(err, MB_E_ARG, "--target-column: got \"%s\"; expected a column of %s", target,
                file);
    if (target)
        column[n] = target;
    plan->column = column;
    return MB_OK;
}

static mb_status get_bounds(mb_arena *a, const char *file, mb_plan *plan, mb_err *err)
{
    mb_bounds *b;
    double    *low, *high;

    MB_NEW(b, a, 1, err);
    MB_NEW(low, a, plan->columns, err);
    MB_NEW(high, a, plan->columns, err);
    MB_TRY(mb_bounds_read(a, file, plan->columns, plan->column, low, high, err));
    *b = (mb_bounds){plan->columns, low, high};
    plan->bounds = b;
    return MB_OK;
}

/* Members are not known yet: those who collude are half of them where the option says nothing. */
static mb_status promise(sim *s, mb_plan *plan, mb_err *err)
{
    mb_promise *p;
    mb_privacy  made;

    MB_NEW(p, s->job.a, 1, err);
    MB_TRY(private_words(&s->args, MB_PRIVATE_MOST, p, err));
    plan->privacy = p;
    MB_TRY(mb_plan_privacy_(plan, &made, err));
    if (!strstr(s->args.opt.privacy, "colluders="))
        p->colluders = -1;
    return MB_OK;
}

static mb_status make(sim *s, mb_plan *plan, mb_err *err)
{
    const sim_args    *args = &s->args;
    const genesis_opt *o = args->own;
    mb_declared        d = {.rows = (double)NAN, .rows_batch = o->rows_batch};

    *plan = (mb_plan){.kind = args->kind,
                      .kind_opt = args->model_opt,
                      .seed = (uint64_t)args->opt.seed,
                      .from = MB_GENESIS_RANGES,
                      .algo = &mb_algo_sum};
    MB_TRY(
        get_columns(s->job.a, o->bounds,
                    args->kind->targets ? mb_kind_target_column(args->kind, args->model_opt) : NULL,
                    plan, err));
    MB_TRY(mb_kind_effects(s->job.a, args->kind, args->model_opt, plan->columns, plan->column,
                           &plan->kinds, err));
    MB_TRY(get_bounds(s->job.a, o->bounds, plan, err));
    MB_TRY(mb_plan_bounded_(plan, err));
    if (args->opt.privacy && o->rows_batch)
        MB_FAIL(err, MB_E_ARG,
                "--rows-batch: got %lld with --privacy; expected none, as noise is in one sum of "
                "all rows",
                (long long)o->rows_batch);
    if (args->opt.privacy)
        MB_TRY(promise(s, plan, err));
    d.columns = plan->columns;
    d.algorithm = plan->algo->name;
    return mb_plan_write_(s->job.a, plan, &d, s->job.out, err);
}

int genesis_ranges(sim *s, mb_err *err)
{
    mb_plan  plan;
    mb_sizes size;

    if (make(s, &plan, err) < 0)
        return app_fail("genesis", err, 1);
    mb_plan_sizes(&plan, &size);
    printf("%s: %s", s->job.out, plan.kind->title);
    if (size.K)
        printf(", %d component%s", size.K, app_plural(size.K));
    printf(", %d column%s, without units, prior and start, which nodes make of sums %s\n",
           plan.columns, app_plural(plan.columns),
           plan.privacy ? "with noise within bounds, once" : "within bounds");
    return APP_DONE;
}
