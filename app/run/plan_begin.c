/* plan_begin.c - how long the initialisation of a run takes. */
#include "run/plan.h"

#include <math.h>

enum {
    MOST_STEPS = 300, /* see mb_lloyd */
    NODE = 3          /* rows: what the sums of a node cost on their way over the tree, about */
};

double plan_runs(const sim_case *cs)
{
    return cs->n_init > 1 ? (double)cs->n_init + 1 : 1;
}

/* Seconds that a seed takes; the centres of attempt 0 are drawn unless they are known. */
static mb_status seed(plan *p, mb_session *session, double *seconds, mb_err *err)
{
    const double began = app_now();

    MB_TRY(mb_session_seed(session, &p->cs->start, 0, err));
    *seconds = app_now() - began;
    return MB_OK;
}

/* Seconds of one row a centre by k-means++, where k-means chooses among several. */
static mb_status draw(const sim_case *cs, mb_arena *draft, double *seconds, mb_err *err)
{
    mb_start   plain = cs->start;
    mb_centres drawn = {0};
    mb_traffic sent = {0};
    double     began;

    plain.how = MB_INIT_KMEANSPP;
    MB_NEW(drawn.centres, draft, (size_t)sim_components(cs->args) * sim_centre(cs->rows), err);
    began = app_now();
    MB_TRY(mb_case_centres(&cs->fit->stages->nodes, &plain, 0, draft, &drawn, &sent, err));
    *seconds = app_now() - began;
    return MB_OK;
}

/* Seconds of one assignment of all rows by k-means, of `centres` in all. */
static mb_status assignment(const sim_case *cs, double centres, double *seconds, mb_err *err)
{
    mb_arena *draft = mb_arena_new(1 << 16);
    mb_status st;
    double    once = 0;

    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to draw centres");
    st = draw(cs, draft, &once, err);
    mb_arena_free(draft);
    MB_TRY(st);
    once *= mb_start_candidates(MB_INIT_KMEANS, sim_components(cs->args), 0);
    *seconds = fmax(centres - once, 0) / (cs->drawn->steps + 1);
    return MB_OK;
}

/* Work of k-means, in rows. */
static double work(const sim_network *network, double rows)
{
    const double nodes = network->net.n;

    return nodes *
           ((double)mb_start_rows((int64_t)ceil(rows / nodes), network->rows->data.d) + NODE);
}

static mb_status measure(plan *p, mb_session *session, mb_err *err)
{
    const sim_case *cs = p->cs;
    plan_begin     *b = &p->begin;
    double          whole, sums, centres, one = 0;
    const double    more = work(cs->network, p->rows) / work(cs->network, (double)p->measured);

    MB_TRY(seed(p, session, &whole, err));
    MB_TRY(seed(p, session, &sums, err)); /* from the same centres */
    centres = cs->start.drawn ? fmax(whole - sums, 0) : 0;
    if (cs->start.drawn && cs->start.how == MB_INIT_KMEANS)
        MB_TRY(assignment(cs, centres, &one, err));
    b->steps = cs->drawn->steps;
    b->seconds = plan_runs(cs) * (centres * more + sums * p->rows / (double)p->measured);
    b->most = b->seconds + plan_runs(cs) * one * more * (MOST_STEPS - b->steps);
    b->known = 1;
    return MB_OK;
}

mb_status plan_seed(plan *p, mb_session *session, mb_err *err)
{
    return p->begin.known ? mb_session_seed(session, &p->cs->start, 0, err)
                          : measure(p, session, err);
}
