/* Centres of many rows are drawn and moved on a sample of them: what it consists of, and what the
 * centres are beside those of all rows. */
#include "base/pool.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "mesh_fit.h"
#include "start/start.h"

enum { D = 2, CLUSTERS = 4, SAMPLE = 1 << 17, TIMES = 3, MANY = TIMES * SAMPLE };

TEST(centres_are_drawn_from_all_rows_or_a_sample)
{
    assert_int_equal(mb_start_rows(0, 2, 1), 0);
    assert_int_equal(mb_start_rows(MANY - 1, 2, 32), MANY - 1);
    assert_int_equal(mb_start_rows(MANY, 2, 32), SAMPLE);
    assert_int_equal(mb_start_rows(MANY, 2, 33), MANY); /* 4096 rows a centre */
    assert_int_equal(mb_start_rows(MANY, 1000, 32), 32768);
    assert_int_equal(mb_start_rows(INT64_C(1) << 40, 8, 1000), 1048576);
    assert_int_equal(mb_start_rows(INT64_C(1) << 40, 20, 1000), 419430); /* 2^23 numbers */
}

static mb_table table_of(const double *x, int64_t n, int32_t d)
{
    return (mb_table){.rows = {.x = x, .n = n, .d = d, .ld = (size_t)d}};
}

static void case_on(world *w, const char *topology, const mb_table *t, int32_t components)
{
    *w = (world){0};
    (void)mixture(&w->gmm);
    w->gmm.n_components = components;
    case_of(w, topology, t, &mb_kind_gmm, &w->gmm);
}

static void sample_of(const world *w, int64_t n, mb_rows *out)
{
    mb_rng rng = mb_rng_at(1, MB_STREAM_SAMPLE, 0, 0);

    OK(mb_sample_(arena, &w->c, &w->c.data[0], n, &rng, out, &err));
}

/* A file may have its rows in turns, of as many machines as a part has rows. */
TEST(rows_in_turns_are_sampled_alike)
{
    static const double part = 1.0 / TIMES, sds = 4;
    double             *x = doubles(MANY), ones = 0;
    const mb_table      t = table_of(x, MANY, 1);
    mb_rows             some;
    world               w;

    for (int32_t j = 0; j < MANY; j++)
        x[j] = j % TIMES == 1;
    case_on(&w, "complete:n=1", &t, 1);
    sample_of(&w, SAMPLE, &some);
    for (int64_t j = 0; j < SAMPLE; j++)
        ones += some.x[j];
    assert_near(ones / SAMPLE, part, sds * sqrt(part * (1 - part) / SAMPLE));
}

TEST(a_sample_has_one_row_of_each_part)
{
    enum { N = 1000, OF = 300 };
    double        *x = doubles(N);
    const mb_table t = table_of(x, N, 1);
    mb_rows        some;
    world          w;

    for (int32_t j = 0; j < N; j++)
        x[j] = j;
    case_on(&w, "complete:n=1", &t, 1);
    sample_of(&w, OF, &some);
    assert_int_equal(mb_sample_first_(0, OF, N), 0);
    assert_int_equal(mb_sample_first_(OF, OF, N), N);
    for (int64_t j = 0; j < OF; j++)
        assert_in_range((int64_t)some.x[j], mb_sample_first_(j, OF, N),
                        mb_sample_first_(j + 1, OF, N) - 1);
}

/* Rows of weight 9 and 1 are one in ten each, the others have none. */
TEST(rows_are_sampled_by_weight)
{
    enum { N = 100000, PART = 10, OF = N / PART };
    static const double sds = 4;
    double             *x = doubles(N), *w = doubles(N), heavy = 0;
    mb_table            t = table_of(x, N, 1);
    mb_rows             some;
    world               on;

    for (int32_t j = 0; j < N; j++) {
        x[j] = j % PART;
        w[j] = j % PART == 2 ? 9 : j % PART == 6;
    }
    t.rows.w = w;
    case_on(&on, "complete:n=1", &t, 1);
    sample_of(&on, OF, &some);
    for (int64_t j = 0; j < OF; j++) {
        assert_true(some.x[j] == 2 || some.x[j] == 6);
        assert_near(some.w[j], 1, 1e-12);
        heavy += some.x[j] == 2;
    }
    assert_near(heavy / OF, .9, sds * sqrt(.9 * .1 / OF));
}

