/* local.h - `meshbayes up` without --virtual: a process meshbayes-node for each node, on this
 * machine, in folders that can be copied to others. */
#ifndef MB_UP_LOCAL_H
#define MB_UP_LOCAL_H

#include "base/place.h"
#include "base/status.h"
#include "up/up.h"

#include <sys/types.h>

/* A node and its process. */
typedef struct local_node {
    const char *dir;     /* ROOT/nodes/NAME                                             */
    const char *where;   /* its status: "unix:" and a path, or http://127.0.0.1:PORT    */
    const char *status;  /* the same as in its configuration                            */
    int32_t     port;    /* it listens there                                            */
    const char *key;     /* its public key; NULL: insecure                              */
    pid_t       pid;     /* 0: it does not run                                          */
    double      began;   /* app_now() when it was started last                          */
    double      again;   /* when it is started again                                    */
    double      read_at; /* app_now() when its status was read last; 0: never           */
    int32_t     deaths;  /* since it ran for a while: the pause doubles with each       */
    int32_t     errors;  /* ends by itself with an error in a row, without an answer    */
    int32_t     failed;  /* 1: it is not started again                                  */
    node_status newest;  /* newest; its texts are gone                                  */
    up_state    state;
} local_node;

/* The network. */
struct local {
    up         *u;
    const char *root;      /* --out, or a folder that is removed */
    int         temporary; /* 1: it is                           */
    char        program[PLACE_PATH];
    local_node *node;
    int32_t     still;  /* looks in a row at which all had settled */
    double      pause;  /* seconds between two looks               */
    double      looked; /* app_now() of the newest look            */
    mb_file     trace;  /* open with --out                         */
    const char *record; /* folder of the flight recorder; NULL: none */
    double     *sorted; /* n: scratch                              */
    mb_arena   *held;   /* of one look                             */
};
typedef struct local local;

/* In the folder of a node: its rows, until no ledger refuses their release. */
#define LOCAL_NEXT "rows.next.csv"

/* local_make.c: the folders of all nodes, before any runs. */
mb_status local_make(local *l, mb_err *err) MB_CHECKED;
/* Removes a file, or a folder with all that is in it. */
void local_remove(const char *path);
/* local_process.c: starts a program in a folder, with standard error appended to a file there; 0:
 * errno says why not. It ends when this process ends, however that happens. */
pid_t local_spawn(const char *dir, const char *log, const char *const *argv);
/* Starts node i now. */
mb_status local_start(local *l, int32_t i, mb_err *err) MB_CHECKED;
/* Collects those that have ended and starts them again in time. MB_E_PEER: one does not start. */
mb_status local_tend(local *l, mb_err *err) MB_CHECKED;
/* Ends all; none is left afterwards. */
void local_stop(local *l);
/* The last line of the log in the folder of a node; "": none. */
void local_last_line(const char *dir, char *out, size_t cap);
/* local_watch.c: looks at all nodes, when it is time: states, trace, progress. */
mb_status local_look(local *l, mb_err *err) MB_CHECKED;
/* 1 when all nodes that can have settled together. */
int       local_settled(const local *l);
mb_status local_watch_begin(local *l, mb_err *err) MB_CHECKED;
mb_status local_watch_end(local *l, mb_status st, mb_err *err) MB_CHECKED;
/* A line of events.csv. */
mb_status local_event(local *l, const char *event, int32_t i, const char *note,
                      mb_err *err) MB_CHECKED;
/* local_end.c: the nodes' last answers into files and u->last, while they still run. */
mb_status local_collect(local *l, mb_err *err) MB_CHECKED;

#endif
