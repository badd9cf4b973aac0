/* mesh/state.h - the state of a mesh node: one block without pointers, which a checkpoint stores as
 * it is, and what is made from it again. */
#ifndef MB_MESH_STATE_H
#define MB_MESH_STATE_H

#include "algo/nodes.h"
#include "base/epochs.h"
#include "base/far.h"
#include "base/gaps.h"
#include "base/groups.h"
#include "mesh/epoch.h"
#include "mesh/frame.h"
#include "mesh/genesis.h"
#include "start/moments.h"

#include <string.h>

enum {
    MB_EXTRA_ = 2,          /* numbers after the vector: b (leader) and l (bound)       */
    MB_RING_ = 32,          /* decoded vectors of a neighbour that differences may refer to */
    MB_PEER_WORDS_ = 400,   /* bytes of a description                                    */
    MB_PEER_MESSAGE_ = 160, /* bytes of a message in the status                          */
    MB_QUIET_MOST_ = 1 << 30,
    MB_NODES_MOST_ = 4096 /* of a network: hops and neighbours are no more, unless agreed */
};

/* Of a row, unless agreed; and of a number in a vector of a frame. */
static const double MB_WEIGHT_MOST_ = 1e6, MB_NUMBER_MOST_ = 1e120;

/* Builds without stdio, for small nodes, send every vector. */
#ifdef MB_NO_STDIO
#define MB_CHANGES_(may) 0
#else
#define MB_CHANGES_(may) (may)
#endif

/* Builds without bounds (CMake option MB_ENTRIES): what asks for them is never 1, so that the
 * compiler leaves out what follows. */
#ifdef MB_NO_ENTRIES
#define MB_BOUNDS_(may) 0
#else
#define MB_BOUNDS_(may) (may)
#endif

/* Fills the error record of the caller. */
#define MB_SAY_(err, ...) ((void)mb_fail_((err), MB_E_PEER, __FILE__, __LINE__, __VA_ARGS__))

/* What a node is doing. */
typedef enum mb_phase_ {
    MB_WAITING_,  /* it has no genesis block            */
    MB_GREETING_, /* it has one, but no state           */
    MB_RUNNING_   /* it makes rounds                    */
} mb_phase_;

/* A neighbour. Plain numbers. */
typedef struct mb_link_ {
    int32_t  id;
    uint32_t life;     /* incarnation of the newest frame; 0: never heard             */
    uint64_t tick;     /* of the newest frame                                         */
    uint64_t acked;    /* own tick that its newest frame echoes, of this life         */
    int32_t  age;      /* own ticks since it was heard                                */
    int32_t  missed;   /* those of them in which an answer was due                    */
    int32_t  received; /* 1: since the stop counter changed                           */
    int32_t  live;     /* 1: z is in use                                              */
    int32_t  sends;    /* 1: there is something to send to it                         */
    int32_t  vector;   /* 1: z is there                                               */
    uint32_t flags;    /* of the newest frame                                         */
    uint32_t count;    /* the same: number of its frames, modulo 256                  */
    uint32_t sent;     /* frames to it in this life, modulo 256                       */
    uint32_t quiet;    /* a_j                                                         */
    uint32_t degree;   /* d_j                                                         */
    uint32_t rounds;   /* it has made                                                 */
    uint64_t run;      /* its block                                                   */
    double   kappa;    /* kappa_j                                                     */
    double   rho;      /* in use; 0: not live                                         */
    double   gap;      /* running number of own ticks between arrivals                */
    double   rtt;      /* own ticks; 0: not known                                     */
    double   loss;     /* running share; -1: not known                                */
    double   n_nodes;  /* N as it knows it                                            */
    int64_t  recv_ms;  /* when                                                        */
    int64_t  bytes;    /* sent to it                                                  */
} mb_link_;

/* A row of the sample, its numbers elsewhere. */
typedef struct mb_key_ {
    double   key; /* 0 to 1 */
    uint32_t node;
    uint32_t row; /* its number at the node */
} mb_key_;

