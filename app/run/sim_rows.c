/* sim_rows.c - the rows of --data: read or mapped, targets last, labels, hash. */
#include "base/columns.h"
#include "base/pool.h"
#include "base/text.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "run/fit_share.h"
#include "run/fit_update.h"

#include <string.h>
#include <sys/stat.h>

/* A file without names has the targets in its last columns; one column is the series of a kind of
 * them. */
static mb_status find_order(const sim_rows *rows, int32_t *order, mb_err *err)
{
    const mb_data *data = &rows->data;
    const mb_kind *kind = rows->args->kind;
    const mb_table table = mb_table_of(data, rows->args->opt.data);

    if (kind->targets && !mb_kind_target_column(kind, rows->args->model_opt) &&
        !mb_path_ends(rows->args->opt.data, ".npy") && !(kind->ahead && data->d == 1))
        MB_FAIL(err, MB_E_ARG, "--target-column is missing: the column to explain, one of %s .. %s",
                data->name[0], data->name[data->d - 1]);
    return mb_table_order(&table, kind, rows->args->model_opt, order, err);
}

/* What the options say of the columns and the form of the rows. */
static mb_data_opt reading(const sim_args *args)
{
    const mb_kind *kind = args->kind;
    mb_data_opt    o = args->opt.read;
    mb_sizes       size;

    mb_kind_sizes(kind, args->model_opt, 1, NULL, &size);
    o.node_column = args->opt.node_column;
    o.label_column = args->opt.label_column;
    o.weight_column = args->opt.weight_column;
    o.file_groups = mb_kind_needs_groups(kind) && !o.node_column && !o.node_file; /* else nodes */
    o.targets = kind->targets ? mb_kind_target_column(kind, args->model_opt) : NULL;
    o.coded = kind->targets && (!args->update || args->update->p.design) &&
              (args->opt.formula || o.column || !mb_path_ends(args->opt.data, ".npy"));
    o.recognise = o.coded || mb_kind_takes_kinds(kind, &size) || mb_kind_takes_levels(kind, &size);
    if (mb_kind_takes_levels(kind, &size)) {
        o.category = o.targets ? o.targets : "";
        o.of_words = !mb_kind_category(kind, &size);
    }
    return o;
}

/* What the model's options say of columns: an offset is a feature and a number, as the targets are. */
static mb_status read_options(sim_job *job, const sim_args *args, mb_data_opt *o, mb_err *err)
{
    mb_offset   is;
    const char *offset = mb_kind_offset_column(args->kind, args->model_opt, &is);

    MB_TRY(mb_kind_declare(job->a, args->kind, args->model_opt, &o->column, err));
    if (offset)
        o->targets = o->targets ? mb_text(job->a, err, "%s,%s", offset, o->targets) : offset;
    return o->targets || !offset ? MB_OK : MB_E_NOMEM;
}

/* Blocks of a NPY file, or all of its rows at one place, need no copy: it has features only, in
 * order. */
static int is_plain(const sim_args *args)
{
    const char       *dot = strrchr(args->opt.data, '.');
    const mb_data_opt o = reading(args);

    return (args->opt.deal == SIM_BLOCKS || (args->command->fit && !args->update)) && dot &&
           !strcmp(dot, ".npy") && !o.node_column && !o.label_column && !o.weight_column &&
           !o.columns && !o.drop && !o.node_file && !o.label_file && !o.group_column &&
           !o.group_file && !o.file_groups &&
           (args->command->fit ? o.missing != MB_MISSING_DROP
                               : o.missing == MB_MISSING_ERROR || o.missing == MB_MISSING_AUTO) &&
           !o.column && !mb_kind_declares(args->kind, args->model_opt) && !o.levels &&
           !args->opt.formula && !(args->update && args->update->p.design) &&
           (!o.recognise || o.of_words);
}

static int stays_in_file(const sim_args *args)
{
    struct stat is;

    return is_plain(args) && stat(args->opt.data, &is) == 0 && S_ISREG(is.st_mode);
}

/* Where the kind says what columns are; the rows are changed in place. */
static mb_status form(sim_job *job, sim_rows *rows, mb_err *err)
{
    const sim_args *args = rows->args;
    mb_data        *data = &rows->data;
    mb_table        t = mb_table_of(data, args->opt.data);
    const char     *note;

    if (!args->kind->form || args->update)
        return MB_OK;
    MB_TRY(mb_table_form(job->a, args->kind, sim_prior_file(args) ? NULL : args->model_opt, &t,
                         &note, err));
    if (note)
        sim_note(job, "%s", note);
    if (t.rows.x != data->x)
        memcpy(data->x, t.rows.x, (size_t)data->n * (size_t)data->d * sizeof *data->x);
    data->columns = t.kinds;
    return MB_OK;
}

