/* random.c - random networks, redrawn until connected (section V-A): geometric by a grid of cells,
 * Erdos-Renyi by skipping over absent links. Every draw can be repeated from its number: its links
 * are first counted and joined, and stored only if it is connected. */
#include "network/topology.h"

#include <math.h>
#include <string.h>

/* From BY_CELLS nodes on, nodes are numbered cell by cell: neighbours then lie close in memory. */
enum { MAX_DRAWS = 10000, SURE_DRAWS = 20, BY_CELLS = 100000 };
static const int64_t max_links = 500000000; /* over all draws: seconds, not hours */

/* Receives links: joins sets of nodes while `edges` is NULL, else stores the links. */
typedef struct sink {
    int32_t *edges;
    int64_t  m;
    int32_t *parent; /* n: forest of the sets */
    int32_t  sets;
} sink;

static int32_t root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void take(sink *s, int32_t i, int32_t j)
{
    if (s->edges) {
        s->edges[2 * s->m] = i;
        s->edges[2 * s->m + 1] = j;
    } else {
        int32_t ri = root(s->parent, i), rj = root(s->parent, j);

        if (ri != rj) {
            s->parent[ri > rj ? ri : rj] = ri > rj ? rj : ri;
            s->sets--;
        }
    }
    s->m++;
}

/* The state of the draws. pass(b, draw, s) passes the links of a draw to s, the same every time. */
typedef struct bench {
    const mb_topology_par *par;
    uint64_t               seed;
    int32_t                n, side_cells;
    double (*xy)[2];   /* n x 2                            */
    int32_t *cell;     /* n: cell of a node                */
    int32_t *start;    /* cells + 1: first of a cell       */
    int32_t *node;     /* n: nodes in the order of cells   */
    double (*near)[2]; /* n x 2: positions in that order   */
    void (*pass)(struct bench *b, int32_t draw, sink *s);
} bench;

static mb_status redraw(mb_arena *a, bench *b, const char *advice, mb_topology *out, mb_err *err)
{
    sink    s = {0};
    int64_t links = 0;
    int32_t draw = 0;

    MB_NEW(s.parent, a, b->n, err);
    do {
        if (draw == MAX_DRAWS || (draw >= SURE_DRAWS && links > max_links))
            MB_FAIL(err, MB_E_ARG, "no connected network of %d nodes in %d draws: %s", b->n, draw,
                    advice);
        for (int32_t i = 0; i < b->n; i++)
            s.parent[i] = i;
        s.m = 0;
        s.sets = b->n;
        b->pass(b, draw++, &s);
        links += s.m + b->n;
    } while (s.sets > 1);
    MB_NEW(s.edges, a, 2 * (size_t)s.m, err);
    s.m = 0;
    b->pass(b, draw - 1, &s);
    out->drawn = draw;
    out->xy = b->xy[0];
    return mb_graph_from_edges(a, b->n, s.m, s.edges, &out->g, err);
}

static int32_t cell_of(const bench *b, double position)
{
    int32_t c = (int32_t)(position / b->par->side * b->side_cells);

    return c < b->side_cells ? c : b->side_cells - 1;
}

/* New positions, nodes sorted by cell (counting sort). */
static void scatter(bench *b, int32_t draw)
{
    int32_t cells = b->side_cells * b->side_cells;

    memset(b->start, 0, ((size_t)cells + 1) * sizeof *b->start);
    for (int32_t i = 0; i < b->n; i++) {
        mb_rng r = mb_rng_at(b->seed, MB_STREAM_GRAPH, (uint32_t)i, (uint64_t)draw);

        b->xy[i][0] = b->par->side * mb_rng_uniform(&r);
        b->xy[i][1] = b->par->side * mb_rng_uniform(&r);
        b->cell[i] = cell_of(b, b->xy[i][1]) * b->side_cells + cell_of(b, b->xy[i][0]);
        b->start[b->cell[i]]++;
    }
    for (int32_t c = 0; c < cells; c++)
        b->start[c + 1] += b->start[c];
    /* In descending order, so that each count ends as the first place of its cell. */
    for (int32_t i = b->n; i-- > 0;) {
        int32_t at = --b->start[b->cell[i]];

        b->node[at] = i;
        b->near[at][0] = b->xy[i][0];
        b->near[at][1] = b->xy[i][1];
    }
    if (b->n < BY_CELLS)
        return;
    memcpy(b->xy, b->near, (size_t)b->n * sizeof *b->xy);
    for (int32_t i = 0; i < b->n; i++)
        b->node[i] = i;
}

