/* doubts.c - what speaks against the answer of `fit`: components that few rows describe, or rows far
 * out, and one component that explains the rows better. */
#include "run/doubts.h"
#include "base/text.h"

#include <math.h>

static const double same = 1e-6; /* relative: bounds that do not differ */

/* text NULL: no memory. */
static mb_status add(sim_doubts *to, const char *text)
{
    if (!text)
        return MB_E_NOMEM;
    to->line[to->n++] = text;
    return MB_OK;
}

/* What is known of answers without such a component. */
static const char *without(sim_job *job, const mb_fit *fit, mb_err *err)
{
    return isnan(fit->sound)
               ? mb_text(job->a, err, "without: none found")
               : mb_text(job->a, err,
                         "without: the best found has lower bound %.6f nats, %.4g lower",
                         app_shown(fit->sound, 6), fit->out.bound - fit->sound);
}

static mb_status weak(sim_job *job, const mb_fit *fit, sim_doubts *to, mb_err *err)
{
    const mb_weak *w = &fit->weak;
    const double   least = 2.0 * fit->stages->nodes.size.D;
    const char    *rest = without(job, fit, err);
    char           more[64] = "";

    if (!rest)
        return MB_E_NOMEM;
    if (w->count > 1)
        snprintf(more, sizeof more, " (and %d more are like it)", w->count - 1);
    if (w->rows < least)
        return add(to,
                   mb_text(job->a, err,
                           "component %d has %.1f expected rows, fewer than two a column (%.0f)%s; "
                           "answers %s",
                           w->component, app_shown(w->rows, 1), least, more, rest));
    return add(to, mb_text(job->a, err,
                           "%.0f %% of the expected precision of component %d are the prior's%s; "
                           "answers %s",
                           100 * w->prior, w->component, more, rest));
}

/* A component of rows far out; or an answer that has one and the higher bound. */
static mb_status wide(sim_job *job, const mb_fit *fit, sim_doubts *to, mb_err *err)
{
    if (fit->wide.times > 0)
        MB_TRY(add(to, mb_text(job->a, err,
                               "component %d is %.3g times as wide as the median component: rows "
                               "far out rather than a cluster",
                               fit->wide.component, fit->wide.times)));
    if (isnan(fit->found.refused) || !(fit->found.refused > fit->out.bound))
        return MB_OK;
    return add(to, mb_text(job->a, err,
                           "an answer with a component of rows far out has the higher lower bound, "
                           "%.6f nats, %.4g higher: --tmm.trim 0 takes the highest",
                           app_shown(fit->found.refused, 6), fit->found.refused - fit->out.bound));
}

mb_status sim_doubts_find(sim_job *job, const sim_case *cs, sim_doubts *to, mb_err *err)
{
    const mb_fit *fit = cs->fit;

    *to = (sim_doubts){0};
    if (!cs->args->command->fit || !isfinite(fit->out.bound))
        return MB_OK;
    if (fit->weak.count)
        MB_TRY(weak(job, fit, to, err));
    MB_TRY(wide(job, fit, to, err));
    if (!(fit->one > fit->out.bound + same * fabs(fit->out.bound)))
        return MB_OK;
    return add(to, mb_text(job->a, err,
                           "one component has the higher lower bound, %.6f nats, %.4g higher: "
                           "--n-components 1",
                           app_shown(fit->one, 6), fit->one - fit->out.bound));
}

mb_status sim_doubts_print(sim_job *job, const sim_case *cs, mb_err *err)
{
    sim_doubts all;

    MB_TRY(sim_doubts_find(job, cs, &all, err));
    for (int32_t k = 0; k < all.n; k++)
        puts(all.line[k]);
    return MB_OK;
}

mb_status sim_doubts_write(sim_job *job, const sim_case *cs, mb_json_out *j, mb_err *err)
{
    sim_doubts all;

    MB_TRY(sim_doubts_find(job, cs, &all, err));
    mb_json_list(j, "doubts");
    for (int32_t k = 0; k < all.n; k++)
        mb_json_text(j, NULL, all.line[k]);
    mb_json_close(j);
    return MB_OK;
}

int32_t sim_empty(const sim_answer *a)
{
    const mb_summary *u = &a->summary;
    int32_t           n = 0;

    for (int32_t k = 0; u->weight && u->count && k < u->rows; k++)
        n += u->count[k] < 0.5;
    return n;
}

mb_status sim_is_safe(sim_job *job, const sim_case *cs, const sim_answer *a, int *safe, mb_err *err)
{
    const mb_summary       *u = &a->summary;
    const mb_search_result *f = &a->of->found;
    sim_doubts              all;

    MB_TRY(sim_doubts_find(job, cs, &all, err));
    *safe = f->n_init > 1 && f->at_best == f->n_init && !f->improved && !all.n;
    for (int32_t k = 0; u->weight && u->count && k < u->rows; k++)
        *safe &= !(u->count[k] < 2.0 * a->posterior.size.D);
    return MB_OK;
}
