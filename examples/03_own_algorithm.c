/* 03_own_algorithm.c - an algorithm of your own as two pure functions: dynamic average consensus
 * (Zhu and Martinez, Automatica 46, 2010) of what the nodes have learnt. Runs beside dSVB on a
 * Gaussian mixture over 25 nodes; one node that has all rows (centralised VB) is the answer both are
 * measured against. */
#include <meshbayes/meshbayes.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the algorithm ---- */

static const double STEP = 0.1;

/* One extra vector at each node: g, which follows the node's own phi*. */
static int32_t one(const void *opt)
{
    (void)opt;
    return 1;
}

/* First half of a round: g moves a step towards phi*, and the message moves along with it,
 * msg = phi + (new g - old g). In the first round g = msg = phi*. */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    double *g = nd->aux;

    (void)ld, (void)err;
    for (size_t l = 0; l < nd->layout->len; l++) {
        const double moved = nd->t == 1 ? phi_star[l] : STEP * (phi_star[l] - g[l]);

        msg[l] = nd->t == 1 ? moved : nd->phi[l] + moved;
        g[l] += moved;
    }
    return MB_OK;
}

/* Second half, phi = weighted mean of our message and the neighbours'. The weights' columns sum to 1
 * too (Metropolis), so the mean of phi over the network is always the mean of g, and at rest that
 * of phi*: the fixed point of centralised VB. */
static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    (void)phi_star, (void)ld, (void)err;
    for (size_t l = 0; l < nd->layout->len; l++) {
        nd->phi[l] = in->w_self * msg[l];
        for (int32_t j = 0; j < in->deg; j++)
            nd->phi[l] += in->w[j] * in->msg[j][l];
    }
    return MB_OK;
}

static const mb_opt no_options[] = {{.name = NULL}};

static const mb_algo track = {
    .name = "track",
    .title = "dynamic average consensus",
    .opts = no_options,
    .fanout = MB_BROADCAST,
    .needs = MB_NEEDS_EVERY_MSG, /* a lost message would shift the mean for good */
    .consensus = 1,
    .naux = one,
    .emit = emit,
    .absorb = absorb,
};

/* ---- a problem to try it on ---- */

enum { NODES = 25, ROWS = 40, K = 3, D = 2, ALL = NODES * ROWS, SEED = 1 };
static const double centre[K * D] = {0, 0, 4, 1, 1, 4};

typedef struct network {
    mb_topology  topology;
    mb_weights   weights;
    mb_part      part;
    mb_transport mail;
} network;

static mb_status network_make(mb_arena *a, const char *text, network *net, mb_err *err)
{
    MB_TRY(mb_topology_make(a, text, SEED, &net->topology, err));
    MB_TRY(mb_weights_make(a, &net->topology.g, MB_METROPOLIS, &net->weights, err));
    MB_TRY(mb_part_whole(a, &net->topology.g, &net->weights, &net->part, err));
    return mb_transport_none(a, &net->part, &net->mail, err);
}

/* Each node sees mostly one of the three clusters. */
static void draw_rows(double *x)
{
    mb_rng r = mb_rng_at(SEED, MB_STREAM_DATA, 0, 0);

    for (int32_t j = 0; j < ALL; j++) {
        const int32_t k = mb_rng_uniform(&r) < 0.8 ? j / ROWS % K : (int32_t)mb_rng_below(&r, K);

        for (int32_t d = 0; d < D; d++)
            x[j * D + d] = centre[k * D + d] + mb_rng_normal(&r);
    }
}

/* The rows in `nodes` equal shares, and the first phi* of each from the common centres. */
static mb_status start(mb_arena *a, const mb_problem *p, mb_state *s, mb_err *err)
{
    static const double origin[D] = {0, 0}, scale[D] = {1, 1};
    double              resp[ALL * K], *scratch;

    MB_NEW(scratch, a, mb_local_scratch(p->model), err);
    MB_TRY(mb_state_new(a, p, s, err));
    for (int32_t i = 0; i < p->part->n_local; i++) {
        mb_nearest_resp(&p->rows[i], origin, scale, K, centre, resp);
        MB_TRY(mb_seed_step(p->model, &p->rows[i], p->scale, resp, s->phi_star + (size_t)i * s->ld,
                            scratch, err));
    }
    return MB_OK;
}

