/* top.h - `meshbayes top`: the status of many nodes as one table. */
#ifndef MB_UP_TOP_H
#define MB_UP_TOP_H

#include "base/status.h"
#include "data/json.h"

enum { TOP_WORDS = 256 /* addresses and folders on the command line */ };

#define TOP_TOKEN_HELP                                                                             \
    "file with the token of the status of all nodes (status_token_file); without it "

/* A node that is asked. */
typedef struct top_node {
    const char *where;  /* address of its status; NULL: it has none                      */
    const char *token;  /* for it; NULL: none                                            */
    const char *why;    /* that of its folder cannot be used; NULL: it can               */
    const char *name;   /* of its folder, or the address                                 */
    node_status newest; /* newest; its texts are in the arena of the look                */
    double      at;     /* seconds when it was said; 0: never                            */
    int64_t     bytes;  /* sent until then                                               */
    double      rate;   /* bytes a second between the two newest looks; NaN: not known   */
} top_node;

typedef struct top {
    int32_t     n;
    top_node   *node;
    node_audits audits;  /* of the newest look             */
    const char *audited; /* they, and how far, in words    */
} top;

/* top_find.c: the nodes that the words name: folders of networks or of nodes, and addresses. */
mb_status top_find(mb_arena *a, const char *const *words, top *out, mb_err *err) MB_CHECKED;
/* The token in DIR/FILE; NULL: none that can be used, and *why says so. */
const char *top_token(mb_arena *a, const char *dir, const char *file, const char **why);
/* The address of a status as it is in DIR/node.json. */
const char *top_where(mb_arena *a, const char *dir, const char *status, mb_err *err);
/* top_print.c: asks all nodes; texts are in the arena. */
mb_status top_look(mb_arena *a, top *t, mb_err *err) MB_CHECKED;
/* At most `lines` lines; end: what ends each line. */
void top_print(const top *t, int lines, const char *end);
void top_json(const top *t, mb_json_out *j);

#endif
