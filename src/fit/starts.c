/* starts.c - several initialisations: how many, and which has the best bound (docs/math.md, section
 * 13). */
#include "fit/fit.h"

#include <math.h>
#include <string.h>

enum {
    LOOK = 10,   /* rounds from one look at the bound to the next                       */
    SURE = 3,    /* looks in a row that find little left to gain, or too little         */
    EARLY = 60,  /* rounds in which no run is given up                                  */
    FURTHER = 4, /* times as many initialisations when few agree with the best          */
    AGREE = 3,   /* that must have the best bound, or there are further ones            */
    DOUBT = 15,  /* moves when all have it, as initialisations that hardly differ do    */
};
static const double same_bound = 1e-6; /* relative: two initialisations that found one optimum */
static const double little = 1e-7;     /* relative: a rise that decides nothing between them   */
static const double behind = 10;       /* times its expected gain that leave a run below the best */
static const double cheap = 1e8, dear = 1e10; /* see mb_case_starts */
static const double unnoticed = 1e6; /* the same for moves that are made only out of doubt     */

/* How the bound rises in one run of central VB. */
typedef struct rise {
    double  best;        /* of the runs before                                        */
    double  bound, gain; /* at the last look, and since the look before; NaN: unknown */
    int32_t sure;        /* looks in a row that found little left to gain             */
    int32_t hopeless;    /* looks in a row that found too little left to be the best  */
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
    r->hopeless = falls && s->t >= EARLY && bound + behind * left < r->best ? r->hopeless + 1 : 0;
    r->gain = gain;
    r->bound = bound;
    return r->sure == SURE || r->hopeless == SURE ? MB_STOP : MB_OK;
}

/* Ends a run of central VB when its bound is known to `little`, or to stay below the best: only the
 * best runs on. */
static mb_status stop_early(mb_session *s, double best, mb_err *err)
{
    rise *r;

    if (!s->c->nodes)
        return MB_OK;
    MB_NEW(r, s->own, 1, err);
    *r = (rise){.best = best, .bound = (double)NAN, .gain = (double)NAN};
    return mb_session_watch(
        s, &(mb_observer){.self = r, .every = LOOK, .wants_bound = 1, .see = see_rise}, err);
}

/* What a round costs, about. */
static double work_of(const mb_case *c)
{
    const double D = c->table.rows.d;
    const double row = fmin(c->model.K * D * D, 2 * (double)c->model.layout.len);

    return (double)(c->table.rows.n + c->table.rows.elsewhere) * row;
}

int32_t mb_case_starts(const mb_case *c, const mb_start *start)
{
    const double work = work_of(c);

    if (!c->nodes || !c->kind->latent || start->how >= MB_INIT_CENTRES)
        return 1;
    return work <= cheap ? 10 : work <= dear ? 3 : 1;
}

/* A search and the best that it has found. */
typedef struct search {
    const mb_case   *c;
    const mb_method *how;
    const mb_start  *start;
    double           tol;
    mb_watch         watch;
    void            *self;
    mb_found        *found;
    double           best;  /* bound                                          */
    double          *phi;   /* L: the best answer                             */
    double          *first; /* L: first phi* of the move that is made         */
    double          *kept;  /* L: that of the best move                       */
    int32_t          moves; /* attempts from this one on are moves            */
} search;

/* MB_QUIET: there is no such move. */
static mb_status seed(search *all, mb_session *s, int32_t attempt, mb_err *err)
{
    const size_t L = all->c->model.layout.len;

    if (attempt < all->moves)
        return mb_session_seed(s, all->start, attempt, err);
    MB_TRY(mb_move_seed_(all->c, all->phi, all->start->seed, attempt, s->state.phi_star, err));
    memcpy(all->first, s->state.phi_star, L * sizeof *all->first);
    return MB_OK;
}

