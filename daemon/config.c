/* config.c - the file that describes a node, read and checked. */
#include "algo/nodes.h"
#include "base/text.h"
#include "config_inside.h"
#include "meshbayes/extend.h"
#include "virtual/record.h"

#include <string.h>

enum { TICK_MS = 20, REST_MS = 1000, MS_MOST = 3600000 };
static const int64_t BYTES_MOST = INT64_C(1000000000000);

const node_neighbour *node_config_find(const node_config *c, int64_t id)
{
    for (int32_t k = 0; k < c->neighbours; k++)
        if (c->neighbour[k].id == id)
            return &c->neighbour[k];
    return NULL;
}

static mb_status get_paths(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    MB_TRY(node_path_of(a, j, o, "key", c, &c->key));
    MB_TRY(node_path_of(a, j, o, "state", c, &c->state));
    MB_TRY(node_path_of(a, j, o, "record", c, &c->record));
    c->record_limit = node_count_of(j, o, "record_limit", MB_RECORD_LEAST, BYTES_MOST, 0);
    return node_access_of(a, j, o, c);
}

/* That of the genesis where it names one; both name the same. */
static mb_status get_algorithm(mb_json_in *j, const mb_json *o, const mb_genesis *given,
                               node_config *c)
{
    const char *name = mb_json_get_text(j, o, "algorithm");
    const char *agreed = given->declared ? given->declared->algorithm : NULL;
    mb_err      why = {.msg = ""};

    if (!name)
        name = agreed;
    if (name && mb_node_algo_find_(name, &c->plan.algo, &why) < 0)
        MB_FAIL(j->err, MB_E_FORMAT, "%s: %s", j->file, why.msg);
    if (agreed && name && strcmp(name, agreed) != 0)
        mb_json_refuse(j, "algorithm", "", "that of the genesis, or none");
    return j->status;
}

/* Options of the algorithm, in the ranges that they have everywhere. */
static void get_edge(mb_json_in *j, const mb_json *o, node_config *c)
{
    static const char *const known[] = {"kappa", "eta", NULL};
    const mb_opt            *kappa = mb_opt_find(mb_algo_edge.opts, "edge.kappa");
    const mb_opt            *eta = mb_opt_find(mb_algo_edge.opts, "edge.eta");
    const mb_json           *e = mb_json_at(o, "edge");

    if (e->type == MB_JSON_NONE)
        return;
    if (e->type != MB_JSON_OBJECT) {
        mb_json_refuse(j, "edge", "", "{\"kappa\": X, \"eta\": Y}, or one of them");
        return;
    }
    j->where = "edge.";
    mb_json_only(j, e, known);
    c->kappa = node_real_of(j, e, "kappa", kappa->lo, kappa->hi, 0);
    c->eta = node_real_of(j, e, "eta", eta->lo, eta->hi, 0);
    j->where = "";
}

/* The place of a word in a list; def where the field is not given. */
static int32_t get_word(mb_json_in *j, const mb_json *o, const char *key, const char *accepted,
                        const char *const *words, int32_t def)
{
    const char *text = mb_json_get_text(j, o, key);

    if (!text)
        return def;
    for (int32_t k = 0; words[k]; k++)
        if (!strcmp(text, words[k]))
            return k;
    mb_json_refuse(j, key, "", accepted);
    return def;
}

static void get_log(mb_json_in *j, const mb_json *o, node_config *c)
{
    static const char *const formats[] = {"text", "json", NULL};
    const char *const        levels[] = {node_level_text(LOG_ERROR), node_level_text(LOG_WARNING),
                                         node_level_text(LOG_INFO), NULL};

    c->log_json = get_word(j, o, "log_format", "text or json", formats, 0);
    c->log_level =
        (log_level)get_word(j, o, "log_level", "error, warning or info", levels, LOG_INFO);
}

