/* paper_run.c - the algorithms of an experiment as its protocols run them, each as a session of the
 * library on the unit's network. */
#include "paper_run.h"
#include "base/text.h"

#include <string.h>

/* Rounds that the experiment plans. */
static int64_t rounds_of(const paper_unit *u)
{
    return u->set->quick ? u->row->plan.quick : u->row->plan.rounds;
}

/* What the first author's program does otherwise than the text. */
static void publish(paper_case *c)
{
    const int swept = c->option[0] != NULL;

    if (c->algo == &mb_algo_dsvb)
        c->option[swept] = "dsvb.d0=2";
    else if (!swept)
        c->rule = MB_METROPOLIS;
    if (c->algo == &mb_algo_admm)
        c->on_domain = MB_HALT;
}

static mb_status make(paper_unit *u, const char *name, paper_case *c, mb_err *err)
{
    const int   word = (int)strcspn(name, " ");
    const char *algo = mb_text(u->a, err, "%.*s", word, name);

    *c = (paper_case){.name = name,
                      .algo = algo ? mb_algo_find(algo) : NULL,
                      .rule = MB_METROPOLIS,
                      .on_domain = MB_FREEZE,
                      .rounds = rounds_of(u),
                      .tol = 1e-9};
    if (algo && name[word])
        c->option[0] = mb_text(u->a, err, "%s.%s", algo, name + word + 1);
    if (!algo || (name[word] && !c->option[0]))
        return MB_E_NOMEM;
    if (!c->algo)
        MB_FAIL(err, MB_E_ARG, "\"%s\" is not an algorithm of this build", algo);
    if (u->protocol == PAPER_OURS)
        return MB_OK;
    c->rule = MB_NEAREST;
    c->on_domain = MB_PROJECT;
    c->tol = 0;
    if (u->protocol == PAPER_PUBLISHED)
        publish(c);
    return MB_OK;
}

mb_status paper_cases(paper_world *w, const paper_plan *plan, mb_err *err)
{
    const char *const *name = w->u->protocol == PAPER_OURS ? plan->ours : plan->theirs;
    int32_t            n = 0;

    while (name[n])
        n++;
    MB_NEW(w->result, w->u->a, n + 1, err);
    w->count = n + 1;
    w->result[0].c = (paper_case){
        .name = "cvb", .on_domain = MB_FREEZE, .rounds = rounds_of(w->u), .tol = 1e-12};
    for (int32_t k = 0; k < n; k++)
        MB_TRY(make(w->u, name[k], &w->result[k + 1].c, err));
    return MB_OK;
}

mb_status paper_note_costs(paper_world *w, int32_t per_decade, mb_err *err)
{
    const int64_t rounds = rounds_of(w->u);
    const double  step = pow(10, 1.0 / per_decade);
    int32_t       count = 0;

    MB_NEW(w->at, w->u->a, (size_t)per_decade * 8 + 2, err);
    for (double t = 1; t < (double)rounds; t *= step)
        if (!count || (int64_t)(t + 0.5) > w->at[count - 1])
            w->at[count++] = (int64_t)(t + 0.5);
    while (count && w->at[count - 1] >= rounds)
        count--;
    w->at[count++] = rounds;
    w->noted = count;
    return MB_OK;
}

