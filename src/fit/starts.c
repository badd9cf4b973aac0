/* starts.c - several initialisations: how many, and which has the best bound (docs/math.md, section
 * 13). */
#include "base/rows.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

enum {
    FURTHER = 5,  /* times as many initialisations when few agree with the best          */
    AGREE = 3,    /* that must have the best bound, or there are further ones            */
    ENOUGH = 4,   /* that need no other ones where all of them have the best bound       */
    DOUBT = 15,   /* moves when all have it, as initialisations that hardly differ do    */
    LONG = 100,   /* times as many attempts where they cost nothing, while               */
    LATELY = 200, /* moves in a row have not all been in vain                           */
    EVERY = 3,    /* there every third one is annealed, where one can be                */
    FEW = 1000,   /* rows of a set where they cost nothing, at most                     */
    LOOK = 2      /* rounds of an initialisation with all rows in one component, before
                     its bound says whether it is run                                   */
};
static const double same_bound = 1e-6; /* relative: two initialisations that found one optimum */
static const double cheap = 1e8, dear = 1e10; /* see mb_case_starts */
static const double unnoticed = 1e6;    /* the same for moves that are made out of doubt          */
static const double free_of_cost = 2e5; /* and for as many of them as still find something     */

/* What a round costs, about. */
static double work_of(const mb_case *c)
{
    const double D = c->table.rows.d;
    const double row = fmin(fmax(1, c->model.K) * D * D, 2 * (double)c->model.layout.len);

    return (double)(c->table.rows.n + c->table.rows.remote_rows) * row;
}

/* 1: moves cost nothing. */
static int is_tiny(const mb_case *c)
{
    return c->table.rows.n <= FEW && work_of(c) <= free_of_cost;
}

/* 1: another initialisation would be another one. */
static int is_drawn(const mb_case *c, const mb_start *start)
{
    const mb_kind *kind = c->kind;

    if (!mb_kind_has_components(kind))
        return c->nodes && kind->phi0 && start->how != MB_INIT_POSTERIOR;
    return c->nodes && c->model.K > 1 && start->how < MB_INIT_CENTRES;
}

int mb_case_continues(const mb_case *c, const mb_method *how, double tol)
{
    return c->nodes && !how->prune && tol > 0 && work_of(c) > unnoticed;
}

int32_t mb_case_starts(const mb_case *c, const mb_start *start)
{
    const double work = work_of(c);

    if (!is_drawn(c, start))
        return 1;
    return work <= cheap ? 10 : work <= dear ? 3 : 1;
}

/* 1: rows held out choose. What moves find is led by all rows, in wine by the very few that make a
 * component, and predicts them too well once they are held out: there are no moves then. */
static int is_held_out(const mb_start *start)
{
    return start->prefer == MB_PREFER_HELD_OUT;
}

/* How an attempt ended: what processes tell each other. */
typedef struct tried {
    double    bound; /* its last                                                               */
    double    limit; /* rise.limit                                                             */
    int32_t   cut;   /* 1: it was given up, for a best bound that may not be that of the search */
    int32_t   full;  /* 1: all rounds were used                                              */
    int32_t   known; /* 1: it was taken before an interruption                                 */
    int32_t   weak;  /* components that few rows describe                                      */
    int32_t   empty; /* components without rows                                                */
    int32_t   wide;  /* 1: it has a component of rows far out                                  */
    mb_status st;    /* not MB_OK or MB_QUIET: the search ends with it                         */
} tried;

/* A search and the best that it has found. Processes make attempts ahead, each every P-th of them,
 * and take them in their order as one process does. */
