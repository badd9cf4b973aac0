/* kernel/forms.h - products of the linear forms of rows, rows as lanes: for each two blocks of
 * columns of a lower triangular matrix (R_c x)' (R_d x). */
#ifndef MB_FORMS_H
#define MB_FORMS_H

#include "kernel/density.h"
#include "kernel/moments_direct.h"

/* A build with plain kernels only is for small nodes, which need less code. */
#ifdef MB_KERNELS_PLAIN
#define FORMS NULL
#else
#define FORMS forms

/* out += x y, of `count` numbers of nv vectors of rows. */
INLINE void add_products(int count, int nv, const double *x, const double *y, double *out)
{
    for (int v = 0; v < nv; v++) {
        vec s = load(out + v * LANES);

        for (int u = 0; u < count; u++)
            s = fma_(load(x + u * TILE + v * LANES), load(y + u * TILE + v * LANES), s);
        store(out + v * LANES, s);
    }
}

/* Rows i .. i + count - 1 of R. */
static void forms_of(const mb_forms_ *f, int32_t i, int count, int nv, const double *x, double *V)
{
    const size_t  each = (size_t)MB_ROWS * TILE, p = (size_t)f->p, q = (size_t)f->T * p;
    const int32_t reached = (i + count - 1) / f->p + 1; /* the blocks after them are 0 there */

    for (int32_t c = 0; c < reached; c++) {
        const int32_t left = i + count - c * f->p;
        double       *own = f->room + (size_t)c * each;

        memset(own, 0, each * sizeof *own);
        product(count, nv, left < f->p ? left : f->p, f->R + (size_t)i * q + (size_t)c * p, q, 1, x,
                f->ld, own, TILE);
        for (int32_t d = 0; d <= c; d++, V += f->ld)
            add_products(count, nv, own, f->room + (size_t)d * each, V);
    }
}

static void forms(const mb_forms_ *f, int32_t n, const double *x, double *V)
{
    const int32_t q = f->T * f->p, all = (n + LANES - 1) / LANES * LANES;

    for (int32_t c = 0; c < f->T * (f->T + 1) / 2; c++)
        memset(V + (size_t)c * f->ld, 0, (size_t)all * sizeof *V);
    for (int32_t l = 0; l < all; l += TILE) {
        const int nv = all - l < TILE ? (all - l) / LANES : NV;

        for (int32_t i = 0; i < q; i += MB_ROWS)
            forms_of(f, i, q - i < MB_ROWS ? q - i : MB_ROWS, nv, x + l, V + l);
    }
}
#endif

#endif
