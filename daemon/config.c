/* config.c - the file that describes a node, read and checked. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORT_MOST = 65535, PORT_EPHEMERAL = 32768 };

const char *node_path(mb_arena *a, const node_config *c, const char *name, mb_err *err)
{
    return *name == '/' || !*c->dir ? mb_text(a, err, "%s", name)
                                    : mb_text(a, err, "%s/%s", c->dir, name);
}

const node_neighbour *node_config_find(const node_config *c, int64_t id)
{
    for (int32_t k = 0; k < c->neighbours; k++)
        if (c->neighbour[k].id == id)
            return &c->neighbour[k];
    return NULL;
}

/* A count of at most `most`, at least `least`; absent: def. */
static int64_t count_of(mb_json_in *j, const mb_json *o, const char *key, int64_t least,
                        int64_t most, int64_t def)
{
    const int64_t n = mb_json_get_count(j, o, key);
    char          accepted[80];

    if (mb_json_at(o, key)->type == MB_JSON_NONE)
        return def;
    snprintf(accepted, sizeof accepted, "a whole number from %lld to %lld", (long long)least,
             (long long)most);
    if (n < least || n > most)
        mb_json_refuse(j, key, "", accepted);
    return n;
}

static int32_t flag_of(mb_json_in *j, const mb_json *o, const char *key)
{
    const mb_json *is = mb_json_at(o, key);

    if (is->type != MB_JSON_NONE && is->type != MB_JSON_TRUE && is->type != MB_JSON_FALSE)
        mb_json_refuse(j, key, "", "true or false");
    return is->type == MB_JSON_TRUE;
}

/* The port of tcp://HOST:PORT; 0: it is no such text. */
static long port_of(const char *address)
{
    const char *at = strncmp(address, "tcp://", 6) ? NULL : strrchr(address + 6, ':');
    char       *end;
    long        port;

    if (!at || at == address + 6)
        return 0;
    port = strtol(at + 1, &end, 10);
    return *end || end == at + 1 || port < 1 || port > PORT_MOST ? 0 : port;
}

static int is_loopback(const char *address)
{
    return !strncmp(address, "tcp://127.", 10) || !strncmp(address, "tcp://[::1]:", 12) ||
           !strncmp(address, "tcp://localhost:", 16);
}

/* An address; with insecure only one of this machine. */
static const char *address_of(mb_json_in *j, const node_config *c, const mb_json *o,
                              const char *key)
{
    const char *address = mb_json_get_text(j, o, key);

    if (address && !port_of(address))
        mb_json_refuse(j, key, "", "tcp://HOST:PORT");
    else if (address && c->insecure && !is_loopback(address))
        mb_json_refuse(j, key, "",
                       "an address of this machine (tcp://127.0.0.1:PORT), because the "
                       "configuration says insecure");
    return address;
}

static void get_window(mb_json_in *j, const mb_json *o, node_config *c)
{
    static const char *const known[] = {"rows", "seconds", NULL};
    const mb_json           *w = mb_json_at(o, "window");
    double                   seconds;

    if (w->type == MB_JSON_NONE)
        return;
    if (w->type != MB_JSON_OBJECT || w->n != 1) {
        mb_json_refuse(j, "window", "", "{\"rows\": N} or {\"seconds\": T}");
        return;
    }
    j->where = "window.";
    mb_json_only(j, w, known);
    c->window_rows = count_of(j, w, "rows", 1, 1000000000, 0);
    seconds = mb_json_get_real(j, w, "seconds");
    if (mb_json_at(w, "seconds")->type != MB_JSON_NONE && !(seconds >= 1e-3 && seconds <= 1e9))
        mb_json_refuse(j, "seconds", "", "seconds, 0.001 to 1e9");
    else if (mb_json_at(w, "seconds")->type != MB_JSON_NONE)
        c->window_ms = (int64_t)(1e3 * seconds + .5);
    j->where = "";
}

