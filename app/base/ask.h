/* ask.h - requests to the status servers of nodes, many at a time, so that one that does not answer
 * delays nobody. */
#ifndef MB_ASK_H
#define MB_ASK_H

#include "meshbayes/meshbayes.h"

/* A request and its answer. */
typedef struct ask {
    const char *where; /* "unix:PATH" or "http://HOST:PORT", HOST in numbers or localhost         */
    const char *path;  /* "/status"                                                              */
    const char *post;  /* body of a POST; NULL: it is a GET                                       */
    const char *token; /* of the server's status_token_file; NULL: none                           */
    int         code;  /* out: HTTP status; 0: no answer in time                                  */
    const char *body;  /* out: n bytes and a 0, in the arena                                      */
    size_t      n;     /* out                                                                    */
    /* Private: the connection, and why it ended without an answer (errno). */
    int         fd, error;
    const char *text; /* the request */
    size_t      sent, got, room;
    char       *bytes;
} ask;

/* 1 when a text is an address that can be asked. */
int ask_is_address(const char *where);
/* Sends them all and waits at most so long for the answers. MB_E_NOMEM alone is an error. */
mb_status ask_all(mb_arena *a, ask *all, int32_t n, double seconds, mb_err *err) MB_CHECKED;
/* Why there is no answer, or what one that is not 200 says. NULL: no memory. */
const char *ask_why(mb_arena *a, const ask *q, mb_err *err);
/* Reads a file with a token, one line, a secret (app_secret). MB_E_FORMAT when it is none. */
mb_status ask_token(mb_arena *a, const char *file, const char **out, mb_err *err) MB_CHECKED;

#endif
