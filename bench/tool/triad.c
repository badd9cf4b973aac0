/* triad.c - memory bandwidth: a = b + s c over three arrays, for a driver that takes turns with
 * others. Use: tool_triad MEGABYTES (of one array); each line THREADS on standard input prints the
 * best GB/s of some passes, 24 bytes an element, on that many threads. */
#include "base/pool.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { PASSES = 5, LINE = 64, BLOCK = 1 << 15 };

typedef struct arrays {
    double *a, *b, *c;
    int64_t n;
} arrays;

static int64_t blocks(const arrays *v)
{
    return (v->n + BLOCK - 1) / BLOCK;
}

static int64_t end_of(const arrays *v, int64_t block)
{
    return (block + 1) * BLOCK < v->n ? (block + 1) * BLOCK : v->n;
}

static void fill(void *arg, int32_t thread, int64_t block)
{
    const arrays *v = arg;

    (void)thread;
    for (int64_t i = block * BLOCK; i < end_of(v, block); i++)
        v->a[i] = v->b[i] = v->c[i] = 1.0;
}

static void triad(void *arg, int32_t thread, int64_t block)
{
    const arrays *v = arg;
    const int64_t from = block * BLOCK, len = end_of(v, block) - from;
    double *restrict a = v->a + from;
    const double *restrict b = v->b + from, *restrict c = v->c + from;

    (void)thread;
    for (int64_t i = 0; i < len; i++)
        a[i] = b[i] + 3.0 * c[i];
}

static double best_of(arrays *v, mb_pool *pool, int32_t threads)
{
    double best = 1e300;

    for (int k = 0; k < PASSES; k++) {
        const double began = bench_wall();

        mb_pool_run(pool, threads, blocks(v), triad, v);
        best = bench_wall() - began < best ? bench_wall() - began : best;
    }
    return 24e-9 * (double)v->n / best;
}

/* One measurement per input line. */
static void answer(arrays *v, mb_pool *pool)
{
    char line[LINE];

    mb_pool_run(pool, mb_pool_threads(pool), blocks(v), fill, v);
    while (fgets(line, sizeof line, stdin)) {
        const double rate = best_of(v, pool, atoi(line) > 0 ? atoi(line) : 1);

        printf("{\"gb_s\": %.6g, \"check\": %.17g}\n", rate, v->a[v->n / 2]);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const int64_t n = argc == 2 ? (int64_t)atoi(argv[1]) * 131072 : 0;
    double       *x = n > 0 ? malloc((size_t)n * 24) : NULL;
    arrays        v = {x, x + n, x + 2 * n, n};
    mb_arena     *a = mb_arena_new(1 << 16);
    mb_pool      *pool = NULL;
    const int     ready = x && a && mb_pool_open(a, 0, &pool, NULL) >= 0;

    if (ready)
        answer(&v, pool);
    else
        fprintf(stderr, "tool_triad: give the megabytes of an array; three of them must fit\n");
    mb_pool_close(pool);
    mb_arena_free(a);
    free(x);
    return !ready;
}
