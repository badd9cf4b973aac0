/* data_atmosphere.c - `meshbayes data atmosphere`: the substitute for the atmosphere data as a file. */
#include "data/data_atmos.h"
#include "data/data_cmd.h"

typedef struct atmosphere_opt {
    const char *from, *out, *provenance;
    double      clean_at_most;
    int64_t     clean, polluted, seed;
} atmosphere_opt;

#define AT(field) offsetof(atmosphere_opt, field)
static const mb_opt options[] = {
    {"from", MB_OPT_TEXT, AT(from), "meshbayes-data/beijing-air", .choices = "DIR",
     .help = "folder with daily.csv, as written by `paper fetch beijing-air`"},
    {"clean", MB_OPT_INT, AT(clean), "830", 0, 1000000, .unit = "rows", .eq = "section V-D.1",
     .help = "clean station-days to sample (label 0)"},
    {"polluted", MB_OPT_INT, AT(polluted), "770", 0, 1000000, .unit = "rows", .eq = "section V-D.1",
     .help = "polluted station-days to sample (label 1)"},
    {"clean-at-most", MB_OPT_REAL, AT(clean_at_most), "35", 0, 150, .unit = "ug/m3",
     .help = "PM2.5 of a clean day; 15 separates the classes better"},
    {"seed", MB_OPT_INT, AT(seed), "1", 0, 9007199254740992.0, .help = "same seed, same rows"},
    {"provenance", MB_OPT_OUTPUT, AT(provenance), .choices = "FILE.csv",
     .help = "also write station, date and PM2.5 of each row"},
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE.csv",
     .help = "the file to write: columns SO2,NO2,PM10,label"},
    {.name = NULL}};

static mb_status put_rows(const atmos *d, mb_file *f, mb_err *err)
{
    MB_TRY(mb_file_printf(f, err, "SO2,NO2,PM10,label\n"));
    for (int64_t r = 0; r < d->n; r++)
        MB_TRY(mb_file_printf(f, err, "%.10g,%.10g,%.10g,%d\n", d->x[3 * r], d->x[3 * r + 1],
                              d->x[3 * r + 2], d->label[r]));
    return MB_OK;
}

static mb_status put_provenance(const atmos *d, mb_file *f, mb_err *err)
{
    MB_TRY(mb_file_printf(f, err, "station,date,PM2.5\n"));
    for (int64_t r = 0; r < d->n; r++)
        MB_TRY(mb_file_printf(f, err, "%lld,%lld,%.10g\n", (long long)d->from[r].station,
                              (long long)d->from[r].date, d->from[r].pm25));
    return MB_OK;
}

static mb_status write(mb_arena *a, const char *path, const atmos *d,
                       mb_status (*put)(const atmos *, mb_file *, mb_err *), mb_err *err)
{
    mb_file f;

    MB_TRY(mb_file_open(a, path, &f, err));
    return mb_file_close(&f, put(d, &f, err), err);
}

/* The file that is read from the folder must not be an output. */
static mb_status check_apart(mb_arena *a, const atmosphere_opt *o, mb_err *err)
{
    const char *file;

    MB_TRY(atmos_file(a, o->from, &file, err));
    if (!file)
        return MB_OK; /* reading it reports that */
    MB_TRY(app_refuse_overwrite("--out", o->out, "--from", file, err));
    return app_refuse_overwrite("--provenance", o->provenance, "--from", file, err);
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const atmosphere_opt *o = opt;
    atmos                 d;

    if (!o->out)
        MB_FAIL(err, MB_E_ARG, "--out is missing: the CSV file to write");
    MB_TRY(check_apart(a, o, err));
    MB_TRY(atmos_draw(a, o->from, o->clean, o->polluted, o->clean_at_most, (uint64_t)o->seed, &d,
                      err));
    if (o->provenance)
        MB_TRY(write(a, o->provenance, &d, put_provenance, err));
    MB_TRY(write(a, o->out, &d, put_rows, err));
    data_tell(o->out,
              "%lld clean of %lld and %lld polluted of %lld station-days that qualify, of %lld",
              (long long)o->clean, (long long)d.clean, (long long)o->polluted,
              (long long)d.polluted, (long long)d.days);
    return MB_OK;
}

const app_command data_atmosphere = {
    .name = "atmosphere",
    .summary = "a substitute for the paper's atmosphere data, from Beijing's air",
    .options = options,
    .size = sizeof(atmosphere_opt),
    .work = work,
    .text =
        "The paper's atmosphere data are private. This data set has the same form and is made from "
        "public measurements: a station-day with SO2, NO2, PM10 and PM2.5 (each measured in 20 "
        "hours or more) is clean if its PM2.5 is at most 35 ug/m3 and polluted if it is above 150; "
        "other days are left out. Rows are sampled without replacement and in random order. The "
        "label comes from PM2.5, which is not a feature but a part of PM10: the classes are the "
        "extremes of one quantity. Results on these rows are not results on the paper's data.\n"
        "  meshbayes paper fetch beijing-air\n"
        "  meshbayes data atmosphere --seed 1 --out atmosphere.csv\n"};
