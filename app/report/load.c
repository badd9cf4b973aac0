/* load.c - the run that is in an output folder: its tables, answer.json and the rows that
 * figures show, and the tables of a run in time. All files but summary.json may be missing. */
#include "base/app.h"
#include "base/text.h"
#include "core/observe.h"
#include "report/answer.h"
#include "report/parts.h"
#include "report/time.h"

#include <math.h>
#include <stdlib.h>
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

static void iterations(reader *in)
{
    const mb_json *is = mb_json_at(in->o, "iterations");
    report_answer *a = in->a;

    if (is->type != MB_JSON_OBJECT)
        return;
    a->groups_seen = mb_json_get_count(&in->j, is, "groups");
    a->iterations = mb_json_get_real(&in->j, is, "mean");
    a->most_iterations = mb_json_get_count(&in->j, is, "most");
    a->capped = mb_json_get_count(&in->j, is, "capped");
    a->iteration_limit = mb_json_get_count(&in->j, is, "limit");
}

static mb_status parts(reader *in)
{
    report_answer *a = in->a;
    int64_t        names;

    a->part = mb_json_get_text(&in->j, in->o, "part");
    a->note = mb_json_at(in->o, "note")->text;
    a->ranked = mb_json_at(in->o, "ranked")->type != MB_JSON_NONE;
    iterations(in);
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
    MB_TRY(numbers(in, in->o, "high", a->parts * a->columns, &a->high));
    return numbers(in, in->o, "rest", a->columns, &a->rest);
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
        a->dispersion = mb_json_at(in->o, "dispersion")->number;
    }
    a->inputs = sd->type == MB_JSON_LIST ? (int64_t)sd->n - a->targets : 0;
    a->inputs = a->inputs > 0 ? a->inputs : 0;
    return numbers(in, in->o, "column_sd", a->inputs + a->targets, &a->column_sd);
}

static mb_status effects_of(reader *in, const mb_json *o, report_groups *g)
{
    mb_err       *err = in->j.err;
    const double *at;
    int64_t       n;

    MB_TRY(texts(in, o, "effects", &g->effect, &g->effects));
    MB_NEW(g->input, in->r->page.a, g->effects + 1, err);
    for (int64_t i = 0; i < g->effects; i++)
        g->input[i] = strcmp(g->effect[i], "(intercept)") != 0;
    n = in->a->inputs;
    MB_TRY(numbers(in, o, "at", n, &at));
    for (int64_t d = 0; at && d < n; d++)
        g->centred |= at[d] < 0 || at[d] > 0;
    MB_TRY(numbers(in, o, "new_mean", g->effects, &g->new_mean));
    MB_TRY(numbers(in, o, "new_low", g->effects, &g->new_low));
    return numbers(in, o, "new_high", g->effects, &g->new_high);
}

/* Older versions did not write it. */
static mb_status groups(reader *in)
{
    const mb_json *o = mb_json_at(in->o, "groups"), *name = mb_json_at(o, "names");
    mb_err        *err = in->j.err;
    report_groups *g;

    if (o->type != MB_JSON_OBJECT || name->type != MB_JSON_LIST || !in->a->targets)
        return MB_OK;
    MB_NEW(g, in->r->page.a, 1, err);
    g->count = mb_json_get_count(&in->j, o, "count");
    g->shown = (int64_t)name->n;
    MB_NEW(g->name, in->r->page.a, g->shown + 1, err);
    for (int64_t k = 0; k < g->shown; k++)
        g->name[k] = name->item[k].text;
    MB_TRY(effects_of(in, o, g));
    MB_TRY(numbers(in, o, "rows", g->shown, &g->rows));
    MB_TRY(numbers(in, o, "target_mean", g->shown, &g->target_mean));
    MB_TRY(numbers(in, o, "mean", g->shown * g->effects, &g->mean));
    MB_TRY(numbers(in, o, "low", g->shown * g->effects, &g->low));
    MB_TRY(numbers(in, o, "high", g->shown * g->effects, &g->high));
    in->a->groups = g->rows && g->target_mean && g->mean && g->low && g->high && g->new_mean &&
                            g->new_low && g->new_high
                        ? g
                        : NULL;
    return in->j.status;
}

