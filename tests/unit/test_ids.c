/* The order of node ids and class names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "data/parse.h"
#include "scratch.h"

static void sorted(const char **id, int32_t n, const char *const *want, int32_t m)
{
    mb_ids_sort(id, &n);
    assert_int_equal(n, m);
    for (int32_t i = 0; i < m; i++)
        assert_string_equal(id[i], want[i]);
}

static void integers_sort_by_number(void **state)
{
    const char *id[] = {"10", "9", "-2", "-10", "0", "9", "100"};
    const char *want[] = {"-10", "-2", "0", "9", "10", "100"};

    (void)state;
    sorted(id, 7, want, 6);
}

static void one_word_makes_all_sort_by_bytes(void **state)
{
    const char *id[] = {"10", "9", "b", "B", "-2", "\xC3\xA4"};
    const char *want[] = {"-2", "10", "9", "B", "b", "\xC3\xA4"};

    (void)state;
    sorted(id, 6, want, 6);
}

static void integer_beyond_64_bits_is_a_word(void **state)
{
    const char *id[] = {"9", "10", "9223372036854775808"};
    const char *want[] = {"10", "9", "9223372036854775808"};

    (void)state;
    sorted(id, 3, want, 3);
}

static void none_and_one_are_sorted(void **state)
{
    const char *id[] = {"x"};

    (void)state;
    sorted(id, 0, id, 0);
    sorted(id, 1, id, 1);
}

static void index_finds_every_text_in_the_sorted_list(void **state)
{
    enum { N = 1000 };
    scratch     *s = *state;
    const char  *text[N];
    char         buf[N][8];
    int32_t      index[N], count = 0;
    const char **list;

    for (int i = 0; i < N; i++) {
        snprintf(buf[i], sizeof buf[i], "%d", i * 7 % 300);
        text[i] = buf[i];
    }
    assert_int_equal(mb_ids_index(s->a, "f", N, text, index, &list, &count, &s->err), MB_OK);
    assert_int_equal(count, 300);
    for (int i = 0; i < N; i++)
        assert_string_equal(list[index[i]], text[i]);
    assert_string_equal(list[299], "299");
}

static void two_spellings_of_a_number_are_refused(void **state)
{
    const char *text[] = {"3", "01", "1"}, **list;
    scratch    *s = *state;
    int32_t     index[3], count;

    scratch_expect(s, mb_ids_index(s->a, "net.csv", 3, text, index, &list, &count, &s->err),
                   MB_E_FORMAT, "net.csv: \"01\" and \"1\" are the same number");
    text[0] = "a"; /* then they are words, and differ */
    assert_int_equal(mb_ids_index(s->a, "net.csv", 3, text, index, &list, &count, &s->err), MB_OK);
    assert_int_equal(count, 3);
}

#define IDS_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_begin, scratch_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IDS_TEST(integers_sort_by_number),
        IDS_TEST(one_word_makes_all_sort_by_bytes),
        IDS_TEST(integer_beyond_64_bits_is_a_word),
        IDS_TEST(none_and_one_are_sorted),
        IDS_TEST(index_finds_every_text_in_the_sorted_list),
        IDS_TEST(two_spellings_of_a_number_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
