/* The genesis as bytes: the layout of docs/protocol.md, and blocks that are cut, changed or hostile. */
#include "genesis_world.h"
#include "mesh/genesis.h"
#include "test.h"

static void assert_same_block(const mb_genesis *g, const mb_genesis *h)
{
    OK(mb_genesis_same(g, h, &err));
    assert_true(g->run.log_jacobian == h->run.log_jacobian);
    assert_int_equal(g->maker, h->maker);
    assert_int_equal(g->counter, h->counter);
    assert_true(g->hash == h->hash);
}

TEST(a_block_read_back_is_the_same)
{
    mb_genesis g, back;
    world      w;
    size_t     n;

    for (int32_t which = 0; which < 4; which++) {
        if (which < 2)
            linreg_world(&w, which, 3);
        else
            gmm_world(&w, which, 4);
        g = of_sample(&w, 64);
        g.maker = 7;
        g.counter = UINT32_MAX;
        const unsigned char *block = encoded(&g, &w, &n);

        OK(mb_genesis_decode(arena, block, n, &back, &err));
        assert_same_block(&g, &back);
    }
}

static uint64_t fnv(const unsigned char *bytes, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t k = 0; k < n; k++)
        h = (h ^ bytes[k]) * UINT64_C(0x100000001b3);
    return h;
}

/* Offsets of docs/protocol.md for K = 1, D = 1, "x1": L = 1 + 4. */
TEST(the_layout_is_that_of_the_protocol)
{
    static const unsigned char head[] = {
        'M', 'B', 'G', '1', 1, 0, 0, 0, 3, 0, 0, 0, 'g', 'm', 'm', 1,   0, 0, 0, 1, 0,
        0,   0,   0,   0,   0, 0, 1, 0, 0, 0, 2, 0, 0,   0,   'x', '1', 9, 0, 0, 0, 2,
        1,   0,   0,   5,   0, 0, 0, 0, 0, 0, 0, 1, 0,   0,   0,   0,   0, 0, 0};
    mb_genesis g;
    world      w;
    size_t     n;

    gmm_world(&w, 1, 1);
    g = of_sample(&w, 64);
    g.maker = 9;
    g.counter = 258;

    const unsigned char *block = encoded(&g, &w, &n);
    double               x[2 + 2 * 5 + 1];

    assert_int_equal(n, sizeof head + sizeof x);
    assert_memory_equal(block, head, sizeof head);
    memcpy(x, block + sizeof head, sizeof x); /* tests run on little-endian machines */
    assert_true(x[0] == g.run.origin[0] && x[1] == g.run.scale[0]);
    assert_memory_equal(x + 2, g.prior, 5 * sizeof *x);
    assert_memory_equal(x + 7, g.prior_par, 5 * sizeof *x);
    assert_true(x[12] == g.start[0]);
    assert_true(g.hash == fnv(block, n));
}

TEST(every_cut_is_refused)
{
    mb_genesis g, back;
    world      w;
    size_t     n;

    gmm_world(&w, 2, 2);
    g = of_sample(&w, 64);
    const unsigned char *block = encoded(&g, &w, &n);

    for (size_t cut = 0; cut < n; cut++) {
        mb_arena *own = mb_arena_new(1 << 12);

        assert_int_equal(mb_genesis_decode(own, block, cut, &back, &err), MB_E_FORMAT);
        mb_arena_free(own);
    }
}

/* Each byte with each of several changes, and a byte more. */
TEST(every_changed_byte_is_refused_or_another_block)
{
    static const unsigned char flip[] = {1, 2, 16, 64, 128, 255};
    mb_genesis                 g, back;
    world                      w;
    size_t                     n, read = 0;

    for (int32_t which = 0; which < 2; which++) {
        if (which)
            gmm_world(&w, 2, 2);
        else
            linreg_world(&w, 1, 2);
        g = of_sample(&w, 64);
        unsigned char *block = encoded(&g, &w, &n);

        for (size_t k = 0; k < n; k++)
            for (size_t f = 0; f < sizeof flip; f++) {
                mb_arena *own = mb_arena_new(1 << 12);

                block[k] ^= flip[f];
                if (mb_genesis_decode(own, block, n, &back, &err) == MB_OK) {
                    read++;
                    assert_true(back.hash != g.hash);
                } else
                    assert_int_equal(err.code, MB_E_FORMAT);
                block[k] ^= flip[f];
                mb_arena_free(own);
            }
        assert_int_equal(mb_genesis_decode(arena, block, n - 1, &back, &err), MB_E_FORMAT);
    }
    assert_true(read > 0);
}

static void put32(unsigned char *at, uint32_t x)
{
    for (int k = 0; k < 4; k++)
        at[k] = (unsigned char)(x >> (8 * k));
}

/* Sizes of all magnitudes for K, D and columns. What is read of them would need
 * gigabytes; the arena has less than the block. */
TEST(hostile_sizes_take_no_memory)
{
    static const uint32_t size[] = {0,      3,       77,      1000,      10000,
                                    100000, 1000000, 1 << 24, INT32_MAX, UINT32_MAX};
    static char           memory[4096];
    unsigned char         block[400];
    mb_genesis            g, back;
    world                 w;
    size_t                n;

    gmm_world(&w, 1, 1);
    g = of_sample(&w, 64);
    memcpy(block, encoded(&g, &w, &n), 61 + 13 * 8);
    for (int k = 0; k < 10; k++)
        for (int d = 0; d < 10; d++) {
            put32(block + 15, size[k]);
            put32(block + 19, size[d]);
            put32(block + 27, size[d]);
            assert_int_equal(
                mb_genesis_decode(mb_arena_fixed(memory, sizeof memory), block, n, &back, &err),
                MB_E_FORMAT);
        }
}

TEST(what_is_wrong_is_named)
{
    unsigned char block[400];
    mb_genesis    g, back;
    world         w;
    size_t        n;

    gmm_world(&w, 1, 1);
    g = of_sample(&w, 64);
    memcpy(block, encoded(&g, &w, &n), 61 + 13 * 8);
    block[12] = 'q';
    assert_int_equal(mb_genesis_decode(arena, block, n, &back, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "model: got \"qmm\""));
    block[12] = 'g';
    block[61 + 8 + 7] |= 0x80; /* the sign of the scale */
    assert_int_equal(mb_genesis_decode(arena, block, n, &back, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "scale of \"x1\": got -"));
    block[61 + 8 + 7] &= 0x7f;
    block[61 + 16 + 7] = 0x7f; /* alpha - 1 of the prior */
    block[61 + 16 + 6] = 0xf0;
    assert_int_equal(mb_genesis_decode(arena, block, n, &back, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "prior: number 0 is not finite"));
    block[61 + 16 + 7] = 0xc0;
    assert_int_equal(mb_genesis_decode(arena, block, n, &back, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "genesis block: prior: "));
}

TEST(too_little_room_is_refused)
{
    unsigned char block[400];
    mb_genesis    g;
    world         w;
    size_t        n;

    gmm_world(&w, 1, 1);
    g = of_sample(&w, 64);
    block[164] = 77;
    assert_int_equal(mb_genesis_encode(&g, block, 164, &n, &err), MB_E_ARG);
    assert_int_equal(block[164], 77);
    OK(mb_genesis_encode(&g, block, 165, &n, &err));
}

RUN_TESTS(arena_up, arena_down)
