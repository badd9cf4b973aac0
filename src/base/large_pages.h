/* large_pages.h - fewer page faults in memory that is written once. */
#ifndef MB_BASE_LARGE_PAGES_H
#define MB_BASE_LARGE_PAGES_H

#include <stddef.h>

/* Asks for large pages in `bytes` of memory at `at`, all of which is about to be written for the
 * first time: small ones took an eighth of the time of reading CSV. Only whole pages in this memory
 * change, so that what is beside it takes no more; the bytes stay as they are. Does nothing where
 * the system has no large pages. */
void mb_large_pages_(void *at, size_t bytes);

#endif