typedef struct search {
    mb_arena         *a;
    const mb_case    *c;
    const mb_method  *how;
    const mb_start   *start;
    double            tol;
    mb_watch          watch;
    void             *self;
    mb_search_result *found;
    double            best;       /* bound                                          */
    int32_t           wide;       /* 1: all so far have a component of rows far out */
    int32_t           lost;       /* 1: the best has a component without rows       */
    double            refused;    /* the best bound of one that has, if others have not */
    double           *phi;        /* L: the best answer                             */
    double           *first_step; /* L: first phi* of the best move                 */
    double           *sound;      /* L: the best answer without a weak component    */
    double            sounder;    /* its bound                                      */
    const double    **optimum;    /* of n_optima answers that differ; NULL: not kept */
    double           *height;     /* their bounds                                   */
    int32_t           n_optima;
    int32_t           enough;      /* first attempts that are all if they agree      */
    int32_t           moves;       /* attempts from this one on are moves            */
    int32_t           lately;      /* the last attempt that found a better answer    */
    int32_t           rank, all;   /* this process, and how many there are           */
    int32_t           from, end;   /* attempts that were made ahead                  */
    int32_t           room;        /* of a process in `tried`                        */
    tried            *tried;       /* all x room: attempt from + k all + q at q, k   */
    double           *answer;      /* room x L: answers of this process              */
    double           *first;       /* L: first phi* of its move                      */
    double           *sampled;     /* L: that of the answer for a sample; NULL: none */
    double           *together;    /* L: that with all rows in one component         */
    int32_t           together_at; /* its attempt; -1: none                        */
    double           *unit;        /* unit_size: an attempt as it is stored          */
    mb_err            err;         /* of its first attempt that failed               */
} search;

/* This process's answer number i; NULL: answers are not remembered. */
static double *answer_of(const search *all, int32_t i)
{
    return all->answer ? all->answer + (size_t)i * all->c->model.layout.len : NULL;
}

/* MB_QUIET: there is no such move. */
static mb_status seed(search *all, mb_session *s, int32_t attempt, mb_err *err)
{
    const size_t  L = all->c->model.layout.len;
    const double *given;
    int           anneals;

    given = attempt == all->together_at             ? all->together
            : all->sampled && attempt == all->moves ? all->sampled
                                                    : NULL;
    if (given) {
        memcpy(s->state.phi_star, given, L * sizeof *given);
        memcpy(all->first, given, L * sizeof *given);
        return MB_OK;
    }
    if (attempt < all->moves)
        return mb_session_seed(s, all->start, attempt, err);
    anneals = is_tiny(all->c) && mb_anneal_can_(all->c);
    if (anneals && attempt % EVERY == 0)
        MB_TRY(mb_anneal_seed_(all->c, all->start->seed, attempt, s->state.phi_star, err));
    else
        MB_TRY(mb_move_seed_(all->c, all->phi, all->start->seed, attempt,
                             is_tiny(all->c) && !anneals, s->state.phi_star, err));
    memcpy(all->first, s->state.phi_star, L * sizeof *all->first);
    return MB_OK;
}

static mb_status run_one(search *all, mb_session *s, int32_t attempt, mb_early_stop_ *r,
                         mb_err *err)
{
    mb_pruned pruned;
    mb_status st = seed(all, s, attempt, err);

    if (st != MB_OK)
        return st;
    MB_TRY(mb_session_stop(s, all->tol, 0, err));
    if (s->how.prune)
        return mb_session_prune(s, all->tol, all->watch, all->self, attempt, &pruned, err);
    MB_TRY(mb_early_stop_watch_(s, r, err));
    st = all->watch ? all->watch(all->self, s, attempt, err) : MB_OK;
    return st == MB_OK ? mb_session_run(s, err) : st;
}

/* An attempt as it is stored: how it ended (CUT: cut, and twice full) and, where there may be moves, its answer and, if it is
 * one, its first phi*. */
enum { BOUND, LIMIT, CUT, QUIET, ANSWER };

static size_t unit_size(const search *all)
{
    return ANSWER + (all->answer ? 2 * all->c->model.layout.len : 0);
}

/* MB_OK: an attempt that was taken before an interruption; MB_QUIET: none is stored. */
static mb_status known(search *all, int32_t attempt, tried *t, double *answer, mb_err *err)
{
    const size_t    L = all->c->model.layout.len;
    const double   *x = all->unit;
    const mb_status st =
        mb_store_get_(all->how->store, "start", attempt, all->unit, unit_size(all), err);

    if (st != MB_OK)
        return st;
    *t = (tried){.bound = x[BOUND],
                 .limit = x[LIMIT],
                 .cut = (int)x[CUT] & 1,
                 .full = (int)x[CUT] >> 1,
                 .known = 1,
                 .st = x[QUIET] > 0 ? MB_QUIET : MB_OK};
    if (answer) {
        memcpy(answer, x + ANSWER, L * sizeof *x);
        memcpy(all->first, x + ANSWER + L, L * sizeof *x);
    }
    return MB_OK;
}

