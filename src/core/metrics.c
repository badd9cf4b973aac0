/* metrics.c - the metrics of a run. All sums run over the nodes in order, so the results do not depend
 * on threads. */
#include "base/rows.h"
#include "core/agreement.h"
#include "core/over_nodes.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* What is counted at every node. */
enum { SENT_BYTES, SENT_FRAMES, FREEZES, PROJECTIONS, COUNTS };
static const mb_metric metric_of[COUNTS] = {MB_M_BYTES, MB_M_FRAMES, MB_M_FROZEN, MB_M_PROJECTED};

typedef struct work {
    double    *mean;        /* L: network mean of phi                         */
    double    *per_node;    /* n_local: one metric, NaN where a node has none */
    double    *every;       /* n_global: the same of all nodes, or one count  */
    double    *weight;      /* n_local: total row weight of each node         */
    double    *gaps;        /* n_local: mb_gaps_jacobian of its rows          */
    double    *counted;     /* n_local x COUNTS: what has been counted        */
    double    *all, *after; /* of mb_central_check_in_; NULL: not wanted   */
    double     shift;       /* of the bound at the mean, to data units        */
    double    *scratch;     /* KL or prediction, one at a time                */
    double    *label;       /* predicted labels of one node's rows            */
    mb_counts_ counts;      /* components and classes                         */
} work;

static const mb_metric_info table[MB_M_COUNT] = {
    [MB_M_KL_TRUTH] = {"kl_truth", "nats",
                       "KL divergence of a node's posterior from the truth posterior, "
                       "best order of components, eq. (46)"},
    [MB_M_KL_CVB] = {"kl_cvb", "nats",
                     "KL divergence of a node's posterior from central VB, best order "
                     "of components"},
    [MB_M_BOUND] = {"bound", "nats", "lower bound at a node, L_i of eq. (15)"},
    [MB_M_DISAGREEMENT] = {"disagreement", "relative",
                           "distance of the natural parameters from their network "
                           "mean, relative to the norm of the mean"},
    [MB_M_ACCURACY] = {"accuracy", "fraction",
                       "rows in the class that their component is mapped to, one map for "
                       "the network; rows of nodes outside the domain count as errors"},
    [MB_M_NMI] = {"nmi", "fraction",
                  "normalised mutual information (arithmetic mean); without rows "
                  "of nodes outside the domain"},
    [MB_M_ARI] = {"ari", "fraction",
                  "adjusted Rand index; without rows of nodes outside the domain"},
    [MB_M_BYTES] = {"bytes", "bytes", "bytes that a node has sent over its links so far"},
    [MB_M_FRAMES] = {"frames", "frames", "messages that a node has sent so far"},
    [MB_M_FROZEN] = {"frozen", "events", "rounds in which a node was frozen so far"},
    [MB_M_PROJECTED] = {"projected", "events", "projections of a node onto the domain so far"},
    [MB_M_BOUND_SKLEARN] = {"lower_bound_sklearn", "nats",
                            "scikit-learn's lower bound at a node, after the M-step: "
                            "A(phi*) - A(prior) + entropies of the responsibilities"},
    [MB_M_BOUND_MEAN] = {"bound_mean", "nats",
                         "lower bound of all rows at the network mean, eq. (15); costs a local "
                         "step of every node, so it is taken in every round to 64 and then in 32 "
                         "of each doubling"},
};

enum {
    LABEL_METRICS = 1 << MB_M_ACCURACY | 1 << MB_M_NMI | 1 << MB_M_ARI,
    COUNT_METRICS = 1 << MB_M_BYTES | 1 << MB_M_FRAMES | 1 << MB_M_FROZEN | 1 << MB_M_PROJECTED
};
enum { SAMPLES = 32 /* rounds of each doubling in which costly metrics are taken, at least */ };

const mb_metric_info *mb_metric_table(void)
{
    return table;
}

static size_t at_least(size_t x, size_t y)
{
    return x > y ? x : y;
}

/* Switches off metrics without a reference. */
static void switch_off(mb_metrics *m, const mb_model *model)
{
    if (!m->truth)
        m->on &= ~(1u << MB_M_KL_TRUTH);
    if (!m->cvb)
        m->on &= ~(1u << MB_M_KL_CVB);
    if (!m->label || m->nclass < 1 || model->K < 1 || !model->ops->predict)
        m->on &= ~(unsigned)LABEL_METRICS;
}

