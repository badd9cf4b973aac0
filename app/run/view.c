/* view.c - what the report reads of the answer: answer.json, and the rows and component shapes
 * on the columns shown and in the plane in which the rows spread most. */
#include "base/columns.h"
#include "data/pca.h"
#include "model/components.h"
#include "model/kind.h"
#include "model/model.h"
#include "run/answer.h"

#include <math.h>
#include <string.h>

enum { ANSWER_COLUMNS = 4 /* columns on which components are drawn, at most */ };
/* On what the components are drawn: the columns that separate them best, and two principal
 * components of the columns in units of their standard deviation. */
typedef struct sim_view {
    int32_t ncol; /* 0: nothing is drawn                                          */
    int32_t col[ANSWER_COLUMNS];
    int64_t lacking;  /* of the rows chosen: without a value in a column shown, and left out */
    int64_t nrow;     /* rows chosen: row j of the picture is row j n/nrow of the data */
    double *scale;    /* D: standard deviations                                   */
    double *axis;     /* 2 x D, unit length, in units of scale; NULL: no such view */
    double *middle;   /* D: mean of the rows shown                                */
    double  share[2]; /* of the variance, on each axis                            */
} sim_view;

enum { WIDE = 200, FEW = 400 /* rows that give the axes of wide tables */ };

/* Middle and standard deviation of each column; a constant column counts in its own units. */
static mb_status scales(mb_arena *a, int64_t n, int32_t D, const double *rows, sim_view *v,
                        mb_err *err)
{
    MB_NEW(v->scale, a, D, err);
    MB_NEW(v->middle, a, D, err);
    for (int64_t j = 0; j < n; j++)
        for (int32_t d = 0; d < D; d++)
            v->middle[d] += rows[j * D + d] / (double)n;
    for (int32_t d = 0; d < D; d++) {
        double sum = 0;

        for (int64_t j = 0; j < n; j++)
            sum += pow(rows[j * D + d] - v->middle[d], 2);
        v->scale[d] = sqrt(sum / (double)n);
        if (!(v->scale[d] > 1e-12 * fabs(v->middle[d])))
            v->scale[d] = 1;
    }
    return MB_OK;
}

/* The axes; rows (n x D) in data units. */
static mb_status find_axes(const sim_job *job, const sim_rows *of, int64_t n, double *rows,
                           sim_view *v, mb_err *err)
{
    const int32_t D = of->data.d;
    const int64_t used = D > WIDE && n > FEW ? FEW : n;
    double       *z;
    pca           p;
    mb_status     st;

    if (D < 3 || n < 3)
        return MB_OK;
    MB_TRY(scales(job->a, n, D, rows, v, err));
    MB_NEW(z, job->a, (size_t)used * (size_t)D, err);
    for (int64_t j = 0; j < used; j++)
        for (int32_t d = 0; d < D; d++)
            z[j * D + d] = (rows[j * n / used * D + d] - v->middle[d]) / v->scale[d];
    st = pca_fit(job->a, used, D, z, 2, 0, &p, err);
    if (st == MB_E_NUMERIC)
        return MB_OK; /* equal rows: nothing to see */
    MB_TRY(st);
    v->axis = p.axis;
    for (int k = 0; k < 2; k++)
        v->share[k] = p.variance[k] / p.total;
    return MB_OK;
}

/* A point (D), data units, on axis k. */
static double on_axis(const sim_rows *of, const sim_view *v, int32_t k, const double *x)
{
    const int32_t D = of->data.d;
    double        sum = 0;

    for (int32_t d = 0; d < D; d++)
        sum += v->axis[k * D + d] * (x[d] - v->middle[d]) / v->scale[d];
    return sum;
}

/* Adds column pair (i, j) of every component to its covariance on the axes. */
static void add_pair(const sim_view *v, int32_t D, int32_t i, int32_t j, int32_t K,
                     const mb_component *part, double *cov)
{
    const double ui = v->axis[i] / v->scale[i], uj = v->axis[j] / v->scale[j];
    const double wi = v->axis[D + i] / v->scale[i], wj = v->axis[D + j] / v->scale[j];
    const double twice = i == j ? 1 : 2;

    for (int32_t k = 0; k < K; k++) {
        const double c = part[k].cov[1];

        cov[3 * k] += twice * c * ui * uj;
        cov[3 * k + 1] += i == j ? c * ui * wi : c * (ui * wj + uj * wi);
        cov[3 * k + 2] += twice * c * wi * wj;
    }
}

