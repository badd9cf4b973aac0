/* contract/bind.c - what the facade gives is what the functions of the library give, to the bit: for
 * every model of the list, all forms of rows, networks with every algorithm. */
#include "bind_world.h"

/* Every model of the list, all words of their choices, all shapes: by name through texts. */
TEST(a_fit_of_every_model_has_the_bits_of_the_library)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        for (int j = 0; mb_kind_grouped(b.kind, &b.size) && j < ROWS; j++)
            b.w[j] = b.w[j / 3 * 3]; /* one weight a group */
        mb_bind *f = facade_of(&b);

        give_rows(f, &b, b.rows.w);
        const int can = can_fit(f);
        mb_fit    fit = library_fit(&b, NULL, NULL, &b.rows);

        assert_int_equal(b.err.code, can ? MB_OK : MB_E_NOSUP);
        if (can)
            same_answer(f, -1, &fit.posterior, &fit.out);
        mb_fit_close(&fit);
        mb_bind_free(f);
    }
}

TEST(the_list_has_every_model_and_algorithm)
{
    mb_bind           *f = mb_bind_new(NULL);
    const char *const *text;
    int64_t            rows, columns, n = 0;

    done(f, mb_bind_list(f, "models", &text, &rows, &columns));
    assert_int_equal(columns, 6);
    for (const mb_kind *const *k = mb_kind_list(); *k; k++, n++) {
        const char *const *row = text + n * columns;

        assert_string_equal(row[0], (*k)->name);
        assert_string_equal(row[2], (*k)->estimator ? (*k)->estimator : "");
        assert_string_equal(row[3], (*k)->groups ? (*k)->groups : "");
        assert_string_equal(row[4], (*k)->gaps ? "gaps" : "");
        assert_string_equal(row[5], (*k)->algorithm ? (*k)->algorithm : "edge");
    }
    assert_int_equal(rows, n);
    done(f, mb_bind_list(f, "algorithms", &text, &rows, &columns));
    n = 0;
    for (const mb_algo *const *k = mb_algo_list(); *k; k++, n++)
        assert_string_equal(text[n * columns], (*k)->name);
    assert_int_equal(rows, n);
    mb_bind_free(f);
}

/* What has no text as default has one that is taken. */
TEST(every_option_of_the_list_takes_its_default)
{
    for (const mb_kind *const *k = mb_kind_list(); *k; k++) {
        mb_bind           *f = mb_bind_new((*k)->name);
        const char *const *text;
        int64_t            rows, columns;

        done(f, mb_bind_list(f, "options", &text, &rows, &columns));
        for (const char *const *o = text; o < text + rows * columns; o += columns)
            if (*o[3] && strcmp(o[2], "flag") != 0)
                done(f, mb_bind_set(f, o[0], o[3]));
        mb_bind_free(f);
    }
}

/* 90 rows of two columns, as arrays of every kind: from 0 to 219, so that all can have them. */
typedef struct forms {
    double  f8[180], wide[90][5], reversed[180], columns[2][90];
    float   f4[180];
    int64_t i8[180];
    int32_t i4[180];
    uint8_t u1[180];
} forms;

static void fill(forms *f)
{
    mb_rng r = gen_rng(1);

    for (int j = 0; j < 180; j++) {
        const int at = j / 2, d = j % 2;
        const int x = (int)mb_rng_below(&r, 60) + (at % 3) * 80;

        f->f8[j] = x;
        f->f4[j] = (float)x;
        f->i8[j] = f->i4[j] = x;
        f->u1[j] = (uint8_t)x;
        f->wide[at][d + 1] = f->columns[d][at] = f->reversed[(89 - at) * 2 + d] = x;
    }
}

