/* session.c - one run of an algorithm on a case, from its first state to its outcome. */
#include "base/cancel.h"
#include "base/rows.h"
#include "core/loop.h"
#include "core/observe.h"
#include "core/over_nodes.h"
#include "core/run.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "model/model.h"
#include "posterior/posterior.h"
#include "start/start.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

enum { AGREE_EVERY = 10 /* rounds of several processes: agreeing costs a message to everyone */ };

/* The algorithm's options, automatic ones set for this network. */
static mb_status tune(mb_session *s, const mb_tree *tree, mb_err *err)
{
    const mb_algo     *algo = s->how.algo;
    const mb_case     *c = s->c;
    const mb_net_facts net = {.n = c->place->part.n_global,
                              .hops = tree->hops,
                              .tree_mean = tree->mean,
                              .tree_diameter = tree->diameter,
                              .lambda2 = c->nodes ? 0 : c->place->net->facts.lambda2,
                              .delay = s->how.faults.delay,
                              .lossy = mb_faults_any(&s->how.faults),
                              .overshoots = c->model.ops->overshoots};

    MB_TRY(mb_options_new_(s->own, algo->name, algo->opts, algo->opt_size, &s->opt, err));
    if (s->how.opt)
        memcpy(s->opt, s->how.opt, algo->opt_size);
    return algo->tune ? algo->tune(s->opt, &net, err) : MB_OK;
}

static mb_status see_nothing(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    (void)self, (void)p, (void)st, (void)err;
    return MB_OK;
}

/* What carries the messages of its nodes. */
static mb_status carry(mb_session *s, mb_err *err)
{
    const mb_faults *f = &s->how.faults;

    const int     all = s->how.send == MB_SEND_ALL;
    const mb_mail carried = all ? s->state.mail : mb_changes_mail_(&s->state.mail);

    if (mb_faults_any(f)) {
        MB_TRY(mb_transport_faults(s->own, s->problem.tp, f, &carried, &s->faults, err));
        s->problem.tp = &s->faults;
    }
    if (all)
        return MB_OK;
    MB_TRY(mb_transport_changes(s->own, s->problem.tp, s->how.algo, &s->c->model.layout,
                                s->c->tree.depth, f->delay, &s->state.mail, &s->changes, err));
    s->problem.tp = &s->changes;
    return mb_session_watch(
        s,
        &(mb_observer){
            .self = &s->changes, .every = INT64_MAX, .see = see_nothing, .keep = mb_changes_keep_},
        err);
}

/* Where nodes wait for sums of all, passes take as many hops as the farthest node is from the root:
 * their tree is from the centre. */
static mb_status link(mb_session *s, const mb_part **part, mb_tree *tree, mb_err *err)
{
    mb_local_part *place = s->c->place;
    mb_traffic     sent = {0};
    mb_part       *linked;

    *part = &place->part;
    *tree = s->c->tree;
    if (!s->how.algo->pass || s->c->nodes)
        return MB_OK;
    MB_NEW(linked, s->own, 1, err);
    MB_TRY(mb_agree_centre(s->own, s->own, &place->tp, &s->c->tree, tree, &sent, err));
    *linked = place->part;
    linked->tree = tree->link;
    *part = linked;
    return MB_OK;
}

static mb_status open(mb_session *s, mb_err *err)
{
    const mb_case *c = s->c;
    const mb_part *part;
    mb_tree        tree;

    MB_TRY(link(s, &part, &tree, err));
    MB_TRY(tune(s, &tree, err));
    s->problem = (mb_problem){.model = &c->model,
                              .algo = s->how.algo,
                              .opt = s->opt,
                              .part = part,
                              .rows = c->rows,
                              .scale = c->place->part.n_global,
                              .tp = &s->c->place->tp};
    MB_TRY(mb_fixed_new_(s->own, &c->model, c->place->part.n_local, &s->problem.fixed, err));
    if (s->how.algo->coding == MB_CODED_INTEGERS)
        MB_TRY(mb_case_largest_(s->own, c, &s->problem.most, err));
    if (s->how.algo->masked && s->how.algo->masked(s->opt))
        MB_TRY(mb_masks_simulated_(s->own, &c->place->part, s->how.faults.seed, MB_MASKS_FEW_,
                                   &s->masks, err));
    s->problem.masks = s->masks;
    MB_TRY(mb_state_new(s->own, &s->problem, &s->state, err));
    return carry(s, err);
}

