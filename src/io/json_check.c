/* json_check.c - fields of JSON objects, with errors that name file and field. */
#include "meshbayes/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const mb_json none = {.type = MB_JSON_NONE};

const mb_json *mb_json_at(const mb_json *o, const char *key)
{
    for (size_t k = 0; o && o->type == MB_JSON_OBJECT && k < o->n; k++)
        if (!strcmp(o->item[k].key, key))
            return o->item + k;
    return &none;
}

static mb_status refuse(const mb_json_in *j, const char *key, const char *index,
                        const char *accepted)
{
    MB_FAIL(j->err, MB_E_FORMAT, "%s: field \"%s%s%s\" is wrong or missing, accepted: %s", j->file,
            j->where, key, index, accepted);
}

void mb_json_refuse(mb_json_in *j, const char *key, const char *index, const char *accepted)
{
    if (j->status >= 0)
        j->status = refuse(j, key, index, accepted);
}

/* NULL for an absent or null field. */
static const mb_json *field(const mb_json *o, const char *key)
{
    const mb_json *v = mb_json_at(o, key);

    return v->type > MB_JSON_NULL ? v : NULL;
}

static int is_number(const mb_json *v)
{
    return v->type == MB_JSON_INTEGER || v->type == MB_JSON_REAL;
}

const char *mb_json_get_text(mb_json_in *j, const mb_json *o, const char *key)
{
    const mb_json *v = field(o, key);

    if (v && !v->text)
        mb_json_refuse(j, key, "", "a text");
    return v ? v->text : NULL;
}

double mb_json_get_real(mb_json_in *j, const mb_json *o, const char *key)
{
    const mb_json *v = field(o, key);

    if (v && !is_number(v))
        mb_json_refuse(j, key, "", "a number or null");
    return v ? v->number : (double)NAN;
}

int64_t mb_json_get_count(mb_json_in *j, const mb_json *o, const char *key)
{
    const mb_json *v = field(o, key);

    if (v && (v->type != MB_JSON_INTEGER || v->integer < 0))
        mb_json_refuse(j, key, "", "an integer from 0 up");
    return v ? v->integer : -1;
}

const mb_json *mb_json_get(mb_json_in *j, const mb_json *o, const char *key, mb_json_type type)
{
    const mb_json *v = mb_json_at(o, key);

    if (v->type == type)
        return v;
    mb_json_refuse(j, key, "", type == MB_JSON_LIST ? "a list" : "an object");
    return &none;
}

enum { INDEX = 64 };

/* Refuses what is no list of that length; 1 when it is one. */
static int is_list(mb_json_in *j, const mb_json *v, const char *key, const char *index, int32_t len)
{
    char accepted[64];

    if (v->type == MB_JSON_LIST && v->n == (size_t)len)
        return 1;
    snprintf(accepted, sizeof accepted, "a list of %d", len);
    mb_json_refuse(j, key, index, accepted);
    return 0;
}

/* The numbers of v to *x and on, unless x is NULL. */
static void numbers(mb_json_in *j, const mb_json *v, const char *key, const char *index,
                    int32_t ndim, const int32_t *shape, double **x)
{
    char deeper[INDEX];

    if (ndim == 0) {
        if (!is_number(v) || !isfinite(v->number))
            mb_json_refuse(j, key, index, "a finite number");
        else if (x)
            *(*x)++ = v->number;
        return;
    }
    if (!is_list(j, v, key, index, shape[0]))
        return;
    for (int32_t k = 0; k < shape[0] && j->status >= 0; k++) {
        snprintf(deeper, sizeof deeper, "%s[%d]", index, k);
        numbers(j, v->item + k, key, deeper, ndim - 1, shape + 1, x);
    }
}

void mb_json_get_numbers(mb_json_in *j, const mb_json *o, const char *key, int32_t ndim,
                         const int32_t *shape, double *x)
{
    if (j->status >= 0)
        numbers(j, mb_json_at(o, key), key, "", ndim, shape, x ? &x : NULL);
}
