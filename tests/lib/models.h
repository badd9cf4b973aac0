/* models.h - every model with rows, weights and a posterior to stand at, for the contract tests. */
#ifndef MB_TEST_MODELS_H
#define MB_TEST_MODELS_H

#include "arena.h"
#include "gen.h"
#include "meshbayes/model.h"
#include "near.h"

#include <string.h>

enum {
    ROWS = 450,
    COLUMNS = 6,
    MAX_LEN = 512
}; /* more than two blocks of rows, and a part of one */

/* Sums in another order. */
static const double TOL_ORDER = 1e-12;

static inline mb_status mixture(int32_t K, int32_t D, mb_model *m)
{
    mb_gmm_opt o = mb_gmm_defaults(K, D);

    return mb_gmm_new(arena, &o, m, NULL);
}

static inline mb_status gmm_paper(mb_model *m)
{
    return mixture(3, 2, m);
}

static inline mb_status gmm_single(mb_model *m)
{
    return mixture(1, 1, m);
}

static inline mb_status gmm_wide(mb_model *m)
{
    return mixture(4, COLUMNS, m);
}

static inline mb_status columns_of(mb_covariance covariance, mb_model *m)
{
    mb_gmm_opt o = mb_gmm_defaults(3, COLUMNS);

    o.covariance = covariance;
    return mb_gmm_new(arena, &o, m, NULL);
}

static inline mb_status gmm_diag(mb_model *m)
{
    return columns_of(MB_COVARIANCE_DIAG, m);
}

static inline mb_status gmm_spherical(mb_model *m)
{
    return columns_of(MB_COVARIANCE_SPHERICAL, m);
}

static inline mb_status regression(int32_t D, int32_t intercept, mb_model *m)
{
    mb_linreg_opt o = mb_linreg_defaults(D, intercept);

    return mb_linreg_new(arena, &o, m, NULL);
}

static inline mb_status linreg_wide(mb_model *m)
{
    return regression(COLUMNS - 1, 1, m);
}

static inline mb_status linreg_constant(mb_model *m)
{
    return regression(0, 1, m);
}

static inline mb_status linreg_origin(mb_model *m)
{
    return regression(2, 0, m);
}

typedef struct entry {
    mb_status (*make)(mb_model *);
    int32_t d;
} entry;

static const entry models[] = {{gmm_paper, 2},         {gmm_single, 1},         {gmm_wide, COLUMNS},
                               {linreg_wide, COLUMNS}, {linreg_constant, 1},    {linreg_origin, 3},
                               {gmm_diag, COLUMNS},    {gmm_spherical, COLUMNS}};
enum { MODELS = sizeof models / sizeof *models };

/* A model, rows with weights, a posterior to stand at, and room. */
typedef struct bench {
    mb_model m;
    mb_rows  rows;
    double   x[ROWS * COLUMNS], w[ROWS];
    double  *phi, *s[2], *scratch, *resp;
    mb_err   err;
} bench;

static inline double *doubles(size_t n)
{
    double *p = mb_alloc(arena, n, sizeof *p);

    assert_non_null(p);
    return p;
}

static inline void set_up(bench *b, size_t i)
{
    mb_rng r = gen_rng(10 + i);

    memset(b, 0, sizeof *b);
    assert_int_equal(models[i].make(&b->m), MB_OK);
    gen_rows(&r, ROWS, models[i].d, b->m.K ? b->m.K : 3, b->x);
    for (int j = 0; j < ROWS; j++)
        b->w[j] = 0.25 * (double)(1 + j % 7);
    b->rows =
        (mb_rows){.x = b->x, .w = b->w, .n = ROWS, .d = models[i].d, .ld = (size_t)models[i].d};
    assert_true(b->m.layout.len <= MAX_LEN);
    b->phi = doubles(b->m.layout.len);
    b->s[0] = doubles(b->m.layout.len);
    b->s[1] = doubles(b->m.layout.len);
    b->scratch = doubles(mb_local_scratch(&b->m));
    b->resp = doubles(ROWS * (size_t)(b->m.K ? b->m.K : 1));
    for (int j = 0; j < ROWS; j++)
        for (int32_t k = 0; k < b->m.K; k++)
            b->resp[j * b->m.K + k] = b->m.K > 1 ? (k == j % b->m.K ? 0.7 : 0.3 / (b->m.K - 1)) : 1;
    assert_int_equal(mb_seed_step(&b->m, &b->rows, 1, b->resp, b->phi, b->scratch, &b->err), MB_OK);
}

static inline mb_rows part(const bench *b, int64_t from, int64_t n)
{
    mb_rows r = b->rows;

    r.x += (size_t)from * r.ld;
    r.w = b->rows.w ? b->rows.w + from : NULL;
    r.n = n;
    return r;
}

#endif