/* Of models whose rows have states. */
static mb_status sequences(reader *in)
{
    const mb_json *o = mb_json_at(in->o, "sequences"), *all = mb_json_at(o, "shown");
    const mb_json *name = mb_json_at(o, "names");
    mb_err        *err = in->j.err;

    if (o->type != MB_JSON_OBJECT || all->type != MB_JSON_LIST || name->n != all->n)
        return MB_OK;
    MB_NEW(in->a->sequence, in->r->page.a, all->n + 1, err);
    for (size_t k = 0; k < all->n; k++) {
        report_sequence *s = &in->a->sequence[k];
        const mb_json   *one = &all->item[k], *state = mb_json_at(one, "states");

        s->name = name->item[k].text;
        s->rows = mb_json_get_count(&in->j, one, "rows");
        s->shown = state->type == MB_JSON_LIST ? (int64_t)state->n : 0;
        MB_TRY(numbers(in, one, "states", s->shown, &s->state));
        MB_TRY(numbers(in, one, "gaps", s->shown, &s->gap));
        MB_TRY(numbers(in, one, "values", s->shown, &s->value));
        if (!s->state || !s->gap || !s->value)
            return MB_OK;
    }
    in->a->drawn = mb_json_at(o, "column")->text;
    in->a->sequences = mb_json_get_count(&in->j, o, "count");
    in->a->nsequence = (int64_t)all->n;
    return in->j.status;
}

/* One series; *whole 0: it lacks something. */
static mb_status one_series(reader *in, const mb_json *one, report_course *s, int *whole)
{
    const mb_json *next = mb_json_at(one, "forecast");
    const int64_t  parts = in->a->states;

    s->rows = mb_json_get_count(&in->j, one, "rows");
    s->from = mb_json_get_count(&in->j, one, "from");
    s->shown = (int64_t)mb_json_at(one, "values")->n;
    MB_TRY(numbers(in, one, "values", s->shown, &s->value));
    MB_TRY(numbers(in, one, "mean", s->shown * parts, &s->mean));
    MB_TRY(numbers(in, one, "sd", s->shown * parts, &s->sd));
    *whole &= s->value && s->mean && s->sd;
    if (next->type != MB_JSON_OBJECT || !mb_json_at(next, "mean")->n)
        return MB_OK;
    s->steps = (int64_t)mb_json_at(next, "mean")->item[0].n;
    MB_TRY(numbers(in, next, "mean", s->steps, &s->next));
    MB_TRY(numbers(in, next, "sd", s->steps, &s->next_sd));
    *whole &= s->next && s->next_sd;
    return MB_OK;
}

/* Of models whose rows have a state of several parts. */
static mb_status series(reader *in)
{
    const mb_json *o = mb_json_at(in->o, "series"), *all = mb_json_at(o, "shown");
    const mb_json *name = mb_json_at(o, "names");
    mb_err        *err = in->j.err;
    int            whole = 1;

    if (o->type != MB_JSON_OBJECT || all->type != MB_JSON_LIST || name->n != all->n)
        return MB_OK;
    MB_TRY(texts(in, o, "parts", &in->a->state, &in->a->states));
    MB_NEW(in->a->series, in->r->page.a, all->n + 1, err);
    for (size_t k = 0; k < all->n && in->a->states; k++) {
        in->a->series[k].name = name->item[k].text;
        MB_TRY(one_series(in, &all->item[k], &in->a->series[k], &whole));
    }
    in->a->all_series = mb_json_get_count(&in->j, o, "count");
    in->a->nseries = whole && in->a->states && in->a->targets ? (int64_t)all->n : 0;
    return in->j.status;
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
    MB_TRY(groups(in));
    MB_TRY(sequences(in));
    MB_TRY(series(in));
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

static mb_status ascending(const report_records *t, const char *what, const void *record,
                           size_t size, mb_err *err)
{
    const char *at = record;
    double      before = 0, time;

    for (int64_t row = 0; row < t->csv.rows; row++, at += size) {
        memcpy(&time, at, sizeof time); /* the first member */
        if (time < before)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: %s at %g s comes after %g s", t->csv.file,
                    (long long)t->csv.line[row], what, time, before);
        before = time;
    }
    return MB_OK;
}

