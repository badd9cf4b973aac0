/* The window by age of a mesh node: which rows leave when its clock runs, jumps and starts again. */
#include "mesh_fit.h"
#include "test.h"

enum { WINDOW = 10000, TICK = 20 };
static const int64_t DAY = 86400000, YEAR = INT64_C(31536000000), ZERO = INT64_C(1700000000000);

static mb_peer *life(const world *w, uint32_t incarnation)
{
    const mb_peer_opt o = {.id = 0,
                           .incarnation = incarnation,
                           .plan = &w->plan,
                           .neighbours = 1,
                           .rows = 9,
                           .window_ms = WINDOW};
    mb_peer          *p;

    OK(mb_peer_new(arena, &o, &p, &err));
    OK(mb_peer_genesis(p, &w->g, &err));
    return p;
}

static mb_peer *first_life(world *w)
{
    fit_case(w, "ring:n=6");
    return life(w, 1);
}

static void append(mb_peer *p, int64_t now, int64_t n)
{
    static const double x[6] = {1, 2, 3, 4, 5, 6};
    const mb_rows       rows = {.x = x, .n = n, .d = 2, .ld = 2};

    OK(mb_peer_append(p, now, &rows, NULL, &err));
}

/* Rows that are there after a tick. */
static int64_t rows_at(mb_peer *p, int64_t now)
{
    mb_peer_status is;

    OK(mb_peer_tick(p, now, &err));
    mb_peer_look(p, now, &is);
    return is.rows;
}

/* A life with two rows of ZERO, whose clock was read again at `seen`. */
static mb_peer *with_two_rows(world *w, int64_t seen)
{
    mb_peer *p = first_life(w);

    append(p, ZERO, 2);
    assert_int_equal(rows_at(p, seen), 2);
    return p;
}

TEST(rows_leave_at_their_age)
{
    world    w;
    mb_peer *p = with_two_rows(&w, ZERO + TICK);

    append(p, ZERO + 4000, 1);
    assert_int_equal(rows_at(p, ZERO + WINDOW - 1), 3);
    assert_int_equal(rows_at(p, ZERO + WINDOW), 1);
    assert_int_equal(rows_at(p, ZERO + 4000 + WINDOW), 0);
}

/* Back, or on by more than a day, nothing passes; rows that come before the next tick count from
 * the new reading; a jump within a day is time like any other. */
TEST(jumps_of_the_clock_age_no_row)
{
    const int64_t jump[] = {-YEAR, -1000, DAY + 1000, YEAR};
    world         w;

    for (size_t k = 0; k < sizeof jump / sizeof *jump; k++) {
        mb_peer      *p = with_two_rows(&w, ZERO + 5000);
        const int64_t at = ZERO + 5000 + jump[k];

        append(p, at, 1);
        assert_int_equal(rows_at(p, at + TICK), 3);
        assert_int_equal(rows_at(p, at + 4999), 3);
        assert_int_equal(rows_at(p, at + 5000), 1);
        assert_int_equal(rows_at(p, at + WINDOW - 1), 1);
        assert_int_equal(rows_at(p, at + WINDOW), 0);
    }
}

TEST(an_hour_forward_is_an_hour)
{
    world    w;
    mb_peer *p = with_two_rows(&w, ZERO + TICK);

    append(p, ZERO + 3600000, 1);
    assert_int_equal(rows_at(p, ZERO + 3600000), 1);
}

/* A node that was down: its rows have become older if the clock says so, and those that come before
 * the first tick count from their arrival. */
TEST(rows_age_while_the_node_is_down)
{
    const int64_t again[] = {4000, 60000, -YEAR};
    const int64_t left[] = {3, 1, 3};
    world         w;

    for (size_t k = 0; k < sizeof again / sizeof *again; k++) {
        mb_peer      *p = with_two_rows(&w, ZERO + TICK);
        size_t        n;
        const void   *before = mesh_saved(p, &n);
        const int64_t at = ZERO + again[k];

        p = life(&w, 2);
        OK(mb_peer_load(p, before, n, &err));
        append(p, at, 1);
        assert_int_equal(rows_at(p, at + TICK), left[k]);
        assert_int_equal(rows_at(p, at + WINDOW - 1), 1);
        assert_int_equal(rows_at(p, at + WINDOW), 0);
    }
}

TEST(rows_that_are_refused_leave_the_clock_alone)
{
    const double  x[4] = {1, 2, 3, NAN};
    const mb_rows rows = {.x = x, .n = 2, .d = 2, .ld = 2};
    world         w;
    mb_peer      *p = with_two_rows(&w, ZERO + TICK);
    size_t        n;
    const void   *was = mesh_saved(p, &n);

    assert_int_equal(mb_peer_append(p, ZERO - YEAR, &rows, NULL, &err), MB_E_NUMERIC);
    assert_int_equal(mb_peer_replace(p, ZERO - YEAR, 0, x + 2, 1, &err), MB_E_NUMERIC);
    assert_memory_equal(mesh_saved(p, &n), was, n);
}

/* So that a reading of the clock and the time to the next tick add up to a number of 64 bits. */
TEST(times_between_ticks_are_bounded)
{
    const int64_t most = INT64_C(1) << 40;
    world         w;
    mb_peer_opt   o = {.incarnation = 1, .tick_ms = most, .rest_ms = most};
    mb_peer      *p;

    fit_case(&w, "ring:n=6");
    o.plan = &w.plan;
    OK(mb_peer_new(arena, &o, &p, &err));
    OK(mb_peer_tick(p, INT64_MAX, &err));
    assert_true(mb_peer_due(p) == (INT64_C(1) << 60) + most);
    o.rest_ms++;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_ARG);
    assert_string_equal(err.msg, "tick_ms, rest_ms: got 1099511627776, 1099511627777; "
                                 "expected 1 to 2^40, and no less");
}

RUN_TESTS(arena_up, arena_down)
