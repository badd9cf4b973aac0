/* sim_run.c - runs one algorithm and the references of its metrics: central VB, settled, and the
 * posterior given the true classes. */
#include "model/kind.h"
#include "run/checkpoint.h"
#include "run/fit_share.h"
#include "run/fit_update.h"

#include <string.h>

enum { REFERENCE_ROUNDS = 20000 };
static const double REFERENCE_TOL = 1e-11; /* posterior standard deviations */

mb_method sim_method(const sim_case *cs, const sim_choice *c)
{
    return (mb_method){.algo = c->algo,
                       .opt = c->opt,
                       .faults = cs->network->faults,
                       .rounds = cs->args->opt.rounds,
                       .threads = (int32_t)cs->args->opt.threads,
                       .pool = cs->fit->stages->pool,
                       .on_domain = (mb_on_domain)cs->args->opt.on_domain,
                       .send = (mb_send)cs->args->opt.send,
                       .prune = c->cvb && cs->args->opt.prune == SIM_PRUNE_ON};
}

mb_status sim_prepare(sim_job *job, const sim_case *cs, const sim_choice *c, const mb_case **on,
                      mb_method *how, mb_err *err)
{
    if (c->cvb)
        MB_TRY(sim_central(job, cs, err));
    *on = c->cvb ? &cs->fit->stages->central : &cs->fit->stages->nodes;
    *how = sim_method(cs, c);
    return MB_OK;
}

/* What comes after all other observers: k (NULL: nobody) saves, then signals are noted, and a state is
 * loaded. */
static mb_status watch_last(sim_result *r, sim_checkpoint *k, mb_session *session, mb_err *err)
{
    if (k)
        MB_TRY(checkpoint_watch(k, err));
    MB_TRY(sim_signal_watch(r, session, err));
    return k ? checkpoint_load(k, err) : MB_OK;
}

mb_status sim_watch_attempt(void *self, mb_session *session, int32_t attempt, mb_err *err)
{
    sim_result     *r = self;
    sim_checkpoint *k;

    sim_check_repeated(r->job, r->cs);
    if (r->signal)
        return MB_STOP;
    MB_TRY(checkpoint_run(r, session, attempt, &k, err));
    return watch_last(r, k, session, err);
}

/* --n-init: the attempt whose last bound, summed over the network, is the highest. */
static mb_status best(sim_result *r, const mb_case *on, const mb_method *how, const mb_start *start,
                      mb_err *err)
{
    const mb_status st = mb_case_best(r->job->a, on, how, start, r->cs->args->opt.tol,
                                      (int32_t)r->cs->n_init, sim_watch_attempt, r, &r->found, err);

    return sim_signal_ends(r, st, err);
}

mb_status sim_run_best(sim_result *r, const mb_case *on, const mb_method *how,
                       const mb_start *start, int64_t rounds, double tol, mb_err *err)
{
    mb_session *session = &r->session;
    mb_method   last = *how;
    mb_status   st;

    last.rounds = rounds;
    st = best(r, on, how, start, err);
    if (st != MB_OK)
        return st;
    MB_TRY(mb_session_open(on, &last, session, err));
    st = mb_session_begin(session, start, &r->found, err);
    if (st >= 0)
        st = mb_session_stop(session, tol, 0, err);
    if (st >= 0 && how->prune)
        st = mb_session_prune(session, tol, sim_watch_attempt, r, 0, &r->pruned, err);
    else if (st >= 0)
        st = sim_signal_watch(r, session, err);
    if (st >= 0 && !how->prune)
        st = mb_session_run(session, err);
    st = sim_signal_ends(r, st, err);
    return st >= 0 && r->signal ? MB_STOP : st;
}

static mb_status run_to_rest(sim_result *r, double **cvb, mb_err *err)
{
    const sim_case *cs = r->cs;
    const mb_case  *on;
    mb_method       how;
    size_t          len;
    mb_status       st;

    MB_TRY(sim_prepare(r->job, cs, r->choice, &on, &how, err));
    how.prune = 0;
    how.algo = mb_central_algo(on, (mb_accelerate)cs->args->opt.accelerate, REFERENCE_TOL);
    st = sim_run_best(r, on, &how, &cs->start, REFERENCE_ROUNDS, REFERENCE_TOL, err);
    if (st != MB_OK)
        return st < 0 ? st : MB_OK; /* a signal */
    len = on->model.layout.len;
    MB_NEW(*cvb, r->job->a, len, err);
    memcpy(*cvb, r->session.state.phi, len * sizeof **cvb);
    return MB_OK;
}

