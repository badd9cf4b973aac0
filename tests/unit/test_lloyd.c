/* Lloyd's iteration over a network, against a plain one written here: ties, empty clusters, weights. */
#include "arena.h"
#include "base/pool.h"
#include "base/rows.h"
#include "kernel/kernel.h"
#include "net.h"
#include "start/start.h"
#include "test.h"

enum { D = 2, MOST_K = 8, MOST_ROWS = 6000 };

static const double ONE[D] = {1, 1}, ZERO[D] = {0, 0};

typedef struct problem {
    int32_t K, n;
    double  x[MOST_ROWS * D], w[MOST_ROWS], centres[MOST_K * D];
} problem;

static double squared(const double *a, const double *b)
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

static int larger(double key, const double *row, double than, const double *than_row)
{
    if (key != than)
        return key > than;
    return row[0] != than_row[0] ? row[0] > than_row[0] : row[1] > than_row[1];
}

/* The row of positive weight that is farthest from its centre goes to each empty cluster in turn. */
static void plain_refill(const problem *p, const int32_t *label, const double *weight, double *c)
{
    double near[MOST_ROWS];
    for (int32_t j = 0; j < p->n; j++)
        near[j] = squared(p->x + j * D, c + label[j] * D);
    for (int32_t k = 0; k < p->K; k++) {
        int32_t best = -1;
        for (int32_t j = 0; weight[k] == 0 && j < p->n; j++)
            if (p->w[j] > 0 && near[j] > 0 &&
                (best < 0 || larger(near[j], p->x + j * D, near[best], p->x + best * D)))
                best = j;
        if (best < 0)
            continue;
        memcpy(c + k * D, p->x + best * D, D * sizeof *c);
        for (int32_t j = 0; j < p->n; j++)
            near[j] = fmin(near[j], squared(p->x + j * D, c + k * D));
    }
}

/* c: the centres after as many steps as are needed, which are returned. *empty: refills. */
static int32_t plain_lloyd(const problem *p, double *c, int32_t *empty)
{
    int32_t label[MOST_ROWS], steps = 0;
    memcpy(c, p->centres, sizeof p->centres);
    memset(label, -1, sizeof label);
    for (; steps < 300; steps++) {
        double weight[MOST_K] = {0}, sum[MOST_K * D] = {0};
        int    moved = 0;
        for (int32_t j = 0; j < p->n; j++) {
            int32_t best = 0;
            for (int32_t k = 1; k < p->K; k++)
                if (squared(p->x + j * D, c + k * D) < squared(p->x + j * D, c + best * D))
                    best = k;
            moved |= p->w[j] > 0 && label[j] != best;
            label[j] = best;
            weight[best] += p->w[j];
            for (int32_t d = 0; d < D; d++)
                sum[best * D + d] += p->w[j] * p->x[j * D + d];
        }
        if (!moved)
            break;
        for (int32_t k = 0; k < p->K; k++)
            for (int32_t d = 0; d < D; d++)
                c[k * D + d] = weight[k] > 0 ? sum[k * D + d] / weight[k] : c[k * D + d];
        for (int32_t k = 0; k < p->K; k++)
            *empty += weight[k] == 0;
        plain_refill(p, label, weight, c);
    }
    return steps;
}

/* The same over a network whose nodes hold the rows in blocks; some hold none. */
static int32_t over(const char *topology, const problem *p, mb_pool *pool, double *c,
                    mb_traffic *sent)
{
    net          *n = net_make(arena, topology);
    const int32_t N = n->part.n_local;
    mb_rows      *rows = mb_alloc(arena, (size_t)N, sizeof *rows);
    const mb_rows all = {.x = p->x, .w = p->w, .n = p->n, .d = D, .ld = D};
    mb_traffic    before = {0, 0};
    mb_tree       tree;
    int32_t       steps;
    mb_err        err;
    for (int32_t i = 0; i < N; i++)
        rows[i] = mb_rows_part(&all, (int64_t)p->n * i / N, p->n * (i + 1) / N - p->n * i / N);
    must(mb_agree_tree(arena, arena, &n->tp, &tree, &before, &err));
    memcpy(c, p->centres, sizeof p->centres);
    must(mb_lloyd(arena, &n->tp, &tree, rows, ZERO, ONE, p->K, D, pool, c, &steps, sent, &err));
    return steps;
}

/* Small whole numbers: sums are exact, so all ties are real and all orders of adding agree. */
static problem on_a_grid(uint64_t seed, uint64_t most)
{
    mb_rng  rng = mb_rng_at(seed, MB_STREAM_DATA, 0, 0);
    problem p = {.K = 2 + (int32_t)mb_rng_below(&rng, MOST_K - 1),
                 .n = 1 + (int32_t)mb_rng_below(&rng, most)};
    for (int32_t j = 0; j < p.n; j++) {
        p.w[j] = (double)mb_rng_below(&rng, 4);
        for (int32_t d = 0; d < D; d++)
            p.x[j * D + d] = (double)mb_rng_below(&rng, most > 40 ? 99 : 9) - 4;
    }
    for (int32_t k = 0; k < p.K; k++)
        for (int32_t d = 0; d < D; d++)
            p.centres[k * D + d] = (double)mb_rng_below(&rng, 13) - 6;
    return p;
}

