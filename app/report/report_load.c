/* report_load.c - the run as its output folder tells it; all but summary.json may be missing. */
#include "base/folder.h"
#include "report/report_parts.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static char *say(report *r, mb_err *err, const char *fmt, va_list ap) MB_PRINTF(3, 0);
static char *say(report *r, mb_err *err, const char *fmt, va_list ap)
{
    va_list again;
    char   *text = NULL;

    va_copy(again, ap);
    const int len = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (len >= 0)
        text = mb_alloc(r->a, (size_t)len + 1, 1);
    if (text)
        vsnprintf(text, (size_t)len + 1, fmt, ap);
    else
        mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory for the report's text");
    return text;
}

const char *report_say(report *r, mb_err *err, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const char *text = say(r, err, fmt, ap);
    va_end(ap);
    return text;
}

mb_status report_note(report *r, mb_err *err, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const char *text = say(r, err, fmt, ap);
    va_end(ap);
    if (!text)
        return MB_E_NOMEM;
    if (json_array_append_new(r->notes, json_string(text)))
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the report's warnings");
    return MB_OK;
}

const char *report_path(report *r, const char *name, mb_err *err)
{
    return report_say(r, err, "%s/%s", r->dir, name);
}

int report_find_algo(const report *r, const char *name)
{
    for (int32_t k = 0; k < r->nalgo; k++)
        if (!strcmp(r->algo[k].name, name))
            return k;
    return -1;
}

static report_spread spread(app_json *j, const json_t *o, const char *key)
{
    report_spread s = {REPORT_NAN, REPORT_NAN, REPORT_NAN};
    const json_t *v = json_object_get(o, key);

    if (json_is_object(v)) {
        s.mean = app_json_real(j, v, "mean");
        s.sd = app_json_real(j, v, "sd");
        s.max = app_json_real(j, v, "max");
    } else if (v && !json_is_null(v)) {
        app_json_get(j, o, key, JSON_OBJECT); /* says what is accepted */
    }
    return s;
}

static void algorithm(app_json *j, const json_t *o, report_algo *a)
{
    a->name = app_json_text(j, o, "name");
    a->title = app_json_text(j, o, "title");
    a->stopped = app_json_text(j, o, "stopped");
    a->verdict = app_json_text(j, o, "verdict");
    a->limit = app_json_text(j, o, "limit");
    a->status = app_json_text(j, o, "status");
    a->error = app_json_text(j, o, "error");
    a->failed = a->status && strcmp(a->status, "ok") != 0;
    a->rounds = app_json_count(j, o, "rounds");
    a->attempt = app_json_count(j, o, "attempt");
    a->attempts = app_json_count(j, o, "attempts");
    a->outside = app_json_count(j, o, "outside");
    a->frozen = app_json_count(j, o, "frozen");
    a->projected = app_json_count(j, o, "projected");
    a->frames = app_json_count(j, o, "frames");
    a->bytes = app_json_count(j, o, "bytes");
    a->start_bytes = app_json_count(j, o, "start_bytes");
    a->disagreement = app_json_real(j, o, "disagreement");
    a->moved = app_json_real(j, o, "moved");
    a->bound = app_json_real(j, o, "bound");
    a->accuracy = app_json_real(j, o, "accuracy");
    a->nmi = app_json_real(j, o, "nmi");
    a->ari = app_json_real(j, o, "ari");
    a->seconds = app_json_real(j, o, "seconds");
    a->kl_cvb = spread(j, o, "kl_cvb");
    a->kl_truth = spread(j, o, "kl_truth");
}

static mb_status algorithms(report *r, app_json *j, mb_err *err)
{
    const json_t *list = app_json_get(j, r->summary, "algorithms", JSON_ARRAY);
    char          where[48];

    MB_TRY(j->status);
    r->nalgo = (int32_t)json_array_size(list);
    if (r->nalgo == 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: field \"algorithms\" is empty", j->file);
    MB_NEW(r->algo, r->a, r->nalgo, err);
    for (int32_t k = 0; k < r->nalgo; k++) {
        report_algo *a = &r->algo[k];

        snprintf(where, sizeof where, "algorithms[%d].", (int)k);
        j->where = where;
        algorithm(j, json_array_get(list, (size_t)k), a);
        MB_TRY(j->status);
        if (!a->name || !*a->name)
            MB_FAIL(err, MB_E_FORMAT, "%s: field \"%sname\" is missing", j->file, where);
        for (const char *c = a->name; *c; c++)
            if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *c))
                MB_FAIL(err, MB_E_FORMAT,
                        "%s: field \"%sname\" is not accepted: letters, digits, _ and -", j->file,
                        where);
        report_style_algo(a);
    }
    j->where = "";
    return MB_OK;
}

static mb_status summary(report *r, mb_err *err)
{
    const char *path = report_path(r, "summary.json", err);
    app_json    j = {.file = path, .where = "", .err = err};

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(app_json_load(r->a, path, &r->summary, err));
    app_json_get(&j, r->summary, "data", JSON_OBJECT);
    app_json_get(&j, r->summary, "network", JSON_OBJECT);
    const json_t *warnings = json_object_get(r->summary, "warnings");
    const json_t *view = json_object_get(r->summary, "view");
    const json_t *columns = json_object_get(view, "columns");

    MB_TRY(algorithms(r, &j, err));
    for (size_t k = 0; k < json_array_size(warnings); k++)
        json_array_append(r->notes, json_array_get(warnings, k));
    for (size_t k = 0; k < json_array_size(columns) && k < 2; k++) {
        const char *name = json_string_value(json_array_get(columns, k));

        if (name)
            r->col[r->ncol++] = name;
    }
    return MB_OK;
}

mb_status report_load(report *r, mb_err *err)
{
    int         there;
    const char *config = report_path(r, "config.json", err);

    if (!config)
        return MB_E_NOMEM;
    MB_TRY(summary(r, err));
    if (!json_object_get(r->summary, "files"))
        MB_TRY(report_note(r, err,
                           "This folder keeps no list of its files: whether they are of one run "
                           "can not be told."));
    MB_TRY(report_exists(config, &there, err));
    if (there && folder_has(r->summary, "config.json"))
        MB_TRY(app_json_load(r->a, config, &r->config, err));
    MB_TRY(report_load_network(r, err));
    MB_TRY(report_load_nodes(r, err));
    MB_TRY(report_load_trace(r, err));
    return report_load_view(r, err);
}
