/* Claims about noise for privacy: what it costs, and how it is drawn. */
#include "arena.h"
#include "base/text.h"
#include "fit/case.h"
#include "fit/private.h"
#include "network/network.h"
#include "num/num.h"
#include "test.h"

static mb_status fill(void *self, void *to, size_t n, mb_err *err)
{
    unsigned char *bytes = to;

    (void)err;
    for (size_t k = 0; k < n; k++)
        bytes[k] = (unsigned char)mb_rng_u32(self);
    return MB_OK;
}

/* Of mpmath, 30 digits. */
TEST(delta_is_that_of_the_analytic_gaussian_mechanism)
{
    assert_near(mb_privacy_delta_(1, 1) / 0.12693673750664392, 1, 1e-13);
    assert_near(mb_privacy_delta_(1, 0.25) / 2.9242721048563077e-06, 1, 1e-11);
    assert_near(mb_privacy_delta_(8, 2) / 0.000495401738938746, 1, 1e-11);
    assert_near(mb_privacy_delta_(0, 0.5) / 0.1974126513658474, 1, 1e-13);
}

TEST(mu_is_the_largest_that_costs_no_more)
{
    static const double delta[] = {1e-12, 1e-9, 1e-5, 1e-2, 0.5};

    for (double epsilon = 1e-3; epsilon <= MB_EPSILON_MOST; epsilon *= 3)
        for (int k = 0; k < 5; k++) {
            const double mu = mb_privacy_mu_(epsilon, delta[k]);

            assert_true(mb_privacy_delta_(epsilon, mu) <= delta[k]);
            assert_true(mb_privacy_delta_(epsilon, mu * (1 + 1e-6)) > delta[k]);
            assert_near(mb_privacy_epsilon_(mu, delta[k]) / epsilon, 1, 1e-6);
        }
}

TEST(two_releases_cost_more_than_one_and_less_than_twice)
{
    const double mu = mb_privacy_mu_(1, 1e-5), both = mb_privacy_epsilon_(sqrt(2) * mu, 1e-5);

    assert_true(both > 1.4 && both < 1.6);
    assert_true(mb_privacy_epsilon_(0, 1e-5) <= 0);
    assert_true(isinf(mb_privacy_epsilon_(60, 1e-5)));
}

/* Chi-squared of 200,000 draws against exp(-x^2 / 18), cells with at least 20 of them expected: 21
 * degrees of freedom, above 80 with probability below 1e-8. */
TEST(draws_have_the_frequencies_of_the_discrete_gaussian)
{
    enum { SIGMA = 3, MOST = 10, DRAWS = 200000 };
    const int        n = sized(DRAWS, DRAWS / 20);
    mb_rng           rng = mb_rng_at(5, MB_STREAM_START, 0, 0);
    const mb_entropy from = {fill, &rng};
    mb_err           err = {0};
    int64_t         *x = malloc((size_t)n * sizeof *x), seen[2 * MOST + 1] = {0}, far = 0;
    double           all = 0, chi = 0, rest = 1;

    must(mb_discrete_gaussian_(&from, SIGMA, (size_t)n, x, &err));
    for (int k = 0; k < n; k++)
        if (llabs(x[k]) <= MOST)
            seen[x[k] + MOST]++;
        else
            far++;
    for (int k = -100; k <= 100; k++)
        all += exp(-k * k / (2.0 * SIGMA * SIGMA));
    for (int k = -MOST; k <= MOST; k++) {
        const double p = exp(-k * k / (2.0 * SIGMA * SIGMA)) / all, want = n * p;

        rest -= p;
        chi += ((double)seen[k + MOST] - want) * ((double)seen[k + MOST] - want) / want;
    }
    chi += ((double)far - n * rest) * ((double)far - n * rest) / (n * rest);
    assert_true(chi < 80);
    free(x);
}

/* Standard errors of 20,000 draws: .007 sigma of the mean, .5 % of the standard deviation, .035 of
 * the kurtosis; six of each are allowed. Neighbouring numbers are of both parities. */
