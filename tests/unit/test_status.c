/* Status objects of nodes, which may be anyone's text. */
#include "base/status.h"

#include "arena.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { BROKEN = 5000 };

/* The status of a node that names this number of broken members. */
static const char *status(int32_t broken)
{
    const size_t room = 200 + 20 * (size_t)broken;
    char        *text = mb_alloc(arena, room, 1);
    int          n = snprintf(text, room,
                              "{\"node\": \"a\", \"verdict\": \"moving\", \"neighbours\": [], "
                                       "\"audit\": {\"state\": \"on\", \"broken\": [");

    for (int32_t k = 0; k < broken; k++)
        n += snprintf(text + n, room - (size_t)n, "%s{\"id\": %d}", k ? "," : "", (int)k);
    snprintf(text + n, room - (size_t)n, "]}}");
    return text;
}

TEST(a_list_of_broken_members_is_as_long_as_a_network_can_be)
{
    const char *text = status(BROKEN);
    const ask   q = {.where = "unix:a", .code = 200, .body = text, .n = strlen(text)};
    node_audits all = {.n = 0};
    node_status is;
    mb_err      err;

    assert_int_equal(node_status_of(arena, &q, &is, &err), MB_OK);
    assert_true(is.answered);
    assert_int_equal(is.broken_n, 4096);
    for (int i = 0; i < 2; i++)
        assert_int_equal(node_audits_add(arena, &all, &is, &err), MB_OK);
    assert_int_equal(all.broken_n, 4096);
    for (int32_t k = 0; k < all.broken_n; k++) {
        assert_int_equal(all.broken[k].id, k);
        assert_int_equal(all.broken[k].by, 2);
    }
}

RUN_TESTS(arena_up, arena_down)
