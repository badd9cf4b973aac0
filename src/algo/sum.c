/* algo/sum.c - SUM: central VB by an exact sum over a spanning tree for each pass, whose root takes
 * the step that one machine with all rows would take (docs/math.md, section 31).
 *
 * In pass p every node makes integers of its x_i = (phi*_i - prior)/N and of its bound, and adds
 * those of its children; when it has them all, the sum goes to its parent. The root makes phi* and
 * the bound of all nodes of it, lets SQUAREM choose the next phi, and sends that down, as float64:
 * so phi is the same at every node, to the bit. A node that hears it makes its local step there.
 * A step that went too far is taken back by the next phi, at the cost of its pass.
 *
 * Each message says its pass, and the newest pass that its sender has heard over the link. Where
 * messages may be lost it is repeated, byte for byte, until that says that it has come. */
#include "algo/sum.h"
#include "algo/combine.h"
#include "algo/too_far.h"
#include "base/fixed.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const mb_opt opts[] = {
    {"sum.mask", MB_OPT_CHOICE, offsetof(mb_sum_opt, mask), "off", 0, 0, "off|simulated", "",
     "math 31", "",
     "simulated: what a node adds to the sums is masked by numbers that it shares with each of its "
     "partners and that cancel in the total, so no neighbour sees the sums of its rows, and no bit "
     "of the answer changes; their keys come from --seed"},
    {.name = NULL}};

/* Numbers of a message after the L of the layout: what it is and its pass, the pass heard, the two
 * words of the bound. The first two leave with every message. */
enum { TAG, HEARS, BOUND, BOUND_LOW, EXTRA, DOWN_EXTRA = 2 };
/* What a message is, in its tag, by shorter names. */
enum {
    NOTHING = MB_SUM_NOTHING_,
    UP = MB_SUM_UP_,
    DOWN = MB_SUM_DOWN_,
    KINDS,
    VOID = MB_SUM_VOID_,
    LARGE = MB_SUM_LARGE_
};
/* Then how often the step to phi was halved, UNKNOWN: phi says nothing of how far the target is, as
 * after a pass without a sum; and the pass. */
enum { HALVED_UNIT = 16, UNKNOWN = 63, PASS_UNIT = HALVED_UNIT * (UNKNOWN + 1) };

/* Vectors of aux: those of SQUAREM at the root; the words of the sum, in two; the first phi* of the
 * node, later that of all; bits by which the exponent of each statistic is lowered. */
enum { OUTER_VECTORS = 3, WORDS = OUTER_VECTORS, TOTAL = WORDS + 2, LOWERED, AUX };
/* Numbers of memo: those of SQUAREM at the root; the pass, from 1; that of the words; children in
 * them; VOID or LARGE where their sum is none; 1 in a round in which the decision on the next pass
 * came; of that, LARGE and how often the step was halved; 1 once a phi was decided on; 1 where rows
 * in the words are not those of the pass before; the fewest fraction bits of a statistic; messages
 * of other passes; the epoch of the masks. */
enum {
    OUTER_NUMBERS = 6,
    PASS = OUTER_NUMBERS,
    OWN,
    CHILDREN,
    FLAW,
    DONE,
    LOWERS,
    HALVED,
    BEGUN,
    CHANGED,
    LEAST,
    OLD,
    EPOCH,
    MEMO
};
/* In place of SQUAREM's, where steps are shortened: the phi that was accepted last, and the moments
 * of mb_too_far_; the part of the way from there to its phi* (0: there is none), the bound there. */
enum { FROM, MOMENTS, PART = 0, BEFORE };
/* Numbers of an edge: the newest pass that was heard over it, that the neighbour says it has heard,
 * and whether the neighbour is to learn of the former. */
enum { RECEIVED, KNOWN, OWES };

enum { FEWEST = 3 /* nodes of which one may be masked */, LOWERED_MOST = 4096 /* bits */ };

static const mb_fixed_ bound_as = {.bits = 8, .more = 44};
static const double    bound_most = 0x1p53; /* of all nodes */

