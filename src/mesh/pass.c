/* pass.c - a tick of a node that runs SUM: its epoch, what came of the pass, what leaves
 * (docs/protocol.md, section 4b). */
#include "algo/sum.h"
#include "base/audit.h"
#include "mesh/epoch.h"
#include "mesh/state.h"

#include <math.h>
#include <string.h>

/* Passes in turn that move phi by at most tol, before the network rests. */
enum { STILL = 2 };

/* 1: a neighbour in the tree is awake in the pass in which this node rests. */
static int is_woken(const mb_peer *p)
{
    const mb_epoch_ *e = p->epoch;

    for (int32_t j = 0; j < p->life->links; j++) {
        const mb_stated_ *s = &p->branch[j].stated;

        if (mb_epoch_has_(p, j) && s->stage == MB_STAGE_RUNS_ && s->pass == e->pass &&
            !(s->flags & MB_SAYS_RESTS_))
            return 1;
    }
    return 0;
}

static void wake(mb_peer *p, mb_node *nd)
{
    mb_epoch_ *e = p->epoch;

    if (!e->rests || (!p->life->event && !is_woken(p)))
        return;
    e->rests = e->still = 0;
    e->since = (int64_t)p->life->tick;
    if (p->life->event && !MB_MASKS_(p)) /* under one mask there is one contribution */
        mb_sum_make_again_(nd);
}

/* The node's own part of the sum, of the rows as they are now; and what is due to each neighbour. */
static mb_status say(mb_peer *p, mb_err *err)
{
    mb_epoch_ *e = p->epoch;
    mb_node    nd = mb_epoch_node_(p);
    mb_status  st;

    if (!e->rests && !mb_sum_made_(&nd) && (p->life->event || e->seeds || e->stale)) {
        MB_TRY(mb_epoch_step_(p, e->seeds, err));
        e->stale = 0;
        nd = mb_epoch_node_(p);
        if (p->life->event)
            mb_sum_forget_(&nd);
        p->life->event = 0;
        if (e->seeds)
            mb_sum_first_(&nd, p->star);
    }
    st = mb_algo_sum.emit(&nd, p->star, p->sum_out, 2 * p->sum_len, err);
    if (MB_MASKS_(p) && !e->rests && !mb_sum_made_(&nd))
        mb_participants_refused_(p);
    e->words = 1;
    return st == MB_QUIET ? MB_OK : st;
}

/* s and the numbers behind phi as those of EDGE are at rest. */
static void show(mb_peer *p)
{
    const double N = p->life->N;

    for (size_t l = 0; l < p->L; l++)
        p->s[l] = (p->phi[l] - p->prior[l]) / N;
    p->s[p->L] = 1 / N;
    p->s[p->L + 1] = p->phi[p->L + 1] = p->epoch->bound;
    p->phi[p->L] = 1;
}

/* The root says whether the network rests, or begins again with the start block: where a node had no
 * local step, phi is outside the domain, or of steps that may be shortened cannot go back. */
static void decide(mb_peer *p, const mb_node *nd)
{
    const mb_life_ *l = p->life;
    mb_epoch_      *e = p->epoch;
    const int       moved = !(l->moved >= 0 && l->moved <= p->opt.tol);

    if (!mb_sum_was_refused_(nd))
        e->bound = mb_sum_bound_(nd);
    if (!isfinite(e->bound))
        e->bound = 0;
    e->seeds = p->model.ops->overshoots ? mb_sum_stays_(nd) : l->outside && mb_sum_was_void_(nd);
    e->still = moved || mb_sum_was_refused_(nd) ? 0 : e->still + 1;
    e->rests = e->still >= STILL;
}

/* What the parent says of the phi that has come. */
static void follow(mb_peer *p)
{
    mb_epoch_       *e = p->epoch;
    const int32_t    j = mb_peer_find_(p, e->parent);
    const mb_stated_ s = j < 0 ? (mb_stated_){.flags = 0} : p->branch[j].stated;

    e->seeds = (s.flags & MB_SAYS_SEEDS_) != 0;
    e->rests = (s.flags & MB_SAYS_RESTS_) != 0;
    e->bound = s.bound;
}

/* A pass of a start has ended: the root says whether it was the last one. */
static mb_status end_start(mb_peer *p, mb_err *err)
{
    mb_epoch_ *e = p->epoch;

    MB_TRY(mb_epoch_step_(p, 0, err));
    p->life->moved = -1;
    e->seeds = 0;
    if (e->parent < 0)
        e->rests = mb_peer_start_done_(p);
    else
        follow(p);
    mb_peer_start_received_(p);
    return MB_OK;
}