static mb_status load_instants(report *r, struct report_time *to, mb_err *err)
{
#define AT(field) offsetof(report_instant, field)
    static const report_column column[] = {
        {"time", REPORT_NUMBER, AT(time), 0},
        {"disagreement", REPORT_MEASURED, AT(apart), 0},
        {"disagreement_max", REPORT_MEASURED, AT(apart_max), 0},
        {"distance", REPORT_MEASURED, AT(distance), 0},
        {"distance_max", REPORT_MEASURED, AT(distance_max), 0},
        {"n_min", REPORT_MEASURED, AT(n_min), 0},
        {"n_median", REPORT_MEASURED, AT(n_median), 0},
        {"n_max", REPORT_MEASURED, AT(n_max), 0},
    };
#undef AT
    report_records t;

    MB_TRY(report_read(r, "trace.csv", column, 8, sizeof(report_instant), &t, err));
    to->instant = t.record;
    to->ninstant = t.record ? t.csv.rows : 0;
    r->traced = t.record != NULL;
    return t.record ? ascending(&t, "a sample", t.record, sizeof(report_instant), err) : MB_OK;
}

static mb_status load_events(report *r, struct report_time *to, mb_err *err)
{
    static const report_column column[] = {
        {"time", REPORT_NUMBER, offsetof(report_event, time), 0},
        {"event", REPORT_TEXT, offsetof(report_event, event), 0},
        {"a", REPORT_TEXT, offsetof(report_event, a), 0},
    };
    report_records t;

    MB_TRY(report_read(r, "events.csv", column, 3, sizeof(report_event), &t, err));
    to->event = t.record;
    to->nevent = t.record ? t.csv.rows : 0;
    return t.record ? ascending(&t, "an event", t.record, sizeof(report_event), err) : MB_OK;
}

static mb_status load_changes(report *r, struct report_time *to, mb_err *err)
{
    static const report_column column[] = {
        {"time", REPORT_NUMBER, offsetof(report_change, time), 0},
        {"node", REPORT_TEXT, offsetof(report_change, node), 0},
        {"state", REPORT_TEXT, offsetof(report_change, state), 0},
    };
    report_records t;

    MB_TRY(report_read(r, "life.csv", column, 3, sizeof(report_change), &t, err));
    to->change = t.record;
    to->nchange = t.record ? t.csv.rows : 0;
    return t.record ? ascending(&t, "a change", t.record, sizeof(report_change), err) : MB_OK;
}

/* The tables of a run in virtual time into r->time. */
static mb_status load_time(report *r, mb_err *err)
{
    const mb_json *about = mb_json_at(r->summary, "virtual"), *end;
    const int      processes = about->type != MB_JSON_OBJECT;

    if (processes)
        about = mb_json_at(r->summary, "processes");
    if (about->type != MB_JSON_OBJECT)
        return MB_OK;
    end = mb_json_at(about, "time");
    MB_NEW(r->time, r->page.a, 1, err);
    r->time->about = about;
    r->time->processes = processes;
    r->time->end =
        end->type == MB_JSON_REAL || end->type == MB_JSON_INTEGER ? end->number : PAGE_NAN;
    MB_TRY(load_instants(r, r->time, err));
    MB_TRY(load_events(r, r->time, err));
    return load_changes(r, r->time, err);
}

