/* Floods: everyone ends with the best vector, in as many rounds as the network is wide. */
#include "arena.h"
#include "net.h"
#include "start/flood.h"
#include "test.h"

/* Node i holds (i == winner ? 9 : i mod 3, i): returns rounds taken. */
static int64_t flood_from(const char *topology, int32_t winner, mb_traffic *sent)
{
    net     *n = net_make(arena, topology);
    mb_flood f;
    mb_err   err;
    must(mb_flood_new_(arena, &n->tp, 2, &f, &err));
    for (int32_t i = 0; i < n->part.n_local; i++) {
        f.own[2 * i] = i == winner ? 9 : i % 3;
        f.own[2 * i + 1] = i;
    }
    must(mb_flood_run_(&f, mb_merge_lex_, 2, sent, &err));
    for (int32_t i = 0; i < n->part.n_local; i++) {
        assert_true(f.own[2 * i] == 9);
        assert_true(f.own[2 * i + 1] == winner);
    }
    return f.t;
}

TEST(everyone_ends_with_the_best_one_round_after_the_farthest_arrived)
{
    mb_traffic sent = {0, 0};
    assert_int_equal(flood_from("path:n=7", 0, &sent), 7);            /* 6 hops */
    assert_int_equal(flood_from("path:n=7", 3, &sent), 4);            /* 3 hops */
    assert_int_equal(flood_from("ring:n=8", 5, &sent), 5);            /* 4 hops */
    assert_int_equal(flood_from("star:n=6", 4, &sent), 3);            /* 2 hops */
    assert_int_equal(flood_from("grid:rows=3,cols=5", 14, &sent), 7); /* 6 hops */
    assert_int_equal(flood_from("complete:n=1", 0, &sent), 1);
}

TEST(only_nodes_with_news_send_and_bytes_count_every_link)
{
    mb_traffic sent = {0, 0};
    flood_from("path:n=3", 0, &sent);
    /* Round 1: all (4 links). Round 2: node 1 heard 9, node 2 heard nothing better than (2, 2)...
     * so node 1 alone (2 links). Round 3: node 2 (1 link). */
    assert_int_equal(sent.frames, 3 + 1 + 1);
    assert_int_equal(sent.bytes, (4 + 2 + 1) * (48 + 2 * 8));
}

TEST(each_entry_has_its_own_maximum)
{
    net       *n = net_make(arena, "ring:n=9");
    mb_flood   f;
    mb_err     err;
    mb_traffic sent = {0, 0};
    must(mb_flood_new_(arena, &n->tp, 3, &f, &err));
    for (int32_t i = 0; i < 9; i++) {
        f.own[3 * i] = i;
        f.own[3 * i + 1] = -i;
        f.own[3 * i + 2] = i == 4 ? 1e300 : -1e300;
    }
    must(mb_flood_run_(&f, mb_merge_max_, 3, &sent, &err));
    for (int32_t i = 0; i < 9; i++) {
        assert_true(f.own[3 * i] == 8);
        assert_true(f.own[3 * i + 1] == 0);
        assert_true(f.own[3 * i + 2] == 1e300);
    }
}

TEST(zeros_of_either_sign_end_as_the_same_bits)
{
    net         *n = net_make(arena, "path:n=2");
    mb_flood     f;
    mb_err       err;
    mb_traffic   sent = {0, 0};
    const double zero = 0;
    must(mb_flood_new_(arena, &n->tp, 1, &f, &err));
    f.own[0] = -0.0;
    f.own[1] = 0.0;
    must(mb_flood_run_(&f, mb_merge_max_, 1, &sent, &err));
    assert_memory_equal(&f.own[0], &zero, sizeof zero);
    assert_memory_equal(&f.own[1], &zero, sizeof zero);
}

TEST(lexicographic_order_is_decided_by_the_first_difference)
{
    double       mine[3] = {1, 5, 2};
    const double later[3] = {1, 5, 3}, lower[3] = {1, 4, 9}, infinite[3] = {-HUGE_VAL, 9, 9};
    assert_int_equal(mb_merge_lex_(mine, lower, 3), 0);
    assert_int_equal(mb_merge_lex_(mine, infinite, 3), 0);
    assert_int_equal(mb_merge_lex_(mine, later, 3), 1);
    assert_memory_equal(mine, later, sizeof mine);
    assert_int_equal(mb_merge_lex_(mine, later, 3), 0);
}

TEST(a_network_in_two_pieces_does_not_agree)
{
    const int32_t edges[] = {0, 1, 2, 3};
    net          *n = net_from_edges(arena, 4, 2, edges);
    mb_flood      f;
    mb_err        err;
    mb_traffic    sent = {0, 0};
    must(mb_flood_new_(arena, &n->tp, 1, &f, &err));
    for (int32_t i = 0; i < 4; i++)
        f.own[i] = i;
    assert_int_equal(mb_flood_run_(&f, mb_merge_max_, 1, &sent, &err), MB_E_PEER);
}

TEST(a_lossy_transport_is_refused)
{
    net     *n = net_make(arena, "path:n=2");
    mb_flood f;
    mb_err   err;
    n->tp.lossy = 1;
    assert_int_equal(mb_flood_new_(arena, &n->tp, 1, &f, &err), MB_E_NOSUP);
}

RUN_TESTS(arena_up, arena_down)
