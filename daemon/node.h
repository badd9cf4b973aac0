/* node.h - one node of a mesh as a process: the state machine mb_peer, its connections, rows,
 * checkpoints and status. One thread, but for the one that writes checkpoints. */
#ifndef MB_DAEMON_NODE_H
#define MB_DAEMON_NODE_H

#include "disk.h"
#include "feed.h"
#include "log.h"
#include "mask.h"
#include "pace.h"
#include "tempo.h"
#include "virtual/record.h"
#include "wire.h"

struct http;

/* What is the matter with a neighbour. Names: node_link_text. */
typedef enum node_link {
    NODE_LIVE,
    NODE_CONNECTING,    /* heard, and not in use yet                        */
    NODE_NEVER,         /* it has never been connected in this life         */
    NODE_UNRESOLVED,    /* the name of its address does not resolve         */
    NODE_THEIR_KEY,     /* it does not have the key of the configuration    */
    NODE_OUR_KEY,       /* it does not accept the key of this node          */
    NODE_REVOKED,       /* its keys are revoked                             */
    NODE_OTHER_VERSION, /* of the protocol                                  */
    NODE_OTHER_MODEL,   /* model, K, columns or options                     */
    NODE_OTHER_GENESIS, /* the same, on another block                       */
    NODE_OTHER_LIFE,    /* it says that it hears another life of this node  */
    NODE_REFUSED,       /* its frames are refused for another cause         */
    NODE_SILENT,        /* it was heard, and is no longer                   */
    NODE_LINKS
} node_link;

enum { NODE_WHY = 440 /* bytes of a reason */ };

/* What the process remembers of a neighbour. */
typedef struct node_flight {
    int32_t    id; /* neighbour; -1: free */
    pace       pace;
    tempo_hold hold;
    int64_t    again, pause;      /* connecting again: not before, and until the next time, ms */
    int64_t    since;             /* ms: it is a neighbour since then                          */
    int64_t    resolve;           /* ms: its name is looked up again then                      */
    int32_t    used;              /* 1: it was live                                            */
    node_link  logged;            /* as it was last logged                                     */
    int32_t    wakes;             /* 1: it keeps this node awake, as it was last logged        */
    mb_refusal refusal;           /* why its newest refused frame was                          */
    int64_t    refused_ms;        /* when                                                      */
    char       refused[NODE_WHY]; /* the same in words                                         */
    int64_t    warned_ms;         /* when such a reason was last logged                        */
    char       warned[NODE_WHY];  /* that one                                                  */
} node_flight;

typedef struct node {
    mb_arena      *a;        /* for the life of the process */
    mb_arena      *reloaded; /* has the neighbours since a SIGHUP; NULL: a has them */
    node_config    c;
    node_keys      keys;
    sign_own       sign;
    int64_t       *release; /* with privacy, what it adds to the sums; NULL       */
    double         cost[2]; /* epsilon of its releases and the budget; 0: not booked in this life */
    mask           mask;    /* of its sums; of zeros: it masks none */
    uint64_t       batch, batch_logged; /* mb_peer_masking::taken that is stored, and logged */
    mb_genesis     given;               /* kind NULL: nodes make it, of what is declared */
    mb_peer       *peer;
    wire          *w;
    disk          *d; /* NULL: no state folder */
    feed           f;
    mb_record     *record; /* NULL: none */
    struct http   *http;   /* NULL: no status */
    node_log       log;
    uint32_t       incarnation;
    int64_t        zero_ms; /* of the node's clock when the monotonic clock was 0 */
    int64_t        checkpoint_tick, checkpoint_ms;
    tempo          tempo;
    int64_t        watched_ms;           /* the links were looked at */
    int32_t        resumed;              /* 1: from a checkpoint             */
    uint64_t       stored;               /* hash of it                       */
    int64_t        written;              /* checkpoints, as far as is known  */
    int32_t        flights;              /* neighbours_max                   */
    node_flight   *flight;               /* they                             */
    size_t         room;                 /* of a frame                       */
    unsigned char *frame;                /* room                             */
    mb_peer_verdict verdict;             /* as it was last logged            */
    int64_t         refused, refused_ms; /* frames and connections, as they were last logged */
    int32_t        *broken;       /* members of the genesis: 1 as it was last logged; NULL: none */
    mb_taking      *taking;       /* the same: what each is in the sums; NULL: it masks none */
    int32_t         causes;       /* they had */
    char            trouble[256]; /* of checkpoints, as it was last logged */
    int32_t        *shut;         /* flights: ids of neighbours that are refused   */
    int32_t         shuts;        /* of them                                       */
    int64_t         returned;     /* mb_peer_guarded, as it was last logged        */
    int32_t         stuck;        /* the same                                      */
    uint64_t        run;          /* hash of its genesis, as it was last seen; 0: none yet */
} node;

