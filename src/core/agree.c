/* core/agree.c - an error of one process becomes the error of all, by reductions only. */
#include "core/agree.h"

#include <string.h>

enum { TEXT = sizeof((mb_err *)0)->msg, CODE = TEXT, LINE, LENGTH };

static void take(const double *text, mb_err *err)
{
    if (!err)
        return;
    for (int k = 0; k < TEXT; k++)
        err->msg[k] = (char)(int)text[k];
    err->code = (mb_status)(int)text[CODE];
    err->line = (int)text[LINE];
    err->file = __FILE__;
}

mb_status mb_agree_error_(mb_transport *tp, mb_when_ when, int32_t node, mb_status st, mb_err *err)
{
    const mb_part *part = tp->part;
    const double   late = when == MB_WHEN_HEARING_ ? part->n_global : 0;
    const double   mine = st < 0 ? 2.0 * part->n_global - late - node : 0;
    double         first = mine, text[LENGTH] = {0};

    if (part->n_local == part->n_global)
        return st;
    MB_TRY(tp->ops->reduce(tp, MB_MAX, &first, 1, err));
    if (!(first > 0))
        return st;
    if (!(mine < first)) {
        for (int k = 0; err && k < TEXT; k++)
            text[k] = err->msg[k];
        text[CODE] = st;
        text[LINE] = err ? err->line : 0;
    }
    MB_TRY(tp->ops->reduce(tp, MB_SUM, text, LENGTH, err));
    take(text, err);
    return (mb_status)(int)text[CODE];
}
