/* paper_conclude.c - the numbers of every algorithm at the end of its run, failures included. */
#include "paper_run.h"

#include <string.h>

#define WORSE 0.01 /* nats a row below the best answer of the unit: another optimum, not slowness */

/* FNV-1a over the bits of all nodes' phi, as many of its bits as a double holds. */
static double fingerprint(const paper_world *w, const paper_result *r)
{
    uint64_t hash = 14695981039346656037u;

    for (int32_t i = 0; i < r->problem.part->n_local; i++) {
        const unsigned char *b = (const unsigned char *)(r->state.phi + (size_t)i * r->state.ld);

        for (size_t k = 0; k < w->model.layout.len * sizeof(double); k++)
            hash = (hash ^ b[k]) * 1099511628211u;
    }
    return (double)(hash >> 11);
}

static double best_bound(const paper_result *r, int32_t count)
{
    double best = PAPER_NAN;

    for (int32_t k = 0; k < count; k++)
        best = fmax(best, r[k].bound); /* of a NaN and a number: the number */
    return best;
}

static double cost_of(const paper_result *r)
{
    const mb_stat *kl = &r->end.value[MB_M_KL_TRUTH];

    return r->error || kl->outside ? PAPER_NAN : kl->mean;
}

static mb_status put_cost(paper_unit *u, const paper_result *r, double cvb, mb_err *err)
{
    const char    *name = r->c->name;
    const double   cost = cost_of(r);
    const mb_stat *kl = &r->end.value[MB_M_KL_TRUTH];

    MB_TRY(paper_put(u, name, "kl_mean", PAPER_NAN, cost, err));
    MB_TRY(paper_put(u, name, "kl_sd", PAPER_NAN, isnan(cost) ? cost : kl->sd, err));
    return paper_put(u, name, "ratio", PAPER_NAN, cost / cvb, err);
}

static mb_status put_agreement(paper_unit *u, const paper_world *w, const paper_result *r,
                               mb_err *err)
{
    const double right = r->error ? PAPER_NAN : r->end.value[MB_M_ACCURACY].mean;

    MB_TRY(paper_put(u, r->c->name, "accuracy", PAPER_NAN, right, err));
    MB_TRY(paper_put(u, r->c->name, "misclassified", PAPER_NAN, (1 - right) * (double)w->n, err));
    return paper_put(u, r->c->name, "nmi", PAPER_NAN,
                     r->error ? right : r->end.value[MB_M_NMI].mean, err);
}

static mb_status put_end(paper_unit *u, const paper_world *w, const paper_result *r, double best,
                         mb_err *err)
{
    const char  *name = r->c->name;
    const int    ended_outside = !r->error && r->end.value[MB_M_FROZEN].outside > 0;
    const int    worse = !r->error && !(r->bound >= best - WORSE);
    const double nodes = r->problem.part->n_local;
    const double sent = r->error ? PAPER_NAN : r->end.value[MB_M_BYTES].mean / nodes;

    MB_TRY(paper_put(u, name, "bytes", PAPER_NAN, sent, err));
    MB_TRY(paper_put(u, name, "rounds", PAPER_NAN, (double)r->state.t, err));
    MB_TRY(paper_put(u, name, "disagreement", PAPER_NAN,
                     r->error ? PAPER_NAN : r->end.value[MB_M_DISAGREEMENT].max, err));
    MB_TRY(paper_put(u, name, "bound", PAPER_NAN, r->bound, err));
    MB_TRY(paper_put(u, name, "left_domain", PAPER_NAN, r->left > 0 || r->error, err));
    MB_TRY(paper_put(u, name, "froze", PAPER_NAN, r->frozen > 0, err));
    MB_TRY(paper_put(u, name, "worse_optimum", PAPER_NAN, worse, err));
    MB_TRY(paper_put(u, name, "failed", PAPER_NAN, r->error || ended_outside || worse, err));
    return paper_put(u, name, "fingerprint", PAPER_NAN, r->error ? 0 : fingerprint(w, r), err);
}

mb_status paper_conclude(const paper_world *w, const paper_truth *t, const paper_result *r,
                         int32_t count, mb_err *err)
{
    const double best = best_bound(r, count);
    double       cvb = PAPER_NAN;

    for (int32_t k = 0; k < count; k++)
        if (!strcmp(r[k].c->name, "cvb"))
            cvb = cost_of(&r[k]);
    for (int32_t k = 0; k < count; k++) {
        if (t->phi)
            MB_TRY(put_cost(w->u, &r[k], cvb, err));
        else
            MB_TRY(put_agreement(w->u, w, &r[k], err));
        MB_TRY(put_end(w->u, w, &r[k], best, err));
    }
    return MB_OK;
}