static int by_id(const void *a, const void *b)
{
    const node_neighbour *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static void get_neighbour(mb_arena *a, mb_json_in *j, const node_config *c, const mb_json *o,
                          node_neighbour *n)
{
    static const char *const known[] = {"id", "name", "address", "public_key", NULL};

    if (o->type != MB_JSON_OBJECT) {
        mb_json_refuse(j, "", "", "an object with id, address and public_key");
        return;
    }
    mb_json_only(j, o, known);
    n->id = (int32_t)count_of(j, o, "id", 0, INT32_MAX - 1, -1);
    if (n->id < 0 || n->id == c->id)
        mb_json_refuse(j, "id", "", "the id of another node, 0 to 2147483646");
    n->name = mb_json_get_text(j, o, "name");
    if (!n->name)
        n->name = mb_text(a, j->err, "%d", (int)n->id);
    n->address = address_of(j, c, o, "address");
    if (!n->address && n->id < c->id)
        mb_json_refuse(j, "address", "",
                       "tcp://HOST:PORT: the node with the larger id connects to the other");
    n->public_key = mb_json_get_text(j, o, "public_key");
    if (!c->insecure && (!n->public_key || strlen(n->public_key) != NODE_KEY))
        mb_json_refuse(j, "public_key", "",
                       "the 40 characters that meshbayes-node keygen printed for that node");
}

static mb_status get_neighbours(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    const mb_json *list = mb_json_get(j, o, "neighbours", MB_JSON_LIST);
    char           where[48];

    MB_TRY(j->status);
    c->neighbours = (int32_t)list->n;
    MB_NEW(c->neighbour, a, list->n + 1, j->err);
    for (int32_t k = 0; k < c->neighbours && j->status >= 0; k++) {
        snprintf(where, sizeof where, "neighbours[%d].", (int)k);
        j->where = where;
        get_neighbour(a, j, c, &list->item[k], &c->neighbour[k]);
        j->where = "";
    }
    MB_TRY(j->status);
    qsort(c->neighbour, (size_t)c->neighbours, sizeof *c->neighbour, by_id);
    for (int32_t k = 1; k < c->neighbours; k++)
        if (c->neighbour[k].id == c->neighbour[k - 1].id)
            mb_json_refuse(j, "neighbours", "", "each id once");
    return j->status;
}

/* ---- the model ---- */

/* One option of the kind, by its name with _ for -. */
static mb_status set_option(mb_arena *a, mb_json_in *j, const mb_json *v, const mb_kind *kind,
                            void *opt)
{
    char          name[64], number[40];
    const char   *value = v->text;
    const mb_opt *o;
    size_t        n = 0;

    for (; v->key[n] && n + 1 < sizeof name; n++)
        name[n] = v->key[n] == '_' ? '-' : v->key[n];
    name[n] = 0;
    o = mb_opt_find(kind->opts, name);
    if (v->type == MB_JSON_INTEGER)
        snprintf(number, sizeof number, "%lld", (long long)v->integer);
    else
        snprintf(number, sizeof number, "%.17g", v->number);
    if (!value && (v->type == MB_JSON_INTEGER || v->type == MB_JSON_REAL))
        value = mb_text(a, j->err, "%s", number);
    if (!o || !value) {
        mb_json_refuse(j, v->key, "", o ? "a number or a text" : "an option of the model");
        return j->status;
    }
    return mb_opt_set(o, value, opt, j->err);
}

static mb_status get_columns(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    const mb_json *list = mb_json_at(o, "columns");
    const char   **name;

    if (list->type == MB_JSON_NONE)
        return MB_OK;
    if (list->type != MB_JSON_LIST || !list->n) {
        mb_json_refuse(j, "columns", "", "a list of names of columns");
        return j->status;
    }
    MB_NEW(name, a, list->n, j->err);
    for (size_t k = 0; k < list->n; k++) {
        name[k] = list->item[k].text;
        if (!name[k] || !*name[k])
            mb_json_refuse(j, "columns", "", "a list of names of columns");
    }
    c->plan.column = name;
    c->plan.columns = (int32_t)list->n;
    return j->status;
}

/* "model": the network draws its genesis block. */
static mb_status get_model(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    static const char *const own[] = {"name", "columns", "seed", "genesis", NULL};
    const mb_json           *m = mb_json_get(j, o, "model", MB_JSON_OBJECT);
    const char              *name, *from;
    char                    *opt;

    MB_TRY(j->status);
    j->where = "model.";
    name = mb_json_get_text(j, m, "name");
    c->plan.kind = mb_kind_find(name ? name : "gmm");
    if (!c->plan.kind)
        mb_json_refuse(j, "name", "", "the name of a model, as in meshbayes sim --model");
    from = mb_json_get_text(j, m, "genesis");
    c->plan.from = from && !strcmp(from, "sums") ? MB_GENESIS_SUMS : MB_GENESIS_SAMPLE;
    if (from && strcmp(from, "sums") && strcmp(from, "sample"))
        mb_json_refuse(j, "genesis", "", "sample or sums");
    c->plan.seed = (uint64_t)count_of(j, m, "seed", 0, INT64_C(9007199254740000), 1);
    MB_TRY(get_columns(a, j, m, c));
    MB_TRY(j->status);
    MB_NEW(opt, a, c->plan.kind->opt_size + 1, j->err);
    MB_TRY(mb_opt_defaults(c->plan.kind->opts, opt, j->err));
    for (size_t k = 0; k < m->n; k++) {
        const char *const *is = own;

        while (*is && strcmp(*is, m->item[k].key) != 0)
            is++;
        if (!*is)
            MB_TRY(set_option(a, j, &m->item[k], c->plan.kind, opt));
    }
    c->plan.kind_opt = opt;
    j->where = "";
    return j->status;
}

/* The plan of a block that was given: its kind, sizes and columns, other options as by default. */
static mb_status plan_of(mb_arena *a, const mb_genesis *g, mb_plan *out, mb_err *err)
{
    char *opt, components[48];

    MB_NEW(opt, a, g->kind->opt_size + 1, err);
    MB_TRY(mb_opt_defaults(g->kind->opts, opt, err));
    snprintf(components, sizeof components, "n-components=%d", (int)g->size.K);
    if (g->kind->latent)
        MB_TRY(mb_opt_assign(g->kind->opts, opt, components, err));
    *out = (mb_plan){.kind = g->kind,
                     .kind_opt = opt,
                     .columns = g->columns,
                     .column = g->column,
                     .from = MB_GENESIS_GIVEN};
    return MB_OK;
}

static mb_status get_plan(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c,
                          mb_genesis *given)
{
    const int model = mb_json_at(o, "model")->type != MB_JSON_NONE;

    c->genesis = mb_json_get_text(j, o, "genesis");
    if (model == (c->genesis != NULL))
        mb_json_refuse(j, "genesis", "",
                       "either \"genesis\" (a file of meshbayes genesis) or \"model\", and one of "
                       "them");
    MB_TRY(j->status);
    if (model)
        return get_model(a, j, o, c);
    c->genesis = node_path(a, c, c->genesis, j->err);
    if (!c->genesis)
        return MB_E_NOMEM;
    MB_TRY(mb_genesis_read(a, c->genesis, NULL, given, j->err));
    return plan_of(a, given, &c->plan, j->err);
}

/* ---- the rest ---- */

/* A file or folder that the configuration names. */
static mb_status path_of(mb_arena *a, mb_json_in *j, const mb_json *o, const char *key,
                         const node_config *c, const char **out)
{
    const char *name = mb_json_get_text(j, o, key);

    MB_TRY(j->status);
    *out = name && strcmp(name, "-") != 0 ? node_path(a, c, name, j->err) : name;
    return name && !*out ? MB_E_NOMEM : MB_OK;
}

static mb_status get_paths(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    MB_TRY(path_of(a, j, o, "key", c, &c->key));
    MB_TRY(path_of(a, j, o, "data", c, &c->data));
    MB_TRY(path_of(a, j, o, "state", c, &c->state));
    MB_TRY(path_of(a, j, o, "record", c, &c->record));
    c->status = mb_json_get_text(j, o, "status");
    if (c->status && !strncmp(c->status, "unix:", 5)) {
        c->status = node_path(a, c, c->status + 5, j->err);
        c->status = c->status ? mb_text(a, j->err, "unix:%s", c->status) : NULL;
        return c->status ? j->status : MB_E_NOMEM;
    }
    return j->status;
}

static void get_numbers(mb_json_in *j, const mb_json *o, node_config *c)
{
    const char *wire = mb_json_get_text(j, o, "wire");

    get_window(j, o, c);
    c->rows_max =
        count_of(j, o, "rows_max", 1, 1000000000, c->window_rows ? c->window_rows : NODE_ROWS);
    if (c->window_rows && c->rows_max < c->window_rows)
        mb_json_refuse(j, "rows_max", "", "at least window.rows");
    c->neighbours_max = (int32_t)count_of(j, o, "neighbours_max", 1, 100000, NODE_NEIGHBOURS);
    if (c->neighbours > c->neighbours_max)
        c->neighbours_max = c->neighbours;
    c->tick_ms = count_of(j, o, "tick_ms", 1, 3600000, 20);
    c->rest_ms = count_of(j, o, "rest_ms", 1, 3600000, 1000);
    c->checkpoint_ticks = count_of(j, o, "checkpoint_ticks", 1, 1000000000, 500);
    c->wire = wire && !strcmp(wire, "float16") ? MB_WIRE_FLOAT16 : MB_WIRE_FLOAT64;
    if (wire && strcmp(wire, "float16") != 0 && strcmp(wire, "float64") != 0)
        mb_json_refuse(j, "wire", "", "float64 or float16");
}

static mb_status get_who(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    c->id = (int32_t)count_of(j, o, "id", 0, INT32_MAX - 1, -1);
    if (c->id < 0)
        mb_json_refuse(j, "id", "", "a whole number from 0 to 2147483646, its own in the network");
    c->name = mb_json_get_text(j, o, "name");
    if (!c->name)
        c->name = mb_text(a, j->err, "%d", (int)c->id);
    c->insecure = flag_of(j, o, "insecure");
    c->follow = flag_of(j, o, "follow");
    c->listen = address_of(j, c, o, "listen");
    if (!c->listen)
        mb_json_refuse(j, "listen", "", "tcp://HOST:PORT");
    MB_TRY(get_paths(a, j, o, c));
    if (!c->key && !c->insecure)
        mb_json_refuse(j, "key", "", "a file of meshbayes-node keygen");
    if (c->follow && (!c->data || !strcmp(c->data, "-")))
        mb_json_refuse(j, "follow", "", "\"data\" to be a CSV file that grows");
    return j->status;
}

mb_status node_config_read(mb_arena *a, const char *file, node_config *out, mb_genesis *given,
                           mb_err *err)
{
    static const char *const known[] = {
        "id",     "name",           "listen",  "key",     "insecure", "data",
        "follow", "genesis",        "model",   "window",  "rows_max", "neighbours",
        "state",  "neighbours_max", "tick_ms", "rest_ms", "wire",     "checkpoint_ticks",
        "status", "record",         NULL};
    mb_json_in     j = {.file = file, .where = "", .err = err};
    const char    *slash = strrchr(file, '/');
    const mb_json *o;

    *out = (node_config){.file = file};
    *given = (mb_genesis){.kind = NULL};
    out->dir = slash ? mb_text(a, err, "%.*s", (int)(slash - file + (slash == file)), file) : "";
    if (!out->dir)
        return MB_E_NOMEM;
    MB_TRY(mb_json_read(a, file, &o, err));
    mb_json_only(&j, o, known);
    MB_TRY(j.status);
    MB_TRY(get_who(a, &j, o, out));
    MB_TRY(get_neighbours(a, &j, o, out));
    get_numbers(&j, o, out);
    MB_TRY(j.status);
    return get_plan(a, &j, o, out, given);
}
