/* posterior.c - what every kind promises of a posterior: run against each of them, with all words of
 * their choices. */
#include "posterior/posterior.h"
#include "base/pool.h"
#include "base/rows.h"
#include "base/text.h"
#include "fit/case.h"
#include "models.h"
#include "test.h"

/* The posterior of case i after one step from the rows of the bench; its prior is the model's. */
static void set_up_posterior(size_t i, bench *b, mb_posterior *p)
{
    const mb_kind *kind = NULL;
    mb_sizes       s;
    mb_model       m;
    int32_t        columns = 0;
    double        *par, *prior;

    set_up(b, i);
    assert_true(make_model(i, &m, &kind, &s, &columns));
    par = doubles(b->m.layout.len);
    prior = doubles(b->m.layout.len);
    must(mb_to_par(&b->m.layout, b->phi, par, b->scratch, &b->err));
    must(mb_to_par(&b->m.layout, b->m.prior, prior, b->scratch, &b->err));
    must(mb_posterior_make(arena, kind, &s, par, p, &b->err));
    p->prior_par = prior;
}

TEST(a_posterior_is_no_distance_from_itself)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_posterior p;
        mb_compared  c;

        set_up_posterior(i, &b, &p);
        must(mb_posterior_compare(arena, &p, &p, &c, &b.err));
        assert_near(c.kl[0], 0, 1e-8);
        assert_near(c.kl[1], 0, 1e-8);
        assert_near(c.largest, 0, 1e-8);
        for (int32_t k = 0; k < b.m.K; k++)
            assert_int_equal(c.match[k], k);
    }
}

TEST(draws_of_parameters_have_a_name_and_a_number_in_each_column)
{
    bench b;
    int   drawn = 0;

    for (size_t i = 0; i < MODELS; i++) {
        mb_posterior p;
        mb_field     f[MB_FIELDS_MAX];
        mb_draws     d;
        double      *x;
        size_t       n;

        set_up_posterior(i, &b, &p);
        if (!mb_kind_drawn(p.kind, &p.size, f))
            continue;
        must(mb_posterior_draws(arena, &p, &d, &b.err));
        n = (size_t)d.rows * (size_t)d.columns;
        x = doubles(n + 1);
        for (size_t e = 0; e <= n; e++)
            x[e] = (double)NAN;
        must(mb_posterior_draw(&p, 1, 0, x, doubles(mb_posterior_draw_scratch(&p)), &b.err));
        for (size_t e = 0; e < n; e++)
            assert_true(isfinite(x[e]));
        assert_true(isnan(x[n]));
        for (int32_t k = 0; k < d.columns; k++)
            for (int32_t l = 0; l < k; l++)
                assert_string_not_equal(d.name[k], d.name[l]);
        drawn++;
    }
    assert_true(drawn > 5);
}

/* Spoils what a posterior borrows, as the end of its arena does. */
static void spoil(const void *x, size_t n)
{
    if (x && n)
        memset((void *)(uintptr_t)x, 0xff, n);
}

TEST(a_copy_needs_nothing_of_the_original)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_arena    *own = mb_arena_new(1 << 12);
        mb_posterior p, q;
        double       before[ROWS], after[ROWS];
        const char  *name;

        set_up_posterior(i, &b, &p);
        if (p.size.columns) {
            mb_columns *columns = mb_alloc(arena, 1, sizeof *columns);

            *columns = *p.size.columns; /* which is static */
            p.size.columns = columns;
        }
        must(mb_posterior_predict(&p, &b.rows, MB_WANT_LOGPDF, 0, before,
                                  doubles(mb_posterior_scratch(&p, ROWS)), &b.err));
        name = p.size.D ? mb_text(arena, &b.err, "%s", p.column[0]) : "";
        must(mb_posterior_copy(own, &p, &q, &b.err));
        assert_int_equal(!q.target, !p.target);
        spoil(p.par, p.len * sizeof *p.par);
        spoil(p.prior_par, p.len * sizeof *p.par);
        spoil(p.phi, p.len * sizeof *p.par);
        spoil(p.units.origin, (size_t)p.units.d * sizeof(double));
        spoil(p.size.D ? p.column[0] : NULL, 1);
        spoil(p.column, (size_t)p.size.D * sizeof *p.column);
        spoil(p.model, sizeof *p.model);
        if (p.size.columns)
            spoil(p.size.columns, sizeof *p.size.columns);
        must(mb_posterior_predict(&q, &b.rows, MB_WANT_LOGPDF, 0, after,
                                  doubles(mb_posterior_scratch(&q, ROWS)), &b.err));
        assert_memory_equal(after, before, sizeof after);
        assert_string_equal(p.size.D ? q.column[0] : "", name);
        assert_true(isfinite(q.prior_par[0]));
        mb_arena_free(own);
    }
}

