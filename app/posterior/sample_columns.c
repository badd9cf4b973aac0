/* sample_columns.c - draws of parameters as rows of a table with named columns. */
#include "posterior/sample.h"

#include <string.h>

static mb_status join(mb_arena *a, const char *first, const char *second, const char *third,
                      const char **out, mb_err *err)
{
    const size_t len = strlen(first) + strlen(second) + strlen(third) + 3;
    char        *text;

    MB_NEW(text, a, len, err);
    snprintf(text, len, "%s%s%s%s%s", first, *second ? "." : "", second, *third ? "." : "", third);
    *out = text;
    return MB_OK;
}

static mb_status mixture_names(mb_arena *a, const posterior *p, sample_columns *c, mb_err *err)
{
    const int32_t D = p->D;
    const char  **name;

    c->count = 3 + D + D * (D + 1) / 2;
    c->rows = p->model.K;
    MB_NEW(c->name, a, c->count, err);
    name = c->name;
    *name++ = "draw";
    *name++ = "component";
    *name++ = "weight";
    for (int32_t d = 0; d < D; d++)
        MB_TRY(join(a, "mean", p->feature[d], "", name++, err));
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++)
            MB_TRY(join(a, "covariance", p->feature[i], p->feature[j], name++, err));
    c->ndim = 3;
    c->shape[1] = c->rows;
    c->shape[2] = c->count;
    return MB_OK;
}

static mb_status regression_names(mb_arena *a, const posterior *p, sample_columns *c, mb_err *err)
{
    const char **name;

    c->count = 1 + p->intercept + p->D + 1;
    c->rows = 1;
    MB_NEW(c->name, a, c->count, err);
    name = c->name;
    *name++ = "draw";
    if (p->intercept)
        *name++ = "intercept";
    for (int32_t d = 0; d < p->D; d++)
        MB_TRY(join(a, "coef", p->feature[d], "", name++, err));
    *name = "noise_variance";
    c->ndim = 2;
    c->shape[1] = c->count;
    return MB_OK;
}

mb_status sample_columns_new(mb_arena *a, const posterior *p, sample_columns *out, mb_err *err)
{
    memset(out, 0, sizeof *out);
    return p->model.K ? mixture_names(a, p, out, err) : regression_names(a, p, out, err);
}

void sample_columns_fill(const posterior *p, const sample_columns *c, int64_t draw,
                         const double *theta, double *out)
{
    const int32_t K = p->model.K;
    const size_t  each = (size_t)c->count - (K ? 3 : 1);

    if (!K)
        *out++ = (double)draw;
    for (int32_t k = 0; k < K; k++, out += each) {
        *out++ = (double)draw;
        *out++ = k + 1;
        *out++ = theta[k];
        memcpy(out, theta + K + (size_t)k * each, each * sizeof *out);
    }
    if (!K)
        memcpy(out, theta, each * sizeof *out);
}
