/* Fits of rows in memory: mb_fit_run and its stages against closed forms and steps made by hand. */
#include "fits.h"
#include "model/model.h"
#include "start/start.h"
#include "test.h"

#include <float.h>

/* The power of two nearest to the standard deviation, and the mean rounded to 1/64 of it. mu0, w0inv:
 * the prior, at the midpoint of the range and the power of two nearest to a quarter of it. */
static void standardise(const mb_table *t, double *origin, double *scale, double *z, double *mu0,
                        double *w0inv)
{
    for (int32_t d = 0; d < COLS; d++) {
        double lo = DBL_MAX, hi = -DBL_MAX, mean = 0, sum = 0, quarter;

        for (int32_t j = 0; j < ROWS; j++) {
            lo = fmin(lo, t->rows.x[j * COLS + d]);
            hi = fmax(hi, t->rows.x[j * COLS + d]);
            mean += t->rows.x[j * COLS + d] / ROWS;
        }
        for (int32_t j = 0; j < ROWS; j++)
            sum += pow(t->rows.x[j * COLS + d] - mean, 2);
        scale[d] = exp2(round(log2(sqrt(sum / (ROWS - 1)))));
        origin[d] = round(64 * mean / scale[d]) / 64 * scale[d];
        quarter = exp2(round(log2((hi - lo) / 4)));
        mu0[d] = (lo + (hi - lo) / 2 - origin[d]) / scale[d];
        for (int32_t e = 0; e < COLS; e++)
            w0inv[d * COLS + e] = d == e ? quarter * quarter / (scale[d] * scale[d]) : 0;
        for (int32_t j = 0; j < ROWS; j++)
            z[j * COLS + d] = (t->rows.x[j * COLS + d] - origin[d]) / scale[d];
    }
}

TEST(a_fit_alone_is_variational_bayes_by_hand)
{
    enum { STEPS = 40 };
    const mb_table table = some_rows();
    mb_gmm_opt     prior = mb_gmm_defaults(K, COLS);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    double         mu0[COLS], w0inv[COLS * COLS];
    double         origin[COLS], scale[COLS], z[ROWS * COLS], resp[ROWS * K], *phi, *next, *spare;
    const mb_rows  rows = {.x = z, .n = ROWS, .d = COLS, .ld = COLS};
    mb_model       m;
    mb_fit         fit;

    gmm.prior = "weak"; /* that of mb_gmm_defaults at the middle and spread of the range */
    standardise(&table, origin, scale, z, mu0, w0inv);
    prior.mu0 = mu0;
    prior.w0inv = w0inv;
    OK(mb_gmm_new(arena, &prior, &m, &err));
    phi = doubles(m.layout.len);
    next = doubles(m.layout.len);
    spare = doubles(mb_local_scratch(&m));
    mb_nearest_resp(&table.rows, origin, scale, K, centres, resp);
    OK(mb_seed_step(&m, &rows, 1, resp, phi, spare, &err));
    for (int t = 1; t < STEPS; t++) {
        OK(mb_local_step(&m, &rows, 1, phi, next, NULL, NULL, spare, &err));
        memcpy(phi, next, m.layout.len * sizeof *phi);
    }
    opt.how.rounds = STEPS;
    opt.tol = 0;
    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    assert_int_equal(fit.out.rounds, STEPS);
    assert_memory_equal(fit.out.mean, phi, m.layout.len * sizeof *phi);
    mb_fit_close(&fit);
}

/* y = 2 + 3 x + noise at 30 places, in three columns: x, y, and y before x where `swapped`. */
static mb_table line(int swapped)
{
    static const char *const names[] = {"x", "y"}, *const other[] = {"y", "x"};
    mb_rng  r = gen_rng(3);
    double *x = doubles(60);

    for (int32_t j = 0; j < 30; j++) {
        x[2 * j + swapped] = j / 10. - 1;
        x[2 * j + !swapped] = 2 + 3 * (j / 10. - 1) + 0.1 * mb_rng_normal(&r);
    }
    return (mb_table){.rows = {.x = x, .n = 30, .d = 2, .ld = 2},
                      .column = swapped ? other : names};
}

static mb_fit_opt regression(mb_linreg_kind *linreg)
{
    mb_fit_opt o = mb_fit_defaults();

    *linreg = (mb_linreg_kind){0};
    OK(mb_opt_defaults(mb_kind_linreg.opts, linreg, &err));
    o.kind = &mb_kind_linreg;
    o.kind_opt = linreg;
    return o;
}

