/* sim_design.c - what --formula and categories among the inputs make of the rows of a regression:
 * design columns, computed when a row is read. */
#include "base/columns.h"
#include "base/text.h"
#include "data/data.h"
#include "formula/design.h"
#include "model/kind.h"
#include "run/sim.h"

#include <string.h>
#include <sys/stat.h>

/* NOTES: categories that have a note of their own; MANY: levels that are to come twice on average. */
enum { NOTES = 6, MANY = 20 };

/* ---- the command line ---- */

/* A word "--NAME=VALUE" after the others. */
static mb_status put(sim_job *job, char **words, int *n, const char *name, const char *value,
                     mb_err *err)
{
    const char *word = mb_text(job->a, err, "--%s=%s", name, value);

    words[(*n)++] = (char *)(uintptr_t)word;
    return word ? MB_OK : MB_E_NOMEM;
}

static mb_status differs(const char *option, const char *given, const char *expected, mb_err *err)
{
    MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected %s, which --formula says", option, given,
            expected);
}

/* (1 + x | site) of a model whose effects vary: its group and, of the inputs, those that do. */
static mb_status add_group(sim_job *job, const mb_kind *kind, const mb_formula *f, int argc,
                           char **argv, char **words, int *n, mb_err *err)
{
    const char *group = app_option_value(argc, argv, "group-column"), *list = NULL;
    const char *option = mb_text(job->a, err, "%s.varying", kind->name);

    if (!f->varying.intercept)
        return mb_formula_refuse(f->text, f->group_at,
                                 "the intercept varies, too; expected (1 + .. | group)", err);
    for (int32_t k = 0; k < f->varying.n; k++) {
        const mb_term   *t = &f->varying.term[k];
        const mb_factor *x = &f->factor[t->factor[0]];

        if (t->n > 1 || x->degree)
            return mb_formula_refuse(f->text, x->at, "expected single columns before the |", err);
        list = mb_text(job->a, err, "%s%s%s", list ? list : "", list ? "," : "", x->name);
        if (!list)
            return MB_E_NOMEM;
    }
    if (!option)
        return MB_E_NOMEM;
    if (group && strcmp(group, f->group) != 0)
        return differs("group-column", group, f->group, err);
    if (!group)
        MB_TRY(put(job, words, n, "group-column", f->group, err));
    return list ? put(job, words, n, option, list, err) : MB_OK;
}

/* What the formula says and the options, too, must be the same. */
static mb_status add_words(sim_job *job, const mb_formula *f, int argc, char **argv, char **words,
                           int *n, mb_err *err)
{
    const char *target = app_option_value(argc, argv, "target-column");
    const char *intercept = app_option_value(argc, argv, "intercept");
    const char *is = f->common.intercept ? "on" : "off";

    if (f->response && target && strcmp(f->response, target) != 0)
        return differs("target-column", target, f->response, err);
    if (intercept && strcmp(intercept, is) != 0)
        return differs("intercept", intercept, is, err);
    if (f->response && !target)
        MB_TRY(put(job, words, n, "target-column", f->response, err));
    return intercept ? MB_OK : put(job, words, n, "intercept", is, err);
}

mb_status sim_formula_words(sim_job *job, const sim_args *args, int *argc, char ***argv,
                            mb_err *err)
{
    const int      takes = args->command->bit & (SIM_FIT | SIM_SIM | SIM_PLAN | SIM_UP);
    const char    *text = takes ? app_option_value(*argc, *argv, "formula") : NULL;
    const char    *model = app_option_value(*argc, *argv, "model");
    const mb_kind *kind = mb_kind_find(model ? model : MB_KIND_DEFAULT);
    mb_formula     f;
    char         **words;
    int            n = 1;

    if (!text || !kind)
        return MB_OK;
    if (!kind->targets)
        MB_FAIL(err, MB_E_ARG, "--formula: model %s has no target; expected linreg, glm or mixed",
                kind->name);
    if (app_option_value(*argc, *argv, "update") || app_option_value(*argc, *argv, "follow"))
        MB_FAIL(err, MB_E_ARG,
                "--formula and --update or --follow exclude each other; expected all rows as "
                "--data");
    MB_TRY(mb_formula_parse(job->a, text, 0, NULL, 0, NULL, &f, err));
    MB_NEW(words, job->a, *argc + 4, err);
    words[0] = **argv;
    MB_TRY(add_words(job, &f, *argc, *argv, words, &n, err));
    if (f.group && mb_kind_varies(kind))
        MB_TRY(add_group(job, kind, &f, *argc, *argv, words, &n, err));
    memcpy(words + n, *argv + 1, (size_t)(*argc - 1) * sizeof *words);
    *argc += n - 1;
    *argv = words;
    return MB_OK;
}

