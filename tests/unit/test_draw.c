/* Common centres: k-means++ has the right distribution, farthest-first the right rows. */
#include "arena.h"
#include "net.h"
#include "start/start.h"
#include "test.h"
#include "transport/transport.h"

static const double ONE[2] = {1, 1}, ZERO[2] = {0, 0};

/* Rows (n x d, weights w or NULL) dealt two to a node along the given topology of ceil(n/2) or
 * more nodes. */
typedef struct deal {
    net     *net;
    mb_rows *rows;
} deal;

static deal deal_rows(const char *topology, const double *x, const double *w, int64_t n, int32_t d)
{
    deal out = {.net = net_make(arena, topology)};
    out.rows = mb_alloc(arena, (size_t)out.net->part.n_local, sizeof *out.rows);
    for (int32_t i = 0; i < out.net->part.n_local; i++) {
        const int64_t first = 2 * i < n ? 2 * i : n, end = first + 2 < n ? first + 2 : n;
        out.rows[i] = (mb_rows){.x = x + first * d,
                                .w = w ? w + first : NULL,
                                .n = end - first,
                                .d = d,
                                .ld = (size_t)d};
    }
    return out;
}

/* Greedily, over the network's own tree. */
static mb_status draw_among(const deal *dl, int32_t candidates, int32_t K, uint64_t seed,
                            double *centres, int32_t *repeated, mb_traffic *sent)
{
    mb_tree    tree;
    mb_traffic before = {0, 0};
    mb_err     err;
    must(mb_agree_tree(arena, arena, &dl->net->tp, &tree, &before, &err));
    return mb_draw_centres(arena, &dl->net->tp, &tree, dl->rows, ZERO, ONE, MB_KMEANS, candidates,
                           K, seed, 0, centres, repeated, sent, &err);
}

static mb_status draw(const deal *dl, mb_draw how, int32_t K, uint64_t seed, int32_t attempt,
                      double *centres, int32_t *repeated)
{
    mb_traffic sent = {0, 0};
    mb_err     err;
    return mb_draw_centres(arena, &dl->net->tp, NULL, dl->rows, ZERO, ONE, how, 1, K, seed, attempt,
                           centres, repeated, &sent, &err);
}

enum { ROWS = 5, DRAWS = 6000 };
static const double X[ROWS] = {0, 1, 3, 7, 12}, W[ROWS] = {1, 2, 0, 3, 0.5};

static int row_of(double centre)
{
    for (int r = 0; r < ROWS; r++)
        if (X[r] == centre)
            return r;
    fail_msg("%g is no row", centre);
    return -1;
}

/* P(first = r, second = s) of k-means++ with weights. */
static double pair_probability(int r, int s)
{
    double all = 0, rest = 0;
    for (int q = 0; q < ROWS; q++) {
        all += W[q];
        rest += W[q] * (X[q] - X[r]) * (X[q] - X[r]);
    }
    return W[r] / all * W[s] * (X[s] - X[r]) * (X[s] - X[r]) / rest;
}

/* Chi-square over the 12 possible ordered pairs; 48.87 is the 1 - 1e-6 quantile with 11 degrees of
 * freedom: false-alarm rate 1e-6 (and none, the seeds being fixed). */
TEST(pairs_of_centres_have_the_probabilities_of_kmeans_plus_plus)
{
    const deal dl = deal_rows("path:n=3", X, W, ROWS, 1);
    double     seen[ROWS][ROWS] = {{0}}, chi2 = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        double  centres[2];
        int32_t repeated;
        must(draw(&dl, MB_KMEANS, 2, seed, 0, centres, &repeated));
        assert_int_equal(repeated, 0);
        seen[row_of(centres[0])][row_of(centres[1])]++;
    }
    for (int r = 0; r < ROWS; r++)
        for (int s = 0; s < ROWS; s++) {
            const double expected = DRAWS * pair_probability(r, s);
            if (expected > 0)
                chi2 += (seen[r][s] - expected) * (seen[r][s] - expected) / expected;
            else
                assert_true(seen[r][s] == 0); /* weight 0, or the same row twice */
        }
    assert_true(chi2 < 48.87);
    assert_true(chi2 > 0);
}

/* Sum of w D^2 over all rows with centres r and s. */
static double potential(int r, int s)
{
    double sum = 0;
    for (int q = 0; q < ROWS; q++)
        sum += W[q] * fmin((X[q] - X[r]) * (X[q] - X[r]), (X[q] - X[s]) * (X[q] - X[s]));
    return sum;
}