/* All single numbers of a node. */
typedef struct mb_life_ {
    uint32_t incarnation;
    int32_t  phase;    /* mb_phase_ */
    uint64_t tick;     /* own ticks */
    int64_t  rounds;   /* VB steps                                                 */
    int32_t  links;    /* neighbours                                               */
    int32_t  live;     /* live ones                                                */
    int64_t  n;        /* rows                                                     */
    int64_t  number;   /* of the next row                                          */
    int32_t  weighted; /* 1: a weight is not 1                                     */
    int32_t  event;    /* 1: rows changed; 2: it was away                          */
    int32_t  outside;
    int32_t  busy; /* of the last tick                                         */
    int64_t  frozen, projected;
    double   N;       /* as it is known                                           */
    double   counted; /* relative change of N in the last round                   */
    double   moved;   /* |s - phi| in posterior standard deviations; -1: not known */
    uint32_t leader, hop;
    uint64_t beat;
    int64_t  beat_age, hop_age;
    uint32_t suspected; /* leader that is not believed again until its beat grows   */
    uint64_t suspected_at;
    int32_t  any_suspected;
    uint32_t H;
    int64_t  ttl;
    uint32_t quiet; /* a_i */
    int32_t  edges_changed;
    int64_t  since;  /* tick at which the phase began                            */
    int64_t  first;  /* tick at which a neighbour was first heard in it; 0: none */
    int32_t  joined; /* vectors summed in phi while greeting                     */
    double   joined_N;
    double   how[MB_MESH_OPT / sizeof(double)]; /* options of the algorithm, settled */
    double   mean_slow;                         /* mr */
    int64_t  ticked_ms, due_ms;
    double   tick_ms; /* running mean of the time between ticks                   */
    int32_t  failed;
    char     message[MB_PEER_MESSAGE_];
    uint64_t run;   /* hash of the block; 0: none                              */
    uint32_t block; /* bytes of the encoded block                              */
    uint32_t samples;
    int32_t  sample_changed;
    int64_t  bytes_sent, frames_sent, frames_received;
    int64_t  refused[MB_REFUSALS];
} mb_life_;

/* What keeps a node from settling where nothing moves. */
typedef enum mb_doubt_ {
    MB_DOUBT_NONE_,
    MB_DOUBT_WHOLE_,     /* N is no whole number                            */
    MB_DOUBT_NEIGHBOUR_, /* a neighbour knows another N or another leader   */
    MB_DOUBT_MORE_,      /* there are more nodes than members             */
    MB_DOUBT_OTHER_,     /* there are other nodes than members state      */
    MB_DOUBT_ROWS_,      /* there are other rows than declared            */
    MB_DOUBT_RANGE_,     /* totals are larger than rows can make them     */
    MB_DOUBTS_
} mb_doubt_;

/* Where a node cannot get away from by itself. */
typedef enum mb_stuck_ {
    MB_STUCK_NOWHERE_,
    MB_STUCK_EQUAL_,  /* all components have the same means */
    MB_STUCK_FROZEN_, /* phi is outside its domain          */
    MB_STUCKS_
} mb_stuck_;

/* What a node needs to live with neighbours that are wrong. Zeros in a checkpoint of version 1. */
typedef struct mb_guard_ {
    uint64_t ahead;        /* of the own beat: others have heard a later one of this node */
    int64_t  suspected_ms; /* when the leader was suspected                                  */
    int64_t  clipped;      /* numbers in frames that were taken as the nearest that can be */
    int32_t  doubt;        /* mb_doubt_ of the last tick                                  */
    int32_t  firm;         /* 1: the block gives way to that of a larger part alone        */
    int32_t  parent;       /* waiting: neighbour one hop nearer to the leader; -1: none    */
    uint32_t below;        /* waiting: nodes that this one counts for its parent           */
    double   nodes;        /* waiting: in all, as the leader counts them                   */
    int64_t  returned;     /* times that the node went back by itself                     */
    int64_t  returned_ms;  /* when it last did                                            */
    int32_t  stuck;        /* mb_stuck_: it stays there, having gone back lately           */
    int32_t  apart;        /* 1: its components had other means                           */
    int32_t  equal;        /* ticks in turn in which they had the same                    */
    int32_t  held;         /* the same in which phi was outside its domain                */
    int32_t  stored;       /* 1: p->stored is there                                       */
    int32_t  reset;        /* 1: it begins again at the next tick                         */
} mb_guard_;