static void to_unit(const search *all, int32_t i, const tried *t)
{
    const size_t L = all->c->model.layout.len;
    double      *x = all->unit;

    x[BOUND] = t->bound;
    x[LIMIT] = t->limit;
    x[CUT] = t->cut + 2 * t->full;
    x[QUIET] = t->st == MB_QUIET;
    if (all->answer) {
        memcpy(x + ANSWER, answer_of(all, i), L * sizeof *x);
        memcpy(x + ANSWER + L, all->first, L * sizeof *x);
    }
}

/* Runs one initialisation; best: bound of those before. MB_STOP if the watch ends the search. */
static mb_status try(search *all, int32_t attempt, double best, tried *t, double *answer,
                     mb_err *err)
{
    mb_early_stop_ r = mb_early_stop_from_(best);
    mb_session     s;
    mb_status      st;

    *t = (tried){.bound = -(double)INFINITY};
    st = known(all, attempt, t, answer, err);
    if (st != MB_QUIET)
        return st < 0 ? st : t->st;
    MB_TRY(t->st = mb_cancel_agree_(&all->c->place->tp,
                                    all->c->nodes ? all->c->rows[0].share : NULL, err));
    MB_TRY(mb_session_open(all->c, all->how, &s, err));
    t->st = run_one(all, &s, attempt, &r, err);
    if (t->st == MB_OK)
        t->st = mb_session_bound(&s, &t->bound, err);
    if (t->st == MB_OK && answer)
        memcpy(answer, s.state.phi_star, all->c->model.layout.len * sizeof *answer);
    t->limit = r.limit;
    t->cut = r.limit < best;
    t->full = s.state.t >= all->how->rounds;
    mb_session_close(&s);
    return t->st;
}

/* 1: an answer has a component of rows far out. Where limits say that there are such rows, they are
 * for the tails of the others: such an answer is taken if there is no other. A component that few
 * rows describe counts as one there: it may be narrow, with its rows in its own tails. */
static mb_status look_far(const search *all, const double *answer, tried *t, mb_err *err)
{
    mb_wide   wide;
    mb_status st;

    if (!all->c->limits.d)
        return MB_OK;
    st = mb_case_wide(all->c, answer, &wide, err);
    t->wide = st == MB_E_DOMAIN || wide.beyond || t->weak || t->empty;
    return st == MB_E_DOMAIN ? MB_OK : st;
}

/* Counts weak components of an answer. */
static mb_status judge(const search *all, const double *answer, tried *t, mb_err *err)
{
    mb_weak   weak;
    mb_status st;

    if (!answer || t->st != MB_OK)
        return t->st;
    st = mb_case_weak(all->c, answer, 0, &weak, err);
    t->weak = st == MB_E_DOMAIN ? 1 : weak.count;
    t->empty = weak.empty;
    return st == MB_OK || st == MB_E_DOMAIN ? look_far(all, answer, t, err) : st;
}

/* Where the best run takes notable time it continues from where it ended; elsewhere it begins again, so
 * that its trace is whole, and where it has used all rounds, so that there are no more. */
static const double *first_of_best(const search *all, const tried *t, int move)
{
    if (!t->full && mb_case_continues(all->c, all->how, all->tol))
        return all->phi;
    return move ? all->first_step : NULL;
}

/* The bound that an answer without a component of rows far out must have; such are taken before. */
static double to_beat(const search *all)
{
    return all->wide ? -(double)INFINITY : all->best;
}

/* Makes attempts from..end-1, of which each process has every P-th, and tells how they ended. Those
 * after one that ends the search are left out. */
static mb_status ahead(search *all, int32_t from, int32_t end, mb_err *err)
{
    double    best = to_beat(all);
    mb_status st = MB_OK;

    all->from = from;
    all->end = end;
    for (int32_t k = from + all->rank, i = 0; k < end && (st == MB_OK || st == MB_QUIET); i++) {
        tried  *t = &all->tried[all->rank * all->room + i];
        double *answer = answer_of(all, i);

        t->st = try(all, k, all->optimum ? -(double)INFINITY : best, t, answer, &all->err);
        st = t->st = judge(all, answer, t, &all->err);
        best = t->limit < best || t->wide ? best : fmax(best, t->bound);
        k += all->all;
    }
    for (int32_t q = 0; MB_SHARE_(all->all > 1) && q < all->all; q++)
        MB_TRY(mb_comm_share(all->how->comm, q, all->tried + q * all->room,
                             (size_t)all->room * sizeof *all->tried, err));
    return MB_OK;
}

