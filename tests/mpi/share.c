/* Under mpirun: rows that several processes share have the sums of one process. */
#include "transport/share.h"
#include "arena.h"
#include "fit/case.h"
#include "meshbayes/mpi.h"
#include "test.h"

enum { LEN = 7, D = 3, MANY_ROWS = 1 << 24 /* of them all slices are there */ };

static mb_share share_of(int64_t all)
{
    const mb_comm *c;
    mb_share       s;
    mb_err         err = {0};

    must(mb_comm_mpi(arena, MPI_COMM_WORLD, &c, &err));
    must(mb_share_make_(arena, c, all, D, &s, &err));
    return s;
}

/* Number l of piece c: of very different sizes, so that sums depend on their order. */
static double number(int32_t c, size_t l)
{
    mb_rng rng = mb_rng_at(3, MB_STREAM_DATA, (uint32_t)c, l);

    return mb_rng_normal(&rng) * (double)(1 << (c % 20));
}

TEST(every_row_is_in_one_process)
{
    const int64_t sizes[] = {MB_SHARE_LEAST + 1, MB_SHARE_LEAST + 4099, 10000000};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const mb_share s = share_of(sizes[k]);
        mb_share       other = s;
        mb_comm        c = *s.comm;
        int64_t        next = 0;
        mb_err         err = {0};

        for (c.rank = 0; c.rank < c.size; c.rank++) {
            must(mb_share_make_(arena, &c, sizes[k], D, &other, &err));
            assert_true(other.first == next && (other.n > 0 || c.size > other.count));
            next += other.n;
        }
        assert_true(next == sizes[k]);
    }
}

TEST(more_processes_than_pieces_are_refused_by_a_fit)
{
    mb_comm  c = {.size = MB_SHARE_PIECES + 1};
    mb_table t = {.rows = {.n = MB_SHARE_LEAST + 1, .d = D}};
    mb_err   err = {0};

    assert_int_equal(mb_table_share(arena, &c, &t, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "expected 1 to 64"));
    c.size = MB_SHARE_SLICES + 1;
    t.rows.n = MANY_ROWS;
    assert_int_equal(mb_table_share(arena, &c, &t, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "expected 1 to 1024"));
}

TEST(pieces_have_slices_by_the_number_of_rows)
{
    static const int64_t rows[] = {
        MB_SHARE_LEAST + 1, (1 << 21) - 64, 1 << 21,           3000001,
        MANY_ROWS - 64,     MANY_ROWS,      MANY_ROWS + 12345, 1000000000};
    static const int32_t slices[] = {1, 1, 2, 2, 15, 16, 16, 16};

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
    must(mb_share_make_(a, &c, all, D, &s, &err));
    mb_arena_free(a);
    return s;
}

TEST(many_processes_have_equal_shares_but_for_a_slice)
{
    static const int32_t sizes[] = {33, 40, 63, 65, 100, 1000, MB_SHARE_SLICES};

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
TEST(a_table_has_room_in_any_process)
{
    static const size_t len[] = {1, 2, 31, 32, 33, 1000, 213000};

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

TEST(every_piece_is_in_one_of_very_many_processes)
{
    enum { MANY = 3 * MB_SHARE_PIECES + 5 };
    const int64_t all = MB_SHARE_LEAST + 77;
    mb_comm       c = {.size = MANY};
    mb_share      s;
    int64_t       next = 0;
    int32_t       idle = 0;
    mb_err        err = {0};

    for (c.rank = 0; c.rank < MANY; c.rank++) {
        must(mb_share_make_(arena, &c, all, D, &s, &err));
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
    double       *table = doubles(mb_share_room_(len));
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
    must(mb_share_sum_(&s, len, table, sum, MB_OK, &err));
    assert_memory_equal(sum, want, len * sizeof *sum);
}

TEST(slices_and_pieces_are_added_in_their_order)
{
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

TEST(a_chain_goes_from_process_to_process)
{
    mb_share s = share_of(MB_SHARE_LEAST + 1);
    int32_t  rank = s.comm->rank;
    double   sum = 1, want = 1;
    mb_err   err = {0};

    for (int32_t q = 0; q < s.comm->size; q++)
        add_own(&q, &want);
    must(mb_share_chain_(&s, add_own, &rank, 1, &sum, &err));
    assert_true(sum == want);
}

static int larger(double *mine, const double *theirs, size_t len)
{
    const int is = theirs[0] > mine[0];

    if (is)
        memcpy(mine, theirs, len * sizeof *mine);
    return is;
}

TEST(all_have_the_best_of_all)
{
    mb_share      s = share_of(MB_SHARE_LEAST + 1);
    const int32_t best = s.comm->size / 2;
    double        v[2] = {s.comm->rank == best ? 1e6 : s.comm->rank, 10.0 * s.comm->rank}, other[2];
    mb_err        err = {0};

    must(mb_share_join_(&s, larger, 2, v, other, &err));
    assert_true(v[0] == 1e6 && v[1] == 10.0 * best);
}

TEST(a_failure_is_that_of_all)
{
    mb_share      s = share_of(MB_SHARE_LEAST + 1);
    const int32_t last = s.comm->size - 1;
    double       *table = doubles(mb_share_room_(1)), sum = 0;
    mb_err        err = {0};
    mb_status     st = MB_OK;

    if (s.comm->rank == last)
        st = mb_fail_(&err, MB_E_NUMERIC, __FILE__, __LINE__, "row %d", 7);
    assert_int_equal(mb_share_sum_(&s, 1, table, &sum, st, &err), MB_E_NUMERIC);
    assert_string_equal(err.msg, "row 7");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int failed = run_all_tests(arena_up, arena_down);

    MPI_Finalize();
    return failed;
}
