/* entries.c - what every model says of the entries of its statistics: what they are sums of, and how
 * large a row of a stated range can make them. */
#include "models.h"
#include "test.h"

enum { LOOKED_AT = 24, PLACES = 9 }; /* rows, posteriors */
static const double ROUNDING = 1e-12;

static double   low[COLUMNS + 1], high[COLUMNS + 1], bound[MAX_LEN];
static mb_entry entry[MAX_LEN];
static mb_range range;

/* The range that the rows have, and the bound of each entry. */
static void look(const bench *b, int32_t gaps)
{
    range = (mb_range){b->rows.d, low, high, gaps};
    for (int32_t i = 0; i < b->rows.d; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
        for (int64_t j = 0; j < b->rows.n; j++) {
            low[i] = fmin(low[i], mb_rows_at(&b->rows, j, i));
            high[i] = fmax(high[i], mb_rows_at(&b->rows, j, i));
        }
    }
    mb_model_entries(&b->m, entry);
    must(mb_entry_bound(entry, b->m.layout.len, &range, bound, NULL));
}

/* f of a row; a gap says nothing. */
static double f_of(const mb_entry *e, const double *x)
{
    double sum = 0;

    for (int32_t d = 0; d < e->columns; d++) {
        const double a = e->column[0] < 0 ? 1 : x[e->column[0] + d];
        const double b = e->kind == MB_ENTRY_SECOND ? x[e->column[1] + d] : 1;

        if (isnan(a) || isnan(b))
            continue;
        sum += e->kind == MB_ENTRY_LEVEL   ? (a >= e->level && a <= e->level)
               : e->kind >= MB_ENTRY_FIRST ? a * b
                                           : 1;
    }
    return sum;
}

static double weight_of(const bench *b, int64_t j)
{
    return b->rows.w ? b->rows.w[j] : 1;
}

/* 1: counts rows by their responsibilities alone. */
static int is_plain(const mb_entry *e)
{
    return e->kind != MB_ENTRY_OTHER && e->least >= 0 && e->most <= 1 && e->most >= 1;
}

/* Another posterior: of random responsibilities of rows that count up to 10^6 times, a step from
 * there, or the point of Omega nearest to random numbers of up to 10^3. */
static void go(bench *b, mb_rng *r, int place)
{
    const size_t len = b->m.layout.len;
    const double size = pow(10, -3 + 9 * mb_rng_uniform(r));
    double       star[MAX_LEN], moved;

    for (int64_t j = 0; j < ROWS && b->m.K; j++) {
        double *resp = b->resp + j * b->m.K, sum = 0;

        for (int32_t k = 0; k < b->m.K; k++)
            sum += resp[k] = pow(mb_rng_uniform(r), 8);
        for (int32_t k = 0; k < b->m.K; k++)
            resp[k] /= sum;
    }
    if (place % 3 < 2)
        must(mb_seed_step(&b->m, &b->rows, size, b->resp, b->phi, b->scratch, NULL));
    if (place % 3 == 1) {
        must(mb_local_step(&b->m, &b->rows, 1, b->phi, star, NULL, NULL, b->scratch, NULL));
        memcpy(b->phi, star, len * sizeof *star);
    }
    if (place % 3 < 2)
        return;
    for (size_t l = 0; l < len; l++)
        b->phi[l] = b->m.prior[l] + sqrt(size) * mb_rng_normal(r);
    must(mb_project(&b->m.layout, b->m.eps, b->phi, &moved, b->scratch, NULL));
}

/* The statistics s of one row: within the bound, and what the row counts within its range. */
static void expect_within(const bench *b, const double *x, const double *s)
{
    for (size_t e = 0; e < b->m.layout.len; e++) {
        const double f = f_of(&entry[e], x), c = s[e] / (entry[e].factor * f);
        const double slack =
            1e-9; /* of c: f cancels in sums over columns no digits, but x may be small */

        if (!(fabs(s[e]) <= bound[e] * (1 + ROUNDING)))
            fail_msg("%s: entry %zu is %.17g, its bound %.17g", b->kind->name, e, s[e], bound[e]);
        if (range.gaps && entry[e].filled)
            continue;
        if (!(fabs(f) > 0))
            assert_true(fabs(s[e]) <= 0);
        else if (!(c >= entry[e].least - slack && c <= entry[e].most + slack))
            fail_msg("%s: a row counts %.17g in entry %zu, which has %g to %g", b->kind->name, c, e,
                     entry[e].least, entry[e].most);
    }
}

