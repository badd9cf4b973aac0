/* counting_malloc.h - counts allocations of the whole program, where the C library lets us stand
 * in front of its allocator and no sanitizer already does. */
#ifndef MB_TEST_COUNTING_MALLOC_H
#define MB_TEST_COUNTING_MALLOC_H

#include <stddef.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTING 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTING 0
#endif
#endif
#if !defined(COUNTING) && defined(__GLIBC__)
#define COUNTING 1
#elif !defined(COUNTING)
#define COUNTING 0
#endif

static long counted;

static inline long allocations(void)
{
    return counted;
}

#if COUNTING
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t bytes);

void *malloc(size_t bytes)
{
    counted++;
    return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t size)
{
    counted++;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t bytes)
{
    counted++;
    return __libc_realloc(p, bytes);
}
#endif

#endif
