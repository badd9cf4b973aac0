/* core/workers.c - nodes over threads. */
#include "core/workers.h"

#ifdef _OPENMP
#include <omp.h>

/* A team costs some microseconds a round: below this many operations it does not pay. */
static const double PAYS = 2e6;

static int32_t threads_that_pay(const mb_problem *p)
{
    const double len = (double)p->model->layout.len;
    double       work = len * (double)p->part->g.ptr[p->part->n_local];

    for (int32_t i = 0; i < p->part->n_local; i++)
        work += 2 * len * (double)p->rows[i].n;
    return work > PAYS ? omp_get_max_threads() : 1;
}
#else
static int32_t threads_that_pay(const mb_problem *p)
{
    (void)p;
    return 1;
}
#endif

mb_status mb_crew_new_(mb_arena *a, const mb_problem *p, int32_t threads, mb_crew_ *out,
                       mb_err *err)
{
    const mb_layout *layout = &p->model->layout;

    if (threads < 0)
        MB_FAIL(err, MB_E_ARG, "threads = %d: it must be 0 (automatic) or more", threads);
    *out = (mb_crew_){.count = threads ? threads : threads_that_pay(p),
                      .nodes = p->part->n_local,
                      .gid = p->part->gid};
    if (out->count > out->nodes)
        out->count = out->nodes;
    if (out->count < 1)
        out->count = 1;
    MB_NEW(out->worker, a, out->count, err);
    for (int32_t k = 0; k < out->count; k++) {
        MB_NEW(out->worker[k].scratch, a, layout->len + layout->scratch, err);
        MB_NEW(out->worker[k].local, a, mb_local_scratch(p->model), err);
    }
    return MB_OK;
}

static void visit(const mb_crew_ *c, mb_worker_ *w, mb_do_node_ do_node, void *arg, int32_t i)
{
    if (w->status < 0 || (c->mask && c->mask[i] != c->want))
        return;
    w->status = do_node(arg, w, i);
    w->node = i;
}

static void visit_all(mb_crew_ *c, mb_do_node_ do_node, void *arg)
{
#ifdef _OPENMP
    if (c->count > 1) {
#pragma omp parallel for schedule(static) num_threads(c->count)
        for (int32_t i = 0; i < c->nodes; i++)
            visit(c, &c->worker[omp_get_thread_num()], do_node, arg, i);
        return;
    }
#endif
    for (int32_t i = 0; i < c->nodes; i++)
        visit(c, c->worker, do_node, arg, i);
}

mb_status mb_crew_run_(mb_crew_ *c, mb_do_node_ do_node, void *arg, int64_t t, mb_err *err)
{
    const mb_worker_ *failed = NULL;

    for (int32_t k = 0; k < c->count; k++)
        c->worker[k].status = MB_OK;
    visit_all(c, do_node, arg);
    for (int32_t k = 0; k < c->count; k++) /* a thread has a run of nodes: the first is lowest */
        if (c->worker[k].status < 0 && (!failed || c->worker[k].node < failed->node))
            failed = &c->worker[k];
    if (!failed)
        return MB_OK;
    c->failed = c->gid[failed->node];
    MB_FAIL(err, failed->status, "node %d, round %lld: %s", c->failed, (long long)t,
            failed->err.msg);
}

mb_status mb_crew_part_(mb_crew_ *c, const uint8_t *mask, uint8_t want, mb_do_node_ do_node,
                        void *arg, int64_t t, mb_err *err)
{
    mb_status st;

    if (!mask && want)
        return MB_OK;
    c->mask = mask;
    c->want = want;
    st = mb_crew_run_(c, do_node, arg, t, err);
    c->mask = NULL;
    return st;
}
