/* step.c - the local step of a node in a run: at a new phi, outside Omega, beyond the best place,
 * or where nothing has moved. */
#include "algo/too_far.h"
#include "core/loop.h"
#include "core/turn.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

mb_node mb_node_of_(const mb_loop_ *r, mb_worker_ *w, int32_t i)
{
    const mb_part  *part = r->p->part;
    const mb_model *m = r->p->model;
    mb_state       *s = r->s;
    const int64_t   first = part->g.ptr[i];

    return (mb_node){.layout = &m->layout,
                     .len = s->len,
                     .opt = r->p->opt,
                     .t = r->t,
                     .id = part->gid[i],
                     .deg = (int32_t)(part->g.ptr[i + 1] - first),
                     .nbr_deg = r->nbr_deg + first,
                     .tree = part->tree ? part->tree + first : NULL,
                     .scale = r->p->scale,
                     .prior = m->prior,
                     .most = r->p->most,
                     .masks = r->p->masks,
                     .phi = mb_row_(s->phi, s, i),
                     .extra = mb_row_(s->phi_star, s, i) + m->layout.len,
                     .mu = mb_row_(s->mu, s, i),
                     .at = mb_row_(s->at, s, i),
                     .bound = s->bound[i],
                     .aux = mb_row_(s->aux, s, (int64_t)i * s->naux),
                     .edge = mb_row_(s->edge, s, first * s->nedge),
                     .memo = s->memo ? s->memo + (size_t)i * (size_t)s->nmemo : NULL,
                     .scratch = w->scratch,
                     .turn = mb_turn_(r->p, i),
                     .outside = s->outside[i],
                     .on_domain = r->opt->on_domain,
                     .eps = m->eps,
                     .projected = &s->projected[i]};
}

static int all_finite(const double *v, size_t len)
{
    for (size_t l = 0; l < len; l++)
        if (!isfinite(v[l]))
            return 0;
    return 1;
}

/* The local step does not read the numbers after those of the layout. */
static mb_status check_extra(const mb_loop_ *r, mb_worker_ *w, int32_t i)
{
    const size_t L = r->p->model->layout.len;

    if (!all_finite(mb_row_(r->s->phi, r->s, i) + L, r->s->len - L))
        MB_FAIL(&w->err, MB_E_NUMERIC, "an extra number of phi is not finite: %s has diverged",
                r->p->algo->name);
    return MB_OK;
}

int mb_backtracks_(const mb_problem *p)
{
    return p->model->ops->overshoots && p->algo->needs & MB_NEEDS_NO_MSG;
}

static mb_status try_step(const mb_loop_ *r, mb_worker_ *w, int32_t i)
{
    const mb_problem *p = r->p;
    mb_state         *s = r->s;
    const int         bound =
        r->bound || mb_backtracks_(p) || p->algo->judge || p->algo->needs & MB_WANTS_BOUND;

    MB_TRY(mb_local_step_(p->model, &p->rows[i], p->scale, mb_row_(s->phi, s, i),
                          mb_fixed_of_(r->fixed, p->model, i), mb_row_(s->phi_star, s, i),
                          bound ? &s->bound[i] : NULL, mb_row_(s->mu, s, i), w->local, &w->err));
    if (s->at)
        memcpy(mb_row_(s->at, s, i), mb_step_place_(p->model, NULL, w->local),
               p->model->layout.len * sizeof *s->at);
    return MB_OK;
}

/* The same at a new phi, which becomes canonical first. */
static mb_status try_new(const mb_loop_ *r, mb_worker_ *w, int32_t i)
{
    mb_canonical_(r->p->model, mb_row_(r->s->phi, r->s, i), w->local);
    return try_step(r, w, i);
}

/* phi* at the new phi; outside Omega the policy decides, unless the algorithm takes it back. If
 * rounding leaves a projection outside, the node freezes. */
