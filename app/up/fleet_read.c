/* fleet_read.c - network.json (docs/formats.md), read and checked. */
#include "base/app.h"
#include "base/node_file.h"
#include "base/text.h"
#include "mesh/file_declared.h"
#include "network/graph.h"
#include "up/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is made from other fields, and what is of one node and not copied to its node.json. */
static const char *const made[] = {"key", "insecure", "genesis", "neighbours"};
static const char *const local[] = {"id",         "name",        "address",   "listen",
                                    "public_key", "signing_key", "status_at", "rows"};
#define LENGTH(list) (sizeof(list) / sizeof *(list))

static int is_in(const char *key, const char *const *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!strcmp(key, list[k]))
            return 1;
    return 0;
}

int fleet_own_field(const char *key)
{
    return is_in(key, local, LENGTH(local));
}

/* MB_JSON_NONE is an object without members. */
static void check_fields(mb_json_in *j, const mb_json *o, int common)
{
    for (size_t m = 0; o->type == MB_JSON_OBJECT && m < o->n; m++)
        if (is_in(o->item[m].key, made, LENGTH(made)) ||
            (common && fleet_own_field(o->item[m].key)))
            mb_json_refuse_member(j, &o->item[m],
                                  common ? "fields of node.json that all nodes have in common"
                                         : "none that fleet makes: key, insecure, genesis, "
                                           "neighbours");
}

/* A field of node.json: of the node, or of all. */
static const char *field(mb_json_in *j, const fleet *f, const mb_json *o, const char *key)
{
    const char *own = mb_json_get_text(j, o, key);

    return own ? own : mb_json_get_text(j, f->all, key);
}

/* address and listen, which is the same port: at the same address in a network that is insecure,
 * else at all addresses of the machine. */
static void get_addresses(mb_arena *a, mb_json_in *j, const mb_json *o, int insecure,
                          node_folder *to)
{
    static const char name[] = "tcp://localhost:";

    to->address = node_file_address(j, o, "address", insecure);
    to->listen = node_file_address(j, o, "listen", insecure);
    if (!to->address)
        mb_json_refuse(j, "address", "", "tcp://HOST:PORT, where its neighbours reach it");
    else if (!to->listen)
        to->listen = insecure && strncmp(to->address, name, strlen(name)) != 0
                         ? to->address
                         : mb_text(a, j->err, "tcp://%s%s", insecure ? "127.0.0.1" : "0.0.0.0",
                                   strrchr(to->address, ':'));
}

static mb_status get_node(mb_arena *a, const fleet *f, mb_json_in *j, const mb_json *o,
                          fleet_node *out)
{
    const int64_t id = mb_json_get_count(j, o, "id");
    node_folder  *to = &out->folder;

    *out = (fleet_node){.fields = o};
    if (id < 0 || id >= INT32_MAX)
        mb_json_refuse(j, "id", "", "its number in the network, 0 to 2147483646");
    check_fields(j, o, 0);
    to->id = (int32_t)id;
    to->name = mb_json_get_text(j, o, "name");
    get_addresses(a, j, o, f->insecure, to);
    to->key = mb_json_get_text(j, o, "public_key");
    if (to->key && strlen(to->key) != MB_CURVE_KEY)
        mb_json_refuse(j, "public_key", "", "40 characters, as meshbayes-node keygen prints them");
    if (to->key && f->insecure)
        mb_json_refuse(j, "public_key", "", "none in a network that is insecure");
    out->status = field(j, f, o, "status");
    out->token = field(j, f, o, "status_token_file");
    out->status_at = mb_json_get_text(j, o, "status_at");
    if (out->status_at && !ask_is_address(out->status_at))
        mb_json_refuse(j, "status_at", "",
                       "unix:PATH or http://ADDRESS:PORT, an address in numbers, without TLS");
    MB_TRY(mb_declared_signing_key_(a, j, o, "signing_key", &out->signing_key));
    if (out->signing_key && !to->key)
        mb_json_refuse(j, "signing_key", "", "it beside the public_key of the same key file");
    out->rows = mb_json_get_real(j, o, "rows");
    if (out->rows < 0)
        mb_json_refuse(j, "rows", "", "the number of its rows");
    out->weighted = field(j, f, o, "weight_column") != NULL;
    if (!to->name)
        to->name = mb_text(a, j->err, "%lld", (long long)id);
    MB_TRY(j->status);
    return to->name && to->listen ? MB_OK : MB_E_NOMEM;
}

static int by_id(const void *x, const void *y)
{
    const fleet_node *a = x, *b = y;

    return (a->folder.id > b->folder.id) - (a->folder.id < b->folder.id);
}

int32_t fleet_find(const fleet *f, int32_t n, int64_t id)
{
    const fleet_node key = {.folder = {.id = (int32_t)id}}, *at = NULL;

    if (id >= 0 && id < INT32_MAX)
        at = bsearch(&key, f->node, (size_t)n, sizeof *f->node, by_id);
    return at ? (int32_t)(at - f->node) : -1;
}

