/* sim_data_checks.c - warnings about the data: nodes without rows or with few, constant columns,
 * and features that look like names or classes. */
#include "base/rows.h"
#include "base/rows_opt.h"
#include "model/kind.h"
#include "run/fit_share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void warn_of_empty(sim_job *job, const sim_network *network)
{
    const mb_data *data = &network->rows->data;
    int32_t        empty = 0, first = -1;

    for (int32_t i = 0; i < data->N; i++)
        if (data->first[i] == data->first[i + 1]) {
            empty++;
            first = first < 0 ? i : first;
        }
    if (empty && network->net.id)
        sim_warn(job, "%d node%s without rows (the first is \"%s\"): they only pass messages on",
                 empty, empty > 1 ? "s" : "", network->net.id[first]);
}

int sim_is_masked(const sim_choice *c)
{
    return !c->cvb && c->algo->masked && c->algo->masked(c->opt);
}

/* 1: once it has begun neighbours see masked sums alone. */
static int is_masked(const sim_args *args)
{
    for (int32_t k = 0; k < args->nchoice; k++)
        if (!sim_is_masked(&args->choice[k]))
            return 0;
    return args->nchoice > 0;
}

/* Nodes whose rows their neighbours can compute: of a run that writes its result. */
static void warn_of_exposed(sim_job *job, const sim_network *network)
{
    const mb_data *data = &network->rows->data;
    int32_t        few = 0, first = -1;

    for (int32_t i = 0; i < data->N; i++)
        if (mb_rows_exposed(data->first[i + 1] - data->first[i], data->d)) {
            few++;
            first = first < 0 ? i : first;
        }
    if (is_masked(network->args) && network->args->opt.bounds)
        return;
    if (few && data->N > 1 && job->out && network->net.id && !network->args->masked)
        sim_warn(job,
                 "%d node%s at most as many rows as columns (\"%.60s\" %lld rows, %d columns): "
                 "such a node shows its neighbours, in effect, the rows%s",
                 (int)few, few > 1 ? "s have" : " has", network->net.id[first],
                 (long long)(data->first[first + 1] - data->first[first]), (int)data->d,
                 is_masked(network->args)
                     ? ", in the sums of the start, which are masked with --bounds FILE.csv alone"
                     : "");
}

