/* stop.c - the stopping rule: no node moves, and every link has delivered since; then one centralised
 * step decides (docs/math.md, section 13). A checkpoint stores what it remembers by node or by link,
 * so the rule does not depend on how nodes are distributed. */
#include "core/observe.h"
#include "core/over_nodes.h"
#include "core/turn.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    LOOK = 10,       /* rounds from one decision to the next                                  */
    LOOK_ALONE = 2,  /* they of a node alone, whose local step costs more than a look         */
    LOOK_NEWTON = 1, /* and where it needs few rounds                                         */
    APART = 10,      /* rounds from one centralised step to the next                          */
    APART_ALONE = 2, /* they of a node alone, whose local step is the centralised one         */
    SAMPLE = 20,     /* rounds from one measurement of every node to the next                 */
    PATIENCE = 200   /* rounds without a new smallest distance: rounding allows no less       */
};

/* What the rule remembers of a node; every entry is 8 bytes. */
typedef struct memory {
    int64_t busy;   /* last round in which the node was found busy    */
    int64_t events; /* freezes and projections when its phi was copied */
    int64_t since;  /* round of `low`                                 */
    double  low;    /* smallest distance so far                       */
} memory;

/* Local steps of a node that waits for them (mb_algo::ready); every entry is 8 bytes. */
typedef struct pace {
    int64_t newest; /* round of the newest                      */
    int64_t before; /* round of the one before; 0: there is none */
    int64_t made;   /* number of them                           */
    double  last;   /* distance at the newest; infinite: none   */
} pace;

/* The largest distance of a busy node in a round. */
typedef struct mark {
    double t, level;
} mark;

typedef struct stop {
    double   tol;     /* posterior standard deviations                                         */
    int64_t  cycle;   /* rounds from one local step of a node to the next                      */
    int64_t  look;    /* rounds from one decision to the next                                  */
    int64_t  apart;   /* rounds from one centralised step to the next                          */
    int32_t  ahead;   /* 1: the next step is measured, not the last one                        */
    int64_t  checked; /* round of the last centralised step; 0: none, so `apart` is the first  */
    int64_t  taken;   /* round of the copies in phi; -1: there are none                        */
    int64_t  watched; /* round since which every round is watched; 0: only some are            */
    memory  *node;    /* n_local                                                               */
    pace    *pace;    /* n_local; NULL: local steps come in a cycle                            */
    double  *phi;     /* n_local x ld: copies of the previous round                            */
    size_t   ld;      /* L + 1                                                                 */
    int32_t *newest;  /* ptr[n_local] x 2: rounds in which the two newest messages on the link
                          were sent; 0: none since `watched`                                    */
    int32_t  suspect; /* the node that is measured first                                       */
    double   level;   /* largest distance of a busy node; 0: no node is busy                   */
    mark     early;   /* of a round between t/4 and t/2                                        */
    mark     late;    /* of a later one                                                        */
    int32_t  open;    /* 1: a busy node may still come closer                                  */
    mb_stop_state
           *stand;   /* the caller's                                                          */
    double *mean;    /* L: of the network                                                     */
    double *after;   /* L + 1: after a centralised step                                       */
    double *mu;      /* 3 x L                                                                 */
    double *scratch; /* of a local step                                                       */
} stop;

static int64_t events_so_far(const mb_state *s, int32_t i)
{
    return s->frozen[i] + s->projected[i];
}

/* The next round is compared with these copies. */
static void copy_phi(stop *st, const mb_problem *p, const mb_state *s)
{
    for (int32_t i = 0; i < p->part->n_local; i++) {
        memcpy(st->phi + (size_t)i * st->ld, s->phi + (size_t)i * s->ld,
               (st->ld - 1) * sizeof *st->phi);
        st->node[i].events = events_so_far(s, i);
    }
    st->taken = s->t;
}

/* The fraction of the way to its target that node i moves in a round. */
static double step_of(const mb_problem *p, const mb_state *s, int32_t i)
{
    const mb_node nd = mb_seen_(p, s, s->t, i);

    return p->algo->step ? p->algo->step(&nd) : 1;
}

