/* one.c - the bound of one component beside that of several, which costs as much as a few rounds of
 * one component where nothing else is latent. */
#include "fit/case.h"
#include "fit/fit.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum {
    MOST = 32, /* components that are merged one after the other to make the prior of one */
    EXACT = 2  /* rounds after which the answer is exact, if nothing else is latent       */
};

/* 1: the components have one prior, of which that of one follows. */
static int can(const mb_case *c)
{
    return c->nodes && c->model.K > 1 && c->model.K <= MOST && mb_parts_weights_(&c->model) &&
           mb_parts_alike_(&c->model);
}

static const double *next(void *self, int64_t n)
{
    (void)n;
    return self;
}

/* The first phi*: all rows are the first component's own. */
static mb_status seed(const mb_case *c, double *phi_star, mb_arena *scratch_arena, mb_err *err)
{
    const int64_t block = mb_seed_block_(c, &c->rows[0]);
    const int32_t K = c->model.K;
    double       *resp, *scratch;

    MB_NEW(resp, scratch_arena, (size_t)block * (size_t)K, err);
    MB_NEW(scratch, scratch_arena, mb_local_scratch(&c->model), err);
    for (int64_t j = 0; j < block; j++)
        resp[j * K] = 1;
    return mb_seed_sum_(c, 0, &(mb_given_){block, next, resp}, scratch_arena, phi_star, scratch,
                        err);
}

mb_status mb_together_(const mb_case *c, const mb_method *how, double *first, double *bound,
                       mb_err *err)
{
    mb_method      plain = *how;
    mb_early_stop_ rise = mb_early_stop_from_(-(double)INFINITY);
    mb_session     s;
    mb_status      st;

    plain.store = NULL;
    MB_TRY(mb_session_open(c, &plain, &s, err));
    st = seed(c, s.state.phi_star, s.own, err);
    if (st >= 0 && first)
        memcpy(first, s.state.phi_star, c->model.layout.len * sizeof *first);
    if (st >= 0)
        st = mb_early_stop_watch_(&s, &rise, err);
    if (st >= 0)
        st = mb_session_run(&s, err);
    if (st >= 0)
        st = mb_session_bound(&s, bound, err);
    mb_session_close(&s);
    return st;
}

static mb_status run(const mb_case *one, const mb_method *how, double *bound, mb_err *err)
{
    mb_method plain = *how;

    plain.algo = one->model.ops->more_latent ? how->algo : &mb_algo_noncoop;
    plain.opt = NULL;
    plain.rounds = one->model.ops->more_latent ? how->rounds : EXACT;
    return mb_together_(one, &plain, NULL, bound, err);
}

mb_status mb_case_one(const mb_case *c, const mb_method *how, double *bound, mb_err *err)
{
    mb_arena *scratch_arena;
    mb_case   at;
    mb_status st;

    *bound = (double)NAN;
    if (!can(c))
        return MB_OK;
    scratch_arena = mb_arena_new(1 << 16);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for one component");
    st = mb_case_left_(scratch_arena, c, 1, how->pool, how->threads, &at, err);
    if (st >= 0)
        st = run(&at, how, bound, err);
    mb_arena_free(scratch_arena);
    *bound -= c->weight_total * c->run.log_jacobian - c->gaps.jacobian;
    return st == MB_E_DOMAIN ? MB_OK : st;
}
