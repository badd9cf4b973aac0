/* fit_first.c - the first answer of `fit --follow` without --update: columns from the line of names, and a
 * fit of the rows that have come by then. */
#include "base/text.h"
#include "run/fit_follow.h"

#include <string.h>

mb_status follow_columns(follow *f, int32_t d, const char *const *name, mb_err *err)
{
    const size_t most = (size_t)f->most;
    const char **own;

    MB_NEW(own, f->job->a, d, err);
    memcpy(own, name, (size_t)d * sizeof *own);
    f->want = (csv_want){.columns = d,
                         .name = own,
                         .kinds = f->p.size.columns,
                         .weight = f->cs->args->opt.weight_column};
    MB_NEW(f->x, f->job->a, most * (size_t)d, err);
    if (f->want.weight)
        MB_NEW(f->w, f->job->a, most, err);
    return MB_OK;
}

/* All columns but the weights', targets last. */
mb_status follow_names(follow *f, const mb_csv *csv, mb_err *err)
{
    sim_job        *job = f->job;
    const sim_case *cs = f->cs;
    const char    **name, **ordered;
    int32_t        *order;
    mb_table        t = {.name = cs->args->opt.data};
    mb_sizes        size;

    MB_NEW(name, job->a, csv->cols, err);
    MB_NEW(ordered, job->a, csv->cols, err);
    MB_NEW(order, job->a, csv->cols, err);
    for (int32_t d = 0; d < csv->cols; d++)
        if (!cs->args->opt.weight_column ||
            strcmp(csv->name[d], cs->args->opt.weight_column) != 0) {
            name[t.rows.d] = mb_text(job->a, err, "%s", csv->name[d]);
            if (!name[t.rows.d++])
                return MB_E_NOMEM;
        }
    t.column = name;
    MB_TRY(mb_table_order(&t, cs->args->kind, cs->args->model_opt, order, err));
    cs->args->kind->sizes(cs->args->model_opt, t.rows.d, &size);
    if (size.D + size.intercept < 1)
        MB_FAIL(err, MB_E_FORMAT, "%s: got %d columns; expected inputs beside the target",
                cs->args->opt.data, t.rows.d);
    for (int32_t d = 0; d < t.rows.d; d++)
        ordered[d] = name[order[d]];
    return follow_columns(f, t.rows.d, ordered, err);
}

static mb_status check(const follow *f, const mb_fit *fit, mb_err *err)
{
    if (!fit->posterior.kind)
        MB_FAIL(err, MB_E_DOMAIN, "%s: the first answer is outside the domain",
                f->cs->args->opt.data);
    if (!f->window_rows && fit->stages->nodes.model.ops->prior_at)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: parts of this model's prior depend on each other, so that its answer cannot "
                "be updated; expected --window, or another model",
                f->cs->args->opt.data);
    return MB_OK;
}

mb_status follow_first(follow *f, mb_err *err)
{
    const int32_t  d = f->want.columns, K = sim_components(f->cs->args);
    const mb_rows  rows = {.x = f->x, .w = f->w, .n = f->waiting, .d = d, .ld = (size_t)d};
    const mb_table table = {
        .rows = rows, .column = f->want.name, .name = f->cs->args->opt.data, .last_is_target = 1};
    mb_fit_opt  opt = sim_fit_opt(f->job, f->cs);
    sim_update *u;
    mb_fit      fit;
    mb_status   st;

    if (f->waiting < K)
        MB_FAIL(err, MB_E_ARG,
                "--n-components: got %d components for %lld rows; expected 1 to %lld", K,
                (long long)f->waiting, (long long)f->waiting);
    MB_NEW(u, f->job->a, 1, err);
    *u = (sim_update){.file = f->cs->args->opt.data, .forget = f->o->forget};
    opt.start.seed = (uint64_t)f->cs->args->opt.seed;
    MB_TRY(mb_fit_run(f->job->a, NULL, &table, &opt, &fit, err));
    st = check(f, &fit, err);
    f->p = fit.posterior;
    f->out = (mb_outcome){.rounds = fit.out.rounds, .verdict = fit.out.verdict};
    f->learnt = (mb_update_totals){rows.n, fit.stages->nodes.weight_total, fit.out.bound};
    mb_fit_close(&fit);
    MB_TRY(st);
    u->p = f->p;
    f->changed = 1;
    f->update = u;
    return mb_posterior_options(f->job->a, &f->p, &u->opt, err);
}
