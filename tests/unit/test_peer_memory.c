/* The memory of a mesh node: what is said before it is made, what it takes, and the formula of its
 * state in peer.h. Prints the table of docs/howto/embed.md. */
#include "genesis_world.h"
#include "test.h"

typedef struct size {
    int32_t k, d, neighbours;
    int64_t rows;
} size;

static mb_peer_opt options(const mb_plan *plan, const size *s, mb_wire wire)
{
    return (mb_peer_opt){.id = 1,
                         .incarnation = 1,
                         .plan = plan,
                         .neighbours = s->neighbours,
                         .rows = s->rows,
                         .wire = wire};
}

static mb_plan plan_of(world *w, const size *s, mb_genesis_from from)
{
    gmm_world(w, s->k, s->d);
    w->plan.from = from;
    return w->plan;
}

/* Numbers of a mixture's posterior: K weights; of each component a mean, a triangle and two. */
static double numbers(const size *s)
{
    return s->k + s->k * (s->d + s->d * (s->d + 1) / 2.0 + 2);
}

/* The formula of peer.h. */
static double formula(const mb_peer_opt *o, const size *s)
{
    const double len = numbers(s) + 2, M = s->neighbours, R = (double)s->rows, D = s->d;
    double       bytes = 840 + 104 * len + M * (16 * len + 184) + R * (8 * D + 24) +
                   (double)mb_genesis_bytes(o->plan);

    if (o->plan->from == MB_GENESIS_SAMPLE)
        bytes += 65 * (8 * D + 16);
    if (o->plan->from == MB_GENESIS_SUMS)
        bytes += s->k * (8 * D + 16) + 16 * D;
    if (o->wire != MB_WIRE_FLOAT64)
        bytes += M * 64 * (8 * len + 8);
    if (o->wire == MB_WIRE_CHANGES)
        bytes += 24 * M;
    return bytes;
}

/* Makes the node; saved, and what its arena grew by. */
static size_t made(const mb_peer_opt *o, size_t *grown)
{
    mb_arena *a = mb_arena_new(1 << 16);
    mb_peer  *p;
    size_t    saved;

    assert_non_null(a);
    OK(mb_peer_new(a, o, &p, &err));
    saved = mb_peer_saved(p);
    *grown = mb_arena_used(a);
    mb_arena_free(a);
    return saved;
}

static void check_size(const size *s, mb_genesis_from from, mb_wire wire)
{
    world             w;
    const mb_plan     plan = plan_of(&w, s, from);
    const mb_peer_opt o = options(&plan, s, wire);
    size_t            grown;
    const size_t      saved = made(&o, &grown), stated = mb_peer_bytes(&o);
    const double      about = formula(&o, s);

    if (!(fabs((double)saved - about) <= .05 * (double)saved))
        fail_msg("K %d D %d M %d R %d: saved %zu, formula %.0f", s->k, s->d, s->neighbours,
                 (int)s->rows, saved, about);
    if (stated < grown || (double)stated > 1.02 * (double)grown)
        fail_msg("K %d D %d M %d R %d: took %zu, said %zu", s->k, s->d, s->neighbours, (int)s->rows,
                 grown, stated);
}

TEST(the_formula_and_the_size_stated_before_hold_on_a_grid)
{
    static const int32_t k[] = {1, 3, 12}, d[] = {1, 2, 6, 12}, m[] = {0, 2, 6, 30};
    static const int64_t r[] = {0, 64, 1000};

    for (int i = 0; i < 3 * 4 * 4 * 3; i++) {
        const size s = {k[i % 3], d[i / 3 % 4], m[i / 12 % 4], r[i / 48]};

        check_size(&s, MB_GENESIS_GIVEN, MB_WIRE_FLOAT64);
        check_size(&s, MB_GENESIS_SAMPLE, MB_WIRE_FLOAT64);
        check_size(&s, MB_GENESIS_SUMS, MB_WIRE_FLOAT64);
        check_size(&s, MB_GENESIS_GIVEN, MB_WIRE_FLOAT16);
        check_size(&s, MB_GENESIS_SUMS, MB_WIRE_FLOAT16);
        check_size(&s, MB_GENESIS_SUMS, MB_WIRE_CHANGES);
    }
}

TEST(a_node_of_three_components_keeps_at_most_32_kb)
{
    static const mb_genesis_from from[] = {MB_GENESIS_GIVEN, MB_GENESIS_SAMPLE, MB_GENESIS_SUMS};
    const size                   s = {3, 2, 6, 64};

    for (int k = 0; k < 3; k++) {
        world             w;
        const mb_plan     plan = plan_of(&w, &s, from[k]);
        const mb_peer_opt o = options(&plan, &s, MB_WIRE_FLOAT64);
        size_t            grown;

        assert_in_range(made(&o, &grown), 1, 32 * 1024);
    }
}

/* Twelve columns: the model's scratch is what the numbers of a posterior do not pay for. */
TEST(wide_blocks_fit_into_the_memory_of_a_node)
{
    for (int32_t k = 1; k <= 3; k++)
        for (int32_t d = 1; d <= 12; d++) {
            const size    s = {k, d, 1, 4};
            world         w;
            const mb_plan plan = plan_of(&w, &s, MB_GENESIS_GIVEN);
            mb_peer_opt   o = options(&plan, &s, MB_WIRE_FLOAT64);
            mb_genesis    g = of_sample(&w, 64);
            mb_peer      *p;

            OK(mb_peer_new(arena, &o, &p, &err));
            OK(mb_peer_genesis(p, &g, &err));
            linreg_world(&w, 1, d > 1 ? d : 2);
            w.plan.from = MB_GENESIS_GIVEN;
            o.plan = &w.plan;
            g = of_sample(&w, 64);
            OK(mb_peer_new(arena, &o, &p, &err));
            OK(mb_peer_genesis(p, &g, &err));
        }
}

/* Lines "| K | D | neighbours | rows | state | all |" of the page, KB of 1024 bytes. */
static int lines_of_the_page(const char *path)
{
    FILE  *f = fopen(path, "r");
    char   line[400];
    size   s;
    int    rows, found = 0;
    double kb, all;

    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        world       w;
        mb_plan     plan;
        mb_peer_opt o;
        size_t      grown, saved;

        if (sscanf(line, "| %d | %d | %d | %d | %lf | %lf |", &s.k, &s.d, &s.neighbours, &rows, &kb,
                   &all) != 6)
            continue;
        s.rows = rows;
        plan = plan_of(&w, &s, MB_GENESIS_GIVEN);
        o = options(&plan, &s, MB_WIRE_FLOAT64);
        saved = made(&o, &grown);
        print_message("| %d | %d | %d | %d | %.1f | %.1f |\n", s.k, s.d, s.neighbours, rows,
                      (double)saved / 1024, (double)mb_peer_bytes(&o) / 1024);
        assert_true(fabs(kb * 1024 - (double)saved) <= .05 * (double)saved);
        assert_true(fabs(all * 1024 - (double)grown) <= .05 * (double)grown);
        found++;
    }
    (void)fclose(f);
    return found;
}

TEST(the_table_of_the_page_is_what_nodes_take)
{
    assert_int_equal(lines_of_the_page("docs/howto/embed.md"), 3);
}

RUN_TESTS(arena_up, arena_down)
