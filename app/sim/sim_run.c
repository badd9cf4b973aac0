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

/* An attempt of --n-init ends early by a signal only. */
static mb_status watch_attempt(void *self, mb_session *session, int32_t attempt, mb_err *err)
{
    sim_result *r = self;

    (void)attempt;
    mention_repeated(r->s);
    return r->signal ? MB_STOP : sim_signal_watch(r, session, err);
}

mb_status sim_best(sim_result *r, const mb_case *on, const mb_method *how, mb_err *err)
{
    const sim *s = r->s;
    int32_t    at_best;

    return mb_case_best(on, how, &s->begin.start, (int32_t)s->opt.n_init, s->opt.tol, watch_attempt,
                        r, &r->attempt, &at_best, err);
}

/* The run that counts, and what shows it. */
typedef struct running {
    sim_result  *r;
    sim_watch   *watch;
    sim_dump    *dump;   /* NULL: none                                */
    int          opened; /* 1: folder and trace are there (fit opens them) */
    sim_progress progress;
} running;

static mb_status put_line(void *to, const char *line, size_t len, mb_err *err)
{
    return to ? mb_file_write(to, line, len, err) : MB_OK; /* process 0 alone writes */
}

static mb_metrics metrics_of(const sim_result *r, uint32_t on)
{
    const sim *s = r->s;

    return (mb_metrics){.on = on,
                        .truth = s->begin.truth,
                        .cvb = s->begin.cvb,
                        .label = r->choice->cvb ? s->rows.data.label : s->rows.label,
                        .nclass = s->rows.data.nlabel,
                        .log_jacobian = s->world.fit.nodes.run.log_jacobian};
}

static mb_status watch_trace(const running *run, mb_session *session, mb_err *err)
{
    const sim_result *r = run->r;
    mb_metrics       *m;
    mb_observer       obs;

    MB_NEW(m, session->own, 1, err);
    *m = metrics_of(r, r->s->asked.metrics);
    MB_TRY(mb_metrics_new(session->own, &session->problem, m, err));
    MB_TRY(mb_trace_new(session->own, m, run->watch->with_name ? r->choice->name : NULL,
                        r->keep ? sim_keep_line : put_line,
                        r->keep ? (void *)r->keep : run->watch->trace, &obs, err));
    return mb_session_watch(session, &obs, err);
}

/* Trace, dumps, progress. */
static mb_status watch_run(running *run, mb_session *session, mb_err *err)
{
    sim        *s = run->r->s;
    mb_observer obs;

    mention_repeated(s);
    if (sim_traced(s))
        MB_TRY(watch_trace(run, session, err));
    if (s->opt.dump_phi)
        MB_TRY(sim_dump_watch(s, session, &run->dump, err));
    if (!s->tty || s->ranks.rank)
        return MB_OK;
    run->progress = (sim_progress){.name = run->r->choice->name, .began = run->r->began};
    MB_TRY(mb_progress_new(session->own, s->opt.rounds, 1, sim_progress_show, &run->progress, &obs,
                           err));
    return mb_session_watch(session, &obs, err);
}

/* What the table and the summary say of the end of a run. */
static mb_status conclude(sim_result *r, mb_err *err)
{
    const uint32_t ends = 1u << MB_M_BOUND | 1u << MB_M_DISAGREEMENT | 1u << MB_M_BYTES |
                          1u << MB_M_FRAMES | 1u << MB_M_FROZEN | 1u << MB_M_PROJECTED;
    sim              *s = r->s;
    mb_session       *session = &r->session;
    const mb_problem *p = &session->problem;

    r->final = metrics_of(r, ends | s->asked.metrics | (s->rows.data.label ? SIM_JUDGED : 0));
    MB_TRY(mb_metrics_new(session->own, p, &r->final, err));
    MB_TRY(mb_metrics_see(&r->final, p, &session->state, err));
    if (!r->out.ordered)
        sim_warn(s, "%s: the network mean is outside the domain: components keep the start's order",
                 r->choice->name);
    sim_verdict_warn(s, r);
    return sim_collect(r, err);
}

