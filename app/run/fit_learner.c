/* fit_learner.c - what learns from the rows that arrive: updates batch by batch (mb_fit_partial), or with
 * a window a node of a mesh that is alone (mb_peer). */
#include "base/rows.h"
#include "run/fit_follow.h"

#include <string.h>

static int64_t now_ms(void)
{
    return (int64_t)(1e3 * app_now());
}

static mb_status node_new(follow *f, mb_err *err)
{
    const sim_update *u = f->update;
    mb_genesis        g;
    mb_peer_opt       opt = {.incarnation = 1,
                             .name = "fit",
                             .plan = &f->plan,
                             .rows = f->window_rows,
                             .window_rows = f->window_rows,
                             .window_ms = f->window_ms,
                             .n_nodes = 1,
                             .tol = f->cs->args->opt.tol};

    MB_TRY(mb_genesis_of_posterior(f->job->a, &u->p, &g, err));
    f->plan = (mb_plan){.kind = u->p.kind,
                        .kind_opt = u->opt,
                        .columns = g.columns,
                        .column = g.column,
                        .from = MB_GENESIS_GIVEN,
                        .kinds = u->p.size.columns};
    MB_TRY(mb_peer_new(f->job->a, &opt, &f->node, err));
    return mb_peer_genesis(f->node, &g, err);
}

mb_status follow_learner(follow *f, mb_err *err)
{
    const sim_result r = {.job = f->job, .cs = f->cs, .choice = f->cs->args->choice};

    MB_TRY(sim_provenance(&r, &f->from, err)); /* what stays as it is */
    MB_NEW(f->scratch, f->job->a, mb_posterior_scratch(&f->p, 1), err);
    return f->window_rows ? node_new(f, err) : MB_OK;
}

mb_status follow_look(const follow *f, const mb_rows *rows, mb_err *err)
{
    double density;

    for (int64_t j = 0; j < rows->n; j++) {
        const mb_rows one = mb_rows_part(rows, j, 1);

        MB_TRY(mb_posterior_predict(&f->p, &one, MB_WANT_LOGPDF, 0, &density, f->scratch, err));
    }
    return MB_OK;
}

mb_status follow_add(follow *f, const mb_rows *rows, mb_err *err)
{
    const size_t d = (size_t)rows->d;

    if (f->node)
        MB_TRY(mb_peer_append(f->node, now_ms(), rows, NULL, err));
    else
        memcpy(f->x + (size_t)f->waiting * d, rows->x, (size_t)rows->n * d * sizeof *f->x);
    if (f->w)
        memcpy(f->w + f->waiting, rows->w, (size_t)rows->n * sizeof *f->w);
    f->waiting += rows->n;
    return MB_OK;
}

/* The node ticks until it is at rest. */
static mb_status settle(follow *f, mb_err *err)
{
    enum { SOON = 100 /* ms: less than a rest, more than a tick */ };
    mb_peer_status said;
    int64_t        before, now;
    int            rests = 0;

    mb_peer_look(f->node, now_ms(), &said);
    before = said.rows;
    for (int64_t t = 0; !rests && t < f->cs->args->opt.rounds; t++) {
        now = now_ms();
        MB_TRY(mb_peer_tick(f->node, now, err));
        rests = mb_peer_due(f->node) > now + SOON;
    }
    mb_peer_look(f->node, now_ms(), &said);
    f->changed |= f->waiting > 0 || said.rows != before;
    f->out = (mb_outcome){.rounds = said.rounds, .bound = said.bound, .ordered = 1};
    f->out.verdict = rests ? MB_ENDED_SETTLED : MB_ENDED_MOVING;
    f->learnt = (mb_update_totals){
        said.rows, f->cs->args->opt.weight_column ? 0 : (double)said.rows, said.bound};
    return MB_OK;
}

/* The answer of the batch takes the place of the one before, with its memory. */
static mb_status update(follow *f, mb_err *err)
{
    sim_update    *u = f->update;
    const int32_t  d = mb_posterior_columns(&f->p);
    const mb_table rows = {.rows = {.x = f->x, .w = f->w, .n = f->waiting, .d = d, .ld = (size_t)d},
                           .column = f->want.name,
                           .kinds = f->p.size.columns,
                           .name = f->cs->args->opt.data,
                           .last_is_target = 1};
    mb_fit_opt     opt = sim_fit_opt(f->job, f->cs);
    mb_arena      *next = mb_arena_new(1 << 16);
    mb_fit         fit = {0};
    mb_status      st;

    if (!next)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for an update");
    st = mb_fit_partial(next, &f->p, f->o->forget, &rows, &opt, &f->learnt, &fit, err);
    if (st == MB_OK && !fit.posterior.kind)
        st = mb_fail_(
            err, MB_E_DOMAIN, __FILE__, __LINE__,
            "%s: the rows that count do not determine the answer%s", f->cs->args->opt.data,
            f->o->forget < 1 ? "; expected --forget nearer 1, or more rows in a batch (--every)"
                             : "");
    f->out = fit.out;
    if (st == MB_OK) {
        f->p = fit.posterior;
        f->p.name = u->file;
        mb_arena_free(f->own);
        f->own = next;
        f->changed = 1;
    }
    mb_fit_close(&fit);
    if (st != MB_OK)
        mb_arena_free(next);
    return st;
}

/* The rows of the first answer are the first of the window. */
static mb_status first(follow *f, mb_err *err)
{
    const int32_t d = f->want.columns;
    const mb_rows rows = {.x = f->x, .w = f->w, .n = f->waiting, .d = d, .ld = (size_t)d};

    MB_TRY(follow_first(f, err));
    MB_TRY(follow_learner(f, err));
    f->most = f->often;
    if (!f->node)
        return MB_OK;
    MB_TRY(mb_peer_append(f->node, now_ms(), &rows, NULL, err));
    return settle(f, err);
}

mb_status follow_learn(follow *f, mb_err *err)
{
    const int64_t enough = f->ending ? 1 : FOLLOW_FIRST;
    mb_status     st = MB_OK;

    if (!f->p.kind && f->waiting < enough)
        return MB_OK;
    if (!f->p.kind)
        st = first(f, err);
    else if (f->node)
        st = settle(f, err);
    else if (f->waiting)
        st = update(f, err);
    f->waiting = 0;
    return st;
}

static mb_status write_to(follow *f, mb_arena *draft, mb_err *err)
{
    const mb_update_totals *all = &f->learnt;
    mb_posterior            p = f->p;
    mb_status               st;

    st = f->node ? mb_peer_posterior(draft, f->node, &p, err) : MB_OK;
    if (st == MB_E_DOMAIN)
        MB_FAIL(err, MB_E_DOMAIN,
                "%s: the %lld rows of the window do not determine the answer; %s stays as it is",
                f->cs->args->opt.data, (long long)all->rows, f->job->out);
    MB_TRY(st);
    f->from.rounds = f->out.rounds;
    f->from.verdict = mb_verdict_text(f->out.verdict);
    f->from.data_rows = all->rows;
    f->from.weight_total = all->weight;
    f->from.bound = all->bound;
    return mb_posterior_write(draft, &p, &f->from, f->job->out, err);
}

mb_status follow_write(follow *f, mb_err *err)
{
    mb_arena *draft = mb_arena_new(1 << 16);
    mb_status st;

    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for %s", f->job->out);
    st = write_to(f, draft, err);
    mb_arena_free(draft);
    return st;
}
