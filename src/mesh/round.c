/* round.c - greeting and rounds: the functions of the algorithm on the node's state. */
#include "base/far.h"
#include "base/rows.h"
#include "base/straighten.h"
#include "expfam/expfam.h"
#include "mesh/genesis.h"
#include "mesh/state.h"
#include "model/kind.h"
#include "model/model.h"
#include "start/lines.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

/* Own ticks: greeting after the first neighbour was heard, and without one. */
enum { GREET = 5, GREET_ALONE = 20, GREET_AGE = 20 };

static mb_node node_of(mb_peer *p, int64_t t)
{
    mb_life_ *l = p->life;

    for (int32_t j = 0; j < l->links; j++)
        p->old_rho[j] = p->link[j].rho;
    return (mb_node){.layout = &p->model.layout,
                     .len = p->len,
                     .opt = l->how,
                     .t = t,
                     .id = p->opt.id,
                     .deg = l->links,
                     .rho = p->old_rho,
                     .scale = l->N,
                     .prior = p->prior,
                     .phi = p->phi,
                     .extra = p->star + p->L,
                     .mu = p->mu,
                     .at = p->at,
                     .aux = p->aux,
                     .edge = p->z,
                     .memo = p->memo,
                     .scratch = p->scratch,
                     .outside = l->outside,
                     .on_domain = MB_FREEZE,
                     .eps = p->model.eps,
                     .projected = &l->projected};
}

void mb_peer_blank_(mb_peer *p)
{
    mb_life_ *l = p->life;

    l->phase = MB_GREETING_;
    l->since = (int64_t)l->tick;
    l->first = 0;
    l->rounds = 0;
    l->joined = 0;
    l->outside = 0;
    l->quiet = 0;
    l->moved = -1;
    l->due_ms = INT64_MIN;
    if (MB_EPOCHS_(p->epoch != NULL))
        mb_epoch_leave_(p, 0);
    mb_peer_tune_(p);
    memset(p->phi, 0, p->len * sizeof *p->phi);
    memset(p->z, 0, (size_t)p->opt.neighbours * p->len * sizeof *p->z);
    for (int32_t j = 0; j < l->links; j++) {
        p->link[j].live = p->link[j].vector = p->link[j].received = p->link[j].sends = 0;
        p->link[j].rho = 0;
        if (MB_CHANGES_(p->known != NULL))
            p->known[j].received = 0;
    }
}

static mb_rows rows_of(const mb_peer *p, const double *x)
{
    const mb_life_ *l = p->life;
    mb_rows         rows = {.x = x,
                            .w = l->weighted ? p->w : NULL,
                            .n = mb_peer_rows_(p),
                            .d = p->plan.columns,
                            .ld = (size_t)p->plan.columns,
                            .gaps = mb_peer_gaps_(p)};

    if (MB_EPOCHS_(p->plan.privacy && l->run)) /* all that may be said of them is in the block */
        rows.n = 0;
    if (!MB_GROUPS_(p->grouped))
        return rows;
    for (int64_t i = 0; i < rows.n; i++)
        if (!i || p->group[i] != p->group[i - 1])
            p->first[rows.ngroup++] = i;
    p->first[rows.ngroup] = rows.n;
    rows.first = p->first;
    return rows;
}

/* phi* while phi is outside the domain: held, but where it depends on the rows alone. Rows that come
 * later may lead back into the domain. */
static mb_status outside_step(mb_peer *p, const mb_rows *rows, mb_err *err)
{
    for (size_t i = 0; i < p->len; i++)
        if (!isfinite(p->phi[i]))
            MB_FAIL(err, MB_E_NUMERIC, "phi is not finite: the node has diverged");
    if (!p->model.ops->fixed_stats || p->model.ops->prior_at)
        return MB_OK;
    return mb_seed_step(&p->model, rows, p->life->N, NULL, p->star, p->local, err);
}

