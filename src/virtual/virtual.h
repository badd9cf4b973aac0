/* virtual/virtual.h - nodes on simulated machines, links and disks, under a schedule of faults. */
#ifndef MB_VIRTUAL_H
#define MB_VIRTUAL_H

#include "meshbayes/meshbayes.h"
#include "virtual/record.h"

/* Kinds of events, their names in schedules, and what they do. The three at the end are not for
 * schedules: the network reports them. */
#define MB_EVENT_LIST(X)                                                                           \
    X(MB_EVENT_KILL, "kill", "node a dies; its disk stays")                                        \
    X(MB_EVENT_START, "start", "node a comes back, from its newest complete checkpoint")           \
    X(MB_EVENT_WIPE, "wipe", "node a dies and its checkpoints are gone")                           \
    X(MB_EVENT_LEAVE, "leave", "node a leaves for good")                                           \
    X(MB_EVENT_JOIN, "join", "node a, absent until then, comes with its rows and links")           \
    X(MB_EVENT_PAUSE, "pause", "node a stands still for b seconds, or until it is resumed")        \
    X(MB_EVENT_RESUME, "resume", "node a runs again")                                              \
    X(MB_EVENT_CLOCK, "clock", "the clock of node a jumps by b seconds")                           \
    X(MB_EVENT_DRIFT, "drift", "the clock of node a runs b times as fast as true time")            \
    X(MB_EVENT_DISKFULL, "diskfull", "node a cannot write checkpoints for b seconds")              \
    X(MB_EVENT_CUT, "cut", "the link of a and b carries nothing")                                  \
    X(MB_EVENT_HEAL, "heal", "the link of a and b works again, both ways")                         \
    X(MB_EVENT_ONEWAY, "oneway", "node a no longer reaches node b")                                \
    X(MB_EVENT_PARTITION, "partition", "the nodes a (names with blanks between) against the rest") \
    X(MB_EVENT_REJOIN, "rejoin", "ends all partitions")                                            \
    X(MB_EVENT_ROWS, "rows", "the rows of file b arrive at node a")                                \
    X(MB_EVENT_FAILED, "failed", "node a has failed")                                              \
    X(MB_EVENT_SETTLED, "settled", "node a says that it is settled")                               \
    X(MB_EVENT_MOVING, "moving", "node a, settled before, moves again or is alone")
#define MB_X(name, text, does) name, /* one line of the list as an enumerator */
/* A kind of event; texts are in MB_EVENT_LIST. */
typedef enum mb_event_kind { MB_EVENT_LIST(MB_X) MB_EVENT_KINDS } mb_event_kind;
#undef MB_X
/* "kill", "start" and so on. Static. */
const char *mb_event_text(mb_event_kind kind);
/* One line of help: what the event does. Static. */
const char *mb_event_help(mb_event_kind kind);

/* One event. Members that its kind does not use are ignored. */
typedef struct mb_event {
    int64_t        at_us; /* virtual time                                                         */
    mb_event_kind  kind;  /* what happens                                                         */
    int32_t        a;     /* node                                                                 */
    int32_t        b;     /* the other node: cut, heal, oneway                                    */
    double         x; /* pause, clock, diskfull: seconds (pause 0: until resumed); drift: factor */
    int32_t        nset; /* partition: nodes in set                                              */
    const int32_t *set;  /* partition: these against the rest                                    */
    const char    *file; /* rows: the file that a schedule names                                 */
    const mb_rows *rows; /* rows: they, data units, read from `file` by the caller               */
    int64_t        line; /* in the schedule's file; 0: made in memory                            */
} mb_event;
/* Events in the order in which they happen. */
typedef struct mb_schedule {
    int64_t     n;     /* events                                           */
    mb_event   *event; /* n; times do not decrease                         */
    const char *file;  /* what messages call it; NULL: "schedule"          */
} mb_schedule;

/* Reads a schedule: CSV with columns time, event, a and b; times in seconds ("12.5"), nodes by the
 * n names (NULL: "1" to "n"). Then mb_schedule_check. MB_E_FORMAT names file, line and value.
 * Borrows names; rows of its events are for the caller to read. */
mb_status mb_schedule_read(mb_arena *a, const char *file, const mb_graph *g,
                           const char *const *name, mb_schedule *out, mb_err *err) MB_CHECKED;
