/* plan_data.c - rows of the planned shape: K clouds in D columns, drawn here. */
#include "sim/plan.h"

#include <string.h>

/* Numbers of the largest rehearsal, rows times (columns + components): some 100 MB. */
static const double MOST = 4e6;

static mb_status count_nodes(sim *s, int32_t *nodes, mb_err *err)
{
    const mb_network_opt links = {.links_only = 1, .skip_own = 1};
    mb_network           net = {.n = 1};

    if (s->opt.network)
        MB_TRY(mb_network_read(s->a, s->opt.network, &links, &net, err));
    else if (s->opt.topology)
        MB_TRY(mb_topology_size(s->opt.topology, &net.n, err));
    *nodes = net.n;
    return MB_OK;
}

static mb_status name_columns(sim *s, int32_t D, mb_err *err)
{
    enum { WIDTH = 16 };
    char *block;

    MB_NEW(s->rows.data.name, s->a, D, err);
    MB_NEW(block, s->a, (size_t)D * WIDTH, err);
    for (int32_t d = 0; d < D; d++) {
        snprintf(block + (size_t)d * WIDTH, WIDTH, "x%d", d + 1);
        s->rows.data.name[d] = block + (size_t)d * WIDTH;
    }
    return MB_OK;
}

/* Row r belongs to cloud r mod K; column d of a cloud is 4 apart for one cloud in K. */
static mb_status draw_rows(sim *s, int64_t n, int32_t D, mb_err *err)
{
    const int64_t K = sim_components(s), clouds = K ? K : 2;
    mb_rng        rng = mb_rng_at((uint64_t)s->opt.seed, MB_STREAM_DATA, 0, 0);

    s->rows.data.n = n;
    s->rows.data.d = D;
    MB_NEW(s->rows.data.x, s->a, (size_t)n * (size_t)D, err);
    MB_NEW(s->rows.data.file_row, s->a, n, err);
    for (int64_t r = 0; r < n; r++) {
        s->rows.data.file_row[r] = r;
        for (int32_t d = 0; d < D; d++)
            s->rows.data.x[r * D + d] = mb_rng_normal(&rng) + (d % clouds == r % clouds ? 4 : 0);
    }
    return name_columns(s, D, err);
}

mb_status plan_data(plan *p, mb_err *err)
{
    sim          *s = p->s;
    const int32_t D = (int32_t)p->opt.features + (s->asked.kind->target != 0);
    const int64_t K = sim_components(s);
    int32_t       nodes;
    double        per_node;

    if (s->opt.data) {
        MB_TRY(sim_data(s, err));
        p->rows = (double)s->rows.data.n;
        p->measured = s->rows.data.n;
        return MB_OK;
    }
    MB_TRY(count_nodes(s, &nodes, err));
    p->rows = (double)p->opt.rows_per_node * nodes;
    per_node = MOST / ((double)nodes * (double)(D + K));
    per_node = per_node < 1 ? 1 : per_node;
    if (per_node > (double)p->opt.rows_per_node)
        per_node = (double)p->opt.rows_per_node;
    p->measured = (int64_t)per_node * nodes;
    if (p->measured < K && p->rows >= (double)K)
        p->measured = K;
    return draw_rows(s, p->measured, D, err);
}
