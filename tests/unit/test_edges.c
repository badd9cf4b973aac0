/* Edge lists. */
#include "data/data.h"
#include "scratch.h"
#include "test.h"

static mb_status read(scratch *s, const char *text, mb_edges *out)
{
    return mb_edges_read(s->a, scratch_text(s, "net.csv", text), out, &s->err);
}

TEST(columns_i_and_j_are_found_by_name)
{
    scratch *s = *state;
    mb_edges e;

    must(read(s, "w,j,i\n1,b,a\n2,c,b\n", &e));
    assert_int_equal(e.m, 2);
    assert_string_equal(e.end[0], "a");
    assert_string_equal(e.end[1], "b");
    assert_string_equal(e.end[2], "b");
    assert_string_equal(e.end[3], "c");
    assert_int_equal(e.line[1], 3);
}

TEST(network_without_links_is_empty)
{
    mb_edges e;

    must(read(*state, "i,j\n", &e));
    assert_int_equal(e.m, 0);
}

TEST(faults_name_file_line_and_column)
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

TEST(columns_that_describe_links_are_distinguished)
{
    scratch *s = *state;
    mb_edges e;

    must(read(s, "kind,i,j,loss,length\nradio,a,b,0.5,3\nwire,b,c,,4\n", &e));
    assert_null(e.given[0]);
    assert_string_equal(e.given[1][0], "0.5");
    assert_string_equal(e.given[1][1], "");
    assert_string_equal(e.unused, "kind, length");
    must(read(s, "i,j,prob\na,b,nothing\n", &e));
    assert_string_equal(e.given[0][0], "nothing");
    assert_null(e.given[1]);
    assert_null(e.unused);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
