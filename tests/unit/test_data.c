/* Data sets: roles of columns, grouping by node, dealing, regrouping. */
#include "data/data.h"
#include "data/table.h"
#include "scratch.h"
#include "test.h"

static const char        TEXT[] = "y,site,x1,w,x2\n"
                                  "no,10,1,1,-1\n"
                                  "yes,9,2,0,-2\n"
                                  "no,10,3,2.5,-3\n"
                                  "yes,2,4,1,-4\n"
                                  "yes,9,5,1,-5\n";
static const mb_data_opt ALL = {.node_column = "site", .label_column = "y", .weight_column = "w"},
                         NODES = {.node_column = "site"}, NONE = {.node_column = NULL};

static mb_status read(scratch *s, const char *text, const mb_data_opt *opt, mb_data *out)
{
    return mb_data_read(s->a, scratch_text(s, "d.csv", text), opt, out, &s->err);
}

TEST(rows_are_grouped_by_node_in_numeric_order)
{
    static const double  x[] = {4, -4, 2, -2, 5, -5, 1, -1, 3, -3};
    static const double  w[] = {1, 0, 1, 1, 2.5};
    static const int64_t row[] = {3, 1, 4, 0, 2}, first[] = {0, 1, 3, 5};
    static const int32_t label[] = {1, 1, 1, 0, 0};
    mb_data              d;

    must(read(*state, TEXT, &ALL, &d));
    assert_int_equal(d.n, 5);
    assert_int_equal(d.d, 2);
    assert_int_equal(d.N, 3);
    assert_string_equal(d.node_id[0], "2");
    assert_string_equal(d.node_id[2], "10");
    assert_string_equal(d.name[0], "x1");
    assert_string_equal(d.name[1], "x2");
    assert_int_equal(d.nlabel, 2);
    assert_string_equal(d.label_name[1], "yes");
    assert_memory_equal(d.x, x, sizeof x);
    assert_memory_equal(d.w, w, sizeof w);
    assert_memory_equal(d.file_row, row, sizeof row);
    assert_memory_equal(d.first, first, sizeof first);
    assert_memory_equal(d.label, label, sizeof label);
}

TEST(order_of_nodes_in_the_file_does_not_matter)
{
    scratch *s = *state;
    mb_data  a, b;

    must(read(s, TEXT, &ALL, &a));
    must(read(s,
              "x2,y,x1,w,site\n-2,yes,2,0,9\n-5,yes,5,1,9\n-1,no,1,1,10\n-4,yes,4,1,2\n"
              "-3,no,3,2.5,10\n",
              &ALL, &b));
    for (int r = 0; r < 5; r++) {
        assert_true(a.x[2 * r] == b.x[2 * r + 1] && a.x[2 * r + 1] == b.x[2 * r]);
        assert_true(a.w[r] == b.w[r] && a.label[r] == b.label[r]);
    }
    assert_true(a.hash != b.hash);
}

TEST(columns_without_a_role_are_features)
{
    scratch *s = *state;
    mb_data  d;

    scratch_expect(s, read(s, TEXT, &NODES, &d), MB_E_FORMAT,
                   "d.csv:2: column \"y\": \"no\" is not a finite number");
    must(read(s, "a,b\n1,2\n3,4\n", &NONE, &d));
    assert_int_equal(d.N, 0);
    assert_int_equal(d.d, 2);
    assert_null(d.w);
    assert_null(d.label);
}

TEST(npy_has_numbered_columns_and_no_roles)
{
    static const double x[4] = {1, 2, 3, 4};
    scratch            *s = *state;
    const char         *path = scratch_path(s, "d.npy");
    mb_data             d;

    must(mb_npy_write(s->a, path, 2, (const int64_t[]){2, 2}, x, &s->err));
    must(mb_data_read(s->a, path, &NONE, &d, &s->err));
    assert_string_equal(d.name[1], "x2");
    assert_memory_equal(d.x, x, sizeof x);
    assert_null(d.file_row); /* they are in the order of the file */
    scratch_expect(s, mb_data_read(s->a, path, &NODES, &d, &s->err), MB_E_ARG,
                   "an NPY file has no column names");
}

TEST(faults_name_file_line_column_and_value)
{
    static const mb_data_opt wrong = {.node_column = "sight"};
    scratch                 *s = *state;
    mb_data                  d;

    scratch_expect(s, read(s, TEXT, &wrong, &d), MB_E_ARG,
                   "d.csv: no column \"sight\" (the node column); expected y, site, x1, w, x2");
    scratch_expect(s, read(s, "site,x\n1,2\n,3\n", &NODES, &d), MB_E_FORMAT,
                   "d.csv:3: column \"site\": the cell is empty");
    scratch_expect(s, read(s, "site,x\n1,2\n2,\n", &NODES, &d), MB_E_FORMAT,
                   "d.csv:3: column \"x\": \"\" is not a finite number: the cell is missing");
    scratch_expect(s, read(s, "site,x\n1,2\n2,NaN\n", &NODES, &d), MB_E_FORMAT, "\"NaN\"");
    scratch_expect(s, read(s, "site\n1\n2\n", &NODES, &d), MB_E_FORMAT, "no feature column");
    scratch_expect(s, read(s, "site,x\n", &NODES, &d), MB_E_FORMAT, "no rows");
    scratch_expect(s, read(s, "site,x\n1,2\n01,3\n", &NODES, &d), MB_E_FORMAT,
                   "d.csv: column \"site\": \"01\" and \"1\" are the same number");
}