TEST(rows_of_any_strides_and_types_have_the_same_bits)
{
    forms r;

    fill(&r);
    const struct {
        int         type;
        int64_t     row, column;
        const void *x;
    } form[] = {{MB_BIND_F8, 16, 8, r.f8},
                {MB_BIND_F4, 8, 4, r.f4},
                {MB_BIND_I8, 16, 8, r.i8},
                {MB_BIND_I4, 8, 4, r.i4},
                {MB_BIND_U1, 2, 1, r.u1},
                {MB_BIND_F8, 40, 8, &r.wide[0][1]},
                {MB_BIND_F8, -16, 8, &r.reversed[178]},
                {MB_BIND_F8, 8, 720, r.columns}};
    double bound = NAN;

    for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
        mb_bind *f = mb_bind_new("gmm");

        done(f, mb_bind_set(f, "n_components", "3"));
        done(f, mb_bind_array(f, "x", form[k].type, 2, (int64_t[]){90, 2},
                              (int64_t[]){form[k].row, form[k].column}, form[k].x));
        done(f, mb_bind_fit(f, NULL, NULL));
        bound = k ? bound : number(f, -1, "bound");
        assert_true(number(f, -1, "bound") == bound);
        mb_bind_free(f);
    }
}

/* A target beside its inputs is the target as the last column. */
TEST(a_target_in_an_array_of_its_own_has_the_bits_of_a_last_column)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        if (!b.kind->targets || b.size.targets > 1 || !b.size.D || b.size.columns ||
            mb_kind_grouped(b.kind, &b.size))
            continue;
        mb_bind *f[2] = {facade_of(&b), facade_of(&b)};

        give_rows(f[0], &b, NULL);
        matrix(f[1], "x", ROWS, b.size.D, b.rows.d, b.x);
        matrix(f[1], "y", ROWS, 1, b.rows.d, b.x + b.size.D);
        for (int k = 0; k < 2; k++)
            done(f[k], mb_bind_fit(f[k], NULL, NULL));
        assert_true(number(f[0], -1, "bound") == number(f[1], -1, "bound"));
        mb_bind_free(f[0]);
        mb_bind_free(f[1]);
    }
}

TEST(rows_with_gaps_have_the_bits_of_the_library)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        if (!b.kind->gaps || b.rows.d < 2 || mb_kind_grouped(b.kind, &b.size))
            continue;
        for (int j = 0; j < ROWS; j += 7)
            b.x[j * b.rows.d + j % b.rows.d] = NAN;
        b.rows.gaps = 1;
        mb_bind *f = facade_of(&b);

        give_rows(f, &b, NULL);
        done(f, mb_bind_fit(f, NULL, NULL));
        b.rows.w = NULL;
        mb_fit fit = library_fit(&b, NULL, NULL, &b.rows);

        same_answer(f, -1, &fit.posterior, &fit.out);
        mb_fit_close(&fit);
        mb_bind_free(f);
    }
}

/* Every algorithm of the list on a ring, which all can run, at nodes that are dealt by number. */
TEST(a_network_with_every_algorithm_has_the_bits_of_the_library)
{
    enum { NODES = 5 };
    bench      b;
    int32_t    node[ROWS];
    mb_network net;

    set_up(&b, 0);
    for (int j = 0; j < ROWS; j++)
        node[j] = (j * 7 + j / 11) % NODES;
    must(mb_network_draw(arena, "ring:n=5", 3, NULL, &net, &b.err));
    for (const mb_algo *const *algo = mb_algo_list(); *algo; algo++) {
        mb_bind *f = facade_of(&b);

        give_rows(f, &b, NULL);
        done(f, mb_bind_array(f, "node", MB_BIND_I4, 1, (int64_t[]){ROWS}, (int64_t[]){4}, node));
        done(f, mb_bind_network(f, "ring:n=5", 3, 0, 0, NULL));
        done(f, mb_bind_algorithm(f, (*algo)->name, NULL, NULL, 0, NULL));
        done(f, mb_bind_fit(f, NULL, NULL));
        b.rows.w = NULL;
        mb_fit fit = library_fit_by(&b, &net, node, *algo);

        same_answer(f, -1, &fit.posterior, &fit.out);
        for (int32_t i = 0; i < NODES; i++)
            same_node(f, i, &fit);
        mb_fit_close(&fit);
        mb_bind_free(f);
    }
}

RUN_TESTS(arena_up, arena_down)
