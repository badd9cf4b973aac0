/* local_config.c - node.json of a node: what it needs to know, with paths relative to its folder. */
#include "base/node_file.h"
#include "base/text.h"
#include "up/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_address(const local_node *n, const char *key, mb_json_out *j)
{
    char text[64];

    snprintf(text, sizeof text, "tcp://127.0.0.1:%d", (int)n->port);
    mb_json_text(j, key, text);
}

/* An option of the model under its name in JSON: a number as one. */
static void put_option(const mb_opt *o, const void *obj, mb_json_out *j)
{
    char        key[64], number[64];
    const char *text = sim_option_text(o, obj, number);
    size_t      n = 0;

    for (; o->name[n] && n + 1 < sizeof key; n++)
        key[n] = o->name[n] == '-' ? '_' : o->name[n];
    key[n] = 0;
    if (o->kind == MB_OPT_INT)
        mb_json_integer(j, key, strtoll(text, NULL, 10));
    else
        mb_json_text(j, key, text);
}

static void put_model(const up *u, mb_json_out *j)
{
    const mb_plan *plan = &u->plan;

    mb_json_object(j, "model");
    mb_json_text(j, "name", plan->kind->name);
    for (const mb_opt *o = plan->kind->opts; o && o->name; o++)
        if (sim_option_given(o, plan->kind_opt))
            put_option(o, plan->kind_opt, j);
    mb_json_texts(j, "columns", plan->columns, plan->column);
    if (plan->kinds)
        mb_json_text(j, "column", plan->kinds->text);
    mb_json_integer(j, "seed", (int64_t)plan->seed);
    mb_json_text(j, "genesis", plan->from == MB_GENESIS_SUMS ? "sums" : "sample");
    mb_json_close(j);
}

static void put_neighbours(const local *l, int32_t i, mb_json_out *j)
{
    const mb_network *net = &l->u->cs->network->net;

    mb_json_list(j, "neighbours");
    for (int64_t e = net->g.ptr[i]; e < net->g.ptr[i + 1]; e++) {
        const int32_t k = net->g.adj[e];

        mb_json_object(j, NULL);
        mb_json_integer(j, "id", k);
        mb_json_text(j, "name", net->id[k]);
        put_address(&l->node[k], "address", j);
        if (l->node[k].key)
            mb_json_text(j, "public_key", l->node[k].key);
        mb_json_close(j);
    }
    mb_json_close(j);
}

static void put_window(const up *u, int64_t rows, mb_json_out *j)
{
    if (u->args.window_rows > 0 || u->args.window_s > 0) {
        mb_json_object(j, "window");
        if (u->args.window_rows > 0)
            mb_json_integer(j, "rows", (int64_t)u->args.window_rows);
        else
            mb_json_number(j, "seconds", u->args.window_s);
        mb_json_close(j);
    }
    if (!(u->args.window_rows > 0) && rows > NODE_ROWS)
        mb_json_integer(j, "rows_max", rows);
}

const char *local_group(const sim_args *args)
{
    return args->opt.read.group_column ? args->opt.read.group_column : "group";
}

/* Where the rows come from, and how long they stay. */
static void put_rows(const up *u, int32_t i, mb_json_out *j)
{
    if (u->how.rows[i].n)
        mb_json_text(j, "data", "rows.csv");
    if (u->cs->rows->data.w)
        mb_json_text(j, "weight_column", u->cs->args->opt.weight_column);
    if (u->cs->rows->data.group)
        mb_json_text(j, "group_column", local_group(u->cs->args));
    put_window(u, u->how.rows[i].n, j);
}

/* Times, and the options of the algorithm. */
static void put_numbers(const up *u, mb_json_out *j)
{
    mb_json_integer(j, "tick_ms", (int64_t)llround(fmax(1, 1e3 * u->args.tick)));
    mb_json_number(j, "tol", u->cs->args->opt.tol);
    if (!isnan(u->opt.kappa) || !isnan(u->opt.eta)) {
        mb_json_object(j, "edge");
        if (!isnan(u->opt.kappa))
            mb_json_number(j, "kappa", u->opt.kappa);
        if (!isnan(u->opt.eta))
            mb_json_number(j, "eta", u->opt.eta);
        mb_json_close(j);
    }
    mb_json_text(j, "wire", u->opt.wire == MB_WIRE_FLOAT16 ? "float16" : "float64");
}

/* What the node writes, and where it tells its status. */
static void put_files(const local *l, int32_t i, mb_json_out *j)
{
    const up *u = l->u;

    if (u->args.checkpoint_ticks) {
        mb_json_text(j, "state", "state");
        mb_json_integer(j, "checkpoint_ticks", u->args.checkpoint_ticks);
    }
    mb_json_text(j, "status", l->node[i].status);
    if (l->record)
        mb_json_text(j, "record", l->record);
    if (l->record && u->args.record_limit > 0)
        mb_json_integer(j, "record_limit", (int64_t)u->args.record_limit);
}

mb_status local_config(local *l, int32_t i, mb_err *err)
{
    const up   *u = l->u;
    const char *path = mb_text(u->job->a, err, "%s/node.json", l->node[i].dir);
    mb_json_out j;

    if (!path)
        return MB_E_NOMEM;
    mb_json_begin(&j, u->job->a, err);
    mb_json_object(&j, NULL);
    mb_json_integer(&j, "id", i);
    mb_json_text(&j, "name", u->cs->network->net.id[i]);
    put_address(&l->node[i], "listen", &j);
    if (l->node[i].key)
        mb_json_text(&j, "key", "node.key");
    else
        mb_json_bool(&j, "insecure", 1);
    put_rows(u, i, &j);
    if (u->block.kind)
        mb_json_text(&j, "genesis", "genesis.json");
    else
        put_model(u, &j);
    put_numbers(u, &j);
    put_files(l, i, &j);
    put_neighbours(l, i, &j);
    mb_json_close(&j);
    return mb_json_write(&j, path);
}
