/* How many initialisations "auto" makes. */
#include "fit/case.h"
#include "test.h"

/* The number for n rows of D columns and K components of `each` numbers at one node. */
static int32_t starts_of(int64_t n, int32_t K, int32_t D, int32_t each, const mb_kind *kind,
                         mb_init how)
{
    const mb_case  nodes = {.kind = kind};
    const mb_case  all = {.kind = kind,
                          .nodes = &nodes,
                          .table = {.rows = {.n = n, .d = D}},
                          .model = {.K = K, .layout = {.len = (size_t)(K * (1 + each))}}};
    const mb_start start = {.how = how};

    return mb_case_starts(&all, &start);
}

/* Components with a matrix. */
static int32_t starts(int64_t n, int32_t K, int32_t D, const mb_kind *kind, mb_init how)
{
    return starts_of(n, K, D, D * (D + 1) / 2 + D + 2, kind, how);
}

TEST(work_decides)
{
    assert_int_equal(starts(500000, 2, 10, &mb_kind_gmm, MB_INIT_KMEANS), 10); /* 1e8 */
    assert_int_equal(starts(500001, 2, 10, &mb_kind_gmm, MB_INIT_KMEANS), 3);
    assert_int_equal(starts(1000000, 100, 10, &mb_kind_gmm, MB_INIT_FARTHEST), 3); /* 1e10 */
    assert_int_equal(starts(1000001, 100, 10, &mb_kind_gmm, MB_INIT_RANDOM), 1);
}

/* 4 numbers a column and one of the weights: 2 n (4 D + 1) <= 1e8. */
TEST(without_matrices_columns_count_once)
{
    assert_int_equal(starts_of(62345, 2, 100, 400, &mb_kind_gmm, MB_INIT_KMEANS), 3);
    assert_int_equal(starts_of(62344, 2, 100, 400, &mb_kind_gmm, MB_INIT_KMEANS), 10);
    assert_int_equal(starts(62344, 2, 100, &mb_kind_gmm, MB_INIT_KMEANS), 3);
}

TEST(what_is_given_is_run_once)
{
    assert_int_equal(starts(100, 2, 2, &mb_kind_gmm, MB_INIT_CENTRES), 1);
    assert_int_equal(starts(100, 2, 2, &mb_kind_gmm, MB_INIT_RESPONSIBILITIES), 1);
    assert_int_equal(starts(100, 1, 2, &mb_kind_gmm, MB_INIT_KMEANS), 1); /* the same again */
    assert_int_equal(starts(100, 0, 2, &mb_kind_linreg, MB_INIT_KMEANS), 1);
}

TEST(a_network_has_one)
{
    const mb_case nodes = {
        .kind = &mb_kind_gmm, .table = {.rows = {.n = 10, .d = 2}}, .model = {.K = 2}};
    const mb_start start = {.how = MB_INIT_KMEANS};

    assert_int_equal(mb_case_starts(&nodes, &start), 1);
}

RUN_TESTS(NULL, NULL)
