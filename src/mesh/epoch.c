/* epoch.c - records of SUM on nodes, and the tree of each: a record floods, and the neighbour from
 * which a node has it is its parent; the answers come back and count the nodes (docs/protocol.md,
 * section 4b). */
#include "mesh/epoch.h"
#include "algo/sum.h"
#include "mesh/state.h"

#include <math.h>
#include <string.h>

/* Own ticks, times the slowness of the edges and the hops: a root whose pass does not end by then
 * proposes another epoch. */
enum { LATE = 40 };

/* 1: neighbour j is heard, and in the epoch of this node. */
static int is_with(const mb_peer *p, int32_t j)
{
    return p->link[j].live && mb_record_is_(&p->branch[j].stated.record, &p->epoch->record);
}

/* 1: it says that this node is its parent. */
static int claims(const mb_peer *p, int32_t j)
{
    return is_with(p, j) && p->branch[j].stated.flags & MB_SAYS_PARENT_;
}

int mb_epoch_has_(const mb_peer *p, int32_t j)
{
    return p->link[j].live && (p->branch[j].child || p->link[j].id == p->epoch->parent);
}

int mb_epoch_rests_(const mb_peer *p)
{
    return p->epoch->stage == MB_STAGE_RUNS_ && p->epoch->rests;
}

const mb_layout *mb_epoch_layout_(const mb_peer *p)
{
    return p->start_len && !p->life->run ? &p->start : &p->model.layout;
}

mb_node mb_epoch_node_(mb_peer *p)
{
    static const mb_sum_root start = {mb_audit_total_fits_, mb_peer_start_next_},
                             run = {mb_audit_total_fits_, NULL};
    mb_life_  *l = p->life;
    mb_epoch_ *e = p->epoch;

    for (int32_t j = 0; j < l->links; j++)
        p->sum_tree[j] = (uint8_t)(!mb_epoch_has_(p, j)         ? 0
                                   : p->link[j].id == e->parent ? MB_TO_ROOT
                                                                : 1);
    p->sum_opt = (mb_sum_opt){.n = (int32_t)e->nodes,
                              .lossy = 1,
                              .shortens = p->model.ops->overshoots,
                              .root = l->run ? &run : &start,
                              .self = p};
    return (mb_node){.layout = mb_epoch_layout_(p),
                     .len = p->sum_len,
                     .opt = &p->sum_opt,
                     .t = l->rounds + 1,
                     .id = p->opt.id,
                     .deg = l->links,
                     .tree = p->sum_tree,
                     .scale = l->N,
                     .prior = p->prior,
                     .most = mb_epoch_most_(p),
                     .masks = p->taking ? p->opt.masks : NULL,
                     .phi = p->phi,
                     .mu = p->mu,
                     .bound = e->seeds || !l->run ? 0 : p->star[p->L + 1],
                     .words = p->sum_words,
                     .aux = p->sum_aux,
                     .edge = p->sum_edge,
                     .memo = p->sum_memo,
                     .scratch = p->scratch,
                     .outside = !e->seeds && l->outside,
                     .on_domain = MB_FREEZE,
                     .eps = p->model.eps,
                     .projected = &l->projected};
}

const double *mb_epoch_most_(const mb_peer *p)
{
    return p->epoch->sized && p->life->run ? p->sum_most_of : NULL;
}

int32_t mb_epoch_bits_(const mb_peer *p)
{
    const mb_sum_opt opt = {.n = p->epoch->nodes ? (int32_t)p->epoch->nodes : 1};
    const mb_node    nd = {.layout = mb_epoch_layout_(p),
                           .len = p->sum_len,
                           .opt = &opt,
                           .most = mb_epoch_most_(p),
                           .aux = p->sum_aux};

    return mb_sum_bits_(&nd);
}

/* What an epoch has begins again. Passes that only lowered exponents are forgotten with these: none
 * made phi. That the next pass is of the start block is not. */
