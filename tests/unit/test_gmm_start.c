/* The start block of mixtures: centres from a few rows, in the memory that the header names. */
#include "arena.h"
#include "model/kind.h"
#include "network/network.h"
#include "start/start.h"
#include "test.h"

enum { MOST_ROWS = 4096, MOST_D = 20, MOST_K = 40 };

static double x[MOST_ROWS * MOST_D];
static double ones[MOST_D], zeros[MOST_D];
static double got[MOST_K * MOST_D];

static mb_rows normal_rows(int64_t n, int32_t d)
{
    mb_rng rng = mb_rng_at(4, MB_STREAM_DATA, 0, 0);

    for (int64_t l = 0; l < n * d; l++)
        x[l] = mb_rng_normal(&rng);
    return (mb_rows){.x = x, .n = n, .d = d, .ld = (size_t)d};
}

static mb_units unit_units(int32_t d)
{
    for (int32_t k = 0; k < MOST_D; k++)
        ones[k] = 1;
    return (mb_units){.d = d, .origin = zeros, .scale = ones};
}

static mb_status from(mb_arena *scratch_arena, int32_t K, const mb_rows *rows, mb_err *err)
{
    const mb_sizes size = {.K = K, .D = rows->d};
    const mb_units run = unit_units(rows->d);

    assert_int_equal(mb_centres_len(&size, rows->d), K * rows->d);
    return mb_centres_from(arena, scratch_arena, &size, &run, rows, 7, got, err);
}

/* Three clusters of 20 rows each, at distances of 100: Lloyd's iteration ends at their means. */
TEST(separate_clusters_give_their_means)
{
    enum { EACH = 20, K = 3, D = 2 };
    mb_rows rows = normal_rows(K * EACH, D);
    double  want[K][D] = {{0}};
    int     found = 0;

    for (int32_t j = 0; j < K * EACH; j++)
        for (int32_t d = 0; d < D; d++)
            want[j % K][d] += (x[j * D + d] += 100 * (j % K)) / EACH;
    must(from(arena, K, &rows, NULL));
    for (int32_t k = 0; k < K; k++)
        for (int32_t c = 0; c < K; c++)
            found += hypot(got[k * D] - want[c][0], got[k * D + 1] - want[c][1]) < 1e-12 * 300;
    assert_int_equal(found, K);
}

static double within(const mb_rows *rows, int32_t K, const double *centres)
{
    double sum = 0;

    for (int64_t j = 0; j < rows->n; j++) {
        double least = HUGE_VAL;

        for (int32_t k = 0; k < K; k++) {
            double dist = 0;

            for (int32_t d = 0; d < rows->d; d++)
                dist += pow(rows->x[j * rows->d + d] - centres[k * rows->d + d], 2);
            least = fmin(least, dist);
        }
        sum += (rows->w ? rows->w[j] : 1) * least;
    }
    return sum;
}

/* Rows without clusters have many optima of Lloyd's iteration; weights belong to the sum. */
TEST(the_best_of_ten_attempts_is_taken)
{
    enum { K = 8, D = 3, N = 64 };
    mb_rows       rows = normal_rows(N, D);
    mb_units      run = unit_units(D);
    mb_traffic    sent = {0, 0};
    double        w[N], one[K * D], best = HUGE_VAL, worst = 0;
    mb_local_part place;
    mb_tree       tree;

    for (int32_t j = 0; j < N; j++)
        w[j] = 1 + j % 5;
    rows.w = w;
    must(from(arena, K, &rows, NULL));
    must(mb_place_one(arena, &place, NULL));
    must(mb_agree_tree(arena, arena, &place.tp, &tree, &sent, NULL));
    for (int32_t k = 0; k < 10; k++) {
        int32_t repeated, steps;

        must(mb_draw_centres(arena, &place.tp, &tree, &rows, run.origin, run.scale, MB_KMEANS, 2, K,
                             7, k, one, &repeated, &sent, NULL));
        must(mb_lloyd(arena, &place.tp, &tree, &rows, run.origin, run.scale, K, D, NULL, one,
                      &steps, &sent, NULL));
        best = fmin(best, within(&rows, K, one));
        worst = fmax(worst, within(&rows, K, one));
    }
    assert_true(worst > 1.01 * best);
    assert_near(within(&rows, K, got), best, 1e-12);
}

/* 48 n + 48 K (D + 1) + 400 D + 6144 bytes, as kind.h says, whatever the sizes. */
TEST(memory_is_what_the_header_names)
{
    static const int64_t n[] = {1, 7, 64, 500, 4096};
    static const int32_t K[] = {1, 3, 40}, D[] = {1, 2, 20};
    static char          memory[48 * 4096 + 48 * MOST_K * (MOST_D + 1) + 400 * MOST_D + 7000];

    for (int32_t a = 0; a < sized(5, 4); a++)
        for (int32_t b = 0; b < 9; b++) {
            const int32_t k = K[b / 3], d = D[b % 3];
            const mb_rows rows = normal_rows(n[a], d);
            const size_t  bytes = (size_t)(48 * n[a] + 48 * k * (d + 1) + 400 * d + 6144) + 200;
            mb_err        err = {.msg = ""};

            if (n[a] < k)
                continue;
            if (from(mb_arena_fixed(memory, bytes), k, &rows, &err) != MB_OK)
                fail_msg("n %d, K %d, D %d: %s", (int)n[a], k, d, err.msg);
        }
}

TEST(fewer_rows_than_components_are_refused)
{
    const mb_rows rows = normal_rows(4, 2);
    mb_err        err;

    assert_int_equal(from(arena, 5, &rows, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "5 components from 4 rows"));
}

TEST(responsibilities_are_one_at_the_nearest_centre)
{
    static const double centre[] = {0, 0, 10, 0, 0, 3}, row[] = {1, 1, 6, 0, 1, 2.5, 0, 1.5};
    static const double want[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}; /* a tie: the lowest */
    const mb_sizes      size = {.K = 3, .D = 2};
    const mb_units      run = unit_units(2);
    const mb_rows       rows = {.x = row, .n = 4, .d = 2, .ld = 2};
    double              resp[12];

    mb_centres_resp(&size, &run, centre, &rows, resp);
    assert_memory_equal(resp, want, sizeof want);
}

TEST(regression_needs_no_block)
{
    assert_false(mb_kind_has_components(&mb_kind_linreg));
}

RUN_TESTS(arena_up, arena_down)
