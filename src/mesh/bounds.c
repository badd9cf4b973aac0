/* bounds.c - how large the numbers of a neighbour can be, and what they must not make of the
 * components (docs/protocol.md, section 5). */
#include "mesh/state.h"
#include "model/model.h"

#include <inttypes.h>
#include <math.h>

/* Where nothing is agreed: rows of a network, and the spreads that a value can be from the origin of its
 * column. */
static const double ROWS_MOST = 1099511627776.0, SPREADS_MOST = 1e6;

/* Bounds of a plan are a range of every row. */
static void take_bounds(mb_peer *p, const mb_bounds *b)
{
    p->agreed.ranged = 1;
    for (int32_t d = 0; d < b->d; d++) {
        p->range[2 * d] = b->low[d];
        p->range[2 * d + 1] = b->high[d];
    }
}

void mb_peer_agree_(mb_peer *p, const mb_declared *d)
{
    p->agreed = (mb_agreed_){
        .nodes = MB_NODES_MOST_, .rows = ROWS_MOST * MB_WEIGHT_MOST_, .weight = MB_WEIGHT_MOST_};
    if (!d)
        return;
    if (!isnan(d->rows) && !d->rows_batch)
        p->agreed.rows = d->rows;
    if (d->weight_max > 0)
        p->agreed.weight = d->weight_max;
    if (d->nodes_max)
        p->agreed.nodes = (uint32_t)d->nodes_max;
    p->agreed.ranged = d->range != NULL;
    for (int32_t k = 0; d->range && k < 2 * d->columns; k++)
        p->range[k] = d->range[k];
    if (MB_EPOCHS_(p->plan.bounds && !d->range))
        take_bounds(p, p->plan.bounds);
}

/* The local bound of a row is a sum of its statistics times natural parameters. */
static void bound_extras(mb_peer *p)
{
    static const double PARAMETERS = 1e12;
    double              sum = 0;

    for (size_t e = 0; e < p->L; e++)
        sum += p->bound[e];
    p->bound[p->L] = p->agreed.nodes;
    p->bound[p->L + 1] = fmin(MB_NUMBER_MOST_, PARAMETERS * sum);
}

/* Of values in units of a run: the range that is agreed, else this number of spreads. */
static mb_range range_of(mb_peer *p, const mb_units *u, double spreads)
{
    const int32_t D = p->plan.columns;
    double *const low = p->range + 2 * (size_t)D, *const high = low + D;

    for (int32_t d = 0; d < D; d++) {
        const double *of = p->range + 2 * (size_t)d;

        low[d] = p->agreed.ranged ? (of[0] - u->origin[d]) / u->scale[d] : -spreads;
        high[d] = p->agreed.ranged ? (of[1] - u->origin[d]) / u->scale[d] : spreads;
    }
    return (mb_range){.d = D, .low = low, .high = high, .gaps = mb_peer_gaps_(p)};
}

/* Of the statistics of one row, in units of a run. */
static mb_status of_row(mb_peer *p, const mb_model *m, const mb_units *u, double *out, mb_err *err)
{
    const mb_range range = range_of(p, u, SPREADS_MOST);

    mb_model_entries(m, p->entry);
    return mb_entry_bound(p->entry, p->L, &range, out, err);
}

int mb_peer_prior_fits_(mb_peer *p, const mb_genesis *g, const mb_model *m, mb_err *err)
{
    if (of_row(p, m, &g->run, p->vector, err) < 0)
        return 0;
    for (size_t e = 0; e < p->L; e++)
        if (!(fabs(m->prior[e]) <= ROWS_MOST * MB_WEIGHT_MOST_ * (1 + p->vector[e])))
            return 0;
    return 1;
}

#ifndef MB_NO_EPOCHS
/* Rows of the network as they are declared, of all or of each member; 0: they are not. */
static double rows_of_all(const mb_peer *p)
{
    const mb_declared *d = p->opt.declared;
    double             rows = 0;

    if (d && !isnan(d->rows))
        return fmax(1, d->rows) * (mb_batch_weighs_(p) ? d->weight_max : 1);
    for (int32_t k = 0; d && k < d->members; k++)
        rows += d->member[k].rows;
    return isnan(rows) ? 0 : rows;
}

int mb_epoch_declares_(const mb_peer *p)
{
    return rows_of_all(p) > 0;
}

