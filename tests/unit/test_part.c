/* The trivial partition: one process holds the whole network. */
#include "network/graph.h"
#include "test.h"

TEST(the_whole_network_is_local_and_rows_are_its_nodes)
{
    mb_arena   *a = mb_arena_new(1 << 12);
    mb_topology t;
    mb_weights  w;
    mb_part     p;
    mb_err      err;
    assert_non_null(a);
    must(mb_topology_make(a, "star:n=4", 1, &t, &err));
    must(mb_weights_make(a, &t.g, MB_METROPOLIS, &w, &err));
    must(mb_part_whole(a, &t.g, &w, &p, &err));
    assert_int_equal(p.n_local, 4);
    assert_int_equal(p.n_ghost, 0);
    assert_int_equal(p.n_global, 4);
    for (int32_t i = 0; i < 4; i++) {
        assert_int_equal(p.gid[i], i);
        assert_int_equal(p.deg[i], i ? 1 : 3);
    }
    assert_ptr_equal(p.g.adj, t.g.adj);
    assert_ptr_equal(p.g.rev, t.g.rev);
    assert_ptr_equal(p.w.edge, w.edge);
    assert_null(p.tree);
    mb_arena_free(a);
}

RUN_TESTS(NULL, NULL)