/* Rows that a posterior far out cannot have are refused, not counted. */
static int one_row(bench *b, int64_t j)
{
    mb_rows row = part(b, j, 1);
    double  logz;

    row.w = NULL;
    memset(b->s[0], 0, b->m.layout.len * sizeof *b->s[0]);
    return b->m.ops->stats(&b->m, b->phi, &row, b->s[0], &logz, b->scratch, NULL) == MB_OK;
}

TEST(one_row_is_within_the_bound_at_any_posterior)
{
    const int places = sized(PLACES, 3), rows = sized(LOOKED_AT, 8);
    bench     b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_rng r = gen_rng(500 + i);
        int    seen = 0;

        set_up(&b, i);
        look(&b, 0);
        for (int place = 0; place < places; place++) {
            go(&b, &r, place);
            for (int64_t j = 0; j < rows; j++)
                if (one_row(&b, j)) {
                    expect_within(&b, b.x + j * b.rows.d, b.s[0]);
                    seen++;
                }
        }
        assert_true(seen >= rows * places * 2 / 3);
    }
}

/* The row of the range's corner, with level l of each category that has it. */
static void to_corner(bench *b, int32_t l)
{
    for (int32_t i = 0; i < b->rows.d; i++) {
        const mb_columns    *of = b->size.columns;
        const mb_column_kind kind = of && i < of->d ? mb_columns_kind(of, i) : MB_COLUMN_NUMBER;

        b->x[i] = fabs(low[i]) > fabs(high[i]) ? low[i] : high[i];
        if (kind >= MB_COLUMN_CATEGORY && l < of->of[i].levels && i < b->size.D)
            b->x[i] = l;
    }
}

/* The largest sizes of each entry under responsibilities that are given. */
static void reach(bench *b, double *most)
{
    const size_t  len = b->m.layout.len;
    const int32_t K = b->m.K > 1 ? b->m.K : 1;
    const mb_rows row = {.x = b->x, .n = 1, .d = b->rows.d, .ld = b->rows.ld};

    memset(most, 0, len * sizeof *most);
    for (int32_t l = 0; l < 4; l++)
        for (int32_t k = 0; k < K; k++) {
            to_corner(b, l);
            for (int32_t c = 0; c < K; c++)
                b->resp[c] = c == k;
            memset(b->s[0], 0, len * sizeof *b->s[0]);
            must(b->m.ops->seed_stats(&b->m, &row, b->resp, b->s[0], b->scratch, NULL));
            for (size_t e = 0; e < len; e++)
                most[e] = fmax(most[e], fabs(b->s[0][e]));
        }
}

/* By a row in the corner: exactly where rows count up to 1, within a factor of 3 `most` where a row
 * counts something else. */
TEST(the_bound_is_reached)
{
    bench  b;
    size_t exact = 0;

    for (size_t i = 0; i < MODELS; i++) {
        double most[MAX_LEN];

        set_up(&b, i);
        look(&b, 0);
        reach(&b, most);
        for (size_t e = 0; e < b.m.layout.len; e++) {
            if (is_plain(&entry[e]))
                assert_near(most[e] / bound[e], 1, ROUNDING);
            else if (entry[e].kind != MB_ENTRY_OTHER && !isinf(bound[e]))
                assert_true(bound[e] <= 3 * fmax(1, entry[e].most) * most[e]);
            exact += (size_t)is_plain(&entry[e]);
        }
    }
    assert_true(exact > 1000);
}

/* factor sum_j w_j c_j f(x_j), c_j the responsibilities resp of the entry's components; *size: the
 * same of absolute values. each: rows of a group. */
