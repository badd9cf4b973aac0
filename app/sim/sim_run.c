/* sim_run.c - runs one algorithm: its attempts, the best of them, and what is watched. */
#include "sim/sim_checkpoint.h"
#include "sim/sim_signal.h"

#include <string.h>

mb_status sim_prepare(sim *s, const sim_choice *c, const mb_case **on, mb_method *how, mb_err *err)
{
    if (c->cvb)
        MB_TRY(sim_central(s, err));
    *on = c->cvb ? &s->world.fit.central : &s->world.fit.nodes;
    *how = (mb_method){.algo = c->algo,
                       .opt = c->opt,
                       .faults = s->world.faults,
                       .rounds = s->opt.rounds,
                       .threads = (int32_t)s->opt.threads,
                       .pool = s->world.fit.pool,
                       .on_domain = (mb_on_domain)s->opt.on_domain};
    return MB_OK;
}

/* Warns once, however many initialisations are drawn. */
static void mention_repeated(sim *s)
{
    if (s->begin.drawn.repeated && !s->begin.mentioned)
        sim_warn(s, "fewer than %d distinct rows: some components start equal and stay equal",
                 s->world.fit.nodes.model.K);
    s->begin.mentioned |= s->begin.drawn.repeated;
}

typedef struct trial {
    sim        *s;
    sim_result *r;
} trial;

/* An attempt of --n-init ends early by a signal only. */
static mb_status watch_trial(void *self, mb_session *session, int32_t attempt, mb_err *err)
{
    trial *t = self;

    (void)attempt;
    mention_repeated(t->s);
    if (t->r->signal)
        return MB_STOP;
    return sim_signal_watch(t->s, t->r, session, err);
}

/* --n-init: the attempt whose last bound, summed over the network, is the highest. A run that resumes
 * from a checkpoint was the best of its attempts. */
static mb_status best_attempt(sim *s, const mb_case *on, const mb_method *how, sim_result *r,
                              mb_err *err)
{
    trial   t = {s, r};
    int32_t at_best;

    if (r->keep && r->keep->resumed)
        return MB_OK;
    return mb_case_best(on, how, &s->begin.start, (int32_t)s->opt.n_init, s->opt.tol, watch_trial,
                        &t, &r->attempt, &at_best, err);
}

static mb_status put_line(void *to, const char *line, size_t len, mb_err *err)
{
    return to ? mb_file_write(to, line, len, err) : MB_OK; /* process 0 alone writes */
}

void sim_metric_inputs(const sim *s, const sim_choice *c, uint32_t on, mb_metrics *m)
{
    memset(m, 0, sizeof *m);
    m->on = on;
    m->truth = s->begin.truth;
    m->cvb = s->begin.cvb;
    m->label = c->cvb ? s->rows.data.label : s->rows.label;
    m->nclass = s->rows.data.nlabel;
    m->log_jacobian = s->world.fit.nodes.run.log_jacobian;
}

static mb_status watch_trace(sim *s, sim_result *r, mb_session *session, const sim_watch *watch,
                             mb_err *err)
{
    mb_metrics *m;
    mb_observer obs;

    MB_NEW(m, session->own, 1, err);
    sim_metric_inputs(s, r->choice, s->asked.metrics, m);
    MB_TRY(mb_metrics_new(session->own, &session->problem, m, err));
    MB_TRY(mb_trace_new(session->own, m, watch->with_name ? r->choice->name : NULL,
                        r->keep ? sim_keep_line : put_line,
                        r->keep ? (void *)r->keep : watch->trace, &obs, err));
    return mb_session_watch(session, &obs, err);
}

/* What shows the run that counts: trace, dumps, progress. */
static mb_status watch_run(sim *s, sim_result *r, mb_session *session, const sim_watch *watch,
                           sim_dump **dump, sim_progress *pg, mb_err *err)
{
    mb_observer obs = {0};

    if (watch->traced)
        MB_TRY(watch_trace(s, r, session, watch, err));
    if (s->opt.dump_phi)
        MB_TRY(sim_dump_new(s, session->problem.part, dump, &obs, err));
    if (obs.see)
        MB_TRY(mb_session_watch(session, &obs, err));
    if (!s->tty || s->ranks.rank)
        return MB_OK;
    MB_TRY(mb_progress_new(session->own, s->opt.rounds, 1, sim_progress_show, pg, &obs, err));
    return mb_session_watch(session, &obs, err);
}

/* What the table and the summary say of the end of a run. */
static mb_status conclude(sim *s, sim_result *r, mb_err *err)
{
    const uint32_t ends = 1u << MB_M_BOUND | 1u << MB_M_DISAGREEMENT | 1u << MB_M_BYTES |
                          1u << MB_M_FRAMES | 1u << MB_M_FROZEN | 1u << MB_M_PROJECTED;
    const uint32_t    judged = 1u << MB_M_ACCURACY | 1u << MB_M_NMI | 1u << MB_M_ARI;
    mb_session       *session = &r->session;
    const mb_problem *p = &session->problem;

    sim_metric_inputs(s, r->choice, ends | s->asked.metrics | (s->rows.data.label ? judged : 0),
                      &r->final);
    MB_TRY(mb_metrics_new(session->own, p, &r->final, err));
    MB_TRY(mb_metrics_see(&r->final, p, &session->state, err));
    if (!r->out.ordered)
        sim_warn(s, "%s: the network mean is outside the domain: components keep the start's order",
                 r->choice->name);
    sim_verdict_warn(s, r);
    return sim_collect(s, r, err);
}

