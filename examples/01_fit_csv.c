/* 01_fit_csv.c - reads a CSV file and fits a Gaussian mixture twice: on one machine, and over a ring
 * of nodes that each hold a share of the rows. Usage: 01_fit_csv FILE.csv COMPONENTS NODES */
#include <meshbayes/meshbayes.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 3, MOST_ROUNDS = 5000 };

typedef struct network {
    mb_topology  topology;
    mb_weights   weights;
    mb_part      part;
    mb_transport mail;
    mb_net_facts facts;
    mb_rows     *rows;       /* of each node */
    double      *zero, *one; /* origin and scale of columns that are on one scale already */
} network;

/* A network from a description such as "ring:n=10", and what it knows of itself. */
static mb_status network_make(mb_arena *a, const char *text, network *net, mb_err *err)
{
    mb_graph_stats stats;
    mb_traffic     sent = {0};

    MB_TRY(mb_topology_make(a, text, SEED, &net->topology, err));
    MB_TRY(mb_weights_make(a, &net->topology.g, MB_METROPOLIS, &net->weights, err));
    MB_TRY(mb_part_whole(a, &net->topology.g, &net->weights, &net->part, err));
    MB_TRY(mb_transport_none(a, &net->part, &net->mail, err));
    MB_TRY(mb_graph_describe(a, &net->topology.g, &net->weights, &stats, err));
    net->facts = (mb_net_facts){.n = net->part.n_global, .lambda2 = stats.lambda2};
    return mb_agree_hops(a, &net->mail, &net->facts.hops, &sent, err);
}

/* Consecutive rows of x (n x d) to each node. */
static mb_status network_share(mb_arena *a, network *net, const double *x, int64_t n, int32_t d,
                               mb_err *err)
{
    const int32_t N = net->part.n_local;

    MB_NEW(net->rows, a, N, err);
    MB_NEW(net->zero, a, d, err);
    MB_NEW(net->one, a, d, err);
    for (int32_t e = 0; e < d; e++)
        net->one[e] = 1;
    for (int32_t i = 0; i < N; i++) {
        const int64_t first = n * i / N, end = n * (i + 1) / N;

        net->rows[i] = (mb_rows){.x = x + first * d, .n = end - first, .d = d, .ld = (size_t)d};
    }
    return MB_OK;
}

/* The start: every node says which of the common centres (K x d) is nearest to each of its rows. */
static mb_status seed_nodes(mb_arena *a, const network *net, const mb_problem *p,
                            const double *centres, mb_state *s, mb_err *err)
{
    const mb_model *m = p->model;
    double         *resp, *scratch;

    MB_NEW(scratch, a, mb_local_scratch(m), err);
    for (int32_t i = 0; i < p->part->n_local; i++) {
        MB_NEW(resp, a, p->rows[i].n * m->K + 1, err);
        mb_nearest_resp(&p->rows[i], net->zero, net->one, m->K, centres, resp);
        MB_TRY(mb_seed_step(m, &p->rows[i], p->scale, resp, s->phi_star + (size_t)i * s->ld,
                            scratch, err));
    }
    return MB_OK;
}

/* Runs an algorithm on a network until it has settled; *phi is the posterior at its first node. */
static mb_status fit(mb_arena *a, const mb_model *m, network *net, const mb_algo *algo,
                     const double *centres, const double **phi, mb_err *err)
{
    const mb_run_opt how = {.rounds = MOST_ROUNDS, .timeout_ms = -1, .threads = 1};
    void            *opt = mb_alloc(a, 1, algo->opt_size + 1);
    const mb_problem p = {.model = m,
                          .algo = algo,
                          .opt = opt,
                          .part = &net->part,
                          .rows = net->rows,
                          .scale = net->part.n_global,
                          .tp = &net->mail};
    mb_observer      stop;
    mb_stand         stand;
    mb_state         s;

    if (!opt)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the options of %s", algo->name);
    MB_TRY(mb_opt_defaults(algo->opts, opt, err));
    if (algo->tune)
        MB_TRY(algo->tune(opt, &net->facts, err));
    MB_TRY(mb_state_new(a, &p, &s, err));
    MB_TRY(seed_nodes(a, net, &p, centres, &s, err));
    MB_TRY(mb_stop_new(a, &p, 1e-10, &stand, &stop, err));
    MB_TRY(mb_run(&p, &s, &stop, 1, &how, err));
    printf("%s, %d node%s: settled: %s\n", algo->name, (int)net->part.n_global,
           net->part.n_global > 1 ? "s" : "", stand.settled ? "yes" : "no");
    *phi = s.phi;
    return MB_OK;
}

