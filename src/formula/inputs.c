/* inputs.c - what a formula, or categories alone, make of the inputs of a regression: the design, and
 * the options of the model that the formula says. */
#include "formula/inputs.h"
#include "base/columns.h"
#include "base/format.h"
#include "base/opt.h"
#include "base/text.h"
#include "model/kind.h"

#include <string.h>

enum { MANY = 20 /* levels that are to come twice on average */ };

/* ---- what a model has of a formula ---- */

/* What varies by group varies about a common effect: each such column is a term, too. */
static mb_status check_varying(const mb_formula *f, mb_err *err)
{
    char message[160];

    for (int32_t k = 0; k < f->varying.n; k++) {
        const int32_t factor = f->varying.term[k].factor[0];
        int32_t       t = 0;

        while (t < f->common.n &&
               (f->common.term[t].n > 1 || f->common.term[t].factor[0] != factor))
            t++;
        if (t < f->common.n)
            continue;
        mb_format_(message, sizeof message,
                   "what varies by group is expected among the terms, too: + %.60s",
                   f->factor[factor].source);
        return mb_formula_refuse(f->text, f->factor[factor].at, message, err);
    }
    return MB_OK;
}

static mb_status check_offset(const mb_kind *kind, const mb_formula *f, mb_err *err)
{
    if (!f->offsets || mb_kind_takes_offset(kind))
        return MB_OK;
    return mb_formula_refuse(f->text, f->factor[f->offset[0]].at,
                             "an offset is for --model glm; expected terms, and a target less it",
                             err);
}

/* Parts of a formula that this model has not. */
static mb_status check_parts(const mb_kind *kind, const mb_formula *f, mb_err *err)
{
    char message[160];

    MB_TRY(check_offset(kind, f, err));
    if (!f->group || mb_kind_varies(kind))
        return check_varying(f, err);
    mb_format_(message, sizeof message,
               "model %s has no effects that vary by group; expected --model mixed, or the column "
               "as a category: + %.60s",
               kind->name, f->group);
    return mb_formula_refuse(f->text, f->group_at, message, err);
}

/* What --offset-column or --exposure-column name, if it is one of these columns: else the formula
 * makes it. */
static const char *given_offset(const mb_kind *kind, const void *kind_opt, int32_t d,
                                const char *const *name)
{
    mb_offset   is;
    const char *given = mb_kind_offset_column(kind, kind_opt, &is);

    for (int32_t k = 0; given && k < d; k++)
        if (!strcmp(name[k], given))
            return given;
    return NULL;
}

/* *out: the formula, whose . may be the column of the offset, too: it is a term only where the text
 * names it. offset: as formulas have it. */
static mb_status add_offset(mb_arena *a, const char *text, int has_dot, const char *offset,
                            const char **out, mb_err *err)
{
    mb_formula f = {.text = text};
    int        named = 0;

    if (has_dot)
        MB_TRY(mb_formula_parse(a, text, 0, NULL, 0, NULL, &f, err));
    for (int32_t t = 0; t < f.common.n; t++)
        named |=
            f.common.term[t].n == 1 && !strcmp(f.factor[f.common.term[t].factor[0]].source, offset);
    *out = !has_dot ? mb_text(a, err, "%s + offset(%s)", text, offset)
           : named  ? mb_text(a, err, "%s - %s + %s + offset(%s)", text, offset, offset, offset)
                    : mb_text(a, err, "%s - %s + offset(%s)", text, offset, offset);
    return *out ? MB_OK : MB_E_NOMEM;
}

mb_status mb_inputs_formula(mb_arena *a, const mb_kind *kind, const void *kind_opt,
                            const char *text, int32_t d, const char *const *name, int32_t targets,
                            const char *const *target, mb_formula *out, mb_err *err)
{
    const char *offset = given_offset(kind, kind_opt, d, name);
    mb_sizes    size;

    mb_kind_sizes(kind, kind_opt, d, NULL, &size);
    text = text ? text : mb_kind_has_intercept(kind, &size) ? "~ ." : "~ 0 + .";
    MB_TRY(mb_formula_parse(a, text, d, name, targets, target, out, err));
    if (offset) { /* of the file, and none of "." */
        offset = mb_formula_quote(a, offset, err);
        if (!offset)
            return MB_E_NOMEM;
        MB_TRY(add_offset(a, text, out->has_dot, offset, &text, err));
        MB_TRY(mb_formula_parse(a, text, d, name, targets, target, out, err));
    }
    return check_parts(kind, out, err);
}

