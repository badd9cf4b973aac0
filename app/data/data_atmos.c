/* data_atmos.c - clean and polluted station-days, sampled from the daily means of Beijing's air. */
#include "data/data_atmos.h"
#include "base/text.h"
#include "data/data.h"
#include "data/table.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Columns that are used: the features, then what the label comes from. */
enum { PM25 = ATMOS_FEATURES, USED, STATION = USED, DATE, COLUMNS };
static const char *const column_name[COLUMNS] = {"SO2", "NO2", "PM10", "PM2.5", "station", "date"};

typedef struct pool {
    mb_csv   csv;
    int32_t  column[COLUMNS];
    int64_t *row[2], count[2]; /* rows that qualify: clean, polluted */
} pool;

mb_status atmos_file(mb_arena *a, const char *dir, const char **file, mb_err *err)
{
    static const char *const ending[] = {"", ".gz"};

    *file = NULL;
    for (int k = 0; k < 2 && !*file; k++) {
        const char *path = mb_text(a, err, "%s/daily.csv%s", dir, ending[k]);

        if (!path)
            return MB_E_NOMEM;
        *file = access(path, F_OK) ? NULL : path;
    }
    return MB_OK;
}

static mb_status open_daily(mb_arena *a, const char *dir, pool *p, mb_err *err)
{
    const char *file;

    MB_TRY(atmos_file(a, dir, &file, err));
    if (!file)
        MB_FAIL(err, MB_E_IO, "%s holds no daily.csv: meshbayes paper fetch beijing-air makes one",
                dir);
    MB_TRY(mb_csv_read(a, file, &p->csv, err));
    for (int k = 0; k < COLUMNS; k++) {
        p->column[k] = mb_csv_find(&p->csv, column_name[k]);
        if (p->column[k] < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%s\"", file, column_name[k]);
    }
    return MB_OK;
}

static mb_status number(const pool *p, int64_t row, int k, double *x, mb_err *err)
{
    const int32_t column = p->column[k];

    if (!strcmp(p->csv.cell[row * p->csv.cols + column], "NaN")) {
        *x = (double)NAN;
        return MB_OK;
    }
    return mb_csv_number(&p->csv, row, column, x, err);
}

/* Lists the station-days that are clean and those that are polluted. */
static mb_status qualify(mb_arena *a, pool *p, double clean_at_most, mb_err *err)
{
    for (int c = 0; c < 2; c++)
        MB_NEW(p->row[c], a, p->csv.rows + 1, err);
    for (int64_t r = 0; r < p->csv.rows; r++) {
        double x[USED];
        int    whole = 1;

        for (int k = 0; k < USED; k++) {
            MB_TRY(number(p, r, k, &x[k], err));
            whole &= !isnan(x[k]);
        }
        if (whole && x[PM25] <= clean_at_most)
            p->row[0][p->count[0]++] = r;
        else if (whole && x[PM25] > ATMOS_POLLUTED)
            p->row[1][p->count[1]++] = r;
    }
    return MB_OK;
}

static mb_status fill(const pool *p, int64_t row, int64_t at, int label, atmos *out, mb_err *err)
{
    atmos_origin *from = &out->from[at];

    for (int k = 0; k < ATMOS_FEATURES; k++)
        MB_TRY(number(p, row, k, &out->x[at * ATMOS_FEATURES + k], err));
    out->label[at] = label;
    MB_TRY(number(p, row, PM25, &from->pm25, err));
    MB_TRY(mb_csv_integer(&p->csv, row, p->column[STATION], 0, 1000000, &from->station, err));
    return mb_csv_integer(&p->csv, row, p->column[DATE], 0, 99999999, &from->date, err);
}

/* Samples take[c] rows of each class and puts them in random order. */
static mb_status draw(mb_arena *a, const pool *p, const int64_t *take, uint64_t seed, atmos *out,
                      mb_err *err)
{
    mb_rng   rng = mb_rng_at(seed, MB_STREAM_DATA, 0, 0);
    int64_t *place, *order, next = 0;

    out->n = take[0] + take[1];
    MB_NEW(out->x, a, (size_t)out->n * ATMOS_FEATURES, err);
    MB_NEW(out->label, a, out->n, err);
    MB_NEW(out->from, a, out->n, err);
    MB_NEW(place, a, out->n, err);
    MB_NEW(order, a, p->csv.rows + 1, err);
    mb_random_order(&rng, out->n, place);
    for (int c = 0; c < 2; c++) {
        rng = mb_rng_at(seed, MB_STREAM_DATA, 0, 1 + (uint64_t)c);
        mb_random_order(&rng, p->count[c], order);
        for (int64_t k = 0; k < take[c]; k++)
            MB_TRY(fill(p, p->row[c][order[k]], place[next++], c, out, err));
    }
    return MB_OK;
}

mb_status atmos_draw(mb_arena *a, const char *dir, int64_t clean, int64_t polluted,
                     double clean_at_most, uint64_t seed, atmos *out, mb_err *err)
{
    static const char *const name[] = {"clean", "polluted"};
    const int64_t            take[2] = {clean, polluted};
    pool                     p = {.count = {0, 0}};

    *out = (atmos){.n = 0};
    MB_TRY(open_daily(a, dir, &p, err));
    MB_TRY(qualify(a, &p, clean_at_most, err));
    for (int c = 0; c < 2; c++)
        if (take[c] < 0 || take[c] > p.count[c])
            MB_FAIL(err, MB_E_ARG, "--%s: got %lld of the station-days in %s; expected 0 to %lld",
                    name[c], (long long)take[c], p.csv.file, (long long)p.count[c]);
    if (take[0] + take[1] == 0)
        MB_FAIL(err, MB_E_ARG, "--clean and --polluted are both 0; expected some rows");
    out->days = p.csv.rows;
    out->clean = p.count[0];
    out->polluted = p.count[1];
    return draw(a, &p, take, seed, out, err);
}