/* From its first state, of the best attempt or of a checkpoint, to its last round. */
static mb_status run_session(running *run, int resumed, mb_err *err)
{
    sim_result      *r = run->r;
    sim             *s = r->s;
    const sim_asked *asked = &s->asked;
    mb_session      *session = &r->session;

    if (!resumed)
        MB_TRY(mb_session_seed(session, &s->begin.start, r->attempt, err));
    else
        mb_npy_rest(&s->rows.mapped);
    MB_TRY(watch_run(run, session, err));
    MB_TRY(mb_session_stop(session, s->opt.tol,
                           asked->dump_count ? asked->dump_at[asked->dump_count - 1] : 0, err));
    if (r->keep)
        MB_TRY(sim_keep_watch(r->keep, run->dump, err));
    MB_TRY(sim_signal_watch(r, session, err));
    if (r->keep)
        MB_TRY(sim_keep_load(r->keep, err));
    return mb_session_run(session, err);
}

/* The run that counts, from its best attempt or its checkpoint to what is said of its end. */
static mb_status run_watched(running *run, mb_err *err)
{
    sim_result    *r = run->r;
    sim           *s = r->s;
    const int      resumed = r->keep && r->keep->resumed;
    const mb_case *on;
    mb_method      how;
    mb_status      st;

    MB_TRY(sim_prepare(s, r->choice, &on, &how, err));
    if (!resumed) /* it was the best of its attempts */
        MB_TRY(sim_best(r, on, &how, err));
    if (r->signal) /* before the run that counts */
        return MB_OK;
    MB_TRY(mb_session_open(on, &how, &r->session, err));
    st = run_session(run, resumed, err);
    sim_progress_end(&run->progress);
    MB_TRY(st);
    if (r->session.state.t == s->opt.rounds)
        r->signal = 0; /* it was over anyway */
    r->seconds = sim_now() - r->began + (r->keep ? r->keep->earlier : 0);
    if (r->keep && !r->signal)
        MB_TRY(sim_keep_end(r->keep, err));
    if (run->dump)
        MB_TRY(sim_dump_write(s, run->dump, r, err));
    MB_TRY(mb_session_end(&r->session, &r->out, err));
    return conclude(r, err);
}

mb_status sim_algorithm(sim_result *r, sim_watch *watch, mb_err *err)
{
    running   run = {.r = r, .watch = watch};
    mb_status st = ranks_agree(&r->s->ranks, sim_keep_new(r, watch->trace, err), err);

    if (st >= 0)
        st = run_watched(&run, err);
    sim_keep_close(r->keep);
    r->keep = NULL;
    return st;
}

/* Rows and prior are accepted: only now are files made. */
static mb_status open_files(running *run, mb_err *err)
{
    if (run->opened)
        return MB_OK;
    run->opened = 1;
    MB_TRY(sim_folder(run->r->s, err));
    return sim_trace(run->r->s, run->watch, err);
}

static mb_status watch_fit(void *self, mb_session *session, int32_t attempt, mb_err *err)
{
    running *run = self;

    MB_TRY(open_files(run, err));
    if (attempt >= 0)
        return watch_attempt(run->r, session, attempt, err);
    MB_TRY(watch_run(run, session, err));
    return sim_signal_watch(run->r, session, err);
}

static mb_status fit(running *run, mb_err *err)
{
    sim_result *r = run->r;
    sim        *s = r->s;
    mb_fit     *fit = &s->world.fit;
    mb_fit_opt  o = mb_fit_defaults();
    mb_status   st;

    o.kind = s->asked.kind;
    o.kind_opt = s->asked.model_opt;
    o.units = sim_case_opt(s);
    o.start = s->begin.start;
    o.n_init = (int32_t)s->opt.n_init;
    o.how.rounds = s->opt.rounds;
    o.how.threads = (int32_t)s->opt.threads;
    o.tol = s->opt.tol;
    o.watch = watch_fit;
    o.self = run;
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

mb_status sim_fit(sim_result *r, sim_watch *watch, mb_err *err)
{
    running   run = {.r = r, .watch = watch};
    mb_status st = fit(&run, err);

    sim_progress_end(&run.progress);
    if (st != MB_OK)
        return st; /* MB_STOP: before the run that counts */
    r->seconds = sim_now() - r->began;
    return conclude(r, err);
}