mb_status mb_session_open(const mb_case *c, const mb_method *how, mb_session *s, mb_err *err)
{
    mb_status st;

    *s = (mb_session){.c = c, .how = *how, .own = mb_arena_new(1 << 20)};
    if (c->nodes) {
        s->how.faults = (mb_faults){0};
        s->how.send = MB_SEND_ALL;
    }
    if (!s->own)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the state of %s", how->algo->name);
    st = open(s, err);
    if (st < 0)
        mb_session_close(s);
    return st;
}

/* Nothing is latent: statistics that do not depend on phi are made here, for the run, too. */
static mb_status seed_fixed(mb_session *s, mb_err *err)
{
    const mb_problem *p = &s->problem;
    double           *scratch;
    mb_status         st = MB_OK;

    MB_NEW(scratch, s->own, mb_local_scratch(p->model), err);
    for (int32_t i = 0; i < p->part->n_local && st == MB_OK; i++)
        st = mb_seed_step_(p->model, &p->rows[i], p->scale, NULL,
                           mb_fixed_of_(p->fixed, p->model, i),
                           s->state.phi_star + (size_t)i * s->state.ld, scratch, err);
    mb_case_rest_(s->c);
    return s->c->nodes ? st : mb_comm_agree(s->c->place->comm, st, err);
}

mb_status mb_session_seed(mb_session *s, const mb_start *start, int32_t attempt, mb_err *err)
{
    mb_start        own = *start;
    const mb_store *store = s->c->nodes && !s->how.comm ? s->how.store : NULL;
    const size_t    L = s->c->model.layout.len;
    const mb_status st = mb_store_get_(store, "seed", attempt, s->state.phi_star, L, err);

    if (s->masks)
        s->masks->epoch = (uint64_t)attempt;
    if (st != MB_QUIET)
        return st;
    if (s->problem.fixed && !mb_kind_has_components(s->c->kind) && !s->c->kind->phi0)
        return seed_fixed(s, err);
    own.pool = own.pool ? own.pool : s->how.pool;
    MB_TRY(mb_case_seed(s->c, &own, attempt, s->state.phi_star, s->state.ld, err));
    return mb_store_put_(store, "seed", attempt, s->state.phi_star, L, err);
}

mb_status mb_session_begin(mb_session *s, const mb_start *start, const mb_search_result *found,
                           mb_err *err)
{
    if (!found->first)
        return mb_session_seed(s, start, found->attempt, err);
    memcpy(s->state.phi_star, found->first, s->c->model.layout.len * sizeof *found->first);
    return MB_OK;
}

mb_status mb_session_watch(mb_session *s, const mb_observer *obs, mb_err *err)
{
    if (s->nobs == MB_WATCHERS)
        MB_FAIL(err, MB_E_ARG, "observers of a session: got %d; expected at most %d", s->nobs + 1,
                MB_WATCHERS);
    s->obs[s->nobs++] = *obs;
    return MB_OK;
}

/* The stopping rule, which ends no run before round `from`. */
typedef struct patience {
    mb_observer rule;
    int64_t     from;
    int32_t    *stopped;
} patience;

static mb_status see_patiently(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    const patience *w = self;
    mb_status       verdict = w->rule.see(w->rule.self, p, st, err);

    if (verdict == MB_STOP && st->t < w->from)
        return MB_OK;
    *w->stopped |= verdict == MB_STOP;
    return verdict;
}

static int32_t keep_patiently(void *self, mb_checkpoint_item *out)
{
    const patience *w = self;

    return w->rule.keep(w->rule.self, out);
}

mb_status mb_session_stop(mb_session *s, double tol, int64_t from, mb_err *err)
{
    patience *w;

    if (!(tol > 0))
        return MB_OK;
    MB_NEW(w, s->own, 1, err);
    if (s->how.stop == MB_STOP_RULE_BOUND)
        MB_TRY(mb_stop_bound_new(s->own, &s->problem, tol, &w->rule, err));
    else
        MB_TRY(mb_stop_new(s->own, &s->problem, tol, &s->stand, &w->rule, err));
    w->stopped = &s->stopped;
    w->from = from;
    return mb_session_watch(s,
                            &(mb_observer){.self = w,
                                           .every = w->rule.every,
                                           .wants_bound = w->rule.wants_bound,
                                           .see = see_patiently,
                                           .keep = keep_patiently},
                            err);
}