static mb_status step_by_policy(const mb_loop_ *r, mb_worker_ *w, int32_t i)
{
    const int may_fail = (r->p->algo->needs & MB_TAKES_BACK) != 0;
    mb_state *s = r->s;
    mb_status st;

    MB_TRY(check_extra(r, w, i));
    st = try_new(r, w, i);
    if (st == MB_E_NUMERIC && may_fail)
        st = MB_E_DOMAIN;
    if (st == MB_E_DOMAIN && !may_fail && r->opt->on_domain == MB_PROJECT) {
        mb_node nd = mb_node_of_(r, w, i);

        MB_TRY(mb_node_project(&nd, &w->err));
        st = try_step(r, w, i);
    }
    s->outside[i] = st == MB_E_DOMAIN;
    if (st != MB_E_DOMAIN || (!may_fail && r->opt->on_domain == MB_HALT))
        return st;
    s->bound[i] = (double)NAN;
    if (!all_finite(mb_row_(s->phi, s, i), s->len))
        MB_FAIL(&w->err, MB_E_NUMERIC, "phi is not finite: %s has diverged", r->p->algo->name);
    s->frozen[i]++;
    return MB_OK;
}

mb_status mb_late_bound_(const mb_loop_ *r, mb_worker_ *w, int32_t i)
{
    return r->s->outside[i] || !isnan(r->s->bound[i]) ? MB_OK : try_step(r, w, i);
}

/* Between two local steps phi* is held, and only the bound may be wanted. */
static mb_status local_step(const mb_loop_ *r, mb_worker_ *w, int32_t i)
{
    const int held = mb_is_held_(r->p, r->s, r->t, i);

    if (!held || !(r->p->algo->needs & MB_WANTS_BOUND))
        r->s->bound[i] = (double)NAN;
    if (!held)
        return step_by_policy(r, w, i);
    return r->bound ? mb_late_bound_(r, w, i) : MB_OK;
}

static int too_far(const mb_loop_ *r, mb_worker_ *w, int32_t i, mb_trial_ *t)
{
    const mb_layout *l = &r->p->model->layout;

    t->bound = r->s->bound[i];
    return mb_too_far_(l, t, w->local, w->local + 2 * l->len);
}

/* Halves the way from `from` until the bound is neither below the last one nor about to fall. */
static mb_status shorten(const mb_loop_ *r, mb_worker_ *w, int32_t i, const double *from)
{
    mb_state *s = r->s;
    double   *phi = mb_row_(s->phi, s, i);
    mb_trial_ t = {.from = from,
                   .phi = phi,
                   .phi_star = mb_row_(s->phi_star, s, i),
                   .part = 1,
                   .before = s->bound[i]};
    mb_status st = step_by_policy(r, w, i);

    while (t.part > MB_LEAST_PART_ &&
           (st == MB_E_NUMERIC || s->outside[i] || too_far(r, w, i, &t))) {
        t.part *= 0.5;
        for (size_t l = 0; l < s->len; l++)
            phi[l] = 0.5 * (phi[l] + from[l]);
        st = step_by_policy(r, w, i);
    }
    return st;
}

/* The algorithm sees the bound, and may take its phi back. */
static mb_status judged_step(const mb_loop_ *r, mb_worker_ *w, int32_t i, int moved)
{
    mb_state *s = r->s;
    mb_node   nd = mb_node_of_(r, w, i);
    mb_status st = MB_OK;

    MB_TRY(check_extra(r, w, i));
    if (moved)
        st = try_new(r, w, i);
    if (st == MB_E_DOMAIN || st == MB_E_NUMERIC)
        s->bound[i] = -(double)INFINITY;
    else
        MB_TRY(st);
    if (r->p->algo->judge(&nd, mb_row_(s->phi_star, s, i), &s->bound[i]) || st >= 0) {
        s->outside[i] = 0;
        return MB_OK;
    }
    return step_by_policy(r, w, i);
}

/* 0: phi has the bits that it had, and the step there and its bound, if that is wanted, are known. */
static int moves(const mb_loop_ *r, int32_t i, const double *from)
{
    const mb_state *s = r->s;
    const int       bound = r->bound || r->p->algo->judge;

    return !from || s->outside[i] || (bound && isnan(s->bound[i])) ||
           memcmp(from, mb_row_(s->phi, s, i), s->len * sizeof *from) != 0;
}

mb_status mb_step_(const mb_loop_ *r, mb_worker_ *w, int32_t i, const double *from)
{
    const int moved = moves(r, i, from);

    if (r->p->algo->judge)
        return judged_step(r, w, i, moved);
    if (!moved)
        return MB_OK;
    return from && mb_backtracks_(r->p) ? shorten(r, w, i, from) : local_step(r, w, i);
}
