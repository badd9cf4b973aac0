/* json_file.c - a JSON object from a file. */
#include "posterior.h"

mb_status app_json_load(mb_arena *a, const char *path, json_t **out, mb_err *err)
{
    char        *bytes;
    size_t       n;
    json_error_t why;

    MB_TRY(mb_file_read(a, path, &bytes, &n, err));
    *out = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &why);
    if (!*out)
        MB_FAIL(err, MB_E_FORMAT, "%s:%d: not JSON: %s", path, why.line, why.text);
    if (!json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        MB_FAIL(err, MB_E_FORMAT, "%s:1: not a JSON object, accepted: {...}", path);
    }
    return MB_OK;
}
