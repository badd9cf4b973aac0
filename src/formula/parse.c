/* parse.c - the text of a formula as terms: R's operators on sets of terms, and expressions in postfix
 * order. */
#include "base/format.h"
#include "base/text.h"
#include "data/table.h"
#include "formula/formula.h"

#include <stdlib.h>
#include <string.h>

/* DEPTH: of parentheses; SHOWN: bytes of the text in a message; PRODUCTS: of two terms in a formula, each
 * of which is compared with all. */
enum { DEPTH = 50, SHOWN = 70, PRODUCTS = 5 * MB_FORMULA_TERMS };

/* Terms of a part of the formula. */
typedef struct set {
    int32_t  n, room;
    mb_term *term;
    int      intercept; /* 1: + 1 or - 0; -1: - 1 or + 0; 0: nothing said       */
    int      alone;     /* 1: it has offset(..) or (..|..), which no product has */
} set;

typedef struct parser {
    mb_arena          *a;
    const char        *text, *at;
    int32_t            d, targets;
    const char *const *name, *const *target; /* name: d; NULL: any; target: targets */
    mb_formula  *f;
    const char **column; /* those of f, while they grow */
    mb_factor   *factor;
    int32_t     *offset;
    int32_t      column_room, factor_room, offset_room, depth, nsteps;
    int64_t      products; /* of two terms, so far */
    mb_step      step[MB_FORMULA_STEPS];
    mb_err      *err;
} parser;

/* ---- messages ---- */

/* Characters of UTF-8 in the first n bytes. */
static int characters(const char *text, size_t n)
{
    int count = 0;

    for (size_t k = 0; k < n; k++)
        count += ((unsigned char)text[k] & 0xC0) != 0x80;
    return count;
}

/* A message is one line, unless its breaks are put there once it is made. */
mb_status mb_formula_refuse(const char *text, size_t at, const char *message, mb_err *err)
{
    const size_t    first = at > SHOWN / 2 ? at - SHOWN / 2 : 0;
    const char     *from = text + first, *dots = first ? ".." : "";
    const size_t    shown = strlen(from) < SHOWN ? strlen(from) : SHOWN;
    const int       caret = characters(from, at - first) + 1;
    const mb_status st =
        mb_fail_(err, MB_E_ARG, __FILE__, __LINE__, "--formula: %.200s\n  %s%.*s\n  %s%*s", message,
                 dots, (int)shown, from, dots, caret, "^");
    size_t line;

    if (!err)
        return st;
    line = strlen("--formula: ") + (strlen(message) < 200 ? strlen(message) : 200);
    err->msg[line] = '\n';
    err->msg[line + 3 + strlen(dots) + shown] = '\n';
    return st;
}

static mb_status refuse(const parser *p, const char *at, const char *message)
{
    return mb_formula_refuse(p->text, (size_t)(at - p->text), message, p->err);
}

/* ---- letters ---- */

static int starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           (unsigned char)c >= 0x80;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of the name at `at`; 0: there is none. */
static size_t name_length(const char *at)
{
    size_t n = 0;

    if (!starts_name(*at) || (*at == '.' && is_digit(at[1])))
        return 0;
    while (starts_name(at[n]) || is_digit(at[n]))
        n++;
    return n;
}

static void skip(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
}

static int next_is(parser *p, char c)
{
    skip(p);
    return *p->at == c;
}

static int take(parser *p, char c)
{
    const int found = next_is(p, c);

    p->at += found;
    return found;
}

const char *mb_formula_quote(mb_arena *a, const char *name, mb_err *err)
{
    const size_t n = name_length(name);

    return n && !name[n] && strcmp(name, ".") != 0 ? mb_text(a, err, "%s", name)
                                                   : mb_text(a, err, "`%s`", name);
}

