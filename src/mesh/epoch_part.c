/* epoch_part.c - the part of a frame that a node of SUM says (docs/protocol.md, section 4b). */
#include "algo/sum.h"
#include "base/bytes.h"
#include "mesh/epoch.h"
#include "mesh/state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define MOST_COUNTER 4611686018427387904.0 /* 2^62 */
#define MOST_PASS    4503599627370496.0    /* 2^52 */
#define MOST_U32     4294967295.0
#define MOST_AHEAD   (UINT64_C(1) << 32)

enum { REPEATS = 4 /* of a message, in a round trip */ };

/* Type, name, least and largest value, in the order of the bytes. */
#define FIELDS(X)                                                                                  \
    X(u64, record.counter, 1, MOST_COUNTER)                                                        \
    X(u32, record.proposer, 0, INT32_MAX - 1)                                                      \
    X(u32, record.life, 1, MOST_U32)                                                               \
    X(u32, stage, MB_STAGE_GATHERS_, MB_STAGE_RUNS_)                                               \
    X(u16, flags, 0, MB_SAYS_FLAGS_)                                                               \
    X(u16, content, 0, MB_CONTENTS_ - 1)                                                           \
    X(u32, hop, 0, INT32_MAX)                                                                      \
    X(u32, nodes, 1, INT32_MAX)                                                                    \
    X(u64, pass, 0, MOST_PASS)                                                                     \
    X(u64, received, 0, MOST_PASS)                                                                 \
    X(f64, bound, -MB_NUMBER_MOST_, MB_NUMBER_MOST_)

#define PUT(type, name, lo, hi)   at = mb_put_##type##_(at, s->name);
#define GET(type, name, lo, hi)   at = mb_get_##type##_(at, &s->name);
#define CHECK(type, name, lo, hi) &&(double)s->name >= (lo) && (double)s->name <= (hi)

static unsigned char *put_stated(unsigned char *at, const mb_stated_ *s)
{
    FIELDS(PUT)
    return at;
}

static const unsigned char *get_stated(const unsigned char *at, mb_stated_ *s)
{
    FIELDS(GET)
    return at;
}

static int can_be(const mb_stated_ *s)
{
    return 1 FIELDS(CHECK);
}

size_t mb_epoch_room_(const mb_peer *p)
{
    return MB_STATED_ + mb_participants_room_(p) + 16 * p->sum_most;
}

/* ---- stated ---- */

/* What functions of rows and edges need, which no number of neighbours makes slow. */
static mb_node view_of(const mb_peer *p)
{
    return (mb_node){.layout = mb_epoch_layout_(p),
                     .len = p->sum_len,
                     .opt = &p->sum_opt,
                     .most = mb_epoch_most_(p),
                     .aux = p->sum_aux,
                     .edge = p->sum_edge};
}

static double *row_of(const mb_peer *p, double *rows, int32_t j)
{
    return rows + 2 * (size_t)j * p->sum_len;
}

/* 1: neighbour j, of the same epoch, is at this stage. */
static int is_at(const mb_peer *p, int32_t j, uint32_t stage)
{
    const mb_stated_ *s = &p->branch[j].stated;

    return mb_record_is_(&s->record, &p->epoch->record) && s->stage == stage;
}

/* The newest pass that the parent may know of: none, where a start was made without it. */
static uint64_t best_for(const mb_peer *p, int32_t j)
{
    const int hides = MB_MASKS_(p) && !p->life->run && mb_participants_was_out_(p, p->link[j].id);

    return hides ? 0 : p->epoch->best;
}

/* What neighbour j lacks. */
static mb_content_ due_to(const mb_peer *p, const mb_node *nd, int32_t j)
{
    const mb_epoch_ *e = p->epoch;
    const int        carries = e->words ? mb_sum_carries_(nd, row_of(p, p->sum_out, j)) : 0;

    if (e->stage == MB_STAGE_GATHERED_)
        return p->link[j].id == e->parent && p->branch[j].stated.pass < best_for(p, j)
                   ? MB_CONTENT_PHI_
                   : MB_CONTENT_NONE_;
    if (e->stage != MB_STAGE_RUNS_ || !mb_epoch_has_(p, j))
        return MB_CONTENT_NONE_;
    if (p->branch[j].child && is_at(p, j, MB_STAGE_GATHERED_))
        return MB_CONTENT_BEGIN_;
    if (!carries || !p->sum_words[j] || (carries > 0 && e->rests))
        return MB_CONTENT_NONE_;
    return MB_CONTENT_SUM_;
}

/* The same message leaves again with each frame, which are sent anyhow, until it is acknowledged;
 * over a long way only some times in what an answer takes. */
