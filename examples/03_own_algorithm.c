/* 03_own_algorithm.c - an algorithm of your own as two pure functions: dynamic average consensus
 * (Zhu and Martinez, Automatica 46, 2010) of the nodes' phi*. It runs beside dSVB on a Gaussian mixture
 * over a grid of 20 nodes; both are compared with central VB. Usage: 03_own_algorithm FILE.csv */
#include <meshbayes/extend.h>

#include <math.h>
#include <stdio.h>

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
    double *g = nd->aux; /* 0 before the first round */

    (void)ld, (void)err;
    for (size_t l = 0; l < nd->layout->len; l++) {
        const double moved = (nd->t == 1 ? 1 : 0.1) * (phi_star[l] - g[l]);

        msg[l] = (nd->t == 1 ? 0 : nd->phi[l]) + moved;
        g[l] += moved;
    }
    return MB_OK;
}

/* Second half, phi = weighted mean of our message and the neighbours'. Metropolis weights keep the
 * network's sum, so the mean of phi is that of g, and at a fixed point that of phi*, as in eq. (20). */
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

static const mb_algo track = {
    .name = "track",
    .title = "dynamic average consensus",
    .fanout = MB_BROADCAST,
    .needs = MB_NEEDS_EVERY_MSG, /* a lost message would shift the mean for good */
    .consensus = 1,
    .naux = one,
    .emit = emit,
    .absorb = absorb,
};

/* Prints the largest KL divergence of a node from `central`, nats, after 10, 100 and 1000 rounds. */
static mb_status try_algorithm(const mb_case *c, const mb_algo *algo, const double *central,
                               mb_session *s, mb_err *err)
{
    const mb_layout *l = &c->model.layout;
    double          *scratch, worst, kl;

    MB_TRY(mb_session_open(c, &(mb_method){.algo = algo}, s, err));
    MB_TRY(mb_session_seed(s, &(mb_start){.how = MB_INIT_KMEANS}, 0, err));
    MB_NEW(scratch, s->own, l->len + l->scratch, err);
    for (s->how.rounds = 10; s->how.rounds <= 1000; s->how.rounds *= 10) {
        MB_TRY(mb_session_run(s, err));
        worst = 0;
        for (int32_t i = 0; i < c->place->part.n_local; i++) {
            MB_TRY(mb_kl(l, s->state.phi + (size_t)i * s->state.ld, central, &kl, scratch, err));
            worst = fmax(worst, kl);
        }
        printf("%-5s t = %4d: below 1e%+03d nats\n", algo->name, (int)s->how.rounds,
               (int)fmax(ceil(log10(worst)), -9));
    }
    return MB_OK;
}

/* Central VB, and then both algorithms on the same rows from the same centres. */
static mb_status compare(mb_arena *a, const char *file, mb_fit *fit, mb_session s[2], mb_err *err)
{
    mb_fit_opt opt = mb_fit_defaults();
    mb_data    data;
    mb_table   table;
    mb_network net;

    opt.n_init = 1; /* the one that the sessions have */
    MB_TRY(mb_data_read(a, file, &(mb_data_opt){0}, &data, err));
    table = mb_table_of(&data, file);
    MB_TRY(mb_network_draw(a, "grid:rows=4,cols=5", 0, NULL, &net, err));
    MB_TRY(mb_fit_run(a, &net, &table, &opt, fit, err));
    MB_TRY(try_algorithm(&fit->stages->nodes, &mb_algo_dsvb, fit->out.mean, &s[0], err));
    return try_algorithm(&fit->stages->nodes, &track, fit->out.mean, &s[1], err);
}

int main(int argc, char **argv)
{
    mb_arena  *a = mb_arena_new(1 << 20);
    mb_err     err = {.msg = "usage: 03_own_algorithm FILE.csv"};
    mb_fit     fit = {0};
    mb_session s[2] = {{0}};
    mb_status  st = a && argc == 2 ? compare(a, argv[1], &fit, s, &err) : MB_E_ARG;

    if (st < 0)
        fprintf(stderr, "%s\n", err.msg);
    mb_session_close(&s[1]);
    mb_session_close(&s[0]);
    mb_fit_close(&fit);
    mb_arena_free(a);
    return st < 0;
}
