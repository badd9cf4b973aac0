/* kind.c - the choices of a kind, and as a text. */
#include "model/kind.h"
#include "base/columns.h"
#include "base/err.h"
#include "base/format.h"
#include "base/groups.h"
#include "base/text.h"
#include "model/choices.h"

#include <string.h>

int32_t mb_sizes_count(const mb_sizes *s, mb_column_kind kind)
{
    int32_t n = 0;

    for (int32_t d = 0; d < s->D; d++)
        n += mb_columns_kind(s->columns, d) == kind;
    return n;
}

int32_t mb_sizes_levels(const mb_sizes *s)
{
    int32_t sum = 0;

    for (int32_t d = 0; s->columns && d < s->D; d++)
        sum += s->columns->of[d].levels;
    return sum;
}

int mb_kind_category(const mb_kind *kind, const mb_sizes *s)
{
    return kind->target_kind && kind->target_kind(s) == MB_COLUMN_CATEGORY;
}

const char *mb_kind_refuses(const mb_kind *kind, const mb_sizes *s, int32_t column, double x)
{
    mb_column target = {.kind = MB_COLUMN_NUMBER, .levels = 2};

    if (kind->target_kind && column >= s->D && !mb_kind_category(kind, s))
        target.kind = kind->target_kind(s);
    else if (s->columns && column < s->columns->d)
        target = s->columns->of[column];
    return mb_column_refuses(&target, x);
}

int mb_kind_takes_levels(const mb_kind *kind, const mb_sizes *s)
{
    return mb_kind_category(kind, s) ||
           (kind->target_kind && kind->target_kind(s) == MB_COLUMN_FLAG);
}

const mb_column *mb_kind_levels(const mb_kind *kind, const mb_sizes *s)
{
    const int known = mb_kind_category(kind, s) && s->columns && s->columns->d == s->D + 1;

    return known && s->columns->of[s->D].kind == MB_COLUMN_CATEGORY ? &s->columns->of[s->D] : NULL;
}

/* 1: its columns have places of their own, as documents, terms and counts, which are rows in groups. */
static int has_form(const mb_kind *kind)
{
    return kind->form && MB_GROUPS_(1);
}

int mb_kind_mixes(const mb_kind *kind)
{
    return has_form(kind) || (kind->emissions && kind->emissions->by->mixes(kind));
}

int mb_kind_takes_kinds(const mb_kind *kind, const mb_sizes *s)
{
    return has_form(kind) ||
           (mb_kind_mixes(kind) &&
            (!kind->emissions->by->mixed || kind->emissions->by->mixed(s))) ||
           mb_kind_category(kind, s);
}

static const mb_want *listed(const mb_want *wants, size_t bytes, int32_t *n)
{
    *n = (int32_t)(bytes / sizeof *wants);
    return wants;
}

/* Of kinds whose answers hardly follow from the sizes; NULL: of others they do. Forecasts come last
 * of those of a series: with inputs there are none. */
static const mb_want *fixed_wants(const mb_kind *kind, const mb_sizes *s, int32_t *n)
{
    static const mb_want states[] = {MB_WANT_LABEL,    MB_WANT_RESP,        MB_WANT_STATES,
                                     MB_WANT_SMOOTHED, MB_WANT_FILTERED,    MB_WANT_GROUP,
                                     MB_WANT_AHEAD,    MB_WANT_STATES_AHEAD};
    static const mb_want series[] = {MB_WANT_MEAN_VAR, MB_WANT_INTERVAL, MB_WANT_SMOOTHED,
                                     MB_WANT_FILTERED, MB_WANT_GROUP,    MB_WANT_AHEAD};
    static const mb_want lines[] = {MB_WANT_MEAN_VAR, MB_WANT_RANGE, MB_WANT_LABEL, MB_WANT_RESP};
    static const mb_want factors[] = {MB_WANT_SCORES, MB_WANT_FILLED};
    static const mb_want topics[] = {MB_WANT_TOPICS, MB_WANT_GROUP};
    const int            mixes = mb_kind_has_components(kind);

    if (mixes && kind->targets)
        return listed(lines, sizeof lines, n);
    if (kind->ahead && mixes)
        return listed(states, sizeof states, n);
    if (kind->ahead && kind->targets)
        return listed(series, sizeof series - (s->D > 0) * sizeof *series, n);
    if (kind->factors && mb_kind_needs_groups(kind))
        return listed(topics, sizeof topics, n);
    return kind->factors ? listed(factors, sizeof factors, n) : NULL;
}

