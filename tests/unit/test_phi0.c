/* test_phi0.c - a kind whose first step is no assignment of rows: all nodes begin at one point, of
 * the seed alone, and what is free of sign is brought to one form before each step. */
#include "mesh_fit.h"
#include "toys.h"

#include "core/observe.h"
#include "fit/case.h"
#include "posterior/posterior.h"

enum { FACTOR_ROWS = 300, D = 4, L = 2 * D, ROUNDS_SEEN = 60, GREETING = 2 };

/* The listed kinds of this program: a block of a mesh names one of them. */
const mb_kind *const *mb_kind_list(void)
{
    static const mb_kind *const list[] = {&kind_factor, &kind_pairs, NULL};

    return list;
}

const mb_kind *mb_kind_find(const char *name)
{
    return !strcmp(name, kind_factor.name) ? &kind_factor : &kind_pairs;
}

const mb_opt *mb_kind_options(const mb_kind *kind)
{
    return kind->opts;
}

static const double loading[D] = {0.5, -2, 1, 1.5};

static mb_table factor_rows(void)
{
    mb_rng  r = gen_rng(11);
    double *x = doubles(FACTOR_ROWS * D);

    for (int j = 0; j < FACTOR_ROWS; j++) {
        const double h = mb_rng_normal(&r);

        for (int d = 0; d < D; d++)
            x[j * D + d] = loading[d] * h + mb_rng_normal(&r);
    }
    return (mb_table){.rows = {.x = x, .n = FACTOR_ROWS, .d = D, .ld = D}};
}

static mb_table count_rows(void)
{
    mb_rng  r = gen_rng(12);
    double *x = doubles(FACTOR_ROWS * 2);

    for (int e = 0; e < FACTOR_ROWS * 2; e++)
        x[e] = floor(3 * (e / 2 % 3) + 3 * mb_rng_uniform(&r));
    return (mb_table){.rows = {.x = x, .n = FACTOR_ROWS, .d = 2, .ld = 2}};
}

static const int64_t three = 3;
static const double  at[] = {1, 1, 4, 4, 7, 7};

static void factor_on(world *w, const char *topology)
{
    const mb_table table = factor_rows();

    *w = (world){0};
    case_of(w, topology, &table, &kind_factor, NULL);
}

static void fit_factor(const mb_network *net, uint64_t seed, int32_t n_init, mb_fit *fit)
{
    const mb_table table = factor_rows();
    mb_fit_opt     opt = mb_fit_defaults();

    opt.kind = &kind_factor;
    opt.start.seed = seed;
    opt.n_init = n_init;
    if (net)
        opt.how.algo = &mb_algo_edge;
    OK(mb_fit_run(arena, net, &table, &opt, fit, &err));
    assert_int_equal(fit->out.verdict, MB_ENDED_SETTLED);
}

/* Loadings of 0 say nothing of h, and an h of 0 nothing of the loadings. */
TEST(at_the_prior_there_is_no_factor_for_ever)
{
    world   w;
    double *star, *scratch;

    factor_on(&w, "path:n=2");
    star = doubles(L);
    scratch = doubles(mb_local_scratch(&w.c.model));
    OK(mb_local_step(&w.c.model, &w.c.rows[0], 2, w.c.model.prior, star, NULL, NULL, scratch,
                     &err));
    for (int d = 0; d < D; d++)
        assert_true(star[2 * d] >= 0 && star[2 * d] <= 0);
}

/* The first phi* of all nodes. */
static double *first(const world *w, uint64_t seed, int32_t attempt)
{
    const mb_start start = {.seed = seed};
    double        *star = doubles((size_t)w->net.n * L);

    OK(mb_case_seed(&w->c, &start, attempt, star, L, &err));
    return star;
}

TEST(every_node_makes_its_first_step_at_one_point)
{
    world   w;
    double *scratch, want[L], phi[L], *got;

    factor_on(&w, "ring:n=5");
    scratch = doubles(mb_local_scratch(&w.c.model));
    got = first(&w, 7, 2);
    mb_phi0_(&kind_factor, &w.c.model, &w.c.run, NULL, 7, 2, phi);
    for (int32_t i = 0; i < w.net.n; i++) {
        OK(mb_local_step(&w.c.model, &w.c.rows[i], w.net.n, phi, want, NULL, NULL, scratch, &err));
        assert_memory_equal(got + i * L, want, sizeof want);
    }
}