static mb_status read_rows(sim_job *job, sim_rows *rows, mb_err *err)
{
    const int32_t threads = (int32_t)rows->args->opt.threads;
    mb_data_opt   o = reading(rows->args);
    mb_data      *data = &rows->data;
    mb_status     st;

    MB_TRY(app_missing(rows->args->kind, &o, err));
    MB_TRY(read_options(job, rows->args, &o, err));
    MB_TRY(sim_formula_columns(job, rows, &o, err));
    if (!strcmp(rows->args->opt.data, "-") && job->ranks.size > 1)
        MB_FAIL(err, MB_E_ARG,
                "--data: standard input comes to one process only; expected a file, which every "
                "process reads");
    MB_TRY(mb_pool_open(job->a, threads ? threads : job->ranks.threads, &o.pool, err));
    st = rows->args->update ? sim_update_read(job, rows->args, &o, data, err)
                            : mb_data_read(job->a, rows->args->opt.data, &o, data, err);
    mb_pool_close(o.pool);
    MB_TRY(st);
    for (int32_t k = 0; k < data->nnotes; k++)
        sim_note(job, "%s", data->note[k]);
    MB_TRY(form(job, rows, err));
    if (rows->args->command->fit) { /* all rows at one place, whatever node they are from */
        data->N = 0;
        data->node_id = NULL;
        data->first = NULL;
    }
    return MB_OK;
}

/* A mapped file stays as it is: where columns are to move, `fit` reads it. */
static mb_status movable(sim_job *job, sim_rows *rows, mb_err *err)
{
    if (!rows->mapped->base)
        return MB_OK;
    if (!rows->args->command->fit || sim_in_parts(rows->args))
        MB_FAIL(err, MB_E_ARG,
                "--target-column: with %s rows stay as they are in %s; expected the last column",
                rows->args->command->fit ? "parts" : "--deal blocks", rows->args->opt.data);
    mb_npy_unmap(rows->mapped);
    rows->data = (mb_data){0};
    return read_rows(job, rows, err);
}

/* In place; the library would copy the rows. */
static mb_status targets_last(sim_job *job, sim_rows *rows, mb_err *err)
{
    const mb_kind *kind = rows->args->kind;
    mb_data       *data = &rows->data;
    const int32_t  d = data->d;
    const char   **name;
    double        *row;
    mb_sizes       size;
    int32_t       *order, moves = 0;

    if (!kind->targets)
        return MB_OK;
    mb_kind_sizes(kind, rows->args->model_opt, d, NULL, &size);
    if (size.D < mb_kind_least_inputs(kind, &size))
        MB_FAIL(err, MB_E_ARG, "%s: only the target is there; expected inputs beside it",
                rows->args->opt.data);
    MB_NEW(order, job->a, d, err);
    MB_NEW(name, job->a, d, err);
    MB_NEW(row, job->a, d, err);
    MB_TRY(find_order(rows, order, err));
    for (int32_t k = 0; k < d; k++)
        moves |= order[k] != k;
    if (!moves)
        return MB_OK;
    MB_TRY(movable(job, rows, err));
    for (int32_t k = 0; k < d; k++)
        name[k] = data->name[order[k]];
    memcpy(data->name, name, (size_t)d * sizeof *name);
    MB_TRY(mb_columns_permute(job->a, order, &data->columns, err));
    for (int64_t r = 0; r < data->n; r++) {
        memcpy(row, data->x + r * d, (size_t)d * sizeof *row);
        for (int32_t k = 0; k < d; k++)
            data->x[r * d + k] = row[order[k]];
    }
    return MB_OK;
}

/* Files that cannot be mapped are read whole. */
static mb_status map_rows(sim_job *job, sim_rows *rows, mb_err *err)
{
    mb_status st = mb_npy_map(rows->args->opt.data, rows->mapped, err);

    if (st < 0 && rows->args->command->fit) /* reading says what is wrong, if anything is */
        return read_rows(job, rows, err);
    if (st == MB_E_NOSUP) {
        sim_warn(job, "%s; they are read whole", err->msg);
        return mb_data_read(job->a, rows->args->opt.data, NULL, &rows->data, err);
    }
    MB_TRY(st);
    return sim_use_mapped(job, rows, err);
}

