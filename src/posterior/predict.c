/* predict.c - predictions for rows in data units, and their score. */
#include "base/rows.h"
#include "base/text.h"
#include "model/kind.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

enum { EACH = 3 /* numbers of a model's prediction of a target */ };

static const struct {
    const char *text, *column[5];
    int32_t     width; /* 0: one for each component or level */
} says[] = {
    [MB_WANT_LOGPDF] = {"density", {"log_density"}, 1},
    [MB_WANT_RESP] = {"responsibilities", {NULL}, 0},
    [MB_WANT_LABEL] = {"labels", {"label"}, 1},
    [MB_WANT_MEAN_VAR] = {"mean", {"mean", "variance"}, 2},
    [MB_WANT_INTERVAL] = {"interval", {"mean", "lower", "upper", "scale", "degrees_of_freedom"}, 5},
    [MB_WANT_PROB] = {"probabilities", {NULL}, 0},
    [MB_WANT_RANGE] = {"interval", {"mean", "lower", "upper"}, 3}};

/* 1 for what is said of each target. */
static int of_target(mb_want want)
{
    return want == MB_WANT_MEAN_VAR || want == MB_WANT_INTERVAL || want == MB_WANT_RANGE;
}

const char *mb_want_text(mb_want want)
{
    return says[want].text;
}

mb_status mb_posterior_predict_columns(mb_arena *a, const mb_posterior *p, mb_want want,
                                       const char *const **name, int32_t *width, mb_err *err)
{
    const int32_t    T = of_target(want) ? mb_kind_targets(p->kind, &p->size) : 1;
    const mb_column *levels = mb_kind_levels(p->kind, &p->size);
    const int32_t    each = says[want].width;
    const char     **list;

    *width = each ? T * each : levels ? levels->levels : p->size.K ? p->size.K : 2 /* a flag */;
    *name = says[want].column;
    if (each && T == 1)
        return MB_OK;
    MB_NEW(list, a, *width, err);
    *name = list;
    for (int32_t k = 0; k < *width; k++) {
        list[k] = each ? mb_text(a, err, "%s.%s", says[want].column[k % each], p->target[k / each])
                  : levels          ? mb_text(a, err, "p.%s", levels->level[k])
                  : p->kind->target ? mb_text(a, err, "p.%d", (int)k)
                                    : mb_text(a, err, "r%d", k);
        if (!list[k])
            return MB_E_NOMEM;
    }
    return MB_OK;
}

/* Numbers of a model's prediction of the targets of a row. */
static int32_t most(const mb_posterior *p)
{
    return EACH * (mb_kind_targets(p->kind, &p->size) + !p->kind->target);
}

/* Rows that the model reads, its predictions, sums of statistics, its scratch. */
size_t mb_posterior_scratch(const mb_posterior *p, int64_t n)
{
    return (size_t)n * ((size_t)mb_posterior_columns(p) + (size_t)most(p)) + p->model->layout.len +
           p->model->scratch;
}

/* Writes the rows, in the units where p computes, to the beginning of scratch. */
static mb_status move(const mb_posterior *p, const mb_rows *rows, mb_want want, double *scratch,
                      mb_err *err)
{
    const int32_t d = rows->d, all = mb_posterior_columns(p);
    const double *origin = p->units.origin, *scale = p->units.scale;
    double       *x = scratch;

    if (!p->model->ops->predict)
        MB_FAIL(err, MB_E_NOSUP, "model %s predicts nothing of rows", p->kind->name);
    if (d != all && (d != p->size.D || want == MB_WANT_LOGPDF))
        MB_FAIL(err, MB_E_SHAPE, "rows: got %d columns; expected the %d of %s", d, all, p->name);
    for (int64_t j = 0; j < rows->n; j++, x += d) {
        const double *row = mb_rows_row(rows, j, x);

        for (int32_t k = 0; k < d; k++)
            x[k] = (row[k] - origin[k]) / scale[k];
    }
    return MB_OK;
}

/* The rows that move wrote. */
static mb_rows moved(const mb_rows *rows, const double *scratch)
{
    return (mb_rows){.x = scratch,
                     .w = rows->w,
                     .n = rows->n,
                     .d = rows->d,
                     .ld = (size_t)rows->d,
                     .first = rows->first,
                     .ngroup = rows->ngroup,
                     .gaps = rows->gaps};
}

