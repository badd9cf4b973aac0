/* Accuracy, NMI and ARI against scikit-learn 1.2.1. The figures below were printed by
 *   from sklearn.metrics import normalized_mutual_info_score as nmi, adjusted_rand_score as ari
 *   from scipy.optimize import linear_sum_assignment
 *   p = repeat(arange(K), C.sum(1)); t = concatenate([repeat(arange(c), row) for row in C])
 *   r, k = linear_sum_assignment(-C); C[r, k].sum() / C.sum(), nmi(t, p), ari(t, p)
 * with "%.17g" for each table C (components x classes). */
#include "core/observe.h"
#include "test.h"

/* Sums of at most 12 logarithms of counts below 1000: a few dozen roundings of numbers near 1. */
static const double TOL = 1e-14;

static mb_agreement agreement(const int64_t *counts, int32_t K, int32_t C, int32_t *match)
{
    mb_arena    *a = mb_arena_new(4096);
    mb_agreement out;
    mb_err       err;
    assert_non_null(a);
    must(mb_agreement_of(a, counts, K, C, &out, match, &err));
    mb_arena_free(a);
    return out;
}

static const struct {
    int32_t K, C;
    int64_t counts[12];
    double  accuracy, nmi, ari;
} known[] = {
    {3,
     3,
     {50, 0, 0, 0, 48, 2, 0, 14, 36},
     0.89333333333333331,
     0.75817568000577851,
     0.73023827228346971},
    {3, 2, {90, 5, 30, 40, 10, 51}, 0.62389380530973448, 0.29862205947572901, 0.33089321520420695},
    {2, 4, {7, 3, 2, 1, 0, 9, 4, 5}, 0.5161290322580645, 0.24960843196530816, 0.16290852402427483},
    {2, 3, {10, 4, 3, 9, 1, 0}, 0.48148148148148145, 0.1089509664722383, -0.05573349374867901},
    {4,
     3,
     {40, 1, 0, 2, 30, 5, 0, 3, 0, 1, 1, 20},
     0.87378640776699024,
     0.65651326182105818,
     0.70947058357531645},
    {2, 2, {3, 3, 3, 3}, 0.5, 0, -0.10000000000000001},
    {2, 2, {5, 5, 0, 0}, 0.5, 0, 0}, /* one component, two classes */
    {2, 2, {10, 0, 0, 0}, 1, 1, 1},  /* one of each */
    {2, 2, {1, 0, 0, 1}, 1, 1, 1},   /* every row alone */
    {1, 1, {1}, 1, 1, 1},
};

TEST(figures_equal_those_of_scikit_learn)
{
    for (size_t l = 0; l < sizeof known / sizeof *known; l++) {
        const mb_agreement got = agreement(known[l].counts, known[l].K, known[l].C, NULL);
        assert_true(fabs(got.accuracy - known[l].accuracy) <= TOL);
        assert_true(fabs(got.nmi - known[l].nmi) <= TOL);
        assert_true(fabs(got.ari - known[l].ari) <= TOL);
    }
}

TEST(one_component_to_one_class)
{
    const int64_t counts[] = {9, 10, 0, 20}; /* both prefer class 1 */
    int32_t       match[2];
    assert_true(agreement(counts, 2, 2, match).accuracy == 29.0 / 39);
    assert_int_equal(match[0], 0);
    assert_int_equal(match[1], 1);
}

TEST(components_left_over_match_no_class)
{
    const int64_t counts[] = {1, 5, 20, 0, 3, 4};
    int32_t       match[3];
    agreement(counts, 3, 2, match);
    assert_int_equal(match[0], 1);
    assert_int_equal(match[1], 0);
    assert_int_equal(match[2], -1);
}

TEST(no_rows_have_no_agreement)
{
    const int64_t      counts[4] = {0};
    const mb_agreement got = agreement(counts, 2, 2, NULL);
    assert_true(isnan(got.accuracy) && isnan(got.nmi) && isnan(got.ari));
}

TEST(a_table_without_rows_or_columns_is_refused)
{
    mb_arena     *a = mb_arena_new(4096);
    mb_agreement  out;
    mb_err        err;
    const int64_t counts[1] = {0};
    assert_int_equal(mb_agreement_of(a, counts, 0, 1, &out, NULL, &err), MB_E_ARG);
    assert_int_equal(mb_agreement_of(a, counts, 1, 0, &out, NULL, &err), MB_E_ARG);
    mb_arena_free(a);
}

RUN_TESTS(NULL, NULL)