/* A label that is used as a feature would reach inference unnoticed. */
static void warn_of_label(sim_job *job, const sim_rows *rows)
{
    static const char *const usual[] = {"label", "class", "target", "y"};

    for (int32_t d = 0; d < sim_inputs(rows); d++)
        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            if (!strcmp(rows->data.name[d], usual[k]))
                sim_warn(job,
                         "column \"%s\" is used as a feature; if it is the true class, say "
                         "--label-column %s",
                         usual[k], usual[k]);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The network's ids as ascending numbers; 0 when they are none. id: of net->n. */
static int ids_as_numbers(const mb_network *net, double *id)
{
    for (int32_t i = 0; i < net->n; i++)
        if (mb_parse_double(net->id[i], &id[i]))
            return 0;
    qsort(id, (size_t)net->n, sizeof *id, ascending);
    return 1;
}

/* 1 when all numbers of a column are nodes of the network, and half of the nodes or more occur. */
static int is_nodes(const sim_network *network, const mb_rows *rows, int32_t column,
                    const double *id, uint8_t *seen)
{
    const int32_t N = network->net.n;
    int32_t       count = 0;

    memset(seen, 0, (size_t)N);
    for (int64_t r = 0; r < rows->n; r++) {
        const double  x = mb_rows_at(rows, r, column);
        const double *found = bsearch(&x, id, (size_t)N, sizeof *id, ascending);

        if (!found)
            return 0;
        count += !seen[found - id];
        seen[found - id] = 1;
    }
    return count > 1 && 2 * count >= N;
}

static void warn_of_name(sim_job *job, const sim_args *args, const char *name, const char *why)
{
    char hint[240];

    snprintf(hint, sizeof hint, "if it only names rows or nodes, leave it out with --drop %.60s",
             name);
    if (args->command->fit == NULL && !args->opt.node_column)
        snprintf(hint, sizeof hint,
                 "if it says where a row is from, say --node-column %.60s, and if it only names "
                 "rows, leave it out with --drop %.60s",
                 name, name);
    sim_warn(job, "column \"%.60s\"%s is used as a feature; %s", name, why, hint);
}

static int is_usual(const char *name)
{
    return !strcasecmp(name, "node") || !strcasecmp(name, "site") || !strcasecmp(name, "id");
}

/* Names the first column of each kind. ends: 3 d; work: a number for each row. */
static void warn_of_names(sim_job *job, const sim_rows *of, const mb_rows *rows, double *ends,
                          double *work)
{
    const mb_data *data = &of->data;
    const char    *first = NULL, *why = NULL;
    int32_t        more = 0;
    char           text[96];

    app_column_ends(rows, ends + 2 * rows->d, ends);
    for (int32_t d = 0; d < sim_inputs(of); d++) {
        const char *mine = is_usual(data->name[d]) ? NULL : app_names_rows(rows, d, ends, work);

        if (is_usual(data->name[d]))
            warn_of_name(job, of->args, data->name[d], "");
        if (!mine)
            continue;
        more += first != NULL;
        first = first ? first : data->name[d];
        why = why ? why : mine;
    }
    if (!first)
        return;
    snprintf(text, sizeof text, " (%s)", why);
    if (more)
        snprintf(text, sizeof text, " (%s, as in %d more)", why, more);
    warn_of_name(job, of->args, first, text);
}

/* Columns whose values are ids of --network. work: N numbers and N bytes. */
static void warn_of_nodes(sim_job *job, const sim_network *network, const mb_rows *rows,
                          double *work)
{
    const mb_data *data = &network->rows->data;
    const int32_t  N = network->net.n;
    char           why[200];

    if (!network->args->opt.network || network->args->opt.node_column || data->N != N ||
        !network->net.id || !ids_as_numbers(&network->net, work))
        return;
    snprintf(why, sizeof why, " (its values are nodes of %.140s)", network->args->opt.network);
    for (int32_t d = 0; d < sim_inputs(network->rows); d++)
        if (!is_usual(data->name[d]) && !app_has_gaps(rows, d) &&
            is_nodes(network, rows, d, work, (uint8_t *)(work + N)))
            warn_of_name(job, network->args, data->name[d], why);
}

mb_status sim_check_data(sim_job *job, const sim_network *network, mb_err *err)
{
    const mb_rows rows = mb_table_of(&network->rows->data, network->args->opt.data).rows;
    mb_arena     *scratch_arena;
    double       *work = NULL, *ends = NULL;

    warn_of_empty(job, network);
    warn_of_exposed(job, network);
    warn_of_label(job, network->rows);
    if (network->rows->mapped->base &&
        (!network->args->command->fit || mb_npy_is_long(network->rows->mapped) ||
         sim_is_shared(job, network->rows)))
        return MB_OK; /* no names, and rows that are not in memory stay in the file */
    scratch_arena = mb_arena_new(1 << 16);
    if (scratch_arena) {
        work = mb_alloc(scratch_arena, (size_t)rows.n + 2 * (size_t)network->net.n, sizeof *work);
        ends = mb_alloc(scratch_arena, 3 * (size_t)rows.d, sizeof *ends);
    }
    if (work && ends) {
        warn_of_names(job, network->rows, &rows, ends, work);
        warn_of_nodes(job, network, &rows, work);
    }
    mb_arena_free(scratch_arena);
    if (!work || !ends)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    return MB_OK;
}

/* Nodes whose neighbours can compute the effects of their group; of all nodes, in each process. Rows
 * without groups are one at each node. */
static void warn_of_one_group(sim_job *job, const sim_case *cs)
{
    const mb_network *net = cs->fit->stages->place.net;
    const mb_data    *data = &cs->rows->data;
    int32_t           alone = 0, first = 0, g = 0;

    if (net->n == 1 || !net->id)
        return;
    for (int32_t i = 0; i < net->n; i++) {
        const int32_t before = g;

        while (g < data->ngroup && data->group[g] < data->first[i + 1])
            g++;
        if (data->group ? g - before != 1 : data->first[i] == data->first[i + 1])
            continue;
        first = alone++ ? first : i;
    }
    if (alone)
        sim_warn(
            job,
            "%d node%s one group (\"%.60s\"): such a node shows its neighbours, in effect, the "
            "effects of its group",
            (int)alone, alone > 1 ? "s have" : " has", net->id[first]);
}

/* Sequences of one row, by which a --group-column that names rows shows, too. */
static void warn_of_one_row(sim_job *job, const sim_case *cs)
{
    const mb_rows *rows = &cs->fit->stages->nodes.table.rows;
    const mb_data *data = &cs->rows->data;
    const int      named = data->group_name && data->ngroup == rows->ngroup;
    int32_t        short_ones = 0, first = 0;
    char           which[80] = "";

    for (int32_t g = 0; rows->first && g < rows->ngroup; g++)
        if (rows->first[g + 1] - rows->first[g] == 1)
            first = short_ones++ ? first : g;
    if (named)
        snprintf(which, sizeof which, " (the first is \"%.60s\")", data->group_name[first]);
    if (short_ones)
        sim_warn(job, "%d of %d %s %s one row%s: it says nothing of how rows follow each other",
                 (int)short_ones, (int)rows->ngroup, named ? "groups" : "sequences",
                 short_ones > 1 ? "have" : "has", which);
}

void sim_check_case(sim_job *job, const sim_case *cs)
{
    const mb_case  *c = &cs->fit->stages->nodes;
    const mb_units *u = &c->agreed;
    const mb_gaps  *gaps = &cs->fit->stages->nodes.gaps;

    if (mb_kind_needs_groups(c->kind) && cs->args->opt.data && !cs->args->opt.read.group_column &&
        !cs->args->opt.read.group_file && !cs->args->opt.node_column &&
        !cs->args->opt.read.node_file)
        sim_note(job, "rows without --group-column: each file is taken as one group");
    if (mb_kind_varies(c->kind))
        warn_of_one_group(job, cs);
    if (c->kind->ahead)
        warn_of_one_row(job, cs);
    if (gaps->cells)
        sim_note(job,
                 "%lld of %lld cells have no value (%lld of %lld rows): they are integrated out",
                 (long long)gaps->cells, (long long)(cs->rows->data.n * cs->rows->data.d),
                 (long long)gaps->rows, (long long)cs->rows->data.n);
    if (gaps->empty)
        sim_note(job, "rows without any value, whose weight is 0: %lld", (long long)gaps->empty);
    for (int32_t d = 0; d < u->d && !c->kind->form; d++) /* whose counts are often all 1 */
        if (u->constant[d] && (d < mb_sizes_inputs(&c->size) || d >= c->size.D)) /* no offset */
            sim_warn(job, "%s \"%s\" is constant (%.9g): %s", d < c->size.D ? "column" : "target",
                     c->table.column[d], u->origin[d],
                     d < c->size.D ? "its scale is taken as 1" : "nothing explains it");
    if (cs->fit->stages->nodes.warning)
        sim_warn(job, "%s", cs->fit->stages->nodes.warning);
}

void sim_check_repeated(sim_job *job, const sim_case *cs)
{
    if (cs->drawn->repeated && !job->mentioned)
        sim_warn(job, "fewer than %d distinct rows: some components start equal and stay equal",
                 sim_components(cs->args));
    job->mentioned |= cs->drawn->repeated;
}