/* A name, or one in backticks, into *name; NULL: there is none here. */
static mb_status take_name(parser *p, const char **name)
{
    const char *from;
    size_t      n;

    skip(p);
    from = p->at;
    n = name_length(from);
    *name = NULL;
    if (*from == '`') {
        n = strcspn(++from, "`");
        if (!n || !from[n])
            return refuse(p, p->at, "a name in backticks has no end");
        p->at += n + 2;
    } else {
        p->at += n;
    }
    if (n)
        *name = mb_text(p->a, p->err, "%.*s", (int)n, from);
    return n && !*name ? MB_E_NOMEM : MB_OK;
}

/* ---- lists that grow ---- */

/* Room for one more of `width` bytes; NULL: no memory. */
static void *grown(parser *p, const void *old, int32_t n, int32_t *room, size_t width)
{
    void *to;

    if (n < *room)
        return (void *)(uintptr_t)old;
    to = mb_alloc(p->a, 2 * (size_t)n + 8, width);
    if (!to) {
        mb_fail_(p->err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory for a formula");
        return NULL;
    }
    if (n)
        memcpy(to, old, (size_t)n * width);
    *room = 2 * n + 8;
    return to;
}

static int32_t find(int32_t n, const char *const *list, const char *name)
{
    int32_t k = 0;

    while (k < n && strcmp(list[k], name) != 0)
        k++;
    return k < n ? k : -1;
}

/* The number of a column among those of the formula. */
static mb_status add_column(parser *p, const char *name, const char *at, int32_t *out)
{
    char   message[200], list[120] = "";
    size_t n = 0;

    *out = find(p->f->columns, p->column, name);
    if (*out >= 0)
        return MB_OK;
    if (p->name && find(p->d, p->name, name) < 0) {
        for (int32_t k = 0; k < p->d && n < sizeof list; k++)
            n += (size_t)mb_format_(list + n, sizeof list - n, "%s%s", k ? ", " : "", p->name[k]);
        mb_format_(message, sizeof message, "no column \"%.40s\"; expected %s", name, list);
        return refuse(p, at, message);
    }
    p->column = grown(p, p->column, p->f->columns, &p->column_room, sizeof *p->column);
    if (!p->column)
        return MB_E_NOMEM;
    p->column[ *out = p->f->columns++] = name;
    return MB_OK;
}

/* The number of a factor; one with its name is the same. */
static mb_status add_factor(parser *p, const mb_factor *factor, int32_t *out)
{
    mb_step *step;

    for (*out = 0; *out < p->f->factors; ++*out)
        if (!strcmp(p->factor[*out].source, factor->source))
            return MB_OK;
    p->factor = grown(p, p->factor, p->f->factors, &p->factor_room, sizeof *p->factor);
    if (!p->factor)
        return MB_E_NOMEM;
    MB_NEW(step, p->a, p->nsteps, p->err);
    memcpy(step, p->step, (size_t)p->nsteps * sizeof *step);
    p->factor[p->f->factors] = *factor;
    p->factor[p->f->factors].step = step;
    p->factor[p->f->factors++].nsteps = p->nsteps;
    return MB_OK;
}

static mb_status add_step(parser *p, mb_step step, const char *at)
{
    if (p->nsteps == MB_FORMULA_STEPS)
        return refuse(p, at,
                      "the expression is too long; expected at most 64 numbers and operators");
    p->step[p->nsteps++] = step;
    return MB_OK;
}

static mb_status deeper(parser *p)
{
    return ++p->depth > DEPTH ? refuse(p, p->at, "more than 50 parentheses within each other")
                              : MB_OK;
}

/* ---- expressions: each returns its text, as R writes it ---- */

static mb_status expression(parser *p, const char **text);

static mb_status joined(parser *p, const char **text, const char *a, const char *b, const char *c)
{
    *text = mb_text(p->a, p->err, "%s%s%s", a, b, c);
    return *text ? MB_OK : MB_E_NOMEM;
}

static mb_status number(parser *p, const char **text)
{
    const char *at = p->at;
    char        digits[40];
    size_t      n = strspn(at, "0123456789.");
    double      x;

    if (n && (at[n] == 'e' || at[n] == 'E')) {
        const size_t sign = n + 1 + (at[n + 1] == '-' || at[n + 1] == '+');

        n = is_digit(at[sign]) ? sign + strspn(at + sign, "0123456789") : n;
    }
    mb_format_(digits, sizeof digits, "%.*s", (int)n, at);
    if (!n || n >= sizeof digits || mb_parse_double(digits, &x))
        return refuse(p, at, "expected a column, a number or an expression");
    p->at += n;
    mb_format_exact_(digits, sizeof digits, x);
    *text = mb_text(p->a, p->err, "%s", digits);
    return *text ? add_step(p, (mb_step){.kind = MB_STEP_NUMBER, .number = x}, at) : MB_E_NOMEM;
}

/* log, exp, sqrt or I of what follows; 0: `name` is none of them. */
static int function(const char *name, mb_step_kind *kind)
{
    static const char *const  names[] = {"log", "exp", "sqrt", "I"};
    static const mb_step_kind kinds[] = {MB_STEP_LOG, MB_STEP_EXP, MB_STEP_SQRT, MB_STEP_COLUMN};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k])) {
            *kind = kinds[k];
            return 1;
        }
    return 0;
}