/* The same of a neighbour. */
typedef struct mb_link_guard_ {
    uint32_t leader;  /* as it says                                                  */
    uint32_t hop;     /* of it from the leader                                       */
    int32_t  twin;    /* 1: its newest frame says that another node has this node's id */
    int32_t  ours;    /* 1: in this life it has run on the block of this node           */
    int32_t  other;   /* frames in turn with another block that this node should take   */
    uint32_t hops;    /* H as it says                                                    */
    int64_t  clipped; /* numbers of its frames that were taken as the nearest that can be */
    int64_t  refused; /* of its frames                                                   */
    int64_t  paused;  /* own ticks for which the edge is not used, nor said to be heard  */
} mb_link_guard_;

/* Of a neighbour, with MB_WIRE_CHANGES: ticks; 0: none. */
typedef struct mb_known_ {
    uint64_t sent;     /* own, of the newest vector for it                       */
    uint64_t echo;     /* own, of the vector that its newest frame says it has   */
    uint64_t received; /* its, of the vector that z has last                     */
} mb_known_;

struct mb_auditor_;

/* What the network has agreed on beside its block. */
typedef struct mb_agreed_ {
    uint32_t nodes;  /* most                                    */
    int32_t  ranged; /* 1: p->range has the ranges of columns   */
    double   rows;   /* most in all, weights added up           */
    double   weight; /* largest, of a row                       */
} mb_agreed_;

/* Memory that is measured first (base NULL), then handed out. */
typedef struct mb_carver_ {
    unsigned char *base;
    size_t         used;
} mb_carver_;

/* n things of this size. */
static inline void *mb_carve_(mb_carver_ *c, size_t n, size_t size)
{
    void *at = c->base ? c->base + c->used : NULL;

    c->used += (n * size + 7) / 8 * 8;
    return at;
}