/* The first state, from a checkpoint or from the best attempt. */
static mb_status first_state(sim *s, sim_result *r, mb_err *err)
{
    const int resumed = r->keep && r->keep->resumed;

    if (!resumed)
        MB_TRY(mb_session_seed(&r->session, &s->begin.start, r->attempt, err));
    else
        mb_npy_rest(&s->rows.mapped);
    mention_repeated(s);
    return MB_OK;
}

static mb_status run_session(sim *s, sim_result *r, const sim_watch *watch, sim_dump **dump,
                             sim_progress *pg, mb_err *err)
{
    const sim_asked *asked = &s->asked;
    mb_session      *session = &r->session;

    MB_TRY(first_state(s, r, err));
    MB_TRY(watch_run(s, r, session, watch, dump, pg, err));
    MB_TRY(mb_session_stop(session, s->opt.tol,
                           asked->dump_count ? asked->dump_at[asked->dump_count - 1] : 0, err));
    if (r->keep)
        MB_TRY(sim_keep_watch(r->keep, r, *dump, err));
    MB_TRY(sim_signal_watch(s, r, session, err));
    if (r->keep)
        MB_TRY(sim_keep_load(r->keep, err));
    return mb_session_run(session, err);
}

/* The run that counts, from its best attempt or its checkpoint to what is said of its end. */
static mb_status run_watched(sim *s, const sim_watch *watch, sim_result *r, mb_err *err)
{
    const mb_case *on;
    mb_method      how;
    sim_dump      *dump = NULL;
    sim_progress   pg = {.name = r->choice->name};
    mb_status      st;

    clock_gettime(CLOCK_MONOTONIC, &pg.began);
    MB_TRY(sim_prepare(s, r->choice, &on, &how, err));
    MB_TRY(best_attempt(s, on, &how, r, err));
    if (r->signal) /* before the run that counts */
        return MB_OK;
    MB_TRY(mb_session_open(on, &how, &r->session, err));
    st = run_session(s, r, watch, &dump, &pg, err);
    sim_progress_end(&pg);
    MB_TRY(st);
    if (r->session.state.t == s->opt.rounds)
        r->signal = 0; /* it was over anyway */
    r->seconds = sim_seconds_since(&pg.began) + (r->keep ? r->keep->earlier : 0);
    if (r->keep && !r->signal)
        MB_TRY(sim_keep_end(r->keep, err));
    if (dump)
        MB_TRY(sim_dump_write(s, dump, r, err));
    MB_TRY(mb_session_end(&r->session, &r->out, err));
    return conclude(s, r, err);
}

mb_status sim_algorithm(sim *s, const sim_choice *c, const sim_watch *watch, sim_result *r,
                        mb_err *err)
{
    sim_keep *keep = NULL;
    mb_status st = ranks_agree(&s->ranks, sim_keep_new(s, c, watch, &keep, err), err);

    memset(r, 0, sizeof *r);
    r->choice = c;
    r->keep = keep;
    if (st >= 0)
        st = run_watched(s, watch, r, err);
    sim_keep_close(keep);
    r->keep = NULL;
    return st;
}

typedef struct fitting {
    trial            trial;
    const sim_watch *watch;
    sim_dump        *dump;
    sim_progress    *pg;
} fitting;

static mb_status watch_fit(void *self, mb_session *session, int32_t attempt, mb_err *err)
{
    fitting    *f = self;
    sim        *s = f->trial.s;
    sim_result *r = f->trial.r;

    if (attempt >= 0)
        return watch_trial(&f->trial, session, attempt, err);
    mention_repeated(s);
    MB_TRY(watch_run(s, r, session, f->watch, &f->dump, f->pg, err));
    return sim_signal_watch(s, r, session, err);
}

static mb_status fit(sim *s, const sim_watch *watch, sim_progress *pg, sim_result *r, mb_err *err)
{
    fitting    f = {.trial = {s, r}, .watch = watch, .pg = pg};
    mb_fit    *fit = &s->world.fit;
    mb_fit_opt o = mb_fit_defaults();
    mb_status  st;

    o.kind = s->asked.kind;
    o.kind_opt = s->asked.model_opt;
    o.units = sim_case_opt(s);
    o.start = s->begin.start;
    o.n_init = (int32_t)s->opt.n_init;
    o.how.rounds = s->opt.rounds;
    o.how.threads = (int32_t)s->opt.threads;
    o.tol = s->opt.tol;
    o.watch = watch_fit;
    o.self = &f;
    st = mb_fit_run(s->a, &s->world.net, &s->rows.table, &o, fit, err);
    if (st != MB_OK)
        return st;
    r->session = fit->session; /* over: nothing points into it any more */
    r->out = fit->out;
    r->attempt = fit->attempt;
    fit->session = (mb_session){0};
    sim_mention_constant(s);
    return MB_OK;
}

mb_status sim_fit(sim *s, const sim_watch *watch, sim_result *r, mb_err *err)
{
    sim_progress pg = {.name = "cvb"};
    mb_status    st;

    memset(r, 0, sizeof *r);
    r->choice = &s->asked.choice[0];
    clock_gettime(CLOCK_MONOTONIC, &pg.began);
    st = fit(s, watch, &pg, r, err);
    sim_progress_end(&pg);
    if (st != MB_OK)
        return st; /* MB_STOP: before the run that counts */
    r->seconds = sim_seconds_since(&pg.began);
    return conclude(s, r, err);
}
