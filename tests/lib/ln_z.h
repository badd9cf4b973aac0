/* ln_z.h - ln Z of rows and its gradient, of a model whose local step is exact. */
#ifndef MB_TEST_LN_Z_H
#define MB_TEST_LN_Z_H

#include "arena.h"
#include "meshbayes/extend.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* *s (the length of the layout): the expected statistics of the rows at phi. */
static inline double ln_z_of(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                             double *scratch)
{
    double sum = 0;

    memset(s, 0, m->layout.len * sizeof *s);
    must(m->ops->stats(m, phi, rows, s, &sum, scratch, NULL));
    return sum;
}

/* Along each entry of phi from this one on ln Z changes as mu times the statistics does. */
static inline void assert_gradient_of_ln_z(const mb_model *m, const double *phi,
                                           const mb_rows *rows, size_t first, double *scratch)
{
    const size_t len = m->layout.len;
    double      *s = doubles(len), *up = doubles(len), *down = doubles(len);
    double      *near = doubles(len), *other = doubles(len);

    ln_z_of(m, phi, rows, s, scratch);
    for (size_t e = first; e < len; e++) {
        const double h = 1e-5 * fmin(1, 0.05 + fabs(phi[e]));
        double       change, want = 0, size = 1;

        memcpy(near, phi, len * sizeof *near);
        near[e] += h;
        must(mb_moments(&m->layout, near, up, NULL, scratch, NULL));
        change = ln_z_of(m, near, rows, other, scratch);
        near[e] -= 2 * h;
        must(mb_moments(&m->layout, near, down, NULL, scratch, NULL));
        change -= ln_z_of(m, near, rows, other, scratch);
        for (size_t l = 0; l < len; l++) {
            want += s[l] * (up[l] - down[l]);
            size += fabs(s[l] * (up[l] - down[l])) / h;
        }
        assert_near(change / h, want / h, 1e-6 * size);
    }
}

#endif