enum { TIMES = 2, MANY = TIMES * ROWS, MOST_THREADS = 3 };

/* The rows of the bench, twice, which is four parts, or once, which is two. */
static mb_rows many_rows(const bench *b)
{
    const size_t each = (size_t)(ROWS * b->rows.d), times = (size_t)sized(TIMES, 1);
    double      *x = doubles(TIMES * each), *w = doubles(MANY);

    for (size_t k = 0; k < times; k++) {
        memcpy(x + k * each, b->x, each * sizeof *x);
        memcpy(w + k * ROWS, b->w, sizeof b->w);
    }
    return (mb_rows){
        .x = x, .w = w, .n = (int64_t)times * ROWS, .d = b->rows.d, .ld = (size_t)b->rows.d};
}

/* Groups of 1 to 40 rows, some of them without any. */
static void group_rows(mb_rows *rows)
{
    int64_t *first = mb_alloc(arena, MANY + 1, sizeof *first);

    rows->first = first;
    for (int64_t j = 0; j < rows->n; j += rows->ngroup % 41) {
        first[rows->ngroup++] = j;
        if (rows->ngroup % 41 == 0)
            first[rows->ngroup++] = j;
    }
    first[rows->ngroup] = rows->n;
    for (int32_t g = 0; g < rows->ngroup; g++)
        for (int64_t j = first[g]; j < first[g + 1]; j++)
            ((double *)(uintptr_t)rows->w)[j] = rows->w[first[g]];
}

TEST(predictions_on_a_pool_have_the_bits_of_one_call)
{
    static const mb_want wants[] = {MB_WANT_LOGPDF,   MB_WANT_RESP,  MB_WANT_LABEL,
                                    MB_WANT_MEAN_VAR, MB_WANT_RANGE, MB_WANT_INTERVAL,
                                    MB_WANT_PROB,     MB_WANT_GROUP, MB_WANT_LOGZ};
    bench                b;
    int32_t              tried = 0;

    for (size_t i = 0; i < MODELS; i++) {
        mb_posterior p;
        mb_rows      rows;

        set_up_posterior(i, &b, &p);
        rows = many_rows(&b);
        if (mb_kind_grouped(p.kind, &p.size))
            group_rows(&rows);
        for (size_t k = 0; k < sizeof wants / sizeof *wants; k++) {
            const size_t room = MANY * 16;
            double      *one = doubles(room), *many = doubles(room);

            if (mb_posterior_predict(&p, &rows, wants[k], 0.9, one,
                                     doubles(mb_posterior_scratch(&p, rows.n)), NULL) < 0)
                continue;
            for (int32_t threads = sized(1, MOST_THREADS); threads <= MOST_THREADS;
                 threads++, tried++) {
                mb_pool *pool;

                must(mb_pool_open(arena, threads, &pool, &b.err));
                memset(many, 0, room * sizeof *many);
                must(mb_posterior_predict_on(&p, &rows, wants[k], 0.9, pool, many, &b.err));
                assert_memory_equal(many, one, room * sizeof *one);
                mb_pool_close(pool);
            }
        }
    }
    assert_true(tried > 100);
}

TEST(samples_and_scores_on_a_pool_have_the_bits_of_one_call)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_posterior p;
        mb_rows      rows;
        mb_pool     *pool;
        double      *one = doubles(MANY * COLUMNS + 1), *many = doubles(MANY * COLUMNS + 1);
        int32_t     *of = mb_alloc(arena, 2 * MANY, sizeof *of);

        set_up_posterior(i, &b, &p);
        rows = many_rows(&b);
        must(mb_pool_open(arena, MOST_THREADS, &pool, &b.err));
        if (p.model->ops->sample) {
            must(mb_posterior_sample(&p, 3, 5, rows.n, one, of,
                                     doubles(mb_posterior_scratch(&p, rows.n)), &b.err));
            must(mb_posterior_sample_on(&p, 3, 5, rows.n, pool, many, of + MANY, &b.err));
            assert_memory_equal(one, many, (size_t)(rows.n * p.size.D) * sizeof *one);
            assert_memory_equal(of, of + MANY, (size_t)rows.n * sizeof *of);
        }
        for (mb_density of_row = MB_PREDICTIVE; of_row <= MB_EXPECTED; of_row++) {
            if (mb_score_rows(&p, &rows, of_row, one, doubles(mb_posterior_scratch(&p, rows.n)),
                              NULL) < 0)
                continue;
            must(mb_score_rows_on(&p, &rows, of_row, pool, many, &b.err));
            assert_memory_equal(one, many, (size_t)(rows.n + 1) * sizeof *one);
        }
        mb_pool_close(pool);
    }
}