static mb_status unknown_function(const parser *p, const char *at, const char *name)
{
    char message[200];

    mb_format_(message, sizeof message,
               "no function \"%.40s\"; expected I, log, exp, sqrt, poly or offset", name);
    return refuse(p, at, message);
}

/* What follows "name(". */
static mb_status call(parser *p, const char *name, const char *at, const char **text)
{
    mb_step_kind kind;

    if (!function(name, &kind))
        return unknown_function(p, at, name);
    MB_TRY(deeper(p));
    MB_TRY(expression(p, text));
    p->depth--;
    if (!take(p, ')'))
        return refuse(p, p->at, "expected ) or an operator");
    if (kind != MB_STEP_COLUMN)
        MB_TRY(add_step(p, (mb_step){.kind = kind}, at));
    *text = mb_text(p->a, p->err, "%s(%s)", name, *text);
    return *text ? MB_OK : MB_E_NOMEM;
}

static mb_status primary(parser *p, const char **text)
{
    const char *at, *name;
    int32_t     column;

    skip(p);
    at = p->at;
    if (take(p, '(')) {
        MB_TRY(deeper(p));
        MB_TRY(expression(p, text));
        p->depth--;
        return take(p, ')') ? joined(p, text, "(", *text, ")")
                            : refuse(p, p->at, "expected ) or an operator");
    }
    if (at[0] == '.' && !name_length(at + 1) && !is_digit(at[1]))
        return refuse(p, at, ". stands for all columns; expected one");
    MB_TRY(take_name(p, &name));
    if (!name)
        return number(p, text);
    if (*at != '`' && take(p, '('))
        return call(p, name, at, text);
    MB_TRY(add_column(p, name, at, &column));
    *text = mb_formula_quote(p->a, name, p->err);
    return *text ? add_step(p, (mb_step){.kind = MB_STEP_COLUMN, .column = column}, at)
                 : MB_E_NOMEM;
}

/* Of operators that are on one level, from left to right; ^ from right to left, above signs. */
static mb_status power(parser *p, const char **text)
{
    const char *at, *right;

    skip(p);
    at = p->at;
    if (take(p, '-') || take(p, '+')) {
        MB_TRY(deeper(p));
        MB_TRY(power(p, &right));
        p->depth--;
        if (*at == '-')
            MB_TRY(add_step(p, (mb_step){.kind = MB_STEP_NEGATE}, at));
        return joined(p, text, *at == '-' ? "-" : "+", right, "");
    }
    MB_TRY(primary(p, text));
    skip(p);
    at = p->at;
    if (!take(p, '^'))
        return MB_OK;
    MB_TRY(deeper(p));
    MB_TRY(power(p, &right));
    p->depth--;
    MB_TRY(add_step(p, (mb_step){.kind = MB_STEP_POWER}, at));
    return joined(p, text, *text, "^", right);
}