/* <a - b, mu(a) - mu(b)>: the symmetrised KL divergence between two members of the family, the square
 * of their distance in posterior standard deviations over all blocks. Rounding may make it negative:
 * its magnitude counts. Infinite outside Omega and where a number is not finite. */
static double divergence(const stop *st, const mb_layout *l, const double *a, const double *b)
{
    double sum = 0;

    if (memcmp(a, b, l->len * sizeof *a) == 0)
        return 0;
    if (mb_moments(l, a, st->mu, NULL, st->scratch, NULL) < 0 ||
        mb_moments(l, b, st->mu + l->len, NULL, st->scratch, NULL) < 0)
        return (double)INFINITY;
    for (size_t e = 0; e < l->len; e++)
        sum += (a[e] - b[e]) * (st->mu[e] - st->mu[l->len + e]);
    return isfinite(sum) ? fabs(sum) : (double)INFINITY;
}

/* The distance that rounding alone may cause: to phi with other last digits, times ten for sums over
 * rows and neighbours. */
static double noise(const stop *st, const mb_problem *p, const mb_state *s, int32_t i)
{
    const double     digits = 4 * DBL_EPSILON, sums = 10;
    const mb_layout *l = &p->model->layout;
    const double    *phi = s->phi + (size_t)i * s->ld;
    double          *other = st->mu + 2 * l->len;
    uint32_t         bits = 1;

    for (size_t e = 0; e < l->len; e++) {
        bits = bits * 1664525u + 1013904223u; /* irregular signs, the same in every call */
        other[e] = phi[e] * (bits >> 31 ? 1 + digits : 1 - digits);
    }
    return sums * sqrt(divergence(st, l, phi, other)) / step_of(p, s, i);
}

/* d = sqrt(<dphi, dmu>)/step: how far phi is from its target, in posterior standard deviations;
 * infinite for a node that froze or was projected in this round. A node that waits is as far as at its
 * last step. Whose next step is phi* as it is, as far as that leads. */
static double distance(const stop *st, const mb_problem *p, const mb_state *s, int32_t i)
{
    if (s->outside[i] || events_so_far(s, i) != st->node[i].events)
        return (double)INFINITY;
    if (mb_is_held_(p, s, s->t, i))
        return st->pace ? st->pace[i].last : 0;
    if (st->ahead)
        return sqrt(divergence(st, &p->model->layout, s->phi + (size_t)i * s->ld,
                               s->phi_star + (size_t)i * s->ld));
    return sqrt(divergence(st, &p->model->layout, s->phi + (size_t)i * s->ld,
                           st->phi + (size_t)i * st->ld)) /
           step_of(p, s, i);
}

/* One busy node suffices, and the last one found probably still is. */
static void find_busy(stop *st, const mb_problem *p, const mb_state *s)
{
    const int32_t n = p->part->n_local;

    for (int32_t k = 0; k < n; k++) {
        const int32_t i = (st->suspect + k) % n;

        if (!(distance(st, p, s, i) > st->tol))
            continue;
        st->suspect = i;
        st->node[i].busy = s->t;
        return;
    }
}

static void note_step(pace *q, int64_t t, double d)
{
    *q = (pace){.newest = t, .before = q->newest, .made = q->made + 1, .last = d};
}

/* A busy node within the noise that has come no closer for long will not. Time is counted in rounds, of
 * a node that waits in its local steps. */
static void measure(stop *st, const mb_problem *p, const mb_state *s, int32_t i)
{
    memory      *node = &st->node[i];
    const double d = distance(st, p, s, i);
    const int    held = mb_is_held_(p, s, s->t, i);
    int64_t      now = s->t;

    if (held && !st->pace) {
        st->open = 1; /* not known in this round */
        return;
    }
    if (!held && st->pace)
        note_step(&st->pace[i], s->t, d);
    if (st->pace)
        now = st->pace[i].made;
    if (d < node->low) {
        node->low = d;
        node->since = now;
    }
    if (!(d > st->tol))
        return;
    node->busy = s->t;
    st->suspect = i;
    st->level = fmax(st->level, d);
    st->open |= now - node->since < PATIENCE * st->cycle || !(d <= noise(st, p, s, i));
}

