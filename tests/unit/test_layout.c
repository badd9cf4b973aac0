/* test_layout.c - offsets, text and hash of a message's layout. */
#include "expfam/expfam.h"
#include "test.h"

static mb_layout mixture(int32_t K, int32_t D)
{
    mb_layout l = {0};
    mb_err    err;

    must(mb_layout_add(&l, &mb_dirichlet, K, 1, &err));
    must(mb_layout_add(&l, &mb_normal_wishart, D, K, &err));
    return l;
}

TEST(lengths_of_the_papers_mixture)
{
    const mb_layout l = mixture(3, 2);

    assert_int_equal(l.nblock, 2);
    assert_int_equal(l.len, 24);       /* 3 + 3 (1 + 6)         */
    assert_int_equal(l.paper_len, 27); /* 3 + 3 (1 + 4 + 2 + 1) */
    assert_int_equal(l.block[1].off, 3);
    assert_int_equal(l.block[1].len, 7);
    assert_int_equal(l.block[1].paper_len, 8);
    assert_true(l.scratch >= mb_normal_wishart.scratch(2));
}

TEST(text_names_families_with_versions_and_sizes)
{
    const mb_layout l = mixture(2, 1);
    char            text[64];

    mb_layout_text(&l, text, sizeof text);
    assert_string_equal(text, "dirichlet.1:2*1; normal-wishart.1:1*2");
}

TEST(text_is_cut_to_the_room_given)
{
    const mb_layout l = mixture(2, 1);
    char            text[16];

    memset(text, 'x', sizeof text);
    mb_layout_text(&l, text, 12);
    assert_string_equal(text, "dirichlet.1");
    assert_int_equal(text[12], 'x');
}

/* FNV-1a of the text above, computed by another program. */
TEST(hash_is_fnv1a_of_the_text)
{
    assert_true(mixture(2, 1).hash == UINT64_C(0xa6d863faca397108));
}

TEST(hash_tells_sizes_apart)
{
    assert_true(mixture(2, 1).hash != mixture(1, 2).hash);
    assert_true(mixture(3, 2).hash != mixture(2, 2).hash);
}

TEST(text_and_hash_tell_a_square_block_apart)
{
    mb_layout square = {0}, plain = {0};
    char      text[64];
    mb_err    err;

    must(mb_layout_add_square(&square, &mb_dirichlet, 3, &err));
    must(mb_layout_add(&plain, &mb_dirichlet, 3, 3, &err));
    assert_int_equal(square.len, plain.len);
    mb_layout_text(&square, text, sizeof text);
    assert_string_equal(text, "dirichlet.1:3*3 square");
    assert_true(square.hash != plain.hash);
}

TEST(sizes_below_one_are_refused)
{
    mb_layout l = {0};
    mb_err    err;

    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 0, 1, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "at least 1"));
    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 2, 0, &err), MB_E_ARG);
    assert_int_equal(l.len, 0);
}

TEST(a_block_too_many_is_refused)
{
    mb_layout l = {0};
    mb_err    err;

    for (int b = 0; b < MB_MAX_BLOCKS; b++)
        must(mb_layout_add(&l, &mb_dirichlet, 2, 1, &err));
    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 2, 1, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "16"));
    assert_int_equal(l.len, 2 * MB_MAX_BLOCKS);
}

TEST(a_length_beyond_memory_is_refused)
{
    mb_layout l = {0};
    mb_err    err;

    assert_int_equal(mb_layout_add(&l, &mb_normal_wishart, INT32_MAX - 1, INT32_MAX, &err),
                     MB_E_ARG);
    assert_int_equal(l.nblock, 0);
}

RUN_TESTS(NULL, NULL)
