/* starts.c - several initialisations: how many, and which has the best bound (docs/math.md, section
 * 13). */
#include "fit/fit.h"

#include <math.h>

enum {
    LOOK = 10,   /* rounds from one look at the bound to the next */
    SURE = 3,    /* looks in a row that find little left to gain */
    FURTHER = 4, /* times as many initialisations when few agree with the best */
    AGREE = 3,   /* that must have the best bound, or there are further ones    */
};
static const double same_bound = 1e-6; /* relative: two initialisations that found one optimum */
static const double little = 1e-7;     /* relative: a rise that decides nothing between them   */
static const double cheap = 1e8, dear = 1e10; /* rows x components x columns^2 */

/* How the bound rises in one run of central VB. */
typedef struct rise {
    double  bound, gain; /* at the last look, and since the look before; NaN: unknown */
    int32_t sure;        /* looks in a row that found little left to gain             */
} rise;

/* Gains that fall by a factor q from look to look add up to gain q/(1 - q). */
static mb_status see_rise(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    rise        *r = self;
    const double bound = s->bound[0], gain = bound - r->bound, q = gain / r->gain;
    const double left = gain > 0 ? gain * q / (1 - q) : 0;
    const int    falls = r->gain > 0 && q < 1;

    (void)p, (void)err;
    r->sure = falls && left <= little * fabs(bound) ? r->sure + 1 : 0;
    r->gain = gain;
    r->bound = bound;
    return r->sure == SURE ? MB_STOP : MB_OK;
}

/* Ends a run of central VB when its bound is known to `little`: only the best runs on. */
static mb_status stop_early(mb_session *s, mb_err *err)
{
    rise *r;

    if (!s->c->nodes)
        return MB_OK;
    MB_NEW(r, s->own, 1, err);
    *r = (rise){.bound = (double)NAN, .gain = (double)NAN};
    return mb_session_watch(
        s, &(mb_observer){.self = r, .every = LOOK, .wants_bound = 1, .see = see_rise}, err);
}

int32_t mb_case_starts(const mb_case *c, const mb_start *start)
{
    const double D = c->table.rows.d;
    const double work = (double)c->table.rows.n * c->model.K * D * D;

    if (!c->nodes || !c->kind->latent || start->how >= MB_INIT_CENTRES)
        return 1;
    return work <= cheap ? 10 : work <= dear ? 3 : 1;
}

/* What all initialisations of a search have in common. */
typedef struct search {
    const mb_case   *c;
    const mb_method *how;
    const mb_start  *start;
    double           tol;
    mb_watch         watch;
    void            *self;
} search;

static mb_status run_one(const search *all, mb_session *s, int32_t attempt, mb_err *err)
{
    mb_pruned pruned;
    mb_status st = MB_OK;

    MB_TRY(mb_session_seed(s, all->start, attempt, err));
    if (all->watch)
        st = all->watch(all->self, s, attempt, err);
    if (st != MB_OK)
        return st;
    MB_TRY(mb_session_stop(s, all->tol, 0, err));
    if (s->how.prune)
        return mb_session_prune(s, all->tol, all->watch, all->self, attempt, &pruned, err);
    MB_TRY(stop_early(s, err));
    return mb_session_run(s, err);
}

/* The bound that one initialisation leads to. MB_STOP if the watch ends it. */
static mb_status bound_of(const search *all, int32_t attempt, double *bound, mb_err *err)
{
    mb_session s;
    mb_status  st;

    MB_TRY(mb_session_open(all->c, all->how, &s, err));
    st = run_one(all, &s, attempt, err);
    if (st == MB_OK)
        st = mb_session_bound(&s, bound, err);
    mb_session_close(&s);
    return st;
}

mb_status mb_case_best(const mb_case *c, const mb_method *how, const mb_start *start, double tol,
                       mb_watch watch, void *self, int32_t *n_init, int32_t *attempt,
                       int32_t *at_best, mb_err *err)
{
    const search  all = {c, how, start, tol, watch, self};
    const int32_t first = *n_init ? *n_init : mb_case_starts(c, start);
    const int32_t most = *n_init || first < 10 ? first : FURTHER * first;
    double        best = -(double)INFINITY;
    int32_t       k = 0;

    *n_init = first;
    *attempt = 0;
    *at_best = first == 1;
    for (; first > 1 && (k < first || (k < most && *at_best < AGREE)); k++) {
        double    bound = -(double)INFINITY;
        mb_status st = bound_of(&all, k, &bound, err);

        if (st != MB_OK)
            return st;
        if (!k || !isfinite(best) || bound > best + same_bound * fabs(best))
            *at_best = 0;
        *at_best += bound >= best - (isfinite(best) ? same_bound * fabs(best) : 0);
        if (bound > best) {
            best = bound;
            *attempt = k;
        }
    }
    *n_init = k > first ? k : first;
    return MB_OK;
}