static mb_status tune(void *opt, const mb_net_facts *net, mb_err *err)
{
    mb_sum_opt *o = opt;

    if (o->mask && net->n < FEWEST)
        MB_FAIL(
            err, MB_E_ARG,
            "sum.mask: got a network of %d node%s; expected %d or more, since of two each computes "
            "the sums of the other",
            net->n, net->n == 1 ? "" : "s", FEWEST);
    *o = (mb_sum_opt){.mask = o->mask,
                      .n = net->n,
                      .lossy = net->lossy,
                      .hops = net->hops,
                      .shortens = net->overshoots};
    return MB_OK;
}

static int32_t masked(const void *opt)
{
    return ((const mb_sum_opt *)opt)->mask;
}

static int32_t vectors(const void *opt)
{
    (void)opt;
    return 2; /* the second words follow the first vector, those that there are */
}

static int32_t naux(const void *opt)
{
    (void)opt;
    return AUX;
}

static int32_t nodes(const mb_node *nd)
{
    return ((const mb_sum_opt *)nd->opt)->n;
}

static double *vector(const mb_node *nd, int32_t k)
{
    return nd->aux + (size_t)k * nd->len;
}

static int are_between(const double *x, size_t n, double most)
{
    for (size_t k = 0; k < n; k++)
        if (!(x[k] >= 0 && x[k] <= most))
            return 0;
    return 1;
}

/* A checkpoint may have any number of bits. */
static mb_fixed_ format_of(const mb_node *nd, size_t l)
{
    const double lowered = vector(nd, LOWERED)[l];

    return mb_fixed_of_(nd->most ? nd->most[l] : (double)INFINITY, nodes(nd),
                        are_between(&lowered, 1, LOWERED_MOST) ? (int32_t)lowered : 0);
}

static double *edge_of(const mb_node *nd, int32_t j)
{
    return nd->edge + (size_t)j * nd->len;
}

static int is_child(const mb_node *nd, int32_t j)
{
    return nd->tree && nd->tree[j] && nd->tree[j] != MB_TO_ROOT;
}

static int is_parent(const mb_node *nd, int32_t j)
{
    return nd->tree && nd->tree[j] == MB_TO_ROOT;
}

/* 1: the words are those of the node and of all nodes below it. */
static int is_complete(const mb_node *nd)
{
    int32_t children = 0;

    for (int32_t j = 0; j < nd->deg; j++)
        children += is_child(nd, j);
    return (int32_t)nd->memo[CHILDREN] == children && nd->memo[OWN] >= nd->memo[PASS];
}

static int is_root(const mb_node *nd)
{
    for (int32_t j = 0; j < nd->deg; j++)
        if (is_parent(nd, j))
            return 0;
    return 1;
}

static mb_status init(mb_node *nd, const double *phi_star, mb_err *err)
{
    if (masked(nd->opt) && !nd->masks)
        MB_FAIL(err, MB_E_NOSUP, "sum: there are no masks here; expected sum.mask off");
    nd->memo[PASS] = 1;
    memcpy(vector(nd, TOTAL), phi_star, nd->layout->len * sizeof *phi_star);
    nd->memo[EPOCH] = nd->masks ? (double)nd->masks->epoch : 0;
    return MB_OK;
}

/* Numbers of a message after its first vector. */
static size_t second_words(const mb_node *nd)
{
    size_t n = 0;

    for (size_t l = 0; l < nd->layout->len; l++)
        n += format_of(nd, l).more != 0;
    return n;
}

/* The words of x_i. LARGE: those of a statistic that is beyond its size are 1, all others 0. */
static int make_statistics(mb_node *nd, const double *phi_star)
{
    double *w = vector(nd, WORDS);
    size_t  at = nd->len;
    int     flaw = 0;

    for (size_t l = 0; l < nd->layout->len; l++) {
        const mb_fixed_ as = format_of(nd, l);
        uint64_t        first = 0, second = 0;
        const int fits = mb_fixed_make_(as, nodes(nd), (phi_star[l] - nd->prior[l]) / nd->scale,
                                        &first, &second);

        if (!fits && !flaw) {
            flaw = LARGE;
            memset(w, 0, 2 * nd->len * sizeof *w);
        }
        if (flaw == !fits * LARGE)
            mb_set_word(w, l, fits ? first : 1);
        if (!flaw && as.more)
            mb_set_word(w, at++, second);
    }
    return flaw;
}