static mb_content_ to_send(mb_peer *p, const mb_node *nd, int32_t j)
{
    mb_branch_       *b = &p->branch[j];
    const mb_content_ is = due_to(p, nd, j);
    const int         down = is == MB_CONTENT_SUM_ && p->link[j].id != p->epoch->parent;
    const uint64_t    name = 8 * p->epoch->pass + 2 * (uint64_t)is + (uint64_t)down + 1;
    const uint64_t    tick = p->life->tick;

    if (is == MB_CONTENT_NONE_)
        return is;
    if (b->sent == name && (double)(tick - b->sent_tick) < fmax(1, p->link[j].rtt / REPEATS))
        return MB_CONTENT_NONE_;
    b->sent = name;
    b->sent_tick = tick;
    return is;
}

/* 1: the middle of the tree is below child j. */
static int seeks(const mb_peer *p, int32_t j)
{
    const mb_epoch_ *e = p->epoch;

    return e->middle && e->stage != MB_STAGE_RUNS_ && p->link[j].id == e->deepest;
}

static uint16_t flags_of(const mb_peer *p, int32_t j)
{
    const mb_epoch_ *e = p->epoch;
    unsigned         out = 0;

    out |= p->link[j].id == e->parent ? MB_SAYS_PARENT_ : 0u;
    out |= e->rests ? MB_SAYS_RESTS_ : 0u;
    out |= e->seeds ? MB_SAYS_SEEDS_ : 0u;
    out |= e->again ? MB_SAYS_AGAIN_ : 0u;
    out |= mb_epoch_most_(p) ? MB_SAYS_SIZES_ : 0u;
    out |= mb_epoch_doubts_(p) ? MB_SAYS_WRONG_ : 0u;
    out |= seeks(p, j) ? MB_SAYS_MIDDLE_ : 0u;
    if (MB_BATCH_(p) && p->link[j].id == e->parent)
        out |= (unsigned)mb_batch_ready_(p) * MB_SAYS_READY_;
    out |= MB_MASKS_(p) && e->stage != MB_STAGE_RUNS_ && mb_participants_has_(p, j)
               ? MB_SAYS_LISTED_
               : 0u;
    return (uint16_t)out;
}

/* With masks: who takes part, at and below the sender until its parent has the list; of the record,
 * where it begins. */
static unsigned char *put_list(const mb_peer *p, int32_t j, mb_content_ is, unsigned char *at)
{
    const int up =
        p->epoch->stage == MB_STAGE_GATHERED_ && p->taking[p->member].life &&
        p->link[j].id == p->epoch->parent &&
        !(is_at(p, j, p->branch[j].stated.stage) && p->branch[j].stated.flags & MB_SAYS_LISTED_);

    return up || is == MB_CONTENT_BEGIN_ ? mb_participants_put_(p, at) : at;
}

/* Rows are integers: their bits leave as they are. */
static unsigned char *put_numbers(unsigned char *at, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        at = mb_put_u64_(at, mb_word(x, k));
    return at;
}

static unsigned char *put_begin(const mb_peer *p, unsigned char *at)
{
    const double *most = mb_epoch_most_(p);

    at = put_numbers(at, most, most ? p->L : 0);
    return put_numbers(at, p->phi, p->epoch->pass ? mb_epoch_layout_(p)->len : 0);
}

size_t mb_epoch_put_(mb_peer *p, int32_t j, unsigned char *out)
{
    const mb_epoch_  *e = p->epoch;
    const mb_node     nd = view_of(p);
    const mb_content_ is = to_send(p, &nd, j);
    const int         runs = e->stage == MB_STAGE_RUNS_;
    const double     *row = row_of(p, p->sum_out, j);
    const mb_stated_  stated = {.record = e->record,
                                .stage = (uint32_t)e->stage,
                                .flags = flags_of(p, j),
                                .content = (uint16_t)is,
                                .hop = e->hop,
                                .nodes = e->nodes,
                                .pass = runs ? e->pass : best_for(p, j),
                                .received = runs ? mb_sum_received_(&nd, j)
                                            : seeks(p, j)
                                                ? e->middle
                                                : (uint64_t)e->longest * MB_SHAPE_ + e->depth,
                                .bound = runs ? e->bound : e->rows};
    unsigned char    *at = put_stated(out, &stated);

    assert(at == out + MB_STATED_);
    if (MB_MASKS_(p))
        at = put_list(p, j, is, at);
    if (is == MB_CONTENT_PHI_)
        at = put_numbers(at, e->best > e->pass ? p->sum_best : p->phi, mb_epoch_layout_(p)->len);
    else if (is == MB_CONTENT_BEGIN_)
        at = put_begin(p, at);
    else if (is == MB_CONTENT_SUM_)
        at = put_numbers(at, row, mb_sum_numbers_(&nd, mb_sum_carries_(&nd, row)));
    return (size_t)(at - out);
}

