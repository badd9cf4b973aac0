/* Moves: initialisations from the best answer so far, one component split and two others merged. */
#include "fit/fit.h"
#include "fits.h"
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

/* The statistics that a Dirichlet counts are the responsibilities: whatever a move does with them,
 * each row keeps a sum of 1. */
static void leaves_each_row_its_weight(int32_t shaken)
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

        OK(mb_move_seed_(&fit.stages->central, fit.out.mean, 1, attempt, shaken, phi, &err));
        for (int32_t k = 0; k < K; k++) {
            const double own = phi[k] - fit.stages->central.model.prior[k];

            assert_true(own >= 0);
            rows += own;
        }
        assert_true(fabs(rows - ROWS) < 1e-9);
        differ += attempt && memcmp(seen, phi, L * sizeof *phi) != 0;
        memcpy(seen, phi, L * sizeof *phi);
        OK(mb_move_seed_(&fit.stages->central, fit.out.mean, 1, attempt, shaken, phi, &err));
        assert_memory_equal(seen, phi, L * sizeof *phi);
    }
    assert_true(differ > 10); /* attempts are drawn independently */
    mb_fit_close(&fit);
}

TEST(a_move_leaves_each_row_its_weight)
{
    leaves_each_row_its_weight(0);
    leaves_each_row_its_weight(1);
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
    opt.how.rounds = 40; /* too few for initialisations to agree */
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
