/* report_json.c - JSON files of the output folder, with errors that name file, line and field. */
#include "report_parts.h"

#include <math.h>

static mb_status refuse(report_json *j, const char *key, const char *accepted)
{
    MB_FAIL(j->err, MB_E_FORMAT, "%s: field \"%s%s\" is not accepted: %s", j->file, j->where, key,
            accepted);
}

static void complain(report_json *j, const char *key, const char *accepted)
{
    if (j->status >= 0)
        j->status = refuse(j, key, accepted);
}

/* NULL for an absent or null field. */
static const json_t *field(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    return json_is_null(v) ? NULL : v;
}

const char *report_json_text(report_json *j, const json_t *o, const char *key)
{
    const json_t *v = field(o, key);

    if (v && !json_is_string(v))
        complain(j, key, "a text");
    return v ? json_string_value(v) : NULL;
}

double report_json_real(report_json *j, const json_t *o, const char *key)
{
    const json_t *v = field(o, key);

    if (v && !json_is_number(v))
        complain(j, key, "a number or null");
    return v ? json_number_value(v) : REPORT_NAN;
}

int64_t report_json_count(report_json *j, const json_t *o, const char *key)
{
    const json_t *v = field(o, key);

    if (v && (!json_is_integer(v) || json_integer_value(v) < 0))
        complain(j, key, "an integer from 0 up");
    return v ? json_integer_value(v) : -1;
}

const json_t *report_json_get(report_json *j, const json_t *o, const char *key, json_type type)
{
    const json_t *v = field(o, key);

    if (!v || json_typeof(v) != type)
        complain(j, key, type == JSON_ARRAY ? "a list" : "an object");
    return v;
}
