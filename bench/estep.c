/* estep.c - what the local step of a Gaussian mixture costs; prints one JSON object. */
#include "clock.h"
#include "model/model.h"

#include <stdio.h>

enum { REPEATS = 3 };
static const double MIN_SECONDS = 0.05; /* of one repeat */

typedef struct shape {
    int32_t K, D;
    int64_t rows;
    double  distance; /* of the centres, in standard deviations; 0: five that overlap */
} shape;

/* Column d of the centre of component k. */
static double centre(const shape *s, int64_t k, int32_t d)
{
    mb_rng r = mb_rng_at(2, MB_STREAM_SAMPLE, (uint32_t)k, (uint32_t)d);

    return s->distance > 0 ? s->distance * mb_rng_normal(&r) : (double)(k % 5) * (d % 3);
}

/* Rows around K centres, and the responsibilities of those centres. */
static void fill(const shape *s, double *x, double *resp)
{
    mb_rng r = mb_rng_at(1, MB_STREAM_SAMPLE, 0, 0);

    for (int64_t j = 0; j < s->rows; j++) {
        const int64_t k = j % s->K;

        resp[j * s->K + k] = 1;
        for (int32_t d = 0; d < s->D; d++)
            x[j * s->D + d] = centre(s, k, d) + mb_rng_normal(&r);
    }
}

/* Best of REPEATS, seconds per step; < 0 if a step fails. */
static double step_seconds(const mb_model *m, const mb_rows *rows, double *phi, double *next,
                           double *bound, double *scratch)
{
    double best = 1e300;

    for (int i = 0; i < REPEATS; i++) {
        const double start = bench_now();
        double       spent = 0;
        int64_t      steps = 0;

        for (; spent < MIN_SECONDS; steps += 8, spent = bench_now() - start)
            for (int u = 0; u < 8; u++)
                if (mb_local_step(m, rows, 1, phi, next, bound, NULL, scratch, NULL) < 0)
                    return -1;
        if (spent / (double)steps < best)
            best = spent / (double)steps;
    }
    return best;
}

static int measure(const shape *s, const char *before)
{
    mb_arena  *a = mb_arena_new(1 << 20);
    mb_err     err = {0};
    mb_gmm_opt o = mb_gmm_defaults(s->K, s->D);
    mb_model   m;
    double    *x = mb_alloc(a, (size_t)(s->rows * s->D), sizeof *x), bound, step, with_bound;
    double    *resp = mb_alloc(a, (size_t)(s->rows * s->K), sizeof *resp), *phi, *next, *scratch;
    mb_rows    rows = {.x = x, .n = s->rows, .d = s->D, .ld = (size_t)s->D};

    if (!x || !resp || mb_gmm_new(a, &o, &m, &err) < 0)
        return -1;
    fill(s, x, resp);
    phi = mb_alloc(a, m.layout.len, sizeof *phi);
    next = mb_alloc(a, m.layout.len, sizeof *next);
    scratch = mb_alloc(a, mb_local_scratch(&m), sizeof *scratch);
    if (!phi || !next || !scratch || mb_seed_step(&m, &rows, 1, resp, phi, scratch, &err) < 0)
        return -1;
    step = step_seconds(&m, &rows, phi, next, NULL, scratch);
    with_bound = step_seconds(&m, &rows, phi, next, &bound, scratch);
    printf("%s\n  {\"K\": %d, \"D\": %d, \"rows\": %lld, \"distance\": %g, \"us_per_step\": %.3f, "
           "\"us_per_step_with_bound\": %.3f, \"ns_per_row\": %.2f}",
           before, (int)s->K, (int)s->D, (long long)s->rows, s->distance, 1e6 * step,
           1e6 * with_bound, 1e9 * step / (double)s->rows);
    mb_arena_free(a);
    return step < 0 || with_bound < 0 ? -1 : 0;
}

/* The first shape is a node of the paper's synthetic problem, section V-A. */
int main(void)
{
    static const shape shapes[] = {{3, 2, 100, 0},     {3, 2, 100000, 0},    {2, 34, 17, 0},
                                   {2, 34, 20000, 0},  {10, 52, 5000, 0},    {5, 128, 2000, 0},
                                   {200, 8, 10000, 0}, {200, 8, 10000, 300}, {200, 16, 10000, 300}};

    printf("{\"bench\": \"estep\", \"shapes\": [");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (measure(&shapes[i], i ? "," : "") < 0)
            return 1;
    printf("]}\n");
    return 0;
}
