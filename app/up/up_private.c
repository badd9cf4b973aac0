/* up_private.c - the release of `up --privacy`: booked here, made by the nodes. */
#include "up/up_private.h"
#include "base/promise.h"
#include "base/text.h"
#include "up/local.h"

#include <math.h>
#include <string.h>

mb_status up_private_open(up *u, sim *s, mb_err *err)
{
    MB_NEW(u->private_, s->job.a, 1, err);
    u->private_->fit.s = s;
    return private_open(&u->private_->fit, err);
}

void up_private_plan(up *u)
{
    if (u->private_)
        u->plan.privacy = &u->private_->fit.promise;
}

/* A node of an earlier run in the same folder may have released its rows beyond what the ledger of all
 * rows knows, if that is another one. */
static mb_status ask_node(const up *u, int32_t i, double budget, mb_err *err)
{
    const char *dir = u->local->node[i].dir;
    const char *ledger = mb_text(u->job->a, err, "%s/rows.csv" LEDGER_SUFFIX, dir);
    const char *rows = mb_text(u->job->a, err, "%s/" LOCAL_NEXT, dir);
    ledger_sum  sum;

    return ledger && rows
               ? private_ask(&u->private_->fit, ledger, rows, u->how.rows[i].n, budget, &sum, err)
               : MB_E_NOMEM;
}

mb_status up_private_book(up *u, mb_err *err)
{
    private_fit    *f = u->private_ ? &u->private_->fit : NULL;
    const sim_args *args = u->cs->args;
    ledger_sum      all;

    if (!f)
        return MB_OK;
    MB_TRY(private_ask(f, f->ledger, args->opt.data, f->rows, args->opt.budget, &all, err));
    for (int32_t i = 0; i < u->cs->network->net.n; i++)
        MB_TRY(ask_node(u, i, all.budget, err));
    return private_book(f, err);
}

/* The first answer is that of the run. */
static mb_status keep(up *u, const mb_posterior *p, const mb_provenance *from, mb_err *err)
{
    struct up_private *to = u->private_;
    mb_posterior      *answer;
    mb_provenance     *states;

    MB_NEW(answer, u->job->a, 1, err);
    MB_NEW(states, u->job->a, 1, err);
    *answer = *p;
    *states = *from;
    to->answer = (sim_given){answer, states};
    for (int32_t k = 0; k < from->nmore; k++)
        if (!strcmp(from->more[k].key, "privacy"))
            to->fit.raised = (int32_t)mb_json_at(&from->more[k], "raised")->integer;
    return MB_OK;
}

mb_status up_private_take(up *u, mb_posterior *p, const mb_provenance *from, mb_err *err)
{
    if (!u->private_->answer.posterior)
        MB_TRY(keep(u, p, from, err));
    p->prior_par = p->par;
    return MB_OK;
}

void up_private_end(const up *u, sim_result *r)
{
    r->out.bound = r->out.moved = r->final.value[MB_M_BOUND].mean = (double)NAN;
    for (int32_t i = 0; r->nodes && i < u->cs->network->net.n; i++) {
        r->nodes[i].bound = (double)NAN;
        r->nodes[i].rows = (double)u->how.rows[i].n;
    }
}

void up_private_print(const up *u)
{
    int32_t alike = 0;

    for (int32_t i = 0; i < u->cs->network->net.n; i++)
        alike += u->last[i].phi != NULL;
    printf("\n%d of %d nodes have this answer to the bit\n\n", alike, u->cs->network->net.n);
}

void up_private_warn(const up *u)
{
    if (u->job->out)
        sim_warn(
            u->job,
            "the release is booked all the same: meshbayes-node run --config node.json in each "
            "folder of %s/nodes continues it",
            u->job->out);
    else
        sim_warn(u->job,
                 "the release is booked all the same; with --out DIR its nodes could continue");
}

mb_status up_private_summary(const up *u, mb_json_out *j)
{
    const private_fit *f = &u->private_->fit;
    const char        *file = sim_redact(u->job, f->ledger, j->err);

    if (!file)
        return MB_E_NOMEM;
    promise_put(&f->privacy, &f->bounds, up_mask_text(u), 0, f->raised, j);
    mb_json_object(j, "ledger");
    mb_json_text(j, "file", file);
    mb_json_integer(j, "releases", f->spent.releases);
    mb_json_number(j, "epsilon", f->spent.epsilon);
    mb_json_number(j, "budget", f->spent.budget);
    mb_json_number(j, "delta", f->spent.delta);
    mb_json_close(j);
    return MB_OK;
}
