/* plan_measure.c - a short run of one algorithm, and what follows for the whole run. */
#include "run/plan.h"

#include <math.h>

/* Rounds 1 and 2 differ from the others: some methods begin with another message or none. */
enum { SETTLED = 2 };

typedef struct stopwatch {
    double     limit; /* seconds */
    double     began; /* at the end of round 2 */
    double     spent;
    mb_traffic at[SETTLED + 1]; /* after rounds 1 and 2, and the last */
    int64_t    rounds;          /* since round 2 */
} stopwatch;

static mb_status look(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    stopwatch *w = self;

    (void)p, (void)err;
    w->at[st->t <= SETTLED ? st->t - 1 : SETTLED] = st->sent;
    if (st->t <= SETTLED) {
        w->began = app_now();
        return MB_OK;
    }
    w->rounds = st->t - SETTLED;
    w->spent = app_now() - w->began;
    return w->spent >= w->limit ? MB_STOP : MB_OK;
}

/* Doubles of a member of a block that are its matrix: not those of its parts. */
static double whole(const mb_block *k)
{
    const mb_parted *p = k->family->parts;
    const double     len = (double)k->len / k->members;

    return p ? len - (double)p->count(k->dim) * (double)p->len(k->dim) : len;
}

/* Leading terms of one round: 2 for each number of the message and row in the E-step and 2 in the
 * statistics; len^(3/2) for factorising each member of a block; 4 for each number received. */
static double flops(const mb_layout *l, double rows, double nodes, double heard)
{
    double factors = 0;

    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        factors += (double)k->count * k->members * pow(whole(k), 1.5);
    }
    return 4 * (double)l->len * (rows + heard) + nodes * factors;
}

/* Bytes of a number of the rows in run units. */
static double kept_bytes(const sim_args *args)
{
    return args->opt.precision == MB_FLOAT32 ? 4 : 8;
}

/* Rounds until the run settles, by the trial. */
static void foresee(const sim_args *args, const mb_session *run, plan_cost *c)
{
    const int64_t limit = args->opt.rounds, more = run->stand.more;
    const int64_t rounds = run->state.t + (run->stopped ? 0 : more);

    c->end = run->stopped         ? PLAN_SETTLED
             : args->opt.tol <= 0 ? PLAN_LIMIT
             : more < 0           ? PLAN_UNKNOWN
                                  : PLAN_FORECAST;
    if (c->end != PLAN_UNKNOWN && rounds > limit)
        c->end = PLAN_LIMIT;
    c->rounds_typical = c->end == PLAN_SETTLED || c->end == PLAN_FORECAST ? rounds : limit;
}

/* Bytes of these rounds, the first two as counted. */
static double sent(const stopwatch *w, const plan_cost *c, int64_t rounds)
{
    const double later = (double)(rounds - SETTLED);

    return (double)w->at[rounds >= SETTLED].bytes + (later > 0 ? later * c->bytes_round : 0);
}

/* Two copies of each row (data and run units), its weight and its place in the file; central VB
 * starts from the responsibilities of all rows at once. */
static double row_bytes(const sim_case *cs, const sim_choice *c)
{
    return (8.0 + kept_bytes(cs->args)) * cs->rows->data.d +
           8.0 * (double)((c->cvb ? cs->fit->stages->nodes.model.K : 0) + 2);
}

static void fill(const plan *p, const stopwatch *w, const sim_result *r, plan_cost *c)
{
    const sim_case  *cs = p->cs;
    const mb_layout *l = &cs->fit->stages->nodes.model.layout;
    const double nodes = r->session.problem.part->n_local, missing = p->rows - (double)p->measured;
    const double message = MB_FRAME_HEADER + 8.0 * (double)l->len;
    const double state = (double)mb_arena_used(r->session.own);
    const double n = (double)w->rounds;
    double       heard;

    c->bytes_round = (double)(w->at[2].bytes - w->at[1].bytes) / n;
    c->frames_round = (double)(w->at[2].frames - w->at[1].frames) / n;
    foresee(cs->args, &r->session, c);
    c->bytes = sent(w, c, cs->args->opt.rounds);
    c->bytes_typical = sent(w, c, c->rounds_typical);
    heard = c->bytes_round / message;
    c->flops_round = flops(l, p->rows, nodes, heard);
    c->seconds_round = w->spent / n * c->flops_round / flops(l, (double)p->measured, nodes, heard);
    c->seconds = p->begin.seconds + c->seconds_round * (double)cs->args->opt.rounds * plan_runs(cs);
    c->seconds_typical =
        p->begin.seconds + c->seconds_round * (double)c->rounds_typical * plan_runs(cs);
    c->memory = state + (double)mb_arena_used(p->job->a) + missing * row_bytes(cs, r->choice);
    c->memory_node = state / nodes + p->rows / nodes * kept_bytes(cs->args) * cs->rows->data.d;
    c->rounds_measured = w->rounds;
}

/* One attempt under the stopwatch. */
static mb_status try_out(plan *p, sim_result *r, stopwatch *w, mb_err *err)
{
    const mb_observer obs = {.self = w, .every = 1, .see = look};
    const mb_case    *on;
    mb_method         how;

    MB_TRY(sim_prepare(p->job, p->cs, r->choice, &on, &how, err));
    how.rounds = INT64_MAX;
    MB_TRY(mb_session_open(on, &how, &r->session, err));
    MB_TRY(plan_seed(p, &r->session, err));
    MB_TRY(mb_session_stop(&r->session, p->cs->args->opt.tol, SETTLED + 1, err));
    MB_TRY(mb_session_watch(&r->session, &obs, err));
    return mb_session_run(&r->session, err);
}

mb_status plan_measure(plan *p, int32_t k, sim_result *r, mb_err *err)
{
    plan_cost *c = &p->cost[k];
    stopwatch  w = {.limit = p->opt.measure};
    mb_status  st;

    *r = (sim_result){.job = p->job, .cs = p->cs, .choice = &p->cs->args->choice[k]};
    c->name = r->choice->name;
    st = try_out(p, r, &w, &c->err);
    if (st >= 0)
        fill(p, &w, r, c);
    c->failed = st < 0;
    if (st == MB_E_NOMEM)
        MB_FAIL(err, st, "%s: %s", c->name, c->err.msg);
    return MB_OK;
}

/* Algorithms run one after the other, so the largest decides. */
mb_status plan_check_memory(const plan *p, double available, mb_err *err)
{
    const plan_cost *most = NULL;

    for (int32_t k = 0; k < p->cs->args->nchoice; k++)
        if (!p->cost[k].failed && (!most || p->cost[k].memory > most->memory))
            most = &p->cost[k];
    if (!most || !(available > 0) || most->memory <= available)
        return MB_OK;
    MB_FAIL(err, MB_E_NOMEM,
            "%s would hold %.3g GB and %.3g GB are free here; expected fewer nodes, rows or "
            "components, a larger machine, or mpirun over %.0f machines like this",
            most->name, 1e-9 * most->memory, 1e-9 * available, most->memory / available + 1);
}