/* phi* and the local bound at phi; the leader's share of one. */
static mb_status local_step(mb_peer *p, mb_err *err)
{
    mb_life_     *l = p->life;
    const mb_rows rows = rows_of(p, p->run_x);
    double        bound;
    mb_status     st;

    mb_canonical_(&p->model, p->phi, p->local);
    st = mb_local_step(&p->model, &rows, l->N, p->phi, p->star, &bound, p->mu, p->local, err);
    l->outside = st == MB_E_DOMAIN;
    l->frozen += l->outside;
    if (MB_STRAIGHTEN_(p->at != p->phi) && st == MB_OK)
        memcpy(p->at, mb_step_place_(&p->model, NULL, p->local), p->L * sizeof *p->at);
    if (l->outside)
        MB_TRY(outside_step(p, &rows, err));
    if (st == MB_OK)
        p->star[p->L + 1] = bound - l->N * mb_rows_weight(&rows) * p->g.run.log_jacobian +
                            l->N * mb_gaps_jacobian(&rows, p->g.run.scale);
    p->star[p->L] = l->leader == (uint32_t)p->opt.id ? l->N : 0;
    return l->outside ? MB_OK : st;
}

/* The first phi* from the point of the kind, which the seed of the plan and the start block make. */
static mb_status seed_at_point(mb_peer *p, const mb_rows *run, mb_err *err)
{
    mb_phi0_(p->plan.kind, &p->model, &p->g.run, p->g.start, p->plan.seed, 0, p->phi);
    return mb_local_step(&p->model, run, p->life->N, p->phi, p->star, NULL, NULL, p->local, err);
}

/* The first phi* of the start block, as the simulator's (mb_case_seed). */
static mb_status seed(mb_peer *p, mb_err *err)
{
    const mb_rows  data = rows_of(p, p->x), run = rows_of(p, p->run_x);
    const mb_kind *kind = p->plan.kind;
    mb_limits      limits;

    memset(p->star, 0, p->len * sizeof *p->star);
    if (mb_genesis_may_have_lines_(kind) && mb_genesis_has_lines_(&p->g))
        mb_lines_resp_(p->size.K, p->size.intercept, &p->g.run, p->g.start, &data, p->local,
                       p->resp);
    else if (mb_kind_has_components(kind))
        mb_centres_resp(&p->size, &p->g.run, p->g.start, &data, p->resp);
    if (MB_FAR_(kind->trims != NULL)) {
        mb_genesis_limits_(&p->g, &limits);
        mb_limits_resp(&limits, &data, p->size.K, p->resp);
    }
    MB_TRY(kind->phi0 ? seed_at_point(p, &run, err)
                      : mb_seed_step(&p->model, &run, p->life->N,
                                     mb_kind_has_components(kind) ? p->resp : NULL, p->star,
                                     p->local, err));
    p->star[p->L] = p->life->leader == (uint32_t)p->opt.id ? p->life->N : 0;
    return MB_OK;
}

static int received_lately(const mb_link_ *l)
{
    return l->life && l->age <= GREET_AGE;
}

/* Edges are as stiff as p->rho says from now on. */
static void stiffen(mb_peer *p)
{
    for (int32_t j = 0; j < p->life->links; j++)
        p->link[j].rho = p->rho[j];
}

/* The same for those that are there: the algorithm moves what it has of them. */
static void restiffen(mb_peer *p, mb_node *nd)
{
    mb_peer_edges_(p);
    p->algo->mesh->restiffen(nd, p->s, p->rho);
    stiffen(p);
}

/* All edges whose other end hears this node begin at once, with the degree that they make. */
static void first_edges(mb_peer *p)
{
    mb_life_ *l = p->life;

    l->live = 0;
    for (int32_t j = 0; j < l->links; j++) {
        mb_link_ *k = &p->link[j];

        k->live = received_lately(k) && k->flags & MB_FRAME_HEARS_ && (!l->joined || k->vector) &&
                  !mb_peer_apart_(p, k->run);
        l->live += k->live;
    }
    mb_peer_edges_(p);
    stiffen(p);
}

/* What to say to each neighbour; s, in the scratch. Messages are of this s and these z: with EDGE
 * one of an older s and a newer z would not be a reflection, and the averaging diverges. */
static mb_status say(mb_peer *p, mb_node *nd, mb_err *err)
{
    for (int32_t j = 0; j < p->life->links; j++) {
        mb_link_ *k = &p->link[j];

        p->old_rho[j] = k->live ? k->rho : mb_peer_would_be_(p, j) / 2;
        k->sends = p->old_rho[j] > 0;
    }
    return p->algo->emit(nd, p->star, p->out, p->len, err);
}