TEST(wide_draws_have_the_moments_of_a_gaussian)
{
    enum { DRAWS = 20000, ODD = 6 * 71 /* six standard deviations of a fair coin */ };
    static const int64_t sigma[] = {1 << 10, (1 << 26) - 1, MB_SIGMA_MOST};
    const int            n = sized(DRAWS, DRAWS / 10);
    const double         wider = sqrt((double)DRAWS / n);
    mb_rng               rng = mb_rng_at(6, MB_STREAM_START, 0, 0);
    const mb_entropy     from = {fill, &rng};
    int64_t             *x = malloc((size_t)n * sizeof *x);
    mb_err               err = {0};

    for (int s = 0; s < 3; s++) {
        double mean = 0, square = 0, fourth = 0, odd = 0;

        must(mb_discrete_gaussian_(&from, sigma[s], (size_t)n, x, &err));
        for (int k = 0; k < n; k++) {
            const double z = (double)x[k] / (double)sigma[s];

            mean += z / n;
            square += z * z / n;
            fourth += z * z * z * z / n;
            odd += (double)(x[k] & 1);
        }
        assert_true(fabs(mean) < 0.042 * wider);
        assert_true(fabs(sqrt(square) - 1) < 0.03 * wider);
        assert_true(fabs(fourth / (square * square) - 3) < 0.21 * wider);
        assert_true(fabs(odd - 0.5 * n) < ODD);
    }
    free(x);
}

static mb_status fails(void *self, void *to, size_t n, mb_err *err)
{
    (void)self, (void)to, (void)n;
    MB_FAIL(err, MB_E_IO, "no random bytes");
}

TEST(without_random_bytes_there_is_no_noise)
{
    const mb_entropy from = {fails, NULL};
    mb_err           err = {0};
    int64_t          x[4];

    assert_int_equal(mb_discrete_gaussian_(&from, 1 << 20, 4, x, &err), MB_E_IO);
    assert_string_equal(err.msg, "no random bytes");
}

enum { D = 3, ROWS = 40 };

/* Rows of D inputs and a target. */
typedef struct world {
    mb_arena  *a;
    mb_sizes   size;
    mb_privacy p;
    double     low[D + 1], high[D + 1];
    mb_bounds  bounds;
    mb_rng     rng;
} world;

static const mb_promise one = {.epsilon = 1, .delta = 1e-5, .nodes = 1};

static world make(int32_t intercept)
{
    world w = {.a = arena, .size = {.D = D, .intercept = intercept}};

    w.rng = mb_rng_at(9, MB_STREAM_START, (uint32_t)intercept, 0);
    must(mb_privacy_make(&mb_kind_linreg, &w.size, &one, &w.p, NULL));
    for (int d = 0; d <= D; d++) {
        w.low[d] = -3 + d;
        w.high[d] = 5 * d + 1;
    }
    return w;
}

static void sum(world *w, const double *x, int64_t n, int64_t *sums)
{
    const mb_rows rows = {.x = x, .n = n, .d = D + 1, .ld = D + 1};

    w->bounds = (mb_bounds){D + 1, w->low, w->high};
    must(mb_privacy_sums(w->a, &w->p, &rows, &w->bounds, sums, NULL));
}

/* How far two data sets that differ in one row are from each other, in parts of the sensitivity that
 * the noise is made for, units of whole numbers. */
static double change(world *w, const double *row, const double *other)
{
    int64_t first[64], second[64];
    double  square = 0;

    sum(w, row, 1, first);
    sum(w, other, 1, second);
    for (size_t k = 0; k < mb_privacy_len(&w->p); k++)
        square += (double)(first[k] - second[k]) * (double)(first[k] - second[k]);
    return sqrt(square) * w->p.unit / (w->p.mu * w->p.sd);
}

