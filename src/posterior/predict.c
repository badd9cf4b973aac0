/* predict.c - predictions for rows in data units, and their score. */
#include "base/rows.h"
#include "base/text.h"
#include "model/estep.h"
#include "model/kind.h"
#include "model/model.h"
#include "num/num.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

enum { EACH = 3 /* numbers of a model's prediction of a target */ };

/* What one line of the output is of. */
enum { A_ROW, A_GROUP, A_STEP };

static const struct {
    const char *text, *column[5];
    int32_t     width; /* 0: one for each component or level */
    int         of;
} says[] = {[MB_WANT_LOGPDF] = {"density", {"log_density"}, 1, A_ROW},
            [MB_WANT_RESP] = {"responsibilities", {NULL}, 0, A_ROW},
            [MB_WANT_LABEL] = {"labels", {"label"}, 1, A_ROW},
            [MB_WANT_MEAN_VAR] = {"mean", {"mean", "variance"}, 2, A_ROW},
            [MB_WANT_INTERVAL] = {"interval",
                                  {"mean", "lower", "upper", "scale", "degrees_of_freedom"},
                                  5,
                                  A_ROW},
            [MB_WANT_PROB] = {"probabilities", {NULL}, 0, A_ROW},
            [MB_WANT_RANGE] = {"interval", {"mean", "lower", "upper"}, 3, A_ROW},
            [MB_WANT_GROUP] = {"group-density", {"log_density"}, 1, A_GROUP},
            [MB_WANT_AHEAD] = {"forecast", {"mean", "variance"}, 2, A_STEP},
            [MB_WANT_LOGZ] = {"expected-density", {"log_density"}, 1, A_GROUP},
            [MB_WANT_STATES] = {"states", {"state"}, 1, A_ROW},
            [MB_WANT_SMOOTHED] = {"smoothed", {NULL}, 0, A_ROW},
            [MB_WANT_FILTERED] = {"filtered", {NULL}, 0, A_ROW},

            [MB_WANT_SCORES] = {"scores", {NULL}, 0, A_ROW},
            [MB_WANT_FILLED] = {"filled", {NULL}, 0, A_ROW},
            [MB_WANT_STATES_AHEAD] = {"states-ahead", {NULL}, 0, A_STEP},
            [MB_WANT_TOPICS] = {"topics", {NULL}, 0, A_GROUP}};

/* 1 for what is said of each target. */
static int of_target(mb_want want)
{
    return want == MB_WANT_MEAN_VAR || want == MB_WANT_INTERVAL || want == MB_WANT_RANGE;
}

/* The parts of a row's state (mb_kind::state); NULL: it is said of components. */
static const char *const *state_of(const mb_posterior *p, mb_want want)
{
    return (want == MB_WANT_SMOOTHED || want == MB_WANT_FILTERED) && p->kind->state
               ? p->kind->state(&p->size)
               : NULL;
}

/* How many columns it is said of, one after the other; 0: of the row. */
static int32_t columns_of(const mb_posterior *p, mb_want want)
{
    const char *const *state = state_of(p, want);
    int32_t            n = 0;

    while (state && state[n])
        n++;
    return n                                            ? n
           : want == MB_WANT_AHEAD && !p->kind->targets ? p->size.D
           : want == MB_WANT_AHEAD || of_target(want)   ? mb_kind_targets(p->kind, &p->size)
                                                        : 0;
}

/* The name of column t of these. */
static const char *name_of(const mb_posterior *p, mb_want want, int32_t t)
{
    const char *const *state = state_of(p, want);

    return (state ? state : p->kind->targets ? p->target : p->column)[t];
}

/* Numbers of one of them, or of a row; 0: one for each component or level. */
static int32_t each_of(const mb_posterior *p, mb_want want)
{
    return state_of(p, want) ? 2 : says[want].width;
}

int64_t mb_want_lines_(const mb_posterior *p, const mb_rows *rows, mb_want want)
{
    const int64_t groups = rows->first                     ? rows->ngroup
                           : mb_kind_needs_groups(p->kind) ? rows->n > 0
                                                           : rows->n;

    return says[want].of == A_ROW     ? rows->n
           : says[want].of == A_GROUP ? groups
                                      : groups * rows->ahead;
}

const char *mb_want_text(mb_want want)
{
    return says[want].text;
}