/* Central VB run until it settles from the same initialisation. */
static mb_status reference_cvb(sim_job *job, const sim_case *cs, double **out, mb_err *err)
{
    const sim_choice cvb = {"cvb", &mb_algo_noncoop, NULL, 1};
    sim_result       r = {.job = job, .cs = cs, .choice = &cvb};
    const mb_status  st = run_to_rest(&r, out, err);

    mb_session_close(&r.session);
    return st;
}

/* The posterior given the true classes: closed form, eq. (46)'s reference. */
static mb_status reference_truth(sim_job *job, const sim_case *cs, double **out, mb_err *err)
{
    const mb_data *data = &cs->rows->data;
    mb_start       given = {.how = MB_INIT_RESPONSIBILITIES};
    int32_t       *label;

    MB_TRY(sim_central(job, cs, err));
    MB_NEW(label, job->a, data->n, err);
    MB_NEW(*out, job->a, cs->fit->stages->nodes.model.layout.len, err);
    for (int64_t j = 0; j < data->n; j++)
        label[data->file_row ? data->file_row[j] : j] = data->label[j];
    given.label = label;
    return mb_case_seed(&cs->fit->stages->central, &given, 0, *out, 0, err);
}

/* A reference that nobody asked for may fail: its metric is left out. */
static mb_status try_reference(sim_job *job, const sim_case *cs, mb_metric metric,
                               mb_status (*find)(sim_job *job, const sim_case *cs, double **out,
                                                 mb_err *err),
                               double **out, mb_err *err)
{
    mb_status st;

    if (!(cs->metrics >> metric & 1))
        return MB_OK;
    st = find(job, cs, out, err);
    if (st == MB_E_STOPPED) /* nothing is run */
        return MB_OK;
    if (st >= 0 || !cs->args->sampled || st == MB_E_IO || st == MB_E_NOMEM)
        return st;
    *out = NULL;
    sim_warn(job, "%s is left out: %s", mb_metric_table()[metric].name, err->msg);
    return MB_OK;
}

mb_status sim_references_find(sim_job *job, const sim_case *cs, sim_references *out, mb_err *err)
{
    *out = (sim_references){0};
    MB_TRY(try_reference(job, cs, MB_M_KL_TRUTH, reference_truth, &out->truth, err));
    return try_reference(job, cs, MB_M_KL_CVB, reference_cvb, &out->cvb, err);
}

static mb_status put_line(void *to, const char *line, size_t len, mb_err *err)
{
    return to ? mb_file_write(to, line, len, err) : MB_OK; /* process 0 alone writes */
}

/* Classes of the rows of this process: of its nodes, or of its share in central VB. */
static const int32_t *labels_of(const sim_result *r, const mb_problem *p)
{
    const sim_case *cs = r->cs;

    if (!r->choice->cvb || !cs->rows->data.label)
        return cs->label;
    return cs->rows->data.label + p->rows->before - cs->table.rows.before;
}

mb_metrics sim_metrics_of(const sim_result *r, const mb_problem *p, uint32_t on)
{
    const sim_case *cs = r->cs;
    const mb_case  *nodes = &cs->fit->stages->nodes;

    return (mb_metrics){.on = on,
                        .truth = r->ref.truth,
                        .cvb = r->ref.cvb,
                        .label = labels_of(r, p),
                        .nclass = cs->rows->data.nlabel,
                        .log_jacobian = nodes->run.log_jacobian,
                        .scale = nodes->table.rows.gaps ? nodes->run.scale : NULL,
                        .sampled = cs->args->sampled};
}

static mb_status watch_trace(sim_result *r, mb_session *session, mb_err *err)
{
    const sim_case *cs = r->cs;
    mb_metrics     *m;
    mb_observer     obs;

    MB_NEW(m, session->own, 1, err);
    *m = sim_metrics_of(r, &session->problem, cs->metrics);
    MB_TRY(mb_metrics_new(session->own, &session->problem, m, err));
    MB_TRY(mb_trace_new(session->own, m, cs->args->nchoice > 1 ? r->choice->name : NULL,
                        r->checkpoint ? checkpoint_line : put_line,
                        r->checkpoint ? (void *)r->checkpoint : sim_trace_file(r->job, cs), &obs,
                        err));
    return mb_session_watch(session, &obs, err);
}

