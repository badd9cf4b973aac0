/* list.c - the available kernels, and the shape of their blocks and scratch. */
#include "kernel/kernel.h"

#include <stddef.h>
#include <string.h>

enum { TILE_MAX = 24 /* doubles of a row of a tile on any instruction set */ };

void mb_kernel_list_(const mb_kernel_ *out[MB_KERNELS_MAX])
{
    int n = 0;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(MB_KERNELS_PLAIN)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        out[n++] = &mb_kernel_avx512_;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        out[n++] = &mb_kernel_avx2_;
#endif
    out[n++] = &mb_kernel_plain_;
    out[n] = NULL;
}

/* Up to this number of columns the packed form is the faster one from this number of components on.
 * Measured by bench/forms.c: the K from which on its ratio stays at about 1 or below, on a Xeon with
 * AVX-512; AVX2 and plain C on the same machine give the same numbers within one step of K. */
static const struct {
    int32_t columns, components;
} packed_from[] = {{15, 8}, {20, 4}, {80, 6}, {112, 8}, {INT32_MAX, 10}};

static mb_form_ best_form(int32_t K, int32_t D)
{
    int i = 0;

    if (D <= MB_SMALL_D)
        return MB_FORM_SMALL;
    while (D > packed_from[i].columns)
        i++;
    return K >= packed_from[i].components ? MB_FORM_PACKED : MB_FORM_DIRECT;
}

mb_how_ mb_how_best_(int32_t K, int32_t D)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    return (mb_how_){.kernel = kernel[0], .form = best_form(K, D)};
}

int32_t mb_estep_block_(int32_t D)
{
    return D <= MB_SMALL_D ? MB_BLOCK_MAX : MB_BLOCK_MAX / 2;
}

static size_t up8(size_t n)
{
    return (n + 7) / 8 * 8;
}

size_t mb_scatter_len_(int32_t D)
{
    return (up8((size_t)D) / 8 | 1) * 8; /* an odd number of cache lines */
}

/* Doubles of a component's sums in any form. */
static size_t sums_len(int32_t D)
{
    const size_t d = up8((size_t)D), groups = d / 8;

    if (D <= MB_SMALL_D)
        return ((size_t)D + 1) * ((size_t)D + 2) / 2 * MB_LANES_MAX;
    /* direct: D + 1 rows; packed: at most 5 slots in each group, 8 in each pair of groups */
    return ((size_t)D + 1) * (d + 8) + 8 * (6 * groups);
}

/* Doubles of the rows of a block in any form: each group of 8 columns twice, or all of them twice. */
static size_t rows_len(int32_t D)
{
    return D <= MB_SMALL_D ? 0 : 2 * (up8((size_t)D) + 8) * (size_t)mb_estep_block_(D);
}

/* A tile of y; or responsibilities and a vector of products of a block, row by row. */
static size_t room_len(int32_t K, int32_t D)
{
    const size_t tile = (size_t)D * TILE_MAX;
    const size_t rows = (up8((size_t)K) + 8) * (size_t)mb_estep_block_(D);

    return D <= MB_SMALL_D || tile > rows ? tile : rows;
}

static size_t order2(int32_t D)
{
    return ((size_t)D + 1) * ((size_t)D + 1);
}

size_t mb_rows_scratch_(int32_t K, int32_t D)
{
    return 8 + (2 * (size_t)D + 2 + (size_t)K) * (size_t)mb_estep_block_(D);
}

size_t mb_estep_scratch_(int32_t K, int32_t D)
{
    const size_t k = (size_t)K, d = (size_t)D;

    return mb_rows_scratch_(K, D) + k * sums_len(D) + rows_len(D) + room_len(K, D) +
           k * (d + d * (d + 1) / 2) + 3 * k + k * order2(D) + k + order2(D);
}

static double *take(double **p, size_t len)
{
    double *start = *p;

    *p += len;
    return start;
}

/* Views of the rows; *p: what follows them. */
static void carve_rows(mb_estep_ *g, const mb_kernel_ *kernel, int32_t K, int32_t D, double **p)
{
    const size_t B = (size_t)mb_estep_block_(D);

    memset(g, 0, offsetof(mb_estep_, row)); /* which is chosen block by block */
    g->kernel = kernel;
    g->K = K;
    g->D = D;
    g->block = (int32_t)B;
    g->z = take(p, (size_t)D * B);
    g->wide = take(p, (size_t)D * B);
    g->w = take(p, B);
    g->lnz = take(p, B);
    g->r = take(p, (size_t)K * B);
}

/* Vectors do not cross cache lines. */
static double *aligned(double *scratch)
{
    return scratch + (64 - (uintptr_t)scratch % 64) % 64 / sizeof *scratch;
}

void mb_rows_carve_(mb_estep_ *g, const mb_kernel_ *kernel, int32_t K, int32_t D, double *scratch)
{
    scratch = aligned(scratch);
    carve_rows(g, kernel, K, D, &scratch);
}

void mb_estep_carve_(mb_estep_ *g, const mb_how_ *how, int32_t K, int32_t D, double *scratch)
{
    const size_t k = (size_t)K, d = (size_t)D;
    double      *acc = aligned(scratch), *x = acc + k * sums_len(D), *y = x + rows_len(D);
    double      *rest = y + room_len(K, D);

    carve_rows(g, how->kernel, K, D, &rest);
    g->form = how->form;
    g->acc = acc;
    g->x = x;
    g->y = y;
    g->m = take(&rest, k * d);
    g->C = take(&rest, k * (d * (d + 1) / 2));
    g->c = take(&rest, k);
    g->g = take(&rest, k);
    g->h = take(&rest, k);
    g->S = take(&rest, k * order2(D));
    g->tmp = take(&rest, k + order2(D));
    memset(g->acc, 0, k * sums_len(D) * sizeof *g->acc);
    for (size_t c = 0; c < k; c++)
        g->S[c * order2(D)] = 0; /* summed by blocks; the rest is set by the sums */
}
