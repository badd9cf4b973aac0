/* Edge lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "data/data.h"
#include "scratch.h"

static mb_status read(scratch *s, const char *text, mb_edges *out)
{
    return mb_edges_read(s->a, scratch_text(s, "net.csv", text), out, &s->err);
}

static void columns_i_and_j_are_found_by_name(void **state)
{
    scratch *s = *state;
    mb_edges e;

    assert_int_equal(read(s, "w,j,i\n1,b,a\n2,c,b\n", &e), MB_OK);
    assert_int_equal(e.m, 2);
    assert_string_equal(e.end[0], "a");
    assert_string_equal(e.end[1], "b");
    assert_string_equal(e.end[2], "b");
    assert_string_equal(e.end[3], "c");
    assert_int_equal(e.line[1], 3);
}

static void network_without_links_is_empty(void **state)
{
    mb_edges e;

    assert_int_equal(read(*state, "i,j\n", &e), MB_OK);
    assert_int_equal(e.m, 0);
}

static void faults_name_file_line_and_column(void **state)
{
    scratch *s = *state;
    mb_edges e;

    scratch_expect(s, read(s, "from,to\n1,2\n", &e), MB_E_FORMAT,
                   "net.csv: no column \"i\" (the end of a link); expected from, to");
    scratch_expect(s, read(s, "i,j\n1,2\n3,\n", &e), MB_E_FORMAT,
                   "net.csv:3: column \"j\": the cell is empty");
    scratch_expect(s, read(s, "i,j\n1,2\n4,4\n", &e), MB_E_FORMAT,
                   "net.csv:3: a link from node \"4\" to itself");
}

static void columns_that_describe_links_are_told_from_others(void **state)
{
    scratch *s = *state;
    mb_edges e;

    assert_int_equal(read(s, "kind,i,j,loss,length\nradio,a,b,0.5,3\nwire,b,c,,4\n", &e), MB_OK);
    assert_null(e.given[0]);
    assert_string_equal(e.given[1][0], "0.5");
    assert_string_equal(e.given[1][1], "");
    assert_string_equal(e.unused, "kind, length");
    assert_int_equal(read(s, "i,j,prob\na,b,nothing\n", &e), MB_OK);
    assert_string_equal(e.given[0][0], "nothing");
    assert_null(e.given[1]);
    assert_null(e.unused);
}

#define EDGES_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_begin, scratch_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EDGES_TEST(columns_i_and_j_are_found_by_name),
        EDGES_TEST(network_without_links_is_empty),
        EDGES_TEST(columns_that_describe_links_are_told_from_others),
        EDGES_TEST(faults_name_file_line_and_column),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