TEST(any_network_ends_where_the_plain_iteration_does)
{
    static const char *const some[] = {"complete:n=1", "ring:n=5",
                                       "geometric:n=20,side=2,radius=0.8"};
    int32_t                  empty = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const problem p = on_a_grid(seed, 40);
        double        want[MOST_K * D], got[MOST_K * D];
        const int32_t steps = plain_lloyd(&p, want, &empty);
        mb_traffic    sent = {0, 0};
        for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
            assert_int_equal(over(some[k], &p, NULL, got, &sent), steps);
            for (int32_t e = 0; e < p.K * D; e++)
                assert_true(got[e] == want[e]);
        }
    }
    assert_true(empty > 50); /* the problems do have empty clusters */
}

/* The plain iteration without its last part: a cluster without rows keeps its centre. */
static double plain_sums(const problem *p, int32_t steps, double *c)
{
    double between = 0;
    memcpy(c, p->centres, sizeof p->centres);
    for (int32_t s = 0; s < steps; s++) {
        double weight[MOST_K] = {0}, sum[MOST_K * D] = {0};
        for (int32_t j = 0; j < p->n; j++) {
            int32_t best = 0;
            for (int32_t k = 1; k < p->K; k++)
                if (squared(p->x + j * D, c + k * D) < squared(p->x + j * D, c + best * D))
                    best = k;
            weight[best] += p->w[j];
            for (int32_t d = 0; d < D; d++)
                sum[best * D + d] += p->w[j] * p->x[j * D + d];
        }
        between = 0;
        for (int32_t e = 0; e < p->K * D; e++) {
            c[e] = weight[e / D] > 0 ? sum[e] / weight[e / D] : c[e];
            between += weight[e / D] * c[e] * c[e];
        }
    }
    return between;
}

TEST(sums_alone_move_centres_and_show_no_row)
{
    net    *n = net_make(arena, "path:n=1");
    int32_t differ = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const problem p = on_a_grid(seed, 40);
        const mb_rows rows = {.x = p.x, .w = p.w, .n = p.n, .d = D, .ld = D};
        double        want[MOST_K * D], got[MOST_K * D], filled[MOST_K * D], between;
        const double  best = plain_sums(&p, 5, want);
        mb_traffic    sent = {0, 0};
        mb_tree       tree;
        mb_err        err;
        must(mb_agree_tree(arena, arena, &n->tp, &tree, &sent, &err));
        memcpy(got, p.centres, sizeof got);
        must(mb_lloyd_sums(arena, &n->tp, &tree, &rows, ZERO, ONE, p.K, D, NULL, 5, got, &between,
                           &sent, &err));
        for (int32_t e = 0; e < p.K * D; e++)
            assert_true(got[e] == want[e]);
        assert_true(fabs(between - best) <= 1e-12 * fabs(best));
        (void)over("complete:n=1", &p, NULL, filled, &sent);
        differ += memcmp(filled, got, (size_t)(p.K * D) * sizeof *got) != 0;
    }
    assert_true(differ > 20); /* mb_lloyd fills clusters without rows */
}

/* Rows stay where bounds of their distances decide, and only there: no tie goes another way. */
TEST(many_rows_end_where_the_plain_iteration_does)
{
    int32_t empty = 0, many = 0, most = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const problem p = on_a_grid(seed, MOST_ROWS);
        double        want[MOST_K * D], got[MOST_K * D];
        const int32_t steps = plain_lloyd(&p, want, &empty);
        mb_traffic    sent = {0, 0};
        many += p.n > 4096;
        most = steps > most ? steps : most;
        assert_int_equal(over("complete:n=1", &p, NULL, got, &sent), steps);
        for (int32_t e = 0; e < p.K * D; e++)
            assert_true(got[e] == want[e]);
    }
    assert_true(many > 5 && most > 20);
}

/* Every other problem has whole numbers, so that many rows are as far from two centres. */
TEST(every_kernel_finds_the_nearest_centre_to_the_bit)
{
    enum { N = MB_NEAR_ROWS, WIDE = 19, CENTRES = 9 };
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    mb_rng            rng = mb_rng_at(3, MB_STREAM_DATA, 0, 0);
    mb_kernel_list_(kernel);
    for (int32_t turn = 0; turn < 200; turn++) {
        const int32_t d = 1 + turn % WIDE, k = 1 + turn % CENTRES;
        double        z[WIDE * N], c[CENTRES * WIDE], best[N], own[N], other[N];
        for (int32_t e = 0; e < d * N; e++)
            z[e] = turn % 2 ? mb_rng_normal(&rng) : (double)mb_rng_below(&rng, 3);
        for (int32_t e = 0; e < k * d; e++)
            c[e] = turn % 2 ? mb_rng_normal(&rng) : (double)mb_rng_below(&rng, 3);
        for (int v = 0; kernel[v]; v++) {
            kernel[v]->nearest(k, d, z, c, best, own, other);
            for (int32_t r = 0; r < N; r++) {
                double  least = INFINITY, second = INFINITY;
                int32_t want = 0;
                for (int32_t j = 0; j < k; j++) {
                    volatile double sum = 0, square; /* rounded at every step */
                    for (int32_t i = 0; i < d; i++) {
                        square = (z[i * N + r] - c[j * d + i]) * (z[i * N + r] - c[j * d + i]);
                        sum += square;
                    }
                    want = sum < least ? j : want;
                    second = fmin(second, fmax(least, sum));
                    least = fmin(least, sum);
                }
                assert_true(best[r] == want);
                assert_true(!MB_NEAR_BOUNDS || (own[r] == least && other[r] == second));
            }
        }
    }
}