static void enter(mb_peer *p, const mb_record_ *record, int32_t parent, uint32_t hop)
{
    mb_epoch_ *e = p->epoch;

    if (!mb_sum_begun_(p->sum_memo))
        e->pass = 0;
    e->again |= e->seeds && e->pass;
    e->record = *record;
    e->stage = MB_STAGE_GATHERS_;
    e->parent = parent;
    e->hop = hop;
    e->children = e->rests = e->seeds = e->still = e->central = 0;
    e->depth = e->longest = e->middle = 0;
    e->sized = 0;
    e->wrong = e->wrong == MB_WRONG_TOTAL_ ? e->wrong : 0; /* until a pass ends */
    e->nodes = 1;
    e->best = e->pass;
    e->since = (int64_t)p->life->tick;
    for (int32_t j = 0; j < p->life->links; j++) {
        p->branch[j].child = p->branch[j].fresh = 0;
        p->branch[j].sent = 0;
    }
    if (MB_MASKS_(p))
        mb_participants_enter_(p);
}

void mb_epoch_leave_(mb_peer *p, uint64_t pass)
{
    p->epoch->stage = MB_STAGE_NONE_;
    p->epoch->pass = pass;
    p->epoch->rests = 0;
    memset(p->sum_aux, 0, (size_t)mb_algo_sum.naux(NULL) * p->sum_len * sizeof *p->sum_aux);
    for (int32_t j = 0; j < p->life->links; j++)
        p->branch[j] = (mb_branch_){.fresh = 0};
}

void mb_epoch_unknown_(mb_peer *p, int32_t j)
{
    if (p->link[j].live)
        mb_peer_drop_(p, j);
    p->branch[j] = (mb_branch_){.fresh = 0};
}

static void propose(mb_peer *p)
{
    mb_epoch_       *e = p->epoch;
    const uint64_t   most = e->counter > e->record.counter ? e->counter : e->record.counter;
    const mb_record_ record = {most + 1, (uint32_t)p->opt.id, p->life->incarnation};

    enter(p, &record, -1, 0);
}

/* The highest record that a neighbour says; of several that say it, the one nearest to the root is
 * the parent. */
static void join(mb_peer *p)
{
    const mb_branch_ *best = NULL;
    int32_t           parent = -1;

    for (int32_t j = 0; j < p->life->links; j++) {
        const mb_branch_ *b = &p->branch[j];

        if (!p->link[j].live || !mb_record_is_higher_(&b->stated.record, &p->epoch->record))
            continue;
        if (best && !mb_record_is_higher_(&b->stated.record, &best->stated.record) &&
            (mb_record_is_higher_(&best->stated.record, &b->stated.record) ||
             b->stated.hop >= best->stated.hop))
            continue;
        best = b;
        parent = p->link[j].id;
    }
    if (best)
        enter(p, &best->stated.record, parent, best->stated.hop + 1u);
}

/* 1: the root knows too few nodes, and waits for more before there is a first pass; with masks for
 * every member, always. */
static int waits_for_nodes(const mb_peer *p)
{
    if (MB_MASKS_(p) && (*p->mask_text || mb_participants_missing_(p)))
        return 1;
    return p->epoch->pass + p->epoch->best == 0 &&
           (p->epoch->nodes < p->opt.n_nodes - 0.5 || p->epoch->nodes < mb_peer_fewest_(p) - 0.5);
}

int mb_epoch_doubts_(const mb_peer *p)
{
    const mb_epoch_ *e = p->epoch;
    const int32_t    j = e->parent < 0 ? -1 : mb_peer_find_(p, e->parent);

    if (e->parent < 0)
        return e->wrong == MB_WRONG_TOTAL_;
    return j >= 0 && is_with(p, j) && p->branch[j].stated.flags & MB_SAYS_WRONG_;
}

int mb_epoch_waits_(const mb_peer *p)
{
    return (MB_MASKS_(p) && *p->mask_text) || mb_epoch_doubts_(p) ||
           (p->epoch->stage != MB_STAGE_RUNS_ && p->epoch->parent < 0 && waits_for_nodes(p));
}

const char *mb_epoch_text_(const mb_peer *p)
{
    if (MB_MASKS_(p) && *p->mask_text)
        return p->mask_text;
    if (mb_epoch_doubts_(p))
        return "waits: the root of the sums has a total that no rows as declared have";
    if (p->epoch->stage == MB_STAGE_RUNS_)
        return "";
    return mb_epoch_waits_(p) ? "waits for more nodes before the first sum"
                              : "waits for a tree to sum over";
}

