/* Under mpirun: rows that several processes share have the sums of one process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "meshbayes/fit.h"
#include "meshbayes/mpi.h"
#include "transport/share.h"

enum { LEN = 7 };

static mb_share share_of(int64_t all)
{
    mb_comm *c = mb_alloc(arena, 1, sizeof *c);
    mb_share s;
    mb_err   err = {0};

    assert_int_equal(mb_comm_mpi(arena, MPI_COMM_WORLD, c, &err), MB_OK);
    assert_int_equal(mb_share_make_(arena, c, all, &s, &err), MB_OK);
    return s;
}

/* Number l of piece c: of very different sizes, so that sums depend on their order. */
static double number(int32_t c, size_t l)
{
    mb_rng rng = mb_rng_at(3, MB_STREAM_DATA, (uint32_t)c, l);

    return mb_rng_normal(&rng) * (double)(1 << (c % 20));
}

static void every_row_is_in_one_process(void **state)
{
    const int64_t sizes[] = {MB_SHARE_LEAST + 1, MB_SHARE_LEAST + 4099, 10000000};

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const mb_share s = share_of(sizes[k]);
        mb_share       other = s;
        mb_comm        c = *s.comm;
        int64_t        next = 0;
        mb_err         err = {0};

        for (c.rank = 0; c.rank < c.size; c.rank++) {
            assert_int_equal(mb_share_make_(arena, &c, sizes[k], &other, &err), MB_OK);
            assert_true(other.first == next && other.n > 0);
            next += other.n;
        }
        assert_true(next == sizes[k]);
    }
}

static void more_processes_than_pieces_are_refused_by_a_fit(void **state)
{
    mb_comm  c = {.size = MB_SHARE_PIECES + 1};
    mb_table t = {.rows = {.n = MB_SHARE_LEAST + 1}};
    mb_err   err = {0};

    (void)state;
    assert_int_equal(mb_table_share(arena, &c, &t, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "expected 1 to 64"));
}

static void every_piece_is_in_one_of_very_many_processes(void **state)
{
    enum { MANY = 3 * MB_SHARE_PIECES + 5 };
    const int64_t all = MB_SHARE_LEAST + 77;
    mb_comm       c = {.size = MANY};
    mb_share      s;
    int64_t       next = 0;
    int32_t       idle = 0;
    mb_err        err = {0};

    (void)state;
    for (c.rank = 0; c.rank < MANY; c.rank++) {
        assert_int_equal(mb_share_make_(arena, &c, all, &s, &err), MB_OK);
        assert_true(s.first == next && s.n >= 0 && s.n <= s.each);
        next += s.n;
        idle += s.n == 0;
    }
    assert_true(next == all);
    assert_int_equal(idle, MANY - s.count);
}

static void pieces_are_added_in_their_order(void **state)
{
    (void)state;
    for (size_t len = 1; len <= LEN; len++) {
        mb_share s = share_of(MB_SHARE_LEAST + 77);
        double  *table = mb_alloc(arena, (size_t)s.count * len, sizeof *table);
        double   sum[LEN], want[LEN];
        mb_err   err = {0};

        for (size_t l = 0; l < len; l++)
            sum[l] = want[l] = (double)l + 0.1;
        for (int32_t c = 0; c < s.count; c++)
            for (size_t l = 0; l < len; l++)
                want[l] += number(c, l);
        for (int32_t c = mb_share_piece_(&s, s.comm->rank);
             c < mb_share_piece_(&s, s.comm->rank + 1); c++)
            for (size_t l = 0; l < len; l++)
                table[(size_t)c * len + l] = number(c, l);
        assert_int_equal(mb_share_sum_(&s, len, table, sum, MB_OK, &err), MB_OK);
        assert_memory_equal(sum, want, len * sizeof *sum);
    }
}

static void add_own(void *self, double *sum)
{
    *sum = 3 * *sum + *(const int32_t *)self; /* depends on the order */
}

static void a_chain_goes_from_process_to_process(void **state)
{
    mb_share s = share_of(MB_SHARE_LEAST + 1);
    int32_t  rank = s.comm->rank;
    double   sum = 1, want = 1;
    mb_err   err = {0};

    (void)state;
    for (int32_t q = 0; q < s.comm->size; q++)
        add_own(&q, &want);
    assert_int_equal(mb_share_chain_(&s, add_own, &rank, 1, &sum, &err), MB_OK);
    assert_true(sum == want);
}

static int larger(double *mine, const double *theirs, size_t len)
{
    const int is = theirs[0] > mine[0];

    if (is)
        memcpy(mine, theirs, len * sizeof *mine);
    return is;
}

static void all_have_the_best_of_all(void **state)
{
    mb_share      s = share_of(MB_SHARE_LEAST + 1);
    const int32_t best = s.comm->size / 2;
    double        v[2] = {s.comm->rank == best ? 9 : s.comm->rank, 10.0 * s.comm->rank}, other[2];
    mb_err        err = {0};

    (void)state;
    assert_int_equal(mb_share_join_(&s, larger, 2, v, other, &err), MB_OK);
    assert_true(v[0] == 9 && v[1] == 10.0 * best);
}

static void a_failure_is_that_of_all(void **state)
{
    mb_share      s = share_of(MB_SHARE_LEAST + 1);
    const int32_t last = s.comm->size - 1;
    double       *table = mb_alloc(arena, (size_t)s.count, sizeof *table), sum = 0;
    mb_err        err = {0};
    mb_status     st = MB_OK;

    (void)state;
    if (s.comm->rank == last)
        st = mb_fail_(&err, MB_E_NUMERIC, __FILE__, __LINE__, "row %d", 7);
    assert_int_equal(mb_share_sum_(&s, 1, table, &sum, st, &err), MB_E_NUMERIC);
    assert_string_equal(err.msg, "row 7");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_in_one_process),
        cmocka_unit_test(more_processes_than_pieces_are_refused_by_a_fit),
        cmocka_unit_test(every_piece_is_in_one_of_very_many_processes),
        cmocka_unit_test(pieces_are_added_in_their_order),
        cmocka_unit_test(a_chain_goes_from_process_to_process),
        cmocka_unit_test(all_have_the_best_of_all),
        cmocka_unit_test(a_failure_is_that_of_all),
    };
    MPI_Init(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, arena_up, arena_down);

    MPI_Finalize();
    return failed;
}
