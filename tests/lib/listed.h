/* listed.h - the nodes of a network as members of a list, with keys to sign with. */
#ifndef MB_TEST_LISTED_H
#define MB_TEST_LISTED_H

#include "arena.h"
#include "base/bytes.h"
#include "mesh/fnv.h"
#include "mesh/genesis.h"
#include "meshbayes/extend.h"

/* In place of Ed25519: a keyed checksum, whose key everybody knows. */
static inline void listed_checksum(const uint8_t *key, const void *bytes, size_t n, uint8_t *out)
{
    uint64_t h = mb_fnv_bytes_(mb_fnv_bytes_(MB_FNV_BEGIN_, key, MB_SIGNING_KEY), bytes, n);

    for (int k = 0; k < MB_SIGNATURE / 8; k++, h = mb_fnv_integer_(h, (uint64_t)k))
        (void)mb_put_u64_(out + 8 * k, h);
}

static inline int listed_sign(void *self, const void *bytes, size_t n, uint8_t *signature)
{
    listed_checksum(self, bytes, n, signature);
    return 1;
}

static inline int listed_verify(void *self, const uint8_t *key, const void *bytes, size_t n,
                                const uint8_t *signature)
{
    uint8_t want[MB_SIGNATURE];

    (void)self;
    listed_checksum(key, bytes, n, want);
    return !memcmp(want, signature, sizeof want);
}

/* All nodes of the network with their rows; signers (one a node) gets what they sign with. */
static inline mb_declared listed(const mb_network *net, const mb_rows *rows, mb_signer **signers)
{
    const int32_t n = net->n;
    mb_member    *member = mb_alloc(arena, (size_t)n, sizeof *member);
    uint8_t      *key = mb_alloc(arena, (size_t)n, MB_SIGNING_KEY);
    mb_declared   d = {.members = n, .member = member, .links = net->g};

    *signers = mb_alloc(arena, (size_t)n, sizeof **signers);
    for (int32_t i = 0; i < n; i++, key += MB_SIGNING_KEY) {
        memset(key, i + 1, MB_SIGNING_KEY);
        member[i] = (mb_member){.id = i, .signing_key = key, .rows = (double)rows[i].n};
        d.rows += member[i].rows;
        (*signers)[i] = (mb_signer){key, listed_sign, listed_verify};
    }
    d.hash = mb_declared_hash_(&d);
    return d;
}

#endif
