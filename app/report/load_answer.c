/* load_answer.c - answer.json and the rows that its figures show. */
#include "base/text.h"
#include "core/observe.h"
#include "report/answer.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    report        *r;
    report_answer *a;
    const mb_json *o;
    mb_json_in     j;
} reader;

/* The numbers of nested lists, null as NaN; at most n of them. */
static void flatten(const mb_json *v, int64_t n, double *out, int64_t *count)
{
    for (size_t k = 0; v->type == MB_JSON_LIST && k < v->n; k++)
        flatten(&v->item[k], n, out, count);
    if (v->type == MB_JSON_LIST)
        return;
    if (*count < n)
        out[*count] = v->type == MB_JSON_INTEGER || v->type == MB_JSON_REAL ? v->number : PAGE_NAN;
    ++*count;
}

/* NULL when it is null or missing. */
static mb_status numbers(reader *in, const mb_json *o, const char *key, int64_t n,
                         const double **out)
{
    const mb_json *v = mb_json_at(o, key);
    mb_err        *err = in->j.err;
    double        *x;
    int64_t        count = 0;

    *out = NULL;
    if (v->type <= MB_JSON_NULL)
        return MB_OK;
    MB_NEW(x, in->r->page.a, n + 1, err);
    flatten(v, n, x, &count);
    if (count != n)
        MB_FAIL(err, MB_E_FORMAT, "%s: field \"%s\": got %lld numbers; expected %lld", in->j.file,
                key, (long long)count, (long long)n);
    *out = x;
    return MB_OK;
}

/* A list of texts; *n 0 and NULL when it is null or missing. */
static mb_status texts(reader *in, const mb_json *o, const char *key, const char ***out, int64_t *n)
{
    const mb_json *v = mb_json_at(o, key);
    mb_err        *err = in->j.err;

    *out = NULL;
    *n = 0;
    if (v->type != MB_JSON_LIST)
        return MB_OK;
    MB_NEW(*out, in->r->page.a, v->n + 1, err);
    for (size_t k = 0; k < v->n; k++) {
        (*out)[k] = v->item[k].text;
        if (!(*out)[k])
            mb_json_refuse(&in->j, key, "", "a list of texts");
    }
    *n = (int64_t)v->n;
    return in->j.status;
}

/* A text, or a list of them. */
static mb_status targets(reader *in)
{
    const mb_json *v = mb_json_at(in->o, "target");
    mb_err        *err = in->j.err;

    if (v->type == MB_JSON_LIST || !v->text)
        return texts(in, in->o, "target", &in->a->target, &in->a->targets);
    in->a->targets = 1;
    MB_NEW(in->a->target, in->r->page.a, 1, err);
    in->a->target[0] = v->text;
    return MB_OK;
}

static mb_status parts(reader *in)
{
    report_answer *a = in->a;
    int64_t        names;

    a->part = mb_json_get_text(&in->j, in->o, "part");
    a->note = mb_json_at(in->o, "note")->text;
    a->warning = mb_json_at(in->o, "warning")->text;
    MB_TRY(targets(in));
    a->counted = mb_json_at(in->o, "counted")->text;
    a->parts = mb_json_get_count(&in->j, in->o, "count");
    if (!a->part || a->parts < 0)
        mb_json_refuse(&in->j, "part", "", "what the answer consists of");
    MB_TRY(in->j.status);
    MB_TRY(texts(in, in->o, "columns", &a->column, &a->columns));
    MB_TRY(texts(in, in->o, "names", &a->name, &names));
    if (a->name && names != a->parts)
        mb_json_refuse(&in->j, "names", "", "a name for each part");
    MB_TRY(in->j.status);
    MB_TRY(numbers(in, in->o, "weight", a->parts, &a->weight));
    MB_TRY(numbers(in, in->o, "rows", a->parts, &a->rows));
    MB_TRY(numbers(in, in->o, "mean", a->parts * a->columns, &a->mean));
    MB_TRY(numbers(in, in->o, "sd", a->parts * a->columns, &a->sd));
    MB_TRY(numbers(in, in->o, "low", a->parts * a->columns, &a->low));
    return numbers(in, in->o, "high", a->parts * a->columns, &a->high);
}

