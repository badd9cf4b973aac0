/* check.c - what a checkpoint holds, before it becomes the state: every count, index, flag and time
 * is in its range. Numbers of vectors may be anything: a node that computes with them fails as after
 * any step that diverged. */
#include "algo/sum.h"
#include "mesh/state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { HOPS_MOST = 1 << 20, TTL_MOST = 1 << 20, AGE_MOST = 1 << 24, JOINED_MOST = 1 << 30 };

/* So that sums and differences of two of them are numbers of 64 bits. */
static const int64_t MOST = INT64_C(1) << 61;

static int is_flag(int32_t x)
{
    return x == 0 || x == 1;
}

static int is_count(int64_t x)
{
    return x >= 0 && x <= MOST;
}

static int is_time(int64_t x)
{
    return x >= -MOST && x <= MOST;
}

static int are_counts(const int64_t *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!is_count(x[k]))
            return 0;
    return 1;
}

/* Keys that a node of this plan has room for. */
static uint32_t keys(const mb_peer *p)
{
    return p->plan.from == MB_GENESIS_GIVEN ? 0 : p->keys;
}

static int sizes_fit(const mb_peer *p, const mb_life_ *l)
{
    return l->links >= 0 && l->links <= p->opt.neighbours && l->live >= 0 &&
           l->live <= p->opt.neighbours && l->n >= 0 && l->n <= p->opt.rows && l->n <= l->number &&
           l->block <= p->room && l->samples <= keys(p) && l->joined >= 0 &&
           l->joined <= JOINED_MOST &&
           l->H <= (uint32_t)(p->opt.hops > HOPS_MOST ? p->opt.hops : HOPS_MOST) &&
           l->hop <= HOPS_MOST;
}

static int flags_fit(const mb_life_ *l)
{
    return l->phase >= MB_WAITING_ && l->phase <= MB_RUNNING_ &&
           !l->block == (l->phase == MB_WAITING_) && !l->block == !l->run && is_flag(l->weighted) &&
           l->event >= 0 && l->event <= 3 && is_flag(l->outside) && is_flag(l->busy) &&
           is_flag(l->any_suspected) && is_flag(l->edges_changed) && is_flag(l->failed) &&
           is_flag(l->sample_changed) && memchr(l->message, 0, sizeof l->message) != NULL;
}

static int counts_fit(const mb_life_ *l)
{
    const int64_t all[] = {l->rounds,     l->number,      l->frozen,         l->projected,
                           l->beat_age,   l->hop_age,     l->since,          l->first,
                           l->bytes_sent, l->frames_sent, l->frames_received};

    return l->incarnation && l->tick <= (uint64_t)MOST && l->mean_slow >= 1 && l->ttl >= 0 &&
           l->ttl <= TTL_MOST && is_time(l->ticked_ms) &&
           (l->due_ms == INT64_MIN || is_time(l->due_ms)) &&
           are_counts(all, sizeof all / sizeof *all) && are_counts(l->refused, MB_REFUSALS);
}

/* What frames say of the node. */
static int can_be_sent(const mb_peer *p, const mb_life_ *l)
{
    const double kappa = mb_peer_kappa_(p, l);

    return l->leader < INT32_MAX && l->quiet <= MB_QUIET_MOST_ && l->N >= 0 &&
           l->N <= MB_VALUE_MAX && kappa >= 1 / MB_VALUE_MAX && kappa <= MB_VALUE_MAX;
}

/* An array of the state as it is in the checkpoint. */
static const unsigned char *place(const mb_peer *p, const unsigned char *state, const void *array)
{
    return state + ((const unsigned char *)array - p->block);
}

