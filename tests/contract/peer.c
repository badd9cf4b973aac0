/* peer.c - what a mesh promises for every kind of model: nodes that draw their own genesis, know
 * neither N nor H and lose a fifth of their frames settle at a fixed point of central VB. */
#include "fits.h"
#include "kinds.h"
#include "mesh.h"
#include "model/kind.h"
#include "test.h"

enum { COLUMNS = 3, EACH = 20 };

static const char *const names[COLUMNS] = {"a", "b", "c"};

/* Rows in two groups, whose last column follows the others. */
static void draw(mb_rng *r, double *x)
{
    for (int j = 0; j < EACH; j++, x += COLUMNS) {
        x[0] = mb_rng_normal(r) + 6 * (j % 2);
        x[1] = 5 + 2 * mb_rng_normal(r) - 4 * (j % 2);
        x[2] = 1 + 2 * x[0] - x[1] + 0.3 * mb_rng_normal(r);
    }
}

typedef struct world {
    mb_network net;
    mb_rows    rows[NODES];
    mb_case    c; /* only what mesh_plan and mesh_up read */
    mesh       m;
} world;

static void up(world *w, const mb_kind *kind, void *opt, mb_genesis_from from)
{
    static mb_plan plan;
    mb_rng         r = gen_rng(11);
    mb_sizes       size;
    mb_model       m;

    *w = (world){.net = network("ring:n=5")};
    mb_kind_sizes(kind, opt, COLUMNS, NULL, &size);
    OK(mb_kind_model(arena, kind, &size, &m, &err));
    for (int32_t i = 0; i < NODES; i++) {
        double *x = doubles(EACH * COLUMNS);
        double *work = doubles(m.layout.len + m.scratch);

        draw(&r, x);
        w->rows[i] = (mb_rows){.x = x, .n = EACH, .d = COLUMNS, .ld = COLUMNS};
        kind_suit(kind, &m, &w->rows[i], x, work, work + m.layout.len);
    }
    w->c = (mb_case){.kind = kind, .data = w->rows};
    w->c.table.rows.d = COLUMNS;
    w->c.table.column = names;
    plan = mesh_plan(&w->c, opt, from);
    mesh_up(&w->m, &w->net, &w->c, &plan, NULL, 0, 0);
    w->m.loss = 0.2;
}

static void settle_all(mb_genesis_from from)
{
    for (const mb_kind *const *kind = mb_kind_list(); *kind; kind++) {
        void *opt = mb_alloc(arena, 1, (*kind)->opt_size);
        world w;

        OK(mb_opt_defaults((*kind)->opts, opt, &err));
        up(&w, *kind, opt, from);
        assert_in_range(mesh_settle(&w.m, mesh_tick_in_turn, 5000), 10, 5000);
        for (int32_t i = 0; i < NODES; i++) {
            const mb_peer_status s = mesh_look(&w.m, i);
            mb_posterior         p;

            assert_int_equal(s.run, mesh_look(&w.m, 0).run);
            assert_true(fabs(s.n_nodes - NODES) < 1e-6);
            assert_true(isfinite(s.bound));
            assert_true(mesh_step_changes(&w.m, w.rows, i, NULL) < 1e-6);
            OK(mb_peer_posterior(arena, w.m.peer[i], &p, &err));
            assert_ptr_equal(p.kind, *kind);
        }
    }
}

TEST(every_kind_settles_at_a_fixed_point_of_central_vb)
{
    settle_all(MB_GENESIS_SAMPLE);
}

TEST(every_kind_does_so_from_sums)
{
    settle_all(MB_GENESIS_SUMS);
}

RUN_TESTS(arena_up, arena_down)
