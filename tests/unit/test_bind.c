/* test_bind.c - handles of bindings: errors, owners, stops, ticks, answers, sums, texts. */
#include "bind/handle.h"
#include "bind_world.h"
#include "meshbayes/extend.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 300, D = 2 };
static double cloud[N * D];

static int up(void **state)
{
    mb_rng r = gen_rng(4);

    arena_up(state);
    for (int j = 0; j < N * D; j++)
        cloud[j] = mb_rng_normal(&r) + 4 * (j / D % 3) * (j % D ? -1 : 1);
    return 0;
}

static mb_bind *mixture(void)
{
    mb_bind *f = mb_bind_new("gmm");

    done(f, mb_bind_set(f, "n-components", "3"));
    matrix(f, "x", N, D, D, cloud);
    return f;
}

static mb_bind *fitted(void)
{
    mb_bind *f = mixture();

    done(f, mb_bind_fit(f, NULL, NULL));
    return f;
}

/* A few rounds from one initialisation, where the answer does not matter. */
static mb_bind *hasty(const bench *b)
{
    mb_bind *f = facade_of(b);

    done(f, mb_bind_set(f, "rounds", "3"));
    done(f, mb_bind_set(f, "n-init", "1"));
    return f;
}

static const char *text_of(mb_bind *f, const char *name)
{
    int         type;
    int32_t     ndim;
    int64_t     shape[3];
    const void *x;

    done(f, mb_bind_get(f, -1, name, &type, &ndim, shape, &x));
    assert_int_equal(type, MB_BIND_TEXT);
    return *(const char *const *)x;
}

/* The error of the last call has these words. */
static void says(const mb_bind *f, int code, const char *words)
{
    const char *text;

    assert_int_equal(mb_bind_error(f, &text, NULL, NULL, NULL), code);
    if (!strstr(text, words))
        fail_msg("\"%s\" has no \"%s\"", text, words);
}

TEST(an_unknown_model_is_a_handle_that_holds_the_error)
{
    mb_bind *f = mb_bind_new("gnn");

    says(f, MB_E_ARG, "got \"gnn\"");
    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_ARG);
    assert_int_equal(mb_bind_set(f, "seed", "1"), MB_E_ARG);
    says(f, MB_E_ARG, "got \"gnn\"");
    mb_bind_free(f);
    mb_bind_free(NULL);
}

TEST(an_error_names_option_row_and_column_and_keeps_the_former_result)
{
    mb_bind    *f = fitted();
    double      bad[N * D], bound = number(f, -1, "bound");
    const char *option;
    int64_t     row, column;

    memcpy(bad, cloud, sizeof bad);
    bad[2 * 7 + 1] = INFINITY;
    assert_int_equal(mb_bind_set(f, "tol", "-1"), MB_E_ARG);
    mb_bind_error(f, &option, NULL, NULL, NULL);
    assert_memory_equal(option, "tol: got", 8); /* without the dashes of the command line */
    mb_bind_error(f, NULL, &option, &row, NULL);
    assert_string_equal(option, "tol");
    assert_int_equal(row, -1);
    matrix(f, "x", N, D, D, bad);
    assert_true(mb_bind_fit(f, NULL, NULL) < 0);
    assert_true(number(f, -1, "bound") == bound);
    matrix(f, "x", N, D, D, bad);
    assert_int_equal(mb_bind_score(f, -1, 0, &(double){0}, &(double){0}, NULL), MB_E_NUMERIC);
    mb_bind_error(f, NULL, &option, &row, &column);
    assert_string_equal(option, "x");
    assert_int_equal(row, 7);
    assert_int_equal(column, 1);
    mb_bind_free(f);
}

/* The error of the last call is there, and its text speaks of no node. */
static void is_at(const mb_bind *f, const char *option, int64_t row, int64_t column)
{
    const char *text, *got;
    int64_t     r, c;

    assert_true(mb_bind_error(f, &text, &got, &r, &c) < 0);
    assert_string_equal(got, option);
    assert_int_equal(r, row);
    assert_int_equal(c, column);
    if (strstr(text, "node"))
        fail_msg("\"%s\" speaks of a node", text);
}

TEST(the_error_of_a_fit_names_option_row_and_column)
{
    mb_bind *f = mixture(), *g = mb_bind_new("glm");
    double   bad[N * D], y[N] = {0};
    int32_t  label[N] = {0};

    memcpy(bad, cloud, sizeof bad);
    bad[2 * 7 + 1] = INFINITY;
    matrix(f, "x", N, D, D, bad);
    assert_true(mb_bind_fit(f, NULL, NULL) < 0);
    is_at(f, "x", 7, 1);
    says(f, MB_E_NUMERIC, "row 7");
    label[9] = 3;
    matrix(f, "x", N, D, D, cloud);
    done(f, mb_bind_array(f, "labels", MB_BIND_I4, 1, (int64_t[]){N}, (int64_t[]){4}, label));
    assert_true(mb_bind_fit(f, NULL, NULL) < 0);
    is_at(f, "labels", 9, -1);
    matrix(f, "x", N, D, D, cloud);
    done(f, mb_bind_set(f, "prior.nu0", "0.5")); /* too few for two columns */
    assert_true(mb_bind_fit(f, NULL, NULL) < 0);
    is_at(f, "prior.nu0", -1, -1);
    y[4] = 0.5;
    matrix(g, "x", N, D, D, cloud);
    matrix(g, "y", N, 1, 1, y);
    assert_true(mb_bind_fit(g, NULL, NULL) < 0);
    is_at(g, "y", 4, 0);
    mb_bind_free(f);
    mb_bind_free(g);
}