static void get_numbers(mb_json_in *j, const mb_json *o, node_config *c)
{
    static const char *const wires[] = {"float64", "float16", "changes", NULL};
    static const char *const answers[] = {"report", "drop", NULL};

    c->min_nodes = (int32_t)node_count_of(j, o, "min_nodes", 0, NODE_NODES_MOST, 0);
    c->neighbours_max = (int32_t)node_count_of(j, o, "neighbours_max", 1, 100000, NODE_NEIGHBOURS);
    if (c->neighbours > c->neighbours_max)
        c->neighbours_max = c->neighbours;
    c->tick_ms = node_count_of(j, o, "tick_ms", 1, MS_MOST, TICK_MS);
    c->rest_ms = node_count_of(j, o, "rest_ms", c->tick_ms, MS_MOST,
                               c->tick_ms > REST_MS ? c->tick_ms : REST_MS);
    c->tick_least_ms = node_count_of(j, o, "tick_least_ms", 0, c->tick_ms,
                                     node_is_local(c)       ? 0
                                     : c->tick_ms < TICK_MS ? c->tick_ms
                                                            : TICK_MS);
    c->bytes_per_second = node_count_of(j, o, "bytes_per_second", 0, BYTES_MOST, 0);
    c->tol = node_real_of(j, o, "tol", 1e-300, 1, 0);
    get_edge(j, o, c);
    c->checkpoint_ticks = node_count_of(j, o, "checkpoint_ticks", 1, 1000000000, 500);
    c->wire = get_word(j, o, "wire", "float64, float16 or changes", wires, MB_WIRE_FLOAT64);
    c->drop_broken = get_word(j, o, "on_broken", "report or drop", answers, 0);
}

static mb_status get_who(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    c->id = (int32_t)node_count_of(j, o, "id", 0, INT32_MAX - 1, -1);
    if (c->id < 0)
        mb_json_refuse(j, "id", "", "a whole number from 0 to 2147483646, its own in the network");
    c->name = mb_json_get_text(j, o, "name");
    if (!c->name)
        c->name = mb_text(a, j->err, "%d", (int)c->id);
    c->insecure = node_flag_of(j, o, "insecure");
    c->listen = node_file_address(j, o, "listen", c->insecure);
    if (!c->listen)
        mb_json_refuse(j, "listen", "", "tcp://HOST:PORT");
    MB_TRY(get_paths(a, j, o, c));
    if (!c->key && !c->insecure)
        mb_json_refuse(j, "key", "", "a file of meshbayes-node keygen");
    return j->status;
}

/* What the nodes run, and what hides the sums of each. */
static mb_status get_sums(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_genesis *given,
                          node_config *c)
{
    MB_TRY(get_algorithm(j, o, given, c));
    MB_TRY(node_mask_of(j, o, given, c));
    return node_privacy_of(a, j, o, c);
}

/* What the list does not call by a name is called as this node does. */
static void name_members(const node_config *c, const mb_declared *d)
{
    for (int32_t k = 0; d && k < d->members; k++) {
        mb_member            *m = (mb_member *)(uintptr_t)&d->member[k];
        const node_neighbour *is = node_config_find(c, m->id);

        if (!m->name)
            m->name = m->id == c->id ? c->name : is ? is->name : NULL;
    }
}

mb_status node_config_read(mb_arena *a, const char *file, node_config *out, mb_genesis *given,
                           mb_err *err)
{
    /* clang-format off */
    static const char *const known[] = {
        "id",       "name",          "listen",         "key",        "insecure",       "data",
        "follow",   "weight_column", "group_column",   "genesis",    "model",          "window",
        "rows_max", "neighbours",    "neighbours_max", "tol",        "edge",           "state",
        "checkpoint_ticks", "tick_ms", "rest_ms", "wire", "status", "record", "record_limit",
        "algorithm", "tick_least_ms", "bytes_per_second", "min_nodes", "log_format", "log_level",
        "revoked", "status_tls", "status_token_file", "on_broken", "mask", "ledger", "budget", NULL};
    /* clang-format on */
    mb_json_in     j = {.file = file, .where = "", .err = err};
    const char    *slash = strrchr(file, '/');
    const mb_json *o;

    *out = (node_config){.file = file};
    *given = (mb_genesis){.kind = NULL};
    out->dir = slash ? mb_text(a, err, "%.*s", (int)(slash - file + (slash == file)), file) : "";
    if (!out->dir)
        return MB_E_NOMEM;
    MB_TRY(mb_json_read(a, file, &o, err));
    node_no_privacy(&j, o);
    mb_json_only(&j, o, known);
    MB_TRY(j.status);
    MB_TRY(get_who(a, &j, o, out));
    MB_TRY(node_rows_of(a, &j, o, out));
    MB_TRY(node_neighbours_of(a, &j, o, out));
    MB_TRY(node_revoked_of(a, &j, o, out));
    get_numbers(&j, o, out);
    get_log(&j, o, out);
    MB_TRY(j.status);
    MB_TRY(node_plan_of(a, &j, o, out, given));
    MB_TRY(get_sums(a, &j, o, given, out));
    name_members(out, given->declared);
    out->fields = o;
    return node_config_sound(&j, out);
}