/* ---- received ---- */

static void get_numbers(const unsigned char *at, double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t word;

        at = mb_get_u64_(at, &word);
        mb_set_word(x, k, word);
    }
}

/* 1: n numbers of phi. */
static int is_phi(const unsigned char *at, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        double x;

        at = mb_get_f64_(at, &x);
        if (!(fabs(x) <= MB_NUMBER_MOST_))
            return 0;
    }
    return 1;
}

static int are_sizes(const unsigned char *at, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        double x;

        at = mb_get_f64_(at, &x);
        if (!(x >= MB_SUM_LEAST_))
            return 0;
    }
    return 1;
}

/* A message of SUM: a sum may be any bits, phi may not. */
static int is_message(const mb_peer *p, const unsigned char *at, size_t n)
{
    const mb_node nd = view_of(p);
    int           carries;

    if (!mb_sum_can_have_(&nd, 1, n) && !mb_sum_can_have_(&nd, -1, n))
        return 0;
    get_numbers(at, p->vector, n);
    carries = mb_sum_carries_(&nd, p->vector);
    return carries && mb_sum_can_have_(&nd, carries, n) &&
           (double)mb_sum_row_pass_(&nd, p->vector) <= MOST_PASS &&
           (carries > 0 || (is_phi(at, nd.layout->len) && mb_sum_lowers_soundly_(&nd, p->vector)));
}

/* Numbers after the head of how large statistics are, and of phi. */
static size_t sizes_of(const mb_peer *p, const mb_stated_ *s)
{
    return s->content == MB_CONTENT_BEGIN_ && p->life->run && s->flags & MB_SAYS_SIZES_ ? p->L : 0;
}

static size_t numbers_of(const mb_peer *p, const mb_stated_ *s)
{
    const int phi = s->content == MB_CONTENT_PHI_ || (s->content == MB_CONTENT_BEGIN_ && s->pass);

    return sizes_of(p, s) + (phi ? mb_epoch_layout_(p)->len : 0);
}

/* Bytes of the list between the head and the numbers, of n bytes that follow the head. */
static size_t list_bytes(const mb_peer *p, const mb_stated_ *s, size_t n)
{
    const size_t list = mb_participants_bytes_(p, s->nodes);

    return MB_MASKS_(p) && s->content != MB_CONTENT_SUM_ && n == list + 8 * numbers_of(p, s) ? list
                                                                                             : 0;
}

/* 1: a list that is there can be, and it is there where a record begins. */
static int has_list(const mb_peer *p, const mb_stated_ *s, const unsigned char *at, size_t n)
{
    return n ? mb_participants_sound_(p, at, s->nodes, &s->record)
             : !MB_MASKS_(p) || s->content != MB_CONTENT_BEGIN_;
}

/* One lie must not use up the counter, after which there are no records. */
static int can_follow(const mb_peer *p, const mb_record_ *record)
{
    const uint64_t own = p->epoch->record.counter, others = p->epoch->counter;
    const uint64_t known = own > others ? own : others;

    return !known || record->counter <= known + MOST_AHEAD;
}

int mb_epoch_sound_(const mb_peer *p, const unsigned char *at, size_t n)
{
    mb_stated_ s;
    size_t     list;

    if (n < MB_STATED_ || n % 8)
        return 0;
    at = get_stated(at, &s);
    n -= MB_STATED_;
    if (!can_be(&s) || s.nodes > mb_peer_nodes_most_(p) || !can_follow(p, &s.record))
        return 0;
    if (s.content == MB_CONTENT_SUM_)
        return is_message(p, at, n / 8);
    list = list_bytes(p, &s, n);
    return has_list(p, &s, at, list) && n - list == 8 * numbers_of(p, &s) &&
           is_phi(at + list, (n - list) / 8) && are_sizes(at + list, sizes_of(p, &s));
}

/* A message that is not acknowledged yet stays, with what the newer frame has heard. */
static void take_receipt(mb_peer *p, const mb_node *nd, int32_t j, uint64_t received)
{
    double *row = row_of(p, p->sum_in, j);

    mb_sum_acknowledge_(nd, row, received, p->branch[j].fresh);
    p->branch[j].fresh = 1;
}

static void take_message(mb_peer *p, int32_t j, const unsigned char *at, size_t n)
{
    const mb_node nd = view_of(p);
    double       *row = row_of(p, p->sum_in, j);
    int           is_new;

    get_numbers(at, p->vector, n);
    is_new = mb_sum_row_pass_(&nd, p->vector) == p->epoch->pass + 1;
    if (is_new && n != mb_sum_numbers_(&nd, mb_sum_carries_(&nd, p->vector))) {
        p->epoch->old++; /* of other exponents: it cannot be read */
        return;
    }
    p->epoch->old += !is_new;
    memcpy(row, p->vector, n * sizeof *row);
    p->branch[j].fresh = p->epoch->news = 1;
}