TEST(the_rule_by_the_bound_is_that_of_the_library)
{
    mb_bind    *f = mixture(), *g = mixture();
    mb_table    t = {.rows = {.x = cloud, .n = N, .d = D, .ld = D}};
    mb_fit_opt  o = mb_fit_defaults();
    mb_gmm_kind kind = {.mu0_at = NULL};
    mb_fit      fit;

    must(mb_opt_defaults(mb_kind_gmm.opts, &kind, NULL));
    must(mb_opt_set(mb_opt_find(mb_kind_gmm.opts, "n-components"), "3", &kind, NULL));
    o.kind = &mb_kind_gmm;
    o.kind_opt = &kind;
    o.tol = 1e-3;
    o.how.stop = MB_STOP_RULE_BOUND;
    must(mb_fit_run(arena, NULL, &t, &o, &fit, NULL));
    for (int k = 0; k < 2; k++) {
        done(k ? g : f, mb_bind_set(k ? g : f, "tol", "1e-3"));
        done(k ? g : f, mb_bind_set(k ? g : f, "stop", k ? "moved" : "bound"));
        done(k ? g : f, mb_bind_fit(k ? g : f, NULL, NULL));
    }
    same_answer(f, -1, &fit.posterior, &fit.out);
    assert_true(number(f, -1, "rounds") < number(g, -1, "rounds") ||
                number(f, -1, "rounds") > number(g, -1, "rounds"));
    mb_fit_close(&fit);
    mb_bind_free(f);
    mb_bind_free(g);
}

TEST(arrays_are_forgotten_when_a_fit_has_returned)
{
    mb_bind *f = fitted();

    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_ARG);
    says(f, MB_E_ARG, "x: got no array");
    mb_bind_free(f);
}

/* What a tick is to do. */
typedef struct ticks {
    int      at, answer, calls; /* the answer in call number `at`; else 0 */
    int32_t  attempt;
    double   bound;
    mb_bind *stop;
} ticks;

static int tick(void *self, int32_t attempt, int64_t t, double bound)
{
    ticks *s = self;

    assert_true(t > 0);
    s->attempt = attempt;
    s->bound = bound;
    if (++s->calls < s->at || !s->at)
        return 0;
    if (s->stop)
        mb_bind_stop(s->stop);
    return s->answer;
}

TEST(a_tick_sees_the_bound_of_the_result_in_data_units)
{
    mb_bind *f = mixture();
    ticks    t = {0};

    done(f, mb_bind_fit(f, tick, &t));
    assert_int_equal(t.attempt, -1);
    assert_near(t.bound, number(f, -1, "bound"), 1e-9);
    assert_string_equal(text_of(f, "verdict"), "settled");
    mb_bind_free(f);
}

TEST(a_tick_changes_no_bit)
{
    mb_bind *f = mixture(), *g = fitted();
    ticks    t = {0};
    size_t   n;

    done(f, mb_bind_fit(f, tick, &t));
    assert_memory_equal(numbers_of(f, -1, "means", &n), numbers_of(g, -1, "means", &n), 6 * 8);
    mb_bind_free(f);
    mb_bind_free(g);
}

TEST(a_tick_that_stops_keeps_what_there_is_in_the_search_too)
{
    for (int at = 1; at < 60; at += 7)
        for (int by_call = 0; by_call < 2; by_call++) {
            mb_bind *f = mixture();
            ticks    t = {.at = at, .answer = !by_call, .stop = by_call ? f : NULL};

            done(f, mb_bind_set(f, "n-init", "10"));
            done(f, mb_bind_set(f, "tol", "0"));
            done(f, mb_bind_set(f, "rounds", "100"));
            done(f, mb_bind_fit(f, tick, &t));
            assert_string_equal(text_of(f, "verdict"), "interrupted");
            assert_true(isfinite(number(f, -1, "bound")));
            matrix(f, "x", N, D, D, cloud);
            done(f, mb_bind_fit(f, NULL, NULL)); /* begins without the stop */
            assert_string_not_equal(text_of(f, "verdict"), "interrupted");
            mb_bind_free(f);
        }
}

TEST(a_tick_that_fails_leaves_the_former_result)
{
    mb_bind *f = fitted();
    double   bound = number(f, -1, "bound");
    ticks    t = {.at = 3, .answer = -1};

    matrix(f, "x", N, D, D, cloud);
    assert_int_equal(mb_bind_fit(f, tick, &t), MB_E_STOPPED);
    says(f, MB_E_STOPPED, "tick");
    assert_int_equal(t.calls, 3);
    assert_true(number(f, -1, "bound") == bound);
    mb_bind_free(f);
}

TEST(a_trace_ends_with_the_bound)
{
    mb_bind      *f = mixture();
    size_t        n;
    const double *x;

    done(f, mb_bind_set(f, "trace", "on"));
    done(f, mb_bind_fit(f, NULL, NULL));
    x = numbers_of(f, -1, "trace", &n);
    assert_true(n >= 4 && n % 2 == 0);
    assert_near(x[n - 1], number(f, -1, "bound"), 1e-9);
    assert_true(x[n - 2] == number(f, -1, "rounds"));
    for (size_t k = 3; k < n; k += 2)
        assert_true(x[k] >= x[k - 2] - 1e-9 * fabs(x[k]));
    mb_bind_free(f);
}

