/* sim_references.c - what the metrics compare with: central VB at rest, and the posterior given the
 * true classes. */
#include "sim/sim_signal.h"

#include <string.h>

enum { REFERENCE_ROUNDS = 20000 };
static const double REFERENCE_TOL = 1e-11; /* posterior standard deviations */

typedef struct trial {
    sim        *s;
    sim_result *r;
} trial;

static mb_status watch(void *self, mb_session *session, int32_t attempt, mb_err *err)
{
    trial *t = self;

    (void)attempt;
    return t->r->signal ? MB_STOP : sim_signal_watch(t->s, t->r, session, err);
}

static mb_status run(sim *s, const mb_case *on, mb_method *how, sim_result *r, mb_err *err)
{
    trial   t = {s, r};
    int32_t at_best;

    MB_TRY(mb_case_best(on, how, &s->begin.start, (int32_t)s->opt.n_init, s->opt.tol, watch, &t,
                        &r->attempt, &at_best, err));
    if (r->signal)
        return MB_OK;
    how->rounds = REFERENCE_ROUNDS;
    MB_TRY(mb_session_open(on, how, &r->session, err));
    MB_TRY(mb_session_seed(&r->session, &s->begin.start, r->attempt, err));
    MB_TRY(sim_signal_watch(s, r, &r->session, err));
    MB_TRY(mb_session_stop(&r->session, REFERENCE_TOL, 0, err));
    MB_TRY(mb_session_run(&r->session, err));
    if (r->signal)
        return MB_OK;
    MB_NEW(s->begin.cvb, s->a, on->model.layout.len, err);
    memcpy(s->begin.cvb, r->session.state.phi, on->model.layout.len * sizeof *s->begin.cvb);
    return MB_OK;
}

/* Central VB run until it settles from the same initialisation. */
static mb_status reference_cvb(sim *s, mb_err *err)
{
    const sim_choice cvb = {"cvb", &mb_algo_noncoop, NULL, 1};
    sim_result       r = {.choice = &cvb};
    const mb_case   *on;
    mb_method        how;
    mb_status        st;

    MB_TRY(sim_prepare(s, &cvb, &on, &how, err));
    st = run(s, on, &how, &r, err);
    mb_session_close(&r.session);
    return st;
}

/* The posterior given the true classes: closed form, eq. (46)'s reference. */
static mb_status reference_truth(sim *s, mb_err *err)
{
    const mb_data *data = &s->rows.data;
    const int64_t  K = s->world.fit.nodes.model.K;
    mb_start       given = {.how = MB_INIT_RESPONSIBILITIES};
    double        *resp;

    if (data->nlabel > K) {
        sim_warn(s, "kl_truth is left out: %d classes for %lld components", data->nlabel,
                 (long long)K);
        return MB_OK;
    }
    MB_TRY(sim_central(s, err));
    MB_NEW(resp, s->a, (size_t)(data->n * K), err);
    MB_NEW(s->begin.truth, s->a, s->world.fit.nodes.model.layout.len, err);
    for (int64_t j = 0; j < data->n; j++)
        resp[(data->file_row ? data->file_row[j] : j) * K + data->label[j]] = 1;
    given.resp = resp;
    return mb_case_seed(&s->world.fit.central, &given, 0, s->begin.truth, 0, err);
}

mb_status sim_references(sim *s, mb_err *err)
{
    const uint32_t judged = 1u << MB_M_ACCURACY | 1u << MB_M_NMI | 1u << MB_M_ARI;
    uint32_t      *metrics = &s->asked.metrics;

    if (*metrics & 1u << MB_M_KL_TRUTH && s->rows.data.label && s->asked.kind->latent)
        MB_TRY(reference_truth(s, err));
    if (*metrics & 1u << MB_M_KL_CVB)
        MB_TRY(reference_cvb(s, err));
    if (!s->begin.truth)
        *metrics &= ~(1u << MB_M_KL_TRUTH);
    if (!s->rows.data.label)
        *metrics &= ~judged;
    return MB_OK;
}
