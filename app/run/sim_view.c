/* sim_view.c - data of the report's figures: rows and component shapes on the columns shown. */
#include "base/columns.h"
#include "model/model.h"
#include "run/answer.h"

#include <math.h>
#include <string.h>

enum { VIEW_ROWS = 3000, FEW_VALUES = 8 };

typedef struct view {
    sim_job           *job;
    const sim_case    *cs;
    const sim_results *all;
    const sim_answer  *answer;
    sim_view           on;
    double            *x;     /* nrow x d: the rows shown, data units        */
    uint8_t           *lacks; /* nrow: 1 for rows that lack what is shown    */
    mb_component      *part;  /* K: components on columns                    */
} view;

/* Weighted squared distance of the components on column d, in units of their own spread. */
static double separation(const view *v, int32_t d)
{
    const mb_posterior *p = &v->answer->posterior;
    double              sum = 0;

    p->kind->components_on(&p->size, p->par, d, d, v->part);
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
        MB_TRY(v->on.axis ? mb_file_printf(f, err, ",%.6g", sim_view_on(v->cs->rows, &v->on, k, x))
                          : mb_file_printf(f, err, ","));
    return mb_file_write(f, "\n", 1, err);
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
    MB_TRY(
        c->model.ops->predict(&c->model, of->out.mean, &rows, MB_WANT_LABEL, label, scratch, err));
    for (int64_t j = 0; j < shown; j++)
        MB_TRY(row_line(v, f, j, rank[(int32_t)label[j]], err));
    return MB_OK;
}

/* One posterior's components: weight, mean and covariance on the two columns. */
static mb_status shape(const view *v, const sim_result *r, mb_file *f, const char *node,
                       const char *of, const double *phi, mb_err *err)
{
    const mb_case *c = r->session.c;
    double        *par;
    mb_status      st = mb_case_textbook(c, r->session.own, phi, &par, err);

    if (st == MB_E_DOMAIN)
        return MB_OK;
    MB_TRY(st);
    c->kind->components_on(&c->size, par, v->on.col[0], v->on.col[v->on.ncol > 1], v->part);
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
    int64_t       j[SIM_TOGETHER];
    double       *scratch, *fitted, *observed;

    MB_NEW(scratch, v->job->a, sim_fitted_scratch(v->answer), err);
    MB_NEW(fitted, v->job->a, SIM_TOGETHER * (size_t)T, err);
    MB_NEW(observed, v->job->a, SIM_TOGETHER * (size_t)T, err);
    for (int64_t shown = 0, some; shown < v->on.nrow; shown += some) {
        some = v->on.nrow - shown < SIM_TOGETHER ? v->on.nrow - shown : SIM_TOGETHER;
        for (int64_t k = 0; k < some; k++)
            j[k] = (shown + k) * n / v->on.nrow;
        MB_TRY(sim_fitted(v->answer, j, some, fitted, observed, scratch, err));
        for (int64_t e = 0; e < some * T; e++) {
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

    MB_NEW(v->part, job->a, cs->fit->stages->nodes.size.K, err); /* no run has more */
    MB_NEW(v->x, job->a, v->on.nrow * D, err);
    for (int64_t j = 0; j < v->on.nrow; j++)
        for (int32_t d = 0; d < D; d++)
            v->x[j * D + d] = mb_rows_at(&c->table.rows, j * n / v->on.nrow, d);
    pick_columns(v);
    if (!v->on.ncol)
        return MB_OK;
    MB_NEW(v->lacks, job->a, v->on.nrow, err);
    fill_gaps(v, c);
    if (!c->size.columns)
        MB_TRY(sim_view_axes(job, cs->rows, v->on.nrow, v->x, &v->on, err));
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
    if (all->cs->args->kind->components_on)
        MB_TRY(draw_components(&v, err));
    if (v.answer->rmse && isfinite(v.answer->rmse[0]))
        MB_TRY(sim_file(job, "view_fit.csv",
                        v.answer->targets > 1 ? "fitted,observed,target\n" : "fitted,observed\n",
                        fitted_lines, &v, err));
    return sim_answer_write(job, all->cs, v.answer, &v.on, err);
}
