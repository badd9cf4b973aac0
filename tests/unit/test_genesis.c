/* The genesis of a case and of a sample: what it holds, what its model is, how two compare. */
#include "genesis_world.h"
#include "mesh/genesis.h"
#include "model/kind.h"
#include "network/network.h"
#include "start/start.h"
#include "test.h"

static mb_case of_rows(const world *w, const mb_rows *rows, mb_local_part *place)
{
    const mb_table table = {.rows = *rows, .column = world_column, .last_is_target = 1};
    mb_case        c;

    OK(mb_place_one(arena, place, &err));
    OK(mb_case_make(arena, place, &table, w->plan.kind, w->plan.kind_opt, NULL, &c, &err));
    return c;
}

/* Units, natural and textbook prior, and what the model computes of it, to the bit. */
static void assert_is_of(const mb_genesis *g, const mb_case *c)
{
    const size_t bytes = c->model.layout.len * sizeof(double), d = (size_t)c->run.d;
    mb_model     m;

    assert_int_equal(g->columns, c->run.d);
    assert_memory_equal(g->run.origin, c->run.origin, d * sizeof(double));
    assert_memory_equal(g->run.scale, c->run.scale, d * sizeof(double));
    assert_true(g->run.log_jacobian == c->run.log_jacobian);
    assert_int_equal(g->len, c->model.layout.len);
    assert_memory_equal(g->prior, c->model.prior, bytes);
    assert_memory_equal(g->prior_par, c->prior_par, bytes);
    OK(mb_genesis_model(arena, g, &m, &err));
    assert_memory_equal(m.prior, c->model.prior, bytes);
    assert_memory_equal(m.eps, c->model.eps, (size_t)m.layout.nblock * sizeof(double));
    assert_true(m.A_prior == c->model.A_prior);
    assert_int_equal(m.layout.hash, c->model.layout.hash);
    assert_int_equal(m.K, c->model.K);
    assert_int_equal(m.scratch, c->model.scratch);
}

TEST(a_case_and_its_block_are_the_same_model)
{
    const mb_rows rows = world_rows(50, 4);
    double        centre[3 * 4];
    mb_local_part place;
    mb_genesis    g;
    mb_case       c;
    world         w;

    for (int l = 0; l < 12; l++)
        centre[l] = 990 + 2 * l;
    gmm_world(&w, 3, 4);
    c = of_rows(&w, &rows, &place);
    OK(mb_genesis_of_case(arena, &c, centre, &g, &err));
    assert_is_of(&g, &c);
    assert_int_equal(g.start_len, 12);
    assert_memory_equal(g.start, centre, sizeof centre);
    for (int32_t intercept = 0; intercept < 2; intercept++) {
        linreg_world(&w, intercept, 4);
        c = of_rows(&w, &rows, &place);
        OK(mb_genesis_of_case(arena, &c, NULL, &g, &err));
        assert_is_of(&g, &c);
        assert_int_equal(g.start_len, 0);
    }
}

/* As if the sample were all rows. */
TEST(a_sample_gives_the_block_of_its_case)
{
    const mb_rows rows = world_rows(64, 4);
    mb_local_part place;
    mb_genesis    g;
    mb_case       c;
    world         w;

    for (int32_t which = 0; which < 3; which++) {
        if (which)
            linreg_world(&w, which - 1, 4);
        else
            gmm_world(&w, 3, 4);
        c = of_rows(&w, &rows, &place);
        OK(mb_genesis_of_sample(arena, arena, &w.plan, &rows, &g, &err));
        assert_is_of(&g, &c);
    }
}

TEST(the_start_block_is_the_kinds_own)
{
    const mb_rows rows = world_rows(64, 3);
    double        want[5 * 3];
    mb_genesis    g;
    world         w;

    gmm_world(&w, 5, 3);
    OK(mb_genesis_of_sample(arena, arena, &w.plan, &rows, &g, &err));
    OK(mb_centres_from(arena, arena, &g.size, &g.run, &rows, 5, want, &err));
    assert_memory_equal(g.start, want, sizeof want);
}

/* Every fifth cell is missing, but none of the first row. */
static mb_rows with_gaps(const mb_rows *rows)
{
    const int64_t n = rows->n * rows->d;
    double       *x = doubles((size_t)n);
    mb_rows       out = *rows;

    for (int64_t e = 0; e < n; e++)
        x[e] = e >= rows->d && e % 5 == 0 ? (double)NAN : rows->x[e];
    out.x = x;
    out.gaps = 1;
    return out;
}

/* The block of a sample, and of one with gaps where the kind can do with them, in these bytes. */
static void make_in(void *memory, size_t bytes, const world *w, const mb_rows *rows, mb_genesis *g)
{
    for (int gaps = w->plan.kind->gaps; gaps >= 0; gaps--) {
        const mb_rows some = gaps ? with_gaps(rows) : *rows;
        mb_arena     *fixed = mb_arena_fixed(memory, bytes);

        assert_non_null(fixed);
        OK(mb_genesis_of_sample(fixed, fixed, &w->plan, &some, g, &err));
    }
}