/* Milliseconds of the node's clock: the time of day when the process began, then monotonic. */
int64_t node_now(const node *n);
/* What the time of day adds to the monotonic clock now. */
int64_t node_clock_zero(void);

/* node.c: the node with its rows, without what others could see of it: no state, no connections, no
 * record. What the configuration says wrong is said here. */
mb_status node_try(mb_arena *a, const char *config, node *n, mb_err *err) MB_CHECKED;
/* Everything up to the first tick, and the end. */
mb_status node_open(mb_arena *a, const char *config, node *n, mb_err *err) MB_CHECKED;
void      node_close(node *n);
/* members.c: refuses keys and links of the configuration that are not those of the genesis. */
mb_status node_members_fit(const node_config *c, const node_keys *keys, const mb_genesis *now,
                           const mb_genesis *begun, mb_err *err) MB_CHECKED;
/* Logs which members have failed audits, or no longer do. */
void node_log_audit(node *n);
/* release.c, with privacy. Zeros in place of what the node adds; its rows become clipped ones. */
mb_status node_release_room(node *n, mb_err *err) MB_CHECKED;
/* Sums of the node's rows with its part of the noise: those that the state folder has for this
 * plan, else new ones, which are booked in the ledger and written there first. After all else that
 * may refuse the node, before its first tick. MB_E_ARG: beyond the budget, or of other rows. */
mb_status node_release(node *n, mb_err *err) MB_CHECKED;
struct ledger_sum;
/* What it would cost now, and in which ledger; releases 0: nothing, as the folder has it. It writes
 * nothing. MB_E_ARG: as node_release. */
mb_status node_release_ask(node *n, const char **file, struct ledger_sum *cost,
                           mb_err *err) MB_CHECKED;
/* With masks: MB_E_FORMAT where the node's rows are not as many as the genesis declares. */
mb_status node_mask_begin(node *n, mb_err *err) MB_CHECKED;
/* Logs which members are missing from the sums, are left out, or are there again. */
void node_log_masks(node *n, int64_t now);
/* signals.c: SIGTERM, SIGINT and SIGHUP wait in a pipe from here on, each a byte of its number. */
mb_status node_signals(mb_err *err) MB_CHECKED;
/* Its end to read from; -1: there is none. */
int node_signal_pipe(void);
/* loop.c: runs until SIGTERM or SIGINT, and says goodbye. */
mb_status node_run(node *n, mb_err *err) MB_CHECKED;
/* links.c: neighbours of the configuration, now and after SIGHUP. */
mb_status node_links(node *n, mb_err *err) MB_CHECKED;
void      node_reload(node *n);
/* How fast the node may be. */
void node_set_tempo(node *n, const node_config *c);
/* node.c: its neighbours know a later life of this node, so this one counts on from there. */
void node_take_life(node *n, uint32_t incarnation);
/* Neighbour `id` is refused until the process ends, whatever the configuration says.
 * MB_E_ARG: there is none. */
mb_status node_shut(node *n, int32_t id, mb_err *err) MB_CHECKED;
/* The node begins again from the start block. */
void node_reset(node *n);
/* Sends what the tick made, to each neighbour unless a frame is on its way to it (pace.h). */
mb_status node_send(node *n, int64_t now, mb_err *err) MB_CHECKED;
/* Says what has changed about the links, and mends connections. */
void node_watch(node *n, int64_t now);
/* reason.c: the memory of a neighbour; -1: a free one. NULL: none. */
node_flight *node_flight_of(const node *n, int32_t id);
/* What is the matter with a neighbour, and why in words (room: NODE_WHY). */
node_link   node_link_of(const node *n, const mb_peer_neighbour *is, int64_t now, char *why);
const char *node_link_text(node_link is);
/* 1: this neighbour keeps the node awake, and is held back (tempo.h). */
int node_is_disturbed(const node *n, const mb_peer_neighbour *is);
/* A frame of neighbour `from` was refused: where the cause lasts it is stored, and logged. */
void node_refused(node *n, int64_t now, int32_t from, mb_refusal why, const mb_err *err);
/* Logs what has changed about a neighbour. */
void node_tell_link(node *n, node_flight *f, const mb_peer_neighbour *is, int64_t now);
/* record.c: the flight recorder, which a node may have, and the call that made the node. Files that
 * cannot be written end it, not the node. */
mb_status node_record_open(node *n, const mb_peer_opt *opt, mb_err *err) MB_CHECKED;
void      node_record(node *n, mb_called call);
void      node_record_close(node *n);
/* checkpoint.c: a checkpoint, if one is due; wait: at once. 1: after a wait it is on disk. */
int node_checkpoint(node *n, int64_t now, int wait);
/* The checkpoint of an earlier life, if there is one that fits. */
mb_status node_recall(node *n, mb_err *err) MB_CHECKED;
/* Rows that were posted to an earlier life after its checkpoint. */
mb_status node_recall_posted(node *n, mb_err *err) MB_CHECKED;

#endif
