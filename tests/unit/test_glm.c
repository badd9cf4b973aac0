/* Claims about generalised linear models: expectations of a row, the gradient, predictions. */
#include "arena.h"
#include "expfam/gaussian.h"
#include "gen.h"
#include "model/choices.h"
#include "model/glm_link.h"
#include "model/kind.h"
#include "model/model.h"
#include "num/num.h"
#include "test.h"

enum { N = 60, COLUMNS = 3, MAX_LEN = 32, LEVELS = 3 };

static const double LN_2PI = 1.83787706640934548356;

static double log_p(mb_link link, double y, double eta)
{
    if (link == MB_LINK_POISSON)
        return y * eta - exp(eta) - lgamma(y + 1);
    return y * eta - (eta > 0 ? eta + log1p(exp(-eta)) : log1p(exp(eta)));
}

/* E[f] by 40000 points up to 12 standard deviations. density 1: of p, not of ln p. */
static double by_sum(mb_link link, double y, double e, double v, int density)
{
    const double h = 12.0 / 20000;
    double       sum = 0;

    for (int k = -20000; k <= 20000; k++) {
        const double f = log_p(link, y, e + sqrt(v) * h * k);

        sum += exp(-0.5 * (h * k * h * k + LN_2PI)) * h * (density ? exp(f) : f);
    }
    return sum;
}

static const struct {
    mb_link link;
    double  y, e, v;
} rows[] = {{MB_LINK_LOGISTIC, 1, 0.3, 0.01},  {MB_LINK_LOGISTIC, 0, -2, 1},
            {MB_LINK_LOGISTIC, 1, .5, 0.0015}, {MB_LINK_LOGISTIC, 0, -.1, .09},
            {MB_LINK_LOGISTIC, 1, -5, 30},     {MB_LINK_LOGISTIC, 0, 40, 900},
            {MB_LINK_POISSON, 0, -1, 0.5},     {MB_LINK_POISSON, 7, 1.5, 0.3},
            {MB_LINK_POISSON, 1000, 7, 0.02},  {MB_LINK_POISSON, 3, -2, 4},
            {MB_LINK_POISSON, 127, 5, 0.01},   {MB_LINK_POISSON, 128, 5, 0.01}};
enum { CASES = sizeof rows / sizeof *rows };

static const mb_kernel_ *kernel(int which)
{
    const mb_kernel_ *all[MB_KERNELS_MAX];

    mb_kernel_list_(all);
    return all[which];
}

static mb_glm_moments_ expect(const mb_glm_link_ *l, double y, double e, double v)
{
    const double  lanes[2][MB_LANES_MAX] = {{e}, {v}};
    mb_glm_lanes_ f;

    l->expect(kernel(0), 1, &y, lanes[0], lanes[1], &f);
    return (mb_glm_moments_){f.value[0], f.by_mean[0], f.by_var[0]};
}

/* With the exp and log of every kernel, each row beside others. */
TEST(expectations_are_those_of_the_sum)
{
    for (int which = 0; kernel(which); which++)
        for (int c = 0; c < CASES; c++) {
            const double  y[] = {1, rows[c].y}, v0 = fmin(1, rows[c].v);
            const double  e[MB_LANES_MAX] = {0, rows[c].e}, v[MB_LANES_MAX] = {v0, rows[c].v};
            mb_glm_lanes_ f;

            mb_glm_links_[rows[c].link].expect(kernel(which), 2, y, e, v, &f);
            assert_near(f.value[0], by_sum(rows[c].link, 1, 0, v0, 0), 1e-10);
            assert_near(f.value[1], by_sum(rows[c].link, y[1], e[1], v[1], 0), 1e-10);
        }
}

/* Central differences. */
TEST(and_their_derivatives)
{
    for (int c = 0; c < CASES; c++) {
        const mb_glm_link_   *l = &mb_glm_links_[rows[c].link];
        const double          y = rows[c].y, e = rows[c].e, v = rows[c].v, h = 1e-4;
        const mb_glm_moments_ f = expect(l, y, e, v);

        assert_near((expect(l, y, e + h, v).value - expect(l, y, e - h, v).value) / (2 * h),
                    f.by_mean, 1e-5);
        assert_near((expect(l, y, e, v + h * v).value - expect(l, y, e, v - h * v).value) /
                        (2 * h * v),
                    f.by_var, 1e-5);
    }
}

