/* lies.h - false frames of a node that its neighbours let in: by name, for tests on virtual
 * networks and on processes. A lie changes a frame that an honest node has written, and its
 * checksum is right. */
#ifndef MB_TEST_LIES_H
#define MB_TEST_LIES_H

#include "base/bytes.h"
#include "mesh/frame.h"
#include "mesh/genesis.h"

#include <string.h>

/* A frame of node `liar` that is open; room: for its payload. */
typedef struct lie_frame {
    mb_frame_      f;
    unsigned char *payload;
    size_t         room;
    const mb_peer *liar;
} lie_frame;

/* Numbers of its vector that are float64; 0: it has none. b is the one before the last. */
static inline size_t lie_numbers(const lie_frame *at)
{
    const mb_genesis *g = mb_peer_block(at->liar);

    return g && at->f.flags & MB_FRAME_VECTOR_ && at->f.code == MB_CODE_FLOAT64_ ? g->len + 2 : 0;
}

/* Number k of the vector becomes x by + plus. */
static inline void lie_number(lie_frame *at, size_t k, double by, double plus)
{
    double x;

    (void)mb_get_doubles_(at->payload + 8 * k, &x, 1);
    x = by * x + plus;
    mb_put_doubles_(at->payload + 8 * k, &x, 1);
}

static inline void lie_honest(lie_frame *at)
{
    (void)at;
}

static inline void lie_far_beat(lie_frame *at)
{
    at->f.leader = 0;
    at->f.beat = UINT64_C(1) << 61;
}

static inline void lie_long_way(lie_frame *at)
{
    at->f.hops = at->f.ttl = 1 << 20;
}

static inline void lie_huge(lie_frame *at)
{
    for (size_t k = 0; k < lie_numbers(at); k++)
        lie_number(at, k, 0, 1e119);
}

static inline void lie_other_life(lie_frame *at)
{
    at->f.echo_life = UINT32_MAX - 15;
}

static inline void lie_more_leaders(lie_frame *at)
{
    if (lie_numbers(at))
        lie_number(at, lie_numbers(at) - 2, 1, 5);
}

static inline void lie_fewer_leaders(lie_frame *at)
{
    if (lie_numbers(at))
        lie_number(at, lie_numbers(at) - 2, 1, -5);
}

static inline void lie_many_neighbours(lie_frame *at)
{
    at->f.degree = 2000000000;
}

static inline void lie_stiff(lie_frame *at)
{
    at->f.kappa = 1e99;
}

/* As if each of its rows had a weight of 1e9. */
static inline void lie_heavy_rows(lie_frame *at)
{
    for (size_t k = 0; k + 2 < lie_numbers(at); k++)
        lie_number(at, k, 1e9, 0);
}

static inline void lie_miscount(lie_frame *at)
{
    at->f.n_nodes = 2;
}

/* In place of its vector a genesis that wins by its maker, whose prior has more rows of the first
 * component than there can be, and a million nodes that run on it. */
static inline void lie_other_genesis(lie_frame *at)
{
    enum { ROOM = 512 };
    mb_genesis g;
    double     par[ROOM], prior[ROOM];
    size_t     n;

    if (!mb_peer_block(at->liar) || mb_peer_block(at->liar)->len > ROOM)
        return;
    g = *mb_peer_block(at->liar);
    memcpy(par, g.prior_par, g.len * sizeof *par);
    memcpy(prior, g.prior, g.len * sizeof *prior);
    par[0] = prior[0] = 1e60;
    g.prior = prior;
    g.prior_par = par;
    g.maker = g.counter = 0;
    if (mb_genesis_encode(&g, at->payload + 4, at->room - 4, &n, NULL) < 0)
        return;
    (void)mb_put_u32_(at->payload, (uint32_t)n);
    at->f.flags = MB_FRAME_HEARS_ | MB_FRAME_BLOCK_;
    at->f.run = g.hash;
    at->f.bytes = (uint32_t)n + 4;
    at->f.n_nodes = 1e6;
    at->f.code = 0;
    at->f.samples = 0;
    at->f.base = 0;
}

/* The part of a frame of SUM that has no other; NULL: it is none. */
static inline unsigned char *lie_part(const lie_frame *at)
{
    const unsigned others = MB_FRAME_VECTOR_ | MB_FRAME_OWN_ | MB_FRAME_BLOCK_ | MB_FRAME_SAMPLE_;
    uint32_t       n;

    if (!(at->f.parts & MB_FRAME_EPOCH_) || at->f.flags & others)
        return NULL;
    (void)mb_get_u32_(at->payload, &n);
    return n + 4 == at->f.bytes ? at->payload + 4 : NULL;
}

