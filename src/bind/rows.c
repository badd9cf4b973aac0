/* rows.c - rows in arrays of the caller's, with any strides, as rows of the library. */
#include "base/rows.h"
#include "base/columns.h"
#include "base/err.h"
#include "base/format.h"
#include "base/opt.h"
#include "base/text.h"
#include "bind/handle.h"
#include "formula/inputs.h"
#include "model/kind.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

mb_status mb_bind_strided_(mb_arena *a, const mb_bind_array_ *v, mb_rows *out, mb_err *err)
{
    return mb_rows_strided(a, v->x, (mb_number)v->type, v->shape[0], (int32_t)v->shape[1],
                           v->stride[0], v->stride[1], out, err);
}

static mb_status features(const mb_bind *b, mb_arena *a, mb_rows *out, mb_err *err)
{
    mb_rows y;

    MB_TRY(mb_bind_strided_(a, &b->array[MB_BIND_X_], out, err));
    if (!b->array[MB_BIND_Y_].x)
        return MB_OK;
    MB_TRY(mb_bind_strided_(a, &b->array[MB_BIND_Y_], &y, err));
    return mb_rows_hstack(a, out, &y, out, err);
}

mb_status mb_bind_numbers_(mb_arena *a, const mb_bind_array_ *v, const double **out, mb_err *err)
{
    mb_rows rows;
    double *x;

    MB_TRY(mb_bind_strided_(a, v, &rows, err));
    *out = rows.x;
    if (rows.x && rows.ld == (size_t)rows.d)
        return MB_OK;
    MB_NEW(x, a, rows.n * rows.d + 1, err);
    mb_rows_take(&rows, 0, rows.n, x);
    *out = x;
    return MB_OK;
}

mb_status mb_bind_integers_(mb_arena *a, const char *name, const mb_bind_array_ *v,
                            const int32_t **out, mb_err *err)
{
    mb_rows  rows;
    int32_t *all;

    MB_TRY(mb_bind_strided_(a, v, &rows, err));
    MB_NEW(all, a, rows.n + 1, err);
    for (int64_t j = 0; j < rows.n; j++) {
        const double x = mb_rows_at(&rows, j, 0);

        if (!(fabs(x) <= INT32_MAX) || floor(x) < x)
            MB_FAIL_AT(err, name, j, -1, MB_E_ARG,
                       "%s: got %.9g in row %lld; expected whole numbers", name, x, (long long)j);
        all[j] = (int32_t)x;
    }
    *out = all;
    return MB_OK;
}

/* A row whose number is not that of the row before begins a group. */
static mb_status groups(mb_arena *a, const mb_bind_array_ *v, mb_rows *rows, mb_err *err)
{
    int64_t *first;
    mb_rows  of;
    double   before = 0;

    MB_TRY(mb_bind_strided_(a, v, &of, err));
    MB_NEW(first, a, rows->n + 1, err);
    for (int64_t j = 0; j < rows->n; j++) {
        const double now = mb_rows_at(&of, j, 0);

        if (!j || now < before || now > before) {
            if (rows->ngroup == INT32_MAX)
                MB_FAIL_OPTION(err, "group", MB_E_SHAPE,
                               "group: got more than %d groups; expected fewer", INT32_MAX);
            first[rows->ngroup++] = j;
        }
        before = now;
    }
    first[rows->ngroup] = rows->n;
    rows->first = first;
    return MB_OK;
}

static mb_status weights(const mb_bind *b, mb_arena *a, mb_rows *rows, mb_err *err)
{
    MB_TRY(mb_bind_numbers_(a, &b->array[MB_BIND_WEIGHT_], &rows->w, err));
    for (int64_t j = 0; j < rows->n; j++)
        if (!(rows->w[j] >= 0 && rows->w[j] <= MB_WEIGHT_MAX))
            MB_FAIL_AT(err, "sample_weight", j, -1, MB_E_NUMERIC,
                       "sample_weight: got %g in row %lld; expected 0 to %g", rows->w[j],
                       (long long)j, MB_WEIGHT_MAX);
    return MB_OK;
}

/* One number for each row. */
static mb_status check_lengths(const mb_bind *b, mb_err *err)
{
    static const struct {
        char    name[16];
        int32_t which;
    } all[] = {{"y", MB_BIND_Y_},
               {"sample_weight", MB_BIND_WEIGHT_},
               {"group", MB_BIND_GROUP_},
               {"node", MB_BIND_NODE_},
               {"labels", MB_BIND_LABELS_}};
    const int64_t n = b->array[MB_BIND_X_].shape[0];

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const mb_bind_array_ *v = &b->array[all[k].which];

        if (!v->x || (v->shape[0] == n && (!k || v->shape[1] == 1)))
            continue;
        MB_FAIL_OPTION(err, all[k].name, MB_E_SHAPE,
                       "%s: got %lld x %lld; expected %lld, as x has rows", all[k].name,
                       (long long)v->shape[0], (long long)v->shape[1], (long long)n);
    }
    return MB_OK;
}