/* Means (K x 2) and covariances (K x 3: xx, xy, yy) of the answer's components on the axes. */
static mb_status parts_on_axes(const sim_job *job, const sim_rows *of, const sim_answer *a,
                               const sim_view *v, double *mean, double *cov, mb_err *err)
{
    const mb_posterior *p = &a->posterior;
    const int32_t       D = of->data.d, K = p->size.K;
    mb_components       all;
    mb_component       *part;
    double             *x;

    MB_TRY(mb_components_make(job->a, p->kind, &p->size, p->par, &all, err));
    MB_NEW(part, job->a, K, err);
    MB_NEW(x, job->a, (size_t)K * (size_t)D, err);
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++) {
            mb_components_on(&all, i, j, part);
            add_pair(v, D, i, j, K, part, cov);
            for (int32_t k = 0; k < K && i == j; k++)
                x[k * D + i] = part[k].mean[0];
        }
    for (int32_t k = 0; k < K; k++)
        for (int32_t axis = 0; axis < 2; axis++)
            mean[2 * k + axis] = on_axis(of, v, axis, x + (int64_t)k * D);
    return MB_OK;
}

/* A matrix, or null. */
static void matrix(mb_json_out *j, const char *key, int64_t rows, int64_t columns, const double *x)
{
    const int64_t shape[2] = {rows, columns};

    if (x)
        mb_json_numbers(j, key, 2, shape, x);
    else
        mb_json_null(j, key);
}

static void list(mb_json_out *j, const char *key, int64_t n, const double *x)
{
    if (x)
        mb_json_numbers(j, key, 1, &n, x);
    else
        mb_json_null(j, key);
}

static void parts(mb_json_out *j, const mb_summary *u)
{
    mb_json_text(j, "part", u->part);
    mb_json_texts(j, "columns", u->columns, u->name);
    if (u->label)
        mb_json_texts(j, "names", u->rows, u->label);
    else
        mb_json_null(j, "names");
    mb_json_integer(j, "count", u->rows);
    list(j, "weight", u->rows, u->weight);
    list(j, "rows", u->rows, u->count);
    if (strcmp(u->counted, "rows") != 0)
        mb_json_text(j, "counted", u->counted);
    matrix(j, "mean", u->rows, u->columns, u->mean);
    matrix(j, "sd", u->rows, u->columns, u->sd);
    matrix(j, "low", u->rows, u->columns, u->low);
    matrix(j, "high", u->rows, u->columns, u->high);
    if (u->rest)
        list(j, "rest", u->columns, u->rest);
    mb_json_text(j, "note", u->note);
    if (u->ranked)
        mb_json_bool(j, "ranked", 1);
    if (u->warning)
        mb_json_text(j, "warning", u->warning);
}

static void classes(const sim_rows *rows, const sim_answer *a, mb_json_out *j)
{
    const int64_t *row = a->table;

    if (!row) {
        mb_json_null(j, "classes");
        return;
    }
    mb_json_texts(j, "classes", rows->data.nlabel, rows->data.label_name);
    mb_json_list(j, "table"); /* component by class */
    for (int32_t k = 0; k < a->summary.rows; k++) {
        mb_json_list(j, NULL);
        for (int32_t c = 0; c < rows->data.nlabel; c++)
            mb_json_integer(j, NULL, *row++);
        mb_json_close(j);
    }
    mb_json_close(j);
}

/* Those of a target that is a category. */
static void levels(const sim_answer *a, mb_json_out *j)
{
    const mb_posterior *p = &a->posterior;
    const mb_column    *c = p->kind ? mb_kind_levels(p->kind, &p->size) : NULL;

    if (c)
        mb_json_texts(j, "levels", c->levels, c->level);
    else
        mb_json_null(j, "levels");
}

/* How well they are predicted. */
static void fit_of_levels(const mb_classification *c, mb_json_out *j)
{
    mb_json_number(j, "accuracy", mb_classification_accuracy(c));
    mb_json_number(j, "log_loss", mb_classification_loss(c));
    matrix(j, "confusion", c->levels, c->levels, c->table);
    if (!c->bin)
        return;
    mb_json_list(j, "calibration");
    for (int32_t k = 0; k < MB_CALIBRATION_BINS; k++) {
        double x[5] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};

        x[4] = mb_calibration(c, k, &x[0], &x[1], &x[2], &x[3]);
        list(j, NULL, 5, x);
    }
    mb_json_close(j);
}

