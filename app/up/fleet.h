/* fleet.h - `meshbayes fleet`: a network of nodes on many machines, described in one file. */
#ifndef MB_UP_FLEET_H
#define MB_UP_FLEET_H

#include "base/status.h"
#include "up/node_folder.h"

/* A node of the file. */
typedef struct fleet_node {
    const mb_json *fields;      /* of the file                                                    */
    node_folder    folder;      /* dir: under that of the network; key: NULL until it is known    */
    const char    *status;      /* as in its configuration; NULL: it has none                     */
    const char    *token;       /* file for it, as in its configuration; NULL: none               */
    const char    *status_at;   /* where `fleet check` finds it; NULL: that of its folder         */
    const uint8_t *signing_key; /* MB_SIGNING_KEY, of audit words; NULL: none                     */
    double         rows;        /* declared; NaN: not                                             */
    int            weighted;    /* 1: its rows have weights                                       */
} fleet_node;

/* The file, nodes by ascending id. */
typedef struct fleet {
    const char    *file;
    const mb_json *all;      /* fields of every node                                    */
    const char    *genesis;  /* path of the file; NULL: the network draws its block     */
    int            insecure; /* 1: no keys                                              */
    int32_t        at_most;  /* 1: declared rows are upper limits                       */
    fleet_node    *node;     /* net.n                                                   */
    mb_network     net;      /* id: the names                                           */
} fleet;

/* fleet_read.c: reads and checks the file; folders are in DIR/nodes. */
mb_status fleet_read(mb_arena *a, const char *file, const char *dir, fleet *out,
                     mb_err *err) MB_CHECKED;
/* The place of the node with this id among the first n; -1: there is none. */
int32_t fleet_find(const fleet *f, int32_t n, int64_t id);
/* 1: a field of a node that is not copied to its configuration. */
int fleet_own_field(const char *key);
/* Warns of nodes without which the network falls apart. */
mb_status fleet_warn(mb_arena *a, const fleet *f, mb_err *err) MB_CHECKED;
/* fleet_make.c: folders, keys, genesis files and configurations of all nodes. */
mb_status fleet_make(mb_arena *a, fleet *f, mb_err *err) MB_CHECKED;
/* fleet_check.c: prints what differs in the running network; token NULL: those
 * of the folders. *count: how many lines. */
mb_status fleet_check(mb_arena *a, const fleet *f, const char *token, int32_t *count,
                      mb_err *err) MB_CHECKED;

#endif
