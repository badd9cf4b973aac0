/* Minimum-cost assignment by shortest augmenting paths with node potentials. */
#include "meshbayes/observe.h"

#include <math.h>
#include <string.h>

typedef struct paths {
    double  *u;      /* m: potential of each row                                     */
    double  *v;      /* n: potential of each column; cost - u - v >= 0, = 0 if matched */
    double  *dist;   /* n: length of the shortest path to each column                */
    int32_t *row_of; /* n: matched row, -1 free                                      */
    int32_t *before; /* n: column before this one on its path, -1 at the start       */
    uint8_t *done;   /* n: distance is final                                         */
} paths;

size_t mb_assign_scratch(int32_t m, int32_t n)
{
    const size_t rows = (size_t)m, cols = (size_t)n;
    const size_t bytes = (rows + 2 * cols) * sizeof(double) + 2 * cols * sizeof(int32_t) + cols;
    return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

static paths carve(int32_t m, int32_t n, void *scratch)
{
    paths p;
    p.u = scratch;
    p.v = p.u + m;
    p.dist = p.v + n;
    p.row_of = (int32_t *)(void *)(p.dist + n);
    p.before = p.row_of + n;
    p.done = (uint8_t *)(p.before + n);
    memset(scratch, 0, mb_assign_scratch(m, n));
    for (int32_t c = 0; c < n; c++)
        p.row_of[c] = -1;
    return p;
}

/* Relaxes the edges of `row`, reached through column `last` at distance `reached`. Returns the
 * nearest column that is not final (lowest index on a tie). */
static int32_t relax(paths *p, const double *cost, int32_t n, int32_t row, int32_t last,
                     double reached)
{
    int32_t nearest = -1;
    for (int32_t c = 0; c < n; c++) {
        double through;
        if (p->done[c])
            continue;
        through = reached + cost[(size_t)row * (size_t)n + (size_t)c] - p->u[row] - p->v[c];
        if (through < p->dist[c]) {
            p->dist[c] = through;
            p->before[c] = last;
        }
        if (nearest < 0 || p->dist[c] < p->dist[nearest])
            nearest = c;
    }
    return nearest;
}

/* Shortest path from the free row `start` to a free column; potentials follow. */
static int32_t find_path(paths *p, const double *cost, int32_t n, int32_t start)
{
    int32_t row = start, end = -1;
    double  reached = 0;
    for (int32_t c = 0; c < n; c++) {
        p->dist[c] = HUGE_VAL;
        p->done[c] = 0;
    }
    while (row >= 0) {
        end = relax(p, cost, n, row, end, reached);
        p->done[end] = 1;
        reached = p->dist[end];
        row = p->row_of[end];
    }
    p->u[start] += reached;
    for (int32_t c = 0; c < n; c++)
        if (p->done[c] && c != end) {
            p->u[p->row_of[c]] += reached - p->dist[c];
            p->v[c] -= reached - p->dist[c];
        }
    return end;
}

static void augment(paths *p, int32_t start, int32_t end)
{
    for (int32_t c = end, before; c >= 0; c = before) {
        before = p->before[c];
        p->row_of[c] = before < 0 ? start : p->row_of[before];
    }
}

mb_status mb_assign(const double *cost, int32_t m, int32_t n, int32_t *col, void *scratch,
                    mb_err *err)
{
    paths p;
    if (m < 0 || m > n)
        MB_FAIL(err, MB_E_ARG, "%d rows to %d columns: at most %d rows", m, n, n);
    for (size_t l = 0; l < (size_t)m * (size_t)n; l++)
        if (!isfinite(cost[l]))
            MB_FAIL(err, MB_E_NUMERIC, "cost of row %zu, column %zu is %g, not finite",
                    l / (size_t)n, l % (size_t)n, cost[l]);
    if (m == 0)
        return MB_OK;
    p = carve(m, n, scratch);
    for (int32_t r = 0; r < m; r++)
        augment(&p, r, find_path(&p, cost, n, r));
    for (int32_t c = 0; c < n; c++)
        if (p.row_of[c] >= 0)
            col[p.row_of[c]] = c;
    return MB_OK;
}
