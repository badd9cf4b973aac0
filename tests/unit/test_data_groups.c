/* Rows in groups in files: where they begin, nodes and dealing, batches of whole groups, and what is
 * refused. */
#include "data/parse.h"
#include "scratch.h"
#include "test.h"

static const char        TEXT[] = "site,who,x,w\n"
                                  "2,anna,1,1\n"
                                  "2,anna,2,1\n"
                                  "1,bob,3,2\n"
                                  "2,cleo,4,3\n"
                                  "2,cleo,5,3\n"
                                  "1,7,6,1\n";
static const mb_data_opt NODES = {.node_column = "site",
                                  .group_column = "who",
                                  .weight_column = "w"},
                         NONE = {.group_column = "who", .drop = "site,w"};

static mb_status read(scratch *s, const char *text, const mb_data_opt *opt, mb_data *out)
{
    return mb_data_read(s->a, scratch_text(s, "d.csv", text), opt, out, &s->err);
}

TEST(groups_follow_their_rows_to_the_nodes)
{
    static const double  x[] = {3, 6, 1, 2, 4, 5};
    static const int64_t all[] = {0, 2, 3, 5, 6}, here[] = {0, 1, 2, 4, 6}, first[] = {0, 2, 6};
    mb_data              d;

    must(read(*state, TEXT, &NONE, &d));
    assert_int_equal(d.ngroup, 4);
    assert_memory_equal(d.group, all, sizeof all);
    must(read(*state, TEXT, &NODES, &d));
    assert_int_equal(d.ngroup, 4);
    assert_memory_equal(d.x, x, sizeof x);
    assert_memory_equal(d.group, here, sizeof here);
    assert_memory_equal(d.first, first, sizeof first);
    for (int32_t g = 0; g < d.ngroup; g++)
        assert_string_equal(d.group_name[g], ((const char *[]){"bob", "7", "anna", "cleo"})[g]);
}

TEST(a_file_beside_the_rows_names_groups_too)
{
    static const int64_t all[] = {0, 2, 3, 6};
    static const double  x[] = {1, 2, 3, 4, 5, 6}, g[] = {5, 5, -1, 2, 2, 2};
    scratch             *s = *state;
    const char          *npy = scratch_path(s, "x.npy"), *beside = scratch_path(s, "g.npy");
    mb_data_opt          o = {.group_file = beside};
    mb_data              d;

    must(mb_npy_write(s->a, npy, 2, (const int64_t[]){6, 1}, x, &s->err));
    must(mb_npy_write(s->a, beside, 1, (const int64_t[]){6}, g, &s->err));
    must(mb_data_read(s->a, npy, &o, &d, &s->err));
    assert_int_equal(d.ngroup, 3);
    assert_memory_equal(d.group, all, sizeof all);
    assert_string_equal(d.group_name[1], "-1");
    o.group_file = scratch_text(s, "g.csv", "g\na\na\nb\nc\nc\nc\n");
    must(mb_data_read(s->a, npy, &o, &d, &s->err));
    assert_memory_equal(d.group, all, sizeof all);
    o.group_file = scratch_text(s, "g.csv", "g\na\na\nb\nc\nc\n");
    scratch_expect(s, mb_data_read(s->a, npy, &o, &d, &s->err), MB_E_SHAPE, "has fewer rows than");
    o.group_file = scratch_text(s, "g.csv", "g\na\na\nb\nc\nc\nc\nc\n");
    scratch_expect(s, mb_data_read(s->a, npy, &o, &d, &s->err), MB_E_SHAPE, "has more rows than");
}

TEST(dealing_never_cuts_a_group)
{
    scratch *s = *state;

    for (int blocks = 0; blocks < 2; blocks++) {
        mb_data d;
        int32_t groups = 0;

        must(read(s, TEXT, &NONE, &d));
        must(blocks ? mb_data_deal_blocks(s->a, &d, 3, &s->err)
                    : mb_data_deal(s->a, &d, 3, 4, &s->err));
        for (int32_t i = 0, g = 0; i < 3; i++) {
            int32_t here = 0;

            assert_true(d.group[g] == d.first[i]);
            for (; g < d.ngroup && d.group[g] < d.first[i + 1]; g++)
                here++;
            assert_true(here == 1 || here == 2);
            groups += here;
        }
        assert_int_equal(groups, 4);
    }
}

