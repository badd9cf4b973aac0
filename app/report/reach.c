/* reach.c - of many runs: what it cost to come close to central VB and to the truth. */
#include "report/parts.h"

#include <string.h>

/* Quartiles; NaN: no run came as close. */
typedef struct amount {
    double q25, median, q75;
} amount;

/* One line of reach.csv. */
typedef struct line {
    report_algo *algo;
    const char  *level;
    int64_t      runs, reached;
    amount       rounds, bytes, frames;
} line;

mb_status report_load_reach(report *r, mb_err *err)
{
    static const report_column column[] = {
        {"algorithm", REPORT_ALGO, offsetof(line, algo), 0},
        {"level", REPORT_TEXT, offsetof(line, level), 0},
        {"runs", REPORT_COUNT, offsetof(line, runs), INT64_MAX},
        {"reached", REPORT_COUNT, offsetof(line, reached), INT64_MAX},
        {"rounds_q25", REPORT_MEASURED, offsetof(line, rounds.q25), 0},
        {"rounds_median", REPORT_MEASURED, offsetof(line, rounds.median), 0},
        {"rounds_q75", REPORT_MEASURED, offsetof(line, rounds.q75), 0},
        {"bytes_median", REPORT_MEASURED, offsetof(line, bytes.median), 0},
        {"frames_median", REPORT_MEASURED, offsetof(line, frames.median), 0},
    };
    report_records table;

    if (r->runs < 2)
        return MB_OK;
    MB_TRY(report_read(r, "reach.csv", column, sizeof column / sizeof *column, sizeof(line), &table,
                       err));
    r->reach = table.record;
    r->nreach = table.record ? table.csv.rows : 0;
    return MB_OK;
}

static void row(FILE *out, const line *l)
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
    const line *l = r->reach;
    int64_t     n = 0;

    for (int64_t k = 0; k < r->nreach; k++)
        n += !strcmp(l[k].level, name);
    if (!n)
        return;
    fprintf(out,
            "<h3>%s</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" "
            "class=\"text\">algorithm</th><th scope=\"col\">runs that came so close</th>"
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
