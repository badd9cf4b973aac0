/* EDGE: its automatic settings, its first rounds, and its averaging under every fault. */
#include "arena.h"
#include "counts_world.h"
#include "test.h"

static const double TOL = 1e-12; /* rounding of a few sums of numbers up to 1000 */

TEST(automatic_settings_follow_the_hops)
{
    static const struct {
        int32_t hops;
        double  kappa, eta;
        int32_t hold;
    } row[] = {{0, 4, 0.4, 0},          {1, 4, 0.4, 0},         {12, 4, 0.4, 0},
               {13, 4, 5.0 / 13, 0},    {14, 4.2, 5.0 / 14, 0}, {23, 6.9, 5.0 / 23, 0},
               {24, 7.2, 5.0 / 24, 24}, {400, 120, 0.0125, 400}};
    mb_err err;

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const mb_net_facts facts = {.n = 50, .hops = row[k].hops};
        mb_edge_opt        o;

        must(mb_opt_defaults(mb_algo_edge.opts, &o, &err));
        must(mb_algo_edge.tune(&o, &facts, &err));
        assert_true(fabs(o.kappa - row[k].kappa) < TOL && fabs(o.eta - row[k].eta) < TOL);
        assert_true(fabs(o.alpha - 0.95) < TOL && o.least == 0.7 && o.adapt);
        assert_int_equal(o.hold, row[k].hold);
    }
}

TEST(a_number_that_is_given_stays)
{
    const mb_net_facts facts = {.n = 50, .hops = 30, .delay = 3, .lossy = 1};
    mb_edge_opt        o = {.kappa = 2, .eta = 0.7, .alpha = 0.5};
    mb_err             err;

    must(mb_algo_edge.tune(&o, &facts, &err));
    assert_true(o.kappa == 2 && o.eta == 0.7 && o.alpha == 0.5);
    assert_true(o.least == 0 && !o.adapt && !o.hold); /* nothing but what was given */
}

TEST(the_first_round_is_silent_and_gives_the_first_phi_star)
{
    const world *w = counts_world(arena, "path:n=3", MB_METROPOLIS);
    run         *r = world_run(w, &mb_algo_edge, "", NULL);

    must(world_go(r, 1, 1, NULL, 0));
    for (int32_t i = 0; i < 3; i++)
        for (int l = 0; l < COUNTS_K; l++)
            assert_true(phi_of(r, i)[l] == w->star[i * COUNTS_K + l]);
    assert_int_equal(r->state.sent.frames, 0);
    must(world_go(r, 2, 1, NULL, 0));
    assert_int_equal(r->state.sent.frames, 4);
    assert_int_equal(r->state.sent.bytes, 4 * (48 + 8 * COUNTS_K));
}

/* Path 0-1-2: rho = kappa / sqrt 2 on both edges; four rounds written out on statistics. */
TEST(iterates_are_those_of_the_scheme)
{
    enum { N = 3, T = 4 };
    static const double A[N][N] = {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}};
    const double        kappa = 4, eta = 0.4, alpha = 0.95, rho = kappa / sqrt(2);
    const world        *w = counts_world(arena, "path:n=3", MB_METROPOLIS);
    run                *r = world_run(w, &mb_algo_edge, "edge.eta=0.4", NULL);

    must(world_go(r, T, 1, NULL, 0));
    for (int l = 0; l < COUNTS_K; l++) {
        double x[N], z[N][N], m[N][N], abar[N];

        for (int i = 0; i < N; i++) {
            abar[i] = x[i] = w->star[i * COUNTS_K + l] / N; /* the prior is 0 */
            for (int j = 0; j < N; j++)
                z[i][j] = A[i][j] * rho * x[i];
        }
        for (int t = 1; t <= T; t++) {
            for (int i = 0; i < N; i++) {
                const double deg = i == 1 ? 2 : 1;
                double       s = x[i];

                for (int j = 0; j < N; j++)
                    s += z[i][j];
                s /= 1 + rho * deg;
                abar[i] += (t <= 2 ? 1 : eta) * (s - abar[i]);
                for (int j = 0; j < N; j++)
                    m[i][j] = A[i][j] * (2 * rho * s - z[i][j]);
            }
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    z[i][j] = (1 - alpha) * z[i][j] + alpha * m[j][i];
        }
        for (int i = 0; i < N; i++)
            assert_true(fabs(phi_of(r, i)[l] - N * abar[i]) < TOL);
    }
}

enum { LONGEST = 27, DEG = 3, MEMO = 16 /* of EDGE, at most */ };
static const double PRIOR[LONGEST] = {3, -1, 2, 5}, N = 4;

/* A node with numbers of its own in everything it reads. */
typedef struct lone {
    mb_layout layout;
    double    phi[LONGEST], star[LONGEST], z[DEG * LONGEST], received[DEG][LONGEST];
    double    msg[DEG * LONGEST], scratch[LONGEST], memo[MEMO], rho[DEG];
    mb_node   nd;
} lone;

static const mb_edge_opt some_opt = {.kappa = 4, .eta = 0.3, .alpha = 0.9};

static void make_lone(lone *o, size_t len)
{
    static const int32_t nbr_deg[DEG] = {1, 2, 5};
    mb_err               err;

    *o = (lone){.nd = {.opt = &some_opt, .deg = DEG, .nbr_deg = nbr_deg}};
    must(mb_layout_add(&o->layout, &mb_dirichlet, (int32_t)len, 1, &err));
    o->nd.layout = &o->layout;
    o->nd.len = len;
    o->nd.phi = o->phi;
    o->nd.edge = o->z;
    o->nd.prior = PRIOR;
    o->nd.scale = N;
    o->nd.memo = o->memo;
    o->nd.scratch = o->scratch;
    for (size_t l = 0; l < len; l++) {
        o->star[l] = (double)(7 * l % 11) - 4;
        for (size_t j = 0; j < DEG; j++)
            o->received[j][l] = (double)((5 * l + 3 * j) % 13) - 6;
    }
    for (int j = 0; j < DEG; j++)
        o->rho[j] = some_opt.kappa / sqrt(DEG * (double)nbr_deg[j]);
}

