/* json_read.c - JSON files, through jansson where the library is built with it, into the arena; and
 * the fields of objects, with errors that name file and field. */
#include "base/text.h"
#include "data/file.h"
#include "data/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef MB_JSON
#include <jansson.h>

/* The text, in which the keys have the order of the tree. */
typedef struct cursor {
    const char *at, *end;
    int32_t     line, column; /* of `at` */
} cursor;

static mb_status copy(mb_arena *a, const json_t *from, cursor *c, mb_json *to, mb_err *err);

static void step(cursor *c)
{
    const int ends = *c->at++ == '\n';

    c->line += ends;
    c->column = ends ? 1 : c->column + 1;
}

/* After the text that begins here. */
static void skip_text(cursor *c)
{
    for (step(c); c->at < c->end && *c->at != '"'; step(c))
        if (*c->at == '\\' && c->at + 1 < c->end)
            step(c);
    if (c->at < c->end)
        step(c);
}

/* Where the next key is, which is a text with a colon after it; the cursor is then after it. */
static void find_key(cursor *c, mb_json *to)
{
    while (c->at < c->end) {
        to->line = c->line;
        to->column = c->column;
        if (*c->at != '"') {
            step(c);
            continue;
        }
        skip_text(c);
        while (c->at < c->end && strchr(" \t\r\n", *c->at))
            step(c);
        if (c->at < c->end && *c->at == ':')
            return;
    }
}

static mb_status copy_text(mb_arena *a, const char *from, const char **to, mb_err *err)
{
    *to = mb_text(a, err, "%s", from);
    return *to ? MB_OK : MB_E_NOMEM;
}

/* The items of a list or the members of an object. */
static mb_status copy_items(mb_arena *a, const json_t *from, cursor *c, mb_json *to, mb_err *err)
{
    json_t     *o = (json_t *)(uintptr_t)from, *v;
    mb_json    *item;
    const char *key;

    to->n = json_array_size(from) + json_object_size(from); /* one of them is 0 */
    MB_NEW(item, a, to->n, err);
    to->item = item;
    for (size_t k = 0; k < json_array_size(from); k++)
        MB_TRY(copy(a, json_array_get(from, k), c, item++, err));
    json_object_foreach(o, key, v)
    {
        mb_json member = {.line = 0};

        find_key(c, &member);
        MB_TRY(copy(a, v, c, item, err));
        item->line = member.line;
        item->column = member.column;
        MB_TRY(copy_text(a, key, &item++->key, err));
    }
    return MB_OK;
}

/* from: NULL when jansson had no memory for it. */
static mb_status copy(mb_arena *a, const json_t *from, cursor *c, mb_json *to, mb_err *err)
{
    static const mb_json_type type[] = {
        [JSON_NULL] = MB_JSON_NULL,  [JSON_FALSE] = MB_JSON_FALSE,
        [JSON_TRUE] = MB_JSON_TRUE,  [JSON_INTEGER] = MB_JSON_INTEGER,
        [JSON_REAL] = MB_JSON_REAL,  [JSON_STRING] = MB_JSON_TEXT,
        [JSON_ARRAY] = MB_JSON_LIST, [JSON_OBJECT] = MB_JSON_OBJECT};

    if (!from)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for JSON");
    *to = (mb_json){.type = type[json_typeof(from)],
                    .number = json_number_value(from),
                    .integer = json_integer_value(from)};
    switch (to->type) {
    case MB_JSON_TEXT:
        return copy_text(a, json_string_value(from), &to->text, err);
    case MB_JSON_LIST:
    case MB_JSON_OBJECT:
        return copy_items(a, from, c, to, err);
    default:
        return MB_OK;
    }
}

mb_status mb_json_parse(mb_arena *a, const char *file, const char *bytes, size_t n,
                        const mb_json **out, mb_err *err)
{
    mb_json     *root;
    json_t      *tree;
    json_error_t why;
    cursor       c;
    mb_status    st;

    MB_NEW(root, a, 1, err);
    tree = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &why);
    if (!tree && (!*why.text || json_error_code(&why) == json_error_out_of_memory))
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for JSON", file);
    if (!tree)
        MB_FAIL(err, MB_E_FORMAT, "%s:%d: not JSON: %s", file, why.line, why.text);
    c = (cursor){.at = bytes, .end = bytes + n, .line = 1, .column = 1};
    st = json_is_object(tree) ? copy(a, tree, &c, root, err)
                              : mb_fail_(err, MB_E_FORMAT, __FILE__, __LINE__,
                                         "%s:1: not a JSON object; expected {...}", file);
    json_decref(tree);
    *out = root;
    return st;
}
#else
mb_status mb_json_parse(mb_arena *a, const char *file, const char *bytes, size_t n,
                        const mb_json **out, mb_err *err)
{
    (void)a, (void)bytes, (void)n, (void)out;
    MB_FAIL(err, MB_E_NOSUP, "%s: this build cannot read JSON; expected a build with jansson",
            file);
}
#endif

mb_status mb_json_read(mb_arena *a, const char *file, const mb_json **out, mb_err *err)
{
    char  *bytes = NULL;
    size_t n = 0;

#ifdef MB_JSON
    MB_TRY(mb_file_read(a, file, &bytes, &n, err));
#endif
    return mb_json_parse(a, file, bytes, n, out, err);
}

static const mb_json none = {.type = MB_JSON_NONE};

const mb_json *mb_json_at(const mb_json *o, const char *key)
{
    for (size_t k = 0; o && o->type == MB_JSON_OBJECT && k < o->n; k++)
        if (!strcmp(o->item[k].key, key))
            return o->item + k;
    return &none;
}

void mb_json_refuse(mb_json_in *j, const char *key, const char *index, const char *accepted)
{
    if (j->status >= 0)
        j->status = mb_fail_(j->err, MB_E_FORMAT, __FILE__, __LINE__,
                             "%s: field \"%s%s%s\" is wrong or missing; expected %s", j->file,
                             j->where, key, index, accepted);
}

void mb_json_refuse_member(mb_json_in *j, const mb_json *member, const char *accepted)
{
    if (j->status >= 0)
        j->status =
            mb_fail_(j->err, MB_E_FORMAT, __FILE__, __LINE__,
                     "%s:%ld:%ld: got field \"%s%.60s\"; expected %s", j->file, (long)member->line,
                     (long)member->column, j->where, member->key, accepted);
}

void mb_json_only(mb_json_in *j, const mb_json *o, const char *const *known)
{
    for (size_t k = 0; k < o->n; k++) {
        const char *const *at = known;

        while (*at && strcmp(*at, o->item[k].key) != 0)
            at++;
        if (!*at)
            mb_json_refuse_member(j, &o->item[k], "no field of this name");
    }
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

/* 1 when v is a list of that length; everything else is refused. */
static int is_list(mb_json_in *j, const mb_json *v, const char *key, const char *index, int32_t len)
{
    char accepted[64];

    if (v->type == MB_JSON_LIST && v->n == (size_t)len)
        return 1;
    snprintf(accepted, sizeof accepted, "a list of %d", len);
    mb_json_refuse(j, key, index, accepted);
    return 0;
}

/* Checks the numbers of v; appends them at *x unless x is NULL. */
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
