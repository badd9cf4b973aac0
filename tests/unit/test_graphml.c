/* Networks as GraphML. */
#include "data/data.h"
#include "scratch.h"
#include "test.h"

#include <stdlib.h>

#define HEAD  "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>\n"
#define KEYS  "<key id='d0' for='node' attr.name='x'/><key id='d1' for='node' attr.name='y'/>"
#define GRAPH HEAD "<graph edgedefault='undirected'>\n"
#define TAIL  "</graph></graphml>"
#define AB    "<node id='a'/><node id='b'/>"

static mb_status read(scratch *s, const char *text, mb_edges *out)
{
    return mb_edges_read(s->a, scratch_text(s, "net.graphml", text), out, &s->err);
}

/* Without expat every file is an error, and that is all there is to test. */
static int without_expat(scratch *s)
{
    mb_edges e;

    if (read(s, GRAPH TAIL, &e) != MB_E_NOSUP)
        return 0;
    scratch_expect(s, MB_E_NOSUP, MB_E_NOSUP, "net.graphml: a GraphML file, but meshbayes is");
    return 1;
}

static mb_edges good(scratch *s, const char *text)
{
    mb_edges e;

    if (read(s, text, &e) != MB_OK)
        fail_msg("%s", s->err.msg);
    return e;
}

static void bad(scratch *s, mb_status want, const char *text, const char *part)
{
    mb_edges e;

    scratch_expect(s, read(s, text, &e), want, part);
    assert_null(strchr(s->err.msg, '\n'));
}

TEST(nodes_and_links_are_read_in_any_order)
{
    mb_edges e;

    if (without_expat(*state))
        return;
    e = good(*state, GRAPH "<edge source='a' target='b&amp;&#x41;' directed='true'/>\n"
                           "<node id='a'><desc>first</desc><port name='p'/></node>\n"
                           "<edge id='e' source='b&amp;A' target='c'/>"
                           "<node id='b&amp;A'/><node id='c'/><node id='alone'/>" TAIL);
    assert_int_equal(e.m, 2);
    assert_string_equal(e.end[0], "a");
    assert_string_equal(e.end[1], "b&A");
    assert_string_equal(e.end[2], "b&A");
    assert_string_equal(e.end[3], "c");
    assert_int_equal(e.line[0], 3);
    assert_int_equal(e.line[1], 5);
    assert_int_equal(e.nodes, 4);
    assert_string_equal(e.node[3], "alone");
    assert_null(e.xy);
}

TEST(prefixes_encodings_and_empty_graphs_are_fine)
{
    static const char wide[] =
        "<\0g\0r\0a\0p\0h\0m\0l\0>\0<\0g\0r\0a\0p\0h\0/\0>\0<\0/\0g\0r\0a\0p\0"
        "h\0m\0l\0>\0";
    scratch *s = *state;
    mb_edges e;
    char     bytes[2 + sizeof wide - 1] = "\xff\xfe";

    if (without_expat(s))
        return;
    e = good(s, "<g:graphml xmlns:g='u'><g:graph><g:node id='a'/></g:graph></g:graphml>");
    assert_int_equal(e.nodes, 1);
    e = good(s, "<?xml version='1.0' encoding='ISO-8859-1'?>" GRAPH "<node id='\xe9'/>" TAIL);
    assert_string_equal(e.node[0], "\xc3\xa9");
    memcpy(bytes + 2, wide, sizeof wide - 1);
    must(mb_edges_read(s->a, scratch_bytes(s, "net.graphml", bytes, sizeof bytes), &e, &s->err));
    assert_int_equal(e.nodes, 0);
}