static int is_late(const mb_peer *p)
{
    const mb_epoch_ *e = p->epoch;
    const double     ticks = (double)((int64_t)p->life->tick - e->since);

    return e->parent < 0 && !e->rests && !(e->stage == MB_STAGE_GATHERS_ && waits_for_nodes(p)) &&
           ticks > LATE * p->life->mean_slow * (p->life->H + 2.0);
}

/* 1: the parent is not heard, or is in an earlier epoch or none. */
static int is_orphan(const mb_peer *p)
{
    const int32_t j = p->epoch->parent < 0 ? -1 : mb_peer_find_(p, p->epoch->parent);

    return p->epoch->parent >= 0 &&
           (j < 0 || !p->link[j].live ||
            mb_record_is_higher_(&p->epoch->record, &p->branch[j].stated.record));
}

/* 1: the children are not those that have answered, or a neighbour is not in the tree. */
static int has_others(const mb_peer *p)
{
    int32_t children = 0;

    for (int32_t j = 0; j < p->life->links; j++) {
        if (!p->link[j].live)
            continue;
        if (!is_with(p, j) || claims(p, j) != p->branch[j].child)
            return 1;
        children += p->branch[j].child;
    }
    return children != p->epoch->children;
}

static int is_due(const mb_peer *p)
{
    const mb_epoch_ *e = p->epoch;

    return e->stage == MB_STAGE_NONE_ || is_orphan(p) || is_late(p) ||
           (e->stage > MB_STAGE_GATHERS_ && has_others(p)) ||
           (MB_BATCH_(p) && e->parent < 0 && mb_batch_ready_(p) >= MB_BATCHES_);
}

void mb_epoch_begin_(mb_peer *p, uint32_t n, uint64_t pass, int32_t seeds)
{
    mb_epoch_ *e = p->epoch;
    mb_node    nd;

    e->stage = MB_STAGE_RUNS_;
    e->nodes = n;
    e->pass = pass;
    e->seeds = seeds || !pass;
    e->again = e->words = 0;
    e->stale = 1;
    e->since = (int64_t)p->life->tick;
    if (!p->life->run && !pass) /* who begins it knows of no state */
        memset(p->phi, 0, p->start_len * sizeof *p->phi);
    p->life->N = n;
    p->life->moved = -1;
    nd = mb_epoch_node_(p);
    mb_sum_begin_(&nd, pass);
}

/* 1: neighbour j has no part in a start as yet, of whose first sums all nodes are to be. */
static int is_to_come(const mb_peer *p, int32_t j)
{
    const mb_link_ *l = &p->link[j];

    return !p->life->run && !l->live && mb_peer_hears_(l) && l->flags & MB_FRAME_HEARS_;
}

/* 1: all neighbours are in the epoch, and those whose parent this node is have answered. */
static int has_gathered(const mb_peer *p)
{
    for (int32_t j = 0; j < p->life->links; j++) {
        const mb_stated_ *stated = &p->branch[j].stated;

        if ((p->link[j].live && !is_with(p, j)) || is_to_come(p, j))
            return 0;
        if (claims(p, j) && (stated->stage != MB_STAGE_GATHERED_ || stated->pass > p->epoch->best ||
                             (MB_MASKS_(p) && !mb_participants_has_(p, j))))
            return 0;
    }
    return 1;
}

/* Declared of a member; -1: not. */
static double declared_of(const mb_peer *p, int32_t id)
{
    const mb_declared *d = p->opt.declared;
    const int32_t      k = mb_declared_find(d, id);

    return k < 0 || isnan(d->member[k].rows) ? -1 : d->member[k].rows;
}

/* A child without others below it is taken by the list, whatever it says. */
static void add_declared(mb_peer *p, int32_t j)
{
    mb_epoch_        *e = p->epoch;
    const mb_stated_ *s = &p->branch[j].stated;

    p->branch[j].rows = s->nodes > 1 ? s->bound : declared_of(p, p->link[j].id);
    e->rows = e->rows < 0 || p->branch[j].rows < 0 ? -1 : e->rows + p->branch[j].rows;
}

