/* config.h - the file that describes a node (docs/node.schema.json). Paths in it are relative to
 * the folder of the file, so that a folder with all that a node needs can be copied. */
#ifndef MB_DAEMON_CONFIG_H
#define MB_DAEMON_CONFIG_H

#include "base/node_file.h"
#include "data/json.h"
#include "log.h"
#include "meshbayes/meshbayes.h"

enum {
    NODE_NEIGHBOURS = 16,      /* neighbours_max where it is not given */
    NODE_NODES_MOST = 1000000, /* of min_nodes                         */
    NODE_KEYS = 2              /* of a neighbour                       */
};

/* A neighbour. */
typedef struct node_neighbour {
    int32_t     id;             /* its number in the network                             */
    const char *name;           /* for status and log                                    */
    const char *address;        /* tcp://HOST:PORT; NULL: it connects to this one        */
    const char *key[NODE_KEYS]; /* public_key and next_public_key; NULL: none.         */
                                /* Either is accepted                                   */
} node_neighbour;

/* The file, checked; defaults filled in. */
typedef struct node_config {
    const char  *file, *dir;
    int32_t      id;
    const char  *name;
    const char  *listen;        /* tcp://HOST:PORT                                */
    const char  *key;           /* file; NULL: insecure                           */
    const char **revoked;       /* keys that are never accepted                   */
    int32_t      revocations;   /* they                                           */
    int32_t      insecure;      /* 1: no encryption, loopback only                */
    const char  *data;          /* rows: a file, "-": standard input; NULL: none  */
    int32_t      follow;        /* 1: the file grows                              */
    const char  *weight_column; /* of the rows; NULL: each counts once           */
    const char  *group_column;  /* of the rows; NULL: they come in no groups     */
    const char  *genesis;       /* file; NULL: the network draws the block        */
    mb_plan      plan;          /* column NULL: those of the data                 */
    const struct mb_design
                      *design;  /* of the genesis: makes them of those that follow; NULL: none */
    const char        *bounds;  /* file, for a genesis of sums within them; NULL */
    int32_t            sources; /* columns of rows as they come, where there is a design      */
    const char *const *source;
    const mb_columns  *source_kinds;
    int64_t            window_rows, window_ms;
    int64_t            rows_max; /* 0 until the data is known: as many as it has, and room    */
    int32_t            neighbours_max;
    int64_t            tick_ms, rest_ms;
    int64_t            tick_least_ms;    /* read again at SIGHUP, as ..            */
    int64_t            bytes_per_second; /* .. this; 0: no limit                   */
    double             tol, kappa, eta;  /* of mb_peer_opt; 0: its defaults        */
    int32_t            min_nodes;        /* with fewer it waits                    */
    log_level          log_level;        /* read again at SIGHUP                   */
    int32_t            log_json;         /* 1: lines of the log are JSON           */
    int32_t            wire;             /* mb_wire                                */
    const char        *state;            /* folder; NULL: no checkpoints           */
    int64_t            checkpoint_ticks; /* own ticks between two                  */
    const char        *status;           /* "127.0.0.1:8100" or "unix:PATH"; NULL  */
    const char        *status_token;     /* file; NULL: none is asked for          */
    const char        *status_cert;      /* file; NULL: no TLS                     */
    const char        *status_key;       /* file, where there is a certificate     */
    const char        *status_ca;        /* file, of clients; NULL: any            */
    const char        *record;           /* folder of the flight recorder; NULL    */
    int64_t            record_limit;     /* bytes; 0: default                      */
    const char        *ledger;           /* file of releases of the data; NULL: beside them */
    double             budget;           /* epsilon that they may cost; NaN: as in the ledger */
    int32_t            neighbours;
    int32_t            drop_broken; /* 1: of members that fail audits edges are not used */
    node_neighbour    *neighbour;   /* by ascending id */
    const mb_json     *fields;      /* as they were read */
} node_config;

/* Reads and checks the file. MB_E_FORMAT names file, field and what is accepted; with a genesis
 * block, out->plan is that of the block, which is read into *given. */
mb_status node_config_read(mb_arena *a, const char *file, node_config *out, mb_genesis *given,
                           mb_err *err) MB_CHECKED;
/* The bounds that it names, once the columns are known. MB_E_FORMAT names file, line and column. */
mb_status node_bounds_read(mb_arena *a, node_config *c, mb_err *err) MB_CHECKED;
/* "public_key" or "next_public_key": the field of a neighbour's key k. Static. */
const char *node_key_field(int32_t k);
/* Fields of two configurations that are not the same and that a running node does not read again:
 * "tick_ms, status" into text; "": none. */
void node_config_changed(const node_config *a, const node_config *b, char *text, size_t room);
/* The path of a file that the configuration names; NULL: no memory. */
const char *node_path(mb_arena *a, const node_config *c, const char *name, mb_err *err);
/* The neighbour with this id; NULL: none. */
const node_neighbour *node_config_find(const node_config *c, int64_t id);

#endif