/* A record that none can be higher than: as a double it is 2^62. */
static inline void lie_last_record(lie_frame *at)
{
    if (lie_part(at))
        (void)mb_put_u64_(lie_part(at), (UINT64_C(1) << 62) + 512);
}

/* The words of a sum that it sends up; n: how many, with the tag and what was heard; NULL: none. */
static inline unsigned char *lie_sum(const lie_frame *at, size_t *n)
{
    enum { HEAD = 56, CONTENT = 22, SUM = 3, KIND = 15, UP = 1 };
    unsigned char    *part = lie_part(at);
    const mb_genesis *g = mb_peer_block(at->liar);
    uint16_t          content;
    uint64_t          tag;

    if (!part || !g)
        return NULL;
    *n = (at->f.bytes - 4 - HEAD) / 8;
    (void)mb_get_u16_(part + CONTENT, &content);
    if (content != SUM || *n <= g->len + 2)
        return NULL;
    (void)mb_get_u64_(part + HEAD + 8 * g->len, &tag);
    return (tag & KIND) == UP ? part + HEAD : NULL;
}

/* Its rows and those below it, twice. */
static inline void lie_twice_the_sum(lie_frame *at)
{
    size_t         n = 0;
    unsigned char *word = lie_sum(at, &n);

    for (size_t k = 0; word && k < n; k++) {
        uint64_t x;

        (void)mb_get_u64_(word + 8 * k, &x);
        if (k < mb_peer_block(at->liar)->len || k > mb_peer_block(at->liar)->len + 1)
            (void)mb_put_u64_(word + 8 * k, 2 * x);
    }
}

/* That, after it has said of the nodes below it that twice their rows are declared. */
static inline void lie_padded_sum(lie_frame *at)
{
    enum { STAGE = 16, GATHERED = 2, BOUND = 48 };
    uint32_t stage = 0;
    double   rows;

    lie_twice_the_sum(at);
    if (lie_part(at))
        (void)mb_get_u32_(lie_part(at) + STAGE, &stage);
    if (stage != GATHERED)
        return;
    (void)mb_get_f64_(lie_part(at) + BOUND, &rows);
    (void)mb_put_f64_(lie_part(at) + BOUND, 2 * rows);
}

/* A number of it beyond what all rows make. */
static inline void lie_far_sum(lie_frame *at)
{
    size_t         n = 0;
    unsigned char *word = lie_sum(at, &n);

    if (word)
        (void)mb_put_u64_(word + 8, UINT64_C(1) << 62);
}

typedef void (*lie)(lie_frame *at);

/* NULL: no lie has this name. */
static inline lie lie_named(const char *name)
{
    static const struct {
        const char *name;
        lie         tell;
    } lies[] = {
        {"honest", lie_honest},
        {"far_beat", lie_far_beat},
        {"long_way", lie_long_way},
        {"huge", lie_huge},
        {"other_life", lie_other_life},
        {"more_leaders", lie_more_leaders},
        {"fewer_leaders", lie_fewer_leaders},
        {"many_neighbours", lie_many_neighbours},
        {"stiff", lie_stiff},
        {"heavy_rows", lie_heavy_rows},
        {"miscount", lie_miscount},
        {"other_genesis", lie_other_genesis},
        {"last_record", lie_last_record},
        {"twice_the_sum", lie_twice_the_sum},
        {"padded_sum", lie_padded_sum},
        {"far_sum", lie_far_sum},
    };

    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++)
        if (!strcmp(lies[k].name, name))
            return lies[k].tell;
    return NULL;
}

/* The frame of n bytes with room for more, of node `liar`, says something else. Returns its bytes;
 * 0: it is no frame. */
static inline size_t lie_in(lie tell, const mb_peer *liar, unsigned char *frame, size_t n,
                            size_t room)
{
    lie_frame at = {.payload = frame + MB_FRAME_HEAD_,
                    .room = room - MB_FRAME_HEAD_ - MB_FRAME_TAIL_,
                    .liar = liar};

    if (mb_frame_open_(frame, n, &at.f, NULL))
        return 0;
    tell(&at);
    return mb_frame_seal_(&at.f, frame);
}

#endif
