/* sim_design.c - what --formula and categories among the inputs make of the rows of a regression:
 * design columns, computed when a row is read. */
#include "base/text.h"
#include "data/data.h"
#include "formula/inputs.h"
#include "model/kind.h"
#include "posterior/posterior.h"
#include "run/fit_update.h"

#include <string.h>
#include <sys/stat.h>

enum { NOTES = 6 /* categories that have a note of their own */ };

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
    const char *group = app_option_value(argc, argv, "group-column"), *list;
    const char *option = mb_text(job->a, err, "%s.varying", kind->name);

    MB_TRY(mb_inputs_varying(job->a, f, &list, err));
    if (!option)
        return MB_E_NOMEM;
    if (group && strcmp(group, f->group) != 0)
        return differs("group-column", group, f->group, err);
    if (!group)
        MB_TRY(put(job, words, n, "group-column", f->group, err));
    return list ? put(job, words, n, option, list, err) : MB_OK;
}

/* offset(..), which is the last design column, by its name. */
static mb_status add_offset(sim_job *job, const mb_kind *kind, const mb_formula *f, int argc,
                            char **argv, char **words, int *n, mb_err *err)
{
    static const char *const option[] = {"offset-column", "exposure-column"};
    const char              *name;

    MB_TRY(mb_inputs_offset(job->a, kind, f, &name, err));
    for (int k = 0; name && k < 2; k++)
        if (app_option_value(argc, argv, option[k]))
            MB_FAIL(err, MB_E_ARG,
                    "--%s and offset(..) in --formula exclude each other; expected the sum of both "
                    "in --formula",
                    option[k]);
    return name ? put(job, words, n, option[0], name, err) : MB_OK;
}

/* What the formula says and the options, too, must be the same. */
static mb_status add_words(sim_job *job, const mb_kind *kind, const mb_formula *f, int argc,
                           char **argv, char **words, int *n, mb_err *err)
{
    const char *target = app_option_value(argc, argv, "target-column");
    const char *intercept = app_option_value(argc, argv, "intercept");
    const char *is;

    MB_TRY(mb_inputs_intercept(kind, f, &is, err));
    if (f->response && target && strcmp(f->response, target) != 0)
        return differs("target-column", target, f->response, err);
    if (intercept && is && strcmp(intercept, is) != 0)
        return differs("intercept", intercept, is, err);
    if (f->response && !target)
        MB_TRY(put(job, words, n, "target-column", f->response, err));
    return intercept || !is ? MB_OK : put(job, words, n, "intercept", is, err);
}

