/* node_folder.h - the folder of a node of meshbayes-node: its name, its key, and node.json. */
#ifndef MB_UP_NODE_FOLDER_H
#define MB_UP_NODE_FOLDER_H

#include "data/json.h"

/* A node, as its own configuration and those of its neighbours say. */
typedef struct node_folder {
    const char *dir;     /* has its files                                         */
    int32_t     id;      /* in the network                                        */
    const char *name;    /* for log and status                                    */
    const char *listen;  /* address that it listens at                            */
    const char *address; /* where its neighbours reach it                         */
    const char *key;     /* its public key; NULL: insecure                        */
} node_folder;

/* Adds the other fields of node i to its configuration. */
typedef void node_fields(const void *self, int32_t i, mb_json_out *j);

/* A name as that of a folder: bytes that could lead elsewhere are written %XX. NULL: no memory. */
const char *node_folder_name(mb_arena *a, const char *name, mb_err *err);
/* DIR/node.key by `program keygen`, unless it is there; its public keys into *key and *signing_key
 * (NULL: the file has none; may be NULL). */
mb_status node_folder_key(mb_arena *a, const char *program, const char *dir, const char **key,
                          const uint8_t **signing_key, mb_err *err) MB_CHECKED;
/* DIR/node.json of all[i], whose neighbours are those in g. */
mb_status node_folder_write(mb_arena *a, const node_folder *all, const mb_graph *g, int32_t i,
                            node_fields *more, const void *self, mb_err *err) MB_CHECKED;

#endif