struct mb_peer {
    mb_peer_opt opt; /* defaults filled in */
    mb_plan     plan;
    uint64_t    plan_hash;
    /* What the node runs: that of the plan. */
    const mb_algo *algo;
    int32_t        leaving; /* 1: mb_peer_leave */
    mb_sizes       size;
    size_t         L;     /* of the layout */
    size_t         len;   /* of the vectors: L + MB_EXTRA_; before there is a block, of the sums */
    size_t         most;  /* of the longer ones */
    size_t         sums;  /* of those of a genesis from sums; 0: it is another one */
    uint32_t       keys;  /* most rows that are flooded for the genesis */
    size_t         exact; /* of them those that are no sums of a search */
    int32_t        trims; /* 1: rows far out are left out of sums */
    size_t         room;  /* bytes for an encoded block */
    size_t         sum_len;   /* of the vectors of SUM; 0: the nodes run another algorithm   */
    size_t         sum_most;  /* of the longer ones, before there is a block and after it      */
    size_t         start_len; /* numbers of a start of sums (start.c); 0: the block is another */
    /* The state: one block. */
    unsigned char  *block;
    size_t          bytes;
    mb_life_       *life;
    mb_link_       *link;                              /* M, by ascending id */
    double         *prior;                             /* most: with zeros   */
    double         *phi, *mu, *phi_before, *mu_before; /* L + MB_EXTRA_      */
    double         *at;                                /* where mu is: phi, or as mb_node::at */
    double         *star, *s;                          /* most               */
    double         *aux;                               /* of the algorithm   */
    double         *memo;                              /* of the algorithm   */
    double         *z;              /* M x most, used M x len                    */
    double         *out;            /* the same: what to say to each, made with s */
    double         *x, *run_x;      /* R x columns: data units, run units */
    double         *w;              /* R                  */
    int64_t        *number, *stamp; /* R          */
    int64_t        *group, *first;  /* R: number of the first of its group; R + 1: mb_rows.first */
    int32_t         grouped;        /* 1: rows come in groups */
    int32_t         taken_by;       /* with rows_batch: id of whom `taken` is; -1: its own */
    mb_key_        *key;            /* keys; of a sample one more */
    double         *key_x;          /* they x columns      */
    double         *ends;           /* 2 x columns: (-min, max); only with sums  */
    double         *search;         /* mb_search_len_: stage and bins; only with trims */
    unsigned char  *encoded;        /* room               */
    int32_t         sent_room;      /* 1: there are rings (float16)              */
    double         *sent, *got;     /* M x MB_RING_ x len                         */
    uint64_t       *sent_tick, *got_tick; /* M x MB_RING_ */
    mb_guard_      *guard;                /* with link_guard the end of the state */
    mb_link_guard_ *link_guard;           /* M */
    double         *stored;               /* L + MB_EXTRA_: phi when it last settled; with bounds */
    mb_known_      *known;                /* M; NULL: not with MB_WIRE_CHANGES */
    /* With SUM, else NULL; the rows of M links are 2 sum_len each. */
    mb_epoch_  *epoch;
    mb_branch_ *branch;                        /* M */
    double     *sum_memo, *sum_aux, *sum_edge; /* of mb_algo_sum */
    double     *sum_in, *sum_out;              /* messages of neighbours, and for them */
    double     *sum_best;                      /* L: phi of mb_epoch_::best */
    int32_t    *sum_words;                     /* M */
    int32_t    *left_out; /* members: 1: an operator did; NULL: without masks */
    /* With rows_batch: rows of each member in the sums, and the record that says so; else NULL. */
    mb_record_ *taken_at;
    int64_t    *taken;
    /* Made again from it. */
    uint8_t *sum_tree;                   /* M */
    double  *sum_most_of, *sum_own_most; /* L: how large statistics of all rows can be, in the epoch
                                            and as this node would say as its root */
    /* With masks, else NULL: */
    int64_t         *released;  /* with privacy: the total of the release, in the state */
    mb_participant_ *taking;    /* members */
    int32_t         *partner;   /* members: ids of the partners in the record */
    int32_t          partners;  /* they */
    int32_t          member;    /* own place in the list */
    unsigned char   *record;    /* its bytes, for the host */
    char            *mask_text; /* MB_PEER_MESSAGE_: why the node waits; "": it does not */
    char *batch_text; /* with rows_batch, as long: for what new rows wait; "": there are none */
    mb_sum_opt          sum_opt;
    mb_layout           start;   /* that many numbers, of no family */
    void               *made_at; /* of an arena for genesis and model */
    size_t              made_bytes;
    mb_arena           *made;
    mb_genesis          g;
    mb_model            model;
    double             *scratch; /* of the algorithm */
    double             *local;
    double             *resp;             /* R x K */
    double             *rho;              /* M: new stiffness */
    double             *old_rho;          /* M                */
    const double      **msg;              /* M                */
    int32_t            *age;              /* M                */
    uint8_t            *fresh;            /* M: zeros         */
    void               *scratch_arena_at; /* memory to make a block in */
    size_t              scratch_arena_bytes;
    mb_row_moments      seen;       /* of all rows, with sums   */
    double             *mean;       /* columns: in units of the range */
    mb_limits           limits;     /* by the bins, with trims  */
    double             *width;      /* columns x MB_QUARTILES_: of its bins */
    double             *near;       /* R: weights, 0 of rows that are left out */
    double             *new_ends;   /* 2 x columns: (-min, max) of own rows or of a frame */
    double             *searched;   /* mb_search_len_: of a frame or a checkpoint, with trims */
    double             *vector;     /* 2 most: of a frame */
    double             *vector_row; /* columns: a row of a frame or of the host */
    double             *counts;  /* L: rows in all are N <counts, s>; NULL: nothing is declared */
    size_t              audited; /* numbers of a vector that an audit looks at */
    struct mb_auditor_ *audit;   /* NULL: there is none (audit.h)              */
    mb_agreed_          agreed;
    /* With bounds: */
    mb_entry *entry;  /* L                                                        */
    double   *bound;  /* L + MB_EXTRA_: of the sums of all rows                   */
    double   *range;  /* columns x 2, data units; then the least and the largest in run units */
    int32_t  *weight; /* K: entries that have the rows of components              */
};

/* 1: the node masks its sums. */
#define MB_MASKS_(p) MB_EPOCHS_((p)->taking != NULL)

/* 1: rows may come in batches. */
#define MB_BATCH_(p) (MB_MASKS_(p) && (p)->taken != NULL)

/* Rows of the node that are in its sums: the first ones. */
static inline int64_t mb_peer_rows_(const mb_peer *p)
{
    return !MB_BATCH_(p)                      ? p->life->n
           : p->taken[p->member] < p->life->n ? p->taken[p->member]
                                              : p->life->n;
}

/* min_nodes, less those that an operator has left out. */
static inline int32_t mb_peer_fewest_(const mb_peer *p)
{
    return p->opt.min_nodes - (MB_MASKS_(p) ? mb_participants_out_(p) : 0);
}

/* 1: rows may have gaps. */
static inline int32_t mb_peer_gaps_(const mb_peer *p)
{
    return p != NULL && MB_GAPS_(mb_plan_gaps(&p->plan));
}

