/* tail.h - the lines of a CSV file that grows, or of standard input, as they come. A line counts
 * once its end is written. */
#ifndef MB_BASE_TAIL_H
#define MB_BASE_TAIL_H

#include "base/app.h"

enum { TAIL_PIECE = 1 << 16 /* bytes read at a time, and of the longest line */ };

/* Zeroed but for file and the functions before tail_open. */
typedef struct tail {
    const char *file; /* that grows; NULL: standard input */
    /* Takes the line of names and n bytes of whole lines after it, a text that may be changed and
     * ends with 0: all or none. Where that fails each line is tried by itself. */
    mb_status (*take)(void *self, mb_arena *scratch_arena, char *text, size_t n, mb_err *err);
    /* Line number `line` of the file was not taken. Below 0 ends tail_more. */
    mb_status (*refused)(void *self, int64_t line, const char *why, mb_err *err);
    /* The file was replaced or has become shorter: it is read from its beginning. */
    void (*replaced)(void *self);
    void     *self; /* first argument of all */
    mb_arena *a;
    int       fd;     /* -1: not open                            */
    int       flags;  /* of standard input before */
    int32_t   ended;  /* 1: standard input is at its end         */
    int64_t   at;     /* bytes of the file that have been taken  */
    int64_t   line;   /* lines of these                          */
    char     *header; /* line of names, with its end: header_len bytes, 0: not read yet */
    size_t    header_len, header_room;
    char     *held; /* bytes that have been read and not taken: n of TAIL_PIECE */
    size_t    n;
} tail;

mb_status tail_open(mb_arena *a, tail *t, mb_err *err) MB_CHECKED;
/* Resumes after byte `at`, to which an earlier process has read. O(at), for the number of lines. */
mb_status tail_resume(tail *t, int64_t at, mb_err *err) MB_CHECKED;
/* What is there, without waiting. Fails when memory is short, as `refused` does, or with MB_E_IO,
 * after which it may be tried again. */
mb_status tail_more(tail *t, mb_err *err) MB_CHECKED;
/* Safe on a tail that is not open. */
void tail_close(tail *t);

#endif
