/* failing.h - the allocator that --wrap puts in front of the library's calls: one call fails. */
#ifndef MB_TEST_FAILING_H
#define MB_TEST_FAILING_H

#include <stdlib.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t bytes);
void  __real_free(void *p);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t bytes);
void  __wrap_free(void *p);

static long left = -1; /* calls until one fails; -1: none does */
static long live;      /* blocks allocated and not yet freed   */
static int  failed;

static int fails(void)
{
    if (left < 0 || left-- > 0)
        return 0;
    failed = 1;
    return 1;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t bytes)
{
    if (fails())
        return NULL;
    return p ? __real_realloc(p, bytes) : counted(__real_realloc(p, bytes));
}

void __wrap_free(void *p)
{
    live -= p != NULL;
    __real_free(p);
}

#endif