/* The end of a round that has made phi: phi*, then s, what the damping measures, the messages. */
static mb_status finish(mb_peer *p, mb_err *err)
{
    mb_node nd;

    MB_TRY(local_step(p, err));
    nd = node_of(p, p->life->rounds + 1);
    MB_TRY(say(p, &nd, err));
    memcpy(p->s, p->scratch, p->len * sizeof *p->s);
    return MB_OK;
}

static mb_status forget(mb_peer *p, mb_err *err)
{
    memset(p->memo, 0, (size_t)p->algo->memo * sizeof *p->memo);
    memcpy(p->phi_before, p->prior, p->len * sizeof *p->phi_before);
    MB_TRY(mb_prior_moments(&p->model.layout, p->prior, p->mu, NULL, p->local, err));
    memcpy(p->mu_before, p->mu, p->len * sizeof *p->mu);
    return MB_OK;
}

/* Round 1, from phi, or where it is NULL, from the start block. Of EDGE: phi = phi*, unless it is
 * given, and z_ij = rho_ij x_i. */
static mb_status first_round(mb_peer *p, const double *phi, mb_err *err)
{
    mb_node nd;

    if (phi) {
        memcpy(p->phi, phi, p->len * sizeof *p->phi);
        MB_TRY(local_step(p, err));
    } else {
        MB_TRY(seed(p, err));
    }
    nd = node_of(p, 0);
    MB_TRY(p->algo->init(&nd, p->star, err));
    if (phi)
        memcpy(p->phi, phi, p->len * sizeof *p->phi);
    p->life->rounds = 1;
    return finish(p, err);
}

static mb_status begin(mb_peer *p, mb_err *err)
{
    p->life->joined = 0;
    first_edges(p);
    return first_round(p, NULL, err);
}

/* In no epoch as yet, phi is that of its own rows. */
static mb_status begin_epochs(mb_peer *p, mb_err *err)
{
    first_edges(p);
    MB_TRY(seed(p, err));
    memcpy(p->phi, p->star, p->L * sizeof *p->phi);
    p->life->rounds = 1;
    return MB_OK;
}

/* Averages begin as in round 1, at phi*; its edges stay. */
mb_status mb_peer_again_(mb_peer *p, const double *phi, mb_err *err)
{
    mb_life_ *l = p->life;

    MB_TRY(forget(p, err));
    l->since = (int64_t)l->tick;
    l->moved = -1;
    l->quiet = 0;
    return first_round(p, phi, err);
}

/* phi = prior + N mean s of the neighbours that are running; z_ij is what they said. */
static mb_status join(mb_peer *p, mb_err *err)
{
    mb_life_    *l = p->life;
    const double share = 1.0 / l->joined;
    mb_node      nd;

    if (!(p->opt.n_nodes > 0))
        l->N = l->joined_N > 0 ? l->joined_N : l->N;
    for (size_t i = 0; i < p->len; i++)
        p->phi[i] = p->prior[i] + l->N * share * p->phi[i];
    first_edges(p);
    l->rounds = 2; /* the first two go all the way, which is for those who begin */
    /* Held while phi is outside its domain. Not phi, which no rows have made: where the others have
     * no rows either, it would keep all of them outside. */
    memset(p->star, 0, p->len * sizeof *p->star);
    nd = node_of(p, 2);
    p->algo->mesh->restiffen(&nd, p->s, p->old_rho);
    return finish(p, err);
}

mb_status mb_peer_greet_(mb_peer *p, mb_err *err)
{
    mb_life_     *l = p->life;
    int32_t       both = 0, vectors = 0;
    const int64_t waited = (int64_t)l->tick - l->since;
    int           all;

    for (int32_t j = 0; j < l->links; j++) {
        const int hears = received_lately(&p->link[j]) && p->link[j].flags & MB_FRAME_HEARS_;

        both += hears;
        vectors += hears && p->link[j].vector;
    }
    all = both == l->links && (!l->joined || vectors == l->links);
    if (!all && !(l->first && (int64_t)l->tick - l->first >= GREET) && waited < GREET_ALONE)
        return MB_OK;
    mb_peer_tune_(p);
    MB_TRY(forget(p, err));
    l->phase = MB_RUNNING_;
    l->since = (int64_t)l->tick;
    l->event = 0;
    if (MB_EPOCHS_(p->epoch != NULL))
        return begin_epochs(p, err);
    return l->joined ? join(p, err) : begin(p, err);
}

