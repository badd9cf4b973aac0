/* streams.h - the descriptors that every program has. */
#ifndef MB_STREAMS_H
#define MB_STREAMS_H

/* To be called first: closed descriptors 0, 1 and 2 are taken by /dev/null, on which reading and
 * writing fail. -1: that could not be done, and no file may be opened. */
int streams_open(void);

#endif
