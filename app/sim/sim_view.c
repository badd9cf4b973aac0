/* sim_view.c - data of the report's figures: rows and component shapes on two columns. */
#include "sim/sim.h"

#include <math.h>
#include <string.h>

enum { VIEW_ROWS = 3000, FEW_VALUES = 8 };

typedef struct view {
    sim              *s;
    const sim_result *r;      /* s->nran                                  */
    const sim_result *best;   /* its mean gives the rows their components */
    double           *par;    /* textbook parameters of that mean         */
    int32_t           col[2]; /* columns shown; equal when D = 1          */
    mb_component     *part;   /* K: components on them                    */
} view;

/* Weighted squared distance of the components on column d, in units of their own spread. */
static double separation(const view *v, int32_t d)
{
    const mb_case *c = &v->s->world.fit.nodes;
    double         sum = 0;

    c->kind->components_on(&c->size, v->par, d, d, v->part);
    for (int32_t k = 0; k < c->size.K; k++)
        for (int32_t j = 0; j < k; j++) {
            const mb_component *ck = &v->part[k], *cj = &v->part[j];
            const double        gap = ck->mean[0] - cj->mean[0];

            sum += ck->weight * cj->weight * gap * gap / (ck->cov[0] + cj->cov[0]);
        }
    return sum;
}

/* A column with few distinct values only shows stripes. */
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

/* The two columns that separate the components best; columns of few values come last. */
static void pick_columns(view *v)
{
    const int32_t D = v->s->rows.data.d;
    double        best[2] = {-1, -1};

    for (int32_t d = 0; d < D; d++) {
        const double value = D == 2 ? 2 - d : is_discrete(v->s, d) ? -0.5 : separation(v, d);
        const int    first = value > best[0];

        if (first) {
            best[1] = best[0];
            v->col[1] = v->col[0];
        }
        if (first || value > best[1]) {
            best[!first] = value;
            v->col[!first] = d;
        }
    }
    if (D == 1)
        v->col[1] = 0;
}

static mb_status row_line(const view *v, mb_file *f, int64_t row, int32_t component, mb_err *err)
{
    const mb_data *data = &v->s->rows.data;
    const double  *x = data->x + row * data->d;

    MB_TRY(mb_file_printf(f, err, "%.9g,", x[v->col[0]]));
    if (data->d > 1)
        MB_TRY(mb_file_printf(f, err, "%.9g", x[v->col[1]]));
    MB_TRY(mb_file_printf(f, err, ",%d,", component));
    if (data->label)
        MB_TRY(mb_csv_put(f, data->label_name[data->label[row]], err));
    return mb_file_write(f, "\n", 1, err);
}

/* Rows with their component under the network mean, evenly thinned if there are many. */
static mb_status rows(void *self, mb_file *f, mb_err *err)
{
    const view    *v = self;
    const mb_case *c = v->best->session.c;
    mb_arena      *a = v->best->session.own;
    const int64_t  n = v->s->rows.data.n, shown = n < VIEW_ROWS ? n : VIEW_ROWS;
    mb_rows        rows = {.n = shown, .d = c->run.d, .ld = (size_t)c->run.d};
    double        *label, *scratch, *x;
    int32_t       *rank;

    MB_NEW(label, a, shown, err);
    MB_NEW(x, a, (size_t)shown * rows.ld, err);
    MB_NEW(scratch, a, mb_local_scratch(&c->model), err);
    MB_NEW(rank, a, c->model.K, err);
    for (int32_t k = 0; k < c->model.K; k++)
        rank[v->best->out.order[k]] = k;
    for (int64_t j = 0; j < shown; j++)
        mb_case_row(c, j * n / shown, x + (size_t)j * rows.ld);
    rows.x = x;
    MB_TRY(c->model.ops->predict(&c->model, v->best->out.mean, &rows, MB_WANT_LABEL, label, scratch,
                                 err));
    for (int64_t j = 0; j < shown; j++)
        MB_TRY(row_line(v, f, j * n / shown, rank[(int32_t)label[j]], err));
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
    c->kind->components_on(&c->size, par, v->col[0], v->col[1], v->part);
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

    for (const sim_result *r = v->r; r < v->r + v->s->nran; r++) {
        const size_t len = r->failed ? 0 : r->session.c->model.layout.len;

        if (r->failed)
            continue;
        MB_TRY(shape(v, r, f, "mean", "mean", r->out.mean, err));
        for (int32_t i = 0; !r->choice->cvb && i < v->s->world.net.n && i < SIM_SHOWN; i++)
            MB_TRY(shape(v, r, f, v->s->world.net.id[i], "node", r->shown + (size_t)i * len, err));
    }
    return MB_OK;
}

/* The result with the best bound that ended inside the domain; 0: there is none. */
static int find_best(view *v)
{
    for (const sim_result *r = v->r; r < v->r + v->s->nran; r++)
        if (!r->failed && isfinite(r->out.bound) && (!v->best || r->out.bound > v->best->out.bound))
            v->best = r;
    return v->best &&
           mb_case_textbook(v->best->session.c, v->s->a, v->best->out.mean, &v->par, NULL) >= 0;
}

mb_status sim_view_write(sim *s, const sim_result *r, mb_err *err)
{
    sim_said *said = &s->said;
    view      v = {.s = s, .r = r};

    if (!s->asked.kind->components_on) /* components are what is drawn */
        return MB_OK;
    MB_NEW(v.part, s->a, s->world.fit.nodes.size.K, err);
    if (!find_best(&v))
        return MB_OK;
    pick_columns(&v);
    said->ncolumns = s->rows.data.d > 1 ? 2 : 1;
    for (int32_t k = 0; k < said->ncolumns; k++)
        said->column[k] = s->rows.data.name[v.col[k]];
    MB_TRY(sim_file(s, "view_rows.csv", "x,y,component,label\n", rows, &v, err));
    return sim_file(s, "view_shapes.csv", "algorithm,node,component,weight,mx,my,sxx,sxy,syy,of\n",
                    shapes, &v, err);
}