static double sum_of(const bench *b, const mb_entry *e, const double *resp, int64_t each,
                     double *size)
{
    double sum = 0;

    *size = 0;
    for (int64_t j = 0; j < b->rows.n; j += e->groups ? each : 1) {
        double c = b->m.K ? 0 : 1, term;

        for (int32_t k = e->first; k < e->first + e->components; k++)
            c += resp[j * b->m.K + k];
        term = e->factor * weight_of(b, j) * c * f_of(e, b->x + j * b->rows.d);
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static void expect_sums(const bench *b, const double *s, const double *resp, int64_t each,
                        int plain)
{
    for (size_t e = 0; e < b->m.layout.len; e++) {
        double       size;
        const double want = sum_of(b, &entry[e], resp, each, &size);

        if (plain ? !is_plain(&entry[e]) : entry[e].kind == MB_ENTRY_OTHER)
            continue;
        if (!(fabs(s[e] - want) <= ROUNDING * size))
            fail_msg("%s: entry %zu is %.17g, expected %.17g", b->kind->name, e, s[e], want);
    }
}

/* Under responsibilities that are given, and those of the E-step. */
TEST(entries_are_the_sums_of_their_declaration)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        look(&b, 0);
        if (!b.m.ops->overshoots) { /* of others a row counts what its target says */
            must(b.m.ops->seed_stats(&b.m, &b.rows, b.resp, b.s[0], b.scratch, NULL));
            expect_sums(&b, b.s[0], b.resp, 1, 0);
        }
        if (b.m.K)
            must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_RESP, b.resp, b.scratch, NULL));
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[1], NULL, b.scratch, NULL));
        expect_sums(&b, b.s[1], b.resp, 1, 1);
    }
}

TEST(of_a_group_the_weights_count_once)
{
    enum { EACH = 3 };
    int64_t first[ROWS / EACH + 1];
    bench   b;

    for (int j = 0; j <= ROWS / EACH; j++)
        first[j] = EACH * j;
    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        if (!b.m.K || !mb_kind_grouped(b.kind, &b.size) ||
            b.m.layout.block[1].family == &mb_tied_wishart)
            continue;
        b.rows.w = NULL;
        b.rows.first = first;
        b.rows.ngroup = ROWS / EACH;
        look(&b, 0);
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_RESP, b.resp, b.scratch, NULL));
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], NULL, b.scratch, NULL));
        expect_sums(&b, b.s[0], b.resp, EACH, 1);
    }
}

/* ---- a check of sums that are said to be those of a node's rows ---- */

enum { WRONG_ROWS = 1, WRONG_MEAN = 2, WRONG_SQUARE = 4 };

/* The number of rows that a moment is of: where there are two, that with the same column. */
static double rows_of(size_t len, const mb_entry *of, const double *s)
{
    double rows = 0;

    for (size_t e = 0; e < len; e++)
        if (entry[e].kind == MB_ENTRY_WEIGHT && entry[e].first == of->first &&
            entry[e].components == of->components && fabs(entry[e].most - of->most) <= 0 &&
            !entry[e].groups && entry[e].columns == of->columns &&
            (entry[e].column[0] < 0 || entry[e].column[0] == of->column[0]))
            rows = s[e] / entry[e].factor / entry[e].columns;
    return rows;
}

/* The mean of column i in the rows of a second moment. */
static double mean_of(size_t len, const mb_entry *of, const double *s)
{
    for (size_t e = 0; e < len; e++)
        if (entry[e].kind == MB_ENTRY_FIRST && entry[e].first == of->first &&
            entry[e].components == of->components && fabs(entry[e].most - of->most) <= 0 &&
            entry[e].least >= 0 && entry[e].column[0] == of->column[0])
            return s[e] / entry[e].factor / rows_of(len, &entry[e], s);
    return 0;
}

/* What is wrong with s, the statistics of `declared` rows within the range. */
static int audit(size_t len, const double *s, double declared)
{
    const double slack = 1e-9;
    int          wrong = 0;

    for (size_t e = 0; e < len; e++) {
        const mb_entry *of = &entry[e];
        const double    sum = s[e] / of->factor, most = of->most * declared * of->columns;
        double          rows, mean;

        if (of->kind == MB_ENTRY_OTHER || of->least < 0)
            continue;
        if (of->kind < MB_ENTRY_FIRST &&
            !(sum >= of->least * declared * (1 - slack) - slack && sum <= most * (1 + slack)))
            wrong |= WRONG_ROWS;
        rows = of->kind < MB_ENTRY_FIRST ? 0 : rows_of(len, of, s);
        if (!(rows > slack))
            continue;
        if (of->kind == MB_ENTRY_FIRST && !(sum / rows >= low[of->column[0]] - slack &&
                                            sum / rows <= high[of->column[0]] + slack))
            wrong |= WRONG_MEAN;
        if (of->kind != MB_ENTRY_SECOND || of->column[0] != of->column[1])
            continue;
        mean = of->columns > 1 ? 0 : mean_of(len, of, s);
        if (!(sum / rows >= mean * mean * (1 - slack) &&
              sum <= rows * bound[e] / fabs(of->factor) / of->most * (1 + slack)))
            wrong |= WRONG_SQUARE;
    }
    return wrong;
}

