/* test_layout.c - offsets, text and hash of a message's layout. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expfam/expfam.h"

#include <string.h>

static mb_layout mixture(int32_t K, int32_t D)
{
    mb_layout l = {0};
    mb_err    err;

    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, K, 1, &err), MB_OK);
    assert_int_equal(mb_layout_add(&l, &mb_normal_wishart, D, K, &err), MB_OK);
    return l;
}

static void lengths_of_the_papers_mixture(void **state)
{
    const mb_layout l = mixture(3, 2);

    (void)state;
    assert_int_equal(l.nblock, 2);
    assert_int_equal(l.len, 24);       /* 3 + 3 (1 + 6)         */
    assert_int_equal(l.paper_len, 27); /* 3 + 3 (1 + 4 + 2 + 1) */
    assert_int_equal(l.block[1].off, 3);
    assert_int_equal(l.block[1].len, 7);
    assert_int_equal(l.block[1].paper_len, 8);
    assert_true(l.scratch >= mb_normal_wishart.scratch(2));
}

static void text_names_families_with_versions_and_sizes(void **state)
{
    const mb_layout l = mixture(2, 1);
    char            text[64];

    (void)state;
    mb_layout_text(&l, text, sizeof text);
    assert_string_equal(text, "dirichlet.1:2*1; normal-wishart.1:1*2");
}

static void text_is_cut_to_the_room_given(void **state)
{
    const mb_layout l = mixture(2, 1);
    char            text[16];

    (void)state;
    memset(text, 'x', sizeof text);
    mb_layout_text(&l, text, 12);
    assert_string_equal(text, "dirichlet.1");
    assert_int_equal(text[12], 'x');
}

/* FNV-1a of the text above, computed by another program. */
static void hash_is_fnv1a_of_the_text(void **state)
{
    (void)state;
    assert_true(mixture(2, 1).hash == UINT64_C(0xa6d863faca397108));
}

static void hash_tells_sizes_apart(void **state)
{
    (void)state;
    assert_true(mixture(2, 1).hash != mixture(1, 2).hash);
    assert_true(mixture(3, 2).hash != mixture(2, 2).hash);
}

static void sizes_below_one_are_refused(void **state)
{
    mb_layout l = {0};
    mb_err    err;

    (void)state;
    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 0, 1, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "at least 1"));
    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 2, 0, &err), MB_E_ARG);
    assert_int_equal(l.len, 0);
}

static void a_block_too_many_is_refused(void **state)
{
    mb_layout l = {0};
    mb_err    err;

    (void)state;
    for (int b = 0; b < MB_MAX_BLOCKS; b++)
        assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 2, 1, &err), MB_OK);
    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 2, 1, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "16"));
    assert_int_equal(l.len, 2 * MB_MAX_BLOCKS);
}

static void a_length_beyond_memory_is_refused(void **state)
{
    mb_layout l = {0};
    mb_err    err;

    (void)state;
    assert_int_equal(mb_layout_add(&l, &mb_normal_wishart, INT32_MAX - 1, INT32_MAX, &err),
                     MB_E_ARG);
    assert_int_equal(l.nblock, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_of_the_papers_mixture),
        cmocka_unit_test(text_names_families_with_versions_and_sizes),
        cmocka_unit_test(text_is_cut_to_the_room_given),
        cmocka_unit_test(hash_is_fnv1a_of_the_text),
        cmocka_unit_test(hash_tells_sizes_apart),
        cmocka_unit_test(sizes_below_one_are_refused),
        cmocka_unit_test(a_block_too_many_is_refused),
        cmocka_unit_test(a_length_beyond_memory_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