static report_spread spread(mb_json_in *j, const mb_json *o, const char *key)
{
    const mb_json *v = mb_json_at(o, key);

    if (v->type <= MB_JSON_NULL)
        return (report_spread){PAGE_NAN, PAGE_NAN, PAGE_NAN};
    v = mb_json_get(j, o, key, MB_JSON_OBJECT);
    return (report_spread){mb_json_get_real(j, v, "mean"), mb_json_get_real(j, v, "sd"),
                           mb_json_get_real(j, v, "max")};
}

static void algorithm(mb_json_in *j, const mb_json *o, report_algo *a)
{
    const char *status = mb_json_get_text(j, o, "status");

    a->name = mb_json_get_text(j, o, "name");
    a->stopped = mb_json_get_text(j, o, "stopped");
    a->verdict = mb_json_get_text(j, o, "verdict");
    a->limit = mb_json_get_text(j, o, "limit");
    a->error = mb_json_get_text(j, o, "error");
    a->failed = status && strcmp(status, "ok") != 0;
    a->rounds = mb_json_get_count(j, o, "rounds");
    a->attempt = mb_json_get_count(j, o, "attempt");
    a->attempts = mb_json_get_count(j, o, "attempts");
    a->outside = mb_json_get_count(j, o, "outside");
    a->frozen = mb_json_get_count(j, o, "frozen");
    a->projected = mb_json_get_count(j, o, "projected");
    a->frames = mb_json_get_count(j, o, "frames");
    a->bytes = mb_json_get_count(j, o, "bytes");
    a->start_bytes = mb_json_get_count(j, o, "start_bytes");
    a->disagreement = mb_json_get_real(j, o, "disagreement");
    a->moved = mb_json_get_real(j, o, "moved");
    a->bound = mb_json_get_real(j, o, "bound");
    a->accuracy = mb_json_get_real(j, o, "accuracy");
    a->nmi = mb_json_get_real(j, o, "nmi");
    a->ari = mb_json_get_real(j, o, "ari");
    a->seconds = mb_json_get_real(j, o, "seconds");
    a->kl_cvb = spread(j, o, "kl_cvb");
    a->kl_truth = spread(j, o, "kl_truth");
    a->counts = mb_json_at(o, "counts");
}

/* Names become names of files. */
static mb_status load_algorithms(report *r, mb_json_in *j, mb_err *err)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const mb_json *list = mb_json_get(j, r->summary, "algorithms", MB_JSON_LIST);
    char           where[48];

    if (list->n == 0)
        mb_json_refuse(j, "algorithms", "", "a list of at least one");
    MB_TRY(j->status);
    r->nalgo = (int32_t)list->n;
    MB_NEW(r->algo, r->page.a, r->nalgo, err);
    for (int32_t k = 0; k < r->nalgo; k++) {
        report_algo *a = &r->algo[k];

        snprintf(where, sizeof where, "algorithms[%d].", (int)k);
        j->where = where;
        algorithm(j, &list->item[k], a);
        if (!a->name || !*a->name || a->name[strspn(a->name, letters)])
            mb_json_refuse(j, "name", "", "letters, digits, _ and -");
        MB_TRY(j->status);
        page_look(a->name, &a->label, &a->colour);
        a->central = !strcmp(a->name, "cvb");
        if (a->central)
            r->central = a;
    }
    return MB_OK;
}

static mb_status load_summary(report *r, mb_err *err)
{
    const char *path = mb_text(r->page.a, err, "%s/summary.json", r->page.dir);
    mb_json_in  j = {.file = path, .where = "", .err = err};

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(mb_json_read(r->page.a, path, &r->summary, err));
    mb_json_get(&j, r->summary, "data", MB_JSON_OBJECT);
    mb_json_get(&j, r->summary, "network", MB_JSON_OBJECT);
    const mb_json *columns = mb_json_at(mb_json_at(r->summary, "view"), "columns");
    const int64_t  n = mb_json_at(mb_json_at(r->summary, "network"), "nodes")->integer;
    const mb_json *file = mb_json_at(mb_json_at(r->summary, "data"), "file");
    const char    *data = file->text ? file->text : "a run", *slash = strrchr(data, '/');

    r->title = mb_text(r->page.a, err, "%s on %lld node%s", slash ? slash + 1 : data, (long long)n,
                       n == 1 ? "" : "s");
    if (!r->title)
        return MB_E_NOMEM;
    for (size_t k = 0; k < columns->n && k < 2; k++)
        if (columns->item[k].text)
            r->col[r->ncol++] = columns->item[k].text;
    return load_algorithms(r, &j, err);
}