/* P(first = r, second = s) if s is the better of two candidates, drawn independently. */
static double greedy_probability(int r, int s)
{
    double all = 0, first, chosen = 0;
    for (int q = 0; q < ROWS; q++)
        all += W[q];
    first = W[r] / all;
    for (int a = 0; a < ROWS && first > 0; a++)
        for (int b = 0; b < ROWS; b++)
            if (s == (potential(r, b) < potential(r, a) ? b : a))
                chosen += pair_probability(r, a) / first * pair_probability(r, b) / first;
    return first * chosen;
}

/* As above: no more than 12 pairs are possible. No two potentials are equal. */
TEST(of_two_candidates_the_one_nearest_to_the_rows_is_taken)
{
    const deal dl = deal_rows("path:n=3", X, W, ROWS, 1);
    double     seen[ROWS][ROWS] = {{0}}, chi2 = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        double     centres[2];
        int32_t    repeated;
        mb_traffic sent = {0, 0};
        must(draw_among(&dl, 2, 2, seed, centres, &repeated, &sent));
        assert_int_equal(repeated, 0);
        seen[row_of(centres[0])][row_of(centres[1])]++;
    }
    for (int r = 0; r < ROWS; r++)
        for (int s = 0; s < ROWS; s++) {
            const double expected = DRAWS * greedy_probability(r, s);
            if (expected > 0)
                chi2 += (seen[r][s] - expected) * (seen[r][s] - expected) / expected;
            else
                assert_true(seen[r][s] == 0);
        }
    assert_true(chi2 < 48.87);
    assert_true(chi2 > 0);
}

/* Numbers are small multiples of 1/2, so sums are exact in any order. */
TEST(the_links_do_not_change_a_draw_among_candidates)
{
    const char *const topology[] = {"ring:n=6", "star:n=6", "complete:n=6", "grid:rows=2,cols=3"};
    const deal        path = deal_rows("path:n=6", X, W, ROWS, 1);
    for (uint64_t seed = 0; seed < 10; seed++) {
        double     c[3], other[3];
        int32_t    repeated;
        mb_traffic sent = {0, 0};
        must(draw_among(&path, 4, 3, seed, c, &repeated, &sent));
        for (size_t k = 0; k < sizeof topology / sizeof *topology; k++) {
            const deal dl = deal_rows(topology[k], X, W, ROWS, 1);
            must(draw_among(&dl, 4, 3, seed, other, &repeated, &sent));
            assert_memory_equal(c, other, sizeof c);
        }
    }
}

/* Two nodes, two links: candidates of the second centre flood once each, and their sums go up and
 * down once. Node 0 holds the row of every key or not, so a flood costs 2 to 4 frames of 2 numbers. */
TEST(candidates_and_their_sums_are_counted_as_sent)
{
    const double  x[] = {0, 8, 9};
    const deal    dl = deal_rows("path:n=2", x, NULL, 3, 1);
    const int64_t flood = MB_FRAME_HEADER + 2 * 8, wave = MB_FRAME_HEADER + 3 * 8;
    for (uint64_t seed = 0; seed < 20; seed++) {
        double     c[2];
        int32_t    repeated;
        mb_traffic sent = {0, 0};
        must(draw_among(&dl, 3, 2, seed, c, &repeated, &sent));
        assert_in_range(sent.frames, 4 * 2 + 2, 4 * 3 + 2);
        assert_int_equal(sent.bytes, (sent.frames - 2) * flood + 2 * wave);
    }
}

TEST(candidates_need_a_tree)
{
    const deal dl = deal_rows("path:n=3", X, W, ROWS, 1);
    double     c[2];
    int32_t    repeated;
    mb_traffic sent = {0, 0};
    mb_err     err;
    for (int32_t candidates = 0; candidates < 3; candidates += 2)
        assert_int_equal(mb_draw_centres(arena, &dl.net->tp, NULL, dl.rows, ZERO, ONE, MB_KMEANS,
                                         candidates, 2, 1, 0, c, &repeated, &sent, &err),
                         MB_E_ARG);
    assert_string_equal(err.msg, "candidates a centre: got 2 without a tree; expected 1, or more "
                                 "with a tree");
}

