/* data_atmos.h - a substitute for the paper's atmosphere data, which are private: station-days of
 * the public Beijing measurements (`meshbayes paper fetch beijing-air`), clean or polluted by their
 * PM2.5. Results on these rows are not results on the paper's data. */
#ifndef MB_DATA_ATMOS_H
#define MB_DATA_ATMOS_H

#include "base/app.h"

enum { ATMOS_FEATURES = 3 /* SO2, NO2, PM10 */ };
/* The limits of the rule, ug/m3 of PM2.5: clean at most 35, polluted above 150. */
#define ATMOS_CLEAN    35.0
#define ATMOS_POLLUTED 150.0

typedef struct atmos_origin {
    int64_t station; /* from 0, in the order of the stations' names */
    int64_t date;    /* yyyymmdd                                    */
    double  pm25;    /* daily mean, which the label comes from      */
} atmos_origin;
typedef struct atmos {
    int64_t       n;                     /* rows sampled, in random order                     */
    double       *x;                     /* n x ATMOS_FEATURES: daily means, ug/m3            */
    int32_t      *label;                 /* n: 0 clean, 1 polluted                            */
    atmos_origin *from;                  /* n                                                 */
    int64_t       days, clean, polluted; /* station-days in the file; those that qualify      */
} atmos;

/* The table in dir, compressed or not; *file = NULL: not found. */
mb_status atmos_file(mb_arena *a, const char *dir, const char **file, mb_err *err) MB_CHECKED;
/* Samples `clean` and `polluted` rows without replacement from the station-days of DIR/daily.csv or
 * .gz. A station-day qualifies if SO2, NO2, PM10 and PM2.5 all have a mean (20 of 24 hours): as
 * clean if PM2.5 is at most `clean_at_most`, as polluted if it is above ATMOS_POLLUTED. Same seed,
 * same rows. MB_E_IO, MB_E_FORMAT; MB_E_ARG if fewer qualify than are requested. */
mb_status atmos_draw(mb_arena *a, const char *dir, int64_t clean, int64_t polluted,
                     double clean_at_most, uint64_t seed, atmos *out, mb_err *err) MB_CHECKED;

#endif