TEST(positions_are_the_node_data_x_and_y)
{
    mb_edges e;

    if (without_expat(*state))
        return;
    e = good(*state,
             HEAD "<key id='x' for='edge' attr.name='x'/>"
                  "<key id='d0' for='node' attr.name='x'><default> 7 </default></key>"
                  "<key id='d1' attr.name='y'/><key id='d2' for='node' attr.name='z'/>"
                  "<graph><node id='a'><data key='d1'>\n -2.5e1\n</data><data key='d2'>no</data>"
                  "<data key='d0'>0.1</data></node><node id='b'/>"
                  "<edge source='a' target='b'><data key='x'>word</data></edge>" TAIL);
    assert_non_null(e.xy);
    assert_true(e.xy[0] == 0.1);
    assert_true(e.xy[1] == -25);
    assert_true(e.xy[2] == 7);
    assert_true(isnan(e.xy[3]));
}

TEST(foreign_elements_inside_data_are_stepped_over)
{
    mb_edges e;

    if (without_expat(*state))
        return;
    e = good(*state,
             HEAD KEYS "<graph><node id='a'><data key='d6'><y:node xmlns:y='u' id='n'><y:graph/>"
                       "<y:data key='d0'>q</y:data></y:node></data></node>" TAIL);
    assert_int_equal(e.nodes, 1);
    assert_true(isnan(e.xy[0]));
}

TEST(large_networks_grow)
{
    enum { N = 5000 };
    scratch *s = *state;
    char    *text = malloc(N * 80 + 200);
    size_t   at;
    mb_edges e;

    assert_non_null(text);
    if (without_expat(s)) {
        free(text);
        return;
    }
    at = (size_t)sprintf(text, "%s", GRAPH);
    for (int k = 0; k < N; k++)
        at += (size_t)sprintf(text + at, "<node id='n%d'/>\n<edge source='n%d' target='n%d'/>\n", k,
                              k, (k + 1) % N);
    sprintf(text + at, "%s", TAIL);
    e = good(s, text);
    free(text);
    assert_int_equal(e.nodes, N);
    assert_int_equal(e.m, N);
    assert_string_equal(e.node[4999], "n4999");
    assert_string_equal(e.end[2 * 4321 + 1], "n4322");
    assert_int_equal(e.line[4321], 2 * 4321 + 4);
}

TEST(faults_name_file_and_line)
{
    scratch *s = *state;

    if (without_expat(s))
        return;
    bad(s, MB_E_FORMAT, GRAPH AB "\n<edge source='a' target='c'/>" TAIL,
        "net.graphml:4: a link to \"c\", which is not a <node>");
    bad(s, MB_E_FORMAT, GRAPH AB "\n<edge source='a' target='a'/>" TAIL,
        "net.graphml:4: a link from node \"a\" to itself");
    bad(s, MB_E_FORMAT, GRAPH AB "\n<node id='a'/>" TAIL, "net.graphml:4: node \"a\" comes twice");
    bad(s, MB_E_FORMAT, GRAPH "<node/>" TAIL, "net.graphml:3: <node> without id");
    bad(s, MB_E_FORMAT, GRAPH AB "<edge source='a'/>" TAIL, "net.graphml:3: <edge> without target");
    bad(s, MB_E_FORMAT, GRAPH "<node id='1'/><node id='01'/>" TAIL, "are the same number");
    bad(s, MB_E_FORMAT, GRAPH AB, "net.graphml:3: not XML: no element found");
    bad(s, MB_E_FORMAT, GRAPH "\n<node id='a'></edge>" TAIL, "net.graphml:4: not XML: mismatched");
    bad(s, MB_E_FORMAT, "i,j\n1,2\n", "net.graphml:1: not XML");
    bad(s, MB_E_FORMAT, "", "net.graphml:1: not XML: no element found");
    bad(s, MB_E_FORMAT, "<html/>", "net.graphml:1: the file holds <html>; expected <graphml>");
    bad(s, MB_E_FORMAT, "<graphml/>", "net.graphml: no <graph> in the file");
    bad(s, MB_E_FORMAT, GRAPH "<node id='&nbsp;'/>" TAIL, "net.graphml:3: not XML: undefined");
    bad(s, MB_E_FORMAT, HEAD KEYS "<graph>\n<node id='a'><data key='d0'>ten</data></node>" TAIL,
        "net.graphml:3: position \"ten\" is not a finite number");
    bad(s, MB_E_FORMAT, HEAD KEYS "<graph><node id='a'><data key='d0'><b/></data></node>" TAIL,
        "net.graphml:2: a position with elements");
}

