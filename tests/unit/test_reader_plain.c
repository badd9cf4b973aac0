/* Lines of plain numbers are read many at a time, by several threads: as one by one. */
#include "base/pool.h"
#include "data/table.h"
#include "scratch.h"
#include "test.h"

enum { LINES = 9000, COLS = 2, LONGEST = 160 };

/* A cell that is read. odd: how many of 1000 are not plain. */
static void number(mb_rng *rng, uint64_t odd, char *to)
{
    const double x = ldexp(mb_rng_normal(rng), (int)mb_rng_below(rng, 60) - 30);
    const int    digits = (int)mb_rng_below(rng, 20);

    if (mb_rng_below(rng, 1000) >= odd)
        snprintf(to, 40, "%.*g", digits, x);
    else if (mb_rng_below(rng, 2))
        snprintf(to, 40, "\"%.9g\"", x);
    else
        snprintf(to, 40, " %.30f ", x);
}

/* Rows a, text, b, of which the text is not read; some texts look like rows. */
static const char *table(scratch *s, uint64_t seed, uint64_t odd, const char *end)
{
    static const char *const text[] = {"", "word", "1", "a\"b", "3.5"};
    mb_rng                   rng = mb_rng_at(seed, MB_STREAM_SAMPLE, 0, 0);
    char                    *all = mb_alloc(s->a, LINES * LONGEST, 1), a[48], b[48];
    size_t                   n = 0;

    assert_non_null(all);
    n += (size_t)snprintf(all, LONGEST, "a,note,b%s", end);
    for (int j = 1; j < LINES; j++) {
        number(&rng, odd, a);
        number(&rng, odd, b);
        if (mb_rng_below(&rng, 1000) < odd)
            n += (size_t)snprintf(all + n, LONGEST, "%s,\"two%s1,2,3%slines\",%s%s", a, end, end, b,
                                  end);
        else
            n += (size_t)snprintf(all + n, LONGEST, "%s,%s,%s%s", a, text[mb_rng_below(&rng, 5)], b,
                                  end);
    }
    return scratch_bytes(s, "rows.csv", all, n);
}

typedef struct rows {
    int64_t n, row; /* row: the sum of their numbers */
    double  x[LINES * COLS];
    char    msg[sizeof((mb_err *)0)->msg];
} rows;

/* one 1: record by record, since a text is wanted too. */
static void read_rows(scratch *s, const char *path, mb_pool *pool, int one, int64_t batch,
                      rows *out)
{
    const mb_data_opt opt = {.columns = "b,a", .pool = pool, .missing = MB_MISSING_KEEP};
    mb_arena         *a = mb_arena_new(1 << 16);
    mb_reader        *r;
    int64_t           got = 1;
    mb_status         st;

    memset(out, 0, sizeof *out);
    assert_non_null(a);
    must(mb_reader_open(a, path, &opt, &r, &s->err));
    if (one)
        must(mb_reader_keep(r, (const int32_t[]){1}, 1, &s->err));
    for (st = MB_OK; st >= 0 && got; out->n += got) {
        const int64_t left = LINES - out->n;

        st = mb_reader_next(r, batch < left ? batch : left, out->x + out->n * COLS, &got, &s->err);
        got = st < 0 ? 0 : got;
        for (int64_t j = 0; j < got; j++)
            out->row += mb_reader_rows(r)[j];
    }
    if (st < 0)
        memcpy(out->msg, s->err.msg, sizeof out->msg);
    mb_reader_close(r);
    mb_arena_free(a);
}

static void expect_the_same(scratch *s, const char *path, mb_pool *pool)
{
    static const int64_t batch[] = {1, 37, 4096, LINES};
    static rows          one, many;

    read_rows(s, path, NULL, 1, LINES, &one);
    for (int k = 0; k < 8; k++) {
        read_rows(s, path, k % 2 ? pool : NULL, 0, batch[k / 2], &many);
        assert_string_equal(many.msg, one.msg);
        if (!*one.msg)
            assert_memory_equal(&many, &one, sizeof one);
    }
}

static void with_pool(scratch *s, void (*claim)(scratch *s, mb_pool *pool))
{
    mb_pool *pool;

    must(mb_pool_open(s->a, 3, &pool, &s->err));
    claim(s, pool);
    mb_pool_close(pool);
}

static void read_all(scratch *s, mb_pool *pool)
{
    static const uint64_t odd[] = {0, 1, 20, 500};

    for (uint64_t k = 0; k < 4; k++) {
        expect_the_same(s, table(s, k, odd[k], "\n"), pool);
        expect_the_same(s, table(s, 10 + k, odd[k], "\r\n"), pool);
    }
}

TEST(rows_do_not_depend_on_threads_batches_or_their_form)
{
    with_pool(*state, read_all);
}

/* A cell of a line becomes another text of the same length. */
static void spoil(scratch *s, mb_pool *pool, int line, const char *with)
{
    char   text[LINES * 12], cell[16];
    size_t n = (size_t)snprintf(text, sizeof text, "a,note,b\n");

    for (int j = 2; j <= LINES / 2; j++) {
        snprintf(cell, sizeof cell, "%d", j);
        n += (size_t)snprintf(text + n, sizeof text - n, "%d,,%s\n", j, j == line ? with : cell);
    }
    expect_the_same(s, scratch_bytes(s, "bad.csv", text, n), pool);
}

static void refuse_all(scratch *s, mb_pool *pool)
{
    static const char *const bad[] = {"x",   "1e101", "1,2", "\"", "1\r",
                                      "1 2", "1e",    "nan", "",   "-"};
    static rows              seen;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        for (int line = 2; line < LINES / 2; line += 1499)
            spoil(s, pool, line, bad[k]);
    spoil(s, pool, 1000, "x");
    read_rows(s, scratch_path(s, "bad.csv"), pool, 0, LINES, &seen);
    assert_non_null(strstr(seen.msg, "bad.csv:1000: column \"b\": \"x\" is not a finite number"));
}

TEST(errors_name_the_same_file_line_and_column)
{
    with_pool(*state, refuse_all);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
