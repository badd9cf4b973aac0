/* core/workers.c - nodes over threads. */
#include "core/workers.h"

/* A thread that is held up has at most this share of its part of the nodes before it. */
enum { SHARES = 16 };

static double operations(const mb_problem *p)
{
    const double len = (double)p->model->layout.len;
    double       work = len * (double)p->part->g.ptr[p->part->n_local];

    for (int32_t i = 0; i < p->part->n_local; i++)
        work += 2 * len * (double)p->rows[i].n;
    return work;
}

/* How many threads are to be used, if they can be had; 0: one a processor. */
static int32_t threads_wanted(const mb_problem *p, const mb_run_opt *opt)
{
    const int32_t all = opt->pool ? mb_pool_threads(opt->pool) : 0, nodes = p->part->n_local;
    const int32_t many = opt->threads ? opt->threads : mb_threads_that_pay_(operations(p), all);

    return nodes < 2 ? 1 : many < nodes ? many : nodes;
}

static mb_status find_pool(mb_arena *a, const mb_problem *p, const mb_run_opt *opt, mb_crew_ *out,
                           mb_err *err)
{
    const int32_t threads = threads_wanted(p, opt);

    out->pool = opt->pool;
    if (!opt->pool && threads != 1) {
        MB_TRY(mb_pool_open(a, threads, &out->own, err));
        out->pool = out->own;
    }
    out->count = mb_pool_threads(out->pool);
    if (threads && threads < out->count)
        out->count = threads;
    if (out->nodes < out->count)
        out->count = out->nodes > 1 ? out->nodes : 1;
    return MB_OK;
}

mb_status mb_crew_open_(mb_arena *a, const mb_problem *p, const mb_run_opt *opt, mb_crew_ *out,
                        mb_err *err)
{
    const mb_layout *layout = &p->model->layout;
    const size_t     len = layout->len + (size_t)p->algo->extra;

    if (opt->threads < 0)
        MB_FAIL(err, MB_E_ARG, "threads = %d: it must be 0 (automatic) or more", opt->threads);
    *out = (mb_crew_){.nodes = p->part->n_local, .gid = p->part->gid};
    MB_TRY(find_pool(a, p, opt, out, err));
    MB_NEW(out->worker, a, out->count, err);
    for (int32_t k = 0; k < out->count; k++) {
        MB_NEW(out->worker[k].scratch, a, len + layout->scratch, err);
        MB_NEW(out->worker[k].local, a, mb_local_scratch(p->model), err);
    }
    return MB_OK;
}

void mb_crew_close_(mb_crew_ *c)
{
    mb_pool_close(c->own);
    c->own = NULL;
}

/* A node below one that failed on this thread: it may be the one to name. */
static void visit_lower(mb_worker_ *w, mb_do_node_ do_node, void *arg, int32_t i)
{
    const mb_err    kept = w->err;
    const mb_status st = do_node(arg, w, i);

    if (st < 0) {
        w->status = st;
        w->node = i;
    } else
        w->err = kept;
}

static void visit(const mb_crew_ *c, mb_worker_ *w, mb_do_node_ do_node, void *arg, int32_t i)
{
    if ((w->status < 0 && i > w->node) || (c->mask && c->mask[i] != c->want))
        return;
    if (w->status < 0) {
        visit_lower(w, do_node, arg, i);
        return;
    }
    w->status = do_node(arg, w, i);
    w->node = i;
}

typedef struct visit_job {
    mb_crew_   *crew;
    mb_do_node_ do_node;
    void       *arg;
    int64_t     shares;
} visit_job;

static void visit_share(void *arg, int32_t thread, int64_t share)
{
    const visit_job *j = arg;
    const mb_crew_  *c = j->crew;
    const int64_t    end = c->nodes * (share + 1) / j->shares;

    for (int64_t i = c->nodes * share / j->shares; i < end; i++)
        visit(c, &c->worker[thread], j->do_node, j->arg, (int32_t)i);
}

static void visit_all(mb_crew_ *c, mb_do_node_ do_node, void *arg)
{
    const int64_t most = (int64_t)c->count * SHARES;
    visit_job     j = {c, do_node, arg, c->nodes < most ? c->nodes : most};

    if (c->count > 1) {
        mb_pool_run(c->pool, c->count, j.shares, visit_share, &j);
        return;
    }
    for (int32_t i = 0; i < c->nodes; i++)
        visit(c, c->worker, do_node, arg, i);
}

mb_status mb_crew_run_(mb_crew_ *c, mb_do_node_ do_node, void *arg, int64_t t, mb_err *err)
{
    const mb_worker_ *failed = NULL;

    for (int32_t k = 0; k < c->count; k++)
        c->worker[k].status = MB_OK;
    visit_all(c, do_node, arg);
    /* Behind a node that failed a thread visits only lower ones: the last is its lowest. */
    for (int32_t k = 0; k < c->count; k++)
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
