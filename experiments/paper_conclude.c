/* paper_conclude.c - the numbers of every algorithm at the end of its run, failures included. */
#include "paper_run.h"

#define WORSE 0.01 /* nats a row below the best answer of the unit: another optimum, not slowness */

/* FNV-1a over the bytes of all nodes' phi, as many of its bits as a double holds. */
static double fingerprint(const paper_result *r)
{
    uint64_t hash = 14695981039346656037u;

    for (int32_t i = 0; i < r->s.problem.part->n_local; i++) {
        const unsigned char *b =
            (const unsigned char *)(r->s.state.phi + (size_t)i * r->s.state.ld);

        for (size_t k = 0; k < r->s.problem.model->layout.len * sizeof(double); k++)
            hash = (hash ^ b[k]) * 1099511628211u;
    }
    return (double)(hash >> 11);
}

static double cost_of(const paper_result *r)
{
    const mb_stat *kl = &r->end.value[MB_M_KL_TRUTH];

    return r->error || kl->outside ? PAPER_NAN : kl->mean;
}

static mb_status put_cost(paper_unit *u, const paper_result *r, double cvb, mb_err *err)
{
    const double cost = cost_of(r), sd = r->end.value[MB_M_KL_TRUTH].sd;

    return paper_put_end(u, r->c.name,
                         (paper_value[]){{"kl_mean", cost},
                                         {"kl_sd", isnan(cost) ? cost : sd},
                                         {"ratio", cost / cvb},
                                         {NULL, 0}},
                         err);
}

static mb_status put_agreement(const paper_world *w, const paper_result *r, mb_err *err)
{
    const double right = r->error ? PAPER_NAN : r->end.value[MB_M_ACCURACY].mean;
    const double nmi = r->error ? PAPER_NAN : r->end.value[MB_M_NMI].mean;

    return paper_put_end(w->u, r->c.name,
                         (paper_value[]){{"accuracy", right},
                                         {"misclassified", (1 - right) * (double)w->n},
                                         {"nmi", nmi},
                                         {NULL, 0}},
                         err);
}

static mb_status put_end(paper_unit *u, const paper_result *r, double best, mb_err *err)
{
    const mb_stat *m = r->end.value;
    const int      ended_outside = !r->error && m[MB_M_FROZEN].outside > 0;
    const int      worse = !r->error && !(r->bound >= best - WORSE);
    const double   nodes = r->s.problem.part->n_local, none = PAPER_NAN;

    return paper_put_end(
        u, r->c.name,
        (paper_value[]){{"bytes", r->error ? none : m[MB_M_BYTES].total / nodes},
                        {"rounds", (double)r->s.state.t},
                        {"disagreement", r->error ? none : m[MB_M_DISAGREEMENT].max},
                        {"bound", r->bound},
                        {"left_domain", r->left > 0 || r->error},
                        {"froze", r->frozen > 0},
                        {"worse_optimum", worse},
                        {"failed", r->error || ended_outside || worse},
                        {"fingerprint", r->error ? 0 : fingerprint(r)},
                        {NULL, 0}},
        err);
}

mb_status paper_conclude(const paper_world *w, const paper_truth *t, mb_err *err)
{
    const double cvb = cost_of(&w->result[0]);
    double       best = PAPER_NAN;

    for (int32_t k = 0; k < w->count; k++)
        best = fmax(best, w->result[k].bound); /* of a NaN and a number: the number */
    for (int32_t k = 0; k < w->count; k++) {
        const paper_result *r = &w->result[k];

        if (t->phi)
            MB_TRY(put_cost(w->u, r, cvb, err));
        else
            MB_TRY(put_agreement(w, r, err));
        MB_TRY(put_end(w->u, r, best, err));
    }
    return MB_OK;
}
