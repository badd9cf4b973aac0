/* test_own_mixture.c - mixtures of an emission of the caller's, against closed forms and against the
 * library's own counts. */
#include "arena.h"
#include "model/columns.h"
#include "model/components.h"
#include "model/kind.h"
#include "model/model.h"
#include "test.h"

enum { N = 8, D = 2, K = 2 };

static mb_err err;

static const double x[N * D] = {1, 0, 0, 2, 4, 9, 2, 1, 1, 1, 7, 12, 6, 8, 0, 0};

static double exponential(double value, double *t)
{
    t[0] = 1;
    t[1] = -value;
    return value >= 0 ? 0 : (double)NAN;
}

static double time_of(const double *rate, mb_rng *rng)
{
    return -log(mb_rng_uniform(rng)) / *rate;
}

static double poisson(double value, double *t)
{
    t[0] = value;
    t[1] = -1;
    return -lgamma(value + 1);
}

static void mean_time(const double *par, int32_t n, double *mean, double *variance)
{
    assert_int_equal(n, 1);
    if (mean)
        *mean = par[1] / par[0];
    if (variance)
        *variance = 9;
}

static const mb_named    names[] = {{"shape", 0, 1}, {"rate", 1, 1}, {NULL, 0, 0}};
static const double      each[] = {4, 8};
static const mb_emission times = {.family = &mb_gamma,
                                  .expects = "a time >= 0",
                                  .statistics = exponential,
                                  .draw = time_of,
                                  .numbers = names,
                                  .prior = each,
                                  .moments = mean_time};
static const mb_emission counts = {
    .family = &mb_gamma, .expects = "a count", .statistics = poisson, .draw = time_of};

static const double prior[2 * D] = {2, 3, 1.5, 0.5};

static mb_model model_of(const mb_emission *e, int32_t components)
{
    mb_model m;

    must(mb_mixture_new(arena, e, components, D, 0.7, prior, &m, &err));
    return m;
}

static mb_rows rows_of(const double *from, int64_t n)
{
    return (mb_rows){.x = from, .n = n, .d = D, .ld = D};
}

/* Gamma(a + n, b + sum x), and of the weight alpha0 + n. */
TEST(one_component_has_the_closed_form)
{
    const mb_model m = model_of(&times, 1);
    const mb_rows  rows = rows_of(x, N);
    double        *phi = doubles(m.layout.len), *par = doubles(m.layout.len);
    double        *star = doubles(m.layout.len), *scratch = doubles(mb_local_scratch(&m)), bound;
    double         evidence = 0;

    must(mb_local_step(&m, &rows, 1, m.prior, phi, NULL, NULL, scratch, &err));
    must(mb_local_step(&m, &rows, 1, phi, star, &bound, NULL, scratch, &err));
    must(mb_to_par(&m.layout, phi, par, scratch, &err));
    assert_near(par[0], 0.7 + N, 1e-13);
    for (int d = 0; d < D; d++) {
        const double a = prior[2 * d], b = prior[2 * d + 1];
        double       sum = 0;

        for (int j = 0; j < N; j++)
            sum += x[j * D + d];
        assert_near(par[mb_mixture_at(&m, 0, d)], a + N, 1e-12);
        assert_near(par[mb_mixture_at(&m, 0, d) + 1], b + sum, 1e-12);
        evidence += lgamma(a + N) - lgamma(a) + a * log(b) - (a + N) * log(b + sum);
    }
    assert_near(bound, evidence, 1e-11);
}

/* With the rate integrated out a time has density a b^a/(b + x)^(a + 1). */
TEST(predictive_density_is_that_of_lomax)
{
    const mb_model m = model_of(&times, 1);
    const mb_rows  rows = rows_of(x, N);
    double        *out = doubles(N), *scratch = doubles(m.scratch);

    must(m.ops->predict(&m, m.prior, &rows, MB_WANT_LOGPDF, out, scratch, &err));
    for (int j = 0; j < N; j++) {
        double want = 0;

        for (int d = 0; d < D; d++) {
            const double a = prior[2 * d], b = prior[2 * d + 1];

            want += log(a) + a * log(b) - (a + 1) * log(b + x[j * D + d]);
        }
        assert_near(out[j], want, 1e-13);
    }
}

