/* workers.c - nodes over threads, and the one error of them all. */
#include "core/workers.h"
#include "base/err.h"
#include "base/pool.h"
#include "model/model.h"

/* Parts of each thread's nodes: others take those that a delayed thread has not started. */
enum { SHARES = 16 };

static double operations(const mb_problem *p)
{
    const double len = (double)p->model->layout.len;
    double       work = len * (double)p->part->g.ptr[p->part->n_local];

    for (int32_t i = 0; i < p->part->n_local; i++)
        work += 2 * len * (double)p->rows[i].n;
    return work;
}

/* Threads to use if the pool has them; 0: one for each processor. */
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
    int64_t          most;

    *out = (mb_crew_){.nodes = p->part->n_local,
                      .gid = p->part->gid,
                      .alone = p->part->n_global == 1,
                      .border = p->part->border};
    if (opt->threads < 0)
        MB_FAIL(err, MB_E_ARG, "threads: got %d; expected 0 (automatic) or more", opt->threads);
    MB_TRY(find_pool(a, p, opt, out, err));
    most = (int64_t)out->count * SHARES;
    out->shares = out->nodes < most ? out->nodes : most;
    MB_NEW(out->worker, a, out->count, err);
    for (int32_t k = 0; k < out->count; k++) {
        MB_NEW(out->worker[k].scratch, a, len + layout->scratch, err);
        MB_NEW(out->worker[k].from, a, len, err);
        MB_NEW(out->worker[k].local, a, mb_local_scratch(p->model), err);
    }
    return MB_OK;
}

void mb_crew_close_(mb_crew_ *c)
{
    mb_pool_close(c->own);
    c->own = NULL;
}

/* The failure of the thread's lowest node counts. */
static void visit(const mb_crew_ *c, mb_worker_ *w, int32_t i)
{
    mb_status st;

    if (w->status < 0 && i > w->node)
        return;
    if (c->which != MB_ALL_ && (c->border && c->border[i]) != (c->which == MB_BORDER_))
        return;
    st = c->do_node(c->arg, w, i);
    if (st >= 0)
        return;
    w->status = st;
    w->node = i;
    w->failure = w->err;
}

static void visit_share(void *arg, int32_t thread, int64_t share)
{
    const mb_crew_ *c = arg;
    const int64_t   end = c->nodes * (share + 1) / c->shares;

    for (int64_t i = c->nodes * share / c->shares; i < end; i++)
        visit(c, &c->worker[thread], (int32_t)i);
}

mb_status mb_crew_run_(mb_crew_ *c, mb_which_ which, mb_do_node_ do_node, void *arg, int64_t t,
                       mb_err *err)
{
    const mb_worker_ *failed = NULL;

    c->which = which;
    c->do_node = do_node;
    c->arg = arg;
    for (int32_t k = 0; k < c->count && which != MB_BORDER_; k++)
        c->worker[k].status = MB_OK;
    mb_pool_run(c->pool, c->count, c->shares, visit_share, c);
    for (int32_t k = 0; k < c->count; k++)
        if (c->worker[k].status < 0 && (!failed || c->worker[k].node < failed->node))
            failed = &c->worker[k];
    if (!failed)
        return MB_OK;
    c->failed = c->gid[failed->node];
    if (c->alone)
        MB_FAIL(err, failed->status, "round %lld: %s", (long long)t, failed->failure.msg);
    MB_FAIL(err, failed->status, "node %d, round %lld: %s", c->failed, (long long)t,
            failed->failure.msg);
}

enum { TEXT = sizeof((mb_err *)0)->msg, CODE = TEXT, LINE, LENGTH };

mb_status mb_crew_agree_(const mb_crew_ *c, mb_transport *tp, mb_when_ when, mb_status st,
                         mb_err *err)
{
    const mb_part *part = tp->part;
    const double   late = when == MB_WHEN_HEARING_ ? part->n_global : 0;
    const double   mine = st < 0 ? 2.0 * part->n_global - late - c->failed : 0;
    double         first = mine, text[LENGTH] = {0};

    if (part->n_local == part->n_global)
        return st;
    MB_TRY(tp->ops->reduce(tp, MB_MAX, &first, 1, err));
    if (!(first > 0))
        return st;
    if (!(mine < first)) {
        for (int k = 0; err && k < TEXT; k++)
            text[k] = err->msg[k];
        text[CODE] = st;
        text[LINE] = err ? err->line : 0;
    }
    MB_TRY(tp->ops->reduce(tp, MB_SUM, text, LENGTH, err));
    for (int k = 0; err && k < TEXT; k++)
        err->msg[k] = (char)(int)text[k];
    if (err) {
        err->code = (mb_status)(int)text[CODE];
        err->line = (int)text[LINE];
        err->file = __FILE__;
    }
    return mb_err_at_(err, (mb_status)(int)text[CODE], NULL, -1, -1);
}
