/* mask.h - masks of the sums of a node (docs/protocol.md, section 4c): keys that it shares with
 * each other member of the genesis, by libsodium. */
#ifndef MB_DAEMON_MASK_H
#define MB_DAEMON_MASK_H

#include "keys.h"
#include "meshbayes/extend.h"

struct mask_pair;

typedef struct mask {
    int32_t            id;
    uint64_t           run;      /* what keys follow from beside them, mask_open           */
    const mb_declared *list;     /* members by ascending id                   */
    struct mask_pair  *pair;     /* of each of them                           */
    int32_t           *partner;  /* places in the list: partners of the record */
    int32_t            partners; /* they                                       */
    uint64_t           made;     /* the newest pass that was masked; 0: none in this record */
    uint32_t           words;    /* checksum of what was masked                */
    mb_masks           by;       /* what the state machine calls               */
    /* Sees the bytes that were drawn; NULL: nobody does. */
    void (*drew)(void *self, const void *bytes, size_t n);
    void *self;
} mask;

/* Keys with all members that a genesis file lists; run: the hash of its block, or of the plan where
 * it has none. MB_E_FORMAT names a key with which there is none; MB_E_NOSUP: a build without
 * libsodium. */
mb_status mask_open(mb_arena *a, const node_keys *keys, int32_t id, const mb_declared *d,
                    uint64_t run, mask *out, mb_err *err) MB_CHECKED;
/* Forgets them; NULL is allowed, and one that was never opened. */
void mask_close(mask *m);

#endif
