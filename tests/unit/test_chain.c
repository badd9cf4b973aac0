/* A kind whose rows always come in groups, a chain of two states: sums, scratch, threads, and
 * predictions of groups and of the rows that follow, against all paths of the states. */
#include "base/pool.h"
#include "chain_model.h"
#include "core/run.h"
#include "data/parse.h"
#include "fit/case.h"
#include "fits.h"
#include "guarded.h"
#include "mesh/state.h"
#include "model/kind.h"
#include "model/model.h"
#include "posterior/file.h"
#include "posterior/posterior.h"
#include "scratch.h"
#include "test.h"

enum { LONGEST = 10, ALL = LONGEST * (LONGEST + 1) / 2, AHEAD = 3 };

/* Sums of probabilities of hundreds of paths. */
static const double TOL = 1e-12;

/* Sequences of 1, 2 and so on to LONGEST rows of one column. */
static mb_rows sequences(int64_t *first)
{
    mb_rng  r = gen_rng(4);
    double *x = doubles(ALL);

    for (int j = 0; j < ALL; j++)
        x[j] = 2 * mb_rng_uniform(&r) + (j / 3 % 2 ? 0.2 : -2);
    for (int32_t g = 0; g < LONGEST; g++)
        first[g + 1] = first[g] + g + 1;
    return (mb_rows){.x = x, .n = ALL, .d = 1, .ld = 1, .first = first, .ngroup = LONGEST};
}

static mb_model one_column(void)
{
    const mb_sizes s = {.D = 1};
    mb_model       m;

    OK(chain_model(arena, &s, &m, &err));
    return m;
}

/* Adds over all paths of n rows from `first` on: s += w times the share of each path in its first
 * state and transitions; mean, square: of the row `ahead` after the last. Returns ln of the sum of
 * all paths. p: the parameters. */
static double all_paths(const double *p, const mb_rows *rows, int64_t first, int64_t n, double w,
                        double *s, int ahead, double *mean, double *square)
{
    const int64_t all = n + ahead;
    double        total = 0, count[CHAIN_LEN] = {0};

    *mean = *square = 0;
    for (int path = 0; path < 1 << all; path++) {
        double share = p[CHAIN_FIRST + (path & 1)];

        for (int64_t j = 1; j < all; j++)
            share *= p[CHAIN_FROM + 2 * (path >> (j - 1) & 1) + (path >> j & 1)];
        for (int64_t j = 0; j < n; j++) {
            const double z = rows->x[first + j] - (path >> j & 1 ? 1 : -1);

            share *= exp(-z * z / 2) / sqrt(2 * 3.14159265358979324);
        }
        total += share;
        *mean += share * (path >> (all - 1) & 1 ? 1 : -1);
        *square += share * 2; /* (1 or -1)^2 and the variance 1 */
        count[CHAIN_FIRST + (path & 1)] += share;
        for (int64_t j = 1; j < n; j++)
            count[CHAIN_FROM + 2 * (path >> (j - 1) & 1) + (path >> j & 1)] += share;
    }
    for (int l = 0; l < CHAIN_LEN; l++)
        s[l] += w * count[l] / total;
    *mean /= total;
    *square /= total;
    return log(total);
}

/* exp E[ln p] at phi, which does not add up to 1. */
static void parameters(const mb_model *m, const double *phi, double *p)
{
    double *work = doubles(m->layout.scratch + 1);

    OK(mb_moments(&m->layout, phi, p, NULL, work, &err));
    for (int l = 0; l < CHAIN_LEN; l++)
        p[l] = exp(p[l]);
}

