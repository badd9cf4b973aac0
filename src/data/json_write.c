/* json_write.c - JSON collected in memory, and its file. */
#include "base/text.h"
#include "data/json.h"
#include "data/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers of a list that stand on lines of their own; of a longer one all are on one line, since
 * indents would double the bytes of large matrices. */
enum { MOST_LINES = 16 };

int mb_xml_char(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const int            n = mb_utf8(text);

    if (n == 1)
        return *s >= 0x20 || strchr("\t\n\r", *s);
    return n == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe ? 0 : n;
}

void mb_json_begin(mb_json_out *j, mb_arena *a, mb_err *err)
{
    *j = (mb_json_out){.a = a, .err = err};
}

/* Room for n more bytes and a 0. */
static mb_status make_room(mb_json_out *j, size_t n)
{
    if (j->len + n < j->cap)
        return MB_OK;
    j->cap = 2 * (j->len + n) + 256;
    j->bytes = mb_larger_(j->a, j->bytes, j->len, j->cap, 1, j->err);
    return j->bytes ? MB_OK : MB_E_NOMEM;
}

static void put(mb_json_out *j, const char *text, size_t n)
{
    if (j->status >= 0)
        j->status = make_room(j, n);
    if (j->status < 0)
        return;
    memcpy(j->bytes + j->len, text, n);
    j->len += n;
}

static void new_line(mb_json_out *j)
{
    if (j->one_line)
        return;
    put(j, "\n", 1);
    for (int32_t k = 0; k < j->depth; k++)
        put(j, "  ", 2);
}

/* One character, n bytes of text. */
static void put_char(mb_json_out *j, const char *text, int n)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char       *at = strchr(plain, *text);
    char              code[8];

    if (at)
        put(j, (char[]){'\\', letter[at - plain]}, 2);
    else if ((unsigned char)*text < ' ')
        put(j, code, (size_t)snprintf(code, sizeof code, "\\u%04X", (unsigned)*text));
    else
        put(j, text, (size_t)n);
}

static void quote(mb_json_out *j, const char *text)
{
    put(j, "\"", 1);
    while (*text && j->status >= 0) {
        const int n = mb_utf8(text);

        if (!n)
            j->status = mb_fail_(j->err, MB_E_FORMAT, __FILE__, __LINE__,
                                 "a text that is not UTF-8 cannot be written as JSON");
        else
            put_char(j, text, n);
        text += n;
    }
    put(j, "\"", 1);
}

/* What precedes a value: a comma, a new line, its key. */
static void lead(mb_json_out *j, const char *key)
{
    if (j->count++)
        put(j, ",", 1);
    if (j->depth)
        new_line(j);
    if (key) {
        quote(j, key);
        put(j, ": ", 2);
    }
}

static void begin(mb_json_out *j, const char *key, const char *open, char close)
{
    lead(j, key);
    put(j, open, 1);
    if (j->status >= 0 && j->depth == MB_JSON_DEPTH)
        j->status = mb_fail_(j->err, MB_E_ARG, __FILE__, __LINE__,
                             "JSON: got more than %d nested lists; expected fewer", MB_JSON_DEPTH);
    if (j->status < 0)
        return;
    j->close[j->depth++] = close;
    j->count = 0;
}

void mb_json_object(mb_json_out *j, const char *key)
{
    begin(j, key, "{", '}');
}

void mb_json_list(mb_json_out *j, const char *key)
{
    begin(j, key, "[", ']');
}

void mb_json_close(mb_json_out *j)
{
    if (j->status < 0)
        return;
    j->depth--;
    if (j->count)
        new_line(j);
    put(j, &j->close[j->depth], 1);
    j->count = 1; /* of the object or list that is innermost now: at least this one */
}

static void word(mb_json_out *j, const char *key, const char *text)
{
    lead(j, key);
    put(j, text, strlen(text));
}

void mb_json_null(mb_json_out *j, const char *key)
{
    word(j, key, "null");
}

void mb_json_bool(mb_json_out *j, const char *key, int is)
{
    word(j, key, is ? "true" : "false");
}

void mb_json_text(mb_json_out *j, const char *key, const char *text)
{
    if (!text) {
        mb_json_null(j, key);
        return;
    }
    lead(j, key);
    quote(j, text);
}

void mb_json_integer(mb_json_out *j, const char *key, int64_t x)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)x);
    word(j, key, text);
}

/* A real number remains one: "2.0". Exponents have no plus and no leading zeros. */
void mb_json_number(mb_json_out *j, const char *key, double x)
{
    char text[MB_NUMBER_TEXT_ + 2], *e;

    mb_number_text_(x, text);
    e = strchr(text, 'e');
    if (e) {
        const char *digits = e + 2 + strspn(e + 2, "0");

        e += 1 + (e[1] == '-');
        memmove(e, digits, strlen(digits) + 1);
    } else if (!strchr(text, '.'))
        strcat(text, ".0");
    word(j, key, isfinite(x) ? text : "null");
}

void mb_json_numbers(mb_json_out *j, const char *key, int32_t ndim, const int64_t *shape,
                     const double *x)
{
    int64_t step = 1; /* numbers of an item */

    if (ndim == 0) {
        mb_json_number(j, key, *x);
        return;
    }
    for (int32_t d = 1; d < ndim; d++)
        step *= shape[d];
    mb_json_list(j, key);
    j->one_line = ndim == 1 && shape[0] > MOST_LINES;
    for (int64_t k = 0; k < shape[0]; k++)
        mb_json_numbers(j, NULL, ndim - 1, shape + 1, x + k * step);
    mb_json_close(j);
    j->one_line = 0;
}

void mb_json_texts(mb_json_out *j, const char *key, int32_t n, const char *const *text)
{
    mb_json_list(j, key);
    for (int32_t k = 0; k < n; k++)
        mb_json_text(j, NULL, text[k]);
    mb_json_close(j);
}

void mb_json_copy(mb_json_out *j, const mb_json *v)
{
    switch (v->type) {
    case MB_JSON_TEXT:
        mb_json_text(j, v->key, v->text);
        break;
    case MB_JSON_INTEGER:
        mb_json_integer(j, v->key, v->integer);
        break;
    case MB_JSON_REAL:
        mb_json_number(j, v->key, v->number);
        break;
    case MB_JSON_LIST:
    case MB_JSON_OBJECT:
        (v->type == MB_JSON_LIST ? mb_json_list : mb_json_object)(j, v->key);
        for (size_t k = 0; k < v->n; k++)
            mb_json_copy(j, v->item + k);
        mb_json_close(j);
        break;
    default:
        word(j, v->key,
             v->type == MB_JSON_TRUE    ? "true"
             : v->type == MB_JSON_FALSE ? "false"
                                        : "null");
    }
}

mb_status mb_json_end(mb_json_out *j, char **bytes, size_t *n)
{
    put(j, "\n", 1);
    MB_TRY(j->status);
    j->bytes[j->len] = 0;
    if (bytes)
        *bytes = j->bytes;
    if (n)
        *n = j->len;
    return MB_OK;
}

mb_status mb_json_write(mb_json_out *j, const char *file)
{
    mb_file f;

    MB_TRY(mb_json_end(j, NULL, NULL));
    MB_TRY(mb_file_open(j->a, file, &f, j->err));
    return mb_file_close(&f, mb_file_write(&f, j->bytes, j->len, j->err), j->err);
}