/* ---- the formula of rows ---- */

/* Names of the targets among d columns: those of the option, or the last ones. */
static mb_status targets_of(sim_job *job, const sim_args *args, int32_t d, const char *const *name,
                            int32_t *n, const char *const **out, mb_err *err)
{
    const char  *list = mb_kind_target_column(args->kind, args->model_opt);
    const char **target;
    mb_sizes     size;

    mb_kind_sizes(args->kind, args->model_opt, d, NULL, &size);
    *n = mb_kind_targets(args->kind, &size);
    MB_NEW(target, job->a, *n, err);
    *out = target;
    for (int32_t t = 0; t < *n; t++) {
        const size_t length = list && *n > 1 ? strcspn(list, ",") : list ? strlen(list) : 0;

        target[t] = list      ? mb_text(job->a, err, "%.*s", (int)length, list)
                    : d >= *n ? name[d - *n + t]
                              : "";
        if (!target[t])
            return MB_E_NOMEM;
        list = list && list[length] ? list + length + 1 : list;
    }
    return MB_OK;
}

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
        snprintf(message, sizeof message,
                 "what varies by group is expected among the terms, too: + %.60s",
                 f->factor[factor].source);
        return mb_formula_refuse(f->text, f->factor[factor].at, message, err);
    }
    return MB_OK;
}

/* Parts of a formula that this model has not. */
static mb_status check_parts(const sim_args *args, const mb_formula *f, mb_err *err)
{
    char message[160];

    if (f->offsets)
        return mb_formula_refuse(f->text, f->factor[f->offset[0]].at,
                                 "offset(..) is not available yet; expected terms", err);
    if (!f->group || mb_kind_varies(args->kind))
        return check_varying(f, err);
    snprintf(message, sizeof message,
             "model %s has no effects that vary by group; expected --model mixed, or the column as "
             "a category: + %.60s",
             args->kind->name, f->group);
    return mb_formula_refuse(f->text, f->group_at, message, err);
}

/* Of these columns, targets too; without --formula of all inputs. */
static mb_status read_formula(sim_job *job, const sim_args *args, int32_t d,
                              const char *const *name, mb_formula *out, mb_err *err)
{
    const char        *text = args->opt.formula;
    const char *const *target = NULL;
    int32_t            targets = 0;
    mb_sizes           size;

    mb_kind_sizes(args->kind, args->model_opt, d, NULL, &size);
    text = text ? text : size.intercept ? "~ ." : "~ 0 + .";
    MB_TRY(targets_of(job, args, d, name, &targets, &target, err));
    MB_TRY(mb_formula_parse(job->a, text, d, name, targets, target, out, err));
    return check_parts(args, out, err);
}

/* The features of the open file: of the formula those that it has, as a list for mb_data_opt. */
static mb_status list_columns(sim_job *job, sim_rows *rows, mb_reader *r, mb_data_opt *o,
                              mb_err *err)
{
    const char *const *all = mb_reader_names(r);
    const char       **name;
    const char        *list;
    mb_formula        *f;
    int32_t            d;
    const int32_t     *feature = mb_reader_features(r, &d);

    if (!all) {
        MB_TRY(mb_data_number_columns(job->a, mb_reader_columns(r), &name, err));
        all = name;
    }
    MB_NEW(name, job->a, d, err);
    for (int32_t k = 0; k < d; k++)
        name[k] = all[feature[k]];
    MB_NEW(f, job->a, 1, err);
    MB_TRY(read_formula(job, rows->args, d, name, f, err));
    rows->formula = f;
    list = f->columns ? f->column[0] : o->targets;
    for (int32_t k = 0; k < f->columns && list; k++) {
        if (strchr(f->column[k], ',')) /* no list can name it */
            return MB_OK;
        list = k ? mb_text(job->a, err, "%s,%s", list, f->column[k]) : list;
        if (!list)
            return MB_E_NOMEM;
    }
    o->columns = list;
    return MB_OK;
}

