/* sim_view.c - what the report draws of the data: rows and component shapes on two columns. */
#include "sim/sim.h"

#include <math.h>
#include <string.h>

enum { VIEW_ROWS = 3000, FEW_VALUES = 8 };

typedef struct view {
    sim          *s;
    int32_t       col[2]; /* columns shown; equal when D = 1 */
    mb_component *part;   /* K: components on them           */
    mb_file       file;
} view;

/* How far apart the components are on column d, in their own spreads, weighted. */
static double separation(view *v, const double *par, int32_t d)
{
    const mb_case *c = &v->s->world.fit.nodes;
    double         sum = 0;

    c->kind->components_on(&c->size, par, d, d, v->part);
    for (int32_t k = 0; k < c->size.K; k++)
        for (int32_t j = 0; j < k; j++) {
            const mb_component *ck = &v->part[k], *cj = &v->part[j];
            const double        gap = ck->mean[0] - cj->mean[0];

            sum += ck->weight * cj->weight * gap * gap / (ck->cov[0] + cj->cov[0]);
        }
    return sum;
}

/* A column of few values makes stripes, not a picture. */
static int is_discrete(const sim *s, int32_t d)
{
    double  seen[FEW_VALUES];
    int32_t count = 0;

    for (int64_t r = 0; r < s->rows.data.n; r++) {
        const double x = s->rows.data.x[r * s->rows.data.d + d];
        int32_t      k = 0;

        while (k < count && (seen[k] < x || seen[k] > x))
            k++;
        if (k == FEW_VALUES)
            return 0;
        if (k == count)
            seen[count++] = x;
    }
    return 1;
}

/* The two columns that tell the components apart best; columns of few values only if there is nothing
 * else. */
static void pick_columns(view *v, const double *par)
{
    const int32_t D = v->s->rows.data.d;
    double        best[2] = {-1, -1};

    v->col[0] = v->col[1] = 0;
    for (int32_t d = 0; d < D; d++) {
        double value = D == 2 ? 2 - d : is_discrete(v->s, d) ? -0.5 : separation(v, par, d);

        if (value > best[0]) {
            best[1] = best[0];
            v->col[1] = v->col[0];
            best[0] = value;
            v->col[0] = d;
        } else if (value > best[1]) {
            best[1] = value;
            v->col[1] = d;
        }
    }
    if (D == 1)
        v->col[1] = 0;
}

static mb_status row_line(view *v, int64_t row, double label, mb_err *err)
{
    const sim    *s = v->s;
    const double *x = s->rows.data.x + row * s->rows.data.d;

    MB_TRY(mb_file_printf(&v->file, err, "%.9g,", x[v->col[0]]));
    if (s->rows.data.d > 1)
        MB_TRY(mb_file_printf(&v->file, err, "%.9g", x[v->col[1]]));
    MB_TRY(mb_file_printf(&v->file, err, ",%d,", (int)label));
    if (s->rows.data.label)
        MB_TRY(mb_csv_put(&v->file, s->rows.data.label_name[s->rows.data.label[row]], err));
    return mb_file_write(&v->file, "\n", 1, err);
}

/* Rows with the component the network mean gives them, thinned evenly when there are many. */
static mb_status write_rows(view *v, const sim_result *r, const char *path, mb_err *err)
{
    const sim      *s = v->s;
    const mb_model *m = &s->world.fit.nodes.model;
    mb_arena       *a = r->session.own;
    const int64_t   n = s->rows.data.n, shown = n < VIEW_ROWS ? n : VIEW_ROWS;
    double         *label, *scratch, *x;
    int32_t        *rank;
    mb_rows         rows = {.n = shown, .d = s->rows.data.d, .ld = (size_t)s->rows.data.d};

    MB_NEW(label, a, shown, err);
    MB_NEW(x, a, (size_t)shown * rows.ld, err);
    MB_NEW(scratch, a, mb_local_scratch(m), err);
    MB_NEW(rank, a, m->K, err);
    for (int32_t k = 0; k < m->K; k++)
        rank[r->out.order[k]] = k + 1;
    for (int64_t j = 0; j < shown; j++)
        mb_case_row(&s->world.fit.nodes, j * n / shown, x + (size_t)j * rows.ld);
    rows.x = x;
    MB_TRY(m->ops->predict(m, r->out.mean, &rows, MB_WANT_LABEL, label, scratch, err));
    MB_TRY(mb_file_open(a, path, &v->file, err));
    MB_TRY(mb_file_printf(&v->file, err, "x,y,component,label\n"));
    for (int64_t j = 0; j < shown; j++)
        MB_TRY(row_line(v, j * n / shown, rank[(int32_t)label[j]], err));
    return mb_file_commit(&v->file, err);
}