static int links_fit(const mb_peer *p, const unsigned char *state, int32_t n)
{
    const unsigned char *at = place(p, state, p->link);
    int32_t              before = -1;
    mb_link_             k;

    for (int32_t j = 0; j < n; j++, before = k.id) {
        memcpy(&k, at + (size_t)j * sizeof k, sizeof k);
        if (k.id <= before || k.id == p->opt.id || k.id == INT32_MAX || k.age < 0 ||
            k.age > AGE_MOST || !is_flag(k.received) || !is_flag(k.live) || !is_flag(k.sends) ||
            !is_flag(k.vector) || k.tick > (uint64_t)MOST || k.acked > (uint64_t)MOST ||
            k.count > MB_FRAME_COUNT_ || k.sent > MB_FRAME_COUNT_ || !is_time(k.recv_ms) ||
            !is_count(k.bytes))
            return 0;
    }
    return 1;
}

/* n numbers from `at` on are those of rows, which may have gaps. */
static int values_fit(const unsigned char *at, size_t n, int32_t gaps)
{
    double x;

    for (size_t k = 0; k < n; k++) {
        memcpy(&x, at + k * sizeof x, sizeof x);
        if (!(fabs(x) <= MB_VALUE_MAX) && !(gaps && isnan(x)))
            return 0;
    }
    return 1;
}

static int rows_fit(const mb_peer *p, const unsigned char *state, const mb_life_ *l)
{
    for (size_t i = 0; i < (size_t)l->n; i++) {
        double  w;
        int64_t number, stamp;

        memcpy(&w, place(p, state, p->w + i), sizeof w);
        memcpy(&number, place(p, state, p->number + i), sizeof number);
        memcpy(&stamp, place(p, state, p->stamp + i), sizeof stamp);
        if (!(w >= 0) || !(w <= MB_WEIGHT_MAX) || number < 0 || number >= l->number ||
            !is_time(stamp))
            return 0;
    }
    return values_fit(place(p, state, p->x), (size_t)l->n * (size_t)p->plan.columns,
                      mb_peer_gaps_(p));
}

static int keys_fit(const mb_peer *p, const unsigned char *state, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        mb_key_ k;

        memcpy(&k, place(p, state, p->key + i), sizeof k);
        if (!(k.key > 0) || !(k.key < (p->sums ? HUGE_VAL : 1)))
            return 0;
    }
    return values_fit(place(p, state, p->key_x), n * (size_t)p->plan.columns, mb_peer_gaps_(p));
}

/* Extremes of the columns, -min before max: none yet, or of rows. */
static int ends_fit(const mb_peer *p, const unsigned char *state)
{
    const size_t D = p->sums ? (size_t)p->plan.columns : 0;
    double       end[2];

    for (size_t d = 0; d < D; d++) {
        memcpy(&end[0], place(p, state, p->ends + d), sizeof *end);
        memcpy(&end[1], place(p, state, p->ends + D + d), sizeof *end);
        if (!(end[0] <= -HUGE_VAL && end[1] <= -HUGE_VAL) &&
            !(fabs(end[0]) <= MB_VALUE_MAX && fabs(end[1]) <= MB_VALUE_MAX && -end[0] <= end[1]))
            return 0;
    }
    return 1;
}

static int search_fits(const mb_peer *p, const unsigned char *state)
{
    if (!MB_FAR_(p->trims))
        return 1;
    memcpy(p->searched, place(p, state, p->search), mb_search_len_(p) * sizeof *p->searched);
    return mb_search_fits_(p, p->searched);
}

static int link_guards_fit(const mb_peer *p, const unsigned char *state, int32_t n)
{
    const unsigned char *at = place(p, state, p->link_guard);
    mb_link_guard_       k;

    for (int32_t j = 0; j < n; j++) {
        memcpy(&k, at + (size_t)j * sizeof k, sizeof k);
        if (!is_flag(k.twin) || !is_flag(k.ours) || k.other < 0 || k.other > JOINED_MOST ||
            !is_count(k.clipped) || !is_count(k.refused) || !is_count(k.paused))
            return 0;
    }
    return 1;
}

