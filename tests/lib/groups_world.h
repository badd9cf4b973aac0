/* groups_world.h - mixtures of Gaussians of every form, rows in groups, and what a single row says
 * of a single component, which is asked of the model with that component alone. */
#ifndef MB_TEST_GROUPS_WORLD_H
#define MB_TEST_GROUPS_WORLD_H

#include "arena.h"
#include "base/rows.h"
#include "gen.h"
#include "model/model.h"
#include "test.h"

enum { K = 3, D = 2, ROWS = 900, TINY = 10, GROUPS = 4, MAX = 64 };

static double        x[ROWS * D], w[ROWS], resp[ROWS * K], other[ROWS * K];
static const int64_t tiny[GROUPS + 1] = {0, 3, 4, 9, TINY};
static double        scratch[1 << 17];

typedef struct form {
    mb_covariance covariance;
    int32_t       process;
} form;

static const form forms[] = {{MB_COVARIANCE_FULL, 0},      {MB_COVARIANCE_FULL, 1},
                             {MB_COVARIANCE_DIAG, 0},      {MB_COVARIANCE_DIAG, 1},
                             {MB_COVARIANCE_SPHERICAL, 0}, {MB_COVARIANCE_SPHERICAL, 1}};
#define EACH_FORM(f) for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)

static inline mb_model model_of(form f, int32_t components, int32_t grouped)
{
    mb_gmm_opt o = mb_gmm_defaults(components, D);
    mb_model   m;

    o.covariance = f.covariance;
    o.process = f.process;
    o.nu0 = 3.5;
    o.grouped = grouped;
    must(mb_gmm_new(arena, &o, &m, NULL));
    assert_true(m.layout.len <= MAX && mb_local_scratch(&m) <= sizeof scratch / sizeof *scratch);
    return m;
}

static inline void draw_rows(void)
{
    mb_rng r = gen_rng(11);

    gen_rows(&r, ROWS, D, K, x);
    for (int j = 0; j < ROWS; j++) {
        w[j] = 1;
        for (int k = 0; k < K; k++)
            resp[j * K + k] = k == j / 7 % K ? 0.8 : 0.1;
    }
}

static inline mb_rows rows_of(int64_t n, const int64_t *first, int32_t ngroup)
{
    return (mb_rows){.x = x, .n = n, .d = D, .ld = D, .first = first, .ngroup = ngroup};
}

/* Some state of the model. */
static inline void some_state(const mb_model *m, double *phi)
{
    const mb_rows rows = rows_of(200, NULL, 0);

    must(mb_seed_step(m, &rows, 1, resp, phi, scratch, NULL));
}

/* What row j alone says of component k of phi: ln of its density in the E-step, and s, MAX
 * statistics of the component. */
static inline double one_row(form f, const mb_model *m, const double *phi, const mb_rows *rows,
                             int64_t j, int32_t k, double *s)
{
    const mb_model  single = model_of(f, 1, 0);
    const mb_block *from = &m->layout.block[1], *to = &single.layout.block[1];
    mb_rows         one = mb_rows_part(rows, j, 1);
    double          own[MAX], sum[MAX] = {0}, logz = 0, ln_pi = 0;

    one.w = NULL;
    memcpy(own, single.prior, single.layout.len * sizeof *own);
    memcpy(own + to->off, phi + from->off + from->len * (size_t)k, to->len * sizeof *own);
    must(single.ops->stats(&single, own, &one, sum, &logz, scratch, NULL));
    memcpy(s, sum + to->off, to->len * sizeof *s);
    must(single.layout.block[0].family->weights->expect(1, own, &ln_pi, NULL));
    return mb_rows_gaps(rows, j) == D ? 0 : logz - ln_pi; /* a row of gaps only is no row */
}

/* Groups that are longer than any block, of one row, empty, and of weight 0. */
static const int64_t mixed[] = {0, 1, 200, 200, 600, 601, 603, 890, ROWS};
enum { MIXED = sizeof mixed / sizeof *mixed - 1 };

#endif