TEST(a_row_replaced_by_any_other_changes_the_sums_by_no_more_than_the_sensitivity)
{
    double row[D + 1], other[D + 1], largest = 0;

    for (int32_t intercept = 0; intercept < 2; intercept++) {
        world w = make(intercept);

        for (int k = 0; k < sized(20000, 500); k++) {
            for (int d = 0; d <= D; d++) { /* half of them in corners or beyond */
                const double far = k % 2 ? 1 : 1e9;

                row[d] = far * 20 * mb_rng_normal(&w.rng);
                other[d] = far * 20 * mb_rng_normal(&w.rng);
            }
            largest = fmax(largest, change(&w, row, other));
        }
    }
    assert_true(largest <= 1);
}

/* Corners u and v with u'v = 0 have the distance that the bound says. */
TEST(the_sensitivity_is_reached)
{
    world  w = make(0);
    double row[D + 1], other[D + 1];

    for (int d = 0; d <= D; d++) {
        const double end = fmax(fabs(w.low[d]), fabs(w.high[d]));

        w.low[d] = -end;
        row[d] = w.high[d] = end;
        other[d] = d % 2 ? end : -end;
    }
    assert_true(change(&w, row, other) > 0.9999);
    assert_true(change(&w, row, other) <= 1);
}

static const double coef[D + 1] = {0.3, -0.5, 0.2, 0.4};

/* Rows inside the bounds; y = coef'(1, u) + noise of .1 in units of the bounds. */
static double *rows_of(world *w, int64_t n)
{
    double *x = mb_alloc(w->a, (size_t)n * (D + 1), sizeof *x);

    for (int64_t j = 0; j < n; j++) {
        double *row = x + j * (D + 1), y = coef[0] + 0.1 * mb_rng_normal(&w->rng), u;

        for (int d = 0; d <= D; d++) {
            u = d < D ? 2 * mb_rng_uniform(&w->rng) - 1 : y;
            y += d < D ? coef[d + 1] * u : 0;
            row[d] = 0.5 * (w->low[d] + w->high[d]) + 0.5 * (w->high[d] - w->low[d]) * u;
        }
    }
    return x;
}

/* 100 sums of rows: the noise has the variance that is said in every entry, and none in their number. */
TEST(the_number_of_rows_is_exact_and_every_other_sum_has_the_noise)
{
    enum { DRAWS = 400 };
    world            w = make(1);
    const mb_entropy from = {fill, &w.rng};
    int64_t          exact[64], sums[64];
    double           square[64] = {0};

    sum(&w, rows_of(&w, ROWS), ROWS, exact);
    for (int k = 0; k < DRAWS; k++) {
        memcpy(sums, exact, sizeof sums);
        must(mb_privacy_add_noise(w.a, &w.p, &from, sums, NULL));
        assert_int_equal(sums[0], exact[0]);
        for (size_t e = 1; e < mb_privacy_len(&w.p); e++)
            square[e] += pow((double)(sums[e] - exact[e]) * w.p.unit / w.p.sd, 2) / DRAWS;
    }
    for (size_t e = 1; e < mb_privacy_len(&w.p); e++)
        assert_true(fabs(square[e] - 1) < 6 * sqrt(2.0 / DRAWS));
}

/* Without noise in the sums, and with hardly any that the posterior knows of: least squares. */
TEST(where_the_noise_is_nothing_the_posterior_is_that_of_least_squares)
{
    world        w = make(1);
    int64_t      sums[64];
    int32_t      raised;
    mb_posterior p;

    w.p.unit *= 1e-4;
    w.p.sd *= 1e-9;
    sum(&w, rows_of(&w, ROWS), ROWS, sums);
    must(mb_privacy_posterior(w.a, &mb_kind_linreg, &w.size, &w.p, &w.bounds, ROWS, sums, &p,
                              &raised, NULL));
    assert_int_equal(raised, 0);
    assert_near(p.par[0], 0.5 * (ROWS - D - 1), 1e-6);
    for (int d = 0; d < D; d++) { /* five standard errors of 40 rows */
        const double scale = (w.high[D] - w.low[D]) / (w.high[d] - w.low[d]);

        assert_true(fabs(p.par[3 + d] / scale - coef[d + 1]) < 5 * 0.03);
    }
}

