/* paper_estimates.c - what every node believes at the end, beside the truth: entries of weights,
 * means and covariances, and the density they make. Fig. values and Fig. contour show it. */
#include "paper_common.h"

#include <string.h>

enum { K = PAPER_K, ENTRIES = PAPER_ENTRIES, GRID = PAPER_GRID, D = 2 };

const double paper_true[K][ENTRIES] = {
    {0.32, 1.5, 3.5, 0.6, 0.4, 0.6}, {0.45, 4, 4, 0.6, -0.4, 0.6}, {0.23, 6.5, 4.5, 0.6, 0.4, 0.6}};
const char *const paper_entry[ENTRIES] = {"weight", "mean1", "mean2", "cov11", "cov12", "cov22"};

/* Expected weights, means and covariances at one node, data units, components from left to right:
 * the truth's order, found without a class. MB_E_DOMAIN outside Omega. */
static mb_status estimate(const paper_result *r, const double *phi, double e[K][ENTRIES],
                          mb_err *err)
{
    const mb_block *b = mb_layout_find(&r->s.c->model.layout, &mb_normal_wishart);
    double          total = 0, *par;

    MB_TRY(mb_case_textbook(r->s.c, r->s.own, phi, &par, err));
    for (int k = 0; k < K; k++)
        total += par[k];
    for (int k = 0; k < K; k++) {
        const double *c = par + b->off + (size_t)k * b->len; /* nu, beta, m, tril(W^-1) */
        const double  dof = fmax(c[0] - D - 1, 1e-9);
        const double  now[ENTRIES] = {par[k] / total, c[2],       c[3],
                                      c[4] / dof,     c[5] / dof, c[6] / dof};
        int           place = k;

        for (; place > 0 && e[place - 1][1] > now[1]; place--)
            memcpy(e[place], e[place - 1], sizeof now);
        memcpy(e[place], now, sizeof now);
    }
    return MB_OK;
}

double paper_density(const double e[K][ENTRIES], double x, double y)
{
    double sum = 0;

    for (int k = 0; k < K; k++) {
        const double *c = e[k], det = c[3] * c[5] - c[4] * c[4], u = x - c[1], v = y - c[2];

        if (det > 0)
            sum += c[0] / (2 * acos(-1) * sqrt(det)) *
                   exp(-(c[5] * u * u - 2 * c[4] * u * v + c[3] * v * v) / (2 * det));
    }
    return sum;
}

double paper_grid(int j, double lo, double hi)
{
    return lo + (hi - lo) * j / (GRID - 1);
}

/* Half the integral of the difference from the true density, on the grid of the figure. */
static double variation(const double e[K][ENTRIES])
{
    const double cell = (10.0 / (GRID - 1)) * (8.0 / (GRID - 1));
    double       sum = 0;

    for (int j = 0; j < GRID; j++)
        for (int k = 0; k < GRID; k++)
            sum += fabs(paper_density(e, paper_grid(j, -1, 9), paper_grid(k, 0, 8)) -
                        paper_density(paper_true, paper_grid(j, -1, 9), paper_grid(k, 0, 8)));
    return sum * cell / 2;
}

/* Root mean squares, over nodes and components, of the differences from the truth. */
typedef struct apart {
    double  weights, means, covs, tv, worst;
    int32_t nodes;
} apart;

static void add(const double e[K][ENTRIES], apart *a)
{
    const double tv = variation(e);

    for (int k = 0; k < K; k++)
        for (int j = 0; j < ENTRIES; j++) {
            const double d = e[k][j] - paper_true[k][j];
            double      *to = j == 0 ? &a->weights : j < 3 ? &a->means : &a->covs;

            *to += d * d / (K * (j == 0 ? 1 : j < 3 ? 2 : 3));
        }
    a->tv += tv;
    a->worst = fmax(a->worst, tv);
    a->nodes++;
}

static mb_status put_node(paper_unit *u, const char *name, int32_t i, const double e[K][ENTRIES],
                          mb_err *err)
{
    if (u->run > 0)
        return MB_OK;
    for (int k = 0; k < K; k++)
        for (int j = 0; j < ENTRIES; j++) {
            const char *quantity = mb_text(u->a, err, "@%s %d", paper_entry[j], k + 1);

            if (!quantity)
                return MB_E_NOMEM;
            MB_TRY(paper_put(u, name, quantity, i + 1, e[k][j], err));
        }
    return MB_OK;
}

static mb_status put_all(paper_unit *u, const paper_result *r, mb_err *err)
{
    const int32_t nodes = r->s.problem.part->n_local;
    apart         a = {0};

    for (int32_t i = 0; i < nodes && !r->error; i++) {
        double    e[K][ENTRIES];
        mb_status st = estimate(r, r->s.state.phi + (size_t)i * r->s.state.ld, e, err);

        if (st == MB_E_DOMAIN)
            continue;
        MB_TRY(st);
        add((const double(*)[ENTRIES])e, &a);
        MB_TRY(put_node(u, r->c.name, i, (const double(*)[ENTRIES])e, err));
    }
    const double n = a.nodes == nodes ? a.nodes : PAPER_NAN;

    return paper_put_end(u, r->c.name,
                         (paper_value[]){{"weights_rms", sqrt(a.weights / n)},
                                         {"means_rms", sqrt(a.means / n)},
                                         {"covariances_rms", sqrt(a.covs / n)},
                                         {"variation", a.tv / n},
                                         {"variation_worst", a.worst + 0 * n},
                                         {NULL, 0}},
                         err);
}

mb_status paper_estimates_run(paper_unit *u, mb_err *err)
{
    paper_world *w;
    paper_truth  t;

    MB_TRY(paper_problem(u, &w, &t, err));
    MB_TRY(paper_cases(w, &u->row->plan, err));
    for (int32_t k = 0; k < w->count; k++)
        MB_TRY(paper_case_run(w, &t, &w->result[k], err));
    MB_TRY(paper_conclude(w, &t, err));
    for (int32_t k = 0; k < w->count; k++)
        MB_TRY(put_all(u, &w->result[k], err));
    return MB_OK;
}

const char *const paper_shown[PAPER_SHOWN] = {"cvb", "nsg", "dsvb", "edge", "flow"};

double paper_entry_at(const paper_table *t, paper_protocol p, const char *algorithm, int j, int k,
                      int node)
{
    char quantity[32];

    snprintf(quantity, sizeof quantity, "@%s %d", paper_entry[j], k + 1);
    return paper_median(t, p, algorithm, quantity, "", node);
}