/* Normal-gamma posterior of the line: a, b, m (2), lower triangle of Lambda (3). */
static void closed_form(const mb_table *t, double a0, double b0, double lambda0, double *par)
{
    double s0 = lambda0 + 30, s1 = 0, s2 = lambda0, y0 = 0, y1 = 0, yy = 0, det;

    for (int32_t j = 0; j < 30; j++) {
        const double x = t->rows.x[2 * j], y = t->rows.x[2 * j + 1];

        s1 += x;
        s2 += x * x;
        y0 += y;
        y1 += x * y;
        yy += y * y;
    }
    det = s0 * s2 - s1 * s1;
    par[0] = a0 + 15;
    par[2] = (s2 * y0 - s1 * y1) / det;
    par[3] = (s0 * y1 - s1 * y0) / det;
    par[1] = b0 + (yy - par[2] * y0 - par[3] * y1) / 2;
    par[4] = s0;
    par[5] = s1;
    par[6] = s2;
}

TEST(regression_over_a_network_is_the_closed_form)
{
    const mb_table   table = line(0);
    const mb_network net = network("path:n=4");
    mb_linreg_kind   linreg;
    mb_fit_opt       opt = regression(&linreg);
    double           exact[7];
    mb_fit           fit;
    mb_posterior     node;

    OK(mb_opt_assign(mb_kind_linreg.opts, &linreg, "prior.a0=2", &err));
    OK(mb_opt_assign(mb_kind_linreg.opts, &linreg, "prior.b0=0.5", &err));
    OK(mb_opt_assign(mb_kind_linreg.opts, &linreg, "prior.m0=0", &err));
    OK(mb_opt_assign(mb_kind_linreg.opts, &linreg, "prior.lambda0=0.25", &err));
    opt.how.algo = &mb_algo_edge;
    opt.tol = 1e-10;
    OK(mb_fit_run(arena, &net, &table, &opt, &fit, &err));
    closed_form(&table, 2, 0.5, 0.25, exact);
    for (int l = 0; l < 7; l++)
        assert_true(fabs(fit.posterior.par[l] - exact[l]) < 1e-8 * fmax(1, fabs(exact[l])));
    assert_int_equal(fit.out.verdict, MB_ENDED_SETTLED);
    for (int32_t i = 0; i < net.n; i++) {
        OK(mb_fit_node(arena, &fit, i, &node, &err));
        for (int l = 0; l < 7; l++)
            assert_true(fabs(node.par[l] - exact[l]) < 1e-8 * fmax(1, fabs(exact[l])));
    }
    assert_int_equal(mb_fit_node(arena, &fit, net.n, &node, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "node: got"));
    mb_fit_close(&fit);
}

TEST(the_target_may_be_any_column)
{
    const mb_table table = line(0), swapped = line(1);
    mb_linreg_kind linreg;
    mb_fit_opt     opt = regression(&linreg);
    mb_fit         one, other;

    OK(mb_opt_assign(mb_kind_linreg.opts, &linreg, "target-column=y", &err));
    OK(mb_fit_run(arena, NULL, &table, &opt, &one, &err));
    OK(mb_fit_run(arena, NULL, &swapped, &opt, &other, &err));
    assert_same_bits(&one, &other);
    assert_string_equal(other.posterior.target[0], "y");
    assert_string_equal(other.posterior.column[0], "x");
    linreg.target_column = "z";
    mb_fit_close(&one);
    assert_int_equal(mb_fit_run(arena, NULL, &table, &opt, &one, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "\"z\""));
    mb_fit_close(&other);
}

static const char *const ids[NODES] = {"north", "east", "south", "west", "centre"};

static mb_network star(void)
{
    static const int32_t ends[] = {4, 0, 4, 1, 4, 2, 4, 3};
    mb_network           net;

    OK(mb_network_from(arena, NODES, ids, 4, ends, NULL, &net, &err));
    return net;
}

/* Row j of the table belongs to node j mod 5, and the same rows node by node; nodes are numbered as
 * `name` lists them. */
static void both_orders(const char *const *name, mb_table *mixed, mb_table *grouped)
{
    static int32_t node[ROWS];
    static int64_t first[NODES + 1];
    double        *x = doubles(ROWS * COLS);

    *mixed = *grouped = some_rows();
    for (int32_t j = 0; j < ROWS; j++)
        node[j] = j % NODES;
    for (int32_t i = 0; i < NODES; i++) {
        first[i + 1] = first[i] + ROWS / NODES;
        for (int32_t j = 0; j < ROWS / NODES; j++)
            memcpy(x + (first[i] + j) * COLS, mixed->rows.x + (j * NODES + i) * COLS,
                   COLS * sizeof *x);
    }
    mixed->N = grouped->N = NODES;
    mixed->id = grouped->id = name;
    mixed->node = node;
    grouped->first = first;
    grouped->rows.x = x;
}