TEST(predictive_densities_are_the_integral)
{
    for (int c = 0; c < CASES; c++) {
        const mb_glm_link_ *l = &mb_glm_links_[rows[c].link];

        assert_near(mb_glm_log_density_(l, rows[c].y, rows[c].e, rows[c].v),
                    log(by_sum(rows[c].link, rows[c].y, rows[c].e, rows[c].v, 1)), 1e-9);
    }
}

TEST(they_sum_to_one_with_the_mean_and_variance_that_are_predicted)
{
    for (int c = 0; c < 8; c++) {
        const mb_glm_link_ *l = &mb_glm_links_[rows[c].link];
        double              sum = 0, first = 0, second = 0, mean, var;

        for (int y = 0; y < (rows[c].link == MB_LINK_LOGISTIC ? 2 : 400); y++) {
            const double p = exp(mb_glm_log_density_(l, y, rows[c].e, rows[c].v));

            sum += p;
            first += p * y;
            second += p * y * y;
        }
        l->predict(kernel(0), rows[c].e, rows[c].v, &mean, &var);
        assert_near(sum, 1, 1e-9);
        assert_near(mean, first, 1e-8);
        assert_near(var, second - first * first, 1e-6);
    }
}

typedef struct bench {
    mb_model m;
    mb_rows  rows;
    double   x[N * COLUMNS], phi[MAX_LEN], star[MAX_LEN], mu[2][MAX_LEN], *scratch;
} bench;

/* offset: the second of the inputs is one. */
static bench *set_up_with(mb_link link, int32_t intercept, mb_offset offset)
{
    bench     *b = mb_alloc(arena, 1, sizeof *b);
    mb_rng     r = gen_rng(5);
    mb_glm_opt o = mb_glm_defaults(COLUMNS - 1 - (offset != MB_OFFSET_NONE), intercept);

    assert_non_null(b);
    o.link = link;
    o.offset = offset;
    o.levels = link == MB_LINK_MULTINOMIAL ? LEVELS : 0;
    must(mb_glm_new(arena, &o, &b->m, NULL));
    assert_true(b->m.layout.len <= MAX_LEN);
    b->scratch = doubles(mb_local_scratch(&b->m));
    gen_rows(&r, N, COLUMNS, 2, b->x);
    for (int j = 0; j < N; j++)
        b->x[j * COLUMNS + 2] = link == MB_LINK_POISSON       ? j % 5
                                : link == MB_LINK_MULTINOMIAL ? j % LEVELS
                                                              : b->x[j * COLUMNS + 2] > 1;
    for (int j = 0; offset == MB_OFFSET_EXPOSURE && j < N; j++)
        b->x[j * COLUMNS + 1] = exp(0.1 * b->x[j * COLUMNS + 1]);
    b->rows = (mb_rows){.x = b->x, .n = N, .d = COLUMNS, .ld = COLUMNS};
    must(mb_seed_step(&b->m, &b->rows, 1, NULL, b->phi, b->scratch, NULL));
    return b;
}

static bench *set_up(mb_link link, int32_t intercept)
{
    return set_up_with(link, intercept, MB_OFFSET_NONE);
}

static double bound_at(bench *b, const double *phi, double *mu)
{
    double bound;

    must(mb_local_step(&b->m, &b->rows, 1, phi, b->star, &bound, mu, b->scratch, NULL));
    return bound;
}

enum { MANY = 2 * MB_BLOCK_MAX + 5, WIDE = 21 };

/* Row by row: s += weight [(g - 2 h e) z, svec(h z z')], z = (1, x) or x, with g and h at e and an
 * offset. */
static void add_up(const mb_glm_link_ *link, int32_t D, int32_t p, const double *phi, double *x,
                   double offset, double y, double weight, double *s, double *logz)
{
    double          L[(WIDE + 1) * (WIDE + 1)], m[WIDE + 1], z[WIDE + 1], h[WIDE + 1], e = 0, v = 0;
    mb_glm_moments_ f;

    must(mb_gaussian_factor_(p, phi, L, m));
    z[0] = 1;
    memcpy(z + p - D, x, (size_t)D * sizeof *z);
    memcpy(h, z, sizeof h);
    mb_chol_forward_(L, p, h);
    for (int32_t i = 0; i < p; i++) {
        e += m[i] * z[i];
        v += h[i] * h[i];
    }
    f = expect(link, y, e + offset, v);
    *logz += weight * f.value;
    for (int32_t i = 0; i < p; i++)
        s[i] += weight * (f.by_mean - 2 * f.by_var * e) * z[i];
    for (int32_t i = 0, at = p; i < p; i++)
        for (int32_t j = 0; j <= i; j++)
            s[at++] += weight * f.by_var * z[i] * z[j] * (i == j ? 1 : sqrt(2));
}

