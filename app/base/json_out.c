/* json_out.c - numbers and texts as JSON, and the file. */
#include "base/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *app_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

mb_status app_json_write(mb_arena *a, const char *path, const json_t *value, mb_err *err)
{
    mb_file   file = {0};
    char     *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    mb_status st = app_json_whole(err);

    if (st >= 0 && !text)
        st = mb_fail_(err, MB_E_FORMAT, __FILE__, __LINE__,
                      "%s: a text that is not UTF-8 cannot be written as JSON", path);
    if (st >= 0)
        st = mb_file_open(a, path, &file, err);
    if (st >= 0)
        st = mb_file_write(&file, text, strlen(text), err);
    if (st >= 0)
        st = mb_file_write(&file, "\n", 1, err);
    if (st >= 0)
        st = mb_file_commit(&file, err);
    mb_file_abort(&file);
    free(text);
    return st;
}
