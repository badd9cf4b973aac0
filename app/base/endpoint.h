/* endpoint.h - where the status of a node is served: a TCP port or a Unix socket. */
#ifndef MB_ENDPOINT_H
#define MB_ENDPOINT_H

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef union endpoint {
    struct sockaddr     any;
    struct sockaddr_in  four;
    struct sockaddr_in6 six;
    struct sockaddr_un  local;
} endpoint;

/* HOST:PORT, n bytes: HOST is an address in numbers, that of IPv6 in brackets, or localhost. The
 * size of *out; 0: it is none. */
socklen_t endpoint_tcp(const char *text, size_t n, endpoint *out);

#endif