/* Columns that arrays are to have: of a posterior, or of the kinds that were given. */
typedef struct columns {
    const mb_posterior *p;    /* NULL: none                                            */
    const mb_column    *kind; /* kinds: of a design, or all that are given; NULL: none */
    const int32_t      *from; /* kinds: where each is; NULL: in order                  */
    int32_t             kinds, inputs;
} columns;

/* What a cell must be instead; NULL: it may be x. */
static const char *refuses(const columns *c, int32_t d, double x)
{
    const char *expected = NULL;
    int32_t     k = 0;

    while (k < c->kinds && (c->from ? c->from[k] : k) != d)
        k++;
    if (k < c->kinds)
        expected = isnan(x) ? "a number" : mb_column_refuses(&c->kind[k], x);
    else if (d < c->inputs && c->kind) /* the design has no need of it */
        return NULL;
    else if (c->p && isnan(x) && d >= c->inputs && mb_kind_needs_groups(c->p->kind))
        return NULL; /* a row to predict from others of its group */
    else if (c->p)
        expected = mb_kind_refuses(c->p->kind, &c->p->size, d - c->inputs + c->p->size.D, x);
    return expected || fabs(x) <= MB_VALUE_MAX ? expected : "a finite number";
}

/* Looks for gaps, and for cells that columns do not have; NULL: for gaps. */
static mb_status check_cells(const mb_bind *b, const columns *c, mb_rows *rows, mb_err *err)
{
    const int32_t dx = (int32_t)b->array[MB_BIND_X_].shape[1];

    for (int64_t j = 0; j < rows->n && (c || b->kind->gaps); j++)
        for (int32_t d = 0; d < rows->d; d++) {
            const double x = mb_rows_at(rows, j, d);
            const int    gap = isnan(x) && b->kind->gaps;
            const char  *expected = c && !gap ? refuses(c, d, x) : NULL;

            rows->gaps |= gap;
            if (!expected)
                continue;
            MB_FAIL_AT(err, d < dx ? "x" : "y", j, d < dx ? d : d - dx, MB_E_NUMERIC,
                       "%s: got %.9g in row %lld, column %d; expected %s", d < dx ? "x" : "y", x,
                       (long long)j, (int)(d < dx ? d : d - dx), expected);
        }
    return MB_OK;
}

/* Where a design's columns are: by the names of those of x, which without names are x1, x2 and so
 * on; else in their order. */
static mb_status find_inputs(const mb_bind *b, mb_arena *a, columns *c, mb_err *err)
{
    const mb_design      *g = c->p->design;
    const mb_bind_texts_ *given_names = &b->texts[MB_BIND_COLUMNS_];
    const int32_t         d = (int32_t)b->array[MB_BIND_X_].shape[1];
    const char *const    *name = given_names->text;
    const char          **numbered;
    int32_t              *from, found = 0;

    MB_NEW(from, a, g->columns + 1, err);
    MB_TRY(mb_numbered_(a, "x", d, &numbered, err));
    if (given_names->n != d)
        name = numbered;
    for (; found < g->columns; found++) {
        while (from[found] < d && strcmp(name[from[found]], g->column[found]) != 0)
            from[found]++;
        if (from[found] == d)
            break;
    }
    c->kind = g->kind;
    c->kinds = c->inputs = g->columns;
    if (found == g->columns) {
        c->from = from;
        c->inputs = d;
    }
    return MB_OK;
}

/* What the design makes of the rows, all of it finite. */
static mb_status lay(mb_arena *a, const columns *c, mb_rows *rows, mb_err *err)
{
    const mb_posterior *p = c->p;
    const mb_rows       of = *rows;

    MB_TRY(mb_design_rows(a, p->design, &of, c->from, of.d - c->inputs, rows, err));
    for (int64_t j = 0; j < rows->n; j++)
        for (int32_t d = 0; d < p->size.D; d++)
            if (!(fabs(mb_rows_at(rows, j, d)) <= MB_VALUE_MAX))
                MB_FAIL_AT(err, "x", j, -1, MB_E_NUMERIC,
                           "x: %.60s is %g in row %lld; expected a finite number", p->column[d],
                           mb_rows_at(rows, j, d), (long long)j);
    return MB_OK;
}