static mb_status product(parser *p, const char **text)
{
    const char *at, *right;

    MB_TRY(power(p, text));
    for (;;) {
        skip(p);
        at = p->at;
        if (!take(p, '*') && !take(p, '/'))
            return MB_OK;
        MB_TRY(power(p, &right));
        MB_TRY(add_step(p, (mb_step){.kind = *at == '*' ? MB_STEP_MULTIPLY : MB_STEP_DIVIDE}, at));
        MB_TRY(joined(p, text, *text, *at == '*' ? " * " : "/", right));
    }
}

static mb_status expression(parser *p, const char **text)
{
    const char *at, *right;

    MB_TRY(product(p, text));
    for (;;) {
        skip(p);
        at = p->at;
        if (!take(p, '+') && !take(p, '-'))
            return MB_OK;
        MB_TRY(product(p, &right));
        MB_TRY(add_step(p, (mb_step){.kind = *at == '+' ? MB_STEP_ADD : MB_STEP_SUBTRACT}, at));
        MB_TRY(joined(p, text, *text, *at == '+' ? " + " : " - ", right));
    }
}

/* ---- factors ---- */

/* ", n)" of poly. */
static mb_status degree(parser *p, int32_t *out)
{
    char *end;
    long  n;

    if (!take(p, ','))
        return refuse(p, p->at, "expected , and the degree: poly(x, 2)");
    skip(p);
    n = strtol(p->at, &end, 10);
    if (end == p->at || n < 1 || n > MB_FORMULA_DEGREE || (*end != ')' && *end != ' '))
        return refuse(p, p->at, "expected the degree, 1 to 20, and nothing else: poly(x, 2)");
    p->at = end;
    *out = (int32_t)n;
    return take(p, ')') ? MB_OK : refuse(p, p->at, "expected ) after the degree");
}

/* The factor at p: a column, or a function of some. *is_offset: offset(..). */
static mb_status take_factor(parser *p, int32_t *out, int *is_offset)
{
    const char *at, *name, *text;
    mb_factor   f = {.column = -1};
    int         open;

    skip(p);
    at = p->at;
    f.at = (size_t)(at - p->text);
    p->nsteps = 0;
    MB_TRY(take_name(p, &name));
    if (!name)
        return refuse(p, at, "expected a column, a function of some, or a term in parentheses");
    open = *at != '`' && take(p, '(');
    *is_offset = open && !strcmp(name, "offset");
    if (open && !strcmp(name, "poly")) {
        MB_TRY(expression(p, &text));
        MB_TRY(degree(p, &f.degree));
        f.source = mb_text(p->a, p->err, "poly(%s, %d)", text, (int)f.degree);
    } else if (*is_offset) {
        MB_TRY(expression(p, &f.source));
        if (!take(p, ')'))
            return refuse(p, p->at, "expected ) or an operator");
    } else if (open) {
        MB_TRY(call(p, name, at, &f.source));
    } else {
        MB_TRY(add_column(p, name, at, &f.column));
        MB_TRY(add_step(p, (mb_step){.kind = MB_STEP_COLUMN, .column = f.column}, at));
        f.source = mb_formula_quote(p->a, name, p->err);
    }
    f.name = f.column >= 0 ? name : f.source;
    return f.source ? add_factor(p, &f, out) : MB_E_NOMEM;
}

/* ---- sets of terms ---- */

static int is_same(const mb_term *a, const mb_term *b)
{
    return a->n == b->n && !memcmp(a->factor, b->factor, (size_t)a->n * sizeof *a->factor);
}

static mb_status add_term(parser *p, set *s, const mb_term *term)
{
    for (int32_t k = 0; k < s->n; k++)
        if (is_same(&s->term[k], term))
            return MB_OK;
    if (s->n == MB_FORMULA_TERMS)
        return refuse(p, p->at, "more than 10000 terms");
    s->term = grown(p, s->term, s->n, &s->room, sizeof *s->term);
    if (!s->term)
        return MB_E_NOMEM;
    s->term[s->n++] = *term;
    return MB_OK;
}

