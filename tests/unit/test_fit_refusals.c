/* What a fit refuses: tables and options that cannot be. */
#include "fits.h"
#include "test.h"

/* A fit that fails frees what it opened and says why. */
static void refused(const mb_network *net, const mb_table *t, const mb_fit_opt *o, mb_status code,
                    const char *text)
{
    mb_fit fit;

    assert_int_equal(mb_fit_run(arena, net, t, o, &fit, &err), code);
    if (!strstr(err.msg, text))
        fail_msg("\"%s\" does not say \"%s\"", err.msg, text);
    assert_null(fit.stages);
}

TEST(tables_that_cannot_be_are_refused)
{
    static const char *const some[] = {"1", "nobody"};
    static const int64_t     backwards[] = {0, 40, 30}, beyond[] = {0, 40, ROWS + 1};
    const mb_network         net = network("path:n=2");
    mb_gmm_kind              gmm;
    mb_fit_opt               opt = mixture(&gmm);
    int32_t                  node[ROWS] = {0};
    mb_table                 t = some_rows();

    t.node = node;
    node[5] = 2;
    refused(&net, &t, &opt, MB_E_ARG, "row 6: got node 2");
    node[5] = -1;
    refused(&net, &t, &opt, MB_E_ARG, "row 6: got node -1");
    node[5] = 1;
    t.id = some;
    t.N = 2;
    refused(&net, &t, &opt, MB_E_ARG, "\"nobody\"");
    t.id = NULL;
    t.N = 3;
    refused(&net, &t, &opt, MB_E_SHAPE, "a network of 2 nodes");
    t = some_rows();
    t.first = backwards;
    refused(&net, &t, &opt, MB_E_SHAPE, "first row of node 2: got 30");
    t.first = beyond;
    refused(&net, &t, &opt, MB_E_SHAPE, "first row of node 2: got 61");
    t = some_rows();
    t.rows.n = 0;
    refused(&net, &t, &opt, MB_E_ARG, "");
    t.rows.d = 0;
    refused(&net, &t, &opt, MB_E_SHAPE, "columns");
}

TEST(fits_that_cannot_be_are_refused)
{
    const mb_network net = network("path:n=2");
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = mixture(&gmm);
    mb_table         t = some_rows();
    double           x[ROWS * COLS];
    int32_t          label[ROWS] = {[7] = -1};

    opt.start.centres = NULL;
    refused(&net, &t, &opt, MB_E_ARG, "centres");
    for (int k = 0; k < 3; k++) {
        opt.tol = (const double[]){-1, NAN, INFINITY}[k];
        refused(&net, &t, &opt, MB_E_ARG, "tol: got ");
    }
    opt.tol = 0;
    opt.n_init = -5;
    refused(&net, &t, &opt, MB_E_ARG, "n-init: got -5; expected 1 to 10000, or 0 (automatic)");
    opt.how.rounds = opt.n_init = 0;
    refused(&net, &t, &opt, MB_E_ARG, "rounds: got 0; expected 1 to 1e+09");
    opt.how.rounds = 5;
    opt.how.threads = -1;
    refused(&net, &t, &opt, MB_E_ARG, "threads: got -1; expected 0 to 4096");
    opt.how.threads = 0;
    opt.start.how = MB_INIT_RESPONSIBILITIES;
    refused(&net, &t, &opt, MB_E_ARG, "responsibilities");
    opt.start.label = label;
    refused(&net, &t, &opt, MB_E_ARG, "row 8: got component -1; expected 0 to");
    opt.start.label = NULL;
    opt.start.how = MB_INIT_KMEANS;
    gmm.n_components = ROWS + 1;
    refused(&net, &t, &opt, MB_E_ARG, "61 components from 60 rows");
    gmm.n_components = K;
    memcpy(x, t.rows.x, sizeof x);
    t.rows.x = x;
    x[7] = NAN;
    refused(&net, &t, &opt, MB_E_NUMERIC, "nan is not a finite number");
    for (int32_t j = 0; j < ROWS; j++)
        x[COLS * j + 1] = j % 2 * 1e-110;
    refused(&net, &t, &opt, MB_E_FORMAT, "column \"x2\"");
}

TEST(an_error_has_its_option_row_and_column)
{
    mb_gmm_kind gmm;
    mb_fit_opt  o = mixture(&gmm);
    mb_table    t = some_rows();
    double      x[ROWS * COLS];
    int64_t     row[ROWS];

    gmm.nu0 = 0.5;
    refused(NULL, &t, &o, MB_E_ARG, "nu0 = 0.5");
    assert_string_equal(err.option, "nu0");
    assert_int_equal(err.row, -1);
    assert_int_equal(err.column, -1);
    gmm.nu0 = NAN;
    assert_int_equal(mb_opt_set(mb_opt_find(mb_kind_gmm.opts, "n-components"), "none", &gmm, &err),
                     MB_E_ARG);
    assert_string_equal(err.option, "n-components");
    o.tol = -1;
    refused(NULL, &t, &o, MB_E_ARG, "tol: got -1");
    assert_string_equal(err.option, "tol");
    o.tol = 1e-6;
    memcpy(x, t.rows.x, sizeof x);
    x[11 * COLS + 1] = NAN;
    t.rows.x = x;
    refused(NULL, &t, &o, MB_E_NUMERIC, "rows: row 12, column \"x2\": nan is not a finite number");
    assert_null(err.option);
    assert_int_equal(err.row, 11);
    assert_int_equal(err.column, 1);
    t.from_zero = 1;
    refused(NULL, &t, &o, MB_E_NUMERIC, "rows: row 11, column \"x2\"");
    assert_int_equal(err.row, 11);
    for (int64_t j = 0; j < ROWS; j++)
        row[j] = 1000 + j;
    t.row = row; /* the caller's numbers */
    refused(NULL, &t, &o, MB_E_NUMERIC, "rows: row 1011, column \"x2\"");
    assert_int_equal(err.row, 1011);
    x[11 * COLS + 1] = 0;
    o.n_init = -1; /* an error after one of a row has none */
    refused(NULL, &t, &o, MB_E_ARG, "n-init");
    assert_int_equal(err.row, -1);
}

TEST(an_error_names_an_option_as_its_table_does)
{
    mb_gmm_kind gmm;
    mb_fit_opt  o = mixture(&gmm);
    mb_table    t = some_rows();

    o.n_init = -1;
    refused(NULL, &t, &o, MB_E_ARG, "n-init");
    assert_string_equal(err.option, "n-init");
}

TEST(rows_are_counted_from_those_of_the_first_process)
{
    const mb_network net = network("path:n=2");
    mb_gmm_kind      gmm;
    mb_fit_opt       o = mixture(&gmm);
    mb_table         t = some_rows();
    double           x[ROWS * COLS];
    int32_t          node[ROWS] = {[7] = 2};

    o.start.how = MB_INIT_KMEANS;
    t.rows.before = 500;
    t.node = node;
    refused(&net, &t, &o, MB_E_ARG, "row 508: got node 2; expected 0 to 1");
    assert_int_equal(err.row, 507);
    t.node = NULL;
    memcpy(x, t.rows.x, sizeof x);
    x[11 * COLS + 1] = NAN;
    t.rows.x = x;
    t.rows.gaps = 1;
    o.kind = &mb_kind_linreg;
    o.kind_opt = NULL;
    refused(NULL, &t, &o, MB_E_NOSUP, "rows: row 512, column \"x2\" has no value");
    assert_int_equal(err.row, 511);
}

RUN_TESTS(arena_up, arena_down)