TEST(a_seed_has_one_start_and_another_for_each_attempt)
{
    world  w;
    size_t all;

    factor_on(&w, "path:n=3");
    all = 3 * L * sizeof(double);
    assert_memory_equal(first(&w, 1, 0), first(&w, 1, 0), all);
    assert_memory_not_equal(first(&w, 1, 0), first(&w, 1, 1), all);
    assert_memory_not_equal(first(&w, 1, 0), first(&w, 2, 0), all);
}

TEST(central_vb_tries_several)
{
    mb_fit fit;

    fit_factor(NULL, 1, 0, &fit);
    assert_int_equal(fit.found.n_init, 10);
    assert_int_equal(fit.found.at_best, 10);
    mb_fit_close(&fit);
}

/* Whatever sign the noise has: four seeds, of which some begin beyond 0. Loadings are within 5
 * standard errors of 1/sqrt(rows) of the truth. */
TEST(edge_settles_at_the_answer_of_central_vb_in_one_form)
{
    const mb_network net = network("ring:n=5");
    mb_fit           central, spread;
    double           phi[L];
    int              turned = 0;

    fit_factor(NULL, 1, 1, &central);
    for (int d = 0; d < D; d++)
        assert_true(fabs(central.posterior.par[2 * d] + loading[d]) < 5 * 3 / sqrt(FACTOR_ROWS));
    for (uint64_t seed = 1; seed <= 4; seed++) {
        fit_factor(&net, seed, 1, &spread);
        assert_all_near(spread.posterior.par, central.posterior.par, L, 1e-5);
        mb_phi0_(&kind_factor, spread.posterior.model, NULL, NULL, seed, 0, phi);
        turned += phi[2] * loading[1] > 0;
        mb_fit_close(&spread);
    }
    assert_true(turned > 0 && turned < 4);
    mb_fit_close(&central);
}

/* phi of every round and node of a run of EDGE. */
typedef struct memory {
    double *phi;
    size_t  L;
} memory;

static mb_status remember(void *self, const mb_problem *p, const mb_state *s, mb_err *e)
{
    const memory *m = self;
    const size_t  n = (size_t)p->part->n_local;

    (void)e;
    for (size_t i = 0; i < n; i++)
        memcpy(m->phi + ((size_t)s->t * n + i) * m->L, s->phi + i * s->ld, m->L * sizeof *m->phi);
    return MB_OK;
}

static memory simulate(const world *w, const mb_start *start)
{
    const mb_method how = {.algo = &mb_algo_edge, .rounds = ROUNDS_SEEN};
    memory          sim = {.L = w->c.model.layout.len};
    mb_observer     look = {.self = &sim, .every = 1, .see = remember};
    mb_session      s;

    sim.phi = doubles((size_t)(ROUNDS_SEEN + 1) * (size_t)w->net.n * sim.L);
    OK(mb_session_open(&w->c, &how, &s, &err));
    OK(mb_session_seed(&s, start, 0, &err));
    OK(mb_session_watch(&s, &look, &err));
    OK(mb_session_run(&s, &err));
    mb_session_close(&s);
    return sim;
}

/* Loading 1 is the largest of every node. */
TEST(phi_is_canonical_in_every_round)
{
    world w;

    factor_on(&w, "ring:n=5");
    for (uint64_t seed = 1; seed <= 4; seed++) {
        const mb_start start = {.seed = seed};
        const memory   sim = simulate(&w, &start);

        for (int32_t i = w.net.n; i < (ROUNDS_SEEN + 1) * w.net.n; i++) {
            double before[L];

            memcpy(before, sim.phi + i * L, sizeof before);
            factor_canonical(&w.c.model, before, NULL);
            assert_memory_equal(before, sim.phi + i * L, sizeof before);
        }
    }
}