/* Marks a node that is busy in this round, if there is one; every SAMPLE rounds, and always where nodes
 * wait, all that are, and then level and open are known. */
static void examine(stop *st, const mb_problem *p, const mb_state *s)
{
    const int32_t n = p->part->n_local;
    const int     all = s->t % SAMPLE == 0 || st->pace;

    st->level = 0;
    st->open = !all;
    if (st->taken != s->t - 1) { /* nothing to compare with */
        for (int32_t i = 0; i < n; i++)
            st->node[i].busy = s->t;
        st->open = 1;
    } else if (all)
        for (int32_t i = 0; i < n; i++)
            measure(st, p, s, i);
    else
        find_busy(st, p, s);
}

/* Notes the messages of this round. */
static void hear(stop *st, const mb_problem *p, const mb_state *s)
{
    for (int64_t e = 0; e < p->part->g.ptr[p->part->n_local]; e++) {
        const int32_t sent = (int32_t)(s->t - s->mail.age[e]);
        int32_t      *newest = st->newest + 2 * e;

        if (s->mail.fresh[e] != 1 || sent <= newest[0])
            continue;
        newest[1] = newest[0];
        newest[0] = sent;
    }
}

/* The whole network in this round. */
typedef struct view {
    int64_t busy;      /* last round in which a node was busy                   */
    int64_t delivered; /* every link has delivered two messages sent since then, and every node that
                      waits has made two steps                              */
    double  level;     /* largest distance of a busy node                       */
    int32_t open;      /* 1: a busy node may still come closer                  */
} view;

static mb_status join(const stop *st, const mb_problem *p, const mb_state *s, view *out,
                      mb_err *err)
{
    const uint8_t *used = s->mail.links;
    double         v[4] = {0, -0x1p52, st->level, st->open}; /* rounds are far below 2^52 */

    for (int32_t i = 0; i < p->part->n_local; i++) {
        v[0] = fmax(v[0], (double)st->node[i].busy);
        if (st->pace)
            v[1] = fmax(v[1], -(double)st->pace[i].before);
    }
    for (int64_t e = 0; e < p->part->g.ptr[p->part->n_local]; e++)
        if (!used || used[e])
            v[1] = fmax(v[1], -(double)st->newest[2 * e + 1]);
    MB_TRY(mb_over_all_(p, MB_MAX, v, 4, err));
    *out =
        (view){.busy = (int64_t)v[0], .delivered = (int64_t)-v[1], .level = v[2], .open = v[3] > 0};
    return MB_OK;
}

/* No node was busy for two local steps of each, and every link has delivered two messages that were
 * sent afterwards. Nodes that send nothing need no messages. */
static int has_fired(const stop *st, const mb_problem *p, int64_t t, const view *v)
{
    const int64_t last = v->busy > st->watched - 1 ? v->busy : st->watched - 1;
    const int     alone = p->algo->needs & MB_NEEDS_NO_MSG;

    return st->watched && t - last >= 2 * st->cycle && (alone || v->delivered > last);
}

/* How far one centralised step moves the network mean. It uses the memory of the copies, which have
 * been read. */
static mb_status step_from_mean(stop *st, const mb_problem *p, const mb_state *s, mb_err *err)
{
    mb_stop_state *stand = st->stand;
    double         bound;
    mb_status      how;

    if (mb_is_stepped_(p, s)) {
        stand->moved = mb_moved_(p->model->layout.len, s->phi, s->phi_star);
        return MB_OK;
    }
    how = mb_central_check_in_(p, st->mean, st->phi, st->after, st->scratch, &stand->moved, &bound,
                               err);
    if (how != MB_E_DOMAIN)
        return how;
    stand->moved = (double)NAN;
    return MB_OK;
}

/* The network mean, its distance from the nodes, and how far one centralised step moves it. */
static mb_status check(stop *st, const mb_problem *p, const mb_state *s, mb_err *err)
{
    mb_stop_state *stand = st->stand;

    stand->checks++;
    st->checked = s->t;
    st->taken = -1;
    MB_TRY(mb_mean_phi(p, s, st->mean, err));
    MB_TRY(mb_disagreement(p, s, st->mean, NULL, &stand->disagreement, err));
    MB_TRY(step_from_mean(st, p, s, err));
    stand->settled = stand->moved <= MB_SETTLED && stand->disagreement <= MB_SETTLED;
    return MB_OK;
}