/* Paths through the node have its two deepest branches, of which one is the longest one. */
static void add_shape(mb_peer *p, int32_t j)
{
    mb_epoch_     *e = p->epoch;
    const uint64_t shape = p->branch[j].stated.received;
    const uint32_t deep = 1 + (uint32_t)(shape % MB_SHAPE_), below = (uint32_t)(shape / MB_SHAPE_);

    e->longest = below > e->longest ? below : e->longest;
    e->longest = e->depth + deep > e->longest ? e->depth + deep : e->longest;
    if (deep <= e->depth)
        return;
    e->depth = deep;
    e->deepest = p->link[j].id;
}

static void gather(mb_peer *p)
{
    mb_epoch_ *e = p->epoch;

    e->nodes = 1;
    e->children = 0;
    e->depth = e->longest = 0;
    e->rows = declared_of(p, p->opt.id);
    for (int32_t j = 0; j < p->life->links; j++) {
        const mb_stated_ *stated = &p->branch[j].stated;

        p->branch[j].child = claims(p, j);
        if (MB_MASKS_(p) && !p->branch[j].child)
            mb_participants_drop_(p, j);
        if (!p->branch[j].child)
            continue;
        add_shape(p, j);
        add_declared(p, j);
        e->nodes += stated->nodes < INT32_MAX - e->nodes ? stated->nodes : 0;
        e->children++;
        e->again |= (stated->flags & MB_SAYS_AGAIN_) != 0;
    }
}

int mb_epoch_continues_(const mb_peer *p)
{
    const mb_epoch_ *e = p->epoch;

    for (int32_t j = 0; e->news && j < p->life->links; j++)
        if (p->link[j].live && mb_record_is_higher_(&p->branch[j].stated.record, &e->record))
            return 1;
    return e->news && e->stage == MB_STAGE_GATHERS_ && has_gathered(p);
}

/* A pass goes twice from the root to the farthest node: that in the middle of the tree is to be the
 * root of the next one. Asked by its parent, a node is it, or asks its deepest child. */
static void seek(mb_peer *p)
{
    mb_epoch_        *e = p->epoch;
    const int32_t     j = e->parent < 0 ? -1 : mb_peer_find_(p, e->parent);
    const mb_stated_ *s = j < 0 ? NULL : &p->branch[j].stated;

    if (e->stage != MB_STAGE_GATHERED_ || !s || !is_with(p, j) || !(s->flags & MB_SAYS_MIDDLE_))
        return;
    if (e->depth > s->received) {
        e->middle = (uint32_t)s->received;
        return;
    }
    propose(p);
    e->central = 1;
}

/* Hops from the middle to its farthest node, where that is to be the root; 0: this node, which is in
 * it, was found there, or knows of members left out what another root does not know yet. */
static uint32_t sought(const mb_peer *p)
{
    const mb_epoch_ *e = p->epoch;
    const uint32_t   hops = e->longest - e->longest / 2;

    return e->central || e->depth <= hops || (MB_MASKS_(p) && mb_participants_out_(p) > 0) ? 0
                                                                                           : hops;
}

/* The root begins the epoch with the newest phi; with masks a start begins again where a member takes part
 * that its sums were made without: old totals are not sent to who joins. */
static void begin(mb_peer *p, int returns)
{
    mb_epoch_ *e = p->epoch;

    if (e->best > e->pass)
        memcpy(p->phi, p->sum_best, mb_epoch_layout_(p)->len * sizeof *p->phi);
    if (returns && !p->life->run)
        memset(p->phi, 0, p->start_len * sizeof *p->phi);
    e->sized = p->life->run && mb_epoch_declares_(p);
    memcpy(p->sum_most_of, p->sum_own_most, p->L * sizeof *p->sum_most_of);
    mb_epoch_begin_(p, e->nodes, e->best, e->again);
}

void mb_epoch_tick_(mb_peer *p)
{
    mb_epoch_ *e = p->epoch;
    int        returns;

    join(p);
    if (is_due(p))
        propose(p);
    seek(p);
    if (e->stage != MB_STAGE_GATHERS_ || !has_gathered(p))
        return;
    gather(p);
    if (MB_MASKS_(p))
        mb_participants_say_(p);
    if (e->parent >= 0) {
        e->stage = MB_STAGE_GATHERED_;
        return;
    }
    if (waits_for_nodes(p))
        return;
    e->middle = sought(p);
    returns = MB_MASKS_(p) && mb_participants_return_(p);
    if (!e->middle && (!MB_MASKS_(p) || mb_participants_begin_(p, NULL, 0)))
        begin(p, returns);
}
