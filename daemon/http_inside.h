/* http_inside.h - what the files of the status share. */
#ifndef MB_DAEMON_HTTP_INSIDE_H
#define MB_DAEMON_HTTP_INSIDE_H

#include "http.h"

#include <microhttpd.h>
#include <sys/types.h>

enum {
    HTTP_CONNECTIONS = 16,     /* at a time                                             */
    HTTP_MEMORY = 32 << 10,    /* bytes of a connection, its headers included           */
    HTTP_SECONDS = 10,         /* for a whole request, from its first byte to its end   */
    HTTP_HURRY_MS = 2000,      /* the same when all connections are in use              */
    HTTP_BODY = 1 << 20,       /* bytes of posted rows                                  */
    HTTP_DRAIN = 16 << 20,     /* bytes that are read to refuse a request in words      */
    HTTP_ROWS = 10000,         /* of one request                                        */
    HTTP_POSTS = 50,           /* a second                                              */
    HTTP_POST_BYTES = 4 << 20, /* a second                                             */
    HTTP_SAMPLES = 1200,       /* of the curves */
    HTTP_SAMPLE_MS = 1000,     /* between two */
    HTTP_MOVING_MS = 250       /* the same while the node moves */
};

/* What was refused, for status, metrics and log. */
typedef enum http_refusal {
    HTTP_SLOW,        /* not whole after HTTP_SECONDS              */
    HTTP_EMPTY,       /* a connection without a request            */
    HTTP_HOST,        /* a request that was meant for another host */
    HTTP_CERTIFICATE, /* 403: without a certificate of client_ca */
    HTTP_TOKEN,       /* 401 */
    HTTP_NOT_FOUND,   /* 404 */
    HTTP_METHOD,      /* 405 */
    HTTP_FORBIDDEN,   /* 403: a POST on a TCP port */
    HTTP_BAD_ROWS,    /* 400 */
    HTTP_TOO_LARGE,   /* 413 */
    HTTP_TOO_MANY,    /* 429 */
    HTTP_NOT_STORED,  /* 503: rows that cannot be written */
    HTTP_BAD_COMMAND, /* 400 */
    HTTP_REFUSALS
} http_refusal;
/* http_refusal.c: "slow" and so on. Static. */
const char *http_refusal_text(http_refusal why);

/* A connection. */
typedef struct http_slot {
    int     fd;       /* -1: free                                            */
    int32_t requests; /* answered                                            */
    int32_t cut;      /* 1: it was shut down                                 */
    int64_t since;    /* ms: it came, or its newest request was answered     */
} http_slot;

/* A point of the curves. */
typedef struct http_sample {
    int64_t ms; /* of the node's clock */
    double  disagreement, bound, n_nodes;
} http_sample;

/* What opens the status: texts of files; NULL: not asked for. */
typedef struct http_access {
    const char *token, *cert, *key, *ca;
} http_access;

struct http {
    node              *n;
    http_access        access;
    struct MHD_Daemon *d;
    int                epoll, listens; /* descriptors                     */
    const char        *path;           /* of a Unix socket; NULL: TCP     */
    dev_t              dev;            /* of it, so that only the own one */
    ino_t              ino;            /* is removed                      */
    int64_t            now, began;     /* ms                              */
    http_slot          slot[HTTP_CONNECTIONS];
    int32_t            slots; /* in use */
    int64_t            refused[HTTP_REFUSALS];
    int64_t            logged, logged_ms;         /* refused, as it was last logged, and when */
    int64_t            second, posts, post_bytes; /* of this second                           */
    int64_t            rows;                      /* posted in all                            */
    int32_t            samples;                   /* in sample                                */
    int32_t            newest;                    /* place of the newest                      */
    http_sample        sample[HTTP_SAMPLES];
};

/* A request and its answer. */
typedef struct http_request {
    http                  *h;
    struct MHD_Connection *connection;
    mb_arena              *a;    /* until it has ended               */
    char                  *body; /* n bytes of room, with a 0 behind */
    size_t                 n, room;
    int64_t                seen; /* bytes of the body in all         */
    int                    code; /* of the answer                    */
    const char            *type; /* of the answer                    */
    const char            *text; /* it: len bytes                    */
    size_t                 len;
} http_request;

/* http_listen.c: the socket of an address; h->path for a Unix socket. */
mb_status http_listen(http *h, const node_config *c, mb_err *err) MB_CHECKED;
/* http_access.c: reads the token and the files of TLS. */
mb_status http_access_read(mb_arena *a, const node_config *c, http_access *out,
                           mb_err *err) MB_CHECKED;
/* Refuses a client that may not read the status. */
mb_status http_admit(http_request *r, mb_err *err) MB_CHECKED;
/* Refuses what only a client on a Unix socket may do, whose permissions are the guard. */
mb_status http_local(http_request *r, const char *route, mb_err *err) MB_CHECKED;
/* The own file of a Unix socket is removed. */
void http_unlisten(http *h);
/* http_answer.c: MHD's callback for a request, and the one for its end. */
enum MHD_Result http_handle(void *self, struct MHD_Connection *c, const char *url,
                            const char *method, const char *version, const char *upload,
                            size_t *upload_size, void **request);
void            http_ended(void *self, struct MHD_Connection *c, void **request,
                           enum MHD_RequestTerminationCode how);
/* http_refusal.c: an answer refused with this code; counted. */
mb_status http_refuse(http_request *r, int code, http_refusal why, mb_err *err, const char *fmt,
                      ...) MB_PRINTF(5, 6);
/* http_status.c: the JSON text is the answer. */
mb_status http_end(http_request *r, mb_json_out *j) MB_CHECKED;
/* http_status.c, http_health.c, http_metrics.c, http_rows.c: the routes. The answer is in r->text;
 * on failure err says why, and r->code is that of the failure if it is not 200. */
mb_status http_page(http_request *r, mb_err *err) MB_CHECKED;
mb_status http_status(http_request *r, mb_err *err) MB_CHECKED;
mb_status http_curves(http_request *r, mb_err *err) MB_CHECKED;
mb_status http_posterior(http_request *r, mb_err *err) MB_CHECKED;
mb_status http_health(http_request *r, mb_err *err) MB_CHECKED;
mb_status http_ready(http_request *r, mb_err *err) MB_CHECKED;
mb_status http_metrics(http_request *r, mb_err *err) MB_CHECKED;
mb_status http_rows(http_request *r, mb_err *err) MB_CHECKED;
/* http_command.c: POST /reset, /refuse and /without. */
mb_status http_reset(http_request *r, mb_err *err) MB_CHECKED;
mb_status http_shut(http_request *r, mb_err *err) MB_CHECKED;
mb_status http_without(http_request *r, mb_err *err) MB_CHECKED;
/* A new point of the curves. */
void http_sample_now(http *h);
/* The name of a node, for mb_peer_status_json; self: http. */
const char *http_name(const void *self, int32_t id);

/* daemon/page.html, made into an array by cmake/embed.cmake. */
extern const unsigned char http_page_bytes[];
extern const size_t        http_page_size;

#endif