/* Linear convergence: the logarithm of the level falls by the same amount in every round. */
static void estimate(stop *st, int64_t t, double level)
{
    const double now = (double)t, fall = log(st->early.level / level);

    st->stand->more = -1;
    if (level > st->tol && isfinite(level) && st->early.t > 0 && fall > 0)
        st->stand->more =
            (int64_t)fmin(ceil((now - st->early.t) * log(level / st->tol) / fall), 1e15);
    if (now < 2 * st->late.t || !(level > 0) || !isfinite(level))
        return;
    st->early = st->late;
    st->late = (mark){now, level};
}

static mb_status decide(stop *st, const mb_problem *p, const mb_state *s, mb_err *err)
{
    const size_t   links = (size_t)p->part->g.ptr[p->part->n_local];
    mb_stop_state *stand = st->stand;
    const int      ripe = s->t - st->checked >= st->apart;
    view           v;

    MB_TRY(join(st, p, s, &v, err));
    stand->still = (ripe || stand->checks) && has_fired(st, p, s->t, &v);
    stand->rounding = !stand->still && !v.open && v.level > 0;
    stand->level = v.level;
    if (s->t % SAMPLE == 0)
        estimate(st, s->t, v.level);
    stand->settled = 0;
    if (ripe && (stand->still || stand->rounding))
        MB_TRY(check(st, p, s, err));
    if (v.busy == s->t)
        st->watched = 0;
    else if (!st->watched) {
        st->watched = s->t;
        memset(st->newest, 0, 2 * links * sizeof *st->newest);
    }
    if (stand->settled)
        return MB_STOP;
    /* Nodes that are not meant to agree, and stand still at a distance from each other, never will. */
    return stand->still && !p->algo->consensus && stand->disagreement > MB_SETTLED ? MB_STOP
                                                                                   : MB_OK;
}

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    stop     *st = self;
    const int look = s->t % st->look == 0;
    mb_status verdict = MB_OK;

    if (look || st->watched || st->pace)
        examine(st, p, s);
    if (st->watched)
        hear(st, p, s);
    if (look)
        MB_TRY(verdict = decide(st, p, s, err));
    if (st->watched || st->pace || (s->t + 1) % st->look == 0)
        copy_phi(st, p, s);
    return verdict;
}

static int32_t keep(void *self, mb_checkpoint_item *out)
{
    stop                    *st = self;
    const size_t             row = st->ld * sizeof *st->phi, link = 2 * sizeof *st->newest;
    const int32_t            many = st->pace ? 10 : 9;
    const mb_checkpoint_item all[] = {
        {.name = "stop.taken", .at = &st->taken, .bytes = 8},
        {.name = "stop.checked", .at = &st->checked, .bytes = 8},
        {.name = "stop.watched", .at = &st->watched, .bytes = 8},
        {.name = "stop.early", .at = &st->early, .bytes = sizeof st->early},
        {.name = "stop.late", .at = &st->late, .bytes = sizeof st->late},
        {.name = "stop.node", .at = st->node, .bytes = sizeof(memory), .stride = sizeof(memory)},
        {.name = "stop.phi", .at = st->phi, .bytes = row - sizeof *st->phi, .stride = row},
        {.name = "stop.stand", .at = st->stand, .bytes = sizeof *st->stand},
        {.name = "stop.heard", .at = st->newest, .bytes = link, .stride = link, .of_links = 1},
        {.name = "stop.pace", .at = st->pace, .bytes = sizeof(pace), .stride = sizeof(pace)},
    };

    for (int32_t k = 0; k < many; k++) {
        out[k] = all[k];
        out[k].pieces = 1;
    }
    return many;
}

/* Where a node alone goes back when it overshoots, its steps are Newton's but for the variances, and
 * most of the distance is gone after each of them. */