/* Links of the node at place p to the places first .. last-1. */
static void link_near(const bench *b, int32_t p, int32_t first, int32_t last, sink *s)
{
    const double reach = b->par->radius * b->par->radius;

    for (int32_t q = first; q < last; q++) {
        double dx = b->near[p][0] - b->near[q][0];
        double dy = b->near[p][1] - b->near[q][1];

        if (dx * dx + dy * dy <= reach)
            take(s, b->node[p], b->node[q]);
    }
}

/* Cells are no smaller than the radius: a node is compared with the rest of its own cell, the cell
 * to the right and the three of the next row, so each pair is compared once. */
static void pass_geometric(bench *b, int32_t draw, sink *s)
{
    const int32_t side = b->side_cells;

    if (!s->edges)
        scatter(b, draw);
    for (int32_t c = 0; c < side * side; c++) {
        int32_t column = c % side;
        int32_t right = column + 1 < side ? c + 1 : c;
        int32_t low = c + side - (column > 0), high = c + side + (column + 1 < side);

        for (int32_t p = b->start[c]; p < b->start[c + 1]; p++) {
            link_near(b, p, p + 1, b->start[right + 1], s);
            if (c + side < side * side)
                link_near(b, p, b->start[low], b->start[high + 1], s);
        }
    }
}

mb_status mb_make_geometric_(mb_arena *a, const mb_topology_par *par, uint64_t seed,
                             mb_topology *out, mb_err *err)
{
    bench  b = {.par = par, .seed = seed, .n = (int32_t)par->n, .pass = pass_geometric};
    double fit = floor(par->side / par->radius * (1 - 1e-12)), most = ceil(sqrt((double)par->n));

    b.side_cells = (int32_t)fmax(1, fmin(fit, most));
    MB_NEW(b.xy, a, par->n, err);
    MB_NEW(b.near, a, par->n, err);
    MB_NEW(b.cell, a, par->n, err);
    MB_NEW(b.node, a, par->n, err);
    MB_NEW(b.start, a, (size_t)b.side_cells * (size_t)b.side_cells + 1, err);
    return redraw(a, &b, "give a larger radius, a smaller side or more nodes", out, err);
}

/* The number of absent links before the next present one is geometric: floor(ln U / ln(1-p)). */
static void pass_er(bench *b, int32_t draw, sink *s)
{
    const double scale = 1 / log1p(-b->par->p);

    for (int32_t i = 0; i < b->n; i++) {
        mb_rng r = mb_rng_at(b->seed, MB_STREAM_GRAPH, (uint32_t)i, (uint64_t)draw);
        double j = i;

        while ((j += 1 + floor(log(mb_rng_uniform(&r)) * scale)) < b->n)
            take(s, i, (int32_t)j);
    }
}

void mb_on_circle_(int32_t first, int32_t n, double *xy)
{
    for (int64_t i = first; i < n; i++) {
        double angle = 6.283185307179586 * (double)(i - first) / (n - first);

        xy[2 * i] = cos(angle);
        xy[2 * i + 1] = sin(angle);
    }
}

mb_status mb_make_er_(mb_arena *a, const mb_topology_par *par, uint64_t seed, mb_topology *out,
                      mb_err *err)
{
    bench b = {.par = par, .seed = seed, .n = (int32_t)par->n, .pass = pass_er};

    MB_NEW(b.xy, a, par->n, err);
    mb_on_circle_(0, b.n, b.xy[0]);
    return redraw(a, &b, "give a larger p (connected networks need about ln(n)/n)", out, err);
}