static mb_status get_nodes(mb_arena *a, mb_json_in *j, const mb_json *list, const char *dir,
                           fleet *f)
{
    mb_err     *err = j->err;
    const char *name;
    mb_json_in  one = *j;

    MB_NEW(f->node, a, list->n + 1, err);
    for (size_t k = 0; k < list->n; k++) {
        one.where = mb_text(a, err, "nodes[%zu].", k);
        if (!one.where)
            return MB_E_NOMEM;
        MB_TRY(get_node(a, f, &one, &list->item[k], &f->node[k]));
        name = node_folder_name(a, f->node[k].folder.name, err);
        f->node[k].folder.dir = name ? mb_text(a, err, "%s/nodes/%s", dir, name) : NULL;
        if (!f->node[k].folder.dir)
            return MB_E_NOMEM;
    }
    qsort(f->node, list->n, sizeof *f->node, by_id);
    for (size_t k = 1; k < list->n; k++)
        if (f->node[k].folder.id == f->node[k - 1].folder.id)
            MB_FAIL(err, MB_E_FORMAT, "%s: field \"nodes\": got id %d twice; expected each once",
                    f->file, (int)f->node[k].folder.id);
    return MB_OK;
}

static mb_status get_links(mb_arena *a, mb_json_in *j, const mb_json *list, int32_t n, fleet *f)
{
    const mb_network_opt how = {.links_only = 1};
    mb_err              *err = j->err;
    const char         **name;
    int32_t             *ends;

    MB_NEW(ends, a, 2 * list->n + 1, err);
    MB_NEW(name, a, (size_t)n, err);
    for (size_t k = 0; k < list->n; k++)
        for (size_t e = 0; e < 2; e++) {
            const mb_json *pair = &list->item[k];
            const int64_t  id = pair->n == 2 ? pair->item[e].integer : -1;

            ends[2 * k + e] = fleet_find(f, n, id);
            if (pair->type != MB_JSON_LIST || pair->n != 2 ||
                pair->item[e].type != MB_JSON_INTEGER || ends[2 * k + e] < 0)
                MB_FAIL(err, MB_E_FORMAT,
                        "%s: field \"links[%zu]\" is wrong; expected [ID, ID] of two of the nodes",
                        f->file, k);
        }
    for (int32_t i = 0; i < n; i++)
        name[i] = f->node[i].folder.name;
    if (mb_network_from(a, n, name, (int64_t)list->n, ends, &how, &f->net, err) < 0 ||
        mb_graph_check_connected(a, &f->net.g, name, err) < 0) {
        const mb_err own = *err;

        MB_FAIL(err, own.code, "%.100s: %.380s", f->file, own.msg);
    }
    return MB_OK;
}

/* genesis and rows_are, and that there is a block at all. */
static mb_status get_common(mb_arena *a, mb_json_in *j, const mb_json *o, fleet *f)
{
    const char *slash = strrchr(f->file, '/');
    const int   before = slash ? (int)(slash + 1 - f->file) : 0;

    f->genesis = mb_json_get_text(j, o, "genesis");
    if (!f->genesis == (mb_json_at(f->all, "model")->type == MB_JSON_NONE))
        mb_json_refuse(j, "genesis", "", "a file of meshbayes genesis, or a model in \"all\"");
    if (f->genesis && *f->genesis != '/')
        f->genesis = mb_text(a, j->err, "%.*s%s", before, f->file, f->genesis);
    f->insecure = mb_json_at(o, "insecure")->type == MB_JSON_TRUE;
    f->at_most = mb_declared_at_most_(j, o);
    return j->status;
}

mb_status fleet_read(mb_arena *a, const char *file, const char *dir, fleet *out, mb_err *err)
{
    static const char *const known[] = {"nodes",    "links",    "genesis", "all",
                                        "rows_are", "insecure", NULL};
    mb_json_in               j = {.file = file, .where = "", .err = err};
    mb_json_in               common = {.file = file, .where = "all.", .err = err};
    const mb_json           *o, *nodes, *links;

    *out = (fleet){.file = file};
    MB_TRY(mb_json_read(a, file, &o, err));
    mb_json_only(&j, o, known);
    nodes = mb_json_get(&j, o, "nodes", MB_JSON_LIST);
    links = mb_json_get(&j, o, "links", MB_JSON_LIST);
    out->all = mb_json_at(o, "all");
    if (out->all->type != MB_JSON_NONE)
        (void)mb_json_get(&j, o, "all", MB_JSON_OBJECT);
    if (nodes->type == MB_JSON_LIST && (!nodes->n || nodes->n > INT32_MAX / 2))
        mb_json_refuse(&j, "nodes", "", "at least one node");
    MB_TRY(j.status);
    check_fields(&common, out->all, 1);
    MB_TRY(common.status);
    MB_TRY(get_common(a, &j, o, out));
    MB_TRY(get_nodes(a, &j, nodes, dir, out));
    return get_links(a, &j, links, (int32_t)nodes->n, out);
}

mb_status fleet_warn(mb_arena *a, const fleet *f, mb_err *err)
{
    uint8_t *cut;

    MB_NEW(cut, a, (size_t)f->net.n, err);
    MB_TRY(mb_graph_cut_nodes(a, &f->net.g, cut, NULL, err));
    for (int32_t i = 0; i < f->net.n; i++)
        if (cut[i])
            app_warn("fleet",
                     "%s: without node %s the network falls apart, and what it says "
                     "of the nodes beyond it cannot be audited; another link "
                     "around it mends that",
                     f->file, f->net.id[i]);
    return MB_OK;
}
