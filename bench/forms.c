/* forms.c - which form of the moments is faster for each shape and kernel: what the table of
 * src/kernel/list.c is made of. Prints one JSON object; "ratio" is time packed / time direct, the
 * median of alternating pairs. */
#include "clock.h"
#include "model/estep.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 7 };
static const double MIN_SECONDS = 0.002; /* of one measurement */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Seconds of the moments of one full block. */
static double seconds(mb_estep_ *g, mb_form_ form)
{
    const double start = bench_now();
    double       spent = 0;
    int64_t      calls = 0;

    g->form = form;
    for (; spent < MIN_SECONDS; calls++, spent = bench_now() - start)
        g->kernel->moments(g);
    return spent / (double)calls;
}

static double ratio(const mb_kernel_ *kernel, int32_t K, int32_t D, mb_arena *a)
{
    const mb_how_ how = {.kernel = kernel, .form = MB_FORM_DIRECT};
    const int32_t n = mb_estep_block_(D);
    double       *x = mb_alloc(a, (size_t)n * (size_t)D, sizeof *x), each[PAIRS];
    double       *scratch = mb_alloc(a, mb_estep_scratch_(K, D), sizeof *scratch);
    mb_rows       rows = {.x = x, .n = n, .d = D, .ld = (size_t)D};
    mb_rng        r = mb_rng_at(1, MB_STREAM_SAMPLE, 0, 0);
    mb_estep_     g;

    if (!x || !scratch)
        return -1;
    for (int64_t e = 0; e < (int64_t)n * D; e++)
        x[e] = mb_rng_normal(&r);
    mb_estep_carve_(&g, &how, K, D, scratch);
    mb_estep_fill_(&g, &rows, 0);
    for (int64_t e = 0; e < (int64_t)n * K; e++)
        g.r[e] = mb_rng_uniform(&r);
    for (int i = 0; i < PAIRS; i++) {
        const double packed = seconds(&g, MB_FORM_PACKED);

        each[i] = packed / seconds(&g, MB_FORM_DIRECT);
    }
    qsort(each, PAIRS, sizeof *each, ascending);
    return each[PAIRS / 2];
}

static int measure(const mb_kernel_ *kernel, int32_t K, int32_t D, const char *before)
{
    mb_arena    *a = mb_arena_new(1 << 20);
    const double packed = a ? ratio(kernel, K, D, a) : -1;

    printf("%s\n  {\"kernel\": \"%s\", \"D\": %d, \"K\": %d, \"ratio\": %.3f}", before,
           kernel->name, (int)D, (int)K, packed);
    mb_arena_free(a);
    return packed > 0 ? 0 : -1;
}

int main(void)
{
    static const int32_t D[] = {9, 12, 16, 24, 32, 48, 64, 96, 128},
                         K[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    const char       *before = "";

    mb_kernel_list_(kernel);
    printf("{\"bench\": \"forms\", \"shapes\": [");
    for (size_t v = 0; kernel[v]; v++)
        for (size_t i = 0; i < sizeof D / sizeof *D; i++)
            for (size_t j = 0; j < sizeof K / sizeof *K; j++, before = ",")
                if (measure(kernel[v], K[j], D[i], before) < 0)
                    return 1;
    printf("]}\n");
    return 0;
}