/* A reference outside Omega would make every node look outside. */
static mb_status check_references(const mb_metrics *m, const mb_problem *p, double *scratch,
                                  mb_err *err)
{
    const mb_layout *l = &p->model->layout;
    int64_t          rows = 0;
    if (m->on & (1u << MB_M_KL_TRUTH))
        MB_TRY(mb_moments(l, m->truth, NULL, NULL, scratch, err));
    if (m->on & (1u << MB_M_KL_CVB))
        MB_TRY(mb_moments(l, m->cvb, NULL, NULL, scratch, err));
    if (!(m->on & LABEL_METRICS))
        return MB_OK;
    for (int32_t i = 0; i < p->part->n_local; i++)
        rows += p->rows[i].n;
    for (int64_t j = 0; j < rows; j++)
        if (m->label[j] < 0 || m->label[j] >= m->nclass)
            MB_FAIL(err, MB_E_ARG, "row %lld: got class %d; expected 0 to %d", (long long)j,
                    m->label[j], m->nclass - 1);
    return MB_OK;
}

static void add(void *self, int32_t gid, const double *row)
{
    (void)gid;
    *(double *)self += *row;
}

/* Memory and units of the bound at the network mean. */
static mb_status prepare_mean(mb_arena *a, const mb_problem *p, const mb_metrics *m, work *w,
                              mb_err *err)
{
    const size_t ld = p->model->layout.len + 1;
    double       rows = 0, gaps = 0;

    if (!(m->on >> MB_M_BOUND_MEAN & 1))
        return MB_OK;
    MB_NEW(w->all, a, (size_t)p->part->n_local * ld, err);
    MB_NEW(w->after, a, ld, err);
    MB_TRY(mb_over_nodes_(p, w->weight, 1, 1, add, &rows, err));
    if (m->scale)
        MB_TRY(mb_over_nodes_(p, w->gaps, 1, 1, add, &gaps, err));
    w->shift = p->scale / p->part->n_global * rows * m->log_jacobian;
    w->shift -= p->scale / p->part->n_global * gaps;
    return MB_OK;
}

mb_status mb_metrics_new(mb_arena *a, const mb_problem *p, mb_metrics *m, mb_err *err)
{
    const mb_model *model = p->model;
    const size_t    nodes = (size_t)p->part->n_local;
    size_t          most;
    work           *w;

    switch_off(m, model);
    MB_NEW(w, a, 1, err);
    m->work = w;
    most = at_least(mb_kl_aligned_scratch(model), model->scratch);
    if (m->on >> MB_M_BOUND_MEAN & 1)
        most = at_least(most, mb_local_scratch(model));
    MB_NEW(w->scratch, a, most, err);
    most = 1;
    MB_TRY(check_references(m, p, w->scratch, err));
    MB_NEW(w->mean, a, model->layout.len, err);
    MB_NEW(w->per_node, a, nodes, err);
    MB_NEW(w->every, a, p->part->n_global, err);
    MB_NEW(w->counted, a, nodes * COUNTS, err);
    MB_NEW(w->weight, a, nodes, err);
    MB_NEW(w->gaps, a, nodes, err);
    for (size_t i = 0; i < nodes; i++) {
        w->weight[i] = mb_rows_weight(&p->rows[i]);
        w->gaps[i] = m->scale ? mb_gaps_jacobian(&p->rows[i], m->scale) : 0;
        most = at_least(most, (size_t)p->rows[i].n);
    }
    MB_TRY(prepare_mean(a, p, m, w, err));
    if (!(m->on & LABEL_METRICS))
        return MB_OK;
    MB_NEW(w->label, a, most, err);
    return mb_counts_new_(a, model->K, m->nclass, &w->counts, err);
}

/* Statistics of the finite entries of x. */
static mb_stat spread_of(const double *x, int32_t n)
{
    const double none = (double)NAN;
    mb_stat      s = {none, none, none, none, none, 0};
    double       sum = 0, squares = 0;
    int32_t      count = 0;

    for (int32_t i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            continue;
        sum += x[i];
        s.min = fmin(s.min, x[i]); /* fmin(NaN, x) = x */
        s.max = fmax(s.max, x[i]);
        count++;
    }
    s.outside = n - count;
    if (count == 0)
        return s;
    s.mean = sum / count;
    for (int32_t i = 0; i < n; i++)
        if (isfinite(x[i]))
            squares += (x[i] - s.mean) * (x[i] - s.mean);
    s.sd = sqrt(squares / count);
    return s;
}

static void collect(void *self, int32_t gid, const double *row)
{
    ((double *)self)[gid] = *row;
}

