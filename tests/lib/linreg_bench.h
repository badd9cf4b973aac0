/* linreg_bench.h - a regression at its posterior, for the unit tests of the model. */
#ifndef MB_TEST_LINREG_BENCH_H
#define MB_TEST_LINREG_BENCH_H

#include "arena.h"
#include "linreg_data.h"
#include "meshbayes/extend.h"
#include "model/model.h"
#include "test.h"

enum { LR_ROWS = 70, LR_LEN = 64, LR_SCRATCH = 20000 };

static const double lr_m0[LR_MAX_P] = {1, -1, 0.5, 2};
/* 4 x 4; its leading 3 x 3 part, row by row, is lr_lambda3. */
static const double lr_lambda4[16] = {2, 0.5, 0, 0.1,  0.5, 1, 0.2,  0,
                                      0, 0.2, 3, -0.5, 0.1, 0, -0.5, 1};
static const double lr_lambda3[9] = {2, 0.5, 0, 0.5, 1, 0.2, 0, 0.2, 3};

typedef struct lr_bench {
    mb_linreg_opt o;
    mb_model      m;
    mb_rows       rows;
    double        x[LR_ROWS * LR_COLUMNS], w[LR_ROWS];
    double        phi[LR_LEN], par[LR_LEN]; /* the posterior of the rows */
    double        bound;                    /* at phi                    */
    double        scratch[LR_SCRATCH];
    mb_err        err;
} lr_bench;

/* phi from one local step, with its bound from a second. */
static inline void lr_fit(lr_bench *b)
{
    double again[LR_LEN];

    must(mb_local_step(&b->m, &b->rows, 1, b->m.prior, b->phi, NULL, NULL, b->scratch, &b->err));
    must(mb_local_step(&b->m, &b->rows, 1, b->phi, again, &b->bound, NULL, b->scratch, &b->err));
    assert_memory_equal(again, b->phi, b->m.layout.len * sizeof *again);
    must(mb_to_par(&b->m.layout, b->phi, b->par, b->scratch, &b->err));
}

/* A strong and lopsided prior, so that it shows. */
static inline lr_bench *lr_bench_new(int32_t intercept, int weighted)
{
    lr_bench *b = mb_alloc(arena, 1, sizeof *b);

    assert_non_null(b);
    b->o = mb_linreg_defaults(LR_D, intercept);
    b->o.a0 = 1.5;
    b->o.b0 = 0.7;
    b->o.m0 = lr_m0;
    b->o.lambda0_matrix = intercept ? lr_lambda4 : lr_lambda3;
    must(mb_linreg_new(arena, &b->o, &b->m, &b->err));
    assert_true(b->m.layout.len <= LR_LEN && mb_local_scratch(&b->m) <= LR_SCRATCH);
    lr_rows(3, 0, LR_ROWS, b->x);
    for (int j = 0; j < LR_ROWS; j++)
        b->w[j] = 0.25 * (j % 6);
    b->rows = (mb_rows){
        .x = b->x, .w = weighted ? b->w : NULL, .n = LR_ROWS, .d = LR_COLUMNS, .ld = LR_COLUMNS};
    lr_fit(b);
    return b;
}

static inline void lr_predict(lr_bench *b, const mb_rows *rows, mb_want want, double *out)
{
    must(b->m.ops->predict(&b->m, b->phi, rows, want, out, b->scratch, &b->err));
}

#endif