/* Numbers (L) of the process that made an attempt, in all of them. */
static mb_status tell(const search *all, int32_t owner, const double *own, double *out, mb_err *err)
{
    const size_t bytes = all->c->model.layout.len * sizeof *out;

    if (owner == all->rank)
        memcpy(out, own, bytes);
    return MB_SHARE_(all->all > 1) ? mb_comm_share(all->how->comm, owner, out, bytes, err) : MB_OK;
}

/* Keeps an answer whose bound is that of no other one. */
static mb_status keep_optimum(search *all, int32_t owner, const double *answer, double bound,
                              mb_err *err)
{
    double *own;

    for (int32_t k = 0; k < all->n_optima; k++)
        if (fabs(bound - all->height[k]) <= same_bound * fabs(bound))
            return MB_OK;
    MB_NEW(own, all->a, all->c->model.layout.len, err);
    all->height[all->n_optima] = bound;
    all->optimum[all->n_optima++] = own;
    return tell(all, owner, answer, own, err);
}

/* Takes an answer if its bound is the best. Attempts made ahead began from the one before, where they
 * are moves. */
static mb_status keep(search *all, int32_t attempt, const tried *t, mb_err *err)
{
    mb_search_result *f = all->found;
    const double      best = t->wide ? all->best : to_beat(all);
    const double  bound = t->limit < best || (t->wide && !all->wide) ? -(double)INFINITY : t->bound;
    const double  same = isfinite(best) ? same_bound * fabs(best) : 0;
    const int     better = !isfinite(best) || bound > best + same;
    const int     together = attempt == all->together_at;
    const int     move = attempt >= all->moves || together;
    const int     counted = move && !all->sampled && !together;
    const int32_t at = attempt - all->from, owner = at % all->all;

    f->moves += counted;
    f->improved += counted && better;
    all->lately = better ? attempt : all->lately;
    f->n_init += !counted;
    f->at_best = (better ? 0 : f->at_best) + (!counted && bound >= best - same);
    all->refused = t->wide && t->st == MB_OK ? fmax(all->refused, t->bound) : all->refused;
    if (all->sound && !t->weak && t->bound > all->sounder) {
        all->sounder = t->bound;
        f->sound = all->sound;
        MB_TRY(tell(all, owner, answer_of(all, at / all->all), all->sound, err));
    }
    if (all->optimum && isfinite(bound))
        MB_TRY(keep_optimum(all, owner, answer_of(all, at / all->all), bound, err));
    if (!(bound > best))
        return MB_OK;
    all->best = bound;
    all->wide = t->wide;
    all->lost = t->empty > 0;
    f->attempt = attempt;
    f->first = first_of_best(all, t, move);
    if (all->phi)
        MB_TRY(tell(all, owner, answer_of(all, at / all->all), all->phi, err));
    if (!move)
        return MB_OK;
    all->end = attempt + 1;
    return tell(all, owner, all->first, all->first_step, err);
}

/* The error of the attempt that ends the search, in all processes. */
static mb_status failed(search *all, int32_t owner, mb_status st, mb_err *err)
{
    if (st < 0 && MB_SHARE_(all->all > 1)) {
        MB_TRY(mb_comm_share(all->how->comm, owner, &all->err, sizeof all->err, err));
        all->err.file = owner == all->rank ? all->err.file : "another process";
    }
    if (st < 0 && err)
        *err = all->err;
    return st;
}

static const tried *result_of(const search *all, int32_t attempt)
{
    const int32_t at = attempt - all->from;

    return &all->tried[at % all->all * all->room + at / all->all];
}

/* Stores an attempt that is taken, which no other process does. Collective. */
static mb_status store(search *all, int32_t attempt, const tried *t, mb_err *err)
{
    const int32_t at = attempt - all->from;
    mb_status     st = MB_OK;

    if (!all->how->store || t->known)
        return MB_OK;
    if (at % all->all == all->rank) {
        to_unit(all, at / all->all, t);
        st = mb_store_put_(all->how->store, "start", attempt, all->unit, unit_size(all), err);
    }
    return MB_SHARE_(all->all > 1) ? mb_comm_agree(all->how->comm, st, err) : st;
}