/* What its frames say of its edges: the algorithm's kappa. */
static inline double mb_peer_kappa_(const mb_peer *p, const mb_life_ *l)
{
    double kappa;

    memcpy(&kappa, (const char *)l->how + p->algo->mesh->kappa, sizeof kappa);
    return kappa;
}

/* A reading of the host's clock, at most 2^60 ms from 0: differences of two are numbers of 64
 * bits. */
static inline int64_t mb_peer_clock_(int64_t now)
{
    const int64_t most = INT64_C(1) << 60;

    return now > most ? most : now < -most ? -most : now;
}

/* 1: this block is another one than the node's own. */
static inline int mb_peer_apart_(const mb_peer *p, uint64_t run)
{
    return run && p->life->run && run != p->life->run;
}

/* state.c */
/* The neighbour with this id; -1: none. */
int32_t mb_peer_find_(const mb_peer *p, int64_t id);
/* A neighbour has a new life: what was exchanged in the former one is no base for differences. */
void mb_peer_new_life_(mb_peer *p, mb_link_ *l);
/* The node has failed: it stays as it is. */
void mb_peer_fail_(mb_peer *p, const mb_err *err);
/* Its status says what err does. */
void mb_peer_note_(mb_peer *p, const mb_err *err);
/* Run units of row i, once there is a genesis. */
void mb_peer_units_(mb_peer *p, int64_t i);
/* Above this, the stop counter says that nothing moves anywhere. */
uint32_t mb_peer_enough_(const mb_life_ *l);
/* 1 when it does. */
int mb_peer_done_(const mb_life_ *l);
/* bounds.c: what is declared beside a block; NULL: nothing, so that the defaults hold. */
void mb_peer_agree_(mb_peer *p, const mb_declared *d);
/* The most nodes. */
static inline uint32_t mb_peer_nodes_most_(const mb_peer *p)
{
    return MB_BOUNDS_(1) ? p->agreed.nodes : MB_NODES_MOST_;
}
/* The largest weight of a row. */
static inline double mb_peer_weight_most_(const mb_peer *p)
{
    return MB_BOUNDS_(1) ? p->agreed.weight : MB_WEIGHT_MOST_;
}
/* What numbers can be, of the block and what is agreed. */
mb_status mb_peer_bounds_(mb_peer *p, mb_err *err);
/* 1: the prior of a block, whose model is m, weighs no more than rows can. Overwrites p->vector. */
int mb_peer_prior_fits_(mb_peer *p, const mb_genesis *g, const mb_model *m, mb_err *err);
/* 1 when the vectors of neighbour j in p->vector can be (own: the second as well); else err says
 * which number cannot. */
int mb_peer_bounded_(const mb_peer *p, int32_t j, int vector, int own, mb_err *err);
/* 1: all components have the same means, and the rows are more than components; two components have
 * some, or the node had settled. -1: they have other means, or none. 0: neither. */
int mb_peer_equal_(mb_peer *p);
/* back.c: after a round, a node that is stuck goes back; a settled one is remembered. */
mb_status mb_peer_watch_(mb_peer *p, mb_err *err);

/* tick.c: 1 when neighbour j knows N and the leader as this node does. */
int mb_peer_agrees_(const mb_peer *p, int32_t j);
/* 1: N is a whole number, but for rounding: nodes that are still being counted know others. */
int mb_peer_counted_(double N);

/* check.c */
/* 1 when the n bytes of a checkpoint (p->bytes, or of version 1; without head) can be the state of
 * this node, but for the block in it. */
int mb_peer_fits_(const mb_peer *p, const unsigned char *state, size_t n);

/* sample.c */
/* Own row i (0 .. n - 1) enters the sample if its key is large enough. */
void mb_peer_draw_(mb_peer *p, int64_t i);
/* A row of another node. */
void mb_peer_merge_(mb_peer *p, const mb_key_ *k, const double *x);
/* 1: a has the larger key, or an equal one and the lower (node, row). */
int mb_key_before_(const mb_key_ *a, const mb_key_ *b);