static void set_looks(stop *st, const mb_problem *p)
{
    const int alone = p->part->n_global == 1 && p->algo->needs & MB_NEEDS_NO_MSG;
    const int newton = alone && p->model->ops->overshoots;

    st->ahead = newton;
    st->look = newton ? LOOK_NEWTON : alone ? LOOK_ALONE : LOOK;
    st->apart = alone ? APART_ALONE : APART;
}

mb_status mb_stop_new(mb_arena *a, const mb_problem *p, double tol, mb_stop_state *stand,
                      mb_observer *out, mb_err *err)
{
    const size_t L = p->model->layout.len, rows = (size_t)p->part->n_local;
    stop        *st;

    if (!(tol > 0))
        MB_FAIL(err, MB_E_ARG, "tolerance of the stopping rule: got %g; expected a number above 0",
                tol);
    MB_NEW(st, a, 1, err);
    *st = (stop){.tol = tol, .cycle = 1, .taken = -1, .ld = L + 1, .stand = stand};
    set_looks(st, p);
    if (p->algo->cycle)
        st->cycle = p->algo->cycle(p->opt);
    if (!stand)
        MB_NEW(st->stand, a, 1, err);
    *st->stand = (mb_stop_state){.more = -1, .moved = (double)NAN, .disagreement = (double)NAN};
    MB_NEW(st->node, a, rows, err);
    MB_NEW(st->phi, a, rows * st->ld, err);
    MB_NEW(st->newest, a, 2 * (size_t)p->part->g.ptr[rows], err);
    MB_NEW(st->mean, a, L, err);
    MB_NEW(st->after, a, st->ld, err);
    MB_NEW(st->mu, a, 3 * L, err);
    MB_NEW(st->scratch, a, mb_local_scratch(p->model), err);
    if (p->algo->ready)
        MB_NEW(st->pace, a, rows, err);
    for (size_t i = 0; i < rows; i++) {
        st->node[i].low = (double)INFINITY;
        if (st->pace)
            st->pace[i].last = (double)INFINITY;
    }
    *out = (mb_observer){.self = st, .every = 1, .see = see, .keep = keep};
    return MB_OK;
}

/* The rule by the bound. */
typedef struct by_bound {
    double tol;    /* nats                              */
    double before; /* the bound of the last round; NaN: none */
} by_bound;

static mb_status see_bound(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    by_bound    *b = self;
    const double change = s->bound[0] - b->before;

    (void)p, (void)err;
    b->before = s->bound[0];
    return fabs(change) < b->tol ? MB_STOP : MB_OK;
}

static int32_t keep_bound(void *self, mb_checkpoint_item *out)
{
    by_bound *b = self;

    *out = (mb_checkpoint_item){.name = "stop.bound", .at = &b->before, .bytes = 8, .pieces = 1};
    return 1;
}

mb_status mb_stop_bound_new(mb_arena *a, const mb_problem *p, double tol, mb_observer *out,
                            mb_err *err)
{
    by_bound *b;

    if (!(tol > 0))
        MB_FAIL(err, MB_E_ARG, "tolerance of the lower bound: got %g; expected a number above 0",
                tol);
    if (p->part->n_global != 1)
        MB_FAIL(err, MB_E_NOSUP,
                "stop by the lower bound: got %d nodes; expected one, whose bound is that of all "
                "rows",
                p->part->n_global);
    MB_NEW(b, a, 1, err);
    *b = (by_bound){tol, (double)NAN};
    *out = (mb_observer){
        .self = b, .every = 1, .wants_bound = 1, .see = see_bound, .keep = keep_bound};
    return MB_OK;
}

const char *mb_verdict_text(mb_verdict v)
{
    static const char *const text[] = {"settled", "elsewhere", "moving", "failed", "interrupted"};

    return v >= 0 && v < MB_VERDICTS ? text[v] : "unknown verdict";
}

mb_verdict mb_verdict_of(const mb_stop_state *stand, double disagreement, double moved,
                         int32_t outside)
{
    if (outside)
        return MB_ENDED_FAILED;
    if (stand->settled && disagreement <= MB_SETTLED && moved <= MB_SETTLED)
        return MB_ENDED_SETTLED;
    return stand->still ? MB_ENDED_ELSEWHERE : MB_ENDED_MOVING;
}