/* x_i and the node's part of the bound, which the first phi* has not, as words. The bound only guards
 * steps: one that is too large counts as the largest. */
static void own_words(mb_node *nd, const double *phi_star)
{
    const size_t L = nd->layout->len;
    const int    begun = nd->memo[BEGUN] > 0;
    const double most = bound_most / nodes(nd), bound = begun ? nd->bound / nodes(nd) : 0;
    double      *w = vector(nd, WORDS);
    uint64_t     first = 0, second = 0;

    memset(w, 0, 2 * nd->len * sizeof *w);
    nd->memo[OWN] = nd->memo[PASS];
    nd->memo[CHILDREN] = 0;
    nd->memo[FLAW] = VOID;
    if (nd->outside || !isfinite(bound))
        return;
    (void)mb_fixed_make_(bound_as, nodes(nd), fmax(-most, fmin(most, bound)), &first, &second);
    mb_set_word(w, L + BOUND, first);
    mb_set_word(w, L + BOUND_LOW, second);
    nd->memo[LEAST] = mb_sum_bits_(nd);
    nd->memo[FLAW] = make_statistics(nd, begun ? phi_star : vector(nd, TOTAL));
}

/* The node's contribution to this pass, made once, before its first byte leaves. One that is no sum
 * is not masked: it counts in clear what was too large, and those of others are left out. */
static void make_words(mb_node *nd, const double *phi_star)
{
    double *w = vector(nd, WORDS);

    own_words(nd, phi_star);
    if (!nd->masks || nd->memo[FLAW] > 0 ||
        nd->masks->add(nd->masks->self, nd->id, (uint64_t)nd->memo[EPOCH], (uint64_t)nd->memo[PASS],
                       nd->len + second_words(nd), w))
        return;
    nd->memo[OWN] = 0; /* not made: the pass does not end */
    memset(w, 0, 2 * nd->len * sizeof *w);
}

uint64_t mb_sum_tag_(int is, int halved, uint64_t pass)
{
    return pass * PASS_UNIT + (uint64_t)halved * HALVED_UNIT + (uint64_t)is;
}

static void set_tag(const mb_node *nd, double *msg, int is, int halved, double pass, int32_t j)
{
    const size_t L = nd->layout->len;

    mb_set_word(msg, L + TAG, mb_sum_tag_(is, halved, (uint64_t)pass));
    mb_set_word(msg, L + HEARS, (uint64_t)edge_of(nd, j)[RECEIVED]);
}

/* The message to j, and how many numbers of it leave. */
static int32_t write_message(const mb_node *nd, int32_t j, int kind, double *msg)
{
    const size_t L = nd->layout->len;
    const int    down = kind == DOWN;

    if (kind == UP) {
        memcpy(msg, vector(nd, WORDS), 2 * nd->len * sizeof *msg);
        set_tag(nd, msg, UP | (int)nd->memo[FLAW], nd->memo[CHANGED] > 0, nd->memo[PASS], j);
        return (int32_t)(nd->len + second_words(nd));
    }
    memset(msg, 0, 2 * nd->len * sizeof *msg);
    if (down)
        memcpy(msg, nd->memo[LOWERS] > 0 ? vector(nd, LOWERED) : nd->phi, L * sizeof *msg);
    set_tag(nd, msg, kind | down * (int)nd->memo[LOWERS], down * (int)nd->memo[HALVED],
            nd->memo[PASS] - 1, j);
    return (int32_t)(kind == NOTHING ? DOWN_EXTRA : L + DOWN_EXTRA);
}

/* What j is to hear in this round. */
static int due_to(const mb_node *nd, int32_t j)
{
    const double pass = nd->memo[PASS], known = edge_of(nd, j)[KNOWN];

    if (is_parent(nd, j) && known < pass && is_complete(nd))
        return UP;
    if (is_child(nd, j) && known < pass - 1)
        return DOWN;
    return NOTHING;
}