TEST(small_eigenvalues_of_noisy_sums_become_the_noise_and_are_counted)
{
    world            w = make(1);
    const mb_entropy from = {fill, &w.rng};
    int64_t          sums[64];
    int32_t          raised;
    mb_posterior     p;

    sum(&w, rows_of(&w, ROWS), ROWS, sums); /* far too few for epsilon 1 */
    must(mb_privacy_add_noise(w.a, &w.p, &from, sums, NULL));
    must(mb_privacy_posterior(w.a, &mb_kind_linreg, &w.size, &w.p, &w.bounds, ROWS, sums, &p,
                              &raised, NULL));
    assert_true(raised > 1);
    assert_true(p.par[0] > 2 && p.par[0] < 0.5 * (ROWS - D - 1));
}

/* The same moments as rows have, without their own noise: 1/3 of half the range, R2 .5. */
TEST(more_rows_or_epsilon_foresee_a_smaller_error_and_never_below_that_of_the_rows)
{
    world       w = make(1);
    mb_foreseen f;

    for (double epsilon = 0.5; epsilon < 60; epsilon *= 2) {
        double before = INFINITY;

        const mb_promise p = {.epsilon = epsilon, .delta = 1e-5, .nodes = 1};

        must(mb_privacy_make(&mb_kind_linreg, &w.size, &p, &w.p, NULL));
        for (int64_t rows = 1000; rows < 100000000; rows *= 10) {
            must(mb_privacy_foresee(w.a, &mb_kind_linreg, &w.size, &w.p, rows, 1.0 / 3, 0.5, &f,
                                    NULL));
            assert_near(f.without * sqrt((double)rows), sqrt(0.5), 0.01);
            assert_true(f.with > f.without && f.with < before);
            before = f.with;
        }
        assert_true(f.with < 1.1 * f.without);
    }
}

TEST(what_no_release_can_be_made_of_is_refused)
{
    static const struct {
        const mb_kind *kind;
        mb_promise     promise;
        const char    *says;
    } cases[] = {
        {&mb_kind_gmm, {1, 1e-5, 1, 0}, "model gmm has no intervals that know the noise"},
        {&mb_kind_linreg, {0, 1e-5, 1, 0}, "got epsilon 0;"},
        {&mb_kind_linreg, {101, 1e-5, 1, 0}, "got epsilon 101;"},
        {&mb_kind_linreg, {1, 0, 1, 0}, "got delta 0;"},
        {&mb_kind_linreg, {1, 1, 1, 0}, "got delta 1;"},
        {&mb_kind_linreg, {1, 1e-5, 2, 0}, "got a network of 2 nodes; expected 3 to 1024"},
        {&mb_kind_linreg, {1, 1e-5, 1025, 0}, "got a network of 1025 nodes;"},
        {&mb_kind_linreg, {1, 1e-5, 4, 4}, "got 4 colluders among 4 nodes; expected 0 to 3"},
        {&mb_kind_linreg, {1, 1e-5, 4, -1}, "got -1 colluders among 4 nodes;"},
        {&mb_kind_linreg, {1e-9, 1e-12, 1, 0}, "hides any number of rows"}};
    const mb_sizes size = {.D = D, .intercept = 1};
    mb_privacy     p;
    mb_err         err;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        err = (mb_err){0};
        assert_int_equal(mb_privacy_make(cases[k].kind, &size, &cases[k].promise, &p, &err),
                         MB_E_ARG);
        assert_non_null(strstr(err.msg, cases[k].says));
    }
}

/* What the nodes that are honest draw hides a row by itself; all of it is what the intervals know. */
TEST(what_colluders_know_leaves_noise_enough_and_all_of_it_is_known)
{
    const world alone = make(1);

    for (int32_t n = 3; n <= MB_PRIVATE_MOST; n = 2 * n + 1)
        for (int32_t t = 0; t < n; t += n / 3) {
            const mb_promise promise = {.epsilon = 1, .delta = 1e-5, .nodes = n, .colluders = t};
            mb_privacy       p;
            double           honest, change;

            must(mb_privacy_make(&mb_kind_linreg, &alone.size, &promise, &p, NULL));
            honest = (double)p.share * sqrt(n - t);
            change = p.sensitivity / p.unit + sqrt((double)mb_privacy_len(&p));
            assert_true(p.share >= 1 << 10 && change <= p.mu * honest);
            assert_near(p.sd / alone.p.sd, sqrt((double)n / (n - t)), 1e-4);
            assert_near(p.sd / (p.unit * honest), sqrt((double)n / (n - t)), 1e-12);
        }
}

