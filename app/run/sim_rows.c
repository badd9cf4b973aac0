/* sim_rows.c - the rows of --data: read or mapped, targets last, labels, hash. */
#include "base/columns.h"
#include "base/pool.h"
#include "model/kind.h"
#include "run/fit_share.h"
#include "run/fit_update.h"

#include <string.h>
#include <sys/stat.h>

/* A file without names has the targets in its last columns. */
static mb_status find_order(const sim *s, int32_t *order, mb_err *err)
{
    const mb_data *data = &s->rows.data;
    const mb_kind *kind = s->args.kind;
    const mb_table table = mb_table_of(data, s->args.opt.data);

    if (kind->target && !mb_kind_target_column(kind, s->args.model_opt) &&
        !mb_path_ends(s->args.opt.data, ".npy"))
        MB_FAIL(err, MB_E_ARG, "--target-column is missing: the column to explain, one of %s .. %s",
                data->name[0], data->name[data->d - 1]);
    return mb_table_order(&table, kind, s->args.model_opt, order, err);
}

/* What the options say of the columns and the form of the rows. */
static mb_data_opt reading(const sim *s)
{
    const mb_kind *kind = s->args.kind;
    mb_data_opt    o = s->args.opt.read;
    mb_sizes       size;

    kind->sizes(s->args.model_opt, 1, &size);
    o.node_column = s->args.opt.node_column;
    o.label_column = s->args.opt.label_column;
    o.weight_column = s->args.opt.weight_column;
    o.targets = kind->target ? mb_kind_target_column(kind, s->args.model_opt) : NULL;
    o.recognise = mb_kind_mixed(kind, &size) || mb_kind_takes_levels(kind, &size);
    if (mb_kind_takes_levels(kind, &size)) {
        o.category = o.targets ? o.targets : "";
        o.of_words = !mb_kind_category(kind, &size);
    }
    return o;
}

/* Blocks of a NPY file, or all of its rows at one place, need no copy: it has features only, in
 * order. */
static int is_plain(const sim *s)
{
    const char       *dot = strrchr(s->args.opt.data, '.');
    const mb_data_opt o = reading(s);

    return (s->args.opt.deal == SIM_BLOCKS || (s->args.command->fit && !s->args.update)) && dot &&
           !strcmp(dot, ".npy") && !o.node_column && !o.label_column && !o.weight_column &&
           !o.columns && !o.drop && !o.node_file && !o.label_file && !o.group_column &&
           !o.group_file &&
           (s->args.command->fit ? o.missing != MB_MISSING_DROP
                                 : o.missing == MB_MISSING_ERROR || o.missing == MB_MISSING_AUTO) &&
           !o.column && !o.levels && (!o.recognise || o.of_words);
}

static int stays_in_file(const sim *s)
{
    struct stat is;

    return is_plain(s) && stat(s->args.opt.data, &is) == 0 && S_ISREG(is.st_mode);
}

static mb_status read_rows(sim *s, mb_err *err)
{
    const int32_t threads = (int32_t)s->args.opt.threads;
    mb_data_opt   o = reading(s);
    mb_data      *data = &s->rows.data;
    mb_status     st;

    MB_TRY(app_missing(s->args.kind, &o, err));
    if (!strcmp(s->args.opt.data, "-") && s->job.ranks.size > 1)
        MB_FAIL(err, MB_E_ARG,
                "--data: standard input comes to one process only; expected a file, which every "
                "process reads");
    MB_TRY(mb_pool_open(s->job.a, threads ? threads : s->job.ranks.threads, &o.pool, err));
    st = s->args.update ? sim_update_read(s, &o, data, err)
                        : mb_data_read(s->job.a, s->args.opt.data, &o, data, err);
    mb_pool_close(o.pool);
    MB_TRY(st);
    for (int32_t k = 0; k < data->nnotes; k++)
        sim_note(s, "%s", data->note[k]);
    if (s->args.command->fit) { /* all rows at one place, whatever node they are from */
        data->N = 0;
        data->node_id = NULL;
        data->first = NULL;
    }
    return MB_OK;
}

/* A mapped file stays as it is: where columns are to move, `fit` reads it. */
static mb_status movable(sim *s, mb_err *err)
{
    if (!s->rows.mapped.base)
        return MB_OK;
    if (!s->args.command->fit || sim_in_parts(s))
        MB_FAIL(err, MB_E_ARG,
                "--target-column: with %s rows stay as they are in %s; expected the last column",
                s->args.command->fit ? "parts" : "--deal blocks", s->args.opt.data);
    mb_npy_unmap(&s->rows.mapped);
    s->rows.data = (mb_data){0};
    return read_rows(s, err);
}

/* In place; the library would copy the rows. */
static mb_status targets_last(sim *s, mb_err *err)
{
    const mb_kind *kind = s->args.kind;
    mb_data       *data = &s->rows.data;
    const int32_t  d = data->d;
    const char   **name;
    double        *row;
    mb_sizes       size;
    int32_t       *order, moves = 0;

    if (!kind->target)
        return MB_OK;
    kind->sizes(s->args.model_opt, d, &size);
    if (size.D < 1 - size.intercept)
        MB_FAIL(err, MB_E_ARG, "%s: only the target is there; expected inputs beside it",
                s->args.opt.data);
    MB_NEW(order, s->job.a, d, err);
    MB_NEW(name, s->job.a, d, err);
    MB_NEW(row, s->job.a, d, err);
    MB_TRY(find_order(s, order, err));
    for (int32_t k = 0; k < d; k++)
        moves |= order[k] != k;
    if (!moves)
        return MB_OK;
    MB_TRY(movable(s, err));
    for (int32_t k = 0; k < d; k++)
        name[k] = data->name[order[k]];
    memcpy(data->name, name, (size_t)d * sizeof *name);
    MB_TRY(mb_columns_permute(s->job.a, order, &data->columns, err));
    for (int64_t r = 0; r < data->n; r++) {
        memcpy(row, data->x + r * d, (size_t)d * sizeof *row);
        for (int32_t k = 0; k < d; k++)
            data->x[r * d + k] = row[order[k]];
    }
    return MB_OK;
}

