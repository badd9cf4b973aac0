/* split_merge.c - an initialisation from the best answer so far: one component is split in two, and two
 * others are merged to make room for it (Ueda et al. 2000), or rows are shaken off their components
 * (docs/math.md, section 13). */
#include "fit/fit.h"
#include "start/mixed.h"
#include "start/start.h"
#include "transport/share.h"

#include <math.h>
#include <string.h>

enum {
    LEAST = 2, /* rows, expected: a component with fewer is not split */
    SHAKES = 4 /* of five moves that may be                           */
};
static const double cold = 10, hot = 80; /* nats: temperatures of a shake of all rows */
static const double few = .03;           /* of the rows: the smallest shake           */
static const double none = 1e-300;       /* a responsibility that is 0                */

/* What a move does with the components. */
typedef struct move {
    int32_t keep, gone; /* merged: `keep` gets the rows of `gone` */
    int32_t split;      /* shares its rows with `gone` from now on */
} move;

int mb_move_alike_(const mb_case *c)
{
    return c->nodes && c->model.K > 1 && c->model.ops->predict && c->model.ops->seed_stats &&
           mb_parts_weights_(&c->model) && mb_parts_alike_(&c->model);
}

int mb_move_can_(const mb_case *c)
{
    return c->model.K > 2 && mb_move_alike_(c);
}

int32_t mb_draw_one_(mb_rng *rng, const double *weight, int32_t n)
{
    double  sum = 0, left;
    int32_t last = -1;

    for (int32_t i = 0; i < n; i++)
        sum += weight[i];
    left = sum * mb_rng_uniform(rng);
    for (int32_t i = 0; i < n && left > 0; i++) {
        left -= weight[i];
        last = weight[i] > 0 ? i : last;
    }
    return last;
}

/* The component to split in proportion to its rows, the pair to merge in proportion to 1/(what it
 * costs at most). Of two, one without rows has nothing to merge: keep = gone. room: K + K*K doubles.
 * 0: there is no such move. */
static int choose(const mb_parts_ *p, mb_rng *rng, double *room, move *out)
{
    const int32_t K = p->m->K;
    double       *pair = room + K;
    int32_t       at;

    if (K == 2) {
        out->split = p->rows[1] > p->rows[0];
        out->keep = out->gone = !out->split;
        return p->rows[out->split] > LEAST && p->rows[out->gone] <= LEAST;
    }
    for (int32_t k = 0; k < K; k++)
        room[k] = p->rows[k] > LEAST ? p->rows[k] : 0;
    out->split = mb_draw_one_(rng, room, K);
    for (int32_t k = 0; k < K; k++)
        for (int32_t l = 0; l < K; l++) {
            const int    able = l < k && k != out->split && l != out->split;
            const double J = able ? mb_parts_divergence_(p, k, l) : 0;
            const double cost = able ? mb_parts_merging_(p, k, l, J) : 0;

            pair[k * K + l] = cost > 0 ? 1 / cost : able;
        }
    at = mb_draw_one_(rng, pair, K * K);
    out->keep = at % K;
    out->gone = at / K;
    return out->split >= 0 && at >= 0;
}

/* *able += rows of positive weight, two at most. */
static void count_able(void *self, double *able)
{
    const mb_rows *rows = self;

    for (int64_t j = 0; j < rows->n && *able < 2; j++)
        *able += rows->w[j] > 0;
}

/* Two rows of the component that is split, by k-means++; side (n x 2): which is nearer.
 * MB_QUIET: it has no two rows. */
static mb_status halves(const mb_case *c, mb_arena *scratch_arena, const move *mv,
                        const double *resp, uint64_t seed, int32_t attempt, double *side,
                        mb_err *err)
{
    int32_t    repeated;
    mb_traffic sent = {0};
    double    *w, *centres, able = 0;
    mb_units   units;
    mb_rows    part;

    MB_TRY(mb_mixed_rows_(scratch_arena, &c->size, &c->data[0], &part, err));
    MB_TRY(mb_mixed_units_(scratch_arena, &c->size, &c->agreed, &units, err));
    MB_NEW(w, scratch_arena, part.n, err);
    MB_NEW(centres, scratch_arena, 2 * (size_t)part.d, err);
    for (int64_t j = 0; j < part.n; j++)
        w[j] = (part.w ? part.w[j] : 1) * resp[j * c->model.K + mv->split];
    part.w = w;
    if (MB_SHARE_(part.share != NULL))
        MB_TRY(mb_share_chain_(part.share, count_able, &part, 1, &able, err));
    else
        count_able(&part, &able);
    if (able < 2)
        return MB_QUIET;
    MB_TRY(mb_draw_centres(scratch_arena, &c->place->tp, NULL, &part, units.origin, units.scale,
                           MB_KMEANS, 1, 2, seed, attempt, centres, &repeated, &sent, err));
    mb_nearest_resp(&part, units.origin, units.scale, 2, centres, side);
    return MB_OK;
}