const mb_want *mb_kind_wants(const mb_kind *kind, const mb_sizes *s, int32_t *n)
{
    static const mb_want category[] = {MB_WANT_LABEL, MB_WANT_PROB, MB_WANT_RANGE};
    static const mb_want latent[] = {MB_WANT_LABEL, MB_WANT_RESP, MB_WANT_GROUP, MB_WANT_AHEAD};
    static const mb_want linear[] = {MB_WANT_MEAN_VAR, MB_WANT_INTERVAL, MB_WANT_GROUP};
    static const mb_want linked[] = {MB_WANT_MEAN_VAR, MB_WANT_RANGE};
    static const mb_want flag[] = {MB_WANT_MEAN_VAR, MB_WANT_LABEL, MB_WANT_PROB, MB_WANT_RANGE};
    const mb_want       *fixed = fixed_wants(kind, s, n);

    if (fixed)
        return fixed;
    if (!mb_kind_takes_levels(kind, s)) {
        *n = (mb_kind_has_components(kind) || kind->targets ? 2 : 0) + mb_kind_grouped(kind, s) +
             kind->ahead;
        return mb_kind_has_components(kind) ? latent
               : !kind->targets             ? latent + 2
               : kind->mean_at              ? linked
                                            : linear;
    }
    *n = mb_kind_category(kind, s) ? 3 : 4;
    return mb_kind_category(kind, s) ? category : flag;
}

/* The value of the option with this name, or KIND.name; NULL: there is none. */
static const void *value(const mb_kind *kind, const void *opt, const char *name)
{
    const mb_opt *o = opt ? kind->opts : NULL;

    for (; o && o->name; o++) {
        const char *dot = strchr(o->name, '.');

        if (!strcmp(o->name, name) || (dot && !strcmp(dot + 1, name)))
            return (const char *)opt + o->at;
    }
    return NULL;
}

const char *mb_kind_declares(const mb_kind *kind, const void *opt)
{
    return kind->declares ? kind->declares(opt) : NULL;
}

mb_status mb_kind_declare(mb_arena *a, const mb_kind *kind, const void *opt, const char **text,
                          mb_err *err)
{
    const char *rest = mb_kind_declares(kind, opt);

    if (!rest)
        return MB_OK;
    *text = *text ? mb_text(a, err, "%s,%s", *text, rest) : rest;
    return *text ? MB_OK : MB_E_NOMEM;
}

const char *mb_kind_target_column(const mb_kind *kind, const void *opt)
{
    const char *const *name = value(kind, opt, "target-column");

    return name ? *name : NULL;
}

int64_t mb_kind_vocabulary(const mb_kind *kind, const void *opt)
{
    const int64_t *most = value(kind, opt, "vocabulary");

    return most ? *most : 0;
}

int mb_kind_varies(const mb_kind *kind)
{
    return value(kind, kind, "varying") != NULL;
}

/* The column whose name begins the list, which then is what follows the comma; -1: there is none.
 * A name may have a comma: the longest of those that fit. */
static int32_t take_name(const char **list, int32_t d, const char *const *name)
{
    int32_t best = -1;
    size_t  most = 0;

    for (int32_t k = 0; k < d; k++) {
        const size_t n = strlen(name[k]);

        if (!strncmp(*list, name[k], n) && strchr(",", (*list)[n]) && (best < 0 || n > most)) {
            best = k;
            most = n;
        }
    }
    if (best >= 0)
        *list = (*list)[most] ? *list + most + 1 : NULL;
    return best;
}

const char *mb_kind_varying_given(const mb_kind *kind, const void *opt)
{
    const char *const *list = mb_kind_varies(kind) ? value(kind, opt, "varying") : NULL;

    return list && *list && **list ? *list : NULL;
}

int mb_kind_takes_intercept(const mb_kind *kind)
{
    return value(kind, kind, "intercept") != NULL;
}

