/* genesis.c - ticks of 20 ms until every node has the genesis block, drawn from a sample or from sums:
 * the paper's synthetic problem with 20 rows a node on a geometric network of 50 nodes, a grid, a ring
 * and a star, at loss 0 and 0.3, nodes alike or with own speeds (1 to 5) and delays up to 100 ms.
 * Medians of five seeds. Prints one JSON object. */
#include "../tests/lib/synthetic.h"
#include "virtual/virtual.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 5, ROWS = 20, TICK_US = 20000, MOST = 20000 /* ticks */ };

typedef struct world {
    mb_network     net;
    mb_gmm_kind    gmm;
    mb_plan        plan;
    mb_virtual_opt opt;
} world;

static mb_status make(mb_arena *a, const char *topology, uint64_t seed, world *w, mb_err *err)
{
    static const char *const column[SYN_D] = {"x1", "x2"};
    mb_rows                 *rows;
    double                  *x;

    *w = (world){.gmm = {0}};
    MB_TRY(mb_network_draw(a, topology, 1, NULL, &w->net, err));
    MB_TRY(mb_opt_defaults(mb_kind_gmm.opts, &w->gmm, err));
    w->gmm.n_components = SYN_K;
    MB_NEW(x, a, (size_t)w->net.n * ROWS * SYN_D, err);
    MB_NEW(rows, a, w->net.n, err);
    for (int32_t i = 0; i < w->net.n; i++) {
        rows[i] = (mb_rows){.x = x + i * ROWS * SYN_D, .n = ROWS, .d = SYN_D, .ld = SYN_D};
        syn_rows(seed, i, w->net.n, ROWS, x + i * ROWS * SYN_D);
    }
    w->plan = (mb_plan){.kind = &mb_kind_gmm,
                        .kind_opt = &w->gmm,
                        .columns = SYN_D,
                        .column = column,
                        .seed = seed};
    w->opt = (mb_virtual_opt){.graph = &w->net.g,
                              .rows = rows,
                              .peer = {.plan = &w->plan, .tick_ms = TICK_US / 1000},
                              .seed = seed};
    return MB_OK;
}

static int all_have_it(const mb_virtual *v, int32_t n)
{
    uint64_t run = 0;

    for (int32_t i = 0; i < n; i++) {
        mb_peer_status s = {.run = 0};

        if (mb_virtual_peer(v, i)) /* NULL before its first tick */
            mb_peer_look(mb_virtual_peer(v, i), mb_virtual_clock(v, i), &s);
        if (!s.run || (run && s.run != run))
            return 0;
        run = s.run;
    }
    return 1;
}

/* Ticks until then; MOST + 1: not within MOST. */
static mb_status ticks_of(const world *w, int64_t *ticks, mb_err *err)
{
    mb_virtual *v;
    mb_status   st = MB_OK;

    *ticks = 0;
    MB_TRY(mb_virtual_new(&w->opt, &v, err));
    while (st >= 0 && *ticks <= MOST && !all_have_it(v, w->net.n))
        st = mb_virtual_run(v, ++*ticks * TICK_US, 0, err);
    mb_virtual_free(v);
    return st < 0 ? st : MB_OK;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static mb_status measure(const char *topology, double loss, int own, mb_genesis_from from,
                         const char *comma, mb_err *err)
{
    int64_t ticks[SEEDS];

    for (int k = 0; k < SEEDS; k++) {
        mb_arena *a = mb_arena_new(1 << 20);
        world     w;
        mb_status st = a ? make(a, topology, (uint64_t)k + 1, &w, err) : MB_E_NOMEM;

        w.plan.from = from;
        w.opt.loss = loss;
        w.opt.speed[0] = 1;
        w.opt.speed[1] = own ? 5 : 1;
        w.opt.delay_us[1] = own ? 5 * TICK_US : 0;
        if (st >= 0)
            st = ticks_of(&w, &ticks[k], err);
        mb_arena_free(a);
        MB_TRY(st);
    }
    qsort(ticks, SEEDS, sizeof *ticks, ascending);
    printf("%s  {\"network\": \"%s\", \"loss\": %g, \"own_speeds\": %d, \"from\": \"%s\", "
           "\"ticks\": %lld, \"least\": %lld, \"most\": %lld}",
           comma, topology, loss, own, from == MB_GENESIS_SUMS ? "sums" : "sample",
           (long long)ticks[SEEDS / 2], (long long)ticks[0], (long long)ticks[SEEDS - 1]);
    (void)fflush(stdout);
    return MB_OK;
}

static mb_status all(int argc, char **argv, mb_err *err)
{
    static const char *const nets[] = {"geometric:n=50,side=3.5,radius=0.8", "grid:rows=7,cols=7",
                                       "ring:n=50", "star:n=50"};
    const char              *comma = "";

    for (int k = 0; k < (argc > 1 ? argc - 1 : 4); k++)
        for (int form = 0; form < 8; form++) {
            MB_TRY(measure(argc > 1 ? argv[k + 1] : nets[k], form & 2 ? 0.3 : 0, form >> 2,
                           form & 1 ? MB_GENESIS_SUMS : MB_GENESIS_SAMPLE, comma, err));
            comma = ",\n";
        }
    return MB_OK;
}

/* Networks may be given; all sizes are full ones. */
int main(int argc, char **argv)
{
    mb_err    err = {.code = MB_OK};
    mb_status st;

    printf("{\"bench\": \"genesis\", \"rows\": %d, \"seeds\": %d, \"runs\": [\n", ROWS, SEEDS);
    if (argc > 1 && argv[1][0] == '-') {
        argc--;
        argv++;
    }
    st = all(argc, argv, &err);
    if (st < 0)
        fprintf(stderr, "bench_genesis: %s\n", err.msg);
    else
        printf("]}\n");
    return st < 0;
}