/* Responsibilities (n x K) after the move. */
static void apply(const move *mv, const double *side, int64_t n, int32_t K, double *resp)
{
    for (int64_t j = 0; j < n; j++, resp += K) {
        const double both = resp[mv->keep] + resp[mv->gone];
        const double own = mv->keep == mv->gone ? 1 : resp[mv->split];

        resp[mv->keep] = both < 1 ? both : 1;
        resp[mv->gone] = own * side[2 * j];
        resp[mv->split] = own * side[2 * j + 1];
    }
}

/* Gives a share of the rows, each to one component, drawn in proportion to the power 1/T of its
 * responsibilities (n x K): many rows near to where they were, or few anywhere. w: scratch, K. */
static void shake(mb_rng *rng, int64_t n, int32_t K, double *resp, double *w)
{
    const double share = pow(few, mb_rng_uniform(rng));
    const double T = cold * pow(hot / cold, mb_rng_uniform(rng)) / share;

    for (int64_t j = 0; j < n; j++, resp += K) {
        int32_t to;

        if (mb_rng_uniform(rng) > share)
            continue;
        for (int32_t k = 0; k < K; k++)
            w[k] = pow(fmax(resp[k], none), 1 / T);
        to = mb_draw_one_(rng, w, K);
        for (int32_t k = 0; k < K; k++)
            resp[k] = k == to;
    }
}

/* Responsibilities (n x K) that are taken from the first row on. */
typedef struct given {
    const double *resp;
    int32_t       K;
} given;

static const double *next(void *self, int64_t n)
{
    given        *at = self;
    const double *resp = at->resp;

    at->resp += n * at->K;
    return resp;
}

static mb_status seed_move(const mb_case *c, mb_arena *scratch_arena, const double *phi,
                           uint64_t seed, int32_t attempt, int32_t shaken, double *phi_star,
                           mb_err *err)
{
    const mb_model *m = &c->model;
    const mb_rows  *rows = &c->rows[0];
    mb_rng          rng = mb_rng_at(seed, MB_STREAM_MOVE, 0, (uint64_t)attempt);
    const int       shakes = shaken && attempt % (SHAKES + 1);
    mb_parts_       parts;
    double         *resp, *side, *room;
    given           at;
    move            mv = {0};
    mb_status       st;

    MB_NEW(resp, scratch_arena, (size_t)rows->n * (size_t)m->K, err);
    MB_NEW(side, scratch_arena, (size_t)rows->n * 2, err);
    MB_NEW(room, scratch_arena, (size_t)m->K * (size_t)(m->K + 1), err);
    MB_TRY(mb_parts_new_(scratch_arena, m, &parts, err));
    MB_TRY(mb_parts_see_(&parts, phi, err));
    if (!shakes && !choose(&parts, &rng, room, &mv))
        return MB_QUIET;
    MB_TRY(m->ops->predict(m, phi, rows, MB_WANT_RESP, resp, parts.scratch, err));
    st = shakes ? MB_OK : halves(c, scratch_arena, &mv, resp, seed, attempt, side, err);
    if (st != MB_OK)
        return st;
    if (shakes)
        shake(&rng, rows->n, m->K, resp, room);
    else
        apply(&mv, side, rows->n, m->K, resp);
    at = (given){resp, m->K};
    return mb_seed_sum_(c, 0, &(mb_given_){rows->n, next, &at}, scratch_arena, phi_star,
                        parts.scratch, err);
}

mb_status mb_move_seed_(const mb_case *c, const double *phi, uint64_t seed, int32_t attempt,
                        int32_t shaken, double *phi_star, mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_new(1 << 16);
    mb_status st;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the initialisation");
    st = seed_move(c, scratch_arena, phi, seed, attempt, shaken, phi_star, err);
    mb_arena_free(scratch_arena);
    return st == MB_E_DOMAIN ? MB_QUIET : st;
}
