/* data_split_time.c - `meshbayes data split-time`: survival times as rows of a piecewise exponential
 * model: one for each interval in which the subject was observed. */
#include "base/format.h"
#include "base/opt.h"
#include "base/rows_opt.h"
#include "base/text.h"
#include "data/data_cmd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CUTS = 1000, TEXT = 40 };

typedef struct own {
    const char *data, *time, *event, *entry, *cuts, *out;
    mb_data_opt read;
} own;

#define AT(field) offsetof(own, field)
static const mb_opt options[] = {
    {"data", MB_OPT_INPUT, AT(data), .choices = "FILE|FILE,FILE,..|DIR",
     .help = "a row for each subject: CSV, - for standard input"},
    {"time-column", MB_OPT_TEXT, AT(time), .choices = "NAME",
     .help = "when the event came, or observation ended without it"},
    {"event-column", MB_OPT_TEXT, AT(event), .choices = "NAME",
     .help = "1: the event came; 0: observation ended"},
    {"entry-column", MB_OPT_TEXT, AT(entry), .choices = "NAME",
     .help = "when observation began; without it at 0"},
    {"cuts", MB_OPT_TEXT, AT(cuts), .choices = "A,B,..",
     .help = "where an interval ends and the next begins, above 0, ascending: the rate is constant "
             "in each"},
    ROWS_TEXT_OPTIONS(own, read, "a column that is written after those of --columns", "the same",
                      "the same"),
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE.csv", .help = "the file to write"},
    {.name = NULL}};

typedef struct job {
    mb_arena    *a;
    own          opt;
    mb_cells     cells;
    mb_csv       csv;                /* of cells */
    int32_t      time, event, entry; /* columns; entry -1: none */
    int32_t      cuts;
    double       cut[CUTS]; /* cuts */
    const char **interval;  /* cuts + 1: their names */
    int64_t      written;
} job;

/* The column that an option names. */
static mb_status find(const job *j, const char *option, const char *name, int32_t *out, mb_err *err)
{
    if (!name)
        MB_FAIL(err, MB_E_ARG, "--%s is missing: the name of a column", option);
    *out = mb_csv_find(&j->csv, name);
    if (*out < 0)
        MB_FAIL(err, MB_E_ARG, "--%s: %s has no column \"%s\"", option, j->csv.file, name);
    return MB_OK;
}

static mb_status read_cuts(job *j, mb_err *err)
{
    if (!j->opt.cuts)
        MB_FAIL(err, MB_E_ARG, "--cuts is missing: where intervals end, such as 30,90,365");
    MB_TRY(mb_opt_numbers("cuts", j->opt.cuts, CUTS, j->cut, &j->cuts, err));
    if (j->cuts > CUTS)
        MB_FAIL(err, MB_E_ARG, "--cuts: got %d; expected at most %d", j->cuts, CUTS);
    for (int32_t k = 0; k < j->cuts; k++)
        if (!(j->cut[k] > (k ? j->cut[k - 1] : 0)))
            MB_FAIL(err, MB_E_ARG, "--cuts: got %g after %g; expected numbers that ascend from 0",
                    j->cut[k], k ? j->cut[k - 1] : 0.0);
    return MB_OK;
}

static int is_other(const char *text, double x)
{
    return strtod(text, NULL) < x || strtod(text, NULL) > x;
}

/* A cut as an integer or with the fewest decimals that give it. */
static mb_status write_cut(double x, char text[TEXT], mb_err *err)
{
    int decimals = 0;

    if (x >= 1e15)
        MB_FAIL(err, MB_E_ARG, "--cuts: got %g; expected numbers below 1e15", x);
    do
        snprintf(text, TEXT, "%.*f", decimals, x);
    while (decimals++ < 17 && is_other(text, x));
    if (!is_other(text, x))
        return MB_OK;
    mb_format_exact_(text, TEXT, x);
    MB_FAIL(err, MB_E_ARG, "--cuts: got %s; expected at most 17 decimals", text);
}

static int before_point(const char *text)
{
    return (int)strcspn(text, ".");
}

/* "000-030", "030-365", "365+": levels sort by bytes, and the first is what others are against. So all
 * have as many digits before the point as the last. */
static mb_status name_intervals(job *j, mb_err *err)
{
    char        text[TEXT];
    const char *from;
    int         width;

    MB_TRY(write_cut(j->cut[j->cuts - 1], text, err));
    width = before_point(text);
    MB_NEW(j->interval, j->a, j->cuts + 1, err);
    from = mb_text(j->a, err, "%0*d", width, 0);
    for (int32_t k = 0; k <= j->cuts && from; k++) {
        const char *to = "";

        if (k < j->cuts) {
            MB_TRY(write_cut(j->cut[k], text, err));
            to = mb_text(j->a, err, "%.*s%s", width - before_point(text), "00000000000000", text);
        }
        j->interval[k] = !to           ? NULL
                         : k < j->cuts ? mb_text(j->a, err, "%s-%s", from, to)
                                       : mb_text(j->a, err, "%s+", from);
        from = j->interval[k] ? to : NULL;
    }
    return from ? MB_OK : MB_E_NOMEM;
}