/* The next attempt; those before `end` may be made ahead. One that was given up for a bound that
 * turned out not to be the best of those before it is made again. */
static mb_status take(search *all, int32_t attempt, int32_t end, mb_err *err)
{
    const tried *t = result_of(all, attempt);

    if (attempt >= all->end || (t->cut && !(t->limit < to_beat(all)))) {
        MB_TRY(ahead(all, attempt, end, err));
        t = result_of(all, attempt);
    }
    if (t->st != MB_OK && t->st != MB_QUIET)
        return failed(all, (attempt - all->from) % all->all, t->st, err);
    MB_TRY(store(all, attempt, t, err));
    return keep(all, attempt, t, err);
}

/* Answers; attempts from `first` on, where there are more, are moves if those are possible. */
static mb_status room_for_answers(search *all, mb_arena *a, int32_t first, int32_t most,
                                  mb_err *err)
{
    const size_t L = all->c->model.layout.len;

    if (all->how->prune || !all->c->nodes || first < 2)
        return MB_OK;
    MB_NEW(all->first, a, L, err);
    MB_NEW(all->sound, a, L, err);
    MB_NEW(all->answer, a, (size_t)all->room * L, err);
    if (is_held_out(all->start)) {
        MB_NEW(all->optimum, a, first, err);
        MB_NEW(all->height, a, first, err);
    }
    MB_NEW(all->phi, a, L, err);
    MB_NEW(all->first_step, a, L, err);
    if (most > first && mb_move_alike_(all->c))
        all->moves = first;
    return MB_OK;
}

/* Which processes there are, and what they tell each other. */
static mb_status room_for_all(search *all, mb_arena *a, int32_t first, mb_err *err)
{
    const mb_comm *comm = all->how->comm;

    all->all = 1;
    if (MB_SHARE_(comm && all->c->nodes && !all->c->rows[0].share)) {
        all->all = comm->size;
        all->rank = comm->rank;
    }
    all->room = all->all > 1 ? (first + all->all - 1) / all->all : 1;
    MB_NEW(all->tried, a, (size_t)all->room * (size_t)all->all, err);
    return MB_OK;
}

/* Once the first attempts are over. Two components have moves where the best answer has lost one of
 * them, which may be there all the same: initialisations in common units, powers of two, can all
 * divide the rows along another column than that of the clusters. */
static void forgo_moves(search *all)
{
    if (!mb_move_can_(all->c) && !(all->lost && work_of(all->c) <= unnoticed))
        all->moves = INT32_MAX;
}

/* Attempts in all once the first ones are over. */
static int32_t last_of(const search *all, int32_t first)
{
    const int    moves = all->moves == first;
    const double work = work_of(all->c);

    if (moves && all->found->at_best == first && work <= unnoticed)
        return first + DOUBT;
    if (moves && is_tiny(all->c))
        return (int32_t)fmin(LONG * first, fmax(all->lately, first) + LATELY);
    return all->found->at_best >= AGREE && !(moves && work <= unnoticed) ? first : FURTHER * first;
}

/* Attempts that can be made at once, whatever the next one finds: all first ones by several
 * processes, then one each. */
static int32_t until(const search *all, int32_t k, int32_t first, int32_t most)
{
    const int32_t end = k < all->enough ? all->enough : k < first ? first : most;

    return all->all > 1 && k < first ? end : k + all->all < end ? k + all->all : end;
}

/* Of the optima the one that predicts best what it was not fitted to. */
static mb_status prefer(search *all, mb_err *err)
{
    mb_search_result *f = all->found;
    double           *density;
    int32_t           best = 0, highest = 0;

    if (!all->n_optima)
        return MB_OK;
    MB_NEW(density, all->a, all->n_optima, err);
    MB_TRY(mb_held_out_(all->a, all->c, all->how, all->tol, all->start->seed, all->n_optima,
                        all->optimum, density, err));
    for (int32_t k = 1; k < all->n_optima; k++) {
        best = density[k] > density[best] ? k : best;
        highest = all->height[k] > all->height[highest] ? k : highest;
    }
    f->optima = all->n_optima;
    f->held_out = density[best];
    f->of_best = density[highest];
    f->below = all->height[highest] - all->height[best];
    f->first = best == highest ? f->first : all->optimum[best];
    return MB_OK;
}