/* Textbook parameters in the units of the file; block 1 holds the components, each
 * [nu, beta, mean (d), ...]. */
static mb_status print_means(mb_arena *a, const mb_model *m, const double *phi,
                             const double *origin, const double *scale, const mb_matrix *data,
                             mb_err *err)
{
    const mb_block *b = &m->layout.block[1];
    double         *par, *scratch;

    MB_NEW(par, a, m->layout.len, err);
    MB_NEW(scratch, a, m->layout.scratch, err);
    MB_TRY(mb_to_par(&m->layout, phi, par, scratch, err));
    mb_move_par(&m->layout, origin, scale, par);
    for (int32_t k = 0; k < m->K; k++) {
        const double *mean = par + b->off + (size_t)k * b->len + 2;

        printf("  component %d: rows %.1f", (int)k + 1, par[k] - 1.0 / m->K);
        for (int32_t d = 0; d < data->d; d++)
            printf(", mean %s %.3f", data->name ? data->name[d] : "column", mean[d]);
        printf("\n");
    }
    return MB_OK;
}

/* The columns on a common scale, which the nodes agree on without showing their rows. */
static mb_status standardise(mb_arena *a, network *net, mb_matrix *data, double *origin,
                             double *scale, mb_err *err)
{
    uint8_t   *constant;
    mb_traffic sent = {0};

    MB_NEW(constant, a, data->d, err);
    MB_TRY(mb_agree_scale(a, &net->mail, net->rows, data->d, origin, scale, constant, &sent, err));
    for (int64_t e = 0; e < data->n * data->d; e++)
        data->x[e] = (data->x[e] - origin[e % data->d]) / scale[e % data->d];
    return MB_OK;
}

/* K centres drawn by the network, as k-means++ draws them; they are the same for every run. */
static mb_status draw(mb_arena *a, network *net, int32_t K, int32_t d, double **centres,
                      mb_err *err)
{
    int32_t    repeated;
    mb_traffic sent = {0};

    MB_NEW(*centres, a, K * d, err);
    return mb_draw_centres(a, &net->mail, net->rows, net->zero, net->one, MB_KMEANS, K, SEED, 0,
                           *centres, &repeated, &sent, err);
}

static mb_status compare(mb_arena *a, const char *file, int32_t K, int32_t N, mb_err *err)
{
    network       alone = {0}, ring = {0};
    mb_matrix     data;
    mb_model      model;
    mb_gmm_opt    prior;
    const double *by_one, *by_ring;
    double       *origin, *scale, *centres, far = 0;
    char          text[32];

    MB_TRY(mb_matrix_read(a, file, &data, err));
    MB_NEW(origin, a, data.d, err);
    MB_NEW(scale, a, data.d, err);
    snprintf(text, sizeof text, "ring:n=%d", (int)N);
    MB_TRY(network_make(a, "complete:n=1", &alone, err));
    MB_TRY(network_make(a, text, &ring, err));
    MB_TRY(network_share(a, &alone, data.x, data.n, data.d, err));
    MB_TRY(network_share(a, &ring, data.x, data.n, data.d, err));
    MB_TRY(standardise(a, &ring, &data, origin, scale, err));
    prior = mb_gmm_defaults(K, data.d);
    MB_TRY(mb_gmm_new(a, &prior, &model, err));
    MB_TRY(draw(a, &ring, K, data.d, &centres, err));

    MB_TRY(fit(a, &model, &alone, &mb_algo_noncoop, centres, &by_one, err));
    MB_TRY(print_means(a, &model, by_one, origin, scale, &data, err));
    MB_TRY(fit(a, &model, &ring, &mb_algo_edge, centres, &by_ring, err));
    MB_TRY(print_means(a, &model, by_ring, origin, scale, &data, err));
    for (size_t l = 0; l < model.layout.len; l++)
        far = fmax(far, fabs(by_one[l] - by_ring[l]) / fmax(1, fabs(by_one[l])));
    printf("the same posterior within 1e-8: %s\n", far < 1e-8 ? "yes" : "no");
    return MB_OK;
}

int main(int argc, char **argv)
{
    mb_arena *a = mb_arena_new(1 << 20);
    mb_err    err = {MB_E_NOMEM, 0, "", "out of memory"};
    mb_status st = MB_E_NOMEM;

    if (argc != 4) {
        fprintf(stderr, "usage: %s FILE.csv COMPONENTS NODES\n", argv[0]);
        return 2;
    }
    if (a)
        st = compare(a, argv[1], atoi(argv[2]), atoi(argv[3]), &err);
    if (st < 0)
        fprintf(stderr, "%s: %s\n", argv[0], err.msg);
    mb_arena_free(a);
    return st < 0;
}