TEST(rows_in_any_order_give_the_same_bits)
{
    static const char *const turned[] = {"west", "centre", "north", "south", "east"};
    const mb_network         net = star();
    mb_gmm_kind              gmm;
    mb_fit_opt               opt = mixture(&gmm);
    mb_table                 mixed, grouped;
    mb_fit                   one, other;

    opt.how.algo = &mb_algo_edge;
    opt.start.how = MB_INIT_KMEANS;
    for (int k = 0; k < 2; k++) {
        both_orders(k ? turned : ids, &mixed, &grouped);
        OK(mb_fit_run(arena, &net, &mixed, &opt, &one, &err));
        OK(mb_fit_run(arena, &net, &grouped, &opt, &other, &err));
        assert_same_bits(&one, &other);
        mb_fit_close(&other);
        mb_fit_close(&one);
    }
}

/* Responsibilities are in the caller's order of the rows, whatever becomes of it. */
TEST(responsibilities_follow_their_rows)
{
    const mb_network net = star();
    const double     origin[COLS] = {0, 0}, scale[COLS] = {1, 1};
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = mixture(&gmm);
    mb_table         mixed, grouped;
    double           resp[2][ROWS * K];
    mb_fit           one, other;

    both_orders(ids, &mixed, &grouped);
    mb_nearest_resp(&mixed.rows, origin, scale, K, centres, resp[0]);
    mb_nearest_resp(&grouped.rows, origin, scale, K, centres, resp[1]);
    opt.start = (mb_start){.how = MB_INIT_RESPONSIBILITIES, .resp = resp[0]};
    OK(mb_fit_run(arena, &net, &mixed, &opt, &one, &err));
    opt.start.resp = resp[1];
    OK(mb_fit_run(arena, &net, &grouped, &opt, &other, &err));
    assert_same_bits(&one, &other);
    mb_fit_close(&other);
    mb_fit_close(&one);
}

TEST(labels_start_as_responsibilities_of_one_component_do)
{
    const mb_network net = star();
    const double     origin[COLS] = {0, 0}, scale[COLS] = {1, 1};
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = mixture(&gmm);
    mb_table         mixed, grouped;
    double           resp[ROWS * K];
    int32_t          label[ROWS];
    mb_fit           one, other;

    both_orders(ids, &mixed, &grouped);
    mb_nearest_resp(&mixed.rows, origin, scale, K, centres, resp);
    for (int32_t j = 0; j < ROWS * K; j++)
        if (resp[j] > 0)
            label[j / K] = j % K;
    opt.start = (mb_start){.how = MB_INIT_RESPONSIBILITIES, .resp = resp};
    OK(mb_fit_run(arena, &net, &mixed, &opt, &one, &err));
    opt.start = (mb_start){.how = MB_INIT_RESPONSIBILITIES, .label = label};
    OK(mb_fit_run(arena, &net, &mixed, &opt, &other, &err));
    assert_same_bits(&one, &other);
    mb_fit_close(&other);
    mb_fit_close(&one);
}

TEST(a_ring_agrees_with_one_place)
{
    const mb_table   table = some_rows();
    const mb_network net = network("ring:n=7");
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = mixture(&gmm);
    mb_fit           central, ring;

    opt.tol = 1e-10;
    OK(mb_fit_run(arena, &net, &table, &opt, &central, &err));
    opt.how.algo = &mb_algo_edge;
    OK(mb_fit_run(arena, &net, &table, &opt, &ring, &err));
    assert_true(difference_of_fits(&central, &ring) < 1e-8);
    assert_true(fabs(central.out.bound - ring.out.bound) < 1e-8 * fabs(ring.out.bound));
    assert_int_equal(ring.out.verdict, MB_ENDED_SETTLED);
    for (int32_t i = 0; i < net.n; i++) /* blocks of 8 or 9 rows */
        assert_true(ring.stages->nodes.data[i].n == ROWS / 7 ||
                    ring.stages->nodes.data[i].n == ROWS / 7 + 1);
    mb_fit_close(&ring);
    mb_fit_close(&central);
}

RUN_TESTS(arena_up, arena_down)