static void regression(const sim_rows *rows, const sim_answer *a, mb_json_out *j)
{
    const mb_posterior *p = &a->posterior;
    const int32_t       T = p->kind ? mb_kind_targets(p->kind, &p->size) : 0;

    if (T > 1) {
        mb_json_texts(j, "target", T, p->target);
        list(j, "r2", T, a->r2);
        list(j, "rmse", T, a->rmse);
    } else {
        mb_json_text(j, "target", T ? p->target[0] : NULL);
        mb_json_number(j, "r2", a->r2 ? a->r2[0] : (double)NAN);
        mb_json_number(j, "rmse", a->rmse ? a->rmse[0] : (double)NAN);
    }
    if (a->dispersion > 0)
        mb_json_number(j, "dispersion", a->dispersion);
    list(j, "column_sd", rows->data.d, a->sd);
    levels(a, j);
    if (a->levels)
        fit_of_levels(a->levels, j);
}

/* Means and covariances (lower triangles by rows) on the columns drawn. */
static mb_status columns(const sim_job *job, const sim_rows *rows, const sim_answer *a,
                         const sim_view *v, mb_json_out *j)
{
    const mb_posterior *p = &a->posterior;
    const int64_t       K = p->size.K, n = v->ncol, len = n * (n + 1) / 2;
    mb_components       all;
    mb_component       *part;
    double             *mean, *cov;
    int64_t             at = 0;

    MB_TRY(mb_components_make(job->a, p->kind, &p->size, p->par, &all, j->err));
    MB_NEW(part, job->a, K, j->err);
    MB_NEW(mean, job->a, K * n, j->err);
    MB_NEW(cov, job->a, K * len, j->err);
    for (int32_t x = 0; x < n; x++)
        for (int32_t y = 0; y <= x; y++, at++) {
            mb_components_on(&all, v->col[x], v->col[y], part);
            for (int64_t k = 0; k < K; k++) {
                mean[k * n + x] = part[k].mean[0];
                cov[k * len + at] = part[k].cov[1];
            }
        }
    mb_json_list(j, "columns");
    for (int32_t x = 0; x < n; x++)
        mb_json_text(j, NULL, rows->data.name[v->col[x]]);
    mb_json_close(j);
    matrix(j, "mean", K, n, mean);
    matrix(j, "cov", K, len, cov);
    return MB_OK;
}

static mb_status plane(const sim_job *job, const sim_rows *rows, const sim_answer *a,
                       const sim_view *v, mb_json_out *j)
{
    const int64_t K = a->posterior.size.K;
    double       *mean, *cov;

    MB_NEW(mean, job->a, 2 * K, j->err);
    MB_NEW(cov, job->a, 3 * K, j->err);
    MB_TRY(parts_on_axes(job, rows, a, v, mean, cov, j->err));
    list(j, "pca_share", 2, v->share);
    matrix(j, "pca_mean", K, 2, mean);
    matrix(j, "pca_cov", K, 3, cov);
    return MB_OK;
}

/* What every node learns of rows that are not its own, besides the statistics of the rounds. */
static void revealed(const sim_case *cs, mb_json_out *j)
{
    const mb_kind *kind = cs->args->kind;
    const char    *init = cs->args->opt.init ? cs->args->opt.init : "";
    const int      drawn = !strncmp(init, "kmeans", 6) || !strcmp(init, "farthest");
    const int32_t  each = mb_start_candidates(cs->start.how, sim_components(cs->args), 0);

    mb_json_object(j, "revealed");
    mb_json_integer(
        j, "rows",
        drawn && mb_kind_has_components(kind) ? 1 + (sim_components(cs->args) - 1) * each : 0);
    mb_json_bool(j, "covariance",
                 kind->needs_covariance && kind->needs_covariance(cs->args->model_opt));
    mb_json_close(j);
}