/* One posterior's components: weight, mean and covariance on the two columns. */
static mb_status shapes(view *v, const sim_result *r, const char *node, const double *phi,
                        mb_err *err)
{
    const mb_case *c = &v->s->world.fit.nodes;
    double        *par;
    mb_status      st = mb_case_textbook(c, r->session.own, phi, &par, err);

    if (st == MB_E_DOMAIN)
        return MB_OK;
    MB_TRY(st);
    c->kind->components_on(&c->size, par, v->col[0], v->col[1], v->part);
    for (int32_t k = 0; k < c->size.K; k++) {
        const mb_component *p = &v->part[r->out.order[k]];

        MB_TRY(mb_file_printf(&v->file, err, "%s,", r->choice->name));
        MB_TRY(mb_csv_put(&v->file, node, err));
        MB_TRY(mb_file_printf(&v->file, err, ",%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", k + 1,
                              p->weight, p->mean[0], p->mean[1], p->cov[0], p->cov[1], p->cov[2]));
    }
    return MB_OK;
}

static mb_status write_shapes(view *v, const sim_result *r, int32_t count, const char *path,
                              mb_err *err)
{
    MB_TRY(mb_file_open(v->s->a, path, &v->file, err));
    MB_TRY(mb_file_printf(&v->file, err, "algorithm,node,component,weight,mx,my,sxx,sxy,syy\n"));
    for (int32_t a = 0; a < count; a++) {
        const int32_t n = r[a].failed ? 0 : r[a].session.problem.part->n_global;

        if (r[a].failed)
            continue;
        MB_TRY(shapes(v, &r[a], "mean", r[a].out.mean, err));
        for (int32_t i = 0; i < n && i < SIM_SHOWN && !r[a].choice->cvb; i++)
            MB_TRY(shapes(v, &r[a], v->s->world.net.id[i],
                          r[a].shown + (size_t)i * v->s->world.fit.nodes.model.layout.len, err));
    }
    return mb_file_commit(&v->file, err);
}

/* The result whose mean colours the rows: the best one that ended inside the domain, its textbook
 * parameters in *par. */
static const sim_result *leader(view *v, const sim_result *r, int32_t count, double **par)
{
    const sim_result *best = NULL;

    for (int32_t a = 0; a < count; a++)
        if (!r[a].failed && isfinite(r[a].out.bound) && (!best || r[a].out.bound > best->out.bound))
            best = &r[a];
    if (best && mb_case_textbook(&v->s->world.fit.nodes, v->s->a, best->out.mean, par, NULL) < 0)
        return NULL;
    return best;
}

static mb_status write(view *v, const sim_result *best, const sim_result *r, int32_t count,
                       const char *dir, mb_err *err)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/view_rows.csv", dir);
    MB_TRY(write_rows(v, best, path, err));
    MB_TRY(sim_wrote(v->s, path, err));
    snprintf(path, sizeof path, "%s/view_shapes.csv", dir);
    MB_TRY(write_shapes(v, r, count, path, err));
    return sim_wrote(v->s, path, err);
}

mb_status sim_view_write(sim *s, const sim_result *r, int32_t count, const char *dir,
                         json_t *summary, mb_err *err)
{
    const mb_data    *data = &s->rows.data;
    view              v = {.s = s};
    const sim_result *best;
    mb_status         st;
    double           *par = NULL;
    json_t           *columns = json_array();

    json_object_set_new(summary, "view", json_pack("{s:o}", "columns", columns));
    if (!s->asked.kind->components_on) /* components are what is drawn */
        return MB_OK;
    MB_NEW(v.part, s->a, s->world.fit.nodes.size.K, err);
    best = leader(&v, r, count, &par);
    if (!best)
        return MB_OK;
    pick_columns(&v, par);
    json_array_append_new(columns, json_string(data->name[v.col[0]]));
    if (data->d > 1)
        json_array_append_new(columns, json_string(data->name[v.col[1]]));
    st = write(&v, best, r, count, dir, err);
    mb_file_abort(&v.file);
    return st;
}