static mb_status open(paper_world *w, paper_result *r, mb_err *err)
{
    const paper_case *c = &r->c;
    const mb_case    *at = c->algo ? &w->nodes[c->rule] : &w->central;
    mb_method         how = {.algo = c->algo ? c->algo : &mb_algo_noncoop,
                             .rounds = c->rounds,
                             .threads = 1,
                             .on_domain = c->on_domain};
    mb_model         *clipped;
    void             *opt = mb_alloc(w->u->a, 1, how.algo->opt_size + 1);

    mb_session_close(&r->s); /* of an attempt before */
    *r = (paper_result){.c = *c, .bound = PAPER_NAN};
    if (!opt)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the options of %s", c->name);
    MB_TRY(mb_opt_defaults(how.algo->opts, opt, err));
    for (int k = 0; k < 2 && c->option[k]; k++)
        MB_TRY(mb_opt_assign(how.algo->opts, opt, c->option[k], err));
    how.opt = opt;
    MB_TRY(mb_session_open(at, &how, &r->s, err));
    if (c->clip) {
        MB_NEW(clipped, r->s.own, 1, err);
        paper_clip(&at->model, clipped);
        r->s.problem.model = clipped;
    }
    return mb_session_seed(&r->s, &w->start, w->attempt, err);
}

/* The cost in round t; kl NULL or of nodes outside: no value. */
static mb_status put_kl(paper_unit *u, const char *name, int64_t t, const mb_stat *kl, mb_err *err)
{
    const int known = kl && !kl->outside;

    MB_TRY(paper_put(u, name, "kl_mean", (double)t, known ? kl->mean : PAPER_NAN, err));
    return paper_put(u, name, "kl_sd", (double)t, known ? kl->sd : PAPER_NAN, err);
}

/* Notes the cost in the rounds asked for. */
typedef struct note {
    paper_unit *u;
    const char *name;
    mb_metrics  m;
} note;

static mb_status see_cost(void *to, int64_t t, const mb_problem *p, const mb_state *s, mb_err *err)
{
    note *c = to;

    MB_TRY(mb_metrics_see(&c->m, p, s, err));
    MB_TRY(put_kl(c->u, c->name, t, &c->m.value[MB_M_KL_TRUTH], err));
    return paper_put(c->u, c->name, "bytes", (double)t, c->m.value[MB_M_BYTES].mean, err);
}

static mb_status judges(const paper_truth *t, paper_result *r, unsigned on, mb_metrics *m,
                        mb_err *err)
{
    *m = (mb_metrics){.on = on, .truth = t->phi, .label = t->label, .nclass = t->nclass};
    return mb_metrics_new(r->s.own, &r->s.problem, m, err);
}

static mb_status watch_cost(const paper_world *w, const paper_truth *t, paper_result *r, note *cost,
                            mb_err *err)
{
    mb_observer obs;

    if (!w->noted)
        return MB_OK;
    *cost = (note){.u = w->u, .name = r->c.name};
    MB_TRY(judges(t, r, 1u << MB_M_KL_TRUTH | 1u << MB_M_BYTES, &cost->m, err));
    MB_TRY(mb_dump_new(r->s.own, w->at, w->noted, see_cost, cost, &obs, err));
    return mb_session_watch(&r->s, &obs, err);
}

/* Stops when the accuracy and the mutual information of the last six rounds are constant, or spread
 * as they did a round ago: the first author's program uses the truth to know when to stop. */
typedef struct still {
    mb_metrics m;
    int64_t    from;
    double     last[6][2], before[2];
} still;

static mb_status see_still(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    still *s = self;
    double sd[2];

    MB_TRY(mb_metrics_see(&s->m, p, st, err));
    s->last[st->t % 6][0] = s->m.value[MB_M_ACCURACY].mean;
    s->last[st->t % 6][1] = s->m.value[MB_M_NMI].mean;
    if (st->t <= s->from)
        return MB_OK;
    for (int q = 0; q < 2; q++) {
        double mean = 0, squares = 0;

        for (int k = 0; k < 6; k++)
            mean += s->last[k][q] / 6;
        for (int k = 0; k < 6; k++)
            squares += (s->last[k][q] - mean) * (s->last[k][q] - mean);
        sd[q] = sqrt(squares / 5);
    }
    const int rest = sd[0] < 1e-5 && sd[1] < 1e-5;
    const int same = fabs(sd[0] - s->before[0]) < 1e-8 && fabs(sd[1] - s->before[1]) < 1e-8;

    memcpy(s->before, sd, sizeof sd);
    return rest || same ? MB_STOP : MB_OK;
}