enum { NODES = 20, EACH = 7 };

/* Masks, and how often each node has asked for them. */
typedef struct asked {
    const mb_masks *masks;
    int             by[NODES];
} asked;

static int32_t ask(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n, double *w)
{
    asked *a = self;

    a->by[id]++;
    assert_int_equal(mb_word(w, n - 1), EACH); /* the number of its rows is masked, too */
    return a->masks->add(a->masks->self, id, epoch, pass, n, w);
}

/* Sums of all nodes, whose rows are those of x in their order, and the noise that they draw. */
static void release(const char *topology, const world *w, const double *x, int64_t *sums,
                    int64_t *noise)
{
    mb_network       net;
    mb_local_part    place;
    mb_masks        *masks;
    const size_t     len = mb_privacy_len(&w->p);
    mb_rng           rng[NODES], again[NODES];
    mb_entropy       from[NODES];
    int64_t          count[NODES], own[NODES * 64], total;
    mb_private_nodes nodes = {.place = &place, .from = from};
    asked            all = {.by = {0}};

    must(mb_network_draw(arena, topology, 1, &(mb_network_opt){.weights = "metropolis"}, &net,
                         NULL));
    must(mb_place_make(arena, &net, NULL, &place, NULL));
    must(mb_masks_simulated_(arena, &place.part, 1, MB_PRIVATE_MOST, &masks, NULL));
    all.masks = masks;
    nodes.masks = &(mb_masks){.self = &all, .add = ask};
    must(mb_private_nodes_link(arena, &nodes, NULL));
    memset(noise, 0, len * sizeof *noise);
    for (int i = 0; i < NODES; i++) {
        const mb_rows rows = {
            .x = x + (size_t)i * EACH * (D + 1), .n = EACH, .d = D + 1, .ld = D + 1};

        rng[i] = again[i] = mb_rng_at(3, MB_STREAM_NOISE, 0, (uint64_t)i);
        from[i] = (mb_entropy){fill, &again[i]};
        must(mb_privacy_add_noise(arena, &w->p, &from[i], noise, NULL));
        from[i].self = &rng[i];
        count[i] = EACH;
        must(mb_privacy_sums(arena, &w->p, &rows, &w->bounds, own + (size_t)i * len, NULL));
    }
    must(mb_private_nodes_sum(arena, &w->p, &nodes, own, count, sums, &total, NULL));
    assert_int_equal(total, NODES * EACH);
    for (int i = 0; i < NODES; i++)
        assert_int_equal(all.by[i], 1);
    place.tp.ops->close(&place.tp);
}

TEST(a_network_releases_the_sums_of_one_machine_with_the_noise_of_all_nodes_over_any_tree)
{
    static const char *const topology[] = {"ring:n=20", "star:n=20", "path:n=20"};
    const mb_promise promise = {.epsilon = 1, .delta = 1e-5, .nodes = NODES, .colluders = 9};
    world            w = make(1);
    double          *x;
    int64_t          exact[64], sums[64], noise[64];

    must(mb_privacy_make(&mb_kind_linreg, &w.size, &promise, &w.p, NULL));
    x = rows_of(&w, NODES * EACH);
    sum(&w, x, NODES * EACH, exact);
    for (size_t k = 0; k < sizeof topology / sizeof *topology; k++) {
        release(topology[k], &w, x, sums, noise);
        for (size_t l = 0; l < mb_privacy_len(&w.p); l++)
            assert_int_equal(sums[l], exact[l] + noise[l]);
    }
    assert_int_equal(noise[0], 0);
}

RUN_TESTS(arena_up, arena_down)
