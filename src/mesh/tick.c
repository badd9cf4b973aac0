/* tick.c - one step of a node's own time, and when the next one is due. */
#include "mesh/audit.h"
#include "mesh/guarded.h"
#include "mesh/state.h"

#include <math.h>

/* Own ticks: a node is not at rest before; without a frame of a neighbour it never heard. */
enum { FIRST = 3, LEADER_LATE = 20, SILENT = 40 };
/* Own ticks a hop, times the mean slowness of the edges: word of movement to the leader and back. */
enum { WAVE = 2 };

/* A neighbour that may still come: nothing is sealed before it was heard, or the time is over. */
static int is_missing(const mb_peer *p, const mb_link_ *k)
{
    return !k->life && (int64_t)p->life->tick - p->life->since <= SILENT;
}

static int misses_neighbours(const mb_peer *p)
{
    for (int32_t j = 0; j < p->life->links; j++)
        if (is_missing(p, &p->link[j]))
            return 1;
    return 0;
}

static int is_waiting(const mb_peer *p)
{
    static const double STILL = 1e-12; /* sums are then exact to 1e-9 where errors fall slowly */
    const mb_life_     *l = p->life;

    if (MB_COUNTS_(p->guard->nodes < p->opt.min_nodes))
        return 1;
    if (misses_neighbours(p))
        return 1;
    return l->sample_changed || (p->sums ? !(l->moved >= 0 && l->moved <= STILL) : l->samples == 0);
}

static int is_leaderless(const mb_life_ *l)
{
    return (double)l->beat_age > LEADER_LATE * l->mean_slow;
}

/* Of numbers of nodes, relative. */
static const double ALIKE = 1e-6;

int mb_peer_counted_(double N)
{
    return fabs(N - floor(N + 0.5)) <= ALIKE * N;
}

int mb_peer_agrees_(const mb_peer *p, int32_t j)
{
    const mb_life_ *l = p->life;

    return fabs(p->link[j].n_nodes - l->N) <= ALIKE * l->N && p->link_guard[j].leader == l->leader;
}

/* Why the node does not settle although nothing moves: N is no whole number, a live neighbour knows
 * another N or another leader, or there are more nodes or other rows than declared. */
static mb_doubt_ doubt(const mb_peer *p)
{
    const mb_life_ *l = p->life;

    if (!(p->opt.n_nodes > 0) && !mb_peer_counted_(l->N))
        return MB_DOUBT_WHOLE_;
    for (int32_t j = 0; j < l->links; j++)
        if (p->link[j].live && !mb_peer_agrees_(p, j))
            return MB_DOUBT_NEIGHBOUR_;
    return MB_AUDIT_(p->opt.declared != NULL) ? mb_audit_doubt_(p) : MB_DOUBT_NONE_;
}

static int is_busy(const mb_peer *p)
{
    static const double COUNTED = 1e-11; /* N is then exact to 1e-9 where its error falls slowly */
    const mb_life_     *l = p->life;

    if (l->phase != MB_RUNNING_)
        return l->phase == MB_GREETING_ || is_waiting(p);
    if (MB_EPOCHS_(p->epoch && !mb_epoch_rests_(p)))
        return 1;
    return l->outside || !(l->moved >= 0 && l->moved <= p->opt.tol) || l->counted > COUNTED ||
           l->edges_changed || l->event || (int64_t)l->tick - l->since <= FIRST || is_leaderless(l);
}

/* A neighbour whose counter matters: in use, or before there are edges, heard lately. */
static int counts(const mb_peer *p, const mb_link_ *k)
{
    return p->life->phase == MB_RUNNING_ ? k->live : mb_peer_hears_(k);
}

/* a_i: 0 while busy, else one more than the least around, once all were heard since it changed. */
static void count_quiet(mb_peer *p)
{
    mb_life_ *l = p->life;
    uint32_t  least = l->quiet;
    int       all_received = 1;

    for (int32_t j = 0; j < l->links; j++)
        if (counts(p, &p->link[j])) {
            all_received &= p->link[j].received;
            least = p->link[j].quiet < least ? p->link[j].quiet : least;
        }
    l->busy = is_busy(p);
    p->guard->doubt = MB_DOUBT_NONE_;
    if (!l->busy && l->phase == MB_RUNNING_)
        p->guard->doubt = (int32_t)doubt(p);
    l->busy |= p->guard->doubt != MB_DOUBT_NONE_;
    if (!l->busy && !all_received)
        return;
    least = l->busy ? 0 : least < MB_QUIET_MOST_ ? least + 1 : least;
    if (least == l->quiet)
        return;
    /* The leader may be asleep as yet. A node that its silence wakes stays awake until it is suspected. */
    if (mb_peer_done_(l) && least <= mb_peer_enough_(l) && !is_leaderless(l))
        l->beat_age = -(int64_t)(WAVE * l->hop * l->mean_slow);
    l->quiet = least;
    for (int32_t j = 0; j < l->links; j++)
        p->link[j].received = 0;
}