/* Where nothing is lost, what leaves is known at once. */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const int lossy = ((const mb_sum_opt *)nd->opt)->lossy;
    int       any = 0;

    (void)err;
    if (nd->memo[OWN] < nd->memo[PASS])
        make_words(nd, phi_star);
    for (int32_t j = 0; j < nd->deg; j++) {
        const int kind = due_to(nd, j), leaves = kind != NOTHING || edge_of(nd, j)[OWES] > 0;
        int32_t   words = 0;

        if (leaves || !nd->words)
            words = write_message(nd, j, kind, msg + (size_t)j * ld);
        if (nd->words)
            nd->words[j] = leaves ? words : 0;
        if (kind != NOTHING && !lossy)
            edge_of(nd, j)[KNOWN] = nd->memo[PASS] - (kind == DOWN);
        edge_of(nd, j)[OWES] = 0;
        any |= leaves;
    }
    return any ? MB_OK : MB_QUIET;
}

/* The sum of a child. One without a local step hides statistics that are too large, and these hide
 * sums. */
static void add(mb_node *nd, const double *msg)
{
    const size_t L = nd->layout->len, n = nd->len + second_words(nd);
    const int    ours = (int)nd->memo[FLAW], theirs = mb_word(msg, L + TAG) & (VOID | LARGE);
    double      *w = vector(nd, WORDS);

    if (mb_word(msg, L + TAG) % PASS_UNIT >= HALVED_UNIT)
        nd->memo[CHANGED] = 1;
    nd->memo[CHILDREN]++;
    if (theirs & VOID || (theirs && !ours)) {
        memset(w, 0, 2 * nd->len * sizeof *w);
        nd->memo[FLAW] = theirs & VOID ? VOID : LARGE;
    }
    for (size_t l = 0; l < n && theirs == (int)nd->memo[FLAW]; l++)
        if (l != L + TAG && l != L + HEARS)
            mb_set_word(w, l, mb_word(w, l) + mb_word(msg, l));
}

/* A message of another pass is an old one, which is dropped: its sender learns what is known. */
static void hear(mb_node *nd, int32_t j, const double *msg)
{
    const uint64_t tag = mb_word(msg, nd->layout->len + TAG);
    const uint64_t hears = mb_word(msg, nd->layout->len + HEARS);
    const double   pass = (double)(tag / PASS_UNIT);
    const int      kind = tag % VOID, is_new = pass >= nd->memo[PASS] && pass <= nd->memo[PASS];
    double        *edge = edge_of(nd, j);

    if ((double)hears > edge[KNOWN] && (double)hears <= nd->memo[PASS])
        edge[KNOWN] = (double)hears;
    if (kind == NOTHING || kind == KINDS || (kind == UP) != is_child(nd, j))
        return;
    edge[OWES] = ((const mb_sum_opt *)nd->opt)->lossy;
    nd->memo[OLD] += !is_new;
    if (!is_new || edge[RECEIVED] >= pass)
        return;
    if (kind == DOWN && !is_complete(nd))
        return;
    edge[RECEIVED] = pass;
    if (kind == UP) {
        add(nd, msg);
        return;
    }
    nd->memo[LOWERS] = (double)(tag & LARGE);
    nd->memo[HALVED] = (double)(tag % PASS_UNIT / HALVED_UNIT);
    memcpy(tag & LARGE ? vector(nd, LOWERED) : nd->phi, msg, nd->layout->len * sizeof *nd->phi);
    nd->memo[DONE] = 1;
}

/* What words are the sum of. */
static void read_words(const mb_node *nd, const double *w, double *x)
{
    size_t at = nd->len;

    for (size_t l = 0; l < nd->layout->len; l++) {
        const mb_fixed_ as = format_of(nd, l);
        const uint64_t  second = as.more ? mb_word(w, at++) : 0;

        x[l] = mb_fixed_read_(as, mb_word(w, l), second);
    }
}

/* phi* of all nodes: prior + (N/n) sum_i x_i. */
static void total(const mb_node *nd, double *all)
{
    read_words(nd, vector(nd, WORDS), all);
    for (size_t l = 0; l < nd->layout->len; l++)
        all[l] = nd->prior[l] + nd->scale / nodes(nd) * all[l];
}

/* The step of a model that may overshoot is a whole one, halved as step.c halves those of one machine.
 * bound: -infinity where a node had no local step. */