/* One that is written must not be there. */
static mb_status check_names(const job *j, mb_err *err)
{
    static const char *const name[] = {"interval", "exposure"};

    for (int k = 0; k < 2; k++) {
        const int32_t there = mb_csv_find(&j->csv, name[k]);

        if (there >= 0 && there != j->time && there != j->entry)
            MB_FAIL(err, MB_E_ARG, "%s has a column \"%s\" already; expected it without (--drop)",
                    j->csv.file, name[k]);
    }
    return MB_OK;
}

static mb_status put_line(const job *j, mb_file *f, const char *const *cell, const char *interval,
                          const char *exposure, const char *event, mb_err *err)
{
    for (int32_t k = 0; k < j->csv.cols; k++) {
        if (k == j->time || k == j->event || k == j->entry)
            continue;
        MB_TRY(mb_csv_put(f, cell[k], err));
        MB_TRY(mb_file_write(f, ",", 1, err));
    }
    MB_TRY(mb_csv_put(f, interval, err));
    MB_TRY(mb_file_write(f, ",", 1, err));
    MB_TRY(mb_csv_put(f, exposure, err));
    MB_TRY(mb_file_write(f, ",", 1, err));
    MB_TRY(mb_csv_put(f, event, err));
    return mb_file_write(f, "\n", 1, err);
}

/* Observation of a subject: from entry, which is not in it, to time, which is. */
static mb_status read_subject(const job *j, int64_t r, double *entry, double *time, int64_t *event,
                              mb_err *err)
{
    const mb_csv csv = data_csv_at(&j->cells, r);

    *entry = 0;
    if (j->entry >= 0)
        MB_TRY(mb_csv_number(&csv, r, j->entry, entry, err));
    MB_TRY(mb_csv_number(&csv, r, j->time, time, err));
    MB_TRY(mb_csv_integer(&csv, r, j->event, 0, 1, event, err));
    if (*entry < 0)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%s\": got %g; expected 0 or more", csv.file,
                (long long)csv.line[r], csv.name[j->entry], *entry);
    if (!(*time > *entry))
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%s\": got %g; expected a number above %g, %s",
                csv.file, (long long)csv.line[r], csv.name[j->time], *time, *entry,
                j->entry >= 0 ? "the entry" : "where observation begins");
    return MB_OK;
}

static mb_status put_subject(job *j, int64_t r, mb_file *f, mb_err *err)
{
    double  entry, time;
    int64_t event;

    MB_TRY(read_subject(j, r, &entry, &time, &event, err));
    for (int32_t k = 0; k <= j->cuts; k++) {
        const double from = fmax(entry, k ? j->cut[k - 1] : 0);
        const double to = k < j->cuts ? fmin(time, j->cut[k]) : time;
        char         exposure[40];

        if (!(to > from))
            continue;
        mb_format_exact_(exposure, sizeof exposure, to - from);
        MB_TRY(put_line(j, f, j->csv.cell + r * j->csv.cols, j->interval[k], exposure,
                        event && to >= time ? "1" : "0", err));
        j->written++;
    }
    return MB_OK;
}

static mb_status put_all(job *j, mb_file *f, mb_err *err)
{
    MB_TRY(put_line(j, f, j->csv.name, "interval", "exposure", j->csv.name[j->event], err));
    for (int64_t r = 0; r < j->csv.rows; r++)
        MB_TRY(put_subject(j, r, f, err));
    return MB_OK;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    job     j = {.a = a, .opt = *(own *)opt, .entry = -1};
    mb_file f;

    if (!j.opt.data || !j.opt.out)
        MB_FAIL(err, MB_E_ARG, "--%s is missing: the CSV file to %s", j.opt.data ? "out" : "data",
                j.opt.data ? "write" : "read");
    MB_TRY(read_cuts(&j, err));
    MB_TRY(name_intervals(&j, err));
    MB_TRY(data_cells(a, j.opt.data, &j.opt.read, &j.cells, err));
    j.csv = j.cells.csv;
    MB_TRY(find(&j, "time-column", j.opt.time, &j.time, err));
    MB_TRY(find(&j, "event-column", j.opt.event, &j.event, err));
    if (j.opt.entry)
        MB_TRY(find(&j, "entry-column", j.opt.entry, &j.entry, err));
    MB_TRY(check_names(&j, err));
    MB_TRY(mb_file_open(a, j.opt.out, &f, err));
    MB_TRY(mb_file_close(&f, put_all(&j, &f, err), err));
    data_tell(j.opt.out, "%lld row%s of %lld subject%s in %d intervals", (long long)j.written,
              app_plural(j.written), (long long)j.csv.rows, app_plural(j.csv.rows), j.cuts + 1);
    return MB_OK;
}

const app_command data_split_time = {
    .name = "split-time",
    .summary = "survival times as rows of intervals",
    .options = options,
    .size = sizeof(own),
    .work = work,
    .text =
        "Writes a row for each subject and each interval in which it was observed: the other "
        "columns of the subject, \"interval\", \"exposure\" (the time observed in it) and the "
        "event, "
        "which is 1 in the interval in which it came, its end included. A Poisson regression of "
        "the "
        "event with this exposure is the piecewise exponential model of survival: the coefficients "
        "of \"interval\" are how the hazard changes over time, the others are log hazard ratios.\n"
        "  meshbayes data split-time --data patients.csv --time-column days --event-column died "
        "\\\n"
        "      --cuts 30,90,365 --out rows.csv\n"
        "  meshbayes fit --data rows.csv --model glm --glm.link poisson --exposure-column exposure "
        "\\\n"
        "      --formula 'died ~ interval + age + treatment'\n"};
