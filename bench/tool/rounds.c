/* rounds.c - what the rounds of one network cost.
 * Use: tool_rounds TOPOLOGY ROWS D K ALGORITHM ROUNDS THREADS [REPEATS]
 * Prints, for the best of the repeats, seconds of rounds 2 to ROUNDS, bytes sent, peak memory. */
#include "network.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct task {
    const char    *topology;
    int64_t        rows, rounds;
    int32_t        D, K, threads, repeats;
    const mb_algo *algo;
} task;

static const mb_algo *find(const char *name)
{
    for (const mb_algo *const *a = mb_algo_list(); *a; a++)
        if (!strcmp((*a)->name, name))
            return *a;
    return NULL;
}

static int read_task(int argc, char **arg, task *t)
{
    if (argc < 8)
        return -1;
    t->topology = arg[1];
    t->rows = atoll(arg[2]);
    t->D = atoi(arg[3]);
    t->K = atoi(arg[4]);
    t->algo = find(arg[5]);
    t->rounds = atoll(arg[6]);
    t->threads = atoi(arg[7]);
    t->repeats = argc > 8 ? atoi(arg[8]) : 1;
    return t->algo && t->rows > 0 && t->D > 0 && t->K > 0 && t->rounds > 1 ? 0 : -1;
}

/* Peak resident memory, bytes; 0 where the kernel does not say. getrusage would give that of the
 * process that started this one, if larger. */
static long long peak(void)
{
    FILE     *f = fopen("/proc/self/status", "r");
    char      line[256];
    long long kib = 0;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lld", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return 1024 * kib;
}

static mb_status measure(network *w, const task *t, mb_err *err)
{
    double wall = HUGE_VAL, cpu = HUGE_VAL, share;

    MB_TRY(network_links(w, t->topology, err));
    MB_TRY(network_rows(w, t->rows, t->D, t->K, err));
    for (int32_t k = 0; k < t->repeats; k++) {
        double by_wall = 0, by_cpu = 0;

        MB_TRY(network_run(w, t->algo, t->rounds, t->threads, &by_wall, &by_cpu, err));
        wall = fmin(wall, by_wall);
        cpu = fmin(cpu, by_cpu);
    }
    share = 1e6 / ((double)w->n * (double)(t->rounds - 1));
    printf("{\"nodes\": %d, \"links\": %lld, \"rounds\": %lld, \"wall\": %.9g, \"cpu\": %.9g, "
           "\"us_node_round_wall\": %.6g, \"us_node_round_cpu\": %.6g, \"bytes\": %lld, "
           "\"peak_bytes\": %lld}\n",
           (int)w->n, (long long)w->topology.g.ptr[w->n] / 2, (long long)t->rounds, wall, cpu,
           wall * share, cpu * share, (long long)w->st.sent.bytes, peak());
    return MB_OK;
}

int main(int argc, char **argv)
{
    static network w;
    task           t;
    mb_err         err = {.code = MB_OK};
    mb_status      st = MB_E_NOMEM;

    if (read_task(argc, argv, &t) < 0) {
        fprintf(stderr, "tool_rounds TOPOLOGY ROWS D K ALGORITHM ROUNDS THREADS [REPEATS]\n");
        return 2;
    }
    w.a = mb_arena_new(1 << 20);
    if (w.a)
        st = measure(&w, &t, &err);
    if (st < 0)
        fprintf(stderr, "tool_rounds: %s\n", w.a ? err.msg : "out of memory");
    mb_arena_free(w.a);
    return st < 0;
}
