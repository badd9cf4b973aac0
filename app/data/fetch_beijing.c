/* fetch_beijing.c - Beijing multi-site air quality (UCI 501 [Chen19]): daily means of 12 stations from
 * hourly measurements. A mean of fewer than 20 of the 24 hours is NaN. */
#include "data/fetch.h"

#include <math.h>
#include <string.h>

enum { STATIONS = 12, DAYS = 1461, HOURS = 24, ENOUGH = 20, VALUES = 11, LINE = 160 };

static const char URL[] =
    "https://archive.ics.uci.edu/static/public/501/beijing+multi+site+air+quality+data.zip";
static const char *const station[STATIONS] = {
    "Aotizhongxin", "Changping",    "Dingling", "Dongsi",  "Guanyuan", "Gucheng",
    "Huairou",      "Nongzhanguan", "Shunyi",   "Tiantan", "Wanliu",   "Wanshouxigong"};
static const char *const value[VALUES] = {"PM2.5", "PM10", "SO2",  "NO2",  "CO",  "O3",
                                          "TEMP",  "PRES", "DEWP", "RAIN", "WSPM"};
static const char HEAD[] = "station,date,PM2.5,PM10,SO2,NO2,CO,O3,TEMP,PRES,DEWP,RAIN,WSPM\n";

/* daily.csv as it grows. */
typedef struct sheet {
    char  *text;
    size_t n, room;
} sheet;

/* A day that is being added up. */
typedef struct day {
    int64_t date; /* yyyymmdd */
    double  sum[VALUES];
    int32_t hours[VALUES];
} day;

static void put_day(sheet *s, int32_t which, const day *d)
{
    s->n += (size_t)snprintf(s->text + s->n, s->room - s->n, "%d,%lld", which, (long long)d->date);
    for (int v = 0; v < VALUES; v++)
        if (d->hours[v] < ENOUGH)
            s->n += (size_t)snprintf(s->text + s->n, s->room - s->n, ",NaN");
        else
            s->n += (size_t)snprintf(s->text + s->n, s->room - s->n, ",%.10g",
                                     rint(100 * (d->sum[v] / d->hours[v])) / 100 + 0.0);
    s->text[s->n++] = '\n';
}

static mb_status find_columns(const mb_csv *c, const char *const *name, int32_t count,
                              int32_t *column, mb_err *err)
{
    for (int32_t k = 0; k < count; k++) {
        column[k] = mb_csv_find(c, name[k]);
        if (column[k] < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%s\"", c->file, name[k]);
    }
    return MB_OK;
}

/* yyyymmdd of a row. */
static mb_status date_of(const mb_csv *c, int64_t row, const int32_t *column, int64_t *date,
                         mb_err *err)
{
    int64_t y, m, d;

    MB_TRY(mb_csv_integer(c, row, column[0], 1900, 2100, &y, err));
    MB_TRY(mb_csv_integer(c, row, column[1], 1, 12, &m, err));
    MB_TRY(mb_csv_integer(c, row, column[2], 1, 31, &d, err));
    *date = 10000 * y + 100 * m + d;
    return MB_OK;
}

static mb_status add_hour(const mb_csv *c, int64_t row, const int32_t *column, day *d, mb_err *err)
{
    for (int v = 0; v < VALUES; v++) {
        double x;

        if (!strcmp(c->cell[row * c->cols + column[v]], "NA"))
            continue;
        MB_TRY(mb_csv_number(c, row, column[v], &x, err));
        d->sum[v] += x;
        d->hours[v]++;
    }
    return MB_OK;
}

/* The days of one station, in the file's order. */
static mb_status add_station(mb_arena *a, const char *file, int32_t which, sheet *s, mb_err *err)
{
    static const char *const when[] = {"year", "month", "day"};
    int32_t                  at[3], column[VALUES];
    int64_t                  days = 0;
    mb_csv                   c;
    day                      d = {0};

    MB_TRY(mb_csv_read(a, file, &c, err));
    MB_TRY(find_columns(&c, when, 3, at, err));
    MB_TRY(find_columns(&c, value, VALUES, column, err));
    if (c.rows != (int64_t)DAYS * HOURS)
        MB_FAIL(err, MB_E_FORMAT, "%s: %lld rows, accepted: %d hours", file, (long long)c.rows,
                DAYS * HOURS);
    for (int64_t r = 0; r < c.rows; r++) {
        int64_t date;

        MB_TRY(date_of(&c, r, at, &date, err));
        if (date < d.date || (date > d.date && r % HOURS))
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: the day changes to %lld, accepted: %d rows a day",
                    file, (long long)c.line[r], (long long)date, HOURS);
        if (date > d.date)
            d = (day){.date = date};
        MB_TRY(add_hour(&c, r, column, &d, err));
        if ((r + 1) % HOURS)
            continue;
        put_day(s, which, &d);
        days++;
    }
    return days == DAYS ? MB_OK : MB_E_FORMAT;
}

