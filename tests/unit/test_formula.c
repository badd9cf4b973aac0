/* test_formula.c - formulas as R reads them: terms, coding, names, numbers, and what is refused. */
#include "test.h"

#include "base/rows.h"
#include "formula/design.h"

enum { D = 5, ROWS = 6 };
static const char *const name[] = {"y", "x", "z", "f", "g h"};
static const char *const levels_f[] = {"a", "b", "c"}, *const levels_g[] = {"no", "yes"};
static const mb_column kinds[] = {{.kind = MB_COLUMN_NUMBER},
                                  {.kind = MB_COLUMN_NUMBER},
                                  {.kind = MB_COLUMN_NUMBER},
                                  {.kind = MB_COLUMN_CATEGORY, .levels = 3, .level = levels_f},
                                  {.kind = MB_COLUMN_CATEGORY, .levels = 2, .level = levels_g}};
/* y, x, z, f, g h */
static const double cells[ROWS][D] = {{1, 1, 4, 0, 0},    {0, 2, 1, 1, 1}, {2, 4, 9, 2, 0},
                                      {1, 7, 0.25, 0, 1}, {3, 3, 2, 1, 0}, {5, 5, 16, 2, 1}};

typedef struct made {
    mb_arena  *a;
    mb_formula f;
    mb_design  g;
    mb_rows    raw, rows;
    int32_t    from[D];
    mb_err     err;
} made;

static mb_status make(made *m, const char *text, mb_contrasts coding)
{
    mb_column *kind;

    *m = (made){.a = mb_arena_new(1 << 12)};
    m->raw = (mb_rows){.x = cells[0], .n = ROWS, .d = D, .ld = D};
    MB_TRY(mb_formula_parse(m->a, text, D, name, 0, NULL, &m->f, &m->err));
    MB_NEW(kind, m->a, D, &m->err);
    for (int32_t c = 0; c < m->f.columns; c++) {
        while (strcmp(name[m->from[c]], m->f.column[c]) != 0)
            m->from[c]++;
        kind[c] = kinds[m->from[c]];
    }
    m->g = (mb_design){.coding = coding};
    MB_TRY(mb_design_make(m->a, &m->f, kind, &m->g, &m->err));
    MB_TRY(mb_design_learn(&m->g, &m->raw, m->from, &m->err));
    return mb_design_rows(m->a, &m->g, &m->raw, m->from, 0, &m->rows, &m->err);
}

/* The names of the columns, with blanks between. */
static void names(const char *text, mb_contrasts coding, char out[600])
{
    made m;

    must(make(&m, text, coding));
    *out = '\0';
    for (int32_t c = 0; c < m.g.D; c++)
        snprintf(out + strlen(out), 600 - strlen(out), "%s%s", c ? "|" : "", m.g.name[c]);
    snprintf(out + strlen(out), 600 - strlen(out), "%s", m.g.terms.intercept ? "" : "|0");
    mb_arena_free(m.a);
}

static void named(const char *text, const char *expected)
{
    char got[600];

    names(text, MB_CONTRASTS_TREATMENT, got);
    assert_string_equal(got, expected);
}

/* Row j of the design. */
static void numbers(const char *text, mb_contrasts coding, int64_t j, int32_t d,
                    const double *expected)
{
    double room[64];
    made   m;

    must(make(&m, text, coding));
    assert_int_equal(m.rows.d, d);
    mb_rows_take(&m.rows, j, 1, room);
    for (int32_t c = 0; c < d; c++) {
        assert_true(fabs(room[c] - expected[c]) <= 1e-14 * (1 + fabs(expected[c])));
        assert_true(!memcmp(&room[c], &(double){mb_rows_at(&m.rows, j, c)}, sizeof(double)));
    }
    mb_arena_free(m.a);
}

/* The message, and the column of the caret from 1. */
static void refused(const char *text, const char *message, int caret)
{
    made        m;
    const char *line;

    assert_int_equal(make(&m, text, MB_CONTRASTS_TREATMENT), MB_E_ARG);
    if (!strstr(m.err.msg, message))
        fail_msg("got %s; expected %s", m.err.msg, message);
    line = strrchr(m.err.msg, '\n');
    assert_non_null(line);
    assert_int_equal(strlen(line) - 3, caret);
    mb_arena_free(m.a);
}

TEST(terms_are_sorted_by_their_number_of_factors)
{
    named("y ~ x:z + x + z", "x|z|x:z");
    named("y ~ x*z*f - x:z:f", "x|z|fb|fc|x:z|x:fb|x:fc|z:fb|z:fc");
}

TEST(factors_of_a_term_have_the_order_of_the_formula)
{
    named("y ~ z:x", "z:x");
    named("y ~ x + z:x", "x|x:z");
}

