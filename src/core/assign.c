/* assign.c - minimum-cost assignment by shortest augmenting paths with node potentials. */
#include "core/observe.h"

#include <math.h>

typedef struct column {
    double  v;      /* potential; cost - u - v >= 0, = 0 if matched        */
    double  dist;   /* length of the shortest path to it                   */
    int32_t row;    /* matched row, -1: free                               */
    int32_t before; /* column before it on that path, -1: it is the first  */
    int32_t done;   /* 1: dist is final                                    */
} column;

size_t mb_assign_scratch(int32_t m, int32_t n)
{
    return (size_t)n * sizeof(column) + (size_t)m * sizeof(double);
}

/* Relaxes the edges of a row with potential u, reached through column `last` at distance `reached`.
 * Returns the nearest column that is not final (lowest index on a tie). cost: of the row. */
static int32_t relax(column *col, const double *cost, int32_t n, double u, int32_t last,
                     double reached)
{
    int32_t nearest = -1;

    for (int32_t c = 0; c < n; c++) {
        double through;

        if (col[c].done)
            continue;
        through = reached + cost[c] - u - col[c].v;
        if (through < col[c].dist) {
            col[c].dist = through;
            col[c].before = last;
        }
        if (nearest < 0 || col[c].dist < col[nearest].dist)
            nearest = c;
    }
    return nearest;
}

/* Shortest path from the free row `start` to a free column; potentials (u: of the rows) follow. */
static int32_t find_path(column *col, double *u, const double *cost, int32_t n, int32_t start)
{
    int32_t row = start, end = -1;
    double  reached = 0;

    for (int32_t c = 0; c < n; c++) {
        col[c].dist = HUGE_VAL;
        col[c].done = 0;
    }
    while (row >= 0) {
        end = relax(col, cost + (size_t)row * (size_t)n, n, u[row], end, reached);
        col[end].done = 1;
        reached = col[end].dist;
        row = col[end].row;
    }
    u[start] += reached;
    for (int32_t c = 0; c < n; c++)
        if (col[c].done && c != end) {
            u[col[c].row] += reached - col[c].dist;
            col[c].v -= reached - col[c].dist;
        }
    return end;
}

static void augment(column *col, int32_t start, int32_t end)
{
    for (int32_t c = end, before; c >= 0; c = before) {
        before = col[c].before;
        col[c].row = before < 0 ? start : col[before].row;
    }
}

mb_status mb_assign(const double *cost, int32_t m, int32_t n, int32_t *col, void *scratch,
                    mb_err *err)
{
    column *of = scratch;
    double *u = (double *)(void *)(of + n); /* m: potential of each row */

    if (m < 0 || m > n)
        MB_FAIL(err, MB_E_ARG, "rows to assign to %d columns: got %d; expected at most %d", n, m,
                n);
    for (size_t l = 0; l < (size_t)m * (size_t)n; l++)
        if (!isfinite(cost[l]))
            MB_FAIL(err, MB_E_NUMERIC, "cost of row %zu, column %zu is %g, not finite",
                    l / (size_t)n, l % (size_t)n, cost[l]);
    for (int32_t c = 0; c < n; c++)
        of[c] = (column){.row = -1};
    for (int32_t r = 0; r < m; r++) {
        u[r] = 0;
        augment(of, r, find_path(of, u, cost, n, r));
    }
    for (int32_t c = 0; c < n; c++)
        if (of[c].row >= 0)
            col[of[c].row] = c;
    return MB_OK;
}