static double declared(const bench *b)
{
    double sum = 0;

    for (int64_t j = 0; j < b->rows.n; j++)
        sum += weight_of(b, j);
    return sum;
}

static int audit_seed(bench *b)
{
    memset(b->s[0], 0, b->m.layout.len * sizeof *b->s[0]);
    must(b->m.ops->seed_stats(&b->m, &b->rows, b->resp, b->s[0], b->scratch, NULL));
    return audit(b->m.layout.len, b->s[0], declared(b));
}

TEST(sums_show_invented_rows_and_values_out_of_range)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        double rows;

        set_up(&b, i);
        look(&b, 0);
        rows = declared(&b);
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[1], NULL, b.scratch, NULL));
        assert_int_equal(audit(b.m.layout.len, b.s[1], rows), 0);
        if (b.m.ops->overshoots || !b.m.ops->entries)
            continue;
        assert_int_equal(audit_seed(&b), 0);
        b.w[7] = 1e9;
        memset(b.s[0], 0, b.m.layout.len * sizeof *b.s[0]);
        must(b.m.ops->seed_stats(&b.m, &b.rows, b.resp, b.s[0], b.scratch, NULL));
        assert_int_equal(audit(b.m.layout.len, b.s[0], rows) & WRONG_ROWS, WRONG_ROWS);
        b.w[7] = 1;
        b.x[7 * b.rows.d] = 1e6 * (1 + high[0]);
        assert_true(audit_seed(&b) & (WRONG_MEAN | WRONG_SQUARE));
    }
}

/* A taken-away square is one that no rows have. */
TEST(sums_show_second_moments_below_those_of_the_mean)
{
    bench  b;
    size_t seen = 0;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        look(&b, 0);
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], NULL, b.scratch, NULL));
        for (size_t e = 0; e < b.m.layout.len; e++) {
            const double before = b.s[0][e];

            if (entry[e].kind != MB_ENTRY_SECOND || entry[e].column[0] != entry[e].column[1] ||
                entry[e].least < 0 || isinf(bound[e]) ||
                !(rows_of(b.m.layout.len, &entry[e], b.s[0]) > 1))
                continue;
            b.s[0][e] *= -1e-6;
            assert_int_equal(audit(b.m.layout.len, b.s[0], declared(&b)), WRONG_SQUARE);
            b.s[0][e] = before;
            seen++;
        }
    }
    assert_true(seen > 100);
}

/* ---- rows with gaps ---- */

TEST(one_row_with_gaps_is_within_the_bound)
{
    const int places = sized(PLACES, 3);
    bench     b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_rng r = gen_rng(700 + i);
        int    seen = 0;

        set_up(&b, i);
        if (!b.kind->gaps)
            continue;
        look(&b, 1);
        for (int place = 0; place < places; place++) {
            b.rows.gaps = 0;
            go(&b, &r, place);
            b.rows.gaps = 1;
            for (int64_t j = 0; j < LOOKED_AT; j++) {
                double *x = b.x + j * b.rows.d, saved[COLUMNS + 1];

                memcpy(saved, x, (size_t)b.rows.d * sizeof *x);
                for (int32_t d = gaps_from(&b); d < b.rows.d; d++)
                    if (mb_rng_uniform(&r) < 0.4 && (d || b.rows.d > 1))
                        x[d] = (double)NAN;
                if (one_row(&b, j)) {
                    double any = 0;

                    for (int32_t d = 0; d < b.rows.d; d++)
                        any += !isnan(x[d]);
                    if (any > 0)
                        expect_within(&b, x, b.s[0]);
                    seen++;
                }
                memcpy(x, saved, (size_t)b.rows.d * sizeof *x);
            }
        }
        assert_true(seen >= LOOKED_AT * places / 2);
    }
}

