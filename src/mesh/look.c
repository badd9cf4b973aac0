/* look.c - what a node says of itself. */
#include "mesh/state.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

static const char *const verdicts[] = {"moving", "settled", "alone", "failed"};

const char *mb_peer_verdict_text(mb_peer_verdict v)
{
    return verdicts[v];
}

static double nodes_of(const mb_peer *p)
{
    return MB_COUNTS_(p->life->phase == MB_WAITING_) ? p->guard->nodes : p->life->N;
}

/* N at rest is a whole number, but for rounding. */
static int has_few(const mb_peer *p)
{
    return nodes_of(p) < mb_peer_fewest_(p) - 0.5;
}

static int is_at_rest(const mb_life_ *l)
{
    return !l->failed && mb_peer_done_(l) && !l->event && !l->edges_changed;
}

static int is_still(const mb_peer *p)
{
    return is_at_rest(p->life) && !has_few(p);
}

static mb_peer_verdict verdict_of(const mb_peer *p)
{
    const mb_life_ *l = p->life;

    if (l->failed)
        return MB_PEER_FAILED;
    if (l->phase == MB_RUNNING_ && !l->live)
        return MB_PEER_ALONE;
    return is_still(p) ? MB_PEER_SETTLED : MB_PEER_MOVING;
}

/* Texts follow "it". */
static const char *const doubts[MB_DOUBTS_] = {
    "",
    "knows a number of nodes that is not whole",
    "waits for a neighbour that knows another number of nodes, or another leader",
    "knows more nodes than the genesis lists",
    "knows another number of nodes than the members that are there by their statements",
    "finds other rows in all than are declared",
    "finds totals that no rows within what is declared can have"};

static const char *const stuck[MB_STUCKS_] = {
    "",
    "stays where all components have the same means, having gone back less than an hour ago: a "
    "neighbour may have said something wrong, or the rows have no more components than one",
    "stays outside the domain, having gone back less than an hour ago: its part of the network may "
    "have too few rows, or a neighbour may have said something wrong"};

/* 1: the sums of a start say what they wait for. */
static int sums_say(const mb_peer *p)
{
    (void)p; /* where there are no sums */
    return MB_EPOCHS_(p->epoch && (MB_MASKS_(p) || mb_epoch_doubts_(p)) && *mb_epoch_text_(p));
}

static const char *message_of(const mb_peer *p)
{
    const mb_life_ *l = p->life;

    if (l->failed)
        return l->message;
    if (l->phase == MB_WAITING_)
        return has_few(p)      ? "waits for min_nodes nodes"
               : l->message[0] ? l->message
               : sums_say(p)   ? mb_epoch_text_(p)
                               : "waits for a genesis";
    if (l->phase == MB_RUNNING_ && is_at_rest(l) && has_few(p))
        return "rests with fewer than min_nodes nodes";
    if (MB_EPOCHS_(p->epoch && l->phase == MB_RUNNING_ && (l->outside || p->epoch->wrong) &&
                   l->message[0]))
        return l->message;
    if (MB_EPOCHS_(p->epoch && l->phase == MB_RUNNING_ && *mb_epoch_text_(p)))
        return mb_epoch_text_(p);
    if (MB_BATCH_(p) && l->phase == MB_RUNNING_ && *p->batch_text)
        return p->batch_text;
    if (l->phase == MB_RUNNING_)
        return MB_BOUNDS_(p->guard->stuck) ? stuck[p->guard->stuck] : doubts[p->guard->doubt];
    return "greets its neighbours";
}

void mb_peer_look(const mb_peer *p, int64_t now, mb_peer_status *out)
{
    const mb_life_ *l = p->life;
    const int       runs = l->phase == MB_RUNNING_;

    (void)now;
    *out = (mb_peer_status){.id = p->opt.id,
                            .name = p->opt.name,
                            .incarnation = l->incarnation,
                            .tick = (int64_t)l->tick,
                            .rounds = l->rounds,
                            .verdict = verdict_of(p),
                            .message = message_of(p),
                            .run = l->run,
                            .n_nodes = nodes_of(p),
                            .hops = (int32_t)l->H,
                            .leader = (int32_t)l->leader,
                            .bound = runs ? p->phi[p->L + 1] : (double)NAN,
                            .disagreement =
                                runs && l->moved >= 0 && !l->event ? l->moved : (double)NAN,
                            .rows = mb_peer_rows_(p),
                            .frozen = l->frozen,
                            .bytes_sent = l->bytes_sent,
                            .frames_sent = l->frames_sent,
                            .frames_received = l->frames_received,
                            .neighbours = l->links,
                            .live = l->live,
                            .still = is_still(p),
                            .moves = l->busy && !p->guard->doubt};
    memcpy(out->refused, l->refused, sizeof out->refused);
}

void mb_peer_look_at(const mb_peer *p, int64_t now, int32_t j, mb_peer_neighbour *out)
{
    const mb_link_ *k = &p->link[j];
    const double    rtt = k->rtt < 0.01 ? 0 : k->rtt; /* echoes that come within a tick */

    now = mb_peer_clock_(now);
    *out = (mb_peer_neighbour){.id = k->id,
                               .live = k->live,
                               .age_ms = k->life ? (now > k->recv_ms ? now - k->recv_ms : 0) : -1,
                               .rtt_ms = k->acked ? rtt * p->life->tick_ms : (double)NAN,
                               .loss = k->loss >= 0 ? k->loss : (double)NAN,
                               .bytes = k->bytes,
                               .missed = k->age,
                               .echoed = (int64_t)k->acked,
                               .n_nodes = k->n_nodes,
                               .leader = (int32_t)p->link_guard[j].leader,
                               .agrees = mb_peer_agrees_(p, j),
                               .moves = !k->quiet};
}

const double *mb_peer_phi(const mb_peer *p)
{
    return p->life->run ? p->phi : NULL;
}

const mb_genesis *mb_peer_block(const mb_peer *p)
{
    return p->life->run ? &p->g : NULL;
}

mb_status mb_peer_posterior(mb_arena *a, const mb_peer *p, mb_posterior *out, mb_err *err)
{
    const mb_genesis *g = &p->g;

    if (p->life->phase != MB_RUNNING_)
        MB_FAIL(err, MB_E_PEER, "node %ld has no posterior yet: it %s", (long)p->opt.id,
                message_of(p));
    MB_TRY(mb_posterior_of(a, g->kind, &g->size, &p->model, &g->run, p->phi, NULL, out, err));
    out->column = p->plan.column;
    out->target = g->kind->targets ? p->plan.column + g->size.D : NULL;
    out->prior_par = g->prior_par;
    return MB_OK;
}