/* A pass has ended: phi is new. */
static mb_status end(mb_peer *p, mb_node *nd, mb_err *err)
{
    mb_life_     *l = p->life;
    mb_epoch_    *e = p->epoch;
    const int32_t seeds = e->seeds;

    MB_TRY(mb_epoch_step_(p, 0, err));
    l->moved =
        l->outside || seeds || !mb_sum_tells_(nd) ? -1 : mb_epoch_moved_(p, mb_algo_sum.step(nd));
    if (seeds) /* its bound was of no phi */
        mb_sum_forget_(nd);
    if (e->parent < 0)
        decide(p, nd);
    else
        follow(p);
    if (e->rests)
        l->moved = fmin(p->opt.tol, l->moved);
    show(p);
    return MB_OK;
}

/* A pass has ended: its total was one that can be. */
static void has_ended(mb_peer *p)
{
    p->epoch->since = (int64_t)p->life->tick;
    if (p->epoch->wrong == MB_WRONG_TOTAL_)
        p->epoch->wrong = 0;
}

/* The sums of children, which no mask hides, against what is declared of the rows in them; one that
 * cannot be is not taken, so that the pass does not end. */
static void check_children(mb_peer *p, const mb_node *nd)
{
    mb_err why = {.msg = ""};

    for (int32_t j = 0; j < p->life->links && !nd->masks; j++) {
        double *row = p->sum_in + 2 * (size_t)j * p->sum_len;

        if (!p->branch[j].child || !p->branch[j].fresh || mb_sum_carries_(nd, row) <= 0 ||
            mb_sum_row_pass_(nd, row) != p->epoch->pass + 1 || !mb_sum_read_(nd, row, p->vector))
            continue;
        if (mb_audit_sum_fits_(p, j, p->vector, &why)) {
            if (p->epoch->wrong == 1 + p->link[j].id)
                p->epoch->wrong = 0;
            continue;
        }
        p->epoch->wrong = 1 + p->link[j].id;
        mb_peer_note_(p, &why);
        p->branch[j].fresh = 0;
    }
}

/* Takes what came. */
static mb_status hear(mb_peer *p, mb_err *err)
{
    mb_node   nd = mb_epoch_node_(p);
    mb_inbox  in = {.deg = p->life->links, .msg = p->msg, .age = p->age, .fresh = p->fresh};
    mb_status st;

    if (MB_AUDIT_(p->opt.declared != NULL))
        check_children(p, &nd);
    for (int32_t j = 0; j < p->life->links; j++) {
        p->msg[j] = p->sum_in + 2 * (size_t)j * p->sum_len;
        p->age[j] = 0;
        p->fresh[j] = (uint8_t)p->branch[j].fresh;
        p->branch[j].fresh = 0;
    }
    memcpy(p->phi_before, p->at, p->len * sizeof *p->phi);
    memcpy(p->mu_before, p->mu, p->len * sizeof *p->mu);
    st = mb_algo_sum.absorb(&nd, p->star, NULL, 0, &in, err);
    memset(p->fresh, 0, (size_t)p->life->links);
    MB_TRY(st);
    p->epoch->pass = mb_sum_pass_(&nd);
    if (!mb_algo_sum.ready(&nd))
        return MB_OK;
    has_ended(p);
    return p->life->run ? end(p, &nd, err) : end_start(p, err);
}

mb_status mb_epoch_pass_(mb_peer *p, mb_err *err)
{
    mb_epoch_ *e = p->epoch;
    mb_node    nd;

    if (p->guard->reset) {
        mb_epoch_leave_(p, e->pass);
        e->again = 1;
    }
    p->guard->reset = 0;
    e->news = 0;
    mb_epoch_tick_(p);
    if (MB_BATCH_(p))
        mb_batch_say_(p);
    p->life->rounds++;
    if (e->stage != MB_STAGE_RUNS_)
        return MB_OK;
    nd = mb_epoch_node_(p);
    wake(p, &nd);
    if (e->rests && e->parent < 0 && !e->children) /* no child keeps it from the next pass */
        return MB_OK;
    MB_TRY(say(p, err));
    MB_TRY(hear(p, err));
    return say(p, err);
}
