/* A former answer as today's prior, or as today's initialisation. */
#include "fits.h"
#include "posterior/posterior.h"
#include "test.h"

static const char *const xy[] = {"x", "y"};

/* Half 1, then half 2 with the answer of half 1 as its prior, is all rows at once: the largest
 * distance of a parameter, relative. */
static double in_two_parts(mb_table all, mb_fit_opt opt, const mb_network *net)
{
    mb_table half[2];
    mb_fit   one, two, whole;
    double   apart;

    all.column = xy;
    half[0] = table_part(&all, 0, 25);
    half[1] = table_part(&all, 25, ROWS - 25);
    OK(mb_fit_run(arena, NULL, &all, &opt, &whole, &err));
    OK(mb_fit_run(arena, NULL, &half[0], &opt, &one, &err));
    opt.units.prior = &one.posterior;
    opt.how.algo = net ? &mb_algo_edge : NULL;
    OK(mb_fit_run(arena, net, &half[1], &opt, &two, &err));
    assert_memory_equal(two.posterior.prior_par, one.posterior.par,
                        one.posterior.model->layout.len * sizeof *one.posterior.par);
    apart = difference_of_fits(&whole, &two);
    mb_fit_close(&one);
    mb_fit_close(&two);
    mb_fit_close(&whole);
    return apart;
}

TEST(regression_learns_in_two_parts_what_it_learns_at_once)
{
    static const char *const prior[] = {"prior.a0=2", "prior.b0=3", "prior.m0=1,-2",
                                        "prior.lambda0=.5"};
    const mb_network         net = network("path:n=4");
    mb_fit_opt               opt = mb_fit_defaults();
    mb_table                 all = some_rows();
    mb_linreg_kind           line = {0};

    OK(mb_opt_defaults(mb_kind_linreg.opts, &line, &err));
    for (size_t k = 0; k < sizeof prior / sizeof *prior; k++)
        OK(mb_opt_assign(mb_kind_linreg.opts, &line, prior[k], &err));
    opt.kind = &mb_kind_linreg;
    opt.kind_opt = &line;
    assert_true(in_two_parts(all, opt, NULL) < 1e-10);
    all.rows.w = row_weights(ROWS);
    assert_true(in_two_parts(all, opt, NULL) < 1e-10);
    opt.tol = 1e-11;
    assert_true(in_two_parts(all, opt, &net) < 1e-8);
    line.intercept = 0;
    line.m0 = "-2";
    opt.tol = 3e-7;
    assert_true(in_two_parts(all, opt, NULL) < 1e-10);
}

TEST(one_component_learns_in_two_parts_what_it_learns_at_once)
{
    static const char *const prior[] = {"prior.alpha0=2", "prior.beta0=.3", "prior.nu0=4.5",
                                        "prior.mu0=90,80", "prior.w0inv=30,5,5,20"};
    mb_gmm_kind              gmm;
    mb_fit_opt               opt = mixture(&gmm);
    mb_table                 all = some_rows();

    gmm.n_components = 1;
    opt.start.how = MB_INIT_KMEANS;
    for (size_t k = 0; k < sizeof prior / sizeof *prior; k++)
        OK(mb_opt_assign(mb_kind_gmm.opts, &gmm, prior[k], &err));
    assert_true(in_two_parts(all, opt, NULL) < 1e-10);
    all.rows.w = row_weights(ROWS);
    assert_true(in_two_parts(all, opt, NULL) < 1e-10);
}

/* A mixture of 2 whose components differ in every parameter: alpha, then nu, beta, m, W^-1. They are
 * not in canonical order. */
static const double mixed[2 + 2 * 7] = {7,  2, /* alpha */
                                        12, 9, 121, 100, 40, 3, 30, 5, 3, 100, 121, 20, -2, 25};

static mb_posterior former(void)
{
    const mb_sizes size = {.K = 2, .D = 2};
    mb_posterior   p;

    OK(mb_posterior_make(arena, &mb_kind_gmm, &size, mixed, &p, &err));
    p.name = "yesterday.json";
    return p;
}

/* Every parameter of a component gains the same number of rows, whatever its order. */
TEST(each_component_keeps_its_own_prior)
{
    const mb_posterior p = former();
    const mb_table     rows = some_rows();
    mb_gmm_kind        gmm;
    mb_fit_opt         opt = mixture(&gmm);
    mb_array          *list;
    const double      *post, *before;
    mb_fit             fit;
    int32_t            n;

    gmm.n_components = 2;
    opt.start = (mb_start){.how = MB_INIT_POSTERIOR, .posterior = &p};
    opt.units.prior = &p;
    OK(mb_fit_run(arena, NULL, &rows, &opt, &fit, &err));
    post = fit.posterior.par;
    before = fit.posterior.prior_par;
    for (int k = 0; k < 2; k++) {
        const double *c = post + 2 + 7 * k, *c0 = before + 2 + 7 * k, gained = post[k] - before[k];
        const double *own = mixed + 2 + 7 * !k; /* the canonical order is the other one */

        assert_memory_equal(c0, own, 7 * sizeof *own);
        assert_true(gained > 1);
        assert_true(fabs(c[0] - c0[0] - gained) < 1e-9 && fabs(c[1] - c0[1] - gained) < 1e-9);
    }
    assert_true(fabs(post[0] + post[1] - 9 - ROWS) < 1e-9);
    OK(mb_kind_gmm.sklearn(arena, &fit.posterior,
                           &(mb_run_info){.settled = -1, .rounds = -1, .bound = NAN}, &list, &n,
                           &err));
    for (int32_t k = 0; k < n; k++) /* scikit-learn has one prior for all components */
        assert_true(!strstr(list[k].name, "_prior_") || strstr(list[k].name, "_prior_type"));
    mb_fit_close(&fit);
}