static int by_id(const void *a, const void *b)
{
    const report_node *const *x = a, *const *y = b;

    return strcmp((*x)->id, (*y)->id);
}

static mb_status find_node(const report *r, const mb_csv *csv, int64_t row, const char *id,
                           const report_node **out, mb_err *err)
{
    const report_node         key = {.id = id}, *wanted = &key;
    const report_node *const *found =
        bsearch(&wanted, r->by_id, (size_t)r->nnode, sizeof *r->by_id, by_id);

    if (!found)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: node \"%.60s\" is not in network.csv", csv->file,
                (long long)csv->line[row], id);
    *out = *found;
    return MB_OK;
}

static mb_status load_links(report *r, mb_err *err)
{
    typedef struct ends {
        const char *id[2];
    } ends;
    static const report_column column[] = {{"i", REPORT_TEXT, offsetof(ends, id[0]), 0},
                                           {"j", REPORT_TEXT, offsetof(ends, id[1]), 0}};
    report_records             t;

    MB_TRY(report_read(r, "edges.csv", column, 2, sizeof(ends), &t, err));
    const ends *e = t.record;

    r->nlink = t.csv.rows;
    MB_NEW(r->link, r->page.a, r->nlink + 1, err);
    for (int64_t k = 0; k < r->nlink; k++)
        for (int side = 0; side < 2; side++)
            MB_TRY(find_node(r, &t.csv, k, e[k].id[side], &r->link[k].end[side], err));
    return MB_OK;
}

static mb_status load_network(report *r, mb_err *err)
{
    static const report_column column[] = {
        {"node", REPORT_TEXT, offsetof(report_node, id), 0},
        {"x", REPORT_NUMBER, offsetof(report_node, at[0]), 0},
        {"y", REPORT_NUMBER, offsetof(report_node, at[1]), 0},
    };
    report_records t;

    MB_TRY(report_read(r, "network.csv", column, 3, sizeof *r->node, &t, err));
    if (!t.record)
        return MB_OK;
    r->node = t.record;
    r->nnode = t.csv.rows;
    MB_NEW(r->by_id, r->page.a, r->nnode + 1, err);
    for (int64_t i = 0; i < r->nnode; i++)
        r->by_id[i] = &r->node[i];
    qsort(r->by_id, (size_t)r->nnode, sizeof *r->by_id, by_id);
    for (int64_t i = 1; i < r->nnode; i++)
        if (!strcmp(r->by_id[i]->id, r->by_id[i - 1]->id))
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: node \"%.60s\" is listed twice", t.csv.file,
                    (long long)t.csv.line[r->by_id[i] - r->node], r->by_id[i]->id);
    return load_links(r, err);
}

static mb_status load_nodes(report *r, mb_err *err)
{
    typedef struct state {
        report_algo *algo;
        const char  *id;
        double       apart;
        int64_t      off;
    } state;
    static const report_column column[] = {
        {"algorithm", REPORT_ALGO, offsetof(state, algo), 0},
        {"node", REPORT_TEXT, offsetof(state, id), 0},
        {"disagreement", REPORT_MEASURED, offsetof(state, apart), 0},
        {"outside", REPORT_COUNT, offsetof(state, off), 1},
    };
    report_records t;

    if (!r->nnode)
        return MB_OK;
    MB_TRY(report_read(r, "nodes.csv", column, 4, sizeof(state), &t, err));
    const state *s = t.record;

    for (int64_t row = 0; row < t.csv.rows; row++, s++) {
        report_algo       *a = s->algo;
        const report_node *node;

        if (a->central)
            continue; /* its one node is not in the network */
        MB_TRY(find_node(r, &t.csv, row, s->id, &node, err));
        if (!a->apart) {
            MB_NEW(a->apart, r->page.a, r->nnode, err);
            MB_NEW(a->off, r->page.a, r->nnode, err);
            for (int64_t i = 0; i < r->nnode; i++)
                a->apart[i] = PAGE_NAN;
        }
        a->apart[node - r->node] = s->apart;
        a->off[node - r->node] = s->off;
    }
    return MB_OK;
}