TEST(an_empty_cluster_takes_the_farthest_row)
{
    problem    p = {.K = 3, .n = 5, .x = {0, 0, 1, 0, 9, 0, 10, 0, 14, 0}, .w = {1, 1, 1, 1, 1}};
    double     c[MOST_K * D];
    mb_traffic sent = {0, 0};
    p.centres[0] = 0;
    p.centres[2] = 10;
    p.centres[4] = 100; /* no row's nearest: takes 14, farthest from 11 */
    over("path:n=3", &p, NULL, c, &sent);
    assert_true(c[0] == 0.5 && c[2] == 9.5 && c[4] == 14);
}

TEST(more_clusters_than_rows_keep_their_centres)
{
    problem    p = {.K = 3, .n = 2, .x = {1, 1, 1, 1}, .w = {1, 1}};
    double     c[MOST_K * D];
    mb_traffic sent = {0, 0};
    p.centres[0] = 1, p.centres[1] = 1;
    p.centres[2] = 5, p.centres[4] = 7;
    assert_true(over("path:n=2", &p, NULL, c, &sent) <= 2);
    assert_true(c[0] == 1 && c[1] == 1 && c[2] == 5 && c[4] == 7);
}

/* Centres at 0 and 9 take rows at 0 and 10; the row at 4.9 is of the second at first, then of the first. */
TEST(rows_of_little_weight_may_still_move_at_the_end)
{
    problem    p = {.K = 2, .n = 3, .x = {0, 0, 4.9, 0, 10, 0}, .w = {10000, 2, 10000}};
    double     c[MOST_K * D];
    mb_traffic sent = {0, 0};
    p.centres[2] = 9;
    assert_int_equal(over("path:n=3", &p, NULL, c, &sent), 1); /* 2 of 20002 are below 1e-4 */
    assert_true(c[0] == 0);
    assert_true(fabs(c[2] - 100009.8 / 10002) < 1e-12);
    p.w[1] = 3; /* of 20003 */
    assert_int_equal(over("path:n=3", &p, NULL, c, &sent), 2);
    assert_true(fabs(c[0] - 14.7 / 10003) < 1e-15);
    assert_true(c[2] == 10);
}

TEST(a_step_sends_its_sums_up_and_down_the_tree)
{
    problem    p = {.K = 2, .n = 4, .x = {0, 0, 0, 1, 8, 0, 8, 1}, .w = {1, 1, 1, 1}};
    double     c[MOST_K * D];
    mb_traffic sent = {0, 0};
    p.centres[2] = 8;
    assert_int_equal(over("star:n=4", &p, NULL, c, &sent),
                     1); /* and a second, in which none moves */
    assert_int_equal(sent.frames, 2 * 2 * 3);
    assert_int_equal(sent.bytes, 2 * 2 * 3 * (48 + 8 * (2 * 3 + 1)));
}

TEST(threads_do_not_change_a_bit)
{
    enum { ROWS = 50000, K = 5 };
    double       *x = doubles(ROWS * D), c[2][K * D];
    mb_rng        rng = mb_rng_at(7, MB_STREAM_DATA, 0, 0);
    net          *n = net_make(arena, "path:n=2");
    const mb_rows rows[2] = {{.x = x, .n = 40000, .d = D, .ld = D},
                             {.x = x + 40000 * D, .n = 10000, .d = D, .ld = D}};
    mb_traffic    sent = {0, 0};
    mb_pool      *pool;
    mb_tree       tree;
    mb_err        err;
    for (int32_t e = 0; e < ROWS * D; e++)
        x[e] = mb_rng_normal(&rng);
    must(mb_pool_open(arena, 3, &pool, &err));
    must(mb_agree_tree(arena, arena, &n->tp, &tree, &sent, &err));
    for (int t = 0; t < 2; t++) {
        int32_t steps;
        memcpy(c[t], x, sizeof c[t]);
        must(mb_lloyd(arena, &n->tp, &tree, rows, ZERO, ONE, K, D, t ? pool : NULL, c[t], &steps,
                      &sent, &err));
        assert_true(steps > 10);
    }
    assert_memory_equal(c[0], c[1], sizeof c[0]);
    mb_pool_close(pool);
}

RUN_TESTS(arena_up, arena_down)
