/* hash.c - XXH64 (Collet, xxhash.com) of bytes that come in pieces, however they are cut. */
#include "data/parse.h"

#include <string.h>

static const uint64_t P1 = UINT64_C(0x9E3779B185EBCA87), P2 = UINT64_C(0xC2B2AE3D27D4EB4F),
                      P3 = UINT64_C(0x165667B19E3779F9), P4 = UINT64_C(0x85EBCA77C2B2AE63),
                      P5 = UINT64_C(0x27D4EB2F165667C5);

enum { AHEAD = 2048 /* bytes that are fetched before they are hashed */ };

static uint64_t turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static uint64_t step(uint64_t lane, uint64_t word)
{
    return turn(lane + word * P2, 31) * P1;
}

/* Whole stripes of 32 bytes. */
static void stripes(mb_hash_ *h, const char *bytes, size_t n)
{
    uint64_t a = h->lane[0], b = h->lane[1], c = h->lane[2], d = h->lane[3];

    for (size_t k = 0; k < n; k += 32) {
        __builtin_prefetch(bytes + k + AHEAD);
        a = step(a, mb_little8_(bytes + k));
        b = step(b, mb_little8_(bytes + k + 8));
        c = step(c, mb_little8_(bytes + k + 16));
        d = step(d, mb_little8_(bytes + k + 24));
    }
    h->lane[0] = a;
    h->lane[1] = b;
    h->lane[2] = c;
    h->lane[3] = d;
}

mb_hash_ mb_hash_begin_(void)
{
    return (mb_hash_){.lane = {P1 + P2, P2, 0, 0 - P1}};
}

void mb_hash_more_(mb_hash_ *h, const void *from, size_t n)
{
    const char  *bytes = from;
    const size_t held = h->bytes % 32, first = held && n > 32 - held ? 32 - held : held ? n : 0;

    h->bytes += n;
    memcpy(h->rest + held, bytes, first);
    if (held && held + first < 32)
        return;
    if (held)
        stripes(h, h->rest, 32);
    bytes += first;
    n -= first;
    stripes(h, bytes, n / 32 * 32);
    memcpy(h->rest, bytes + n / 32 * 32, n % 32);
}

static uint64_t join_lanes(const mb_hash_ *h)
{
    uint64_t x =
        turn(h->lane[0], 1) + turn(h->lane[1], 7) + turn(h->lane[2], 12) + turn(h->lane[3], 18);

    for (int k = 0; k < 4; k++)
        x = (x ^ step(0, h->lane[k])) * P1 + P4;
    return x;
}

uint64_t mb_hash_end_(const mb_hash_ *h)
{
    const size_t rest = h->bytes % 32;
    size_t       k = 0;
    uint64_t     x = (h->bytes < 32 ? P5 : join_lanes(h)) + h->bytes;

    for (; k + 8 <= rest; k += 8)
        x = turn(x ^ step(0, mb_little8_(h->rest + k)), 27) * P1 + P4;
    for (; k + 4 <= rest; k += 4)
        x = turn(x ^ mb_little4_(h->rest + k) * P1, 23) * P2 + P3;
    for (; k < rest; k++)
        x = turn(x ^ (unsigned char)h->rest[k] * P5, 11) * P1;
    x = (x ^ x >> 33) * P2;
    x = (x ^ x >> 29) * P3;
    return x ^ x >> 32;
}