/* Version 1 ends before it. */
static int guard_fits(const mb_peer *p, const unsigned char *state, size_t n)
{
    mb_guard_ g;

    if (n < p->bytes)
        return 1;
    memcpy(&g, place(p, state, p->guard), sizeof g);
    return g.doubt >= 0 && g.doubt < MB_DOUBTS_ && is_time(g.suspected_ms) && is_count(g.clipped) &&
           is_flag(g.firm) && g.nodes >= 0 && g.nodes <= MB_VALUE_MAX && is_count(g.returned) &&
           is_time(g.returned_ms) && g.stuck >= 0 && g.stuck < MB_STUCKS_ && is_flag(g.apart) &&
           is_count(g.equal) && is_count(g.held) && is_flag(g.stored) && is_flag(g.reset);
}

static int are_flags(const int32_t *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!is_flag(x[k]))
            return 0;
    return 1;
}

static int left_out_fits(const mb_peer *p, const unsigned char *state)
{
    int32_t out;

    for (int32_t k = 0; p->left_out && k < p->opt.declared->members; k++) {
        memcpy(&out, place(p, state, p->left_out + k), sizeof out);
        if (!is_flag(out))
            return 0;
    }
    return 1;
}

static int taken_fits(const mb_peer *p, const unsigned char *state)
{
    int64_t n;

    for (int32_t k = 0; MB_BATCH_(p) && k < p->opt.declared->members; k++) {
        memcpy(&n, place(p, state, p->taken + k), sizeof n);
        if (!is_count(n))
            return 0;
    }
    return 1;
}

/* Of SUM, whose vectors may be anything; after the guard. */
static int epochs_fit(const mb_peer *p, const unsigned char *state, int32_t n, int has_block)
{
    const size_t len =
        (has_block || !p->start_len ? p->L : p->start_len) + (size_t)mb_algo_sum.extra;
    mb_epoch_ e;
    double    edge[3], memo[32];

    memcpy(&e, place(p, state, p->epoch), sizeof e);
    assert((size_t)mb_algo_sum.memo <= sizeof memo / sizeof *memo);
    memcpy(memo, place(p, state, p->sum_memo), (size_t)mb_algo_sum.memo * sizeof *memo);
    for (int32_t j = 0; j < n; j++) {
        mb_branch_ b;

        memcpy(&b, place(p, state, p->branch + j), sizeof b);
        memcpy(edge, place(p, state, p->sum_edge + (size_t)j * len), sizeof edge);
        if (!is_flag(b.child) || !is_flag(b.fresh) || !mb_sum_edge_fits_(edge))
            return 0;
    }
    return e.stage >= 0 && e.stage < MB_STAGES_ && e.parent >= -1 && is_count(e.since) &&
           is_count(e.old) && is_count((int64_t)e.pass) && is_count((int64_t)e.best) &&
           e.nodes <= INT32_MAX &&
           are_flags((int32_t[]){e.rests, e.seeds, e.again, e.words, e.stale, e.news, e.central},
                     7) &&
           e.wrong >= MB_WRONG_TOTAL_ && mb_sum_memo_fits_(memo) && left_out_fits(p, state) &&
           taken_fits(p, state);
}

int mb_peer_fits_(const mb_peer *p, const unsigned char *state, size_t n)
{
    mb_life_ l;

    memcpy(&l, state, sizeof l);
    return guard_fits(p, state, n) && sizes_fit(p, &l) && flags_fit(&l) && counts_fit(&l) &&
           can_be_sent(p, &l) && links_fit(p, state, l.links) && rows_fit(p, state, &l) &&
           (n < p->bytes || link_guards_fit(p, state, l.links)) && keys_fit(p, state, l.samples) &&
           ends_fit(p, state) && search_fits(p, state) &&
           (!MB_EPOCHS_(p->epoch != NULL) || n < p->bytes ||
            epochs_fit(p, state, l.links, l.block > 0));
}