/* The caller asks to stop. */
typedef struct asking {
    mb_session *s;
    int32_t     stop;
} asking;

static mb_status see_cancel(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    asking         *a = self;
    const mb_share *share = p->part->n_local ? p->rows[0].share : NULL;
    mb_status       agreed;

    (void)st;
    agreed = mb_cancel_agree_(&a->s->c->place->tp, share, err);
    a->stop = agreed == MB_E_STOPPED;
    return a->stop ? MB_STOP : agreed;
}

/* Before the other observers, so that those who learn of the same wish by themselves see it in the
 * same round. */
static mb_status run_asking(mb_session *s, const mb_run_opt *opt, mb_err *err)
{
    const mb_part *part = &s->c->place->part;
    const int      several = part->n_local < part->n_global || s->c->rows[0].share;
    asking         a = {.s = s};
    mb_observer    obs[MB_WATCHERS + 1] = {
           {.self = &a, .every = several ? AGREE_EVERY : 1, .see = see_cancel}};

    memcpy(obs + 1, s->obs, (size_t)s->nobs * sizeof *obs);
    MB_TRY(mb_run(&s->problem, &s->state, obs, s->nobs + 1, opt, err));
    return a.stop && !s->stopped && s->state.t < opt->rounds ? MB_E_STOPPED : MB_OK;
}

mb_status mb_session_run(mb_session *s, mb_err *err)
{
    const mb_run_opt opt = {.rounds = s->how.rounds,
                            .timeout_ms = -1,
                            .threads = s->how.threads,
                            .on_domain = s->how.on_domain,
                            .pool = s->how.pool};

    if (s->stopped)
        return MB_OK;
    s->finished_early = 0;
    if (MB_CANCEL_(s->c->place->tp.cancel != NULL))
        return run_asking(s, &opt, err);
    return mb_run(&s->problem, &s->state, s->obs, s->nobs, &opt, err);
}

/* Local bounds, eq. (15), that the last round has not asked for. */
static mb_status local_bounds(mb_session *s, mb_err *err)
{
    const mb_problem *p = &s->problem;
    double           *spare = NULL, *scratch;

    for (int32_t i = 0; i < p->part->n_local; i++) {
        mb_status st;

        if (!isnan(s->state.bound[i]))
            continue;
        if (!spare) {
            MB_NEW(spare, s->own, p->model->layout.len, err);
            MB_NEW(scratch, s->own, mb_local_scratch(p->model), err);
        }
        st = mb_local_step_(p->model, &p->rows[i], p->scale, s->state.phi + (size_t)i * s->state.ld,
                            mb_fixed_of_(p->fixed, p->model, i), spare, &s->state.bound[i], NULL,
                            scratch, err);

        if (st == MB_E_DOMAIN)
            s->state.bound[i] = (double)NAN;
        else
            MB_TRY(st);
    }
    return MB_OK;
}

static void add(void *self, int32_t gid, const double *row)
{
    (void)gid;
    *(double *)self += *row;
}

mb_status mb_session_bound(mb_session *s, double *bound, mb_err *err)
{
    mb_transport *tp = s->problem.tp;

    MB_TRY(local_bounds(s, err));
    *bound = 0;
    MB_TRY(tp->ops->walk(tp, s->state.bound, 1, 1, add, bound, err));
    *bound = isnan(*bound) ? -(double)INFINITY : *bound;
    return MB_OK;
}

/* ln of the volume of a unit cube in run units to the weight of all rows, in data units. */
static double log_volume(const mb_case *c)
{
    return c->weight_total * c->run.log_jacobian - c->gaps.jacobian;
}

double mb_session_bound_now(const mb_session *s)
{
    const mb_problem *p = &s->problem;
    const mb_units   *run = &s->c->run;
    double            sum = 0;
    int32_t           inside = 0;

    if (p->part->n_local != p->part->n_global)
        return (double)NAN;
    for (int32_t i = 0; i < p->part->n_local; i++) {
        const mb_rows *rows = &p->rows[i];
        const double   bound =
            mb_bound_in_data_units_(s->state.bound[i], p->scale, mb_rows_weight(rows),
                                    run->log_jacobian, mb_gaps_jacobian(rows, run->scale));

        if (s->state.outside[i] || !isfinite(bound))
            continue;
        sum += bound;
        inside++;
    }
    return inside ? sum / inside : (double)NAN;
}