TEST(predictions_are_those_of_the_library)
{
    mb_bind      *f = fitted();
    mb_posterior  p;
    mb_provenance from;
    const char   *json;
    size_t        n;
    int64_t       shape[2];
    double        got[N * 3], want[N * 3], *scratch, mean, weight;
    mb_rows       rows = {.x = cloud, .n = N, .d = D, .ld = D};

    done(f, mb_bind_json(f, -1, &json, &n));
    must(mb_posterior_parse(arena, json, n, "text", NULL, &p, &from, NULL));
    scratch = doubles(mb_posterior_scratch(&p, N));
    must(mb_posterior_predict(&p, &rows, MB_WANT_RESP, 0, want, scratch, NULL));
    matrix(f, "x", N, D, D, cloud);
    done(f, mb_bind_predict(f, -1, "responsibilities", 0, 0, NULL, shape));
    assert_int_equal(shape[0], N);
    assert_int_equal(shape[1], 3);
    done(f, mb_bind_predict(f, -1, "responsibilities", 0, 0, got, shape));
    assert_memory_equal(got, want, sizeof got);
    must(mb_posterior_predict(&p, &rows, MB_WANT_LOGPDF, 0, want, scratch, NULL));
    matrix(f, "x", N, D, D, cloud);
    done(f, mb_bind_score(f, -1, 0, &mean, &weight, got));
    assert_memory_equal(got, want, N * sizeof *got);
    assert_near(weight, N, 0);
    must(mb_posterior_predict(&p, &rows, MB_WANT_LOGZ, 0, want, scratch, NULL));
    matrix(f, "x", N, D, D, cloud);
    done(f, mb_bind_score(f, -1, 1, &mean, &weight, got));
    assert_memory_equal(got, want, N * sizeof *got);
    mb_bind_free(f);
}

TEST(every_answer_of_a_model_is_given_with_names_for_its_columns)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        mb_bind           *f = hasty(&b);
        const char *const *text;
        int64_t            n, one, shape[2], names[3];

        give_rows(f, &b, NULL);
        n = 0;
        if (can_fit(f))
            done(f, mb_bind_list(f, "answers", &text, &n, &one));
        for (int64_t k = 0; k < n; k++) {
            char        name[64];
            int         type;
            int32_t     ndim;
            const void *x;
            double     *out;

            snprintf(name, sizeof name, "names.%s", text[k]);
            done(f, mb_bind_get(f, -1, name, &type, &ndim, names, &x));
            give_rows(f, &b, NULL);
            done(f, mb_bind_predict(f, -1, text[k], 0.9, 1, NULL, shape));
            assert_true(shape[0] > 0);
            assert_int_equal(shape[1], names[0]);
            out = doubles((size_t)(shape[0] * shape[1]) + 1);
            done(f, mb_bind_predict(f, -1, text[k], 0.9, 1, out, shape));
        }
        mb_bind_free(f);
    }
}

TEST(forecasts_are_listed_only_where_no_inputs_are_needed)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        mb_bind           *f = hasty(&b);
        const char *const *text;
        int64_t            n, one, shape[2];
        double             none[ROWS * 2];
        int                listed = 0;

        give_rows(f, &b, NULL);
        if (b.kind->ahead && can_fit(f)) {
            done(f, mb_bind_list(f, "answers", &text, &n, &one));
            for (int64_t k = 0; k < n; k++)
                listed |= !strcmp(text[k], "forecast");
            assert_int_equal(listed, !b.kind->targets || !b.size.D);
            give_rows(f, &b, NULL);
            if (!listed) {
                assert_int_equal(mb_bind_predict(f, -1, "forecast", 0.9, 1, none, shape),
                                 MB_E_NOSUP);
                says(f, MB_E_NOSUP, "a forecast needs the inputs of the rows that follow");
            }
        }
        mb_bind_free(f);
    }
}

TEST(rows_without_groups_are_predicted_as_one_series)
{
    const int32_t group[N] = {0};
    mb_bind      *f = mb_bind_new("structural");
    double        density[2] = {0}, ahead[2][2] = {{0}};
    int64_t       shape[2];

    matrix(f, "x", N, 1, D, cloud);
    done(f, mb_bind_set(f, "rounds", "3"));
    done(f, mb_bind_fit(f, NULL, NULL));
    for (int k = 0; k < 2; k++) {
        matrix(f, "x", N, 1, D, cloud);
        if (k)
            done(f,
                 mb_bind_array(f, "group", MB_BIND_I4, 1, (int64_t[]){N}, (int64_t[]){4}, group));
        done(f, mb_bind_predict(f, -1, "group-density", 0, 0, NULL, shape));
        assert_int_equal(shape[0], 1);
        done(f, mb_bind_predict(f, -1, "group-density", 0, 0, &density[k], shape));
        matrix(f, "x", N, 1, D, cloud);
        if (k)
            done(f,
                 mb_bind_array(f, "group", MB_BIND_I4, 1, (int64_t[]){N}, (int64_t[]){4}, group));
        done(f, mb_bind_predict(f, -1, "forecast", 0, 1, NULL, shape));
        assert_int_equal(shape[0] * shape[1], 2);
        done(f, mb_bind_predict(f, -1, "forecast", 0, 1, ahead[k], shape));
    }
    assert_memory_equal(&density[0], &density[1], sizeof density[0]);
    assert_memory_equal(ahead[0], ahead[1], sizeof ahead[0]);
    mb_bind_free(f);
}