/* The prior of the library's counts is Gamma(1, 1) and its weights' is 1/K without moments. */
TEST(counts_are_those_of_latent_classes)
{
    static const double unit[2 * D] = {1, 1, 1, 1};
    const mb_column     kind[D] = {{.kind = MB_COLUMN_COUNT}, {.kind = MB_COLUMN_COUNT}};
    const mb_rows       rows = rows_of(x, N);
    double              resp[N * K];
    mb_columns          columns;
    mb_model            m[2];
    double             *out[2], *scratch, *phi[2], bound[2];
    const mb_sizes      s = {.K = K, .D = D, .columns = &columns};

    must(mb_columns_make(arena, D, kind, &columns, &err));
    must(mb_kind_lca.model(arena, &s, &m[0], &err));
    must(mb_mixture_new(arena, &counts, K, D, 1.0 / K, unit, &m[1], &err));
    assert_int_equal(m[0].layout.len, m[1].layout.len);
    for (int j = 0; j < N; j++) {
        resp[j * K] = x[j * D] > 3;
        resp[j * K + 1] = 1 - resp[j * K];
    }
    for (int i = 0; i < 2; i++) {
        double *star = doubles(m[i].layout.len);

        scratch = doubles(mb_local_scratch(&m[i]));
        phi[i] = doubles(m[i].layout.len);
        out[i] = doubles(N);
        must(mb_seed_step(&m[i], &rows, 1, resp, phi[i], scratch, &err));
        for (int t = 0; t < 5; t++) {
            must(mb_local_step(&m[i], &rows, 1, phi[i], star, &bound[i], NULL, scratch, &err));
            memcpy(phi[i], star, m[i].layout.len * sizeof *star);
        }
        must(m[i].ops->predict(&m[i], phi[i], &rows, MB_WANT_LOGPDF, out[i], scratch, &err));
    }
    assert_all_near(phi[1], phi[0], m[0].layout.len, 1e-10);
    assert_all_near(out[1], out[0], N, 1e-11);
    assert_near(bound[1], bound[0], 1e-10);
}

/* A column without a value has the factor 1. */
TEST(gaps_say_nothing)
{
    const mb_model m = model_of(&times, 1);
    double         some[2 * D] = {1, (double)NAN, (double)NAN, 2};
    const double   whole[D] = {1, 2};
    mb_rows        rows = rows_of(some, 2);
    const mb_rows  one = rows_of(whole, 1);
    double         out[2], both, *scratch = doubles(m.scratch);

    assert_int_equal(m.ops->predict(&m, m.prior, &rows, MB_WANT_LOGPDF, out, scratch, &err),
                     MB_E_NUMERIC);
    rows.gaps = 1;
    must(m.ops->predict(&m, m.prior, &rows, MB_WANT_LOGPDF, out, scratch, &err));
    must(m.ops->predict(&m, m.prior, &one, MB_WANT_LOGPDF, &both, scratch, &err));
    assert_near(out[0] + out[1], both, 1e-14);
}

TEST(a_value_that_is_none_is_named)
{
    const mb_model m = model_of(&times, K);
    const double   bad[2 * D] = {1, 2, 3, -4};
    const mb_rows  rows = rows_of(bad, 2);
    double        *s = doubles(m.layout.len), *scratch = doubles(mb_local_scratch(&m));
    const double   resp[2 * K] = {1, 0, 0, 1};

    assert_int_equal(m.ops->stats(&m, m.prior, &rows, s, NULL, scratch, &err), MB_E_NUMERIC);
    assert_string_equal(err.msg, "row 1, column 2: got -4; expected a time >= 0");
    assert_int_equal(mb_seed_step(&m, &rows, 1, resp, s, scratch, &err), MB_E_NUMERIC);
}

TEST(what_cannot_be_is_refused)
{
    static const mb_emission wide = {.family = &mb_normal_wishart,
                                     .expects = "a number",
                                     .statistics = exponential,
                                     .draw = time_of};
    mb_model                 m;

    assert_int_equal(mb_mixture_new(arena, &times, 0, D, 1, prior, &m, &err), MB_E_ARG);
    assert_string_equal(err.msg, "K = 0 components; expected 1 to 1000000");
    assert_int_equal(mb_mixture_new(arena, &times, K, 0, 1, prior, &m, &err), MB_E_ARG);
    assert_int_equal(mb_mixture_new(arena, &times, K, D, 0, prior, &m, &err), MB_E_ARG);
    assert_int_equal(mb_mixture_new(arena, &wide, K, D, 1, prior, &m, &err), MB_E_ARG);
}