mb_status mb_bind_rows_(const mb_bind *b, mb_arena *a, const mb_posterior *p, mb_rows *out,
                        mb_err *err)
{
    columns c = {.p = p};

    if (!b->array[MB_BIND_X_].x)
        MB_FAIL_OPTION(err, "x", MB_E_ARG,
                       "x: got no array; expected the rows, given again for each call");
    MB_TRY(check_lengths(b, err));
    MB_TRY(features(b, a, out, err));
    if (b->array[MB_BIND_WEIGHT_].x)
        MB_TRY(weights(b, a, out, err));
    if (b->array[MB_BIND_GROUP_].x)
        MB_TRY(groups(a, &b->array[MB_BIND_GROUP_], out, err));
    if (!p)
        return check_cells(b, NULL, out, err);
    c.inputs = p->size.D;
    if (MB_STORED_(p->design != NULL))
        MB_TRY(find_inputs(b, a, &c, err));
    if (out->d != c.inputs && out->d - c.inputs != mb_posterior_columns(p) - p->size.D)
        MB_FAIL_OPTION(err, "x", MB_E_SHAPE, "x: got %d columns; expected %d%s", (int)out->d,
                       (int)c.inputs,
                       p->kind->targets ? ", and the targets where they are needed" : "");
    MB_TRY(check_cells(b, &c, out, err));
    return MB_STORED_(p->design != NULL) ? lay(a, &c, out, err) : MB_OK;
}

/* n names: those that are given, those of an earlier posterior, or numbered ones. */
static mb_status names_of(mb_arena *a, const char *what, const mb_bind_texts_ *given_names,
                          const char *const *earlier, const char *prefix, int32_t n,
                          const char **out, mb_err *err)
{
    const char **numbered;

    if (given_names->n && given_names->n != n)
        MB_FAIL_OPTION(err, what, MB_E_SHAPE, "%s: got %lld names; expected %d", what,
                       (long long)given_names->n, (int)n);
    MB_TRY(mb_numbered_(a, prefix, n, &numbered, err));
    for (int32_t k = 0; k < n; k++)
        out[k] = given_names->n ? given_names->text[k] : earlier ? earlier[k] : numbered[k];
    return MB_OK;
}

/* Of the columns of x, then of those of y; x may have the targets, too. */
static mb_status names(const mb_bind *b, mb_arena *a, const mb_posterior *p, mb_table *t,
                       mb_err *err)
{
    const int32_t d = t->rows.d, dx = (int32_t)b->array[MB_BIND_X_].shape[1];
    const char **all, *const *x = NULL;

    MB_NEW(all, a, 2 * (int64_t)d + 1, err);
    if (p && d == mb_posterior_columns(p)) {
        mb_posterior_names(p, all + d);
        x = all + d;
        t->column = x;
        if (p->design)
            return MB_OK;
    }
    MB_TRY(names_of(a, "columns", &b->texts[MB_BIND_COLUMNS_], x, "x", dx, all, err));
    MB_TRY(names_of(a, "targets", &b->texts[MB_BIND_TARGETS_], x ? x + dx : NULL, "y", d - dx,
                    all + dx, err));
    if (d == dx + 1 && !x && !b->texts[MB_BIND_TARGETS_].n)
        all[dx] = "y";
    t->column = all;
    return MB_OK;
}

/* Of a model whose columns are all numbers, which need no kinds. */
static mb_status check_numbers(const mb_bind *b, int32_t d, const mb_column *of, mb_err *err)
{
    for (int32_t j = 0; j < d; j++)
        if (of[j].kind != MB_COLUMN_NUMBER)
            MB_FAIL_OPTION(err, "kinds", MB_E_ARG,
                           "kinds: got \"%.60s\"; expected number, as all columns of model %s are",
                           b->texts[MB_BIND_KINDS_].text[j], b->kind->name);
    return MB_OK;
}

