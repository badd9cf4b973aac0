/* Which networks are rings, and in which order a token goes round them. */
#include "arena.h"
#include "net.h"
#include "test.h"

/* Places are a numbering 0..n-1 in which neighbours follow one another. */
TEST(a_ring_numbers_its_nodes_in_passing_order)
{
    static const int32_t edges[] = {3, 0, 0, 4, 4, 1, 1, 2, 2, 3};
    static const int32_t want[] = {0, 3, 2, 1,
                                   4}; /* from 0 to its lower neighbour 3, then 2, 1, 4 */
    const net           *n = net_from_edges(arena, 5, 5, edges);
    int32_t              turn[5];

    assert_int_equal(mb_graph_ring(&n->topology.g, turn), -1);
    assert_memory_equal(turn, want, sizeof want);
    assert_memory_equal(n->part.turn, want, sizeof want);
}

TEST(one_node_and_two_with_a_link_are_rings)
{
    const net *one = net_make(arena, "complete:n=1"), *two = net_make(arena, "path:n=2");

    assert_int_equal(one->part.turn[0], 0);
    assert_int_equal(two->part.turn[0], 0);
    assert_int_equal(two->part.turn[1], 1);
}

TEST(other_networks_name_a_node_that_is_in_the_way)
{
    static const int32_t two_rings[] = {0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3};
    static const int32_t chord[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 1, 3};

    assert_int_equal(mb_graph_ring(&net_make(arena, "path:n=4")->topology.g, NULL), 0);
    assert_int_equal(mb_graph_ring(&net_make(arena, "star:n=4")->topology.g, NULL), 0);
    assert_int_equal(mb_graph_ring(&net_from_edges(arena, 5, 6, chord)->topology.g, NULL), 1);
    assert_int_equal(mb_graph_ring(&net_from_edges(arena, 6, 6, two_rings)->topology.g, NULL), 0);
    assert_null(net_make(arena, "star:n=4")->part.turn);
}

TEST(a_share_of_a_ring_keeps_the_places_of_the_whole)
{
    const net    *n = net_make(arena, "ring:n=7");
    const int32_t owner[] = {0, 1, 0, 1, 0, 1, 0};
    mb_part       mine;
    mb_err        err;

    must(mb_part_share(arena, &n->topology.g, &n->weights, owner, 1, &mine, &err));
    assert_int_equal(mine.n_local, 3);
    for (int32_t i = 0; i < 3; i++)
        assert_int_equal(mine.turn[i], n->part.turn[mine.gid[i]]);
}

RUN_TESTS(arena_up, arena_down)
