/* Under mpirun: rows that several processes share have the sums of one process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "fit/case.h"
#include "meshbayes/mpi.h"
#include "transport/share.h"

enum { LEN = 7, D = 3, MANY_ROWS = 1 << 24 /* of them all slices are there */ };

static mb_share share_of(int64_t all)
{
    const mb_comm *c;
    mb_share       s;
    mb_err         err = {0};

    assert_int_equal(mb_comm_mpi(arena, MPI_COMM_WORLD, &c, &err), MB_OK);
    assert_int_equal(mb_share_make_(arena, c, all, D, &s, &err), MB_OK);
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
            assert_int_equal(mb_share_make_(arena, &c, sizes[k], D, &other, &err), MB_OK);
            assert_true(other.first == next && (other.n > 0 || c.size > other.count));
            next += other.n;
        }
        assert_true(next == sizes[k]);
    }
}

static void more_processes_than_pieces_are_refused_by_a_fit(void **state)
{
    mb_comm  c = {.size = MB_SHARE_PIECES + 1};
    mb_table t = {.rows = {.n = MB_SHARE_LEAST + 1, .d = D}};
    mb_err   err = {0};

    (void)state;
    assert_int_equal(mb_table_share(arena, &c, &t, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "expected 1 to 64"));
    c.size = MB_SHARE_SLICES + 1;
    t.rows.n = MANY_ROWS;
    assert_int_equal(mb_table_share(arena, &c, &t, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "expected 1 to 1024"));
}

static void pieces_have_slices_by_the_number_of_rows(void **state)
{
    static const int64_t rows[] = {
        MB_SHARE_LEAST + 1, (1 << 21) - 64, 1 << 21,           3000001,
        MANY_ROWS - 64,     MANY_ROWS,      MANY_ROWS + 12345, 1000000000};
    static const int32_t slices[] = {1, 1, 2, 2, 15, 16, 16, 16};

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int32_t d = 1; d <= 4096; d *= 2) {
            const mb_cut_ c = mb_cut_of_(rows[k], d);
            const int64_t n = c.piece / c.slice;
            const double  moments = (double)n * MB_SHARE_PIECES * d * (d + 1) / 2;

            if (d <= 64)
                assert_int_equal(n, slices[k]);
            assert_true(n == 1 || (moments <= 1 << 22 && c.slice >= 1 << 14));
            assert_int_equal(c.piece, n * c.slice);
            assert_true(MB_SHARE_PIECES * c.piece >= rows[k]);
            assert_true(MB_SHARE_PIECES * n * (c.slice - 1) < rows[k]); /* no slice is too long */
        }
}

/* What is computed without other processes is tested by one of them. */
static int is_first(void)
{
    int rank = 0;

    return MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0;
}

/* The share of a process that is not there. */
static mb_share imagined(int64_t all, int32_t rank, int32_t size)
{
    const mb_comm c = {.rank = rank, .size = size};
    mb_arena     *a = mb_arena_new(1 << 16);
    mb_share      s;
    mb_err        err = {0};

    assert_non_null(a);
    assert_int_equal(mb_share_make_(a, &c, all, D, &s, &err), MB_OK);
    mb_arena_free(a);
    return s;
}

static void many_processes_have_equal_shares_but_for_a_slice(void **state)
{
    static const int32_t sizes[] = {33, 40, 63, 65, 100, 1000, MB_SHARE_SLICES};

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && is_first(); k++) {
        int64_t next = 0;

        for (int32_t rank = 0; rank < sizes[k]; rank++) {
            const mb_share s = imagined(MANY_ROWS, rank, sizes[k]);

            assert_int_equal(s.first, next);
            assert_true(s.n > 0 && s.n < MANY_ROWS / sizes[k] + s.slice);
            next += s.n;
        }
        assert_true(next == MANY_ROWS);
    }
}