/* "number", "category(f|m)" and so on as columns: by a declaration of columns "x1", "x2", .. */
static mb_status kinds(const mb_bind *b, mb_arena *a, const void *kind_opt, mb_table *t,
                       mb_err *err)
{
    mb_sizes              s;
    const mb_bind_texts_ *k = &b->texts[MB_BIND_KINDS_];
    const int32_t         d = t->rows.d;
    const char          **name, *text = "";
    mb_column            *of;
    mb_columns           *made;
    uint8_t              *is_given;
    const char           *all = mb_kind_declares(b->kind, kind_opt);

    if (!k->n && !all)
        return MB_OK;
    if (k->n && k->n != d)
        MB_FAIL_OPTION(err, "kinds", MB_E_SHAPE, "kinds: got %lld; expected those of %d columns",
                       (long long)k->n, (int)d);
    MB_TRY(mb_numbered_(a, "x", d, &name, err));
    MB_NEW(of, a, d, err);
    MB_NEW(is_given, a, d, err);
    MB_NEW(made, a, 1, err);
    for (int32_t j = 0; j < d; j++) {
        text = mb_text(a, err, "%s:%s", name[j], k->n ? k->text[j] : all + 2); /* after "*:" */
        if (!text)
            return MB_E_NOMEM;
        MB_TRY(mb_columns_declare(a, text, d, name, of, is_given, err));
    }
    mb_kind_sizes(b->kind, kind_opt, d, NULL, &s);
    if (b->kind->targets) /* whose inputs the library codes */
        MB_TRY(check_cells(b, &(columns){.kind = of, .kinds = d, .inputs = d}, &t->rows, err));
    else if (!mb_kind_takes_kinds(b->kind, &s))
        return check_numbers(b, d, of, err);
    MB_TRY(mb_columns_make(a, d, of, made, err));
    t->kinds = made;
    return MB_OK;
}

/* What the arrays say of the model: groups, and how many targets there are. */
static mb_status suit(const mb_bind *b, mb_arena *a, const mb_posterior *earlier, void *kind_opt,
                      mb_err *err)
{
    const mb_kind        *kind = b->kind;
    const mb_bind_array_ *y = &b->array[MB_BIND_Y_];
    const char           *text;
    mb_sizes              s;

    if (b->array[MB_BIND_GROUP_].x && !kind->groups)
        MB_FAIL_OPTION(err, "group", MB_E_NOSUP, "group: model %s knows no groups of rows",
                       kind->name);
    if (b->array[MB_BIND_GROUP_].x && !mb_kind_needs_groups(kind))
        MB_TRY(mb_opt_assign(kind->opts, kind_opt, kind->groups, err));
    mb_kind_sizes(kind, kind_opt, 1, NULL, &s);
    if (mb_kind_grouped(kind, &s) && !b->array[MB_BIND_GROUP_].x &&
        (!mb_kind_needs_groups(kind) || (earlier && !kind->ahead))) /* else one sequence */
        MB_FAIL_OPTION(err, "group", MB_E_ARG,
                       "group: got no array; expected the group of each row");
    if (!y->x)
        return MB_OK;
    if (!kind->targets || y->shape[1] > kind->targets || y->shape[1] < 1)
        MB_FAIL_OPTION(err, "y", MB_E_SHAPE,
                       "y: got %lld columns; expected %s%d, as model %s explains",
                       (long long)y->shape[1], kind->targets > 1 ? "1 to " : "", (int)kind->targets,
                       kind->name);
    if (y->shape[1] == 1)
        return MB_OK;
    text = mb_text(a, err, "%s.targets=%lld", kind->name, (long long)y->shape[1]);
    return text ? mb_opt_assign(kind->opts, kind_opt, text, err) : MB_E_NOMEM;
}

mb_status mb_bind_table_(const mb_bind *b, mb_arena *a, const mb_bind_run_ *run,
                         const mb_posterior *earlier, void *kind_opt, mb_table *out, mb_err *err)
{
    const int designed = MB_STORED_(earlier && earlier->design);

    *out = (mb_table){
        .name = "rows", .from_zero = 1, .last_is_target = b->array[MB_BIND_Y_].x != NULL};
    if (run->formula && !b->kind->targets)
        MB_FAIL(err, MB_E_ARG,
                "--formula: model %s has no target; expected one that has, as linreg",
                b->kind->name);
    MB_TRY(suit(b, a, earlier, kind_opt, err));
    MB_TRY(mb_bind_rows_(b, a, designed ? earlier : NULL, &out->rows, err));
    if (designed && out->rows.d != mb_posterior_columns(earlier))
        MB_FAIL_OPTION(err, "y", MB_E_ARG, "y: got no array; expected the targets");
    MB_TRY(names(b, a, earlier, out, err));
    if (designed)
        out->design = earlier->design;
    else
        MB_TRY(kinds(b, a, kind_opt, out, err));
    if (!out->kinds && earlier)
        out->kinds = earlier->size.columns;
    if (MB_STORED_(!earlier && b->kind->targets))
        MB_TRY(mb_inputs_take(a, b->kind, kind_opt, run->formula, (mb_contrasts)run->coding, out,
                              err));
    if (b->array[MB_BIND_NODE_].x)
        MB_TRY(mb_bind_integers_(a, "node", &b->array[MB_BIND_NODE_], &out->node, err));
    return MB_OK;
}