mb_status mb_inputs_offset(mb_arena *a, const mb_kind *kind, const mb_formula *f, const char **name,
                           mb_err *err)
{
    *name = NULL;
    MB_TRY(check_offset(kind, f, err));
    if (!f->offsets)
        return MB_OK;
    *name = mb_formula_offset(a, f->offsets, f->offset, f->factor, err);
    return *name ? MB_OK : MB_E_NOMEM;
}

mb_status mb_inputs_varying(mb_arena *a, const mb_formula *f, const char **list, mb_err *err)
{
    *list = NULL;
    if (!f->varying.intercept)
        return mb_formula_refuse(f->text, f->group_at,
                                 "the intercept varies, too; expected (1 + .. | group)", err);
    for (int32_t k = 0; k < f->varying.n; k++) {
        const mb_term   *t = &f->varying.term[k];
        const mb_factor *x = &f->factor[t->factor[0]];

        if (t->n > 1 || x->degree)
            return mb_formula_refuse(f->text, x->at, "expected single columns before the |", err);
        *list = *list ? mb_text(a, err, "%s,%s", *list, x->name) : mb_text(a, err, "%s", x->name);
        if (!*list)
            return MB_E_NOMEM;
    }
    return MB_OK;
}

/* Sets an option of the kind to a text. */
static mb_status set(mb_arena *a, const mb_kind *kind, const char *name, const char *value,
                     void *kind_opt, mb_err *err)
{
    const char *text = mb_text(a, err, "%s=%s", name, value);

    return text ? mb_opt_assign(kind->opts, kind_opt, text, err) : MB_E_NOMEM;
}

static mb_status differs(const char *option, const char *given, const char *expected, mb_err *err)
{
    MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected %s, which --formula says", option, given,
            expected);
}

/* offset(..), which is the last design column, by its name. */
static mb_status set_offset(mb_arena *a, const mb_kind *kind, const mb_formula *f, void *kind_opt,
                            mb_err *err)
{
    mb_offset   is;
    const char *name;

    MB_TRY(mb_inputs_offset(a, kind, f, &name, err));
    if (name && mb_kind_offset_column(kind, kind_opt, &is))
        return differs("offset-column", "a column", "offset(..)", err);
    return name ? set(a, kind, "offset-column", name, kind_opt, err) : MB_OK;
}

mb_status mb_inputs_intercept(const mb_kind *kind, const mb_formula *f, const char **word,
                              mb_err *err)
{
    *word = !mb_kind_takes_intercept(kind) ? NULL : f->common.intercept ? "on" : "off";
    if (*word || f->common.intercept)
        return MB_OK;
    MB_FAIL(err, MB_E_ARG, "--formula: model %s always has an intercept; expected no 0 and no - 1",
            kind->name);
}

/* Options of the kind that the formula says: the intercept and, of a kind whose effects vary, which do. */
static mb_status set_options(mb_arena *a, const mb_kind *kind, const mb_formula *f, void *kind_opt,
                             mb_err *err)
{
    const char *list, *name, *given, *intercept;
    mb_sizes    size;

    mb_kind_sizes(kind, kind_opt, 1, NULL, &size);
    MB_TRY(mb_inputs_intercept(kind, f, &intercept, err));
    if (intercept && f->common.intercept && !size.intercept)
        return differs("intercept", "off", "on", err);
    if (intercept)
        MB_TRY(set(a, kind, "intercept", intercept, kind_opt, err));
    MB_TRY(set_offset(a, kind, f, kind_opt, err));
    if (!f->group || !mb_kind_varies(kind))
        return MB_OK;
    MB_TRY(mb_inputs_varying(a, f, &list, err));
    name = mb_text(a, err, "%s.varying", kind->name);
    if (!name)
        return MB_E_NOMEM;
    given = mb_kind_varying_given(kind, kind_opt);
    if (given && list && strcmp(given, list) != 0)
        return differs(name, given, list, err);
    return list ? set(a, kind, name, list, kind_opt, err) : MB_OK;
}