/* Components of the mean in canonical order, in data units. */
static mb_status order(mb_session *s, mb_outcome *out, mb_err *err)
{
    const mb_case *c = s->c;
    double        *par;
    mb_status      st;

    MB_NEW(out->order, s->own, c->model.K, err);
    for (int32_t k = 0; k < c->model.K; k++)
        out->order[k] = k;
    st = mb_case_textbook(c, s->own, out->mean, &par, err);
    out->ordered = st != MB_E_DOMAIN;
    if (st == MB_E_DOMAIN)
        return MB_OK;
    MB_TRY(st);
    return mb_posterior_order(s->own, c->kind, &c->size, par, out->order, err);
}

/* Sums of whole numbers over all processes. */
static mb_status totals(mb_session *s, mb_outcome *out, mb_err *err)
{
    mb_transport *tp = s->problem.tp;
    double        sum[3] = {0, (double)s->state.sent.frames, (double)s->state.sent.bytes};

    for (int32_t i = 0; i < s->problem.part->n_local; i++)
        sum[0] += s->state.outside[i];
    MB_TRY(tp->ops->reduce(tp, MB_SUM, sum, 3, err));
    out->outside = (int32_t)sum[0];
    out->sent = (mb_traffic){(int64_t)sum[1], (int64_t)sum[2]};
    return MB_OK;
}

/* What its algorithm counts, over all nodes. */
static mb_status count(mb_session *s, mb_outcome *out, mb_err *err)
{
    mb_transport   *tp = s->problem.tp;
    const mb_count *c = s->how.algo->counts;

    for (double *to = out->count; c && c->name; c++, to++) {
        *to = c->how == MB_MIN ? (double)INFINITY : 0;
        for (int32_t i = 0; i < s->problem.part->n_local; i++) {
            const double v = s->state.memo[i * s->state.nmemo + c->at];

            *to = c->how == MB_SUM ? *to + v : c->how == MB_MIN ? fmin(*to, v) : fmax(*to, v);
        }
        MB_TRY(tp->ops->reduce(tp, c->how, to, 1, err));
    }
    return MB_OK;
}

/* What one centralised step from the mean moves, and the bound there. */
static mb_status check_mean(mb_session *s, mb_outcome *out, mb_err *err)
{
    const mb_problem *p = &s->problem;
    mb_status         st;

    if (mb_is_stepped_(p, &s->state)) {
        out->moved = mb_moved_(p->model->layout.len, s->state.phi, s->state.phi_star);
        out->bound = s->state.bound[0];
        return MB_OK;
    }
    st = mb_central_check(s->own, p, out->mean, &out->moved, &out->bound, err);
    if (st != MB_E_DOMAIN)
        return st;
    out->moved = out->bound = (double)NAN;
    return MB_OK;
}

mb_status mb_session_end(mb_session *s, mb_outcome *out, mb_err *err)
{
    const mb_problem *p = &s->problem;

    *out = (mb_outcome){.rounds = s->state.t};
    MB_NEW(out->mean, s->own, p->model->layout.len, err);
    MB_NEW(out->apart, s->own, p->part->n_local, err);
    MB_TRY(local_bounds(s, err));
    MB_TRY(mb_mean_phi(p, &s->state, out->mean, err));
    MB_TRY(mb_disagreement(p, &s->state, out->mean, out->apart, &out->disagreement, err));
    MB_TRY(check_mean(s, out, err));
    out->bound -= log_volume(s->c);
    MB_TRY(order(s, out, err));
    MB_TRY(totals(s, out, err));
    MB_TRY(count(s, out, err));
    out->verdict = mb_verdict_of(&s->stand, out->disagreement, out->moved, out->outside);
    if (s->how.stop == MB_STOP_RULE_BOUND && s->stopped && !out->outside)
        out->verdict = MB_ENDED_SETTLED;
    return MB_OK;
}

void mb_session_close(mb_session *s)
{
    mb_arena_free(s->own);
    mb_arena_free(s->parent_arena);
    *s = (mb_session){0};
}
