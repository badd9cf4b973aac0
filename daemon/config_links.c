/* config_links.c - addresses and neighbours of a configuration. */
#include "base/text.h"
#include "config_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int node_is_local(const node_config *c)
{
    int is = node_file_is_loopback(c->listen);

    for (int32_t k = 0; k < c->neighbours; k++)
        is &= !c->neighbour[k].address || node_file_is_loopback(c->neighbour[k].address);
    return is;
}

const char *node_key_field(int32_t k)
{
    static const char *const name[NODE_KEYS] = {"public_key", "next_public_key"};

    return name[k];
}

static int by_id(const void *a, const void *b)
{
    const node_neighbour *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static void get_neighbour(mb_arena *a, mb_json_in *j, const node_config *c, const mb_json *o,
                          node_neighbour *n)
{
    static const char *const known[] = {"id", "name", "address", "public_key", "next_public_key",
                                        NULL};

    if (o->type != MB_JSON_OBJECT) {
        mb_json_refuse(j, "", "", "an object with id, address and public_key");
        return;
    }
    mb_json_only(j, o, known);
    n->id = (int32_t)node_count_of(j, o, "id", 0, INT32_MAX - 1, -1);
    if (n->id < 0 || n->id == c->id)
        mb_json_refuse(j, "id", "", "the id of another node, 0 to 2147483646");
    n->name = mb_json_get_text(j, o, "name");
    if (!n->name)
        n->name = mb_text(a, j->err, "%d", (int)n->id);
    n->address = node_file_address(j, o, "address", c->insecure);
    if (!n->address && n->id < c->id)
        mb_json_refuse(j, "address", "",
                       "tcp://HOST:PORT: the node with the larger id connects to the other");
    for (int32_t k = 0; k < NODE_KEYS; k++) {
        n->key[k] = mb_json_get_text(j, o, node_key_field(k));
        if (!c->insecure && (n->key[k] ? strlen(n->key[k]) != MB_CURVE_KEY : !k))
            mb_json_refuse(j, node_key_field(k), "",
                           "the 40 characters that meshbayes-node keygen printed for that node");
    }
}

mb_status node_neighbours_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
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

mb_status node_revoked_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    const mb_json *list = mb_json_at(o, "revoked");

    if (list->type <= MB_JSON_NULL)
        return MB_OK;
    if (list->type != MB_JSON_LIST || list->n > INT32_MAX)
        mb_json_refuse(j, "revoked", "", "a list of public keys");
    MB_TRY(j->status);
    MB_NEW(c->revoked, a, list->n + 1, j->err);
    for (size_t k = 0; k < list->n; k++) {
        c->revoked[k] = list->item[k].text;
        if (!c->revoked[k] || strlen(c->revoked[k]) != MB_CURVE_KEY)
            mb_json_refuse(j, "revoked", "", "a list of public keys, 40 characters each");
    }
    c->revocations = (int32_t)list->n;
    return j->status;
}
