/* models.h - every model with rows, weights and a posterior to stand at, for the contract tests. */
#ifndef MB_TEST_MODELS_H
#define MB_TEST_MODELS_H

#include "arena.h"
#include "base/columns.h"
#include "gen.h"
#include "kinds.h"
#include "model/kind.h"
#include "model/model.h"
#include "test.h"

/* Of all mixtures and regressions; a test may say others. */
#ifndef MODEL_SHAPES
/* clang-format off */
#define MODEL_SHAPES {3, 2, 1}, {1, 1, 1}, {4, 6, 1}, {3, 3, 0}
/* clang-format on */
#define MODEL_COLUMNS 6
#endif

/* A kind of tests that goes through them, too. */
#ifndef MODEL_ALSO
#define MODEL_ALSO NULL
#endif

enum {
    ROWS = 450,
    COLUMNS = MODEL_COLUMNS,
    MAX_LEN = 512
}; /* more than two blocks of rows, and a part of one */

/* Sums in another order. */
static const double TOL_ORDER = 1e-12;

/* Components and columns of rows; a regression has one input fewer, one of none, and one without an
 * intercept. */
static const struct {
    int32_t K, columns, intercept;
} shapes[] = {MODEL_SHAPES};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* All listed kinds and MODEL_ALSO, ends with NULL. */
static inline const mb_kind *const *tested_kinds(void)
{
    static const mb_kind *all[16];
    size_t                n = 0;

    for (const mb_kind *const *k = mb_kind_list(); *k && n < 14; k++)
        all[n++] = *k;
    all[n] = MODEL_ALSO;
    return all;
}

/* All listed kinds, all words of their choices and all shapes. */
static inline size_t count_all(void)
{
    size_t   n = 0;
    mb_sizes s = {.K = 0};

    for (const mb_kind *const *k = tested_kinds(); *k; k++)
        n += (size_t)kind_choose(*k, 0, &s) * SHAPES;
    return n;
}

/* Of three models in turn another one where sizes are small. */
static inline size_t count_models(void)
{
    return sized(0, 1) ? (count_all() + 2) / 3 : count_all();
}
#define MODELS count_models()

/* Model i of them, its kind and sizes, and the columns of its rows; 0: there is none. */
static inline int make_model(size_t i, mb_model *m, const mb_kind **kind, mb_sizes *size,
                             int32_t *columns)
{
    const size_t last = count_all() - 1;

    if (sized(0, 1))
        i = 3 * i + i % 3 < last ? 3 * i + i % 3 : last;
    for (const mb_kind *const *k = tested_kinds(); *k; k++) {
        mb_sizes     s = {.K = 0};
        const size_t forms = (size_t)kind_choose(*k, 0, &s), all = forms * SHAPES;

        if (i >= all) {
            i -= all;
            continue;
        }
        *kind = *k;
        *columns = shapes[i / forms].columns;
        if (mb_kind_latent(*k))
            *mb_sizes_latent(*k, &s) = shapes[i / forms].K;
        s.D = *columns - ((*k)->targets > 0);
        s.intercept = mb_kind_takes_intercept(*k) && shapes[i / forms].intercept;
        kind_choose(*k, (int)(i % forms), &s);
        *columns = s.D + mb_kind_targets(*k, &s);
        assert_int_equal(mb_kind_model(arena, *k, &s, m, NULL), MB_OK);
        *size = s;
        return 1;
    }
    return 0;
}

/* A model, rows with weights, a posterior to stand at, and room. */
typedef struct bench {
    mb_model       m;
    mb_model_ops   ops; /* see stay */
    const mb_kind *kind;
    mb_sizes       size;
    mb_rows        rows;
    double         x[ROWS * (COLUMNS + 1)], w[ROWS]; /* a column more of two targets */
    double        *phi, *s[2], *scratch, *resp;
    mb_err         err;
} bench;

/* A number as one of its column's kind. */
static inline double as_kind(const mb_sizes *s, int32_t d, double x)
{
    const int32_t whole = (int32_t)(3 * (x < 0 ? -x : x));

    switch (s->columns && d < s->columns->d ? mb_columns_kind(s->columns, d) : MB_COLUMN_NUMBER) {
    case MB_COLUMN_COUNT:
        return whole;
    case MB_COLUMN_CATEGORY:
    case MB_COLUMN_FLAG:
        return whole % s->columns->of[d].levels;
    default:
        return x;
    }
}

static inline void set_up(bench *b, size_t i)
{
    mb_rng   r = gen_rng(10 + i);
    int32_t  d = 0;
    mb_sizes s;

    memset(b, 0, sizeof *b);
    assert_true(make_model(i, &b->m, &b->kind, &s, &d));
    gen_rows(&r, ROWS, d, b->m.K ? b->m.K : 3, b->x);
    for (int32_t j = 0; j < ROWS * d; j++)
        b->x[j] = as_kind(&s, j % d, b->x[j]);
    for (int j = 0; j < ROWS; j++)
        b->w[j] = 0.25 * (double)(1 + j % 7);
    b->size = s;
    b->rows = (mb_rows){.x = b->x, .w = b->w, .n = ROWS, .d = d, .ld = (size_t)d};
    assert_true(b->m.layout.len <= MAX_LEN);
    b->m.scratch = mb_group_scratch_(&b->m, ROWS);
    b->phi = doubles(b->m.layout.len);
    b->s[0] = doubles(b->m.layout.len);
    b->s[1] = doubles(b->m.layout.len);
    b->scratch = doubles(mb_local_scratch(&b->m));
    b->resp = doubles(ROWS * (size_t)(b->m.K ? b->m.K : 1));
    for (int j = 0; j < ROWS; j++)
        for (int32_t k = 0; k < b->m.K; k++)
            b->resp[j * b->m.K + k] = b->m.K > 1 ? (k == j % b->m.K ? 0.7 : 0.3 / (b->m.K - 1)) : 1;
    kind_suit(b->kind, &b->m, &b->rows, b->x, b->s[0], b->scratch);
    must(mb_seed_step(&b->m, &b->rows, 1, b->resp, b->phi, b->scratch, &b->err));
}

/* A step at phi itself, of a model that moves it before. */
static inline void stay(bench *b)
{
    b->ops = *b->m.ops;
    b->ops.straighten = NULL;
    b->m.ops = &b->ops;
}

static inline mb_rows part(const bench *b, int64_t from, int64_t n)
{
    mb_rows r = b->rows;

    r.x += (size_t)from * r.ld;
    r.w = b->rows.w ? b->rows.w + from : NULL;
    r.n = n;
    return r;
}

/* The first column that may have gaps, of a kind that has them: inputs have none. */
static inline int32_t gaps_from(const bench *b)
{
    return b->kind->targets ? b->size.D : 0;
}

/* -9 is outside for most families; where all finite numbers are inside, NaN is not. */
static inline void leave_the_domain(bench *b, int32_t block)
{
    double *phi = b->phi + b->m.layout.block[block].off, A;

    *phi = -9;
    if (mb_moments(&b->m.layout, b->phi, NULL, &A, b->scratch, NULL) == MB_OK)
        *phi = NAN;
}

#endif