/* The series that a line of the trace belongs to. A network of one node has its bound at the mean:
 * it may be traced as its own bound instead. */
static report_series *series_of(const report *r, report_algo *a, const char *metric)
{
    const char *bound = mb_metric_table()[MB_M_BOUND].name;

    if (a->central && !r->mean_traced && !strcmp(bound, metric))
        return &a->series[REPORT_BOUND];
    return report_series_of(a, metric);
}

typedef struct seen {
    report_algo *algo;
    int64_t      t;
    const char  *metric;
    double       mean, max, total;
} seen;

/* Appends the bound with which the run ended, if the trace ends before. */
static void end_bound(report_algo *a)
{
    report_series *s = &a->series[REPORT_BOUND];

    if (s->n && isfinite(a->bound) && s->point[s->n - 1].x < (double)a->rounds)
        s->point[s->n++] = (page_point){(double)a->rounds, a->bound, a->bound};
}

/* Appends every line to its series. */
static mb_status append(report *r, const report_records *t, mb_err *err)
{
    const seen    *line = t->record;
    report_series *s;

    for (int64_t row = 0; row < t->csv.rows && !r->mean_traced; row++)
        r->mean_traced = !strcmp(line[row].metric, mb_metric_table()[MB_M_BOUND_MEAN].name);
    for (int64_t row = 0; row < t->csv.rows; row++)
        if ((s = series_of(r, line[row].algo, line[row].metric)))
            s->n++;
    for (int32_t k = 0; k < r->nalgo; k++)
        for (int m = 0; m < REPORT_METRICS; m++) {
            s = &r->algo[k].series[m];
            MB_NEW(s->point, r->page.a, s->n + 1, err);
            s->n = 0;
        }
    for (int64_t row = 0; row < t->csv.rows; row++, line++) {
        s = series_of(r, line->algo, line->metric);
        if (!s)
            continue;
        if (s->n && (double)line->t <= s->point[s->n - 1].x)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: round %lld comes after round %.0f", t->csv.file,
                    (long long)t->csv.line[row], (long long)line->t, s->point[s->n - 1].x);
        s->point[s->n++] =
            (page_point){(double)line->t, isnan(line->total) ? line->mean : line->total, line->max};
    }
    for (int32_t k = 0; k < r->nalgo; k++)
        end_bound(&r->algo[k]);
    return MB_OK;
}

/* A folder is reused by the next run: only a trace that summary.json names is this run's. */
static mb_status load_trace(report *r, mb_err *err)
{
    static const report_column column[] = {
        {"algorithm", REPORT_ALGO, offsetof(seen, algo), 0},
        {"t", REPORT_COUNT, offsetof(seen, t), INT64_MAX},
        {"metric", REPORT_TEXT, offsetof(seen, metric), 0},
        {"mean", REPORT_MEASURED, offsetof(seen, mean), 0},
        {"max", REPORT_MEASURED, offsetof(seen, max), 0},
        {"total", REPORT_LATER, offsetof(seen, total), 0},
    };
    report_records t;

    if (!mb_json_at(r->summary, "trace")->text)
        return MB_OK;
    MB_TRY(report_read(r, "trace.csv", column, 6, sizeof(seen), &t, err));
    r->traced = t.record != NULL;
    return append(r, &t, err);
}

static void round_off(const report *r, report_spread *s)
{
    double *const of[] = {&s->mean, &s->sd, &s->max};

    for (int k = 0; k < 3; k++)
        *of[k] = app_divergence(*of[k], r->best);
}

