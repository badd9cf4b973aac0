/* sim_view.c - what the report draws of the data: rows and component shapes on two columns. */
#include "sim/sim_model.h"

#include <math.h>
#include <string.h>

enum { VIEW_ROWS = 3000, FEW_VALUES = 8 };

typedef struct view {
    sim          *s;
    int32_t       col[2]; /* columns shown; equal when D = 1 */
    double       *par, *scratch;
    mb_file       file;
    const double *slice; /* first normal-Wishart slice of par */
} view;

static mb_status load(view *v, const double *phi, mb_err *err)
{
    const mb_layout *l = &v->s->model.layout;

    MB_TRY(mb_to_par(l, phi, v->par, v->scratch, err));
    mb_move_par(l, v->s->run_origin, v->s->run_scale, v->par);
    v->slice = v->par + l->block[1].off;
    return MB_OK;
}

static double covariance(const view *v, const double *c, int32_t a, int32_t b)
{
    const int32_t D = v->s->data.d, hi = a > b ? a : b, lo = a > b ? b : a;

    return c[2 + D + hi * (hi + 1) / 2 + lo] / c[0];
}

/* How far apart the components are on column d, in their own spreads, weighted. */
static double separation(const view *v, int32_t d)
{
    const mb_block *b = &v->s->model.layout.block[1];
    double          sum = 0;

    for (int32_t k = 0; k < b->count; k++)
        for (int32_t j = 0; j < k; j++) {
            const double *ck = v->slice + (size_t)k * b->len, *cj = v->slice + (size_t)j * b->len;
            double        gap = ck[2 + d] - cj[2 + d];

            sum += v->par[k] * v->par[j] * gap * gap /
                   (covariance(v, ck, d, d) + covariance(v, cj, d, d));
        }
    return sum;
}