/* E[x] = b/(a - 1) with a = 30 and 42: standard errors below 0.002 and 0.006. */
TEST(rows_that_are_drawn_have_the_expected_mean)
{
    enum { ROWS = 40000 };
    static const double par[2 * D] = {30, 10, 42, 41};
    mb_model            m;
    double             *all, *out = doubles(ROWS * (1 + D)), *scratch, sum[D] = {0};

    must(mb_mixture_new(arena, &times, 1, D, 1, par, &m, &err));
    all = doubles(m.layout.len);
    scratch = doubles(m.scratch + m.layout.scratch);
    must(mb_to_par(&m.layout, m.prior, all, scratch, &err));
    must(m.ops->sample(&m, all, 5, 0, ROWS, out, scratch, &err));
    for (int j = 0; j < ROWS; j++)
        for (int d = 0; d < D; d++)
            sum[d] += out[j * (1 + D) + 1 + d] / ROWS;
    assert_near(sum[0], 10.0 / 29, 0.01);
    assert_near(sum[1], 1, 0.03);
}

static mb_kind kind_of(const mb_emission *const *list)
{
    mb_emissions *all = mb_alloc(arena, 1, sizeof *all);

    *all = (mb_emissions){list, &mb_by_emissions};
    return (mb_kind){.name = "own", .title = "own", .emissions = all};
}

TEST(a_kind_follows_from_its_emissions)
{
    static const mb_emission *const list[] = {&times, NULL};
    static const double             par[] = {3, 1, 4, 8, 2, 10, 5, 5, 9, 18}; /* weights first */
    const mb_kind                   own = kind_of(list);
    const mb_sizes                  size = {.K = K, .D = D};
    const double                    same[] = {4, 8, 4, 8};
    mb_field                        f[MB_FIELDS_MAX];
    mb_components                   c;
    mb_model                        m, by_hand;
    double                          shares[K];

    must(mb_kind_model(arena, &own, &size, &m, &err));
    must(mb_mixture_new(arena, &times, K, D, 1, same, &by_hand, &err));
    assert_true(m.layout.hash == by_hand.layout.hash);
    assert_memory_equal(m.prior, by_hand.prior, m.layout.len * sizeof *m.prior);
    assert_int_equal(mb_kind_fields(&own, &size, f), 4);
    assert_string_equal(f[3].key, "rate");
    assert_near(par[mb_field_at(&f[3], 1, 1)], 18, 0); /* component 1, column 1 */
    must(mb_kind_derive(arena, &own, &size, par, shares, &err));
    assert_near(shares[0], .75, 0);
    must(mb_components_make(arena, &own, &size, par, &c, &err));
    assert_near(c.mean[0 * D + 1], 5, 0);
    assert_near(c.mean[1 * D + 0], 1, 0);
    assert_near(c.variance[1 * D + 1], 9, 0);
    assert_true(mb_components_less(&c, 1, 0));
    assert_int_equal(mb_kind_drawn(&own, &size, f), 0);
}

TEST(emissions_that_a_kind_cannot_list_are_refused)
{
    static const mb_emission *const nameless[] = {&counts, NULL};
    const mb_kind                   own = kind_of(nameless);
    mb_model                        m;

    assert_int_equal(mb_kind_model(arena, &own, &(mb_sizes){.K = K, .D = D}, &m, &err), MB_E_ARG);
    assert_string_equal(err.msg,
                        "emission 0 of model own: expected one of at most 7, with `numbers` "
                        "and `moments`");
}

TEST(a_column_that_no_emission_explains_is_refused)
{
    mb_emission              of_counts = times;
    const mb_emission *const list[] = {&of_counts, NULL};
    const mb_column          kind[D] = {{.kind = MB_COLUMN_COUNT}, {.kind = MB_COLUMN_NUMBER}};
    const mb_kind            own = kind_of(list);
    mb_columns               columns;
    mb_model                 m;

    of_counts.columns = 1U << MB_COLUMN_COUNT;
    must(mb_columns_make(arena, D, kind, &columns, &err));
    assert_int_equal(
        mb_kind_model(arena, &own, &(mb_sizes){.K = K, .D = D, .columns = &columns}, &m, &err),
        MB_E_ARG);
    assert_string_equal(err.msg, "column 2: no emission of model own explains a number");
}

RUN_TESTS(arena_up, arena_down)