/* Vectors are processed in pieces: the numbers after the last whole piece are treated alike. */
TEST(every_number_of_a_vector_of_any_length_is_averaged)
{
    const int32_t age[DEG] = {0};
    const uint8_t fresh[DEG] = {1, 0, 1};
    const double  w[DEG] = {.2, .2, .2};
    mb_err        err;

    for (size_t len = 1; len <= LONGEST; len++) {
        lone                o;
        const double *const msg[DEG] = {o.received[0], NULL, o.received[2]};
        const mb_inbox      in = {DEG, msg, age, fresh, w, .4};

        make_lone(&o, len);
        must(mb_algo_edge.init(&o.nd, o.star, &err));
        o.nd.t = 3;
        must(mb_algo_edge.emit(&o.nd, o.star, o.msg, len, &err));
        must(mb_algo_edge.absorb(&o.nd, o.star, o.msg, len, &in, &err));
        for (size_t l = 0; l < len; l++) {
            const double x = (o.star[l] - PRIOR[l]) / N;
            double       s = x, weight = 1;

            for (size_t j = 0; j < DEG; j++) {
                const double z = o.rho[j] * x;
                const double received = fresh[j] ? 0.1 * z + 0.9 * o.received[j][l] : z;

                /* before, s is x itself: every z_ij is rho_ij x */
                assert_true(fabs(o.msg[j * len + l] - z) < TOL);
                assert_true(fabs(o.z[j * len + l] - received) < TOL);
                s += received;
                weight += o.rho[j];
            }
            assert_true(fabs(o.phi[l] - (0.7 * o.star[l] + 0.3 * (PRIOR[l] + N * s / weight))) <
                        TOL);
        }
    }
}

/* Old messages are used once, when they arrive: a message that is not fresh is never read. */
TEST(a_message_that_is_not_fresh_is_not_read)
{
    const mb_edge_opt opt = {.kappa = 4, .eta = 0.4, .alpha = 0.95};
    const mb_model    m = counts_model();
    const double      one[COUNTS_K] = {10, 20, 30}, two[COUNTS_K] = {-5, 0, 7}, w[1] = {0.5};
    const double     *msg[1] = {one}, star[COUNTS_K] = {1, 2, 3};
    const int32_t     age[1] = {2}, nbr_deg[1] = {1};
    const uint8_t     fresh[1] = {0};
    const mb_inbox    in = {1, msg, age, fresh, w, 0.5};
    double phi[2][COUNTS_K] = {{0}}, z[2][COUNTS_K] = {{0}}, scratch[8], memo[MEMO] = {0};
    mb_err err;

    for (int k = 0; k < 2; k++) {
        mb_node nd = {.layout = &m.layout,
                      .len = COUNTS_K,
                      .opt = &opt,
                      .deg = 1,
                      .nbr_deg = nbr_deg,
                      .prior = PRIOR,
                      .scale = N,
                      .t = 5,
                      .phi = phi[k],
                      .edge = z[k],
                      .memo = memo,
                      .scratch = scratch};

        msg[0] = k ? two : one;
        must(mb_algo_edge.absorb(&nd, star, NULL, COUNTS_K, &in, &err));
    }
    assert_memory_equal(phi[0], phi[1], sizeof phi[0]);
    assert_memory_equal(z[0], z[1], sizeof z[0]);
}

/* Deep networks average the first phi* for H rounds: phi* of a later round changes nothing before. */
TEST(the_first_phi_star_is_held_on_deep_networks)
{
    const world *w = counts_world(arena, "path:n=30", MB_METROPOLIS);
    run *r = world_run(w, &mb_algo_edge, "", NULL), *q = world_run(w, &mb_algo_edge, "", NULL);
    const int32_t hold = ((const mb_edge_opt *)r->problem.opt)->hold;

    assert_int_equal(hold, 29);
    must(world_go(r, hold, 1, NULL, 0));
    for (int32_t t = 1; t <= hold; t++) {
        must(world_go(q, t, 1, NULL, 0));
        for (int32_t i = 0; i < 30; i++)
            q->state.phi_star[(size_t)i * q->state.ld] += t < hold;
    }
    for (int32_t i = 0; i < 30; i++)
        assert_memory_equal(phi_of(r, i), phi_of(q, i), COUNTS_K * sizeof(double));
    q->state.phi_star[0] += 1;
    must(world_go(r, hold + 1, 1, NULL, 0));
    must(world_go(q, hold + 1, 1, NULL, 0));
    assert_true(phi_of(r, 0)[0] != phi_of(q, 0)[0]);
}

TEST(nodes_agree_exactly_on_deep_networks)
{
    const world *w = counts_world(arena, "path:n=60", MB_METROPOLIS);
    run         *r = world_run(w, &mb_algo_edge, "", NULL);

    must(world_go(r, 4000, 1, NULL, 0));
    assert_true(farthest(r, w->cvb) < 1e-12);
}

/* What makes it exact: with phi* fixed the answer is the mean, whatever is lost or late. */
TEST(nodes_meet_at_the_mean_under_every_fault)
{
    static const char *const network[] = {"star:n=20", "ring:n=12",
                                          "geometric:n=20,side=2,radius=0.8"};

    for (int k = 0; k < sized(3, 1); k++)
        expect_mean_under_faults(arena, &mb_algo_edge, network[k], 3000, 1e-11);
}

RUN_TESTS(arena_up, arena_down)
