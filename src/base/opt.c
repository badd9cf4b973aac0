/* opt.c - option tables: defaults, strict parsing, range checks, texts. */
#include "base/opt.h"
#include "base/err.h"
#include "base/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *field(const mb_opt *o, void *obj)
{
    return (char *)obj + o->at;
}

int mb_opt_is_text(const mb_opt *o)
{
    return o->kind == MB_OPT_TEXT || o->kind == MB_OPT_INPUT || o->kind == MB_OPT_OUTPUT;
}

const mb_opt *mb_opt_find(const mb_opt *table, const char *name)
{
    for (; table && table->name; table++)
        if (!strcmp(table->name, name))
            return table;
    return NULL;
}

/* "a=x|b|c" -> "a, x, b or c". */
static void choices_in_words(const char *choices, char *buf, size_t cap)
{
    size_t at = 0;

    buf[0] = 0;
    while (*choices && at < cap) {
        size_t      len = strcspn(choices, "|=");
        const char *rest = choices + len + (choices[len] != 0);
        const char *glue = !*rest ? "" : rest[strcspn(rest, "|=")] ? ", " : " or ";
        int         put = mb_format_(buf + at, cap - at, "%.*s%s", (int)len, choices, glue);

        at += put > 0 ? (size_t)put : 0;
        choices = rest;
    }
}

/* The word that an MB_OPT_AUTO takes in place of a number. */
static const char *word(const mb_opt *o)
{
    return o->choices && *o->choices ? o->choices : "auto";
}

void mb_opt_accepts(const mb_opt *o, char *buf, size_t cap)
{
    const int   automatic = o->kind == MB_OPT_AUTO;
    char        lead[64] = "";
    const char *what = o->kind == MB_OPT_INT ? "whole numbers " : "";
    const int   digits = o->kind == MB_OPT_INT ? 17 : 15;

    if (automatic)
        mb_format_(lead, sizeof lead, "%s or ", word(o));
    if (o->kind == MB_OPT_CHOICE)
        choices_in_words(o->choices, buf, cap);
    else if (o->kind == MB_OPT_FLAG)
        mb_format_(buf, cap, "no value");
    else if (mb_opt_is_text(o))
        mb_format_(buf, cap, "%s", o->choices ? o->choices : "text");
    else if (isinf(o->lo) && isinf(o->hi))
        mb_format_(buf, cap, "%s%s", lead,
                   o->kind == MB_OPT_INT ? "any whole number" : "any number");
    else if (isinf(o->hi))
        mb_format_(buf, cap, "%s%sat least %.*g", lead, what, digits, o->lo);
    else if (isinf(o->lo))
        mb_format_(buf, cap, "%s%sat most %.*g", lead, what, digits, o->hi);
    else
        mb_format_(buf, cap, "%s%s%.*g to %.*g", lead, what, digits, o->lo, digits, o->hi);
}

static mb_status refuse(const mb_opt *o, const char *value, const char *why, mb_err *err)
{
    char accepted[256];

    mb_opt_accepts(o, accepted, sizeof accepted);
    MB_FAIL_OPTION(err, o->name, MB_E_ARG, "--%s: got \"%s\", which %s; expected %s", o->name,
                   value, why, accepted);
}

