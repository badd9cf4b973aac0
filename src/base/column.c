/* column.c - kinds of columns, and as a text. */
#include "base/columns.h"

#include <math.h>
#include <string.h>

static const char *const words[MB_COLUMN_KINDS] = {[MB_COLUMN_NUMBER] = "number",
                                                   [MB_COLUMN_COUNT] = "count",
                                                   [MB_COLUMN_CATEGORY] = "category",
                                                   [MB_COLUMN_FLAG] = "flag"};
const char               mb_column_words_[] = "number, count, category or flag";
_Static_assert(MB_COLUMN_FLAG + 1 == (int)MB_COLUMN_KINDS &&
                   MB_COLUMN_CATEGORY + 1 == MB_COLUMN_FLAG,
               "the kinds with levels are the last two");
static const char *const flag[] = {"0", "1"};
/* What a regression makes of a number. */
static const struct {
    const char *word;
    mb_column   is;
} effects[] = {{"varying", {.varying = 1}},
               {"offset", {.offset = MB_OFFSET_NUMBER}},
               {"exposure", {.offset = MB_OFFSET_EXPOSURE}}};
enum { EFFECTS = sizeof effects / sizeof *effects };
enum { MOST_LEVELS = 10000 };
static const char special[] = ",(|)\\";

const char *mb_column_word(mb_column_kind kind)
{
    return words[kind];
}

const char *mb_column_text(const mb_column *c)
{
    for (int k = 0; k < EFFECTS; k++)
        if ((c->varying || c->offset) && effects[k].is.varying == c->varying &&
            effects[k].is.offset == c->offset)
            return effects[k].word;
    return words[c->kind];
}

int mb_column_effect(const char *word, size_t n, mb_column *out)
{
    int k = 0;

    while (k < EFFECTS && (strlen(effects[k].word) != n || memcmp(effects[k].word, word, n) != 0))
        k++;
    if (k < EFFECTS)
        *out = effects[k].is;
    return k < EFFECTS;
}

const char *mb_column_refuses(const mb_column *c, double x)
{
    const double most = 9007199254740992.0; /* 2^53 */

    if (c->offset == MB_OFFSET_EXPOSURE && x <= 0)
        return "an exposure: a number above 0";
    if (c->kind == MB_COLUMN_NUMBER || isnan(x))
        return NULL;
    if (c->kind == MB_COLUMN_COUNT)
        return x >= 0 && x <= most && !(floor(x) < x) ? NULL : "a count: a whole number from 0 up";
    if (x >= 0 && x < c->levels && !(floor(x) < x))
        return NULL;
    return c->kind == MB_COLUMN_FLAG
               ? "a flag: 0 or 1"
               : "a category: its number, from 0, in the order of their names";
}

const char mb_other_level_[] = "(other)";

int32_t mb_column_other_(const mb_column *c)
{
    const int32_t last = c->kind == MB_COLUMN_CATEGORY ? c->levels - 1 : -1;

    return last >= 0 && !strcmp(c->level[last], mb_other_level_) ? last : -1;
}

int mb_columns_mixed(const mb_columns *c)
{
    for (int32_t d = 0; c && d < c->d; d++)
        if (c->of[d].kind != MB_COLUMN_NUMBER || c->of[d].varying || c->of[d].offset)
            return 1;
    return 0;
}

mb_column_kind mb_columns_kind(const mb_columns *c, int32_t d)
{
    return c ? c->of[d].kind : MB_COLUMN_NUMBER;
}

int32_t mb_column_quantities(const mb_columns *c, int32_t d)
{
    return mb_columns_kind(c, d) == MB_COLUMN_CATEGORY ? c->of[d].levels : 1;
}

double mb_column_seen(mb_column_kind kind, double x)
{
    return kind == MB_COLUMN_COUNT ? 2 * sqrt(x + 0.375) : kind == MB_COLUMN_FLAG ? 2 * x : x;
}