/* --prefer held-out. */
static void held_out(const mb_search_result *f, mb_json_out *j)
{
    if (!f->optima)
        return;
    mb_json_object(j, "held_out");
    mb_json_integer(j, "optima", f->optima);
    mb_json_number(j, "density", f->held_out);
    mb_json_number(j, "density_of_best_bound", f->of_best);
    mb_json_number(j, "bound_below_best", f->below);
    mb_json_close(j);
}

static void iterations(const mb_iterations *is, mb_json_out *j)
{
    if (!is->groups)
        return;
    mb_json_object(j, "iterations");
    mb_json_integer(j, "groups", is->groups);
    mb_json_number(j, "mean", (double)is->sum / (double)is->groups);
    mb_json_integer(j, "most", is->most);
    mb_json_integer(j, "capped", is->capped);
    mb_json_integer(j, "limit", is->cap);
    mb_json_close(j);
}

/* answer.json, from which the report makes its first section. */
static mb_status write_answer(sim_job *job, const sim_case *cs, const sim_answer *a,
                              const sim_view *v, mb_err *err)
{
    char       *text;
    mb_json_out j;
    int         safe;

    MB_TRY(sim_is_safe(job, cs, a, &safe, err));
    mb_json_begin(&j, job->a, err);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "algorithm", a->of->choice->name);
    mb_json_integer(&j, "initialisations", a->of->found.n_init);
    mb_json_integer(&j, "at_best", a->of->found.at_best);
    mb_json_integer(&j, "moves", a->of->found.moves);
    mb_json_integer(&j, "improved", a->of->found.improved);
    if (a->of->found.sampled)
        mb_json_integer(&j, "sampled", a->of->found.sampled);
    held_out(&a->of->found, &j);
    mb_json_bool(&j, "safe", safe);
    MB_TRY(sim_doubts_write(job, cs, &j, err));
    parts(&j, &a->summary);
    iterations(&a->iterations, &j);
    classes(cs->rows, a, &j);
    regression(cs->rows, a, &j);
    MB_TRY(sim_groups_write(job, cs, a, &j));
    MB_TRY(sim_sequences_write(job, cs, a, &j));
    MB_TRY(sim_series_write(job, cs, a, &j));
    if (v->ncol) {
        mb_json_object(&j, "view");
        mb_json_integer(&j, "lacking", v->lacking);
        MB_TRY(columns(job, cs->rows, a, v, &j));
        if (v->axis)
            MB_TRY(plane(job, cs->rows, a, v, &j));
        mb_json_close(&j);
    }
    revealed(cs, &j);
    mb_json_close(&j);
    MB_TRY(mb_json_end(&j, &text, NULL));
    return sim_file(job, "answer.json", text, NULL, NULL, err);
}

enum { VIEW_ROWS = 3000, FEW_VALUES = 8 };

typedef struct view {
    sim_job           *job;
    const sim_case    *cs;
    const sim_results *all;
    const sim_answer  *answer;
    sim_view           on;
    double            *x;     /* nrow x d: the rows shown, data units        */
    uint8_t           *lacks; /* nrow: 1 for rows that lack what is shown    */
    mb_components      found; /* of the answer                               */
    mb_component      *part;  /* K: components on columns                    */
} view;

/* Weighted squared distance of the components on column d, in units of their own spread. */
static double separation(const view *v, int32_t d)
{
    const mb_posterior *p = &v->answer->posterior;
    double              sum = 0;

    mb_components_on(&v->found, d, d, v->part);
    for (int32_t k = 0; k < p->size.K; k++)
        for (int32_t j = 0; j < k; j++) {
            const mb_component *ck = &v->part[k], *cj = &v->part[j];
            const double        gap = ck->mean[0] - cj->mean[0];

            sum += ck->weight * cj->weight * gap * gap / (ck->cov[0] + cj->cov[0]);
        }
    return sum;
}

/* A column with few distinct values only shows stripes. */
static int is_discrete(const sim_case *cs, int32_t d)
{
    double  seen[FEW_VALUES];
    int32_t count = 0;

    for (int64_t r = 0; r < cs->table.rows.n; r++) {
        const double x = mb_rows_at(&cs->table.rows, r, d);
        int32_t      k = 0;

        if (isnan(x))
            continue;
        while (k < count && (seen[k] < x || seen[k] > x))
            k++;
        if (k == FEW_VALUES)
            return 0;
        if (k == count)
            seen[count++] = x;
    }
    return 1;
}

/* How much more the target changes with input d in one component than in another, in standard
 * deviations of the input. */