/* mb_case_best, and of several initialisations the best answer, as far as its run went, into phi (L;
 * NULL: not wanted). */
static mb_status search_all(mb_arena *a, const mb_case *c, const mb_method *how,
                            const mb_start *start, double tol, int32_t n_init, mb_watch watch,
                            void *self, mb_search_result *out, double *phi, mb_err *err);

/* The answer of n_init (0: auto) initialisations for a sample of n rows, as all rows would have it.
 * *found: of them, without what is in memory. */
static mb_status search_sample(const mb_case *c, const mb_method *how, const mb_start *start,
                               double tol, int32_t n_init, int64_t n, mb_search_result *found,
                               double *phi, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 20);
    mb_method plain = *how;
    mb_start  own = *start;
    mb_case   nodes, at;
    mb_status st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a sample of %lld rows", (long long)n);
    plain.store = NULL;
    own.drawn = NULL;
    st = mb_sample_case_(a, c, n, &nodes, &at, err);
    if (st >= 0 && !(mb_rows_weight(&at.rows[0]) > 0))
        st = MB_E_DOMAIN;
    if (st >= 0)
        st = search_all(a, &at, &plain, &own, tol, n_init, NULL, NULL, found, phi, err);
    if (st >= 0)
        mb_sample_grow_(c, &at.rows[0], phi);
    mb_arena_free(a);
    found->first = found->sound = NULL;
    return st;
}

/* A sample that has no answer, as where its rows have no weight, says nothing of all rows. */
static int has_none(mb_status st)
{
    return st < 0 && st != MB_E_NOMEM && st != MB_E_STOPPED;
}

/* Of a large set the answer for a sample of its rows: one more initialisation, made from a first phi*
 * as moves are, or the only one. */
static mb_status sample(search *all, mb_arena *a, int32_t first, mb_err *err)
{
    const int64_t    n = mb_sample_size_(all->c);
    mb_search_result found;
    double          *phi;
    mb_status        st;

    if (!n)
        return MB_OK;
    MB_NEW(phi, a, all->c->model.layout.len, err);
    st = search_sample(all->c, all->how, all->start, all->tol, 0, n, &found, phi, err);
    if (has_none(st))
        return MB_OK;
    MB_TRY(st);
    all->sampled = phi;
    all->found->sampled = n;
    all->found->first = first > 1 ? NULL : all->sampled;
    return MB_OK;
}

/* One after the other; most: as it seems before the first ones are over. */
static mb_status attempts(search *all, int32_t first, int32_t most, mb_err *err)
{
    for (int32_t k = 0;; k++) {
        mb_status st;

        if (k == all->enough && k < first && all->found->at_best == k && !all->wide)
            return MB_OK;
        if (k == first)
            forgo_moves(all);
        if (k >= first && most > first && !all->sampled)
            most = last_of(all, first);
        if (k >= most)
            return MB_OK;
        st = take(all, k, until(all, k, first, most), err);
        if (st != MB_OK)
            return st;
    }
}

static search search_new(mb_arena *a, const mb_case *c, const mb_method *how, const mb_start *start,
                         double tol, mb_search_result *out)
{
    *out = (mb_search_result){.refused = (double)NAN};
    return (search){.a = a,
                    .c = c,
                    .how = how,
                    .start = start,
                    .tol = tol,
                    .found = out,
                    .best = -(double)INFINITY,
                    .wide = 1,
                    .refused = -(double)INFINITY,
                    .sounder = -(double)INFINITY,
                    .moves = INT32_MAX,
                    .together_at = -1};
}

/* Memory of attempts, of which `first` are initialisations. */
static mb_status search_room(search *all, int32_t first, int32_t most, mb_err *err)
{
    MB_TRY(room_for_all(all, all->a, first, err));
    MB_TRY(room_for_answers(all, all->a, first, most, err));
    MB_NEW(all->unit, all->a, unit_size(all), err);
    return MB_OK;
}

/* ---- all rows in one component ---- */