int mb_columns_same(const mb_columns *a, const mb_columns *b)
{
    if (!mb_columns_mixed(a) || !mb_columns_mixed(b))
        return mb_columns_mixed(a) == mb_columns_mixed(b);
    return !strcmp(a->text, b->text);
}

/* ---- written ---- */

/* Appends to a text, or only counts when there is none yet. */
typedef struct put {
    char  *out;
    size_t n;
} put;

static void put_char(put *p, char c)
{
    if (p->out)
        p->out[p->n] = c;
    p->n++;
}

static void put_text(put *p, const char *text, int escaped)
{
    for (; *text; text++) {
        if (escaped && strchr(special, *text))
            put_char(p, '\\');
        put_char(p, *text);
    }
}

static size_t put_columns(char *out, int32_t d, const mb_column *of)
{
    put p = {out, 0};

    for (int32_t i = 0; i < d; i++) {
        if (i)
            put_char(&p, ',');
        put_text(&p, mb_column_text(&of[i]), 0);
        for (int32_t l = 0; of[i].kind == MB_COLUMN_CATEGORY && l < of[i].levels; l++) {
            put_char(&p, l ? '|' : '(');
            put_text(&p, of[i].level[l], 1);
        }
        if (of[i].kind == MB_COLUMN_CATEGORY)
            put_char(&p, ')');
    }
    return p.n;
}

/* Names that are all different, none of them empty. */
static mb_status check_names(const mb_column *c, int32_t column, mb_err *err)
{
    if (c->levels < 1 || c->levels > MOST_LEVELS)
        MB_FAIL(err, MB_E_ARG, "column %d: got a category with %d names; expected 1 to %d",
                (int)column + 1, (int)c->levels, MOST_LEVELS);
    for (int32_t l = 0; l < c->levels; l++) {
        if (!*c->level[l])
            MB_FAIL(err, MB_E_ARG, "column %d: the name of category %d is empty", (int)column + 1,
                    (int)l);
        for (int32_t k = 0; k < l; k++)
            if (!strcmp(c->level[k], c->level[l]))
                MB_FAIL(err, MB_E_ARG, "column %d: category \"%.60s\" is there twice",
                        (int)column + 1, c->level[l]);
    }
    return MB_OK;
}

/* ---- read ---- */

typedef struct get {
    mb_arena   *a;
    const char *at, *end;
    mb_err     *err;
} get;

static mb_status bad(const get *g, const char *expected)
{
    const size_t left = (size_t)(g->end - g->at);

    MB_FAIL(g->err, MB_E_FORMAT, "kinds of columns: got \"%.*s\"; expected %s",
            (int)(left < 60 ? left : 60), g->at, expected);
}

static int is_next(const get *g, char c)
{
    return g->at < g->end && *g->at == c;
}

/* A name up to the next special character, written to `to` unless it is NULL; returns its length. */
static size_t read_name(get *g, char *to)
{
    size_t n = 0;

    for (; g->at < g->end && (*g->at == '\\' || !strchr(special, *g->at)); g->at++, n++) {
        if (*g->at == '\\' && g->at + 1 < g->end)
            g->at++;
        if (to)
            to[n] = *g->at;
    }
    if (to)
        to[n] = '\0';
    return n;
}

/* "(f|m)", after which g stands. The first walk counts. */
static mb_status read_levels(get *g, mb_column *out)
{
    const char  *first = ++g->at;
    const char **name;
    char        *text;
    size_t       bytes = 0;

    for (out->levels = 0;; g->at++) {
        bytes += read_name(g, NULL) + 1;
        out->levels++;
        if (!is_next(g, '|'))
            break;
    }
    if (!is_next(g, ')'))
        return bad(g, "names with | between them and ) at the end");
    MB_NEW(name, g->a, out->levels, g->err);
    MB_NEW(text, g->a, bytes, g->err);
    out->level = name;
    g->at = first;
    for (int32_t l = 0; l < out->levels; l++, g->at++) {
        name[l] = text;
        text += read_name(g, text) + 1;
    }
    return MB_OK;
}

