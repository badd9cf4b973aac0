/* Moves: initialisations from the best answer so far, one component split and two others merged, and
 * annealed ones, from rows that have one component each. */
#include "fit/fit.h"
#include "fits.h"
#include "model/model.h"
#include "test.h"

enum { SIDE = 2, CLUSTERS = SIDE * SIDE, EACH = 20, MANY = CLUSTERS * EACH };

/* Clusters on a grid at distances of 10 standard deviations; truth (MANY x CLUSTERS): who belongs where. */
static mb_table grid(double *truth)
{
    mb_rng  r = gen_rng(3);
    double *x = doubles(2 * MANY);

    memset(truth, 0, (size_t)MANY * CLUSTERS * sizeof *truth);
    for (int32_t j = 0; j < MANY; j++) {
        x[2 * j] = j % SIDE + 0.1 * mb_rng_normal(&r);
        x[2 * j + 1] = j / SIDE % SIDE + 0.1 * mb_rng_normal(&r);
        truth[j * CLUSTERS + j % CLUSTERS] = 1;
    }
    return (mb_table){.rows = {.x = x, .n = MANY, .d = 2, .ld = 2}};
}

static mb_fit_opt of_components(mb_gmm_kind *gmm, int32_t count)
{
    mb_fit_opt o = mixture(gmm);

    gmm->n_components = count;
    o.start = (mb_start){.how = MB_INIT_RANDOM, .seed = 5};
    return o;
}

static double bound_with(const mb_table *t, const mb_fit_opt *o, mb_search_result *found)
{
    mb_fit fit;
    double bound;

    OK(mb_fit_run(arena, NULL, t, o, &fit, &err));
    *found = fit.found;
    bound = fit.out.bound;
    mb_fit_close(&fit);
    return bound;
}

TEST(moves_find_the_clusters_that_ten_initialisations_miss)
{
    static double    truth[MANY * CLUSTERS];
    const mb_table   table = grid(truth);
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = of_components(&gmm, CLUSTERS);
    mb_search_result found;
    double           ten, moved, right;

    gmm.w0inv = "0.01"; /* as narrow as they are: the empirical prior would see one wide cluster */
    opt.n_init = 10;
    ten = bound_with(&table, &opt, &found);
    assert_int_equal(found.moves, 0);
    assert_null(found.first);
    opt.n_init = 0;
    moved = bound_with(&table, &opt, &found);
    assert_int_equal(found.n_init, 10);
    assert_true(found.moves >= 200 && found.moves <= 990);
    assert_true(found.improved > 0);
    assert_int_equal(found.at_best, 0); /* no initialisation has reached it */
    assert_true(found.attempt >= 10);
    assert_non_null(found.first);
    opt.start = (mb_start){.how = MB_INIT_RESPONSIBILITIES, .resp = truth};
    right = bound_with(&table, &opt, &found);
    assert_true(ten < right - 1);
    assert_true(fabs(moved - right) < 1e-6 * fabs(right));
}

enum { SPLIT, SHAKEN, ANNEALED, WAYS };

static void seed(const mb_fit *fit, int32_t way, int32_t attempt, double *phi)
{
    const mb_case *c = &fit->stages->central;

    if (way == ANNEALED)
        OK(mb_anneal_seed_(c, 1, attempt, phi, &err));
    else
        OK(mb_move_seed_(c, fit->out.mean, 1, attempt, way == SHAKEN, phi, &err));
}

/* The statistics that a Dirichlet counts are the responsibilities: whatever a move does with them,
 * each row keeps a sum of 1. */
static void leaves_each_row_its_weight(int32_t way)
{
    const mb_table table = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    mb_fit         fit;
    size_t         L;
    double        *seen, *phi;
    int            differ = 0;

    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    L = fit.stages->central.model.layout.len;
    seen = doubles(L);
    phi = doubles(L);
    for (int32_t attempt = 0; attempt < 20; attempt++) {
        double rows = 0;

        seed(&fit, way, attempt, phi);
        for (int32_t k = 0; k < K; k++) {
            const double own = phi[k] - fit.stages->central.model.prior[k];

            assert_true(own >= 0);
            rows += own;
        }
        assert_true(fabs(rows - ROWS) < 1e-9);
        differ += attempt && memcmp(seen, phi, L * sizeof *phi) != 0;
        memcpy(seen, phi, L * sizeof *phi);
        seed(&fit, way, attempt, phi);
        assert_memory_equal(seen, phi, L * sizeof *phi);
    }
    assert_true(differ > 10); /* attempts are drawn independently */
    mb_fit_close(&fit);
}