static void shorten(mb_node *nd, const double *phi_star, double bound)
{
    const size_t    L = nd->layout->len;
    double         *from = vector(nd, FROM);
    const mb_trial_ t = {.from = from,
                         .phi = nd->phi,
                         .phi_star = phi_star,
                         .part = nd->memo[PART],
                         .before = nd->memo[BEFORE],
                         .bound = bound};
    const int       none = !isfinite(bound);

    if (t.part > MB_LEAST_PART_ &&
        (none || mb_too_far_(nd->layout, &t, vector(nd, MOMENTS), nd->scratch))) {
        nd->memo[PART] *= 0.5;
        for (size_t l = 0; l < L; l++)
            nd->phi[l] = 0.5 * (nd->phi[l] + from[l]);
        nd->memo[HALVED] = -ilogb(nd->memo[PART]);
        return;
    }
    if (none)
        return;
    if (nd->memo[BEGUN] > 0) {
        memcpy(from, nd->phi, L * sizeof *from);
        nd->memo[PART] = 1;
        nd->memo[BEFORE] = bound;
    }
    memcpy(nd->phi, phi_star, L * sizeof *nd->phi);
    nd->memo[HALVED] = 0;
}

/* The next phi by SQUAREM. Where a node had no local step at a trial, that is refused; where it had
 * none at another phi, phi stays. */
static mb_status extrapolate(mb_node *nd, double *phi_star, double bound, mb_err *err)
{
    mb_node outer = *nd;

    assert(mb_algo_squarem.naux(NULL) <= OUTER_VECTORS && mb_algo_squarem.memo <= OUTER_NUMBERS);
    outer.len = nd->layout->len;
    if (!(nd->memo[BEGUN] > 0) || !mb_algo_squarem.judge(&outer, phi_star, &bound)) {
        if (nd->memo[FLAW] > 0)
            return MB_OK;
        nd->memo[HALVED] = 0;
    }
    return mb_algo_squarem.absorb(&outer, phi_star, NULL, 0, NULL, err);
}

/* The root takes the step of central VB, or lowers the exponents of what was too large. */
static mb_status decide(mb_node *nd, mb_err *err)
{
    const mb_sum_opt *opt = nd->opt;
    const size_t      L = nd->layout->len;
    const double     *w = vector(nd, WORDS);
    double           *phi_star = vector(nd, TOTAL), bound = -(double)INFINITY;

    nd->memo[DONE] = 1;
    nd->memo[HALVED] = UNKNOWN;
    if (nd->memo[CHANGED] > 0)
        memset(nd->memo, 0, OUTER_NUMBERS * sizeof *nd->memo);
    nd->memo[LOWERS] = (int)nd->memo[FLAW] & LARGE;
    if (nd->memo[LOWERS] > 0) {
        for (size_t l = 0; l < L; l++)
            vector(nd, LOWERED)[l] += mb_word(w, l) ? MB_FIXED_LOWER_ : 0;
        return MB_OK;
    }
    if (!(nd->memo[FLAW] > 0)) {
        total(nd, phi_star);
        bound = mb_fixed_read_(bound_as, mb_word(w, L + BOUND), mb_word(w, L + BOUND_LOW));
    }
    if (opt->root && opt->root->next) {
        if (!(nd->memo[FLAW] >
              0)) /* else there is no total: phi stays, and the pass is made again */
            opt->root->next(opt->self, phi_star, nd->phi);
        return MB_OK;
    }
    if (!opt->shortens)
        return extrapolate(nd, phi_star, bound, err);
    shorten(nd, phi_star, bound);
    return MB_OK;
}

/* 0: the sum of all nodes is one that makes no phi. */
static int can_be(const mb_node *nd)
{
    const mb_sum_opt *opt = nd->opt;

    if (!opt->root || !opt->root->can_be || nd->memo[FLAW] > 0)
        return 1;
    read_words(nd, vector(nd, WORDS), vector(nd, TOTAL));
    return opt->root->can_be(opt->self, vector(nd, TOTAL));
}