mb_status mb_inputs_named(mb_arena *a, const char *text, const char ***out, int64_t *n, mb_err *err)
{
    const char **row;
    mb_formula   f;

    MB_TRY(mb_formula_parse(a, text, 0, NULL, 0, NULL, &f, err));
    MB_NEW(row, a, 2 * (f.columns + 3), err);
    *out = row;
    *n = 0;
    for (int32_t k = 0; k < f.columns + 3; k++) {
        const int         other = k - f.columns;
        const char       *name = other < 0    ? f.column[k]
                                 : other == 0 ? f.response
                                 : other == 1 ? f.group
                                 : f.has_dot  ? "."
                                              : NULL;
        static const char role[][9] = {"response", "group", "inputs"};

        if (!name)
            continue;
        row[2 * *n] = name;
        row[2 * (*n)++ + 1] = other < 0 ? "input" : role[other];
    }
    return MB_OK;
}

/* ---- the design of rows ---- */

/* 1: an input is a category. */
static int has_category(const mb_columns *c, int32_t inputs)
{
    for (int32_t k = 0; c && k < inputs; k++)
        if (c->of[k].kind == MB_COLUMN_CATEGORY)
            return 1;
    return 0;
}

/* 1: the offset is not the last of the inputs, as the arrays of a caller have them: a design moves
 * it, and finds it by its name in later ones. */
static int moves_offset(const mb_kind *kind, const void *kind_opt, int32_t inputs,
                        const mb_table *t)
{
    const char *offset = t->last_is_target ? given_offset(kind, kind_opt, inputs, t->column) : NULL;

    return offset && strcmp(offset, t->column[inputs - 1]) != 0;
}

/* Kinds of the columns of a design, or of inputs that are all numbers: D of them, and the targets. */
static mb_status take_kinds(mb_arena *a, int32_t inputs, int32_t targets, int32_t D,
                            const mb_columns **kinds, mb_err *err)
{
    const mb_columns *c = *kinds;
    mb_columns       *out;
    mb_column        *of;
    int               numbers = 1;

    *kinds = NULL;
    for (int32_t t = 0; c && t < targets; t++)
        numbers &= c->of[inputs + t].kind == MB_COLUMN_NUMBER;
    if (numbers)
        return MB_OK;
    MB_NEW(of, a, D + targets, err);
    MB_NEW(out, a, 1, err);
    for (int32_t t = 0; t < targets; t++)
        of[D + t] = c->of[inputs + t];
    *kinds = out;
    return mb_columns_make(a, D + targets, of, out, err);
}

/* A category has levels, which only some models explain. */
static mb_status check_targets(const mb_kind *kind, const mb_sizes *size, const mb_table *t,
                               mb_err *err)
{
    for (int32_t d = size->D; t->kinds && d < t->rows.d; d++)
        if (t->kinds->of[d].kind == MB_COLUMN_CATEGORY && !mb_kind_takes_levels(kind, size))
            MB_FAIL(
                err, MB_E_ARG,
                "%s: column \"%.60s\" is a category; expected numbers as the target of model %s",
                t->name, t->column[d], kind->name);
    return MB_OK;
}

/* Names and numbers of single rows are no category. */
static mb_status check_levels(const mb_table *t, const char *name, const mb_column *kind,
                              mb_err *err)
{
    if (kind->kind == MB_COLUMN_CATEGORY && kind->levels > MANY && kind->levels > t->rows.n / 2)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: column \"%.60s\": got %d categories in %lld rows; expected fewer (--drop "
                "leaves a column out)",
                t->name, name, (int)kind->levels, (long long)t->rows.n);
    return MB_OK;
}

static mb_status make(mb_arena *a, const mb_formula *f, const mb_design *how, const mb_table *t,
                      mb_design **out, const int32_t **place, mb_err *err)
{
    mb_column *kind;
    int32_t   *from;

    MB_NEW(*out, a, 1, err);
    MB_NEW(from, a, f->columns, err);
    MB_NEW(kind, a, f->columns, err);
    for (int32_t k = 0; k < f->columns; k++) {
        while (strcmp(t->column[from[k]], f->column[k]) != 0)
            from[k]++;
        if (t->kinds)
            kind[k] = t->kinds->of[from[k]];
        MB_TRY(check_levels(t, f->column[k], &kind[k], err));
    }
    *place = from;
    **out = *how;
    MB_TRY(mb_design_make(a, f, kind, *out, err));
    return mb_design_learn(*out, &t->rows, from, err);
}