/* Where few initialisations are all that a large set has, no move merges what is one cluster, and
 * with many columns few rows a component make each of them one: all rows in one component are an
 * initialisation, too, if their bound is the best from the beginning. */
static mb_status try_together(search *all, int32_t attempt, mb_err *err)
{
    mb_method look = *all->how;
    double    bound = -(double)INFINITY;
    mb_status st;

    if (!all->phi || !mb_move_alike_(all->c))
        return MB_OK;
    look.rounds = LOOK;
    MB_NEW(all->together, all->a, all->c->model.layout.len, err);
    st = mb_together_(all->c, &look, all->together, &bound, err);
    if (has_none(st) || !(bound > all->best + same_bound * fabs(all->best)))
        return st == MB_E_NOMEM || st == MB_E_STOPPED ? st : MB_OK;
    all->together_at = attempt;
    return take(all, attempt, attempt + 1, err);
}

/* Initialisations that agree on a sample and, from their answer, with one of all rows stand for the
 * others: MB_QUIET. Else MB_OK. */
static mb_status agree(mb_arena *a, const mb_case *c, const mb_method *how, const mb_start *start,
                       double tol, mb_watch watch, void *self, mb_search_result *out, mb_err *err)
{
    const int64_t    n = mb_sample_agree_(c);
    mb_method        plain = *how;
    mb_search_result found;
    search           all;
    mb_status        st;

    if (!n || work_of(c) <= unnoticed)
        return MB_OK;
    plain.store = NULL;
    all = search_new(a, c, &plain, start, tol, out);
    all.watch = watch;
    all.self = self;
    MB_NEW(all.sampled, a, c->model.layout.len, err);
    st = search_sample(c, how, start, tol, ENOUGH, n, &found, all.sampled, err);
    if (has_none(st) || (st >= 0 && found.at_best < ENOUGH))
        return MB_OK;
    MB_TRY(st);
    all.enough = 2;
    MB_TRY(search_room(&all, 2, 2, err));
    all.moves = 1;
    MB_TRY(attempts(&all, 2, 2, err));
    if (out->at_best < 2)
        return MB_OK;
    MB_TRY(try_together(&all, 2, err));
    out->sampled = n;
    return MB_QUIET;
}

static mb_status search_all(mb_arena *a, const mb_case *c, const mb_method *how,
                            const mb_start *start, double tol, int32_t n_init, mb_watch watch,
                            void *self, mb_search_result *out, double *phi, mb_err *err)
{
    const int32_t first = n_init ? n_init : mb_case_starts(c, start);
    const int     few = n_init || is_held_out(start), large = !few && first < 10 && !how->prune;
    int32_t       most = few || first < 10 ? first : FURTHER * first;
    search        all;

    if (!few && first > 1 && !how->prune && !phi) {
        const mb_status st = agree(a, c, how, start, tol, watch, self, out, err);

        if (st != MB_OK)
            return st == MB_QUIET ? MB_OK : st;
    }
    all = search_new(a, c, how, start, tol, out);
    all.watch = watch;
    all.self = self;
    all.enough = few || first <= ENOUGH || work_of(c) <= unnoticed ? first : ENOUGH;
    out->n_init = out->at_best = first == 1;
    if (large && is_drawn(c, start))
        MB_TRY(sample(&all, a, first, err));
    most += all.sampled && first > 1;
    MB_TRY(search_room(&all, first, most, err));
    if (first > 1) {
        const mb_status st = attempts(&all, first, most, err);

        if (st != MB_OK)
            return st;
        if (mb_case_starts(c, start) < 10 && !how->prune && !is_held_out(start))
            MB_TRY(try_together(&all, most, err));
    }
    if (!all.wide && all.refused > all.best + same_bound * fabs(all.best))
        out->refused = all.refused - (c->weight_total * c->run.log_jacobian - c->gaps.jacobian);
    if (phi && all.phi)
        memcpy(phi, all.phi, c->model.layout.len * sizeof *phi);
    return prefer(&all, err);
}

mb_status mb_case_best(mb_arena *a, const mb_case *c, const mb_method *how, const mb_start *start,
                       double tol, int32_t n_init, mb_watch watch, void *self,
                       mb_search_result *out, mb_err *err)
{
    return search_all(a, c, how, start, tol, n_init, watch, self, out, NULL, err);
}