/* "category(f|m)". */
static mb_status read_kind(get *g, mb_column *out)
{
    const char *at = g->at;
    size_t      n;
    int         kind = 0;

    n = read_name(g, NULL);
    if (mb_column_effect(at, n, out))
        return MB_OK;
    while (kind < MB_COLUMN_KINDS && (strlen(words[kind]) != n || memcmp(words[kind], at, n) != 0))
        kind++;
    if (kind == MB_COLUMN_KINDS) {
        g->at = at;
        return bad(g, mb_column_words_);
    }
    *out = (mb_column){.kind = (mb_column_kind)kind};
    if (kind == MB_COLUMN_FLAG) {
        out->levels = 2;
        out->level = flag;
    }
    return kind == MB_COLUMN_CATEGORY && is_next(g, '(') ? read_levels(g, out) : MB_OK;
}

mb_status mb_columns_parse(mb_arena *a, const char *text, size_t n, int32_t d, mb_columns *out,
                           mb_err *err)
{
    get        g = {a, text, text + n, err};
    mb_err     own = {.msg = ""};
    mb_column *of;
    char      *copy;

    MB_NEW(of, a, d, err);
    MB_NEW(copy, a, n + 1, err);
    memcpy(copy, text, n);
    for (int32_t i = 0; i < d; i++) {
        MB_TRY(read_kind(&g, &of[i]));
        if (of[i].kind == MB_COLUMN_CATEGORY && check_names(&of[i], i, &own) < 0)
            MB_FAIL(err, MB_E_FORMAT, "kinds of columns: %s", own.msg);
        if (i + 1 < d && !is_next(&g, ','))
            return bad(&g, "a comma and the next column");
        g.at += i + 1 < d;
    }
    if (g.at < g.end)
        return bad(&g, "no more columns");
    if (put_columns(NULL, d, of) != n)
        MB_FAIL(err, MB_E_FORMAT, "kinds of columns: got a text that escapes what needs no escape");
    *out = (mb_columns){d, of, copy};
    return MB_OK;
}

mb_status mb_columns_make(mb_arena *a, int32_t d, const mb_column *of, mb_columns *out, mb_err *err)
{
    mb_column *copy;
    char      *text;

    MB_NEW(copy, a, d, err);
    for (int32_t i = 0; i < d; i++) {
        copy[i] = of[i];
        if (of[i].kind == MB_COLUMN_CATEGORY)
            MB_TRY(check_names(&of[i], i, err));
        else
            copy[i] = (mb_column){.kind = of[i].kind,
                                  .levels = of[i].kind == MB_COLUMN_FLAG ? 2 : 0,
                                  .level = of[i].kind == MB_COLUMN_FLAG ? flag : NULL,
                                  .varying = of[i].varying,
                                  .offset = of[i].offset};
    }
    MB_NEW(text, a, put_columns(NULL, d, copy) + 1, err);
    return mb_columns_parse(a, text, put_columns(text, d, copy), d, out, err); /* own names */
}

mb_status mb_columns_permute(mb_arena *a, const int32_t *order, const mb_columns **c, mb_err *err)
{
    const int32_t d = *c ? (*c)->d : 0;
    mb_columns   *out;
    mb_column    *of;

    if (!*c)
        return MB_OK;
    MB_NEW(of, a, d, err);
    MB_NEW(out, a, 1, err);
    for (int32_t k = 0; k < d; k++)
        of[k] = (*c)->of[order[k]];
    *c = out;
    return mb_columns_make(a, d, of, out, err);
}