/* Trace, dumps, progress. */
static mb_status watch_run(sim_result *r, mb_session *session, mb_err *err)
{
    sim_job        *job = r->job;
    const sim_case *cs = r->cs;
    mb_observer     obs;

    sim_check_repeated(job, cs);
    if (sim_traced(job, cs))
        MB_TRY(watch_trace(r, session, err));
    if (job->many)
        MB_TRY(job->many->watch(job->many->self, r, session, err));
    if (cs->args->opt.dump_phi || cs->args->opt.dump_messages)
        MB_TRY(sim_dump_watch(r, session, err));
    if (!job->tty || job->ranks.rank)
        return MB_OK;
    MB_TRY(mb_progress_new(session->own, cs->args->opt.rounds, 1, sim_progress_show, r, &obs, err));
    return mb_session_watch(session, &obs, err);
}

/* The trace ends with every metric in the last round, also with those that were not due in it. */
static mb_status end_trace(const sim_result *r, mb_err *err)
{
    const sim_case *cs = r->cs;
    const int64_t   t = r->session.state.t;
    const uint32_t  left = cs->metrics & r->final.on & ~mb_metrics_due(&r->final, t);
    mb_file        *to = sim_trace_file(r->job, cs);

    if (!to || !left)
        return MB_OK;
    return mb_trace_lines(&r->final, left, t, cs->args->nchoice > 1 ? r->choice->name : NULL,
                          put_line, to, err);
}

/* Which values of rows nodes have seen before the first round, where contributions are masked. */
static const char *values_shown(const sim_result *r)
{
    const mb_case *c = r->session.c;
    const mb_init  how = r->cs->start.how;
    const int      rows =
        mb_kind_has_components(c->kind) && how < MB_INIT_RANGES && how != MB_INIT_RANDOM;

    if (rows)
        return c->bounds ? "; the start has shown rows, which --init ranges does not"
                         : "; units and start have shown values of rows, which --init ranges "
                           "--bounds FILE.csv does not";
    return c->bounds ? ""
                     : "; units have shown the least and largest value of each column, which "
                       "--bounds FILE.csv does not";
}

/* Metrics, warnings and per-node numbers at the end of a run. */
static mb_status conclude(sim_result *r, mb_err *err)
{
    const uint32_t ends = 1u << MB_M_BOUND | 1u << MB_M_DISAGREEMENT | 1u << MB_M_BYTES |
                          1u << MB_M_FRAMES | 1u << MB_M_FROZEN | 1u << MB_M_PROJECTED;
    sim_job          *job = r->job;
    mb_session       *session = &r->session;
    const mb_problem *p = &session->problem;

    r->final =
        sim_metrics_of(r, p, ends | r->cs->metrics | (r->cs->rows->data.label ? SIM_JUDGED : 0));
    MB_TRY(mb_metrics_new(session->own, p, &r->final, err));
    MB_TRY(mb_metrics_see(&r->final, p, &session->state, err));
    MB_TRY(end_trace(r, err));
    if (!r->out.ordered)
        sim_warn(job,
                 "%s: the network mean is outside the domain: components keep the start's order",
                 r->choice->name);
    MB_TRY(sim_reason(r, err));
    sim_verdict_warn(r);
    if (p->masks)
        sim_note(job,
                 "%s: masks are simulated: their keys come from --seed, and hide nothing from who "
                 "knows it%s",
                 r->choice->name, values_shown(r));
    if (job->many)
        MB_TRY(job->many->ended(job->many->self, r, err));
    return sim_collect(r, err);
}

/* In `fit` the first call comes after rows and prior were accepted: time for folder and trace. */
static mb_status watch_session(void *self, mb_session *session, int32_t attempt, mb_err *err)
{
    sim_result     *r = self;
    sim_checkpoint *k;

    MB_TRY(sim_open(r, attempt, err));
    if (attempt >= 0)
        return sim_watch_attempt(r, session, attempt, err);
    MB_TRY(checkpoint_run(r, session, attempt, &k, err));
    MB_TRY(watch_run(r, session, err));
    return watch_last(r, k, session, err);
}

/* From the seed of the best attempt, or from a checkpoint, to the last round. */
static mb_status run_session(sim_result *r, int resumed, mb_err *err)
{
    const sim_case *cs = r->cs;
    const sim_args *args = cs->args;
    mb_session     *session = &r->session;

    if (!resumed)
        MB_TRY(mb_session_begin(session, &cs->start, &r->found, err));
    else
        mb_npy_rest(cs->rows->mapped);
    r->opened = 1;
    MB_TRY(mb_session_stop(session, cs->args->opt.tol,
                           args->dump_count ? args->dump_at[args->dump_count - 1] : 0, err));
    if (session->how.prune) /* without checkpoints and dumps */
        return mb_session_prune(session, cs->args->opt.tol, watch_session, r, -1, &r->pruned, err);
    MB_TRY(watch_run(r, session, err));
    MB_TRY(watch_last(r, r->checkpoint, session, err));
    return mb_session_run(session, err);
}

