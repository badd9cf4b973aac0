/* edges.c - which edges are in use, and how stiff they are (docs/protocol.md, section 3). */
#include "mesh/state.h"

#include <math.h>
#include <string.h>

/* Of slow_j: an edge that was not heard for as long is not in use. */
enum { TIMEOUT = 20, AGE_MOST = 1 << 24 };

/* From half of what it counts to: it may be farther than the newest frame that came through says. */
int mb_peer_rests_(const mb_peer *p, const mb_link_ *l)
{
    return l->rounds && l->quiet > p->life->H;
}

/* Own ticks between two arrivals while both are awake, as far as known. */
static double slow(const mb_link_ *l)
{
    return fmax(l->gap, 0.5 * l->rtt);
}

int mb_peer_hears_(const mb_link_ *l)
{
    return l->life && l->missed <= TIMEOUT * slow(l);
}

/* At rest it has not been heard for some rests by the clock, or, should that stand still, by ticks.
 * Also without an edge: as long as this node says that it hears it, the other end may have one. */
static int is_silent(const mb_peer *p, const mb_link_ *l)
{
    enum { RESTS = 3 };

    return mb_peer_hears_(l) &&
           (p->life->ticked_ms - l->recv_ms > RESTS * p->opt.rest_ms || l->age > TIMEOUT * slow(l));
}

int mb_peer_asks_(const mb_peer *p, const mb_link_ *l)
{
    return mb_peer_rests_(p, l) && (!mb_peer_done_(p->life) || is_silent(p, l));
}

void mb_peer_drop_(mb_peer *p, int32_t j)
{
    mb_link_ *l = &p->link[j];

    memset(p->z + (size_t)j * p->len, 0, p->len * sizeof *p->z);
    l->rho = 0;
    l->live = l->vector = 0;
    p->life->edges_changed = 1;
}

static double largest(const double *x, size_t n)
{
    double most = 0;

    for (size_t l = 0; l < n; l++)
        most = fmax(most, fabs(x[l]));
    return most;
}

void mb_peer_renew_(mb_peer *p)
{
    enum {
        EVERY = 16, /* own ticks, but each of a node that may come to rest */
        PAUSE = 10  /* own ticks, times slow_j: the other end hears of it */
    };
    static const double MOST = 1e3; /* times the sums, of which it is a few without faults */
    double              all;

    if (p->life->busy && p->life->tick % EVERY)
        return;
    all = fmax(largest(p->prior, p->L), p->life->N * largest(p->s, p->L));
    for (int32_t j = 0; j < p->life->links; j++) {
        const double *z = p->z + (size_t)j * p->len;

        if (!p->link[j].live || (largest(z, p->L) <= MOST * all && fabs(z[p->L]) <= MOST))
            continue;
        mb_peer_drop_(p, j);
        p->link_guard[j].paused = (int64_t)(PAUSE * fmax(1, slow(&p->link[j])));
    }
}

void mb_peer_age_(mb_peer *p)
{
    mb_life_ *life = p->life;
    double    sum = 0;

    life->live = 0;
    for (int32_t j = 0; j < life->links; j++) {
        mb_link_ *l = &p->link[j];

        if (l->age < AGE_MOST)
            l->age++;
        p->link_guard[j].paused -= p->link_guard[j].paused > 0;
        if (l->missed < AGE_MOST && (!mb_peer_rests_(p, l) || mb_peer_asks_(p, l)))
            l->missed++;
        if (l->live &&
            (!mb_peer_hears_(l) || !(l->flags & MB_FRAME_HEARS_) || mb_peer_apart_(p, l->run)))
            mb_peer_drop_(p, j);
        if (!l->live)
            continue;
        life->live++;
        sum += slow(l);
    }
    life->mean_slow = life->live ? fmax(1, sum / life->live) : 1;
}

/* The stiffness of every edge; those that are not live have that of the life they would have. */
static double stiffness(const mb_peer *p, const mb_link_ *l, int32_t more)
{
    const mb_life_ *life = p->life;
    const int32_t   mine = life->live + more;

    return p->algo->mesh->stiffness(life->how, l->kappa, mine > 0 ? mine : 1,
                                    l->degree ? (int32_t)l->degree : 1);
}

void mb_peer_edges_(mb_peer *p)
{
    for (int32_t j = 0; j < p->life->links; j++)
        p->rho[j] = p->link[j].live ? stiffness(p, &p->link[j], 0) : 0;
}

double mb_peer_would_be_(const mb_peer *p, int32_t j)
{
    const mb_link_ *l = &p->link[j];

    return l->kappa > 0 ? stiffness(p, l, 1) : 0;
}

void mb_peer_tune_(mb_peer *p)
{
    mb_life_           *l = p->life;
    const mb_mesh_facts facts = {.hops = (int32_t)l->H,
                                 .together = p->opt.hops && l->phase != MB_WAITING_ && !l->joined,
                                 .kappa = p->opt.kappa,
                                 .eta = p->opt.eta};

    p->algo->mesh->settle(l->how, &facts);
}
