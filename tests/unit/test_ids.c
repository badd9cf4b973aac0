/* The order of node ids and class names. */
#include "data/parse.h"
#include "scratch.h"
#include "test.h"

static void sorted(const char **id, int32_t n, const char *const *want, int32_t m)
{
    mb_ids_sort(id, &n);
    assert_int_equal(n, m);
    for (int32_t i = 0; i < m; i++)
        assert_string_equal(id[i], want[i]);
}

TEST(integers_sort_by_number)
{
    const char *id[] = {"10", "9", "-2", "-10", "0", "9", "100"};
    const char *want[] = {"-10", "-2", "0", "9", "10", "100"};

    sorted(id, 7, want, 6);
}

TEST(one_word_makes_all_sort_by_bytes)
{
    const char *id[] = {"10", "9", "b", "B", "-2", "\xC3\xA4"};
    const char *want[] = {"-2", "10", "9", "B", "b", "\xC3\xA4"};

    sorted(id, 6, want, 6);
}

TEST(integer_beyond_64_bits_is_a_word)
{
    const char *id[] = {"9", "10", "9223372036854775808"};
    const char *want[] = {"10", "9", "9223372036854775808"};

    sorted(id, 3, want, 3);
}

TEST(none_and_one_are_sorted)
{
    const char *id[] = {"x"};

    sorted(id, 0, id, 0);
    sorted(id, 1, id, 1);
}

TEST(index_finds_every_text_in_the_sorted_list)
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
    must(mb_ids_index(s->a, "f", N, text, index, &list, &count, &s->err));
    assert_int_equal(count, 300);
    for (int i = 0; i < N; i++)
        assert_string_equal(list[index[i]], text[i]);
    assert_string_equal(list[299], "299");
}

TEST(two_spellings_of_a_number_are_refused)
{
    const char *text[] = {"3", "01", "1"}, **list;
    scratch    *s = *state;
    int32_t     index[3], count;

    scratch_expect(s, mb_ids_index(s->a, "net.csv", 3, text, index, &list, &count, &s->err),
                   MB_E_FORMAT, "net.csv: \"01\" and \"1\" are the same number");
    text[0] = "a"; /* then they are words, and differ */
    must(mb_ids_index(s->a, "net.csv", 3, text, index, &list, &count, &s->err));
    assert_int_equal(count, 3);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
