/* early_stop.c - ends a run of central VB that decides nothing more between initialisations. */
#include "fit/fit.h"

#include <math.h>

enum {
    LOOK = 5,          /* rounds from one look at the bound to the next     */
    LOOK_PLAINLY = 10, /* they where steps are not extrapolated             */
    EARLY = 6          /* looks of a run that is not given up before them   */
};
static const double little = 1e-7; /* relative: a rise that decides nothing between them   */
static const double behind = 10;   /* times its expected gain that leave a run below the best */

/* What MB_SURE_ looks in a row have seen at most. */
static double seen_by_all(mb_early_stop_ *r, double reach)
{
    double most = reach;

    for (int k = 1; k < MB_SURE_; k++) {
        r->reach[k - 1] = r->reach[k];
        most = fmax(most, r->reach[k]);
    }
    r->reach[MB_SURE_ - 1] = reach;
    return most;
}

/* Gains that fall by a factor q from look to look add up to gain q/(1 - q). */
static mb_status see_rise(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    mb_early_stop_ *r = self;
    const double    bound = s->bound[0], gain = bound - r->bound, q = gain / r->gain;
    const double    left = gain > 0 ? gain * q / (1 - q) : 0;
    const int       falls = r->gain > 0 && q < 1;
    const double    most = seen_by_all(r, falls && s->t >= EARLY * r->every ? bound + behind * left
                                                                            : (double)INFINITY);

    (void)p, (void)err;
    r->sure = falls && left <= little * fabs(bound) ? r->sure + 1 : 0;
    r->gain = gain;
    r->bound = bound;
    *r->over = r->sure == MB_SURE_;
    if (*r->over)
        return MB_STOP;
    r->limit = fmin(r->limit, most);
    *r->over = r->limit < r->best;
    return *r->over ? MB_STOP : MB_OK;
}

static int32_t keep_rise(void *self, mb_checkpoint_item *out)
{
    *out = (mb_checkpoint_item){
        .name = "rise", .at = self, .bytes = offsetof(mb_early_stop_, best), .pieces = 1};
    return 1;
}

mb_early_stop_ mb_early_stop_from_(double best)
{
    mb_early_stop_ r = {
        .best = best, .bound = (double)NAN, .gain = (double)NAN, .limit = (double)INFINITY};

    for (int k = 0; k < MB_SURE_; k++)
        r.reach[k] = (double)INFINITY;
    return r;
}

mb_status mb_early_stop_watch_(mb_session *s, mb_early_stop_ *r, mb_err *err)
{
    if (!s->c->nodes)
        return MB_OK;
    r->over = &s->finished_early;
    r->every = s->how.algo == &mb_algo_noncoop ? LOOK_PLAINLY : LOOK;
    return mb_session_watch(
        s,
        &(mb_observer){
            .self = r, .every = r->every, .wants_bound = 1, .see = see_rise, .keep = keep_rise},
        err);
}