static mb_status watch_still(const paper_truth *t, paper_result *r, mb_err *err)
{
    still *s;

    if (!r->c.still)
        return MB_OK;
    MB_NEW(s, r->s.own, 1, err);
    s->from = r->c.still;
    MB_TRY(judges(t, r, 1u << MB_M_ACCURACY | 1u << MB_M_NMI, &s->m, err));
    return mb_session_watch(&r->s, &(mb_observer){.self = s, .every = 1, .see = see_still}, err);
}

/* The result of a run that ended or broke off: failures are counted, never rerun here. */
static mb_status finish(const paper_world *w, const paper_truth *t, paper_result *r, mb_err *err)
{
    const unsigned    kl = t->phi ? 1u << MB_M_KL_TRUTH : 0;
    const mb_problem *p = &r->s.problem;
    double           *mean, moved;

    for (int32_t i = 0; i < p->part->n_local; i++) {
        r->left += r->s.state.projected[i] + r->s.state.frozen[i];
        r->frozen += r->s.state.frozen[i];
    }
    if (r->error)
        return MB_OK;
    MB_NEW(mean, r->s.own, p->model->layout.len, err);
    MB_TRY(judges(t, r,
                  kl | 1u << MB_M_ACCURACY | 1u << MB_M_NMI | 1u << MB_M_BYTES |
                      1u << MB_M_DISAGREEMENT,
                  &r->end, err));
    MB_TRY(mb_metrics_see(&r->end, p, &r->s.state, err));
    MB_TRY(mb_mean_phi(p, &r->s.state, mean, err));
    mb_status st = mb_central_check(r->s.own, p, mean, &moved, &r->bound, err);

    r->bound = st == MB_E_DOMAIN ? PAPER_NAN : r->bound / (double)w->n;
    return st == MB_E_DOMAIN ? MB_OK : st;
}

mb_status paper_case_run(paper_world *w, const paper_truth *t, paper_result *r, mb_err *err)
{
    note cost;

    MB_TRY(open(w, r, err));
    MB_TRY(watch_cost(w, t, r, &cost, err));
    MB_TRY(watch_still(t, r, err));
    MB_TRY(mb_session_stop(&r->s, r->c.tol, 0, err));
    mb_status st = mb_session_run(&r->s, err);

    r->error = st == MB_E_NUMERIC || st == MB_E_DOMAIN;
    if (!r->error)
        MB_TRY(st);
    for (int32_t k = 0; k < w->noted; k++) /* settled: nothing changes; after an error: no value */
        if (w->at[k] > r->s.state.t)
            MB_TRY(r->error ? put_kl(w->u, r->c.name, w->at[k], NULL, err)
                            : see_cost(&cost, w->at[k], &r->s.problem, &r->s.state, err));
    return finish(w, t, r, err);
}

/* One attempt; its noted costs are dropped when it breaks off. */
static mb_status attempt(paper_world *w, const paper_truth *t, int local, int32_t nth,
                         paper_result *r, mb_err *err)
{
    const int64_t count = w->u->count;

    MB_TRY(paper_start_informed(w, t, local, nth, err));
    MB_TRY(paper_case_run(w, t, r, err));
    if (r->error)
        w->u->count = count;
    return MB_OK;
}

mb_status paper_case_retry(paper_world *w, const paper_truth *t, int local, int32_t restarts,
                           paper_result *r, mb_err *err)
{
    int32_t nth = 0;

    do
        MB_TRY(attempt(w, t, local, nth, r, err));
    while (r->error && nth++ < restarts);
    for (int32_t k = 0; k < w->noted && r->error; k++)
        MB_TRY(put_kl(w->u, r->c.name, w->at[k], NULL, err));
    return paper_put(w->u, r->c.name, "restarts", PAPER_NAN, nth, err);
}