/* sums.c */
/* Numbers of the vector of sums. */
size_t mb_sums_len_(const mb_plan *plan);
/* Numbers of a vector in a frame of a node that runs on this block; 0: none. */
size_t mb_peer_len_(const mb_peer *p, uint64_t run);
/* The sums of own rows as the node sees them now: x (sums). Own rows enter the list. */
mb_status mb_peer_sum_(mb_peer *p, const mb_rows *rows, double *x, mb_err *err);
/* How far s is from p->s, relative; -1: no row is known. */
double mb_peer_change_(const mb_peer *p, const double *s);
/* The moments of all rows, when s is at rest. */
const mb_row_moments *mb_peer_moments_(mb_peer *p);
/* Ends of another node. 1: they are this node's now too, so its list counts. */
int mb_peer_widen_(mb_peer *p, const double *ends);
/* Row k of its list, in order; 0: the own list is the larger one. */
int mb_peer_follow_(mb_peer *p, uint32_t k, const mb_key_ *key, const double *x);

/* release.c: with mb_plan::privacy what comes before the block is one pass, of mb_release_numbers_
 * whole numbers, each as two of its state. */
size_t    mb_release_numbers_(const mb_plan *plan);
mb_status mb_release_check_(const mb_peer_opt *o, mb_err *err) MB_CHECKED;
void      mb_release_sums_(const mb_peer *p, double *sums);
/* As mb_peer_start_rows_ and mb_peer_start_far_: no noise is that large. */
double  mb_release_rows_(const mb_peer *p, const double *sums);
int64_t mb_release_far_(const mb_peer *p, const double *sums);
/* The pass has ended with these sums: p->released is their total. */
void mb_release_hear_(mb_peer *p, const double *sums);
/* The block of that. */
mb_status mb_release_genesis_(const mb_peer *p, mb_arena *a, mb_genesis *out,
                              mb_err *err) MB_CHECKED;
/* start.c: a block of the exact sums of SUM within the bounds of the plan. */
/* Numbers of its state, which takes the place of phi; 0: the plan has another block. */
size_t mb_peer_start_len_(const mb_plan *plan);
/* The sums of own rows for the next pass, into p->star. */
mb_status mb_peer_start_sums_(mb_peer *p, const mb_rows *rows, mb_err *err);
/* Of sums of the next pass: the rows that they count, NaN: none; the place of one beyond those of
 * rows within the bounds, -1: there is none. */
double  mb_peer_start_rows_(const mb_peer *p, const double *sums);
int64_t mb_peer_start_far_(mb_peer *p, const double *sums);
/* A pass has ended, whose state is here. */
void mb_peer_start_received_(mb_peer *p);
/* mb_sum_root::next; self is the node. */
void mb_peer_start_next_(void *self, const double *total, double *phi);
/* 1: the last pass has been made. */
int mb_peer_start_done_(const mb_peer *p);
/* Then: the block, in the arena. */
mb_status mb_peer_start_genesis_(mb_peer *p, mb_arena *a, mb_genesis *out, mb_err *err);

/* limits.c: with trims alone. */
/* Numbers of the vector of sums for them; 0: none are left out. */
size_t mb_far_len_(const mb_plan *plan);
/* Numbers of a search, and 1 when they can be one. */
size_t mb_search_len_(const mb_peer *p);
int    mb_search_fits_(const mb_peer *p, const double *search);
/* 1: rows are drawn now, at distances in this unit of column d. */
int    mb_peer_lists_(const mb_peer *p);
double mb_peer_scale_(const mb_peer *p, int32_t d);
/* The ends have changed: it begins again. */
void mb_peer_search_anew_(mb_peer *p);
/* What a node with the same ends says. 1: it is this node's now too, so its list counts. */
int mb_peer_search_with_(mb_peer *p, const double *search);
/* Rows that are left out get weight 0 in *rows, and p->seen their units; counts into sum. */
void mb_peer_trim_(mb_peer *p, mb_rows *rows, double *sum);
/* At the leader, when s is at rest and so are the moments of the rows: the next step. 0: none. */
int mb_peer_search_on_(mb_peer *p, const mb_row_moments *seen);
/* Then; NULL: too many rows are far; K x columns: the centres, NULL: the rows that were drawn. */
const mb_limits *mb_peer_limits_(const mb_peer *p);
const double    *mb_peer_means_(const mb_peer *p);

/* Bytes before the list of rows in a frame of sums. */
static inline size_t mb_peer_ends_bytes_(const mb_peer *p)
{
    return 16 * (size_t)p->plan.columns + (MB_FAR_(p->trims) ? 8 * mb_search_len_(p) : 0);
}