static void fill_nan(double *x, size_t n)
{
    for (size_t e = 0; e < n; e++)
        x[e] = (double)NAN;
}

/* MANY rows of D inputs, an offset if there is one, and the target. */
static void draw_rows(int32_t D, int32_t d, double *x, double *w)
{
    mb_rng r = gen_rng(7);

    for (int64_t j = 0; j < MANY; j++) {
        w[j] = j % 7 == 3 ? 0 : 1 + 0.5 * (double)(j % 3);
        for (int32_t i = 0; i < D; i++)
            x[j * d + i] = 0.3 * mb_rng_normal(&r);
        x[j * d + D] = 0.3 + mb_rng_uniform(&r);
        x[j * d + d - 1] = (double)(j % 2);
    }
}

/* Blocks, weights of 0, every form that the kernels have for second moments, and scratch that holds
 * anything. */
TEST(statistics_are_those_of_each_row_added_up)
{
    static const int32_t inputs[] = {0, 1, 4, 7, 8, 9, WIDE};

    for (int c = 0; c < 12 * (int)(sizeof inputs / sizeof *inputs); c++) {
        const mb_link   link = c / 2 % 2 ? MB_LINK_POISSON : MB_LINK_LOGISTIC;
        const mb_offset offset =
            c / 4 % 3 == 2 && link != MB_LINK_POISSON ? MB_OFFSET_NUMBER : (mb_offset)(c / 4 % 3);
        const int32_t D = inputs[c / 12], one = c % 2 || D == 0, p = D + one;
        const int32_t d = D + 1 + (offset != MB_OFFSET_NONE);
        mb_glm_opt    o = mb_glm_defaults(D, one);
        double       *x = doubles((size_t)(MANY * d)), *w = doubles(MANY), logz = 0, want = 0;
        double       *phi, *s, *sum, *scratch;
        mb_rows       some = {.x = x, .n = MANY, .d = d, .ld = (size_t)d, .w = w};
        mb_model      m;

        o.link = link;
        o.offset = offset;
        must(mb_glm_new(arena, &o, &m, NULL));
        phi = doubles(m.layout.len);
        s = doubles(m.layout.len);
        sum = doubles(m.layout.len);
        scratch = doubles(mb_local_scratch(&m));
        draw_rows(D, d, x, w);
        fill_nan(scratch, mb_local_scratch(&m));
        must(mb_seed_step(&m, &some, 1, NULL, phi, scratch, NULL));
        fill_nan(scratch, mb_local_scratch(&m));
        must(m.ops->stats(&m, phi, &some, s, &logz, scratch, NULL));
        for (int64_t j = 0; j < MANY; j++)
            add_up(&mb_glm_links_[link], D, p, phi, x + j * d,
                   offset == MB_OFFSET_EXPOSURE ? log(x[j * d + D]) : (double)offset * x[j * d + D],
                   x[j * d + d - 1], w[j], sum, &want);
        assert_near(logz, want, 1e-9);
        for (size_t l = 0; l < m.layout.len; l++)
            assert_near(s[l], sum[l], 1e-9);
    }
}

/* dL = <phi* - phi, dmu>: phi* - phi is the natural gradient of the bound. */
TEST(a_step_is_along_the_natural_gradient)
{
    for (int k = 0; k < 4 * MB_LINKS + 1; k++) { /* the last: an exposure */
        const mb_link link = k < 4 * MB_LINKS ? (mb_link)(k / 4) : MB_LINK_POISSON;
        bench        *b = set_up_with(link, k % 2,
                               k < 4 * MB_LINKS ? (mb_offset)(k / 2 % 2) : MB_OFFSET_EXPOSURE);

        for (size_t l = 0; l < b->m.layout.len; l++) {
            const double h = 1e-4;
            double       phi[MAX_LEN], up, down, slope = 0;

            memcpy(phi, b->phi, sizeof phi);
            phi[l] = b->phi[l] + h;
            up = bound_at(b, phi, b->mu[0]);
            phi[l] = b->phi[l] - h;
            down = bound_at(b, phi, b->mu[1]);
            bound_at(b, b->phi, NULL);
            for (size_t e = 0; e < b->m.layout.len; e++)
                slope += (b->star[e] - b->phi[e]) * (b->mu[0][e] - b->mu[1][e]) / (2 * h);
            assert_near((up - down) / (2 * h), slope, 1e-6);
        }
    }
}