TEST(a_term_counts_once)
{
    named("y ~ x + x + x:x", "x");
    named("y ~ (x + z + f)^2 - f", "x|z|x:z|x:fb|x:fc|z:fb|z:fc");
}

TEST(a_point_is_every_column_but_the_response)
{
    named("y ~ .", "x|z|fb|fc|g hyes");
    named("y ~ . - f - `g h`", "x|z");
    named("x ~ . - f:z - f - `g h`", "y|z");
}

TEST(columns_of_terms_taken_away_are_not_needed)
{
    made m;

    must(make(&m, "y ~ . - x - f", MB_CONTRASTS_TREATMENT));
    assert_int_equal(m.g.columns, 2);
    assert_string_equal(m.g.column[1], "g h");
    mb_arena_free(m.a);
}

TEST(an_intercept_can_be_taken_away)
{
    named("y ~ 0 + x", "x|0");
    named("y ~ x - 1", "x|0");
    named("y ~ x - 1 + 1", "x");
    named("~ x + 0", "x|0");
}

TEST(without_an_intercept_the_first_category_has_all_levels)
{
    named("y ~ 0 + f", "fa|fb|fc|0");
    named("y ~ 0 + x + f + `g h`", "x|fa|fb|fc|g hyes|0");
    named("y ~ 0 + x:f", "x:fa|x:fb|x:fc|0");
}

TEST(an_interaction_without_its_margin_is_coded_in_full)
{
    named("y ~ f*`g h`", "fb|fc|g hyes|fb:g hyes|fc:g hyes");
    named("y ~ f + f:`g h`", "fb|fc|fa:g hyes|fb:g hyes|fc:g hyes");
    named("y ~ f:`g h`", "fa:g hno|fb:g hno|fc:g hno|fa:g hyes|fb:g hyes|fc:g hyes");
    named("y ~ x:f", "x:fa|x:fb|x:fc");
    named("y ~ x + x:f", "x|x:fb|x:fc");
    named("y ~ f + x:f", "fb|fc|fa:x|fb:x|fc:x");
}

TEST(expressions_are_named_as_R_writes_them)
{
    named("y ~ I(x^2)+log( z+1 )+sqrt(x*z) + exp(-x/2)", "I(x^2)|log(z + 1)|sqrt(x * z)|exp(-x/2)");
    named("y ~ poly( x ,2) + poly(z, 1)", "poly(x, 2)1|poly(x, 2)2|poly(z, 1)");
}

TEST(expressions_have_the_precedence_of_arithmetic)
{
    numbers("y ~ I(-x^2) + I(2^x^2) + I((x + 1)/2 - z*3) + I(1e-2 + .5)", 0, 1, 4,
            (double[]){-4, 16, -1.5, 0.51});
    numbers("y ~ log(x) + exp(z) + sqrt(x)", 0, 0, 3, (double[]){0, exp(4), 1});
}

TEST(treatment_is_against_the_first_level)
{
    numbers("y ~ f", MB_CONTRASTS_TREATMENT, 0, 2, (double[]){0, 0});
    numbers("y ~ f", MB_CONTRASTS_TREATMENT, 1, 2, (double[]){1, 0});
    numbers("y ~ f", MB_CONTRASTS_TREATMENT, 2, 2, (double[]){0, 1});
}

TEST(sums_have_minus_one_in_the_last_level)
{
    char got[600];

    numbers("y ~ f", MB_CONTRASTS_SUM, 0, 2, (double[]){1, 0});
    numbers("y ~ f", MB_CONTRASTS_SUM, 1, 2, (double[]){0, 1});
    numbers("y ~ f", MB_CONTRASTS_SUM, 2, 2, (double[]){-1, -1});
    numbers("y ~ f:x + x", MB_CONTRASTS_SUM, 2, 3, (double[]){4, -4, -4});
    names("y ~ f + 0 + f:x", MB_CONTRASTS_SUM, got);
    assert_string_equal(got, "fa|fb|fc|fa:x|fb:x|fc:x|0");
}

TEST(columns_of_an_interaction_run_over_the_first_factor_first)
{
    numbers("y ~ 0 + f:`g h`", MB_CONTRASTS_TREATMENT, 3, 6, (double[]){0, 0, 0, 1, 0, 0});
    numbers("y ~ 0 + f:`g h`", MB_CONTRASTS_TREATMENT, 2, 6, (double[]){0, 0, 1, 0, 0, 0});
}

TEST(polynomials_are_orthonormal_over_the_rows)
{
    double x[ROWS * 3];
    made   m;

    must(make(&m, "y ~ poly(x, 3)", MB_CONTRASTS_TREATMENT));
    mb_rows_take(&m.rows, 0, ROWS, x);
    for (int a = 0; a < 3; a++)
        for (int b = -1; b <= a; b++) {
            double sum = 0;

            for (int j = 0; j < ROWS; j++)
                sum += x[3 * j + a] * (b < 0 ? 1 : x[3 * j + b]);
            assert_true(fabs(sum - (a == b)) < 1e-13);
        }
    assert_true(x[3 * 3] > x[0]); /* the largest x has the largest number of degree 1 */
    mb_arena_free(m.a);
}