static void mirror(const double *phi, double *out)
{
    for (int e = 0; e < L; e++)
        out[e] = e % 2 ? phi[e] : -phi[e];
}

TEST(files_and_comparisons_have_the_canonical_form)
{
    mb_fit         fit;
    const mb_case *c;
    double         phi[2][L], kl = NAN;
    mb_posterior   p[2];
    mb_compared    found;

    fit_factor(NULL, 1, 1, &fit);
    c = fit.stages->session.c;
    memcpy(phi[0], fit.stages->session.state.phi, sizeof phi[0]);
    mirror(phi[0], phi[1]);
    for (int k = 0; k < 2; k++) {
        double *scratch = doubles(mb_kl_aligned_scratch(&c->model)), *par;

        OK(mb_case_posterior(arena, c, phi[k], NULL, &p[k], &err));
        assert_memory_equal(p[k].par, fit.posterior.par, sizeof phi[0]);
        OK(mb_case_textbook(c, arena, phi[k], &par, &err));
        assert_memory_equal(par, fit.posterior.par, sizeof phi[0]);
        OK(mb_kl_aligned(&c->model, phi[k], phi[0], &kl, NULL, scratch, &err));
        assert_true(kl >= 0 && kl <= 0);
        OK(mb_posterior_ready(arena, &p[k], &err));
    }
    OK(mb_posterior_compare(arena, &p[0], &p[1], &found, &err));
    assert_true(found.kl[0] < 1e-12 && found.kl[1] < 1e-12 && found.largest <= 0);
    mb_fit_close(&fit);
}

/* ---- nodes of a mesh ---- */

/* The nodes, which know N and H, in lock step: phi of each after each round is bit-identical to the
 * simulator's. centres_or_none: the start block. */
static void nodes_are_the_simulator(world *w, const void *opt, const double *centres_or_none)
{
    const mb_start start = {.how = centres_or_none ? MB_INIT_CENTRES : MB_INIT_KMEANS,
                            .seed = 1,
                            .centres = centres_or_none};
    const memory   sim = simulate(w, &start);

    OK(mb_genesis_of_case(arena, &w->c, centres_or_none, &w->g, &err));
    w->plan = mesh_plan(&w->c, opt, MB_GENESIS_GIVEN);
    mesh_up(&w->m, &w->net, &w->c, &w->plan, &w->g, w->net.n, w->c.tree.hops);
    mesh_ticks(&w->m, GREETING);
    for (size_t t = 1; t <= ROUNDS_SEEN; t++) {
        mesh_tick(&w->m);
        for (size_t i = 0; i < (size_t)w->net.n; i++)
            assert_memory_equal(mb_peer_phi(w->m.peer[i]),
                                sim.phi + (t * (size_t)w->net.n + i) * sim.L,
                                sim.L * sizeof *sim.phi);
    }
}

TEST(nodes_begin_as_the_simulator_at_the_point_of_the_seed)
{
    static const char none[1];
    world             w;

    factor_on(&w, "ring:n=5");
    nodes_are_the_simulator(&w, none, NULL);
}

TEST(nodes_begin_as_the_simulator_at_the_point_of_the_centres)
{
    const mb_table table = count_rows();
    world          w = {0};

    case_of(&w, "ring:n=5", &table, &kind_pairs, &three);
    nodes_are_the_simulator(&w, &three, at);
}

/* The block is made of sampled rows by the nodes themselves. */
TEST(nodes_settle_at_the_answer_of_central_vb)
{
    static const char none[1];
    world             w;
    mb_fit            central;

    factor_on(&w, "ring:n=5");
    fit_factor(NULL, 1, 1, &central);
    nodes_up(&w, none, MB_GENESIS_SAMPLE);
    assert_true(mesh_settle(&w.m, mesh_tick_in_turn, 3000) <= 3000);
    for (int32_t i = 0; i < w.net.n; i++) {
        mb_posterior p;

        OK(mb_peer_posterior(arena, w.m.peer[i], &p, &err));
        assert_all_near(p.par, central.posterior.par, L, 1e-4);
    }
    mb_fit_close(&central);
}

RUN_EACH_TEST(arena_up, arena_down)