/* 1: the file can be read once only. */
static int is_stream(const char *file)
{
    struct stat is;

    return !strcmp(file, "-") ||
           (stat(file, &is) == 0 && !S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode));
}

mb_status sim_formula_columns(sim_job *job, sim_rows *rows, mb_data_opt *o, mb_err *err)
{
    const sim_args *args = rows->args;
    mb_data_opt     plain = *o;
    mb_reader      *r;
    mb_status       st;

    if (!args->opt.formula || is_stream(args->opt.data))
        return MB_OK;
    plain.recognise = plain.coded = 0;
    plain.column = plain.category = plain.levels = NULL;
    plain.pool = NULL;
    MB_TRY(mb_reader_open(job->a, args->opt.data, &plain, &r, err));
    st = list_columns(job, rows, r, o, err);
    mb_reader_close(r);
    return st;
}

/* ---- the design ---- */

/* 1: an input is a category. */
static int has_category(const mb_columns *c, int32_t inputs)
{
    for (int32_t k = 0; c && k < inputs; k++)
        if (c->of[k].kind == MB_COLUMN_CATEGORY)
            return 1;
    return 0;
}

/* Kinds of the columns of a design, or of inputs that are all numbers: D of them, and the targets. */
static mb_status take_kinds(sim_job *job, mb_data *data, int32_t inputs, int32_t targets, int32_t D,
                            mb_err *err)
{
    const mb_columns *c = data->columns;
    mb_columns       *out;
    mb_column        *of;
    int               numbers = 1;

    data->columns = NULL;
    for (int32_t t = 0; c && t < targets; t++)
        numbers &= c->of[inputs + t].kind == MB_COLUMN_NUMBER;
    if (numbers)
        return MB_OK;
    MB_NEW(of, job->a, D + targets, err);
    MB_NEW(out, job->a, 1, err);
    for (int32_t t = 0; t < targets; t++)
        of[D + t] = c->of[inputs + t];
    data->columns = out;
    return mb_columns_make(job->a, D + targets, of, out, err);
}

/* How each category is coded. */
static void note(sim_job *job, const mb_design *g)
{
    int32_t count = 0;

    for (int32_t k = 0; k < g->columns; k++) {
        const mb_column *c = &g->kind[k];

        if (c->kind == MB_COLUMN_CATEGORY && count++ < NOTES)
            sim_note(job, "%s: a category of %d levels%s%s%s", g->column[k], (int)c->levels,
                     g->coding == MB_CONTRASTS_SUM ? ", coded as sums to 0" : ", coded against \"",
                     g->coding == MB_CONTRASTS_SUM ? "" : c->level[0],
                     g->coding == MB_CONTRASTS_SUM ? "" : "\"");
    }
    if (count > NOTES)
        sim_note(job, "%d more columns are categories", (int)(count - NOTES));
}

/* Names and numbers of single rows are no category. */
static mb_status check_levels(const sim_rows *rows, const char *name, const mb_column *kind,
                              mb_err *err)
{
    if (kind->kind == MB_COLUMN_CATEGORY && kind->levels > MANY && kind->levels > rows->data.n / 2)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: column \"%.60s\": got %d categories in %lld rows; expected fewer (--drop "
                "leaves a column out)",
                rows->args->opt.data, name, (int)kind->levels, (long long)rows->data.n);
    return MB_OK;
}