static void centres_of(const world *w, mb_pool *pool, int32_t attempt, double *to)
{
    const mb_start start = {.how = MB_INIT_KMEANS, .seed = 3, .pool = pool};
    mb_centres     at = {.centres = to};
    mb_traffic     sent = {0};

    OK(mb_case_centres(&w->c, &start, attempt, arena, &at, &sent, &err));
}

/* Rows of node 0 are about 0, the few of node 1 at 1: one centre is the mean of all. */
TEST(a_sample_counts_as_the_rows_for_which_it_stands)
{
    enum { FEW = 100000 };
    const int64_t first[] = {0, MANY, MANY + FEW};
    double       *x = doubles(MANY + FEW), centre, mean = 0;
    mb_table      t = table_of(x, MANY + FEW, 1);
    mb_rng        r = gen_rng(1);
    world         w;

    t.N = 2;
    t.first = first;
    for (int32_t j = 0; j < MANY + FEW; j++) {
        x[j] = j < MANY ? .1 * mb_rng_normal(&r) : 1;
        mean += x[j] / (MANY + FEW);
    }
    case_on(&w, "complete:n=2", &t, 1);
    centres_of(&w, NULL, 0, &centre);
    assert_near(centre, mean, 4 * .1 / sqrt(SAMPLE));
}

/* All but four rows, of two parts of the sample, are without weight: they are the centres. */
TEST(a_few_rows_with_weight_are_not_lost)
{
    double   x_of[] = {-3, -1, 1, 3}, at[CLUSTERS], *x = doubles(MANY), *weight = doubles(MANY);
    mb_table t = table_of(x, MANY, 1);
    world    w;

    t.rows.w = weight;
    for (int32_t j = 0; j < CLUSTERS; j++) {
        x[j] = x_of[j];
        weight[j] = 1;
    }
    case_on(&w, "complete:n=1", &t, CLUSTERS);
    centres_of(&w, NULL, 0, at);
    for (int32_t k = 0; k < CLUSTERS; k++)
        assert_true(fabs(at[k]) == 1 || fabs(at[k]) == 3);
}

/* Four clusters, the last with a row of 1000. */
static const double *clusters(void)
{
    static const double at[CLUSTERS][D] = {{0, 0}, {4, 0}, {0, 5}, {12, 12}};
    double             *x = doubles((size_t)MANY * D);
    mb_rng              r = gen_rng(2);

    for (int32_t j = 0; j < MANY; j++) {
        const int32_t k =
            mb_rng_below(&r, 1000) ? (int32_t)mb_rng_below(&r, CLUSTERS - 1) : CLUSTERS - 1;

        for (int32_t d = 0; d < D; d++)
            x[j * D + d] = at[k][d] + mb_rng_normal(&r);
    }
    return x;
}

/* The sum of the squared distances of all rows to their nearest centre. */
static double within(const world *w, const double *c)
{
    double sum = 0;

    for (int64_t j = 0; j < MANY; j++) {
        const double *row = w->c.data[0].x + j * D;
        double        least = HUGE_VAL;

        for (int32_t k = 0; k < CLUSTERS; k++)
            least = fmin(least, pow(row[0] - c[k * D], 2) + pow(row[1] - c[k * D + 1], 2));
        sum += least;
    }
    return sum;
}

/* Centres of a sample of n rows are as good as those of all but for about K D/(2 n). */
TEST(centres_of_a_sample_are_as_good_as_those_of_all_rows)
{
    static const double tolerance = 1e-3;
    const mb_table      t = table_of(clusters(), MANY, D);
    double              some[CLUSTERS * D], all[CLUSTERS * D];
    mb_pool            *pool;
    mb_traffic          sent = {0};
    int32_t             steps;
    world               w;

    case_on(&w, "complete:n=1", &t, CLUSTERS);
    OK(mb_pool_open(arena, 2, &pool, &err));
    for (int32_t attempt = 0; attempt < sized(2, 1); attempt++) {
        double again[CLUSTERS * D];

        centres_of(&w, NULL, attempt, some);
        centres_of(&w, pool, attempt, again);
        assert_memory_equal(some, again, sizeof some);
        memcpy(all, some, sizeof all);
        OK(mb_lloyd(arena, &w.place.tp, &w.c.tree, w.c.data, w.c.agreed.origin, w.c.agreed.scale,
                    CLUSTERS, D, pool, all, &steps, &sent, &err));
        assert_true(within(&w, some) < (1 + tolerance) * within(&w, all));
    }
    mb_pool_close(pool);
}

RUN_TESTS(arena_up, arena_down)