/* phi of coefficients whose mean is `by` larger at each intercept: P m moves by P times that. */
static void move_intercepts(int32_t n, int32_t p, double by, double *phi)
{
    const double *P = phi + n;

    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++, P++) {
            const double x = i == j ? -2 * *P : -sqrt(2) * *P;

            if (j % p == 0)
                phi[i] += by * x;
            if (i % p == 0 && i != j)
                phi[j] += by * x;
        }
}

/* In the bound, and in what is predicted of rows, with their target and without. */
TEST(an_offset_of_all_rows_is_a_larger_intercept)
{
    static const mb_want wants[] = {MB_WANT_LOGPDF, MB_WANT_RANGE};
    const double         by = 0.7;

    for (int link = 0; link < MB_LINKS; link++) {
        bench        *with = set_up_with((mb_link)link, 1, MB_OFFSET_NUMBER);
        bench        *none = set_up((mb_link)link, 1);
        mb_glm_opt    o = mb_glm_defaults(COLUMNS - 2, 1);
        const int32_t n = (link == MB_LINK_MULTINOMIAL ? LEVELS - 1 : 1) * (COLUMNS - 1);
        double        bound[2], out[2][3 * N];

        o.link = (mb_link)link;
        o.levels = link == MB_LINK_MULTINOMIAL ? LEVELS : 0;
        must(mb_glm_new(arena, &o, &none->m, NULL));
        none->rows.d = COLUMNS - 1;
        none->rows.ld = COLUMNS - 1;
        for (int j = 0; j < N; j++) {
            with->x[j * COLUMNS + 1] = by;
            none->x[j * (COLUMNS - 1)] = with->x[j * COLUMNS];
            none->x[j * (COLUMNS - 1) + 1] = with->x[j * COLUMNS + 2];
        }
        memcpy(none->phi, with->phi, sizeof with->phi);
        move_intercepts(n, COLUMNS - 1, by, none->phi);
        bound[0] = bound[1] = 0;
        must(with->m.ops->stats(&with->m, with->phi, &with->rows, with->star, &bound[0],
                                with->scratch, NULL));
        must(none->m.ops->stats(&none->m, none->phi, &none->rows, none->star, &bound[1],
                                none->scratch, NULL));
        assert_near(bound[0], bound[1], 1e-9);
        for (int k = 0; k < 3; k++) { /* the last time without the target */
            with->rows.d = COLUMNS - k / 2;
            none->rows.d = COLUMNS - 1 - k / 2;
            must(with->m.ops->predict(&with->m, with->phi, &with->rows, wants[k > 0], out[0],
                                      with->scratch, NULL));
            must(none->m.ops->predict(&none->m, none->phi, &none->rows, wants[k > 0], out[1],
                                      none->scratch, NULL));
            assert_all_near(out[0], out[1], (size_t)(k ? 3 : 1) * N, 1e-9);
        }
    }
}

TEST(targets_that_cannot_be_are_named)
{
    static const double bad[MB_LINKS][3] = {{2, 0.5, NAN}, {-1, 1.5, INFINITY}, {LEVELS, 0.5, -1}};
    static const char *const expected[MB_LINKS] = {"0 or 1", "a whole number",
                                                   "the number of a category, 0 to 2"};

    for (int link = 0; link < MB_LINKS; link++)
        for (int k = 0; k < 3; k++) {
            bench *b = set_up((mb_link)link, 1);
            mb_err err;

            b->x[7 * COLUMNS + 2] = bad[link][k];
            assert_int_equal(
                mb_local_step(&b->m, &b->rows, 1, b->phi, b->star, NULL, NULL, b->scratch, &err),
                MB_E_NUMERIC);
            assert_non_null(strstr(err.msg, "row 7: got target"));
            assert_non_null(strstr(err.msg, expected[link]));
        }
}

/* Rows are read in blocks. */
TEST(of_two_rows_that_are_wrong_the_first_is_named)
{
    static const struct {
        int         input, target;
        const char *says;
    } wrong[] = {{5, 9, "row 5: its expected log density"}, {9, 5, "row 5: got target"}};

    for (int link = 0; link < MB_LINKS; link++)
        for (int k = 0; k < 2; k++) {
            bench *b = set_up((mb_link)link, 1);
            mb_err err;

            b->x[wrong[k].input * COLUMNS] = INFINITY;
            b->x[wrong[k].target * COLUMNS + 2] = -1;
            assert_int_equal(
                mb_local_step(&b->m, &b->rows, 1, b->phi, b->star, NULL, NULL, b->scratch, &err),
                MB_E_NUMERIC);
            assert_non_null(strstr(err.msg, wrong[k].says));
        }
}

