/* fits.h - rows, networks and options for tests of fits. */
#ifndef MB_TEST_FITS_H
#define MB_TEST_FITS_H

#include "arena.h"
#include "base/rows.h"
#include "gen.h"
#include "test.h"

enum { ROWS = 60, COLS = 2, K = 3, NODES = 5 };

static mb_err err;

#define OK(call)                                                                                   \
    do {                                                                                           \
        mb_status st_ = (call);                                                                    \
        if (st_ != MB_OK)                                                                          \
            fail_msg("%s", err.msg);                                                               \
    } while (0)

/* Rows around three centres that are far from each other, in units of their own. */
static inline mb_table some_rows(void)
{
    mb_rng  r = gen_rng(7);
    double *x = doubles(ROWS * COLS);

    gen_rows(&r, ROWS, COLS, K, x);
    for (int32_t e = 0; e < ROWS * COLS; e++)
        x[e] = 100 + 3 * x[e] + 12 * (e / COLS % K == e % COLS);
    return (mb_table){.rows = {.x = x, .n = ROWS, .d = COLS, .ld = COLS}};
}

/* n rows of a table from `first` on. */
static inline mb_table table_part(const mb_table *all, int64_t first, int64_t n)
{
    mb_table t = *all;

    t.rows = mb_rows_part(&all->rows, first, n);
    return t;
}

/* From 0.5 to 3.5 in turn. */
static inline double *row_weights(int64_t n)
{
    double *w = doubles((size_t)n);

    for (int64_t j = 0; j < n; j++)
        w[j] = 0.5 + (double)(j % 4);
    return w;
}

static const double centres[K * COLS] = {121, 100, 100, 121, 100, 100};

static inline mb_network network(const char *text)
{
    mb_network net;

    OK(mb_network_draw(arena, text, 1, NULL, &net, &err));
    return net;
}

/* Options of a mixture from the centres above. */
static inline mb_fit_opt mixture(mb_gmm_kind *gmm)
{
    mb_fit_opt o = mb_fit_defaults();

    *gmm = (mb_gmm_kind){0};
    OK(mb_opt_defaults(mb_kind_gmm.opts, gmm, &err));
    gmm->n_components = K;
    o.kind_opt = gmm;
    o.start = (mb_start){.how = MB_INIT_CENTRES, .centres = centres};
    return o;
}

/* The largest difference of n numbers, relative to those of p above 1. */
static inline double largest_difference(const double *p, const double *q, size_t n)
{
    double far = 0;

    for (size_t l = 0; l < n; l++)
        far = fmax(far, fabs(p[l] - q[l]) / fmax(1, fabs(p[l])));
    return far;
}

static inline double difference_of_fits(const mb_fit *p, const mb_fit *q)
{
    return largest_difference(p->posterior.par, q->posterior.par, p->posterior.model->layout.len);
}

static inline void assert_same_bits(const mb_fit *p, const mb_fit *q)
{
    assert_memory_equal(p->posterior.par, q->posterior.par,
                        p->posterior.model->layout.len * sizeof *p->posterior.par);
}

#endif
