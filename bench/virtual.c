/* virtual.c - wall time of two virtual minutes (--full: ten) at 50 ticks a second: the paper's synthetic
 * problem on 50 nodes x 100 rows with and without faults, with crashes, and where nodes never rest;
 * and of a tenth of that for 1000 nodes. One thread. Prints one JSON object. */
#include "virtual/virtual.h"
#include "../tests/lib/synthetic.h"
#include "clock.h"
#include "mesh/genesis.h"

#include <stdio.h>
#include <string.h>

enum { SECOND = 1000000, ROWS = 100, CRASHES = 50 };

typedef struct mesh {
    mb_arena      *a;
    mb_network     net;
    mb_local_part  place;
    mb_gmm_kind    gmm;
    mb_plan        plan;
    mb_case        c;
    mb_genesis     genesis;
    mb_virtual_opt opt;
    mb_event       event[2 * CRASHES];
} mesh;

static mb_status make_rows(mesh *m, mb_table *table, mb_err *err)
{
    double  *x;
    mb_rows *rows;

    MB_NEW(x, m->a, (size_t)m->net.n * ROWS * SYN_D, err);
    MB_NEW(rows, m->a, m->net.n, err);
    for (int32_t i = 0; i < m->net.n; i++) {
        rows[i] = (mb_rows){.x = x + i * ROWS * SYN_D, .n = ROWS, .d = SYN_D, .ld = SYN_D};
        syn_rows(1, i, m->net.n, ROWS, x + i * ROWS * SYN_D);
    }
    m->opt.rows = rows;
    *table = (mb_table){.rows = {.x = x, .n = (int64_t)m->net.n * ROWS, .d = SYN_D, .ld = SYN_D}};
    return MB_OK;
}

static mb_status make(mesh *m, const char *topology, mb_err *err)
{
    static const char *const column[SYN_D] = {"x1", "x2"};
    mb_table                 table;

    MB_TRY(mb_network_draw(m->a, topology, 1, NULL, &m->net, err));
    MB_TRY(mb_opt_defaults(mb_kind_gmm.opts, &m->gmm, err));
    m->gmm.n_components = SYN_K;
    MB_TRY(make_rows(m, &table, err));
    MB_TRY(mb_place_make(m->a, &m->net, NULL, &m->place, err));
    MB_TRY(mb_case_make(m->a, &m->place, &table, &mb_kind_gmm, &m->gmm, NULL, &m->c, err));
    MB_TRY(mb_genesis_of_case(m->a, &m->c, syn_mean[0], &m->genesis, err));
    m->plan = (mb_plan){.kind = &mb_kind_gmm,
                        .kind_opt = &m->gmm,
                        .columns = SYN_D,
                        .column = column,
                        .from = MB_GENESIS_GIVEN};
    m->opt.graph = &m->net.g;
    m->opt.genesis = &m->genesis;
    m->opt.peer = (mb_peer_opt){.plan = &m->plan, .tick_ms = 20};
    return MB_OK;
}

/* Every ten seconds a node dies and comes back five seconds later. */
static void crash(mesh *m)
{
    for (int32_t k = 0; k < CRASHES; k++) {
        m->event[2 * k] = (mb_event){
            .at_us = (int64_t)(10 * k + 60) * SECOND, .kind = MB_EVENT_KILL, .a = k % m->net.n};
        m->event[2 * k + 1] = m->event[2 * k];
        m->event[2 * k + 1].at_us += 5 * SECOND;
        m->event[2 * k + 1].kind = MB_EVENT_START;
    }
    m->opt.schedule = (mb_schedule){.n = (int64_t)2 * CRASHES, .event = m->event};
    m->opt.checkpoint_ticks = 50;
}

static mb_status measure(mesh *m, const char *name, int64_t seconds, mb_err *err)
{
    const double begun = bench_now();
    mb_virtual  *v;
    mb_status    st;

    MB_TRY(mb_virtual_new(&m->opt, &v, err));
    st = mb_virtual_run(v, seconds * SECOND, 0, err);
    printf("%s  {\"run\": \"%s\", \"nodes\": %d, \"virtual_seconds\": %lld, \"cpu_seconds\": %.2f, "
           "\"settled\": %d, \"ticks\": %lld, \"frames\": %lld}",
           m->opt.seed ? ",\n" : "", name, m->net.n, (long long)seconds, bench_now() - begun,
           mb_virtual_settled(v), (long long)mb_virtual_tally(v, MB_TALLY_TICKS),
           (long long)mb_virtual_tally(v, MB_TALLY_FRAMES));
    mb_virtual_free(v);
    m->opt.seed++;
    return st;
}

static void add_faults(mb_virtual_opt *o)
{
    o->loss = 0.3;
    o->duplicate = 0.01;
    o->reorder = 0.1;
    o->corrupt = 0.001;
    o->delay_us[0] = 1000;
    o->delay_us[1] = 50000;
}

/* seconds: of each network of 50. */
static mb_status all(mesh *m, int64_t seconds, mb_err *err)
{
    MB_TRY(make(m, "geometric:n=50,side=3.5,radius=0.8", err));
    printf("{\"bench\": \"virtual\", \"rows\": %d, \"tick_ms\": 20, \"runs\": [\n", ROWS);
    MB_TRY(measure(m, "no faults", seconds, err));
    add_faults(&m->opt);
    MB_TRY(measure(m, "faults", seconds, err));
    crash(m);
    MB_TRY(measure(m, "faults and a crash every ten seconds", seconds, err));
    m->opt.peer.rest_ms = 20;
    MB_TRY(measure(m, "the same, nodes never rest", seconds, err));
    m->opt = (mb_virtual_opt){.seed = m->opt.seed};
    MB_TRY(make(m, "geometric:n=1000,side=16,radius=0.8", err));
    add_faults(&m->opt);
    return measure(m, "1000 nodes, faults", seconds / 10, err);
}

int main(int argc, char **argv)
{
    enum { QUICK = 120, FULL = 600 };
    static mesh m;
    mb_err      err = {.code = MB_OK};
    mb_status   st = MB_E_NOMEM;

    m.a = mb_arena_new(1 << 20);
    if (m.a)
        st = all(&m, argc > 1 && !strcmp(argv[1], "--full") ? FULL : QUICK, &err);
    if (st < 0)
        fprintf(stderr, "bench_virtual: %s\n", m.a ? err.msg : "out of memory");
    else
        printf("]}\n");
    mb_arena_free(m.a);
    return st < 0;
}