TEST(threads_change_no_bit_of_predictions_scores_and_samples)
{
    enum { WIDE = 3 };
    mb_bind *f = fitted();
    double   got[2][N * WIDE], each[2][N], sample[2][N * D], mean[2], weight;
    int64_t  shape[2];

    for (int k = 0; k < 2; k++) {
        done(f, mb_bind_set(f, "threads", k ? "3" : "1"));
        matrix(f, "x", N, D, D, cloud);
        done(f, mb_bind_predict(f, -1, "responsibilities", 0, 0, got[k], shape));
        matrix(f, "x", N, D, D, cloud);
        done(f, mb_bind_score(f, -1, 1, &mean[k], &weight, each[k]));
        done(f, mb_bind_sample(f, -1, 0, 7, 0, N, sample[k], NULL, shape));
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    assert_memory_equal(each[0], each[1], sizeof each[0]);
    assert_memory_equal(sample[0], sample[1], sizeof sample[0]);
    assert_true(mean[0] == mean[1]);
    mb_bind_free(f);
}

TEST(samples_and_draws_depend_on_seed_and_number_alone)
{
    mb_bind *f = fitted();
    int64_t  shape[2], component[20];
    double   all[20 * D], some[5 * D], *draws;

    done(f, mb_bind_sample(f, -1, 0, 7, 0, 20, all, component, shape));
    done(f, mb_bind_sample(f, -1, 0, 7, 10, 5, some, NULL, shape));
    assert_memory_equal(some, all + 10 * D, sizeof some);
    done(f, mb_bind_sample(f, -1, 1, 7, 0, 4, NULL, NULL, shape));
    assert_int_equal(shape[0], 12);
    draws = doubles((size_t)(shape[0] * shape[1]));
    done(f, mb_bind_sample(f, -1, 1, 7, 0, 4, draws, NULL, shape));
    mb_bind_free(f);
}

TEST(a_posterior_goes_through_json_to_the_bit)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        mb_bind    *f = hasty(&b), *g;
        const char *one, *two;
        size_t      n, m;

        give_rows(f, &b, NULL);
        if (!can_fit(f)) {
            mb_bind_free(f);
            continue;
        }
        done(f, mb_bind_json(f, -1, &one, &n));
        g = mb_bind_from_json(one, n);
        done(g, mb_bind_error(g, NULL, NULL, NULL, NULL));
        done(g, mb_bind_json(g, -1, &two, &m));
        assert_int_equal(n, m);
        assert_memory_equal(one, two, n);
        mb_bind_free(f);
        mb_bind_free(g);
    }
    mb_bind *f = mb_bind_from_json("{\"format\": 1}", 13);

    assert_true(mb_bind_error(f, NULL, NULL, NULL, NULL) < 0);
    mb_bind_free(f);
}

TEST(an_update_is_that_of_the_library_also_after_json)
{
    mb_bind         *f = mb_bind_new("linreg"), *g;
    const char      *text;
    size_t           n;
    double           bound;
    mb_table         half = {.rows = {.x = cloud, .n = N / 2, .d = D, .ld = D},
                             .column = (const char *const[]){"x1", "x2"}};
    mb_fit_opt       o = mb_fit_defaults();
    mb_fit           first, second;
    mb_update_totals learnt = {0};

    matrix(f, "x", N / 2, D, D, cloud);
    done(f, mb_bind_fit(f, NULL, NULL));
    done(f, mb_bind_json(f, -1, &text, &n));
    g = mb_bind_from_json(text, n);
    o.kind = &mb_kind_linreg;
    must(mb_fit_run(arena, NULL, &half, &o, &first, NULL));
    learnt = (mb_update_totals){N / 2, N / 2, first.out.bound};
    half.rows.x += N / 2 * D;
    must(mb_fit_partial(arena, &first.posterior, 0.5, &half, &o, &learnt, &second, NULL));
    for (int k = 0; k < 2; k++) {
        mb_bind *to = k ? g : f;

        matrix(to, "x", N / 2, D, D, cloud + N / 2 * D);
        done(to, mb_bind_update(to, 0.5, NULL, NULL));
        bound = number(to, -1, "bound");
        assert_memory_equal(&bound, &learnt.bound, sizeof bound);
        same_arrays(to, -1, &second.posterior, second.posterior.par, "");
        mb_bind_free(to);
    }
    mb_fit_close(&second);
    mb_fit_close(&first);
}

/* An update is central VB, also where the fit before it was that of nodes. */
TEST(an_update_after_a_fit_of_nodes_is_that_of_one_machine)
{
    mb_bind    *f = mixture(), *g;
    const char *text;
    size_t      n, m;

    done(f, mb_bind_network(f, "ring:n=3", 1, 0, 0, NULL));
    done(f, mb_bind_algorithm(f, "edge", NULL, NULL, 0, NULL));
    done(f, mb_bind_fit(f, NULL, NULL));
    done(f, mb_bind_json(f, -1, &text, &n));
    g = mb_bind_from_json(text, n);
    for (int k = 0; k < 2; k++) {
        matrix(k ? g : f, "x", N, D, D, cloud);
        done(k ? g : f, mb_bind_update(k ? g : f, 1, NULL, NULL));
    }
    assert_string_equal(text_of(f, "algorithm"), "cvb");
    assert_int_equal((int)number(f, -1, "nodes"), 0);
    assert_true(number(f, -1, "bound") == number(g, -1, "bound"));
    assert_memory_equal(numbers_of(f, -1, "means", &n), numbers_of(g, -1, "means", &m), 48);
    mb_bind_free(f);
    mb_bind_free(g);
}

