/* missing.c - what --missing means for a model. */
#include "base/rows_opt.h"

mb_status app_missing(const mb_kind *kind, mb_data_opt *opt, mb_err *err)
{
    if (opt->missing == MB_MISSING_AUTO)
        opt->missing = kind->gaps ? MB_MISSING_KEEP : MB_MISSING_ERROR;
    if (opt->missing == MB_MISSING_KEEP && !kind->gaps)
        MB_FAIL(err, MB_E_ARG,
                "--missing: got marginalise; model %s needs every value; expected error or drop",
                kind->name);
    if (opt->missing == MB_MISSING_DROP && kind->ahead)
        MB_FAIL(err, MB_E_ARG,
                "--missing: got drop; rows of model %s are a sequence, whose time would be shorter "
                "without some; expected marginalise or error",
                kind->name);
    return MB_OK;
}