/* Largest KL divergence of a node's posterior from the centralised one, nats. */
static mb_status worst(mb_arena *a, const mb_problem *p, const mb_state *s, const double *central,
                       double *kl, mb_err *err)
{
    const mb_layout *l = &p->model->layout;
    double          *scratch;

    MB_NEW(scratch, a, l->len + l->scratch, err);
    *kl = 0;
    for (int32_t i = 0; i < p->part->n_local; i++) {
        double one_kl;

        MB_TRY(mb_kl(l, s->phi + (size_t)i * s->ld, central, &one_kl, scratch, err));
        *kl = fmax(*kl, one_kl);
    }
    return MB_OK;
}

/* Runs to the rounds given and prints how far the farthest node is then. */
static mb_status try_algorithm(mb_arena *a, mb_problem *p, const mb_algo *algo, const void *opt,
                               const double *central, mb_err *err)
{
    mb_run_opt how = {.timeout_ms = -1, .threads = 1};
    mb_state   s;
    double     kl = 0;

    p->algo = algo;
    p->opt = opt;
    MB_TRY(start(a, p, &s, err));
    printf("%-6s", algo->name);
    for (how.rounds = 10; how.rounds <= 1000; how.rounds *= 10) {
        MB_TRY(mb_run(p, &s, NULL, 0, &how, err));
        MB_TRY(worst(a, p, &s, central, &kl, err));
        printf("  t = %d: 1e%+03d", (int)how.rounds, (int)fmax(ceil(log10(kl)), -9));
    }
    printf("\n");
    return MB_OK;
}

static mb_status compare(mb_arena *a, mb_err *err)
{
    const mb_gmm_opt prior = mb_gmm_defaults(K, D);
    const mb_run_opt to_rest = {.rounds = 2000, .timeout_ms = -1, .threads = 1};
    network          alone, net;
    mb_model         model;
    mb_rows          rows[NODES], all;
    double          *x;
    mb_dsvb_opt      dsvb;
    mb_problem       p = {.model = &model, .algo = &mb_algo_noncoop, .rows = &all, .scale = 1};
    mb_state         central;

    MB_NEW(x, a, ALL * D, err);
    draw_rows(x);
    all = (mb_rows){.x = x, .n = ALL, .d = D, .ld = D};
    for (int32_t i = 0; i < NODES; i++)
        rows[i] = (mb_rows){.x = x + i * ROWS * D, .n = ROWS, .d = D, .ld = D};
    MB_TRY(mb_gmm_new(a, &prior, &model, err));
    MB_TRY(network_make(a, "complete:n=1", &alone, err));
    MB_TRY(network_make(a, "grid:rows=5,cols=5", &net, err));
    p.part = &alone.part;
    p.tp = &alone.mail;
    MB_TRY(start(a, &p, &central, err));
    MB_TRY(mb_run(&p, &central, NULL, 0, &to_rest, err));

    printf("largest divergence of a node from centralised VB, nats, below\n");
    p.part = &net.part;
    p.tp = &net.mail;
    p.rows = rows;
    p.scale = NODES;
    MB_TRY(mb_opt_defaults(mb_algo_dsvb.opts, &dsvb, err));
    MB_TRY(try_algorithm(a, &p, &mb_algo_dsvb, &dsvb, central.phi, err));
    return try_algorithm(a, &p, &track, NULL, central.phi, err);
}

int main(void)
{
    mb_arena *a = mb_arena_new(1 << 20);
    mb_err    err = {MB_E_NOMEM, 0, "", "out of memory"};
    mb_status st = a ? compare(a, &err) : MB_E_NOMEM;

    if (st < 0)
        fprintf(stderr, "03_own_algorithm: %s\n", err.msg);
    mb_arena_free(a);
    return st < 0;
}
