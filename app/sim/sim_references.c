/* sim_references.c - what the metrics compare with: central VB at rest, and the posterior given the
 * true classes. */
#include "sim/sim_signal.h"

#include <string.h>

enum { REFERENCE_ROUNDS = 20000 };
static const double REFERENCE_TOL = 1e-11; /* posterior standard deviations */

static mb_status run(sim_result *r, mb_err *err)
{
    sim           *s = r->s;
    const mb_case *on;
    mb_method      how;
    size_t         len;

    MB_TRY(sim_prepare(s, r->choice, &on, &how, err));
    MB_TRY(sim_best(r, on, &how, err));
    if (r->signal)
        return MB_OK;
    how.rounds = REFERENCE_ROUNDS;
    MB_TRY(mb_session_open(on, &how, &r->session, err));
    MB_TRY(mb_session_seed(&r->session, &s->begin.start, r->attempt, err));
    MB_TRY(sim_signal_watch(r, &r->session, err));
    MB_TRY(mb_session_stop(&r->session, REFERENCE_TOL, 0, err));
    MB_TRY(mb_session_run(&r->session, err));
    if (r->signal)
        return MB_OK;
    len = on->model.layout.len;
    MB_NEW(s->begin.cvb, s->a, len, err);
    memcpy(s->begin.cvb, r->session.state.phi, len * sizeof *s->begin.cvb);
    return MB_OK;
}

/* Central VB run until it settles from the same initialisation. */
static mb_status reference_cvb(sim *s, mb_err *err)
{
    const sim_choice cvb = {"cvb", &mb_algo_noncoop, NULL, 1};
    sim_result       r = {.s = s, .choice = &cvb};
    const mb_status  st = run(&r, err);

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
    if (s->asked.metrics & 1u << MB_M_KL_TRUTH)
        MB_TRY(reference_truth(s, err));
    return s->asked.metrics & 1u << MB_M_KL_CVB ? reference_cvb(s, err) : MB_OK;
}