size_t sim_centre(const sim_rows *rows)
{
    const mb_columns *c = rows->data.columns;
    size_t            n = (size_t)rows->data.d;

    for (int32_t d = 0; c && d < c->d; d++)
        n += (size_t)c->of[d].levels;
    return n;
}

mb_status sim_rows_read(sim_job *job, const sim_args *args, sim_rows *out, mb_err *err)
{
    mb_data_opt o = reading(args);

    *out = (sim_rows){.args = args};
    MB_NEW(out->mapped, job->a, 1, err);
    MB_TRY(read_options(job, args, &o, err));
    if (sim_in_parts(args))
        MB_TRY(sim_parts(job, out, is_plain(args), &o, err));
    else
        MB_TRY(stays_in_file(args) ? map_rows(job, out, err) : read_rows(job, out, err));
    MB_TRY(targets_last(job, out, err));
    return sim_design(job, out, err);
}

static void rest(void *mapped)
{
    mb_npy_rest(mapped);
}

/* `fit` looks at all rows before it begins, or at its share: gaps are for models that can have them. */
static mb_status look(sim_job *job, sim_case *cs, mb_err *err)
{
    const int32_t  threads = (int32_t)cs->args->opt.threads;
    const int      shared = sim_is_shared(job, cs->rows);
    const mb_kind *kind = cs->args->kind;
    mb_data_opt    o = reading(cs->args);
    int64_t        gaps = 0;
    mb_status      st;

    MB_TRY(app_missing(kind, &o, err));
    if (shared)
        MB_TRY(mb_table_share(job->a, job->ranks.comm, &cs->table, err));
    MB_TRY(mb_pool_open(job->a, threads ? threads : job->ranks.threads, &o.pool, err));
    st = mb_table_look(job->a, cs->rows->mapped,
                       !cs->prior && kind->needs_covariance &&
                           kind->needs_covariance(cs->args->model_opt),
                       o.pool, &cs->table, o.missing == MB_MISSING_KEEP && !shared ? &gaps : NULL,
                       shared ? NULL : &cs->hash, err);
    mb_pool_close(o.pool);
    return shared ? sim_share_agree(job, st, err) : st;
}

mb_status sim_table(sim_job *job, sim_case *cs, mb_err *err)
{
    cs->label = cs->rows->data.label;
    cs->table = mb_table_of(&cs->rows->data, cs->args->opt.data);
    cs->table.id = NULL; /* nodes are those of the network, in its order */
    cs->table.last_is_target = 1;
    cs->table.design = cs->rows->design;
    cs->table.rest = rest;
    cs->table.rest_self = cs->rows->mapped;
    return cs->args->command->fit && cs->rows->mapped->base ? look(job, cs, err) : MB_OK;
}

/* Each process checks its own rows. */
static mb_status check(const sim_case *cs, mb_err *err)
{
    const mb_part *part = &cs->fit->stages->place.part;
    const int64_t *first = cs->rows->data.first;

    for (int32_t i = 0; cs->rows->mapped->base && i < part->n_local; i++)
        MB_TRY(mb_npy_check(cs->args->opt.data, cs->rows->mapped, first[part->gid[i]],
                            first[part->gid[i] + 1], err));
    return MB_OK;
}

mb_status sim_rows_ready(sim_job *job, sim_case *cs, mb_err *err)
{
    const mb_part *part = &cs->fit->stages->place.part;
    const mb_data *data = &cs->rows->data;
    int64_t        n = 0;

    MB_TRY(ranks_agree(&job->ranks, check(cs, err), err));
    if (!data->label || job->ranks.size == 1)
        return MB_OK;
    for (int32_t i = 0; i < part->n_local; i++)
        n += data->first[part->gid[i] + 1] - data->first[part->gid[i]];
    MB_NEW(cs->label, job->a, n + 1, err);
    n = 0;
    for (int32_t i = 0; i < part->n_local; i++) {
        const int64_t first = data->first[part->gid[i]];
        const int64_t count = data->first[part->gid[i] + 1] - first;

        memcpy(cs->label + n, data->label + first, (size_t)count * sizeof *data->label);
        n += count;
    }
    return MB_OK;
}

mb_status sim_hash(sim_job *job, sim_case *cs, mb_err *err)
{
    const sim_opt *o = &cs->args->opt;

    if (!job->out && !o->checkpoint && !o->resume)
        return MB_OK;
    if (cs->rows->mapped->base && !cs->hash && !job->ranks.rank)
        cs->hash = mb_npy_hash(cs->rows->mapped);
    return ranks_share(&job->ranks, 0, &cs->hash, sizeof cs->hash, err);
}
