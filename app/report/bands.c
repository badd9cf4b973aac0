/* bands.c - the quartiles of many runs (sim --runs), by algorithm, metric and round. */
#include "core/observe.h"
#include "report/parts.h"

#include <string.h>

typedef struct line {
    report_algo *algo;
    int64_t      t;
    const char  *metric;
    double       q25, median, q75;
} line;

report_series *report_series_of(report_algo *a, const char *metric)
{
    static const mb_metric shown[REPORT_METRICS] = {MB_M_KL_CVB, MB_M_KL_TRUTH, MB_M_BOUND_MEAN,
                                                    MB_M_DISAGREEMENT, MB_M_BYTES};

    for (int m = 0; m < REPORT_METRICS; m++)
        if (!strcmp(mb_metric_table()[shown[m]].name, metric))
            return &a->series[m];
    return NULL;
}

/* The lines of one series follow one another. */
static mb_status take(report *r, const report_records *table, const line *l, int64_t n, mb_err *err)
{
    report_series *s = report_series_of(l->algo, l->metric);

    if (!s)
        return MB_OK;
    s->n = n;
    MB_NEW(s->point, r->page.a, n, err);
    MB_NEW(s->band, r->page.a, n, err);
    for (int64_t j = 0; j < n; j++) {
        if (j && l[j].t <= l[j - 1].t)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: round %lld comes after round %lld", table->csv.file,
                    (long long)table->csv.line[l + j - (const line *)table->record],
                    (long long)l[j].t, (long long)l[j - 1].t);
        s->point[j] = (page_point){(double)l[j].t, l[j].median, PAGE_NAN};
        s->band[j] = (page_point){(double)l[j].t, l[j].q25, l[j].q75};
    }
    return MB_OK;
}

mb_status report_bands(report *r, mb_err *err)
{
    static const report_column column[] = {
        {"algorithm", REPORT_ALGO, offsetof(line, algo), 0},
        {"t", REPORT_COUNT, offsetof(line, t), INT64_MAX},
        {"metric", REPORT_TEXT, offsetof(line, metric), 0},
        {"q25", REPORT_MEASURED, offsetof(line, q25), 0},
        {"median", REPORT_MEASURED, offsetof(line, median), 0},
        {"q75", REPORT_MEASURED, offsetof(line, q75), 0},
    };
    const mb_json *runs = mb_json_at(mb_json_at(r->summary, "runs"), "count");
    report_records table;
    int64_t        n;

    r->runs = 1;
    if (runs->type != MB_JSON_INTEGER)
        return MB_OK;
    MB_TRY(report_read(r, "bands.csv", column, 6, sizeof(line), &table, err));
    if (!table.record)
        return MB_OK;
    r->runs = runs->integer;
    r->traced = 1;
    for (int64_t row = 0; row < table.csv.rows; row += n) {
        const line *l = (const line *)table.record + row;

        for (n = 1;
             row + n < table.csv.rows && l[n].algo == l->algo && !strcmp(l[n].metric, l->metric);)
            n++;
        MB_TRY(take(r, &table, l, n, err));
    }
    return MB_OK;
}
