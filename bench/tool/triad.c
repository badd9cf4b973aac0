/* triad.c - memory bandwidth: a = b + s c over three arrays, for a driver that takes turns with
 * others. Use: tool_triad MEGABYTES (of one array); each line THREADS on standard input prints the
 * best GB/s of some passes, 24 bytes an element, on that many threads. */
#include "clock.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PASSES = 5, LINE = 64 };

static void fill(double *x, int64_t n, double value)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (int64_t i = 0; i < n; i++)
        x[i] = value;
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c, int64_t n,
                  int threads)
{
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
    for (int64_t i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

int main(int argc, char **argv)
{
    const int64_t n = argc == 2 ? (int64_t)atoi(argv[1]) * 131072 : 0;
    double       *a = n > 0 ? malloc((size_t)n * 24) : NULL;
    char          line[LINE];

    if (!a) {
        fprintf(stderr, "tool_triad: give the megabytes of an array; three of them must fit\n");
        return 1;
    }
    fill(a, 3 * n, 1.0);
    while (fgets(line, sizeof line, stdin)) {
        double best = 1e300;

        for (int k = 0; k < PASSES; k++) {
            const double began = bench_wall();

            triad(a, a + n, a + 2 * n, n, atoi(line) > 0 ? atoi(line) : 1);
            best = bench_wall() - began < best ? bench_wall() - began : best;
        }
        printf("{\"gb_s\": %.6g, \"check\": %.17g}\n", 24e-9 * (double)n / best, a[n / 2]);
        fflush(stdout);
    }
    free(a);
    return 0;
}