TEST(sums_are_those_of_all_paths)
{
    const double   phi[CHAIN_LEN] = {0.5, 2, 3, 0.1, 1, 6};
    int64_t        first[LONGEST + 1] = {0};
    const mb_model m = one_column();
    mb_rows        rows = sequences(first);
    double         p[CHAIN_LEN], want[CHAIN_LEN] = {0}, got[CHAIN_LEN] = {0}, w[ALL];
    double         logz = 0, sum = 0, mean, square;
    double        *room = guarded(chain_scratch(&m, LONGEST));

    for (int32_t g = 0; g < LONGEST; g++)
        for (int64_t j = first[g]; j < first[g + 1]; j++)
            w[j] = 1 + g % 3;
    rows.w = w;
    parameters(&m, phi, p);
    for (int32_t g = 0; g < LONGEST; g++)
        sum += w[first[g]] *
               all_paths(p, &rows, first[g], g + 1, w[first[g]], want, 0, &mean, &square);
    OK(m.ops->stats(&m, phi, &rows, got, &logz, room, &err));
    assert_near(logz, sum, TOL);
    assert_all_near(got, want, CHAIN_LEN, TOL);
    expect_guards(room, chain_scratch(&m, LONGEST));
}

static mb_fit_opt options(const mb_algo *algo, int32_t threads)
{
    mb_fit_opt o = mb_fit_defaults();

    o.kind = &chain;
    o.how.algo = algo;
    o.how.threads = threads;
    o.how.rounds = 3000;
    return o;
}

/* More rows than a piece has, in sequences of 1 to 40 rows and one of 5000. */
enum { MOST = 30000, LONG = 5000 };
static mb_table many(int64_t *first)
{
    const int n_rows = sized(MOST, 10000);
    mb_rng    r = gen_rng(9);
    double   *x = doubles(MOST);
    mb_table  t = {.rows = {.x = x, .n = n_rows, .d = 1, .ld = 1, .first = first}};
    int       state = 0;

    for (int j = 0; j < n_rows; j++) {
        state ^= mb_rng_uniform(&r) < 0.1;
        x[j] = mb_rng_normal(&r) + (state ? 1 : -1);
    }
    for (int32_t g = 0; first[g] < n_rows; g++) {
        const int64_t n = g == 100 ? LONG : 1 + g * 7 % 40;

        first[g + 1] = first[g] + n < n_rows ? first[g] + n : n_rows;
        t.rows.ngroup = g + 1;
    }
    return t;
}

TEST(any_number_of_threads_has_the_same_bits)
{
    const mb_algo *const algo[] = {NULL, &mb_algo_edge};
    int64_t             *first = mb_alloc(arena, MOST + 1, sizeof *first);
    mb_table             t = many(first);
    mb_network           net = network("ring:n=4");
    mb_fit               fit[2][3];
    const int            runs = sized(3, 2);

    for (int a = 0; a < 2; a++)
        for (int k = 0; k < runs; k++) {
            mb_fit_opt o = options(algo[a], k < 2 ? 1 + 3 * k : 2);

            OK(mb_fit_run(arena, algo[a] ? &net : NULL, &t, &o, &fit[a][k], &err));
            assert_same_bits(&fit[a][k], &fit[a][0]);
        }
    assert_int_equal(fit[0][0].stages->nodes.model.scratch,
                     chain_scratch(&fit[0][0].stages->nodes.model, LONG));
    assert_int_equal(fit[1][0].out.verdict, MB_ENDED_SETTLED);
    assert_true(difference_of_fits(&fit[0][0], &fit[1][0]) < 1e-5);
    assert_near(fit[0][0].posterior.par[0] + fit[0][0].posterior.par[1], 2 + t.rows.ngroup, TOL);
    for (int a = 0; a < 2; a++)
        for (int k = 0; k < runs; k++)
            mb_fit_close(&fit[a][k]);
}