/* How well the levels of a target are predicted; older versions did not write it. */
static mb_status levels(reader *in)
{
    report_answer *a = in->a;
    const mb_json *bins = mb_json_at(in->o, "calibration");
    int64_t        C;

    MB_TRY(texts(in, in->o, "levels", &a->level, &a->levels));
    a->accuracy = mb_json_get_real(&in->j, in->o, "accuracy");
    a->log_loss = mb_json_get_real(&in->j, in->o, "log_loss");
    a->bins = bins->type == MB_JSON_LIST ? (int64_t)bins->n : 0;
    C = a->levels ? a->levels : 2;
    MB_TRY(numbers(in, in->o, "confusion", C * C, &a->confusion));
    return numbers(in, in->o, "calibration", 5 * a->bins, &a->bin);
}

static mb_status regression(reader *in)
{
    report_answer *a = in->a;
    const mb_json *sd = mb_json_at(in->o, "column_sd");

    MB_TRY(levels(in));
    if (a->targets) {
        MB_TRY(numbers(in, in->o, "r2", a->targets, &a->r2));
        MB_TRY(numbers(in, in->o, "rmse", a->targets, &a->rmse));
    }
    a->inputs = sd->type == MB_JSON_LIST ? (int64_t)sd->n - a->targets : 0;
    a->inputs = a->inputs > 0 ? a->inputs : 0;
    return numbers(in, in->o, "column_sd", a->inputs + a->targets, &a->column_sd);
}

static mb_status view(reader *in)
{
    const mb_json *v = mb_json_at(in->o, "view");
    report_answer *a = in->a;

    MB_TRY(texts(in, v, "columns", &a->col, &a->ncol));
    if (a->ncol > REPORT_VIEW)
        mb_json_refuse(&in->j, "view.columns", "", "at most four");
    MB_TRY(in->j.status);
    a->lacking = mb_json_at(v, "lacking")->integer; /* older versions did not write it */
    MB_TRY(numbers(in, v, "mean", a->parts * a->ncol, &a->pair_mean));
    MB_TRY(numbers(in, v, "cov", a->parts * a->ncol * (a->ncol + 1) / 2, &a->pair_cov));
    MB_TRY(numbers(in, v, "pca_share", 2, &a->share));
    MB_TRY(numbers(in, v, "pca_mean", 2 * a->parts, &a->plane_mean));
    return numbers(in, v, "pca_cov", 3 * a->parts, &a->plane_cov);
}

/* Classes get the components with which they share most rows, those left over further colours. */
static mb_status match(reader *in)
{
    report_answer *a = in->a;
    mb_err        *err = in->j.err;
    const int      wide = a->classes <= a->parts; /* classes are the rows of the assignment */
    const int32_t  m = (int32_t)(wide ? a->classes : a->parts);
    const int32_t  n = (int32_t)(wide ? a->parts : a->classes);
    int32_t       *col, next = (int32_t)a->parts;
    double        *cost, *scratch;

    MB_NEW(a->class_part, in->r->page.a, a->classes, err);
    MB_NEW(col, in->r->page.a, m, err);
    MB_NEW(cost, in->r->page.a, (size_t)m * (size_t)n, err);
    MB_NEW(scratch, in->r->page.a, mb_assign_scratch(m, n) / sizeof *scratch + 1, err);
    for (int64_t k = 0; k < a->parts; k++)
        for (int64_t c = 0; c < a->classes; c++)
            cost[wide ? c * n + k : k * n + c] = -a->table[k * a->classes + c];
    MB_TRY(mb_assign(cost, m, n, col, scratch, err));
    for (int64_t c = 0; c < a->classes; c++)
        a->class_part[c] = wide ? col[c] : -1;
    for (int32_t k = 0; k < m && !wide; k++)
        a->class_part[col[k]] = k;
    for (int64_t c = 0; c < a->classes; c++)
        if (a->class_part[c] < 0)
            a->class_part[c] = next++;
    return MB_OK;
}

static mb_status classes(reader *in)
{
    report_answer *a = in->a;

    MB_TRY(texts(in, in->o, "classes", &a->class_name, &a->classes));
    MB_TRY(numbers(in, in->o, "table", a->parts * a->classes, &a->table));
    if (!a->table)
        a->classes = 0;
    return a->classes && a->parts ? match(in) : MB_OK;
}