/* What score sums for all rows, row by row; both in data units. */
TEST(expected_densities_of_rows_sum_to_the_score)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_posterior p;
        mb_score     score = {0};
        double       each[ROWS + 1], z[ROWS], sum = 0, weight = 0;

        set_up_posterior(i, &b, &p);
        if (mb_kind_needs_groups(p.kind)) /* all rows are one */
            continue;
        must(mb_score_rows(&p, &b.rows, MB_EXPECTED, each, doubles(mb_posterior_scratch(&p, ROWS)),
                           &b.err));
        mb_score_add(&score, &p, &b.rows, MB_EXPECTED, each);
        must(mb_posterior_predict(&p, &b.rows, MB_WANT_LOGZ, 0, z,
                                  doubles(mb_posterior_scratch(&p, ROWS)), &b.err));
        for (int j = 0; j < ROWS; j++) {
            sum += b.w[j] * z[j];
            weight += b.w[j];
        }
        assert_near(score.weight, weight, 1e-9);
        assert_near(score.sum / weight, sum / weight, 1e-10 * (1 + fabs(sum / weight)));
        assert_memory_equal(each, z, sizeof z);
    }
}

TEST(the_first_row_that_fails_on_a_pool_is_named)
{
    bench        b;
    mb_posterior p;
    mb_rows      rows;
    mb_pool     *pool;
    double      *out = doubles(MANY);

    set_up_posterior(0, &b, &p);
    rows = many_rows(&b);
    ((double *)(uintptr_t)rows.x)[(size_t)(rows.n - 1) * rows.ld] = INFINITY;
    must(mb_pool_open(arena, MOST_THREADS, &pool, &b.err));
    assert_int_equal(mb_posterior_predict_on(&p, &rows, MB_WANT_LOGZ, 0, pool, out, &b.err),
                     MB_E_NUMERIC);
    assert_true(*b.err.msg);
    mb_pool_close(pool);
}

/* One row for each part; shares of components sum to 1, expected rows to the weight of all rows. */
TEST(the_parts_are_those_of_the_model)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_posterior p;
        mb_summary   u;
        double       weight = 0, rows = 0;

        set_up_posterior(i, &b, &p);
        must(mb_posterior_summary(arena, &p, &u, &b.err));
        assert_true(u.rows > 0 || b.m.K == 0);
        for (int32_t k = 0; b.m.K && k < u.rows; k++) {
            weight += u.weight[k];
            rows += u.count[k];
        }
        assert_near(weight, b.m.K > 0, 1e-12);
        assert_near(rows, b.m.K > 0 ? mb_rows_weight(&b.rows) : 0, 1e-6);
    }
}

/* The attributes of scikit-learn's estimator, where the kind has one: none is there twice. */
TEST(exported_names_are_unique)
{
    const mb_run_info run = {.settled = 1, .rounds = 7, .bound = -3, .weight_total = ROWS};
    bench             b;
    int               some = 0;

    for (size_t i = 0; i < MODELS; i++) {
        mb_posterior p;
        mb_array    *x;
        int32_t      n;

        set_up_posterior(i, &b, &p);
        if (!p.kind->sklearn)
            continue;
        if (p.kind->sklearn(arena, &p, &run, &x, &n, &b.err) < 0) {
            assert_true(strlen(b.err.msg) > 0); /* a form that it has not */
            continue;
        }
        some++;
        assert_true(n > 5);
        for (int32_t k = 0; k < n; k++)
            for (int32_t l = 0; l < k; l++)
                assert_string_not_equal(x[k].name, x[l].name);
    }
    assert_true(some > 0);
}

/* The fields as arrays hold finite numbers, or NaN of what has no value. */
TEST(fields_are_arrays)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_posterior p;
        mb_array    *x;
        int32_t      n;

        set_up_posterior(i, &b, &p);
        must(mb_kind_arrays(arena, p.kind, &p.size, p.par, &x, &n, &b.err));
        assert_true(n > 1);
        for (int32_t k = 0; k < n; k++) {
            int64_t size = 1;

            for (int32_t d = 0; d < x[k].ndim; d++)
                size *= x[k].shape[d];
            for (int64_t e = 0; x[k].x && e < size; e++)
                assert_false(isinf(x[k].x[e]));
        }
    }
}

/* Options that ask for the same sizes and choices, for an update without any of the caller's. */
TEST(its_options_ask_for_its_sizes)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_posterior p;
        mb_sizes     s;
        void        *opt;

        set_up_posterior(i, &b, &p);
        must(mb_posterior_options(arena, &p, &opt, &b.err));
        mb_kind_sizes(p.kind, opt, mb_posterior_columns(&p), p.size.columns, &s);
        assert_int_equal(s.K, p.size.K);
        assert_int_equal(s.D, p.size.D);
        assert_int_equal(s.intercept, p.size.intercept);
        assert_int_equal(mb_kind_differs(p.kind, &s, &p.size), -1);
    }
}

RUN_TESTS(arena_up, arena_down)