/* After the rows: the model's predictions, or sums; its scratch. */
static double *answers(const mb_posterior *p, int64_t n, double *scratch)
{
    return scratch + (size_t)n * (size_t)mb_posterior_columns(p);
}

/* The prediction v of target t in data units. */
static void target(const mb_posterior *p, mb_want want, int32_t t, double level, const double *v,
                   double *x)
{
    const double o = p->units.origin[p->size.D + t], s = p->units.scale[p->size.D + t];

    x[0] = o + s * v[0];
    if (want == MB_WANT_RANGE) {
        const double half = v[2] * mb_student_quantile((double)INFINITY, (1 + level) / 2);

        x[1] = p->kind->mean_at(&p->size, v[1] - half);
        x[2] = p->kind->mean_at(&p->size, v[1] + half);
        return;
    }
    if (want == MB_WANT_MEAN_VAR) {
        x[1] = s * s * v[1];
        return;
    }
    const double half = v[1] * mb_student_quantile(v[2], (1 + level) / 2);

    x[1] = o + s * (v[0] - half);
    x[2] = o + s * (v[0] + half);
    x[3] = s * v[1];
    x[4] = v[2];
}

/* ln of the volume of a unit cube of the columns of row j that have a value, in data units. */
static double jacobian(const mb_posterior *p, const mb_rows *rows, int64_t j)
{
    mb_rows one = mb_rows_part(rows, j, 1);

    one.w = NULL;
    return rows->gaps ? p->units.log_jacobian - mb_gaps_jacobian(&one, p->units.scale)
                      : p->units.log_jacobian;
}

mb_status mb_posterior_predict(const mb_posterior *p, const mb_rows *rows, mb_want want,
                               double level, double *out, double *scratch, mb_err *err)
{
    const mb_model *m = p->model;
    const int32_t   T = of_target(want) ? mb_kind_targets(p->kind, &p->size) : 0;
    double         *v = answers(p, rows->n, scratch), *work = v + rows->n * most(p);
    const mb_rows   own = moved(rows, scratch);

    MB_TRY(move(p, rows, want, scratch, err));
    MB_TRY(m->ops->predict(m, p->phi, &own, want, T ? v : out, work, err));
    for (int64_t j = 0; want == MB_WANT_LOGPDF && j < rows->n; j++)
        out[j] -= jacobian(p, rows, j);
    for (int64_t j = 0; j < rows->n * T; j++)
        target(p, want, (int32_t)(j % T), level, v + j * (want == MB_WANT_MEAN_VAR ? 2 : 3),
               out + j * says[want].width);
    return MB_OK;
}

/* Compensated, so that the mean of 1e9 rows loses no digits. */
static void add(mb_score *s, double x)
{
    const double term = x - s->lost, sum = s->sum + term;

    s->lost = (sum - s->sum) - term;
    s->sum = sum;
}

/* sum_j w_j ln Z_j: ln Z is what the E-step divides by. */
static mb_status expected(const mb_posterior *p, const mb_rows *rows, double *scratch, double *sum,
                          mb_err *err)
{
    const mb_model *m = p->model;
    double         *stats = answers(p, rows->n, scratch);
    const mb_rows   own = moved(rows, scratch);

    memset(stats, 0, m->layout.len * sizeof *stats);
    return m->ops->stats(m, p->phi, &own, stats, sum, stats + m->layout.len, err);
}

mb_status mb_score_rows(const mb_posterior *p, const mb_rows *rows, mb_density density,
                        double *each, double *scratch, mb_err *err)
{
    each[rows->n] = 0;
    MB_TRY(mb_posterior_predict(p, rows, MB_WANT_LOGPDF, 0, each, scratch, err));
    return density == MB_EXPECTED ? expected(p, rows, scratch, &each[rows->n], err) : MB_OK;
}

void mb_score_add(mb_score *s, const mb_posterior *p, const mb_rows *rows, mb_density of,
                  const double *each)
{
    for (int64_t j = 0; j < rows->n; j++) {
        const int    empty = rows->gaps && mb_rows_gaps(rows, j) == rows->d;
        const double w = empty ? 0 : rows->w ? rows->w[j] : 1;

        add(s, w * (of == MB_EXPECTED ? -jacobian(p, rows, j) : each[j]));
        s->weight += w;
    }
    s->rows += rows->n;
    if (of == MB_EXPECTED)
        add(s, each[rows->n]);
}