/* Draws the genesis. Where the rows that there are make none, the node waits for more of them, or for
 * neighbours that have some, and says why. */
static mb_status seal(mb_peer *p, mb_err *err)
{
    mb_err    why = {.msg = ""};
    mb_status st = mb_peer_seal_(p, &why);

    if (st == MB_E_NOMEM)
        MB_FAIL(err, MB_E_NOMEM, "%s", why.msg);
    if (st < 0)
        mb_peer_note_(p, &why);
    return MB_OK;
}

/* Waiting, where the block is to be of sums. */
static mb_status start(mb_peer *p, mb_err *err)
{
    if (misses_neighbours(p))
        return MB_OK;
    MB_TRY(mb_epoch_pass_(p, err));
    if (p->epoch->stage == MB_STAGE_RUNS_ && p->epoch->parent < 0 && mb_peer_start_done_(p))
        return seal(p, err);
    return MB_OK;
}

static mb_status act(mb_peer *p, mb_err *err)
{
    mb_life_ *l = p->life;

    if (MB_EPOCHS_(p->epoch && l->phase == MB_RUNNING_))
        return mb_epoch_pass_(p, err);
    if (l->phase == MB_RUNNING_)
        return MB_BOUNDS_(1) ? mb_peer_watch_(p, err) : mb_peer_round_(p, err);
    if (l->phase == MB_GREETING_)
        return mb_peer_greet_(p, err);
    if (!MB_EPOCHS_(p->epoch && p->epoch->wrong))
        l->message[0] = '\0';
    if (MB_COUNTS_(1))
        mb_peer_count_(p);
    if (MB_EPOCHS_(p->start_len > 0))
        return start(p, err);
    if (p->sums)
        MB_TRY(mb_peer_average_(p, err));
    if (p->plan.from != MB_GENESIS_GIVEN && l->quiet > mb_peer_enough_(l) &&
        l->leader == (uint32_t)p->opt.id)
        return seal(p, err);
    return MB_OK;
}

/* The mean time between two ticks; a restart or a jump says nothing of it. */
static void read_clock(mb_peer *p, int64_t now)
{
    mb_life_ *l = p->life;

    if (mb_peer_read_clock_(p, now) && l->tick && !(l->event & 2))
        l->tick_ms += 0.05 * ((double)(now - l->ticked_ms) - l->tick_ms);
    l->ticked_ms = now;
}

/* At rest, a neighbour is asked: whether it is gone is found out at the speed of a node that is awake. */
static int misses_one(const mb_peer *p)
{
    for (int32_t j = 0; j < p->life->links; j++)
        if (mb_peer_asks_(p, &p->link[j]))
            return 1;
    return 0;
}

static int hurries(const mb_peer *p)
{
    return MB_AUDIT_(p->audit != NULL) && mb_audit_hurries_(p);
}

mb_status mb_peer_tick(mb_peer *p, int64_t now, mb_err *err)
{
    mb_life_      *l = p->life;
    const uint32_t H = l->H;
    mb_err         why = {.msg = ""}; /* the status says it, whether the host asks here or not */
    mb_status      st;

    if (l->failed)
        MB_FAIL(err, MB_E_NUMERIC, "%s", l->message);
    now = mb_peer_clock_(now);
    read_clock(p, now);
    mb_peer_window_(p, now);
    l->tick++;
    mb_peer_age_(p);
    mb_peer_lead_(p);
    if (l->H != H)
        mb_peer_tune_(p);
    st = act(p, &why);
    if (st < 0) {
        mb_peer_fail_(p, &why);
        if (err)
            *err = why;
        return MB_E_NUMERIC;
    }
    count_quiet(p);
    l->edges_changed = l->sample_changed = 0;
    if (MB_AUDIT_(p->audit != NULL))
        mb_audit_tick_(p, now, l->busy && !p->guard->doubt);
    l->due_ms =
        now + (mb_peer_done_(l) && !misses_one(p) && !hurries(p) ? p->opt.rest_ms : p->opt.tick_ms);
    return MB_OK;
}

int64_t mb_peer_due(const mb_peer *p)
{
    return p->life->failed ? INT64_MAX : p->life->due_ms;
}

int mb_peer_continues_(const mb_peer *p)
{
    return MB_EPOCHS_(p->epoch && p->life->phase == MB_RUNNING_ && !p->life->failed) &&
           (mb_epoch_continues_(p) || mb_epoch_completes_(p));
}

int mb_peer_waits_(const mb_peer *p)
{
    if (p->life->phase == MB_WAITING_ && MB_COUNTS_(p->guard->nodes < p->opt.min_nodes))
        return 1;
    return MB_EPOCHS_(p->epoch != NULL) && mb_epoch_waits_(p);
}

int mb_peer_ready(const mb_peer *p)
{
    const mb_life_ *l = p->life;
    int32_t         received = 0;

    if (l->failed || mb_peer_done_(l))
        return 0;
    for (int32_t j = 0; j < l->links; j++)
        if (counts(p, &p->link[j])) {
            if (p->link[j].age)
                return 0;
            received++;
        }
    return received > 0;
}
