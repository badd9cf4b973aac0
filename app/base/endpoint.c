/* endpoint.c - the socket address in a text. */
#define _XOPEN_SOURCE 700
#include "base/endpoint.h"

#include "base/app.h"

#include <arpa/inet.h>
#include <string.h>

/* Characters before the last colon, after which is the port. */
static size_t host_length(const char *text, size_t n)
{
    while (n && text[n - 1] != ':')
        n--;
    return n ? n - 1 : 0;
}

socklen_t endpoint_tcp(const char *text, size_t n, endpoint *out)
{
    const size_t   len = host_length(text, n);
    const uint16_t port = len ? (uint16_t)app_port(text + len + 1, n - len - 1) : 0;
    char           host[64] = "";

    *out = (endpoint){.any = {.sa_family = AF_INET}};
    if (!port || len < 2 || len >= sizeof host)
        return 0;
    memcpy(host, text, len);
    if (*host == '[' && host[len - 1] == ']') {
        host[len - 1] = 0;
        out->six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
        return inet_pton(AF_INET6, host + 1, &out->six.sin6_addr) == 1 ? sizeof out->six : 0;
    }
    out->four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
    return inet_pton(AF_INET, strcmp(host, "localhost") ? host : "127.0.0.1",
                     &out->four.sin_addr) == 1
               ? sizeof out->four
               : 0;
}