static double difference(const view *v, int32_t d)
{
    const mb_summary   *u = &v->answer->summary;
    const mb_posterior *p = &v->answer->posterior;
    double              low = (double)INFINITY, high = -low;

    for (int32_t k = 0; k < u->rows; k++) {
        const double slope = u->mean[k * u->columns + p->size.intercept + d];

        low = fmin(low, slope);
        high = fmax(high, slope);
    }
    return (high - low) * v->answer->sd[d];
}

/* Of a regression the inputs whose coefficients differ most, after the first of them the target. */
static void pick_lines(view *v)
{
    const int32_t D = v->answer->posterior.size.D;
    double        best[ANSWER_COLUMNS];
    int32_t       n = 0;

    for (int32_t d = 0; d < D; d++) {
        const double value = difference(v, d);
        int32_t      k = n;

        n += n < ANSWER_COLUMNS - 1;
        for (; k > 0 && value > best[k - 1]; k--)
            if (k < ANSWER_COLUMNS - 1) {
                best[k] = best[k - 1];
                v->on.col[k] = v->on.col[k - 1];
            }
        if (k < ANSWER_COLUMNS - 1) {
            best[k] = value;
            v->on.col[k] = d;
        }
    }
    for (int32_t k = n; k > 1; k--)
        v->on.col[k] = v->on.col[k - 1];
    v->on.col[n > 0] = D;
    v->on.ncol = n + 1;
}

/* The columns that separate the components best, in this order; two columns in that of the file.
 * Columns of few values only make up two. An ellipse says nothing of counts, categories and
 * flags. */
static void pick_columns(view *v)
{
    const int32_t D = v->cs->rows->data.d;
    double        best[ANSWER_COLUMNS];

    for (int32_t d = 0; d < D; d++) {
        const double value = D == 2                  ? 2 - d
                             : is_discrete(v->cs, d) ? -1 / (2.0 + d)
                                                     : separation(v, d);
        int32_t      k = v->on.ncol;

        if (mb_columns_kind(v->answer->posterior.size.columns, d) != MB_COLUMN_NUMBER)
            continue;
        if (k < ANSWER_COLUMNS)
            v->on.ncol++;
        for (; k > 0 && value > best[k - 1]; k--)
            if (k < ANSWER_COLUMNS) {
                best[k] = best[k - 1];
                v->on.col[k] = v->on.col[k - 1];
            }
        if (k < ANSWER_COLUMNS) {
            best[k] = value;
            v->on.col[k] = d;
        }
    }
    while (v->on.ncol > 2 && best[v->on.ncol - 1] < 0)
        v->on.ncol--;
}

/* x,y,component,label,z,w,pc1,pc2; cells that do not apply are empty. */
static mb_status row_line(const view *v, mb_file *f, int64_t j, int32_t component, mb_err *err)
{
    const mb_data *data = &v->cs->rows->data;
    const int64_t  row = j * data->n / v->on.nrow;
    const double  *x = v->x + j * data->d;

    if (v->lacks[j])
        return MB_OK;
    for (int32_t k = 0; k < ANSWER_COLUMNS; k++) {
        MB_TRY(k < v->on.ncol ? mb_file_printf(f, err, "%s%.9g", k ? "," : "", x[v->on.col[k]])
                              : mb_file_printf(f, err, ","));
        if (k != 1)
            continue;
        MB_TRY(mb_file_printf(f, err, ",%d,", component));
        if (data->label)
            MB_TRY(mb_csv_put(f, data->label_name[data->label[row]], err));
    }
    for (int32_t k = 0; k < 2; k++)
        MB_TRY(v->on.axis ? mb_file_printf(f, err, ",%.6g", on_axis(v->cs->rows, &v->on, k, x))
                          : mb_file_printf(f, err, ","));
    return mb_file_write(f, "\n", 1, err);
}

/* Of rows in sequences the component of each, with those around it, of which every n/shown-th is
 * wanted. */
static mb_status in_sequences(mb_arena *a, const mb_case *c, const double *phi, int64_t n,
                              int64_t shown, double *out, double *scratch, mb_err *err)
{
    double *all;
    int64_t at = 0;

    MB_NEW(all, a, n, err);
    for (int32_t i = 0; i < c->place->part.n_local; i++) {
        MB_TRY(c->model.ops->predict(&c->model, phi, &c->rows[i], MB_WANT_LABEL, all + at, scratch,
                                     err));
        at += c->rows[i].n;
    }
    for (int64_t j = 0; j < shown; j++)
        out[j] = all[j * n / shown];
    return MB_OK;
}