/* block.c */
/* MB_E_ARG when a block is not of this node's plan. */
mb_status mb_peer_planned_(const mb_peer *p, const mb_genesis *g, mb_err *err);
/* Takes an encoded block, which is of the node's plan, as its own: model and units are made, the
 * node is blank. */
mb_status mb_peer_adopt_(mb_peer *p, const void *bytes, size_t n, mb_err *err);
/* What an encoded block is beside the node's own. */
typedef enum mb_block_ {
    MB_BLOCK_BAD_,   /* damaged, or of another plan                         */
    MB_BLOCK_LOSES_, /* sound; the node's own has the lower (maker, counter) */
    MB_BLOCK_WINS_   /* sound; it has the lower one, or the node has none    */
} mb_block_;
mb_block_ mb_peer_block_(mb_peer *p, const void *bytes, size_t n);
/* The model of the encoded block that the state holds. */
mb_status mb_peer_remake_(mb_peer *p, mb_err *err);
/* MB_OK when the node could run on an encoded block of this hash: it is sound, and of its plan.
 * What was made of its own block is the same afterwards. */
mb_status mb_peer_try_block_(mb_peer *p, const void *bytes, size_t n, uint64_t run, mb_err *err);
/* Waiting: makes the block when it is this node's turn. */
mb_status mb_peer_seal_(mb_peer *p, mb_err *err);

/* leader.c: leader, hops, H. */
/* A tick more. */
void mb_peer_lead_(mb_peer *p);
/* What a neighbour says of them. */
void mb_peer_hear_leader_(mb_peer *p, const mb_frame_ *f);
/* What one of several live neighbours alone has said does not survive a restart. */
void mb_peer_confirm_(mb_peer *p);

/* Builds without stdio, for small nodes, count none before there is a block. */
#ifdef MB_NO_STDIO
#define MB_COUNTS_(may) 0
#else
#define MB_COUNTS_(may) (may)
#endif
/* Waiting: counts the nodes. */
void mb_peer_count_(mb_peer *p);

/* changes.c: with MB_WIRE_CHANGES alone. */
/* 1: neighbour j has what is to be said to it. */
int mb_peer_has_already_(const mb_peer *p, int32_t j);
/* A frame came without a vector: the last one counts again. */
void mb_peer_hear_again_(mb_peer *p, int32_t j);
/* mb_frame_::echo for neighbour j. */
uint64_t mb_peer_echo_(const mb_peer *p, int32_t j);

/* edges.c: liveness and stiffness. */
void mb_peer_age_(mb_peer *p);
void mb_peer_edges_(mb_peer *p);
/* Edge j is no longer in use, and its state is gone. */
void mb_peer_drop_(mb_peer *p, int32_t j);
/* Both ends make an edge again whose numbers are so large that the sums lose the digits of the
 * rows: what goes round a cycle of edges stays for ever, as averaging does not damp it. */
void mb_peer_renew_(mb_peer *p);
/* 1: the neighbour may say something but once in rest_ms, unless it is asked. */
int mb_peer_rests_(const mb_peer *p, const mb_link_ *l);
/* 1: it rests and is asked to answer at once: this node is awake, or misses it. */
int mb_peer_asks_(const mb_peer *p, const mb_link_ *l);
/* 1: it was heard within its time-out. */
int mb_peer_hears_(const mb_link_ *l);
/* Stiffness of link j if it came into use now; 0: its neighbour has not been heard. */
double mb_peer_would_be_(const mb_peer *p, int32_t j);
/* H has changed: kappa and damping follow. */
void mb_peer_tune_(mb_peer *p);

/* round.c: greeting and rounds. */
/* No state: the node greets. */
void mb_peer_blank_(mb_peer *p);
/* A tick before its first round, and a round. */
mb_status mb_peer_greet_(mb_peer *p, mb_err *err);
mb_status mb_peer_round_(mb_peer *p, mb_err *err);
/* Begins again in its place: from phi, or where it is NULL, from the start block. */
mb_status mb_peer_again_(mb_peer *p, const double *phi, mb_err *err);
/* Waiting: averages the sums of the rows. */
mb_status mb_peer_average_(mb_peer *p, mb_err *err);

/* rows.c */
/* Rows that are too old leave. */
void mb_peer_window_(mb_peer *p, int64_t now);
/* Compares the clock with that of the last tick. 0: it went back, or on by more than a day, which
 * counts as no time: what was read before is moved along. */
int mb_peer_read_clock_(mb_peer *p, int64_t now);

#endif