static mb_fit fit_of(const mb_table *rows, const mb_network *net, const mb_fit_opt *opt)
{
    mb_fit fit;

    OK(mb_fit_run(arena, net, rows, opt, &fit, &err));
    return fit;
}

TEST(a_run_from_an_answer_goes_on_where_it_ended)
{
    mb_table    rows = some_rows();
    mb_gmm_kind gmm;
    mb_fit_opt  opt = mixture(&gmm);
    mb_fit      short_one, long_one, next;

    opt.tol = 0;
    opt.how.rounds = 4;
    short_one = fit_of(&rows, NULL, &opt);
    opt.how.rounds = 9;
    long_one = fit_of(&rows, NULL, &opt);
    opt.start = (mb_start){.how = MB_INIT_POSTERIOR, .posterior = &short_one.posterior};
    opt.how.rounds = 5;
    next = fit_of(&rows, NULL, &opt);
    assert_true(difference_of_fits(&long_one, &next) < 1e-11);
    assert_true(difference_of_fits(&long_one, &short_one) > 1e-6);
    mb_fit_close(&short_one);
    mb_fit_close(&long_one);
    mb_fit_close(&next);
}

/* Also in other units: the rows of the second run are a part of those of the first. */
TEST(all_nodes_start_from_the_same_answer)
{
    const mb_network net = network("path:n=5");
    const mb_table   rows = some_rows();
    mb_table         half = rows;
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = mixture(&gmm);
    mb_fit           all, one, edge;

    all = fit_of(&rows, NULL, &opt);
    half = table_part(&rows, 0, ROWS / 2);
    opt.start = (mb_start){.how = MB_INIT_POSTERIOR, .posterior = &all.posterior};
    one = fit_of(&half, NULL, &opt);
    opt.how.algo = &mb_algo_edge;
    edge = fit_of(&half, &net, &opt);
    assert_int_equal(edge.out.verdict, MB_ENDED_SETTLED);
    assert_true(difference_of_fits(&one, &edge) < 1e-5);
    mb_fit_close(&all);
    mb_fit_close(&one);
    mb_fit_close(&edge);
}

TEST(an_answer_of_other_columns_is_refused)
{
    static const char *const names[] = {"x2", "x1"}, *const other[] = {"z"};
    mb_posterior             bad[4];
    mb_table                 rows = some_rows();
    mb_gmm_kind              gmm;
    mb_linreg_kind           line = {0};
    mb_fit_opt               opt = mixture(&gmm), regression = mb_fit_defaults();
    static const char *const say[] = {"feature 1: got \"x2\"; expected \"x1\"",
                                      "got 2 components; expected 3", "model linreg; expected gmm",
                                      "got target \"z\"; expected \"x2\""};
    mb_fit                   fit, fitted;

    OK(mb_opt_defaults(mb_kind_linreg.opts, &line, &err));
    regression.kind = &mb_kind_linreg;
    regression.kind_opt = &line;
    fitted = fit_of(&rows, NULL, &regression);
    bad[0] = bad[1] = former();
    bad[0].column = names;
    bad[2] = bad[3] = fitted.posterior;
    bad[3].target = other;
    for (int k = 0; k < 4; k++) {
        mb_fit_opt o = k == 3 ? regression : opt;

        gmm.n_components = k == 1 ? 3 : 2;
        o.start.how = MB_INIT_KMEANS;
        o.units.prior = &bad[k];
        assert_int_equal(mb_fit_run(arena, NULL, &rows, &o, &fit, &err), MB_E_ARG);
        assert_non_null(strstr(err.msg, say[k]));
        o.units.prior = NULL;
        o.start = (mb_start){.how = MB_INIT_POSTERIOR, .posterior = &bad[k]};
        if (k < 3) {
            assert_int_equal(mb_fit_run(arena, NULL, &rows, &o, &fit, &err), MB_E_ARG);
            assert_non_null(strstr(err.msg, say[k]));
        }
    }
    mb_fit_close(&fitted);
}

TEST(an_initialisation_needs_its_answer)
{
    const mb_table rows = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    mb_fit         fit;

    opt.start = (mb_start){.how = MB_INIT_POSTERIOR};
    assert_int_equal(mb_fit_run(arena, NULL, &rows, &opt, &fit, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "posterior"));
}

RUN_TESTS(arena_up, arena_down)