/* Batches of at least `least` rows, and the groups that they have. */
static void batches(scratch *s, const char *file, int64_t least, const int64_t *want, int n)
{
    const mb_data_opt o = {.group_column = "who"};
    mb_reader        *r;
    double            x[8];
    int64_t           got;
    int32_t           before = -1;

    must(mb_reader_open(s->a, file, &o, &r, &s->err));
    mb_reader_whole_groups_(r, least);
    for (int k = 0; k <= n; k++) {
        must(mb_reader_next(r, 8, x, &got, &s->err));
        assert_int_equal(got, k < n ? want[k] : 0);
        for (int64_t j = 1; j < got; j++)
            assert_in_range(mb_reader_group_(r)[j] - mb_reader_group_(r)[j - 1], 0, 1);
        if (got) {
            assert_int_equal(mb_reader_group_(r)[0], before + 1);
            before = mb_reader_group_(r)[got - 1];
        }
    }
    mb_reader_close(r);
}

TEST(batches_end_with_a_group)
{
    static const int64_t one[] = {2, 1, 3, 1}, three[] = {3, 3, 1}, all[] = {7};
    scratch             *s = *state;
    const char *file = scratch_text(s, "b.csv", "who,x\na,1\na,2\nb,3\nc,4\nc,5\nc,6\nd,7\n");

    batches(s, file, 1, one, 4);
    batches(s, file, 3, three, 3);
    batches(s, file, 7, all, 1);
}

TEST(a_dropped_row_leaves_its_group)
{
    static const int64_t first[] = {0, 1, 3};
    const mb_data_opt    o = {.group_column = "who", .missing = MB_MISSING_DROP};
    mb_data              d;

    must(read(*state, "who,x\na,\na,1\n,5\nb,2\nb,3\nc,NA\n", &o, &d));
    assert_int_equal(d.n, 3);
    assert_int_equal(d.ngroup, 2);
    assert_memory_equal(d.group, first, sizeof first);
}

TEST(what_is_no_group_is_refused)
{
    scratch    *s = *state;
    mb_data_opt o = {.group_column = "who"};
    mb_data     d;
    mb_reader  *r;
    double      x[2];
    int64_t     n;

    scratch_expect(s, read(s, "who,x\na,1\nb,2\na,3\n", &o, &d), MB_E_FORMAT,
                   "d.csv:4: group \"a\" continues after another one; it began in");
    assert_non_null(strstr(s->err.msg, "d.csv:2; expected"));
    scratch_expect(s, read(s, "who,x\na,1\n,2\n", &o, &d), MB_E_FORMAT, "the cell is empty");
    scratch_expect(s, read(s, "site,who,x,w\n1,a,1,1\n2,a,2,1\n", &NODES, &d), MB_E_FORMAT,
                   "d.csv:3: its group begins at another node");
    scratch_expect(s, read(s, "site,who,x,w\n1,a,1,1\n1,a,2,3\n", &NODES, &d), MB_E_FORMAT,
                   "d.csv:3: got weight 3; expected 1");
    o.group_column = "x";
    scratch_expect(s, read(s, "who\n1\n", &o, &d), MB_E_ARG, "no column \"x\" (the group column)");
    o.group_column = "who";
    must(mb_reader_open(s->a, scratch_text(s, "d.csv", "who,x\na,1\na,2\na,3\n"), &o, &r, &s->err));
    mb_reader_whole_groups_(r, 1);
    scratch_expect(s, mb_reader_next(r, 2, x, &n, &s->err), MB_E_FORMAT,
                   "group \"a\" has more than 2 rows");
    mb_reader_close(r);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