/* What is made in a fixed arena is made without malloc. */
TEST(a_sample_and_a_block_need_the_memory_that_was_named)
{
    static const int32_t ks[] = {0, 1, 3, 30}, columns[] = {1, 2, 5, WORLD_D};
    mb_model             model;
    mb_genesis           g, back;
    mb_arena            *fixed;
    world                w;
    size_t               n, before, bytes;

    for (int32_t i = 0; i < 16 * MB_COVARIANCES; i++) {
        const int32_t c = i % 16;
        const mb_rows rows = world_rows(MB_GENESIS_ROWS, columns[c % 4]);
        void         *memory;

        if (ks[c / 4])
            gmm_world(&w, ks[c / 4], columns[c % 4]);
        else
            linreg_world(&w, 1, columns[c % 4]);
        w.gmm.covariance_type = i / 16;
        bytes = mb_genesis_scratch(&w.plan);
        memory = mb_alloc(arena, bytes, 1);
        make_in(memory, bytes, &w, &rows, &g);

        unsigned char *block = encoded(&g, &w, &n);

        OK(mb_genesis_decode(mb_arena_fixed(memory, bytes), block, n, &back, &err));
        before = mb_arena_used(arena);
        OK(mb_kind_model(arena, w.plan.kind, &g.size, &model, &err));
        bytes = 2 * (mb_arena_used(arena) - before) + 2 * n +
                8 * (g.len + 2 * model.layout.scratch) + 1600 + 200;
        fixed = mb_arena_fixed(mb_alloc(arena, bytes, 1), bytes);
        OK(mb_genesis_decode(fixed, block, n, &back, &err));
        OK(mb_genesis_model(fixed, &back, &model, &err));
    }
}

TEST(differences_are_described)
{
    mb_genesis g, h;
    world      w;
    double     start[6];

    gmm_world(&w, 3, 2);
    g = of_sample(&w, 64);
    h = g;
    OK(mb_genesis_same(&g, &h, &err));
    h.maker = 4;
    assert_int_equal(mb_genesis_same(&g, &h, &err), MB_E_ARG);
    assert_string_equal(err.msg, "the maker of the block is 0 here and 4 there");
    memcpy(start, g.start, sizeof start);
    start[4] = 7;
    h.start = start;
    assert_int_equal(mb_genesis_same(&g, &h, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "the start block differs: number 4 is "));
    assert_non_null(strstr(err.msg, "and 7 there"));
    gmm_world(&w, 4, 2);
    h = of_sample(&w, 64);
    assert_int_equal(mb_genesis_same(&g, &h, &err), MB_E_ARG);
    assert_string_equal(err.msg, "K is 3 here and 4 there");
    linreg_world(&w, 1, 2);
    h = of_sample(&w, 64);
    assert_int_equal(mb_genesis_same(&g, &h, &err), MB_E_ARG);
    assert_string_equal(err.msg, "the model is gmm here and linreg there");
}

/* A plan is a block without numbers. */
TEST(a_plan_is_compared_by_what_it_says)
{
    static const char *const other[] = {"x1", "z"};
    mb_genesis               g, plan;
    world                    w;

    gmm_world(&w, 3, 2);
    g = of_sample(&w, 64);
    plan = (mb_genesis){.kind = g.kind, .size = g.size, .columns = 2, .column = world_column};
    OK(mb_genesis_same(&plan, &g, &err));
    plan.column = other;
    assert_int_equal(mb_genesis_same(&plan, &g, &err), MB_E_ARG);
    assert_string_equal(err.msg, "column 2 is \"z\" here and \"a long name\" there");
}

TEST(the_lower_block_wins)
{
    const mb_genesis a = {.maker = 2, .counter = 9, .hash = 9};
    const mb_genesis b = {.maker = 3, .counter = 1, .hash = 1};
    const mb_genesis c = {.maker = 3, .counter = 1, .hash = 2};
    const mb_genesis d = {.maker = 3, .counter = 2, .hash = 0};

    assert_true(mb_genesis_wins(&a, &b) && !mb_genesis_wins(&b, &a));
    assert_true(mb_genesis_wins(&b, &c) && !mb_genesis_wins(&c, &b));
    assert_true(mb_genesis_wins(&c, &d) && !mb_genesis_wins(&d, &c));
    assert_false(mb_genesis_wins(&b, &b));
}

TEST(what_cannot_have_a_block_is_refused)
{
    const mb_rows     rows = world_rows(50, 2);
    const mb_table    table = {.rows = rows, .column = world_column};
    const mb_case_opt raw = {.raw = 1};
    mb_genesis        g;
    mb_local_part     place;
    mb_case           c;
    world             w;

    gmm_world(&w, 3, 2);
    OK(mb_place_one(arena, &place, &err));
    OK(mb_case_make(arena, &place, &table, &mb_kind_gmm, &w.gmm, &raw, &c, &err));
    assert_int_equal(mb_genesis_of_case(arena, &c, rows.x, &g, &err), MB_E_NOSUP);
    assert_non_null(strstr(err.msg, "--standardize"));
    c = of_rows(&w, &rows, &place);
    assert_int_equal(mb_genesis_of_case(arena, &c, NULL, &g, &err), MB_E_ARG);
    gmm_world(&w, 3, 3);
    assert_int_equal(mb_genesis_of_sample(arena, arena, &w.plan, &rows, &g, &err), MB_E_SHAPE);
}

RUN_TESTS(arena_up, arena_down)