static mb_status run_one(search *all, mb_session *s, int32_t attempt, mb_err *err)
{
    mb_pruned pruned;
    mb_status st = seed(all, s, attempt, err);

    if (st == MB_OK && all->watch)
        st = all->watch(all->self, s, attempt, err);
    if (st != MB_OK)
        return st;
    MB_TRY(mb_session_stop(s, all->tol, 0, err));
    if (s->how.prune)
        return mb_session_prune(s, all->tol, all->watch, all->self, attempt, &pruned, err);
    MB_TRY(stop_early(s, all->best, err));
    return mb_session_run(s, err);
}

/* Takes the answer of a session if its bound is the best. */
static void keep(search *all, const mb_session *s, int32_t attempt, double bound)
{
    mb_found    *f = all->found;
    const size_t bytes = all->c->model.layout.len * sizeof *all->phi;
    const double same = isfinite(all->best) ? same_bound * fabs(all->best) : 0;
    const int    better = !isfinite(all->best) || bound > all->best + same;
    const int    move = attempt >= all->moves;

    f->moves += move;
    f->improved += move && better;
    f->n_init += !move;
    f->at_best = (better ? 0 : f->at_best) + (!move && bound >= all->best - same);
    if (!(bound > all->best))
        return;
    all->best = bound;
    f->attempt = attempt;
    f->first = move ? all->kept : NULL;
    if (all->phi)
        memcpy(all->phi, s->state.phi_star, bytes);
    if (move)
        memcpy(all->kept, all->first, bytes);
}

/* Runs one initialisation. MB_STOP if the watch ends the search. */
static mb_status try(search *all, int32_t attempt, mb_err *err)
{
    mb_session s;
    double     bound = -(double)INFINITY;
    mb_status  st;

    MB_TRY(mb_session_open(all->c, all->how, &s, err));
    st = run_one(all, &s, attempt, err);
    if (st == MB_OK)
        st = mb_session_bound(&s, &bound, err);
    if (st == MB_OK || st == MB_QUIET)
        keep(all, &s, attempt, bound);
    mb_session_close(&s);
    return st == MB_QUIET ? MB_OK : st;
}

/* Attempts from `first` on are moves where those are possible. */
static mb_status room_for_moves(search *all, mb_arena *a, int32_t first, mb_err *err)
{
    const size_t L = all->c->model.layout.len;

    if (all->how->prune || !mb_move_can_(all->c))
        return MB_OK;
    all->moves = first;
    MB_NEW(all->phi, a, L, err);
    MB_NEW(all->first, a, L, err);
    MB_NEW(all->kept, a, L, err);
    return MB_OK;
}

/* Attempts in all once the first ones are over. */
static int32_t last_of(const search *all, int32_t first, int32_t most)
{
    if (all->found->at_best == first && all->moves == first && work_of(all->c) <= unnoticed)
        return first + DOUBT;
    return all->found->at_best >= AGREE ? first : most;
}

mb_status mb_case_best(mb_arena *a, const mb_case *c, const mb_method *how, const mb_start *start,
                       double tol, int32_t n_init, mb_watch watch, void *self, mb_found *out,
                       mb_err *err)
{
    const int32_t first = n_init ? n_init : mb_case_starts(c, start);
    int32_t       most = n_init || first < 10 ? first : FURTHER * first;
    search        all = {.c = c,
                         .how = how,
                         .start = start,
                         .tol = tol,
                         .watch = watch,
                         .self = self,
                         .found = out,
                         .best = -(double)INFINITY,
                         .moves = INT32_MAX};

    *out = (mb_found){.n_init = first == 1, .at_best = first == 1};
    if (most > first)
        MB_TRY(room_for_moves(&all, a, first, err));
    for (int32_t k = 0; first > 1 && k < most; k++) {
        mb_status st;

        if (k == first || (k > first && all.moves > first))
            most = last_of(&all, first, most);
        if (k >= most)
            break;
        st = try(&all, k, err);
        if (st != MB_OK)
            return st;
    }
    return MB_OK;
}
