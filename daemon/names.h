/* names.h - names of machines as addresses in numbers. Each is looked up by a thread of its own: a
 * name server that does not answer holds up nothing else. */
#ifndef MB_DAEMON_NAMES_H
#define MB_DAEMON_NAMES_H

#include "meshbayes/meshbayes.h"

enum {
    NAMES_MOST = 4,       /* addresses of a name that are tried                                */
    NAMES_ADDRESS = 300,  /* bytes of tcp://HOST:PORT                                          */
    NAMES_THREADS = 64,   /* that wait for an answer at a time                                 */
    NAMES_LIMIT_MS = 5000 /* after which a name without an answer counts as one that has none */
};

/* What is known of a name. */
typedef struct name_answer {
    int32_t id;     /* as it was asked          */
    int64_t serial; /* as names_ask returned it */
    int32_t n;      /* addresses; 0: none       */
    char    address[NAMES_MOST][NAMES_ADDRESS];
    char    why[120]; /* there is none */
} name_answer;

typedef struct names names;
mb_status            names_open(names **out, mb_err *err) MB_CHECKED;
/* Threads that wait for an answer end by themselves later. NULL is allowed. */
void names_close(names *n);
/* A descriptor that is readable when there is an answer. */
int names_fd(const names *n);
/* HOST without brackets and PORT of tcp://HOST:PORT; 0: it is no such address. */
int names_split(const char *address, char host[NAMES_ADDRESS], char port[8]);
/* 1: the host of tcp://HOST:PORT is a number: there is nothing to look up. */
int names_is_number(const char *address);
/* Looks up the host of tcp://HOST:PORT. Returns the number of the question, above 0; 0: no thread
 * could be started. */
int64_t names_ask(names *n, int32_t id, const char *address);
/* The next answer; 0: there is none. */
int names_next(names *n, name_answer *out);

#endif
