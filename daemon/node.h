/* node.h - one node of a mesh as a process: the state machine mb_peer, its connections, rows,
 * checkpoints and status. One thread, but for the one that writes checkpoints. */
#ifndef MB_DAEMON_NODE_H
#define MB_DAEMON_NODE_H

#include "disk.h"
#include "feed.h"
#include "log.h"
#include "pace.h"
#include "virtual/record.h"
#include "wire.h"

struct http;

/* What the process remembers of a neighbour. */
typedef struct node_flight {
    int32_t id; /* neighbour; -1: free */
    pace    pace;
    int32_t live;         /* as it was last logged                     */
    int64_t again, pause; /* connecting again: not before, and until the next time, ms */
} node_flight;

typedef struct node {
    mb_arena       *a;        /* for the life of the process */
    mb_arena       *reloaded; /* has the neighbours since a SIGHUP; NULL: a has them */
    node_config     c;
    node_keys       keys;
    mb_genesis      given; /* kind NULL: the network draws it */
    mb_peer        *peer;
    wire           *w;
    disk           *d; /* NULL: no state folder */
    feed            f;
    mb_record      *record; /* NULL: none */
    struct http    *http;   /* NULL: no status */
    node_log        log;
    uint32_t        incarnation;
    int64_t         zero_ms; /* of the node's clock when the monotonic clock was 0 */
    int64_t         ticked_ms, checkpoint_tick, checkpoint_ms;
    int32_t         resumed;             /* 1: from a checkpoint             */
    int32_t         flights;             /* neighbours_max                   */
    node_flight    *flight;              /* they                             */
    size_t          room;                /* of a frame                       */
    unsigned char  *frame;               /* room                             */
    mb_peer_verdict verdict;             /* as it was last logged            */
    int64_t         refused, refused_ms; /* frames and connections, as they were last logged */
    int32_t         causes;              /* they had */
    char            trouble[256];        /* of checkpoints, as it was last logged */
} node;

/* Milliseconds of the node's clock: the time of day when the process began, then monotonic. */
int64_t node_now(const node *n);
/* What the time of day adds to the monotonic clock now. */
int64_t node_clock_zero(void);

/* node.c: everything up to the first tick, and the end. */
mb_status node_open(mb_arena *a, const char *config, node *n, mb_err *err) MB_CHECKED;
void      node_close(node *n);
/* loop.c: runs until SIGTERM or SIGINT, and says goodbye. */
mb_status node_run(node *n, mb_err *err) MB_CHECKED;
/* links.c: neighbours of the configuration, now and after SIGHUP. */
mb_status node_links(node *n, mb_err *err) MB_CHECKED;
void      node_reload(node *n);
/* Sends what the tick made, to each neighbour unless a frame is on its way to it (pace.h). */
mb_status node_send(node *n, int64_t now, mb_err *err) MB_CHECKED;
/* record.c: the flight recorder, which a node may have. Files that cannot be written end it, not
 * the node. */
mb_status node_record_open(node *n, mb_err *err) MB_CHECKED;
void      node_record(node *n, mb_called call);
void      node_record_close(node *n);
/* keep.c: checkpoints. */
void node_keep(node *n, int64_t now, int wait);
/* The checkpoint of an earlier life, if there is one that fits. */
mb_status node_recall(node *n, mb_err *err) MB_CHECKED;

#endif