/* 1 if the whole text is a finite decimal of digits, sign, point and exponent. */
static int decimal(const char *text, double *out)
{
    char *end;

    if (!*text || text[strspn(text, "+-.0123456789eE")])
        return 0;
    errno = 0;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

mb_status mb_opt_numbers(const char *name, const char *text, int32_t n, double *x, int32_t *count,
                         mb_err *err)
{
    char entry[64];

    for (*count = 0;; text++) {
        const char  *first = text + strspn(text, " \t");
        const size_t to = strcspn(text, ","), from = (size_t)(first - text);
        size_t       len = to > from ? to - from : 0;
        double       number = 0;

        while (len && (first[len - 1] == ' ' || first[len - 1] == '\t'))
            len--;
        mb_format_(entry, sizeof entry, "%.*s", (int)(len < sizeof entry ? len : sizeof entry - 1),
                   first);
        if (len >= sizeof entry || !decimal(entry, &number))
            MB_FAIL_OPTION(err, name, MB_E_ARG, "--%s: entry %d, \"%s\", is not a finite number",
                           name, *count + 1, entry);
        if (*count < n)
            x[*count] = number;
        ++*count;
        text += to;
        if (!*text)
            return MB_OK;
    }
}

/* A decimal as an exact whole number, which a double would round beyond 2^53; 1e3 and 5.0 are whole.
 * Returns 0 if it is not whole or needs more than 18 digits. */
static int whole_number(const char *text, int64_t *out)
{
    static const int64_t full = 100000000000000000; /* 10^17 */
    const int            negative = *text == '-';
    int64_t x = 0, shift = 0, zeros = 0; /* zeros: not yet known to be the last digits */
    int     point = 0;

    for (text += strspn(text, "+-"); *text && !strchr("eE", *text); text++) {
        if (*text == '.') {
            point = 1;
            continue;
        }
        shift -= point;
        if (*text == '0') {
            zeros++;
            continue;
        }
        for (; zeros > 0 && x < full; zeros--)
            x *= 10;
        if (x >= full)
            return 0;
        x = 10 * x + (*text - '0');
        zeros = 0;
    }
    shift += zeros + (*text ? strtol(text + 1, NULL, 10) : 0);
    for (; x && shift > 0 && x < full; shift--)
        x *= 10;
    *out = negative ? -x : x;
    return !x || shift == 0;
}

static mb_status set_number(const mb_opt *o, const char *value, void *obj, mb_err *err)
{
    static const double exact = 9e18; /* larger limits have no effect */
    double              x = NAN;
    int64_t             whole = 0;

    if (o->kind != MB_OPT_AUTO || strcmp(value, word(o))) {
        if (!decimal(value, &x))
            return refuse(o, value, "is not a number", err);
        if (x < o->lo || x > o->hi)
            return refuse(o, value, "is out of range", err);
    }
    if (o->kind != MB_OPT_INT) {
        *(double *)field(o, obj) = x;
        return MB_OK;
    }
    if (!whole_number(value, &whole))
        return refuse(o, value, "is not a whole number", err);
    if ((o->hi < exact && whole > (int64_t)o->hi) || (o->lo > -exact && whole < (int64_t)o->lo))
        return refuse(o, value, "is out of range", err);
    *(int64_t *)field(o, obj) = whole;
    return MB_OK;
}

static mb_status set_choice(const mb_opt *o, const char *value, void *obj, mb_err *err)
{
    const char *c = o->choices;
    int32_t     index = 0;

    for (size_t len; *c; index += c[len] == '|', c += len + (c[len] != 0)) {
        len = strcspn(c, "|=");
        if (len == strlen(value) && !strncmp(c, value, len)) {
            *(int32_t *)field(o, obj) = index;
            return MB_OK;
        }
    }
    return refuse(o, value, "is not known", err);
}

mb_status mb_opt_set(const mb_opt *o, const char *value, void *obj, mb_err *err)
{
    if (o->kind == MB_OPT_CHOICE)
        return set_choice(o, value, obj, err);
    if (o->kind == MB_OPT_FLAG)
        *(int32_t *)field(o, obj) = !strcmp(value, "1");
    else if (!mb_opt_is_text(o))
        return set_number(o, value, obj, err);
    else if (!*value)
        return refuse(o, value, "is empty", err);
    else
        *(const char **)field(o, obj) = value;
    return MB_OK;
}

mb_status mb_opt_assign(const mb_opt *table, void *obj, const char *text, mb_err *err)
{
    const size_t  len = strcspn(text, "=");
    const mb_opt *o;
    char          name[64];

    mb_format_(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1), text);
    if (!text[len])
        MB_FAIL(err, MB_E_ARG, "option: got \"%s\"; expected NAME=VALUE", name);
    o = mb_opt_find(table, name);
    if (!o)
        MB_FAIL(err, MB_E_ARG, "\"%s\" is not an option here; the first is \"%s\"", name,
                table && table->name ? table->name : "none");
    return mb_opt_set(o, text + len + 1, obj, err);
}

mb_status mb_opt_defaults(const mb_opt *table, void *obj, mb_err *err)
{
    for (; table && table->name; table++) {
        if (table->def)
            MB_TRY(mb_opt_set(table, table->def, obj, err));
        else if (mb_opt_is_text(table))
            *(const char **)field(table, obj) = NULL;
        else if (table->kind == MB_OPT_FLAG)
            *(int32_t *)field(table, obj) = 0;
    }
    return MB_OK;
}

static void number_text(const mb_opt *o, double x, char *buf, size_t cap)
{
    if (isnan(x))
        mb_format_(buf, cap, "%s", word(o));
    else
        mb_format_exact_(buf, cap, x);
}

void mb_opt_text(const mb_opt *o, const void *obj, char *buf, size_t cap)
{
    const void *at = (const char *)obj + o->at;
    const char *text = o->choices;

    if (o->kind == MB_OPT_CHOICE) {
        for (int32_t index = *(const int32_t *)at; index > 0; index--)
            text += strcspn(text, "|") + 1;
        mb_format_(buf, cap, "%.*s", (int)strcspn(text, "|="), text);
    } else if (o->kind == MB_OPT_FLAG)
        mb_format_(buf, cap, "%d", *(const int32_t *)at);
    else if (o->kind == MB_OPT_INT)
        mb_format_(buf, cap, "%lld", (long long)*(const int64_t *)at);
    else if (mb_opt_is_text(o)) {
        text = *(const char *const *)at;
        mb_format_(buf, cap, "%s", text ? text : "");
    } else
        number_text(o, *(const double *)at, buf, cap);
}

const char *mb_opt_value(const mb_opt *o, const void *obj, char number[64])
{
    const char *text = number;

    if (mb_opt_is_text(o))
        text = *(const char *const *)(const void *)((const char *)obj + o->at);
    else
        mb_opt_text(o, obj, number, 64);
    return text ? text : "";
}