/* Of pieces in another order. */
TEST(pieces_have_the_sums_of_all_rows)
{
    const double phi[CHAIN_LEN] = {0.5, 2, 3, 0.1, 1, 6};
    int64_t     *first = mb_alloc(arena, MOST + 1, sizeof *first);
    mb_table     t = many(first);
    mb_model     base = one_column(), m;
    mb_pool     *pool;
    double       want[CHAIN_LEN] = {0}, got[CHAIN_LEN] = {0}, logz[2] = {0};

    base.scratch = chain_scratch(&base, LONG);
    OK(mb_pool_open(arena, 3, &pool, &err));
    OK(mb_model_parallel(arena, &base, pool, 3, &m, &err));
    OK(base.ops->stats(&base, phi, &t.rows, want, &logz[0], doubles(base.scratch), &err));
    OK(m.ops->stats(&m, phi, &t.rows, got, &logz[1], doubles(m.scratch), &err));
    mb_pool_close(pool);
    assert_near(logz[1], logz[0], 1e-10);
    assert_all_near(got, want, CHAIN_LEN, 1e-10);
}

TEST(a_run_without_scratch_for_the_longest_group_is_refused)
{
    int64_t     first[LONGEST + 1] = {0};
    mb_table    t = {.rows = sequences(first)};
    mb_fit_opt  o = options(&mb_algo_edge, 1);
    mb_network  net = network("ring:n=4");
    mb_fit      fit;
    mb_model    m;
    mb_problem *p;

    OK(mb_fit_run(arena, &net, &t, &o, &fit, &err));
    p = &fit.stages->session.problem;
    m = *p->model;
    m.scratch--;
    p->model = &m;
    assert_int_equal(mb_run(p, &fit.stages->session.state, NULL, 0,
                            &(mb_run_opt){.rounds = 1, .threads = 1}, &err),
                     MB_E_ARG);
    assert_non_null(strstr(err.msg, "a group of 10 rows"));
    mb_fit_close(&fit);
}

/* The groups of a case's nodes, as text "3,2;5;". */
static const char *groups_of(const mb_case *c)
{
    static char text[200];

    *text = 0;
    for (int32_t i = 0; i < c->place->part.n_local; i++) {
        const mb_rows *rows = &c->rows[i];

        for (int32_t g = 0; g < rows->ngroup; g++)
            snprintf(text + strlen(text), 20, "%s%d", g ? "," : "",
                     (int)(rows->first[g + 1] - rows->first[g]));
        strcat(text, ";");
    }
    return text;
}

static mb_status try_case(const mb_table *t, const char **groups, const char **warning)
{
    static mb_local_part place;
    static mb_network    net;
    mb_case              c;

    net = network("ring:n=3");
    OK(mb_place_make(arena, &net, NULL, &place, &err));
    MB_TRY(mb_case_make(arena, &place, t, &chain, NULL, NULL, &c, &err));
    *groups = groups_of(&c);
    *warning = c.warning;
    return MB_OK;
}

TEST(rows_without_groups_are_one_sequence_a_node)
{
    static const int64_t at[] = {0, 4, 4, 10};
    static const int32_t node[] = {2, 2, 2, 0, 0, 1, 1, 1, 1, 1}, mixed[10] = {0, 1, 0};
    const double         x[10] = {1, -1};
    const mb_rows        rows = {.x = x, .n = 10, .d = 1, .ld = 1};
    mb_table             t = {.rows = rows, .N = 3, .first = at};
    const char          *groups, *warning;

    OK(try_case(&t, &groups, &warning));
    assert_string_equal(groups, "4;;6;");
    assert_string_equal(warning, "rows without groups: those of each node are taken as one group");
    t = (mb_table){.rows = rows, .N = 3, .node = node};
    OK(try_case(&t, &groups, &warning));
    assert_string_equal(groups, "2;5;3;");
    t.node = mixed;
    assert_int_equal(try_case(&t, &groups, &warning), MB_E_ARG);
    assert_non_null(strstr(err.msg, "row 3: node 0 continues after another one"));
    t = (mb_table){.rows = rows};
    OK(try_case(&t, &groups, &warning));
    assert_string_equal(groups, ";;10;");
    assert_string_equal(warning, "rows without groups: all are taken as one group");
    t.rows.first = at;
    t.rows.ngroup = 3;
    OK(try_case(&t, &groups, &warning));
    assert_null(warning);
}