/* The column whose name and a colon come next: the longest of those. */
static int32_t find_name(const get *g, int32_t d, const char *const *name)
{
    const size_t left = (size_t)(g->end - g->at);
    int32_t      best = -1;

    for (int32_t i = 0; i < d; i++) {
        const size_t n = strlen(name[i]);

        if (n < left && !memcmp(g->at, name[i], n) && g->at[n] == ':' &&
            (best < 0 || n > strlen(name[best])))
            best = i;
    }
    return best;
}

/* The kind at g->at for the column called `name`, the at-th; g->at moves past it. */
static mb_status declared_kind(get *g, int32_t at, const char *name, mb_column *out)
{
    mb_err own = {.msg = ""};
    get    kind = *g;

    kind.err = &own;
    if (read_kind(&kind, out) < 0 ||
        (out->levels && out->kind == MB_COLUMN_CATEGORY && check_names(out, at, &own) < 0))
        MB_FAIL(g->err, own.code == MB_E_NOMEM ? MB_E_NOMEM : MB_E_ARG,
                "--column: \"%.60s\": %.300s", name, own.msg);
    if (out->varying || out->offset)
        MB_FAIL(g->err, MB_E_ARG, "--column: \"%.60s\": got %s; expected %s", name,
                mb_column_text(out), mb_column_words_);
    g->at = kind.at;
    return MB_OK;
}

/* "*:KIND" is of all columns that no entry names; given[i] is 1 of one with a name, 2 of others. */
static mb_status declare_one(get *g, int32_t d, const char *const *name, mb_column *of,
                             uint8_t *given)
{
    const size_t  len = strcspn(g->at, ":,");
    const int32_t at = find_name(g, d, name);
    mb_column     all;

    if (at < 0 && len == 1 && !strncmp(g->at, "*:", 2)) {
        g->at += 2;
        MB_TRY(declared_kind(g, 0, "*", &all));
        for (int32_t i = 0; i < d; i++)
            if (!given[i]) {
                of[i] = all;
                given[i] = 2;
            }
        return MB_OK;
    }
    if (at < 0)
        MB_FAIL(g->err, MB_E_ARG,
                "--column: no column \"%.*s\"; expected NAME:KIND of %.60s .. "
                "%.60s",
                (int)(len < 60 ? len : 60), g->at, name[0], name[d - 1]);
    if (given[at] == 1)
        MB_FAIL(g->err, MB_E_ARG, "--column: \"%.60s\" is there twice", name[at]);
    given[at] = 1;
    g->at += strlen(name[at]) + 1;
    return declared_kind(g, at, name[at], &of[at]);
}

mb_status mb_columns_declare(mb_arena *a, const char *text, int32_t d, const char *const *name,
                             mb_column *of, uint8_t *given, mb_err *err)
{
    get g = {a, text, text + strlen(text), err};

    while (g.at < g.end) {
        MB_TRY(declare_one(&g, d, name, of, given));
        if (g.at < g.end && !is_next(&g, ','))
            MB_FAIL(err, MB_E_ARG, "--column: got \"%.60s\"; expected a comma and NAME:KIND", g.at);
        g.at += g.at < g.end;
    }
    return MB_OK;
}

const char *mb_columns_declaration(mb_arena *a, const mb_columns *c, const char *const *name,
                                   mb_err *err)
{
    size_t    n = strlen(c->text) + 1;
    char     *text, *to;
    mb_column plain;

    for (int32_t d = 0; d < c->d; d++)
        n += strlen(name[d]) + 1;
    text = mb_alloc(a, n, 1);
    if (!text) {
        mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory for the kinds of columns");
        return NULL;
    }
    to = text;
    for (int32_t d = 0; d < c->d; d++) {
        const size_t len = strlen(name[d]);

        memcpy(to, name[d], len);
        to[len] = ':';
        to += len + 1;
        plain = c->of[d];
        plain.varying = plain.offset = 0; /* the model's words, not the data's */
        to += put_columns(to, 1, &plain);
        *to++ = ',';
    }
    *(to - (c->d > 0)) = '\0';
    return text;
}
