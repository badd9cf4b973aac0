/* report_trace.c - trace.csv as one series for each algorithm and metric. */
#include "report_parts.h"

#include <math.h>
#include <string.h>

typedef struct trace {
    mb_csv  csv;
    int32_t t, metric, mean, max, algorithm; /* columns; algorithm -1: one algorithm */
} trace;

static int find_metric(const char *name)
{
    static const char *const names[REPORT_METRICS] = {"kl_cvb", "kl_truth", "bound", "disagreement",
                                                      "bytes"};

    for (int m = 0; m < REPORT_METRICS; m++)
        if (!strcmp(names[m], name))
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

/* Room for every series; *stale is 1 when a row names an algorithm that this run does not have. */
static mb_status make_room(report *r, const trace *tr, int *stale, mb_err *err)
{
    for (int64_t row = 0; row < tr->csv.rows; row++) {
        const int k = algo_of(r, tr, row), m = find_metric(cell(tr, row, tr->metric));

        if (k < 0) {
            *stale = 1;
            return report_note(r, err,
                               "trace.csv belongs to another run (line %lld names \"%s\") and "
                               "was left out; run meshbayes sim with --metrics all",
                               (long long)tr->csv.line[row], cell(tr, row, tr->algorithm));
        }
        if (m >= 0)
            r->algo[k].series[m].n++;
    }
    for (int32_t k = 0; k < r->nalgo; k++)
        for (int m = 0; m < REPORT_METRICS; m++) {
            report_series *s = &r->algo[k].series[m];

            if (s->n == 0)
                continue;
            MB_NEW(s->t, r->a, s->n, err);
            MB_NEW(s->mean, r->a, s->n, err);
            MB_NEW(s->max, r->a, s->n, err);
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

/* A folder is reused by the next run: a trace that goes on after the last round is another run's. */
static int outlasts(const report *r)
{
    for (int32_t k = 0; k < r->nalgo; k++)
        for (int m = 0; m < REPORT_METRICS; m++) {
            const report_series *s = &r->algo[k].series[m];

            if (s->n && !r->algo[k].failed && r->algo[k].rounds >= 0 &&
                s->t[s->n - 1] > (double)r->algo[k].rounds)
                return 1;
        }
    return 0;
}

static void forget(report *r)
{
    for (int32_t k = 0; k < r->nalgo; k++)
        memset(r->algo[k].series, 0, sizeof r->algo[k].series);
}

mb_status report_load_trace(report *r, mb_err *err)
{
    static const char *const names[] = {"t", "metric", "mean", "max"};
    trace                    tr = {.algorithm = -1};
    int32_t                  col[4];
    int                      there, stale = 0;

    MB_TRY(report_table(r, "trace.csv", names, 4, &tr.csv, col, &there, err));
    if (!there)
        return MB_OK;
    tr.t = col[0];
    tr.metric = col[1];
    tr.mean = col[2];
    tr.max = col[3];
    tr.algorithm = mb_csv_find(&tr.csv, "algorithm");
    if (tr.algorithm < 0 && r->nalgo > 1)
        return report_note(r, err,
                           "trace.csv belongs to another run (it has one algorithm, this run %d) "
                           "and was left out; run meshbayes sim with --metrics all",
                           (int)r->nalgo);
    MB_TRY(make_room(r, &tr, &stale, err));
    for (int64_t row = 0; row < tr.csv.rows && !stale; row++)
        MB_TRY(one_row(r, &tr, row, err));
    if (!stale && outlasts(r)) {
        stale = 1;
        MB_TRY(report_note(r, err,
                           "trace.csv belongs to another run (it has more rounds than this one) "
                           "and was left out; run meshbayes sim with --metrics all"));
    }
    if (stale)
        forget(r);
    else
        r->traced = 1;
    return MB_OK;
}