/* Central VB knows whose rows they are, too. */
TEST(a_fit_of_all_rows_has_the_sequences_of_the_nodes)
{
    int64_t    first[LONGEST + 1] = {0};
    mb_table   t = {.rows = sequences(first)}, nodes = t;
    mb_fit_opt o = options(NULL, 1);
    mb_fit     fit[2];

    nodes.rows.first = NULL;
    nodes.rows.ngroup = 0;
    nodes.N = LONGEST;
    nodes.first = first;
    OK(mb_fit_run(arena, NULL, &t, &o, &fit[0], &err));
    OK(mb_fit_run(arena, NULL, &nodes, &o, &fit[1], &err));
    assert_same_bits(&fit[1], &fit[0]);
    assert_null(fit[0].stages->nodes.warning);
    assert_non_null(fit[1].stages->nodes.warning);
    for (int k = 0; k < 2; k++)
        mb_fit_close(&fit[k]);
}

static mb_posterior posterior(void)
{
    static const double par[CHAIN_LEN] = {1, 3, 8, 2, 1, 5};
    const mb_sizes      size = {.D = 1};
    mb_posterior        p;

    OK(mb_posterior_make(arena, &chain, &size, par, &p, &err));
    return p;
}

static const double EXPECTED[CHAIN_LEN] = {0.25, 0.75, 0.8, 0.2, 1.0 / 6, 5.0 / 6};

TEST(the_density_of_a_group_is_the_sum_of_all_paths)
{
    int64_t      first[LONGEST + 1] = {0};
    mb_posterior p = posterior();
    mb_rows      rows = sequences(first), one = rows;
    double       got[LONGEST], s[CHAIN_LEN], mean, square;
    double      *room = guarded(mb_posterior_scratch(&p, ALL));

    OK(mb_posterior_predict(&p, &rows, MB_WANT_GROUP, 0, got, room, &err));
    expect_guards(room, mb_posterior_scratch(&p, ALL));
    for (int32_t g = 0; g < LONGEST; g++)
        assert_near(got[g], all_paths(EXPECTED, &rows, first[g], g + 1, 1, s, 0, &mean, &square),
                    TOL);
    one.x += first[LONGEST - 1]; /* rows without groups are one */
    one.n = LONGEST;
    one.first = NULL;
    one.ngroup = 0;
    OK(mb_posterior_predict(&p, &one, MB_WANT_GROUP, 0, got, room, &err));
    assert_near(got[0], all_paths(EXPECTED, &one, 0, LONGEST, 1, s, 0, &mean, &square), TOL);
}

TEST(the_rows_that_follow_are_those_of_all_paths)
{
    int64_t            first[LONGEST + 1] = {0};
    mb_posterior       p = posterior();
    mb_rows            rows = sequences(first);
    double             got[LONGEST][AHEAD][2], s[CHAIN_LEN], mean, square;
    double            *room = guarded(mb_posterior_scratch(&p, ALL)), *x = doubles(ALL);
    const char *const *name;
    int32_t            width;

    rows.ahead = AHEAD;
    for (int units = 0; units < 2; units++) {
        OK(mb_posterior_predict(&p, &rows, MB_WANT_AHEAD, 0, got[0][0], room, &err));
        for (int32_t g = 0; g < LONGEST; g++)
            for (int h = 0; h < AHEAD; h++) {
                mb_rows z = rows;

                z.x = units ? doubles(ALL) : rows.x;
                for (int j = 0; units && j < ALL; j++)
                    x[j] = (rows.x[j] - 1) / 2;
                z.x = units ? x : rows.x;
                all_paths(EXPECTED, &z, first[g], g + 1, 1, s, h + 1, &mean, &square);
                assert_near(got[g][h][0], units ? 1 + 2 * mean : mean, TOL);
                assert_near(got[g][h][1], (units ? 4 : 1) * (square - mean * mean), TOL);
            }
        p.units.origin[0] = 1; /* as if the two states were known in other units */
        p.units.scale[0] = 2;
    }
    OK(mb_posterior_predict_columns(arena, &p, MB_WANT_AHEAD, &name, &width, &err));
    assert_int_equal(width, 2);
    assert_string_equal(name[1], "variance");
}

