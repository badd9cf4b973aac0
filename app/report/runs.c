/* runs.c - of many runs (sim --runs): the quartiles by algorithm, metric and round, and what it
 * cost to come close to central VB and to the truth. */
#include "core/observe.h"
#include "report/parts.h"

#include <string.h>

/* One line of bands.csv. */
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

/* Quartiles; NaN: no run came as close. */
typedef struct amount {
    double q25, median, q75;
} amount;

/* One line of reach.csv. */
typedef struct reach {
    report_algo *algo;
    const char  *level;
    int64_t      runs, reached;
    amount       rounds, bytes, frames;
} reach;

mb_status report_load_reach(report *r, mb_err *err)
{
    static const report_column column[] = {
        {"algorithm", REPORT_ALGO, offsetof(reach, algo), 0},
        {"level", REPORT_TEXT, offsetof(reach, level), 0},
        {"runs", REPORT_COUNT, offsetof(reach, runs), INT64_MAX},
        {"reached", REPORT_COUNT, offsetof(reach, reached), INT64_MAX},
        {"rounds_q25", REPORT_MEASURED, offsetof(reach, rounds.q25), 0},
        {"rounds_median", REPORT_MEASURED, offsetof(reach, rounds.median), 0},
        {"rounds_q75", REPORT_MEASURED, offsetof(reach, rounds.q75), 0},
        {"bytes_median", REPORT_MEASURED, offsetof(reach, bytes.median), 0},
        {"frames_median", REPORT_MEASURED, offsetof(reach, frames.median), 0},
    };
    report_records table;

    if (r->runs < 2)
        return MB_OK;
    MB_TRY(report_read(r, "reach.csv", column, sizeof column / sizeof *column, sizeof(reach),
                       &table, err));
    r->reach = table.record;
    r->nreach = table.record ? table.csv.rows : 0;
    return MB_OK;
}

static void row(FILE *out, const reach *l)
{
    fprintf(out,
            "<tr><th scope=\"row\"><span class=\"dot\" style=\"--c:%s\"></span>%s</th>"
            "<td>%lld of %lld</td>",
            l->algo->colour, l->algo->label, (long long)l->reached, (long long)l->runs);
    if (l->reached)
        fprintf(out, "<td>%s (%s to %s)</td><td>%s</td><td>%s</td></tr>\n",
                page_num(l->rounds.median, 4).s, page_num(l->rounds.q25, 4).s,
                page_num(l->rounds.q75, 4).s, page_bytes((int64_t)l->bytes.median).s,
                page_num(l->frames.median, 6).s);
    else
        fprintf(out, "<td>%s</td><td>%s</td><td>%s</td></tr>\n", page_num(PAGE_NAN, 1).s,
                page_num(PAGE_NAN, 1).s, page_num(PAGE_NAN, 1).s);
}

/* The lines of one level. */
static void level(FILE *out, const report *r, const char *name, const char *heading)
{
    const reach *l = r->reach;
    int64_t      n = 0;

    for (int64_t k = 0; k < r->nreach; k++)
        n += !strcmp(l[k].level, name);
    if (!n)
        return;
    fprintf(out,
            "<h3>%s</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" "
            "class=\"text\">algorithm</th><th scope=\"col\">runs</th>"
            "<th scope=\"col\">rounds</th><th scope=\"col\">bytes sent</th>"
            "<th scope=\"col\">messages</th></tr></thead>\n<tbody>\n",
            heading);
    for (int64_t k = 0; k < r->nreach; k++)
        if (!strcmp(l[k].level, name))
            row(out, &l[k]);
    fputs("</tbody></table></div>\n", out);
}

/* How many of the runs settled. */
static void settled(FILE *out, const report *r)
{
    const mb_json *count = mb_json_at(mb_json_at(r->summary, "runs"), "settled");

    if (count->type != MB_JSON_OBJECT)
        return;
    fprintf(out, "<p>Of %lld runs settled: ", (long long)r->runs);
    for (int32_t k = 0; k < r->nalgo; k++)
        fprintf(out, "%s%s %lld", k ? ", " : "", r->algo[k].label,
                (long long)mb_json_at(count, r->algo[k].name)->integer);
    fputs(".</p>\n", out);
}

void report_reach(FILE *out, const report *r)
{
    if (!r->nreach)
        return;
    fprintf(out,
            "<section id=\"reach\"><h2>What it takes to come close</h2>\n"
            "<p>Over all %lld runs: rounds, bytes and messages after which every later round is as "
            "close, medians over the runs that came so close, of rounds with the quartiles "
            "(<code>reach.csv</code>).</p>\n",
            (long long)r->runs);
    settled(out, r);
    level(out, r, "1 nat", "KL to central VB below 1 nat");
    level(out, r, "1 %", "KL to the truth within 1&nbsp;% of that of central VB");
    fputs("</section>\n", out);
}