mb_status mb_epoch_largest_(mb_peer *p, mb_err *err)
{
    static const double SPREADS = 0x1p10;
    mb_range            range = range_of(p, &p->g.run, SPREADS);

    range.gaps = p->opt.declared && p->opt.declared->gaps;
    MB_TRY(mb_model_largest_(&p->model, &range, rows_of_all(p), p->entry, p->sum_own_most, err));
    for (size_t e = 0; e < p->L; e++)
        p->sum_own_most[e] = fmax(MB_SUM_LEAST_, fmin(MB_NUMBER_MOST_, p->sum_own_most[e]));
    return MB_OK;
}
#endif

mb_status mb_peer_bounds_(mb_peer *p, mb_err *err)
{
    /* Other algorithms send other numbers, and a prior that follows the statistics is in them, too. */
    const int bounded = p->algo->mesh->flows && !p->model.ops->prior_at;

    MB_TRY(of_row(p, &p->model, &p->g.run, p->bound, err));
    for (size_t e = 0; e < p->L; e++)
        p->bound[e] = bounded
                          ? fmin(MB_NUMBER_MOST_, p->agreed.rows * p->bound[e] + fabs(p->prior[e]))
                          : MB_NUMBER_MOST_;
    bound_extras(p);
    return MB_OK;
}

/* The name of the block that has number e of a vector. */
static const char *block_of(const mb_peer *p, size_t e, size_t *number)
{
    const mb_layout *l = &p->model.layout;
    int32_t          b = 0;

    *number = 1;
    if (e >= p->L)
        return e > p->L ? "bound" : "leader";
    while (b + 1 < l->nblock && e >= l->block[b + 1].off)
        b++;
    *number = e - l->block[b].off + 1;
    return l->block[b].family->name;
}

static int are_within(const mb_peer *p, int32_t j, const double *x, double times, mb_err *err)
{
    for (size_t e = 0; e < p->L + MB_EXTRA_; e++) {
        const double most = fmin(MB_NUMBER_MOST_, times * p->bound[e]);
        const char  *block;
        size_t       number;

        if (fabs(x[e]) <= most)
            continue;
        block = block_of(p, e, &number);
        MB_SAY_(err, "neighbour %" PRId32 ": block %s, number %zu: got %g; expected at most %g",
                p->link[j].id, block, number, x[e], most);
        return 0;
    }
    return 1;
}

/* At rest a message is rho s - f, where the flow f is what a side of the link has put in: at most the sums
 * of all rows, as s is. Twice as much on the way, and once more for stiffness that the ends do not know
 * alike as yet. */
int mb_peer_bounded_(const mb_peer *p, int32_t j, int vector, int own, mb_err *err)
{
    static const double ROOM = 4;
    const double        rho =
        fmax(mb_peer_kappa_(p, p->life), fmax(p->link[j].rho, mb_peer_would_be_(p, j)));

    return (!vector || are_within(p, j, p->vector, ROOM * fmax(1, rho), err)) &&
           (!own || are_within(p, j, p->vector + p->len, ROOM, err));
}

static int is_mean(const mb_entry *e)
{
    return e->components == 1 && (e->kind == MB_ENTRY_FIRST || e->kind == MB_ENTRY_LEVEL);
}

/* Components 1 and more have the means of component 0, whose are in p->scratch; *any: there are means. */
static int means_are_equal(mb_peer *p, int *any)
{
    static const double ALIKE = 1e-3; /* of a unit of the run, about a standard deviation */
    int32_t             last = -1;
    size_t              at = 0;

    for (size_t e = 0; e < p->L; e++) {
        const mb_entry *is = &p->entry[e];
        double          mean;

        if (is->kind == MB_ENTRY_WEIGHT && is->components == 1)
            p->weight[is->first] = (int32_t)e;
        if (!is_mean(is))
            continue;
        at = is->first == last ? at + 1 : 0;
        last = is->first;
        mean =
            p->phi[e] / is->factor / (p->phi[p->weight[last]] / p->entry[p->weight[last]].factor);
        if (!last)
            p->scratch[at] = mean;
        else if (!(fabs(mean - p->scratch[at]) <= ALIKE))
            return 0;
        *any = 1;
    }
    return 1;
}

int mb_peer_equal_(mb_peer *p)
{
    const int32_t K = p->size.K;
    double        rows = 0, most = 0;
    int           any = 0;

    if (p->life->outside)
        return 0;
    if (K < 2 || !means_are_equal(p, &any) || !any)
        return -1;
    for (int32_t k = 0; k < K; k++) {
        const int32_t e = p->weight[k];
        const double  has = (p->phi[e] - p->prior[e]) / p->entry[e].factor;

        rows += has;
        most = fmax(most, has);
    }
    return rows > K && (p->guard->stored || rows - most > 1);
}