TEST(attempts_draw_anew)
{
    const deal dl = deal_rows("path:n=3", X, W, ROWS, 1);
    int        differ = 0;
    for (int32_t attempt = 0; attempt < 20; attempt++) {
        double  here[2], next[2];
        int32_t repeated;
        must(draw(&dl, MB_KMEANS, 2, 5, attempt, here, &repeated));
        must(draw(&dl, MB_KMEANS, 2, 5, attempt + 1, next, &repeated));
        differ += memcmp(here, next, sizeof here) != 0;
    }
    assert_true(differ > 5);
}

TEST(farthest_first_takes_the_row_farthest_from_all_centres)
{
    const deal dl = deal_rows("star:n=4", X, NULL, ROWS, 1);
    for (uint64_t seed = 0; seed < 20; seed++) {
        double  c[3], best = -1;
        int32_t repeated;
        must(draw(&dl, MB_FARTHEST, 3, seed, 0, c, &repeated));
        assert_true(c[1] == (c[0] > 6 ? 0 : 12)); /* 7 and 12 are farther from 0 */
        for (int r = 0; r < ROWS; r++)
            best = fmax(best, fmin(fabs(X[r] - c[0]), fabs(X[r] - c[1])));
        assert_true(fmin(fabs(c[2] - c[0]), fabs(c[2] - c[1])) == best);
    }
}

TEST(equal_distances_take_the_lexicographically_largest_row)
{
    /* The weights make (0, 0) the first centre; the other four are all at distance 5. */
    const double x[] = {-3, 4, 0, 0, 3, -4, 3, 4, -5, 0}, w[] = {1e-300, 1, 1e-300, 1e-300, 1e-300};
    const deal   dl = deal_rows("ring:n=3", x, w, 5, 2);
    double       c[4];
    int32_t      repeated;
    must(draw(&dl, MB_FARTHEST, 2, 1, 0, c, &repeated));
    assert_true(c[0] == 0 && c[1] == 0);
    assert_true(c[2] == 3 && c[3] == 4);
}

TEST(rows_without_weight_are_never_drawn)
{
    const double x[] = {0, 1, 100}, w[] = {1, 1, 0};
    const deal   dl = deal_rows("path:n=2", x, w, 3, 1);
    for (uint64_t seed = 0; seed < 50; seed++) {
        double  c[2];
        int32_t repeated;
        must(draw(&dl, seed % 2 ? MB_FARTHEST : MB_KMEANS, 2, seed, 0, c, &repeated));
        assert_true(c[0] + c[1] == 1);
    }
}

TEST(too_few_distinct_rows_are_drawn_again_and_reported)
{
    const double x[] = {2, 2, 2, 5};
    const deal   dl = deal_rows("path:n=2", x, NULL, 4, 1);
    for (int how = MB_KMEANS; how <= MB_FARTHEST; how++) {
        double  c[4];
        int32_t repeated = 0;
        must(draw(&dl, (mb_draw)how, 2, 1, 0, c, &repeated));
        assert_int_equal(repeated, 0);
        assert_true(c[0] + c[1] == 7);
        mb_traffic sent = {0, 0};
        if (how == MB_KMEANS) {
            must(draw_among(&dl, 2, 3, 1, c, &repeated, &sent));
            assert_int_equal(repeated, 1);
        }
        repeated = 0;
        must(draw(&dl, (mb_draw)how, 3, 1, 0, c, &repeated));
        assert_int_equal(repeated, 1);
        assert_true(c[0] + c[1] == 7);
        assert_true(c[2] == 2 || c[2] == 5);
    }
}

TEST(more_centres_than_rows_are_refused)
{
    const double x[] = {1, 2, 3}, w[] = {1, 1, 0};
    double       c[3];
    int32_t      repeated;
    const deal all = deal_rows("path:n=2", x, NULL, 3, 1), some = deal_rows("path:n=2", x, w, 3, 1);
    must(draw(&all, MB_KMEANS, 3, 1, 0, c, &repeated));
    assert_int_equal(draw(&some, MB_KMEANS, 3, 1, 0, c, &repeated), MB_E_ARG);
    assert_int_equal(draw(&all, MB_KMEANS, 4, 1, 0, c, &repeated), MB_E_ARG);
    assert_int_equal(draw(&all, MB_KMEANS, 0, 1, 0, c, &repeated), MB_E_ARG);
}