/* Statistics of w->per_node over the network. */
static mb_status spread(const mb_problem *p, work *w, mb_stat *out, mb_err *err)
{
    MB_TRY(mb_over_nodes_(p, w->per_node, 1, 1, collect, w->every, err));
    *out = spread_of(w->every, p->part->n_global);
    return MB_OK;
}

/* A value of the whole network. */
static mb_stat whole(double x, double total, int32_t outside)
{
    return (mb_stat){x, isnan(x) ? (double)NAN : 0, x, x, total, outside};
}

/* A metric of node i; MB_E_DOMAIN or MB_E_NUMERIC if the node has none. */
static mb_status of_node(const mb_metrics *m, mb_metric metric, const mb_problem *p,
                         const mb_state *s, int32_t i, double *x, mb_err *err)
{
    const work   *w = m->work;
    const double *phi = s->phi + (size_t)i * s->ld, *phi_star = s->phi_star + (size_t)i * s->ld;
    const double *to = metric == MB_M_KL_TRUTH ? m->truth : m->cvb;

    if (s->outside[i])
        return MB_E_DOMAIN;
    if (metric == MB_M_KL_TRUTH || metric == MB_M_KL_CVB)
        return mb_kl_aligned(p->model, phi, to, x, NULL, w->scratch, err);
    *x = 0;
    /* After the M-step: A(phi*) - A(prior) + entropies = L_i(phi) + KL(phi || phi*), without the
     * responsibilities (docs/math.md, section 9). */
    if (metric == MB_M_BOUND_SKLEARN)
        MB_TRY(mb_kl(&p->model->layout, phi, phi_star, x, w->scratch, err));
    *x += mb_bound_in_data_units_(s->bound[i], p->scale, w->weight[i], m->log_jacobian, w->gaps[i]);
    return MB_OK;
}

static mb_status see_nodes(mb_metrics *m, mb_metric metric, const mb_problem *p, const mb_state *s,
                           mb_err *err)
{
    work *w = m->work;

    for (int32_t i = 0; i < p->part->n_local; i++) {
        const mb_status st = of_node(m, metric, p, s, i, &w->per_node[i], err);

        if (st == MB_E_DOMAIN || st == MB_E_NUMERIC)
            w->per_node[i] = (double)NAN;
        else
            MB_TRY(st);
    }
    return spread(p, w, &m->value[metric], err);
}

static mb_status see_disagreement(mb_metrics *m, const mb_problem *p, const mb_state *s, work *w,
                                  mb_err *err)
{
    MB_TRY(mb_mean_phi(p, s, w->mean, err));
    MB_TRY(mb_disagreement(p, s, w->mean, w->per_node, NULL, err));
    return spread(p, w, &m->value[MB_M_DISAGREEMENT], err);
}

/* Adds the rows of node i, whose classes start at `label`, to the counts. */
static mb_status count_node(const mb_metrics *m, const mb_problem *p, const mb_state *s, int32_t i,
                            const int32_t *label, work *w, mb_err *err)
{
    MB_TRY(p->model->ops->predict(p->model, s->phi + (size_t)i * s->ld, &p->rows[i], MB_WANT_LABEL,
                                  w->label, w->scratch, err));
    for (int64_t j = 0; j < p->rows[i].n; j++)
        w->counts.count[(size_t)w->label[j] * (size_t)m->nclass + (size_t)label[j]]++;
    return MB_OK;
}

enum { OUTSIDE, COUNTED, ROWS, TOTALS };

/* One table of counts for the network; nodes outside Omega have no labels. */
static mb_status see_labels(mb_metrics *m, const mb_problem *p, const mb_state *s, work *w,
                            mb_err *err)
{
    const int32_t *label = m->label;
    const int32_t  cells = w->counts.K * w->counts.C;
    double         total[TOTALS] = {0};
    mb_agreement   agree;

    memset(w->counts.count, 0, (size_t)cells * sizeof *w->counts.count);
    for (int32_t i = 0; i < p->part->n_local; i++) {
        mb_status st = s->outside[i] ? MB_E_DOMAIN : count_node(m, p, s, i, label, w, err);

        if (st == MB_E_DOMAIN)
            total[OUTSIDE]++;
        else
            MB_TRY(st);
        if (st >= 0)
            total[COUNTED] += (double)p->rows[i].n;
        total[ROWS] += (double)p->rows[i].n;
        label += p->rows[i].n;
    }
    /* Whole numbers, so the sums over all processes are exact. */
    MB_TRY(mb_over_all_(p, MB_SUM, total, 1, err));
    MB_TRY(mb_over_rows_(p, total + COUNTED, TOTALS - COUNTED, err));
    MB_TRY(mb_over_rows_(p, w->counts.count, cells, err));
    MB_TRY(mb_counts_agreement_(&w->counts, &agree, NULL, err));
    if (total[COUNTED] < total[ROWS])
        agree.accuracy = total[COUNTED] > 0 ? agree.accuracy * (total[COUNTED] / total[ROWS]) : 0;
    m->value[MB_M_ACCURACY] = whole(agree.accuracy, (double)NAN, (int32_t)total[OUTSIDE]);
    m->value[MB_M_NMI] = whole(agree.nmi, (double)NAN, (int32_t)total[OUTSIDE]);
    m->value[MB_M_ARI] = whole(agree.ari, (double)NAN, (int32_t)total[OUTSIDE]);
    return MB_OK;
}

