/* kernel/estep.h - the table of one instruction set; included by its file, which defines MB_ISA. */
#ifndef MB_ESTEP_H
#define MB_ESTEP_H

#include "kernel/density.h"
#include "kernel/moments_direct.h"
#include "kernel/moments_packed.h"
#include "kernel/moments_small.h"
#include "kernel/softmax.h"

/* Rows that follow each other, with so few columns that the compiler makes shuffles of it. */
#define COLUMNS(D)                                                                                 \
    case D:                                                                                        \
        for (size_t l = 0; l < n; l++)                                                             \
            for (size_t i = 0; i < (D); i++)                                                       \
                z[i * B + l] = x[l * (D) + i];                                                     \
        return
static void fill(const mb_estep_ *g)
{
    const size_t B = (size_t)g->block, D = (size_t)g->D, ld = g->from_ld, n = (size_t)g->rows;
    const int    together = ld == D && g->row[n - 1] - g->row[0] == (int64_t)n - 1;
    const double *restrict x = g->from + (size_t)g->row[0] * ld;
    double *restrict z = g->z;

    switch (together ? D : 0) {
        COLUMNS(1);
        COLUMNS(2);
        COLUMNS(3);
        COLUMNS(4);
    }
    for (size_t l = 0; l < n; l++) {
        x = g->from + (size_t)g->row[l] * ld;
        for (size_t i = 0; i < D; i++)
            z[i * B + l] = x[i];
    }
}
#undef COLUMNS

static void moments(const mb_estep_ *g)
{
    if (g->form == MB_FORM_SMALL)
        small_moments(g);
    else if (g->form == MB_FORM_PACKED)
        packed_moments(g);
    else
        direct_moments(g);
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
    for (int32_t i = 0; i < n; i += LANES)
        store(y + i, vlog(load(x + i)));
}

#define MB_KERNEL_TABLE(isa)                                                                       \
    {                                                                                              \
        .name = isa, .fill = fill, .factor = factor, .density = density, .softmax = softmax,       \
        .moments = moments, .sums = sums, .exp = exp_all, .log = log_all                           \
    }

#endif