static mb_status rows(reader *in)
{
    static const report_column seen[] = {
        {"x", REPORT_NUMBER, offsetof(report_seen, x[0]), 0},
        {"y", REPORT_MEASURED, offsetof(report_seen, x[1]), 0},
        {"component", REPORT_COUNT, offsetof(report_seen, component), INT32_MAX},
        {"label", REPORT_TEXT, offsetof(report_seen, label), 0},
        {"z", REPORT_MEASURED, offsetof(report_seen, x[2]), 0},
        {"w", REPORT_MEASURED, offsetof(report_seen, x[3]), 0},
        {"pc1", REPORT_MEASURED, offsetof(report_seen, pc[0]), 0},
        {"pc2", REPORT_MEASURED, offsetof(report_seen, pc[1]), 0},
    };
    static const report_column fitted[] = {
        {"fitted", REPORT_NUMBER, offsetof(report_fitted, fitted), 0},
        {"observed", REPORT_NUMBER, offsetof(report_fitted, observed), 0},
        {"target", REPORT_LATER, offsetof(report_fitted, target), 0},
    };
    report_answer *a = in->a;
    mb_err        *err = in->j.err;
    report_records t;

    if (a->ncol) {
        MB_TRY(report_read(in->r, "view_rows.csv", seen, 8, sizeof *a->seen, &t, err));
        a->seen = t.record;
        a->nseen = t.csv.rows;
    }
    for (int64_t j = 0; j < a->nseen; j++) {
        a->seen[j].cls = -1;
        for (int64_t c = 0; c < a->classes && a->seen[j].cls < 0; c++)
            if (!strcmp(a->class_name[c], a->seen[j].label))
                a->seen[j].cls = c;
    }
    if (!a->rmse || isnan(a->rmse[0]))
        return MB_OK;
    MB_TRY(report_read(in->r, "view_fit.csv", fitted, 3, sizeof *a->fitted, &t, err));
    a->fitted = t.record;
    a->nfitted = t.csv.rows;
    return MB_OK;
}

static mb_status whole(reader *in)
{
    const char    *name = mb_json_get_text(&in->j, in->o, "algorithm");
    report_answer *a = in->a;

    for (int32_t k = 0; name && k < in->r->nalgo; k++)
        if (!strcmp(in->r->algo[k].name, name))
            a->algo = &in->r->algo[k];
    if (!a->algo)
        mb_json_refuse(&in->j, "algorithm", "", "one of summary.json");
    MB_TRY(in->j.status);
    a->tried = mb_json_at(in->o, "initialisations")->integer;
    a->at_best = mb_json_at(in->o, "at_best")->integer;
    a->moves = mb_json_at(in->o, "moves")->integer;
    a->sampled = mb_json_at(in->o, "sampled")->integer;
    a->improved = mb_json_at(in->o, "improved")->integer;
    a->safe = mb_json_at(in->o, "safe")->type == MB_JSON_TRUE;
    MB_TRY(texts(in, in->o, "doubts", &a->doubt, &a->doubts));
    a->optima = mb_json_at(mb_json_at(in->o, "held_out"), "optima")->integer;
    a->held_out = mb_json_at(mb_json_at(in->o, "held_out"), "density")->number;
    a->of_best = mb_json_at(mb_json_at(in->o, "held_out"), "density_of_best_bound")->number;
    a->below = mb_json_at(mb_json_at(in->o, "held_out"), "bound_below_best")->number;
    a->revealed = mb_json_at(mb_json_at(in->o, "revealed"), "rows")->integer;
    MB_TRY(parts(in));
    MB_TRY(regression(in));
    MB_TRY(view(in));
    MB_TRY(classes(in));
    return rows(in);
}

const char *report_caption(const report *r, const char *caption, mb_err *err)
{
    const report_answer *a = r->answer;

    if (!a || a->lacking < 1)
        return caption;
    return mb_text(r->page.a, err,
                   "%s %lld of %lld rows are not shown: they lack a value in one of the columns "
                   "that figures show.",
                   caption, (long long)a->lacking, (long long)(a->lacking + a->nseen));
}

mb_status report_load_answer(report *r, mb_err *err)
{
    reader      in = {.r = r};
    const char *path;

    MB_TRY(report_find_file(r, "answer.json", &path, err));
    if (!path)
        return MB_OK;
    in.j = (mb_json_in){.file = path, .where = "", .err = err};
    MB_TRY(mb_json_read(r->page.a, path, &in.o, err));
    MB_NEW(in.a, r->page.a, 1, err);
    MB_TRY(whole(&in));
    r->answer = in.a;
    return MB_OK;
}
