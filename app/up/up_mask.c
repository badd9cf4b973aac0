/* up_mask.c - whether the nodes of `up` mask their sums, and the members that the genesis then lists. */
#include "base/app.h"
#include "mesh/genesis.h"
#include "up/up.h"

#include <math.h>

enum { FEWEST = 3 /* nodes */ };

/* Rows of a batch; 0: those of the beginning are all. */
static int64_t batch_of(const up *u)
{
    return u->opt.rows_batch   ? u->opt.rows_batch
           : u->block.declared ? u->block.declared->rows_batch
                               : 0;
}

static int has_rows_that_come(const up *u)
{
    for (int64_t k = 0; !batch_of(u) && k < u->schedule.n; k++)
        if (u->schedule.event[k].kind == MB_EVENT_ROWS)
            return 1;
    return u->args.window_rows > 0 || u->args.window_s > 0;
}

/* Why these nodes cannot mask their sums; NULL: they can. */
static const char *hindrance(const up *u)
{
    if (u->plan.algo != &mb_algo_sum)
        return "what other algorithms send cannot be masked; use --algorithm sum";
    if (mb_genesis_bears_masks_(u->args.from, 1, NULL) < 0)
        return "a genesis that nodes draw shows rows to all of them; use --genesis FILE or "
               "--bounds FILE";
    if (u->cs->network->net.n < FEWEST)
        return "of two nodes each computes the sums of the other; expected 3 or more";
    if (has_rows_that_come(u))
        return "masks take rows that do not change; expected no --window and no rows that arrive";
    return u->opt.insecure ? "masks take keys; expected no --insecure" : NULL;
}

/* Batches are of masked sums, and of nodes that remember which rows are in them. */
static mb_status check_batch(const up *u, const char *why, mb_err *err)
{
    const mb_declared *agreed = u->block.declared;

    if (batch_of(u) && u->masked && u->cs->rows->data.w && !(agreed && agreed->weight_max > 0))
        MB_FAIL(err, MB_E_ARG,
                "--rows-batch: got rows with weights; expected none, or --genesis FILE with "
                "\"weight_max\", the largest weight that a row may have");
    if (!u->opt.rows_batch)
        return MB_OK;
    if (agreed && agreed->rows_batch && agreed->rows_batch != u->opt.rows_batch)
        MB_FAIL(err, MB_E_ARG, "--rows-batch: got %lld; expected %lld, as %s says, or none",
                (long long)u->opt.rows_batch, (long long)agreed->rows_batch, u->args.genesis);
    if (!u->masked)
        MB_FAIL(err, MB_E_ARG, "--rows-batch: sums are not masked%s%s; expected %s, or none",
                why ? ": " : "", why ? why : "",
                why               ? "masks"
                : u->opt.virtual_ ? "--mask on"
                                  : "--mask auto or on");
    if (!u->args.checkpoint_ticks)
        MB_FAIL(
            err, MB_E_ARG,
            "--rows-batch: got --checkpoint-ticks 0; expected 1 or more, as each node remembers "
            "on its disk which rows are in the sums");
    return MB_OK;
}

mb_status up_mask_choose(up *u, mb_err *err)
{
    const mb_declared *agreed = u->block.declared;
    const char        *why = hindrance(u);

    if (u->opt.mask == UP_MASK_AUTO && agreed && agreed->mask)
        u->opt.mask = agreed->mask > 0 ? UP_MASK_ON : UP_MASK_OFF;
    if (u->opt.mask == UP_MASK_OFF && agreed && agreed->mask > 0)
        MB_FAIL(err, MB_E_ARG,
                "--mask: got off, but the genesis says that sums are masked; "
                "expected on or auto, or another genesis");
    if (u->opt.mask == UP_MASK_ON && why)
        MB_FAIL(err, MB_E_ARG, "%s: %s", u->private_ ? "--privacy" : "--mask on", why);
    u->masked =
        u->opt.mask == UP_MASK_ON || (u->opt.mask == UP_MASK_AUTO && !u->opt.virtual_ && !why);
    if (why && u->opt.mask == UP_MASK_AUTO && !u->opt.virtual_ && u->plan.algo == &mb_algo_sum)
        app_note("up", "sums are not masked: %s", why);
    return check_batch(u, why, err);
}

/* The stated bounds are a range of every row, by which the words of sums are fewer; those of a plan are
 * one without it. */
static mb_status declare_range(const up *u, mb_declared *d, mb_err *err)
{
    const mb_bounds *b = &u->cs->bounds;
    double          *range;

    if (d->range || !b->d || b->d != d->columns)
        return MB_OK;
    d->gaps = u->cs->table.rows.gaps;
    if (u->plan.bounds)
        return MB_OK;
    MB_NEW(range, u->job->a, 2 * (size_t)b->d, err);
    for (int32_t k = 0; k < b->d; k++) {
        range[2 * k] = b->low[k];
        range[2 * k + 1] = b->high[k];
    }
    d->range = range;
    return MB_OK;
}

mb_status up_mask_declare(up *u, const char *const *key, mb_err *err)
{
    const mb_network *net = &u->cs->network->net;
    const mb_rows    *rows = u->how.rows;
    mb_member        *member;
    mb_declared      *d;

    MB_NEW(d, u->job->a, 1, err);
    MB_NEW(member, u->job->a, net->n, err);
    *d = u->block.declared ? *u->block.declared
                           : (mb_declared){.columns = u->plan.columns, .weight_max = (double)NAN};
    d->rows = 0; /* the sum of those of the members, as a file of it is read */
    for (int32_t i = 0; i < net->n; i++) {
        member[i] = (mb_member){.id = i, .key = key ? key[i] : NULL, .name = net->id[i]};
        for (int64_t j = 0; j < rows[i].n; j++)
            member[i].rows += rows[i].w && !batch_of(u) ? rows[i].w[j] : 1;
        d->rows += member[i].rows;
    }
    d->at_most = 0;
    d->members = net->n;
    d->member = member;
    d->links = net->g;
    d->mask = 1;
    d->rows_batch = batch_of(u);
    MB_TRY(declare_range(u, d, err));
    d->hash = mb_declared_hash_(d);
    u->block.declared = d;
    u->plan.mask = d->hash;
    return MB_OK;
}

const char *up_mask_text(const up *u)
{
    return !u->masked ? NULL : u->opt.virtual_ ? "simulated" : "on";
}
