/* store.c - units of a fit that are over, in the caller's store. */
#include "base/format.h"
#include "fit/fit.h"

enum { NAME = 48 };

mb_status mb_store_get_(const mb_store *s, const char *what, int32_t number, double *x, size_t n,
                        mb_err *err)
{
    char name[NAME];

    if (!s)
        return MB_QUIET;
    mb_format_(name, NAME, "%s-%d", what, number);
    return s->get(s->self, name, x, n, err);
}

mb_status mb_store_put_(const mb_store *s, const char *what, int32_t number, const double *x,
                        size_t n, mb_err *err)
{
    char name[NAME];

    if (!s)
        return MB_OK;
    mb_format_(name, NAME, "%s-%d", what, number);
    return s->put(s->self, name, x, n, err);
}
