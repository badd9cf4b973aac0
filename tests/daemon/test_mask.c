/* Masks of the sums of nodes: by libsodium what another program computes, and 0 in all. */
#include "arena.h"
#include "mask.h"
#include "test.h"

#include <string.h>
#include <zmq.h>

enum { NODES = 3, WORDS = 100, RECORD = 136, PASS = 7 };

static const int32_t ids[NODES] = {2, 5, 9};
/* Words 0 and 99 of the masks of each, computed in Python from RFC 7748, RFC 7693 and RFC 8439. */
static const uint64_t expected[NODES][2] = {{0xf2532eb69c073a47, 0xe074bb63f3a8977a},
                                            {0xfc1f106316ec1288, 0xad39da78a8cd59db},
                                            {0x118dc0e64d0cb331, 0x72516a23638a0eab}};

typedef struct world {
    node_keys   keys[NODES];
    mb_member   member[NODES];
    mb_declared d;
    mb_genesis  g;
    mask        m[NODES];
    mb_err      err;
} world;

static world *make(void)
{
    world *w = mb_alloc(arena, 1, sizeof *w);

    for (int i = 0; i < NODES; i++) {
        uint8_t secret[32];

        for (int b = 0; b < 32; b++)
            secret[b] = (uint8_t)(ids[i] * 37 + b * 11);
        zmq_z85_encode(w->keys[i].secret_key, secret, sizeof secret);
        assert_int_equal(zmq_curve_public(w->keys[i].public_key, w->keys[i].secret_key), 0);
        w->member[i] = (mb_member){.id = ids[i], .key = w->keys[i].public_key};
    }
    w->d = (mb_declared){.members = NODES, .member = w->member};
    w->g = (mb_genesis){.hash = 0x1122334455667788, .declared = &w->d};
    for (int i = 0; i < NODES; i++)
        assert_int_equal(
            mask_open(arena, &w->keys[i], ids[i], w->g.declared, w->g.hash, &w->m[i], &w->err),
            MB_OK);
    return w;
}

/* All begin this record, whose first byte is given. */
static void begin(world *w, uint8_t first)
{
    uint8_t record[RECORD];

    for (int k = 0; k < RECORD; k++)
        record[k] = (uint8_t)(k ? 7 * k + 3 : first);
    for (int i = 0; i < NODES; i++) {
        const int32_t others[] = {ids[(i + 1) % NODES], ids[(i + 2) % NODES]};

        assert_int_equal(w->m[i].by.begin(&w->m[i], ids[i], record, RECORD, others, 2, &w->err),
                         MB_OK);
    }
}

static void add(world *w, int i, uint64_t pass, double *words)
{
    assert_int_equal(w->m[i].by.add(&w->m[i], ids[i], 0, pass, WORDS, words), 1);
}

TEST(masks_are_those_that_another_program_computes)
{
    world *w = make();

    begin(w, 3);
    for (int i = 0; i < NODES; i++) {
        double words[WORDS] = {0};

        add(w, i, PASS, words);
        assert_true(mb_word(words, 0) == expected[i][0]);
        assert_true(mb_word(words, WORDS - 1) == expected[i][1]);
    }
}

TEST(the_masked_total_is_the_open_one_to_the_bit)
{
    world   *w = make();
    uint64_t open[WORDS] = {0}, all[WORDS] = {0};

    begin(w, 3);
    for (int i = 0; i < NODES; i++) {
        double words[WORDS];
        int    same = 0;

        for (size_t l = 0; l < WORDS; l++) {
            const uint64_t own = (uint64_t)-5 * (l + 1) * (uint64_t)ids[i];

            mb_set_word(words, l, own);
            open[l] += own;
        }
        add(w, i, PASS, words);
        for (size_t l = 0; l < WORDS; l++) {
            all[l] += mb_word(words, l);
            same += mb_word(words, l) == (uint64_t)-5 * (l + 1) * (uint64_t)ids[i];
        }
        assert_int_equal(same, 0);
    }
    assert_memory_equal(all, open, sizeof all);
}

/* No word of a pass is one of another pass or record. */
TEST(passes_and_records_share_no_mask)
{
    world *w = make();
    double one[WORDS] = {0}, next[WORDS] = {0}, other[WORDS] = {0};

    begin(w, 3);
    add(w, 0, PASS, one);
    add(w, 0, PASS + 1, next);
    begin(w, 4);
    add(w, 0, PASS, other);
    for (size_t k = 0; k < WORDS; k++)
        for (size_t l = 0; l < WORDS; l++) {
            assert_true(mb_word(one, k) != mb_word(next, l));
            assert_true(mb_word(one, k) != mb_word(other, l));
        }
}

#ifdef NDEBUG
/* Builds with assertions end here. */
TEST(a_pad_serves_no_second_contribution)
{
    world *w = make();
    double one[WORDS] = {0}, same[WORDS] = {0}, other[WORDS] = {0}, was[WORDS];

    begin(w, 3);
    mb_set_word(other, 5, 1);
    memcpy(was, other, sizeof was);
    add(w, 0, PASS, one);
    assert_int_equal(w->m[0].by.add(&w->m[0], ids[0], 0, PASS, WORDS, other), 0);
    assert_memory_equal(other, was, sizeof was);
    assert_int_equal(w->m[0].by.add(&w->m[0], ids[0], 0, PASS - 1, WORDS, same), 0);
    add(w, 0, PASS, same);
    assert_memory_equal(same, one, sizeof one);
    begin(w, 4);
    add(w, 0, PASS, other);
}
#endif

TEST(a_key_whose_products_are_all_zero_is_refused)
{
    world  *w = make();
    uint8_t zeros[32] = {0};
    char    key[MB_CURVE_KEY + 1];

    zmq_z85_encode(key, zeros, sizeof zeros);
    w->member[2].key = key;
    assert_int_equal(
        mask_open(arena, &w->keys[0], ids[0], w->g.declared, w->g.hash, &w->m[0], &w->err),
        MB_E_FORMAT);
    assert_string_equal(w->err.msg, "mask: the key of member 9 is none to share another with");
}

TEST(what_is_forgotten_masks_nothing)
{
    world *w = make();
    double words[WORDS] = {0}, none[WORDS] = {0};

    begin(w, 3);
    mask_close(&w->m[0]);
    add(w, 0, PASS, words);
    assert_memory_equal(words, none, sizeof none);
    mask_close(&(mask){.id = 1});
}

RUN_TESTS(arena_up, arena_down)
