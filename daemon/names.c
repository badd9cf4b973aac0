/* names.c - names of machines, looked up by threads. Threads and owner share a box, which the last of
 * them frees: getaddrinfo cannot be ended. */
#define _XOPEN_SOURCE 700
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A question and its answer. */
typedef struct job {
    struct job *next;
    struct box *box;
    char        host[NAMES_ADDRESS], port[8];
    name_answer answer;
} job;

typedef struct box {
    pthread_mutex_t lock;
    int32_t         users;   /* the owner and the threads */
    int32_t         threads; /* that wait                 */
    int             pipe[2];
    job            *first, **last; /* answers, the oldest first */
} box;

struct names {
    box    *b;
    int64_t serial; /* of the newest question */
};

int names_split(const char *address, char host[NAMES_ADDRESS], char port[8])
{
    const char *at = address + 6, *colon = strrchr(address, ':');
    size_t      n = colon && colon > at ? (size_t)(colon - at) : 0;

    if (!n || n >= NAMES_ADDRESS || strlen(colon + 1) >= 8)
        return 0;
    if (*at == '[' && at[n - 1] == ']') {
        at++;
        n -= 2;
    }
    memcpy(host, at, n);
    host[n] = 0;
    memcpy(port, colon + 1, strlen(colon + 1) + 1);
    return 1;
}

int names_is_number(const char *address)
{
    const struct addrinfo only = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    struct addrinfo      *found = NULL;
    char                  host[NAMES_ADDRESS], port[8];
    int                   is;

    if (strchr(address, ';')) /* with the address that it is to come from: ZeroMQ's own syntax */
        return 1;
    is = names_split(address, host, port) && !getaddrinfo(host, NULL, &only, &found);
    if (found)
        freeaddrinfo(found);
    return is;
}

mb_status names_open(names **out, mb_err *err)
{
    names *n = calloc(1, sizeof *n);
    box   *b = n ? calloc(1, sizeof *b) : NULL;

    *out = NULL;
    if (!b || pipe(b->pipe)) {
        free(b);
        free(n);
        MB_FAIL(err, MB_E_IO, "names cannot be looked up: %s", strerror(errno));
    }
    for (int k = 0; k < 2; k++) {
        fcntl(b->pipe[k], F_SETFL, O_NONBLOCK);
        fcntl(b->pipe[k], F_SETFD, FD_CLOEXEC);
    }
    pthread_mutex_init(&b->lock, NULL);
    b->users = 1;
    b->last = &b->first;
    n->b = b;
    *out = n;
    return MB_OK;
}

/* One user less; the lock is held, and is not afterwards. */
static void leave(box *b)
{
    const int32_t left = --b->users;

    pthread_mutex_unlock(&b->lock);
    if (left)
        return;
    while (b->first) {
        job *one = b->first;

        b->first = one->next;
        free(one);
    }
    for (int k = 0; k < 2; k++)
        close(b->pipe[k]);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

void names_close(names *n)
{
    if (!n)
        return;
    pthread_mutex_lock(&n->b->lock);
    leave(n->b);
    free(n);
}

int names_fd(const names *n)
{
    return n->b->pipe[0];
}

/* An address in numbers into the answer, each once. */
static void put(job *j, const struct addrinfo *is)
{
    char host[200], text[NAMES_ADDRESS];

    if ((is->ai_family != AF_INET && is->ai_family != AF_INET6) || j->answer.n == NAMES_MOST ||
        getnameinfo(is->ai_addr, is->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST))
        return;
    if (is->ai_family == AF_INET6)
        snprintf(text, sizeof text, "tcp://[%s]:%s", host, j->port);
    else
        snprintf(text, sizeof text, "tcp://%s:%s", host, j->port);
    for (int32_t k = 0; k < j->answer.n; k++)
        if (!strcmp(j->answer.address[k], text))
            return;
    memcpy(j->answer.address[j->answer.n++], text, sizeof text);
}

static void *look_up(void *self)
{
    const struct addrinfo any = {.ai_socktype = SOCK_STREAM};
    job                  *j = self;
    box                  *b = j->box;
    struct addrinfo      *found = NULL;
    const int             failed = getaddrinfo(j->host, NULL, &any, &found);

    for (const struct addrinfo *is = found; is; is = is->ai_next)
        put(j, is);
    if (found)
        freeaddrinfo(found);
    if (!j->answer.n)
        snprintf(j->answer.why, sizeof j->answer.why, "%s",
                 failed ? gai_strerror(failed) : "it has no address");
    pthread_mutex_lock(&b->lock);
    *b->last = j;
    b->last = &j->next;
    b->threads--;
    if (write(b->pipe[1], "", 1) < 0) {
        /* The pipe is full, so it is readable. */
    }
    leave(b);
    return NULL;
}

int64_t names_ask(names *n, int32_t id, const char *address)
{
    job           *j = calloc(1, sizeof *j);
    box           *b = n->b;
    pthread_attr_t how;
    pthread_t      thread;
    int            fine;

    if (!j || !names_split(address, j->host, j->port)) {
        free(j);
        return 0;
    }
    j->box = b;
    j->answer.id = id;
    j->answer.serial = ++n->serial;
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_mutex_lock(&b->lock);
    fine = b->threads < NAMES_THREADS && !pthread_create(&thread, &how, look_up, j);
    b->threads += fine;
    b->users += fine;
    pthread_mutex_unlock(&b->lock);
    pthread_attr_destroy(&how);
    if (!fine)
        free(j);
    return fine ? n->serial : 0;
}

int names_next(names *n, name_answer *out)
{
    box *b = n->b;
    job *j;
    char bytes[64];

    pthread_mutex_lock(&b->lock);
    j = b->first;
    if (j) {
        b->first = j->next;
        b->last = b->first ? b->last : &b->first;
    }
    while (!b->first && read(b->pipe[0], bytes, sizeof bytes) > 0)
        continue;
    pthread_mutex_unlock(&b->lock);
    if (j)
        *out = j->answer;
    free(j);
    return j != NULL;
}