static mb_status make(sim_job *job, sim_rows *rows, const mb_formula *f, mb_err *err)
{
    const mb_data *data = &rows->data;
    const mb_rows  raw = {.x = data->x, .n = data->n, .d = data->d, .ld = (size_t)data->d};
    mb_column     *kind;
    int32_t       *from;

    MB_NEW(rows->design, job->a, 1, err);
    MB_NEW(from, job->a, f->columns, err);
    MB_NEW(kind, job->a, f->columns, err);
    for (int32_t k = 0; k < f->columns; k++) {
        while (strcmp(data->name[from[k]], f->column[k]) != 0)
            from[k]++;
        if (data->columns)
            kind[k] = data->columns->of[from[k]];
        MB_TRY(check_levels(rows, f->column[k], &kind[k], err));
    }
    rows->from = from;
    MB_TRY(mb_design_make(job->a, f, kind,
                          rows->args->opt.coding ? MB_CONTRASTS_SUM : MB_CONTRASTS_TREATMENT,
                          rows->design, err));
    return mb_design_learn(rows->design, &raw, from, err);
}

mb_status sim_design_lay(sim_job *job, sim_rows *rows, mb_err *err)
{
    mb_data *data = &rows->data;
    mb_rows  raw = {.x = data->x, .n = data->n, .d = rows->raw_d, .ld = (size_t)rows->raw_d}, out;

    if (!rows->design)
        return MB_OK;
    MB_TRY(mb_design_rows(job->a, rows->design, &raw, rows->from, rows->targets, &out, err));
    rows->raw = data->x;
    data->x = NULL;
    data->stored = out.stored;
    data->d = out.d;
    return MB_OK;
}

void sim_design_lift(sim_rows *rows)
{
    if (!rows->design)
        return;
    rows->data.x = rows->raw;
    rows->data.stored = NULL;
    rows->data.d = rows->raw_d;
}

/* The names of the design columns, then those of the targets. */
static mb_status take_names(sim_job *job, sim_rows *rows, mb_err *err)
{
    const int32_t D = rows->design->D, T = rows->targets;
    const char  **name;

    MB_NEW(name, job->a, D + T, err);
    if (D)
        memcpy(name, rows->design->name, (size_t)D * sizeof *name);
    memcpy(name + D, rows->data.name + rows->raw_d - T, (size_t)T * sizeof *name);
    rows->data.name = name;
    return MB_OK;
}

/* Without --formula the message is of the file, and has no text with a caret. */
static mb_status of_file(const sim_args *args, mb_status st, mb_err *err)
{
    static const char option[] = "--formula: ";
    const size_t      n = sizeof option - 1;
    char              message[200];

    if (st >= 0 || args->opt.formula || strncmp(err->msg, option, n) != 0)
        return st;
    snprintf(message, sizeof message, "%.*s", (int)strcspn(err->msg + n, "\n"), err->msg + n);
    return mb_fail_(err, st, __FILE__, __LINE__, "%s: %s", args->opt.data, message);
}

/* The formula, which reading some of the columns has, and its design. */
static mb_status make_design(sim_job *job, sim_rows *rows, mb_err *err)
{
    mb_data   *data = &rows->data;
    mb_formula f;

    if (rows->formula)
        return make(job, rows, rows->formula, err);
    MB_TRY(read_formula(job, rows->args, data->d, data->name, &f, err));
    return make(job, rows, &f, err);
}

mb_status sim_design(sim_job *job, sim_rows *rows, mb_err *err)
{
    const sim_args *args = rows->args;
    mb_data        *data = &rows->data;
    mb_sizes        size;

    if (!args->kind->targets || args->update || rows->mapped->base)
        return MB_OK;
    mb_kind_sizes(args->kind, args->model_opt, data->d, NULL, &size);
    rows->targets = mb_kind_targets(args->kind, &size);
    rows->raw_d = data->d;
    if (!args->opt.formula && !has_category(data->columns, size.D))
        return take_kinds(job, data, size.D, rows->targets, size.D, err);
    if (args->command->bit & SIM_GENESIS || args->opt.write_genesis)
        MB_FAIL(
            err, MB_E_NOSUP,
            "%s: a formula or a category is to make the inputs, and a genesis has no levels yet; "
            "expected numbers (up without --genesis FILE codes categories)",
            args->opt.data);
    MB_TRY(of_file(args, make_design(job, rows, err), err));
    MB_TRY(take_kinds(job, data, size.D, rows->targets, rows->design->D, err));
    MB_TRY(take_names(job, rows, err));
    note(job, rows->design);
    return sim_design_lay(job, rows, err);
}
