/* load_time.c - the tables of a run in time. */
#include "report/time.h"

#include <string.h>

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

mb_status report_load_time(report *r, mb_err *err)
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