/* Each factor once, in ascending order. */
static mb_status united(const parser *p, const mb_term *a, const mb_term *b, mb_term *out)
{
    int32_t i = 0, j = 0;

    *out = (mb_term){.n = 0};
    while (i < a->n || j < b->n) {
        const int32_t left = i < a->n ? a->factor[i] : INT32_MAX;
        const int32_t right = j < b->n ? b->factor[j] : INT32_MAX;

        if (out->n == MB_FORMULA_ORDER)
            return refuse(p, p->at, "an interaction of more than 8 factors");
        out->factor[out->n++] = left < right ? left : right;
        i += left <= right;
        j += right <= left;
    }
    return MB_OK;
}

/* Every term of a with every one of b, into out. */
static mb_status cross(parser *p, const set *a, const set *b, set *out)
{
    mb_term term;

    p->products += (int64_t)a->n * b->n;
    if (p->products > PRODUCTS)
        return refuse(p, p->at, "too many products of terms; expected fewer terms or powers");
    for (int32_t i = 0; i < a->n; i++)
        for (int32_t j = 0; j < b->n; j++) {
            MB_TRY(united(p, &a->term[i], &b->term[j], &term));
            MB_TRY(add_term(p, out, &term));
        }
    return MB_OK;
}

static mb_status add_all(parser *p, set *to, const set *from)
{
    for (int32_t k = 0; k < from->n; k++)
        MB_TRY(add_term(p, to, &from->term[k]));
    return MB_OK;
}

static void remove_all(set *s, const set *what)
{
    int32_t n = 0;

    for (int32_t k = 0; k < s->n; k++) {
        int found = 0;

        for (int32_t l = 0; l < what->n; l++)
            found |= is_same(&s->term[k], &what->term[l]);
        if (!found)
            s->term[n++] = s->term[k];
    }
    s->n = n;
}

/* ---- formulas ---- */

static mb_status sum(parser *p, set *out);

/* No formula, and so no file, can name it. */
static mb_status backtick(const parser *p, const char *at, const char *name)
{
    char message[200];

    mb_format_(message, sizeof message,
               "column \"%.60s\" has a backtick in its name; expected another name (--drop leaves "
               "the column out)",
               name);
    return refuse(p, at, message);
}

/* `.`: all columns but the response and the targets. */
static mb_status all_columns(parser *p, const char *at, set *out)
{
    p->f->has_dot = 1;
    for (int32_t k = 0; p->name && k < p->d; k++) {
        mb_factor f = {.name = p->name[k], .at = (size_t)(at - p->text)};
        mb_term   term = {.n = 1};

        if ((p->f->response && !strcmp(p->name[k], p->f->response)) ||
            find(p->targets, p->target, p->name[k]) >= 0)
            continue;
        if (strchr(f.name, '`'))
            return backtick(p, at, f.name);
        p->nsteps = 0;
        MB_TRY(add_column(p, p->name[k], at, &f.column));
        MB_TRY(add_step(p, (mb_step){.kind = MB_STEP_COLUMN, .column = f.column}, at));
        f.source = mb_formula_quote(p->a, f.name, p->err);
        if (!f.source)
            return MB_E_NOMEM;
        MB_TRY(add_factor(p, &f, &term.factor[0]));
        MB_TRY(add_term(p, out, &term));
    }
    return MB_OK;
}

static int by_order(const mb_term *a, const mb_term *b)
{
    return a->n - b->n;
}

/* By their numbers of factors, and otherwise as they came. */
static void finish(set *s, mb_terms *out)
{
    *out = (mb_terms){.n = s->n, .term = s->term, .intercept = s->intercept >= 0};
    for (int32_t k = 1; k < s->n; k++) {
        const mb_term term = s->term[k];
        int32_t       l = k;

        for (; l > 0 && by_order(&s->term[l - 1], &term) > 0; l--)
            s->term[l] = s->term[l - 1];
        s->term[l] = term;
    }
}