/* Of all inputs the message is of the rows, and has no text with a caret. */
static mb_status of_rows(const mb_table *t, mb_status st, mb_err *err)
{
    static const char option[] = "--formula: ";
    const size_t      n = sizeof option - 1;
    char              message[200];

    if (st >= 0 || !err || strncmp(err->msg, option, n) != 0)
        return st;
    mb_format_(message, sizeof message, "%.*s", (int)strcspn(err->msg + n, "\n"), err->msg + n);
    return mb_fail_(err, st, __FILE__, __LINE__, "%s: %s", t->name, message);
}

/* The design columns instead of the inputs. */
static mb_status lay(mb_arena *a, const mb_design *g, const int32_t *from, int32_t inputs,
                     mb_table *t, mb_err *err)
{
    const mb_rows rows = t->rows;
    const int32_t targets = rows.d - inputs;
    const char  **name;

    MB_NEW(name, a, g->D + targets, err);
    if (g->D)
        memcpy(name, g->name, (size_t)g->D * sizeof *name);
    memcpy(name + g->D, t->column + inputs, (size_t)targets * sizeof *name);
    t->column = name;
    t->design = g;
    MB_TRY(take_kinds(a, inputs, targets, g->D, &t->kinds, err));
    return mb_design_rows(a, g, &rows, from, targets, &t->rows, err);
}

mb_status mb_inputs_make(mb_arena *a, const mb_kind *kind, const void *kind_opt,
                         const mb_formula *f, mb_contrasts coding, mb_table *t,
                         const int32_t **from, mb_err *err)
{
    mb_formula all;
    mb_design *g = NULL;
    mb_sizes   size;
    int32_t    targets;
    mb_status  st = MB_OK;

    mb_kind_sizes(kind, kind_opt, t->rows.d, NULL, &size);
    targets = mb_kind_targets(kind, &size);
    MB_TRY(check_targets(kind, &size, t, err));
    if (!f && !has_category(t->kinds, size.D) && !moves_offset(kind, kind_opt, size.D, t))
        return take_kinds(a, size.D, targets, size.D, &t->kinds, err);
    if (!f)
        st = mb_inputs_formula(a, kind, kind_opt, NULL, t->rows.d, t->column, targets,
                               t->column + size.D, &all, err);
    if (st >= 0)
        st = make(a, f ? f : &all,
                  &(mb_design){.coding = coding,
                               .offset_name = given_offset(kind, kind_opt, t->rows.d, t->column)},
                  t, &g, from, err);
    MB_TRY(f ? st : of_rows(t, st, err));
    return lay(a, g, *from, size.D, t, err);
}

/* What the formula says of the target, and of groups, is what the rows have. */
static mb_status check_rows(const mb_formula *f, int32_t targets, const mb_table *t, mb_err *err)
{
    const char *target = t->column[t->rows.d - 1];

    if (f->response && (targets > 1 || strcmp(f->response, target) != 0))
        MB_FAIL(err, MB_E_ARG, "--formula: its response is \"%.60s\"; expected the target%s%.60s%s",
                f->response, targets > 1 ? "s alone: ~ .." : " \"", targets > 1 ? "" : target,
                targets > 1 ? "" : "\"");
    if (f->group && !t->rows.first)
        MB_FAIL(err, MB_E_ARG,
                "--formula: \"%.60s\" is the group of rows that have none; expected the group of "
                "each row",
                f->group);
    return MB_OK;
}

mb_status mb_inputs_take(mb_arena *a, const mb_kind *kind, void *kind_opt, const char *text,
                         mb_contrasts coding, mb_table *t, mb_err *err)
{
    const int32_t  d = t->rows.d;
    const int32_t *from;
    mb_formula     f;
    mb_sizes       size;
    int32_t        targets;

    if (!text)
        return mb_inputs_make(a, kind, kind_opt, NULL, coding, t, &from, err);
    MB_TRY(mb_formula_parse(a, text, 0, NULL, 0, NULL, &f, err));
    MB_TRY(set_options(a, kind, &f, kind_opt, err));
    mb_kind_sizes(kind, kind_opt, d, NULL, &size);
    targets = mb_kind_targets(kind, &size);
    MB_TRY(mb_inputs_formula(a, kind, kind_opt, text, d, t->column, targets,
                             t->column + d - targets, &f, err));
    MB_TRY(check_rows(&f, targets, t, err));
    return mb_inputs_make(a, kind, kind_opt, &f, coding, t, &from, err);
}
