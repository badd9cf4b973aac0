/* meshbayes/base.h - statuses, error record, arena, random numbers: used by all other headers. */
#ifndef MESHBAYES_BASE_H
#define MESHBAYES_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version these headers belong to, MAJOR.MINOR.PATCH. */
#define MB_VERSION "0.1.0"

#if defined(__GNUC__)
/* Marks what the library exports; everything else is hidden. */
#define MB_API __attribute__((visibility("default")))
/* Argument f is a printf format, and its values begin at argument a. */
#define MB_PRINTF(f, a) __attribute__((format(printf, f, a)))
/* The compiler warns if the returned status is ignored. */
#define MB_CHECKED __attribute__((warn_unused_result))
#else
#define MB_API
#define MB_PRINTF(f, a)
#define MB_CHECKED
#endif

/* One list defines enumerators, numbers and texts. The numbers leave the process (--json) and are
 * never reused. > 0 is informational, < 0 an error. */
#define MB_STATUS_LIST(X)                                                                          \
    X(MB_OK, 0, "ok")                                                                              \
    X(MB_QUIET, 1, "nothing to send this round")                                                   \
    X(MB_STOP, 2, "an observer asked to stop")                                                     \
    X(MB_E_NOMEM, -1, "out of memory")                                                             \
    X(MB_E_ARG, -2, "invalid argument")                                                            \
    X(MB_E_DOMAIN, -3, "natural parameter outside its domain")                                     \
    X(MB_E_NUMERIC, -4, "not finite or not converged")                                             \
    X(MB_E_SHAPE, -5, "sizes do not agree")                                                        \
    X(MB_E_IO, -6, "input/output failed")                                                          \
    X(MB_E_FORMAT, -7, "malformed file or frame")                                                  \
    X(MB_E_PEER, -8, "peer incompatible, lost or late")                                            \
    X(MB_E_NOSUP, -9, "not supported by this build or method")
#define MB_X(name, value, text) name = (value), /* one line of the list as an enumerator */
/* The return value of functions that can fail: names, numbers and texts are in MB_STATUS_LIST. */
typedef enum mb_status { MB_STATUS_LIST(MB_X) } mb_status;
#undef MB_X
/* The text of a status, a static string; "unknown status" for any other number. */
MB_API const char *mb_status_text(mb_status s);

/* Largest magnitude accepted for a number of a row: weighted sums of squares over any rows that fit
 * into memory, and quantities computed from them, are then finite. */
#define MB_VALUE_MAX 1e100
/* Largest weight accepted for a row. */
#define MB_WEIGHT_MAX 1e15

/* Filled by the function that fails first; callers pass it on unchanged. Always the last argument;
 * NULL is allowed. Each thread needs its own. */
typedef struct mb_err {
    mb_status   code;     /* < 0                                                    */
    int         line;     /* of the source, for developers                          */
    const char *file;     /* of the source                                          */
    char        msg[488]; /* one line: the wrong value and what would be accepted   */
} mb_err;

/* Called by MB_FAIL: fills *e (if not NULL) and returns code. */
MB_API mb_status mb_fail_(mb_err *e, mb_status code, const char *file, int line, const char *fmt,
                          ...) MB_PRINTF(5, 6);
/* Returns `code` from the calling function with a printf-style message. */
#define MB_FAIL(e, code, ...) return mb_fail_((e), (code), __FILE__, __LINE__, __VA_ARGS__)
/* Returns from the calling function if the call failed; a status > 0 is ignored. */
#define MB_TRY(call)                                                                               \
    do {                                                                                           \
        mb_status s_ = (call);                                                                     \
        if (s_ < 0)                                                                                \
            return s_;                                                                             \
    } while (0)

/* Owns memory that is released with it. Objects that hold only memory have no destructor. */
typedef struct mb_arena mb_arena;
/* An empty arena that grows by malloc, `chunk` bytes or more at a time. NULL: no memory. */
MB_API mb_arena *mb_arena_new(size_t chunk);
/* An arena in the caller's buffer: never calls malloc; allocations fail when the buffer is full.
 * The arena itself takes at most 192 bytes. NULL: the buffer is too small for the arena itself. */
