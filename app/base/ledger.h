/* ledger.h - what releases of a data set have cost, in a file beside it. docs/formats.md. */
#ifndef MB_BASE_LEDGER_H
#define MB_BASE_LEDGER_H

#include "base/app.h"
#include "num/privacy.h"

typedef struct ledger_release {
    double      epsilon, delta, mu;
    const char *model;
    int64_t     rows;
    int         simulated; /* 1: the noise is of a seed */
} ledger_release;

typedef struct ledger_sum {
    int64_t releases;       /* of these files, with this one  */
    double  epsilon, delta; /* what they cost together        */
    double  budget;         /* the epsilon that they may cost */
} ledger_sum;

/* What the name of a file is followed by in that of its ledger. */
#define LEDGER_SUFFIX ".ledger.json"
/* Where releases of these data are booked when nothing else is said: beside the file whose name is
 * the first, whatever the order in which they are given. MB_E_IO, MB_E_ARG. */
mb_status ledger_default(mb_arena *a, const char *data, const char **out, mb_err *err) MB_CHECKED;
/* What a release of the rows of these files would cost with those before it; nothing is written.
 * MB_E_ARG beyond the budget, as in ledger_book. */
mb_status ledger_ask(mb_arena *a, const char *file, const char *data, double budget,
                     const ledger_release *release, ledger_sum *out, mb_err *err) MB_CHECKED;
/* Books a release of the rows of these files before it is made: the ledger is locked meanwhile, and
 * synced to the disk at the end. budget: the epsilon that all releases of these files may cost
 * together from now on, at the delta of this one; NaN: as in the ledger, at first the epsilon of
 * this release. MB_E_ARG beyond it. A new ledger takes its key from `from`. */
mb_status ledger_book(mb_arena *a, const char *file, const char *data, double budget,
                      const ledger_release *release, const mb_entropy *from, ledger_sum *out,
                      mb_err *err) MB_CHECKED;

#endif
