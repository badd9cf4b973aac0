/* base/err.h - failures that know their place: an option, a row, a column. */
#ifndef MB_BASE_ERR_H
#define MB_BASE_ERR_H

#include "meshbayes/meshbayes.h"

/* Adds to the record (may be NULL) an option (NULL: none), a row and a column (-1: none). Returns
 * st. */
mb_status mb_err_at_(mb_err *e, mb_status st, const char *option, int64_t row, int32_t column);
/* Returns from the calling function as MB_FAIL does. */
#define MB_FAIL_AT(e, name, row, column, code, ...)                                                \
    return mb_err_at_((e), mb_fail_((e), (code), __FILE__, __LINE__, __VA_ARGS__), (name), (row),  \
                      (column))
#define MB_FAIL_OPTION(e, name, code, ...)      MB_FAIL_AT(e, name, -1, -1, code, __VA_ARGS__)
#define MB_FAIL_CELL(e, row, column, code, ...) MB_FAIL_AT(e, NULL, row, column, code, __VA_ARGS__)

#endif