/* Half the rows in each of two handles that know one posterior, steps from their sums. */
TEST(steps_from_sums_of_two_handles_come_to_the_fit_of_all_rows)
{
    mb_bind *f = mixture(), *g = fitted(), *w[2];
    double   s[2][64], logz[2], weight[2], want = number(g, -1, "bound");
    int64_t  len = 0;

    done(f, mb_bind_set(f, "rounds", "3"));
    done(f, mb_bind_fit(f, NULL, NULL));
    for (int t = 0; t < 200 && !(t > 2 && number(f, -1, "moved") < 1e-9); t++) {
        const char *text;
        size_t      n;

        done(f, mb_bind_json(f, -1, &text, &n));
        for (int k = 0; k < 2; k++) {
            w[k] = mb_bind_from_json(text, n);
            matrix(w[k], "x", N / 2, D, D, cloud + k * (N / 2) * D);
            done(w[k], mb_bind_statistics(w[k], &len, s[k], &logz[k], &weight[k]));
            assert_true(len <= 64);
            mb_bind_free(w[k]);
        }
        for (int64_t l = 0; l < len; l++)
            s[0][l] += s[1][l];
        done(f, mb_bind_add_statistics(f, len, s[0], logz[0] + logz[1], weight[0] + weight[1], N));
    }
    assert_near(number(f, -1, "bound"), want, 1e-7);
    assert_near(number(f, -1, "weight_total"), N, 1e-12);
    assert_int_equal(mb_bind_add_statistics(f, len + 1, s[0], 0, 1, N), MB_E_SHAPE);
    mb_bind_free(f);
    mb_bind_free(g);
}

enum { CARS = 60 };
/* Columns a, b, the code of one of three words, and a target. */
static double cars[CARS][4];

static void draw_cars(void)
{
    mb_rng r = gen_rng(6);

    for (int j = 0; j < CARS; j++) {
        cars[j][0] = mb_rng_uniform(&r);
        cars[j][1] = 1 + mb_rng_uniform(&r);
        cars[j][2] = j % 3;
        cars[j][3] = cars[j][0] + log(cars[j][1]) * cars[j][2] + mb_rng_normal(&r) / 9;
    }
}

static void give_cars(mb_bind *f, int named)
{
    matrix(f, "x", CARS, 3, 4, cars[0]);
    done(f,
         mb_bind_array(f, "y", MB_BIND_F8, 1, (int64_t[]){CARS}, (int64_t[]){4 * 8}, &cars[0][3]));
    if (named)
        done(f, mb_bind_texts(f, "columns", 3, (const char *const[]){"a", "b", "c"}));
}

static mb_bind *by_formula(const char *text)
{
    mb_bind *f = mb_bind_new("linreg");

    draw_cars();
    done(f, mb_bind_set(f, "formula", text));
    give_cars(f, 1);
    done(f, mb_bind_texts(f, "kinds", 4,
                          (const char *const[]){"number", "number", "category(u|v|w)", "number"}));
    return f;
}

static void predicted(mb_bind *f, double mean[CARS][2])
{
    int64_t shape[2];

    done(f, mb_bind_predict(f, -1, "mean", 0, 0, mean[0], shape));
    assert_int_equal(shape[0] * shape[1], 2 * CARS);
}

TEST(a_formula_makes_the_inputs_of_fits_updates_and_predictions)
{
    mb_bind    *f = by_formula("y ~ c*log(b) + poly(a, 2)"), *g;
    double      one[CARS][2], two[CARS][2], apart = 0;
    const char *text;
    size_t      n;

    done(f, mb_bind_fit(f, NULL, NULL));
    give_cars(f, 0);
    predicted(f, one);
    for (int j = 0; j < CARS; j++)
        apart += fabs(one[j][0] - cars[j][3]) / CARS;
    assert_true(apart < .1);
    done(f, mb_bind_json(f, -1, &text, &n));
    g = mb_bind_from_json(text, n);
    give_cars(g, 1);
    predicted(g, two);
    assert_memory_equal(one, two, sizeof one);
    give_cars(g, 0);
    done(g, mb_bind_update(g, 1, NULL, NULL));
    give_cars(g, 0);
    predicted(g, two);
    assert_true(two[0][1] < one[0][1]); /* surer */
    mb_bind_free(f);
    mb_bind_free(g);
}

/* Twelve groups of five cars. */
static void give_groups(mb_bind *f)
{
    static int32_t group[CARS];

    for (int j = 0; j < CARS; j++)
        group[j] = j / 5;
    give_cars(f, 0);
    done(f, mb_bind_array(f, "group", MB_BIND_I4, 1, (int64_t[]){CARS}, (int64_t[]){4}, group));
}

TEST(an_update_of_effects_that_vary_by_group_needs_the_groups)
{
    mb_bind *f = mb_bind_new("mixed");

    give_groups(f);
    done(f, mb_bind_fit(f, NULL, NULL));
    give_cars(f, 0);
    assert_int_equal(mb_bind_update(f, 1, NULL, NULL), MB_E_ARG);
    says(f, MB_E_ARG, "group: got no array");
    give_groups(f);
    done(f, mb_bind_update(f, 1, NULL, NULL));
    mb_bind_free(f);
}