int mb_kind_takes_offset(const mb_kind *kind)
{
    return value(kind, kind, "offset-column") != NULL;
}

int mb_kind_marks(const mb_kind *kind)
{
    return mb_kind_varies(kind) || mb_kind_takes_offset(kind);
}

const char *mb_kind_offset_column(const mb_kind *kind, const void *opt, mb_offset *is)
{
    const char *const *offset = value(kind, opt, "offset-column");
    const char *const *exposure = value(kind, opt, "exposure-column");

    *is = offset && *offset       ? MB_OFFSET_NUMBER
          : exposure && *exposure ? MB_OFFSET_EXPOSURE
                                  : MB_OFFSET_NONE;
    return *is == MB_OFFSET_NUMBER ? *offset : *is ? *exposure : NULL;
}

int mb_kind_effects_given(const mb_kind *kind, const void *opt)
{
    mb_offset is;

    return mb_kind_varying_given(kind, opt) || mb_kind_offset_column(kind, opt, &is);
}

static mb_status mark_varying(const mb_kind *kind, const char *list, int32_t inputs,
                              const char *const *name, mb_column *of, mb_err *err)
{
    if (list && inputs < 1)
        MB_FAIL(err, MB_E_ARG,
                "--%s.varying: got \"%s\", and there are no inputs; expected some of them",
                kind->name, list);
    while (list) {
        const char   *from = list;
        const int32_t at = take_name(&list, inputs, name);

        if (at < 0)
            MB_FAIL(err, MB_E_ARG,
                    "--%s.varying: no input \"%.*s\"; expected some of %.60s .. %.60s", kind->name,
                    (int)strcspn(from, ","), from, name[0], name[inputs - 1]);
        if (of[at].kind != MB_COLUMN_NUMBER)
            MB_FAIL(err, MB_E_ARG, "--%s.varying: \"%.60s\" is a %s; expected a number", kind->name,
                    name[at], mb_column_word(of[at].kind));
        of[at].varying = 1;
    }
    return MB_OK;
}

/* 1 for the column with this name, or the offset(..) of it that stands beside it. */
static int is_offset(const char *name, const char *given)
{
    const size_t n = strlen(given);

    return !strcmp(name, given) ||
           (!strncmp(name, "offset(", 7) && !strncmp(name + 7, given, n) && name[7 + n] == ')');
}

/* Columns come with it before the targets: whoever reads them by name moves it there. */
static mb_status mark_offset(const char *given, mb_offset is, int32_t inputs,
                             const char *const *name, mb_column *of, mb_err *err)
{
    const char *option = is == MB_OFFSET_EXPOSURE ? "exposure" : "offset";

    if (inputs < 1 || !is_offset(name[inputs - 1], given))
        MB_FAIL(err, MB_E_ARG,
                "--%s-column: got \"%.60s\"; expected the column before the target, \"%.60s\"",
                option, given, inputs < 1 ? "" : name[inputs - 1]);
    if (of[inputs - 1].kind != MB_COLUMN_NUMBER)
        MB_FAIL(err, MB_E_ARG, "--%s-column: \"%.60s\" is a %s; expected a number", option, given,
                mb_column_word(of[inputs - 1].kind));
    of[inputs - 1].offset = (int32_t)is;
    return MB_OK;
}

mb_status mb_kind_effects(mb_arena *a, const mb_kind *kind, const void *opt, int32_t d,
                          const char *const *name, const mb_columns **columns, mb_err *err)
{
    const int32_t      inputs = d - kind->targets;
    const char *const *exposure = value(kind, opt, "exposure-column");
    mb_offset          is;
    const char        *offset = mb_kind_offset_column(kind, opt, &is);
    mb_columns        *out;
    mb_column         *of;

    if (!mb_kind_effects_given(kind, opt))
        return MB_OK;
    if (is == MB_OFFSET_NUMBER && exposure && *exposure)
        MB_FAIL(err, MB_E_ARG,
                "--offset-column and --exposure-column exclude each other; expected one of them");
    MB_NEW(of, a, d, err);
    MB_NEW(out, a, 1, err);
    if (*columns)
        memcpy(of, (*columns)->of, (size_t)d * sizeof *of);
    MB_TRY(mark_varying(kind, mb_kind_varying_given(kind, opt), inputs, name, of, err));
    if (offset)
        MB_TRY(mark_offset(offset, is, inputs, name, of, err));
    *columns = out;
    return mb_columns_make(a, d, of, out, err);
}

