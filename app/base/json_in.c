/* json_in.c - JSON files read, with errors that name file, line and field. */
#include "base/json_file.h"

#include <math.h>
#include <string.h>

mb_status app_json_load(mb_arena *a, const char *path, json_t **out, mb_err *err)
{
    char        *bytes;
    size_t       n;
    json_error_t why;

    MB_TRY(mb_file_read(a, path, &bytes, &n, err));
    *out = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &why);
    MB_TRY(app_json_whole(err));
    if (!*out)
        MB_FAIL(err, MB_E_FORMAT, "%s:%d: not JSON: %s", path, why.line, why.text);
    if (!json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        MB_FAIL(err, MB_E_FORMAT, "%s:1: not a JSON object, accepted: {...}", path);
    }
    return MB_OK;
}

static mb_status refuse(const app_json *j, const char *key, const char *index, const char *accepted)
{
    MB_FAIL(j->err, MB_E_FORMAT, "%s: field \"%s%s%s\" is wrong or missing, accepted: %s", j->file,
            j->where, key, index, accepted);
}

void app_json_refuse(app_json *j, const char *key, const char *index, const char *accepted)
{
    if (j->status >= 0)
        j->status = refuse(j, key, index, accepted);
}

static void complain(app_json *j, const char *key, const char *accepted)
{
    app_json_refuse(j, key, "", accepted);
}

/* NULL for an absent or null field. */
static const json_t *field(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    return json_is_null(v) ? NULL : v;
}

const char *app_json_text(app_json *j, const json_t *o, const char *key)
{
    const json_t *v = field(o, key);

    if (v && !json_is_string(v))
        complain(j, key, "a text");
    return v ? json_string_value(v) : NULL;
}

double app_json_real(app_json *j, const json_t *o, const char *key)
{
    const json_t *v = field(o, key);

    if (v && !json_is_number(v))
        complain(j, key, "a number or null");
    return v ? json_number_value(v) : (double)NAN;
}

int64_t app_json_count(app_json *j, const json_t *o, const char *key)
{
    const json_t *v = field(o, key);

    if (v && (!json_is_integer(v) || json_integer_value(v) < 0))
        complain(j, key, "an integer from 0 up");
    return v ? json_integer_value(v) : -1;
}

const json_t *app_json_get(app_json *j, const json_t *o, const char *key, json_type type)
{
    const json_t *v = field(o, key);

    if (!v || json_typeof(v) != type)
        complain(j, key, type == JSON_ARRAY ? "a list" : "an object");
    return v;
}

enum { INDEX = 64 };

/* Refuses what is no list of that length; 1 when it is one. */
static int is_list(app_json *j, const json_t *v, const char *key, const char *index, int32_t len)
{
    char accepted[64];

    if (json_is_array(v) && json_array_size(v) == (size_t)len)
        return 1;
    snprintf(accepted, sizeof accepted, "a list of %d", len);
    app_json_refuse(j, key, index, accepted);
    return 0;
}

/* The numbers of v to *x and on, unless x is NULL. */
static void numbers(app_json *j, const json_t *v, const char *key, const char *index, int ndim,
                    const int32_t *shape, double **x)
{
    char deeper[INDEX];

    if (ndim == 0) {
        if (!json_is_number(v) || !isfinite(json_number_value(v)))
            app_json_refuse(j, key, index, "a finite number");
        if (x)
            *(*x)++ = json_number_value(v);
        return;
    }
    if (!is_list(j, v, key, index, shape[0]))
        return;
    for (int32_t k = 0; k < shape[0] && j->status >= 0; k++) {
        snprintf(deeper, sizeof deeper, "%s[%d]", index, k);
        numbers(j, json_array_get(v, (size_t)k), key, deeper, ndim - 1, shape + 1, x);
    }
}

void app_json_numbers(app_json *j, const json_t *o, const char *key, int ndim, const int32_t *shape,
                      double *x)
{
    if (j->status >= 0)
        numbers(j, json_object_get(o, key), key, "", ndim, shape, x ? &x : NULL);
}

void app_json_lower(app_json *j, const char *key, int32_t k, int32_t n, const double *full,
                    double *tril)
{
    const double tol = 1e-9; /* of the geometric mean of the two diagonal entries */
    char         index[INDEX], list[16] = "";

    if (k >= 0)
        snprintf(list, sizeof list, "[%d]", k);
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c <= r; c++) {
            const double x = full[r * n + c], y = full[c * n + r];

            *tril++ = x;
            snprintf(index, sizeof index, "%s[%d][%d]", list, (int)r, (int)c);
            if (fabs(x - y) > tol * sqrt(fabs(full[r * n + r])) * sqrt(fabs(full[c * n + c])))
                app_json_refuse(j, key, index, "a symmetric matrix");
        }
}
