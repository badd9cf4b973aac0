/* kernel/lines.h - linear forms of rows, rows as lanes: m x, and sums over the rows of w x'. */
#ifndef MB_LINES_H
#define MB_LINES_H

#include "kernel/density.h"
#include "kernel/moments_direct.h"

/* A build with plain kernels only is for small nodes, which need less code. */
#ifdef MB_KERNELS_PLAIN
#define LINES NULL
#define DOTS  NULL
#else
#define LINES lines
#define DOTS  dots

static void lines(int32_t T, int32_t p, int32_t n, size_t ld, const double *m, const double *x,
                  double *e)
{
    for (int32_t l = 0; l < n; l += TILE) {
        const int nv = n - l < TILE ? (n - l + LANES - 1) / LANES : NV;

        for (int32_t c = 0; c < T; c += MB_ROWS)
            product(T - c < MB_ROWS ? T - c : MB_ROWS, nv, p, m + (size_t)c * (size_t)p, (size_t)p,
                    1, x + l, ld, e + (size_t)c * ld + l, ld);
    }
}

enum { FORMS_AT_ONCE = 4 };

/* S[i] += sum of w x_i for `count` numbers i of each row. */
INLINE void dots_of(const int count, int32_t n, size_t ld, const double *w, const double *x,
                    double *S)
{
    vec s[FORMS_AT_ONCE];

    UNROLL
    for (int i = 0; i < count; i++)
        s[i] = all(0);
    for (int32_t l = 0; l < n; l += LANES) {
        const vec by = load(w + l);

        UNROLL
        for (int i = 0; i < count; i++)
            s[i] = fma_(by, load(x + (size_t)i * ld + l), s[i]);
    }
    UNROLL
    for (int i = 0; i < count; i++)
        S[i] += total(s[i]);
}

static void dots(int32_t T, int32_t p, int32_t n, size_t ld, const double *w, const double *x,
                 double *S)
{
    const int32_t whole = p / FORMS_AT_ONCE * FORMS_AT_ONCE;

    for (int32_t c = 0; c < T; c++, w += ld, S += p) {
        for (int32_t i = 0; i < whole; i += FORMS_AT_ONCE)
            dots_of(FORMS_AT_ONCE, n, ld, w, x + (size_t)i * ld, S + i);
        for (int32_t i = whole; i < p; i++)
            dots_of(1, n, ld, w, x + (size_t)i * ld, S + i);
    }
}
#endif

#endif