int32_t mb_sizes_inputs(const mb_sizes *s)
{
    return s->D - (mb_columns_offset(s->columns, s->D) != MB_OFFSET_NONE);
}

/* How many of several targets there are. */
static int32_t count_targets(const mb_kind *kind, const void *opt)
{
    const int64_t *given = value(kind, opt, "targets");
    int32_t        n = 1;

    for (const char *c = mb_kind_target_column(kind, opt); c && *c; c++)
        n += *c == ',';
    return given && *given ? (int32_t)*given : n;
}

void mb_kind_sizes(const mb_kind *kind, const void *opt, int32_t d, const mb_columns *columns,
                   mb_sizes *out)
{
    const int64_t *components = value(kind, opt, "n-components");
    const int32_t *intercept = value(kind, opt, "intercept"), *word;

    *out = (mb_sizes){.targets = kind->targets > 1 ? count_targets(kind, opt) : 0,
                      .intercept = intercept ? *intercept : 0};
    *mb_sizes_latent(kind, out) = components ? (int32_t)*components : 0;
    out->D = d - mb_kind_targets(kind, out);
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        if ((word = value(kind, opt, kind->choices[c].option)))
            for (int32_t w = 0; w < *word && kind->choices[c].word[w + 1]; w++)
                out->choice[c] = w + 1;
    out->columns = mb_columns_mixed(columns) ? columns : NULL;
    if (!mb_kind_takes_kinds(kind, out) && !mb_kind_varies(kind) &&
        !mb_columns_offset(out->columns, out->D))
        out->columns = NULL;
}

mb_status mb_kind_numbers_set(const mb_kind *kind, void *opt, int32_t columns, const char *name,
                              const double *x, size_t n, mb_err *err)
{
    mb_numbers    list[MB_NUMBERS_MAX];
    const int32_t most = kind->numbers ? kind->numbers(opt, columns, list) : 0;
    int32_t       k = 0;

    while (k < most && strcmp(list[k].name, name) != 0)
        k++;
    if (k == most)
        MB_FAIL(err, MB_E_ARG, "%s: model %s does not take it as numbers; expected %s%s%s", name,
                kind->name, most ? list[0].name : "a text", most > 1 ? " or " : "",
                most > 1 ? list[1].name : "");
    if (x && n != list[k].n)
        MB_FAIL_OPTION(err, list[k].name, MB_E_SHAPE, "%s: got %zu numbers; expected %zu", name, n,
                       list[k].n);
    *(const double **)((char *)opt + list[k].at) = x;
    return MB_OK;
}

void mb_units_of_data(const mb_sizes *s, mb_units *run)
{
    (void)s;
    for (int32_t d = 0; d < run->d; d++) {
        run->origin[d] = 0;
        run->scale[d] = 1;
    }
    run->log_jacobian = 0;
}

void mb_kind_units(const mb_kind *kind, const mb_sizes *s, mb_units *run)
{
    if (kind->units)
        kind->units(s, run);
    else if (kind->emissions)
        kind->emissions->by->units(kind, s, run);
}

int32_t mb_kind_choices(const mb_kind *kind)
{
    int32_t n = 0;

    while (kind->choices && kind->choices[n].name)
        n++;
    return n;
}

const char *mb_kind_word(const mb_kind *kind, const mb_sizes *s, int32_t c)
{
    return kind->choices[c].word[s->choice[c]];
}

int32_t mb_kind_differs(const mb_kind *kind, const mb_sizes *s, const mb_sizes *t)
{
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        if (s->choice[c] != t->choice[c])
            return c;
    return -1;
}

int mb_kind_grouped(const mb_kind *kind, const mb_sizes *s)
{
    for (int32_t c = 0; kind->groups && c < mb_kind_choices(kind); c++) {
        const size_t n = strlen(kind->choices[c].option);

        if (!strncmp(kind->groups, kind->choices[c].option, n) && kind->groups[n] == '=')
            return s->choice[c] == 1;
    }
    return mb_kind_needs_groups(kind);
}