/* The best bound, and what is rounding beside it (as in page_gap). */
static void find_best(report *r)
{
    r->best = PAGE_NAN;
    for (const report_algo *a = r->algo; a < r->algo + r->nalgo; a++) {
        const report_series *s = &a->series[REPORT_BOUND];

        r->best = fmax(r->best, a->bound); /* fmax leaves NaN out */
        for (int64_t j = 0; j < s->n; j++)
            r->best = fmax(r->best, s->band ? s->band[j].top : s->point[j].y);
    }
    r->rounding = app_rounding(r->best);
    for (int32_t k = 0; k < r->nalgo; k++) {
        round_off(r, &r->algo[k].kl_cvb);
        round_off(r, &r->algo[k].kl_truth);
    }
}

/* Numbers the nodes of every algorithm in the order of the file. */
static void number_shapes(report *r)
{
    for (int64_t k = 0; k < r->nshape; k++) {
        report_shape *s = &r->shape[k];

        if (s->algo->central)
            s->algo->nview = 1;
        if (s->algo->central || !strcmp(*s->of ? s->of : s->node, "mean"))
            s->place = -1;
        else if (k > 0 && s[-1].algo == s->algo && s[-1].place >= 0 && !strcmp(s[-1].node, s->node))
            s->place = s[-1].place;
        else
            s->place = s->algo->nview++;
    }
}

/* The second column comes last: files of one column have none. */
static mb_status load_view(report *r, mb_err *err)
{
    static const report_column row[] = {
        {"x", REPORT_NUMBER, offsetof(report_row, x[0]), 0},
        {"component", REPORT_COUNT, offsetof(report_row, component), INT32_MAX},
        {"label", REPORT_TEXT, offsetof(report_row, label), 0},
        {"y", REPORT_NUMBER, offsetof(report_row, x[1]), 0},
    };
    static const report_column shape[] = {
        {"algorithm", REPORT_ALGO, offsetof(report_shape, algo), 0},
        {"node", REPORT_TEXT, offsetof(report_shape, node), 0},
        {"component", REPORT_COUNT, offsetof(report_shape, component), INT32_MAX},
        {"weight", REPORT_NUMBER, offsetof(report_shape, weight), 0},
        {"mx", REPORT_NUMBER, offsetof(report_shape, mean[0]), 0},
        {"sxx", REPORT_NUMBER, offsetof(report_shape, cov[0]), 0},
        {"of", REPORT_WORD, offsetof(report_shape, of), 0},
        {"my", REPORT_NUMBER, offsetof(report_shape, mean[1]), 0},
        {"sxy", REPORT_NUMBER, offsetof(report_shape, cov[1]), 0},
        {"syy", REPORT_NUMBER, offsetof(report_shape, cov[2]), 0},
    };
    const int      two = r->ncol > 1;
    report_records t;

    if (!r->ncol)
        return MB_OK; /* this run shows no columns: files here are another run's */
    MB_TRY(report_read(r, "view_rows.csv", row, two ? 4 : 3, sizeof *r->row, &t, err));
    r->row = t.record;
    r->nrow = t.csv.rows;
    MB_TRY(report_read(r, "view_shapes.csv", shape, two ? 10 : 7, sizeof *r->shape, &t, err));
    r->shape = t.record;
    r->nshape = t.csv.rows;
    number_shapes(r);
    return MB_OK;
}

mb_status report_load(report *r, mb_err *err)
{
    const char *config;

    MB_TRY(load_summary(r, err));
    MB_TRY(report_find_file(r, "config.json", &config, err));
    if (config)
        MB_TRY(mb_json_read(r->page.a, config, &r->config, err));
    MB_TRY(load_network(r, err));
    MB_TRY(load_nodes(r, err));
    MB_TRY(load_trace(r, err));
    MB_TRY(load_time(r, err));
    MB_TRY(report_bands(r, err));
    find_best(r);
    return load_view(r, err);
}
