/* algo/squarem.c - central VB in fewer passes over the rows: its iterates extrapolated (SQUAREM,
 * [VaradhanRoland08]) in the coordinates of the families, guarded by the bound (docs/math.md,
 * section 27).
 *
 * A cycle is x, x1 = phi*(x), x2 = phi*(x1), and, once the bound rises slowly, a trial
 * c = u^-1(u(x) - 2 a r + a^2 v), r = u(x1) - u(x), v = u(x2) - u(x1) - r, a = -|r|/|v|. The next
 * cycle begins with phi*(c), or with x2 when the bound at c is below that at x1. */
#include "algo/combine.h"
#include "expfam/expfam.h"

#include <math.h>
#include <string.h>

/* Numbers of memo: what phi is, the bound there, how long a step may be, whether that of the trial
 * is, and whether phi was taken back in this round. */
enum { STAGE, BOUND, LONGEST, FULL, BACK, MEMO };
enum { FIRST, SECOND, TRIAL };     /* phi is x, x1, c                       */
enum { FREE, PHI, STAR, VECTORS }; /* vectors of aux: u(x), and x1, x2 for a trial */

static const double slow = 2e-3;      /* of the bound: the largest rise before a trial */
static const double rounding = 1e-11; /* of the bound: no fall                         */
static const double start = 4, grow = 4, shrink = 0.5; /* how long a step may be       */

static const mb_opt opts[] = {{.name = NULL}};

static int32_t naux(const void *opt)
{
    (void)opt;
    return VECTORS;
}

static double longest(const mb_node *nd)
{
    return nd->memo[LONGEST] > 0 ? nd->memo[LONGEST] : start; /* 0 at first */
}

/* u2 := u(x) - 2 a r + a^2 v. 0: that is no farther than u2. */
static int extrapolate(mb_node *nd, const double *u1, double *u2)
{
    const double *u = nd->aux + FREE * nd->len, most = longest(nd);
    double        rr = 0, vv = 0, a;

    for (size_t l = 0; l < nd->len; l++) {
        const double r = u1[l] - u[l], v = u2[l] - u1[l] - r;

        rr += r * r;
        vv += v * v;
    }
    a = vv > 0 ? fmax(-sqrt(rr / vv), -most) : -1;
    nd->memo[FULL] = a <= -most;
    if (!(a < -1)) {
        nd->memo[LONGEST] = most > 1 ? most : start;
        return 0;
    }
    for (size_t l = 0; l < nd->len; l++) {
        const double r = u1[l] - u[l], v = u2[l] - u1[l] - r;

        u2[l] = u[l] - 2 * a * r + a * a * v;
    }
    return 1;
}

static void shorten(mb_node *nd)
{
    nd->memo[LONGEST] = fmax(1, shrink * longest(nd));
}

/* phi := the trial from x1 = phi and x2 = phi*, which are stored. 0: there is none. */
static int try(mb_node *nd, const double *phi_star)
{
    const mb_layout *l = nd->layout;
    double          *x1 = nd->aux + PHI * nd->len, *u2 = nd->scratch, *rest = u2 + nd->len;

    memcpy(x1, nd->phi, nd->len * sizeof *x1);
    memcpy(nd->aux + STAR * nd->len, phi_star, nd->len * sizeof *phi_star);
    if (mb_to_free(l, x1, nd->phi, rest, NULL) < 0 || mb_to_free(l, phi_star, u2, rest, NULL) < 0 ||
        !extrapolate(nd, nd->phi, u2))
        return 0;
    if (mb_from_free(l, nd->prior, u2, nd->phi, NULL) >= 0)
        return 1;
    shorten(nd);
    return 0;
}

static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    (void)msg, (void)ld, (void)in, (void)err;
    if (nd->memo[STAGE] == TRIAL) {
        if (try(nd, phi_star))
            return MB_OK;
        nd->memo[STAGE] = FIRST;
    }
    memcpy(nd->phi, phi_star, nd->len * sizeof *phi_star);
    return MB_OK;
}

/* Of a trial. Where the bound falls, the node goes back to x1, and its phi* is x2. */
static int end_trial(mb_node *nd, double *phi_star, double *bound)
{
    const double before = nd->memo[BOUND];

    if (*bound >= before - rounding * fabs(before)) {
        nd->memo[LONGEST] = longest(nd) * (nd->memo[FULL] > 0 ? grow : 1);
        return 0;
    }
    shorten(nd);
    memcpy(nd->phi, nd->aux + PHI * nd->len, nd->len * sizeof *nd->phi);
    memcpy(phi_star, nd->aux + STAR * nd->len, nd->len * sizeof *phi_star);
    *bound = before;
    return 1;
}

static int32_t judge(mb_node *nd, double *phi_star, double *bound)
{
    const double before = nd->memo[BOUND];
    int          back = 0, next = FIRST;

    if (nd->memo[STAGE] == TRIAL)
        back = end_trial(nd, phi_star, bound);
    else if (nd->memo[STAGE] == SECOND)
        next = fabs(*bound - before) <= slow * fabs(*bound) ? TRIAL : FIRST;
    else if (isfinite(*bound) &&
             mb_to_free(nd->layout, nd->phi, nd->aux + FREE * nd->len, nd->scratch, NULL) >= 0)
        next = SECOND;
    nd->memo[STAGE] = isfinite(*bound) ? next : FIRST;
    nd->memo[BOUND] = *bound;
    nd->memo[BACK] = back;
    return back;
}

/* A round that was taken back moved nothing, and says nothing of how far the target is. */
static double step(const mb_node *nd)
{
    return nd->memo[BACK] > 0 ? (double)NAN : 1;
}

static const char about[] =
    "Central VB whose steps are extrapolated (SQUAREM) wherever the lower bound does not fall, so "
    "that it settles in fewer passes over the rows.\n";

const mb_algo mb_algo_squarem = {
    .name = "squarem",
    .title = "central VB in fewer passes",
    .about = about,
    .opts = opts,
    .fanout = MB_BROADCAST,
    .needs = MB_NEEDS_NO_MSG,
    .memo = MEMO,
    .naux = naux,
    .step = step,
    .emit = mb_emit_nothing_,
    .absorb = absorb,
    .judge = judge,
};
