/* arena.c - memory that is freed together: chunks from calloc, or one buffer of the caller. */
#include "base/scratch_arena.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, SCRATCH = 1 << 16 };

/* The address sanitizer knows what of a chunk has not been given, and each piece is followed by a
 * gap, so that it sees writes beyond the end of a piece as it does those of malloc. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#endif
#ifdef WATCHED
#include <sanitizer/asan_interface.h>
enum { GAP = ALIGN };
#define HIDE(p, bytes) ASAN_POISON_MEMORY_REGION(p, bytes)
#define SHOW(p, bytes) ASAN_UNPOISON_MEMORY_REGION(p, bytes)
#else
enum { GAP = 0 };
#define HIDE(p, bytes) ((void)0)
#define SHOW(p, bytes) ((void)0)
#endif

typedef struct chunk {
    struct chunk *next;
    size_t        cap, used; /* bytes after the aligned start */
    char         *data;      /* aligned                        */
} chunk;

struct mb_arena {
    chunk *first; /* the one that is filled */
    size_t chunk_size, used;
    int    fixed;
};

static char *align_up(char *p)
{
    return p + (ALIGN - (uintptr_t)p % ALIGN) % ALIGN;
}

mb_arena *mb_arena_new(size_t chunk_size)
{
    mb_arena *a = calloc(1, sizeof *a);

    if (a)
        a->chunk_size = chunk_size;
    return a;
}

mb_arena *mb_arena_fixed(void *buf, size_t bytes)
{
    char     *p = align_up(buf);
    size_t    head = sizeof(mb_arena) + sizeof(chunk), lost = (size_t)(p - (char *)buf);
    mb_arena *a = (mb_arena *)(void *)p;
    chunk    *c;
    char     *data;

    if (bytes < lost || bytes - lost < head + ALIGN)
        return NULL;
    memset(p, 0, bytes - lost);
    c = (chunk *)(void *)(p + sizeof *a);
    data = align_up(p + head);
    *c = (chunk){.data = data, .cap = bytes - lost - (size_t)(data - p)};
    a->first = c;
    a->fixed = 1;
    return a;
}

mb_arena *mb_arena_scratch_(mb_arena *a)
{
    return a->fixed ? a : mb_arena_new(SCRATCH);
}

static chunk *grow(mb_arena *a, size_t bytes)
{
    size_t cap = bytes > a->chunk_size ? bytes : a->chunk_size;
    chunk *c;

    if (a->fixed || cap > SIZE_MAX - sizeof(chunk) - ALIGN)
        return NULL;
    c = calloc(1, sizeof *c + ALIGN + cap);
    if (!c)
        return NULL;
    c->cap = cap;
    c->data = align_up((char *)(c + 1));
    HIDE(c->data, cap);
    /* A large request gets a chunk of its own, after the one that still has room. */
    if (a->first && bytes > a->chunk_size / 2) {
        c->next = a->first->next;
        a->first->next = c;
    } else {
        c->next = a->first;
        a->first = c;
    }
    return c;
}

void *mb_alloc(mb_arena *a, size_t n, size_t size)
{
    const size_t gap = a->fixed ? 0 : GAP;
    size_t       bytes;
    chunk       *c = a->first;
    char        *p;

    if (size && n > (SIZE_MAX - ALIGN - gap) / size)
        return NULL;
    bytes = n * size;
    bytes += (ALIGN - bytes % ALIGN) % ALIGN;
    if (!bytes)
        bytes = ALIGN;
    if (!c || c->cap - c->used < bytes + gap)
        c = grow(a, bytes + gap);
    if (!c)
        return NULL;
    p = c->data + c->used;
    c->used += bytes + gap;
    a->used += bytes;
    SHOW(p, n * size);
    return p;
}

size_t mb_arena_used(const mb_arena *a)
{
    return a->used;
}

void mb_arena_free(mb_arena *a)
{
    if (!a || a->fixed)
        return;
    for (chunk *c = a->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}