/* Files that cannot be mapped are read whole. */
static mb_status map_rows(sim *s, mb_err *err)
{
    sim_rows *rows = &s->rows;
    mb_status st = mb_npy_map(s->args.opt.data, &rows->mapped, err);

    if (st < 0 && s->args.command->fit) /* reading says what is wrong, if anything is */
        return read_rows(s, err);
    if (st == MB_E_NOSUP) {
        sim_warn(s, "%s; they are read whole", err->msg);
        return mb_data_read(s->job.a, s->args.opt.data, NULL, &rows->data, err);
    }
    MB_TRY(st);
    return sim_use_mapped(s, err);
}

size_t sim_centre(const sim *s)
{
    const mb_columns *c = s->rows.data.columns;
    size_t            n = (size_t)s->rows.data.d;

    for (int32_t d = 0; c && d < c->d; d++)
        n += (size_t)c->of[d].levels;
    return n;
}

mb_status sim_data(sim *s, mb_err *err)
{
    const mb_data_opt o = reading(s);

    if (sim_in_parts(s))
        MB_TRY(sim_parts(s, is_plain(s), &o, err));
    else
        MB_TRY(stays_in_file(s) ? map_rows(s, err) : read_rows(s, err));
    return targets_last(s, err);
}

static void rest(void *mapped)
{
    mb_npy_rest(mapped);
}

/* `fit` looks at all rows before it begins, or at its share: gaps are for models that can have them. */
static mb_status look(sim *s, mb_err *err)
{
    const int32_t  threads = (int32_t)s->args.opt.threads;
    const int      shared = sim_is_shared(s);
    const mb_kind *kind = s->args.kind;
    mb_data_opt    o = reading(s);
    mb_data       *data = &s->rows.data;
    mb_status      st;

    MB_TRY(app_missing(kind, &o, err));
    if (shared)
        MB_TRY(mb_table_share(s->job.a, s->job.ranks.comm, &s->cs.table, err));
    MB_TRY(mb_pool_open(s->job.a, threads ? threads : s->job.ranks.threads, &o.pool, err));
    st = mb_table_look(
        s->job.a, &s->rows.mapped,
        !s->cs.prior && kind->needs_covariance && kind->needs_covariance(s->args.model_opt), o.pool,
        &s->cs.table, o.missing == MB_MISSING_KEEP && !shared ? &data->gaps : NULL,
        shared ? NULL : &data->hash, err);
    mb_pool_close(o.pool);
    return shared ? sim_share_agree(s, st, err) : st;
}

mb_status sim_table(sim *s, mb_err *err)
{
    s->cs.label = s->rows.data.label;
    s->cs.table = mb_table_of(&s->rows.data, s->args.opt.data);
    s->cs.table.id = NULL; /* nodes are those of the network, in its order */
    s->cs.table.last_is_target = 1;
    s->cs.table.rest = rest;
    s->cs.table.rest_self = &s->rows.mapped;
    return s->args.command->fit && s->rows.mapped.base ? look(s, err) : MB_OK;
}

/* Each process checks its own rows. */
static mb_status check(const sim *s, mb_err *err)
{
    const mb_part *part = &s->cs.fit->stages->place.part;
    const int64_t *first = s->rows.data.first;

    for (int32_t i = 0; s->rows.mapped.base && i < part->n_local; i++)
        MB_TRY(mb_npy_check(s->args.opt.data, &s->rows.mapped, first[part->gid[i]],
                            first[part->gid[i] + 1], err));
    return MB_OK;
}

mb_status sim_rows_ready(sim *s, mb_err *err)
{
    const mb_part *part = &s->cs.fit->stages->place.part;
    const mb_data *data = &s->rows.data;
    int64_t        n = 0;

    MB_TRY(ranks_agree(&s->job.ranks, check(s, err), err));
    if (!data->label || s->job.ranks.size == 1)
        return MB_OK;
    for (int32_t i = 0; i < part->n_local; i++)
        n += data->first[part->gid[i] + 1] - data->first[part->gid[i]];
    MB_NEW(s->cs.label, s->job.a, n + 1, err);
    n = 0;
    for (int32_t i = 0; i < part->n_local; i++) {
        const int64_t first = data->first[part->gid[i]];
        const int64_t count = data->first[part->gid[i] + 1] - first;

        memcpy(s->cs.label + n, data->label + first, (size_t)count * sizeof *data->label);
        n += count;
    }
    return MB_OK;
}

mb_status sim_hash(sim *s, mb_err *err)
{
    mb_data *data = &s->rows.data;

    if (s->rows.mapped.base && !data->hash && !s->job.ranks.rank)
        data->hash = mb_npy_hash(&s->rows.mapped);
    return ranks_share(&s->job.ranks, 0, &data->hash, sizeof data->hash, err);
}