/* 1/s[b] is the number of nodes. */
static void count_nodes(mb_peer *p, mb_node *nd)
{
    enum { FRESH = 10 };
    static const double MOST = 1.2;
    mb_life_           *l = p->life;
    const double        b = p->s[p->L];
    double              N;

    l->counted = 0;
    if (p->opt.n_nodes > 0 || !(b > 0) || (double)l->beat_age >= FRESH * l->mean_slow)
        return;
    N = fmin(MOST * l->N, fmax(l->N / MOST, 1 / b));
    if (!(N < l->N) && !(N > l->N))
        return;
    p->algo->mesh->rescale(nd, N, mb_prior_at(&p->model, p->mu, p->prior, p->len, p->local),
                           p->star);
    l->counted = fabs(N / l->N - 1);
    l->N = N;
}

/* |s - phi| in posterior standard deviations: sqrt(<dphi, dmu>)/step. */
static double moved(const mb_peer *p, double step)
{
    double q = 0;

    for (size_t l = 0; l < p->L; l++)
        q += (p->at[l] - p->phi_before[l]) * (p->mu[l] - p->mu_before[l]);
    return sqrt(fmax(0, q)) / step;
}

static mb_inbox inbox_of(mb_peer *p)
{
    int32_t live = 0;

    for (int32_t j = 0; j < p->life->links; j++)
        if (p->link[j].live) {
            p->msg[live] = p->z;
            p->age[live++] = p->link[j].age - 1;
        }
    return (mb_inbox){.deg = live, .msg = p->msg, .age = p->age, .fresh = p->fresh};
}

mb_status mb_peer_round_(mb_peer *p, mb_err *err)
{
    mb_life_ *l = p->life;
    mb_inbox  in = inbox_of(p);
    mb_node   nd = node_of(p, l->rounds + 1);
    double    step;

    restiffen(p, &nd);
    nd = node_of(p, l->rounds + 1);
    /* Before N changes phi: mu is that of this phi, and a network that counts moves. */
    memcpy(p->phi_before, p->at, p->len * sizeof *p->phi);
    memcpy(p->mu_before, p->mu, p->len * sizeof *p->mu);
    count_nodes(p, &nd);
    MB_TRY(p->algo->absorb(&nd, p->star, NULL, 0, &in, err));
    step = p->algo->step(&nd);
    l->rounds++;
    if (l->event)
        p->algo->mesh->event(&nd, l->event & 2);
    l->event = 0;
    MB_TRY(finish(p, err));
    l->moved = l->outside ? -1 : moved(p, step);
    return MB_OK;
}

#ifndef MB_NO_EPOCHS
/* Where a number of the step is not finite, the node has none at this phi, which SUM takes back, if
 * it can; the status says which. */
mb_status mb_epoch_step_(mb_peer *p, int32_t seeds, mb_err *err)
{
    const mb_rows rows = rows_of(p, p->x);
    mb_status     st;

    if (!p->life->run)
        return mb_peer_start_sums_(p, &rows, err);
    st = seeds ? seed(p, err) : local_step(p, err);
    if (!seeds && !p->epoch->wrong)
        p->life->message[0] = '\0';
    if (seeds || st != MB_E_NUMERIC)
        return st;
    mb_peer_note_(p, err);
    p->life->outside = 1;
    return MB_OK;
}

double mb_epoch_moved_(const mb_peer *p, double step)
{
    return moved(p, step);
}
#endif

/* The mean of fixed numbers by the averaging of the algorithm alone: no prior, no N, no damping. */
mb_status mb_peer_average_(mb_peer *p, mb_err *err)
{
    const mb_rows rows = rows_of(p, p->x);
    mb_life_     *l = p->life;
    mb_node       nd = node_of(p, 2);

    nd.scale = 1;
    restiffen(p, &nd);
    MB_TRY(mb_peer_sum_(p, &rows, p->star, err));
    MB_TRY(say(p, &nd, err));
    l->moved = mb_peer_change_(p, p->scratch);
    memcpy(p->s, p->scratch, p->len * sizeof *p->s);
    return MB_OK;
}