/* Rows with their component under the answer, evenly thinned if there are many. */
static mb_status rows(void *self, mb_file *f, mb_err *err)
{
    const view       *v = self;
    const sim_result *of = v->answer->of;
    const mb_case    *c = of->session.c;
    mb_arena         *a = of->session.own;
    const int64_t     n = v->cs->rows->data.n, shown = v->on.nrow;
    mb_rows  rows = {.n = shown, .d = c->run.d, .ld = (size_t)c->run.d, .gaps = c->table.rows.gaps};
    double  *label, *scratch, *x;
    int32_t *rank;

    MB_NEW(label, a, shown, err);
    MB_NEW(x, a, (size_t)shown * rows.ld, err);
    MB_NEW(scratch, a, mb_local_scratch(&c->model), err);
    MB_NEW(rank, a, c->model.K, err);
    for (int32_t k = 0; k < c->model.K; k++)
        rank[of->out.order[k]] = k;
    for (int64_t j = 0; j < shown; j++)
        mb_case_row(c, j * n / shown, x + (size_t)j * rows.ld);
    rows.x = x;
    if (mb_kind_needs_groups(c->kind) && c->place->part.n_local == c->place->part.n_global)
        MB_TRY(in_sequences(a, c, of->out.mean, n, shown, label, scratch, err));
    else
        MB_TRY(c->model.ops->predict(&c->model, of->out.mean, &rows, MB_WANT_LABEL, label, scratch,
                                     err));
    for (int64_t j = 0; j < shown; j++)
        MB_TRY(row_line(v, f, j, rank[(int32_t)label[j]], err));
    return MB_OK;
}

/* One posterior's components: weight, mean and covariance on the two columns. */
static mb_status shape(const view *v, const sim_result *r, mb_file *f, const char *node,
                       const char *of, const double *phi, mb_err *err)
{
    const mb_case *c = r->session.c;
    mb_components  all;
    double        *par;
    mb_status      st = mb_case_textbook(c, r->session.own, phi, &par, err);

    if (st == MB_E_DOMAIN)
        return MB_OK;
    MB_TRY(st);
    MB_TRY(mb_components_make(r->session.own, c->kind, &c->size, par, &all, err));
    mb_components_on(&all, v->on.col[0], v->on.col[v->on.ncol > 1], v->part);
    for (int32_t k = 0; k < c->size.K; k++) {
        const mb_component *p = &v->part[r->out.order[k]];

        MB_TRY(mb_file_printf(f, err, "%s,", r->choice->name));
        MB_TRY(mb_csv_put(f, node, err));
        MB_TRY(mb_file_printf(f, err, ",%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%s\n", k, p->weight,
                              p->mean[0], p->mean[1], p->cov[0], p->cov[1], p->cov[2], of));
    }
    return MB_OK;
}

static mb_status shapes(void *self, mb_file *f, mb_err *err)
{
    const view *v = self;

    for (const sim_result *r = v->all->r; r < v->all->r + v->all->n; r++) {
        const size_t len = r->failed ? 0 : r->session.c->model.layout.len;

        if (r->failed)
            continue;
        MB_TRY(shape(v, r, f, "mean", "mean", r->out.mean, err));
        for (int32_t i = 0; !r->choice->cvb && i < v->cs->network->net.n && i < SIM_SHOWN; i++)
            MB_TRY(
                shape(v, r, f, v->cs->network->net.id[i], "node", r->shown + (size_t)i * len, err));
    }
    return MB_OK;
}