static const char *station_file(mb_arena *a, const char *folder, int k, mb_err *err)
{
    return fetch_say(a, err, "%s/PRSA_Data_%s_20130301-20170228.csv", folder, station[k]);
}

/* The 12 files of hours in a folder. Each is read in memory of its own. */
static mb_status from_hours(const fetch_job *job, const char *folder, sheet *s, mb_err *err)
{
    s->room = sizeof HEAD + (size_t)STATIONS * DAYS * LINE;
    MB_NEW(s->text, job->a, s->room, err);
    s->n = sizeof HEAD - 1;
    memcpy(s->text, HEAD, s->n);
    for (int k = 0; k < STATIONS; k++) {
        const char *file = station_file(job->a, folder, k, err);
        mb_arena   *draft = file ? mb_arena_new(1 << 20) : NULL;
        mb_status   st;

        if (!draft)
            MB_FAIL(err, MB_E_NOMEM, "out of memory for the hours of %s", station[k]);
        st = add_station(draft, file, k, s, err);
        mb_arena_free(draft);
        MB_TRY(st);
    }
    return MB_OK;
}

static mb_status from_zip(const fetch_job *job, const char *file, sheet *s, mb_err *err)
{
    char   *bytes;
    size_t  n;
    int32_t count;

    MB_TRY(mb_file_read(job->a, file, &bytes, &n, err));
    MB_TRY(fetch_unzip(job->a, file, bytes, n, "PRSA_Data_", ".csv", job->temp, &count, err));
    if (count != STATIONS)
        MB_FAIL(err, MB_E_FORMAT, "%s: %d files PRSA_Data_*.csv, accepted: %d", file, count,
                STATIONS);
    return from_hours(job, job->temp, s, err);
}

static mb_status from_daily(const fetch_job *job, const char *file, sheet *s, mb_err *err)
{
    int64_t lines = 0;

    MB_TRY(mb_file_read(job->a, file, &s->text, &s->n, err));
    for (size_t k = 0; k < s->n; k++)
        lines += s->text[k] == '\n';
    if (s->n < sizeof HEAD || memcmp(s->text, HEAD, sizeof HEAD - 1) != 0 ||
        lines != (int64_t)STATIONS * DAYS + 1)
        MB_FAIL(err, MB_E_FORMAT, "%s: not the %d daily means of %d stations with their header",
                file, STATIONS * DAYS, STATIONS);
    return MB_OK;
}

/* A local copy: daily means as we write them, the zip archive, or the 12 files of hours. */
static mb_status from_folder(const fetch_job *job, sheet *s, mb_err *err)
{
    static const char *const daily[] = {"daily.csv", "daily.csv.gz"};
    static const char *const zip[] = {"beijing+multi+site+air+quality+data.zip",
                                      "PRSA2017_Data_20130301-20170228.zip"};
    const char              *hours = station_file(job->a, job->from, 0, err);

    if (!hours)
        return MB_E_NOMEM;
    if (fetch_exists(hours))
        return from_hours(job, job->from, s, err);
    for (int k = 0; k < 4; k++) {
        const char *file =
            fetch_say(job->a, err, "%s/%s", job->from, k < 2 ? daily[k] : zip[k - 2]);

        if (!file)
            return MB_E_NOMEM;
        if (fetch_exists(file))
            return k < 2 ? from_daily(job, file, s, err) : from_zip(job, file, s, err);
    }
    MB_FAIL(err, MB_E_IO,
            "--from: %s holds neither daily.csv, nor %s, nor its 12 files PRSA_Data_*.csv",
            job->from, zip[0]);
}

static mb_status run(const fetch_job *job, mb_err *err)
{
    const char *archive = fetch_say(job->a, err, "%s/archive.zip", job->temp);
    const char *path = fetch_say(job->a, err, "%s/daily.csv", job->out);
    sheet       s = {0};

    if (!archive || !path)
        return MB_E_NOMEM;
    if (job->from) {
        MB_TRY(from_folder(job, &s, err));
    } else {
        MB_TRY(fetch_url(job->a, URL, job->temp, archive, err));
        MB_TRY(from_zip(job, archive, &s, err));
    }
    return fetch_put(job->a, path, s.text, s.n, NULL, err);
}

const fetch_set fetch_beijing = {
    "beijing-air",
    "daily air quality at 12 stations in Beijing, 2013 to 2017 (about 8 MB to download)", run};