TEST(a_kind_offers_what_it_predicts)
{
    const mb_sizes alone = {.K = 2, .D = 1};
    mb_sizes       groups = alone;
    int32_t        n;
    const mb_want *wants = mb_kind_wants(&chain, &alone, &n);

    assert_int_equal(n, 2);
    assert_true(wants[0] == MB_WANT_GROUP && wants[1] == MB_WANT_AHEAD);
    mb_kind_wants(&mb_kind_gmm, &alone, &n);
    assert_int_equal(n, 2);
    for (int32_t c = 0; c < mb_kind_choices(&mb_kind_gmm); c++)
        if (!strcmp(mb_kind_gmm.choices[c].option, "gmm.unit"))
            groups.choice[c] = 1;
    wants = mb_kind_wants(&mb_kind_gmm, &groups, &n);
    assert_int_equal(n, 3);
    assert_int_equal(wants[2], MB_WANT_GROUP);
}

/* A node has room for its rows as one sequence, and rows that come later continue it. */
TEST(rows_continue_the_sequence_of_a_node)
{
    static const char *const column[] = {"x"};
    static const int64_t     two[] = {0, 1, 3};
    const double             x[3] = {1, -1, 1};
    mb_rows                  rows = {.x = x, .n = 3, .d = 1, .ld = 1};
    const mb_plan            plan = {.kind = &chain,
                                     .kind_opt = &plan,
                                     .columns = 1,
                                     .column = column,
                                     .from = MB_GENESIS_GIVEN};
    const mb_peer_opt        o = {.plan = &plan, .incarnation = 1, .neighbours = 1, .rows = 50};
    mb_peer                 *p;

    OK(mb_peer_new(arena, &o, &p, &err));
    assert_int_equal(p->model.scratch, chain_scratch(&p->model, 50));
    OK(mb_peer_append(p, 0, &rows, NULL, &err));
    OK(mb_peer_append(p, 0, &rows, NULL, &err));
    for (int j = 0; j < 6; j++)
        assert_int_equal(p->group[j], 0);
    rows.first = two;
    rows.ngroup = 2;
    OK(mb_peer_append(p, 0, &rows, NULL, &err));
    assert_int_equal(p->group[6], 6);
    assert_int_equal(p->group[8], 7);
}

TEST(a_file_without_groups_is_one_sequence)
{
    static const int64_t want[] = {0, 3, 5};
    const mb_data_opt    opt = {.file_groups = 1};
    mb_posterior         p = posterior();
    mb_posterior_rows    r;
    mb_data              d;
    char                 both[400];
    void                *folder;
    double               got, s[CHAIN_LEN], mean, square;

    assert_int_equal(scratch_begin(&folder), 0);
    snprintf(both, sizeof both, "%s,%s", scratch_text(folder, "a.csv", "x\n1\n-1\n2\n"),
             scratch_text(folder, "b.csv", "x\n0\n1\n"));
    OK(mb_data_read(arena, both, &opt, &d, &err));
    assert_int_equal(d.ngroup, 2);
    assert_memory_equal(d.group, want, sizeof want);
    p.column = (const char *const[]){"x"};
    OK(mb_posterior_rows_open(arena, &p, scratch_path(folder, "a.csv"), 0, NULL, &r, &err));
    OK(mb_posterior_rows_next(&r, &err));
    OK(mb_posterior_rows_predict(&r, MB_WANT_GROUP, 0, &got, &err));
    assert_near(got, all_paths(EXPECTED, &r.rows, 0, 3, 1, s, 0, &mean, &square), TOL);
    mb_posterior_rows_close(&r);
    scratch_end(&folder);
}

RUN_TESTS(arena_up, arena_down)
