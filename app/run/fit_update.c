/* fit_update.c - --update POSTERIOR.json: the model is the file's, its columns are found by name, and
 * what it has learnt is prior and initialisation. */
#include "run/fit_update.h"
#include "base/columns.h"
#include "formula/design.h"
#include "model/kind.h"
#include "posterior/file.h"

#include <string.h>

static mb_status read_file(sim_job *job, sim_args *args, const char *file, mb_err *err)
{
    sim_update *u;

    MB_NEW(u, job->a, 1, err);
    u->file = file;
    u->forget = 1;
    MB_TRY(mb_posterior_read(job->a, file, NULL, &u->p, &u->from, err));
    MB_TRY(mb_posterior_options(job->a, &u->p, &u->opt, err));
    u->learnt = (mb_update_totals){u->from.data_rows, u->from.weight_total, u->from.bound};
    args->update = u;
    return MB_OK;
}

static const char *or_none(const char *text)
{
    return *text ? text : "none";
}

static mb_status put(sim_job *job, char **words, int *n, const char *name, const char *value,
                     mb_err *err)
{
    const size_t room = strlen(name) + strlen(value) + sizeof "--=";

    MB_NEW(words[*n], job->a, room, err);
    snprintf(words[(*n)++], room, "--%s=%s", name, value);
    return MB_OK;
}

/* What the file says of groups: the column of its formula, or of the options that made it. */
static mb_status group_of(sim_job *job, const sim_update *u, const char **column, mb_err *err)
{
    mb_formula f = {.group = NULL};

    if (u->p.design)
        MB_TRY(mb_formula_parse(job->a, u->p.design->text, 0, NULL, 0, NULL, &f, err));
    *column = f.group;
    for (int32_t k = 0; !*column && k < u->from.noptions; k++)
        if (!strcmp(u->from.option[k][0], "group-column"))
            *column = u->from.option[k][1];
        else if (!strcmp(u->from.option[k][0], "group-file"))
            MB_FAIL(err, MB_E_ARG,
                    "--group-file is missing: %s was fitted to rows in groups; expected the group "
                    "of each row, or --group-column",
                    u->file);
    return MB_OK;
}

/* A batch whose groups are not given has those of the file's column. */
static mb_status put_group(sim_job *job, const sim_update *u, int argc, char **argv, char **words,
                           int *n, mb_err *err)
{
    const char *column;

    if (!mb_kind_grouped(u->p.kind, &u->p.size) || app_option_value(argc, argv, "group-column") ||
        app_option_value(argc, argv, "group-file") || app_option_value(argc, argv, "follow"))
        return MB_OK;
    MB_TRY(group_of(job, u, &column, err));
    return column ? put(job, words, n, "group-column", column, err) : MB_OK;
}

mb_status sim_update_words(sim_job *job, sim_args *args, int *argc, char ***argv, mb_err *err)
{
    const char *file =
        args->command->bit == SIM_FIT ? app_option_value(*argc, *argv, "update") : NULL;
    char number[64], **words;
    int  n = 1;

    if (!file)
        return MB_OK;
    MB_TRY(read_file(job, args, file, err));
    MB_NEW(words, job->a, *argc + SIM_MAX_OPTIONS, err);
    words[0] = **argv;
    MB_TRY(put(job, words, &n, "model", args->update->p.kind->name, err));
    for (const mb_opt *o = args->update->p.kind->opts; o && o->name; o++)
        if (sim_option_given(o, args->update->opt))
            MB_TRY(
                put(job, words, &n, o->name, sim_option_text(o, args->update->opt, number), err));
    MB_TRY(put_group(job, args->update, *argc, *argv, words, &n, err));
    memcpy(words + n, *argv + 1, (size_t)(*argc - 1) * sizeof *words);
    *argc += n - 1;
    *argv = words;
    return MB_OK;
}

mb_status sim_update_check(const sim_args *args, mb_err *err)
{
    const sim_update *u = args->update;
    const void       *mine = args->model_opt;
    char              a[64], b[64];

    if (args->kind != u->p.kind)
        MB_FAIL(err, MB_E_ARG, "--model: got %s; expected %s, that of %s", args->kind->name,
                u->p.kind->name, u->file);
    for (const mb_opt *o = args->kind->opts; o && o->name; o++) {
        const int own = !strncmp(o->name, "prior", 5) && o->name[5] != '-';

        if (own && sim_option_given(o, mine))
            MB_FAIL(err, MB_E_ARG, "--%s and --update exclude each other: the prior is that of %s",
                    o->name, u->file);
        if (!own && strcmp(sim_option_text(o, mine, a), sim_option_text(o, u->opt, b)) != 0)
            MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected %s, that of %s", o->name,
                    or_none(sim_option_text(o, mine, a)), or_none(sim_option_text(o, u->opt, b)),
                    u->file);
    }
    return MB_OK;
}

mb_status sim_update_read(sim_job *job, const sim_args *args, const mb_data_opt *opt, mb_data *out,
                          mb_err *err)
{
    mb_data_opt        how = *opt;
    const mb_columns  *kinds;
    const char *const *name;
    int32_t            d;

    MB_TRY(mb_posterior_sources(job->a, &args->update->p, &d, &name, &kinds, err));
    if (how.levels)
        MB_FAIL(err, MB_E_ARG,
                "--target-levels and --update exclude each other: the levels are those of %s",
                args->update->file);
    if (!how.column && kinds && how.recognise) {
        how.column = mb_columns_declaration(job->a, kinds, name, err);
        if (!how.column)
            return MB_E_NOMEM;
    }
    if (how.columns || how.drop || mb_path_ends(args->opt.data, ".npy") ||
        strstr(args->opt.data, ".npz"))
        return mb_data_read(job->a, args->opt.data, &how, out, err);
    return app_read_columns(job->a, args->opt.data, &how, d, name, args->update->file, out, err);
}

mb_status sim_update_start(sim_job *job, sim_case *cs, mb_err *err)
{
    if (sim_option_given(sim_option("init"), &cs->args->opt))
        MB_FAIL(err, MB_E_ARG, "--init and --update exclude each other: a fit starts from %s",
                cs->args->update->file);
    if (mb_kind_has_components(cs->args->kind) && cs->args->opt.prune == SIM_PRUNE_ON)
        MB_FAIL(err, MB_E_ARG,
                "--prune on and --update exclude each other: its components have priors of their "
                "own, so that none can be merged");
    if (cs->args->opt.n_init > 1)
        sim_warn(job, "--n-init %lld makes no difference: the start comes from a file",
                 (long long)cs->args->opt.n_init);
    cs->n_init = 1;
    cs->prior = &cs->args->update->p;
    cs->start.how = MB_INIT_POSTERIOR;
    cs->start.posterior = cs->prior;
    return MB_OK;
}