/* The attempts, and the run whose result is taken. */
static mb_status run_watched(sim_result *r, mb_err *err)
{
    const sim_case *cs = r->cs;
    const int       resumed = r->checkpoint && r->checkpoint->resumed;
    const mb_case  *on;
    mb_method       how;
    mb_status       st;

    MB_TRY(sim_prepare(r->job, cs, r->choice, &on, &how, err));
    r->found.n_init = (int32_t)cs->n_init;
    if (!resumed) /* it was the best of its attempts */
        MB_TRY(best(r, on, &how, &cs->start, err));
    if (r->signal) /* during the attempts */
        return MB_OK;
    MB_TRY(mb_session_open(on, &how, &r->session, err));
    st = sim_signal_ends(r, run_session(r, resumed, err), err);
    sim_progress_end(r);
    MB_TRY(st);
    if (r->signal && !r->session.state.t) /* before its first round */
        return MB_OK;
    if (r->session.state.t == cs->args->opt.rounds)
        r->signal = 0; /* it was over anyway */
    r->seconds = app_now() - r->began + (r->checkpoint ? r->checkpoint->earlier : 0);
    if (r->checkpoint && !r->signal)
        MB_TRY(checkpoint_end(r, err));
    if (r->dump)
        MB_TRY(sim_dump_write(r, err));
    MB_TRY(mb_session_end(&r->session, &r->out, err));
    return conclude(r, err);
}

mb_status sim_algorithm(sim_result *r, mb_err *err)
{
    sim_checkpoint *k;
    mb_status       st = checkpoint_run(r, &r->session, -1, &k, err);

    if (st >= 0)
        st = run_watched(r, err);
    checkpoints_close(r->job->checkpoints); /* the lines of its trace */
    r->checkpoint = NULL;
    return st;
}

mb_fit_opt sim_fit_opt(const sim_job *job, const sim_case *cs)
{
    mb_fit_opt o = mb_fit_defaults();

    o.kind = cs->args->kind;
    o.kind_opt = cs->args->model_opt;
    o.units = sim_case_opt(cs);
    o.start = cs->start;
    o.n_init = (int32_t)cs->n_init;
    o.how.rounds = cs->args->opt.rounds;
    o.how.prune = cs->args->opt.prune == SIM_PRUNE_ON;
    o.how.threads = (int32_t)(cs->args->opt.threads ? cs->args->opt.threads : job->ranks.threads);
    o.how.comm = sim_shares_starts(job, cs) ? job->ranks.comm : NULL;
    o.accelerate = (mb_accelerate)cs->args->opt.accelerate;
    o.tol = cs->args->opt.tol;
    o.how.stop = (mb_stop_rule)cs->args->opt.stop;
    o.how.store = checkpoints_store(job);
    o.cancel = &sim_signal_cancel;
    return o;
}

static mb_status fit(sim_result *r, mb_err *err)
{
    sim_job          *job = r->job;
    const sim_case   *cs = r->cs;
    mb_fit           *fit = cs->fit;
    mb_fit_opt        o = sim_fit_opt(job, cs);
    mb_status         st;
    const sim_update *u = cs->args->update;

    o.watch = watch_session;
    o.self = r;
    r->apart = o.how.comm != NULL;
    if (u)
        r->learnt = u->learnt;
    if (u)
        st = mb_fit_partial(job->a, &u->p, u->forget, &cs->table, &o, &r->learnt, fit, err);
    else
        st = mb_fit_run(job->a, &cs->network->net, &cs->table, &o, fit, err);
    if (st == MB_STOP) { /* a signal, which may have come to some processes alone */
        MB_TRY(sim_signal_agree(job, err));
        r->signal = job->signal;
    }
    if (st == MB_OK && r->checkpoint && !r->signal)
        st = checkpoint_end(r, err);
    if (st != MB_OK)
        return st;
    r->session = fit->stages->session; /* over: nothing points into it any longer */
    r->out = fit->out;
    r->found = fit->found;
    r->pruned = fit->pruned;
    fit->stages->session = (mb_session){0};
    sim_check_case(job, cs);
    return cs->table.rows.share ? sim_share_over(r, err) : MB_OK;
}

mb_status sim_fit(sim_result *r, mb_err *err)
{
    const mb_status st = fit(r, err);

    sim_progress_end(r);
    if (st != MB_OK)
        return st; /* MB_STOP: a signal during the attempts */
    r->seconds = app_now() - r->began + (r->checkpoint ? r->checkpoint->earlier : 0);
    return conclude(r, err);
}