static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    (void)phi_star, (void)msg, (void)ld;
    nd->memo[DONE] = 0;
    for (int32_t j = 0; j < nd->deg; j++)
        if (nd->tree && nd->tree[j] && in->fresh[j])
            hear(nd, j, in->msg[j]);
    if (is_root(nd) && is_complete(nd) && can_be(nd))
        MB_TRY(decide(nd, err));
    if (!(nd->memo[DONE] > 0))
        return MB_OK;
    nd->memo[PASS]++;
    nd->memo[CHANGED] = 0;
    if (!(nd->memo[LOWERS] > 0))
        nd->memo[BEGUN] = 1;
    return MB_OK;
}

static int32_t ready(const mb_node *nd)
{
    return nd->memo[DONE] > 0 && !(nd->memo[LOWERS] > 0);
}

/* A phi that was taken back has gone this part of the way back, too. */
static double step(const mb_node *nd)
{
    return ldexp(1, -(int)nd->memo[HALVED]);
}

/* Up and down. */
static mb_pass pass(const void *opt)
{
    const mb_sum_opt *o = opt;

    return (mb_pass){.rounds = 2 * (int64_t)o->hops, .messages = 2 * ((int64_t)o->n - 1)};
}

static const mb_count counts[] = {
    {"least_bits", "fewest fraction bits of a statistic", LEAST, MB_MIN},
    {"passes", "passes, with the one it is in", PASS, MB_MAX},
    {"old", "messages of other passes, dropped", OLD, MB_SUM},
    {.name = NULL}};

static const char about[] =
    "Central VB, as fit runs it, by exact sums: in a pass each node sends its parent in a "
    "breadth-first tree the sum of its own statistics and of those of the nodes below it, once it "
    "has them all. The root, in the centre of the network, takes the step that one machine with "
    "all rows would take, with the same extrapolation (SQUAREM) and the same guard by the bound, "
    "and the "
    "next phi goes down the tree, so that all nodes have the same, to the bit. Sums are of "
    "integers, so neither the tree nor the order of arrival changes them.\n"
    "\nA lost or late message is repeated until it is acknowledged. While a link or a node of the "
    "tree is dead, sim waits; nodes of a mesh make another tree. Without masks a node sends its "
    "parent the exact sums of its own rows and of those below it, which of few rows are the rows; "
    "with --sum.mask simulated these are numbers without meaning, of which only the total is "
    "known, "
    "to the root. In rounds it is slower than edge on rings, long paths and grids; what it saves "
    "there is bytes. Where one machine shortens a step that went too far (glm, mixed), the root "
    "does, and each time costs a pass.\n"
    "\nA pass costs two rounds for each hop from the root to the farthest node, one message up and "
    "one down each link of the tree: two vectors a node, and as many passes as fit needs.\n"
    "\nSums over a tree are message passing [Pearl88]; steps are those of SQUAREM "
    "[VaradhanRoland08]. docs/math.md, section 31, has the formulas.\n";

const mb_algo mb_algo_sum = {
    .name = "sum",
    .label = "SUM",
    .title = "SUM: the passes of one machine, by exact sums over a tree, fewest bytes",
    .about = about,
    .opts = opts,
    .opt_size = sizeof(mb_sum_opt),
    .fanout = MB_PER_NEIGHBOUR,
    .coding = MB_CODED_INTEGERS,
    .needs = MB_NEEDS_TREE | MB_WANTS_BOUND | MB_WANTS_WORDS | MB_TAKES_BACK,
    .bears = MB_BEARS_LOSS | MB_BEARS_SPEEDS | MB_BEARS_CHURN,
    .consensus = 1,
    .memo = MEMO,
    .extra = EXTRA,
    .vectors = vectors,
    .naux = naux,
    .nedge = mb_one_vector_, /* three numbers of it */
    .tune = tune,
    .pass = pass,
    .counts = counts,
    .masked = masked,
    .ready = ready,
    .step = step,
    .init = init,
    .emit = emit,
    .absorb = absorb,
};

/* ---- passes of a node of a mesh ---- */

void mb_sum_begin_(mb_node *nd, uint64_t pass)
{
    memset(nd->memo, 0, MEMO * sizeof *nd->memo);
    memset(nd->aux, 0, AUX * nd->len * sizeof *nd->aux);
    memset(nd->edge, 0, (size_t)nd->deg * nd->len * sizeof *nd->edge);
    nd->memo[PASS] = (double)pass + 1;
    nd->memo[BEGUN] = pass > 0;
    for (int32_t j = 0; j < nd->deg; j++)
        edge_of(nd, j)[RECEIVED] = edge_of(nd, j)[KNOWN] = (double)pass;
}

