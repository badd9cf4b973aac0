/* private.h - `--privacy` of `fit`, `sim` and `up`: one release of noisy moments, and the posterior
 * that knows the noise. */
#ifndef MB_RUN_PRIVATE_H
#define MB_RUN_PRIVATE_H

#include "base/ledger.h"
#include "fit/private.h"
#include "run/sim.h"

/* --privacy of a command that knows networks, or of fit. Without `colluders` half of the nodes are
 * that. */
mb_status private_words(const sim_args *args, int32_t nodes, mb_promise *out,
                        mb_err *err) MB_CHECKED;
/* Refuses what --privacy cannot be given with in `fit`, `sim` and `up`. */
mb_status private_check(const sim_job *job, const sim_args *args, mb_err *err) MB_CHECKED;
/* Reads, books, draws, prints and writes; the exit status. */
int private_run(sim *s, mb_err *err);
/* `plan --privacy`: what a release of the rows of these nodes (1: of one machine) would say, before
 * any epsilon is spent; the exit status. */
int private_plan(sim *s, int32_t nodes, int64_t rows_per_node, int32_t inputs, mb_err *err);

/* What a release goes through. */
typedef struct private_fit {
    sim             *s;
    mb_promise       promise;
    int              simulated; /* 1: the noise is of --seed */
    mb_rng          *rng;       /* of --seed: of the nodes here, of one machine of that */
    mb_entropy      *entropy;
    mb_sizes         size;
    mb_privacy       privacy;
    mb_bounds        bounds;
    mb_private_nodes nodes; /* place NULL: one machine                         */
    int64_t          rows;  /* of all nodes                                    */
    int64_t         *count; /* of each node here                               */
    int64_t         *own;   /* the sums of each node here; with noise once booked */
    int64_t         *sums;  /* of all, with noise                              */
    int32_t          raised;
    const char      *ledger;
    ledger_sum       spent;
    mb_posterior     p;
} private_fit;

/* Of `up`: reads rows, network and bounds, so that nothing refuses them once the release is booked;
 * s->cs has the rows of each node. f->s is set. */
mb_status private_open(private_fit *f, mb_err *err) MB_CHECKED;
/* What the release of these rows would cost by this ledger, as in ledger_ask. */
mb_status private_ask(const private_fit *f, const char *ledger, const char *data, int64_t rows,
                      double budget, ledger_sum *out, mb_err *err) MB_CHECKED;
/* Books the release: f->spent. Collective. */
mb_status private_book(private_fit *f, mb_err *err) MB_CHECKED;
/* On standard output: what the answer promises, and what the ledger says. */
void private_print(const private_fit *f);

/* private_nodes.c: the nodes of a network, their tree and masks, before a row is looked at.
 * Collective. */
mb_status private_nodes_link(private_fit *f, mb_err *err) MB_CHECKED;
/* Of `up`: s->cs has place, bounds and the rows of each node, and no hash of them. */
mb_status private_nodes_give(private_fit *f, mb_err *err) MB_CHECKED;
/* Rounds and bytes of the whole network. Collective. */
mb_status private_nodes_sent(private_fit *f, int64_t *rounds, double *bytes,
                             mb_err *err) MB_CHECKED;

#endif
