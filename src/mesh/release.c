/* release.c - a block of one release with differential privacy (docs/math.md, section 32). Before it,
 * nodes with mb_plan::privacy make one masked pass, in which each node adds the whole numbers
 * that its host has made of its rows and its noise, the same whatever record the pass is of. The
 * prior of the block is the posterior of their total, which knows the noise; rows count no more. */
#include "mesh/genesis.h"
#include "mesh/state.h"
#include "num/num.h"

#include <math.h>

/* A whole number is sent as two of 30 bits, with a sign in the upper one, as fractions: sums of both
 * are exact, and their size, which is the same whatever the rows are, is never said. */
static const double PART = 0x1p30;

static int32_t order_of(const mb_plan *plan)
{
    mb_sizes s;

    mb_plan_sizes(plan, &s);
    return plan->columns + s.intercept;
}

size_t mb_release_numbers_(const mb_plan *plan)
{
    return mb_svec_len_(order_of(plan));
}

mb_status mb_plan_privacy_(const mb_plan *plan, mb_privacy *out, mb_err *err)
{
    mb_sizes size;

    mb_plan_sizes(plan, &size);
    return mb_privacy_make(plan->kind, &size, plan->privacy, out, err);
}

mb_status mb_release_check_(const mb_peer_opt *o, mb_err *err)
{
    const mb_plan *plan = o->plan;
    mb_privacy     made;

    if (!plan->mask || plan->from != MB_GENESIS_RANGES || !o->release)
        MB_FAIL(err, MB_E_ARG,
                "privacy: got no %s; expected masked sums within bounds, which show no sum of a "
                "node before the noise of all is in it",
                !plan->mask  ? "masks"
                : o->release ? "bounds"
                             : "sums of the host");
    if (plan->privacy->nodes != o->declared->members)
        MB_FAIL(err, MB_E_ARG, "privacy: got %ld nodes that draw noise; expected all %ld members",
                (long)plan->privacy->nodes, (long)o->declared->members);
    return mb_plan_privacy_(plan, &made, err);
}

void mb_release_sums_(const mb_peer *p, double *sums)
{
    for (size_t l = 0; l < mb_release_numbers_(&p->plan); l++) {
        const double x = (double)p->opt.release[l], upper = floor(x / PART);

        sums[2 * l] = upper / PART;
        sums[2 * l + 1] = (x - upper * PART) / PART;
    }
}

static int64_t whole(const double *sums, size_t l)
{
    return llrint(sums[2 * l] * PART) * (int64_t)PART + llrint(sums[2 * l + 1] * PART);
}

/* Of all numbers; 0 of those of a plan that makes none, which no node begins with. */
static double unit_of(const mb_peer *p, mb_privacy *made)
{
    return mb_plan_privacy_(&p->plan, made, NULL) < 0 ? 0 : made->unit;
}

double mb_release_rows_(const mb_peer *p, const double *sums)
{
    mb_privacy made = {.unit = 0};

    if (!(unit_of(p, &made) > 0) || !made.constant)
        return (double)NAN;
    return (double)whole(sums, 0) / (double)llrint(1 / made.unit);
}

int64_t mb_release_far_(const mb_peer *p, const double *sums)
{
    static const double SDS = 100; /* of the noise of all nodes */
    const mb_declared  *d = p->opt.declared;
    mb_privacy          made = {.unit = 0};
    const double        unit = unit_of(p, &made);
    const double        sd = sqrt((double)d->members) * (double)made.share * unit;

    for (size_t l = 0; l < mb_release_numbers_(&p->plan); l++)
        if (!(fabs((double)whole(sums, l) * unit) <= 2 * d->rows + SDS * sd))
            return (int64_t)(2 * l);
    return -1;
}

void mb_release_hear_(mb_peer *p, const double *sums)
{
    for (size_t l = 0; l < mb_release_numbers_(&p->plan); l++)
        p->released[l] = whole(sums, l);
}

const int64_t *mb_peer_released_(const mb_peer *p)
{
    return MB_EPOCHS_(p->plan.privacy && p->life->run) ? p->released : NULL;
}

mb_status mb_release_posterior_(mb_arena *a, const mb_plan *plan, double rows, const int64_t *total,
                                mb_posterior *out, int32_t *raised, mb_err *err)
{
    mb_privacy made;
    mb_sizes   size;

    mb_plan_sizes(plan, &size);
    MB_TRY(mb_plan_privacy_(plan, &made, err));
    MB_TRY(mb_privacy_posterior(a, plan->kind, &size, &made, plan->bounds, llrint(rows), total, out,
                                raised, err));
    out->column = plan->column;
    out->target = plan->column + size.D;
    return MB_OK;
}

mb_status mb_release_genesis_(const mb_peer *p, mb_arena *a, mb_genesis *out, mb_err *err)
{
    const double *prior;
    mb_posterior  is;
    int32_t       raised;

    MB_TRY(
        mb_release_posterior_(a, &p->plan, p->opt.declared->rows, p->released, &is, &raised, err));
    prior = is.prior_par;
    is.prior_par = is.par;
    is.name = "privacy";
    MB_TRY(mb_genesis_of_posterior(a, &is, out, err));
    out->prior_par = prior; /* of which the answer is the posterior */
    out->hash = mb_genesis_hash_(out);
    return MB_OK;
}