MB_API mb_arena *mb_arena_fixed(void *buf, size_t bytes);
/* n objects of `size` bytes, zeroed, aligned to 64 bytes. NULL: no memory, n * size overflows. */
MB_API void *mb_alloc(mb_arena *a, size_t n, size_t size);
/* Text made by a printf format, in the arena; NULL with the error record filled if memory is short.
 * A build without stdio knows %s %d %u %c %x %zu %lld %ld %g. */
MB_API const char *mb_text(mb_arena *a, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
/* Bytes of the UTF-8 character at `text`, 0 when it is none. */
MB_API int mb_utf8(const char *text);
/* Bytes allocated so far, padding included. */
MB_API size_t mb_arena_used(const mb_arena *a);
/* Frees the arena and everything allocated from it. NULL is allowed. */
MB_API void mb_arena_free(mb_arena *a);
/* Typed allocation: `MB_NEW(x, a, n, err)` points x at n zeroed objects, or returns MB_E_NOMEM with
 * a message from the calling function. */
#define MB_NEW(dst, a, n, err)                                                                     \
    do {                                                                                           \
        (dst) = mb_alloc((a), (size_t)(n), sizeof *(dst));                                         \
        if (!(dst))                                                                                \
            MB_FAIL((err), MB_E_NOMEM, "out of memory for %zu x %zu bytes (" #dst ")",             \
                    (size_t)(n), sizeof *(dst));                                                   \
    } while (0)

/* Counter-based random numbers (Philox4x32-10): the k-th number depends only on k and on (seed,
 * stream, node, round), so results depend neither on threads nor on where nodes are computed. */
typedef enum mb_stream {
    MB_STREAM_GRAPH = 1, /* random topologies            */
    MB_STREAM_DATA,      /* synthetic rows               */
    MB_STREAM_DEAL,      /* assignment of rows to nodes  */
    MB_STREAM_START,     /* initial centres              */
    MB_STREAM_LOSS,      /* lost messages                */
    MB_STREAM_SILENT,    /* nodes that send nothing      */
    MB_STREAM_DELAY,     /* late messages                */
    MB_STREAM_SAMPLE,    /* samples from a posterior     */
    MB_STREAM_MOVE,      /* components to split and merge */
    MB_STREAM_FOLD,      /* rows that are held out       */
    MB_STREAM_LINK = 16, /* frames on virtual links      */
    MB_STREAM_HOST,      /* virtual machines: speeds, clocks, first ticks */
    MB_STREAM_DISK       /* faults of virtual disks      */
} mb_stream;
/* A generator; a plain value that may be copied. */
typedef struct mb_rng {
    uint32_t key[2]; /* from the seed                     */
    uint32_t ctr[4]; /* stream, node, round and position  */
    uint32_t out[4]; /* the last block of numbers         */
    int32_t  left;   /* numbers of out not yet returned   */
} mb_rng;
/* The generator of (seed, stream, node, round). */
MB_API mb_rng   mb_rng_at(uint64_t seed, mb_stream stream, uint32_t node, uint64_t round);
MB_API uint32_t mb_rng_u32(mb_rng *r);               /* uniform on 0..2^32 - 1        */
MB_API void     mb_rng_skip(mb_rng *r, uint64_t n);  /* passes over n of mb_rng_u32   */
MB_API double   mb_rng_uniform(mb_rng *r);           /* in (0, 1), 53 bits            */
MB_API double   mb_rng_gumbel(mb_rng *r);            /* -ln(-ln U)                    */
MB_API double   mb_rng_normal(mb_rng *r);            /* mean 0, variance 1            */
MB_API uint64_t mb_rng_below(mb_rng *r, uint64_t n); /* uniform on 0..n-1, n >= 1, unbiased */

#ifdef __cplusplus
}
#endif
#endif