void mb_sum_first_(mb_node *nd, const double *phi_star)
{
    memcpy(vector(nd, TOTAL), phi_star, nd->layout->len * sizeof *phi_star);
}

uint64_t mb_sum_pass_(const mb_node *nd)
{
    return (uint64_t)nd->memo[PASS] - 1;
}

int mb_sum_begun_(const double *memo)
{
    return memo[BEGUN] > 0;
}

int mb_sum_made_(const mb_node *nd)
{
    return nd->memo[OWN] >= nd->memo[PASS];
}

void mb_sum_make_again_(mb_node *nd)
{
    if (!(nd->memo[CHILDREN] > 0))
        nd->memo[OWN] = 0;
}

void mb_sum_forget_(mb_node *nd)
{
    nd->memo[CHANGED] = 1;
}

int mb_sum_was_refused_(const mb_node *nd)
{
    return nd->memo[FLAW] > 0 || nd->memo[HALVED] > 0;
}

int mb_sum_tells_(const mb_node *nd)
{
    return nd->memo[HALVED] < UNKNOWN;
}

int mb_sum_was_void_(const mb_node *nd)
{
    return (int)nd->memo[FLAW] & VOID;
}

int mb_sum_stays_(const mb_node *nd)
{
    return mb_sum_was_void_(nd) && !mb_sum_tells_(nd);
}

double mb_sum_bound_(const mb_node *nd)
{
    const double *w = vector(nd, WORDS) + nd->layout->len;

    return mb_fixed_read_(bound_as, mb_word(w, BOUND), mb_word(w, BOUND_LOW));
}

uint64_t mb_sum_received_(const mb_node *nd, int32_t j)
{
    return (uint64_t)edge_of(nd, j)[RECEIVED];
}

int mb_sum_carries_(const mb_node *nd, const double *row)
{
    const int kind = mb_word(row, nd->layout->len + TAG) % VOID;

    return (kind == UP) - (kind == DOWN);
}

uint64_t mb_sum_row_pass_(const mb_node *nd, const double *row)
{
    return mb_word(row, nd->layout->len + TAG) / PASS_UNIT;
}

int mb_sum_lowers_soundly_(const mb_node *nd, const double *row)
{
    const size_t L = nd->layout->len;

    return !(mb_word(row, L + TAG) & LARGE) || are_between(row, L, LOWERED_MOST);
}

void mb_sum_acknowledge_(const mb_node *nd, double *row, uint64_t received, int keep)
{
    if (!keep)
        mb_set_word(row, nd->layout->len + TAG, NOTHING);
    mb_set_word(row, nd->layout->len + HEARS, received);
}

int mb_sum_read_(const mb_node *nd, const double *row, double *x)
{
    if (mb_word(row, nd->layout->len + TAG) & (VOID | LARGE))
        return 0;
    read_words(nd, row, x);
    return 1;
}

size_t mb_sum_numbers_(const mb_node *nd, int carries)
{
    return nd->layout->len + (carries > 0 ? EXTRA + second_words(nd) : DOWN_EXTRA);
}

int mb_sum_can_have_(const mb_node *nd, int carries, size_t n)
{
    const size_t least = nd->layout->len + (carries > 0 ? EXTRA : DOWN_EXTRA);

    return n >= least && n <= least + (carries > 0 ? nd->layout->len : 0);
}

int32_t mb_sum_bits_(const mb_node *nd)
{
    int32_t least = INT32_MAX;

    for (size_t l = 0; l < nd->layout->len; l++) {
        const int32_t bits = mb_fixed_last_(format_of(nd, l));

        least = bits < least ? bits : least;
    }
    return least;
}

static const double most_passes = 0x1p53;

int mb_sum_memo_fits_(const double *memo)
{
    return are_between(memo + PASS, LEAST - PASS, most_passes) &&
           are_between(memo + OLD, MEMO - OLD, most_passes);
}

int mb_sum_edge_fits_(const double *edge)
{
    return are_between(edge, OWES + 1, most_passes);
}
