/* http.h - the status of a node for people and programs: a page, status, posterior, metrics, and
 * rows that are posted. On a loopback address or a Unix socket; for those who have the token or a
 * certificate also beyond this machine. */
#ifndef MB_DAEMON_HTTP_H
#define MB_DAEMON_HTTP_H

#include "node.h"

typedef struct http http;
/* The status of a configuration can be served. MB_E_ARG: no address of this machine, or no port;
 * MB_E_NOSUP: no libmicrohttpd, or none with TLS; what reading the token and the files of TLS
 * returns. */
mb_status http_check(mb_arena *a, const node_config *c, mb_err *err) MB_CHECKED;
/* 1: the status can be read beyond this machine. */
int http_is_open(const node_config *c);
/* Listens at n->c.status. MB_E_ARG as above; MB_E_IO: it is taken. */
mb_status http_open(node *n, int64_t now, http **out, mb_err *err) MB_CHECKED;
/* NULL is allowed. */
void http_close(http *h);
/* A descriptor that is readable when there is something to do. */
int http_fd(const http *h);
/* Does it; also collects what the curves show. Returns the milliseconds after which
 * it must be called again at the latest; -1: no limit. */
int64_t http_run(http *h, int64_t now);

#endif
