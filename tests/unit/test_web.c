/* The functions under the page of script/wasm, native: what the page shows is what the library says. */
#include "scratch.h"
#include "test.h"
#include "wasm/web.h"

#include <math.h>
#include <string.h>

enum { NODES = 5, EACH = 24, ROWS = NODES * EACH, FIELDS = 6, K = 2, STEPS = 600 };
static const double TEN_DIGITS = 5e-11; /* relative */

static int algorithm(const char *name)
{
    int k = 0;

    while (strcmp(web_algorithm(k), name) != 0)
        k++;
    return k;
}

/* Two groups of rows, of which each node has most of one, on a ring. */
static web *ring(const char *name, double loss)
{
    web     *w = web_new();
    double  *x = web_rows(w, ROWS);
    int32_t *ends = web_ends(w, NODES);

    assert_true(w && x && ends);
    for (int j = 0; j < ROWS; j++) {
        const int side = j % 8 ? j / EACH % 2 : 1 - j / EACH % 2;

        x[2 * j] = 6 * side + sin(7.0 * j);
        x[2 * j + 1] = 3 * side + cos(11.0 * j) + 0.3 * sin(7.0 * j);
        web_owner(w)[j] = j / EACH;
    }
    for (int i = 0; i < NODES; i++) {
        ends[2 * i] = i;
        ends[2 * i + 1] = (i + 1) % NODES;
    }
    if (web_begin(w, NODES, K, algorithm(name), 3, loss) < 0)
        fail_msg("%s", web_error(w));
    return w;
}

/* Until the verdict is another than "moving"; how many steps of 100 ms that takes. */
static int settle(web *w)
{
    int k = 0;

    do {
        if (web_advance(w, 100) < 0 || web_look(w, 0, 1) < 0)
            fail_msg("%s", web_error(w));
    } while (!strcmp(web_verdict(w), "moving") && ++k < STEPS);
    return k;
}

static void same_as_one_machine(const web *w)
{
    const double here = web_number(w, WEB_BOUND), one = web_number(w, WEB_BOUND_ONE);

    assert_string_equal(web_verdict(w), "settled");
    assert_true(fabs(here - one) <= TEN_DIGITS * fabs(one));
    assert_true(web_number(w, WEB_DISTANCE) < 1e-6);
}

TEST(nodes_settle_on_the_answer_of_one_machine)
{
    static const char *const name[] = {"edge", "sum", "flow", "tree"};

    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        web *w = ring(name[k], strcmp(name[k], "tree") ? 0.1 : 0);

        assert_true(settle(w) > 0);
        same_as_one_machine(w);
        assert_true(web_number(w, WEB_BYTES) > 0);
        assert_true((web_number(w, WEB_LOST) > 0) == (strcmp(name[k], "tree") != 0));
        assert_true(web_number(w, WEB_MOVE) == 2 * 8 * EACH * (1 + 1 + 2 + 2)); /* hops of a ring */
        web_free(w);
    }
}

TEST(ellipses_are_moments_of_the_posterior)
{
    web          *w = ring("edge", 0);
    const double *node, *one;

    settle(w);
    node = web_ellipse(w);
    one = web_answer(w);
    for (int f = 0; f < NODES * K * FIELDS; f++)
        assert_true(fabs(node[f] - one[f % (K * FIELDS)]) < 1e-6);
    assert_true(fabs(node[0] + node[FIELDS] - 1) < 1e-12);
    assert_true(fabs(fabs(node[1] - node[FIELDS + 1]) - 6) < 0.5);
    assert_true(node[3] * node[5] > node[4] * node[4]);
    assert_int_equal(web_look(w, 1, 1), 0); /* one column twice: its variance thrice */
    assert_true(node[3] == node[4] && node[4] == node[5]);
    assert_int_equal(web_look(w, 0, 2), -2);
    web_free(w);
}