TEST(an_update_of_a_series_takes_a_batch_without_groups_as_a_sequence_as_a_fit_does)
{
    static double y[CARS];
    mb_bind      *f = mb_bind_new("structural"), *g = mb_bind_new("structural");
    const void   *rate[2];
    int64_t       shape[3];
    int32_t       ndim;
    int           type;

    draw_cars();
    for (int j = 0; j < CARS; j++)
        y[j] = (j ? 0.5 * y[j - 1] : 0) + cars[j][2];
    for (int k = 0; k < 2; k++) {
        mb_bind *to = k ? g : f;
        int32_t  one[CARS] = {0};

        for (int batch = 0; batch < 2; batch++) {
            matrix(to, "x", CARS, 1, 4, cars[0]);
            done(to, mb_bind_array(to, "y", MB_BIND_F8, 1, (int64_t[]){CARS}, (int64_t[]){8}, y));
            if (k)
                done(to, mb_bind_array(to, "group", MB_BIND_I4, 1, (int64_t[]){CARS},
                                       (int64_t[]){4}, one));
            done(to, batch ? mb_bind_update(to, 1, NULL, NULL) : mb_bind_fit(to, NULL, NULL));
        }
    }
    done(f, mb_bind_get(f, -1, "rate", &type, &ndim, shape, &rate[0]));
    done(g, mb_bind_get(g, -1, "rate", &type, &ndim, shape, &rate[1]));
    assert_memory_equal(rate[0], rate[1], 2 * sizeof(double));
    mb_bind_free(f);
    mb_bind_free(g);
}

/* Counts, of columns t, x or x, t; named 1: with their names. */
static void give_rates(mb_bind *f, int first, int named)
{
    static const char *const name[] = {"t", "x", "t"};
    static double            x[CARS][4]; /* t, x, t, count */

    for (int j = 0; j < CARS; j++) {
        x[j][0] = x[j][2] = 1 + j % 7;
        x[j][1] = cars[j][0];
        x[j][3] = floor(x[j][0] * exp(cars[j][0]) + cars[j][2]);
    }
    matrix(f, "x", CARS, 2, 4, x[0] + first);
    done(f, mb_bind_array(f, "y", MB_BIND_F8, 1, (int64_t[]){CARS}, (int64_t[]){4 * 8}, &x[0][3]));
    done(f, mb_bind_texts(f, "columns", named ? 2 : 0, name + first));
}

TEST(an_exposure_is_any_column_of_x_and_found_again)
{
    double mean[2][CARS][2], again[CARS][2];

    draw_cars();
    for (int first = 0; first < 2; first++) {
        mb_bind *f = mb_bind_new("glm");

        done(f, mb_bind_set(f, "glm.link", "poisson"));
        done(f, mb_bind_set(f, "exposure-column", "t"));
        give_rates(f, first, 1);
        done(f, mb_bind_fit(f, NULL, NULL));
        give_rates(f, first, 1);
        predicted(f, mean[first]);
        give_rates(f, first, 0);
        predicted(f, again);
        assert_memory_equal(again, mean[first], sizeof again);
        if (!first) {
            give_rates(f, 1, 1);
            predicted(f, again);
            assert_memory_equal(again, mean[first], sizeof again);
        }
        give_rates(f, first, 1);
        done(f, mb_bind_update(f, 1, NULL, NULL));
        give_rates(f, first, 1);
        predicted(f, again);
        assert_true(again[0][1] < mean[first][0][1]); /* surer */
        mb_bind_free(f);
    }
    for (int j = 0; j < CARS; j++)
        assert_near(mean[0][j][0], mean[1][j][0], 1e-6 * mean[1][j][0]);
}

TEST(what_a_formula_names_is_a_list)
{
    static const char *const expected[] = {"b c",      "input", "x",     "input", "y",
                                           "response", "site",  "group", ".",     "inputs"};
    mb_bind                 *f = mb_bind_new("mixed");
    const char *const       *text;
    int64_t                  rows, columns;

    done(f, mb_bind_list(f, "formula", &text, &rows, &columns));
    assert_int_equal(rows, 0);
    done(f, mb_bind_set(f, "formula", "y ~ . + log(`b c`) + (1 + x | site)"));
    done(f, mb_bind_list(f, "formula", &text, &rows, &columns));
    assert_int_equal(rows * columns, 10);
    for (int k = 0; k < 10; k++)
        assert_string_equal(text[k], expected[k]);
    mb_bind_free(f);
}

TEST(what_a_formula_refuses_names_the_place)
{
    const char *option;
    int64_t     row, column;
    mb_bind    *f = by_formula("y ~ a + log(b - 1)");

    cars[7][1] = 0.5;
    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_NUMERIC);
    mb_bind_error(f, NULL, &option, &row, &column);
    assert_string_equal(option, "x");
    assert_int_equal(row, 7);
    assert_int_equal(column, -1);
    mb_bind_free(f);
    f = by_formula("y ~ c");
    cars[9][2] = 3;
    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_NUMERIC);
    mb_bind_error(f, NULL, &option, &row, &column);
    says(f, MB_E_NUMERIC, "x: got 3 in row 9, column 2; expected a category");
    assert_int_equal(row, 9);
    assert_int_equal(column, 2);
    mb_bind_free(f);
    f = by_formula("a ~ b");
    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_ARG);
    says(f, MB_E_ARG, "its response is \"a\"; expected the target \"y\"");
    give_cars(f, 1);
    done(f, mb_bind_set(f, "formula", "y ~ a + (1 | site)"));
    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_ARG);
    says(f, MB_E_ARG, "model linreg has no effects that vary by group");
    mb_bind_free(f);
}