/* The same for n bytes of text that a 0 follows; they change. */
mb_status mb_schedule_parse(mb_arena *a, const char *file, char *bytes, size_t n, const mb_graph *g,
                            const char *const *name, mb_schedule *out, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT for times that decrease or are outside 0 to 1e9 s, nodes and links that do not exist,
 * numbers out of range, and events that make no sense in the state that they meet: a start of a
 * node that lives, a resume of one that is not paused, a heal of a link that is not cut, and so on.
 * A node that joins is absent before. O(events x links) at most. */
mb_status mb_schedule_check(mb_arena *a, const mb_schedule *s, const mb_graph *g,
                            const char *const *name, mb_err *err) MB_CHECKED;

/* A virtual network, borrowing all for its life. Zeroed: the default, where one is named. */
typedef struct mb_virtual_opt {
    const mb_graph    *graph; /* links of all nodes, also of those that join; any parts       */
    const char *const *name;  /* graph->n; NULL: "1" to "n"                                   */
    const mb_rows    *rows; /* graph->n: of each node when its first life begins, data units      */
    const mb_genesis *genesis;  /* given to every node; NULL: they draw it (peer.plan->from)    */
    mb_schedule       schedule; /* what happens; events of kind rows have theirs                */
    /* Of all nodes: plan, windows, tick_ms, rest_ms, n_nodes, hops, kappa, eta, tol, wire. The
     * rest (id, name, incarnation, neighbours) is filled in; rows: 0: as many as come to a node. */
    mb_peer_opt peer;
    /* A node's ticks are at least tick_ms times its speed apart, drawn uniformly; 0, 0: 1 and 1. */
    double  speed[2];
    int32_t together;    /* 1: all clocks are the true time, first ticks at 0; else each node's
                            first tick is drawn from its first period                           */
    int64_t delay_us[2]; /* of a frame, uniform                                                 */
    /* Probabilities for each frame in each direction, 0 to below 1. */
    double        loss;      /* it does not arrive                                              */
    double        duplicate; /* it arrives twice, each with a delay of its own                  */
    double        reorder;   /* it is late by another 1 to 3 tick_ms                            */
    double        corrupt;   /* 1 to 8 of its bytes change                                      */
    const double *delivery;  /* aligned with graph->adj: a frame also needs this probability to
                                arrive; NULL: 1                                                 */
    /* Bytes a second and direction; 0: no limit. A frame that must wait is replaced by a newer. */
    double   bandwidth;
    int64_t  checkpoint_ticks; /* own ticks between two checkpoints of a node; 0: none          */
    double   disk_fail;        /* probability that a checkpoint is not written, and says so     */
    double   disk_torn;        /* that its end is what was there before                         */
    double   disk_short;       /* that its end is missing                                       */
    uint64_t seed;             /* of everything that is drawn                                   */
} mb_virtual_opt;

/* What the network counts, by kind: name and meaning. */
#define MB_TALLY_LIST(X)                                                                           \
    X(MB_TALLY_TICKS, "ticks", "ticks of nodes")                                                   \
    X(MB_TALLY_FRAMES, "frames", "frames that nodes sent")                                         \
    X(MB_TALLY_BYTES, "bytes", "bytes of these frames")                                            \
    X(MB_TALLY_ARRIVED, "arrived", "frames that nodes were handed, duplicates and damaged too")    \
    X(MB_TALLY_LOST, "lost", "frames lost at random")                                              \
    X(MB_TALLY_CUT, "cut", "frames lost because the link was cut or across a partition")           \
    X(MB_TALLY_GONE, "gone", "frames to nodes that were dead, absent or gone")                     \
    X(MB_TALLY_DUPLICATED, "duplicated", "frames that arrived twice")                              \
    X(MB_TALLY_REORDERED, "reordered", "frames that were held back")                               \
    X(MB_TALLY_CORRUPTED, "corrupted", "frames whose bytes were changed")                          \
    X(MB_TALLY_REPLACED, "replaced", "frames replaced by newer ones while they waited")            \
    X(MB_TALLY_SAVED, "saved", "checkpoints written")                                              \
    X(MB_TALLY_SAVE_FAILED, "save_failed", "checkpoints that the disk refused")                    \
    X(MB_TALLY_SAVE_TORN, "save_torn", "checkpoints torn")                                         \
    X(MB_TALLY_SAVE_SHORT, "save_short", "checkpoints cut short")                                  \
    X(MB_TALLY_SAVE_FULL, "save_full", "checkpoints for which the disk was full")                  \
    X(MB_TALLY_LOADED, "loaded", "starts from a checkpoint")                                       \
    X(MB_TALLY_LOAD_REFUSED, "load_refused", "checkpoints that were refused")                      \
    X(MB_TALLY_BLANK, "blank", "starts without a checkpoint, first ones too")                      \
    X(MB_TALLY_FAILED, "failed", "nodes that failed")
#define MB_X(name, text, means) name, /* one line of the list as an enumerator */
/* A count; texts are in MB_TALLY_LIST. */
typedef enum mb_tally { MB_TALLY_LIST(MB_X) MB_TALLIES } mb_tally;
#undef MB_X
/* "ticks", "frames" and so on. Static. */
const char *mb_tally_text(mb_tally what);
/* One line of help. Static. */
const char *mb_tally_help(mb_tally what);

/* Where a node is in its life. */
typedef enum mb_life {
    MB_LIFE_ABSENT, /* it has not joined yet                          */
    MB_LIFE_LIVE,   /* it runs                                        */
    MB_LIFE_PAUSED, /* it stands still and keeps what it knows        */
    MB_LIFE_DEAD,   /* killed or wiped: it may start again            */
    MB_LIFE_LEFT,   /* for good                                       */
    MB_LIFE_FAILED, /* it has stopped by itself (mb_peer_tick failed) */
    MB_LIVES
} mb_life;
/* "absent", "live", "paused", "dead", "left", "failed". Static. */
const char *mb_life_text(mb_life life);

/* A virtual network; its struct is private. */
typedef struct mb_virtual mb_virtual;

/* Who watches a run. Functions may be NULL; they must not change nodes. A status below 0, or
 * MB_STOP, ends mb_virtual_run with it. */
typedef struct mb_virtual_watcher {
    void   *self;     /* first argument of the functions                                       */
    int64_t every_us; /* of look, 1 or more                                                    */
    /* At 0, every_us, 2 every_us and so on, once what happens by then has happened. */
    mb_status (*look)(void *self, const mb_virtual *v, int64_t now_us, mb_err *err);
    /* After an event. note: what came of it ("incarnation 3, checkpoint of tick 450"), or "". */
    mb_status (*event)(void *self, const mb_virtual *v, const mb_event *e, const char *note,
                       mb_err *err);
    /* After each call of a node. */
    mb_status (*call)(void *self, const mb_virtual *v, const mb_called *c, mb_err *err);
} mb_virtual_watcher;

/* A network. Its nodes are made when the first run begins, so that watchers see it. MB_E_ARG
 * names the option that is wrong, also one of the nodes'; MB_E_FORMAT: mb_schedule_check. */
mb_status mb_virtual_new(const mb_virtual_opt *opt, mb_virtual **out, mb_err *err) MB_CHECKED;
/* NULL is allowed. */
void mb_virtual_free(mb_virtual *v);
/* Adds a watcher (copied), before the first run; MB_E_ARG: more than 8. */
mb_status mb_virtual_watch(mb_virtual *v, const mb_virtual_watcher *w, mb_err *err) MB_CHECKED;
/* Runs to virtual time until_us, that included. or_settled 1: ends before, once all is settled
 * (mb_virtual_settled) and the schedule is at its end. MB_STOP: a watcher asked for it. */
mb_status mb_virtual_run(mb_virtual *v, int64_t until_us, int32_t or_settled,
                         mb_err *err) MB_CHECKED;

/* What somebody does who watches: the event happens now, between two runs, as one of the schedule
 * would at this time. MB_E_FORMAT: mb_schedule_check would refuse it where the network is now;
 * MB_E_NOSUP: rows, and nodes that join, which need room from the beginning. */
mb_status mb_virtual_happen(mb_virtual *v, const mb_event *e, mb_err *err) MB_CHECKED;
/* From now on a frame is lost with this probability (mb_virtual_opt.loss). MB_E_ARG. */
mb_status mb_virtual_lose(mb_virtual *v, double loss, mb_err *err) MB_CHECKED;

/* Virtual time. */
int64_t mb_virtual_now(const mb_virtual *v);
/* Events of the schedule that have happened. */
int64_t mb_virtual_events(const mb_virtual *v);
/* The options. */
const mb_virtual_opt *mb_virtual_options(const mb_virtual *v);
/* Where node i is in its life. */
mb_life mb_virtual_life(const mb_virtual *v, int32_t i);
/* Node i; NULL unless it is live, paused or failed. */
const mb_peer *mb_virtual_peer(const mb_virtual *v, int32_t i);
/* The node's own clock, milliseconds, as mb_peer_look wants it. */
int64_t mb_virtual_clock(const mb_virtual *v, int32_t i);
/* Its lives so far. */
uint32_t mb_virtual_incarnation(const mb_virtual *v, int32_t i);
/* Its speed: periods are this times tick_ms. */
double mb_virtual_speed(const mb_virtual *v, int32_t i);
/* 1 when frames pass from i to its neighbour graph->adj[p], graph->ptr[i] <= p < graph->ptr[i+1]:
 * the link is not cut that way. Says nothing of the nodes. */
int mb_virtual_open(const mb_virtual *v, int64_t p);
/* Frames from i to that neighbour that were lost at random so far. */
int64_t mb_virtual_lost(const mb_virtual *v, int64_t p);
/* The parts of the network that live now: part[i] from 0 by their lowest node, -1: node i is not
 * live. Links count that are open both ways. */
void mb_virtual_parts(const mb_virtual *v, int32_t *part, int32_t *count);
/* The rows that node i holds, or will when it starts again: window and arrivals taken into account.
 * Copies them, n x columns, in the order of their arrival. */
mb_status mb_virtual_rows(mb_arena *a, const mb_virtual *v, int32_t i, mb_rows *out,
                          mb_err *err) MB_CHECKED;
/* 1 when every live node says that it is settled (alone where no open link leads to a live node)
 * and nodes agree with the truth on which links live: no event is still to be noticed. A paused
 * node counts as not there; a failed one too. */
int mb_virtual_settled(const mb_virtual *v);
/* What has been counted so far. */
int64_t mb_virtual_tally(const mb_virtual *v, mb_tally what);
/* Puts n bytes on the link, as if node `from` had sent them to its neighbour `to` now: they meet
 * the faults of the link. For tests of what nodes refuse. MB_E_ARG: no such link. */
mb_status mb_virtual_inject(mb_virtual *v, int32_t from, int32_t to, const void *bytes, size_t n,
                            mb_err *err) MB_CHECKED;

#endif