/* Fitted and observed target of the rows shown; of several targets each has a line and a number. */
static mb_status fitted_lines(void *self, mb_file *f, mb_err *err)
{
    const view   *v = self;
    const int64_t n = v->cs->rows->data.n;
    const int32_t T = v->answer->targets;
    int64_t       j[MB_TOGETHER];
    double       *scratch, *fitted, *observed;

    MB_NEW(scratch, v->job->a, sim_fitted_scratch(v->answer), err);
    MB_NEW(fitted, v->job->a, MB_TOGETHER * (size_t)T, err);
    MB_NEW(observed, v->job->a, MB_TOGETHER * (size_t)T, err);
    for (int64_t shown = 0, some; shown < v->on.nrow; shown += some) {
        some = v->on.nrow - shown < MB_TOGETHER ? v->on.nrow - shown : MB_TOGETHER;
        for (int64_t k = 0; k < some; k++)
            j[k] = (shown + k) * n / v->on.nrow;
        MB_TRY(sim_fitted(v->answer, j, some, fitted, observed, scratch, err));
        for (int64_t e = 0; e < some * T; e++) {
            if (isnan(observed[e])) /* a gap */
                continue;
            MB_TRY(mb_file_printf(f, err, "%.9g,%.9g", fitted[e], observed[e]));
            MB_TRY(T > 1 ? mb_file_printf(f, err, ",%d\n", (int)(e % T))
                         : mb_file_printf(f, err, "\n"));
        }
    }
    return MB_OK;
}

/* Rows that lack a value in a column that is shown are left out; on the axes the others have the mean
 * of the column in place of what they lack. */
static void fill_gaps(view *v, const mb_case *c)
{
    const int64_t D = v->cs->rows->data.d;

    for (int64_t j = 0; c->table.rows.gaps && j < v->on.nrow; j++) {
        for (int32_t k = 0; k < v->on.ncol; k++)
            if (isnan(v->x[j * D + v->on.col[k]]))
                v->lacks[j] = 1;
        v->on.lacking += v->lacks[j];
        for (int64_t d = 0; d < D; d++)
            if (isnan(v->x[j * D + d]))
                v->x[j * D + d] = c->seen.mean[d];
    }
}

/* Columns, axes and files of a mixture. */
static mb_status draw_components(view *v, mb_err *err)
{
    sim_job        *job = v->job;
    const sim_case *cs = v->cs;
    const mb_case  *c = v->answer->of->session.c;
    const int64_t   D = cs->rows->data.d, n = cs->rows->data.n;

    MB_TRY(mb_components_make(v->job->a, v->answer->posterior.kind, &v->answer->posterior.size,
                              v->answer->posterior.par, &v->found, err));
    MB_NEW(v->part, job->a, cs->fit->stages->nodes.size.K, err); /* no run has more */
    MB_NEW(v->x, job->a, v->on.nrow * D, err);
    for (int64_t j = 0; j < v->on.nrow; j++)
        for (int32_t d = 0; d < D; d++)
            v->x[j * D + d] = mb_rows_at(&c->table.rows, j * n / v->on.nrow, d);
    if (v->cs->args->kind->targets)
        pick_lines(v);
    else
        pick_columns(v);
    if (!v->on.ncol)
        return MB_OK;
    MB_NEW(v->lacks, job->a, v->on.nrow, err);
    fill_gaps(v, c);
    if (!c->size.columns && !v->cs->args->kind->targets)
        MB_TRY(find_axes(job, cs->rows, v->on.nrow, v->x, &v->on, err));
    job->ncolumns = v->on.ncol;
    for (int32_t k = 0; k < v->on.ncol; k++)
        job->column[k] = cs->rows->data.name[v->on.col[k]];
    MB_TRY(sim_file(job, "view_rows.csv", "x,y,component,label,z,w,pc1,pc2\n", rows, v, err));
    return sim_file(job, "view_shapes.csv",
                    "algorithm,node,component,weight,mx,my,sxx,sxy,syy,of\n", shapes, v, err);
}

mb_status sim_view_write(sim_job *job, const sim_results *all, mb_err *err)
{
    const int64_t n = all->cs->rows->data.n;
    view          v = {.job = job,
                       .cs = all->cs,
                       .all = all,
                       .answer = all->answer,
                       .on.nrow = n < VIEW_ROWS ? n : VIEW_ROWS};

    if (!v.answer->of)
        return MB_OK;
    if (mb_kind_has_components(all->cs->args->kind))
        MB_TRY(draw_components(&v, err));
    if (v.answer->rmse && isfinite(v.answer->rmse[0]))
        MB_TRY(sim_file(job, "view_fit.csv",
                        v.answer->targets > 1 ? "fitted,observed,target\n" : "fitted,observed\n",
                        fitted_lines, &v, err));
    return write_answer(job, all->cs, v.answer, &v.on, err);
}