/* "| column)" after the terms of a group that vary. */
static mb_status group(parser *p, const char *at, set *terms, set *out)
{
    const char *name;

    skip(p);
    if (p->f->group)
        return refuse(p, at, "more than one (terms | column); expected one");
    if (terms->alone)
        return refuse(p, at, "offset(..) or (..|..) within (terms | column)");
    MB_TRY(take_name(p, &name));
    if (!name || !take(p, ')'))
        return refuse(p, p->at, "expected one column and ) after |");
    p->f->group = name;
    p->f->group_at = (size_t)(at - p->text);
    finish(terms, &p->f->varying);
    out->alone = 1;
    return MB_OK;
}

/* 0 or 1, and nothing else of a number. */
static int is_intercept(const char *at)
{
    return (*at == '0' || *at == '1') && !is_digit(at[1]) && at[1] != '.' && at[1] != 'e';
}

static mb_status add_offset(parser *p, int32_t factor)
{
    p->offset = grown(p, p->offset, p->f->offsets, &p->offset_room, sizeof *p->offset);
    if (!p->offset)
        return MB_E_NOMEM;
    p->offset[p->f->offsets++] = factor;
    return MB_OK;
}

static mb_status atom(parser *p, set *out)
{
    const char *at;
    mb_term     term = {.n = 1};
    set         inside = {.n = 0};
    int         is_offset;

    skip(p);
    at = p->at;
    if (is_intercept(at)) {
        p->at++;
        out->intercept = *at == '1' ? 1 : -1;
        return MB_OK;
    }
    if (*at == '.' && !name_length(at + 1) && !is_digit(at[1])) {
        p->at++;
        return all_columns(p, at, out);
    }
    if (take(p, '(')) {
        MB_TRY(deeper(p));
        MB_TRY(sum(p, &inside));
        p->depth--;
        if (take(p, '|'))
            return group(p, at, &inside, out);
        *out = inside;
        return take(p, ')') ? MB_OK : refuse(p, p->at, "expected ) or an operator");
    }
    MB_TRY(take_factor(p, &term.factor[0], &is_offset));
    out->alone = is_offset;
    return is_offset ? add_offset(p, term.factor[0]) : add_term(p, out, &term);
}

/* Sets of which a product is made. */
static mb_status only_terms(const parser *p, const set *s, const char *at)
{
    return s->alone || s->intercept
               ? refuse(p, at, "0, 1, offset(..) and (..|..) are summands; expected terms")
               : MB_OK;
}

/* "^n": all products of up to n terms. */
static mb_status powers(parser *p, set *out)
{
    const char *at = p->at;
    const set   base = *out;
    char       *end;
    long        n;

    if (!take(p, '^'))
        return MB_OK;
    MB_TRY(only_terms(p, out, at));
    skip(p);
    n = strtol(p->at, &end, 10);
    if (end == p->at || !is_digit(*p->at) || n < 1 || n > MB_FORMULA_ORDER)
        return refuse(p, p->at, "expected a whole number, 1 to 8; I(x^2) is the square of x");
    p->at = end;
    for (long k = 1; k < n; k++) {
        set more = {.n = 0};

        MB_TRY(cross(p, out, &base, &more));
        *out = more;
    }
    return MB_OK;
}

static mb_status interaction(parser *p, set *out)
{
    MB_TRY(atom(p, out));
    skip(p);
    MB_TRY(powers(p, out));
    while (next_is(p, ':')) {
        const char *at = p->at++;
        set         right = {.n = 0}, both = {.n = 0};

        MB_TRY(only_terms(p, out, at));
        MB_TRY(atom(p, &right));
        skip(p);
        MB_TRY(powers(p, &right));
        MB_TRY(only_terms(p, &right, at));
        MB_TRY(cross(p, out, &right, &both));
        *out = both;
    }
    return MB_OK;
}

