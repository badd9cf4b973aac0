/* layout.c - where nodes are plotted: a file, the network's own positions, or a layout. */
#include "network/file.h"
#include "network/network.h"
#include "network/topology.h"

#include <math.h>
#include <string.h>

enum { LAYOUT_SWEEPS = 300, LAYOUT_MAX = 2000 };

/* Forces on every node: all pairs repel, links attract (Fruchterman and Reingold). */
static void forces(const mb_graph *g, const double *xy, double length, double *force)
{
    memset(force, 0, 2 * (size_t)g->n * sizeof *force);
    for (int32_t i = 0; i < g->n; i++)
        for (int32_t j = 0; j < g->n; j++) {
            double dx = xy[2 * i] - xy[2 * j], dy = xy[2 * i + 1] - xy[2 * j + 1];
            double push = j == i ? 0 : length * length / (dx * dx + dy * dy + 1e-9);

            force[2 * i] += push * dx;
            force[2 * i + 1] += push * dy;
        }
    for (int32_t i = 0; i < g->n; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
            double dx = xy[2 * i] - xy[2 * g->adj[e]], dy = xy[2 * i + 1] - xy[2 * g->adj[e] + 1];
            double pull = sqrt(dx * dx + dy * dy) / length;

            force[2 * i] -= pull * dx;
            force[2 * i + 1] -= pull * dy;
        }
}

static mb_status layout(mb_arena *a, const mb_graph *g, double **out, mb_err *err)
{
    const double length = 1 / sqrt(g->n);
    double      *force, *xy;

    MB_NEW(xy, a, 2 * (size_t)g->n, err);
    *out = xy;
    mb_on_circle_(0, g->n, xy);
    if (g->n > LAYOUT_MAX)
        return MB_OK;
    MB_NEW(force, a, 2 * (size_t)g->n, err);
    for (int t = 0; t < LAYOUT_SWEEPS; t++) {
        double step = 0.1 * (1 - (double)t / LAYOUT_SWEEPS);

        forces(g, xy, length, force);
        for (int32_t i = 0; i < g->n; i++) {
            double size = hypot(force[2 * i], force[2 * i + 1]) + 1e-12;
            double move = size < step ? 1 : step / size;

            xy[2 * i] += move * force[2 * i];
            xy[2 * i + 1] += move * force[2 * i + 1];
        }
    }
    return MB_OK;
}

mb_status mb_network_arrange(mb_arena *a, const mb_network_opt *opt, mb_network *net, mb_err *err)
{
    const char *file = opt ? opt->positions : NULL;
    double     *xy = NULL;

    if (!file && net->xy)
        return MB_OK;
    net->xy_from = file ? "file" : "layout";
    MB_TRY(file ? mb_network_positions_(a, file, net, &xy, err) : layout(a, &net->g, &xy, err));
    net->xy = xy;
    return MB_OK;
}