TEST(an_unknown_level_is_the_baseline)
{
    double  x[6], raw[] = {0, 2, 1, (double)NAN, 1};
    mb_rows rows = {.x = raw, .n = 1, .d = D, .ld = D}, view;
    made    m;

    must(make(&m, "y ~ f + x:f + 0", MB_CONTRASTS_TREATMENT));
    must(mb_design_rows(m.a, &m.g, &rows, m.from, 0, &view, &m.err));
    mb_rows_take(&view, 0, 1, x);
    assert_true(x[0] == 1 && x[1] == 0 && x[2] == 0 && x[3] == 2);
    mb_arena_free(m.a);
    must(make(&m, "y ~ f", MB_CONTRASTS_SUM));
    must(mb_design_rows(m.a, &m.g, &rows, m.from, 0, &view, &m.err));
    mb_rows_take(&view, 0, 1, x);
    assert_true(x[0] == 0 && x[1] == 0);
    mb_arena_free(m.a);
}

TEST(targets_follow_the_design_columns)
{
    double  x[3];
    mb_rows view;
    made    m;

    must(make(&m, "~ I(z + 1)", MB_CONTRASTS_TREATMENT));
    must(mb_design_rows(m.a, &m.g, &m.raw, m.from, 2, &view, &m.err));
    mb_rows_take(&view, 3, 1, x);
    assert_true(x[0] == 1.25 && x[1] == 0 && x[2] == 1);
    assert_true(mb_rows_at(&view, 3, 2) == 1);
    mb_arena_free(m.a);
}

TEST(a_group_and_an_offset_are_no_terms)
{
    mb_arena  *a = mb_arena_new(1 << 12);
    mb_formula f;

    must(mb_formula_parse(a, "y ~ x + (1 + z | `g h`) + offset(log(z))", D, name, 0, NULL, &f,
                          NULL));
    assert_int_equal(f.common.n, 1);
    assert_int_equal(f.varying.n, 1);
    assert_int_equal(f.varying.intercept, 1);
    assert_string_equal(f.group, "g h");
    assert_int_equal(f.offsets, 1);
    assert_string_equal(f.factor[f.offset[0]].name, "log(z)");
    mb_arena_free(a);
}

TEST(errors_have_a_caret)
{
    refused("y ~ x + agee", "no column \"agee\"; expected y, x, z, f", 9);
    refused("y ~ x +", "expected a column", 8);
    refused("y ~ x z", "expected an operator", 7);
    refused("y ~ (x + z", "expected )", 11);
    refused("x + z", "expected RESPONSE ~ TERMS", 3);
    refused("log(y) ~ x", "the response is a column", 1);
    refused("w ~ x", "no column \"w\"", 1);
    refused("y ~ x/z", "nesting", 6);
    refused("y ~ cos(x)", "no function \"cos\"", 5);
    refused("y ~ x:1", "summands", 6);
    refused("y ~ (x + z)^z", "expected a whole number", 13);
    refused("y ~ poly(x)", "the degree", 11);
    refused("y ~ poly(x, 21)", "1 to 20", 13);
    refused("y ~ log(f)", "\"f\" is a category", 5);
    refused("y ~ x + poly(y, 2)", "the response is among", 1);
    refused("y ~ poly(f, 2)", "category", 5);
    refused("y ~ `x", "no end", 5);
    refused("y ~ (1 | f) + (1 | x)", "more than one", 15);
    refused("y ~ poly(x, 6)", "more different values than the degree", 5);
    refused("y ~ z + log(.)", "all columns", 13);
}

TEST(a_copy_makes_the_same_columns_without_the_original)
{
    mb_arena        *own = mb_arena_new(1 << 10);
    const mb_design *copy;
    double           before[ROWS][12], after[ROWS][12];
    made             m;
    mb_rows          rows;
    int32_t          from[D];

    must(make(&m, "y ~ poly(x, 2)*f + log(z):`g h`", MB_CONTRASTS_SUM));
    assert_true(m.g.D <= 12);
    for (int j = 0; j < ROWS; j++)
        mb_rows_take(&m.rows, j, 1, before[j]);
    must(mb_design_copy(own, &m.g, &copy, &m.err));
    assert_true(mb_design_same(&m.g, copy));
    memcpy(from, m.from, sizeof from);
    memset((void *)(uintptr_t)m.g.factor, 0xff, (size_t)m.g.factors * sizeof *m.g.factor);
    memset((void *)(uintptr_t)m.g.terms.term, 0xff, sizeof(mb_term));
    mb_arena_free(m.a);
    must(mb_design_rows(own, copy, &(mb_rows){.x = cells[0], .n = ROWS, .d = D, .ld = D}, from, 0,
                        &rows, NULL));
    for (int j = 0; j < ROWS; j++) {
        mb_rows_take(&rows, j, 1, after[j]);
        assert_memory_equal(before[j], after[j], (size_t)rows.d * sizeof(double));
    }
    mb_arena_free(own);
}