/* The epoch begins, as the parent says; list: who takes part, with masks. */
static void take_begin(mb_peer *p, const mb_stated_ *s, const unsigned char *list,
                       const unsigned char *at)
{
    if (MB_MASKS_(p) && !mb_participants_begin_(p, list, s->nodes))
        return;
    p->epoch->sized = sizes_of(p, s) > 0;
    get_numbers(at, p->sum_most_of, sizes_of(p, s));
    if (s->pass)
        get_numbers(at + 8 * sizes_of(p, s), p->phi, mb_epoch_layout_(p)->len);
    mb_epoch_begin_(p, s->nodes, s->pass, (s->flags & MB_SAYS_SEEDS_) != 0);
}

int mb_epoch_completes_(const mb_peer *p)
{
    const int      runs = p->epoch->stage == MB_STAGE_RUNS_ && p->epoch->news;
    const uint64_t pass = p->epoch->pass + 1;
    const mb_node  nd = view_of(p);
    int            phi = 0, sums = 0, all = 1;

    for (int32_t j = 0; j < p->life->links && !p->epoch->rests; j++) {
        const double *row = row_of(p, p->sum_in, j);
        const int     is_new = p->branch[j].fresh && mb_sum_received_(&nd, j) < pass &&
                           mb_sum_row_pass_(&nd, row) == pass;
        const int carries = is_new ? mb_sum_carries_(&nd, row) : 0;

        sums |= p->branch[j].child && carries > 0;
        phi |= p->link[j].id == p->epoch->parent && carries < 0;
        all &= !p->branch[j].child || carries > 0 || mb_sum_received_(&nd, j) >= pass;
    }
    return runs && (!p->epoch->words || (all && (sums || phi)));
}

/* What is in the frame, of this epoch: n bytes. */
static void take(mb_peer *p, int32_t j, const mb_stated_ *s, const unsigned char *at, size_t n)
{
    mb_epoch_           *e = p->epoch;
    const int            from_parent = p->link[j].id == e->parent;
    const mb_node        nd = view_of(p);
    const unsigned char *list = at;

    at += list_bytes(p, s, n);
    n = (size_t)(list + n - at) / 8;
    if (at > list && s->stage == MB_STAGE_GATHERED_ && s->flags & MB_SAYS_PARENT_ &&
        e->stage == MB_STAGE_GATHERS_)
        mb_participants_hear_(p, j, list, s->nodes);

    if (e->stage == MB_STAGE_RUNS_ && s->stage == MB_STAGE_RUNS_ && mb_epoch_has_(p, j)) {
        if (s->content == MB_CONTENT_SUM_)
            take_message(p, j, at, n);
        else
            take_receipt(p, &nd, j, s->received);
    } else if (s->content == MB_CONTENT_PHI_ && e->stage == MB_STAGE_GATHERS_ &&
               s->pass > e->best) {
        get_numbers(at, p->sum_best, nd.layout->len);
        e->best = s->pass;
    } else if (s->content == MB_CONTENT_BEGIN_ && e->stage == MB_STAGE_GATHERED_ && from_parent) {
        take_begin(p, s, list, at);
        e->news = 1;
    } else {
        e->old += s->content != MB_CONTENT_NONE_;
    }
}

void mb_epoch_hear_(mb_peer *p, int32_t j, int hears, const unsigned char *at, size_t n)
{
    mb_epoch_  *e = p->epoch;
    mb_branch_ *b = &p->branch[j];
    mb_stated_  was;

    if (p->life->phase != MB_RUNNING_ && !(p->start_len && p->life->phase == MB_WAITING_))
        return;
    if (!at) {
        if (b->stated.record.counter)
            mb_epoch_unknown_(p, j);
        return;
    }
    was = b->stated;
    at = get_stated(at, &b->stated);
    e->news |= was.stage != b->stated.stage || !mb_record_is_(&was.record, &b->stated.record);
    if (b->stated.record.counter > e->counter)
        e->counter = b->stated.record.counter;
    if (!p->link[j].live && hears && !p->link_guard[j].twin && !p->link_guard[j].paused) {
        p->link[j].live = 1;
        p->life->live++;
        p->life->edges_changed = 1;
    }
    if (is_at(p, j, b->stated.stage))
        take(p, j, &b->stated, at, n - MB_STATED_);
    else
        e->old += b->stated.content != MB_CONTENT_NONE_;
}