TEST(a_move_leaves_each_row_its_weight)
{
    for (int32_t way = 0; way < WAYS; way++)
        leaves_each_row_its_weight(way);
}

enum { UNITS = 8, ASSIGNMENTS = 6561 /* K^UNITS */ };

/* The log partition function of UNITS rows, or groups of them, with one component each, which are the
 * digits of `assignment` to the base K: their lower bound up to a constant, as nothing is latent. */
static double height_of(const mb_case *c, int32_t assignment, double *phi, double *scratch)
{
    const mb_rows *rows = &c->rows[0];
    double         resp[2 * UNITS * K] = {0}, A;

    for (int32_t u = 0; u < UNITS; u++, assignment /= K)
        for (int64_t j = rows->first ? rows->first[u] : u;
             j < (rows->first ? rows->first[u + 1] : u + 1); j++)
            resp[j * K + assignment % K] = 1;
    memcpy(phi, c->model.prior, c->model.layout.len * sizeof *phi);
    OK(c->model.ops->seed_stats(&c->model, rows, resp, phi, scratch, &err));
    OK(mb_moments(&c->model.layout, phi, NULL, &A, scratch, &err));
    return A;
}

/* 1: no change of one digit raises it. */
static int is_local(const double *height, int32_t at)
{
    for (int32_t u = 0, place = 1; u < UNITS; u++, place *= K)
        for (int32_t k = 0; k < K; k++)
            if (height[at + (k - at / place % K) * place] > height[at] + 1e-9)
                return 0;
    return 1;
}

/* Every annealed start is a local optimum among all assignments, and the best of 20 is the best. */
static void finds_the_best_assignment(const mb_table *table, const mb_gmm_kind *kind)
{
    static double  height[ASSIGNMENTS];
    mb_gmm_kind    gmm = *kind;
    mb_fit_opt     opt = mixture(&gmm);
    mb_fit         fit;
    const mb_case *c;
    double        *phi, *scratch, best = -INFINITY, found = -INFINITY;

    gmm = *kind;
    opt.kind_opt = &gmm;
    opt.how.rounds = 2;
    OK(mb_fit_run(arena, NULL, table, &opt, &fit, &err));
    c = &fit.stages->central;
    phi = doubles(c->model.layout.len);
    scratch = doubles(mb_local_scratch(&c->model) + c->model.layout.scratch);
    for (int32_t i = 0; i < ASSIGNMENTS; i++) {
        height[i] = height_of(c, i, phi, scratch);
        best = fmax(best, height[i]);
    }
    for (int32_t attempt = 0; attempt < 20; attempt++) {
        double A;
        int    local = 0;

        OK(mb_anneal_seed_(c, 1, attempt, phi, &err));
        OK(mb_moments(&c->model.layout, phi, NULL, &A, scratch, &err));
        for (int32_t i = 0; i < ASSIGNMENTS && !local; i++)
            local = fabs(height[i] - A) < 1e-9 && is_local(height, i);
        assert_true(local);
        found = fmax(found, A);
    }
    assert_true(found > best - 1e-9);
    assert_true(best > height[0] + 1); /* else all in one component would do */
    mb_fit_close(&fit);
}

TEST(annealing_ends_where_no_row_wins_and_finds_the_best_assignment)
{
    static const int64_t first[UNITS + 1] = {0, 1, 3, 4, 6, 7, 9, 10, 12};
    mb_gmm_kind          gmm;
    mb_fit_opt           opt = mixture(&gmm);
    double              *x = doubles((size_t)first[UNITS] * COLS);
    mb_table             all = {.rows = {.x = x, .n = first[UNITS], .d = COLS, .ld = COLS}};
    mb_table             table = table_part(&all, 0, UNITS);
    mb_rng               r = gen_rng(11);

    (void)opt;
    for (int32_t e = 0; e < first[UNITS] * COLS; e++)
        x[e] = 8 * (e / COLS % K == e % COLS) + mb_rng_normal(&r);
    gmm.w0inv = "0.2"; /* so that one component for all rows is not the best */
    gmm.alpha0 = 1;
    gmm.beta0 = 0.01;
    for (int32_t process = 0; process < sized(2, 1); process++)
        for (int32_t form = 0; form < MB_COVARIANCES; form++) {
            gmm.weight_concentration_prior_type = process;
            gmm.covariance_type = form;
            finds_the_best_assignment(&table, &gmm);
        }
    table = table_part(&all, 0, first[UNITS]);
    table.rows.first = first;
    table.rows.ngroup = UNITS;
    gmm.unit = 1;
    gmm.covariance_type = MB_COVARIANCE_FULL;
    finds_the_best_assignment(&table, &gmm);
}