TEST(the_links_of_the_network_do_not_change_the_draw)
{
    const char *const topology[] = {"ring:n=6", "star:n=6", "complete:n=6", "grid:rows=2,cols=3"};
    const deal        path = deal_rows("path:n=6", X, W, ROWS, 1);
    for (uint64_t seed = 0; seed < 10; seed++) {
        double  c[3], other[3];
        int32_t repeated;
        must(draw(&path, MB_KMEANS, 3, seed, 2, c, &repeated));
        for (size_t k = 0; k < sizeof topology / sizeof *topology; k++) {
            const deal dl = deal_rows(topology[k], X, W, ROWS, 1);
            must(draw(&dl, MB_KMEANS, 3, seed, 2, other, &repeated));
            assert_memory_equal(c, other, sizeof c);
        }
    }
}

TEST(distances_are_in_units_of_the_scale)
{
    /* In data units row 1 is farther from row 0, in units of the scale row 2 is. */
    const double  x[] = {0, 0, 100, 0, 0, 10}, w[] = {1, 1e-300, 1e-300}, scale[] = {64, 1};
    const deal    dl = deal_rows("path:n=2", x, w, 3, 2);
    double        c[4], resp[4];
    int32_t       repeated;
    mb_traffic    sent = {0, 0};
    mb_err        err;
    const mb_rows middle = {.x = (const double[]){60, 9, 90, 4}, .n = 2, .d = 2, .ld = 2};
    must(mb_draw_centres(arena, &dl.net->tp, NULL, dl.rows, ZERO, scale, MB_FARTHEST, 1, 2, 1, 0, c,
                         &repeated, &sent, &err));
    assert_true(c[2] == 0 && c[3] == 10);
    mb_nearest_resp(&middle, ZERO, scale, 2, c, resp);
    assert_true(resp[0] == 0 && resp[1] == 1 && resp[2] == 1 && resp[3] == 0);
    assert_true(sent.bytes > 0);
}

/* Rows that may have gaps are all measured, many others are compared by their centres first. */
TEST(many_rows_are_drawn_as_if_all_distances_were_measured)
{
    enum { MANY = 6000, K = 12 };
    double *x = doubles(MANY * 2), c[2][2 * K];
    mb_rng  rng = mb_rng_at(5, MB_STREAM_DATA, 0, 0);
    for (int32_t e = 0; e < 2 * MANY; e++)
        x[e] = 8 * (double)mb_rng_below(&rng, 3) + mb_rng_normal(&rng);
    for (uint64_t seed = 0; seed < 20; seed++) {
        for (int32_t gaps = 0; gaps < 2; gaps++) {
            deal       dl = deal_rows("path:n=2", x, NULL, MANY, 2);
            int32_t    repeated;
            mb_traffic sent = {0, 0};
            for (int32_t i = 0; i < 2; i++)
                dl.rows[i] =
                    (mb_rows){.x = x + i * MANY, .n = MANY / 2, .d = 2, .ld = 2, .gaps = gaps};
            assert_int_equal(
                draw_among(&dl, 1 + (int32_t)seed % 4, K, seed, c[gaps], &repeated, &sent), MB_OK);
        }
        assert_memory_equal(c[0], c[1], sizeof c[0]);
    }
}

TEST(a_tie_goes_to_the_lowest_centre)
{
    const double  x[] = {1, 3, 2}, centres[] = {4, 0, 2, 2};
    const mb_rows rows = {.x = x, .n = 3, .d = 1, .ld = 1};
    const double  expected[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
    double        resp[12];
    mb_nearest_resp(&rows, ZERO, ONE, 4, centres, resp);
    assert_memory_equal(resp, expected, sizeof resp);
}

TEST(random_responsibilities_sum_to_one_and_differ_by_node_and_attempt)
{
    double here[12], there[12], later[12];
    mb_random_resp(4, 3, 7, 0, 0, here);
    mb_random_resp(4, 3, 7, 0, 1, there);
    mb_random_resp(4, 3, 7, 1, 0, later);
    for (int j = 0; j < 4; j++) {
        const double sum = here[3 * j] + here[3 * j + 1] + here[3 * j + 2];
        assert_true(fabs(sum - 1) < 4 * 2.3e-16); /* three divisions and two additions */
        assert_true(here[3 * j] > 0);
    }
    assert_memory_not_equal(here, there, sizeof here);
    assert_memory_not_equal(here, later, sizeof here);
}

RUN_TESTS(arena_up, arena_down)