int mb_want_named_(const mb_kind *kind, const mb_sizes *s, const char *name, mb_want *out)
{
    int32_t        n;
    const mb_want *all = mb_kind_wants(kind, s, &n);

    for (int32_t k = 0; k < n; k++)
        if (!strcmp(mb_want_text(all[k]), name)) {
            *out = all[k];
            return 1;
        }
    *out = MB_WANT_AHEAD;
    return kind->ahead && !strcmp(name, mb_want_text(MB_WANT_AHEAD));
}

int32_t mb_want_width_(const mb_posterior *p, mb_want want)
{
    const int32_t    of = columns_of(p, want), each = each_of(p, want);
    const mb_column *levels = mb_kind_levels(p->kind, &p->size);

    return each                     ? (of ? of : 1) * each
           : want == MB_WANT_SCORES ? p->size.factors
           : want == MB_WANT_TOPICS ? p->size.factors
           : want == MB_WANT_FILLED ? p->size.D
           : levels                 ? levels->levels
           : p->size.K > 0          ? p->size.K
                                    : 2 /* a flag */;
}

mb_status mb_posterior_predict_columns(mb_arena *a, const mb_posterior *p, mb_want want,
                                       const char *const **name, int32_t *width, mb_err *err)
{
    const int32_t      of = columns_of(p, want), T = of ? of : 1;
    const mb_column   *levels = mb_kind_levels(p->kind, &p->size);
    const int32_t      each = each_of(p, want);
    const char *const *text = says[state_of(p, want) ? MB_WANT_MEAN_VAR : want].column;
    const char       **list;

    *width = mb_want_width_(p, want);
    *name = want == MB_WANT_FILLED ? p->column : text;
    if ((each && T == 1) || want == MB_WANT_FILLED)
        return MB_OK;
    MB_NEW(list, a, *width, err);
    *name = list;
    for (int32_t k = 0; k < *width; k++) {
        list[k] = each ? mb_text(a, err, "%s.%s", text[k % each], name_of(p, want, k / each))
                  : p->kind->factors
                      ? mb_text(a, err, want == MB_WANT_TOPICS ? "topic%d" : "factor%d", (int)k + 1)
                  : levels         ? mb_text(a, err, "p.%s", levels->level[k])
                  : p->size.K == 0 ? mb_text(a, err, "p.%d", (int)k)
                                   : mb_text(a, err, "r%d", k);
        if (!list[k])
            return MB_E_NOMEM;
    }
    return MB_OK;
}

/* 1 where the model says of each component what its target is, for an interval of the mixture. */
static int by_parts(const mb_posterior *p, mb_want want)
{
    return want == MB_WANT_RANGE && p->size.K > 0;
}

/* Numbers of a model's prediction of the targets of a row. */
static int32_t most(const mb_posterior *p)
{
    const int32_t T = mb_kind_targets(p->kind, &p->size);

    return EACH * (T ? T * (p->size.K ? p->size.K : 1) : 1);
}

