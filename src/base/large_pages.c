/* large_pages.c - large pages where the system gives them: Linux, on request. */
#define _DEFAULT_SOURCE 1 /* madvise */
#include "base/large_pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { LARGE = 1 << 21 /* bytes of a large page of x86-64 and AArch64 */ };

void mb_large_pages_(void *at, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    char        *from = at;
    const size_t before = (LARGE - (uintptr_t)from % LARGE) % LARGE;

    if (bytes >= before + LARGE) /* an optimisation: it may fail */
        (void)madvise(from + before, (bytes - before) / LARGE * LARGE, MADV_HUGEPAGE);
#else
    (void)at, (void)bytes;
#endif
}