/* a*b: a + b + a:b. */
static mb_status stars(parser *p, set *out)
{
    MB_TRY(interaction(p, out));
    while (next_is(p, '*')) {
        const char *at = p->at++;
        set         right = {.n = 0}, both = {.n = 0};

        MB_TRY(only_terms(p, out, at));
        MB_TRY(interaction(p, &right));
        MB_TRY(only_terms(p, &right, at));
        MB_TRY(add_all(p, &both, out));
        MB_TRY(add_all(p, &both, &right));
        MB_TRY(cross(p, out, &right, &both));
        *out = both;
    }
    return MB_OK;
}

static mb_status sum(parser *p, set *out)
{
    int minus = take(p, '-');

    if (!minus)
        take(p, '+');
    for (;;) {
        set         part = {.n = 0};
        const char *at = p->at;

        MB_TRY(stars(p, &part));
        if (minus && part.alone)
            return refuse(p, at, "offset(..) and (..|..) cannot be taken away");
        if (minus)
            remove_all(out, &part);
        else
            MB_TRY(add_all(p, out, &part));
        if (part.intercept)
            out->intercept = minus ? -part.intercept : part.intercept;
        out->alone |= part.alone;
        minus = next_is(p, '-');
        if (!take(p, '-') && !take(p, '+'))
            return MB_OK;
    }
}

/* "y ~", or "~". */
static mb_status response(parser *p)
{
    const char *at, *name;

    skip(p);
    at = p->at;
    MB_TRY(take_name(p, &name));
    if (name && next_is(p, '('))
        return refuse(p, at, "the response is a column as it is; expected its name");
    if (!take(p, '~'))
        return refuse(p, p->at, "expected RESPONSE ~ TERMS, such as y ~ a + b");
    if (name && p->name && find(p->d, p->name, name) < 0) {
        int32_t column;

        return add_column(p, name, at, &column);
    }
    p->f->response = name;
    return MB_OK;
}

/* Those of n numbers that are used get new ones, from 0 up: to[k]. Returns how many there are. */
static int32_t renumber(int32_t n, int32_t *to)
{
    int32_t count = 0;

    for (int32_t k = 0; k < n; k++)
        to[k] = to[k] ? count++ : -1;
    return count;
}

static void use_factors(const mb_terms *s, int32_t *used, int rename)
{
    for (int32_t t = 0; t < s->n; t++)
        for (int32_t i = 0; i < s->term[t].n; i++) {
            int32_t *factor = &s->term[t].factor[i];

            if (rename)
                *factor = used[*factor];
            else
                used[*factor] = 1;
        }
}

/* What only terms that were taken away have is not needed: columns, of the factors that are left. */
static void drop_columns(parser *p, int32_t *to)
{
    for (int32_t k = 0; k < p->f->factors; k++)
        for (int32_t s = 0; s < p->factor[k].nsteps; s++)
            if (p->factor[k].step[s].kind == MB_STEP_COLUMN)
                to[p->factor[k].step[s].column] = 1;
    const int32_t left = renumber(p->f->columns, to);

    for (int32_t k = 0; k < p->f->columns; k++)
        if (to[k] >= 0)
            p->column[to[k]] = p->column[k];
    p->f->columns = left;
    for (int32_t k = 0; k < p->f->factors; k++) {
        mb_factor *f = &p->factor[k];

        for (int32_t s = 0; s < f->nsteps; s++)
            if (f->step[s].kind == MB_STEP_COLUMN)
                ((mb_step *)(uintptr_t)f->step)[s].column = to[f->step[s].column];
        f->column = f->column >= 0 ? to[f->column] : -1;
    }
}