TEST(weights_are_not_negative_and_not_all_zero)
{
    static const mb_data_opt weighted = {.weight_column = "w"};
    scratch                 *s = *state;
    mb_data                  d;

    scratch_expect(s, read(s, "w,x\n1,2\n-1,3\n", &weighted, &d), MB_E_FORMAT,
                   "d.csv:3: column \"w\": got weight -1; expected 0 or more");
    scratch_expect(s, read(s, "w,x\n0,2\n0,3\n", &weighted, &d), MB_E_FORMAT, "every weight is 0");
}

/* n rows whose x is their number in the file. */
static mb_data numbered(scratch *s, int n)
{
    char    text[4000] = "x\n";
    mb_data d;

    for (int r = 0; r < n; r++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d\n", r);
    must(read(s, text, &NONE, &d));
    return d;
}

TEST(dealing_gives_every_row_once_in_even_sizes)
{
    scratch *s = *state;
    mb_data  d = numbered(s, 103);
    int      seen[103] = {0};

    must(mb_data_deal(s->a, &d, 10, 7, &s->err));
    assert_int_equal(d.N, 10);
    assert_string_equal(d.node_id[9], "10");
    for (int i = 0; i < 10; i++) {
        int64_t size = d.first[i + 1] - d.first[i];

        assert_int_equal(size, i < 3 ? 11 : 10);
        for (int64_t r = d.first[i]; r < d.first[i + 1]; r++) {
            assert_true(d.x[r] == (double)d.file_row[r]);
            assert_true(r == d.first[i] || d.file_row[r] > d.file_row[r - 1]);
            seen[d.file_row[r]]++;
        }
    }
    for (int r = 0; r < 103; r++)
        assert_int_equal(seen[r], 1);
}

TEST(dealing_follows_the_seed)
{
    scratch *s = *state;
    mb_data  a = numbered(s, 50), b = numbered(s, 50), c = numbered(s, 50);

    must(mb_data_deal(s->a, &a, 5, 1, &s->err));
    must(mb_data_deal(s->a, &b, 5, 1, &s->err));
    must(mb_data_deal(s->a, &c, 5, 2, &s->err));
    assert_memory_equal(a.file_row, b.file_row, 50 * sizeof *a.file_row);
    assert_memory_not_equal(a.file_row, c.file_row, 50 * sizeof *a.file_row);
    scratch_expect(s, mb_data_deal(s->a, &a, 5, 1, &s->err), MB_E_ARG, "cannot be dealt");
}

TEST(one_node_keeps_the_order_of_the_file)
{
    scratch *s = *state;
    mb_data  d = numbered(s, 20);

    must(mb_data_deal(s->a, &d, 1, 3, &s->err));
    assert_null(d.file_row);
    for (int r = 0; r < 20; r++)
        assert_true(d.x[r] == r);
}

TEST(regrouping_adds_empty_nodes)
{
    static const char *const id[] = {"2", "3", "9", "10"}, *const words[] = {"10", "2", "9", "hub"};
    static const int64_t first[] = {0, 1, 1, 3, 5}, moved[] = {0, 2, 3, 5, 5};
    scratch             *s = *state;
    mb_data              d;

    must(read(s, TEXT, &ALL, &d));
    must(mb_data_regroup(s->a, &d, 4, id, &s->err));
    assert_int_equal(d.N, 4);
    assert_memory_equal(d.first, first, sizeof first);
    assert_true(d.x[0] == 4 && d.x[8] == 3);
    assert_string_equal(d.node_id[1], "3");
    /* A word among the ids: order by bytes, so node 10 moves to the front. */
    must(read(s, TEXT, &ALL, &d));
    must(mb_data_regroup(s->a, &d, 4, words, &s->err));
    assert_memory_equal(d.first, moved, sizeof moved);
    assert_true(d.x[0] == 1 && d.x[2] == 3 && d.x[4] == 4);
    assert_true(d.w[1] == 2.5 && d.label[0] == 0 && d.label[2] == 1);
}

TEST(regrouping_needs_every_node_of_the_data)
{
    static const char *const id[] = {"2", "9", "11"}, *const spelled[] = {"2", "9", "010"};
    scratch *s = *state;
    mb_data  d;

    must(read(s, TEXT, &ALL, &d));
    scratch_expect(s, mb_data_regroup(s->a, &d, 3, id, &s->err), MB_E_ARG,
                   "node \"10\" has rows but is not in the network");
    scratch_expect(s, mb_data_regroup(s->a, &d, 3, spelled, &s->err), MB_E_FORMAT,
                   "\"010\" and \"10\" are the same number");
}

RUN_EACH_TEST(scratch_begin, scratch_end)