TEST(a_series_has_an_intercept_whatever_the_formula)
{
    mb_bind    *f = mb_bind_new("structural"), *g;
    const char *text;
    size_t      n;

    draw_cars();
    give_cars(f, 1);
    done(f, mb_bind_set(f, "rounds", "3"));
    done(f, mb_bind_set(f, "formula", "y ~ a + c"));
    done(f, mb_bind_texts(f, "kinds", 4,
                          (const char *const[]){"number", "number", "category(u|v|w)", "number"}));
    done(f, mb_bind_fit(f, NULL, NULL));
    done(f, mb_bind_json(f, -1, &text, &n));
    g = mb_bind_from_json(text, n);
    done(g, mb_bind_error(g, NULL, NULL, NULL, NULL));
    mb_bind_free(g);
    give_cars(f, 1);
    done(f, mb_bind_set(f, "formula", "y ~ 0 + a"));
    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_ARG);
    says(f, MB_E_ARG, "model structural always has an intercept");
    mb_bind_free(f);
}

TEST(names_that_are_given_come_out_again)
{
    mb_bind          *f = mixture();
    const char *const names[] = {"width", "h\xC3\xB6he"};
    const char       *bad = "\xFF";

    done(f, mb_bind_texts(f, "columns", 2, names));
    done(f, mb_bind_fit(f, NULL, NULL));
    int         type;
    int32_t     ndim;
    int64_t     shape[3];
    const void *x;

    done(f, mb_bind_get(f, -1, "columns", &type, &ndim, shape, &x));
    assert_int_equal(shape[0], 2);
    assert_string_equal(((const char *const *)x)[1], names[1]);
    assert_int_equal(mb_bind_texts(f, "columns", 1, &bad), MB_E_FORMAT);
    mb_bind_free(f);
}

TEST(every_name_of_a_list_of_parameters_has_its_array)
{
    static const char *const of[] = {"", "prior.", "sklearn."};
    mb_bind                 *f = mixture();

    done(f, mb_bind_fit(f, NULL, NULL));
    for (size_t k = 0; k < 3; k++) {
        char        name[64];
        int         type, means = 0;
        int32_t     ndim;
        int64_t     n[3], shape[3];
        const void *list, *x;

        snprintf(name, sizeof name, "%sparameters", of[k]);
        done(f, mb_bind_get(f, -1, name, &type, &ndim, n, &list));
        for (int64_t i = 0; i < n[0]; i++) {
            snprintf(name, sizeof name, "%s%s", of[k], ((const char *const *)list)[i]);
            done(f, mb_bind_get(f, -1, name, &type, &ndim, shape, &x));
            means += !strcmp(name + strlen(of[k]), k < 2 ? "means" : "means_");
        }
        assert_int_equal(means, 1);
    }
    mb_bind_free(f);
}

TEST(a_prior_that_cannot_be_is_a_warning)
{
    mb_bind           *f = mb_bind_new("gmm");
    double             flat[30 * D];
    const char *const *text;

    for (int j = 0; j < 30 * D; j++)
        flat[j] = (j / D) % 5;
    matrix(f, "x", 30, D, D, flat); /* a covariance without inverse */
    done(f, mb_bind_fit(f, NULL, NULL));
    assert_true(mb_bind_warnings(f, &text) >= 1);
    assert_non_null(strstr(text[0], "singular"));
    assert_non_null(strstr(text[0], "; prior.w0inv gives another")); /* without dashes */
    mb_bind_free(f);
}

TEST(numbers_of_a_prior_are_those_of_their_text)
{
    mb_bind     *f = mixture(), *g = mixture();
    const double mu[] = {0.1, -1.0 / 3};
    size_t       n;

    done(f, mb_bind_array(f, "prior.mu0", MB_BIND_F8, 1, (int64_t[]){2}, (int64_t[]){8}, mu));
    done(g, mb_bind_set(g, "prior.mu0", "0.1,-0.33333333333333331"));
    done(f, mb_bind_fit(f, NULL, NULL));
    done(g, mb_bind_fit(g, NULL, NULL));
    assert_memory_equal(numbers_of(f, -1, "means", &n), numbers_of(g, -1, "means", &n), 48);
    mb_bind_free(f);
    mb_bind_free(g);
}

/* The plain average of phi* with the neighbours', as nsg has it. */
static int emit(void *self, const mb_bind_node *nd)
{
    ++*(int *)self;
    memcpy(nd->message, nd->phi_star, (size_t)nd->len * sizeof *nd->message);
    return 0;
}

static int absorb(void *self, const mb_bind_node *nd)
{
    (void)self;
    for (int64_t l = 0; l < nd->len; l++) {
        nd->phi[l] = nd->weight_self * nd->message[l];
        for (int32_t j = 0; j < nd->deg; j++)
            nd->phi[l] += nd->weight[j] * nd->received[j][l];
    }
    return 0;
}

static int refuses(void *self, const mb_bind_node *nd)
{
    (void)self;
    return nd->t == 4 ? -1 : 0;
}

TEST(an_algorithm_of_the_callers_has_the_bits_of_the_listed_one)
{
    mb_bind *f = mixture(), *g = mixture();
    int      calls = 0;
    size_t   n;

    for (int k = 0; k < 2; k++) {
        mb_bind *to = k ? g : f;

        done(to, mb_bind_network(to, NULL, 0, 4, 4, (int32_t[]){0, 1, 1, 2, 2, 3, 3, 0}));
        done(to, mb_bind_set(to, "rounds", "20"));
    }
    done(f, mb_bind_algorithm(f, "mine", emit, absorb, 0, &calls));
    done(g, mb_bind_algorithm(g, "nsg", NULL, NULL, 0, NULL));
    done(f, mb_bind_fit(f, NULL, NULL));
    done(g, mb_bind_fit(g, NULL, NULL));
    assert_true(calls == 4 * (int)number(f, -1, "rounds"));
    assert_string_equal(text_of(f, "algorithm"), "mine");
    assert_int_equal((int)number(f, -1, "nodes"), 4);
    assert_memory_equal(numbers_of(f, 2, "means", &n), numbers_of(g, 2, "means", &n), 48);
    numbers_of(f, -1, "distance", &n);
    assert_int_equal(n, 4);
    matrix(f, "x", N, D, D, cloud);
    done(f, mb_bind_algorithm(f, "mine", emit, refuses, 0, &calls));
    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_ARG);
    says(f, MB_E_ARG, "round 4");
    mb_bind_free(f);
    mb_bind_free(g);
}