/* The posterior is that of rows whose columns but the first are 1000 higher: there gaps are filled. */
TEST(what_fills_a_gap_has_no_bound)
{
    bench  b;
    size_t seen = 0;

    for (size_t i = 0; i < MODELS; i++) {
        double with[MAX_LEN];
        size_t above = 0, filled = 0;

        set_up(&b, i);
        if (!b.kind->gaps || b.rows.d < 2 || !b.m.ops->entries)
            continue;
        look(&b, 1);
        memcpy(with, bound, sizeof with);
        look(&b, 0);
        for (int64_t e = 0; e < ROWS * b.rows.d; e++)
            b.x[e] += e % b.rows.d && !b.size.columns ? 1000 : 0;
        must(mb_seed_step(&b.m, &b.rows, 1, b.resp, b.phi, b.scratch, NULL));
        for (int32_t d = 1; d < b.rows.d; d++)
            b.x[d] = (double)NAN;
        b.rows.gaps = 1;
        assert_true(one_row(&b, 0));
        for (size_t e = 0; e < b.m.layout.len; e++) {
            if (entry[e].kind == MB_ENTRY_OTHER)
                continue;
            filled += (size_t)(entry[e].filled && entry[e].kind >= MB_ENTRY_FIRST);
            assert_int_equal(isinf(with[e]) != 0,
                             entry[e].filled && entry[e].kind >= MB_ENTRY_FIRST);
            above += fabs(b.s[0][e]) > bound[e] * (1 + ROUNDING);
        }
        assert_int_equal(above > 0, filled > 0);
        seen += filled > 0;
    }
    assert_true(seen > 0);
}

/* ---- models of the caller ---- */

static double waiting_time(double x, double *t)
{
    t[0] = 1;
    t[1] = -x;
    return x >= 0 ? 0 : (double)NAN;
}

static double drawn(const double *rate, mb_rng *rng)
{
    return -log(mb_rng_uniform(rng)) / *rate;
}

TEST(of_the_emission_of_a_caller_nothing_is_known)
{
    const mb_emission waiting = {
        .family = &mb_gamma, .expects = "a time", .statistics = waiting_time, .draw = drawn};
    const double prior[] = {1, 1}, end[] = {0, 5};
    mb_range     r = {1, end, end + 1, 0};
    mb_model     m;

    must(mb_mixture_new(arena, &waiting, 2, 1, 1, prior, &m, NULL));
    mb_model_entries(&m, entry);
    must(mb_entry_bound(entry, m.layout.len, &r, bound, NULL));
    for (size_t e = 0; e < m.layout.len; e++) {
        assert_int_equal(entry[e].kind, e < 2 ? MB_ENTRY_WEIGHT : MB_ENTRY_OTHER);
        assert_true(e < 2 ? bound[e] >= 1 && bound[e] <= 1 : isinf(bound[e]));
    }
}

TEST(a_model_that_says_nothing_has_no_bound)
{
    bench        b;
    mb_model_ops ops;

    set_up(&b, 0);
    ops = *b.m.ops;
    ops.entries = NULL;
    b.m.ops = &ops;
    look(&b, 0);
    for (size_t e = 0; e < b.m.layout.len; e++)
        assert_true(entry[e].kind == MB_ENTRY_OTHER && isinf(bound[e]));
}

TEST(a_range_that_is_none_is_refused)
{
    bench  b;
    mb_err err;

    set_up(&b, 0);
    look(&b, 0);
    range.d--;
    assert_int_equal(mb_entry_bound(entry, b.m.layout.len, &range, bound, &err), MB_E_SHAPE);
    range.d++;
    low[1] = high[1] + 1;
    assert_int_equal(mb_entry_bound(entry, b.m.layout.len, &range, bound, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "column 2"));
    low[1] = (double)NAN;
    assert_int_equal(mb_entry_bound(entry, b.m.layout.len, &range, bound, &err), MB_E_ARG);
}

RUN_EACH_TEST(arena_up, arena_down)
