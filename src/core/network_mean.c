/* network_mean.c - sums over the network, the mean of phi, its distance from the nodes, and one step of
 * central VB from it. */
#include "core/loop.h"
#include "core/observe.h"
#include "core/over_nodes.h"
#include "core/turn.h"
#include "model/model.h"
#include "transport/share.h"

#include <math.h>
#include <string.h>

mb_status mb_over_nodes_(const mb_problem *p, const double *v, size_t ld, size_t len, mb_visit see,
                         void *self, mb_err *err)
{
    if (p->tp)
        return p->tp->ops->walk(p->tp, v, ld, len, see, self, err);
    for (int32_t i = 0; i < p->part->n_local; i++)
        see(self, p->part->gid[i], v + (size_t)i * ld);
    return MB_OK;
}

mb_status mb_over_all_(const mb_problem *p, mb_reduce op, double *v, int32_t n, mb_err *err)
{
    return p->tp ? p->tp->ops->reduce(p->tp, op, v, n, err) : MB_OK;
}

/* Some counts of this process. */
typedef struct counts {
    const double *v;
    int32_t       n;
} counts;

static void add_counts(void *self, double *sum)
{
    const counts *here = self;

    for (int32_t k = 0; k < here->n; k++)
        sum[k] += here->v[k];
}

mb_status mb_over_rows_(const mb_problem *p, double *v, int32_t n, mb_err *err)
{
    enum { AT_ONCE = 64 };
    mb_share *share = p->part->n_local ? p->rows->share : NULL;

    if (!MB_SHARE_(share != NULL))
        return mb_over_all_(p, MB_SUM, v, n, err);
    for (int32_t k = 0; k < n; k += AT_ONCE) {
        counts here = {v + k, n - k < AT_ONCE ? n - k : AT_ONCE};
        double sum[AT_ONCE] = {0};

        MB_TRY(mb_share_chain_(share, add_counts, &here, (size_t)here.n, sum, err));
        memcpy(v + k, sum, (size_t)here.n * sizeof *v);
    }
    return MB_OK;
}

typedef struct sum {
    double *to;
    size_t  len;
} sum;

static void add(void *self, int32_t gid, const double *row)
{
    const sum *s = self;

    (void)gid;
    for (size_t l = 0; l < s->len; l++)
        s->to[l] += row[l];
}

/* out = the mean of all rows of v, added by ascending id. */
static mb_status mean_of(const mb_problem *p, const double *v, size_t ld, size_t len, double *out,
                         mb_err *err)
{
    sum s = {out, len};

    memset(out, 0, len * sizeof *out);
    MB_TRY(mb_over_nodes_(p, v, ld, len, add, &s, err));
    for (size_t l = 0; l < len; l++)
        out[l] /= p->part->n_global;
    return MB_OK;
}

mb_status mb_mean_phi(const mb_problem *p, const mb_state *s, double *mean, mb_err *err)
{
    return mean_of(p, s->phi, s->ld, p->model->layout.len, mean, err);
}

/* Sums of squares of phi - mean and of mean, of all numbers times `scale`. */
static void squares_of(size_t len, const double *phi, const double *mean, double scale,
                       double *apart, double *norm)
{
    *apart = *norm = 0;
    for (size_t l = 0; l < len; l++) {
        const double of = scale * mean[l], by = scale * phi[l] - of;

        *apart += by * by;
        *norm += of * of;
    }
}

/* |phi - mean| / |mean|; 0/0 is agreement; NaN remains. */
static double distance_of(size_t len, const double *phi, const double *mean)
{
    double apart, norm;

    squares_of(len, phi, mean, 1, &apart, &norm);
    if (isinf(norm)) /* squares beyond the range of doubles */
        squares_of(len, phi, mean, 0x1p-540, &apart, &norm);
    return apart > 0 ? sqrt(apart / norm) : apart;
}

mb_status mb_disagreement(const mb_problem *p, const mb_state *s, const double *mean,
                          double *per_node, double *worst, mb_err *err)
{
    double worst_here[2] = {0, 0}; /* and 1 if any is NaN, which a maximum may lose */

    for (int32_t i = 0; i < p->part->n_local; i++) {
        const double relative = distance_of(p->model->layout.len, s->phi + (size_t)i * s->ld, mean);

        if (per_node)
            per_node[i] = relative;
        if (isnan(relative))
            worst_here[1] = 1;
        else
            worst_here[0] = fmax(worst_here[0], relative);
    }
    if (!worst)
        return MB_OK;
    MB_TRY(mb_over_all_(p, MB_MAX, worst_here, 2, err));
    *worst = worst_here[1] > 0 ? (double)NAN : worst_here[0];
    return MB_OK;
}

int mb_is_stepped_(const mb_problem *p, const mb_state *s)
{
    return p->part->n_global == 1 && s->t > 0 && !s->outside[0] && !mb_is_held_(p, s, s->t, 0);
}

double mb_moved_(size_t len, const double *phi, const double *after)
{
    double moved = 0;

    for (size_t l = 0; l < len; l++)
        moved = fmax(moved, fabs(after[l] - phi[l]) / fmax(1.0, fabs(phi[l])));
    return moved;
}

mb_status mb_central_check_in_(const mb_problem *p, const double *phi, double *all, double *after,
                               double *scratch, double *moved, double *bound, mb_err *err)
{
    const size_t len = p->model->layout.len, ld = len + 1;

    for (int32_t i = 0; i < p->part->n_local; i++) {
        double *row = all + (size_t)i * ld; /* phi*, eq. (18), and the bound, eq. (15) */

        MB_TRY(mb_local_step_(p->model, &p->rows[i], p->scale, phi,
                              mb_fixed_of_(p->fixed, p->model, i), row, &row[len], NULL, scratch,
                              err));
    }
    MB_TRY(mean_of(p, all, ld, ld, after, err)); /* eq. (20) */
    *bound = after[len];
    *moved = mb_moved_(len, phi, after);
    return MB_OK;
}

mb_status mb_central_check(mb_arena *a, const mb_problem *p, const double *phi, double *moved,
                           double *bound, mb_err *err)
{
    const size_t ld = p->model->layout.len + 1;
    double      *all, *after, *scratch;

    MB_NEW(all, a, (size_t)p->part->n_local * ld, err);
    MB_NEW(after, a, ld, err);
    MB_NEW(scratch, a, mb_local_scratch(p->model), err);
    return mb_central_check_in_(p, phi, all, after, scratch, moved, bound, err);
}