/* Whole numbers of every node, in the order of ids: the same bits however nodes are distributed. */
static mb_status see_counts(mb_metrics *m, const mb_problem *p, const mb_state *s, work *w,
                            mb_err *err)
{
    const int32_t n = p->part->n_global;
    double        outside = 0;

    for (int32_t i = 0; i < p->part->n_local; i++) {
        double *to = w->counted + (size_t)i * COUNTS;

        to[SENT_BYTES] = (double)s->by[i].bytes;
        to[SENT_FRAMES] = (double)s->by[i].frames;
        to[FREEZES] = (double)s->frozen[i];
        to[PROJECTIONS] = (double)s->projected[i];
        outside += s->outside[i] != 0;
    }
    MB_TRY(mb_over_all_(p, MB_SUM, &outside, 1, err));
    for (int32_t k = 0; k < COUNTS; k++) {
        mb_stat *v = &m->value[metric_of[k]];

        MB_TRY(mb_over_nodes_(p, w->counted + k, COUNTS, 1, collect, w->every, err));
        *v = spread_of(w->every, n);
        v->total = 0;
        for (int32_t i = 0; i < n; i++)
            v->total += w->every[i];
        v->outside = k < FREEZES ? 0 : (int32_t)outside;
    }
    return MB_OK;
}

/* The bound over all rows, in data units; it is a sum over the nodes' rows. */
static mb_status see_bound_mean(mb_metrics *m, const mb_problem *p, const mb_state *s, work *w,
                                mb_err *err)
{
    double    moved, bound;
    mb_status st;

    MB_TRY(mb_mean_phi(p, s, w->mean, err));
    st = mb_central_check_in_(p, w->mean, w->all, w->after, w->scratch, &moved, &bound, err);
    if (st == MB_E_DOMAIN)
        bound = (double)NAN;
    else
        MB_TRY(st);
    bound -= w->shift;
    m->value[MB_M_BOUND_MEAN] = whole(bound, bound, 0);
    return MB_OK;
}

int64_t mb_metrics_next(int64_t t)
{
    int64_t step = 1;

    while (t / step >= 2 * SAMPLES)
        step *= 2;
    return (t / step + 1) * step;
}

int mb_metrics_sampled(int64_t t)
{
    return mb_metrics_next(t - 1) == t;
}

uint32_t mb_metrics_due(const mb_metrics *m, int64_t t)
{
    if (mb_metrics_sampled(t))
        return m->on;
    return m->sampled ? 0 : m->on & ~(1u << MB_M_BOUND_MEAN);
}

mb_status mb_metrics_see(mb_metrics *m, const mb_problem *p, const mb_state *s, mb_err *err)
{
    static const mb_metric by_node[] = {MB_M_KL_TRUTH, MB_M_KL_CVB, MB_M_BOUND, MB_M_BOUND_SKLEARN};

    for (int k = 0; k < MB_M_COUNT; k++) /* one that is forgotten below is not 0 */
        if (m->on & 1u << k)
            m->value[k] = whole((double)NAN, (double)NAN, 0);
    for (size_t k = 0; k < sizeof by_node / sizeof *by_node; k++)
        if (m->on & (1u << by_node[k]))
            MB_TRY(see_nodes(m, by_node[k], p, s, err));
    if (m->on & (1u << MB_M_DISAGREEMENT))
        MB_TRY(see_disagreement(m, p, s, m->work, err));
    if (m->on & LABEL_METRICS)
        MB_TRY(see_labels(m, p, s, m->work, err));
    if (m->on & 1u << MB_M_BOUND_MEAN)
        MB_TRY(see_bound_mean(m, p, s, m->work, err));
    return m->on & COUNT_METRICS ? see_counts(m, p, s, m->work, err) : MB_OK;
}