/* Clusters of one row only: there is none whose rows could be shared. */
TEST(without_rows_to_share_there_is_no_move)
{
    const double   x[] = {0, 1000, 2000};
    const mb_table table = {.rows = {.x = x, .n = 3, .d = 1, .ld = 1}};
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = of_components(&gmm, 3);
    const double   one_each[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    mb_fit         fit;
    double        *phi;

    gmm.w0inv = "1e-3";
    opt.start = (mb_start){.how = MB_INIT_RESPONSIBILITIES, .resp = one_each};
    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    phi = doubles(fit.stages->central.model.layout.len);
    assert_int_equal(mb_move_seed_(&fit.stages->central, fit.out.mean, 1, 0, 0, phi, &err),
                     MB_QUIET);
    mb_fit_close(&fit);
}

/* Where every initialisation ended outside the domain there is no answer to begin with. */
TEST(from_outside_the_domain_there_is_no_move)
{
    const mb_table table = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    mb_fit         fit;
    double        *nowhere, *phi;

    OK(mb_fit_run(arena, NULL, &table, &opt, &fit, &err));
    nowhere = doubles(fit.stages->central.model.layout.len);
    phi = doubles(fit.stages->central.model.layout.len);
    assert_int_equal(mb_move_seed_(&fit.stages->central, nowhere, 1, 0, 0, phi, &err), MB_QUIET);
    mb_fit_close(&fit);
}

TEST(moves_need_three_components_and_no_pruning)
{
    const mb_table   table = some_rows();
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = of_components(&gmm, 2);
    mb_search_result found;

    opt.start.how = MB_INIT_RANDOM;
    bound_with(&table, &opt, &found);
    assert_int_equal(found.moves, 0);
    gmm.n_components = 5;
    opt.how.rounds = 2; /* so that initialisations do not agree */
    opt.how.prune = 1;
    bound_with(&table, &opt, &found);
    assert_int_equal(found.moves, 0);
    opt.how.prune = 0;
    bound_with(&table, &opt, &found);
    assert_true(found.moves >= 200);
}

TEST(annealed_moves_have_the_same_bits_on_any_number_of_threads)
{
    const mb_table table = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = of_components(&gmm, 5);
    mb_fit         one, two;

    opt.how.rounds = sized(40, 10);
    opt.how.threads = 1;
    OK(mb_fit_run(arena, NULL, &table, &opt, &one, &err));
    opt.how.threads = 2;
    OK(mb_fit_run(arena, NULL, &table, &opt, &two, &err));
    assert_true(one.found.moves >= 200);
    assert_int_equal(one.found.attempt, two.found.attempt);
    assert_same_bits(&one, &two);
    mb_fit_close(&two);
    mb_fit_close(&one);
}

TEST(moves_have_the_same_bits_on_any_number_of_threads)
{
    enum { LONG = 8300 };
    double        *x = doubles(LONG);
    const mb_table table = {.rows = {.x = x, .n = LONG, .d = 1, .ld = 1}};
    mb_rng         r = gen_rng(9);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = of_components(&gmm, 3);
    mb_fit         one, two;

    for (int32_t j = 0; j < LONG; j++)
        x[j] = mb_rng_normal(&r) + 3 * (j % 5);
    opt.start.how = MB_INIT_KMEANSPP;
    opt.how.rounds = sized(40, 15); /* too few for initialisations to agree */
    opt.how.threads = 1;
    OK(mb_fit_run(arena, NULL, &table, &opt, &one, &err));
    opt.how.threads = 2;
    OK(mb_fit_run(arena, NULL, &table, &opt, &two, &err));
    assert_int_equal(one.found.moves, 40);
    assert_int_equal(one.found.attempt, two.found.attempt);
    assert_same_bits(&one, &two);
    mb_fit_close(&two);
    mb_fit_close(&one);
}

RUN_TESTS(arena_up, arena_down)