/* Rows that the model reads, its predictions, sums of statistics, its scratch. */
size_t mb_posterior_scratch(const mb_posterior *p, int64_t n)
{
    return (size_t)n * ((size_t)mb_posterior_columns(p) + (size_t)most(p)) + p->model->layout.len +
           mb_group_scratch_(p->model, n);
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

/* The rows that move wrote. whole: groups where there are none, of a kind that needs them. */
static mb_rows moved(const mb_posterior *p, const mb_rows *rows, const int64_t *whole,
                     const double *scratch)
{
    const int one = !rows->first && mb_kind_needs_groups(p->kind);

    return (mb_rows){.x = scratch,
                     .w = rows->w,
                     .n = rows->n,
                     .d = rows->d,
                     .ld = (size_t)rows->d,
                     .first = one ? whole : rows->first,
                     .ngroup = one ? rows->n > 0 : rows->ngroup,
                     .gaps = rows->gaps,
                     .ahead = rows->ahead};
}

/* After the rows: the model's predictions, or sums; its scratch. */
static double *answers(const mb_posterior *p, int64_t n, double *scratch)
{
    return scratch + (size_t)n * (size_t)mb_posterior_columns(p);
}

/* The prediction v of target, or column, t in data units. */
static void target(const mb_posterior *p, mb_want want, int32_t t, double level, const double *v,
                   double *x)
{
    const int     part = state_of(p, want) && t;
    const int32_t d = state_of(p, want) ? p->size.D : p->kind->targets ? p->size.D + t : t;
    const double  o = part ? 0 : p->units.origin[d], s = p->units.scale[d];

    x[0] = o + s * v[0];
    if (want == MB_WANT_RANGE) {
        const double half = v[2] * mb_student_quantile((double)INFINITY, (1 + level) / 2);

        x[1] = p->kind->mean_at(&p->size, v[1] - half);
        x[2] = p->kind->mean_at(&p->size, v[1] + half);
        return;
    }
    if (each_of(p, want) == 2) {
        x[1] = s * s * v[1];
        return;
    }
    const double half = v[1] * mb_student_quantile(v[2], (1 + level) / 2);

    x[1] = o + s * (v[0] - half);
    x[2] = o + s * (v[0] + half);
    x[3] = s * v[1];
    x[4] = v[2];
}

/* Mean and interval of the mixture of `v`, 3 K numbers of each of n rows, in data units. */
static mb_status mixtures(const mb_posterior *p, int64_t n, double level, const double *v,
                          double *scratch, double *out, mb_err *err)
{
    const int32_t K = p->size.K, d = p->size.D;
    const double  o = p->units.origin[d], s = p->units.scale[d];
    double       *share = scratch, *own = share + K; /* ends of each component, at scale 1 */

    MB_TRY(mb_weights_shares_(p->model, p->phi, share, err));
    for (int32_t k = 0; k < K && n; k++) {
        share[k] = exp(share[k]);
        own[k] = mb_student_quantile(v[3 * k + 2], (1 - level) / 2);
        own[K + k] = -own[k];
    }
    for (int64_t j = 0; j < n; j++, v += 3 * K, out += 3) {
        out[0] = 0;
        for (int32_t k = 0; k < K; k++)
            out[0] += share[k] * v[3 * k];
        out[1] = mb_student_mixture_quantile_(K, share, v, own, (1 - level) / 2);
        out[2] = mb_student_mixture_quantile_(K, share, v, own + K, (1 + level) / 2);
        for (int k = 0; k < 3; k++)
            out[k] = o + s * out[k];
    }
    return MB_OK;
}

/* ln of the volume of a unit cube of the columns of row j that have a value, in data units. */
static double jacobian(const mb_posterior *p, const mb_rows *rows, int64_t j)
{
    mb_rows one = mb_rows_part(rows, j, 1);

    one.w = NULL;
    return rows->gaps ? p->units.log_jacobian - mb_gaps_jacobian(&one, p->units.scale)
                      : p->units.log_jacobian;
}

/* ln Z of each row or group in data units. own: the rows where the model computes. */
static mb_status log_z(const mb_posterior *p, const mb_rows *rows, const mb_rows *own,
                       double *scratch, double *out, mb_err *err)
{
    const mb_model *m = p->model;
    double         *stats = answers(p, rows->n, scratch);

    memset(stats, 0, m->layout.len * sizeof *stats);
    for (int64_t g = 0; g < mb_want_lines_(p, own, MB_WANT_LOGZ); g++) {
        const int64_t from = own->first ? own->first[g] : g,
                      to = own->first ? own->first[g + 1] : g + 1;
        const int64_t whole[] = {0, to - from};
        mb_rows       one = mb_rows_part(own, from, to - from);

        one.w = NULL;
        one.first = own->first ? whole : NULL;
        one.ngroup = own->first != NULL;
        out[g] = 0;
        MB_TRY((g && m->ops->more_stats ? m->ops->more_stats : m->ops->stats)(
            m, p->phi, &one, stats, &out[g], stats + m->layout.len, err));
        for (int64_t j = from; j < to; j++)
            out[g] -= jacobian(p, rows, j);
        if (!isfinite(out[g]))
            MB_FAIL(err, MB_E_NUMERIC, "row %lld: its density is %g: it is too far out for %s",
                    (long long)from, out[g], p->name);
    }
    return MB_OK;
}

/* out[g] := the sum of each[j] over the rows of group g. */
static void by_group(const mb_posterior *p, const mb_rows *rows, const double *each, double *out)
{
    for (int64_t g = 0; g < mb_want_lines_(p, rows, MB_WANT_GROUP); g++) {
        const int64_t end = rows->first ? rows->first[g + 1] : g + 1;

        out[g] = 0;
        for (int64_t j = rows->first ? rows->first[g] : g; j < end; j++)
            out[g] += each[j];
    }
}

/* The D values of row j in data units, to the bit where the row has them. */
static void fill(const mb_posterior *p, const mb_rows *rows, int64_t j, double *x)
{
    for (int32_t d = 0; d < p->size.D; d++) {
        const double there = mb_rows_at(rows, j, d);

        x[d] = isnan(there) ? p->units.origin[d] + p->units.scale[d] * x[d] : there;
    }
}

mb_status mb_posterior_predict(const mb_posterior *p, const mb_rows *rows, mb_want want,
                               double level, double *out, double *scratch, mb_err *err)
{
    const mb_model *m = p->model;
    const mb_want   of = want == MB_WANT_GROUP || want == MB_WANT_LOGZ ? MB_WANT_LOGPDF : want;
    const int32_t   T = columns_of(p, want);
    const int64_t   whole[] = {0, rows->n};
    double         *v = answers(p, rows->n, scratch), *work = v + rows->n * most(p);
    double         *to = of_target(want) || want == MB_WANT_GROUP ? v : out;
    const mb_rows   own = moved(p, rows, whole, scratch);
    const int64_t   lines = mb_want_lines_(p, &own, want);

    if (want == MB_WANT_GROUP && !mb_kind_grouped(p->kind, &p->size))
        MB_FAIL(err, MB_E_NOSUP, "%s was fitted to rows, not to groups of them", p->name);
    MB_TRY(move(p, rows, of, scratch, err));
    if (want == MB_WANT_LOGZ)
        return log_z(p, rows, &own, scratch, out, err);
    MB_TRY(m->ops->predict(m, p->phi, &own, of, to, work, err));
    for (int64_t j = 0; of == MB_WANT_LOGPDF && j < rows->n; j++)
        to[j] -= jacobian(p, rows, j);
    if (want == MB_WANT_GROUP)
        by_group(p, &own, to, out);
    if (by_parts(p, want))
        return mixtures(p, rows->n, level, v, work, out, err);
    for (int64_t j = 0; want == MB_WANT_FILLED && j < lines; j++)
        fill(p, rows, j, out + j * p->size.D);
    for (int64_t j = 0; j < lines * T; j++)
        target(p, want, (int32_t)(j % T), level, to + j * (each_of(p, want) == 2 ? 2 : 3),
               out + j * each_of(p, want));
    return MB_OK;
}

/* Compensated, so that the mean of 1e9 rows loses no digits. */
static void add(mb_score *s, double x)
{
    const double term = x - s->lost, sum = s->sum + term;

    s->lost = (sum - s->sum) - term;
    s->sum = sum;
}

mb_want mb_density_want_(mb_density density)
{
    return density == MB_EXPECTED ? MB_WANT_LOGZ : MB_WANT_LOGPDF;
}

mb_status mb_score_expected_(const mb_posterior *p, const mb_rows *rows, double *scratch,
                             double *sum, mb_err *err)
{
    const mb_model *m = p->model;
    const int64_t   whole[] = {0, rows->n};
    double         *stats = answers(p, rows->n, scratch);
    const mb_rows   own = moved(p, rows, whole, scratch);

    MB_TRY(move(p, rows, MB_WANT_LOGPDF, scratch, err));
    memset(stats, 0, m->layout.len * sizeof *stats);
    return m->ops->stats(m, p->phi, &own, stats, sum, stats + m->layout.len, err);
}

mb_status mb_score_rows(const mb_posterior *p, const mb_rows *rows, mb_density density,
                        double *each, double *scratch, mb_err *err)
{
    each[rows->n] = 0;
    MB_TRY(mb_posterior_predict(p, rows, mb_density_want_(density), 0, each, scratch, err));
    return density == MB_EXPECTED ? mb_score_expected_(p, rows, scratch, &each[rows->n], err)
                                  : MB_OK;
}

void mb_score_add(mb_score *s, const mb_posterior *p, const mb_rows *rows, mb_density of,
                  const double *each)
{
    for (int64_t j = 0; j < rows->n; j++) {
        const int    empty = rows->gaps && mb_rows_gaps(rows, j) == rows->d;
        const double w = empty ? 0 : rows->w ? rows->w[j] : 1;

        add(s, w * (of == MB_EXPECTED ? -jacobian(p, rows, j) : each[j]));
        s->weight += w;
        if (p->kind->form)
            s->words += w * mb_rows_at(rows, j, rows->d - 1);
    }
    s->rows += rows->n;
    if (of == MB_EXPECTED)
        add(s, each[rows->n]);
}