TEST(the_links_of_a_drawn_network_are_given)
{
    static const int64_t chain[] = {0, 1, 1, 2};
    mb_bind             *f = mixture();
    const void          *x;
    int64_t              shape[3];
    int32_t              ndim;
    int                  type;

    done(f, mb_bind_fit(f, NULL, NULL));
    assert_int_equal(mb_bind_get(f, -1, "links", &type, &ndim, shape, &x), MB_E_ARG);
    matrix(f, "x", N, D, D, cloud);
    done(f, mb_bind_network(f, "path:n=3", 1, 0, 0, NULL));
    done(f, mb_bind_algorithm(f, "edge", NULL, NULL, 0, NULL));
    done(f, mb_bind_set(f, "rounds", "2"));
    done(f, mb_bind_fit(f, NULL, NULL));
    done(f, mb_bind_get(f, -1, "links", &type, &ndim, shape, &x));
    assert_int_equal(type, MB_BIND_I8);
    assert_int_equal(ndim, 2);
    assert_int_equal(shape[0], 2);
    assert_int_equal(shape[1], 2);
    assert_memory_equal(x, chain, sizeof chain);
    mb_bind_free(f);
}

TEST(a_network_that_is_none_is_refused)
{
    mb_bind *f = mixture();

    done(f, mb_bind_network(f, NULL, 0, 4, 1, (int32_t[]){0, 1}));
    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_ARG);
    says(f, MB_E_ARG, "not connected");
    done(f, mb_bind_network(f, NULL, 0, 0, 0, NULL));
    matrix(f, "x", N, D, D, cloud);
    assert_int_equal(mb_bind_network(f, "ring", 0, 0, 0, NULL), MB_E_ARG);
    done(f, mb_bind_algorithm(f, "edge", NULL, NULL, 0, NULL));
    assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_ARG);
    says(f, MB_E_ARG, "edge needs a network");
    mb_bind_free(f);
}

static int fits(void *self, int32_t attempt, int64_t t, double bound)
{
    (void)attempt, (void)t, (void)bound;
    if (*(double *)self == 0) {
        mb_bind *f = fitted();

        *(double *)self = number(f, -1, "bound");
        mb_bind_free(f);
    }
    return 0;
}

TEST(options_in_texts_lose_their_dashes_but_not_in_quotes)
{
    char text[] = "--tol of \"a --b\" with (--n-init) and ---";

    mb_bind_plain_(text);
    assert_string_equal(text, "tol of \"a --b\" with (n-init) and ---");
}

TEST(a_fit_in_a_tick_of_another_works)
{
    mb_bind *f = mixture();
    double   inner = 0;

    done(f, mb_bind_fit(f, fits, &inner));
    assert_true(number(f, -1, "bound") == inner);
    mb_bind_free(f);
}

static int fits_itself(void *self, int32_t attempt, int64_t t, double bound)
{
    (void)attempt, (void)t, (void)bound;
    assert_int_equal(mb_bind_fit(self, NULL, NULL), MB_E_ARG);
    return 1;
}

TEST(a_handle_at_work_refuses_calls)
{
    mb_bind *f = mixture();

    done(f, mb_bind_fit(f, fits_itself, f));
    assert_int_equal(mb_bind_error(f, NULL, NULL, NULL, NULL), MB_OK); /* of the fit, not of that */
    mb_bind_free(f);
}

TEST(an_initialisation_that_is_not_given_is_refused_by_its_name)
{
    static const char *const given[] = {"centres", "responsibilities", "posterior"};
    mb_bind                 *f = mixture();

    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        char words[64];

        snprintf(words, sizeof words, "got %s", given[k]);
        done(f, mb_bind_set(f, "init", given[k]));
        assert_int_equal(mb_bind_fit(f, NULL, NULL), MB_E_ARG);
        says(f, MB_E_ARG, words);
        matrix(f, "x", N, D, D, cloud);
    }
    done(f, mb_bind_set(f, "init", "random-from-data"));
    done(f, mb_bind_fit(f, NULL, NULL));
    mb_bind_free(f);
}

static void *fit_in_thread(void *bound)
{
    mb_bind *f = mixture();

    done(f, mb_bind_set(f, "threads", "2"));
    done(f, mb_bind_fit(f, NULL, NULL));
    *(double *)bound = number(f, -1, "bound");
    mb_bind_free(f);
    return NULL;
}

TEST(fits_in_two_threads_and_in_a_child_have_the_same_bits)
{
    pthread_t thread[2];
    double    bound[3];
    int       status;
    pid_t     child;

    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, fit_in_thread, &bound[k]), 0);
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
    assert_true(bound[0] == bound[1]);
    child = fork();
    if (!child) {
        fit_in_thread(&bound[2]);
        _exit(bound[2] == bound[0] ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

RUN_TESTS(up, arena_down)