TEST(designs_with_other_offsets_are_not_the_same)
{
    mb_design other;
    int32_t   offset;
    made      m;

    must(make(&m, "y ~ x + z + offset(z)", MB_CONTRASTS_SUM));
    other = m.g;
    offset = m.g.offset[0];
    other.offset = &offset;
    assert_true(mb_design_same(&m.g, &other));
    offset = !offset;
    assert_false(mb_design_same(&m.g, &other));
    mb_arena_free(m.a);
}

TEST(a_name_with_a_backtick_is_refused)
{
    const char *const odd[] = {"y", "x", "a`b"};
    mb_arena         *a = mb_arena_new(1 << 12);
    mb_formula        f;
    mb_err            err;

    assert_int_equal(mb_formula_parse(a, "y ~ .", 3, odd, 0, NULL, &f, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "column \"a`b\" has a backtick"));
    must(mb_formula_parse(a, "y ~ x", 3, odd, 0, NULL, &f, &err));
    mb_arena_free(a);
}

TEST(a_target_explains_nothing)
{
    const char *const target[] = {"z"};
    mb_arena         *a = mb_arena_new(1 << 12);
    mb_formula        f;
    mb_err            err;

    assert_int_equal(mb_formula_parse(a, "~ x + log(z)", D, name, 1, target, &f, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "the target is among the terms, too"));
    assert_int_equal(strlen(strrchr(err.msg, '\n')) - 3, 7);
    must(mb_formula_parse(a, "~ . - z", D, name, 1, target, &f, &err));
    assert_int_equal(f.columns, 4);
    mb_arena_free(a);
}

/* x is one of six numbers; (x - 3.5)/sqrt((x - 3.5)^2) one of two. */
TEST(polynomials_far_from_zero_need_as_many_values)
{
    refused("y ~ poly(1e9/3 + 0*x, 1)", "more different values than the degree", 5);
    refused("y ~ poly(x*0 + 0.3, 1)", "more different values than the degree", 5);
    refused("y ~ poly(1e9 + (x - 3.5)/sqrt((x - 3.5)^2), 2)", "more different values", 5);
    refused("y ~ poly(1e9/7 + x, 6)", "more different values", 5);
    named("y ~ poly(1e9 + x, 5)", "poly(1000000000 + x, 5)1|poly(1000000000 + x, 5)2|"
                                  "poly(1000000000 + x, 5)3|poly(1000000000 + x, 5)4|"
                                  "poly(1000000000 + x, 5)5");
}

TEST(constants_keep_their_digits)
{
    named("y ~ I(x*0.1) + I(x + 0.30000000000000004)", "I(x * 0.1)|I(x + 0.30000000000000004)");
}

TEST(what_nests_too_deeply_or_is_too_long_is_refused)
{
    char       text[400] = "y ~ ";
    mb_arena  *arena = mb_arena_new(1 << 12);
    mb_formula f;
    mb_err     err;

    memset(text + 4, '(', 60);
    refused(text, "more than 50 parentheses", 38);
    strcpy(text, "y ~ (");
    for (int k = 0; k < 60; k++)
        snprintf(text + strlen(text), 16, "+v%d", k);
    strcat(text, ")^3");
    assert_int_equal(mb_formula_parse(arena, text, 0, NULL, 0, NULL, &f, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "too many products of terms"));
    strcpy(text, "y ~ I(x");
    for (int k = 0; k < 40; k++)
        strcat(text, "+1");
    strcat(text, ")");
    refused(text, "too long", 38);
    mb_arena_free(arena);
}

TEST(one_factor_is_read_alone)
{
    mb_arena *a = mb_arena_new(1 << 12);
    mb_factor f;

    must(mb_factor_parse(a, "poly(z + x, 2)", D, name, &f, NULL));
    assert_int_equal(f.degree, 2);
    assert_int_equal(f.step[0].column, 2);
    assert_int_equal(f.step[1].column, 1);
    must(mb_factor_parse(a, "`g h`", D, name, &f, NULL));
    assert_int_equal(f.column, 4);
    assert_int_equal(mb_factor_parse(a, "x + z", D, name, &f, NULL), MB_E_ARG);
    mb_arena_free(a);
}

RUN_TESTS(NULL, NULL)
