/* round.c - time of one round at one node, for each algorithm: the paper's synthetic problem on 50
 * nodes x 100 rows (D = 2, K = 3), 1000 rounds, one thread. Prints one JSON object. */
#include "network.h"

#include <stdio.h>

enum { NODES = 50, ROWS = 100, ROUNDS = 1000, REPEATS = 3 };

/* Microseconds per node and round: the best of several runs, because the machine is shared. */
static mb_status measure(network *w, const mb_algo *algo, double *us, mb_err *err)
{
    *us = HUGE_VAL;
    for (int k = 0; k < REPEATS; k++) {
        double wall = 0, cpu = 0;

        MB_TRY(network_run(w, algo, ROUNDS, 1, &wall, &cpu, err));
        *us = fmin(*us, cpu * 1e6 / ((ROUNDS - 1) * NODES));
    }
    return MB_OK;
}

static mb_status all(network *w, mb_err *err)
{
    MB_TRY(network_links(w, "geometric:n=50,side=3.5,radius=0.8", err));
    MB_TRY(network_rows(w, ROWS, SYN_D, SYN_K, err));
    printf(
        "{\"bench\": \"round\", \"nodes\": %d, \"rows\": %d, \"rounds\": %d, \"D\": %d, \"K\": %d, "
        "\"threads\": 1, \"unit\": \"microseconds per node and round\",\n \"time\": {",
        NODES, ROWS, ROUNDS, SYN_D, SYN_K);
    for (const mb_algo *const *a = mb_algo_list(); *a; a++) {
        double us;

        if ((*a)->needs & MB_NEEDS_RING)
            continue;
        MB_TRY(measure(w, *a, &us, err));
        printf("%s\"%s\": %.2f", a == mb_algo_list() ? "" : ", ", (*a)->name, us);
    }
    printf("}}\n");
    return MB_OK;
}

int main(void)
{
    static network w;
    mb_err         err = {.code = MB_OK};
    mb_status      st = MB_E_NOMEM;

    w.a = mb_arena_new(1 << 20);
    if (w.a)
        st = all(&w, &err);
    if (st < 0)
        fprintf(stderr, "bench_round: %s\n", w.a ? err.msg : "out of memory");
    mb_arena_free(w.a);
    return st < 0;
}