size_t mb_choices_text_(const mb_kind *kind, const mb_sizes *s, char *out)
{
    size_t n = 0;

    out[0] = '\0';
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        if (s->choice[c])
            n += (size_t)mb_format_(out + n, MB_CHOICES_TEXT_ - n, "%s%.40s=%.30s", n ? "," : "",
                                    kind->choices[c].name, mb_kind_word(kind, s, c));
    return n;
}

/* 1 when the n bytes hold this item. */
static int has_item(const char *text, size_t n, const mb_choice *choice, int32_t word)
{
    const size_t name = strlen(choice->name), len = strlen(choice->word[word]);

    for (size_t at = 0; at + name + 1 + len <= n; at++)
        if (!memcmp(text + at, choice->name, name) && text[at + name] == '=' &&
            !memcmp(text + at + name + 1, choice->word[word], len) &&
            (at + name + 1 + len == n || text[at + name + 1 + len] == ','))
            return 1;
    return 0;
}

/* What is found, written again, must be the text. */
mb_status mb_choices_read_(const mb_kind *kind, const char *text, size_t n, mb_sizes *s,
                           mb_err *err)
{
    char again[MB_CHOICES_TEXT_];

    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        for (int32_t w = 1; kind->choices[c].word[w]; w++)
            if (has_item(text, n, &kind->choices[c], w))
                s->choice[c] = w;
    if (!n || mb_choices_text_(kind, s, again) != n || memcmp(again, text, n) != 0)
        MB_FAIL(err, MB_E_FORMAT, "genesis block: choices: got \"%.*s\"; expected those of %s",
                (int)n, text, kind->name);
    return MB_OK;
}

mb_status mb_kind_columns_(mb_arena *a, const mb_kind *kind, const char *text, size_t n,
                           mb_sizes *s, mb_err *err)
{
    mb_columns *columns;

    MB_NEW(columns, a, 1, err);
    MB_TRY(mb_columns_parse(a, text, n, s->D + (kind->targets > 0), columns, err));
    s->columns = columns;
    for (int32_t d = 0; d < columns->d; d++)
        if (columns->of[d].offset && (!mb_kind_takes_offset(kind) || d + 1 != s->D))
            MB_FAIL(err, MB_E_FORMAT, "kinds of columns: column %d: got %s; expected none there",
                    (int)d + 1, mb_column_text(&columns->of[d]));
    if (!(mb_kind_takes_kinds(kind, s) || mb_kind_marks(kind)) || !mb_columns_mixed(columns))
        MB_FAIL(err, MB_E_FORMAT, "kinds of columns: got \"%.60s\"; expected numbers only, unsaid",
                columns->text);
    return MB_OK;
}

int mb_choices_asks_(const mb_kind *kind, const char *option)
{
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        if (!strcmp(kind->choices[c].option, option))
            return 1;
    return 0;
}

mb_status mb_kind_model(mb_arena *a, const mb_kind *kind, const mb_sizes *s, mb_model *out,
                        mb_err *err)
{
    return kind->model ? kind->model(a, s, out, err)
                       : kind->emissions->by->model(a, kind, s, out, err);
}

int32_t mb_kind_fields(const mb_kind *kind, const mb_sizes *s, mb_field *out)
{
    return kind->fields ? kind->fields(s, out) : kind->emissions->by->fields(kind, s, out);
}

mb_status mb_kind_derive(mb_arena *a, const mb_kind *kind, const mb_sizes *s, const double *par,
                         double *out, mb_err *err)
{
    if (kind->derive)
        return kind->derive(a, s, par, out, err);
    if (!kind->fields)
        kind->emissions->by->derive(kind, s, par, out);
    return MB_OK;
}

int32_t mb_kind_drawn(const mb_kind *kind, const mb_sizes *s, mb_field *out)
{
    if (kind->drawn)
        return kind->drawn(s, out);
    return kind->emissions ? kind->emissions->by->drawn(kind, s, out) : 0;
}