TEST(bad_options_are_refused_with_their_value)
{
    static const double indefinite[4] = {1, 2, 2, 1}, nan_m[1] = {NAN};
    static const struct {
        mb_glm_opt  o;
        const char *says;
    } bad[] = {
        {{0, 0, MB_LINK_LOGISTIC, 1, NULL, NULL, 0, MB_OFFSET_NONE}, "D = 0 inputs; expected 1 to"},
        {{1, 2, MB_LINK_LOGISTIC, 1, NULL, NULL, 0, MB_OFFSET_NONE}, "intercept = 2"},
        {{1, 0, MB_LINKS, 1, NULL, NULL, 0, MB_OFFSET_NONE}, "link = 3"},
        {{1, 0, MB_LINK_POISSON, -1, NULL, NULL, 0, MB_OFFSET_NONE}, "lambda0 = -1"},
        {{1, 0, MB_LINK_POISSON, 1, nan_m, NULL, 0, MB_OFFSET_NONE}, "m0[0] = nan"},
        {{1, 0, MB_LINK_MULTINOMIAL, 1, NULL, NULL, 1, MB_OFFSET_NONE},
         "levels = 1; expected 2 to 100 categories"},
        {{1, 0, MB_LINK_MULTINOMIAL, 1, NULL, NULL, 101, MB_OFFSET_NONE}, "levels = 101"},
        {{200, 0, MB_LINK_MULTINOMIAL, 1, NULL, NULL, 60, MB_OFFSET_NONE},
         "levels = 60: got 11800 coefficients, 200 for each category but the first"},
        {{2, 0, MB_LINK_POISSON, 1, NULL, indefinite, 0, MB_OFFSET_NONE},
         "lambda0 is not positive definite"},
        {{1, 0, MB_LINK_LOGISTIC, 1, NULL, NULL, 0, MB_OFFSET_EXPOSURE},
         "--exposure-column: its logarithm adds to that of a count's mean"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mb_model m;
        mb_err   err = {0};

        assert_int_equal(mb_glm_new(arena, &bad[i].o, &m, &err), MB_E_ARG);
        if (!strstr(err.msg, bad[i].says))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, err.msg, bad[i].says);
    }
}

/* A genesis block of others may have any text. */
TEST(an_offset_is_the_last_input_and_only_of_a_regression)
{
    static const char *const name[] = {"a", "t", "y"};
    static const struct {
        const mb_kind *kind;
        const char    *text;
        int            good;
    } of[] = {{&mb_kind_glm, "number,offset,number", 1},
              {&mb_kind_glm, "number,exposure,number", 1},
              {&mb_kind_glm, "offset,number,number", 0},
              {&mb_kind_glm, "number,number,offset", 0},
              {&mb_kind_mixed, "varying,offset,number", 0}};
    const mb_columns *columns = NULL;
    mb_glm_kind       opt;
    mb_sizes          s;
    mb_err            err;

    must(mb_opt_defaults(mb_kind_glm.opts, &opt, NULL));
    must(mb_kind_effects(arena, &mb_kind_glm, &opt, 3, name, &columns, NULL));
    assert_null(columns);
    opt.exposure_column = "t";
    must(mb_kind_effects(arena, &mb_kind_glm, &opt, 3, name, &columns, NULL));
    assert_string_equal(columns->text, "number,exposure,number");
    mb_kind_sizes(&mb_kind_glm, &opt, 3, columns, &s);
    assert_int_equal(mb_sizes_inputs(&s), 1);
    opt.exposure_column = "a";
    assert_int_equal(mb_kind_effects(arena, &mb_kind_glm, &opt, 3, name, &columns, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "--exposure-column: got \"a\"; expected the column before"));
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        s = (mb_sizes){.D = 2, .choice = {MB_LINK_POISSON}};
        assert_int_equal(
            mb_kind_columns_(arena, of[i].kind, of[i].text, strlen(of[i].text), &s, &err),
            of[i].good ? MB_OK : MB_E_FORMAT);
    }
}

RUN_TESTS(arena_up, arena_down)