/* A column of few values makes stripes, not a picture. */
static int is_discrete(const sim *s, int32_t d)
{
    double  seen[FEW_VALUES];
    int32_t count = 0;

    for (int64_t r = 0; r < s->data.n; r++) {
        const double x = s->data.x[r * s->data.d + d];
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
static void pick_columns(view *v)
{
    const int32_t D = v->s->data.d;
    double        best[2] = {-1, -1};

    v->col[0] = v->col[1] = 0;
    for (int32_t d = 0; d < D; d++) {
        double value = D == 2 ? 2 - d : is_discrete(v->s, d) ? -0.5 : separation(v, d);

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
    const double *x = s->data.x + row * s->data.d;

    MB_TRY(mb_file_printf(&v->file, err, "%.9g,", x[v->col[0]]));
    if (s->data.d > 1)
        MB_TRY(mb_file_printf(&v->file, err, "%.9g", x[v->col[1]]));
    MB_TRY(mb_file_printf(&v->file, err, ",%d,", (int)label));
    if (s->data.label)
        MB_TRY(mb_csv_put(&v->file, s->data.label_name[s->data.label[row]], err));
    return mb_file_write(&v->file, "\n", 1, err);
}

/* Rows with the component the network mean gives them, thinned evenly when there are many. */
static mb_status write_rows(view *v, const sim_result *r, const char *path, mb_err *err)
{
    const sim    *s = v->s;
    const int64_t n = s->data.n, shown = n < VIEW_ROWS ? n : VIEW_ROWS;
    double       *label, *scratch, *x;
    int32_t      *rank;
    mb_rows       rows = {.n = shown, .d = s->data.d, .ld = (size_t)s->data.d};

    MB_NEW(label, r->memory, shown, err);
    MB_NEW(x, r->memory, (size_t)shown * rows.ld, err);
    MB_NEW(scratch, r->memory, mb_local_scratch(&s->model), err);
    MB_NEW(rank, r->memory, s->model.K, err);
    for (int32_t k = 0; k < s->model.K; k++)
        rank[r->order[k]] = k + 1;
    for (int64_t j = 0; j < shown; j++)
        sim_row(s, j * n / shown, x + (size_t)j * rows.ld);
    rows.x = x;
    MB_TRY(s->model.ops->predict(&s->model, r->mean, &rows, MB_WANT_LABEL, label, scratch, err));
    MB_TRY(mb_file_open(r->memory, path, &v->file, err));
    MB_TRY(mb_file_printf(&v->file, err, "x,y,component,label\n"));
    for (int64_t j = 0; j < shown; j++)
        MB_TRY(row_line(v, j * n / shown, rank[(int32_t)label[j]], err));
    return mb_file_commit(&v->file, err);
}

/* One posterior's components: weight, mean and covariance on the two columns. */
static mb_status shapes(view *v, const sim_result *r, const char *node, const double *phi,
                        mb_err *err)
{
    const mb_block *b = &v->s->model.layout.block[1];
    const int32_t   x = v->col[0], y = v->col[1];
    double          total = 0;

    if (load(v, phi, NULL) == MB_E_DOMAIN)
        return MB_OK;
    for (int32_t k = 0; k < b->count; k++)
        total += v->par[k];
    for (int32_t k = 0; k < b->count; k++) {
        const double *c = v->slice + (size_t)r->order[k] * b->len;

        MB_TRY(mb_file_printf(&v->file, err, "%s,", r->choice->name));
        MB_TRY(mb_csv_put(&v->file, node, err));
        MB_TRY(mb_file_printf(&v->file, err, ",%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", k + 1,
                              v->par[r->order[k]] / total, c[2 + x], c[2 + y],
                              covariance(v, c, x, x), covariance(v, c, x, y),
                              covariance(v, c, y, y)));
    }
    return MB_OK;
}

static mb_status write_shapes(view *v, const sim_result *r, int32_t count, const char *path,
                              mb_err *err)
{
    MB_TRY(mb_file_open(v->s->a, path, &v->file, err));
    MB_TRY(mb_file_printf(&v->file, err, "algorithm,node,component,weight,mx,my,sxx,sxy,syy\n"));
    for (int32_t a = 0; a < count; a++) {
        const int32_t n = r[a].failed ? 0 : r[a].problem.part->n_global;

        if (r[a].failed)
            continue;
        MB_TRY(shapes(v, &r[a], "mean", r[a].mean, err));
        for (int32_t i = 0; i < n && i < SIM_SHOWN && !r[a].choice->cvb; i++)
            MB_TRY(shapes(v, &r[a], v->s->data.node_id[i],
                          r[a].shown + (size_t)i * v->s->model.layout.len, err));
    }
    return mb_file_commit(&v->file, err);
}

/* The result whose mean colours the rows: the last one that ended inside the domain. */
static const sim_result *leader(view *v, const sim_result *r, int32_t count)
{
    const sim_result *best = NULL;

    for (int32_t a = 0; a < count; a++)
        if (!r[a].failed && isfinite(r[a].bound) && (!best || r[a].bound > best->bound))
            best = &r[a];
    return best && load(v, best->mean, NULL) == MB_OK ? best : NULL;
}

mb_status sim_view_write(sim *s, const sim_result *r, int32_t count, const char *dir,
                         json_t *summary, mb_err *err)
{
    view              v = {.s = s};
    char              path[4096];
    const sim_result *best;
    mb_status         st;
    json_t           *columns = json_array();

    MB_NEW(v.par, s->a, s->model.layout.len, err);
    MB_NEW(v.scratch, s->a, s->model.layout.scratch, err);
    json_object_set_new(summary, "view", json_pack("{s:o}", "columns", columns));
    best = sim_model_of(s)->latent ? leader(&v, r, count) : NULL; /* components are what is drawn */
    if (!best)
        return MB_OK;
    pick_columns(&v);
    json_array_append_new(columns, json_string(s->data.name[v.col[0]]));
    if (s->data.d > 1)
        json_array_append_new(columns, json_string(s->data.name[v.col[1]]));
    snprintf(path, sizeof path, "%s/view_rows.csv", dir);
    st = write_rows(&v, best, path, err);
    if (st >= 0)
        st = sim_wrote(s, path, err);
    snprintf(path, sizeof path, "%s/view_shapes.csv", dir);
    if (st >= 0)
        st = write_shapes(&v, r, count, path, err);
    if (st >= 0)
        st = sim_wrote(s, path, err);
    mb_file_abort(&v.file);
    return st;
}
