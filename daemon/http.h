/* http.h - the status of a node for people and programs: a page, status, posterior, metrics, and
 * rows that are posted. On a loopback address or a Unix socket only. */
#ifndef MB_DAEMON_HTTP_H
#define MB_DAEMON_HTTP_H

#include "node.h"

typedef struct http http;
/* Listens at n->c.status. MB_E_ARG: an address of another machine; MB_E_IO: it is taken. */
mb_status http_open(node *n, http **out, mb_err *err) MB_CHECKED;
/* NULL is allowed. */
void http_close(http *h);
/* A descriptor that is readable when there is something to do. */
int http_fd(const http *h);
/* Does it; also collects what the curves show, once a second. Returns the milliseconds after which
 * it must be called again at the latest; -1: no limit. */
int64_t http_run(http *h, int64_t now);

#endif
