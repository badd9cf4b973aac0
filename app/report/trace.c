/* trace.c - trace.csv as one series for each algorithm and metric. */
#include "report/parts.h"

#include <math.h>
#include <string.h>

typedef struct trace {
    mb_csv  csv;
    int32_t t, metric, mean, max, algorithm; /* columns; algorithm -1: one algorithm */
} trace;

static int find_metric(const char *name)
{
    static const mb_metric shown[REPORT_METRICS] = {MB_M_KL_CVB, MB_M_KL_TRUTH, MB_M_BOUND,
                                                    MB_M_DISAGREEMENT, MB_M_BYTES};

    for (int m = 0; m < REPORT_METRICS; m++)
        if (!strcmp(mb_metric_table()[shown[m]].name, name))
            return m;
    return -1;
}

static const char *cell(const trace *tr, int64_t row, int32_t col)
{
    return tr->csv.cell[row * tr->csv.cols + col];
}

/* Algorithm of a row: -1 when this run has none of that name. */
static int algo_of(const report *r, const trace *tr, int64_t row)
{
    return tr->algorithm < 0 ? 0 : report_find_algo(r, cell(tr, row, tr->algorithm));
}

/* Room for every series. */
static mb_status make_room(report *r, const trace *tr, mb_err *err)
{
    for (int64_t row = 0; row < tr->csv.rows; row++) {
        const int k = algo_of(r, tr, row), m = find_metric(cell(tr, row, tr->metric));

        if (k < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: algorithm \"%s\" is not in summary.json",
                    tr->csv.file, (long long)tr->csv.line[row], cell(tr, row, tr->algorithm));
        if (m >= 0)
            r->algo[k].series[m].n++;
    }
    for (int32_t k = 0; k < r->nalgo; k++)
        for (int m = 0; m < REPORT_METRICS; m++) {
            report_series *s = &r->algo[k].series[m];

            if (s->n == 0)
                continue;
            MB_NEW(s->t, r->page.a, s->n, err);
            MB_NEW(s->mean, r->page.a, s->n, err);
            MB_NEW(s->max, r->page.a, s->n, err);
            s->n = 0;
        }
    return MB_OK;
}

static mb_status one_row(report *r, const trace *tr, int64_t row, mb_err *err)
{
    const int      m = find_metric(cell(tr, row, tr->metric));
    report_series *s = m < 0 ? NULL : &r->algo[algo_of(r, tr, row)].series[m];
    int64_t        t;

    MB_TRY(mb_csv_integer(&tr->csv, row, tr->t, 0, INT64_MAX, &t, err));
    if (!s)
        return MB_OK;
    if (s->n && (double)t <= s->t[s->n - 1])
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: round %lld comes after round %.0f", tr->csv.file,
                (long long)tr->csv.line[row], (long long)t, s->t[s->n - 1]);
    s->t[s->n] = (double)t;
    MB_TRY(report_cell(&tr->csv, row, tr->mean, &s->mean[s->n], err));
    MB_TRY(report_cell(&tr->csv, row, tr->max, &s->max[s->n], err));
    s->n++;
    return MB_OK;
}

/* A folder is reused by the next run: only a trace that summary.json names is this run's. */
mb_status report_load_trace(report *r, mb_err *err)
{
    static const char *const names[] = {"t", "metric", "mean", "max"};
    const char *const        file = mb_json_at(r->summary, "trace")->text;
    trace                    tr = {.algorithm = -1};
    int32_t                  col[4];

    if (!file)
        return MB_OK;
    MB_TRY(report_table(r, "trace.csv", names, 4, &tr.csv, col, &r->traced, err));
    if (!r->traced)
        return MB_OK;
    tr.t = col[0];
    tr.metric = col[1];
    tr.mean = col[2];
    tr.max = col[3];
    tr.algorithm = mb_csv_find(&tr.csv, "algorithm");
    if (tr.algorithm < 0 && r->nalgo > 1)
        MB_FAIL(err, MB_E_FORMAT, "%s:1: no column \"algorithm\", but summary.json has %d of them",
                tr.csv.file, (int)r->nalgo);
    MB_TRY(make_room(r, &tr, err));
    for (int64_t row = 0; row < tr.csv.rows; row++)
        MB_TRY(one_row(r, &tr, row, err));
    return MB_OK;
}