TEST(a_dead_node_makes_the_others_move_and_settle)
{
    web   *w = ring("edge", 0);
    double before;

    settle(w);
    before = web_number(w, WEB_BOUND);
    assert_int_equal(web_event(w, "kill", 2, 0), 0);
    assert_int_equal(web_look(w, 0, 1), 0);
    assert_string_equal(web_verdict(w), "moving");
    assert_string_equal(web_state(w, 2), "dead");
    assert_true(isnan(web_distance(w)[2]) && web_distance(w)[3] > 1e-3);
    assert_int_equal(web_event(w, "kill", 2, 0), -7);
    assert_non_null(strstr(web_error(w), "dead"));
    settle(w);
    same_as_one_machine(w);
    assert_true(web_number(w, WEB_ROWS_HERE) == ROWS - EACH && web_number(w, WEB_LIVE) == 4);
    assert_int_equal(web_event(w, "start", 2, 0), 0);
    settle(w);
    same_as_one_machine(w);
    assert_true(fabs(web_number(w, WEB_BOUND) - before) <= TEN_DIGITS * fabs(before));
    web_free(w);
}

TEST(parts_have_answers_of_their_own)
{
    web *w = ring("edge", 0);

    settle(w);
    assert_int_equal(web_event(w, "cut", 0, 1), 0);
    assert_int_equal(web_event(w, "cut", 2, 3), 0);
    settle(w);
    same_as_one_machine(w);
    assert_true(web_number(w, WEB_PARTS) == 2 && web_number(w, WEB_ROWS_HERE) == 3 * EACH);
    assert_int_equal(web_part(w)[1], web_part(w)[2]);
    assert_int_not_equal(web_part(w)[1], web_part(w)[3]);
    assert_true(web_cut(w)[0] && !web_cut(w)[1] && web_cut(w)[2]);
    assert_int_equal(web_event(w, "heal", 0, 1), 0);
    settle(w);
    same_as_one_machine(w);
    assert_true(web_number(w, WEB_PARTS) == 1);
    web_free(w);
}

TEST(what_an_algorithm_does_not_bear_is_refused_by_name)
{
    web *w = ring("dsvb", 0);

    assert_non_null(strstr(web_algorithm_why(w, algorithm("dsvb")), "dsvb does not bear loss"));
    assert_string_equal(web_algorithm_why(w, algorithm("edge")), "");
    assert_true(web_event(w, "kill", 0, 0) < 0 && strstr(web_error(w), "come and go"));
    assert_true(web_lose(w, 0.5) < 0);
    assert_true(web_begin(w, NODES, K, algorithm("incremental"), 1, 0) == 0);
    web_ends(w, 2)[0] = 0; /* not connected: refused, and nothing runs */
    assert_true(web_begin(w, NODES, K, 0, 1, 0) < 0);
    assert_true(web_advance(w, 20) < 0);
    web_free(w);
}

TEST(files_are_read_as_by_the_program)
{
    scratch    *s = *state;
    const char *file = scratch_text(s, "rows.csv", "site,a,b\nB,1,2\nA,3,4\nB,5,6\n");
    web        *w = web_new();

    assert_int_equal(web_read(w, file, "b,c", "site", 0, MB_HEADER_AUTO, MB_MISSING_ERROR), -2);
    assert_non_null(strstr(web_error(w), "\"c\""));
    assert_int_equal(web_read(w, file, "", "site", 0, MB_HEADER_AUTO, MB_MISSING_ERROR), 0);
    assert_int_equal(web_row_count(w), 3);
    assert_int_equal(web_named(w), 2);
    assert_string_equal(web_node(w, 0), "A");
    assert_string_equal(web_column(w, 1), "b");
    assert_true(web_cells(w)[0] == 3 && web_owner(w)[0] == 0 && web_owner(w)[2] == 1);
    web_free(w);
}

RUN_TESTS(scratch_begin, scratch_end)
