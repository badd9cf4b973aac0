/* load.c - the run as its output folder tells it; all but summary.json may be missing. */
#include "base/folder.h"
#include "report/parts.h"

#include <math.h>
#include <string.h>

static report_spread spread(mb_json_in *j, const mb_json *o, const char *key)
{
    report_spread  s = {PAGE_NAN, PAGE_NAN, PAGE_NAN};
    const mb_json *v = mb_json_at(o, key);

    if (v->type == MB_JSON_OBJECT) {
        s.mean = mb_json_get_real(j, v, "mean");
        s.sd = mb_json_get_real(j, v, "sd");
        s.max = mb_json_get_real(j, v, "max");
    } else if (v->type > MB_JSON_NULL) {
        mb_json_get(j, o, key, MB_JSON_OBJECT); /* says what is accepted */
    }
    return s;
}

static void algorithm(mb_json_in *j, const mb_json *o, report_algo *a)
{
    a->name = mb_json_get_text(j, o, "name");
    a->title = mb_json_get_text(j, o, "title");
    a->stopped = mb_json_get_text(j, o, "stopped");
    a->verdict = mb_json_get_text(j, o, "verdict");
    a->limit = mb_json_get_text(j, o, "limit");
    a->status = mb_json_get_text(j, o, "status");
    a->error = mb_json_get_text(j, o, "error");
    a->failed = a->status && strcmp(a->status, "ok") != 0;
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
}

static void style(report_algo *a)
{
    page_look(a->name, &a->label, &a->colour);
    a->central = !strcmp(a->name, "cvb");
    if (!a->title)
        a->title = a->name;
}

static mb_status algorithms(report *r, mb_json_in *j, mb_err *err)
{
    const mb_json *list = mb_json_get(j, r->summary, "algorithms", MB_JSON_LIST);
    char           where[48];

    MB_TRY(j->status);
    r->nalgo = (int32_t)list->n;
    if (r->nalgo == 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: field \"algorithms\" is empty", j->file);
    MB_NEW(r->algo, r->page.a, r->nalgo, err);
    for (int32_t k = 0; k < r->nalgo; k++) {
        report_algo *a = &r->algo[k];

        snprintf(where, sizeof where, "algorithms[%d].", (int)k);
        j->where = where;
        algorithm(j, &list->item[k], a);
        MB_TRY(j->status);
        if (!a->name || !*a->name)
            MB_FAIL(err, MB_E_FORMAT, "%s: field \"%sname\" is missing", j->file, where);
        for (const char *c = a->name; *c; c++)
            if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *c))
                MB_FAIL(err, MB_E_FORMAT,
                        "%s: field \"%sname\" is not accepted: letters, digits, _ and -", j->file,
                        where);
        style(a);
    }
    j->where = "";
    return MB_OK;
}

static mb_status summary(report *r, mb_err *err)
{
    const char *path = report_path(r, "summary.json", err);
    mb_json_in  j = {.file = path, .where = "", .err = err};

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(mb_json_read(r->page.a, path, &r->summary, err));
    mb_json_get(&j, r->summary, "data", MB_JSON_OBJECT);
    mb_json_get(&j, r->summary, "network", MB_JSON_OBJECT);
    const mb_json *warnings = mb_json_at(r->summary, "warnings");
    const mb_json *view = mb_json_at(r->summary, "view");
    const mb_json *columns = mb_json_at(view, "columns");

    MB_TRY(algorithms(r, &j, err));
    for (size_t k = 0; k < warnings->n; k++)
        MB_TRY(report_note(r, warnings->item[k].text ? warnings->item[k].text : "", err));
    for (size_t k = 0; k < columns->n && k < 2; k++)
        if (columns->item[k].text)
            r->col[r->ncol++] = columns->item[k].text;
    return MB_OK;
}

mb_status report_load(report *r, mb_err *err)
{
    int         there;
    const char *config = report_path(r, "config.json", err);

    if (!config)
        return MB_E_NOMEM;
    MB_TRY(summary(r, err));
    if (mb_json_at(r->summary, "files")->type == MB_JSON_NONE)
        MB_TRY(report_note(r,
                           "This folder keeps no list of its files: whether they are of one run "
                           "can not be told.",
                           err));
    MB_TRY(report_exists(config, &there, err));
    if (there && folder_has(r->summary, "config.json"))
        MB_TRY(mb_json_read(r->page.a, config, &r->config, err));
    MB_TRY(report_load_network(r, err));
    MB_TRY(report_load_nodes(r, err));
    MB_TRY(report_load_trace(r, err));
    return report_load_view(r, err);
}
