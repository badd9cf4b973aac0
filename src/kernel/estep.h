/* kernel/estep.h - the table of one instruction set; included by its file, which defines MB_ISA. */
#ifndef MB_ESTEP_H
#define MB_ESTEP_H

#include "kernel/columns.h"
#include "kernel/density.h"
#include "kernel/forms.h"
#include "kernel/lines.h"
#include "kernel/moments_direct.h"
#include "kernel/moments_packed.h"
#include "kernel/moments_small.h"
#include "kernel/nearest.h"
#include "kernel/scatter.h"
#include "kernel/softmax.h"
#include "kernel/softplus.h"
#include "kernel/tilted.h"

/* Consecutive rows of few columns, which the compiler turns into shuffles. */
#define COLUMNS(D)                                                                                 \
    case D:                                                                                        \
        for (size_t l = 0; l < n; l++)                                                             \
            for (size_t i = 0; i < (D); i++)                                                       \
                z[i * B + l] = x[l * (D) + i];                                                     \
        return 1
static int fill_narrow(int32_t D, size_t n, const double *restrict x, double *restrict z, size_t B)
{
    switch (D) {
        COLUMNS(1);
        COLUMNS(2);
        COLUMNS(3);
        COLUMNS(4);
    }
    return 0;
}
#undef COLUMNS

/* Where the next block follows in memory, its row at the place of x is loaded into the cache while
 * this block is computed, which takes longer than processors look ahead. */
INLINE void prefetch_row(const mb_estep_ *g, const double *x)
{
    enum { LINE = 8 }; /* doubles */
    const double *next = x + (size_t)g->rows * g->from_ld;

    for (size_t i = 0; i < (size_t)g->D; i += LINE)
        __builtin_prefetch(next + i);
}

/* LANES rows from row l on. */
static void fill_rows(const mb_estep_ *g, size_t l)
{
    const size_t  B = (size_t)g->block, D = (size_t)g->D;
    const double *x[LANES];

    for (size_t u = 0; u < LANES; u++) {
        x[u] = mb_estep_from_(g, l + u);
        prefetch_row(g, x[u]);
    }
    for (size_t i = 0; D >= LANES && i < D; i += LANES) {
        const size_t at = i + LANES <= D ? i : D - LANES; /* the last ones twice */
        vec          a[LANES];

        UNROLL
        for (int u = 0; u < LANES; u++)
            a[u] = load(x[u] + at);
        transpose(a);
        UNROLL
        for (int u = 0; u < LANES; u++)
            store(g->z + (at + (size_t)u) * B + l, a[u]);
    }
    for (size_t i = 0; D < LANES && i < D; i++)
        for (size_t u = 0; u < LANES; u++)
            g->z[i * B + l + u] = x[u][i];
}

static void fill(const mb_estep_ *g)
{
    const size_t B = (size_t)g->block, n = (size_t)g->rows;

    if (!g->at && g->from_ld == (size_t)g->D && fill_narrow(g->D, n, g->from, g->z, B)) {
        for (size_t i = 0; i < (size_t)g->D; i++)
            for (size_t l = n; l % LANES; l++)
                g->z[i * B + l] = g->z[i * B + n - 1];
        return;
    }
    for (size_t l = 0; l < n; l += LANES)
        fill_rows(g, l);
}

/* The corners of S: the weight of the block's rows in each component. */
static void weights(const mb_estep_ *g)
{
    const size_t n = (size_t)g->D + 1;

    for (int32_t k = 0; k < g->K; k++) {
        vec sum = all(0);

        for (int32_t l = 0; l < g->rows; l += LANES)
            sum += load(g->r + (size_t)k * (size_t)g->block + l);
        g->S[(size_t)k * n * n] += total(sum);
    }
}

static void moments(const mb_estep_ *g)
{
    if (g->form == MB_FORM_SMALL) {
        small_moments(g);
        return;
    }
    if (g->form == MB_FORM_PACKED)
        packed_moments(g);
    else
        direct_moments(g);
    weights(g);
}

static void sums(const mb_estep_ *g)
{
    if (g->form == MB_FORM_SMALL)
        small_sums(g);
    else if (g->form == MB_FORM_PACKED)
        packed_sums(g);
    else
        direct_sums(g);
}

static void exp_all(int32_t n, const double *x, double *y)
{
    for (int32_t i = 0; i < n; i += LANES)
        store(y + i, vexp(load(x + i)));
}

static void log_all(int32_t n, const double *x, double *y)
{
    vec inverse;

    for (int32_t i = 0; i < n; i += LANES)
        store(y + i, vlog(load(x + i), &inverse));
}

#define MB_KERNEL_TABLE(isa)                                                                       \
    {                                                                                              \
        .name = isa, .fill = fill, .factor = factor, .density = density, .softmax = softmax,       \
        .moments = moments, .sums = sums, .squares = squares, .column_sums = column_sums,          \
        .whiten = whiten, .forms = FORMS, .lines = LINES, .dots = DOTS, .scatter = SCATTER,        \
        .nearest = nearest, .softplus = SOFTPLUS, .tilted = TILTED, .exp = exp_all, .log = log_all \
    }

#endif