mb_status sim_formula_words(sim_job *job, const sim_args *args, int *argc, char ***argv,
                            mb_err *err)
{
    const int   takes = args->command->bit & (SIM_FIT | SIM_SIM | SIM_PLAN | SIM_UP | SIM_GENESIS);
    const char *text = takes ? app_option_value(*argc, *argv, "formula") : NULL;
    const char *model = app_option_value(*argc, *argv, "model");
    const mb_kind *kind = mb_kind_find(model ? model : MB_KIND_DEFAULT);
    mb_formula     f;
    char         **words;
    int            n = 1;

    if (!text || !kind)
        return MB_OK;
    if (!kind->targets)
        MB_FAIL(err, MB_E_ARG,
                "--formula: model %s has no target; expected one that has, as linreg", kind->name);
    if (app_option_value(*argc, *argv, "update"))
        MB_FAIL(err, MB_E_ARG,
                "--formula and --update exclude each other: the formula is that of the file");
    if (app_option_value(*argc, *argv, "follow"))
        MB_FAIL(err, MB_E_ARG,
                "--formula and --follow exclude each other; expected --update FILE.json, a fit of "
                "the first rows by that formula");
    MB_TRY(mb_formula_parse(job->a, text, 0, NULL, 0, NULL, &f, err));
    MB_NEW(words, job->a, *argc + 5, err);
    words[0] = **argv;
    MB_TRY(add_words(job, kind, &f, *argc, *argv, words, &n, err));
    if (f.group && mb_kind_varies(kind))
        MB_TRY(add_group(job, kind, &f, *argc, *argv, words, &n, err));
    MB_TRY(add_offset(job, kind, &f, *argc, *argv, words, &n, err));
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

/* Of these columns, targets too; without --formula of all inputs. */
static mb_status read_formula(sim_job *job, const sim_args *args, int32_t d,
                              const char *const *name, mb_formula *out, mb_err *err)
{
    const char *const *target = NULL;
    int32_t            targets = 0;

    MB_TRY(targets_of(job, args, d, name, &targets, &target, err));
    return mb_inputs_formula(job->a, args->kind, args->model_opt, args->opt.formula, d, name,
                             targets, target, out, err);
}

/* What to read of d features, as a list: columns of the formula, and those that --column declares. */
static mb_status join(sim_job *job, const mb_formula *f, int32_t d, const char *const *name,
                      mb_data_opt *o, mb_err *err)
{
    const char *list = NULL;
    mb_column  *of;
    uint8_t    *is_read;

    MB_NEW(of, job->a, d, err);
    MB_NEW(is_read, job->a, d, err);
    if (o->column)
        MB_TRY(mb_columns_declare(job->a, o->column, d, name, of, is_read, err));
    for (int32_t k = 0; k < d; k++) {
        for (int32_t l = 0; l < f->columns; l++)
            is_read[k] |= !strcmp(name[k], f->column[l]);
        if (is_read[k] && strchr(name[k], ',')) /* no list can name it */
            return MB_OK;
        if (is_read[k])
            list = mb_text(job->a, err, "%s%s%s", list ? list : "", list ? "," : "", name[k]);
        if (is_read[k] && !list)
            return MB_E_NOMEM;
    }
    o->columns = list ? list : o->targets;
    return MB_OK;
}

/* The features of the open file: of the formula those that it has, as a list for mb_data_opt. */
static mb_status list_columns(sim_job *job, sim_rows *rows, mb_reader *r, mb_data_opt *o,
                              mb_err *err)
{
    const char *const *all = mb_reader_names(r);
    const char       **name;
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
    return join(job, f, d, name, o, err);
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

/* Where the rows of --update have the inputs of its design: they may be in another order. */
static mb_status find_inputs(sim_job *job, sim_rows *rows, mb_err *err)
{
    const mb_data   *data = &rows->data;
    const mb_design *g = rows->design;
    const int32_t    inputs = data->d - rows->targets;
    int32_t         *from;

    MB_NEW(from, job->a, g->columns, err);
    rows->from = from;
    for (int32_t k = 0; k < g->columns; k++) {
        while (from[k] < inputs && strcmp(data->name[from[k]], g->column[k]) != 0)
            from[k]++;
        if (from[k] >= inputs)
            MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%.60s\"; expected the columns of %s",
                    rows->args->opt.data, g->column[k], rows->args->update->file);
    }
    return MB_OK;
}

/* The rows of --update, where a formula or categories made the inputs of the answer. */
static mb_status of_answer(sim_job *job, sim_rows *rows, mb_err *err)
{
    const mb_posterior *p = &rows->args->update->p;
    mb_data            *data = &rows->data;
    const int32_t       d = mb_posterior_columns(p);
    const char        **name;

    if (!p->design)
        return MB_OK;
    rows->raw_d = data->d;
    rows->design = p->design;
    rows->targets = d - p->size.D;
    MB_TRY(find_inputs(job, rows, err));
    MB_NEW(name, job->a, d, err);
    mb_posterior_names(p, name);
    data->name = name;
    data->columns = (mb_columns *)(uintptr_t)p->size.columns;
    return sim_design_lay(job, rows, err);
}

mb_status sim_design(sim_job *job, sim_rows *rows, mb_err *err)
{
    const sim_args   *args = rows->args;
    mb_data          *data = &rows->data;
    const mb_formula *of = rows->formula;
    mb_formula        f;
    mb_table          t = mb_table_of(data, args->opt.data);

    if (args->update)
        return of_answer(job, rows, err);
    if (!args->kind->targets || rows->mapped->base)
        return MB_OK;
    if (args->opt.formula && !of) {
        MB_TRY(read_formula(job, args, data->d, data->name, &f, err));
        of = &f;
    }
    rows->raw_d = data->d;
    MB_TRY(mb_inputs_make(job->a, args->kind, args->model_opt, of,
                          args->opt.coding ? MB_CONTRASTS_SUM : MB_CONTRASTS_TREATMENT, &t,
                          &rows->from, err));
    data->columns = (mb_columns *)(uintptr_t)t.kinds;
    if (!t.design)
        return MB_OK;
    rows->design = t.design;
    rows->targets = t.rows.d - t.design->D;
    data->name = (const char **)(uintptr_t)t.column;
    note(job, rows->design);
    return sim_design_lay(job, rows, err);
}