/* The same of factors. */
static mb_status drop_unused(parser *p)
{
    int32_t *to, *column;

    MB_NEW(to, p->a, p->f->factors, p->err);
    MB_NEW(column, p->a, p->f->columns, p->err);
    use_factors(&p->f->common, to, 0);
    use_factors(&p->f->varying, to, 0);
    for (int32_t k = 0; k < p->f->offsets; k++)
        to[p->offset[k]] = 1;
    const int32_t left = renumber(p->f->factors, to);

    for (int32_t k = 0; k < p->f->factors; k++)
        if (to[k] >= 0)
            p->factor[to[k]] = p->factor[k];
    p->f->factors = left;
    use_factors(&p->f->common, to, 1);
    use_factors(&p->f->varying, to, 1);
    for (int32_t k = 0; k < p->f->offsets; k++)
        p->offset[k] = to[p->offset[k]];
    drop_columns(p, column);
    return MB_OK;
}

/* The response explains nothing. */
static mb_status check_response(const parser *p)
{
    for (int32_t k = 0; p->f->response && k < p->f->columns; k++)
        if (!strcmp(p->f->response, p->column[k]))
            return refuse(p, p->text, "the response is among the terms, too");
    return MB_OK;
}

/* Nor does a target that is no response; of what is left when terms were taken away. */
static mb_status check_targets(const parser *p)
{
    for (int32_t k = 0; k < p->f->factors; k++) {
        const mb_factor *f = &p->factor[k];

        for (int32_t s = 0; s < f->nsteps; s++)
            if (f->step[s].kind == MB_STEP_COLUMN &&
                find(p->targets, p->target, p->column[f->step[s].column]) >= 0)
                return refuse(p, p->text + f->at, "the target is among the terms, too");
    }
    return MB_OK;
}

mb_status mb_formula_parse(mb_arena *a, const char *text, int32_t d, const char *const *name,
                           int32_t targets, const char *const *target, mb_formula *out, mb_err *err)
{
    parser p = {.a = a, .text = text, .at = text, .d = d, .targets = targets};
    set    terms = {.n = 0};

    p.name = name;
    p.target = target;
    p.f = out;
    p.err = err;
    *out = (mb_formula){.text = text};
    MB_TRY(response(&p));
    MB_TRY(sum(&p, &terms));
    skip(&p);
    if (*p.at == '/' || *p.at == '%')
        return refuse(&p, p.at, "nesting has no operator here; expected a + a:b for a/b");
    if (*p.at)
        return refuse(&p, p.at, "expected an operator: + - : * ^");
    MB_TRY(check_response(&p));
    finish(&terms, &out->common);
    MB_TRY(drop_unused(&p));
    MB_TRY(check_targets(&p));
    out->column = p.column;
    out->factor = p.factor;
    out->offset = p.offset;
    return MB_OK;
}

const char *mb_formula_offset(mb_arena *a, int32_t offsets, const int32_t *offset,
                              const mb_factor *factor, mb_err *err)
{
    const char *text = "";

    for (int32_t k = 0; k < offsets && text; k++)
        text = mb_text(a, err, "%s%soffset(%s)", text, k ? " + " : "", factor[offset[k]].source);
    return text;
}

mb_status mb_factor_parse(mb_arena *a, const char *source, int32_t d, const char *const *name,
                          mb_factor *out, mb_err *err)
{
    parser     p = {.a = a, .text = source, .at = source, .d = d, .name = name};
    mb_formula f = {.text = source};
    mb_step   *step;
    int32_t    at;
    int        is_offset;

    p.f = &f;
    p.err = err;
    MB_TRY(take_factor(&p, &at, &is_offset));
    skip(&p);
    if (*p.at || is_offset)
        return refuse(&p, p.at, "expected one factor");
    *out = p.factor[at];
    MB_NEW(step, a, out->nsteps, err);
    for (int32_t k = 0; k < out->nsteps; k++) {
        step[k] = out->step[k];
        if (step[k].kind == MB_STEP_COLUMN)
            step[k].column = find(d, name, p.column[step[k].column]);
    }
    out->step = step;
    out->column = out->column >= 0 ? step[0].column : -1;
    return MB_OK;
}