TEST(what_is_more_than_a_network_is_refused)
{
    scratch *s = *state;

    if (without_expat(s))
        return;
    bad(s, MB_E_NOSUP, GRAPH "</graph><graph>" TAIL, "net.graphml:3: a second <graph>");
    bad(s, MB_E_NOSUP, GRAPH "<node id='a'><graph/></node>" TAIL, "net.graphml:3: a second");
    bad(s, MB_E_NOSUP, GRAPH "<hyperedge/>" TAIL, "net.graphml:3: <hyperedge>");
    bad(s, MB_E_NOSUP,
        "<!DOCTYPE g [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>\n" GRAPH "<node id='&b;'/>" TAIL,
        "net.graphml:1: <!DOCTYPE>");
    bad(s, MB_E_NOSUP, "<!DOCTYPE graphml SYSTEM 'file:///etc/passwd'>" GRAPH TAIL, "<!DOCTYPE>");
}

/* `count` copies of a text between two others. */
static char *repeated(const char *before, const char *text, size_t count, const char *behind)
{
    const size_t n = strlen(text), head = strlen(before);
    char        *out = malloc(head + n * count + strlen(behind) + 1);

    assert_non_null(out);
    memcpy(out, before, head);
    for (size_t k = 0; k < count; k++)
        memcpy(out + head + k * n, text, n);
    strcpy(out + head + n * count, behind);
    return out;
}

TEST(depth_and_length_have_limits)
{
    scratch *s = *state;
    char    *deep, *wide, *number;

    if (without_expat(s))
        return;
    deep = repeated(GRAPH, "<q>", 63, TAIL);
    wide = repeated(GRAPH "<node id='", "0123456789", 300000, "'/>" TAIL);
    number =
        repeated(HEAD KEYS "<graph><node id='a'><data key='d0'>", "1", 64, "</data></node>" TAIL);
    bad(s, MB_E_NOSUP, deep, "net.graphml:3: elements nested deeper than 64");
    bad(s, MB_E_NOSUP, wide, "net.graphml:3: one tag or comment of more than 1048576 bytes");
    bad(s, MB_E_FORMAT, number, "more than 63 characters");
    free(deep);
    free(wide);
    free(number);
}

TEST(delivery_is_the_edge_data_prob_or_loss)
{
    mb_edges e;

    if (without_expat(*state))
        return;
    e = good(*state, HEAD "<key id='x' for='all' attr.name='x'/>"
                          "<key id='l' for='edge' attr.name='loss'><default>0.5</default></key>"
                          "<key id='w' for='edge' attr.name='weight'/><graph>" AB
                          "<edge source='a' target='b'><data key='w'>2</data><data key='l'> .25 "
                          "</data></edge><edge source='b' target='a'/>" TAIL);
    assert_null(e.given[0]);
    assert_string_equal(e.given[1][0], ".25");
    assert_string_equal(e.given[1][1], "0.5");
    assert_string_equal(e.unused, "weight");
    e = good(*state, HEAD "<key id='p' for='all' attr.name='prob'/><graph>" AB
                          "<edge source='a' target='b'/>" TAIL);
    assert_null(e.given[0][0]);
    assert_null(e.unused);
    bad(*state, MB_E_FORMAT,
        HEAD "<key id='p' attr.name='prob'/><graph>" AB
             "<edge source='a' target='b'>\n<data key='p'><b/></data></edge>" TAIL,
        "net.graphml:3: a probability with elements");
}

RUN_EACH_TEST(scratch_begin, scratch_end)