/* The chunks here, and a part of the sums of each chunk. */
static void a_table_has_room_in_any_process(void **state)
{
    static const size_t len[] = {1, 2, 31, 32, 33, 1000, 213000};

    (void)state;
    for (int32_t size = 2; size < 2 * MB_SHARE_SLICES && is_first(); size += size < 100 ? 1 : 61) {
        const mb_comm  c = {.size = size};
        const mb_share no = imagined(MANY_ROWS, 0, size);
        const size_t   own = (size_t)((no.count + size - 1) / size); /* chunks at most */
        mb_share       s = no;

        s.comm = &c;
        for (int32_t rank = 0; rank < size; rank++)
            assert_true(mb_share_chunk_(&s, rank + 1) - mb_share_chunk_(&s, rank) <= (int32_t)own);
        for (size_t k = 0; k < sizeof len / sizeof *len; k++)
            assert_true(own * len[k] + (size_t)s.count * (len[k] / (size_t)size + 1) <=
                        mb_share_room_(len[k]));
    }
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
        assert_int_equal(mb_share_make_(arena, &c, all, D, &s, &err), MB_OK);
        assert_true(s.first == next && s.n >= 0 && s.n <= s.each);
        next += s.n;
        idle += s.n == 0;
    }
    assert_true(next == all);
    assert_int_equal(idle, MANY - s.count);
}

/* The sum of a chunk, as its process makes it: of `slices` slices from number `first` on. */
static double of_chunk(int32_t first, int32_t slices, size_t l)
{
    double sum = 0;

    for (int32_t c = first; c < first + slices; c++)
        sum += number(c, l);
    return sum;
}

static void check_sum(int64_t rows, size_t len)
{
    mb_share      s = share_of(rows);
    const mb_cut_ cut = mb_cut_of_(rows, D);
    const int32_t all = (int32_t)((rows + cut.slice - 1) / cut.slice);
    const int32_t a_piece = (int32_t)(cut.piece / cut.slice);
    const int32_t slices = (int32_t)(s.each / s.slice), own = mb_share_chunk_(&s, s.comm->rank);
    double       *table = mb_alloc(arena, mb_share_room_(len), sizeof *table);
    double        sum[LEN], want[LEN];
    mb_err        err = {0};

    assert_int_equal(s.count, (all + slices - 1) / slices);
    for (size_t l = 0; l < len; l++) {
        sum[l] = want[l] = (double)l + 0.1;
        for (int32_t p = 0; p < all; p += a_piece)
            want[l] += of_chunk(p, all - p < a_piece ? all - p : a_piece, l);
    }
    for (int32_t c = own; c < mb_share_chunk_(&s, s.comm->rank + 1); c++)
        for (size_t l = 0; l < len; l++)
            table[(size_t)(c - own) * len + l] =
                of_chunk(c * slices, all - c * slices < slices ? all - c * slices : slices, l);
    assert_int_equal(mb_share_sum_(&s, len, table, sum, MB_OK, &err), MB_OK);
    assert_memory_equal(sum, want, len * sizeof *sum);
}

static void slices_and_pieces_are_added_in_their_order(void **state)
{
    (void)state;
    for (size_t len = 1; len <= LEN; len++) {
        check_sum(MB_SHARE_LEAST + 77, len);
        check_sum(3000001, len); /* two slices a piece; the last are short */
    }
    check_sum(MANY_ROWS, LEN);
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
    double        v[2] = {s.comm->rank == best ? 1e6 : s.comm->rank, 10.0 * s.comm->rank}, other[2];
    mb_err        err = {0};

    (void)state;
    assert_int_equal(mb_share_join_(&s, larger, 2, v, other, &err), MB_OK);
    assert_true(v[0] == 1e6 && v[1] == 10.0 * best);
}

static void a_failure_is_that_of_all(void **state)
{
    mb_share      s = share_of(MB_SHARE_LEAST + 1);
    const int32_t last = s.comm->size - 1;
    double       *table = mb_alloc(arena, mb_share_room_(1), sizeof *table), sum = 0;
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
        cmocka_unit_test(pieces_have_slices_by_the_number_of_rows),
        cmocka_unit_test(many_processes_have_equal_shares_but_for_a_slice),
        cmocka_unit_test(a_table_has_room_in_any_process),
        cmocka_unit_test(slices_and_pieces_are_added_in_their_order),
        cmocka_unit_test(a_chain_goes_from_process_to_process),
        cmocka_unit_test(all_have_the_best_of_all),
        cmocka_unit_test(a_failure_is_that_of_all),
    };
    MPI_Init(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, arena_up, arena_down);

    MPI_Finalize();
    return failed;
}
